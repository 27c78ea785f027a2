"""The panels of a figure, in a figure of their own or in the user's axes; and saving figures."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from itertools import product
from math import ceil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import pandas as pd

from pt_cumgain.core import Floats
from pt_cumgain.environment import files
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.options import OPTIONS, checked
from pt_cumgain.papers._by_level import RECALL
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._style import LARGE, LETTER, SMALL, Style, count_letters, plain
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.phrases import count_things
from pt_cumgain.writing.rendering import set_symbols, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; only a figure of the user's own size is wider.
PAGE = 7.0
#: The least width and height of what is inside a panel, in inches, and of letters, in points.
_LEAST, _LETTERS = (0.4, 0.4), 5
#: The height of a line of text, in units of its size.
_LINE = 1.2
#: How much a figure is enlarged at a time until its panels can be read, in inches; and how often.
_STEP, _STEPS = 0.25, 80
#: TrueType letters in PDF and PostScript, text as text in SVG, the size that the figure has.
_SETTINGS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "savefig.bbox": None}
#: Threads share these settings, and the filters of warnings: one that ends would put back those of
#: another.
_ONE_BY_ONE = Lock()


class PictureOptions(TypedDict, total=False):
    """The options of every figure."""

    figsize: tuple[float, float] | None
    ax: Axes | None
    titles: style.Titles


class PanelOptions(PictureOptions, total=False):
    """The options of a figure of several panels, and a legend."""

    columns: int | None
    legend: bool | None


class StyledOptions(PanelOptions, total=False):
    """The options of a figure of systems in their colours."""

    styles: style.Styles | None


class LineOptions(StyledOptions, total=False):
    """The options of a figure of systems' lines."""

    highlight: style.Highlight


class CurveOptions(LineOptions, total=False):
    """The options of a figure of curves."""

    ideal: bool | None
    band: bool | None


#: The columns that panels draw.
NUMBERS = ["rank", "value", "ideal", "low", "high", "least", "most", *RECALL]
NUMBERS += ["topics", "sessions", "t1", "t2", "t3", "p"]


def check_frame(
    frame: pd.DataFrame, columns: Sequence[object], what: str, *, once: list[str], hint: str = ""
) -> pd.DataFrame:
    """Return a frame of numbers with a plain index; refuse one without columns or with equal rows.

    No row lacks any of the columns ``once``.
    """
    require_columns(frame, columns, what, hint)
    if not len(frame):
        raise ValueError(f"{what}: there is nothing to draw, since the frame is empty")
    if missing := [name for name in once if frame[name].isna().any()]:
        raise ValueError(f"{what}: a row has no {missing[0]}")
    if frame.duplicated(once).any():
        raise ValueError(f"{what}: two rows have the same {', '.join(once)}; give means{hint}")
    frame = frame.reset_index(drop=True)  # its levels may be named like columns
    for name, column in frame.items():
        if name in NUMBERS:
            frame[name] = numbers(column, f"{what} {name}")
        elif column.dtype == object and column.map(type).isin([int, float]).all():
            numbers(column, f"{what} {name}")  # refuses one that is too large for a float
    return frame


