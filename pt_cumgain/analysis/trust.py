"""The reliability of values: missing judgments, ties, and the part of each relevance level."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain.analysis.dominance import (
    MISSING,
    TOLERANCE,
    MissingJudgments,
    check_ranges,
    judge_choices,
    search_for,
)
from pt_cumgain.analysis.evaluation import judge_systems
from pt_cumgain.analysis.results import check_system
from pt_cumgain.core import TIES, Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.bounds import Range
from pt_cumgain.engine.corners import Choices, CornerValues
from pt_cumgain.engine.topics import last_rank
from pt_cumgain.hosts.ir_measures import as_cumulated_gain
from pt_cumgain.inputs.arguments import parsed
from pt_cumgain.measures import CumulatedGain, SessionMeasure
from pt_cumgain.options import Over, checked
from pt_cumgain.weighting import number

Measures = Iterable[Measure | str] | Measure | str

#: Columns of differences from a baseline.
DIFFERENCE = ("difference", "difference_low", "difference_high")

TOO_LARGE = "the gains are too large for a mean of floats; use smaller ones"


@checked
def bounds(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    *,
    over: Over = "judgments",
    baseline: str | int | None = None,
    names: Sequence[str] | None = None,
    perquery: bool = False,
    verbose: bool = False,
) -> pd.DataFrame:
    r"""Return the exact range of values that missing judgments leave open.

    Unjudged documents have no gain. Any of them, whether or not a system
    returned it, could have been judged 0 or any level of the qrels; ``low`` and
    ``high`` are the smallest and the largest value that could result. A
    document found relevant joins the recall base, so nDCG may fall as well as
    rise, even if all documents that the run returned are judged. All rankings
    and existing judgments stay the same.

    With ``over="pool"`` only the documents among the first k ranks of one of
    the systems could be relevant. Others are taken as not relevant, as is usual
    after pooling. The other ranges are those over all weightings and discounts.

    Parameters
    ----------
    systems, topics, qrels, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, as objects or text, one or several. Not with
        ``at_r``, ``judged_only``, ``ties`` or, for normalised measures,
        ``avg_pos``. Over judgments nCG and nDCG need a cutoff: without one,
        their ideal could grow without limit. Over weightings and discounts:
        the measures of :func:`pt_cumgain.dominance`.
    over
        What the range is over: ``"judgments"``, ``"pool"``, ``"gains"``,
        ``"discount"`` or ``"both"``; see :func:`pt_cumgain.dominance`.
    baseline
        A system, its name or its place, to compare every other with.
    perquery
        Return every topic's range, with its ``qid``, instead of the means.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, ``value``, ``low``,
        ``high`` and ``judged``: the share of the first k ranks that is judged,
        ir-measures' ``Judged@k`` (but NaN, and left out of the mean, for a
        topic for which nothing was returned). The range of a mean is the mean
        of the topics' ranges. Over weightings and discounts ``exact`` takes the
        place of ``judged``: whether all ends are reached, up to 1e-4; the range
        of a mean is then narrower than the mean of the ranges.

        With a baseline also ``difference``, ``difference_low`` and
        ``difference_high``: the system's value minus the baseline's, and its
        range under the same choice for both, such as the same judgments; NaN
        for the baseline itself.

    Raises
    ------
    ValueError, TypeError
        If a measure has no such range, or an input cannot be used.

    Notes
    -----
    For nDCG, the value is smallest if none of the run's unjudged documents is
    relevant and k others have the highest gain. For the largest value, with the
    gains :math:`w_1 < w_2 < ...` of the levels, :math:`n_l` documents of the
    recall base at a gain of at least :math:`w_l`, and :math:`C_1 \ge C_2 \ge
    ...` unjudged ones, the value is the ratio of the run's own part plus
    :math:`\sum_l (w_l - w_{l-1}) P(C_l)` and :math:`\sum_l (w_l - w_{l-1})
    S(n_l + C_l)`, where P and S sum :math:`1/d(i)` over the topmost unjudged
    ranks, and over the first ranks, down to k. The largest ratio is found by
    Dinkelbach's method. Over the pool, and for differences, the unjudged
    documents that only change the ideal are counted beside the others.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["x", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [2, 1]})
    >>> bounds({"X": run}, None, qrels, ["CG@2", "nDCG@2"]).round(3)
      name measure  value    low  high  judged
    0    X    CG@2   2.00  2.000   4.0     0.5
    1    X  nDCG@2   0.48  0.387   1.0     0.5
    """
    chosen = check_ranges(measures, over)
    options = ("bounds", names, verbose)
    if over not in MISSING:
        judged = judge_choices(systems, topics, qrels, chosen, over, *options)
        return _over_choices(chosen, over, baseline, perquery, *judged)
    engine, runs = judge_systems(systems, topics, qrels, chosen, *options)
    if baseline is None and over == "judgments":  # nothing of another run is needed
        frames = [_frame(name, engine, _ranges(run), perquery, chosen) for name, run in runs]
        return pd.concat(frames, ignore_index=True)
    missing = MissingJudgments(engine, runs, over)
    base = None
    if baseline is not None:
        base = missing.names.index(check_system(baseline, missing.names, in_order=True))
    frames = []
    for i, (name, run) in enumerate(zip(missing.names, missing.runs)):
        columns = _ranges(run) if over == "judgments" else {"judged": run.judged_share()}
        if over == "pool":
            columns = dict(zip(("value", "low", "high"), missing.ends(i))) | columns
        if base is not None:
            ends = missing.ends(i, base)
            columns |= dict(zip(DIFFERENCE, np.full_like(ends, np.nan) if i == base else ends))
        frames.append(_frame(name, engine, columns, perquery, chosen))
    return pd.concat(frames, ignore_index=True)


def _ranges(run: JudgedRun) -> dict[str, Floats]:
    """Return a run's values and their ranges, of the shape ``(measures, topics)``."""
    value = run.values()
    ends = [_ends(run, *of_measure) for of_measure in zip(run.engine.measures, value)]
    return {"value": value} | dict(zip(Range._fields, map(np.stack, zip(*ends))))


