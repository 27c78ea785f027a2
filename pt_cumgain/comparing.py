"""Compare systems: tests of all systems, ranks, and rank correlations.

``from pt_cumgain.comparing import friedman``. *Results* are values by
topic, as ``pt.Experiment(..., perquery=True)`` returns them. The functions
for means and for pairs of systems are in ``pt_cumgain``: ``intervals``,
``pairwise``, ``rank_intervals``, ``paper_table``. Use ``pt_cumgain.plots``
to plot what the functions below return; the main arguments are in
parentheses.

    - ``friedman``, ``anova``: test whether any systems differ (results)
    - ``posthoc``: find which ones, after Friedman's test (results)
    - ``average_ranks``: the systems' average ranks over topics (results)
    - ``discriminative_power``: the share of pairs of systems that each
      measure tells apart (results)
    - ``rank_correlation``, ``discordant_pairs``: how far measures agree on
      the order of the systems (means)
    - ``tau_ap``: the AP rank correlation of two rankings (truth, judged)
    - ``correlation_table``: rank correlations as a table (matrix)
    - ``read_values``: read values by topic that another program computed
      (paths)
"""

from pt_cumgain.environment.stubs import list_names

# comparing.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
