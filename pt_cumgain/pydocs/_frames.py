"""The pooled runs, the sessions and their runs, as frames."""

from __future__ import annotations

from functools import cache

import pandas as pd

from pt_cumgain.inputs.frames import to_frame
from pt_cumgain.inputs.reading import read_run
from pt_cumgain.pydocs._collection import DATA
from pt_cumgain.sessions import _frames as session_frames


def runs() -> dict[str, pd.DataFrame]:
    """Return the five pooled runs by system, as PyTerrier frames.

    They have ``qid, docno, score, rank``. They were made once, with the
    versions that ``pydocs/data/README.md`` names, so that values computed from
    them do not depend on the installed numpy and pandas.

    Examples
    --------
    >>> list(runs())
    ['BM25', 'QLD', 'PL2', 'DPH', 'First word']
    """
    return {name: run.copy() for name, run in _read_runs().items()}


@cache
def _read_runs() -> dict[str, pd.DataFrame]:
    """Read the pooled runs, once."""
    by_system = {}
    for name in ("BM25", "QLD", "PL2", "DPH", "First word"):
        path = DATA / "runs" / f"{name.lower().replace(' ', '-')}.res.gz"
        run = to_frame(read_run(path), "score")
        by_system[name] = run.assign(rank=run.groupby("qid", sort=False).cumcount())
    return by_system


def sessions() -> pd.DataFrame:
    """Return 30 sessions of two to six queries each.

    A frame with ``qid``, ``queries`` (a list) and ``topic``. The queries of
    each reformulate one of the topics: typos, queries too broad or too narrow,
    synonyms, drift. Five of the 101 queries find nothing.

    Examples
    --------
    >>> first = sessions().iloc[0]
    >>> first["qid"], first["topic"], first["queries"]
    ('s1', '1', ['tabels combine', 'combine tables', 'merge two dataframes on common column'])
    """
    # one query is "nan"
    queries = pd.read_csv(DATA / "sessions.tsv", sep="\t", dtype="str", na_filter=False)
    return session_frames.to_sessions(queries)


def session_qrels() -> pd.DataFrame:
    """Return the judgments by session: ``qid, docno, label``.

    Examples
    --------
    >>> session_qrels().head(2)
      qid         docno  label
    0  s1  numpy.append      1
    1  s1   numpy.block      1
    """
    return session_frames.session_qrels(DATA / "qrels.txt", sessions())


def session_runs() -> dict[str, pd.DataFrame]:
    """Return two runs over the sessions: the top 100 of every query.

    ``BM25`` searches for each query alone, ``BM25 + earlier queries`` for all
    those asked so far. They were made as :func:`runs` were.

    Examples
    --------
    >>> session_runs()["BM25"].columns.tolist()
    ['qid', 'docno', 'score', 'rank', 'query_position', 'session_length']
    """
    files = {"BM25": "bm25.res.gz", "BM25 + earlier queries": "bm25-earlier.res.gz"}
    folder = DATA / "session_runs"
    return {name: session_frames.read_session_run(folder / file) for name, file in files.items()}
