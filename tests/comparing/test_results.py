"""Results by topic, and systems in them, as every function that compares systems takes them."""

from __future__ import annotations

import math
import pickle
import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import (
    CG,
    gain_curves,
    intervals,
    may_be_best,
    nDCG,
    pairwise,
    paper_table,
    plots,
    topics_of,
)
from pt_cumgain.comparing import friedman, rank_correlation
from pt_cumgain.comparing import results as results_module
from pt_cumgain.papers import effort
from pt_cumgain.sessions import session_lengths
from tests.support.helpers import ours, results_of, slow

RESULTS = pd.DataFrame(
    [(name, qid, "CG@1", i + float(qid)) for i, name in enumerate("BA") for qid in "123"],
    columns=["name", "qid", "measure", "value"],
)
FUNCTIONS = [pairwise, intervals, friedman, rank_correlation, paper_table, plots.plot_pair]


@pytest.mark.parametrize("column", RESULTS.columns)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_column_that_is_there_twice_is_named(function, column: str) -> None:
    twice = pd.concat([RESULTS, RESULTS[[column]]], axis=1)
    with pytest.raises(ValueError, match=f"^results: there is more than one column '{column}'$"):
        function(twice)


@pytest.mark.parametrize("index", ["qid", ["name", "qid"], *slow("name", "measure", "value")])
@pytest.mark.parametrize("function", [*FUNCTIONS[:-1], may_be_best])
def test_the_index_plays_no_part(function, index) -> None:
    """Even if it is named like a column, as after `set_index`."""
    results = RESULTS.assign(value=[1.0, 2.0, 4.0, 3.0, 5.0, 9.0])
    results = pd.concat([results, results.assign(name="C", value=list(results["value"])[::-1])])[:9]
    found, expected = (function(each) for each in (results.set_index(index, drop=False), results))
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    else:
        assert found.to_text() == expected.to_text()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_that_are_no_numbers_are_named(function) -> None:
    texts = RESULTS.assign(value=["1.5", "high", "2", "3", "4", "5"])
    with pytest.raises(TypeError, match=r"^results value must be numbers, but row 1 holds 'high'$"):
        function(texts)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_file_that_is_not_csv_is_named(function, tmp_path) -> None:
    """A pickle is no text; an empty file has no columns."""
    for path in (tmp_path / "results.pkl", tmp_path / "empty.csv"):
        path.write_bytes(pickle.dumps(RESULTS) if path.suffix == ".pkl" else b"")
        with pytest.raises(
            ValueError, match=r"^results=.*(pkl|csv)'\) is not a CSV file; pt.Exper"
        ):
            function(path)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT])
