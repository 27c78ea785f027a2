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
from typing import Any

import numpy as np
import pandas as pd

_RUN = {0: "query_id", 2: "doc_id", 4: "score"}
RUN_COLUMNS = tuple(_RUN.values())
_RUN_LINE = "topic, Q0, document, rank, score and tag"
_QRELS = {0: "query_id", 2: "doc_id", 3: "relevance", 1: "iteration"}


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
    return _read(Path(path), 6, _RUN, 4, _RUN_LINE)


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
    frame = _read(Path(path), 4, _QRELS, 3, "topic, iteration, document and relevance")
    labels = frame["relevance"]
    if (labels == labels.round()).all() and (labels.abs() < 2**53).all():
        frame["relevance"] = labels.astype("int64")
    return frame


def iter_run(path: str | os.PathLike[str], rows: int) -> Iterator[pd.DataFrame]:
    """Read a TREC run like :func:`read_run`, in frames of at most ``rows`` rows."""
    return _frames(Path(path), 6, _RUN, 4, _RUN_LINE, rows)


def _read(
    path: Path, fields: int, columns: dict[int, str], number: int, expected: str
) -> pd.DataFrame:
    frames = list(_frames(path, fields, columns, number, expected, None))
    if frames:
        return frames[0]
    empty = pd.DataFrame({name: pd.Series(dtype="str") for name in columns.values()})
    return empty.astype({columns[number]: "float64"})


def _frames(
    path: Path, fields: int, columns: dict[int, str], number: int, expected: str, rows: int | None
) -> Iterator[pd.DataFrame]:
    """Yield the file as frames of ``rows`` rows, as one frame if None; none if it is empty."""
    # what is no regular file, a pipe for example, can be read once only
    content = None if path.is_file() else path.read_bytes()
    source: Any = path if content is None else io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # a longer line: seen below
            # one field more than expected, so that a longer line shows in it instead of being cut
            frames: Any = pd.read_csv(
                source,
                sep=r"\s+",
                header=None,
                names=list(range(fields + 1)),
                index_col=False,
                dtype="str",
                quoting=csv.QUOTE_NONE,
                na_filter=False,
                encoding="utf-8",
                chunksize=rows,
            )
            for frame in frames if rows else [frames]:
                # from the text by way of Python's float, which is exact: pandas' own parser of
                # some versions may miss the nearest double, and so make or break ties
                values = frame[number].to_numpy(dtype=object).astype(np.float64)
                cut = frame[fields - 1].eq("").any() or frame[fields].ne("").any()
                if cut or np.isnan(values).any():
                    raise ValueError
                yield frame.assign(**{str(number): values})[
                    [i if i != number else str(i) for i in columns]
                ].set_axis(list(columns.values()), axis=1)
    except pd.errors.EmptyDataError:
        return
    except ValueError:  # the parser's own errors are of this kind
        raise _malformed(path, content, fields, columns[number], number, expected) from None


def _malformed(
    path: Path, content: bytes | None, fields: int, name: str, number: int, expected: str
) -> ValueError:
    """Return the error that names the first malformed line."""
    for line, text in _lines(path, content):
        found = text.split()
        if len(found) != fields:
            return ValueError(
                f"{path}, line {line}: {len(found)} fields, expected {fields} ({expected})"
            )
        if not _is_number(found[number]):
            return ValueError(f"{path}, line {line}: the {name} {found[number]!r} is no number")
    return ValueError(f"{path} cannot be read; it must have lines of {expected}")


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
