"""Gain by rank: the vectors behind the measures, as tidy frames (TOIS 2002, section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain import core
from pt_cumgain.analysis.dominance import check_ranges
from pt_cumgain.analysis.evaluation import judge_systems, keep_topics
from pt_cumgain.analysis.intervals import topic_mean_intervals
from pt_cumgain.analysis.results import check_system
from pt_cumgain.analysis.trust import TOO_LARGE
from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.bounds import Range
from pt_cumgain.engine.rows import Ints
from pt_cumgain.engine.sessions import JudgedSessions, Shape
from pt_cumgain.engine.vectors import Vectors
from pt_cumgain.hosts.ir_measures import as_cumulated_gain
from pt_cumgain.inputs.arguments import named_systems, parsed
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.measures import MEASURES, CumulatedGain, SessionMeasure, natural_key, split_cutoff
from pt_cumgain.options import Average, Missed, check, checked
from pt_cumgain.warning import warn

Measures = Iterable[Measure | str] | Measure | str
Interval = bool | float | Mapping[str, Any]

#: The options of :func:`pt_cumgain.intervals` that the curves' intervals accept.
OPTIONS = ("confidence", "method", "resamples", "seed")


@checked
def gain_curves(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    depth: int = 100,
    *,
    names: Sequence[str] | None = None,
    average: Average = "topics",
    perquery: bool = False,
    interval: Interval | None = None,
    bounds: bool = False,
    baseline: str | int | None = None,
    missed: Missed = "zero",
    verbose: bool = False,
) -> pd.DataFrame:
    r"""Return the measures' values at every rank, and the ideal ranking's.

    At rank k the value is that of the measure with cutoff k; the measure's own
    cutoff is ignored. Each system runs once, and its run is ranked and judged
    once for all measures.

    Parameters
    ----------
    systems
        As for ``pt.Experiment``: transformers or result frames, in a list or a
        dict by name; also paths of TREC runs.
    topics
        ``qid``, ``query``; only their judgments count. None: all topics of the
        qrels, if no system is a transformer.
    qrels
        ``qid, docno, label``, or as :func:`pt_cumgain.evaluate` takes them.
    measures
        CG, DCG, nCG, nDCG, gP, gR with any parameters but ``at_r``, as objects
        or text, one or several. With ``avg_pos`` the curve shows the mean over
        ranks 1 to k.
    depth
        The last rank.
    names
        Names for a list of systems; by default the text of transformers, the
        names of files without their suffixes, and ``run 1``, ``run 2``, ... for
        others.
    average
        How a normalised measure is averaged. ``"topics"``: the mean of the
        topics' normalised vectors, which agrees with the mean of the measure
        itself. ``"vectors"``: the average vector divided by the average ideal
        vector, as in the figures of TOIS 2002 (section 3.3; eq. 3 and 5), so
        that topics with more to gain have more weight.
    perquery
        Return every topic's vector, with its ``qid``, instead of the means.
    interval
        Add the confidence interval of each mean, as
        :func:`pt_cumgain.intervals` computes it for the measure at this cutoff:
        True, the confidence, such as 0.95 (the default), or a dict of options
        of that function (``confidence``, ``method``, ``resamples``, ``seed``).
        Needs the extra ``stats``.
    bounds
        Add the range under missing judgments, as :func:`pt_cumgain.bounds`
        computes it for the measure at this cutoff.
    baseline
        Return the differences to this system, its name or its place from 0:
        where, by rank, does a system gain over it? There are no rows of the
        baseline itself, and the ideal is NaN; ``interval`` is that of the mean
        difference over the topics.
    missed
        How a topic of the qrels counts that a run misses: ``"zero"``, with the
        value 0, as everywhere in ir-measures, or ``"skip"``, not at all: the
        means are over the topics that the system has (and the baseline, if
        there is one), as for systems with topics of their own.
    verbose
        Show progress over systems.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure`` (its text without
        cutoff), ``rank`` (1 to depth), ``value``, ``ideal``: the ideal vector's
        value; for a normalised measure 1, or 0 for a topic without relevant
        documents. Means have ``topics``, the number of topics; with
        ``interval`` or ``bounds`` also ``low``, ``high`` and ``band``, which
        names the range between them: ``"95% interval"`` or ``"bounds"``. Where
        descending gains are not the best possible, under ``sigir2000`` with a
        base above 2, ``ideal`` is their curve all the same, as in SIGIR 2000
        (section 3.4), and a column ``ideal_is`` says so: ``"descending
        gains"``, for other measures ``"ideal"``.

    Raises
    ------
    ValueError, TypeError
        If depth is below 1, a measure has no curve (or no bounds, if they are
        requested), the names do not match the systems, the baseline is not one
        of them, an interval is requested for a single topic or for something
        other than a mean over topics, or an input cannot be used.

    Warns
    -----
    UserWarning
        If a run misses topics that count as 0, or an ideal is not the best
        possible curve.

    Examples
    --------
    >>> from pt_cumgain import CG, nCG
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> gain_curves({"X": run}, None, qrels, [CG, nCG], depth=2)
      name measure  rank     value  ideal  topics
    0    X      CG     1  1.000000    3.0       1
    1    X      CG     2  4.000000    4.0       1
    2    X     nCG     1  0.333333    1.0       1
    3    X     nCG     2  1.000000    1.0       1
    """
    with_curves = _with_curves(measures, depth)
    _check_average(average, perquery, with_curves)
    options = _options(interval, average, perquery)
    for name, wrong in (("bounds", bounds), ("average='vectors'", average == "vectors")):
        if baseline is not None and wrong:
            raise ValueError(f"differences to a baseline are of topics' values; omit {name}")
    base = ""
    if baseline is not None:  # before the systems run
        base = check_system(baseline, list(named_systems(systems, names)), in_order=True)
    if bounds:
        if options is not None:
            raise ValueError("low and high come from interval or from bounds; omit one of them")
        if average == "vectors":
            raise ValueError("bounds are for means over topics; omit average='vectors'")
        check_ranges(with_curves, "pool")  # the ranks of a curve are cutoffs
    engine, runs = judge_systems(
        systems, topics, qrels, with_curves, "gain_curves", names, verbose, missed=missed
    )
    other, kept_by_other = None, True
    if baseline is not None:
        by_name = dict(runs)
        other, runs = by_name.pop(base), iter(by_name.items())
        kept_by_other = keep_topics(base, other.present, missed)
    not_ideal = [m for m in with_curves if not core.has_ideal(m.spec.discount, m.spec.base)]
    if not_ideal and baseline is None:
        warn(
            f"{_label(not_ideal[0])}: 'ideal' is the curve of the descending gains, as in SIGIR "
            "2000, section 3.4; other orders can gain more under this discount and base"
        )
    frames = []
    for name, run in runs:
        kept = keep_topics(name, run.present, missed) & kept_by_other
        if not kept.any():
            raise ValueError(
                f"the runs {name!r} and {base!r} have no topic of the qrels in common, so there is "
                "no difference"
            )
        qids = np.array(engine.topics, dtype=object)[kept]
        for measure in with_curves:
            curves = _read_curves(run, measure, depth, average, bounds)
            if other is not None:
                of_other = _read_curves(other, measure, depth, average, bounds)
                curves = _subtract(curves, of_other)
            value, ideal, band = _summarise(measure, curves, kept, qids, average, perquery, options)
            columns: dict[str, Any] = {"name": name}
            if perquery:
                columns["qid"] = np.repeat(qids, depth)
            rank = np.tile(np.arange(1, depth + 1), len(value))
            columns |= {"measure": _label(measure), "rank": rank}
            columns |= {"value": value.ravel(), "ideal": ideal.ravel()}
            if not perquery:
                columns["topics"] = len(qids)
            if other is not None:
                columns["baseline"] = base
            elif not_ideal:
                columns["ideal_is"] = DESCENDING if measure in not_ideal else "ideal"
            frames.append(pd.DataFrame(columns | band))
    if not frames:
        raise ValueError(f"there is no system to compare with the baseline {base!r}")
    return pd.concat(frames, ignore_index=True)


#: What the ideal curve is where descending gains are not the best possible.
DESCENDING = "descending gains"
#: Curves of some topics and those of the ideal ranking, perhaps the ends of a range around them.
Batch = tuple[slice, list[Floats]]


def _read_curves(
    run: JudgedRun, measure: CumulatedGain, depth: int, average: Average, bounds: bool
) -> Iterator[Batch]:
    """Yield a run's curves and the ideal ones; with the ranges under missing judgments."""
    whole: Any = None
    if bounds:
        ranges = [ends for _, ends in run.bounds(measure, np.arange(1, depth + 1))]
        whole = Range(*map(np.concatenate, zip(*ranges)))
    for topics, vectors in run.curves(measure, depth):
        curves = _read(measure, vectors, average)
        if whole is not None:
            low, high, _ = Range(*(column[topics] for column in whole)).around(curves[0])
            curves += [low, high]
        yield topics, curves


