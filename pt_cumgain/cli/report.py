"""Write an interactive page about runs as a single HTML file.

It shows which run leads under which weighting of the levels, gain by rank, and the topics. Needs
the extra report.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.files import check_suffix
from pt_cumgain.environment.terminal import escape_controls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain report qrels.txt bm25.res.gz dph.res.gz -o report.html"
    arguments.add_files(parser)
    text = (
        "the topics to evaluate, with their texts: an ir_datasets id, or a file with an id, a tab "
        "and a text in each line (default: all topics of the qrels)"
    )
    arguments.add_input(parser, "measure shown first").add_argument("--topics", "-t", help=text)
    comparison = parser.add_argument_group("comparison")
    text = "the run to compare the others with (default: the run with the highest mean)"
    arguments.add_baseline(comparison, text)
    arguments.add_confidence(comparison)
    output = parser.add_argument_group("output")
    output.add_argument("--output", "-o", required=True, help="the file to write, .html")
    arguments.add_depth(output, "the last rank that the page covers")
    text = "heading (default: numbers of topics and systems)"
    output.add_argument("--title", type=escape_controls, help=text)
    text = "let readers see the rankings of two systems side by side, for each topic"
    output.add_argument("--documents", action="store_true", help=text)


def run(args: argparse.Namespace) -> None:
    """Write the page."""
    from pt_cumgain.page.report import SUFFIXES, report

    check_suffix(f"--output {args.output}", args.output, SUFFIXES)
    baseline, *others = args.baseline or [None]
    if others:
        raise UsageError(f"--baseline {' '.join(args.baseline)}: give it only once")
    measures = inputs.parse_measures(args.measure)
    if len(measures) > 1:
        raise UsageError(f"--measure {' '.join(args.measure)}: a page shows one measure first")
    paths = inputs.name_runs(args.runs)
    files = outputs.check_files([args.output], [args.qrels, args.topics, *paths.values()])
    topics = _load_topics(args.topics) if args.topics else None
    qrels, runs = inputs.load_runs(args, paths)
    options = {"confidence": args.confidence, "scores": args.scores, "title": args.title}
    options |= {"depth": args.depth, "documents": args.documents}
    report(runs, topics, qrels, measures[0], path=args.output, baseline=baseline, **options)
    outputs.tell_written(files, on_error=False)


def _load_topics(source: str) -> pd.DataFrame:
    """Read the ids and texts of topics from a file or, if no file has that name, ir_datasets."""
    if Path(source).is_file():
        with outputs.usage_errors(source):
            lines = Path(source).read_text("utf-8").splitlines()
        rows = [line.partition("\t")[::2] for line in lines if line.strip()]
    else:
        import ir_datasets

        inputs.register_pydocs()
        try:
            queries = ir_datasets.load(source).queries_iter()
        except (AttributeError, KeyError):
            raise UsageError(
                f"no topics {source!r}: neither a file nor an ir_datasets id with queries"
            ) from None
        rows = [(query.query_id, query.default_text()) for query in queries]
    return pd.DataFrame(rows, columns=["qid", "query"])
