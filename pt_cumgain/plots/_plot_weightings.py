"""Which system has the highest mean under which weighting of the relevance levels."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.core import Floats
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.options import checked
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import PANEL, Panels, PictureOptions, check_frame
from pt_cumgain.plots._style import LARGE, SMALL, Styles, count_letters, plain
from pt_cumgain.trust._weighting_map import COLUMNS
from pt_cumgain.writing.rendering import text_width

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The least distance of a name from a border or a number; at 0.5, it touches it.
_ROOM = 0.45


@checked(unpacks=PictureOptions)
def plot_weightings(
    frame: pd.DataFrame, *, styles: Styles | None = None, **options: Unpack[PictureOptions]
) -> Any:
    """Plot which system leads under which weighting, one panel per measure.

    With three levels, the weightings form a triangle. At each corner, all
    levels from a certain level upwards gain 1, and those below gain nothing;
    every other point is a mixture of the corners, with more of those that are
    nearer. Each region has the name of the system with the highest mean, inside
    or, if the region is too small, in the key; the numbers are the papers'
    weightings, which the line below lists. Of two
    levels, the weightings are a line: the systems' means are curves above it,
    and the strip on top has the colour of the highest.

    Parameters
    ----------
    frame
        The result of :func:`pt_cumgain.weighting_map`. Where its
        ``others_may_be_best`` is true, colours are muted.
    styles, figsize, ax
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
        If the frame is empty or lacks a column, or the panels could not be read
        in ``figsize``.

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
    needed = [*once, "t1", "t2", "best", "others_may_be_best"]
    frame = check_frame(frame, needed, "frame", once=once, hint=hint)
    systems = [str(name) for name in frame if str(name) not in {*COLUMNS, "t1", "t2", "t3"}]
    unknown = set(frame["best"]).difference(systems)
    if unknown:
        raise ValueError(f"frame: there are no means of the best system, {unknown.pop()!r}")
    for name in [*systems, *{"t1", "t2", "t3"}.intersection(frame)]:
        frame[name] = numbers(frame[name], f"frame {name}")
        if not np.isfinite(frame[name]).all():
            raise ValueError(f"frame: the column {name} holds a value that is not a finite number")
    winners = [name for name in systems if name in set(frame["best"])]
    order = systems if len(systems) <= len(style.COLOURS) else [*dict.fromkeys(winners + systems)]
    frame = frame.assign(measure=frame["measure"].map(str))
    measures = frame["measure"].unique().tolist()
    muted = frame.loc[frame["scheme"] == "", "others_may_be_best"].astype(bool)
    where = "muted everywhere" if muted.all() else "muted"
    key = f"{where}: other systems may also be best" if muted.any() else ""
    lines, is_line = style.lines(order, winners, styles, None), "t3" not in frame
    shown: Any = {"names": order, "highlight": winners, "styles": styles}
    shown = shown if is_line else {"size": (PANEL[0], 2.8)}
    panels, unnamed = Panels(measures, **shown, **options), {}
    for axes, (measure, rows) in zip(panels.axes, frame.groupby("measure", sort=False)):
        panels.title(axes, measure, pad=14)
        if is_line:
            _draw_line(axes, rows.sort_values("t2", kind="stable"), lines)
            continue
        for name in _draw_triangle(axes, rows, lines, min(panels.inside - [0, 0.4])):
            unnamed[lines[name]["label"]] = _tint(lines[name], bool(muted.all()))
    if is_line:
        low, top = frame[systems].to_numpy().min(), frame[systems].to_numpy().max()
        if low >= 0 < top:  # normalised measures have one scale
            pyplot().setp(panels.axes, ylim=(0, 1.05 * top if top <= 1 else None))
        panels.label(key, "mean", size=SMALL)
        return panels.finish()
    schemes = frame["scheme"][frame["scheme"] != ""].unique()
    numbered = "  ".join(f"{i}\N{NO-BREAK SPACE}{name}" for i, name in enumerate(schemes, 1))
    letters = count_letters(panels.columns * panels.size[0])
    listed = textwrap.fill(numbered, letters, break_on_hyphens=False)
    panels.label(f"{listed}\n{key}".strip(), size=SMALL)
    return panels.finish(unnamed, least=(1.7, 1.5))  # inches: names beside numbers


def _draw_triangle(axes: object, rows: pd.DataFrame, lines: Styles, inches: float) -> Any:
    """Draw a triangle of so many inches; return the systems whose names do not fit."""
    lattice = rows[rows["scheme"] == ""].reset_index(drop=True)
    dots = _mark_triangle(axes, rows)
    _colour_regions(axes, lattice, lines)
    return _name_regions(axes, lattice, dots, lines, inches)


