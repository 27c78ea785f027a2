"""Tables for papers: the values, the marks and the tests; text, Markdown, LaTeX, HTML, CSV."""

from __future__ import annotations

import io
import math
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import (
    CG,
    correlation_table,
    friedman,
    grid,
    intervals,
    nDCG,
    pairwise,
    paper_table,
    pydocs,
    rank_correlation,
)
from pt_cumgain.analysis.pairs import TESTS
from pt_cumgain.options import PAIR_TESTS
from pt_cumgain.presentation.rendering import BEST, Cell, Head, Table, break_lines
from tests.support.helpers import by_query
from tests.support.presentation.browser import opened
from tests.support.presentation.latex import read_pdf, typeset


def made_up(systems: int, measures: dict[str, float], topics: int = 9) -> pd.DataFrame:
    """Results in which the last system is best, with long names."""
    rng = np.random.default_rng(1)
    rows = [
        (f"system-{i}_of a long name", str(q), measure, level + i / 20 + rng.random() / 5)
        for measure, level in measures.items()
        for i in range(systems)
        for q in range(topics)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_values_and_the_best_of_each_row() -> None:
    """Expected: means by pandas; equal ones to this many places share the mark."""
    results = by_query()
    table = paper_table(results)
    frame = table.to_frame()
    means = results.groupby(["measure", "name"])["value"].mean().unstack()
    names = list(pydocs.runs())
    assert frame.index.tolist() == results["measure"].unique().tolist()
    assert [column.split(" ", 1)[1] for column in frame] == results["name"].unique().tolist()
    for measure, row in frame.iterrows():
        best = means.loc[measure].round(3).max()
        for column, text in row.items():
            value = means.loc[measure, column.split(" ", 1)[1]]
            expected = f"{value:.3f}" + (BEST if round(value, 3) == best else "")
            assert text.split(" ")[0] == expected
    assert set(table.means.columns) == set(names)
    assert table.note.splitlines()[0] == "•: best value of each measure."


@pytest.mark.parametrize("test", [test for test in TESTS if test != "equivalence"])
def test_letters_are_those_of_the_pairs(test: str) -> None:
    """Expected: `pairwise`, whose `better` stands in the row of one system, behind its value."""
    results = by_query()
    table = paper_table(results, test=test, resamples=500)
    pairs = pairwise(results, test=test, resamples=500)
    letters = dict(zip(results["name"].unique(), "abcde"))
    assert PAIR_TESTS[test] in table.note
    assert ("Holm-corrected within each measure" in table.note) == (not TESTS[test].corrects)
    assert "42 topics" in table.note
    shown = [cell.marks for row in table.cells for cell in row]
    for row, marks in zip(table.data.itertuples(), shown, strict=True):
        of_measure = pairs[(pairs["measure"] == row.measure) & (pairs["better"] == row.name)]
        beaten = {*of_measure["name"], *of_measure["other"]} - {row.name}
        for whole in ("abc", "bcd", "cde", "abcd", "bcde"):
            marks = marks.replace(f"{whole[0]}–{whole[-1]}", ",".join(whole))
        assert set(filter(None, marks.split(","))) == {letters[name] for name in beaten}
        assert set(filter(None, row.better_than.split("; "))) == beaten
        lost = (pairs["measure"] == row.measure) & ~pairs["better"].isin(["", row.name])
        lost &= (pairs["name"] == row.name) | (pairs["other"] == row.name)
        assert set(filter(None, row.worse_than.split("; "))) == set(pairs["better"][lost])


def test_friedman_first_then_the_pairs() -> None:
    """Where Friedman's test finds nothing no pair is marked, whatever Conover's says of it."""
    rng = np.random.default_rng(11)
    parts = []
    for i in range(60):
        rows = [(s, str(q), f"m{i}", rng.random()) for s in "ABC" for q in range(8)]
        parts.append(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    results = pd.concat(parts)
    tested = friedman(results, correction=None).set_index("measure")
    table = paper_table(results, test="friedman", correction=None)
    marked = table.data.groupby("measure")["better_than"].agg(lambda marks: "".join(marks) != "")
    assert not marked[tested.index[tested["p"] >= 0.05]].any()
    conover = (
        pairwise(results, test="conover", correction=None).groupby("measure")["better"].agg("".join)
    )
    assert (conover[tested.index[tested["p"] >= 0.05]] != "").any()
    assert table.tests.equals(tested)
    readings = paper_table(results, correction=None, marks="reading").to_frame()["Stat. Sign."]
    assert readings.to_dict() == tested["reading"].to_dict()
    below = paper_table(results, correction=None, marks="reading", rows="systems")
    for measure, words in tested["reading"].items():
        assert f"{measure}: {words or 'no pair differs significantly'}." in below.notes


def test_two_systems_are_compared_by_wilcoxon() -> None:
    results = by_query()
    two = results[results["name"].isin(["BM25", "First word"])]
    table = paper_table(two, test="friedman")
    assert "Wilcoxon's signed-rank test; 42 topics" in table.note
    assert (table.data["better_than"] == "First word").any()


def test_daggers_against_a_baseline() -> None:
    """Expected: `pairwise`; one dagger below 0.05, two below 0.01."""
    results = made_up(6, {"m": 0.5, "n": 0.5}).replace("system-0_of a long name", "BM25")
    table = paper_table(results, test="t", baseline="BM25", correction=None)
    pairs = pairwise(results, baseline="BM25", correction=None).set_index(["measure", "name"])["p"]
    shown = [cell.marks for row in table.cells for cell in row]
    signs = pd.Series(shown, index=table.data.set_index(["measure", "name"]).index)
    words = "(paired t-test against BM25, uncorrected; 9 topics)."
    assert f"† differs significantly, p < 0.05; ‡ p < 0.01 {words}" in table.note
    for at, p in pairs.items():
        assert signs[at] == ("‡" if p < 0.01 else "†" if p < 0.05 else "")
    assert {"†", "‡"} <= set(signs)
    assert (signs[:, "BM25"] == "").all()


def test_systems_with_topics_of_their_own() -> None:
    """Expected: `pairwise`; the note has the numbers of topics in the order of the table."""
    rng = np.random.default_rng(3)
    rows = [
        (name, f"{name}{q}", measure, level + rng.random())
        for measure in ("nsDCG@10", "sDCG@10")
        for name, level, topics in (("A", 0, 9), ("B", 0.1, 12), ("C", 0.9, 10))
        for q in range(topics)
    ]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    means = results.groupby(["measure", "name"])["value"].mean()
    for test in ("welch", "mann-whitney"):
        table = paper_table(results, systems=["B", "A", "C"], test=test)
        assert "Holm-corrected within each measure; 12, 9 and 10 sessions)." in table.note
        pairs = pairwise(results, test=test).set_index(["measure", "name", "other"])
        drawn = table.pairs.set_index(["measure", "name", "other"])
        assert drawn.loc[("sDCG@10", "B", "C"), "p"] == pairs.loc[("sDCG@10", "B", "C"), "p"]
        of_table = table.data.set_index(["measure", "name"])["mean"]
        assert of_table.to_dict() == pytest.approx(means.to_dict(), rel=1e-12)
    plain = paper_table(results, test=None, interval=True, places=2)
    assert "9, 12 and 10 sessions." in plain.notes
    ends = intervals(results)
    assert (plain.data["low"].tolist(), plain.data["high"].tolist()) == (
        ends.sort_values("measure", kind="stable")["low"].tolist(),
        ends.sort_values("measure", kind="stable")["high"].tolist(),
    )
    fewer = results[(results["measure"] == "sDCG@10") | (results["qid"] != "B3")]
    assert "9 to 12 sessions for each system." in paper_table(fewer, test=None).notes
    with pytest.raises(ValueError, match="test='welch' and test='mann-whitney' of pairwise"):
        paper_table(results)


def test_the_reading_of_the_papers() -> None:
    """TOIS 2002, table 2: systems have letters, and stand in order of their merit.

    As there, nothing is corrected by default.
    """
    results = by_query()
    table = paper_table(results, marks="reading")
    letters = dict(zip(results["name"].unique(), "ABCDE"))
    assert [head.key for head in table.columns] == [*"ABCDE", ""]
    assert "(Friedman's test with Conover's post-hoc test, uncorrected; 42 topics)." in table.note
    uncorrected = friedman(results, correction=None).set_index("measure")["reading"]
    holm = friedman(results).set_index("measure")["reading"]
    assert (uncorrected != holm).any()
    corrected = paper_table(results, marks="reading", correction="holm")
    assert "Holm-corrected" in corrected.note
    assert (corrected.to_frame()["Stat. Sign."] != table.to_frame()["Stat. Sign."]).any()
    assert "Holm-corrected" in paper_table(results, marks="reading", test="t").note
    for measure, words in uncorrected.items():
        line = table.to_frame().loc[measure, "Stat. Sign."]
        named = {name: letters[name] for name in letters}
        better = {
            (b, w)
            for phrase in filter(None, words.split("; "))
            for b in phrase.split(" > ")[0].split(",")
            for w in phrase.split(" > ")[1].rstrip("*").split(",")
        }
        phrases = line.split("; ")
        printed = {
            (b, w)
            for phrase in phrases
            if ">" in phrase
            for b in phrase.split(" > ")[0].split(",")
            for w in phrase.split(" > ")[1].rstrip("*").split(",")
        }
        assert printed == {(named[b], named[w]) for b, w in better}
    assert not set("ABCDE") & {cell.marks for row in table.cells for cell in row}
    many = paper_table(made_up(12, {"m": 0.5}), marks="reading")
    assert len(many.columns) == 12
    assert many.notes[-1].startswith("m: L,K,")


def test_intervals_in_the_cells() -> None:
    """Expected: `intervals`."""
    results = by_query()
    table = paper_table(results, interval=True, confidence=0.9, places=2, test=None)
    ends = intervals(results, confidence=0.9).set_index(["measure", "name"])
    for row in table.data.itertuples():
        assert (row.low, row.high) == tuple(ends.loc[(row.measure, row.name), ["low", "high"]])
    first = table.cells[0][0]
    low, high = ends.iloc[0][["low", "high"]]
    assert first.interval == f"[{low:.2f}, {high:.2f}]"
    assert "[low, high]: 90% BCa bootstrap confidence interval over topics." in table.notes
    more = paper_table(results, interval=True, confidence=0.975, test=None)
    assert "[low, high]: 97.5% BCa bootstrap confidence interval over topics." in more.notes


def test_order_labels_and_places() -> None:
    """In the order of a grid, a list, a mapping or a categorical column; only what is asked for."""
    measures = grid([nDCG], gains={"w100": "0-1-10-100", "w1": "0-1-1-1"}, cutoffs=10)
    results = made_up(3, {str(measures[1]): 0.2, "P@5": 0.3, str(measures[0]): 0.4})
    names = results["name"].unique().tolist()
    places = {measures[0]: 1, "nDCG w1": 4}
    table = paper_table(results, measures=measures, test=None, places=places)
    assert [head.text for head in table.rows] == ["nDCG w100", "nDCG w1"]
    assert [len(row[0].text) for row in table.cells] == [3, 6]
    again = paper_table(measures.rename(results), measures=measures, test=None, places=places)
    assert again.to_text() == table.to_text()
    table = paper_table(
        results, systems={names[2]: "third", names[0]: "first"}, measures=["P@5"], rows="systems",
        baseline=names[0], test="t",
    )  # fmt: skip
    assert [head.text for head in table.rows] == ["third", "first"]
    assert [head.text for head in table.columns] == ["P@5"]
    assert "differs significantly, p" in table.note
    ordered = results.assign(name=pd.Categorical(results["name"], names[::-1]))
    table = paper_table(ordered, test=None)
    assert [head.text for head in table.columns] == names[::-1]
    text = table.to_csv()
    assert text.splitlines()[0] == "measure,name,mean"
    again = pd.read_csv(io.StringIO(text)).set_index(["measure", "name"])["mean"]
    assert again.tolist() == pytest.approx(table.data["mean"].tolist(), rel=1e-12)


def test_the_marks_are_those_of_the_printed_digits() -> None:
    values = {"A": 0.0125, "B": 0.0124, "C": 0.01249}
    rows = [(name, q, "m", value) for name, value in values.items() for q in "12"]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    assert paper_table(results, test=None, places=4).to_frame().loc["m"].tolist() == [
        "0.0125•", "0.0124", "0.0125•",
    ]  # fmt: skip
    small = results.assign(value=[-0.0001, -0.0001, 0, 0, -1, -1])
    assert paper_table(small, test=None).to_frame().loc["m"].tolist() == [
        "0.000•", "0.000•", "-1.000",
    ]  # fmt: skip


def test_a_baseline_is_said_with_letters_and_readings() -> None:
    """Pairs without the baseline are not tested, so nothing is said of them."""
    results = made_up(4, {"m": 0.5})
    name = results["name"].iloc[0]
    table = paper_table(results, baseline=name, marks="reading", test="t", correction=None)
    assert f"paired t-test against {name}, uncorrected; 9 topics" in table.note
    shuffled = results.assign(value=results.groupby("qid")["value"].transform("mean"))
    same = paper_table(shuffled, baseline=name, marks="reading", test="t", rows="systems")
    assert same.notes[-1] == "m: no pair differs significantly."


def test_names_that_are_numbers_or_empty() -> None:
    results = made_up(3, {"m": 0.5})
    numbers = {name: i for i, name in enumerate(results["name"].unique())}
    table = paper_table(results.replace({"name": numbers}), systems=[2, 0], baseline=0, test="t")
    assert [head.text for head in table.columns] == ["2", "0"]
    with pytest.raises(ValueError, match="a system has no name; give it one"):
        paper_table(results.replace({"name": dict.fromkeys(list(numbers)[:1], "")}))


def test_one_topic_and_one_system() -> None:
    one = made_up(1, {"m": 0.5}, topics=1)
    table = paper_table(one, test=None)
    assert table.to_text().splitlines()[-1] == "1 topic."
    assert BEST not in str(table)


NASTY = pd.DataFrame(
    [
        (name, str(q), measure, value + q % 3)
        for measure in ("nDCG(gains='0-1')@5", "50 % & more_less")
        for name, value in (("a_b", 1), ("<C|D>", 2), ("E#[x]", 4))
        for q in range(9)
    ],
    columns=["name", "qid", "measure", "value"],
)


def test_markdown() -> None:
    """The pipes stand below each other; so do digits, since marks stand behind them."""
    table = paper_table(NASTY, places=2)
    assert table.to_markdown().splitlines()[:4] == [
        r"|                     | (a) a\_b | (b) \<C\|D>      | (c) E#\[x]             |",
        r"| :--                 | :--      | :--              | :--                    |",
        r"| nDCG(gains='0-1')@5 | 2.00     | 3.00<sup>a</sup> | **5.00**<sup>a,b</sup> |",
        r"| 50 % \& more\_less  | 2.00     | 3.00<sup>a</sup> | **5.00**<sup>a,b</sup> |",
    ]
    assert "Bold: best value of each measure." in table.to_markdown().splitlines()
    ranged = paper_table(NASTY, measures=["50 % & more_less"], interval=True, test=None)
    heads, _, cells, *_ = ranged.to_markdown().splitlines()
    assert heads.replace(" ", "") == r"||a\_b|\[low,high]|\<C\|D>|\[low,high]|E#\[x]|\[low,high]|"
    assert cells.count(r" | \[") == 3
    readings = paper_table(NASTY, marks="reading").to_markdown()
    assert (
        "\n\n\\>: significantly better in mean rank, \\*\\* p" in readings
    )  # or it would be a quotation


def test_html() -> None:
    page = paper_table(NASTY, places=2)._repr_html_()
    cell = r'<td style="text-align: {}; [^"]*">{}</td>'
    number, marks = cell.format("right", "<b>5.00</b>"), cell.format("left", "<sup>a,b</sup>")
    assert re.search(number + marks, page)
    assert '<th colspan="2" scope="colgroup">(b) &lt;C|D&gt;</th>' in page
    assert re.search(
        r'<th scope="row" style="text-align: left[^>]*>50 % &amp; more_less</th>', page
    )
    assert page.startswith('<table style="font-variant-numeric: tabular-nums">')
    assert "<C|D>" not in page
    assert "p &lt; 0.05" in page
    assert page.count("<tr>") == 3
    ranged = paper_table(NASTY, interval=True, test=None).to_html()
    assert '<th colspan="2" scope="colgroup">a_b</th>' in ranged
    assert ranged.count("<small>[") == 2 * 3
    assert "<sup>" not in ranged


#: Measures in columns; two differ in nothing but the cutoff.
CUTOFFS = ["nDCG@10", "nDCG@100", "CG@10", "AP"]


def test_heads_in_two_rows() -> None:
    """Measures above, cutoffs below, where a measure has several cutoffs."""
    table = paper_table(made_up(3, dict.fromkeys(CUTOFFS, 0.3)), rows="systems", test=None)
    lines = table.to_latex().splitlines()
    at = lines.index(r"\toprule")
    assert lines[at + 1 : at + 4] == [
        r" & \multicolumn{2}{c}{nDCG} & CG &  \\ \cmidrule(l){2-3} \cmidrule(l){4-4}",
        r" & @10 & @100 & @10 & AP \\",
        r"\midrule",
    ]
    page = table.to_html()
    for head in ('<th colspan="2" scope="colgroup">nDCG</th>', '<th colspan="1" scope="col">@100<'):
        assert head in page
    assert table.to_text().splitlines()[0].split() == CUTOFFS
    long = dict.fromkeys(["effectiveness@5", "effectiveness@9"], 0.3)  # as wide as two columns
    table = paper_table(made_up(3, long), rows="systems", test=None)
    assert r" & \multicolumn{2}{c}{effectiveness} \\ \cmidrule(l){2-3}" in table.to_latex()
    table = paper_table(made_up(3, dict.fromkeys(CUTOFFS[1:], 0.3)), rows="systems", test=None)
    assert r" & nDCG@100 & CG@10 & AP \\" in table.to_latex().splitlines()
    assert '<th colspan="1" scope="col">nDCG@100</th>' in table.to_html()


def test_latex() -> None:
    latex = paper_table(NASTY, places=2).to_latex(caption="50 % better", label="t:x")
    lines = latex.splitlines()
    assert lines[:6] == [
        r"% needs \usepackage{booktabs,graphicx}",
        r"\begin{table}[t]", r"\centering", r"\caption{50 \% better}", r"\label{t:x}",
        r"\noindent\begin{minipage}{\linewidth}\centering",
    ]  # fmt: skip
    assert r"\begin{tabular}{@{}lr@{}lr@{}lr@{}l@{}}" in lines
    assert r" & (a) a\_b & & (b) $<$C\textbar{}D$>$ & & (c) E\#{[}x{]} & \\" in lines
    cells = [r"50 \% \& more\_less", "2.00", "", "3.00", r"\textsuperscript{a}"]
    assert " & ".join([*cells, r"\textbf{5.00}", r"\textsuperscript{a,b} \\"]) in lines
    assert paper_table(NASTY).to_latex(width=3.3, label="x").splitlines()[1] == r"\begin{table}[t]"
    assert paper_table(NASTY).to_latex(width=7, label="x").splitlines()[1] == r"\begin{table*}[t]"
    assert paper_table(NASTY).to_latex(width=7).splitlines()[1].startswith(r"\noindent\begin{mini")
    names = {"a_b": "*a--b", "<C|D>": 'say "C"\nλ', "E#[x]": "−1"}
    some = paper_table(NASTY, systems=names, rows="systems", test=None).to_latex()
    assert r"{*}a-{}-b & " in some
    assert r"say ''C'' λ & " in some
    assert r"$-$1 & \textbf" in some
    below = NASTY.assign(value=-NASTY["value"])
    assert "$-$5.000" in paper_table(below, test=None).to_latex()
    assert r"\begin{minipage}{\ifdim\wd0<1.5in 1.5in\else" in paper_table(NASTY).to_latex(width=1.5)
    for wrong in ("3in", 0, 227):  # TeX's largest dimension is 226.7 inches
        with pytest.raises(ValueError, match=rf"width={wrong!r} must be inches, such as 3\.3 or 7"):
            paper_table(NASTY).to_latex(width=wrong)


LONG = "nDCG(gains='0-1-10-100',discount='original',base=10,avg_pos=True)@100"
TO_PRINT = {
    "nasty": lambda: paper_table(NASTY),
    "readings": lambda: paper_table(NASTY, marks="reading"),
    "untested": lambda: paper_table(
        NASTY, systems=["a_b"], test=None, interval=True, confidence=0.9
    ),
    "reading": lambda: paper_table(made_up(12, {LONG: 0.2, "P@5": 0.3}), marks="reading"),
    "letters": lambda: paper_table(made_up(12, {LONG: 0.2, "P@5": 0.3})),
    "systems": lambda: paper_table(made_up(26, {LONG: 0.2, "P@5": 0.3}), rows="systems"),
    "intervals": lambda: paper_table(
        made_up(5, {LONG: 0.2, "P@5": 0.3}),
        interval=True, places=4, test="t", baseline="system-0_of a long name",
    ),
    "correlation": lambda: correlation_table(
        rank_correlation(
            pd.DataFrame(
                np.random.default_rng(0).random((6, 14)),
                columns=[f"{LONG[:30]}{i}" for i in range(14)],
            ).assign(name=list("abcdef"))
        )
    ),
}  # fmt: skip


@cache
def to_print(table: str) -> Table:
    return TO_PRINT[table]()


def latex_of(table: str, **options) -> tuple[str, str]:
    """A table in LaTeX, and the packages that its first line names."""
    latex = to_print(table).to_latex(**options)
    return latex, re.match(r"% needs \\usepackage\{([\w,]+)\}\n", latex)[1]


@pytest.mark.end_to_end
@pytest.mark.parametrize("width", [1.5, 3.3, 7, None])
def test_latex_compiles_and_fits(width: float | None, tmp_path) -> None:
    """Nothing sticks out of the text, in one column or two: TeX reports no overfull box."""
    latex = {
        (table, caption): latex_of(table, width=width, caption=caption)
        for table in TO_PRINT
        for caption in ("A table", None)
    }
    (packages,) = {packages for _, packages in latex.values()}
    text = "".join(rf"\typeout{{{name}}}{text}\clearpage " for name, (text, _) in latex.items())
    said = typeset(text, tmp_path, width=7, columns=1 + (width != 7), packages=packages)
    assert "Overfull" not in said, said


@pytest.mark.end_to_end
def test_latex_warns_of_type_too_small_to_read(tmp_path) -> None:
    """LaTeX measures it; a table that has room is not scaled, and nothing is said."""
    for table, warned in (("letters", True), ("nasty", False)):
        latex, packages = latex_of(table, width=3.3)
        said = typeset(latex, tmp_path, packages=packages)
        assert ("Package pt-cumgain Warning: table too wide" in said) == warned


BEST_OF = "Bold: best value of each measure."
BY_RANKS = "(Friedman's test with Conover's post-hoc test, uncorrected; 9 topics)."
BY_T = "(paired t-test, Holm-corrected within each measure; 9 topics)."
#: What stands below a table where there is bold type, word by word.
NOTES = {
    "nasty": [
        BEST_OF,
        f"Letters: significantly better than the system of that letter, p < 0.05 {BY_T}",
    ],
    "readings": [
        BEST_OF,
        f">: significantly better in mean rank, ** p < 0.01, * p < 0.05 {BY_RANKS}",
    ],
    "intervals": [
        BEST_OF,
        "† differs significantly, p < 0.05; ‡ p < 0.01 (paired t-test "
        "against system-0_of a long name, Holm-corrected within each measure; 9 topics).",
        "[low, high]: 95% BCa bootstrap confidence interval over topics.",
    ],
    "correlation": ["Kendall's tau-b between the measures' rankings of the systems."],
    "untested": ["9 topics.", "[low, high]: 90% BCa bootstrap confidence interval over topics."],
}


class Visible(HTMLParser):
    """What of HTML is seen; a line ends at each break, cell and caption."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, _attributes: object = None) -> None:
        if tag in ("br", "td", "th", "caption"):
            self.text += "\n"

    handle_endtag = handle_starttag


def read_lines(table: Table, kind: str, folder: Path) -> list[str]:
    """The lines of a table as they are seen in a format."""
    if kind == "text":
        return table.to_text(72).replace(f"{BEST}:", "Bold:").splitlines()
    if kind == "markdown":
        return [re.sub(r"\\(.)", r"\1", line) for line in table.to_markdown().splitlines()]
    if kind == "html":
        page = Visible()
        page.feed(table.to_html())
        return page.text.splitlines()
    return read_pdf(table.to_latex(width=7), folder, packages="booktabs,graphicx")


@pytest.mark.parametrize(
    "kind",
    ["text", "markdown", "html", pytest.param("latex", marks=pytest.mark.end_to_end)],
)
@pytest.mark.parametrize("table", NOTES)
def test_notes_are_seen_below_in_every_format(table: str, kind: str, tmp_path) -> None:
    """Each note begins a line and is whole; expected: the words that are written above."""
    lines = read_lines(to_print(table), kind, tmp_path)
    whole = " ".join(" ".join(lines).split())
    assert len(to_print(table).notes) == len(NOTES[table])
    for note in NOTES[table]:
        assert whole.count(note) == 1, (note, whole)
        first = " ".join(note.split()[:3])
        assert any(line.startswith(first) for line in lines), (first, lines)
    if kind != "html":  # its caption is written first, and set below
        assert whole.endswith(" ".join(NOTES[table]))


def test_notes_stand_in_the_source_of_latex() -> None:
    """Below the rule, escaped; where there is no LaTeX this alone can be seen."""
    below = paper_table(NASTY, systems={"a_b": "a_b", "E#[x]": "50 %"}, baseline="a_b", test="t")
    tail = below.to_latex().partition(r"\bottomrule")[2]
    assert "Bold: best value of each measure.\\par\n" in tail
    assert (
        r"\ddag{} differs significantly, p $<$ 0.01 (paired t-test against a\_b; "
        r"9 topics)."
    ) in tail


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("table", TO_PRINT)
def test_text_fits_a_terminal(table: str, width: int) -> None:
    made = to_print(table)
    lines = made.to_text(width).splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines)
    for row in made.cells:
        assert all(cell.text in words for cell in row)


def test_text_is_broken_and_stands_in_blocks() -> None:
    """Heads first, then labels, then blocks of columns; a single column stays whole."""
    table = paper_table(made_up(3, {"P@5": 0.2, LONG: 0.2}), rows="systems", test=None)
    assert table.to_text(200).splitlines()[0].endswith(f"P@5  {LONG}")
    assert table.to_text(60).splitlines()[:4] == [
        " " * 34 + "nDCG(gains='0-1-10-100',",
        " " * 38 + "discount='original',",
        " " * 28 + "P@5  base=10,avg_pos=True)@100",
        "system-0_of a long name  0.313" + " " * 22 + "0.310",
    ]
    lines = table.to_text(18).splitlines()
    assert lines[:3] == ["             P@5", "system-   0.313", "  0_of a"]
    assert "" in lines
    assert lines[-1] == "9 topics."
    assert "0.313" in table.to_text(1)
    with pytest.raises(ValueError, match="width=0 must be characters, such as 100"):
        table.to_text(0)


def test_wide_characters_take_two_places() -> None:
    """Unicode's annex 11: Chinese characters are as wide as two letters; accents have no width."""
    names = ["检索", "e\u0301te\u0301", "abcd"]
    cells = [
        [Cell("0.1"), Cell("0.25")],
        [Cell("0.2"), Cell("0.5", best=True)],
        [Cell("-10.3")] * 2,
    ]
    table = Table([Head("检索系统"), Head("n")], [*map(Head, names)], cells, ["检索系统 检索"])
    assert table.to_text().splitlines() == [
        "      检索系统       n",
        "检索       0.1    0.25",
        "e\u0301te\u0301        0.2    0.5•",
        "abcd     -10.3  -10.3",
        "检索系统 检索",
    ]
    assert table.to_text(9).splitlines()[-2:] == ["检索系统", "检索"]
    assert break_lines("ＡＢＣ", 4) == ["ＡＢ", "Ｃ"]  # so are Latin letters of full width


def test_columns_without_marks_leave_no_room_for_them() -> None:
    text = paper_table(NASTY, systems=["a_b"], test=None, interval=True).to_text()
    assert text.count("  2.000 [") == 2


def test_points_stand_below_each_other() -> None:
    """In text, Markdown, HTML and LaTeX, whatever the number of digits."""
    cells = [[Cell("0.25")], [Cell("13.5", best=True)], [Cell("-7")], [Cell("")], [Cell("–")]]
    table = Table([Head("m")], [*map(Head, "abcde")], cells, ["x"])
    assert table.to_text().splitlines()[:5] == [
        "       m", "a   0.25", "b  13.5•", "c  -7", "e   –",
    ]  # fmt: skip
    assert [line.split(" | ")[1] for line in table.to_markdown().splitlines()[2:7]] == [
        "\u20070.25    |", "**13.5** |", "-7       |", "         |", "\u2007–       |",
    ]  # fmt: skip
    assert re.findall(r"right; [^>]*>(.*?)</td>", table.to_html()) == [
        "0.25", "<b>13.5</b>\u2007", "-7\u2007\u2007\u2007", "", "–\u2007\u2007\u2007",
    ]  # fmt: skip
    latex = table.to_latex()
    for row in (
        r"0.25 \\",
        r"\textbf{13.5}\phantom{0} \\",
        r"$-$7\phantom{0}\phantom{0}\phantom{0}",
    ):
        assert f" & {row}" in latex


def test_digits_are_aligned_in_a_browser(browser, tmp_path) -> None:
    """Chromium: the numbers of a column end at one place, with and without marks and bold type."""
    table = paper_table(NASTY, baseline="a_b", interval=True, test="t", rows="systems")
    (tmp_path / "t.html").write_text(table.to_html(), encoding="utf-8")
    script = """[...document.querySelectorAll("tbody tr")].map(row => {
        const range = document.createRange();
        const walker = document.createTreeWalker(row.cells[1], NodeFilter.SHOW_TEXT);
        range.selectNode(walker.nextNode());
        return Math.round(range.getBoundingClientRect().right);
    })"""
    with opened(browser, tmp_path / "t.html", ready=False) as page:
        assert len(set(page.evaluate(script))) == 1
        assert page.evaluate("document.querySelectorAll('sup').length") == 4


def test_lines_are_broken_after_signs() -> None:
    assert break_lines("discount='original',base=10", 20) == ["discount='original',", "base=10"]
    assert break_lines("abcdefgh", 3) == ["abc", "def", "gh"]
    assert break_lines("a b", math.inf) == ["a b"]


def test_correlations_like_those_of_ipm_2005() -> None:
    """The half below the diagonal; a whole table where rows and columns differ."""
    means = pd.DataFrame(
        {"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2], "x": [1, 1, 1]}
    )
    table = correlation_table(rank_correlation(means))
    assert [head.text for head in table.rows] == ["nCG@5", "x"]
    assert [[cell.text for cell in row] for row in table.cells] == [["0.33", ""], ["–", "–"]]
    two = rank_correlation(means[["name", "CG@5", "nCG@5"]], means[["name", "CG@5", "nCG@5"]])
    assert len(correlation_table(two).rows) == 2  # its diagonal says something
    truth = rank_correlation(means[["name", "CG@5", "nCG@5"]], coefficient="tau-ap")
    assert len(correlation_table(truth).rows) == 2
    assert correlation_table(truth).note.startswith(
        "tau-AP between the measures' rankings of the systems; the row's"
    )
    other = correlation_table(rank_correlation(means[["name", "CG@5"]], means), places=1)
    assert [[cell.text for cell in row] for row in other.cells] == [["1.0", "0.3", "–"]]
    with pytest.raises(TypeError, match="matrix must be a DataFrame"):
        correlation_table([[1]])
    with pytest.raises(ValueError, match="there is no correlation to print"):
        correlation_table(pd.DataFrame())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"places": -1}, "places=-1 must be a whole number of at least 0"),
        ({"places": {"AP": 2}}, "places: there is no measure 'AP'"),
        ({"measures": {"nCG 0-1-1-1": "x", "nCG 0-0-0-1": "x"}}, "measures: two are called 'x'"),
        ({"measures": ["AP"]}, "measures: the results do not have 'AP'; they have nCG 0-"),
        ({"systems": []}, "systems is empty; leave it out for all"),
        ({"systems": ["BM25"]}, "there is nothing to compare: the results have one system"),
        ({"rows": "topics"}, "rows='topics' is unknown; choose from measures, systems"),
        ({"marks": "stars"}, "marks='stars' is unknown; choose from letters, daggers"),
        ({"marks": "daggers"}, "marks='daggers' compare with a baseline; give baseline="),
        ({"test": "equivalence"}, "test='equivalence' is unknown; choose from friedman, t"),
        ({"test": "magic"}, "test='magic' is unknown; choose from friedman, t"),
        ({"confidence": 95, "test": None}, "confidence=95 must be between 0 and 1"),
        ({"baseline": "X"}, "baseline='X' is not one of the systems"),
        ({"baseline": "BM25", "test": None}, "baseline and marks need a test; give test="),
        ({"cluster": {}, "test": None}, "cluster needs a test or interval=True"),
    ],
)  # fmt: skip
def test_wrong_options(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        paper_table(by_query(), **options)


@pytest.mark.filterwarnings("ignore:baseline=.* sorts them")
def test_the_baseline_may_be_a_place_in_the_results() -> None:
    """Whatever the order of the table, and what its systems are called in it."""
    results = by_query()
    names = results["name"].unique().tolist()
    for place in (0, np.int64(2)):
        by_name = paper_table(results, baseline=names[place])
        assert paper_table(results, baseline=place).to_text() == by_name.to_text()
    chosen = {names[3]: "D", names[0]: "A"}
    by_name = paper_table(results, baseline="A", systems=chosen)
    assert paper_table(results, baseline=0, systems=chosen).to_text() == by_name.to_text()
    for wrong in (5, -1, False):
        with pytest.raises(ValueError, match=f"baseline={wrong} is not one of the systems"):
            paper_table(results, baseline=wrong)


def test_a_single_measure_is_a_table() -> None:
    results = by_query().assign(measure="CG@5")
    results = results.drop_duplicates(["name", "qid"])
    one = paper_table(results, measures=CG @ 5, test=None)
    assert one.to_text() == paper_table(results, measures=["CG@5"], test=None).to_text()


def test_wrong_results() -> None:
    results = by_query()
    with pytest.raises(ValueError, match=r"missing columns \['qid'\]"):
        paper_table(results.drop(columns="qid"))
    with pytest.raises(ValueError, match="there are no results"):
        paper_table(results.head(0))
    with pytest.raises(ValueError, match="there are letters for 26 systems, not 27; give a base"):
        paper_table(made_up(27, {"m": 0.5}))


def test_marks_and_intervals_have_columns_of_their_own() -> None:
    """In LaTeX; where there are more columns than have room, intervals stand below the means."""
    table = paper_table(NASTY, baseline="a_b", interval=True, test="t")
    lines = table.to_latex(width=7).splitlines()
    assert r"\begin{tabular}{@{}l" + 3 * r"r@{}l@{\ }l" + "@{}}" in lines
    row = next(line for line in lines if line.startswith(r"50 \%"))
    assert r" & \multicolumn{3}{c}{a\_b} & \multicolumn{3}{c}{$<$C" in "".join(lines)
    assert row.count(" & ") == 3 * 3
    assert row.count(r" & \small {[}") == 3
    lines = table.to_latex(width=3.3).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(r"50 \%"))
    assert r"\begin{tabular}{@{}lr@{}lr@{}lr@{}l@{}}" in lines
    assert r"\small" not in lines[at]
    assert lines[at + 1].count(r" & \multicolumn{2}{l}{\small {[}") == 3
    assert lines[at + 2] == r"\addlinespace"
    two = paper_table(NASTY, baseline="a_b", interval=True, test="t", rows="systems")
    assert r"\multicolumn{2}{l}{\small" not in two.to_latex(width=3.3)


