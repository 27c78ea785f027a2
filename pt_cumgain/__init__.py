"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures; from then on they are parsed
by ``ir_measures.parse_measure`` and computed by every function of
ir-measures and by ``pt.Experiment``, which takes them as text, too.
``import pyterrier`` imports this package by itself.

What an experiment needs is here, each with the question that it answers,
what it takes -> what it returns (details: ``help(pt_cumgain.nDCG)``).
*Systems* are pipelines or runs, by name; *results* are values by topic, as
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
      topics, qrels, a measure, path -> an interactive page
Measures
    - ``CG``, ``DCG``, ``nCG``: the others for topics
    - ``gP``, ``gR``: generalised precision and recall
    - ``sDCG``, ``nsDCG``: for sessions of several queries
    - ``per_session``: turns any pipeline into one over sessions
    - ``Weighting``: which gain has each level? a scheme -> gains
    - ``register_discount``: how is a discount of your own named? a name, a
      formula -> nothing; measures know it from then on
    - ``grid``: which weightings, discounts, cutoffs? measures -> measures
What a conclusion rests on
    - ``rank_intervals``: which rank may a system have, and which may be the
      best? results -> ranks
    - ``bounds``: which values could missing judgments give? systems,
      topics, qrels, measures -> ranges of means
    - ``dominance``: which comparisons hold whatever the gains, the discount
      or the missing judgments? systems, topics, qrels, measures -> pairs,
      with ranges
    - ``weighting_map``: which system leads under which weighting? systems,
      topics, qrels, measures -> means
Modules for everything else, which ``help(pt_cumgain.trust)`` lists
    - ``comparing``: tests over all systems, ranks, correlations, values of
      other programs
    - ``trust``: what to judge next, ties, parts by level, a topic's facts,
      which variant another program computed
    - ``judges``: agreement of judges, their conclusions, corrections
    - ``sessions``: frames, files and curves of sessions
    - ``papers``: weightings, scenarios and readings of the four papers
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

from pt_cumgain.hosts.ir_measures import register as _register_measures

# __init__.pyi lists the public names and their modules, which are imported on first use, so that
# importing the package is cheap
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.4.0.dev0"


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except AttributeError as error:
        if not name.startswith("_"):  # tools look for such names
            error.args = (f"{error}{_suggest(name)}",)
        raise


def _suggest(name: str) -> str:
    """Return where the public name is, or which one is spelled alike."""
    places = {"provider": "hosts.ir_measures.provider"}
    for module in ("comparing", "trust", "judges", "sessions", "papers", "plots"):
        places |= {each: f"{module}.{each}" for each in _load(module).__all__}
    if name in places:
        return f"; it is pt_cumgain.{places[name]}"
    places |= {each: each for each in __all__}
    by_lower = {each.lower(): place for each, place in places.items()}
    near = _get_close_matches(name.lower(), by_lower, 1)
    return f"; did you mean {by_lower[near[0]]}?" if near else ""


_register_measures()
