"""Warnings about the ranks of a run that contradict its scores."""

from __future__ import annotations

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Table
from pt_cumgain.environment.warning import warn

#: In how many topics, the first ones, ranks are compared with scores.
RANKED_TOPICS = 100
_DECREASING = "give the run decreasing scores, for example by run.assign(score=-run['rank'])"


def warn_of_ranks(run: Table, ranks: Floats) -> None:
    """Warn if ranks order documents of unequal score, or all those of equal score, otherwise.

    Also warn if they seem to be the scores, and the scores the ranks.
    """
    topics = np.flatnonzero(np.diff(run.bounds[: RANKED_TOPICS + 1]) > 1).tolist()
    contrary, example, flat, otherwise, exchanged = 0, "", True, False, list[bool]()
    for t in topics:
        rows = run.at(np.arange(*run.bounds[t : t + 2]))
        rank, scores = ranks[rows], run.values[rows]
        if np.isnan(rank).any():
            continue
        order = rows[np.lexsort((-scores, rank))]
        ordered = run.values[order]
        rising = np.flatnonzero(ordered[1:] > ordered[:-1])
        if len(rising):
            contrary += 1
            later, earlier = run.docs.take(order[rising[0] : rising[0] + 2])
            example = example or f"{earlier!r} before {later!r} in topic {run.topics[t]!r}"
        varies = rank.min() < rank.max()
        exchanged.append(varies and _count_up(scores) and not _count_up(rank))
        flat &= scores.min() == scores.max()
        if flat:
            docs = run.docs.take(rows[np.argsort(rank, kind="stable")])
            otherwise |= varies and docs != sorted(docs, reverse=True)
    if contrary:
        warn(
            f"in {contrary} of {len(topics)} topics the column rank orders documents of unequal "
            f"score differently (at most the first {RANKED_TOPICS} topics are compared); documents "
            f"are ranked by score (highest first), for example {example}; if the ranks are right, "
            f"{_DECREASING}"
        )
    elif exchanged and all(exchanged):
        warn(
            "the scores of each topic are the numbers from 0 or 1 on, and the ranks are not: are "
            f"they in each other's field? (at most the first {RANKED_TOPICS} topics are compared); "
            "documents are ranked by score (highest first)"
        )
    elif flat and otherwise:
        warn(
            "all scores within each topic are equal; documents are ranked by score (ties by "
            "descending document id), so the column rank, which has a different order, is ignored; "
            f"{_DECREASING}"
        )


def _count_up(values: Floats) -> bool:
    """Return whether values are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
    ordered = np.sort(values)
    return bool(ordered[0] in (0, 1) and (np.diff(ordered) == 1).all())
