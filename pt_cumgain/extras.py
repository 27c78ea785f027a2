"""The optional packages, imported when they are used; an error says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def pyplot() -> Any:
    """Return matplotlib.pyplot."""
    with _needed("figures need matplotlib", "plot"):
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


def statsmodels_multitest() -> Any:
    """Return statsmodels.stats.multitest."""
    with _needed("corrections need statsmodels", "stats"):
        from statsmodels.stats import multitest
    return multitest


def bokeh_resources() -> str:
    """Return Bokeh's JavaScript, ready to be put into a script element."""
    with _needed("a page needs bokeh", "report"):
        from bokeh.resources import Resources
    parts = Resources(mode="inline", components=["bokeh"], log_level="error").js_raw
    return "\n".join(parts).replace("</script", "<\\/script")


def require_demo() -> None:
    """Raise an error now if a package that the demo needs is missing."""
    need = "the demo needs matplotlib, scipy, statsmodels, scikit-posthocs and bokeh"
    with _needed(need, "demo"):
        for name in ("matplotlib.pyplot", "scipy.stats", "statsmodels", "scikit_posthocs", "bokeh"):
            __import__(name)


@contextmanager
def _needed(need: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise ImportError(f'{need}: pip install "pt_cumgain[{extra}]"') from None
