"""The report: its file, and what a reader does with it in a browser."""

from __future__ import annotations

import datetime
import io
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import plots, pydocs
from pt_cumgain.page.reporting import MOST, Report
from tests.support.browser import next_frame, opened, settled
from tests.support.helpers import hide

DATE = datetime.date(2026, 1, 2)
HOSTILE = {
    "script": '</script><script>window.harmed = "script"</script>',
    "image": "\"'><img src=x onerror=\"window.harmed = 'image'\">",
    "rtl": "מערכת \u202e אחזור",
    "long": "a system with a long name " * 12,
    "whole": "x" * 300,
    "template": "{{data}} ${window.harmed = 1} \u2028",
}


@pytest.fixture(scope="module")
def topics():
    return pt.get_dataset("irds:pydocs").get_topics("text")


@pytest.fixture(scope="module")
def written(tmp_path_factory, topics, qrels) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    pt_cumgain.report(pydocs.runs(), topics, qrels, path=path, title="Five systems", date=DATE)
    return path


@pytest.fixture
def page(browser, written):
    with opened(browser, written) as page:
        yield page


# ---- the file ------------------------------------------------------------------------------------


def test_the_same_call_writes_the_same_page(written, topics, qrels, tmp_path) -> None:
    again = tmp_path / "again.html"
    pt_cumgain.report(pydocs.runs(), topics, qrels, path=again, title="Five systems", date=DATE)
    assert again.read_bytes() == written.read_bytes()


def test_the_baseline_may_be_a_place(qrels, tmp_path) -> None:
    for path, baseline in (("place.html", 2), ("name.html", list(pydocs.runs())[2])):
        options = {"baseline": baseline, "date": DATE, "depth": 5}
        pt_cumgain.report(pydocs.runs(), None, qrels, path=tmp_path / path, **options)
    page = (tmp_path / "place.html").read_bytes()
    assert b'"baseline":2' in page.replace(b" ", b"")
    assert page == (tmp_path / "name.html").read_bytes()


def test_it_is_one_file_that_a_notebook_shows(written, topics, qrels, tmp_path) -> None:
    made = pt_cumgain.report(pydocs.runs(), topics, qrels, path=tmp_path / "page.html", depth=5)
    assert made.path == str(tmp_path / "page.html")
    shown = made._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert shown.count('"') == 4  # nothing inside ends the attribute
    assert 1e6 < written.stat().st_size < 3e6
    assert not re.search(r"<(?:link|script|img)[^>]+(?:src|href)=[\"']?http", written.read_text())


