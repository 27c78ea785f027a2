"""Warnings about scores of a run: infinite, rising, or contradicted by ranks."""

from __future__ import annotations

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints, Table
from pt_cumgain.engine.units import group_queries
from pt_cumgain.environment.warning import warn

#: In how many topics, the first ones, scores are compared with each other and with ranks.
RANKED_TOPICS = 100
#: How many rows in a topic show an order; two are in ascending order too often.
FEWEST_ROWS = 3
_RANKED = (
    f"(at most the first {RANKED_TOPICS} topics are compared); documents are ranked by score "
    "(highest first)"
)


def warn_of_scores(run: Table) -> None:
    """Warn of scores that look wrong, by themselves or beside the ranks.

    Those of a session are compared query by query, each as a topic of its own.
    """
    if run.position is not None:
        run, *_ = group_queries(run.select({*run.topics[:RANKED_TOPICS]}), run.position)
    _warn_of_infinite(run)
    topics = np.flatnonzero(np.diff(run.bounds[: RANKED_TOPICS + 1]) > 1).tolist()
    _warn_of_others(run, topics)
    if run.ranks is None:
        _warn_of_rising(run, topics)
    else:
        _warn_of_ranks(run, run.ranks, topics)


def _warn_of_infinite(run: Table) -> None:
    """Warn if a score is infinite."""
    positions = np.arange(run.bounds[: RANKED_TOPICS + 1][-1])
    infinite = np.flatnonzero(np.isinf(run.values[run.at(positions)]))
    if len(infinite):
        warn(f"a score is infinite: {run.as_read(infinite[:1], 'score')}")


def _warn_of_others(run: Table, topics: list[int]) -> None:
    """Warn if a column that is not read, such as the tag, differs within a topic."""
    for t in topics if run.others else ():
        told = run.tell_others(np.arange(*run.bounds[t : t + 2]))
        if told:
            read = run.as_read(run.bounds[t : t + 1], "score")
            warn(f"the rows of a topic may be of several runs: {read}{told}")
            return


def _warn_of_rising(run: Table, topics: list[int]) -> None:
    """Warn if the rows of every topic stand in ascending order of unequal scores."""
    longest = 0
    for t in topics:
        scores = run.values[run.at(np.arange(*run.bounds[t : t + 2]))]
        if scores.min() == scores.max() or (scores[1:] < scores[:-1]).any():
            return
        longest = max(longest, len(scores))
    if longest >= FEWEST_ROWS:
        warn(
            "the rows of each topic are in ascending order of score; are the scores distances or "
            f"ranks? {_RANKED}: {run.as_read(run.bounds[topics[:1]], 'score')}"
        )


def _warn_of_ranks(run: Table, ranks: Floats, topics: list[int]) -> None:
    """Warn if ranks order documents of unequal score, or all those of equal score, otherwise.

    Also warn if they seem to be the scores, and the scores the ranks.
    """
    contrary: list[str] = []
    exchanged: list[bool] = []
    flat, otherwise = True, False
    for t in topics:
        rows = run.at(np.arange(*run.bounds[t : t + 2]))
        rank, scores = ranks[rows], run.values[rows]
        if np.isnan(rank).any():
            continue
        rising = run.bounds[t] + _find_rising(rank, scores)
        if len(rising):
            contrary.append(run.as_read(rising, "score"))
        varies = rank.min() < rank.max()
        exchanged.append(varies and _count_up(scores) and not _count_up(rank))
        flat &= scores.min() == scores.max()
        if flat:
            docs = run.docs.take(rows[np.argsort(rank, kind="stable")])
            otherwise |= varies and docs != sorted(docs, reverse=True)
    if contrary:
        warn(
            f"in {len(contrary)} of {len(topics)} topics the column rank orders documents of "
            f"unequal score differently {_RANKED}: {contrary[0]}"
        )
    elif exchanged and all(exchanged):
        warn(
            "the scores of each topic count up from 0 or 1, but the ranks do not; were the two "
            f"fields exchanged? {_RANKED}: {run.as_read(run.bounds[topics[:1]], 'score')}"
        )
    elif flat and otherwise:
        warn(
            "all scores within each topic are equal, so documents are ranked by descending id; the "
            "column rank, which has a different order, is ignored: "
            f"{run.as_read(run.bounds[topics[:1]], 'score')}"
        )


def _find_rising(rank: Floats, scores: Floats) -> Ints:
    """Return the positions of two neighbours by rank of which the second has a higher score.

    There are none if ranks order the rows as scores do.
    """
    order = np.lexsort((-scores, rank))
    ordered = scores[order]
    rising = np.flatnonzero(ordered[1:] > ordered[:-1])[:1]
    return order[[*rising, *(rising + 1)]]


def _count_up(values: Floats) -> bool:
    """Return whether values are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
    first = values.min()
    return first in (0, 1) and np.array_equal(np.sort(values), first + np.arange(len(values)))
