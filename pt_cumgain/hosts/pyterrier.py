"""The glue to PyTerrier: topics for an experiment on runs, pipelines over sessions."""

from __future__ import annotations

from typing import Any, NoReturn

import pandas as pd
import pyterrier as pt

from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.reading import Qrels, read_qrels
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.options import TEXT, checked, whole

_OUTPUT = ["qid", "docno", "score", "rank", "query_position", "session_length", "scanned"]


def topics_of(qrels: Qrels) -> pd.DataFrame:
    """Return the topics that have judgments, to pass to ``pt.Experiment``.

    Parameters
    ----------
    qrels
        ``qid, docno, label``, or as :func:`pt_cumgain.evaluate` takes them.

    Returns
    -------
    pandas.DataFrame
        ``qid``, in the order of the qrels. There is no ``query``, which only
        transformers need.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> from pt_cumgain import CG
    >>> qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [3, 1]})
    >>> run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    >>> pt.Experiment({"X": run}, topics_of(qrels), qrels, [CG @ 10])
      name  CG@10
    0    X    1.5
    """
    return pd.DataFrame({"qid": read_qrels(qrels).topics}, dtype=object)


@checked(queries=TEXT, session_length=whole(1, 10**6).optional())
def per_session(
    pipeline: pt.Transformer, *, queries: str = "queries", session_length: int | None = None
) -> pt.Transformer:
    """Turn a PyTerrier pipeline into a pipeline over sessions.

    A session is several queries for one information need: those of a person,
    of a conversation, or of a search agent. The result accepts a frame of
    sessions (``qid``, ``queries``), runs the pipeline on all of their queries
    in one batch, and returns a run over sessions: ``qid, docno, score, rank,
    query_position, session_length``, and ``scanned`` if the pipeline returns
    it. A session with an empty list of queries has no rows, so it gains 0.

    The pipeline sees one row for each query: ``query``, the earlier queries of
    its session as a list in ``previous_queries``, a ``qid`` of its own, and the
    other columns of the sessions. Rerank, truncate and combine results inside
    the pipeline, not after it: ``per_session(a + b)``.

    Parameters
    ----------
    pipeline
        Any transformer that takes queries and returns results.
    queries
        The name of the column with the lists of queries: ``"search_history"``
        or ``"all_queries"`` for agents of pyterrier-rag.
    session_length
        The length of every session: the number of searches that an agent may
        make, for agents that stop by themselves. The ideal session of nsDCG
        then has as many queries for all agents. By default, the number of the
        session's queries.

    Returns
    -------
    pyterrier.Transformer
        Ready for ``pt.Experiment([per_session(a), per_session(b)], sessions,
        qrels, [sDCG @ 10])``.

    Raises
    ------
    TypeError, ValueError
        When it is used: if ``queries`` is not a list of strings or is longer
        than ``session_length``, a session appears twice, or the pipeline
        changes the ``qid``.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> def exact(queries):  # finds the document whose name is the query
    ...     return queries.assign(docno=queries["query"], score=1.0)[["qid", "docno", "score"]]
    >>> sessions = pd.DataFrame({"qid": ["s1"], "queries": [["jaguar", "jaguar car"]]})
    >>> run = per_session(pt.apply.generic(exact))(sessions)
    >>> run[["qid", "docno", "query_position", "session_length"]]
      qid       docno  query_position  session_length
    0  s1      jaguar               1               2
    1  s1  jaguar car               2               2
    """
    return PerSession(pipeline, queries, session_length)


class PerSession(pt.Transformer):
    """Runs a pipeline on every query of every session; see :func:`pt_cumgain.per_session`."""

    def __init__(self, pipeline: pt.Transformer, queries: str, session_length: int | None) -> None:
        if not isinstance(pipeline, pt.Transformer):
            kind = type(pipeline).__name__
            raise TypeError(f"per_session accepts a PyTerrier transformer, not a {kind}")
        self.pipeline = pipeline
        self.queries, self.session_length = queries, session_length
        self.transform_inputs = [["qid", queries]]

    def transform(self, sessions: pd.DataFrame) -> pd.DataFrame:
        """Return the results of all queries of all sessions."""
        pt.validate.columns(sessions, includes=["qid", self.queries], context=self)
        queries = to_queries(sessions, self.queries, self.session_length)
        if not len(queries):
            return pd.DataFrame(columns=[name for name in _OUTPUT if name != "scanned"])
        hidden = ["session", "query_position", "session_length"]
        results: Any = self.pipeline(queries.drop(columns=hidden))
        pt.validate.columns(results, includes=["qid", "docno", "score"], context=self)
        results = pt.model.coerce_dataframe_types(results.copy())
        row = pd.Index(queries["qid"]).get_indexer(results["qid"])
        if (row < 0).any():
            other = results["qid"].to_numpy()[row < 0][0]
            raise ValueError(
                f"the pipeline returned results for the qid {show(other)}, which is not a query of "
                "a session; a pipeline inside per_session must keep the qid of its queries"
            )
        if "rank" not in results:
            results = pt.model.add_ranks(results)
        kept = queries[hidden].iloc[row].set_axis(results.index)
        run: pd.DataFrame = results.assign(**kept, qid=kept["session"])
        return run[[name for name in _OUTPUT if name in run]].reset_index(drop=True)

    def transform_outputs(self, columns: list[str]) -> list[str]:
        """Return the columns of the output; some only if the pipeline returns them."""
        pt.validate.columns(pd.DataFrame(columns=columns), includes=["qid", self.queries])
        kept = [name for name in columns if name not in (self.queries, "query")]
        inside = pt.inspect.transformer_outputs(
            self.pipeline, [*kept, "query", "previous_queries"], strict=False
        )
        return [name for name in _OUTPUT if name != "scanned" or name in (inside or [])]

    def _refuse_operator(self, other: object) -> NoReturn:
        raise TypeError(
            f"{show(self)} and {show(other)} cannot be combined: PyTerrier's operators would mix "
            "up the queries of a session; combine inside: per_session(a + b)"
        )

    __add__ = __or__ = __and__ = __pow__ = __xor__ = _refuse_operator

    def __repr__(self) -> str:
        options = ""
        if self.queries != "queries" or self.session_length is not None:
            options = f", queries={self.queries!r}, session_length={self.session_length!r}"
        return f"per_session({self.pipeline!r}{options})"
