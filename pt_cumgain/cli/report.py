"""``pt-cumgain report``: an interactive page.

Write an interactive page about TREC runs as a single HTML file. It shows which run leads under
which weighting of the levels, gain by rank, and the topics. Needs the extra report.

Parameters
----------
output
    The file to write, .html.
measure
    The measure to show first (%(default)s).
baseline
    The run to compare the others with (default: the run with the highest mean).
topics
    The topics to evaluate, with their texts: an ir_datasets id, or a file with an id, a tab and a
    text in each line (default: all topics of the qrels).
title
    The heading of the page (default: the numbers of topics and systems).
documents
    For each topic, let readers see the rankings of two systems side by side, down to the depth.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.declarations import RUNS
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.terminal import escape_controls

FUNCTIONS = ("presentation.report.report",)
PAGE = ("--baseline", "--depth", "--topics", "--title", "--documents", "--confidence")
ARGUMENTS = (*RUNS, "--output", *PAGE)
DIFFERS: dict[str, dict[str, Any]] = {
    "output": {"required": True},
    "measure": {"action": "store", "default": inputs.MEASURE},
    "title": {"type": escape_controls},
}


def run(args: argparse.Namespace) -> None:
    """Write the page."""
    from pt_cumgain.presentation.report import report

    if Path(args.output).suffix not in (".html", ".htm"):
        raise UsageError(f"--output {args.output} must end in .html")
    paths = inputs.name_runs(args.runs)
    sources = [args.qrels, *paths.values(), *([args.topics] if args.topics else [])]
    files = outputs.check_files([args.output], sources)
    measures = inputs.parse_measures([args.measure])
    if len(measures) > 1:
        raise UsageError(f"--measure {args.measure}: a page shows one measure first")
    topics = _load_topics(args.topics) if args.topics else None
    options = inputs.take_options(args, report) | {"measure": measures[0]}
    qrels, runs = inputs.load_runs(args.qrels, paths)
    with outputs.usage_errors():
        write = partial(report, runs, topics, qrels, **options)
        outputs.write_file(args.output, lambda path: write(path=path))
    outputs.tell_written(files, on_error=False)


def _load_topics(source: str) -> pd.DataFrame:
    """Read the ids and texts of topics from a file or, if no file has that name, ir_datasets."""
    if Path(source).is_file():
        with inputs.name_file(source):
            lines = Path(source).read_text("utf-8").splitlines()
        rows = [line.partition("\t")[::2] for line in lines if line.strip()]
    else:
        import ir_datasets

        import pt_cumgain.pydocs  # noqa: F401  # registers itself with ir_datasets

        try:
            queries = ir_datasets.load(source).queries_iter()
        except (AttributeError, KeyError):
            raise UsageError(
                f"no topics {source!r}: neither a file nor an ir_datasets id with queries"
            ) from None
        rows = [(query.query_id, query.default_text()) for query in queries]
    return pd.DataFrame(rows, columns=["qid", "query"])
