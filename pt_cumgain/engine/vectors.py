"""Cumulated vectors: the one place that cumulates, reads, normalises and averages.

A cumulated vector is a step function: it changes at the ranks of judged documents only.
:class:`Steps` holds the steps of some topics (or sessions, or queries of a session), and
:class:`Vectors` reads them at any ranks: at the cutoffs of the measures, or at every rank for a
curve. The steps up to a rank do not depend on what is read, nor on the other topics, and each
topic's gains are summed one after the other. So a value is the same to the last bit whatever else
is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints, bounds_of
from pt_cumgain.measures import Spec

#: How many components of vectors are held at a time, for each group of measures.
BATCH = 1 << 17


def batch_topics(topics: int, depth: int) -> Iterator[slice]:
    """Yield slices of the topics, small enough that their vectors can be held."""
    step = max(BATCH // depth, 1)
    return (slice(t, min(t + step, topics)) for t in range(0, topics, step))


#: Returns what divides vectors at some ranks: a divisor of measures other than the ideal.
Divide = Callable[[str, Ints], Floats]


def known_ranks(spec: Spec, rank: Ints) -> Ints:
    """Return ranks, the last known one past the last weight of a registered discount.

    No measure reads there.
    """
    depth = core.find_discount(spec.discount).depth
    return np.minimum(rank, int(depth)) if np.isfinite(depth) else rank


def cumulate(summand: Floats, bounds: Ints) -> Floats:
    """Return the cumulated sums of each part ``bounds[t]:bounds[t + 1]``; none is empty.

    Each part is summed by itself and in order, so that its sums depend on nothing else. (A
    difference of sums over all parts would depend on the parts before.)
    """
    sums = np.empty(len(summand))
    size = np.diff(bounds)
    _, power = np.frexp(size)
    for exponent in np.unique(power).tolist():  # parts of about the same size form a table
        parts = np.flatnonzero(power == exponent)
        at = bounds[parts, None] + np.arange(size[parts].max())
        inside = at < bounds[parts + 1, None]
        table = core.cg(summand.take(at, mode="clip"))
        sums[at[inside]] = table[inside]
    return sums


@dataclass(frozen=True)
class Steps:
    """Vectors of some topics that change at a few ranks only.

    Attributes
    ----------
    bounds
        The steps of topic t are ``bounds[t]:bounds[t + 1]``. The first of them is at rank 0.
    rank
        Where each step begins, in ascending order within a topic. If several begin at the same
        rank, the last counts.
    value
        The vector's value from there to the next step; 0 at rank 0.
    """

    bounds: Ints
    rank: Ints
    value: Floats

    @classmethod
    def place(cls, topic: Ints, rank: Ints, value: Floats | Ints, topics: int) -> Steps:
        """Return steps at these ranks, which are sorted by topic and rank."""
        bounds = bounds_of(np.bincount(topic, minlength=topics) + 1)
        at = np.arange(len(topic)) + topic + 1
        ranks, values = np.zeros(bounds[-1], dtype=np.int64), np.zeros(bounds[-1])
        ranks[at], values[at] = rank, value
        return cls(bounds, ranks, values)

    @classmethod
    def expand(cls, vectors: Floats) -> Steps:
        """Return a step at every rank, for vectors of the shape ``(topics, n)``."""
        topic, rank = np.indices(vectors.shape)
        return cls.place(topic.ravel(), rank.ravel() + 1, vectors.ravel(), len(vectors))

    def cumulate(self) -> Steps:
        """Return the cumulated vectors of gains at these ranks."""
        return replace(self, value=cumulate(self.value, self.bounds))

    @property
    def topic(self) -> Ints:
        """The topic of each step."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    def find(self, ranks: Ints) -> Ints:
        """Return the last step up to each rank, shape ``(topics, len(ranks))``.

        The ranks are ascending; or there is one for each topic, in the shape ``(topics, 1)``.
        """
        topic, topics, columns = self.topic, len(self.bounds) - 1, ranks.shape[-1]
        if ranks.ndim == 1:
            first = np.searchsorted(ranks, self.rank)
        else:
            first = (self.rank > ranks[topic, 0]).astype(np.int64)
        # from its first rank on, each step is the last one until the next step's first rank
        counts = np.diff(topic * columns + first, append=topics * columns)
        return np.repeat(np.arange(len(topic)), counts).reshape(topics, columns)

    def sum_before(self) -> Steps:
        """Return the sums over the ranks before each step, from rank 1 on."""
        sums = np.append(0.0, self.value[:-1] * np.diff(self.rank))
        sums[self.bounds[:-1]] = 0.0  # of the last step of the topic before
        return replace(self, value=sums).cumulate()

    def divide(self, ideal: Steps) -> Steps:
        """Return the ratios of these vectors to the ideal ones."""
        width = max(self.rank.max(initial=0), ideal.rank.max(initial=0)) + 1
        keys = [steps.topic * width + steps.rank for steps in (self, ideal)]
        both = np.sort(np.concatenate(keys), kind="stable")
        value, best = (
            steps.value[np.searchsorted(key, both, side="right") - 1]
            for steps, key in zip((self, ideal), keys)
        )
        topic, rank = np.divmod(both, width)
        return Steps(bounds_of(np.bincount(topic)), rank, divide(value, best))


