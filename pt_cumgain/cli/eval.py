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
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from ir_measures import Measure
from ir_measures import __main__ as host
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import registry

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.writing.rendering import Cell, Head, Table

if TYPE_CHECKING:
    from pt_cumgain.evaluation import EvaluatedRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain eval qrels.txt bm25.res.gz nDCG@10 AP"
    files = parser.add_argument_group("arguments")
    arguments.add_qrels(files)
    files.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="run files (TREC, Parquet, JSON; also .gz), NAME=path, or - for a TREC run on "
        "standard input; the first argument that is a measure ends the list, so write ./AP for a "
        "file called AP",
    )
    files.add_argument("--measure", "-m", type=_refuse_option, help=argparse.SUPPRESS)
    files.add_argument(
        "measures", nargs="+", help="such as nDCG@10 \"DCG(discount='original',base=10)@100\""
    )
    read = parser.add_argument_group("input")
    read.add_argument(
        "--provider", choices=registry, metavar="NAME", help="provider to compute with: %(choices)s"
    )
    arguments.add_missing(read)
    arguments.add_scores(read)
    compared = parser.add_argument_group("comparison")
    compared.add_argument(
        "--interval", action="store_true", help="print the t interval over topics with each mean"
    )
    arguments.add_confidence(compared)
    out = parser.add_argument_group("output")
    arguments.add_places(out, host.DEFAULT_PLACES, ", -1 for all")
    out.add_argument("--by_query", "-q", action="store_true", help="print every topic's value")
    out.add_argument("--no_summary", "-n", action="store_true", help="with -q: print no means")
    out.add_argument(
        "--output_format",
        "-o",
        choices=host.OUTPUT_FORMATS.keys(),
        default="tsv",
        help="tsv, or jsonl: one JSON object per value (default: %(default)s)",
    )


def _refuse_option(measure: str) -> None:
    """Refuse a measure after ``-m``, where other commands have it."""
    raise argparse.ArgumentTypeError(f"measures follow the runs: qrels.txt run.txt {measure}")


def run(args: Namespace) -> None:
    """Print the means, the values by topic, or both."""
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) leaves nothing to print without --by_query (-q)")
    paths, texts = _split_words([*args.runs, *args.measures])
    measures = inputs.parse_measures(texts)
    for measure in measures if args.interval else []:
        if not isinstance(measure.aggregator(), MeanAgg):
            raise UsageError(f"--interval needs means over topics, and {measure} is not one")
    provider = registry[args.provider] if args.provider else None
    runs = inputs.name_runs(paths)
    outputs.check_files([], [args.qrels, *runs.values()])
    if list(runs.values()) == [paths[0]]:  # messages show the path of a run without a name
        runs = {paths[0]: paths[0]}
    evaluated = dict(inputs.evaluate_runs(measures, args.qrels, runs, args, provider))
    ends = _find_ends(evaluated, args) if args.interval else {}
    rows = _collect_rows(evaluated, measures, ends, args)
    if args.output_format == "jsonl":
        _print_jsonl(rows, len(evaluated) > 1, args)
    elif len(evaluated) > 1:
        _print_several(rows, measures, args)
    else:
        _print_one(rows, args)


