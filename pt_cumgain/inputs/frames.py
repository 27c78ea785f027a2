"""Frames under either host's names, PyTerrier's or ir-measures', and what they must have."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pyarrow
from ir_measures.util import QrelsConverter

from pt_cumgain.engine.rows import one_chunk

TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: ours for ours, theirs in TO_PYTERRIER.items()}


def renamed(data: Any) -> Any:
    """Give a PyTerrier frame the names of ir-measures."""
    if isinstance(data, pd.DataFrame) and "query_id" not in data:
        return data.rename(columns=TO_IR_MEASURES)
    return data


def require_columns(frame: Any, names: Iterable[Any], what: str, hint: str = "") -> None:
    """Refuse what is not a frame with these columns; the hint says where such a frame comes from.

    Raises
    ------
    TypeError, ValueError
        If it is not a frame; if a column is missing.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be a DataFrame, not {reprlib.repr(frame)}{hint}")
    if missing := [name for name in names if name not in frame]:
        raise ValueError(f"{what}: missing columns {missing} (found {list(frame.columns)}){hint}")


def as_frame(qrels: Any) -> pd.DataFrame:
    """Return qrels, in any form of ir-measures, as a frame; a frame as it is."""
    if isinstance(qrels, pd.DataFrame):
        return qrels
    frame: pd.DataFrame = QrelsConverter(qrels).as_pd_dataframe()
    return frame


def joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames one below the other; topics that are categories in all stay categories."""
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
        table["doc_id"] = pd.arrays.ArrowExtensionArray(one_chunk(pyarrow.array(docs)))
    return table
