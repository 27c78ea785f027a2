"""Ranking and judging: the rank at which a run has each judged document of a topic.

The measures need nothing else from a run, and only this step becomes slower with more rows.
Document ids are read only for rows that can be within the last rank that matters, and ties are
broken only if they include a judged document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.arrow import find_texts
from pt_cumgain.engine.rows import Ints, Table, bounds_of, equal_rows, rank_within, refuse_turns
from pt_cumgain.environment.terminal import show
from pt_cumgain.weighting import number

#: Level index of unjudged documents: -1, so that it picks the last gain.
NO_LEVEL = -1
_SUBTOPICS = "; judgments by subtopic, of diversity qrels, are not supported"
_SWAPPED = "; the second field has documents of the run"
#: In how many topics, the first ones, the second field of qrels is compared with documents.
FIRST_TOPICS = 100

#: Which rows of columns are kept: a mask, an index, or a slice.
Selection = NDArray[np.bool_] | Ints | slice
#: A table of columns.
Columns = TypeVar("Columns", bound=tuple[object, ...])


class Hits(NamedTuple):
    """Judged documents that a run returned; each column has one element per document.

    Attributes
    ----------
    topic
        The index of the topic or session.
    position
        Which query of the session returned it, from 1; 1 for a topic.
    rank
        From 1, ties by descending document id.
    level
        The index of the label in ``Judgments.levels``; :data:`NO_LEVEL` if the document is judged
        for other queries of its session only.
    above, last
        The documents of the same score take the ranks ``above + 1`` to ``last``.
    document
        A number of the document, the same in all queries of a session.
    """

    topic: Ints
    position: Ints
    rank: Ints
    level: Ints
    above: Ints
    last: Ints
    document: Ints

    def where(self, kept: Selection) -> Hits:
        """Return the hits that a mask or index selects."""
        return Hits(*(column[kept] for column in self))


class Gains(NamedTuple):
    """The gains at the ranks of a run, or of the ideal ranking, row by row of a table.

    Attributes
    ----------
    row
        The row of the table: a topic, a session, a query of one, or a unit of its judgments.
    rank
        From 1. A rank may occur several times, and ranks without a gain may be
        missing.
    level
        The index of the label in ``Judgments.levels``.
    gain
        The gain of the rank from that label.
    """

    row: Ints
    rank: Ints
    level: Ints
    gain: Floats

    def where(self, kept: Selection) -> Gains:
        """Return the gains that a mask or index selects."""
        return Gains(self.row[kept], self.rank[kept], self.level[kept], self.gain[kept])

    def select(self, rows: slice) -> Gains:
        """Return the gains of some rows."""
        return self.where(slice(*np.searchsorted(self.row, [rows.start, rows.stop])))


Ranked = TypeVar("Ranked", Hits, Gains)


def by_rank(ranked: Ranked) -> Ranked:
    """Return hits or gains sorted by topic (or row), their first column, and rank."""
    width = ranked.rank.max(initial=0) + 1  # sorting by one key is faster than by two
    return ranked.where(np.argsort(ranked[0] * width + ranked.rank, kind="stable"))


def join_columns(parts: Sequence[Columns]) -> Columns:
    """Join tables of the same columns, such as hits, one after the other."""
    kind: Any = type(parts[0])
    joined: Columns = kind(*(np.concatenate(column) for column in zip(*parts)))
    return joined


def concatenate(parts: Sequence[Any]) -> Any:
    """Join the hits of parts of a run that share no topic, topic by topic."""
    whole = join_columns(parts)
    return whole.where(np.argsort(whole[0], kind="stable"))


@dataclass(frozen=True)
class Judgments:
    """The prepared qrels: the judged documents and their levels. Created by :meth:`prepare`.

    Attributes
    ----------
    topics
        Ids of the topics, in the order of the qrels.
    docs
        The judged documents of each topic, each once.
    topic, level
        For every judged document, topic by topic: the index of its topic, and that of its label in
        ``levels``.
    bounds
        The judged documents of topic t are ``bounds[t]:bounds[t + 1]``.
    levels
        The distinct labels, ascending.
    qrels
        The rows that they were prepared from, for messages; None if they are others'.
    conflict
        The error if a document has two labels, raised when a run may tell why.
    """

    topics: Sequence[Any]
    docs: list[list[str]]
    topic: Ints
    level: Ints
    bounds: Ints
    levels: Floats
    qrels: Table | None = None
    conflict: str = ""
    _rankings: dict[bytes, tuple[Ints, Ints, Ints]] = field(default_factory=dict, repr=False)

    @classmethod
    def prepare(cls, qrels: Table) -> Judgments:
        """Prepare qrels by topic; refuse labels that are not finite, note those that conflict."""
        refuse_turns(qrels.position is not None)
        grouped = qrels.values[qrels.at(np.arange(qrels.bounds[-1]))]
        wrong = np.flatnonzero(~np.isfinite(grouped))
        if len(wrong):
            read = qrels.as_read(wrong[:1], "label")
            raise ValueError(f"qrels: a label is not a finite number: {read}")
        docs_of, labels, conflict = [], [], ""
        lists = _by_topic(qrels, qrels.bounds[:-1], np.diff(qrels.bounds))
        for t, (docs, values) in enumerate(zip(lists, np.split(grouped, qrels.bounds[1:-1]))):
            label_of = dict(zip(docs, values.tolist()))
            if len(label_of) < len(docs):
                conflict = conflict or _find_conflict(qrels, t, docs, values)
                values = np.fromiter(label_of.values(), dtype=np.float64)
            docs_of.append(list(label_of))
            labels.append(values)
        values = np.concatenate(labels) if labels else np.empty(0)
        levels: Floats = np.unique(values, return_counts=True)[0]  # alone, it imports numpy.ma
        judged = cls.assemble(qrels.topics, docs_of, np.searchsorted(levels, values), levels)
        return replace(judged, qrels=qrels, conflict=conflict)

    @classmethod
    def assemble(
        cls, topics: Sequence[Any], docs: list[list[str]], level: Ints, levels: Floats
    ) -> Judgments:
        """Return judgments from the documents of each topic and the levels of all."""
        sizes = np.array([len(of_topic) for of_topic in docs], dtype=np.int64)
        topic = np.repeat(np.arange(len(docs)), sizes)
        return cls(topics, docs, topic, level, bounds_of(sizes), levels)

    @cached_property
    def index(self) -> dict[object, int]:
        """The index of each topic."""
        return {topic: t for t, topic in enumerate(self.topics)}

    @cached_property
    def second_fields(self) -> dict[str, dict[str, int]]:
        """The positions of the first topics' second fields, if no field of a topic repeats."""
        positions: dict[str, dict[str, int]] = {}
        second = self.qrels.others.get("second field") if self.qrels else None
        if self.qrels and second:
            bounds = self.qrels.bounds[: FIRST_TOPICS + 1].tolist()
            for topic, first, last in zip(self.qrels.topics, bounds, bounds[1:]):
                fields = second.take(self.qrels.at(np.arange(first, last)))
                if len(set(fields)) == len(fields):
                    positions[topic] = dict(zip(fields, range(first, last)))
        return positions

    def refuse_conflict(self, *, swapped: bool = False) -> None:
        """Refuse two labels of one document; the second field may have a run's documents."""
        if self.conflict:
            reason = _SUBTOPICS if "second field" in self.conflict else ""
            raise ValueError(self.conflict + (_SWAPPED if swapped else reason))

    def find_topics(self, topics: Sequence[object]) -> Ints:
        """Return the index of each of these topics, -1 for those that are not in the qrels."""
        return np.array([self.index.get(topic, -1) for topic in topics], dtype=np.int64)

    def ideal(self, gain: Floats) -> Gains:
        """Return every topic's positive gains in descending order (TOIS 2002, eq. 4).

        ``gain`` is by level. Weightings that have the levels in the same order share the ranking.
        """
        levels = core.ideal_order(gain)
        order = levels.tobytes()
        if order not in self._rankings:
            order_of = np.full(len(gain) + 1, -1)  # the last one is that of unjudged documents
            order_of[levels] = np.arange(len(levels))
            ordered = order_of[self.level]
            kept = ordered >= 0
            keys = np.sort(self.topic[kept] * len(gain) + ordered[kept])
            topic, ordered = np.divmod(keys, len(gain))
            self._rankings[order] = topic, rank_within(topic), levels[ordered]
        topic, rank, level = self._rankings[order]
        return Gains(topic, rank, level, gain[level])


