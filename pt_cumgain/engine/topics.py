"""The values of measures by topic, from the ranks of the judged documents.

The ideal ranking is summed by the same code as the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import (
    NO_LEVEL,
    Gains,
    Hits,
    Judgments,
    by_rank,
    equal_rows,
    rank_within,
)
from pt_cumgain.engine.rows import Ints, bounds_of
from pt_cumgain.engine.ties import ranked
from pt_cumgain.engine.vectors import Sums, Vectors, batch_topics, divide, divisors
from pt_cumgain.measures import CumulatedGain, Spec

#: The largest cutoff of a measure that has a formula of its own.
DEEPEST = 10_000_000

_END = int(np.iinfo(np.int64).max)

#: Reads something off vectors for a measure.
Read = Callable[[Vectors, Spec], Floats]


def last_rank(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer stands for the list's end."""
    return min(spec.cutoff or _END, _END)


class Group:
    """Measures that share a weighting and a ranking.

    Parameters
    ----------
    measures
        The measures, each with its row in the result.
    judgments
        The prepared qrels.

    Attributes
    ----------
    spec
        The spec of one of the measures, for what they share.
    gain
        The gain of each level of the judgments.
    recall
        R, each topic's number of documents with a positive gain.
    reach
        The last rank that any measure reads, by topic; None if all are read.
    """

    def __init__(self, measures: Sequence[tuple[int, CumulatedGain]], judgments: Judgments) -> None:
        self.measures, self._judgments = measures, judgments
        self.spec = measures[0][1].spec
        self.gain: Floats = self.spec.gains.gain(judgments.levels)
        self.recall = judgments.recall(self.gain)
        specs = [measure.spec for _, measure in measures]
        self.reach: Ints | None = None
        if all(spec.cutoff or spec.at_r for spec in specs):
            ends = [self.recall if spec.at_r else last_rank(spec) for spec in specs]
            self.reach = np.max(np.broadcast_arrays(self.recall * 0, *ends), axis=0)

    @property
    def possible(self) -> Floats:
        """The gains that an unjudged document could have: of level 0, or any of the qrels."""
        return np.append(self.gain, self.spec.gains.gain([0.0]))

    @cached_property
    def ideal_gains(self) -> Gains:
        """The ideal ranking of each topic."""
        return self._judgments.ideal(self.gain)

    def rank_gains(self, hits: Hits, lengths: Ints) -> Gains:
        """Return the gains at the ranks that matter, as the group's measures see the run.

        ``lengths`` says how many documents the run has for each topic.
        """
        unjudged = self.spec.unjudged
        if not unjudged:
            hits = hits.where(hits.level >= 0)  # without those that are shown again
            if self.spec.judged_only:
                hits = _judged_only(hits, self.spec.gains.judged(self._judgments.levels))
            return ranked(hits, self.gain, self.spec.ties, self.reach)
        # every document has the gain of an unjudged one, and judged ones what they have besides;
        # those that are shown again have none
        besides = np.append(self.gain - unjudged, [-unjudged, 0])
        extra = ranked(hits, besides, self.spec.ties, self.reach)
        depth = lengths if self.reach is None else np.minimum(lengths, self.reach)
        topic = np.repeat(np.arange(len(depth)), depth)
        level, gain = np.full(len(topic), NO_LEVEL), np.full(len(topic), float(unjudged))
        every = Gains(topic, rank_within(topic), level, gain)
        columns: Any = map(np.concatenate, zip(every, extra))
        return by_rank(Gains(*columns))

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:
        """Write the values of the measures to their rows of ``out``; see :meth:`rank_gains`.

        ``read`` may read something else off the vectors; a measure with a formula has only values.
        """
        raise NotImplementedError

    def fill_ideal(self, out: Floats) -> None:
        """Write the (D)CG of the ideal ranking, not normalised, to the measures' rows."""
        raise NotImplementedError

    def vectors(self, run: Gains, ideal: Gains, topics: slice, depth: int) -> Vectors:
        """Return the vectors that the measures read, for some topics, down to a depth.

        ``run`` and ``ideal`` are the gains of these topics.
        """
        raise NotImplementedError


def spread(gains: Gains, value: Floats, topics: slice, depth: int) -> Floats:
    """Return the sum of ``value`` at each rank of some topics, shape ``(topics, depth)``."""
    count = topics.stop - topics.start
    kept = gains.rank <= depth
    place = (gains.topic[kept] - topics.start) * depth + gains.rank[kept] - 1
    flat = np.bincount(place, value[kept], count * depth)
    return np.asarray(flat, dtype=np.float64).reshape(count, depth)


