"""Parameter grids: all combinations each once, their labels, the papers' schemes."""

import pandas as pd
import pytest

from pt_cumgain import CG, DCG, grid, nCG, nDCG, sDCG
from pt_cumgain.comparing import rank_correlation
from pt_cumgain.papers import IPM2005, SCENARIOS, SIGIR2000, TOIS2002
from tests.support.helpers import experiment


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
        ({"gains": {3: 5}}, "give weightings by name, or a list of them"),
        ({"gains": []}, "gains is empty; omit it"),
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


MEASURES = grid([nDCG, CG], gains={"steep": "0-1-10-100", "flat": "0-1-1-1"}, cutoffs=[10])


def test_labels_rename_columns_and_rows() -> None:
    depths = grid(CG, cutoffs=[10, 100])  # one text begins like the other
    columns = ["name", "nCG@10", "CG@100", "CG@10", "nCG@10 +", "CG@100 p-value", "CG@10 p-value"]
    means = experiment([*depths, nCG @ 10], baseline=0)[columns]
    expected = [column.replace("@", " @") if column[0] == "C" else column for column in columns]
    pd.testing.assert_frame_equal(depths.rename(means), means.set_axis(expected, axis=1))
    tau = rank_correlation(experiment(MEASURES))
    labels = [MEASURES.labels[text] for text in tau]
    pd.testing.assert_frame_equal(
        MEASURES.rename(tau), tau.set_axis(labels).set_axis(labels, axis=1)
    )


def test_labels_rename_the_measures_of_rows() -> None:
    frame = experiment([*MEASURES, nCG @ 10], perquery=True).sample(frac=1, random_state=1)
    labels = MEASURES.labels | {"nCG@10": "nCG@10"}
    pairs = frame.assign(other_measure=frame["measure"])
    renamed = pairs.replace({"measure": labels, "other_measure": labels})
    pd.testing.assert_frame_equal(MEASURES.rename(pairs), renamed)
    in_order = frame["measure"].astype(pd.CategoricalDtype([*labels], ordered=True))
    kept = MEASURES.rename(frame.assign(measure=in_order))["measure"].dtype
    assert kept == pd.CategoricalDtype([*labels.values()], ordered=True)
