"""Session measures: by hand, on frames and files, in PyTerrier, on the TREC 2013 Session Track."""

from __future__ import annotations

import copy
import gzip
import io
import math
import pickle
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import CG, core, nCG, nDCG, nsDCG, provider, pydocs, sDCG
from tests import reference

COLUMNS = ["query_id", "doc_id", "score", "query_position"]
QRELS = {"s": {"a": 3, "b": 1, "c": 2}}
# query 1 returns x (unjudged) and b, query 2 a and b; two documents are scanned of each
RUN = pd.DataFrame(
    [("s", "x", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 2.0, 2), ("s", "b", 1.0, 2)],
    columns=COLUMNS,
)
LOG4_5 = math.log(5, 4)
#: parameters, and the d(2) that follows from the discount's formula; d(1) is 1 in all of them
DISCOUNTS = [
    ({"discount": "log2"}, math.log2(3)),
    ({"discount": "original"}, 1.0),
    ({"discount": "original", "base": 4}, 1.0),
    ({}, 2.0),
    ({"base": 4}, 1.5),
    ({"discount": "sigir2000"}, 1.0),
    ({"discount": "shifted"}, math.log2(3)),
    ({"discount": "shifted", "base": 4}, LOG4_5),
    ({"discount": "rank"}, 2.0),
    ({"discount": "none"}, 1.0),
]
#: parameters, and d_q(2); d_q(1) is 1
QUERY_DISCOUNTS = [
    ({}, 1.5),
    ({"bq": 2}, 2.0),
    ({"query_discount": "shifted"}, LOG4_5),
    ({"query_discount": "shifted", "bq": 2}, math.log2(3)),
    ({"query_discount": "none"}, 1.0),
]


def value(measure, qrels=QRELS, run=RUN) -> float:
    return provider.calc_aggregate([measure], qrels, run)[measure]


@pytest.mark.parametrize(("discount", "d2"), DISCOUNTS)
@pytest.mark.parametrize(("query_discount", "q2"), QUERY_DISCOUNTS)
def test_by_hand(discount: dict, d2: float, query_discount: dict, q2: float) -> None:
    params = {**discount, **query_discount, "cutoff": 2}
    assert value(sDCG(**params)) == pytest.approx(1 / d2 + (3 + 1 / d2) / q2)
    assert value(sDCG(duplicates="first", **params)) == pytest.approx(1 / d2 + 3 / q2)
    ideal = (3 + 2 / d2) * (1 + 1 / q2)
    assert value(nsDCG(**params)) == pytest.approx((1 / d2 + (3 + 1 / d2) / q2) / ideal)
    # each document once: 3 at rank 1 of query 1, then the better of the next two places
    ideal = 3 + 2 * max(1 / d2, 1 / q2) + min(1 / d2, 1 / q2)
    measure = nsDCG(duplicates="first", **params)
    assert value(measure) == pytest.approx((1 / d2 + 3 / q2) / ideal)


def test_averages_by_hand() -> None:
    """The session's vector is 0, 1/2, 2.5, 2.5 + 1/3; its ideal 3, 4, 6, 4 + 4/1.5."""
    vector, ideal = [0, 0.5, 2.5, 2.5 + 1 / 3], [3, 4, 6, 4 + 4 / 1.5]
    assert value(sDCG(avg_pos=True) @ 2) == pytest.approx(sum(vector) / 4)
    expected = sum(v / i for v, i in zip(vector, ideal, strict=True)) / 4
    assert value(nsDCG(avg_pos=True) @ 2) == pytest.approx(expected)


def test_only_the_first_queries() -> None:
    assert value(sDCG(queries=1) @ 2) == pytest.approx(1 / 2)
    assert value(nsDCG(queries=1) @ 2) == pytest.approx(1 / 2 / 4)
    assert value(nsDCG(queries=5) @ 2) == value(nsDCG @ 2)


def test_kanoulas_style() -> None:
    """Kanoulas et al. 2011: 2^level - 1, log2(r + 1), log4(q + 3)."""
    measure = sDCG(gains="exp", discount="log2", query_discount="shifted", bq=4) @ 2
    second = 1 / math.log2(3)
    assert value(measure) == pytest.approx(second + (7 + second) / LOG4_5)


def test_a_document_counts_first_where_it_is_scanned() -> None:
    """b stands at rank 3 of query 1, which a user who scans two documents does not see."""
    rows = [("s", "x", 3.0, 1), ("s", "y", 2.0, 1), ("s", "b", 1.0, 1), ("s", "b", 1.0, 2)]
    run = pd.DataFrame(rows, columns=COLUMNS)
    assert value(sDCG(duplicates="first") @ 2, run=run) == pytest.approx(1 / 1.5)
    assert value(sDCG(duplicates="first") @ 3, run=run) == pytest.approx(1 / (1 + math.log2(3)))


