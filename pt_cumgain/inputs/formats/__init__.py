"""Run files: every function and command that takes the path of a run reads it by this package.

A format is a module of this folder:

- ``SUFFIXES`` are those of its files, which are not part of a run's name;
- ``reads(path)`` returns whether a path, a file or a folder, is of this format;
- ``read_batches(path, rows)`` yields the run as frames of at most ``rows`` rows (None: any number),
  with the columns ``query_id``, ``doc_id`` and ``score`` and, for a run over sessions, those of
  :data:`pt_cumgain.engine.rows.SESSION_COLUMNS`.

Any file that no other format reads is read as a TREC run.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs.formats import trec
from pt_cumgain.inputs.frames import join_frames
from pt_cumgain.inputs.lines import COMPRESSED


@cache
def _others() -> tuple[Any, ...]:
    names = [module.name for module in iter_modules(__path__) if module.name != "trec"]
    return tuple(import_module(f"{__name__}.{name}") for name in names)


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
        kind: Any = trec
    else:
        source = Path(source)
        kind = next((other for other in _others() if other.reads(source)), trec)
    batches: Iterator[pd.DataFrame] = kind.read_batches(source, rows)
    return batches


def read_whole(source: Any) -> pd.DataFrame:
    """Return a run, from what :func:`read_batches` takes, as one frame."""
    batches = list(read_batches(source, None))
    return join_frames(batches) if batches else trec.read_run(io.BytesIO())
