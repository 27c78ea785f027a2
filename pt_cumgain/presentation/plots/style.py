"""How lines are told apart, and texts that fit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

Highlight = str | Sequence[str] | None
Style = dict[str, Any]
Styles = dict[str, Style]

#: Okabe and Ito's colours, which readers with any kind of colour vision can tell apart, without
#: yellow, which is pale on white; their lightness differs, so that they differ in grey too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: With seven markers they make 28 kinds of line, even without colour. Even dashes are the ideal's.
DASHES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (6, 1, 1, 1)), (0, (6, 1, 1, 1, 1, 1)))
MARKERS = "osD^vPX"
#: The ideal, and other lines that are no system's: even dashes in grey, without markers.
IDEAL: Style = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 1}
#: The lines behind those that are highlighted.
OTHERS: Style = {"color": "0.8", "linestyle": "-", "linewidth": 0.7, "zorder": 0.9}


def line(i: int) -> Style:
    """Return the style of the i-th system: its colour, its dashes and its marker."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[i % len(DASHES)],
        "linewidth": 1.3,
        "marker": MARKERS[(i + i // 28) % len(MARKERS)],
        "markersize": 4,
        "markerfacecolor": "white" if i // len(COLOURS) % 2 else COLOURS[i % len(COLOURS)],
        "markevery": (0.02 + 0.03 * (i % 5), 0.16),  # relative to the panel, staggered
        "zorder": 2,
    }


def lines(names: Sequence[str], highlight: Highlight) -> Styles:
    """Return the style of each line; what is not highlighted is grey.

    Raises
    ------
    ValueError
        If a name is highlighted that is none of these.
    """
    chosen = [highlight] if isinstance(highlight, str) else highlight
    for name in chosen or ():
        if name not in names:
            raise ValueError(f"highlight: {name!r} is not one of {list(names)}")
    return {
        name: line(i) if chosen is None or name in chosen else OTHERS
        for i, name in enumerate(names)
    }


def short(measure: str) -> str:
    """Return the name of a measure without its parameters."""
    return measure.partition("(")[0].partition("@")[0]


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most so many characters that are still distinct, if need be by numbers."""
    cut = [_cut(name, width) for name in names]
    if len(set(cut)) < len(cut):
        cut = [f"{i} {_cut(name, width - 3)}" for i, name in enumerate(names, 1)]
    return cut


def _cut(name: str, width: int) -> str:
    tail = (width - 1) // 2
    return name if len(name) <= width else f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


class _Lines(textwrap.TextWrapper):
    """Lines that are broken at spaces and after commas, or else where they are full."""

    wordsep_re = re.compile(r"(\s+|(?<=,))")


def wrapped(text: str, room: float) -> str:
    """Break lines that are too wide; the room is in units of the size of the letters."""
    from pt_cumgain.presentation.plots.fonts import width  # needs matplotlib

    lines, fit = text.split("\n"), len(text)
    while (widest := max(map(width, lines))) > room and fit > 1:
        fit = max(min(fit - 1, int(max(map(len, lines)) * room / widest)), 1)
        lines = [part for whole in text.split("\n") for part in _Lines(fit).wrap(whole) or [""]]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return a text that matplotlib shows as it is: no mathematics, not hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
