"""Pairs of systems: differences with intervals, effect sizes and tests.

scipy and scikit-posthocs compute the tests that they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.comparing._datasets import join_parts, split_datasets
from pt_cumgain.comparing._friedman import LIMIT, conover, correct
from pt_cumgain.comparing._intervals import Estimate, estimate_means
from pt_cumgain.comparing._results import Results, TopicResults
from pt_cumgain.comparing._rounding import ROUNDING, equate
from pt_cumgain.comparing._systems import Baseline, check_baselines, pair_systems
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.environment.warning import warn
from pt_cumgain.options import CONFIDENCE_LEVEL, checked

#: The smallest p: no test returns 0.
TINY = float(np.finfo(np.float64).tiny)
#: How many differences of the randomisation test are held at a time.
SHARE = 1 << 22
#: The fewest topics of each dataset with which a mean of datasets' means is tested.
FEWEST = 5


class Settings(NamedTuple):
    """The arguments of :func:`pairwise` besides the results."""

    test: str
    baselines: Sequence[object]
    correction: str | None
    alpha: float
    confidence: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class Sample:
    """The values of one measure, and the pairs of systems to compare.

    Attributes
    ----------
    parts
        The values of each dataset, a row for each topic, a column for each system. The largest is
        about 1, so that squares stay finite.
    first, second
        The columns of each pair.
    settings
        How to compare them.
    """

    parts: list[Floats]
    first: Ints
    second: Ints
    settings: Settings

    @property
    def scale(self) -> float:
        """The measure's largest absolute value."""
        return float(max(np.abs(part).max() for part in self.parts))

    @cached_property
    def differences(self) -> list[Floats]:
        """The differences of the pairs by dataset, a row for each topic; rounding errors are 0."""
        first, second = self.first, self.second
        return [equate(part[:, first] - part[:, second], self.scale) for part in self.parts]

    @cached_property
    def differ(self) -> NDArray[np.bool_]:
        """Whether the systems of a pair have different values for a topic."""
        return np.asarray(np.concatenate(self.differences).any(axis=0))

    @cached_property
    def estimate(self) -> Estimate:
        """The mean differences with their errors; 0 for systems that differ only by rounding."""
        estimate = estimate_means(self.differences, self.scale)
        # a mean of rounded differences could be 1e-13 where they cancel out
        exact = [part[:, self.first] - part[:, self.second] for part in self.parts]
        means = np.mean([part.mean(axis=0) for part in exact], axis=0)
        return replace(estimate, mean=np.where(self.differ, means, 0.0))

    @property
    def spread(self) -> Floats:
        """The standard deviations of the pairs' differences: the root mean variance of datasets."""
        variances = [part.var(axis=0, ddof=1) for part in self.differences]
        return np.where(self.estimate.error > 0, np.sqrt(np.mean(variances, axis=0)), 0.0)

    @property
    def residual(self) -> float:
        """The root of the mean residual variance of the datasets' layouts, systems by topics."""
        variances = []
        for part in self.parts:
            left = part - part.mean(axis=1)[:, None] - part.mean(axis=0) + part.mean()
            variances.append((left**2).sum() / (len(part) - 1) / (part.shape[1] - 1))
        return float(np.sqrt(np.mean(variances)))


@dataclass(frozen=True)
class Outcome:
    """The result of a test.

    Attributes
    ----------
    p
        The p-value of each pair.
    merit
        For tests by ranks, how much better the first of each pair is.
    half
        Half of the width of the intervals of all pairs, if the test has its own.
    """

    p: Floats
    merit: Floats | None = None
    half: float | None = None


def _wilcoxon(sample: Sample) -> Outcome:
    from scipy.stats import rankdata, wilcoxon

    differences = np.concatenate(sample.differences)
    # one by one: scipy decides between exact and approximate for all together
    p = np.array([wilcoxon(column).pvalue if column.any() else 1.0 for column in differences.T])
    apart = np.where(differences == 0, np.nan, np.abs(differences))
    ranks = rankdata(apart, axis=0, nan_policy="omit")
    return Outcome(p, np.nansum(np.sign(differences) * ranks, axis=0))


