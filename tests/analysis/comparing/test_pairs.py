"""Pairs of systems: equal to scipy's own, to slow references, to published examples."""

from __future__ import annotations

import csv
import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
import scikit_posthocs
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import CG, evaluate, grid, intervals, nDCG, pairwise, pydocs, topics_of
from pt_cumgain.analysis.comparing.all_systems import correct
from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.analysis.strata import Layout
from pt_cumgain.analysis.trust.intervals import mean_intervals
from pt_cumgain.comparing import average_ranks, discriminative_power, friedman, posthoc
from pt_cumgain.options import CORRECTIONS
from pt_cumgain.presentation.tables import UNCORRECTED
from tests.analysis.comparing.test_all_systems import results
from tests.support import error_rates
from tests.support.helpers import by_query, experiment, hide
from tests.support.pages import MANUAL

RANDOM = np.random.default_rng(3).random((12, 4)) + np.array([0, 0.1, 0.3, 0.35])
#: Sakai, Laboratory Experiments in Information Retrieval, 2018: 20 topics, 3 systems.
SAKAI_2018 = [
    [0.4695, 0.3732, 0.3575], [0.2813, 0.3783, 0.2435], [0.3914, 0.3868, 0.3167],
    [0.6884, 0.5896, 0.6024], [0.6121, 0.4725, 0.4766], [0.3266, 0.2330, 0.2429],
    [0.5605, 0.4328, 0.4066], [0.5916, 0.5073, 0.4707], [0.4385, 0.3889, 0.3384],
    [0.5821, 0.5551, 0.4597], [0.2871, 0.3274, 0.2769], [0.5186, 0.5066, 0.4066],
    [0.5188, 0.5198, 0.3859], [0.5019, 0.4981, 0.4568], [0.4702, 0.3878, 0.3437],
    [0.3290, 0.4387, 0.2649], [0.4758, 0.4946, 0.4045], [0.3028, 0.3400, 0.3253],
    [0.3752, 0.4895, 0.3205], [0.2796, 0.2335, 0.2240],
]  # fmt: skip
#: Sakai, Information Access Evaluation Methodology (in Japanese), 2015, table 5.1.
SAKAI_2015 = np.transpose([
    [7, 3, 2, 6, 4, 4, 0, 7, 1, 3, 5, 4, 0, 6, 5, 3, 1, 5, 2, 1],
    [5, 1, 0, 2, 4, 3, 0, 5, 3, 3, 4, 4, 1, 4, 2, 1, 1, 6, 3, 2],
    [0, 0, 2, 1, 3, 3, 1, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 5, 4, 3],
]) / 10  # fmt: skip


def margin(test: str, size: float) -> dict[str, float]:
    """The margin of the equivalence test, which no other test takes."""
    return {"margin": size} if test == "equivalence" else {}


def of_pair(frame: pd.DataFrame, name: str, other: str) -> pd.Series:
    return frame.set_index(["name", "other"]).loc[(name, other)]


def test_a_published_randomised_tukey_hsd() -> None:
    """Sakai 2018, section 4.5.2: p of 5,000 permutations, which tell them to about 0.01."""
    frame = pairwise(results(SAKAI_2018), test="randomised-tukey", resamples=5000)
    assert of_pair(frame, "A", "B")["p"] == pytest.approx(0.4996, abs=0.03)
    assert of_pair(frame, "A", "C")["p"] == 1 / 5001  # as large as none of them: 0 in the book
    assert of_pair(frame, "B", "C")["p"] == pytest.approx(0.0024, abs=0.003)
    assert frame["better"].tolist() == ["", "A", "B"]


def test_published_t_test_and_effect_sizes() -> None:
    """Sakai 2015, chapter 5: the paired t-test of A and B, effect sizes of the two-way layout."""
    frame = pairwise(results(SAKAI_2015))
    a_b = of_pair(frame, "A", "B")
    assert a_b["difference"] == pytest.approx(0.0750, abs=1e-4)
    assert a_b["effect"] == pytest.approx(0.473, abs=1e-3)
    assert a_b["p"] == pytest.approx(0.048, abs=1e-3)
    assert a_b["high"] - a_b["difference"] == pytest.approx(0.0742, abs=1e-4)
    for test in ("tukey", "randomised-tukey", "conover"):
        effects = pairwise(results(SAKAI_2015), test=test, resamples=100)["effect"]
        assert effects.tolist() == pytest.approx([0.5070, 0.6760, 0.1690], abs=1e-4)


#: The p-value of two samples of counts by scipy's own function.
BY_SCIPY = {
    "t": lambda a, b: stats.ttest_rel(a, b).pvalue,
    "wilcoxon": lambda a, b: stats.wilcoxon(a, b).pvalue,
    "equivalence": lambda a, b: max(
        stats.ttest_1samp(a - b, -3, alternative="greater").pvalue,
        stats.ttest_1samp(a - b, 3, alternative="less").pvalue,
    ),
}


def matrices(topics: st.SearchStrategy[int]) -> st.SearchStrategy[list[list[int]]]:
    """Counts of systems, the columns, over so many topics."""
    shapes = st.tuples(topics, st.integers(2, 5))
    return shapes.flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 6), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


#: Wilcoxon's p is exact, or not; where it is over 10 to 13 topics, scipy takes half a second.
MATRICES = matrices(st.integers(3, 9) | st.integers(14, 16))