class Vectors:
    """Cumulated vectors V of some topics, read at some ranks; shape ``(topics, ranks)``.

    Parameters
    ----------
    cumulate
        Returns the steps of V; called once, and only if they are needed.
    ranks
        As :meth:`Steps.find` takes them.
    ideal
        The ideal vectors I at these ranks; None: these are the ideal vectors.
    divide
        Returns a divisor of measures other than I.
    """

    def __init__(
        self,
        cumulate: Callable[[], Steps],
        ranks: Ints,
        ideal: Vectors | None = None,
        divide: Divide | None = None,
    ) -> None:
        self._cumulate, self._ideal, self._divide = cumulate, ideal, divide
        self.ranks = ranks

    @classmethod
    def expand(cls, value: Floats, ideal: Floats) -> Vectors:
        """Return vectors of which the value at every rank is known."""
        ranks = np.arange(1, value.shape[1] + 1)
        best = cls(partial(Steps.expand, ideal), ranks)
        return cls(partial(Steps.expand, value), ranks, best)

    @property
    def ideal(self) -> Vectors:
        """The ideal vectors."""
        return self._ideal or self

    @cached_property
    def steps(self) -> Steps:
        """The steps of V."""
        return self._cumulate()

    @cached_property
    def value(self) -> Floats:
        """V at each rank."""
        return self.steps.value[self.steps.find(self.ranks)]

    def read(self, spec: Spec) -> Floats:
        """Return the values of a measure at each rank.

        The value is V[k]; for a normalised measure, V[k] / I[k] (TOIS 2002, eq. 5), or V[k] by the
        measure's other divisor; with ``avg_pos``, the mean over the ranks 1 to k (eq. 6). The mean
        over no ranks is 0.
        """
        if not spec.avg_pos:
            return divide(self.value, self.divisor(spec)) if spec.divisor else self.value
        if spec.normalised:
            return core.round_to_1(self._mean(self.steps.divide(self.ideal.steps)))
        return self._mean(self.steps)

    def _mean(self, steps: Steps) -> Floats:
        """Return the means of vectors over the ranks from 1 to each rank."""
        at = steps.find(self.ranks)
        before = steps.sum_before().value[at]
        return core.avg_pos(before, steps.value[at], steps.rank[at], self.ranks)

    def numerator(self, spec: Spec) -> Floats:
        """Return the numerator of a measure at each rank."""
        return self.read(spec.replace(divisor=""))

    def divisor(self, spec: Spec) -> Floats:
        """Return the divisor of a measure at each rank; 1 if there is none."""
        if self._divide and spec.divisor not in ("", "ideal"):
            return self._divide(spec.divisor, self.ranks)
        return self.ideal.value if spec.normalised else np.ones(self.value.shape)


#: Reads something off vectors for a measure.
Read = Callable[[Vectors, Spec], Floats]


def divide(value: Floats, divisor: Floats) -> Floats:
    """Divide vectors; 0 where the divisor is, NaN where it is too large for a float."""
    ratios = core.norm_vect(value, divisor)
    finite = np.isfinite(divisor)
    return ratios if finite.all() else np.where(finite, ratios, np.nan)
