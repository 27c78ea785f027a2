"""Ranking and judging: the rank at which a run has each judged document of a topic.

The measures need nothing else from a run, and only this step becomes slower with more rows.
Document ids are read only for rows that can be within the last rank that matters, and ties are
broken only if they include a judged document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints, Table, bounds_of, rank_within, refuse_turns
from pt_cumgain.weighting import number

#: How many document ids are held in lists at a time.
CHUNK = 1 << 18
#: Up to this many judged documents per topic, each is looked up in the list instead of a dict.
FEW = 2
#: Level index of unjudged documents: -1, so that it picks the last gain.
NO_LEVEL = -1

#: Which rows of columns are kept: a mask, an index, or a slice.
Selection = NDArray[np.bool_] | Ints | slice
#: A table of columns.
Columns = TypeVar("Columns", bound=tuple[Any, ...])


class Hits(NamedTuple):
    """Judged documents that a run returned; each column has one element per document.

    Attributes
    ----------
    topic
        The index of the topic.
    rank
        From 1, ties by descending document id.
    level
        The index of the label in ``Judgments.levels``.
    above, last
        The documents of the same score take the ranks ``above + 1`` to ``last``.
    """

    topic: Ints
    rank: Ints
    level: Ints
    above: Ints
    last: Ints

    def where(self, kept: Selection) -> Hits:
        """Return the hits that a mask or index selects."""
        return Hits(*(column[kept] for column in self))


class Gains(NamedTuple):
    """The gains at the ranks of a run, or of the ideal ranking, topic by topic.

    Attributes
    ----------
    topic
        The index of the topic.
    rank
        From 1. A rank may occur several times, and ranks without a gain may be
        missing.
    level
        The index of the label in ``Judgments.levels``.
    gain
        The gain of the rank from that label.
    """

    topic: Ints
    rank: Ints
    level: Ints
    gain: Floats

    def where(self, kept: Selection) -> Gains:
        """Return the gains that a mask or index selects."""
        return Gains(self.topic[kept], self.rank[kept], self.level[kept], self.gain[kept])

    def select(self, topics: slice) -> Gains:
        """Return the gains of some topics."""
        return self.where(slice(*np.searchsorted(self.topic, [topics.start, topics.stop])))


Placed = TypeVar("Placed", Hits, Gains)


def by_rank(placed: Placed) -> Placed:
    """Return hits or gains sorted by topic and rank."""
    width = placed.rank.max(initial=0) + 1  # sorting by one key is faster than by two
    return placed.where(np.argsort(placed.topic * width + placed.rank, kind="stable"))


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
    """

    topics: Sequence[Any]
    docs: list[list[str]]
    topic: Ints
    level: Ints
    bounds: Ints
    levels: Floats
    qrels: Table | None = None
    _rankings: dict[bytes, tuple[Ints, Ints, Ints]] = field(default_factory=dict, repr=False)

    @classmethod
    def prepare(cls, qrels: Table) -> Judgments:
        """Prepare qrels by topic; refuse labels that are not finite, or that conflict."""
        refuse_turns(qrels.position is not None)
        grouped = qrels.values[qrels.at(np.arange(qrels.bounds[-1]))]
        wrong = np.flatnonzero(~np.isfinite(grouped))
        if len(wrong):
            read = qrels.as_read(wrong[0], qrels.topic_at(wrong[0]), "label")
            raise ValueError(f"qrels: a label is not a finite number: {read}")
        docs_of, labels = [], []
        lists = _by_topic(qrels, np.diff(qrels.bounds))
        for t, (docs, values) in enumerate(zip(lists, np.split(grouped, qrels.bounds[1:-1]))):
            label_of = dict(zip(docs, values.tolist()))
            if len(label_of) < len(docs):
                _refuse_conflict(qrels, t, docs, values)
                values = np.fromiter(label_of.values(), dtype=np.float64)
            docs_of.append(list(label_of))
            labels.append(values)
        values = np.concatenate(labels) if labels else np.empty(0)
        levels: Floats = np.unique(values, return_counts=True)[0]  # alone, it imports numpy.ma
        judged = cls.assemble(qrels.topics, docs_of, np.searchsorted(levels, values), levels)
        return replace(judged, qrels=qrels)

    @classmethod
    def assemble(
        cls, topics: Sequence[Any], docs: list[list[str]], level: Ints, levels: Floats
    ) -> Judgments:
        """Return judgments from the documents of each topic and the levels of all."""
        sizes = np.fromiter(map(len, docs), dtype=np.int64, count=len(docs))
        topic = np.repeat(np.arange(len(docs)), sizes)
        return cls(topics, docs, topic, level, bounds_of(sizes), levels)

    @cached_property
    def index(self) -> dict[Any, int]:
        """The index of each topic."""
        return {topic: t for t, topic in enumerate(self.topics)}

    def known(self, topics: Sequence[Any]) -> Ints:
        """Return the index of each of these topics, -1 for those that are not in the qrels."""
        return np.array([self.index.get(topic, -1) for topic in topics], dtype=np.int64)

    def lengths(self, lists: Table) -> Ints:
        """Return how many documents a run has for each topic."""
        lengths = np.zeros(len(self.topics), dtype=np.int64)
        known = self.known(lists.topics)
        lengths[known[known >= 0]] = np.diff(lists.bounds)[known >= 0]
        return lengths

    def repeat(self, which: Ints, topics: Sequence[Any]) -> Judgments:
        """Return the judgments of the topics ``which``, in this order, with the ids ``topics``."""
        sizes = np.diff(self.bounds)[which]
        bounds = bounds_of(sizes)
        kept = np.arange(bounds[-1]) + np.repeat(self.bounds[which] - bounds[:-1], sizes)
        docs = [self.docs[t] for t in which.tolist()]
        return Judgments.assemble(topics, docs, self.level[kept], self.levels)

    def ideal(self, gain: Floats) -> Gains:
        """Return every topic's positive gains in descending order (TOIS 2002, eq. 4).

        ``gain`` is by level. Weightings that have the levels in the same order share the ranking.
        """
        levels = core.ideal_order(gain)
        order = levels.tobytes()
        if order not in self._rankings:
            place = np.full(len(gain) + 1, -1)  # the last one is that of unjudged documents
            place[levels] = np.arange(len(levels))
            place = place[self.level]
            kept = place >= 0
            keys = np.sort(self.topic[kept] * len(gain) + place[kept])
            topic, place = np.divmod(keys, len(gain))
            self._rankings[order] = topic, rank_within(topic), levels[place]
        topic, rank, level = self._rankings[order]
        return Gains(topic, rank, level, gain[level])


