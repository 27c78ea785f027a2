"""What a page says first: the sentence, and the table of the systems."""

import re

import numpy as np
import pytest
from ir_measures import parse_measure

import pt_cumgain
from pt_cumgain import pydocs
from tests.page.test_report_data import write
from tests.support.browser import change, settled
from tests.support.helpers import evaluate_runs, slow
from tests.support.samples import random_data, results_of

#: Names of systems that need several lines.
LONG = ["IRIT_marked_mu_pair", "elhuyar_rRnk_cbert", "NTU_NMLAB_BM25_ALLQQ", "savantx_nist_run_1"]


def read_answer(page) -> str:
    """Return the sentence that the page shows, without the marks around names."""
    return page.locator("#answer").inner_text().translate({0x2068: None, 0x2069: None})


def read_table(page) -> list[list[str]]:
    """Return the cells of the table of the systems, row by row; of the levels, the words."""
    rows = page.locator("#order tbody tr").all()
    return [
        [*map(str.strip, row.locator("th, td").all_inner_texts()[:-1]),
         row.locator("svg[role=img]").get_attribute("aria-label")]
        for row in rows
    ]  # fmt: skip


def read_numbers(text: str) -> list[float]:
    """Return the numbers with decimals in a text."""
    return [float(x.replace("−", "-")) for x in re.findall(r"[−+]?\d+\.\d+", text)]


def read_names(text: str) -> tuple[list[str], int]:
    """Return the names in a list of systems, and how many there are."""
    names = re.split(", | and ", text)
    more = re.fullmatch(r"(\d+) others", names[-1])
    return (names[:-1], len(names) - 1 + int(more[1])) if more else (names, len(names))


def systems_of(values) -> tuple[dict, dict]:
    """Return runs whose CG@1 is what is given, one of the levels 0 to 9, and the qrels."""
    count = len(next(iter(values.values())))
    qrels = {str(q): {str(level): level for level in range(10)} for q in range(count)}
    runs = {
        name: {str(q): {str(value): 1.0} for q, value in enumerate(row)}
        for name, row in values.items()
    }
    return runs, qrels


def test_the_numbers_of_the_sentence(page, show, qrels) -> None:
    """Each is that of the function of the package that has it."""
    runs, sentence = pydocs.runs(), read_answer(page)
    found = re.match(r"(.+) \(mean (\S+)\) leads (.+) by (\S+), [^;]*; ([^;]+) may", sentence)
    results = evaluate_runs("nDCG@10", qrels, runs)
    frame = pt_cumgain.may_be_best(results).set_index("name")
    first, second = frame["mean"].sort_values(ascending=False).index[:2]
    assert found.group(1, 3) == (first, second)
    assert {first, *read_names(found[5])[0]} == set(frame.index[frame["may_be_best"]])
    pairs = pt_cumgain.pairwise(results, baseline=second).set_index("name")
    numbers = [pairs.loc[first, "difference"], frame.loc[first, "mean"]]
    assert read_numbers(" ".join(found.group(4, 2))) == pytest.approx(numbers, abs=5.01e-4)
    assert sentence.endswith(f" {first} leads under every weighting of the levels.")
    sentence = read_answer(show({name: runs[name] for name in ("BM25", "First word")}, qrels))
    assert re.match(r"BM25 \(mean \S+\) is best, ", sentence)
    row = pt_cumgain.pairwise(results, baseline="First word").set_index("name").loc["BM25"]
    numbers = [frame.loc["BM25", "mean"], *row[["difference", "low", "high"]]]
    assert row["low"] > 0
    assert read_numbers(sentence) == pytest.approx(numbers, abs=5.01e-4)


@pytest.mark.filterwarnings("ignore")  # of constant differences
def test_the_page_and_may_be_best_agree(show) -> None:
    """Under random gains, among the systems shown; A and B are nearly the same."""
    draws = np.random.default_rng(3)
    levels = np.clip(draws.normal(np.arange(3, 7.5, 0.5)[:, None], 2, (9, 12)), 0, 9).astype(int)
    levels[1, 3:] = levels[0, 3:]
    names = list("ABCDEFGHI")
    runs, qrels = systems_of(dict(zip(names, levels)))
    page, verbs = show(runs, qrels, "CG@1", depth=5), set()
    for i in range(40):
        gains = draws.choice([0, 0.1, 0.3, 1, 5], 10).tolist() if i % 4 else list(range(10))
        shown = (draws.random(9) < draws.choice([0.3, 0.9])).tolist()
        shown[i % 8] = shown[8] = True
        change(page, gains=gains, shown=shown)
        values = np.array(gains)[levels]
        kept = {name: row for name, row, is_shown in zip(names, values, shown) if is_shown}
        verbs.add(check_who_may_be_best(read_answer(page), kept))
    assert verbs == {"leads", "is best", "share the highest mean"}


