from .comparisons import plot_correlation as plot_correlation
from .curve_panels import plot_curves as plot_curves
from .curve_panels import plot_generalised as plot_generalised
from .curve_panels import plot_precision as plot_precision
from .curve_panels import plot_session_curves as plot_session_curves
from .dominance_order import plot_dominance as plot_dominance
from .listed_systems import plot_levels as plot_levels
from .panels import PAGE as PAGE
from .panels import PANEL as PANEL
from .saving import save as save
from .style import COLOURS as COLOURS
from .style import DASHES as DASHES
from .style import MARKERS as MARKERS
from .style import style_systems as style_systems
from .titles import name_measures as name_measures
from .topic_differences import plot_pair as plot_pair
from .topic_differences import plot_topics as plot_topics
from .weightings import plot_weightings as plot_weightings

__all__: list[str]