class CumulatedGroup(Group):
    """The (n)(D)CG measures that share a weighting, a discount and a ranking."""

    def __init__(self, measures: Sequence[tuple[int, CumulatedGain]], judgments: Judgments) -> None:
        super().__init__(measures, judgments)
        specs = [measure.spec for _, measure in measures]
        depths = {last_rank(spec) for spec in specs if not spec.at_r}
        self.cutoffs = np.array(sorted(depths), dtype=np.int64)
        ends = np.broadcast_to(self.cutoffs, (len(self.recall), len(depths)))
        self.ranks = np.column_stack([ends, self.recall]).astype(np.float64)
        self._readings = [
            (
                row,
                measure.spec,
                measure.spec.reading_key(),
                -1 if measure.spec.at_r else np.searchsorted(self.cutoffs, last_rank(measure.spec)),
            )
            for row, measure in measures
        ]

    def with_ideal(self, ideal: Gains) -> CumulatedGroup:
        """Return a group of the same measures, without ``at_r``, under another ideal ranking.

        ``ideal`` has the positive gains of each topic in descending order.
        """
        group = CumulatedGroup(self.measures, self._judgments)
        group.ideal_gains = ideal
        group.recall = np.bincount(ideal.topic, minlength=len(self.recall)).astype(np.int64)
        return group

    def discounted(self, gains: Gains) -> Floats:
        """Return each gain, divided by the discount of its rank."""
        return gains.gain / divisors(self.spec, gains.rank)

    def sums(self, gains: Gains) -> Sums:
        """Return a :class:`Sums` up to each cutoff of the measures, and to each topic's own R."""
        return Sums(gains.topic, gains.rank, self.cutoffs, self.recall)

    @cached_property
    def ideal(self) -> Floats:
        """The ideal (D)CG at every column."""
        return self.sums(self.ideal_gains)(self.discounted(self.ideal_gains))

    @cached_property
    def _inverse_ideal(self) -> tuple[Ints, Floats]:
        """Where each topic's sums begin, and the sums of all topics in one array.

        The sums are those of I[R] / I[i] over the ranks 1..i, for i = 0..R. (The factor I[R] makes
        the terms of all ranks past R equal to 1, and keeps tiny gains from overflowing.)
        """
        discounted = self.discounted(self.ideal_gains)
        bounds = bounds_of(self.recall)
        begins = bounds[:-1] + np.arange(len(self.recall))
        sums = np.zeros(bounds[-1] + len(self.recall))
        for t in np.flatnonzero(self.recall).tolist():
            ideal = np.cumsum(discounted[bounds[t] : bounds[t + 1]])
            sums[begins[t] + 1 : begins[t] + 1 + len(ideal)] = np.cumsum(ideal[-1] / ideal)
        return begins, sums

    def inverse_sum(self, topic: Any, rank: Any) -> Floats:
        """Return the sum of I[R] / I[i] over the ranks 1..``rank`` of a topic."""
        begins, sums = self._inverse_ideal
        inside = np.minimum(rank, self.recall[topic]).astype(np.int64)
        return np.asarray(sums[begins[topic] + inside] + (rank - inside))

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:
        """Write the values of the measures to their rows of ``out``."""
        vectors = _AtCutoffs(self, run)
        values: dict[Any, Floats] = {}
        for row, spec, key, column in self._readings:
            if key not in values:
                values[key] = read(vectors, spec)
            out[row] = np.broadcast_to(values[key], vectors.value.shape)[:, column]

    def fill_ideal(self, out: Floats) -> None:
        """Write the (D)CG of the ideal ranking, not normalised, to the measures' rows."""
        vectors = _AtCutoffs(self, self.ideal_gains)
        for row, spec, _, column in self._readings:
            out[row] = vectors.read(spec.replace(divisor=""))[:, column]

    @cached_property
    def _total(self) -> Floats:
        """The sum of the gains of each topic's recall base."""
        ideal = self.ideal_gains
        return np.asarray(np.bincount(ideal.topic, ideal.gain, len(self.recall)), dtype=np.float64)

    def divisor(self, topics: slice, name: str, ranks: Floats) -> Floats:
        """Return what divides the vectors of some topics: a divisor other than the ideal."""
        if name == "ranks":
            return np.asarray(ranks * self.gain.max(initial=0.0))
        return self._total[topics, None]

    def vectors(self, run: Gains, ideal: Gains, topics: slice, depth: int) -> Vectors:
        """Return the cumulated vectors, the same for all measures of the group."""
        value, best = (
            np.cumsum(spread(gains, self.discounted(gains), topics, depth), axis=1)
            for gains in (run, ideal)
        )
        if self.spec.unjudged > 0:  # what the ideal ranking has after the documents that gain more
            gain = np.maximum(spread(ideal, ideal.gain, topics, depth), self.spec.unjudged)
            best = core.dcg(gain, discount=self.spec.discount, base=self.spec.base)
        return Vectors(value, best, partial(self.divisor, topics))


