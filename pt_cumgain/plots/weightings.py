"""Which system has the highest mean under which weighting of the relevance levels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing.results import check_system
from pt_cumgain.options import checked
from pt_cumgain.plots.panels import PANEL, Legend, PanelOptions, Panels, check_frame
from pt_cumgain.plots.style import Style, Styles, lines, plain, short, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

#: How much room a name needs, in units of its size: a legend takes some of it later.
ROOM = 1.15
#: What is behind letters on colours and hatches.
BOX = {"color": "white", "pad": 0.5}
#: The hatches of regions without a name.
HATCHES = ("////", "....", "\\\\\\\\", "xxxx", "||||", "oooo", "----", "++++")


@checked(unpacks=PanelOptions)
def plot_weightings(
    frame: pd.DataFrame,
    *,
    baseline: str | int | None = None,
    system: str | int | None = None,
    alpha: float = 0.05,
    styles: Styles | None = None,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Plot which system leads under which weighting, one panel per measure.

    With three levels, the weightings form a triangle. At each corner, all
    levels from a certain level upwards gain 1, and those below gain nothing;
    every other point is a mixture of the corners, with more of those that are
    nearer. Each system that has the highest mean somewhere has one of the first
    colours and, where it fits, its name in its region. Of two levels, the
    weightings are a line: the systems' means are curves above it, and the strip
    below has the colour of the highest. Dots, or ticks, are the papers'
    weightings.

    Parameters
    ----------
    frame
        The result of :func:`pt_cumgain.weighting_map`. If its p is not
        below alpha, colours are pale: the lead of the highest mean over the
        second is not significant.
    baseline, system
        If given, draw the difference of two systems instead: system minus
        baseline, with a line where it is 0. Their names, or their places in
        the frame. Of two systems, the baseline is enough.
    alpha
        The significance level.
    styles, legend, columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`. The legend of a triangle
        has the systems whose names do not fit into their regions.

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
    >>> from pt_cumgain import weighting_map
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> other = run.assign(score=[1.0, 2.0])
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [2, 1]})
    >>> frame = weighting_map({"X": run, "Y": other}, None, qrels, "nCG@1")
    >>> [text.get_text() for text in plot_weightings(frame).axes[0].get_xticklabels()]
    ['0-1-1', '0-1-2', 'exp', '0-1-5', '0-1-10', '0-0-1']
    """
    once, hint = ["measure", "gains", "scheme"], "; weighting_map returns such a frame"
    frame = check_frame(frame, [*once, "t1", "t2", "best", "p"], "frame", once=once, hint=hint)
    columns = list(map(str, frame))
    systems = columns[columns.index("p") + 1 :]
    if unknown := [name for name in frame["best"].dropna().unique() if name not in systems]:
        raise ValueError(
            f"frame: {unknown[0]!r} is not among the columns after p, which are those of the "
            f"systems{hint}"
        )
    pair = _choose_pair(systems, baseline, system)
    winners = [name for name in systems if name in (pair or set(frame["best"]))]
    styles = lines([*dict.fromkeys([*winners, *systems])], winners, styles)
    triangle = "t3" in columns[: columns.index("scheme")]
    frame = frame.assign(measure=frame["measure"].map(str), pale=frame["p"].fillna(1) - alpha)
    if pair:
        frame["value"] = frame[pair[0]] - frame[pair[1]]
    measures = frame["measure"].unique().tolist()
    panels = Panels(measures, winners, size=(PANEL[0], PANEL[1] + 0.5), **options)
    what = " − ".join(shorten(pair, panels.letters(0.3 * panels.height, panels.large)))
    for axes, (measure, rows) in zip(panels.axes, frame.groupby("measure", sort=False)):
        points = rows[rows["scheme"] == ""].sort_values("t2")
        panels.label(axes, measure, "", "" if triangle else what or short(str(measure)))
        if triangle:
            _mark_triangle(panels, axes, rows)
            if pair:
                _colour_differences(panels, axes, points, what)
            else:
                _colour_regions(axes, points, styles)
        else:
            _mark_line(axes, rows)
            if pair:
                _draw_difference(axes, points, [styles[name]["color"] for name in pair])
            else:
                _draw_curves(axes, rows.sort_values("t2", kind="stable"), styles)
    if not pair and (frame["pale"] >= 0).any():
        panels.axes[0].fill([0], [0], color="0.92", label=f"pale: lead p ≥ {alpha:g}")
    if triangle and not pair:
        panels.figure.draw_without_rendering()  # lays out the panels, so that points have places
        for axes, measure in zip(panels.axes, measures):
            points = frame[(frame["measure"] == measure) & (frame["scheme"] == "")]
            _name_regions(panels, axes, points, winners, styles)
    return panels.finish(legend)


