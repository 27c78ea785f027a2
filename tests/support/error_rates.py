"""How often tests call equal systems different: on values that this module generates.

The systems of a topic have the topic's difficulty and noise of their own, with the same
distribution for all, so that any significant pair is an error. The noise has a heavy tail, as
differences of measures like nDCG have. In two settings the systems are unlike: some are near copies
of each other, or two are better than the others, whose differences alone are counted then.

``python -m tests.support.error_rates`` writes the manual's table; it takes some minutes.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain import pairwise
from pt_cumgain.comparing.pairs import TESTS

TABLE = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured" / "errors.csv"
SYSTEMS = tuple("ABCDEFGH")
#: The number of samples.
SAMPLES = 2000
#: What is simulated: by name, the topics and spread of each dataset.
PAIRED: dict[str, dict[str, tuple[int, float]]] = {
    "all pairs": {"one": (25, 0.1)},
    "two baselines": {"one": (25, 0.1)},
    "two datasets": {"one": (40, 0.05), "two": (10, 0.2)},
}
#: Systems that are unlike: by name, which of them are equal.
UNLIKE: dict[str, list[str]] = {"near copies": list("ABCDEFGH"), "two better": list("ABCD")}


def draw_paired(draws: np.random.Generator, samples: int, topics: int, spread: float) -> np.ndarray:
    """Return values by sample, topic and system."""
    noise = draws.standard_t(5, (samples, topics, 4))
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
    pairs = pairwise(results, resamples=1000, **options)
    pairs = pairs[pairs["name"].isin(among) & pairs["other"].isin(among)]
    if "dataset" in pairs:
        pairs = pairs[pairs["dataset"] == pairs["dataset"].iloc[-1]]  # the mean of all
    return float(pairs.groupby("measure")["better"].agg(lambda better: better.any()).mean())


def measure_paired(test: str, setting: str) -> float:
    """Return how often a test of four equal systems errs."""
    draws = np.random.default_rng(2026)
    parts = [
        list_results(draw_paired(draws, SAMPLES, *size), name)
        for name, size in PAIRED[setting].items()
    ]
    results = pd.concat(parts)
    if len(parts) == 1:
        results = results.drop(columns="dataset")
    baseline = ["A", "B"] if setting == "two baselines" else None
    return count_errors(results, test=test, baseline=baseline)


def measure_unlike(test: str, setting: str) -> float:
    """Return how often a test calls systems different that are equal beside unlike ones."""
    values = draw_unlike(np.random.default_rng(2026), SAMPLES // 2, setting)  # of many pairs
    results = list_results(values, "one").drop(columns="dataset")
    return count_errors(results, among=UNLIKE[setting], test=test)


def measure_conover(correction: str | None) -> float:
    """Return how often Conover's test marks one of four equal systems beside a better one."""
    values = draw_paired(np.random.default_rng(2026), SAMPLES, *PAIRED["all pairs"]["one"])
    results = list_results(values, "one").drop(columns="dataset")
    better = results[results["name"] == "A"].assign(name="best")
    better["value"] += 0.3
    return count_errors(
        pd.concat([results, better]), among="ABCD", test="conover", correction=correction
    )


def measure() -> list[tuple[str, ...]]:
    """Return the manual's table: a row for each test, a column for each setting."""
    rows = [("test", *PAIRED, *UNLIKE)]
    for name in TESTS:
        shares = [measure_paired(name, setting) for setting in PAIRED]
        shares += [measure_unlike(name, setting) for setting in UNLIKE]
        rows.append((f"``{name}``", *(f"{share:.3f}" for share in shares)))
    return rows


def main() -> None:
    """Write the manual's table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(measure())


if __name__ == "__main__":
    main()
