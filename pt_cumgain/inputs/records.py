"""Rows that Python has read: their columns, whatever the rows call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import getitem
from typing import TYPE_CHECKING, Any

from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.environment import extras
from pt_cumgain.inputs.columns import OTHERS, choose_columns, numbers
from pt_cumgain.inputs.ids import Ids, object_array

if TYPE_CHECKING:
    import pyarrow as pa


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


def make_table(
    columns: Mapping[str, list[Any]], names: Mapping[str, str], where: Callable[[int], str]
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
