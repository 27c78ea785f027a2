"""The panels of a picture: in a figure of their own, or in the user's axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
import pandas as pd

from pt_cumgain.environment.extras import pyplot
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.plots.style import (
    OTHERS,
    Highlight,
    Styles,
    cells,
    lines,
    plain,
    shorten,
    wrap,
)
from pt_cumgain.plots.titles import Titles, titles_by_text
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.rendering import set_symbols

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from typing_extensions import Unpack

Legend = bool | str

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; only a picture of the user's own size is wider.
PAGE = 7.0
#: The width of a letter and the height of a line of a legend, in units of the size of the letters.
_LETTER, _LINE = 0.64, 1.6
#: The height of a panel, without its title and labels, in which little can be seen, in inches.
_FLAT = 0.3
#: The most lines that are labelled at their ends.
_LABELLED = 6


class PictureOptions(TypedDict, total=False):
    """The options of every picture."""

    figsize: tuple[float, float] | None
    ax: Axes | None
    titles: Titles
    xlabel: str | None
    ylabel: str | None


class PanelOptions(PictureOptions, total=False):
    """The options of a picture of several panels."""

    columns: int | None


class LineOptions(PanelOptions, total=False):
    """The options of a picture of systems' lines."""

    highlight: Highlight
    styles: Styles | None


def check_frame(
    frame: pd.DataFrame, columns: list[Any], what: str, *, once: list[str], hint: str = ""
) -> pd.DataFrame:
    """Return a frame with a plain index; refuse one without some columns, or with equal rows."""
    require_columns(frame, columns, what, hint)
    if not len(frame):
        raise ValueError(f"{what}: there is nothing to draw, since the frame is empty")
    if frame.duplicated(once).any():
        raise ValueError(f"{what}: two rows have the same {', '.join(once)}; give means{hint}")
    return frame.reset_index(drop=True)  # its levels may be named like columns


