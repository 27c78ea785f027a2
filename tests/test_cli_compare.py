"""`pt-cumgain compare`: the table, the tests and the formats; what is refused."""

from __future__ import annotations

import re

import pytest

from pt_cumgain import CG, cli, friedman, intervals, nDCG
from pt_cumgain.extras import CORRECTIONS
from tests.helpers import experiment, run_files

RUNS = run_files("bm25", "dph", "first-word")


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
        ([*RUNS, "-m", "CG@5", "-p", "5000000000"], "--places (-p) must be from 0 to 1074, not 5"),
        ([*RUNS, RUNS[0], "-m", "CG@5"], "two runs are called 'bm25'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, capsys) -> None:
    assert cli.main(["compare", "pydocs", *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain compare: error: " in error
    assert message in error


def test_help_lists_the_corrections(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["compare", "--help"])
    assert {"none", *CORRECTIONS} <= set(re.split(r"[\s,]+", capsys.readouterr().out))


def test_intervals_stand_below(capsys) -> None:
    """Expected: `pt_cumgain.intervals` of what pt.Experiment returns."""
    arguments = ["compare", "pydocs", *RUNS, "-m", "CG@5", "-m", "CG@3", "--interval", "-p", "2"]
    assert cli.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("Means with 95% intervals (bootstrap over topics, BCa)")
    assert lines[at + 1].split() == ["CG@5", "CG@3"]
    ends = intervals(experiment([CG @ 5], perquery=True)).set_index("name").loc["BM25"]
    assert lines[at + 2].startswith("bm25 ")
    assert f"{ends['mean']:.2f} [{ends['low']:.2f}, {ends['high']:.2f}]" in lines[at + 2]
