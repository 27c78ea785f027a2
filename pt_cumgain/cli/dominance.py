"""``pt-cumgain dominance``: which comparisons hold, whatever the weighting or the discount."""

from __future__ import annotations

import argparse

from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.outputs import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Print which run is better than which under every weighting of the relevance levels, under "
        "every discount, or however missing documents are judged: computed over all, not sampled."
    )
    inputs.add_runs(parser, "such as nDCG@10; repeat it for more")
    parser.add_argument(
        "--over",
        choices=("gains", "discount", "both", "judgments", "pool"),
        default="gains",
        help="what is chosen: judgments are of any unjudged document, pool is of those within the "
        "cutoff of one of the runs, if no other is relevant (%(default)s)",
    )
    inputs.add_baseline(parser, "compare each run with this one only")
    parser.add_argument("--places", "-p", type=int, default=3, help="decimal places (%(default)s)")
    parser.add_argument(
        "--output",
        "-o",
        help="write a map of the weightings that shows which run has the highest mean where: .pdf, "
        ".png or .svg (needs the extra plot)",
    )
    parser.add_argument(
        "--csv", help="write the ranges here; - to print them instead of the sentences"
    )


def run(args: argparse.Namespace) -> None:
    """Print the comparisons, and write the table and the map."""
    from pt_cumgain.analysis.choices.dominance import dominance
    from pt_cumgain.presentation.description import describe_comparisons, summarise_comparisons

    if not 0 <= args.places <= inputs.MOST_PLACES:
        raise UsageError(f"--places (-p) must be from 0 to {inputs.MOST_PLACES}, not {args.places}")
    if args.output and args.over != "gains":
        raise UsageError(f"--output is a map of weightings; leave --over {args.over} out")
    measures = inputs.parse_measures(args.measure)
    paths = inputs.name_runs(args.runs)
    files = outputs.check_files([args.output, args.csv], [args.qrels, *paths.values()])
    outputs.check_picture(args.output)
    qrels, runs = inputs.load_runs(args.qrels, paths)
    with outputs.usage_errors():
        options = {"scores": args.scores, "baseline": args.baseline}
        frame = dominance(runs, None, qrels, measures, over=args.over, **options)
        if args.output:
            from pt_cumgain import plots
            from pt_cumgain.analysis.choices.weighting_map import weighting_map

            table = weighting_map(runs, None, qrels, measures, scores=args.scores)
            figure = plots.plot_weightings(table)
            outputs.write_file(args.output, lambda path: plots.save(figure, path))
    if args.csv != "-":
        lines = [*summarise_comparisons(frame), *describe_comparisons(frame, args.places)]
        print(*map(outputs.wrap_line, lines), sep="\n")
    outputs.write_csv(args.csv, frame)
    outputs.tell_written(files, on_error=True)