REFUSED = [
    ({"measure": "nDCG(at_r=True)"}, "a page has no control for at_r"),
    ({"measure": "nDCG(avg_pos=True)@10"}, "a page has no control for avg_pos"),
    ({"measure": "nCG(judged_only=True)@10"}, "a page has no control for judged_only"),
    ({"measure": "CG(unjudged=1)@10"}, "a page has no control for unjudged"),
    ({"measure": "sDCG@10"}, "a page shows one of CG, DCG, nCG, nDCG"),
    ({"measure": "gP@10"}, "a page shows one of CG, DCG, nCG, nDCG"),
    ({"measure": "P@10"}, "a page shows one of CG, DCG, nCG, nDCG"),
    ({"measure": "CG@200"}, "the page has the ranks 1 to depth=100; use a larger depth"),
    ({"baseline": "PageRank"}, "baseline='PageRank' is not one of the systems"),
    ({"baseline": 5}, "baseline=5 is not one of the systems"),
    ({"baseline": True}, "baseline=True is not one of the systems"),
    ({"depth": 0}, "depth=0 must be a whole number of at least 1"),
    ({"depth": 2000}, "2,000 ranks (depth) are too many for a page, which holds at most 1,000"),
    ({"confidence": 95}, "confidence=95 must be between 0 and 1"),
    ({"date": ""}, "date='' must be a date, such as datetime.date.today(), or None"),
    ({"title": 3}, "title=3 must be a text"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_it_cannot_show_is_refused(options, message, qrels, tmp_path) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        pt_cumgain.report(pydocs.runs(), None, qrels, path=tmp_path / "page.html", **options)
    assert not [*tmp_path.iterdir()]


def test_many_levels_are_refused_before_a_system_runs(tmp_path) -> None:
    qrels = {"1": {f"d{i}": i / 8 for i in range(300)}}
    systems = {"A": "no such file", "B": "nor this"}
    with pytest.raises(ValueError, match=r"300 relevance levels are too many .* fewer bins"):
        pt_cumgain.report(systems, None, qrels, path=tmp_path / "page.html")


def test_more_than_a_page_can_move_is_refused(qrels, tmp_path) -> None:
    runs = {f"run {i}": {"1": {"d": 1.0}} for i in range(MOST["systems"] + 1)}
    with pytest.raises(
        ValueError, match="151 systems are too many for a page, which holds at most 150"
    ):
        pt_cumgain.report(runs, None, qrels, path=tmp_path / "page.html")
    draw = random.Random(1)
    docs = {draw.randbytes(20_000).hex(): 1.0 for _ in range(50)}  # 2 MB; packed, half a byte each
    with pytest.raises(ValueError, match=r"1\.5 MB of ids of documents are too many for a page"):
        pt_cumgain.report(
            {"run": {"1": docs}}, None, qrels, path=tmp_path / "page.html", documents=True
        )


def test_without_its_extra_it_says_what_to_install(qrels, tmp_path, monkeypatch) -> None:
    hide("bokeh", monkeypatch)
    with pytest.raises(ImportError, match=re.escape('pip install "pt_cumgain[report]"')):
        pt_cumgain.report(pydocs.runs(), None, qrels, path=tmp_path / "page.html")


# ---- what a reader does --------------------------------------------------------------------------


def state(page) -> dict:
    return page.evaluate("cumgain.state")


def slide(page, slider: str, to: float) -> None:
    """Move a slider as a pointer does: it says so after each step."""
    page.locator(slider).evaluate(
        "(it, to) => { it.value = to; it.dispatchEvent(new Event('input', {bubbles: true})); }", to
    )
    next_frame(page)


@pytest.mark.slow
def test_the_heading_counts_topics_and_systems(qrels, tmp_path) -> None:
    """After an id of ir_datasets; the name of a file says nothing to a reader."""
    path = tmp_path / "page.html"
    for source, title in (
        (qrels, "42 topics, 5 systems"),
        (str(pydocs.DATA / "qrels.txt"), "42 topics, 5 systems"),
        ("pydocs", "pydocs: 42 topics, 5 systems"),
    ):
        pt_cumgain.report(pydocs.runs(), None, source, path=path)
        assert f"<title>{title}</title>" in path.read_text("utf-8")
        assert f'<h1 dir="auto">{title}</h1>' in path.read_text("utf-8")


def draw_runs(scales: list[float], name: str = "s") -> dict[str, pd.DataFrame]:
    """BM25's run with noise of these scales on its scores, by name and number."""
    rng = np.random.default_rng(0)
    base = pydocs.runs()["BM25"]
    noise = {f"{name}{i}": rng.normal(0, scale, len(base)) for i, scale in enumerate(scales)}
    return {run: base.assign(score=base["score"] + added) for run, added in noise.items()}


def test_a_system_has_one_colour_on_the_page_and_in_figures(browser, qrels, tmp_path) -> None:
    """In the map, the strips and the lines: both take styles; the figure has another order."""
    runs = draw_runs([0.3] * 26)
    curves = pt_cumgain.gain_curves(runs, None, qrels, "nDCG", 5)
    styles = plots.style_systems(sorted(runs))
    drawn = {
        line.get_label(): line.get_color()
        for line in plots.plot_curves(curves, styles=styles, highlight=sorted(runs), figsize=(9, 9))
        .axes[0]
        .get_lines()
    }
    path = tmp_path / "page.html"
    for draw in (
        lambda s: plots.plot_curves(curves, styles=s),
        lambda s: pt_cumgain.report(runs, None, qrels, path=path, styles=s),
    ):
        with pytest.raises(TypeError, match="must be a mapping of systems to styles"):
            draw({"A": 1})
    pt_cumgain.report(dict(reversed(runs.items())), None, qrels, path=path, styles=styles)
    with opened(browser, path) as page:
        page.locator("[data-more=order]").click()
        page.locator("#map").scroll_into_view_if_needed()
        settled(page)
        fills = page.evaluate(
            """[...document.querySelectorAll('#map path[data-run]')].map(
                 (it) => [Number(it.dataset.run), it.getAttribute('fill')])"""
        )
        strokes = page.evaluate(
            """[...document.querySelectorAll('#order [data-run]')].map((it) =>
                 [Number(it.dataset.run), it.querySelector('line')?.getAttribute('stroke')])"""
        )
        looks = page.locator("#shown svg").evaluate_all("all => all.map((it) => it.innerHTML)")
    areas: dict[int, set[str]] = {}
    for run, fill in fills:
        areas.setdefault(run, set()).add(fill)
    assert len(areas) > 1
    assert all(len(colours) <= 2 for colours in areas.values())  # muted where others may be best
    assert len({*map(str, areas.values())}) == len(areas)  # tones tell those of one colour apart
    lines = {run: stroke for run, stroke in strokes if stroke}
    assert len(lines) == 26
    assert len(set(looks)) == 26  # no line looks like another, though there are no markers
    for run, stroke in lines.items():  # mixed with ink as far as a contrast of 3:1 takes
        colour, ink = drawn[f"s{25 - run}"].replace("#000000", "#1b1b1b"), np.full(3, 0x1B)
        seen, of_figure = (
            np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in (stroke, colour)
        )
        steps = (of_figure + (ink - of_figure) * (1 - 0.9**n) for n in range(12))
        assert any(np.abs(seen - step).max() <= n for n, step in enumerate(steps)), run


def test_sliders_move_everything(page) -> None:
    last = state(page)["gains"].__len__() - 1
    before = page.locator("#order").inner_text()
    slide(page, f"#gain-slider-{last}", 1)
    assert state(page)["gains"][last] == 10
    assert page.locator(f"#gain-{last}").input_value() == "10"
    assert page.locator("#text").inner_text() == "nDCG(gains='0-1-2-10')@10"
    settled(page)
    assert page.locator("#order").inner_text() != before
    slide(page, "#k-slider", 3)
    assert page.locator("#text").inner_text() == "nDCG(gains='0-1-2-10')@3"
    page.select_option("#discount", "revised")
    slide(page, "#base-slider", 1)
    text = "nDCG(gains='0-1-2-10',discount='revised',base=20)@3"
    assert page.locator("#text").inner_text() == text
    slide(page, f"#gain-slider-{last}", 0)
    assert state(page)["gains"][last] == 0


def test_controls_by_keyboard(page) -> None:
    page.locator("#k-slider").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert state(page)["k"] == 11
    page.locator("#curves-reader").focus()
    page.keyboard.press("ArrowLeft")
    assert "rank 10" in page.locator("#curves-readout").inner_text()
    said = page.locator("#curves-reader").get_attribute("aria-valuetext")  # to screen readers
    assert said.startswith("rank 10, BM25")
    page.locator("#topics-reader").focus()
    page.keyboard.press("ArrowRight")
    second = page.locator("#topics-table tbody tr").nth(1).locator("th, td").all_inner_texts()
    topic, text, difference, value, base = second[:5]
    read = f"{topic} {text}\n{difference}: {value}, baseline {base}"
    assert page.locator("#topics-readout").inner_text() == read
    page.locator("#topics-table [data-topic]").first.focus()
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate("document.activeElement.id") == "ranking-h"
    # from the beginning, Tab reaches the controls, then the views
    page.locator("#preset").focus()
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#controls') !== null")


def test_a_level_below_0_has_a_slider_that_reaches_both_ways(browser, tmp_path) -> None:
    """Unless the measure is normalised, which has no negative gains."""
    path = tmp_path / "report.html"
    qrels = {"q": {"a": -1, "b": 2}}
    pt_cumgain.report({"X": {"q": {"a": 1.0}}}, None, qrels, path=path, measure="CG@1")
    with opened(browser, path) as page:
        page.get_by_text("Levels of 0 and below").click()
        slide(page, "#gain-slider-0", -0.5)
        assert state(page)["gains"] == [-5, 2]
        assert page.evaluate("cumgain.values().systems[0].mean") == -5
        page.select_option("#measure", "nCG")
        assert page.locator("#gain-slider-0").get_attribute("min") == "0"


def test_labels_that_are_not_whole_have_a_measure_that_can_be_computed(browser, tmp_path) -> None:
    """The text that the page shows has the mean that the page shows."""
    path, runs = tmp_path / "report.html", {"X": {"q": {"b": 2.0, "a": 1.0}}}
    qrels = {"q": {"a": 1.5, "b": 0.5}}
    pt_cumgain.report(runs, None, qrels, path=path, measure="nDCG(gains='level')@2")
    with opened(browser, path) as page:
        text = page.locator("#text").inner_text()
        mean = page.evaluate("cumgain.values().systems[0].mean")
    assert text == "nDCG(gains='level')@2"
    host = ir_measures.calc_aggregate([ir_measures.parse_measure(text)], qrels, runs["X"])
    assert list(host.values()) == pytest.approx([mean])


@pytest.mark.parametrize("width", [390, 1200])
def test_what_has_the_focus_is_in_sight(width: int, browser, written) -> None:
    """No stop is under a panel that stays, and a chart is one stop, not two."""
    with opened(browser, written, viewport={"width": width, "height": 700}) as page:
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


def test_on_a_phone_the_settings_are_one_bar(browser, written) -> None:
    with opened(browser, written, viewport={"width": 390, "height": 844}) as page:
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


def test_the_skip_link_leaves_the_address_as_it_is(page) -> None:
    before = page.evaluate("location.hash")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.evaluate("location.hash") == before


def test_a_slider_says_nothing_of_what_is_no_longer_shown(page) -> None:
    """Its text is of the rank and the measure that were read; its value, the rank, is left."""
    reader = page.locator("#curves-reader")
    reader.focus()
    page.keyboard.press("ArrowRight")
    assert reader.get_attribute("aria-valuetext").startswith("rank 11, ")
    reader.blur()
    page.select_option("#measure", "DCG")
    settled(page)
    assert (reader.input_value(), reader.get_attribute("aria-valuetext")) == ("10", None)


def test_enter_on_a_bar_opens_the_topic(page) -> None:
    page.locator("#topics-reader").focus()
    page.keyboard.press("Enter")
    settled(page)
    chosen = page.locator("#topics-table tr.chosen [data-topic]")
    assert chosen.get_attribute("data-topic") == str(state(page)["topic"])
    assert page.evaluate("document.activeElement.id") == "ranking-h"


def test_a_number_counts_once_it_is_valid(page) -> None:
    """A base of 1 and a rank beyond the depth are on the way to others, or mistakes."""
    page.select_option("#discount", "original")
    page.locator("#base").fill("1")
    page.locator("#k").fill("1000")
    assert (state(page)["base"], state(page)["k"]) == (2, 10)
    assert page.locator("#base").input_value() == "2"  # what counts, once the reader has left it
    page.locator("#base").fill("1.5")
    page.locator("#gain-3").fill("-1")  # no measure that is normalised has negative gains
    settled(page)
    assert page.locator("#text").inner_text() == "nDCG(discount='original',base=1.5)@10"
    page.select_option("#measure", "CG")
    page.locator("#gain-3").fill("-1")
    settled(page)
    assert page.locator("#text").inner_text() == "CG(gains='3:-1')@10"
    page.select_option("#measure", "nCG")
    settled(page)
    assert page.locator("#text").inner_text() == "nCG(gains='0-1-2-0')@10"


def test_every_control_has_a_name_and_every_view_a_heading(page) -> None:
    nameless = page.evaluate(
        """() => {
          const all = document.querySelectorAll(
            'input, select, button, [role=img], [role=region]');
          const name = (it) => it.labels?.length || it.getAttribute('aria-label')
            || it.getAttribute('aria-labelledby') || it.textContent.trim();
          return [...all].filter((it) => !name(it)).map((it) => it.outerHTML);
        }"""
    )
    assert nameless == []
    headings = page.locator("h2").all_inner_texts()
    assert headings == [
        "Ranking of the systems at rank 10", "Where each system has the highest mean",
        "Gain by rank", "Topics",
    ]  # fmt: skip


def test_presets_are_the_papers_schemes_that_fit(page) -> None:
    labels = page.locator("#preset option").all_inner_texts()
    assert "0-1-10-100 (IPM 2005, TOIS 2002)" in labels
    page.select_option("#preset", label="0-1-10-100 (IPM 2005, TOIS 2002)")
    settled(page)
    assert page.locator("#text").inner_text() == "nDCG(gains='0-1-10-100')@10"
    page.select_option("#preset", label="2^level − 1")
    settled(page)
    assert page.locator("#text").inner_text() == "nDCG(gains='exp')@10"


def test_levels_that_a_scheme_misses_are_said(browser, tmp_path) -> None:
    """Of levels 0 to 2 the scheme 0-0-0-1 makes nothing; with 4 levels above 0 none fits."""
    for top, fit in ((2, "0-1-10-100 (IPM 2005, TOIS 2002): here 0-1-10"), (4, None)):
        qrels = {"q": {"a": top, "b": 1, "c": 0}}
        path = tmp_path / f"{top}.html"
        pt_cumgain.report({"X": {"q": {"a": 1.0}}}, None, qrels, path=path)
        with opened(browser, path) as page:
            labels = page.locator("#preset option").all_inner_texts()
        assert (fit in labels) if fit else (len(labels) == 3)
        assert not any("0-0-0-1" in label for label in labels)


def test_the_address_holds_the_view(page, browser, written) -> None:
    page.select_option("#ties", "average")
    page.select_option("#average", "vectors")
    page.select_option("#baseline", "2")
    page.select_option("#system", "3")
    page.locator("#shown input").nth(1).uncheck()
    page.locator("#topics-table [data-topic]").nth(2).click()
    slide(page, "#k-slider", 7)
    settled(page)
    fragment = page.evaluate("location.hash")
    with opened(browser, written, fragment) as other:
        assert state(other) == state(page)
        assert other.locator("#order").inner_text() == page.locator("#order").inner_text()
        other.evaluate("location.hash = '#measure=CG&k=4'")
        other.wait_for_function("cumgain.text() === 'CG@4'")
        assert other.locator("#text").inner_text() == "CG@4"
        other.evaluate("location.hash = '#measure=DCG&k=5&base=3&discount=revised'")
        other.wait_for_function("cumgain.text() === 'DCG(discount=\\'revised\\',base=3)@5'")
        # what a link leaves out is as in a measure's text, whatever was set before
        other.evaluate("location.hash = '#measure=DCG&k=5'")
        other.wait_for_function("cumgain.text() === 'DCG@5'")


@pytest.mark.parametrize(
    "fragment",
    [
        "#measure=nDCG&gains=x_&base=-3&k=1e9&topic=99999&baseline=-1&system=zz&control=%3Cb%3E",
        "#measure=%3Cscript%3E&shown=77&scale=3",
        "#measure=DCG&gains=0_1e308_2_Infinity&top=Infinity&log=true&sort=level0",
        "#nothing",
    ],
)
def test_an_address_that_makes_no_sense_does_no_harm(fragment, browser, written) -> None:
    with opened(browser, written, fragment) as page:
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
        ("average=mean", "average mean"),
    ],
)
def test_an_address_with_an_unknown_name_is_refused_in_words(
    names, unknown, browser, written
) -> None:
    """Another measure's values in its place would be taken for those that the link promises."""
    words = f"This link cannot be shown: the page does not know the {unknown}."
    with opened(browser, written, f"#measure=DCG&k=4&{names}") as page:
        assert page.locator("#copied").inner_text() == words
        assert page.locator("#text").inner_text() == "nDCG@10"
        page.evaluate("location.hash = '#measure=CG&k=4'")
        page.wait_for_function("cumgain.text() === 'CG@4'")
        assert page.locator("#copied").inner_text() == ""
        page.evaluate("hash => { location.hash = hash; }", f"#measure=DCG&k=3&{names}")
        page.wait_for_function("words => document.getElementById('copied').textContent === words",
                               arg=words)  # fmt: skip
        assert page.evaluate("cumgain.text()") == "CG@4"
        name, _, value = names.partition("=")
        refused = (
            "given => { try { cumgain.values(given); } catch (error) { return error.message; } }"
        )
        assert unknown in page.evaluate(refused, {name: value})


