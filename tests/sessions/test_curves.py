"""Session curves and the gains of each query: by hand, held at the end, both averages."""

from __future__ import annotations

import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import intervals, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.sessions import query_gains, session_curves
from tests.support.helpers import SESSION_COLUMNS, SESSION_QRELS, SESSION_RUN, frame_of, slow


def test_vectors_by_hand() -> None:
    """Gains 0 1 and 3 1 of two queries, in the ideal 3 2 of both; d is 1 and 2, d_q 1 and 1.5."""
    qrels = {**SESSION_QRELS, "t": {"a": 1}}
    short = pd.DataFrame([("t", "a", 1.0, 1)], columns=SESSION_COLUMNS)
    run = pd.concat([SESSION_RUN, short])
    each = pt_cumgain.sessions.session_curves({"X": run}, None, qrels, sDCG @ 2, perquery=True)
    assert each["rank"].tolist() == [1, 2, 3, 4] * 2
    assert each["query_position"].tolist() == [1, 1, 2, 2] * 2
    values = each.groupby("qid")["value"].agg(list)
    assert values["s"] == pytest.approx([0, 0.5, 2.5, 2.5 + 1 / 3])
    assert values["t"] == [1, 1, 1, 1]  # held after its only query
    ideals = each.groupby("qid")["ideal"].agg(list)
    assert ideals["s"] == pytest.approx([3, 4, 6, 4 + 4 / 1.5])
    assert ideals["t"] == [1, 1, 1, 1]
    mean = pt_cumgain.sessions.session_curves({"X": run}, None, qrels, [sDCG @ 2, "nsDCG@2"])
    assert mean["measure"].unique().tolist() == ["nsDCG@2", "sDCG@2"]
    assert mean["value"][4:].tolist() == pytest.approx([0.5, 0.75, 1.75, 1.75 + 1 / 6])
    assert mean["value"][:4].tolist() == pytest.approx(
        [(a / b + 1) / 2 for a, b in zip(values["s"], ideals["s"], strict=True)]
    )
    assert mean["ideal"][:4].tolist() == [1, 1, 1, 1]
    longer = pt_cumgain.sessions.session_curves({"X": run}, None, qrels, sDCG @ 2, min_queries=2)
    assert longer["value"].tolist() == pytest.approx(values["s"])
    assert mean["sessions"].tolist() == [2, 2, 1, 1] * 2
    assert longer["sessions"].tolist() == [1, 1, 1, 1]


def test_sessions_that_are_left_and_intervals() -> None:
    """At the end of query q, the interval is that of the measure over the first q queries."""
    runs, qrels = pydocs.session_runs(), pydocs.session_qrels()
    measure = nsDCG @ 5
    curves = session_curves(runs, None, qrels, measure, interval=0.95)
    plain = session_curves(runs, None, qrels, measure)
    pd.testing.assert_frame_equal(curves.drop(columns=["low", "high", "band"]), plain)
    at = {q: measure(queries=q) for q in (1, 2, 6)}
    results = [
        pt_cumgain.evaluate(list(at.values()), qrels, run).assign(name=name)
        for name, run in runs.items()
    ]
    made = intervals(pd.concat(results).rename(columns={"query_id": "qid"}))
    made = made.set_index(["name", "measure"])
    lengths = {
        name: run.groupby("qid")["session_length" if "session_length" in run else "query_position"]
        for name, run in runs.items()
    }
    for row in curves[curves["rank"] == 5 * curves["query_position"]].itertuples():
        assert row.sessions == (lengths[row.name].max() >= row.query_position).sum()
        if measured := at.get(row.query_position):
            expected = made.loc[(row.name, str(measured)), ["low", "high"]].tolist()
            assert [row.low, row.high] == pytest.approx(expected, abs=1e-12)
    each = session_curves(runs, None, qrels, measure, perquery=True)
    assert "sessions" not in each


