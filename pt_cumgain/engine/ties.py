"""The gain at each rank, by the rule for documents of equal score."""

from __future__ import annotations

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import Gains, Hits, by_rank
from pt_cumgain.engine.rows import Ints, bounds_of, equal_rows


def rank_gains(hits: Hits, gain: Floats, ties: str, reach: Ints | None) -> Gains:
    """Return the gains of a run, topic by topic, in the order of ranks.

    Parameters
    ----------
    hits
        The judged documents that it returned, topic by topic in the order of ranks.
    gain
        The gain of each level.
    ties
        The rule, one of :data:`pt_cumgain.core.TIES`.
    reach
        The last rank that matters, by topic; None: all matter. Gains beyond it may be missing.
    """
    gains = Gains(hits.topic, hits.rank, hits.level, gain[hits.level])
    if ties == "doc_id":
        return gains
    if ties == "average":
        gains = _expected(hits, gain, reach)
    else:
        gains = gains._replace(rank=_in_order_of_gain(hits, gains.gain, best=ties == "best"))
    return by_rank(gains)


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
        place = np.arange(len(order)) - np.repeat(first, size)
        rank[order] = hits.above[order] + 1 + place if sign > 0 else hits.last[order] - place
    return rank


def _expected(hits: Hits, gain: Floats, reach: Ints | None) -> Gains:
    """Return the mean gain of each rank over all orders of the tied documents.

    McSherry & Najork, ECIR 2008: a document of gain g in a block of n has the gain g / n at each of
    the block's ranks.
    """
    kept = hits.where(gain[hits.level] != 0)
    kept = kept.where(np.lexsort((kept.level, kept.above, kept.topic)))
    first, count = equal_rows(kept.topic, kept.above, kept.level)
    blocks = kept.where(first)  # documents of one level in a block stand for all of them
    last = blocks.last
    if reach is not None:
        last = np.maximum(np.minimum(last, reach[blocks.topic]), blocks.above)
    ranks = last - blocks.above
    each = np.repeat(np.arange(len(first)), ranks)
    rank = blocks.above[each] + 1 + np.arange(len(each)) - bounds_of(ranks)[each]
    mean = count * gain[blocks.level] / (blocks.last - blocks.above)
    return Gains(blocks.topic[each], rank, blocks.level[each], mean[each])