def _refuse_conflict(qrels: Table, t: int, docs: list[str], labels: Floats) -> None:
    """Refuse two labels of one document; ``docs`` and ``labels`` are those of topic t."""
    first: dict[str, int] = {}
    for at, doc in enumerate(docs):
        before = first.setdefault(doc, at)
        if labels[before] != labels[at]:
            topic = qrels.topics[t]
            rows = [
                qrels.as_read(qrels.bounds[t] + place, topic, "label") for place in (before, at)
            ]
            told = (
                f"qrels: document {doc!r} of topic {topic!r} has two different labels, "
                f"{number(labels[before])} and {number(labels[at])}: {'; '.join(rows)}"
            )
            if qrels.iteration is not None:
                second = qrels.iteration.take(qrels.at(qrels.bounds[t] + np.array([before, at])))
                if second[0] != second[1]:
                    told += "; judgments by subtopic, of diversity qrels, are not supported"
            raise ValueError(told)


def _by_topic(table: Table, sizes: Ints, groups: Ints | None = None) -> Iterator[list[str]]:
    """Yield the ids at the first ``sizes`` places of each group, reading them in chunks."""
    starts = table.bounds if groups is None else table.bounds[groups]
    ends = bounds_of(sizes)
    first = 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, ends[first] + CHUNK, side="right")) - 1
        last = max(last, first + 1)
        offset = ends[first : last + 1] - ends[first]
        shift = starts[first:last] - offset[:-1]
        rows: Ints | slice
        if table.rows is None and (shift == shift[0]).all():  # whole groups, adjacent to each other
            rows = slice(int(starts[first]), int(starts[first] + offset[-1]))
        else:
            rows = table.at(np.arange(offset[-1]) + np.repeat(shift, sizes[first:last]))
        docs = table.docs.take(rows)
        for a, b in pairwise(offset.tolist()):
            yield docs[a:b]
        first = last


