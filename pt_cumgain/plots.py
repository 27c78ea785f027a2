"""The public plotting functions.

``from pt_cumgain.plots import plot_curves``. Each function draws a frame
that a function of ``pt_cumgain`` returned. It returns matplotlib's figure,
or ``ax`` if you pass it. All take ``figsize``, ``ax``, ``titles``,
``xlabel`` and ``ylabel``; ``plot_curves`` describes them.

    - ``plot_curves``, ``plot_session_curves``: gain by rank, by position
    - ``plot_topics``, ``plot_pair``: topic by topic
    - ``plot_levels``: the parts of values by relevance level
    - ``plot_weightings``: which system leads under which weighting
    - ``plot_dominance``: the order of systems that holds under every choice
    - ``plot_precision``: P-R curves of each relevance level
    - ``plot_generalised``: generalised precision over generalised recall
    - ``plot_correlation``: whether measures agree
    - ``plot_agreement``: whether judges agree
    - ``plot_ranks``: which rank each system may have
    - ``plot_critical_difference``: which systems do not differ
    - ``plot_discriminative_power``: how many pairs a measure tells apart
    - ``name_measures``: names of measures, for titles and columns
    - ``save``: writes a picture to a file as publishers want it
    - ``PAGE``, ``PANEL``, ``COLOURS``, ``DASHES``, ``MARKERS``: style
"""

from pt_cumgain.presentation.names import name_measures
from pt_cumgain.presentation.plots.agreement import plot_agreement
from pt_cumgain.presentation.plots.comparisons import (
    plot_correlation,
    plot_critical_difference,
    plot_discriminative_power,
)
from pt_cumgain.presentation.plots.curve_panels import (
    plot_curves,
    plot_generalised,
    plot_precision,
    plot_session_curves,
)
from pt_cumgain.presentation.plots.dominance_order import plot_dominance
from pt_cumgain.presentation.plots.levels import plot_levels
from pt_cumgain.presentation.plots.panels import PAGE, PANEL
from pt_cumgain.presentation.plots.ranks import plot_ranks
from pt_cumgain.presentation.plots.saving import save
from pt_cumgain.presentation.plots.style import COLOURS, DASHES, MARKERS
from pt_cumgain.presentation.plots.topic_differences import plot_pair, plot_topics
from pt_cumgain.presentation.plots.weightings import plot_weightings

__all__ = [
    "COLOURS",
    "DASHES",
    "MARKERS",
    "PAGE",
    "PANEL",
    "name_measures",
    "plot_agreement",
    "plot_correlation",
    "plot_critical_difference",
    "plot_curves",
    "plot_discriminative_power",
    "plot_dominance",
    "plot_generalised",
    "plot_levels",
    "plot_pair",
    "plot_precision",
    "plot_ranks",
    "plot_session_curves",
    "plot_topics",
    "plot_weightings",
    "save",
]
