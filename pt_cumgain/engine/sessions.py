"""Sessions of several queries: a run's rows by session and query, and the values of sDCG and nsDCG.

Each query of a session is ranked and judged like a topic, by the same code; only the way in which
gains are combined is specific to sessions (ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import (
    AGAIN,
    CHUNK,
    NO_LEVEL,
    Gains,
    Judgments,
    concatenate,
    equal_rows,
    judge,
    rank_within,
    sort_by_score,
)
from pt_cumgain.engine.rows import SESSION_COLUMNS, Ints, Table, bounds_of, coded
from pt_cumgain.engine.vectors import Read, Steps, Vectors, batch_topics
from pt_cumgain.measures import SessionMeasure, Spec
from pt_cumgain.weighting import Weighting

#: More documents than anyone looks at.
ALL = int(np.iinfo(np.int64).max)


class Query(NamedTuple):
    """A query of a session; stands for a topic's id when queries are ranked."""

    session: str
    position: int

    def __repr__(self) -> str:
        return f"{self.session!r} (query {self.position})"


@dataclass(frozen=True)
class SessionRun:
    """A run over sessions.

    Attributes
    ----------
    queries
        The rows, grouped by session and query; ``queries.topics`` holds a :class:`Query` each.
        Queries that returned nothing have no group.
    sessions
        The sessions' ids.
    session, position, scanned
        Of each group: the index of its session, its position in the session, and how many of its
        documents were looked at, :data:`ALL` if the run does not say.
    length
        The number of queries of each session.
    """

    queries: Table
    sessions: list[str]
    session: Ints
    position: Ints
    scanned: Ints
    length: Ints

    @classmethod
    def group(cls, run: Table) -> SessionRun:
        """Group a run's rows by session and query.

        Raises
        ------
        ValueError
            If there are rows without ``query_position``, ``session_length`` contradicts it or
            itself, or ``scanned`` differs within a query.
        """
        if not run.bounds[-1]:
            none = np.empty(0, dtype=np.int64)
            empty = Table([], bounds_of(none), run.docs, run.values)
            return cls(empty, [], none, none, none, none)
        if run.position is None:
            raise ValueError(
                "session measures need the run's column query_position, which says which query of "
                "the session (1, 2, ...) returned a row; it is missing"
                + (f" (found {list(run.columns)})" if run.columns else "")
                + ". pt_cumgain.per_session(pipeline) makes such runs, pt_cumgain.split_turns(run) "
                "makes them of runs with the ids 31_1, 31_2, ...; in a TREC file the second field "
                "holds it (Q1, Q2, ... or Q1/3, Q2/3, ...)"
            )
        queries, session, position = _group_queries(run, run.position)
        rows, starts = queries.rows, queries.bounds[:-1]
        length = position[np.append(np.flatnonzero(np.diff(session)), -1)]
        if run.length is not None:
            heads = run.bounds[:-1]
            lengths = run.length[rows]
            longest = np.maximum.reduceat(lengths, heads)
            shortest = np.minimum.reduceat(lengths, heads)
            for s in np.flatnonzero((longest != shortest) | (shortest < length)).tolist():
                name, a, b, q = run.topics[s], shortest[s], longest[s], length[s]
                raise ValueError(
                    f"run: session {name!r} has the session_length {a}"
                    + (f" and {b}" if a != b else f", but rows of its query {q}")
                    + "; it is the number of the session's queries, the same in all its rows"
                )
            length = shortest
        scanned = np.full(len(starts), ALL)
        if run.scanned is not None:
            numbers = run.scanned[rows]
            scanned = numbers[starts]
            first = np.maximum.reduceat(numbers, starts)
            for i in np.flatnonzero(first != np.minimum.reduceat(numbers, starts)).tolist():
                raise ValueError(
                    f"run: {queries.topics[i]!r} has different numbers in the column scanned; it "
                    f"says {SESSION_COLUMNS['scanned']}, the same in all its rows"
                )
        return cls(queries, list(run.topics), session, position, scanned, length)

    def part(self, first: int, last: int) -> Table:
        """Return the rows of the groups from ``first`` to before ``last``."""
        queries = self.queries
        bounds = queries.bounds[first : last + 1]
        rows = queries.at(np.arange(bounds[0], bounds[-1]))
        topics = queries.topics[first:last]
        return Table(topics, bounds - bounds[0], queries.docs, queries.values, rows)

    def as_lists(self) -> Table:
        """Return the run with each session as one list, for non-session measures.

        Its rows rank by query position, then score; a document has the place of its first
        appearance.
        """
        queries = sort_by_score(self.queries)
        sizes = np.diff(queries.bounds)
        group = np.repeat(np.arange(len(sizes)), sizes)
        session = self.session[group]
        rows, scores = queries.at(np.arange(len(group))), queries.values
        # scores that descend within the session, equal for ties of one query, which ids break later
        _, tied = equal_rows(group, scores)
        score = -np.repeat(np.arange(len(tied)), tied).astype(np.float64)
        document, documents = coded(queries.docs.take(rows))
        _, first, same = np.unique(
            session * len(documents) + document, return_index=True, return_inverse=True
        )
        kept = group == group[first][same]  # repetitions in a query stay, to be refused
        counts = np.bincount(session[kept])  # every session has a row
        values = np.empty(len(rows))
        values[rows] = score
        return Table(self.sessions, bounds_of(counts), queries.docs, values, rows[kept])


