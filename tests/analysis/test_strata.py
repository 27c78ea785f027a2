"""Results of several collections, topics in groups, several baselines: against other programs."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import intervals, nDCG, pairwise, paper_table, plots
from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.comparing import (
    anova,
    average_ranks,
    discriminative_power,
    friedman,
    posthoc,
    rank_correlation,
)
from tests.support.helpers import by_query, slow

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


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_stratified_bootstrap_is_scipys(method: str) -> None:
    """Samples of their own, drawn one after another from the same generator."""
    results = make_results()
    row = mean_row(intervals(results, baseline="A", method=method, resamples=999, seed=4), name="B")
    expected = stats.bootstrap(
        differences(results),
        lambda a, b, c, axis: (a.mean(axis) + b.mean(axis) + c.mean(axis)) / 3,
        method=method, n_resamples=999, random_state=np.random.default_rng(4),
    ).confidence_interval  # fmt: skip
    ends = row["difference_low"], row["difference_high"]
    assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)


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
    of_system = mean_row(intervals(results, method="t"), name="B")
    macro = results[results["name"] == "B"].groupby("dataset")["value"].mean().mean()
    assert of_system["mean"] == pytest.approx(macro, abs=1e-12)


def test_two_datasets_have_welchs_t() -> None:
    """The mean of two independent means is half the difference of one and the other's negative."""
    results = make_results({"one": 9, "two": 14})
    one, two = differences(results)
    expected = stats.ttest_ind(one, -two, equal_var=False)
    row = mean_row(pairwise(results), name="A", other="B")
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("test", sorted(set(TESTS) - {"equivalence"}))
def test_a_single_dataset_is_none(test: str) -> None:
    results = make_results({"only": 12})
    named = pairwise(results, test=test, resamples=200)
    assert named.pop("dataset").tolist() == ["only"] * 3
    pd.testing.assert_frame_equal(
        named, pairwise(results.drop(columns="dataset"), test=test, resamples=200)
    )


@pytest.mark.parametrize(
    "test", [*sorted(set(TESTS) - {"equivalence", "mann-whitney", "tukey"}), *slow("tukey")]
)
def test_each_dataset_is_compared_by_itself(test: str) -> None:
    results = make_results()
    pairs = pairwise(results, test=test, resamples=200)
    assert pairs["dataset"].unique().tolist() == [*SIZES, "mean"]
    for dataset in SIZES:
        alone = results[results["dataset"] == dataset].drop(columns="dataset")
        mine = pairs[pairs["dataset"] == dataset].drop(columns="dataset").reset_index(drop=True)
        pd.testing.assert_frame_equal(mine, pairwise(alone, test=test, resamples=200))


