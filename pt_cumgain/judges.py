"""Compare judgments from several judges, such as people and language models.

``from pt_cumgain.judges import judge_agreement``. *Results* here are values
by topic with a column ``judge``: for each judge, what ``pt.Experiment(...,
perquery=True)`` returns with this judge's qrels. The main arguments are in
parentheses.

    - ``judge_agreement``: how far the judges assign the same labels: kappa,
      alpha, tables of labels (qrels)
    - ``compare_judges``: whether the judges lead to the same conclusions,
      and which systems they favour (results)
    - ``rectify``: differences under automatic judgments, corrected with a
      few human ones (results)
"""

from pt_cumgain.environment.stubs import list_names

# judges.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
