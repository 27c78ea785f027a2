"""How often intervals contain the mean that they are of: on values that this module generates.

A population of topics has values of two systems between 0 and 1, as measures like nDCG have them:
some topics are easy, some hard, and a few differences are large. Samples of topics
are drawn from it, and their intervals compared with the means of the population.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from pt_cumgain.analysis.strata import Stratum
from pt_cumgain.analysis.trust.intervals import mean_intervals
from pt_cumgain.options import METHODS

#: The numbers of topics of a sample.
TOPICS = (10, 15, 25, 50)
#: The number of samples, and of the resamples of each for the bootstrap.
SAMPLES, RESAMPLES = 2000, 1000


def draw_population(draws: np.random.Generator, topics: int = 50_000) -> np.ndarray:
    """Return the values of the first system, and the differences of the second, as rows."""
    first = draws.beta(1.2, 1.8, topics)
    second = np.clip(first + 0.03 + 0.1 * draws.standard_t(3, topics), 0, 1)
    return np.stack([first, second - first])


@cache
def measure_coverage() -> dict[tuple[int, str, str], float]:
    """Return the share of 95% intervals that contain the mean: by topics, values and method."""
    draws = np.random.default_rng(2026)
    population = dict(zip(("value", "difference"), draw_population(draws)))
    out = {}
    for topics in TOPICS:
        for what, values in population.items():
            sample = Stratum(draws.choice(values, (topics, SAMPLES)), np.ones(topics))
            for method in METHODS:
                low, high = mean_intervals(sample, method=method, resamples=RESAMPLES)
                contained = (low <= values.mean()) & (values.mean() <= high)
                out[topics, what, method] = float(contained.mean())
    return out
