"""The numeric core on the papers' worked examples, and on what the papers do not print."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import core
from tests.support import reference
from tests.support.helpers import IDEAL


def dcg(gain: list[float], discount: str, base: float) -> np.ndarray:
    return core.cg(core.discount_gains(gain, discount=discount, base=base))


def test_the_ideal_of_tois_2002() -> None:
    """Section 2.2, which truncates: 10.528 and 11.217 stand as 10.52 and 11.21."""
    vector = dcg([*IDEAL, 0, 0, 0], "original", 2)
    expected = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83, 11.83, 11.83, 11.83]
    assert (np.floor(vector * 100) / 100).tolist() == pytest.approx(expected)


def test_the_vector_in_the_appendix_of_ecir_2008_has_two_misprints() -> None:
    """There, rank 2 is divided by 2 instead of 1.5, and rank 8 gains 3 instead of 2."""
    d = core.discounts(np.arange(1, 11), "revised", 4)
    d[1] = 2
    misprinted = core.cg(np.array([3, 2, 3, 0, 0, 1, 2, 3, 3, 0]) / d)
    appendix = [3, 4, 5.67, 5.67, 5.67, 6.11, 6.94, 8.14, 9.30, 9.30]
    assert misprinted.round(2) == pytest.approx(appendix, abs=0.011)


@pytest.mark.parametrize("base", [1.1, 2, 2.5, 4, 10])
@pytest.mark.parametrize(
    ("function", "name"),
    [
        *((core.discounts, name) for name in core.DISCOUNTS),
        *((core.query_discounts, name) for name in core.QUERY_DISCOUNTS),
    ],
)
def test_discounts_equal_the_reference(function, name: str, base: float) -> None:
    ranks = [*range(1, 40), 1000, 10**6]
    expected = [reference.rank_discount(name, i, base) for i in ranks]
    assert function(ranks, name, base).tolist() == pytest.approx(expected, rel=1e-12)


@given(
    name=st.sampled_from(list(core.DISCOUNTS)),
    base=st.floats(1.01, 50) | st.integers(2, 50) | st.sampled_from([2.0, math.nextafter(2, 3)]),
)
def test_there_is_an_ideal_where_no_discount_falls(name: str, base: float) -> None:
    """Descending gains earn most exactly if no rank is divided by less than one before it."""
    falls = np.diff(core.discounts(np.arange(1, 200), name, base)) < -1e-12
    if core.has_ideal(name, base):
        assert not falls.any()
    elif base > 2.001:  # closer to 2 the fall is lost in rounding
        assert falls.any()


@pytest.mark.parametrize(
    "function",
    [
        *(core.discounts, core.query_discounts, core.cg, core.discount_gains),
        lambda values: core.norm_vect(values, np.float32(3)),
        lambda values: core.norm_vect(np.float32(3), values),
        lambda values: core.avg_pos(values, [2, 5]),
        lambda values: core.discount_session_gains(values, np.float32(2), np.float32(3)),
    ],
)
def test_single_precision_is_computed_as_double_precision(function) -> None:
    values = np.array([1.1, 2.3, 1.7], dtype=np.float32)
    got = function(values)
    assert got.dtype == np.float64
    assert got.tolist() == function(values.astype(np.float64)).tolist()


def test_avg_pos_is_flat_past_the_end() -> None:
    """TOIS 2002, equation 6, on 3 5 8 8 8; the same wherever the vector ends."""
    means = core.avg_pos([[3, 5, 8]], [[1, 2, 5, 0]])
    assert means.tolist() == [[3, (3 + 5) / 2, (3 + 5 + 8 + 8 + 8) / 5, 0]]
    vector = core.cg([0, 0.1, 0.7, 0, 0, 0, 0.2])
    averages = [core.avg_pos(vector[:end], [2, 5, 6]).tolist() for end in range(3, 7)]
    assert averages == [core.avg_pos(vector, [2, 5, 6]).tolist()] * 4


def test_only_rounding_above_1_is_rounded_to_1() -> None:
    """0.1 + 0.2 exceeds 0.3 by rounding; a vector above what is no ideal of it stays above."""
    assert (0.1 + 0.2) / 0.3 > 1
    vector = core.norm_vect([0.1 + 0.2, 1 + 1e-9, 2, 1, 0.5], [0.3, 1, 1, 1, 1])
    assert vector.tolist() == [1, 1 + 1e-9, 2, 1, 0.5]


def test_nothing_gains_nothing() -> None:
    assert core.ideal_order([]).tolist() == []
    assert core.query_discounts([]).tolist() == []
    assert core.cg(core.discount_gains([])).tolist() == []
    assert core.assign_gains(np.empty((1, 0)), np.ones((1, 3))).tolist() == [[0, 0, 0]]
    assert core.assign_gains(np.ones((1, 3)), np.empty((1, 0))).tolist() == [[]]
    assert core.avg_pos([], [0, 3]).tolist() == [0, 0]
    assert core.ideal_order([-1, 2, 0]).tolist() == [1]
    assert core.discount_gains(3, rank=3, discount="log2") == 3 / 2  # one gain, at its rank
    assert core.norm_vect([0, 0], [0, 0]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core.discounts([1], "log3"), "discount='log3' is .* from log2, .*, none; your o"),
        (lambda: core.discounts("x"), "rank='x' must be an array of n"),
        (lambda: core.assign_gains([["x"]], [[1]]), "ideal=.*must be a t"),
        (lambda: core.assign_gains([[1]], [["x"]]), "weight=.*must be a"),
        (lambda: core.avg_pos([1], ["x"]), r"k=.*must be a v"),
        (lambda: core.avg_pos(["x"], [1]), r"vector=.*must be a v"),
        (lambda: core.discounts([1, 0, -1]), "ranks count from 1, got 0"),
        (lambda: dcg([1], "revised", 1), "base=1 must be .* greater than 1"),
        (lambda: core.check_base(math.inf), "base=inf"),
        (lambda: core.query_discounts([1], "log2"), "query_discount='log2' is unknown; choose"),
        (lambda: core.query_discounts([1, 0.5, 0]), "queries count from 1, got 0.5"),
    ],
)
def test_wrong_input(call, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        call()
