"""Parameter grids: all combinations each once, their labels, the papers' schemes."""

from __future__ import annotations

import pytest

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    SCENARIOS,
    SIGIR2000,
    TOIS2002,
    grid,
    nCG,
    nDCG,
    rank_correlation,
    sDCG,
)
from tests.helpers import experiment


def test_the_schemes_of_the_papers() -> None:
    assert IPM2005 == {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
    assert set(TOIS2002.values()) == {"0-1-1-1", "0-0-0-1", "0-1-10-100"}
    assert set(SIGIR2000.values()) == {"0-1-2-3", "0-0-2-3", "0-0-0-3"}
    busy, patient = DCG(**SCENARIOS["busy"]), nDCG(**SCENARIOS["patient"])
    assert str(busy) == "DCG(gains='0-1-10-100',discount='original')@30"
    assert str(patient) == "nDCG(gains='0-1-2-3',discount='original',base=10)@200"


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
        ({"discounts": ["ln"]}, "discount='ln' is unknown"),
        ({"discounts": ["sigir2000"], "bases": [10]}, "'sigir2000' with base=10"),
        ({"bases": [1], "discounts": ["original"]}, "base=1: .* greater than 1"),
        ({"cutoffs": [0]}, "cutoff=0 must be at least 1"),
        ({"bases": [2, 10]}, "none of the discounts has a base; these have one: original, revised"),
        ({"discounts": ["log2", "rank"], "bases": 10}, "none of the discounts has a base"),
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
    with pytest.raises(ValueError, match="there is no measure to make a grid of"):
        grid([], cutoffs=[5])


def test_a_measure_of_the_host() -> None:
    import ir_measures

    with pytest.raises(ValueError, match="AP is not a measure of this package"):
        grid([nDCG, ir_measures.AP], cutoffs=[5])


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
