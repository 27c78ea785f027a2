"""Rectified values against a slow reference, ppi_py, the paired t-test, and simulated truths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_cumgain import intervals, pairwise
from pt_cumgain.analysis.judges import rectified as module
from pt_cumgain.inputs.formats import trec
from pt_cumgain.judges import rectify

Values = dict[str, np.ndarray]


def results(by_judge: dict[str, Values], **columns: Any) -> pd.DataFrame:
    """Results from each judge's values of each system, by topic; NaN is left out."""
    rows = [
        (judge, name, str(topic), "nDCG@10", value)
        for judge, systems in by_judge.items()
        for name, values in systems.items()
        for topic, value in enumerate(values)
        if not np.isnan(value)
    ]
    frame = pd.DataFrame(rows, columns=["judge", "name", "qid", "measure", "value"])
    return frame.assign(**columns)


def judgments(n: int, more: int, seed: int = 0, bias: float = 0.4) -> dict[str, Values]:
    """Three systems under people (n topics) and under a model that favours the first."""
    draws = np.random.default_rng(seed)
    truth = {name: draws.normal(mean, 1, n + more) for name, mean in zip("XYZ", (0, 0.3, 0.5))}
    model = {name: 0.7 * v + 0.5 * draws.normal(size=n + more) for name, v in truth.items()}
    model["X"] += bias
    people = {name: np.where(np.arange(n + more) < n, v, np.nan) for name, v in truth.items()}
    return {"human": people, "model": model}


def slowly(d: np.ndarray, p: np.ndarray, z: np.ndarray, confidence: float) -> dict[str, float]:
    """The regression estimator of two-phase sampling, term by term; Satterthwaite's t.

    Cochran, Sampling techniques (1977), chapter 12, with the weight of PPI++ (arXiv 2311.01453).
    """
    n, more = len(d), len(z)
    lam = np.cov(d, p)[0, 1] / np.var(p, ddof=1) / (1 + n / more)
    e = [a - lam * b for a, b in zip(d, p)]
    mean_e = sum(e) / n
    first = sum((x - mean_e) ** 2 for x in e) / (n - 2) / n * (1 + 1 / (n - 3))
    second = lam**2 * np.var(z, ddof=1) / more
    free = (first + second) ** 2 / (first**2 / (n - 2) + second**2 / (more - 1))
    estimate, error = mean_e + lam * np.mean(z), (first + second) ** 0.5
    half = stats.t.ppf((1 + confidence) / 2, free) * error
    return {
        "rectified": estimate,
        "low": estimate - half,
        "high": estimate + half,
        "weight": lam,
        "p": 2 * stats.t.sf(abs(estimate) / error, free),
    }


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.integers(5, 30), st.integers(2, 50), st.integers(0, 2**32), st.sampled_from([0.5, 0.8, 0.95])
)
def test_differences_and_means_equal_the_formulas(n, more, seed, confidence):
    made = judgments(n, more, seed)
    frame = rectify(results(made), confidence=confidence, correction=None)
    means = rectify(results(made), of="means", confidence=confidence)
    human, model = made["human"], made["model"]
    for row in frame.to_dict("records"):
        d, p = (judge[row["name"]] - judge[row["other"]] for judge in (human, model))
        expected = slowly(d[:n], p[:n], p[n:], confidence)
        assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-8, abs=1e-12)
        assert row["difference"] == pytest.approx(d[:n].mean(), abs=1e-12)
        assert row["judge_difference"] == pytest.approx(p[n:].mean(), abs=1e-12)
        assert (row["topics"], row["judge_topics"]) == (n, more)
    for row in means.to_dict("records"):
        expected = slowly(*(human[row["name"]][:n], *np.split(model[row["name"]], [n])), confidence)
        expected.pop("p")
        assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-8, abs=1e-12)
        assert row["mean"] == pytest.approx(human[row["name"]][:n].mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "more", "estimate", "low", "high"),
    [
        (20, 100, 0.093190521976422, -0.129461476530576, 0.315842520483419),
        (400, 4000, 0.098766666173233, 0.051571199590218, 0.145962132756248),
    ],
)
def test_estimates_are_those_of_ppi_py(n, more, estimate, low, high):
    """Expected: ppi_python 0.2.3, ppi_mean_pointestimate and ppi_mean_ci with this lambda.

    Its interval is the normal one, without corrections for small n: it is undone here.
    """
    i = np.arange(n + more)
    d = np.sin(1.7 * i) + 0.1
    p = 0.6 * d + 0.5 * np.cos(2.3 * i) + 0.2
    human = {"X": np.where(i < n, d, np.nan), "Y": np.where(i < n, 0.0, np.nan)}
    frame = rectify(results({"human": human, "model": {"X": p, "Y": np.zeros(n + more)}}))
    row = frame.iloc[0]
    assert row["rectified"] == pytest.approx(estimate, abs=1e-12)
    first, second = module._estimate(d[:n, None], p[:n, None], p[n:, None])[4:6, 0]
    first *= (n - 2) / n / (1 + 1 / (n - 3))
    second *= (more - 1) / more
    half = stats.norm.ppf(0.975) * (first + second) ** 0.5
    assert (estimate - half, estimate + half) == pytest.approx((low, high), abs=1e-12)
    assert (row["high"] - row["low"]) / (high - low) == pytest.approx(
        1, abs=0.15 if n < 50 else 0.01
    )


