"""Weights that meet no document of the qrels."""

import re
import warnings

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import CG, evaluate, gain_curves, nDCG, nsDCG
from pt_cumgain.sessions import session_curves
from tests.support.helpers import frame_of, ours

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 0}}
RUN = {"1": {"a": 2.0}, "2": {"a": 1.0}}
STRICT = nDCG(gains="0-0-0-1") @ 10
TOLD = (
    r"nDCG\(gains='0-0-0-1'\)@10: no document of these 2 topics has the relevance level 3, which "
    "has the gain 1; the highest level is 2"
)


def by_experiment() -> None:
    run, qrels = frame_of(RUN, "qid docno score"), frame_of(QRELS, "qid docno label")
    pt.Experiment([run], qrels[["qid"]].drop_duplicates(), qrels, [STRICT])


@pytest.mark.parametrize(
    "call",
    [
        lambda: evaluate(STRICT, QRELS, RUN),
        lambda: ir_measures.calc_aggregate([STRICT], QRELS, RUN),
        by_experiment,
    ],
)
def test_everyone_who_evaluates_is_told(call) -> None:
    with pytest.warns(UserWarning, match=TOLD) as told:
        call()
    assert len(ours(told)) == 1


def test_curves_tell_too() -> None:
    with pytest.warns(UserWarning, match="relevance level 3, which has the gain 1"):
        gain_curves({"X": RUN}, None, QRELS, STRICT, depth=3)
    run = frame_of(RUN, "qid docno score").assign(query_position=1)
    of_sessions = r"^nsDCG\(gains='0-0-0-1'\)@10: no document of these 2"
    with pytest.warns(UserWarning, match=of_sessions) as told:
        session_curves({"X": run}, None, QRELS, nsDCG(gains="0-0-0-1"))
    assert [one.filename for one in ours(told)] == [__file__]


@pytest.mark.parametrize(
    ("gains", "told"),
    [
        ("0-1-2-5-9", "level 3, which has the gain 5, and the relevance level 4, which has the"),
        ({1: 0, 2: 0}, "these 2 topics has a positive gain; the highest level is 2"),
        ({7: 0.5}, "relevance level 7, which has the gain 0.5;"),
    ],
)
def test_what_is_told(gains, told) -> None:
    with pytest.warns(UserWarning, match=told):
        evaluate(CG(gains=gains), QRELS, RUN)


@pytest.mark.parametrize("gains", [None, "exp", "0-1-10", "0-1-10-0", {1: 2}, {3: 0}])
def test_weights_that_meet_documents_or_are_0_are_not_told(gains) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        evaluate(CG(gains=gains), QRELS, RUN)
        list(CG(gains=gains).iter_calc({}, {}))
        evaluate(CG, {"1": {"a": 0.5}}, {"1": {"a": 1.0}})


@pytest.mark.parametrize(
    ("other", "of_judged"),
    [("{}.txt", "{}"), ("{}#3", "{}"), ("{}-0", "{}"), ("{}v2", "{}"), ("D{}", "d{}")],
)
@pytest.mark.filterwarnings("error::UserWarning")
def test_ids_in_another_form_are_shown(other: str, of_judged: str) -> None:
    """Half of a run has the ids of the qrels, the other half has them in another form."""
    qrels = {"1": {of_judged.format(n): 1 for n in range(8)}}
    same = {of_judged.format(n): 9.0 - n for n in range(4)}
    good = pd.DataFrame({"qid": "1", "docno": [*same], "score": [*same.values()]})
    rest = pd.DataFrame({"qid": "1", "docno": [other.format(n) for n in range(4, 8)], "score": 1.0})
    evaluate("CG@9", qrels, good)
    evaluate("CG@9", qrels, pd.concat([good, rest[:1]]))  # a single one may be another document
    words = f"{other.format(4)!r} is not judged in its topic, but {of_judged.format(4)!r} is"
    with pytest.warns(UserWarning, match=re.escape(words)):
        evaluate("CG@9", qrels, pd.concat([good, rest]))


@pytest.mark.filterwarnings("error::UserWarning")
def test_an_id_that_is_judged_is_in_no_other_form() -> None:
    """Here ids with and without a suffix are judged, and only the former were returned."""
    run = pd.DataFrame({"qid": "1", "docno": ["a-1", "b-1", "c-1"], "score": 1.0})
    judged = {doc: 1 for name in "abc" for doc in (name, f"{name}-1")}
    evaluate("CG@9", {"1": judged}, run)