def _group_queries(table: Table, position: Ints) -> tuple[Table, Ints, Ints]:
    """Group rows by session and query; also return each group's session and its position."""
    session = np.repeat(np.arange(len(table.topics)), np.diff(table.bounds))
    rows = table.at(np.arange(len(session)))
    position = position[rows]
    order = np.lexsort((position, session))
    session, position, rows = session[order], position[order], rows[order]
    starts, _ = equal_rows(session, position)
    bounds = np.append(starts, len(session))
    session, position = session[starts], position[starts]
    topics = [Query(table.topics[s], q) for s, q in zip(session.tolist(), position.tolist())]
    return Table(topics, bounds, table.docs, table.values, rows), session, position


@dataclass(frozen=True)
class SessionJudgments:
    """The judgments of sessions, which may hold for all queries of a session or for one.

    Attributes
    ----------
    topics
        The sessions' ids.
    units
        The judgments, by unit: the queries of a session for which the same judgments hold. A unit
        has every document that is judged for any query of its session; where it is not judged for
        those of the unit, its level is :data:`~pt_cumgain.engine.judging.NO_LEVEL`.
    bounds, of_query
        The units of the first queries of session s are ``of_query[bounds[s]:bounds[s + 1]]``; the
        last of them is that of all later queries, too.
    """

    topics: Sequence[str]
    units: Judgments
    bounds: Ints
    of_query: Ints

    @classmethod
    def prepare(cls, qrels: Table) -> SessionJudgments:
        """Prepare qrels by session, or by turn if they have positions of queries."""
        if qrels.position is None:
            every = np.arange(len(qrels.topics) + 1)
            return cls(qrels.topics, Judgments.prepare(qrels), every, every[:-1])
        queries, session, position = _group_queries(qrels, qrels.position)
        judged = Judgments.prepare(queries)
        docs: list[list[str]] = []
        levels: list[bytes] = []
        of_query: list[int] = []
        bounds = [0]
        begin = np.searchsorted(session, np.arange(len(qrels.topics) + 1)).tolist()
        for first, last in pairwise(begin):
            mine = list(dict.fromkeys(chain.from_iterable(judged.docs[first:last])))
            place = {doc: i for i, doc in enumerate(mine)}
            table: Ints = np.full((position[last - 1] + 1, len(mine)), NO_LEVEL)
            for query in range(first, last):
                level = judged.level[slice(*judged.bounds[query : query + 2])]
                table[position[query] - 1, [place[doc] for doc in judged.docs[query]]] = level
            units: dict[bytes, int] = {}
            for row in table:
                of_query.append(units.setdefault(row.tobytes(), len(docs) + len(units)))
            levels += units
            docs += [mine] * len(units)
            bounds.append(len(of_query))
        level = np.frombuffer(b"".join(levels), dtype=np.int64)
        together = Judgments.assemble(range(len(docs)), docs, level, judged.levels)
        return cls(qrels.topics, together, np.array(bounds), np.array(of_query, dtype=np.int64))

    @property
    def by_turn(self) -> bool:
        """Whether each judgment holds for one query."""
        return len(self.of_query) > len(self.topics)

    @property
    def first(self) -> Ints:
        """The first unit of each session."""
        return self.of_query[self.bounds[:-1]]

    def unit(self, session: Any, position: Ints) -> Ints:
        """Return the unit of each of these queries."""
        last = self.bounds[session + 1] - 1
        return np.asarray(self.of_query[np.minimum(self.bounds[session] + position - 1, last)])


