"""Tests over all systems, ranks, correlations, values of other programs.

``from pt_cumgain.comparing import friedman``. *Results* are values by
topic, as ``pt.Experiment(..., perquery=True)`` returns them. The functions
for pairs and means are in ``pt_cumgain``: ``pairwise``, ``rank_intervals``,
``intervals``, ``paper_table``. ``pt_cumgain.plots`` draws what these
functions return.

Each with the question that it answers, what it takes -> what it returns:

    - ``friedman``, ``anova``: does any system differ? results -> tests
    - ``posthoc``: which ones, after Friedman's test? results -> p-values
    - ``average_ranks``: which is better on how many topics? results ->
      ranks of the systems
    - ``discriminative_power``: how many pairs does a measure tell apart?
      results -> shares
    - ``rank_correlation``, ``tau_ap``, ``discordant_pairs``: do measures
      agree on the systems? results, or two rankings -> coefficients, pairs
    - ``correlation_table``: how does a paper show it? coefficients -> table
    - ``read_values``: which systems differ by another program's values? its
      files -> results
"""

from pt_cumgain.environment.stubs import list_names

# comparing.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
