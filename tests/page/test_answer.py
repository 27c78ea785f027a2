"""What the report says before any script runs: the sentence, and the table."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.comparing.best import may_be_best
from pt_cumgain.page.answer import Answer, fixed, percent, signed
from tests.support.browser import opened, settled
from tests.support.helpers import slow
from tests.support.samples import random_data


def write(path, runs, qrels, measure="nDCG@10", **options):
    """Write a page and return its sentence, without the marks around names."""
    pt_cumgain.report(runs, None, qrels, path=path, measure=measure, depth=20, **options)
    text = path.read_text("utf-8")
    sentence = re.search(r'<p id="answer">(.*)</p>', text)[1]
    return html.unescape(sentence).translate({0x2068: None, 0x2069: None})


def read_answer(page) -> str:
    """Return the sentence that the page shows, without the marks around names."""
    return page.locator("#answer").inner_text().translate({0x2068: None, 0x2069: None})


def write_values(path, values, **options):
    """Write a page on which CG@1 of a system is what is given, one of the levels 0 to 9."""
    qrels = {str(q): {str(level): level for level in range(10)} for q in range(len(values["X"]))}
    runs = {
        name: {str(q): {str(value): 1.0} for q, value in enumerate(row)}
        for name, row in values.items()
    }
    return write(path, runs, qrels, "CG@1", **options)


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
    """Each is that of the function of the package that has it."""
    runs = pydocs.runs()
    sentence = write(tmp_path / "page.html", runs, qrels)
    two = re.match(
        r"(.+) leads (?:\S+ )?by (\S+), .*\(nDCG@10 (\S+)\); ([^;]+) may also be", sentence
    )
    results = results_of(runs, qrels, "nDCG@10")
    frame = may_be_best(results).set_index("name")
    first, second = frame["mean"].sort_values(ascending=False).index[:2]
    assert two[1] == first
    assert {first, *read_names(two[4])[0]} == set(frame.index[frame["may_be_best"]])
    pairs = pt_cumgain.pairwise(results, baseline=second).set_index("name")
    numbers = [frame.loc[first, "mean"], pairs.loc[first, "difference"]]
    assert [float(text) for text in two.group(3, 2)] == pytest.approx(numbers, abs=5.01e-4)
    assert f"{first} leads under every weighting of the levels, but on other topics" in sentence
    runs = {name: runs[name] for name in ("BM25", "First word")}
    found = re.match(
        r"(.+) is best, (\S+) above (.+) \[(\S+), (\S+)\] \(nDCG@10 (\S+)\)\.",
        write(tmp_path / "page.html", runs, qrels),
    )
    assert found.group(1, 3) == ("BM25", "First word")
    results = results_of(runs, qrels, "nDCG@10")
    row = pt_cumgain.pairwise(results, baseline=found[3]).iloc[0]
    said = [float(text.replace("−", "-")) for text in found.group(2, 4, 5)]
    assert row["low"] > 0
    assert said == pytest.approx(row[["difference", "low", "high"]].tolist(), abs=5.01e-4)


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3, 4, 5)])
@pytest.mark.parametrize("measure", ["nDCG@10", "CG@5", "nCG(ties='best')@3"])
def test_the_claim_about_weightings_is_that_of_dominance(measure, seed, tmp_path) -> None:
    qrels, runs = samples(seed)
    sentence = write(tmp_path / "page.html", runs, qrels, measure)
    if "share the highest mean" in sentence:
        assert "weighting" not in sentence
        return
    best = re.match(r"(\w) (is best|leads)", sentence)[1]
    frame = pt_cumgain.dominance(runs, None, qrels, measure, baseline=best)
    holds = (frame["verdict"] == "holds") & frame["better"].isin(["", best])
    is_strict = (frame["most"] < 0).all()  # the others less the best
    proved = re.search(r"\. . leads under every weighting of the levels", sentence)
    assert (proved is not None) == is_strict
    assert ("has a higher mean under any" in sentence) == (holds.all() and not is_strict)
    other = re.search(r"Under the gains (\S+), (\w) has a higher mean", sentence)
    assert (other is not None) == (~holds).any()
    if other:
        name, cutoff = measure.split("@")
        start = f"{name[:-1]}," if ")" in name else f"{name}("
        weighted = f"{start}gains='{other[1]}')@{cutoff}"
        means = results_of(runs, qrels, weighted).groupby("name")["value"].mean()
        assert means[other[2]] > means[best]


def say(values: np.ndarray) -> str:
    """Return the sentence about values by system and topic: of the systems A, B and so on."""
    systems, topics = values.shape
    answer = Answer(
        measure="CG@1",
        names=(names := [chr(ord("A") + system) for system in range(systems)]),
        whole=names,
        topics=[str(topic) for topic in range(topics)],
        levels=np.ones(1),
        values=values,
        judged=np.ones(values.shape),
        parts=values.mean(axis=1, keepdims=True),
        gains=np.ones(1),
        confidence=0.95,
        choices=None,
        corners=None,
    )
    return answer.sentence().translate({0x2068: None, 0x2069: None})


def read_names(text: str) -> tuple[list[str], int]:
    """Return the names in a list of systems, and how many there are."""
    names = re.split(", | and ", text)
    more = re.fullmatch(r"(\d+) others", names[-1])
    return (names[:-1], len(names) - 1 + int(more[1])) if more else (names, len(names))


def check_who_may_be_best(sentence: str, values: dict[str, np.ndarray]) -> str:
    """Compare who may be best with Hsu's comparisons, one system with each other; return the verb.

    A system is excluded if another is better by a one-sided paired t-test at 0.05 over the number
    of the others, or 0.025 of two systems.
    """
    topics = len(next(iter(values.values())))
    quantile = stats.t.ppf(1 - 0.05 / max(len(values) - 1, 2), topics - 1)
    means = {name: row.mean() for name, row in values.items()}
    first = {name for name in values if means[name] >= max(means.values()) - 1e-12}

    def is_excluded(name: str) -> bool:
        leads = [row - values[name] for row in values.values()]
        error = [lead.std(ddof=1) / np.sqrt(topics) for lead in leads]
        return any(lead.mean() > quantile * e + 1e-12 for lead, e in zip(leads, error))

    others = {name for name in values if not is_excluded(name)} - first
    subject, verb = re.match(
        r"(?:Of the .* shown: )?(.*?) (is best|leads|share the highest mean)\b", sentence
    ).groups()
    too = re.search(r"; ([^;]*) may also be best", sentence)
    for text, expected in ((subject, first), (too and too[1], others)):
        names, count = read_names(text) if text else ([], 0)
        assert count == len(expected)
        assert set(names) <= expected
        assert len(names) == (count if count < 5 else 3)
    single = "leads" if others else "is best"
    assert verb == ("share the highest mean" if len(first) > 1 else single)
    return verb


@given(
    st.integers(0, 2**32), st.integers(2, 9), st.integers(2, 30), st.sampled_from([0, 0.1, 0.4, 2])
)
def test_the_sentence_says_who_may_be_best(seed, systems, topics, spread) -> None:
    """Two of the systems are nearly the same, and values are so rough that some means are equal."""
    draws = np.random.default_rng(seed)
    values = draws.normal(draws.normal(0, spread, (systems, 1)), 1, (systems, topics)).round(1)
    values[1] = values[0] + (draws.random(topics) < 0.3) * draws.choice([0, 0.1, 0.3])
    leads = [row - other for row in values for other in values]
    if any(np.ptp(lead) < 1e-9 and abs(lead).max() > 1e-9 for lead in leads):
        return  # a constant lead has no test
    check_who_may_be_best(say(values), dict(zip("ABCDEFGHI", values)))


def test_a_constant_lead_has_no_test() -> None:
    """There is no variance; the other one is not excluded."""
    values = np.arange(20) + np.array([[1.0], [0.0]])
    assert re.match("A leads .*; B may also be best", say(values))


def test_a_lead_that_would_print_as_0_is_said_to_be_small(browser, tmp_path) -> None:
    """By hand: 0.0002 and, where the values are above 10, 0.004, which has two digits there."""
    assert "by less than 0.001" in say(np.array([[0.5002, 0.3], [0.5, 0.3]]))
    assert "by less than 0.01" in say(np.array([[20.004, 9], [20, 9]]))
    runs = {"X": {q: {"a": 1.0} for q in "qr"}, "Y": {"q": {"b": 1.0}, "r": {"a": 1.0}}}
    measure = pt_cumgain.CG(gains={1: 1, 2: 1.0002}) @ 1
    path = tmp_path / "page.html"
    assert "by less than 0.001" in write(path, runs, {q: {"a": 1, "b": 2} for q in "qr"}, measure)
    with opened(browser, path) as page:
        page.evaluate("cumgain.state = {k: 2}")
        settled(page)
        assert "by less than 0.001" in page.locator("#answer").inner_text()


def test_equal_systems_are_said_to_be_equal(tmp_path) -> None:
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    runs = {"X": run, "Y": run, "Z": {"q": {"b": 1.0}}}
    same = "X and Y share the highest mean (nDCG@10 1.000)"
    assert write(tmp_path / "page.html", runs, qrels).startswith(f"{same}; Z may also be best")
    del runs["Z"]
    assert write(tmp_path / "page.html", runs, qrels) == f"{same}."


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
            places = page.locator("#order tbody td:first-child").all_inner_texts()
            assert places == ["1", "2", "2"]  # equal means share a place


def test_each_system_with_few_judged_documents_is_named_with_a_true_share(
    browser, tmp_path
) -> None:
    """By hand: of 250 documents, 25 to 150 are judged; or 199, which are 79.6%; or 200, 80%."""
    known = {"A": 250, "B": 25, "C": 50, "D": 100, "E": 125, "F": 150, "G": 199, "H": 200}
    docs = [f"d{i}" for i in range(250)]
    qrels = {str(q): dict.fromkeys(docs, 1) for q in range(6)}  # 6 * 0.8 / 6 is below 0.8
    runs = {}
    for name, judged in known.items():
        ranked = docs[:judged] + [f"x{i}" for i in range(250 - judged)]
        run = {doc: -float(rank) for rank, doc in enumerate(ranked)}
        runs[name] = dict.fromkeys(qrels, run)
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, qrels, path=path, measure="nDCG@250", depth=250)
    shares = "B (10%), C (20%), D (40%), E (50%), F (60%) and G (< 80%)"
    words = f"Down to rank 250, fewer than 80% of the documents are judged for {shares}."
    for scripts in (False, True):
        with opened(browser, path, ready=scripts, java_script_enabled=scripts) as page:
            assert words in read_answer(page)
            if scripts:
                page.evaluate("cumgain.state = {measure: 'DCG'}")
                settled(page)
                assert read_answer(page).endswith(words)
            column = page.locator("#order tbody td:nth-child(7)").all_inner_texts()
            assert sorted(column) == sorted(
                ["100%", "10%", "20%", "40%", "50%", "60%", "< 80%", "80%"]
            )


def test_one_topic_has_no_best(tmp_path) -> None:
    runs = {"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    sentence = write(tmp_path / "page.html", runs, {"q": {"a": 2, "b": 1}}, "CG@1")
    assert sentence.startswith("X leads Y by 1.000 (CG@1 2.000).")
    assert "best" not in sentence


def test_nothing_is_concluded_of_systems_without_a_judged_document(browser, tmp_path) -> None:
    """Their ids are those of another collection; the other systems stand as if they were alone."""
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1, "b": 1}}
    known = {"X": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "Y": {"q": {"b": 1.0}, "r": {"b": 1.0}}}
    others = {name: {q: {"D1": 1.0} for q in qrels} for name in "UV"}
    path = tmp_path / "page.html"
    alone = write(path, known, qrels)
    with pytest.warns(
        UserWarning, match="[UV]: none of its documents down to rank 20 in these 2 topics is"
    ):
        beside = write(path, {"U": others["U"], **known, "V": others["V"]}, qrels)
    without = "On this page, no document of U and V is judged."
    assert beside == f"{alone} {without}"
    with opened(browser, path) as page:
        page.evaluate("cumgain.state = {k: 1}")
        settled(page)
        found = read_answer(page)
        assert found.startswith("X leads Y by 0.250")
        assert found.endswith(without)
    with pytest.warns(UserWarning, match="[UV]: none of its documents"):
        assert write(path, others, qrels) == without


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
    rows = """rows => rows.map((row) => [...row.cells].map((cell) => {
        const text = cell.cloneNode(true);
        for (const drawn of text.querySelectorAll("svg")) drawn.remove();
        return text.textContent.trim();
    }))"""
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
    """What was proved is not said of another; Reset and Back return to it.

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
        assert "weighting" not in now
        assert page.locator("#then").inner_text() == f"When the page was written: {sentence}"
        assert page.locator("#sentence").inner_text() == f"The page was written with {describes}"
        assert "nDCG@10" in sentence
        assert "weighting" in sentence
        assert page.locator("#layout").bounding_box()["y"] == below
        results = results_of(pydocs.runs(), qrels, "nDCG@3")
        means = results.groupby("name")["value"].mean().sort_values(ascending=False)
        numbers = [float(x) for x in re.findall(r"\d\.\d+", now)]
        assert "may also be best" in now
        assert numbers == pytest.approx([means.iloc[0] - means.iloc[1], means.iloc[0]], abs=5.01e-4)
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


