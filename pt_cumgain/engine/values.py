"""The values of measures by topic, or by session.

Gain vectors and ideal vectors are made once for all measures that share them, as tables. Each
equation is computed once, and all measures that have it read their values off its vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.gains import add_unjudged, rank_best, rank_gains, rank_judged, take_first
from pt_cumgain.engine.judging import NO_LEVEL, Gains, Judgments
from pt_cumgain.engine.layout import Layout
from pt_cumgain.engine.rows import Ints, rank_within
from pt_cumgain.engine.units import ALL, Judged, SessionJudgments
from pt_cumgain.engine.vectors import Ranks, Read, Vectors, batch_topics, gain_vectors
from pt_cumgain.measures import CumulatedGain, GainVectors, Normalised, SessionGains
from pt_cumgain.options import DEEPEST
from pt_cumgain.parameters import Spec

#: The parameters of a measure that say where its vectors are read.
_READING = {"cutoff", "at_r", "avg_pos"}


def last_rank(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer means the list's end."""
    return spec.cutoff or ALL


class VectorGains(NamedTuple):
    """The gains of the run and of the ideal ranking, at the positions of vectors.

    Attributes
    ----------
    run, ideal
        The gains, a row for each topic, session or query. Ranks are positions of the vectors.
    ends
        The last position of each vector.
    width
        How many positions the tables need.
    layout
        Which rank of which query stands at each position; None for topics.
    """

    run: Gains
    ideal: Gains
    ends: Ints
    width: int
    layout: Layout | None = None

    def batches(self) -> Iterator[tuple[slice, GainVectors, GainVectors]]:
        """Yield some topics with their gain vectors and ideal vectors."""
        for topics in batch_topics(len(self.ends), self.width):
            gain, ideal = (gain_vectors(g, topics, self.width) for g in (self.run, self.ideal))
            if self.layout is None:
                yield topics, gain, ideal
            else:
                rank, query = self.layout.positions(topics, self.width)
                yield topics, SessionGains(gain, rank, query), SessionGains(ideal, rank, query)