def _positions(docs: list[str], judged: list[str]) -> tuple[Iterable[int], bool]:
    """Return the first place of each judged document in a list, -1 for those that are not in it.

    Also tell whether any document is in the list twice.
    """
    if len(judged) <= FEW:  # a set costs less than a dict, and few are looked up
        known = set(docs)
        positions = [docs.index(doc) if doc in known else -1 for doc in judged]
        return positions, len(known) < len(docs)
    place = dict(zip(reversed(docs), reversed(range(len(docs)))))
    return map(place.get, judged, repeat(-1)), len(place) < len(docs)


def read_scores(run: Table) -> Floats:
    """Return a run's scores in the order of its places; refuse NaN."""
    scores = run.values if run.rows is None else run.values[run.rows]
    if np.isnan(scores).any():
        place = int(np.flatnonzero(np.isnan(scores))[0])
        read = run.as_read(place, run.topic_at(place), "score")
        raise ValueError(f"run: a score is NaN: {read}")
    return scores


def read_lists(run: Table) -> dict[str, dict[str, float]]:
    """Return a run's scores by topic and document; refuse NaN."""
    docs = run.docs.take(slice(None) if run.rows is None else run.rows)
    scores = read_scores(run).tolist()
    return {
        topic: dict(zip(docs[first:last], scores[first:last]))
        for topic, first, last in zip(run.topics, run.bounds, run.bounds[1:])
    }


def sort_by_score(run: Table) -> Table:
    """Return the run with each topic's rows in descending score; ties keep their order.

    The values of the returned table are in the order of its places, not of its rows.
    """
    scores = read_scores(run)
    given = run.values if run.given is None else run.given
    rising = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    rising = rising[~np.isin(rising, run.bounds)]
    if not len(rising):
        return replace(run, values=scores, given=given)
    rows = np.arange(len(scores)) if run.rows is None else run.rows
    scores = scores.copy() if run.rows is None else scores
    for t in np.unique(np.searchsorted(run.bounds, rising)).tolist():
        group = slice(run.bounds[t - 1], run.bounds[t])
        order = np.argsort(-scores[group], kind="stable")
        rows[group], scores[group] = rows[group][order], scores[group][order]
    return replace(run, values=scores, rows=rows, given=given)


def _first_below(scores: Floats, score: Floats, low: Ints, high: Ints, *, or_equal: bool) -> Ints:
    """Find, by binary search, the first place in [low, high) with a smaller score, for each row."""
    low, high = low.copy(), high.copy()
    while len(open_ := np.flatnonzero(low < high)):
        middle = (low[open_] + high[open_]) // 2
        at = scores[middle]
        below = at <= score[open_] if or_equal else at < score[open_]
        high[open_] = np.where(below, middle, high[open_])
        low[open_] = np.where(below, low[open_], middle + 1)
    return low


