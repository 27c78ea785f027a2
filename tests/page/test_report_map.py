"""The map of weightings and the strips: what they show, and what moves on them.

`test_report_numbers.py` compares their numbers with the engine's.
"""

import re

import numpy as np
import pytest

from pt_cumgain import pydocs
from tests.support.browser import change, saved, settled

#: X has documents of level 1, Y one of level 3: X is best if level 1 counts enough.
OPPOSED = {"X": {"q": {"a": 3.0, "b": 2.0}}, "Y": {"q": {"c": 3.0}}, "Z": {"q": {}}}
JUDGED = {"q": {"a": 1, "b": 1, "c": 3, "d": 2}}
LAPTOP = (1366, 768)


@pytest.fixture
def opposed(show):
    page = show(OPPOSED, JUDGED, "CG@5", depth=5, size=LAPTOP)
    page.locator("#map").scroll_into_view_if_needed()
    settled(page)
    return page


def place(page, point: list[float]) -> tuple[float, float]:
    """Where a point of the triangle is on the screen, from where its corners are named."""
    box = page.locator("#map").bounding_box()
    scale = box["width"] / 400
    x = 46 + 308 * (point[2] + point[1] / 2)
    y = 36 + 308 * np.sqrt(3) / 2 * (1 - point[1])
    return box["x"] + scale * x, box["y"] + scale * y


def gains(page) -> list[float]:
    settled(page)
    return page.evaluate("cumgain.state.gains")


def test_the_point_is_moved(opposed) -> None:
    """By a click, by keys, and by dragging: beyond the map it stays at its border."""
    opposed.mouse.click(*place(opposed, [0.25, 0.25, 0.5]))
    clicked = gains(opposed)
    assert clicked == pytest.approx([0.75, 1.5, 3], abs=0.05)
    assert opposed.locator("#gain-0").input_value() == str(clicked[0])
    opposed.locator("#map").focus()
    opposed.keyboard.press("ArrowUp")
    above = gains(opposed)
    assert above[0] < clicked[0]
    assert above[1] > clicked[1]
    opposed.keyboard.press("ArrowRight")
    assert gains(opposed)[1] < above[1]
    opposed.mouse.move(*place(opposed, [0.4, 0.2, 0.4]))
    opposed.mouse.down()
    opposed.mouse.move(*place(opposed, [-0.3, 0.7, 0.6]), steps=3)
    opposed.mouse.up()
    assert (gains(opposed)[0], gains(opposed)[2]) == (0, 3)


def test_weightings_outside_the_map_are_said_to_be(opposed) -> None:
    note = opposed.locator("#map-note")
    opposed.locator("#gain-0").fill("2.5")
    settled(opposed)
    said = "This weighting gives a lower level more gain than a higher one, so it lies outside "
    said += "the map."
    assert note.inner_text() == said
    opposed.locator("#gain-0").fill("1")
    settled(opposed)
    assert note.inner_text() == "Here, \u2068Y\u2069 leads \u2068X\u2069 by 1.000."
    assert opposed.locator("#point").count() == 1
    change(opposed, gains=[0, 0, 0])
    assert note.inner_text() == "No level has a gain, so all systems are equal."


@pytest.mark.parametrize(
    ("levels", "options", "corners"),
    [
        ([1], [], []),
        ([1, 2], [], ["0-1-1", "0-0-1"]),
        ([1, 2, 3], [], ["0-1-1-1", "0-0-1-1", "0-0-0-1"]),
        ([1, 2, 3, 4], ["1, 2, 3", "1, 2, 4", "1, 3, 4", "2, 3, 4"], []),
    ],
)
def test_levels_make_a_strip_or_a_triangle(levels, options, corners, show) -> None:
    """One level has no map; of two, the name is above the strip; of more, three are chosen."""
    qrels = {"q": {"none": 0, **{str(level): level for level in levels}}}
    runs = {name: {"q": {str(level): 1.0}} for name, level in zip("XY", (1, levels[-1]))}
    page = show(runs, qrels)
    has_map = len(levels) > 1
    assert page.locator("#map").is_visible() == has_map
    assert page.locator("#map-h").is_visible() == has_map
    assert page.locator("#mapped").is_visible() == bool(options)
    if options:
        assert page.locator("#mapped option").all_inner_texts() == options
        page.select_option("#mapped", "1_2_4")
        settled(page)
        assert page.locator("#merged").inner_text() == "(level 3 counts as level 2)"
        note = "This weighting is not on the map, on which level 3 counts as level 2."
        assert page.locator("#map-note").inner_text() == note
    hint = page.locator(".strip:visible .hint").inner_text()
    assert hint == f"{'Y' if has_map else 'X'}: 100 ranks; no test for one topic"
    assert set(corners) <= set(page.locator("#map text").all_text_contents())
    if len(levels) == 2:  # Y leads everywhere, and the point is in the middle
        page.locator("#map").scroll_into_view_if_needed()
        name, strip = (
            page.locator(f"#map {it}").last.bounding_box() for it in (".label", ".region")
        )
        assert page.locator("#map .label").text_content() == "Y"
        assert name["y"] + name["height"] <= strip["y"] + 2