@pytest.mark.parametrize("model", ["constant", "no other topic", "one other topic"])
def test_a_judge_that_tells_nothing_leaves_the_paired_t_interval_to_the_last_bit(model):
    """Expected: pairwise and intervals on the people's topics, which are scipy's."""
    n, more = 12, {"constant": 40, "no other topic": 0, "one other topic": 1}[model]
    made = judgments(n, more, seed=5)
    if model == "constant":
        made["model"] = {name: np.full(n + more, 0.1) for name in "XYZ"}
    given = results(made)
    human = given[given["judge"] == "human"].drop(columns="judge")
    simple, frame = pairwise(human), rectify(given)
    for column in ("name", "other", "low", "high", "p", "p_corrected", "better"):
        assert frame[column].tolist() == simple[column].tolist(), column
    assert frame["rectified"].tolist() == pytest.approx(simple["difference"].tolist(), abs=1e-15)
    assert (frame["worth"] == n).all()
    simple, frame = intervals(human), rectify(given, of="means")
    for column in ("name", "low", "high"):
        assert frame[column].tolist() == simple[column].tolist(), column


def err(errors: int, n: int = 25, more: int = 175) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Results of a judge that equals the people but for X on some of their topics; the people's.

    It favours Z on all the topics that the people have not judged.
    """
    made = judgments(n, more, seed=3)
    model = judgments(n + more, 0, seed=3)["human"]
    model["X"][:errors] += 0.4
    model["Z"][n:] += 2
    given = results({"human": made["human"], "model": model})
    return given, given[given["judge"] == "human"].drop(columns="judge")


@pytest.mark.parametrize("errors", [0, 1, 4])
def test_fewer_than_five_errors_leave_the_peoples_topics_alone(errors):
    """Expected: pairwise and intervals on the people's topics, which are scipy's."""
    given, people = err(errors)
    frame, simple = rectify(given), pairwise(people)
    for column in ("name", "other", "low", "high", "p", "p_corrected", "better"):
        assert frame[column].tolist() == simple[column].tolist(), column
    for column in ("difference", "rectified"):
        assert frame[column].tolist() == pytest.approx(simple["difference"].tolist(), abs=1e-15)
    assert (frame["weight"] == 0).all()
    assert (frame["worth"] == 25).all()
    means, simple = rectify(given, of="means"), intervals(people)
    for column in ("low", "high"):
        assert means[column].tolist() == simple[column].tolist(), column


def test_five_errors_of_a_pair_rectify_that_pair():
    """The judge errs on X: Y - Z, and the means of Y and Z, are the people's alone."""
    given, _ = err(5)
    frame, means = rectify(given), rectify(given, of="means")
    assert (frame["weight"] != 0).tolist() == [True, True, False]  # X-Y, X-Z, Y-Z
    assert (means["weight"] != 0).tolist() == [True, False, False]
    row, table = frame.iloc[0], given.pivot(index=["judge", "qid"], columns="name", values="value")
    d, p = ((table.loc[judge]["X"] - table.loc[judge]["Y"]) for judge in ("human", "model"))
    expected = slowly(d.to_numpy(), p[d.index].to_numpy(), p.drop(d.index).to_numpy(), 0.95)
    assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-8)


