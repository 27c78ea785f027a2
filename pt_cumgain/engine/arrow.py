"""Columns of pyarrow, made and read without its conversions, which import pandas."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show

if TYPE_CHECKING:
    import pyarrow as pa


def is_table(data: object) -> bool:
    """Return whether data are a table of pyarrow, which whoever made it has imported."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(data, pyarrow.Table)


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """Return a chunked array of pyarrow as one array."""
    if column.num_chunks == 1:
        return column.chunk(0)
    return column.unify_dictionaries().combine_chunks()


def to_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers; missing ones are NaN."""
    array, types = one_chunk(column), extras.pyarrow().types
    if array.null_count or not (types.is_floating(array.type) or types.is_integer(array.type)):
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return np.from_dlpack(array)


def number_array(values: NDArray[Any]) -> pa.Array:
    """Return an array of numbers as one of pyarrow."""
    pyarrow = extras.pyarrow()
    kind = getattr(pyarrow, values.dtype.name)()
    data = pyarrow.py_buffer(np.ascontiguousarray(values))
    return pyarrow.Array.from_buffers(kind, len(values), [None, data])


def text_array(texts: Sequence[str]) -> pa.Array:
    """Return texts as an array of pyarrow."""
    pyarrow = extras.pyarrow()
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError as error:
        raise ValueError(f"{show(error.object)} is not a text of whole characters") from None
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(encoded), buffers)
