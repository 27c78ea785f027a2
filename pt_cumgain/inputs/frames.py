"""Frames with the column names of various programs, and checks of their columns."""

from __future__ import annotations

import reprlib
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np
from ir_measures.util import QrelsConverter

from pt_cumgain.engine.rows import (
    SESSION_COLUMNS,
    TO_PYTERRIER,
    also_called,
    group_run,
    refuse_others_than_dicts,
)
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.warning import name_dataset

TO_IR_MEASURES = {theirs: host for host, theirs in TO_PYTERRIER.items()}
_LABELS = {"label": "relevance", "score": "relevance"}
#: The columns that have other names than ir-measures', by the program's column of topics: those of
#: ir-measures, PyTerrier, BEIR and Hugging Face, ranx, and Quepid. Some call labels ``score``.
PROGRAMS: dict[str, dict[str, str]] = {
    "query_id": {},
    "qid": TO_IR_MEASURES,
    "query-id": {"query-id": "query_id", "corpus-id": "doc_id", **_LABELS},
    "q_id": {"q_id": "query_id", **_LABELS},
    "query": {"query": "query_id", "docid": "doc_id", "rating": "relevance"},
}
#: All names of the columns of topics and documents.
NAMES_OF_IDS = frozenset(
    ("query_id", "doc_id", "qid", "docno", "query-id", "corpus-id", "q_id", "docid")
)


def name_columns(columns: Iterable[Any], value: str) -> dict[str, str]:
    """Return a mapping from other programs' column names to those of ir-measures.

    ``value`` is ``score`` for a run and ``relevance`` for qrels, in which a column ``score`` is
    none of labels beside labels or, as in a run, beside ranks.
    """
    present = set(columns)
    names = PROGRAMS[next((topic for topic in PROGRAMS if topic in present), "qid")]
    if value == "relevance" and present.isdisjoint(("label", "relevance", "rank")):
        return names
    return {name: ours for name, ours in names.items() if name != "score"}


def choose_columns(columns: Sequence[str], value: str) -> dict[str, str]:
    """Return those columns of a file that are read, with the names of ir-measures.

    Raises
    ------
    ValueError
        If one is missing.
    """
    others, needed = name_columns(columns, value), ("query_id", "doc_id", value)
    names = {name: others.get(name, name) for name in columns}
    if missing := [name for name in needed if name not in names.values()]:
        found = f"(found {list(columns)}){also_called(missing)}"
        raise ValueError(f"missing columns: {missing} {found}")
    read = (*needed, "iteration", *SESSION_COLUMNS, *["rank"] * (value == "score"))
    chosen = [names[name] for name in columns if names[name] in read]
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"there is more than one column {max(chosen, key=chosen.count)!r}")
    return {theirs: name for theirs, name in names.items() if name in read}


def as_pandas(data: Any) -> Any:
    """Convert a frame of another library, such as polars, to pandas; return others as they are."""
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):  # a datasets.Dataset
        return data.to_pandas()
    if isinstance(data, np.ndarray) and not data.ndim:  # which cannot be iterated over
        return data.item()
    is_frame = hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__")
    if isinstance(data, pd.DataFrame) or not is_frame:
        return data
    return extras.pyarrow().table(data).to_pandas()


def rename_columns(data: Any, value: str = "score") -> Any:
    """Give a frame ir-measures' names of columns, and a dict for an object of ranx.

    ``value`` is the column of numbers: the ``score`` of a run, or the ``relevance`` of qrels.
    """
    data = as_pandas(data)
    if isinstance(data, Mapping):
        refuse_others_than_dicts(data, "run" if value == "score" else "qrels")
    if isinstance(data, pd.DataFrame):
        if "query_id" not in data:
            data = data.rename(columns=name_columns(data.columns, value))
        if value == "relevance":  # in which ir-measures' providers need texts
            ids = [name for name in ("query_id", "doc_id") if name in data]
            numbers = data[ids].select_dtypes("integer").columns
            data = data.assign(**{name: data[name].map(str) for name in numbers})
        return data
    if type(data).__module__.partition(".")[0] == "ranx":
        what, wanted = ("run", "Run") if value == "score" else ("qrels", "Qrels")
        if not hasattr(data, what):
            raise TypeError(f"{what} must be a ranx {wanted}, not a ranx {type(data).__name__}")
        return data.to_dict()
    return data