def test_the_measure_is_copied(browser, written) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(browser, written, permissions=allowed) as page:
        page.click("#copy")
        assert page.evaluate("navigator.clipboard.readText()") == "nDCG@10"
        page.click("#link")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.startswith(written.as_uri() + "#measure=nDCG&gains=")


def test_what_cannot_be_copied_is_shown(page) -> None:
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.click("#copy")
    page.get_by_text("Copy this text: nDCG@10").wait_for()


def saved(page, button: str) -> str:
    with page.expect_download() as waiting:
        page.locator(button).click()
    return Path(waiting.value.path()).read_text("utf-8")


def test_tables_are_saved(page, topics, qrels) -> None:
    runs = pydocs.runs()
    order = pd.read_csv(io.StringIO(saved(page, "[data-csv=order]")))
    results = pt_cumgain.trust.gain_by_level(runs, topics, qrels, "nDCG@10").set_index(
        ["name", "level"]
    )
    for row in order.to_dict("records"):
        for level in (1, 2, 3):
            expected = results.loc[(row["name"], level), "value"]
            assert row[f"level {level}"] == pytest.approx(expected, abs=1e-12)
    assert order["mean"].is_monotonic_decreasing
    curves = pd.read_csv(io.StringIO(saved(page, "[data-csv=curves]")))
    expected = pt_cumgain.gain_curves(runs, topics, qrels, "nDCG", interval=True)
    merged = curves.merge(expected, on=["name", "rank"], suffixes=("", "_expected"))
    assert len(merged) == len(expected)
    for column in ("value", "low", "high", "ideal"):
        np.testing.assert_allclose(merged[column], merged[f"{column}_expected"], atol=1e-9)
    each = pd.read_csv(io.StringIO(saved(page, "[data-csv=topics]")), dtype={"qid": str})
    assert each["difference"].is_monotonic_decreasing
    table = pt_cumgain.trust.topic_table(runs, topics, qrels, "nDCG@10").set_index("qid")
    assert each.set_index("qid")["R"].to_dict() == table["R"].to_dict()
    assert set(each["query"]) == set(topics["query"])


