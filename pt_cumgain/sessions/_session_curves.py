"""Gains along sessions: by position, by query, and how long sessions are (ECIR 2008)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.curves import Interval, join_curves, read_interval, summarise
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.layout import Layout
from pt_cumgain.engine.rows import Ints, rank_within
from pt_cumgain.engine.units import SessionRun
from pt_cumgain.environment.warning import name_run
from pt_cumgain.inputs.columns import TO_PYTERRIER
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.inputs.systems import Systems, name_systems, read_systems
from pt_cumgain.measures import CumulatedGain, SessionMeasure, natural_key
from pt_cumgain.options import DEPTH, INTERVAL, Average, Missing, Scores, checked
from pt_cumgain.systems import Experiment, keep_topics


@checked(interval=INTERVAL)
def session_curves(
    systems: Systems,
    sessions: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    min_queries: int = 1,
    average: Average = "topics",
    perquery: bool = False,
    interval: Interval | None = None,
    missing: Missing = "zero",
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return the gains collected up to each position of sessions.

    A session's queries follow one another, each with as many positions as the
    measure's cutoff (or as its ``padding`` says), and gains are summed
    progressively (ECIR 2008, section 3.3 and figures 2 to 4). After its last
    query a session's vector stays level, up to the length of the longest
    session that counts (with ``missing="skip"``, of the system's own). The last
    value of a session is its sDCG or nsDCG. Time grows with the number of
    sessions times the length of the longest one, and with ``perquery`` so does
    memory.

    Parameters
    ----------
    systems, names, scores, verbose
        As for :func:`gain_curves`: pipelines over sessions, runs over sessions,
        or the paths of files that :func:`pt_cumgain.sessions.write_session_run` wrote.
    sessions
        ``qid``, ``queries``; only their judgments count. None: all sessions of
        the qrels, if no system is a transformer.
    qrels
        Qrels by session, or by turn with ``query_position``.
    measures
        sDCG and nsDCG, with any parameters but ``avg_pos``, as objects or text,
        one or several.
    min_queries
        Only sessions with this many queries or more (figure 3). By default,
        every session of the qrels counts, as in the measures. A session that is
        not in the run is 0 throughout; its ideal has as many queries as
        ``sessions`` or judgments by turn say, otherwise one, each with all
        positions of the cutoff, whatever the ``padding``.
    average
        How nsDCG is averaged; see :func:`gain_curves`.
    perquery
        Return the vectors of the sessions, with their ``qid``, instead of the
        means (figure 4).
    interval
        Add the confidence interval of each mean over sessions; see
        :func:`gain_curves`.
    missing
        As for :func:`gain_curves`: ``"skip"`` if each session was conducted
        with one of the systems, as in ECIR 2008, section 3.1.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, ``query_position``,
        ``rank`` (from 1 to the end of the last query), ``value``, ``ideal``: as
        :func:`gain_curves` returns them. Under a ``padding`` other than
        ``"fixed"`` a position may belong to different queries of different
        sessions, and means have NaN as ``query_position``. Means have
        ``sessions``, how many sessions have a query at this position (all count
        in the mean, but only these can gain more), and with ``interval`` also
        ``low``, ``high`` and ``band``.

    Raises
    ------
    ValueError, TypeError
        If a measure has no session vector, a run has no ``query_position``, no
        session is long enough, or an interval is requested for a single session
        or for something other than a mean over sessions.

    Examples
    --------
    >>> from pt_cumgain import sDCG
    >>> columns = ["qid", "docno", "score", "query_position"]
    >>> run = pd.DataFrame([("s1", "b", 1.0, 1), ("s1", "a", 1.0, 2)], columns=columns)
    >>> qrels = pd.DataFrame({"qid": ["s1", "s1"], "docno": ["a", "b"], "label": [3, 1]})
    >>> session_curves({"X": run}, None, qrels, sDCG @ 2).round(3)
      name measure  query_position  rank  value  ideal  sessions
    0    X  sDCG@2               1     1    1.0  3.000         1
    1    X  sDCG@2               1     2    1.0  3.500         1
    2    X  sDCG@2               2     3    3.0  5.500         1
    3    X  sDCG@2               2     4    3.0  5.833         1
    """
    chosen = sorted(read_measures(measures, _refuse_vector), key=natural_key)
    confidence = read_interval(interval, average, perquery, chosen)
    experiment = Experiment("sessions", systems, sessions, qrels, names, scores, verbose)
    runs = experiment.judge(chosen, missing=missing)
    engine, judged = _find_lengths(*runs, sessions)
    shown: dict[str, JudgedRun] = {}
    layouts: dict[tuple[str, CumulatedGain], tuple[Layout, Any]] = {}
    for name, run in judged.items():
        queries = run.sessions.queries
        kept = keep_topics(name, run.present, missing)
        kept &= (queries >= min_queries) | (min_queries == 1)
        if not kept.any():
            raise ValueError(
                f"no session of the qrels has {min_queries} queries or more in the run {name!r}"
            )
        shown[name] = _replace_queries(run, np.where(kept, np.maximum(queries, 1), 0))
        for measure in chosen:
            layouts[name, measure] = Layout.read(measure.spec, shown[name].sessions), kept
    frames = []
    for (name, measure), (layout, kept) in layouts.items():
        together = [name] if missing == "skip" else judged
        size = max(int(layouts[other, measure][0].size.max()) for other in together)
        if not size:
            raise ValueError(f"{measure}: the sessions have no position; every list is empty")
        batches = shown[name].curves(measure, size, vectors=average == "vectors")
        qids = np.array(engine.topics, dtype=object)[kept]
        frame = summarise(measure, batches, kept, qids, average, perquery, confidence)
        frame["name"], frame["measure"] = name, str(measure)
        if measure["padding"] == "fixed":
            frame["query_position"] = (frame["rank"] - 1) // measure["cutoff"] + 1
        else:
            _, query = layout.positions(slice(0, len(kept)), size)
            frame["query_position"] = query[kept].ravel() if perquery else np.nan
        if not perquery:
            sizes = np.sort(layout.size[kept])
            frame["sessions"] = len(sizes) - np.searchsorted(sizes, frame["rank"])
        frames.append(frame)
    return join_curves(frames)


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
    chosen = sorted(read_measures(measures, _refuse_vector), key=natural_key)
    at_depth = [measure(cutoff=depth) for measure in chosen]
    experiment = Experiment("sessions", systems, sessions, qrels, names, scores, verbose)
    runs = experiment.judge(at_depth)
    engine, judged = _find_lengths(*runs, sessions)
    frames = []
    for name, run in judged.items():
        queries_of = run.sessions.queries
        session = np.repeat(np.arange(len(queries_of)), queries_of)
        position = rank_within(session)
        qids = np.array(engine.topics, dtype=object)[session]
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


