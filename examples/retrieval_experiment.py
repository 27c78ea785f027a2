"""A retrieval experiment from scratch: index, pipelines, measures, a test of significance.

Needs pyterrier-pisa (the extra ``demo``). With another engine only the two lines of the index
differ; the pipelines and the experiment are plain PyTerrier.
"""

import tempfile
import warnings

import pyterrier as pt
from pyterrier_pisa import PisaIndex

from pt_cumgain import CG, DCG, nCG

warnings.simplefilter("ignore")
dataset = pt.get_dataset("irds:pydocs")
with tempfile.TemporaryDirectory() as folder:
    index = PisaIndex(folder, text_field=["title", "text"])
    index.index(dataset.get_corpus_iter(verbose=False))

    bm25 = index.bm25()
    # a point for every word of the query that is in the name of the function
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
