"""Warnings that point at the user's own line."""

from __future__ import annotations

import inspect
import warnings


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Issue a warning that points at the innermost line of code outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)