def _subtract(curves: Iterator[Batch], others: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the differences of two runs' curves, which have no ideal."""
    for (topics, (value, _)), (_, (other, _)) in zip(curves, others):
        yield topics, [value - other, np.full_like(value, np.nan)]


def _summarise(
    measure: CumulatedGain,
    batches: Iterator[Batch],
    kept: Any,
    topics: Any,
    average: Average,
    perquery: bool,
    options: dict[str, Any] | None,
) -> tuple[Floats, Floats, dict[str, Any]]:
    """Return a curve and the ideal one, by topic or as means, and the columns of its band.

    Only what is requested is held for all topics at once.
    """
    curves: Iterable[list[Floats]] = (
        [column[kept[some]] for column in columns] for some, columns in batches
    )
    if average == "vectors":
        value, ideal = _mean(curves)
        value, ideal = _read(measure, Vectors.expand(value, ideal))
        return value, ideal, {}
    if options is not None:
        curves = list(curves)
    value, ideal, *ends = (
        [np.concatenate(parts) for parts in zip(*curves)] if perquery else _mean(curves)
    )
    if options is not None:
        return value, ideal, _interval(np.concatenate([c[0] for c in curves]), topics, options)
    if ends:
        low, high = np.minimum(ends[0], value).ravel(), np.maximum(ends[1], value).ravel()
        return value, ideal, {"low": low, "high": high, "band": "bounds"}
    return value, ideal, {}


def _mean(parts: Iterable[list[Floats]]) -> list[Floats]:
    """Return the means over the rows of all parts, summed in order, as in a single array."""
    sums: list[Floats] = []
    rows = 0
    for part in parts:
        rows += len(part[0])
        with np.errstate(over="ignore"):
            sums = [
                np.concatenate([*sums[i : i + 1], values]).sum(axis=0, keepdims=True)
                for i, values in enumerate(part)
            ]
    if np.isinf(sums).any():
        raise ValueError(TOO_LARGE)
    return [total / rows for total in sums]


def _options(interval: Interval | None, average: Average, perquery: bool) -> dict[str, Any] | None:
    """Return the options of the curves' intervals, or None; refuse what has no interval."""
    if interval is None or interval is False:
        return None
    for name, wrong in (("average='vectors'", average == "vectors"), ("perquery=True", perquery)):
        if wrong:
            raise ValueError(f"an interval is for a mean over topics; omit {name}")
    if interval is True:
        interval = {}
    elif not isinstance(interval, Mapping):
        interval = {"confidence": interval}
    if unknown := [option for option in interval if option not in OPTIONS]:
        raise ValueError(f"interval: the option {unknown[0]!r} is not one of {', '.join(OPTIONS)}")
    return {"confidence": 0.95} | {name: check(name, value) for name, value in interval.items()}


def _interval(values: Floats, topics: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return the ends of the intervals of the means; ``values`` has a row for each topic."""
    if len(topics) < 2:
        raise ValueError(f"an interval needs at least two topics or sessions, not {len(topics)}")
    low, high = topic_mean_intervals(values, topics, **options)
    return {"low": low, "high": high, "band": f"{100 * options['confidence']:g}% interval"}


def _check_average(average: str, perquery: bool, measures: Iterable[CumulatedGain]) -> None:
    if average == "vectors" and perquery:
        raise ValueError("average='vectors' divides averages; with perquery=True there are none")
    others = [m for m in measures if m.formula or m.DIVISOR not in ("", "ideal")]
    if average == "vectors" and others:
        raise ValueError(
            f"average='vectors' divides average vectors, which {_label(others[0])} does not have; "
            "omit it"
        )


def _with_curves(measures: Measures, depth: int) -> list[CumulatedGain]:
    """Return the measures with the last rank as their cutoff; refuse those without a curve."""
    with_curves = []
    for measure in parsed(measures):
        mine = as_cumulated_gain(measure)
        if mine is None or isinstance(mine, SessionMeasure):
            has = " (for sDCG and nsDCG use session_curves)" if mine is not None else ""
            names = ", ".join(n for n, m in MEASURES.items() if not isinstance(m, SessionMeasure))
            raise ValueError(f"{measure} has no curve by rank; these have one: {names}{has}")
        if mine.spec.at_r:
            raise ValueError(f"{measure}: at_r=True cuts each topic at its own rank; drop it")
        with_curves.append(type(mine)(**{**mine.params, "cutoff": depth}))
    return list(dict.fromkeys(with_curves))


def _label(measure: CumulatedGain) -> str:
    return split_cutoff(str(measure))[0]


def _read(measure: CumulatedGain, vectors: Vectors, average: Average = "topics") -> list[Floats]:
    """Return a measure's values at every rank, and those of the ideal ranking.

    For an average of vectors, these are the vectors themselves.
    """
    if average == "vectors":
        return [vectors.value, vectors.ideal.value]
    return [vectors.read(measure.spec), vectors.ideal.read(measure.spec)]


@checked
def session_curves(
    systems: Any,
    sessions: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    at_least: int = 1,
    average: Average = "topics",
    perquery: bool = False,
    interval: Interval | None = None,
    missed: Missed = "zero",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return the gains collected up to each position of sessions.

    A session's queries follow one another, each with as many positions as the
    measure's cutoff (or as its ``padding`` says), and gains are summed
    progressively (ECIR 2008, section 3.3 and figures 2 to 4). After its last
    query a session's vector stays level, up to the length of the longest
    session that counts (with ``missed="skip"``, of the system's own). The last
    value of a session is its sDCG or nsDCG. Time grows with the number of
    sessions times the length of the longest one, and with ``perquery`` so does
    memory.

    Parameters
    ----------
    systems, names, verbose
        As for :func:`gain_curves`: pipelines over sessions, runs over sessions,
        or the paths of files that :func:`pt_cumgain.write_session_run` wrote.
    sessions
        ``qid``, ``queries``; only their judgments count. None: all sessions of
        the qrels, if no system is a transformer.
    qrels
        Qrels by session, or by turn with ``query_position``.
    measures
        sDCG and nsDCG, with any parameters but ``avg_pos``, as objects or text,
        one or several.
    at_least
        Only sessions with this many queries or more (figure 3). With the
        default of 1, every session of the qrels counts, as in the measures: one
        that is not in the run is 0 throughout, and its ideal has as many
        queries as ``sessions`` or judgments by turn say, or else one, each with
        all positions of the cutoff, whatever the ``padding``.
    average
        How nsDCG is averaged; see :func:`gain_curves`.
    perquery
        Return the vectors of the sessions, with their ``qid``, instead of the
        means (figure 4).
    interval
        Add the confidence interval of each mean over sessions; see
        :func:`gain_curves`.
    missed
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
    with_vectors = _session_measures(measures)
    _check_average(average, perquery, with_vectors)
    options = _options(interval, average, perquery)
    engine, judged = _judge_sessions(systems, sessions, qrels, with_vectors, names, verbose, missed)
    shapes: dict[tuple[str, SessionMeasure], tuple[Shape, Any]] = {}
    for name, run in judged.items():
        kept = keep_topics(name, run.present, missed)
        kept &= (run.length >= at_least) | (at_least == 1)
        if not kept.any():
            raise ValueError(
                f"no session of the qrels has {at_least} queries or more in the run {name!r}"
            )
        length = np.where(kept, np.maximum(run.length, 1), 0)
        for measure in with_vectors:
            shapes[name, measure] = Shape.read(measure.spec, run, length), kept
    frames = []
    for (name, measure), (shape, kept) in shapes.items():
        together = [name] if missed == "skip" else judged
        size = max(int(shapes[other, measure][0].size().max()) for other in together)
        if not size:
            raise ValueError(f"{measure}: the sessions have no position; every list is empty")
        vectors = engine.sessions.vectors(measure.spec, judged[name], shape, size)
        batches = ((some, _read(measure, v, average)) for some, v in vectors)
        qids = np.array(engine.topics, dtype=object)[kept]
        value, ideal, band = _summarise(measure, batches, kept, qids, average, perquery, options)
        rank = np.tile(np.arange(1, size + 1), len(value))
        columns: dict[str, Any] = {"name": name}
        if perquery:
            columns["qid"] = np.repeat(qids, size)
        if measure["padding"] == "fixed":
            position: Any = (rank - 1) // measure["cutoff"] + 1
        else:
            position = shape.queries(size)[kept].ravel() if perquery else np.nan
        columns |= {"measure": str(measure), "query_position": position, "rank": rank}
        columns |= {"value": value.ravel(), "ideal": ideal.ravel()}
        if not perquery:
            sizes = np.sort(shape.size()[kept])
            columns["sessions"] = len(sizes) - np.searchsorted(sizes, rank)
        frames.append(pd.DataFrame(columns | band))
    return pd.concat(frames, ignore_index=True)


@checked
def query_gains(
    systems: Any,
    sessions: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    depth: int = 100,
    *,
    names: Sequence[str] | None = None,
    vectors: bool = False,
    verbose: bool = False,
) -> pd.DataFrame:
    """Return the value of each query of each session by itself.

    For sDCG the value is the query's DCG, divided by the discount of its
    position (ECIR 2008, eq. 1); for nsDCG this is divided by the topic's ideal
    DCG, to which that discount is not applied: the query's vector is
    "normalized like any ordinary DCG vector" (section 2.2). A query that
    returned nothing has the value 0.

    Parameters
    ----------
    systems, sessions, qrels, measures, names, verbose
        As for :func:`session_curves`. Sessions that are not in a run have no
        rows unless ``sessions`` has their queries, or the qrels are by turn.
    depth
        The cutoff for each query, instead of the measures' own.
    vectors
        Return the value at every rank down to the depth (figure 1), in a column
        ``rank``.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (the session), ``query_position``, ``last`` (whether
        it is the session's last query), ``best`` (whether its value at the
        depth is the session's largest; the first of several), ``measure``,
        ``rank`` (with ``vectors``), ``value``: "the sDCG gain of the best or
        last query" (section 4).

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
      name qid  query_position   last   best   measure  value
    0    X  s1               1  False  False  sDCG@100    1.0
    1    X  s1               2   True   True  sDCG@100    2.0

    Means by position; the last query against the earlier ones (figure 1); the best of each session:

    >>> by_position = gains.groupby(["name", "query_position"])["value"].mean()
    >>> last = gains.groupby(["name", "last"])["value"].mean()
    >>> best = gains[gains["best"]].groupby("name")["value"].mean()
    """
    at_depth = [measure(cutoff=depth) for measure in _session_measures(measures)]

    engine, judged = _judge_sessions(systems, sessions, qrels, at_depth, names, verbose)
    frames = []
    for name, run in judged.items():
        session, position, of_measures = engine.sessions.by_query(run)
        qid = np.array(engine.topics, dtype=object)[session]
        last = np.ones(len(session), dtype=bool)
        last[:-1] = session[1:] != session[:-1]
        for measure, of_queries in zip(at_depth, of_measures):
            value = of_queries.read(measure.spec)
            ranks = np.arange(1, depth + 1) if vectors else np.array([depth])
            kept = position <= (measure.params.get("queries") or np.inf)
            order = np.lexsort((-value[kept][:, -1], session[kept]))  # stable: the first of several
            best = np.zeros(len(order), dtype=bool)
            best[order[np.unique(session[kept][order], return_index=True)[1]]] = True
            columns = {
                "name": name,
                "qid": np.repeat(qid[kept], len(ranks)),
                "query_position": np.repeat(position[kept], len(ranks)),
                "last": np.repeat(last[kept], len(ranks)),
                "best": np.repeat(best, len(ranks)),
                "measure": str(measure),
                "rank": np.tile(ranks, int(kept.sum())),
                "value": value[kept][:, ranks - 1].ravel(),
            }
            if not vectors:
                del columns["rank"]
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _session_measures(measures: Measures) -> list[Any]:
    """Return session measures in natural order; refuse those without a vector."""
    chosen = parsed(measures)
    for measure in chosen:
        if not isinstance(measure, SessionMeasure):
            raise ValueError(f"{measure} is not a session measure; sDCG and nsDCG are")
        if measure["avg_pos"]:
            raise ValueError(f"{measure} is the mean of a vector, not a vector; drop avg_pos")
    return sorted(set(chosen), key=natural_key)


def _judge_sessions(
    systems: Any,
    sessions: pd.DataFrame | None,
    qrels: Any,
    measures: list[Any],
    names: Sequence[str] | None,
    verbose: bool,
    missed: Missed = "zero",
) -> tuple[Engine, dict[str, JudgedSessions]]:
    """Return an engine, and each system's judged sessions.

    A session that is not in a run has the length that ``sessions`` says, or else 0.
    """
    engine, runs = judge_systems(
        systems, sessions, qrels, measures, "sessions", names, verbose, missed=missed
    )
    elsewhere: Ints = np.zeros(len(engine.topics), dtype=np.int64)
    if sessions is not None and "queries" in sessions:
        counts = to_queries(sessions)["session"].value_counts()
        elsewhere = np.asarray(counts.reindex(engine.topics, fill_value=0), dtype=np.int64)
    judged = {}
    for name, run in runs:
        length = run.sessions.length
        longer = np.where(run.sessions.present, length, np.maximum(length, elsewhere))
        judged[name] = replace(run.sessions, length=longer)
    return engine, judged