def test_the_page_says_who_may_be_best_as_python_does(browser, tmp_path) -> None:
    """At each rank, and among the systems that are shown; A, B and C are nearly the same."""
    draws = np.random.default_rng(3)
    qrels = {str(q): {str(d): int(draws.integers(0, 4)) for d in range(30)} for q in range(12)}
    order = {
        q: sorted(docs, key=lambda d: (-docs[d] + draws.normal(0, 2), d))
        for q, docs in qrels.items()
    }
    runs = {}
    for i, name in enumerate("ABCDEFGH"):
        runs[name] = {}
        for q, docs in order.items():
            spread = i if i < 3 else 12 + 4 * i
            rank = np.arange(30) + draws.normal(0, 1, 30) * spread
            runs[name][q] = {doc: -float(at) for doc, at in zip(docs, rank)}
    path, verbs = tmp_path / "page.html", []
    write(path, runs, qrels, "CG@20")
    hidden = ["", "ABC", "AD", "ABCDEF", "BCDEFG"]
    measures = {k: f"CG@{k}" for k in range(1, 16)}
    tables = {k: results_of(runs, qrels, measure) for k, measure in measures.items()}
    with opened(browser, path) as page:
        for k, table in tables.items():
            left = hidden[k % len(hidden)]
            shown = [name not in left for name in runs]
            page.evaluate("(to) => { cumgain.state = to; }", {"k": k, "shown": shown})
            settled(page)
            said = read_answer(page)
            assert f"CG@{k} " in said
            values = {n: g["value"].to_numpy() for n, g in table.groupby("name") if n not in left}
            verbs.append(check_who_may_be_best(said, values))
            if not left:
                written = write(tmp_path / "other.html", runs, qrels, measures[k])
                assert said == re.sub(
                    r"(?<=\.) (\w leads|No other system|Under|No weighting).*", "", written
                )
    assert len(set(verbs)) > 1


