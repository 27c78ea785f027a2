"""Session measures, and judgments by turn, by hand.

`test_session_values.py` compares their values with the reference, over random sessions.
"""

import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import CG, nDCG, nsDCG, sDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.sessions import query_gains, session_curves
from tests.support.helpers import SESSION_COLUMNS, SESSION_QRELS, SESSION_RUN


def value(measure, qrels=SESSION_QRELS, run=SESSION_RUN) -> float:
    return provider.calc_aggregate([measure], qrels, run)[measure]


def test_kanoulas_style() -> None:
    """Kanoulas et al. 2011: 2^level - 1, log2(r + 1), log4(q + 3)."""
    measure = sDCG(gains="exp", discount="log2", query_discount="shifted", bq=4) @ 2
    second = 1 / math.log2(3)
    assert value(measure) == pytest.approx(second + (7 + second) / math.log(5, 4))


def test_names_and_parsing() -> None:
    assert str(sDCG) == "sDCG@10" == str(sDCG(discount="revised", bq=4.0))
    assert str(nsDCG @ 5) == "nsDCG@5"
    assert ir_measures.SDCG.NAME == "SDCG"  # the host's scaled DCG is another measure
    needed = ir_measures.run_inputs([nsDCG @ 5, ir_measures.AP])
    assert set(needed) == {"query_id", "doc_id", "score", "query_position"}
    assert set(ir_measures.run_inputs([nDCG @ 5, CG])) == {"query_id", "doc_id", "score"}


def test_a_repeated_document_beyond_what_is_scanned_is_no_error() -> None:
    run = pd.concat([SESSION_RUN, pd.DataFrame([("s", "x", 0.0, 1)], columns=SESSION_COLUMNS)])
    assert value(nsDCG @ 2, run=run) == value(nsDCG @ 2)
    with pytest.raises(ValueError, match="appears twice, at ranks 1 and 3"):
        value(nsDCG @ 3, run=run)
    rows = [("s", doc, 1.0, 1) for doc in ("b", "a", "a")]  # ties, which rank as b, a, a
    assert value(sDCG @ 1, run=pd.DataFrame(rows, columns=SESSION_COLUMNS)) == 1


def test_a_repeated_document_of_a_query_is_refused_for_ordinary_measures_too() -> None:
    repeated = SESSION_RUN.assign(doc_id=["x", "b", "a", "a"])
    assert value(CG @ 3, run=repeated) == 4
    assert value(CG, run=pd.concat([SESSION_RUN.assign(query_id=s) for s in "pqrs"])) == 4
    with pytest.raises(ValueError, match="appears twice, at ranks 3 and 4"):
        value(CG @ 4, run=repeated)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_empty_runs_are_legal() -> None:
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    for run in (empty, {}, [], SESSION_RUN.head(0), SESSION_RUN.assign(session_length=2).head(0)):
        measures = [sDCG, nsDCG(duplicates="first"), nsDCG(avg_pos=True), CG @ 5]
        got = provider.calc_aggregate(measures, SESSION_QRELS, run)
        assert list(got.values()) == [0, 0, 0, 0]
    assert math.isnan(value(sDCG, qrels={}))
    assert value(nsDCG, qrels={"s": {"a": 0}}) == 0


#: Judgments by turn. Of the session 31, a and b are judged at turn 1, a and c at turn 2.
TURNS = pd.DataFrame(
    [("31", "a", 2, 1), ("31", "b", 1, 1), ("31", "a", 1, 2), ("31", "c", 3, 2)],
    columns=["query_id", "doc_id", "relevance", "query_position"],
)
RUN = pd.DataFrame(
    [("31", "b", 2.0, 1), ("31", "a", 1.0, 1), ("31", "c", 2.0, 2), ("31", "b", 1.0, 2)],
    columns=SESSION_COLUMNS,
)


def of_turns(measure, qrels=TURNS, run=RUN) -> float:
    return value(measure, qrels, run)


def test_judgments_by_turn() -> None:
    """d(1) = 1 and d(2) = 2; d_q(1) = 1 and d_q(2) = 1.5.

    Turn 1 gains 1 and 2, turn 2 gains 3 and 0, as b is not judged there; at best 2, 1 and 3, 1.
    """
    assert of_turns(sDCG @ 2) == pytest.approx((1 + 2 / 2) + 3 / 1.5)
    assert of_turns(nsDCG @ 2) == pytest.approx(4 / ((2 + 1 / 2) + (3 + 1 / 2) / 1.5))
    vector, ideal = [1, 2, 4, 4], [2, 2.5, 4.5, 2.5 + 3.5 / 1.5]
    expected = sum(v / i for v, i in zip(vector, ideal, strict=True)) / 4
    assert of_turns(nsDCG(avg_pos=True) @ 2) == pytest.approx(expected)
    curve = session_curves({"X": RUN}, None, TURNS, nsDCG @ 2)
    assert curve["value"].tolist() == pytest.approx(np.divide(vector, ideal).tolist())
    of_queries = query_gains({"X": RUN}, None, TURNS, nsDCG, 2)["value"].tolist()
    assert of_queries == pytest.approx([2 / 2.5, 3 / 3.5])
    assert of_turns(nsDCG(queries=1) @ 2) == pytest.approx(2 / 2.5)
    assert of_turns(sDCG(unjudged=10) @ 2) == pytest.approx(4 + 10 / 2 / 1.5)


def test_judgments_by_turn_in_both_hosts() -> None:
    expected = of_turns(nsDCG @ 2)
    assert ir_measures.calc_aggregate([nsDCG @ 2], TURNS, RUN) == {nsDCG @ 2: expected}
    for turns in (TURNS, [*TURNS.itertuples()]):
        with pytest.raises(ValueError, match="which only sDCG and nsDCG can evaluate"):
            ir_measures.calc_aggregate([nsDCG @ 2, ir_measures.nDCG @ 3], turns, RUN)  # the host's
    assert of_turns(nsDCG @ 2, pd.concat([TURNS, TURNS])) == expected  # the same judgments
    assert math.isnan(of_turns(nsDCG @ 2, TURNS[:0]))
    renamed = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    run, qrels = (frame.rename(columns=renamed) for frame in (RUN, TURNS))
    for options in ({}, {"batch_size": 1}, {"filter_by_topics": True}):
        topics = pt_cumgain.topics_of(qrels).assign(query="?")
        result = pt.Experiment([run], topics, qrels, [nsDCG @ 2], **options)
        assert result["nsDCG@2"].tolist() == [expected]
    assert pt_cumgain.topics_of(qrels)["qid"].tolist() == ["31"]


def test_each_document_once_has_no_ideal_by_turn() -> None:
    curve = session_curves([RUN], None, TURNS, sDCG(duplicates="first") @ 2)
    assert curve["value"].tolist() == [1, 2, 4, 4]
    assert curve["ideal"].isna().all()
    again = RUN.assign(doc_id="a", query_position=range(1, 1 + len(RUN)))
    qrels = pd.DataFrame({"query_id": "31", "doc_id": [*"baa"], "relevance": [5, 2, 3]})
    by_turn = qrels.assign(query_position=[1, 1, 2])
    assert of_turns(sDCG(duplicates="first") @ 1, by_turn, again) == 2
