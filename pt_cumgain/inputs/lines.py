"""Text files with a fixed number of fields a line, read by pyarrow if they are regular.

Lines that programs write are regular: one blank or one tab between fields, no other white space,
and no comments. pyarrow reads such lines many times as fast as code that makes Python strings. Any
other block of lines is left to the caller, who reads it in another way.
"""

from __future__ import annotations

import gzip
import math
import os
import re
from bz2 import BZ2Decompressor
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from io import BytesIO, FileIO
from itertools import chain, islice
from lzma import LZMADecompressor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pt_cumgain.environment import extras

if TYPE_CHECKING:
    import pyarrow as pa

Names = list[str]
#: The suffixes of compressed files and archives.
COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst", ".lz4", ".tar", ".tgz")

#: Bytes of a block: small enough for a processor's cache.
BLOCK = 1 << 22
#: Bytes that a line may have.
LONGEST = 1 << 20
#: Bytes that show the format of a file, and that are decompressed at a time.
_BEGIN = 1 << 14
#: Blocks that are read ahead, and threads that read them.
AHEAD, THREADS = 12, 2

#: The characters of numbers; Python also reads ``1_0``, digits of other scripts, and white space.
SIGNS = re.compile(r"[-+.0-9A-Za-z]*")

_GZIP = b"\x1f\x8b"
_FEED, _BLANK, _TAB = b"\n \t"
_HASH = ord("#")


def read_number(text: str) -> float:
    """Return a number as pyarrow reads it; NaN if a text is none."""
    try:
        return float(text) if SIGNS.fullmatch(text) else math.nan
    except ValueError:
        return math.nan


def suffix_of(path: Path) -> str:
    """Return the suffix of a file in small letters, without that of its compression."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in COMPRESSED else suffix


def read_begin(path: Path) -> bytes:
    """Return the first bytes of a file; of a pipe, which cannot be read again, none."""
    if not path.is_file():
        return b""
    with open_text(path, path) as file:
        return file.read(_BEGIN)


def split_head(line: str) -> tuple[str, list[str]]:
    """Return the character between the fields of a table's first line, and the fields."""
    delimiter = max("\t,;|", key=line.count)
    return delimiter, [field.strip().strip('"') for field in line.split(delimiter)]


@contextmanager
def open_text(source: Any, path: Path) -> Iterator[IO[bytes]]:
    """Open a file like :func:`open_bytes`; UTF-16, recognised by its first bytes, becomes UTF-8."""
    with open_bytes(source, path) as file:
        if _first_bytes(file) in (BOM_UTF16_LE, BOM_UTF16_BE):
            try:
                file = BytesIO(file.read().decode("utf-16").encode())
            except UnicodeDecodeError as error:
                raise ValueError(f"{path} cannot be read: {error}") from None
        yield file


def _first_bytes(file: IO[bytes]) -> bytes:
    """Return the next two bytes of an open file; of a pipe, which cannot be read again, none."""
    begin = file.read(2) if getattr(file, "seekable", lambda: True)() else b""
    if begin:
        file.seek(-len(begin), 1)
    return begin


