"""The public plotting functions.

``from pt_cumgain.plots import plot_curves``. Each function draws a frame
that a function of ``pt_cumgain`` returned. It returns matplotlib's figure,
or ``ax`` if you pass it. All take ``figsize``, ``ax``, ``titles``,
``xlabel`` and ``ylabel``; ``plot_curves`` describes them.

    - ``plot_curves``, ``plot_session_curves``: gain by rank, by position
    - ``plot_topics``, ``plot_pair``: topic by topic
    - ``plot_levels``: the parts of values by relevance level
    - ``plot_weightings``: which system leads under which weighting
    - ``plot_dominance``: the order of systems that holds under every choice
    - ``plot_precision``: P-R curves of each relevance level
    - ``plot_generalised``: generalised precision over generalised recall
    - ``plot_correlation``: whether measures agree
    - ``plot_agreement``: whether judges agree
    - ``plot_ranks``: which rank each system may have
    - ``plot_critical_difference``: which systems do not differ
    - ``plot_discriminative_power``: how many pairs a measure tells apart
    - ``name_measures``: names of measures, for titles and columns
    - ``save``: writes a picture to a file as publishers want it
    - ``style_systems``: one colour for each system in all pictures
    - ``PAGE``, ``PANEL``, ``COLOURS``, ``DASHES``, ``MARKERS``: style
"""

from pt_cumgain.environment.stubs import list_names

# plots.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