def test_values_that_rounding_moves_are_no_errors():
    given, people = err(0)
    moved = given.assign(
        value=given["value"].where(given["judge"] == "human", given["value"] + 1e-15)
    )
    frame = rectify(moved)
    assert (frame["weight"] == 0).all()
    assert frame["low"].tolist() == pairwise(people)["low"].tolist()


def test_datasets_count_their_own_errors():
    """Three errors in each of two datasets: neither is rectified, nor is their mean."""
    given, people = (
        pd.concat(part.assign(dataset=name) for name, part in zip("ab", parts))
        for parts in zip(err(3), err(3, n=9))
    )
    frame, simple = rectify(given), pairwise(people)
    assert (frame["weight"] == 0).all()
    for column in ("dataset", "low", "high", "p_corrected"):
        assert frame[column].tolist() == simple[column].tolist(), column


def test_better_goes_by_the_rectified_difference():
    """On the people's topics Y is ahead by chance; on all topics, as both judge alike, X is."""
    draws = np.random.default_rng(1)
    truth = draws.normal(0.5, 1, 1000)
    truth[:20] -= truth[:20].mean() + 0.1
    model = {"X": truth + draws.normal(0, 0.01, 1000), "Y": np.zeros(1000)}
    human = {name: np.where(np.arange(1000) < 20, x, np.nan) for name, x in model.items()}
    human["X"][:20] = truth[:20]
    row = rectify(results({"human": human, "model": model})).iloc[0]
    assert row["difference"] == pytest.approx(-0.1)
    assert row["low"] > 0
    assert row["better"] == "X"


def test_worth_is_at_most_the_number_of_all_topics():
    """The others vary less under the judge than the people's topics."""
    draws = np.random.default_rng(1)
    truth = np.append(draws.normal(0, 1, 10), draws.normal(0, 0.1, 30))
    model = {"X": truth + draws.normal(0, 0.01, 40), "Y": np.zeros(40)}
    human = {name: np.where(np.arange(40) < 10, x, np.nan) for name, x in model.items()}
    human["X"][:10] = truth[:10]
    row = rectify(results({"human": human, "model": model})).iloc[0]
    half = (row["high"] - row["low"]) / 2
    assert half < stats.t.ppf(0.975, 39) * truth[:10].std(ddof=1) / 40**0.5
    assert row["worth"] == 40


def test_worth_is_the_number_of_topics_whose_paired_t_interval_is_as_wide():
    n, more, confidence = 15, 300, 0.9
    made = judgments(n, more, seed=8)
    for row in rectify(results(made), confidence=confidence).to_dict("records"):
        spread = (made["human"][row["name"]] - made["human"][row["other"]])[:n].std(ddof=1)
        m = row["worth"]
        half = stats.t.ppf((1 + confidence) / 2, m - 1) * spread / m**0.5
        assert half == pytest.approx((row["high"] - row["low"]) / 2, rel=1e-4)
        assert m > n


