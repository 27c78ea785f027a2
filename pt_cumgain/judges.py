"""Judgments of several judges, such as people and language models.

``from pt_cumgain.judges import judge_agreement``. Results by judge are the
values by topic of ``pt.Experiment(..., perquery=True)``, a frame for each
judge, joined with a column ``judge``.

Each with the question that it answers, what it takes -> what it returns:

    - ``judge_agreement``: do judges give the same labels? qrels by judge ->
      kappa, alpha, tables of labels
    - ``compare_judges``: do judges conclude the same, and whom do they
      favour? results by judge -> counts, pairs
    - ``rectify``: what follows from a few human judgments beside many
      automatic ones? results by judge -> differences, with intervals
"""

from pt_cumgain.analysis.judges.agreement import judge_agreement
from pt_cumgain.analysis.judges.conclusions import compare_judges
from pt_cumgain.analysis.judges.rectified import rectify

__all__ = ["compare_judges", "judge_agreement", "rectify"]
