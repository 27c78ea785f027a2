"""Reading values off cumulated vectors: the one place that normalises and averages.

The vectors have a row for each topic (or session) and a column for each rank at which they are
known. :class:`Vectors` holds every rank, as curves need; its subclasses for the engines of topics
and sessions hold few ranks, and sum over the others without storing them, which is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.measures import Spec

#: How many components of vectors are held at a time, for each group of measures.
BATCH = 1 << 17


def batch_topics(topics: int, depth: int) -> Iterator[slice]:
    """Yield slices of the topics, small enough that their vectors can be held."""
    step = max(BATCH // depth, 1)
    return (slice(t, min(t + step, topics)) for t in range(0, topics, step))


#: Returns what divides vectors at some ranks: a divisor of measures other than the ideal.
Divide = Callable[[str, Floats], Floats]


def divisors(spec: Spec, rank: Ints) -> Floats:
    """Return the discounts of ranks.

    Past the last weight of a registered discount, where no measure reads, it is that of the last.
    """
    known = np.minimum(rank, core.find_discount(spec.discount).depth)
    return core.discounts(known, spec.discount, spec.base)


class Vectors:
    """Cumulated vectors V and the ideal ones I, at every rank from 1 on; shape ``(topics, n)``."""

    def __init__(self, value: Floats, ideal: Floats, divisor: Divide | None = None) -> None:
        self._value, self._ideal, self._divisor = value, ideal, divisor

    @property
    def value(self) -> Floats:
        """V at each rank."""
        return self._value

    @property
    def ideal(self) -> Floats:
        """I at each rank; read only if it is needed."""
        return self._ideal

    @property
    def ranks(self) -> Floats:
        """The ranks of the columns."""
        return np.arange(1.0, self.value.shape[-1] + 1)

    def total(self) -> Floats:
        """Return the sum of V[i] over the ranks i up to each column's."""
        return np.cumsum(self.value, axis=-1)

    def total_of_ratios(self) -> Floats:
        """Return the sum of V[i] / I[i] over the ranks i up to each column's."""
        return np.cumsum(divide(self.value, self.ideal), axis=-1)

    def read(self, spec: Spec) -> Floats:
        """Return the values of a measure at each column.

        The value is V[k]; for a normalised measure, V[k] / I[k] (TOIS 2002, eq. 5), or V[k] by the
        measure's other divisor; with ``avg_pos``, the mean over the ranks 1 to k (eq. 6). The mean
        over no ranks is 0.
        """
        if not spec.avg_pos:
            return divide(self.value, self.divisor(spec)) if spec.divisor else self.value
        total = self.total_of_ratios() if spec.normalised else self.total()
        means = total / np.maximum(self.ranks, 1)
        return core.rounded_to_1(means) if spec.normalised else means

    def numerator(self, spec: Spec) -> Floats:
        """Return what a measure divides at each column."""
        return self.read(spec.replace(divisor=""))

    def divisor(self, spec: Spec) -> Floats:
        """Return what divides it; 1 if nothing does."""
        if self._divisor and spec.divisor not in ("", "ideal"):
            return self._divisor(spec.divisor, self.ranks)
        return self.ideal if spec.normalised else np.ones(self.value.shape)

    def of_ideal(self) -> Vectors:
        """Return the vectors of the ideal ranking."""
        return Vectors(self.ideal, self.ideal, self._divisor)


def divide(value: Floats, divisor: Floats) -> Floats:
    """Divide vectors; 0 where the divisor is, NaN where it is too large for a float."""
    ratios = core.norm_vect(value, divisor)
    finite = np.isfinite(divisor)
    return ratios if finite.all() else np.where(finite, ratios, np.nan)


class Sums:
    """Sums over the first ranks of each topic, at several cutoffs at once.

    Column c belongs to the c-th cutoff; the last column to each topic's own last rank.

    Parameters
    ----------
    topic, rank
        The topic and the rank of each summand.
    cutoffs
        Ascending.
    ends
        The last rank of each topic.
    """

    def __init__(self, topic: Ints, rank: Ints, cutoffs: Ints, ends: Ints) -> None:
        self._topic, self._shape = topic, (len(ends), len(cutoffs) + 1)
        self._cell = topic * self._shape[1] + np.searchsorted(cutoffs, rank)
        self._before_end = rank <= ends[topic]

    def __call__(self, summand: Floats) -> Floats:
        """Return the sums, shape ``(topics, cutoffs + 1)``."""
        topics, columns = self._shape
        flat: Floats = np.bincount(self._cell, summand, topics * columns).astype(np.float64)
        table = flat.reshape(self._shape)
        np.cumsum(table, axis=1, out=table)
        table[:, -1] = np.bincount(self._topic, summand * self._before_end, topics)
        return table