def test_randomisation_takes_all_signs_within_datasets() -> None:
    """Expected: the share of all patterns of signs under which the macro mean is as large."""
    results = make_results({"one": 4, "two": 6})
    one, two = differences(results)
    means = [
        abs((np.dot(signs[:4], one) / 4 + np.dot(signs[4:], two) / 6) / 2)
        for signs in itertools.product((1, -1), repeat=10)
    ]
    expected = np.mean(np.array(means) >= means[0] - 1e-12)
    row = mean_row(pairwise(results, test="randomisation"), name="A", other="B")
    assert row["p"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient:Warning")  # statsmodels'
def test_tukeys_variances_are_those_of_the_datasets() -> None:
    """Expected: the residual variances of linear models by statsmodels, Satterthwaite's formula."""
    results = make_results()
    results.loc[results["dataset"] == "hard", "value"] *= 3
    models = []
    for _, part in results.groupby("dataset"):
        factors = [pd.get_dummies(part[factor], dtype=float) for factor in ("qid", "name")]
        models.append(sm.OLS(part["value"], pd.concat(factors, axis=1)).fit())
    variances = np.array([model.mse_resid for model in models])
    squares = variances / [model.nobs / 3 for model in models]
    free = squares.sum() ** 2 / sum(squares**2 / [model.df_resid for model in models])
    row = mean_row(pairwise(results, test="tukey"), name="A", other="B")
    error = np.sqrt(squares.sum()) / 3
    ranges = stats.studentized_range(3, free)
    assert row["p"] == pytest.approx(ranges.sf(abs(row["difference"]) / error), abs=1e-9)
    assert row["high"] - row["difference"] == pytest.approx(ranges.ppf(0.95) * error, rel=1e-9)
    assert row["effect"] == pytest.approx(row["difference"] / np.sqrt(variances.mean()), rel=1e-9)


def test_tests_of_all_systems_have_rows_for_each_dataset() -> None:
    """Expected: what each dataset's results give alone, and all topics as those of one."""
    results = make_results()
    parts = {name: part.drop(columns="dataset") for name, part in results.groupby("dataset")}
    pooled = results.assign(qid=results["dataset"] + results["qid"]).drop(columns="dataset")
    halves = {"half": lambda qid: int(qid[-1]) % 2}
    for name, part in (parts | {"mean": pooled}).items():
        pd.testing.assert_frame_equal(posthoc(results).loc[name], posthoc(part))
        pd.testing.assert_frame_equal(average_ranks(results).loc[name], average_ranks(part))
        rows = anova(results).query("dataset == @name").drop(columns="dataset")
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), anova(part))
    own = results[results["name"] == results["qid"].map(lambda qid: "ABC"[int(qid) % 3])]
    rows = anova(own, by=halves["half"])
    assert rows["dataset"].unique().tolist() == [*results["dataset"].unique(), "mean"]
    alone = anova(own[own["dataset"] == "hard"].drop(columns="dataset"), by=halves["half"])
    of_hard = rows.query("dataset == 'hard'").drop(columns="dataset").reset_index(drop=True)
    pd.testing.assert_frame_equal(of_hard, alone)


def test_a_measure_that_a_dataset_lacks_is_named() -> None:
    results = make_results()
    other = results[results["dataset"] != "hard"].assign(measure="nCG")
    with pytest.raises(ValueError, match="nCG: 'A' has no value for any topic of dataset 'hard'"):
        posthoc(pd.concat([results, other]), "nCG")


@pytest.mark.parametrize("test", ["t", "tukey", "wilcoxon", "friedman"])
def test_the_note_says_which_topics_a_test_by_ranks_takes(test: str) -> None:
    pooled = "mean: mean of the datasets' means; its test takes the topics of all datasets together"
    assert (pooled in paper_table(make_results(), test=test).note) == (
        test in ("wilcoxon", "friedman")
    )


def test_tukey_with_a_dataset_that_does_not_vary() -> None:
    """It adds nothing to the error, so the degrees of freedom are the others'."""
    results = make_results({"one": 9, "two": 7})
    flat = results["dataset"] == "two"
    results.loc[flat, "value"] = results.loc[flat, "name"].map({"A": 0.5, "B": 0.4, "C": 0.4})
    alone = pairwise(results[~flat].drop(columns="dataset"), test="tukey")
    row = mean_row(pairwise(results, test="tukey"), name="A", other="B")
    assert row["high"] - row["low"] == pytest.approx((alone["high"] - alone["low"])[0] / 2)


def group_of(qid: str) -> str:
    """Groups of different sizes."""
    return str(int(qid) ** 2 % 17)


