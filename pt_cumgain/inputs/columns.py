"""The columns of runs and qrels: what programs call them, which are read, what they may hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.arrow import to_numpy
from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.lines import SIGNS, read_number
from pt_cumgain.inputs.lists import NAMED, list_first

#: What programs call each column of a run or of qrels, in small letters. The first name is that of
#: ir-measures, which stands for the column everywhere else; of several in a table the first counts.
NAMES = {
    # the last is Quepid's; elsewhere it is the text of a query, beside its id
    "query_id": ("query_id", "qid", "query-id", "q_id", "topic_id", "topic", "question_id",
                 "user_id", "query"),
    "doc_id": ("doc_id", "docno", "corpus-id", "corpus_id", "doc-id", "docid", "document_id", "pid",
               "product_id", "item_id"),
    "relevance": ("relevance", "label", "rel", "rel_label", "rating", "grade", "score"),
    **{name: (name,) for name in ("score", "rank", "iteration", *SESSION_COLUMNS)},
}  # fmt: skip
#: All names of the columns of topics and documents, which are read as texts.
NAMES_OF_IDS = frozenset((*NAMES["query_id"], *NAMES["doc_id"]))
#: Columns that tell rows of several systems or judges apart; messages name them.
OTHERS = (
    "system", "model", "run", "run_id", "run_name", "method", "tag", "name", "retriever",
    "variant", "config", "judge", "assessor", "annotator",
)  # fmt: skip
#: What users call the label and the score, and the names of columns that may be it.
_ALIKE = {
    "relevance": ("label", "(?i)label|relevan|rel$|rating|grade|gain"),
    "score": ("score", "(?i)score|.rank$"),
}
#: Programs that use two of these names call a label by a name of its own, never ``score``.
_WITH_LABELS = frozenset(("query_id", "doc_id", "qid", "docno"))
#: Types that NumPy converts to float64 as Python does.
_NUMBERS = (int, float, np.integer, np.floating)
#: The columns that PyTerrier and ir-measures name differently.
TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: name for name, theirs in TO_PYTERRIER.items()}


def find_columns(columns: Sequence[str], value: str, chosen: str = "") -> dict[str, str]:
    """Return what a table calls each of the columns that are read, by ir-measures' name.

    ``value`` is ``score`` for a run and ``relevance`` for qrels; ``chosen`` is the name of this
    column, if it was chosen. A column ``score`` of qrels holds labels, unless the table looks like
    a run: it has ranks, or ids whose program has labels.
    """
    present = {str(name).lower(): name for name in columns} | {name: name for name in columns}
    known = NAMES | ({value: (chosen,)} if chosen else {})
    ranks = ["rank"] if value == "score" else []
    wanted = ["query_id", "doc_id", value, "iteration", *SESSION_COLUMNS, *ranks]
    names = {}
    for name in wanted:
        theirs = [present[other] for other in known[name] if other in present]
        if theirs:
            names[name] = theirs[0]
    if not chosen and names.get("relevance") == present.get("score"):
        ids = {str(names.get(name)).lower() for name in ("query_id", "doc_id")}
        if "rank" in present or ids <= _WITH_LABELS:
            names.pop("relevance", None)
    return names


def choose_columns(
    columns: Sequence[str], value: str, chosen: str = "", start: str = ""
) -> dict[str, str]:
    """Return the result of :func:`find_columns`; refuse a table that lacks a needed column.

    Raises
    ------
    ValueError
        If a column is missing or appears twice, or if ranks are chosen as the score. The error
        begins with ``start``.
    """
    if value == "score" and chosen.lower() == "rank":
        raise ValueError(
            f"{start}the column rank is not a score, because rank 1 is the highest; omit it: in "
            "runs without scores, ranks order the documents"
        )
    names = find_columns(columns, value, chosen)
    labels = find_columns(columns, "relevance").get("relevance")
    ranked = value == "score" and "rank" in names and not (chosen or labels)
    needed = ["query_id", "doc_id", *([] if ranked else [value])]
    missing = [name for name in needed if name not in names]
    if missing:
        hint = also_called(missing)
        if chosen and value in missing:
            missing[-1], hint = chosen, ""
        elif "score" in missing and labels:
            hint = f"; it has a column {labels}: is this qrels?"
        elif "relevance" in missing and "score" in columns:
            hint = "; it has a column score: is this a run?"
        raise ValueError(f"{start}missing columns: {missing} (found {show(list(columns))}){hint}")
    for theirs in names.values():
        if columns.count(theirs) > 1:
            raise ValueError(f"{start}there is more than one column {show(theirs)}")
    read = names.get(value, names.get("rank", ""))
    if read and not chosen:
        _warn_of_alike(read, columns, value, start)
    return names | {name: name for name in OTHERS if columns.count(name) == 1}


def _warn_of_alike(read: str, columns: Sequence[str], value: str, start: str) -> None:
    """Warn of columns that could also be the label, or the score, beside the one that is read."""
    what, names = _ALIKE[value]
    alike = [show(n) for n in columns if n != read and re.search(names, str(n))]
    if alike:
        warn(
            f"{start}column {show(read)} is read as the {what}; not read: "
            f"{list_first(alike, NAMED)}; to choose another, rename columns or, on the command "
            f"line, give --{what} NAME"
        )


def refuse_choice(chosen: str) -> None:
    """Refuse a column that was chosen, where there are no names of columns."""
    if chosen:
        raise ValueError(f"there is no column {show(chosen)}: the file does not name its columns")


def also_called(names: Iterable[str]) -> str:
    """Return the end of an error about missing columns: what programs call them."""
    others = {name: ", ".join(NAMES.get(name, ())[1:]) for name in names}
    return "".join(f"; {name} is also called {known}" for name, known in others.items() if known)


def numbers(values: Any, what: str, where: Callable[[int], str] = "row {}".format) -> Floats:
    """Return a column as float64; ``what`` names it in the error if it holds something else.

    A text is read as in files. An array or a list of one number, as models return, is this number.
    ``where`` returns the place of a row.
    """
    values = to_numpy(values) if hasattr(values, "num_chunks") else values
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind not in "biufO":
        raise TypeError(f"{what} must be numbers, not {values.dtype}")
    if hasattr(values, "array"):  # a Series
        values = values.to_numpy(dtype=object if kind == "O" else np.float64, na_value=np.nan)
    if kind != "O":
        return np.asarray(values, dtype=np.float64)
    if not isinstance(values, Iterable):
        raise TypeError(f"{what} must be a list of numbers, not {show(values)}")
    values = list(values)
    if all(issubclass(kind, _NUMBERS) for kind in {type(value) for value in values}):
        with suppress(OverflowError):
            return np.asarray(values, dtype=np.float64)
    floats = []
    for row, value in enumerate(values):
        try:
            floats.append(_read_number(value))
        except OverflowError:
            raise ValueError(f"{what} of {where(row)} is too large for a float") from None
        except (RuntimeError, TypeError, ValueError):
            texts = [text for text in values if isinstance(text, str)]
            words = dict.fromkeys(show(text) for text in texts if math.isnan(read_number(text)))
            also = f"; the words are {list_first([*words], NAMED)}" if len(words) > 1 else ""
            holds = f"but {where(row)} holds {show(value)}{also}"
            raise TypeError(f"{what} must be numbers, {holds}") from None
    return np.array(floats, dtype=np.float64)


def _read_number(value: Any) -> float:
    """Return the number that an object is; refuse what Python would turn into one."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    is_word = isinstance(value, str) and not SIGNS.fullmatch(value)
    if is_word or isinstance(value, (bytes, np.datetime64, np.timedelta64)):
        raise TypeError
    value = value.item() if hasattr(value, "item") else value
    return math.nan if value is None else float(value)
