"""TREC run and qrels files as DataFrames, with errors that name the line."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


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
RUN_COLUMNS = tuple(_RUN.columns.values())


def read_run(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a TREC run: lines of topic, ``Q0``, document, rank, score and tag, gzipped or not.

    Returns
    -------
    pandas.DataFrame
        ``query_id``, ``doc_id`` (strings) and ``score`` (float64), in the order of the file.

    Raises
    ------
    ValueError
        If a line has not six fields or its score is no number; the message names the line.
    OSError
        If the file cannot be read.
    """
    return _read(Path(path), _RUN)


def read_qrels(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read TREC qrels: lines of topic, iteration, document and relevance, gzipped or not.

    Unlike ir-measures' reader, this one takes relevance that is not a whole number.

    Returns
    -------
    pandas.DataFrame
        ``query_id``, ``doc_id``, ``iteration`` (strings; ir-measures' diversity measures read the
        last) and ``relevance`` (int64, or float64 if some label is not a whole number), in the
        order of the file.

    Raises
    ------
    ValueError
        If a line has not four fields or its relevance is no number; the message names the line.
    OSError
        If the file cannot be read.
    """
    frame = _read(Path(path), _QRELS)
    labels = frame["relevance"]
    if (labels == labels.round()).all() and (labels.abs() < 2**53).all():
        frame["relevance"] = labels.astype("int64")
    return frame


def iter_run(path: str | os.PathLike[str], rows: int) -> Iterator[pd.DataFrame]:
    """Read a TREC run like :func:`read_run`, in frames of at most ``rows`` rows."""
    return _frames(Path(path), _RUN, rows)


def _read(path: Path, kind: _Format) -> pd.DataFrame:
    frames = list(_frames(path, kind, None))
    if frames:
        return frames[0]
    empty = pd.DataFrame({name: pd.Series(dtype="str") for name in kind.columns.values()})
    return empty.astype({kind.columns[kind.number]: "float64"})


def _frames(path: Path, kind: _Format, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the file as frames of ``rows`` rows, as one frame if None; none if it is empty."""
    # what is no regular file, a pipe for example, can be read once only
    content = None if path.is_file() else path.read_bytes()
    names, last = kind.columns, kind.fields - 1
    try:
        for frame in _parsed(path if content is None else io.BytesIO(content), kind, rows):
            # from the text by way of Python's float, which is exact: pandas' own parser of some
            # versions may miss the nearest double, and so make or break ties
            values = frame[kind.number].to_numpy(dtype=object).astype(np.float64)
            cut = frame[last].eq("").any() or frame[kind.fields].ne("").any()
            if cut or np.isnan(values).any():
                raise ValueError
            read = frame[list(names)].set_axis(list(names.values()), axis=1)
            yield read.assign(**{names[kind.number]: values})
    except pd.errors.EmptyDataError:
        return
    except ValueError:  # the parser's own errors are of this kind
        raise _malformed(path, content, kind) from None


def _parsed(source: Any, kind: _Format, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the fields as text, with one column more than expected.

    A longer line shows in that column instead of being cut, of which pandas only warns.
    """
    pieces: Any = None
    while True:
        with warnings.catch_warnings():  # never across a yield: the filters are everyone's
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
    for line, text in _lines(path, content):
        found = text.split()
        if len(found) != kind.fields:
            return ValueError(
                f"{path}, line {line}: {len(found)} fields, expected {kind.fields} ({kind.line})"
            )
        if not _is_number(value := found[kind.number]):
            name = kind.columns[kind.number]
            return ValueError(f"{path}, line {line}: the {name} {value!r} is no number")
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
