"""The panels of a picture: in a figure of their own, or the axes that a user has."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from itertools import product
from math import ceil, log
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

import numpy as np

from pt_cumgain.extras import pyplot
from pt_cumgain.presentation.plots.style import OTHERS, Style, plain, shortened, wrapped
from pt_cumgain.presentation.plots.titles import Titles, own_titles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.text import Text
    from typing_extensions import Unpack

Legend = bool | str
Draw = TypeVar("Draw", bound=Callable[..., Any])

#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: The width of a page of a paper, in inches; no picture is wider unless it is asked for.
PAGE = 7.0
#: As many lines are labelled at their ends.
_LABELLED = 6
#: The kinds of what a legend explains, in its order.
_KINDS = ("ideal", "line", "others", "band", "level")
#: Distances within a legend, in units of the size of its letters.
_SPACES = {"handlelength": 3, "handletextpad": 0.6, "columnspacing": 1.2, "labelspacing": 0.35}


class PictureOptions(TypedDict, total=False):
    """What every picture takes."""

    figsize: tuple[float, float] | None
    ax: Axes | None
    titles: Titles
    xlabel: str | None
    ylabel: str | None


class PanelOptions(PictureOptions, total=False):
    """What a picture of several panels takes."""

    columns: int | None


def takes(options: type) -> Callable[[Draw], Draw]:
    """Show a function's ``**options`` in its signature, each by its name, and refuse others."""
    hints = {name: hint.__forward_arg__ for name, hint in options.__annotations__.items()}
    shared = [
        Parameter(k, Parameter.KEYWORD_ONLY, default=None, annotation=hints[k]) for k in hints
    ]

    def show(draw: Draw) -> Draw:
        own = list(signature(draw).parameters.values())[:-1]
        public = signature(draw).replace(parameters=[*own, *shared])

        @wraps(draw)
        def checked(*args: Any, **kwargs: Any) -> Any:
            public.bind(*args, **kwargs)  # a TypeError for what is not in the signature
            return draw(*args, **kwargs)

        checked.__dict__["__signature__"] = public
        return cast(Draw, checked)

    return show


