"""Parquet files, and folders of them, with the columns of ir-measures or PyTerrier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.engine.rows import SESSION_COLUMNS, also_called
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs.formats.trec import RUN_COLUMNS
from pt_cumgain.inputs.frames import TO_IR_MEASURES, rename_columns

SUFFIXES = (".parquet", ".pq")


def reads(path: Path) -> bool:
    """Return whether a path is of this format, as all folders are."""
    return path.is_dir() or path.suffix in SUFFIXES


def read_batches(path: Path, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the run in frames of at most ``rows`` rows.

    A folder may be partitioned in Hive's way, by names of folders: ``qid=7``.
    """
    pyarrow, dataset = extras.pyarrow(), extras.pyarrow("pyarrow.dataset")
    source = dataset.dataset(path, format="parquet")
    if keys := _keys(path, source.files):
        schema = pyarrow.schema([(name, _TYPES[_rename(name)]) for name in keys])
        partitioning = dataset.partitioning(schema, flavor="hive")
        source = dataset.dataset(path, format="parquet", partitioning=partitioning)
    present = [_rename(name) for name in source.schema.names]
    missing = [name for name in RUN_COLUMNS[:3] if name not in present]
    if not source.files:
        return
    if missing:
        columns = f"(found {source.schema.names})"
        raise ValueError(f"{path}: missing columns: {missing} {columns}{also_called(missing)}")
    wanted = [name for name in source.schema.names if _rename(name) in RUN_COLUMNS]
    if rows is None:
        yield _with_texts(source.to_table(columns=wanted))
        return
    # read little ahead: pyarrow would hold sixteen batches otherwise
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in source.to_batches(columns=wanted, batch_size=rows, **ahead):
        yield _with_texts(pyarrow.Table.from_batches([batch]))


#: What the names of folders hold: ids as they are, not ``7`` for ``007``.
_TYPES = {
    "query_id": "string",
    "doc_id": "string",
    **dict.fromkeys(SESSION_COLUMNS, "int64"),
}


def _rename(name: str) -> str:
    return TO_IR_MEASURES.get(name, name)


def _keys(path: Path, files: list[str]) -> list[str]:
    """Return the columns of a run that are in the names of folders."""
    parts = {part for file in files for part in Path(file).parts[len(path.parts) : -1]}
    names = {part.partition("=")[0] for part in parts if "=" in part}
    return sorted(name for name in names if _rename(name) in _TYPES)


def _with_texts(table: Any) -> pd.DataFrame:
    """Return a frame with the names of ir-measures; ids that are integers become strings."""
    pyarrow = extras.pyarrow()
    for i, field in enumerate(table.schema):
        coded = pyarrow.types.is_dictionary(field.type)
        kind = field.type.value_type if coded else field.type
        if _rename(field.name) in {"query_id", "doc_id"} and pyarrow.types.is_integer(kind):
            texts = table.column(i).cast(kind).cast(pyarrow.string())
            table = table.set_column(i, field.name, texts)
    # without the notes on types and index that pandas left when it wrote the file
    frame: pd.DataFrame = rename_columns(table.replace_schema_metadata().to_pandas())
    return frame