def test_strips_say_who_is_best(opposed) -> None:
    """At rank 1 Y has the gain 3 and X the gain 1; X never catches up with 1 + 1."""
    strips = opposed.locator(".strip:visible")
    key = "; no test for one topic"
    assert strips.locator(".hint").all_inner_texts() == [f"Y: 5 ranks{key}"]
    change(opposed, gains=[2, 2, 3])
    assert strips.locator(".hint").all_inner_texts() == [f"X: 4 ranks; Y: 1 rank{key}"]
    assert strips.locator(".segments span").all_inner_texts() == ["Y", "X"]
    change(opposed, measure="DCG", discount="revised")
    assert strips.count() == 2
    box = strips.locator(".segments").first.bounding_box()
    opposed.mouse.click(box["x"] + box["width"] - 2, box["y"] + 14)
    assert opposed.evaluate("cumgain.state.k") == 5
    opposed.keyboard.press("ArrowLeft")
    assert opposed.evaluate("cumgain.state.k") == 4


def show_leads(show, **options):
    """X gains about 1 more than Y if all levels gain 1, Y if only the highest does; Z nothing.

    With the level itself, X leads by the first topics alone.
    """
    names = [str(topic) for topic in range(12)]
    qrels = {topic: {"a": 1, "b": 1, "c": 2, "d": 1} for topic in names}
    runs = {
        "X": {t: {"a": 2.0, "b": 1.0, **({"d": 0.5} if int(t) < 2 else {})} for t in names},
        "Y": {t: {"a" if t == "0" else "c": 1.0} for t in names},
    }
    return show(runs, qrels, "CG@5", depth=5, **options)


def test_the_map_is_muted_where_others_may_be_best(show) -> None:
    page = show_leads(show)
    leads = page.evaluate("cumgain.leads([[1, 0], [0.5, 0.5], [0, 1]])")
    found = [(lead["best"], lead["isAlone"]) for lead in leads]
    assert found == [(0, True), (0, False), (1, True)]
    keys = page.locator("#map-legend li").all_inner_texts()
    assert [re.sub(r"\d+%", "n%", key) for key in keys] == [
        "X: n%, best in n%", "Y: n%, best in n%", "best: shown at n%",
    ]  # fmt: skip
    for key in keys[:2]:
        share, certain = map(int, re.findall(r"(\d+)%", key))
        assert 0 < certain < share < 100
    regions, alone = (page.locator(f"#map path.{kind}") for kind in ("region", "alone"))
    assert (regions.count(), alone.count()) == (4, 2)  # each is muted where they change places
    assert f">{', '.join(keys)}</text>" in saved(page, "[data-svg=map]")


@pytest.mark.parametrize("size", [(1280, 768), (390, 844)])
def test_what_holds_at_the_point_is_in_sight_while_it_is_moved(size, show) -> None:
    """Beside the map or below it: the lead of the sentence, which is out of sight."""
    page = show_leads(show, size=size)
    page.evaluate("document.getElementById('map').scrollIntoView()")
    note, answer, said = page.locator("#map-note"), page.locator("#answer"), set()
    for weights in ([2, 2], [1, 2], [0, 2]):
        change(page, gains=weights)
        for view in (page.locator("#map"), note):
            box = view.bounding_box()
            assert box["y"] >= -2  # a page scrolls by whole pixels
            assert box["y"] + box["height"] <= size[1]
        assert answer.bounding_box()["y"] < 0
        here = note.inner_text().removeprefix("Here, ").removesuffix(".")
        without_mean = re.sub(r" \((mean )?[\d.]+\)", "", answer.inner_text())
        assert without_mean.startswith(here)
        said.add(here)
    assert len(said) == 3


