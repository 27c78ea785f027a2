"""Which rank each system may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pt_cumgain.options import checked
from pt_cumgain.presentation.plots.panels import PANEL, Legend, PanelOptions, Panels, check_frame
from pt_cumgain.presentation.plots.style import IDEAL

if TYPE_CHECKING:
    from typing_extensions import Unpack


@checked
def plot_ranks(
    ranks: pd.DataFrame, *, legend: Legend = True, **options: Unpack[PanelOptions]
) -> Any:
    """Draw the rank of each system and those that it may have, a panel for each measure.

    A filled point is the rank of a system that may be the best, an open one that
    of a system that another is significantly better than.

    Parameters
    ----------
    ranks
        ``measure, name, rank, low, high, may_be_best``, as
        :func:`pt_cumgain.rank_intervals` returns them, of one dataset. The
        systems are in the order of their ranks under the first measure.
    legend, columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame is empty, lacks a column, or has a system twice.

    Examples
    --------
    >>> columns = ["measure", "name", "rank", "low", "high", "may_be_best"]
    >>> rows = [("CG", "A", 2, 1, 2, True), ("CG", "B", 1, 1, 2, True)]
    >>> axes = plot_ranks(pd.DataFrame(rows, columns=columns)).axes[0]
    >>> [text.get_text() for text in axes.get_yticklabels()]
    ['B', 'A']
    """
    once, hint = ["measure", "name"], "; rank_intervals returns such ranks, choose one dataset"
    check_frame(ranks, [*once, "rank", "low", "high", "may_be_best"], "ranks", once=once, hint=hint)
    measures = ranks["measure"].unique().tolist()
    first = ranks[ranks["measure"] == measures[0]].sort_values("rank", kind="stable")
    order = {name: i for i, name in enumerate(dict.fromkeys([*first["name"], *ranks["name"]]))}
    size = PANEL[0], min(0.9 + 0.16 * len(order), 11)
    panels = Panels(measures, size=size, grid="x", **options)
    for axes, (measure, rows) in zip(panels.axes, ranks.groupby("measure", sort=False)):
        places = rows["name"].map(order)
        style = {"color": IDEAL["color"], "linewidth": 1.3, "label": "ranks that it may have"}
        axes.hlines(places, rows["low"], rows["high"], **style)
        for best, label in ((True, "may be the best"), (False, "another is significantly better")):
            chosen = rows["may_be_best"] == best
            fill = "black" if best else "white"
            style = {"color": "black", "markersize": 4, "markerfacecolor": fill, "label": label}
            axes.plot(rows["rank"][chosen], places[chosen], "o", **style)
        panels.mark_ranks(axes, len(order))
        panels.label(axes, measure, "rank", "")
    return panels.list_down(order, legend)
