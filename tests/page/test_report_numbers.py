"""The numbers of the report, in a real browser, beside those of the engine and of the analyses."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ir_measures import parse_measure

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.core import BUILT_IN, DISCOUNTS, TIES, has_ideal
from pt_cumgain.engine import Engine
from pt_cumgain.inputs.reading import read_qrels, read_run
from pt_cumgain.measures import MEASURES, Normalised, as_cumulated_gain
from pt_cumgain.page.report import SHOWN, state_of
from tests.support.browser import opened
from tests.support.helpers import evaluate_runs
from tests.support.samples import random_data
from tests.support.strategies import parameters

#: Random measures: gains that fall, bases without an ideal.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
NO_CONTROL = ("avg_pos", "at_r", "judged_only", "unjudged", "dcg", "cutoff")
DEPTH = 30


def data() -> tuple[dict, dict]:
    """Judgments with the levels -2 to 4, one topic without a relevant document; runs with ties."""
    qrels, first = random_data(3, topics=9)
    qrels["none"] = {"d1": 0, "d2": -1}
    runs = {"first": first}
    for seed in (4, 5):
        runs[f"run {seed}"] = random_data(seed, topics=9)[1]
    runs["all tied"] = {topic: dict.fromkeys(of, 1.0) for topic, of in first.items()}
    runs["reversed"] = {t: {d: -s for d, s in of.items()} for t, of in first.items()}
    return qrels, runs


QRELS, RUNS = data()
LEVELS = np.arange(-2.0, 5.0)


@pytest.fixture(scope="module")
def page(tmp_path_factory, browser):
    path = tmp_path_factory.mktemp("report") / "report.html"
    pt_cumgain.report(RUNS, None, QRELS, path=path, depth=DEPTH)
    with opened(browser, path) as page:
        yield page


def settings_for(measure, **state) -> dict:
    """The page's settings for a measure."""
    return {**state_of(as_cumulated_gain(measure), LEVELS), **state}


@st.composite
def settings_of_the_page(draw: st.DrawFn):
    name, params = draw(parameters(list(SHOWN), leave=NO_CONTROL))
    cutoff = draw(st.integers(1, DEPTH))
    return MEASURES[name](**params) @ cutoff


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(settings_of_the_page())
def test_values_are_those_of_the_engine(page, measure) -> None:
    check_values(page, measure)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("discount", DISCOUNTS)
def test_every_discount_under_every_rule_for_ties(page, discount: str, ties: str) -> None:
    """Those that are declared, without chance."""
    for kind in (pt_cumgain.DCG, pt_cumgain.nDCG):
        for base in (1.3, 2, 3.7, 10) if DISCOUNTS[discount].takes_base else (None,):
            if base is None:
                check_values(page, kind(discount=discount, ties=ties) @ 12)
            elif not isinstance(kind, Normalised) or has_ideal(discount, base):
                check_values(page, kind(discount=discount, base=base, ties=ties) @ 12)


@pytest.mark.parametrize("name", ["own", "constructor"])  # JavaScript's objects have the latter
def test_a_registered_discount(show, name: str) -> None:
    """The page has it as a table, and offers it for all measures; other ones are not on it."""
    pt_cumgain.register_discount(name, weights=[1 - i / DEPTH for i in range(DEPTH)])
    pt_cumgain.register_discount("other", weights=[1])
    measure = pt_cumgain.nDCG(discount=name) @ 12
    page = show(RUNS, QRELS, measure, depth=DEPTH)
    assert options_of(page, "discount") == [*BUILT_IN, name]
    assert options_of(page, "ties") == list(TIES)
    assert page.locator("#text").inner_text() == str(measure)
    said = page.locator("#sentence").inner_text()
    assert said == f"The page was written with {pt_cumgain.describe(measure).text}."
    for kind in (pt_cumgain.nDCG, pt_cumgain.DCG):
        for ties in TIES:
            check_values(page, kind(discount=name, ties=ties) @ 12)
    check_values(page, pt_cumgain.nDCG @ 12)


