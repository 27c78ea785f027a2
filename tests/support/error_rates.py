"""How often tests call equal systems different: on values that this module generates.

The systems of a topic have the topic's difficulty and noise of their own, with the same
distribution for all, so that any significant pair is an error. The noise has a heavy tail, as
differences of measures like nDCG have. In two settings the systems are unlike: some are near copies
of each other, or two are better than the others, whose differences alone are counted then.

``python -m tests.support.error_rates`` writes the manual's table; it takes about twenty minutes.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain import pairwise, paper_table
from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.analysis.strata import Stratum
from pt_cumgain.analysis.trust.intervals import mean_intervals

TABLE = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured" / "errors.csv"
SYSTEMS = tuple("ABCDEFGH")
#: The number of samples; of Tukey's test, whose distribution takes 30 ms a pair, fewer.
SAMPLES, SLOW_SAMPLES = 2000, 400
#: What is simulated: by name, the topics and spread of each dataset.
PAIRED: dict[str, dict[str, tuple[int, float]]] = {
    "all pairs": {"one": (25, 0.1)},
    "two baselines": {"one": (25, 0.1)},
    "two datasets": {"one": (40, 0.05), "two": (10, 0.2)},
    "groups": {"one": (40, 0.1)},
}
#: Systems that are unlike: by name, which of them are equal.
UNLIKE: dict[str, list[str]] = {"near copies": list("ABCDEFGH"), "two better": list("ABCD")}
#: The same of systems that have topics of their own: topics and spread of each system.
UNPAIRED: dict[str, tuple[tuple[int, float], ...]] = {
    "equal spread": ((30, 0.1), (15, 0.1)),
    "unequal spread": ((45, 0.05), (15, 0.2)),
}
#: The sizes of the groups of 40 topics.
GROUPS = np.repeat(np.arange(15), [5, 5, 4, 4, 3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1])


def draw_paired(
    draws: np.random.Generator, samples: int, topics: int, spread: float, groups: Any = None
) -> np.ndarray:
    """Return values by sample, topic and system; topics of a group share part of the noise."""
    shape = (samples, topics, 4)
    noise = draws.standard_t(5, shape)
    if groups is not None:
        shared = draws.standard_t(5, (samples, groups.max() + 1, 4))
        noise = (noise + shared[:, groups]) / np.sqrt(2)
    return draws.beta(1.2, 1.8, (samples, topics, 1)) + spread * noise


def draw_unlike(draws: np.random.Generator, samples: int, setting: str) -> np.ndarray:
    """Return values of 25 topics: six near copies and two others, or four and two better ones."""
    shape = (samples, 25, 6 if setting == "two better" else 8)
    values = draws.beta(1.2, 1.8, (samples, 25, 1)) + 0.1 * draws.standard_t(5, shape)
    if setting == "two better":
        values[..., 4:] += 0.3
    else:
        own = 0.02 * draws.standard_t(5, (samples, 25, 6))
        values[..., :6] = values[..., :1] + own
    return values


def list_results(values: np.ndarray, dataset: str) -> pd.DataFrame:
    """Return values by sample, topic and system as results: each sample is a measure."""
    index = pd.MultiIndex.from_product(
        [range(len(values)), map(str, range(values.shape[1])), SYSTEMS[: values.shape[2]]],
        names=["measure", "qid", "name"],
    )
    frame = pd.Series(values.ravel(), index, name="value").dropna().reset_index()
    return frame.assign(dataset=dataset, measure=frame["measure"].map("m{}".format))


def count_errors(results: pd.DataFrame, among: Any = SYSTEMS, **options: Any) -> float:
    """Return the share of samples in which any pair among some systems differs significantly."""
    pairs = pairwise(results, interval=False, resamples=1000, **options)
    pairs = pairs[pairs["name"].isin(among) & pairs["other"].isin(among)]
    if "dataset" in pairs:
        pairs = pairs[pairs["dataset"] == pairs["dataset"].iloc[-1]]  # the mean of all
    column = "equivalent" if "equivalent" in pairs else "better"
    return float(pairs.groupby("measure")[column].agg(lambda better: better.any()).mean())


def measure_paired(test: str, setting: str) -> float:
    """Return how often a paired test of four equal systems errs."""
    draws = np.random.default_rng(2026)
    samples = SLOW_SAMPLES if test == "tukey" else SAMPLES
    groups = GROUPS if setting == "groups" else None
    parts = [
        list_results(draw_paired(draws, samples, *size, groups), name)
        for name, size in PAIRED[setting].items()
    ]
    results = pd.concat(parts)
    options: dict[str, Any] = {"test": test}
    if len(parts) == 1:
        results = results.drop(columns="dataset")
    if setting == "groups":
        options["cluster"] = dict(zip(map(str, range(len(GROUPS))), GROUPS)).get
    if setting == "two baselines":
        options["baseline"] = ["A", "B"]
    if test == "equivalence":  # of two systems that differ by exactly the margin
        results = results[results["name"].isin(["A", "B"])]
        ahead = 0.2 * (results["name"] == "B")
        results = results.assign(value=results["value"] + ahead)
        options |= {"margin": 0.2, "baseline": None}
    return count_errors(results, **options)


def measure_unlike(test: str, setting: str) -> float:
    """Return how often a paired test calls systems different that are equal beside unlike ones."""
    samples = (SLOW_SAMPLES if test == "tukey" else SAMPLES) // 2  # of many pairs
    values = draw_unlike(np.random.default_rng(2026), samples, setting)
    results = list_results(values, "one").drop(columns="dataset")
    return count_errors(results, among=UNLIKE[setting], test=test)


def measure_unpaired(test: str, setting: str) -> float:
    """Return how often an unpaired test of two systems of equal mean errs."""
    draws = np.random.default_rng(2026)
    (first, spread), (second, other_spread) = UNPAIRED[setting]
    values = np.full((SAMPLES, first + second, 2), np.nan)
    values[:, :first, 0] = 0.5 + spread * draws.standard_t(5, (SAMPLES, first))
    values[:, first:, 1] = 0.5 + other_spread * draws.standard_t(5, (SAMPLES, second))
    return count_errors(list_results(values, "one").drop(columns="dataset"), test=test)


def measure_reading() -> float:
    """Return how often ``marks="reading"`` marks one of four equal systems beside a better one."""
    values = draw_paired(np.random.default_rng(2026), SAMPLES, *PAIRED["all pairs"]["one"])
    results = list_results(values, "one").drop(columns="dataset")
    better = results[results["name"] == "A"].assign(name="best")
    better["value"] += 0.3
    pairs = paper_table(pd.concat([results, better]), marks="reading").pairs
    assert pairs is not None
    equal = pairs[~pairs["name"].eq("best") & ~pairs["other"].eq("best")]
    return float(equal.groupby("measure")["better"].agg(lambda names: names.any()).mean())


def measure_table() -> float:
    """Return how often a table of five measures marks any of four equal systems, Holm-corrected.

    The measures are independent of each other, as no measures of the same rankings are.
    """
    values = draw_paired(np.random.default_rng(2026), SAMPLES, *PAIRED["all pairs"]["one"])
    results = list_results(values, "one").drop(columns="dataset")
    pairs = pairwise(results, interval=False)
    marked = (pairs["better"] != "").groupby(pairs["measure"], sort=False).any().to_numpy()
    return float(marked.reshape(-1, 5).any(axis=1).mean())


def measure_sparse(topics: int) -> float:
    """Return how often the 95% t interval contains the mean of differences that are mostly 0.

    They are 0 in 85% of the topics, elsewhere from 0 to 0.5, so that their mean is above 0.
    """
    draws = np.random.default_rng(2026)
    shape = (topics, 10 * SAMPLES)
    values = np.where(draws.random(shape) < 0.85, 0, draws.uniform(0, 0.5, shape))
    low, high = mean_intervals(Stratum(values, np.ones(topics)), method="t")
    mean = 0.15 * 0.25
    return float(((low <= mean) & (mean <= high)).mean())


def measure() -> list[tuple[str, ...]]:
    """Return the manual's table: a row for each test, a column for each setting."""
    rows = [("test", *PAIRED, *UNLIKE, *UNPAIRED)]
    for name, test in TESTS.items():
        shares = dict.fromkeys([*PAIRED, *UNLIKE, *UNPAIRED], "")
        for setting in PAIRED if test.paired else UNPAIRED:
            if setting == "groups" and not test.clusters:
                continue
            if setting == "two baselines" and name == "equivalence":
                continue
            share = (measure_paired if test.paired else measure_unpaired)(name, setting)
            shares[setting] = f"{share:.3f}"
        for setting in UNLIKE if test.paired and name != "equivalence" else ():
            shares[setting] = f"{measure_unlike(name, setting):.3f}"
        rows.append((f"``{name}``", *shares.values()))
    return rows


def main() -> None:
    """Write the manual's table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(measure())


if __name__ == "__main__":
    main()
