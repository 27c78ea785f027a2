"""Parameter grids, the papers' schemes, and the tables for papers."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    SCENARIOS,
    SIGIR2000,
    TOIS2002,
    cli,
    friedman,
    grid,
    nCG,
    nDCG,
    paper_table,
    plots,
    pydocs,
    rank_correlation,
    sDCG,
)


def experiment(measures, **options) -> pd.DataFrame:
    dataset = pt.get_dataset("irds:pydocs")
    return pt.Experiment(
        pydocs.runs(), dataset.get_topics("text"), dataset.get_qrels(), measures, **options
    )


def test_the_schemes_of_the_papers() -> None:
    assert IPM2005 == {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
    assert set(TOIS2002.values()) == {"0-1-1-1", "0-0-0-1", "0-1-10-100"}
    assert set(SIGIR2000.values()) == {"0-1-2-3", "0-0-2-3", "0-0-0-3"}
    busy, patient = DCG(**SCENARIOS["busy"]), nDCG(**SCENARIOS["patient"])
    assert str(busy) == "DCG(gains='0-1-10-100',discount='original')@30"
    assert str(patient) == "nDCG(gains='0-1-2-3',discount='original',base=10)@200"


def test_all_combinations_each_once() -> None:
    found = grid(
        [CG, nDCG],
        gains=IPM2005,
        discounts=["log2", "original", "revised"],
        bases=[2, 10],
        cutoffs=[5, 10],
    )
    # CG knows weightings and cutoffs; log2 has no base
    assert len(found) == len(set(found)) == 4 * 2 + 4 * (1 + 2 + 2) * 2
    assert len(set(found.labels.values())) == len(found)
    assert found.labels["CG(gains='0-1-1-1')@5"] == "CG w1 @5"
    assert found.labels["nDCG(gains='0-1-10-100')@10"] == "nDCG w100 log2 @10"
    text = "nDCG(gains='0-1-5-10',discount='revised',base=10)@5"
    assert found.labels[text] == "nDCG w10 revised b10 @5"
    assert isinstance(found, list)


def test_what_is_the_same_everywhere_is_not_in_the_labels() -> None:
    found = grid([nCG(avg_pos=True), nDCG], gains=["exp"], cutoffs=[100])
    assert list(found.labels.values()) == ["nCG", "nDCG"]
    assert str(found[0]) == "nCG(gains='exp',avg_pos=True)@100"
    two = grid([nCG, nCG(avg_pos=True)], cutoffs=[5])
    assert list(two.labels.values()) == ["nCG", "nCG(avg_pos=True)"]
    assert list(grid("nDCG", gains="0-1-1-1")) == [nDCG(gains="0-1-1-1")]
    assert list(grid(sDCG, gains=[{3: 5}], cutoffs=[5])) == [sDCG(gains={3: 5}) @ 5]
    assert list(grid(nDCG)) == [nDCG]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gains": ["1-x"]}, "gains='1-x' is not a weighting"),
        ({"gains": {3: 5}}, "give weightings by name, or a list of them"),
        ({"gains": []}, "gains is empty; leave it out"),
        ({"discounts": ["ln"]}, "discount='ln' is unknown"),
        ({"discounts": ["sigir2000"], "bases": [10]}, "'sigir2000' with base=10"),
        ({"bases": [1], "discounts": ["original"]}, "base=1: .* greater than 1"),
        ({"cutoffs": [0]}, "cutoff=0 must be at least 1"),
    ],
)
def test_wrong_grids(params: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        grid(nDCG, **params)


def test_a_measure_of_the_host() -> None:
    import ir_measures

    with pytest.raises(ValueError, match="AP has no such parameters"):
        grid([nDCG, ir_measures.AP], cutoffs=[5])


def test_labels_rename_an_experiment() -> None:
    measures = grid([nDCG, CG], gains={"flat": "0-1-1-1", "steep": "0-1-10-100"}, cutoffs=[10])
    plain = experiment(measures, baseline=0)
    renamed = measures.rename(plain)
    means = ["nDCG flat", "nDCG steep", "CG flat", "CG steep"]
    assert renamed.columns.tolist()[:5] == ["name", *means]
    assert {f"{name} p-value" for name in means} <= set(renamed.columns)
    assert len(renamed.columns) == len(plain.columns)
    assert renamed["CG steep"].tolist() == plain["CG(gains='0-1-10-100')@10"].tolist()
    by_query = measures.rename(experiment(measures, perquery=True))
    assert set(by_query["measure"]) == set(means)
    assert rank_correlation(renamed).columns.tolist() == means


# tables


def by_query() -> pd.DataFrame:
    measures = grid([nCG(avg_pos=True), nDCG(avg_pos=True)], gains=TOIS2002, cutoffs=[100])
    return measures.rename(experiment(measures, perquery=True))


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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles(tmp_path) -> None:
    text = paper_table(by_query()).to_latex()
    source = (
        rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{text}\end{{document}}"
    )
    (tmp_path / "t.tex").write_text(source)
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


def test_wrong_tables() -> None:
    results = by_query()
    with pytest.raises(ValueError, match=r"missing columns \['qid'\]"):
        paper_table(results.drop(columns="qid"))
    with pytest.raises(ValueError, match="there are no results"):
        paper_table(results.head(0))
    with pytest.raises(ValueError, match="places=-1"):
        paper_table(results, places=-1)


# pictures


def test_a_heat_map() -> None:
    table = rank_correlation(experiment(grid(nDCG, gains=IPM2005, cutoffs=[10])))
    figure = plots.plot_correlation(table)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == table.columns.tolist()
    texts = [text.get_text() for text in axes.texts]
    assert texts == [f"{value:.2f}" for value in table.to_numpy().ravel()]
    assert axes.images[0].get_clim()[1] == 1
    with pytest.raises(ValueError, match="there is no correlation to draw"):
        plots.plot_correlation(table * np.nan)


def test_a_critical_difference_diagram() -> None:
    results = by_query()
    figure = plots.plot_critical_difference(results, "nCG 0-1-1-1")
    texts = " ".join(text.get_text() for text in figure.axes[0].texts)
    for name in pydocs.runs():
        assert re.search(rf"{name} \(\d\.\d\d\)|\(\d\.\d\d\) {name}", texts)
    with pytest.raises(ValueError, match="all systems have the same values"):
        plots.plot_critical_difference(results.assign(value=1.0), "nCG 0-1-1-1")


# the command


RUNS = [str(pydocs.DATA / "runs" / f"{name}.res.gz") for name in ("bm25", "dph", "first-word")]


def test_the_command(capsys) -> None:
    arguments = ["compare", "pydocs", *RUNS, "-m", "nDCG(gains='exp')@10", "-m", "AP CG@5"]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    results = experiment([nDCG(gains="exp") @ 10, CG @ 5, "map"], perquery=True)
    few = results[results["name"].isin(["BM25", "DPH", "First word"])]
    tested = friedman(few).set_index("measure")
    for measure, label in (("nDCG(gains='exp')@10", ""), ("CG@5", ""), ("map", "AP")):
        row = tested.loc[measure]
        assert f"{label or measure}: Friedman chi2 = {row['statistic']:.3f}, df = 2, " in printed
    assert "Kendall's tau-b" in printed
    lines = printed.splitlines()
    assert lines[0].split() == ["bm25", "dph", "first-word", "significance"]
    assert [line.split()[0] for line in lines[1:4]] == ["nDCG(gains='exp')@10", "AP", "CG@5"]


def test_two_runs_one_measure_and_formats(capsys) -> None:
    assert cli.main(["compare", "pydocs", *RUNS[1:], "-m", "CG@5", "--format", "latex"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(r"\begin{tabular}{lrrl}")
    assert "CG@5: Wilcoxon W = " in printed
    assert "tau" not in printed
    assert cli.main(["compare", "pydocs", *RUNS[1:], "-m", "CG@5", "--format", "markdown"]) == 0
    assert "| CG@5 | " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([RUNS[0], "-m", "CG@5"], "nothing to compare: the results have 1 system"),
        ([*RUNS, "-m", "XG"], "unknown measure 'XG'"),
        ([*RUNS, "-m", "sDCG"], "query_position"),
        ([*RUNS, "-m", "CG@5", "--correction", "magic"], "correction='magic'"),
        ([*RUNS, "-m", "CG@5", "-p", "-1"], "places=-1"),
        ([*RUNS, RUNS[0], "-m", "CG@5"], "two runs are called 'bm25'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, capsys) -> None:
    assert cli.main(["compare", "pydocs", *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain compare: error: " in error
    assert message in error
