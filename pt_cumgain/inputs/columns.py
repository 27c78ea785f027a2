"""The columns of runs and qrels: what programs call them, which are read, what they may hold."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.arrow import to_numpy
from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.environment.warning import warn

#: What programs call each column of a run or of qrels. The first name is that of ir-measures, which
#: stands for the column everywhere else; of several names in a table the first counts.
NAMES = {
    # the last is Quepid's; elsewhere it is the text of a query, beside its id
    "query_id": ("query_id", "qid", "query-id", "q_id", "topic_id", "topic", "query"),
    "doc_id": ("doc_id", "docno", "corpus-id", "corpus_id", "doc-id", "docid", "document_id"),
    "relevance": ("relevance", "label", "rel", "rating", "score"),
    "score": ("score",),
    "rank": ("rank",),
    "iteration": ("iteration",),
    **{name: (name,) for name in SESSION_COLUMNS},
}
#: All names of the columns of topics and documents, which are read as texts.
NAMES_OF_IDS = frozenset((*NAMES["query_id"], *NAMES["doc_id"]))
#: Columns that tell rows of several systems or judges apart; messages name them.
OTHERS = (
    "system", "model", "run", "run_id", "run_name", "method", "tag", "name", "retriever",
    "variant", "config", "judge", "assessor", "annotator",
)  # fmt: skip
#: What users call the label and the score, and the names of columns that may be it.
_ALIKE = {
    "relevance": ("label", "label|relevan|rel'|rating|grade|gain"),
    "score": ("score", "score|[^']rank'"),
}
#: The columns that the command line chooses, by ``relevance`` and ``score``.
CHOSEN: dict[str, str] = {}
#: Programs that use two of these names call a label by a name of its own, never ``score``.
_WITH_LABELS = frozenset(("query_id", "doc_id", "qid", "docno"))
#: The columns that PyTerrier and ir-measures name differently.
TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: name for name, theirs in TO_PYTERRIER.items()}


def find_columns(columns: Iterable[Any], value: str) -> dict[str, str]:
    """Return what a table calls each of the columns that are read, by ir-measures' name.

    ``value`` is ``score`` for a run and ``relevance`` for qrels. A column ``score`` of qrels holds
    labels, unless the table looks like a run: it has ranks, or ids whose program has labels.
    """
    present = set(columns)
    read = ["query_id", "doc_id", value, "iteration", *SESSION_COLUMNS]
    if value == "score":
        read.append("rank")
    found = {}
    for name in read:
        names = (CHOSEN[name],) if name in CHOSEN else NAMES[name]
        known = [theirs for theirs in names if theirs in present]
        if known:
            found[name] = known[0]
    if found.get("relevance") == "score" and "relevance" not in CHOSEN:
        ids = {found.get("query_id"), found.get("doc_id")}
        if "rank" in present or ids <= _WITH_LABELS:
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
    needed = ("query_id", "doc_id", value)
    missing = [CHOSEN.get(name, name) for name in needed if name not in found]
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
    what, names = _ALIKE[value]
    others = [repr(other) for other in columns if other != found[value]]
    alike = [other for other in others if re.search(names, other, re.IGNORECASE)]
    if alike and value not in CHOSEN:
        warn(
            f"{start}column {found[value]!r} is read as the {what}, and {', '.join(alike)} not; to "
            f"choose, rename columns or, on the command line, give --{what} NAME"
        )
    return found | {name: name for name in OTHERS if columns.count(name) == 1}


def refuse_choice(value: str) -> None:
    """Refuse a column that was chosen, where there are no names of columns."""
    if value in CHOSEN:
        raise ValueError(f"there is no column {CHOSEN[value]!r}: the file has no head")


def also_called(names: Iterable[str]) -> str:
    """Return the end of an error about missing columns: what programs call them."""
    ends = []
    for name in names:
        others = NAMES.get(name, ())[1:]
        if others:
            ends.append(f"; {name} is also called {', '.join(others)}")
    return "".join(ends)


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
