"""The TREC Session Track (2011 to 2014): sessions of searchers, and the results they saw."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd

from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.lines import open_bytes
from pt_cumgain.options import checked

#: A bare ampersand, or a CDATA section, in which ampersands need no escape. A section without an
#: end extends to the end of the file, so that no part of the file is searched twice.
_BARE = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)", re.DOTALL
)
#: A rank, or the number of an interaction.
_NUMBER = re.compile(r"0*[1-9][0-9]{0,8}")
#: The tags that may hold a result's document id, by year; last, its URL if there is none.
_DOCUMENT_TAGS = ("clueweb12id", "clueweb09id", "docno", "url")


class _Result(NamedTuple):
    """A result that a query showed, and how often the searcher clicked on it."""

    rank: int
    docno: str
    clicks: int


class SessionTrack(NamedTuple):
    """The result of :func:`read_session_track`."""

    sessions: pd.DataFrame
    run: pd.DataFrame


@checked
def read_session_track(
    path: str | os.PathLike[str], *, scanned: Literal["last-click"] | None = None
) -> SessionTrack:
    """Read a TREC Session Track (2011 to 2014): its sessions and results.

    Parameters
    ----------
    path
        The track's XML file, gzipped or not. A bare ``&``, as in the 2012 file,
        is accepted.
    scanned
        Add to the run how far each list was scanned, as far as the track tells.
        ``"last-click"``: down to the last result that was clicked on, and
        nothing of a list without clicks. "Click data is a limited surrogate
        because it doesn't indicate which documents were rejected based on title
        or summary" (ECIR 2008, section 4).

    Returns
    -------
    SessionTrack
        ``sessions``: ``qid`` (the session's number), ``topic`` (the number of
        its topic; None in 2011, whose file does not number them: use the
        track's session-topic map), ``queries`` (those with interactions),
        ``current_query`` (the query for which the track asks for results, or
        None). ``run``: the results shown, ``qid, docno, score, rank,
        query_position, session_length, clicks, place`` and perhaps ``scanned``;
        the score is minus the rank, and ``clicks`` says how often the searcher
        clicked on the result. All results stay in the run, whatever was
        scanned, so that no session and no query is lost. If a
        result has no document id, its URL is used. An interaction that
        continues the ranks of the one before it, with the same query, is a
        further page of that query. If a query shows a document again, its first
        place counts: ``place`` is 1 there, and 2, 3, ... at the others, which
        keep their ranks. Since a run has each id once, the id of the second
        place of ``X`` is ``X:repeated-2``, which nobody judged.

    Raises
    ------
    ValueError
        If the file is not XML of this kind, or a compressed file is damaged.

    Warns
    -----
    UserWarning
        If the results of a query do not begin at rank 1 (they are evaluated as
        if they did), if a query shows a document twice, or if there are clicks
        on ranks that show no result (they are left out).

    Examples
    --------
    >>> track = read_session_track("sessiontrack2013.xml")  # doctest: +SKIP
    >>> qrels = session_qrels("qrels.txt", track.sessions)  # doctest: +SKIP
    >>> pt_cumgain.evaluate([sDCG @ 10, nsDCG @ 10], qrels, track.run)  # doctest: +SKIP
    """
    path = Path(path)
    with open_bytes(path, path) as file:
        content = file.read()
    root = _parse(path, content)
    sessions: dict[str, tuple[object, ...]] = {}
    rows: list[tuple[object, ...]] = []
    late = astray = 0
    for session in root.iter("session"):
        qid, topic = session.get("num"), session.find("topic")
        queries, lost = _read_queries(path, session)
        if qid is None or not queries:
            raise ValueError(f"{path}: session {qid} has no number or no interaction")
        if qid in sessions:
            raise ValueError(f"{path}: there are two sessions {qid}")
        astray += lost
        texts, current = [text for text, _ in queries], _text(session, "currentquery/query") or None
        sessions[qid] = qid, None if topic is None else topic.get("num"), texts, current
        for position, (_, results) in enumerate(queries, 1):
            late += bool(results) and min(results).rank > 1
            for rank, docno, clicks in results:
                rows.append((qid, docno, -float(rank), rank - 1, position, len(queries), clicks))
    if not sessions:
        raise ValueError(f"{path} has no <session>; it must be a TREC Session Track file")
    columns = ["qid", "docno", "score", "rank", "query_position", "session_length", "clicks"]
    run = pd.DataFrame(rows, columns=columns)
    shown = run.sort_values("rank", kind="stable").groupby(["qid", "query_position", "docno"])
    run["place"] = shown.cumcount() + 1
    again = run["place"] > 1
    run.loc[again, "docno"] += ":repeated-" + run["place"][again].astype(str)
    if scanned is not None:
        query = [run["qid"], run["query_position"]]
        seen = run["rank"].groupby(query).rank("first").astype("int64")
        clicked = seen.where(run["clicks"] > 0, 0)
        run["scanned"] = clicked.groupby(query).transform("max")
    notes = {
        "the results of {} queries begin after rank 1; they are evaluated as if they began "
        "there": late,
        "{} results repeat a document of the same query; its first place counts, and the others "
        "(in the column place: 2 and more) keep their ranks under ids that nobody "
        "judged": again.sum(),
        "{} clicks are on ranks that show no result; they are left out": astray,
    }
    for note, count in notes.items():
        if count:
            warn(f"{path}: {note.format(count)}")
    columns = ["qid", "topic", "queries", "current_query"]
    return SessionTrack(pd.DataFrame(sessions.values(), columns=columns), run)


def _parse(path: Path, content: bytes) -> ET.Element:
    """Return the root of a file, which may have bare ampersands."""
    with suppress(ET.ParseError, LookupError, ValueError):  # the last two: unknown encodings
        return ET.fromstring(content)
    try:
        return ET.fromstring(_BARE.sub(_escape, content))
    except (ET.ParseError, LookupError, ValueError) as error:
        raise ValueError(f"{path} is not XML: {error}") from None


def _escape(found: re.Match[bytes]) -> bytes:
    """Return a bare ampersand as XML writes it, and a CDATA section as it is."""
    return b"&amp;" if found[0] == b"&" else found[0]


def _read_queries(path: Path, session: ET.Element) -> tuple[list[tuple[str, list[_Result]]], int]:
    """Return a session's queries in order, with their results; and how many clicks hit none."""
    queries: list[tuple[str, list[_Result]]] = []
    astray = 0
    for interaction in sorted(session.findall("interaction"), key=lambda i: _number(i.get("num"))):
        text, results = _text(interaction, "query"), []
        clicks = Counter(_number(_text(click, "rank")) for click in interaction.iter("click"))
        for result in interaction.iter("result"):
            texts = [_text(result, tag) for tag in _DOCUMENT_TAGS]
            docs = [text for text in texts if text]
            rank = _number(result.get("rank"))
            if not docs or not rank:
                raise ValueError(
                    f"{path}: a result of session {session.get('num')}, interaction "
                    f"{interaction.get('num')}, has no document or no rank "
                    f"(rank={result.get('rank')!r:.40})"
                )
            results.append(_Result(rank, docs[0], clicks[rank]))
        astray += clicks.total() - sum(clicks[rank] for rank in {r.rank for r in results})
        before = queries[-1] if queries else ("", [])
        continued = results and before[1] and min(results).rank > max(before[1]).rank
        if continued and text == before[0]:
            before[1].extend(results)  # the next page
        else:
            queries.append((text, results))
    return queries, astray


def _number(text: str | None) -> int:
    """Return a rank or the number of an interaction, 0 if the text is not one."""
    return int(text) if text and _NUMBER.fullmatch(text) else 0


def _text(element: ET.Element, path: str) -> str:
    """Return all the text of the element at a path, including that of inner elements."""
    inner = element.find(path)
    return "" if inner is None else "".join(inner.itertext()).strip()
