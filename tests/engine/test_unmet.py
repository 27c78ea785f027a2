"""Weights that meet no document of the qrels."""

import math
import warnings

import ir_measures
import pyterrier as pt
import pytest

from pt_cumgain import CG, evaluate, gain_curves, nDCG, nsDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs import reading
from pt_cumgain.sessions import session_curves
from tests.support.helpers import frame_of, ours, warnings_of

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


def test_documents_in_the_second_field_of_the_qrels_are_told(tmp_path) -> None:
    """The order of ir_datasets' export, in two rows: topic, document, label, iteration."""
    (tmp_path / "qrels").write_text("1 d1 0 0\n1 d2 1 0\n")
    words = (
        r"none of its documents in this topic is judged; the second field of the qrels, which is "
        r"not read, has its documents: row 1 was read as topic '1', document '1', label 0"
    )
    with pytest.warns(UserWarning, match=words):
        evaluate(CG, tmp_path / "qrels", {"1": {"d2": 1.0}})


def test_two_labels_by_subtopic(tmp_path) -> None:
    """Of TREC's diversity tasks the second field is the subtopic."""
    (tmp_path / "qrels").write_text("1 1 d 0\n1 2 d 1\n")
    words = "in the second field, .*: '1' and '2'; judgments by subtopic.* not supported$"
    with pytest.raises(ValueError, match=words):
        evaluate(CG, tmp_path / "qrels", {})


@pytest.mark.parametrize(
    ("gains", "falls"),
    [
        ("0-3-1-2", "level 2 has the gain 1, less than level 1, which has the gain 3"),
        ("0-1-1-2", ""),
    ],
)
def test_gains_that_fall_are_told(gains: str, falls: str) -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 3}}
    told = warnings_of(lambda: evaluate(CG(gains=gains), qrels, {"1": {"a": 1.0}}))
    assert [falls in text for text in told] == [True] * bool(falls)


def test_scores_that_look_wrong_are_told() -> None:
    """Infinite scores; and distances, of which the least should be first."""
    infinite = "a score is infinite: row 1 was read as topic '1', document 'b', score inf"
    rising = "the rows of each topic are in ascending order of score"
    for scores, words in (
        ([1.0, math.inf, 0.5], infinite),
        ([0.1, 0.2, 0.2], rising),
        ([0.1, 0.2], ""),
        ([0.2, 0.2, 0.2], ""),
        ([0.1, 0.3, 0.2], ""),
    ):
        run = {"1": dict(zip("abc", scores)), "2": {"a": 1.0}}
        told = warnings_of(lambda: reading.read_run(run))  # noqa: B023
        assert [text[: len(words)] for text in told] == [words] * bool(words)


def test_batches_of_foreign_ids_warn_alike() -> None:
    """As pt.Experiment(batch_size=1) calls an evaluator; Python shows equal warnings once."""
    evaluator = provider.evaluator([CG @ 1], {"1": {"a": 1}, "2": {"a": 1}})
    told = []
    for run in ({"1": {"x": 1.0}}, {"2": {"y": 1.0}}):
        said = warnings_of(lambda: evaluator.calc_aggregate(run))  # noqa: B023
        told += [text for text in said if "do the ids match?" in text]
    assert len(told) == 2
    assert told[0] == told[1]
