"""Runs and qrels of the shapes that matter, from a fixed seed, and measures.

Every call makes new string objects: a string remembers its hash, so a run that was evaluated
before would be cheaper the second time than any run a user comes with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pt_cumgain import nDCG

MAPPINGS = [{2: 1, 3: 1}, {2: 2, 3: 4}, {2: 10, 3: 100}, {1: 0, 2: 0, 3: 1}]
GRID = [nDCG(gains=gains) @ k for gains in MAPPINGS for k in (1, 5, 10, 20, 100, 1000)]
GRID_48 = [*GRID, *(measure(discount="original") for measure in GRID)]


@dataclass(frozen=True)
class Workload:
    """Topics × documents a topic × runs, with ``judged`` documents a topic, half of them found."""

    name: str
    topics: int
    documents: int
    runs: int
    judged: int
    levels: int = 4

    def __str__(self) -> str:
        runs = f"{self.runs} run{'s' * (self.runs > 1)}"
        return (
            f"{self.name}: {runs} of {self.topics:,} topics × {self.documents:,} documents, "
            f"{self.judged} judged a topic"
        )

    def scaled(self, topics: int, documents: int | None = None) -> Workload:
        """Return the same shape with fewer topics, and documents of each."""
        return replace(self, topics=topics, documents=documents or self.documents)

    def make(self, seed: int = 0) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
        """Return qrels and runs, sorted by topic and descending score."""
        rng = np.random.default_rng(seed)
        runs = []
        for _ in range(self.runs):
            docs = np.argsort(rng.random((self.topics, 4 * self.documents)))[:, : self.documents]
            scores = -np.sort(-rng.random((self.topics, self.documents)) * 30)
            topics = strings(np.repeat(np.arange(self.topics), self.documents), 1_000_000)
            columns = {"query_id": topics, "doc_id": strings(docs.ravel(), 5_000_000)}
            runs.append(pd.DataFrame({**columns, "score": scores.ravel()}))
        judged = np.argsort(rng.random((self.topics, 2 * self.documents)))[:, : self.judged]
        low = 1 if self.judged == 1 else 0
        qrels = pd.DataFrame(
            {
                "query_id": strings(np.repeat(np.arange(self.topics), self.judged), 1_000_000),
                "doc_id": strings(judged.ravel(), 5_000_000),
                "relevance": rng.integers(low, self.levels, judged.size),
            }
        )
        return qrels, runs


def strings(numbers: np.ndarray, base: int) -> np.ndarray:
    """Return ids as new string objects; equal neighbours share one, as a reader would make them."""
    values = (numbers + base).tolist()
    out = np.empty(len(values), dtype=object)
    last, text = None, ""
    for i, value in enumerate(values):
        if value != last:
            last, text = value, str(value)
        out[i] = text
    return out


S = Workload("S", topics=50, documents=1000, runs=5, judged=200)
M = Workload("M", topics=200, documents=1000, runs=1, judged=200)
L = Workload("L", topics=6980, documents=1000, runs=1, judged=1)
L2 = Workload("L2", topics=6980, documents=1000, runs=1, judged=50)
