"""Facts about each topic that its values depend on: judgments, ideal, best and worst system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.comparing._rounding import equate
from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
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
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.trust import topic_table
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = topic_table(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> table.sort_values("mean")[["query", "R", "best", "best_value", "mean"]].head(4).round(3)
                                          query   R        best  best_value   mean
    24                      put arrays together  22         PL2       0.023  0.005
    23                            running total  21  First word       0.051  0.010
    37   differences between consecutive values  13        BM25       0.171  0.130
    4   change time series frequency to monthly  48        BM25       0.377  0.250
    """
    chosen = topic_measures(measures, "table of topics")
    inputs = systems, topics, qrels, names, scores, verbose
    engine, runs = Experiment("topic_table", *inputs).judge(chosen)
    by_system = {name: (run.values(), run.judged_share()) for name, run in runs}
    named = np.array(list(by_system), dtype=object)
    values, judged = (np.stack(each) for each in zip(*by_system.values()))
    rounded = equate(values, np.abs(values).max(axis=(0, 2), keepdims=True))
    best, worst = rounded.argmax(axis=0), rounded.argmin(axis=0)
    recall, ideal = engine.ideal()
    columns = {
        "R": recall,
        "ideal": ideal,
        "judged": mean_of_known(judged, axis=0),
        "best": named[best],
        "best_value": values.max(axis=0),
        "worst": named[worst],
        "worst_value": values.min(axis=0),
        "mean": mean_of_known(values, axis=0),
    }
    frame = frame_topics(engine, columns, chosen)
    if topics is not None and "query" in topics:
        query = topics.drop_duplicates("qid").set_index("qid")["query"]
        frame.insert(1, "query", frame["qid"].map(query))
    return frame
