"""Results by topic, and systems in them, as every function that compares systems takes them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import (
    CG,
    discordant_pairs,
    effort,
    friedman,
    gain_curves,
    intervals,
    pairwise,
    paper_table,
    plots,
    topics_of,
)
from pt_cumgain.analysis.results import check_system

RESULTS = pd.DataFrame(
    [(name, qid, "CG@1", i + float(qid)) for i, name in enumerate("BA") for qid in "123"],
    columns=["name", "qid", "measure", "value"],
)
FUNCTIONS = [pairwise, intervals, friedman, discordant_pairs, paper_table, plots.plot_pair]


@pytest.mark.parametrize("column", RESULTS.columns)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_column_that_is_there_twice_is_named(function, column: str) -> None:
    twice = pd.concat([RESULTS, RESULTS[[column]]], axis=1)
    with pytest.raises(ValueError, match=f"^results: there is more than one column '{column}'$"):
        function(twice)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_that_are_no_numbers_are_named(function) -> None:
    texts = RESULTS.assign(value=["1.5", "high", "2", "3", "4", "5"])
    with pytest.raises(TypeError, match=r"^results value must be numbers, but row 1 holds 'high'$"):
        function(texts)


def test_values_that_are_no_numbers_are_named_in_a_file(tmp_path) -> None:
    RESULTS.assign(value="high").to_csv(tmp_path / "perquery.csv", index=False)
    with pytest.raises(TypeError, match="must be numbers, but row 0 holds 'high'"):
        pairwise(tmp_path / "perquery.csv")


@pytest.mark.parametrize(
    "function", [pairwise, lambda r, baseline: intervals(r, baseline=baseline)]
)
def test_the_baseline_may_be_a_place(function) -> None:
    for place, name in enumerate("BA"):
        expected = function(RESULTS, baseline=name)
        pd.testing.assert_frame_equal(function(RESULTS, baseline=place), expected)
        pd.testing.assert_frame_equal(function(RESULTS, baseline=np.int64(place)), expected)
    for wrong in (2, -1, True, np.False_, 0.0, "C", []):
        message = re.escape(f"baseline={wrong!r} is not one of the systems: ['B', 'A']")
        with pytest.raises(ValueError, match=message):
            function(RESULTS, baseline=wrong)


def test_an_experiment_sorts_its_results_by_name() -> None:
    """So a place in them need not be the place in the experiment, which a warning says."""
    qrels = pd.DataFrame({"qid": list("1234"), "docno": "a", "label": 1})
    runs = {
        name: pd.DataFrame({"qid": list("1234"), "docno": docs, "score": 1.0})
        for name, docs in (("z", list("abab")), ("y", list("aabb")), ("x", list("bbba")))
    }
    means = pt.Experiment(runs, topics_of(qrels), qrels, [CG @ 1], baseline=0)
    assert means.loc[means["CG@1 p-value"].isna(), "name"].tolist() == ["z"]
    each = pt.Experiment(runs, topics_of(qrels), qrels, [CG @ 1], perquery=True)
    for function in (pairwise, intervals, paper_table, plots.plot_topics):
        with pytest.warns(UserWarning, match="baseline=0 is 'x': .* by name, .*; give the") as told:
            function(each, baseline=0)
        assert told[0].filename == __file__
    in_order = each.assign(name=pd.Categorical(each["name"], list(runs)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pairwise(in_order, baseline=0, interval=False)["other"].unique().tolist() == ["z"]
        curves = gain_curves(dict(sorted(runs.items())), None, qrels, CG, depth=1)
        pd.testing.assert_frame_equal(effort(curves, 1, than=0), effort(curves, 1, than="x"))


def test_a_name_comes_before_a_place() -> None:
    """Experiments may call systems by numbers."""
    assert check_system(0, [1, 0]) == 0
    assert check_system(0, ["1", "0"]) == "1"
    assert check_system("0", ["1", "0"]) == "0"
    with pytest.raises(ValueError, match=r"than=2 is not one of the systems: \[1, 0\]"):
        check_system(2, [1, 0], "than")


@pytest.mark.parametrize("function", [intervals, friedman, paper_table])
def test_names_that_are_printed_alike_are_refused(function):
    rows = [(name, qid, "nDCG@10", 0.5) for name in (1, "1", "C") for qid in "ab"]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    with pytest.raises(ValueError, match=r"two systems have the same name, as text: \[1, '1', 'C'"):
        function(results)