def _choose_pair(systems: list[str], baseline: Any, system: Any) -> list[str]:
    """Return a system and its baseline; nothing if neither is given."""
    if baseline is None and system is None:
        return []
    base = check_system(baseline, systems, in_order=True)
    if system is None and len(systems) == 2:
        system = systems[1 - systems.index(base)]
    chosen = check_system(system, systems, "system", in_order=True)
    if chosen == base:
        raise ValueError(f"baseline and system are the same system, {base!r}")
    return [chosen, base]


def _mark_line(axes: Axes, rows: pd.DataFrame) -> None:
    """Name the ends and the papers' weightings."""
    named = rows[(rows["scheme"] != "") | rows["t1"].isin([0, 1])].sort_values("t2")
    names = named["scheme"].where(named["scheme"] != "", named["gains"])
    axes.set_xticks(named["t2"], names.map(plain), rotation=90)
    axes.set_xlim(0, 1)


def _draw_difference(axes: Axes, lattice: pd.DataFrame, colours: list[Any]) -> None:
    """Draw the difference as a curve, in the colours of the systems above and below 0."""
    x, y = lattice["t2"], lattice["value"]
    axes.axhline(0, color="0.3", linewidth=0.8)
    axes.plot(x, y, color="0.2", linewidth=1.3)
    for wins, colour in zip((y >= 0, y <= 0), colours):
        axes.fill_between(x, y, where=wins, interpolate=True, color=colour, alpha=0.4)


def _draw_curves(axes: Axes, rows: pd.DataFrame, styles: Styles) -> None:
    """Draw the systems' means, and below them a strip that says which is the highest.

    The curves have their marks at the papers' weightings.
    """
    from matplotlib.transforms import BboxTransformTo, ScaledTranslation, blended_transform_factory

    named = np.flatnonzero(rows["scheme"] != "").tolist()
    for name, style in reversed(styles.items()):
        axes.plot(rows["t2"], rows[name], **style | {"markevery": named})
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.2 * (high - low), high)
    lattice = rows[rows["scheme"] == ""]
    colours = [_tint(styles[name], p >= 0) for name, p in zip(lattice["best"], lattice["pale"])]
    base = ScaledTranslation(0, 0, BboxTransformTo(axes.bbox))
    inches = blended_transform_factory(axes.transData, axes.figure.dpi_scale_trans + base)
    axes.bar(lattice["t2"], 0.1, 1 / (len(lattice) - 1), color=colours, transform=inches)


def _tint(style: Any, pale: bool = False) -> Any:
    """Return the colour of a region."""
    from matplotlib.colors import to_rgb

    return 1 - (0.3 if pale else 0.75) * (1 - np.array(to_rgb(style["color"])))


def _place(points: pd.DataFrame) -> Any:
    """Return where points are: the first corner left, the last right, the other above."""
    return np.array([points["t3"] + points["t2"] / 2, points["t2"] * np.sqrt(3) / 2])