def test_a_system_without_a_name_is_refused(missing) -> None:
    """Wherever names come from: results, means, the keys of a dict, names=."""
    unnamed = RESULTS.assign(name=RESULTS["name"].astype(object).where(RESULTS["name"] != "A"))
    unnamed.loc[unnamed["name"].isna(), "name"] = missing
    means = pd.DataFrame({"name": [missing, "B", "C"], "CG@1": [1.0, 2.0, 3.0]})
    run, qrels = {"1": {"d": 1.0}}, {"1": {"d": 1}}
    calls: list[Callable[[], object]] = [
        *(partial(function, unnamed) for function in FUNCTIONS),
        *(partial(function, means) for function in (rank_correlation,)),
        lambda: gain_curves({"A": run, missing: run}, None, qrels, "CG"),
        lambda: gain_curves([run, run], None, qrels, "CG", names=["A", missing]),
        lambda: session_lengths([run], names=[missing]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^a system has no name: \[.*\]; give it one$"):
            call()


#: Everything that takes results by topic, of two systems or more.
OF_RESULTS = {
    "pairwise": pairwise,
    "intervals": intervals,
    "may_be_best": may_be_best,
    "friedman": friedman,
    "rank_correlation": rank_correlation,
    "paper_table": lambda r: paper_table(r, interval=True).to_text(),
    "randomisation": lambda r: paper_table(r, test="randomisation").to_text(),
    "plot_topics": lambda r: texts_of(plots.plot_topics(r, "CG@1", baseline="A")),
    "plot_pair": lambda r: texts_of(plots.plot_pair(r, "CG@1", x="A", y="B")),
}


def texts_of(figure) -> list[str]:
    (axes, *_) = figure.axes
    return [axes.get_title(), axes.get_xlabel(), *(text.get_text() for text in axes.texts)]


@cache
def experiment_with_unjudged_topics(last: int) -> pd.DataFrame:
    """Results by pt.Experiment of topics of which 1 and 7 have no judgments."""
    qids = [str(q) for q in range(1, last)]
    draws = np.random.default_rng(last)
    rows = [(q, f"d{d}") for q in qids for d in range(6)]
    runs = {
        name: pd.DataFrame(rows, columns=["qid", "docno"]).assign(score=draws.random(len(rows)))
        for name in "ABC"
    }
    labels = [(q, f"d{d}", (int(q) + d) % 3) for q in qids if q not in ("1", "7") for d in range(6)]
    qrels = pd.DataFrame(labels, columns=["qid", "docno", "label"])
    measures = [CG @ 1, nDCG @ 5, ir_measures.AP]
    results = pt.Experiment(runs, pd.DataFrame({"qid": qids}), qrels, measures, perquery=True)
    assert set(results.loc[results["value"].isna(), "qid"]) == {"1", "7"}
    return results


@pytest.mark.usefixtures("figures")
@pytest.mark.filterwarnings("ignore:.*not found in qrels")  # PyTerrier's
@pytest.mark.parametrize("datasets", [1, *slow(2)])
@pytest.mark.parametrize("name", OF_RESULTS)
def test_topics_without_judgments_are_left_out(name: str, datasets: int) -> None:
    """Expected: the same as of results without these topics, notes and titles too."""
    results, listed = experiment_with_unjudged_topics(20), "2 topics .* are left out: 1, 7$"
    if datasets > 1:
        other = experiment_with_unjudged_topics(25).assign(dataset="Y")
        results = pd.concat([results.assign(dataset="X"), other])
        listed = "4 topics without judgments are left out: X 1, X 7, Y 1, Y 7$"
    expected = OF_RESULTS[name](results[results["value"].notna()])
    with pytest.warns(UserWarning, match=listed) as told:
        found = OF_RESULTS[name](results)
    assert [one.filename for one in ours(told)] == [__file__]
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    else:
        assert found == expected


def test_what_is_said_of_topics_without_judgments(tmp_path) -> None:
    """Also of a file, of one topic, of many, and where some measures alone have no value."""
    results = RESULTS.astype({"value": float})
    results.loc[results["qid"] == "3", "value"] = np.nan
    results.to_csv(tmp_path / "perquery.csv", index=False)
    for given in (results, tmp_path / "perquery.csv"):
        with pytest.warns(UserWarning, match="^1 topic without judgments is left out: 3$"):
            assert paper_table(given, test=None).notes[-1] == "2 topics."
    both = pd.concat([results, RESULTS.assign(measure="CG@2")])
    with pytest.warns(UserWarning, match="^1 topic without judgments is left out: 3$"):
        assert paper_table(both, test=None).notes[-1] == "2 to 3 topics."
    many = pd.concat(
        [RESULTS, *(RESULTS.assign(qid=f"n{i}", value=np.nan)[::3] for i in range(25))]
    )
    with pytest.warns(UserWarning, match=r"^25 topics .* left out: n0, n1, .*, n19, \.\.\.$"):
        pairwise(many)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_topic_that_is_nan_for_some_systems_is_an_error(function) -> None:
    """And so is a measure, or a measure in one dataset, that is NaN for every topic."""
    some = RESULTS.astype({"value": float})
    some.loc[0, "value"] = np.nan
    whole = RESULTS.assign(value=np.nan)
    of_one = pd.concat([RESULTS.assign(dataset="X"), whole.assign(dataset="Y")])
    for wrong in (some, whole, of_one):
        with pytest.raises(ValueError, match=r"value of 'B' for topic '1' is NaN|is NaN for 'B'"):
            function(wrong)


def test_the_baseline_may_be_a_place() -> None:
    varied = RESULTS.assign(value=[1.0, 2.0, 4.0, 3.0, 5.0, 9.0])
    for place, name in enumerate("BA"):
        expected = pairwise(varied, baseline=name)
        pd.testing.assert_frame_equal(pairwise(varied, baseline=place), expected)
        pd.testing.assert_frame_equal(pairwise(varied, baseline=np.int64(place)), expected)
    for wrong in (2, -1, True, np.False_, 0.0, "C", []):
        message = re.escape(f"baseline={wrong!r} is not one of the systems: ['B', 'A']")
        with pytest.raises(ValueError, match=message):
            pairwise(varied, baseline=wrong)


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
    for function in (pairwise, paper_table, plots.plot_topics):
        with pytest.warns(UserWarning, match="baseline=0 .*'x'.* name") as told:
            function(each, baseline=0)
        assert ours(told)[0].filename == __file__
    in_order = each.assign(name=pd.Categorical(each["name"], list(runs)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert pairwise(in_order, baseline=0)["other"].unique().tolist() == ["z"]
        curves = gain_curves(dict(sorted(runs.items())), None, qrels, CG, depth=1)
        pd.testing.assert_frame_equal(
            effort(curves, 1, compared_with=0), effort(curves, 1, compared_with="x")
        )


def test_a_name_comes_before_a_place() -> None:
    """Experiments may call systems by numbers."""
    assert results_module.check_system(0, [1, 0]) == 0
    assert results_module.check_system(0, ["0", "1"]) == "0"
    with pytest.raises(ValueError, match="0 could be the system '0' or, by its place, '1'; give"):
        results_module.check_system(0, ["1", "0"])
    assert results_module.check_system("0", ["1", "0"]) == "0"
    with pytest.raises(ValueError, match=r"compared_with=2 is not one of the systems: \[1, 0\]"):
        results_module.check_system(2, [1, 0], "compared_with")


@pytest.mark.parametrize("function", [intervals, friedman, paper_table])
def test_names_that_are_printed_alike_are_refused(function):
    with pytest.raises(ValueError, match=r"two systems have the same name, as text: \[1, '1', 'C'"):
        function(results_of({1: [0.5] * 2, "1": [0.5] * 2, "C": [0.5] * 2}))


@pytest.mark.parametrize(
    "function",
    [
        partial(paper_table, interval=True, baseline="A"),
        partial(paper_table, test="friedman"),
        pairwise,
        may_be_best,
        rank_correlation,
    ],
)
def test_results_are_read_once(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many functions hand them on to each other; a frame is checked, and grouped, once."""
    read, calls = results_module.read_rows, []
    monkeypatch.setattr(
        "pt_cumgain.comparing.results.read_rows", lambda rows: calls.append(rows) or read(rows)
    )
    results = pd.concat([RESULTS, RESULTS.assign(measure="P@1", value=[3.0, 1, 2, 2, 5, 4])])
    function(results)
    (given,) = calls
    assert given is results
