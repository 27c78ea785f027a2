"""Parquet files, and folders of them, with the columns of ir-measures or PyTerrier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from pyarrow import dataset

from pt_cumgain.inputs.formats.trec import RUN_COLUMNS
from pt_cumgain.inputs.frames import TO_IR_MEASURES, renamed


def reads(path: Path) -> bool:
    """Tell whether a path is of this format: by its name, or a folder by what is in it."""
    if path.is_dir():
        return any(_begins_as_parquet(file) for file in path.rglob("*") if file.is_file())
    return path.suffix in {".parquet", ".pq"}


def _begins_as_parquet(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(4) == b"PAR1"


def read_batches(path: Path, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the run in frames of at most ``rows`` rows."""
    source = dataset.dataset(path, format="parquet")
    wanted = [name for name in source.schema.names if TO_IR_MEASURES.get(name, name) in RUN_COLUMNS]
    if rows is None:
        yield renamed(source.to_table(columns=wanted).to_pandas())
        return
    # read little ahead: pyarrow would hold sixteen batches otherwise
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in source.to_batches(columns=wanted, batch_size=rows, **ahead):
        yield renamed(batch.to_pandas())
