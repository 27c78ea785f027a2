"""What the report says before any script runs: the sentence, and the table."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.analysis.trust.intervals import share_best
from pt_cumgain.presentation.answer import fixed, percent, signed
from tests.support.presentation.browser import opened, settled
from tests.support.samples import random_data


def write(path, runs, qrels, measure="nDCG@10", **options):
    """Write a page and return its sentence, without the marks around names."""
    pt_cumgain.report(runs, None, qrels, path, measure=measure, depth=20, **options)
    text = path.read_text("utf-8")
    sentence = re.search(r'<p id="answer">(.*)</p>', text)[1]
    return html.unescape(sentence).translate({0x2068: None, 0x2069: None})


def samples(seed: int) -> tuple[dict, dict]:
    """Judgments with the levels -2 to 4, and three runs."""
    qrels, first = random_data(seed, topics=9)
    others = {name: random_data(10 * seed + i, 9)[1] for i, name in enumerate("BC")}
    return qrels, {"A": first, **others}


def results_of(runs, qrels, measure) -> pd.DataFrame:
    frames = [
        pt_cumgain.evaluate([measure], qrels, run).assign(name=name) for name, run in runs.items()
    ]
    return pd.concat(frames, ignore_index=True)


def test_the_numbers_of_the_sentence(qrels, tmp_path) -> None:
    """Each is that of the function of the package that has it.

    The interval of BM25's lead over QLD holds 0; over DPH and others without QLD and PL2 it does
    not.
    """
    runs = pydocs.runs()
    two = re.fullmatch(
        r"(.+) and (.+) cannot be told apart: nDCG@10 (\S+) and (\S+), (\S+) apart "
        r"\[(\S+), (\S+)\]; \1 has the highest mean in \d+% of resampled topic sets; \1 has the "
        r"highest mean under every weighting of the levels\.",
        write(tmp_path / "page.html", runs, qrels),
    )
    row = pt_cumgain.intervals(results_of(runs, qrels, "nDCG@10"), baseline=two[2])
    row = row.set_index("name").loc[two[1]]
    assert row["difference_low"] <= 0
    said = [float(text.replace("−", "-")) for text in two.group(3, 5, 6, 7)]
    columns = ["mean", "difference", "difference_low", "difference_high"]
    assert said == pytest.approx(row[columns].tolist(), abs=5.01e-4)
    runs = {name: runs[name] for name in ("BM25", "First word")}
    found = re.fullmatch(
        r"(.+) is best: nDCG@10 (\S+), (\S+) above (.+) \[(\S+), (\S+)\]; best in \d+% of "
        r"resampled topic sets; best under every weighting of the levels\.",
        write(tmp_path / "page.html", runs, qrels),
    )
    best, second = found[1], found[4]
    results = results_of(runs, qrels, "nDCG@10")
    means = results.groupby("name")["value"].mean().sort_values(ascending=False)
    assert [best, second] == means.index[:2].tolist()
    row = pt_cumgain.intervals(results, baseline=second).set_index("name").loc[best]
    said = [float(text.replace("−", "-")) for text in found.group(2, 3, 5, 6)]
    assert row["difference_low"] > 0
    assert said == pytest.approx(row[columns].tolist(), abs=5.01e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ["nDCG@10", "CG@5", "nCG(ties='best')@3"])
def test_the_claim_about_weightings_is_that_of_dominance(measure, seed, tmp_path) -> None:
    qrels, runs = samples(seed)
    sentence = write(tmp_path / "page.html", runs, qrels, measure)
    if "equal means" in sentence:
        assert "weighting" not in sentence
        return
    best = re.match(r"(\w) (is best|and \w cannot be told apart)", sentence)[1]
    frame = pt_cumgain.dominance(runs, None, qrels, measure, baseline=best)
    holds = (frame["order"] == "holds") & frame["better"].isin(["", best])
    proved = re.search(r"; (best|. has the highest mean) under every weighting", sentence)
    assert (proved is not None) == holds.all()
    other = re.search(
        r"not (?:best|the highest) under every .*: (\w) is better under (\S+)\.$", sentence
    )
    assert (other is not None) == (~holds).any()
    if other:
        name, cutoff = measure.split("@")
        start = f"{name[:-1]}," if ")" in name else f"{name}("
        weighted = f"{start}gains='{other[2]}')@{cutoff}"
        means = results_of(runs, qrels, weighted).groupby("name")["value"].mean()
        assert means[other[1]] > means[best]


def test_the_share_of_resamples_is_that_of_a_loop() -> None:
    """The same draws, one resample at a time; topics are drawn in the order of their ids."""
    values = np.random.default_rng(1).random((4, 12)).round(1)
    topics = [str(i) for i in range(12)]
    ordered = values[:, np.argsort(topics)]
    for system in range(4):
        draws = np.random.default_rng(0).integers(0, 12, (500, 12))
        best = [
            ordered[system, drawn].mean() >= ordered[:, drawn].mean(axis=1).max() - 1e-12
            for drawn in draws
        ]
        assert share_best(values, system, topics, resamples=500) == np.mean(best)


def test_equal_systems_are_said_to_be_equal(tmp_path) -> None:
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    runs = {"X": run, "Y": run, "Z": {"q": {"b": 1.0}}}
    sentence = write(tmp_path / "page.html", runs, qrels)
    lead = pt_cumgain.intervals(results_of(runs, qrels, "nDCG@10"), baseline="Z").iloc[0]
    ends = ", ".join(fixed(lead[f"difference_{end}"], 3) for end in ("low", "high"))
    apart = f"{lead['difference']:.3f} above Z [{ends}]"
    assert sentence == f"X and Y are best, with equal means: nDCG@10 1.000, {apart}."
    del runs["Z"]
    alone = write(tmp_path / "page.html", runs, qrels)
    assert alone == "X and Y are best, with equal means: nDCG@10 1.000."


def test_means_that_differ_by_rounding_are_in_the_order_of_the_systems(browser, tmp_path) -> None:
    """0.1 + 0.2 is not 0.3 in floating point; on a grid of 11 decimals they would be apart here."""
    most = 0.9999973603236346
    assert round((0.1 + 0.2) / most, 11) != round(0.3 / most, 11)
    runs = {"C": {"q": {"d": 1.0}}, "B": {"q": {"c": 1.0}}, "A": {"q": {"a": 2.0, "b": 1.0}}}
    path = tmp_path / "page.html"
    measure = pt_cumgain.CG(gains={1: 0.1, 2: 0.2, 3: 0.3, 4: most}) @ 2
    write(path, runs, {"q": {"a": 1, "b": 2, "c": 3, "d": 4}}, measure)
    for scripts in (False, True):
        with opened(browser, path, ready=scripts, java_script_enabled=scripts) as page:
            assert page.locator("#order tbody bdi").all_inner_texts() == ["C", "B", "A"]


def test_identical_systems_are_said_to_be_identical(tmp_path) -> None:
    """Y has another document without judgment; Z has one more of them."""
    qrels = {"q": {"a": 1, "b": 2}}
    lists = {"X": "acb", "Y": "adb", "Z": "acdb"}
    runs = {
        name: {"q": {doc: -float(i) for i, doc in enumerate(docs)}} for name, docs in lists.items()
    }
    write(tmp_path / "page.html", runs, qrels)
    shown = (tmp_path / "page.html").read_text("utf-8").split("<script")[0]
    assert re.findall(r">([^>]*) are identical: [^<]* down to rank 20\.<", shown) == ["X and Y"]


def test_one_system_has_no_other(tmp_path) -> None:
    sentence = write(tmp_path / "page.html", {"X": {"q": {"a": 1.0}}}, {"q": {"a": 1, "b": 2}})
    assert sentence == "X: nDCG@10 0.380."  # 1 / (2 + 1 / log2(3))


def test_one_topic_has_no_interval(tmp_path) -> None:
    runs = {"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    sentence = write(tmp_path / "page.html", runs, {"q": {"a": 2, "b": 1}}, "CG@1")
    assert (
        sentence
        == "X is best: CG@1 2.000, 1.000 above Y; best under every weighting of the levels."
    )


def test_names_do_no_harm(tmp_path) -> None:
    """What is read before any script runs is escaped as well."""
    runs = {"<b>X</b>": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    write(tmp_path / "page.html", runs, {"q": {"a": 2, "b": 1}})
    shown = (tmp_path / "page.html").read_text("utf-8").split("<script")[0]
    assert "<b>X" not in shown
    assert shown.count("&lt;b&gt;X&lt;/b&gt;") == 2


def test_numbers_are_written_as_the_page_writes_them() -> None:
    """JavaScript rounds halves up; the minus sign is not a hyphen, and a zero has none."""
    assert [fixed(x, 1) for x in (0.25, -0.25, -0.01, np.nan)] == ["0.3", "−0.3", "0.0", "–"]
    assert [signed(x, 2) for x in (0.5, -0.5, 0.001)] == ["+0.50", "−0.50", "0.00"]
    assert [percent(x) for x in (0.625, np.nan)] == ["63%", "–"]
    assert [percent(x) for x in (0, 0.004, 0.0101, 0.99, 0.9988, 1)] == [
        *("0%", "< 1%", "1%", "99%", "> 99%", "100%")
    ]


@pytest.mark.parametrize("measure", ["nDCG@10", "CG(gains='0-1-10-100')@5"])
def test_scripts_draw_the_table_that_was_there(measure, browser, qrels, tmp_path) -> None:
    """The browser computes it anew."""
    path = tmp_path / "page.html"
    sentence = write(path, pydocs.runs(), qrels, measure)
    rows = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    with opened(browser, path, ready=False, java_script_enabled=False) as page:
        assert page.locator("#answer").is_visible()
        assert page.locator("noscript .notice").is_visible()
        assert page.locator("#controls").is_hidden()
        before = [
            row.locator("th, td").all_inner_texts() for row in page.locator("#order tr").all()
        ]
    with opened(browser, path) as page:
        after = page.locator("#order tr").evaluate_all(rows)
        assert page.locator("#answer").inner_text().replace("\u2068", "").replace(
            "\u2069", "") == sentence  # fmt: skip
    assert after == before


def test_the_sentence_is_about_its_own_setting(browser, qrels, tmp_path) -> None:
    """What was proved and resampled is not said of another; Reset and Back return to it.

    It stays in sight, with the setting that it is about, and moves nothing below it.
    """
    path = tmp_path / "page.html"
    write(path, pydocs.runs(), qrels)
    with opened(browser, path) as page:
        sentence = page.locator("#answer").inner_text()
        describes = page.locator("#sentence").inner_text()
        below = page.locator("#layout").bounding_box()["y"]
        page.locator("#k").fill("3")
        settled(page)
        now = page.locator("#answer").inner_text()
        assert "nDCG@3" in now
        assert "resampled" not in now
        assert "weighting" not in now
        assert page.locator("#sentence").inner_text() == f"When the page was written: {sentence}"
        assert "nDCG@10" in sentence
        assert "resampled" in sentence
        assert page.locator("#layout").bounding_box()["y"] == below
        results = results_of(pydocs.runs(), qrels, "nDCG@3")
        means = results.groupby("name")["value"].mean().sort_values(ascending=False)
        best, second = means.index[:2]
        row = pt_cumgain.intervals(results, baseline=second).set_index("name").loc[best]
        numbers = [float(x.replace("−", "-")) for x in re.findall(r"[−\d.]*\d\.\d+", now)]
        assert "cannot be told apart" in now
        mean, *ends = row[["mean", "difference", "difference_low", "difference_high"]]
        assert numbers == pytest.approx([mean, means[second], *ends], abs=5.01e-4)
        page.click("#reset")
        settled(page)
        assert page.locator("#answer").inner_text() == sentence
        assert page.locator("#sentence").inner_text() == describes
        page.go_back()
        page.wait_for_function("cumgain.state.k === 3")
        page.go_back()
        page.wait_for_function("cumgain.state.k === 10")
        assert page.locator("#answer").inner_text() == sentence
        assert page.locator("#reset").is_hidden()


def test_all_that_are_best_are_named(browser, tmp_path) -> None:
    """In another setting, too, and among the systems that are shown."""
    runs = {name: {"q": {"a": 1.0}} for name in "ABC"} | {"D": {"q": {"b": 1.0}}}
    path = tmp_path / "page.html"
    write(path, runs, {"q": {"a": 2, "b": 1}}, "CG@1")
    with opened(browser, path) as page:
        answer = page.locator("#answer")
        said = lambda: re.sub("[\u2068\u2069]", "", answer.inner_text())  # noqa: E731
        page.locator("#k").fill("2")
        settled(page)
        assert said() == "A, B and C are best, with equal means: CG@2 2.000, 1.000 above D."
        for box in page.locator("#shown input").all()[:2]:
            box.uncheck()
        settled(page)
        assert said() == "Of the 2 systems shown: C is best: CG@2 2.000, 1.000 above D."


def test_places_that_have_changed_are_shown(browser, tmp_path) -> None:
    """X has a document of level 1, Y one of level 2: a gain of 5 for level 1 exchanges them."""
    runs = {"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    path = tmp_path / "page.html"
    write(path, runs, {"q": {"a": 1, "b": 2}}, "CG@1")
    with opened(browser, path) as page:
        page.locator("#gain-0").fill("5")
        settled(page)
        places = page.locator("#order tbody tr td:first-child").all_inner_texts()
        assert places == ["1 was 2nd", "2 was 1st"]


def test_the_table_is_sorted_by_its_columns(browser, qrels, tmp_path) -> None:
    path = tmp_path / "page.html"
    write(path, pydocs.runs(), qrels)
    with opened(browser, path) as page:
        names = lambda: page.locator("#order tbody bdi").all_inner_texts()  # noqa: E731
        for key, reverse in (("name", False), ("name", True)):
            page.locator(f"[data-sort={key}]").focus()
            page.keyboard.press("Enter")
            settled(page)
            assert names() == sorted(pydocs.runs(), key=str.casefold, reverse=reverse)
            assert page.evaluate("document.activeElement.dataset.sort") == key  # it keeps the focus
        assert page.locator("#order [aria-sort=descending]").inner_text().startswith("system")
