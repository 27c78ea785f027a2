"""Judgments of several judges, such as people and language models.

``from pt_cumgain.judges import judge_agreement``. Results by judge are
values by topic with a column ``judge``: what
``pt.Experiment(..., perquery=True)`` returns with each judge's qrels.

Each with the question that it answers, what it takes -> what it returns:

    - ``judge_agreement``: do judges give the same labels? qrels by judge ->
      kappa, alpha, tables of labels
    - ``compare_judges``: do judges conclude the same, and whom do they
      favour? results by judge -> counts, pairs
    - ``rectify``: what follows from a few human judgments beside many
      automatic ones? results by judge -> differences, with intervals
"""

from pt_cumgain.environment.stubs import list_names

# judges.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
