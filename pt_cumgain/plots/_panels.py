"""The panels of a figure, in a figure of their own or in the user's axes; and saving figures."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import pandas as pd

from pt_cumgain.core import Floats
from pt_cumgain.environment import files
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.options import OPTIONS, checked
from pt_cumgain.papers._by_level import RECALL
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._style import IDEAL, LARGE, OTHERS, SMALL, count_letters, count_lines, plain
from pt_cumgain.writing.names import read_names
from pt_cumgain.writing.phrases import count_things
from pt_cumgain.writing.rendering import set_symbols, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; only a figure of the user's own size is wider.
PAGE = 7.0
#: The least width and height of what is inside a panel, in inches.
LEAST = (0.4, 0.4)
#: The height of a line of text, in inches.
LINE = 1.2 * SMALL / 72
#: Why a figure is refused.
_WORDS = "the panels cannot be read in {:g} x {:g} inches; give figsize=({:g}, {:g}), or plot fewer"
#: TrueType letters in PDF and PostScript, text as text in SVG, the size that the figure has.
_SETTINGS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "savefig.bbox": None}


class PictureOptions(TypedDict, total=False):
    """The options of every figure."""

    figsize: tuple[float, float] | None
    ax: Axes | None


class LineOptions(PictureOptions, total=False):
    """The options of a figure of systems' lines."""

    highlight: str | Sequence[str] | None
    styles: style.Styles | None


#: The columns that panels draw.
NUMBERS = ["rank", "value", "ideal", "low", "high", "least", "most", "topics", "sessions", *RECALL]


def check_frame(
    frame: pd.DataFrame, columns: Sequence[object], what: str, *, once: list[str], hint: str = ""
) -> pd.DataFrame:
    """Return a frame of numbers with a plain index; refuse one without columns or with equal rows.

    No row lacks any of the columns ``once``.
    """
    require_columns(frame, columns, what, hint)
    if not len(frame):
        raise ValueError(f"{what}: there is nothing to draw, since the frame is empty")
    missing = [name for name in once if frame[name].isna().any()]
    if missing:
        raise ValueError(f"{what}: a row has no {missing[0]}")
    if frame.duplicated(once).any():
        raise ValueError(f"{what}: two rows have the same {', '.join(once)}; give means{hint}")
    frame = frame.reset_index(drop=True)  # its levels may be named like columns
    for name in set(NUMBERS).intersection(frame):
        frame[name] = numbers(frame[name], f"{what} {name}")
    return frame


def write_range(counts: pd.Series) -> str:
    """Return one number, or the range of several: ``"30"``, ``"24–30"``."""
    return "–".join(dict.fromkeys(f"{count:.0f}" for count in (counts.min(), counts.max())))


def count_in(frame: pd.DataFrame, what: str) -> str:
    """Return ``" (30 topics)"``, or a range over systems; nothing if the frame cannot tell."""
    counts = frame.get(what, pd.Series(dtype=float)).dropna()  # only some of the frame may have it
    if "qid" in frame:
        counts = frame.groupby("name")["qid"].nunique()
    if not len(counts):
        return ""
    return f" ({write_range(counts)} {what.removesuffix('s') if counts.max() == 1 else what})"


