"""What is read off gain curves: the gap to the ideal, the effort, where the ideal levels off."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, effort, gain_curves, gap_to_ideal, levels_off, nCG
from tests.helpers import paper


def curve(values: list[float], ideal: list[float], name: str = "X") -> pd.DataFrame:
    ranks = range(1, len(values) + 1)
    return pd.DataFrame(
        {"name": name, "measure": "CG", "rank": ranks, "value": values, "ideal": ideal}
    )


def test_the_gap() -> None:
    run, qrels = paper()
    gap = gap_to_ideal(gain_curves({"X": run}, None, qrels, CG, 10))
    assert gap["rank"].tolist() == [5, 10]
    assert gap["gap"].tolist() == [13 - 8, 19 - 16]
    assert gap["share"].tolist() == pytest.approx([8 / 13, 16 / 19])
    assert np.isnan(gap_to_ideal(curve([0], [0]), [1])["share"][0])


def test_the_effort() -> None:
    """From G' and I' of TOIS 2002: the ideal has 9 by rank 3, the run by rank 6."""
    run, qrels = paper()
    curves = gain_curves({"X": run}, None, qrels, CG, 13)
    found = effort(curves, [1, 2, 3, 10])
    assert found["gain"].tolist() == [3, 6, 9, 19]
    assert found["effort"].tolist()[:3] == [1, 3, 6]
    assert found["times"].tolist()[:3] == [1, 1.5, 2]
    assert np.isnan(found["effort"][3])
    assert found["reached"].tolist() == [
        *("at rank 1", "at rank 3", "at rank 6"), "never within rank 13",
    ]  # fmt: skip
    lines = effort(curves, [1, 2, 3], interpolate=True)
    # 6 lies a third of the way from CG[2] = 5 to CG[3] = 8
    assert lines["effort"].tolist() == pytest.approx([1, 2 + 1 / 3, 6])


def test_the_effort_against_another_system() -> None:
    curves = pd.concat([curve([1, 2, 3], [3, 3, 3], "A"), curve([0, 1, 2], [3, 3, 3], "B")])
    found = effort(curves, [1, 2, 3], than="A").set_index(["name", "rank"])["effort"]
    assert found["A"].tolist() == [1, 2, 3]
    assert found["B"].tolist()[:2] == [2, 3]
    assert np.isnan(found["B", 3])
    pd.testing.assert_frame_equal(effort(curves, than=1), effort(curves, than="B"))
    for wrong in ("C", [], 2, True):
        message = re.escape(f"than={wrong!r} is not one of the systems: ['A', 'B']")
        with pytest.raises(ValueError, match=message):
            effort(curves, than=wrong)


@given(
    gains=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    goal=st.integers(1, 12),
    interpolate=st.booleans(),
)
def test_the_effort_is_where_the_gain_is_reached(gains, goal, interpolate) -> None:
    values = np.cumsum(gains).tolist()
    found = effort(curve(values, [goal] * len(gains)), [1], interpolate=interpolate)["effort"][0]
    if values[-1] < goal:
        assert np.isnan(found)
    elif interpolate:
        line = np.interp(found, range(len(gains) + 1), [0, *values])
        assert line == pytest.approx(goal)
    else:
        at = int(found)
        assert values[at - 1] >= goal
        assert at == 1 or values[at - 2] < goal


def test_where_the_ideal_levels_off() -> None:
    run, qrels = paper()
    curves = gain_curves({"X": run, "Y": run}, None, qrels, [CG, nCG, DCG], 13)
    found = levels_off(curves)
    assert found["measure"].tolist() == ["CG", "DCG"]
    assert found["rank"].tolist() == [10, 10]
    assert found["still_grows"].tolist() == [False, False]
    assert levels_off(curves, 0.75)["rank"][0] == 6  # 15 of 19
    short = levels_off(curves[curves["rank"] <= 8])
    assert short["rank"].tolist() == [8, 8]
    assert short["still_grows"].tolist() == [True, True]
    flat = levels_off(curve([0, 0], [3, 3]))
    assert flat["rank"].tolist() == [1]


@pytest.mark.parametrize("function", [gap_to_ideal, effort])
def test_wrong_ranks(function) -> None:
    curves = curve([1, 2], [2, 3])
    for rank in (0, 3, 1.5):
        with pytest.raises(ValueError, match=rf"rank {rank} is not in the curves, .* 1 to 2"):
            function(curves, [rank])
    with pytest.raises(ValueError, match=r"missing columns \['ideal'\]"):
        function(curves.drop(columns="ideal"))
    with pytest.raises(ValueError, match="a curve has a rank twice"):
        function(pd.concat([curves, curves]))
    with pytest.raises(ValueError, match="there is no curve"):
        function(curves.head(0))


@pytest.mark.parametrize("share", [0, 1.1, -1, "x", None, [0.5]])
def test_wrong_shares(share: object) -> None:
    with pytest.raises(ValueError, match=re.escape(f"share={share!r} must be greater than 0")):
        levels_off(curve([1], [1]), share)


def test_rows_in_any_order_are_read_the_same() -> None:
    run, qrels = paper()
    curves = gain_curves({"X": run, "Y": run}, None, qrels, CG, 13)
    shuffled = curves.sample(frac=1, random_state=1)
    for function in (effort, gap_to_ideal, levels_off):
        first, second = (
            f.sort_values(list(f)).reset_index(drop=True) for f in map(function, (curves, shuffled))
        )
        pd.testing.assert_frame_equal(first, second)
    some = curves[curves["rank"] % 5 == 0]
    for function in (effort, gap_to_ideal, levels_off):
        with pytest.raises(ValueError, match="the curve of 'X' and CG does not have all the ranks"):
            function(some)
    other = gain_curves({"Z": run}, None, qrels, nCG, 13)
    with pytest.raises(ValueError, match="'Z' has no curve of CG"):
        effort(pd.concat([curves, other]), than="Z")
    assert effort(curves, 3)["rank"].tolist() == [3, 3]
    assert effort(curves, [3.0])["gain"].tolist() == [9, 9]


def test_a_gain_is_reached_though_a_bit_is_missing() -> None:
    found = effort(curve([0.1 + 0.2 - 1e-16, 0.4], [0.1 + 0.2, 0.4]), [1])
    assert found["effort"].tolist() == [1]
