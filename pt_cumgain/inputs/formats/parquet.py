"""Parquet files, and folders of them, with columns that frames may have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.environment import extras
from pt_cumgain.inputs.columns import NAMES_OF_IDS, choose_columns

SUFFIXES = (".parquet", ".parq", ".pq")
#: What the names of folders hold: ids as they are, not ``7`` for ``007``.
_TYPES = {**dict.fromkeys(NAMES_OF_IDS, "string"), **dict.fromkeys(SESSION_COLUMNS, "int64")}


def reads(path: Path) -> bool:
    """Return whether a path is of this format, as all folders are."""
    return path.is_dir() or _is_parquet(path)


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.name[0] not in "._"


def read_batches(path: Path, rows: int | None, value: str, chosen: str = "") -> Iterator[Any]:
    """Yield the run or the qrels in tables of at most ``rows`` rows.

    A folder may be partitioned in Hive's way, by names of folders: ``qid=7``.
    """
    pyarrow, dataset = extras.pyarrow(), extras.pyarrow("pyarrow.dataset")
    inside = sorted(path.iterdir()) if path.is_dir() else [path]
    files: Any = [str(file) for file in inside if _is_parquet(file)]
    if any("=" in folder.name and folder.is_dir() for folder in inside):
        files = path  # of partitions
    elif not files:
        other = "" if value == "score" else ", and is not BEIR's with qrels/test.tsv"
        raise ValueError(f"the folder holds no Parquet files{other}")
    hive = "hive" if files is path else None
    source = dataset.dataset(files, format="parquet", partitioning=hive)
    if hive:
        keys = {*source.partitioning.schema.names} & {*_TYPES}
        schema = pyarrow.schema([(name, _TYPES[name]) for name in sorted(keys)])
        partitioning = dataset.partitioning(schema, flavor="hive")
        source = dataset.dataset(files, format="parquet", partitioning=partitioning)
    own = choose_columns(source.schema.names, value, chosen)
    read = list(own.values())
    needed = {own[name] for name in ("query_id", "doc_id", value) if name in own}
    fragments = [] if hive else source.get_fragments()  # a folder's name may hold a column
    for file in fragments:
        lacking = needed.difference(file.physical_schema.names)
        if lacking:
            raise ValueError(f"{file.path} lacks columns of the first file: {sorted(lacking)}")
    if rows is None:
        yield source.to_table(columns=read).rename_columns(list(own))
        return
    # read little ahead: pyarrow would hold sixteen batches otherwise
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in source.to_batches(columns=read, batch_size=rows, **ahead):
        yield pyarrow.Table.from_batches([batch]).rename_columns(list(own))
