"""The vectors behind the measures, as tidy frames: what is gained rank by rank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain import trec
from pt_cumgain.core import norm_vect
from pt_cumgain.inputs import is_path, parsed, qrels_of, renamed
from pt_cumgain.judging import Judgments
from pt_cumgain.measures import SessionMeasure, natural_key
from pt_cumgain.session_engine import SessionEngine, SessionRun
from pt_cumgain.table import read_qrels, read_run


def _prepared(
    measures: Any, qrels: Any, run: Any, depth: int | None = None
) -> tuple[list[SessionMeasure], SessionEngine, SessionRun, list[str]]:
    """Prepare session measures, qrels and a run; refuse what has no vector."""
    given: list[SessionMeasure] = []
    for measure in parsed(measures):
        if not isinstance(measure, SessionMeasure):
            raise ValueError(f"{measure} is no session measure; these are sDCG and nsDCG")
        if measure["avg_pos"]:
            raise ValueError(f"{measure} is the mean of a vector, not a vector; drop avg_pos")
        given.append(measure if depth is None else measure(cutoff=depth))
    given = sorted(set(given), key=natural_key)
    judgments = Judgments.of(read_qrels(qrels_of(qrels)))
    table = read_run(trec.read_run(run) if is_path(run) else renamed(run))
    engine = SessionEngine([measure.spec for measure in given], judgments)
    return given, engine, SessionRun.of(table), list(judgments.topics)


def session_vectors(
    measures: Iterable[Measure | str] | Measure | str,
    qrels: Any,
    run: Any,
    *,
    at_least: int = 1,
    perquery: bool = False,
) -> pd.DataFrame:
    """Return the vectors of sessions, averaged: what a user has gained, position by position.

    A session's queries stand one after the other, each with as many positions as the measure's
    cutoff, and gains are summed progressively (ECIR 2008, section 3.3 and figures 2 to 4). After
    its last query a session's vector stays as it is, to the length of the longest session. The
    last value of a session is its sDCG or nsDCG.

    Parameters
    ----------
    measures
        sDCG and nsDCG, with any parameters but ``avg_pos``; also their text, or a single one.
    qrels
        Qrels by session, as :func:`pt_cumgain.evaluate` takes them.
    run
        A run over sessions, or the path of a file that :func:`write_session_run` wrote.
    at_least
        Only sessions with this many queries or more (figure 3). With the default 1 every session of
        the qrels counts, as in the measures: one that the run misses is 0 throughout.
    perquery
        Return the vectors of the sessions, with their ``qid``, instead of the mean (figure 4).

    Returns
    -------
    pandas.DataFrame
        ``qid`` (if asked for), ``measure``, ``query_position``, ``rank`` (from 1 to the end of the
        last query), ``value``, ``ideal``. The ideal of a normalised measure is 1, or 0 for a
        session without relevant documents.

    Raises
    ------
    ValueError, TypeError
        If a measure has no session vector, the run has no ``query_position``, or no session is
        long enough.

    Examples
    --------
    >>> from pt_cumgain import sDCG
    >>> columns = ["qid", "docno", "score", "query_position"]
    >>> run = pd.DataFrame([("s1", "b", 1.0, 1), ("s1", "a", 1.0, 2)], columns=columns)
    >>> qrels = pd.DataFrame({"qid": ["s1", "s1"], "docno": ["a", "b"], "label": [3, 1]})
    >>> session_vectors(sDCG @ 2, qrels, run).round(3)
      measure  query_position  rank  value  ideal
    0  sDCG@2               1     1    1.0  3.000
    1  sDCG@2               1     2    1.0  3.500
    2  sDCG@2               2     3    3.0  5.500
    3  sDCG@2               2     4    3.0  5.833
    """
    if at_least < 1:
        raise ValueError(f"at_least={at_least} must be 1 or more")
    given, engine, table, sessions = _prepared(measures, qrels, run)
    length = pd.Series(table.length, index=table.sessions).reindex(sessions, fill_value=0)
    kept = np.flatnonzero((length >= at_least) | (at_least == 1))
    if not len(kept):
        raise ValueError(f"no session of the qrels has {at_least} queries or more in the run")
    frames = []
    for measure, (value, ideal) in zip(given, engine.vectors(table)):
        value, ideal = value[kept], ideal[kept]
        if measure.NORMALISED:
            value = norm_vect(value, ideal)
            ideal = (ideal > 0).astype(np.float64)
        if not perquery:
            value, ideal = value.mean(axis=0, keepdims=True), ideal.mean(axis=0, keepdims=True)
        rank = np.tile(np.arange(1, value.shape[1] + 1), len(value))
        columns = {
            "qid": np.repeat(np.array(sessions, dtype=object)[kept], value.shape[1]),
            "measure": str(measure),
            "query_position": (rank - 1) // measure["cutoff"] + 1,
            "rank": rank,
            "value": value.ravel(),
            "ideal": ideal.ravel(),
        }
        if not perquery:
            del columns["qid"]
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def query_gains(
    measures: Iterable[Measure | str] | Measure | str,
    qrels: Any,
    run: Any,
    *,
    depth: int = 100,
    vectors: bool = False,
) -> pd.DataFrame:
    """Return what each query of each session is worth by itself.

    Of sDCG the value is the query's DCG, divided by the discount of its position (ECIR 2008,
    eq. 1); of nsDCG this as a share of its topic's ideal DCG, which is not so divided: the query's
    vector is "normalized like any ordinary DCG vector" (section 2.2). A query that returned nothing
    has 0.

    Parameters
    ----------
    measures
        sDCG and nsDCG, with any parameters but ``avg_pos``; also their text, or a single one.
    qrels, run
        As for :func:`session_vectors`. Sessions that the run misses have no rows.
    depth
        The cutoff at which each query is looked at, instead of the measures' own.
    vectors
        Return the value at every rank down to the cutoff (figure 1), in a column ``rank``.

    Returns
    -------
    pandas.DataFrame
        ``qid`` (the session), ``query_position``, ``last`` (whether it is the session's last
        query), ``measure``, ``rank`` (if asked for), ``value``.

    Raises
    ------
    ValueError, TypeError
        As for :func:`session_vectors`.

    Examples
    --------
    >>> from pt_cumgain import sDCG
    >>> columns = ["qid", "docno", "score", "query_position"]
    >>> run = pd.DataFrame([("s1", "b", 1.0, 1), ("s1", "a", 1.0, 2)], columns=columns)
    >>> qrels = pd.DataFrame({"qid": ["s1", "s1"], "docno": ["a", "b"], "label": [3, 1]})
    >>> gains = query_gains(sDCG, qrels, run)
    >>> gains
      qid  query_position   last   measure  value
    0  s1               1  False  sDCG@100    1.0
    1  s1               2   True  sDCG@100    2.0

    By position, the last query against the earlier ones (figure 1), the best of each session:

    >>> by_position = gains.groupby("query_position")["value"].mean()
    >>> last = gains.groupby("last")["value"].mean()
    >>> best = gains.groupby("qid")["value"].max()
    """
    given, engine, table, sessions = _prepared(measures, qrels, run, depth)
    session, position, values = engine.by_query(table)
    names = np.array(sessions, dtype=object)[session]
    last = np.append(session[1:] != session[:-1], True) if len(session) else np.zeros(0, dtype=bool)
    frames = []
    for measure, (value, ideal) in zip(given, values):
        if measure.NORMALISED:
            value = norm_vect(value, ideal)
        if not vectors:
            value = value[:, -1:]
        size = value.shape[1]
        seen = position <= (measure.params.get("queries") or position.max(initial=0))
        columns = {
            "qid": np.repeat(names[seen], size),
            "query_position": np.repeat(position[seen], size),
            "last": np.repeat(last[seen], size),
            "measure": str(measure),
            "rank": np.tile(np.arange(1, size + 1), int(seen.sum())),
            "value": value[seen].ravel(),
        }
        if not vectors:
            del columns["rank"]
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
