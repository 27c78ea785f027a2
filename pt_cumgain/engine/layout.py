"""Where the ranks of a session's queries stand in the session's vector (ECIR 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pt_cumgain import core
from pt_cumgain.engine.gains import equal_gains
from pt_cumgain.engine.judging import Gains, Hits
from pt_cumgain.engine.rows import Ints, bounds_of
from pt_cumgain.engine.units import ALL, Judged
from pt_cumgain.engine.vectors import gain_vectors
from pt_cumgain.parameters import Spec


@dataclass(frozen=True)
class Layout:
    """How many ranks, documents and positions of each query a measure reads, session by session.

    Attributes
    ----------
    begin
        The queries of session t are ``begin[t]:begin[t + 1]``.
    scanned
        How many ranks of the query's list count.
    documents
        How many documents it has at these ranks.
    widths
        How many positions it takes in the session's vector.
    """

    begin: Ints
    scanned: Ints
    documents: Ints
    widths: Ints

    @classmethod
    def read(cls, spec: Spec, judged: Judged) -> Layout:
        """Return the layout of the sessions of a run."""
        begin = bounds_of(np.minimum(judged.queries, spec.queries or ALL))
        lists = judged.lists
        known = np.zeros(len(judged.queries), dtype=bool)  # a list missing there was not seen
        known[lists.topic[lists.scanned != ALL]] = True
        lists = lists.where(lists.position <= np.diff(begin)[lists.topic])
        query = begin[lists.topic] + lists.position - 1
        scanned = np.repeat(np.where(known, 0, spec.depth), np.diff(begin))
        scanned[query] = np.minimum(lists.scanned, spec.depth)
        documents = np.zeros(begin[-1], dtype=np.int64)
        documents[query] = np.minimum(lists.documents, scanned[query])
        widths = np.full(begin[-1], spec.depth)
        if spec.padding != "fixed":  # nothing is known of a session that is not in the run
            least = 0 if spec.padding == "none" else spec.padding
            present = np.repeat(judged.documents > 0, np.diff(begin))
            widths = np.where(present, np.maximum(documents, least), widths)
        return cls(begin, scanned, documents, widths)

    @property
    def best(self) -> Ints:
        """How many documents of each query count in the ideal session."""
        return np.minimum(self.scanned, self.widths)

    @cached_property
    def session(self) -> Ints:
        """The session of each query."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    @property
    def size(self) -> Ints:
        """The number of positions of each session."""
        return np.asarray(np.diff(bounds_of(self.widths)[self.begin]))

    def cut(self, hits: Hits) -> Hits:
        """Return the hits that count, by query instead of session."""
        hits = hits.where(hits.position <= np.diff(self.begin)[hits.topic])
        query = self.begin[hits.topic] + hits.position - 1
        return hits._replace(topic=query).where(hits.above < self.scanned[query])

    def locate(self, gains: Gains) -> Gains:
        """Return gains of queries as gains of sessions, with positions instead of ranks."""
        ends, session = bounds_of(self.widths), self.session[gains.row]
        before = ends[gains.row] - ends[self.begin[session]]
        return gains._replace(row=session, rank=before + gains.rank)

    @cached_property
    def _ranks_and_begins(self) -> tuple[Gains, Gains]:
        """The ranks at the positions that count, and 1 at the first position of each query."""
        ranks = equal_gains(1, self.best)
        ranks = ranks._replace(gain=ranks.rank.astype(np.float64))
        return self.locate(ranks), self.locate(equal_gains(1, np.ones_like(self.widths)))

    def positions(self, sessions: slice, size: int) -> tuple[Ints, Ints]:
        """Return rank and query of the first positions of some sessions, ``(sessions, size)``.

        The rank is 0 where no document counts. Positions past the last query's are counted as that
        query's.
        """
        rank, begins = (gain_vectors(each, sessions, size) for each in self._ranks_and_begins)
        query = np.maximum(core.cg(begins), 1)
        return rank.astype(np.int64), query.astype(np.int64)