class Panels:
    """The panels of a picture, their titles and labels, and what says which line is whose.

    Parameters
    ----------
    keys
        What the panels show, one each: texts of measures, for example.
    names
        What the lines are called, in the order of their numbers.
    size
        The width and height of a panel, where the user gave no ``figsize``.
    options
        What the user gave; by default up to three columns, so that no place stays empty.
    """

    def __init__(
        self,
        keys: Sequence[Any],
        names: Sequence[Any] = (),
        *,
        size: tuple[float, float] = PANEL,
        **options: Unpack[PanelOptions],
    ) -> None:
        draw = pyplot()
        from pt_cumgain.presentation.plots.picture import Picture

        columns, figsize, ax = options.get("columns"), options.get("figsize"), options.get("ax")
        if columns is not None and columns < 1:
            raise ValueError(f"columns={columns} must be at least 1")
        if figsize is not None and not _is_size(figsize):
            raise ValueError(f"figsize={figsize!r} must be a width and a height in inches")
        self.names, self.titles = list(names), own_titles(options.get("titles"), keys)
        self.labels = options.get("xlabel"), options.get("ylabel")
        self.inside, self.grows = ax is not None, figsize is None and ax is None
        self.drawn: Any
        self.figure: Any
        if ax is not None:
            _check_ax(ax, keys, figsize)
            self.drawn, self.figure = ax, ax.figure.canvas.figure
            grid, self.columns = [ax], 1
            box, dpi = ax.get_window_extent(), self.figure.dpi  # its labels stand outside
            self.width, self.height = box.width / dpi + 0.5, box.height / dpi + 0.4
        else:
            self.columns = columns or _columns(len(keys), figsize)
            rows = ceil(len(keys) / self.columns)
            if figsize is None:
                low = 0.85 if size == PANEL and self.columns > 2 else 1
                wide = max(min(size[0] * self.columns, PAGE), size[0])
                figsize = wide, size[1] * rows * low
            self.width, self.height = figsize[0] / self.columns, figsize[1] / rows
            figure = draw.figure(figsize=figsize, layout="constrained", FigureClass=Picture)
            figure.get_layout_engine().set(w_pad=0.06, h_pad=0.05)
            grid = figure.subplots(rows, self.columns, squeeze=False).ravel().tolist()
            self.drawn = self.figure = figure
        self.large = 9 if self.width >= 2.6 else 8 if self.width >= 1.9 else 7
        self.small = self.large - 1
        self.axes: list[Axes] = grid[: len(keys)]
        for axes in grid[len(keys) :]:
            axes.remove()
        for axes in self.axes:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", color="0.92", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=self.small)
        self.rows = [self.axes[i : i + self.columns] for i in range(0, len(keys), self.columns)]
        #: What is explained, by its kind and its text: the artists in the panels.
        self.entries: dict[tuple[str, Any], dict[Axes, Any]] = {}
        self.others: set[Any] = set()

    def add(self, axes: Axes, kind: str, text: Any, artist: Any) -> None:
        """Let the legend, or a label at the end of a line, say what an artist is."""
        self.entries.setdefault((kind, text), {})[axes] = artist

    def line(self, axes: Axes, name: Any, x: Any, y: Any, style: Style, **more: Any) -> None:
        """Draw a line, and let it be explained, alone or with the others that stay grey."""
        (drawn,) = axes.plot(x, y, **style | {"label": name} | more)
        if style["color"] != OTHERS["color"]:
            self.add(axes, "line", name, drawn)
        else:
            self.others.add(name)
            self.add(axes, "others", None, drawn)

    def label(
        self, axes: Axes, key: Any, x: str, y: str, title: str | None = None, beside: float = 0.7
    ) -> None:
        """Set a panel's title and labels: the user's own, or these; by default the key above.

        So many inches are beside the title, since it is centred above the axes, not the panel.
        """
        title = str(key) if title is None else title
        room = max(self.width - beside, 0.68 * self.width)
        self.write(axes.title, title, room, self.titles.get(str(key)))
        self.write(axes.xaxis.label, x, room, self.labels[0])
        self.write(axes.yaxis.label, y, max(self.height - 1.2, 0.55 * self.height), self.labels[1])

    def write(self, artist: Text, text: str, room: float, own: str | None = None) -> None:
        """Set a text in lines of so many inches; in one of the user's own may be mathematics."""
        shown = text if own is None else own
        if own is None or "$" not in own:
            shown = wrapped(shown, room * 72 / self.large)
        artist.set(text=plain(shown) if own is None else shown, fontsize=self.large)

    def fit_names(self, *sides: Axis) -> None:
        """Make names beside bars or cells so small that they do not overlap."""
        self.figure.draw_without_rendering()  # then it is known how much room each has
        smallest = float(self.small)
        for side in sides:
            box, count = side.axes.get_window_extent(), len(side.get_ticklocs())
            room = (box.height if side is side.axes.yaxis else box.width) / count
            smallest = min(smallest, room * 72 / self.figure.dpi / 1.15)
            side.set_tick_params(labelsize=min(self.small, room * 72 / self.figure.dpi / 1.15))
        if smallest < 4:
            self._warn(f"{count} names are")

    def _warn(self, what: str) -> None:
        width, height = self.figure.get_size_inches()
        warnings.warn(
            f"{what} too small to be read in {width:g} x {height:g} inches; draw or highlight "
            "fewer, or make the figure larger",
            stacklevel=5,
        )

    def finish(self, legend: Legend = False) -> Any:
        """Say what the lines are, and return the figure, or the axes that the user gave.

        Labels that all panels have stand at the margin only.
        """
        from pt_cumgain.presentation.plots.fonts import use_fallbacks

        if legend not in (True, False, "below"):
            raise ValueError(f"legend={legend!r} must be True, False or 'below'")
        if len({axes.get_xlabel() for axes in self.axes}) == 1:
            for axes in self.axes[: -self.columns]:
                axes.set_xlabel("")
        for row in self.rows:
            if len({axes.get_ylabel() for axes in row}) == 1:
                for axes in row[1:]:
                    axes.set_ylabel("")
        if legend is True and not self.inside:
            for entry in self._label_ends():
                del self.entries[entry]
        width, height = self.figure.get_size_inches()
        below = self._explain() if legend and self.entries else 0.0
        if self.grows:
            self.figure.set_size_inches(width, height + below)
        elif not self.inside and (self.width < 1.3 or self.height - below / len(self.rows) < 1):
            count = len(self.axes)
            self._warn(f"{count} panels are" if count > 1 else "the panel is")
        use_fallbacks(self.figure)
        return self.drawn

    def _label_ends(self) -> list[tuple[str, Any]]:
        """Label a few lines at their ends, right of the last panels, if the labels have room.

        Returns what is labelled.
        """
        from matplotlib.colors import to_rgb

        from pt_cumgain.presentation.plots.fonts import width

        last = [row[-1] for row in self.rows]
        names = [entry for entry in self.entries if entry[0] in ("ideal", "line")]
        lines = [entry for entry in names if self.entries[entry].keys() >= set(last)]
        texts = [plain(str(text)) for _, text in lines]
        if not 0 < len(lines) <= _LABELLED or any(
            entry[0] == "line" for entry in names if entry not in lines
        ):
            return []
        if max(map(width, texts)) * self.small / 72 > self.width / 4:
            return []
        self.figure.draw_without_rendering()  # then it is known how far the ends are apart
        for axes in last:
            points = [self.entries[line][axes].get_xydata() for line in lines]
            if not all(map(len, points)):
                return []
            ends = axes.transData.transform([line[-1] for line in points])
            apart = np.diff(np.sort(ends[:, 1])).min(initial=np.inf) * 72 / self.figure.dpi
            seen = axes.get_window_extent().padded(2).count_contains(ends) == len(lines)
            if not seen or np.ptp(ends[:, 0]) > 1 or not apart >= 1.1 * self.small:
                return []
        for axes, (line, text) in product(last, zip(lines, texts)):
            drawn = self.entries[line][axes]
            dark = tuple(0.75 * np.array(to_rgb(drawn.get_color())))  # to be read on white
            style = {"color": dark, "fontsize": self.small, "va": "center"}
            place = {"textcoords": "offset points", "annotation_clip": False}
            axes.annotate(text, drawn.get_xydata()[-1], (5, 0), **style, **place)
        return lines

    def _explain(self) -> float:
        """Draw a legend below the panels, or in the axes that the user gave; return its height.

        Names are cut where all of them would be higher than the room, even in small letters.
        """
        from pt_cumgain.presentation.plots.fonts import width

        entries = sorted(self.entries, key=lambda entry: _KINDS.index(entry[0]))
        many = f"{len(self.others)} other{'s' * (len(self.others) > 1)}"
        texts = [many if kind == "others" else str(text) for kind, text in entries]
        room, height = self.figure.get_size_inches()
        most = PANEL[1] if self.grows else 0.4 * height
        place: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
        if self.inside:
            room, most = 0.8 * self.width, 0.45 * self.height
            place = {"loc": "best", "framealpha": 0.8, "edgecolor": "none"}
        for size in (8, 7, 6):
            ems = room * 72 / size - 2
            labels = [wrapped(text, ems - 4) for text in texts]
            each = 0.4 + 1.2 * max(label.count("\n") + 1 for label in labels)
            widest = max(width(line) for label in labels for line in label.split("\n"))
            columns = max(int((ems + 1.2) / (widest + 4.8)), 1)
            if self.inside:
                columns = min(columns, ceil(each * len(labels) * size / 72 / most))
            if each * ceil(len(labels) / columns) * size / 72 <= most:
                break
        else:
            size, columns = 5, ceil(1.6 * 5 / 72 * len(labels) / most)
            fit = int((room * 72 / size / columns - 5) / 0.68)
            cut = dict(zip(self.names, shortened(list(map(str, self.names)), max(fit, 5))))
            labels = [cut[e[1]] if e[0] == "line" else text for e, text in zip(entries, texts)]
            if fit < 8:
                self._warn(f"the {len(labels)} lines of the legend are")
        legend = self.drawn.legend(
            [next(iter(self.entries[entry].values())) for entry in entries],
            list(map(plain, labels)),
            ncols=columns,
            fontsize=size,
            **_SPACES,
            **place,
        )
        return float(legend.get_window_extent().height / self.figure.dpi)


def _is_size(figsize: Any) -> bool:
    return bool(np.shape(figsize) == (2,) and 0 < min(figsize) <= max(figsize) < np.inf)


def _columns(count: int, figsize: tuple[float, float] | None) -> int:
    """Return the number of columns that leaves few places empty and suits the size."""
    if figsize is None:
        return {4: 2, 7: 4, 8: 4}.get(count, min(count, 3))
    shape = figsize[0] / figsize[1] * PANEL[1] / PANEL[0]

    def unsuited(columns: int) -> float:
        rows = ceil(count / columns)
        return abs(log(shape * rows / columns)) + 1.5 * (rows * columns > count)

    return min(range(1, count + 1), key=unsuited)


def _check_ax(ax: Any, keys: Sequence[Any], figsize: Any) -> None:
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
