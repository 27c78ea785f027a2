"""Where judged documents stand in a run's lists, where pyarrow holds its column of documents.

Every row of the lists and every judged document gets a fingerprint, a number made from its bytes
and its topic: equal documents of a topic have equal ones. Sorted, the fingerprints show where two
rows may hold the same document, and where a judged document may stand; what they show is compared
in full, so that a chance resemblance costs time and nothing else.
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

Words = NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads what it multiplies
_HALF, _BYTE, _WORD = np.uint64(32), np.uint64(8), np.uint64(64)


#: About how many rows of the column are looked at together.
CHUNK = 1 << 18
#: How many such parts at a time.
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
        For each judged document, list by list, its place in the list, from 0; -1 if it is not
        there.
    doubtful
        Which lists may have a document twice; their places do not count.
    """
    cuts = (np.flatnonzero(np.diff(start // CHUNK)) + 1).tolist()

    def of_lists(first: int, last: int) -> tuple[Ints, NDArray[np.bool_]]:
        lists, begin = slice(first, last), int(start[first])
        part = docs.slice(begin, int(start[last - 1] + size[last - 1]) - begin)
        return _places(part, start[lists] - begin, size[lists], judged[lists])

    with ThreadPoolExecutor(THREADS) as threads:  # NumPy and pyarrow leave others room meanwhile
        found, doubtful = zip(*threads.map(of_lists, [0, *cuts], [*cuts, len(size)]))
    return np.concatenate(found), np.concatenate(doubtful)


def _places(
    docs: Any, start: Ints, size: Ints, judged: Sequence[list[str]]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return what :func:`places` does, of lists that are looked at together."""
    bounds, counts = bounds_of(size), np.fromiter(map(len, judged), np.int64, len(judged))
    total = int(bounds[-1])
    of_row, of_judged = (np.repeat(np.arange(len(size)), number) for number in (size, counts))
    rows = np.arange(total) + np.repeat(start - bounds[:-1], size)
    longest = compute.max(compute.binary_length(docs)).as_py() or 0
    bits = np.uint64(total.bit_length())  # of the place in the lists, in the lower part of a key
    keys = _fingerprints(docs, rows, of_row, longest) >> bits << bits
    keys |= np.arange(total, dtype=np.uint64)
    keys.sort()
    prints = keys >> bits
    at = (keys - (prints << bits)).astype(np.int64)
    doubtful = np.zeros(len(size), dtype=bool)
    doubtful[of_row[at[1:][prints[1:] == prints[:-1]]]] = True
    wanted = pyarrow.array([doc for of_list in judged for doc in of_list], docs.type)
    sought = _fingerprints(wanted, np.arange(len(wanted)), of_judged, longest) >> bits
    order = np.argsort(sought)
    near = np.empty(len(wanted), dtype=np.int64)
    near[order] = np.searchsorted(prints, sought[order])
    found = np.flatnonzero(near < total)
    found = found[prints[near[found]] == sought[found]]
    place = at[near[found]]
    same = compute.equal(docs.take(rows[place]), wanted.take(found)).to_numpy(zero_copy_only=False)
    same &= of_row[place] == of_judged[found]
    found, place = found[same], place[same]
    out = np.full(len(wanted), -1, dtype=np.int64)
    out[found] = place - bounds[of_judged[found]]
    return out, doubtful


def _fingerprints(texts: Any, rows: Ints, salt: Ints, longest: int) -> Words:
    """Return numbers that are equal where rows of texts and their salt are.

    They are made from the salt, the length, the last 8 bytes and, where the longest text that
    counts has more, the 8 before them and the first 8.
    """
    kind: Any = np.int64 if pyarrow.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    given = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data or b"", np.uint8)[given[0] : given[-1]]
    ends: Ints = given.astype(np.int64) + 16 - given[0]
    aligned = np.zeros(len(content) // 8 + 5, dtype=np.uint64)  # two words of zeros before it
    aligned.view(np.uint8)[16 : 16 + len(content)] = content
    begin, end = ends[rows], ends[rows + 1]
    length = end - begin
    out = _mixed(length.astype(np.uint64) + (salt.astype(np.uint64) << _HALF))
    for behind in (8, 16) if longest > 8 else (8,):
        others = np.clip(behind - length, 0, 8).astype(np.uint64)  # bytes that are of other texts
        out = _mixed(out + (_word(aligned, end - behind) >> others * _BYTE))
    if longest > 16:
        out = _mixed(out + np.where(length > 16, _word(aligned, begin), np.uint64(0)))
    return out


def _word(aligned: Words, at: Ints) -> Words:
    """Return the eight bytes from each position on."""
    whole, rest = at >> 3, (at & 7).astype(np.uint64) * _BYTE
    return np.asarray((aligned[whole] >> rest) | (aligned[whole + 1] << (_WORD - rest)))


def _mixed(numbers: Words) -> Words:
    """Spread the numbers over all bits, different ones to different ones."""
    numbers ^= numbers >> _HALF
    numbers *= _ODD
    numbers ^= numbers >> _HALF
    return numbers
