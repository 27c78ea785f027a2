"""The values of measures by topic, from the ranks of the judged documents.

The ideal ranking is cumulated by the same code as the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import NO_LEVEL, Gains, Hits, Judgments, by_rank
from pt_cumgain.engine.rows import Ints, equal_rows, rank_within
from pt_cumgain.engine.ties import rank_gains
from pt_cumgain.engine.vectors import Read, Vectors, add_rank_0, batch_topics, known_ranks, spread
from pt_cumgain.measures import CumulatedGain, Spec
from pt_cumgain.options import DEEPEST

_END = int(np.iinfo(np.int64).max)


def last_rank(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer means the list's end."""
    return spec.cutoff or _END


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
    reach
        The last rank that any measure reads, by topic; None if all are read.
    """

    def __init__(self, measures: Sequence[tuple[int, CumulatedGain]], judgments: Judgments) -> None:
        self.measures, self._judgments = measures, judgments
        self.spec = measures[0][1].spec
        self.gain: Floats = self.spec.gains.gain(judgments.levels)
        specs = [measure.spec for _, measure in measures]
        self.reach: Ints | None = None
        if all(spec.cutoff or spec.at_r for spec in specs):
            ends = [self.recall if spec.at_r else last_rank(spec) for spec in specs]
            self.reach = np.max(np.broadcast_arrays(judgments.bounds[1:] * 0, *ends), axis=0)

    @property
    def possible(self) -> Floats:
        """The gains that an unjudged document could have: of level 0, or any of the qrels."""
        return np.append(self.gain, self.spec.gains.gain([0.0]))

    @cached_property
    def ideal_gains(self) -> Gains:
        """The ideal ranking of each topic."""
        return self._judgments.ideal(self.gain)

    @cached_property
    def recall(self) -> Ints:
        """R, each topic's number of documents with a positive gain."""
        return np.bincount(self.ideal_gains.topic, minlength=len(self._judgments.topics))

    def rank_gains(self, hits: Hits, lengths: Ints) -> Gains:
        """Return the gains at the ranks that matter, as the group's measures see the run.

        ``lengths`` says how many documents the run has for each topic.
        """
        unjudged = self.spec.unjudged
        if self.spec.judged_only:
            hits = _judged_only(hits, self.spec.gains.judged(self._judgments.levels))
        gains = rank_gains(hits, self.gain - unjudged, self.spec.ties, self.reach)
        if not unjudged:
            return gains
        depth = lengths if self.reach is None else np.minimum(lengths, self.reach)
        return self._add_unjudged(gains, depth)

    def _add_unjudged(self, gains: Gains, depth: Ints) -> Gains:
        """Add the gain of an unjudged document at each topic's ranks down to a depth.

        ``gains`` are what the judged documents gain more than that.
        """
        topic = np.repeat(np.arange(len(depth)), depth)
        level, gain = np.full(len(topic), NO_LEVEL), np.full(len(topic), float(self.spec.unjudged))
        every = Gains(topic, rank_within(topic), level, gain)
        columns: Any = map(np.concatenate, zip(every, gains))
        return by_rank(Gains(*columns))

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:
        """Write the values of the measures to their rows of ``out``; see :meth:`rank_gains`.

        ``read`` may read something else off the vectors; a measure with a formula has only values.
        """
        raise NotImplementedError

    def vectors(self, run: Gains, ideal: Gains, topics: slice, ranks: Ints) -> Vectors:
        """Return the vectors of some topics that the measures read, at some ranks.

        ``run`` and ``ideal`` are the gains of these topics.
        """
        raise NotImplementedError


