"""Ranks that systems may have: against scipy and statsmodels pair by pair, and simulated truths."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import rank_intervals


def results(values: np.ndarray, **columns: object) -> pd.DataFrame:
    """Results from values by topic and system, systems in an order that is not the alphabet's."""
    names = [f"s{(7 * i + 3) % 29:02}" for i in range(values.shape[1])]
    rows = [
        (names[j], str(topic), "nDCG@10", value) for (topic, j), value in np.ndenumerate(values)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]).assign(**columns)


def ranks_slowly(values: np.ndarray, alpha: float) -> list[tuple[int, int, int, bool]]:
    """Rank, lowest and highest rank, and whether a system may be the best, one by one."""
    systems = range(values.shape[1])
    pairs = list(combinations(systems, 2))
    p = [stats.ttest_rel(values[:, a], values[:, b]).pvalue for a, b in pairs]
    corrected = dict(zip(pairs, multipletests(p, method="holm")[1]))
    means, found = values.mean(axis=0), []
    for i in systems:
        significant = [
            means[i] - means[j] for j in systems
            if i != j and corrected[min(i, j), max(i, j)] < alpha
        ]  # fmt: skip
        others = [
            stats.ttest_rel(values[:, j], values[:, i], alternative="greater").pvalue
            for j in systems
            if j != i
        ]
        may_be_best = min(others) >= alpha / max(len(others), 2)
        found.append(
            (
                1 + int((means > means[i]).sum()),
                1 if may_be_best else 1 + sum(d < 0 for d in significant),
                len(systems) - sum(d > 0 for d in significant),
                may_be_best,
            )
        )
    return found


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.integers(0, 2**32), st.integers(2, 8), st.integers(3, 25), st.sampled_from([0.01, 0.05, 0.3])
)
def test_ranks_follow_from_the_pairs(seed, systems, topics, alpha) -> None:
    """Expected: scipy.stats.ttest_rel, two-sided and one-sided, and statsmodels' Holm.

    Of two systems, the one-sided p is compared with alpha / 2: that is the two-sided test.
    """
    draws = np.random.default_rng(seed)
    values = draws.normal(size=(topics, systems)) + draws.normal(size=systems) * 2
    frame = rank_intervals(results(values), alpha=alpha)
    made = frame[["rank", "low", "high", "may_be_best"]].itertuples(index=False, name=None)
    assert list(made) == ranks_slowly(values, alpha)
    assert frame["mean"].tolist() == pytest.approx(values.mean(axis=0).tolist())


def test_the_ranks_of_a_system_that_may_be_the_best_begin_with_1() -> None:
    """A is above B with p = 0.04: below 0.05, as in Holm's last step, but not below 0.1 / 3."""
    draws = np.random.default_rng(0)
    lead = draws.normal(size=30)
    lead += stats.t.ppf(0.98, 29) * stats.sem(lead) - lead.mean()
    low = draws.normal(size=(30, 2)) * 0.1 - [9, 99]
    values = np.column_stack([lead, np.zeros(30), low])
    assert stats.ttest_1samp(lead, 0).pvalue == pytest.approx(0.04)
    frame = rank_intervals(results(values))
    assert frame["low"].tolist() == [1, 1, 3, 4]
    assert frame["high"].tolist() == [1, 2, 3, 4]
    assert frame["may_be_best"].tolist() == [True, True, False, False]


def test_equal_systems_share_a_rank_and_may_all_be_the_best() -> None:
    values = np.random.default_rng(1).random((9, 1)) + np.zeros((9, 3))
    frame = rank_intervals(results(values))
    assert frame[["rank", "low", "high"]].to_numpy().tolist() == [[1, 1, 3]] * 3
    assert frame["may_be_best"].all()


def test_datasets_judges_and_measures_have_ranks_of_their_own() -> None:
    """Expected: each part alone."""
    draws = np.random.default_rng(2)
    parts = {name: results(draws.random((12, 4)) * [1, 1.4, 1, 2]) for name in "ab"}
    for column in ("dataset", "judge", "measure"):
        made = rank_intervals(pd.concat(p.assign(**{column: n}) for n, p in parts.items()))
        for name, part in parts.items():
            rows = made[made[column] == name].reset_index(drop=True)
            alone = rank_intervals(part)
            shared = [c for c in alone if c != "measure"]
            pd.testing.assert_frame_equal(rows[shared], alone[shared])
        assert (made[column] == "mean").any() == (column == "dataset")


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("spread", [0, 0.02, 0.5, 1.5])
def test_ranks_are_contained_all_at_once(spread: float) -> None:
    """In at least 95 of 100 samples; the best is excluded in at most 5 (1,000 samples)."""
    draws, truth = np.random.default_rng(3), np.linspace(spread, 0, 8)
    lowest = 1 + (truth[:, None] < truth).sum(axis=1)
    highest = 8 - (truth[:, None] > truth).sum(axis=1)
    contained = best = 0
    for _ in range(1000):
        values = draws.normal(size=(25, 1)) + draws.normal(truth, 1, (25, 8))
        frame = rank_intervals(results(values))
        contained += bool(((frame["low"] <= lowest) & (frame["high"] >= highest)).all())
        best += bool(frame["may_be_best"][0])
    assert contained >= 940
    assert best >= 940


@pytest.mark.usefixtures("thorough")
def test_the_bootstraps_ranks_are_too_narrow() -> None:
    """The figures of the docstring: 86 of 100 contain a rank, 32 of 100 all (2,000 samples)."""
    draws, truth = np.random.default_rng(0), np.linspace(0, 0.02, 8)
    ranks = 1 + (truth[:, None] < truth).sum(axis=1)
    contained = []
    for _ in range(2000):
        values = draws.normal(size=(25, 1)) + draws.normal(truth, 1, (25, 8))
        means = values[draws.integers(0, 25, (1000, 25))].mean(axis=1)
        resampled = 1 + (means[:, :, None] < means[:, None, :]).sum(axis=2)
        low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
        contained.append((low <= ranks) & (ranks <= high))
    assert np.mean(contained) == pytest.approx(0.86, abs=0.02)
    assert np.all(contained, axis=1).mean() == pytest.approx(0.32, abs=0.04)
