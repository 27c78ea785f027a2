"""Significance: equal to scipy's and scikit-posthocs' own, in value and direction."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pt_cumgain
from pt_cumgain import CG, nDCG, pairwise, paper_table
from pt_cumgain.analysis.comparing.all_systems import who_is_better
from pt_cumgain.comparing import anova, average_ranks, friedman, posthoc
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import SESSION_COLUMNS, experiment, hide


def results(matrix, measure: str = "m", names: str = "ABCDEFG") -> pd.DataFrame:
    """Rows are topics, columns systems."""
    rows = [
        (names[j], str(i), measure, float(value))
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


MATRICES = st.tuples(st.integers(2, 12), st.integers(3, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 4), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@settings(max_examples=settings.default.max_examples // 8)  # scikit-posthocs is slow
@given(matrix=MATRICES, seed=st.integers(0, 9))
def test_they_equal_the_libraries_own(matrix: list, seed: int) -> None:
    """With ties, rows in any order."""
    values = np.array(matrix, dtype=float)
    if (values == values[:, :1]).all():
        return
    given_results = results(matrix).sample(frac=1, random_state=seed)
    order = list(dict.fromkeys(given_results["name"]))
    row = friedman(given_results).iloc[0]
    chi2, p = stats.friedmanchisquare(*values.T)
    n, k = values.shape
    assert (row["test"], row["systems"], row["topics"], row["df"]) == ("Friedman", k, n, k - 1)
    assert row["statistic"] == pytest.approx(chi2)
    assert row["p"] == pytest.approx(p)
    assert row["W"] == pytest.approx(chi2 / (n * (k - 1)))
    assert -1e-12 <= row["W"] <= 1 + 1e-12
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        plain = scikit_posthocs.posthoc_conover_friedman(values, p_adjust=None)
        for correction in (None, "holm") if plain.notna().all(axis=None) else ():
            own = plain
            if correction is not None:
                own = scikit_posthocs.posthoc_conover_friedman(values, p_adjust=correction)
            got = posthoc(given_results, correction=correction)
            assert list(got.index) == list(got.columns) == order
            names = list("ABCDEFG"[:k])
            np.testing.assert_allclose(got.loc[names, names].to_numpy(), own.to_numpy())
    ranks = average_ranks(given_results).loc["m"]
    expected = stats.rankdata(-values, axis=1).mean(axis=0)
    assert ranks[list("ABCDEFG"[:k])].tolist() == pytest.approx(expected.tolist())


@settings(max_examples=settings.default.max_examples // 6)
@given(matrix=MATRICES)
def test_two_way_anova_equals_statsmodels(matrix: list) -> None:
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    row = anova(results(matrix)).iloc[0]
    data = results(matrix)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        table = anova_lm(ols("value ~ C(name) + C(qid)", data).fit())
    if table["sum_sq"]["Residual"] < 1e-9:
        assert np.isnan(row["F"])
        return
    assert row["F"] == pytest.approx(table["F"]["C(name)"], abs=1e-9)
    assert row["p"] == pytest.approx(table["PR(>F)"]["C(name)"])
    assert (row["df_systems"], row["df_error"]) == tuple(table["df"][["C(name)", "Residual"]])


#: Values of two or three systems, each with sessions of its own about two or three scenarios.
CELLS = st.tuples(st.integers(2, 3), st.integers(2, 3)).flatmap(
    lambda shape: st.lists(
        st.lists(
            st.lists(st.integers(0, 4), min_size=1, max_size=4),
            min_size=shape[1],
            max_size=shape[1],
        ),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def of_scenarios(cells: list[list[list[float]]]) -> pd.DataFrame:
    rows = [
        (name, f"{name}{scenario}{i}", "m", float(value), f"scenario {scenario}")
        for name, of_system in zip("ABC", cells)
        for scenario, values in enumerate(of_system)
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value", "scenario"])


@settings(max_examples=settings.default.max_examples // 6)  # statsmodels is slow
@given(cells=CELLS)
def test_anova_of_systems_and_groups_equals_statsmodels(cells: list) -> None:
    """Type II sums of squares, with as many sessions in a cell as come."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    each = of_scenarios(cells)
    table = anova(each, by=["scenario"]).set_index("factor")
    assert table.index.tolist() == ["system", "scenario", "system:scenario"]
    assert (table["df_error"] == len(each) - sum(map(len, cells))).all()
    if all(len(set(values)) == 1 for of_system in cells for values in of_system):
        assert table[["F", "p"]].isna().all(axis=None)
        return
    expected = anova_lm(ols("value ~ C(name) * C(scenario)", each).fit(), typ=2).iloc[:3]
    assert table["F"].tolist() == pytest.approx(expected["F"].tolist(), rel=1e-9, abs=1e-9)
    p = expected["PR(>F)"].tolist()
    assert table["p"].tolist() == pytest.approx(p, abs=1e-7)  # at F = 0 it falls steeply
    assert (table["F"] >= 0).all()
    assert table["df"].tolist() == expected["df"].tolist()
    in_order = dict(zip(each["qid"], each["scenario"]))
    by_mapping = anova(each.drop(columns="scenario").sample(frac=1, random_state=0), by=in_order)
    assert by_mapping["factor"].tolist() == ["system", "group", "system:group"]
    assert by_mapping["p"].tolist() == pytest.approx(p, abs=1e-7)


