"""Search agents: `per_session` over frames such as pyterrier-rag 0.3.0 returns, written by hand."""

import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import nsDCG, per_session, sDCG
from pt_cumgain.sessions import to_queries
from tests.support import reference

#: What the index has for each query, best first; a query that is not here finds nothing.
INDEX = {
    "jaguar": ["zoo", "cat", "car"],
    "jaguar car": ["car", "shop", "cat"],
    "jaguar price": ["shop", "tax"],
}
QRELS = {"none": {"car": 3}, "once": {"car": 1, "cat": 2}, "eight": {"car": 1, "shop": 3, "tax": 2}}
HISTORIES = {
    "none": [],
    "once": ["jaguar"],
    # it repeats itself, and finds nothing at the fourth and the last search
    "eight": ["jaguar", "jaguar car", "jaguar", "?", "jaguar price", "jaguar car", "jaguar", "?"],
}
AGENT = pd.DataFrame(
    {
        "qid": list(HISTORIES),
        "query": "where is a jaguar?",
        "context": "Answer the question ...",
        "search_history": list(HISTORIES.values()),
        "search_iterations": [len(history) for history in HISTORIES.values()],
        "qanswer": ["", "in the zoo", ""],
        "output": "<search> jaguar </search>",
        "stop_reason": ["No answer, no search", "Got answer", "No answer after max turns"],
    }
)
K = 2  # the documents that the agents read


def search(queries: pd.DataFrame) -> pd.DataFrame:
    pt.validate.query_frame(queries, extra_columns=["query"])
    rows = [
        (query.qid, docno, -float(rank))
        for query in queries.itertuples()
        for rank, docno in enumerate(INDEX.get(query.query, []))
    ]
    return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]))


index = pt.apply.generic(search, transform_outputs=lambda _: ["qid", "docno", "score", "rank"])


class Agent(pt.Transformer):
    """Returns the rows of `AGENT`, in the order in which the agents ended."""

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        return AGENT[AGENT["qid"].isin(topics["qid"])].iloc[::-1]

    def transform_outputs(self, _: list[str]) -> list[str]:
        return AGENT.columns.tolist()


@pytest.mark.filterwarnings("ignore:.*has no documents for 1 of the 3 topics:UserWarning")
@pytest.mark.parametrize("length", [None, 8, 11])
@pytest.mark.parametrize("duplicates", ["count", "first"])
def test_agents_in_an_experiment(length: int | None, duplicates: str) -> None:
    """Sessions of 0, 1 and 8 searches; expected: the slow reference, given length or their own."""
    system = Agent() >> per_session(index % K, queries="search_history", session_length=length)
    qrels = pd.DataFrame(
        [(qid, docno, label) for qid, labels in QRELS.items() for docno, label in labels.items()],
        columns=["qid", "docno", "label"],
    )
    topics = AGENT[["qid", "query"]]
    measures = {sDCG(duplicates=duplicates) @ K: "", nsDCG(duplicates=duplicates) @ K: "ideal"}
    values = pt.Experiment(
        {"agent": system}, topics, qrels, list(measures), perquery=True, validate="error"
    ).set_index(["qid", "measure"])["value"]
    for measure, divisor in measures.items():
        for qid, history in HISTORIES.items():
            lists = {
                position: {docno: -float(i) for i, docno in enumerate(INDEX.get(query, []))}
                for position, query in enumerate(history, 1)
            }
            expected = 0.0
            if history:
                expected = reference.session_value(
                    QRELS[qid], lists, length or len(history), cutoff=K,
                    duplicates=duplicates, discount="revised", divisor=divisor,
                )  # fmt: skip
            assert values[qid, str(measure)] == pytest.approx(expected, rel=1e-12)


def test_all_sessions_without_a_search() -> None:
    none = AGENT.assign(search_history=[[], [], []])
    run = per_session(index, queries="search_history")(none)
    assert run.columns.tolist() == [
        "qid", "docno", "score", "rank", "query_position", "session_length",
    ]  # fmt: skip
    assert run.empty
    assert to_queries(none, "search_history").empty


def test_numbered_queries() -> None:
    """SearchR1 and R1Searcher of pyterrier-rag return pairs of a number and a query."""
    older = AGENT.drop(columns="search_history").assign(
        all_queries=[list(enumerate(history)) for history in HISTORIES.values()]
    )
    run = per_session(index, queries="all_queries")(older)
    pd.testing.assert_frame_equal(run, per_session(index, queries="search_history")(AGENT))


def test_what_is_said_of_a_pipeline_over_agents() -> None:
    system = per_session(index, queries="search_history", session_length=8)
    assert pt.inspect.transformer_inputs(system) == [["qid", "search_history"]]
    assert repr(system).endswith(", queries='search_history', session_length=8)")
    assert system(AGENT)["session_length"].unique().tolist() == [8]
    shorter = per_session(index, queries="search_history", session_length=7)
    words = "session 'eight' has 8 queries, more than session_length=7"
    with pytest.raises(ValueError, match=words):
        shorter(AGENT)
