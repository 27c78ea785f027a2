"""Rows of a run or of qrels, grouped by topic, whatever form they were given in."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from operator import attrgetter
from typing import Any

import numpy as np
from ir_measures.util import QrelsConverter, RunConverter
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.environment.arrow import is_table, one_chunk, to_numpy
from pt_cumgain.environment.warning import warn

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

#: The columns that PyTerrier and ir-measures name differently.
TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


def also_called(names: Iterable[Any]) -> str:
    """Return the end of an error, with PyTerrier's names of columns if they differ."""
    others = [f"{TO_PYTERRIER[name]} for {name}" for name in names if name in TO_PYTERRIER]
    return f"; PyTerrier says {', '.join(others)}" if others else ""


#: Types of pyarrow arrays that store their texts contiguously.
_STRINGS = ("string", "large_string")


class Ids:
    """A column of ids, read as strings.

    Integer ids are matched as decimal strings, so that a column that was read as int by mistake
    still matches; anything else that is not a string is refused.

    Parameters
    ----------
    column
        An object array of strings, or a pandas Series (object, any string type, categorical,
        integer).
    name
        The name of the column in messages.
    integers
        Whether integers are allowed. As topics of the qrels they are not: values are returned under
        those ids, and other providers would not match them as strings.
    """

    def __init__(self, column: Any, name: str, *, integers: bool = True) -> None:
        self.name, self._integers = name, integers
        self._values: Any = column
        if isinstance(column, np.ndarray) and column.dtype == object:
            return
        import pandas as pd  # small files are read without it, as objects

        values: Any = column.array if isinstance(column, pd.Series) else column
        if isinstance(values, pd.arrays.NumpyExtensionArray):
            values = values.to_numpy()
        types = pd.api.types
        if len(values) and not (
            types.is_object_dtype(values)
            or types.is_string_dtype(values)
            or isinstance(values.dtype, pd.CategoricalDtype)
            or (integers and types.is_integer_dtype(values))
        ):
            raise self._wrong_type(values)
        self._values = values

    def _wrong_type(self, values: Any) -> TypeError:
        """Return an error that says how to convert the values to strings."""
        import pandas as pd

        how = "astype(str)"
        if pd.api.types.is_float_dtype(values):  # whole numbers would become "12.0"
            if (missing := pd.isna(values)).any():
                row = int(np.flatnonzero(missing)[0])
                return TypeError(f"{self.name} must be strings, but row {row} has none")
            ids = np.asarray(values, dtype=np.float64)
            if (ids == np.rint(ids)).all():
                how = "astype(int).astype(str)"
        return TypeError(f"{self.name} must be strings, not {values.dtype}; convert it with {how}")

    def __len__(self) -> int:
        return len(self._values)

    def differs(self) -> NDArray[np.bool_]:
        """Return whether each id, from the second row on, differs from the one before."""
        values = self._values
        try:
            if values.dtype == object:
                return _different(values)
            unequal = values[1:] != values[:-1]
        except TypeError:  # pandas.NA among objects
            import pandas as pd

            missing = int(np.flatnonzero(pd.isna(values))[0])
            raise self._refusal(missing, values[missing]) from None
        if not isinstance(unequal, np.ndarray):
            unequal = unequal.to_numpy(dtype=bool, na_value=True)
        return np.asarray(unequal)

    def heads(self) -> tuple[list[str], Ints]:
        """Return the id of each run of equal ids, and where the run begins."""
        if not len(self):
            return [], np.zeros(0, dtype=np.int64)
        starts = np.concatenate([[0], np.flatnonzero(self.differs()) + 1])
        return self.take(starts), starts

    def take(self, rows: Ints | slice) -> list[str]:
        """Return the ids at these rows, in their order."""
        values = self._values[rows]
        objects = np.asarray(values, dtype=object)
        texts: list[str] = objects.tolist()
        if set(map(type, texts)) <= {str}:
            return texts
        import pandas as pd

        kind = pd.api.types.infer_dtype(objects, skipna=False)
        if kind == "integer" and self._integers:
            return [str(value) for value in objects]
        if kind not in ("string", "empty"):
            wrong = pd.isna(objects)
            if not wrong.any():
                wrong = np.array([not isinstance(value, str) for value in objects])
            first = int(np.flatnonzero(wrong)[0])
            row = (rows.start or 0) + first if isinstance(rows, slice) else int(rows[first])
            raise self._refusal(row, objects[first])
        return texts

    @cached_property
    def arrow(self) -> Any:
        """The column as a pyarrow array, if pandas keeps it in one; else None."""
        if getattr(self._values.dtype, "storage", None) != "pyarrow":
            return None
        array = sys.modules["pyarrow"].array(self._values)  # imported by whoever made the column
        array = one_chunk(array) if hasattr(array, "chunks") else array
        return array if str(array.type) in _STRINGS and not array.null_count else None

    def _refusal(self, row: int, value: object) -> TypeError:
        return TypeError(f"{self.name} must be strings, but row {row} holds {value!r}")


