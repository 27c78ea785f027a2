"""The engine: :mod:`pt_cumgain.core` is what the papers say, this is its fast form.

A property test holds the two equal, for every parameter that a measure declares.

A run is ranked and judged once (`rows`, `judging`). Everything else is read from the judged run by
a few array operations (`topics`, `sessions`, `bounds`), and one function, which curves share,
normalises and averages (`vectors`).
"""

from pt_cumgain.engine.engine import Engine, JudgedRun

__all__ = ["Engine", "JudgedRun"]
