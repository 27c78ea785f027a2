"""Measures over runs: each run is judged once, and all values are read from the judged run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Floats
from pt_cumgain.engine import checks, units
from pt_cumgain.engine.judging import Judgments, find_unjudged
from pt_cumgain.engine.rows import Ints, Table, rank_within, refuse_turns
from pt_cumgain.engine.units import ALL, Judged, SessionJudgments, SessionRun
from pt_cumgain.engine.values import Group, SessionGroup
from pt_cumgain.engine.vectors import Read, Vectors
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import CumulatedGain, SessionMeasure


class Engine:
    """Computes a set of measures over runs, for one set of qrels.

    Parameters
    ----------
    measures
        The measures to compute, all of this package.
    qrels
        The rows of the qrels, or the judgments prepared from them.
    warn_for
        The measures for which to warn if their weightings do not fit the qrels; by default, all.

    Attributes
    ----------
    measures
        As given.
    topics
        The topics of the qrels, in their order.
    by_turn
        Whether each judgment holds for one query of a session; then all measures are of sessions.
    judgments
        The prepared qrels, by session and turn if they are by turn.
    groups, session_groups
        The measures by what they share: those of topics, and those of sessions.
    group_of
        The group of each measure.
    reach, whole_ties
        What the measures of topics read of a run; see :func:`find_reach`.
    unmet
        The systems judged so far that have no judged document at the ranks that any measure reads,
        by name, and what is said of them; no conclusions can be drawn about them.

    Raises
    ------
    ValueError
        If the qrels contradict themselves, or a weighting does not fit their levels.
    """

    def __init__(
        self,
        measures: Sequence[CumulatedGain],
        qrels: Table | SessionJudgments,
        *,
        warn_for: Sequence[CumulatedGain] | None = None,
    ) -> None:
        self.measures = list(measures)
        self._judgments = SessionJudgments.prepare(qrels) if isinstance(qrels, Table) else qrels
        self.judgments = self._judgments.units
        self.topics: list[str] = list(self._judgments.topics)
        self.by_turn = self._judgments.by_turn
        self.unmet: dict[str, str] = {}
        shared: dict[object, list[tuple[int, CumulatedGain]]] = {}
        of_sessions: dict[object, list[tuple[int, CumulatedGain]]] = {}
        for row, measure in enumerate(self.measures):
            measure.validate_params()
            if isinstance(measure, SessionMeasure):
                of_sessions.setdefault(measure.spec.session_key(), []).append((row, measure))
            else:
                refuse_turns(self.by_turn)
                key = measure.formula is None, *measure.spec.gains_key()
                shared.setdefault(key, []).append((row, measure))
        self.groups = [Group(each, self.judgments) for each in shared.values()]
        self.session_groups = [SessionGroup(each, self._judgments) for each in of_sessions.values()]
        self.group_of: dict[CumulatedGain, Group] = {}
        for group in [*self.groups, *self.session_groups]:
            self.group_of |= {measure: group for _, measure in group.measures}
        self.reach, self.whole_ties = find_reach(self.groups, self.judgments)
        checks.warn_of_withheld(self.judgments)
        warned = self.measures if warn_for is None else warn_for
        if not self.judgments.conflict:  # it is refused when a run is there, without these levels
            checks.warn_of_unmet_weights(warned, self.judgments.levels, len(self.topics))

    def judge(self, lists: Table) -> JudgedRun:
        """Rank and judge a run; everything else is read from the result.

        In a run over sessions (with ``query_position``) the topics are the sessions; non-session
        measures see each session as one list, sorted by query position, then score, with each
        document at its first place. The time is proportional to the size of the run, which may be a
        part of a larger one: see :meth:`join`.

        Parameters
        ----------
        lists
            The rows of the run.

        Raises
        ------
        ValueError
            If a score is NaN, a document appears twice within the ranks that a measure reads, or
            there is a session measure and the run has no ``query_position``.
        """
        example = next(iter(lists.ids(slice(1))), "")
        own_ids = checks.count_own_ids(lists)
        fields = checks.find_fields(lists, self.judgments)
        topics = sessions = Judged.empty(len(self.topics))
        if lists.position is not None or self.session_groups:
            by_query = SessionRun.group(lists)
            if self.session_groups:
                reach = find_reach(self.session_groups, self.judgments)
                sessions = units.judge_sessions(self._judgments, by_query, *reach)
            if self.groups:
                lists = by_query.as_lists()
        if self.groups:
            topics = units.judge_topics(self.judgments, lists, self.reach, self.whole_ties)
        return JudgedRun(self, topics, sessions, example, own_ids, fields)

    def join(self, parts: Sequence[JudgedRun]) -> JudgedRun:
        """Join the parts of a judged run, one or more, which share no topic."""
        return JudgedRun(
            self,
            Judged.join([part.topics for part in parts]),
            Judged.join([part.sessions for part in parts]),
            next((part.example for part in parts if part.example), ""),
            np.sum([part.own_ids for part in parts], axis=0),
            set().union(*(part.fields for part in parts)),
            list(chain.from_iterable(part.unjudged for part in parts)),
        )

    def ideal(self) -> tuple[Ints, Floats]:
        """Return R and the unnormalised (D)CG of the ideal ranking.

        Both have the shape ``(measures, topics)``. The value is NaN where descending gains are not
        ideal. The measures have no formula of their own; session measures have no value.
        """
        recall = np.zeros((len(self.measures), len(self.topics)), dtype=np.int64)
        ideal = np.zeros(recall.shape)
        for group in self.groups:
            with np.errstate(over="ignore", invalid="ignore"):
                group.fill(ideal, group.locate_gains(group.ideal_gains), Vectors.numerators)
            for row, _ in group.measures:
                recall[row] = group.recall
        self.refuse_overflow(ideal)
        for row, measure in enumerate(self.measures):
            if not core.has_ideal(measure.spec.discount, measure.spec.base):
                ideal[row] = np.nan
        return recall, ideal

    def refuse_overflow(self, values: Floats, topics: Ints | None = None) -> None:
        """Raise if a value is not finite; ``values`` has a topic in each column: these, or all."""
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])
            topic = self.topics[at if topics is None else topics[at]]
            nan = ", or an equation returned NaN" if np.isnan(values[:, at]).any() else ""
            raise ValueError(
                f"the discounted gains of topic {show(topic)} are too large for a sum of floats"
                f"{nan}; use smaller gains, or a base that is farther from 1"
            )


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The judged documents of a run, from which the engine's measures read their values.

    Methods that sum gains raise a ValueError if a sum is too large to be finite.

    Attributes
    ----------
    engine
        The engine that judged it.
    topics
        What is judged in each topic, as seen by non-session measures; nothing if there are only
        session measures.
    sessions
        What is judged in each query of a session; nothing if there is no session measure.
    example
        The id of its first document; empty if it has none.
    own_ids
        How many topics of a sample retrieve the document with their own id, and of how many.
    fields
        Which of its documents stand in the second and in the third field of the qrels.
    unjudged
        The topic, the rank and the id of each unjudged document that was kept.
    lists
        The run itself, if it was kept.
    """

    engine: Engine
    topics: Judged
    sessions: Judged
    example: str
    own_ids: Ints
    fields: set[tuple[str, str]]
    unjudged: Sequence[tuple[int, int, str]] = ()
    lists: Table | None = None

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether the run has documents for each topic of the qrels."""
        return (self.topics.documents > 0) | (self.sessions.documents > 0)

    def warn_of_ids(self, name: str = "") -> None:
        """Warn if ids look wrong, or no document is judged at the ranks that any measure reads.

        The engine remembers the names of the runs without judged documents.

        Raises
        ------
        ValueError
            If a document has two labels; where it stands in the run may tell why.
        """
        engine, run = self.engine, name or "run"
        second = checks.tell_second_field(engine.judgments, self.fields)
        engine.judgments.refuse_conflict(swapped=bool(second))
        checks.warn_of_own_ids(self.own_ids, run)
        unmet = self._find_unmet_ranks()
        if unmet is None:
            if second:
                warn(f"{run}: {second}")
            return
        count = len(engine.topics)
        text = checks.tell_unmet(self.example, engine.judgments, count, unmet, second)
        # the same for all batches of a run, so that Python shows the warning once
        warn(f"{run}: {engine.unmet.setdefault(name, text)}")

    def _find_unmet_ranks(self) -> str | None:
        """Return a phrase for the ranks without a judged document; None if there are no such ranks.

        There are none either if no rank is read, or nothing is judged or returned.
        """
        engine, hits, shown = self.engine, self.topics.hits, self.sessions.hits
        reach, depths = engine.reach, [group.spec.depth for group in engine.session_groups]
        before = hits.above if engine.whole_ties else hits.rank - 1
        met = before < reach[hits.topic]
        met_by_query = shown.rank <= max(depths, default=0)
        any_judged = any(engine.judgments.docs)
        if not any_judged or met.any() or met_by_query.any() or not self.present.any():
            return None
        last = max([int(reach.max(initial=0)), *depths])
        if not last:  # no topic has a relevant document, so no rank is read
            return None
        if last == ALL:
            return ""
        return f" down to rank {last if reach.min() == reach.max() else 'R'}"

    def values(self) -> Floats:
        """Return the values of all measures, shape ``(measures, topics)``.

        A topic that is not in the run has the value 0, and so does a topic without relevant
        documents under a normalised measure.
        """
        return self._read(Vectors.values)

    def parts(self) -> tuple[Floats, Floats]:
        """Return the numerators and divisors of the values, each of the shape of :meth:`values`.

        The measures have no formula of their own, and no ``avg_pos`` if they are normalised.
        """
        return self._read(Vectors.numerators), self._read(Vectors.divisors)

    def _read(self, read: Read) -> Floats:
        engine = self.engine
        out = np.zeros((len(engine.measures), len(engine.topics)))
        with np.errstate(over="ignore", invalid="ignore"):
            for group in engine.groups:
                group.fill(out, group.locate(self.topics), read)
            for group in engine.session_groups:
                group.fill(out, group.locate(self.sessions), read)
        engine.refuse_overflow(out)
        return out

    def by_level(self) -> Floats:
        """Return the parts of :meth:`values` that each level of the judgments contributes.

        The shape is ``(levels, measures, topics)``; the parts sum to the value. Session measures
        have none.
        """
        engine = self.engine
        levels = len(engine.judgments.levels)
        out = np.zeros((levels, len(engine.measures), len(engine.topics)))
        with np.errstate(over="ignore", invalid="ignore"):
            for group in engine.groups:
                gains = group.rank_gains(self.topics)
                for level, part in enumerate(out):
                    group.fill(part, group.locate_gains(gains.where(gains.level == level)))
            engine.refuse_overflow(out.sum(axis=0))
        return out

    def judged_share(self) -> Floats:
        """Return the share of each measure's first ranks that is judged, NaN if there are none.

        The shape is ``(measures, topics)``. The ranks are those of the whole list, with ties by
        document id, whatever a measure's own rules for ties and unjudged documents.
        """
        out = np.full((len(self.engine.measures), len(self.engine.topics)), np.nan)
        hits, documents = self.topics.hits, self.topics.documents
        for group in self.engine.groups:
            for row, measure in group.measures:
                reach = group.last_ranks(measure.spec)
                within = hits.topic[hits.rank <= reach[hits.topic]]
                judged = np.bincount(within, minlength=len(reach))
                with np.errstate(invalid="ignore"):
                    out[row] = judged / np.minimum(documents, reach)
        return out

    def keep_unjudged(self, depth: int) -> JudgedRun:
        """Return the run with the unjudged ones of its first documents, instead of its rows.

        They are the first ones as non-session measures see the run.
        """
        lists = self.lists
        if lists is None:
            return self
        if lists.position is not None:
            lists = SessionRun.group(lists).as_lists()
        unjudged = find_unjudged(self.engine.judgments, lists, self.topics.hits, depth)
        return replace(self, lists=None, unjudged=unjudged)

    def curves(
        self, measure: CumulatedGain, depth: int, *, vectors: bool = False
    ) -> Iterator[tuple[slice, list[Floats]]]:
        """Yield a measure's values at the ranks 1 to ``depth`` and the ideal ones, in batches.

        The depth is at most the measure's cutoff, which is ignored otherwise. Each batch comes with
        its slice of the topics. With ``vectors``, these are the vectors, neither divided nor
        averaged. The curves of sessions are along the positions of their vectors, and the ideal is
        NaN if it is not known.
        """
        group = self.engine.group_of[measure]
        judged = self.sessions if isinstance(group, SessionGroup) else self.topics
        batches = group.curves(measure, group.locate(judged, depth), depth, vectors=vectors)
        return self._refuse_overflow(np.arange(len(self.engine.topics)), batches)

    def query_curves(self, measure: SessionMeasure) -> tuple[Floats, Floats]:
        """Return the curve of each query of the sessions, and its parts of the session's value.

        Both tables have the shape ``(queries, cutoff)``. A curve is not divided by the query
        discount (ECIR 2008, section 2.2). Parts are divided by the query discount and by the
        divisor of the session's value.
        """
        group = cast(SessionGroup, self.engine.group_of[measure])
        gains, depth = group.locate_queries(self.sessions), measure.spec.depth
        queries = self.sessions.queries
        session = np.repeat(np.arange(len(queries)), queries)

        def compute(*, vectors: bool) -> Floats:
            batches = group.curves(measure(duplicates="count"), gains, depth, vectors=vectors)
            curves = [own for _, (own, _) in self._refuse_overflow(session, batches)]
            return np.concatenate([np.empty((0, depth)), *curves])

        values, by_query = compute(vectors=False), (measure["query_discount"], measure["bq"])
        discount = core.query_discounts(rank_within(session), *by_query)[:, None]
        if measure.divisor is None:
            return values, values / discount
        whole = self._read(Vectors.divisors)[self.engine.measures.index(measure), session]
        return values, core.divide_or_zero(compute(vectors=True) / discount, whole[:, None])

    def _refuse_overflow(
        self, topics: Ints, batches: Iterator[tuple[slice, list[Floats]]]
    ) -> Iterator[tuple[slice, list[Floats]]]:
        """Yield curves and the ideal ones; raise if they are not finite.

        ``topics`` has the topic or session of each curve.
        """
        for rows, curves in batches:
            for each in curves:
                if not np.isnan(each).all():  # an ideal that is not known
                    self.engine.refuse_overflow(each.T, topics[rows])
            yield rows, curves


def find_reach(groups: Sequence[Group], judgments: Judgments) -> tuple[Ints, bool]:
    """Return what measures read of a run: down to which rank, and whether ties with it as a whole.

    The rank is by topic; :data:`~pt_cumgain.engine.units.ALL` means the list's end.
    """
    reach = np.zeros(len(judgments.topics), dtype=np.int64)
    for group in groups:
        np.maximum(reach, ALL if group.spec.judged_only else group.reach, out=reach)
    return reach, any(group.spec.ties != "doc_id" for group in groups)
