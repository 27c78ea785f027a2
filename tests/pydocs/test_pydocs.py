"""The embedded collection: what its README promises."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import ir_datasets
import pandas as pd
import pyterrier as pt

import pt_cumgain
from pt_cumgain import pydocs


def test_ir_datasets_serves_it() -> None:
    dataset = ir_datasets.load("pydocs")
    assert dataset.has_docs()
    assert dataset.has_queries()
    assert dataset.has_qrels()
    docs = list(dataset.docs_iter())
    assert len(docs) == dataset.docs_count()
    assert len({doc.doc_id for doc in docs}) == len(docs)
    assert dataset.docs_iter()[5] == docs[5]
    assert list(dataset.docs_iter()[2:4]) == docs[2:4]
    assert next(dataset.docs_iter()[2:][3:5]) == docs[5]
    assert list(dataset.docs_iter()[: 1 / 3]) == docs[: len(docs) // 3]
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
    texts = dataset.text_loader(["text"])(pd.DataFrame({"docno": ["numpy.sort"]}))
    assert "sorted" in texts["text"][0]
    first = next(iter(dataset.get_corpus_iter(verbose=False)))
    assert first.keys() == {"docno", "title", "text"}


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
    levels = defaultdict(Counter)
    for qrel in ir_datasets.load("pydocs").qrels_iter():
        levels[qrel.query_id][qrel.relevance] += 1
    assert levels.keys() == {topic.query_id for topic in pydocs.topics()}
    assert len(levels) >= 30
    for counts in levels.values():
        assert counts.keys() == {0, 1, 2, 3}
        assert counts.total() >= 20
        assert counts.total() - counts[0] >= 5


def test_the_first_20_of_every_run_are_judged() -> None:
    judged = {(qrel.query_id, qrel.doc_id) for qrel in ir_datasets.load("pydocs").qrels_iter()}
    runs = pydocs.runs()
    assert len(runs) == 5
    for run in runs.values():
        assert run.columns.tolist() == ["qid", "docno", "score", "rank"]
        assert (run.groupby("qid").size() <= 100).all()
        top = run[run["rank"] < 20]
        assert judged.issuperset(zip(top["qid"], top["docno"]))


def test_the_readme_counts_right() -> None:
    text = (pydocs.DATA / "README.md").read_text(encoding="utf-8")
    counts = Counter(qrel.relevance for qrel in ir_datasets.load("pydocs").qrels_iter())
    for number in (counts.total(), *counts.values(), len(pydocs.topics())):
        assert f"{number:,}" in text


def test_sessions_are_what_the_readme_promises() -> None:
    sessions = pydocs.sessions()
    assert sessions.columns.tolist() == ["qid", "queries", "topic"]
    assert len(sessions) >= 20
    assert sessions["queries"].map(len).between(2, 6).all()
    assert {2, 3, 4, 5, 6} == set(sessions["queries"].map(len))
    assert set(sessions["topic"]) <= {topic.query_id for topic in pydocs.topics()}
    assert all(len(set(queries)) == len(queries) for queries in sessions["queries"])
    text = (pydocs.DATA / "README.md").read_text(encoding="utf-8")
    assert f"{len(sessions)} sessions" in text
    assert f"{sessions['queries'].map(len).sum()} queries in total" in text
    qrels = pydocs.session_qrels()
    assert qrels.columns.tolist() == ["qid", "docno", "label"]
    assert set(qrels["qid"]) == set(sessions["qid"])


def test_ir_datasets_exports_it() -> None:
    """The line of "What installing changes"; expected: the topics."""
    manual = (Path(pt_cumgain.__file__).parent / "pt_docs" / "installing.rst").read_text()
    code = re.search(r'python -c "([^"]+)" export pydocs queries', manual)
    command = [sys.executable, "-c", code[1], "export", "pydocs", "queries"]
    fields = ["--fields", "query_id", "text"]
    done = subprocess.run([*command, *fields], capture_output=True, text=True, check=True)
    topics = [f"{topic.query_id}\t{topic.text}" for topic in pydocs.topics()]
    assert done.stdout.splitlines() == topics