def _find_conflict(qrels: Table, t: int, docs: list[str], labels: Floats) -> str:
    """Return the error about two labels of a document; those given are of topic t."""
    first: dict[str, int] = {}
    for at, doc in enumerate(docs):
        before = first.setdefault(doc, at)
        if labels[before] != labels[at]:
            rows = qrels.as_read(qrels.bounds[t] + np.array([before, at]), "label")
            return (
                f"qrels: document {show(doc)} of topic {show(qrels.topics[t])} has two different "
                f"labels, {number(labels[before])} and {number(labels[at])}: {rows}"
            )
    return ""


def _by_topic(table: Table, starts: Ints, sizes: Ints) -> Iterator[list[str]]:
    """Yield the ids at so many grouped positions from each start on."""
    for start, end in zip(starts.tolist(), (starts + sizes).tolist()):
        yield table.ids(slice(start, end))


def read_scores(run: Table) -> Floats:
    """Return a run's scores in the order of its positions; refuse NaN."""
    scores = run.values if run.rows is None else run.values[run.rows]
    if np.isnan(scores).any():
        read = run.as_read(np.flatnonzero(np.isnan(scores))[:1], "score")
        raise ValueError(f"run: a score is NaN: {read}")
    return scores


def read_lists(run: Table, judged: Collection[str] = ()) -> dict[str, dict[str, float]]:
    """Return a run's scores by topic and document; refuse NaN.

    A document that appears twice in one of the judged topics is refused. In a session, its score is
    that of its last place, as in a host's run in that order.
    """
    if run.position is not None:
        topic = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
        rows = run.at(np.arange(len(topic)))
        run = replace(run, rows=rows[np.lexsort((run.position[rows], topic))])
    docs = run.ids(slice(None))
    scores = read_scores(run).tolist()
    lists = {}
    for topic, first, last in zip(run.topics, run.bounds.tolist(), run.bounds[1:].tolist()):
        lists[topic] = dict(zip(docs[first:last], scores[first:last]))
        if len(lists[topic]) < last - first and run.position is None and topic in judged:
            ordered = sort_by_score(run)
            _refuse_duplicate(ordered, topic, ordered.ids(slice(first, last)), first, last - first)
    return lists


