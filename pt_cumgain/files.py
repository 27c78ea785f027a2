"""Files that are written whole or not at all, also where the command is interrupted."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

#: The temporary folders that exist now.
_folders: set[str] = set()


@contextlib.contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """Make a folder that is removed in the end, also by :func:`exit_on_interrupt`."""
    with tempfile.TemporaryDirectory(prefix=".pt-cumgain-", dir=inside) as folder:
        _folders.add(folder)
        try:
            yield Path(folder)
        finally:
            _folders.discard(folder)


@contextlib.contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; what was written takes the target's place once it is whole.

    Where there is no place to take, as with ``/dev/full`` and pipes, the path is the target itself.

    Raises
    ------
    OSError
        If the file cannot be written; the error names the target, which is as it was.
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


def exit_on_interrupt() -> None:
    """Let Ctrl-C end the program at once, with a line and the exit code 130.

    At once means without waiting for the threads that read files.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def _interrupted(*_: object) -> None:
    for folder in list(_folders):
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.write(2, b"pt-cumgain: interrupted\n")  # sys.stderr may be in the middle of something
    os._exit(130)
