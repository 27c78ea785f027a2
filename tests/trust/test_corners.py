"""Mixtures of thresholds and of cutoffs: at each point the values of the measure that it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, dominance, nDCG, pydocs
from pt_cumgain.trust import corners
from pt_cumgain.weighting import Weighting
from tests.support import trec

LEVELS = np.array([-1.0, 0.0, 1.0, 2.0])
OTHER = [np.array([[[0.0, 0, 1]], [[1.0, 0, 2]]]), np.array([[[2.0, 2, 1]], [[4.0, 4, 2]]])]


def test_the_corners_of_weightings_are_thresholds() -> None:
    """Only positive levels can have a gain."""
    choices = corners.Choices(nDCG @ 5, LEVELS, "gains")
    thresholds = [nDCG(gains={1: 1, 2: 1}) @ 5, nDCG(gains={1: 0, 2: 1}) @ 5]
    assert choices.measures == [nDCG(gains="level") @ 5, *thresholds]  # not the host's
    assert (choices.size, choices.top) == ((1, 3), 1)
    assert corners.Choices(CG(gains="0-3-7"), LEVELS, "gains").top == 7


def test_a_weighting_is_the_mixture_of_its_steps() -> None:
    """0-1-4: a quarter of its 4 is gained from level 1 on. 0-2-1 falls, and 0-0-0 has no gain."""
    choices = corners.Choices(nDCG @ 5, LEVELS, "gains")
    assert choices.point(Weighting.parse("0-1-4")).tolist() == [0.25, 0.75]
    assert choices.point(Weighting.parse("0-2-1")) is None
    assert choices.point(Weighting.parse("0-0-0")) is None


@pytest.mark.parametrize(
    ("measure", "levels", "over", "point", "text"),
    [
        (nDCG @ 5, LEVELS, "gains", [0.25, 0.75], "0-0.25-1"),
        (CG(gains="0-3-8") @ 5, LEVELS, "gains", [0.25, 0.75], "0-2-8"),
        (nDCG @ 5, [0, 0.5, 3], "gains", [0.25, 0.75], "0.5:0.25,3:1"),
        (nDCG(gains="-1:0") @ 5, LEVELS, "gains", [1, 0], "-1:0,1:1,2:1"),
        (nDCG @ 5, LEVELS, "gains", [1e-6, 1 - 1e-6], "1:1e-06,2:1"),
        (nDCG @ 3, LEVELS, "discount", [0.5, 0.25, 0.25], "1,0.5,0.25"),
        (nDCG @ 2, LEVELS, "both", [0.125, 0.375, 0.125, 0.375], "0-0.25-1; 1,0.5"),
    ],
)
def test_a_point_is_written_as_gains_or_weights(measure, levels, over, point, text) -> None:
    """By hand: the gain of a level is the sum up to it, the weight of a rank the sum from it on."""
    choices = corners.Choices(measure, np.asarray(levels, dtype=float), over)
    assert choices.text(np.array(point)) == text


def test_a_choice_of_both_is_a_product() -> None:
    """Two cutoffs (rows) by two thresholds: the sums of the rows times those of the columns."""
    choices = corners.Choices(nDCG @ 2, LEVELS, "both")
    assert choices.admit(np.array([0.5, 0.0, 0.25, 0.25])).tolist() == [0.375, 0.125, 0.375, 0.125]
    product = np.array([[0.06, 0.14, 0.24, 0.56]])  # (0.2, 0.8) by (0.3, 0.7)
    np.testing.assert_allclose(choices.admit(product), product)


def test_pairs_are_searched_alike_one_by_one_and_together(monkeypatch):
    qrels = trec.read_qrels(pydocs.DATA / "qrels.txt")
    together = dominance(pydocs.runs(), None, qrels, nDCG @ 10, over="both")
    monkeypatch.setattr("pt_cumgain.trust.corners.HELD", 1)
    each = dominance(pydocs.runs(), None, qrels, nDCG @ 10, over="both")
    pd.testing.assert_frame_equal(each, together, check_exact=True)
