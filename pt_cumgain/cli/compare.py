"""Print a table for a paper, with the mean of each run and marks for significant differences.

A sentence on the runs that may be best and, for several measures, their rank correlations follow
below it (in LaTeX, as comments). Conover's test needs the extra stats.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.options import OPTIONS
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.phrases import join_words, write_number, write_p

if TYPE_CHECKING:
    from pt_cumgain.comparing._paper_table import PaperTable
    from pt_cumgain.writing.rendering import Table

#: The formats of tables, by the suffixes of their files.
FORMATS = {".txt": "text", ".md": "markdown", ".tex": "latex", ".html": "html"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = (
        "example: pt-cumgain compare qrels.txt bm25.res.gz dph.res.gz -m nDCG@10 -m AP "
        "--baseline bm25"
    )
    files = parser.add_argument_group("arguments")
    arguments.add_qrels(files, nargs="?")
    arguments.add_runs(files, nargs="*")
    read = parser.add_argument_group("input")
    arguments.add_measure(read, "any measure of ir-measures; repeat it for more")
    arguments.add_scores(read)
    read.add_argument(
        "--dataset",
        nargs="+",
        action="append",
        default=[],
        metavar=("NAME QRELS RUN", "RUN"),
        help="instead of qrels and runs: the name, the qrels and the runs of one of several "
        "collections, in which the runs of a system must have the same name; repeat it for each "
        "collection",
    )
    read.add_argument(
        "--values",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="instead of qrels and runs: files (or NAME=path) with the values by topic that "
        "trec_eval -q or ir_measures -q printed for a system, or a table with the columns name, "
        "qid, measure, value; --measure selects some of the measures, by the names in the files",
    )
    arguments.add_missing(read)
    compared = parser.add_argument_group("comparison")
    tests = [*OPTIONS["test"].choices, "friedman", "none"]
    compared.add_argument(
        "--test",
        choices=tests,
        default=tests[0],
        metavar="TEST",
        help="the test: %(choices)s (default: %(default)s); friedman is followed by Conover's "
        "test of the pairs, or replaced by Wilcoxon's test for two runs",
    )
    arguments.add_baseline(
        compared, "compare each run only with this one; repeat it for several baselines"
    )
    compared.add_argument(
        "--correction",
        type=str.lower,
        default="holm",
        help="correction of the p-values for the number of pairs: a method of statsmodels' "
        "multipletests, such as holm, bonferroni or fdr_bh, or none (default: %(default)s)",
    )
    compared.add_argument(
        "--interval",
        action="store_true",
        help="print t intervals of means or, with -b, of differences",
    )
    arguments.add_confidence(compared)
    written = parser.add_argument_group("output")
    arguments.add_places(written)
    arguments.add_choice(written, "rows", "rows of the table", ("runs", "measures"))
    arguments.add_choice(written, "order", "order of the runs: as given, or by the first measure")
    written.add_argument(
        "--format",
        choices=FORMATS.values(),
        help="format of the table (default: given by the suffix of --output, else text)",
    )
    written.add_argument(
        "--width",
        type=float,
        help="width of the table, in inches for LaTeX (default: that of the column) or in "
        "characters for text (default: that of the terminal, else 100)",
    )
    written.add_argument("--output", "-o", help="write the table here instead of printing it")
    written.add_argument(
        "--csv", help="write means, marks and tests as CSV, one row per mean; - prints them instead"
    )


def run(args: Namespace) -> None:
    """Print or write the table, with its tests below it."""
    from pt_cumgain.comparing._paper_table import paper_table
    from pt_cumgain.comparing._read_values import read_values

    measures: list[Any] = [name for text in args.measure or [] for name in text.split()]
    if not args.values:
        measures = inputs.parse_measures(args.measure)
    if args.output == "-":
        args.output = None
    collections = {} if args.values else _read_collections(args)
    values = _name_values(args) if args.values else {}
    read = [path for qrels, runs in collections.values() for path in (qrels, *runs.values())]
    read += values.values()
    files = outputs.check_files([args.output, args.csv], read)
    table_format = args.format or _choose_format(args.output)
    with outputs.usage_errors():
        results = read_values(values) if values else inputs.evaluate(measures, collections, args)
        table = paper_table(
            results,
            measures=[str(measure) for measure in measures] or None,
            order=args.order,
            rows="systems" if args.rows == "runs" else "measures",
            places=args.places,
            test=None if args.test == "none" else args.test,
            baseline=args.baseline,
            correction=None if args.correction == "none" else args.correction,
            interval=args.interval,
            confidence=args.confidence,
        )
        notes = [*_list_tests(table), *_name_best(results, table, args)]
        text = _write(table, notes, _correlate(table), table_format, args)
    if args.output:
        outputs.write_file(args.output, lambda path: path.write_text(text, encoding="utf-8"))
    elif args.csv != "-":
        print(text, end="")
    outputs.write_csv(args.csv, table.data)
    outputs.tell_written(files, on_error=True)


def _name_values(args: Namespace) -> dict[str, str]:
    """Return the files of ``--values`` by system; refuse arguments that need qrels and runs."""
    if args.qrels or args.dataset:
        raise UsageError("--values replaces qrels and runs; omit those")
    return inputs.name_runs(args.values, "files", ".eval")


def _read_collections(args: Namespace) -> inputs.Collections:
    """Return the qrels and runs of each dataset; a single dataset has no name."""
    if not args.dataset:
        if not args.runs:
            raise UsageError("give the qrels and the runs, or --dataset NAME QRELS RUN...")
        return {"": (args.qrels, inputs.name_runs(args.runs))}
    if args.qrels:
        raise UsageError(f"{args.qrels!r} belongs to no dataset; give all files after --dataset")
    collections: dict[str, tuple[str, dict[str, str]]] = {}
    for name, *paths in args.dataset:
        if len(paths) < 2 or not name:
            raise UsageError(f"--dataset {' '.join([name, *paths])}: give NAME QRELS RUN...")
        if name in collections:
            raise UsageError(f"two datasets are called {name!r}")
        collections[name] = paths[0], inputs.name_runs(paths[1:])
    for (name, (_, runs)), (other, (_, others)) in permutations(collections.items(), 2):
        for lacking in others.keys() - runs.keys():
            raise UsageError(
                f"the run {lacking!r} of dataset {other!r} is missing in dataset {name!r}; "
                "runs of one system have one name: give NAME=path"
            )
    return collections


def _choose_format(output: str | None) -> str:
    """Return the format that belongs to the suffix of a file; text for standard output."""
    suffix = Path(output).suffix if output else ".txt"
    if suffix not in FORMATS:
        raise UsageError(
            f"--output {output} must end in one of {', '.join(FORMATS)}, or give --format"
        )
    return FORMATS[suffix]


def _write(
    table: PaperTable, notes: list[str], below: list[Table], form: str, args: Namespace
) -> str:
    """Return the table with more notes and, below it, other tables."""
    if form == "latex":
        lines = "\n".join([*notes, *map(str, below)]).splitlines()
        latex: str = table.to_latex(width=args.width)
        return latex + "".join(f"% {line}\n" for line in lines)
    options: dict[str, float] = {}
    if form == "text":
        options["width"] = terminal.count_columns() if args.width is None else args.width
    tables = [replace(table, notes=[*table.notes, *notes]), *below]
    return "\n".join(getattr(table, f"to_{form}")(**options) for table in tables)


def _name_best(results: pd.DataFrame, table: PaperTable, args: Namespace) -> list[str]:
    """Return which runs may be best by each measure, of those that have a value other than 0.

    Of several datasets, only the mean of their means is considered.
    """
    from pt_cumgain.comparing._may_be_best import may_be_best
    from pt_cumgain.comparing._rounding import equate

    evident = results[results.groupby("name")["value"].transform("any")]
    evident = evident[evident["measure"].isin(table.measures.values())]
    if args.test == "none" or evident["name"].nunique() < 2:
        return []
    sentences = []
    frame = _keep_last_dataset(may_be_best(evident, confidence=args.confidence))
    for measure, name in read_names(table.measures.values()).items():
        rows = frame[frame["measure"] == measure]
        means = equate(rows["mean"])
        is_first = means == means.max()
        highest, others = rows["name"][is_first], rows["name"][~is_first & rows["may_be_best"]]
        lead = "has the highest mean" if len(others) else "is best"
        lead = "share the highest mean" if len(highest) > 1 else lead
        also = f"; {join_words(others.tolist())} may also be best" if len(others) else ""
        mean = write_number(means.max(), args.places)
        sentences.append(f"{name.write()}: {join_words(highest.tolist())} {lead} ({mean}){also}.")
    level = f"{100 * args.confidence:g}%"
    return [*sentences, f"May be best: no other is shown to be better (paired t-tests, {level})."]


def _keep_last_dataset(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all datasets together, which come last."""
    dataset: Any = frame.get("dataset")
    return frame if dataset is None else frame.loc[dataset == dataset.iloc[-1]]


def _correlate(table: PaperTable) -> list[Table]:
    """Return a table of how similarly the measures rank the runs, if there are several of both."""
    from pt_cumgain.comparing._correlation import correlation_table, rank_correlation

    means = _keep_last_dataset(table.data)
    means = means.pivot(index="name", columns="measure", values="mean")[list(table.measures)]
    if min(means.shape) < 2:
        return []
    return [correlation_table(rank_correlation(means.reset_index()))]


def _list_tests(table: Any) -> Iterator[str]:
    """Yield the rows of :func:`pt_cumgain.comparing.friedman`, if there are any, as sentences."""
    names = read_names(table.measures.values())
    for row in () if table.tests is None else table.tests.reset_index().itertuples():
        item = f"{getattr(row, 'dataset', '')} {names[row.measure].write()}".strip()
        over = f"{write_p(row.p)} ({row.systems} runs, {row.topics} {table.unit}s)"
        test = f"Friedman chi2 = {row.statistic:.3f}, df = {row.df:g}, Kendall's W = {row.W:.3f}"
        if row.test == "Wilcoxon":
            test = f"Wilcoxon W = {row.statistic:.3f}"
        yield f"{item}: {test}, {over}"
