"""Intervals against scipy.stats, and what they refuse."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pt_cumgain import intervals

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


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_bootstrap_is_scipys_on_the_same_resamples(method, confidence):
    given = results()
    made = intervals(
        given, baseline="A", method=method, confidence=confidence, resamples=999, seed=7
    )
    made = made.set_index(["measure", "name"])
    for measure, name, what, values in columns(given, "A"):
        expected = stats.bootstrap(
            (values.to_numpy(),),
            np.mean,
            method=method,
            confidence_level=confidence,
            n_resamples=999,
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


def test_many_resamples_are_drawn_in_shares_of_the_same_stream(monkeypatch):
    whole = intervals(results(), resamples=500)
    monkeypatch.setattr("pt_cumgain.analysis.intervals.SHARE", 700)
    pd.testing.assert_frame_equal(intervals(results(), resamples=500), whole)


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])  # its square is no float
def test_huge_and_tiny_values_have_the_same_intervals_on_their_scale(method, scale):
    given = results()
    made = intervals(given.assign(value=given["value"] * scale), method=method, resamples=99)
    ends = ["mean", "low", "high"]
    expected = intervals(given, method=method, resamples=99)
    pd.testing.assert_frame_equal(made[ends] / scale, expected[ends], check_exact=True)


def test_the_order_is_that_of_the_results():
    made = intervals(results(), resamples=10)
    assert list(zip(made["name"], made["measure"], strict=True)) == [
        (name, measure) for name in SYSTEMS for measure in MEASURES
    ]


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
        (results().assign(value=np.nan), {}, "no value (or NaN) for topic '000'"),
        (results().iloc[1:], {}, "'B' has no value (or NaN) for topic '000'"),
        (results(), {"baseline": "X"}, "baseline='X' is not one of the systems"),
        (results(), {"method": "bootstrap"}, "method='bootstrap' is unknown; choose from bca"),
        (results(), {"confidence": 95}, "confidence=95 must be between 0 and 1"),
        (results(), {"confidence": "0.95"}, "confidence='0.95' must be between 0 and 1"),
        (results(), {"resamples": 0}, "resamples=0 must be a whole number of at least 1"),
        (results(), {"resamples": 1}, "method='bca' needs more than resamples=1"),
        (results(), {"seed": None}, "seed=None must be a whole number"),
        (results().replace({"value": {results()["value"][0]: np.inf}}), {}, "too large for a mean"),
        (results().drop(columns="qid"), {}, "missing columns ['qid']"),
    ],
)
def test_what_has_no_interval_is_refused(given, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        intervals(given, **options)
