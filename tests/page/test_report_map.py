"""The map of weightings: its numbers are those of the engine, and its point is the weighting."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import parse_measure

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.measures import MEASURES, as_cumulated_gain
from pt_cumgain.page.report import SHOWN
from tests.page.test_report_numbers import NO_CONTROL, QRELS, RUNS, settings_for
from tests.support.browser import opened, settled
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


def one_may_be_best(measure) -> bool:
    """Whether `may_be_best` excludes all systems of RUNS but one."""
    each = pd.concat(
        pt_cumgain.evaluate([measure], QRELS, run).assign(name=name) for name, run in RUNS.items()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant differences
        return int(pt_cumgain.may_be_best(each)["may_be_best"].sum()) == 1


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
        assert lead["isAlone"] == (average == "topics" and one_may_be_best(measure))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(parameters(list(SHOWN), leave=(*NO_CONTROL, "gains")), st.integers(1, 30))
def test_each_point_is_that_of_the_map_in_python(page, drawn, cutoff) -> None:
    """Its leader and its means."""
    name, params = drawn
    measure = MEASURES[name](**params) @ cutoff
    levels = (1, 2, 4)
    frame = pt_cumgain.weighting_map(RUNS, None, QRELS, measure, levels=levels, points=13)
    points = frame[["t1", "t2", "t3"]].to_numpy().tolist()
    given = settings_for(measure, mapped="_".join(str(level + 2) for level in levels))
    leads = page.evaluate("([points, given]) => cumgain.leads(points, given)", [points, given])
    assert [list(RUNS)[lead["best"]] for lead in leads] == frame["best"].tolist()
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
    said = "This weighting gives a lower level more gain than a higher one, so it lies outside "
    said += "the map."
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
    assert note == "No level has a gain, so all systems are equal."


def test_levels_are_chosen_where_there_are_more_than_three(page, opposed) -> None:
    options = page.locator("#mapped option").all_inner_texts()
    assert options == ["1, 2, 3", "1, 2, 4", "1, 3, 4", "2, 3, 4"]
    assert page.locator("#mapped").is_visible()
    assert opposed.locator("#mapped").is_hidden()


def test_strips_say_who_is_best(opposed) -> None:
    """At rank 1 Y has the gain 3 and X the gain 1; X never catches up with 1 + 1."""
    strips = opposed.locator(".strip:visible")
    key = ", hatched: no test for one topic"
    assert strips.locator(".hint").all_inner_texts() == [f"Y at 5 ranks{key}"]
    opposed.evaluate("cumgain.state = {gains: [2, 2, 3]}")
    settled(opposed)
    assert strips.locator(".hint").all_inner_texts() == [f"X at 4 ranks, Y at 1 rank{key}"]
    assert strips.locator(".segments span").all_inner_texts() == ["Y", "X"]
    opposed.evaluate("cumgain.state = {measure: 'DCG', discount: 'revised'}")
    settled(opposed)
    assert strips.count() == 2
    box = strips.locator(".segments").first.bounding_box()
    opposed.mouse.click(box["x"] + box["width"] - 2, box["y"] + 14)
    assert opposed.evaluate("cumgain.state.k") == 5
    opposed.keyboard.press("ArrowLeft")
    assert opposed.evaluate("cumgain.state.k") == 4


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
            assert page.locator("#map-h").is_visible() == bool(corners)
            assert (
                page.locator(".strip:visible .hint").inner_text()
                == f"{'Y' if corners else 'X'} at 100 ranks, hatched: no test for one topic"
            )
            texts = page.locator("#map text").all_text_contents() if corners else []
            assert set(corners) <= set(texts)


def write_leads(path) -> None:
    """X gains about 1 more than Y where all levels gain 1, Y where the highest does; Z nothing.

    With the level itself, X leads by the first topics alone.
    """
    names = [str(topic) for topic in range(12)]
    qrels = {topic: {"a": 1, "b": 1, "c": 2, "d": 1} for topic in names}
    runs = {
        "X": {t: {"a": 2.0, "b": 1.0, **({"d": 0.5} if int(t) < 2 else {})} for t in names},
        "Y": {t: {"a" if t == "0" else "c": 1.0} for t in names},
    }
    pt_cumgain.report(runs, None, qrels, path=path, depth=5, measure="CG@5")


def test_the_map_is_muted_where_others_may_be_best_and_hatched_without_a_test(
    browser, tmp_path
) -> None:
    path = tmp_path / "page.html"
    write_leads(path)
    with opened(browser, path) as page:
        leads = page.evaluate("cumgain.leads([[1, 0], [0.5, 0.5], [0, 1]])")
        assert [(lead["best"], lead["isAlone"]) for lead in leads] == [
            *((0, True), (0, False), (1, True))
        ]
        key, none = "muted: other systems may also be best", "hatched: no test for this mean"
        assert page.locator("#map-legend li").last.inner_text() == key
        regions, alone = (
            page.locator(f"#map path.{kind}").evaluate_all(
                "all => all.map((it) => [...it.attributes.d.value.matchAll('M')].length)"
            )
            for kind in ("region", "alone")
        )
        assert len(regions) == len(alone) == 2
        assert all(
            0 < few < many for few, many in zip(alone, regions)
        )  # muted where they change places
        with page.expect_download() as download:
            page.locator("[data-svg=map]").click()
        picture = download.value.path().read_text("utf-8")
        assert f">{key}</text>" in picture
        page.select_option("#measure", "nCG")
        page.select_option("#average", "vectors")
        settled(page)
        assert page.locator("#map path.alone:not([d=''])").count() == 0
        assert page.locator("#map path[fill^=url]").count() == 1
        assert page.locator("#map-legend li").last.inner_text() == none
        assert page.locator(".segments.hatched").count() > 0


def test_labels_keep_their_distance_and_stay_within_or_outside(browser, qrels, tmp_path) -> None:
    """Texts of the map are 6 px apart, and none is across the outline."""
    path = tmp_path / "page.html"
    pt_cumgain.report(pydocs.runs(), None, qrels, path=path, measure="nDCG@100")
    with opened(browser, path) as page:
        page.locator("#map").scroll_into_view_if_needed()
        page.wait_for_function("page.isResting()")
        boxes = page.locator("#map text").evaluate_all(
            "all => all.map((one) => { const {x, y, width, height} = one.getBBox();"
            " return [x, y + 0.15 * height, x + width, y + 0.85 * height, one.textContent]; })"
        )
    assert {"PL2", "BM25", "QLD", "0-1-10-100"} <= {box[4] for box in boxes}
    for one, other in itertools.combinations(boxes, 2):
        across = max(one[0], other[0]) - min(one[2], other[2])
        down = max(one[1], other[1]) - min(one[3], other[3])
        assert max(across, down) >= 5.5, (one, other)


def test_a_name_stands_inside_its_region(browser, qrels, tmp_path) -> None:
    path = tmp_path / "page.html"
    runs = pydocs.runs()
    pt_cumgain.report(runs, None, qrels, path=path)
    look = """all => all.map((it) => {
      const {x, y, width, height} = it.getBoundingClientRect();
      const corners = [0, 1].flatMap((across) => [0.3, 0.7].map((down) =>
        document.elementsFromPoint(x + across * width, y + down * height)));
      return [it.textContent, ...corners.map((under) =>
        under.find((one) => one.matches(".region"))?.dataset.run)];
    })"""
    found = []
    with opened(browser, path, viewport={"width": 1366, "height": 900}) as page:
        page.locator("#map").scroll_into_view_if_needed()
        for measure, k in (("nDCG", 10), ("nDCG", 100), ("nDCG", 20), ("CG", 30)):
            page.evaluate("state => { cumgain.state = state; }", {"measure": measure, "k": k})
            settled(page)
            for name, *regions in page.locator("#map text").evaluate_all(look):
                if name in runs:
                    assert regions == [str(list(runs).index(name))] * 4
                    found.append(name)
    assert found == ["BM25", "PL2", "BM25", "QLD", "BM25", "QLD", "BM25", "QLD"]


def test_a_name_stands_aside_if_the_middle_of_its_region_is_taken(browser, tmp_path) -> None:
    """X leads everywhere, and the point is in the middle of the strip."""
    runs = {"X": {"q": {"a": 1.0, "b": 2.0}}, "Y": {"q": {"c": 1.0}}}
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, {"q": {"a": 1, "b": 2}}, path=path)
    with opened(browser, path) as page:
        page.locator("#map").scroll_into_view_if_needed()
        settled(page)
        assert "X" in page.locator("#map text").all_text_contents()


@pytest.mark.parametrize(
    ("text", "control", "settings"),
    [("nDCG(discount='original')@12", "base", [1.2, 2, 3.7]), ("nDCG@10", "cutoff", [1, 2, 17])],
)
def test_strips_are_muted_by_the_same_rule(page, text, control, settings) -> None:
    measure = as_cumulated_gain(parse_measure(text))
    of_page = {"base": "base", "cutoff": "k"}[control]
    leads = page.evaluate(
        "moved => cumgain.leadsAlong(...moved)", [of_page, settings, settings_for(measure)]
    )
    for lead, setting in zip(leads, settings):
        chosen = measure(**{control: setting})
        means = [pt_cumgain.evaluate([chosen], QRELS, run)["value"].mean() for run in RUNS.values()]
        assert lead["best"] == int(np.argmax(means))
        assert lead["isAlone"] == one_may_be_best(chosen)


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
    write_leads(path)
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