def check_who_may_be_best(sentence: str, values: dict[str, np.ndarray]) -> str:
    """Compare who may be best, in a sentence, with `may_be_best`; return the verb."""
    frame = pt_cumgain.may_be_best(results_of(values)).set_index("name")
    first = set(frame.index[frame["mean"] >= frame["mean"].max() - 1e-12])
    others = set(frame.index[frame["may_be_best"]]) - first
    subject, verb = re.match(
        r"(?:Of the .* shown: )?(.*?)(?: \(mean \S+\))? (is best|leads|share the highest mean)\b",
        sentence,
    ).groups()
    also = re.search(r"; ([^;]*) may also be best", sentence) or re.search(
        r"leads (.*) by [^;]*, which (?:is not significant|cannot be tested)\b", sentence
    )
    for text, expected in ((subject, first), (also and also[1], others)):
        listed, count = read_names(text) if text else ([], 0)
        assert count == len(expected), sentence
        assert set(listed) <= expected, sentence
        assert len(listed) == (count if count < 5 else 3)
    single = "leads" if others else "is best"
    assert verb == ("share the highest mean" if len(first) > 1 else single)
    return verb


@pytest.mark.filterwarnings("ignore:1 topic")
@pytest.mark.parametrize(
    ("values", "measure", "said"),
    [
        ({"A": [2, 3, 5], "B": [1, 2, 4]}, "CG@1",
         r"A \(\S+ 3\.333\) leads B by 1\.000, which cannot be tested\."),
        ({"X": [2], "Y": [1]}, "CG@1", r"X \(mean 2\.000\) leads Y by 1\.000\.(?!.*best)"),
        ({"X": [3, 3], "Y": [2, 2], "Z": [2, 1]}, "CG@1",
         r"X \(.*\) leads Y by 1\.000, which cannot be tested; Y and Z may also be best"),
        ({"X": [2, 2], "Y": [2, 1]}, "CG(gains='1:1,2:1.0002')@1",
         r"X \(.*\) leads Y by less than 0\.001"),
        ({"X": [2, 2], "Y": [2, 1]}, "CG(gains='1:20,2:20.004')@1",
         r"X \(.*\) leads Y by less than 0\.01,"),
        ({"X": [2, 1], "Y": [2, 1], "Z": [1, 0]}, "CG@1",
         r"X and Y share the highest mean \(1\.500\); Z may also be best\.$"),
        ({"X": [9, 8, 9], "Y": [1, 1, 2]}, "CG@1", r"X \(.*\) is best, 7"),
        ({"X": [9, 8, 9], "Y": [1, 1, 2]}, "CG(ties='best')@1",  # of equal scores below the cutoff
         r"X \(.*\) is best on these judgments, 7"),
        ({"X": [9, 8, 9], "Y": [1, 1, 2], "U": [77] * 3}, "CG@1",  # 77 is not judged
         r"X \(.*\) is best on these judgments, 7.*no document of U is judged\.$"),
        ({"X": [2, 1], "Y": [2, 1]}, "nDCG@1", r"X and Y share the highest mean \(\S+\)\.$"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*less than level 2", "ignore:U. none of its documents")
def test_sentences_by_hand(values, measure, said, show) -> None:
    """A constant lead has no test, one topic no best; a difference does not print as 0."""
    page = show(*systems_of(values), measure, depth=5)
    assert re.match(said, read_answer(page))
    assert not re.search(r"[−+]0\.0+\b", page.locator("#order").inner_text())
    change(page, k=2)  # there, all values are the same
    assert re.match(said, read_answer(page))


def test_the_sentence_follows_the_baseline_and_the_systems_shown(show) -> None:
    page = show(*systems_of({"X": [3, 3], "Y": [2, 2], "Z": [1, 1]}), "CG@1", baseline="Z")
    said = "; Z is 2.000 below X [2.000, 2.000]."
    assert said in read_answer(page)
    page.locator("#baseline").select_option("0")
    assert said not in read_answer(page)
    page.locator("#baseline").select_option("2")
    change(page, gains=[0, 1, 3, 3, 4, 5, 6, 7, 8, 9])
    found = read_answer(page)
    assert re.match(r"X and Y share the highest mean \(3\.000\); Z may also be best", found)
    assert said in found
    page.locator("#shown input").first.uncheck()
    assert re.match(r"Of the 2 systems shown: Y \(\S+ \S+\) leads Z by 2\.000, ", read_answer(page))


def test_the_sentence_is_about_its_own_setting(page, visit, written, qrels) -> None:
    """What was proved is not said of another, but of another baseline; Reset and Back return."""
    sentence = page.locator("#answer").inner_text()
    assert "weighting" in sentence
    assert "weighting" in visit(written, "#measure=nDCG&k=10&baseline=3").inner_text("#answer")
    page.locator("#k").fill("3")
    settled(page)
    for one in (page, visit(written, "#measure=nDCG&k=3")):
        now = read_answer(one)
        assert "weighting" not in now
        described = pt_cumgain.describe("nDCG@10").text
        described = described.removesuffix(", as implemented in ir-measures")
        said = f"The page was written with {described}."
        assert one.locator("#sentence").inner_text() == said
        means = evaluate_runs("nDCG@3", qrels, pydocs.runs()).groupby("name")["value"].mean()
        first, second = means.sort_values(ascending=False)[:2]
        assert re.search(rf"mean {first:.3f}\).* by {first - second:.3f}, .*may also be best", now)
    page.click("#reset")
    settled(page)
    assert page.locator("#answer").inner_text() == sentence
    for k in (3, 10):
        page.go_back()
        page.wait_for_function("k => cumgain.state.k === k", arg=k)
    assert page.locator("#answer").inner_text() == sentence
    assert page.locator("#reset").is_hidden()


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3, 4, 5)])
@pytest.mark.parametrize("measure", ["nDCG@10", "CG@5", "nCG(ties='best')@3"])
def test_what_is_proved_about_weightings_is_what_dominance_proves(measure, seed, tmp_path) -> None:
    qrels, run = random_data(seed, topics=9)
    runs = {"A": run, **{name: random_data(10 * seed + i, 9)[1] for i, name in enumerate("BC")}}
    proof = write(tmp_path, runs, qrels, measure=measure, depth=20)[0]["proof"]
    best = evaluate_runs(measure, qrels, runs).groupby("name")["value"].mean().idxmax()
    frame = pt_cumgain.dominance(runs, None, qrels, measure, baseline=best)
    holds = (frame["verdict"] == "holds") & frame["better"].isin(["", best])
    expected = "holds" if holds.all() else "depends"
    if (frame["most"] < 0).all():  # the others less the best
        expected = "leads"
    assert proof["verdict"] == expected
    if expected == "depends":
        weighted = parse_measure(measure)(gains=proof["gains"])
        means = evaluate_runs(weighted, qrels, runs).groupby("name")["value"].mean()
        assert means[list(runs)[proof["rival"]]] > means[best]


