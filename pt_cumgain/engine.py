"""The engine: one pass ranks and judges a run, then every measure is a few array operations.

:func:`pt_cumgain.judging.judged_ranks` finds the ranks of the judged documents, once for all
measures; :meth:`Engine.evaluate` turns them into values. The ideal ranking goes through the same
summation as the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.judging import Hits, Judgments, judged_ranks, rank_within
from pt_cumgain.session_engine import SessionEngine, SessionRun, SessionSpec
from pt_cumgain.table import Ints, Table, bounds_of, read_qrels, read_run
from pt_cumgain.weighting import Weighting


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

    def __init__(self, hits: Hits, cutoffs: Ints, recall: Ints) -> None:
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
        self.recall = judgments.recall(self._gain)
        depths = {_depth(spec) for _, spec in specs if not spec.at_r}
        self._cutoffs = np.array(sorted(depths), dtype=np.int64)
        ends = np.broadcast_to(self._cutoffs, (len(self.recall), len(depths)))
        self._k = np.column_stack([ends, self.recall]).astype(np.float64)

    def _discounted(self, hits: Hits) -> Floats:
        gain = self._gain[hits.level]
        if self.key.discount == "none":
            return gain
        return gain / core.discounts(hits.rank, self.key.discount, self.key.base)

    @cached_property
    def _ideal_hits(self) -> Hits:
        return self._judgments.ideal(self._gain)

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
        bounds = bounds_of(self.recall)
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

    def seen(self, hits: Hits) -> Hits:
        """Return the hits at the ranks that the group's measures give them."""
        if self.key.judged_only:
            return _judged_only(hits, self.key.weighting.judged(self._judgments.levels))
        return hits

    def fill(self, out: Floats, hits: Hits) -> None:
        """Write the values of the group's measures to their rows of ``out``."""
        hits = self.seen(hits)
        sums, discounted = _Sums(hits, self._cutoffs, self.recall), self._discounted(hits)
        gained = sums.of(discounted)
        made: dict[tuple[bool, bool], Floats] = {}
        for i, spec in self.specs:
            kind = (spec.normalised, spec.avg_pos)
            if kind not in made:
                made[kind] = self._values(*kind, gained, sums, discounted, hits)
            column = -1 if spec.at_r else np.searchsorted(self._cutoffs, _depth(spec))
            out[i] = made[kind][:, column]

    def vectors(self, hits: Hits, topics: slice, depth: int) -> tuple[Floats, Floats]:
        """Return the vectors of some topics and their ideal vectors, shape ``(topics, depth)``.

        ``hits`` are those that :meth:`seen` returned.
        """
        first, last = topics.start, topics.stop
        out = []
        for of in (hits, self._ideal_hits):
            of = of.where(slice(*np.searchsorted(of.topic, [first, last])))
            of = of.where(of.rank <= depth)
            place = (of.topic - first) * depth + of.rank - 1
            gain = np.bincount(place, self._discounted(of), (last - first) * depth)
            out.append(np.cumsum(gain.reshape(last - first, depth), axis=1, dtype=np.float64))
        return out[0], out[1]

    def _values(
        self,
        normalised: bool,
        avg_pos: bool,
        gained: Floats,
        sums: _Sums,
        discounted: Floats,
        hits: Hits,
    ) -> Floats:
        if not avg_pos:
            return _normalised(gained, self._ideal) if normalised else gained
        # The gain of rank j is in the vector from j on, so it counts in k - j + 1 of the k ranks,
        # each time divided by the ideal of that rank where the measure is normalised.
        if normalised:
            topics = np.arange(len(self.recall))[:, None]
            before = sums.of(discounted * self._inverse_sum(hits.topic, hits.rank - 1))
            total = self._inverse_sum(topics, self._k) * gained - before
            total = _normalised(total, self._ideal[:, -1:])
        else:
            total = (self._k + 1) * gained - sums.of(discounted * hits.rank)
        means = np.divide(total, self._k, out=np.zeros_like(total), where=self._k > 0)
        return core.rounded_to_1(means) if normalised else means


def _normalised(gained: Floats, ideal: Floats) -> Floats:
    """Divide by the ideal; by one that is too large for a float nothing can be divided."""
    return np.where(np.isfinite(ideal), core.norm_vect(gained, ideal), np.nan)


def _depth(spec: Spec) -> int:
    """Return the last rank a measure reads; the largest integer stands for the list's end."""
    return min(spec.cutoff or _END, _END)


_END = int(np.iinfo(np.int64).max)


def _judged_only(hits: Hits, judged: NDArray[np.bool_]) -> Hits:
    """Rank the judged documents of each topic among themselves."""
    kept = np.flatnonzero(judged[hits.level])
    kept = kept[np.lexsort((hits.rank[kept], hits.topic[kept]))]
    topic = hits.topic[kept]
    return Hits(topic, rank_within(topic), hits.level[kept])


