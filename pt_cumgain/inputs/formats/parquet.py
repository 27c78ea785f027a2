"""Parquet files, and folders of them, with the columns of ir-measures or PyTerrier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import dataset

from pt_cumgain.inputs.formats.trec import RUN_COLUMNS
from pt_cumgain.inputs.frames import TO_IR_MEASURES, renamed


def reads(path: Path) -> bool:
    """Tell whether a path is of this format, as all folders are."""
    return path.is_dir() or path.suffix in {".parquet", ".pq"}


def read_batches(path: Path, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the run in frames of at most ``rows`` rows."""
    source = dataset.dataset(path, format="parquet")
    present = [TO_IR_MEASURES.get(name, name) for name in source.schema.names]
    missing = [name for name in RUN_COLUMNS[:3] if name not in present]
    if not source.files:
        return
    if missing:
        raise ValueError(f"{path}: missing columns: {missing} (found {source.schema.names})")
    wanted = [name for name in source.schema.names if TO_IR_MEASURES.get(name, name) in RUN_COLUMNS]
    if rows is None:
        yield _with_texts(source.to_table(columns=wanted))
        return
    # read little ahead: pyarrow would hold sixteen batches otherwise
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in source.to_batches(columns=wanted, batch_size=rows, **ahead):
        yield _with_texts(batch)


def _with_texts(table: Any) -> pd.DataFrame:
    """Return a frame with the names of ir-measures; ids that are numbers become strings."""
    frame: pd.DataFrame = renamed(table.to_pandas())
    ids = [name for name in ("query_id", "doc_id") if name in frame]
    numbers = [name for name in ids if pd.api.types.is_integer_dtype(frame[name])]
    return frame.astype(dict.fromkeys(numbers, "str"))
