"""Legends that fit the room that there is for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pt_cumgain.presentation.plots.style import plain, shortened, width, wrapped

#: Distances within a legend, in units of the size of its letters.
SPACES: dict[str, Any] = {
    "handlelength": 3.0,
    "handletextpad": 0.6,
    "columnspacing": 1.2,
    "labelspacing": 0.35,
    "borderpad": 0.3,
}
#: Sizes of letters, and how long the labels may be with them, in the order in which they are tried.
_TRIED = ((8, None), (7, None), (6, None), (6, 24), (6, 16), (5.5, 16), (5, 12), (5, 8), (5, 5))


class Fitted(NamedTuple):
    """How a legend is drawn: its letters, columns and labels, and its height in inches."""

    fontsize: float
    columns: int
    labels: list[str]
    height: float


def fitted(
    texts: list[str], tails: list[str], room: float, height: float, *, narrow: bool = False
) -> Fitted:
    """Return the legend with the largest letters that fits into a room in inches.

    Labels are texts and their tails. Texts are shortened only where letters of 6 points are too
    large. A legend has as many columns as possible, or as few with ``narrow``.
    """
    for size, longest in _TRIED:
        best = _in_columns(texts, tails, size, longest, room, height, narrow)
        if best.height <= height:
            break
    return best


def _in_columns(
    texts: list[str],
    tails: list[str],
    size: float,
    longest: int | None,
    room: float,
    height: float,
    narrow: bool,
) -> Fitted:
    em = size / 72
    edge, beside = 2 * SPACES["borderpad"] + 1, SPACES["handlelength"] + SPACES["handletextpad"]
    most = max(room / em - edge - beside, 5)
    given = texts if longest is None else shortened(texts, longest)
    labels = [wrapped(text + tail, most) for text, tail in zip(given, tails)]
    widths, lines = [_width(label) for label in labels], max(map(_lines, labels))

    def columned(columns: int) -> Fitted:
        rows = -(-len(labels) // columns)
        each = 1.2 * lines + SPACES["labelspacing"]
        return Fitted(
            size,
            -(-len(labels) // rows),
            [plain(label) or " " for label in labels],
            em * (edge + each * rows),
        )

    def fits(columns: int) -> bool:
        parts = np.array_split(widths, columns)
        needed = sum(part.max() + beside for part in parts) + SPACES["columnspacing"] * (
            columns - 1
        )
        return bool(em * (needed + edge) <= room)

    possible = [n for n in range(1, len(labels) + 1) if fits(columned(n).columns)] or [1]
    if narrow:
        enough = [n for n in possible if columned(n).height <= height]
        return columned(min(enough or possible[-1:]))
    return columned(possible[-1])


def _lines(label: str) -> int:
    return label.count("\n") + 1


def _width(label: str) -> float:
    return max(map(width, label.split("\n")))