class Group:
    """Measures of topics that share a weighting and a ranking, and so the gain vectors.

    All of them have a formula, or none.

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
        The last rank that any measure reads, by topic; the largest integer means the list's end.
    """

    def __init__(self, measures: Sequence[tuple[int, CumulatedGain]], judgments: Judgments) -> None:
        self.measures, self.judgments = measures, judgments
        self.spec = measures[0][1].spec
        self.gain: Floats = self.spec.gains.gain(judgments.levels)
        self.reach: Ints = np.max([self.last_ranks(m.spec) for _, m in measures], axis=0)
        equations: dict[object, list[tuple[int, CumulatedGain]]] = {}
        for row, measure in measures:
            # measures of one equation may read its vectors differently
            params = {f"{name}={measure.params[name]}" for name in measure.params.keys() - _READING}
            equations.setdefault((type(measure), frozenset(params)), []).append((row, measure))
        self.equations = list(equations.values())

    def with_ideal(self, ideal: Gains) -> Group:
        """Return a group of the same measures, without ``at_r``, under another ideal ranking.

        ``ideal`` has the positive gains of each topic in descending order.
        """
        group = Group(self.measures, self.judgments)
        group.ideal_gains = ideal
        return group

    @cached_property
    def ideal_gains(self) -> Gains:
        """The ideal ranking of each topic, or of each unit of the judgments of sessions."""
        return self.judgments.ideal(self.gain)

    @cached_property
    def recall(self) -> Ints:
        """R, each topic's number of documents with a positive gain."""
        return np.bincount(self.ideal_gains.row, minlength=len(self.judgments.topics))

    def last_ranks(self, spec: Spec) -> Ints:
        """Return the last rank a measure reads, by topic; see :func:`last_rank`."""
        last = self.recall if spec.at_r else last_rank(spec)
        return np.broadcast_to(last, len(self.judgments.topics))

    def rank_gains(self, judged: Judged) -> Gains:
        """Return the gains at the ranks that matter, as the group's measures see the run."""
        hits, unjudged = judged.hits, self.spec.unjudged
        if self.spec.judged_only:  # before ties, as unjudged documents are in no block of them
            hits = rank_judged(hits, self.spec.gains.is_judgment(self.judgments.levels))
        gains = rank_gains(hits, self.gain, self.spec.ties, self.reach, unjudged)
        return add_unjudged(gains, unjudged, np.minimum(judged.documents, self.reach))

    def locate(self, judged: Judged, depth: int = 0) -> VectorGains:
        """Return the gains of a run in vectors, for curves down to a depth, if there are any."""
        located = self.locate_gains(self.rank_gains(judged))
        located = located._replace(width=max(located.width, depth))
        if not depth or self.measures[0][1].formula:  # a formula reads all of I: the recall base
            return located
        best = rank_best(self.ideal_gains, self.spec.unjudged, np.full_like(located.ends, depth))
        return located._replace(ideal=best)

    def locate_gains(self, run: Gains) -> VectorGains:
        """Return gains in vectors; they are those that :meth:`rank_gains` returns."""
        # without a cutoff, a value is read where neither the run nor the ideal gains any more
        ends = self.recall.copy()
        gaining = run.where(run.gain != 0)
        np.maximum.at(ends, gaining.row, gaining.rank)
        return VectorGains(run, self.ideal_gains, ends, self._find_width(run))

    def fill(self, out: Floats, gains: VectorGains, read: Read = Vectors.values) -> None:
        """Write the values of the measures to their rows of ``out``.

        ``read`` may read something else off the vectors.
        """
        for topics, gain, ideal in gains.batches():  # outermost, so that few vectors are held
            for measures in self.equations:
                vectors = self.compute(measures[0][1], gain, ideal)
                for row, measure in measures:
                    ranks = self._ranks_read(measure.spec, gains.ends, topics)
                    out[row, topics] = read(vectors, ranks)[:, 0]

    def curves(
        self, measure: CumulatedGain, gains: VectorGains, depth: int, *, vectors: bool = False
    ) -> Iterator[tuple[slice, list[Floats]]]:
        """Yield a measure's values at the positions 1 to ``depth`` and the ideal ones, in batches.

        With ``vectors``, these are the vectors, neither divided nor averaged. The ideal ones are
        NaN if they are not known.
        """
        read = Vectors.numerators if vectors else Vectors.values
        ranks = Ranks(np.arange(1, depth + 1), measure.spec.avg_pos and not vectors)
        for topics, gain, ideal in gains.batches():
            with np.errstate(over="ignore", invalid="ignore"):
                of_run = self.compute(measure, gain, ideal)
                best = of_run.divisor if isinstance(measure, Normalised) else None
                if best is None:
                    best = self.compute_ideal(measure, ideal)
                values = [read(each, ranks) for each in (of_run, of_run._replace(vector=best))]
            yield topics, values

    def _find_width(self, run: Gains) -> int:
        """Return how many ranks the tables need: to the last gain, or to the last rank read."""
        # gains of tied documents may be past the last rank read
        last = min(int(run.rank.max(initial=1)), int(self.reach.max(initial=1)))
        width = max(last, int(self.recall.max(initial=1)))
        for _, measure in self.measures:
            cutoff = 0 if measure.levels_off else measure.spec.cutoff or 0
            if cutoff > DEEPEST:
                raise ValueError(
                    f"{measure} is computed at every rank, so its cutoff must be at most {DEEPEST}"
                )
            width = max(width, cutoff)
        return width

    def compute(self, measure: CumulatedGain, gain: GainVectors, ideal: GainVectors) -> Vectors:
        """Return the vectors of a measure, from gain vectors and ideal vectors."""
        table, best = np.asarray(gain), np.asarray(ideal)
        if measure.levels_off:
            best = best[:, : int(self.recall.max(initial=1))]  # where its gains end
        # no measure reads past the last weight of a registered discount
        depth = int(min(core.find_discount(measure.spec.discount).depth, table.shape[1]))
        return Vectors.compute(measure, table[:, :depth], best[:, :depth])

    def compute_ideal(self, measure: CumulatedGain, ideal: GainVectors) -> Floats:
        """Return the numerators of a measure for the ideal ranking, NaN if it is not known."""
        return self.compute(measure, ideal, ideal).vector

    def _ranks_read(self, spec: Spec, ends: Ints, topics: slice) -> Ranks:
        """Return the rank at which a measure is read: one for all topics, or one for each."""
        if spec.cutoff:
            return Ranks(np.array([spec.cutoff]), spec.avg_pos)
        last = self.recall if spec.at_r else ends
        return Ranks(last[topics, None], spec.avg_pos)


