"""What a reader does with a page in a browser, and how it looks."""

import io
import re
import xml.etree.ElementTree as ET

import ir_measures
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import pt_cumgain
from pt_cumgain import plots, pydocs
from pt_cumgain.page.report import Report
from tests.support.browser import change, next_frame, opened, saved, settled
from tests.support.helpers import evaluate_runs

#: Scores that tests draw contradict the ranks, which stay; hostile ids have rising scores.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

HOSTILE = {
    "script": '</script><script>window.harmed = "script"</script>',
    "image": "\"'><img src=x onerror=\"window.harmed = 'image'\">",
    "rtl": "מערכת \u202e אחזור",
    "long": "a system with a long name " * 12,
    "whole": "x" * 300,
    "template": "{{data}} ${window.harmed = 1} \u2028",
}
PHONE, LAPTOP = (390, 844), (1366, 768)


def state(page) -> dict:
    return page.evaluate("cumgain.state")


def text(page) -> str:
    """Return the measure that the page shows."""
    return page.locator("#text").inner_text()


def slide(page, slider: str, to: float) -> None:
    """Move a slider as a pointer does: it says so after each step."""
    page.locator(slider).evaluate(
        "(it, to) => { it.value = to; it.dispatchEvent(new Event('input', {bubbles: true})); }", to
    )
    next_frame(page)


def read_csv(page, name: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(saved(page, f"[data-csv={name}]")), dtype={"qid": str})


def model(name: str) -> str:
    """Return the script that finds a model of Bokeh's."""
    return f"Bokeh.documents.map((it) => it.get_model_by_name('{name}')).find(Boolean)"


def scroll_to(page, view: str) -> dict:
    """Scroll to a view and return its box, once it is drawn."""
    page.locator(view).scroll_into_view_if_needed()
    settled(page)
    return page.locator(view).bounding_box()


def draw_runs(scales: list[float], name: str = "s") -> dict[str, pd.DataFrame]:
    """BM25's run with noise of these scales on its scores, by name and number."""
    rng = np.random.default_rng(0)
    base = pydocs.runs()["BM25"]
    noise = {f"{name}{i}": rng.normal(0, scale, len(base)) for i, scale in enumerate(scales)}
    return {run: base.assign(score=base["score"] + added) for run, added in noise.items()}


def test_sliders_and_schemes_move_everything(page) -> None:
    assert page.locator("h2").all_inner_texts() == [
        "Ranking of the systems at rank 10", "Where each system has the highest mean",
        "Gain by rank", "Topics",
    ]  # fmt: skip
    before = page.locator("#order").inner_text()
    slide(page, "#gain-slider-3", 1)
    assert state(page)["gains"][3] == 10
    assert page.locator("#gain-3").input_value() == "10"
    assert text(page) == "nDCG(gains='0-1-2-10')@10"
    settled(page)
    assert page.locator("#order").inner_text() != before
    slide(page, "#k-slider", 3)
    assert text(page) == "nDCG(gains='0-1-2-10')@3"
    page.select_option("#discount", "revised")
    slide(page, "#base-slider", 1)
    assert text(page) == "nDCG(gains='0-1-2-10',discount='revised',base=20)@3"
    slide(page, "#gain-slider-3", 0)
    assert state(page)["gains"][3] == 0
    page.click("#reset")
    for name, gains in (("0-1-10-100 (IPM 2005, TOIS 2002)", "0-1-10-100"), ("2^level − 1", "exp")):
        page.select_option("#preset", label=name)
        assert text(page) == f"nDCG(gains='{gains}')@10"


def test_a_number_counts_once_it_is_valid(page) -> None:
    """A base of 1 and a rank beyond the depth are on the way to others, or mistakes."""
    page.select_option("#discount", "original")
    page.locator("#base").fill("1")
    page.locator("#k").fill("1000")
    assert (state(page)["base"], state(page)["k"]) == (2, 10)
    assert page.locator("#base").input_value() == "2"  # what counts, once the reader has left it
    page.locator("#base").fill("1.5")
    page.locator("#gain-3").fill("-1")  # no measure that is normalised has negative gains
    assert text(page) == "nDCG(discount='original',base=1.5)@10"
    page.select_option("#measure", "CG")
    page.locator("#gain-3").fill("-1")
    assert text(page) == "CG(gains='3:-1')@10"
    page.select_option("#measure", "nCG")
    assert text(page) == "nCG(gains='0-1-2-0')@10"
    look = "getComputedStyle(document.getElementById('k')).outlineStyle"
    page.evaluate("document.getElementById('k').value = ''")
    assert page.evaluate(look) == "solid"
    page.evaluate("document.body.classList.remove('ready')")
    assert page.evaluate(look) == "none"  # nothing is red before the script has run