@contextmanager
def open_bytes(source: Any, path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; an open one stays open.

    It is compressed if it begins like gzip or, unless it was open, if its name says so.

    Raises
    ------
    ValueError
        If a compressed file is damaged, or not compressed; if it is a device.
    """
    is_open = hasattr(source, "read")
    if not is_open and path.is_char_device():
        raise ValueError(f"{path} is a device, not a file")
    # a buffer would wait for more of a pipe, whatever interrupts
    with nullcontext(source) if is_open else FileIO(str(path)) as file:
        if (is_open or path.suffix.lower() not in COMPRESSED) and _first_bytes(file) != _GZIP:
            yield file
            return
        try:
            with _decompress(file, path) as content:
                yield content
        except (ImportError, MemoryError, Warning):
            raise
        except Exception as error:  # those of damaged files have no class in common
            if str(path) in str(error):
                raise
            raise ValueError(f"{path}: {error}") from error


@contextmanager
def _decompress(packed: IO[bytes], path: Path) -> Iterator[Any]:
    """Open a compressed file, by its name or else as gzip."""
    import tarfile
    from tempfile import TemporaryFile
    from zipfile import ZipFile

    kind = path.suffix.lower()
    if kind == ".zip":
        with ZipFile(packed) as archive:
            yield archive.open(_choose_file([it for it in archive.infolist() if not it.is_dir()]))
    elif kind in (".tar", ".tgz") or Path(path.stem).suffix.lower() == ".tar":
        with tarfile.open(fileobj=packed) as archive:
            yield archive.extractfile(_choose_file([it for it in archive if it.isfile()]))
    elif kind in (".bz2", ".xz", ".zst"):
        with TemporaryFile() as file:
            file.writelines(_read_streams(packed, kind))
            file.seek(0)
            yield file
    else:
        module = extras.load("lz4.frame", "files in lz4 need lz4") if kind == ".lz4" else gzip
        with module.open(packed) as file:
            yield file


def _choose_file(files: list[Any]) -> Any:
    """Return the only file of an archive."""
    if len(files) != 1:
        raise ValueError(f"the archive holds {len(files)} files; only archives of one are read")
    return files[0]


def _read_streams(packed: IO[bytes], kind: str) -> Iterator[bytes]:
    """Yield what a file of streams, one after another, holds; zeros may follow each.

    Python's own readers end, without an error, at what is not a stream.
    """
    start: Callable[[], Any] = BZ2Decompressor if kind == ".bz2" else LZMADecompressor
    if kind == ".zst":
        zstandard = extras.load("zstandard", "files in zst need zstandard")
        start = zstandard.ZstdDecompressor().decompressobj
    stream = start()
    for block in iter(partial(packed.read, _BEGIN), b""):
        rest = block
        while rest:
            if stream.eof:
                rest = rest.lstrip(b"\0")
                stream = start() if rest else stream
                continue
            yield stream.decompress(rest)
            rest = stream.unused_data
    if not stream.eof:
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")


def read_blocks(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """Yield a file in blocks of about :data:`BLOCK` bytes, each of whole lines.

    Raises
    ------
    ValueError
        If the file has become shorter since it was opened, or a line is longer than
        :data:`LONGEST`.
    """
    size = os.fstat(file.fileno()).st_size if isinstance(file, FileIO) else 0
    rest, total = b"", 0
    while read := file.read(BLOCK):
        cut = read.rfind(b"\n") + 1
        lines = b"".join((rest, memoryview(read)[: cut or None]))
        _refuse_long_lines(lines, total - len(rest), path)
        total += len(read)
        if cut:
            yield lines
        rest = read[cut:] if cut else lines
    if total < size:
        raise ValueError(f"{path} became shorter while it was read: {total} of {size} bytes")
    if rest:
        _refuse_long_lines(rest, total - len(rest), path)
        yield rest


def _refuse_long_lines(lines: bytes, begin: int, path: Path) -> None:
    """Refuse a line that is too long; the lines begin at this byte of the file."""
    half = LONGEST // 2  # a line that is too long fills one of these pieces
    pieces = range(0, len(lines) - half + 1, half)
    if all(lines.find(b"\n", start, start + half) >= 0 for start in pieces):
        return
    for line in lines.split(b"\n"):
        if len(line) > LONGEST:
            where = f"{path}: the line that begins at byte {begin}"
            raise ValueError(f"{where} is longer than 1 MB; is it a text file?")
        begin += len(line) + 1


def read_regular(
    lines: bytes, fields: Names, *, codes: Names, texts: Names, numbers: Names, sign: str = ""
) -> pa.Table | None:
    """Read a block of regular lines.

    Parameters
    ----------
    lines
        The block.
    fields
        The names of the fields of a line.
    codes, texts, numbers
        The fields to return as codes of texts, as texts, and as numbers.
    sign
        The character between fields, if the block is known to be regular.

    Returns
    -------
    pyarrow.Table or None
        The columns; None if the block is not regular, or if a field that is a number holds
        something else.
    """
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    pyarrow, csv = extras.pyarrow(), extras.pyarrow("pyarrow.csv")
    delimiter = sign or _delimiter(lines, len(fields))
    if delimiter is None:
        return None
    coded = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    kinds = dict.fromkeys(codes, coded)
    kinds |= dict.fromkeys(texts, pyarrow.string())
    kinds |= dict.fromkeys(numbers, pyarrow.float64())
    try:
        return csv.read_csv(
            pyarrow.BufferReader(lines),
            read_options=csv.ReadOptions(
                use_threads=False, block_size=len(lines) + 1, column_names=fields
            ),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv.ConvertOptions(
                include_columns=list(kinds), column_types=kinds, null_values=[]
            ),
            memory_pool=pyarrow.system_memory_pool(),  # takes less time than pyarrow's own
        )
    except pyarrow.ArrowInvalid:
        return None


def _delimiter(lines: bytes, fields: int) -> str | None:
    """Return the character between fields; None if the lines are not regular.

    Regular lines have this many fields on average: if one has many more, pyarrow 16 writes beyond
    its memory.
    """
    if not lines or lines[0] <= _BLANK or lines.endswith((b" ", b"\t")):
        return None  # nothing, or white space before the first field or after the last
    if not lines.isascii() and (lines.startswith(BOM_UTF8) or b"\n" + BOM_UTF8 in lines):
        return None  # byte-order marks, which pyarrow would drop
    signs = np.frombuffer(lines, dtype=np.uint8)
    first, second = signs[:-1], signs[1:]  # of every two neighbours
    if np.maximum(first, second).min(initial=255) <= _BLANK:
        return None  # an empty field or line, white space around a line
    if b"#" in lines and (
        lines.startswith(b"#")
        or ((first == _FEED) & (second == _HASH)).any()  # faster than `b"\n#" in lines`
    ):
        return None  # comments
    ends = np.count_nonzero(signs == _FEED)
    separators = np.count_nonzero(signs <= _BLANK) - ends
    if separators != (fields - 1) * (ends + (signs[-1] != _FEED)):
        return None
    if separators == np.count_nonzero(signs == _BLANK):
        return " "
    if separators == np.count_nonzero(signs == _TAB):
        return "\t"
    return None  # both, or other control characters


def ahead(
    function: Callable[[bytes], object], lines: Iterator[bytes]
) -> Iterator[tuple[bytes, Any]]:
    """Yield blocks with the function's results, in order, computing some ahead in threads."""
    first = list(islice(lines, 1))
    if not first:  # the import below takes long
        return
    from concurrent.futures import ThreadPoolExecutor

    threads = ThreadPoolExecutor(THREADS)
    started = ((block, threads.submit(function, block)) for block in chain(first, lines))
    try:
        waiting = deque(islice(started, AHEAD))
        while waiting:
            waiting.extend(islice(started, 1))
            block, result = waiting.popleft()
            yield block, result.result()
    finally:
        threads.shutdown(cancel_futures=True)