class SessionGroup(Group):
    """Measures of sessions that read the same positions of the same vectors.

    A session's vector consists of those of its queries, each of which is ranked like a topic.

    Raises
    ------
    ValueError
        If the qrels are by turn, and a normalised measure counts documents once.
    """

    def __init__(
        self, measures: Sequence[tuple[int, CumulatedGain]], judgments: SessionJudgments
    ) -> None:
        super().__init__(measures, judgments.units)
        self._sessions = judgments
        for _, measure in measures:
            if isinstance(measure, Normalised) and not self._knows_ideal(measure):
                raise ValueError(
                    f"{measure}: the qrels have a column query_position, so a document may have "
                    "another level at each query, and no ideal session is known that counts it "
                    "once; use duplicates='count', or sDCG"
                )

    def _knows_ideal(self, measure: CumulatedGain) -> bool:
        """Return whether the ideal session of a measure is known."""
        spec, by_turn = measure.spec, self._sessions.by_turn
        unknown = by_turn and spec.duplicates == "first"
        return core.has_ideal(spec.discount, spec.base) and not unknown

    def rank_queries(self, judged: Judged, layout: Layout) -> tuple[Gains, Gains]:
        """Return the gains that a user of the measures sees, and the ideal ones, by query."""
        spec, seen = self.spec, layout.cut(judged.hits)
        if spec.duplicates == "first":  # a document counts where the searcher saw it first
            seen = seen.where(seen.rank <= layout.scanned[seen.topic])
            order = np.lexsort((seen.position, seen.document))
            _, first = np.unique(seen.document[order], return_index=True)
            seen = seen.where(np.sort(order[first]))
        # only now: where it was seen first, it may not be judged, and later it is seen already
        seen = seen.where(seen.level != NO_LEVEL)
        gains = rank_gains(seen, self.gain, spec.ties, layout.scanned, spec.unjudged)
        # documents tied across the last rank that was scanned share their gains beyond it
        gains = gains.where(gains.rank <= layout.scanned[gains.row])
        unit = self._sessions.unit(layout.session, rank_within(layout.session))
        ideal = take_first(self.ideal_gains, unit, layout.best)
        ideal = rank_best(ideal, spec.unjudged, layout.best)
        return add_unjudged(gains, spec.unjudged, layout.documents), ideal

    def locate(self, judged: Judged, depth: int = 0) -> VectorGains:
        """Return the gains of a run in vectors, for curves down to a depth, if there are any."""
        layout = Layout.read(self.spec, judged)
        run, best = (layout.locate(gains) for gains in self.rank_queries(judged, layout))
        if self.spec.duplicates == "first":  # the whole recall base, for core.assign_gains
            best = take_first(self.ideal_gains, self._sessions.bounds[:-1], layout.size)
        width = int(layout.size.max(initial=max(depth, 1)))
        return VectorGains(run, best, layout.size, width, layout)

    def locate_queries(self, judged: Judged) -> VectorGains:
        """Return the same with each query as the first one of a session of its own.

        Queries without documents are among them; a session of length 0 has none.
        """
        layout = Layout.read(self.spec._replace(queries=None), judged)
        alone = replace(layout, begin=np.arange(len(layout.widths) + 1))
        return VectorGains(*self.rank_queries(judged, layout), alone.size, self.spec.depth, alone)

    def compute(self, measure: CumulatedGain, gain: GainVectors, ideal: GainVectors) -> Vectors:
        """Return the vectors of a measure, from gain vectors and ideal vectors of sessions."""
        return Vectors.compute(measure, gain, ideal)

    def compute_ideal(self, measure: CumulatedGain, ideal: GainVectors) -> Floats:
        """Return the vectors of the ideal session, NaN if it is not known."""
        known = self._knows_ideal(measure)
        return measure.ideal_vector(ideal) if known else np.full(ideal.shape, np.nan)

    def _ranks_read(self, spec: Spec, ends: Ints, topics: slice) -> Ranks:
        """Return the last position of each session."""
        return Ranks(ends[topics, None], spec.avg_pos)
