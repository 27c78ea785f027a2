"""Warnings that point at the user's own line, and name what they are about."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pt_cumgain.environment.terminal import escape_controls, shorten

#: The packages whose functions call this one on the user's behalf.
_BETWEEN = (__name__.partition(".")[0], "ir_measures", "pyterrier")
_DATASET: ContextVar[str] = ContextVar("dataset", default="")


@contextmanager
def name_dataset(name: str, column: str = "dataset") -> Iterator[None]:
    """Add the name of a dataset or a run, if it has one, to the warnings of a block."""
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
            words = str(error).removeprefix("run: ")
            error.args = (f"{escape_controls(shorten(name))}: {words}",)
        raise


def warn(text: str) -> None:
    """Issue a warning that names the dataset or the run, and points at the user's own line.

    It is the innermost one outside this package and the hosts that call it, in a module that has a
    name (Python drops the warnings of others).
    """
    text += f" ({_DATASET.get()})" if _DATASET.get() else ""
    level, frame = 1, inspect.currentframe()
    while frame and (frame.f_globals.get("__name__") or __name__).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(escape_controls(shorten(text)), UserWarning, stacklevel=level)
