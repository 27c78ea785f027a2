"""Files of runs and qrels: every function and command that takes a path reads it by this package.

A format is a module of this folder:

- ``SUFFIXES`` are those of its files, which are not part of a run's name;
- ``reads(path)`` returns whether a path, a file or a folder, is of this format;
- ``read_batches(path, rows, value)`` yields frames of at most ``rows`` rows (None: any number; one
  frame, if the format is read as a whole), with the columns ``query_id``, ``doc_id`` and ``value``,
  which is ``score`` in runs and ``relevance`` in qrels, and, for a run over sessions, those of
  :data:`pt_cumgain.engine.rows.SESSION_COLUMNS`. The errors need not name the path.

Any file that no other format reads is read as a TREC file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from pt_cumgain.engine.rows import numbers
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs.formats import trec
from pt_cumgain.inputs.frames import as_frame, join_frames
from pt_cumgain.inputs.lines import COMPRESSED


@cache
def _others() -> tuple[Any, ...]:
    names = [module.name for module in iter_modules(__path__) if module.name != "trec"]
    return tuple(import_module(f"{__name__}.{name}") for name in names)


def _kind_of(path: Path) -> Any:
    return next((other for other in _others() if other.reads(path)), trec)


def suffixes() -> tuple[str, ...]:
    """Return the suffixes of run files: first those of compressed files, then of each format."""
    return (*COMPRESSED, *(end for kind in (trec, *_others()) for end in kind.SUFFIXES))


def read_batches(source: Any, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield a run in frames of at most so many rows.

    The source is a path of a file or a folder, or a TREC run that is open for reading bytes, which
    is read from its beginning.
    """
    if hasattr(source, "read"):
        source.seek(0)
    elif (kind := _kind_of(Path(source))) is not trec:
        return _read(kind, Path(source), rows, "score")
    return trec.read_batches(source, rows)


def read_whole(source: Any) -> pd.DataFrame:
    """Return a run, from a source of :func:`read_batches`, as one frame."""
    return join_frames(list(read_batches(source, None)))


def read_qrels(source: Any, *, few: bool = False) -> Any:
    """Return qrels as a frame, from the path of a file or a folder, or from an ir_datasets id.

    Of a folder of BEIR's, ``qrels/test.tsv`` is meant. A text is an id if there is no such file.
    With ``few``, a small TREC file may be read as records.
    """
    path = Path(source)
    if isinstance(source, str) and not path.exists():
        return _load_dataset(source)
    test = path / "qrels" / "test.tsv"
    path = test if test.is_file() else path
    if (kind := _kind_of(path)) is trec:
        return (trec.read_few(path, qrels=True) if few else None) or trec.read_qrels(path)
    return join_frames(list(_read(kind, path, None, "relevance")))


def _load_dataset(name: str) -> pd.DataFrame:
    import ir_datasets

    import_module("pt_cumgain.pydocs")  # registers itself with ir_datasets
    try:
        dataset = ir_datasets.load(name.removeprefix("irds:"))  # as PyTerrier writes it
    except KeyError:
        message = f"no qrels {name!r}: neither a file nor an ir_datasets id"
        raise FileNotFoundError(message) from None
    if not dataset.has_qrels():
        raise ValueError(f"the ir_datasets id {name!r} has no qrels")
    return as_frame(dataset.qrels_iter())


def _read(kind: Any, path: Path, rows: int | None, value: str) -> Iterator[pd.DataFrame]:
    """Yield a file in frames; errors name the path."""
    try:
        for frame in kind.read_batches(path, rows, value):
            numbers(frame[value], value)
            yield frame
    except UnicodeEncodeError:  # pyarrow's, of the path
        message = "Parquet files can be read only if their names are UTF-8; rename it"
        raise ValueError(f"{path}: {message}") from None
    except (OSError, TypeError, ValueError) as error:
        if (str(path) if isinstance(error, OSError) else f"{path}:") in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error
