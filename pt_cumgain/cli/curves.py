"""``pt-cumgain curves``: gain by rank, or by query of a session, as a picture and as a table.

Plot the gain of TREC runs at each rank, together with the ideal; for session measures, query by
query. Needs the extra plot.

Parameters
----------
measure
    Such as CG or "nDCG(gains='0-1-10-100')"; repeat it for more panels (nDCG@10).
depth
    The last rank (100).
output
    Write the picture: .pdf, .png or .svg.
csv
    Write the curves as CSV; - for standard output.
log_rank
    Draw ranks on a logarithmic scale.
"""

from __future__ import annotations

import argparse
from typing import Any

from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.declarations import RUNS
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.measures import SessionMeasure

FUNCTIONS = ("analysis.evaluation.evaluate", "presentation.plots.curve_panels.plot_curves")
ARGUMENTS = (*RUNS, "--depth", "--output", "--csv", "--missing", "--log-rank")


def run(args: argparse.Namespace) -> None:
    """Write the picture, the table, or both."""
    from pt_cumgain.analysis.reading.gain_curves import gain_curves
    from pt_cumgain.analysis.reading.session_curves import session_curves

    if not (args.output or args.csv):
        raise UsageError("give --output (-o) for a picture, --csv for the table, or both")
    measures = inputs.parse_measures(args.measure)
    by_session = all(isinstance(measure, SessionMeasure) for measure in measures)
    if by_session and (args.depth is not None or args.log_rank):
        raise UsageError("--depth and --log-rank are not for sessions; give cutoffs: sDCG@10")
    args.depth = 100 if args.depth is None else args.depth
    files, qrels, runs = inputs.open_files(args)
    compute: Any = session_curves if by_session else gain_curves
    with outputs.usage_errors():
        options = inputs.take_options(args, compute) | {"verbose": len(runs) > 1}
        frame = compute(runs, None, qrels, measures, **options)
        if args.output:
            from pt_cumgain import plots

            plot: Any = plots.plot_session_curves if by_session else plots.plot_curves
            figure = plot(frame, **inputs.take_options(args, plot))
            outputs.write_file(args.output, lambda path: plots.save(figure, path))
    outputs.write_csv(args.csv, frame)
    outputs.tell_written(files, on_error=args.csv == "-")