class _AtCutoffs(Vectors):
    """The vectors at the cutoffs of a group's measures and at each topic's own R.

    The gain at rank j is part of the vector from j on, so it counts at k - j + 1 of the ranks 1 to
    k; when ratios are summed, it is divided each time by the ideal at that rank.
    """

    def __init__(self, group: CumulatedGroup, run: Gains) -> None:
        self._group, self._run = group, run
        self._sums, self._discounted = group.sums(run), group.discounted(run)
        self._value = self._sums(self._discounted)
        self._divisor = partial(group.divisor, slice(None))

    @property
    def ideal(self) -> Floats:
        return self._group.ideal

    @property
    def ranks(self) -> Floats:
        return self._group.ranks

    def total(self) -> Floats:
        return (self.ranks + 1) * self.value - self._sums(self._discounted * self._run.rank)

    def total_of_ratios(self) -> Floats:
        inverse, run = self._group.inverse_sum, self._run
        topics = np.arange(len(self.value))[:, None]
        before = self._sums(self._discounted * inverse(run.topic, run.rank - 1))
        return divide(inverse(topics, self.ranks) * self.value - before, self.ideal[:, -1:])


class FormulaGroup(Group):
    """A group of one measure, which has a formula of its own."""

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:  # noqa: ARG002
        """Write the values of the measure to its row of ``out``."""
        ((row, measure),) = self.measures
        if (self.spec.cutoff or 0) > DEEPEST:
            raise ValueError(
                f"{measure} is computed at every rank, so its cutoff must be at most {DEEPEST}"
            )
        ends = self.recall.copy()
        if self.spec.cutoff:
            ends[:] = self.spec.cutoff
        elif not self.spec.at_r:  # to the last gain of the run or of the ideal ranking
            gaining = run.where(run.gain != 0)
            np.maximum.at(ends, gaining.topic, gaining.rank)
        depth = int(ends.max(initial=1))
        for topics in batch_topics(len(self.recall), depth):
            gains, ideal = run.of_topics(topics), self.ideal_gains.of_topics(topics)
            vectors = self.vectors(gains, ideal, topics, depth)
            k = ends[topics]
            values = vectors.read(self.spec)[np.arange(len(k)), k - 1]
            out[row, topics] = np.where(k > 0, values, 0.0)

    def vectors(self, run: Gains, ideal: Gains, topics: slice, depth: int) -> Vectors:
        """Return the formula's values at every rank."""
        ((_, measure),) = self.measures
        n = max(depth, int(self.recall[topics].max()))
        gain, best = (spread(gains, gains.gain, topics, n) for gains in (run, ideal))
        return _OfFormula(measure, gain, best, depth)


class _OfFormula(Vectors):
    """The values that a measure's formula gives for gain vectors and ideal vectors."""

    def __init__(self, measure: CumulatedGain, gain: Floats, ideal: Floats, depth: int) -> None:
        self._measure, self._depth = measure, depth
        formula: Any = measure.formula
        values = np.asarray(formula(gain, ideal), dtype=np.float64)
        if values.shape != gain.shape:
            raise ValueError(
                f"the formula of {measure} returned the shape {values.shape} for gain vectors of "
                f"the shape {gain.shape}; it must return a value for every rank"
            )
        super().__init__(values[:, :depth], ideal)

    def read(self, spec: Spec) -> Floats:
        return super().read(spec.replace(divisor=""))  # the formula's value is final

    def of_ideal(self) -> Vectors:
        return _OfFormula(self._measure, self.ideal, self.ideal, self._depth)


def _judged_only(hits: Hits, judged: NDArray[np.bool_]) -> Hits:
    """Rank the judged documents of each topic among themselves; the hits are in order."""
    hits = hits.where(judged[hits.level])
    rank = rank_within(hits.topic)
    first, size = equal_rows(hits.topic, hits.above)
    above = np.repeat(rank[first] - 1, size)
    return Hits(hits.topic, rank, hits.level, above, above + np.repeat(size, size))
