"""Rows of Python become columns, and columns a table of rows, grouped by topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.engine.rows import SESSION_COLUMNS, TURN_COLUMN, Ints, Table, bounds_of, encode
from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import name_dataset
from pt_cumgain.inputs.columns import OTHERS, choose_columns, numbers
from pt_cumgain.inputs.ids import Ids, object_array, read_ids
from pt_cumgain.inputs.ranks import warn_of_scores

if TYPE_CHECKING:
    import pyarrow as pa

#: What a table is called, by its column of numbers.
KINDS = {"score": "run", "relevance": "qrels"}
#: How many of the first rows of a file are checked for ranks that contradict scores.
FIRST_ROWS = 1 << 17
#: The least and the most that the columns of sessions hold; more queries than any session has are
#: something else, such as a time.
_LIMITS = {"query_position": (1, 10_000), "session_length": (1, 10_000), "scanned": (0, 10**9 - 1)}


def collect_columns(
    rows: Sequence[Any], value: str, chosen: str = "", start: str = ""
) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Return columns by ir-measures' names, and what the first row calls them.

    Rows are namedtuples or dicts, and need not have the same fields. ``value``, ``chosen`` and
    ``start`` are those of :func:`~pt_cumgain.inputs.columns.choose_columns`.
    """
    read: Any = getitem if isinstance(rows[0], dict) else getattr
    fields = [tuple(row) if isinstance(row, dict) else row._fields for row in rows]
    forms = {form: choose_columns(form, value, chosen, start) for form in dict.fromkeys(fields)}
    names, *others = forms.values()
    shared = [name for name in names if all(name in other for other in others)]
    if not set().union(*forms.values()) - set(shared) <= {"iteration", "rank", *OTHERS}:
        raise ValueError(f"{start}the rows do not all have the same fields")
    columns = {}
    for name in shared:
        columns[name] = [read(row, forms[form][name]) for row, form in zip(rows, fields)]
    return columns, names


def to_table(
    columns: Mapping[str, Sequence[object]], names: Mapping[str, str], where: Callable[[int], str]
) -> pa.Table:
    """Return columns, by ir-measures' names, as a table of pyarrow.

    Ids may be numbers, and numbers may be texts. In messages, a column has the name that ``names``
    has for it, and a row the place that ``where`` returns.
    """
    arrays = {}
    for name, held in columns.items():
        if name in ("query_id", "doc_id"):
            arrays[name] = text_array(Ids(object_array(held), names[name]).take(slice(None)))
        elif name in (*OTHERS, "iteration", "rank"):
            arrays[name] = text_array([str(text) for text in held])
        else:  # True is 1 in Python
            texts = [str(number) if isinstance(number, bool) else number for number in held]
            arrays[name] = number_array(numbers(texts, names[name], where))
    return extras.pyarrow().table(arrays)


def group_columns(columns: Mapping[str, Any], value: str) -> Table:
    """Group columns by topic.

    Parameters
    ----------
    columns
        The columns, with ir-measures' names: of pandas, of objects, or of pyarrow.
    value
        The column of numbers: ``score`` or ``relevance``. A run without scores has ranks.
    """
    what = KINDS[value]
    topics = read_ids(columns["query_id"], f"{what} query_id")
    docs = read_ids(columns["doc_id"], f"{what} doc_id")
    if value in columns:
        table = group(topics, docs, numbers(columns[value], f"{what} {value}"))
    else:
        table = group(topics, docs, -numbers(columns["rank"], "run rank"))
    with suppress(KeyError, TypeError, ValueError):  # ranks that are not numbers order nothing
        table.ranks = numbers(columns["rank"], "run rank")
    table.found = list(columns)
    table.integer_topics = topics.integers
    session_columns = SESSION_COLUMNS if value == "score" else TURN_COLUMN
    counts = {
        name: _check_counts(columns[name], name, docs, what, says)
        for name, says in session_columns.items()
        if name in columns
    }
    table.position, table.length, table.scanned = (counts.get(name) for name in SESSION_COLUMNS)
    if value == "relevance" and "iteration" in columns:
        table.iteration = read_ids(columns["iteration"], "qrels iteration", filled=False)
    for name in (*OTHERS, "iteration"):
        with suppress(KeyError, TypeError):  # there is none, or it holds no texts
            ids = read_ids(columns[name], name, filled=False)
            if ids.differs().any():
                table.others["second field" if name == "iteration" else f"column {name!r}"] = ids
    return table


def group_arrow(table: pa.Table, value: str) -> Table:
    """Group a table of pyarrow, whose columns have ir-measures' names, by topic."""
    return group_columns(dict(zip(table.column_names, table.columns)), value)


def check_scores(table: pa.Table, path: Path, *, lines: bool = False) -> None:
    """Warn of scores in the first rows of a file that look wrong, or contradict the ranks."""
    # ids that are none are refused where they are read
    with name_dataset(str(path), "file"), suppress(TypeError):
        first = group_arrow(table.slice(0, FIRST_ROWS), "score")
        first.lines = lines
        warn_of_scores(first)


def _check_counts(column: Any, name: str, docs: Ids, what: str, says: str) -> Ints:
    """Return one of the columns of sessions; refuse numbers that it cannot hold."""
    kind = str(column.type if hasattr(column, "num_chunks") else column.dtype)
    if "bool" in kind or (kind == "object" and any(isinstance(value, bool) for value in column)):
        raise TypeError(f"{what} {name} must be whole numbers, not booleans")
    values = numbers(column, f"{what} {name}")
    least, most = _LIMITS[name]
    whole = (values >= least) & (values <= most) & (values == np.rint(values))
    if not whole.all():
        row = int(np.flatnonzero(~whole)[0])
        doc = docs.take(np.array([row]))[0]
        raise ValueError(
            f"{what}: the {name} of row {row} (document {show(doc)}) is {values[row]:g}; it says "
            f"{says}: a whole number from {least} to {most}"
        )
    return values.astype(np.int64)


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