def test_a_level_below_0_has_a_slider_that_reaches_both_ways(show) -> None:
    """Unless the measure is normalised, which has no negative gains."""
    page = show({"X": {"q": {"a": 1.0}}}, {"q": {"a": -1, "b": 2}}, "CG@1")
    slide(page, "#gain-slider-0", -0.5)
    assert state(page)["gains"] == [-5, 2]
    assert page.evaluate("cumgain.values().systems[0].mean") == -5
    page.select_option("#measure", "nCG")
    assert page.locator("#gain-slider-0").get_attribute("min") == "0"


def test_labels_that_are_not_whole_have_a_measure_that_can_be_computed(show) -> None:
    """The text that the page shows has the mean that the page shows."""
    run, qrels = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1.5, "b": 0.5}}
    page = show({"X": run}, qrels, "nDCG(gains='level')@2")
    assert text(page) == "nDCG(gains='level')@2"
    host = ir_measures.calc_aggregate([ir_measures.parse_measure(text(page))], qrels, run)
    assert [*host.values()] == pytest.approx([page.evaluate("cumgain.values().systems[0].mean")])


def test_controls_by_keyboard(page) -> None:
    before = page.evaluate("location.hash")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link that skips the settings
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.evaluate("location.hash") == before
    page.locator("#k-slider").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert state(page)["k"] == 11
    reader = page.locator("#curves-reader")
    reader.focus()
    page.keyboard.press("ArrowLeft")
    assert "rank 10" in page.locator("#curves-readout").inner_text()
    said = reader.get_attribute("aria-valuetext")  # to screen readers
    assert said.startswith("rank 10, BM25")
    page.locator("#topics-reader").focus()
    page.keyboard.press("ArrowRight")
    second = page.locator("#topics-table tbody tr").nth(1).locator("th, td").all_inner_texts()
    topic, words, difference, value, base = second[:5]
    read = f"{topic} {words}\n{difference}: {value}, baseline {base}"
    assert page.locator("#topics-readout").inner_text() == read
    page.keyboard.press("Enter")  # on the bar
    settled(page)
    assert page.locator("tr.chosen [data-topic]").inner_text() == topic
    assert page.evaluate("document.activeElement.id") == "ranking-h"
    page.locator("#topics-table [data-topic]").first.focus()
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate("document.activeElement.id") == "ranking-h"
    page.select_option("#measure", "DCG")  # the slider says nothing of what is no longer shown
    settled(page)
    assert (reader.input_value(), reader.get_attribute("aria-valuetext")) == ("11", None)


@pytest.mark.parametrize("width", [390, 1200])
def test_what_has_the_focus_is_in_sight(width: int, visit, written) -> None:
    """No stop is under a panel that stays, and a chart is one stop, not two."""
    page = visit(written, size=(width, 700))
    look = """() => {
      const it = document.activeElement, box = it.getBoundingClientRect();
      if (it === document.body) return null;
      const inside = (from, size) => from + Math.min(size / 2, 8);
      const top = document.elementFromPoint(
        inside(box.left, box.width), inside(box.top, box.height));
      return [it.outerHTML.slice(0, 100), Boolean(it.shadowRoot?.activeElement),
              top !== null && (it.contains(top) || top.contains(it))];
    }"""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    stops = 0
    for _ in range(300):
        page.keyboard.press("Tab")
        if (looked := page.evaluate(look)) is None:
            break
        stops += 1
        assert looked[1:] == [False, True], looked[0]
    assert stops > 50


