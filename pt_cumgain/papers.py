"""The weightings, scenarios and readings of the four papers.

``from pt_cumgain.papers import IPM2005``. Curves are what
``pt_cumgain.gain_curves`` returns.

    - ``SIGIR2000``, ``TOIS2002``, ``IPM2005``: the weightings, by name
    - ``SCENARIOS``: the users of TOIS 2002, section 4

Each with the question that it answers, what it takes -> what it returns:

    - ``gap_to_ideal``: how far is the ideal? curves -> differences, shares
    - ``effort``: how far must a user read to gain as much? curves -> ranks
    - ``levels_off``: where does the ideal curve level off? curves -> ranks
    - ``precision_by_level``: what are AP and precision for each relevance
      level? systems, topics, qrels -> values, P-R curves
    - ``qrels_at_level``: which documents have this level? qrels, level ->
      qrels
    - ``recall_bases``: how many documents have which level? qrels -> counts
"""

from pt_cumgain.analysis.choices.grids import IPM2005, SCENARIOS, SIGIR2000, TOIS2002
from pt_cumgain.analysis.reading.by_level import precision_by_level, qrels_at_level, recall_bases
from pt_cumgain.analysis.reading.gaps import effort, gap_to_ideal, levels_off

__all__ = [
    "IPM2005",
    "SCENARIOS",
    "SIGIR2000",
    "TOIS2002",
    "effort",
    "gap_to_ideal",
    "levels_off",
    "precision_by_level",
    "qrels_at_level",
    "recall_bases",
]
