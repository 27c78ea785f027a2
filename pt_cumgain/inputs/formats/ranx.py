"""Runs that ranx saves as ``.lz4``: a dict as CBOR, compressed twice.

https://github.com/AmenRa/ranx/blob/master/ranx/io.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.frames import flatten_dicts

SUFFIXES = ()

#: How the frames of LZ4 begin.
_LZ4 = b"\x04\x22\x4d\x18"


def reads(path: Path) -> bool:
    """Return whether a path is of this format, not a text in lz4."""
    if path.suffix != ".lz4":
        return False
    with lines.open_text(path, path) as file:
        return file.read(len(_LZ4)) == _LZ4


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[pd.DataFrame]:
    """Yield the run in one frame."""
    with lines.open_text(path, path) as file:
        data = extras.lz4().decompress(file.read())
    yield flatten_dicts(extras.cbor2().loads(data), value)