def test_pictures_are_saved(page) -> None:
    for name in ("differences", "curves", "map", "topics"):
        text = saved(page, f"[data-svg={name}]")
        picture = ET.fromstring(text)
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(picture.iter())) > 25
        if name == "map":  # as on the screen
            assert 'paint-order="stroke"' in text
        if name in ("differences", "curves"):
            assert all(f">{system}</text>" in text for system in pydocs.runs())
            assert ">nDCG at the ranks 1 to 100, 42 topics</text>" in text
        else:
            assert "nDCG@10" in text


def test_the_pointer_reads_values(page, topics, qrels) -> None:
    page.locator("#curves").scroll_into_view_if_needed()
    box = page.locator("#curves").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#curves-readout").wait_for(state="visible")
    read = page.locator("#curves-readout").inner_text()
    rank = int(re.match(r"rank (\d+)", read)[1])
    curves = pt_cumgain.gain_curves(pydocs.runs(), topics, qrels, "nDCG")
    best = curves[curves["rank"] == rank]["value"].max()
    assert f"{best:.3f} [" in read
    page.mouse.move(0, 0)
    page.locator("#curves-readout").wait_for(state="hidden")


def test_curves_have_names_at_their_ends_or_a_legend(browser, written) -> None:
    """From top to bottom in the order of the values there, none on another."""
    for width, kind in ((1366, "ends"), (390, "legend")):
        with opened(browser, written, viewport={"width": width, "height": 800}) as page:
            names = page.locator("#curves-legend")
            assert names.get_attribute("class") == kind
            assert set(names.locator("bdi").all_inner_texts()) == set(pydocs.runs())
            if kind == "ends":
                last = page.evaluate("cumgain.curves().systems.map(({mean}) => mean.at(-1))")
                order = [list(pydocs.runs())[i] for i in np.argsort(-np.array(last))]
                assert names.locator("bdi").all_inner_texts() == order
                tops = [li.bounding_box()["y"] for li in names.locator("li").all()]
                assert min(np.diff(tops)) >= 13


