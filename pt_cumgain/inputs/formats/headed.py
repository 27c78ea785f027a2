"""Tables with a head, separated by tabs, commas or semicolons: of BEIR, pandas, Quepid and others.

Fields are quoted where they need it. The columns are those of frames, such as BEIR's ``query-id``,
``corpus-id`` and ``score``:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.environment import extras
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import NAMES_OF_IDS, choose_columns

SUFFIXES = (".tsv", ".csv")


def reads(path: Path) -> bool:
    """Return whether a file begins with a head, whatever its suffix; a pipe is not looked at."""
    return path.is_file() and not NAMES_OF_IDS.isdisjoint(_read_head(path)[1])


def _read_head(path: Path) -> tuple[str, list[str]]:
    """Return the character between the fields of the first line, and the fields."""
    with lines.open_text(path, path) as file:
        head = file.readline(lines.LONGEST).decode("utf-8-sig", errors="replace")
    return lines.split_head(head)


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[Any]:
    """Yield the run or the qrels in one table."""
    delimiter, columns = _read_head(path)
    if "system" in columns:
        raise ValueError(
            "there is a column 'system', so it holds several runs; write each to a file of its own"
        )
    reader = extras.pyarrow("pyarrow.csv")
    with lines.open_text(path, path) as file:
        table = reader.read_csv(
            file,
            reader.ReadOptions(block_size=1 << 30),  # the whole says whether numbers are integers
            reader.ParseOptions(delimiter=delimiter),
            reader.ConvertOptions(column_types=dict.fromkeys(NAMES_OF_IDS, "string")),
        )
    own = choose_columns(table.column_names, value)
    yield table.select(list(own.values())).rename_columns(list(own))
