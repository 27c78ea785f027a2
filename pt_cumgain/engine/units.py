"""Runs by topic, or by session and query, and the judged documents in their lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from pt_cumgain.engine import judging
from pt_cumgain.engine.judging import NO_LEVEL, Hits, Judgments, Selection
from pt_cumgain.engine.rows import SESSION_COLUMNS, Ints, Table, bounds_of, encode, equal_rows
from pt_cumgain.environment.terminal import show

#: More documents than anyone looks at.
ALL = int(np.iinfo(np.int64).max)


class Query(NamedTuple):
    """A query of a session; it takes the place of the topic id when queries are ranked."""

    session: str
    position: int

    def __repr__(self) -> str:
        return f"{show(self.session)} (query {self.position})"


class SessionRun(NamedTuple):
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
        documents the searcher saw, :data:`ALL` if the run does not say.
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
                "run: session measures need its column query_position, which says which query of "
                "the session (1, 2, ...) returned a row; it is missing"
                + (f" (found {list(run.found)})" if run.found else "")
                + ". pt_cumgain.per_session(pipeline) makes such runs, "
                "pt_cumgain.sessions.split_turns(run) makes them of runs with the ids 31_1, 31_2, "
                "...; in a TREC file the second field holds it (Q1, Q2, ... or Q1/3, Q2/3, ...)"
            )
        queries, session, position = group_queries(run, run.position)
        rows, starts = queries.rows, queries.bounds[:-1]
        length = position[np.append(np.flatnonzero(np.diff(session)), -1)]
        if run.length is not None:
            shortest, longest = find_ends(run.length[rows], run.bounds[:-1])
            for s in np.flatnonzero((longest != shortest) | (shortest < length)).tolist():
                differs = longest[s] != shortest[s]
                other = f" and {longest[s]}" if differs else f", but rows of its query {length[s]}"
                raise ValueError(
                    f"run: session {show(run.topics[s])} has the session_length "
                    f"{shortest[s]}{other}; it is the number of the session's queries, the same in "
                    "all its rows"
                )
            length = shortest
        scanned = np.full(len(starts), ALL)
        if run.scanned is not None:
            scanned, most = find_ends(run.scanned[rows], starts)
            for i in np.flatnonzero(scanned != most).tolist():
                raise ValueError(
                    f"run: {show(queries.topics[i])} has different numbers in the column scanned; "
                    f"it says {SESSION_COLUMNS['scanned']}, the same in all its rows"
                )
        return cls(queries, list(run.topics), session, position, scanned, length)

    def as_lists(self) -> Table:
        """Return the run with each session as one list, for non-session measures.

        Its rows rank by query position, then score; a document has the place of its first
        appearance.
        """
        queries = judging.sort_by_score(self.queries)
        sizes = np.diff(queries.bounds)
        group = np.repeat(np.arange(len(sizes)), sizes)
        session = self.session[group]
        rows, scores = queries.at(np.arange(len(group))), queries.values
        # scores that descend within the session, equal for ties of one query, which ids break later
        _, tied = equal_rows(group, scores)
        score = -np.repeat(np.arange(len(tied)), tied).astype(np.float64)
        document, documents = encode(queries.docs.take(rows))
        _, first, same = np.unique(
            session * len(documents) + document, return_index=True, return_inverse=True
        )
        kept = group == group[first][same]  # repetitions in a query stay, to be refused
        counts = np.bincount(session[kept])  # every session has a row
        values = np.empty(len(rows))
        values[rows] = score
        bounds = bounds_of(counts)
        return replace(queries, topics=self.sessions, bounds=bounds, values=values, rows=rows[kept])


def find_ends(numbers: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Return the smallest and the largest number of each group, given where the groups start."""
    return np.minimum.reduceat(numbers, starts), np.maximum.reduceat(numbers, starts)


def group_queries(table: Table, position: Ints) -> tuple[Table, Ints, Ints]:
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
    queries = replace(table, topics=topics, bounds=bounds, rows=rows, position=None)
    return queries, session, position


