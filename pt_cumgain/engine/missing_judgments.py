"""How far missing judgments could change a value, or a difference of two: its exact range.

Each unjudged document could have the gain 0 or that of any level of the qrels. For CG and DCG only
those among a run's first k ranks matter. For nCG and nDCG, every document found relevant joins the
recall base, wherever it is, so the extremes need not be where all or none of them are relevant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.core import Floats, divide_or_zero
from pt_cumgain.engine.judging import Gains, rank_within
from pt_cumgain.engine.rows import Ints
from pt_cumgain.engine.vectors import divisors
from pt_cumgain.measures import Spec

#: More rounds than Dinkelbach's method needs: Newton's method for the x at which max(N - x D) is 0.
ROUNDS = 100


class Range(NamedTuple):
    """The ranges of some topics' values, and the share of their ranks that is judged."""

    low: Floats
    high: Floats
    judged: Floats

    def around(self, value: Floats) -> Range:
        """Return the range, widened if rounding has put the value outside it."""
        low, high = np.minimum(self.low, value), np.maximum(self.high, value)
        return Range(low, high, self.judged)


def share_judged(ranks: Ints, topic: Ints, lengths: Ints, reach: Ints) -> Floats:
    """Return the share of each topic's first ranks that is judged, NaN if there are none.

    Parameters
    ----------
    ranks, topic
        The ranks and topics of the run's judged documents.
    lengths
        The number of documents that it returned for each topic.
    reach
        The last rank that counts, for each topic.
    """
    judged = np.bincount(topic[ranks <= reach[topic]], minlength=len(lengths))
    with np.errstate(invalid="ignore"):
        return np.asarray(judged / np.minimum(lengths, reach))


def compute_bounds(
    spec: Spec,
    gains: Floats,
    run: Gains,
    ideal: Gains,
    lengths: Ints,
    topics: slice,
    cutoffs: Ints,
) -> Range:
    """Return the ranges of a measure's values at some cutoffs, of shape (topics, cutoffs).

    Any document may be relevant that is not judged, whether or not the run returned it. An end that
    is the value itself is infinite.

    Parameters
    ----------
    spec
        Of CG, DCG, nCG or nDCG, without ``at_r``, ``judged_only``, ``ties``, and without
        ``avg_pos`` if it is normalised. Its own cutoff is ignored.
    gains
        The gains that an unjudged document could have besides 0.
    run, ideal
        The gains at the ranks of the run and of the ideal ranking, for these topics.
    lengths
        The number of documents that the run returned for each of them.
    topics
        The slice of the topics.
    cutoffs
        The last rank that counts; if the measure is not normalised, the largest integer stands for
        the list's end.
    """
    depth = int(min(cutoffs.max(), lengths.max()))
    last = np.minimum(cutoffs, depth)
    ranks = np.arange(depth + 1)  # with a rank 0, where all sums are 0
    weights = np.append(0.0, 1 / divisors(spec, ranks[1:]))
    if spec.normalised:  # scaling by a power of 2 is exact; it keeps sums of huge gains finite
        _, exponent = np.frexp(gains.max())
        gains = np.ldexp(gains, -exponent)
        run, ideal = (part._replace(gain=np.ldexp(part.gain, -exponent)) for part in (run, ideal))

    def cumulate(weights: Floats) -> Floats:
        """Return the sum down to each cutoff, or with ``avg_pos`` the mean of the sums."""
        sums = np.cumsum(weights, axis=1)
        if not spec.avg_pos:
            return np.asarray(sums[:, last])
        total = np.cumsum(sums, axis=1)[:, last] + (cutoffs - last) * sums[:, last]
        return np.asarray(total / cutoffs)

    run = run.where(run.rank <= depth)
    place = run.topic - topics.start, run.rank
    gain, judged = np.zeros((2, len(lengths), depth + 1))
    gain[place], judged[place] = run.gain, 1
    unjudged = (judged == 0) & (ranks > 0) & (ranks <= lengths[:, None])
    with np.errstate(invalid="ignore"):  # where nothing was returned
        share = np.cumsum(judged, axis=1)[:, last] / np.minimum(lengths[:, None], cutoffs)
    own = cumulate(gain * weights)
    if spec.normalised:
        steps = _Steps(spec, gains, ideal, topics, own, unjudged, cutoffs)
        low, high = steps.lowest(), steps.highest()
    else:
        extra = cumulate(unjudged * weights)
        low, high = (own + end * extra for end in (gains.min(initial=0.0), gains.max(initial=0.0)))
        low = np.where(share < 1, low, np.inf)
    return Range(low, np.where(share < 1, high, -np.inf), share)