class SessionHits(NamedTuple):
    """Documents of a session run that are judged: ``Hits`` with their query and document.

    A document that is judged for other queries of its session only has the level ``NO_LEVEL``. If
    unjudged documents have a gain, those that a query shows again are here, with the level
    ``AGAIN``.
    """

    session: Ints
    position: Ints
    rank: Ints
    level: Ints
    document: Ints

    def where(self, kept: Any) -> SessionHits:
        """Return the hits that a mask or index selects."""
        return SessionHits(*(column[kept] for column in self))


class Lists(NamedTuple):
    """The lists of a session run, judged or not; each column has an element for each query.

    Attributes
    ----------
    session, position
        The query; those that returned nothing are missing.
    documents
        How many documents the list has.
    scanned
        How many of them were looked at; :data:`ALL` if the run does not say.
    """

    session: Ints
    position: Ints
    documents: Ints
    scanned: Ints

    def where(self, kept: Any) -> Lists:
        """Return the lists that a mask or index selects."""
        return Lists(*(column[kept] for column in self))


@dataclass(frozen=True)
class JudgedSessions:
    """The judged documents of a session run, its lists, and the number of queries of each session.

    The length is at least the last query that has judgments of its own, so that a query that the
    run does not answer makes the ideal session no shorter. It is 0 for a session that is not in the
    run, if the qrels are by session.
    """

    hits: SessionHits
    lists: Lists
    length: Ints

    @property
    def present(self) -> Any:
        """Whether the run has documents for each session of the qrels."""
        present = np.zeros(len(self.length), dtype=bool)
        present[self.lists.session] = True
        return present

    @classmethod
    def join(cls, parts: Sequence[JudgedSessions]) -> JudgedSessions:
        """Join the parts of a judged run, which share no session."""
        return cls(
            concatenate([part.hits for part in parts]),
            concatenate([part.lists for part in parts]),
            np.max([part.length for part in parts], axis=0),
        )


