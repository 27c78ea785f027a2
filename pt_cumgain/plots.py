"""The pictures, where users find them: ``from pt_cumgain.plots import plot_curves``."""

from pt_cumgain.presentation.plots import (
    COLOURS,
    DASHES,
    MARKERS,
    PANEL,
    plot_correlation,
    plot_critical_difference,
    plot_curves,
    plot_levels,
    plot_pair,
    plot_precision,
    plot_session_curves,
    plot_topics,
)

__all__ = [
    "COLOURS",
    "DASHES",
    "MARKERS",
    "PANEL",
    "plot_correlation",
    "plot_critical_difference",
    "plot_curves",
    "plot_levels",
    "plot_pair",
    "plot_precision",
    "plot_session_curves",
    "plot_topics",
]