def judge(
    judgments: Judgments, run: Table, depth: Ints | None, *, whole_ties: bool = False
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
    depth
        For each topic of the qrels, the last rank that matters; None: all matter.
    whole_ties
        Whether documents tied with one within ``depth`` all matter.

    Returns
    -------
    judged
        The index of each document found among all judged documents.
    hits
        Their ranks, with topics in no particular order. Documents beyond ``depth`` may be missing.

    Raises
    ------
    ValueError
        If a score is NaN, or a document appears twice where it matters.
    """
    run = sort_by_score(run)
    known = judgments.known(run.topics)
    groups = np.flatnonzero(known >= 0)
    topics = known[groups]
    start, end = run.bounds[groups], run.bounds[groups + 1]
    size = end - start
    if depth is not None:  # rows that can reach the depth, ties at the edge included
        limit = np.minimum(depth[topics], size)
        edge = np.flatnonzero((limit > 0) & (limit < size))
        last = run.values[start[edge] + limit[edge] - 1]
        size = limit.copy()
        size[edge] = (
            _first_below(run.values, last, start[edge] + limit[edge], end[edge], or_equal=False)
            - start[edge]
        )
    if depth is None or whole_ties:
        limit = size
    counts = judgments.bounds[topics + 1] - judgments.bounds[topics]
    offsets = bounds_of(counts)
    long = run.rows is None and size.sum() > counts.sum()  # else dicts cost less
    arrow = run.docs.arrow if long else None
    if arrow is None:
        places, to_read = np.empty(offsets[-1], dtype=np.int64), np.ones(len(topics), dtype=bool)
    else:
        from pt_cumgain.engine import lookup  # imports pyarrow, which made the column

        judged_docs = [judgments.docs[t] for t in topics.tolist()]
        # a list with a document twice is read again: where it counts, it is refused
        places, to_read = lookup.places(arrow, start, size, judged_docs)
    one_by_one = np.argsort(topics)  # errors come in the order of the qrels
    one_by_one = one_by_one[to_read[one_by_one]]
    lists = _by_topic(run, size[one_by_one], groups[one_by_one])
    for i, docs in zip(one_by_one.tolist(), lists):
        t = topics[i]
        positions, repeated = _positions(docs, judgments.docs[t])
        if repeated:
            _refuse_duplicate(run, judgments.topics[t], docs, int(start[i]), limit[i])
        places[offsets[i] : offsets[i + 1]] = list(positions)
    rank = places + 1
    present = np.flatnonzero(rank)
    group = np.repeat(np.arange(len(topics)), counts)[present]
    judged = present + (judgments.bounds[topics] - offsets[:-1])[group]
    rank = rank[present]
    hits = Hits(judgments.topic[judged], rank, judgments.level[judged], rank - 1, rank.copy())
    _break_ties(judgments, run, groups[group], judged, hits)
    return judged, hits


def rank_documents(judgments: Judgments, run: Table, depth: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the topics of the qrels that a run has, each with the ids at its first ranks."""
    ranked = sort_by_score(run)
    known = judgments.known(run.topics).tolist()
    for t, (start, end) in zip(known, pairwise(run.bounds.tolist())):
        if t < 0 or start == end:
            continue
        scores = ranked.values[start:end]
        scores = scores[scores >= scores[min(depth, end - start) - 1]]
        docs = ranked.docs.take(ranked.at(np.arange(start, start + len(scores))))
        yield t, [docs[at] for at in _order(docs, scores)[:depth]]


def _order(docs: list[str], scores: Floats) -> list[int]:
    """Return the places of documents by descending score; of equal scores, by descending id."""
    by_id = sorted(range(len(docs)), key=docs.__getitem__, reverse=True)
    return [by_id[i] for i in np.argsort(-scores[by_id], kind="stable")]


def _refuse_duplicate(run: Table, topic: object, docs: list[str], start: int, limit: int) -> None:
    """Raise if a document appears twice among the first ``limit`` ranks of a topic.

    ``docs`` are the documents from the place ``start`` on.
    """
    order = _order(docs, run.values[start : start + len(docs)])
    seen: dict[str, int] = {}
    for rank, at in enumerate(order[:limit], 1):
        first = seen.setdefault(docs[at], rank)
        if first != rank:
            places = (start + order[first - 1], start + at)
            rows = [run.as_read(place, topic, "score") for place in places]
            raise ValueError(
                f"run: document {docs[at]!r} of topic {topic!r} appears twice, at ranks {first} "
                f"and {rank}: {'; '.join(rows)}; to keep the best row of each document: "
                "run.sort_values('score', ascending=False).drop_duplicates(['qid', 'docno']), or "
                "pt.text.max_passage() in a pipeline"
            )


def _break_ties(judgments: Judgments, run: Table, group: Ints, judged: Ints, placed: Hits) -> None:
    """Correct, in place, the ranks of judged documents that share their score with others."""
    start, end = run.bounds[group], run.bounds[group + 1]
    place = start + placed.rank - 1
    score = run.values[place]
    after = np.minimum(place + 1, end - 1)
    tied = (place > start) & (run.values[place - 1] == score)
    tied |= (after > place) & (run.values[after] == score)
    hits, place, score = np.flatnonzero(tied), place[tied], score[tied]
    start, topic = start[tied], placed.topic[hits]
    low = _first_below(run.values, score, start, place, or_equal=True)
    high = _first_below(run.values, score, place, end[tied], or_equal=False)
    placed.above[hits], placed.last[hits] = low - start, high - start
    first, inverse = np.unique(low, return_index=True)
    ties = Table([], first, run.docs, run.values, run.rows)
    order = np.argsort(low)
    members = np.split(order, np.searchsorted(low[order], first[1:]))
    within = judged[hits] - judgments.bounds[topic]
    for member, docs in zip(members, _by_topic(ties, (high - low)[inverse])):
        docs.sort(reverse=True)
        position = dict(zip(reversed(docs), reversed(range(len(docs)))))
        for i in member.tolist():
            doc = judgments.docs[topic[i]][within[i]]
            placed.rank[hits[i]] = low[i] - start[i] + position[doc] + 1
