"""How many queries sessions have: ECIR 2008, table 2."""

import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import per_session, pydocs
from pt_cumgain.sessions import session_lengths, write_session_run

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
    """A pipeline that answers each query of each session."""
    pipeline = per_session(pt.apply.generic(lambda q: q.assign(docno="d", score=1.0, rank=0)))
    sessions = pydocs.sessions()
    expected = session_lengths({"X": sessions})
    pd.testing.assert_frame_equal(session_lengths({"X": pipeline}, sessions), expected)
    with pytest.raises(ValueError, match="'X' is a transformer, so topics are needed"):
        session_lengths({"X": pipeline})