def test_the_ideal_session_has_1() -> None:
    """With `count` three times the ideal list; with `first` the gains where discounts are small."""
    labels = {"a": 3, "b": 3, "c": 2, "d": 1, "e": 1}
    ideal = [("s", doc, 9.0 - i, q) for q in (1, 2, 3) for i, doc in enumerate("abcde")]
    run = pd.DataFrame(ideal, columns=COLUMNS)
    for measure in (nsDCG @ 4, nsDCG(gains="exp", bq=2) @ 10, nsDCG(avg_pos=True) @ 3):
        assert value(measure, {"s": labels}, run) == pytest.approx(1)
    weights = 1 / np.outer(core.query_discounts([1, 2, 3]), core.discounts([1, 2], "revised"))
    best = np.argsort(-weights.ravel(), kind="stable")
    docs = dict(zip(best.tolist(), "abcde", strict=False))
    rows = [("s", docs.get(p, f"x{p}"), -float(p % 2), p // 2 + 1) for p in range(6)]
    run = pd.DataFrame(rows, columns=COLUMNS)
    assert [row[1] for row in rows] != [*"abcde", "x5"]  # it is not the order of positions
    assert value(nsDCG(duplicates="first") @ 2, {"s": labels}, run) == pytest.approx(1)


def test_core_is_the_same() -> None:
    vector = core.session_vector([[0, 1], [3, 1]], depth=2)
    assert vector[-1] == pytest.approx(value(sDCG @ 2))
    ideal = core.ideal_session([1, 2, 3], 2, depth=2)
    assert vector[-1] / ideal[-1] == pytest.approx(value(nsDCG @ 2))
    assert core.session_vector([[], [1]], depth=2).tolist() == pytest.approx(
        [0, 0, 1 / 1.5, 1 / 1.5]
    )


def test_a_query_that_returned_nothing_costs_its_place() -> None:
    alone = pd.DataFrame([("s", "a", 1.0, 2)], columns=COLUMNS)
    assert value(sDCG, run=alone) == pytest.approx(3 / 1.5)
    one = 3 + 2 / 2 + 1 / (1 + math.log2(3))
    assert value(nsDCG, run=alone) == pytest.approx(3 / 1.5 / one / (1 + 1 / 1.5))
    of_three = alone.assign(session_length=3)
    assert value(sDCG, run=of_three) == pytest.approx(3 / 1.5)
    times = 1 + 1 / 1.5 + 1 / (1 + math.log(3, 4))
    assert value(nsDCG, run=of_three) == pytest.approx(3 / 1.5 / one / times)


def test_forms_of_input() -> None:
    class SessionDoc(NamedTuple):
        query_id: str
        doc_id: str
        score: float
        query_position: int

    rows = [SessionDoc(*row) for row in RUN.itertuples(index=False)]
    assert value(nsDCG @ 2, run=iter(rows)) == value(nsDCG @ 2)

    class WithLength(NamedTuple):
        query_id: str
        doc_id: str
        score: float
        query_position: int
        session_length: int

    longer = [WithLength(*row, session_length=4) for row in RUN.itertuples(index=False)]
    assert value(nsDCG @ 2, run=longer) == value(nsDCG @ 2, run=RUN.assign(session_length=4))
    with pytest.raises(ValueError, match="the records do not all have the same fields"):
        value(nsDCG @ 2, run=[*rows, *longer])
    whole_floats = RUN.astype({"query_position": float})
    assert value(nsDCG @ 2, run=whole_floats) == value(nsDCG @ 2)
    by_evaluate = pt_cumgain.evaluate(
        "nsDCG@2",
        pd.DataFrame({"qid": ["s"] * 3, "docno": ["a", "b", "c"], "label": [3, 1, 2]}),
        RUN.rename(columns={"query_id": "qid", "doc_id": "docno"}),
    )
    assert by_evaluate["value"].tolist() == [value(nsDCG @ 2)]


def test_names_and_parsing() -> None:
    assert str(sDCG) == "sDCG@10" == str(sDCG(discount="revised", bq=4.0))
    assert str(nsDCG @ 5) == "nsDCG@5"
    text = "sDCG(gains='0-1-10-100',bq=2,query_discount='shifted',duplicates='first',queries=3)@5"
    measure = ir_measures.parse_measure(text)
    assert isinstance(measure, type(sDCG))
    assert str(measure) == text
    order = {"queries": 3, "duplicates": "first", "query_discount": "shifted"}
    assert measure == sDCG(cutoff=5, bq=2, gains="0-1-10-100", **order)
    for twin in (copy.deepcopy(measure), pickle.loads(pickle.dumps(measure))):
        assert twin == measure
        assert hash(twin) == hash(measure)
    assert ir_measures.SDCG.NAME == "SDCG"  # the host's scaled DCG is another measure
    needed = ir_measures.run_inputs([nsDCG @ 5, ir_measures.AP])
    assert set(needed) == {"query_id", "doc_id", "score", "query_position"}
    assert set(ir_measures.run_inputs([nDCG @ 5, CG])) == {"query_id", "doc_id", "score"}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"bq": 1}, "sDCG: bq=1: the base of a logarithm must be greater than 1"),
        ({"bq": "4"}, "sDCG: bq='4': the base of a logarithm is a number greater than 1"),
        (
            {"bq": 2, "query_discount": "none"},
            "bq=2: the query discount 'none' has no base; these have one: revised, shifted",
        ),
        ({"query_discount": "log2"}, "query_discount='log2' is unknown; choose from revised"),
        ({"duplicates": "last"}, "duplicates='last' is unknown; choose from count, first"),
        ({"queries": 0}, "queries=0 must be at least 1"),
        ({"cutoff": 0}, "cutoff=0 must be at least 1"),
        ({"cutoff": None}, "cutoff=None must be a whole number"),
        ({"at_r": True}, "unknown parameter 'at_r'; it takes cutoff, gains, discount, base"),
        ({"base": 3, "discount": "log2"}, "base=3: the discount 'log2' has no base"),
    ],
)
def test_wrong_parameters(params: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message.replace("(", r"\(")):
        sDCG(**params)


def test_normalised_refuses_what_has_no_ideal() -> None:
    with pytest.raises(ValueError, match="sigir2000"):
        nsDCG(discount="sigir2000", base=3)
    assert sDCG(discount="sigir2000", base=3)["base"] == 3
    with pytest.raises(ValueError, match="negative gain"):
        nsDCG(gains={1: -1})


