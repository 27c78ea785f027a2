"""Frames and files of sessions: what is read, written, turned into each other, and refused."""

import gzip
import io
from functools import partial
from typing import Any
from unittest import mock

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain import CG, evaluate, nsDCG, sDCG
from pt_cumgain.inputs import lines
from pt_cumgain.sessions import (
    read_session_run,
    session_curves,
    session_qrels,
    split_turns,
    to_queries,
    to_sessions,
    write_session_run,
)
from tests.inputs.test_forms import OtherFrame
from tests.support import trec
from tests.support.helpers import SESSION_QRELS, SESSION_RUN

QRELS = pd.DataFrame({"qid": ["7"], "docno": ["a"], "label": [1]})


def session_run(**changes) -> pd.DataFrame:
    run = SESSION_RUN.rename(columns={"query_id": "qid", "doc_id": "docno"})
    return run.assign(score=[0.1 + 0.2, 1e-17, 3.0, 2.0], session_length=3).assign(**changes)


def put_and_read(session: str, document: str) -> pd.DataFrame:
    """The run of two queries that is read from what was written."""
    run = pd.DataFrame({"score": 1.0, "query_position": [1, 2]})
    for name, value in (("qid", session), ("docno", document)):  # pandas' own texts hold less
        run[name] = pd.Series([value, value], dtype=object)
    file = io.BytesIO()
    write_session_run(run, file)
    return read_session_run(io.BytesIO(file.getvalue()))


# frames


def test_to_queries_and_back() -> None:
    sessions = pd.DataFrame(
        {"qid": ["a", "b_1"], "queries": [["x", "y", "x"], ("z",)], "topic": ["1", "2"]}
    )
    queries = to_queries(sessions)
    assert queries["qid"].tolist() == ["a_1", "a_2", "a_3", "b_1_1"]
    assert queries["previous_queries"].tolist() == [[], ["x"], ["x", "y"], []]
    assert queries["session_length"].tolist() == [3, 3, 3, 1]
    assert queries["topic"].tolist() == ["1", "1", "1", "2"]
    shuffled = queries.assign(qid=queries["session"]).iloc[[3, 2, 0, 1]]
    back = to_sessions(shuffled.drop(columns=["session", "session_length"]))
    assert back["qid"].tolist() == ["b_1", "a"]
    assert back["queries"].tolist() == [["z"], ["x", "y", "x"]]
    assert back.columns.tolist() == ["qid", "queries", "topic"]  # what differs within a is left out
    first = queries[["session", "query", "query_position"]].iloc[[3, 0]].astype(str)
    assert [*to_sessions(first.rename(columns={"session": "qid"}))] == ["qid", "queries"]


@pytest.mark.parametrize(
    "make", [tuple, np.array, pd.Series, pd.Index, lambda x: pd.array(x, dtype="string")]
)
def test_lists_of_any_kind(make) -> None:
    sessions = pd.DataFrame({"qid": [7], "queries": pd.Series([make(["a", "b"])], dtype=object)})
    queries = to_queries(sessions)
    assert queries["query"].tolist() == ["a", "b"]
    assert queries["session"].tolist() == ["7", "7"]


def test_session_qrels() -> None:
    qrels = list(ir_measures.read_trec_qrels("1 0 a 2\n1 0 b -2\n2 0 c 1\nNone 0 d 1\n"))
    sessions = pd.DataFrame({"qid": ["x", "y", "z", "w"], "topic": ["1", "1", None, "3"]})
    got = session_qrels(qrels, sessions)
    assert got[["qid", "docno", "label"]].to_numpy().tolist() == [
        ["x", "a", 2], ["x", "b", -2], ["y", "a", 2], ["y", "b", -2],
    ]  # fmt: skip
    twice = pd.DataFrame({"qid": [1, 1], "topic": [7, 7]})
    for each in (twice, OtherFrame(twice)):
        assert session_qrels(QRELS, each).to_numpy().tolist() == [["1", "a", 1]]


