"""Frames and files of sessions: what is read, written, turned into each other, and refused."""

from __future__ import annotations

import gzip
import io
import re
from unittest import mock

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import CG, nsDCG, sDCG
from pt_cumgain.inputs import lines
from tests.support import trec
from tests.support.helpers import SESSION_QRELS, SESSION_RUN

# frames


def test_to_queries_and_back() -> None:
    sessions = pd.DataFrame(
        {"qid": ["a", "b_1"], "queries": [["x", "y", "x"], ("z",)], "topic": ["1", "2"]}
    )
    queries = pt_cumgain.sessions.to_queries(sessions)
    assert queries["qid"].tolist() == ["a_1", "a_2", "a_3", "b_1_1"]
    assert queries["previous_queries"].tolist() == [[], ["x"], ["x", "y"], []]
    assert queries["session_length"].tolist() == [3, 3, 3, 1]
    assert queries["topic"].tolist() == ["1", "1", "1", "2"]
    shuffled = queries.assign(qid=queries["session"]).iloc[[3, 2, 0, 1]]
    back = pt_cumgain.sessions.to_sessions(shuffled.drop(columns=["session", "session_length"]))
    assert back["qid"].tolist() == ["b_1", "a"]
    assert back["queries"].tolist() == [["z"], ["x", "y", "x"]]
    assert back.columns.tolist() == ["qid", "queries", "topic"]  # what differs within a is left out
    one_query_each = queries[["session", "query"]].iloc[[3, 0]].set_axis(["qid", "query"], axis=1)
    assert pt_cumgain.sessions.to_sessions(one_query_each).columns.tolist() == ["qid", "queries"]


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (
            "one query",
            r"'s2': queries must be a list of strings, not 'one query'; .*\['one query'\]",
        ),
        ({"a"}, "'s2': queries must be a list of strings, not {'a'}"),  # has no order
        ([], "'s2' has no query; leave such sessions out"),
        (["a", 3], "'s2': the query 3 is not a string"),
        (None, "'s2': queries must be a list of strings, not None"),
    ],
)
def test_wrong_sessions(queries, message: str) -> None:
    sessions = pd.DataFrame({"qid": ["s1", "s2"], "queries": [["a"], queries]})
    with pytest.raises((TypeError, ValueError), match=message):
        pt_cumgain.per_session(pt.Transformer.identity())(sessions)
    twice = pd.DataFrame({"qid": ["r", "s", "s", "r"], "queries": [["a"]] * 4})
    with pytest.raises(ValueError, match="the session 's' appears in two rows"):
        pt_cumgain.sessions.to_queries(twice)
    with pytest.raises(ValueError, match=r"sessions: missing columns \['queries'\] \(found"):
        pt_cumgain.sessions.to_queries(twice.rename(columns={"queries": "query"}))


@pytest.mark.parametrize("positions", [[1, 1], [1, 3], [0, 1], [1, 1.5], [2, 3], [1, None]])
def test_wrong_positions_of_queries(positions: list) -> None:
    frame = pd.DataFrame({"qid": "s", "query": ["a", "b"], "query_position": positions})
    with pytest.raises(
        ValueError, match=r"session 's' has the query positions .* 1, 2, \.\.\. each once"
    ):
        pt_cumgain.sessions.to_sessions(frame)


def test_session_qrels() -> None:
    qrels = list(ir_measures.read_trec_qrels("1 0 a 2\n1 0 b -2\n2 0 c 1\nNone 0 d 1\n"))
    sessions = pd.DataFrame({"qid": ["x", "y", "z", "w"], "topic": ["1", "1", None, "3"]})
    got = pt_cumgain.sessions.session_qrels(qrels, sessions)
    assert got[["qid", "docno", "label"]].to_numpy().tolist() == [
        ["x", "a", 2], ["x", "b", -2], ["y", "a", 2], ["y", "b", -2],
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"no session has a topic with judgments .*'9'"):
        pt_cumgain.sessions.session_qrels(got, {"a": "9"})
    with pytest.raises(ValueError, match=r"\(topics of sessions: '6', '7', '8'\)"):
        pt_cumgain.sessions.session_qrels(qrels, dict(zip("abcd", "6789", strict=True)))
    with pytest.raises(ValueError, match=r"sessions: missing columns \['topic'\]"):
        pt_cumgain.sessions.session_qrels(got, sessions[["qid"]])
    with pytest.raises(TypeError, match=r"not \['x'\]; a mapping of sessions to topics is allowed"):
        pt_cumgain.sessions.session_qrels(got, ["x"])


