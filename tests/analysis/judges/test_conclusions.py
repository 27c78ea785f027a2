"""Conclusions by judge against scipy and statsmodels, pair by pair."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import intervals, nDCG, pairwise, paper_table
from pt_cumgain.comparing import tau_ap
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.formats import trec
from pt_cumgain.judges import compare_judges
from pt_cumgain.presentation.tables import PaperTable


def results(values: np.ndarray, names: str = "XYZW") -> pd.DataFrame:
    """Results from values by judge (the first is human), system and topic; NaN is left out."""
    rows = [
        (["human", "model", "other"][judge], names[system], str(topic), "nDCG@10", value)
        for (judge, system, topic), value in np.ndenumerate(values)
        if not np.isnan(value)
    ]
    return pd.DataFrame(rows, columns=["judge", "name", "qid", "measure", "value"])


def fit_slope(one: pd.DataFrame, two: pd.DataFrame) -> float:
    """The slope of least squares of the second on the first, each topic with a level of its own."""
    long = pd.DataFrame({"x": one.stack(), "y": two.stack()})
    levels = pd.get_dummies(long.index.get_level_values(0)).to_numpy(dtype=float)
    return float(sm.OLS(long["y"].to_numpy(), np.column_stack([long["x"], levels])).fit().params[0])


def conclude(one: pd.DataFrame, two: pd.DataFrame, alpha: float = 0.05) -> tuple[dict, list[dict]]:
    """The comparison of two judges, from tables of topics by systems, pair by pair."""
    names, slope = list(combinations(one.columns, 2)), fit_slope(one, two)
    corrected, tables = [], [one, two, two - slope * one]
    for table in tables[:2]:
        p = [stats.ttest_rel(table[a], table[b]).pvalue for a, b in names]
        corrected.append(multipletests(p, method="holm")[1])
    pairs, counts = [], dict.fromkeys(["both", "opposite", "reference_only", "judge_only"], 0)
    counts |= {"neither": 0, "same_order": 0}
    for i, (a, b) in enumerate(names):
        first, second, favour = (table[a] - table[b] for table in tables)
        by_one, by_two = corrected[0][i] < alpha, corrected[1][i] < alpha
        agree = np.sign(first.mean()) == np.sign(second.mean())
        if by_one and by_two:
            kind = "both" if agree else "opposite"
        else:
            kind = "reference_only" if by_one else "judge_only" if by_two else "neither"
        counts[kind] += 1
        counts["same_order"] += int(agree)
        half = stats.sem(favour) * stats.t.ppf(0.975, len(favour) - 1)
        pairs.append(
            {
                "name": a,
                "other": b,
                "reference_difference": first.mean(),
                "difference": second.mean(),
                "agreement": kind,
                "favour": favour.mean(),
                "favour_low": favour.mean() - half,
                "favour_high": favour.mean() + half,
            }
        )
    counts["tau_b"] = stats.kendalltau(one.mean(), two.mean()).statistic
    counts["tau_ap"] = tau_ap(one.mean(), two.mean())
    counts["slope"] = slope
    return counts, pairs


def check(given: pd.DataFrame) -> None:
    tables = {
        judge: part.pivot(index="qid", columns="name", values="value")[part["name"].unique()]
        for judge, part in given.groupby("judge", sort=False)
    }
    made = compare_judges(given)
    human = tables.pop("human")
    orders = []
    for judge, table in tables.items():
        topics = human.index.intersection(table.index)
        counts, pairs = conclude(human.loc[topics], table.loc[topics])
        row = made.judges[made.judges["judge"] == judge].iloc[0]
        assert row[list(counts)].to_dict() == pytest.approx(counts, nan_ok=True)
        assert (row["topics"], row["pairs"]) == (len(topics), len(pairs))
        rows = made.pairs[made.pairs["judge"] == judge].to_dict("records")
        for found, expected in zip(rows, pairs, strict=True):
            texts = {key: x for key, x in expected.items() if isinstance(x, str)}
            numbers = {key: x for key, x in expected.items() if key not in texts}
            assert {key: found[key] for key in texts} == texts
            assert {key: found[key] for key in numbers} == pytest.approx(numbers, abs=1e-12)
        orders.append([p["difference"] * p["reference_difference"] > 0 for p in pairs])
    assert made.pairs["holds"].tolist() == np.all(orders, axis=0).tolist() * len(tables)


@settings(max_examples=settings.default.max_examples // 5)  # statsmodels is slow
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(5, 20), st.integers(2, 3))
def test_conclusions_equal_those_pair_by_pair(seed, systems, topics, judges) -> None:
    """Expected: scipy.stats.ttest_rel, kendalltau, and statsmodels' Holm and OLS."""
    draws = np.random.default_rng(seed)
    values = draws.normal(size=(judges, systems, topics)) + draws.normal(size=(judges, systems, 1))
    values[1:, :, :2] = np.where(draws.random() < 0.3, np.nan, values[1:, :, :2])
    check(results(values))


