"""How much the order of documents of equal score changes the values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from pt_cumgain.core import TIES
from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import Scores, checked
from pt_cumgain.systems import Experiment, frame_values, topic_measures


@checked
def tie_effects(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    perquery: bool = False,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return how the order of documents with equal scores affects the values.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters but ``ties``, as objects or
        text, one or several.
    perquery
        Return every topic's values, with its ``qid``, instead of the means.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, and the value under
        each rule of ``ties``: ``doc_id`` (trec_eval's, the default),
        ``average``, ``best``, ``worst``.

    Raises
    ------
    ValueError, TypeError
        If a measure does not have ``ties``, or an input cannot be used.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": 1.0})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> tie_effects({"X": run}, None, qrels, "CG@1")
      name measure  doc_id  average  best  worst
    0    X    CG@1     1.0      2.0   3.0    1.0
    """
    chosen = topic_measures(measures, "values by tie rule", judged_alone=False)
    every = [measure(ties=ties) for measure, ties in product(chosen, TIES)]
    given = systems, topics, qrels, names, scores, verbose
    engine, runs = Experiment("tie_effects", *given).judge(every, warn_for=chosen)
    frames = []
    for name, run in runs:
        values = run.values().reshape(len(chosen), len(TIES), len(engine.topics))
        columns = {ties: values[:, i] for i, ties in enumerate(TIES)}
        frames.append(frame_values(name, engine, columns, perquery, chosen))
    return pd.concat(frames, ignore_index=True)