def test_what_is_proved_is_said(visit, written, tmp_path) -> None:
    """Any of four things, in the page of one of them."""
    was = '"proof":{"verdict":"leads"}'
    text, path = written.read_text("utf-8"), tmp_path / "page.html"
    assert was in text
    for proof, said in [
        ('{"verdict":"holds"}', "On these topics, no other system has a higher mean under any"),
        ('{"verdict":"open"}', "No weighting is known to put another system first (not proved)."),
        ('{"verdict":"depends","rival":1,"gains":"0-1-9"}', "Under the gains 0-1-9, QLD has a"),
        ("null", ""),
    ]:
        path.write_text(text.replace(was, f'"proof":{proof}'), "utf-8")
        found = re.search(r"may also be best\. ?(.*)$", read_answer(visit(path)))[1]
        assert found.startswith(said)
        assert bool(found) == bool(said)


def test_few_judged_documents_are_said_with_true_shares(show) -> None:
    """By hand: of 250 documents, 1 to 250 are judged; 199 are 79.6%, 200 are 80%.

    All values are constant over topics, so no system is excluded from the best. Up to three
    systems are named.
    """
    known = dict(zip("ABCDEFGHIJ", (250, 25, 50, 100, 125, 150, 199, 200, 249, 1)))
    docs = [f"d{i}" for i in range(250)]
    qrels = {str(q): dict.fromkeys(docs, 1) for q in range(6)}  # 6 * 0.8 / 6 is below 0.8
    runs = {}
    for name, judged in known.items():
        ranked = docs[:judged] + [f"x{i}" for i in range(250 - judged)]
        run = {doc: -float(rank) for rank, doc in enumerate(ranked)}
        runs[name] = dict.fromkeys(qrels, run)
    page = show(runs, qrels, "nDCG@250", depth=250)
    words = " Down to rank 250, 7 of 10 systems have under 80% judged (the lowest 0%)"
    named = "; of those that may be best, J (0%), B (10%), C (20%) and 4 others."
    assert read_answer(page).endswith(words + named)
    column = {row[1]: row[6] for row in read_table(page)}
    shares = {"J": "0%", "B": "10%", "C": "20%", "D": "40%", "E": "50%", "F": "60%", "G": "79%"}
    assert column == shares | {"A": "100%", "H": "80%", "I": "99%"}
    change(page, measure="DCG", shown=[name in "ACG" for name in known])
    words = "Down to rank 250, fewer than 80% of the documents are judged for C (20%) and G (79%)."
    assert read_answer(page).endswith(words)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([5, 5, 1, 1, 1, 1], "4 of 6 systems have under 80% judged (the lowest 20%)."),
        ([2, 1, 1, 1], "4 of 4 systems have under 80% judged (the lowest 20%); A has 40%."),
    ],
)
def test_of_systems_with_few_judged_documents(counts, words, show) -> None:
    """By hand: of five documents, so many are judged, alternately of level 1 and 2.

    Those of which all are judged exclude the others from the best; so does the one with two.
    """
    docs = [f"d{i}" for i in range(10)]
    qrels = {str(q): {doc: 1 + (i + q) % 2 for i, doc in enumerate(docs)} for q in range(8)}
    found = {name: docs[i : i + count] for i, (name, count) in enumerate(zip("ABCDEF", counts))}
    runs = {
        name: {q: dict.fromkeys([*of, *"vwxyz"][:5], 1.0) for q in qrels}
        for name, of in found.items()
    }
    could = "Depending on the unjudged documents, .*could have a higher mean"
    said = read_answer(show(runs, qrels, "CG@5", depth=5))
    assert re.search(rf" {could}\. Down to rank 5, {re.escape(words)}$", said)


