"""Files that are written completely or not at all, even if a signal ends the command."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

#: The temporary folders that exist now.
_folders: set[Path] = set()


@contextlib.contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """Create a folder that is removed at the end, even if a signal ends the program."""
    import shutil
    import tempfile  # these take long, and signals are to end the program from its start

    folder = Path(inside or tempfile.gettempdir(), f".pt-cumgain-{os.urandom(8).hex()}")
    _folders.add(folder)  # before it exists: a signal can arrive at any time
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        _folders.discard(folder)


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
                written.chmod(path.stat().st_mode)
            written.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(target)) from None


#: The signals that end the program, with the message that it prints.
_ENDINGS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}


def exit_on_signals() -> None:
    """Make Ctrl-C, ``kill`` and the closing of the terminal end the program at once.

    The program removes its temporary folders, prints a line, and exits with the code that shells
    use for the signal: 130, 143 or 129. It does not wait for threads that read files. A signal that
    is ignored, as under ``nohup``, stays ignored.
    """
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, partial(_end, os.getpid()))


def _end(program: int, number: int, _: object) -> None:
    if os.getpid() == program:  # not in a forked process, which inherits the handlers
        for folder in list(_folders):
            sys.modules["shutil"].rmtree(folder, ignore_errors=True)  # whoever made it has it
        with contextlib.suppress(OSError):
            # sys.stderr may be in the middle of a write
            os.write(2, f"pt-cumgain: {_ENDINGS[signal.Signals(number).name]}\n".encode())
    os._exit(128 + number)
