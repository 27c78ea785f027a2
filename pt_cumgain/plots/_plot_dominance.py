"""Which system is at least as good as which under every choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.options import checked
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import LINE, PANEL, Panels, PictureOptions, check_frame

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The colours of pairs whose order holds under every choice, and of the others.
_HOLDS, _DEPENDS = "#8ebedb", "#f8c8b3"


@checked(unpacks=PictureOptions)
def plot_dominance(pairs: pd.DataFrame, **options: Unpack[PictureOptions]) -> Any:
    """Plot which system is better than which under every choice, a panel for each measure.

    The names are on the diagonal. A blue cell means that the system at the left
    of its row is at least as good as the one at the foot of its column under
    every choice. An orange cell means that their order is open or depends on
    the choice. Systems are sorted by how many others they are at least as good
    as, so that all blue cells are above the diagonal.

    Parameters
    ----------
    pairs
        The result of :func:`pt_cumgain.dominance`, of all pairs.
    figsize, ax
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
        If the frame is empty, lacks a column, or does not have all pairs.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import dominance, nDCG, pydocs
    >>> from pt_cumgain.plots import plot_dominance, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> pairs = dominance(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> figure = plot_dominance(pairs)
    >>> save(figure, "order.pdf")  # doctest: +SKIP
    """
    once, hint = ["measure", "name", "other"], "; dominance returns such a frame"
    pairs = check_frame(pairs, [*once, "verdict", "better"], "pairs", once=once, hint=hint)
    pairs = pairs[pairs["verdict"] != "unjudged"]
    if not len(pairs):
        raise ValueError("there is no pair of systems that return judged documents")
    measures, most = pairs["measure"].map(str).unique().tolist(), pairs["name"].nunique()
    panels = Panels(measures, size=(max(PANEL[0], 0.2 * most), 1.5 + 0.2 * most), **options)
    from matplotlib.colors import ListedColormap  # is installed, or there would be no panels

    for axes, (measure, rows) in zip(panels.axes, pairs.groupby("measure", sort=False)):
        names = list(dict.fromkeys([*rows["name"], *rows["other"]]))
        if 2 * len(rows) != len(names) * (len(names) - 1):
            raise ValueError("the figure needs all pairs; call dominance without a baseline")
        table = pd.DataFrame(0, names, names)
        for one, other, verdict, better in rows[[*once[1:], "verdict", "better"]].to_numpy():
            table.loc[one, other] = int(verdict == "holds" and better != other)
            table.loc[other, one] = int(verdict == "holds" and better != one)
        order = table.sum(axis=1).sort_values(ascending=False, kind="stable").index
        above = table.loc[order, order].where(~np.tri(len(order), dtype=bool))
        axes.imshow(above, ListedColormap([_DEPENDS, _HOLDS]), aspect="auto", vmin=0, vmax=1)
        axes.set_axis_off()
        for i, name in enumerate(order):
            text = style.plain(style.wrap(str(name), 0.4 * panels.size[0]))
            axes.text(i + 0.45, i, text, ha="right", va="center", fontsize=style.SMALL)
        panels.title(axes, measure)
    key = {"left is at least as good as below under every choice": _HOLDS}
    key["order is open or depends on the choice"] = _DEPENDS
    return panels.finish(key, least=(0.4, most * LINE))
