"""Vectors as tables.

The vectors of some topics (or sessions, or queries of a session) are the rows of a table, which has
a column for each rank from 1 on. From the tables of gain vectors and of ideal vectors, a measure's
equation computes :class:`Vectors`. :class:`Ranks` says where these are read: at a cutoff, at each
topic's R, or at every rank for a curve. A value depends only on the vectors up to its rank, so it
is the same to the last bit whatever else is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import Gains
from pt_cumgain.engine.rows import Ints
from pt_cumgain.measures import CumulatedGain, GainVectors, SessionGains

#: How many components of vectors are held at a time, for each table.
BATCH = 1 << 17


def batch_topics(topics: int, depth: int) -> Iterator[slice]:
    """Yield slices of the topics, small enough that their vectors can be held."""
    step = max(BATCH // max(depth, 1), 1)
    return (slice(t, min(t + step, topics)) for t in range(0, topics, step))


def gain_vectors(gains: Gains, rows: slice, depth: int) -> Floats:
    """Return the gain vectors of some rows, at the ranks 1 to ``depth``."""
    some, count = gains.select(rows), rows.stop - rows.start
    some = some.where(some.rank <= depth)
    cell = (some.row - rows.start) * depth + some.rank - 1
    table = np.bincount(cell, some.gain, count * depth).astype(np.float64).reshape(count, depth)
    table.flags.writeable = False  # all measures read it
    return table


class Ranks(NamedTuple):
    """The ranks at which tables are read.

    Attributes
    ----------
    at
        The ranks, from 0 on, the same for all topics or in a row for each.
    averaged
        Whether the values are the means over the ranks 1 to these (TOIS 2002, eq. 6).
    """

    at: Ints
    averaged: bool

    def read(self, table: Floats) -> Floats:
        """Return the values of each topic at its ranks.

        Past its end a table keeps its last values; before rank 1 they are 0.
        """
        at = np.atleast_2d(self.at)
        if self.averaged:
            return core.avg_pos(table, at)
        column = np.clip(at - 1, 0, table.shape[1] - 1)
        return np.where(at > 0, np.take_along_axis(table, column, 1), 0.0)


class Vectors(NamedTuple):
    """The numerators and the divisors of a measure's values at each rank.

    Attributes
    ----------
    vector
        The numerators.
    divisor
        The divisors, None if the measure has none. The two tables may end at different ranks.
    """

    vector: Floats
    divisor: Floats | None

    @classmethod
    def compute(cls, measure: CumulatedGain, gain: GainVectors, ideal: GainVectors) -> Vectors:
        """Compute a measure's equation from gain vectors and ideal vectors."""
        vectors = cls(*measure.compute_parts(gain, ideal))
        if vectors.vector.shape != gain.shape:
            raise ValueError(
                f"the equation of {measure} returned the shape {vectors.vector.shape} for gain "
                f"vectors of the shape {gain.shape}; it must return a value for every rank"
            )
        if not measure.levels_off:
            vectors._refuse_others(measure, gain, ideal)
        return vectors

    def _refuse_others(self, measure: CumulatedGain, gain: GainVectors, ideal: GainVectors) -> None:
        """Refuse an equation whose values change with later ranks, or with other topics.

        Longer tables are computed: of all topics twice, with other gains past the former end, and
        in the second half as well; and of the topic with the smallest gains alone.
        """
        topics, width = gain.shape
        # not past the last weight of a registered discount
        added = int(np.clip(core.find_discount(measure.spec.discount).depth - width, 0, 2))
        begin = np.repeat([width, width // 2], topics)
        later = np.arange(width + added) >= begin[:, None]
        table: Any = gain.gain if isinstance(gain, SessionGains) else gain
        largest = table.max(axis=1, initial=0)
        weakest = int(np.where(largest > 0, largest, np.inf).argmin())
        ranks = Ranks(np.arange(1, width + 1), False)
        values = self.values(ranks)
        for rows, changed in (([*range(topics)] * 2, later), ([weakest], later[:1])):
            longer = _extend(gain, rows, changed), _extend(ideal, rows, np.zeros_like(changed))
            try:
                after = Vectors(*measure.compute_parts(*longer)).values(ranks)
            except (IndexError, ValueError) as error:
                told = f"the equation of {measure} fails for vectors of {width + added} ranks"
                raise ValueError(f"{told}: {error}") from error
            before = values[rows]
            same = np.isclose(after, before, 1e-9, 1e-9 * np.nanmax(abs(before), initial=0), True)
            if not (same | changed[:, :width]).all():
                what = "later ranks or on other topics"
                raise ValueError(f"the equation of {measure} makes a value depend on {what}")

    def values(self, ranks: Ranks) -> Floats:
        """Return the values at ranks."""
        if self.divisor is None:
            return ranks.read(self.vector)
        if ranks.averaged:  # the ratios at all ranks, then their means
            every = np.arange(1, max(self.vector.shape[1], self.divisor.shape[1]) + 1)
            parts = (Ranks(every, False).read(part) for part in (self.vector, self.divisor))
            return ranks.read(core.norm_vect(*parts))
        return core.norm_vect(ranks.read(self.vector), ranks.read(self.divisor))

    def numerators(self, ranks: Ranks) -> Floats:
        """Return the numerators of the values at ranks."""
        return ranks.read(self.vector)

    def divisors(self, ranks: Ranks) -> Floats:
        """Return the divisors of the values at ranks, 1 if there are none."""
        if self.divisor is None:
            return np.ones((len(self.vector), ranks.at.shape[-1]))
        return ranks.read(self.divisor)


def _extend(vectors: GainVectors, rows: Sequence[int], changed: NDArray[np.bool_]) -> GainVectors:
    """Return rows of gain vectors as longer tables, in which some gains are 0 or the largest."""
    tables: Any = vectors if isinstance(vectors, SessionGains) else [vectors]
    width, added = vectors.shape[1], changed.shape[1] - vectors.shape[1]
    gain, *places = (np.pad(table[rows], [(0, 0), (0, added)], "edge") for table in tables)
    gain[:, width:] = 0
    gain[changed] = np.where(gain[changed] > 0, 0, gain.max(initial=0))
    return SessionGains(gain, *places) if places else gain


#: Reads something off vectors.
Read = Callable[[Vectors, Ranks], Floats]