def test_wrong_ids_of_sessions() -> None:
    frame = pd.DataFrame({"qid": ["1", None], "query": ["x", "y"], "queries": [["x"], ["y"]]})
    with pytest.raises(ValueError, match="sessions: row 1 has no qid"):
        pt_cumgain.sessions.to_queries(frame)
    with pytest.raises(ValueError, match="queries: row 1 has no qid"):
        pt_cumgain.sessions.to_sessions(frame.drop(columns="queries"))
    with pytest.raises(ValueError, match="has a column 'queries' already"):
        pt_cumgain.sessions.to_sessions(frame.head(1))
    with pytest.raises(ValueError, match="there is more than one column 'queries'"):
        pt_cumgain.sessions.to_queries(pd.concat([frame, frame[["queries"]]], axis=1).head(1))
    qrels = pd.DataFrame({"qid": ["7"], "docno": ["a"], "label": [1]})
    with pytest.raises(TypeError, match="numbers with a decimal point"):
        pt_cumgain.sessions.session_qrels(
            qrels, pd.DataFrame({"qid": ["x", "y"], "topic": [7.0, None]})
        )


@pytest.mark.parametrize(
    "make", [tuple, np.array, pd.Series, pd.Index, lambda x: pd.array(x, dtype="string")]
)
def test_lists_of_any_kind(make) -> None:
    sessions = pd.DataFrame({"qid": [7], "queries": pd.Series([make(["a", "b"])], dtype=object)})
    queries = pt_cumgain.sessions.to_queries(sessions)
    assert queries["query"].tolist() == ["a", "b"]
    assert queries["session"].tolist() == ["7", "7"]


def test_session_qrels_take_each_session_once() -> None:
    qrels = pd.DataFrame({"qid": [7], "docno": ["a"], "label": [1]})
    sessions = pd.DataFrame({"qid": [1, 1], "topic": [7, 7]})
    assert pt_cumgain.sessions.session_qrels(qrels, sessions).to_numpy().tolist() == [["1", "a", 1]]


def test_session_qrels_take_the_largest_label_of_several_subtopics() -> None:
    """2011's form: topic, subtopic, document, label. By hand: a 3 of 1, 3, 2; b 0 of -2, 0; c 1."""
    lines = "7 1 a 1\n7 1 b -2\n7 2 a 3\n7 2 b 0\n7 3 a 2\n8 1 a 1\n7 3 c 1\n"
    qrels = ir_measures.read_trec_qrels(lines)
    got = pt_cumgain.sessions.session_qrels(qrels, {"x": "7", "y": "8"})
    assert sorted(map(tuple, got[["qid", "docno", "label"]].to_numpy().tolist())) == [
        ("x", "a", 3), ("x", "b", 0), ("x", "c", 1), ("y", "a", 1),
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"qrels: .* relevance is also called label"):
        pt_cumgain.sessions.session_qrels(pd.DataFrame({"qid": ["7"], "docno": ["a"]}), {"x": "7"})


# files


def session_run(**changes) -> pd.DataFrame:
    run = SESSION_RUN.rename(columns={"query_id": "qid", "doc_id": "docno"})
    return run.assign(score=[0.1 + 0.2, 1e-17, 3.0, 2.0], session_length=3).assign(**changes)


