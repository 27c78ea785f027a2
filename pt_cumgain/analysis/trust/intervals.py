"""Confidence intervals of means over topics, and of differences of means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.results import DATASET, GROUP, Results, TopicResults, check_system
from pt_cumgain.analysis.rounding import ROUNDING
from pt_cumgain.analysis.strata import Stratum, standard_error
from pt_cumgain.core import Floats
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.options import Method, checked

#: Groups of topics: a column, a mapping from topics, or a function of a topic's id.
Cluster = str | Mapping[Any, Any] | Callable[[Any], Any] | None

#: With fewer topics the bootstrap's intervals are too narrow.
FEW_TOPICS = 15

#: How many elements of the resamples, and of their means, are held at a time.
SHARE = 1 << 22


@checked
def intervals(
    results: Results,
    *,
    baseline: str | int | None = None,
    cluster: Cluster = None,
    confidence: float = 0.95,
    method: Method = "t",
    resamples: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    r"""Return confidence intervals, over topics, of means and differences.

    The topics are treated as a sample from a larger population. By default,
    these are Student's t intervals, :math:`\bar x \pm t_{n-1} s / \sqrt n`, of
    values and of paired differences, as reported with a paired t-test. The
    bootstrap instead draws the topics with replacement, ``resamples`` times.
    All systems and measures share the same draws, so that differences are
    always between values for the same topics.

    Systems may have different topics or sessions (ECIR 2008, section 3.1).
    Differences are then unpaired: the bootstrap draws the topics of each system
    independently, and ``"t"`` gives Welch's interval.

    The overall mean of several datasets is the mean of their means; the
    bootstrap redraws the topics within each, and ``"t"`` has the variance
    :math:`\sum_d s_d^2 / n_d` over the squared number of datasets, with
    Satterthwaite's degrees of freedom.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: the values of the systems by topic, as
        ``pt.Experiment(..., perquery=True)`` returns them, and ``dataset`` for
        several collections. Topics without judgments, which are NaN for every
        system, are left out, with a warning.
    baseline
        A system with which every other is compared: its name, or its place in
        the results, from 0 (``pt.Experiment`` sorts its results by name). The
        differences are paired if all systems have the same topics, otherwise
        unpaired; the column ``paired`` tells. No interval is corrected for the
        number of systems: one may exclude 0 where the corrected p of
        :func:`pt_cumgain.pairwise` is above 0.05.
    cluster
        Groups of topics that are not independent, such as the turns of one
        conversation or the variants of one query: a column of the results, a
        mapping from topics to groups, or a function of the topic's id. The mean
        is still over topics, but groups are redrawn whole, and ``"t"`` has
        :math:`G - 1` degrees of freedom and the squared error :math:`G / (G -
        1) \sum_g (\sum_{i \in g} (x_i - \bar x))^2 / n^2` for G groups: with
        groups of one size that of the groups' means.
    confidence
        The confidence level: the share of such intervals that contain the mean
        of the population, between 0 and 1.
    method
        ``"t"``: Student's t, without resampling; ``"bca"``: bootstrap,
        corrected for bias and skewness (Efron & Tibshirani, An Introduction to
        the Bootstrap, 1993, section 14.3); ``"percentile"``: the bootstrap's
        quantiles, uncorrected. The bootstrap's intervals are too narrow for
        few topics: with 10, the 95% BCa intervals of differences contained the
        population's in 87 of 100 samples of real values, those of t in 94.
    resamples
        How many samples the bootstrap draws.
    seed
        The seed of the draws. Topics are sorted as text before they are drawn.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``measure``, ``mean``, ``low``, ``high`` and, with a baseline,
        ``difference``, ``difference_low``, ``difference_high``: the mean of the
        system's value minus the baseline's, NaN for the baseline itself. A
        value or difference that is the same for all topics has an interval of
        width 0. If systems have different topics, there are also ``topics``,
        the number of topics of each mean, and, with a baseline, ``paired``.
        Several datasets have rows for each ``dataset`` and, called ``"mean"``,
        for the mean of their means.

    Raises
    ------
    ValueError
        If the results or an option cannot be used, a system has only one topic
        or group, or there are too few resamples for ``"bca"``.

    Warns
    -----
    UserWarning
        If there are fewer than 15 topics for the bootstrap.

    Notes
    -----
    The bootstrap equals ``scipy.stats.bootstrap`` with
    ``rng=numpy.random.default_rng(seed)``, except for BCa where resamples have
    exactly the mean of all topics: each counts as half below it, whereas scipy
    may lose some to rounding.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in (("A", 1), ("B", 2)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> intervals(results, baseline="A").round(2)
      name measure  mean   low  high  difference  difference_low  difference_high
    0    A      CG   2.0  1.33  2.67         NaN             NaN              NaN
    1    B      CG   3.0  2.33  3.67         1.0             1.0              1.0
    """
    results = TopicResults.read(results, cluster)
    if baseline is not None:
        baseline = check_system(baseline, results.names)
    options = {"confidence": confidence, "method": method, "resamples": resamples, "seed": seed}
    frame = results.label(lambda part: _intervals(part, baseline, options))
    if method != "t":
        warn_of_few_topics(results)
    return frame


def warn_of_few_topics(results: TopicResults) -> None:
    """Warn if there are too few topics, or groups of them, for the bootstrap."""
    groups = results.list_groups().groupby([DATASET, "measure", "name"])[GROUP]
    counts = groups.nunique(dropna=False)
    few = counts[counts < FEW_TOPICS]
    if len(few):
        with name_dataset(", ".join(few.index.unique(0))):
            _warn_of_few(few.min(), "groups of topics" if results.grouping else "topics")


def _warn_of_few(count: int, units: str = "topics") -> None:
    """Warn that there are too few topics, or groups of them, for the bootstrap."""
    warn(
        f"bootstrap intervals over {count} {units} are too narrow (with ten topics, only about 87 "
        "in 100 of the 95% intervals contain the true difference); with fewer than "
        f"{FEW_TOPICS}, use t intervals"
    )


def _intervals(results: TopicResults, baseline: Any, options: dict[str, Any]) -> pd.DataFrame:
    """Return the intervals of one dataset, or of the macro means of several."""
    names = results.names
    samples: list[list[Stratum]] = []
    sizes: list[float] = []
    parts = []
    for measure, matrix in results.matrices(systems=1, paired=False).items():
        values = matrix.to_numpy()
        paired = not np.isnan(values).any()
        layout = results.layout(matrix.index)
        own = [layout.split(column) for column in values.T]
        part = {"name": names, "measure": measure, "topics": matrix.count().to_list()}
        parts.append(pd.DataFrame({**part, "paired": paired}))
        samples += own
        if baseline is not None:
            base = values[:, names.index(baseline)]
            for name, column, strata in zip(names, values.T, own):
                together = paired or name == baseline
                samples.append(
                    layout.split(column - base) if together else [*strata, *layout.split(-base)]
                )
        sizes += [np.nanmax(np.abs(values))] * (len(samples) - len(sizes))
    ends = sample_intervals(samples, np.array(sizes), **options) / layout.datasets
    frame = pd.concat(parts, ignore_index=True)
    # of each measure the means come first, then the differences
    means, *differences = np.swapaxes(ends.reshape(len(parts), -1, len(names), 3), 0, 1)
    frame[["mean", "low", "high"]] = means.reshape(-1, 3)
    for ends in differences:
        columns = ["difference", "difference_low", "difference_high"]
        frame[columns] = ends.reshape(-1, 3)
        frame.loc[frame["name"] == baseline, columns] = np.nan
    same_topics = bool(frame["paired"].all())
    unneeded = ["topics"] * same_topics + ["paired"] * (same_topics or baseline is None)
    frame = frame.drop(columns=unneeded)
    place = frame["name"].map(names.index)
    return frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


def sample_intervals(
    samples: Sequence[list[Stratum]], size: Floats | None = None, **options: Any
) -> Floats:
    """Return means and the ends of their intervals, a row for each; see :func:`mean_intervals`.

    Each of ``samples`` has one column: the values of a mean over topics, or several independent
    samples whose means are added.
    """
    ends = np.empty((len(samples), 3))
    alike: dict[tuple[bytes, ...], list[int]] = {}  # those of the same groups see the same draws
    for i, parts in enumerate(samples):
        alike.setdefault(tuple(part.counts.tobytes() for part in parts), []).append(i)
    for at in alike.values():
        strata = [
            Stratum(np.column_stack([part.sums for part in parts]), parts[0].counts)
            for parts in zip(*(samples[i] for i in at))
        ]
        sizes = None if size is None else size[at]
        ends[at, 1:] = np.column_stack(mean_intervals(*strata, size=sizes, **options))
        ends[at, 0] = np.sum([part.mean for part in strata], axis=0)
    return ends


def topic_mean_intervals(
    values: Floats, topics: Sequence[str], **options: Any
) -> tuple[Floats, Floats]:
    """Return the result of :func:`mean_intervals` for rows of these topics, in any order.

    The rows are sorted by topic id, as in :func:`intervals`, so that all see the same draws.
    """
    if options.get("method", "t") != "t" and len(topics) < FEW_TOPICS:
        _warn_of_few(len(topics))
    order = sorted(range(len(topics)), key=topics.__getitem__)
    return mean_intervals(Stratum(values[order], np.ones(len(order))), **options)


def mean_intervals(
    *samples: Stratum,
    confidence: float = 0.95,
    method: Method = "t",
    resamples: int = 10_000,
    seed: int = 0,
    size: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of columns' means; see :func:`intervals`.

    Parameters
    ----------
    samples
        The values, a column for each mean over topics. The means of several samples, of topics of
        their own, are added.
    size
        The largest absolute value of each column's measure, to tell rounding from variation; by
        default, that of the column.
    """
    from scipy import special

    rows = [len(sample.counts) for sample in samples]
    with np.errstate(over="ignore", invalid="ignore"):
        centred = [sample.centre() for sample in samples]
        mean = np.sum([sample.mean for sample in samples], axis=0)
    lefts = np.concatenate([left for left, _ in centred])
    if not (np.isfinite(lefts).all() and np.isfinite(mean).all()):
        raise ValueError("the values are infinite or too large for a mean of floats")
    averages = [sums / counts[:, None] for sums, counts in samples]
    size = np.abs(np.concatenate(averages)).max(axis=0) if size is None else size
    varies = np.max([np.ptp(values, axis=0) for values in averages], axis=0) > ROUNDING * size
    # scaling by a power of 2 is exact; it keeps squares and cubes of all values finite
    _, scale = np.frexp(np.abs(lefts).max(axis=0))
    centred = [Stratum(np.ldexp(left, -scale), counts) for left, counts in centred]
    if method == "t":
        error, free = standard_error(centred)
        half = special.stdtrit(free, (1 + confidence) / 2) * error
        half = np.where(varies, np.ldexp(half, scale), 0.0)
        return mean - half, mean + half
    tails = np.array([[1 - confidence], [1 + confidence]]) / 2
    ends = np.stack([mean, mean])
    varying = np.flatnonzero(varies)
    step = max(SHARE // resamples, 1)
    for first in range(0, len(varying), step):
        part = varying[first : first + step]
        draws = np.random.default_rng(seed)
        drawn = [Stratum(left[:, part], counts) for left, counts in centred]
        resampled = [resampled_means(each, resamples, draws) for each in drawn]
        means = np.sum(resampled, axis=0).T
        # a value moves the sum of the means the more, the smaller its sample
        pulls = [_jackknife(each) * (rows[0] / len(each.counts)) for each in drawn]
        pull = np.concatenate(pulls)
        at = np.broadcast_to(tails, (2, len(part)))
        if method == "bca":
            bias = special.ndtri(_share_below(means, pull))
            if np.isinf(bias).any():
                raise ValueError(
                    f"method='bca' needs more than resamples={resamples}: all their means are on "
                    "one side of the mean"
                )
            z = bias + special.ndtri(tails)
            skew = (pull**3).sum(axis=0) / (pull**2).sum(axis=0) ** 1.5 / 6
            at = special.ndtr(bias + z / (1 - skew * z))
        quantiles = np.array([np.quantile(row, q) for row, q in zip(means, at.T)])
        ends[:, part] += np.ldexp(quantiles.T, scale[part])
    return ends[0], ends[1]


def _share_below(means: Floats, left: Floats) -> Floats:
    """Return the share of each row's means below 0, and half of those that are 0 up to rounding."""
    rounding = 1e-12 * np.abs(left).max(axis=0)[:, None]
    return np.asarray(((means < -rounding).mean(axis=1) + (means <= rounding).mean(axis=1)) / 2)


def _jackknife(centred: Stratum) -> Floats:
    """Return how far the mean falls without each row, times the number of the other rows."""
    left, counts = centred
    fall = left * ((len(left) - 1) / (counts.sum() - counts))[:, None]
    return np.asarray(fall - fall.mean(axis=0))


def resampled_means(sample: Stratum, resamples: int, draws: np.random.Generator) -> Floats:
    """Return the means of columns over groups drawn with replacement, a row for each draw."""
    n = len(sample.counts)
    out = np.empty((resamples, sample.sums.shape[1]))
    step = max(SHARE // n, 1)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        drawn = draws.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        out[first : first + rows] = times @ sample.sums / (times @ sample.counts)[:, None]
    return out