@settings(max_examples=settings.default.max_examples // 4)
@given(
    matrix=MATRICES.map(lambda rows: [row[:3] for row in rows]),
    test=st.sampled_from(sorted(BY_SCIPY)),
    baseline=st.booleans(),
)
@example(matrix=[[6, 0], [5, 1], [4, 0], [6, 2], [3, 0]], test="wilcoxon", baseline=False)  # exact
def test_two_samples_equal_scipy(matrix: list, test: str, baseline: bool) -> None:
    counts = np.array(matrix)
    names = "ABCDE"[: counts.shape[1]]
    chosen = {"baseline": "B"} if baseline else {}
    frame = pairwise(results(counts / 10), test=test, **margin(test, 0.3), interval=False, **chosen)
    pairs = [(n, "B") for n in names if n != "B"] if baseline else itertools.combinations(names, 2)
    assert list(zip(frame["name"], frame["other"])) == list(pairs)
    expected = []
    for row in frame.itertuples():
        a, b = counts[:, names.index(row.name)], counts[:, names.index(row.other)]
        assert row.difference == pytest.approx((a.mean() - b.mean()) / 10, abs=1e-12)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            p = BY_SCIPY[test](a, b)
        if (a - b == a[0] - b[0]).all():  # nothing varies: one or two of all patterns of signs
            one_sided, within = 2.0 ** -len(a), abs(a[0] - b[0]) < 3
            constant = {"equivalence": one_sided if within else 1.0, "t": 2 * one_sided}
            p = 1.0 if test != "equivalence" and a[0] == b[0] else constant.get(test, p)
        else:
            assert row.effect == pytest.approx((a.mean() - b.mean()) / (a - b).std(ddof=1))
        expected.append(p)
    assert frame["p"].tolist() == pytest.approx(expected, abs=1e-12)
    corrected = multipletests(expected, method="holm")[1]
    assert frame["p_corrected"].tolist() == pytest.approx(corrected.tolist(), abs=1e-12)


PAIRED = sorted(test for test in TESTS if TESTS[test].paired)
#: Values of systems that have topics of their own.
OWN = st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=12), min_size=2, max_size=4)