@pytest.mark.parametrize(
    ("function", "measure", "options", "message"),
    [
        (session_curves, sDCG, {"interval": 0.95}, "at least two"),
        (session_curves, sDCG, {"interval": 0.95, "perquery": True}, "omit perquery"),
        (session_curves, nDCG @ 5, {}, "nDCG@5 is not a session measure"),
        (session_curves, sDCG, {"min_queries": 3}, "has 3 queries or more"),
        (query_gains, sDCG(avg_pos=True), {}, "avg_pos"),
        (query_gains, [], {}, "no measure"),
    ],
)
def test_wrong_vectors(function, measure, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        function({"X": SESSION_RUN}, None, SESSION_QRELS, measure, **options)


HUGE = 1.7e308


@pytest.mark.parametrize("function", [session_curves, pt_cumgain.sessions.query_gains])
@pytest.mark.parametrize(
    "gains",
    [
        {1: HUGE, 3: HUGE},  # of b and a, which query 2 returns
        {1: -HUGE, 3: -HUGE},  # and the ideal has neither
        {1: 0, 2: HUGE, 3: HUGE},  # of the ideal alone: c and a
    ],
)
@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
def test_gains_too_large_for_floats(function, gains) -> None:
    plain = {"discount": "none", "query_discount": "none", "cutoff": 2}
    with pytest.raises(ValueError, match="too large for a sum of floats"):
        function({"X": SESSION_RUN}, None, SESSION_QRELS, sDCG(gains=gains, **plain))
    if gains[3] > 0:
        with pytest.raises(ValueError, match="gains of topic 's' are too large for a sum"):
            pt_cumgain.evaluate(nsDCG(gains=gains, **plain), SESSION_QRELS, SESSION_RUN)


@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
def test_gains_that_are_too_large_only_if_sessions_are_summed() -> None:
    rows = [(session, "d", 1.0, 1) for session in "st"]
    run = pd.DataFrame(rows, columns=SESSION_COLUMNS)
    qrels, measure = {"s": {"d": 1}, "t": {"d": 1}}, nsDCG(gains={1: HUGE}) @ 1
    for made in (
        pt_cumgain.evaluate(measure, qrels, run),
        session_curves([run], None, qrels, measure, perquery=True),
        pt_cumgain.sessions.query_gains([run], None, qrels, measure, depth=1),
    ):
        assert made["value"].tolist() == [1, 1]


def test_the_best_query_of_each_session_is_marked() -> None:
    """By its value at the depth; the first of several that are equally good.

    Without discounts the ideals are 3 + 1, 1 and 2.
    """
    found = {"s": "bab", "t": "xy", "u": "a"}
    rows = [(qid, doc, q) for qid, docs in found.items() for q, doc in enumerate(docs, 1)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "query_position"]).assign(score=1.0)
    qrels = {"s": {"a": 3, "b": 1}, "t": {"a": 1}, "u": {"a": 2}}
    plain = nsDCG(discount="none", query_discount="none")
    for vectors in (False, True):
        gains = query_gains({"X": run}, None, qrels, plain, 2, vectors=vectors)
        for column, expected in (("best", [2, 1, 1]), ("last", [3, 2, 1])):
            marked = gains[gains[column]][["qid", "query_position"]].drop_duplicates()
            assert marked.to_numpy().tolist() == [*map(list, zip("stu", expected))]
    gains = query_gains({"X": run}, None, qrels, plain, 2)
    assert gains["value"].tolist() == [1 / 4, 3 / 4, 1 / 4, 0, 0, 1]
    first = query_gains({"X": run}, None, qrels, plain(queries=1), 2)
    assert first["value"].tolist() == [1 / 4, 0, 1]


@pytest.mark.parametrize("perquery", [False, True])
@pytest.mark.parametrize("padding", ["fixed", *slow("none")])
def test_left_out_sessions_decide_nothing(perquery, padding) -> None:
    """A has s, of one query, B has t, of three, and nobody u, of four: each curve is the one over
    the qrels of its own session alone, and ends where that does."""
    rows = [("s", "a", 1), *(("t", doc, q) for q, doc in enumerate("xba", 1))]
    run = pd.DataFrame(rows, columns=["qid", "docno", "query_position"]).assign(score=1.0)
    runs = {"A": run[run["qid"] == "s"], "B": run[run["qid"] == "t"]}
    qrels = {qid: {"a": 3, "b": 1} for qid in "stu"}
    sessions = pd.DataFrame({"qid": list("stu"), "queries": [["w"], ["w"] * 3, ["w"] * 4]})
    labels = frame_of(qrels, "qid docno label")
    measures = [sDCG(padding=padding) @ 2, nsDCG(padding=padding) @ 2]
    options = {"perquery": perquery, "missing": "skip"}
    made = session_curves(runs, sessions, labels, measures, **options)
    for name, qid in (("A", "s"), ("B", "t")):
        of_name = made[made["name"] == name].reset_index(drop=True)
        alone = session_curves({name: run}, None, {qid: qrels[qid]}, measures, perquery=perquery)
        pd.testing.assert_frame_equal(of_name, alone)
    if not perquery:
        assert made["sessions"].tolist() == [1] * len(made)
    plots.plot_session_curves(made, ideal=True)


