"""Print a table for a paper, with the mean of each run and marks for significant differences.

Below it, sentences say which runs may be best (in LaTeX, as comments). Conover's test needs
the extra stats.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.measures import CG
from pt_cumgain.options import OPTIONS
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.phrases import join_words, write_end, write_number, write_p
from pt_cumgain.writing.shares import few_judged, write_judged

if TYPE_CHECKING:
    from pt_cumgain.comparing._paper_table import PaperTable
    from pt_cumgain.comparing._results import TopicResults
    from pt_cumgain.evaluation import EvaluatedRun

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
        help="correction of p-values for the number of pairs: none, or a method of statsmodels' "
        "multipletests, such as holm, bonferroni or fdr_bh (default: %(default)s)",
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
        "--width",
        type=float,
        help="width of the table, in inches for LaTeX (default: that of the column) or in "
        "characters for text (default: that of the terminal, else 100)",
    )
    written.add_argument(
        "--output", "-o", help="write the table to this file: .txt, .md, .tex (LaTeX) or .html"
    )
    written.add_argument(
        "--csv", help="write means, marks and tests as CSV, one row per mean; - prints them instead"
    )


def run(args: Namespace) -> None:
    """Print or write the table, with its tests below it."""
    from pt_cumgain.comparing._paper_table import paper_table
    from pt_cumgain.comparing._read_values import read_values
    from pt_cumgain.comparing._results import TopicResults

    if args.values and args.qrels:
        raise UsageError("--values replaces qrels and runs; omit those")
    if not args.values and not args.runs:
        raise UsageError("give the qrels and the runs, or --values FILE...")
    paths = inputs.name_runs(args.values or args.runs, ".eval")
    qrels = [args.qrels] if args.qrels else []
    files = outputs.check_files([args.output, args.csv], [*qrels, *paths.values()])
    table_format = _choose_format(args.output)
    runs: dict[str, EvaluatedRun] = {}
    if args.values:
        measures = " ".join(args.measure or []).split()
        results = TopicResults.read(read_values(paths))
    else:
        parsed = inputs.parse_measures(args.measure)
        measures = [str(measure) for measure in parsed]
        depths = inputs.list_depths(parsed)
        asked = [*parsed, *(CG(cutoff=depth) for depth in depths)]
        runs = dict(inputs.evaluate_runs(asked, paths, args, keep=max(depths, default=0)))
        rows = pd.concat([run.frame().assign(name=name) for name, run in runs.items()])
        results = TopicResults.read(rows[rows["measure"].isin(measures)]).split_judged()
        results = replace(results, shares=inputs.join_shares(runs))  # exact for missing topics
    results = results.split_judged()
    table = paper_table(
        results,
        measures=measures or None,
        order=args.order,
        rows="systems" if args.rows == "runs" else "measures",
        places=args.places,
        test=None if args.test == "none" else args.test,
        baseline=args.baseline,
        correction=None if args.correction == "none" else args.correction,
        interval=args.interval,
        confidence=args.confidence,
    )
    notes = [*_list_tests(table), *_name_best(results, table, args, runs)]
    text = _write(table, notes, table_format, args)
    if args.output:
        with outputs.replacing(args.output) as path:
            path.write_text(text, encoding="utf-8")
    elif args.csv != "-":
        print(text, end="")
    has_unjudged = write_judged(results.shares)
    outputs.write_csv(args.csv, results.add_judged(table.data) if has_unjudged else table.data)
    outputs.tell_written(files, on_error=not args.output or args.csv == "-")


def _choose_format(output: str | None) -> str:
    """Return the format that belongs to the suffix of a file; text for standard output."""
    suffix = Path(output).suffix if output else ".txt"
    if suffix not in FORMATS:
        raise UsageError(f"--output {output} must end in one of {', '.join(FORMATS)}")
    return FORMATS[suffix]


def _write(table: PaperTable, notes: list[str], form: str, args: Namespace) -> str:
    """Return the table with more notes below it."""
    if form == "latex":
        return table.to_latex(width=args.width) + "".join(f"% {note}\n" for note in notes)
    table = replace(table, notes=[*table.notes, *notes])
    if form == "text":
        return table.to_text(terminal.count_columns() if args.width is None else args.width)
    return table.to_markdown() if form == "markdown" else table.to_html()


def _name_best(
    results: TopicResults, table: PaperTable, args: Namespace, runs: Mapping[str, EvaluatedRun]
) -> list[str]:
    """Return which runs may be best by each measure, of those that have a value other than 0."""
    from pt_cumgain.comparing._may_be_best import may_be_best
    from pt_cumgain.comparing._rounding import equate
    from pt_cumgain.trust._ranges import find_most

    evident = results.frame[results.frame.groupby("name")["value"].transform("any")]
    evident = evident[evident["measure"].isin(table.measures.values())]
    if args.test == "none" or evident["name"].nunique() < 2:
        return []
    sentences = []
    has_unjudged = write_judged(results.shares)
    judged = {name: run.judged for name, run in runs.items()} if has_unjudged else {}
    frame = may_be_best(replace(results, frame=evident), confidence=args.confidence)
    for measure, name in read_names(table.measures.values()).items():
        rows = frame[frame["measure"] == measure]
        means = equate(rows["mean"])
        is_first = means == means.max()
        highest, others = rows["name"][is_first], rows["name"][~is_first & rows["may_be_best"]]
        first = highest.iloc[0]
        most = find_most(judged, measure, first, args.missing) if judged else {}
        below = sorted(rows["name"][~is_first], key=lambda run: -most.get(run, 0.0))
        shares = results.shares_of(measure)
        few = few_judged(shares)
        unsure = [run for run in below if run in few or first in few]
        above = [run for run in below if most[run] > 0] if most else unsure
        may_lead = above if most else min(shares.values(), default=1) < 1
        lead = "is best on these judgments" if may_lead else "is best"
        lead = "has the highest mean" if len(others) else lead
        lead = "share the highest mean" if len(highest) > 1 else lead
        also = f"; {join_words(others.tolist())} may also be best" if len(others) else ""
        mean = write_number(means.max(), args.places)
        sentences.append(f"{name.write()}: {join_words(highest.tolist())} {lead} ({mean}){also}.")
        parts = _list_depending(above, unsure, most, args.places)
        if parts:
            ends = "; ".join(f"{part} be above {first}" for part in parts)
            sentences.append(f"Depending on the unjudged documents, {ends}.")
    level = f"{100 * args.confidence:g}%"
    return [*sentences, f"May be best: no other is shown to be better (paired t-tests, {level})."]


def _list_depending(
    above: list[str], unsure: list[str], most: Mapping[str, float], places: int
) -> list[str]:
    """Return which runs the unjudged documents could put above the first, and which not."""
    could = [f"{run} (by up to {write_end(most[run], places, -1)})" for run in above if most]
    below = [run for run in unsure if run not in above]
    cannot = [f"{run} (by at least {write_end(-most[run], places, 1)})" for run in below]
    parts = {"could": could, "cannot": cannot} if most else {"may": above}
    return [f"{_list_some(runs)} {verb}" for verb, runs in parts.items() if runs]


def _list_some(names: list[str]) -> str:
    """Return names; of more than four the first three, and how many others there are."""
    return join_words(names if len(names) < 5 else [*names[:3], f"{len(names) - 3} others"])


def _list_tests(table: Any) -> Iterator[str]:
    """Yield the rows of :func:`pt_cumgain.comparing.friedman`, if there are any, as sentences."""
    names = read_names(table.measures.values())
    for row in () if table.tests is None else table.tests.reset_index().itertuples():
        over = f"{write_p(row.p)} ({row.systems} runs, {row.topics} {table.unit}s)"
        test = f"Friedman chi2 = {row.statistic:.3f}, df = {row.df:g}, Kendall's W = {row.W:.3f}"
        if row.test == "Wilcoxon":
            test = f"Wilcoxon W = {row.statistic:.3f}"
        yield f"{names[row.measure].write()}: {test}, {over}"
