"""The value of each query of sessions, by itself and discounted (ECIR 2008, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import rank_within
from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import DEPTH, Scores, checked
from pt_cumgain.sessions._session_curves import judge_systems, read_session_measures
from pt_cumgain.systems import Experiment


@checked
def query_gains(
    systems: Systems,
    sessions: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    depth: int = DEPTH,
    *,
    names: Sequence[str] | None = None,
    vectors: bool = False,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return the value of each query of each session, by itself and discounted.

    The value of a query by itself is its DCG for sDCG and its nDCG for nsDCG:
    the query's vector is "normalized like any ordinary DCG vector" (ECIR 2008,
    section 2.2). It is not divided by the query discount, so that earlier and
    later queries can be compared. Discounted, the DCG is divided by the query
    discount (eq. 1) and, for nsDCG, by the sDCG of the ideal session: the sum
    over the session is its sDCG or nsDCG. A query that returned nothing has the
    value 0.

    Parameters
    ----------
    systems, sessions, qrels, measures, names, scores, verbose
        As for :func:`session_curves`. Sessions that are not in a run have no
        rows unless ``sessions`` has their queries, or the qrels are by turn.
    depth
        The cutoff for each query, instead of the measures' own.
    vectors
        Return the values at every rank down to the depth (figure 1), in a
        column ``rank``. The ideal session is that of the depth at every rank.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (the session), ``query_position``, ``last`` (whether
        it is the session's last query), ``best`` (whether its value at the
        depth is the session's largest; the first of several), ``measure``,
        ``rank`` (with ``vectors``), ``value``, ``discounted``: "the sDCG gain
        of the best or last query" (section 4).

    Raises
    ------
    ValueError, TypeError
        As for :func:`session_curves`.

    Examples
    --------
    >>> from pt_cumgain import sDCG
    >>> columns = ["qid", "docno", "score", "query_position"]
    >>> run = pd.DataFrame([("s1", "b", 1.0, 1), ("s1", "a", 1.0, 2)], columns=columns)
    >>> qrels = pd.DataFrame({"qid": ["s1", "s1"], "docno": ["a", "b"], "label": [3, 1]})
    >>> gains = query_gains({"X": run}, None, qrels, sDCG)
    >>> gains
      name qid  query_position   last   best   measure  value  discounted
    0    X  s1               1  False  False  sDCG@100    1.0         1.0
    1    X  s1               2   True   True  sDCG@100    3.0         2.0

    Means by position; the last query against the earlier ones (figure 1); the best of each session:

    >>> by_position = gains.groupby(["name", "query_position"])["value"].mean()
    >>> last = gains.groupby(["name", "last"])["discounted"].mean()
    >>> best = gains[gains["best"]].groupby("name")["discounted"].mean()
    """
    at_depth = list(dict.fromkeys(m(cutoff=depth) for m in read_session_measures(measures)))
    experiment = Experiment("sessions", systems, sessions, qrels, names, scores, verbose)
    frames = []
    for name, run in judge_systems(experiment, at_depth).items():
        queries_of = run.sessions.queries
        session = np.repeat(np.arange(len(queries_of)), queries_of)
        position = rank_within(session)
        qids = np.array(experiment.judgments.topics, dtype=object)[session]
        queries = pd.DataFrame({"name": name, "qid": qids, "query_position": position})
        queries["last"] = np.diff(session, append=-1) != 0
        for measure in at_depth:
            value, discounted = run.query_curves(measure)
            kept = position <= (measure.params.get("queries") or np.inf)
            best = pd.Series(value[:, -1])[kept].groupby(session[kept]).idxmax()
            frame = queries.assign(best=queries.index.isin(best), measure=str(measure))[kept]
            if vectors:
                frame = frame.loc[frame.index.repeat(depth)]
                frame["rank"] = np.tile(np.arange(1, depth + 1), int(kept.sum()))
            ranks = slice(0 if vectors else -1, None)
            frame["value"] = value[kept, ranks].ravel()
            frames.append(frame.assign(discounted=discounted[kept, ranks].ravel()))
    return pd.concat(frames, ignore_index=True)
