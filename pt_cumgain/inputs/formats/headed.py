"""Tables with a head, separated by tabs, commas, semicolons or bars: of BEIR, pandas, Quepid, ...

Fields are quoted where they need it. The columns have the names that some program gives them, such
as BEIR's ``query-id``, ``corpus-id`` and ``score``:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import NAMES_OF_IDS, OTHERS, also_called, choose_columns
from pt_cumgain.inputs.records import make_table

SUFFIXES = (".tsv", ".csv")
#: The fewest columns of a run or of qrels.
_COLUMNS = 3
#: The begin of a number, which each line of a TREC file has.
_NUMBER = re.compile(r"(?:^|[\s,;|])[-+.]?[0-9]")
#: A line, and what may stand before the head: a comment, or how spreadsheets note the separator.
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|$)")
_BEFORE = ("#", "sep=")


class _Head(NamedTuple):
    """The first line of a table, the character between its fields, the fields, and its end."""

    line: str
    delimiter: str
    columns: list[str]
    end: int

    @property
    def known(self) -> bool:
        """Whether a column of ids has one of its names."""
        return not NAMES_OF_IDS.isdisjoint(column.lower() for column in self.columns)


def reads(path: Path) -> bool:
    """Return whether a file begins with a head, whatever its suffix; a pipe is not looked at.

    A head has no number, and the name of a column of ids, or columns that are unknown.
    """
    head = _find_head(lines.read_begin(path))
    if not all(np.isnan(lines.read_number(name)) for name in head.columns):
        return False
    return head.known or (len(head.columns) >= _COLUMNS and not _NUMBER.search(head.line))


def _find_head(text: bytes) -> _Head:
    """Return the first line of a table that is neither empty nor a comment."""
    for found in _LINE.finditer(text):
        line = found[1].decode("utf-8-sig", errors="replace").strip()
        if line and not line.startswith(_BEFORE):
            return _Head(line, *lines.split_head(line), found.end())
    return _Head("", "", [], 0)


def read_batches(path: Path, _rows: int | None, value: str, chosen: str = "") -> Iterator[Any]:
    """Yield the run or the qrels in one table."""
    with lines.open_text(path, path) as file:
        text = file.read()
    head = _find_head(text)
    if not head.known:
        known = also_called(["query_id", "doc_id", value])
        raise ValueError(f"the first line has no known name of a column: {show(head.line)}{known}")
    if "system" in head.columns:
        raise ValueError(
            "there is a column 'system', so it holds several runs; write each to a file of its own"
        )
    names = choose_columns(head.columns, value, chosen)
    table = _read_regular(text[head.end :], head, names)
    yield _read_rows(text, head, names) if table is None else table


def _read_regular(rows: bytes, head: _Head, names: dict[str, str]) -> Any:
    """Return the table of rows that pyarrow reads as Python would; None if there are others."""
    sign = head.delimiter
    blanks = [end + blank for end in (sign, "\n") for blank in " \t" if blank != sign]
    blanks += [blank + end for end in (sign, "\n", "\r") for blank in " \t" if blank != sign]
    if any(odd.encode() in rows for odd in ('"', "\0", *blanks)):
        return None
    pyarrow, reader = extras.pyarrow(), extras.pyarrow("pyarrow.csv")
    texts = {"query_id", "doc_id", "iteration", *OTHERS}
    kinds = {theirs: "string" if name in texts else "float64" for name, theirs in names.items()}
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(rows),
            reader.ReadOptions(block_size=len(rows) + 1, column_names=head.columns),
            reader.ParseOptions(delimiter=sign, quote_char=False),
            reader.ConvertOptions(column_types=kinds, include_columns=list(kinds), null_values=[]),
        )
    except pyarrow.ArrowInvalid:
        return None
    return table.rename_columns(list(names))


def _read_rows(text: bytes, head: _Head, names: dict[str, str]) -> Any:
    """Return the table of any rows, without blanks around fields."""
    columns: dict[str, list[str]] = {name: [] for name in names}
    places = {name: head.columns.index(theirs) for name, theirs in names.items()}
    before, numbers = len(text[: head.end].splitlines()), []
    rows = StringIO(text[head.end :].decode(errors="surrogateescape"), newline="")
    reader = csv.reader(rows, delimiter=head.delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if len(row) != len(head.columns):
                if "".join(row).strip():
                    raise ValueError(f"{len(row)} fields, expected {len(head.columns)}")
                continue
            numbers.append(before + reader.line_num)
            for name, place in places.items():
                columns[name].append(row[place].strip(" \t"))
    except (csv.Error, ValueError) as error:
        raise ValueError(f"line {before + reader.line_num}: {error}") from None
    return make_table(columns, names, lambda row: f"line {numbers[row]}")
