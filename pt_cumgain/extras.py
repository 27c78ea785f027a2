"""The packages of the extras, imported where they are used; an error says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def pyplot() -> Any:
    """Return matplotlib.pyplot."""
    with _needed("pictures need matplotlib", "plot"):
        from matplotlib import pyplot
    return pyplot


def scipy_stats() -> Any:
    """Return scipy.stats."""
    with _needed("tests need scipy", "stats"):
        from scipy import stats
    return stats


def scikit_posthocs() -> Any:
    """Return scikit_posthocs."""
    with _needed("post-hoc tests need scikit-posthocs", "stats"):
        import scikit_posthocs
    return scikit_posthocs


@contextmanager
def _needed(need: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise ImportError(f'{need}: pip install "pt_cumgain[{extra}]"') from None
