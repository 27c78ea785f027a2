"""Systems compared topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.results import Results, as_results, check_system, one_measure
from pt_cumgain.core import Floats
from pt_cumgain.presentation.plots.panels import PANEL, PanelOptions, Panels, PictureOptions, takes
from pt_cumgain.presentation.plots.style import COLOURS, IDEAL, plain, shortened
from pt_cumgain.presentation.plots.titles import split_titles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

#: As many topics' ids fit under the bars of a panel of the usual width.
_NAMED_BARS = 30


@takes(PanelOptions)
def plot_topics(
    results: Results,
    measure: str | None = None,
    *,
    baseline: str | int | None = None,
    system: str | int | None = None,
    **options: Unpack[PanelOptions],
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
    columns, figsize, ax, xlabel, ylabel
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
    names, options["titles"] = split_titles(options.get("titles"), label, *matrix)
    wide = len(others) == 1 and topics > _NAMED_BARS
    size = PANEL[0] * (1 + wide), PANEL[1] + (0.2 if len(others) == 1 else 0.1)
    panels = Panels(others, size=size, **options)
    if len(others) > 1:
        whole = f"{names[label]}, difference to {names[baseline]}"
        panels.write(panels.figure.suptitle(""), whole, panels.width * panels.columns - 0.5)
    named = topics <= _NAMED_BARS * panels.width / PANEL[0]
    limits = _limits(np.sort(differences.to_numpy(), axis=0)[::-1], corners=not named)
    for axes, name in zip(panels.axes, others):
        bars = differences[name].sort_values(ascending=False, kind="stable")
        colours = np.where(bars > 0, COLOURS[0], COLOURS[1])
        axes.bar(range(topics), bars, color=colours, linewidth=0 if named else 0.5)
        axes.axhline(0, color="0.3", linewidth=0.8)
        axes.set(xlim=(-0.7, topics - 0.3), ylim=limits)
        heading = names[name]
        if len(others) == 1:
            heading = f"{names[label]}: {heading} − {names[baseline]}"
        panels.label(axes, name, f"{topics} topics", "difference", f"{heading}\n{_counted(bars)}")
        _name_bars(panels, axes, bars, named=named)
    return panels.finish()


def _name_bars(panels: Panels, axes: Axes, bars: pd.Series, *, named: bool) -> None:
    """Write the topics' ids under their bars or, without room, those of the extreme ones."""
    topics = len(bars)
    ids = [plain(qid) for qid in shortened([str(qid) for qid in bars.index], 12)]
    axes.set_xticks(range(topics) if named else [], ids if named else [])
    if named:
        beside = topics * (max(map(len, ids)) + 2) <= 12 * panels.width
        size = panels.small - (1 if beside else 2)
        axes.tick_params(axis="x", length=0, labelsize=size, labelrotation=0 if beside else 90)
    elif panels.height >= 1.2:
        texts = [qid + f": {bar:+.3f}".replace("-", "−") for qid, bar in zip(ids, bars)]
        best = texts[: min(3, (bars > 0).sum())]
        worst = texts[max(topics - 3, (bars >= 0).sum()) :]
        corner: dict[str, Any] = {"transform": axes.transAxes, "fontsize": panels.small - 1}
        axes.text(0.99, 0.99, "\n".join(best), ha="right", va="top", **corner)
        axes.text(0.01, 0.01, "\n".join(worst), ha="left", va="bottom", **corner)


@takes(PictureOptions)
def plot_pair(
    results: Results,
    measure: str | None = None,
    *,
    x: str | int | None = None,
    y: str | int | None = None,
    **options: Unpack[PictureOptions],
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
    names, options["titles"] = split_titles(options.get("titles"), label, x, y)
    panels = Panels([label], size=(PANEL[0], PANEL[0] + 0.3), **options)
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
    name_x, name_y = shortened([names[x], names[y]], 40)
    title = f"{names[label]}, {len(matrix)} topics\n{name_y}: {_counted(difference)}"
    panels.label(axes, label, name_x, name_y, title)
    axes.set_yticks([tick for tick in axes.get_xticks() if ends[0] <= tick <= ends[1]])
    axes.set_xticks(axes.get_yticks())
    apart = difference[difference != 0].abs().sort_values(ascending=False, kind="stable")
    farthest = matrix.index.get_indexer(apart.index)[:8]
    ids = [plain(shortened([str(qid)], 12)[0]) for qid in matrix.index]
    _name_points(panels, values, farthest, ids)
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


def _name_points(panels: Panels, points: Floats, which: Any, labels: list[str]) -> None:
    """Write labels where they hide no point and no other label, and no other point is as near."""
    (axes,) = panels.axes
    panels.figure.draw_without_rendering()  # then it is known where everything lies
    page, unit = axes.get_window_extent().get_points(), panels.figure.dpi / 72
    pixels = axes.transData.transform(points)
    taken = np.hstack([pixels - 2 * unit, pixels + 2 * unit])
    above = np.array([(-1, 0), (0, 1), (-1, 1), (1, 1)])
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": panels.small - 1}
    for i in which:
        text = axes.annotate(labels[i], points[i], (0, 0), textcoords="offset points", **style)
        half = np.array(text.get_window_extent().size) / 2
        others = (points != points[i]).any(axis=1)
        away = 1 if points[i, 1] > points[i, 0] else -1  # from the diagonal
        for side in (*(above * away), *(above * -away)):
            low, high = (pixels[i] + side * (half + 4 * unit) + end for end in (-half, half))
            apart = ((high <= taken[:, :2]) | (taken[:, 2:] <= low)).any(axis=1).all()
            distance = np.hypot(*np.maximum(np.maximum(low - pixels, pixels - high), 0).T)
            own = distance[i] + 2 * unit < distance[others].min(initial=np.inf)
            if apart and own and (page[0] <= low).all() and (high <= page[1]).all():
                text.set_position(side * (half / unit + 4))
                taken = np.vstack([taken, [*low, *high]])
                break
        else:
            text.remove()
