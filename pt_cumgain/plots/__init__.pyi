from .comparisons import plot_correlation as plot_correlation
from .comparisons import plot_dominance as plot_dominance
from .comparisons import plot_levels as plot_levels
from .comparisons import plot_pair as plot_pair
from .comparisons import plot_topics as plot_topics
from .curve_panels import plot_curves as plot_curves
from .curve_panels import plot_precision as plot_precision
from .curve_panels import plot_session_curves as plot_session_curves
from .panels import PAGE as PAGE
from .panels import PANEL as PANEL
from .panels import save as save
from .style import COLOURS as COLOURS
from .style import DASHES as DASHES
from .style import MARKERS as MARKERS
from .style import name_measures as name_measures
from .style import style_systems as style_systems
from .weightings import plot_weightings as plot_weightings

__all__: list[str]
