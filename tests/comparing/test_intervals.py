"""Intervals of means: scipy's, for systems with topics of their own as well."""

import numpy as np
import pytest
from scipy import stats

from pt_cumgain import CG, intervals, nDCG
from pt_cumgain.comparing._intervals import estimate_means
from tests.support.helpers import experiment
from tests.support.samples import results_of

RESULTS = results_of({n: [v + q * v % 5 for q in range(11)] for n, v in (("B", 1.0), ("A", 2.5))})


def test_t_is_scipys() -> None:
    each = experiment([CG @ 5, nDCG @ 10], perquery=True)
    for row in intervals(each, confidence=0.9).itertuples():
        of_system = (each["name"] == row.name) & (each["measure"] == row.measure)
        values = each.loc[of_system, "value"]
        ends = stats.t.interval(0.9, len(values) - 1, values.mean(), stats.sem(values))
        assert row.mean == pytest.approx(values.mean(), rel=1e-12)
        assert (row.low, row.high) == pytest.approx(ends, rel=1e-9)


def test_systems_may_have_topics_of_their_own() -> None:
    """Expected: each system alone; a column says over how many topics."""
    own = RESULTS[(RESULTS["name"] == "B") | (RESULTS["qid"].astype(int) < 6)]
    frame = intervals(own)
    assert frame["topics"].tolist() == [11, 6]
    for i, name in enumerate("BA"):
        alone = intervals(own[own["name"] == name])
        assert frame.iloc[i][["mean", "low", "high"]].tolist() == pytest.approx(
            alone.iloc[0][["mean", "low", "high"]].tolist()
        )
    assert "topics" not in intervals(RESULTS)


@pytest.mark.parametrize("value", [0.7, 0.1 + 0.2])
def test_what_does_not_vary_has_no_width(value: float) -> None:
    constant = RESULTS.assign(value=value * (1 + 2.0**-52 * (RESULTS.index % 2)))
    frame = intervals(constant)
    assert (frame["low"] == frame["high"]).all()


def test_each_column_is_judged_by_its_own_scale() -> None:
    values = np.column_stack([np.arange(5.0) * 1e-14, np.arange(5.0)])
    assert (estimate_means([values]).error > 0).all()
    tiny = estimate_means([values * 2.0**-700]).error  # whose squares are 0
    assert (tiny == estimate_means([values]).error * 2.0**-700).all()
    assert (estimate_means([values], 4.0).error > 0).tolist() == [False, True]


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize(("topics", "least"), [(10, 0.93), (25, 0.93), (50, 0.94)])
def test_t_intervals_cover_the_mean_of_a_population(topics: int, least: float) -> None:
    """Values between 0 and 1 as nDCG has them; 20,000 samples of a skewed population."""
    draws = np.random.default_rng(2026)
    population = draws.beta(1.2, 1.8, 50_000)
    sample = draws.choice(population, (topics, 20_000))
    low, high = estimate_means([sample]).ends()
    assert ((low <= population.mean()) & (population.mean() <= high)).mean() >= least