def _split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the runs, one at least, and the measures, which follow them."""
    from pt_cumgain.inputs.formats import run_name

    def is_run(word: str) -> bool:
        (path,) = inputs.name_runs([word]).values()
        return (path == "-" or os.path.exists(path)) and not inputs.is_measure(word)

    runs = [*words[:1], *takewhile(is_run, words[1:])]
    measures = words[len(runs) :]
    wrong = [word for word in measures if is_run(word) or run_name(word) != word]
    if wrong or not measures:
        missing = f"; no such file: {wrong[0]}" if wrong and not is_run(wrong[0]) else ""
        raise UsageError(f"give the qrels, the runs, then the measures{missing}")
    return runs, measures


#: A topic, or None for the mean; a run, a measure, and its value with the ends of its interval.
_Row = tuple[str | None, str, Measure, Sequence[float]]
#: The evaluated runs by name.
_Evaluated = Mapping[str, "EvaluatedRun"]
#: The ends of intervals, by the names of run and measure.
_Ends = Mapping[tuple[str, str], Sequence[float]]


def _collect_rows(
    evaluated: _Evaluated, measures: Sequence[Measure], ends: _Ends, args: Namespace
) -> Iterator[_Row]:
    """Yield the values by topic, the means with the ends of their intervals, or both."""
    for name, run in evaluated.items() if args.by_query else []:
        for topic, measure, value in run.metrics():
            yield topic, name, measure, [value]
    for name, run in evaluated.items() if not args.no_summary else []:
        means = run.means()
        for measure in measures:
            yield None, name, measure, [means[measure], *ends.get((name, str(measure)), ())]


def _find_ends(evaluated: _Evaluated, args: Namespace) -> _Ends:
    """Return the ends of the interval of each mean, by the names of the run and the measure."""
    from pt_cumgain.comparing._intervals import intervals

    values = pd.concat([run.frame().assign(name=name) for name, run in evaluated.items()])
    with outputs.usage_errors():
        ends: Any = intervals(values, confidence=args.confidence)
    return {(row.name, row.measure): (row.low, row.high) for row in ends.itertuples()}


def _name_topic(topic: str | None, args: Namespace) -> list[str]:
    """Return the first column, if there is a column of topics."""
    if not args.by_query:
        return []
    topic = host.SUMMARY_QID if topic is None else topic
    return [escape_controls(topic) if terminal.is_terminal() else topic]


def _write_numbers(numbers: Sequence[float], args: Namespace) -> list[str]:
    """Return a value, which may be missing, and the ends of its interval as texts."""
    places = "" if args.places == -1 else f".{args.places}f"
    texts = [format(number, places) for number in numbers]
    return texts + [""] * ((3 if args.interval else 1) - len(texts))


def _print_one(rows: Iterable[_Row], args: Namespace) -> None:
    """Print a line for each value of a single run."""
    for topic, _, measure, numbers in rows:
        print(*_name_topic(topic, args), measure, *_write_numbers(numbers, args), sep="\t")


def _print_several(rows: Iterable[_Row], measures: Sequence[Measure], args: Namespace) -> None:
    """Print a line for each of several runs, with their names; on a terminal, at its width."""
    found: dict[tuple[str | None, str], dict[Measure, Sequence[float]]] = {}
    for topic, name, measure, numbers in rows:
        found.setdefault((topic, name), {})[measure] = numbers
    labels = [[*_name_topic(topic, args), name] for topic, name in found]
    lines = [[_write_numbers(of.get(m, ()), args) for m in measures] for of in found.values()]
    if terminal.is_terminal():
        cells = [[Cell(value, interval=_bracket(ends)) for value, *ends in line] for line in lines]
        heads = [Head(str(measure)) for measure in measures]
        table = Table(heads, [Head(" ".join(label)) for label in labels], cells, [])
        print(table.to_text(terminal.count_columns()), end="")
        return
    ends = ["", *([" low", " high"] if args.interval else [])]
    columns = [f"{measure}{end}" for measure in measures for end in ends]
    print(*(["query_id"] if args.by_query else []), "name", *columns, sep="\t")
    for label, line in zip(labels, lines):
        print(*label, *chain(*line), sep="\t")


def _bracket(ends: Sequence[str]) -> str:
    return f"[{', '.join(ends)}]" if any(ends) else ""


def _print_jsonl(rows: Iterable[_Row], has_names: bool, args: Namespace) -> None:
    """Print an object for each value, with the name of its run if there are several runs."""
    host.OUTPUT_FORMATS["jsonl"](args)  # says that it ignores --places
    for topic, name, measure, numbers in rows:
        value: dict[str, Any] = {"name": name} if has_names else {}
        value |= {"query_id": host.SUMMARY_QID if topic is None else topic} if args.by_query else {}
        value |= {"measure": str(measure), **dict(zip(("value", "low", "high"), numbers))}
        print(json.dumps(value))
