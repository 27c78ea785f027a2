"""Cumulated vectors: the one place that cumulates, reads, normalises and averages.

The vectors of some topics (or sessions, or queries of a session) are the rows of a table. It has a
column for each rank from 0 on, down to the last gain of any of them; past it, a vector keeps its
value. :class:`Vectors` reads the table at any ranks: at the cutoffs of the measures, or at every
rank for a curve. A value depends only on the vector up to its rank, so it is the same to the last
bit whatever else is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.measures import Spec

#: How many components of vectors are held at a time, for each group of measures.
BATCH = 1 << 17


def batch_topics(topics: int, depth: int) -> Iterator[slice]:
    """Yield slices of the topics, small enough that their vectors can be held."""
    step = max(BATCH // max(depth, 1), 1)
    return (slice(t, min(t + step, topics)) for t in range(0, topics, step))


#: Returns what divides vectors at some ranks: a divisor of measures other than the ideal.
Divide = Callable[[str, Ints], Floats]


def known_ranks(spec: Spec, rank: Ints) -> Ints:
    """Return ranks, the last known one past the last weight of a registered discount.

    No measure reads there.
    """
    depth = core.find_discount(spec.discount).depth
    return np.minimum(rank, int(depth)) if np.isfinite(depth) else rank


def spread(topic: Ints, rank: Ints, gain: Floats, topics: int) -> Floats:
    """Return the sums of the gains at each rank from 0 on, down to the last gain."""
    width = int(rank.max(initial=0)) + 1
    gains = np.bincount(topic * width + rank, gain, topics * width)
    return np.asarray(gains, dtype=np.float64).reshape(topics, width)


def add_rank_0(vectors: Floats) -> Floats:
    """Return vectors that begin at rank 1 as a table, which begins at rank 0."""
    return np.pad(vectors, ((0, 0), (1, 0)))


class Vectors:
    """Cumulated vectors V of some topics, read at some ranks; shape ``(topics, ranks)``.

    Parameters
    ----------
    cumulate
        Returns the table of V; called once, and only if it is needed.
    ranks
        The ranks, the same for all topics or one for each topic, in the shape ``(topics, 1)``.
    ideal
        The ideal vectors I at these ranks; None: these are the ideal vectors.
    divide
        Returns a divisor of measures other than I.
    """

    def __init__(
        self,
        cumulate: Callable[[], Floats],
        ranks: Ints,
        ideal: Vectors | None = None,
        divide: Divide | None = None,
    ) -> None:
        self._cumulate, self._ideal, self._divide = cumulate, ideal, divide
        self.ranks = np.atleast_2d(ranks)

    @classmethod
    def expand(cls, value: Floats, ideal: Floats) -> Vectors:
        """Return vectors of which the value at every rank is known."""
        ranks = np.arange(1, value.shape[1] + 1)
        return cls(lambda: add_rank_0(value), ranks, cls(lambda: add_rank_0(ideal), ranks))

    @property
    def ideal(self) -> Vectors:
        """The ideal vectors."""
        return self._ideal or self

    @cached_property
    def table(self) -> Floats:
        """V at every rank from 0 on, down to the last gain."""
        return self._cumulate()

    @cached_property
    def value(self) -> Floats:
        """V at each rank."""
        return np.take_along_axis(self.table, np.minimum(self.ranks, self.table.shape[1] - 1), 1)

    def read(self, spec: Spec) -> Floats:
        """Return the values of a measure at each rank.

        The value is V[k]; for a normalised measure, V[k] / I[k] (TOIS 2002, eq. 5), or V[k] by the
        measure's other divisor; with ``avg_pos``, the mean over the ranks 1 to k (eq. 6). The mean
        over no ranks is 0.
        """
        if not spec.avg_pos:
            return divide(self.value, self.divisor(spec)) if spec.divisor else self.value
        if not spec.normalised:
            return core.avg_pos(self.table[:, 1:], self.ranks)
        tables = self.table, self.ideal.table
        width = max(table.shape[1] for table in tables)
        value, best = (
            np.pad(table, ((0, 0), (0, width - table.shape[1])), mode="edge") for table in tables
        )
        return core.round_to_1(core.avg_pos(divide(value, best)[:, 1:], self.ranks))

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
