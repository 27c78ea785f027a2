"""Which system is best under which weighting of the relevance levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.results import check_system
from pt_cumgain.core import Floats
from pt_cumgain.presentation.plots.panels import PANEL, Legend, PanelOptions, Panels, check_frame
from pt_cumgain.presentation.plots.style import COLOURS, Styles, lines, plain, short, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

#: Where a name may stand beside its point, in units of its distance.
_SIDES = {(-1, 0): ("right", "center"), (1, 0): ("left", "center"), (0, 1): ("center", "bottom"),
          (0, -1): ("center", "top")}  # fmt: skip
#: How many places are tried for a system's name.
_TRIED = 500


def plot_weightings(
    frame: pd.DataFrame,
    *,
    baseline: str | int | None = None,
    system: str | int | None = None,
    alpha: float = 0.05,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Draw which system is best under which weighting, a panel for each measure.

    Of three levels, the weightings are a triangle. At each corner the levels
    from one level on gain 1, and those below it nothing; a point is a mixture
    of the corners, the nearer the more. Each system that is best somewhere has
    a colour and, where it fits, its name in its region. Of two levels, the
    weightings are a line: the systems' means are curves above it, and the strip
    below has the colour of the best. Dots, or ticks, are the papers'
    weightings.

    Parameters
    ----------
    frame
        What :func:`pt_cumgain.weighting_map` returned. Where its p is not
        below alpha, colours are pale: the lead of the best system over the
        second is not significant.
    baseline, system
        If given, draw the difference of two systems instead: system minus
        baseline, with a line where it is 0. Their names, or their places in
        the frame. Of two systems, the baseline is enough.
    alpha
        The significance level.
    legend, columns, figsize, ax, titles, xlabel, ylabel
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
    ['0-1-1', '0-1-2', '0-1-5', '0-1-10', 'exp', '0-0-1']
    """
    check_frame(
        frame,
        ["measure", "gains", "t1", "t2", "scheme", "best", "p"],
        "frame",
        once=["measure", "gains", "scheme"],
        hint="; weighting_map returns such a frame",
    )
    columns = list(map(str, frame))
    systems = columns[columns.index("p") + 1 :]
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r} must be between 0 and 1, such as 0.05")
    if baseline is None and system is not None:
        raise ValueError(f"system={system!r} needs a baseline to be compared with")
    pair = [] if baseline is None else _choose_pair(systems, baseline, system)
    winners = [name for name in systems if name in set(frame["best"])]
    styles = lines([*winners, *(name for name in systems if name not in winners)], winners)
    triangle = "t3" in columns[: columns.index("scheme")]
    frame = frame.assign(measure=frame["measure"].map(str), pale=frame["p"].fillna(1) - alpha)
    measures = frame["measure"].unique().tolist()
    if triangle:
        options.setdefault("columns", min(len(measures), 3))
    panels = Panels(measures, winners, size=(PANEL[0], PANEL[1] + 0.5 * triangle), **options)
    what = " − ".join(shortened(pair, panels.letters(0.3 * panels.height, panels.large)))
    for axes, measure in zip(panels.axes, measures):
        rows = frame[frame["measure"] == measure].sort_values("t2")
        lattice = rows[rows["scheme"] == ""]
        panels.label(axes, measure, "", "" if triangle else what or short(measure))
        if pair:
            lattice = lattice.assign(value=lattice[pair[0]] - lattice[pair[1]])
        if triangle:
            _mark_triangle(panels, axes, rows)
            if pair:
                _colour_differences(panels, axes, lattice, what)
            else:
                _colour_regions(axes, lattice, systems, styles)
        else:
            _mark_line(axes, rows)
            if pair:
                _draw_difference(axes, lattice)
            else:
                _draw_curves(axes, lattice, styles)
    if not pair and (frame["pale"] >= 0).any():
        panels.axes[0].fill([0], [0], color="0.92", label=f"pale: lead p ≥ {alpha:g}")
    regions = []
    if triangle:
        panels.figure.draw_without_rendering()  # lays out the panels, so that points have places
        short_names = shortened(winners, panels.letters(panels.width / 2, panels.small))
        for axes, measure in zip(panels.axes, measures):
            rows = frame[frame["measure"] == measure]
            lattice = rows[rows["scheme"] == ""]
            _name_schemes(panels, axes, rows[rows["scheme"] != ""])
            for name, shown in zip(winners, short_names):
                if not pair and (lattice["best"] == name).any():
                    region = _Region(axes, lattice, name, plain(shown), panels.small)
                    if region.move_name() >= 1.1:
                        regions.append(region)
                    else:
                        region.text.remove()
                        axes.fill([0], [0], color=_tint(styles[name]), label=plain(name))
    drawn = panels.finish(legend)
    if regions:
        panels.figure.draw_without_rendering()  # now the legend has its place, too
    for region in regions:
        region.move_name()
    return drawn