class Shape(NamedTuple):
    """What a measure reads of each query of the sessions, session by session.

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
    def read(cls, spec: Spec, sessions: JudgedSessions, length: Ints) -> Shape:
        """Return the shape of sessions of these lengths."""
        begin = bounds_of(_queries(spec, length))
        lists = sessions.lists
        known = np.zeros(len(length), dtype=bool)  # a list that is missing there was not looked at
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

    def of_sessions(self, some: slice) -> Shape:
        """Return the shape of some sessions."""
        begin = self.begin[some.start : some.stop + 1]
        return Shape(begin - begin[0], *(column[begin[0] : begin[-1]] for column in self[1:]))

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
        steps = Steps.place(first.session, self.place(first), first.position, len(self.begin) - 1)
        return steps.value[steps.find(np.arange(1, size + 1))].astype(np.int64)

    def size(self) -> Ints:
        """Return the number of positions of each session."""
        return np.asarray(np.diff(bounds_of(self.places)[self.begin]))


def _queries(spec: Spec, length: Ints) -> Ints:
    """Return how many queries a measure reads of sessions of these lengths."""
    return length if spec.queries is None else np.minimum(length, spec.queries)


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
        """Tell whether the ideal session of a measure is known."""
        unknown = self._judgments.by_turn and spec.duplicates == "first"
        return core.has_ideal(spec.discount, spec.base) and not unknown

    def values(self, sessions: JudgedSessions, read: Read = Vectors.read) -> Floats:
        """Return what is read off the vectors, shape ``(measures, sessions of the qrels)``."""
        values = np.zeros((len(self.specs), len(self._judgments.topics)))
        for row, spec in zip(values, self.specs):
            shape = Shape.read(spec, sessions, sessions.length)
            for some, vectors in self._batches(spec, sessions, shape, shape.size()[:, None]):
                row[some] = read(vectors, spec)[:, 0]
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
        hits = SessionHits(*map(np.concatenate, zip(*parts)))
        # in the order of positions, so that equal gain vectors have equal sums to the last bit
        hits = hits.where(np.lexsort((hits.rank, hits.position, hits.session)))
        documents = np.diff(run.queries.bounds)
        lists = Lists(session, run.position, documents, run.scanned).where(session >= 0)
        return JudgedSessions(hits, lists, length)

    def _hits(self, queries: Table, session: Ints, position: Ints) -> SessionHits:
        """Return the hits of some queries, in any order; a session that is not judged is -1."""
        judgments = self._judgments
        groups = np.flatnonzero(session >= 0)
        session, position = session[groups], position[groups]
        names = [queries.topics[g] for g in groups.tolist()]
        each = judgments.units.repeated(judgments.unit(session, position), names)
        if any(spec.unjudged for spec in self.specs):
            each = each.with_repetitions(queries)
        depth = max(spec.depth for spec in self.specs)
        judged, hits = judge(each, queries, np.full(len(groups), depth))
        group = hits.topic
        begin = judgments.units.bounds[judgments.first[session]]
        document = judged - each.bounds[group] + begin[group]
        document[hits.level == AGAIN] = -1
        return SessionHits(session[group], position[group], hits.rank, hits.level, document)

    def see(self, spec: Spec, sessions: JudgedSessions, shape: Shape) -> SessionHits:
        """Return the hits that the user of a measure sees and that count.

        If unjudged documents have a gain, every document is a hit of no level, and judged ones are
        hits of their level, too.
        """
        hits = sessions.hits
        hits = hits.where(hits.position <= np.diff(shape.begin)[hits.session])
        seen = hits.where(hits.rank <= shape.scanned[shape.query(hits)])
        if spec.duplicates == "first":
            order = np.lexsort((seen.position, seen.document))
            _, first = np.unique(seen.document[order], return_index=True)
            seen = seen.where(np.sort(order[first]))
        if spec.unjudged:
            seen = seen.where(seen.level != NO_LEVEL)
            seen = _join(shape.first_ranks(shape.documents), seen)
        return seen

    def rank_ideal(self, spec: Spec, shape: Shape, first: int = 0) -> SessionHits:
        """Return the ideal ranking of each query, in the form of :meth:`see`.

        ``shape`` is that of the sessions from ``first`` on. Unjudged documents that gain something
        follow the documents that gain more.
        """
        ideal = self._ideal[spec.gains]
        session, position = shape.positions()
        unit = self._judgments.unit(session + first, position)
        begin, end = (np.searchsorted(ideal.topic, unit, side) for side in ("left", "right"))
        hits = shape.first_ranks(np.minimum(shape.best, end - begin))
        hits = hits._replace(level=ideal.level[begin[shape.query(hits)] + hits.rank - 1])
        if spec.unjudged:
            hits = hits.where(self._gain[spec.gains][hits.level] > spec.unjudged)
            hits = _join(shape.first_ranks(shape.best), hits)
        return hits

    def discounted(self, spec: Spec, seen: SessionHits) -> Floats:
        """Return the gain of each document, divided by the discounts of its rank and query."""
        of_level = self._gain[spec.gains] - spec.unjudged
        gain = np.append(of_level, [-spec.unjudged, spec.unjudged])[seen.level]
        of_rank = core.discounts(seen.rank, spec.discount, spec.base)
        return gain / of_rank / core.query_discounts(seen.position, spec.query_discount, spec.bq)

    def vectors(
        self, spec: Spec, sessions: JudgedSessions, shape: Shape, size: int
    ) -> Iterator[tuple[slice, Vectors]]:
        """Yield the vectors of a measure and their ideal vectors, some sessions at a time.

        The vectors have the shape ``(sessions, size)``; past its last query a session's vector
        stays constant. Where descending gains are not ideal, the ideal is NaN.
        """
        for some, vectors in self._batches(spec, sessions, shape, np.arange(1, size + 1)):
            yield some, _refuse_overflow(vectors)

    def _batches(
        self, spec: Spec, sessions: JudgedSessions, shape: Shape, ranks: Ints
    ) -> Iterator[tuple[slice, Vectors]]:
        """Yield vectors at some positions: the same for all sessions, or one for each."""
        seen = self.see(spec, sessions, shape)
        best = spec.replace(unjudged=max(spec.unjudged, 0))  # what the ideal ranking may leave out
        judged = np.diff(self._judgments.units.bounds).max(initial=0)
        sizes = np.diff(bounds_of(np.minimum(shape.best, judged))[shape.begin])
        depth = max(ranks.shape[-1], int(sizes.max(initial=0)))
        for some in batch_topics(len(sizes), depth):
            at = ranks if ranks.ndim == 1 else ranks[some]
            hits = seen.where(slice(*np.searchsorted(seen.session, [some.start, some.stop])))
            hits = hits._replace(session=hits.session - some.start)
            part = shape.of_sessions(some)
            whole = ranks.ndim == 1 or spec.avg_pos
            ideal = Vectors(partial(self._cumulate_ideal, best, part, some.start, whole), at)
            yield some, Vectors(partial(self._cumulate, spec, part, hits), at, ideal)

    def _cumulate(self, spec: Spec, shape: Shape, hits: SessionHits) -> Steps:
        """Return the vectors of sessions."""
        gained = self.discounted(spec, hits)
        sessions = len(shape.begin) - 1
        return Steps.place(hits.session, shape.place(hits), gained, sessions).cumulate()

    def _cumulate_ideal(self, spec: Spec, shape: Shape, first: int, whole: bool) -> Steps:
        """Return the vectors of the ideal sessions from ``first`` on, NaN if there are none.

        If documents count once, these are the vectors' last components only, unless ``whole``:
        each component takes time of its own.
        """
        sessions = len(shape.begin) - 1
        if not self._has_ideal(spec):
            return Steps.expand(np.full((sessions, 1), np.nan))
        hits = self.rank_ideal(spec, shape, first)
        if spec.duplicates == "count":
            return self._cumulate(spec, shape, hits)
        of_rank = core.discounts(hits.rank, spec.discount, spec.base)
        weight = 1 / (of_rank * core.query_discounts(hits.position, spec.query_discount, spec.bq))
        ideal, best = self._ideal[spec.gains], np.zeros(len(weight))
        bounds = np.searchsorted(hits.session, np.arange(sessions + 1)).tolist()
        for unit, (start, end) in zip(self._judgments.first[first:].tolist(), pairwise(bounds)):
            rows = slice(*np.searchsorted(ideal.topic, [unit, unit + 1]))
            gain = self._gain[spec.gains][ideal.level[rows]]
            largest = weight[start:start]  # the weights of the best positions so far, ascending
            for last in range(start, end) if whole else [end - 1] * (end > start):
                largest = np.sort(np.append(largest, weight[start : last + 1]))[-len(gain) :]
                start = last + 1
                best[last] = np.cumsum(largest * gain[len(largest) - 1 :: -1])[-1]
        return Steps.place(hits.session, shape.place(hits), best, sessions)

    def by_query(self, sessions: JudgedSessions) -> tuple[Ints, Ints, list[Vectors]]:
        """Return each query's own vector and the ideal vector of its topic, for each measure.

        A session of length 0 has no queries in the result.

        Returns
        -------
        session, position
            Of each query of the qrels' sessions, including queries that returned nothing.
        vectors
            For each measure the queries' DCG vectors, divided by the query discount, and the ideal
            DCG vectors, without that division (ECIR 2008, section 2.2); shape ``(queries,
            cutoff)``.
        """
        length = sessions.length
        session = np.repeat(np.arange(len(length)), length)
        position = rank_within(session)
        out = []
        for spec in self.specs:
            shape = Shape.read(spec.replace(queries=None), sessions, length)
            ranks = np.arange(1, spec.depth + 1)
            plain = spec.replace(query_discount="none", unjudged=0)
            best = partial(self._cumulate_queries, plain, shape, self.rank_ideal(plain, shape))
            run = partial(self._cumulate_queries, spec, shape, self.see(spec, sessions, shape))
            out.append(_refuse_overflow(Vectors(run, ranks, Vectors(best, ranks))))
        return session, position, out

    def _cumulate_queries(self, spec: Spec, shape: Shape, hits: SessionHits) -> Steps:
        """Return the vectors of queries."""
        gained, queries = self.discounted(spec, hits), len(shape.places)
        return Steps.place(shape.query(hits), hits.rank, gained, queries).cumulate()


def _join(every: SessionHits, hits: SessionHits) -> SessionHits:
    """Return both in the order of ranks."""
    both = SessionHits(*map(np.concatenate, zip(every, hits)))
    return both.where(np.lexsort((both.rank, both.position, both.session)))


def _refuse_overflow(vectors: Vectors) -> Vectors:
    """Return the vectors; raise if a sum is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        value, ideal = vectors.value, vectors.ideal.value
    if not np.isfinite(value).all() or np.isinf(ideal).any():
        raise ValueError("the discounted gains are too large for a sum of floats")
    return vectors
