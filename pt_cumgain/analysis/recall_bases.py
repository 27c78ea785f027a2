"""Separate recall bases: precision and recall at each relevance level (SIGIR 2000, section 2.1).

The documents of exactly one relevance level count as relevant, all others do not; the measures are
ir-measures' own AP and IPrec.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.util import RunConverter

from pt_cumgain.engine.rows import group_run
from pt_cumgain.inputs.arguments import named_systems, qrels_of, runs_of
from pt_cumgain.inputs.frames import as_frame, require_columns
from pt_cumgain.weighting import number

#: The standard points of recall.
RECALL = tuple(round(0.1 * i, 1) for i in range(11))


def qrels_at_level(qrels: Any, level: float) -> pd.DataFrame:
    """Return qrels in which the documents of exactly one level are relevant.

    Parameters
    ----------
    qrels
        ``qid, docno, label``, or as :func:`pt_cumgain.evaluate` takes them.
    level
        The relevance level.

    Returns
    -------
    pandas.DataFrame
        ``query_id, doc_id, relevance``: 1 for documents of the level, 0 for all
        others. Topics without a document of the level have no rows: their
        recall base is empty.

    Raises
    ------
    ValueError
        If no document has this level, or a column is missing.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> qrels_at_level(qrels, 3)
      query_id doc_id  relevance
    0        1      a          1
    1        1      b          0
    """
    frame = _judgments(qrels)
    at_level = frame["relevance"] == level
    if not at_level.any():
        raise ValueError(f"no document has the relevance level {level}; {_levels_text(frame)}")
    kept = frame["query_id"].isin(set(frame["query_id"][at_level]))
    rows: pd.DataFrame = frame.loc[kept, ["query_id", "doc_id"]]
    return rows.assign(relevance=at_level[kept].astype(int)).reset_index(drop=True)


def _judgments(qrels: Any, topics: pd.DataFrame | None = None) -> pd.DataFrame:
    frame = as_frame(qrels_of(qrels, topics))
    require_columns(frame, ["query_id", "doc_id", "relevance"], "qrels")
    return frame


def _levels_text(frame: pd.DataFrame) -> str:
    levels = sorted(frame["relevance"].unique().tolist())
    return f"the qrels have {', '.join(str(number(level)) for level in levels)}"


def precision_by_level(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    levels: Iterable[float] | float | None = None,
    *,
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

    Returns
    -------
    pandas.DataFrame
        ``name``, ``level``, ``topics`` (the number of topics with a document of
        the level; the means are over these), ``AP`` (ir-measures' AP:
        non-interpolated average precision), and the interpolated precision
        (ir-measures' IPrec) at recall 0.0, 0.1, ..., 1.0, in a column each:
        ``0.0``, ``0.1``, ...

    Raises
    ------
    ValueError, TypeError
        If no document has one of the levels, or an input cannot be used.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> precision_by_level({"X": run}, None, qrels)[["name", "level", "topics", "AP", 0.5]]
      name  level  topics   AP  0.5
    0    X      1       1  1.0  1.0
    1    X      3       1  0.5  0.5
    """
    by_system = named_systems(systems, names)
    frame = _judgments(qrels, topics)
    frame = frame.astype({"query_id": str, "doc_id": str})  # like the run's
    if levels is None:
        labels = np.unique(frame["relevance"].to_numpy())
        levels = labels[labels > 0].tolist()
        if not levels:
            raise ValueError(f"no document has a positive relevance level; {_levels_text(frame)}")
    wanted = list(levels) if isinstance(levels, Iterable) else [levels]
    at_level = {level: qrels_at_level(frame, level) for level in wanted}
    measures = [ir_measures.AP, *(ir_measures.IPrec @ recall for recall in RECALL)]
    rows = []
    for name, run in runs_of(by_system, topics, verbose, "pt_cumgain.precision_by_level"):
        run = RunConverter(run).as_pd_dataframe()
        group_run(run)  # refuses ids that are missing, or neither strings nor integers
        run = run.astype({"query_id": str, "doc_id": str})
        for level, judged in at_level.items():
            values = ir_measures.calc_aggregate(measures, judged, run)
            of_level = [values[measure] for measure in measures]
            rows.append((name, number(level), judged["query_id"].nunique(), *of_level))
    return pd.DataFrame(rows, columns=["name", "level", "topics", "AP", *RECALL])
