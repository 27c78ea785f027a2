"""Results of several collections, several baselines: against other programs."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pt_cumgain import intervals, may_be_best, pairwise, paper_table
from pt_cumgain.comparing import friedman, rank_correlation
from pt_cumgain.comparing._pairwise import TESTS, Sample, Settings
from tests.support.helpers import slow

SIZES = {"DL20": 18, "DL19": 23, "hard": 16}


def make_results(sizes: dict[str, int] = SIZES, systems: str = "ABC", seed: int = 3) -> Any:
    """Skewed values; ids of topics repeat in all datasets."""
    random = np.random.default_rng(seed)
    rows = [
        (name, str(qid), "CG", dataset, random.random() ** 2 + i / 20)
        for dataset, topics in sizes.items()
        for i, name in enumerate(systems)
        for qid in range(topics)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "dataset", "value"])


def differences(results: Any, name: str = "B", other: str = "A") -> list[Any]:
    """The differences of two systems, for each dataset, in the order of its topics' ids."""
    wide = results.pivot(index=["dataset", "qid"], columns="name", values="value")
    return [part.to_numpy() for _, part in (wide[name] - wide[other]).groupby(level=0)]


def mean_row(frame: Any, **where: str) -> Any:
    """The only row of the macro mean with these values."""
    for column, value in {"dataset": "mean", **where}.items():
        frame = frame[frame[column] == value]
    ((_, row),) = frame.iterrows()
    return row


def test_t_over_datasets_is_satterthwaites() -> None:
    """The closed form: the variance of a mean of independent means, by hand."""
    results = make_results()
    parts = differences(results)
    shares = np.array([part.var(ddof=1) / len(part) / 3**2 for part in parts])
    free = shares.sum() ** 2 / sum(s**2 / (len(p) - 1) for s, p in zip(shares, parts))
    mean, error = np.mean([part.mean() for part in parts]), np.sqrt(shares.sum())
    row = mean_row(pairwise(results), name="A", other="B")
    assert row["difference"] == pytest.approx(-mean, abs=1e-12)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(mean / error), free), rel=1e-9)
    half = stats.t.ppf(0.975, free) * error
    assert (row["low"], row["high"]) == pytest.approx((-mean - half, -mean + half), abs=1e-12)
    of_system = mean_row(intervals(results), name="B")
    macro = results[results["name"] == "B"].groupby("dataset")["value"].mean().mean()
    assert of_system["mean"] == pytest.approx(macro, abs=1e-12)


@pytest.mark.parametrize("test", ["t", *slow(*(test for test in TESTS if test != "t"))])
def test_each_dataset_is_compared_by_itself(test: str) -> None:
    results, options = make_results(), {"test": test, "resamples": 200}
    pairs = pairwise(results, **options)
    assert pairs["dataset"].unique().tolist() == [*SIZES, "mean"]
    for dataset in SIZES:
        own = results[results["dataset"] == dataset]
        mine = pairs[pairs["dataset"] == dataset].reset_index(drop=True)
        pd.testing.assert_frame_equal(mine, pairwise(own, **options))
        nameless = pairwise(own.drop(columns="dataset"), **options)
        pd.testing.assert_frame_equal(mine.drop(columns="dataset"), nameless)


def test_randomisation_takes_all_signs_within_datasets() -> None:
    """Expected: the share of all patterns of signs under which the macro mean is as large."""
    results = make_results({"one": 5, "two": 6})
    one, two = differences(results)
    means = [
        abs((np.dot(signs[:5], one) / 5 + np.dot(signs[5:], two) / 6) / 2)
        for signs in itertools.product((1, -1), repeat=11)
    ]
    expected = np.mean(np.array(means) >= means[0] - 1e-12)
    row = mean_row(pairwise(results, test="randomisation"), name="A", other="B")
    assert row["p"] == pytest.approx(expected, abs=1e-12)