def broken(**changes) -> pd.DataFrame:
    return RUN.assign(**changes)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            RUN.drop(columns="query_position"),
            r"query_position.*found \['query_id', 'doc_id', 'score",
        ),
        (broken(query_position=[0, 1, 2, 2]), r"query_position of row 0 \(document 'x'\) is 0; it"),
        (broken(query_position=[1, 1.5, 2, 2]), r"query_position of row 1 \(document 'b'\) is 1.5"),
        (
            broken(query_position=[1, 1, None, 2]),
            r"query_position of row 2 \(document 'a'\) is nan",
        ),
        (broken(query_position=[1, 1, 2, np.inf]), r"of row 3 .* is inf"),
        (broken(query_position=[1, 1, 2, 1.7e9]), r"of row 3 .* is 1.7e\+09; .* from 1 to 10000"),
        (
            broken(query_position=list("abcd")),
            "query_position must be numbers, but row 0 holds 'a'",
        ),
        (broken(query_position=True), "query_position must be whole numbers, not booleans"),
        (broken(session_length=1), "'s' has the session_length 1, but rows of its query 2"),
        (broken(session_length=[2, 2, 3, 3]), "'s' has the session_length 2 and 3; it is"),
        (broken(session_length=[2, 2, 2, None]), "session_length of row 3 .* is nan"),
        (
            broken(doc_id=["x", "b", "a", "a"]),
            r"'a' of topic 's' \(query 2\) stands twice, at ranks 1",
        ),
        (broken(score=[1, np.nan, 1, 1]), r"'b' of topic 's' \(query 1\) has the score NaN"),
        ({"s": {"a": 1.0}}, "query_position.*it is not there. pt_cumgain.per_session"),
    ],
)
def test_wrong_runs(run, message: str) -> None:
    for measures in ([nsDCG @ 2], [sDCG, CG @ 1, nDCG @ 5]):
        with pytest.raises((TypeError, ValueError), match=message):
            provider.calc_aggregate(measures, QRELS, run)
        with pytest.raises((TypeError, ValueError), match=message):
            ir_measures.calc_aggregate([*measures, ir_measures.P @ 1], QRELS, run)


def test_a_repeated_document_beyond_what_is_scanned_is_no_error() -> None:
    run = pd.concat([RUN, pd.DataFrame([("s", "x", 0.0, 1)], columns=COLUMNS)])
    assert value(nsDCG @ 2, run=run) == value(nsDCG @ 2)
    with pytest.raises(ValueError, match="stands twice, at ranks 1 and 3"):
        value(nsDCG @ 3, run=run)


def test_wrong_positions_are_refused_for_ordinary_measures_too() -> None:
    with pytest.raises(ValueError, match="query_position of row 0"):
        value(CG @ 1, run=broken(query_position=[0, 1, 2, 2]))
    with pytest.raises(ValueError, match="has the score NaN"):
        value(CG @ 1, run=broken(score=[1, np.nan, 1, 1]))
    repeated = broken(doc_id=["x", "b", "a", "a"])
    assert value(CG @ 3, run=repeated) == 4
    with pytest.raises(ValueError, match="stands twice, at ranks 3 and 4"):
        value(CG @ 4, run=repeated)


def test_empty_runs_are_legal() -> None:
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    for run in (empty, {}, [], RUN.head(0), RUN.assign(session_length=2).head(0)):
        measures = [sDCG, nsDCG(duplicates="first"), nsDCG(avg_pos=True), CG @ 5]
        got = provider.calc_aggregate(measures, QRELS, run)
        assert list(got.values()) == [0, 0, 0, 0]
    assert math.isnan(value(sDCG, qrels={}))
    assert value(nsDCG, qrels={"s": {"a": 0}}) == 0


# frames


def test_to_queries_and_back() -> None:
    sessions = pd.DataFrame(
        {"qid": ["a", "b_1"], "queries": [["x", "y", "x"], ("z",)], "topic": ["1", "2"]}
    )
    queries = pt_cumgain.to_queries(sessions)
    assert queries["qid"].tolist() == ["a_1", "a_2", "a_3", "b_1_1"]
    assert queries["previous_queries"].tolist() == [[], ["x"], ["x", "y"], []]
    assert queries["session_length"].tolist() == [3, 3, 3, 1]
    assert queries["topic"].tolist() == ["1", "1", "1", "2"]
    shuffled = queries.assign(qid=queries["session"]).iloc[[3, 2, 0, 1]]
    back = pt_cumgain.to_sessions(shuffled.drop(columns=["session", "session_length"]))
    assert back["qid"].tolist() == ["b_1", "a"]
    assert back["queries"].tolist() == [["z"], ["x", "y", "x"]]
    assert back.columns.tolist() == ["qid", "queries", "topic"]  # what differs within a is left out


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (
            "one query",
            r"'s2': queries must be a list of strings, not 'one query'; .*\['one query'\]",
        ),
        ([], "'s2' has no query; leave such sessions out"),
        (["a", 3], "'s2': the query 3 is no string"),
        (None, "'s2': queries must be a list of strings, not None"),
    ],
)
def test_wrong_sessions(queries, message: str) -> None:
    sessions = pd.DataFrame({"qid": ["s1", "s2"], "queries": [["a"], queries]})
    with pytest.raises((TypeError, ValueError), match=message):
        pt_cumgain.per_session(pt.Transformer.identity())(sessions)
    twice = pd.DataFrame({"qid": ["s", "s"], "queries": [["a"], ["b"]]})
    with pytest.raises(ValueError, match="the session 's' stands in two rows"):
        pt_cumgain.to_queries(twice)
    with pytest.raises(ValueError, match=r"sessions: missing columns \['queries'\] \(found"):
        pt_cumgain.to_queries(twice.rename(columns={"queries": "query"}))


@pytest.mark.parametrize("positions", [[1, 1], [1, 3], [0, 1], [1, 1.5], [2, 3], [1, None]])
def test_wrong_positions_of_queries(positions: list) -> None:
    frame = pd.DataFrame({"qid": "s", "query": ["a", "b"], "query_position": positions})
    with pytest.raises(
        ValueError, match=r"session 's' has the query positions .* 1, 2, \.\.\. each once"
    ):
        pt_cumgain.to_sessions(frame)