def test_on_a_phone_the_settings_are_one_bar(visit, written) -> None:
    page = visit(written, size=PHONE)
    closed = page.locator("#controls").bounding_box()
    assert closed["height"] < 100
    assert closed["y"] + closed["height"] == 844
    row, slider = (page.locator(one).bounding_box() for one in ("#bar", "#bar .slider"))
    assert slider["width"] == row["width"]
    assert page.locator("#measure").is_visible()
    assert page.locator("#k").is_visible()
    assert page.locator("#discount").is_hidden()
    page.locator("#unfold").click()
    assert page.locator("#unfold").get_attribute("aria-expanded") == "true"
    page.get_by_text("Discount", exact=True).first.click()
    assert page.locator("#discount").is_visible()
    opened_ = page.locator("#controls").bounding_box()
    assert opened_["height"] <= 0.4 * 844
    answer = page.locator("#answer").bounding_box()
    assert answer["y"] + answer["height"] < opened_["y"]
    assert page.locator("#curves-legend").get_attribute("class") == "legend"
    names = page.locator("#curves-legend bdi").all_inner_texts()
    assert set(names) == set(pydocs.runs())


def test_the_settings_are_no_higher_than_the_screen(page) -> None:
    """Once the page is scrolled; the baseline is in sight from the beginning."""
    for height in (720, 768, 1080):
        page.set_viewport_size({"width": 1366, "height": height})
        page.evaluate("scrollTo(0, 0)")
        box = page.locator("#baseline").bounding_box()
        assert box["y"] + box["height"] < height
        page.locator("#topics").scroll_into_view_if_needed()
        controls = page.locator("#controls").bounding_box()
        assert controls["y"] >= 0
        assert controls["y"] + controls["height"] <= height
        inside = page.evaluate(
            """[...document.querySelectorAll('#controls *')].filter((it) =>
                 ['auto', 'scroll'].includes(getComputedStyle(it).overflowY)).length"""
        )
        assert inside == 0  # the list of systems has no scrollbar of its own


def test_the_address_holds_the_view(page, visit, written) -> None:
    page.select_option("#ties", "average")
    page.select_option("#baseline", "2")
    page.select_option("#system", "3")
    page.locator("#shown input").nth(1).uncheck()
    page.locator("#topics-table [data-topic]").nth(2).click()
    slide(page, "#k-slider", 7)
    settled(page)
    other = visit(written, page.evaluate("location.hash"))
    assert state(other) == state(page)
    assert other.locator("#order").inner_text() == page.locator("#order").inner_text()
    for link, shown in (
        ("measure=CG&k=4", "CG@4"),
        ("measure=DCG&k=5&base=3&discount=revised", "DCG(discount='revised',base=3)@5"),
        ("measure=DCG&k=5", "DCG@5"),  # what it leaves out is as in a measure's text
    ):
        other.evaluate("link => { location.hash = link; }", link)
        other.wait_for_function("shown => cumgain.text() === shown", arg=shown)
        assert text(other) == shown


@pytest.mark.parametrize(
    "fragment",
    [
        "#measure=nDCG&gains=x_&base=-3&k=1e9&topic=99999&baseline=-1&system=zz&control=%3Cb%3E",
        "#measure=%3Cscript%3E&shown=77&scale=3",
        "#measure=DCG&gains=0_1e308_2_Infinity&top=Infinity&log=true&sort=level0",
        "#nothing",
    ],
)
def test_an_address_that_makes_no_sense_does_no_harm(fragment, visit, written) -> None:
    page = visit(written, fragment)
    now = state(page)
    assert 1 <= now["k"] <= 100
    assert now["base"] > 1
    assert (now["discount"], now["ties"]) == ("log2", "doc_id")
    assert any(now["shown"])
    assert page.locator("#order tbody tr").count() >= 1


@pytest.mark.parametrize(
    ("names", "unknown"),
    [
        ("discount=line", "discount line"),
        ("discount=__proto__", "discount __proto__"),
        ("ties=toString", "rule for ties toString"),
        ("sort=level2", "order level2"),
    ],
)
def test_an_address_with_an_unknown_name_is_refused(names, unknown, visit, written) -> None:
    """Another measure's values in its place would be taken for those that the link promises."""
    words = f"This link cannot be shown: the page does not know the {unknown}."
    page = visit(written, f"#measure=DCG&k=4&{names}")
    said = page.locator("#copied")
    assert said.inner_text() == words
    assert text(page) == "nDCG@10"
    page.evaluate("location.hash = '#measure=CG&k=4'")
    page.wait_for_function("cumgain.text() === 'CG@4'")
    assert said.inner_text() == ""
    settled(page)  # or the page writes its own address over the next one
    page.evaluate("hash => { location.hash = hash; }", f"#measure=DCG&k=3&{names}")
    page.get_by_text(words).wait_for()
    assert page.evaluate("cumgain.text()") == "CG@4"