def test_anova_of_a_balanced_design_by_hand() -> None:
    """Means of A: 2, 4; of B: 4, 10. SS: systems 8 * 2^2, groups 8 * 2^2, interaction 8 * 1^2.

    Each cell is its mean - 1, its mean + 1, so that 4 * 2 = 8 are left, with 4 degrees of freedom.
    """
    table = anova(of_scenarios([[[1, 3], [3, 5]], [[3, 5], [9, 11]]]), by="scenario")
    assert table["F"].tolist() == pytest.approx([32 / 2, 32 / 2, 8 / 2])
    assert table["p"].tolist() == pytest.approx(stats.f.sf([16, 16, 4], 1, 4).tolist())


def test_groups_that_do_not_compare_systems() -> None:
    each = of_scenarios([[[1, 3], [3, 5]], [[3, 5], [9, 11]]])
    shared = results([[1, 2], [3, 4]]).assign(scenario="x")
    of_a = {qid: qid[0] for qid in each["qid"]}
    for values, by, message in (
        (each, ["scene"], r"results: missing columns \['scene'\]"),
        (each, ["scenario", "name"], "must be one column"),
        (shared, "scenario", "m: topic '0' has values of several systems; by= is for systems"),
        (each, {"A00": 1}, "by='group': topic 'A01' has no group"),
        (each, of_a, "by='group' needs two groups with sessions of all systems"),
        (each, dict.fromkeys(of_a, 1), "by='group' needs two groups with sessions of all systems"),
        (pd.concat([each, each.assign(measure="n", scenario="x")]), "scenario", "several groups"),
    ):
        with pytest.raises(ValueError, match=message):
            anova(values, by)


def test_a_worked_friedman_test() -> None:
    """By hand: ranks 1 2 3 at three of four topics, 2 1 3 at one; sums 5, 7, 12.

    chi2 = 12 / (4 * 3 * 4) * (25 + 49 + 144) - 3 * 4 * 4 = 6.5.
    """
    row = friedman(results([[1, 2, 3], [1, 2, 3], [2, 1, 3], [1, 2, 3]])).iloc[0]
    assert row["statistic"] == pytest.approx(6.5)
    assert row["W"] == pytest.approx(6.5 / 8)
    assert row["reading"].startswith("C,B > A") or row["reading"].startswith("C > ")


def test_the_reading_points_at_the_better_system() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.random((20, 3)) + np.array([0, 2, 1])  # B best, A worst
    row = friedman(results(matrix)).iloc[0]
    assert row["reading"] == "B,C > A**; B > C**"
    ranks = average_ranks(results(matrix)).loc["m"]
    assert ranks["B"] < ranks["C"] < ranks["A"]
    # the manner of TOIS 2002, table 2
    merit = pd.Series({"A": 1.0, "B": 2, "D": 3.5, "E": 3.5})
    p = pd.DataFrame(1.0, merit.index, merit.index)
    p.loc[["D", "E"], "A"] = 0.004
    assert who_is_better(p, merit) == "D,E > A**"
    p.loc["E", "A"] = 0.03
    assert who_is_better(p, merit) == "D > A**; E > A*"


def test_no_reading_without_a_significant_test() -> None:
    rng = np.random.default_rng(1)
    row = friedman(results(rng.random((10, 3)))).iloc[0]
    assert row["p"] > 0.05
    assert row["reading"] == ""


