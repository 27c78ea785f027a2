"""Parameter grids: all combinations each once, their labels, the papers' schemes."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_cumgain import CG, DCG, gain_curves, grid, intervals, nCG, nDCG, pydocs, sDCG
from pt_cumgain.comparing import rank_correlation
from pt_cumgain.papers import IPM2005, SCENARIOS, SIGIR2000, TOIS2002, plateau_ranks
from pt_cumgain.sessions import session_curves
from pt_cumgain.trust import gain_by_level
from tests.support.helpers import SESSION_QRELS, SESSION_RUN, experiment


def test_the_schemes_of_the_papers() -> None:
    assert IPM2005 == {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
    assert set(TOIS2002.values()) == {"0-1-1-1", "0-0-0-1", "0-1-10-100"}
    assert set(SIGIR2000.values()) == {"0-1-2-3", "0-0-2-3", "0-0-0-3"}
    busy, patient = DCG(**SCENARIOS["busy"]), nDCG(**SCENARIOS["patient"])
    assert str(busy) == "DCG(gains='0-1-10-100',discount='original')@30"
    assert str(patient) == "nDCG(gains='0-1-2-3',discount='original',base=10)@200"
    assert SCENARIOS["busy"](DCG) == busy
    assert str(SCENARIOS["busy"](nCG)) == "nCG(gains='0-1-10-100')@30"


def test_all_combinations_each_once() -> None:
    found = grid(
        [CG, nDCG],
        gains=IPM2005,
        discounts=["log2", "original", "revised"],
        bases=[2, 10],
        cutoffs=[5, 10],
    )
    # CG knows weightings and cutoffs; log2 has no base
    assert len(found) == len(set(found)) == 4 * 2 + 4 * (1 + 2 + 2) * 2
    assert len(set(found.labels.values())) == len(found)
    assert found.labels["CG(gains='0-1-1-1')@5"] == "CG w1 @5"
    assert found.labels["nDCG(gains='0-1-10-100')@10"] == "nDCG w100 log2 @10"
    text = "nDCG(gains='0-1-5-10',discount='revised',base=10)@5"
    assert found.labels[text] == "nDCG w10 revised b10 @5"
    assert isinstance(found, list)


def test_what_is_the_same_everywhere_is_not_in_the_labels() -> None:
    found = grid([nCG(avg_pos=True), nDCG], gains=["exp"], cutoffs=[100])
    assert list(found.labels.values()) == ["nCG", "nDCG"]
    assert str(found[0]) == "nCG(gains='exp',avg_pos=True)@100"
    two = grid([nCG, nCG(avg_pos=True)], cutoffs=[5])
    assert list(two.labels.values()) == ["nCG", "nCG(avg_pos=True)"]
    assert list(grid("nDCG", gains="0-1-1-1")) == [nDCG(gains="0-1-1-1")]
    assert list(grid(sDCG, gains=[{3: 5}], cutoffs=[5])) == [sDCG(gains={3: 5}) @ 5]
    assert list(grid(nDCG)) == [nDCG]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gains": ["1-x"]}, "gains='1-x' is not a weighting"),
        ({"gains": {3: 5}}, "give weightings by name, or a list of them"),
        ({"gains": []}, "gains is empty; leave it out"),
        ({"discounts": ["sigir2000"], "bases": [10]}, "'sigir2000' with base=10"),
        ({"cutoffs": b"x"}, "cutoff=b'x' must be a whole number"),  # not the byte's number, 120
        ({"bases": [2, 10]}, "none of the discounts has a base; these have one: original, revised"),
    ],
)
def test_wrong_grids(params: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        grid(nDCG, **params)


def test_single_values_and_measures_that_have_a_cutoff() -> None:
    assert list(grid(nDCG, discounts="original", bases=10, cutoffs=5)) == [
        nDCG(discount="original", base=10) @ 5
    ]
    found = grid([CG @ 5, CG @ 10], cutoffs=[20, 30])
    assert found.labels == {"CG@20": "CG @20", "CG@30": "CG @30"}
    near = grid(DCG(discount="original"), bases=[2.0000001, 2.0000002])
    assert len(set(near.labels.values())) == 2
    with pytest.raises(ValueError, match="no measure was given"):
        grid([], cutoffs=[5])


def test_labels_rename_an_experiment() -> None:
    measures = grid([nDCG, CG], gains={"flat": "0-1-1-1", "steep": "0-1-10-100"}, cutoffs=[10])
    plain = experiment(measures, baseline=0)
    renamed = measures.rename(plain)
    means = ["nDCG flat", "nDCG steep", "CG flat", "CG steep"]
    assert renamed.columns.tolist()[:5] == ["name", *means]
    assert {f"{name} p-value" for name in means} <= set(renamed.columns)
    assert len(renamed.columns) == len(plain.columns)
    assert renamed["CG steep"].tolist() == plain["CG(gains='0-1-10-100')@10"].tolist()
    by_query = measures.rename(experiment(measures, perquery=True))
    assert set(by_query["measure"]) == set(means)
    # one measure's text begins like another's; a measure beside the grid keeps its own
    depths = grid(CG, cutoffs=[10, 100])
    beside = depths.rename(experiment([*depths, nCG @ 10], baseline=0))
    assert {"CG @10 p-value", "CG @100 p-value", "nCG@10", "nCG@10 +"} <= set(beside.columns)
    assert rank_correlation(renamed).columns.tolist() == means


STEEP_FIRST = grid([nDCG, CG], gains={"steep": "0-1-10-100", "flat": "0-1-1-1"}, cutoffs=[10])
LABELS = ["nDCG steep", "nDCG flat", "CG steep", "CG flat"]


def test_what_is_renamed_keeps_its_order() -> None:
    by_topic = experiment(STEEP_FIRST, perquery=True).sample(frac=1, random_state=1)
    renamed = STEEP_FIRST.rename(by_topic)
    assert renamed["measure"].tolist() == by_topic["measure"].map(STEEP_FIRST.labels).tolist()
    assert renamed.index.tolist() == by_topic.index.tolist()
    order = [str(CG @ 10), *map(str, STEEP_FIRST)]  # with one that is not of the grid
    in_order = by_topic.assign(measure=pd.Categorical(by_topic["measure"], order, ordered=True))
    categories = STEEP_FIRST.rename(in_order)["measure"].dtype
    assert categories == pd.CategoricalDtype(["CG@10", *LABELS], ordered=True)
    means = experiment(STEEP_FIRST)
    for frame in (rank_correlation(means), rank_correlation(by_topic)):
        square = STEEP_FIRST.rename(frame)
        assert square.index.tolist() == square.columns.tolist() == LABELS
        texts = list(STEEP_FIRST.labels)
        assert square.to_numpy().tolist() == frame.loc[texts, texts].to_numpy().tolist()


def test_frames_of_every_kind_are_renamed(qrels) -> None:
    """Curves are of measures without cutoffs, so one of theirs is that of several of the grid."""
    runs = pydocs.runs()
    measures = grid(nCG, gains={"flat": "0-1-1-1", "own": {3: 9}}, cutoffs=[5, 10])
    curves = measures.rename(gain_curves(runs, None, qrels, measures, depth=3))
    assert curves["measure"].unique().tolist() == ["nCG flat", "nCG own"]
    assert plateau_ranks(curves).empty  # it knows that they are normalised
    dcg = grid(DCG, gains={"flat": "0-1-1-1", "own": {3: 9}}, cutoffs=[10])
    level = dcg.rename(plateau_ranks(gain_curves(runs, None, qrels, dcg, 9)))
    assert level["measure"].tolist() == ["DCG flat", "DCG own"]
    by_topic = experiment(measures, perquery=True)
    labels = measures.labels.values()
    assert set(measures.rename(intervals(by_topic))["measure"]) == set(labels)
    parts = gain_by_level(runs, None, qrels, measures)
    assert set(measures.rename(parts)["measure"]) == set(labels)
    sessions = grid(sDCG, discounts=["log2", "rank"], cutoffs=[2, 3])
    vectors = session_curves({"A": SESSION_RUN}, None, SESSION_QRELS, sessions)
    assert set(sessions.rename(vectors)["measure"]) == set(sessions.labels.values())


def test_only_curves_have_the_labels_of_curves() -> None:
    """The value over the whole ranking is not that of the grid, at rank 10."""
    whole = experiment([nDCG(gains="0-1-1-1"), *STEEP_FIRST], perquery=True)
    assert set(STEEP_FIRST.rename(whole)["measure"]) == {"nDCG(gains='0-1-1-1')", *LABELS}


def test_what_cannot_be_renamed_says_so() -> None:
    run = pd.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0]})
    with pytest.raises(ValueError, match=r"no measure of the grid is among \['qid', 'docno'"):
        STEEP_FIRST.rename(run)
    other = pd.DataFrame({"measure": ["AP"], "value": [0.1]})
    with pytest.raises(ValueError, match=r"no measure of the grid is among \['AP'\]"):
        STEEP_FIRST.rename(other)
    for results in (experiment(STEEP_FIRST), experiment(STEEP_FIRST, perquery=True)):
        once = STEEP_FIRST.rename(results)
        pd.testing.assert_frame_equal(STEEP_FIRST.rename(once), once)  # what is renamed stays so
    labelled = grid(CG, cutoffs=[5])
    for same in ("name", "AP", "CG@10"):
        labelled.labels["CG@5"] = same
        means = pd.DataFrame(columns=["name", "AP", "CG@10", "CG@5"])
        with pytest.raises(ValueError, match=f"'{same}' would be the name of two things"):
            labelled.rename(means)
    two = grid(CG, cutoffs=[5, 10])
    two.labels["CG@10"] = "deep"
    curve = pd.DataFrame({"measure": ["CG"], "rank": [1], "value": [1.0]})
    with pytest.raises(ValueError, match=r"curve CG has no cutoff, .* several labels .* CG, deep"):
        two.rename(curve)