class ArrowIds(Ids):
    """A column of ids in pyarrow: of texts, or of codes of texts."""

    def __init__(self, column: Any, name: str) -> None:
        self.name = name
        self._values = array = one_chunk(column)
        kind = array.dictionary.type if hasattr(array, "dictionary") else array.type
        if str(kind) not in _STRINGS:
            raise TypeError(f"{name} must be strings, not {kind}")
        if array.null_count:
            raise self._refusal(array.to_pylist().index(None), None)

    @cached_property
    def _codes(self) -> tuple[list[str], NDArray[Any]]:
        array = self._values
        array = array if hasattr(array, "dictionary") else array.dictionary_encode()
        return array.dictionary.to_pylist(), np.from_dlpack(array.indices)

    def differs(self) -> NDArray[np.bool_]:
        """Return whether each id, from the second row on, differs from the one before."""
        _, codes = self._codes
        return np.asarray(codes[1:] != codes[:-1])

    def take(self, rows: Ints | slice) -> list[str]:
        """Return the ids at these rows, in their order."""
        array: Any = self._values
        if hasattr(array, "dictionary"):
            texts, codes = self._codes
            return [texts[code] for code in codes[rows].tolist()]
        if isinstance(rows, slice):
            return list(array[rows].to_pylist())
        _, offsets, data = array.buffers()
        kind: Any = np.int32 if array.type == "string" else np.int64
        ends = np.frombuffer(offsets, kind)[array.offset : array.offset + len(array) + 1]
        view = memoryview(data or b"")
        starts, stops = ends[rows].tolist(), ends[1:][rows].tolist()
        return [str(view[start:stop], "utf-8") for start, stop in zip(starts, stops)]

    @cached_property
    def arrow(self) -> Any:
        """The column itself, if it has texts; else None."""
        return None if hasattr(self._values, "dictionary") else self._values


def read_ids(column: Any, name: str, *, integers: bool = True) -> Ids:
    """Return a column of ids, of pyarrow or in one of the forms of :class:`Ids`."""
    if hasattr(column, "num_chunks"):
        return ArrowIds(column, name)
    return Ids(column, name, integers=integers)


