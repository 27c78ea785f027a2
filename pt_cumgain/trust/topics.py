"""Facts about each topic that its values depend on: judgments, ideal, best and worst system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.inputs.arguments import Measures, Qrels, Systems
from pt_cumgain.options import Scores, checked
from pt_cumgain.systems import Experiment, frame_topics, mean_of_known, topic_measures


@checked
def topic_table(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return facts about each topic that help to interpret its values.

    The values of a topic with few relevant documents, or few judged ones, rest
    on little evidence; a topic on which the best system is no better than the
    worst does not distinguish the systems.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters but ``unjudged``, as objects
        or text, one or several.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and topic: ``qid``; ``query``, if the topics have
        it; ``measure``; ``R``, the number of documents with a positive gain;
        ``ideal``, the CG or DCG of the ideal ranking with these parameters, for
        nCG and nDCG too (NaN under ``sigir2000`` with a base above 2, where
        descending gains are not ideal); ``judged``, the mean over the systems
        of the share of the first k ranks that is judged, as in
        :func:`pt_cumgain.bounds`; ``best`` and ``worst``, the systems with the
        largest and the smallest value (the first of several); ``best_value``
        and ``worst_value``; ``mean``, over the systems.

    Raises
    ------
    ValueError, TypeError
        If a measure is not one of these, or an input cannot be used.

    Notes
    -----
    The share that is judged is that of the ranking by score and document id,
    whatever a measure's rule for ties, and before ``judged_only`` drops
    documents. With ``at_r``, k is R.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["x", "a"], "score": [2.0, 1.0]})
    >>> other = run.assign(score=[1.0, 2.0])
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [2, 1]})
    >>> table = topic_table({"X": run, "Y": other}, None, qrels, "nCG@2")
    >>> table[["qid", "measure", "R", "ideal", "judged"]]
      qid measure  R  ideal  judged
    0   1   nCG@2  2    3.0     0.5
    >>> table[["best", "best_value", "worst", "worst_value", "mean"]].round(3)
      best  best_value worst  worst_value   mean
    0    X       0.667     X        0.667  0.667
    """
    chosen = topic_measures(measures, "table of topics")
    given = systems, topics, qrels, names, scores, verbose
    engine, runs = Experiment("topic_table", *given).judge(chosen)
    read = {name: (run.values(), run.judged_share()) for name, run in runs}
    systems_named = np.array(list(read), dtype=object)
    values, judged = map(np.stack, zip(*read.values()))
    best, worst = values.argmax(axis=0), values.argmin(axis=0)
    recall, ideal = engine.ideal()
    columns = {
        "R": recall,
        "ideal": ideal,
        "judged": mean_of_known(judged, axis=0),
        "best": systems_named[best],
        "best_value": values.max(axis=0),
        "worst": systems_named[worst],
        "worst_value": values.min(axis=0),
        "mean": mean_of_known(values, axis=0),
    }
    frame = frame_topics(engine, columns, chosen)
    if topics is not None and "query" in topics:
        query = topics.drop_duplicates("qid").set_index("qid")["query"]
        frame.insert(1, "query", frame["qid"].map(query))
    return frame
