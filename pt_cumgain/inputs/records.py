"""Rows that Python has read: their columns, whatever the rows call them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.environment import extras
from pt_cumgain.inputs.columns import OTHERS, numbers
from pt_cumgain.inputs.ids import Ids, object_array

if TYPE_CHECKING:
    import pyarrow as pa


#: The names of a row's fields.
_Fields = tuple[str, ...]


def collect_columns(
    rows: Iterable[Any],
    fields_of: Callable[[Any], _Fields],
    read: Callable[[Any, str], Any],
    choose: Callable[[_Fields], dict[str, str]],
) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Return columns by ir-measures' names, and what the first row calls them.

    Parameters
    ----------
    rows
        The rows, which need not have the same fields.
    fields_of, read
        Return the names of a row's fields, and what a field holds.
    choose
        Returns the result of :func:`~pt_cumgain.inputs.columns.choose_columns` for such names.
    """
    fields = [fields_of(row) for row in rows]
    forms = {form: choose(form) for form in dict.fromkeys(fields)}
    names, *others = forms.values()
    shared = [name for name in names if all(name in other for other in others)]
    if not set().union(*forms.values()) - set(shared) <= {"iteration", "rank", *OTHERS}:
        raise ValueError("the rows do not all have the same fields")
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
