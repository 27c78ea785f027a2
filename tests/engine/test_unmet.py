"""Weights that meet no document of the qrels."""

import math
import warnings

import ir_measures
import pyterrier as pt
import pytest

from pt_cumgain import CG, evaluate, gain_curves, nDCG, nsDCG
from pt_cumgain.inputs import reading
from pt_cumgain.sessions import session_curves
from tests.support.helpers import frame_of, ours, warnings_of

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
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


def test_topics_without_a_positive_label_are_counted() -> None:
    """Not if there are no others, which the warning of the weights says."""
    words = "no document has a positive label in 1 of the 3 topics in the qrels; most measures"
    qrels, run = {**QRELS, "3": {"a": 1}}, {**RUN, "3": {"a": 1.0}}
    for second, told in (({"a": 0, "b": -1}, 1), ({"a": 0, "b": 1}, 0)):
        said = warnings_of(lambda: evaluate([CG, "AP"], {**qrels, "2": second}, run))  # noqa: B023
        assert [text[: len(words)] for text in said] == [words] * told
    said = warnings_of(lambda: evaluate(CG(at_r=True), {"1": {"a": 0}}, {"1": {"a": 1.0}}))
    assert [text.partition(":")[0] for text in said] == ["CG(at_r=True)"]  # no rank is read


SUBTOPICS = "they differ in the second field, which is not read: '1' and '2'; judgments by subt"
HUMAN = "they differ in the second field, .* 'd1' and 'd3'; the second field has documents of the"


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        ("1 1 d 0\n1 2 d 1\n", SUBTOPICS),  # of TREC's diversity tasks
        ("1 d1 2 1\n1 d2 0 1\n1 d3 2 2\n", HUMAN),  # topic, document, label, another label
        ("1 0 d 881250949\n1 0 d 881250950\n", "label 881250950$"),
        # the two rows are compared, not those of the first topic
        ("1 5 x 0\n1 6 y 0\n2 7 d 0\n2 8 d 1\n", "the second field, .*: '7' and '8'; judgments by"),
        ("1 5 x 0\n1 6 y 0\n2 7 d 0\n2 7 d 1\n", "label 1$"),
    ],
)
def test_two_labels(qrels: str, words: str, tmp_path) -> None:
    (tmp_path / "qrels").write_text(qrels)
    with pytest.raises(ValueError, match=rf"^qrels: document '.' of topic '.' has two.*{words}"):
        evaluate(CG, tmp_path / "qrels", {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})


RATINGS = "1 101 5 881250949\n1 102 3 881250950\n2 101 4 881250951\n2 103 5 881250952\n"
SECOND = "the second field of the qrels, which is not read, has its documents: row "
UNMET = f"run: none of its documents down to rank 10 in this topic is judged; {SECOND}1 was read as"

READ = "line 1 was read as topic '1', document 'd1', rank 1, score 1; they differ in the "
ONE_RUN = f"the rows of a topic may be of several runs: {READ}"


@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        # the order of ir_datasets' export
        ("1 d1 0 1\n1 d2 1 1\n", "1 Q0 d2 1 1 t\n", f"{UNMET} topic '1', document '1', label 1"),
        (RATINGS, "1 Q0 101 1 3 t\n1 Q0 5 2 2 t\n2 Q0 103 1 3 t\n", f"run: {SECOND}"),
        ("1 0 d1 1\n", "1 Q0 d1 1 1 A\n1 Q0 d2 2 0 B\n2 Q0 a 1 1 A\n", f"{ONE_RUN}column 'tag'"),
        ("1 0 d1 1\n", "1 7 d1 1 1 t\n1 8 d2 2 0 t\n", f"{ONE_RUN}second field, which"),
        ("1 0 d1 1\n", "qid,docno,score,model\n1,d1,1,\n1,d2,0,B\n", ONE_RUN[:44]),
        ("1 0 0 1\n1 1 5 1\n", "1 Q0 0 1 3 t\n1 Q0 7 2 2 t\n", ""),  # an iteration is no document
        ("7 0 7 1\n", "7 Q0 7 1 3 t\n7 Q0 8 2 2 t\n", ""),  # nor is a number the topic's own id
    ],
)
def test_fields_that_hold_something_else(qrels: str, run: str, words: str, tmp_path) -> None:
    for name, text in (("qrels", qrels), ("run", run)):
        (tmp_path / name).write_text(text)
    told = warnings_of(lambda: evaluate("nDCG@10", tmp_path / "qrels", tmp_path / "run"))
    assert [text[: len(words)] for text in told] == [words] * bool(words)


@pytest.mark.parametrize(
    ("gains", "falls"),
    [("0-1-3-2", "level 3 has the gain 2, less than level 2, which has the gain"), ("0-1-1-2", "")],
)
def test_gains_that_fall_are_told(gains: str, falls: str) -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 3}}
    told = warnings_of(lambda: evaluate(CG(gains=gains), qrels, {"1": {"a": 1.0}}))
    assert [falls in text for text in told] == [True] * bool(falls)


def test_scores_that_look_wrong_are_told() -> None:
    """Infinite scores; and distances, of which the least should be first; in the first 100."""
    before = {f"0{i}": {"a": 1.0} for i in range(99)}
    infinite = "a score is infinite: row 100 was read as topic '1', document 'b', score inf"
    rising = "the rows of each topic are in ascending order of score"
    for scores, words in (
        ([1.0, math.inf, 0.5], infinite),
        ([0.1, 0.2, 0.2], rising),
        ([0.1, 0.2], ""),
        ([0.2, 0.2, 0.2], ""),
        ([0.1, 0.3, 0.2], ""),
    ):
        run = {**before, "1": dict(zip("abc", scores)), "2": {"a": math.inf, "b": 0.0}}
        told = warnings_of(lambda: reading.read_run(run))  # noqa: B023
        assert [text[: len(words)] for text in told] == [words] * bool(words)


def test_batches_of_foreign_ids_warn_alike() -> None:
    """Python shows equal warnings once; another system has a warning of its own."""
    qrels = frame_of({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}, "qid docno label")
    topics = qrels[["qid"]].assign(query="w")

    def find(prefix: str) -> pt.Transformer:
        return pt.apply.generic(lambda q: q.assign(docno=prefix + q["qid"], score=1.0, rank=0))

    systems = [find("x"), find("y")]
    told = warnings_of(lambda: pt.Experiment(systems, topics, qrels, [CG @ 1], batch_size=1))
    ids = ["('x1' in the run, 'a' in the qrels)"] * 3 + ["('y1' in the run, 'a' in the qrels)"] * 3
    assert [text.partition("match? ")[2] for text in told] == ids