def require_columns(frame: Any, names: Iterable[Any], what: str, hint: str = "") -> None:
    """Refuse anything but a frame with these columns; the hint says where to get one.

    Raises
    ------
    TypeError, ValueError
        If it is not a frame; if a column is missing or appears twice.
    """
    if not isinstance(frame, pd.DataFrame):
        hint = "; convert it with to_pandas()" if hasattr(frame, "to_pandas") else hint
        raise TypeError(f"{what} must be a pandas DataFrame, not {reprlib.repr(frame)}{hint}")
    names = list(names)
    if missing := [name for name in names if name not in frame]:
        present = f"(found {list(frame.columns)})"
        raise ValueError(f"{what}: missing columns {missing} {present}{hint or also_called(names)}")
    if twice := [name for name in names if frame[name].ndim > 1]:
        raise ValueError(f"{what}: there is more than one column {twice[0]!r}")
    for name, kind in frame[names].dtypes.items():
        mixed: Any = frame[name] if pd.api.types.infer_dtype(frame[name]) == "mixed" else []
        wrong = [value for value in mixed if not pd.api.types.is_hashable(value)]
        if wrong:
            raise TypeError(f"{what}: the column {name!r} holds {wrong[0]!r}, not a text or number")
        if kind == "float16" or getattr(kind, "byteorder", "=") in "<>":  # not the native order
            raise TypeError(
                f"{what}: pandas cannot group the column {name!r} of the type {kind}; convert it, "
                "for example with astype(float)"
            )


def require_ids(frame: Any, names: list[str], what: str, ids: int = 1, hint: str = "") -> None:
    """Refuse anything but a frame with these columns, the first ``ids`` with an id in every row."""
    require_columns(frame, names, what, hint)
    for name in names[:ids]:
        if (missing := frame[name].isna()).any():
            raise ValueError(f"{what}: row {int(np.flatnonzero(missing)[0])} has no {name}")


def as_frame(qrels: Any) -> pd.DataFrame:
    """Return qrels, in any form of ir-measures, as a frame; a frame as it is."""
    qrels = as_pandas(qrels)
    if isinstance(qrels, pd.DataFrame):
        return qrels
    frame: pd.DataFrame = QrelsConverter(qrels).as_pd_dataframe()
    return frame


def ids_as_texts(table: Any) -> Any:
    """Return a table of pyarrow without codes, in which ids that are integers are texts."""
    types = extras.pyarrow().types
    for i, field in enumerate(table.schema):
        column = table.column(i)
        if types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        if field.name in NAMES_OF_IDS and types.is_integer(column.type):
            column = column.cast("string")
        table = table.set_column(i, field.name, column)
    return table


def check_ranks(table: Any, path: Path) -> None:
    """Warn if the column ``rank`` in the first rows of a file contradicts the scores."""
    with name_dataset(str(path), "file"):
        group_run(table.slice(0, 1 << 17))


def to_frame(table: Any) -> pd.DataFrame:
    """Return a table of pyarrow as a frame."""
    # without the notes on types and index that pandas left when it wrote a file
    frame: pd.DataFrame = ids_as_texts(table).replace_schema_metadata().to_pandas()
    return frame


def to_records(table: Any) -> list[Any]:
    """Return a table of pyarrow as records in the form of ir-measures."""
    row: Any = namedtuple("row", table.column_names)  # type: ignore[misc]
    columns = ids_as_texts(table).columns  # pyarrow looks codes up one by one
    return list(starmap(row, zip(*(column.to_pylist() for column in columns))))
