"""Rows that Python has read: their columns, whatever the rows call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.environment import extras
from pt_cumgain.inputs.columns import OTHERS, choose_columns, numbers
from pt_cumgain.inputs.ids import Ids, object_array

if TYPE_CHECKING:
    import pyarrow as pa


def collect_columns(
    rows: Sequence[Any],
    fields_of: Callable[[Any], tuple[str, ...]],
    read: Callable[[Any, str], Any],
    value: str,
    chosen: str = "",
    start: str = "",
) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Return columns by ir-measures' names, and what the first row calls them.

    Parameters
    ----------
    rows
        The rows, which need not have the same fields.
    fields_of, read
        Return the names of a row's fields, and what a field holds.
    value, chosen, start
        As in :func:`~pt_cumgain.inputs.columns.choose_columns`.
    """
    fields = [fields_of(row) for row in rows]
    forms = {form: choose_columns(form, value, chosen, start) for form in dict.fromkeys(fields)}
    first, *others = forms.values()
    names = {name: theirs for name, theirs in first.items() if all(name in o for o in others)}
    spare = {name for form in forms.values() for name in form} - names.keys()
    if not spare <= {"iteration", "rank", *OTHERS}:
        raise ValueError(f"{start}the records do not all have the same fields")
    columns = {
        name: [read(row, forms[form][name]) for row, form in zip(rows, fields)] for name in names
    }
    return columns, names


def make_table(
    columns: Mapping[str, list[Any]], names: Mapping[str, str], where: Callable[[int], str]
) -> pa.Table:
    """Return columns, by ir-measures' names, as a table of pyarrow.

    Ids may be numbers, and numbers may be texts. In messages, a column has the name that ``names``
    has for it, and a row the place that ``where`` returns.
    """
    arrays = {}
    for name, held in columns.items():
        if name in ("query_id", "doc_id", "iteration"):
            arrays[name] = text_array(Ids(object_array(held), names[name]).take(slice(None)))
        elif name in OTHERS:
            arrays[name] = text_array([str(text) for text in held])
        else:
            # for Python, True is 1
            texts = [str(value) if isinstance(value, bool) else value for value in held]
            try:
                arrays[name] = number_array(numbers(texts, names[name], where))
            except (TypeError, ValueError):
                if name != "rank" or "score" not in columns:
                    raise
    return extras.pyarrow().table(arrays)
