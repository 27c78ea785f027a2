"""Run a complete retrieval experiment: index, pipelines, measures, a significance test.

Needs pyterrier-pisa (the extra ``demo``). For another search engine, change only the lines that
import and build the index and create ``bm25``; the rest is plain PyTerrier.
"""

import tempfile
import warnings

import pyterrier as pt
from pyterrier_pisa import PisaIndex

import pt_cumgain.pydocs  # noqa: F401  # registers the collection
from pt_cumgain import CG, DCG, nCG

warnings.simplefilter("ignore")
dataset = pt.get_dataset("irds:pydocs")
with tempfile.TemporaryDirectory() as folder:
    index = PisaIndex(folder, text_field=["title", "text"])
    index.index(dataset.get_corpus_iter(verbose=False))

    bm25 = index.bm25()
    # add a point for every query word that occurs in the name of the function
    named = pt.apply.doc_score(
        lambda row: (
            row["score"] + sum(word in row["docno"].lower() for word in row["query"].split())
        )
    )
    results = pt.Experiment(
        {"BM25": bm25, "BM25 + name": bm25 >> named},
        dataset.get_topics("text"),
        dataset.get_qrels(),
        [CG @ 10, DCG(discount="original", base=10) @ 100, nCG(gains="0-1-10-100") @ 10],
        baseline="BM25",
        round=3,
    )
print(results.set_index("name").T.to_string())
