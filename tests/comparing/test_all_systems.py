"""Friedman's test: equal to scipy's own, by hand, and in the results of experiments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pt_cumgain
from pt_cumgain import nDCG, pairwise
from pt_cumgain.comparing import friedman
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import SESSION_COLUMNS, hide
from tests.support.samples import as_results

MATRICES = st.tuples(st.integers(2, 12), st.integers(3, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 4), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@settings(max_examples=settings.default.max_examples // 4)
@given(matrix=MATRICES, seed=st.integers(0, 9))
def test_it_equals_scipys(matrix: list, seed: int) -> None:
    """With ties, rows in any order; Kendall's W by its definition from chi-squared."""
    values = np.array(matrix, dtype=float)
    if (values == values[:, :1]).all():
        return
    row = friedman(as_results(matrix).sample(frac=1, random_state=seed)).iloc[0]
    chi2, p = stats.friedmanchisquare(*values.T)
    n, k = values.shape
    assert (row["test"], row["systems"], row["topics"], row["df"]) == ("Friedman", k, n, k - 1)
    expected = (chi2, p, chi2 / (n * (k - 1)))
    assert (row["statistic"], row["p"], row["W"]) == pytest.approx(expected)


def test_two_systems_are_compared_by_wilcoxon() -> None:
    matrix = np.random.default_rng(2).random((15, 2)) + np.array([0, 0.5])
    row = friedman(as_results(matrix)).iloc[0]
    statistic, p = stats.wilcoxon(matrix[:, 0], matrix[:, 1])
    assert row["test"] == "Wilcoxon"
    assert (row["statistic"], row["p"]) == (statistic, p)
    assert np.isnan([row["df"], row["W"]]).all()


def test_equal_gain_vectors_are_ties_to_the_last_bit() -> None:
    """Other documents of the same gains at the same ranks: a test by ranks must see a tie."""
    qrels = {"1": {f"d{i}": 1 + i % 3 for i in range(30)}}
    first = [f"d{i}" for i in range(12)]
    taken: list[str] = []
    for doc in first:
        free = (d for d in (f"d{i}" for i in reversed(range(12, 30))) if d not in taken)
        taken.append(next(d for d in free if qrels["1"][d] == qrels["1"][doc]))
    measures = [nDCG(gains={1: 0.1, 2: 0.7}) @ 12, pt_cumgain.DCG(discount="revised", base=3)]
    runs = [{"1": {doc: -float(i) for i, doc in enumerate(docs)}} for docs in (first, taken)]
    one, two = (provider.calc_aggregate(measures, qrels, run) for run in runs)
    assert one == two
    of_sessions = [pt_cumgain.sDCG(duplicates=each) @ 12 for each in ("count", "first")]
    frames = [
        pd.DataFrame([("1", doc, -i, 1) for i, doc in enumerate(docs)]).set_axis(
            SESSION_COLUMNS, axis=1
        )
        for docs in (first, taken)
    ]
    one, two = (provider.calc_aggregate(of_sessions, qrels, run) for run in frames)
    assert one == two


@pytest.mark.parametrize("systems", [2, 3])
def test_equal_values_cannot_be_tested(systems: int) -> None:
    row = friedman(as_results([[topic] * systems for topic in range(3)])).iloc[0]
    assert np.isnan([row["statistic"], row["p"]]).all()


@pytest.mark.parametrize("k", [3, 7])
@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.filterwarnings("ignore:.*so there is no variance and no p")
def test_the_same_order_at_every_topic(k: int, n: int) -> None:
    """W is 1, and Conover's test has no variance: no p, except 1 for two equal systems."""
    rows = np.tile(np.arange(float(k)), (n, 1))
    rows[:, 1] = rows[:, 0]
    assert friedman(as_results(np.tile(np.arange(float(k)), (n, 1)))).iloc[0]["W"] == pytest.approx(
        1
    )
    pairs = pairwise(as_results(rows), test="conover")
    assert pairs["p"].tolist() == pytest.approx([1] + [np.nan] * (len(pairs) - 1), nan_ok=True)
    assert (pairs["better"] == "").all()


@pytest.mark.parametrize("function", [friedman, pairwise])
def test_wrong_results(function) -> None:
    good = as_results([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    with pytest.raises(ValueError, match=r"missing columns \['value'\].*perquery=True"):
        function(good.drop(columns="value"))
    with pytest.raises(ValueError, match=r"m: 'B' has no value for topic '1'"):
        function(good[(good["name"] != "B") | (good["qid"] != "1")])
    for wrong, word in ((np.nan, "NaN"), (np.inf, "infinite"), (-1e301, "infinite or too large")):
        with pytest.raises(ValueError, match=f"m: the value of 'C' for topic '2' is {word}"):
            function(good.assign(value=good["value"].where(good.index != 8, wrong)))
    with pytest.raises(ValueError, match="m: 'A' has two values for topic '0'"):
        function(pd.concat([good, good.head(1)]))
    with pytest.raises(ValueError, match="one system, 'A'"):
        function(good[good["name"] == "A"])
    with pytest.raises(ValueError, match="there are no results to compare"):
        function(good.head(0))
    with pytest.raises(ValueError, match="at least two of them, not 1"):
        function(good[good["qid"] == "0"])


def test_without_the_extra_it_says_what_to_install(monkeypatch) -> None:
    hide("scikit_posthocs", monkeypatch)
    with pytest.raises(ImportError, match=r'pip install "pt_cumgain\[stats\]"$'):
        pairwise(as_results([[1, 2, 3], [1, 3, 2]] * 9), test="conover")
