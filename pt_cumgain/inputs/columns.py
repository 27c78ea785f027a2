"""The columns of runs and qrels: what programs call them, which are read, what they may hold."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.environment.arrow import to_numpy

#: The columns that PyTerrier and ir-measures name differently.
TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: name for name, theirs in TO_PYTERRIER.items()}
_LABELS = {"relevance": ("label", "score")}
#: The columns that have other names than ir-measures', by the program's column of topics: those of
#: ir-measures, PyTerrier, BEIR and Hugging Face, ranx, and Quepid. Some call labels ``score``.
PROGRAMS: dict[str, dict[str, tuple[str, ...]]] = {
    "query_id": {},
    "qid": {name: (theirs,) for name, theirs in TO_PYTERRIER.items()},
    "query-id": {"query_id": ("query-id",), "doc_id": ("corpus-id",), **_LABELS},
    "q_id": {"query_id": ("q_id",), **_LABELS},
    "query": {"query_id": ("query",), "doc_id": ("docid",), "relevance": ("rating",)},
}
#: All names of the columns of topics and documents.
NAMES_OF_IDS = frozenset(
    ("query_id", "doc_id", "qid", "docno", "query-id", "corpus-id", "q_id", "docid")
)


def find_columns(columns: Iterable[Any], value: str) -> dict[str, str]:
    """Return what a table calls each of the columns that are read, by ir-measures' name.

    ``value`` is ``score`` for a run and ``relevance`` for qrels. A column ``score`` of qrels holds
    no labels beside a column of labels or, as in a run, beside ranks.
    """
    present = set(columns)
    program = next((topic for topic in PROGRAMS if topic in present), "qid")
    read = ["query_id", "doc_id", value, "iteration", *SESSION_COLUMNS]
    if value == "score":
        read.append("rank")
    found = {}
    for name in read:
        names = [name, *PROGRAMS[program].get(name, ())]
        known = [theirs for theirs in names if theirs in present]
        if known:
            found[name] = known[0]
    if found.get("relevance") == "score" and "rank" in present:
        del found["relevance"]
    return found


def choose_columns(columns: Iterable[Any], value: str, start: str = "") -> dict[str, str]:
    """Return the result of :func:`find_columns`; refuse a table that lacks a needed column.

    Raises
    ------
    ValueError
        If a column is missing, or appears twice. The error begins with ``start``.
    """
    columns = list(columns)
    found = find_columns(columns, value)
    missing = [name for name in ("query_id", "doc_id", value) if name not in found]
    if missing:
        hint = also_called(missing)
        labels = find_columns(columns, "relevance").get("relevance")
        if "score" in missing and labels:
            hint = f"; it has a column {labels}: is this qrels?"
        elif "relevance" in missing and "score" in columns:
            hint = "; it has a column score: is this a run?"
        raise ValueError(f"{start}missing columns: {missing} (found {columns}){hint}")
    for theirs in found.values():
        if columns.count(theirs) > 1:
            raise ValueError(f"{start}there is more than one column {theirs!r}")
    return found


def also_called(names: Iterable[Any]) -> str:
    """Return the end of an error, with PyTerrier's names of columns if they differ."""
    others = [f"{TO_PYTERRIER[name]} for {name}" for name in names if name in TO_PYTERRIER]
    return f"; PyTerrier says {', '.join(others)}" if others else ""


def numbers(values: Any, what: str) -> Floats:
    """Return a column as float64; ``what`` names it in the error if it holds something else."""
    values = to_numpy(values) if hasattr(values, "num_chunks") else values
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind not in "biufO":
        raise TypeError(f"{what} must be numbers, not {values.dtype}")
    try:
        if hasattr(values, "array"):  # a Series
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        for row, value in enumerate(values if isinstance(values, Iterable) else [values]):
            try:
                float(value)
            except OverflowError:
                raise ValueError(f"{what} of row {row} is too large for a float") from None
            except (TypeError, ValueError):
                held = reprlib.repr(value)
                raise TypeError(f"{what} must be numbers, but row {row} holds {held}") from None
        shown = reprlib.repr(values)
        raise TypeError(f"{what} must be a list of numbers, not {shown}") from None
