"""Tables of the rows of a run or of qrels, grouped by topic: what the engine computes from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.environment.terminal import show

Ints = NDArray[np.int64]

#: The columns of a run over sessions, and their meaning.
SESSION_COLUMNS = {
    "query_position": "which query of its session returned the row, counted from 1",
    "session_length": "how many queries the session has",
    "scanned": "how many documents of the query's list the searcher looked at",
}
#: The column of qrels by turn, and its meaning.
TURN_COLUMN = {
    "query_position": "for which query of its session the judgment holds, counted from 1"
}


class Documents(Protocol):
    """The document ids of rows."""

    def take(self, rows: Ints | slice) -> list[str]:
        """Return the ids at these rows, in their order."""

    @property
    def arrow(self) -> object:
        """The ids as an array of pyarrow, if they are in one; else None."""


@dataclass
class Table:
    """Rows grouped by topic.

    Attributes
    ----------
    topics
        The topics' ids, each once.
    bounds
        Group t is ``bounds[t]:bounds[t + 1]``, shape ``(topics + 1,)``.
    docs
        The document ids of the rows, in their original order.
    values
        Scores or labels of the rows, in their original order; float64.
    rows
        The number of the row at each grouped position; None if the rows were grouped already.
    position, length, scanned
        For the rows of a run over sessions, in their original order: which query of the session
        returned the row, how many queries the session has (None: not given; the largest position
        counts), and how many documents of the query's list the searcher saw (None: not given).
    ranks
        What a run's column ``rank`` holds, NaN where it is no number; None if there is none.
    iteration
        The second field of qrels, which ir-measures' diversity measures read; None without one.
    others
        Columns that are not read and not constant, such as tags, by what messages call them.
    integer_topics
        Whether the topics were integers, which are read as texts.
    found
        The names of the columns, for messages; empty where there are none.
    given
        The values as they were read, by row, if ``values`` are others: cut, sorted, or ranks.
    first, lines
        For messages, the number of the first row, and whether rows are lines, counted from 1.
    """

    topics: Sequence[Any]
    bounds: Ints
    docs: Documents
    values: Floats
    rows: Ints | None = None
    position: Ints | None = None
    length: Ints | None = None
    scanned: Ints | None = None
    ranks: Floats | None = None
    iteration: Documents | None = None
    others: dict[str, Documents] = field(default_factory=dict)
    integer_topics: bool = False
    found: Sequence[str] = ()
    given: Floats | None = None
    first: int = 0
    lines: bool = False

    def cut_scores(self) -> Table:
        """Return the table with its values cut to float32, so that some of them are equal."""
        with np.errstate(over="ignore"):  # infinite, as in trec_eval
            cut = self.values.astype(np.float32).astype(np.float64)
        return replace(self, values=cut, given=self.values)

    def at(self, positions: Ints) -> Ints:
        """Return the row numbers of grouped positions."""
        return positions if self.rows is None else self.rows[positions]

    def ids(self, positions: slice) -> list[str]:
        """Return the document ids at consecutive grouped positions."""
        return self.docs.take(positions if self.rows is None else self.rows[positions])

    def select(self, topics: Collection[object]) -> Table:
        """Return the table with these topics only."""
        kept = [t for t, topic in enumerate(self.topics) if topic in topics]
        sizes = np.diff(self.bounds)[kept]
        bounds = bounds_of(sizes)
        rows = self.at(np.arange(bounds[-1]) + np.repeat(self.bounds[kept] - bounds[:-1], sizes))
        return replace(self, topics=[self.topics[t] for t in kept], bounds=bounds, rows=rows)

    def as_read(self, positions: Sequence[int] | Ints, value: str) -> str:
        """Return how the rows at grouped positions were read, and in which column they differ.

        ``value`` says what their numbers are. All messages use this sentence.
        """
        topics = np.searchsorted(self.bounds, positions, side="right") - 1
        rows = self.at(np.array(positions)).tolist()
        read = [self._row_as_read(row, self.topics[t], value) for row, t in zip(rows, topics)]
        return "; ".join(read) + self.tell_others(positions)

    def _row_as_read(self, row: int, topic: object, value: str) -> str:
        where = f"line {row + 1}" if self.lines else f"row {self.first + row}"
        rank = "" if self.ranks is None else f"{self.ranks[row]:g}"
        number = float((self.values if self.given is None else self.given)[row])
        document = self.docs.take(np.array([row]))[0]
        digits = 15 if number.is_integer() else 6  # a label may be a time
        return tell_row(where, topic, document, rank, f"{value} {number:.{digits}g}")

    def tell_others(self, positions: Sequence[int] | Ints) -> str:
        """Return in which of the columns that are not read rows differ from the first of them."""
        for name, column in self.others.items():
            with suppress(TypeError):  # some are no texts
                first, *texts = column.take(self.at(np.array(positions)))
                other = next((text for text in texts if text != first), "")
                if other:
                    return (
                        f"; they differ in the {name}, which is not read: {show(first)} and "
                        f"{show(other)}"
                    )
        return ""


def tell_row(where: str, topic: object, document: str, rank: str, value: str) -> str:
    """Return how a row was read: ``line 1 was read as topic '1', document 'x', score 0.5``."""
    ranked = f"rank {rank}, " if rank else ""
    return f"{where} was read as topic {show(topic)}, document {show(document)}, {ranked}{value}"


def refuse_turns(by_turn: bool) -> None:
    """Refuse qrels whose judgments hold for one query of a session each."""
    if by_turn:
        raise ValueError(
            "the qrels have a column query_position, so each judgment holds for a single query of "
            "its session, which only sDCG and nsDCG can evaluate; for anything else, make each "
            "query a topic, without query_position, in the run and in the qrels"
        )


def equal_rows(*columns: NDArray[np.generic]) -> tuple[Ints, Ints]:
    """Return the first row and the length of each run of rows that are equal in all columns."""
    begins = np.ones(len(columns[0]), dtype=bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    first = np.flatnonzero(begins)
    return first, np.diff(np.append(first, len(begins)))


def rank_within(topic: Ints) -> Ints:
    """Return 1, 2, ... along each run of equal topics."""
    first, size = equal_rows(topic)
    return np.asarray(np.arange(len(topic)) - np.repeat(first, size) + 1)


def bounds_of(sizes: Ints) -> Ints:
    """Return where consecutive groups of these sizes begin and end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def encode(texts: Sequence[str]) -> tuple[Ints, list[str]]:
    """Return texts as codes and distinct texts, which are in the order of their appearance."""
    code = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return np.fromiter(map(code.__getitem__, texts), np.int64, len(texts)), list(code)
