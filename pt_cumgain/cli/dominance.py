"""``pt-cumgain dominance``: which comparisons hold, whatever the weighting or the discount.

Print which runs are better than others under every weighting of the relevance levels, under every
discount, or whatever the missing judgments are. All choices are covered, not a sample of them.

Parameters
----------
measure
    Such as nDCG@10; repeat it for more (nDCG@10).
over
    What varies; with judgments, any unjudged document may be relevant, with pool, only those that a
    run returns within the cutoff (%(default)s).
baseline
    Compare each run with this one only.
output
    Write a map that shows which run has the highest mean under which weighting: .pdf, .png or .svg
    (needs the extra plot).
csv
    Write the ranges to this CSV file; - prints them instead of the tables.
"""

from __future__ import annotations

import argparse

from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.declarations import RUNS
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal

FUNCTIONS = ("analysis.choices.dominance.dominance",)
ARGUMENTS = (*RUNS, "--over", "--baseline", "--places", "--output", "--csv")


def run(args: argparse.Namespace) -> None:
    """Print the comparisons, and write the table and the map."""
    from pt_cumgain.analysis.choices.dominance import dominance
    from pt_cumgain.presentation.dominance_tables import tabulate_comparisons

    if args.output and args.over != "gains":
        raise UsageError(f"--output is a map of weightings; leave --over {args.over} out")
    measures = inputs.parse_measures(args.measure)
    files, qrels, runs = inputs.open_files(args)
    with outputs.usage_errors():
        options = inputs.take_options(args, dominance)
        options["verbose"] = terminal.shows_progress()
        frame = dominance(runs, None, qrels, measures, **options)
        if args.output:
            from pt_cumgain import plots
            from pt_cumgain.analysis.choices.weighting_map import weighting_map

            table = weighting_map(runs, None, qrels, measures, scores=args.scores)
            figure = plots.plot_weightings(table)
            outputs.write_file(args.output, lambda path: plots.save(figure, path))
    if args.csv != "-":
        outputs.print_tables(tabulate_comparisons(frame, args.over, args.places))
    outputs.write_csv(args.csv, frame)
    outputs.tell_written(files, on_error=True)
