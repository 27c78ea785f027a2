"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def check_suffix(what: str, path: str | os.PathLike[str], suffixes: Sequence[str]) -> None:
    """Refuse a file to write, an option's with its value, unless it has one of the suffixes."""
    if Path(path).suffix.lower() not in suffixes:
        raise ValueError(f"{what} must end in one of {', '.join(suffixes)}")


@contextlib.contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; the file replaces the target once it is complete.

    If the target is a device or a pipe, or must not be written, the path is the target itself.

    Raises
    ------
    OSError
        If the file cannot be written; the error names the target, which is left unchanged.
    """
    from tempfile import TemporaryDirectory  # it takes long to import

    path = Path(os.path.realpath(target))
    try:
        if path.exists() and not (path.is_file() and os.access(path, os.W_OK)):
            yield path
            return
        # beside the target, because a file is replaced in one step only within a file system
        with TemporaryDirectory(prefix=".pt-cumgain-", dir=path.parent) as folder:
            written = Path(folder, path.name)
            yield written
            if path.exists():
                written.chmod(path.stat().st_mode)
            written.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(target)) from None