@pytest.mark.filterwarnings("ignore:bootstrap intervals over 9 groups:UserWarning")
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_bootstrap_of_groups_is_scipys(method: str) -> None:
    """A ratio of the sums of groups and their sizes, both drawn together."""
    results = make_results({"one": 60}).drop(columns="dataset")
    made = intervals(results, cluster=group_of, method=method, resamples=999, seed=4)
    values = results[results["name"] == "B"]
    groups = values.groupby(values["qid"].map(group_of))["value"]
    order = list(dict.fromkeys(map(group_of, sorted(values["qid"]))))
    expected = stats.bootstrap(
        (groups.sum()[order].to_numpy(), groups.size()[order].to_numpy()),
        lambda sums, sizes, axis: sums.sum(axis) / sizes.sum(axis),
        paired=True, method=method, n_resamples=999, random_state=np.random.default_rng(4),
    )  # fmt: skip
    row = made[made["name"] == "B"].iloc[0]
    interval = expected.confidence_interval
    assert row["mean"] == pytest.approx(values["value"].mean(), abs=1e-12)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_t_of_groups_is_that_of_statsmodels() -> None:
    """The cluster-robust error of a regression on a constant, with the groups' df."""
    results = make_results({"one": 60}).drop(columns="dataset")
    wide = results.pivot(index="qid", columns="name", values="value")
    groups = [group_of(qid) for qid in wide.index]
    model = sm.OLS(wide["A"] - wide["B"], np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": pd.factorize(pd.Index(groups))[0]}, use_t=True
    )
    row = pairwise(results, cluster=group_of).iloc[0]
    assert (row["low"], row["high"]) == pytest.approx(tuple(model.conf_int().iloc[0]), abs=1e-12)
    assert row["p"] == pytest.approx(model.pvalues.iloc[0], rel=1e-9)
    assert row["p"] != pytest.approx(pairwise(results).iloc[0]["p"], rel=1e-3)


