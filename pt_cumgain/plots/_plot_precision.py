"""P-R curves for each relevance level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pt_cumgain.options import checked
from pt_cumgain.papers._by_level import RECALL
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import LINE, LineOptions, Panels, check_frame, count_in

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The list of names in a corner without lines, the upper right one if it is free.
_LIST: Any = {"labelcolor": "linecolor", "fontsize": style.SMALL, "frameon": False}
_LIST |= {"handlelength": 1, "borderpad": 0, "labelspacing": 0.15, "markerfirst": False}


@checked(unpacks=LineOptions)
def plot_precision(table: pd.DataFrame, **options: Unpack[LineOptions]) -> Any:
    """Plot P-R curves, a panel for each relevance level: SIGIR 2000, figure 1.

    The names of coloured lines are in a corner of each panel, that with the highest
    mean precision first.

    Parameters
    ----------
    table
        The means that :func:`pt_cumgain.papers.precision_by_level` returned.
    highlight, styles, figsize, ax
        As for :func:`plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`plot_curves`.

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_curves`.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import pydocs
    >>> from pt_cumgain.papers import precision_by_level
    >>> from pt_cumgain.plots import plot_precision, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = precision_by_level(pydocs.runs(), topics, qrels)
    >>> figure = plot_precision(table, figsize=(7, 2.4))
    >>> save(figure, "precision.pdf")  # doctest: +SKIP
    """
    table = check_frame(table, ["name", "level", *RECALL], "table", once=["name", "level"])
    levels, names = sorted(table["level"].unique()), table["name"].unique().tolist()
    lowest = table[table["level"] == levels[0]].set_index("name")[[*RECALL]]
    panels = Panels(levels, names, lowest.mean(axis=1), **options)
    for axes, (level, rows) in zip(panels.axes, table.groupby("level")):
        points = rows.set_index("name")[[*RECALL]]
        order = points.mean(axis=1).sort_values(ascending=False, kind="stable").index.tolist()
        drawn = [axes.plot(RECALL, points.loc[name], **panels.lines[name])[0] for name in order]
        named = [line for line in drawn if line.get_color() != style.OTHERS["color"]]
        texts = [style.wrap(str(line.get_label()), 0.5 * panels.size[0]) for line in named]
        axes.legend(named, texts, **_LIST)
        title = f"relevance level {level}\n{count_in(rows, 'topics')[1:]}"
        panels.title(axes, level, title.strip())
        axes.set(xlim=(0, 1), ylim=(0, 1))
    panels.label("recall", "precision")
    return panels.finish(least=(0.4, 1.5 * LINE * style.count_lines("\n".join(texts))))
