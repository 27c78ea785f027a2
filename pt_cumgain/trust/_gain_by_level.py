"""What each relevance level contributes to the means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import Scores, checked
from pt_cumgain.systems import Experiment, frame_values, refuse_many_levels, topic_measures
from pt_cumgain.weighting import number


@checked
def gain_by_level(
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
    """Return how much each relevance level contributes to each value.

    The contributions add up to the value. For nCG and nDCG, all of them are
    divided by the same ideal.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters but ``unjudged``, as objects
        or text, one or several.
    perquery
        Return every topic's parts, with its ``qid``, instead of the means.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, ``level``,
        ``value``; the levels are those of the qrels that have a gain other than
        0 in some measure, ascending.

    Raises
    ------
    ValueError, TypeError
        If a measure has no such parts, or an input cannot be used.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.trust import gain_by_level
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> parts = gain_by_level(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> parts.pivot(index="name", columns="level", values="value").round(3)
    level           1      2      3
    name
    BM25        0.070  0.145  0.388
    DPH         0.066  0.150  0.360
    First word  0.046  0.099  0.296
    PL2         0.063  0.150  0.362
    QLD         0.065  0.148  0.377
    """
    chosen = topic_measures(measures, "parts by level")
    inputs = systems, topics, qrels, names, scores, verbose
    engine, runs = Experiment("gain_by_level", *inputs).judge(chosen)
    levels = engine.judgments.levels
    refuse_many_levels(levels, "parts by level are")
    gains = np.array([measure.spec.gains.gain(levels) for measure in chosen])
    frames = []
    for name, run in runs:
        parts = run.by_level()
        error = np.abs(parts.sum(axis=0) - run.values())
        rounding = 1e-9 * np.abs(parts).sum(axis=0) + 1e-300  # the least floats have few digits
        wrong = (error > rounding).any(axis=1)
        if wrong.any():
            reason = "its vector is not a sum of weighted gains"
            raise ValueError(f"{chosen[wrong.argmax()]} has no parts by level: {reason}")
        for i in np.flatnonzero((gains != 0).any(axis=0)):
            frame = frame_values(name, engine, {"value": parts[i]}, perquery, chosen)
            frame.insert(len(frame.columns) - 1, "level", number(levels[i]))
            frames.append(frame)
    if not frames:
        raise ValueError("no level of the qrels has a gain under these measures")
    return pd.concat(frames, ignore_index=True)
