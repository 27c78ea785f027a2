"""Evaluate sessions of several queries with sDCG and nsDCG (ECIR 2008).

    python examples/sessions.py [FOLDER OF THE SESSION TRACK]

compares two pipelines on the sessions of pydocs. If the folder of the TREC 2013 Session Track is
given, with ``sessiontrack2013.xml`` and ``qrels.txt``, it also evaluates the results that the
searchers saw.
"""

import sys
import tempfile
from pathlib import Path

import pyterrier as pt

import pt_cumgain
from pt_cumgain import nsDCG, per_session, pydocs, sDCG


def compare_pipelines(folder: str) -> None:
    index = pydocs.build_index(folder)
    bm25 = index.bm25(num_results=100)
    earlier = pt.apply.query(lambda row: " ".join([*row["previous_queries"], row["query"]]))
    pipelines = {"query alone": per_session(bm25), "with earlier": per_session(earlier >> bm25)}
    sessions, qrels = pydocs.sessions(), pydocs.session_qrels()

    # with a small bq (an impatient searcher), later queries count less than with a large bq
    measures = [nsDCG(bq=bq, duplicates=each) @ 10 for bq in (2, 10) for each in ("count", "first")]
    result = pt.Experiment(pipelines, sessions, qrels, measures, baseline=0)
    print(result.set_index("name").iloc[:, : len(measures)].T.round(3).to_string(), "\n")

    # which reformulations helped? the change in value from query to query, to depth 100
    gains = pt_cumgain.sessions.query_gains([pipelines["query alone"]], sessions, qrels, nsDCG)
    gains["gain"] = gains.groupby("qid")["value"].diff()
    texts = sessions.set_index("qid")["queries"]
    print("the three reformulations that helped most, and the three that hurt most")
    ordered = gains.dropna().sort_values("gain", ascending=False)
    for row in [*ordered.head(3).itertuples(), *ordered.tail(3).itertuples()]:
        before, after = texts[row.qid][row.query_position - 2 : row.query_position]
        print(f"{row.gain:+.2f}  {before!r} -> {after!r}")


def evaluate_searchers(folder: Path) -> None:
    track = pt_cumgain.sessions.read_session_track(folder / "sessiontrack2013.xml")
    qrels = pt_cumgain.sessions.session_qrels(folder / "qrels.txt", track.sessions)
    measures = [sDCG @ 10, nsDCG @ 10, nsDCG(duplicates="first") @ 10]
    values = pt_cumgain.evaluate(measures, qrels, track.run)
    print(f"\nTREC 2013 Session Track, what the searchers saw: {values['qid'].nunique()} sessions")
    print(
        values.groupby("measure")["value"].describe()[["mean", "std", "max"]].round(3).to_string()
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        compare_pipelines(folder)
    if len(sys.argv) > 1:
        evaluate_searchers(Path(sys.argv[1]))