def test_all_that_have_the_highest_mean_are_named(browser, tmp_path) -> None:
    """In another setting, too, and among the systems that are shown."""
    runs = {name: {"q": {"a": 1.0}} for name in "ABC"} | {"D": {"q": {"b": 1.0}}}
    path = tmp_path / "page.html"
    write(path, runs, {"q": {"a": 2, "b": 1}}, "CG@1")
    with opened(browser, path) as page:
        answer = page.locator("#answer")
        said = lambda: re.sub("[\u2068\u2069]", "", answer.inner_text())  # noqa: E731
        page.locator("#k").fill("2")
        settled(page)
        assert said() == "A, B and C share the highest mean (CG@2 2.000)."
        for box in page.locator("#shown input").all()[:2]:
            box.uncheck()
        settled(page)
        assert said() == "Of the 2 systems shown: C leads D by 1.000 (CG@2 2.000)."


LONG = ["IRIT_marked_mu_pair", "elhuyar_rRnk_cbert", "NTU_NMLAB_BM25_ALLQQ", "savantx_nist_run_1"]


def write_long_names(path) -> None:
    """Write a page of twelve systems, most of them with long names, and three levels."""
    values = {name: [1, 2, 3] for name in ("X", *LONG, *(f"model-{name}" for name in LONG))}
    values |= {"longsinglename": [3, 2, 1], "Y": [1, 1, 2], "Z.1": [2, 2, 2]}
    qrels = {str(q): {str(level): level for level in range(1, 4)} for q in range(3)}
    runs = {
        name: {str(q): {str(value): 1.0} for q, value in enumerate(row)}
        for name, row in values.items()
    }
    pt_cumgain.report(runs, None, qrels, path=path, measure="CG@1", depth=5)