class Panels:
    """The panels of a figure, their titles and labels, the names of lines, and the legend.

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
    options
        Those of the user.

    Attributes
    ----------
    size
        The width and height of a panel, in inches.
    inside
        The expected width and height of what is inside a panel.
    """

    def __init__(
        self, keys: Sequence[Any], names: Sequence[object] = (), last: Any = None,
        size: tuple[float, float] = PANEL, **options: Any,
    ) -> None:  # fmt: skip
        figsize, ax = options.get("figsize"), options.get("ax")
        if ax is not None and (figsize is not None or len(keys) > 1):
            panels = ", ".join(str(key) for key in keys)
            told = f"the call has {figsize=} and the panels {panels}; omit ax"
            raise ValueError(f"ax is one panel of fixed size, but {told}")
        self.ax, self.is_fixed = ax, figsize is not None
        self.lines = style.lines(names, options.get("highlight"), options.get("styles"), last)
        self.measures = read_names(keys, long=True)
        longest = max((text_width(line["label"]) for line in self.lines.values()), default=0)
        around = np.array([0.4 + longest * style.LETTER * SMALL / 72, 0.5])
        if ax is not None:
            self.figure, self.axes = ax.figure.canvas.figure, [ax]
            self.columns, self.size = 1, ax.get_window_extent().size / self.figure.dpi
        else:
            whole = figsize or _choose_size(len(keys), size)
            grids = np.array([[n, ceil(len(keys) / n)] for n in range(1, len(keys) + 1)])
            # the columns and rows with which the shorter side of a panel is longest
            grid = grids[np.min(whole / grids - around, axis=1).argmax()]
            self.figure = pyplot().figure(figsize=whole, layout="constrained")
            self.figure._repr_mimebundle_ = partial(_show_once, self.figure)
            self.axes = [self.figure.add_subplot(*grid[::-1], i + 1) for i in range(len(keys))]
            self.columns, self.size = int(grid[0]), whole / grid
        self.inside = np.maximum(self.size - around, LEAST)  # names that are too long are broken
        for axes in self.axes:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", color=style.ink(), alpha=0.1, linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=SMALL)

    def title(self, axes: Axes, key: object, title: str | None = None, pad: float = 4) -> None:
        """Set a panel's title, by default the name of its measure, with the parameters below."""
        if title is None:
            title = f"{self.measures[str(key)].first}\n{self.measures[str(key)].below}".strip()
        title = plain(style.wrap(title, 0.75 * self.size[0], LARGE))
        axes.set_title(set_symbols(title), fontsize=LARGE, pad=pad)

    def label(self, x: str, y: str = "", size: float = LARGE) -> None:
        """Label the axes: once below all panels, and beside each row."""
        set_below = self.figure.supxlabel if self.ax is None else self.ax.set_xlabel
        set_below(plain(style.wrap(x, self.columns * self.size[0], size)), fontsize=size)
        for axes in self.axes[:: self.columns]:
            axes.set_ylabel(plain(style.wrap(y, 0.55 * self.size[1], LARGE)), fontsize=LARGE)

    def finish(self, key: dict[str, Any] | None = None, least: tuple[float, float] = LEAST) -> Any:
        """Draw the key and the names of lines; return the figure, or the user's axes.

        The key has a colour for each text. The insides of panels are at least so many inches wide
        and high; a figure without a size of the user's is as large as that needs.

        Raises
        ------
        ValueError
            If the user's size is too small, with the size that is needed.
        """
        if key:
            self._explain(key)
        lines = max(self._name_lines(axes) for axes in self.axes)
        if self.ax is None:
            self._fit(np.maximum(least, [0, LINE * lines]))
        self.figure.draw_without_rendering()  # lays out the panels: they have sizes then
        for axes in self.axes if self.lines else []:
            _spread_names(axes)
        return self.figure if self.ax is None else self.ax

    def _fit(self, least: Floats) -> None:
        """Enlarge the figure until its panels can be read, or refuse the user's size.

        The margins around the panels do not depend on the size of the figure: an ample figure has
        the margins of every other.
        """
        given = self.figure.get_size_inches()
        ample = given + 20.0  # inches
        self.figure.set_size_inches(ample)
        self.figure.draw_without_rendering()
        shares = [axes.get_position(original=True).size for axes in self.axes]
        grid = np.array([self.columns, ceil(len(self.axes) / self.columns)])
        around = ample * (1 - grid * np.min(shares, axis=0))
        larger = np.maximum(given, np.ceil(4 * (around + grid * least)) / 4)
        if self.is_fixed and (larger > given).any():
            pyplot().close(self.figure)
            raise ValueError(_WORDS.format(*given, *larger))
        self.figure.set_size_inches(larger)

    def _explain(self, key: dict[str, Any]) -> None:
        """Draw a legend above the panels, or in the user's axes."""
        from matplotlib.patches import Patch

        inches = self.columns * self.size[0]
        patch = 9 * style.LETTER * SMALL / 72  # as wide as 9 letters
        texts = [plain(style.wrap(text, inches - patch)) for text in key]
        patches = [Patch(color=colour, label=text) for text, colour in zip(texts, key.values())]
        columns = max(1, count_letters(inches) // (text_width("\n".join(texts)) + 10))
        owner: Any = self.figure if self.ax is None else self.ax
        place = {"loc": "outside upper center", "frameon": False} if self.ax is None else {}
        owner.legend(handles=patches, ncols=columns, fontsize=SMALL, **place)

    def _name_lines(self, axes: Axes) -> int:
        """Write the names of lines, and how many are grey; return the number of lines of text.

        They are not written if a legend has them.
        """
        artists: Any = axes.get_lines() if self.lines and not axes.get_legend() else []
        named = {line.get_label(): line for line in artists if line.get_label()[0] != "_"}
        grey: list[Any] = []
        for label, line in named.items():
            end = line.get_xydata()[np.isfinite(line.get_ydata())][-1:]
            if line.get_color() == OTHERS["color"]:
                grey.extend(end)
            elif len(end):
                _write_name(axes, style.wrap(label, 0.4 * self.size[0]), end[0], line.get_color())
        if grey:
            others = count_things(len(grey), "other")
            _write_name(axes, others, np.mean(grey, axis=0), IDEAL["color"])
        return sum(count_lines(text.get_text()) for text in axes.texts) + 1


def _show_once(figure: Any, **_: Any) -> dict[str, Any]:
    """Let pyplot forget a figure that is the value of a notebook's cell, which shows it.

    At the end of the cell, the notebook shows all figures of pyplot, wherever in the cell they were
    drawn; in a script, ``pyplot.show()`` does. This is called before a value is shown.
    """
    if "inline" in pyplot().get_backend():
        pyplot().close(figure)
    return {}


def _choose_size(panels: int, size: tuple[float, float]) -> tuple[float, float]:
    """Return the size of a figure of panels of a size, at most as wide as a page."""
    columns = ceil(panels / ceil(panels * size[0] / PAGE))
    return min(columns * size[0], PAGE), ceil(panels / columns) * size[1]


def _write_name(axes: Axes, text: str, end: Any, colour: str) -> None:
    """Write the name of a line right of where it ends, with a thin leader."""
    from matplotlib.transforms import offset_copy

    beside = offset_copy(axes.transAxes, axes.figure.canvas.figure, x=8, units="points")
    leader = {"arrowstyle": "-", "lw": 0.5, "color": colour, "relpos": (0, 0.5), "shrinkB": 0}
    design: Any = {"textcoords": beside, "va": "center", "annotation_clip": False}
    axes.annotate(text, end, (1, 0.5), arrowprops=leader, color=colour, fontsize=SMALL, **design)


def _spread_names(axes: Axes) -> None:
    """Move the names of a panel's lines apart."""
    names: Any = sorted(axes.texts, key=lambda text: text.xy[1])
    heights = np.array([count_lines(text.get_text()) for text in names])
    line = LINE * axes.figure.dpi / axes.bbox.height
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = np.array([to_axes.transform(text.xy)[1] for text in names])
    for text, place in zip(names, _move_apart(ends, heights * line)):
        text.set_position((1, place))


def _move_apart(ends: Floats, heights: Floats) -> Floats:
    """Return places from 0 to 1 for texts of these heights, near to the ends of their lines.

    They are halfway between those to which the texts push each other only up, and only down.
    """
    before = np.cumsum(heights) - heights / 2
    free = ends - before
    up, down = np.maximum.accumulate(free), np.minimum.accumulate(free[::-1])[::-1]
    return np.asarray(np.clip((up + down) / 2, 0, max(1 - heights.sum(), 0)) + before)


@checked(path=OPTIONS["path"]._replace(words="must be a path; the figure comes first"))
def save(figure: Any, path: str | os.PathLike[str], *, dpi: float = 300, **options: object) -> None:
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
    with pyplot().rc_context(_SETTINGS):
        figure.figure.canvas.figure.savefig(drawn, dpi=dpi, **options)
    with files.replacing(path) as free:
        free.write_bytes(drawn.getvalue())
