"""Gain by rank: the vectors behind the measures, as tidy frames (TOIS 2002, section 2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.comparing._intervals import estimate_means
from pt_cumgain.comparing._systems import check_system
from pt_cumgain.core import Floats
from pt_cumgain.engine import JudgedRun
from pt_cumgain.engine.vectors import Ranks, Vectors
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.measures import CumulatedGain, Normalised, SessionMeasure, split_cutoff
from pt_cumgain.options import CONFIDENCE_LEVEL, DEPTH, INTERVAL, Average, Missing, Scores, checked
from pt_cumgain.systems import TOO_LARGE, Experiment, keep_topics
from pt_cumgain.trust._ranges import DEEPEST, MissingJudgments, check_ranges

Interval = bool | float


@checked(interval=INTERVAL)
def gain_curves(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    depth: int = DEPTH,
    *,
    names: Sequence[str] | None = None,
    average: Average = "topics",
    perquery: bool = False,
    interval: Interval | None = None,
    bounds: bool = False,
    baseline: str | int | None = None,
    missing: Missing = "zero",
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    r"""Return the value of every measure at every rank, and of the ideal ranking.

    The value at rank k is that of the measure with cutoff k; a cutoff of the
    measure itself is ignored. Each system runs only once, and its run is ranked
    and judged only once for all measures.

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
        ``"topics"``: the mean of the topics' normalised vectors, which agrees
        with the mean of the measure. ``"vectors"``: the average vector divided
        by the average ideal vector, as in the figures of TOIS 2002 (section
        3.3; eq. 3 and 5), so that topics with more to gain have more weight.
    perquery
        Return every topic's vector, with its ``qid``, instead of the means.
    interval
        Add the t interval of each mean, as :func:`pt_cumgain.intervals`
        computes it for the measure at this cutoff: its confidence, or True for
        0.95.
    bounds
        Add the range under missing judgments, as :func:`pt_cumgain.bounds`
        computes it for the measure at this cutoff, for a depth of at most
        1,000.
    baseline
        Return differences from this system, given by name or by position (from
        0). The baseline has no rows of its own, and the ideal is NaN;
        ``interval`` is then that of the mean difference.
    missing
        How to treat topics of the qrels that are missing from a run: ``"zero"``
        counts them as 0, as ir-measures always does; ``"skip"`` leaves them
        out, so that means are over the topics that the system (and the
        baseline) has.
    scores
        ``"double"``: compare scores as they are; ``"float32"``: in single
        precision, which ties some of them, as in pytrec_eval and trec_eval up
        to 9.0.7.
    verbose
        Show progress over systems.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``qid`` (with ``perquery``), ``measure`` (its text without
        cutoff), ``rank`` (1 to depth), ``value``, ``ideal``: the ideal vector's
        value; for a normalised measure 1, or 0 for a topic without relevant
        documents. Means have ``topics``, the number of topics; with
        ``interval`` also ``low``, ``high`` and ``band``, which names the
        interval: ``"95% t interval"``. With ``bounds`` there are ``least`` and
        ``most``. If descending gains are not the best possible, under
        ``sigir2000`` with a base above 2, ``ideal`` is their curve all the same
        (SIGIR 2000, section 3.4), and a column ``ideal_is`` says so.

    Raises
    ------
    ValueError, TypeError
        If a measure has no curve (or no bounds), an interval is requested for a
        single topic or for something other than a mean over topics, or an input
        or an option cannot be used.

    Warns
    -----
    UserWarning
        If topics are missing from a run and count as 0, or an ideal is not the best
        possible curve.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import CG, gain_curves, nCG, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> curves = gain_curves(pydocs.runs(), topics, qrels, [CG, nCG], depth=20)
    >>> curves.query("name == 'BM25' and rank in [1, 10, 20]").round(3)
        name measure  rank   value   ideal  topics
    0   BM25      CG     1   2.286   3.000      42
    9   BM25      CG    10  13.762  24.643      42
    19  BM25      CG    20  19.214  37.429      42
    20  BM25     nCG     1   0.762   1.000      42
    29  BM25     nCG    10   0.563   1.000      42
    39  BM25     nCG    20   0.516   1.000      42
    """
    chosen = list(dict.fromkeys(m(cutoff=depth) for m in read_measures(measures, _refuse_curve)))
    confidence = read_interval(interval, average, perquery, chosen, bounds, baseline is not None)
    if bounds:
        _refuse_bounds(chosen, depth)
    experiment = Experiment("gain_curves", systems, topics, qrels, names, scores, verbose)
    # before the systems run
    base = (
        None if baseline is None else check_system(baseline, [*experiment.by_name], in_order=True)
    )
    falling = _find_falling(chosen) if base is None else []
    at_ranks = [m(cutoff=k) for m, k in itertools.product(chosen, range(1, depth + 1))]
    judged = at_ranks if bounds else chosen
    engine, runs = experiment.judge(judged, missing=missing, warn_for=chosen)
    others, runs = _take_baseline(runs, base)
    frames = []
    for name, run in runs:
        kept = _keep_common(name, run, base, others, missing)
        ends = _read_ends(name, run) if bounds else np.empty((0, len(at_ranks), len(kept)))
        for i, measure in enumerate(chosen):
            of_measure = ends[:, i * depth : (i + 1) * depth]
            curves = _read_curves([run, *others], measure, depth, average, of_measure)
            frame = summarise(measure, curves, kept, engine.topics, average, perquery, confidence)
            frame["name"], frame["measure"] = name, _label(measure)
            if not perquery:
                frame["topics"] = kept.sum()
            frames.append(frame)
    return join_curves(frames, base, falling)


#: The name of the ideal curve where descending gains are not the best possible.
DESCENDING = "descending gains"

#: The columns of curves, in their order.
COLUMNS = [
    *("name", "qid", "measure", "query_position", "rank", "value", "ideal"),
    *("topics", "sessions", "baseline", "ideal_is", "low", "high", "band", "least", "most"),
]

#: Curves of some topics and those of the ideal ranking, perhaps the ends of a range around them.
Batch = tuple[slice, list[Floats]]


def _refuse_bounds(measures: list[CumulatedGain], depth: int) -> None:
    """Refuse curves that have no bounds at every rank."""
    if depth > DEEPEST:
        raise ValueError(f"depth={depth}: bounds are computed for at most {DEEPEST} ranks")
    check_ranges(measures, "pool")  # the ranks of a curve are cutoffs


def _find_falling(measures: list[CumulatedGain]) -> list[CumulatedGain]:
    """Return the measures whose descending gains may not be the best possible; warn of them."""
    falling = [m for m in measures if not core.has_ideal(m.spec.discount, m.spec.base)]
    if falling:
        warn(
            f"{_label(falling[0])}: 'ideal' is the curve of the descending gains, as in SIGIR "
            "2000, section 3.4; other orders can gain more under this discount and base"
        )
    return falling


def _take_baseline(
    runs: Iterator[tuple[str, JudgedRun]], base: str | None
) -> tuple[list[JudgedRun], Iterator[tuple[str, JudgedRun]]]:
    """Return the run of the baseline, if there is one, and those of the other systems."""
    if base is None:
        return [], runs
    by_name = dict(runs)
    if len(by_name) < 2:
        raise ValueError(f"there is no system to compare with the baseline {base!r}")
    return [by_name.pop(base)], iter(by_name.items())


def _keep_common(
    name: str, run: JudgedRun, base: str | None, others: list[JudgedRun], missing: Missing
) -> NDArray[np.bool_]:
    """Return which topics count for a run, and for the baseline if there is one."""
    kept = keep_topics(name, run.present, missing)
    for other in others:
        kept = kept & keep_topics(str(base), other.present, missing)
    if not kept.any():
        raise ValueError(f"the runs {name!r} and {base!r} have no topic of the qrels in common")
    return kept


def _read_ends(name: str, run: JudgedRun) -> Floats:
    """Return the ends of the ranges of a run's values, ``(2, measures, topics)``."""
    unjudged = MissingJudgments(run.engine, [(name, run)], "judgments")
    return unjudged.values()[0, 1:]


