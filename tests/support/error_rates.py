"""How often tests call equal systems different, and intervals miss: by simulation.

The systems of a topic have the topic's difficulty and noise of their own, with the same
distribution for all, so that any significant pair is an error. The noise has a heavy tail, as
differences of measures like nDCG have. In two settings the systems are unlike: some are near copies
of each other, or two are better than the others, whose differences alone are counted then.

In the second table two systems are equal, and some documents of one of them are not judged.
Intervals are those of differences: of samples of the topics of `pydocs`, and of small differences
with a few large losses.

``python -m tests.support.error_rates`` writes the manual's tables; it takes some minutes.
"""

import csv
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pt_cumgain import evaluate, intervals, may_be_best, nDCG, pairwise, pydocs
from pt_cumgain.comparing._pairwise import TESTS

MEASURED = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured"
TABLE, INTERVALS = MEASURED / "errors.csv", MEASURED / "intervals.csv"
UNJUDGED = MEASURED / "unjudged.csv"
#: The numbers of topics of samples.
TOPICS = (5, 10, 25, 50)
#: The number of samples.
SAMPLES = 2000
#: What is simulated: by name, the topics and spread of each dataset.
PAIRED: dict[str, dict[str, tuple[int, float]]] = {
    "all pairs": {"one": (25, 0.1)},
    "two baselines": {"one": (25, 0.1)},
    "two datasets": {"one": (40, 0.05), "two": (10, 0.2)},
}
#: Systems that are unlike: by name, which of them are equal.
UNLIKE = {"near copies": "ABCDEFGH", "two better": "ABCD"}


def draw(draws: np.random.Generator, topics: int, spread: float) -> np.ndarray:
    """Return values of four equal systems by sample, topic and system."""
    noise = draws.standard_t(5, (SAMPLES, topics, 4))
    return draws.beta(1.2, 1.8, (SAMPLES, topics, 1)) + spread * noise


def list_results(values: np.ndarray, **columns: str) -> pd.DataFrame:
    """Return values by sample, topic and system as results: each sample is a measure."""
    index = pd.MultiIndex.from_product(
        [range(len(values)), map(str, range(values.shape[1])), [*"ABCDEFGH"][: values.shape[2]]],
        names=["measure", "qid", "name"],
    )
    frame = pd.Series(values.ravel(), index, name="value").reset_index()
    return frame.assign(measure=frame["measure"].map("m{}".format), **columns)


def count_errors(results: pd.DataFrame, among: str = "ABCDEFGH", **options: Any) -> float:
    """Return the share of samples in which any pair among some systems differs significantly."""
    pairs = pairwise(results, resamples=1000, **options)
    pairs = pairs[pairs["name"].isin([*among]) & pairs["other"].isin([*among])]
    if "dataset" in pairs:
        pairs = pairs[pairs["dataset"] == pairs["dataset"].iloc[-1]]  # the mean of all
    return float(pairs.groupby("measure")["better"].agg(lambda better: better.any()).mean())


def measure_paired(test: str, setting: str) -> float:
    """Return how often a test of four equal systems errs."""
    draws = np.random.default_rng(2026)
    parts = {name: draw(draws, *size) for name, size in PAIRED[setting].items()}
    if len(parts) == 1:
        results = list_results(parts["one"])
    else:
        results = pd.concat([list_results(part, dataset=name) for name, part in parts.items()])
    baseline = ["A", "B"] if setting == "two baselines" else None
    return count_errors(results, test=test, baseline=baseline)


def measure_unlike(test: str, setting: str) -> float:
    """Return how often a test calls systems different that are equal beside unlike ones.

    Six near copies and two others, or four systems and two better ones.
    """
    draws, samples = np.random.default_rng(2026), SAMPLES // 2
    shape = (samples, 25, 6 if setting == "two better" else 8)
    values = draws.beta(1.2, 1.8, (samples, 25, 1)) + 0.1 * draws.standard_t(5, shape)
    if setting == "two better":
        values[..., 4:] += 0.3
    else:
        values[..., :6] = values[..., :1] + 0.02 * draws.standard_t(5, (samples, 25, 6))
    return count_errors(list_results(values), among=UNLIKE[setting], test=test)


def measure_conover(correction: str | None) -> float:
    """Return how often Conover's test marks one of four equal systems beside a better one."""
    values = draw(np.random.default_rng(2026), *PAIRED["all pairs"]["one"])
    values = np.concatenate([values, values[..., :1] + 0.3], axis=2)
    options = {"test": "conover", "correction": correction}
    return count_errors(list_results(values), among="ABCD", **options)


