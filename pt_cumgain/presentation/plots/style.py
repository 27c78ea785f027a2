"""How lines are told apart, and texts that fit."""

from __future__ import annotations

import re
from functools import lru_cache
from math import isfinite
from typing import Any

#: Okabe and Ito's colours, which readers with any kind of colour vision can tell apart, without
#: yellow, which is pale on white; their lightness differs, so that they differ in grey too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: With seven markers they make 28 kinds of line, even without colour. Even dashes are the ideal's.
DASHES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (6, 1, 1, 1)), (0, (6, 1, 1, 1, 1, 1)))
MARKERS = "osD^vPX"
#: The ideal, and other lines that are no system's: even dashes in grey, without markers.
IDEAL: dict[str, Any] = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 1}


def line(i: int) -> dict[str, Any]:
    """Return the style of the i-th system: its colour, its dashes and its marker."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[i % len(DASHES)],
        "linewidth": 1.3,
        "marker": MARKERS[i % len(MARKERS)],
        "markersize": 4,
        "markerfacecolor": "white" if i // len(COLOURS) % 2 else COLOURS[i % len(COLOURS)],
        "markevery": (0.02 + 0.03 * (i % 5), 0.16),  # relative to the panel, staggered
        "zorder": 2,
    }


def short(measure: str) -> str:
    """Return the name of a measure without its parameters."""
    return measure.partition("(")[0].partition("@")[0]


def shortened(names: list[str], width: int = 24, *, numbered: bool = False) -> list[str]:
    """Return names of at most so many characters that are still distinct, if need be by numbers."""
    if numbered or not distinct(names, width):
        return [f"{i} {_cut(name, width - 3)}" for i, name in enumerate(names, 1)]
    return [_cut(name, width) for name in names]


def distinct(names: list[str], width: int) -> bool:
    """Tell whether names that are cut to so many characters are still distinct."""
    return len({_cut(name, width) for name in names}) == len(set(names))


def _cut(name: str, width: int) -> str:
    tail = (width - 1) // 3
    return name if len(name) <= width else f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


def wrapped(text: str, room: float) -> str:
    """Break lines that are too wide, at spaces or after commas where there are any.

    The room is in units of the size of the letters.
    """
    lines = []
    for given in text.split("\n"):
        line = ""
        for part in re.split(r"(?<=[, ])", given):
            if line and width(line + part.rstrip()) > room:
                lines.append(line)
                line = ""
            line += part
            while len(line) > 1 and width(line.rstrip()) > room:
                fits = [n for n in range(2, len(line)) if width(line[:n]) <= room]
                lines.append(line[: max(fits, default=1)])
                line = line[max(fits, default=1) :]
        lines.append(line)
    return "\n".join(line.strip() for line in lines)


@lru_cache(maxsize=4096)
def width(text: str) -> float:
    """Return the width of a line, in units of the size of its letters."""
    from matplotlib.textpath import TextPath

    drawn: float = TextPath((0, 0), text.replace("$", "S"), size=100).get_extents().width / 100
    return drawn if isfinite(drawn) else 0.0


def plain(text: str) -> str:
    """Return a text that matplotlib shows as it is: no mathematics, not hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