def _read_curves(
    runs: list[JudgedRun], measure: CumulatedGain, depth: int, average: Average, ends: Floats
) -> Iterator[Batch]:
    """Yield a run's curves, the ideal ones, and the ends of their ranges.

    Of two runs these are the differences of their curves, which have no ideal. The shape of
    ``ends`` is ``(ends, ranks, topics)``.
    """
    vectors = average == "vectors"
    by_run = [run.curves(measure, depth, vectors=vectors) for run in runs]
    for batches in zip(*by_run):  # each of the same topics
        topics, (value, ideal) = batches[0]
        for _, (other, _) in batches[1:]:
            value, ideal = value - other, np.full_like(value, np.nan)
        yield topics, [value, ideal, *ends[:, :, topics].swapaxes(1, 2)]


def summarise(
    measure: CumulatedGain,
    batches: Iterator[Batch],
    kept: NDArray[np.bool_],
    topics: Sequence[str],
    average: Average,
    perquery: bool,
    confidence: float | None,
) -> pd.DataFrame:
    """Return a curve and the ideal one, by topic or as means, with the range around it.

    Curves of all topics are held together only if they are requested.
    """
    curves: Iterable[list[Floats]] = (
        [column[kept[batch]] for column in columns] for batch, columns in batches
    )
    if confidence is not None or perquery:
        curves = list(curves)
    whole = [np.concatenate(parts) for parts in zip(*curves)] if perquery else _mean(curves)
    if average == "vectors":
        whole = [_read_average(measure, vector, whole[1]) for vector in whole]
    value, ideal, *ends = (vectors.ravel() for vectors in whole)
    rank = np.tile(np.arange(1, whole[0].shape[1] + 1), len(whole[0]))
    frame = pd.DataFrame({"rank": rank, "value": value, "ideal": ideal})
    if perquery:
        frame["qid"] = np.repeat(np.array(topics, dtype=object)[kept], whole[0].shape[1])
    if confidence is not None:
        if kept.sum() < 2:
            raise ValueError(f"an interval needs at least two topics or sessions, not {kept.sum()}")
        values = np.concatenate([columns[0] for columns in curves])
        frame["low"], frame["high"] = estimate_means([values]).ends(confidence)
        frame["band"] = f"{100 * confidence:g}% t interval"
    elif ends:
        frame["least"], frame["most"] = ends
    return frame


