"""Tables with a head, separated by tabs, commas, semicolons or bars: of BEIR, pandas, Quepid, ...

Fields are quoted where they need it. The columns have the names that some program gives them, such
as BEIR's ``query-id``, ``corpus-id`` and ``score``:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import NAMES_OF_IDS, OTHERS, also_called, choose_columns
from pt_cumgain.inputs.grouping import to_table

SUFFIXES = (".tsv", ".csv")
#: The fewest columns of a run or of qrels.
_COLUMNS = 3
#: The begin of a number, which each line of a TREC file has.
_NUMBER = re.compile(r"(?:^|[\s,;|])[-+.]?[0-9]")
#: The columns that are read as texts.
_TEXTS = ("query_id", "doc_id", "iteration", *OTHERS)
#: A line, and what may stand before the head: a comment, or how spreadsheets note the separator.
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|$)")
_BEFORE = ("#", "sep=")


def reads(path: Path) -> bool:
    """Return whether a file begins with a head, whatever its suffix; a pipe is not looked at.

    A head has no number, and the name of a column of ids, or columns that are unknown.
    """
    line, _, columns, _ = _find_head(lines.read_begin(path))
    if not all(np.isnan(lines.read_number(name)) for name in columns):
        return False
    return _has_ids(columns) or (len(columns) >= _COLUMNS and not _NUMBER.search(line))


def _has_ids(columns: list[str]) -> bool:
    """Return whether a column of ids has one of its names."""
    return not NAMES_OF_IDS.isdisjoint(column.lower() for column in columns)


def _find_head(text: bytes) -> tuple[str, str, list[str], int]:
    """Return the first line of a table, the sign between its fields, the fields, and its end."""
    for found in _LINE.finditer(text):
        line = found[1].decode("utf-8-sig", errors="replace").strip()
        if line and not line.startswith(_BEFORE):
            return line, *lines.split_head(line), found.end()
    return "", "", [], 0


def read_batches(path: Path, _rows: int | None, value: str, chosen: str = "") -> Iterator[object]:
    """Yield the run or the qrels in one table."""
    with lines.open_text(path, path) as file:
        text = file.read()
    line, sign, columns, begin = _find_head(text)
    if not _has_ids(columns):
        known = also_called(["query_id", "doc_id", value])
        raise ValueError(f"the first line has no known name of a column: {show(line)}{known}")
    if "system" in columns:
        raise ValueError("it holds several runs, in a column 'system'; write each to its own file")
    names = choose_columns(columns, value, chosen)
    table = _read_regular(text[begin:], sign, columns, names)
    yield _read_rows(text, begin, sign, columns, names) if table is None else table


def _read_regular(rows: bytes, sign: str, columns: list[str], names: dict[str, str]) -> Any:
    """Return the table of rows without quotes, and blanks around fields; None if there are some."""
    odd = ('"', "\0", sign + " ", " " + sign, "\n ", " \n", " \r")
    if rows[:1] == b" " or rows[-1:] == b" " or any(signs.encode() in rows for signs in odd):
        return None
    texts = [theirs for name, theirs in names.items() if name in _TEXTS]
    numbers = [theirs for name, theirs in names.items() if name not in _TEXTS]
    table = lines.read_regular(rows, columns, codes=[], texts=texts, numbers=numbers, sign=sign)
    return table if table is None else table.select([*names.values()]).rename_columns([*names])


def _read_rows(
    text: bytes, begin: int, sign: str, columns: list[str], names: dict[str, str]
) -> Any:
    """Return the table of any rows, which begin there, without blanks around fields."""
    import csv

    before, numbers, rows = len(text[:begin].splitlines()), [], []
    content = StringIO(text[begin:].decode(errors="surrogateescape"), newline="")
    reader = csv.reader(content, delimiter=sign, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if len(row) == len(columns):
                rows.append([field.strip(" ") for field in row])
                numbers.append(before + reader.line_num)
            elif "".join(row).strip():
                raise ValueError(f"{len(row)} fields, expected {len(columns)}")
    except (csv.Error, ValueError) as error:
        raise ValueError(f"line {before + reader.line_num}: {error}") from None
    positions = {name: columns.index(theirs) for name, theirs in names.items()}
    texts = {name: [row[at] for row in rows] for name, at in positions.items()}
    return to_table(texts, names, lambda row: f"line {numbers[row]}")
