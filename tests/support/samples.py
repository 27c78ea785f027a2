"""Random data. Imports nothing of the package, so that it serves before and without its import."""

from __future__ import annotations

import random


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