def test_session_qrels_take_the_largest_label_of_several_subtopics() -> None:
    """2011's form: topic, subtopic, document, label. By hand: a 3 of 1, 3, 2; b 0 of -2, 0; c 1."""
    text = "7 1 a 1\n7 1 b -2\n7 2 a 3\n7 2 b 0\n7 3 a 2\n8 1 a 1\n7 3 c 1\n"
    got = session_qrels(ir_measures.read_trec_qrels(text), {"x": "7", "y": "8"})
    assert sorted(map(tuple, got[["qid", "docno", "label"]].to_numpy().tolist())) == [
        ("x", "a", 3), ("x", "b", 0), ("x", "c", 1), ("y", "a", 1),
    ]  # fmt: skip
    turns = pd.concat([QRELS] * 3).assign(label=[1, 3, 2], query_position=[1, 2, 2])
    assert session_qrels(turns, {"s": "7"}).to_numpy().tolist() == [
        ["s", "a", 1, 1], ["s", "a", 3, 2],
    ]  # fmt: skip


def test_split_turns() -> None:
    frame = pd.DataFrame({"n": [1, 2], "qid": ["9-1_12", "9-1_02"], "x": ["a", "b"]}, index=[7, 7])
    split = split_turns(frame)
    assert split.columns.tolist() == ["n", "qid", "query_position", "x"]
    assert split.to_numpy().tolist() == [[1, "9-1", 12, "a"], [2, "9-1", 2, "b"]]
    assert split["query_position"].dtype == np.int64
    assert frame["qid"].tolist() == ["9-1_12", "9-1_02"]
    renamed = frame.rename(columns={"qid": "query_id"})
    assert split_turns(renamed)["query_id"].tolist() == ["9-1", "9-1"]
    assert split_turns(frame.head(0)).columns.tolist() == split.columns.tolist()
    other = split_turns(frame.replace("_", ": ", regex=True), sep=": ")
    pd.testing.assert_frame_equal(other, split)
    pd.testing.assert_frame_equal(split_turns(frame.astype({"qid": "category"})), split)
    again = pd.concat([frame, frame])  # the same id may return
    assert split_turns(again)["query_position"].tolist() == [12, 2, 12, 2]


# files


@pytest.mark.parametrize("name", ["run.res", "run.res.gz"])
@pytest.mark.parametrize("length", [True, False])
def test_files_keep_everything(name: str, length: bool, tmp_path) -> None:
    run = session_run() if length else session_run().drop(columns="session_length")
    write_session_run(run, tmp_path / name)
    back = read_session_run(tmp_path / name)
    pd.testing.assert_frame_equal(back.drop(columns="rank"), run, check_dtype=False)
    assert back["rank"].tolist() == [0, 1, 0, 1]
    back.to_parquet(tmp_path / "run.parquet")
    pd.testing.assert_frame_equal(read_session_run(tmp_path / "run.parquet"), back)
    opened = gzip.open if name.endswith("gz") else open
    written = [line.split()[1:4] for line in opened(tmp_path / name, "rt")]
    of = "/3" if length else ""
    assert written == [
        [f"Q1{of}", "x", "0"], [f"Q1{of}", "b", "1"], [f"Q2{of}", "a", "0"], [f"Q2{of}", "b", "1"],
    ]  # fmt: skip
    values = evaluate([nsDCG, CG @ 3], SESSION_QRELS, tmp_path / name, batch_rows=1)
    pd.testing.assert_frame_equal(values, evaluate([nsDCG, CG @ 3], SESSION_QRELS, run))
    curve = session_curves([tmp_path / name], None, SESSION_QRELS, sDCG)
    assert curve["value"].iloc[-1] > 0


@pytest.mark.parametrize("name", ["run.res", "run.res.gz"])
def test_what_cannot_be_written_leaves_the_file_that_was_there(name: str, tmp_path) -> None:
    (tmp_path / name).write_text("before")
    with pytest.raises(ValueError, match="cannot appear in a TREC run"):
        write_session_run(session_run(qid="a b"), tmp_path / name)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_a_run_without_rows_is_an_empty_file() -> None:
    file = io.BytesIO()
    write_session_run(pd.DataFrame(columns=["qid", "docno", "score"]), file)
    write_session_run(session_run().head(0), file)
    assert file.getvalue() == b""
    scores = read_session_run(io.BytesIO())["score"]
    assert (len(scores), scores.dtype) == (0, float)


