"""Find the comparisons of runs that hold under every weighting of the relevance levels.

Each comparison is printed with the range of its difference. With --over, the discount or the
missing judgments vary instead. All choices are covered, not a sample of them. The map needs the
extra plot.
"""

from __future__ import annotations

import argparse
from typing import Any

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.writing.phrases import write_end


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain dominance qrels.txt bm25.res.gz dph.res.gz -o map.pdf"
    arguments.add_files(parser)
    text = (
        "what varies; with judgments, any unjudged document may be relevant, with pool, only "
        "those that a run returns within the cutoff"
    )
    data = arguments.add_input(parser, "such as nDCG@10; repeat it for more")
    arguments.add_choice(data, "over", text)
    arguments.add_baseline(parser.add_argument_group("comparison"))
    output = parser.add_argument_group("output")
    arguments.add_decimals(output)
    text = "write a map of the best run by weighting: .pdf, .png or .svg"
    output.add_argument("--output", "-o", help=text)
    text = "write the ranges to this CSV file; - prints them instead of the tables"
    output.add_argument("--csv", help=text)


def run(args: argparse.Namespace) -> None:
    """Print the comparisons, and write the table and the map."""
    from pt_cumgain.trust._dominance import dominance

    if args.output and args.over != "gains":
        raise UsageError(f"--output is a map of weightings; omit --over {args.over}")
    measures = inputs.parse_measures(args.measure)
    files, qrels, runs = inputs.open_files(args)
    options: Any = {"scores": args.scores, "verbose": terminal.shows_progress()}
    compared = {"over": args.over, "baseline": args.baseline}
    frame = dominance(runs, None, qrels, measures, **compared, **options)
    if args.output:
        from pt_cumgain import plots
        from pt_cumgain.trust._weighting_map import weighting_map

        table = weighting_map(runs, None, qrels, measures, **options)
        plots.save(plots.plot_weightings(table), args.output)
    if args.csv != "-":
        _print_ranges(frame, args.decimals)
    outputs.write_csv(args.csv, frame)
    outputs.tell_written(files, on_error=not args.output or args.csv == "-")


#: Which way an end is rounded, so that no printed range is narrower than the true one.
_SIDES = {"difference": 0, "least": 1, "most": -1}
#: The heads that are not columns of the frame.
_HEADS = {"least_at": "where least", "most_at": "where most"}


def _print_ranges(frame: pd.DataFrame, decimals: int) -> None:
    """Print a table for each measure."""
    for measure, pairs in frame.groupby("measure", sort=False):
        shown = pairs.drop(columns=["measure", "exact"]).rename(columns=_HEADS)
        for column, side in _SIDES.items():
            shown[column] = [write_end(value, decimals, side) for value in shown[column]]
        text = shown.to_string(index=False, line_width=terminal.count_columns())
        print(f"{measure}:\n{text}")
