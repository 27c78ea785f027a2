"""Pairs of systems: differences, effect sizes and tests, and how many pairs a measure tells apart.

scipy and scikit-posthocs compute the tests that they have.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil, comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.analysis.comparing.all_systems import (
    LIMIT,
    conover,
    correct,
    residual_squares,
    signed_ranks,
)
from pt_cumgain.analysis.results import (
    Baseline,
    Results,
    TopicResults,
    check_baselines,
    find_blocks,
    pair_systems,
)
from pt_cumgain.analysis.rounding import ROUNDING, equate
from pt_cumgain.analysis.strata import Layout, Stratum, p_above, p_of_signs, t_statistics
from pt_cumgain.analysis.trust.intervals import (
    SHARE,
    Cluster,
    mean_intervals,
    sample_intervals,
    warn_of_few_topics,
)
from pt_cumgain.core import Floats
from pt_cumgain.environment.warning import warn
from pt_cumgain.options import KIND, Method, checked, refuse

Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class Options:
    """The arguments of :func:`pairwise`."""

    results: Results
    test: str
    baseline: Baseline
    cluster: Cluster
    correction: str | None
    alpha: float
    confidence: float
    margin: Any
    interval: bool | Method
    resamples: int
    seed: int


#: The smallest p: no test returns 0.
TINY = float(np.finfo(np.float64).tiny)


def scale_values(measure: str, *values: Any) -> tuple[list[Any], int]:
    """Return a measure's values divided by 2 to a power, and the exponent of the power.

    This is exact, and keeps squares of huge and tiny values within the range of floats.

    Raises
    ------
    ValueError
        If a value is infinite.
    """
    largest = max(np.nanmax(np.abs(np.asarray(each))) for each in values)
    if np.isinf(largest):
        raise ValueError(f"{measure}: a value is infinite, so it has no difference from others")
    exponent = int(np.frexp(largest)[1])
    return [np.ldexp(each, -exponent) for each in values], exponent


class Sample:
    """The values of one measure, and the pairs of systems to compare.

    Attributes
    ----------
    measure
        Its text.
    names
        The systems.
    values
        A row for each topic, a column for each system; NaN where a system has topics of its own.
    layout
        The datasets and groups of the topics.
    first, second
        The columns of each pair: all pairs, or those with the baselines.
    exponent
        The values are the measure's, divided by 2 to this power; see :func:`scale_values`.
    baseline
        Whether the second of each pair is a baseline.
    """

    def __init__(
        self, measure: str, matrix: pd.DataFrame, baselines: list[Any], layout: Layout
    ) -> None:
        (self.values,), self.exponent = scale_values(measure, matrix.to_numpy())
        self.measure, self.layout, self.baseline = measure, layout, bool(baselines)
        self.names = np.array(matrix.columns, dtype=object)
        self.first, self.second = pair_systems(list(self.names), baselines)

    @cached_property
    def differences(self) -> Floats:
        """The differences of the pairs, a row for each topic; see :func:`equate`."""
        raw = self.values[:, self.first] - self.values[:, self.second]
        return equate(raw, float(np.abs(self.values).max()))

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs have the same value for every topic."""
        return np.asarray(~self.differences.any(axis=0))

    @cached_property
    def means(self) -> Floats:
        """The means of the systems, or the means of their means in the datasets."""
        by_dataset = [np.nanmean(self.values[rows], axis=0) for rows in self.layout.rows()]
        return np.asarray(np.mean(by_dataset, axis=0))

    @property
    def difference(self) -> Floats:
        """The differences of the pairs' means; rounding errors become 0."""
        raw = self.means[self.first] - self.means[self.second]
        rounding = ROUNDING * np.nanmax(np.abs(self.values))
        return np.where(self.same | (np.abs(raw) <= rounding), 0.0, raw)

    @property
    def relative(self) -> Floats:
        """The differences, divided by the means of the baseline or of the worse systems."""
        base = self.means[self.second]
        if not self.baseline:
            base = np.minimum(base, self.means[self.first])
        return self.difference / np.where(base > 0, base, np.nan)

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Which pairs have the same difference for every topic of a dataset."""
        parts = [self.differences[rows] for rows in self.layout.rows()]
        return np.asarray(np.all([(part == part[:1]).all(axis=0) for part in parts], axis=0))

    @property
    def spread(self) -> Floats:
        """The standard deviations of the pairs' differences.

        With several datasets, the root of the mean of their variances.
        """
        variances = [self.differences[rows].var(axis=0, ddof=1) for rows in self.layout.rows()]
        return np.asarray(np.sqrt(np.mean(variances, axis=0)))

    @cached_property
    def strata(self) -> list[Stratum]:
        """The differences of the pairs by dataset."""
        return self.layout.split(self.differences)

    def t_statistics(self, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Return t and its degrees of freedom for the pairs' differences, less ``shift``."""
        return t_statistics(self.strata, shift * self.layout.datasets)

    def intervals(self, **options: Any) -> Ends:
        """Return the ends of the intervals of the pairs' differences."""
        low, high = mean_intervals(*self.strata, **options)
        return low / self.layout.datasets, high / self.layout.datasets

    def weigh(self, strata: list[Stratum]) -> Floats:
        """Return the rows of all strata, weighted so that their sum is that of as many topics."""
        topics = len(self.values) / len(strata)
        return np.concatenate([part.sums * (topics / part.counts.sum()) for part in strata])

    def permute(self, shift: float = 0.0) -> Floats:
        """Return p without variance: of all signs of the groups' differences, less ``shift``."""
        means = np.array([part.mean for part in self.strata])
        return p_of_signs(means - shift, [[0.5 ** len(part.counts)] for part in self.strata])

    @property
    def residual_variances(self) -> Floats:
        """The residual variance of each dataset's two-way layout, systems by topics."""
        parts, factors = [self.values[rows] for rows in self.layout.rows()], len(self.names) - 1
        return np.array([residual_squares(part) / (len(part) - 1) / factors for part in parts])


