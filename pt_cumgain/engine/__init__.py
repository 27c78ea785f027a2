"""The engine: a fast implementation of the formulas in :mod:`pt_cumgain.core`.

A property test checks that the two agree, for every parameter that a measure declares.

A run is ranked and judged once, by topic or by query of a session (`rows`, `judging`, `units`).
Everything else is derived from the judged run by a few array operations: the gain at each rank of a
list (`gains`), the position of these ranks in the vector of a session (`layout`), the equations and
where they are read (`values`, `vectors`), with the formulas of `core`.
"""

from pt_cumgain.engine.engine import Engine, JudgedRun

__all__ = ["Engine", "JudgedRun"]
