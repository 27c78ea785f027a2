"""Ranges of sums of ratios over a simplex, against their values at many points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain.trust import _simplex as simplex
from pt_cumgain.trust._simplex import Search

SEARCH = Search(tolerance=1e-4, limit=100_000, rounding=1e-12)


def random_sums(seed, corners, ratios, *, jumps):
    """A sum; with ``jumps`` some divisors are 0 from some corner on, as of missing levels."""
    draws = np.random.default_rng(seed)
    divisors = draws.uniform(0.2, 5, (ratios, corners))
    if jumps:
        has = draws.integers(0, corners, (ratios, 1))
        divisors[np.arange(corners) > has] = 0
    return draws.uniform(-1, 1, (ratios, corners)) * divisors / ratios, divisors


def values_at(numerators, divisors, points):
    return simplex.add_ratios(numerators @ points.T, divisors @ points.T)


def points_of(corners, seed, count=2000):
    """Points inside, close to the sides, on them, and the corners themselves."""
    draws = np.random.default_rng(seed)
    inside = draws.dirichlet(np.full(corners, 0.4), count)
    on_sides = inside * (draws.random(inside.shape) < 0.5) + np.eye(corners)[0] * 1e-12
    last = inside * 10.0 ** -np.arange(0, 12, 12 / corners)[::-1][:corners]
    points = np.concatenate([inside, on_sides, last, np.eye(corners), np.eye(corners)[:, ::-1]])
    return points / points.sum(axis=1, keepdims=True)


@given(
    seed=st.integers(0, 10**6),
    corners=st.integers(1, 5),
    ratios=st.integers(1, 8),
    jumps=st.booleans(),
    limit=st.sampled_from([1, 500, 30_000]),
)
def test_a_range_contains_all_values_and_says_which_it_reaches(seed, corners, ratios, jumps, limit):
    numerators, divisors = random_sums(seed, corners, ratios, jumps=jumps)
    found = simplex.find_range(numerators, divisors, SEARCH._replace(limit=limit))
    values = values_at(numerators, divisors, points_of(corners, seed))
    assert (found.low <= values + 1e-12).all()
    assert (found.high >= values - 1e-12).all()
    for at, reached in ((found.low_at, found.lowest), (found.high_at, found.highest)):
        assert at.sum() == pytest.approx(1)
        assert (at >= 0).all()
        assert values_at(numerators, divisors, at[None])[0] == pytest.approx(reached, abs=1e-12)


def points_of_a_grid(corners):
    """100,001 points of a segment, or 205 x 205 of a triangle, and some close to the corners."""
    if corners == 2:
        second = np.concatenate([np.linspace(0, 1, 100_001), [1e-13, 1 - 1e-13]])
        return np.column_stack([1 - second, second])
    steps = np.concatenate([[0, 1e-12, 1e-9, 1e-6, 1e-3], np.linspace(0, 1, 201)[1:]])
    first, second = np.meshgrid(steps, steps)
    return np.stack([first * second, first * (1 - second), 1 - first], axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("jumps", [False, True])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("corners", [2, 3])
def test_the_ends_are_those_of_a_fine_grid(corners, seed, jumps):
    numerators, divisors = random_sums(seed, corners, 6, jumps=jumps)
    found = simplex.find_range(numerators, divisors, SEARCH)
    values = values_at(numerators, divisors, points_of_a_grid(corners))
    assert found.exact(1e-4)
    assert found.lowest <= values.min() + 1e-4
    assert found.highest >= values.max() - 1e-4
    if corners == 2:
        assert found.low == pytest.approx(values.min(), abs=1.01e-4)
        assert found.high == pytest.approx(values.max(), abs=1.01e-4)


def test_the_sign_is_found_out_whatever_the_tolerance():
    """At the corners -3/7 + 1/2 and 2 - 1/2, above 0; in the middle -1/8 + 0."""
    numerators = np.array([[-3.0, 2.0], [1.0, -1.0]])
    divisors = np.array([[7.0, 1.0], [2.0, 2.0]])
    found = simplex.find_range(numerators, divisors, SEARCH._replace(tolerance=9))
    assert found.low <= found.lowest < 0
    raised = numerators + np.array([[0.0], [0.5]])  # by 1/4 everywhere
    above = simplex.find_range(raised, divisors, SEARCH._replace(tolerance=9))
    assert above.low > 0  # which takes more than the bound of the whole segment
