"""Warnings that point at the user's own line."""

from __future__ import annotations

import inspect
import warnings


def warn(text: str) -> None:
    """Issue a UserWarning that points at the innermost line of code outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)
