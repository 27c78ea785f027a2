"""The places of judged documents in lists, against Python's own search."""

import numpy as np
import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain.engine.arrow import find_texts

DOCS = st.text("01é\0", max_size=3)
LISTS = st.lists(st.tuples(st.lists(DOCS, max_size=8), st.lists(DOCS, max_size=4, unique=True)))


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
@given(lists=LISTS.filter(bool), cut=st.integers(0, 3))
@example(lists=[([], ["a"]), (["a"], ["c", "a"]), (["a", "b", "c"], [])], cut=0)
def test_places(kind: pyarrow.DataType, lists: list, cut: int) -> None:
    whole = [doc for docs, _ in lists for doc in docs]
    column = pyarrow.array(["before"] * cut + whole + ["after"], kind).slice(cut)
    size = np.array([len(docs) for docs, _ in lists])
    start = np.cumsum(size) - size
    searched = np.maximum(size - cut, 0)
    places, repeated = find_texts(column, start, searched, [judged for _, judged in lists])
    begin = 0
    for (docs, judged), end, is_repeated in zip(lists, searched, repeated, strict=True):
        docs = docs[:end]
        got = places[begin : begin + len(judged)].tolist()
        begin += len(judged)
        assert is_repeated == (len(set(docs)) < len(docs))
        if not is_repeated:
            assert got == [docs.index(doc) if doc in docs else -1 for doc in judged]