def test_session_qrels() -> None:
    qrels = ir_measures.read_trec_qrels("1 0 a 2\n1 0 b -2\n2 0 c 1\nNone 0 d 1\n")
    sessions = pd.DataFrame({"qid": ["x", "y", "z", "w"], "topic": ["1", "1", None, "3"]})
    got = pt_cumgain.session_qrels(qrels, sessions)
    assert got[["query_id", "doc_id", "relevance"]].to_numpy().tolist() == [
        ["x", "a", 2], ["x", "b", -2], ["y", "a", 2], ["y", "b", -2],
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"no session has a topic with judgments .*'9'"):
        pt_cumgain.session_qrels(got.rename(columns={"query_id": "qid"}), {"a": "9"})
    with pytest.raises(ValueError, match=r"sessions: missing columns \['topic'\]"):
        pt_cumgain.session_qrels(got, sessions[["qid"]])


def test_wrong_ids_of_sessions() -> None:
    frame = pd.DataFrame({"qid": ["1", None], "query": ["x", "y"], "queries": [["x"], ["y"]]})
    with pytest.raises(ValueError, match="sessions: row 1 has no qid"):
        pt_cumgain.to_queries(frame)
    with pytest.raises(ValueError, match="queries: row 1 has no qid"):
        pt_cumgain.to_sessions(frame.drop(columns="queries"))
    with pytest.raises(ValueError, match="has a column 'queries' already"):
        pt_cumgain.to_sessions(frame.head(1))
    with pytest.raises(ValueError, match="there is more than one column 'queries'"):
        pt_cumgain.to_queries(pd.concat([frame, frame[["queries"]]], axis=1).head(1))
    with pytest.raises(TypeError, match="sessions must be a DataFrame"):
        pt_cumgain.to_queries([["x"]])
    qrels = pd.DataFrame({"qid": ["7"], "docno": ["a"], "label": [1]})
    with pytest.raises(TypeError, match="numbers with a decimal point"):
        pt_cumgain.session_qrels(qrels, pd.DataFrame({"qid": ["x", "y"], "topic": [7.0, None]}))
    with pytest.raises(ValueError, match="the column 'topic' is in the way"):
        pt_cumgain.session_qrels(qrels.assign(topic="7"), {"x": "7"})


@pytest.mark.parametrize(
    "make", [tuple, np.array, pd.Series, pd.Index, lambda x: pd.array(x, dtype="string")]
)
def test_lists_of_any_kind(make) -> None:
    sessions = pd.DataFrame({"qid": [7], "queries": pd.Series([make(["a", "b"])], dtype=object)})
    queries = pt_cumgain.to_queries(sessions)
    assert queries["query"].tolist() == ["a", "b"]
    assert queries["session"].tolist() == ["7", "7"]


def test_session_qrels_take_each_session_once() -> None:
    qrels = pd.DataFrame({"qid": [7], "docno": ["a"], "label": [1]})
    sessions = pd.DataFrame({"qid": [1, 1], "topic": [7, 7]})
    assert pt_cumgain.session_qrels(qrels, sessions).to_numpy().tolist() == [["1", "a", 1]]


# files


def session_run(**changes) -> pd.DataFrame:
    run = RUN.rename(columns={"query_id": "qid", "doc_id": "docno"})
    return run.assign(score=[0.1 + 0.2, 1e-17, 3.0, 2.0], session_length=3).assign(**changes)


@pytest.mark.parametrize("name", ["run.res", "run.res.gz"])
@pytest.mark.parametrize("length", [True, False])
def test_files_keep_everything(name: str, length: bool, tmp_path) -> None:
    run = session_run() if length else session_run().drop(columns="session_length")
    pt_cumgain.write_session_run(run, tmp_path / name)
    back = pt_cumgain.read_session_run(tmp_path / name)
    pd.testing.assert_frame_equal(back.drop(columns="rank"), run, check_dtype=False)
    assert back["rank"].tolist() == [0, 1, 0, 1]
    opened = gzip.open if name.endswith("gz") else open
    written = [line.split()[1:4] for line in opened(tmp_path / name, "rt")]
    of = "/3" if length else ""
    assert written == [
        [f"Q1{of}", "x", "0"], [f"Q1{of}", "b", "1"], [f"Q2{of}", "a", "0"], [f"Q2{of}", "b", "1"],
    ]  # fmt: skip
    values = pt_cumgain.evaluate([nsDCG, CG @ 3], QRELS, tmp_path / name, batch_rows=1)
    expected = pt_cumgain.evaluate([nsDCG, CG @ 3], QRELS, run)
    pd.testing.assert_frame_equal(values, expected)
    assert pt_cumgain.session_curves([tmp_path / name], None, QRELS, sDCG)["value"].iloc[-1] > 0


def test_parquet_keeps_the_queries(tmp_path) -> None:
    run = session_run()
    run.to_parquet(tmp_path / "run.parquet")
    values = pt_cumgain.evaluate([nsDCG, CG @ 3], QRELS, tmp_path / "run.parquet")
    pd.testing.assert_frame_equal(values, pt_cumgain.evaluate([nsDCG, CG @ 3], QRELS, run))


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
        pt_cumgain.read_session_run(tmp_path / "run")
    with pytest.raises(ValueError, match=message):
        pt_cumgain.read_session_run(io.BytesIO(lines.encode()))