def test_what_the_reader_points_at_is_emphasised_everywhere(page) -> None:
    page.locator("#order tbody tr").nth(1).hover()
    second = page.locator("#order tbody tr").nth(1).get_attribute("data-run")
    marked = page.locator(".lit").evaluate_all("all => all.map((one) => one.dataset.run)")
    assert len(marked) >= 3  # its row, its name at the curve's end, and among the settings
    assert set(marked) == {second}
    page.mouse.move(0, 0)
    assert page.locator(".lit").count() == 0


def model(name: str) -> str:
    """The script that finds a model of Bokeh's."""
    return f"Bokeh.documents.map((it) => it.get_model_by_name('{name}')).find(Boolean)"


def test_one_system_alone_and_all_again(page) -> None:
    """The chart follows; `page` fails if the browser reports an error."""
    page.locator("#curves").scroll_into_view_if_needed()
    settled(page)
    for button, count in (("baseline", 1), ("all", 5)):
        page.click(f"[data-show={button}]")
        settled(page)
        for name in ("differences", "curves"):
            assert page.evaluate(f"{model(name + '-lines')}.data.xs.length") == count
        assert page.locator("#order tbody tr").count() == count


def test_the_system_that_becomes_the_baseline_is_compared_with_the_old_one(page) -> None:
    page.select_option("#system", "3")
    page.select_option("#baseline", "3")
    assert (state(page)["baseline"], state(page)["system"]) == (3, 0)
    page.locator("#order [data-system='3']").click()  # the baseline's name
    assert (state(page)["baseline"], state(page)["system"]) == (3, 0)
    assert page.locator("#system option:disabled").get_attribute("value") == "3"


def test_fingers_scroll_and_drag_the_point(browser, written) -> None:
    phone = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}
    with opened(browser, written, **phone) as page:
        touches = page.context.new_cdp_session(page)

        def swipe(x: float, y: float, right: float, down: float) -> None:
            def touch(kind: str, *points: dict) -> None:
                event = {"type": kind, "touchPoints": points}
                touches.send("Input.dispatchTouchEvent", event)

            touch("touchStart", {"x": x, "y": y})
            for i in range(1, 11):
                touch("touchMove", {"x": x + right * i / 10, "y": y + down * i / 10})
            touch("touchEnd")
            settled(page)

        for view in ("#map", "#curves", "#topics"):
            page.locator(view).scroll_into_view_if_needed()
            settled(page)
            box, before = page.locator(view).bounding_box(), page.evaluate("scrollY")
            swipe(box["x"] + 120, box["y"] + 200, 0, -120)
            page.wait_for_function("before => scrollY > before + 50", arg=before)
        assert state(page)["gains"] == [0, 1, 2, 3]
        assert page.locator("#topics-table tbody tr").count() == 7 + 1 + 7
        page.locator("#map").scroll_into_view_if_needed()
        settled(page)
        box = page.locator("#point").bounding_box()
        swipe(box["x"] + 8, box["y"] + 8, 20, -40)
        assert state(page)["gains"] != [0, 1, 2, 3]


def test_the_ideal_of_a_share_takes_no_room(page) -> None:
    top = f"{model('curves')}.y_range.end"
    assert page.evaluate(top) < 0.95
    assert page.locator("#with-ideal").is_hidden()
    page.select_option("#measure", "DCG")
    settled(page)
    assert page.locator("#with-ideal").is_visible()
    ideal = page.evaluate("Math.max(...cumgain.curves().ideal)")
    assert page.evaluate(top) > ideal


def test_a_subset_of_the_topics(page, topics, qrels) -> None:
    """Topics are found by their text; then everything is computed for them, and it is said."""
    word = "table"
    chosen = topics[topics["query"].str.contains(word)]
    assert 1 < len(chosen) < 42
    page.locator("#find").fill(word)
    found = page.locator("#topics-table tbody th").all_inner_texts()
    assert set(found) == set(chosen["qid"])
    page.locator("#take").click()
    settled(page)
    said = f"Everything is computed only for {len(chosen)} of 42 topics."
    assert said in page.locator("#part").inner_text()
    assert f"Means over {len(chosen)} of 42 topics" in page.locator("#order-note").inner_text()
    assert "weighting" not in page.locator("#answer").inner_text()
    assert page.locator("#answer").inner_text().startswith(f"On {len(chosen)} of 42 topics: ")
    part = qrels[qrels["qid"].isin(chosen["qid"])]
    curves = pt_cumgain.gain_curves(pydocs.runs(), None, part, "nDCG@10", 10)
    best = curves[curves["rank"] == 10]["value"].max()
    assert f"(nDCG@10 {best:.3f})" in page.locator("#answer").inner_text()
    page.locator("#part button").click()
    settled(page)
    assert page.locator("#part").is_hidden()
    assert "weighting" in page.locator("#answer").inner_text()


def test_topics_are_brushed_and_sorted(page) -> None:
    page.locator("[data-more=topics-table]").click()
    page.locator("#topics").scroll_into_view_if_needed()
    settled(page)
    first = page.locator("#topics-table tbody th").all_inner_texts()
    assert len(first) == 42
    box = page.locator("#topics").bounding_box()
    page.mouse.move(box["x"] + 70, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 120, steps=4)
    page.mouse.up()
    brushed = page.locator("#topics-table tbody th").all_inner_texts()
    assert 2 < len(brushed) < len(first)
    assert brushed == first[: len(brushed)]
    page.locator("[data-sorttopics=recall]").click()
    settled(page)
    recall = [int(text) for text in page.locator("#topics-table td:nth-child(6)").all_inner_texts()]
    assert recall == sorted(recall, reverse=True)
    page.locator("#unfilter").click()
    settled(page)
    assert page.locator("#topics-table tbody tr").count() == len(first)


