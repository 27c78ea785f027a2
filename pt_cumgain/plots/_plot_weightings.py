"""Which system has the highest mean under which weighting of the relevance levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.inputs.columns import numbers
from pt_cumgain.options import checked
from pt_cumgain.plots import _panels as shared
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import Panels, check_frame
from pt_cumgain.plots._style import SMALL, count_letters, plain

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The columns of a map of weightings that are no systems.
_COLUMNS = {"measure", "gains", "t1", "t2", "t3", "scheme", "best", "second", "difference", "p"}
#: What pale colours mean.
_PALE = "pale: uncorrected paired t-test of the two highest means: p ≥ {:g}"


@checked(unpacks=shared.PairOptions)
def plot_weightings(
    frame: pd.DataFrame, *, alpha: float = 0.05, **options: Unpack[shared.PairOptions]
) -> Any:
    """Plot which system leads under which weighting, one panel per measure.

    With three levels, the weightings form a triangle. At each corner, all
    levels from a certain level upwards gain 1, and those below gain nothing;
    every other point is a mixture of the corners, with more of those that are
    nearer. Each system that has the highest mean somewhere has one of the first
    colours. Of two levels, the weightings are a line: the systems' means are
    curves above it, and the strip on top has the colour of the highest. Dots,
    or ticks, are the papers' weightings.

    Parameters
    ----------
    frame
        The result of :func:`pt_cumgain.weighting_map`. If its p is not
        below alpha, colours are pale: the lead of the highest mean over the
        second is not significant.
    baseline, system
        If given, draw the difference of two systems instead: system minus
        baseline, in all panels on one scale, with a line where it is 0. Their
        names, or their places in the frame. Of two systems, the baseline is enough.
    alpha
        The significance level.
    styles, legend, columns, figsize, ax, titles, xlabel, ylabel
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
        If the frame is empty or lacks a column, or a system is not in it.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs, weighting_map
    >>> from pt_cumgain.plots import plot_weightings, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = weighting_map(pydocs.runs(), topics, qrels, nDCG @ 100)
    >>> figure = plot_weightings(table)
    >>> save(figure, "weightings.pdf")  # doctest: +SKIP
    """
    once, hint = ["measure", "gains", "scheme"], "; weighting_map returns such a frame"
    frame = check_frame(frame, [*once, "t1", "t2", "best", "p"], "frame", once=once, hint=hint)
    systems = [str(name) for name in frame if str(name) not in _COLUMNS]
    if unknown := set(frame["best"]).difference(systems):
        raise ValueError(f"frame: there are no means of the best system, {unknown.pop()!r}")
    own = {"system": options.pop("system", None), "baseline": options.pop("baseline", None)}
    given = any(one is not None for one in own.values())
    pair = shared.check_systems(systems, own, in_order=True) if given else []
    winners = [name for name in systems if name in (pair or set(frame["best"]))]
    styles = style.lines([*dict.fromkeys(winners + systems)], winners, options.pop("styles", None))
    triangle = "t3" in frame
    for name in winners if triangle else systems:
        frame[name] = numbers(frame[name], f"frame {name}")
    frame = frame.assign(measure=frame["measure"].map(str), pale=frame["p"].fillna(1) >= alpha)
    frame["value"] = frame[pair[0]] - frame[pair[1]] if pair else 0.0
    panels = Panels(frame["measure"].unique().tolist(), winners, **options)
    what = " − ".join(str(name) for name in pair) or "mean"
    for axes, (measure, rows) in zip(panels.axes, frame.groupby("measure", sort=False)):
        rows = rows.sort_values("t2", kind="stable")
        panels.title(axes, measure, pad=14 if triangle or not pair else 4)
        if triangle:
            _mark_triangle(panels, axes, rows)
        if triangle and pair:
            image = _colour_differences(axes, rows, frame["value"].abs().max())
        elif triangle:
            _colour_regions(axes, rows[rows["scheme"] == ""], styles)
        else:
            _draw_line(axes, rows, styles, pair)
    panels.label("", "" if triangle else what)
    if triangle and pair:
        shared.explain_colours(panels, image, what)
    if not pair and frame.loc[frame["scheme"] == "", "pale"].any():
        label = style.wrap(_PALE.format(alpha), count_letters(0.8 * panels.whole))
        panels.axes[-1].fill([0], [0], color="0.92", label=label)
    drawn = panels.finish()
    if triangle and min(axes.bbox.width for axes in panels.axes) < panels.figure.dpi:
        panels.warn_of("its triangles are less than an inch wide")
    return drawn


def _tint(line: style.Style, pale: bool = False) -> Any:
    """Return the colour of a region."""
    from matplotlib.colors import to_rgb

    return 1 - (0.3 if pale else 0.75) * (1 - np.array(to_rgb(line["color"])))


def _draw_line(axes: Any, rows: pd.DataFrame, styles: style.Styles, pair: list[str]) -> None:
    """Draw the difference of a pair; or all means, and a strip in the colours of the highest above.

    Ticks, and the curves' marks, are at the papers' weightings.
    """
    named = rows["scheme"] != ""
    ticks, points = rows[named | rows["t1"].isin([0, 1])], rows[~named]
    names = ticks["scheme"].where(ticks["scheme"] != "", ticks["gains"])
    axes.set_xticks(ticks["t2"], names.map(plain), rotation=90)
    axes.set_xlim(0, 1)
    if pair:
        axes.axhline(0, color="0.3", linewidth=0.8)
        axes.plot(points["t2"], points["value"], color="0.2", linewidth=1.3)
        return
    for name, line in reversed(styles.items()):
        axes.plot(rows["t2"], rows[name], **line | {"markevery": np.flatnonzero(named).tolist()})
    high, low = axes.dataLim.ymax, 0 if axes.dataLim.ymin >= 0 else axes.get_ylim()[0]
    axes.set_ylim(low, high + 0.08 * (high - low or 1))  # no mark is below the strip
    strip = {"bottom": 1.01, "transform": axes.get_xaxis_transform(), "clip_on": False}
    colours = [_tint(styles[best], pale) for best, pale in points[["best", "pale"]].to_numpy()]
    axes.bar(points["t2"], 0.04, 1 / (len(points) - 1), color=colours, **strip)


def _place(points: pd.DataFrame) -> Any:
    """Return where points are: the first corner left, the last right, the other above."""
    return np.array([points["t3"] + points["t2"] / 2, points["t2"] * np.sqrt(3) / 2])


def _mark_triangle(panels: Panels, axes: Any, rows: pd.DataFrame) -> None:
    """Draw the sides, and name the corners and the papers' weightings, in letters with a rim."""
    from matplotlib.patheffects import withStroke

    axes.set_axis_off()
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 0.89), aspect="equal")
    corners = rows[rows[["t1", "t2", "t3"]].max(axis=1) == 1]
    schemes = rows[rows["scheme"] != ""]
    axes.fill(*_place(corners), facecolor="none", edgecolor="0.15", zorder=3)
    axes.plot(*_place(schemes), "o", color="0.1", markersize=2.5, zorder=3)
    design = {"textcoords": "offset points", "fontsize": SMALL - 1, "zorder": 4}
    design["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    for gains, place in zip(corners["gains"], _place(corners).T):
        side, up = ("bottom", 4) if place[1] > 0 else ("top", -4)
        axes.annotate(plain(gains), place, (0, up), ha="center", va=side, **design)
    wide = min(panels.width, panels.height) > 2  # else the names would overlap
    for name, place in zip(schemes["scheme"], _place(schemes).T) if wide else ():
        axes.annotate(plain(name), place, (-4, 0), ha="right", va="center", **design)


def _colour_differences(axes: Any, rows: pd.DataFrame, most: float) -> Any:
    """Colour the differences, on a scale up to the most of all panels, with a line at 0."""
    from matplotlib.ticker import MaxNLocator

    points = rows[rows["scheme"] == ""]
    steps = MaxNLocator(12, symmetric=True).tick_values(-most or -1.0, most or 1.0)
    if points["value"].min() < 0 < points["value"].max():
        axes.tricontour(*_place(points), points["value"], [0], colors="0.15", linewidths=1.2)
    return axes.tricontourf(*_place(points), points["value"], steps, cmap="PuOr")


def _colour_regions(axes: Any, points: pd.DataFrame, styles: style.Styles) -> None:
    """Colour the regions in which systems lead, pale where the lead is not significant."""
    leaders = points["best"].value_counts().index
    corners = points[points[["t1", "t2", "t3"]].max(axis=1) == 1]
    axes.fill(*_place(corners), color=_tint(styles[leaders[0]]), linewidth=0)  # below the others
    for name in leaders:
        colour, leads = _tint(styles[name]), (points["best"] == name).astype(float)
        axes.fill([0], [0], color=colour, label=styles[name]["label"])
        if name != leaders[0]:
            axes.tricontourf(*_place(points), leads, [0.5, 1.5], colors=[colour])
            axes.tricontour(*_place(points), leads, [0.5], colors="0.15", linewidths=0.8)
    pale = points["pale"].astype(float)
    axes.tricontourf(*_place(points), pale, [0.5, 1.5], colors="white", alpha=0.6)
