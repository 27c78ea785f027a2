"""The map of weightings: its numbers are those of the engine, and its point is the weighting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import parse_measure
from scipy import stats

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.measures import MEASURES, as_cumulated_gain
from pt_cumgain.presentation.report import SHOWN
from tests.presentation.test_report_numbers import NO_CONTROL, QRELS, RUNS, settings_for
from tests.support.presentation.browser import opened, settled
from tests.support.strategies import parameters

#: X has documents of level 1, Y one of level 3: X is best where level 1 counts enough.
OPPOSED = {"X": {"q": {"a": 3.0, "b": 2.0}}, "Y": {"q": {"c": 3.0}}, "Z": {"q": {}}}
JUDGED = {"q": {"a": 1, "b": 1, "c": 3, "d": 2}}


@pytest.fixture(scope="module")
def page(tmp_path_factory, browser):
    """The qrels have the positive levels 1 to 4."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    pt_cumgain.report(RUNS, None, QRELS, path=path, depth=30)
    with opened(browser, path) as page:
        yield page


@pytest.fixture
def opposed(browser, tmp_path):
    path = tmp_path / "report.html"
    pt_cumgain.report(OPPOSED, None, JUDGED, path=path, depth=5, measure="CG@5")
    with opened(browser, path, viewport={"width": 1366, "height": 768}) as page:
        page.locator("#map").scroll_into_view_if_needed()
        settled(page)
        yield page


def place(page, point: list[float]) -> tuple[float, float]:
    """Where a point of the triangle is on the screen, from where its corners are named."""
    box = page.locator("#map").bounding_box()
    scale = box["width"] / 400
    x = 46 + 308 * (point[2] + point[1] / 2)
    y = 36 + 308 * np.sqrt(3) / 2 * (1 - point[1])
    return box["x"] + scale * x, box["y"] + scale * y


