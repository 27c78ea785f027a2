"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed
by ``ir_measures.parse_measure`` and computed by every function of
ir-measures and by ``pt.Experiment``. ``import pyterrier`` imports this
package by itself.

What is public (``help(pt_cumgain.nDCG)`` says more of each):

Measures
    - ``CG``, ``DCG``, ``nCG``, ``nDCG``: of topics
    - ``sDCG``, ``nsDCG``: of sessions of several queries
    - ``Weighting``: what the relevance levels are worth
    - ``grid``: measures under all combinations of weightings, cutoffs, ...
    - ``SIGIR2000``, ``TOIS2002``, ``IPM2005``: the papers' weightings
    - ``SCENARIOS``: the users of TOIS 2002, section 4
    - ``describe``: what a paper has to say of a measure, with its formula
Values
    - ``evaluate``: by topic, of a run in memory, in files or in Spark
    - ``provider``: for ir-measures
    - ``topics_of``: the topics that pt.Experiment asks for, from the qrels
    - ``gain_curves``: the measures' values at every rank
    - ``gap_to_ideal``, ``effort``, ``levels_off``: what is read from curves
    - ``precision_by_level``, ``qrels_at_level``: by relevance level
Sessions
    - ``per_session``: a pipeline over sessions, from any pipeline
    - ``to_sessions``, ``to_queries``: sessions from queries, and back
    - ``session_qrels``: judgments by session, from those by topic
    - ``read_session_run``, ``write_session_run``: runs over sessions
    - ``read_session_track``: the XML of the TREC Session Track
    - ``session_curves``, ``query_gains``: by position, by query
How far values can be trusted
    - ``intervals``: of means and of their differences
    - ``bounds``: the range that missing judgments leave
    - ``tie_effects``: what the order of tied documents changes
    - ``gain_by_level``, ``topic_table``: what values are made of
Comparisons
    - ``pairwise``: systems pair by pair, with effect sizes
    - ``friedman``, ``posthoc``, ``anova``, ``average_ranks``: all at once
    - ``discriminative_power``: how many pairs a measure tells apart
    - ``rank_correlation``, ``tau_ap``, ``order_flips``: do measures agree?
    - ``paper_table``, ``correlation_table``: as text, Markdown, LaTeX, HTML
    - ``report``: a page on which gains, discount and rank can be moved
Modules
    - ``plots``: the pictures
    - ``core``: the formulas as functions of NumPy arrays
    - ``pydocs``: a small test collection, offline
"""

import lazy_loader

from pt_cumgain.hosts.ir_datasets import when_imported as _when_imported
from pt_cumgain.hosts.ir_measures import register as _register_measures

# __init__.pyi says what is public and where it lives; it is imported when it is first used, so that
# the import costs little
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.2.0"

_register_measures()
_when_imported("pt_cumgain.pydocs.collection")
