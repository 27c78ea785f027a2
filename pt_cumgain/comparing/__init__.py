"""Compare systems: a test of all systems, and rank correlations.

``from pt_cumgain.comparing import friedman``. *Results* are values by
topic, as ``pt.Experiment(..., perquery=True)`` returns them. The functions
for means and for pairs of systems are in ``pt_cumgain``: ``intervals``,
``pairwise``, ``may_be_best``, ``paper_table``. The main arguments are in
parentheses.

    - ``friedman``: test whether any systems differ (results)
    - ``rank_correlation``: compute how far measures agree on the order of
      the systems (means)
    - ``tau_ap``: compute the AP rank correlation of two rankings (truth,
      judged)
    - ``correlation_table``: make a table of rank correlations (matrix)
    - ``read_values``: read values by topic that another program computed
      (paths)
"""

from pt_cumgain.environment.rooms import attach_names

# __init__.pyi lists the names and their modules
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
