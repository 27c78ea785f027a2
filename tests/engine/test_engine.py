"""What the engine takes, and what it makes of numbers that are large or many."""

import warnings
from collections import namedtuple

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, DCG, evaluate, nCG, nDCG
from pt_cumgain.engine.judging import read_lists
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs import reading
from tests.support.helpers import frame_of

RUN_COLUMNS, QRELS_COLUMNS = "query_id doc_id score", "query_id doc_id relevance"
QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"a": 2}, "q3": {"z": 1}}
RUN = {"q2": {"b": 5.0, "a": 4.0}, "q1": {"c": 1.0, "a": 1.0, "x": 0.5}, "q9": {"a": 1.0}}
MEASURES = [CG @ 2, nDCG(discount="original") @ 2, nCG]
# q1 ranks c (1), a (3), x; q2 ranks b, a (2); q3 is missed; CG@2 is 4, 2, 0
EXPECTED = {("CG@2", "q1"): 4, ("CG@2", "q2"): 2, ("CG@2", "q3"): 0}


def values(qrels, run, measures=MEASURES) -> dict:
    return {(str(v.measure), v.query_id): v.value for v in provider.iter_calc(measures, qrels, run)}


def records(data: dict, kind, value_type=float) -> list:
    return [kind(q, d, value_type(v)) for q, docs in data.items() for d, v in docs.items()]


#: Forms that are not among those of `tests/inputs`.
RUNS = {
    "an iterator": iter(records(RUN, ir_measures.ScoredDoc)),
    "fields in another order": [
        namedtuple("Row", "score doc_id query_id rank")(s.score, s.doc_id, s.query_id, 1)
        for s in records(RUN, ir_measures.ScoredDoc)
    ],
    "float32 scores": frame_of(RUN, RUN_COLUMNS).astype({"score": "float32"}),
    "object scores": frame_of(RUN, RUN_COLUMNS).astype({"score": "object"}),
    "nullable scores": frame_of(RUN, RUN_COLUMNS).astype({"score": "Float64"}),
    "a rank column, ignored": frame_of(RUN, RUN_COLUMNS).assign(rank=[5, 4, 3, 2, 1, 0]),
}
QRELS_FORMS = {
    "an iterator": iter(records(QRELS, ir_measures.Qrel, int)),
    "a frame of categories": frame_of(QRELS, QRELS_COLUMNS).astype("category"),
    "float labels": frame_of(QRELS, QRELS_COLUMNS).astype({"relevance": float}),
    "the same row twice": pd.concat([frame_of(QRELS, QRELS_COLUMNS)] * 2),
}


@pytest.mark.filterwarnings("ignore:.*column rank orders:UserWarning")
@pytest.mark.parametrize("form", RUNS)
def test_every_form_of_a_run(form: str) -> None:
    got = values(QRELS, RUNS[form])
    assert got.items() >= EXPECTED.items()
    assert got == values(QRELS, RUN)


@pytest.mark.parametrize("form", QRELS_FORMS)
def test_every_form_of_qrels(form: str) -> None:
    assert values(QRELS_FORMS[form], RUN) == values(QRELS, RUN)


@pytest.mark.filterwarnings("ignore:the rows of each topic are in ascending:UserWarning")
def test_the_lists_of_rows_in_any_order() -> None:
    run = frame_of(RUN, RUN_COLUMNS).sample(frac=1, random_state=2)
    assert read_lists(reading.read_run(run)) == RUN


@pytest.mark.filterwarnings("ignore:the rows of each topic are in ascending:UserWarning")
def test_the_given_frames_are_left_alone() -> None:
    run = frame_of(RUN, RUN_COLUMNS).sample(frac=1, random_state=2)
    qrels = frame_of(QRELS, QRELS_COLUMNS)
    copies = run.copy(), qrels.copy()
    run["score"].to_numpy().flags.writeable = False
    values(qrels, run)
    pd.testing.assert_frame_equal(run, copies[0])
    pd.testing.assert_frame_equal(qrels, copies[1])


def test_topics_of_the_qrels_must_be_strings() -> None:
    """They are the ids of the values; ir-measures would fill in zeros for ids it does not know."""
    run = {"1": {"7": 2.0}}
    assert ir_measures.calc_aggregate([CG @ 2], {np.str_("1"): {"7": 2}}, run) == {CG @ 2: 2}
    for qrels in (
        {1: {"7": 2}},
        [ir_measures.Qrel(1, "7", 2)],
        pd.DataFrame({"query_id": [1], "doc_id": ["7"], "relevance": [2]}),
    ):
        for measures in ([CG @ 2], [CG @ 2, ir_measures.Judged @ 5]):
            with pytest.raises(TypeError, match=r"^qrels query_id must be strings, not integers"):
                ir_measures.calc_aggregate(measures, qrels, run)


