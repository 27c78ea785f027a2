"""TREC run and qrels files as DataFrames, with errors that name the line."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import SESSION_COLUMNS


class _Format(NamedTuple):
    """A kind of TREC file: its fields, those that are read, and the one that is a number."""

    fields: int
    columns: dict[int, str]
    number: int
    line: str


_RUN = _Format(
    6,
    {0: "query_id", 2: "doc_id", 4: "score"},
    4,
    "topic, Q0, document, rank, score and tag",
)
_QRELS = _Format(
    4,
    {0: "query_id", 2: "doc_id", 3: "relevance", 1: "iteration"},
    3,
    "topic, iteration, document and relevance",
)
RUN_COLUMNS = (*_RUN.columns.values(), *SESSION_COLUMNS)
#: The second field of a run over sessions, ``Q2`` or ``Q2/3``: query 2, of 3.
_QUERY = re.compile(r"Q([1-9][0-9]{0,8})(?:/([1-9][0-9]{0,8}))?")


def read_run(source: str | os.PathLike[str] | IO[bytes]) -> pd.DataFrame:
    """Read a TREC run: lines of topic, ``Q0``, document, rank, score and tag, gzipped or not.

    Where the second field is ``Q1``, ``Q2``, ... or ``Q1/3``, ``Q2/3``, ... in every line, the file
    is a run over sessions: the first field is the session, the second says which query of it
    returned the document, and of how many.

    Parameters
    ----------
    source
        A path, or a file open for reading bytes.

    Returns
    -------
    pandas.DataFrame
        ``query_id``, ``doc_id`` (strings) and ``score`` (float64), in the order of the file; for a
        run over sessions also ``query_position`` and, if the file has it, ``session_length``
        (int64).

    Raises
    ------
    ValueError
        If a line does not have six fields, its score is not a number, or its second field is of a
        different kind from that of the first line; the message names the line.
    OSError
        If the file cannot be read.
    """
    return _read(source, _RUN)


def write_lines(run: pd.DataFrame, target: IO[bytes], tag: str = "pt_cumgain") -> None:
    """Write a run over sessions so that :func:`read_run`, which describes the format, reads it.

    Parameters
    ----------
    run
        ``query_id, doc_id, score, query_position`` and perhaps ``session_length``.
    target
        A file open for writing bytes.
    tag
        The last field of every line.

    Raises
    ------
    ValueError
        If an id or the tag is empty or has white space in it, which the format cannot hold.
    """
    if not len(run):
        return
    position = run["query_position"].astype(np.float64).astype(np.int64)
    query = "Q" + position.astype(str)
    if "session_length" in run:
        query += "/" + run["session_length"].astype(np.float64).astype(np.int64).astype(str)
    scores = run["score"].astype(np.float64)
    rank = scores.groupby([run["query_id"], position], sort=False).rank("first", ascending=False)
    columns = {
        "session": run["query_id"].astype(str),
        "query": query,
        "document": run["doc_id"].fillna("").astype(str),
        "rank": (rank - 1).astype(np.int64),
        "score": [repr(score) for score in scores.tolist()],
        "tag": tag,
    }
    frame = pd.DataFrame(columns, index=run.index)
    for name in ("session", "document", "tag"):
        for value in frame[name].unique():
            if len(value.split()) != 1 or value.strip() != value:
                raise ValueError(f"the {name} {value!r} cannot appear in a TREC run: white space")
    text = frame.to_csv(sep=" ", header=False, index=False, quoting=csv.QUOTE_NONE)
    target.write(text.encode())


def read_qrels(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read TREC qrels: lines of topic, iteration, document and relevance, gzipped or not.

    Unlike ir-measures' reader, this one accepts relevance that is not a whole number.

    Returns
    -------
    pandas.DataFrame
        ``query_id``, ``doc_id``, ``iteration`` (strings; ir-measures' diversity measures read the
        last) and ``relevance`` (int64, or float64 if some label is not a whole number), in the
        order of the file.

    Raises
    ------
    ValueError
        If a line does not have four fields or its relevance is not a number; the message names the
        line.
    OSError
        If the file cannot be read.
    """
    frame = _read(path, _QRELS)
    labels = frame["relevance"]
    if (labels == labels.round()).all() and (labels.abs() < 2**53).all():
        frame["relevance"] = labels.astype("int64")
    return frame


def read_batches(path: str | os.PathLike[str], rows: int | None) -> Iterator[pd.DataFrame]:
    """Read a TREC run like :func:`read_run`, in frames of at most ``rows`` rows (None: in one)."""
    return _frames(path, _RUN, rows) if rows else iter([read_run(path)])


