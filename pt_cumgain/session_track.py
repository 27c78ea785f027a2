"""The TREC Session Track (2011 to 2014): sessions of searchers, and what they saw."""

from __future__ import annotations

import gzip
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

#: Where a result's document id stands: one of these, by year; its URL where there is none.
_DOCUMENT_TAGS = ("clueweb12id", "clueweb09id", "docno", "url")


class SessionTrack(NamedTuple):
    """What :func:`read_session_track` returns."""

    sessions: pd.DataFrame
    run: pd.DataFrame


def read_session_track(path: str | os.PathLike[str]) -> SessionTrack:
    """Read the sessions of a TREC Session Track (2011 to 2014) and what the searchers saw.

    Parameters
    ----------
    path
        The track's XML file, gzipped or not. A bare ``&``, as 2012's file has, is read as one.

    Returns
    -------
    SessionTrack
        ``sessions``: ``qid`` (the session's number), ``topic`` (the number of its topic; None in
        2011, whose file does not number them: use the track's session-topic map), ``queries``
        (those with interactions), ``current_query`` (the query for which the track asks results, or
        None). ``run``: the results shown, ``qid, docno, score, rank, query_position,
        session_length``; the score is minus the rank. A result without document id has its URL.

    Raises
    ------
    ValueError
        If the file is no such XML.

    Examples
    --------
    >>> track = read_session_track("sessiontrack2013.xml")  # doctest: +SKIP
    >>> qrels = session_qrels("qrels.txt", track.sessions)  # doctest: +SKIP
    >>> pt_cumgain.evaluate([sDCG @ 10, nsDCG @ 10], qrels, track.run)  # doctest: +SKIP
    """
    path = Path(path)
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    content = re.sub(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)", b"&amp;", content)
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        raise ValueError(f"{path} is no XML: {error}") from None
    sessions, rows = [], []
    for session in root.iter("session"):
        qid, topic = session.get("num"), session.find("topic")
        interactions = session.findall("interaction")
        if qid is None or not interactions:
            raise ValueError(f"{path}: session {qid} has no number or no interaction")
        sessions.append(
            {
                "qid": qid,
                "topic": None if topic is None else topic.get("num"),
                "queries": [_text(each, "query") for each in interactions],
                "current_query": _text(session, "currentquery/query") or None,
            }
        )
        for position, interaction in enumerate(interactions, 1):
            for result in interaction.iter("result"):
                rank = int(result.get("rank", 0))
                docno = next(
                    (_text(result, tag) for tag in _DOCUMENT_TAGS if _text(result, tag)), None
                )
                if docno is None or rank < 1:
                    raise ValueError(
                        f"{path}: a result of session {qid}, interaction {position}, has no "
                        "document or no rank"
                    )
                rows.append((qid, docno, -float(rank), rank - 1, position, len(interactions)))
    if not sessions:
        raise ValueError(f"{path} has no <session>; it must be a TREC Session Track file")
    columns = ["qid", "docno", "score", "rank", "query_position", "session_length"]
    return SessionTrack(pd.DataFrame(sessions), pd.DataFrame(rows, columns=columns))


def _text(element: Any, path: str) -> str:
    return (element.findtext(path) or "").strip()
