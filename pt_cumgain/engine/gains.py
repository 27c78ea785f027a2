"""The gain at each rank of lists: of topics, or of the queries of sessions.

Those of a run follow from its hits, by the rule for documents of equal score; those of the ideal
ranking from the judgments. Unjudged documents that gain something are added to both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import NO_LEVEL, Gains, Hits, by_rank, join_columns
from pt_cumgain.engine.rows import Ints, bounds_of, equal_rows, rank_within


def rank_judged(hits: Hits, judged: NDArray[np.bool_]) -> Hits:
    """Rank the judged documents of each list among themselves.

    The hits are in the order of ranks; ``judged`` says which levels are judgments.
    """
    hits = hits.where(judged[hits.level])
    rank = rank_within(hits.topic)
    first, size = equal_rows(hits.topic, hits.above)
    above = np.repeat(rank[first] - 1, size)
    return hits._replace(rank=rank, above=above, last=above + np.repeat(size, size))


def equal_gains(gain: float, depth: Ints) -> Gains:
    """Return a gain of no level at the ranks of each list down to its depth."""
    row = np.repeat(np.arange(len(depth)), depth)
    return Gains(row, rank_within(row), np.full(len(row), NO_LEVEL), np.full(len(row), float(gain)))


def add_unjudged(gains: Gains, unjudged: float, depth: Ints) -> Gains:
    """Add the gain of an unjudged document at the ranks of each list down to its depth.

    At the ranks of judged documents, ``gains`` also take this gain away. It is added before them,
    so that the gain of a judged document loses no digits.
    """
    return by_rank(join_columns([equal_gains(unjudged, depth), gains])) if unjudged else gains


def rank_best(ideal: Gains, unjudged: float, depth: Ints) -> Gains:
    """Return the ideal ranking, with the unjudged documents that follow better ones."""
    if unjudged <= 0:
        return ideal
    better = ideal.where(ideal.gain > unjudged)
    lost = better._replace(gain=np.full_like(better.gain, -unjudged))
    return add_unjudged(join_columns([lost, better]), unjudged, depth)


def take_first(gains: Gains, units: Ints, depth: Ints) -> Gains:
    """Return the first gains of some units, each down to its depth, as those of lists."""
    begin, end = (np.searchsorted(gains.row, units, side) for side in ("left", "right"))
    row = np.repeat(np.arange(len(units)), np.minimum(end - begin, depth))
    return gains.where(begin[row] + rank_within(row) - 1)._replace(row=row)


def rank_gains(hits: Hits, gain: Floats, ties: str, reach: Ints, unjudged: float) -> Gains:
    """Return the gains of a run, topic by topic, in the order of ranks.

    If unjudged documents gain something, what is lost of it at these ranks comes first.

    Parameters
    ----------
    hits
        The judged documents that it returned, topic by topic in the order of ranks.
    gain
        The gain of each level.
    ties
        The rule, one of :data:`pt_cumgain.core.TIES`.
    reach
        The last rank that matters, by topic. Gains beyond it may be missing.
    unjudged
        The gain of an unjudged document.
    """
    if unjudged:  # a judged document of this gain changes nothing
        hits = hits.where(gain[hits.level] != unjudged)
    if ties in ("best", "worst"):
        more = gain[hits.level] - unjudged
        hits = hits._replace(rank=_in_order_of_gain(hits, more, best=ties == "best"))
    parts = []
    for each in [np.full_like(gain, -unjudged), gain] if unjudged else [gain]:
        plain = Gains(hits.topic, hits.rank, hits.level, each[hits.level])
        parts.append(_average_over_orders(hits, each, reach) if ties == "average" else plain)
    gains = join_columns(parts)
    return gains if ties == "doc_id" else by_rank(gains)


def _in_order_of_gain(hits: Hits, gain: Floats, *, best: bool) -> Ints:
    """Return the ranks if tied documents are in descending or ascending order of gain.

    Unjudged documents gain 0, so documents with positive and negative gains are at the two ends of
    a block. (Judged documents of gain 0 keep their ranks, which changes no value.)
    """
    gain = gain if best else -gain
    rank = hits.rank.copy()
    for sign in (1, -1):  # from the first rank of the block on, then from the last one back
        order = np.flatnonzero(sign * gain > 0)
        order = order[np.lexsort((-sign * gain[order], hits.above[order], hits.topic[order]))]
        first, size = equal_rows(hits.topic[order], hits.above[order])
        shift = np.arange(len(order)) - np.repeat(first, size)
        rank[order] = hits.above[order] + 1 + shift if sign > 0 else hits.last[order] - shift
    return rank


def _average_over_orders(hits: Hits, gain: Floats, reach: Ints) -> Gains:
    """Return the mean gain of each rank over all orders of the tied documents.

    McSherry & Najork, ECIR 2008: a document of gain g in a block of n has the gain g / n at each of
    the block's ranks.
    """
    kept = hits.where(gain[hits.level] != 0)
    kept = kept.where(np.lexsort((kept.level, kept.above, kept.topic)))
    first, count = equal_rows(kept.topic, kept.above, kept.level)
    blocks = kept.where(first)  # documents of one level in a block stand for all of them
    last = np.maximum(np.minimum(blocks.last, reach[blocks.topic]), blocks.above)
    ranks = last - blocks.above
    each = np.repeat(np.arange(len(first)), ranks)
    rank = blocks.above[each] + 1 + np.arange(len(each)) - bounds_of(ranks)[each]
    mean = count * gain[blocks.level] / (blocks.last - blocks.above)
    return Gains(blocks.topic[each], rank, blocks.level[each], mean[each])
