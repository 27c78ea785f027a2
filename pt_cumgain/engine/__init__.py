"""The engine: a fast implementation of the formulas in :mod:`pt_cumgain.core`.

A property test checks that the two agree, for every parameter that a measure declares.

A run is ranked and judged once (`rows`, `judging`). Everything else is read from the judged run by
a few array operations (`topics`, `sessions`, `bounds`). One function, which curves use too,
normalises and averages (`vectors`).
"""

from pt_cumgain.engine.engine import Engine, JudgedRun

__all__ = ["Engine", "JudgedRun"]
