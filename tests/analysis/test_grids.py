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
        ({"bases": [2, 10]}, "no discount has a base; these have one: original, revised"),
        ({"discounts": ["log2", "rank"], "bases": 10}, "no discount has a base"),
    ],
)
def test_wrong_grids(params: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        grid(nDCG, **params)


def test_single_values_and_measures_that_have_a_cutoff() -> None:
    assert list(grid(nDCG, discounts="original", bases=10, cutoffs=5)) == [
        nDCG(discount="original", base=10) @ 5
    ]
    found = grid([CG @ 5, CG @ 10], cutoffs=[20, 30])
    assert found.labels == {"CG@20": "CG @20", "CG@30": "CG @30"}
    near = grid(DCG(discount="original"), bases=[2.0000001, 2.0000002])
    assert len(set(near.labels.values())) == 2
    with pytest.raises(ValueError, match="there is no measure to make a grid of"):
        grid([], cutoffs=[5])


def test_a_measure_of_the_host() -> None:
    import ir_measures

    with pytest.raises(ValueError, match="AP is no measure of this package"):
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
    # one measure's text begins like another's; a measure beside the grid keeps its own
    depths = grid(CG, cutoffs=[10, 100])
    beside = depths.rename(experiment([*depths, nCG @ 10], baseline=0))
    assert {"CG @10 p-value", "CG @100 p-value", "nCG@10", "nCG@10 +"} <= set(beside.columns)
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


def test_the_colours_of_a_heat_map() -> None:
    """The same for the same number in every picture; numbers to be read on all of them."""
    for values, limits in (
        ([[1, 0.998], [0.998, 1]], (0, 1)),
        ([[1, -0.004], [-0.004, np.nan]], (-1, 1)),
    ):
        table = pd.DataFrame(values, ["a", "b" * 40], ["a", "b" * 40])
        axes = plots.plot_correlation(table).axes[0]
        image = axes.images[0]
        assert image.get_clim() == limits
        for text, value in zip(axes.texts, np.ravel(values), strict=True):
            light = np.dot(image.cmap(image.norm(value))[:3], [0.2126, 0.7152, 0.0722])
            dark_text = text.get_color() == "black"
            assert dark_text == (bool(np.isnan(value)) or light > 0.45)
    assert [text.get_text() for text in axes.texts] == ["1.00", "0.00", "0.00", "–"]


def test_a_critical_difference_diagram() -> None:
    results = by_query()
    figure = plots.plot_critical_difference(results, "nCG 0-1-1-1")
    texts = " ".join(text.get_text() for text in figure.axes[0].texts)
    for name in pydocs.runs():
        assert re.search(rf"{name} \(\d\.\d\d\)|\(\d\.\d\d\) {name}", texts)
    names = [f"a rather long pipeline >> with stage number {i}" for i in range(5)]
    long = results.replace(dict(zip(pydocs.runs(), names, strict=True)))
    figure = plots.plot_critical_difference(long, "nCG 0-1-1-1")
    figure.canvas.draw()
    page = figure.bbox
    for text in [*figure.axes[0].texts, figure.axes[0].title]:
        box = text.get_window_extent()
        assert page.x0 - 1 <= box.x0 < box.x1 <= page.x1 + 1
    bars = [len(plots.plot_critical_difference(results, "nCG 0-1-1-1", alpha=alpha).axes[0].lines)
            for alpha in (1e-9, 0.999)]  # fmt: skip
    assert bars[0] != bars[1]
    with pytest.raises(ValueError, match="needs three systems or more"):
        plots.plot_critical_difference(
            results[results["name"].isin(["BM25", "DPH"])], "nCG 0-1-1-1"
        )
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
        ([RUNS[0], "-m", "CG@5"], "nothing to compare: the results have one system, 'bm25'"),
        ([*RUNS, "-m", "XG"], "unknown measure 'XG'"),
        ([*RUNS, "-m", "sDCG"], "query_position"),
        (
            [*RUNS, "-m", "CG@5", "--correction", "magic"],
            "correction='magic' is unknown; choose",
        ),
        ([*RUNS[1:], "-m", "CG@5", "--correction", "magic"], "correction='magic' is unknown"),
        ([*RUNS, "-m", "CG@5", "-p", "-1"], "places=-1"),
        ([*RUNS, RUNS[0], "-m", "CG@5"], "two runs are called 'bm25'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, capsys) -> None:
    assert cli.main(["compare", "pydocs", *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain compare: error: " in error
    assert message in error