def test_two_systems_are_compared_by_wilcoxon() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.random((15, 2)) + np.array([0, 0.5])
    row = friedman(results(matrix)).iloc[0]
    statistic, p = stats.wilcoxon(matrix[:, 0], matrix[:, 1])
    assert row["test"] == "Wilcoxon"
    assert (row["statistic"], row["p"]) == (statistic, p)
    assert np.isnan(row["df"])
    assert np.isnan(row["W"])
    assert row["reading"] == "B > A**"
    assert posthoc(results(matrix)).to_numpy().tolist() == [[1, p], [p, 1]]


def test_several_measures_and_the_values_of_an_experiment() -> None:
    measures = [CG @ 10, nDCG(gains="0-1-10-100") @ 10]
    each = experiment(measures, perquery=True)
    table = friedman(each)
    assert set(table["measure"]) == set(map(str, measures))
    for row in table.itertuples():
        of_measure = each[each["measure"] == row.measure].pivot(
            index="qid", columns="name", values="value"
        )
        assert row.p == stats.friedmanchisquare(*of_measure.to_numpy().T).pvalue
        worst = of_measure.mean().idxmin()
        assert worst == "First word"
        assert f"> {worst}" in row.reading
    assert posthoc(each, "CG@10").shape == (5, 5)
    with pytest.raises(ValueError, match=r"choose a measure; the results have CG@10, nDCG"):
        posthoc(each)
    with pytest.raises(ValueError, match="there is no measure 'AP'; the results have"):
        posthoc(each, "AP")


def test_equal_gain_vectors_are_ties_to_the_last_bit() -> None:
    """Other documents of the same gains at the same ranks: a test by ranks must see a tie."""
    qrels = {"1": {f"d{i}": 1 + i % 3 for i in range(30)}}
    first = [f"d{i}" for i in range(12)]
    taken: list[str] = []
    for doc in first:
        taken.append(
            next(
                d
                for d in (f"d{i}" for i in reversed(range(12, 30)))
                if qrels["1"][d] == qrels["1"][doc] and d not in taken
            )
        )
    measures = [nDCG(gains={1: 0.1, 2: 0.7}) @ 12, pt_cumgain.DCG(discount="revised", base=3)]
    runs = [{"1": {doc: -float(i) for i, doc in enumerate(docs)}} for docs in (first, taken)]
    one, two = (provider.calc_aggregate(measures, qrels, run) for run in runs)
    assert first != taken
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


CONSTANT = [[1, 1, 1], [2, 2, 2], [0, 0, 0]]


def test_constant_values_are_no_number_and_say_so() -> None:
    row = friedman(results(CONSTANT)).iloc[0]
    assert np.isnan(row["statistic"])
    assert np.isnan(row["p"])
    assert row["reading"] == "not testable: the systems have the same values"
    two = friedman(results([r[:2] for r in CONSTANT])).iloc[0]
    assert two["reading"] == row["reading"]
    for same in (CONSTANT, [r[:2] for r in CONSTANT]):
        table = posthoc(results(same)).to_numpy()
        assert (np.isnan(table) == ~np.eye(len(table), dtype=bool)).all()
        assert (np.diag(table) == 1).all()
    assert np.isnan(anova(results(CONSTANT))["F"][0])


@pytest.mark.parametrize("correction", [None, "holm"])
def test_no_variance_but_a_difference(correction: str | None) -> None:
    """The same order at every topic, two systems equal: scikit-posthocs has NaN for the two.

    The others have the p of scipy's Friedman test, times 3 for the first of them under Holm.
    """
    rows = [[1, 2, 2], [1, 2, 2], [0, 5, 5]]
    table = posthoc(results(rows), correction=correction)
    p = stats.friedmanchisquare(*np.transpose(rows)).pvalue * (3 if correction else 1)
    assert table.loc["B", "C"] == 1
    assert table.loc["A", "B"] == table.loc["C", "A"] == pytest.approx(p)
    assert (np.diag(table) == 1).all()


@pytest.mark.parametrize("k", [3, 4, 7, 10])
@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_same_order_at_every_topic(k: int, n: int) -> None:
    """Without any variance scikit-posthocs may have NaN for every pair, or 0: p is Friedman's.

    So the table, Friedman's reading and the pairs agree. From three topics of three systems it is
    0.0498, of which nothing is left after a correction for three pairs.
    """
    data = results(np.tile(np.arange(float(k)), (n, 1)), names="ABCDEFGHIJ")
    row = friedman(data).iloc[0]
    assert row["W"] == pytest.approx(1)
    upper = np.triu_indices(k, 1)
    corrected = np.minimum(row["p"] * len(upper[0]), 1)
    assert posthoc(data).to_numpy()[upper].tolist() == pytest.approx([corrected] * len(upper[0]))
    pairs = pairwise(data, test="conover")
    assert pairs["p"].tolist() == pytest.approx([row["p"]] * len(pairs))
    assert pairs["p_corrected"].tolist() == pytest.approx([corrected] * len(pairs))
    assert bool(row["reading"]) == (corrected < 0.05) == (pairs["better"] != "").all()


