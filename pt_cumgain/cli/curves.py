"""Plot the gain of runs at each rank, together with the ideal.

For session measures, the gain is plotted query by query. Needs the extra plot.
"""

from __future__ import annotations

import argparse
from typing import Any

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment import terminal
from pt_cumgain.measures import SessionMeasure
from pt_cumgain.options import DEPTH


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain curves qrels.txt bm25.res.gz -m CG -m nDCG -o curves.pdf"
    arguments.add_files(parser)
    text = "such as CG or \"nDCG(gains='0-1-10-100')\"; repeat it for more panels"
    arguments.add_choice(arguments.add_input(parser, text), "missing")
    output = parser.add_argument_group("output")
    arguments.add_depth(output, "the last rank")
    output.add_argument("--output", "-o", help="write the figure: .pdf, .png or .svg")
    output.add_argument("--csv", help="write the curves as CSV; - for standard output")


def run(args: argparse.Namespace) -> None:
    """Write the picture, the table, or both."""
    from pt_cumgain.curves import gain_curves
    from pt_cumgain.sessions._session_curves import session_curves

    if not (args.output or args.csv):
        raise UsageError("give --output (-o) for a picture, --csv for the table, or both")
    measures = inputs.parse_measures(args.measure)
    by_session = all(isinstance(measure, SessionMeasure) for measure in measures)
    if by_session and args.depth != DEPTH:
        raise UsageError("--depth is not for sessions; give cutoffs: sDCG@10")
    files, qrels, runs = inputs.open_files(args)
    options: dict[str, Any] = {"missing": args.missing, "scores": args.scores}
    options["verbose"] = len(runs) > 1 and terminal.shows_progress()
    if by_session:
        frame = session_curves(runs, None, qrels, measures, **options)
    else:
        frame = gain_curves(runs, None, qrels, measures, args.depth, **options)
    if args.output:
        from pt_cumgain import plots

        draw = plots.plot_session_curves if by_session else plots.plot_curves
        plots.save(draw(frame), args.output)
    outputs.write_csv(args.csv, frame)
    outputs.tell_written(files, on_error=args.csv == "-")
