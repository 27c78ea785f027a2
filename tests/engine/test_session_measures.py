"""Session measures by hand: values, parameters, parsing; the runs that are refused."""

from __future__ import annotations

import math
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import CG, nCG, nDCG, nsDCG, pydocs, sDCG
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import SESSION_COLUMNS, SESSION_QRELS, SESSION_RUN

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


def value(measure, qrels=SESSION_QRELS, run=SESSION_RUN) -> float:
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


def test_kanoulas_style() -> None:
    """Kanoulas et al. 2011: 2^level - 1, log2(r + 1), log4(q + 3)."""
    measure = sDCG(gains="exp", discount="log2", query_discount="shifted", bq=4) @ 2
    second = 1 / math.log2(3)
    assert value(measure) == pytest.approx(second + (7 + second) / LOG4_5)


def test_forms_of_input() -> None:
    class SessionDoc(NamedTuple):
        query_id: str
        doc_id: str
        score: float
        query_position: int

    rows = [SessionDoc(*row) for row in SESSION_RUN.itertuples(index=False)]
    assert value(nsDCG @ 2, run=iter(rows)) == value(nsDCG @ 2)

    whole_floats = SESSION_RUN.astype({"query_position": float})
    assert value(nsDCG @ 2, run=whole_floats) == value(nsDCG @ 2)
    by_evaluate = pt_cumgain.evaluate(
        "nsDCG@2",
        pd.DataFrame({"qid": ["s"] * 3, "docno": ["a", "b", "c"], "label": [3, 1, 2]}),
        SESSION_RUN.rename(columns={"query_id": "qid", "doc_id": "docno"}),
    )
    assert by_evaluate["value"].tolist() == [value(nsDCG @ 2)]


def test_names_and_parsing() -> None:
    assert str(sDCG) == "sDCG@10" == str(sDCG(discount="revised", bq=4.0))
    assert str(nsDCG @ 5) == "nsDCG@5"
    assert ir_measures.SDCG.NAME == "SDCG"  # the host's scaled DCG is another measure
    needed = ir_measures.run_inputs([nsDCG @ 5, ir_measures.AP])
    assert set(needed) == {"query_id", "doc_id", "score", "query_position"}
    assert set(ir_measures.run_inputs([nDCG @ 5, CG])) == {"query_id", "doc_id", "score"}


def broken(**changes) -> pd.DataFrame:
    return SESSION_RUN.assign(**changes)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            SESSION_RUN.drop(columns="query_position"),
            r"query_position.*found \['query_id', 'doc_id', 'score",
        ),
        (broken(query_position=[0, 1, 2, 2]), r"query_position of row 0 \(document 'x'\) is 0; it"),
        (
            broken(query_position=[1, 1, None, 2]),
            r"query_position of row 2 \(document 'a'\) is nan",
        ),
        (broken(query_position=[1, 1, 2, 1.7e9]), r"of row 3 .* is 1.7e\+09; .* from 1 to 10000"),
        (broken(query_position=True), "query_position must be whole numbers, not booleans"),
        (broken(session_length=1), "'s' has the session_length 1, but rows of its query 2"),
        (broken(session_length=[2, 2, 3, 3]), "'s' has the session_length 2 and 3; it is"),
        (
            broken(doc_id=["x", "b", "a", "a"]),
            r"'a' of topic 's' \(query 2\) appears twice, at ranks 1",
        ),
        (
            broken(score=[1, np.nan, 1, 1]),
            r"a score is NaN: row 1 .* topic 's' \(query 1\), document 'b', score nan",
        ),
        ({"s": {"a": 1.0}}, "query_position.*it is missing. pt_cumgain.per_session"),
    ],
)
def test_wrong_runs(run, message: str) -> None:
    for measures in ([nsDCG @ 2], [sDCG, CG @ 1, nDCG @ 5]):
        with pytest.raises((TypeError, ValueError), match=message):
            provider.calc_aggregate(measures, SESSION_QRELS, run)
        with pytest.raises((TypeError, ValueError), match=message):
            ir_measures.calc_aggregate([*measures, ir_measures.P @ 1], SESSION_QRELS, run)


def test_a_repeated_document_beyond_what_is_scanned_is_no_error() -> None:
    run = pd.concat([SESSION_RUN, pd.DataFrame([("s", "x", 0.0, 1)], columns=SESSION_COLUMNS)])
    assert value(nsDCG @ 2, run=run) == value(nsDCG @ 2)
    with pytest.raises(ValueError, match="appears twice, at ranks 1 and 3"):
        value(nsDCG @ 3, run=run)
    rows = [("s", doc, 1.0, 1) for doc in ("b", "a", "a")]  # ties, which rank as b, a, a
    assert value(sDCG @ 1, run=pd.DataFrame(rows, columns=SESSION_COLUMNS)) == 1


def test_wrong_positions_are_refused_for_ordinary_measures_too() -> None:
    with pytest.raises(ValueError, match="query_position of row 0"):
        value(CG @ 1, run=broken(query_position=[0, 1, 2, 2]))
    with pytest.raises(ValueError, match="a score is NaN"):
        value(CG @ 1, run=broken(score=[1, np.nan, 1, 1]))
    repeated = broken(doc_id=["x", "b", "a", "a"])
    assert value(CG @ 3, run=repeated) == 4
    with pytest.raises(ValueError, match="appears twice, at ranks 3 and 4"):
        value(CG @ 4, run=repeated)


def test_empty_runs_are_legal() -> None:
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    for run in (empty, {}, [], SESSION_RUN.head(0), SESSION_RUN.assign(session_length=2).head(0)):
        measures = [sDCG, nsDCG(duplicates="first"), nsDCG(avg_pos=True), CG @ 5]
        got = provider.calc_aggregate(measures, SESSION_QRELS, run)
        assert list(got.values()) == [0, 0, 0, 0]
    assert math.isnan(value(sDCG, qrels={}))
    assert value(nsDCG, qrels={"s": {"a": 0}}) == 0


def test_ordinary_and_session_measures_in_one_call_of_ir_measures() -> None:
    run = pt.model.to_ir_measures(pydocs.session_runs()["BM25"])
    qrels = pt.model.to_ir_measures(pydocs.session_qrels())
    ours = [CG @ 20, nCG @ 20, nDCG(gains="exp") @ 20]
    host = [ir_measures.AP, ir_measures.P @ 10, nDCG @ 20]
    with_sessions = ir_measures.calc_aggregate([*ours, *host, sDCG, nsDCG], qrels, run)
    for measure, mean in ir_measures.calc_aggregate([*ours, *host], qrels, run).items():
        assert with_sessions[measure] == mean
