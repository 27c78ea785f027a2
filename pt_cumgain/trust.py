"""How far a value can be trusted: missing judgments, ties, topics, variants.

``from pt_cumgain.trust import judge_next``. *Systems* are pipelines or
runs, by name; ``qrels`` may be any that ir-measures takes. The ranges are
in ``pt_cumgain``: over topics ``intervals`` and ``rank_intervals``, over
missing judgments ``bounds``, over choices ``dominance``.

Each with the question that it answers, what it takes -> what it returns:

    - ``judge_next``: what should be judged next? systems, topics, qrels, a
      measure -> documents, in order
    - ``tie_effects``: how much do tied documents matter? systems, topics,
      qrels, measures -> values by the rules for ties
    - ``gain_by_level``: which levels does a value come from? systems,
      topics, qrels, measures -> parts of the means
    - ``topic_table``: what does a topic's value rest on? systems, topics,
      qrels, measures -> its judged documents, ties, ideal
    - ``reconcile``: how did another program compute its number? values,
      qrels, run -> variants of the measure that give them
"""

from pt_cumgain.analysis.choices.judging_order import judge_next
from pt_cumgain.analysis.reading.by_level import gain_by_level
from pt_cumgain.analysis.reading.topic_table import topic_table
from pt_cumgain.analysis.reconcile import reconcile
from pt_cumgain.analysis.trust.tie_effects import tie_effects

__all__ = ["gain_by_level", "judge_next", "reconcile", "tie_effects", "topic_table"]