def _choose_pair(systems: list[str], baseline: Any, system: Any) -> list[str]:
    """Return a system and its baseline."""
    base = check_system(baseline, systems, in_order=True)
    others = [name for name in systems if name != base]
    if system is None and len(others) > 1:
        raise ValueError(f"choose a system to compare with {base!r}, one of {others}")
    chosen = check_system(others[0] if system is None else system, systems, "system", in_order=True)
    if chosen == base:
        raise ValueError(f"baseline and system are the same system, {base!r}")
    return [chosen, base]


def _mark_line(axes: Axes, rows: pd.DataFrame) -> None:
    """Name the ends and the papers' weightings."""
    named = rows[(rows["scheme"] != "") | rows["t1"].isin([0, 1])]
    names = named["scheme"].where(named["scheme"] != "", named["gains"])
    axes.set_xticks(named["t2"], names.map(plain), rotation=90)
    axes.set_xlim(0, 1)


def _draw_difference(axes: Axes, lattice: pd.DataFrame) -> None:
    """Draw the difference as a curve, coloured above and below 0."""
    x, y = lattice["t2"], lattice["value"]
    axes.axhline(0, color="0.3", linewidth=0.8)
    axes.plot(x, y, color="0.2", linewidth=1.3)
    for wins, colour in zip((y >= 0, y <= 0), COLOURS):
        axes.fill_between(x, y, where=wins, interpolate=True, color=colour, alpha=0.4)


def _draw_curves(axes: Axes, lattice: pd.DataFrame, styles: Styles) -> None:
    """Draw the systems' means, and below them a strip that says which is best."""
    for name, style in reversed(styles.items()):
        axes.plot(lattice["t2"], lattice[name], **style)
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.15 * (high - low), high)
    x = lattice["t2"].to_numpy()
    ends = [0, *(x[1:] + x[:-1]) / 2, 1]
    for i, (name, pale) in enumerate(zip(lattice["best"], lattice["pale"])):
        axes.axvspan(
            ends[i], ends[i + 1], 0, 0.08, color=_tint(styles[name], pale >= 0), linewidth=0
        )


def _tint(style: Any, pale: bool = False) -> Any:
    """Return the colour of a region."""
    from matplotlib.colors import to_rgb

    return 1 - (0.3 if pale else 0.75) * (1 - np.array(to_rgb(style["color"])))


def _place(points: pd.DataFrame) -> Any:
    """Return where points are: the first corner left, the last right, the other above."""
    above = points["t2"].to_numpy()
    return np.array([points["t3"].to_numpy() + above / 2, above * np.sqrt(3) / 2])


def _mesh(lattice: pd.DataFrame) -> Any:
    from matplotlib.tri import Triangulation

    return Triangulation(*_place(lattice))