def options_of(page, control: str) -> list[str]:
    """Return the choices that a control offers."""
    options = page.locator(f"#{control} option")
    return options.evaluate_all("all => all.map((one) => one.value)")


def check_values(page, measure) -> None:
    """Values, means, curves and parts of the page are those of the engine."""
    given = settings_for(measure, baseline=1)
    values = page.evaluate(
        "given => { const {systems, topics, recall} = cumgain.values(given);"
        " return {systems, recall, topics: topics.map((of) => [...of])}; }",
        given,
    )
    engine = Engine([measure], read_qrels(QRELS))
    expected = np.array([engine.judge(read_run(run)).values()[0] for run in RUNS.values()])
    np.testing.assert_allclose(values["topics"], expected, rtol=1e-9, atol=1e-9)
    curves = pt_cumgain.gain_curves(RUNS, None, QRELS, measure, DEPTH)
    at_cutoff = curves[curves["rank"] == measure["cutoff"]]
    means = [one["mean"] for one in values["systems"]]
    np.testing.assert_allclose(means, at_cutoff["value"], rtol=1e-9, atol=1e-9)
    assert values["recall"] == engine.ideal()[0][0].tolist()
    drawn_curves = page.evaluate(
        "given => { const {systems, ideal} = cumgain.curves(given);"
        " return {ideal: [...ideal], means: systems.map(({mean}) => [...mean])}; }",
        given,
    )
    ranks = curves["value"].to_numpy().reshape(len(RUNS), DEPTH)
    np.testing.assert_allclose(drawn_curves["means"], ranks, rtol=1e-9, atol=1e-9)
    ideal = curves["ideal"].to_numpy()[:DEPTH]
    if not np.isnan(ideal).any():  # what is drawn under boosted ranks is the descending vector
        np.testing.assert_allclose(drawn_curves["ideal"], ideal, rtol=1e-9, atol=1e-9)
    parts = np.array([one["parts"] for one in values["systems"]])
    by_level = [engine.judge(read_run(run)).by_level()[:, 0].mean(axis=1) for run in RUNS.values()]
    np.testing.assert_allclose(parts, by_level, rtol=1e-9, atol=1e-9)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=50,
)
@example(measure=pt_cumgain.CG(gains={1: 2.0**-14, 2: 2.0**60}) @ 1)
@example(measure=pt_cumgain.nDCG @ 10)
@example(measure=pt_cumgain.DCG(discount="original", base=10) @ 10)
@example(measure=pt_cumgain.DCG(discount="original", base=10) @ 11)
@given(settings_of_the_page())
def test_the_text_parses_to_the_measure(page, measure) -> None:
    """The text may have a mapping as a scheme, so settings are compared."""
    given = settings_for(measure)
    assert settings_for(parse_measure(page.evaluate("cumgain.text", given))) == given


@pytest.mark.parametrize("text", ["nDCG", "CG(ties='best')"])
def test_differences_by_rank_are_those_of_the_intervals(page, text) -> None:
    given = settings_for(parse_measure(f"{text}@10"))
    found = page.evaluate("given => cumgain.curves(given, 2).systems", given)
    baseline = list(RUNS)[2]
    for rank in (1, 7, DEPTH):
        measure = parse_measure(f"{text}@{rank}")
        expected = pt_cumgain.pairwise(
            evaluate_runs(measure, QRELS, RUNS), baseline=baseline
        ).set_index("name")
        for name, system in zip(RUNS, found):
            if name != baseline:
                columns = ["difference", "low", "high"]
                mine = [system[key][rank - 1] for key in ("mean", "low", "high")]
                np.testing.assert_allclose(mine, expected.loc[name, columns].to_list(), atol=1e-9)


