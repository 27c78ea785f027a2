"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed
by ``ir_measures.parse_measure`` and computed by every function of
ir-measures and by ``pt.Experiment``. ``import pyterrier`` imports this
package by itself.

The public names (for details of one, ``help(pt_cumgain.nDCG)``):

Measures
    - ``CG``, ``DCG``, ``nCG``, ``nDCG``: for topics
    - ``gP``, ``gR``: generalised precision and recall
    - ``sDCG``, ``nsDCG``: for sessions of several queries
    - ``Weighting``: the gains of the relevance levels
    - ``register_discount``: a discount of your own
    - ``grid``: measures under all combinations of weightings, cutoffs, ...
    - ``SIGIR2000``, ``TOIS2002``, ``IPM2005``: the papers' weightings
    - ``SCENARIOS``: the users of TOIS 2002, section 4
    - ``describe``: what a paper must say of a measure, with its formula
Values
    - ``evaluate``: values by topic of a run in memory, in files or in Spark
    - ``provider``: for ir-measures
    - ``topics_of``: the topics of the qrels, to pass to pt.Experiment
    - ``gain_curves``: the measures' values at every rank
    - ``gap_to_ideal``, ``effort``, ``levels_off``: readings of gain curves
    - ``precision_by_level``, ``qrels_at_level``: for each relevance level
    - ``recall_bases``: judged documents by topic and level
Sessions
    - ``per_session``: turns any pipeline into one over sessions
    - ``to_sessions``, ``to_queries``: from queries to sessions, and back
    - ``session_qrels``: turns judgments by topic into judgments by session
    - ``split_turns``: splits ids such as 31_4 into conversation and turn
    - ``read_session_run``, ``write_session_run``: runs over sessions
    - ``read_session_track``: the XML of the TREC Session Track
    - ``session_curves``, ``query_gains``: gains by position, and by query
    - ``session_lengths``: how many sessions have 1, 2, ... queries
Reliability of values
    - ``intervals``: confidence intervals of means and their differences
    - ``bounds``: the range that missing judgments leave
    - ``dominance``: which comparisons hold whatever the gains, the discount
      or the missing judgments
    - ``weighting_map``: which system is best under which weighting
    - ``judge_next``: which unjudged documents to judge, in which order
    - ``tie_effects``: how much the order of tied documents matters
    - ``gain_by_level``, ``topic_table``: where values come from
    - ``reconcile``: how a paper or program computed its number
Comparisons
    - ``pairwise``: systems pair by pair, with effect sizes
    - ``friedman``, ``posthoc``, ``anova``, ``average_ranks``: all systems
    - ``discriminative_power``: how many pairs a measure tells apart
    - ``rank_correlation``, ``tau_ap``, ``discordant_pairs``: agreement
    - ``paper_table``, ``correlation_table``: as text, Markdown, LaTeX, HTML
    - ``report``: an interactive page to vary gains, discount and rank
Modules
    - ``plots``: the figures
    - ``core``: the formulas as functions of NumPy arrays
    - ``pydocs``: a small test collection, offline
"""

import sys
from difflib import get_close_matches as _get_close_matches
from typing import Any

if str(*sys.argv[:1]).endswith(("pt-cumgain", "pt-cumgain.exe")):  # the program; not others
    from pt_cumgain.environment.files import exit_on_signals

    exit_on_signals()


import lazy_loader

from pt_cumgain.environment.warning import warn as _warn
from pt_cumgain.hosts.ir_datasets import when_imported as _when_imported
from pt_cumgain.hosts.ir_measures import register as _register_measures

# __init__.pyi lists the public names and their modules, which are imported on first use, so that
# importing the package is cheap
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.3.0"

#: Public names of earlier versions, and what they are called now.
_RENAMED = {"order_flips": "discordant_pairs"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        _warn(f"pt_cumgain.{name} is now called {_RENAMED[name]}", DeprecationWarning)
    try:
        return _load(_RENAMED.get(name, name))
    except AttributeError as error:
        plots = _load("plots").__all__ if name.startswith("plot") else []
        names = {n.lower(): n for n in __all__} | {plot: f"plots.{plot}" for plot in plots}
        for near in _get_close_matches(name.lower(), names, 1):
            error.args = (f"{error}; did you mean {names[near]}?",)
        raise


_register_measures()
_when_imported("pt_cumgain.pydocs.collection")
