"""Warnings that point to the user's own line, once per call."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: The packages whose functions call this one on the user's behalf.
_BETWEEN = (__name__.partition(".")[0], "ir_measures", "pyterrier")
_DATASET: ContextVar[str] = ContextVar("dataset", default="")


@contextmanager
def name_dataset(name: str, column: str = "dataset") -> Iterator[None]:
    """Add the name of a dataset, a judge or a run, if it has one, to the warnings of a block."""
    token = _DATASET.set(f"{column} {name!r}" if name else _DATASET.get())
    try:
        yield
    finally:
        _DATASET.reset(token)


@contextmanager
def name_run(name: str) -> Iterator[None]:
    """Name a system's run, if it has a name, in the errors and warnings of a block about it."""
    try:
        with name_dataset(name, "run"):
            yield
    except (TypeError, ValueError) as error:
        if name:
            error.args = (f"{name}: {str(error).removeprefix('run: ')}",)
        raise


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Issue a warning that points at the user's own line, unless the same call has issued it.

    The user's line is the innermost one outside this package and the hosts that call it. Python
    shows a warning once for each line, but forgets those shown whenever a library changes the
    filters, as happens between the systems of an experiment. The frame of the function that the
    user called therefore remembers it, and is gone when the call ends.
    """
    frame: Any = inspect.currentframe()
    level, call = 1, frame
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, call, frame = level + 1, frame, frame.f_back
    text += f" ({_DATASET.get()})" if _DATASET.get() else ""
    key = (text, kind, *warnings.filters[:1])  # a warning that a block ignores is not issued
    issued = call.f_locals.setdefault("__issued__", set())
    if key not in issued:
        issued.add(key)
        warnings.warn(text, kind, stacklevel=level)
