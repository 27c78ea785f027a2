"""The output of the commands, files and messages, and the errors that end them."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pt_cumgain.environment import terminal
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.files import replacing
from pt_cumgain.environment.terminal import escape_controls, shorten

#: The pictures that commands write.
PICTURES = (".pdf", ".png", ".svg")
#: A text that spreadsheets take for a formula; a negative number is none.
_FORMULA = re.compile(r"[=+@]|-(?!\d*\.?\d+$)")


class CommandError(Exception):
    """Ends the command without a result."""

    code = 1


class UsageError(CommandError):
    """Ends the command because it cannot use its input; usage errors exit with code 2."""

    code = 2


@contextmanager
def usage_errors(path: str) -> Iterator[None]:
    """Turn errors about unusable input into usage errors, which name the file or the measure."""
    try:
        yield
    except (AssertionError, EOFError, OSError, RuntimeError, TypeError, ValueError) as error:
        name, text = "standard input" if path == "-" else path, str(error)
        if str(Path(name)) not in text and not text.startswith("qrels: "):
            text = f"{name}: {text.removeprefix('run: ')}"
        raise UsageError(text) from None


def tell(what: str, text: str, command: str = "") -> None:
    """Print a message on standard error, escaped."""
    program = f"pt-cumgain {command}".strip()
    line = f"{program}: {what}: {escape_controls(shorten(text))}"
    print(wrap_line(line) if sys.stderr.isatty() else line, file=sys.stderr)


def tell_written(outputs: Sequence[str], *, on_error: bool) -> None:
    """Name the files that were written, on standard error or on standard output."""
    if outputs:
        names = ", ".join(escape_controls(path) for path in outputs)
        print("written:", names, file=sys.stderr if on_error else sys.stdout)


def wrap_line(text: str) -> str:
    """Return a line broken at the width of the terminal, the rest indented."""
    width = terminal.count_columns()
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return textwrap.fill(
        text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def check_files(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> list[str]:
    """Return the outputs that are files; refuse one that would destroy an input or cannot exist.

    They are ``--output`` and, if the command has it, ``--csv``, which must be two files. Also
    refuse standard input, or a pipe, as two inputs.
    """
    sources = [path for path in inputs if path]
    for path in sources:
        if sources.count(path) > 1 and (path == "-" or Path(path).is_fifo()):
            raise UsageError(f"{path} is given twice, and can be read only once")
    paths = [path for path in outputs if path and path != "-"]
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise UsageError(f"--output and --csv are the same file, {paths[0]}")
    for path in paths:
        target = Path(path).absolute()
        if not target.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no such folder")
        if target.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder")
        for name in sources:
            source = Path(name)
            if target.is_file() and source.is_file() and target.samefile(source):
                raise UsageError(f"{path} is an input; writing to it would destroy it")
            if source.is_dir() and source.resolve() in target.resolve().parents:
                raise UsageError(
                    f"{path} would be part of the run {source}; write to another folder"
                )
    return paths


def _escape_cell(cell: object) -> object:
    """Return a cell of CSV in which a name can control neither a terminal nor a spreadsheet."""
    text = escape_controls(cell) if isinstance(cell, str) else ""
    return f"'{text}" if _FORMULA.match(text) else text or cell


def write_csv(path: str | None, frame: pd.DataFrame) -> None:
    """Write a table, with all digits, to a file or, for ``-``, to standard output.

    Names that a spreadsheet would take for formulas have an apostrophe before them.
    """
    frame = frame.map(_escape_cell)
    if path == "-":
        print(frame.to_csv(index=False), end="")
    elif path:
        with replacing(path) as free:
            frame.to_csv(free, index=False)
