"""Frames of sessions: the queries of each session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.frames import require_columns, require_ids
from pt_cumgain.options import TEXT, checked, whole


@checked(queries=TEXT, session_length=whole(1, 10**6).optional())
def to_queries(
    sessions: pd.DataFrame, queries: str = "queries", session_length: int | None = None
) -> pd.DataFrame:
    """Turn a frame of sessions into one with a row for each query.

    A session whose list of queries is empty has no rows.

    Parameters
    ----------
    sessions
        ``qid``, ``queries`` and any other columns, which are repeated.
    queries
        The name of the column with the lists of queries: texts, or pairs of a
        number and a text, as in ``all_queries`` of pyterrier-rag's SearchR1.
    session_length
        The length of every session; by default, the number of its queries.

    Returns
    -------
    pandas.DataFrame
        ``qid`` (of the query: the session's, an underscore and the position),
        ``query``, ``previous_queries`` (a list), ``session``,
        ``query_position``, ``session_length``, and the other columns.

    Raises
    ------
    TypeError, ValueError
        If a session's ``queries`` is not a list of strings or is longer than
        ``session_length``, or a session appears twice.

    Examples
    --------
    >>> sessions = pd.DataFrame({"qid": ["s1"], "queries": [["jaguar", "jaguar car"]]})
    >>> to_queries(sessions)[["qid", "query", "previous_queries"]]
         qid       query previous_queries
    0  s1_1      jaguar               []
    1  s1_2  jaguar car         [jaguar]
    """
    require_ids(sessions, ["qid"], "sessions")
    require_columns(sessions.head(0), [queries], "sessions")  # its lists are read one by one
    twice = sessions["qid"].astype(str).duplicated()
    if twice.any():
        raise ValueError(f"the session {sessions['qid'][twice].iloc[0]!r} appears in two rows")
    names = ["qid", "query", "previous_queries", "session", "query_position", "session_length"]
    rows, session_of_row = [], []
    for number, (session, listed) in enumerate(zip(sessions["qid"], sessions[queries])):
        texts = read_texts(session, listed, queries)
        length = session_length or len(texts)
        if len(texts) > length:
            raise ValueError(
                f"session {session!r} has {len(texts)} queries, more than session_length={length}"
            )
        for position, text in enumerate(texts, 1):
            earlier = texts[: position - 1]
            qid = f"{session}_{position}"
            rows.append((qid, text, earlier, str(session), position, length))
            session_of_row.append(number)
    rest = [name for name in sessions if name not in (*names, queries)]
    others = sessions[rest].iloc[session_of_row].reset_index(drop=True)
    return pd.concat([pd.DataFrame(rows, columns=names), others], axis=1)


def read_texts(qid: object, queries: Any, column: str) -> list[str]:
    """Return the queries of a session as a list; refuse anything else."""
    if pd.api.types.is_list_like(queries, allow_sets=False) and not isinstance(queries, Mapping):
        # SearchR1 of pyterrier-rag numbers its queries
        texts = [text[-1] if isinstance(text, tuple) and text else text for text in queries]
        wrong = [text for text in texts if not isinstance(text, str)]
        if wrong:
            raise TypeError(f"session {qid!r}: the query {show(wrong[0])} is not a string")
        return texts
    shown = show(queries)
    hint = f"; for a session of one query write [{shown}]" if isinstance(queries, str) else ""
    raise TypeError(f"session {qid!r}: {column} must be a list of strings, not {shown}{hint}")