def _randomisation(sample: Sample) -> Outcome:
    """Flip the signs of topics' differences; a dataset's topics have the weight 1 / n."""
    from scipy.stats import permutation_test

    # from the values as they are: thirds that are rounded have other sums than their signs say
    exact = [part[:, sample.first] - part[:, sample.second] for part in sample.parts]
    rounded = sample.differences
    weighted = np.concatenate([np.where(r, e, 0) / len(e) for r, e in zip(rounded, exact)])
    observed, nearest = weighted.sum(axis=0), (sample.scale or 1.0) * ROUNDING / 10

    def compare_sums(values: Floats, axis: int) -> Floats:
        """Return by how much sums exceed the observed one; those that rounding moves, by 0."""
        return np.asarray(np.round((values.sum(axis=axis) - observed) / nearest / 2))

    test = permutation_test(
        (weighted,),
        compare_sums,
        permutation_type="samples",
        vectorized=True,
        n_resamples=sample.settings.resamples,
        batch=max(SHARE // sample.differences[0].size, 1),
        random_state=sample.settings.seed,
    )
    return Outcome(test.pvalue)


def takes_all_signs(topics: int, resamples: int) -> bool:
    """Return whether the randomisation test takes all patterns of signs instead of drawing some."""
    return 2.0**topics <= resamples


def _randomised_tukey(sample: Sample) -> Outcome:
    """Compare with the largest difference under permutations of each topic's values."""
    systems, resamples = sample.parts[0].shape[1], sample.settings.resamples
    draws = np.random.default_rng(sample.settings.seed)
    places = np.tile(np.arange(systems), (resamples, 1))
    means = np.zeros((resamples, systems))
    for part in sample.parts:
        for values in part:
            draws.permuted(places, axis=1, out=places)
            means += values[places] / len(part)
    largest = np.sort(np.ptp(means, axis=1)) / len(sample.parts)
    size = np.abs(sample.estimate.mean) - ROUNDING * sample.scale
    as_large = resamples - np.searchsorted(largest, size)
    p = (as_large + 1) / (resamples + 1)  # the observed values are one of them
    # exactly the larger differences have a p below 1 - confidence
    most = ceil(round((1 - sample.settings.confidence) * (resamples + 1), 9)) - 1
    return Outcome(p, half=float(largest[-most]) if most > 0 else np.inf)


def _conover(sample: Sample) -> Outcome:
    from scipy.stats import rankdata

    values = equate(np.concatenate(sample.parts))
    if values.shape[1] < 3:
        raise ValueError("test='conover' compares three systems or more; for two use 'wilcoxon'")
    ranks = rankdata(values, axis=1).sum(axis=0)
    p = conover(values)[sample.first, sample.second]
    return Outcome(p, ranks[sample.first] - ranks[sample.second])


@dataclass(frozen=True)
class PairTest:
    """One of the tests.

    Attributes
    ----------
    compare
        Computes it.
    ranks
        How a sentence says that it compares ranks; empty if it compares values.
    together
        Whether it compares all systems together, and so has one variance, the residual one.
    corrects
        Whether its p-values are corrected for the number of pairs already.
    sides
        What a sentence says of the alternative, or of the p-values.
    """

    compare: Callable[[Sample], Outcome]
    ranks: str = ""
    together: bool = False
    corrects: bool = False
    sides: str = "two-sided"


TESTS = {
    "t": PairTest(lambda sample: Outcome(sample.estimate.p)),
    "wilcoxon": PairTest(_wilcoxon, ranks=" in signed ranks"),
    "randomisation": PairTest(_randomisation),
    "randomised-tukey": PairTest(
        _randomised_tukey, together=True, corrects=True, sides="adjusted for all pairs"
    ),
    "conover": PairTest(_conover, ranks=" in mean rank", together=True, sides=""),
}


@checked
def pairwise(
    results: Results,
    *,
    test: str = "t",
    baseline: Baseline = None,
    correction: str | None = "holm",
    alpha: float = LIMIT,
    confidence: float = CONFIDENCE_LEVEL,
    resamples: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    r"""Test the differences between all pairs of systems, or from a baseline.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.intervals`; all systems need the same topics.
    test
        Two-sided; d are the n differences of a pair.

        - ``"t"``: the paired t-test of the mean of d.
        - ``"wilcoxon"``: Wilcoxon's signed-rank test.
        - ``"randomisation"``: Fisher's paired randomisation test, by scipy's
          ``permutation_test``. The signs of d are changed in all patterns or,
          if there are more, in ``resamples`` random ones. p is twice the
          smaller of two shares of these patterns: those whose mean is at least
          as large as the observed one, and those whose mean is at least as
          small.
        - ``"randomised-tukey"``: Tukey's HSD by permutations of each topic's
          values among the systems (Carterette, TOIS 2012), corrected for all
          pairs.
        - ``"conover"``: Conover's test after Friedman's, of three systems or
          more. It also marks pairs if Friedman's test finds nothing; see
          :func:`pt_cumgain.comparing.friedman` first, as
          ``paper_table(test="friedman")`` does. If four equal systems are
          compared together with a far better one, Holm's correction marks two
          of the four as different in about 9% of samples.

    baseline
        The system to compare all others with, by name, or a list of several. By
        default, all pairs are compared.
    correction
        The correction for the number of pairs of a measure (and dataset), of
        all baselines together: a method of statsmodels' multipletests
        (``"holm"``, ``"bonferroni"``, ``"fdr_bh"``, ...), or None. The
        randomised Tukey test needs none.
    alpha
        The level below which a corrected p counts as significant.
    confidence
        The confidence of the intervals.
    resamples, seed
        The number and the seed of the random samples.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and pair, in the order of the systems in the
        results: ``measure``, ``name``, ``other`` (the baseline, where there is
        one), ``difference`` of their means, ``low``, ``high``, ``relative``,
        ``effect``, ``p``, ``p_corrected`` and ``better``, the better system (by
        ranks in tests by ranks) if the difference is significant, otherwise
        empty.

        ``low`` and ``high`` are mean ± t s / √n of the differences, for a
        single pair and uncorrected; those of the randomised Tukey test hold for
        all pairs together. ``relative`` is the difference divided by the mean
        of the baseline or, without a baseline, of the worse of the two systems
        (SIGIR 2000, section 3.5); NaN if that mean is not above 0. ``effect``
        is the mean difference divided by the standard deviation of the
        differences or, for tests of all systems together, by the root of the
        residual variance (Sakai, SIGIR Forum 48(1), 2014).

        Values that agree to 12 digits of the measure's largest value count as
        equal. Two systems with equal values have p = 1 and no effect size. If
        the differences are constant and not 0, there is no variance for the
        t-test and Conover's test: p is NaN, ``better`` is empty, and you get a
        warning.

        Several datasets have rows for each ``dataset`` and for their mean,
        called ``"mean"``. For the latter, randomisation tests permute within
        each topic, and tests by ranks pool the topics.

    Raises
    ------
    ValueError
        If the results or an option cannot be used, there are fewer than two
        systems or topics, or fewer than five topics in one of several datasets:
        the tests of the mean of their means would find differences too often.
    ImportError
        If scikit-posthocs, of the extra ``stats``, is needed and not installed.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pairwise, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> pairs = pairwise(results, baseline="BM25")
    >>> pairs[["name", "other", "difference", "low", "high", "p_corrected"]].round(3)
             name other  difference    low   high  p_corrected
    0         DPH  BM25      -0.026 -0.054  0.001        0.173
    1  First word  BM25      -0.162 -0.238 -0.085        0.000
    2         PL2  BM25      -0.027 -0.060  0.005        0.200
    3         QLD  BM25      -0.013 -0.043  0.018        0.408
    """
    results = TopicResults.read(results)
    baselines = check_baselines(baseline, results.names)
    settings = Settings(test, baselines, correction, alpha, confidence, resamples, seed)
    if "" in results.names:
        raise ValueError("a system has no name; give it one")
    pairs = results.label(partial(_compare, settings))
    constant = pairs[pairs["p"].isna()]
    if len(constant):
        first = constant.iloc[0]
        others = ", as do other pairs" if len(constant) > 1 else ""
        warn(
            f"{first['measure']}: {first['name']!r} and {first['other']!r} differ by the same "
            f"amount in every topic{others}; without variance, test={test!r} has no p; use "
            "test='randomisation'"
        )
    return pairs


def _check_datasets(measure: str, matrix: pd.DataFrame) -> None:
    """Refuse datasets with too few topics for a test of the mean of their means."""
    counts = matrix.groupby(level=0).size()
    several = matrix.index.nlevels > 1 and len(counts) > 1
    if several and counts.min() < FEWEST:
        what = f"{measure}: dataset {counts.idxmin()!r} has {counts.min()} topics"
        mean = f"the mean over datasets is tested only if each has at least {FEWEST}"
        raise ValueError(f"{what}; {mean}; test results[results['dataset'] == ...] one by one")


def _compare(settings: Settings, results: TopicResults) -> pd.DataFrame:
    """Return the pairs of one dataset, or of the macro means of several."""
    frames = {}
    for measure, matrix in results.matrices().items():
        _check_datasets(measure, matrix)
        names = list(matrix.columns)
        first, second = pair_systems(names, settings.baselines)
        # a power of 2, so that nothing is rounded
        unit = 2.0 ** np.frexp(np.abs(matrix.to_numpy()).max())[1]
        sample = Sample(split_datasets(matrix / unit), first, second, settings)
        frames[measure] = _tabulate(sample, names, unit)
    pairs = join_parts(frames, "measure")
    ahead = pairs.pop("ahead")
    better = np.select([ahead > 0, ahead < 0], [pairs["name"], pairs["other"]], "")
    pairs["better"] = np.where(pairs["p_corrected"] < settings.alpha, better, "")
    return pairs


def _tabulate(sample: Sample, names: Sequence[object], unit: float) -> pd.DataFrame:
    """Return the pairs of one measure, and how much the first of each is ahead."""
    of_system, first, second = np.array(names, dtype=object), sample.first, sample.second
    settings, difference = sample.settings, sample.estimate.mean
    declared = TESTS[settings.test]
    outcome = declared.compare(sample)
    low, high = sample.estimate.ends(settings.confidence)
    if outcome.half is not None:
        low, high = difference - outcome.half, difference + outcome.half
    means = np.mean([part.mean(axis=0) for part in sample.parts], axis=0)
    base = means[second] if settings.baselines else np.minimum(means[first], means[second])
    spread = np.full(len(first), sample.residual) if declared.together else sample.spread
    p = np.maximum(np.where(sample.differ, outcome.p, 1.0), TINY)
    columns = {
        "name": of_system[first],
        "other": of_system[second],
        "difference": difference * unit,
        "low": low * unit,
        "high": high * unit,
        "relative": difference / np.where(base > 0, base, np.nan),
        "effect": difference / np.where((spread > 0) & sample.differ, spread, np.nan),
        "p": p,
        "p_corrected": p if declared.corrects else correct(p, settings.correction),
        "ahead": difference if outcome.merit is None else outcome.merit,
    }
    return pd.DataFrame(columns)


def is_corrected(pairs: pd.DataFrame) -> bool:
    """Return whether a correction changed any p; rounding changes none."""
    return not np.allclose(pairs["p"], pairs["p_corrected"], rtol=1e-9, atol=0, equal_nan=True)