def _mark_triangle(panels: Panels, axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the sides and the papers' weightings, and name the corners."""
    corners = rows[rows[["t1", "t2", "t3"]].max(axis=1) == 1].sort_values(["t3", "t2"])
    first, above, last = map(plain, corners["gains"])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set(xlim=(-0.08, 1.08), ylim=(-0.03, 0.97), yticks=[])
    axes.set_aspect("equal", adjustable="datalim" if panels.inside else "box")
    axes.set_xticks([0, 1], [first, last])
    axes.annotate(above, (0.5, 0.89), ha="center", fontsize=panels.small)
    axes.fill(*_place(corners), facecolor="none", edgecolor="0.15", linewidth=0.8, zorder=3)
    axes.plot(*_place(rows[rows["scheme"] != ""]), "o", color="0.1", markersize=2.5)


def _colour_differences(panels: Panels, axes: Axes, lattice: pd.DataFrame, what: str) -> None:
    """Colour the difference, with a line where it is 0."""
    from matplotlib.ticker import MaxNLocator

    mesh, values = _mesh(lattice), lattice["value"].to_numpy()
    most = float(np.abs(values).max()) or 1.0
    steps = MaxNLocator(12, symmetric=True).tick_values(-most, most)
    image = axes.tricontourf(mesh, values, steps, cmap="PuOr")
    if values.min() < 0 < values.max():
        axes.tricontour(mesh, values, [0], colors="0.15", linewidths=1.2)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6)
    bar.set_label(plain(what), fontsize=panels.small)
    bar.ax.tick_params(labelsize=panels.small - 1)


def _colour_regions(axes: Axes, lattice: pd.DataFrame, systems: list[str], styles: Styles) -> None:
    """Colour the regions in which systems are best, pale where the second is as good."""
    mesh, means = _mesh(lattice), lattice[systems]
    most, *others = lattice["best"].value_counts().index
    corners = lattice[["t1", "t2", "t3"]].max(axis=1) == 1
    axes.fill(*_place(lattice[corners]), color=_tint(styles[most]), linewidth=0)
    for name in others:
        ahead = means[name] - means.drop(columns=name).max(axis=1)
        ahead = ahead.where((lattice["best"] == name) | (ahead < 0), -1e-12)  # ties are another's
        axes.tricontourf(mesh, ahead, [0, np.inf], colors=[_tint(styles[name])])
        axes.tricontour(mesh, ahead, [0], colors="0.15", linewidths=0.8)
    if (lattice["pale"] >= 0).any():
        axes.tricontourf(mesh, lattice["pale"], [0, 1], colors="white", alpha=0.6)


def _name_schemes(panels: Panels, axes: Axes, schemes: pd.DataFrame) -> None:
    """Name the papers' weightings beside their dots, where there is room."""
    from matplotlib.transforms import Bbox

    places = _place(schemes).T
    taken = [Bbox.from_extents(*dot - 4, *dot + 4) for dot in axes.transData.transform(places)]
    for name, (x, y) in zip(schemes["scheme"], places):
        for side, (ha, va) in _SIDES.items():
            text = axes.annotate(
                name, (x, y), (4 * side[0], 4 * side[1]), textcoords="offset points"
            )
            text.set(ha=ha, va=va, fontsize=panels.small - 1)
            box = text.get_window_extent()
            if not box.count_overlaps(taken):
                taken.append(box)
                break
            text.remove()


class _Region:
    """Where a system is best, with its name."""

    def __init__(
        self, axes: Axes, lattice: pd.DataFrame, name: str, shown: str, fontsize: float
    ) -> None:
        self.text = axes.text(0.5, 0, shown, ha="center", va="center", weight="bold")
        self.text.set_fontsize(fontsize)
        self._axes, self._places = axes, _place(lattice).T
        inside = lattice[["t1", "t2", "t3"]].min(axis=1) > 0
        self._mine = inside & (lattice["best"] == name)

    def move_name(self) -> float:
        """Put the name where it has most room; return the room, in units of what it needs."""
        places = self._axes.transData.transform(self._places)
        half = np.array(self.text.get_window_extent().size) / 2 + 2
        texts = [text for text in self._axes.texts if text is not self.text]
        others = np.concatenate([places[~self._mine], *map(_fill, texts)])
        tried = places[self._mine]
        tried = tried[:: len(tried) // _TRIED + 1]
        room = [(np.abs(others - place) / half).max(axis=1).min() for place in tried]
        if not room:
            return 0.0
        back = self._axes.transData.inverted()
        self.text.set_position(tuple(back.transform(tried[np.argmax(room)])))
        return float(max(room))


def _fill(text: Any) -> Floats:
    """Return points in a text, so near to each other that no name fits between them."""
    box = text.get_window_extent()
    across, up = np.linspace(box.x0, box.x1, 7), np.linspace(box.y0, box.y1, 3)
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