def test_the_measure_is_copied_or_shown(visit, written) -> None:
    page = visit(written, permissions=["clipboard-read", "clipboard-write"])
    page.click("#copy")
    assert page.evaluate("navigator.clipboard.readText()") == "nDCG@10"
    page.click("#link")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(written.as_uri() + "#measure=nDCG&gains=")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.click("#copy")
    page.get_by_text("Copy this text: nDCG@10").wait_for()


def test_tables_and_pictures_are_saved(page, topics, qrels) -> None:
    runs, order = pydocs.runs(), read_csv(page, "order")
    results = pt_cumgain.trust.gain_by_level(runs, topics, qrels, "nDCG@10")
    expected = results.pivot(index="name", columns="level", values="value").loc[order["name"]]
    for level in (1, 2, 3):
        np.testing.assert_allclose(order[f"level {level}"], expected[level], atol=1e-12)
    assert order["mean"].is_monotonic_decreasing
    means = pt_cumgain.intervals(evaluate_runs("nDCG@10", qrels, runs)).set_index("name")
    ends = ["mean", "low", "high"]
    np.testing.assert_allclose(order[ends], means.loc[order["name"], ends], atol=1e-12)
    expected = pt_cumgain.gain_curves(runs, topics, qrels, "nDCG", interval=True)
    merged = read_csv(page, "curves").merge(expected, on=["name", "rank"], suffixes=("", "_too"))
    assert len(merged) == len(expected)
    for column in ("value", "low", "high", "ideal"):
        np.testing.assert_allclose(merged[column], merged[f"{column}_too"], atol=1e-9)
    each = read_csv(page, "topics")
    assert each["difference"].is_monotonic_decreasing
    table = pt_cumgain.trust.topic_table(runs, topics, qrels, "nDCG@10").set_index("qid")
    assert each.set_index("qid")["R"].to_dict() == table["R"].to_dict()
    assert set(each["query"]) == set(topics["query"])
    for name in ("differences", "curves", "map", "topics"):
        picture = saved(page, f"[data-svg={name}]")
        parts = ET.fromstring(picture)
        assert parts.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(parts.iter())) > 25
        if name in ("differences", "curves"):
            assert all(f">{system}</text>" in picture for system in runs)
            assert ">nDCG at the ranks 1 to 100, 42 topics</text>" in picture
        else:
            assert "nDCG@10" in picture
            assert ('paint-order="stroke"' in picture) == (name == "map")  # as on the screen


def test_no_cell_of_a_saved_table_is_a_formula(show) -> None:
    """A program for sheets would compute it; numbers stay numbers."""
    run = {"q": {"b": 2.0, "a": 1.0}}
    runs = {"=1+1": run, "@x": {"q": {"a": 1.0}}, "+y": run, "-z": run}
    page = show(runs, {"q": {"a": 1, "b": -1}}, "CG@2")
    assert set(read_csv(page, "order")["name"]) == {"'=1+1", "'@x", "'+y", "'-z"}
    change(page, gains=[-3, 1])
    assert read_csv(page, "order")["mean"].min() == -2


def test_the_pointer_reads_values_and_emphasises(page, topics, qrels) -> None:
    box = scroll_to(page, "#curves")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    readout = page.locator("#curves-readout")
    readout.wait_for(state="visible")
    rank = int(re.match(r"rank (\d+)", readout.inner_text())[1])
    curves = pt_cumgain.gain_curves(pydocs.runs(), topics, qrels, "nDCG")
    best = curves[curves["rank"] == rank]["value"].max()
    assert f"{best:.3f} [" in readout.inner_text()
    page.mouse.move(0, 0)
    readout.wait_for(state="hidden")
    row = page.locator("#order tbody tr").nth(1)
    row.hover()
    marked = page.locator(".lit").evaluate_all("all => all.map((one) => one.dataset.run)")
    assert len(marked) >= 3  # its row, its name at the curve's end, and among the settings
    assert set(marked) == {row.get_attribute("data-run")}
    page.mouse.move(0, 0)
    assert page.locator(".lit").count() == 0


