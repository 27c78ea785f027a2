"""The gains collected up to each position of sessions (ECIR 2008, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.curves import Interval, join_curves, read_interval, summarise
from pt_cumgain.engine import JudgedRun
from pt_cumgain.engine.layout import Layout
from pt_cumgain.engine.rows import Ints
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.measures import CumulatedGain, SessionMeasure, natural_key
from pt_cumgain.options import INTERVAL, Average, Missing, Scores, checked
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
    chosen = read_session_measures(measures)
    confidence = read_interval(interval, average, perquery, chosen)
    experiment = Experiment("sessions", systems, sessions, qrels, names, scores, verbose)
    runs, kept = {}, {}
    for name, run in judge_systems(experiment, chosen, missing).items():
        kept[name] = _keep_sessions(name, run, min_queries, missing)
        queries = np.where(kept[name], np.maximum(run.sessions.queries, 1), 0)
        runs[name] = _replace_queries(run, queries)
    layouts = {
        (name, measure): Layout.read(measure.spec, runs[name].sessions)
        for name, measure in product(runs, chosen)
    }
    frames = []
    for (name, measure), layout in layouts.items():
        together = [name] if missing == "skip" else runs
        size = max(int(layouts[other, measure].size.max()) for other in together)
        if not size:
            raise ValueError(f"{measure}: the sessions have no position; every list is empty")
        batches = runs[name].curves(measure, size, vectors=average == "vectors")
        ids = experiment.judgments.topics
        frame = summarise(measure, batches, kept[name], ids, average, perquery, confidence)
        frame["name"], frame["measure"] = name, str(measure)
        _add_positions(frame, measure, layout, kept[name])
        frames.append(frame)
    return join_curves(frames)


def _add_positions(
    frame: pd.DataFrame, measure: CumulatedGain, layout: Layout, kept: NDArray[np.bool_]
) -> None:
    """Add which query stands at each position of a curve, and how many sessions have one there."""
    if measure["padding"] == "fixed":
        frame["query_position"] = (frame["rank"] - 1) // measure["cutoff"] + 1
    elif "qid" in frame:
        _, query = layout.positions(slice(0, len(kept)), int(frame["rank"].max()))
        frame["query_position"] = query[kept].ravel()
    else:
        frame["query_position"] = np.nan
    if "qid" not in frame:
        sizes = np.sort(layout.size[kept])
        frame["sessions"] = len(sizes) - np.searchsorted(sizes, frame["rank"])


def read_session_measures(measures: Measures) -> list[CumulatedGain]:
    """Return session measures, sorted; refuse those that have no vector of a session."""

    def refuse(measure: CumulatedGain | None) -> str:
        if not isinstance(measure, SessionMeasure):
            return "is not a session measure; sDCG and nsDCG are"
        return "is the mean of a vector, not a vector; drop avg_pos" if measure.spec.avg_pos else ""

    return sorted(read_measures(measures, refuse), key=natural_key)


def judge_systems(
    experiment: Experiment, measures: Sequence[CumulatedGain], missing: Missing = "zero"
) -> dict[str, JudgedRun]:
    """Return each system's judged run, by its name.

    A session that is not in a run has the length that the frame of sessions says, or else 0.
    """
    engine, runs = experiment.judge(measures, missing=missing)
    sessions, counts = experiment.topics, pd.Series(dtype=np.int64)
    if sessions is not None and "queries" in sessions:
        counts = to_queries(sessions)["session"].value_counts()
    elsewhere = counts.reindex(engine.topics, fill_value=0).to_numpy()
    judged = {}
    for name, run in runs:
        queries = run.sessions.queries
        longer = np.where(run.present, queries, np.maximum(queries, elsewhere))
        judged[name] = _replace_queries(run, longer)
    return judged


def _replace_queries(run: JudgedRun, queries: Ints) -> JudgedRun:
    """Return a run with another number of queries for each session."""
    return replace(run, sessions=replace(run.sessions, queries=queries))


def _keep_sessions(
    name: str, run: JudgedRun, min_queries: int, missing: Missing
) -> NDArray[np.bool_]:
    """Return which sessions are long enough, and count for a run."""
    kept = keep_topics(name, run.present, missing)
    if min_queries > 1:
        kept = kept & (run.sessions.queries >= min_queries)
    if not kept.any():
        raise ValueError(f"no session of the run {name!r} has {min_queries} queries or more")
    return kept
