from pt_cumgain.presentation.names import name_measures as name_measures
from pt_cumgain.presentation.plots.comparisons import plot_correlation as plot_correlation
from pt_cumgain.presentation.plots.curve_panels import plot_curves as plot_curves
from pt_cumgain.presentation.plots.curve_panels import plot_generalised as plot_generalised
from pt_cumgain.presentation.plots.curve_panels import plot_precision as plot_precision
from pt_cumgain.presentation.plots.curve_panels import plot_session_curves as plot_session_curves
from pt_cumgain.presentation.plots.dominance_order import plot_dominance as plot_dominance
from pt_cumgain.presentation.plots.listed_systems import plot_levels as plot_levels
from pt_cumgain.presentation.plots.panels import PAGE as PAGE
from pt_cumgain.presentation.plots.panels import PANEL as PANEL
from pt_cumgain.presentation.plots.saving import save as save
from pt_cumgain.presentation.plots.style import COLOURS as COLOURS
from pt_cumgain.presentation.plots.style import DASHES as DASHES
from pt_cumgain.presentation.plots.style import MARKERS as MARKERS
from pt_cumgain.presentation.plots.style import style_systems as style_systems
from pt_cumgain.presentation.plots.topic_differences import plot_pair as plot_pair
from pt_cumgain.presentation.plots.topic_differences import plot_topics as plot_topics
from pt_cumgain.presentation.plots.weightings import plot_weightings as plot_weightings

__all__: list[str]
