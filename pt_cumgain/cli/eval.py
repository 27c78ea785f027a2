"""``pt-cumgain eval``: the values of a run, printed as the command of ir-measures prints them."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

import ir_measures
from ir_measures import Metric
from ir_measures import __main__ as host
from ir_measures.measures.base import MeanAgg

from pt_cumgain import terminal
from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.outputs import CommandError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Evaluate a TREC run, with the arguments and the output of the ir_measures command."
    )
    parser.add_argument("qrels", help="TREC qrels file (.gz allowed) or ir_datasets id")
    parser.add_argument("run", help="TREC run file (.gz allowed), Parquet, or - for standard input")
    parser.add_argument(
        "measures", nargs="+", help="such as nDCG@10 \"DCG(discount='original',base=10)@100\""
    )
    parser.add_argument(
        "--places",
        "-p",
        type=int,
        default=host.DEFAULT_PLACES,
        help="decimal places, -1 for all (%(default)s)",
    )
    parser.add_argument("--by_query", "-q", action="store_true", help="print every topic's value")
    parser.add_argument("--no_summary", "-n", action="store_true", help="with -q: print no means")
    parser.add_argument(
        "--output_format",
        "-o",
        choices=host.OUTPUT_FORMATS.keys(),
        default="tsv",
        help="tsv, or jsonl: one JSON object per line (%(default)s)",
    )
    parser.add_argument(
        "--provider",
        metavar="NAME",
        choices=ir_measures.providers.registry.keys(),
        help="compute with this provider only: %(choices)s",
    )
    inputs.add_missed(parser)
    inputs.add_interval(parser)


def run(args: argparse.Namespace) -> None:
    """Print the means, the values by topic, or both."""
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) leaves nothing to print without --by_query (-q)")
    if not -1 <= args.places <= inputs.MOST_PLACES:
        raise UsageError(
            f"--places (-p) must be from 0 to {inputs.MOST_PLACES}, or -1 (all), not {args.places}"
        )
    for argument in args.measures:
        if os.path.exists(argument) and not inputs.is_measure(argument):
            raise UsageError(
                f"{argument!r} is a file but was taken for a measure ({args.qrels!r} for the "
                f"qrels, {args.run!r} for the run); give the qrels, one run, then the measures. "
                "`compare` takes several runs"
            )
    measures = inputs.parse_measures(args.measures)
    for measure in measures if args.interval else []:
        if not isinstance(measure.aggregator(), MeanAgg):
            raise UsageError(f"--interval needs means over topics, and {measure} is not one")
    provider = ir_measures.providers.registry[args.provider] if args.provider else None
    run = {args.run: args.run}
    ((_, evaluated),) = inputs.evaluate_runs(measures, args.qrels, run, args.missed, provider)
    output = host.OUTPUT_FORMATS[args.output_format](args)
    ends = _intervals(evaluated.frame(), args) if args.interval else {}
    if args.by_query:
        escapes = args.output_format == "tsv" and terminal.is_terminal()  # JSON has its own
        for value in evaluated.metrics():
            if escapes:
                value = value._replace(query_id=terminal.escape_controls(value.query_id))
            output(value)
    means = evaluated.means()
    for measure in measures if not args.no_summary else []:
        mean = Metric(host.SUMMARY_QID, measure, means[measure])
        if args.interval:
            _print_interval(args, mean, ends[str(measure)])
        else:
            output(mean)


def _intervals(values: Any, args: argparse.Namespace) -> dict[str, tuple[float, float]]:
    """Return the ends of the interval of each mean, by the measure's text."""
    from pt_cumgain.analysis.intervals import intervals

    topics = values["qid"].nunique()
    if topics < 2:
        raise CommandError(f"--interval needs at least two topics, not {topics}")
    with outputs.usage_errors():
        ends: Any = intervals(values.assign(name=args.run), confidence=args.confidence)
    return {row.measure: (row.low, row.high) for row in ends.itertuples()}


def _print_interval(args: argparse.Namespace, mean: Metric, ends: tuple[float, float]) -> None:
    """Print a mean as the host's formats do, with the ends of its interval beside it."""
    numbers = dict(zip(("value", "low", "high"), (mean.value, *ends)))
    before = {"query_id": mean.query_id} if args.by_query else {}
    before["measure"] = str(mean.measure)
    if args.output_format == "jsonl":
        print(json.dumps({**before, **numbers}))
    else:
        places = "" if args.places == -1 else f".{args.places}f"
        print(*before.values(), *(format(number, places) for number in numbers.values()), sep="\t")
