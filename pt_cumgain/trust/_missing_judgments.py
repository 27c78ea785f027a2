"""The exact range that missing judgments leave open for a value or a difference of two values.

Each unjudged document could have gain 0 or the gain of any level in the qrels. For CG and DCG, only
documents among a run's first k ranks matter. For nCG and nDCG, every document that turns out to be
relevant joins the recall base, wherever it is, so the extremes need not occur where all or none of
the documents are relevant.
"""

from __future__ import annotations

import numpy as np

from pt_cumgain.comparing._rounding import ROUNDING
from pt_cumgain.core import Floats, divide_or_zero
from pt_cumgain.engine.judging import Gains
from pt_cumgain.engine.rows import Ints, rank_within
from pt_cumgain.engine.vectors import batch_topics
from pt_cumgain.measures import CumulatedGain, Normalised

#: More rounds than Dinkelbach's method needs: Newton's method for the x at which max(N - x D) is 0.
ROUNDS = 100


def _sum_largest(topic: Ints, coefficient: Floats, others: Ints) -> tuple[Floats, Ints]:
    """Return the sums of each topic's 0, 1, 2, ... largest coefficients, and of how many documents.

    Each topic has ``others`` more documents with the coefficient 0, which are added together. The
    last sum is repeated for any larger number.
    """
    every = np.arange(len(others))
    topic, number = np.append(topic, every), np.append(np.ones_like(topic), others)
    order = np.lexsort((np.append(-coefficient, 0.0 * every), topic))
    cell = topic[order], rank_within(topic[order])
    top = np.zeros((len(others), int(cell[1].max(initial=0)) + 1))
    count = np.zeros(top.shape, dtype=np.int64)
    top[cell], count[cell] = np.append(coefficient, 0.0 * every)[order], number[order]
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
    coefficients, among them the zeros of the documents that change D alone; S sums v over the first
    ranks, down to k; n_l documents of the recall base have a gain of at least w_l. The largest
    N / D is the x for which the largest N - x D is 0. The C-th document of step l adds
    e_C - x v(n_l + C) to N - x D, times w_l - w_(l-1), where v(n_l + C) does not fall as l grows,
    because n_l does not rise.

    If x >= 0, the part of a document does not rise with l, so the steps' best C, the smallest of
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
    measure
        One of CG, DCG, nCG or nDCG, without ``at_r``, ``judged_only``, ``ties``, and without
        ``avg_pos`` if it is normalised.
    gains
        The gains that an unjudged document could have besides 0.
    ideal
        The gains of the ideal ranking.
    unjudged
        How many unjudged documents of each topic could be relevant; those with a coefficient are
        among them.
    depth
        The last rank of an unjudged document.

    Attributes
    ----------
    weights
        The inverse discount at each rank from 0 on, 0 past k.
    """

    def __init__(
        self, measure: CumulatedGain, gains: Floats, ideal: Gains, unjudged: Ints, depth: int
    ) -> None:
        spec = measure.spec
        self._normalised, self._unjudged = isinstance(measure, Normalised), unjudged
        # scaling by a power of 2 is exact; it keeps sums of huge gains finite
        self._exponent = int(np.frexp(gains.max(initial=0.0))[1]) if self._normalised else 0
        self._gains = np.ldexp(gains, -self._exponent)
        ideal = ideal._replace(gain=np.ldexp(ideal.gain, -self._exponent))
        topics, levels = len(unjudged), np.unique(np.append(self._gains, 0.0))
        reach = [np.bincount(ideal.row[ideal.gain >= w], minlength=topics) for w in levels[1:]]
        # the steps between the gains, and how many documents of each topic reach each
        self._steps = np.diff(levels)
        self._recall: Ints = np.reshape(reach, (len(reach), topics)).astype(np.int64)
        most = int((np.bincount(ideal.row, minlength=topics) + unjudged).max(initial=0))
        last = max(depth, most)  # of a document that may be relevant
        cutoff = spec.cutoff or last
        ranks = np.arange(min(cutoff, last) + 1)
        weights = measure.rank_weights(max(len(ranks) - 1, 1))
        inverse = np.append(0.0, weights)[: len(ranks)]
        if self._normalised and (np.diff(weights, append=0.0) > ROUNDING * weights.max()).any():
            raise ValueError(f"{measure} has no range: the weights of its ranks rise")
        self._sums = np.cumsum(inverse)
        if spec.avg_pos:  # the gain at rank i is part of the vector from i on
            inverse *= (float(cutoff) + 1 - ranks) / float(cutoff)
        self.weights = np.append(inverse, np.zeros(max(depth + 1 - len(inverse), 0)))

    def ends(self, difference: Floats, own: Floats, topic: Ints, coefficient: Floats) -> Floats:
        """Return the differences by topic, the smallest and the largest ones, as rows.

        Parameters
        ----------
        difference, own
            The present difference of the runs, and the same not normalised.
        topic, coefficient
            Of each unjudged document; see :attr:`weights` of the ranks, from 0 on.
        """
        own, moves = np.ldexp(own, -self._exponent), np.flatnonzero(coefficient)
        topic, coefficient = topic[moves], coefficient[moves]  # the others move the ideal alone
        others = self._unjudged - np.bincount(topic, minlength=len(own))
        low = -self._highest(-own, topic, -coefficient, others)
        ends = np.array([low, self._highest(own, topic, coefficient, others)])
        is_same = np.abs(ends - difference) <= ROUNDING * np.abs(difference)
        low, high = np.where(is_same | (self._unjudged == 0), difference, ends)
        return np.array([difference, np.minimum(low, difference), np.maximum(high, difference)])

    def _highest(self, own: Floats, topic: Ints, coefficient: Floats, others: Ints) -> Floats:
        """Return the largest differences."""
        if not self._normalised:
            added = np.outer([*self._gains, 0.0], coefficient).max(axis=0)
            return np.asarray(own + np.bincount(topic, added, len(own)))
        top, count = _sum_largest(topic, coefficient, others)
        value = np.zeros(len(own))
        for some in batch_topics(len(own), len(self._steps) * top.shape[1]):
            parts = own[some], top[some], count[some], self._recall[:, some]
            value[some] = self._highest_ratio(*parts)
        return value

    def _highest_ratio(self, own: Floats, top: Floats, count: Ints, recall: Ints) -> Floats:
        """Return the largest differences, normalised, from the sums of the largest coefficients."""
        steps = self._steps
        number = np.minimum(recall[:, :, None] + count, len(self._sums) - 1)
        ideal = self._sums[number]
        whole = own[:, None] + steps.sum() * top
        value: Floats = divide_or_zero(whole, np.tensordot(steps, ideal, 1)).max(axis=1)
        for _ in range(ROUNDS):
            best = (top - value[:, None] * ideal).argmax(axis=2)[:, :, None]
            numerator = np.take_along_axis(np.broadcast_to(top, ideal.shape), best, 2)[:, :, 0]
            divisor = np.take_along_axis(ideal, best, 2)[:, :, 0]
            better = divide_or_zero(own + steps @ numerator, steps @ divisor)
            closer = (better - value > 1e-15) & (value >= 0)
            if not closer.any():
                break
            value = np.where(closer, better, value)
        return value