def test_topics_chosen_by_their_outcome_prove_nothing(page, browser, written) -> None:
    """No interval, no "best", nothing significant, in views, pictures and links alike."""
    page.locator("#topics").scroll_into_view_if_needed()
    settled(page)
    assert page.locator("#map path[fill^=url]").count() == 0
    page.evaluate("page.brush({x0: 0, x1: 13})")
    page.locator("#take").click()
    settled(page)
    topics = "the 14 of 42 topics that you chose by their differences"
    mean, behind = sorted(page.evaluate("cumgain.values().systems.map(({mean}) => mean)"))[:-3:-1]
    said = re.fullmatch(
        rf"On {topics}: (\S+) leads \S+ by {mean - behind:.3f} \(nDCG@10 {mean:.3f}\)"
        r"(; \S+ is \S+ below \S+)?\.",
        page.locator("#answer").inner_text(),
    )
    assert said[1] == page.locator("#order tbody bdi").first.inner_text().join("\u2068\u2069")
    ends = page.evaluate("cumgain.values().systems.flatMap(({low, most}) => [low, most])")
    assert np.isnan(ends).all()
    assert np.isnan(page.evaluate("cumgain.curves().systems[0].low")).all()
    assert "interval" not in page.locator("#order-note").inner_text()
    assert f"no interval for {topics}." in page.locator("#curves-note").inner_text()
    assert page.locator("#map path.alone:not([d=''])").count() == 0
    assert page.locator("#map path[fill^=url]").count() == 1
    assert page.locator("#map-legend li").last.inner_text() == "hatched: no test for these topics"
    for name in ("curves", "map", "topics"):
        assert topics in saved(page, f"[data-svg={name}]")
    for name in ("curves", "order", "topics"):
        table = pd.read_csv(io.StringIO(saved(page, f"[data-csv={name}]")))
        assert set(table["chosen"]) == {topics}
    with opened(browser, written, page.evaluate("location.hash")) as other:
        assert other.locator("#answer").inner_text() == page.locator("#answer").inner_text()
        other.locator("#find").fill("a")  # chosen from them by their text
        other.locator("#take").click()
        settled(other)
        assert "chose by their differences" in other.locator("#answer").inner_text()
        other.locator("#part button").click()
        settled(other)
        assert "by=&" in other.evaluate("location.hash")


def test_a_topic_opens_its_rankings(page, qrels) -> None:
    """A click on a bar opens the topic; the cells are the labels of what the run has there."""
    page.locator("#topics").scroll_into_view_if_needed()
    settled(page)
    box = page.locator("#topics").bounding_box()
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
    k = page.evaluate("cumgain.state.k")
    assert page.locator("#ranking thead .last").all_inner_texts() == [str(k)]
    assert f"the line follows rank {k}." in page.locator("#ranking-note").inner_text()


def test_documents_of_equal_score_are_underlined(browser, tmp_path) -> None:
    """All of a block, if one of them is judged; the page does not know of other blocks."""
    run = {"q": {"u": 3.0, "t": 3.0, "a": 2.0, "v": 2.0, "c": 2.0, "d": 1.0, "w": 0.5}}
    path = tmp_path / "report.html"
    systems = {"X": run, "Y": {"q": {"d": 1.0}}}
    pt_cumgain.report(
        systems, None, {"q": {"a": 2, "c": 0, "d": 1}}, path=path, documents=True, depth=7
    )
    with opened(browser, path, "#measure=nDCG&k=5&topic=0&system=0&baseline=1") as page:
        for view in ("#ranking tbody tr:has(bdi:text-is('X'))", "#pair tbody td:nth-child(2)"):
            cells = page.locator(f"{view} .level")
            assert cells.all_inner_texts() == ["·", "·", "·", "0", "2", "1", "·"]
            tied = cells.evaluate_all("all => all.map((one) => one.classList.contains('tied'))")
            assert tied == [False, False, True, True, True, False, False]
        assert (
            page.locator("#ranking tbody .last").count() == 3
        )  # the ideal and Y end before rank 5
        ids = page.locator("#pair tbody td:nth-child(2) bdi").all_inner_texts()
        assert ids == ["u", "t", "v", "c", "a", "d", "w"]


def test_two_rankings_of_a_topic_are_side_by_side(browser, topics, qrels, tmp_path) -> None:
    """The ids, levels and ranks are those of the runs; the documents of both are joined."""
    path, runs = tmp_path / "report.html", pydocs.runs()
    pt_cumgain.report(runs, topics, qrels, path=path, documents=True, depth=30, baseline="BM25")
    topic = topics["qid"].tolist().index("9")
    with opened(browser, path, f"#measure=nDCG&k=10&baseline=0&system=2&topic={topic}") as page:
        names = [page.locator("#pair th.name").nth(side).inner_text() for side in (0, 1)]
        assert names == ["PL2", "BM25"]
        labels = qrels[qrels["qid"] == "9"].set_index("docno")["label"]
        listed = [
            runs[name][runs[name]["qid"] == "9"]
            .sort_values(["score", "docno"], ascending=False)["docno"].tolist()[:30]
            for name in names
        ]  # fmt: skip
        joined = 0
        for side, docs in enumerate(listed):
            cells = page.locator("#pair tbody tr").evaluate_all(
                "(rows, side) => rows.map((row) => { const all = row.querySelectorAll('div');"
                " const of = (tag) => all[side].querySelector(tag);"
                " return [of('bdi').title, of('.level').textContent, of('small').textContent]; })",
                side,
            )
            other = listed[1 - side]
            assert cells == [
                [doc, str(labels.get(doc, "·")), str(other.index(doc) + 1 if doc in other else "–")]
                for doc in docs[:20]
            ]
            joined = len(set(docs[:20]) & set(other[:20]))
        assert page.locator("#pair path").count() == joined > 5
        assert page.locator("#pair [rowspan] svg").bounding_box()["height"] == 20 * 24
        assert page.locator("#pair .last > th").inner_text() == "10"


def test_without_documents_the_page_has_no_ids(page, written, qrels) -> None:
    assert qrels["docno"].iloc[0] not in written.read_text("utf-8")
    page.locator("#topics-table [data-topic]").first.click()
    assert page.locator("#pair").is_hidden()


def test_one_system_one_topic(browser, tmp_path) -> None:
    """Nothing to compare, nothing to infer: the page says so instead of numbers."""
    path = tmp_path / "one.html"
    pt_cumgain.report({"X": {"q": {"a": 1.0}}}, None, {"q": {"a": 1, "b": 2}}, path=path, depth=1)
    with opened(browser, path) as page:
        assert "A single topic has no intervals" in page.locator("#about").inner_text()
        assert "only one system" in page.locator("#topics-note").inner_text()
        assert "NaN" not in page.locator("body").inner_text()


