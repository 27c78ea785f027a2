"""Compare search agents by session DCG: two rule-based agents on the collection pydocs.

Needs pyterrier-pisa (the extra ``demo``). The agents are plain PyTerrier transformers which return
the queries of each topic in a column ``search_history``, as the agents of pyterrier-rag do. Put
yours in their place.
"""

import re
import tempfile
import warnings
from pathlib import Path

import pandas as pd
import pyterrier as pt

from pt_cumgain import nsDCG, pairwise, per_session, plots, pydocs, sDCG
from pt_cumgain.sessions import query_gains, session_curves

#: How many documents an agent reads after each search, and how often it may search.
READ, SEARCHES = 5, 8
FIGURE = Path("search_agents.png")


class Agent(pt.Transformer):
    """Searches, and searches again for the name of a document found, until nothing new comes."""

    def __init__(self, retriever: pt.Transformer, searches: int) -> None:
        self.retriever, self.searches = retriever, searches

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Add the queries that were asked for each topic."""
        histories = [self.search(query) for query in topics["query"]]
        return topics[["qid", "query"]].assign(search_history=histories)

    def search(self, question: str) -> list[str]:
        """Return the queries that are asked for one question."""
        history, seen, query = [], set(), question
        while len(history) < self.searches:
            history.append(query)
            found = self.retriever.search(query)["docno"]
            new = [docno for docno in found if docno not in seen]
            if not new:
                break
            seen.update(new)
            name = " ".join(re.findall("[a-z]+", new[0].lower()))  # pandas.DataFrame.merge
            query = f"{question} {name}"
        return history


warnings.simplefilter("ignore")
dataset = pt.get_dataset("irds:pydocs")
topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
with tempfile.TemporaryDirectory() as folder:
    bm25 = pydocs.build_index(folder).bm25() % READ
    # every agent may search so often, so the ideal session has as many searches for all
    session = per_session(bm25, queries="search_history", session_length=SEARCHES)
    agents = {"one search": Agent(bm25, 1), "persistent": Agent(bm25, SEARCHES)}
    runs = {name: (agent >> session)(topics) for name, agent in agents.items()}

# a document that is found twice helps once
measures = [sDCG(duplicates="first") @ READ, nsDCG(duplicates="first") @ READ]
results = pt.Experiment(runs, topics, qrels, measures, perquery=True)
print(results.groupby(["name", "measure"], sort=False)["value"].mean().unstack().round(3))
print()
test = pairwise(results, baseline="one search")
print(test[["measure", "name", "difference", "low", "high"]].round(3).to_string(index=False))

# the new gain at each search: without discounts, each document where it is found first
gain = sDCG(duplicates="first", discount="none", query_discount="none") @ READ
by_search = query_gains(runs, None, qrels, gain).groupby(["name", "query_position"])["value"]
print("\nnew gain at each search, the mean over all topics")
print((by_search.sum() / len(topics)).unstack().round(2).to_string())
figure = plots.plot_session_curves(session_curves(runs, None, qrels, gain), ideal=False)
plots.save(figure, FIGURE)
print(f"written: {FIGURE}")