def _different(values: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return where objects differ from the ones before them.

    Rows of a topic mostly hold the very same string object, so addresses are compared first, and
    strings only where those differ.
    """
    values = np.ascontiguousarray(values)
    address: Ints = np.ndarray(values.shape, dtype=np.intp, buffer=values)
    different: NDArray[np.bool_] = address[1:] != address[:-1]
    other = np.flatnonzero(different)
    if len(other) > len(values) // 8:  # many rows have a string of their own: compare all
        return np.asarray(values[1:] != values[:-1])
    different[other] = values[other + 1] != values[other]
    return different


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
        The number of the row at each grouped place; None if the rows were grouped already.
    position, length, scanned
        For the rows of a run over sessions, in their original order: which query of the session
        returned the row, how many queries the session has (None: not given; the largest position
        counts), and how many documents of the query's list the searcher saw (None: not given).
    columns
        The names of a run's columns, for messages; empty where it has none.
    """

    topics: Sequence[Any]
    bounds: Ints
    docs: Ids
    values: Floats
    rows: Ints | None = None
    position: Ints | None = None
    length: Ints | None = None
    scanned: Ints | None = None
    columns: Sequence[str] = ()

    def cut_scores(self) -> Table:
        """Return the table with its values cut to float32, so that some of them are equal."""
        with np.errstate(over="ignore"):  # infinite, as in trec_eval
            return replace(self, values=self.values.astype(np.float32).astype(np.float64))

    def at(self, place: Ints) -> Ints:
        """Return the row numbers of grouped places."""
        return place if self.rows is None else self.rows[place]


def numbers(values: Any, what: str) -> Floats:
    """Return a column as float64; ``what`` names it in the error if it holds something else."""
    values = to_numpy(values) if hasattr(values, "num_chunks") else values
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind not in "biufO":
        raise TypeError(f"{what} must be numbers, not {values.dtype}")
    try:
        if hasattr(values, "array"):  # a Series
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        for row, value in enumerate(values if isinstance(values, Iterable) else [values]):
            try:
                float(value)
            except OverflowError:
                raise ValueError(f"{what} of row {row} is too large for a float") from None
            except (TypeError, ValueError):
                held = reprlib.repr(value)
                raise TypeError(f"{what} must be numbers, but row {row} holds {held}") from None
        shown = reprlib.repr(values)
        raise TypeError(f"{what} must be a list of numbers, not {shown}") from None


def group_run(run: Any, scores: str = "double") -> Table:
    """Group a run by topic, in any form of ir-measures (`query_id`, `doc_id`, `score`).

    It may also be a table of pyarrow with these columns. A run over sessions also has
    `query_position`, and may have `session_length` and `scanned`. Scores are cut to float32 if
    ``scores`` says so.
    """
    table = _read(RunConverter, run, "score", "run")
    return table.cut_scores() if scores == "float32" else table


def group_qrels(qrels: Any) -> Table:
    """Group qrels by topic, in any form of ir-measures (`query_id`, `doc_id`, `relevance`).

    Qrels by turn also have `query_position`.
    """
    return _read(QrelsConverter, qrels, "relevance", "qrels")


def refuse_turns(by_turn: bool) -> None:
    """Refuse qrels whose judgments hold for one query of a session each."""
    if by_turn:
        raise ValueError(
            "the qrels have a column query_position, so each judgment holds for one query of its "
            "session, and only sDCG and nsDCG can read them; for anything else, make each query a "
            "topic of its own (as it is before split_turns), in the run and in the qrels, without "
            "query_position"
        )


def _read(convert: Any, data: Any, value: str, what: str) -> Table:
    names = (f"{what} query_id", f"{what} doc_id", f"{what} {value}")
    session_columns = SESSION_COLUMNS if what == "run" else TURN_COLUMN
    if is_table(data):
        data = dict(zip(data.column_names, data.columns))
    else:
        converter = convert(data)
        form = _find_form(converter, data, what, value)
        if form == "dict_of_dict":
            return _from_dicts(data, names, integers=what == "run")
        if form == "namedtuple_iter":
            records: list[Any] = list(converter.run if what == "run" else converter.qrels)
            data = _from_records(records, what, value, session_columns)
    counts = [name for name in session_columns if name in data]
    names_read = ["query_id", "doc_id", value, *counts]
    repeated = [name for name in names_read if getattr(data[name], "ndim", 1) > 1]
    if repeated:
        raise ValueError(f"{what}: the DataFrame has more than one column {repeated[0]!r}")
    topics = read_ids(data["query_id"], names[0], integers=what == "run")
    table = group(topics, read_ids(data["doc_id"], names[1]), numbers(data[value], names[2]))
    table.columns = list(data)
    table.position, table.length, table.scanned = (
        _check_counts(data[name], name, table.docs, what, session_columns[name])
        if name in counts
        else None
        for name in SESSION_COLUMNS
    )
    if what == "run" and "rank" in data and not counts:
        with suppress(TypeError, ValueError):  # ranks that are no numbers order nothing
            _warn_of_ranks(table, numbers(data["rank"], "run rank"))
    return table


def _find_form(converter: Any, data: Any, what: str, value: str) -> str:
    """Return which of ir-measures' forms data have."""
    form, error = converter.predict_type()
    if error:
        hint = ""
        if hasattr(data, "itertuples"):
            hint = also_called(["query_id", "doc_id", value])
            other, kind = ("relevance", "qrels") if what == "run" else ("score", "a run")
            if other in data:
                hint = f"; it has a column {other}: is this {kind}?"
        elif "missing" not in error:  # ir-measures may have taken a frame apart before
            hint = "; convert a frame of a library other than pandas with to_pandas()"
        raise ValueError(f"{what}: {error}{hint}")
    return str(form)


def _from_records(
    records: list[Any], what: str, value: str, session_columns: Iterable[str]
) -> dict[str, NDArray[np.object_]]:
    """Return the columns of records."""
    read, kinds = ("query_id", "doc_id", value), {type(record) for record in records}
    forms = {tuple(n for n in (*read, *session_columns) if n in kind._fields) for kind in kinds}
    if len(forms) > 1:
        raise ValueError(f"{what}: the records do not all have the same fields")
    fields = forms.pop() if forms else read
    if what == "run" and all("rank" in kind._fields for kind in kinds):
        fields += ("rank",)
    columns = zip(*map(attrgetter(*fields), records)) if records else repeat([])
    return dict(zip(fields, map(_objects, columns)))


#: In how many topics, the first ones, ranks are compared with scores.
RANKED_TOPICS = 100
_DECREASING = "give the run decreasing scores, for example by run.assign(score=-run['rank'])"


def _warn_of_ranks(run: Table, ranks: Floats) -> None:
    """Warn if ranks order documents of unequal score, or all those of equal score, otherwise.

    Also warn if they seem to be the scores, and the scores the ranks.
    """
    topics = np.flatnonzero(np.diff(run.bounds[: RANKED_TOPICS + 1]) > 1).tolist()
    contrary, example, flat, otherwise, exchanged = 0, "", True, False, list[bool]()
    for t in topics:
        rows = run.at(np.arange(*run.bounds[t : t + 2]))
        rank, scores = ranks[rows], run.values[rows]
        if np.isnan(rank).any():
            continue
        order = rows[np.lexsort((-scores, rank))]
        ordered = run.values[order]
        rising = np.flatnonzero(ordered[1:] > ordered[:-1])
        if len(rising):
            contrary += 1
            later, earlier = run.docs.take(order[rising[0] : rising[0] + 2])
            example = example or f"{earlier!r} before {later!r} in topic {run.topics[t]!r}"
        varies = rank.min() < rank.max()
        exchanged.append(varies and _count_up(scores) and not _count_up(rank))
        flat &= scores.min() == scores.max()
        if flat:
            docs = run.docs.take(rows[np.argsort(rank, kind="stable")])
            otherwise |= varies and docs != sorted(docs, reverse=True)
    if contrary:
        warn(
            f"in {contrary} of {len(topics)} topics the column rank orders documents of unequal "
            f"score differently (at most the first {RANKED_TOPICS} topics are compared); documents "
            f"are ranked by score (highest first), for example {example}; if the ranks are right, "
            f"{_DECREASING}"
        )
    elif exchanged and all(exchanged):
        warn(
            "the scores of each topic are the numbers from 0 or 1 on, and the ranks are not: are "
            f"they in each other's field? (at most the first {RANKED_TOPICS} topics are compared); "
            "documents are ranked by score (highest first)"
        )
    elif flat and otherwise:
        warn(
            "all scores within each topic are equal; documents are ranked by score (ties by "
            "descending document id), so the column rank, which has a different order, is ignored; "
            f"{_DECREASING}"
        )


def _count_up(values: Floats) -> bool:
    """Return whether values are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
    ordered = np.sort(values)
    return bool(ordered[0] in (0, 1) and (np.diff(ordered) == 1).all())


#: The least and the most that the columns of sessions hold; more queries than any session has are
#: something else, such as a time.
_LIMITS = {"query_position": (1, 10_000), "session_length": (1, 10_000), "scanned": (0, 10**9 - 1)}


def _check_counts(column: Any, name: str, docs: Ids, what: str, says: str) -> Ints:
    """Return one of the columns of sessions; refuse numbers that it cannot hold."""
    import pandas as pd

    column = to_numpy(column) if hasattr(column, "num_chunks") else column
    column = pd.Series(column, dtype=column.dtype).infer_objects()
    if pd.api.types.is_bool_dtype(column.dtype):
        raise TypeError(f"{what} {name} must be whole numbers, not booleans")
    values = numbers(column, f"{what} {name}")
    least, most = _LIMITS[name]
    whole = (values >= least) & (values <= most)
    whole[whole] = values[whole] == np.rint(values[whole])
    if not whole.all():
        row = int(np.flatnonzero(~whole)[0])
        doc = docs.take(np.array([row]))[0]
        raise ValueError(
            f"{what}: the {name} of row {row} (document {doc!r}) is {values[row]:g}; it says "
            f"{says}: a whole number from {least} to {most}"
        )
    return values.astype(np.int64)


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    return np.fromiter(values, dtype=object, count=len(values))


def refuse_others_than_dicts(by_topic: Mapping[Any, Any], what: str) -> None:
    """Refuse a run, or qrels, in a dict that holds anything but a dict for each topic."""
    for topic, docs in by_topic.items():
        if hasattr(docs, "columns"):
            raise TypeError(
                f"{what} query_id {topic!r} maps to a frame; give the frame itself as the {what}, "
                "not in a dict"
            )
        if not isinstance(docs, Mapping):
            shown = reprlib.repr(docs)
            told = f"must map to a dict of documents, not {shown}"
            raise TypeError(f"{what} query_id {topic!r} {told}")
        if isinstance(next(iter(docs.values()), None), Mapping):
            told = "maps to a dict of dicts; if these are several by name, give one"
            raise TypeError(f"{what} query_id {topic!r} {told}")


def _from_dicts(
    by_topic: Mapping[Any, Mapping[Any, Any]], names: tuple[str, str, str], *, integers: bool
) -> Table:
    refuse_others_than_dicts(by_topic, names[0].partition(" ")[0])
    topics = Ids(_objects(list(by_topic)), names[0], integers=integers)
    sizes = np.fromiter(map(len, by_topic.values()), dtype=np.int64, count=len(by_topic))
    docs_of = _objects(list(chain.from_iterable(by_topic.values())))
    values = list(chain.from_iterable(docs.values() for docs in by_topic.values()))
    heads = topics.take(np.arange(len(by_topic)))
    return Table(heads, bounds_of(sizes), Ids(docs_of, names[1]), numbers(values, names[2]))


def equal_rows(*columns: NDArray[Any]) -> tuple[Ints, Ints]:
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
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    return np.fromiter(map(place.__getitem__, texts), np.int64, len(texts)), list(place)


def group(topics: Ids, docs: Ids, values: Floats) -> Table:
    """Group rows by topic.

    Rows are usually grouped already; it is then enough to find where the id changes. Otherwise,
    only the ids at those places are read, and the rows are sorted by their codes.
    """
    heads, starts = topics.heads()
    codes, unique = encode(heads)
    sizes = np.diff(np.append(starts, len(topics)))
    if len(unique) == len(heads):
        return Table(heads, bounds_of(sizes), docs, values)
    if len(unique) <= np.iinfo(np.uint16).max:
        codes = codes.astype(np.uint16)  # NumPy sorts short integers in linear time
    row_codes = np.repeat(codes, sizes)
    rows = np.argsort(row_codes, kind="stable")
    counts = np.bincount(row_codes)
    return Table(unique, bounds_of(counts), docs, values, rows)