@pytest.mark.parametrize("key", ["ArrowRight", "ArrowUp"])
def test_what_the_reader_moves_stays_where_it_is(key, show) -> None:
    """The sentence above becomes longer or shorter; the map with the focus does not move."""
    page = show_leads(show, size=(1280, 768))
    page.locator("#map").focus()
    settled(page)
    for gains_there in ([2, 2], [0, 2]):
        change(page, gains=gains_there)
        before, high = (page.locator(one).bounding_box() for one in ("#map", "#answer"))
        page.keyboard.press(key)
        change(page, gains=[1, 2])
        assert page.locator("#map").bounding_box()["y"] == pytest.approx(before["y"], abs=1)
        assert page.locator("#answer").bounding_box()["height"] != high["height"]


def test_names_stand_inside_their_regions(visit, written) -> None:
    """No name is across a border or over a number; paper has the same shares."""
    names = list(pydocs.runs())
    look = """all => all.map((it) => {
      const {x, y, width, height} = it.getBoundingClientRect();
      const corners = [0, 1].flatMap((across) => [0.3, 0.7].map((down) =>
        document.elementsFromPoint(x + across * width, y + down * height)));
      return [it.textContent, ...corners.map((under) => {
        const [top] = under.filter((one) => one.matches(".region, circle:has(title)"));
        return top?.dataset.run;
      })];
    })"""
    page, found = visit(written, size=(1366, 900)), []
    for measure, k in (("nDCG", 10), ("nDCG", 100), ("CG", 30), ("nDCG", 20)):
        page.locator("#map").scroll_into_view_if_needed()
        change(page, measure=measure, k=k)
        for name, *regions in page.locator("#map text.label").evaluate_all(look):
            assert regions == [str(names.index(name))] * 4
            found.append(name)
    assert found == ["BM25", "PL2", "BM25", "QLD", "BM25", "QLD", "BM25", "QLD"]
    shares = page.locator("#map-legend").inner_text()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#map-legend").inner_text() == shares


def test_borders_are_where_the_means_are_equal(show) -> None:
    """Of X, which has the level 1, and Y with 2, where 1 gains 0.5; between points of the lattice.

    X finds two documents for one of Y. With three for two, it is at 2 / 3.
    """
    for count, share in ((2, 1 / 2), (3, 2 / 3)):
        qrels = {"q": {**{f"a{i}": 1 for i in range(3)}, "c": 2, "d": 2}}
        runs = {"X": {"q": {f"a{i}": 1.0 for i in range(count)}}}
        runs["Y"] = {"q": dict.fromkeys("cd"[: count - 1], 1.0)}
        page = show(runs, qrels, "CG@5", depth=5)
        page.locator("#map").scroll_into_view_if_needed()
        settled(page)
        line = page.locator("#map path[stroke-linecap=round]").get_attribute("d")
        places = {float(x) for x in re.findall(r"[ML]([\d.]+)", line)}
        assert [*places] == pytest.approx([46 + 308 * (1 - share)], abs=0.06)


def test_every_circle_has_a_number_and_the_point_snaps_to_it(opposed, show) -> None:
    """Dragged to within 8 pixels of the circle 0-1-5, it has these gains, and not near ones."""
    page = show(OPPOSED, {"q": {"a": 1, "c": 2, "d": 0}}, "nDCG", depth=5)
    for one in (opposed, page):
        circles = one.locator("#map circle:has(title)").count()
        numbers = one.locator("#map text.number").all_text_contents()
        assert numbers == [str(i + 1) for i in range(circles)]
        assert one.locator("#map-dots b").all_inner_texts() == numbers
        assert circles >= 3
    page.locator("#map").evaluate("map => map.scrollIntoView()")
    circle = page.locator("#map circle:has(title)").filter(has_text="0-1-5").bounding_box()
    x, y = circle["x"] + circle["width"] / 2, circle["y"] + circle["height"] / 2
    page.mouse.move(x - 60, y)
    page.mouse.down()
    page.mouse.move(x - 20, y, steps=3)
    assert page.evaluate("cumgain.state.gains") != [0, 1, 5]
    page.mouse.move(x + 6, y + 4, steps=3)
    page.mouse.up()
    assert gains(page) == [0, 1, 5]
    assert page.locator("#text").inner_text() == "nDCG(gains='0-1-5')@5"
