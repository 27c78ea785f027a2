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

from pt_cumgain.environment.stubs import list_names

# papers.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
