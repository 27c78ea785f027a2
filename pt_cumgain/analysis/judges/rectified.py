"""Correct many automatic judgments with a few human ones: prediction-powered inference."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.all_systems import LIMIT, correct
from pt_cumgain.analysis.comparing.pairs import scale_values
from pt_cumgain.analysis.judges.conclusions import join_judges
from pt_cumgain.analysis.results import (
    DATASET,
    JUDGE,
    Baseline,
    Results,
    TopicResults,
    check_baselines,
    find_blocks,
    join_parts,
    pair_systems,
)
from pt_cumgain.analysis.rounding import ROUNDING, equate
from pt_cumgain.analysis.strata import Layout, Stratum, p_above, p_of_signs, t_statistics
from pt_cumgain.analysis.trust.intervals import mean_intervals
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.environment.warning import warn
from pt_cumgain.options import checked, choice

#: With fewer topics in which the judge differs from the reference, they tell too little of its
#: errors.
LEAST_ERRORS = 5

#: The columns that have the measure's unit.
_VALUES = ["mean", "judge_mean", "difference", "judge_difference", "rectified", "low", "high"]
#: The places of the systems of pairs, or None for the systems alone.
Pairs = tuple[Ints, Ints] | None


@checked(of=choice("differences", "means"))
def rectify(
    results: Results,
    reference: str = "human",
    *,
    of: Literal["differences", "means"] = "differences",
    baseline: Baseline = None,
    correction: str | None = "holm",
    alpha: float = LIMIT,
    confidence: float = 0.95,
) -> pd.DataFrame:
    r"""Return a judge's differences, corrected by the topics that people judged.

    n topics were judged by both the reference (the people) and a judge, and N
    more topics by the judge alone. For a pair of systems, d and p are the
    differences on the n topics under the people's and the judge's judgments,
    and z are the differences under the judge's judgments on the N other topics.
    The rectified difference and its squared standard error are

    .. math::

       \hat\Delta &= \bar d + \lambda (\bar z - \bar p), \qquad
       \lambda = \frac{\mathrm{cov}(d, p)}{(1 + n / N) \, \mathrm{var}(p)}

       s^2 &= \frac{\sum (e - \bar e)^2}{(n - 2) n}
       \Bigl(1 + \frac{1}{n - 3}\Bigr) + \lambda^2 \frac{\mathrm{var}(z)}{N},
       \qquad e = d - \lambda p

    The interval is Student's t, with Satterthwaite's degrees of freedom for the
    two terms (n - 2 and N - 1). It is valid for large n, *if the n topics are a
    random sample* of all n + N topics. If they are not, or if the judge was
    tuned on them, it is not valid. The less informative a judge is, the smaller
    :math:`\lambda` becomes.

    A judge that rarely errs may show no error in a small sample. If d differs
    from p on fewer than five of the n topics (for a pair, or for a system with
    ``of="means"``, under a measure, in a dataset), the estimate, its interval
    and the test are therefore based on the people's n topics alone, and
    :math:`\lambda` is 0. The same applies if the judge's values do not vary, or
    if there is at most one other topic. A judge that agrees with the people on
    all n topics therefore adds nothing.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.judges.compare_judges`, with a column ``judge``. With
        a column ``dataset``, the datasets are strata of the macro mean.
    reference
        The people. Each other judge is used with them, one at a time.
    of
        ``"means"`` returns each system's mean instead: d, p and z are then its
        values.
    baseline, correction, alpha
        As for :func:`pt_cumgain.pairwise`; p is corrected for the pairs of each
        measure, dataset and judge.
    confidence
        The confidence of the intervals.

    Returns
    -------
    pandas.DataFrame
        ``judge``, (``dataset``,) ``measure``, ``name``, ``other``, ``topics``
        (n), ``judge_topics`` (N), ``difference`` (by the reference, on the n
        topics), ``judge_difference`` (by the judge, on the N), ``rectified``,
        ``low``, ``high``, ``weight`` (:math:`\lambda`; of several datasets the
        mean), ``worth``: how many topics the people would have had to judge to
        get an interval of this width, at most n + N, ``p``, ``p_corrected`` and
        ``better`` (if significant). ``of="means"`` has ``mean`` and
        ``judge_mean``, and no ``other``, ``p``, ``p_corrected`` and ``better``.

    Raises
    ------
    ValueError
        As :func:`pt_cumgain.judges.compare_judges`; also if the reference and a judge
        have fewer than five topics in common (of a dataset).

    Warns
    -----
    UserWarning
        If topics of the reference are left out, because a judge has none of
        them.

    Notes
    -----
    Angelopoulos et al., Prediction-powered inference, Science 382 (2023), with
    the weight of PPI++ (arXiv 2311.01453); the same as the regression estimator
    of two-phase sampling (Cochran, Sampling techniques, 1977, chapter 12). The
    factor :math:`1 + 1 / (n - 3)` is for the error of the weight.

    With a judge that errs on 2 to 40 of 100 topics, 0.943 to 0.965 of the 95%
    intervals contained the difference (60 settings: P@1 and nDCG, n from 10 to
    50, N from 100 to 475, one dataset and two). The rule does not catch a judge
    that errs a little everywhere and heavily on a few topics: by about 0.01 of
    nDCG on all, and by 0.4 to 0.8 in favour of one system on 5 of 100, only
    0.80 to 0.91 of the intervals contained it with n from 10 to 50, 0.94 with n
    = 100.

    Examples
    --------
    >>> rows = [
    ...     (judge, system, str(q), "CG", gain * (q * q % 5) + bias * (1 + q % 3) * (2 - gain))
    ...     for judge, bias, topics in [("human", 0, 10), ("model", 1, 60)]
    ...     for system, gain in [("X", 1), ("Y", 2)] for q in range(topics)
    ... ]
    >>> results = pd.DataFrame(rows, columns=["judge", "name", "qid", "measure", "value"])
    >>> frame = rectify(results)
    >>> frame[["topics", "judge_topics", "difference", "judge_difference"]]
       topics  judge_topics  difference  judge_difference
    0      10            50        -2.0              0.02
    >>> frame[["rectified", "low", "high", "weight", "worth"]].round(2)
       rectified   low  high  weight  worth
    0      -1.91 -2.72  -1.1    0.74  20.85
    """
    if of == "means" and baseline is not None:
        raise ValueError(f"baseline={baseline!r} is for differences; leave of='means' out")
    parts = {}
    for judge, both in join_judges(results, reference):
        left_out = both.loc[both["value"].isna(), "qid"].unique().tolist()
        if left_out:
            warn(
                f"{len(left_out)} topic(s) of {reference!r}, such as {left_out[0]!r}, are left out "
                f"because {judge!r} has no value for them"
            )
        judged = TopicResults.of(both.dropna(subset="value"))
        names = judged.names
        pairs = pair_systems(names, check_baselines(baseline, names)) if of != "means" else None
        parts[judge] = judged.label(partial(_rectify, pairs=pairs, confidence=confidence))
    frame = join_parts(parts, JUDGE)
    if of == "differences":
        blocks = find_blocks(frame)
        frame["p_corrected"] = frame["p"]
        if correction is not None:
            families = frame.groupby(blocks)["p"]
            frame["p_corrected"] = families.transform(lambda p: correct(p.to_numpy(), correction))
        won = frame["name"].where(frame["rectified"] > 0, frame["other"])
        frame["better"] = won.where(frame["p_corrected"] < alpha, "")
    # for the functions that describe it
    frame.attrs = {"reference": reference, "confidence": confidence, "correction": correction}
    return frame


def _rectify(results: TopicResults, *, pairs: Pairs, confidence: float) -> pd.DataFrame:
    """Return the rectified values in one dataset, or as macro means of several."""
    both = results.frame
    least = both.groupby([*find_blocks(both), "name"])["reference"].count().min()
    if least < LEAST_ERRORS:
        raise ValueError(
            f"rectified values need at least {LEAST_ERRORS} topics by the reference and the judge"
            f"{' in each dataset' * (DATASET in both)}, not {least}"
        )
    people = results.replace_values(both["reference"]).matrices(systems=1)
    by_measure = {}
    for measure, judged in results.matrices(systems=1 if pairs is None else 2).items():
        (first, second), exponent = scale_values(measure, people[measure], judged)
        frame = _infer(first, second, results.layout(judged.index), pairs, confidence)
        values = frame.columns.intersection(_VALUES)
        frame[values] = np.ldexp(frame[values].to_numpy(), exponent)
        by_measure[measure] = frame
    return join_parts(by_measure, "measure")


def _infer(
    people: pd.DataFrame, judged: pd.DataFrame, layout: Layout, pairs: Pairs, confidence: float
) -> pd.DataFrame:
    """Return the rectified values of a measure, from its values by the people and by the judge."""
    from scipy import special

    known, topics = judged.index.isin(people.index), len(people)
    d, p = (_subtract(m.reindex(judged.index).to_numpy(), pairs) for m in (people, judged))
    rows = [(part[known[part]], part[~known[part]]) for part in layout.rows()]
    estimates = np.array([_estimate(d[n], p[n], p[more]) for n, more in rows])
    mean, judge_mean, rectified, weight, *_ = estimates.mean(axis=0)
    errors, free = np.concatenate(estimates[:, 4:6]), np.concatenate(estimates[:, 6:])
    # where lambda is 0 in all datasets, the interval and the test of the people's values alone
    simple = ~estimates[:, 3].any(axis=0)
    strata = [Stratum(d[n], np.ones(len(n))) for n, _ in rows]
    ends = np.array(mean_intervals(*strata, confidence=confidence)) / len(rows)
    t, t_free = t_statistics(strata)
    tail = (1 + confidence) / 2
    total = errors.sum(axis=0)
    error = np.sqrt(total) / len(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(simple, t, rectified / error)
        satterthwaite = total**2 / (errors**2 / free).sum(axis=0)
        free = np.where(simple, t_free, satterthwaite)
        half = np.where(total > 0, special.stdtrit(free, tail) * error, 0.0)
        m = len(rows) + np.geomspace(0.5, 1e7, 10_000)
        width = special.stdtrit(m - len(rows), tail) / np.sqrt(m)  # of an interval of m topics
        ratio = 2 * half / (ends[1] - ends[0]) * np.interp(topics, m, width)
    low, high = np.where(simple, ends, [rectified - half, rectified + half])
    names, stat = judged.columns.to_numpy(), "mean" if pairs is None else "difference"
    columns = dict(zip(("name", "other"), [names] if pairs is None else names[np.array(pairs)]))
    columns |= {"topics": topics, "judge_topics": len(judged) - topics, stat: mean}
    columns |= {f"judge_{stat}": judge_mean, "rectified": rectified, "low": low, "high": high}
    worth = np.minimum(np.interp(-ratio, -width, m), len(judged))
    columns |= {"weight": weight, "worth": np.where(simple, topics, worth)}
    if pairs is not None:
        signs = np.array([part.mean for part in strata]), [[0.5 ** len(n)] for n, _ in rows]
        exact = np.where(rectified == 0, 1.0, p_of_signs(*signs))  # without variance
        columns["p"] = np.where(np.isfinite(t), 2 * p_above(np.abs(t), free), exact)
    return pd.DataFrame(columns)


def _subtract(values: Floats, pairs: Pairs) -> Floats:
    """Return the differences of the pairs' values, or the values; see :func:`equate`."""
    if pairs is None:
        return values
    return equate(values[:, pairs[0]] - values[:, pairs[1]], float(np.nanmax(np.abs(values))))


def _estimate(d: Floats, p: Floats, z: Floats) -> Floats:
    """Return rows of the values in one dataset; see :func:`rectify`.

    The mean of d, that of z, the rectified mean, lambda, the squared errors of the two terms, and
    their degrees of freedom.
    """
    n, more = len(d), len(z)
    d_left, p_left = (Stratum(values, np.ones(n)).centre().sums for values in (d, p))
    spread = (p_left**2).sum(axis=0)
    weight = (d_left * p_left).sum(axis=0) / np.where(spread, spread, np.inf)
    weight *= more / (n + more) if more > 1 else 0
    # the values are scaled: the largest is about 1
    errors = (np.abs(d - p) > ROUNDING).sum(axis=0)
    weight = np.where(errors < LEAST_ERRORS, 0.0, weight)
    simple = weight == 0
    judge_mean = z.mean(axis=0) if more else np.full(len(weight), np.nan)
    moved = np.where(simple, 0.0, weight * (judge_mean - p.mean(axis=0)))
    free = np.where(simple, n - 1, n - 2)
    error = ((d_left - weight * p_left) ** 2).sum(axis=0) / free / n
    error *= np.where(simple, 1, 1 + 1 / (n - 3))
    others = weight**2 * z.var(axis=0, ddof=1) / more if more > 1 else 0 * error
    free_others = np.full(len(free), max(more - 1, 1))
    mean = d.mean(axis=0)
    return np.array([mean, judge_mean, mean + moved, weight, error, others, free, free_others])
