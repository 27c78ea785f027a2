"""Safe output: names cannot control the terminal, and values in messages are short."""

from __future__ import annotations

import re
import reprlib
import shutil
import sys

#: Control characters, line separators, changes of the writing direction, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100
_SHORT.maxlist = _SHORT.maxtuple = 20


def show(value: object) -> str:
    """Return a value as messages show it: its ``repr``, escaped, without its middle if long."""
    return escape_controls(_SHORT.repr(value))


def shorten(text: str, half: int = 1000) -> str:
    """Return a message that is longer than two halves without its middle."""
    return text if len(text) <= 2 * half else f"{text[:half]} ... {text[-half:]}"


def escape_controls(text: str) -> str:
    r"""Return a text that is safe to print: controls and undecoded bytes as backslash escapes.

    >>> print(escape_controls("a\x1b[31m\u202e\udce9"))
    a\x1b[31m\u202e\udce9
    """
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escape_lines(text: str) -> str:
    """Return a text whose lines are escaped by :func:`escape_controls`, and stay lines."""
    return "\n".join(escape_controls(line) for line in text.split("\n"))


def drop_controls(text: str) -> str:
    """Return a text without the characters that :func:`escape_controls` escapes."""
    return _CONTROLS.sub("", text)


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def shows_progress() -> bool:
    """Return whether both streams are terminals, so that a progress bar is useful."""
    return is_terminal() and sys.stderr.isatty()


def count_columns() -> int:
    """Return the width of the terminal, or 100 if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if is_terminal() else 100
