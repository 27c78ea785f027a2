"""Data that several tests share: three small systems, results, curves, and random data.

Nothing of the package is imported here, so the data serves before and without its import.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

#: Judgments of three topics; the levels -1, 1 and 2 are in them.
QRELS = {"1": {"a": 2, "b": 1, "c": 2, "n": -1}, "2": {"a": 1}, "3": {"z": 1}}
#: Three systems without a document for topic 3; x and y are not judged, and Z has ties.
SYSTEMS = {
    "X": {"1": {"x": 9.0, "a": 8.0, "y": 7.0, "b": 6.0}, "2": {"x": 2.0, "a": 1.0}},
    "Y": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "y": 1.0}},
    "Z": {"1": {"a": 1.0, "x": 1.0, "c": 1.0, "b": 1.0, "y": 0.5}, "2": {"a": 1.0}},
}


def results_of(values: Mapping[Any, Sequence[float]], measure: str = "m") -> pd.DataFrame:
    """Return results by topic from the values of each system in topics 0, 1, ..."""
    rows = [(name, str(q), measure, v) for name, of in values.items() for q, v in enumerate(of)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return frame.astype({"value": float})


def as_results(matrix: Any, measure: str = "m", names: str = "ABCDEFG") -> pd.DataFrame:
    """Return results by topic from a matrix, whose rows are topics and whose columns systems."""
    return results_of(dict(zip(names, np.transpose(matrix))), measure)


def made_up(systems: int, measures: Mapping[str, float], topics: int = 9) -> pd.DataFrame:
    """Return random results of systems with long names, each better by 0.05 than the one before.

    ``measures`` maps each measure to its lowest value.
    """
    draws = np.random.default_rng(1)
    rows = [
        (f"system-{i}_of a long name", str(q), measure, level + i / 20 + draws.random() / 5)
        for measure, level in measures.items()
        for i in range(systems)
        for q in range(topics)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def curve_of(
    values: Sequence[float],
    ideal: Sequence[float] | None = None,
    name: str = "X",
    measure: str = "CG",
) -> pd.DataFrame:
    """Return a gain curve with these values at ranks 1, 2, ..., and its ideal if it has one."""
    ranks = range(1, len(values) + 1)
    curve = pd.DataFrame({"name": name, "measure": measure, "rank": ranks, "value": values})
    return curve if ideal is None else curve.assign(ideal=ideal)


def random_data(seed: int, topics: int = 6, docs: int = 60) -> tuple[dict, dict]:
    """Qrels with labels -2 to 4 and a run with many ties; scores are exact as float32."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(docs)]
    qrels = {
        str(t): {d: rng.randint(-2, 4) for d in rng.sample(names, rng.randint(1, docs))}
        for t in range(topics)
    }
    for labels in qrels.values():  # pytrec_eval crashes on a topic with negative labels only
        labels[next(iter(labels))] = rng.randint(1, 4)
    run = {
        str(t): {d: rng.randint(0, 12) / 4 for d in rng.sample(names, rng.randint(1, docs))}
        for t in range(1, topics + 2)  # one topic of the qrels is missed, one is not in them
    }
    return qrels, run
