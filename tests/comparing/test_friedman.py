"""Friedman's test: equal to scipy's own, by hand, and in the results of experiments."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_cumgain import DCG, nDCG, pairwise, sDCG
from pt_cumgain.comparing import friedman
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import SESSION_COLUMNS, hide
from tests.support.samples import as_results
from tests.support.strategies import matrices


@settings(max_examples=settings.default.max_examples // 4)
@given(matrix=matrices(st.integers(2, 12), st.integers(3, 6)), seed=st.integers(0, 9))
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


@settings(max_examples=settings.default.max_examples // 4)
@given(matrix=matrices(st.integers(3, 9), st.just(2)), unit=st.integers(2, 30))
@example(matrix=[[1, 3], [5, 2], [4, 7], [6, 0]], unit=10)
def test_two_systems_are_compared_by_wilcoxon(matrix: list, unit: int) -> None:
    """As ``pairwise`` compares them, and scipy the whole numbers, whose differences are exact."""
    difference = np.array(matrix) @ [1, -1]
    assume(difference.any())
    results = as_results(np.array(matrix) / unit)
    row, p = friedman(results).iloc[0], pairwise(results, test="wilcoxon")["p"][0]
    assert (row["test"], row["statistic"], row["p"]) == ("Wilcoxon", *stats.wilcoxon(difference))
    assert row["p"] == p
    assert np.isnan([row["df"], row["W"]]).all()


def test_equal_gain_vectors_are_ties_to_the_last_bit() -> None:
    """Other documents of the same gains at the same ranks: a test by ranks must see a tie."""
    qrels = {"1": {f"d{i}": 1 + i % 3 for i in range(30)}}
    first = [("1", f"d{i}", -float(i), 1) for i in range(12)]
    other = [("1", f"d{i + 12}", -float(i), 1) for i in range(12)]  # 12 is a multiple of 3
    runs = [pd.DataFrame(rows, columns=SESSION_COLUMNS) for rows in (first, other)]
    plain = [nDCG(gains={1: 0.1, 2: 0.7}) @ 12, DCG(discount="revised", base=3)]
    of_sessions = [sDCG(duplicates=each) @ 12 for each in ("count", "first")]
    for measures, columns in ((plain, SESSION_COLUMNS[:3]), (of_sessions, SESSION_COLUMNS)):
        one, two = (provider.calc_aggregate(measures, qrels, run[columns]) for run in runs)
        assert one == two


@pytest.mark.parametrize("systems", [2, 3])
def test_equal_values_cannot_be_tested(systems: int) -> None:
    row = friedman(as_results([[topic] * systems for topic in range(3)])).iloc[0]
    assert np.isnan([row["statistic"], row["p"]]).all()


def test_without_the_extra_it_says_what_to_install(monkeypatch) -> None:
    hide("scikit_posthocs", monkeypatch)
    with pytest.raises(ImportError, match=r'pip install "pt_cumgain\[stats\]"$'):
        pairwise(as_results([[1, 2, 3], [1, 3, 2]] * 9), test="conover")
