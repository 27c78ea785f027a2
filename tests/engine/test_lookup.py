"""Where judged documents stand in lists, against Python's own search."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain.engine import lookup

#: Of every length around the words of eight bytes, many with the same beginning or end.
DOCS = st.builds(
    lambda head, body, tail: head + body + tail,
    st.sampled_from(["", "clueweb12-", "é" * 9, "x" * 17]),
    st.text("01\0", max_size=3),
    st.sampled_from(["", "-01", "-000000000001", "z" * 17]),
)
LISTS = st.lists(st.tuples(st.lists(DOCS, max_size=8), st.lists(DOCS, max_size=4, unique=True)))


@given(
    lists=LISTS.filter(bool),
    kind=st.sampled_from([pyarrow.string(), pyarrow.large_string()]),
    cut=st.integers(0, 3),
    chunk=st.sampled_from([1, 5, 1000]),
    bits=st.sampled_from([64, 3, 0]),
)
@example(  # found in lists that do not begin one after the other, of every length
    lists=[
        (["x1", "c" * 12, "no"], ["c" * 12, "x1", "zz", "no"]),
        (["y1", "e" * 30, "x1", ""], ["e" * 30, "no", "x1", "e" * 29]),
    ],
    kind=pyarrow.string(),
    cut=1,
    chunk=1000,
    bits=64,
)
@example(  # all fingerprints are equal: another document's, and the same document's elsewhere
    lists=[([], ["a"]), (["a"], ["c", "a"])], kind=pyarrow.string(), cut=0, chunk=1000, bits=0
)
def test_places(lists: list, kind: pyarrow.DataType, cut: int, chunk: int, bits: int) -> None:
    """The column may be part of a larger one; fingerprints of few bits are often equal by chance.

    Expected: ``list.index``. A list that has a document twice is doubtful; one that has none is so
    by chance only, or where documents differ beyond the first 8 and the last 16 bytes.
    """
    whole = [doc for docs, _ in lists for doc in docs]
    column = pyarrow.array(["before"] * cut + whole + ["after"], kind).slice(cut)
    size = np.array([len(docs) for docs, _ in lists])
    start = np.cumsum(size) - size
    looked_at = np.maximum(size - cut, 0)  # not to the end, as where a measure has a cutoff
    kept = np.uint64(0) if not bits else np.uint64(2**64 - 1) << np.uint64(64 - bits)
    spread = lookup._mix
    with (
        mock.patch("pt_cumgain.engine.lookup.CHUNK", chunk),
        mock.patch("pt_cumgain.engine.lookup._mix", lambda numbers: spread(numbers) & kept),
    ):
        places, doubtful = lookup.places(column, start, looked_at, [judged for _, judged in lists])
    begin = 0
    for (docs, judged), end, in_doubt in zip(lists, looked_at, doubtful, strict=True):
        docs = docs[:end]
        got = places[begin : begin + len(judged)].tolist()
        begin += len(judged)
        if len(set(docs)) < len(docs):
            assert in_doubt
        elif bits == 64 and all(len(doc.encode()) <= 24 for doc in docs):
            assert not in_doubt
        if not in_doubt:
            assert got == [docs.index(doc) if doc in docs else -1 for doc in judged]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 24, 25, 40])
def test_fingerprints_tell_texts_apart(length: int) -> None:
    """Ids that differ in one sign among the first 8 and the last 16 have others."""
    where = [i for i in range(length) if i < 8 or i >= length - 16]
    texts = ["d" * i + sign + "d" * (length - i - 1) for i in where for sign in "0123456789"]
    texts += ["d" * length, "d" * (length - 1)]
    column, rows = pyarrow.array(texts), np.arange(len(texts))
    prints = {
        topic: set(lookup._fingerprints(column, rows, np.full(len(texts), topic), length).tolist())
        for topic in (0, 1)
    }
    assert len(prints[0] | prints[1]) == 2 * len(texts)
