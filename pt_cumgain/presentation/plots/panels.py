"""The panels of a picture: in a figure of their own, or the axes that a user has."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from pt_cumgain.extras import pyplot
from pt_cumgain.presentation.plots import legend
from pt_cumgain.presentation.plots.style import plain, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Titles = Mapping[Any, str] | str | None
Size = tuple[float, float] | None

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; no picture is wider unless it is asked for.
PAGE = 7.0


class Room(NamedTuple):
    """The room of a panel in inches, and the size in points of the letters that suit it."""

    width: float
    height: float
    large: float
    small: float


class Panels:
    """The panels of a picture, which are fitted anew when the figure's size changes.

    Parameters
    ----------
    keys
        What the panels show, one each: texts of measures, for example.
    columns
        The number of columns; by default up to three, so that no place stays empty.
    figsize, ax, titles
        What the user gave.
    size
        The width and height of a panel, where the user gave no ``figsize``.
    """

    def __init__(
        self,
        keys: Sequence[Any],
        *,
        columns: int | None = None,
        figsize: Size = None,
        ax: Axes | None = None,
        titles: Titles = None,
        size: tuple[float, float] = PANEL,
    ) -> None:
        draw = pyplot()
        from pt_cumgain.presentation.plots.picture import Picture

        count, figsize = len(keys), _checked(figsize)
        if columns is not None and columns < 1:
            raise ValueError(f"columns={columns} must be at least 1")
        self.titles = own_titles(titles, keys)
        self.grows = figsize is None and ax is None
        self.drawn: Any
        if ax is not None:
            _check_ax(ax, keys, figsize)
            self.columns, self.axes, self.drawn = 1, [ax], ax
        else:
            self.columns = columns or _columns(count, figsize)
            rows = -(-count // self.columns)
            if figsize and (figsize[0] < 1.3 * self.columns or figsize[1] < rows):
                warnings.warn(
                    f"{count} panels are too small to be read in {figsize[0]:g} x {figsize[1]:g} "
                    "inches; draw fewer, or make the figure larger",
                    stacklevel=3,
                )
            width = min(size[0] * self.columns, PAGE) if self.columns > 1 else size[0]
            height = size[1] * (0.85 if size == PANEL and self.columns > 2 else 1)
            figure, grid = draw.subplots(
                rows,
                self.columns,
                figsize=figsize or (width, height * rows),
                squeeze=False,
                layout="constrained",
                FigureClass=Picture,
            )
            figure.get_layout_engine().set(w_pad=0.06, h_pad=0.05)
            self.axes, self.drawn = grid.ravel().tolist()[:count], figure
            for axes in grid.ravel()[count:]:
                axes.remove()
        for axes in self.axes:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", color="0.92", linewidth=0.6)
            axes.set_axisbelow(True)
        #: What the legend shows, by its kind, its text, and a tail that is never shortened.
        self.entries: dict[tuple[str, Any, str], Any] = {}
        self.extras: list[Callable[[Room], None]] = []
        self._texts: list[_Fitting] = []
        self._legend: Any = None
        self._below = 0.0

    @property
    def figure(self) -> Any:
        """The whole figure in which the panels are."""
        return self.axes[0].figure.canvas.figure

    def title(self, axes: Axes, key: Any, default: str | None = None) -> None:
        """Set a panel's title: what the user calls the key, or the key, or another default."""
        own = self.titles.get(str(key))
        self.text(axes.title, str(key) if default is None else default, own)

    def labels(
        self, axes: Axes, x: str, y: str, own_x: str | None = None, own_y: str | None = None
    ) -> None:
        """Set the labels of a panel's axes; the user's own come first."""
        self.text(axes.xaxis.label, x, own_x)
        self.text(axes.yaxis.label, y, own_y, among="height")

    def text(
        self, artist: Text, text: str, own: str | None = None, *, among: str = "width"
    ) -> None:
        """Set a text that is broken into lines where it does not fit the panel or the figure.

        In a text of the user's own there may be mathematics.
        """
        self._texts.append(_Fitting(artist, text if own is None else own, own is not None, among))

    def room(self) -> Room:
        """Return the room of a panel."""
        if self.drawn is self.axes[0]:
            box = self.drawn.get_window_extent()
            width, height = box.width / self.figure.dpi, box.height / self.figure.dpi
            width, height = width + 0.5, height + 0.4  # its labels stand outside
        else:
            width, height = self.drawn.get_size_inches()
            rows = -(-len(self.axes) // self.columns)
            width, height = width / self.columns, (height - self._below) / rows
        large = 9 if width >= 2.6 else 8 if width >= 1.9 else 7
        return Room(width, height, large, large - 1)

    def finish(self, *, legend: bool = True) -> Any:
        """Fit everything, and return the figure, or the axes that the user gave."""
        self._share_labels()
        self.entries = self.entries if legend else {}
        self.fit()
        if self.drawn is not self.axes[0]:
            self.drawn.refit = self.fit
        return self.drawn

    def fit(self) -> None:
        """Fit texts and the legend to the size."""
        self._fit_legend()
        room = self.room()
        for axes in self.axes:
            axes.tick_params(labelsize=room.small)
        for text in self._texts:
            text.fit(room, self.figure.get_size_inches()[0])
        for extra in self.extras:
            extra(room)

    def _share_labels(self) -> None:
        """Keep the labels that all panels have at the margin only."""
        rows = [self.axes[i : i + self.columns] for i in range(0, len(self.axes), self.columns)]
        of = {id(text.artist): text for text in self._texts}

        def same(panels: list[Axes], axis: str) -> bool:
            texts = [of.get(id(getattr(axes, axis).label)) for axes in panels]
            return len({text.text for text in texts if text is not None}) == 1

        if same(self.axes, "xaxis"):
            for axes in self.axes[: -self.columns]:
                of[id(axes.xaxis.label)].text = ""
        for row in rows:
            if same(row, "yaxis"):
                for axes in row[1:]:
                    of[id(axes.yaxis.label)].text = ""

    def _fit_legend(self) -> None:
        if not self.entries:
            return
        texts = [str(text) for _, text, _ in self.entries]
        tails = [tail for _, _, tail in self.entries]
        options: dict[str, Any] = dict(legend.SPACES)
        if self.drawn is self.axes[0]:
            room = self.room()
            fitted = legend.fitted(texts, tails, 0.8 * room.width, 0.45 * room.height, narrow=True)
            options |= {"loc": "best", "framealpha": 0.8, "edgecolor": "none"}
        else:
            width, height = self.drawn.get_size_inches()
            fitted = legend.fitted(
                texts, tails, width - 0.05, (0.5 if self.grows else 0.4) * height
            )
            options |= {"loc": "outside lower center", "frameon": False}
            if self.grows:
                self.grows = False
                self.drawn.set_size_inches(width, height + fitted.height)
            self._below = fitted.height
            if self._legend is not None:
                if self._legend not in self.drawn.legends:  # the user took it away
                    return
                self._legend.remove()
        self._legend = self.drawn.legend(
            list(self.entries.values()),
            fitted.labels,
            ncols=fitted.columns,
            fontsize=fitted.fontsize,
            **options,
        )


class _Fitting:
    """A text that is fitted until the user changes it."""

    def __init__(self, artist: Text, text: str, own: bool, among: str) -> None:
        self.artist, self.text, self.own, self.among = artist, text, own, among
        self.shown: str | None = None

    def fit(self, room: Room, whole: float) -> None:
        if self.shown is not None and self.artist.get_text() != self.shown:
            return
        text = self.text
        if not (self.own and "$" in text):
            length = {"width": room.width, "height": room.height, "figure": whole}[self.among]
            text = wrapped(text, max(length - 0.5, 0.68 * length) / (room.large / 72))
        self.artist.set_text(text if self.own else plain(text))
        self.artist.set_fontsize(room.large)
        self.shown = self.artist.get_text()


def own_titles(titles: Titles, keys: Sequence[Any]) -> dict[str, str]:
    """Return what the user calls the keys, by their texts.

    A measure is known with its cutoff too, since the labels of a grid have it and curves do not.

    Raises
    ------
    ValueError
        If none of the keys has a title, or one title is given for several keys.
    """
    texts = [str(key) for key in keys]
    if titles is None:
        return {}
    if isinstance(titles, str):
        if len(texts) > 1:
            raise ValueError(
                f"titles={titles!r} is one title for {len(texts)} panels; give a mapping, such as "
                f"{{{texts[0]!r}: 'a title'}}"
            )
        return {texts[0]: titles}
    if not isinstance(titles, Mapping):
        raise TypeError(f"titles={titles!r} must be a mapping of measures to titles, or a text")
    named = {str(key): title for key, title in titles.items()}
    found: dict[str, str] = {}
    for text in texts:
        same = {
            re.sub(r" ?@\d+$", "", title)
            for key, title in named.items()
            if re.sub(r"@\d+$", "", key) == text
        }
        if text in named:
            found[text] = named[text]
        elif len(same) == 1:
            found[text] = same.pop()
    if named and not found:
        raise ValueError(f"titles name none of {texts}; they are for {list(named)}")
    return found


def named(defaults: Mapping[Any, str], titles: Titles) -> tuple[dict[Any, str], str | None]:
    """Return what the user calls measures and systems, or their default names; and a whole title.

    Raises
    ------
    ValueError
        As :func:`own_titles`.
    """
    if titles is None or isinstance(titles, str):
        return dict(defaults), titles
    found = own_titles(titles, list(defaults))
    return {key: found.get(str(key), name) for key, name in defaults.items()}, None


def _columns(count: int, figsize: Size) -> int:
    """Return the number of columns that leaves few places empty and suits the size."""
    if figsize is None:
        return {4: 2, 7: 4, 8: 4}.get(count, min(count, 3))
    width, height = figsize

    def unsuited(columns: int) -> float:
        rows = -(-count // columns)
        shape = (width / columns) / (height / rows)
        return abs(log(shape / (PANEL[0] / PANEL[1]))) + 1.5 * (rows * columns > count)

    return min(range(1, count + 1), key=unsuited)


def _checked(figsize: Size) -> Size:
    if figsize is None:
        return None
    try:
        width, height = map(float, figsize)
    except (TypeError, ValueError):
        width = height = 0.0
    if not (0 < width < float("inf") and 0 < height < float("inf")):
        raise ValueError(f"figsize={figsize!r} must be a width and a height in inches")
    return width, height


def _check_ax(ax: Any, keys: Sequence[Any], figsize: Size) -> None:
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be axes of matplotlib, not {type(ax).__name__}")
    if figsize is not None:
        raise ValueError(f"figsize={figsize!r} is for a figure of its own; ax has a size already")
    if len(keys) > 1:
        raise ValueError(
            f"ax has room for one panel, and here are {len(keys)}: {', '.join(map(str, keys))}; "
            "draw each with axes of its own"
        )