def test_long_labels_and_heads_have_lines_in_latex() -> None:
    table = paper_table(made_up(3, {LONG: 0.2}), test=None)
    lines = table.to_latex().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("nDCG(gains="))
    assert [line.split(" & ")[0] for line in lines[at : at + 3]] == [
        "nDCG(gains='0-1-10-100',", r"\quad discount='original',base=10, \\",
        r"\quad avg\_pos=True)@100 \\",
    ]  # fmt: skip
    assert r" & \begin{tabular}[b]{@{}r@{}}system-0\_of \\ a long name\end{tabular}" in "".join(
        lines
    )


def test_rows_without_a_number_in_a_block_are_left_out() -> None:
    rng = np.random.default_rng(0)
    means = pd.DataFrame(rng.random((6, 9)), columns=[f"measure {i}" for i in range(9)])
    text = correlation_table(rank_correlation(means.assign(name=list("abcdef")))).to_text(50)
    blocks = text.split("\n\n")
    assert len(blocks) > 1
    for line in "\n".join(blocks).splitlines():
        assert not re.fullmatch(r"measure \d", line)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("DCG(discount='original')@10", ["DCG(", "discount='original')", "@10"]),
        ("nDCG(gains='0-1-10')@10", ["nDCG(gains='0-1-10')", "@10"]),
        ("DCG(discount='a-long-discount')", ["DCG(discount=", "'a-long-discount')"]),
        ("system-0_of a name", ["system-0_of a name"]),
        ("a system-of-many-words-indeed", ["a system-of-many-", "words-indeed"]),
    ],
)
def test_where_labels_are_broken(text: str, lines: list[str]) -> None:
    """After blanks, around signs, after hyphens; between letters only if there is nothing else."""
    assert break_lines(text, 21) == lines