def test_only_the_chosen_difference_has_a_band(visit, written) -> None:
    """The means have none; names at the ends have the order of the values, none on another."""
    page = visit(written, size=LAPTOP)
    for name, count in (("differences", 1), ("curves", 0)):
        assert page.evaluate(f"{model(name + '-bands')}.data.xs.length") == count
    (colour,) = page.evaluate(f"{model('differences-bands')}.data.color")
    assert colour == pt_cumgain.plots.COLOURS[list(pydocs.runs()).index("QLD")]
    box = scroll_to(page, "#differences")
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    readout = page.locator("#differences-readout")
    readout.wait_for(state="visible")
    rank = page.evaluate(f"{model('differences-pointed')}.location")
    assert readout.inner_text().startswith(f"rank {rank}\n")
    over = readout.bounding_box()
    for name in page.locator("#differences-legend li").all():
        one = name.bounding_box()
        assert (
            over["x"] + over["width"] <= one["x"]
            or one["y"] + one["height"] <= over["y"]
            or one["y"] >= over["y"] + over["height"]
        )
    assert page.locator("#curves-legend").get_attribute("class") == "ends"
    last = page.evaluate("cumgain.curves().systems.map(({mean}) => mean.at(-1))")
    order = [list(pydocs.runs())[i] for i in np.argsort(-np.array(last))]
    assert page.locator("#curves-legend bdi").all_inner_texts() == order
    tops = [li.bounding_box()["y"] for li in page.locator("#curves-legend li").all()]
    assert min(np.diff(tops)) >= 13


def test_systems_are_chosen_and_compared(page) -> None:
    """The charts follow; one that becomes the baseline is compared with the old one."""
    scroll_to(page, "#curves")
    for button, count in (("baseline", 1), ("all", 5)):
        page.click(f"[data-show={button}]")
        settled(page)
        for name in ("differences", "curves"):
            assert page.evaluate(f"{model(name + '-lines')}.data.xs.length") == count
        assert page.locator("#order tbody tr").count() == count
    page.select_option("#system", "3")
    page.select_option("#baseline", "3")
    assert (state(page)["baseline"], state(page)["system"]) == (3, 0)
    page.locator("#order [data-system='3']").click()  # the baseline's name
    assert (state(page)["baseline"], state(page)["system"]) == (3, 0)
    assert page.locator("#system option:disabled").get_attribute("value") == "3"
    top = f"{model('curves')}.y_range.end"
    assert page.evaluate(top) < 0.95  # the ideal of a share takes no room
    assert page.locator("#with-ideal").is_hidden()
    page.select_option("#measure", "DCG")
    settled(page)
    assert page.locator("#with-ideal").is_visible()
    assert page.evaluate(top) > page.evaluate("Math.max(...cumgain.curves().ideal)")


#: The colours of the lines in the table of the systems, by the place of the system in the data.
STROKES = """Object.fromEntries([...document.querySelectorAll('#order tr[data-run]')].map((it) =>
  [it.dataset.run, it.querySelector('line').getAttribute('stroke')]))"""
GREY = "#b0b4b8"  # page.css's --grey


def test_a_system_has_one_colour_on_the_page_and_in_figures(show, qrels) -> None:
    """In the map, the strips and the lines: both take styles; the figure has another order."""
    runs = draw_runs([0.3] * 8)
    curves = pt_cumgain.gain_curves(runs, None, qrels, "nDCG", 5)
    styles = plots.style_systems(sorted(runs))
    figure = plots.plot_curves(curves, styles=styles, highlight=sorted(runs), figsize=(9, 9))
    drawn = {line.get_label(): to_hex(line.get_color()) for line in figure.axes[0].get_lines()}
    page = show(dict(reversed(runs.items())), qrels, styles=styles)
    scroll_to(page, "#map")
    areas = page.locator("#map path[data-run]").evaluate_all(
        "all => all.map((it) => `${it.dataset.run} ${it.classList} ${it.getAttribute('fill')}`)"
    )
    assert len(set(areas)) == len(areas) > 1  # muted where others may be best
    lines = page.evaluate(STROKES)
    assert len(set(lines.values())) == 8
    for run, stroke in lines.items():  # mixed with ink as far as a contrast of 3:1 takes
        colour, ink = drawn[f"s{7 - int(run)}"].replace("#000000", "#1b1b1b"), np.full(3, 0x1B)
        seen, of_figure = (
            np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in (stroke, colour)
        )
        steps = (of_figure + (ink - of_figure) * (1 - 0.9**n) for n in range(12))
        assert any(np.abs(seen - step).max() <= n for n, step in enumerate(steps)), run


