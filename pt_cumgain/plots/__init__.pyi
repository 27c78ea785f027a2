from ._comparisons import plot_pair as plot_pair
from ._comparisons import plot_topics as plot_topics
from ._curves import plot_curves as plot_curves
from ._curves import plot_precision as plot_precision
from ._curves import plot_session_curves as plot_session_curves
from ._panels import PAGE as PAGE
from ._panels import PANEL as PANEL
from ._panels import save as save
from ._plot_dominance import plot_dominance as plot_dominance
from ._plot_levels import plot_levels as plot_levels
from ._plot_weightings import plot_weightings as plot_weightings
from ._style import COLOURS as COLOURS
from ._style import DASHES as DASHES
from ._style import name_measures as name_measures
from ._style import style_systems as style_systems

__all__: list[str]
