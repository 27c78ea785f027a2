"""Frames with PyTerrier's or ir-measures' names of columns, and checks of their columns."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

from ir_measures.util import QrelsConverter

from pt_cumgain.engine.rows import TO_PYTERRIER, also_called, one_chunk
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd

TO_IR_MEASURES = {theirs: host for host, theirs in TO_PYTERRIER.items()}


def as_pandas(data: Any) -> Any:
    """Convert a frame of another library, such as polars, to pandas; return others as they are."""
    is_frame = hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__")
    if isinstance(data, pd.DataFrame) or not is_frame:
        return data
    return extras.pyarrow().table(data).to_pandas()


def rename_columns(data: Any) -> Any:
    """Rename the columns of a PyTerrier frame to those of ir-measures."""
    data = as_pandas(data)
    if isinstance(data, pd.DataFrame) and "query_id" not in data:
        return data.rename(columns=TO_IR_MEASURES)
    return data


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