def sort_by_score(run: Table) -> Table:
    """Return the run with each topic's rows in descending score; ties keep their order.

    The values of the returned table are in the order of its positions, not of its rows.
    """
    scores = read_scores(run)
    given = run.values if run.given is None else run.given
    rises = np.zeros(len(scores) + 1, dtype=bool)
    rises[1:-1] = scores[1:] > scores[:-1]
    rises[run.bounds] = False  # np.isin and np.unique import numpy.ma
    rising = np.flatnonzero(rises)
    if not len(rising):
        return replace(run, values=scores, given=given)
    rows = np.arange(len(scores)) if run.rows is None else run.rows
    scores = scores.copy() if run.rows is None else scores
    for t in np.flatnonzero(np.bincount(np.searchsorted(run.bounds, rising))).tolist():
        group = slice(run.bounds[t - 1], run.bounds[t])
        order = np.argsort(-scores[group], kind="stable")
        rows[group], scores[group] = rows[group][order], scores[group][order]
    return replace(run, values=scores, rows=rows, given=given)


def _find_ties(run: Table) -> Ints:
    """Return where documents of equal score begin in a sorted run, and its end."""
    begins = np.ones(len(run.values) + 1, dtype=bool)
    begins[1:-1] = run.values[1:] != run.values[:-1]
    begins[run.bounds] = True
    return np.flatnonzero(begins)


def judge(
    judgments: Judgments, run: Table, topics: Ints, depth: Ints, *, whole_ties: bool = False
) -> tuple[Ints, Hits]:
    """Return the judged documents that a run has, topic by topic.

    Rows are ranked by descending score, and ties by descending document id (trec_eval's rule). The
    time depends on the size of the run, not on that of the qrels.

    Parameters
    ----------
    judgments
        The prepared qrels.
    run
        The run, in any order.
    topics
        The index of the topic of each of its groups, -1 for a topic that is not in the qrels.
    depth
        For each topic of the qrels, the last rank that matters.
    whole_ties
        Whether documents tied with one within ``depth`` all matter.

    Returns
    -------
    group
        The group of the run of each document found.
    hits
        Their ranks, with topics in no particular order, and their numbers among all judged
        documents. Documents beyond ``depth`` may be missing.

    Raises
    ------
    ValueError
        If a score is NaN, or a document appears twice where it matters.
    """
    run = sort_by_score(run)
    groups = np.flatnonzero(topics >= 0)
    topics = topics[groups]
    start = run.bounds[groups]
    size = run.bounds[groups + 1] - start
    blocks = _find_ties(run)
    limit = np.minimum(depth[topics], size)
    # rows that can reach the depth, ties at the edge included
    size = blocks[np.searchsorted(blocks, start + limit)] - start
    if whole_ties:
        limit = size
    counts = judgments.bounds[topics + 1] - judgments.bounds[topics]
    offsets = bounds_of(counts)
    long = run.rows is None and size.sum() > counts.sum()  # else dicts cost less
    arrow = run.docs.arrow if long else None
    if arrow is None:
        positions, to_read = np.empty(offsets[-1], dtype=np.int64), np.ones(len(topics), dtype=bool)
    else:
        judged_docs = [judgments.docs[t] for t in topics.tolist()]
        # a list with a document twice is read again: where it counts, it is refused
        positions, to_read = find_texts(arrow, start, size, judged_docs)
    one_by_one = np.argsort(topics, kind="stable")  # errors come in the order of the qrels
    one_by_one = one_by_one[to_read[one_by_one]]
    lists = _by_topic(run, start[one_by_one], size[one_by_one])
    for i, docs in zip(one_by_one.tolist(), lists):
        t = topics[i]
        position = dict(zip(reversed(docs), reversed(range(len(docs)))))
        if len(position) < len(docs):
            _refuse_duplicate(run, run.topics[groups[i]], docs, int(start[i]), limit[i])
        positions[offsets[i] : offsets[i + 1]] = [position.get(d, -1) for d in judgments.docs[t]]
    present = np.flatnonzero(positions >= 0)
    group = np.searchsorted(offsets, present, side="right") - 1
    judged = present + (judgments.bounds[topics] - offsets[:-1])[group]
    rank, start = positions[present] + 1, start[group]
    block = np.searchsorted(blocks, start + rank)
    above, last = blocks[block - 1] - start, blocks[block] - start
    topic, level = judgments.topic[judged], judgments.level[judged]
    hits = Hits(topic, np.ones_like(topic), rank, level, above, last, judged)
    _break_ties(judgments, run, start, hits)
    return groups[group], hits


