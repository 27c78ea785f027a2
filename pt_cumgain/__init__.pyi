# What is public here, and where it lives; the modules list the rest.

from . import comparing as comparing
from . import core as core
from . import judges as judges
from . import papers as papers
from . import plots as plots
from . import pydocs as pydocs
from . import sessions as sessions
from . import trust as trust
from .analysis.choices.dominance import dominance as dominance
from .analysis.choices.grids import grid as grid
from .analysis.choices.weighting_map import weighting_map as weighting_map
from .analysis.comparing.best import may_be_best as may_be_best
from .analysis.comparing.pairs import pairwise as pairwise
from .analysis.evaluation import evaluate as evaluate
from .analysis.reading.gain_curves import gain_curves as gain_curves
from .analysis.trust.bounds import bounds as bounds
from .analysis.trust.intervals import intervals as intervals
from .hosts.pyterrier import per_session as per_session
from .hosts.pyterrier import topics_of as topics_of
from .measures import CG as CG
from .measures import DCG as DCG
from .measures import gP as gP
from .measures import gR as gR
from .measures import nCG as nCG
from .measures import nDCG as nDCG
from .measures import nsDCG as nsDCG
from .measures import sDCG as sDCG
from .presentation.description import describe as describe
from .presentation.report import report as report
from .presentation.tables import paper_table as paper_table
from .registration import register_discount as register_discount
from .weighting import Weighting as Weighting

__all__: list[str]
__version__: str