@pytest.mark.slow
def test_conclusions_on_llmjudge(data: Path) -> None:
    """Twelve made-up rankers and five of the judges; expected as above."""
    folder = data / "llmjudge"
    qrels = {"human": trec.read_qrels(folder / "human.qrels")}
    for path in sorted((folder / "judges").iterdir())[::7]:
        qrels[path.name] = trec.read_qrels(path)
    draws = np.random.default_rng(3)
    human, frames = qrels["human"], []
    for i in range(12):
        score = human["relevance"] + draws.normal(0, 1 + i / 3, len(human))
        run = human.assign(score=score)[["query_id", "doc_id", "score"]]
        for judge, judged in qrels.items():
            values = provider.calc([nDCG @ 10], judged, run).per_query
            rows = [(f"run {i:02}", m.query_id, "nDCG@10", m.value, judge) for m in values]
            frames.append(pd.DataFrame(rows, columns=["name", "qid", "measure", "value", "judge"]))
    given = pd.concat(frames)
    check(given)
    made = compare_judges(given)
    assert (made.judges["pairs"] == 66).all()
    assert made.judges["opposite"].sum() == 0


def random(judges: int = 2, systems: int = 3, topics: int = 12, seed: int = 1) -> pd.DataFrame:
    return results(np.random.default_rng(seed).random((judges, systems, topics)))


def test_the_order_of_the_systems_is_that_of_the_results() -> None:
    given = random()
    other = pd.concat([given[given["judge"] == "human"], given[given["judge"] == "model"][::-1]])
    pd.testing.assert_frame_equal(compare_judges(given).pairs, compare_judges(other).pairs)


def test_datasets_have_rows_of_their_own_and_a_macro_mean() -> None:
    """Expected: each dataset alone; of the macro mean, pairwise on both datasets."""
    parts = {"a": random(seed=1), "b": random(topics=7, seed=2)}
    given = pd.concat(part.assign(dataset=name) for name, part in parts.items())
    made = compare_judges(given, baseline="Y", test="randomisation")
    for name, part in parts.items():
        alone = compare_judges(part, baseline="Y", test="randomisation")
        for found, expected in [(made.judges, alone.judges), (made.pairs, alone.pairs)]:
            rows = found[found["dataset"] == name].drop(columns="dataset").reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, expected)
    macro = made.pairs[made.pairs["dataset"] == "mean"].reset_index(drop=True)
    judged = given[given["judge"] == "model"].drop(columns="judge")
    pairs = pairwise(judged, baseline="Y", test="randomisation")
    pairs = pairs[pairs["dataset"] == "mean"].reset_index(drop=True)
    assert macro["difference"].tolist() == pairs["difference"].tolist()
    assert macro["better"].tolist() == pairs["better"].tolist()
    assert made.judges["topics"].tolist() == [12, 7, 19]
    slopes = made.judges["slope"].tolist()
    assert slopes[2] == pytest.approx(np.mean(slopes[:2]))
    # the mean of the datasets' favours, with Welch's and Satterthwaite's degrees of freedom
    for row in macro.to_dict("records"):
        means, errors = [], []
        for part, slope in zip(parts.values(), slopes):
            one, two = (
                part[part["judge"] == judge].pivot(index="qid", columns="name", values="value")
                for judge in ("human", "model")
            )
            favour = (two - slope * one)[row["name"]] - (two - slope * one)[row["other"]]
            means.append(favour.mean())
            errors.append(stats.sem(favour) ** 2)
        free = sum(errors) ** 2 / (errors[0] ** 2 / 11 + errors[1] ** 2 / 6)
        half = stats.t.ppf(0.975, free) * sum(errors) ** 0.5 / 2
        expected = [np.mean(means), np.mean(means) - half, np.mean(means) + half]
        found = [row["favour"], row["favour_low"], row["favour_high"]]
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_judge_whose_errors_know_nothing_of_systems_favours_none() -> None:
    """All differences are 0.6 of the reference's: the slope, and nothing is beyond it."""
    values = np.random.default_rng(2).random((1, 4, 9))
    shrunk = 0.6 * values + np.arange(9) / 10
    made = compare_judges(results(np.concatenate([values, shrunk])))
    assert made.judges["slope"].tolist() == pytest.approx([0.6])
    assert made.pairs[["favour", "favour_low", "favour_high"]].to_numpy() == pytest.approx(0)


