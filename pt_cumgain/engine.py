"""The engine: one pass ranks and judges a run, then every measure is a few array operations.

What a measure needs of a run is little: at which rank each judged document of a topic stands.
:class:`Judgments` prepares the qrels once, :func:`judged_ranks` finds those ranks (the only part
whose cost grows with the run), and :meth:`Engine.evaluate` turns them into values. The ideal
ranking goes through the same summation as the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.table import Ints, Table, read_qrels, read_run
from pt_cumgain.weighting import Weighting, number

#: Rows whose document ids are held as a list at one time.
CHUNK = 1 << 18


@dataclass(frozen=True)
class Spec:
    """What to compute: a measure without its name.

    ``cutoff`` None is the whole ranking. A spec with ``discount="none"`` is (n)CG.
    """

    weighting: Weighting
    discount: str = "none"
    base: float = 2.0
    normalised: bool = False
    cutoff: int | None = None
    at_r: bool = False
    avg_pos: bool = False
    judged_only: bool = False


class Judgments:
    """The qrels, prepared: who is judged, at what level.

    Attributes
    ----------
    topics
        Ids of the topics, in the order of the qrels.
    docs
        The judged documents of each topic, each once.
    topic, level
        Of every judged document: the index of its topic, and the index of its label in ``levels``.
    levels
        The distinct labels, ascending.
    """

    def __init__(self, qrels: Table) -> None:
        self.topics = qrels.topics
        self.docs: list[list[str]] = []
        labels = []
        for topic, (places, docs) in zip(qrels.topics, _by_topic(qrels, np.diff(qrels.bounds))):
            values = qrels.values[qrels.at(places)]
            if len(label_of := dict(zip(docs, values.tolist()))) < len(docs):
                _refuse_conflict(topic, docs, values)
                values = np.fromiter(label_of.values(), dtype=np.float64)
            self.docs.append(list(label_of))
            labels.append(values)
        sizes = np.fromiter(map(len, self.docs), dtype=np.int64, count=len(self.docs))
        self.topic: Ints = np.repeat(np.arange(len(self.topics)), sizes)
        values = np.concatenate(labels) if labels else np.empty(0)
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            topic = self.topics[self.topic[at]]
            raise ValueError(
                f"qrels: the relevance of a document of topic {topic!r} is {values[at]}; "
                "it must be a finite number"
            )
        self.levels: Floats = np.unique(values)
        self.level: Ints = np.searchsorted(self.levels, values)


def _refuse_conflict(topic: str, docs: list[str], labels: Floats) -> None:
    first: dict[str, float] = {}
    for doc, label in zip(docs, labels.tolist()):
        if first.setdefault(doc, label) != label:
            raise ValueError(
                f"qrels: document {doc!r} of topic {topic!r} has two different labels, "
                f"{number(first[doc])} and {number(label)}"
            )


def _by_topic(
    table: Table, sizes: Ints, groups: Ints | None = None
) -> Iterator[tuple[Ints, list[str]]]:
    """Yield places and ids of the first ``sizes`` rows of each group, reading ids in chunks."""
    groups = np.arange(len(sizes)) if groups is None else groups
    starts = table.bounds[groups]
    first = 0
    while first < len(sizes):
        ends = np.cumsum(sizes[first:])
        last = first + max(1, int(np.searchsorted(ends, CHUNK, side="right")))
        within = sizes[first:last]
        offset = np.concatenate([[0], ends[: last - first]])
        places = np.arange(offset[-1]) + np.repeat(starts[first:last] - offset[:-1], within)
        docs = table.docs.take(table.at(places))
        for a, b in zip(offset[:-1].tolist(), offset[1:].tolist()):
            yield places[a:b], docs[a:b]
        first = last


def _sort_by_score(run: Table) -> Table:
    """Return the run with each topic's rows in descending score (ties in any order)."""
    scores = run.values if run.rows is None else run.values[run.rows]
    if np.isnan(scores).any():
        place = int(np.flatnonzero(np.isnan(scores))[0])
        topic = run.topics[int(np.searchsorted(run.bounds, place, side="right")) - 1]
        doc = run.docs.take(run.at(np.array([place])))[0]
        raise ValueError(f"run: document {doc!r} of topic {topic!r} has the score NaN")
    rising = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    rising = rising[~np.isin(rising, run.bounds)]
    if not len(rising):
        return Table(run.topics, run.bounds, run.docs, scores, run.rows)
    rows = np.arange(len(scores)) if run.rows is None else run.rows
    scores = scores.copy() if run.rows is None else scores
    for t in np.unique(np.searchsorted(run.bounds, rising, side="right") - 1).tolist():
        a, b = run.bounds[t], run.bounds[t + 1]
        order = np.argsort(-scores[a:b], kind="stable")
        rows[a:b] = rows[a:b][order]
        scores[a:b] = scores[a:b][order]
    return Table(run.topics, run.bounds, run.docs, scores, rows)


