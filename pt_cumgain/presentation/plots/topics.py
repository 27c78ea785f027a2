"""Systems compared topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.results import Results, as_results, check_system, one_measure
from pt_cumgain.core import Floats
from pt_cumgain.presentation.plots.panels import PANEL, Panels, Room, Size, Titles, named
from pt_cumgain.presentation.plots.style import COLOURS, IDEAL, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: As many topics' ids fit under the bars of a panel of the usual width.
_NAMED_BARS = 30
_OURS = "_topic"


def plot_topics(
    results: Results,
    measure: str | None = None,
    *,
    baseline: str | int | None = None,
    system: str | int | None = None,
    columns: int | None = None,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Any:
    """Draw each topic's difference of a system to a baseline, sorted, with wins and losses counted.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: a value of every system for every topic,
        as ``pt.Experiment(..., perquery=True)`` returns them.
    measure
        Which measure, if there are several.
    baseline
        The system that the others are compared with: its name, or its place in
        the results, from 0 (``pt.Experiment`` sorts its results by name).
    system
        The one system to compare with it; by default there is a panel for every
        other system.
    columns
        The number of columns of panels; by default up to three.
    figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        What stands for the measure, or for systems, in the titles: a mapping. A
        text is the title of the only panel.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`. A topic is won if
        the system's value is higher than the baseline's, tied if they are
        equal. Where the topics' ids do not fit under the bars, the extreme ones
        are named.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If a column is missing, the measure is unknown or there are several to
        choose from, a system is none of those in the results, or a system has
        no value, NaN or two values for a topic.

    Examples
    --------
    >>> rows = [("A", "1", "CG", 1.0), ("A", "2", "CG", 3.0), ("B", "1", "CG", 2.0)]
    >>> rows.append(("B", "2", "CG", 3.0))
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(plot_topics(results, baseline="A").axes[0].get_title())
    CG: B − A
    1 win, 1 tie, 0 losses
    """
    chosen = {"baseline": baseline} if system is None else {"baseline": baseline, "system": system}
    label, matrix, (baseline, *_) = _of_systems(results, measure, chosen)
    others = [name for name in matrix if name != baseline]
    differences = matrix[others].sub(matrix[baseline], axis=0)
    topics = len(differences)
    if columns is None and figsize is None and ax is None and len(others) == 1:
        wide = topics > _NAMED_BARS
        figsize = (2 * PANEL[0] if wide else PANEL[0], PANEL[1] + 0.2)
    names, title = named({label: label, **{name: str(name) for name in matrix}}, titles)
    size = PANEL[0], PANEL[1] + 0.1
    panels = Panels(others, columns=columns, figsize=figsize, ax=ax, titles=title, size=size)
    if len(others) > 1:
        above = panels.figure.suptitle("")
        panels.text(above, f"{names[label]}, difference to {names[baseline]}", among="figure")
    for axes, name in zip(panels.axes, others):
        bars = differences[name].sort_values(ascending=False, kind="stable")
        colours = np.where(bars > 0, COLOURS[0], COLOURS[1])
        axes.bar(range(topics), bars, color=colours)
        axes.axhline(0, color="0.3", linewidth=0.8)
        axes.set_xlim(-0.7, topics - 0.3)
        heading = names[name]
        if len(others) == 1:
            heading = f"{names[label]}: {heading} − {names[baseline]}"
        panels.title(axes, name, f"{heading}\n{_counted(bars)}")
        panels.labels(axes, f"{topics} topics", "difference", xlabel, ylabel)
        panels.extras.append(partial(_name_bars, axes, bars, differences.to_numpy()))
    return panels.finish()


def _name_bars(axes: Axes, bars: pd.Series, every: Floats, room: Room) -> None:
    """Write the topics' ids under their bars or, where they do not fit, those of the extreme ones.

    ``every`` has the bars of all panels, which have the same limits.
    """
    topics = len(bars)
    named = topics <= _NAMED_BARS * room.width / PANEL[0]
    for bar in axes.patches:
        bar.set_linewidth(0 if named else 0.5)
    for text in list(axes.texts):
        if text.get_label() == _OURS:  # the user may have added others
            text.remove()
    axes.set_ylim(*_limits(np.sort(every, axis=0)[::-1], corners=not named))
    ids = [plain(qid) for qid in shortened([str(qid) for qid in bars.index], 12)]
    if named:
        beside = topics * (max(map(len, ids)) + 2) <= 12 * room.width
        axes.set_xticks(range(topics), ids, rotation=0 if beside else 90)
        axes.tick_params(axis="x", length=0, labelsize=room.small - (1 if beside else 2))
        return
    axes.set_xticks([])
    if room.height < 1.2:
        return
    texts = [qid + f": {bar:+.3f}".replace("-", "−") for qid, bar in zip(ids, bars)]
    best = texts[: min(3, (bars > 0).sum())]
    worst = texts[max(topics - 3, (bars >= 0).sum()) :]
    corner: dict[str, Any] = {
        "transform": axes.transAxes,
        "fontsize": room.small - 1,
        "label": _OURS,
    }
    axes.text(0.99, 0.99, "\n".join(best), ha="right", va="top", **corner)
    axes.text(0.01, 0.01, "\n".join(worst), ha="left", va="bottom", **corner)


def plot_pair(
    results: Results,
    measure: str | None = None,
    *,
    x: str | int | None = None,
    y: str | int | None = None,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Any:
    """Draw two systems' values against each other, a point for each topic.

    Topics above the diagonal are won by the vertical axis's system. Those
    farthest from it are named, where there is room.

    Parameters
    ----------
    results, measure
        As for :func:`plot_topics`.
    x, y
        The systems of the horizontal and the vertical axis; may be left out if
        there are just two.
    figsize, ax, titles, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`; the labels are the systems'
        names by default.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_topics`.

    Examples
    --------
    >>> rows = [("A", "q1", "CG", 1.0), ("A", "q2", "CG", 3.0)]
    >>> rows += [("B", "q1", "CG", 2.0), ("B", "q2", "CG", 3.0)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> axes = plot_pair(results).axes[0]
    >>> print(axes.get_title())
    CG, 2 topics
    B: 1 win, 1 tie, 0 losses
    >>> [text.get_text() for text in axes.texts]
    ['q1']
    """
    if x is None and y is None:
        label, matrix = one_measure(results, measure)
        if len(matrix.columns) > 2:
            raise ValueError(f"choose two systems, x and y; there are {list(matrix)}")
        x, y = matrix.columns
    else:
        label, matrix, (x, y) = _of_systems(results, measure, {"x": x, "y": y})
    names, title = named({label: label, **{name: str(name) for name in (x, y)}}, titles)
    panels = Panels([label], figsize=figsize, ax=ax, titles=title, size=(PANEL[0], PANEL[0] + 0.3))
    (axes,) = panels.axes
    axes.grid(color="0.92", linewidth=0.6)
    values = matrix[[x, y]].to_numpy()
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    margin = 0.04 * (high - low or 1.0)
    ends = low - margin, high + margin
    axes.plot(ends, ends, **IDEAL)
    axes.scatter(values[:, 0], values[:, 1], s=16, color=COLOURS[0], alpha=0.6, linewidths=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    difference = matrix[y] - matrix[x]
    panels.labels(axes, names[x], names[y], xlabel, ylabel)
    counts = f"{names[y]}: {_counted(difference)}"
    panels.title(axes, label, f"{names[label]}, {len(matrix)} topics\n{counts}")
    apart = difference[difference != 0].abs().sort_values(ascending=False, kind="stable")
    which = matrix.index.get_indexer(apart.index)[:8]
    panels.extras.append(partial(_name_points, axes, values, which, list(matrix.index), ends))
    return panels.finish()


def _of_systems(
    results: Results, measure: str | None, chosen: dict[str, str | int | None]
) -> tuple[str, pd.DataFrame, list[str]]:
    """Return a measure, its matrix and the systems' names; of two systems, those alone."""
    results = as_results(results)
    names = results["name"].unique().tolist()
    systems = []
    for argument, system in chosen.items():
        if system is None:
            raise ValueError(f"choose a system as {argument}; there are {names}")
        systems.append(check_system(system, names, argument))
    if len(systems) == 2:
        if systems[0] == systems[1]:
            raise ValueError(f"{' and '.join(chosen)} are the same system, {systems[0]!r}")
        results = results[results["name"].isin(systems)]
    return *one_measure(results, measure), systems


def _counted(differences: pd.Series) -> str:
    """Return ``"19 wins, 2 ties, 9 losses"``."""
    counts = {
        ("win", "wins"): (differences > 0).sum(),
        ("tie", "ties"): (differences == 0).sum(),
        ("loss", "losses"): (differences < 0).sum(),
    }
    return ", ".join(f"{n} {one if n == 1 else more}" for (one, more), n in counts.items())


def _limits(descending: Floats, *, corners: bool) -> tuple[float, float]:
    """Return limits for columns of bars, with empty upper right and lower left corners if asked."""
    low, high = min(descending.min(), 0.0), max(descending.max(), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    if corners:
        middle, share = descending[len(descending) // 2], 0.25
        high = max(high, (middle.max() - share * low) / (1 - share))
        low = min(low, (middle.min() - share * high) / (1 - share))
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _name_points(
    axes: Axes, points: Floats, which: Any, labels: list[Any], ends: tuple[float, float], room: Room
) -> None:
    """Write labels where they hide no point and no other label, and no other point is as near."""
    for text in list(axes.texts):
        if text.get_label() == _OURS:
            text.remove()
    axes.figure.canvas.figure.draw_without_rendering()  # then it is known where everything lies
    axes.set_yticks([tick for tick in axes.get_xticks() if ends[0] <= tick <= ends[1]])
    axes.set_xticks(axes.get_yticks())
    page = axes.get_window_extent()
    pixels = axes.transData.transform(points)
    unit = axes.figure.canvas.figure.dpi / 72
    taken = [(*(xy - 2 * unit), *(xy + 2 * unit)) for xy in pixels]
    for i in which:
        sides = [("right", "center"), ("center", "bottom"), ("right", "bottom"), ("left", "bottom")]
        sides += [("left", "center"), ("center", "top"), ("left", "top"), ("right", "top")]
        if points[i, 1] < points[i, 0]:
            sides = sides[4:] + sides[:4]
        for ha, va in sides:
            shift = {"right": -4, "left": 4, "center": 0}[ha], {"top": -4, "bottom": 4}.get(va, 0)
            text = axes.annotate(
                plain(shortened([str(labels[i])], 12)[0]), points[i], shift,
                textcoords="offset points", ha=ha, va=va, fontsize=room.small - 1, label=_OURS,
            )  # fmt: skip
            x0, y0, x1, y1 = text.get_window_extent().extents
            apart = all(x1 <= a or c <= x0 or y1 <= b or d <= y0 for a, b, c, d in taken)
            away = np.maximum(np.maximum([x0, y0] - pixels, pixels - [x1, y1]), 0)
            distance = np.hypot(*away.T)
            others = (points != points[i]).any(axis=1)
            own = distance[i] + 2 * unit < distance[others].min(initial=np.inf)
            inside = page.x0 <= x0 and page.y0 <= y0 and x1 <= page.x1 and y1 <= page.y1
            if apart and own and inside:
                taken.append((x0, y0, x1, y1))
                break
            text.remove()