def test_what_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="the document 'a b' cannot stand in a TREC run"):
        pt_cumgain.write_session_run(session_run(docno=["a b", "b", "c", "d"]), io.BytesIO())
    with pytest.raises(ValueError, match="the session '' cannot stand"):
        pt_cumgain.write_session_run(session_run(qid=""), io.BytesIO())
    with pytest.raises(ValueError, match=r"run: missing columns \['query_position'\]"):
        pt_cumgain.write_session_run(session_run().drop(columns="query_position"), io.BytesIO())
    for changes, message in (
        ({"docno": ["a", None, "c", "d"]}, "the document '' cannot stand"),
        ({"score": [1, 2, np.nan, 3]}, "a score that is NaN"),
        ({"session_length": 1}, "the session_length 1, but rows of its query 2"),
        ({"query_position": 0}, "query_position of row 0"),
    ):
        with pytest.raises(ValueError, match=message):
            pt_cumgain.write_session_run(session_run(**changes), io.BytesIO())
    with pytest.raises(TypeError, match="run must be a DataFrame"):
        pt_cumgain.write_session_run({"s": {"a": 1.0}}, io.BytesIO())
    empty = io.BytesIO()
    pt_cumgain.write_session_run(pd.DataFrame(columns=["qid", "docno", "score"]), empty)
    pt_cumgain.write_session_run(session_run().head(0), empty)
    assert empty.getvalue() == b""
    assert len(pt_cumgain.read_session_run(io.BytesIO())) == 0


# vectors


def test_vectors_by_hand() -> None:
    qrels = {**QRELS, "t": {"a": 1}}
    short = pd.DataFrame([("t", "a", 1.0, 1)], columns=COLUMNS)
    run = pd.concat([RUN, short])
    each = pt_cumgain.session_curves({"X": run}, None, qrels, sDCG @ 2, perquery=True)
    assert each["rank"].tolist() == [1, 2, 3, 4] * 2
    assert each["query_position"].tolist() == [1, 1, 2, 2] * 2
    values = each.groupby("qid")["value"].agg(list)
    assert values["s"] == pytest.approx([0, 0.5, 2.5, 2.5 + 1 / 3])
    assert values["t"] == [1, 1, 1, 1]  # held after its only query
    ideals = each.groupby("qid")["ideal"].agg(list)
    assert ideals["s"] == pytest.approx([3, 4, 6, 4 + 4 / 1.5])
    assert ideals["t"] == [1, 1, 1, 1]
    mean = pt_cumgain.session_curves({"X": run}, None, qrels, [sDCG @ 2, "nsDCG@2"])
    assert mean["measure"].unique().tolist() == ["nsDCG@2", "sDCG@2"]
    assert mean["value"][4:].tolist() == pytest.approx([0.5, 0.75, 1.75, 1.75 + 1 / 6])
    assert mean["value"][:4].tolist() == pytest.approx(
        [(a / b + 1) / 2 for a, b in zip(values["s"], ideals["s"], strict=True)]
    )
    assert mean["ideal"][:4].tolist() == [1, 1, 1, 1]
    longer = pt_cumgain.session_curves({"X": run}, None, qrels, sDCG @ 2, at_least=2)
    assert longer["value"].tolist() == pytest.approx(values["s"])


def test_wrong_vectors() -> None:
    with pytest.raises(ValueError, match="nDCG@5 is no session measure; these are sDCG and nsDCG"):
        pt_cumgain.session_curves({"X": RUN}, None, QRELS, nDCG @ 5)
    with pytest.raises(ValueError, match="drop avg_pos"):
        pt_cumgain.query_gains({"X": RUN}, None, QRELS, sDCG(avg_pos=True))
    with pytest.raises(ValueError, match="at_least=0"):
        pt_cumgain.session_curves({"X": RUN}, None, QRELS, sDCG, at_least=0)
    with pytest.raises(ValueError, match="no session of the qrels has 3 queries or more"):
        pt_cumgain.session_curves({"X": RUN}, None, QRELS, sDCG, at_least=3)
    with pytest.raises(ValueError, match="query_position"):
        pt_cumgain.query_gains({"X": RUN.drop(columns="query_position")}, None, QRELS, sDCG)
    with pytest.raises(ValueError, match="depth=0 must be a whole number"):
        pt_cumgain.query_gains({"X": RUN}, None, QRELS, sDCG, depth=0)
    with pytest.raises(ValueError, match="there is no measure"):
        pt_cumgain.query_gains({"X": RUN}, None, QRELS, [])
    with pytest.raises(ValueError, match="the qrels have no topic"):
        pt_cumgain.session_curves({"X": RUN}, None, {}, sDCG)
    huge = sDCG(gains=dict.fromkeys((1, 2, 3), 1.7e308), discount="none", query_discount="none")
    for function in (pt_cumgain.session_curves, pt_cumgain.query_gains):
        with pytest.raises(ValueError, match="too large for a sum of floats"):
            function({"X": RUN}, None, QRELS, huge)


@pytest.mark.parametrize("run", [{}, RUN.assign(query_id="other")], ids=["empty", "disjoint"])
def test_sessions_that_the_run_misses(run) -> None:
    """0 beside an ideal of as many queries as the sessions frame says, else of one."""
    with pytest.warns(UserWarning, match="the run 'X' and the qrels have no topic in common"):
        curve = pt_cumgain.session_curves({"X": run}, None, QRELS, [sDCG @ 2, nsDCG @ 2])
    assert curve["value"].tolist() == [0] * 4
    assert curve["ideal"].tolist() == [1, 1, 3, 3 + 2 / 2]
    sessions = pd.DataFrame({"qid": ["s"], "queries": [["a", "b", "c"]]})
    with pytest.warns(UserWarning, match="no topic in common"):
        longer = pt_cumgain.session_curves({"X": run}, sessions, QRELS, sDCG @ 2, at_least=3)
    assert longer["rank"].max() == 6
    assert longer["ideal"].iloc[3] == pytest.approx(4 * (1 + 1 / 1.5))
    with pytest.warns(UserWarning, match="no topic in common"):
        assert len(pt_cumgain.query_gains({"X": run}, None, QRELS, sDCG)) == 0
    with pytest.warns(UserWarning, match="no topic in common"):
        gains = pt_cumgain.query_gains({"X": run}, sessions, QRELS, sDCG)
    assert gains["value"].tolist() == [0, 0, 0]


