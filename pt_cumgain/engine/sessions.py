"""Sessions of several queries: a run's rows by session and query, and the values of sDCG and nsDCG.

Each query of a session is ranked and judged like a topic, by the same code; only the way in which
gains are combined is specific to sessions (ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import CHUNK, Gains, Judgments, equal_rows, judge, sort_by_score
from pt_cumgain.engine.rows import Ints, Table, bounds_of
from pt_cumgain.engine.vectors import Vectors, batch_topics, divide_by_ideal
from pt_cumgain.measures import SessionMeasure, Spec
from pt_cumgain.weighting import Weighting


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
    session, position
        Of each group: the index of its session, and its position in the session.
    length
        The number of queries of each session.
    """

    queries: Table
    sessions: list[str]
    session: Ints
    position: Ints
    length: Ints

    @classmethod
    def group(cls, run: Table) -> SessionRun:
        """Group a run's rows by session and query.

        Raises
        ------
        ValueError
            If there are rows without ``query_position``, or ``session_length`` contradicts it or
            itself.
        """
        session = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
        if not len(session):
            none = np.empty(0, dtype=np.int64)
            empty = Table([], bounds_of(none), run.docs, run.values)
            return cls(empty, [], none, none, none)
        if run.position is None:
            raise ValueError(
                "session measures need the run's column query_position, which says which query of "
                "the session (1, 2, ...) returned a row; it is missing"
                + (f" (found {list(run.columns)})" if run.columns else "")
                + ". pt_cumgain.per_session(pipeline) makes such runs; in a TREC file the second "
                "field holds it (Q1, Q2, ... or Q1/3, Q2/3, ...)"
            )
        rows = run.at(np.arange(len(session)))
        position = run.position[rows]
        order = np.lexsort((position, session))
        session, position, rows = session[order], position[order], rows[order]
        starts, _ = equal_rows(session, position)
        topics = [
            Query(run.topics[s], q)
            for s, q in zip(session[starts].tolist(), position[starts].tolist())
        ]
        grouped = Table(topics, np.append(starts, len(session)), run.docs, run.values, rows)
        heads = run.bounds[:-1]
        length = np.maximum.reduceat(position, heads)
        if run.length is not None:
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
        return cls(grouped, list(run.topics), session[starts], position[starts], length)

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
        document, documents = pd.factorize(np.array(queries.docs.take(rows), dtype=object))
        _, first, same = np.unique(
            session * len(documents) + document, return_index=True, return_inverse=True
        )
        kept = group == group[first][same]  # repetitions in a query stay, to be refused
        counts = np.bincount(session[kept])  # every session has a row
        values = np.empty(len(rows))
        values[rows] = score
        return Table(self.sessions, bounds_of(counts), queries.docs, values, rows[kept])


class SessionHits(NamedTuple):
    """Judged documents that a session run returned: ``Hits`` with their query and document."""

    session: Ints
    position: Ints
    rank: Ints
    level: Ints
    document: Ints

    def where(self, kept: Any) -> SessionHits:
        """Return the hits that a mask or index selects."""
        return SessionHits(*(column[kept] for column in self))


