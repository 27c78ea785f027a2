"""Evaluate runs.

For a single run, arguments and output are those of the ir_measures command; for several runs, the
output has one line per run, below a line with the measures.
"""

from __future__ import annotations

import argparse
import json
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from ir_measures import Measure
from ir_measures import __main__ as host
from ir_measures.providers import registry

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.environment.warning import warn
from pt_cumgain.writing.shares import write_judged

if TYPE_CHECKING:
    from pt_cumgain.evaluation import EvaluatedRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain eval qrels.txt bm25.res.gz nDCG@10 AP"
    files = arguments.add_qrels(parser)
    text = (
        "run files (TREC, Parquet, JSON; also .gz), NAME=path, or - for a TREC run on standard "
        "input; the first argument that is a measure ends the list, so write ./AP for a file "
        "called AP"
    )
    files.add_argument("runs", nargs="+", metavar="run", help=text)
    files.add_argument("--measure", "-m", type=_refuse_option, help=argparse.SUPPRESS)
    text = "such as nDCG@10 \"DCG(discount='original',base=10)@100\""
    files.add_argument("measures", nargs="+", help=text)
    data, text = parser.add_argument_group("input"), "provider to compute with: %(choices)s"
    data.add_argument("--provider", choices=registry, metavar="NAME", help=text)
    arguments.add_choice(data, "missing")
    arguments.add_choice(data, "scores")
    output = parser.add_argument_group("output")
    arguments.add_decimals(output, "--places", default=host.DEFAULT_PLACES, least=-1)
    output.add_argument("--by_query", "-q", action="store_true", help="print every topic's value")
    output.add_argument("--no_summary", "-n", action="store_true", help="with -q: print no means")
    formats = host.OUTPUT_FORMATS.keys()
    text = "tsv, or jsonl: one JSON object per value (default: %(default)s)"
    output.add_argument("--output_format", "-o", choices=formats, default="tsv", help=text)


def _refuse_option(measure: str) -> None:
    """Refuse a measure after ``-m``, where other commands have it."""
    raise argparse.ArgumentTypeError(f"measures follow the runs: qrels.txt run.txt {measure}")


def run(args: Namespace) -> None:
    """Print the means, the values by topic, or both."""
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) leaves nothing to print without --by_query (-q)")
    paths, texts = _split_words([*args.runs, *args.measures])
    measures = inputs.parse_measures(texts)
    provider = registry[args.provider] if args.provider else None
    runs = inputs.name_runs(paths)
    outputs.check_files([], [args.qrels, *runs.values()])
    asked = measures if len(runs) < 2 or provider else inputs.add_depths(measures)
    evaluated = dict(inputs.evaluate_runs(asked, runs, args, provider))
    if len(evaluated) > 1:
        names = [str(measure) for measure in measures]
        for sentence in write_judged({"": inputs.join_shares(evaluated)}, names):
            warn(sentence)
    rows = _collect_rows(evaluated, measures, args)
    if args.output_format == "jsonl":
        _print_jsonl(rows, len(evaluated) > 1, args)
    elif len(evaluated) > 1:
        _print_several(rows, measures, args)
    else:
        for topic, _, measure, value in rows:
            print(*_name_topic(topic, args), measure, _write_value(value, args), sep="\t")


def _split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the runs, one at least, and the measures, which follow them."""
    from pt_cumgain.inputs.formats import run_name

    def is_run(word: str) -> bool:
        (path,) = inputs.name_runs([word]).values()
        return (path == "-" or os.path.exists(path)) and not inputs.is_measure(word)

    runs = [*words[:1], *takewhile(is_run, words[1:])]
    measures = words[len(runs) :]
    if not measures:
        raise UsageError("give the qrels, the runs, then the measures")
    for word in measures:
        if run_name(word) != word and not os.path.exists(word):
            raise UsageError(f"no such run file: {word!r}; measures follow the runs")
    return runs, measures


#: A topic, or ``all`` for the mean; a run, a measure, and its value.
_Row = tuple[str, str, Measure, float]


def _collect_rows(
    evaluated: Mapping[str, EvaluatedRun], measures: Sequence[Measure], args: Namespace
) -> Iterator[_Row]:
    """Yield the values by topic, the means, or both."""
    asked = {*measures}
    if args.by_query:
        for name, run in evaluated.items():
            for topic, measure, value in run.metrics():
                if measure in asked:
                    yield topic, name, measure, value
    if not args.no_summary:
        for name, run in evaluated.items():
            means = run.means()
            for measure in measures:
                yield host.SUMMARY_QID, name, measure, means[measure]


def _name_topic(topic: str, args: Namespace) -> list[str]:
    """Return the first column, if there is a column of topics."""
    if not args.by_query:
        return []
    return [escape_controls(topic) if terminal.is_terminal() else topic]


def _write_value(value: float, args: Namespace) -> str:
    return format(value, "" if args.decimals == -1 else f".{args.decimals}f")


def _print_several(rows: Iterable[_Row], measures: Sequence[Measure], args: Namespace) -> None:
    """Print a line for each of several runs, with their names; on a terminal, at its width."""
    lines: dict[tuple[str, ...], dict[Measure, str]] = {}
    for topic, name, measure, value in rows:
        line = lines.setdefault((*_name_topic(topic, args), name), dict.fromkeys(measures, ""))
        line[measure] = _write_value(value, args)
    if terminal.is_terminal():
        from pt_cumgain.writing.rendering import Cell, Head, Table

        heads = [Head(str(measure)) for measure in measures]
        cells = [[Cell(text) for text in line.values()] for line in lines.values()]
        table = Table(heads, [Head(" ".join(labels)) for labels in lines], cells, [])
        print(table.to_text(terminal.count_columns()), end="")
        return
    print(*(["query_id"] if args.by_query else []), "name", *measures, sep="\t")
    for labels, line in lines.items():
        print(*labels, *line.values(), sep="\t")


def _print_jsonl(rows: Iterable[_Row], has_names: bool, args: Namespace) -> None:
    """Print an object for each value, with the name of its run if there are several runs."""
    if args.decimals != host.DEFAULT_PLACES:
        warn("--decimals is ignored: --output_format jsonl prints all decimals")
    for topic, name, measure, value in rows:
        labels = {"name": name} if has_names else {}
        if args.by_query:
            labels["query_id"] = topic
        print(json.dumps({**labels, "measure": str(measure), "value": value}))