def test_a_missed_session_has_the_ideal_of_fixed_padding_whatever_the_padding() -> None:
    """By hand: s has one place, 3; t, judged 2 and not in the run, all three of its only query.

    So it counts in an average of vectors, where the run has 0 of the 2.
    """
    run = pd.DataFrame([("s", "a", 1.0, 1)], columns=SESSION_COLUMNS)
    qrels = {"s": {"a": 3}, "t": {"b": 2}}
    plain = {"discount": "none", "query_discount": "none", "cutoff": 3}
    for padding in ("none", 1, "fixed"):
        measures = [sDCG(**plain, padding=padding), nsDCG(**plain, padding=padding)]
        with pytest.warns(UserWarning, match="no documents for 1 of the 2 topics"):
            each = session_curves([run], None, qrels, measures[0], perquery=True)
        assert each.groupby("qid")["ideal"].agg(list).to_dict() == {"s": [3] * 3, "t": [2] * 3}
        assert each["value"].tolist() == [3, 3, 3, 0, 0, 0]
        with pytest.warns(UserWarning, match="no documents for 1 of the 2 topics"):
            mean = session_curves([run], None, qrels, measures[1], average="vectors")
        assert mean["value"].tolist() == pytest.approx([3 / 5] * 3)


def test_padding_decides_which_positions_queries_take() -> None:
    """Of three queries that return a and b, nothing, and a; sDCG is 7 whatever the padding."""
    rows = [("s", "a", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 1.0, 3)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "query_position"])
    qrels = {"s": {"a": 3, "b": 1}}
    plain = {"discount": "none", "query_discount": "none", "cutoff": 3}
    expected = {
        "fixed": ([3, 4, 4, 4, 4, 4, 7, 7, 7], [1, 1, 1, 2, 2, 2, 3, 3, 3]),
        "none": ([3, 4, 7], [1, 1, 3]),
        1: ([3, 4, 4, 7], [1, 1, 2, 3]),
        2: ([3, 4, 4, 4, 7, 7], [1, 1, 2, 2, 3, 3]),
    }
    for padding, (vector, positions) in expected.items():
        measure = sDCG(**plain, padding=padding)
        curve = session_curves({"X": run}, None, qrels, measure, perquery=True)
        assert curve["value"].tolist() == vector
        assert curve["query_position"].tolist() == positions
        mean = sDCG(**plain, padding=padding, avg_pos=True)
        values = pt_cumgain.evaluate([measure, mean], qrels, run).set_index("measure")["value"]
        assert values[str(measure)] == 7
        assert values[str(mean)] == pytest.approx(sum(vector) / len(vector))
    means = session_curves({"X": run}, None, qrels, sDCG(**plain, padding="none"))
    assert means["query_position"].isna().all()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({}, "has no documents for 1 of the 1 topics"),
        (SESSION_RUN.assign(query_id="other"), "and the qrels have no topic in common"),
    ],
    ids=["empty", "disjoint"],
)
def test_sessions_that_the_run_misses(run, words) -> None:
    """0 beside an ideal of as many queries as the sessions frame says, else of one."""
    with pytest.warns(UserWarning, match=f"the run 'X' {words}"):
        curve = pt_cumgain.sessions.session_curves(
            {"X": run}, None, SESSION_QRELS, [sDCG @ 2, nsDCG @ 2]
        )
    assert curve["value"].tolist() == [0] * 4
    with pytest.warns(UserWarning, match=words):
        each = session_curves([run], None, SESSION_QRELS, sDCG @ 2, perquery=True)
    assert each["value"].dtype == float
    assert curve["ideal"].tolist() == [1, 1, 3, 3 + 2 / 2]
    sessions = pd.DataFrame({"qid": ["s"], "queries": [["a", "b", "c"]]})
    with pytest.warns(UserWarning, match=words):
        longer = pt_cumgain.sessions.session_curves(
            {"X": run}, sessions, SESSION_QRELS, sDCG @ 2, min_queries=3
        )
    assert longer["rank"].max() == 6
    assert longer["ideal"].iloc[3] == pytest.approx(4 * (1 + 1 / 1.5))
    with pytest.warns(UserWarning, match=words):
        assert len(pt_cumgain.sessions.query_gains({"X": run}, None, SESSION_QRELS, sDCG)) == 0
    with pytest.warns(UserWarning, match=words):
        gains = pt_cumgain.sessions.query_gains({"X": run}, sessions, SESSION_QRELS, sDCG)
    assert gains["value"].tolist() == [0, 0, 0]


def test_session_curves_have_both_averages() -> None:
    rows = [("1", "x", 1.0, 1), ("1", "a", 1.0, 2), ("2", "a", 1.0, 1)]
    run = pd.DataFrame(rows, columns=SESSION_COLUMNS)
    qrels = {"1": {"a": 3}, "2": {"a": 1}}
    measure = nsDCG(query_discount="none") @ 1
    by_topic = session_curves([run], None, qrels, measure)
    assert by_topic["value"].tolist() == [0.5, 0.75]  # 0 1/2 and 1 1
    by_vector = session_curves([run], None, qrels, measure, average="vectors")
    assert by_vector["value"].tolist() == pytest.approx([1 / 4, 4 / 7])  # 0 3 + 1 1 over 3 6 + 1 1
