"""Qrels of one relevance level, and P-R curves for each level (SIGIR 2000)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pt_cumgain.engine.judging import read_lists
from pt_cumgain.inputs.columns import TO_IR_MEASURES
from pt_cumgain.inputs.frames import to_frame
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.inputs.reading import Qrels, read_qrels, read_run
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.measures import CG
from pt_cumgain.options import COUNT, Missing, checked
from pt_cumgain.papers._recall_bases import list_judged
from pt_cumgain.systems import Experiment, refuse_many_levels
from pt_cumgain.weighting import number

#: The standard points of recall.
RECALL = tuple(round(0.1 * i, 1) for i in range(11))


@checked
def qrels_at_level(qrels: Qrels, level: float) -> pd.DataFrame:
    """Return qrels in which only the documents of one level are relevant.

    Parameters
    ----------
    qrels
        ``qid, docno, label``, or as :func:`pt_cumgain.evaluate` takes them.
    level
        The relevance level.

    Returns
    -------
    pandas.DataFrame
        ``qid, docno, label``: the label is 1 for documents of the level, 0 for
        all others. Topics without a document of the level have no rows: their
        recall base is empty.

    Raises
    ------
    ValueError
        If no document has this level, or a column is missing.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> qrels_at_level(qrels, 3)
      qid docno  label
    0   1     a      1
    1   1     b      0
    """
    frame = to_frame(read_qrels(qrels), "label")
    at_level = frame["label"] == level
    if not at_level.any():
        raise _no_document(f"the relevance level {level}", frame["label"])
    kept = frame["qid"].isin(set(frame["qid"][at_level]))
    return frame.assign(label=at_level.astype(int))[kept].reset_index(drop=True)


def _no_document(of: str, levels: ArrayLike) -> ValueError:
    """Return the error that no document has such a level; it lists the levels of the qrels."""
    known = ", ".join(str(number(level)) for level in np.unique(levels).tolist())
    return ValueError(f"no document has {of}; the qrels have {known}")


@checked
def precision_by_level(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    *,
    levels: Iterable[float] | float | None = None,
    cutoffs: Iterable[int] | int = (),
    perquery: bool = False,
    missing: Missing = "zero",
    names: Sequence[str] | None = None,
    verbose: bool = False,
) -> pd.DataFrame:
    """Return AP and the P-R curve of each system at each relevance level.

    Parameters
    ----------
    systems, topics, qrels, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    levels
        The relevance levels; by default all positive ones.
    cutoffs
        Ranks at which to compute precision and recall as well.
    perquery
        Return the values by topic, to compare systems at each level.
    missing
        As for :func:`pt_cumgain.gain_curves`. With ``"skip"``, a system is
        evaluated at a level on those of its own topics that have a document
        of the level; its values are NaN if there are none.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``level``, ``topics`` (the number of topics with a document of
        the level; the means are over these), ``AP`` (ir-measures' AP:
        non-interpolated average precision), and the interpolated precision
        (ir-measures' IPrec) at recall 0.0, 0.1, ..., 1.0, in a column each:
        ``0.0``, ``0.1``, ...; with cutoffs, ``P@10``, ``R@10``, ... With
        ``perquery``, results by topic, which :func:`pt_cumgain.pairwise` and
        the other comparisons take: ``name``, ``qid``, ``level``, ``measure``
        (``"AP level 3"``, ``"IPrec level 3 @0.1"``, ``"P level 3 @10"``) and
        ``value``, for the topics with a document of the level.

    Raises
    ------
    ValueError, TypeError
        If no document has one of the levels, a cutoff is not a whole number of
        at least 1, or an input cannot be used: a score is NaN, a document
        appears twice or has two labels.

    Warns
    -----
    UserWarning
        If topics are missing from a run and count as 0, or none of its
        documents is judged.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import pydocs
    >>> from pt_cumgain.papers import precision_by_level
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = precision_by_level(pydocs.runs(), topics, qrels)
    >>> table.pivot(index="name", columns="level", values="AP").round(3)
    level           1      2      3
    name
    BM25        0.148  0.182  0.439
    DPH         0.141  0.192  0.403
    First word  0.086  0.127  0.313
    PL2         0.140  0.199  0.407
    QLD         0.138  0.185  0.433
    """
    experiment = Experiment("precision_by_level", systems, topics, qrels, names, "double", verbose)
    # the engine only checks the runs; ir-measures computes the values
    engine, runs = experiment.judge([CG], missing=missing, warn_for=[])
    if levels is None:
        refuse_many_levels(experiment.levels, "precision by level is")
        levels = experiment.levels[experiment.levels > 0].tolist()
        if not levels:
            raise _no_document("a positive relevance level", experiment.levels)
    judged_once = list_judged(engine.judgments)
    at_level = {}
    for level in as_list(levels):
        at_level[level] = qrels_at_level(judged_once, level).rename(columns=TO_IR_MEASURES)
    ranks = dict.fromkeys(COUNT.check("cutoffs", rank) for rank in as_list(cutoffs))
    measures = [ir_measures.AP, *(ir_measures.IPrec @ recall for recall in RECALL)]
    measures += [ir_measures.P @ rank for rank in ranks]
    measures += [ir_measures.R @ rank for rank in ranks]
    rows: list[tuple[object, ...]] = []
    for name, run in runs:
        lists = read_lists(run.lists or read_run({}))
        for level, judged in at_level.items():
            if missing == "skip":
                judged = judged[judged["query_id"].isin(lists)]
            results: Any = ir_measures.calc(measures, judged, lists)
            qids = judged["query_id"].unique()
            if perquery:
                values = {(measure, qid): value for qid, measure, value in results.per_query}
                rows += [
                    (name, qid, number(level), _label(measure, level), values[measure, qid])
                    for measure, qid in itertools.product(measures, qids)
                ]
            else:
                means = [results.aggregated[measure] for measure in measures]
                rows.append((name, number(level), len(qids), *means))
    if perquery:
        return pd.DataFrame(rows, columns=["name", "qid", "level", "measure", "value"])
    at_ranks = [str(measure) for measure in measures[1 + len(RECALL) :]]
    return pd.DataFrame(rows, columns=["name", "level", "topics", "AP", *RECALL, *at_ranks])


def _label(measure: ir_measures.Measure, level: float) -> str:
    """Return the name of a measure at a level, in the form of a grid's labels."""
    name, at, cutoff = str(measure).partition("@")
    return f"{name} level {number(level)}" + (f" @{cutoff}" if at else "")