def test_without_a_cutoff_negative_gains_count_at_every_rank() -> None:
    qrels, run = {"q": {"a": 1, "n": -1}}, {"q": {"a": 2.0, "n": 1.0}}
    assert list(values(qrels, run, [CG(gains={1: 1, -1: -2})]).values()) == [-1]


def test_huge_cutoffs() -> None:
    for k in (10**6, 10**18):
        expected = {(f"nCG@{k}", "q1"): 1, (f"nCG@{k}", "q2"): 1, (f"nCG@{k}", "q3"): 0}
        assert values(QRELS, RUN, [nCG @ k]) == expected
    # the mean over k ranks tends to the last value: all ranks but the first few have it
    value = provider.calc_aggregate([CG(avg_pos=True) @ 10**18], {"q": {"a": 3}}, {"q": {"a": 1.0}})
    assert list(value.values()) == pytest.approx([3])


def test_one_topics_large_gains_do_not_disturb_another() -> None:
    """Sums must not run across topics: 1e16 + 0.1 - 1e16 is not 0.1."""
    qrels = {"big": {"a": 1e16}, "small": {"a": 0.1, "b": 0.2}}
    run = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    for measure in (CG @ 1, CG, DCG @ 1, CG(avg_pos=True) @ 1):
        assert values(qrels, run, [measure])[str(measure), "small"] == pytest.approx(
            0.1 if measure != CG else 0.3, rel=1e-12
        )
    means = {value.query_id: value.value for value in (nCG(avg_pos=True) @ 2).iter_calc(qrels, run)}
    assert means == pytest.approx({"big": 1, "small": (0.1 / 0.2 + 0.3 / 0.3) / 2}, rel=1e-12)


def test_means_of_shares_exceed_1_by_no_rounding() -> None:
    """The ideal ranking has 1 at every rank; means that are not of shares are not rounded."""
    qrels, run = {"q": {"a": 5, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    measures = [nCG(avg_pos=True) @ k for k in range(1, 13)]
    means = provider.calc_aggregate(measures, qrels, run)
    assert max(means.values()) == 1 == pytest.approx(min(means.values()))
    little_more = CG(gains={5: 1 + 1e-13}, avg_pos=True) @ 1
    assert provider.calc_aggregate([little_more], qrels, run) == {little_more: 1 + 1e-13}


def test_a_document_twice_among_many_that_tie() -> None:
    """Even numbers are before odd ones, and in both the largest is the first."""
    rows = [("q", f"d{i}", 2.0 - i % 2) for i in [*range(10, 90), 51]]
    run = pd.DataFrame(rows, columns=RUN_COLUMNS.split())
    words = "^run: document 'd51' of topic 'q' appears twice, at ranks 60 and 61"
    with pytest.raises(ValueError, match=words):
        values({"q": {"d10": 1}}, run, [CG @ 61])
    assert values({"q": {"d51": 1}}, run, [CG @ 60]) == {("CG@60", "q"): 1}


def test_an_evaluator_serves_many_runs() -> None:
    evaluator = provider.evaluator(MEASURES, QRELS)
    first = evaluator.calc_aggregate(RUN)
    assert evaluator.calc_aggregate({"q1": {"c": 1.0}}) != first
    assert evaluator.calc_aggregate(RUN) == first


@pytest.mark.slow
def test_more_topics_than_short_codes_hold() -> None:
    """Shuffled rows of more than 2**16 topics are grouped by wider codes."""
    n = 70_000
    topics = np.array([f"t{i}" for i in range(n)] * 2, dtype=object)
    run = pd.DataFrame({"query_id": topics, "doc_id": ["a"] * n + ["b"] * n, "score": 1.0})
    run.loc[run["doc_id"] == "a", "score"] = 2.0
    qrels = pd.DataFrame({"query_id": topics[:n], "doc_id": "a", "relevance": 1})
    assert provider.calc_aggregate([nCG @ 1], qrels, run) == {nCG @ 1: 1.0}


def test_topics_that_retrieve_themselves() -> None:
    """More than half have a document of their own id (as in ArguAna); numbers may be accidents."""
    runs = {
        share: {f"q{q}": {f"q{q if q < share else -1}": 2.0, "a": 1.0} for q in range(20)}
        for share in (10, 16)
    }
    qrels = {f"q{q}": {"a": 1} for q in range(20)}
    with pytest.warns(UserWarning, match="^run: a document with the topic's own id .* in 8 of 10"):
        evaluate([CG @ 2], qrels, runs[16])
    with pytest.warns(UserWarning, match="own id is retrieved in 2 of 3 sampled topics"):
        evaluate(CG, {"q": {"a": 1}}, {"q": {"q": 2.0, "a": 1.0}, "r": {"r": 1.0}, "s": {"a": 1.0}})
    numbers = {str(q): {str(q): 2.0, "a": 1.0} for q in range(20)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        evaluate([CG @ 2], qrels, runs[10])
        evaluate([CG @ 2], {topic: {"a": 1} for topic in numbers}, numbers)
