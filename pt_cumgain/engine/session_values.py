"""The values of sDCG and nsDCG.

Each query of a session is ranked and judged like a topic, by the same code; only the combination of
gains is specific to sessions (ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import CHUNK, NO_LEVEL, Gains, judge
from pt_cumgain.engine.rows import Ints, Table, bounds_of, rank_within
from pt_cumgain.engine.session_runs import (
    ALL,
    JudgedSessions,
    Lists,
    SessionHits,
    SessionJudgments,
    SessionRun,
)
from pt_cumgain.engine.vectors import Read, Vectors, batch_topics, spread
from pt_cumgain.measures import SessionMeasure, Spec
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

    def queries(self, size: int) -> Ints:
        """Return the query of the first positions of each session, ``(sessions, size)``, from 1.

        Positions past the last query's are counted as that query's.
        """
        first = self.first_ranks(np.ones_like(self.places))
        begins = _spread(self, first, np.ones(len(first.rank)), size)
        return Vectors(lambda: core.cg(begins), np.arange(1, size + 1)).value.astype(np.int64)

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
        self.specs = [measure.spec for measure in measures]
        for measure in measures:
            if measure.spec.normalised and not self._has_ideal(measure.spec):
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

    def values(self, sessions: JudgedSessions, read: Read = Vectors.read) -> Floats:
        """Return the values read off the vectors, shape ``(measures, sessions of the qrels)``."""
        values = np.zeros((len(self.specs), len(self._judgments.topics)))
        for row, spec in zip(values, self.specs):
            layout = SessionLayout.read(spec, sessions, sessions.length)
            for batch, vectors in self._batches(spec, sessions, layout, layout.size()[:, None]):
                row[batch] = read(vectors, spec)[:, 0]
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
        # every query repeats the judgments of its session, so few queries are judged at a time
        judged = np.append(np.diff(judgments.units.bounds)[judgments.first], 0)[session]
        cuts = (np.flatnonzero(np.diff(bounds_of(judged)[:-1] // CHUNK)) + 1).tolist()
        parts = [
            self._hits(run.part(first, last), session[first:last], run.position[first:])
            for first, last in zip([0, *cuts], [*cuts, len(session)])
        ]
        # in the order of positions, so that equal gain vectors have equal sums to the last bit
        hits = _join(parts)
        documents = np.diff(run.queries.bounds)
        lists = Lists(session, run.position, documents, run.scanned).where(session >= 0)
        return JudgedSessions(hits, lists, length)

    def _hits(self, queries: Table, session: Ints, position: Ints) -> SessionHits:
        """Return the hits of some queries, in any order; a session that is not judged is -1."""
        judgments = self._judgments
        groups = np.flatnonzero(session >= 0)
        session, position = session[groups], position[groups]
        names = [queries.topics[g] for g in groups.tolist()]
        each = judgments.units.repeat(judgments.unit(session, position), names)
        depth = max(spec.depth for spec in self.specs)
        judged, hits = judge(each, queries, np.full(len(groups), depth))
        group = hits.topic
        begin = judgments.units.bounds[judgments.first[session]]
        document = judged - each.bounds[group] + begin[group]
        return SessionHits(session[group], position[group], hits.rank, hits.level, document)

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

    def discount_gains(self, spec: Spec, seen: SessionHits) -> Floats:
        """Return the gain of each document, divided by the discounts of its rank and query."""
        gain_of_level = np.append(self._gain[spec.gains] - spec.unjudged, spec.unjudged)
        return discount(spec, gain_of_level[seen.level], seen)

    def vectors(
        self, spec: Spec, sessions: JudgedSessions, layout: SessionLayout, size: int
    ) -> Iterator[tuple[slice, Vectors]]:
        """Yield the vectors of a measure and their ideal vectors, some sessions at a time.

        The vectors have the shape ``(sessions, size)``; past its last query a session's vector
        stays constant. If descending gains are not ideal, the ideal is NaN.
        """
        for batch, vectors in self._batches(spec, sessions, layout, np.arange(1, size + 1)):
            yield batch, _refuse_overflow(vectors)

    def _batches(
        self, spec: Spec, sessions: JudgedSessions, layout: SessionLayout, ranks: Ints
    ) -> Iterator[tuple[slice, Vectors]]:
        """Yield vectors at some positions: the same for all sessions, or the end of each."""
        every = ranks.ndim == 1 or spec.avg_pos
        seen = self.select_hits(spec, sessions, layout)
        best = spec.replace(unjudged=max(spec.unjudged, 0))  # the ideal avoids losses
        judged = np.diff(self._judgments.units.bounds).max(initial=0)
        sizes = np.diff(bounds_of(np.minimum(layout.best, judged))[layout.begin])
        depth = max(int(ranks.max(initial=0)), int(sizes.max(initial=0)))
        for batch in batch_topics(len(sizes), depth):
            at = ranks if ranks.ndim == 1 else ranks[batch]
            hits = seen.where(slice(*np.searchsorted(seen.session, [batch.start, batch.stop])))
            hits = hits._replace(session=hits.session - batch.start)
            part = layout.select(batch)
            last = int(at.max(initial=0))
            ideal = partial(self._cumulate_ideal, best, part, batch.start, last, every=every)
            value = partial(self._cumulate, spec, part, hits, last)
            yield batch, Vectors(value, at, Vectors(ideal, at))

    def _cumulate(self, spec: Spec, layout: SessionLayout, hits: SessionHits, last: int) -> Floats:
        """Return the vectors of sessions."""
        return core.cg(_spread(layout, hits, self.discount_gains(spec, hits), last))

    def _cumulate_ideal(
        self, spec: Spec, layout: SessionLayout, first: int, last: int, *, every: bool
    ) -> Floats:
        """Return the vectors of the ideal sessions from ``first`` on, NaN if there are none.

        If documents count once, each component takes time of its own; so unless ``every`` component
        is read, only the last one is computed.
        """
        sessions = len(layout.begin) - 1
        if not self._has_ideal(spec):
            return np.full((sessions, 1), np.nan)
        hits = self.rank_ideal(spec, layout, first)
        if spec.duplicates == "count":
            return self._cumulate(spec, layout, hits, last)
        weight = discount(spec, np.ones(len(hits.rank)), hits)
        ideal, best = self._ideal[spec.gains], np.zeros(len(weight))
        bounds = np.searchsorted(hits.session, np.arange(sessions + 1)).tolist()
        for unit, (start, end) in zip(self._judgments.first[first:].tolist(), pairwise(bounds)):
            rows = slice(*np.searchsorted(ideal.topic, [unit, unit + 1]))
            gain = self._gain[spec.gains][ideal.level[rows]]
            largest = weight[start:start]  # the weights of the best positions so far, ascending
            for i in range(start if every else max(start, end - 1), end):
                largest = np.sort(np.append(largest, weight[start : i + 1]))[-len(gain) :]
                start = i + 1
                best[i] = core.assign_gains(gain, largest)
        return np.maximum.accumulate(_spread(layout, hits, best, last), axis=1)

    def by_query(self, sessions: JudgedSessions) -> tuple[Ints, Ints, list[Vectors]]:
        """Return each query's own vector and the ideal vector of its topic, for each measure.

        A session of length 0 has no queries in the result.

        Returns
        -------
        session, position
            Of each query of the qrels' sessions, including queries that returned nothing.
        vectors
            For each measure the queries' DCG vectors and the ideal ones, neither divided by the
            query discount (ECIR 2008, section 2.2); shape ``(queries, cutoff)``.
        """
        length = sessions.length
        session = np.repeat(np.arange(len(length)), length)
        position = rank_within(session)
        out = []
        for spec in self.specs:
            layout = SessionLayout.read(spec.replace(queries=None), sessions, length)
            ranks = np.arange(1, spec.depth + 1)
            own = spec.replace(query_discount="none")
            plain = own.replace(unjudged=0)
            best = partial(self._cumulate_queries, plain, layout, self.rank_ideal(plain, layout))
            run = partial(
                self._cumulate_queries, own, layout, self.select_hits(own, sessions, layout)
            )
            out.append(_refuse_overflow(Vectors(run, ranks, Vectors(best, ranks))))
        return session, position, out

    def _cumulate_queries(self, spec: Spec, layout: SessionLayout, hits: SessionHits) -> Floats:
        """Return the vectors of queries."""
        gained, queries = self.discount_gains(spec, hits), len(layout.places)
        return core.cg(spread(layout.query(hits), hits.rank, gained, queries))


def _spread(layout: SessionLayout, hits: SessionHits, gain: Floats, last: int) -> Floats:
    """Return sums of gains at the positions up to ``last``."""
    place, sessions = layout.place(hits), len(layout.begin) - 1
    kept = place <= last
    return spread(hits.session[kept], place[kept], gain[kept], sessions)


def discount(spec: Spec, gain: Floats, hits: SessionHits) -> Floats:
    """Return gains at the ranks and positions of documents, discounted."""
    options = {name: getattr(spec, name) for name in ("discount", "base", "query_discount", "bq")}
    return core.discount_session_gains(gain, hits.rank, hits.position, **options)


def _join(parts: Sequence[SessionHits]) -> SessionHits:
    """Return the hits of all parts, in the order of sessions, positions and ranks."""
    hits = SessionHits(*map(np.concatenate, zip(*parts)))
    return hits.where(np.lexsort((hits.rank, hits.position, hits.session)))


def _refuse_overflow(vectors: Vectors) -> Vectors:
    """Return the vectors; raise if a sum is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        value, ideal = vectors.value, vectors.ideal.value
    if not np.isfinite(value).all() or np.isinf(ideal).any():
        raise ValueError("the discounted gains are too large for a sum of floats")
    return vectors