def test_equal_systems_under_the_reference_leave_no_slope() -> None:
    """What the judge says of a pair is then favour; 0.1 and 0.3 have means that rounding moves."""
    values = np.random.default_rng(2).random((2, 3, 9))
    values[0] = np.resize([0.1, 0.3, 0.7], 9)
    made = compare_judges(results(values))
    assert made.judges["slope"].isna().all()
    for one, two in [("favour", "difference"), ("favour_low", "low"), ("favour_high", "high")]:
        by_judge = pairwise(results(values).query("judge == 'model'").drop(columns="judge"))
        assert made.pairs[one].tolist() == by_judge[two].tolist()


@pytest.mark.parametrize("scale", [2.0**900, 2.0**-900])
def test_huge_and_tiny_values_have_the_same_slope(scale: float) -> None:
    given = random()
    made = [compare_judges(given.assign(value=given["value"] * by)) for by in (1, scale)]
    slopes = [one.judges["slope"].tolist() for one in made]
    assert slopes[1] == pytest.approx(slopes[0])
    assert (made[1].pairs["favour"] / scale).tolist() == pytest.approx(made[0].pairs["favour"])


def test_each_measure_has_a_slope_of_its_own() -> None:
    """Expected: each measure alone."""
    parts = {name: random(seed=seed) for name, seed in (("nDCG@5", 1), ("AP", 2))}
    together = compare_judges(pd.concat(part.assign(measure=name) for name, part in parts.items()))
    for name, part in parts.items():
        alone = compare_judges(part.assign(measure=name))
        for found, expected in zip((together.judges, together.pairs), (alone.judges, alone.pairs)):
            rows = found[found["measure"] == name].reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, expected)


def test_the_slope_is_that_of_all_systems_whatever_the_baseline() -> None:
    slopes = [
        compare_judges(random(), baseline=baseline).judges["slope"] for baseline in (None, "Y")
    ]
    pd.testing.assert_series_equal(*slopes)


def test_a_correction_of_another_test_leaves_favour_alone() -> None:
    """The single-step correction is for Conover's test; favour has none."""
    favours = [
        compare_judges(random(systems=4), **options).pairs["favour_low"]
        for options in ({}, {"test": "conover", "correction": "single-step"})
    ]
    pd.testing.assert_series_equal(*favours)


@pytest.mark.parametrize("option", ["interval", "cutoff", "tests"])
def test_an_unknown_option_is_refused_in_words(option: str) -> None:
    with pytest.raises(TypeError, match=f"compare_judges has no option '{option}'; .* confidence"):
        compare_judges(random(), **{option: True})


def test_an_order_that_two_judges_have_on_other_topics_does_not_hold() -> None:
    """X is ahead of Y on the topics of one judge, behind on those of the other."""
    ahead = np.array([[1.0] * 4 + [0.0] * 4, [0.0] * 4 + [1.0] * 4]) + np.arange(8) / 99
    model, other = ahead.copy(), ahead.copy()
    model[:, 4:] = other[:, :4] = np.nan
    pairs = compare_judges(results(np.array([ahead, model, other]), "XY")).pairs
    assert pairs["same_order"].tolist() == [True, True]
    assert pairs["difference"].tolist() == [1, -1]
    assert pairs["holds"].tolist() == [False, False]