def test_a_base_without_ideal_is_not_taken(page) -> None:
    """`sigir2000` has no ideal above base 2; the page goes no farther than the declaration says."""
    given = settings_for(pt_cumgain.DCG(discount="sigir2000", base=5) @ 10)
    page.evaluate("given => { cumgain.state = given; }", given)
    assert page.evaluate("cumgain.state.base") == 5
    page.evaluate("cumgain.state = {measure: 'nDCG'}")
    assert page.evaluate("cumgain.state.base") == DISCOUNTS["sigir2000"].ideal_up_to
    assert parse_measure(page.evaluate("cumgain.text()"))


def test_runs_over_sessions_under_measures_of_topics(show) -> None:
    """The values of `evaluate`; a second system has the documents of each session's last query."""
    qrels, run = pydocs.session_qrels(), pydocs.session_runs()["BM25"]
    last = run["query_position"] == run.groupby("qid")["query_position"].transform("max")
    runs = {"all": run, "last": run[last], "first": run[run["query_position"] == 1]}
    page = show(runs, qrels, depth=10)
    levels = np.unique(qrels["label"]).astype(float)
    for measure in (pt_cumgain.nDCG @ 5, pt_cumgain.CG @ 10):
        state = state_of(as_cumulated_gain(measure), levels)
        found = page.evaluate("s => cumgain.values(s).systems.map(({mean}) => mean)", state)
        means = evaluate_runs(measure, qrels, runs).groupby("name", sort=False)["value"].mean()
        np.testing.assert_allclose(found, means, rtol=1e-9)
        assert len(set(means.round(6))) == 3


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=40,
)
@given(parameters(list(SHOWN), leave=(*NO_CONTROL, "gains")), st.integers(1, 30))
def test_each_point_is_that_of_the_map_in_python(page, drawn, cutoff) -> None:
    """Its leader, whether others may be best, and its means; level 3 gains as much as 2."""
    name, params = drawn
    measure, levels = MEASURES[name](**params) @ cutoff, (1, 2, 4)
    frame = pt_cumgain.weighting_map(RUNS, None, QRELS, measure, levels=levels, points=13)
    points = frame[["t1", "t2", "t3"]].to_numpy().tolist()
    given = settings_for(measure, mapped="_".join(str(level + 2) for level in levels))
    leads = page.evaluate("([points, given]) => cumgain.leads(points, given)", [points, given])
    assert [list(RUNS)[lead["best"]] for lead in leads] == frame["best"].tolist()
    assert [not lead["isAlone"] for lead in leads] == frame["others_may_be_best"].tolist()
    means = [lead["means"] for lead in leads]
    found, expected = (  # shares of the largest: the highest gain is 1 here and 4 there
        np.asarray(one) / (np.abs(one).max().max() or 1)
        for one in (np.array(means), frame[list(RUNS)])
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore")  # of constant differences
@pytest.mark.parametrize(
    ("text", "control", "settings"),
    [
        ("nDCG(discount='original')@12", "base", [1.2, 2, 3.7, 20]),
        ("DCG(discount='revised',ties='best')@3", "base", [1.2, 2, 3.7, 20]),
        ("nDCG@10", "cutoff", [1, 2, 17, DEPTH]),
    ],
)
def test_means_and_the_best_along_the_strips(page, text, control, settings) -> None:
    """The base or the rank; expected: the values of `evaluate`, and what `may_be_best` excludes."""
    measure = as_cumulated_gain(parse_measure(text))
    of_page = {"base": "base", "cutoff": "k"}[control]
    state = settings_for(measure)
    leads = page.evaluate("moved => cumgain.leadsAlong(...moved)", [of_page, settings, state])
    for lead, setting in zip(leads, settings):
        results = evaluate_runs(measure(**{control: setting}), QRELS, RUNS)
        expected = results.groupby("name", sort=False)["value"].mean().to_numpy()
        np.testing.assert_allclose(lead["means"], expected, rtol=1e-9, atol=1e-9)
        assert lead["best"] == np.flatnonzero(expected >= expected.max() - 1e-12)[0]
        may_be_best = pt_cumgain.may_be_best(results)["may_be_best"]
        assert lead["isAlone"] == (may_be_best.sum() == 1)