def _first_below(scores: Floats, score: Floats, low: Ints, high: Ints, *, or_equal: bool) -> Ints:
    """Binary search, for each row, of the first place in [low, high) with a smaller score."""
    low, high = low.copy(), high.copy()
    while len(open_ := np.flatnonzero(low < high)):
        middle = (low[open_] + high[open_]) // 2
        at = scores[middle]
        below = at <= score[open_] if or_equal else at < score[open_]
        high[open_] = np.where(below, middle, high[open_])
        low[open_] = np.where(below, low[open_], middle + 1)
    return low


def judged_ranks(judgments: Judgments, run: Table, depth: Ints | None) -> Ints:
    """Return the rank at which the run has each judged document, 0 where it has not.

    Rows rank by descending score, ties by descending document id (trec_eval's rule).

    Parameters
    ----------
    judgments
        The prepared qrels.
    run
        The run, in any order.
    depth
        For each topic of the qrels the last rank that matters; None: all.

    Returns
    -------
    numpy.ndarray
        int64, one rank for each judged document. Ranks beyond ``depth`` may be 0.

    Raises
    ------
    ValueError
        If a score is NaN, or a document stands twice within ``depth``.
    """
    run = _sort_by_score(run)
    index = {topic: t for t, topic in enumerate(run.topics)}
    found = np.array([index.get(topic, -1) for topic in judgments.topics], dtype=np.int64)
    here = np.flatnonzero(found >= 0)
    groups = found[here]
    start, end = run.bounds[groups], run.bounds[groups + 1]
    size = end - start
    if depth is not None:  # rows that can reach the depth, ties at the edge included
        limit = np.minimum(depth[here], size)
        edge = np.flatnonzero((limit > 0) & (limit < size))
        last = run.values[start[edge] + limit[edge] - 1]
        size = limit.copy()
        size[edge] = (
            _first_below(run.values, last, start[edge] + limit[edge], end[edge], or_equal=False)
            - start[edge]
        )
    else:
        limit = size
    places: list[int] = []
    blocks = _by_topic(run, size, groups)
    for t, k, (_, docs) in zip(here.tolist(), limit.tolist(), blocks):
        place = dict(zip(docs, range(len(docs))))
        if len(place) < len(docs):
            a = int(run.bounds[found[t]])
            _refuse_duplicate(judgments.topics[t], docs, run.values[a : a + len(docs)], k)
            place = dict(zip(reversed(docs), reversed(range(len(docs)))))
        places.extend(map(place.get, judgments.docs[t], repeat(-1)))
    judged = np.flatnonzero(np.isin(judgments.topic, here))
    rank = np.zeros(len(judgments.topic), dtype=np.int64)
    rank[judged] = np.array(places, dtype=np.int64) + 1
    _break_ties(judgments, run, found, rank)
    return rank


def _refuse_duplicate(topic: str, docs: list[str], scores: Floats, limit: int) -> None:
    """Raise if a document stands twice among the first ``limit`` ranks of a topic."""
    by_id = sorted(range(len(docs)), key=docs.__getitem__, reverse=True)
    ranking = [by_id[i] for i in np.argsort(-scores[by_id], kind="stable")]
    seen: dict[str, int] = {}
    for rank, at in enumerate(ranking[:limit], 1):
        if (first := seen.setdefault(docs[at], rank)) != rank:
            raise ValueError(
                f"run: document {docs[at]!r} of topic {topic!r} stands twice, at ranks {first} "
                f"and {rank}; drop one of the rows"
            )


def _break_ties(judgments: Judgments, run: Table, found: Ints, rank: Ints) -> None:
    """Correct, in place, the ranks of judged documents whose score others share."""
    hits = np.flatnonzero(rank)
    group = found[judgments.topic[hits]]
    start, end = run.bounds[group], run.bounds[group + 1]
    place = start + rank[hits] - 1
    score = run.values[place]
    after = np.minimum(place + 1, end - 1)
    tied = (place > start) & (run.values[place - 1] == score)
    tied |= (after > place) & (run.values[after] == score)
    hits, place, score = hits[tied], place[tied], score[tied]
    if not len(hits):
        return
    low = _first_below(run.values, score, start[tied], place, or_equal=True)
    high = _first_below(run.values, score, place, end[tied], or_equal=False)
    first, inverse = np.unique(low, return_index=True)
    ties = Table([], np.append(low[inverse], 0), run.docs, run.values, run.rows)
    order = np.argsort(low, kind="stable")
    members = np.split(order, np.searchsorted(low[order], first[1:]))
    ids = [judgments.docs[t] for t in judgments.topic[hits]]
    offset = np.searchsorted(judgments.topic, judgments.topic[hits])
    blocks = _by_topic(ties, (high - low)[inverse], np.arange(len(first)))
    for member, (_, docs) in zip(members, blocks):
        docs.sort(reverse=True)
        position = dict(zip(reversed(docs), reversed(range(len(docs)))))
        for i in member.tolist():
            doc = ids[i][hits[i] - offset[i]]
            rank[hits[i]] = low[i] - start[tied][i] + position[doc] + 1