def test_of_many_systems_eight_have_colours(show, qrels) -> None:
    """The two that are compared and the best others, no two of them the same."""
    page = show(draw_runs([i / 20 for i in range(36)]), qrels)
    assert page.locator("[data-more=order]").inner_text() == "14 of 36, show all"
    page.locator("[data-more=order]").click()
    page.mouse.move(0, 0)  # from a row, which would be emphasised
    means = page.evaluate("cumgain.values().systems.map(({mean}) => mean)")
    best = [str(run) for run in np.argsort(-np.array(means), kind="stable")]
    for compared in (best[:2], [best[8], best[16]], [best[20], best[0]]):
        change(page, baseline=int(compared[0]), system=int(compared[1]))
        lines = page.evaluate(STROKES)
        coloured = {run: colour for run, colour in lines.items() if colour != GREY}
        assert set(coloured) == {*compared, *[one for one in best if one not in compared][:6]}
        assert len(set(coloured.values())) == 8
    shown = [str(run) in {best[0], best[8]} for run in range(36)]  # of one colour among the 36
    change(page, baseline=int(best[0]), system=int(best[8]), shown=shown)
    assert len({*page.evaluate(STROKES).values()} - {GREY}) == 2


def test_topics_are_searched_sorted_and_opened(page) -> None:
    listed = page.locator("#topics-table tbody th")
    page.locator("#topics-table [data-more]").click()
    assert state(page)["topic"] is None  # a click there opens no topic
    first = listed.all_inner_texts()
    assert len(first) == 42
    page.locator("#find").fill("table")
    found = listed.all_inner_texts()
    assert 1 < len(found) < len(first)
    assert found == [topic for topic in first if topic in found]
    page.locator("[data-sorttopics=recall]").click()
    settled(page)
    recall = [int(text) for text in page.locator("#topics-table td:nth-child(6)").all_inner_texts()]
    assert recall == sorted(recall, reverse=True)
    page.locator("#unfilter").click()
    settled(page)
    assert listed.count() == len(first)
    row = page.locator("#topics-table tbody tr").nth(9)
    row.locator("td").last.click()  # anywhere in the row
    settled(page)
    assert row.get_attribute("class") == "chosen"
    assert state(page)["topic"] == int(row.locator("[data-topic]").get_attribute("data-topic"))
    assert page.evaluate("document.activeElement.id") == "ranking-h"


def test_a_topic_opens_its_rankings(page, written, qrels) -> None:
    """A click on a bar opens the topic; the cells are the labels of what the run has there."""
    box = scroll_to(page, "#topics")
    page.mouse.click(box["x"] + 75, box["y"] + 30)
    page.wait_for_function("cumgain.state.topic !== null")
    settled(page)
    first = page.locator("#topics-table tbody tr").first
    assert first.get_attribute("class") == "chosen"
    qid = first.locator("[data-topic]").inner_text()
    labels = qrels[qrels["qid"] == qid].set_index("docno")["label"]
    for name, run in pydocs.runs().items():
        ranked = run[run["qid"] == qid].sort_values(["score", "docno"], ascending=False)
        expected = [str(labels.get(doc, "·")) for doc in ranked["docno"][:20]]
        row = page.locator("#ranking tbody tr").filter(has=page.locator(f'bdi:text-is("{name}")'))
        cells = row.locator("td:not(.value)").all_inner_texts()
        assert cells[: len(expected)] == expected
    assert page.locator("#ranking thead .last").all_inner_texts() == ["10"]
    assert "the line follows rank 10." in page.locator("#ranking-note").inner_text()
    assert page.locator("#pair").is_hidden()  # without documents, the page has no ids
    assert qrels["docno"].iloc[0] not in written.read_text("utf-8")


def test_documents_of_equal_score_are_underlined(show) -> None:
    """All of a block, if one of them is judged; the page does not know of other blocks."""
    run = {"q": {"u": 3.0, "t": 3.0, "a": 2.0, "v": 2.0, "c": 2.0, "d": 1.0, "w": 0.5}}
    qrels, runs = {"q": {"a": 2, "c": 0, "d": 1}}, {"X": run, "Y": {"q": {"d": 1.0}}}
    fragment = "#measure=nDCG&k=5&topic=0&system=0&baseline=1"
    page = show(runs, qrels, "nDCG", fragment=fragment, documents=True, depth=7)
    for view in ("#ranking tbody tr:has(bdi:text-is('X'))", "#pair tbody td:nth-child(2)"):
        cells = page.locator(f"{view} .level")
        assert cells.all_inner_texts() == ["·", "·", "·", "0", "2", "1", "·"]
        tied = cells.evaluate_all("all => all.map((one) => one.classList.contains('tied'))")
        assert tied == [False, False, True, True, True, False, False]
    assert page.locator("#ranking tbody .last").count() == 3  # the ideal and Y end before rank 5
    ids = page.locator("#pair tbody td:nth-child(2) bdi").all_inner_texts()
    assert ids == ["u", "t", "v", "c", "a", "d", "w"]