@pytest.mark.parametrize("name", ["run.res", "run.res.gz"])
@pytest.mark.parametrize("length", [True, False])
def test_files_keep_everything(name: str, length: bool, tmp_path) -> None:
    run = session_run() if length else session_run().drop(columns="session_length")
    pt_cumgain.sessions.write_session_run(run, tmp_path / name)
    back = pt_cumgain.sessions.read_session_run(tmp_path / name)
    pd.testing.assert_frame_equal(back.drop(columns="rank"), run, check_dtype=False)
    assert back["rank"].tolist() == [0, 1, 0, 1]
    opened = gzip.open if name.endswith("gz") else open
    written = [line.split()[1:4] for line in opened(tmp_path / name, "rt")]
    of = "/3" if length else ""
    assert written == [
        [f"Q1{of}", "x", "0"], [f"Q1{of}", "b", "1"], [f"Q2{of}", "a", "0"], [f"Q2{of}", "b", "1"],
    ]  # fmt: skip
    values = pt_cumgain.evaluate([nsDCG, CG @ 3], SESSION_QRELS, tmp_path / name, batch_rows=1)
    expected = pt_cumgain.evaluate([nsDCG, CG @ 3], SESSION_QRELS, run)
    pd.testing.assert_frame_equal(values, expected)
    assert (
        pt_cumgain.sessions.session_curves([tmp_path / name], None, SESSION_QRELS, sDCG)[
            "value"
        ].iloc[-1]
        > 0
    )


@pytest.mark.parametrize("name", ["run.res", "run.res.gz"])
def test_what_cannot_be_written_leaves_the_file_that_was_there(name: str, tmp_path) -> None:
    (tmp_path / name).write_text("before")
    with pytest.raises(ValueError, match="cannot appear in a TREC run"):
        pt_cumgain.sessions.write_session_run(session_run(qid="a b"), tmp_path / name)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        pt_cumgain.sessions.write_session_run(session_run(), "/dev/full")


def put_and_read(session: str, document: str) -> pd.DataFrame:
    """The run of two queries that is read from what was written."""
    run = pd.DataFrame({"score": 1.0, "query_position": [1, 2]})
    for name, value in (("qid", session), ("docno", document)):  # pandas' own texts hold less
        run[name] = pd.Series([value, value], dtype=object)
    file = io.BytesIO()
    pt_cumgain.sessions.write_session_run(run, file)
    return pt_cumgain.sessions.read_session_run(io.BytesIO(file.getvalue()))


#: Signs that some reader or writer of text takes for something else, and any others.
IDS = st.text(
    st.sampled_from("#\ufeff\0\t\n\r\f\v\x1a\x1c \x85\xa0\u2028\"'\\,a1\ud800\u200b")
    | st.characters()
)


@given(session=IDS, document=IDS, block=st.sampled_from([1, 7, 1 << 22]))
@example(session="#s1", document="a", block=1 << 22)
@example(session="\ufeffs1", document="a", block=1 << 22)
@example(session="\ufeffs1", document="a", block=1)
@example(session="s1", document="a\0b", block=1 << 22)
def test_ids_are_refused_or_come_back(session: str, document: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)  # wherever a line is read first
        try:
            back = put_and_read(session, document)
        except ValueError as refused:
            assert "cannot appear in a TREC run: " in str(refused)  # noqa: PT017  # or comes back
        else:
            assert back[["qid", "docno"]].to_numpy().tolist() == [[session, document]] * 2


@pytest.mark.parametrize(
    "odd", ["s#", "'", '"a"', "a,b", "\\n", "NA", "nan", "a\ufeff", "\x01", "é"]
)
def test_odd_ids_come_back(odd: str) -> None:
    assert put_and_read(odd, odd)["qid"].tolist() == [odd, odd]