class UnpairedSample(Sample):
    """The values of systems that have topics of their own, and the pairs to compare."""

    @cached_property
    def own(self) -> list[list[Floats]]:
        """The values of each system by dataset; see :func:`equate`."""
        values, has = self.values.copy(), ~np.isnan(self.values)
        values[has] = equate(values[has])
        rows = self.layout.rows()
        return [[values[part, i][has[part, i]] for part in rows] for i in range(values.shape[1])]

    @property
    def pairs(self) -> list[list[Floats]]:
        """The values of both systems of each pair, by dataset."""
        return [[*self.own[i], *self.own[j]] for i, j in zip(self.first, self.second)]

    @cached_property
    def samples(self) -> list[list[Stratum]]:
        """For each pair, the samples with means that add up to its difference.

        Raises
        ------
        ValueError
            If a group has topics of both systems of a pair.
        """
        large = (np.bincount(self.layout.group) > 1)[self.layout.group]
        has = ~np.isnan(self.values) & large[:, None]
        groups = [set(self.layout.group[rows]) for rows in has.T]
        for i, j in zip(self.first, self.second):
            if groups[i] & groups[j]:
                raise ValueError(
                    f"cluster: a group has topics of {self.names[i]!r} and of {self.names[j]!r}, "
                    "which an unpaired test takes as independent; use test='t'"
                )
        columns = zip(self.values.T[self.first], self.values.T[self.second])
        return [[*self.layout.split(a), *self.layout.split(-b)] for a, b in columns]

    def t_statistics(self, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Return Welch's t and its degrees of freedom for the pairs' differences."""
        t, free = zip(*(t_statistics(parts, shift) for parts in self.samples))
        return np.array(t), np.array(free)

    def intervals(self, **options: Any) -> Ends:
        """Return the ends of the intervals of the pairs' differences."""
        _, low, high = sample_intervals(self.samples, **options).T / self.layout.datasets
        return low, high

    def permute(self, shift: float = 0.0) -> Floats:
        """Return p without variance: of all ways to give the groups to the systems."""
        half = self.layout.datasets
        pairs = [[*zip(parts, parts[half:])] for parts in self.samples]
        means = np.array([[a.mean + b.mean - shift for a, b in parts] for parts in pairs])
        sizes = [[(len(a.counts), len(b.counts)) for a, b in parts] for parts in pairs]
        return p_of_signs(means.T, np.array([[1 / comb(a + b, a) for a, b in n] for n in sizes]).T)

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Which pairs are of two systems that each have the same value for every topic."""
        return np.array([all(np.ptp(part) == 0 for part in parts) for parts in self.pairs])

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs have a single value for all topics."""
        return np.array([np.ptp(np.concatenate(parts)) == 0 for parts in self.pairs])

    @property
    def spread(self) -> Floats:
        """The roots of the pairs' mean variances."""
        variances = [[part.var(ddof=1) for part in parts] for parts in self.pairs]
        return np.asarray(np.sqrt(np.mean(variances, axis=1)))


@dataclass(frozen=True)
class Outcome:
    """The result of a test.

    Attributes
    ----------
    p
        The p-value of each pair.
    merit
        For tests by ranks, how much better the first of each pair is.
    interval
        Computes the ends of the interval of each pair's difference, if the test has its own.
    """

    p: Floats
    merit: Floats | None = None
    interval: Callable[[], Ends] | None = None


def _t(sample: Sample, _: Options) -> Outcome:
    t, free = sample.t_statistics()
    # no variance is left where the differences (or, unpaired, the values) are constant, nor where
    # those of all groups have the same mean; a test of permutations needs none
    exact = np.where(sample.difference == 0, 1.0, sample.permute())
    p = np.where(np.isfinite(t), 2 * p_above(np.abs(t), free), exact)
    return Outcome(p)


def _wilcoxon(sample: Sample, _: Options) -> Outcome:
    from scipy.stats import wilcoxon

    # one by one: scipy decides between exact and approximate for all at once
    pairs = zip(sample.differences.T, sample.same)  # older scipy refuses equal values
    p = np.array([1.0 if same else wilcoxon(differences).pvalue for differences, same in pairs])
    return Outcome(p, signed_ranks(sample.differences))


def _randomisation(sample: Sample, options: Options) -> Outcome:
    differences = sample.weigh(sample.strata)
    topics, pairs = differences.shape
    exact = takes_all_signs(topics, options.resamples)
    patterns = 2**topics if exact else options.resamples
    rounding = ROUNDING * topics * np.abs(differences).max(axis=0)
    least = np.abs(differences.sum(axis=0)) - rounding
    as_far = np.zeros(pairs, dtype=np.int64)
    draws = np.random.default_rng(options.seed)
    step = max(SHARE // max(topics, pairs), 1)
    for at in range(0, patterns, step):
        rows = min(step, patterns - at)
        if exact:  # the binary digits of 0, 1, 2, ...
            negative = np.arange(at, at + rows)[:, None] >> np.arange(topics) & 1
        else:
            negative = draws.integers(0, 2, (rows, topics))
        as_far += (np.abs((1.0 - 2.0 * negative) @ differences) >= least).sum(axis=0)
    # the observed signs are one of the patterns
    p = as_far / patterns if exact else (as_far + 1) / (patterns + 1)
    return Outcome(p)


def takes_all_signs(topics: int, resamples: int) -> bool:
    """Return whether the randomisation test takes all patterns of signs instead of drawing some."""
    return 2.0**topics <= resamples


def _tukey(sample: Sample, options: Options) -> Outcome:
    from scipy.stats import studentized_range

    systems, size = len(sample.names), np.abs(sample.difference)
    topics = np.array([len(rows) for rows in sample.layout.rows()])
    squares = sample.residual_variances / topics
    if not squares.any():  # the systems have the same order for all topics: Bonferroni's bound
        bound = np.minimum(comb(systems, 2) * sample.permute(), 1.0)
        return Outcome(np.where(size == 0, 1.0, bound), None, partial(_around, sample, 0.0))
    error = np.sqrt(squares.sum()) / len(topics)
    shares = squares / squares.sum()
    free = (systems - 1) / (shares**2 / (topics - 1)).sum()  # Satterthwaite's
    ranges = studentized_range(systems, free)
    distinct, where = np.unique(size, return_inverse=True)  # each takes 30 ms
    p = ranges.sf(distinct / error)[where]
    return Outcome(p, None, lambda: _around(sample, ranges.ppf(options.confidence) * error))


def _randomised_tukey(samples: list[Sample], options: Options) -> list[Outcome]:
    """Compare the systems under several measures; those of as many topics see the same draws."""
    by_shape: dict[tuple[int, ...], list[Sample]] = {}
    for sample in samples:
        groups = sum(len(part.counts) for part in sample.strata)
        by_shape.setdefault((groups, *sample.values.shape), []).append(sample)
    largest: dict[Sample, Floats] = {}
    for alike in by_shape.values():
        largest.update(zip(alike, _largest_differences(alike, options)))
    return [_against_largest(sample, largest[sample], options) for sample in samples]


def _largest_differences(samples: list[Sample], options: Options) -> Floats:
    """Return the largest difference of two systems' means, a row for each measure, ascending.

    The differences are those under random permutations of each topic's values among the systems.
    """
    topics, systems = samples[0].values.shape
    blocks = [sample.weigh(sample.layout.split(sample.values)) for sample in samples]
    draws = np.random.default_rng(options.seed)
    largest = np.empty((len(samples), options.resamples))
    step = max(SHARE // (systems * len(samples)), 1)
    for at in range(0, options.resamples, step):
        rows = min(step, options.resamples - at)
        places = np.tile(np.arange(systems), (rows, 1))
        sums = np.zeros((len(samples), rows, systems))
        for values_by_measure in zip(*blocks):
            draws.permuted(places, axis=1, out=places)
            for total, values in zip(sums, values_by_measure):
                total += values[places]
        largest[:, at : at + rows] = np.ptp(sums, axis=2) / topics
    return np.sort(largest)


def _against_largest(sample: Sample, largest: Floats, options: Options) -> Outcome:
    rounding = ROUNDING * np.abs(sample.values).max()
    size = np.abs(sample.difference) - rounding
    as_large = options.resamples - np.searchsorted(largest, size)
    p = (as_large + 1) / (options.resamples + 1)  # the observed values are one of them
    # exactly the larger differences have a p below 1 - confidence
    most = ceil(round((1 - options.confidence) * (options.resamples + 1), 9)) - 1
    half = largest[-most] if most > 0 else np.inf
    return Outcome(p, None, partial(_around, sample, half))


def _conover(sample: Sample, _: Options) -> Outcome:
    from scipy.stats import rankdata

    values = equate(sample.values)
    if values.shape[1] < 3:
        raise ValueError("test='conover' compares three systems or more; for two use 'wilcoxon'")
    ranks = rankdata(values, axis=1).sum(axis=0)
    p = conover(values, None)[sample.first, sample.second]
    return Outcome(p, ranks[sample.first] - ranks[sample.second])


def _equivalence(sample: Sample, options: Options) -> Outcome:
    margin = float(np.ldexp(options.margin, -sample.exponent))
    least, free = sample.t_statistics(-margin)
    most, _ = sample.t_statistics(margin)
    above, below = p_above(least, free), p_above(-most, free)
    within = np.abs(sample.difference) < margin * (1 - ROUNDING)
    one_sided = np.maximum(sample.permute(margin), sample.permute(-margin)) / 2
    exact = np.where(within, one_sided, 1.0)
    p = np.where(np.isfinite(least + most), np.maximum(above, below), exact)
    return Outcome(p, None, partial(sample.intervals, confidence=1 - 2 * options.alpha))


def _around(sample: Sample, half: float) -> Ends:
    return sample.difference - half, sample.difference + half


def _mann_whitney(sample: UnpairedSample, _: Options) -> Outcome:
    from scipy.stats import mannwhitneyu

    if sample.layout.datasets > 1:
        raise ValueError(
            "test='mann-whitney' has no form for several datasets; use test='welch', or compare "
            "the systems in each dataset"
        )
    results = [mannwhitneyu(a, b, alternative="two-sided") for a, b in sample.pairs]
    p = np.array([result.pvalue for result in results])
    merit = [r.statistic - len(a) * len(b) / 2 for r, (a, b) in zip(results, sample.pairs)]
    return Outcome(p, np.array(merit))


@dataclass(frozen=True)
class PairTest:
    """One of the tests.

    Attributes
    ----------
    compare
        Computes it, for several measures.
    ranks
        How a sentence says that it compares ranks; empty if it compares values.
    together
        Whether it compares all systems at once, and so has one variance, the residual one.
    corrects
        Whether its p-values are corrected for the number of pairs already.
    paired
        Whether it compares values of the same topics.
    clusters
        Whether it can take the topics of a group together.
    methods
        Whether any kind of interval can be reported with it; otherwise it has
        its own.
    sides
        What a sentence says of the alternative, or of the p-values.
    """

    compare: Callable[[list[Sample], Options], list[Outcome]]
    ranks: str = ""
    together: bool = False
    corrects: bool = False
    paired: bool = True
    clusters: bool = False
    methods: bool = True
    sides: str = "two-sided"

    @property
    def spread(self) -> str:
        """The divisor of the mean difference in the effect size."""
        if self.together:
            return "residual standard deviation"
        return (
            "standard deviation of the differences" if self.paired else "root of the mean variance"
        )


#: Declares either of Tukey's tests.
_test_of_tukey = partial(
    PairTest, together=True, corrects=True, methods=False, sides="adjusted for all pairs"
)


def _each(test: Callable[[Any, Options], Outcome]) -> Any:
    """Return a function that computes a test for one measure after another."""
    return lambda samples, options: [test(sample, options) for sample in samples]


TESTS = {
    "t": PairTest(_each(_t), clusters=True),
    "wilcoxon": PairTest(_each(_wilcoxon), ranks=" in signed ranks"),
    "randomisation": PairTest(_each(_randomisation), clusters=True),
    "tukey": _test_of_tukey(_each(_tukey)),
    "randomised-tukey": _test_of_tukey(_randomised_tukey, clusters=True),
    "conover": PairTest(_each(_conover), ranks=" in mean rank", together=True, sides=""),
    "equivalence": PairTest(_each(_equivalence), clusters=True, methods=False, sides=""),
    "welch": PairTest(_each(_t), paired=False, clusters=True),
    "mann-whitney": PairTest(_each(_mann_whitney), ranks=" in mean rank", paired=False),
}


@checked(interval=KIND)
def pairwise(
    results: Results,
    *,
    test: str = "t",
    baseline: Baseline = None,
    cluster: Cluster = None,
    correction: str | None = "holm",
    alpha: float = LIMIT,
    confidence: float = 0.95,
    margin: float | None = None,
    interval: bool | Method = True,
    resamples: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    r"""Test the differences between all pairs of systems, or against a baseline.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.intervals`, or the path of the ``perquery.csv``
        that ``pt.Experiment`` wrote.
    test
        Two-sided; d are the n differences of a pair.

        - ``"t"``: the paired t-test; its interval is :math:`\bar d \pm t_{n-1}
          s_d / \sqrt n`.
        - ``"wilcoxon"``: Wilcoxon's signed-rank test.
        - ``"randomisation"``: Fisher's paired randomisation test: p is the
          share of the patterns of signs of d under which the mean is at least
          as far from 0 as the observed one.
        - ``"tukey"``: Tukey's HSD of the two-way layout: the studentized range
          of :math:`\bar d / \sqrt{V / n}`, V the residual variance.
        - ``"randomised-tukey"``: the same by permutations of each topic's
          values among the systems (Carterette, TOIS 2012).
        - ``"conover"``: Conover's test after Friedman's; see
          :func:`pt_cumgain.comparing.posthoc`.
        - ``"equivalence"``: two one-sided t-tests; a small p shows that the
          difference is within ``margin``. The intervals' confidence is
          1 - 2 ``alpha``.
        - ``"welch"``, ``"mann-whitney"``: Welch's t-test and the U test, for
          systems that have topics of their own.

        No test returns p = 0: if the differences do not vary, p is that of a
        permutation test (1 if datasets differ in sign). The intervals of the
        two Tukey tests hold for all pairs together, all others for a single
        pair, uncorrected.
    baseline
        The system to compare all others with, by name or position in the
        results, or a list of several. By default, all pairs are compared.
    cluster
        As for :func:`pt_cumgain.intervals`; with ``"t"``, ``"welch"``,
        ``"equivalence"`` and the randomisation tests.
    correction
        The correction for the number of pairs of a measure (and dataset), of
        all baselines together: one of statsmodels' (``"holm"``,
        ``"bonferroni"``, ``"fdr_bh"``, ...), for Conover's test also
        ``"single-step"``, or None. The two Tukey tests need none.
    alpha
        The level below which a corrected p counts as significant.
    confidence
        The confidence of the intervals, except for equivalence.
    margin
        For the equivalence test: smaller differences do not matter.
    interval
        The kind of the intervals, ``"t"`` (or True), ``"bca"`` or
        ``"percentile"``, as in :func:`pt_cumgain.intervals`; the two Tukey
        tests and equivalence have their own. With False there are none.
    resamples, seed
        The number and the seed of the random samples for tests and intervals.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and pair, in the order of the systems in the
        results: ``measure``, ``name``, ``other`` (the baseline, where there is
        one), ``difference`` of their means, ``low``, ``high``, ``relative``,
        ``effect``, ``p``, ``p_corrected`` and ``better``, the better system (by
        ranks in tests by ranks) if the difference is significant, otherwise
        empty; for equivalence ``equivalent`` (true or false) instead.

        ``relative`` is the difference divided by the mean of the baseline or,
        without a baseline, of the worse of the two systems (SIGIR 2000, section
        3.5); NaN if that mean is not above 0. ``effect`` is the mean difference
        divided by the standard deviation of the differences or, for tests of
        all systems at once, by the root of the residual variance (Sakai, SIGIR
        Forum 48(1), 2014), or, unpaired, by the root of the mean of the two
        variances; NaN for two systems with the same values, which have p = 1.
        Rows of several datasets are as for :func:`pt_cumgain.intervals`.

    Raises
    ------
    ValueError
        If the results or an option cannot be used, or there are fewer than two
        systems or topics.
    ImportError
        If scikit-posthocs, of the extra ``stats``, is needed and not installed.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> pairs = pairwise(results, baseline="A")
    >>> pairs[["name", "other", "difference", "effect", "p", "p_corrected"]].round(3)
      name other  difference  effect      p  p_corrected
    0    B     A       0.111   0.058  0.865          1.0
    1    C     A       0.333   0.157  0.650          1.0
    """
    options = Options(**locals())
    _check_options(options)
    results = TopicResults.read(results, cluster)
    baselines = check_baselines(baseline, results.names)
    if "" in results.names:
        raise ValueError("a system has no name; give it one")
    if interval in ("bca", "percentile"):
        warn_of_few_topics(results)
    return results.label(lambda part: _compare(part, baselines, options))


def _check_options(options: Options) -> None:
    """Refuse options that do not go together."""
    test, name, equivalence = TESTS[options.test], options.test, options.test == "equivalence"
    interval, margin, alpha = options.interval, options.margin, options.alpha
    own_interval = isinstance(interval, str) and not test.methods
    able = ", ".join(name for name, test in TESTS.items() if test.clusters)
    dependent = options.cluster is not None and not test.clusters
    at_once = options.correction == "single-step" and name != "conover"
    odd, lacking = not equivalence and margin is not None, equivalence and margin is None
    refuse(
        {
            f"test={name!r} has intervals of its own; omit {interval=}": own_interval,
            f"test={name!r} treats every topic as independent; with cluster, use {able}": dependent,
            "correction='single-step' is only for test='conover'": at_once,
            f"{margin=} is only for test='equivalence'; omit it": odd,
            "test='equivalence' needs a margin below which differences do not matter, such as "
            "margin=0.01": lacking,
            f"{alpha=} must be below 0.5 for two one-sided tests": equivalence and alpha >= 0.5,
        }
    )


def is_corrected(pairs: pd.DataFrame) -> bool:
    """Return whether a correction changed any p; rounding changes none."""
    return not np.allclose(pairs["p"], pairs["p_corrected"], rtol=1e-9, atol=0, equal_nan=True)


def _compare(results: TopicResults, baselines: list[Any], options: Options) -> pd.DataFrame:
    """Return the pairs of one dataset, or of the macro means of several."""
    test = TESTS[options.test]
    kind = Sample if test.paired else UnpairedSample
    samples = [
        kind(measure, matrix, baselines, results.layout(matrix.index))
        for measure, matrix in results.matrices(paired=test.paired).items()
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # about values that do not vary, which are handled below
        outcomes = test.compare(samples, options)
        frames = [_frame(*parts, options) for parts in zip(samples, outcomes)]
    pairs = pd.concat(frames, ignore_index=True)
    if options.test in ("randomisation", "randomised-tukey"):
        _warn_of_few_draws(pairs, samples[0], options)
    return pairs


def _compute_ends(sample: Sample, outcome: Outcome, options: Options) -> Ends | tuple[()]:
    """Return the ends of the intervals of the pairs' differences, if they are wanted."""
    if not options.interval:
        return ()
    if outcome.interval is not None:
        return outcome.interval()
    method = "t" if options.interval is True else options.interval
    draws = {"resamples": options.resamples, "seed": options.seed}
    return sample.intervals(confidence=options.confidence, method=method, **draws)


def _warn_of_few_draws(pairs: pd.DataFrame, sample: Sample, options: Options) -> None:
    """Warn if no pair can differ significantly, however far apart, for lack of draws."""
    topics, count = sum(len(part.counts) for part in sample.strata), len(sample.first)
    least = 1 / (options.resamples + 1)
    if options.test == "randomisation":
        if takes_all_signs(topics, options.resamples):
            least = 2.0 ** (1 - topics)
        if options.correction is not None:
            least = float(correct(np.full(count, least), options.correction).min())
    if least >= options.alpha and not (pairs["p_corrected"] < options.alpha).any():
        warn(
            f"test={options.test!r} cannot find a difference here, whatever the values are: with "
            f"resamples={options.resamples}, {topics} topics and {count} pairs, p cannot be below "
            f"{least:.2g}; use more topics or resamples, or another test"
        )


def _frame(sample: Sample, outcome: Outcome, options: Options) -> pd.DataFrame:
    """Return the pairs of one measure."""
    test, equivalence = TESTS[options.test], options.test == "equivalence"
    difference = sample.difference
    if test.together:
        spread = np.full(len(difference), np.sqrt(sample.residual_variances.mean()))
    else:
        spread = np.where(sample.constant, 0.0, sample.spread)
    effect = np.where(sample.same, np.nan, difference / spread)
    p = outcome.p if equivalence else np.where(sample.same, 1.0, outcome.p)
    p = np.maximum(p, TINY)
    corrected = p
    if options.correction == "single-step":
        table = conover(equate(sample.values), options.correction)
        corrected = table[sample.first, sample.second]
    elif options.correction is not None and not test.corrects:
        corrected = correct(p, options.correction)
    ends = _compute_ends(sample, outcome, options)
    scaled = dict(zip(("difference", "low", "high"), (difference, *ends)))
    frame = pd.DataFrame(
        {
            "measure": sample.measure,
            "name": sample.names[sample.first],
            "other": sample.names[sample.second],
            **{column: np.ldexp(numbers, sample.exponent) for column, numbers in scaled.items()},
            "relative": sample.relative,
            "effect": effect,
            "p": p,
            "p_corrected": corrected,
        }
    )
    significant = corrected < options.alpha
    if equivalence:
        return frame.assign(equivalent=significant)
    ahead = difference if outcome.merit is None else outcome.merit
    better = np.where(ahead > 0, frame["name"], np.where(ahead < 0, frame["other"], ""))
    return frame.assign(better=np.where(significant, better, ""))


@checked
def discriminative_power(
    results: Results,
    *,
    test: str = "t",
    alpha: float = LIMIT,
    pvalues: bool = False,
    **options: Any,
) -> pd.DataFrame:
    r"""Return the share of pairs of systems that each measure tells apart.

    A measure with higher discriminative power needs fewer topics to reach the
    same conclusions (Sakai, Evaluating evaluation metrics based on the
    bootstrap, SIGIR 2006). Together with :func:`pt_cumgain.grid`, this function
    shows which weightings and discounts tell systems apart. It does not show
    whether a measure is appropriate.

    Parameters
    ----------
    results, test, alpha
        As for :func:`pairwise`; any test except ``"equivalence"``.
    pvalues
        Return the ordered p-values instead: the achieved significance levels of
        Sakai's ASL curves (for a test of two samples with ``correction=None``),
        which :func:`pt_cumgain.plots.plot_discriminative_power` draws.
    **options
        Further arguments of :func:`pairwise`: ``correction``, ``resamples``,
        ``seed``.

    Returns
    -------
    pandas.DataFrame
        ``measure``, ``pairs``, ``separated`` (pairs with a corrected p below
        ``alpha``) and ``share``, the ratio of the two. With ``pvalues=True`` a
        row for each pair: ``measure``, ``place`` (from 1, the largest p first),
        ``name``, ``other`` and the corrected ``p``.

    Raises
    ------
    ValueError, ImportError
        As :func:`pairwise`.

    Examples
    --------
    >>> rows = [
    ...     (s, str(q), m, (v * 10 + q * v % 7) ** (m == "CG"))
    ...     for s, v in zip("ABC", (1, 1.2, 4)) for q in range(9) for m in ("CG", "constant")
    ... ]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> discriminative_power(results).round(3)
        measure  pairs  separated  share
    0        CG      3          3    1.0
    1  constant      3          0    0.0
    """
    if test == "equivalence":
        raise ValueError("test='equivalence' tells which systems are alike; choose another test")
    pairs = pairwise(results, test=test, alpha=alpha, interval=False, **options)
    by = find_blocks(pairs)
    blocks = pairs.groupby(by, sort=False)
    if not pvalues:
        counts = blocks["p_corrected"].agg(pairs="size", separated=lambda p: int((p < alpha).sum()))
        shares: pd.DataFrame = counts.assign(share=counts["separated"] / counts["pairs"])
        return shares.reset_index()
    ordered = pairs.assign(block=blocks.ngroup(), p=pairs["p_corrected"])
    ordered = ordered.sort_values(["block", "p"], ascending=[True, False], ignore_index=True)
    ordered["place"] = ordered.groupby("block").cumcount() + 1
    return ordered[[*by, "place", "name", "other", "p"]]