def test_a_table_of_datasets() -> None:
    results, options = make_results(), {"baseline": "A", "interval": True}
    table = paper_table(results, **options)
    assert list(map(str, table.columns)) == [*SIZES, "mean"]
    for i, dataset in enumerate(SIZES):
        alone = results[results["dataset"] == dataset].drop(columns="dataset")
        assert [row[i] for row in table.cells] == paper_table(alone, **options).cells[0]
    macro = results.groupby(["name", "dataset"])["value"].mean().groupby("name").mean()
    assert table.means.loc["mean"].to_dict() == pytest.approx(macro.to_dict(), abs=1e-12)
    assert "CG; mean: mean of the datasets' means." in table.notes
    two = paper_table(pd.concat([results, results.assign(measure="nCG")]), test="friedman")
    every = itertools.product(["CG", "nCG"], [*SIZES, "mean"])
    assert [(head.above, head.text) for head in two.columns] == list(every)
    assert r"\multicolumn{8}{c}{CG}" in two.to_latex()
    assert two.tests.index.tolist() == list(itertools.product([*SIZES, "mean"], ["CG", "nCG"]))
    assert friedman(results)["topics"].tolist() == [18, 23, 16, 57]


@pytest.mark.filterwarnings("ignore:.*two scales:UserWarning")
def test_the_order_by_value_is_that_of_the_macro_mean() -> None:
    results = make_results({"one": 5, "two": 5})
    results.loc[(results["dataset"] == "one") & (results["name"] == "A"), "value"] = 1.0
    results.loc[(results["dataset"] == "two") & (results["name"] == "A"), "value"] = -9.0
    two = pd.concat([results, results.assign(measure="DCG", value=results["value"] ** 2)])
    for frame in (results, two):
        table = paper_table(frame, order="value", test=None)
        macro = frame[frame["measure"] == "CG"].groupby(["name", "dataset"])["value"].mean()
        best_first = macro.groupby("name").mean().sort_values(ascending=False).index.tolist()
        assert list(map(str, table.rows)) == best_first
    assert best_first[-1] == "A"


def test_randomised_tukey_permutes_within_topics_of_each_dataset() -> None:
    """20,000 draws: within five standard errors of the p of all permutations, macro means."""
    results = make_results({"one": 2, "two": 3})
    parts = [
        part.pivot(index="qid", columns="name", values="value").to_numpy()
        for _, part in results.groupby("dataset")
    ]
    means = [
        [np.mean(rows, axis=0) for rows in itertools.product(*map(itertools.permutations, part))]
        for part in parts
    ]
    largest = np.array([np.ptp(a + b) / 2 for a, b in itertools.product(*means)])
    observed = np.mean([part.mean(axis=0) for part in parts], axis=0)
    settings = Settings("randomised-tukey", [], None, 0.05, 0.95, resamples=20_000, seed=1)
    sample = Sample(parts, *np.triu_indices(3, 1), settings)
    expected = [np.mean(largest >= abs(observed[i] - observed[j]) - 1e-12)
                for i, j in itertools.combinations(range(3), 2)]  # fmt: skip
    found = TESTS["randomised-tukey"].compare(sample).p
    assert found.tolist() == pytest.approx(expected, abs=5 * 0.0036)
    assert max(expected) - min(expected) > 0.1


def test_means_of_means_are_macro_means_in_correlations() -> None:
    results = pd.concat([make_results(), make_results(seed=9).assign(measure="nCG")])
    macro = results.groupby(["name", "measure", "dataset"])["value"].mean()
    means = macro.groupby(["name", "measure"]).mean().unstack().reset_index()
    expected = rank_correlation(means)
    for given in ([results], [results, means], [means, results], [results, results]):
        pd.testing.assert_frame_equal(rank_correlation(*given), expected)


def test_a_mean_over_datasets_is_tested_only_with_five_topics_in_each() -> None:
    """With 2 + 50 topics, 35 of 100 samples of equal systems were called different."""
    few = make_results({"one": 50, "two": 4})
    for function in (pairwise, may_be_best, paper_table):
        with pytest.raises(ValueError, match=r"^CG: dataset 'two' has 4 topics; .* at least 5"):
            function(few)
    assert len(intervals(few)) == 9
    assert len(pairwise(few[few["dataset"] == "two"])) == 3