def _sums(cell: Ints, value: Floats, shape: int | tuple[int, int]) -> Floats:
    flat = np.bincount(cell, value, int(np.prod(shape)))
    return np.asarray(flat, dtype=np.float64).reshape(shape)


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
        The prepared qrels; their topics are the sessions.
    """

    def __init__(self, measures: list[SessionMeasure], judgments: Judgments) -> None:
        self._judgments = judgments
        self.specs = [measure.spec for measure in measures]
        self._gain: dict[Weighting, Floats] = {
            s.gains: s.gains.gain(judgments.levels) for s in self.specs
        }

    @cached_property
    def _ideal(self) -> dict[Weighting, Gains]:
        return {w: self._judgments.ideal(gain) for w, gain in self._gain.items()}

    def values(self, hits: SessionHits, length: Ints) -> Floats:
        """Return the values, shape ``(measures, sessions of the qrels)``."""
        values = [self._value(spec, hits, length) for spec in self.specs]
        return np.array(values).reshape(len(values), len(self._judgments.topics))

    def judge(self, run: SessionRun) -> tuple[SessionHits, Ints]:
        """Return the run's judged documents, and the sessions' lengths (0 if not in the run)."""
        judgments = self._judgments
        known = judgments.known(run.sessions)
        length = np.zeros(len(judgments.topics), dtype=np.int64)
        length[known[known >= 0]] = run.length[known >= 0]
        session = known[run.session]
        # every query repeats the judgments of its session, so few queries are judged at a time
        judged = np.append(np.diff(judgments.bounds), 0)[session]
        cuts = (np.flatnonzero(np.diff(bounds_of(judged)[:-1] // CHUNK)) + 1).tolist()
        parts = [
            self._hits(run.part(first, last), session[first:last], run.position[first:])
            for first, last in zip([0, *cuts], [*cuts, len(session)])
        ]
        hits = SessionHits(*map(np.concatenate, zip(*parts)))
        # in the order of positions, so that equal gain vectors have equal sums to the last bit
        return hits.where(np.lexsort((hits.rank, hits.position, hits.session))), length

    def _hits(self, queries: Table, session: Ints, position: Ints) -> SessionHits:
        """Return the hits of some queries, in any order; a session that is not judged is -1."""
        judgments = self._judgments
        groups = np.flatnonzero(session >= 0)
        session, position = session[groups], position[groups]
        each = judgments.repeated(session, [queries.topics[g] for g in groups.tolist()])
        depth = max(spec.depth for spec in self.specs)
        judged, hits = judge(each, queries, np.full(len(groups), depth))
        group = hits.topic
        document = judged - each.bounds[group] + judgments.bounds[session[group]]
        return SessionHits(session[group], position[group], hits.rank, hits.level, document)

    def _seen(self, spec: Spec, hits: SessionHits) -> SessionHits:
        """Return the hits that the user of a measure sees and that count."""
        seen = hits.where(hits.rank <= spec.depth)
        if spec.queries is not None:
            seen = seen.where(seen.position <= spec.queries)
        if spec.duplicates == "first":
            order = np.lexsort((seen.position, seen.document))
            _, first = np.unique(seen.document[order], return_index=True)
            seen = seen.where(np.sort(order[first]))
        return seen

    def discounted(self, spec: Spec, seen: SessionHits) -> Floats:
        """Return the gain of each document, divided by the discounts of its rank and query."""
        gain: Floats = self._gain[spec.gains][seen.level]
        of_rank = core.discounts(seen.rank, spec.discount, spec.base)
        return gain / of_rank / core.query_discounts(seen.position, spec.query_discount, spec.bq)

    def positions(self, spec: Spec, length: Ints) -> int:
        """Return how many positions a measure reads in the longest session."""
        most = int(_queries(spec, np.maximum(length, 1)).max())
        return most * spec.depth

    def vectors(
        self, spec: Spec, hits: SessionHits, length: Ints, size: int
    ) -> Iterator[tuple[slice, Vectors]]:
        """Yield the vectors of a measure and their ideal vectors, some sessions at a time.

        The vectors have the shape ``(sessions, size)``; past its last query a session's vector
        stays constant. ``hits`` and ``length`` are as :meth:`judge` returned them; a session of
        length 0 counts as having one query.
        """
        n = _queries(spec, np.maximum(length, 1))
        seen = self._seen(spec, hits)
        gained = self.discounted(spec, seen)
        cell = (seen.position - 1) * spec.depth + seen.rank - 1
        has_ideal = core.has_ideal(spec.discount, spec.base)
        for some in batch_topics(len(n), size):
            first, last = np.searchsorted(seen.session, [some.start, some.stop])
            shape = (some.stop - some.start, size)
            place = (seen.session[first:last] - some.start) * size + cell[first:last]
            vector = _sums(place, gained[first:last], shape)
            ideal = np.zeros(shape)
            with np.errstate(over="ignore"):
                for t in range(some.start, some.stop) if has_ideal else []:
                    best = self._ideal_vector(spec, t, int(n[t]))
                    if best.size:
                        flat = spec.depth - best.shape[1]
                        best = np.pad(best, [(0, 0), (0, flat)], mode="edge").ravel()
                        ideal[t - some.start] = np.pad(best, (0, size - len(best)), mode="edge")
                batch = _vectors(vector, ideal)
            yield some, batch

    def by_query(self, hits: SessionHits, length: Ints) -> tuple[Ints, Ints, list[Vectors]]:
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
        session = np.repeat(np.arange(len(length)), length)
        begin = bounds_of(length)
        position = np.arange(len(session)) - begin[session] + 1
        out = []
        for spec in self.specs:
            seen = self._seen(spec, hits)
            query = begin[seen.session] + seen.position - 1
            shape = (len(session), spec.depth)
            gained = self.discounted(spec, seen)
            vectors = _sums(query * spec.depth + seen.rank - 1, gained, shape)
            gain = np.zeros((len(length), spec.depth))
            ideal = self._ideal[spec.gains]
            within = ideal.where(ideal.rank <= spec.depth)
            gain[within.topic, within.rank - 1] = self._gain[spec.gains][within.level]
            with np.errstate(over="ignore"):
                best = core.dcg(gain, discount=spec.discount, base=spec.base)
                out.append(_vectors(vectors, best[session]))
        return session, position, out

    def _value(self, spec: Spec, hits: SessionHits, length: Ints) -> Floats:
        return _AtEnd(self, spec, self._seen(spec, hits), _queries(spec, length)).read(spec)

    def best(self, spec: Spec, n: Ints) -> Floats:
        """Return the ideal sDCG of each session; ``n`` is its number of queries."""
        ideal = self._ideal[spec.gains]
        gain = self._gain[spec.gains][ideal.level]
        most = int(n.max(initial=0))
        of_query = 1 / core.query_discounts(np.arange(most) + 1, spec.query_discount, spec.bq)
        weight = np.zeros(len(gain))
        if spec.duplicates == "count":  # the ideal vector once for each query
            within = ideal.rank <= spec.depth
            times = np.concatenate([[0.0], np.cumsum(of_query)])[n]
            ranks = core.discounts(ideal.rank[within], spec.discount, spec.base)
            weight[within] = times[ideal.topic[within]] / ranks
        else:  # the largest gains where the discounts are smallest
            depth = min(spec.depth, int(ideal.rank.max(initial=0)))
            of_rank = 1 / core.discounts(np.arange(depth) + 1, spec.discount, spec.base)
            for count in np.unique(n).tolist():
                weights = -np.sort(-np.outer(of_query[:count], of_rank).ravel())
                taken = (n[ideal.topic] == count) & (ideal.rank <= len(weights))
                weight[taken] = weights[ideal.rank[taken] - 1]
        return _sums(ideal.topic, gain * weight, len(n))

    def inverse_sums(self, spec: Spec, seen: SessionHits, n: Ints) -> Floats:
        """Return each hit's sum of I[N] / I[p] over the positions p from its own to the last, N.

        (The factor I[N] keeps tiny gains from overflowing.)
        """
        out = np.zeros(len(seen.session))
        sessions, starts = np.unique(seen.session, return_index=True)
        for t, mine in zip(sessions.tolist(), np.split(np.arange(len(out)), starts[1:])):
            ideal = self._ideal_vector(spec, t, int(n[t]))
            if not ideal.size:
                continue
            inverse = ideal[-1, -1] / ideal
            depth = inverse.shape[1]  # the ideal is flat from here to the end of the query
            flat = inverse[:, -1] * float(spec.depth - depth)
            query = inverse.sum(axis=1) + flat
            later = np.cumsum(query[::-1])[::-1] - query
            within = np.cumsum(inverse[:, ::-1], axis=1)[:, ::-1] + flat[:, None]
            q, rank = seen.position[mine] - 1, seen.rank[mine]
            beyond = inverse[q, -1] * (spec.depth - rank + 1)
            inside = within[q, np.minimum(rank, depth) - 1]
            out[mine] = later[q] + np.where(rank <= depth, inside, beyond)
        return out

    def _ideal_vector(self, spec: Spec, session: int, queries: int) -> Floats:
        """Return the ideal session's vector, shape ``(queries, depth)``.

        Its depth is the cutoff, or the topic's number of documents with a positive gain if that is
        smaller: past it the vector is flat to the end of the query.
        """
        ideal = self._ideal[spec.gains]
        mine = ideal.level[slice(*np.searchsorted(ideal.topic, [session, session + 1]))]
        depth = min(spec.depth, len(mine))
        if not depth:
            return np.empty((queries, 0))
        vector = core.ideal_session(
            self._gain[spec.gains][mine],
            queries,
            depth=depth,
            discount=spec.discount,
            base=spec.base,
            query_discount=spec.query_discount,
            bq=spec.bq,
            duplicates=spec.duplicates,
        )
        return np.asarray(vector.reshape(queries, depth))


class _AtEnd(Vectors):
    """The vectors of sessions of ``n`` queries each, at their last position."""

    def __init__(self, engine: SessionEngine, spec: Spec, seen: SessionHits, n: Ints) -> None:
        self._engine, self._spec, self._seen, self._n = engine, spec, seen, n
        self._gained = engine.discounted(spec, seen)

    @property
    def value(self) -> Floats:
        return _sums(self._seen.session, self._gained, len(self._n))

    @cached_property
    def ideal(self) -> Floats:
        return self._engine.best(self._spec, self._n)

    @property
    def ranks(self) -> Floats:
        return np.asarray(self._n * float(self._spec.depth))

    # The gain at position p is part of the vector from p on, so it counts at N - p + 1 positions;
    # when ratios are summed, it is divided each time by the ideal at that position.

    def total(self) -> Floats:
        seen = self._seen
        place = (seen.position - 1.0) * self._spec.depth + seen.rank
        counts = self.ranks[seen.session] - place + 1
        return _sums(seen.session, self._gained * counts, len(self._n))

    def total_of_ratios(self) -> Floats:
        inverse = self._engine.inverse_sums(self._spec, self._seen, self._n)
        return divide_by_ideal(
            _sums(self._seen.session, self._gained * inverse, len(self._n)), self.ideal
        )


def _vectors(gained: Floats, ideal: Floats) -> Vectors:
    """Return the vectors of discounted gains with the ideal ones; raise if a sum is not finite."""
    value = np.cumsum(gained, axis=1)
    if not (np.isfinite(value).all() and np.isfinite(ideal).all()):
        raise ValueError("the discounted gains are too large for a sum of floats")
    return Vectors(value, ideal)
