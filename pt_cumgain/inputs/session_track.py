"""The TREC Session Track (2011 to 2014): sessions of searchers, and what they saw."""

from __future__ import annotations

import gzip
import os
import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

#: A bare ampersand, or a CDATA section, in which ampersands need no escape.
_BARE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)", re.DOTALL
)
#: Where a result's document id is: in one of these tags, by year; its URL where there is none.
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
        The track's XML file, gzipped or not. A bare ``&``, as in the 2012 file, is accepted.

    Returns
    -------
    SessionTrack
        ``sessions``: ``qid`` (the session's number), ``topic`` (the number of its topic; None in
        2011, whose file does not number them: use the track's session-topic map), ``queries``
        (those with interactions), ``current_query`` (the query for which the track asks for
        results, or None). ``run``: the results shown, ``qid, docno, score, rank, query_position,
        session_length``; the score is minus the rank. A result without a document id has its
        URL. An interaction that continues the ranks of the one before it, with the same query, is a
        further page of that query.

    Raises
    ------
    ValueError
        If the file is not XML of this kind.

    Warns
    -----
    UserWarning
        If the results of a query do not begin at rank 1: they are evaluated as if they did.

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
    try:
        root = ET.fromstring(content)
    except ET.ParseError:
        try:
            root = ET.fromstring(_BARE.sub(_escaped, content))
        except ET.ParseError as error:
            raise ValueError(f"{path} is not XML: {error}") from None
    sessions: list[dict[str, Any]] = []
    rows = []
    late = 0
    for session in root.iter("session"):
        qid, topic = session.get("num"), session.find("topic")
        queries = _queries(path, session)
        if qid is None or not queries:
            raise ValueError(f"{path}: session {qid} has no number or no interaction")
        if any(known["qid"] == qid for known in sessions):
            raise ValueError(f"{path}: there are two sessions {qid}")
        sessions.append(
            {
                "qid": qid,
                "topic": None if topic is None else topic.get("num"),
                "queries": [text for text, _ in queries],
                "current_query": _text(session, "currentquery/query") or None,
            }
        )
        for position, (_, results) in enumerate(queries, 1):
            late += bool(results) and min(rank for rank, _ in results) > 1
            for rank, docno in results:
                rows.append((qid, docno, -float(rank), rank - 1, position, len(queries)))
    if late:
        warnings.warn(
            f"{path}: the results of {late} queries begin after rank 1; their first one is "
            "evaluated as if it were there",
            stacklevel=2,
        )
    if not sessions:
        raise ValueError(f"{path} has no <session>; it must be a TREC Session Track file")
    columns = ["qid", "docno", "score", "rank", "query_position", "session_length"]
    return SessionTrack(pd.DataFrame(sessions), pd.DataFrame(rows, columns=columns))


def _queries(path: Path, session: Any) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the queries of a session in their order, with the ranks and documents they showed."""
    queries: list[tuple[str, list[tuple[int, str]]]] = []
    for interaction in sorted(session.findall("interaction"), key=_number):
        text, results = _text(interaction, "query"), []
        for result in interaction.iter("result"):
            docs = [doc for tag in _DOCUMENT_TAGS if (doc := _text(result, tag))]
            rank = result.get("rank", "")
            if not docs or not rank.isdecimal() or int(rank) < 1:
                raise ValueError(
                    f"{path}: a result of session {session.get('num')}, interaction "
                    f"{interaction.get('num')}, has no document or no rank"
                )
            results.append((int(rank), docs[0]))
        before = queries[-1] if queries else ("", [])
        if results and before[1] and text == before[0] and min(results) > max(before[1]):
            before[1].extend(results)  # the next page
        else:
            queries.append((text, results))
    return queries


def _number(interaction: Any) -> int:
    number = interaction.get("num", "")
    return int(number) if number.isdecimal() else 0


def _escaped(match: Any) -> bytes:
    """Return a CDATA section as it is, and a bare ampersand escaped."""
    return match[0] if len(match[0]) > 1 else b"&amp;"


def _text(element: Any, path: str) -> str:
    return (element.findtext(path) or "").strip()
