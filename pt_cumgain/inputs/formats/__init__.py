"""Files of runs and qrels: every function and command that takes a path reads it by this package.

A format is a module of this folder:

- ``SUFFIXES`` are those of its files, which are not part of a run's name;
- ``reads(path)`` returns whether a path, a file or a folder, is of this format;
- ``read_batches(path, rows, value)`` yields tables of pyarrow of at most ``rows`` rows (None: any
  number; one table, if the format is read as a whole), with the columns ``query_id``, ``doc_id``
  and ``value``, which is ``score`` in runs and ``relevance`` in qrels, and in a run over sessions
  with those of :data:`pt_cumgain.engine.rows.SESSION_COLUMNS`. The errors need not name the path.

Any file that no other format reads is read as a TREC file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from pt_cumgain.engine.rows import numbers
from pt_cumgain.environment import extras
from pt_cumgain.environment.arrow import is_table
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs.formats import trec
from pt_cumgain.inputs.frames import as_frame, check_ranks, ids_as_texts, to_frame
from pt_cumgain.inputs.lines import COMPRESSED


@cache
def _others() -> tuple[Any, ...]:
    names = [module.name for module in iter_modules(__path__) if module.name != "trec"]
    return tuple(import_module(f"{__name__}.{name}") for name in names)


def _kind_of(path: Path) -> Any:
    return next((other for other in _others() if other.reads(path)), trec)


def run_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a run: that of its file, without the suffixes of its format."""
    name = Path(path).name
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    for kind in (trec, *_others()):
        for suffix in kind.SUFFIXES:
            name = name.removesuffix(suffix)
    return name or os.fspath(path)


def read_batches(source: Any, rows: int | None, *, ranks: bool = False) -> Iterator[Any]:
    """Yield a run in tables of pyarrow of at most so many rows (None: any number).

    The source is a path of a file or a folder, or a TREC run that is open for reading bytes, which
    is read from its beginning. Tables have the column ``rank`` only with ``ranks``; otherwise, a
    warning says if the first ranks contradict the scores.
    """
    if hasattr(source, "read"):
        source.seek(0)
    elif (kind := _kind_of(Path(source))) is not trec:
        return _read(kind, Path(source), rows, "score", ranks=ranks)
    return trec.read_batches(source, rows, ranks=ranks)


def read_table(source: Any, *, ranks: bool = False) -> Any:
    """Return a run, from a source of :func:`read_batches`, as one table of pyarrow."""
    return extras.pyarrow().concat_tables(list(read_batches(source, None, ranks=ranks)))


def read_run(source: Any, *, ranks: bool = False) -> pd.DataFrame:
    """Return a run, from a source of :func:`read_batches`, as a frame."""
    return to_frame(read_table(source, ranks=ranks))


def load_qrels(source: Any) -> Any:
    """Return qrels from the path of a file or a folder, or from an ir_datasets id.

    Those of an id are a frame, others a table of pyarrow. Of a folder of BEIR's, ``qrels/test.tsv``
    is meant. A text is an id if there is no such file.
    """
    path = Path(source)
    if isinstance(source, str) and not path.exists():
        return _load_dataset(source)
    test = path / "qrels" / "test.tsv"
    path = test if test.is_file() else path
    if (kind := _kind_of(path)) is trec:
        return trec.read_judgments(path)
    return extras.pyarrow().concat_tables(list(_read(kind, path, None, "relevance")))


def read_qrels(source: Any) -> pd.DataFrame:
    """Return qrels, from a source of :func:`load_qrels`, as a frame."""
    qrels = load_qrels(source)
    return to_frame(qrels) if is_table(qrels) else qrels


def _load_dataset(name: str) -> pd.DataFrame:
    import ir_datasets

    try:
        dataset = ir_datasets.load(name.removeprefix("irds:"))  # as PyTerrier writes it
    except KeyError:
        message = f"no qrels {name!r}: neither a file nor an ir_datasets id"
        raise FileNotFoundError(message) from None
    if not dataset.has_qrels():
        raise ValueError(f"the ir_datasets id {name!r} has no qrels")
    return as_frame(dataset.qrels_iter())


def _read(
    kind: Any, path: Path, rows: int | None, value: str, *, ranks: bool = False
) -> Iterator[Any]:
    """Yield a file in tables; ids that are integers become texts, and errors name the path."""
    try:
        for number, table in enumerate(map(ids_as_texts, kind.read_batches(path, rows, value))):
            numbers(table.column(value), value)
            ranked = "rank" in table.column_names and not ranks
            if ranked and not number:
                check_ranks(table, path)
            yield table.drop_columns(["rank"]) if ranked else table
    except (OSError, TypeError, ValueError) as error:
        if (str(path) if isinstance(error, OSError) else f"{path}:") in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error