def test_vectors_follow_the_measures_parameters() -> None:
    """Every parameter but the plain ones: from the reference's formulas for this session."""
    params = {"gains": "exp", "discount": "log2", "query_discount": "shifted", "bq": 2}
    weights = reference.session_weights(2, 2, "log2", 2, "shifted", 2)
    measure = sDCG(duplicates="first", **params) @ 2
    scored = [0, 1, 7, 0]  # x b / a, b again
    expected = np.cumsum([g * w for g, w in zip(scored, weights, strict=True)])
    curve = pt_cumgain.session_curves({"X": RUN}, None, QRELS, measure)
    assert curve["value"].tolist() == pytest.approx(expected.tolist())
    first = pt_cumgain.session_curves({"X": RUN}, None, QRELS, measure(queries=1))
    assert first["value"].tolist() == pytest.approx(expected[:2].tolist())
    gains = pt_cumgain.query_gains({"X": RUN}, None, QRELS, [measure, nsDCG(**params)], depth=2)
    values = gains.set_index(["measure", "query_position"])["value"]
    of_first = str(measure)
    assert values[of_first].tolist() == pytest.approx(
        [weights[1], 7 * weights[2]]  # in the second query b, seen before, counts no more
    )
    ideal = 7 + 3 / math.log2(3)
    of_normalised = str(nsDCG(**params) @ 2)
    second = (7 + 1 / math.log2(3)) / math.log2(3) / ideal
    assert values[of_normalised].tolist() == pytest.approx([weights[1] / ideal, second])
    one = pt_cumgain.query_gains({"X": RUN}, None, QRELS, measure(queries=1), depth=2)
    assert one["query_position"].tolist() == [1]
    assert one["last"].tolist() == [False]
    boosted = pt_cumgain.session_curves({"X": RUN}, None, QRELS, sDCG(discount="sigir2000", base=3))
    assert boosted["value"].notna().all()
    assert boosted["ideal"].isna().all()


# PyTerrier


class Lookup(pt.Transformer):
    """Finds the documents of `pydocs` whose name holds a word of the query."""

    def __init__(self, depth: int = 20, earlier: bool = False) -> None:
        self.depth, self.earlier = depth, earlier

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(queries, extra_columns=["query"])
        rows = []
        for query in queries.itertuples():
            texts = [*query.previous_queries, query.query] if self.earlier else [query.query]
            words = set(" ".join(texts).split())
            found = [doc for doc in pydocs.documents() if words & set(doc.title.lower().split())]
            rows += [
                (query.qid, doc.doc_id, -float(i)) for i, doc in enumerate(found[: self.depth])
            ]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]))

    def transform_outputs(self, _: list[str]) -> list[str]:
        return ["qid", "docno", "score", "rank"]


@pytest.fixture(scope="module")
def systems() -> dict[str, pt.Transformer]:
    return {
        "words": pt_cumgain.per_session(Lookup()),
        "all words": pt_cumgain.per_session(Lookup(earlier=True)),
    }


MEASURES = [sDCG @ 10, nsDCG(gains="0-1-10-100") @ 5, CG @ 10, nDCG @ 10, ir_measures.AP]


def experiment(systems, measures=MEASURES, **options) -> pd.DataFrame:
    sessions, qrels = pydocs.sessions(), pydocs.session_qrels()
    options = {"validate": "error", **options}
    return pt.Experiment(systems, sessions, qrels, measures, **options)


def test_per_session(systems) -> None:
    run = systems["words"](pydocs.sessions())
    assert run.columns.tolist() == [
        "qid", "docno", "score", "rank", "query_position", "session_length",
    ]  # fmt: skip
    first = run[(run["qid"] == "s2") & (run["query_position"] == 2)]
    alone = Lookup()(pd.DataFrame({"qid": ["q"], "query": ["replace nan with zero"]}))
    assert first["docno"].tolist() == alone["docno"].tolist()
    length = pydocs.sessions().set_index("qid")["queries"].map(len)
    assert (run["session_length"] == run["qid"].map(length)).all()
    earlier = systems["all words"](pydocs.sessions())
    assert len(earlier) > len(run)


def test_in_an_experiment(systems) -> None:
    result = experiment(systems).set_index("name")
    assert set(result.columns) == {str(measure) for measure in MEASURES}
    qrels = pt.model.to_ir_measures(pydocs.session_qrels())
    for name, system in systems.items():
        run = pt.model.to_ir_measures(system(pydocs.sessions()))
        for measure, mean in provider.calc_aggregate(MEASURES[:3], qrels, run).items():
            assert result.loc[name, str(measure)] == pytest.approx(mean)
    for part in (MEASURES[:2], MEASURES[2:]):
        alone = experiment(systems, part).set_index("name")
        pd.testing.assert_frame_equal(result[alone.columns], alone)


@pytest.mark.parametrize(
    "options", [{"batch_size": 7}, {"plan": "tree"}, {"plan": "tree", "batch_size": 4}], ids=str
)
def test_batches_and_plans_change_nothing(options: dict, systems) -> None:
    plain = experiment(systems)
    other = experiment(systems, verbose=False, **options)
    pd.testing.assert_frame_equal(other[plain.columns], plain)


def test_baseline_correction_and_perquery(systems) -> None:
    tested = experiment(systems, baseline=0, correction="holm")
    assert tested["sDCG@10 p-value"].notna().tolist() == [False, True]
    assert 0 <= tested["sDCG@10 p-value corrected"][1] <= 1
    each = experiment(systems, perquery=True)
    assert each.groupby("measure").size().tolist() == [2 * 30] * len(MEASURES)
    means = each.groupby(["name", "measure"])["value"].mean()
    plain = experiment(systems).set_index("name")
    assert means["words", "sDCG@10"] == pytest.approx(plain.loc["words", "sDCG@10"])