def _tint(line: style.Style, muted: bool = False) -> Floats:
    """Return the colour of a region."""
    from matplotlib.colors import to_rgb

    return 1 - (0.25 if muted else 0.7) * (1 - np.array(to_rgb(line["color"])))


def _draw_line(axes: Any, rows: pd.DataFrame, lines: Styles) -> None:
    """Draw all means, and above them a strip in the colours of the highest.

    Ticks are at the papers' weightings.
    """
    named = rows["scheme"] != ""
    ticks, points = rows[named | rows["t1"].isin([0, 1])], rows[~named]
    names = ticks["scheme"].where(ticks["scheme"] != "", ticks["gains"])
    axes.set_xticks(ticks["t2"], names.map(plain), rotation=90)
    axes.set_xlim(0, 1)
    for name, line in reversed(lines.items()):
        axes.plot(rows["t2"], rows[name], **line)
    strip = {"transform": axes.get_xaxis_transform(), "clip_on": False, "in_layout": False}
    leads = points[["best", "others_may_be_best"]].to_numpy()
    colours = [_tint(lines[best], muted) for best, muted in leads]
    axes.bar(points["t2"], 0.04, 1 / (len(points) - 1), 1.01, color=colours, **strip)


def _place(points: pd.DataFrame) -> Floats:
    """Return where points are: the first corner left, the last right, the other above."""
    return np.array([points["t3"] + points["t2"] / 2, points["t2"] * np.sqrt(3) / 2])


def _mark_triangle(axes: Any, rows: pd.DataFrame) -> Floats:
    """Draw the sides, name the corners, number the papers' weightings; return their places."""
    axes.spines[:].set_visible(False)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.04, 0.9), xticks=[], yticks=[], aspect="equal")
    corners = rows[rows[["t1", "t2", "t3"]].max(axis=1) == 1]
    axes.fill(*_place(corners), facecolor="none", edgecolor="0.15", zorder=3)
    small = {"ha": "center", "textcoords": "offset points", "fontsize": SMALL}
    for gains, place in zip(corners["gains"], _place(corners).T):
        side, up = ("bottom", 3) if place[1] > 0 else ("top", -4)
        axes.annotate(plain(gains), place, (0, up), va=side, **small)
    dots = _place(rows[rows["scheme"] != ""]).T
    ring = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "0.15"}
    digit: Any = {"fontsize": SMALL, "color": "0.1", "zorder": 5, "bbox": ring | {"linewidth": 0.6}}
    for number, (x, y) in enumerate(dots, 1):
        axes.text(x, y, str(number), ha="center", va="center_baseline", **digit)
    return dots


def _colour_regions(axes: Any, points: pd.DataFrame, lines: Styles) -> None:
    """Colour the regions in which systems lead, muted where others may also be best.

    The borders are where the difference of means is 0.
    """
    leaders = points["best"].value_counts().index.tolist()
    corners = points[points[["t1", "t2", "t3"]].max(axis=1) == 1]
    axes.fill(*_place(corners), color=_tint(lines[leaders[0]]), linewidth=0)  # below the others
    for name in leaders[1:]:
        lead = points[name] - points[[*lines]].drop(columns=name).max(axis=1)
        if lead.max() > 0:
            axes.tricontourf(
                *_place(points), lead, [0, lead.max() + 1], colors=[_tint(lines[name])]
            )
            axes.tricontour(*_place(points), lead, [0], colors="0.15", linewidths=0.8)
    muted = points["others_may_be_best"].astype(float)
    axes.tricontourf(*_place(points), muted, [0.5, 1.5], colors="white", alpha=0.65)


def _name_regions(axes: Any, points: pd.DataFrame, dots: Floats, lines: Styles, size: float) -> Any:
    """Name each region at its point that is farthest from its border and the numbers.

    Distances are in units of the name: widths are divided by its width, heights by its height. The
    systems whose names do not fit are yielded.
    """
    from matplotlib.patheffects import withStroke

    design: Any = {"fontsize": LARGE, "fontweight": "bold", "color": "0.1", "zorder": 6}
    design["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    outside = points[["t1", "t2", "t3"]].min(axis=1) == 0
    for name in points["best"].unique():
        own = points["best"] == name
        text = style.wrap(lines[name]["label"], count_letters(0.4 * size, LARGE))
        shape = LARGE / 72 / size * np.array([0.7 * text_width(text), style.count_lines(text)])
        places = _place(points[own]).T
        to_border = np.abs(places[:, None] - _place(points[~own | outside]).T) / shape
        to_dots = np.abs(places[:, None] - dots) / (shape + 10 / 72 / size)
        away = np.concatenate([to_border, to_dots], axis=1).max(axis=2).min(axis=1)
        if away.max() < _ROOM:
            yield name
        else:
            axes.text(*places[away.argmax()], text, ha="center", va="center", **design)