class _Hits(NamedTuple):
    """Documents at ranks of their topics: what a run, or the ideal ranking, offers."""

    topic: Ints
    rank: Ints
    level: Ints


class _Key(NamedTuple):
    """What measures share when they differ only in how a vector is read off."""

    weighting: Weighting
    discount: str
    base: float
    judged_only: bool


class _Sums:
    """Sums over the first ranks of each topic, at all cutoffs of a group of measures at once.

    Column c belongs to the c-th cutoff; the last column to each topic's own R.
    """

    def __init__(self, hits: _Hits, cutoffs: Ints, recall: Ints) -> None:
        self._topic, self._topics, self._columns = hits.topic, len(recall), len(cutoffs) + 1
        self._cell = hits.topic * self._columns + np.searchsorted(cutoffs, hits.rank)
        self._within_r = hits.rank <= recall[hits.topic]

    def of(self, value: Floats) -> Floats:
        """Return the sums of ``value`` (one for each hit), shape ``(topics, columns)``."""
        size = self._topics * self._columns
        flat: Floats = np.bincount(self._cell, value, size).astype(np.float64)
        table = flat.reshape(self._topics, self._columns)
        np.cumsum(table, axis=1, out=table)
        table[:, -1] = np.bincount(self._topic, value * self._within_r, self._topics)
        return table


class _Group:
    """The measures that share a weighting, a discount and a ranking."""

    def __init__(self, key: _Key, specs: list[tuple[int, Spec]], judgments: Judgments) -> None:
        self.key, self.specs, self._judgments = key, specs, judgments
        self._gain = key.weighting.gain(judgments.levels)
        positive = self._gain[judgments.level] > 0
        self.recall: Ints = np.bincount(
            judgments.topic[positive], minlength=len(judgments.topics)
        ).astype(np.int64)
        depths = {_depth(spec) for _, spec in specs if not spec.at_r}
        self._cutoffs = np.array(sorted(depths), dtype=np.int64)
        ends = np.broadcast_to(self._cutoffs, (len(self.recall), len(depths)))
        self._k = np.column_stack([ends, self.recall]).astype(np.float64)

    def _discounted(self, hits: _Hits) -> Floats:
        gain = self._gain[hits.level]
        if self.key.discount == "none":
            return gain
        return gain / core.discounts(hits.rank, self.key.discount, self.key.base)

    @cached_property
    def _ideal_hits(self) -> _Hits:
        """Every topic's positive gains in descending order (TOIS 2002, eq. 4)."""
        levels = np.argsort(-self._gain, kind="stable")
        levels = levels[self._gain[levels] > 0]
        place = np.full(len(self._gain), -1, dtype=np.int64)
        place[levels] = np.arange(len(levels))
        place = place[self._judgments.level]
        kept = place >= 0
        keys = np.sort(self._judgments.topic[kept] * len(self._gain) + place[kept])
        topic, place = np.divmod(keys, max(len(self._gain), 1))
        return _Hits(topic, _rank_within(topic), levels[place])

    @cached_property
    def _ideal(self) -> Floats:
        """The ideal (D)CG at every column."""
        hits = self._ideal_hits
        return _Sums(hits, self._cutoffs, self.recall).of(self._discounted(hits))

    @cached_property
    def _inverse_ideal(self) -> tuple[Ints, Floats]:
        """Sums of I[R] / I[i] over the ranks 1..i, for i = 0..R, of all topics in one array.

        With them the place where each topic's sums begin. (The factor I[R] makes the terms of all
        ranks past R 1, and keeps tiny gains from overflowing.)
        """
        discounted = self._discounted(self._ideal_hits)
        bounds = np.concatenate([[0], np.cumsum(self.recall)])
        begins = bounds[:-1] + np.arange(len(self.recall))
        sums = np.zeros(bounds[-1] + len(self.recall))
        for t in np.flatnonzero(self.recall).tolist():
            ideal = np.cumsum(discounted[bounds[t] : bounds[t + 1]])
            sums[begins[t] + 1 : begins[t] + 1 + len(ideal)] = np.cumsum(ideal[-1] / ideal)
        return begins, sums

    def _inverse_sum(self, topic: Any, rank: Any) -> Floats:
        """Sum of I[R] / I[i] over the ranks 1..``rank`` of a topic."""
        begins, sums = self._inverse_ideal
        inside = np.minimum(rank, self.recall[topic]).astype(np.int64)
        return np.asarray(sums[begins[topic] + inside] + (rank - inside))

    def fill(self, out: Floats, hits: _Hits) -> None:
        """Write the values of the group's measures to their rows of ``out``."""
        if self.key.judged_only:
            hits = _judged_only(hits, self.key.weighting.judged(self._judgments.levels))
        sums, discounted = _Sums(hits, self._cutoffs, self.recall), self._discounted(hits)
        gained = sums.of(discounted)
        made: dict[tuple[bool, bool], Floats] = {}
        for i, spec in self.specs:
            kind = (spec.normalised, spec.avg_pos)
            if kind not in made:
                made[kind] = self._values(*kind, gained, sums, discounted, hits)
            column = -1 if spec.at_r else np.searchsorted(self._cutoffs, _depth(spec))
            out[i] = made[kind][:, column]

    def _values(
        self,
        normalised: bool,
        avg_pos: bool,
        gained: Floats,
        sums: _Sums,
        discounted: Floats,
        hits: _Hits,
    ) -> Floats:
        if not avg_pos:
            return core.norm_vect(gained, self._ideal) if normalised else gained
        # The gain of rank j is in the vector from j on, so it counts in k - j + 1 of the k ranks,
        # each time divided by the ideal of that rank where the measure is normalised.
        if normalised:
            topics = np.arange(len(self.recall))[:, None]
            before = sums.of(discounted * self._inverse_sum(hits.topic, hits.rank - 1))
            total = self._inverse_sum(topics, self._k) * gained - before
            total = core.norm_vect(total, self._ideal[:, -1:])
        else:
            total = (self._k + 1) * gained - sums.of(discounted * hits.rank)
        return np.divide(total, self._k, out=np.zeros_like(total), where=self._k > 0)


