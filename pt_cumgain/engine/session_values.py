"""The values of sDCG and nsDCG.

Each query of a session is ranked and judged like a topic, by the same code; only the combination of
gains is specific to sessions (ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import NO_LEVEL, Gains, join_columns, judge
from pt_cumgain.engine.rows import Ints, bounds_of, rank_within
from pt_cumgain.engine.session_runs import (
    ALL,
    JudgedSessions,
    Lists,
    SessionHits,
    SessionJudgments,
    SessionRun,
)
from pt_cumgain.engine.vectors import Ranks, Read, Vectors, batch_topics, spread
from pt_cumgain.measures import Normalised, SessionMeasure, Spec
from pt_cumgain.weighting import Weighting


class SessionLayout(NamedTuple):
    """How many ranks, documents and positions of each query a measure reads, session by session.

    Attributes
    ----------
    begin
        The queries of session t are ``begin[t]:begin[t + 1]``.
    scanned
        How many ranks of the query's list count.
    documents
        How many documents it has at these ranks.
    places
        How many positions it takes in the session's vector.
    best
        How many documents count at these positions in the ideal session.
    """

    begin: Ints
    scanned: Ints
    documents: Ints
    places: Ints
    best: Ints

    @classmethod
    def read(cls, spec: Spec, sessions: JudgedSessions, length: Ints) -> SessionLayout:
        """Return the layout of sessions of these lengths."""
        begin = bounds_of(np.minimum(length, spec.queries or ALL))
        lists = sessions.lists
        known = np.zeros(len(length), dtype=bool)  # a list missing there was not seen
        known[lists.session[lists.scanned != ALL]] = True
        lists = lists.where(lists.position <= np.diff(begin)[lists.session])
        query = begin[lists.session] + lists.position - 1
        scanned = np.repeat(np.where(known, 0, spec.depth), np.diff(begin))
        scanned[query] = np.minimum(lists.scanned, spec.depth)
        documents = np.zeros(begin[-1], dtype=np.int64)
        documents[query] = np.minimum(lists.documents, scanned[query])
        places = np.full(begin[-1], spec.depth)
        if spec.padding != "fixed":  # nothing is known of a session that is not in the run
            least = 0 if spec.padding == "none" else spec.padding
            present = np.repeat(sessions.present, np.diff(begin))
            places = np.where(present, np.maximum(documents, least), places)
        return cls(begin, scanned, documents, places, np.minimum(scanned, places))

    def select(self, sessions: slice) -> SessionLayout:
        """Return the layout of some sessions."""
        begin = self.begin[sessions.start : sessions.stop + 1]
        return SessionLayout(
            begin - begin[0], *(column[begin[0] : begin[-1]] for column in self[1:])
        )

    def query(self, hits: SessionHits) -> Ints:
        """Return the query of each hit."""
        return np.asarray(self.begin[hits.session] + hits.position - 1)

    def place(self, hits: SessionHits) -> Ints:
        """Return the position of each hit in its session's vector."""
        ends = bounds_of(self.places)
        return np.asarray(ends[self.query(hits)] - ends[self.begin[hits.session]] + hits.rank)

    def first_ranks(self, counts: Ints) -> SessionHits:
        """Return hits of no level at the first ranks of each query; ``counts`` says how many."""
        session, position = self.positions()
        rank = np.arange(counts.sum()) - np.repeat(bounds_of(counts)[:-1], counts) + 1
        none = np.full(len(rank), NO_LEVEL)
        return SessionHits(
            np.repeat(session, counts), np.repeat(position, counts), rank, none, none
        )

    def positions(self) -> tuple[Ints, Ints]:
        """Return the session and the position of each query."""
        queries = np.diff(self.begin)
        session = np.repeat(np.arange(len(queries)), queries)
        return session, np.arange(len(session)) - self.begin[session] + 1

    def tables(self, size: int) -> tuple[Ints, Ints]:
        """Return rank and query of the first positions of each session, ``(sessions, size)``.

        The rank is 0 where no document counts. Positions past the last query's are counted as that
        query's.
        """
        sessions = len(self.begin) - 1
        shown = self.first_ranks(self.best)
        ranks = shown.rank.astype(np.float64)
        rank = spread(shown.session, self.place(shown), ranks, sessions, size)
        first = self.first_ranks(np.ones_like(self.places))
        ones = np.ones(len(first.rank))
        begins = spread(first.session, self.place(first), ones, sessions, size)
        query = np.maximum(core.cg(begins), 1)
        return rank.astype(np.int64), query.astype(np.int64)

    def size(self) -> Ints:
        """Return the number of positions of each session."""
        return np.asarray(np.diff(bounds_of(self.places)[self.begin]))