def test_two_rankings_of_a_topic_are_side_by_side(show, topics, qrels) -> None:
    """The ids, levels and ranks are those of the runs; the documents of both are joined."""
    runs, topic = pydocs.runs(), topics["qid"].tolist().index("9")
    fragment = f"#measure=nDCG&k=10&baseline=0&system=2&topic={topic}"
    page = show(runs, qrels, topics=topics, fragment=fragment, documents=True, depth=30)
    names = [page.locator("#pair th.name").nth(side).inner_text() for side in (0, 1)]
    assert names == ["PL2", "BM25"]
    labels = qrels[qrels["qid"] == "9"].set_index("docno")["label"]
    listed = []
    for name in names:
        ranked = runs[name].sort_values(["score", "docno"], ascending=False)
        listed.append(ranked[ranked["qid"] == "9"]["docno"].tolist()[:30])
    for side, (docs, other) in enumerate(zip(listed, reversed(listed))):
        cells = page.locator("#pair tbody tr").evaluate_all(
            "(rows, side) => rows.map((row) => { const all = row.querySelectorAll('div');"
            " const of = (tag) => all[side].querySelector(tag);"
            " return [of('bdi').title, of('.level').textContent, of('small').textContent]; })",
            side,
        )
        assert cells == [
            [doc, str(labels.get(doc, "·")), str(other.index(doc) + 1 if doc in other else "–")]
            for doc in docs[:20]
        ]
    joined = {*listed[0][:20]} & {*listed[1][:20]}
    assert page.locator("#pair path").count() == len(joined) > 5
    assert page.locator("#pair [rowspan] svg").bounding_box()["height"] == 20 * 24
    assert page.locator("#pair .last > th").inner_text() == "10"


def test_one_system_one_topic(show) -> None:
    """Nothing to compare, nothing to infer: the page says so instead of numbers."""
    page = show({"X": {"q": {"a": 1.0}}}, {"q": {"a": 1, "b": 2}}, "nDCG", depth=1)
    assert "A single topic has no intervals" in page.locator("#about").inner_text()
    assert "only one system" in page.locator("#topics-note").inner_text()
    for part in ("#topics", "#marks", "#differences"):
        assert page.locator(part).is_hidden()
    assert "NaN" not in page.locator("body").inner_text()


def test_fingers_scroll_and_drag_the_point(visit, written) -> None:
    page = visit(written, size=PHONE, has_touch=True, is_mobile=True)
    touches = page.context.new_cdp_session(page)

    def swipe(x: float, y: float, right: float, down: float) -> None:
        def touch(kind: str, *points: dict) -> None:
            touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", {"x": x, "y": y})
        for i in range(1, 11):
            touch("touchMove", {"x": x + right * i / 10, "y": y + down * i / 10})
        touch("touchEnd")
        settled(page)

    for view in ("#map", "#curves", "#topics"):
        box, before = scroll_to(page, view), page.evaluate("scrollY")
        swipe(box["x"] + 120, box["y"] + 200, 0, -120)
        page.wait_for_function("before => scrollY > before + 50", arg=before)
    assert state(page)["gains"] == [0, 1, 2, 3]
    assert page.locator("#topics-table tbody tr").count() == 7 + 1 + 7
    scroll_to(page, "#map")
    box = page.locator("#point").bounding_box()
    swipe(box["x"] + 8, box["y"] + 8, 20, -40)
    assert state(page)["gains"] != [0, 1, 2, 3]


def test_a_page_whose_script_fails_says_so(browser, written) -> None:
    around = browser.new_context()
    around.add_init_script("delete window.DecompressionStream")
    page = around.new_page()
    page.goto(written.as_uri())
    page.locator("#failed").wait_for(state="visible")
    assert "The page needs a browser from 2023 or later." in page.locator("#failed").inner_text()
    assert page.locator("h1").is_visible()
    for part in ("#answer", "#controls", "#order", "#curves", "#about", ".skip"):
        assert page.locator(part).is_hidden()
    around.close()


