"""Tables for papers: the values, the marks and the tests, as text, Markdown and LaTeX."""

from __future__ import annotations

import shutil
import subprocess

import pandas as pd
import pytest

from pt_cumgain import friedman, paper_table, pydocs
from tests.helpers import by_query


def test_a_table_like_table_2_of_tois_2002() -> None:
    results = by_query()
    table = paper_table(results)
    frame = table.to_frame()
    assert frame.columns.tolist() == [*results["name"].unique(), "significance"]
    assert len(frame) == 6
    means = results.groupby(["measure", "name"])["value"].mean().unstack()
    tested = friedman(results).set_index("measure")["reading"]
    for measure, row in frame.iterrows():
        best = means.loc[measure].max()
        for name in pydocs.runs():
            value = means.loc[measure, name]
            assert row[name] == f"{value:.3f}" + ("*" if round(value, 3) == round(best, 3) else "")
        assert row["significance"] == tested[measure]
    assert "Friedman, pairs after Conover, holm" in str(table)
    assert str(table) == table.to_text()


def test_markdown_and_latex() -> None:
    rows = [
        (name, str(q), measure, value + q % 3)
        for measure in ("nDCG(gains='0-1')@5", "50 % & more_less")
        for name, value in (("a_b", 1), ("C|D", 2), ("E#", 4))
        for q in range(9)
    ]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    table = paper_table(results, labels={"nDCG(gains='0-1')@5": "first"}, places=2, correction=None)
    markdown = table.to_markdown().splitlines()
    assert markdown[0] == r"|  | a\_b | C\|D | E# | significance |"
    assert markdown[1] == "| --- | ---: | ---: | ---: | --- |"
    assert markdown[2].startswith(r"| first | 2.00 | 3.00 | **5.00** | E#,C\|D > a\_b\*\*")
    latex = table.to_latex().splitlines()
    assert latex[0] == r"\begin{tabular}{lrrrl}"
    assert latex[1] == r"\toprule"
    assert latex[2] == r" & a\_b & C|D & E\# & significance \\"
    assert r"\textbf{5.00}" in latex[4]
    assert r"E\#,C|D $>$ a\_b**" in latex[4]
    assert latex[5].startswith(r"50 \% \& more\_less & ")
    assert latex[-1].startswith("% Best of a row in bold; ** p < 0.01, * p < 0.05 (Friedman, pairs")
    plain = paper_table(results, test=False)
    assert "significance" not in plain.to_frame()
    assert plain.to_latex().startswith(r"\begin{tabular}{lrrr}")


def _has_booktabs() -> bool:
    find = shutil.which("pdflatex") and shutil.which("kpsewhich")
    return bool(find) and not subprocess.run([find, "booktabs.sty"], capture_output=True).returncode


@pytest.mark.skipif(not _has_booktabs(), reason="there is no LaTeX with booktabs here")
def test_latex_compiles(tmp_path) -> None:
    text = paper_table(by_query()).to_latex()
    source = (
        rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{text}\end{{document}}"
    )
    (tmp_path / "t.tex").write_text(source)
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


def test_the_marks_are_those_of_the_printed_digits() -> None:
    values = {"A": 0.0125, "B": 0.0124, "C": 0.01249}
    rows = [(name, q, "m", value) for name, value in values.items() for q in "12"]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    assert paper_table(results, test=False, places=4).to_frame().loc["m"].tolist() == [
        "0.0125*", "0.0124", "0.0125*",
    ]  # fmt: skip
    small = results.assign(value=[-0.0001, -0.0001, 0, 0, -1, -1])
    assert paper_table(small, test=False).to_frame().loc["m"].tolist() == [
        "0.000*", "0.000*", "-1.000",
    ]  # fmt: skip


def test_wrong_tables() -> None:
    results = by_query()
    with pytest.raises(ValueError, match=r"missing columns \['qid'\]"):
        paper_table(results.drop(columns="qid"))
    with pytest.raises(ValueError, match="there are no results"):
        paper_table(results.head(0))
    with pytest.raises(ValueError, match="places=-1"):
        paper_table(results, places=-1)
    with pytest.raises(ValueError, match="labels: two measures are called 'x'"):
        paper_table(results, labels={"nCG 0-1-1-1": "x", "nCG 0-0-0-1": "x"})
    with pytest.raises(ValueError, match="a system is called 'significance'"):
        paper_table(results.replace("QLD", "significance"))