def find_unjudged(
    judgments: Judgments, run: Table, hits: Hits, depth: int
) -> list[tuple[int, int, str]]:
    """Return topic, rank and id of the unjudged documents at a run's first ranks.

    ``hits`` are the judged ones. Only the ids of unjudged documents, and of those tied with them,
    are read.
    """
    run, topic = sort_by_score(run), judgments.find_topics(run.topics)
    first = np.zeros(len(judgments.topics) + 1, dtype=np.int64)  # of topics; the last is unknown
    first[topic] = run.bounds[:-1]
    unjudged = np.ones(run.bounds[-1], dtype=bool)
    unjudged[first[hits.topic] + hits.rank - 1] = False
    topic = np.repeat(topic, np.where(topic < 0, 0, np.minimum(np.diff(run.bounds), depth)))
    rank = rank_within(topic)
    place = first[topic] + rank - 1
    topic, rank, place = (column[unjudged[place]] for column in (topic, rank, place))
    docs = run.docs.take(run.at(place))
    ties = _find_ties(run)
    tie = np.searchsorted(ties, place, side="right")
    start, end = ties[tie - 1], ties[tie]

    @cache
    def sort_tied(start: int, end: int) -> list[str]:
        return sorted(run.ids(slice(start, end)), reverse=True)

    for i in np.flatnonzero(end - start > 1).tolist():
        docs[i] = sort_tied(start[i], end[i])[place[i] - start[i]]
    return list(zip(topic.tolist(), rank.tolist(), docs))


def _order(docs: list[str], scores: Floats) -> list[int]:
    """Return the positions of documents by descending score; of equal scores, by descending id."""
    by_id = sorted(range(len(docs)), key=docs.__getitem__, reverse=True)
    return [by_id[i] for i in np.argsort(-scores[by_id], kind="stable")]


def _refuse_duplicate(run: Table, topic: object, docs: list[str], start: int, limit: int) -> None:
    """Raise if a document appears twice among the first ``limit`` ranks of a topic.

    ``docs`` are the documents from the position ``start`` on.
    """
    order = _order(docs, run.values[start : start + len(docs)])
    seen: dict[str, int] = {}
    for rank, at in enumerate(order[:limit], 1):
        first = seen.setdefault(docs[at], rank)
        if first != rank:
            rows = run.as_read([start + order[first - 1], start + at], "score")
            raise ValueError(
                f"run: document {show(docs[at])} of topic {show(topic)} appears twice, at ranks "
                f"{first} and {rank}: {rows}"
            )


def _break_ties(judgments: Judgments, run: Table, start: Ints, hits: Hits) -> None:
    """Correct, in place, the ranks of judged documents that share their score with others.

    ``start`` is the position of the first document of each hit's topic.
    """
    first, size = start + hits.above, hits.last - hits.above
    tied = np.flatnonzero(size > 1)
    tied = tied[np.argsort(first[tied])]
    blocks, _ = equal_rows(first[tied])
    lists = _by_topic(run, first[tied[blocks]], size[tied[blocks]])
    for members, docs in zip(np.split(tied, blocks[1:]), lists):
        docs.sort(reverse=True)
        position = dict(zip(reversed(docs), reversed(range(len(docs)))))
        for i in members.tolist():
            topic = hits.topic[i]
            doc = judgments.docs[topic][hits.document[i] - judgments.bounds[topic]]
            hits.rank[i] = hits.above[i] + position[doc] + 1
