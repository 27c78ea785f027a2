"""Results by topic, and systems in them, as every function that compares systems takes them."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import gain_curves, intervals, may_be_best, pairwise, paper_table, plots
from pt_cumgain.comparing import friedman, rank_correlation
from pt_cumgain.comparing._results import read_rows
from pt_cumgain.comparing._systems import check_system
from pt_cumgain.papers import effort
from pt_cumgain.sessions import session_lengths
from tests.support.helpers import ours, slow, warnings_of
from tests.support.samples import as_results, curve_of, results_of

RESULTS = results_of({"B": [1, 2, 3], "A": [2, 3, 4]}, "CG@1")
VARIED = results_of({"B": [1, 2, 4], "A": [3, 5, 9]}, "CG@1")
READERS = [pairwise, intervals, friedman, rank_correlation, paper_table]
READERS += [partial(plots.plot_pair, x="A", y="B")]


def texts_of(figure) -> list[str]:
    (axes, *_) = figure.axes
    titles = [axes.get_title("left"), axes.get_title()]
    return [*titles, axes.get_xlabel(), *(text.get_text() for text in axes.texts)]


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


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize("datasets", [1, *slow(2)])
@pytest.mark.parametrize(
    "name",
    [*(name for name in OF_RESULTS if "plot" not in name), *slow("plot_topics", "plot_pair")],
)
def test_topics_without_judgments_are_left_out(name: str, datasets: int) -> None:
    """Expected: the same as of results without these topics, notes and titles too.

    Nor does the index play a part, even if it is named like a column, as after `set_index`.
    """
    function, values = OF_RESULTS[name], np.random.default_rng(1).random((2, 18, 3))
    values[0, [1, 7]] = values[1, [1, 7]] = np.nan
    results, listed = as_results(values[0], "CG@1"), "2 topics .* are omitted: 1, 7$"
    if datasets > 1:
        other = as_results(values[1], "CG@1").assign(dataset="Y")
        results = pd.concat([results.assign(dataset="X"), other])
        listed = "4 topics .* are omitted: X 1, X 7, Y 1, Y 7$"
    expected = function(results[results["value"].notna()])
    with pytest.warns(UserWarning, match=listed) as told:
        found = function(results.set_index(["name", "qid"], drop=False))
    assert [one.filename for one in ours(told)] == [__file__]
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    else:
        assert found == expected


def test_what_is_said_of_topics_without_judgments(tmp_path) -> None:
    results = RESULTS.assign(value=RESULTS["value"].where(RESULTS["qid"] != "2"))
    results.to_csv(tmp_path / "perquery.csv", index=False)
    both = pd.concat([results, RESULTS.assign(measure="CG@2")])
    for given, topics in ((results, "2"), (tmp_path / "perquery.csv", "2"), (both, "2 to 3")):
        with pytest.warns(UserWarning, match="^1 topic whose values are NaN .* is omitted: 2$"):
            assert paper_table(given, test=None).notes[-1] == f"{topics} topics."
    many = pd.concat(
        [RESULTS, *(RESULTS.assign(qid=f"n{i}", value=np.nan)[::3] for i in range(25))]
    )
    with pytest.warns(UserWarning, match=r"^25 topics .* omitted: n0, n1, .*, n19, \.\.\.$"):
        friedman(many)


def test_values_that_were_rounded_or_are_on_two_scales_are_told() -> None:
    """By hand: one decimal, as of pt.Experiment(round=1); a percentage beside a share."""
    rounded = [0.1, 0.4, 0.2, 0.3, 0.5] * 4
    for measure, values, words in (
        ("nDCG@10", rounded, "at most two decimals"),
        ("P@10", rounded, ""),
        ("nDCG@1", rounded, ""),  # a gain divided by another, such as 1/2
        *((f"DCG(discount='{name}')@10", rounded, "") for name in ("none", "rank")),
        ("nDCG@1", [0.0, *[1.0] * 19], ""),
        ("nDCG@10", rounded[:4], ""),
        ("AP@10", [0.0012, 0.004, 20.3, 35.1], "on two scales"),
        ("nDCG@10", [0.123, *rounded[1:]], ""),
    ):
        half = len(values) // 2
        rows = zip("A" * half + "B" * half, [*range(half)] * 2, [measure] * 2 * half, values)
        results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        told = warnings_of(lambda: pairwise(results))  # noqa: B023
        assert [words in text for text in told] == [True] * bool(words)
    words = "^nDCG@10: the value of 'B' for topic '1' is 10; values of 'A' are at most 1"
    with pytest.raises(ValueError, match=words):
        pairwise(results_of({"A": [0.1, 1.0], "B": [0.3, 10.0]}).assign(measure="nDCG@10"))


def test_a_place_is_not_a_system_of_results() -> None:
    """An experiment sorts them by name, so that a place would be that of another system."""
    for function in (pairwise, paper_table, plots.plot_topics):
        with pytest.raises(ValueError, match=r"^baseline=1 is not one of the systems: \['B', 'A'"):
            function(VARIED, baseline=1)
    curves = pd.concat([curve_of([1, 2], [3, 3], name) for name in "AB"])
    by_place, by_name = (effort(curves, 1, compared_with=system) for system in (0, "A"))
    pd.testing.assert_frame_equal(by_place, by_name)


def test_a_name_comes_before_a_place() -> None:
    for system, names, name in ((0, [1, 0], 0), (0, ["0", "1"], "0"), ("0", ["1", "0"], "0")):
        assert check_system(system, names, in_order=True) == name


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
    read, calls = read_rows, []
    monkeypatch.setattr(
        "pt_cumgain.comparing._results.read_rows", lambda rows: calls.append(rows) or read(rows)
    )
    results = pd.concat([VARIED, VARIED.assign(measure="P@1")])
    function(results)
    (given,) = calls
    assert given is results


# what is refused

B = RESULTS["name"] == "B"
FIRST = B & (RESULTS["qid"] == "0")
X_AND_Y = pd.concat([RESULTS.assign(dataset="X"), RESULTS.assign(dataset="Y")])
C_IN_X = RESULTS[B].assign(name="C", dataset="X")
IN_Y = X_AND_Y["dataset"] == "Y"


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (RESULTS.drop(columns="value"), r"^results: missing columns \['value'\].*perquery=True"),
        *(
            (pd.concat([RESULTS, RESULTS[[name]]], axis=1), f"more than one column '{name}'$")
            for name in RESULTS
        ),
        (RESULTS.astype(object).where(~FIRST, "high"), "must be numbers, but row 0 holds 'high'"),
        (RESULTS.head(0), "^there are no results to compare"),
        *(
            (RESULTS.assign(name=RESULTS["name"].astype(object).where(B, missing)), "has no name")
            for missing in (None, np.nan, pd.NA, pd.NaT)
        ),
        (RESULTS.assign(name=[1] * 3 + ["1"] * 3), r"the same name, as text: \[1, '1'\]"),
        (RESULTS.assign(value=RESULTS["value"].mask(FIRST)), "'B' for topic '0' is NaN|for 'B'"),
        (RESULTS.assign(value=np.nan), "'B' for topic '0' is NaN|is NaN for 'B'"),
        (X_AND_Y.assign(value=X_AND_Y["value"].mask(IN_Y)), "topic '0' is NaN|is NaN for 'B'"),
        *(
            (X_AND_Y.replace({"dataset": {"Y": name}}), "must be a name other than 'mean'")
            for name in ("mean", None, 3, "")
        ),
    ],
)
def test_what_no_reader_of_results_accepts(results: pd.DataFrame, words: str) -> None:
    for function in READERS:
        with pytest.raises((TypeError, ValueError), match=words):
            function(results)


def test_files_that_are_not_csv_are_refused(tmp_path) -> None:
    for path in (tmp_path / "results.pkl", tmp_path / "empty.csv"):
        path.write_bytes(pickle.dumps(RESULTS) if path.suffix == ".pkl" else b"")
        for function in READERS:
            with pytest.raises(ValueError, match=r"^results=.*'\) is not a CSV file; pt.Exper"):
                function(path)


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (RESULTS[~FIRST], "^CG@1: 'B' has no value for topic '0'; .*ttest_ind"),
        (RESULTS.assign(value=RESULTS["value"].mask(FIRST, np.inf)), "'B' for .* '0' is infinite"),
        (RESULTS.assign(value=RESULTS["value"].mask(FIRST, -1e301)), "is infinite or too large"),
        (pd.concat([RESULTS, RESULTS[FIRST]]), "'B' has two values for topic '0'.*'dataset'"),
        (RESULTS[B], "^there is only one system, 'B'"),
        (RESULTS[RESULTS["qid"] == "0"], "'B' has values for 1 topic; 2 or more are needed$"),
        (pd.concat([X_AND_Y, C_IN_X]), r"'C' has no value for topic \('Y', '0'\)"),
        (pd.concat([X_AND_Y, X_AND_Y[~IN_Y].assign(measure="m")]), "^m: 'B' .* 0 topics of .* 'Y'"),
        (X_AND_Y[~IN_Y | (X_AND_Y["qid"] == "0")], "'B' has values for 1 topic of dataset 'Y'; "),
    ],
)
def test_what_cannot_be_compared(results: pd.DataFrame, words: str) -> None:
    for function in (pairwise, friedman, paper_table):
        with pytest.raises(ValueError, match=words):
            function(results)


RUN, QRELS = {"1": {"d": 1.0}}, {"1": {"d": 1}}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *(
            (partial(pairwise, RESULTS, baseline=wrong), f"baseline={wrong!r} is not one of the sy")
            for wrong in (2, -1, True, np.False_, 0.0, "C")
        ),
        (lambda: pairwise(RESULTS, baseline=["A", "B"]), "no system is left to compare with the"),
        (lambda: pairwise(RESULTS, test="conover"), "test='conover' .* three systems"),
        (lambda: intervals(RESULTS[FIRST]), "'B' has values for 1 topic; 2 or more are needed$"),
        (lambda: check_system(0, ["1", "0"], in_order=True), "the system '0' or, .*, '1'; give"),
        (lambda: check_system(2, [1], "role", in_order=True), r"^role=2 is not one of .*: \[1\]$"),
        (lambda: rank_correlation(pd.DataFrame({"name": [None, "B"], "x": 1})), "has no name"),
        (lambda: gain_curves({"A": RUN, None: RUN}, None, QRELS, "CG"), "a system has no name"),
        (lambda: session_lengths([RUN], names=[None]), "^a system has no name: .*; give it one$"),
    ],
)
def test_what_is_refused(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