#: How many components of vectors are held at a time, for each group of measures.
_SHARE = 1 << 17


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

    def __init__(self, specs: Sequence[Spec | SessionSpec], qrels: Any) -> None:
        self._judgments = Judgments.of(read_qrels(qrels))
        self.topics: list[str] = list(self._judgments.topics)
        members: dict[_Key, list[tuple[int, Spec]]] = {}
        of_sessions = {i: spec for i, spec in enumerate(specs) if isinstance(spec, SessionSpec)}
        for i, spec in enumerate(specs):
            if not isinstance(spec, SessionSpec):
                key = _Key(spec.weighting, spec.discount, spec.base, spec.judged_only)
                members.setdefault(key, []).append((i, spec))
        self._groups = [_Group(key, specs, self._judgments) for key, specs in members.items()]
        self._session_rows = list(of_sessions)
        self._sessions = SessionEngine(list(of_sessions.values()), self._judgments)
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

    def _hits(self, run: Table, reach: Ints | None) -> Hits:
        rank = judged_ranks(self._judgments, run, reach)
        found = np.flatnonzero(rank)
        # in the order of ranks, so that equal gain vectors have equal sums to the last bit: tests
        # that rank systems would take a difference there for one
        place = self._judgments.topic[found] * (rank.max(initial=0) + 1) + rank[found]
        found = found[np.argsort(place, kind="stable")]
        return Hits(self._judgments.topic[found], rank[found], self._judgments.level[found])

    def evaluate(self, run: Any) -> Floats:
        """Return the values of a run, shape ``(specs, topics)``.

        A topic that the run misses has the value 0, and so has a topic without relevant documents
        under a normalised measure. In a run over sessions (with ``query_position``) the topics are
        the sessions; measures that know no sessions see each as one list, by query position, then
        score, each document where it first appears.

        Parameters
        ----------
        run
            A run in any form of ir-measures, or as :func:`pt_cumgain.table.read_run` returned it.

        Raises
        ------
        ValueError
            If a score is NaN, a document stands twice where a measure looks, gains are so large
            that their sum is no longer a number, or a session measure meets a run without
            ``query_position``.
        """
        table = run if isinstance(run, Table) else read_run(run)
        out = np.zeros((self._size, len(self.topics)))
        sessions = None
        if table.position is not None or self._session_rows:
            sessions = SessionRun.of(table)
        with np.errstate(over="ignore", invalid="ignore"):
            if sessions is not None and self._session_rows:
                out[self._session_rows] = self._sessions.evaluate(sessions)
            if self._groups:
                lists = table if sessions is None else sessions.as_lists()
                hits = self._hits(lists, self._reach())
                for group in self._groups:
                    group.fill(out, hits)
        self._refuse_overflow(out)
        return out

    def _refuse_overflow(self, values: Floats, first: int = 0) -> None:
        """Raise if a value is no number; ``values`` has a topic in each column."""
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])
            raise ValueError(
                f"the discounted gains of topic {self.topics[first + at]!r} are too large for a "
                "sum of floats; use smaller gains, or a base that is farther from 1"
            )

    def curves(self, run: Any, depth: int) -> Iterator[tuple[slice, list[tuple[Floats, Floats]]]]:
        """Yield the vectors down to a rank, for a share of the topics at a time.

        Each share is a slice of ``topics`` and, for each spec in the order given, the cumulated
        vectors and the ideal ones, not normalised, shape ``(topics of the share, depth)``. Cutoffs
        play no part. Specs of session measures have no such vectors.

        Parameters
        ----------
        run
            As for :meth:`evaluate`.
        depth
            The last rank.
        """
        table = run if isinstance(run, Table) else read_run(run)
        lists = table if table.position is None else SessionRun.of(table).as_lists()
        judged_only = any(group.key.judged_only for group in self._groups)
        reach = None if judged_only else np.full(len(self.topics), depth)
        hits = self._hits(lists, reach)
        seen = [group.seen(hits) for group in self._groups]
        share = max(_SHARE // depth, 1)
        for first in range(0, len(self.topics), share):
            topics = slice(first, min(first + share, len(self.topics)))
            vectors: list[Any] = [None] * self._size
            for group, of_group in zip(self._groups, seen):
                with np.errstate(over="ignore", invalid="ignore"):
                    both = group.vectors(of_group, topics, depth)
                self._refuse_overflow(both[0].T, first)
                self._refuse_overflow(both[1].T, first)
                for i, _ in group.specs:
                    vectors[i] = both
            yield topics, vectors
