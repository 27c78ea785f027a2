"""Systems compared topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing.results import Results, TopicResults, check_system
from pt_cumgain.core import Floats
from pt_cumgain.environment.warning import warn
from pt_cumgain.options import checked
from pt_cumgain.plots.panels import PANEL, PanelOptions, Panels, PictureOptions
from pt_cumgain.plots.style import IDEAL, Styles, lines, plain, shorten, wrap
from pt_cumgain.plots.titles import split_titles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

#: The most systems in a figure of no given size, of a page.
_MOST = 12
#: The most bars that have room for the ids of their topics, in a panel of the usual width.
_NAMED_BARS = 30
#: The most points that are named.
_NAMED_POINTS = 5


@checked(unpacks=PanelOptions)
def plot_topics(
    results: Results,
    measure: str | None = None,
    *,
    baseline: str | int | None = None,
    system: str | int | None = None,
    styles: Styles | None = None,
    **options: Unpack[PanelOptions],
) -> Any:
    """Plot the difference between a system and a baseline for each topic, largest first.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: a value of every system for every topic,
        as ``pt.Experiment(..., perquery=True)`` returns them.
        Topics without judgments, which are NaN for every system, are left out,
        with a warning.
    measure
        Which measure, if there are several.
    baseline
        The system that the others are compared with: its name, or its place in
        the results, from 0 (``pt.Experiment`` sorts its results by name).
    system
        The one system to compare with it; by default there is a panel for every
        other system, or for as many as have room, those whose means are nearest
        to the baseline's; the picture and a warning then say so.
    styles, columns, figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        Names for the measure in the lower label, and for systems in the titles:
        a mapping. A string titles a single panel.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`. The title counts
        topics: won if the system's value is higher than the baseline's, tied if
        they are equal. If the topics' ids do not fit under the bars, the
        first and the last three are listed, the extremes on top.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If a column is missing, the measure is unknown or there are several to
        choose from, a system is not in the results, or a system has no value,
        NaN or two values for a topic.

    Examples
    --------
    >>> rows = [("A", "1", "CG", 1.0), ("A", "2", "CG", 3.0), ("B", "1", "CG", 2.0)]
    >>> rows.append(("B", "2", "CG", 3.0))
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(plot_topics(results, baseline="A").axes[0].get_title())
    B − A
    1 won, 1 tied, 0 lost
    """
    chosen = {"baseline": baseline} if system is None else {"baseline": baseline, "system": system}
    results = TopicResults.read(results)
    usual: dict[Any, Any] = lines(results.names, None, styles)
    label, matrix, (baseline, *_) = _choose_systems(results, measure, chosen)
    differences = matrix.drop(columns=baseline).sub(matrix[baseline], axis=0)
    width, height = options.get("figsize") or (0, 0)
    across = max(int(width / 1.6), 1)
    most = across * max(int(height / 1.5), 1) if width else _MOST
    drawn = f"{most} of {differences.shape[1]} systems"
    nearest = f"those whose means are nearest to that of {baseline}"
    if left_out := differences.shape[1] > most:
        warn(f"{drawn} are drawn, {nearest}; choose one with system=, or make the figure larger")
        options["columns"] = options.get("columns") or (across if width else None)
        near = differences.mean().abs().nsmallest(most).index
        differences = differences[[name for name in differences if name in near]]
    topics = len(differences)
    texts, options["titles"] = split_titles(options.get("titles"), label, *matrix)
    wide = differences.shape[1] == 1 and topics > _NAMED_BARS
    panels = Panels(list(differences), size=(PANEL[0] * (1 + wide), PANEL[1] + 0.2), **options)
    fit = panels.letters(0.8 * panels.width, panels.large) - len(" −")
    names = dict(zip(matrix, shorten([texts[name] for name in matrix], fit)))
    named = topics <= _NAMED_BARS * panels.width / PANEL[0]
    for axes, (name, bars) in zip(panels.axes, differences.items()):
        bars = bars.sort_values(ascending=False, kind="stable")
        ids = [plain(qid) for qid in shorten(list(map(str, bars.index)), 12)]
        better, worse = usual[name]["color"], usual[baseline]["color"]
        colours = np.where(bars > 0, "0.6" if better == worse else better, worse)
        axes.bar(range(topics), bars, color=colours, linewidth=0 if named else 0.5)
        axes.axhline(0, color="0.3", linewidth=0.8)
        axes.set(xlim=(-0.7, topics - 0.3), ylim=_limits(differences.to_numpy()))
        extremes = {0: "\n".join(ids[:3]), topics - 1: "\n".join(ids[:-4:-1])}
        ticks = dict(enumerate(ids)) if named else extremes
        axes.set_xticks(list(ticks), list(ticks.values()))
        axes.tick_params(
            axis="x", length=0, labelsize=max(panels.small - 2, 5), labelrotation=90 * named
        )
        title = f"{names[name]} − {names[baseline]}\n{_count(bars)}"
        panels.label(axes, name, f"{topics} topics, {texts[label]}", "difference", title)
    if left_out:
        room = panels.letters(0.9 * panels.width * panels.columns, panels.small)
        told = wrap(f"{drawn}, {nearest}", room)
        panels.figure.supxlabel(plain(told), fontsize=panels.small)
    return panels.finish()


@checked(unpacks=PictureOptions)
def plot_pair(
    results: Results,
    measure: str | None = None,
    *,
    x: str | int | None = None,
    y: str | int | None = None,
    **options: Unpack[PictureOptions],
) -> Any:
    """Plot two systems' values against each other, one point per topic.

    On topics above the diagonal, the system on the vertical axis is better. A
    few of the topics farthest from the diagonal are labelled.

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
    B: 1 won, 1 tied, 0 lost
    >>> [text.get_text() for text in axes.texts]
    ['q1']
    """
    results = TopicResults.read(results)
    if x is None and y is None:
        both: list[Any] = list(results.choose_measure(measure)[1])
        x, y = both if len(both) == 2 else (None, None)
    label, matrix, (x, y) = _choose_systems(results, measure, {"x": x, "y": y})
    names, options["titles"] = split_titles(options.get("titles"), label, x, y)
    panels = Panels([label], size=(PANEL[0], PANEL[0] + 0.3), grid="both", **options)
    (axes,) = panels.axes
    values = matrix[[x, y]].to_numpy()
    ends = _limits(values)
    axes.plot(ends, ends, **IDEAL)
    axes.scatter(values[:, 0], values[:, 1], s=16, color="0.25", alpha=0.6, linewidths=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    difference = matrix[y] - matrix[x]
    name_x, name_y = shorten([names[x], names[y]], 32)
    title = f"{names[label]}, {len(matrix)} topics\n{name_y}: {_count(difference)}"
    panels.label(axes, label, name_x, name_y, title)
    apart = difference[difference != 0].abs().sort_values(ascending=False, kind="stable")
    ids = [plain(qid) for qid in shorten(list(map(str, apart.index)), 12)]
    _name_points(axes, matrix.loc[apart.index, [x, y]].to_numpy(), ids, panels.small)
    return panels.finish()


def _name_points(axes: Axes, points: Floats, labels: list[str], size: float) -> None:
    """Name the first few points that are not as near to another as a label is large."""
    room = np.array([0.25, 0.06]) * np.diff(axes.get_xlim())
    named: list[int] = []
    for i, (x, y) in enumerate(points):
        apart = (np.abs(points[named] - points[i]) > room).any(axis=1).all()
        if apart and len(named) < _NAMED_POINTS:
            shift, side = (4, "left") if y > x else (-4, "right")  # towards the diagonal
            text = axes.annotate(labels[i], (x, y), (shift, 3), textcoords="offset points")
            text.set(fontsize=size - 1, ha=side)
            named.append(i)


def _choose_systems(
    results: TopicResults, measure: str | None, chosen: dict[str, str | int | None]
) -> tuple[str, pd.DataFrame, list[str]]:
    """Return a measure, its matrix and the systems' names; of two systems, those alone."""
    systems = [check_system(each, results.names, role) for role, each in chosen.items()]
    if len(systems) == 2:
        if systems[0] == systems[1]:
            raise ValueError(f"{' and '.join(chosen)} are the same system, {systems[0]!r}")
        results = TopicResults.of(results.frame[results.frame["name"].isin(systems)])
    return *results.choose_measure(measure), systems


def _limits(values: Floats) -> tuple[float, float]:
    """Return the ends of an axis on which the values and 0 are."""
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin


def _count(differences: pd.Series) -> str:
    """Return ``"19 won, 2 tied, 9 lost"``."""
    won, lost = (differences > 0).sum(), (differences < 0).sum()
    return f"{won} won, {len(differences) - won - lost} tied, {lost} lost"