def _over_choices(
    measures: list[CumulatedGain],
    over: str,
    baseline: str | int | None,
    perquery: bool,
    engine: Engine,
    names: list[str],
    choices: list[Choices],
    values: list[CornerValues],
) -> pd.DataFrame:
    """Return the ranges of values, and of differences, over weightings or discounts."""
    systems = np.arange(len(names))
    pairs: list[Any] = [None]
    if baseline is not None:
        base = names.index(check_system(baseline, names, in_order=True))
        pairs.append(np.full(len(names), base))
    table = []
    for of_measure, whole in zip(choices, values):
        search = search_for(of_measure, over)
        topics = range(len(engine.topics))
        for part in map(whole.of_topic, topics) if perquery else [whole]:
            value = part.at_corners()[:, 0]
            found = [part.ranges(systems, other, search) for other in pairs]
            exact = np.all([one.exact(TOLERANCE) for one in found], axis=0)
            rows = [value, found[0].low, found[0].high, exact]
            if baseline is not None:
                ends = np.array([value - value[base], found[1].low, found[1].high])
                ends[:, base] = np.nan
                rows += list(ends)
            table.append(rows)
    keys = ["value", "low", "high", "exact", *DIFFERENCE]
    frames = []
    for name, of_system in zip(names, np.moveaxis(np.array(table, dtype=np.float64), -1, 0)):
        columns = dict(
            zip(keys, of_system.T.reshape(-1, len(measures), len(table) // len(measures)))
        )
        frames.append(_frame(name, engine, columns, perquery, measures))
    return pd.concat(frames, ignore_index=True).astype({"exact": bool})


def _ends(run: JudgedRun, measure: CumulatedGain, value: Floats) -> list[Floats]:
    """Return the range around each topic's value, and the share of the ranks that is judged."""
    ranges = run.bounds(measure, np.array([last_rank(measure.spec)]))
    batches = [ends.around(value[topics, None]) for topics, ends in ranges]
    return [np.concatenate(columns)[:, 0] for columns in zip(*batches)]


@checked
def tie_effects(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    perquery: bool = False,
    verbose: bool = False,
) -> pd.DataFrame:
    """Return how much the order of documents of equal score changes the values.

    Parameters
    ----------
    systems, topics, qrels, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters but ``ties``, as objects or
        text, one or several.
    perquery
        Return every topic's values, with its ``qid``, instead of the means.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure``, and the value under
        each rule of ``ties``: ``doc_id`` (trec_eval's, the default),
        ``average``, ``best``, ``worst``.

    Raises
    ------
    ValueError, TypeError
        If a measure does not have ``ties``, or an input cannot be used.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": 1.0})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> tie_effects({"X": run}, None, qrels, "CG@1")
      name measure  doc_id  average  best  worst
    0    X    CG@1     1.0      2.0   3.0    1.0
    """
    chosen = _topic_measures(measures, "values by tie rule", of_judged=False)
    every = [measure(ties=ties) for measure in chosen for ties in TIES]
    engine, runs = judge_systems(
        systems, topics, qrels, every, "tie_effects", names, verbose, warn_for=chosen
    )
    frames = []
    for name, run in runs:
        values = run.values().reshape(len(chosen), len(TIES), -1)
        columns = {ties: values[:, i] for i, ties in enumerate(TIES)}
        frames.append(_frame(name, engine, columns, perquery, chosen))
    return pd.concat(frames, ignore_index=True)


@checked
def gain_by_level(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    perquery: bool = False,
    verbose: bool = False,
) -> pd.DataFrame:
    """Return what each relevance level contributes to the values.

    The parts sum to the value. For nCG and nDCG all are divided by the same
    ideal.

    Parameters
    ----------
    systems, topics, qrels, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters, as objects or text, one or
        several.
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
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [2, 1]})
    >>> gain_by_level({"X": run}, None, qrels, "DCG@2").round(3)
      name measure  level  value
    0    X   DCG@2      1  1.000
    1    X   DCG@2      2  1.262
    """
    chosen = _topic_measures(measures, "parts by level")
    engine, runs = judge_systems(systems, topics, qrels, chosen, "gain_by_level", names, verbose)
    levels = engine.judgments.levels
    gains = np.array([measure.spec.gains.gain(levels) for measure in chosen])
    frames = []
    for name, run in runs:
        parts = run.by_level()
        for i in np.flatnonzero((gains != 0).any(axis=0)):
            frame = _frame(name, engine, {"value": parts[i]}, perquery, chosen)
            frame.insert(len(frame.columns) - 1, "level", number(levels[i]))
            frames.append(frame)
    if not frames:
        raise ValueError("no level of the qrels has a gain under these measures")
    return pd.concat(frames, ignore_index=True)


@checked
def topic_table(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    measures: Measures,
    *,
    names: Sequence[str] | None = None,
    verbose: bool = False,
) -> pd.DataFrame:
    """Return what to know about each topic before interpreting its values.

    The values of a topic with few relevant documents, or few judged ones, rest
    on little evidence; a topic on which the best system is no better than the
    worst does not distinguish the systems.

    Parameters
    ----------
    systems, topics, qrels, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        CG, DCG, nCG and nDCG, with any parameters, as objects or text, one or
        several.

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
    >>> run = pd.DataFrame({"qid": "1", "docno": ["x", "a"], "score": [2.0, 1.0]})
    >>> other = run.assign(score=[1.0, 2.0])
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [2, 1]})
    >>> table = topic_table({"X": run, "Y": other}, None, qrels, "nCG@2")
    >>> table[["qid", "measure", "R", "ideal", "judged"]]
      qid measure  R  ideal  judged
    0   1   nCG@2  2    3.0     0.5
    >>> table[["best", "best_value", "worst", "worst_value", "mean"]].round(3)
      best  best_value worst  worst_value   mean
    0    X       0.667     X        0.667  0.667
    """
    chosen = _topic_measures(measures, "table of topics")
    engine, runs = judge_systems(systems, topics, qrels, chosen, "topic_table", names, verbose)
    of_system = {name: (run.values(), run.judged_share()) for name, run in runs}
    systems_named = np.array(list(of_system), dtype=object)
    values, judged = map(np.stack, zip(*of_system.values()))
    best, worst = values.argmax(axis=0), values.argmin(axis=0)
    recall, ideal = engine.ideal()
    columns = {
        "R": recall,
        "ideal": ideal,
        "judged": _mean_of_known(judged, axis=0),
        "best": systems_named[best],
        "best_value": values.max(axis=0),
        "worst": systems_named[worst],
        "worst_value": values.min(axis=0),
        "mean": _mean_of_known(values, axis=0),
    }
    frame = _by_topic(engine, columns, chosen)
    if topics is not None and "query" in topics:
        query = topics.drop_duplicates("qid").set_index("qid")["query"]
        frame.insert(1, "query", frame["qid"].map(query))
    return frame


def _topic_measures(
    measures: Measures, what: str, *, of_judged: bool = True
) -> list[CumulatedGain]:
    """Return topic measures; refuse any others.

    ``of_judged`` refuses those that give unjudged documents a gain.
    """
    chosen = []
    for measure in parsed(measures):
        mine = as_cumulated_gain(measure)
        if mine is None or isinstance(mine, SessionMeasure) or mine.formula is not None:
            raise ValueError(f"{measure} has no {what}; CG, DCG, nCG, nDCG, gP and gR do")
        if of_judged and mine.spec.unjudged:
            raise ValueError(f"{measure} has no {what}; leave unjudged out")
        chosen.append(mine)
    return list(dict.fromkeys(chosen))


def _frame(
    name: str,
    engine: Engine,
    columns: dict[str, Floats],
    perquery: bool,
    measures: list[CumulatedGain],
) -> pd.DataFrame:
    """Return columns of the shape ``(measures, topics)``, or their means, as a tidy frame."""
    if not perquery:
        means = {key: _mean_of_known(values, axis=1) for key, values in columns.items()}
        return pd.DataFrame({"name": name, "measure": [str(m) for m in measures], **means})
    frame = _by_topic(engine, columns, measures)
    frame.insert(0, "name", name)
    return frame


def _by_topic(
    engine: Engine, columns: dict[str, Any], measures: list[CumulatedGain]
) -> pd.DataFrame:
    """Return columns of the shape ``(measures, topics)`` as a tidy frame."""
    texts = np.array([str(measure) for measure in measures], dtype=object)
    return pd.DataFrame(
        {
            "qid": engine.topics * len(texts),
            "measure": np.repeat(texts, len(engine.topics)),
            **{key: values.ravel() for key, values in columns.items()},
        }
    )


def _mean_of_known(values: Floats, axis: int) -> Floats:
    """Return the means of the values that are not NaN; NaN if there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        means: Floats = np.nanmean(values, axis=axis)
    if np.isinf(means).any():
        raise ValueError(TOO_LARGE)
    return means
