"""Evaluate runs.

For a single run, arguments and output are those of the ir_measures command; for several runs, the
output has one column per run, below a line with their names.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

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


def run(args: argparse.Namespace) -> None:
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
    printed = _print_table if len(evaluated) > 1 and terminal.is_terminal() else _print_tsv
    printed = _print_jsonl if args.output_format == "jsonl" else printed
    printed(_collect_rows(evaluated, measures, ends, args), list(evaluated), args)


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


#: A printed row: a topic, a measure, and the numbers of the runs that have some.
_Row = tuple[str, Measure, Mapping[str, Sequence[float]]]


def _collect_rows(
    evaluated: Mapping[str, Any], measures: Sequence[Measure], ends: Mapping[Any, Any], args: Any
) -> Iterator[_Row]:
    """Yield the values by topic, the means with the ends of their intervals, or both."""
    values: dict[tuple[str, Measure], dict[str, Sequence[float]]] = {}
    for name, run in evaluated.items() if args.by_query else []:
        for topic, measure, value in run.metrics():
            values.setdefault((topic, measure), {})[name] = [value]
    for at, numbers in values.items():
        yield *at, numbers
    means = {name: run.means() for name, run in evaluated.items()}
    for measure in measures if not args.no_summary else []:
        yield (
            host.SUMMARY_QID,
            measure,
            {name: [means[name][measure], *ends.get((name, str(measure)), ())] for name in means},
        )


def _find_ends(evaluated: Mapping[str, Any], args: Any) -> dict[tuple[str, str], Sequence[float]]:
    """Return the ends of the interval of each mean, by the names of the run and the measure."""
    from pt_cumgain.comparing._intervals import intervals

    values = pd.concat([run.frame().assign(name=name) for name, run in evaluated.items()])
    with outputs.usage_errors():
        ends: Any = intervals(values, confidence=args.confidence)
    return {(row.name, row.measure): (row.low, row.high) for row in ends.itertuples()}


def _print_table(rows: Iterable[_Row], names: Sequence[str], args: Any) -> None:
    """Print a column for each of several runs, at the width of the terminal."""
    labels, cells = [], []
    for topic, measure, numbers in rows:
        labels.append(Head(f"{topic} {measure}" if args.by_query else str(measure)))
        texts = [_write_numbers(numbers.get(name, ()), args) for name in names]
        intervals = [f"[{', '.join(ends)}]" if ends else "" for _, *ends in texts]
        row = [Cell(text[0], interval=ends) for text, ends in zip(texts, intervals)]
        cells.append(row)
    table = Table([Head(name) for name in names], labels, cells, [])
    print(table.to_text(terminal.count_columns()), end="")


def _write_numbers(numbers: Sequence[float], args: Any) -> list[str]:
    """Return a value, which may be missing, and the ends of its interval as texts."""
    places = "" if args.places == -1 else f".{args.places}f"
    return [format(number, places) for number in numbers] or [""]


def _print_tsv(rows: Iterable[_Row], names: Sequence[str], args: Any) -> None:
    """Print the columns of each run, below their names if there are several runs."""
    columns = ["", *([" low", " high"] if args.interval else [])]
    several = len(names) > 1
    first = ["query_id"] if args.by_query else []
    if several:
        print(*first, "measure", *(name + end for name in names for end in columns), sep="\t")
    for topic, measure, numbers in rows:
        cells = [escape_controls(topic) if terminal.is_terminal() else topic] if first else []
        cells.append(str(measure))
        for name in names if several else numbers:
            shown = _write_numbers(numbers.get(name, ()), args)
            cells += shown
            cells += [""] * (len(columns) - len(shown))
        print(*cells, sep="\t")


def _print_jsonl(rows: Iterable[_Row], names: Sequence[str], args: Any) -> None:
    """Print an object for each value, with the name of its run if there are several runs."""
    host.OUTPUT_FORMATS["jsonl"](args)  # says that it ignores --places
    for topic, measure, numbers in rows:
        for name, ends in numbers.items():
            value: dict[str, Any] = {"name": name} if len(names) > 1 else {}
            value |= {"query_id": topic} if args.by_query else {}
            value |= {"measure": str(measure), **dict(zip(("value", "low", "high"), ends))}
            print(json.dumps(value))