class SessionJudgments(NamedTuple):
    """The judgments of sessions, each of which applies to all queries of a session or to one.

    Attributes
    ----------
    topics
        The sessions' ids.
    units
        The judgments, by unit: a session, or one of its queries. A unit has every document that is
        judged for any query of its session; where it is not judged for the unit's query, its level
        is :data:`~pt_cumgain.engine.judging.NO_LEVEL`.
    bounds
        The units of the first queries of session s are ``bounds[s]`` to before ``bounds[s + 1]``;
        the last is also that of all later queries.
    """

    topics: Sequence[str]
    units: Judgments
    bounds: Ints

    @classmethod
    def prepare(cls, qrels: Table) -> SessionJudgments:
        """Prepare qrels by session, or by turn if they have positions of queries."""
        if qrels.position is None:
            return cls(qrels.topics, Judgments.prepare(qrels), np.arange(len(qrels.topics) + 1))
        queries, session, position = group_queries(qrels, qrels.position)
        judged = Judgments.prepare(queries)
        judged.refuse_conflict()
        docs: list[list[str]] = []
        levels: list[Ints] = [np.empty(0, dtype=np.int64)]
        bounds = [0]
        begin = np.searchsorted(session, np.arange(len(qrels.topics) + 1)).tolist()
        for first, last in pairwise(begin):
            known = list(dict.fromkeys(chain.from_iterable(judged.docs[first:last])))
            column_of = {doc: i for i, doc in enumerate(known)}
            table: Ints = np.full((position[last - 1] + 1, len(known)), NO_LEVEL)
            for query in range(first, last):
                level = judged.level[slice(*judged.bounds[query : query + 2])]
                table[position[query] - 1, [column_of[doc] for doc in judged.docs[query]]] = level
            levels.append(table.ravel())
            docs += [known] * len(table)
            bounds.append(len(docs))
        level = np.concatenate(levels)
        together = Judgments.assemble(range(len(docs)), docs, level, judged.levels)
        return cls(qrels.topics, together, np.array(bounds))

    @property
    def by_turn(self) -> bool:
        """Whether each judgment holds for one query."""
        return bool(self.bounds[-1] > len(self.topics))

    def unit(self, session: Ints, position: Ints) -> Ints:
        """Return the unit of each of these queries."""
        ends = self.bounds[session + 1]
        return np.asarray(np.minimum(self.bounds[session] + position, ends) - 1)


class Lists(NamedTuple):
    """The lists of a run, judged or not; each column has an element for each list.

    Attributes
    ----------
    topic, position
        The topic, or the session and which of its queries; those that returned nothing are missing.
    documents
        How many documents the list has.
    scanned
        How many of them the searcher saw; :data:`ALL` if the run does not say.
    """

    topic: Ints
    position: Ints
    documents: Ints
    scanned: Ints

    def where(self, kept: Selection) -> Lists:
        """Return the lists that a mask or index selects."""
        return Lists(*(column[kept] for column in self))


@dataclass(frozen=True)
class Judged:
    """The judged documents of a run, in the order of their lists and ranks, and the lists.

    A topic has one list, a session one for each query. ``queries`` says how many queries each
    session has: at least the last one that has judgments of its own, so that a query that the run
    does not answer makes the ideal session no shorter. It is 0 for a session that is not in the
    run, if the qrels are by session.
    """

    hits: Hits
    lists: Lists
    queries: Ints

    @classmethod
    def empty(cls, topics: int) -> Judged:
        """Return what is judged of a run without rows."""
        none = np.empty((7, 0), dtype=np.int64)
        return cls(Hits(*none), Lists(*none[:4]), np.zeros(topics, dtype=np.int64))

    @cached_property
    def documents(self) -> Ints:
        """How many documents the run has for each topic, or session."""
        count = np.bincount(self.lists.topic, self.lists.documents, len(self.queries))
        return count.astype(np.int64)

    def cut(self, depth: int) -> Judged:
        """Return what is judged of lists cut at a rank; documents tied across it are kept."""
        documents = np.minimum(self.lists.documents, depth)
        hits = self.hits.where(self.hits.above < depth)
        return Judged(hits, self.lists._replace(documents=documents), self.queries)

    @classmethod
    def join(cls, parts: Sequence[Judged]) -> Judged:
        """Join the parts of a judged run, which share no topic."""
        return cls(
            judging.concatenate([part.hits for part in parts]),
            judging.concatenate([part.lists for part in parts]),
            np.max([part.queries for part in parts], axis=0),
        )


def judge_topics(judgments: Judgments, run: Table, reach: Ints, whole_ties: bool) -> Judged:
    """Judge a run by topic; for the arguments see :func:`~pt_cumgain.engine.judging.judge`."""
    topic = judgments.find_topics(run.topics)
    _, hits = judging.judge(judgments, run, topic, reach, whole_ties=whole_ties)
    one = np.ones_like(topic)
    lists = Lists(topic, one, np.diff(run.bounds), one * ALL).where(topic >= 0)
    # in the order of ranks, so that equal gain vectors have equal sums to the last bit
    return Judged(judging.by_rank(hits), lists, np.ones(len(judgments.topics), dtype=np.int64))


def judge_sessions(
    judgments: SessionJudgments, run: SessionRun, reach: Ints, whole_ties: bool
) -> Judged:
    """Judge a run by session and query; ``reach`` is by unit."""
    index = {session: s for s, session in enumerate(judgments.topics)}
    known = np.array([index.get(session, -1) for session in run.sessions], dtype=np.int64)
    queries = np.diff(judgments.bounds) - 1  # the last ones with judgments of their own
    here = known[known >= 0]
    queries[here] = np.maximum(queries[here], run.length[known >= 0])
    session, units = known[run.session], judgments.units
    unit = np.where(session < 0, -1, judgments.unit(session, run.position))
    group, hits = judging.judge(units, run.queries, unit, reach, whole_ties=whole_ties)
    of_session = units.bounds[judgments.bounds[session[group]]]
    document = hits.document - units.bounds[hits.topic] + of_session
    hits = hits._replace(topic=session[group], position=run.position[group], document=document)
    documents = np.diff(run.queries.bounds)
    lists = Lists(session, run.position, documents, run.scanned).where(session >= 0)
    return Judged(hits.where(np.lexsort((hits.rank, hits.position, hits.topic))), lists, queries)