def _depth(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer stands for the list's end."""
    return min(spec.cutoff or _END, _END)


_END = int(np.iinfo(np.int64).max)


def _rank_within(topic: Ints) -> Ints:
    """Return 1, 2, ... along each run of equal topics."""
    rows = np.arange(len(topic))
    return np.asarray(rows - np.searchsorted(topic, topic) + 1)


def _judged_only(hits: _Hits, judged: NDArray[np.bool_]) -> _Hits:
    """Rank the judged documents of each topic among themselves."""
    kept = np.flatnonzero(judged[hits.level])
    kept = kept[np.lexsort((hits.rank[kept], hits.topic[kept]))]
    topic = hits.topic[kept]
    return _Hits(topic, _rank_within(topic), hits.level[kept])


class Engine:
    """Computes a set of measures over runs, for one set of qrels.

    Parameters
    ----------
    specs
        What to compute.
    qrels
        Qrels in any form of ir-measures, read once.

    Attributes
    ----------
    topics
        The topics of the qrels, in their order.

    Raises
    ------
    ValueError
        If the qrels contradict themselves, or a weighting does not fit their levels.
    """

    def __init__(self, specs: Sequence[Spec], qrels: Any) -> None:
        self._judgments = Judgments(read_qrels(qrels))
        self.topics = self._judgments.topics
        members: dict[_Key, list[tuple[int, Spec]]] = {}
        for i, spec in enumerate(specs):
            key = _Key(spec.weighting, spec.discount, spec.base, spec.judged_only)
            members.setdefault(key, []).append((i, spec))
        self._groups = [_Group(key, specs, self._judgments) for key, specs in members.items()]
        self._size = len(specs)

    def _reach(self) -> Ints | None:
        """Return the last rank that matters to some measure, by topic; None: all matter."""
        reach = np.zeros(len(self.topics), dtype=np.int64)
        for group in self._groups:
            for _, spec in group.specs:
                if spec.judged_only or not (spec.cutoff or spec.at_r):
                    return None
                np.maximum(reach, group.recall if spec.at_r else _depth(spec), out=reach)
        return reach

    def evaluate(self, run: Any) -> Floats:
        """Return the values of a run, shape ``(specs, topics)``.

        A topic that the run misses has the value 0, and so has a topic without relevant documents
        under a normalised measure.

        Parameters
        ----------
        run
            A run in any form of ir-measures.

        Raises
        ------
        ValueError
            If a score is NaN, or a document stands twice where a measure looks.
        """
        rank = judged_ranks(self._judgments, read_run(run), self._reach())
        found = np.flatnonzero(rank)
        hits = _Hits(self._judgments.topic[found], rank[found], self._judgments.level[found])
        out = np.zeros((self._size, len(self.topics)))
        for group in self._groups:
            group.fill(out, hits)
        return out