#: Signs that some reader or writer of text takes for something else, and any others.
IDS = st.text(
    st.sampled_from("#\ufeff\0\t\n\r\f\v\x1a\x1c \x85\xa0\u2028\"'\\,a1\ud800\u200b")
    | st.characters()
)


@given(session=IDS, document=IDS, block=st.sampled_from([1, 7, 1 << 22]))
@example(session="#s1", document="a", block=1 << 22)
@example(session="#", document="a", block=1 << 22)
@example(session="\ufeffs1", document="a", block=1 << 22)
@example(session="\ufeffs1", document="a", block=1)
@example(session="s1", document="a\0b", block=1 << 22)
def test_ids_are_refused_or_come_back(session: str, document: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)  # wherever a line is read first
        try:
            back = put_and_read(session, document)
        except (TypeError, ValueError) as refused:
            empty = "must not be empty" in str(refused)
            assert empty or "cannot appear in a TREC run: " in str(refused)  # noqa: PT017
        else:
            assert back[["qid", "docno"]].to_numpy().tolist() == [[session, document]] * 2


def test_odd_ids_come_back() -> None:
    odd_ids = ["s#", "#s", "'", "'x'", '"a"', '"quoted', "a,b", "\\n", "a\ufeff", "\x01", "é"]
    for odd in [*odd_ids, "NA", "nan", "None", "007", "1e5"]:
        assert put_and_read(odd, odd)[["qid", "docno"]].to_numpy().tolist() == [[odd, odd]] * 2
    for document in ("#1", "\ufeff1"):
        assert put_and_read("s", document)["docno"].tolist() == [document] * 2


def test_qrels_by_turn_in_a_file(tmp_path) -> None:
    """The second field is the query, as in runs; what is after a slash is not read."""
    path = tmp_path / "qrels"
    qrels = pd.DataFrame(
        {"qid": "s", "docno": ["a", "a", "b"], "label": [3, 1, 2], "query_position": [1, 2, 2]}
    )
    expected = evaluate(nsDCG, qrels, SESSION_RUN)
    for text in (
        "s Q1 a 3\ns Q2 a 1\ns Q2 b 2\n",
        "s Q1/2 a 3\ns Q2/2 a 1\ns Q2/2 b 2\n",
        "# by turn\ns\tQ1  a 3.0\r\ns Q2 a 1\ns Q2 b 2",
    ):
        path.write_bytes(text.encode())
        pd.testing.assert_frame_equal(evaluate(nsDCG, path, SESSION_RUN), expected)
        assert "session_length" not in trec.read_qrels(path)
    for second in ("0", "1", "Q0", "q1", "Q01"):
        path.write_text(f"s {second} a 3\ns 0 b 2\n")
        assert "query_position" not in trec.read_qrels(path)
    path.write_text("s Q1 a 3\n\ns 0 b 2\n")
    for block in (1, lines.BLOCK):  # in the block of the first line, and in another
        with (
            mock.patch("pt_cumgain.inputs.lines.BLOCK", block),
            pytest.raises(ValueError, match=r"line 3: .* '0', .* qrels by turn, it"),
        ):
            trec.read_qrels(path)


# what is refused


def put(**changes: Any) -> None:
    write_session_run(session_run(**changes), io.BytesIO())


def queries_of(last: Any) -> pd.DataFrame:
    return to_queries(pd.DataFrame({"qid": ["s1", "s2"], "queries": [["a"], last]}))


def at_positions(*positions: float | None) -> pd.DataFrame:
    return to_sessions(pd.DataFrame({"qid": "s", "query": ["a", "b"], "query_position": positions}))


def split(*qids: Any, name: str = "qid") -> pd.DataFrame:
    return split_turns(pd.DataFrame({name: qids}))