@pytest.mark.parametrize("average", ["topics", "vectors"])
@pytest.mark.parametrize("levels", [(1, 2, 3), (1, 3, 4)])
@pytest.mark.parametrize(
    "text", ["nDCG@10", "nDCG(ties='best')@5", "CG(ties='worst')@7", "nCG(ties='average')@3"]
)
def test_means_and_the_best_are_those_of_the_engine(page, text, levels, average) -> None:
    """A level between the chosen ones gains as much as the one below it."""
    points = np.random.default_rng(1).dirichlet([1, 1, 1], 5).tolist() + np.eye(3).tolist()
    name, _, cutoff = text.partition("@")
    ties = name.partition("ties='")[2].rstrip("')") or "doc_id"
    given = {
        "measure": name.partition("(")[0], "k": int(cutoff), "ties": ties, "average": average,
        "mapped": "_".join(str(level + 2) for level in levels),
    }  # fmt: skip
    means = page.evaluate("([points, given]) => cumgain.mixtures(points, given)", [points, given])
    leads = page.evaluate("([points, given]) => cumgain.leads(points, given)", [points, given])
    for point, found, lead in zip(points, means, leads):
        gains = {x: sum(p for p, from_ in zip(point, levels) if x >= from_) for x in range(1, 5)}
        measure = getattr(pt_cumgain, given["measure"])(gains=gains, ties=ties) @ int(cutoff)
        curves = pt_cumgain.gain_curves(RUNS, None, QRELS, measure, int(cutoff), average=average)
        expected = curves[curves["rank"] == int(cutoff)]["value"].to_numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert lead["best"] == np.flatnonzero(expected >= expected.max() - 1e-12)[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(parameters(list(SHOWN), leave=(*NO_CONTROL, "gains")), st.integers(1, 30))
def test_each_point_is_that_of_the_map_in_python(page, drawn, cutoff) -> None:
    """It is pale where plot_weightings draws it so: where p of the lead is not below 0.05."""
    name, params = drawn
    measure = MEASURES[name](**params) @ cutoff
    levels = (1, 2, 4)
    frame = pt_cumgain.weighting_map(RUNS, None, QRELS, measure, levels=levels, points=13)
    points = frame[["t1", "t2", "t3"]].to_numpy().tolist()
    given = settings_for(measure, mapped="_".join(str(level + 2) for level in levels))
    leads = page.evaluate("([points, given]) => cumgain.leads(points, given)", [points, given])
    assert [list(RUNS)[lead["best"]] for lead in leads] == frame["best"].tolist()
    assert [lead["isPale"] for lead in leads] == (frame["p"] >= 0.05).tolist()
    means = page.evaluate("([points, given]) => cumgain.mixtures(points, given)", [points, given])
    np.testing.assert_allclose(relative(means), relative(frame[list(RUNS)]), rtol=1e-9, atol=1e-9)


def relative(means) -> np.ndarray:
    """Means as shares of the largest: the highest gain is 1 here and 4 there."""
    return np.asarray(means) / (np.abs(means).max().max() or 1)


def test_a_click_sets_the_weighting(opposed) -> None:
    opposed.mouse.click(*place(opposed, [0.25, 0.25, 0.5]))
    settled(opposed)
    gains = opposed.evaluate("cumgain.state.gains")
    assert gains == pytest.approx([0.75, 1.5, 3], abs=0.05)
    assert opposed.locator("#gain-0").input_value() == str(gains[0])


def test_the_point_is_dragged(opposed) -> None:
    """Beyond the map it stays at its border: there the lowest level gains nothing."""
    opposed.mouse.move(*place(opposed, [0.4, 0.2, 0.4]))
    opposed.mouse.down()
    opposed.mouse.move(*place(opposed, [-0.3, 0.7, 0.6]), steps=3)
    opposed.mouse.up()
    settled(opposed)
    assert opposed.evaluate("cumgain.state.gains[0]") == 0
    assert opposed.evaluate("cumgain.state.gains[2]") == 3


def test_arrow_keys_move_the_point(opposed) -> None:
    opposed.locator("#map").focus()
    before = opposed.evaluate("cumgain.state.gains")
    opposed.keyboard.press("ArrowUp")
    settled(opposed)
    after = opposed.evaluate("cumgain.state.gains")
    assert after[0] < before[0]
    assert after[1] > before[1]
    opposed.keyboard.press("ArrowRight")
    settled(opposed)
    assert opposed.evaluate("cumgain.state.gains[1]") < after[1]


def test_weightings_outside_the_map_are_said_to_be(opposed) -> None:
    note = opposed.locator("#map-note")
    opposed.locator("#gain-0").fill("2.5")
    settled(opposed)
    said = "This weighting values a lower level more, so it lies outside the map."
    assert opposed.locator("#outside").inner_text() == said
    assert note.inner_text() == f"{opposed.locator('#answer').inner_text()} {said}"
    opposed.locator("#gain-0").fill("1")
    settled(opposed)
    assert "values a lower level more" not in note.inner_text()
    assert opposed.locator("#outside").is_hidden()
    assert opposed.locator("#point").count() == 1


def test_without_gains_nothing_is_best(opposed) -> None:
    opposed.evaluate("cumgain.state = {gains: [0, 0, 0]}")
    settled(opposed)
    note = opposed.locator("#map-note").inner_text()
    assert note == "No level gains anything, so all systems are equal."


def test_levels_are_chosen_where_there_are_more_than_three(page, opposed) -> None:
    options = page.locator("#mapped option").all_inner_texts()
    assert options == ["1, 2, 3", "1, 2, 4", "1, 3, 4", "2, 3, 4"]
    assert page.locator("#mapped").is_visible()
    assert opposed.locator("#mapped").is_hidden()


def test_strips_say_who_is_best(opposed) -> None:
    """At rank 1 Y has the gain 3 and X the gain 1; X never catches up with 1 + 1."""
    strips = opposed.locator(".strip:visible")
    pale = "pale: lead p ≥ 0.05, "  # one topic proves nothing
    assert strips.locator(".hint").all_inner_texts() == [f"{pale}Y 1–5"]
    opposed.evaluate("cumgain.state = {gains: [2, 2, 3]}")
    settled(opposed)
    assert strips.locator(".hint").all_inner_texts() == [f"{pale}Y 1, X 2–5"]
    opposed.evaluate("cumgain.state = {measure: 'DCG', discount: 'revised'}")
    settled(opposed)
    assert strips.count() == 2
    box = strips.locator("svg").first.bounding_box()
    opposed.mouse.click(box["x"] + box["width"] - 2, box["y"] + 14)
    assert opposed.evaluate("cumgain.state.k") == 5
    opposed.keyboard.press("ArrowLeft")
    assert opposed.evaluate("cumgain.state.k") == 4


def test_strips_name_as_many_stretches_as_there_is_room_for(browser, tmp_path) -> None:
    """Two systems change places every few ranks, as their gains rise and alternate."""
    names = ["a name of twenty letters", "another of them"]
    gains = {f"d{rank}": 1 + rank // 2 for rank in range(1, 21)}
    runs = {
        name: {"q": {f"d{r}" if r // 2 % 2 == i else f"u{r}": -float(r) for r in range(1, 21)}}
        for i, name in enumerate(names)
    }
    sums = [
        np.cumsum([gain * (rank // 2 % 2 == i) for rank, gain in enumerate(gains.values(), 1)])
        for i in range(2)
    ]
    stretches = 1 + np.count_nonzero(np.diff(sums[1] > sums[0]))
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, {"q": gains}, path=path, depth=20, measure="CG@5")
    with opened(browser, path) as page:
        for width in (1366, 800):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("cumgain.state = {k: 4}")
            settled(page)
            hint = page.locator(".strip:has(#strip-k) p")
            assert hint.evaluate("(one) => one.scrollHeight <= one.clientHeight + 4")
            *named, more = hint.inner_text().split(", ")[1:]
            assert 0 < len(named) < stretches
            assert more == f"and {stretches - len(named)} more"


def test_paper_has_the_shares_of_the_screen(browser, qrels, tmp_path) -> None:
    path = tmp_path / "page.html"
    pt_cumgain.report(pydocs.runs(), None, qrels, path=path, measure="nDCG@20")
    with opened(browser, path) as page:
        page.wait_for_function("page.isResting()")
        shares = page.locator("#map-legend").inner_text()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#map-legend").inner_text() == shares


def test_two_levels_are_a_strip_and_one_has_no_map(browser, tmp_path) -> None:
    for top, corners in ((2, ["0-1-1", "0-0-1"]), (1, [])):
        path = tmp_path / f"{top}.html"
        qrels = {"q": {"a": 1, "b": top, "c": 0}}
        pt_cumgain.report({"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}, None, qrels, path=path)
        with opened(browser, path) as page:
            assert page.locator("#map").is_visible() == bool(corners)
            assert (
                page.locator(".strip:visible .hint").inner_text()
                == f"pale: lead p ≥ 0.05, {'Y' if corners else 'X'} 1–100"
            )
            texts = page.locator("#map text").all_text_contents() if corners else []
            assert set(corners) <= set(texts)


def write_leads(path, topics: int) -> None:
    """X gains 1 more than Y where all levels gain 1, and Y where the highest does, but for topic 0.

    With the level itself, X leads by that topic alone.
    """
    names = [str(topic) for topic in range(topics)]
    qrels = {topic: {"a": 1, "b": 1, "c": 2} for topic in names}
    runs = {
        "X": {topic: {"a": 2.0, "b": 1.0} for topic in names},
        "Y": {topic: {"a" if topic == "0" else "c": 1.0} for topic in names},
    }
    pt_cumgain.report(runs, None, qrels, path=path, depth=5, measure="CG@5")


def test_the_map_is_pale_where_the_lead_is_not_significant(browser, tmp_path) -> None:
    """Below six topics a constant lead is not; the mark and its words are plot_weightings'."""
    for topics in (3, 12):
        path = tmp_path / f"{topics}.html"
        write_leads(path, topics)
        with opened(browser, path) as page:
            leads = page.evaluate("cumgain.leads([[1, 0], [0.5, 0.5], [0, 1]])")
            assert [lead["best"] for lead in leads] == [0, 0, 1]
            assert [lead["isPale"] for lead in leads] == [topics == 3, True, topics == 3]
            key = "pale: lead p ≥ 0.05"
            assert page.locator("#map-legend li").last.inner_text() == key
            assert page.locator("#map .pale").count() == 2  # X and Y, near where they change places
            if topics == 12:
                assert page.locator("#map [data-run]:not(.pale)").count() == 2
            with page.expect_download() as download:
                page.locator("[data-svg=map]").click()
            picture = download.value.path().read_text("utf-8")
            assert f">{key}</text>" in picture
            assert '<path class="pale"' in picture
            page.select_option("#measure", "nCG")
            page.select_option("#average", "vectors")  # a ratio of means has no test
            settled(page)
            assert page.locator("#map .pale").count() == 0
            assert key not in page.locator("#map-legend").inner_text()


@pytest.mark.parametrize(
    ("text", "control", "settings"),
    [("nDCG(discount='original')@12", "base", [1.2, 2, 3.7]), ("nDCG@10", "cutoff", [1, 2, 17])],
)
def test_strips_are_pale_where_the_lead_is_not_significant(page, text, control, settings) -> None:
    """By the paired t-test of the two highest means, as in the map."""
    measure = as_cumulated_gain(parse_measure(text))
    of_page = {"base": "base", "cutoff": "k"}[control]
    leads = page.evaluate(
        "moved => cumgain.leadsAlong(...moved)", [of_page, settings, settings_for(measure)]
    )
    for lead, setting in zip(leads, settings):
        results = pd.concat(
            pt_cumgain.evaluate([measure(**{control: setting})], QRELS, run).assign(name=name)
            for name, run in RUNS.items()
        )
        values = results.pivot(index="qid", columns="name", values="value")
        best, second = values.mean().sort_values(ascending=False).index[:2]
        assert list(RUNS)[lead["best"]] == best
        assert lead["isPale"] == (stats.ttest_rel(values[best], values[second]).pvalue >= 0.05)


def test_every_circle_has_a_label(opposed, browser, tmp_path) -> None:
    """On a triangle and on a strip, beside the corners' own."""
    path = tmp_path / "two.html"
    pt_cumgain.report(OPPOSED, None, {"q": {"a": 1, "c": 2, "d": 0}}, path=path, depth=5)
    with opened(browser, path) as strip:
        for one, corners in ((opposed, 3), (strip, 2)):
            circles = one.locator("#map circle:has(title)").count()
            labels = one.locator("#map text").all_text_contents()
            assert circles >= 3
            assert len([text for text in labels if text not in OPPOSED]) == circles + corners


def test_the_point_snaps_to_a_weighting_of_the_papers(browser, tmp_path) -> None:
    """Dragged to within 8 pixels of the circle 0-1-5, it has these gains, and not near ones."""
    path = tmp_path / "two.html"
    pt_cumgain.report(OPPOSED, None, {"q": {"a": 1, "c": 2, "d": 0}}, path=path, depth=5)
    with opened(browser, path) as page:
        page.locator("#map").scroll_into_view_if_needed()
        circle = page.locator("#map circle:has(title)").filter(has_text="0-1-5").bounding_box()
        x, y = circle["x"] + circle["width"] / 2, circle["y"] + circle["height"] / 2
        page.mouse.move(x - 60, y)
        page.mouse.down()
        page.mouse.move(x - 20, y, steps=3)
        assert page.evaluate("cumgain.state.gains") != [0, 1, 5]
        page.mouse.move(x + 6, y + 4, steps=3)
        page.mouse.up()
        settled(page)
        assert page.locator("#text").inner_text() == "nDCG(gains='0-1-5')@5"


@pytest.mark.parametrize(("width", "height"), [(1280, 768), (390, 844)])
def test_the_answer_is_in_sight_while_the_map_is_used(width, height, browser, tmp_path) -> None:
    """Beside the map or below it, and it follows the point."""
    path = tmp_path / "report.html"
    write_leads(path, 12)
    with opened(browser, path, viewport={"width": width, "height": height}) as page:
        page.evaluate("document.getElementById('map').scrollIntoView()")
        note, answer = page.locator("#map-note"), page.locator("#answer")
        said = set()
        for gains in ([2, 2], [0, 2]):
            page.evaluate("gains => { cumgain.state = {gains}; }", gains)
            settled(page)
            boxes = [page.locator(view).bounding_box() for view in ("#map", "#map-note")]
            assert all(box["y"] >= -1 for box in boxes)
            assert all(box["y"] + box["height"] <= height for box in boxes)
            assert answer.bounding_box()["y"] < 0
            assert note.inner_text() == answer.inner_text()
            said.add(note.inner_text())
        assert len(said) == 2
