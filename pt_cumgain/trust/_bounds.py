"""The range of values left open by missing judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import Scores, checked, choice
from pt_cumgain.systems import Experiment, frame_values
from pt_cumgain.trust._ranges import MISSING, MissingJudgments, check_ranges


@checked(over=choice(*MISSING))
def bounds(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    over: Literal["judgments", "pool"] = "judgments",
    names: Sequence[str] | None = None,
    perquery: bool = False,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return the range of values that missing judgments leave open.

    Unjudged documents have no gain. But any of them, whether or not a system
    returned it, could have been judged 0 or any level in the qrels; ``least``
    and ``most`` are the smallest and the largest value that could result. If
    the weighting gives a gain to level 0, a document may also stay unjudged. A
    document found to be relevant joins the recall base, so nDCG may fall as
    well as rise, even if all documents that the run returned are judged.
    Rankings and existing judgments do not change.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, as objects or text, one or several. Not with
        ``at_r``, ``judged_only``, ``ties`` or, for normalised measures,
        ``avg_pos``. Over judgments nCG and nDCG need a cutoff: without one,
        their ideal could grow without limit.
    over
        What varies: ``"judgments"`` or ``"pool"``; see
        :func:`pt_cumgain.dominance`.
    perquery
        Return every topic's range, with its ``qid``, instead of the means.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, ``value``,
        ``least``, ``most`` and ``judged``, the share of the first k documents
        that is judged; NaN, and omitted from the mean, for topics for which
        nothing was returned. (ir-measures' ``Judged@k`` orders tied documents
        by ascending id, this package by descending id.) The range of a mean is
        the mean of the topics' ranges.

        :func:`pt_cumgain.dominance` returns the ranges of differences.

    Raises
    ------
    ValueError, TypeError
        If a measure has no such range, or an input cannot be used.

    Notes
    -----
    nDCG is smallest if none of the run's unjudged documents is relevant and k
    others have the highest gain. It is largest at the largest ratio of the
    run's own part plus Σ_l (w_l - w_{l-1}) P(C_l) and Σ_l (w_l - w_{l-1})
    S(n_l + C_l), over all C_1 ≥ C_2 ≥ ...: the numbers of unjudged documents
    that gain w_l or more, beside n_l judged ones; P and S sum 1/d(i) over the
    topmost unjudged ranks and over the first ranks. Dinkelbach's method finds
    it.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import bounds, nDCG, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> bounds(pydocs.runs(), topics, qrels, nDCG @ 50).round(3)
             name  measure  value  least   most  judged
    0        BM25  nDCG@50  0.585  0.261  0.687   0.708
    1         QLD  nDCG@50  0.583  0.261  0.675   0.738
    2         PL2  nDCG@50  0.581  0.260  0.682   0.713
    3         DPH  nDCG@50  0.578  0.259  0.681   0.712
    4  First word  nDCG@50  0.430  0.191  0.561   0.728
    """
    chosen = check_ranges(measures, over)
    experiment = Experiment("bounds", systems, topics, qrels, names, scores, verbose)
    engine, runs = experiment.judge(chosen)
    frames = []
    # over judgments, nothing of another run is needed
    for group in ([one] for one in runs) if over == "judgments" else [runs]:
        missing = MissingJudgments(engine, group, over)
        for (name, run), ends in zip(missing.runs.items(), missing.values()):
            columns = dict(zip(("value", "least", "most"), ends)) | {"judged": run.judged_share()}
            frames.append(frame_values(name, engine, columns, perquery, chosen))
    return pd.concat(frames, ignore_index=True)
