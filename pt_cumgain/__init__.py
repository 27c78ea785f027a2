"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed
by ``ir_measures.parse_measure`` and computed by every function of
ir-measures and by ``pt.Experiment``, which takes them as text, too.
``import pyterrier`` imports this package by itself.

The public names, each with the question that it answers, what it takes ->
what it returns (for details of one, ``help(pt_cumgain.nDCG)``). *Systems*
are pipelines or runs, by name; *results* are values by topic, as
``pt.Experiment(..., perquery=True)`` returns them; ``qrels`` may be any
that ir-measures takes.

Ten to begin with, in the order of an experiment
    - ``nDCG``: what is measured? parameters, @cutoff -> a measure
    - ``topics_of``: which topics are judged? qrels -> topics
    - ``evaluate``: what is each topic's value? measures, qrels, run ->
      results of one run, in memory, in files or in Spark
    - ``intervals``: how sure is each mean? results -> intervals
    - ``pairwise``: which systems differ? results -> pairs, with tests
    - ``paper_table``: how does a paper show it? results -> a table, as
      text, Markdown, LaTeX or HTML
    - ``gain_curves``: at which rank is what gained? systems, topics, qrels,
      measures -> curves
    - ``plots.plot_curves``: how does that look? curves -> a figure
    - ``describe``: what must a paper say of a measure? a measure -> the
      sentence, the formula, the references
    - ``report``: what if gains, discount or rank were others? systems,
      topics, qrels, path -> an interactive page
Measures
    - ``CG``, ``DCG``, ``nCG``: the others for topics
    - ``gP``, ``gR``: generalised precision and recall
    - ``sDCG``, ``nsDCG``: for sessions of several queries
    - ``Weighting``: which gain has each level? a scheme -> gains
    - ``register_discount``: how is a discount of your own named? a name, a
      formula -> nothing; measures know it from then on
    - ``grid``: which weightings, discounts, cutoffs? measures -> measures
    - ``name_measures``: what is a measure called in print? measures ->
      names
    - ``provider``: for ir-measures
Comparing systems
    - ``friedman``, ``anova``: does any system differ? results -> tests
    - ``posthoc``: which ones, after Friedman's test? results -> p-values
    - ``rank_intervals``: which rank may a system have, and which may be the
      best? results -> ranks
    - ``average_ranks``: which is better on how many topics? results ->
      ranks of the systems
    - ``discriminative_power``: how many pairs does a measure tell apart?
      results -> shares
    - ``rank_correlation``, ``tau_ap``, ``discordant_pairs``: do measures
      agree on the systems? results, or two rankings -> coefficients, pairs
    - ``correlation_table``: how does a paper show it? coefficients -> table
    - ``read_values``: which systems differ by another program's values? its
      files -> results
Trusting values
    - ``bounds``: which values could missing judgments give? systems,
      topics, qrels, measures -> ranges of means
    - ``judge_next``: what should be judged next? systems, topics, qrels, a
      measure -> documents, in order
    - ``dominance``: which comparisons hold whatever the gains, the discount
      or the missing judgments? systems, topics, qrels, measures -> pairs,
      with ranges
    - ``weighting_map``: which system leads under which weighting? systems,
      topics, qrels, measures -> means
    - ``tie_effects``: how much do tied documents matter? systems, topics,
      qrels, measures -> values by the rules for ties
    - ``gain_by_level``: which levels does a value come from? systems,
      topics, qrels, measures -> parts of the means
    - ``topic_table``: what does a topic's value rest on? systems, topics,
      qrels, measures -> its judged documents, ties, ideal
    - ``reconcile``: how did another program compute its number? values,
      qrels, run -> variants of the measure that give them
Judges
    - ``judge_agreement``: do judges give the same labels? qrels by judge ->
      kappa, alpha, tables of labels
    - ``compare_judges``: do judges conclude the same, and whom do they
      favour? results by judge -> counts, pairs
    - ``rectify``: what follows from a few human judgments beside many
      automatic ones? results by judge -> differences, with intervals
Sessions
    - ``per_session``: turns any pipeline into one over sessions
    - ``to_sessions``, ``to_queries``: from queries to sessions, and back
    - ``session_qrels``: turns judgments by topic into judgments by session
    - ``split_turns``: splits ids such as 31_4 into conversation and turn
    - ``read_session_run``, ``write_session_run``: runs over sessions
    - ``read_session_track``: the XML of the TREC Session Track
    - ``session_curves``, ``query_gains``: what is gained by position, and
      by each query? systems, sessions, qrels, measures -> curves, values
    - ``session_lengths``: how many sessions have 1, 2, ... queries?
From the papers
    - ``SIGIR2000``, ``TOIS2002``, ``IPM2005``: the weightings
    - ``SCENARIOS``: the users of TOIS 2002, section 4
    - ``gap_to_ideal``, ``effort``, ``levels_off``: how far is the ideal,
      and where does it level off? curves -> shares, ranks
    - ``precision_by_level``, ``qrels_at_level``: precision, AP and qrels
      of each relevance level
    - ``recall_bases``: how many documents have which level? qrels -> counts
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
