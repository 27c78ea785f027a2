"""Judgments by turn, by hand: each holds for one query of its session.

`test_session_values.py` compares their values with the reference, over random sessions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import DCG, nDCG, nsDCG, pydocs, sDCG
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import SESSION_COLUMNS

COLUMNS = ["query_id", "doc_id", "relevance", "query_position"]
#: Of the session 31, a and b are judged at turn 1, a and c at turn 2.
QRELS = pd.DataFrame(
    [("31", "a", 2, 1), ("31", "b", 1, 1), ("31", "a", 1, 2), ("31", "c", 3, 2)], columns=COLUMNS
)
RUN = pd.DataFrame(
    [("31", "b", 2.0, 1), ("31", "a", 1.0, 1), ("31", "c", 2.0, 2), ("31", "b", 1.0, 2)],
    columns=SESSION_COLUMNS,
)


def value(measure, qrels=QRELS, run=RUN) -> float:
    return provider.calc_aggregate([measure], qrels, run)[measure]


def test_by_hand() -> None:
    """d(1) = 1 and d(2) = 2; d_q(1) = 1 and d_q(2) = 1.5.

    Turn 1 gains 1 and 2, turn 2 gains 3 and 0, as b is not judged there; at best 2, 1 and 3, 1.
    """
    assert value(sDCG @ 2) == pytest.approx((1 + 2 / 2) + 3 / 1.5)
    assert value(nsDCG @ 2) == pytest.approx(4 / ((2 + 1 / 2) + (3 + 1 / 2) / 1.5))
    vector, ideal = [1, 2, 4, 4], [2, 2.5, 4.5, 2.5 + 3.5 / 1.5]
    expected = sum(v / i for v, i in zip(vector, ideal, strict=True)) / 4
    assert value(nsDCG(avg_pos=True) @ 2) == pytest.approx(expected)
    curve = pt_cumgain.sessions.session_curves({"X": RUN}, None, QRELS, nsDCG @ 2)
    assert curve["value"].tolist() == pytest.approx(np.divide(vector, ideal).tolist())
    of_queries = pt_cumgain.sessions.query_gains({"X": RUN}, None, QRELS, nsDCG, 2)[
        "value"
    ].tolist()
    assert of_queries == pytest.approx([2 / 2.5, 3 / 3.5])
    assert value(nsDCG(queries=1) @ 2) == pytest.approx(2 / 2.5)
    assert value(sDCG(unjudged=10) @ 2) == pytest.approx(4 + 10 / 2 / 1.5)


def test_sessions_that_are_not_in_the_run_have_their_queries() -> None:
    """Two of them are judged; the frame of sessions knows three."""
    sessions = pd.DataFrame({"qid": ["31"], "queries": [["x", "y", "z"]]})
    with pytest.warns(UserWarning, match="no documents"):
        gains = pt_cumgain.sessions.query_gains({"X": RUN[:0]}, sessions, QRELS, sDCG)
    assert gains["query_position"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("run", pydocs.session_runs().values(), ids=["BM25", "with earlier"])
def test_a_session_of_one_turn_has_ndcg(run) -> None:
    run = run[run["query_position"] == 1].drop(columns="session_length")
    qrels = pydocs.session_qrels()
    by_turn = pt_cumgain.evaluate(nsDCG @ 10, qrels.assign(query_position=1), run)
    by_topic = pt_cumgain.evaluate(
        nDCG(discount="revised") @ 10, qrels, run.drop(columns="query_position")
    )
    assert by_turn["value"].tolist() == pytest.approx(by_topic["value"].tolist(), rel=1e-14)


def test_forms_of_qrels() -> None:
    class TurnQrel(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        iteration: str
        query_position: int

    records = [
        TurnQrel(row.query_id, row.doc_id, row.relevance, "0", row.query_position)
        for row in QRELS.itertuples()
    ]
    expected = value(nsDCG @ 2)
    assert value(nsDCG @ 2, qrels=iter(records)) == expected
    for qrels in (QRELS, records):
        assert ir_measures.calc_aggregate(
            [nsDCG @ 2], iter(qrels) if qrels is records else qrels, RUN
        ) == {nsDCG @ 2: expected}
        with pytest.raises(
            ValueError, match="only sDCG and nsDCG can read them"
        ):  # the host's beside it
            ir_measures.calc_aggregate([nsDCG @ 2, ir_measures.nDCG @ 3], qrels, RUN)
    assert value(nsDCG @ 2, qrels=QRELS.astype({"query_position": float})) == expected
    assert value(nsDCG @ 2, qrels=pd.concat([QRELS, QRELS])) == expected  # the same judgments
    assert math.isnan(value(nsDCG @ 2, qrels=QRELS[:0]))
    renamed = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    run, qrels = (frame.rename(columns=renamed) for frame in (RUN, QRELS))
    for options in ({}, {"batch_size": 1}, {"filter_by_topics": True}):
        topics = pt_cumgain.topics_of(qrels).assign(query="?")
        result = pt.Experiment([run], topics, qrels, [nsDCG @ 2], **options)
        assert result["nsDCG@2"].tolist() == [expected]
    assert pt_cumgain.topics_of(qrels)["qid"].tolist() == ["31"]


def refused(column: Any) -> pd.DataFrame:
    return QRELS.assign(query_position=column)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (refused([1, 1, 0, 2]), r"qrels: the query_position of row 2 \(document 'a'\) is 0; it s"),
        (refused([1, 1.5, 1, 2]), r"row 1 \(document 'b'\) is 1.5.* a whole number from 1"),
        (refused(["1", "one", "2", "2"]), "qrels query_position must be numbers, but row 1"),
        (refused(1), r"'a' of topic '31' \(query 1\) has two different labels, 2 and 1"),
    ],
)
def test_wrong_qrels(qrels, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        value(nsDCG @ 2, qrels=qrels)


def test_what_qrels_by_turn_cannot_say() -> None:
    with pytest.raises(ValueError, match=r"^nsDCG\(duplicates='first'\)@10: .*query_position"):
        value(nsDCG(duplicates="first"))
    curve = pt_cumgain.sessions.session_curves([RUN], None, QRELS, sDCG(duplicates="first") @ 2)
    assert curve["value"].tolist() == [1, 2, 4, 4]
    assert curve["ideal"].isna().all()
    by_topic = [
        lambda: value(nDCG @ 10),
        lambda: provider.calc_aggregate([nsDCG, DCG @ 10], QRELS, RUN),
        lambda: pt_cumgain.gain_curves([RUN], None, QRELS, nDCG),
        lambda: pt_cumgain.bounds([RUN], None, QRELS, nDCG @ 10),
        lambda: pt_cumgain.papers.recall_bases(QRELS),
        lambda: pt_cumgain.papers.precision_by_level([RUN], None, QRELS),
    ]
    for call in by_topic:
        with pytest.raises(ValueError, match=r"column query_position.* only sDCG and nsDCG"):
            call()


def test_a_run_whose_ids_are_not_split_is_refused_in_words() -> None:
    run = RUN.assign(query_id="31_1").drop(columns="query_position")
    with pytest.raises(ValueError, match="split_turns"):
        value(nsDCG, run=run)