def test_what_only_begins_a_line_may_begin_a_document() -> None:
    for document in ("#1", "\ufeff1"):
        assert put_and_read("s", document)["docno"].tolist() == [document] * 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("s Q1 a 0 1 t\ns Q0 b 0 1 t\n", "line 2: the second field is 'Q0', but 'Q1' in the first"),
        ("s Q0 a 0 1 t\ns Q2 b 0 1 t\n", "line 2: the second field is 'Q2', but 'Q0' in the first"),
        ("s Q1/2 a 0 1 t\n\ns Q2 b 0 1 t\n", "line 3: the second field is 'Q2', but 'Q1/2' in the"),
        ("s Q0 a 0 1 t\n", r"second field of the run is not Q1, Q2, ... \(or Q1/3, ...\)"),
    ],
)
def test_wrong_files(lines: str, message: str, tmp_path) -> None:
    (tmp_path / "run").write_text(lines)
    with pytest.raises(ValueError, match=message):
        pt_cumgain.sessions.read_session_run(tmp_path / "run")
    with pytest.raises(ValueError, match=message):
        pt_cumgain.sessions.read_session_run(io.BytesIO(lines.encode()))


def test_an_empty_path_is_refused_like_that_of_qrels() -> None:
    """It would be the current folder, which was not given."""
    run = pd.DataFrame({"qid": ["s"], "docno": ["a"], "score": [1.0], "query_position": [1]})
    for use in (
        lambda: pt_cumgain.sessions.session_qrels("", {"s": "7"}),
        lambda: pt_cumgain.sessions.read_session_run(""),
        lambda: pt_cumgain.sessions.write_session_run(run, ""),
    ):
        with pytest.raises(ValueError, match=r"^the path is empty; give the name of a file$"):
            use()


def test_qrels_by_turn_in_a_file(tmp_path) -> None:
    """The second field is the query, as in runs; what is after a slash is not read."""
    qrels = pd.DataFrame(
        {"qid": "s", "docno": ["a", "a", "b"], "label": [3, 1, 2], "query_position": [1, 2, 2]}
    )
    expected = pt_cumgain.evaluate(nsDCG, qrels, SESSION_RUN)
    for lines_of_file in (
        "s Q1 a 3\ns Q2 a 1\ns Q2 b 2\n",
        "s Q1/2 a 3\ns Q2/2 a 1\ns Q2/2 b 2\n",
        "# by turn\ns\tQ1  a 3.0\r\ns Q2 a 1\ns Q2 b 2",
    ):
        (tmp_path / "qrels").write_bytes(lines_of_file.encode())
        got = pt_cumgain.evaluate(nsDCG, tmp_path / "qrels", SESSION_RUN)
        pd.testing.assert_frame_equal(got, expected)
        assert "session_length" not in trec.read_qrels(tmp_path / "qrels")
    for second in ("0", "1", "Q0", "q1", "Q01"):
        (tmp_path / "qrels").write_text(f"s {second} a 3\ns 0 b 2\n")
        assert "query_position" not in trec.read_qrels(tmp_path / "qrels")
    for block in (1, lines.BLOCK):  # in the block of the first line, and in another
        (tmp_path / "qrels").write_text("s Q1 a 3\n\ns 0 b 2\n")
        with (
            mock.patch("pt_cumgain.inputs.lines.BLOCK", block),
            pytest.raises(
                ValueError, match=r"line 3: the second field is '0', .* qrels by turn ha"
            ),
        ):
            trec.read_qrels(tmp_path / "qrels")


def test_split_turns() -> None:
    frame = pd.DataFrame({"n": [1, 2], "qid": ["9-1_12", "9-1_02"], "x": ["a", "b"]}, index=[7, 7])
    split = pt_cumgain.sessions.split_turns(frame)
    assert split.columns.tolist() == ["n", "qid", "query_position", "x"]
    assert split.to_numpy().tolist() == [[1, "9-1", 12, "a"], [2, "9-1", 2, "b"]]
    assert split["query_position"].dtype == np.int64
    assert frame["qid"].tolist() == ["9-1_12", "9-1_02"]
    renamed = frame.rename(columns={"qid": "query_id"})
    assert pt_cumgain.sessions.split_turns(renamed)["query_id"].tolist() == ["9-1", "9-1"]
    assert pt_cumgain.sessions.split_turns(frame.head(0)).columns.tolist() == split.columns.tolist()
    other = pt_cumgain.sessions.split_turns(frame.replace("_", ": ", regex=True), sep=": ")
    pd.testing.assert_frame_equal(other, split)
    for dtype in ("category", "string"):
        typed = pt_cumgain.sessions.split_turns(frame.astype({"qid": dtype}))
        pd.testing.assert_frame_equal(typed, split)


