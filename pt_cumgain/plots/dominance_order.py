"""The order of systems that holds under every choice."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.options import checked
from pt_cumgain.plots.panels import PAGE, PANEL, PanelOptions, Panels, check_frame
from pt_cumgain.plots.style import IDEAL, cells, plain, shorten

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What lines and boxes mean, below the panels.
MEANING = "lines lead down to systems that are never better; black box: none is shown to be better"


@checked(unpacks=PanelOptions)
def plot_dominance(pairs: pd.DataFrame, **options: Unpack[PanelOptions]) -> Any:
    """Draw the order of systems that holds under every choice, a panel for each measure.

    A line leads down from a system to one that it is at least as good as under
    every choice, unless a third is between them (the transitive reduction).
    Systems that are not connected by a downward path have no certain order.
    Systems that are equal under every choice share a box. A box is black if no
    other system is shown to be better, otherwise grey.

    Parameters
    ----------
    pairs
        The result of :func:`pt_cumgain.dominance`, of all pairs.
    columns, figsize, ax, titles, xlabel, ylabel
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
    >>> columns = ["measure", "name", "other", "verdict", "better"]
    >>> rows = [("CG", "A", "B", "holds", "A"), ("CG", "A", "C", "holds", "A")]
    >>> frame = pd.DataFrame([*rows, ("CG", "B", "C", "depends", "")], columns=columns)
    >>> [text.get_text() for text in plot_dominance(frame).axes[0].texts]
    ['A', 'B', 'C']
    """
    once = ["measure", "name", "other"]
    hint = "; dominance returns such a frame"
    pairs = check_frame(pairs, [*once, "verdict", "better"], "pairs", once=once, hint=hint)
    orders = {str(m): _read_order(rows) for m, rows in pairs.groupby("measure", sort=False)}
    longest = max(cells(name) for names, *_ in orders.values() for name in names)

    def room(most: int) -> int:
        """Return how many letters the widest level needs, if names have at most so many."""
        needed = [(down, _widths(names, down, most)) for names, _, down, _ in orders.values()]
        return max(int(np.bincount(*each).max()) for each in needed)

    deep = max(down.max() for _, _, down, _ in orders.values()) + 1
    size = min(max(PANEL[0], room(longest) / 13), PAGE), 1 + 0.5 * deep
    panels = Panels(list(orders), size=size, **options)

    def fits(most: int, size: float) -> bool:
        return room(most) <= panels.letters(panels.width, size)

    letters: float = next((n for n in range(panels.small, 6, -1) if fits(longest, n)), 6)
    most = next((n for n in range(longest, 4, -1) if fits(n, letters)), 4)
    letters = min(letters, 100 * panels.width / room(most), 40 * panels.height / (deep + 1))
    for axes, (measure, (names, better, down, lines)) in zip(panels.axes, orders.items()):
        x = _spread(down, lines, _widths(names, down, most))
        for line in lines:
            axes.plot(x[line], -down[line], color=IDEAL["color"], linewidth=1, zorder=1)
        for i, name in enumerate(map(plain, shorten(names, most))):
            text = axes.text(x[i], -down[i], name, ha="center", va="center", zorder=2)
            edge = "0.7" if better[:, i].any() else "black"
            text.set(fontsize=letters, bbox={"facecolor": "white", "edgecolor": edge, "pad": 2})
        axes.set(xlim=(0, 1), ylim=(0.5 - deep, 0.5), xticks=[], yticks=[])
        panels.hide_frame(axes)
        panels.label(axes, measure, MEANING, "")
    return panels.finish()


def _read_order(rows: pd.DataFrame) -> tuple[list[str], NDArray[np.bool_], Ints, list[list[int]]]:
    """Return the systems of a measure, equal ones as one; which is better; levels; and lines.

    A line is a list of places: of systems and, after them, of bends. A line that passes a level has
    a bend there, which has room of its own, so that it does not run through a system.
    """
    rows = rows[rows["verdict"] != "unjudged"]
    names = list(dict.fromkeys([*rows["name"], *rows["other"]]))
    if not names:
        raise ValueError("there is no pair of systems that return judged documents")
    if 2 * len(rows) != len(names) * (len(names) - 1):
        raise ValueError("the picture is of all pairs; leave baseline out of dominance")
    place = {name: i for i, name in enumerate(names)}
    holds = rows[rows["verdict"] == "holds"]
    at_least = np.eye(len(names), dtype=bool)
    for one, other, winner in holds[["name", "other", "better"]].to_numpy():
        at_least[place[one], place[other]] |= winner in (one, "")
        at_least[place[other], place[one]] |= winner in (other, "")
    equal = at_least & at_least.T
    first = equal.argmax(axis=1)  # of each group of equal systems
    kept = np.unique(first)
    texts = [" = ".join(str(names[j]) for j in np.flatnonzero(equal[i])) for i in kept]
    better = (at_least & ~equal)[np.ix_(kept, kept)]
    levels = np.zeros(len(kept), dtype=np.int64)
    for _ in kept:
        levels = np.where(better, levels[:, None] + 1, 0).max(axis=0)
    covers = better & ~(better.astype(int) @ better.astype(int) > 0)
    down, lines = levels.tolist(), []
    for i, j in np.argwhere(covers).tolist():
        passed = range(levels[i] + 1, levels[j])
        lines.append([i, *range(len(down), len(down) + len(passed)), j])
        down += passed
    return texts, better, np.array(down), lines


def _widths(names: list[str], down: Ints, most: int) -> Floats:
    """Return how many letters each place needs."""
    boxes = [min(cells(name), most + 1) + 3 for name in names]  # a sign of omission is wide
    return np.array(boxes + [2.0] * (len(down) - len(boxes)))


def _spread(down: Ints, lines: list[list[int]], widths: Floats) -> Floats:
    """Return how far right each place is: below those that lines join it with, if there is room."""
    links = np.array([link for line in lines for link in pairwise(line)]).reshape(-1, 2)
    x = np.zeros(len(down))
    for level in range(down.max() + 1):
        row = np.flatnonzero(down == level)
        above = [links[links[:, 1] == i, 0] for i in row]
        wish = [x[places].mean() if len(places) else 0.0 for places in above]
        row = row[np.argsort(wish, kind="stable")]
        x[row] = (np.cumsum(widths[row]) - widths[row] / 2) / widths[row].sum()
    return x
