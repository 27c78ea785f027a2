"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed by
``ir_measures.parse_measure`` and computed by every function of ir-measures and by
``pt.Experiment``. ``import pyterrier`` imports this package by itself.
"""

from pt_cumgain import core, irmeasures, plots, pydocs
from pt_cumgain.comparison import anova, average_ranks, friedman, posthoc
from pt_cumgain.correlation import order_flips, rank_correlation, tau_ap
from pt_cumgain.curves import gain_curves, query_gains, session_curves
from pt_cumgain.evaluation import evaluate
from pt_cumgain.grids import IPM2005, SCENARIOS, SIGIR2000, TOIS2002, grid
from pt_cumgain.irmeasures import provider
from pt_cumgain.measures import CG, DCG, nCG, nDCG, nsDCG, sDCG
from pt_cumgain.paper_tables import paper_table
from pt_cumgain.reading import effort, gap_to_ideal, levels_off
from pt_cumgain.recall_bases import precision_by_level, qrels_at_level
from pt_cumgain.session_track import read_session_track
from pt_cumgain.sessions import (
    per_session,
    read_session_run,
    session_qrels,
    to_queries,
    to_sessions,
    write_session_run,
)
from pt_cumgain.weighting import Weighting

irmeasures.register()
pydocs.register()

__version__ = "0.1.0"
__all__ = [
    "CG",
    "DCG",
    "IPM2005",
    "SCENARIOS",
    "SIGIR2000",
    "TOIS2002",
    "Weighting",
    "anova",
    "average_ranks",
    "core",
    "effort",
    "evaluate",
    "friedman",
    "gain_curves",
    "gap_to_ideal",
    "grid",
    "levels_off",
    "nCG",
    "nDCG",
    "nsDCG",
    "order_flips",
    "paper_table",
    "per_session",
    "plots",
    "posthoc",
    "precision_by_level",
    "provider",
    "pydocs",
    "qrels_at_level",
    "query_gains",
    "rank_correlation",
    "read_session_run",
    "read_session_track",
    "sDCG",
    "session_curves",
    "session_qrels",
    "tau_ap",
    "to_queries",
    "to_sessions",
    "write_session_run",
]
