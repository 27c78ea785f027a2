"""Rows from every form, grouped by topic: what the columns may hold, and which row is shown."""

from collections import namedtuple

import numpy as np
import pandas as pd
import pyarrow
import pytest
from ir_datasets.formats import GenericQrel, TrecQrel
from ir_measures import ScoredDoc

from pt_cumgain.inputs import reading
from pt_cumgain.inputs.frames import as_hosts_qrels
from pt_cumgain.inputs.ids import read_ids


def frame(topics, **columns) -> pd.DataFrame:
    given = {"query_id": topics, "doc_id": [f"d{i}" for i in range(len(topics))], "score": 1.0}
    return pd.DataFrame({**given, **columns})


@pytest.mark.parametrize("sizes", [[1, 2, 3, 1, 1], [9, 18, 27, 9, 9], [90, 2, 60, 1, 1]])
@pytest.mark.parametrize("dtype", ["object", "str", "category", "string[pyarrow]"])
def test_interleaved_topics_of_unequal_length(dtype: str, sizes: list[int]) -> None:
    topics = [topic for topic, size in zip("abacb", sizes) for _ in range(size)]
    table = reading.read_run(frame(pd.Series(topics, dtype=dtype)))
    assert list(table.topics) == ["a", "b", "c"]
    counts = [sizes[0] + sizes[2], sizes[1] + sizes[4], sizes[3]]
    assert np.diff(table.bounds).tolist() == counts
    grouped = table.docs.take(table.at(np.arange(len(topics))))
    assert grouped == [f"d{i}" for topic in "abc" for i, t in enumerate(topics) if t == topic]
    heads, starts = read_ids(pd.Series(topics, dtype=dtype), "t").heads()
    assert (heads, starts.tolist()) == (list("abacb"), [0, *np.cumsum(sizes)[:-1]])
    heads, starts = read_ids(pd.Series(topics[:0], dtype=dtype), "t").heads()
    assert (heads, starts.tolist(), starts.dtype) == ([], [], np.int64)


def test_qrels_may_have_columns_that_runs_over_sessions_have() -> None:
    """Of these, only the query is read."""
    row = namedtuple("row", "query_id doc_id relevance session_length scanned")
    table = frame(["q"], relevance=1, session_length=0, scanned=-1)
    for qrels in (table, [row("q", "d", 1, 0, 0)]):
        table = reading.read_qrels(qrels)
        assert (table.position, table.length, table.scanned) == (None, None, None)


def test_qrels_by_turn() -> None:
    row = namedtuple("row", "query_id doc_id relevance iteration query_position")
    for qrels in (frame(["q"], relevance=1, query_position=2), [row("q", "d", 1, "0", 2)]):
        assert reading.read_qrels(qrels).position.tolist() == [2]
    rest = [TrecQrel("q", "d", 1, "0")]
    assert as_hosts_qrels(reading.read_qrels(rest)) == rest
    assert reading.read_qrels([*rest, GenericQrel("q", "e", 1)]).position is None
    with pytest.raises(ValueError, match=r"^qrels: the rows do not all have the same fields"):
        reading.read_qrels([*rest, row("q", "d", 1, "0", 2)])


def test_some_records_of_a_run_may_have_ranks() -> None:
    ranked = namedtuple("ranked", "query_id doc_id score rank")("q", "d", 1.5, 1)
    assert reading.read_run([ranked, ScoredDoc("q", "e", 0.5)]).values.tolist() == [1.5, 0.5]


def test_labels_and_scores_above_the_whole_doubles() -> None:
    """Expected: Python's conversion to the nearest double."""
    large = [2**53 + 1, 2**63 - 1, -(2**53) - 3]
    topics = ["q"] * 3
    frames = frame(topics, relevance=large, score=large)
    assert reading.read_qrels(frames).values.tolist() == [float(label) for label in large]
    assert reading.read_run(frames).values.tolist() == [float(score) for score in large]


def test_numbers_that_no_float_holds() -> None:
    large = np.array([1, 2**2000], dtype=object)
    for run in ({"q": {"a": 1, "b": 2**2000}}, frame(["q"] * 2, score=large)):
        with pytest.raises(ValueError, match=r"^run score of row 1 is too large for a float"):
            reading.read_run(run)


@pytest.mark.parametrize(
    "dtype", ["object", "string[pyarrow]", "large_string[pyarrow]", "int64[pyarrow]"]
)
@pytest.mark.parametrize("gap", [[1], [3], [1, 2], [0]])
def test_a_missing_topic(gap: list[int], dtype: str) -> None:
    """The first row without one is shown, wherever it stands."""
    topics = pd.Series([1, 1, 1, 2] if "int" in dtype else ["1", "1", "1", "2"], dtype=dtype)
    topics[gap] = pd.NA
    with pytest.raises(
        TypeError, match=f"^run query_id must be strings, but row {gap[0]} holds (<NA>|nan)"
    ):
        reading.read_run(frame(topics))