def test_a_browser_that_cannot_run_the_script_keeps_sentence_and_table(browser, written) -> None:
    around = browser.new_context()
    around.add_init_script("delete window.DecompressionStream")
    page = around.new_page()
    page.goto(written.as_uri())
    page.locator("#failed").wait_for(state="visible")
    assert "The page needs a browser from 2023 or later." in page.locator("#failed").inner_text()
    assert page.locator("#answer").is_visible()
    assert page.locator("#order tbody tr").count() == 5
    assert page.locator("#order").bounding_box()["width"] > 800
    assert page.locator("#controls").is_hidden()
    assert page.locator("#curves").is_hidden()
    around.close()


def test_in_a_notebook_it_moves(browser, written, tmp_path) -> None:
    around = tmp_path / "notebook.html"
    around.write_text(f"<body>{Report(str(written))._repr_html_()}</body>", "utf-8")
    with opened(browser, around, ready=False) as page:
        frame = page.frames[1]
        frame.evaluate("page.ready")
        slide(frame, "#k-slider", 5)
        assert frame.locator("#text").inner_text() == "nDCG@5"
        settled(frame)


# ---- how it looks --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    names = list(HOSTILE.values())
    qrels = {name: {"a": 1, "b": 2, "c": 0} for name in names}
    runs = {
        name: {topic: {"a": float(i), "b": 2.0, **dict.fromkeys(names, 3.0)} for topic in names}
        for i, name in enumerate(names)
    }
    texts = pd.DataFrame({"qid": names, "query": names[::-1]})
    pt_cumgain.report(runs, texts, qrels, path=path, title=" ".join(names), documents=True)
    return path


@pytest.mark.parametrize("width", [375, 1600])
def test_ids_and_texts_do_no_harm(width: int, browser, hostile) -> None:
    with opened(browser, hostile, viewport={"width": width, "height": 800}) as page:
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.locator("#topics-table [data-topic]").first.click()
        page.select_option("#system", "3")
        assert page.locator("#pair bdi").first.is_visible()
        settled(page)
        assert page.evaluate("window.harmed") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shown = page.locator("#order bdi")
        assert shown.first.get_attribute("title") in HOSTILE.values()
        assert len(set(shown.all_inner_texts())) == len(HOSTILE)
        ET.fromstring(saved(page, "[data-svg=map]"))
        ET.fromstring(saved(page, "[data-svg=curves]"))
        names = pd.read_csv(io.StringIO(saved(page, "[data-csv=order]")))["name"]
        assert set(names) == set(HOSTILE.values())


