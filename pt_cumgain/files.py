"""Files that are written completely or not at all, even if a signal ends the command."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pt_cumgain import signals


@contextlib.contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """Create a folder that is removed at the end, even if a signal ends the program."""
    folder = Path(inside or tempfile.gettempdir(), f".pt-cumgain-{secrets.token_hex(8)}")
    signals.folders.add(folder)  # before it exists: a signal can arrive at any time
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        signals.folders.discard(folder)


@contextlib.contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; the file replaces the target once it is complete.

    If the target cannot be replaced, as with ``/dev/full`` and pipes, the path is the target
    itself.

    Raises
    ------
    OSError
        If the file cannot be written; the error names the target, which is left unchanged.
    """
    path = Path(os.path.realpath(target))
    try:
        if path.exists() and not (
            path.is_file() and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        ):
            yield path
            return
        with temporary_folder(path.parent) as folder:
            written = folder / path.name
            yield written
            if path.exists():
                shutil.copymode(path, written)
            written.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(target)) from None