@pytest.mark.parametrize("scripts", [False, True])
def test_names_in_the_table_break_after_their_signs_only(scripts, browser, tmp_path) -> None:
    path = tmp_path / "page.html"
    write_long_names(path)
    phone = {"width": 390, "height": 844}
    with opened(browser, path, ready=scripts, java_script_enabled=scripts, viewport=phone) as page:
        names = page.locator("#order tbody bdi").all()
        parts = [name.inner_html().split("<wbr>") for name in names]
        shown = [name.evaluate("it => it.scrollWidth <= it.clientWidth") for name in names]
        broken = [name.evaluate("it => getComputedStyle(it).overflowWrap") for name in names]
        high = [name.bounding_box()["height"] for name in names]
    assert all(shown)  # no line is cut
    assert set(broken) == {"normal"}  # nowhere else
    assert all(part[-1] in "-_." for name in parts for part in name[:-1])
    assert ["IRIT_", "marked_", "mu_", "pair"] in parts
    assert max(high) > 1.5 * min(high)  # some names have two lines


def test_places_that_have_changed_are_shown(browser, tmp_path) -> None:
    """X has a document of level 1, Y one of level 2: a gain of 5 for level 1 exchanges them."""
    runs = {"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    path = tmp_path / "page.html"
    write(path, runs, {"q": {"a": 1, "b": 2}}, "CG@1")
    with opened(browser, path) as page:
        page.locator("#gain-0").fill("5")
        settled(page)
        places = page.locator("#order tbody tr td:first-child").all_inner_texts()
        assert places == ["1\nwas 2nd", "2\nwas 1st"]


@pytest.mark.parametrize("width", [1200, 1366])
def test_a_table_of_three_levels_fits(width, browser, tmp_path) -> None:
    path = tmp_path / "page.html"
    write_long_names(path)
    with opened(browser, path, viewport={"width": width, "height": 800}) as page:
        room = page.locator("#order").bounding_box()
        last = page.locator("#order th").filter(has_text="level 3").bounding_box()
        assert last["x"] + last["width"] <= room["x"] + room["width"]


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


def test_a_chosen_baseline_is_in_the_first_sentence(browser, tmp_path) -> None:
    """By hand: X gains 3, Y 2 and Z 1 in both topics; pairwise has the differences."""
    qrels = {q: {"a": 3, "b": 2, "c": 1} for q in "qr"}
    runs = {name: {q: {doc: 1.0} for q in qrels} for name, doc in zip("XYZ", "abc")}
    path = tmp_path / "page.html"
    pt_cumgain.report(runs, None, qrels, "CG@1", path=path, baseline="Z")
    said = "Z is 2.000 below X"
    with opened(browser, path) as page:
        settled(page)
        assert said in read_answer(page)
        page.locator("#baseline").select_option("0")
        settled(page)
        assert said not in read_answer(page)
        page.locator("#baseline").select_option("2")
        page.locator("#k").fill("2")
        settled(page)
        assert said in read_answer(page)