def test_groups_of_one_size_have_the_t_of_their_means() -> None:
    """Expected: the test with the groups' means in place of topics."""
    results = make_results({"one": 30}).drop(columns="dataset")
    conversations = results.assign(turn=[int(qid) // 3 for qid in results["qid"]])
    means = conversations.groupby(["name", "measure", "turn"], as_index=False)["value"].mean()
    expected = pairwise(means.rename(columns={"turn": "qid"}))
    mapping = {str(qid): qid // 3 for qid in range(30)}
    for cluster in ("turn", mapping, lambda qid: int(qid) // 3):
        pairs = pairwise(conversations, cluster=cluster)
        for column in ("difference", "low", "high", "p"):
            assert pairs[column].tolist() == pytest.approx(expected[column].tolist(), rel=1e-9)


def test_groups_of_equal_means_do_not_differ() -> None:
    """In each group A is better by 1 and worse by 1: no variance between groups, p = 1."""
    results = make_results({"one": 8}, "AB").drop(columns="dataset")
    results["value"] = [1.0, -1.0] * 4 + [0.0] * 8
    (row,) = pairwise(results, cluster=lambda qid: int(qid) // 2).itertuples()
    assert (row.p, row.better) == (1.0, "")
    with pytest.raises(ValueError, match="test='friedman' takes every topic as independent"):
        paper_table(results, marks="reading", cluster=lambda qid: int(qid) // 2)


def test_randomisation_swaps_groups_whole() -> None:
    """Expected: all 2^6 patterns of signs of the groups' sums."""
    results = make_results({"one": 12}).drop(columns="dataset")
    (parts,) = (results.pivot(index="qid", columns="name", values="value"),)
    difference = parts["A"] - parts["B"]
    sums = difference.groupby([int(qid) // 2 for qid in difference.index]).sum().to_numpy()
    totals = [abs(np.dot(signs, sums)) for signs in itertools.product((1, -1), repeat=6)]
    expected = np.mean(np.array(totals) >= totals[0] - 1e-12)
    pairs = pairwise(results, test="randomisation", cluster=lambda qid: int(qid) // 2)
    assert pairs.iloc[0]["p"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("test", sorted(set(TESTS) - {"equivalence"}))
def test_groups_of_one_topic_are_none(test: str) -> None:
    results = make_results({"one": 12}).drop(columns="dataset")
    if not TESTS[test].clusters:
        with pytest.raises(ValueError, match="takes every topic as independent; with cluster, use"):
            pairwise(results, test=test, cluster="qid")
        return
    alone = pairwise(results, test=test, resamples=200)
    grouped = pairwise(results, test=test, resamples=200, cluster=lambda qid: f"of {qid}")
    pd.testing.assert_frame_equal(alone, grouped)


def test_two_baselines_are_one_family() -> None:
    """Six systems, two baselines: the eight p-values of scipy, corrected by statsmodels."""
    results = make_results({"one": 25}, "ABCDEF").drop(columns="dataset")
    wide = results.pivot(index="qid", columns="name", values="value")
    pairs = pairwise(results, baseline=["B", "D"])
    compared = [(name, "B") for name in "ACEFD"] + [(name, "D") for name in "ACEF"]
    assert list(zip(pairs["name"], pairs["other"])) == compared
    p = [stats.ttest_rel(wide[name], wide[other]).pvalue for name, other in compared]
    assert pairs["p"].tolist() == pytest.approx(p, rel=1e-9)
    assert pairs["p_corrected"].tolist() == pytest.approx(
        multipletests(p, method="holm")[1].tolist(), rel=1e-9
    )
    table = paper_table(results, baseline=["B", "D"], rows="measures")
    expected = dict.fromkeys("BD", "")
    for row in pairs.itertuples():
        letter = {"B": "a", "D": "b"}[row.other]
        sign = "↓" if row.difference < 0 else ""
        mark = letter + sign if row.p_corrected < 0.05 else ""
        expected[row.name] = ",".join(filter(None, [expected.get(row.name, ""), mark]))
    assert {head.text: cell.marks for head, cell in zip(table.columns, table.cells[0])} == expected
    assert [str(head) for head in table.columns] == ["A", "(a) B", "C", "(b) D", "E", "F"]
    assert "(paired t-test against B and D, two-sided, Holm-corrected; 25 topics)" in table.note


def test_a_table_shows_the_direction_and_explains_what_it_shows() -> None:
    """C is below A and B, D above; E does not differ."""
    levels = {"A": 0.0, "B": 0.02, "C": -2.0, "D": 2.0, "E": 0.03}
    noise = np.random.default_rng(1).normal(0, 0.3, (5, 20))
    rows = [
        (name, str(q), "CG", level + value)
        for (name, level), values in zip(levels.items(), noise)
        for q, value in enumerate(values)
    ]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    marks = {
        systems: [cell.marks for cell in paper_table(results, systems=list(systems), **o).cells[0]]
        for systems, o in {
            "ACDE": {"baseline": "A"}, "ABCDE": {"baseline": ["A", "B"]}, "ABC": {},
            "ACD": {"baseline": ["D", "C"]},
        }.items()
    }  # fmt: skip
    assert marks == {
        "ACDE": ["", "‡↓", "‡", ""], "ABCDE": ["", "", "a↓,b↓", "a,b", ""], "ABC": ["c", "c", ""],
        "ACD": ["a↓,b", "a↓", "b"],
    }  # fmt: skip
    notes = {
        ("AD", "A"): "‡ differs significantly, p < 0.01 (paired t-test",
        ("ACD", "A"): "‡ differs significantly, p < 0.01; ↓ worse (paired t-test",
        ("AE", "A"): "No system differs significantly at p < 0.05 (paired t-test",
        ("ABC", "AB"): "Letters with ↓: significantly worse than the system of that letter, p",
        ("ABD", "AB"): "Letters: significantly better than the system of that letter, p",
        ("ABCD", "AB"): "Letters: significantly better (with ↓: worse) than the system of that",
        ("ABE", "AB"): "No pair differs significantly at p < 0.05 (paired t-test against A and B",
    }
    for (systems, baselines), note in notes.items():
        table = paper_table(results, systems=list(systems), baseline=list(baselines))
        assert note in table.note


def test_a_table_of_datasets() -> None:
    """Each column is what the table of that dataset alone has; then the macro means."""
    results = make_results()
    table = paper_table(results, baseline="A", interval=True, resamples=500)
    assert list(map(str, table.columns)) == [*SIZES, "mean"]
    assert list(map(str, table.rows)) == ["A", "B", "C"]
    for i, dataset in enumerate(SIZES):
        alone = results[results["dataset"] == dataset].drop(columns="dataset")
        single = paper_table(alone, baseline="A", interval=True, resamples=500)
        assert [row[i] for row in table.cells] == single.cells[0]
    macro = results.groupby(["name", "dataset"])["value"].mean().groupby("name").mean()
    assert table.means.loc["mean"].to_dict() == pytest.approx(macro.to_dict(), abs=1e-12)
    assert "CG; mean: mean of the datasets' means." in table.notes
    assert "18 topics of DL20, 23 topics of DL19, 16 topics of hard)" in table.note
    assert "against A, two-sided, Holm-corrected within each dataset" in table.note
    two = pd.concat([results, results.assign(measure="nCG")])
    heads = paper_table(two, baseline="A").columns
    assert [(head.above, head.text) for head in heads] == list(
        itertools.product(["CG", "nCG"], [*SIZES, "mean"])
    )
    latex = paper_table(two, baseline="A").to_latex()
    assert r"\multicolumn{8}{c}{CG}" in latex
    assert set(paper_table(two, baseline="A").data["dataset"]) == {*SIZES, "mean"}
    by_ranks = paper_table(two, test="friedman")
    assert by_ranks.tests.index.tolist() == list(itertools.product([*SIZES, "mean"], ["CG", "nCG"]))
    assert friedman(results)["topics"].tolist() == [18, 23, 16, 57]


def test_the_order_by_value_is_that_of_the_macro_mean() -> None:
    """With several measures, too; A is the best of the first dataset only."""
    results = make_results({"one": 5, "two": 5})
    results.loc[(results["dataset"] == "one") & (results["name"] == "A"), "value"] = 1.0
    results.loc[(results["dataset"] == "two") & (results["name"] == "A"), "value"] = -9.0
    two = pd.concat([results, results.assign(measure="nCG", value=results["value"] ** 2)])
    for frame in (results, two):
        table = paper_table(frame, order="value", test=None)
        macro = frame[frame["measure"] == "CG"].groupby(["name", "dataset"])["value"].mean()
        best_first = macro.groupby("name").mean().sort_values(ascending=False).index.tolist()
        assert list(map(str, table.rows)) == best_first
    assert best_first[-1] == "A"


def test_a_table_of_one_dataset_has_no_mean() -> None:
    table = paper_table(make_results({"one": 5}), test=None)
    assert list(map(str, table.columns)) == ["CG one"]
    assert table.notes[1:] == ["5 topics."]


def test_a_baseline_that_is_given_twice_counts_once() -> None:
    results = make_results({"one": 9})
    table = paper_table(results, baseline=["A", "A"])
    assert table.to_text() == paper_table(results, baseline="A").to_text()


@pytest.mark.parametrize("baseline", ["A", ["A", "B"]])
def test_baselines_that_are_better_than_several_systems(baseline) -> None:
    """The others have the mark; expected: A is best by far, and B is not better than the rest."""
    results = make_results({"one": 12}, "ABCDE")
    results["value"] += 5 * (results["name"] == "A")
    table = paper_table(results, baseline=baseline, marks="letters")
    marks = [row[0].marks for row in table.cells]
    assert marks == (["", *["a↓"] * 4] if baseline == "A" else ["b", *["a↓"] * 4])


def test_the_notes_of_topics_in_groups() -> None:
    """Expected: 2^11 patterns of signs of 11 groups, of which the larger dataset has 6."""
    results = make_results({"one": 12, "two": 10})
    options = {"cluster": lambda qid: int(qid) // 2, "test": "randomisation", "interval": True}
    for resamples, way in ((2048, "exact"), (2047, "exact or 2,047 draws"), (31, "31 draws")):
        note = paper_table(results, resamples=resamples, **options).note
        assert f"(paired randomisation test, two-sided, {way}, Holm-corrected" in note
        assert "10 topics of two, in 11 groups in all)" in note
        assert "confidence interval over groups of topics." in note


def test_groups_in_a_column_may_differ_by_dataset() -> None:
    """A topic is a pair of dataset and id; expected: a mapping, with other ids in each dataset."""
    results = make_results({"one": 9, "two": 8})
    size = results["dataset"].map({"one": 3, "two": 2})
    results["group"] = list(zip(results["dataset"], results["qid"].astype(int) // size))
    named = results.assign(qid=results["dataset"] + results["qid"])
    mapping = dict(zip(named["qid"], named["group"]))
    pd.testing.assert_frame_equal(
        pairwise(results, cluster="group"), pairwise(named, cluster=mapping)
    )
    pd.testing.assert_frame_equal(
        intervals(results, cluster="group", method="t"),
        intervals(named, cluster=mapping, method="t"),
    )


def test_measures_with_different_groups_are_permuted_apart() -> None:
    """Nine topics each, in three groups under one measure and in four under the other."""
    one, two = (make_results({"one": 9}, seed=seed).drop(columns="dataset") for seed in (3, 4))
    two = two.assign(measure="nCG", qid=[str(int(qid) + 1) for qid in two["qid"]])
    options = {"test": "randomised-tukey", "cluster": lambda qid: int(qid) // 3, "resamples": 200}
    both = pairwise(pd.concat([one, two]), **options)
    alone = pairwise(two, **options)
    pd.testing.assert_frame_equal(both[3:].reset_index(drop=True), alone)


@pytest.mark.parametrize("cluster", [5, ["qid", "name"], "none"])
def test_columns_of_groups_that_there_are_not(cluster) -> None:
    wrong = r"missing columns|must be one column|must be a column"
    with pytest.raises((TypeError, ValueError), match=wrong):
        intervals(make_results(), cluster=cluster)


def test_groups_may_be_tuples() -> None:
    results = make_results()
    pd.testing.assert_frame_equal(
        pairwise(results, cluster=lambda qid: (int(qid) // 2, "x")),
        pairwise(results, cluster=lambda qid: int(qid) // 2),
    )


@pytest.mark.filterwarnings("ignore:cluster. 10 groups, the largest:UserWarning")
def test_a_system_with_one_group_of_its_own_is_refused() -> None:
    results = make_results({"one": 9}, "AB").drop(columns="dataset")
    results["qid"] = results["name"] + results["qid"]
    for function in (partial(pairwise, test="welch"), partial(intervals, baseline="A")):
        with pytest.raises(
            ValueError, match="each system needs at least two groups of topics in each dataset"
        ):
            function(results, cluster=lambda qid: "A" if qid[0] == "A" else qid)


def test_other_functions_take_datasets() -> None:
    """Means over all datasets are macro means everywhere."""
    results = pd.concat([make_results(), make_results(seed=9).assign(measure="nCG")])
    figure = plots.plot_discriminative_power(discriminative_power(results, pvalues=True))
    assert "DL20 CG (0%)" in [text.get_text() for text in figure.legends[0].get_texts()]
    power = discriminative_power(results)
    assert power[["dataset", "measure"]].drop_duplicates().shape == (8, 2)
    macro = results.groupby(["name", "measure", "dataset"])["value"].mean()
    means = macro.groupby(["name", "measure"]).mean().unstack().reset_index()
    pd.testing.assert_frame_equal(rank_correlation(results), rank_correlation(means))


def test_what_datasets_cannot_be() -> None:
    results = make_results()
    with pytest.raises(
        ValueError, match="'A' has two values for topic '0'; results of several coll"
    ):
        pairwise(results.drop(columns="dataset"))
    lacking = results[(results["name"] != "B") | (results["dataset"] != "DL19")]
    for function in (pairwise, intervals, paper_table, friedman):
        with pytest.raises(ValueError, match="'B' has no value for any topic of dataset 'DL19'"):
            function(lacking)
    for name in ("mean", None, 3, ""):
        with pytest.raises(ValueError, match="must be a name other than 'mean'"):
            pairwise(results.replace({"dataset": {"hard": name}}))
    with pytest.raises(ValueError, match="'mann-whitney' has no form for several datasets"):
        pairwise(results, test="mann-whitney")
    few = results[(results["dataset"] != "hard") | (results["qid"] == "1")]
    with pytest.raises(ValueError, match="at least two topics of dataset 'hard', not 1"):
        pairwise(few)
    with pytest.raises(ValueError, match="no system is left to compare with the baselines"):
        pairwise(results, baseline=["A", "B", "C"])
    with pytest.raises(ValueError, match="'nobody' is not one of the systems"):
        paper_table(results, baseline=["A", "nobody"])
    with pytest.raises(ValueError, match="topic '0' has no group"):
        intervals(results, cluster={})
    with pytest.raises(ValueError, match="each system needs at least two groups of topics"):
        intervals(results, cluster=lambda _: "all")


@pytest.mark.end_to_end
@pytest.mark.parametrize("test", sorted(set(TESTS) - {"equivalence", "welch", "mann-whitney"}))
def test_type_i_errors_on_a_real_matrix(test: str) -> None:
    """With random signs of each topic's differences nothing differs: about 5 in 100 families err.

    The matrix is that of pydocs, in two datasets, with two baselines. Under the null the systems of
    a topic are exchangeable, so each topic's values are permuted among them. The limit is three
    standard errors; tests that hold their level in the strong sense may err less.
    """
    wide = by_query().query("measure == @text", local_dict={"text": str(nDCG @ 10)})
    if wide.empty:
        wide = by_query()
        wide = wide[wide["measure"] == wide["measure"].iloc[0]]
    wide = wide.pivot(index="qid", columns="name", values="value")
    rng = np.random.default_rng(5)
    count = 30 if test == "tukey" else 100
    frames = []
    for i in range(count):
        permuted = pd.DataFrame(
            rng.permuted(wide.to_numpy(), axis=1), index=wide.index, columns=wide.columns
        )
        tidy = permuted.reset_index().melt("qid", var_name="name", value_name="value")
        frames.append(tidy.assign(measure=f"m{i}"))
    results = pd.concat(frames)
    results["dataset"] = np.where(results["qid"].str[-1:] < "4", "one", "two")
    pairs = pairwise(results, test=test, baseline=list(wide)[:2], interval=False, resamples=400)
    errs = pairs[pairs["dataset"] == "mean"].groupby("measure")["p_corrected"].min() < 0.05
    assert len(errs) == count
    assert errs.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / count)


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("cluster", [None, lambda qid: int(qid) // 4])
def test_intervals_cover_the_truth(cluster: Any) -> None:
    """About 95 in 100 t intervals contain the true macro mean, of topics in groups as well."""
    rng = np.random.default_rng(8)
    covered = []
    for _ in range(2000):
        rows = []
        for dataset, (topics, level) in {"one": (80, 0.2), "two": (40, 0.6)}.items():
            shared = np.repeat(rng.normal(0, 0.1, topics // 4), 4) * (cluster is not None)
            values = level + shared + rng.normal(0, 0.1, topics)
            rows += [("A", str(q), "CG", dataset, v) for q, v in enumerate(values)]
        results = pd.DataFrame(rows, columns=["name", "qid", "measure", "dataset", "value"])
        row = mean_row(intervals(results, method="t", cluster=cluster))
        covered.append(row["low"] <= 0.4 <= row["high"])
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
