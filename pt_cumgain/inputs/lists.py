"""Arguments that are one value or several, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pt_cumgain.environment.extras import pd

#: How many topics or values a warning lists, and how many runs.
LISTED, NAMED = 20, 5


def as_list(values: Any) -> list[Any]:
    """Return several values, or a single one, as a list; a text is a single one."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    several = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
    return list(values) if several else [values]


def list_first(texts: Sequence[str], most: int = LISTED) -> str:
    """Return the first of several texts as a list, with an ellipsis if there are more."""
    shown = ", ".join(texts[:most])
    return f"{shown}, ..." if len(texts) > most else shown


def refuse_equal_names(names: Sequence[object], what: str = "system") -> None:
    """Refuse names, of systems or others, that are missing or look the same in print."""
    if pd.Series(list(names), dtype=object).isna().any():
        raise ValueError(f"a {what} has no name: {list(names)}; give it one")
    if len({str(name) for name in names}) < len(names):
        raise ValueError(f"two {what}s have the same name, as text: {list(names)}; rename one")
