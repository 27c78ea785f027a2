"""A table in print: text, Markdown, LaTeX and HTML; where lines are broken, and what is aligned."""

import html
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pt_cumgain import DCG, describe, nDCG, paper_table
from pt_cumgain.comparing import correlation_table, rank_correlation
from pt_cumgain.core import DISCOUNTS
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.writing.rendering import BEST, Cell, Head, Table, break_lines
from tests.support.browser import opened
from tests.support.helpers import warnings_of
from tests.support.latex import read_pdf, typeset
from tests.support.samples import made_up, results_of

NASTY = pd.DataFrame(
    [
        (name, str(q), measure, value + 0.5 + (q + value // 2) % 3 / 2)
        for measure in ("nDCG(gains='0-1')@5", "50 % & more_less")
        for name, value in (("a_b", 1), ("<C|D>", 2), ("E#[x]", 4))
        for q in range(9)
    ],
    columns=["name", "qid", "measure", "value"],
)


def test_markdown() -> None:
    """The pipes stand below each other; so do digits, since marks stand behind them."""
    table = paper_table(NASTY, decimals=2)
    assert table.to_markdown().splitlines()[:4] == [
        r"|                    | (a) a\_b | (b) \<C\|D>      | E#\[x]                 |",
        r"| :--                | :--      | :--              | :--                    |",
        r"| nDCG@5 (0-1)       | 2.00     | 3.00<sup>a</sup> | **5.00**<sup>a,b</sup> |",
        r"| 50 % \& more\_less | 2.00     | 3.00<sup>a</sup> | **5.00**<sup>a,b</sup> |",
    ]
    assert "Bold: best value of each measure." in table.to_markdown().splitlines()
    ranged = paper_table(NASTY, measures=["50 % & more_less"], interval=True, test=None)
    heads, _, cells, *_ = ranged.to_markdown().splitlines()
    assert heads.replace(" ", "") == r"||a\_b|\[low,high]|\<C\|D>|\[low,high]|E#\[x]|\[low,high]|"
    assert cells.count(r" | \[") == 3
    assert "\n\n\\> x" in Table([], [], [], ["> x"]).to_markdown()  # or it would be a quotation
    compared = paper_table(NASTY, baseline="a_b", interval=True).to_markdown().splitlines()[0]
    assert compared.count(r"difference \[low, high]") == 3


def test_html() -> None:
    page = paper_table(NASTY, decimals=2)._repr_html_()
    cell = r'<td style="text-align: {}; [^"]*">{}</td>'
    number, marks = cell.format("right", "<b>5.00</b>"), cell.format("left", "<sup[^>]*>a,b</sup>")
    assert re.search(number + marks, page)
    assert '<th colspan="2" scope="colgroup">(b) &lt;C|D&gt;</th>' in page
    assert re.search(r'<th scope="row" style="text-align: left[^>]*>50 % &amp; more_less', page)
    assert 'font-weight: normal">50 % &amp; more_less</th>' in page  # bold is the best value
    assert page.count("border") == 3  # collapsed: above and below, and below the heads
    assert "<C|D>" not in page
    assert "p\u00a0&lt;\u00a00.05" in page
    assert page.count("<tr>") == 3
    ranged = paper_table(NASTY, interval=True, test=None).to_html()
    assert '<th colspan="2" scope="colgroup">a_b</th>' in ranged
    assert ranged.count("<small>[") == 2 * 3
    assert "<sup" not in ranged


#: What ends a comment, an attribute, an element or a cell, or begins another.
MARKUP = st.sampled_from(
    ["-->", "--!>", "<!--", "--", "<", ">", "<b>", "<img src=x onerror=alert(1)>", "&lt;", "&",
     "<script>alert(1)", '"', "'", "`", "|", "\\", "*", "_", "[x](y)", "\n", " "]
)  # fmt: skip
NAMES = (
    st.lists(MARKUP | st.text(max_size=3), min_size=1, max_size=6)
    .map(lambda parts: "".join(parts).replace(BEST, ""))
    .filter(str.strip)
)
TAG = re.compile("<[^>]*>")


@settings(max_examples=settings.default.max_examples // 2)
@given(NAMES, NAMES)
@example("x---><img src=x onerror=alert(1)>", "a")
@example("x--!><b>", "&lt;b&gt;")
def test_names_are_no_markup(first: str, second: str) -> None:
    """Expected: the markup of the table of systems with harmless names."""
    names = [escape_controls(" ".join(name.split())) for name in (first, second)]
    assume(names[0] != names[1])
    table, harmless = named(first, second), named("a", "b")
    page = table.to_html()
    assert TAG.findall(page) == TAG.findall(harmless.to_html())
    text = " ".join(html.unescape(TAG.sub(" ", page)).split())
    assert all(name in text for name in names)
    assert markup_of(table.to_markdown()) == markup_of(harmless.to_markdown())


def named(first: str, second: str) -> Table:
    """A table of two systems that are called so, the first of which is in a note as well."""
    results = results_of({first: [1.0, 0.5, 0.3], second: [0.5, 0.2, 0.1]})
    return paper_table(results, baseline=first, rows="systems")


def markup_of(markdown: str) -> list[str]:
    """The signs that CommonMark or a table reads as markup: not those with a backslash before."""
    return re.findall(r"[<`*_|\[\n]", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))


def test_the_plain_one_of_two_forms_has_a_head() -> None:
    for other, plain in (("gains='exp'", "gain = level"), ("avg_pos=True", "default")):
        results = made_up(3, {"nDCG@10": 0.3, f"nDCG({other})@10": 0.3})
        table = paper_table(results, rows="systems")
        assert rf"{{\scriptsize {plain}}}" in table.to_latex()
        assert f"<small>{plain}</small>" in table.to_html()


#: Measures in columns; two differ in nothing but the cutoff.
CUTOFFS = ["nDCG@10", "nDCG@100", "CG@10", "AP"]


def test_heads_in_two_rows() -> None:
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


def test_latex() -> None:
    latex = paper_table(NASTY, decimals=2).to_latex()
    lines = latex.splitlines()
    assert lines[:2] == [
        r"% needs \usepackage{booktabs,graphicx}",
        r"\noindent\begin{minipage}{\linewidth}\centering",
    ]
    assert r"\begin{tabular}{@{}lr@{}lr@{}lr@{}l@{}}" in lines
    heads = [r"(a) a\_b", r"(b) $<$C\textbar{}D$>$", r"E\#{[}x{]}"]
    assert " ".join(rf" & \multicolumn{{2}}{{c}}{{{head}}}" for head in heads) + r" \\" in [
        line.replace("} &", "}  &") for line in lines
    ]
    cells = [r"50 \% \& more\_less", "2.00", "", "3.00", r"\textsuperscript{a}"]
    assert " & ".join([*cells, r"\textbf{5.00}", r"\textsuperscript{a,b} \\"]) in lines
    names = {"a_b": "*a--b", "<C|D>": 'say "C"\nλ', "E#[x]": "−1"}
    some = paper_table(NASTY, systems=names, rows="systems", test=None).to_latex()
    assert r"{*}a-{}-b & " in some
    assert r"say ''C'' λ & " in some
    assert r"$-$1 & \textbf" in some
    below = NASTY.assign(value=-NASTY["value"])
    assert "$-$5.000" in paper_table(below, test=None).to_latex()
    assert r"\sbox0{\begin{minipage}{\wd0}\usebox0\par\smallskip" in lines  # that of the notes
    against = paper_table(NASTY, baseline="a_b").to_latex()  # \dag would need another font
    assert r"\textsuperscript{$\ddagger$}" in against
    assert "\n$\\dagger$: differs significantly" in against
    ranged = paper_table(NASTY, interval=True).to_latex().splitlines()
    assert r"\begin{tabular}{@{}l" + 3 * r"r@{}l@{\ }l" + "@{}}" in ranged
    row = next(line for line in ranged if line.startswith(r"50 \%"))
    assert (row.count(" & "), row.count(r" & \scriptsize {[}")) == (9, 3)
    with pytest.raises(ValueError, match=r"width=227 must be inches, such as 3\.3 or 7"):
        paper_table(NASTY).to_latex(width=227)  # TeX's largest dimension is 226.7 inches


LONG = "nDCG(gains='0-1-10-100',discount='original',base=10,avg_pos=True)@100"


TO_PRINT = {
    "nasty": lambda: paper_table(NASTY),
    "plain": lambda: paper_table(NASTY, systems=["a_b"], test=None, interval=True, confidence=0.9),
    "differences": lambda: paper_table(
        made_up(12, {LONG: 0.2, "P@5": 0.3}), baseline="system-1_of a long name", interval=True
    ),
    "letters": lambda: paper_table(made_up(12, {LONG: 0.2, "P@5": 0.3}), rows="measures"),
    "systems": lambda: paper_table(made_up(26, {LONG: 0.2, "P@5": 0.3}), rows="systems"),
    "intervals": lambda: paper_table(
        made_up(5, {LONG: 0.2, "P@5": 0.3}),
        interval=True, decimals=4, test="t", baseline="system-0_of a long name",
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
@pytest.mark.filterwarnings("ignore:the type of the table has about:UserWarning")
@pytest.mark.parametrize("width", [1.5, 3.3, 7, None])
def test_latex_compiles_and_fits(width: float | None, tmp_path) -> None:
    latex = {table: latex_of(table, width=width) for table in TO_PRINT}
    (packages,) = {packages for _, packages in latex.values()}
    text = "".join(rf"\typeout{{{name}}}{text}\clearpage " for name, (text, _) in latex.items())
    said = typeset(text, tmp_path, width=7, columns=1 + (width != 7), packages=packages)
    assert "Overfull" not in said, said


@pytest.mark.end_to_end
def test_latex_warns_of_type_too_small_to_read(tmp_path) -> None:
    """LaTeX measures it, and Python estimates it; a table that has room is not scaled."""
    for table, width, warned in (("letters", 1.5, True), ("nasty", 3.3, False)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            latex, packages = latex_of(table, width=width)
        told = [str(one.message).partition("; ")[2] for one in heard]
        assert told == ['make the table wider, transpose it (rows="systems" or "measures"), or '
                        "choose fewer systems or measures"] * warned  # fmt: skip
        said = typeset(latex, tmp_path, packages=packages)
        said = "".join(said.split("\n"))  # which TeX breaks anywhere
        advice = 'Warning: make the table wider, transpose it (rows="systems" or "measures"), or'
        assert (f"Package pt-cumgain {advice}" in said) == warned


def read_lines(table: Table, kind: str, folder: Path) -> list[str]:
    """The lines of a table as they are seen in a format; in HTML each cell is a line."""
    if kind == "text":
        return table.to_text(72).replace(f"{BEST}:", "Bold:").splitlines()
    if kind == "markdown":
        return [re.sub(r"\\(.)", r"\1", line) for line in table.to_markdown().splitlines()]
    if kind == "html":
        cells = re.sub("</?(br|td|th|caption)\\b[^>]*>", "\n", table.to_html())
        return html.unescape(re.sub("<[^>]*>", "", cells)).splitlines()
    return read_pdf(table.to_latex(width=7), folder, packages="booktabs,graphicx")


@pytest.mark.parametrize(
    "kind", ["text", "markdown", "html", pytest.param("latex", marks=pytest.mark.end_to_end)]
)
@pytest.mark.parametrize("table", ["nasty", "differences", "intervals", "correlation", "plain"])
def test_notes_are_seen_below_in_every_format(table: str, kind: str, tmp_path) -> None:
    lines = read_lines(to_print(table), kind, tmp_path)
    whole = " ".join(" ".join(lines).split())
    formula = "logb i" if kind == "latex" else "log_b(i)"  # its b is below the line
    notes = [note.replace("log_b(i)", formula) for note in to_print(table).notes]
    notes = [note.replace(BEST, "Bold") for note in notes]
    for note in notes:
        assert whole.count(note) == 1, (note, whole)
        first = " ".join(note.split()[:3])
        assert any(line.startswith(first) for line in lines), (first, lines)
    if kind != "html":  # its caption is written first, and set below
        assert whole.endswith(" ".join(notes))


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
    table = paper_table(made_up(3, {"P@5": 0.2, LONG: 0.2}), rows="systems", test=None)
    name = "nDCG@100 (0-1-10-100, original, b = 10, mean over ranks)"
    assert table.to_text(200).splitlines()[0].endswith(f"P@5  {name}")
    assert table.to_text(60).splitlines()[:4] == [
        " " * 39 + "nDCG@100 (0-1-10-100,",
        " " * 33 + "original, b = 10, mean over",
        " " * 28 + "P@5" + " " * 23 + "ranks)",
        "system-0_of a long name  0.313" + " " * 24 + "0.310",
    ]
    lines = table.to_text(18).splitlines()
    assert "          (0-1-10-100," in lines  # wider than a column, but whole
    assert lines[:3] == ["             P@5", "system-   0.313", "  0_of a"]
    assert "" in lines
    assert "9 topics." in lines
    assert "0.313" in table.to_text(1)


def test_heads_are_broken_before_columns_fall_into_blocks() -> None:
    names = [f"nDCG w{i}" for i in range(10)]
    cells = [[Cell("0.25")] * 10]
    table = Table([*map(Head, names)], [Head("nDCG w10")], cells, [])
    assert len(table.to_text(70).splitlines()) == 3  # two lines of heads
    assert "0.\n" not in table.to_text(30)


def test_wide_characters_take_two_places() -> None:
    """Unicode's annex 11: Chinese characters are as wide as two letters; accents have no width."""
    names = ["检索", "e\u0301te\u0301", "abcd"]
    cells = [[Cell("0.1"), Cell("0.25")], [Cell("0.2"), Cell("0.5", True)], [Cell("-10.3")] * 2]
    table = Table([Head("检索系统"), Head("n")], [*map(Head, names)], cells, ["检索系统 检索"])
    assert table.to_text().splitlines() == [
        "      检索系统       n",
        "检索       0.1    0.25",
        "e\u0301te\u0301        0.2    0.5•",
        "abcd     -10.3  -10.3",
        "检索系统 检索",
    ]
    assert table.to_text(9).splitlines()[-2:] == ["检索系统", "检索"]
    assert break_lines("Ａ-ＢＣ", 5) == ["Ａ-", "ＢＣ"]  # so are Latin letters of full width


def test_points_stand_below_each_other() -> None:
    cells = [[Cell("0.25")], [Cell("13.5", best=True)], [Cell("-7")], [Cell("")], [Cell("–")]]
    table = Table([Head("m")], [*map(Head, "abcde")], cells, ["x"])
    assert table.to_text().splitlines()[:5] == [
        "       m", "a   0.25", "b  13.5•", "c  -7", "e   –",
    ]  # fmt: skip
    assert [line.split(" | ")[1] for line in table.to_markdown().splitlines()[2:7]] == [
        "\u20070.25    |", "**13.5** |", "-7       |", "         |", "\u2007–       |",
    ]  # fmt: skip
    assert re.findall(r"right; [^>]*>(.*?)</td>", table.to_html()) == [
        "0.25", "<b>13.5</b>\u2007", "−7\u2007\u2007\u2007", "", "–\u2007\u2007\u2007",
    ]  # fmt: skip
    latex = table.to_latex()
    for row in (
        r"0.25 \\", r"\textbf{13.5}\phantom{0} \\", r"$-$7\phantom{0}\phantom{0}\phantom{0}",
    ):  # fmt: skip
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


def test_long_labels_and_heads_have_lines_in_latex() -> None:
    table = paper_table(made_up(3, {LONG: 0.2}), test=None)
    lines = table.to_latex().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("nDCG@100"))
    assert [line.split(" & ")[0] for line in lines[at : at + 3]] == [
        r"nDCG@100 {\scriptsize 0-1-10-100, original, $b$ = 10,}",
        r"\quad \scriptsize mean over ranks \\",
        r"\bottomrule",
    ]
    assert r" & \begin{tabular}[b]{@{}r@{}}system-0\_of \\ a long name\end{tabular}" in "".join(
        lines
    )


PAPERS = ["nDCG@10", "nDCG(gains='0-1-10-100')@10", "nCG@10", "DCG(discount='original',base=10)@9"]


@pytest.mark.end_to_end
@pytest.mark.parametrize(
    ("systems", "measures", "baseline", "interval"),
    [(5, PAPERS, ["S0", "S1"], False), (12, PAPERS[:3], "S0", False), (12, PAPERS[:3], "S0", True)],
)
def test_tables_fit_a_column(systems: int, measures, baseline, interval: bool, tmp_path) -> None:
    """At 3.3 inches; only one with intervals is scaled, to type of 5 points or LaTeX would warn."""
    results = made_up(systems, dict.fromkeys(measures, 0.3), topics=30)
    short = {name: f"S{i}" for i, name in enumerate(results["name"].unique())}
    results = results.replace({"name": short})
    table = paper_table(results, baseline=baseline, rows="systems", interval=interval)
    latex = table.to_latex(width=3.3)
    assert latex.count(r"\resizebox") == 1
    said = typeset(
        latex.replace(r"\resizebox", r"\typeout{scaled}\resizebox"),
        tmp_path, width=7, columns=2, packages="booktabs,graphicx",
    )  # fmt: skip
    assert ("scaled" in said) == interval
    assert "pt-cumgain" not in said
    assert "Overfull" not in said


def test_type_of_less_than_5_points_is_told() -> None:
    """pdflatex sets the first table in 4.2 points, because of its heads, and the other in 5.5."""
    results = made_up(8, {f"nDCG@{k}": 0.1 for k in (1, 2, 3, 5, 10, 20, 50, 100, 200)})
    for rows, told in (("measures", 1), ("systems", 0)):
        table = paper_table(results, rows=rows, test=None)
        said = warnings_of(lambda: table.to_latex(width=3.3))  # noqa: B023
        assert [text[:26] for text in said] == ["the type of the table has "] * told


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("DCG(discount='original')@10", ["DCG", "(discount='original')", "@10"]),
        ("nDCG(gains='0-1-10-100-1000')", ["nDCG", "(gains='0-1-10-100-1000')"]),
        ("bm25_rm3_k1=0.9_b=0.4_terms=10", ["bm25_rm3_k1=0.9_b=0.4", "_terms=10"]),
        ("a system of words now - b", ["a system of words", "now - b"]),
    ],
)
def test_where_labels_are_broken(text: str, lines: list[str]) -> None:
    """After blanks, around signs, after hyphens; between letters only if there is nothing else."""
    assert break_lines(text, 21) == lines
    assert break_lines("ab.cdefgh", 3) == ["ab.", "cdefgh"]  # never within a word


@pytest.mark.end_to_end
def test_notes_on_every_discount_and_weighting_are_mathematics(tmp_path) -> None:
    """Expected: the lines of the PDF, typed from the declarations of the discounts."""
    weightings = ["level", "exp", "0-1-10-100", {1: 0.5, 3: 2}]
    measures = [
        str(DCG(discount=name, gains=weightings[i % 4]) @ 10) for i, name in enumerate(DISCOUNTS)
    ]
    table = paper_table(made_up(3, dict.fromkeys(measures, 0.3)), rows="systems")
    latex = table.to_latex(width=7)
    for formula in (
        r"discount $1$ for $i < b$, else $\log_{b} i$;", r"'revised', $1 + \log_{b} i$;",
        r"'sigir2000', $1$ for $i = 1$, else $\log_{b} i$;", r"'shifted', $\log_{b} (i + b - 1)$;",
        "'rank', $i$;", "'none', $1$.", r"$2^\mathrm{level} - 1$", r"\mbox{$p < 0.05$}",
    ):  # fmt: skip
        assert formula in latex
    assert r"log\_" not in latex
    text = describe(nDCG @ 10).latex
    assert r"the discount $\log_{2} (\mathrm{rank} + 1)$ and gains" in text
    lines = " ".join(read_pdf(latex, tmp_path, packages="booktabs,graphicx"))
    assert "discount by rank: discount 'rank', i; no discount: discount 'none', 1." in lines
    assert "log_b" not in lines
