"""Vectors as tables.

The vectors of some topics (or sessions, or queries of a session) are the rows of a table, which has
a column for each rank from 1 on. From the tables of gain vectors and of ideal vectors, a measure's
equation computes :class:`Vectors`. :class:`Ranks` says where these are read: at a cutoff, at each
topic's R, or at every rank for a curve. A value depends only on the vectors up to its rank, so it
is the same to the last bit whatever else is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

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
    return np.bincount(cell, some.gain, count * depth).astype(np.float64).reshape(count, depth)


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
        table: Any
        for table in (gain, ideal):
            getattr(table, "gain", table).flags.writeable = False  # other measures read it as well
        vector, divisor = measure.compute_parts(gain, ideal)
        vector = np.asarray(vector, dtype=np.float64)
        if vector.shape != gain.shape:
            raise ValueError(
                f"the equation of {measure} returned the shape {vector.shape} for gain vectors of "
                f"the shape {gain.shape}; it must return a value for every rank"
            )
        if divisor is not None:
            divisor = np.atleast_2d(divisor)
        if not measure.levels_off:
            _refuse_later_ranks(measure, vector, gain, ideal)
        return cls(vector, divisor)

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


def _refuse_later_ranks(
    measure: CumulatedGain, vector: Floats, gain: GainVectors, ideal: GainVectors
) -> None:
    """Refuse an equation whose value at a rank changes if gains at later ranks do."""
    half = gain.shape[-1] // 2
    table: Any = gain
    gains = table.gain if isinstance(gain, SessionGains) else table
    others = gains + (np.arange(gains.shape[-1]) >= half)
    changed = gain._replace(gain=others) if isinstance(gain, SessionGains) else others
    before, after = vector[:, :half], measure.compute_parts(changed, ideal)[0][:, :half]
    if not np.allclose(before, after, 1e-9, 1e-9 * np.abs(before).max(initial=0), equal_nan=True):
        raise ValueError(
            f"the equation of {measure} is not cumulated from rank 1 on: its values down to rank "
            f"{half} depend on gains at later ranks"
        )


#: Reads something off vectors.
Read = Callable[[Vectors, Ranks], Floats]
