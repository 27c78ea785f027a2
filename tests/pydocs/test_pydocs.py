"""The embedded collection: what its README promises."""

import ir_datasets
import pandas as pd
import pyterrier as pt

from pt_cumgain import pydocs

README = (pydocs.DATA / "README.md").read_text("utf-8")


def test_ir_datasets_serves_it() -> None:
    dataset = ir_datasets.load("pydocs")
    assert dataset.has_docs()
    assert dataset.has_queries()
    assert dataset.has_qrels()
    docs = list(dataset.docs_iter())
    assert len(docs) == len({doc.doc_id for doc in docs}) == dataset.docs_count()
    assert dataset.docs_iter()[5] == docs[5]
    assert list(dataset.docs_iter()[2:4]) == docs[2:4]
    merge = dataset.docs_store().get("pandas.DataFrame.merge")
    assert "join" in merge.text
    assert merge.default_text().startswith("pandas DataFrame merge ")
    assert dataset.qrels_defs().keys() == {0, 1, 2, 3}
    assert dataset.docs_lang() == dataset.queries_lang() == "en"
    pydocs.register()  # once more does no harm


def test_pyterrier_serves_it() -> None:
    dataset = pt.get_dataset("irds:pydocs")
    topics = dataset.get_topics("text")
    assert topics.columns.tolist() == ["qid", "query"]
    assert topics["query"][0] == "join two tables on a key"
    assert {"qid", "docno", "label"} <= set(dataset.get_qrels().columns)
    part = list(dataset.get_corpus_iter(verbose=False, start=2, count=3))
    assert [doc["docno"] for doc in part] == [doc.doc_id for doc in pydocs.documents()[2:5]]
    assert part[0].keys() == {"docno", "title", "text"}
    texts = dataset.text_loader(["text"])(pd.DataFrame({"docno": ["numpy.sort"]}))
    assert "sorted" in texts["text"][0]


def test_documents_are_the_installed_docstrings() -> None:
    import numpy as np

    texts = {doc.doc_id: doc.text for doc in pydocs.documents()}
    assert 1000 < len(texts) < 1300
    for doc_id, thing in (("numpy.sort", np.sort), ("pandas.DataFrame.melt", pd.DataFrame.melt)):
        assert texts[doc_id].splitlines()[0] in thing.__doc__
    assert "numpy.absolute" in texts
    assert "numpy.abs" not in texts  # an alias
    assert len(set(texts.values())) == len(texts)


def test_qrels_are_deep_enough() -> None:
    """At least 30 topics; in each at least 20 judged, 5 relevant, and all four levels."""
    qrels = pd.DataFrame(ir_datasets.load("pydocs").qrels_iter())
    counts = qrels.groupby(["query_id", "relevance"]).size().unstack(fill_value=0)
    assert set(counts.index) == {topic.query_id for topic in pydocs.topics()}
    assert len(counts) >= 30
    assert counts.columns.tolist() == [0, 1, 2, 3]
    assert counts.min().min() >= 1
    assert counts.sum(axis=1).min() >= 20
    assert counts[[1, 2, 3]].sum(axis=1).min() >= 5
    for number in (len(qrels), *counts.sum(), len(counts)):
        assert f"{number:,}" in README


def test_the_first_20_of_every_run_are_judged() -> None:
    judged = {(qrel.query_id, qrel.doc_id) for qrel in ir_datasets.load("pydocs").qrels_iter()}
    runs = pydocs.runs()
    assert len(runs) == 5
    for run in runs.values():
        assert run.columns.tolist() == ["qid", "docno", "score", "rank"]
        assert (run.groupby("qid").size() <= 100).all()
        top = run[run["rank"] < 20]
        assert judged.issuperset(zip(top["qid"], top["docno"]))


def test_sessions_are_what_the_readme_promises() -> None:
    sessions = pydocs.sessions()
    assert sessions.columns.tolist() == ["qid", "queries", "topic"]
    lengths = sessions["queries"].map(len)
    assert len(sessions) >= 20
    assert set(lengths) == {2, 3, 4, 5, 6}
    assert sessions["queries"].map(set).map(len).equals(lengths)
    assert set(sessions["topic"]) <= {topic.query_id for topic in pydocs.topics()}
    assert f"{len(sessions)} sessions" in README
    assert f"{lengths.sum()} queries in total" in README
    qrels = pydocs.session_qrels()
    assert qrels.columns.tolist() == ["qid", "docno", "label"]
    assert set(qrels["qid"]) == set(sessions["qid"])