ONE = pd.DataFrame({"qid": ["r"], "queries": [["a"]], "query": ["a"]})
NO_QID = pd.concat([ONE, ONE.assign(qid=None)]).drop(columns="queries")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: queries_of("one"), r"'s2': queries must be a list .*, not 'one'; .*\['one'\]"),
        (lambda: queries_of({"a": 1}), "must be a list of strings, not {'a': 1}$"),
        (lambda: queries_of({"a"}), "^session 's2': queries must be a list of strings, not {'a'}$"),
        (lambda: queries_of(["a", 3, (4,)]), "^session 's2': the query 3 is not a string"),
        (lambda: to_queries(pd.concat([ONE, ONE])), "the session 'r' appears in two rows"),
        (lambda: to_sessions(ONE), "has a column 'queries' already"),
        (lambda: to_sessions(NO_QID), "^queries: row 1 has no qid"),
        (lambda: at_positions(1, 3), "'s' has the query positions 1, 3; they must be 1, 2, ... ea"),
        (lambda: session_qrels(QRELS, {"a": "9"}), r"no session has .* \(topics of sessions: '9'"),
        (lambda: session_qrels(QRELS, dict(zip("abcd", "1234"))), r"sessions: '1', '2', '3'\)"),
        (lambda: session_qrels(QRELS, ONE.assign(topic=7.0)), "topics of sessions: '7.0'"),
        (
            lambda: session_qrels(QRELS[["qid", "docno"]], {"x": "7"}),
            "^qrels: .* relevance is also called label",
        ),
        (lambda: split("31_1", "31"), "qid '31' is not a conversation, '_' and a turn"),
        *(
            (partial(split, "31_1", qid), f"the qid {qid!r} is not a conversation")
            for qid in ("31_0", "31_x", "_4", "31_1.0", "31_\u0661", "31_ 1", "31_10000")
        ),
        (lambda: split("1_1", "1_01"), "the qids '1_1' and '1_01' are the same turn; give it one"),
        (lambda: put(docno=["a b", *"bcd"]), "^the document 'a b' cannot appear in a TREC run"),
        *(
            (partial(put_and_read, qid, "a"), "^the session .* cannot appear in a TREC run")
            for qid in ("#", "\ufeffs1", "s\0", "s\ud800")
        ),
        (lambda: write_session_run(QRELS.assign(score=1), io.BytesIO()), "run: .*query_position"),
        (lambda: put(docno=pd.Categorical(["a", "b", None, "d"])), "run doc_id .* row 2 holds nan"),
        (lambda: put(score=[1, 2, np.nan, 3]), "^run: a score is NaN: row 2 was read as"),
        (lambda: put(session_length=1), "the session_length 1, but rows of its query 2"),
        (lambda: put(query_position=0), "query_position of row 0"),
        (lambda: put(scanned=10**9), "a whole number from 0 to 999999999"),
        (lambda: session_qrels("", {"s": "7"}), "^the path is empty; give the name of a file$"),
        (lambda: write_session_run(session_run(), "/dev/full"), "No space left .*: '/dev/full'"),
    ],
)
def test_what_is_refused(call, words: str) -> None:
    with pytest.raises((TypeError, ValueError, OSError), match=words):
        call()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("s Q1 a 0 1 t\ns Q0 b 0 1 t\n", "line 2: the second field is 'Q0', but 'Q1' in the first"),
        ("s Q0 a 0 1 t\ns Q2 b 0 1 t\n", "line 2: the second field is 'Q2', but 'Q0' in the first"),
        ("s Q1/2 a 0 1 t\n\ns Q2 b 0 1 t\n", "line 3: the second field is 'Q2', but 'Q1/2' in the"),
        ("s Q0 a 0 1 t\n", r"second field of the run is not Q1, Q2, ... \(or Q1/3, ...\)"),
    ],
)
def test_files_of_other_runs_are_refused(text: str, words: str, tmp_path) -> None:
    (tmp_path / "run").write_text(text)
    for source in (tmp_path / "run", io.BytesIO(text.encode())):
        with pytest.raises(ValueError, match=rf"^((/.*/)?run, |the ){words}"):
            read_session_run(source)
