"""Columns of ids, read as texts: of Python's objects, of pandas, or of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.engine.arrow import one_chunk
from pt_cumgain.engine.rows import Ints
from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show

if TYPE_CHECKING:
    import pyarrow as pa

#: Types of pyarrow arrays that store their texts contiguously.
_STRINGS = ("string", "large_string")


class Ids:
    """A column of ids, held as Python objects.

    Integers are read as decimal strings, so that ids that were read as int by mistake still match;
    anything else that is not a string is refused when it is taken.

    Parameters
    ----------
    values
        The ids.
    name
        The name of the column in messages.
    filled
        Whether empty texts are refused.
    """

    #: The ids as an array of pyarrow, if they are in one.
    arrow: Any = None

    def __init__(self, values: Any, name: str, *, filled: bool = True) -> None:
        self.name, self.filled = name, filled
        self._values = values
        #: Whether integers are among the ids that were taken.
        self.integers = False

    def __len__(self) -> int:
        return len(self._values)

    def differs(self) -> NDArray[np.bool_]:
        """Return whether each id, from the second row on, differs from the one before."""
        try:
            return np.asarray(self._values[1:] != self._values[:-1], dtype=bool)
        except TypeError:  # pandas.NA among them, which is neither equal nor unequal
            raise self._refusal(slice(None)) from None

    def heads(self) -> tuple[list[str], Ints]:
        """Return the id of each run of equal ids, and where the run begins."""
        if not len(self):
            return [], np.zeros(0, dtype=np.int64)
        starts = np.concatenate([[0], np.flatnonzero(self.differs()) + 1])
        return self.take(starts), starts

    def take(self, rows: Ints | slice) -> list[str]:
        """Return the ids at these rows, in their order."""
        values: list[Any] = self._values[rows].tolist()
        kinds = {type(value) for value in values}
        if not all(_is_id(kind) for kind in kinds) or (self.filled and "" in values):
            raise self._refusal(rows)
        if kinds <= {str}:
            return values
        self.integers = self.integers or not all(issubclass(kind, str) for kind in kinds)
        return [str(value) for value in values]

    def _refusal(self, rows: Ints | slice) -> TypeError:
        """Return the error that shows the first of these ids that is not one."""
        values = self._values[rows]
        wrong = [not value if type(value) is str else not _is_id(type(value)) for value in values]
        row = int(np.arange(len(self))[rows][wrong.index(True)])
        return _refuse(self.name, row, self._values[row])


def _refuse(name: str, row: int, value: object) -> TypeError:
    """Return the error for a row that has no id."""
    must = "not be empty" if isinstance(value, str) else "be strings"
    return TypeError(f"{name} must {must}, but row {row} holds {show(value)}")


def _is_id(kind: type) -> bool:
    """Return whether values of a type are ids: texts and whole numbers."""
    return issubclass(kind, (str, int, np.integer)) and kind is not bool


class ArrowIds(Ids):
    """A column of ids in pyarrow: of texts, of codes of texts, or of integers."""

    def __init__(self, column: pa.ChunkedArray, name: str, *, filled: bool = True) -> None:
        whole = one_chunk(column)
        array = _as_texts(whole)
        kind = array.dictionary.type if hasattr(array, "dictionary") else array.type
        if str(kind) not in _STRINGS:
            raise TypeError(f"{name} must be strings, not {kind}")
        if _may_lack_ids(array):
            for row, text in enumerate(array.to_pylist()):
                if text is None or (filled and not text):
                    raise _refuse(name, row, text)
        super().__init__(array, name, filled=filled)
        self.integers = extras.pyarrow().types.is_integer(whole.type)

    @cached_property
    def _codes(self) -> tuple[list[str], NDArray[Any]]:
        array = self._values
        array = array if hasattr(array, "dictionary") else array.dictionary_encode()
        return array.dictionary.to_pylist(), np.from_dlpack(array.indices)

    def differs(self) -> NDArray[np.bool_]:
        """Return whether each id, from the second row on, differs from the one before."""
        _, codes = self._codes
        return np.asarray(codes[1:] != codes[:-1])

    def take(self, rows: Ints | slice) -> list[str]:
        """Return the ids at these rows, in their order."""
        array: pa.Array = self._values
        if hasattr(array, "dictionary"):
            texts, codes = self._codes
            return [texts[code] for code in codes[rows].tolist()]
        if isinstance(rows, slice):
            return list(array[rows].to_pylist())
        # pyarrow's own take imports pyarrow.compute, which takes longer than a small run
        ends, view = _ends_of(array), memoryview(array.buffers()[2] or b"")
        starts, stops = ends[rows].tolist(), ends[1:][rows].tolist()
        return [str(view[start:stop], "utf-8") for start, stop in zip(starts, stops)]

    @cached_property
    def arrow(self) -> pa.Array | None:
        """The column itself, if it has texts; else None."""
        return None if hasattr(self._values, "dictionary") else self._values


def _may_lack_ids(array: pa.Array) -> bool:
    """Return whether an id is missing or empty, among the texts of codes at least."""
    texts = getattr(array, "dictionary", array)
    ends = _ends_of(texts)
    return bool(array.null_count or texts.null_count or (ends[1:] == ends[:-1]).any())


def _ends_of(array: pa.Array) -> Ints:
    """Return where the first of an array's texts begins in its buffer, and where each ends."""
    kind: type[np.signedinteger] = np.int32 if array.type == "string" else np.int64
    offsets = array.buffers()[1] or bytes(8)  # there are none for an array without texts
    return np.frombuffer(offsets, kind)[array.offset : array.offset + len(array) + 1]


def _as_texts(array: pa.Array) -> pa.Array:
    """Return an array of pyarrow with texts in place of integers, and of views of texts."""
    pyarrow = extras.pyarrow()
    if pyarrow.types.is_dictionary(array.type):  # it can cast the texts, but not the codes
        return pyarrow.DictionaryArray.from_arrays(array.indices, _as_texts(array.dictionary))
    if str(array.type) == "string_view":  # pyarrow 16 has no cast from it
        return pyarrow.array(array.to_numpy(zero_copy_only=False), "large_string")
    return array.cast("string") if pyarrow.types.is_integer(array.type) else array


def object_array(values: Sequence[object]) -> NDArray[np.object_]:
    """Return values as an array of objects, whatever they are."""
    return np.fromiter(values, dtype=object, count=len(values))


def read_ids(column: Any, name: str, *, filled: bool = True) -> Ids:
    """Return a column of ids: of pyarrow, an array of objects, or a Series of pandas."""
    if hasattr(column, "num_chunks"):
        return ArrowIds(column, name, filled=filled)
    if isinstance(column, np.ndarray) and column.dtype == object:
        return Ids(column, name, filled=filled)
    if getattr(column.dtype, "storage", "") == "pyarrow" and not column.hasnans:
        return ArrowIds(extras.pyarrow().array(column.array), name, filled=filled)
    ids = Ids(column.to_numpy(dtype=object), name, filled=filled)
    ids.take(slice(0, 1))  # refuses a column of another type, whatever is read of it
    return ids
