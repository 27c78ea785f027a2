"""Sessions as frames and files: building, reading and writing them.

A frame of sessions has a row for each session: ``qid`` (the session), ``queries`` (the list of its
queries' texts, in order) and any other columns, such as ``topic``. A run over sessions has
``query_position`` as well as ``qid, docno, score``, and perhaps ``session_length`` and ``scanned``;
qrels have it if a judgment holds for a single query.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from pt_cumgain.engine.judging import read_scores
from pt_cumgain.engine.rows import TURN_COLUMN
from pt_cumgain.engine.units import SessionRun
from pt_cumgain.environment.files import replacing
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.formats import trec
from pt_cumgain.inputs.frames import as_pandas, require_ids, to_frame
from pt_cumgain.inputs.ids import read_ids
from pt_cumgain.inputs.reading import Qrels, is_path, read_qrels, read_run
from pt_cumgain.inputs.sessions import read_texts
from pt_cumgain.inputs.sessions import to_queries as to_queries  # public here
from pt_cumgain.options import checked

#: The number of a turn.
_TURN = re.compile(r"0*[1-9][0-9]{0,3}")


def to_sessions(queries: pd.DataFrame) -> pd.DataFrame:
    """Turn a frame with a row for each query into a frame of sessions.

    Parameters
    ----------
    queries
        ``qid`` (the session), ``query``, and perhaps ``query_position`` (1, 2,
        ... in each session; without it the order of the rows counts). Other
        columns that have a single value within each session, such as ``topic``,
        are kept.

    Returns
    -------
    pandas.DataFrame
        ``qid``, ``queries`` and the columns kept; sessions in the order of
        their first rows.

    Raises
    ------
    ValueError
        If a column is missing, or the positions of a session are not 1, 2, ...
        each once.

    Examples
    --------
    Conversations whose turns are called ``31_1``, ``31_2``, ... :

    >>> turns = pd.DataFrame({"qid": ["31_1", "31_2"], "query": ["throat cancer", "is it curable"]})
    >>> to_sessions(split_turns(turns))["queries"].tolist()
    [['throat cancer', 'is it curable']]
    """
    require_ids(queries, ["qid", "query"], "queries")
    if "queries" in queries:
        raise ValueError("the frame has a column 'queries' already; drop it, or call to_queries")
    frame = queries.reset_index(drop=True)
    if "query_position" in frame:
        position = numbers(frame["query_position"], "query_position")
        frame = frame.assign(query_position=position)
    rest = [name for name in frame if name not in ("qid", "query", "query_position")]
    texts = {name: frame[name].map(repr).groupby(frame["qid"]) for name in rest}
    kept = [name for name in rest if (texts[name].nunique() == 1).all()]
    rows = []
    for qid, session in frame.groupby("qid", sort=False):
        if "query_position" in session:
            session = session.sort_values("query_position", kind="stable")
            positions = session["query_position"].tolist()
            if positions != list(range(1, len(positions) + 1)):
                shown = ", ".join(f"{position:g}" for position in positions)
                raise ValueError(
                    f"session {qid!r} has the query positions {shown}; they must be 1, 2, ... each "
                    "once"
                )
        first = [session[name].iloc[0] for name in kept]
        rows.append((qid, read_texts(qid, session["query"], "query"), *first))
    return pd.DataFrame(rows, columns=["qid", "queries", *kept])


@checked
def split_turns(frame: pd.DataFrame, sep: str = "_") -> pd.DataFrame:
    """Split ids such as ``31_4`` into the conversation ``31`` and its turn 4.

    In TREC CAsT and iKAT each turn is a topic, in the queries, the qrels and
    the runs. Split the ids of all three: qrels then are judgments by turn, runs
    are runs over sessions, and :func:`to_sessions` makes sessions of queries.

    Parameters
    ----------
    frame
        Queries, qrels or a run: ``qid`` or ``query_id`` and any other columns.
    sep
        The characters before the turn at the end of the id. If they occur
        several times, the last ones count: ``9-1_3`` is turn 3 of ``9-1``.

    Returns
    -------
    pandas.DataFrame
        The columns of ``frame`` with the conversation as id, and after it
        ``query_position``, the turn.

    Raises
    ------
    TypeError, ValueError
        If there is no column of ids, or there is a ``query_position`` already;
        if an id is not a string, is nothing but a turn, or does not end with
        the separator and a whole number from 1; if different ids are the same
        turn, such as ``31_1`` and ``31_01``.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": ["31_1", "31_2"], "docno": ["a", "a"], "label": [0, 3]})
    >>> split_turns(qrels)
      qid  query_position docno  label
    0  31               1     a      0
    1  31               2     a      3
    """
    frame = as_pandas(frame)
    name = "query_id" if isinstance(frame, pd.DataFrame) and "query_id" in frame else "qid"
    require_ids(frame, [name], "frame")
    ids = read_ids(frame[name], name).take(slice(None))
    parts = {qid: qid.rpartition(sep) for qid in dict.fromkeys(ids)}
    known: dict[tuple[str, int], str] = {}
    for qid, (session, _, turn) in parts.items():
        if not session or not _TURN.fullmatch(turn):
            raise ValueError(
                f"the {name} {qid!r} is not a conversation, {sep!r} and a turn (a whole number "
                f"from 1), for example '31{sep}4'"
            )
        other = known.setdefault((session, int(turn)), qid)
        if other != qid:
            raise ValueError(f"the {name}s {other!r} and {qid!r} are the same turn; give it one id")
    split = frame.assign(**{name: np.array([parts[qid][0] for qid in ids], dtype=object)})
    turns = np.array([int(parts[qid][2]) for qid in ids], dtype=np.int64)
    split.insert(split.columns.tolist().index(name) + 1, "query_position", turns)
    return split


def session_qrels(qrels: Qrels, sessions: pd.DataFrame | Mapping[str, str]) -> pd.DataFrame:
    """Turn qrels by topic into qrels by session: each session gets its topic's.

    A session without a topic, or with a topic that has no judgments, has no
    rows, so it is not part of the result and does not count. If a document has
    several labels, as in the 2011 Session Track, where documents are judged for
    each subtopic, the row with the highest label is kept, as in the track's own
    script. The result is therefore not suitable for diversity measures.

    Parameters
    ----------
    qrels
        As for :func:`pt_cumgain.evaluate`; their topics are those of the
        sessions.
    sessions
        A frame with ``qid`` (the session) and ``topic``, or a mapping of
        session to topic.

    Returns
    -------
    pandas.DataFrame
        ``qid, docno, label``, with ``query_position`` if judgments are by turn.

    Raises
    ------
    ValueError
        If a column is missing, or no session has a judged topic.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "label": [2, 0]})
    >>> session_qrels(qrels, {"s1": "7", "s2": "7", "s3": "8"})
      qid docno  label
    0  s1     a      2
    1  s1     b      0
    2  s2     a      2
    3  s2     b      0
    """
    judged = to_frame(read_qrels(qrels), "label")
    sessions = as_pandas(sessions)
    if isinstance(sessions, Mapping):
        pairs = pd.DataFrame(list(sessions.items()), columns=["qid", "topic"])
    else:
        hint = "; a mapping of sessions to topics is allowed, too"
        require_ids(sessions, ["qid", "topic"], "sessions", hint=hint)
        pairs = sessions[["qid", "topic"]].reset_index(drop=True)
    pairs = pairs[pairs["topic"].notna()].astype(str).drop_duplicates()
    joined = pairs.merge(judged.rename(columns={"qid": "topic"}), on="topic")
    if not len(joined):
        topics = ", ".join(repr(topic) for topic in pairs["topic"].unique()[:3]) or "none"
        raise ValueError(f"no session has a topic with judgments (topics of sessions: {topics})")
    # the highest label of a document, not the sum over subtopics, as in the track's own script
    by_label = joined.sort_values("label", ascending=False, kind="stable")
    turn = [column for column in TURN_COLUMN if column in judged]
    largest = ~by_label.duplicated(["qid", "docno", *turn]).sort_index()
    return joined.loc[largest, list(judged.columns)].reset_index(drop=True)


def write_session_run(run: pd.DataFrame, target: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a run over sessions as a TREC run file that keeps the queries.

    The format is TREC's: session, query, document, rank, score, tag. The second
    field, which TREC's tools ignore, is ``Q2/3`` for the second of three
    queries (``Q2`` where the run has no ``session_length``) instead of ``Q0``;
    ``Q2/3:7`` if the run has ``scanned``, for a query with a list of which the
    searcher saw 7 documents.

    Parameters
    ----------
    run
        ``qid, docno, score, query_position``, perhaps ``session_length`` and
        ``scanned``.
    target
        A path, gzipped if it ends in ``.gz``, or a file open for writing bytes,
        as ``pt.Experiment(save_dir=..., save_format=(read_session_run,
        write_session_run))`` gives.

    Raises
    ------
    ValueError, TypeError
        If the path is empty, a column is missing, the positions or lengths
        cannot be those of sessions, a score is NaN, or an id is missing or
        would not be read back unchanged: it contains white space or a NUL
        character, or it is a session's and begins with ``#``, which begins a
        comment, or with a byte-order mark (U+FEFF).
    OSError
        If the file cannot be written; an existing file stays as it was.

    Examples
    --------
    >>> import io
    >>> columns = ["qid", "docno", "score", "query_position", "session_length"]
    >>> run = pd.DataFrame([("s1", "a", 2.5, 1, 2), ("s1", "b", 1.5, 2, 2)], columns=columns)
    >>> file = io.BytesIO()
    >>> write_session_run(run, file)
    >>> print(file.getvalue().decode(), end="")
    s1 Q1/2 a 0 2.5 pt_cumgain
    s1 Q2/2 b 0 1.5 pt_cumgain
    """
    if not is_path(target) and not hasattr(target, "write"):
        raise TypeError(f"target={target!r:.40} must be a path, or a file open for writing bytes")
    table = read_run(run)
    SessionRun.group(table)  # refuses anything but a run over sessions
    read_scores(table)  # refuses NaN
    if is_path(target):
        opened: Any = gzip.open if Path(target).suffix.lower() == ".gz" else open
        with replacing(target) as path, opened(path, "wb") as file:
            trec.write_lines(table, file)
    else:
        trec.write_lines(table, target)


def read_session_run(source: str | os.PathLike[str] | IO[bytes]) -> pd.DataFrame:
    """Read a run over sessions that :func:`write_session_run` wrote.

    Parameters
    ----------
    source
        A path (gzipped or not), or a file open for reading bytes.

    Returns
    -------
    pandas.DataFrame
        ``qid, docno, score, rank, query_position`` and, if the file has them,
        ``session_length`` and ``scanned``; the rank counts from 0 in each
        query.

    Raises
    ------
    ValueError
        If the path is empty, the file is not a TREC run, or its second field
        does not hold query positions.
    """
    if not is_path(source) and not hasattr(source, "read"):
        raise TypeError(f"source={source!r:.40} must be a path, or a file open for reading bytes")
    frame = to_frame(read_run(source), "score")
    if len(frame) and "query_position" not in frame:
        raise ValueError(
            "the second field of the run is not Q1, Q2, ... (or Q1/3, ...): it is not a run over "
            "sessions; write_session_run writes them"
        )
    queries = [frame["qid"], frame.get("query_position", frame["qid"])]
    rank = frame["score"].groupby(queries, sort=False).rank("first", ascending=False) - 1
    frame.insert(3, "rank", rank.astype(np.int64))
    return frame