def test_nothing_is_concluded_of_systems_without_a_judged_document(show) -> None:
    """Their ids are those of another collection; the other systems stand as if they were alone."""
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1, "b": 1}}
    known = {"X": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "Y": {"q": {"b": 1.0}, "r": {"b": 1.0}}}
    others = {name: {q: {"D1": 1.0} for q in qrels} for name in "UV"}
    alone = read_answer(show(known, qrels, depth=20))
    with pytest.warns(
        UserWarning, match="[UV]: none of its documents down to rank 20 in these 2 topics is"
    ):
        page = show({"U": others["U"], **known, "V": others["V"]}, qrels, depth=20)
    without = "On this page, no document of U and V is judged."
    assert read_answer(page) == f"{alone} {without}"
    change(page, k=1)
    assert re.match(r"X \(.*?\) leads Y by 0\.250", read_answer(page))
    assert read_answer(page).endswith(without)
    with pytest.warns(UserWarning, match="[UV]: none of its documents"):
        assert read_answer(show(others, qrels)) == without  # and the map is empty


@pytest.mark.parametrize(("measure", "digits"), [("nDCG@10", 3), ("CG(gains='0-1-10-100')@5", 1)])
def test_the_table_has_the_numbers_of_the_analyses(measure, digits, show, qrels) -> None:
    runs = pydocs.runs()
    results = evaluate_runs(measure, qrels, runs)
    means = pt_cumgain.intervals(results).sort_values("mean", ascending=False)
    pairs = pt_cumgain.pairwise(results, baseline="QLD").set_index("name")
    levels = pt_cumgain.trust.gain_by_level(runs, None, qrels, measure)
    levels = levels.pivot(index="name", columns="level", values="value")
    judged = pt_cumgain.bounds(runs, None, qrels, measure).set_index("name")["judged"]
    may = pt_cumgain.may_be_best(results).set_index("name")["may_be_best"]
    page = show(runs, qrels, measure, baseline="QLD")
    rows = read_table(page)
    assert len(rows) == len(runs)
    assert page.locator("#order .may bdi").all_inner_texts() == [n for n in means["name"] if may[n]]
    zero = page.locator("#order").evaluate("it => parseFloat(it.style.getPropertyValue('--zero'))")
    for place, (row, expected) in enumerate(zip(rows, means.itertuples()), 1):
        name = expected.name
        assert row[:2] == [str(place), name]
        numbers = [expected.mean]
        if name == "QLD":
            assert row[4:6] == ["baseline", ""]
        else:
            numbers += [*pairs.loc[name, ["difference", "low", "high"]]]
            assert row[4][0] == ("+" if pairs.loc[name, "difference"] > 0 else "−")
            bar = page.locator(f"#order tr:nth-child({place}) .interval path").get_attribute("d")
            low, high = (float(end) > zero for end in re.fullmatch("M(.*) 5H(.*)", bar).groups())
            assert (low, high) == tuple(pairs.loc[name, ["low", "high"]] > 0)
        numbers += levels.loc[name, [1, 2, 3]].tolist()
        read = read_numbers(" ".join(row[2:6] + row[7:]))
        assert read == pytest.approx(numbers, abs=0.501 * 10**-digits)
        assert row[6] == f"{100 * judged[name]:.0f}%"


