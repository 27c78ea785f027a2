"""The panels of a figure, in a figure of their own or in the user's axes; and saving figures."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from math import ceil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import pandas as pd

from pt_cumgain.comparing._results import check_system
from pt_cumgain.environment import files
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.options import OPTIONS, checked
from pt_cumgain.papers._by_level import RECALL
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._style import LARGE, SMALL, count_letters, plain
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.rendering import set_symbols

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; only a figure of the user's own size is wider.
PAGE = 7.0
#: The least width of a panel, in inches, if others stand beside it; and the most in a row.
_NARROW, _BESIDE = 1.6, 3
#: The least width and height of what is inside a panel, in inches, and of letters, in points.
_LEAST, _LETTERS = 0.4, 5
#: In a legend: the room of a line's sample, in letters, and the fewest letters of names.
_SAMPLE, _NAME = 6, 12
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
    xlabel: str | None
    ylabel: str | None


class PanelOptions(PictureOptions, total=False):
    """The options of a figure of several panels, and a legend."""

    columns: int | None
    legend: bool | None


class PairOptions(PanelOptions, total=False):
    """The options of a figure of systems that may be compared with a baseline."""

    baseline: str | int | None
    system: str | int | None
    styles: style.Styles | None


class LineOptions(PanelOptions, total=False):
    """The options of a figure of systems' lines."""

    highlight: style.Highlight
    styles: style.Styles | None


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


def check_systems(names: Sequence[Any], chosen: Mapping[str, object], **order: bool) -> list[Any]:
    """Return the names of different systems, by the arguments that chose them.

    If there are just two systems, arguments that chose none have the systems that are left.
    """
    given = {role: one for role, one in chosen.items() if one is not None or len(names) != 2}
    systems = {role: check_system(one, names, role, **order) for role, one in given.items()}
    left = [name for name in names if name not in systems.values()]
    found = [systems[role] if role in systems else left.pop(0) for role in chosen]
    if len({*found}) < len(found):
        raise ValueError(f"{' and '.join(chosen)} are the same system, {found[0]!r}")
    return found


