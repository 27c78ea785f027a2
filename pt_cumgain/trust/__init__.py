"""How far values can be trusted: missing judgments, topics, variants.

``from pt_cumgain.trust import reconcile``. *Systems* is a dict of pipelines
or runs by name; ``qrels`` can be a frame, a dict, a file or the id of an
ir_datasets dataset. The functions that compute ranges are in
``pt_cumgain``: ``intervals`` and ``may_be_best`` (over topics), ``bounds``
(over missing judgments) and ``dominance`` (over choices). The main
arguments are in parentheses.

    - ``gain_by_level``: compute what each relevance level contributes to
      the means (systems, topics, qrels, measures)
    - ``topic_table``: list facts about each topic, such as its recall base
      and its ideal (systems, topics, qrels, measures)
    - ``reconcile``: find the variants of a measure that reproduce a number
      from a paper or program (values, qrels, run)
"""

from pt_cumgain.environment.rooms import attach_names

# __init__.pyi lists the names and their modules
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
