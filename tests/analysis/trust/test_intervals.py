"""Intervals against scipy.stats, and what they refuse."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pt_cumgain import intervals, pairwise

SYSTEMS, MEASURES = ("B", "A", "C"), ("nDCG@10", "CG@5")


def results(topics=23, seed=1):
    """Skewed values of three systems, in the author's order and not the alphabet's."""
    random = np.random.default_rng(seed)
    rows = [
        (name, f"{qid:03}", measure, random.random() ** 3)
        for name in SYSTEMS
        for measure in MEASURES
        for qid in range(topics)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def columns(given, baseline):
    """Each row of the intervals, with the values that its ends are of."""
    wide = given.pivot(index="qid", columns=["measure", "name"], values="value")
    for measure in MEASURES:
        for name in SYSTEMS:
            yield measure, name, "mean", wide[measure, name]
            if name != baseline:
                yield measure, name, "difference", wide[measure, name] - wide[measure, baseline]


@pytest.mark.parametrize(
    ("method", "confidence", "resamples"),
    [
        ("bca", 0.95, 999),
        ("bca", 0.8, 999),
        ("percentile", 0.8, 999),
        ("percentile", 0.95, 20),  # between the last two means
        ("percentile", 1 - 2**-53, 20),  # at the last
    ],
)
def test_the_bootstrap_is_scipys_on_the_same_resamples(method, confidence, resamples):
    given = results()
    made = intervals(
        given, baseline="A", method=method, confidence=confidence, resamples=resamples, seed=7
    )
    made = made.set_index(["measure", "name"])
    for measure, name, what, values in columns(given, "A"):
        expected = stats.bootstrap(
            (values.to_numpy(),),
            np.mean,
            method=method,
            confidence_level=confidence,
            n_resamples=resamples,
            random_state=np.random.default_rng(7),
        ).confidence_interval
        prefix = "" if what == "mean" else "difference_"
        row = made.loc[(measure, name)]
        ends = row[f"{prefix}low"], row[f"{prefix}high"]
        assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert row[what] == pytest.approx(values.mean(), abs=1e-12)


def test_t_is_scipys():
    given = results()
    made = intervals(given, baseline="A", method="t", confidence=0.9)
    made = made.set_index(["measure", "name"])
    for measure, name, what, values in columns(given, "A"):
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        prefix = "" if what == "mean" else "difference_"
        row = made.loc[(measure, name)]
        ends = row[f"{prefix}low"], row[f"{prefix}high"]
        assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("share", [700, 20])  # 30 resamples of a column, and one
def test_many_resamples_are_drawn_in_shares_of_the_same_stream(monkeypatch, share):
    whole = intervals(results(), method="bca", resamples=500)
    monkeypatch.setattr("pt_cumgain.analysis.trust.intervals.SHARE", share)
    pd.testing.assert_frame_equal(intervals(results(), method="bca", resamples=500), whole)


#: Resamples of them often have the mean of all, 1.
WITH_THEIR_MEAN = [0.0, 0.0, 0.0, 1.0, 4.0]


@pytest.mark.parametrize("unit", [1, 0.1, 0.7, 1 / 3])
def test_resamples_with_the_mean_of_all_count_half(unit):
    """As scipy has it for whole numbers, whose means are exact; of tenths it misses such ties."""
    given = results(20).assign(value=[unit * value for value in WITH_THEIR_MEAN * 24])
    expected = stats.bootstrap(
        (WITH_THEIR_MEAN * 4,), np.mean, n_resamples=999, random_state=np.random.default_rng(0)
    ).confidence_interval
    row = intervals(given, method="bca", resamples=999).iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((unit * expected.low, unit * expected.high))


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])  # its square is no float
def test_huge_and_tiny_values_have_the_same_intervals_on_their_scale(method, scale):
    given = results(20).assign(value=WITH_THEIR_MEAN * 24)
    made = intervals(given.assign(value=given["value"] * scale), method=method, resamples=99)
    ends = ["mean", "low", "high"]
    expected = intervals(given, method=method, resamples=99)
    pd.testing.assert_frame_equal(made[ends] / scale, expected[ends], check_exact=True)


def test_the_order_is_that_of_the_results():
    measures = [f"CG@{k}" for k in range(20, 0, -1)]
    rows = [(n, q, measure, int(q)) for n in SYSTEMS for measure in measures for q in "12"]
    made = intervals(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), method="t")
    assert list(zip(made.index, made["name"], made["measure"], strict=True)) == [
        (i, *both) for i, both in enumerate((n, m) for n in SYSTEMS for m in measures)
    ]


def test_one_system_may_be_its_own_baseline():
    of_one = results().query("name == 'B'")
    made = intervals(of_one, baseline="B", method="t")
    pd.testing.assert_frame_equal(made.iloc[:, :5], intervals(of_one, method="t"))
    assert made.columns.tolist()[5:] == ["difference", "difference_low", "difference_high"]
    assert made.iloc[:, 5:].isna().all(axis=None)


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_what_is_the_same_for_all_topics_has_no_width(method):
    given = results().assign(value=0.3)
    row = intervals(given, baseline="A", method=method, resamples=20).iloc[0]
    assert row["mean"] == row["low"] == row["high"] == pytest.approx(0.3)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == (0, 0, 0)


def test_the_baseline_is_not_compared_with_itself():
    made = intervals(results(), baseline="A", resamples=20).set_index("name")
    differences = ["difference", "difference_low", "difference_high"]
    assert made.loc["A", differences].isna().all(axis=None)
    assert made.loc[["B", "C"], differences].notna().all(axis=None)


def test_measures_may_have_topics_of_their_own():
    """Of two measures each with its topics, the ends are those of each by itself."""
    given = results()
    of_one = given[given["measure"] == "CG@5"]
    fewer = given[(given["measure"] == "nDCG@10") & (given["qid"] < "015")]
    together = intervals(pd.concat([fewer, of_one]), resamples=50)
    apart = pd.concat([intervals(fewer, resamples=50), intervals(of_one, resamples=50)])
    pd.testing.assert_frame_equal(
        together.sort_values(["measure", "name"], ignore_index=True),
        apart.sort_values(["measure", "name"], ignore_index=True),
    )


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (results(1), {}, "at least two of them, not 1"),
        (results().assign(value=np.nan), {}, "the value of 'B' for topic '000' is NaN"),
        (
            results().iloc[22:],
            {},
            "nDCG@10: a test over topics needs at least two of them, not 1 (of 'B')",
        ),
        (results().iloc[23:], {}, "nDCG@10: 'B' has no value for topic '000'"),
        (results(), {"baseline": "X"}, "baseline='X' is not one of the systems"),
        (results(), {"method": "bootstrap"}, "method='bootstrap' is unknown; choose from t, bca"),
        (results(), {"confidence": 95}, "confidence=95 must be between 0 and 1"),
        (results(), {"confidence": 0}, "confidence=0 must be between 0 and 1"),
        (results(), {"confidence": 1}, "confidence=1 must be between 0 and 1"),
        (results(), {"confidence": "0.95"}, "confidence='0.95' must be between 0 and 1"),
        (results(), {"resamples": 0}, "resamples=0 must be a whole number of at least 1"),
        (results(), {"method": "bca", "resamples": 1}, "method='bca' needs more than resamples=1"),
        (
            results(),
            {"method": "bca", "resamples": 3},
            "needs more than resamples=3",
        ),  # for some columns
        (results(), {"seed": None}, "seed=None must be a whole number"),
        (results().replace({"value": {results()["value"][0]: np.inf}}), {}, "too large for a mean"),
        (results().assign(value=1.7e308), {}, "too large for a mean"),
        (results().drop(columns="qid"), {}, "missing columns ['qid']"),
        (results().drop(columns="name"), {}, "missing columns ['name']"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_has_no_interval_is_refused(given, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        intervals(given, **options)


def lengths(names):
    """Systems with topics of their own: B has 23, A and C fewer, and all share some."""
    last = dict(zip(names, ("023", "020", "017")))
    frame = results()
    return frame[frame["qid"] < frame["name"].map(last)]


@pytest.mark.parametrize(
    ("method", "confidence", "resamples"), [("bca", 0.95, 999), ("percentile", 0.8, 999)]
)
def test_unpaired_differences_are_scipys_bootstrap_of_two_samples(method, confidence, resamples):
    given = lengths(SYSTEMS)
    options = {"method": method, "confidence": confidence, "resamples": resamples, "seed": 7}
    made = intervals(given, baseline="A", **options).set_index(["measure", "name"])
    own = {at: part.to_numpy() for at, part in given.groupby(["measure", "name"])["value"]}
    assert made["topics"].to_dict() == {at: len(values) for at, values in own.items()}
    assert not made["paired"].any()
    for measure in MEASURES:
        for name in ("B", "C"):
            expected = stats.bootstrap(
                (own[measure, name], own[measure, "A"]),
                lambda a, b, axis: a.mean(axis) - b.mean(axis),
                method=method,
                confidence_level=confidence,
                n_resamples=resamples,
                paired=False,
                random_state=np.random.default_rng(7),
            ).confidence_interval
            row = made.loc[(measure, name)]
            ends = row["difference_low"], row["difference_high"]
            assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)
            difference = own[measure, name].mean() - own[measure, "A"].mean()
            assert row["difference"] == pytest.approx(difference, abs=1e-12)
            alone = given[(given["measure"] == measure) & (given["name"] == name)]
            of_mean = intervals(alone, **options).loc[0, ["mean", "low", "high"]].tolist()
            assert row[["mean", "low", "high"]].tolist() == pytest.approx(of_mean, abs=1e-12)


def test_the_t_interval_of_unpaired_differences_is_welchs():
    given = lengths(SYSTEMS)
    made = intervals(given, baseline="C", method="t", confidence=0.9)
    own = {at: part.to_numpy() for at, part in given.groupby(["measure", "name"])["value"]}
    for row in made[made["name"] != "C"].itertuples():
        test = stats.ttest_ind(own[row.measure, row.name], own[row.measure, "C"], equal_var=False)
        expected = test.confidence_interval(0.9)
        ends = row.difference_low, row.difference_high
        assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_frame_says_whether_differences_are_paired():
    """Of two measures, one by the same topics for all systems."""
    own = lengths(SYSTEMS)
    mixed = pd.concat([own[own["measure"] == "CG@5"], results().query("measure == 'nDCG@10'")])
    made = intervals(mixed, baseline="A", method="t")
    assert made.groupby("measure")["paired"].unique().to_dict() == {"CG@5": False, "nDCG@10": True}
    paired = made[made["paired"]].drop(columns=["topics", "paired"]).reset_index(drop=True)
    expected = intervals(results(), baseline="A", method="t").query("measure == 'nDCG@10'")
    pd.testing.assert_frame_equal(paired, expected.reset_index(drop=True))
    assert intervals(mixed, method="t").columns.tolist() == [
        "name", "measure", "topics", "mean", "low", "high"
    ]  # fmt: skip
    assert "topics" not in intervals(results(), method="t")


def test_what_is_not_a_frame_is_refused():
    with pytest.raises(TypeError, match="results must be a pandas DataFrame, not 5"):
        intervals(5)


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
@pytest.mark.parametrize("topics", [20, 30])
def test_what_varies_by_rounding_alone_has_an_interval_of_no_width(method, topics):
    """(x + 1) / 10 - x / 10 is 0.1 in every topic, though not as floats; and 0.1 + 0.2 is 0.3."""
    qids = [f"{q:02}" for q in range(topics)]
    rows = [("A", q, "P@10", i % 9 / 10) for i, q in enumerate(qids)]
    rows += [("B", q, "P@10", (i % 9 + 1) / 10) for i, q in enumerate(qids)]
    rows += [("C", q, "P@10", (0.1 + 0.2, 0.3)[i % 2]) for i, q in enumerate(qids)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    of_system = intervals(frame, baseline="A", method=method).set_index("name")
    difference = of_system.loc["B", ["difference", "difference_low", "difference_high"]]
    assert difference.tolist() == pytest.approx([0.1] * 3, abs=1e-15)
    assert difference["difference_low"] == difference["difference_high"]
    assert of_system.loc["C", "low"] == of_system.loc["C", "high"] == of_system.loc["C", "mean"]
    assert of_system.loc["A", "low"] < of_system.loc["A", "high"]
    if method == "bca":
        pair = pairwise(frame, test="wilcoxon", baseline="A").iloc[0]
        assert pair["low"] == pair["high"] == pytest.approx(0.1, abs=1e-15)


def test_few_topics_are_warned_of():
    with pytest.warns(UserWarning, match="bootstrap intervals over 14 topics are too narrow"):
        intervals(results(topics=14), method="bca", resamples=99)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        intervals(results(topics=15), method="bca", resamples=99)
        intervals(results(topics=14))
