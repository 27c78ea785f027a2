"""Find judged documents in a run whose document column is held by pyarrow.

Every row of the lists and every judged document gets a fingerprint, a number computed from its
bytes and its topic: equal documents of a topic have equal fingerprints. Sorting the fingerprints
shows which rows may hold the same document, and where a judged document may be. These candidates
are compared in full, so a collision costs only time.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute

from pt_cumgain.engine.rows import Ints, bounds_of
from pt_cumgain.environment.arrow import number_array, text_array

Words = NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads bits
_HALF, _BYTE = np.uint64(32), np.uint64(8)


#: About how many rows of the column are processed together.
CHUNK = 1 << 18
#: How many such parts are processed at a time.
THREADS = 2


def places(
    docs: Any, start: Ints, size: Ints, judged: Sequence[list[str]]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Find judged documents in lists of documents.

    Parameters
    ----------
    docs
        The column of documents, a pyarrow array of strings.
    start, size
        Where each list begins in the column, ascending, and how long it is.
    judged
        The judged documents of each list.

    Returns
    -------
    places
        For each judged document, list by list, its place in the list, from 0; -1 if it is not in
        it.
    doubtful
        Which lists may have a document twice; their places are not valid.
    """
    cuts = (np.flatnonzero(np.diff(start // CHUNK)) + 1).tolist()

    def find_in_lists(first: int, last: int) -> tuple[Ints, NDArray[np.bool_]]:
        lists, begin = slice(first, last), int(start[first])
        part = docs.slice(begin, int(start[last - 1] + size[last - 1]) - begin)
        return _places(part, start[lists] - begin, size[lists], judged[lists])

    with ThreadPoolExecutor(THREADS) as threads:  # NumPy and pyarrow let other threads run
        parts, doubtful = zip(*threads.map(find_in_lists, [0, *cuts], [*cuts, len(size)]))
    return np.concatenate(parts), np.concatenate(doubtful)


def _places(
    docs: Any, start: Ints, size: Ints, judged: Sequence[list[str]]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the result of :func:`places` for lists that are processed together."""
    bounds, counts = bounds_of(size), np.fromiter(map(len, judged), np.int64, len(judged))
    total = int(bounds[-1])
    list_of_row, list_of_judged = (
        np.repeat(np.arange(len(size)), number) for number in (size, counts)
    )
    rows = np.arange(total) + np.repeat(start - bounds[:-1], size)
    longest = compute.max(compute.binary_length(docs)).as_py() or 0
    bits = np.uint64(total.bit_length())  # for the place in the lists, in the low bits of a key
    keys = _fingerprints(docs, rows, list_of_row, longest) >> bits << bits
    keys |= np.arange(total, dtype=np.uint64)
    keys.sort()
    prints = keys >> bits
    at = (keys - (prints << bits)).astype(np.int64)
    doubtful = np.zeros(len(size), dtype=bool)
    doubtful[list_of_row[at[1:][prints[1:] == prints[:-1]]]] = True
    wanted = text_array([doc for docs_judged in judged for doc in docs_judged]).cast(docs.type)
    sought = _fingerprints(wanted, np.arange(len(wanted)), list_of_judged, longest) >> bits
    order = np.argsort(sought)
    near = np.empty(len(wanted), dtype=np.int64)
    near[order] = np.searchsorted(prints, sought[order])
    candidate = np.flatnonzero(near < total)
    candidate = candidate[prints[near[candidate]] == sought[candidate]]
    place = at[near[candidate]]
    found = docs.take(number_array(rows[place]))
    equal = compute.equal(found, wanted.take(number_array(candidate)))
    same = np.from_dlpack(equal.cast(pyarrow.uint8())) == 1
    same &= list_of_row[place] == list_of_judged[candidate]
    candidate, place = candidate[same], place[same]
    out = np.full(len(wanted), -1, dtype=np.int64)
    out[candidate] = place - bounds[list_of_judged[candidate]]
    return out, doubtful


def _fingerprints(texts: Any, rows: Ints, salt: Ints, longest: int) -> Words:
    """Return numbers that are equal for rows with equal texts and equal salt.

    They are computed from the salt, the length, the last 8 bytes and, if ``longest`` exceeds that,
    the 8 bytes before them and the first 8.
    """
    kind: Any = np.int64 if pyarrow.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
    ends: Ints = starts.astype(np.int64) + 16 - starts[0]
    padded = np.pad(np.frombuffer(data or b"", np.uint8)[starts[0] : starts[-1]], (16, 8))
    words: Words = np.ndarray(len(padded) - 7, np.uint64, padded.data, strides=1)  # from each byte
    begin, end = ends[rows], ends[rows + 1]
    length = end - begin
    out = _mix(length.astype(np.uint64) + (salt.astype(np.uint64) << _HALF))
    for behind in (8, 16) if longest > 8 else (8,):
        others = np.maximum(behind - length, 0).astype(np.uint64)  # bytes of other texts
        out = _mix(out + (words[end - behind] >> others * _BYTE))
    if longest > 16:
        out = _mix(out + np.where(length > 16, words[begin], np.uint64(0)))
    return out


def _mix(numbers: Words) -> Words:
    """Spread the numbers over all bits; different numbers stay different."""
    numbers ^= numbers >> _HALF
    numbers *= _ODD
    numbers ^= numbers >> _HALF
    return numbers
