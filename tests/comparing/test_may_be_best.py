"""The systems that may be the best: against scipy one by one, and simulated truths."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_cumgain import may_be_best
from tests.support.samples import results_of


def results(values: np.ndarray, **columns: object) -> pd.DataFrame:
    """Results from values by topic and system, systems in an order that is not the alphabet's."""
    names = [f"s{(7 * i + 3) % 29:02}" for i in range(values.shape[1])]
    return results_of(dict(zip(names, values.T)), "nDCG@10").assign(**columns)


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.integers(0, 2**32), st.integers(2, 8), st.integers(3, 25), st.sampled_from([0.99, 0.95, 0.7])
)
def test_no_other_is_shown_to_be_better(seed, systems, topics, confidence) -> None:
    """Expected: scipy's one-sided paired t-test against each other system, Bonferroni's bound.

    Of two systems, the one-sided p is compared with alpha / 2: that is the two-sided test.
    """
    draws = np.random.default_rng(seed)
    values = draws.normal(size=(topics, systems)) + draws.normal(size=systems) * 2
    expected = []
    for i in range(systems):
        least = min(
            stats.ttest_rel(values[:, j], values[:, i], alternative="greater").pvalue
            for j in range(systems)
            if j != i
        )
        expected.append(least >= (1 - confidence) / max(systems - 1, 2))
    frame = may_be_best(results(values), confidence=confidence)
    assert frame["may_be_best"].tolist() == expected
    assert frame["mean"].tolist() == pytest.approx(values.mean(axis=0).tolist())


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_the_level_at_which_a_system_is_excluded(systems: int) -> None:
    """Expected: scipy's smallest one-sided p, times the number of others; of one other, twice."""
    values = np.random.default_rng(0).normal([0, 0.2, 0.3, 0.4], 1, (20, 4))[:, :systems]
    least = stats.ttest_rel(values[:, 1:], values[:, :1], alternative="greater").pvalue.min()
    level = least * max(systems - 1, 2)
    for nearly, expected in ((0.99, True), (1.01, False)):
        frame = may_be_best(results(values), confidence=1 - nearly * level)
        assert frame["may_be_best"].tolist()[0] == expected


@pytest.mark.filterwarnings("ignore:.*without variance, test=")
def test_equal_systems_and_constant_leads_may_all_be_the_best() -> None:
    """Without variance there is no test, so nothing is excluded."""
    values = np.random.default_rng(1).random((9, 1)) + np.array([[0, 0, 0.5]])
    assert may_be_best(results(values))["may_be_best"].all()


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("spread", [0, 0.02, 0.5, 1.5])
def test_the_best_is_seldom_excluded(spread: float) -> None:
    """In at most 5 of 100 samples (1,000 samples)."""
    draws, truth = np.random.default_rng(3), np.linspace(spread, 0, 8)
    best = 0
    for _ in range(1000):
        values = draws.normal(size=(25, 1)) + draws.normal(truth, 1, (25, 8))
        best += bool(may_be_best(results(values))["may_be_best"][0])
    assert best >= 940