def _read(source: Any, kind: _Format) -> pd.DataFrame:
    frames = list(_frames(source, kind, None))
    if frames:
        return frames[0]
    empty = pd.DataFrame({name: pd.Series(dtype="str") for name in kind.columns.values()})
    return empty.astype({kind.columns[kind.number]: "float64"})


def _frames(source: Any, kind: _Format, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the file as frames of ``rows`` rows, as one frame if None; nothing if it is empty."""
    # what is not a regular file, such as a pipe, can be read only once
    if hasattr(source, "read"):
        path, content = Path(str(getattr(source, "name", "run"))), source.read()
    else:
        path = Path(source)
        content = None if path.is_file() else path.read_bytes()
    names, last = kind.columns, kind.fields - 1
    form = None
    try:
        for frame in _parsed(path if content is None else io.BytesIO(content), kind, rows):
            # parsed by Python's float, which is exact: the parser of some pandas versions may miss
            # the nearest double, and so make or break ties
            values = frame[kind.number].to_numpy(dtype=object).astype(np.float64)
            cut = frame[last].eq("").any() or frame[kind.fields].ne("").any()
            if cut or np.isnan(values).any():
                raise ValueError
            read = frame[list(names)].set_axis(list(names.values()), axis=1)
            read = read.assign(**{names[kind.number]: values})
            if kind is _RUN and len(frame):
                form = _form(frame[1].iloc[0]) if form is None else form
                read = read.assign(**_queries(frame[1], form))
            yield read
    except pd.errors.EmptyDataError:
        return
    except ValueError:  # the parser's own errors are of this kind
        raise _malformed(path, content, kind) from None


def _form(field: str) -> tuple[bool, bool]:
    """Tell whether a run's second field holds a query position, and whether a session's length."""
    match = _QUERY.fullmatch(field)
    return match is not None, match is not None and match[2] is not None


def _queries(fields: Any, form: tuple[bool, bool]) -> dict[str, Any]:
    """Return the columns that a run's second fields hold."""
    codes, distinct = pd.factorize(fields)
    if any(_form(field) != form for field in distinct):
        raise ValueError
    matches = [_QUERY.fullmatch(field) for field in distinct]
    return {
        name: np.array([int(match[i]) for match in matches if match], dtype=np.int64)[codes]
        for i, name in enumerate(SESSION_COLUMNS, 1)
        if form[i - 1]
    }


def _parsed(source: Any, kind: _Format, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the fields as text, with one column more than expected.

    A line that is too long shows in that column; otherwise pandas would cut it and only warn.
    """
    pieces: Any = None
    while True:
        with warnings.catch_warnings():  # never across a yield: the filters are global
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            if pieces is None:
                parsed: Any = pd.read_csv(
                    source,
                    sep=r"\s+",
                    header=None,
                    names=list(range(kind.fields + 1)),
                    index_col=False,
                    dtype="str",
                    quoting=csv.QUOTE_NONE,
                    na_filter=False,
                    encoding="utf-8",
                    chunksize=rows,
                )
                pieces = iter(parsed if rows else [parsed])
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _malformed(path: Path, content: bytes | None, kind: _Format) -> ValueError:
    """Return the error that names the first malformed line."""
    form, first = None, ""
    for line, text in _lines(path, content):
        fields = text.split()
        if len(fields) != kind.fields:
            return ValueError(
                f"{path}, line {line}: {len(fields)} fields, expected {kind.fields} ({kind.line})"
            )
        if not _is_number(value := fields[kind.number]):
            name = kind.columns[kind.number]
            return ValueError(f"{path}, line {line}: the {name} {value!r} is not a number")
        if form is None:
            form, first = _form(fields[1]), fields[1]
        if kind is _RUN and _form(fields[1]) != form:
            return ValueError(
                f"{path}, line {line}: the second field is {fields[1]!r}, but {first!r} in the "
                "first line; a run over sessions has the query in every line (Q1, or Q1/3)"
            )
    return ValueError(f"{path} cannot be read; it must have lines of {kind.line}")


def _lines(path: Path, content: bytes | None) -> Iterator[tuple[int, str]]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with (
        opened(path, "rt", encoding="utf-8")
        if content is None
        else io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    ) as file:
        for line, text in enumerate(file, 1):
            if text.strip():
                yield line, text


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def qrels_frame(records: Iterable[Any]) -> pd.DataFrame:
    """Return qrels records, such as those of ir_datasets, as a frame like :func:`read_qrels`'s."""
    columns = ["query_id", "doc_id", "relevance", "iteration"]
    rows = [
        (record.query_id, record.doc_id, record.relevance, getattr(record, "iteration", "0"))
        for record in records
    ]
    return pd.DataFrame(rows, columns=columns)