def test_saved_runs_keep_the_queries(systems, tmp_path) -> None:
    formats = (pt_cumgain.read_session_run, pt_cumgain.write_session_run)
    options = {"save_dir": str(tmp_path), "save_format": formats}
    plain = experiment(systems, **options)
    assert {path.name for path in tmp_path.glob("*.custom")} == {"words.custom", "all words.custom"}
    again = experiment(systems, save_mode="reuse", **options)
    pd.testing.assert_frame_equal(again, plain)


def test_a_pipeline_that_gives_no_ranks_and_changes_its_results() -> None:
    """Ranks are made per query; the inner pipeline's frame is left alone; ids become text."""
    seen = []
    given = pd.DataFrame({"docno": [5, 6], "score": [1, 2]})

    def answer(queries: pd.DataFrame) -> pd.DataFrame:
        results = queries[["qid"]].merge(given, how="cross")
        seen.extend([queries, results])
        return results

    sessions = pd.DataFrame({"qid": ["s"], "queries": [["a", "b"]], "user": ["u"]})
    run = pt_cumgain.per_session(pt.apply.generic(answer))(sessions)
    assert run["docno"].tolist() == ["5", "6", "5", "6"]
    assert run["rank"].tolist() == [1, 0, 1, 0]
    assert run["score"].dtype == np.float64
    assert set(seen[0].columns) == {"qid", "query", "previous_queries", "user"}
    assert seen[1]["docno"].tolist() == [5, 6, 5, 6]
    columns = []

    class Recorder(Lookup):
        def transform_outputs(self, given: list[str]) -> list[str]:
            columns.extend(given)
            return ["qid", "docno", "score", "rank"]

    pt.inspect.transformer_outputs(pt_cumgain.per_session(Recorder()), ["qid", "queries", "user"])
    assert set(columns) == {"qid", "query", "previous_queries", "user"}


def test_operators_combine_the_results_of_each_query() -> None:
    a, b = Lookup(3), Lookup(3, earlier=True)
    one, two = pt_cumgain.per_session(a), pt_cumgain.per_session(b)
    sessions = pydocs.sessions().head(3)
    for left, right in (
        (one + two, a + b),
        (one | two, a | b),
        (one & two, a & b),
        (one**two, a**b),
    ):
        assert isinstance(left, type(one))
        assert type(left.pipeline) is type(right)
    assert type((one ^ two).pipeline) is type(a ^ b)
    pd.testing.assert_frame_equal((one + two)(sessions), pt_cumgain.per_session(a + b)(sessions))
    with pytest.raises(TypeError, match=r"combine inside: per_session\(a \+ b\)"):
        one + b


def test_inspection(systems) -> None:
    words = systems["words"]
    assert pt.inspect.transformer_inputs(words) == [["qid", "queries"]]
    assert pt.inspect.transformer_outputs(words, ["qid", "queries"])[-2:] == [
        "query_position", "session_length",
    ]  # fmt: skip
    assert list(pt.inspect.subtransformers(words)) == ["pipeline"]
    assert repr(words).startswith("per_session(")
    inner = Lookup()
    assert pt_cumgain.per_session(inner) == pt_cumgain.per_session(inner)
    assert len({pt_cumgain.per_session(inner), pt_cumgain.per_session(inner)}) == 1
    with pytest.raises(pt.validate.InputValidationError, match="queries"):
        words(pd.DataFrame({"qid": ["1"], "query": ["a"]}))
    empty = words(pydocs.sessions().head(0))
    assert len(empty) == 0
    assert "query_position" in empty


def test_wrong_pipelines() -> None:
    with pytest.raises(TypeError, match="takes a PyTerrier transformer, not 'bm25'"):
        pt_cumgain.per_session("bm25")
    renames = pt.apply.generic(lambda q: Lookup()(q).assign(qid="other"))
    with pytest.raises(ValueError, match="results for the qid 'other', which is no query"):
        pt_cumgain.per_session(renames)(pydocs.sessions())
    with pytest.raises(ValueError, match="do not produce the required outputs"):
        experiment([Lookup()])
    with pytest.raises(ValueError, match="do not produce the required outputs"):
        experiment([pt_cumgain.per_session(pt.Transformer.identity())])
    with pytest.raises(ValueError, match=r"query_position.*found \['query_id'"):
        experiment(pydocs.runs() | {"x": pydocs.runs()["BM25"].assign(qid="s1")}, validate="ignore")


# real data


TOPICS_2011 = """<?xml version="1.0" encoding="UTF-8"?>
<sessiontrack2011>
 <session num="7" starttime="09:54:27">
  <topic><title>merck & co</title></topic>
  <interaction num="1"><query>merck &amp; co &nbsp;</query>
   <results>
    <result rank="1"><url>http://a.b/?x=1&y=2</url><clueweb09id>cw-1</clueweb09id></result>
    <result rank="2"><url>http://c.d/</url></result>
   </results></interaction>
  <interaction num="2"><query>merck</query><results/></interaction>
  <currentquery><query> merck lobbying </query></currentquery>
 </session>
</sessiontrack2011>"""


@pytest.mark.parametrize("name", ["track.xml", "track.xml.gz"])
def test_other_years_of_the_session_track(name: str, tmp_path) -> None:
    """The tags of 2011; bare ampersands as in 2012's file; a result that has no document id."""
    content = TOPICS_2011.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    sessions, run = pt_cumgain.read_session_track(tmp_path / name)
    assert sessions.to_dict("records") == [
        {
            "qid": "7",
            "topic": None,
            "queries": ["merck & co &nbsp;", "merck"],
            "current_query": "merck lobbying",
        }
    ]
    assert run.to_numpy().tolist() == [
        ["7", "cw-1", -1.0, 0, 1, 2],
        ["7", "http://c.d/", -2.0, 1, 1, 2],
    ]


