# What is public, and where it lives.

from . import core as core
from . import plots as plots
from . import pydocs as pydocs
from .analysis.comparison import anova as anova
from .analysis.comparison import average_ranks as average_ranks
from .analysis.comparison import friedman as friedman
from .analysis.comparison import posthoc as posthoc
from .analysis.correlation import discordant_pairs as discordant_pairs
from .analysis.correlation import rank_correlation as rank_correlation
from .analysis.correlation import tau_ap as tau_ap
from .analysis.curves import gain_curves as gain_curves
from .analysis.curves import query_gains as query_gains
from .analysis.curves import session_curves as session_curves
from .analysis.evaluation import evaluate as evaluate
from .analysis.gaps import effort as effort
from .analysis.gaps import gap_to_ideal as gap_to_ideal
from .analysis.gaps import levels_off as levels_off
from .analysis.grids import IPM2005 as IPM2005
from .analysis.grids import SCENARIOS as SCENARIOS
from .analysis.grids import SIGIR2000 as SIGIR2000
from .analysis.grids import TOIS2002 as TOIS2002
from .analysis.grids import grid as grid
from .analysis.intervals import intervals as intervals
from .analysis.pairs import discriminative_power as discriminative_power
from .analysis.pairs import pairwise as pairwise
from .analysis.recall_bases import precision_by_level as precision_by_level
from .analysis.recall_bases import qrels_at_level as qrels_at_level
from .analysis.recall_bases import recall_bases as recall_bases
from .analysis.session_lengths import session_lengths as session_lengths
from .analysis.trust import bounds as bounds
from .analysis.trust import gain_by_level as gain_by_level
from .analysis.trust import tie_effects as tie_effects
from .analysis.trust import topic_table as topic_table
from .hosts.ir_measures import provider as provider
from .hosts.pyterrier import per_session as per_session
from .hosts.pyterrier import topics_of as topics_of
from .inputs.session_track import read_session_track as read_session_track
from .inputs.sessions import read_session_run as read_session_run
from .inputs.sessions import session_qrels as session_qrels
from .inputs.sessions import to_queries as to_queries
from .inputs.sessions import to_sessions as to_sessions
from .inputs.sessions import write_session_run as write_session_run
from .measures import CG as CG
from .measures import DCG as DCG
from .measures import nCG as nCG
from .measures import nDCG as nDCG
from .measures import nsDCG as nsDCG
from .measures import sDCG as sDCG
from .presentation.description import describe as describe
from .presentation.report import report as report
from .presentation.tables import correlation_table as correlation_table
from .presentation.tables import paper_table as paper_table
from .weighting import Weighting as Weighting

__all__: list[str]
__version__: str
