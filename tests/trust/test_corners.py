"""Mixtures of thresholds and of cutoffs: at each point the values of the measure that it is."""

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, dominance, nDCG, pydocs
from pt_cumgain.trust import _corners as corners

LEVELS = np.array([-1.0, 0.0, 1.0, 2.0])


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


def test_pairs_are_searched_alike_one_by_one_and_together(trec_qrels, monkeypatch):
    together = dominance(pydocs.runs(), None, trec_qrels, nDCG @ 10, over="both")
    monkeypatch.setattr("pt_cumgain.trust._corners.HELD", 1)
    each = dominance(pydocs.runs(), None, trec_qrels, nDCG @ 10, over="both")
    pd.testing.assert_frame_equal(each, together, check_exact=True)