class Panels:
    """The panels of a picture, their titles and labels, and its legend.

    The legend explains the artists that have labels, each label once.

    Parameters
    ----------
    keys
        The subjects of the panels, one each: texts of measures, for example.
    names
        The systems or measures of the lines, in an order that numbers them where they must be
        shortened.
    size
        The width and height of a panel, unless the user gives a ``figsize``.
    grid
        The axes whose ticks have lines across the panels.
    """

    def __init__(
        self,
        keys: Sequence[Any],
        names: Sequence[Any] = (),
        *,
        size: tuple[float, float] = PANEL,
        grid: Literal["x", "y", "both"] = "y",
        **options: Unpack[LineOptions],
    ) -> None:
        draw = pyplot()
        from pt_cumgain.plots.picture import Picture

        figsize, ax = options.get("figsize"), options.get("ax")
        if figsize is not None and ax is not None:
            raise ValueError(f"figsize={figsize!r} is for a new figure; ax has a size already")
        if ax is not None and not hasattr(ax, "transAxes"):
            raise TypeError(f"ax must be axes of matplotlib, not {type(ax).__name__}")
        if ax is not None and len(keys) > 1:
            raise ValueError(
                f"ax has room for one panel, but there are {len(keys)}: "
                f"{', '.join(map(str, keys))}; draw each into axes of its own"
            )
        self.lines = lines(names, options.get("highlight"), options.get("styles"))
        self.titles = titles_by_text(options.get("titles"), keys)
        self.xlabel, self.ylabel = options.get("xlabel"), options.get("ylabel")
        self.measures = read_names(keys, long=True)
        self.inside, self.grows = ax is not None, figsize is None and ax is None
        shape = max(size[1] / size[0], PANEL[1] / PANEL[0])
        most = max(round(sqrt(len(keys) * figsize[0] / figsize[1] * shape)), 1) if figsize else 3
        self.columns = options.get("columns") or ceil(len(keys) / ceil(len(keys) / most))
        self.figure: Any
        if ax is not None:
            self.figure, self.axes = ax.figure.canvas.figure, [ax]
            self.width, self.height = ax.get_window_extent().size / self.figure.dpi
        else:
            rows = ceil(len(keys) / self.columns)
            figsize = figsize or (min(size[0] * self.columns, PAGE), size[1] * rows)
            self.width, self.height = figsize[0] / self.columns, figsize[1] / rows
            self.figure = draw.figure(figsize=figsize, layout="constrained", FigureClass=Picture)
            places = range(1, len(keys) + 1)
            self.axes = [self.figure.add_subplot(rows, self.columns, i) for i in places]
        self.drawn: Any = ax or self.figure
        self.large = 9 if self.width >= 2.6 else 8 if self.width >= 1.9 else 7
        self.small = self.large - 1
        for axes in self.axes:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis=grid, color="0.92", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=self.small)
        self.rows = [self.axes[i : i + self.columns] for i in range(0, len(keys), self.columns)]

    def label(
        self, axes: Axes, key: Any, x: str, y: str, title: str | None = None, below: str = ""
    ) -> None:
        """Set a panel's title, by default its key, and its labels, unless the user gave others.

        The title of a measure is its name; its parameters are small below.
        """
        details = [below]
        if title is None:
            title, below = self.measures[str(key)].first, self.measures[str(key)].below
            details = [name.below for name in self.measures.values()]
        title = self.titles.get(str(key), self._lines(title, 0.9 * self.width))
        wrapped = [self._lines(each, 0.7 * self.width) for each in details]
        room = 1.25 * self.small * max(each.count("\n") + bool(each) for each in wrapped)
        x, y = self._lines(x, 0.8 * self.width), self._lines(y, 0.7 * self.height)
        axes.set_title(title, fontsize=self.large, pad=6 + room)
        if below and str(key) not in self.titles:
            small = set_symbols(self._lines(below, 0.7 * self.width))
            text = axes.annotate(small, (0.5, 1), (0, 4 + room), "axes fraction", "offset points")
            text.set(ha="center", va="top", fontsize=self.small)
        axes.set_xlabel(x if self.xlabel is None else self.xlabel, fontsize=self.large)
        axes.set_ylabel(y if self.ylabel is None else self.ylabel, fontsize=self.large)

    def _lines(self, text: str, inches: float) -> str:
        return plain(wrap(text, self.letters(inches, self.large)))

    def hide_frame(self, axes: Axes) -> None:
        """Leave out the lines around a panel, and those of its ticks."""
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)

    def list_down(self, names: Iterable[Any], legend: Legend) -> Any:
        """Write names, the first at the top, beside the first panel of each row, and finish."""
        fit = min(self.letters(0.4 * self.width, self.small), 24)
        texts = list(map(plain, shorten(list(map(str, names)), fit)))
        for axes in self.axes:
            axes.set_yticks(range(len(texts)), texts)
            axes.set_ylim(len(texts) - 0.4, -0.6)
            axes.tick_params(axis="y", length=0, labelleft=any(axes is row[0] for row in self.rows))
        return self.finish(legend, names=[row[0].yaxis for row in self.rows])

    def mark_ranks(self, axes: Axes, last: int) -> None:
        """Put ticks at round ranks and at rank 1."""
        from matplotlib.ticker import MaxNLocator

        ticks = np.array(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]).tick_values(0, last))
        axes.set_xticks([1, *ticks[(ticks > 1) & (ticks <= last)]])

    def letters(self, inches: float, size: float) -> int:
        """Return how many letters of a size fit."""
        return max(int(inches * 72 / size / _LETTER), 1)

    def finish(self, legend: Legend = False, *, names: Sequence[Axis] = ()) -> Any:
        """Draw the legend, and return the figure, or the user's axes.

        Labels that all panels share are shown at the margin only. The names along some axes get
        letters so small that they do not overlap.
        """
        from matplotlib.text import Text

        from pt_cumgain.plots.fonts import use_fallbacks

        if len({axes.get_xlabel() for axes in self.axes}) == 1:
            pyplot().setp(self.axes[: -self.columns], xlabel="")
        for row in self.rows:
            if len({axes.get_ylabel() for axes in row}) == 1:
                pyplot().setp(row[1:], ylabel="")
        width, height = self.figure.get_size_inches()
        labelled = self._label_ends() if legend is True and not self.inside else ()
        below = self._explain(labelled) if legend else 0.0
        if self.grows:
            height += below
            self.figure.set_size_inches(width, height)
        else:
            self.height -= below / len(self.rows)
        for axis in names:
            self.figure.draw_without_rendering()  # lays out the panels, which have their sizes then
            room = axis.axes.bbox.size[int(axis is axis.axes.yaxis)]
            each = room * 72 / self.figure.dpi / len(axis.get_ticklocs())
            deep = 1 + 1.2 * max(text.get_text().count("\n") for text in axis.get_ticklabels())
            axis.set_tick_params(labelsize=min(self.small, each / 1.15 / deep))
        use_fallbacks(self.figure)
        self.figure.draw_without_rendering()  # again: a legend makes triangles smaller
        sizes = [text.get_fontsize() for text in self.figure.findobj(Text) if text.get_text()]
        flat = min(axes.bbox.height for axes in self.axes) < _FLAT * self.figure.dpi
        if self.width < 1.3 or self.height < 1 or (flat and not self.grows) or min(sizes) < 5:
            warn(
                f"the picture is too small to be read in {width:g} x {height:g} inches; draw or "
                "highlight fewer, or make the figure larger"
            )
        return self.drawn

    def _label_ends(self) -> Sequence[str]:
        """Label a few lines at their ends, right of the last panels, if all labels have room.

        Returns the labels.
        """
        from matplotlib.colors import to_rgb

        labels, *others = [[line.get_label() for line in _system_lines(a)] for a in self.axes]
        few = all(other == labels for other in others) and 0 < len(labels) <= _LABELLED
        if not few or max(map(cells, labels)) > self.letters(self.width / 4, self.small):
            return ()
        self.figure.draw_without_rendering()  # lays out the panels, so that ends have places
        last = [row[-1] for row in self.rows]
        for axes in last:
            ends = axes.transData.transform([line.get_xydata()[-1] for line in _system_lines(axes)])
            apart = np.diff(np.sort(ends[:, 1])) * 72 / self.figure.dpi
            seen = axes.bbox.padded(2).count_contains(ends) == len(ends)
            if not seen or (apart < 1.1 * self.small).any():
                return ()
        for axes in last:
            for line in _system_lines(axes):
                label, end = line.get_label(), line.get_xydata()[-1]
                text = axes.annotate(label, end, (5, 0), textcoords="offset points")
                dark = 0.75 * np.array(to_rgb(line.get_color()))  # to be read on white
                text.set(color=dark, fontsize=self.small, va="center", annotation_clip=False)
        return labels

    def _explain(self, labelled: Sequence[str]) -> float:
        """Draw a legend below the panels, or in the user's axes; return its height.

        It is in the order in which lines end in the first panel.

        Its letters are the largest that leave room for the names, or for 20 letters of each.
        """
        artists: dict[str, Any] = {}
        for axes in self.axes:
            for artist, label in zip(*axes.get_legend_handles_labels()):
                artists.setdefault(label, artist)
        axes = self.axes[0]
        place = (axes.transData - axes.transAxes).transform  # where in the panel a point is
        lines = [line for line in _system_lines(axes) if len(line.get_xdata())]
        high = [place(line.get_xydata()[-1])[1] for line in lines]
        ends = pd.Series(high, [line.get_label() for line in lines], dtype=np.float64)
        ends = ends.dropna().groupby(level=0).mean().round(2)
        labels = [label for label in artists if label not in labelled]
        labels.sort(key=lambda label: -ends.get(label, -np.inf))
        if not labels:
            return 0.0
        where: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
        room, height = self.figure.get_size_inches()
        most = PANEL[1] if self.grows else 0.4 * height
        if self.inside:
            where = {"loc": "best"}
            room, most = 0.8 * self.width, 0.45 * self.height
        longest = max(map(cells, labels))
        for size in (8, 7, 6, 5, 3.5):
            letters = self.letters(room, size)
            columns = ceil(len(labels) / max(int(most * 72 / size / _LINE), 1))
            if not self.inside:
                columns = max(columns, min(letters // (longest + 9), len(labels)))
            columns = ceil(len(labels) / ceil(len(labels) / columns))  # as many in each row
            fit = letters // columns - 9  # the sample of a line takes the room of 9 letters
            if fit >= min(longest, 20 if size > 5 else 8):
                break
        names = list(map(str, self.lines))
        short = dict(zip(map(plain, names), map(plain, shorten(names, max(fit, 8)))))
        where |= {"ncols": columns, "fontsize": size, "handlelength": 3}
        shown = [short.get(label, label) for label in labels]
        legend = self.drawn.legend([artists[label] for label in labels], shown, **where)
        return float(legend.get_window_extent().height / self.figure.dpi)


def _system_lines(axes: Axes) -> list[Any]:
    """Return the lines that have labels of their own."""
    return [
        line
        for line in axes.get_lines()
        if not str(line.get_label()).startswith("_") and line.get_color() != OTHERS["color"]
    ]
