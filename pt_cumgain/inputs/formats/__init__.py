"""Files of runs and qrels: every function and command that takes a path reads it by this package.

A format is a module of this folder:

- it is listed in :data:`_OTHERS`;
- ``SUFFIXES`` are those of its files, which are not part of a run's name;
- ``reads(path)`` returns whether a path, a file or a folder, is of this format;
- ``read_batches(path, rows, value, chosen)`` yields tables of pyarrow of at most ``rows`` rows
  (None: any number; one table, if the format is read as a whole), with the columns ``query_id``,
  ``doc_id`` and ``value``, which is ``score`` in runs and ``relevance`` in qrels, with ``rank`` if
  a run has ranks, alone or beside scores, and in a run over sessions with those of
  :data:`pt_cumgain.engine.rows.SESSION_COLUMNS`. ``chosen`` is the column of scores or labels, if
  it was chosen. The errors need not name the path.

Any file that no other format reads is read as a TREC file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import TextIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.formats import headed, json_files, parquet, trec
from pt_cumgain.inputs.grouping import check_scores
from pt_cumgain.inputs.lines import COMPRESSED

if TYPE_CHECKING:
    import pyarrow as pa

#: Files that hold no run and no qrels, by their suffix.
REFUSED = {
    **dict.fromkeys((".xlsx", ".xls"), "an Excel workbook"),
    **dict.fromkeys((".pkl", ".pickle"), "a pickle"),
    ".pdf": "a PDF document",
}
#: The other formats; last, the one that also takes tables whose head is not known, to refuse them.
_OTHERS: list[Any] = [json_files, parquet, headed]
#: A path of a file or a folder, or a TREC file that is open for reading bytes.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"


def run_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a run: that of its file, without the suffixes of its format."""
    name = Path(path).name
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    for kind in (trec, *_OTHERS):
        for suffix in kind.SUFFIXES:
            name = name.removesuffix(suffix)
    return name or os.fspath(path)


def read_batches(
    source: Source, rows: int | None, value: str = "score", chosen: str = "", *, ranks: bool = False
) -> Iterator[pa.Table]:
    """Yield a run, or qrels, in tables of pyarrow of at most so many rows (None: any number).

    An open file is read from its beginning; of a folder of BEIR's, as qrels, ``qrels/test.tsv`` is
    meant. Tables have the column ``rank`` only with ``ranks``, or if there are no scores. A warning
    says if the first scores look wrong.
    """
    if isinstance(source, TextIOBase):
        raise TypeError("the file is open as text; open it with mode 'rb'")
    if isinstance(source, str) and "://" in source:
        raise ValueError(f"{show(source)} is a URL; download the file")
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        refused = REFUSED.get(path.suffix.lower())
        if refused:
            raise ValueError(f"{path}: this is {refused}, not a run or qrels")
        test = path / "qrels" / "test.tsv"
        if value == "relevance" and test.is_file():
            path = test
        for other in _OTHERS:
            if other.reads(path):
                yield from _read(other, path, rows, value, chosen, ranks=ranks)
                return
        source = path
    else:
        source.seek(0)
    yield from trec.read_batches(source, rows, value, chosen, ranks=ranks)


def _read(
    kind: Any, path: Path, rows: int | None, value: str, chosen: str, *, ranks: bool
) -> Iterator[pa.Table]:
    """Yield a file of another format than TREC's in tables, with errors that name the path."""
    try:
        for number, table in enumerate(kind.read_batches(path, rows, value, chosen)):
            numbers(table.column(value if value in table.column_names else "rank"), value)
            if value == "score" and not number:
                check_scores(table, path)
            dropped = {"rank", value} <= {*table.column_names} and not ranks
            yield table.drop_columns(["rank"]) if dropped else table
    except (OSError, TypeError, ValueError) as error:
        if (str(path) if isinstance(error, OSError) else f"{path}:") in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error
