"""The values of measures by topic.

Gain vectors and ideal vectors are made once for each weighting and rule of ties, as tables. Each
equation is computed once, and all measures that have it read their values off its vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import NO_LEVEL, Gains, Hits, Judgments, by_rank, join_columns
from pt_cumgain.engine.rows import Ints, equal_rows, rank_within
from pt_cumgain.engine.ties import rank_gains
from pt_cumgain.engine.vectors import Ranks, Read, Vectors, batch_topics, gain_vectors
from pt_cumgain.measures import CumulatedGain, Spec
from pt_cumgain.options import DEEPEST

_END = int(np.iinfo(np.int64).max)

#: The parameters of a measure that say where its vectors are read.
_READING = ("cutoff", "at_r", "avg_pos")


def last_rank(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer means the list's end."""
    return spec.cutoff or _END


def equation_key(measure: CumulatedGain) -> tuple[Any, ...]:
    """Return a key of the measures that have equal vectors, which they may read differently."""
    params = [f"{name}={value}" for name, value in measure.params.items() if name not in _READING]
    return type(measure), *sorted(params)


class Group:
    """Measures that share a weighting and a ranking, and so the gain vectors.

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
    equations
        The measures by equation, each with its row.
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
        equations: dict[Any, list[tuple[int, CumulatedGain]]] = {}
        for row, measure in measures:
            equations.setdefault(equation_key(measure), []).append((row, measure))
        self.equations = list(equations.values())

    def with_ideal(self, ideal: Gains) -> Group:
        """Return a group of the same measures, without ``at_r``, under another ideal ranking.

        ``ideal`` has the positive gains of each topic in descending order.
        """
        group = Group(self.measures, self._judgments)
        group.ideal_gains = ideal
        return group

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
        depth = lengths
        if self.reach is not None:
            depth = np.minimum(lengths, self.reach)
        return self._add_unjudged(gains, depth)

    def _add_unjudged(self, gains: Gains, depth: Ints) -> Gains:
        """Add the gain of an unjudged document at each topic's ranks down to a depth.

        ``gains`` are what the judged documents gain more than that.
        """
        topic = np.repeat(np.arange(len(depth)), depth)
        level, gain = np.full(len(topic), NO_LEVEL), np.full(len(topic), float(self.spec.unjudged))
        every = Gains(topic, rank_within(topic), level, gain)
        return by_rank(join_columns([every, gains]))

    def fill(self, out: Floats, run: Gains, read: Read = Vectors.values) -> None:
        """Write the values of the measures to their rows of ``out``.

        ``run`` has gains as :meth:`rank_gains` returns them. ``read`` may read something else off
        the vectors.
        """
        ends = self._find_ends(run)
        depth = self._find_depth(run)
        for topics in batch_topics(len(self.recall), depth):
            gain = gain_vectors(run, topics, depth)
            ideal = gain_vectors(self.ideal_gains, topics, depth)
            for measures in self.equations:
                vectors = self.compute(measures[0][1], gain, ideal)
                for row, measure in measures:
                    ranks = self._ranks_read(measure.spec, ends, topics)
                    out[row, topics] = read(vectors, ranks)[:, 0]

    def _find_depth(self, run: Gains) -> int:
        """Return how many ranks the tables need: to the last gain, or to the last rank read."""
        last = int(run.rank.max(initial=1))
        if self.reach is not None:
            last = min(last, int(self.reach.max(initial=1)))
        depth = max(last, int(self.recall.max(initial=1)))
        for _, measure in self.measures:
            cutoff = measure.spec.cutoff
            if measure.levels_off or cutoff is None:
                continue
            if cutoff > DEEPEST:
                raise ValueError(
                    f"{measure} is computed at every rank, so its cutoff must be at most {DEEPEST}"
                )
            depth = max(depth, cutoff)
        return depth

    def compute(self, measure: CumulatedGain, gain: Floats, ideal: Floats) -> Vectors:
        """Return the vectors of a measure, from gain vectors and ideal vectors."""
        if measure.levels_off:
            ideal = ideal[:, : max(int(self.recall.max(initial=1)), 1)]  # where its gains end
        depth = core.find_discount(measure.spec.discount).depth
        if depth < gain.shape[1]:  # no measure reads past the last weight of a registered discount
            gain, ideal = gain[:, : int(depth)], ideal[:, : int(depth)]
        return Vectors.compute(measure, gain, ideal)

    def tables(self, run: Gains, depth: int) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield topics with their gain vectors and ideal vectors, at least to a depth."""
        depth = max(depth, int(self.recall.max(initial=1)))
        best = self._rank_best(depth)
        for topics in batch_topics(len(self.recall), depth):
            yield topics, gain_vectors(run, topics, depth), gain_vectors(best, topics, depth)

    def _find_ends(self, run: Gains) -> Ints:
        """Return the last rank of each topic at which the run or the ideal ranking has a gain."""
        gaining = run.where(run.gain != 0)
        ends = self.recall.copy()
        np.maximum.at(ends, gaining.topic, gaining.rank)
        return ends

    def _ranks_read(self, spec: Spec, ends: Ints, topics: slice) -> Ranks:
        """Return the rank at which a measure is read: one for all topics, or one for each."""
        if spec.at_r:
            return Ranks(self.recall[topics, None], spec.avg_pos)
        if spec.cutoff is None:
            return Ranks(ends[topics, None], spec.avg_pos)
        return Ranks(np.array([spec.cutoff]), spec.avg_pos)

    def _rank_best(self, depth: int) -> Gains:
        """Return the ideal ranking, with the unjudged documents that follow better ones."""
        unjudged = self.spec.unjudged
        ideal = self.ideal_gains
        if unjudged <= 0:
            return ideal
        better = ideal.where(ideal.gain > unjudged)
        above = better._replace(gain=better.gain - unjudged)
        return self._add_unjudged(above, np.full_like(self.recall, depth))


def _judged_only(hits: Hits, judged: NDArray[np.bool_]) -> Hits:
    """Rank the judged documents of each topic among themselves; the hits are in order."""
    hits = hits.where(judged[hits.level])
    rank = rank_within(hits.topic)
    first, size = equal_rows(hits.topic, hits.above)
    above = np.repeat(rank[first] - 1, size)
    return Hits(hits.topic, rank, hits.level, above, above + np.repeat(size, size))