def of_own_topics(systems: list[list[float]], measure: str = "m") -> pd.DataFrame:
    """Results of systems A, B, ..., none of whose topics is another's."""
    rows = [
        (name, f"{name}{i}", measure, float(value))
        for name, values in zip("ABCD", systems)
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


@settings(max_examples=settings.default.max_examples // 4)
@given(systems=OWN, baseline=st.booleans(), unit=st.sampled_from([0.1, 1 / 3, 1e-200]))
@example(systems=[[3, 3, 3], [3, 3], [1, 1]], baseline=False, unit=0.1)
@example(systems=[list(range(9)), [7, 7.5]], baseline=True, unit=1.0)  # exact
def test_two_samples_of_own_topics_equal_scipy(systems: list, baseline: bool, unit: float) -> None:
    """Expected of whole numbers, which are exact; the values are off by rounding."""
    frame = of_own_topics(
        [[v * unit * (1 + i * 2.0**-52) for v in s] for i, s in enumerate(systems)]
    )
    own = dict(zip("ABCD", systems))
    chosen = {"baseline": "B"} if baseline else {}
    welch = pairwise(frame, test="welch", correction=None, **chosen)
    ranks = pairwise(frame, test="mann-whitney", correction=None, resamples=30, **chosen)
    pairs = [(n, "B") for n in own if n != "B"] if baseline else itertools.combinations(own, 2)
    assert list(zip(welch["name"], welch["other"])) == list(pairs)
    for row, by_rank in zip(welch.itertuples(), ranks.itertuples()):
        a, b = own[row.name], own[row.other]
        difference = np.mean(a) - np.mean(b)
        assert row.difference == pytest.approx(difference * unit, rel=1e-9, abs=1e-9 * unit)
        base = np.mean(b) if baseline else min(np.mean(a), np.mean(b))
        relative = difference / base if base else np.nan
        assert row.relative == pytest.approx(relative, rel=1e-9, abs=1e-9, nan_ok=True)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            test = stats.ttest_ind(a, b, equal_var=False)
            u = stats.mannwhitneyu(a, b)
        if len({*a, *b}) == 1:
            assert (row.p, by_rank.p) == (1, 1)
            assert np.isnan(row.effect)
            continue
        assert by_rank.p == pytest.approx(u.pvalue, rel=1e-9)
        if by_rank.better:
            assert by_rank.better == (row.name if u.statistic > len(a) * len(b) / 2 else row.other)
        if len({*a}) == len({*b}) == 1:
            # two of all the ways to share the values out between the systems
            assert row.p == pytest.approx(2 / math.comb(len(a) + len(b), len(a)))
            assert row.effect == np.copysign(np.inf, difference)
            continue
        ends = test.confidence_interval()
        assert row.p == pytest.approx(test.pvalue, rel=1e-9)
        assert (row.low / unit, row.high / unit) == pytest.approx((ends.low, ends.high), abs=1e-9)
        d = difference / np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
        assert row.effect == pytest.approx(d, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("test", PAIRED)
def test_paired_tests_name_the_unpaired_ones(test: str) -> None:
    own = of_own_topics([[1, 2], [2, 3], [3, 5]])
    message = "m: 'A' has no value for topic 'B0'; .* test='welch' and test='mann-whitney'"
    with pytest.raises(ValueError, match=message):
        pairwise(own, test=test, **margin(test, 1))
    few = own[~own["qid"].isin(["B0"])]
    with pytest.raises(ValueError, match=r"at least two of them, not 1 \(of 'B'\)"):
        pairwise(few, test="welch")


def test_relative_differences_by_hand() -> None:
    """SIGIR 2000, section 3.5: 15.1 points more are 58.3 % of the worse system, 0.259."""
    each = results([[0.258, 0.409], [0.260, 0.411]])
    assert pairwise(each)["relative"].tolist() == [pytest.approx(-0.583, abs=5e-4)]
    assert pairwise(each, baseline="A")["relative"].tolist() == [pytest.approx(0.583, abs=5e-4)]
    of_better = pairwise(each, baseline="B")["relative"].tolist()
    assert of_better == [pytest.approx(-0.151 / 0.410)]
    assert pairwise(each.assign(value=-each["value"]))["relative"].isna().all()
    assert pairwise(results([[0, 1], [0, 2]]), baseline="A")["relative"].isna().all()


def all_signs(differences: np.ndarray) -> float:
    """The share of all patterns of signs whose mean is as far from 0 as the observed one."""
    signs = np.array(list(itertools.product([1, -1], repeat=len(differences))))
    means = np.abs(signs @ differences)
    return float((means >= abs(differences.sum()) - 1e-12).mean())


def all_permutations(values: np.ndarray) -> np.ndarray:
    """The p-values of all pairs over every way to permute each topic's values."""
    orders = [list(itertools.permutations(row)) for row in values]
    largest = [np.ptp(np.mean(rows, axis=0)) for rows in itertools.product(*orders)]
    means = values.mean(axis=0)
    pairs = itertools.combinations(range(values.shape[1]), 2)
    return np.array(
        [np.mean(np.array(largest) >= abs(means[i] - means[j]) - 1e-12) for i, j in pairs]
    )


@pytest.mark.filterwarnings("ignore:test='randomisation' cannot find a difference")
@settings(max_examples=settings.default.max_examples // 10)
@given(matrix=matrices(st.integers(3, 7)))
def test_few_topics_are_randomised_exactly(matrix: list) -> None:
    values = np.array(matrix) / 10
    exact = [
        all_signs(values[:, i] - values[:, j])
        for i, j in itertools.combinations(range(values.shape[1]), 2)
    ]
    frame = pairwise(results(values), test="randomisation", resamples=5000)
    assert frame["p"].tolist() == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
def test_drawn_signs_and_permutations_come_near_all_of_them(seed: int) -> None:
    """20,000 draws: within five standard errors of the slow reference, which has them all."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (16, 2)) / 5 + [0, 0.2]
    p = pairwise(results(values), test="randomisation", resamples=20_000, seed=seed)["p"]
    assert p.tolist() == pytest.approx([all_signs(values[:, 0] - values[:, 1])], abs=5 * 0.0036)
    values = rng.integers(0, 5, (5, 3)) / 5 + [0, 0.2, 0.3]
    p = pairwise(results(values), test="randomised-tukey", resamples=20_000, seed=seed)["p"]
    assert p.tolist() == pytest.approx(all_permutations(values).tolist(), abs=5 * 0.0036)


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_two_systems_by_tukey(test: str) -> None:
    """Tukey's HSD of two is the paired t-test; the randomised form is the randomisation test."""
    like = {"tukey": "t", "randomised-tukey": "randomisation"}[test]
    two = results(RANDOM[:, :2])
    one, other = (pairwise(two, test=t, resamples=20_000) for t in (test, like))
    near = {"rel": 1e-9} if test == "tukey" else {"abs": 0.02}
    assert one["p"][0] == pytest.approx(other["p"][0], **near)
    if test == "tukey":
        assert one[["low", "high"]].to_numpy() == pytest.approx(other[["low", "high"]].to_numpy())
        assert one["effect"][0] == pytest.approx(other["effect"][0] * np.sqrt(2))


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_the_intervals_of_tukeys_tests_say_what_p_says(test: str) -> None:
    """The interval leaves 0 out exactly where p is below 0.05."""
    frame = pairwise(results(RANDOM), test=test)
    apart = (frame["low"] > 0) | (frame["high"] < 0)
    assert apart.tolist() == (frame["p"] < 0.05).tolist()
    assert apart.nunique() == 2
    assert (frame["p"] == frame["p_corrected"]).all()


def test_conover_is_that_of_posthoc() -> None:
    for correction in (None, "fdr_by", "single-step"):
        frame = pairwise(results(RANDOM), test="conover", correction=correction)
        table = posthoc(results(RANDOM), correction=correction)
        assert [table.loc[a, b] for a, b in zip(frame["name"], frame["other"])] == pytest.approx(
            frame["p_corrected"].tolist()
        )
    plain = scikit_posthocs.posthoc_conover_friedman(RANDOM).to_numpy()
    against = pairwise(results(RANDOM), test="conover", baseline="D")
    assert against["p"].tolist() == pytest.approx(plain[:3, 3].tolist())
    assert against["p_corrected"].tolist() == pytest.approx(
        multipletests(plain[:3, 3], method="holm")[1].tolist()
    )


@pytest.mark.parametrize("test", ["wilcoxon", "randomisation", "conover", "mann-whitney"])
def test_tests_without_an_interval_have_the_bootstraps(test: str) -> None:
    """Expected: `intervals`, which draws the same topics."""
    each = results(RANDOM)
    if not TESTS[test].paired:
        each = each.assign(qid=each["name"] + each["qid"])
    frame = pairwise(each, test=test, baseline="A", confidence=0.9, seed=4)
    ends = intervals(each, baseline="A", confidence=0.9, seed=4).iloc[1:]
    assert frame["low"].tolist() == pytest.approx(ends["difference_low"].tolist())
    assert frame["high"].tolist() == pytest.approx(ends["difference_high"].tolist())


@pytest.mark.parametrize("test", TESTS)
def test_pairs_without_intervals(test: str) -> None:
    options = {"test": test, **margin(test, 0.1), "resamples": 200}
    whole = pairwise(results(RANDOM), **options)
    without = pairwise(results(RANDOM), interval=False, **options)
    assert_frame_equal(without, whole.drop(columns=["low", "high"]))


@pytest.mark.slow
@pytest.mark.parametrize("test", sorted(TESTS))
def test_p_is_uniform_under_the_null(test: str) -> None:
    """Of samples in which nothing differs, about 5 in 100 have p below 0.05, half below 0.5.

    The limits are five standard errors; for Tukey's tests it is the smallest p of a sample. For the
    equivalence test the true difference is the margin.
    """
    rng = np.random.default_rng(7)
    count = 20 if test == "tukey" else 100  # scipy's studentized range is slow
    samples = rng.normal(size=(count, 15, 3))
    margin = {}
    if test == "equivalence":
        samples[:, :, 0] += 5
        margin = {"margin": 5}
    frame = pd.concat(results(sample, f"m{i}") for i, sample in enumerate(samples))
    pairs = pairwise(frame, test=test, correction=None, interval=False, resamples=400, **margin)
    if TESTS[test].corrects:
        p = pairs.groupby("measure")["p"].min()
    else:
        first = {"equivalence": ("A", "B")}.get(test, ("B", "C"))
        p = pairs[(pairs["name"] == first[0]) & (pairs["other"] == first[1])]["p"]
    assert len(p) == count
    for limit in (0.05, 0.2, 0.5):
        error = np.sqrt(limit * (1 - limit) / count)
        assert (p <= limit).mean() == pytest.approx(limit, abs=5 * error)


@pytest.mark.parametrize("test", PAIRED)
def test_systems_that_do_not_differ_or_always_do(test: str) -> None:
    """B equals A at every topic, C is better by the same everywhere."""
    rows = [[0.2 + t / 7, 0.2 + t / 7, 0.7 + t / 7] for t in range(10)]
    frame = pairwise(results(rows), test=test, **margin(test, 0.1))
    same, apart = of_pair(frame, "A", "B"), of_pair(frame, "A", "C")
    assert same["difference"] == 0
    assert np.isnan(same["effect"])
    assert apart["effect"] == -np.inf
    assert not frame[["p", "p_corrected", "low", "high"]].isna().any(axis=None)
    if test == "equivalence":
        assert frame["equivalent"].tolist() == [True, False, False]
    else:
        assert same["p"] == 1
        assert frame["better"].tolist() == ["", "C", "C"]


def test_the_better_system_is_the_tests() -> None:
    """A is better by little at most topics, B by much at the others: by ranks B is better."""
    a, b = np.zeros(100), np.zeros(100)
    a[:55] = 0.001 * np.arange(1, 56) / 56
    b[55:] = 0.5 + np.arange(45) / 100
    assert pairwise(results(np.column_stack([a, b])), test="wilcoxon")["better"][0] == "B"
    a[55:], b[55:] = 0, 0
    a[0] = -9  # the mean is B's, the ranks are A's
    frame = pairwise(results(np.column_stack([a, b])), test="wilcoxon")
    assert frame["difference"][0] < 0
    assert frame["better"][0] == "A"


def test_several_measures_in_the_order_given() -> None:
    """One call for all measures; each as if it were alone, whatever topics it has."""
    each = experiment([CG @ 10, nDCG(gains="0-1-10-100") @ 10], perquery=True)
    few = each[~((each["measure"] == "CG@10") & (each["qid"] == each["qid"].iloc[0]))]
    for test in ("t", "randomised-tukey"):
        frame = pairwise(few, test=test, resamples=500)
        assert frame["measure"].unique().tolist() == few["measure"].unique().tolist()
        for measure, of_measure in frame.groupby("measure"):
            alone = pairwise(few[few["measure"] == measure], test=test, resamples=500)
            pd.testing.assert_frame_equal(of_measure.reset_index(drop=True), alone)


def test_categories_give_the_order() -> None:
    each = results(RANDOM)
    ordered = each.assign(name=pd.Categorical(each["name"], list("DCAB")))
    frame = pairwise(ordered)
    assert list(zip(frame["name"], frame["other"]))[:3] == [("D", "C"), ("D", "A"), ("D", "B")]
    assert frame["p"][0] == pairwise(each)["p"].iloc[-1]


def test_the_file_of_an_experiment(tmp_path) -> None:
    """`perquery.csv` of `save_dir` is what `perquery=True` returns: `01` no number, `NA` a name."""
    runs = {name: run for name, run in pydocs.runs().items() if name in ("BM25", "DPH", "QLD")}
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    frame = pt.Experiment(
        list(runs.values()), topics_of(qrels), qrels, [CG @ 5, nDCG(gains="exp") @ 5],
        names=["01", "2", "NA"], perquery=True, save_dir=str(tmp_path),
    )  # fmt: skip
    from_file = pairwise(tmp_path / "perquery.csv")
    expected = pairwise(frame)
    assert set(from_file["name"]) | set(from_file["other"]) == {"01", "2", "NA"}
    columns = ["measure", "name", "other"]
    pd.testing.assert_frame_equal(
        from_file.sort_values(columns, ignore_index=True),
        expected.sort_values(columns, ignore_index=True),
    )
    pd.testing.assert_frame_equal(
        intervals(str(tmp_path / "perquery.csv")).sort_values(
            ["measure", "name"], ignore_index=True
        ),
        intervals(frame).sort_values(["measure", "name"], ignore_index=True),
    )


def test_discriminative_power() -> None:
    measures = grid([nDCG], gains={"w1": "0-1-1-1", "w100": "0-1-10-100"}, cutoffs=[5])
    each = experiment(measures, perquery=True)
    shares = discriminative_power(each)
    curves = discriminative_power(each, pvalues=True)
    pairs = pairwise(each).drop(columns="p").rename(columns={"p_corrected": "p"})
    assert shares["measure"].tolist() == [str(measure) for measure in measures]
    assert (shares["pairs"] == 10).all()
    for row in shares.itertuples():
        p = pairs[pairs["measure"] == row.measure]["p"]
        assert row.separated == (p < 0.05).sum()
        assert row.share == row.separated / 10
        curve = curves[curves["measure"] == row.measure]
        assert curve["place"].tolist() == list(range(1, 11))
        assert curve["p"].tolist() == sorted(p, reverse=True)
    with pytest.raises(ValueError, match="tells which systems are alike"):
        discriminative_power(each, test="equivalence", margin=1)


@pytest.mark.parametrize("test", ["wilcoxon", "randomisation", "conover", "randomised-tukey"])
def test_precisions_have_the_ties_of_counts(test: str) -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ as floats; P@10 must have the p-values of its counts."""
    counts = np.random.default_rng(2).integers(0, 11, (30, 4))
    options = {"test": test, "resamples": 300}
    by_counts, by_shares = (pairwise(results(v), **options) for v in (counts, counts / 10))
    for column in ("p", "p_corrected", "effect"):
        assert by_shares[column].tolist() == pytest.approx(by_counts[column].tolist(), rel=1e-9)
    assert by_shares["better"].tolist() == by_counts["better"].tolist()
    one, other = (friedman(results(v[:, :2])).iloc[0] for v in (counts, counts / 10))
    assert one["p"] == pytest.approx(other["p"], rel=1e-9)
    assert one["reading"] == other["reading"]


def test_wilcoxons_p_with_ties_equals_r() -> None:
    """R 4.2.2: wilcox.test(a, b, paired=TRUE, exact=FALSE, correct=FALSE, digits.rank=7)."""
    a = np.array([3, 5, 2, 8, 7, 4, 6, 9, 1, 5, 7, 8, 2, 6]) / 10
    b = np.array([2, 3, 3, 5, 7, 1, 7, 6, 0, 6, 4, 6, 3, 3]) / 10
    assert pairwise(results(np.column_stack([a, b])), test="wilcoxon")["p"][0] == pytest.approx(
        0.0250894866196348, rel=1e-8
    )


@pytest.mark.parametrize("test", sorted(TESTS))
def test_a_difference_of_rounding_is_none(test: str) -> None:
    """0.1 + 0.2 is not 0.3 as a float, and is not better either."""
    rows = [[0.1 + 0.2, 0.3, 0.5 + t / 9] for t in range(8)]
    pair = of_pair(pairwise(results(rows), test=test, **margin(test, 0.1)), "A", "B")
    assert pair["difference"] == 0
    assert np.isnan(pair["effect"])
    assert pair["p"] == (2**-8 if test == "equivalence" else 1)


@pytest.mark.parametrize("test", ["t", "randomisation", "equivalence"])
def test_groups_of_one_mean_difference_have_a_p(test: str) -> None:
    """All three groups differ by 1/2: the signs of three groups alike are 2 of 8 patterns.

    Both of the equivalence test's hypotheses are one-sided. One pair without variance leaves the
    other pairs their p.
    """
    rows = np.column_stack([[1, 0, 0, 1, 1, 0], np.zeros(6), [1, 3, 2, 5, 4, 6]])
    groups = dict(zip("012345", "uuvvww"))
    for correction in CORRECTIONS.keys() - {"single-step"}:
        pairs = pairwise(
            results(rows), test=test, cluster=groups, correction=correction, **margin(test, 0.8)
        )
        expected = 1 / 8 if test == "equivalence" else 2 / 8
        assert of_pair(pairs, "A", "B")["p"] == pytest.approx(expected)
        assert pairs[["p", "p_corrected"]].notna().all(axis=None)


def test_groups_of_unpaired_systems() -> None:
    """Two groups of A, 1/2 each, and two of B, 0: 2 of 6 ways to share them out.

    A group with topics of both is refused: they are not independent.
    """
    own = of_own_topics([[1, 0, 0, 1], [0, 0, 0, 0]])
    groups = {f"{name}{i}": f"{name}{i // 2}" for name in "AB" for i in range(4)}
    assert pairwise(own, test="welch", cluster=groups)["p"].tolist() == pytest.approx([2 / 6])
    message = "a group has topics of 'A' and of 'B', which an unpaired test takes as independent"
    with pytest.raises(ValueError, match=message):
        pairwise(own, test="welch", cluster=groups | {"B0": "A0"})


def test_groups_that_have_most_topics_are_told() -> None:
    """Three groups of 25 of 100 topics: 100 ** 2 / (3 * 25 ** 2 + 25) = 5.3; equal groups count."""
    few = {str(i): f"g{i // 25}" if i < 75 else i for i in range(100)}
    small = results(np.random.default_rng(1).random((100, 2)))
    message = (
        r"28 groups, the largest 'g\d' with 25 of 100 topics, count as 5\.3.*\n?.*in 87 of 100"
    )
    for call in (pairwise, intervals):
        with pytest.warns(UserWarning, match=message):
            call(small, cluster=few)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (4, 34, 50):
            pairwise(small, cluster={str(i): f"g{i // size}" for i in range(100)})


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([25, 25, 25, *[1] * 25], True),
        ([50, *[1] * 50], True),
        ([5, 5, 4, 4, 3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1], False),
        ([6] * 5, False),
        ([20, *[1] * 180], False),
    ],
)
def test_intervals_of_groups_contain_the_mean_where_no_warning_is_given(sizes, told) -> None:
    """Coverage of the 95% interval, by simulation: at least .92 without a warning, else below."""
    draws, samples = np.random.default_rng(3), 3000
    group = np.repeat(np.arange(len(sizes)), sizes)
    values = draws.standard_t(5, (len(sizes), samples))[group]
    values = values + draws.standard_t(5, (len(group), samples))
    layout = Layout(np.zeros(len(group), dtype=np.int64), group)
    (stratum,) = layout.split(values)
    low, high = mean_intervals(stratum)
    covered = float(((low <= 0) & (high >= 0)).mean())
    assert (covered < 0.92) == told
    small = results(draws.random((len(group), 2)))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pairwise(small, cluster=lambda qid: int(group[int(qid)]))
    assert any("cluster: " in str(one.message) for one in said) == told


def test_sums_of_groups_that_are_rounding_are_0() -> None:
    """0.1 + 0.2 - 0.3 in each of 9 groups is not 0 as a float; no pattern of signs is smaller."""
    rows = [(d, 0.0) for _ in range(9) for d in (0.1, 0.2, -0.3)]
    groups = {str(i): f"g{i // 3}" for i in range(27)}
    for test in ("randomisation", "t"):
        assert pairwise(results(rows), test=test, cluster=groups)["p"].tolist() == [1]


@given(
    differences=st.lists(st.integers(-3, 3), min_size=2, max_size=3),
    sizes=st.lists(st.integers(2, 4), min_size=3, max_size=3),
)
@example(differences=[10, -9], sizes=[5, 5, 2])
@example(differences=[1, 0], sizes=[2, 7, 2])
def test_without_variance_p_is_that_of_all_signs_or_above(differences: list, sizes: list) -> None:
    """By brute force over the signs of all topics; each dataset has one difference."""
    parts = list(zip(differences, sizes))
    data = pd.concat(
        results(np.array([(i + d, i) for i in range(n)]) / 10).assign(dataset=f"d{at}")
        for at, (d, n) in enumerate(parts)
    )
    observed = abs(sum(differences)) - 1e-9
    signs = itertools.product(*(itertools.product((-1, 1), repeat=n) for _, n in parts))
    means = [sum(d * np.mean(s) for (d, _), s in zip(parts, each)) for each in signs]
    share = np.mean([abs(mean) >= observed for mean in means])
    for test in ("t", "tukey"):
        frame = pairwise(data, test=test, interval=False)
        (p,) = frame.loc[frame["dataset"] == "mean", "p"]
        opposed = min(differences) < 0 < max(differences)
        assert p >= share - 1e-12 if opposed else p == pytest.approx(share)


def test_no_test_has_a_p_of_0() -> None:
    """A constant difference over 2,000 topics: 2 ** -1999 is 0 as a float."""
    data = results(np.column_stack([np.ones(2000), np.zeros(2000), np.full(2000, 3.0)]))
    for test in ("t", "tukey"):
        assert (pairwise(data, test=test, interval=False)["p"] > 0).all()
    constant = results(np.column_stack([np.ones(4), np.zeros(4)]))
    assert pairwise(constant, test="tukey")["p"].tolist() == [2 / 16]


def test_a_step_up_correction_may_find_all_pairs_where_none_alone_would_do() -> None:
    """Six topics and 6 pairs: p of 2/64 each is 0.03 after Benjamini and Hochberg's correction."""
    data = results(np.arange(1, 7)[:, None] * np.arange(1.0, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = pairwise(data, test="randomisation", correction="fdr_bh", interval=False)
    assert pairs["p_corrected"].tolist() == pytest.approx([2 / 64] * 6)
    other = results(np.random.default_rng(0).random((6, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no pair is found, and one could be
        pairwise(other, test="randomisation", correction="fdr_bh", interval=False)
    with pytest.warns(UserWarning, match="cannot find a difference.* p is at least 0.19"):
        pairwise(other, test="randomisation", interval=False)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
@pytest.mark.parametrize("test", sorted(TESTS))
def test_the_scale_of_values_is_no_matter(test: str, scale: float) -> None:
    options = {"test": test, "resamples": 200}
    plain = pairwise(results(RANDOM), **margin(options["test"], 0.2), **options)
    scaled = pairwise(results(RANDOM * scale), **margin(options["test"], 0.2 * scale), **options)
    same = plain.columns.difference(["difference", "low", "high"])
    pd.testing.assert_frame_equal(scaled[same], plain[same])
    assert (scaled["low"] / scale).tolist() == pytest.approx(plain["low"].tolist())


def test_two_topics_are_not_enough_for_conover() -> None:
    """The same order at both: Conover's p would be 0, Friedman's is 0.135."""
    frame = pairwise(results([[1, 2, 3], [2, 5, 9]]), test="conover", correction=None)
    assert frame["p"].tolist() == pytest.approx(
        [stats.friedmanchisquare([1, 2], [2, 5], [3, 9])[1]] * 3
    )
    assert (frame["better"] == "").all()


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.2), (0.8, 0.7), (0.2, 0.1), (0.4, 0.3)])
def test_the_margin_itself_is_not_within_it(a: float, b: float) -> None:
    frame = pairwise(results([[a, b]] * 6), test="equivalence", margin=0.1)
    assert not frame["equivalent"][0]
    assert pairwise(results([[a, b]] * 6), test="equivalence", margin=0.11)["equivalent"][0]


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=settings.default.max_examples // 4)
def test_the_interval_of_equivalence_says_what_it_says(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(12, 3)) / 10
    frame = pairwise(results(values), test="equivalence", margin=0.06, correction=None)
    inside = (frame["low"] > -0.06) & (frame["high"] < 0.06)
    assert frame["equivalent"].tolist() == inside.tolist()


def test_too_few_draws_are_warned_of() -> None:
    far = results(np.arange(20.0) + np.random.default_rng(0).random((30, 20)) / 100, names=NAMES)
    with pytest.warns(UserWarning, match=r"cannot find a difference, .* with resamples=1000, 30 "):
        assert discriminative_power(far, test="randomisation", resamples=1000)["share"][0] == 0


NAMES = [f"s{i}" for i in range(20)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "magic"}, "test='magic' is unknown; choose from t, wilcoxon, randomisation"),
        ({"baseline": "X"}, r"baseline='X' is not one of the systems: \['A', 'B', 'C', 'D'\]"),
        (
            {"correction": "magic"},
            "correction='magic' is unknown; choose from bonferroni, .*, or None",
        ),
        ({"correction": "single-step"}, "is only for test='conover'"),
        ({"alpha": 5}, "alpha=5 must be between 0 and 1"),
        ({"confidence": 95, "test": "tukey"}, "confidence=95 must be between 0 and 1"),
        ({"resamples": 0, "test": "randomised-tukey"}, "resamples=0 must be"),
        ({"seed": 0.5, "test": "randomised-tukey"}, "seed=0.5 must be a whole number"),
        ({"test": "equivalence"}, "test='equivalence' needs a margin, such as margin=0.01"),
        ({"test": "equivalence", "margin": 1, "alpha": 0.5}, "alpha=0.5 must be below 0.5 for two"),
        ({"test": "equivalence", "margin": -1}, "margin=-1 must be above 0, such as 0.01"),
        ({"margin": 0.01}, "margin=0.01 is for test='equivalence'; leave it out"),
        ({"margin": 0.01, "test": "welch"}, "margin=0.01 is for test='equivalence'"),
    ],
)
def test_wrong_options(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairwise(results(RANDOM), **arguments)


def test_wrong_results() -> None:
    good = results(RANDOM)
    with pytest.raises(
        ValueError, match="m: a value is infinite, so it has no difference from others"
    ):
        pairwise(good.assign(value=np.inf), test="tukey")
    with pytest.raises(ValueError, match="a system has no name; give it one"):
        pairwise(good.replace("A", ""))
    with pytest.raises(ValueError, match="test='conover' compares three systems or more"):
        pairwise(good[good["name"] < "C"], test="conover")
    with pytest.raises(ValueError, match=r"m: 'B' has no value for topic '1'; .* test='welch'"):
        pairwise(good[(good["name"] != "B") | (good["qid"] != "1")])
    with pytest.raises(ValueError, match="at least two of them, not 1"):
        pairwise(good[good["qid"] == "0"])
    with pytest.raises(FileNotFoundError):
        pairwise("nowhere.csv")
    with pytest.raises(TypeError, match=r"results must be a pandas DataFrame, not 3; pt\.Exp"):
        pairwise(3)


def test_without_statsmodels(monkeypatch) -> None:
    """Holm's correction, the default, does not wait for its import."""
    expected = pairwise(by_query())
    hide("statsmodels", monkeypatch)
    assert_frame_equal(pairwise(by_query()), expected)


@settings(max_examples=settings.default.max_examples // 5)  # statsmodels is slow
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.5, 1.0]), min_size=1))
def test_holms_correction_equals_statsmodels(p: list[float]) -> None:
    expected = multipletests(p, method="holm")[1]
    assert correct(np.array(p), "holm").tolist() == pytest.approx(expected.tolist(), rel=1e-15)


@pytest.mark.slow
def test_drawn_signs_are_counted_on_both_sides() -> None:
    """The Monte Carlo error is that of a share: over 200 seeds, within a quarter of it.

    The p of all 2^14 patterns is the slow reference's; a p that doubles the smaller of two tails
    has 1.4 times the error, and is smaller on average.
    """
    values = np.random.default_rng(5).integers(0, 9, (14, 2)) / 8 + [0, 0.1]
    exact, draws = all_signs(values[:, 0] - values[:, 1]), 400
    assert 0.1 < exact < 0.9
    p = [
        pairwise(results(values), test="randomisation", resamples=draws, seed=seed, interval=False)[
            "p"
        ][0]
        for seed in range(200)
    ]
    error = np.sqrt(exact * (1 - exact) / draws)
    assert np.std(p) == pytest.approx(error, rel=0.25)
    assert np.mean(p) == pytest.approx((exact * draws + 1) / (draws + 1), abs=5 * error / 200**0.5)


def test_what_was_observed_is_one_of_the_drawn_patterns() -> None:
    """No draw of 99 gives 30 equal signs, so p is 1 / 100."""
    far = results(np.arange(60.0).reshape(30, 2) % 7 / 100 + [0, 1])
    assert pairwise(far, test="randomisation", resamples=99, correction=None)["p"][0] == 0.01


@pytest.mark.filterwarnings("ignore:test='randomisation' cannot find a difference")
@settings(max_examples=settings.default.max_examples // 4)
@given(
    matrix=MATRICES.map(lambda rows: [row[:4] for row in rows]).filter(
        lambda rows: len(rows[0]) > 2
    ),
    unit=st.sampled_from([0.1, 1 / 3, 1e-7, 1e100]),
    test=st.sampled_from(sorted(set(TESTS) - {"tukey"})),  # scipy's studentized range is slow
)
def test_the_unit_of_gains_is_no_matter(matrix: list, unit: float, test: str) -> None:
    """Whole numbers are exact; in other units they are rounded, and must have the same p.

    Each system's values are off by other last bits, as sums of the same gains in other orders are.
    """
    counts = np.array(matrix, dtype=float)
    in_unit = counts * unit * (1 + 2.0**-52 * np.arange(counts.shape[1]))
    options = {"test": test, "resamples": 300, "interval": False}
    exact = pairwise(results(counts), **margin(options["test"], 1.5), **options)
    scaled = pairwise(results(in_unit), **margin(options["test"], 1.5 * unit), **options)
    for column in ("p", "p_corrected", "effect"):
        np.testing.assert_allclose(scaled[column], exact[column], rtol=1e-9, atol=1e-12)
    decided = "equivalent" if test == "equivalence" else "better"
    assert scaled[decided].tolist() == exact[decided].tolist()
    one, other = (friedman(results(values)).iloc[0] for values in (counts, in_unit))
    assert other["p"] == pytest.approx(one["p"], rel=1e-9, nan_ok=True)
    assert other["reading"] == one["reading"]
    ranks = [average_ranks(results(values)).loc["m"].tolist() for values in (counts, in_unit)]
    assert ranks[0] == ranks[1]
    conover = [posthoc(results(values)).to_numpy() for values in (counts, in_unit)]
    np.testing.assert_allclose(*conover, rtol=1e-9)


def test_sums_in_other_orders_are_equal() -> None:
    """Three systems return the same three documents in different orders: CG@3 is the same."""
    qrels = {str(q): {"a": 1, "b": 2, "c": 3} for q in range(12)}
    orders = list(itertools.permutations("abc"))
    runs = {
        name: pd.DataFrame(
            [(q, d, -float(i)) for q in qrels for i, d in enumerate(orders[(int(q) * step) % 6])],
            columns=["qid", "docno", "score"],
        )
        for name, step in (("A", 0), ("B", 1), ("C", 5))
    }
    measure = CG(gains={1: 0.1, 2: 0.2, 3: 0.7}) @ 3
    rows = [
        (name, row.qid, row.measure, row.value)
        for name, run in runs.items()
        for row in evaluate(measure, qrels, run).itertuples()
    ]
    each = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    assert each["value"].nunique() > 1  # 0.1 + 0.2 + 0.7 depends on the order
    assert friedman(each)["reading"][0] == "not testable: the systems have the same values"
    assert average_ranks(each).loc[str(measure)].tolist() == [2, 2, 2]
    assert posthoc(each).isna().to_numpy().sum() == 6
    for test in sorted(set(TESTS) - {"equivalence"}):
        assert (pairwise(each, test=test)["p"] == 1).all()


@pytest.mark.usefixtures("thorough")
def test_error_rates_are_those_of_the_manual() -> None:
    """Only tests whose assumptions do not hold err in more than 5 of 100 families.

    The table is of the same samples; other versions of scipy may differ in a few of them. The limit
    is three standard errors.
    """
    with error_rates.TABLE.open(encoding="utf-8", newline="") as file:
        printed = {row["test"]: row for row in csv.DictReader(file)}
    head, *measured = error_rates.measure()
    rows = {row[0]: dict(zip(head, row)) for row in measured}
    assert rows.keys() == printed.keys()
    for (test, row), setting in itertools.product(rows.items(), head[1:]):
        assert bool(row[setting]) == bool(printed[test][setting])
        if row[setting]:
            assert float(row[setting]) == pytest.approx(float(printed[test][setting]), abs=0.003)
            samples = error_rates.SLOW_SAMPLES if test == "``tukey``" else error_rates.SAMPLES
            samples //= 1 + (setting in error_rates.UNLIKE)
            most = 0.05 + 3 * np.sqrt(0.05 * 0.95 / samples)
            misled = (test, setting) in [
                ("``mann-whitney``", "unequal spread"),
                ("``tukey``", "near copies"),
                ("``randomised-tukey``", "near copies"),
                ("``conover``", "two better"),
            ]
            assert (float(row[setting]) > most) == misled


def test_intervals_of_differences_that_are_mostly_0() -> None:
    """The shares that the manual prints."""
    manual = " ".join((MANUAL / "recipes" / "comparisons.rst").read_text("utf-8").split())
    few, more = (round(100 * error_rates.measure_sparse(topics)) for topics in (10, 25))
    assert f"in {few} of 100 samples of 10 topics, and in {more} of 25." in manual


@pytest.mark.usefixtures("thorough")
def test_how_often_a_table_of_five_measures_errs() -> None:
    """The manual says 18 of 100: five families at Holm's .038 each."""
    assert error_rates.measure_table() == pytest.approx(0.18, abs=0.01)


@pytest.mark.usefixtures("thorough")
def test_how_often_a_reading_without_correction_errs() -> None:
    """The note says about 30%."""
    assert "about 30%" in UNCORRECTED
    assert error_rates.measure_reading() == pytest.approx(0.3, abs=0.03)
