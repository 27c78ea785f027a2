"""Session curves, gains of each query and lengths of sessions: by hand, and ECIR 2008, table 2."""

import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import evaluate, intervals, nDCG, nsDCG, per_session, plots, pydocs, sDCG
from pt_cumgain.sessions import query_gains, session_curves, session_lengths, write_session_run
from tests.support.helpers import SESSION_COLUMNS, SESSION_QRELS, SESSION_RUN, slow

PLAIN = {"discount": "none", "query_discount": "none"}


def run_of(*rows: tuple[str, str, float, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=SESSION_COLUMNS)


def by_session(curves: pd.DataFrame, column: str) -> dict[str, list[float]]:
    return curves.groupby("qid")[column].agg(list).to_dict()


def test_vectors_by_hand() -> None:
    """Gains 0 1 and 3 1 of two queries, in the ideal 3 2 of both; d is 1 and 2, d_q 1 and 1.5."""
    qrels = {**SESSION_QRELS, "t": {"a": 1}}
    runs = {"X": pd.concat([SESSION_RUN, run_of(("t", "a", 1.0, 1))])}
    each = session_curves(runs, None, qrels, sDCG @ 2, perquery=True)
    assert each["rank"].tolist() == [1, 2, 3, 4] * 2
    assert each["query_position"].tolist() == [1, 1, 2, 2] * 2
    values, ideals = by_session(each, "value"), by_session(each, "ideal")
    assert values["s"] == pytest.approx([0, 0.5, 2.5, 2.5 + 1 / 3])
    assert ideals["s"] == pytest.approx([3, 4, 6, 4 + 4 / 1.5])
    assert values["t"] == ideals["t"] == [1, 1, 1, 1]  # held after its only query
    mean = session_curves(runs, None, qrels, [sDCG @ 2, "nsDCG@2"])
    assert mean["measure"].unique().tolist() == ["nsDCG@2", "sDCG@2"]
    assert mean["value"][4:].tolist() == pytest.approx([0.5, 0.75, 1.75, 1.75 + 1 / 6])
    assert mean["value"][:4].tolist() == pytest.approx(
        [(a / b + 1) / 2 for a, b in zip(values["s"], ideals["s"], strict=True)]
    )
    assert mean["ideal"][:4].tolist() == [1, 1, 1, 1]
    longer = session_curves(runs, None, qrels, sDCG @ 2, min_queries=2)
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
    results = [evaluate([*at.values()], qrels, run).assign(name=name) for name, run in runs.items()]
    made = intervals(pd.concat(results).rename(columns={"query_id": "qid"}))
    made = made.set_index(["name", "measure"])
    lengths = {
        name: run.groupby("qid")["session_length" if "session_length" in run else "query_position"]
        for name, run in runs.items()
    }
    for row in curves[curves["rank"] == 5 * curves["query_position"]].itertuples():
        assert row.sessions == (lengths[row.name].max() >= row.query_position).sum()
        if row.query_position in at:
            expected = made.loc[(row.name, str(at[row.query_position])), ["low", "high"]].tolist()
            assert [row.low, row.high] == pytest.approx(expected, abs=1e-12)
    assert "sessions" not in session_curves(runs, None, qrels, measure, perquery=True)


@pytest.mark.parametrize(
    ("function", "measure", "options", "message"),
    [
        (session_curves, sDCG, {"interval": 0.95, "perquery": True}, "omit perquery"),
        (session_curves, nDCG @ 5, {}, "nDCG@5 is not a session measure"),
        (session_curves, sDCG, {"min_queries": 3}, "has 3 queries or more"),
        (query_gains, sDCG(avg_pos=True), {}, "avg_pos"),
        (session_curves, sDCG(padding=20), {}, "padding=20 must be at most the cutoff, 10"),
    ],
)
def test_what_is_refused(function, measure, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        function({"X": SESSION_RUN}, None, SESSION_QRELS, measure, **options)


HUGE = 1.7e308


@pytest.mark.parametrize(
    "gains",
    [
        {1: HUGE, 3: HUGE},  # of b and a, which query 2 returns
        {1: -HUGE, 3: -HUGE},  # and the ideal has neither
        {1: 0, 2: HUGE, 3: HUGE},  # of the ideal alone: c and a
    ],
)
@pytest.mark.filterwarnings("error", "ignore:.* less than level")
def test_gains_too_large_for_floats(gains) -> None:
    for function in (session_curves, query_gains):
        with pytest.raises(ValueError, match="too large for a sum of floats"):
            function({"X": SESSION_RUN}, None, SESSION_QRELS, sDCG(gains=gains, **PLAIN) @ 2)
    if gains[3] > 0:
        with pytest.raises(ValueError, match="gains of topic 's' are too large for a sum"):
            evaluate(nsDCG(gains=gains, **PLAIN) @ 2, SESSION_QRELS, SESSION_RUN)


@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
def test_gains_that_are_too_large_only_if_sessions_are_summed() -> None:
    run = run_of(("s", "d", 1.0, 1), ("t", "d", 1.0, 1))
    qrels, measure = {"s": {"d": 1}, "t": {"d": 1}}, nsDCG(gains={1: HUGE}) @ 1
    for made in (
        evaluate(measure, qrels, run),
        session_curves([run], None, qrels, measure, perquery=True),
        query_gains([run], None, qrels, measure, depth=1),
    ):
        assert made["value"].tolist() == [1, 1]


def test_the_best_query_of_each_session_is_marked() -> None:
    """By its value at the depth; the first of several that are equally good.

    Without discounts the ideals are 3 + 1, 1 and 2.
    """
    found = {"s": "bab", "t": "xy", "u": "a"}
    rows = [(qid, doc, 1.0, q) for qid, docs in found.items() for q, doc in enumerate(docs, 1)]
    runs = {"X": run_of(*rows)}
    qrels = {"s": {"a": 3, "b": 1}, "t": {"a": 1}, "u": {"a": 2}}
    plain = nsDCG(**PLAIN)
    for vectors in (False, True):
        gains = query_gains(runs, None, qrels, plain, 2, vectors=vectors)
        for column, expected in (("best", [2, 1, 1]), ("last", [3, 2, 1])):
            marked = gains[gains[column]][["qid", "query_position"]].drop_duplicates()
            assert marked.to_numpy().tolist() == [*map(list, zip("stu", expected))]
    gains = query_gains(runs, None, qrels, [plain @ 5, plain], 2)  # both are read at the depth
    assert gains["value"].tolist() == [1 / 4, 3 / 4, 1 / 4, 0, 0, 1]
    assert gains["discounted"].tolist() == [1 / 12, 3 / 12, 1 / 12, 0, 0, 1]
    first = query_gains(runs, None, qrels, plain(queries=1), 2)
    assert first["value"].tolist() == [1 / 4, 0, 1]


@pytest.mark.parametrize("perquery", [False, True])
@pytest.mark.parametrize("padding", ["fixed", *slow("none")])
def test_left_out_sessions_decide_nothing(perquery, padding) -> None:
    """A has s, of one query, B has t, of three, and nobody u, of four: each curve is the one over
    the qrels of its own session alone, and ends where that does."""
    of_t = [("t", doc, 1.0, q) for q, doc in enumerate("xba", 1)]
    runs = {"A": run_of(("s", "a", 1.0, 1)), "B": run_of(*of_t)}
    qrels = {qid: {"a": 3, "b": 1} for qid in "stu"}
    sessions = pd.DataFrame({"qid": list("stu"), "queries": [["w"], ["w"] * 3, ["w"] * 4]})
    measures = [sDCG(padding=padding) @ 2, nsDCG(padding=padding) @ 2]
    made = session_curves(runs, sessions, qrels, measures, perquery=perquery, missing="skip")
    for name, qid in (("A", "s"), ("B", "t")):
        of_name = made[made["name"] == name].reset_index(drop=True)
        own = {qid: qrels[qid]}
        alone = session_curves({name: runs[name]}, None, own, measures, perquery=perquery)
        pd.testing.assert_frame_equal(of_name, alone)
    if not perquery:
        assert made["sessions"].tolist() == [1] * len(made)
    plots.plot_session_curves(made, ideal=True)


def test_a_missed_session_has_the_ideal_of_fixed_padding_whatever_the_padding() -> None:
    """By hand: s has one place, 3; t, judged 2 and not in the run, all three of its only query.

    So it counts in an average of vectors, where the run has 0 of the 2.
    """
    run, qrels = run_of(("s", "a", 1.0, 1)), {"s": {"a": 3}, "t": {"b": 2}}
    for padding in ("none", 1, "fixed"):
        plain = {**PLAIN, "cutoff": 3, "padding": padding}
        each = session_curves([run], None, qrels, sDCG(**plain), perquery=True)
        assert by_session(each, "ideal") == {"s": [3] * 3, "t": [2] * 3}
        assert each["value"].tolist() == [3, 3, 3, 0, 0, 0]
        mean = session_curves([run], None, qrels, nsDCG(**plain), average="vectors")
        assert mean["value"].tolist() == pytest.approx([3 / 5] * 3)


def test_padding_decides_which_positions_queries_take() -> None:
    """Of three queries that return a and b, nothing, and a; sDCG is 7 whatever the padding."""
    run = run_of(("s", "a", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 1.0, 3))
    qrels = {"s": {"a": 3, "b": 1}}
    expected = {
        "fixed": ([3, 4, 4, 4, 4, 4, 7, 7, 7], [1, 1, 1, 2, 2, 2, 3, 3, 3]),
        "none": ([3, 4, 7], [1, 1, 3]),
        1: ([3, 4, 4, 7], [1, 1, 2, 3]),
        2: ([3, 4, 4, 4, 7, 7], [1, 1, 2, 2, 3, 3]),
    }
    for padding, (vector, positions) in expected.items():
        measure = sDCG(**PLAIN, padding=padding) @ 3
        curve = session_curves({"X": run}, None, qrels, measure, perquery=True)
        assert curve["value"].tolist() == vector
        assert curve["query_position"].tolist() == positions
        values = evaluate([measure(avg_pos=True), measure], qrels, run)["value"].tolist()
        assert values == pytest.approx([sum(vector) / len(vector), 7])
    means = session_curves({"X": run}, None, qrels, sDCG(**PLAIN, padding="none") @ 3)
    assert means["query_position"].isna().all()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({}, "has no documents for 1 of the 1 topics"),
        (SESSION_RUN.assign(query_id="other"), "and the qrels have no topic in common"),
    ],
    ids=["empty", "disjoint"],
)
@pytest.mark.filterwarnings("ignore:the run 'X' and the qrels have no topic in common")
def test_sessions_that_the_run_misses(run, words) -> None:
    """0 beside an ideal of as many queries as the sessions frame says, else of one."""
    runs, sessions = {"X": run}, pd.DataFrame({"qid": ["s"], "queries": [["a", "b", "c"]]})
    with pytest.warns(UserWarning, match=f"the run 'X' {words}"):
        curve = session_curves(runs, None, SESSION_QRELS, [sDCG @ 2, nsDCG @ 2])
    assert curve["value"].tolist() == [0] * 4
    assert curve["ideal"].tolist() == [1, 1, 3, 3 + 2 / 2]
    each = session_curves(runs, None, SESSION_QRELS, sDCG @ 2, perquery=True)
    assert each["value"].dtype == float
    longer = session_curves(runs, sessions, SESSION_QRELS, sDCG @ 2, min_queries=3)
    assert longer["rank"].max() == 6
    assert longer["ideal"].iloc[3] == pytest.approx(4 * (1 + 1 / 1.5))
    assert len(query_gains(runs, None, SESSION_QRELS, sDCG)) == 0
    gains = query_gains(runs, sessions, SESSION_QRELS, sDCG)
    assert gains["value"].tolist() == [0, 0, 0]