class Panels:
    """The panels of a figure, their titles and labels, the names of lines, and the legend.

    The legend explains the artists that have labels, each label once; lines have names at their
    ends instead.

    Parameters
    ----------
    keys
        The subjects of the panels, one each: texts of measures, for example.
    names
        The systems of the lines.
    last
        Their values at the last rank: of many systems, the highest have colours.
    size
        The width and height of a panel, unless the user gives a ``figsize``.
    around
        The width and height of what is around the inside of a panel, beside the names of lines.
    options
        Those of the user.
    """

    def __init__(
        self, keys: Sequence[Any], names: Sequence[Any] = (), last: Any = None,
        size: tuple[float, float] = PANEL, around: tuple[float, float] = (0.5, 0.6), **options: Any,
    ) -> None:  # fmt: skip
        draw = pyplot()
        from pt_cumgain.plots._drawing import Picture

        figsize, ax = options.get("figsize"), options.get("ax")
        if ax is not None and (figsize is not None or len(keys) > 1):
            panels = ", ".join(str(key) for key in keys)
            raise ValueError(f"ax has a size, and room for one panel: no {figsize=}, not {panels}")
        self.lines = style.lines(names, options.get("highlight"), options.get("styles"), last)
        self.titles = style.titles_by_text(options.get("titles"), keys)
        self.measures = read_names(keys, long=True)
        self.on_diagonal: list[Any] = []
        self.options = options
        longest = max((text_width(line["label"]) for line in self.lines.values()), default=0)
        beside = around[0] + longest * LETTER * SMALL / 72

        def whole_size(columns: int) -> tuple[float, float]:
            rows = ceil(len(keys) / columns)
            return figsize or (min(size[0] * columns, PAGE), size[1] * rows)

        def least_side(columns: int) -> float:
            width, height = whole_size(columns)
            inner = width / columns - beside, height / ceil(len(keys) / columns) - around[1]
            return round(min(inner), 3)

        possible = {ceil(len(keys) / rows) for rows in range(1, len(keys) + 1)}
        best = max(sorted(possible, reverse=True), key=least_side)
        self.columns = min(options.get("columns") or best, len(keys))
        rows = ceil(len(keys) / self.columns)
        if ax is not None:
            self.axes, self.figure = [ax], ax.figure.canvas.figure
            width, height = ax.get_window_extent().size / self.figure.dpi - 0.2  # a frame
        else:
            width, height = whole_size(self.columns)
            own: dict[str, Any] = {"layout": "constrained", "FigureClass": Picture}
            self.figure = draw.figure(figsize=(width, height), **own)
            places = range(1, len(keys) + 1)
            self.axes = [self.figure.add_subplot(rows, self.columns, i) for i in places]
        self.whole, self.width, self.height = width, width / self.columns, height / rows
        self.inner = max(self.width - beside, 0.5)
        for axes in self.axes:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", color="0.92", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=SMALL)

    def title(self, axes: Axes, key: object, title: str | None = None, pad: float = 4) -> None:
        """Set a panel's title, by default its key, unless the user gave another.

        The title of a measure is its name, with the parameters below.
        """
        if title is None:
            title = f"{self.measures[str(key)].first}\n{self.measures[str(key)].below}".strip()
        room = min(max(0.7 * self.width, 1.4), 0.9 * self.width)
        title = plain(style.wrap(title, count_letters(room, LARGE)))
        axes.set_title(self.titles.get(str(key), set_symbols(title)), fontsize=LARGE, pad=pad)

    def label(self, x: str, y: str = "", size: float = LARGE) -> None:
        """Label the axes: once below all panels, and beside each row."""
        ax = self.options.get("ax")
        set_below = ax.set_xlabel if ax else self.figure.supxlabel
        set_below(plain(style.wrap(x, count_letters(self.whole, size))), fontsize=size)
        beside = plain(style.wrap(y, count_letters(0.6 * self.height, LARGE)))
        for axes in self.axes[:: self.columns]:
            axes.set_ylabel(beside, fontsize=LARGE)

    def finish(self, fit: str = "", least: tuple[float, float] = _LEAST) -> Any:
        """Draw names and legend, lay out the panels, and return the figure, or the user's axes.

        Names along the axes ``fit`` get letters so small that they do not overlap. The insides of
        panels are at least so many inches wide and high; a figure without a size of the user's is
        as large as that needs.

        Raises
        ------
        ValueError
            If the user's size is too small, with the size that is needed.
        """
        ends = []
        if self.options.get("legend") is not False:
            ends = [_LineEnds(axes, self) for axes in self.axes if self.lines]
            self._explain()
        given = self.figure.get_size_inches()
        size = "{:g} x {:g} inches".format(*given)
        for _ in range(_STEPS):
            short = self._lay_out(fit, least, ends)
            if not short.any():
                break
            if self.options.get("ax"):
                warn(f"the figure has {size}, so that it is too small to be read; make it larger")
                return self.options["ax"]
            self.figure.set_size_inches(self.figure.get_size_inches() + _STEP * short)
        needed = self.figure.get_size_inches()
        if self.options.get("figsize") and (needed > given).any():
            pyplot().close(self.figure)
            enough = "figsize=({:g}, {:g})".format(*needed)
            raise ValueError(f"the panels cannot be read in {size}; give {enough}, or draw fewer")
        return self.options.get("ax") or self.figure

    def _lay_out(self, fit: str, least: tuple[float, float], ends: list[_LineEnds]) -> Any:
        """Lay out the panels; return whether their width and their height are too small."""
        with _ONE_BY_ONE, warnings.catch_warnings():
            if not self.options.get("ax"):  # in the user's figure, matplotlib warns
                warnings.filterwarnings("error", ".*not applied because")  # the panels collapse
            try:
                self.figure.draw_without_rendering()  # lays out the panels: they have sizes then
            except UserWarning as warning:
                if self.options.get("ax") or "not applied because" not in str(warning):
                    raise  # it is an error by the user's own filters
                return np.array([True, True])
        inches = np.min([axes.bbox.size for axes in self.axes], axis=0) / self.figure.dpi
        short = inches < least
        for side, axes in product(fit, self.axes):
            axis = axes.xaxis if side == "x" else axes.yaxis
            letters = inches["xy".index(side)] * 72 / len(axis.get_ticklocs()) / _LINE
            axis.set_tick_params(labelsize=min(SMALL, letters))
            for name in self.on_diagonal:
                name.set_fontsize(min(SMALL, letters, name.get_fontsize()))
            short["xy".index(side)] |= letters < _LETTERS
        short[1] |= any(not room for room in [end.spread() for end in ends])
        return short

    def _explain(self) -> None:
        """Draw a legend above the panels, or in the user's axes, if there is one to draw."""
        artists: dict[str, Any] = {}
        for axes in reversed(self.axes):
            handles, labels = axes.get_legend_handles_labels()
            signs = [
                (label, one) for label, one in zip(labels, handles) if not hasattr(one, "get_ydata")
            ]
            artists = dict(signs) | artists
        if not artists:
            return
        letters = max(text_width(line) for label in artists for line in label.split("\n"))
        columns = max(count_letters(self.whole - 0.1) // (letters + 6), 1)
        design: Style = {"ncols": min(columns, len(artists)), "fontsize": SMALL, "columnspacing": 1}
        if not self.options.get("ax"):
            design |= {"loc": "outside upper center", "frameon": False}
        where = self.options.get("ax") or self.figure
        where.legend([*artists.values()], [*artists], handlelength=1.4, **design)


class _LineEnds:
    """The names of a panel's lines, right of where they end, apart, each with a thin leader.

    Grey lines have names only where there is room for all of them, and otherwise one for all.
    """

    def __init__(self, axes: Axes, panels: Panels) -> None:
        self.axes, self.names = axes, list[Any]()
        artists: Any = axes.get_lines()
        named = {line.get_label(): line for line in artists if line.get_label()[0] != "_"}
        for label, line in named.items():
            end = line.get_xydata()[np.isfinite(line.get_ydata())][-1:]
            text = style.wrap(label, count_letters(0.4 * panels.width))
            self.names += [self._name(text, place, line.get_color()) for place in end]

    def _name(self, text: str, end: Any, colour: str) -> Any:
        leader = {"arrowstyle": "-", "linewidth": 0.5, "color": colour, "relpos": (0, 0.5)}
        design: Style = {"xytext": (1.05, 0.5), "textcoords": "axes fraction", "va": "center"}
        design |= {"arrowprops": leader | {"shrinkA": 1, "shrinkB": 0}, "annotation_clip": False}
        dark = "0.4" if colour == style.OTHERS["color"] else colour
        return self.axes.annotate(text, end, color=dark, fontsize=SMALL, **design)

    def spread(self) -> bool:
        """Move the names apart; return whether there is room for them."""
        room = self.axes.bbox.height * 72 / self.axes.figure.dpi / (SMALL * _LINE)
        if sum(text.get_text().count("\n") + 1 for text in self.names) > room:
            self._count_others()
        if not self.names:
            return True
        self.names.sort(key=lambda text: text.xy[1])
        heights = np.array([text.get_text().count("\n") + 1 for text in self.names]) / room
        to_axes = self.axes.transData + self.axes.transAxes.inverted()
        wanted = to_axes.transform([text.xy for text in self.names])[:, 1]
        for text, place in zip(self.names, _move_apart(wanted, heights)):
            text.set_position((1.05, place))
        return bool(heights.sum() <= 1)

    def _count_others(self) -> None:
        """Replace the names of the grey lines by one that counts them."""
        colour = style.OTHERS["color"]
        others = [text for text in self.names if text.arrowprops["color"] == colour]
        if len(others) > 1:
            self.names = [text for text in self.names if text not in others]
            middle = np.mean([text.xy for text in others], axis=0)
            self.names.append(self._name(count_things(len(others), "other"), middle, colour))
            for text in others:
                text.remove()


def _move_apart(wanted: Floats, heights: Floats) -> Floats:
    """Return places from 0 to 1 that are as near to the wanted ones as their heights allow.

    These are the least squares for places in the order that is wanted: isotonic regression, by its
    formula of the largest of the smallest means.
    """
    before = np.cumsum(heights) - heights / 2
    free, places = wanted - before, range(len(wanted))
    fitted = [
        max(min(free[j : k + 1].mean() for k in places[i:]) for j in places[: i + 1])
        for i in places
    ]
    return np.asarray(np.clip(fitted, 0, max(1 - heights.sum(), 0)) + before)


@checked(path=OPTIONS["path"]._replace(words="must be a path; the figure comes first"))
def save(figure: Any, path: str | os.PathLike[str], *, dpi: float = 300, **options: Any) -> None:
    """Save a figure in a form that publishers accept.

    PDF, EPS and PS files use TrueType fonts (matplotlib's default, Type 3
    fonts, is rejected by some submission systems), SVG files keep text as text,
    and PNG files have 300 dots per inch. The image has the size of the figure.
    matplotlib's settings are not changed, and the file is written completely or
    not at all.

    Parameters
    ----------
    figure
        Any figure of matplotlib, or axes; their whole figure is written.
    path
        The file; its suffix says the format: ``.pdf``, ``.eps``, ``.svg``,
        ``.png`` or another that matplotlib knows. EPS and PS have no
        transparency.
    dpi
        Dots per inch, where the format has dots.
    options
        Others of ``figure.savefig``.

    Raises
    ------
    TypeError
        If the first argument is not a figure or axes; the path comes second.
    ValueError
        If matplotlib does not know the format.
    OSError
        If the file cannot be written; an existing file stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> curves = pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 2], "value": [1.0, 3.0]})
    >>> from pt_cumgain.plots import plot_curves, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(plot_curves(curves, figsize=(3.3, 2)), f"{folder}/curves.pdf")
    """
    if not hasattr(figure, "figure"):
        raise TypeError(f"{figure!r:.80} is not a matplotlib figure or axes; the path comes second")
    options.setdefault("format", Path(path).suffix[1:].lower())
    drawn = io.BytesIO()  # on a full disk matplotlib fails in other ways than by an OSError
    with _ONE_BY_ONE, pyplot().rc_context(_SETTINGS):
        figure.figure.canvas.figure.savefig(drawn, dpi=dpi, **options)
    with files.replacing(path) as free:
        free.write_bytes(drawn.getvalue())