def _count_recall(gains: Floats, ideal: Gains, topics: slice) -> tuple[Floats, Ints]:
    """Return the steps between the gains, and how many documents of each topic reach each step."""
    levels = np.unique(np.append(gains, 0.0))
    count = topics.stop - topics.start
    recall = [
        np.bincount(ideal.topic[ideal.gain >= w] - topics.start, minlength=count)
        for w in levels[1:]
    ]
    return np.diff(levels), np.reshape(recall, (len(recall), count)).astype(np.int64)


class _Steps:
    """A normalised value as a function of how many unjudged documents reach each gain.

    Let w_1 < w_2 < ... be the distinct gains, and C_1 >= C_2 >= ... the numbers of unjudged
    documents that have at least these gains. Then the run has
    N = ``own + sum (w_l - w_(l-1)) P(C_l)``, and the ideal ranking
    D = ``sum (w_l - w_(l-1)) S(n_l + C_l)``, where n_l documents of the recall base have a gain of
    at least w_l. P sums the inverse discounts v of the topmost unjudged ranks, S those of the
    first ranks, down to the cutoff k. N / D has its extreme x where N - x D is extreme.

    The C-th document of step l adds v(u_C) - x v(n_l + C) to N - x D, times w_l - w_(l-1). Here u_C
    is the C-th unjudged rank from the top; past k the second term is 0. This decreases as
    l grows, because n_l decreases, and v decreases from rank to rank.

    Largest value: no document that the run lacks is relevant, as it would raise D alone. If each
    step is optimised separately, the best C_l therefore satisfy C_1 >= C_2 >= ..., so each step is
    searched separately. As x <= 1, a document with u_C <= n_l + C does not lower N - x D. Such
    documents come first, because u_C - C never decreases, and they include all with n_l + C past k.
    What the others add does not depend on k, so all cutoffs share the points (S, P), each using
    those up to its last C. The best point is a corner of their concave hull: the one after which
    the slopes are below x.

    Smallest value: N is smallest where none of the run's unjudged documents has a gain, and D is
    largest where k documents have the highest gain, which the run need not have.
    """

    def __init__(
        self,
        spec: Spec,
        gains: Floats,
        ideal: Gains,
        topics: slice,
        own: Floats,
        unjudged: NDArray[np.bool_],
        cutoffs: Ints,
    ) -> None:
        self._own, self._cutoffs = own, cutoffs
        self._topic = np.arange(len(own))[:, None]
        number = np.cumsum(unjudged, axis=1)
        depth = unjudged.shape[1] - 1
        self._counts = number[:, np.minimum(cutoffs, depth)]
        topic, rank = np.nonzero(unjudged)
        self._rank = np.zeros((len(own), int(number.max()) + 1), dtype=np.int64)
        self._rank[topic, number[topic, rank]] = rank
        self._steps, recall = _count_recall(gains, ideal, topics)
        self._recall = recall[:, :, None]
        most = int(self._recall.max(initial=0)) + self._rank.shape[1]
        last = max(depth, most, int(cutoffs.max()))
        inverse = 1 / divisors(spec, np.arange(1, last + 1))
        self._inverse = np.append(0.0, inverse)
        self._sums = np.cumsum(self._inverse)
        self._top = np.cumsum(self._inverse[self._rank], axis=1)

    def _ideal(self, counts: Ints) -> Floats:
        """Return S if these numbers of unjudged documents reach each gain."""
        return np.asarray(self._sums[np.minimum(self._recall + counts, self._cutoffs)])

    def _ratio(self, gained: Floats, counts: Ints) -> Floats:
        """Return N / D if the unjudged documents add ``gained`` to N."""
        return divide_or_zero(self._own + gained, np.tensordot(self._steps, self._ideal(counts), 1))

    def lowest(self) -> Floats:
        """Return the smallest values; infinity where the ideal cannot grow."""
        none = np.zeros(self._counts.shape, dtype=np.int64)
        now, full = (np.tensordot(self._steps, self._ideal(n), 1) for n in (none, self._cutoffs))
        grows = full > now
        ends = np.full(full.shape, np.inf)
        return np.asarray(np.divide(self._own, full, out=ends, where=grows))

    def highest(self) -> Floats:
        """Return the largest values, by Dinkelbach's method."""
        corner, last, before, slope = self._hulls()
        jumps = [before]  # 1, 2, 4, ... corners back
        while ((farther := jumps[-1][jumps[-1]]) != jumps[-1]).any():
            jumps.append(farther)
        first = np.arange(0, len(last), self._rank.shape[1]).reshape(self._recall.shape)
        counts = most = first * 0 + self._counts
        at, value = last[first + most], np.zeros_like(self._own)
        for _ in range(ROUNDS):
            gained = np.tensordot(self._steps, self._top[self._topic, counts], 1)
            better = self._ratio(gained, counts)
            closer = better - value > 1e-15
            if not closer.any():
                break
            value = np.where(closer, better, value)
            # fewer documents in a tie: rounding in sums of very different gains hides what they add
            ratio = value * (1 + 1e-13)
            for jump in reversed(jumps):  # back to the steepest edge below the ratio
                at = np.where(slope[jump[at]] < ratio, jump[at], at)
            at = np.where(slope[at] < ratio, before[at], at)
            counts = corner[at] - first
            with_counts, with_most = (
                self._top[self._topic, n] - ratio * self._ideal(n) for n in (counts, most)
            )
            counts = np.where(with_most > with_counts, most, counts)
        return value

    def _hulls(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Return the corners of the hulls of the points from C = 0 to each C.

        The points of all steps and topics are in one array. The results are the corners' places in
        it; for each point, the last corner up to it; for each corner, the one before it in the hull
        that ends there, and the slope of the edge between the two. The corner where a search starts
        is its own predecessor, with an infinite slope. A point that is not a corner, because the
        slope after it is not smaller, is on the hull that ends there and on no other.
        """
        number = self._recall + np.arange(self._rank.shape[1])
        searched = self._rank > number
        up = np.where(searched, self._inverse[self._rank], np.inf).ravel()
        along = np.where(searched, self._inverse[number], 1.0).ravel()
        slope = up / along
        following = np.append(slope, np.inf)[1:]
        ends = (following < slope) | np.isinf(following)
        begins = np.flatnonzero(np.roll(ends, 1))
        up, along = np.add.reduceat(up, begins), np.add.reduceat(along, begins)
        slope = up / along
        before = np.arange(len(slope)) - np.isfinite(slope)
        while len(steep := np.flatnonzero(np.isfinite(slope) & (slope >= slope[before]))):
            middle = before[steep]  # not a corner of this hull: the two edges become one
            up[steep] += up[middle]
            along[steep] += along[middle]
            before[steep] = before[middle]
            slope[steep] = up[steep] / along[steep]
        return np.flatnonzero(ends), np.cumsum(ends) - 1, before, slope


def _sum_largest(topic: Ints, coefficient: Floats, others: Ints) -> tuple[Floats, Ints]:
    """Return the sums of each topic's 0, 1, 2, ... largest coefficients, and of how many documents.

    Each topic has ``others`` more documents with the coefficient 0, which are added together. The
    last sum stands for all that would follow.
    """
    every = np.arange(len(others))
    topic, number = np.append(topic, every), np.append(np.ones_like(topic), others)
    order = np.lexsort((np.append(-coefficient, 0.0 * every), topic))
    place = topic[order], rank_within(topic[order])
    top = np.zeros((len(others), int(place[1].max(initial=0)) + 1))
    count = np.zeros(top.shape, dtype=np.int64)
    top[place], count[place] = np.append(coefficient, 0.0 * every)[order], number[order]
    return np.cumsum(top, axis=1), np.cumsum(count, axis=1)


class SharedJudgments:
    r"""How far missing judgments could change the value of a run, or the difference of two.

    An unjudged document at rank i of the first run and j of the second has the coefficient e = v(i)
    - v(j), where v is the inverse discount, and 0 past k or where a run lacks the document. It
    changes the difference of DCG by e times its gain, so that of DCG is extreme where the documents
    of positive e, or those of negative e, have the largest gain. The value of one run is its
    difference from an empty one.

    For nDCG let w_1 < w_2 < ... be the gains, and C_1 >= C_2 >= ... the numbers of unjudged
    documents that have at least these. The difference is at most N / D, where N = ``own + sum
    (w_l - w_(l-1)) P(C_l)`` and D = ``sum (w_l - w_(l-1)) S(n_l + C_l)``. P sums the largest
    coefficients, among them the zeros of the documents that change D alone; S and n_l are those of
    :class:`_Steps`. The largest N / D is the x for which the largest N - x D is 0. The C-th
    document of step l adds e_C - x v(n_l + C) to N - x D, times w_l - w_(l-1), where v(n_l + C)
    does not fall as l grows, because n_l does not rise.

    If x >= 0, what a document adds does not rise with l, so the steps' best C, the smallest of
    several, satisfy C_1 >= C_2 >= ... by themselves, and each step is searched separately.

    If x < 0, it does not fall with l. Each step is a concave function of C, because e_C falls and
    v(n_l + C) does not rise, and the best C of higher steps are not smaller. Then all C_l are equal
    in some optimum: if not, let the steps 1 to l share a C greater than that of step l + 1.
    Together, their last documents add at least 0, so the one of step l does, and so would a further
    document in step l + 1.

    Therefore the best x of equal C_l is the largest if it is negative; if not, Dinkelbach's method
    starts from it. The smallest difference is that of the runs in the other order, negated.

    Documents of the coefficient 0 all add something of one sign, or nothing: they count together.

    Parameters
    ----------
    spec
        Of a measure that :func:`compute_bounds` takes.
    gains
        The gains that an unjudged document could have besides 0.
    ideal
        The gains of the ideal ranking.
    unjudged
        How many unjudged documents of each topic could be relevant; those with a coefficient are
        among them.
    depth
        The last rank of an unjudged document.
    """

    def __init__(self, spec: Spec, gains: Floats, ideal: Gains, unjudged: Ints, depth: int) -> None:
        self._spec, self._gains, self.unjudged = spec, gains, unjudged
        self._steps, self._recall = _count_recall(gains, ideal, slice(0, len(unjudged)))
        most = int((np.bincount(ideal.topic, minlength=len(unjudged)) + unjudged).max(initial=0))
        last = max(depth, most)  # of a document that may be relevant
        cutoff = spec.cutoff or last
        ranks = np.arange(min(cutoff, last) + 1)
        inverse = np.append(0.0, 1 / divisors(spec, ranks[1:]))
        self._sums = np.cumsum(inverse)
        if spec.avg_pos:  # the gain at rank i is part of the vector from i on
            inverse *= (float(cutoff) + 1 - ranks) / float(cutoff)
        self.weights = np.append(inverse, np.zeros(max(depth + 1 - len(inverse), 0)))

    def count_others(self, topic: Ints) -> Ints:
        """Return how many unjudged documents each topic has besides these."""
        return self.unjudged - np.bincount(topic, minlength=len(self.unjudged))

    def range(self, own: Floats, topic: Ints, coefficient: Floats) -> tuple[Floats, Floats]:
        """Return the smallest and the largest difference for each topic.

        Parameters
        ----------
        own
            The difference of what the runs have already, not normalised.
        topic, coefficient
            Of each unjudged document whose coefficient is not 0; see :attr:`weights` of the ranks,
            from 0 on.
        """
        others = self.count_others(topic)
        low = -self._highest(-own, topic, -coefficient, others, self._recall)
        return low, self._highest(own, topic, coefficient, others, self._recall)

    def moves(self, own: Floats, topic: Ints, coefficient: Floats) -> Floats:
        """Return how far each document alone could move its topic's difference."""
        own, recall, alone = own[topic], self._recall[:, topic], np.arange(len(topic))
        none = np.zeros_like(topic)
        up = self._highest(own, alone, coefficient, none, recall)
        return up + self._highest(-own, alone, -coefficient, none, recall)

    def ideal_grows(self) -> NDArray[np.bool_]:
        """Return whether the ideal of each topic could be larger than it is."""
        full = len(self._sums) - 1
        return np.asarray((self._recall < full).any(axis=0) & self._spec.normalised)

    def best_low(
        self,
        own: Floats,
        topic: Ints,
        coefficient: Floats,
        judged: NDArray[np.bool_],
        judged_others: Ints,
    ) -> Floats:
        """Return the largest low end of each topic's range that some judgments could leave.

        For (D)CG, each judgment takes from the range what the document could move. For n(D)CG, the
        documents with the largest coefficients have the highest gain, and the others none; each
        number of them is tried. With one gain besides 0 this is best, whatever the documents that
        are left turn out to be: a larger coefficient adds more, and the ideal is the same.
        ``judged_others`` is the number of judged documents that have the coefficient 0.
        """
        if not self._spec.normalised:
            width = judged * self.moves(own, topic, coefficient)
            return self.range(own, topic, coefficient)[0] + np.bincount(topic, width, len(own))
        gain = self._gains.max(initial=0.0)
        added, number = _sum_largest(topic[judged], coefficient[judged], judged_others)
        rest = topic[~judged], -coefficient[~judged], self.count_others(topic) - judged_others
        highs = [
            self._highest(-own - gain * gained, *rest, self._recall + count)
            for gained, count in zip(added.T, number.T)
        ]
        return np.asarray(-np.min(highs, axis=0))

    def _highest(
        self, own: Floats, topic: Ints, coefficient: Floats, others: Ints, recall: Ints
    ) -> Floats:
        """Return the largest differences; ``recall`` has a column for each of ``own``."""
        if not self._spec.normalised:
            added = np.outer([*self._gains, 0.0], coefficient).max(axis=0)
            return np.asarray(own + np.bincount(topic, added, len(own)))
        steps = self._steps
        if not len(steps):
            return np.zeros(len(own))
        top, count = _sum_largest(topic, coefficient, others)
        number = np.minimum(recall[:, :, None] + count, len(self._sums) - 1)
        ideal = self._sums[number]
        whole = own[:, None] + steps.sum() * top
        value: Floats = divide_or_zero(whole, np.tensordot(steps, ideal, 1)).max(axis=1)
        for _ in range(ROUNDS):
            best = (top - value[:, None] * ideal).argmax(axis=2)[:, :, None]
            numerator, divisor = (
                np.take_along_axis(np.broadcast_to(part, ideal.shape), best, 2)[:, :, 0]
                for part in (top, ideal)
            )
            better = divide_or_zero(own + steps @ numerator, steps @ divisor)
            closer = (better - value > 1e-15) & (value >= 0)
            if not closer.any():
                break
            value = np.where(closer, better, value)
        return value
