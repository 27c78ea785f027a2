"""Where judged documents stand in lists, against Python's own search."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pyarrow
import pytest
from hypothesis import given
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
    spread = lookup._mixed
    with (
        mock.patch.object(lookup, "CHUNK", chunk),
        mock.patch.object(lookup, "_mixed", lambda numbers: spread(numbers) & kept),
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


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 24, 40])
def test_fingerprints_tell_texts_apart(length: int) -> None:
    """Ids that differ in their last sign, as ids do, have fingerprints that differ."""
    texts = pyarrow.array([("d" * length + str(i))[-length:] for i in range(10)])
    rows = np.arange(10)
    prints = lookup._fingerprints(texts, rows, np.zeros(10, dtype=np.int64), length)
    assert len(set(prints.tolist())) == 10
    other_topic = lookup._fingerprints(texts, rows, np.ones(10, dtype=np.int64), length)
    assert not set(prints.tolist()) & set(other_topic.tolist())