class Panels:
    """The panels of a figure, their titles and labels, and its legend.

    The legend explains the artists that have labels, each label once.

    Parameters
    ----------
    keys
        The subjects of the panels, one each: texts of measures, for example.
    names
        The systems of the lines, in an order that numbers them where they must be shortened.
    last
        Their values at the last rank: of many systems, the highest have colours.
    size
        The width and height of a panel, unless the user gives a ``figsize``.
    options
        Those of the user.
    """

    def __init__(
        self, keys: Any, names: Any = (), last: Any = None, size: Any = PANEL, **options: Any
    ) -> None:
        draw = pyplot()
        from pt_cumgain.plots._drawing import Picture

        figsize, ax = options.get("figsize"), options.get("ax")
        if ax is not None and (figsize is not None or len(keys) > 1):
            panels = ", ".join(str(key) for key in keys)
            raise ValueError(f"ax has a size, and room for one panel: no {figsize=}, not {panels}")
        self.lines = style.lines(names, options.get("highlight"), options.get("styles"), last)
        self.titles = style.titles_by_text(options.get("titles"), keys)
        self.measures = read_names(keys, long=True)
        self.options = options
        # only the width matters: more rows in a higher figure would make its panels lower
        most = max(min(int((PAGE if figsize is None else figsize[0]) / _NARROW), _BESIDE), 1)
        columns = options.get("columns") or ceil(len(keys) / ceil(len(keys) / most))
        self.columns = min(columns, len(keys))
        rows = ceil(len(keys) / self.columns)
        if ax is not None:
            self.axes, self.figure = [ax], ax.figure.canvas.figure
            width, height = ax.get_window_extent().size / self.figure.dpi - 0.2  # a frame
        else:
            width, height = figsize or (min(size[0] * self.columns, PAGE), size[1] * rows)
            own: Any = {"layout": "constrained", "FigureClass": Picture}
            self.figure = draw.figure(figsize=(width, height), **own)
            places = range(1, len(keys) + 1)
            self.axes = [self.figure.add_subplot(rows, self.columns, i) for i in places]
        self.whole, self.width, self.height = width, width / self.columns, height / rows
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
        title = plain(style.wrap(title, count_letters(0.7 * self.width, LARGE)))
        axes.set_title(self.titles.get(str(key), set_symbols(title)), fontsize=LARGE, pad=pad)

    def label(self, x: str, y: str = "") -> None:
        """Label the axes: once below all panels, and beside each row, unless the user did."""
        ax, below, beside = (self.options.get(name) for name in ("ax", "xlabel", "ylabel"))
        if below is None:
            below = plain(style.wrap(x, count_letters(self.whole, LARGE)))
        if beside is None:
            beside = plain(style.wrap(y, count_letters(0.6 * self.height, LARGE)))
        set_below = ax.set_xlabel if ax else self.figure.supxlabel
        set_below(below, fontsize=LARGE, wrap=True)
        for axes in self.axes[:: self.columns]:
            axes.set_ylabel(beside, fontsize=LARGE)

    def finish(self, fit: str = "") -> Any:
        """Draw the legend, lay out the panels, and return the figure, or the user's axes.

        Names along the axes ``fit`` get letters so small that they do not overlap.
        """
        legend = self._explain() if self.options.get("legend") is not False else None
        if legend:
            self._find_room(legend)
        with _ONE_BY_ONE, warnings.catch_warnings():
            if not self.options.get("ax"):  # in the user's figure, matplotlib warns
                warnings.filterwarnings("error", ".*not applied because")  # the panels collapse
            try:
                self.figure.draw_without_rendering()  # lays out the panels: they have sizes then
            except UserWarning as warning:
                if self.options.get("ax") or "not applied because" not in str(warning):
                    raise  # it is an error by the user's own filters
                pyplot().close(self.figure)
                fault = "the figure has no room for its panels; draw fewer, or make it larger"
                raise ValueError(fault) from None
        inches = np.min([axes.bbox.size for axes in self.axes], axis=0) / self.figure.dpi
        letters = float(SMALL)
        for side, axes in product(fit, self.axes):
            axis = axes.xaxis if side == "x" else axes.yaxis
            room = inches["xy".index(side)] * 72 / len(axis.get_ticklocs())
            axis.set_tick_params(labelsize=min(SMALL, room / 1.2))
            letters = min(letters, room / 1.2)
        if min(inches) < _LEAST or letters < _LETTERS:
            self.warn_of("it is too small to be read")
        return self.options.get("ax") or self.figure

    def warn_of(self, fault: str) -> None:
        """Warn that a figure of this size has a fault."""
        size = "{:g} x {:g} inches".format(*self.figure.get_size_inches())
        warn(f"the figure has {size}, so that {fault}; draw or highlight fewer, or make it larger")

    def _explain(self) -> Any:
        """Draw a legend above the panels, or in the user's axes, if there is anything to explain.

        It is in the order in which lines end in the first panel. As many names stand beside each
        other as fit with twelve letters, or more in a wide figure; longer ones are cut.
        """
        artists: dict[str, Any] = {}
        for axes in reversed(self.axes):
            handles, labels = axes.get_legend_handles_labels()
            artists = dict(zip(labels, handles)) | artists
        if not artists:
            return None
        lines = [line for line in self.axes[0].get_lines() if len(line.get_ydata())]
        ends = {line.get_label(): np.nan_to_num(line.get_ydata()[-1]) for line in lines}
        labels = sorted(artists, key=lambda label: -ends.get(label, -np.inf))
        names = {plain(str(name)): str(name) for name in self.lines}
        most, room = max(_NAME, int(3 * self.whole)), count_letters(self.whole - 0.1)
        wide = max(min(len(label), most) if label in names else len(label) for label in labels)
        columns = min(max(room // (wide + _SAMPLE), 1), len(labels))
        fit = style.shorten(list(names.values()), room // columns - _SAMPLE - 2)
        shown = dict(zip(names, fit))
        signs = [artists[label] for label in labels]
        texts = [plain(shown[label]) if label in shown else label for label in labels]
        design: Any = {"ncols": columns, "fontsize": SMALL, "columnspacing": 1, "handlelength": 1.8}
        if not self.options.get("ax"):
            design |= {"loc": "outside upper center", "frameon": False}
        return (self.options.get("ax") or self.figure).legend(signs, texts, **design)

    def _find_room(self, legend: Any) -> None:
        """Make the figure higher for a legend, or leave the legend out if it is too high."""
        width, height = self.figure.get_size_inches()
        more = legend.get_window_extent().height / self.figure.dpi
        if self.options.get("figsize") is None and self.options.get("ax") is None:
            self.figure.set_size_inches(width, height + more)
        elif more > height / 3:
            legend.remove()
            self.warn_of("its legend would take more than a third of it and is left out")


def explain_colours(panels: Panels, image: Any, what: str) -> None:
    """Draw one bar of colours beside all panels."""
    bar = panels.figure.colorbar(image, ax=panels.axes, shrink=0.8)
    bar.set_label(plain(what), fontsize=LARGE)
    bar.ax.tick_params(labelsize=SMALL)


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