def join_curves(
    frames: list[pd.DataFrame], base: str | None = None, falling: Sequence[CumulatedGain] = ()
) -> pd.DataFrame:
    """Return frames of curves as one, with the baseline and what the ideal is, if it matters."""
    table = pd.concat(frames, ignore_index=True)
    if base is not None:
        table["baseline"] = base
    if falling:
        descending = table["measure"].isin([_label(measure) for measure in falling])
        table["ideal_is"] = np.where(descending, DESCENDING, "ideal")
    return table[[column for column in COLUMNS if column in table]]


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


def read_interval(
    interval: Interval | None,
    average: Average,
    perquery: bool,
    measures: Iterable[CumulatedGain],
    bounds: bool = False,
    differences: bool = False,
) -> float | None:
    """Return the confidence of the curves' intervals, or None; refuse what does not go together."""
    if average == "vectors":
        for measure in measures:
            if not _averages_vectors(measure):
                lacking = _label(measure)
                raise ValueError(f"average='vectors' needs vectors, which {lacking} lacks; omit it")
        if perquery or interval or bounds or differences:
            raise ValueError(
                "average='vectors' divides averages over topics, so there is no value by topic; "
                "omit perquery, interval, bounds and baseline"
            )
    if bounds and differences:
        raise ValueError("differences to a baseline are of topics' values; omit bounds")
    if interval is None or interval is False:
        return None
    if perquery:
        raise ValueError("an interval is for a mean over topics; omit perquery=True")
    if bounds:
        raise ValueError("a band shows an interval or bounds; omit one of them")
    return CONFIDENCE_LEVEL if interval is True else float(interval)


def _refuse_curve(measure: CumulatedGain | None) -> str:
    """Return why a measure has no curve by rank."""
    if measure is None or isinstance(measure, SessionMeasure):
        able = "CG, DCG, nCG, nDCG, gP and gR"
        return f"has no curve by rank; {able} do (for sDCG and nsDCG use session_curves)"
    own_ranks = "has no curve by rank: at_r=True cuts each topic at its own rank; drop it"
    return own_ranks if measure.spec.at_r else ""


def _label(measure: CumulatedGain) -> str:
    return split_cutoff(str(measure))[0]


def _averages_vectors(measure: CumulatedGain) -> bool:
    """Return whether an average of a measure's vectors means something."""
    return measure.formula is None and (isinstance(measure, Normalised) or not measure.divisor)


def _read_average(measure: CumulatedGain, vector: Floats, ideal: Floats) -> Floats:
    """Return the values of an average vector, given the average ideal vector."""
    divisor = ideal if isinstance(measure, Normalised) else None
    ranks = Ranks(np.arange(1, vector.shape[1] + 1), measure.spec.avg_pos)
    return Vectors(vector, divisor).values(ranks)
