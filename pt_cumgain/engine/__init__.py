"""The engine: a fast implementation of the formulas in :mod:`pt_cumgain.core`.

A property test checks that the two agree, for every parameter that a measure declares.

A run is ranked and judged once (`rows`, `judging`). Everything else is derived from the judged run
by a few array operations (`topic_values`, `session_values`). A single place, which also serves
curves, cumulates, normalises and averages (`vectors`), with the formulas of `core`.
"""

from pt_cumgain.engine.engine import Engine, JudgedRun

__all__ = ["Engine", "JudgedRun"]