@pytest.mark.parametrize("width", [375, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(width: int, scheme: str, browser, written) -> None:
    """No part is wider than the screen; text stands out from what it is on (WCAG: 4.5 to 1)."""
    size = {"width": width, "height": 800}
    with opened(browser, written, viewport=size, color_scheme=scheme) as page:
        page.locator("#topics-table [data-topic]").first.click()
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        least = page.evaluate(
            """() => {
              const luminance = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((x) => {
                  const c = x / 255;
                  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const behind = (it) => {
                for (; it; it = it.parentElement) {
                  const colour = getComputedStyle(it).backgroundColor;
                  if (!/, 0\\)$/.test(colour)) return colour;
                }
                return 'rgb(255, 255, 255)';
              };
              const texts = [...document.querySelectorAll(`
                h1, h2, h3, p, label, summary, td, th, .level, button, select, option, code, footer
              `)];
              const seen = (it) => it.checkVisibility() && !it.closest(':disabled');
              return Math.min(...texts.filter(seen).map((it) => {
                const [a, b] = [getComputedStyle(it).color, behind(it)].map(luminance);
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              }));
            }"""
        )
        assert least >= 4.5


def test_in_print_there_are_no_controls(browser, written) -> None:
    with opened(browser, written, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.locator("#controls").is_hidden()
        assert page.locator("[data-csv=order]").is_hidden()
        assert page.locator("#text").is_visible()
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(255, 255, 255)"
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        for name in ("differences", "curves", "topics"):
            picture = page.locator(f"#{name}-printed > svg")
            assert picture.is_visible()
            if name != "topics":
                texts = picture.locator("> g > text").all_text_contents()
                assert set(texts) == {*pydocs.runs(), "nDCG at the ranks 1 to 100, 42 topics"}
        hint = page.locator("#topics-note")
        assert "Mean difference" in hint.inner_text()
        assert "Click" not in hint.inner_text() + page.locator("#map-hint").inner_text()
        assert page.locator("#topics-table tbody th").count() == 42
        heads = page.locator("#topics-table thead th").all_inner_texts()
        assert {"BM25", "QLD"} < set(heads)  # not "value" and "baseline"
        for name in ("differences", "curves", "topics"):
            picture = page.locator(f"#{name}-printed > svg")
            assert picture.locator("> rect").get_attribute("fill") == "#ffffff"
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(21, 23, 26)"  # dark again


def test_twelve_runs_are_printed_on_two_pages(browser, topics, qrels, tmp_path) -> None:
    """Expected: the number of pages in the PDF that Chromium prints, and texts of 6.5 pt."""
    runs = draw_runs([i / 9 for i in range(12)], "run_2020_model_v")
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, topics, qrels, path=path)
    with opened(browser, path, viewport={"width": 1366, "height": 768}) as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        printed = page.pdf(prefer_css_page_size=True)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
        least = page.evaluate(
            """Math.min(...[...document.querySelectorAll('.printed text, #map text')].map((it) => {
                 const {a, b} = it.getScreenCTM();
                 return parseFloat(getComputedStyle(it).fontSize) * Math.hypot(a, b); }))"""
        )
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    assert least >= 6.5 * 96 / 72


def test_the_foot_has_no_page_of_its_own(browser, topics, qrels, tmp_path) -> None:
    """On paper it follows the last topic, in the column of topics that is shorter."""
    path = tmp_path / "page.html"
    pt_cumgain.report(draw_runs([i / 9 for i in range(20)]), topics, qrels, path=path)
    with opened(browser, path, viewport={"width": 1366, "height": 768}) as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#listed > #topics-table + footer").count() == 1
        printed = page.pdf(prefer_css_page_size=True)
        assert page.locator("body > footer").count() == 1  # on the screen again
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2


def test_only_the_chosen_difference_has_a_band(page) -> None:
    """The means have none; of a single system, the means have the band."""
    bands = [
        page.evaluate(f"{model(name + '-bands')}.data.xs.length")
        for name in ("differences", "curves")
    ]
    assert bands == [1, 0]
    (colour,) = page.evaluate(f"{model('differences-bands')}.data.color")
    assert colour == pt_cumgain.plots.COLOURS[list(pydocs.runs()).index("QLD")]
    page.locator("#differences").scroll_into_view_if_needed()
    settled(page)
    box = page.locator("#differences").bounding_box()
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
            or (one["y"] >= over["y"] + over["height"])
        )


#: Opens a page; in a process of its own, since Playwright has one loop in each.
FIREFOX = """
import sys
from pathlib import Path
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    if not Path(playwright.firefox.executable_path).exists():
        sys.exit(77)
    page = playwright.firefox.launch().new_page()
    page.on("pageerror", lambda error: sys.exit(str(error)))
    page.goto(sys.argv[1])
    page.evaluate("page.ready")
    page.wait_for_function("page.isResting()")
    print(page.locator("#answer").inner_text(), page.locator("#curves-legend li").count())
"""


@pytest.mark.end_to_end
def test_firefox_opens_it(written) -> None:
    """Where Playwright has a Firefox: the answer, and a name for each line."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    command = [sys.executable, "-c", FIREFOX, written.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 77:
        pytest.skip("Playwright has no Firefox here")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\u2068BM25\u2069 leads by ")
    assert done.stdout.endswith(" 5\n")


def test_nothing_is_red_before_the_script_has_run(page) -> None:
    """An empty number is invalid, and shown as such only once the script could have filled it."""
    look = "getComputedStyle(document.getElementById('k')).outlineStyle"
    page.evaluate("document.getElementById('k').value = ''")
    assert page.evaluate(look) == "solid"
    page.evaluate("document.body.classList.remove('ready')")
    assert page.evaluate(look) == "none"


def test_a_click_anywhere_in_a_row_opens_the_topic(page) -> None:
    """Not where all rows are asked for."""
    page.locator("#topics-table [data-more]").click()
    assert state(page)["topic"] is None
    row = page.locator("#topics-table tbody tr").nth(9)
    row.locator("td").last.click()
    settled(page)
    assert row.get_attribute("class") == "chosen"
    assert state(page)["topic"] == int(row.locator("[data-topic]").get_attribute("data-topic"))
    assert page.evaluate("document.activeElement.id") == "ranking-h"


def test_nothing_moves_when_places_change(page) -> None:
    """Neither the columns and rows of the table nor what is below the answer."""
    look = """[...document.querySelectorAll('#order :is(thead th, td), #layout')].map((it) => {
        const {x, y} = it.getBoundingClientRect(); return [x, y]; })"""
    before = page.evaluate(look)
    page.evaluate("cumgain.state = {gains: [0, 1, 10, 1], k: 20}")
    settled(page)
    assert "was" in page.locator("#order tbody").inner_text()
    assert np.abs(np.subtract(page.evaluate(look), before)).max() < 4  # digits have widths
    page.evaluate("scrollTo(0, 0)")
    assert page.locator("#then").inner_text().startswith("When the page was written: ")
    described = pt_cumgain.describe("nDCG@10").text.removesuffix(", as implemented in ir-measures")
    assert page.locator("#sentence").inner_text() == f"The page was written with {described}."


def test_the_table_of_three_levels_fits_with_long_names(browser, qrels, tmp_path) -> None:
    """And with places that have changed; the heads are on one line."""
    names = [f"{name} with a long name of a run {i}" for i, name in enumerate(pydocs.runs())]
    runs = dict(zip(names, pydocs.runs().values()))
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, qrels, path=path)
    with opened(browser, path, viewport={"width": 1366, "height": 768}) as page:
        page.evaluate("cumgain.state = {gains: [0, 1, 10, 1], k: 20}")
        settled(page)
        assert "was" in page.locator("#order tbody").inner_text()
        assert page.locator("#order").evaluate("(it) => it.scrollWidth - it.clientWidth") == 0
        tops = page.locator("#order thead th").evaluate_all(
            """all => all.map((it) => { const range = document.createRange();
                 range.selectNodeContents(it.querySelector("button") ?? it);
                 return range.getBoundingClientRect().top; })"""
        )
        assert np.ptp(tops) < 1


def test_of_many_systems_the_best_eight_have_colours(browser, qrels, tmp_path) -> None:
    """Beside the baseline and the chosen system, which are the first two; seven colours in all."""
    runs = draw_runs([i / 20 for i in range(36)])
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, qrels, path=path)
    with opened(browser, path) as page:
        assert page.locator("#order tbody tr").count() == 14 + 1
        assert page.locator("[data-more=order]").inner_text() == "14 of 36, show all"
        lines = "#order tbody [data-run] .name line, #order tbody tr[data-run] th line"
        strokes = page.locator(lines).evaluate_all(
            "all => all.map((it) => it.getAttribute('stroke'))"
        )
        assert len(set(strokes[:7])) == 7
        assert set(strokes[8:]) == {"#b0b4b8"}  # page.css's --grey
        page.locator("[data-more=order]").click()
        settled(page)
        assert page.locator("#order tbody tr").count() == 36


def test_no_cell_of_a_saved_table_is_a_formula(browser, tmp_path) -> None:
    """A program for sheets would compute it; numbers stay numbers."""
    run = {"q": {"b": 2.0, "a": 1.0}}
    path = tmp_path / "page.html"
    runs = {"=1+1": run, "@x": {"q": {"a": 1.0}}, "+y": run, "-z": run}
    pt_cumgain.report(runs, None, {"q": {"a": 1, "b": -1}}, path=path, measure="CG@2")
    with opened(browser, path) as page:
        table = pd.read_csv(io.StringIO(saved(page, "[data-csv=order]")))
        assert set(table["name"]) == {"'=1+1", "'@x", "'+y", "'-z"}
        page.evaluate("cumgain.state = {gains: [-3, 1]}")
        table = pd.read_csv(io.StringIO(saved(page, "[data-csv=order]")))
        assert table["mean"].min() == -2


@pytest.mark.parametrize("height", [720, 768, 1080])
def test_the_settings_are_no_higher_than_the_screen(height: int, browser, written) -> None:
    """Once the page is scrolled; the baseline is in sight from the beginning."""
    with opened(browser, written, viewport={"width": 1366, "height": height}) as page:
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