def _refuse_vector(measure: CumulatedGain | None) -> str:
    """Return why a measure has no vector of a session."""
    if not isinstance(measure, SessionMeasure):
        return "is not a session measure; sDCG and nsDCG are"
    return "is the mean of a vector, not a vector; drop avg_pos" if measure.spec.avg_pos else ""


def _find_lengths(
    engine: Engine, runs: Iterable[tuple[str, JudgedRun]], sessions: pd.DataFrame | None
) -> tuple[Engine, dict[str, JudgedRun]]:
    """Return the engine, and each system's judged run, by its name.

    A session that is not in a run has the length that ``sessions`` says, or else 0.
    """
    elsewhere: Ints = np.zeros(len(engine.topics), dtype=np.int64)
    if sessions is not None and "queries" in sessions:
        counts = to_queries(sessions)["session"].value_counts()
        elsewhere = np.asarray(counts.reindex(engine.topics, fill_value=0), dtype=np.int64)
    judged = {}
    for name, run in runs:
        queries = run.sessions.queries
        longer = np.where(run.present, queries, np.maximum(queries, elsewhere))
        judged[name] = _replace_queries(run, longer)
    return engine, judged


def _replace_queries(run: JudgedRun, queries: Ints) -> JudgedRun:
    """Return a run with another number of queries for each session."""
    return replace(run, sessions=replace(run.sessions, queries=queries))


@checked
def session_lengths(
    systems: Systems,
    sessions: pd.DataFrame | None = None,
    *,
    names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Count the sessions of each system by their number of queries.

    Parameters
    ----------
    systems
        The systems over sessions, as for :func:`session_curves`; or frames of
        their sessions, ``qid`` and ``queries``. A run has only sessions that
        returned something, and needs ``session_length`` where the last queries
        returned nothing.
    sessions
        The sessions for pipelines, as for :func:`session_curves`.
    names
        As for :func:`pt_cumgain.gain_curves`.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``sessions`` (their number), ``average`` (of queries in a
        session), and the number of sessions with 1, 2, ... queries, in a column
        each: ``1``, ``2``, ...

    Raises
    ------
    ValueError, TypeError
        If there are no sessions, or a run is not one over sessions.

    Examples
    --------
    >>> one = pd.DataFrame({"qid": ["s1", "s2"], "queries": [["jaguar", "jaguar car"], ["tiger"]]})
    >>> other = pd.DataFrame({"qid": ["s3"], "queries": [["jaguar", "big cat", "jaguar cat"]]})
    >>> session_lengths({"System 1": one, "System 2": other})
           name  sessions  average  1  2  3
    0  System 1         2      1.5  1  1  0
    1  System 2         1      3.0  0  0  1
    """
    by_system = name_systems(systems, names)
    if sessions is not None:
        require_columns(sessions, ["qid"], "sessions")
    lengths = {}
    for name, system in by_system.items():
        if isinstance(system, pd.DataFrame) and "queries" in system:
            queries = to_queries(system.rename(columns=TO_PYTERRIER))
            lengths[name] = queries.drop_duplicates("session")["session_length"].to_numpy()
        else:
            ((_, run),) = read_systems({name: system}, sessions, False, "session_lengths")
            with name_run(name):
                lengths[name] = SessionRun.group(run).length
        if not len(lengths[name]):
            raise ValueError(f"the system {name!r} has no session")
    longest = max(length.max() for length in lengths.values())
    rows = [
        (name, len(length), length.mean(), *np.bincount(length, minlength=longest + 1)[1:])
        for name, length in lengths.items()
    ]
    return pd.DataFrame(rows, columns=["name", "sessions", "average", *range(1, longest + 1)])