class CumulatedGroup(Group):
    """The (n)(D)CG measures that share a weighting, a discount and a ranking."""

    def __init__(self, measures: Sequence[tuple[int, CumulatedGain]], judgments: Judgments) -> None:
        super().__init__(measures, judgments)
        specs = [measure.spec for _, measure in measures]
        depths = {last_rank(spec) for spec in specs if not spec.at_r}
        self._cutoffs = np.array(sorted(depths), dtype=np.int64)
        # the rows of the measures, with their cutoffs' columns, by how they read and whether at R
        self._rows: dict[tuple[str, bool, bool], tuple[Spec, list[tuple[int, Any]]]] = {}
        for (row, _), spec in zip(measures, specs):
            column = 0 if spec.at_r else np.searchsorted(self._cutoffs, last_rank(spec))
            key = spec.divisor, spec.avg_pos, spec.at_r
            self._rows.setdefault(key, (spec, []))[1].append((row, column))

    def with_ideal(self, ideal: Gains) -> CumulatedGroup:
        """Return a group of the same measures, without ``at_r``, under another ideal ranking.

        ``ideal`` has the positive gains of each topic in descending order.
        """
        group = CumulatedGroup(self.measures, self._judgments)
        group.ideal_gains = ideal
        return group

    def _cumulate(
        self, gains: Gains, topics: slice, ranks: Ints, ideal: Vectors | None = None
    ) -> Vectors:
        """Return the (D)CG vectors of some topics from their gains."""
        gains = gains.where(gains.rank <= ranks.max(initial=0))
        topic, count = gains.topic - topics.start, topics.stop - topics.start

        def cumulate() -> Floats:
            spec, rank = self.spec, known_ranks(self.spec, gains.rank)
            discounted = core.discount_gains(gains.gain, rank, spec.discount, spec.base)
            return core.cg(spread(topic, gains.rank, discounted, count))

        return Vectors(cumulate, ranks, ideal, partial(self.divisor, topics))

    def _read_at(
        self, gains: Gains, topics: slice, ideals: Mapping[bool, Vectors | None]
    ) -> dict[bool, Vectors]:
        """Return vectors at the cutoffs (False) or each topic's own R (True), as ``ideals`` are."""
        return {
            at_r: self._cumulate(
                gains, topics, self.recall[topics, None] if at_r else self._cutoffs, ideal
            )
            for at_r, ideal in ideals.items()
        }

    def _cumulate_ideal(self, topics: slice) -> dict[bool, Vectors]:
        """Return the ideal vectors of some topics, as far as measures read them."""
        needed = dict.fromkeys(spec.at_r for spec, _ in self._rows.values())
        return self._read_at(self.ideal_gains.select(topics), topics, needed)

    @cached_property
    def _ideal(self) -> dict[bool, Vectors]:
        """The ideal vectors of all topics, if they can be held."""
        return self._cumulate_ideal(slice(0, len(self.recall)))

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:
        """Write the values of the measures to their rows of ``out``."""
        both = (run, self.ideal_gains)
        depth = max(int(gains.rank.max(initial=0)) for gains in both)
        if self.reach is not None:
            depth = min(depth, int(self.reach.max(initial=0)))
        for topics in batch_topics(len(self.recall), depth):
            is_all = topics == slice(0, len(self.recall))
            ideals = self._ideal if is_all else self._cumulate_ideal(topics)
            found = self._read_at(run.select(topics), topics, ideals)
            for spec, places in self._rows.values():
                rows, columns = map(list, zip(*places))
                some = found[spec.at_r]
                values = np.broadcast_to(read(some, spec), some.value.shape)
                out[rows, topics] = values[:, columns].T

    @cached_property
    def _total(self) -> Floats:
        """The sum of the gains of each topic's recall base."""
        ideal = self.ideal_gains
        return core.sum_recall_base(ideal.topic, ideal.gain, len(self.recall))

    def divisor(self, topics: slice, name: str, ranks: Ints) -> Floats:
        """Return the divisors of the vectors of some topics, if these are not the ideal."""
        if name == "ranks":
            return core.largest_cg(ranks, self.spec.gains.largest(self._judgments.levels))
        return self._total[topics, None]

    def vectors(self, run: Gains, ideal: Gains, topics: slice, ranks: Ints) -> Vectors:
        """Return the cumulated vectors, the same for all measures of the group."""
        unjudged = self.spec.unjudged
        if unjudged > 0:  # what the ideal ranking has after the documents that gain more
            depth = np.zeros_like(self.recall)
            depth[topics] = ranks.max()
            ideal = ideal.where(ideal.gain > unjudged)
            ideal = self._add_unjudged(ideal._replace(gain=ideal.gain - unjudged), depth)
        return self._cumulate(run, topics, ranks, self._cumulate(ideal, topics, ranks))


class FormulaGroup(Group):
    """A group of one measure, which has a formula of its own."""

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.read) -> None:
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
        for topics in batch_topics(len(self.recall), int(ends.max(initial=1))):
            gains, ideal = run.select(topics), self.ideal_gains.select(topics)
            found = self.vectors(gains, ideal, topics, ends[topics, None])
            out[row, topics] = read(found, self.spec)[:, 0]

    def vectors(self, run: Gains, ideal: Gains, topics: slice, ranks: Ints) -> Vectors:
        """Return the formula's values."""
        depth = int(max(ranks.max(), self.recall[topics].max(), 1))
        gain, best = (_spread(gains, topics, depth) for gains in (run, ideal))
        return Vectors(
            partial(self._compute, gain, best),
            ranks,
            Vectors(partial(self._compute, best, best), ranks),
        )

    def _compute(self, gain: Floats, ideal: Floats) -> Floats:
        """Return the values of the formula for gain vectors and ideal vectors."""
        ((_, measure),) = self.measures
        formula: Any = measure.formula
        values = np.asarray(formula(gain, ideal), dtype=np.float64)
        if values.shape != gain.shape:
            raise ValueError(
                f"the formula of {measure} returned the shape {values.shape} for gain vectors of "
                f"the shape {gain.shape}; it must return a value for every rank"
            )
        return add_rank_0(values)


def _spread(gains: Gains, topics: slice, depth: int) -> Floats:
    """Return the gain at each rank of some topics, shape ``(topics, depth)``."""
    count = topics.stop - topics.start
    gains = gains.where(gains.rank <= depth)
    table = spread(gains.topic - topics.start, gains.rank, gains.gain, count)[:, 1:]
    return np.pad(table, ((0, 0), (0, depth - table.shape[1])))


def _judged_only(hits: Hits, judged: NDArray[np.bool_]) -> Hits:
    """Rank the judged documents of each topic among themselves; the hits are in order."""
    hits = hits.where(judged[hits.level])
    rank = rank_within(hits.topic)
    first, size = equal_rows(hits.topic, hits.above)
    above = np.repeat(rank[first] - 1, size)
    return Hits(hits.topic, rank, hits.level, above, above + np.repeat(size, size))