def test_datasets_are_strata_of_the_macro_mean():
    """Expected: the mean of the datasets' values; the errors add up, Satterthwaite's t."""
    made = {"a": (8, 40, 1), "b": (20, 30, 2), "c": (6, 1, 3)}  # of c, the weight is 0
    given = pd.concat(
        results(judgments(n, more, seed), dataset=name) for name, (n, more, seed) in made.items()
    )
    frame = rectify(given, correction=None).set_index(["dataset", "name", "other"])
    alone = {
        name: rectify(given[given["dataset"] == name].drop(columns="dataset"), correction=None)
        for name in made
    }
    for i, (name, other) in enumerate([("X", "Y"), ("X", "Z"), ("Y", "Z")]):
        for dataset, part in alone.items():
            row = frame.loc[(dataset, name, other)]
            assert row[["low", "high", "p"]].tolist() == part.loc[i, ["low", "high", "p"]].tolist()
        errors, frees = [], []
        for n, more, seed in made.values():
            by_judge = judgments(n, more, seed)
            d, p = (by_judge[j][name] - by_judge[j][other] for j in ("human", "model"))
            *_, first, second, free, more_free = module._estimate(
                d[:n, None], p[:n, None], p[n:, None]
            )[:, 0]
            errors += [first, second]
            frees += [free, more_free]
        row = frame.loc[("mean", name, other)]
        mean = np.mean([part.loc[i, "rectified"] for part in alone.values()])
        free = sum(errors) ** 2 / sum(e**2 / f for e, f in zip(errors, frees))
        half = stats.t.ppf(0.975, free) * sum(errors) ** 0.5 / 3
        assert row["rectified"] == pytest.approx(mean, abs=1e-12)
        assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=1e-9)
        assert (row["topics"], row["judge_topics"]) == (34, 71)


def test_baselines_corrections_and_several_judges():
    made = judgments(10, 60)
    made["other model"] = {name: values + 1 for name, values in made["model"].items()}
    frame = rectify(results(made), baseline="Y", correction="bonferroni")
    assert frame[["judge", "name", "other"]].to_numpy().tolist() == [
        [judge, name, "Y"] for judge in ("model", "other model") for name in "XZ"
    ]
    assert frame["p_corrected"].tolist() == np.minimum(2 * frame["p"], 1).tolist()
    halves = [
        part.drop(columns=["judge", "judge_difference"]) for _, part in frame.groupby("judge")
    ]
    # what is added to all systems alike changes no difference
    pd.testing.assert_frame_equal(*(half.reset_index(drop=True) for half in halves))
    won = frame["name"].where(frame["rectified"] > 0, "Y")
    assert frame["better"].tolist() == won.where(frame["p_corrected"] < 0.05, "").tolist()


def test_each_measure_has_rows_of_its_own() -> None:
    """Expected: each measure alone, with p corrected within it."""
    parts = {name: results(judgments(9, 40, seed)) for name, seed in (("nDCG@5", 1), ("AP", 2))}
    together = rectify(pd.concat(part.assign(measure=name) for name, part in parts.items()))
    for name, part in parts.items():
        rows = together[together["measure"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, rectify(part.assign(measure=name)))


def test_the_half_width_that_the_manual_plans_with():
    """1.96 s sqrt((1 - rho^2 (1 - n / T)) / n), with s and rho of the n topics."""
    n, topics = 400, 2000
    for rho in (0, 0.5, 0.9):
        draws = np.random.default_rng(7)
        d, noise = draws.normal(size=(2, topics))
        p, zero = rho * d + (1 - rho**2) ** 0.5 * noise, np.zeros(topics)
        human = {"X": d.copy(), "Y": zero.copy()}
        human["X"][n:] = human["Y"][n:] = np.nan
        row = rectify(results({"human": human, "model": {"X": p, "Y": zero}})).iloc[0]
        s, found = d[:n].std(ddof=1), np.corrcoef(d[:n], p[:n])[0, 1]
        half = 1.96 * s * ((1 - found**2 * (1 - n / topics)) / n) ** 0.5
        assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.03)


