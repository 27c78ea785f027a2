"""Tables with a head, separated by tabs, commas, semicolons or bars: of BEIR, pandas, Quepid, ...

Fields are quoted where they need it. The columns have the names that some program gives them, such
as BEIR's ``query-id``, ``corpus-id`` and ``score``:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.environment import extras
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import NAMES_OF_IDS, OTHERS, also_called, choose_columns

SUFFIXES = (".tsv", ".csv")
#: The fewest columns of a run or of qrels.
_COLUMNS = 3
#: The begin of a number, which each line of a TREC file has.
_NUMBER = re.compile(r"(?:^|[\s,;|])[-+.]?[0-9]")


def reads(path: Path) -> bool:
    """Return whether a file begins with a head, whatever its suffix; a pipe is not looked at.

    A head has the name of a column of ids; or it has no number, and its columns are unknown.
    """
    if not path.is_file():
        return False
    line, _, fields = _read_head(path)
    known = not NAMES_OF_IDS.isdisjoint(fields)
    return known or (len(fields) >= _COLUMNS and not _NUMBER.search(line))


def _read_head(path: Path) -> tuple[str, str, list[str]]:
    """Return the first line, the character between its fields, and the fields."""
    with lines.open_text(path, path) as file:
        line = file.readline(lines.LONGEST).decode("utf-8-sig", errors="replace")
    return line, *lines.split_head(line)


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[Any]:
    """Yield the run or the qrels in one table."""
    line, delimiter, columns = _read_head(path)
    if NAMES_OF_IDS.isdisjoint(columns):
        known = also_called(["query_id", "doc_id", value])
        raise ValueError(f"the first line has no known name of a column: {line[:100]!r}{known}")
    if "system" in columns:
        raise ValueError(
            "there is a column 'system', so it holds several runs; write each to a file of its own"
        )
    chosen = choose_columns(columns, value)
    read = list(chosen.values())
    reader = extras.pyarrow("pyarrow.csv")
    with lines.open_text(path, path) as file:
        table = reader.read_csv(
            file,
            reader.ReadOptions(block_size=1 << 30),  # the whole says whether numbers are integers
            reader.ParseOptions(delimiter=delimiter),
            reader.ConvertOptions(
                column_types={
                    **dict.fromkeys([*NAMES_OF_IDS, *OTHERS, "iteration"], "string"),
                    chosen[value]: "float64",
                },
                include_columns=read,
            ),
        )
    yield table.rename_columns(list(chosen))