class SessionEngine:
    """Computes session measures over runs, for one set of judgments.

    Parameters
    ----------
    measures
        The measures to compute: sDCG and nsDCG, with any parameters.
    judgments
        The prepared qrels.

    Raises
    ------
    ValueError
        If the qrels are by turn, and a normalised measure counts documents once.
    """

    def __init__(self, measures: list[SessionMeasure], judgments: SessionJudgments) -> None:
        self._judgments = judgments
        self._measures = measures
        self.specs = [measure.spec for measure in measures]
        for measure in measures:
            if isinstance(measure, Normalised) and not self._has_ideal(measure.spec):
                raise ValueError(
                    f"{measure}: the qrels have a column query_position, so a document may have "
                    "another level at each query, and the ideal session that counts it once would "
                    "have to choose its query; use duplicates='count', or sDCG"
                )
        self._gain: dict[Weighting, Floats] = {
            s.gains: s.gains.gain(judgments.units.levels) for s in self.specs
        }

    @cached_property
    def _ideal(self) -> dict[Weighting, Gains]:
        return {w: self._judgments.units.ideal(gain) for w, gain in self._gain.items()}

    def _has_ideal(self, spec: Spec) -> bool:
        """Return whether the ideal session of a measure is known."""
        unknown = self._judgments.by_turn and spec.duplicates == "first"
        return core.has_ideal(spec.discount, spec.base) and not unknown

    def values(self, sessions: JudgedSessions, read: Read = Vectors.values) -> Floats:
        """Return the values read off the vectors, shape ``(measures, sessions of the qrels)``."""
        values = np.zeros((len(self._measures), len(self._judgments.topics)))
        for row, measure in zip(values, self._measures):
            layout = SessionLayout.read(measure.spec, sessions, sessions.length)
            ends = layout.size()[:, None]
            size = max(int(ends.max(initial=0)), 1)
            for batch, tables in self._tables(measure, sessions, layout, size):
                ranks = Ranks(ends[batch], measure.spec.avg_pos)
                row[batch] = read(Vectors.compute(measure, *tables), ranks)[:, 0]
        return values

    def judge(self, run: SessionRun) -> JudgedSessions:
        """Return the run's judged documents, its lists, and the sessions' lengths."""
        judgments = self._judgments
        index = {session: s for s, session in enumerate(judgments.topics)}
        known = np.array([index.get(session, -1) for session in run.sessions], dtype=np.int64)
        length = np.diff(judgments.bounds) - 1  # the last queries with judgments of their own
        here = known[known >= 0]
        length[here] = np.maximum(length[here], run.length[known >= 0])
        session = known[run.session]
        unit = np.where(session < 0, -1, judgments.unit(session, run.position))
        depth = max(spec.depth for spec in self.specs)
        units = judgments.units
        judged, group, hits = judge(units, run.queries, unit, np.full(len(units.docs), depth))
        of_session = units.bounds[judgments.bounds[session[group]]]
        document = judged - units.bounds[hits.topic] + of_session
        shown = SessionHits(session[group], run.position[group], hits.rank, hits.level, document)
        documents = np.diff(run.queries.bounds)
        lists = Lists(session, run.position, documents, run.scanned).where(session >= 0)
        # in the order of positions, so that equal gain vectors have equal sums to the last bit
        return JudgedSessions(_join([shown]), lists, length)

    def select_hits(
        self, spec: Spec, sessions: JudgedSessions, layout: SessionLayout
    ) -> SessionHits:
        """Return the hits that the user of a measure sees and that count.

        If unjudged documents have a gain, every document is a hit of no level, and judged ones are
        hits of their level as well.
        """
        hits = sessions.hits
        hits = hits.where(hits.position <= np.diff(layout.begin)[hits.session])
        seen = hits.where(hits.rank <= layout.scanned[layout.query(hits)])
        if spec.duplicates == "first":
            order = np.lexsort((seen.position, seen.document))
            _, first = np.unique(seen.document[order], return_index=True)
            seen = seen.where(np.sort(order[first]))
        if spec.unjudged:
            seen = seen.where(seen.level != NO_LEVEL)
            seen = _join([layout.first_ranks(layout.documents), seen])
        return seen

    def rank_ideal(self, spec: Spec, layout: SessionLayout, first: int = 0) -> SessionHits:
        """Return the ideal ranking of each query, in the form of :meth:`select_hits`.

        ``layout`` is that of the sessions from ``first`` on. Unjudged documents that gain something
        follow the documents that gain more.
        """
        ideal = self._ideal[spec.gains]
        session, position = layout.positions()
        unit = self._judgments.unit(session + first, position)
        begin, end = (np.searchsorted(ideal.topic, unit, side) for side in ("left", "right"))
        hits = layout.first_ranks(np.minimum(layout.best, end - begin))
        hits = hits._replace(level=ideal.level[begin[layout.query(hits)] + hits.rank - 1])
        if spec.unjudged:
            hits = hits.where(self._gain[spec.gains][hits.level] > spec.unjudged)
            hits = _join([layout.first_ranks(layout.best), hits])
        return hits

    def gain(self, spec: Spec, seen: SessionHits) -> Floats:
        """Return the gain of each hit."""
        gain_of_level = np.append(self._gain[spec.gains] - spec.unjudged, spec.unjudged)
        return np.asarray(gain_of_level[seen.level])

    def curves(
        self,
        measure: SessionMeasure,
        sessions: JudgedSessions,
        layout: SessionLayout,
        size: int,
        *,
        vectors: bool = False,
    ) -> Iterator[tuple[slice, list[Floats]]]:
        """Yield a measure's values at the first positions and the ideal ones, in batches.

        The values have the shape ``(sessions, size)``; past its last query a session's vector
        stays constant. If descending gains are not ideal, the ideal is NaN. With ``vectors``, these
        are the vectors, not divided.
        """
        ranks = Ranks(np.arange(1, size + 1), averaged=False)
        for batch, (gain, ideal, *places) in self._tables(measure, sessions, layout, size):
            with np.errstate(over="ignore", invalid="ignore"):
                vector, best = measure.vector(gain, *places), np.full(gain.shape, np.nan)
                if self._has_ideal(measure.spec):
                    best = measure.ideal_vector(ideal, *places)
                _refuse_overflow(vector, best)
            divisor = best if measure.divisor and not vectors else None
            yield batch, [Vectors(each, divisor).values(ranks) for each in (vector, best)]

    def _tables(
        self, measure: SessionMeasure, sessions: JudgedSessions, layout: SessionLayout, size: int
    ) -> Iterator[tuple[slice, list[Any]]]:
        """Yield gain vectors and ideal vectors of sessions, and rank and query of each position."""
        spec = measure.spec
        seen = self.select_hits(spec, sessions, layout)
        least = spec._replace(unjudged=max(spec.unjudged, 0))  # the ideal avoids losses
        for batch in batch_topics(len(sessions.length), size):
            count = batch.stop - batch.start
            hits = seen.where(slice(*np.searchsorted(seen.session, [batch.start, batch.stop])))
            hits = hits._replace(session=hits.session - batch.start)
            part = layout.select(batch)
            gain = spread(hits.session, part.place(hits), self.gain(spec, hits), count, size)
            if spec.duplicates == "count":
                best = self.rank_ideal(least, part, batch.start)
                place = part.place(best)
                ideal = spread(best.session, place, self.gain(least, best), count, size)
            else:
                ideal = self._recall_bases(spec, batch, size)
            yield batch, [gain, ideal, *part.tables(size)]

    def _recall_bases(self, spec: Spec, batch: slice, size: int) -> Floats:
        """Return the ideal vectors of the recall bases of some sessions."""
        ideal = self._ideal[spec.gains]
        units = self._judgments.bounds[:-1][batch]
        begin, end = (np.searchsorted(ideal.topic, units, side) for side in ("left", "right"))
        counts = end - begin
        row = np.repeat(np.arange(len(units)), counts)
        rank = rank_within(row)
        gain = ideal.gain[begin[row] + rank - 1]
        return spread(row, rank, gain, len(units), size)

    def by_query(self, sessions: JudgedSessions) -> tuple[Ints, Ints, list[Floats]]:
        """Return each query's values by itself, for each measure.

        A session of length 0 has no queries in the result.

        Returns
        -------
        session, position
            Of each query of the qrels' sessions, including queries that returned nothing.
        values
            For each measure the queries' DCG vectors, not divided by the query discount (ECIR
            2008, section 2.2), those of nsDCG by the ideal ones; shape ``(queries, cutoff)``.
        """
        length = sessions.length
        session = np.repeat(np.arange(len(length)), length)
        position = rank_within(session)
        out = []
        for measure in self._measures:
            spec = measure.spec
            layout = SessionLayout.read(spec._replace(queries=None), sessions, length)
            plain = spec._replace(unjudged=0)
            run = self.select_hits(spec, sessions, layout)
            vector = self._by_query(measure, spec, layout, run)
            best = self._by_query(measure, plain, layout, self.rank_ideal(plain, layout))
            _refuse_overflow(vector, best)
            ranks = Ranks(np.arange(1, spec.depth + 1), spec.avg_pos)
            out.append(Vectors(vector, best if measure.divisor else None).values(ranks))
        return session, position, out

    def _by_query(
        self, measure: SessionMeasure, spec: Spec, layout: SessionLayout, hits: SessionHits
    ) -> Floats:
        """Return the vectors of queries, each as the first of a session."""
        queries, depth = layout.query(hits), spec.depth
        gain = spread(queries, hits.rank, self.gain(spec, hits), len(layout.places), depth)
        with np.errstate(over="ignore", invalid="ignore"):
            return measure.vector(gain, np.arange(1, depth + 1), np.ones(1, dtype=np.int64))


def _join(parts: Sequence[SessionHits]) -> SessionHits:
    """Return the hits of all parts, in the order of sessions, positions and ranks."""
    hits = join_columns(parts)
    return hits.where(np.lexsort((hits.rank, hits.position, hits.session)))


def _refuse_overflow(vector: Floats, ideal: Floats) -> None:
    """Raise if a sum is not finite; an ideal that is not known is NaN."""
    if not np.isfinite(vector).all() or np.isinf(ideal).any():
        raise ValueError("the discounted gains are too large for a sum of floats")
