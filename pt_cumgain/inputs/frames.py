"""Frames of pandas and other libraries, checks of their columns, and tables of rows as frames."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from ir_measures import Qrel
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.engine.arrow import is_table
from pt_cumgain.engine.rows import SESSION_COLUMNS, Table
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.columns import also_called


def open_frame(data: object) -> Any:
    """Return the frame of another library as one of pandas or pyarrow; anything else as it is."""
    if is_table(data) or is_pandas(data):
        return data
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):  # a datasets.Dataset
        return data.to_pandas()
    if hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__"):  # polars and others
        return extras.pyarrow().table(data)
    return data


def is_pandas(data: object) -> bool:
    """Return whether data are a frame of pandas, which whoever made it has imported."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def as_pandas(data: Any) -> Any:
    """Convert a frame of another library, such as polars, to pandas; return others as they are."""
    data = open_frame(data)
    return data.to_pandas() if is_table(data) else data


def to_frame(table: Table, value: str) -> pd.DataFrame:
    """Return a table as a frame with PyTerrier's names, its rows in their original order.

    ``value`` is the name of the column of numbers: ``score`` or ``label``.
    """
    order = np.argsort(table.at(np.arange(table.bounds[-1])))
    rows = table.at(order)
    topics = np.repeat(np.array(table.topics, dtype=object), np.diff(table.bounds))
    numbers = table.values[rows]
    columns: dict[str, Any] = {
        "qid": topics[order],
        "docno": np.array(table.docs.take(rows), dtype=object),
        value: numbers if value == "score" else whole_labels(numbers),
    }
    if table.ranks is not None:
        columns["rank"] = table.ranks[rows]
    for name, counts in zip(SESSION_COLUMNS, (table.position, table.length, table.scanned)):
        if counts is not None:
            columns[name] = counts[rows]
    return pd.DataFrame(columns)


def as_hosts_qrels(qrels: Table) -> list[Qrel] | dict[str, dict[str, int]]:
    """Return qrels for ir-measures' own measures.

    They are records if they have iterations, else dicts, in which topics may have no judgments.
    """
    rows = qrels.at(np.arange(qrels.bounds[-1]))
    docs, labels = qrels.docs.take(rows), whole_labels(qrels.values[rows]).tolist()
    if qrels.iteration is None:
        ends = zip(qrels.topics, qrels.bounds, qrels.bounds[1:])
        return {topic: dict(zip(docs[a:b], labels[a:b])) for topic, a, b in ends}
    topics = np.repeat(np.array(qrels.topics, dtype=object), np.diff(qrels.bounds)).tolist()
    return [Qrel(*row) for row in zip(topics, docs, labels, qrels.iteration.take(rows))]


def whole_labels(labels: Floats) -> Floats | NDArray[np.int64]:
    """Return labels as integers if all of them are, and small enough to be exact."""
    if (labels == np.rint(labels)).all() and (np.abs(labels) < 2**53).all():
        return labels.astype(np.int64)
    return labels


def require_columns(frame: object, names: Iterable[Any], what: str, hint: str = "") -> None:
    """Refuse anything but a frame with these columns; the hint says where to get one.

    Raises
    ------
    TypeError, ValueError
        If it is not a frame; if a column is missing or appears twice.
    """
    if not isinstance(frame, pd.DataFrame):
        hint = "; convert it with to_pandas()" if hasattr(frame, "to_pandas") else hint
        raise TypeError(f"{what} must be a pandas DataFrame, not {show(frame)}{hint}")
    names = list(names)
    missing = [name for name in names if name not in frame]
    if missing:
        present = f"(found {show(list(frame.columns))})"
        raise ValueError(f"{what}: missing columns {missing} {present}{hint or also_called(names)}")
    twice = [name for name in names if frame[name].ndim > 1]
    if twice:
        raise ValueError(f"{what}: there is more than one column {show(twice[0])}")
    for name, kind in frame[names].dtypes.items():
        mixed: Any = frame[name] if pd.api.types.infer_dtype(frame[name]) == "mixed" else []
        is_odd = kind == "float16" or getattr(kind, "byteorder", "=") in "<>"  # not the native one
        if is_odd or not all(pd.api.types.is_hashable(value) for value in mixed):
            raise TypeError(
                f"{what}: pandas cannot group by the column {show(name)} of the type {kind}; "
                "convert it to texts or to other numbers"
            )


def require_ids(frame: pd.DataFrame, names: list[str], what: str, hint: str = "") -> None:
    """Refuse anything but a frame with these columns, the first with an id in every row."""
    require_columns(frame, names, what, hint)
    missing = np.flatnonzero(frame[names[0]].isna())
    if len(missing):
        raise ValueError(f"{what}: row {missing[0]} has no {names[0]}")