#: The rows of table 2: sessions with 1 to 11 queries, and the average per session as printed.
TABLE_2 = {
    "System 1": ([28, 7, 10, 4, 5, 4, 1, 1, 0, 0, 0], 2.53),
    "System 2": ([21, 7, 9, 11, 2, 4, 2, 2, 0, 1, 1], 3.18),
}


def test_the_papers_table() -> None:
    systems = {}
    for name, (counts, _) in TABLE_2.items():
        queries = [["q"] * length for length, n in enumerate(counts, 1) for _ in range(n)]
        systems[name] = pd.DataFrame({"qid": range(len(queries)), "queries": queries})
    table = session_lengths(systems)
    assert table.columns.tolist() == ["name", "sessions", "average", *range(1, 12)]
    assert table["name"].tolist() == list(TABLE_2)
    assert table["sessions"].tolist() == [60, 60]
    assert table["average"].round(2).tolist() == [average for _, average in TABLE_2.values()]
    assert table[list(range(1, 12))].to_numpy().tolist() == [row for row, _ in TABLE_2.values()]


def test_runs_count_as_their_sessions_do(tmp_path) -> None:
    """Queries that returned nothing count too, by the run's session_length."""
    run = pydocs.session_runs()["BM25"]
    write_session_run(run, tmp_path / "BM25.res")
    expected = session_lengths({"BM25": pydocs.sessions()})
    for systems in ({"BM25": run}, [tmp_path / "BM25.res"]):
        pd.testing.assert_frame_equal(session_lengths(systems), expected)
    assert expected["average"].tolist() == [101 / 30]
    short = pd.DataFrame({"qid": "s", "docno": "d", "score": 1.0, "query_position": [2]})
    table = session_lengths([short, short.assign(session_length=3)], names=["a", "b"])
    assert table[[1, 2, 3]].to_numpy().tolist() == [[0, 1, 0], [0, 0, 1]]


def test_pipelines_run_on_the_sessions() -> None:
    pipeline = per_session(pt.apply.generic(lambda q: q.assign(docno="d", score=1.0, rank=0)))
    sessions = pydocs.sessions()
    expected = session_lengths({"X": sessions})
    pd.testing.assert_frame_equal(session_lengths({"X": pipeline}, sessions), expected)
    with pytest.raises(ValueError, match="'X' is a transformer, so topics are needed"):
        session_lengths({"X": pipeline})
    with pytest.raises(TypeError, match="sessions must be a pandas DataFrame, not"):
        session_lengths({"X": sessions}, sessions=object())
