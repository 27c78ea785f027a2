"""Cumulated-gain measures for ir-measures and PyTerrier.

``import pt_cumgain`` registers the measures, and so does
``import pyterrier``. From then on, ir-measures and ``pt.Experiment`` accept
them as objects or as text.

This module offers what you need for an experiment. The main arguments are
in parentheses; for details see, for example, ``help(pt_cumgain.nDCG)``.
*Systems* is a dict of pipelines or runs by name (or a list). *Results* are
values by topic, as ``pt.Experiment(..., perquery=True)`` returns them.
*Qrels* can be a frame, a dict, a file or the id of an ir_datasets dataset.

Ten names to begin with, in the order in which you need them
    - ``nDCG``: declare a measure, as in ``nDCG(gains="0-1-10") @ 10``
    - ``topics_of``: get the topics that have judgments (qrels)
    - ``evaluate``: compute the value for each topic of one run, in memory,
      in files or in Spark (measures, qrels, run)
    - ``intervals``: compute confidence intervals of the means (results)
    - ``pairwise``: test which systems differ (results)
    - ``paper_table``: make a table for a paper, as text, Markdown, LaTeX or
      HTML (results)
    - ``gain_curves``: compute the gain at every rank (systems, topics,
      qrels, measures)
    - ``plots.plot_curves``: plot gain curves (curves)
    - ``describe``: write a sentence, a formula and references for a paper
      (measure)
    - ``report``: write an interactive page to explore gains, discount and
      rank (systems, topics, qrels, measure, path=)
Other measures
    - ``CG``, ``DCG``, ``nCG``: sum gains, discounted or normalised
    - ``gP``, ``gR``: measure precision and recall with graded relevance
    - ``sDCG``, ``nsDCG``: evaluate sessions of several queries
    - ``per_session``: turn any pipeline into one over sessions (pipeline)
    - ``Weighting``: assign a gain to each relevance level (scheme)
    - ``register_discount``: name a discount of your own (name, weights,
      formula)
    - ``grid``: vary weightings, discounts and cutoffs (measures)
What a conclusion depends on
    - ``may_be_best``: find the systems that may be the best (results)
    - ``bounds``: compute the ranges of values that missing judgments leave
      open (systems, topics, qrels, measures)
    - ``dominance``: find the pairs whose order is the same under every
      weighting, every discount, or all possible missing judgments (systems,
      topics, qrels, measures)
    - ``weighting_map``: find which system leads under which weighting
      (systems, topics, qrels, measures)
Modules with everything else; see, for example, ``help(pt_cumgain.trust)``
    - ``comparing``: test all systems together, correlate measures, read
      values that another program computed
    - ``trust``: examine ties, levels and topics, and find the variant that
      another program computed
    - ``sessions``: convert, read and write sessions, compute their curves
    - ``papers``: use the papers' weightings, read curves as they do
    - ``plots``: plot results for papers
    - ``core``: compute the formulas on NumPy arrays
    - ``pydocs``: load a small test collection that works offline
"""

import ir_measures as _  # first: its branch entry-points imports our provider, from below

from pt_cumgain.environment.rooms import attach_names
from pt_cumgain.hosts.ir_measures import register as _register_measures

del _

# __init__.pyi lists the public names and their modules, which are imported on first use, so that
# importing the package is cheap
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
__version__ = "0.4.0.dev0"

_register_measures()
