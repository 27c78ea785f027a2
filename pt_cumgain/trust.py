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

from pt_cumgain.environment.stubs import list_names

# trust.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
