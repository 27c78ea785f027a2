"""Safe output for the commands: names cannot control the terminal, and any encoding works."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys

#: Replacements for the symbols of tables in encodings that lack them.
_PLAIN = {"•": "*", "†": "+", "‡": "++", "↓": "v", "–": "-", "−": "-"}

#: Bytes of an argument or a file name that Python could not decode.
_BYTES = re.compile("[\udc80-\udcff]+")
#: Control characters, line separators, changes of the writing direction, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    r"""Return a text that is safe to print: controls and undecoded bytes as backslash escapes.

    >>> print(escape_controls("a\x1b[31m\u202e\udce9"))
    a\x1b[31m\u202e\xe9
    """
    text = _BYTES.sub(lambda match: _decode(match[0]), text)
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _decode(undecoded: str) -> str:
    """Decode as UTF-8, which Python does not do in a locale such as C."""
    return undecoded.encode("ascii", "surrogateescape").decode("utf-8", "backslashreplace")


def _replace_signs(error: UnicodeError) -> tuple[str, int]:
    """Replace the characters that an encoding lacks; see :func:`codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = escape_controls(error.object[error.start : error.end])
    text = "".join(_PLAIN.get(sign, sign) for sign in text)
    return text.encode("ascii", "backslashreplace").decode(), error.end


_REPLACING = "pt_cumgain.signs"
codecs.register_error(_REPLACING, _replace_signs)


def replace_signs(text: str) -> str:
    """Return a text as standard output will show it in its encoding."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _REPLACING).decode(encoding)


def prepare_streams() -> None:
    """Make standard output accept every character, and replace closed streams.

    Python sets closed streams to None. With the replacements, printing to standard output fails, as
    on a full disk, and messages are discarded, which ``print`` would otherwise send to standard
    output.
    """
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in {
        "strict",
        "surrogateescape",  # Python's choice for the locale C
    }:
        sys.stdout.reconfigure(errors=_REPLACING)


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def shows_progress() -> bool:
    """Return whether both streams are terminals, so that a progress bar is useful."""
    return is_terminal() and sys.stderr is not None and sys.stderr.isatty()


def count_columns() -> int:
    """Return the width of the terminal, or 100 if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if is_terminal() else 100
