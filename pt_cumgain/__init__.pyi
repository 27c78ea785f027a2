# What is public here, and where it lives; the modules list the rest.

from . import comparing as comparing
from . import core as core
from . import papers as papers
from . import plots as plots
from . import pydocs as pydocs
from . import sessions as sessions
from . import trust as trust
from .comparing._intervals import intervals as intervals
from .comparing._may_be_best import may_be_best as may_be_best
from .comparing._pairwise import pairwise as pairwise
from .comparing._paper_table import paper_table as paper_table
from .curves import gain_curves as gain_curves
from .description import describe as describe
from .evaluation import evaluate as evaluate
from .grids import grid as grid
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
from .page.report import report as report
from .registration import register_discount as register_discount
from .trust._bounds import bounds as bounds
from .trust._dominance import dominance as dominance
from .trust._weighting_map import weighting_map as weighting_map
from .weighting import Weighting as Weighting

__all__: list[str]
__version__: str
