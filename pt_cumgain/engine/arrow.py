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
    """Return a chunked array of pyarrow as one array, and an array as it is."""
    chunks = getattr(column, "chunks", [column])
    return chunks[0] if len(chunks) == 1 else column.unify_dictionaries().combine_chunks()


def to_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers; missing ones are NaN."""
    array, types = one_chunk(column), extras.pyarrow().types
    if array.null_count or not (types.is_floating(array.type) or types.is_integer(array.type)):
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return np.from_dlpack(array)


def number_array(values: NDArray[np.number]) -> pa.Array:
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


def find_texts(
    column: pa.Array, start: NDArray[np.int64], size: NDArray[np.int64], wanted: Sequence[list[str]]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find texts in lists of texts.

    Parameters
    ----------
    column
        The lists, one after the other.
    start, size
        The row of the column at which each list begins, and the list's length.
    wanted
        The texts to find in each list.

    Returns
    -------
    positions
        For each wanted text, list by list, its position in the list, from 0; -1 if it is missing
        from the list.
    repeated
        Whether each list has a text twice; its positions are then not valid.
    """
    pyarrow, compute = extras.pyarrow(), extras.pyarrow("pyarrow.compute")
    texts = text_array([text for of_list in wanted for text in of_list]).cast(column.type)
    bounds = np.cumsum([0, *map(len, wanted)]).tolist()
    repeated = np.zeros(len(size), dtype=bool)
    parts = []
    for i, (first, length) in enumerate(zip(start.tolist(), size.tolist())):
        listed = column.slice(first, length)
        repeated[i] = len(listed.unique()) < length
        parts.append(compute.index_in(texts.slice(bounds[i], bounds[i + 1] - bounds[i]), listed))
    missing = number_array(np.array([-1], dtype=np.int32))[0]  # a plain -1 imports pandas
    positions = pyarrow.concat_arrays(parts).fill_null(missing)
    return np.from_dlpack(positions).astype(np.int64), repeated
