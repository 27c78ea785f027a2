"""How far missing judgments could move a value: its exact range.

The unjudged documents among a run's first k ranks could each have the gain 0 or that of any level
of the qrels. For CG and DCG that moves the run's own gains alone. For nCG and nDCG what is found
relevant also joins the recall base, so that neither all nor none of it being relevant is extreme.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import Gains
from pt_cumgain.engine.rows import Ints
from pt_cumgain.measures import Spec

#: More rounds than Dinkelbach's method takes; it converges faster than Newton's.
ROUNDS = 100


class Range(NamedTuple):
    """The range of values of some topics, and the share of the ranks that is judged."""

    low: Floats
    high: Floats
    judged: Floats

    def around(self, value: Floats) -> Range:
        """Return the range so that the value, which has other rounding, lies inside.

        Where all is judged, or nothing was returned, it is the value alone.
        """
        low, high = (np.where(self.judged < 1, end, value) for end in self[:2])
        return Range(np.minimum(low, value), np.maximum(high, value), self.judged)


def share_judged(ranks: Ints, topic: Ints, lengths: Ints, reach: Ints) -> Floats:
    """Return the share of each topic's first ranks that is judged, NaN if there are none.

    Parameters
    ----------
    ranks, topic
        Where the run has judged documents.
    lengths
        The number of documents that it returned for each topic.
    reach
        The last rank that counts of each topic.
    """
    judged = np.bincount(topic[ranks <= reach[topic]], minlength=len(lengths))
    with np.errstate(invalid="ignore"):
        return np.asarray(judged / np.minimum(lengths, reach))


def compute_bounds(
    spec: Spec, gains: Floats, run: Gains, ideal: Gains, lengths: Ints, topics: slice, cutoffs: Ints
) -> Range:
    """Return the ranges with the cutoffs from 1 to a depth, each of the shape (topics, depth)."""
    of_cutoffs = [
        bounds(spec.replace(cutoff=int(k)), gains, run, ideal, lengths, topics) for k in cutoffs
    ]
    return Range(*(np.stack(columns, axis=1) for columns in zip(*of_cutoffs)))


def bounds(
    spec: Spec, gains: Floats, run: Gains, ideal: Gains, lengths: Ints, topics: slice
) -> Range:
    """Return the ranges of a measure's values, one for each topic.

    Parameters
    ----------
    spec
        Of CG, DCG, nCG or nDCG, without ``at_r``, ``judged_only``, ``ties``, and without
        ``avg_pos`` if it is normalised.
    gains
        The gains that an unjudged document could have besides 0.
    run, ideal
        What stands at the ranks of the run and of the ideal ranking of these topics.
    lengths
        The number of documents that the run returned for each of them.
    topics
        Which topics these are.
    """
    depth = int(min(spec.cutoff or np.inf, lengths.max()))
    k = np.minimum(lengths, depth)
    ranks = np.arange(1, depth + 1)
    weights = 1 / core.discounts(ranks, spec.discount, spec.base)
    if spec.avg_pos:  # the gain of rank i is in the vector from i on
        cutoff = float(spec.cutoff)
        weights *= (cutoff - ranks + 1) / cutoff
    if spec.normalised:  # a power of 2, which changes no digit, keeps sums of huge gains finite
        _, exponent = np.frexp(gains.max())
        gains = np.ldexp(gains, -exponent)
        run, ideal = (part._replace(gain=np.ldexp(part.gain, -exponent)) for part in (run, ideal))
    judged = np.zeros((len(k), depth), dtype=bool)
    within = run.rank <= depth
    judged[run.topic[within] - topics.start, run.rank[within] - 1] = True
    unjudged = ~judged & (ranks <= k[:, None])
    share = share_judged(run.rank, run.topic - topics.start, lengths, k)
    here = run.where(within)
    of_rank = here.gain * weights[here.rank - 1]
    own = np.bincount(here.topic - topics.start, of_rank, len(k)).astype(np.float64)
    if not spec.normalised:
        extra = unjudged @ weights
        most, least = gains.max(initial=0.0), gains.min(initial=0.0)
        return Range(own + least * extra, own + most * extra, share)
    steps = _Steps(spec, gains, ideal, topics, own, unjudged, weights)
    return Range(steps.extreme(-1), steps.extreme(1), share)


class _Steps:
    """A normalised value as a function of how many unjudged documents reach each gain.

    With the distinct gains w_1 < w_2 < ... and C_1 >= C_2 >= ... unjudged documents of at least
    these gains, the run has ``own + sum (w_l - w_(l-1)) P(C_l)`` and the ideal ranking
    ``sum (w_l - w_(l-1)) S(n_l + C_l)``; n_l documents of the recall base have a gain of at least
    w_l. P sums the discounts' inverses over the topmost (lowest) unjudged ranks, S over the first
    ranks, down to the cutoff.
    """

    def __init__(
        self,
        spec: Spec,
        gains: Floats,
        ideal: Gains,
        topics: slice,
        own: Floats,
        unjudged: NDArray[np.bool_],
        weights: Floats,
    ) -> None:
        self._own, self._counts = own, unjudged.sum(axis=1)
        most = int(self._counts.max())
        chosen = np.argsort(~unjudged, kind="stable")[:, :most]
        first = np.take_along_axis(unjudged * weights, chosen, axis=1)
        self._top = np.cumsum(np.pad(first, [(0, 0), (1, 0)]), axis=1)
        self._number = np.arange(most + 1)
        left = np.maximum(self._counts[:, None] - self._number, 0)
        self._lowest = self._top[:, -1:] - np.take_along_axis(self._top, left, axis=1)
        levels = np.unique(np.append(gains, 0.0))
        self._steps = np.diff(levels)
        recall = [
            np.bincount(ideal.topic[ideal.gain >= w] - topics.start, minlength=len(own))
            for w in levels[1:]
        ]
        last = int(max((n.max() for n in recall), default=0)) + most
        last = min(spec.cutoff or last, last)
        inverse = 1 / core.discounts(np.arange(last) + 1, spec.discount, spec.base)
        sums = np.concatenate([[0.0], np.cumsum(inverse)])
        self._ideal = [sums[np.minimum(n[:, None] + self._number, last)] for n in recall]

    def extreme(self, sign: int) -> Floats:
        """Return the largest (sign 1) or smallest (sign -1) values, by Dinkelbach's method."""
        ranks = self._top if sign > 0 else self._lowest
        none = np.zeros(len(self._own), dtype=np.int64)
        ratio = self._ratio(ranks, [none] * len(self._steps))
        for _ in range(ROUNDS):
            better = self._ratio(ranks, self._best(ranks, ratio, sign))
            closer = sign * (better - ratio) > 1e-15
            if not closer.any():
                break
            ratio = np.where(closer, better, ratio)
        return ratio

    def _ratio(self, ranks: Floats, counts: list[Ints]) -> Floats:
        """Return the values where so many unjudged documents reach each gain."""
        topic = np.arange(len(self._own))
        of_run, of_ideal = self._own.copy(), np.zeros(len(topic))
        for step, ideal, count in zip(self._steps, self._ideal, counts):
            of_run += step * ranks[topic, count]
            of_ideal += step * ideal[topic, count]
        return np.divide(of_run, of_ideal, out=np.zeros(len(topic)), where=of_ideal > 0)

    def _best(self, ranks: Floats, ratio: Floats, sign: int) -> list[Ints]:
        """Return the counts that make the run less ``ratio`` times the ideal extreme."""
        total = np.zeros(ranks.shape)
        at = []
        for step, ideal in zip(self._steps[::-1], self._ideal[::-1]):  # C_l >= C_(l+1)
            total = total + sign * step * (ranks - ratio[:, None] * ideal)
            highest = np.maximum.accumulate(total, axis=1)
            at.append(np.maximum.accumulate(np.where(total == highest, self._number, 0), axis=1))
            total = highest
        counts, count = [], self._counts
        for places in reversed(at):
            count = np.take_along_axis(places, count[:, None], axis=1)[:, 0]
            counts.append(count)
        return counts