def measure_unjudged(judged: float) -> float:
    """Return how often the t-test excludes one of two equal systems of which a share is judged.

    nDCG@10 of 50 topics, each with a share of relevant documents, of two levels, of its own.
    """
    draws, shape = np.random.default_rng(2026), (SAMPLES // 2, 50, 2, 10)
    relevant = draws.random(shape) < draws.beta(1.2, 1.8, (*shape[:2], 1, 1))
    levels = relevant * draws.integers(1, 3, shape)
    levels[:, :, 1] *= draws.random(levels[:, :, 1].shape) < judged
    inverse = 1 / np.log2(np.arange(2, 12))
    ideal = -np.sort(-levels.reshape(*shape[:2], 20))[..., :10] @ inverse
    values = levels @ inverse / np.maximum(ideal, 1e-9)[..., None]
    return float((stats.ttest_rel(values[..., 0], values[..., 1], axis=1).pvalue < 0.05).mean())


def list_unjudged() -> list[tuple[str, ...]]:
    """Return the manual's table of systems with unjudged documents."""
    shares = [1.0, 0.95, 0.9, 0.85, 0.8, 0.5]
    rates = [f"{100 * measure_unjudged(share):.0f}%" for share in shares]
    return [("judged", *(f"{share:.0%}" for share in shares)), ("excluded", *rates)]


def read_values() -> list[np.ndarray]:
    """Return the values of the systems of `pydocs` by topic and system, for each measure."""
    frames = [
        evaluate([nDCG @ 10, nDCG @ 100], pydocs.DATA / "qrels.txt", run).assign(name=name)
        for name, run in pydocs.runs().items()
    ]
    return [
        values.pivot(index="qid", columns="name", values="value").to_numpy()
        for _, values in pd.concat(frames).groupby("measure")
    ]


def find_ends(samples: np.ndarray, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the 95% interval of the mean of each sample."""
    if method == "t":
        found = intervals(list_results(samples[:, :, None]))
        return found["low"].to_numpy(), found["high"].to_numpy()
    ends = stats.bootstrap((samples,), np.mean, axis=1, n_resamples=1000, batch=50, rng=1)
    return ends.confidence_interval.low, ends.confidence_interval.high


def measure_coverage(populations: list[np.ndarray], method: str, topics: int) -> float:
    """Return how often an interval contains the mean of the differences that it samples."""
    draws, size = np.random.default_rng(2026), (SAMPLES // len(populations), topics)
    shares = []
    for differences in populations:
        low, high = find_ends(draws.choice(differences, size), method)
        shares.append(np.mean((low <= differences.mean()) & (differences.mean() <= high)))
    return float(np.mean(shares))


def measure_excluded(values: list[np.ndarray], topics: int) -> float:
    """Return how often `may_be_best` excludes a system although all have the same mean."""
    draws, size = np.random.default_rng(2026), (SAMPLES // len(values), topics)
    shares = []
    for equal in (each - each.mean(axis=0) for each in values):
        samples = equal[draws.integers(len(equal), size=size)]
        shares.append(1 - may_be_best(list_results(samples))["may_be_best"].mean())
    return float(np.mean(shares))


def measure_intervals() -> list[tuple[str, ...]]:
    """Return the manual's table on intervals: a column for each number of topics."""
    draws, values = np.random.default_rng(2026), read_values()
    losses = np.where(draws.random(100_000) < 0.05, -0.6, 0.0)
    populations = {
        "differences of pydocs": [
            each[:, a] - each[:, b] for each in values for a, b in combinations(range(5), 2)
        ],
        "rare losses": [losses + draws.normal(0, 0.02, len(losses))],
    }
    rows = [("interval", *(f"{topics} topics" for topics in TOPICS))]
    for name, differences in populations.items():
        for method in ("t", "BCa"):
            shares = [measure_coverage(differences, method, topics) for topics in TOPICS]
            rows.append((f"{method}, {name}", *(f"{share:.3f}" for share in shares)))
    excluded = [measure_excluded(values, topics) for topics in TOPICS]
    rows.append(("``may_be_best`` excludes a best system", *(f"{share:.3f}" for share in excluded)))
    return rows


def measure() -> list[tuple[str, ...]]:
    """Return the manual's table on tests: a row for each test, a column for each setting."""
    rows = [("test", *PAIRED, *UNLIKE)]
    for name in TESTS:
        shares = [measure_paired(name, setting) for setting in PAIRED]
        shares += [measure_unlike(name, setting) for setting in UNLIKE]
        rows.append((f"``{name}``", *(f"{share:.3f}" for share in shares)))
    return rows


if __name__ == "__main__":
    tables = {TABLE: measure(), UNJUDGED: list_unjudged(), INTERVALS: measure_intervals()}
    for path, rows in tables.items():
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
