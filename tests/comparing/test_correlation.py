"""Rank correlation of measures: scipy's tau-b, tau-AP by its definition, the pairs that flip."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_cumgain.comparing import rank_correlation, tau_ap
from pt_cumgain.comparing._correlation import is_symmetric
from tests.support.samples import as_results

MEANS = pd.DataFrame(
    {
        "name": list("ABCD"),
        "CG@5": [4.0, 3, 2, 1],
        "nCG@5": [3.0, 4, 1, 1],
        "flat": [1.0, 1, 1, 1],
        "CG@5 p-value": [np.nan, 0.1, 0.2, 0.3],
        "CG@5 +": [np.nan, 1, 2, 3],
        "mrt": [1.0, 2, 3, 4],
    }
)


@settings(max_examples=settings.default.max_examples // 4)
@given(st.data(), st.integers(2, 40), st.integers(1, 40))
def test_every_pair_of_measures_is_scipys(data, systems: int, levels: int) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    values = np.random.default_rng(seed).integers(0, levels, (2, systems, 3)).astype(float)
    values[0, :, 2] = np.random.default_rng(seed).permutation(systems)  # without ties
    means, other = (pd.DataFrame(v, columns=list("xyz")) for v in values)
    names = [f"s{i}" for i in range(systems)]
    for tables in ((means,), (means, other)):
        named = [table.assign(name=names) for table in tables]
        tau = rank_correlation(*named)
        for one, two in itertools.product("xyz", repeat=2):
            found = stats.kendalltau(tables[0][one], tables[-1][two])
            np.testing.assert_array_equal(tau.loc[one, two], found.statistic)


#: Texts of measures, or labels, by the measure without its cutoff and the cutoff.
AT_CUTOFFS = {
    **{(name, k): f"{name}@{k}" for name, k in (("CG", 10), ("CG", 2), ("P", 10), ("CG", 3))},
    **{("nCG w1", k): f"nCG w1 @{k}" for k in (2, 10)},
}


@pytest.mark.parametrize("coefficient", ["tau-b", "tau-ap"])
def test_measures_at_the_same_cutoff(coefficient: str) -> None:
    """Expected: the matrix of all measures."""
    random = np.random.default_rng(5)
    means = pd.DataFrame(random.integers(0, 6, (7, 6)), columns=[*AT_CUTOFFS.values()])
    means["name"] = list("ABCDEFG")
    other = means.assign(**{"CG@10": random.random(7)}).drop(columns="CG@3")
    of_one, of_two = [2] * 2 + [10] * 6, [2] * 4 + [10] * 9
    for both, cutoffs in (((means,), of_one), ((means, other), of_two)):
        table = rank_correlation(*both, by="cutoff", coefficient=coefficient)
        assert list(table) == ["measure", "other_measure", "rank", "value"]
        assert not table[[*table][:3]].duplicated().any()
        assert table["rank"].tolist() == cutoffs
        matrix = rank_correlation(*both, coefficient=coefficient)
        for row in table.itertuples():
            texts = AT_CUTOFFS[row.measure, row.rank], AT_CUTOFFS[row.other_measure, row.rank]
            assert row.value == pytest.approx(matrix.loc[texts], rel=1e-12)


def definition(truth: list[float], judged: list[float]) -> float:
    """Yilmaz, Aslam and Robertson 2008, section 3, for rankings without ties."""
    n = len(truth)
    ranking = sorted(range(n), key=lambda i: -judged[i])
    total = 0.0
    for i in range(1, n):
        correct = sum(truth[ranking[j]] > truth[ranking[i]] for j in range(i))
        total += correct / i
    return 2 / (n - 1) * total - 1


def orders(values: list[float]) -> list[list[float]]:
    """Every strict ranking that the values allow: ties in every order."""
    groups = [
        list(itertools.permutations([i for i, x in enumerate(values) if x == value]))
        for value in sorted(set(values))
    ]
    found = []
    for choice in itertools.product(*groups):
        places = [i for group in choice for i in group]
        ranking = [0.0] * len(values)
        for place, i in enumerate(places):
            ranking[i] = float(place)
        found.append(ranking)
    return found


@given(
    st.integers(2, 5).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
    )
)
def test_tau_ap_is_the_mean_of_its_definition_over_all_orders_of_ties(both: tuple) -> None:
    truth, judged = both
    tried = [definition(t, j) for t in orders(truth) for j in orders(judged)]
    assert tau_ap(truth, judged) == pytest.approx(np.mean(tried))


def test_the_table_of_tau_ap_is_not_symmetric() -> None:
    table = rank_correlation(MEANS.drop(columns="flat"), coefficient="tau-ap")
    assert list(table) == ["CG@5", "nCG@5"]
    truth, judged = MEANS["CG@5"], MEANS["nCG@5"]
    assert table.loc["CG@5", "nCG@5"] == pytest.approx(tau_ap(truth, judged), rel=1e-12)
    assert table.loc["nCG@5", "CG@5"] == pytest.approx(tau_ap(judged, truth), rel=1e-12)
    with_flat = rank_correlation(MEANS, coefficient="tau-ap")
    assert with_flat["flat"].isna().all()
    assert with_flat.loc["flat"].isna().all()


@pytest.mark.parametrize(
    ("values", "symmetric"),
    [
        ([[1, 0.5], [0.5, 1]], True),
        ([[1, np.nan], [np.nan, np.nan]], True),  # a measure that is the same for all systems
        ([[1 + 5e-10, 0.5 + 5e-10], [0.5, 1]], True),
        ([[1, 0.5 + 2e-9], [0.5, 1]], False),
        ([[1, 0.5], [0.5, 0.9]], False),  # not of a measure with itself
        ([[1]], False),
    ],
)
def test_half_of_a_symmetric_table_says_all(values, symmetric: bool) -> None:
    names = list("ab")[: len(values)]
    matrix = pd.DataFrame(values, names, names)
    assert is_symmetric(matrix) is symmetric
    assert not is_symmetric(matrix.set_axis(list("xy")[: len(values)]))


def test_the_last_bits_of_means_are_no_order() -> None:
    means = pd.DataFrame({"name": list("ab"), "x": [0.1 + 0.2, 0.3], "y": [0.1, 0.2]})
    assert rank_correlation(means)["x"].isna().all()
    tiny = pd.DataFrame({"name": list("ab"), "x": [1e-170, 2e-170], "y": [2e-170, 1e-170]})
    assert rank_correlation(tiny).loc["x", "y"] == -1
    assert rank_correlation(as_results([[1.0, 2.0]])).loc["m", "m"] == 1  # of a single topic


TWICE = pd.concat([MEANS, MEANS[["flat"]]], axis=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_correlation(MEANS.drop(columns="name")), r"missing columns \['name'\]"),
        (lambda: rank_correlation(MEANS[["name"]]), "4 systems and 0 measures"),
        (lambda: rank_correlation(MEANS.assign(name="A")), "two systems have the same name"),
        (lambda: rank_correlation(MEANS.assign(x=list("abcd"))), "column 'x' holds no numbers"),
        (lambda: rank_correlation(TWICE), "means: there is more than one column 'flat'"),
        (lambda: rank_correlation(MEANS.assign(x=[1, 2, np.nan, 3])), "x is NaN for 'C'"),
        (lambda: rank_correlation(MEANS, MEANS.head(3)), "have different systems: D"),
        (lambda: rank_correlation(MEANS, by="cutoff"), "by='cutoff': flat has no cutoff"),
        (lambda: tau_ap([1], [1]), r"2 or more values are needed, got \(1,\) and \(1,\)"),
        (lambda: tau_ap([1, np.nan], [1, 2]), "a value is NaN"),
    ],
)
def test_what_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
