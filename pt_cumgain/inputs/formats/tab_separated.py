"""Tab-separated files with a head, such as BEIR's ``qrels/test.tsv``.

BEIR writes and reads them by Python's ``csv``, with quotes where a field needs them:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.environment import extras
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.frames import NAMES_OF_IDS, choose_columns

SUFFIXES = (".tsv",)


def reads(path: Path) -> bool:
    """Return whether a path is of this format: MS MARCO's TREC qrels are .tsv without a head."""
    if lines.suffix_of(path) not in SUFFIXES:
        return False
    with lines.open_text(path, path) as file:
        head = file.readline().decode(errors="replace")
    return not NAMES_OF_IDS.isdisjoint(head.replace('"', "").split())


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[Any]:
    """Yield the run or the qrels in one table."""
    csv = extras.pyarrow("pyarrow.csv")
    with lines.open_text(path, path) as file:
        table = csv.read_csv(
            file,
            csv.ReadOptions(block_size=1 << 30),  # the whole says whether numbers are integers
            csv.ParseOptions(delimiter="\t"),
            csv.ConvertOptions(column_types=dict.fromkeys(NAMES_OF_IDS, "string")),
        )
    names = choose_columns(table.column_names, value)
    yield table.select(list(names)).rename_columns(list(names.values()))