def test_sessions_are_not_called_topics() -> None:
    results = made_up(3, {"nsDCG@10": 0.2, "sDCG(gains='exp')@10": 0.3})
    table = paper_table(results, interval=True)
    assert table.unit == "session"
    assert "; 9 sessions)" in table.note
    assert "interval over sessions" in table.note
    assert paper_table(made_up(3, {"nsDCG@10": 0.2, "nDCG@10": 0.3})).unit == "topic"


@pytest.mark.parametrize(
    ("topics", "resamples", "words"),
    [
        (9, 512, "paired randomisation test, exact; 9 topics"),  # 2^9 patterns of signs
        (9, 511, "paired randomisation test, 511 draws; 9 topics"),
    ],
)
def test_the_note_says_whether_a_randomisation_test_is_exact(topics, resamples, words) -> None:
    """Expected: the rule of `pairwise`, which draws only if there are more than `resamples`."""
    results = made_up(2, {"CG": 0.2}, topics)
    assert words in paper_table(results, test="randomisation", resamples=resamples).note


def test_where_no_pair_differs_there_are_no_letters_to_explain() -> None:
    table = paper_table(made_up(3, {"CG": 0.2}).assign(value=lambda f: np.arange(len(f)) % 4))
    assert "No pair differs significantly at p < 0.05 (paired t-test" in table.note