def track(interactions: str, tmp_path) -> pt_cumgain.session_track.SessionTrack:
    path = tmp_path / "t.xml"
    path.write_text(f"<t><session num='1'>{interactions}</session></t>", encoding="utf-8")
    return pt_cumgain.read_session_track(path)


def shown(num: int, query: str, ranks: range) -> str:
    results = "".join(f"<result rank='{r}'><url>u{r}</url></result>" for r in ranks)
    query = f"<query>{query}</query><results>{results}</results>"
    return f"<interaction num='{num}'>{query}</interaction>"


def test_pages_order_and_characters(tmp_path) -> None:
    text = shown(2, "b", range(1, 3)) + shown(1, "a &#233;", range(1, 11))
    sessions, run = track(text + shown(3, "b", range(3, 5)), tmp_path)
    assert sessions["queries"][0] == ["a é", "b"]
    assert sessions["current_query"][0] is None
    assert run.groupby("query_position")["rank"].agg(list)[2] == [0, 1, 2, 3]
    again = track(shown(1, "a", range(1, 3)) + shown(2, "a", range(1, 3)), tmp_path)
    assert again.sessions["queries"][0] == ["a", "a"]  # asked again, no page
    with pytest.warns(UserWarning, match="the results of 1 queries begin after rank 1"):
        track(shown(1, "a", range(11, 13)), tmp_path)
    bare = shown(1, "<![CDATA[x & y]]> & &#233;", range(1, 2))
    assert track(bare, tmp_path).sessions["queries"][0] == ["x & y & é"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "<t><session num='1'>I</session><session num='1'>I</session></t>".replace(
                "I", "<interaction><query>a</query></interaction>"
            ),
            "there are two sessions 1",
        ),
        ("no xml", "is no XML"),
        ("<topics/>", "has no <session>"),
        ("<t><session num='1'/></t>", "session 1 has no number or no interaction"),
        (
            "<t><session num='1'><interaction><results><result rank='1'/></results></interaction>"
            "</session></t>",
            "a result of session 1, interaction None, has no document or no rank",
        ),
    ],
)
def test_what_is_no_session_track(content: str, message: str, tmp_path) -> None:
    (tmp_path / "x.xml").write_text(content)
    with pytest.raises(ValueError, match=message):
        pt_cumgain.read_session_track(tmp_path / "x.xml")


def test_trec_2013(data) -> None:
    """133 sessions, 116 with a judged topic (the data's README); what the searchers saw."""
    folder = data / "session-track-2013"
    sessions, run = pt_cumgain.read_session_track(folder / "sessiontrack2013.xml")
    topics = dict(line.split() for line in (folder / "session-topic-map.txt").open())
    assert dict(zip(sessions["qid"], sessions["topic"], strict=True)) == topics
    assert len(sessions) == 133
    assert sessions["queries"].map(len).sum() == 401
    assert len(run) == 4449
    # the sixth of session 31's eight queries and the third of session 87's twenty found nothing
    found = run.groupby("qid")[["query_position", "session_length"]].agg(set)
    assert found.loc["31"].tolist() == [{1, 2, 3, 4, 5, 7, 8}, {8}]
    assert found.loc["87"].tolist() == [{1, 2, *range(4, 21)}, {20}]
    qrels = pt_cumgain.session_qrels(folder / "qrels.txt", sessions)
    assert qrels["qid"].nunique() == 116
    assert qrels["label"].min() == -2
    measures = {
        sDCG @ 10: {},
        nsDCG @ 10: {"normalised": True},
        nsDCG(duplicates="first", avg_pos=True) @ 5: {
            "normalised": True, "duplicates": "first", "avg_pos": True, "k": 5,
        },
        nsDCG(gains="exp", discount="log2", query_discount="shifted") @ 10: {
            "normalised": True, "gains": "exp", "d": "log2", "dq": "shifted",
        },
    }  # fmt: skip
    got = pt_cumgain.evaluate(measures, qrels, run).set_index(["measure", "qid"])["value"]
    lengths = sessions.set_index("qid")["queries"].map(len)
    labels = {
        qid: dict(zip(of["docno"], of["label"].astype(float), strict=True))
        for qid, of in qrels.groupby("qid")
    }
    shown: dict = {qid: {} for qid in sessions["qid"]}
    for (qid, position), of in run.groupby(["qid", "query_position"]):
        shown[qid][position] = dict(zip(of["docno"], of["score"], strict=True))
    for measure, theirs in measures.items():
        for qid, of in labels.items():
            n = lengths[qid] if shown[qid] else 0
            expected = reference.session_value(of, shown[qid], n, **theirs)
            assert got[str(measure), qid] == pytest.approx(expected, rel=1e-9)
    assert ((got["nsDCG@10"] >= 0) & (got["nsDCG@10"] <= 1)).all()
    means = pt.Experiment({"seen": run}, sessions, qrels, list(measures))
    assert means["sDCG@10"][0] == pytest.approx(got["sDCG@10"].mean())


def test_ordinary_and_session_measures_in_one_call_of_ir_measures() -> None:
    run = pt.model.to_ir_measures(pydocs.session_runs()["BM25"])
    qrels = pt.model.to_ir_measures(pydocs.session_qrels())
    ours = [CG @ 20, nCG @ 20, nDCG(gains="exp") @ 20]
    host = [ir_measures.AP, ir_measures.P @ 10, nDCG @ 20]
    with_sessions = ir_measures.calc_aggregate([*ours, *host, sDCG, nsDCG], qrels, run)
    for measure, mean in ir_measures.calc_aggregate([*ours, *host], qrels, run).items():
        assert with_sessions[measure] == mean
