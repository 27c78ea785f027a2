"""Frames with the names of columns that programs use, and checks of their columns."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from ir_measures.util import QrelsConverter

from pt_cumgain.engine.rows import SESSION_COLUMNS, TO_PYTERRIER, also_called, one_chunk
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd

TO_IR_MEASURES = {theirs: host for host, theirs in TO_PYTERRIER.items()}
#: The names of columns that are renamed to those of ir-measures, by the program's name of topics:
#: of ir-measures, PyTerrier, BEIR and Hugging Face, and ranx. The last ones call labels ``score``.
PROGRAMS: dict[str, dict[str, str]] = {
    "query_id": {},
    "qid": TO_IR_MEASURES,
    "query-id": {"query-id": "query_id", "corpus-id": "doc_id", "label": "relevance"},
    "q_id": {"q_id": "query_id", "label": "relevance"},
}
_LABELS_ARE_SCORES = ("query-id", "q_id")
#: All names of the columns of topics and documents.
NAMES_OF_IDS = frozenset(("query_id", "doc_id", "qid", "docno", "query-id", "corpus-id", "q_id"))


def name_columns(columns: Iterable[Any], value: str) -> dict[str, str]:
    """Return ir-measures' names of columns, of those that have others.

    ``value`` is ``score`` for a run and ``relevance`` for qrels. In qrels of BEIR and ranx it is
    the column ``score``, unless there are labels, or ranks, as in a run.
    """
    present = set(columns)
    topic = next((name for name in PROGRAMS if name in present), "qid")
    names = dict(PROGRAMS[topic])
    labels = value == "relevance" and topic in _LABELS_ARE_SCORES
    if labels and present.isdisjoint(("label", "relevance", "rank")):
        names["score"] = "relevance"
    return names


def choose_columns(columns: Sequence[str], value: str) -> dict[str, str]:
    """Return those columns of a file that are read, with the names of ir-measures.

    Raises
    ------
    ValueError
        If one is missing or appears twice.
    """
    others, found = name_columns(columns, value), f"(found {list(columns)})"
    names = [others.get(name, name) for name in columns]
    read = ["query_id", "doc_id", value]
    if missing := [name for name in read if name not in names]:
        raise ValueError(f"missing columns: {missing} {found}{also_called(missing)}")
    read += ["iteration", *SESSION_COLUMNS]
    if twice := [name for name in read if names.count(name) > 1]:
        raise ValueError(f"there is more than one column {twice[0]!r} {found}")
    return {theirs: name for theirs, name in zip(columns, names) if name in read}


def as_pandas(data: Any) -> Any:
    """Convert a frame of another library, such as polars, to pandas; return others as they are."""
    is_frame = hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__")
    if isinstance(data, pd.DataFrame) or not is_frame:
        return data
    return extras.pyarrow().table(data).to_pandas()


def rename_columns(data: Any, value: str = "score") -> Any:
    """Give a frame ir-measures' names of columns, and a dict for an object of ranx.

    ``value`` is what is read: the ``score`` of a run, or the ``relevance`` of qrels.
    """
    data = as_pandas(data)
    if isinstance(data, pd.DataFrame) and "query_id" not in data:
        return data.rename(columns=name_columns(data.columns, value))
    if type(data).__module__.partition(".")[0] == "ranx":
        what, wanted = ("run", "Run") if value == "score" else ("qrels", "Qrels")
        if not hasattr(data, what):
            raise TypeError(f"{what} must be a ranx {wanted}, not a ranx {type(data).__name__}")
        return data.to_dict()
    return data


def flatten_dicts(by_topic: Any, value: str) -> pd.DataFrame:
    """Return a frame of a dict of topics, which are dicts of documents.

    Raises
    ------
    ValueError
        If it is something else, or qrels have a topic without documents, which a frame cannot hold.
    """
    wanted = f"{{topic: {{document: {value}}}}}"
    if not isinstance(by_topic, Mapping):
        raise ValueError(f"what is read is {wanted}, not {reprlib.repr(by_topic)}")
    for topic, documents in by_topic.items():
        if not isinstance(documents, Mapping):
            raise ValueError(f"what is read is {wanted}; {topic!r} has {reprlib.repr(documents)}")
        if not documents and value == "relevance":
            raise ValueError(f"the topic {topic!r} has no judgments; leave it out")
    lists = by_topic.values()
    return pd.DataFrame(
        {
            "query_id": np.repeat(np.array(list(by_topic), dtype=object), list(map(len, lists))),
            "doc_id": list(chain.from_iterable(lists)),
            value: list(chain.from_iterable(documents.values() for documents in lists)),
        }
    )


def require_columns(frame: Any, names: Iterable[Any], what: str, hint: str = "") -> None:
    """Refuse anything but a frame with these columns; the hint says where to get one.

    Raises
    ------
    TypeError, ValueError
        If it is not a frame; if a column is missing or appears twice.
    """
    if not isinstance(frame, pd.DataFrame):
        if hasattr(frame, "to_pandas"):
            library = type(frame).__module__.partition(".")[0]
            how = f"of pandas, not of {library}; convert it with to_pandas()"
            raise TypeError(f"{what} must be a DataFrame {how}")
        raise TypeError(f"{what} must be a DataFrame, not {reprlib.repr(frame)}{hint}")
    names = list(names)
    if missing := [name for name in names if name not in frame]:
        present = f"(found {list(frame.columns)})"
        raise ValueError(f"{what}: missing columns {missing} {present}{hint or also_called(names)}")
    if twice := [name for name in names if frame[name].ndim > 1]:
        raise ValueError(f"{what}: there is more than one column {twice[0]!r}")


def as_frame(qrels: Any) -> pd.DataFrame:
    """Return qrels, in any form of ir-measures, as a frame; a frame as it is."""
    qrels = as_pandas(qrels)
    if isinstance(qrels, pd.DataFrame):
        return qrels
    frame: pd.DataFrame = QrelsConverter(qrels).as_pd_dataframe()
    return frame


def join_frames(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate frames; topics stay categories if they are categories in all of them."""
    if len(frames) == 1:
        return frames[0]
    topics = [frame["query_id"] for frame in frames]
    if not all(isinstance(topic.dtype, pd.CategoricalDtype) for topic in topics):
        return pd.concat(frames, ignore_index=True)
    rest = [frame.drop(columns="query_id") for frame in frames]
    table = pd.concat(rest, ignore_index=True)
    table.insert(0, "query_id", pd.Series(pd.api.types.union_categoricals(topics)))
    docs = table["doc_id"].array
    if isinstance(docs, pd.arrays.ArrowExtensionArray):  # some functions join the chunks each time
        table["doc_id"] = pd.arrays.ArrowExtensionArray(one_chunk(extras.pyarrow().array(docs)))
    return table
