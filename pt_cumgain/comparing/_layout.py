"""The layout of a table of means: what stands in its cells, and which way round it is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np
import pandas as pd

from pt_cumgain.writing.phrases import write_number
from pt_cumgain.writing.rendering import Cell, Head

#: Follows the mark of a system that is worse than a baseline.
WORSE = "↓"
#: The most systems that stand side by side, unless measures are as many.
_COLUMNS = 5


def turn(
    measures: list[Head], systems: list[Head], cells: list[list[Cell]], rows: str | None
) -> tuple[list[Head], list[Head], list[list[Cell]]]:
    """Return the heads of columns and rows, and the cells; ``cells`` has a row for each measure.

    A table is read down, so the rows are systems if they are many and outnumber the measures.
    """
    many = len(systems) > max(_COLUMNS, len(measures))
    if rows == "measures" or (rows is None and not many):
        return systems, measures, cells
    return measures, systems, [[row[i] for row in cells] for i in range(len(systems))]


def join_letters(marks: Iterable[str]) -> str:
    """Return letters in order, three or more in a row as a range, unless they have signs.

    >>> join_letters("hgedca"), join_letters(["a↓", "b↓", "c↓"])
    ('a,c–e,g,h', 'a↓,b↓,c↓')
    """
    rows: list[list[str]] = []
    for mark in sorted(marks):
        if rows and ord(mark[0]) == ord(rows[-1][-1][0]) + 1:
            rows[-1].append(mark)
        else:
            rows.append([mark])
    return ",".join(
        f"{row[0]}–{row[-1]}" if len(row) > 2 and WORSE not in "".join(row) else ",".join(row)
        for row in rows
    )


def fill_cells(
    data: pd.DataFrame, marks: Mapping[Hashable, str], decimals: int, has_ends: bool
) -> list[Cell]:
    """Return the cells of one measure; the best of the printed numbers are marked."""
    texts = [write_number(mean, decimals) for mean in data["mean"]]
    numbers = [float(text) for text in texts]
    # the best of what is printed: readers would take one of two equal numbers in bold for an error
    best = max(numbers) if any(numbers) else np.nan  # of nothing but 0, none is best
    ends = [_write_ends(row, decimals) if has_ends else "" for row in data.to_dict("records")]
    return [
        Cell(text, len(texts) > 1 and number == best, marks.get(cell, ""), interval)
        for text, number, cell, interval in zip(texts, numbers, data.index, ends)
    ]


def _write_ends(row: Mapping[Hashable, float], decimals: int) -> str:
    """Return ``[low, high]``, after a difference with its sign if there is one.

    >>> [_write_ends({"difference": x, "low": x - 1, "high": x + 1}, 1) for x in (0.04, 0.2)]
    ['0.0 [-1.0, 1.0]', '+0.2 [-0.8, 1.2]']
    """
    if np.isnan(row["low"]):
        return ""
    ends = f"[{write_number(row['low'], decimals)}, {write_number(row['high'], decimals)}]"
    if "difference" not in row:
        return ends
    difference = write_number(row["difference"], decimals)
    return f"+{difference} {ends}" if float(difference) > 0 else f"{difference} {ends}"
