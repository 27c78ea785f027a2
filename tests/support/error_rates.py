"""How often tests call equal systems different: on values that this module generates.

The systems of a topic have the topic's difficulty and noise of their own, with the same
distribution for all, so that any significant pair is an error. The noise has a heavy tail, as
differences of measures like nDCG have. In two settings the systems are unlike: some are near copies
of each other, or two are better than the others, whose differences alone are counted then.

In the second table two systems are equal, and some documents of one of them are not judged.

``python -m tests.support.error_rates`` writes the manual's tables; it takes some minutes.
"""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel

from pt_cumgain import pairwise
from pt_cumgain.comparing._pairwise import TESTS

TABLE = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured" / "errors.csv"
UNJUDGED = TABLE.with_name("unjudged.csv")
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
    return float((ttest_rel(values[..., 0], values[..., 1], axis=1).pvalue < 0.05).mean())


def list_unjudged() -> list[tuple[str, ...]]:
    """Return the manual's table of systems with unjudged documents."""
    shares = [1.0, 0.95, 0.9, 0.85, 0.8, 0.5]
    rates = [f"{100 * measure_unjudged(share):.0f}%" for share in shares]
    return [("judged", *(f"{share:.0%}" for share in shares)), ("excluded", *rates)]


def measure() -> list[tuple[str, ...]]:
    """Return the manual's table: a row for each test, a column for each setting."""
    rows = [("test", *PAIRED, *UNLIKE)]
    for name in TESTS:
        shares = [measure_paired(name, setting) for setting in PAIRED]
        shares += [measure_unlike(name, setting) for setting in UNLIKE]
        rows.append((f"``{name}``", *(f"{share:.3f}" for share in shares)))
    return rows


if __name__ == "__main__":
    for path, rows in ((UNJUDGED, list_unjudged()), (TABLE, measure())):
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
