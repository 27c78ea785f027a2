"""Print a table for a paper, with the mean of each run and marks for significant differences.

Below it, sentences say which runs may be best (in LaTeX, as comments). Conover's test needs
the extra stats.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.files import check_suffix, replacing
from pt_cumgain.options import OPTIONS
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.phrases import PHRASES, join_words, write_end, write_number, write_p
from pt_cumgain.writing.shares import few_judged

if TYPE_CHECKING:
    from pt_cumgain.comparing._paper_table import PaperTable
    from pt_cumgain.comparing._results import TopicResults
    from pt_cumgain.engine import JudgedRun

    Runs: TypeAlias = Mapping[str, JudgedRun]

#: The suffixes of tables: text, Markdown, LaTeX and HTML.
SUFFIXES = (".txt", ".md", ".tex", ".html")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = (
        "example: pt-cumgain compare qrels.txt bm25.res.gz dph.res.gz -m nDCG@10 -m AP "
        "--baseline bm25"
    )
    arguments.add_files(parser, optional=True)
    data = arguments.add_input(parser, "any measure of ir-measures; repeat it for more")
    text = (
        "instead of qrels and runs: files (or NAME=path) with the values by topic that "
        "trec_eval -q or ir_measures -q printed for a system, or a table with the columns name, "
        "qid, measure, value; --measure selects some of the measures, by the names in the files"
    )
    data.add_argument("--values", nargs="+", action="extend", default=[], metavar="FILE", help=text)
    arguments.add_choice(data, "missing")
    _add_tests(parser)
    _add_output(parser)


def _add_tests(parser: ArgumentParser) -> None:
    """Add the tests of differences and the intervals."""
    comparison = parser.add_argument_group("comparison")
    tests = [*OPTIONS["test"].choices, "friedman", "none"]
    text = (
        "the test: %(choices)s (default: %(default)s); friedman is followed by Conover's test of "
        "the pairs, or replaced by Wilcoxon's test for two runs"
    )
    comparison.add_argument("--test", choices=tests, default=tests[0], metavar="TEST", help=text)
    arguments.add_baseline(comparison)
    text = (
        "correction of p-values for the number of pairs: none, or a method of statsmodels' "
        "multipletests, such as holm, bonferroni or fdr_bh (default: %(default)s)"
    )
    comparison.add_argument("--correction", type=str.lower, default="holm", help=text)
    text = "print t intervals of means or, with -b, of differences"
    comparison.add_argument("--interval", action="store_true", help=text)
    arguments.add_confidence(comparison)


def _add_output(parser: ArgumentParser) -> None:
    """Add the layout of the table, and the files to write."""
    output = parser.add_argument_group("output")
    arguments.add_decimals(output)
    arguments.add_choice(output, "rows", "rows of the table", ("runs", "measures"))
    arguments.add_choice(output, "order", "order of the runs: as given, or by the first measure")
    text = (
        "width of the table, in inches for LaTeX (default: that of the column) or in characters "
        "for text (default: that of the terminal, else 100)"
    )
    output.add_argument("--width", type=float, help=text)
    text = "write the table to this file: .txt, .md, .tex (LaTeX) or .html"
    output.add_argument("--output", "-o", help=text)
    text = "write means, marks and tests as CSV, one row per mean; - prints them instead"
    output.add_argument("--csv", help=text)


def run(args: Namespace) -> None:
    """Print or write the table, with its tests below it."""
    if (args.values and args.qrels) or not (args.values or args.runs):
        raise UsageError("give the qrels and the runs or, instead of them, --values FILE...")
    paths = inputs.name_runs(args.values or args.runs, ".eval")
    files = outputs.check_files([args.output, args.csv], [args.qrels, *paths.values()])
    if args.output:
        check_suffix(f"--output {args.output}", args.output, SUFFIXES)
    results, measures, judged = _read_inputs(paths, args)
    table = _make_table(results, measures, args)
    notes = [*_list_tests(table), *_name_best(results, table, judged, args)]
    text = _write(table, notes, args)
    if args.output:
        with replacing(args.output) as path:
            path.write_text(text, encoding="utf-8")
    elif args.csv != "-":
        print(text, end="")
    data = results.add_judged(table.data) if results.has_unjudged else table.data
    outputs.write_csv(args.csv, data)
    outputs.tell_written(files, on_error=not args.output or args.csv == "-")


def _read_inputs(paths: Mapping[str, str], args: Namespace) -> tuple[TopicResults, list[str], Runs]:
    """Return the values by topic, the texts of chosen measures, and the judged runs by name."""
    from pt_cumgain.comparing._read_values import read_values
    from pt_cumgain.comparing._results import TopicResults

    if args.values:
        measures = " ".join(args.measure or []).split()
        return TopicResults.read(read_values(paths)).split_judged(), measures, {}
    parsed = inputs.parse_measures(args.measure)
    measures = [str(measure) for measure in parsed]
    keep = max(inputs.list_depths(parsed), default=0)
    runs = dict(inputs.evaluate_runs(inputs.add_depths(parsed), paths, args, keep=keep))
    rows = pd.concat([run.frame().assign(name=name) for name, run in runs.items()])
    results = TopicResults.read(rows[rows["measure"].isin(measures)]).split_judged()
    shares = {**results.shares.get("", {}), **inputs.join_shares(runs)}  # exact for missing topics
    results = replace(results, shares={"": shares})
    return results.split_judged(), measures, {name: run.judged for name, run in runs.items()}


def _make_table(results: TopicResults, measures: Sequence[str], args: Namespace) -> PaperTable:
    """Return the table of the results, as the arguments ask."""
    from pt_cumgain.comparing._paper_table import paper_table

    rows = "systems" if args.rows == "runs" else "measures"
    test, correction = (None if x == "none" else x for x in (args.test, args.correction))
    tests = {"test": test, "correction": correction, "baseline": args.baseline}
    ends = {"interval": args.interval, "confidence": args.confidence}
    layout = {"rows": rows, "order": args.order, "decimals": args.decimals}
    return paper_table(results, measures=measures or None, **tests, **ends, **layout)


def _write(table: PaperTable, notes: Sequence[str], args: Namespace) -> str:
    """Return the table with more notes below it, as text unless the file has another suffix."""
    suffix = Path(args.output or "").suffix.lower()
    if suffix == ".tex":
        return table.to_latex(width=args.width) + "".join(f"% {note}\n" for note in notes)
    table = replace(table, notes=[*table.notes, *notes])
    if suffix == ".md":
        return table.to_markdown()
    if suffix == ".html":
        return table.to_html()
    return table.to_text(terminal.count_columns() if args.width is None else args.width)


def _name_best(
    results: TopicResults, table: PaperTable, judged: Runs, args: Namespace
) -> list[str]:
    """Return which runs may be best by each measure, of those that a table compares."""
    from pt_cumgain.comparing._datasets import find_blocks
    from pt_cumgain.comparing._may_be_best import may_be_best

    evident = results.frame[results.frame["name"].isin(results.find_evident())]
    evident = evident[evident["measure"].isin(table.measures.values())]
    if args.test == "none" or evident["name"].nunique() < 2:
        return []
    sentences = []
    frame = may_be_best(replace(results, frame=evident), confidence=args.confidence)
    for measure, name in read_names(table.measures.values()).items():
        of_measure = frame[frame["measure"] == measure]
        for block, rows in of_measure.groupby(find_blocks(frame), sort=False):
            dataset = [str(part) for part in block[:-1]]
            lead, *rest = _describe_lead([measure, *dataset], rows, results, judged, args)
            sentences += [f"{', '.join([name.write(), *dataset])}: {lead}", *rest]
    level = f"{100 * args.confidence:g}%"
    return [*sentences, f"May be best: no other is shown to be better (paired t-tests, {level})."]


def _describe_lead(
    block: Sequence[str], rows: pd.DataFrame, results: TopicResults, judged: Runs, args: Namespace
) -> Iterator[str]:
    """Yield which run leads by a measure, and on which it depends which runs are below it.

    ``block`` is the text of the measure, and the dataset if there are several.
    """
    from pt_cumgain.comparing._rounding import equate
    from pt_cumgain.trust._ranges import find_most

    measure, shares = block[0], results.shares_of(*block)
    words, means = PHRASES["lead"], equate(rows["mean"])
    is_first = means == means.max()
    highest = rows["name"][is_first].tolist()
    below = [run for run in results.names if run not in highest]  # also those that are not compared
    others = rows["name"][~is_first & rows["may_be_best"]].tolist()
    first = highest[0]
    has_range = judged and results.has_unjudged
    most = find_most(judged, measure, first, args.missing) if has_range else {}
    below.sort(key=lambda run: -most.get(run, 0.0))
    few = few_judged(shares)
    unsure = [run for run in below if run in few or first in few]
    above = [run for run in below if most[run] > 0] if most else unsure
    has_shares = judged or any(results.shares.values())
    may_lead = above if most else has_shares and not results.is_judged(*block)
    lead = words["judged"] if may_lead else words["best"]
    lead = words["highest"] if others else lead
    lead = words["shared"] if len(highest) > 1 else lead
    also = f"; {join_words(others)} {words['also']}" if others else ""
    yield f"{join_words(highest)} {lead} ({write_number(means.max(), args.decimals)}){also}."
    below = [run for run in unsure if run not in above]
    if most:
        above = [f"{run} (by up to {write_end(most[run], args.decimals, -1)})" for run in above]
        below = [f"{run} (by at least {write_end(-most[run], args.decimals, 1)})" for run in below]
    if above:
        verb = "could" if most else "may"
        yield f"{words['depends']} {_join_some(above)} {verb} be above {first}."
    if below:
        condition = "If unjudged documents beyond the cutoff are not relevant"
        yield f"{condition}, {_join_some(below)} cannot be above {first}."


def _join_some(runs: list[str]) -> str:
    return join_words(runs if len(runs) < 5 else [*runs[:3], f"{len(runs) - 3} others"])


def _list_tests(table: PaperTable) -> Iterator[str]:
    """Yield the rows of :func:`pt_cumgain.comparing.friedman`, if there are any, as sentences."""
    names = read_names(table.measures.values())
    for row in [] if table.tests is None else table.tests.reset_index().to_dict("records"):
        test = "Friedman chi2 = {statistic:.3f}, df = {df:g}, Kendall's W = {W:.3f}"
        if row["test"] == "Wilcoxon":
            test = "Wilcoxon W = {statistic:.3f}"
        over = f"({row['systems']} runs, {row['topics']} {table.unit}s)"
        name = names[row["measure"]].write() + (f", {row['dataset']}" if "dataset" in row else "")
        yield f"{name}: {test.format_map(row).replace('nan', '–')}, {write_p(row['p'])} {over}"