def _mark_triangle(panels: Panels, axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the sides, and name the corners and the papers' weightings."""
    corners = rows[rows[["t1", "t2", "t3"]].max(axis=1) == 1].sort_values(["t3", "t2"])
    first, above, last = map(plain, corners["gains"])
    panels.hide_frame(axes)
    axes.set(xlim=(-0.08, 1.08), ylim=(-0.03, 0.97), yticks=[])
    axes.set_aspect("equal", adjustable="datalim" if panels.inside else "box")
    axes.set_xticks([0, 1], [first, last])
    axes.annotate(above, (0.5, 0.89), ha="center", fontsize=panels.small)
    axes.fill(*_place(corners), facecolor="none", edgecolor="0.15", linewidth=0.8, zorder=3)
    schemes = rows[rows["scheme"] != ""]
    axes.plot(*_place(schemes), "o", color="0.1", markersize=2.5)
    wide = min(panels.width, panels.height) > 1.6  # else the names would overlap
    for name, dot in zip(schemes["scheme"], _place(schemes).T) if wide else ():
        text = axes.annotate(name, dot, (-4, 0), textcoords="offset points")
        text.set(ha="right", va="center", fontsize=panels.small - 1, bbox=BOX)


def _colour_differences(panels: Panels, axes: Any, lattice: pd.DataFrame, what: str) -> None:
    """Colour the difference, with a line where it is 0."""
    from matplotlib.ticker import MaxNLocator

    places, values = _place(lattice), lattice["value"].to_numpy()
    most = float(np.abs(values).max()) or 1.0
    steps = MaxNLocator(12, symmetric=True).tick_values(-most, most)
    image = axes.tricontourf(*places, values, steps, cmap="PuOr")
    if values.min() < 0 < values.max():
        axes.tricontour(*places, values, [0], colors="0.15", linewidths=1.2)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6)
    bar.set_label(plain(what), fontsize=panels.small)
    bar.ax.tick_params(labelsize=panels.small - 1)


def _find_lead(lattice: pd.DataFrame, name: str, systems: Iterable[str]) -> pd.Series:
    """Return by how much a system is ahead of all others, at each point."""
    means = lattice[[*systems]]
    ahead = means[name] - means.drop(columns=name).max(axis=1)
    return ahead.where((lattice["best"] == name) | (ahead < 0), -1e-12)  # ties are another's


def _colour_regions(axes: Any, lattice: pd.DataFrame, styles: Styles) -> None:
    """Colour the regions in which systems lead, pale where the lead is not significant."""
    places = _place(lattice)
    most, *others = lattice["best"].value_counts().index
    corners = lattice[["t1", "t2", "t3"]].max(axis=1) == 1
    axes.fill(*places[:, corners], color=_tint(styles[most]), linewidth=0)
    for name in others:
        ahead = _find_lead(lattice, name, styles)
        axes.tricontourf(*places, ahead, [0, np.inf], colors=[_tint(styles[name])])
        axes.tricontour(*places, ahead, [0], colors="0.15", linewidths=0.8)
    if (lattice["pale"] >= 0).any():
        axes.tricontourf(*places, lattice["pale"], [0, 1], colors="white", alpha=0.6)


def _name_regions(
    panels: Panels, axes: Any, lattice: pd.DataFrame, winners: list[str], styles: Styles
) -> None:
    """Write the systems' names into their regions, or hatch these, which the legend explains."""
    hatches = dict(zip(winners, cycle(HATCHES)))  # the same in all panels
    names = shorten(winners, panels.letters(panels.width / 2, panels.small))
    for name, shown in zip(winners, names):
        region = lattice["best"] == name
        if not region.any() or _write_name(panels, axes, lattice, region, shown):
            continue
        style: Style = {"edgecolor": "0.2", "linewidth": 0}
        ahead, hatch = _find_lead(lattice, name, styles), hatches[name]
        hatched = {"colors": "none", "hatches": [hatch]}
        axes.tricontourf(*_place(lattice), ahead, [0, np.inf], **hatched).set(**style)
        style |= {"hatch": hatch, "label": styles[name]["label"]}
        pale = bool((lattice["pale"][region] >= 0).all())
        axes.fill([0], [0], facecolor=_tint(styles[name], pale), **style)


def _write_name(panels: Panels, axes: Any, lattice: pd.DataFrame, region: Any, name: str) -> bool:
    """Write a name where its region has most room, and return whether it fits."""
    text = axes.text(0, 0, plain(name), weight="bold", fontsize=panels.small)
    text.set(ha="center", va="center", bbox=BOX)
    places = axes.transData.transform(_place(lattice).T)
    free = region & (lattice[["t1", "t2", "t3"]].min(axis=1) > 0)
    for other in axes.texts[:-1]:
        box = other.get_window_extent().padded(4)
        free &= ~((places > box.min) & (places < box.max)).all(axis=1)
    half = np.array(text.get_window_extent().size) / 2 + 2
    tried = places[free][:: len(lattice) // 1000 + 1]
    room = [(np.abs(places[~free] - place) / half).max(axis=1).min() for place in tried]
    if max(room, default=0) < ROOM:
        text.remove()
        return False
    text.set_position(axes.transData.inverted().transform(tried[np.argmax(room)]))
    return True
