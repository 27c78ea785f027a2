"""The engine: :mod:`pt_cumgain.core` is what the papers say, this is its fast form.

A property test holds the two equal, for every parameter that a measure declares.

One pass ranks and judges a run (`rows`, `judging`); every measure then is a few array operations on
the judged documents that were found (`topics`, `sessions`), and one function, which curves share,
normalises and averages (`vectors`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.bounds import Range, bounds, shares_judged
from pt_cumgain.engine.judging import (
    Gains,
    Hits,
    Judgments,
    by_rank,
    joined,
    judge,
    warn_of_unmet_weights,
)
from pt_cumgain.engine.rows import Ints, Table, group_qrels, group_run
from pt_cumgain.engine.sessions import SessionEngine, SessionHits, SessionRun, ranked_lists
from pt_cumgain.engine.topics import (
    HOW_READ,
    WHERE_READ,
    CumulatedGroup,
    FormulaGroup,
    Group,
    last_rank,
)
from pt_cumgain.engine.vectors import Vectors, shares
from pt_cumgain.measures import CumulatedGain, SessionMeasure, Spec


class Judged(NamedTuple):
    """Where a run, or a part of one, has judged documents.

    Attributes
    ----------
    hits
        In each topic, as measures that know no sessions see it; None if there are none of these.
    sessions
        In each query of a session, with the lengths of the sessions; None if there is no session
        measure.
    """

    hits: Hits | None
    sessions: tuple[SessionHits, Ints] | None


class Engine:
    """Computes a set of measures over runs, for one set of qrels.

    Parameters
    ----------
    measures
        What to compute: measures of this package.
    qrels
        Qrels in any form of ir-measures, read once.
    told
        The measures that are named where their weightings miss the qrels; by default, all.

    Attributes
    ----------
    topics
        The topics of the qrels, in their order.

    Raises
    ------
    ValueError
        If the qrels contradict themselves, or a weighting does not fit their levels.
    """

    def __init__(
        self,
        measures: Sequence[CumulatedGain],
        qrels: Any,
        *,
        told: Sequence[CumulatedGain] | None = None,
    ) -> None:
        self._judgments = Judgments.prepare(group_qrels(qrels))
        self.topics: list[str] = list(self._judgments.topics)
        self._size = len(measures)
        shared: dict[Any, list[tuple[int, CumulatedGain]]] = {}
        of_sessions: dict[int, SessionMeasure] = {}
        for row, measure in enumerate(measures):
            measure.validate_params()
            if isinstance(measure, SessionMeasure):
                of_sessions[row] = measure
            else:
                key = row if measure.formula else measure.spec.without(*WHERE_READ, *HOW_READ)
                shared.setdefault(key, []).append((row, measure))
        self._groups = [
            (FormulaGroup if group[0][1].formula else CumulatedGroup)(group, self._judgments)
            for group in shared.values()
        ]
        warn_of_unmet_weights(measures if told is None else told, self._judgments, 3)
        self._session_rows = list(of_sessions)
        self._sessions = SessionEngine(list(of_sessions.values()), self._judgments)

    @cached_property
    def _reach(self) -> Ints | None:
        """Return the last rank that matters to some measure, by topic; None: all matter."""
        reach = np.zeros(len(self.topics), dtype=np.int64)
        for group in self._groups:
            if group.reach is None or group.spec.judged_only:
                return None
            np.maximum(reach, group.reach, out=reach)
        return reach

    def _hits(self, run: Table, reach: Ints | None) -> Hits:
        whole_ties = any(group.spec.ties != "doc_id" for group in self._groups)
        _, hits = judge(self._judgments, run, reach, whole_ties=whole_ties)
        # in the order of ranks, so that equal gain vectors have equal sums to the last bit: tests
        # that rank systems would take a difference there for one
        return by_rank(hits)

    def evaluate(self, run: Any) -> Floats:
        """Return the values of a run, shape ``(measures, topics)``.

        A topic that the run misses has the value 0, and so has a topic without relevant documents
        under a normalised measure. In a run over sessions (with ``query_position``) the topics are
        the sessions; measures that know no sessions see each as one list, by query position, then
        score, each document where it first appears.

        Parameters
        ----------
        run
            A run in any form of ir-measures, or as :func:`pt_cumgain.engine.rows.group_run`
            returned it.

        Raises
        ------
        ValueError
            If a score is NaN, a document appears twice where a measure looks, gains are so large
            that their sum is no longer a number, or a session measure meets a run without
            ``query_position``.
        """
        return self.values([self.judge(run)])

    def judge(self, run: Any) -> Judged:
        """Return what the values need of a run, which may be a part: whole topics.

        The work grows with the part, so a run can be judged piece by piece. The parameter and the
        errors, but for sums that are too large, are those of :meth:`evaluate`.
        """
        table = run if isinstance(run, Table) else group_run(run)
        sessions = of_sessions = hits = None
        if table.position is not None or self._session_rows:
            sessions = SessionRun.group(table)
            if self._session_rows:
                of_sessions = self._sessions.judge(sessions)
        if self._groups:
            hits = self._hits(table if sessions is None else sessions.as_lists(), self._reach)
        return Judged(hits, of_sessions)

    def values(self, parts: Sequence[Judged]) -> Floats:
        """Return the values of a run from its parts, which share no topic, as `evaluate` does."""
        out = np.zeros((self._size, len(self.topics)))
        with np.errstate(over="ignore", invalid="ignore"):
            if self._session_rows:
                found, lengths = zip(*(part.sessions for part in parts if part.sessions))
                out[self._session_rows] = self._sessions.values(joined(found), sum(lengths))
            if self._groups:
                hits = joined([part.hits for part in parts])
                for group in self._groups:
                    group.fill(out, group.seen(hits, group.reach))
        self._refuse_overflow(out)
        return out

    def bounds(self, run: Any) -> Range:
        """Return how far missing judgments could move the values of :meth:`evaluate`.

        The three arrays have the shape ``(measures, topics)``. The measures are those that
        :func:`pt_cumgain.engine.bounds.bounds` takes.
        """
        lists = ranked_lists(run)
        lengths, hits = self._judgments.lengths(lists), self._hits(lists, self._reach)
        out = Range(*np.zeros((3, self._size, len(self.topics))))
        for group in self._groups:
            seen = group.seen(hits, group.reach)
            for row, measure in group.measures:
                whole, cutoff = slice(0, len(self.topics)), np.array([last_rank(measure.spec)])
                found = _ranges(measure.spec, group, seen, lengths, whole, cutoff)
                for of_all, of_measure in zip(out, found):
                    of_all[row] = of_measure[:, 0]
        self._refuse_overflow(out.low)
        self._refuse_overflow(out.high)
        return out

    def bounds_by_rank(self, run: Any, depth: int, row: int) -> Iterator[tuple[slice, Range]]:
        """Yield what :meth:`bounds` returns with every cutoff down to a rank, for one measure.

        There is one for each share of topics that :meth:`curves` yields, of the shape
        ``(topics, depth)``.
        """
        lists = ranked_lists(run)
        lengths, reach = self._judgments.lengths(lists), np.full(len(self.topics), depth)
        (group,) = (group for group in self._groups if row in dict(group.measures))
        spec, ranks = dict(group.measures)[row].spec, np.arange(1, depth + 1)
        seen = group.seen(self._hits(lists, reach), reach)
        for topics in shares(len(self.topics), depth):
            found = _ranges(spec, group, seen, lengths, topics, ranks)
            self._refuse_overflow(found.low.T, topics.start)
            self._refuse_overflow(found.high.T, topics.start)
            yield topics, found

    def judged(self, run: Any) -> Floats:
        """Return the share of each measure's first ranks that is judged, NaN if there are none.

        The shape is ``(measures, topics)``. The ranks are those of the whole list, documents of
        equal score by id, whatever a measure makes of ties and of unjudged documents.
        """
        lists = ranked_lists(run)
        lengths, hits = self._judgments.lengths(lists), self._hits(lists, self._reach)
        out = np.empty((self._size, len(self.topics)))
        for group in self._groups:
            for row, measure in group.measures:
                end = group.recall if measure.spec.at_r else last_rank(measure.spec)
                reach = np.broadcast_to(end, lengths.shape)
                out[row] = shares_judged(hits.rank, hits.topic, lengths, reach)
        return out

    def ideal(self) -> tuple[Ints, Floats]:
        """Return R and the value that (D)CG has for the ideal ranking, not normalised.

        Both have the shape ``(measures, topics)``. The value is NaN where descending gains are not
        ideal. There is none of measures with a formula of their own, and of sessions.
        """
        recall = np.zeros((self._size, len(self.topics)), dtype=np.int64)
        ideal = np.zeros(recall.shape)
        for group in self._groups:
            with np.errstate(over="ignore", invalid="ignore"):
                group.fill_ideal(ideal)
            for row, _ in group.measures:
                recall[row] = group.recall
        self._refuse_overflow(ideal)
        for group in self._groups:
            if not core.has_ideal(group.spec.discount, group.spec.base):
                ideal[[row for row, _ in group.measures]] = np.nan
        return recall, ideal

    def by_level(self, run: Any) -> tuple[Floats, Floats]:
        """Return the levels, and what each contributes to the values of :meth:`evaluate`.

        The parts have the shape ``(levels, measures, topics)``; their sum is the value.
        """
        lists = ranked_lists(run)
        hits = self._hits(lists, self._reach)
        out = np.zeros((len(self._judgments.levels), self._size, len(self.topics)))
        with np.errstate(over="ignore", invalid="ignore"):
            for group in self._groups:
                seen = group.seen(hits, group.reach)
                for level, part in enumerate(out):
                    group.fill(part, seen.where(seen.level == level))
            self._refuse_overflow(out.sum(axis=0))
        return self._judgments.levels, out

    def _refuse_overflow(self, values: Floats, first: int = 0) -> None:
        """Raise if a value is not finite; ``values`` has a topic in each column."""
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])
            raise ValueError(
                f"the discounted gains of topic {self.topics[first + at]!r} are too large for a "
                "sum of floats; use smaller gains, or a base that is farther from 1"
            )

    def curves(
        self, run: Any, depth: int, row: int | None = None
    ) -> Iterator[tuple[slice, list[Vectors]]]:
        """Yield what the measures read, at every rank, for a share of the topics at a time.

        Each share is a slice of ``topics`` and, for each measure in the order given, the vectors of
        these topics down to a rank. Cutoffs play no part. Session measures have no such vectors.

        Parameters
        ----------
        run
            As for :meth:`evaluate`.
        depth
            The last rank.
        row
            The place of the only measure that is wanted; others may have None.
        """
        lists = ranked_lists(run)
        groups = [group for group in self._groups if row is None or row in dict(group.measures)]
        judged_only = any(group.spec.judged_only for group in groups)
        reach = np.full(len(self.topics), depth)
        hits = self._hits(lists, None if judged_only else reach)
        rankings = [group.seen(hits, reach) for group in groups]
        for topics in shares(len(self.topics), depth):
            vectors: list[Any] = [None] * self._size
            for group, ranking in zip(groups, rankings):
                with np.errstate(over="ignore", invalid="ignore"):
                    read = group.vectors(ranking, topics, depth)
                self._refuse_overflow(read[0].value.T, topics.start)
                self._refuse_overflow(read[0].ideal.T, topics.start)
                for (row, _), of_measure in zip(group.measures, read):
                    vectors[row] = of_measure
            yield topics, vectors


def _ranges(
    spec: Spec, group: Group, run: Gains, lengths: Ints, topics: slice, cutoffs: Ints
) -> Range:
    """Return the ranges of some topics, from so many at a time that what is tried can be held."""
    # an unjudged document could have the gain 0, or that of any level of the qrels
    gains = np.append(group.gain, group.spec.gains.gain([0.0]))
    depth = min(int(cutoffs.max()), int(lengths.max(initial=1)))
    parts = []
    for part in shares(topics.stop - topics.start, len(gains) * max(depth, len(cutoffs))):
        at = slice(topics.start + part.start, topics.start + part.stop)
        with np.errstate(over="ignore", invalid="ignore"):
            parts.append(bounds(spec, gains, *group.here(run, at), lengths[at], at, cutoffs))
    return Range(*map(np.concatenate, zip(*parts)))