def test_equal_systems_have_the_same_order_under_every_judge() -> None:
    values = np.repeat(np.random.default_rng(1).random((2, 1, 9)), 2, axis=1)
    pairs = compare_judges(results(values, "XY")).pairs
    assert pairs[["same_order", "holds"]].to_numpy().tolist() == [[True, True]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f[f["judge"] == "human"], "must be one of several judges; the results have"),
        (lambda f: f[(f["judge"] == "human") ^ (f["qid"] == "1")], "no topic in common"),
        (
            lambda f: f[(f["judge"] == "human") | (f["name"] != "X")],
            "by the judge 'model' lack the system 'X'",
        ),
        (
            lambda f: f.assign(value=f["value"].replace(f["value"].max(), np.inf)),
            "infinite",
        ),
        (
            lambda f: pd.concat([f, f.assign(measure="AP")[f["judge"] == "model"]]),
            "by the judge 'human' lack the measure 'AP'",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(change, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        compare_judges(change(random()))


def test_functions_of_results_have_rows_for_each_judge() -> None:
    """Expected: the same function on the results of each judge."""
    given = random(3)
    for function in (pairwise, intervals):
        made = function(given)
        for judge, part in given.groupby("judge", sort=False):
            rows = made[made["judge"] == judge].drop(columns="judge").reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, function(part.drop(columns="judge")))


def test_a_function_of_one_judge_refuses_several() -> None:
    from pt_cumgain.comparing import rank_correlation

    with pytest.raises(ValueError, match="by several judges, human, model; choose one of them"):
        rank_correlation(random())
    assert rank_correlation(random().query("judge == 'human'")).shape == (1, 1)


def test_a_table_has_a_column_for_each_judge() -> None:
    """Expected: the table of each judge."""
    given = random(topics=9)
    table = paper_table(given, baseline="Y", interval=True)
    assert [str(head) for head in table.columns] == ["human", "model"]
    for i, (judge, part) in enumerate(given.groupby("judge", sort=False)):
        alone = paper_table(part.drop(columns="judge"), baseline="Y", interval=True, rows="systems")
        assert [row[i] for row in table.cells] == [row[0] for row in alone.cells]
        data = table.data[table.data["judge"] == judge].drop(columns="judge")
        pd.testing.assert_frame_equal(data.reset_index(drop=True), alone.data)
    assert "nDCG@10 under the judgments of each judge." in table.notes
    assert "Holm-corrected within each judge; 9 topics)" in str(table)


def test_a_table_of_several_measures_names_them_above_the_judges() -> None:
    given = random(topics=9)
    table: PaperTable = paper_table(pd.concat([given, given.assign(measure="AP")]), test="friedman")
    assert [str(head) for head in table.columns] == [
        f"{measure} {judge}" for measure in ("nDCG@10", "AP") for judge in ("human", "model")
    ]
    assert "Values under the judgments of each judge." in table.notes


def test_a_note_says_whether_the_signs_of_each_judges_topics_were_all_taken() -> None:
    """2^9 patterns of signs are taken, and no test takes the 18 topics of both judges together."""
    table = paper_table(random(topics=9), test="randomisation")
    assert ", exact, Holm-corrected" in str(table)
    assert "draws" not in str(table)


def test_a_table_has_datasets_or_judges() -> None:
    with pytest.raises(ValueError, match="columns for datasets or for judges, not for both"):
        paper_table(random().assign(dataset="a"))


@pytest.mark.parametrize("datasets", [1, 2])
def test_a_cluster_may_be_a_column_of_the_results(datasets: int) -> None:
    """Expected: the same groups as a function of the topics' ids."""
    given = random(judges=3, topics=24)
    if datasets == 2:
        given = pd.concat(given.assign(dataset=name) for name in "ab")
    column = given.assign(conversation=given["qid"].astype(int) // 2)
    made = compare_judges(column, cluster="conversation")
    expected = compare_judges(given, cluster=lambda qid: int(qid) // 2)
    pd.testing.assert_frame_equal(made.pairs, expected.pairs)
    pd.testing.assert_frame_equal(made.judges, expected.judges)
    assert (made.pairs["favour_low"] != compare_judges(given).pairs["favour_low"]).any()
    assert made.options["cluster"] == "conversation"
    with pytest.raises(ValueError, match=r"results: missing columns \['turn'\] \(found \['judge',"):
        compare_judges(given, cluster="turn")
    with pytest.raises(ValueError, match="cluster: topic '1' has no group"):
        compare_judges(given, cluster=lambda qid: None if qid == "1" else qid)