@pytest.mark.parametrize("column", ["query_id", "doc_id", "number"])
@pytest.mark.parametrize(("what", "value"), [("run", "score"), ("qrels", "relevance")])
def test_the_first_offender_is_shown_with_the_name_of_its_column(what, value, column) -> None:
    columns = {"query_id": ["q"] * 4, "doc_id": ["d"] * 4, "number": [1.0] * 4}
    columns[column][1:3] = ["x", "y"] if column == "number" else [None, 5]
    data = pd.DataFrame(columns, dtype=object).rename(columns={"number": value})
    name, kind, wrong = column, "strings", "None"
    if column == "number":
        name, kind = value, "numbers"
        wrong = "'x'; the words are 'x', 'y'"
    group = reading.read_run if what == "run" else reading.read_qrels
    with pytest.raises(TypeError, match=f"^{what} {name} must be {kind}, but row 1 holds {wrong}$"):
        group(data).docs.take(slice(0, 4))  # ids of documents are read when they are needed


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        ("object", False),
        ("category", False),
        ("string[python]", False),
        ("string[pyarrow]", True),
        ("large_string[pyarrow]", True),
        ("int64[pyarrow]", True),
    ],
)
def test_columns_that_pyarrow_holds(dtype: str, kept: bool) -> None:
    """Its array is there for strings without a gap, in as many pieces as they come."""
    ids = pd.Series([1, 2] if "int" in dtype else ["1", "2"], dtype=dtype)
    for column in (ids, pd.concat([ids, ids])):
        array = read_ids(column, "run doc_id").arrow
        assert isinstance(array, pyarrow.Array) == kept
        assert (array.to_pylist() if kept else array) == (
            column.map(str).tolist() if kept else None
        )
    if dtype != "category":
        assert read_ids(ids.where(ids == ids[0]), "run doc_id").arrow is None


@pytest.mark.parametrize("rows", [slice(1, 4), np.array([3, 2, 1])])
def test_the_row_of_an_id_is_that_of_the_column(rows) -> None:
    docs = pd.Series(["a", "b", 5.0, 6.0], dtype=object)
    table = reading.read_run(frame(["q"] * 4, doc_id=docs))
    row = 2 if isinstance(rows, slice) else 3  # the first of those asked for
    with pytest.raises(TypeError, match=f"^run doc_id must be strings, but row {row} holds"):
        table.docs.take(rows)


@pytest.mark.parametrize("dtype", ["object", "category", "string[pyarrow]"])
@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("row", [0, 1])
def test_an_empty_id_is_refused_with_its_row(row: int, column: str, dtype: str) -> None:
    ids = pd.Series(["a" * row, "", "b" * row], dtype=dtype)
    with pytest.raises(TypeError, match=f"^run {column} must .*empty, but row {row} holds ''$"):
        reading.read_run(frame(["q"] * 3, **{column: ids})).docs.take(slice(0, 3))
    reading.read_qrels(frame(["q"] * 3, relevance=1, iteration=ids))  # may be empty


@pytest.mark.parametrize("kind", ["string", "string_view"])  # the latter is polars'
def test_a_null_among_the_texts_of_codes(kind: str) -> None:
    topics = pyarrow.DictionaryArray.from_arrays([0, 1], pyarrow.array(["1", None], kind))
    with pytest.raises(TypeError, match=r"^run query_id must be strings, but row 1 holds None$"):
        reading.read_run(pyarrow.table({"qid": topics, "docno": ["a", "b"], "score": [1.0, 2.0]}))


@pytest.mark.parametrize("wrong", ["1_0", b"3", np.datetime64("2020"), [1, 9], np.ones(2)])
def test_scores_are_read_as_files_read_them(wrong) -> None:
    """Python and NumPy turn most of these into numbers; a model returns arrays of one number."""
    for run in ({"q": {"a": wrong}}, frame(["q"], score=pd.Series([wrong], dtype=object))):
        with pytest.raises(TypeError, match=r"^run score must be numbers, but row 0 holds "):
            reading.read_run(run)
    for right in ("3", np.array([3]), np.float32(3), [3]):
        assert reading.read_run({"q": {"a": right}}).values.tolist() == [3]


def test_a_table_without_rows() -> None:
    empty = {"query_id": [], "doc_id": [], "score": []}  # which pandas takes for floats
    texts = pyarrow.StringArray.from_buffers(0, None, pyarrow.py_buffer(b""))  # without offsets
    table = pyarrow.table(dict.fromkeys(empty, texts))
    for run in (pd.DataFrame(empty), frame(["q"]).head(0), {}, [], {"q": {}}, table):
        assert reading.read_run(run).bounds.tolist() == [0]


def test_more_topics_than_short_integers_count() -> None:
    table = reading.read_run(frame([*map(str, range(2**16 + 1)), "0"]))
    assert np.diff(table.bounds).tolist() == [2] + [1] * 2**16


def test_the_largest_query_position() -> None:
    run = frame(["s"] * 2, query_position=[10_000, 1])
    assert reading.read_run(run).position.tolist() == [10_000, 1]
    with pytest.raises(ValueError, match=r"is 10001; .* from 1 to 10000"):
        reading.read_run(run.assign(query_position=10_001))