def test_means_that_differ_by_rounding_are_in_the_order_of_the_systems(show) -> None:
    """0.1 + 0.2 is not 0.3 in floating point; on a grid of 11 decimals they would be apart here."""
    most = 0.9999973603236346
    assert round((0.1 + 0.2) / most, 11) != round(0.3 / most, 11)
    runs = {"C": {"q": {"d": 1.0}}, "B": {"q": {"c": 1.0}}, "A": {"q": {"a": 2.0, "b": 1.0}}}
    measure = pt_cumgain.CG(gains={1: 0.1, 2: 0.2, 3: 0.3, 4: most}) @ 2
    page = show(runs, {"q": {"a": 1, "b": 2, "c": 3, "d": 4}}, measure)
    assert [row[:2] for row in read_table(page)] == [["1", "C"], ["2", "B"], ["2", "A"]]


def test_the_table_is_sorted_by_its_columns_and_shows_former_places(page) -> None:
    names = lambda: page.locator("#order tbody bdi").all_inner_texts()  # noqa: E731
    for reverse in (False, True):
        page.locator("[data-sort=name]").focus()
        page.keyboard.press("Enter")
        settled(page)
        assert names() == sorted(pydocs.runs(), key=str.casefold, reverse=reverse)
        assert page.evaluate("document.activeElement.dataset.sort") == "name"  # keeps the focus
    assert page.locator("#order [aria-sort=descending]").inner_text().startswith("system")
    page.locator("[data-sort=place]").click()
    change(page, gains=[0, 1, 10, 1], k=3)
    places = page.locator("#order tbody td:first-child").all_inner_texts()
    assert [place.split("\n")[0] for place in places] == list("12345")
    assert "1\nwas 3rd" in places


@pytest.mark.parametrize("size", [(390, 844), (1200, 800), (1366, 768)])
def test_long_names_in_the_table_break_after_their_signs_only(size, show) -> None:
    """Twelve systems and three levels; on a laptop, the table fits, with former places, too."""
    values = {name: [1, 2, 3] for name in ("X", *LONG, *(f"model-{name}" for name in LONG))}
    values |= {"longsinglename": [3, 2, 1], "Y": [1, 1, 2], "Z.1": [2, 2, 2]}
    runs, qrels = systems_of(values)
    qrels = {q: {doc: min(level, 3) for doc, level in docs.items()} for q, docs in qrels.items()}
    page = show(runs, qrels, "CG@1", depth=5, size=size)
    change(page, gains=[0, 9, 1, 1])
    assert "was" in page.locator("#order tbody").inner_text()
    names = page.locator("#order tbody bdi").all()
    parts = [name.inner_html().split("<wbr>") for name in names]
    assert all(part[-1] in "-_." for name in parts for part in name[:-1])
    assert ["IRIT_", "marked_", "mu_", "pair"] in parts
    for name in names:
        assert name.evaluate("it => it.scrollWidth <= it.clientWidth")  # no line is cut
        assert name.evaluate("it => getComputedStyle(it).overflowWrap") == "normal"
    high = [name.bounding_box()["height"] for name in names]
    if size[0] == 390:
        assert max(high) > 1.5 * min(high)  # some names have two lines
    else:
        assert page.locator("#order").evaluate("it => it.scrollWidth - it.clientWidth") == 0
