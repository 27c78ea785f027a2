"""What the four papers use: weightings, scenarios, and ways to read curves.

``from pt_cumgain.papers import IPM2005``. Curves are frames returned by
``pt_cumgain.gain_curves``. The main arguments are in parentheses.

    - ``SIGIR2000``, ``TOIS2002``, ``IPM2005``: the weightings, by name
    - ``SCENARIOS``: the two users of TOIS 2002, section 4

    - ``gap_to_ideal``: compute how far each curve stays below the ideal
      (curves)
    - ``effort``: compute how far a user must read to gain as much as the
      ideal gives earlier (curves)
    - ``plateau_ranks``: find the rank at which the ideal curve levels off
      (curves)
    - ``precision_by_level``: compute average precision and P-R curves for
      each relevance level (systems, topics, qrels)
    - ``qrels_at_level``: select one level as the only relevant one (qrels,
      level)
    - ``recall_bases``: count the documents at each level (qrels)
"""

from pt_cumgain.environment.rooms import attach_names

# __init__.pyi lists the names and their modules
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
