"""Signals that end the program; importing this takes no time, so that they do from its start."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from functools import partial

#: The temporary folders that exist now.
folders: set[os.PathLike[str]] = set()
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
        for folder in list(folders):
            sys.modules["shutil"].rmtree(folder, ignore_errors=True)  # whoever made it has it
        with contextlib.suppress(OSError):
            # sys.stderr may be in the middle of a write
            os.write(2, f"pt-cumgain: {_ENDINGS[signal.Signals(number).name]}\n".encode())
    os._exit(128 + number)
