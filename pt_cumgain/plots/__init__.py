"""Figures for papers, drawn with matplotlib.

``from pt_cumgain.plots import plot_curves``. Each function plots a frame
returned by a function of ``pt_cumgain``, and returns a matplotlib figure,
or ``ax`` if you passed one. All of them accept ``figsize`` and ``ax``,
which ``plot_curves`` explains.

    - ``plot_curves``, ``plot_session_curves``: gain by rank, by position
    - ``plot_topics``, ``plot_pair``: systems compared topic by topic
    - ``plot_levels``: what each relevance level contributes to the values
    - ``plot_weightings``: which system leads under which weighting
    - ``plot_dominance``: the order of systems that holds under every choice
    - ``plot_precision``: P-R curves for each relevance level
    - ``name_measures``: names of measures, for titles and columns
    - ``save``: save a figure in a form that publishers accept
    - ``style_systems``: keep one colour per system in all figures
    - ``PAGE``, ``PANEL``, ``COLOURS``, ``DASHES``: defaults
"""

from pt_cumgain.environment.rooms import attach_names

# __init__.pyi lists the names and their modules
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