@pytest.mark.parametrize(
    ("qids", "message"),
    [
        (["31_1", qid], f"the qid {qid!r} is not a conversation and its turn with '_' between")
        for qid in (
            "31",
            "31_0",
            "31_x",
            "_4",
            "132_1-1",
            "31_",
            "31_1.0",
            "31_\u0661",
            "",
            "31_ 1",
        )
    ]
    + [
        ([31, 32], "the qid '31' is not a conversation"),
        ([31.1, 31.2], "qid must be strings, not float64"),
        (["31_1", None], "frame: row 1 has no qid"),
    ],
)
def test_ids_that_are_not_of_turns(qids, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        pt_cumgain.sessions.split_turns(pd.DataFrame({"qid": qids, "docno": "d"}))


@pytest.mark.parametrize("name", ["qid", "query_id"])
def test_different_ids_of_one_turn_are_refused(name: str) -> None:
    """31_1 and 31_01 are turn 1 of 31, and would be judged as one list; the same id may return."""
    frame = pd.DataFrame({name: ["31_1", "31_1", "31_2", "31_01"]})
    assert pt_cumgain.sessions.split_turns(frame[:3])["query_position"].tolist() == [1, 1, 2]
    message = f"the {name}s '31_1' and '31_01' are the same turn; give it one id"
    with pytest.raises(ValueError, match=message):
        pt_cumgain.sessions.split_turns(frame)


def test_what_cannot_be_split() -> None:
    frame = pd.DataFrame({"qid": ["31_1"]})
    with pytest.raises(ValueError, match=r"missing columns \['qid'\] \(found \['docno'\]\)"):
        pt_cumgain.sessions.split_turns(frame.rename(columns={"qid": "docno"}))


def test_session_qrels_keep_each_turn() -> None:
    """Qrels by topic and turn, as for several sessions of one conversation."""
    qrels = pd.DataFrame(
        {"qid": "7", "docno": "a", "label": [1, 3, 2], "query_position": [1, 2, 2]}
    )
    by_session = pt_cumgain.sessions.session_qrels(qrels, {"s": "7"})
    assert by_session.to_numpy().tolist() == [["s", "a", 1, 1], ["s", "a", 3, 2]]


def test_what_cannot_be_written() -> None:
    with pytest.raises(
        ValueError,
        match="document 'a b' cannot appear in a TREC run: an id is not empty, has no white space",
    ):
        pt_cumgain.sessions.write_session_run(
            session_run(docno=["a b", "b", "c", "d"]), io.BytesIO()
        )
    for qid in ("", "#s1", "\ufeffs1", "s\0", "s\ud800"):
        with pytest.raises(ValueError, match=re.escape(f"the session {qid!r} cannot appear")):
            put_and_read(qid, "a")
    with pytest.raises(ValueError, match=r"run: .* column query_position, .* it is missing"):
        pt_cumgain.sessions.write_session_run(
            session_run().drop(columns="query_position"), io.BytesIO()
        )
    for changes, message in (
        ({"docno": ["a", None, "c", "d"]}, "run doc_id must be strings, but row 1"),
        ({"docno": pd.Categorical(["a", "b", None, "d"])}, "run doc_id .* row 2"),
        ({"score": [1, 2, np.nan, 3]}, "a score that is NaN"),
        ({"session_length": 1}, "the session_length 1, but rows of its query 2"),
        ({"query_position": 0}, "query_position of row 0"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            pt_cumgain.sessions.write_session_run(session_run(**changes), io.BytesIO())
    empty = io.BytesIO()
    pt_cumgain.sessions.write_session_run(pd.DataFrame(columns=["qid", "docno", "score"]), empty)
    pt_cumgain.sessions.write_session_run(session_run().head(0), empty)
    assert empty.getvalue() == b""
    assert len(pt_cumgain.sessions.read_session_run(io.BytesIO())) == 0
