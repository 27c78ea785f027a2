"""Sessions of several queries: ECIR 2008's sDCG, for pipelines, and for what searchers saw.

Two pipelines over the sessions of the embedded collection are compared; then, where the TREC 2013
Session Track is at hand (its XML, qrels.txt), the results that its searchers saw are evaluated:

    python examples/sessions.py [FOLDER OF THE SESSION TRACK]
"""

import sys
import tempfile
from pathlib import Path

import pyterrier as pt
from pyterrier_pisa import PisaIndex

import pt_cumgain
from pt_cumgain import nsDCG, per_session, pydocs, sDCG


def compare_pipelines(folder: str) -> None:
    index = PisaIndex(folder, text_field=["title", "text"])
    index.index(pt.get_dataset("irds:pydocs").get_corpus_iter(verbose=False))
    bm25 = index.bm25(num_results=100)
    earlier = pt.apply.query(lambda row: " ".join([*row["previous_queries"], row["query"]]))
    pipelines = {"query alone": per_session(bm25), "with earlier": per_session(earlier >> bm25)}
    sessions, qrels = pydocs.sessions(), pydocs.session_qrels()

    # an impatient searcher gives up on later queries sooner (small bq), a patient one hardly at all
    measures = [nsDCG(bq=bq, duplicates=each) @ 10 for bq in (2, 10) for each in ("count", "first")]
    result = pt.Experiment(pipelines, sessions, qrels, measures, baseline=0)
    print(result.set_index("name").iloc[:, : len(measures)].T.round(3).to_string(), "\n")

    # which reformulations helped? the change from query to query, to depth 100
    measure = nsDCG(query_discount="none")
    gains = pt_cumgain.query_gains([pipelines["query alone"]], sessions, qrels, measure)
    gains["gain"] = gains.groupby("qid")["value"].diff()
    texts = sessions.set_index("qid")["queries"]
    print("the three reformulations that helped most, and the three that hurt most")
    ordered = gains.dropna().sort_values("gain", ascending=False)
    for row in [*ordered.head(3).itertuples(), *ordered.tail(3).itertuples()]:
        before, after = texts[row.qid][row.query_position - 2 : row.query_position]
        print(f"{row.gain:+.2f}  {before!r} -> {after!r}")


def evaluate_searchers(folder: Path) -> None:
    track = pt_cumgain.read_session_track(folder / "sessiontrack2013.xml")
    qrels = pt_cumgain.session_qrels(folder / "qrels.txt", track.sessions)
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