def test_a_difference_without_variance_has_the_p_of_the_signs():
    """All of 2^5 patterns of signs; two of them are as far from 0."""
    x = np.arange(30) % 3 / 2
    human = {"X": np.where(np.arange(30) < 5, x + 1, np.nan)}
    human["Y"] = np.where(np.arange(30) < 5, x, np.nan)
    row = rectify(results({"human": human, "model": {"X": 3 * x + 1, "Y": 3 * x}})).iloc[0]
    assert (row["low"], row["high"], row["p"]) == (1, 1, 2 / 2**5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="judge"), "missing columns ['judge']"),
        (lambda frame: frame[frame["judge"] == "human"], "must be one of several judges"),
        (lambda frame: frame.replace("human", "people"), "reference='human' must be one of"),
        (
            lambda frame: frame[(frame["judge"] == "model") | (frame["qid"].astype(int) < 4)],
            "at least 5 topics by the reference and the judge, not 4",
        ),
        (
            lambda frame: frame[(frame["judge"] == "model") | (frame["name"] != "Z")],
            "the results by the judge 'human' lack the system 'Z'",
        ),
        (
            lambda frame: pd.concat([frame, frame.iloc[:1]]),
            "'X' has two values for topic '0' by 'human'",
        ),
        (lambda frame: frame.iloc[1:], "'X' has no value for topic '0'"),
        (
            lambda frame: frame.assign(judge=frame["judge"].replace("model", "")),
            "judge='' must be a name",
        ),
    ],
)
def test_unusable_results_are_refused_in_words(change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        rectify(change(results(judgments(6, 9))))


def test_topics_that_the_judge_misses_are_left_out_with_a_warning():
    given = results(judgments(8, 30))
    judged = given[(given["judge"] == "human") | (given["qid"] != "3")]
    with pytest.warns(UserWarning, match="topics of 'human' are left out.*: 1, such as '3'"):
        frame = rectify(judged)
    pd.testing.assert_frame_equal(frame, rectify(given[given["qid"] != "3"]))


@pytest.mark.parametrize("scale", [2.0**900, 2.0**-900])
def test_huge_and_tiny_values_change_nothing_but_the_unit(scale):
    given = results(judgments(8, 30))
    units = ["difference", "judge_difference", "rectified", "low", "high"]
    frame, scaled = rectify(given), rectify(given.assign(value=given["value"] * scale))
    scaled[units] /= scale
    pd.testing.assert_frame_equal(scaled, frame, check_exact=True)


def test_infinite_values_and_a_single_system_are_refused():
    given = results(judgments(8, 30))
    given.loc[3, "value"] = np.inf
    with pytest.raises(ValueError, match="nDCG@10: a value is infinite"):
        rectify(given)
    alone = results(judgments(8, 30)).query("name == 'X'")
    with pytest.raises(
        ValueError, match="there is nothing to compare: the results have one system"
    ):
        rectify(alone)
    assert len(rectify(alone, of="means")) == 1


def test_means_have_no_baseline():
    with pytest.raises(ValueError, match="baseline='X' is for differences"):
        rectify(results(judgments(6, 9)), of="means", baseline="X")


def cover(draw: Any, truth: float, reps: int) -> float:
    """The share of 95% intervals that contain the truth; ``draw`` gives d, p and z."""
    inside = 0
    for _ in range(reps):
        row = module._estimate(*(values[:, None] for values in draw()))[:, 0]
        _, _, mean, _, first, second, free, more_free = row
        free = (first + second) ** 2 / (first**2 / free + second**2 / more_free)
        inside += abs(mean - truth) <= stats.t.ppf(0.975, free) * (first + second) ** 0.5
    return inside / reps


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("n", [10, 25, 50])
@pytest.mark.parametrize("rho", [0, 0.4, 0.7, 0.9])
def test_coverage_whatever_the_correlation(n, rho):
    """.94 to .96 (20,000 samples: twice the standard error is .003), with a bias of 5."""
    draws = np.random.default_rng(n)

    def draw() -> tuple[np.ndarray, ...]:
        d, noise = draws.normal(size=(2, n + 200))
        p = 5 + rho * d + (1 - rho**2) ** 0.5 * noise
        return d[:n], p[:n], p[n:]

    assert 0.94 <= cover(draw, 0.0, 20_000) <= 0.96


def draw_errors(
    draws: np.random.Generator, shape: tuple[int, int], kind: str, share: float
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the differences of two systems by people, and by a judge who errs for the first."""
    wrong = draws.random(shape) < share
    if kind == "P@1":
        x, y = (draws.integers(0, 2, shape) for _ in range(2))
        return x - y, np.where(wrong, 1, x - y)
    ease = draws.beta(1.2, 1.8, shape)
    x, y = (np.clip(ease + draws.normal(0, 0.15, shape), 0, 1) for _ in range(2))
    return x - y, np.where(wrong, np.clip(x + draws.uniform(0.1, 0.5, shape), 0, 1), x) - y


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("kind", ["P@1", "nDCG"])
@pytest.mark.parametrize("share", [0.02, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize(("n", "more", "datasets"), [(10, 100, 1), (25, 475, 1), (25, 475, 2)])
def test_coverage_where_the_judge_errs_on_few_topics(kind, share, n, more, datasets):
    """.935 to .97 (2,000 samples: twice the standard error is .01), and as few wrong marks."""
    draws, samples = np.random.default_rng(7), 2000
    parts = {
        f"dataset {i}": draw_errors(draws, (n + more, samples), kind, share)
        for i in range(datasets)
    }
    people, judged = (
        pd.concat({name: pd.DataFrame(part[i]).astype(float) for name, part in parts.items()})
        for i in range(2)
    )
    people = people[people.index.get_level_values(1) < n]
    people[samples] = judged[samples] = 0.0  # a system whose value is 0, to compare with
    pairs = np.arange(samples), np.full(samples, samples)
    frame = module._infer(people, judged, pairs, 0.95)
    inside = (frame["low"] <= 0) & (frame["high"] >= 0)
    assert 0.935 <= inside.mean() <= 0.97
    assert (frame["p"] < 0.05).mean() <= 0.065


@pytest.mark.usefixtures("thorough")
def test_coverage_on_real_labels_with_a_circular_judge(data: Path) -> None:
    """The topics of LLMJudge, drawn as a population; one of the rankers has the judge's labels.

    The judge's own interval never contains the people's difference; the rectified one does.
    """
    folder = data / "llmjudge"
    human = trec.read_qrels(folder / "human.qrels")
    judge = trec.read_qrels(folder / "judges" / "RMITIR-GPT4o.qrels.gz")
    both = human.merge(judge, on=["query_id", "doc_id"])
    draws = np.random.default_rng(1)
    both["noise"] = draws.normal(0, 1.2, len(both))
    differences = []
    for _, topic in both.groupby("query_id"):
        values = []
        for labels in ("relevance_x", "relevance_y"):
            gains = topic[labels].clip(0, 3).to_numpy()
            discount = 1 / np.log2(np.arange(2, 12))
            ideal = (np.sort(gains)[::-1][:10] * discount).sum()
            # the circular ranker sorts by the judge's labels, the other by noisy human ones
            orders = (
                -topic["relevance_y"].to_numpy() + 0.01 * topic["noise"].to_numpy(),
                -topic["relevance_x"].to_numpy() + topic["noise"].to_numpy(),
            )
            one, two = ((gains[np.argsort(o, kind="stable")][:10] * discount).sum() for o in orders)
            values.append((one - two) / ideal)
        differences.append(values)
    people, model = np.array(differences).T
    own = []

    def draw() -> tuple[np.ndarray, ...]:
        topics = draws.integers(0, len(people), 225)
        z = model[topics[25:]]
        half = stats.t.ppf(0.975, 199) * z.std(ddof=1) / 200**0.5
        own.append(abs(z.mean() - people.mean()) <= half)
        return people[topics[:25]], model[topics[:25]], z

    assert 0.93 <= cover(draw, people.mean(), 4_000) <= 0.96
    assert np.mean(own) == 0