def test_the_direction_of_two_systems_is_that_of_the_test() -> None:
    """A is better by little at most topics, B by much at the others: Wilcoxon's test is for B."""
    a, b = np.zeros(100), np.zeros(100)
    a[:55] = 0.001 * np.arange(1, 56) / 56
    b[55:] = 0.5 + np.arange(45) / 100
    row = friedman(results(np.column_stack([a, b]))).iloc[0]
    assert row["p"] < 0.001
    assert row["reading"] == "B > A**"


def test_values_near_the_largest_float() -> None:
    """F is that of the values without their exponent; a mean that overflows is refused in words."""
    rows = np.array([[1.0, 0.5, 0.1], [0.9, 0.4, 0.3], [0.2, 0.6, 0.4]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        large = anova(results(np.ldexp(rows, 1023)))
        with pytest.raises(ValueError, match="'A' are infinite or too large for a mean"):
            paper_table(results(np.ldexp(rows, 1023)))
    pd.testing.assert_frame_equal(large, anova(results(rows)))


def test_noise_is_no_variance() -> None:
    """Each row is 1 2 3 and a constant: without rounding, the two effects leave nothing."""
    values = np.array([[1.0, 2, 3]] * 4) + np.arange(4)[:, None] / 3
    assert np.isnan(anova(results(values))["F"][0])


def test_ranks_of_means_are_not_the_average_ranks() -> None:
    """By hand: A is best at two of three topics, but B by more at one; B has the higher mean."""
    by_topic = results([[2, 1, 1], [2, 1, 1], [0, 9, 1]])
    assert average_ranks(by_topic).loc["m"].tolist() == pytest.approx([5 / 3, 2, 7 / 3])
    means = pd.DataFrame({"name": list("ABC"), "m": [4 / 3, 11 / 3, 1], "m p-value": [1, 0.1, 0.2]})
    assert average_ranks(means).to_dict("list") == {"A": [2], "B": [1], "C": [3]}
    tied = pd.DataFrame({"name": list("AB"), "x": [0.1 + 0.2, 0.3], "y": [1, 2]})
    assert average_ranks(tied).loc["x"].tolist() == [1.5, 1.5]  # equal to 12 digits
    with pytest.raises(ValueError, match=r"missing columns \['name'\]"):
        average_ranks(means.drop(columns="name"))


@pytest.mark.parametrize("function", [friedman, posthoc, anova, average_ranks])
def test_wrong_results(function) -> None:
    good = results([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    with pytest.raises(ValueError, match=r"missing columns \['value'\].*perquery=True"):
        function(good.drop(columns="value"))
    with pytest.raises(ValueError, match=r"m: 'B' has no value for topic '1'; .* test='welch'"):
        function(good[(good["name"] != "B") | (good["qid"] != "1")])
    with pytest.raises(ValueError, match="m: the value of 'C' for topic '2' is NaN"):
        function(good.assign(value=good["value"].where(good.index != 8)))
    with pytest.raises(ValueError, match="m: 'A' has two values for topic '0'"):
        function(pd.concat([good, good.head(1)]))
    with pytest.raises(ValueError, match="nothing to compare: the results have one system, 'A'"):
        function(good[good["name"] == "A"])
    with pytest.raises(ValueError, match="there are no results to compare"):
        function(good.head(0))
    with pytest.raises(ValueError, match="a test over topics needs at least two of them, not 1"):
        function(good[good["qid"] == "0"])


def test_without_the_extra_it_says_what_to_install(monkeypatch) -> None:
    hide("scikit_posthocs", monkeypatch)
    words = r'^post-hoc tests need scikit-posthocs: pip install "pt_cumgain\[stats\]"$'
    with pytest.raises(ImportError, match=words):
        friedman(results([[1, 2, 3]] * 9))  # significant, so that pairs are tested


def test_an_unknown_correction() -> None:
    for matrix in ([[1, 2, 3], [2, 3, 1], [3, 1, 3]], [[1, 2], [2, 1]], CONSTANT):
        for function in (posthoc, friedman):
            with pytest.raises(ValueError, match=r"correction='magic' is unknown; .* holm"):
                function(results(matrix), correction="magic")