def test_in_a_notebook_it_moves(browser, written, tmp_path) -> None:
    around = tmp_path / "notebook.html"
    shown = Report(str(written))._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    around.write_text(f"<body>{shown}</body>", "utf-8")
    with opened(browser, around, ready=False) as page:
        frame = page.frames[1]
        frame.evaluate("page.ready")
        slide(frame, "#k-slider", 5)
        assert text(frame) == "nDCG@5"
        settled(frame)


def test_ids_and_texts_do_no_harm(show) -> None:
    """And no part is wider than the screen."""
    names = list(HOSTILE.values())
    qrels = {name: {"a": 1, "b": 2, "c": 0} for name in names}
    runs = {
        name: {topic: {"a": float(i), "b": 2.0, **dict.fromkeys(names, 3.0)} for topic in names}
        for i, name in enumerate(names)
    }
    texts = pd.DataFrame({"qid": names, "query": names[::-1]})
    page = show(runs, qrels, topics=texts, title=" ".join(names), documents=True)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.locator("#topics-table [data-topic]").first.click()
    page.select_option("#system", "3")
    for width in (375, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        settled(page)
        assert page.locator("#pair bdi").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.harmed") is None
    shown = page.locator("#order bdi")
    assert shown.first.get_attribute("title") in names
    assert len(set(shown.all_inner_texts())) == len(names)
    ET.fromstring(saved(page, "[data-svg=map]"))
    ET.fromstring(saved(page, "[data-svg=curves]"))
    assert set(read_csv(page, "order")["name"]) == set(names)


def test_no_column_moves_when_places_change(page) -> None:
    """Nor does a row become higher; the heads are in line."""
    look = """[...document.querySelectorAll('#order td')].map((it) => {
        const {x, height} = it.getBoundingClientRect(); return [x, height]; })"""
    before = page.evaluate(look)
    change(page, gains=[0, 1, 10, 1], k=20)
    assert "was" in page.locator("#order tbody").inner_text()
    assert np.abs(np.subtract(page.evaluate(look), before)).max() < 4  # digits have widths
    tops = page.locator("#order thead button").evaluate_all(
        """all => all.map((it) => { const range = document.createRange();
             range.selectNodeContents(it); return range.getBoundingClientRect().top; })"""
    )
    assert np.ptp(tops) < 1


def test_in_print_there_are_no_controls(visit, written) -> None:
    page = visit(written, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator("#controls").is_hidden()
    assert page.locator("[data-csv=order]").is_hidden()
    assert page.locator("#text").is_visible()
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for name in ("differences", "curves", "topics"):
        picture = page.locator(f"#{name}-printed > svg")
        assert picture.is_visible()
        assert picture.locator("> rect").get_attribute("fill") == "#ffffff"
        if name != "topics":
            texts = picture.locator("> g > text").all_text_contents()
            assert set(texts) == {*pydocs.runs(), "nDCG at the ranks 1 to 100, 42 topics"}
    hint = page.locator("#topics-note").inner_text()
    assert "Mean difference" in hint
    assert "Click" not in hint + page.locator("#map-hint").inner_text()
    assert page.locator("#topics-table tbody th").count() == 42
    heads = page.locator("#topics-table thead th").all_inner_texts()
    assert {"BM25", "QLD"} < set(heads)  # not "value" and "baseline"
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ground) == "rgb(21, 23, 26)"  # dark again


@pytest.mark.parametrize("count", [12, 20])
def test_many_runs_are_printed_on_two_pages(count, show, topics, qrels) -> None:
    """Expected: the number of pages in the PDF that Chromium prints, and texts of 6.5 pt.

    The foot follows the last topic, in the column of topics that is shorter.
    """
    runs = draw_runs([i / 9 for i in range(count)], "run_2020_model_v" if count == 12 else "s")
    page = show(runs, qrels, topics=topics, size=LAPTOP)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#listed > #topics-table + footer").count() == 1
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    assert page.locator("body > footer").count() == 1  # on the screen again
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
    least = page.evaluate(
        """Math.min(...[...document.querySelectorAll('.printed text, #map text')].map((it) => {
             const {a, b} = it.getScreenCTM();
             return parseFloat(getComputedStyle(it).fontSize) * Math.hypot(a, b); }))"""
    )
    assert least >= 6.5 * 96 / 72
