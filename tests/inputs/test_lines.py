"""TREC files read by pyarrow: what is regular, and that all files read as by pandas."""

import bz2
import gzip
import lzma
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain.comparing import read_values
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.formats.trec import read_batches
from pt_cumgain.sessions import read_session_track
from tests.support import trec

IDS = st.sampled_from(
    ["q1", "q2", "Q0", "é", "z\U0001f600", '"a"', "'", "#x", "1", "nan", "NA", "\xa0"]
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["1e5", "-1E-7", "inf", "-Infinity", "1.", ".5", "+2", "1e400", "0.1e-400"]),
    st.from_regex(r"[0-9]{1,25}\.[0-9]{1,25}(e-?[0-9]{1,3})?", fullmatch=True),
)
WRONG = st.sampled_from(["nan", "x", "0x1", "1,5", "", "1_0", "１０", "1\xa0", "\x0b1"])
SEPARATORS = st.sampled_from([" ", "\t", "  ", " \t"])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n \n"])
#: What is easily lost where a block begins or ends.
SIGNS = st.sampled_from(["", "\ufeff", "\ufeff#", "\r", "\0", " ", "\t"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Runs as programs write them, here and there with what is irregular or wrong."""
    separator, end = draw(SEPARATORS), draw(ENDS)
    second = draw(st.sampled_from(["Q0", "Q1", "Q2/3"]))
    odds = ["nothing", "spacing", "wrong", "fields", "second", "text", "comment", "after the tag"]
    odd = draw(st.sampled_from([*odds, "sign"]))
    text = ""
    for i in range(draw(st.integers(0, 12))):
        fields = [draw(IDS), second, draw(IDS), str(i), draw(NUMBERS), draw(IDS)]
        here = odd != "nothing" and draw(st.integers(0, 4)) == 0
        if here and odd == "wrong":
            fields[4] = draw(WRONG)
        elif here and odd == "fields":
            fields = fields[: draw(st.integers(1, 5))] + draw(st.sampled_from([[], ["a"] * 6]))
        elif here and odd == "second":
            fields[1] = draw(st.sampled_from(["Q0", "Q3", "Q1/1", "Q"]))
        elif here and odd == "comment":
            fields = ["#", *fields[1 : draw(st.integers(1, 6))]]
        elif here and odd == "after the tag":
            fields += draw(st.lists(IDS | st.just(second), max_size=6))
        elif here and odd == "sign":
            at = draw(st.integers(0, 5))
            fields[at] = draw(SIGNS) + fields[at]
            fields[5] += draw(SIGNS)
        spaced = here and odd == "spacing"
        text += (draw(SEPARATORS) if spaced else separator).join(fields)
        text += draw(ENDS) if spaced else end
    content = (text if draw(st.booleans()) else text.rstrip("\n")).encode()
    return content.replace(b"z", b"\xff", 1) if odd == "text" else content


def outcome(path: Path, rows: int | None) -> pd.DataFrame | str:
    """What reading gives: plain values, or the text of the error."""
    try:
        frames = list(read_batches(path, rows))
    except ValueError as error:
        return str(error).partition("codec")[0]  # positions in a block differ
    assert rows is None or all(len(frame) <= rows for frame in frames)
    return pd.concat(
        [frame.to_pandas().astype({"query_id": str}) for frame in frames], ignore_index=True
    )


@given(
    content=files(),
    block=st.sampled_from([1, 20, 70, 10**6]),
    rows=st.none() | st.integers(1, 9) | st.just(99),
)
@example(content="\rq Q0 d 0 1 t\n\ufeffq Q0 e 1 0 t\n".encode(), block=1, rows=None)
def test_every_file_reads_as_if_irregular(content: bytes, block: int, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    path.write_bytes(content)
    with mock.patch("pt_cumgain.inputs.lines.read_regular", return_value=None):
        expected = outcome(path, None)
    with mock.patch("pt_cumgain.inputs.lines.BLOCK", block):
        got = outcome(path, rows)
    if isinstance(expected, str) or isinstance(got, str):
        assert got == expected
    else:
        pd.testing.assert_frame_equal(got, expected, check_exact=True, check_dtype=False)


@pytest.mark.filterwarnings("ignore:invalid value encountered")
@given(numbers=st.lists(NUMBERS, min_size=1, max_size=20))
def test_numbers_are_the_nearest_doubles(numbers: list[str], tmp_path_factory) -> None:
    """Expected: Python's float."""
    path = tmp_path_factory.mktemp("runs") / "run"
    path.write_text("".join(f"q Q0 d{i} 0 {number} t\n" for i, number in enumerate(numbers)))
    assert trec.read_run(path)["score"].tolist() == [float(number) for number in numbers]


@pytest.mark.filterwarnings("ignore:a rank is not a whole number:UserWarning")
def test_bytes_that_are_not_utf8_matter_only_where_they_are_read(tmp_path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q1  Q0 d1 \xff 1.5 \xff\n")
    assert trec.read_run(path)["doc_id"].tolist() == ["d1"]
    path.write_bytes(b"q1  Q0 d\xff 0 1.5 t\n")
    with pytest.raises(ValueError, match=r"run, line 1: 'utf-8' codec"):
        trec.read_run(path)


def pack_zst(text: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(text)


PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": pack_zst}


@pytest.mark.parametrize("suffix", PACKED)
def test_every_stream_of_a_compressed_file_is_read_or_refused(suffix: str, tmp_path) -> None:
    """As joined by `cat`; one bit of the third stream's header is flipped, or its end is cut."""
    path, stream = tmp_path / f"run.{suffix}", PACKED[suffix](b"q1 Q0 d 0 1.5 t\n")
    path.write_bytes(stream * 3)
    assert len(trec.read_run(path)) == 3
    for third in (bytes([stream[0], stream[1] ^ 1]) + stream[2:], stream[:-3]):
        path.write_bytes(stream * 2 + third)
        with pytest.raises(ValueError, match=rf"run\.{suffix}: "):
            trec.read_run(path)


def _pack_utf16(text: bytes) -> bytes:
    return text.decode().encode("utf-16")


@pytest.mark.parametrize(
    "pack", [gzip.compress, _pack_utf16, lambda text: gzip.compress(_pack_utf16(text))]
)
def test_gzip_and_utf16_are_recognised_by_the_first_bytes(pack, tmp_path) -> None:
    packed = pack(b"q1 Q0 \xc3\xa9 0 1.5 t\n")
    (tmp_path / "run").write_bytes(packed)
    stream = BytesIO(packed)
    spooled = SimpleNamespace(read=stream.read, seek=stream.seek)  # as Python 3.10's temporary file
    for source in (tmp_path / "run", BytesIO(packed), spooled):
        assert trec.read_run(source)["doc_id"].tolist() == ["é"]


@pytest.mark.parametrize("end", [b"", b"\nb\n"])
@pytest.mark.parametrize("before", [0, 999, lines.BLOCK // 2 - 300_000, lines.BLOCK // 2 - 1])
def test_a_line_has_at_most_a_megabyte(before: int, end: bytes) -> None:
    """Wherever it is in its block, or in two."""
    content = b"a\n" * before + b"x" * lines.LONGEST
    path = Path("run")
    assert b"".join(lines.read_blocks(BytesIO(content + end), path)) == content + end
    with pytest.raises(ValueError, match=f"^run: the line that begins at byte {2 * before} is"):
        list(lines.read_blocks(BytesIO(content + b"x" + end), path))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
@pytest.mark.parametrize("read", [trec.read_run, read_values, read_session_track])
def test_a_device_is_refused(read: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match=r"^/dev/zero is a device, not a file"):
        read("/dev/zero")


REGULAR = b"q1 Q0 d1 0 1.5 t\nq1 Q0 \xc3\xa9 1 -inf t\n"
KINDS = {"codes": ["0", "1"], "texts": ["2"], "numbers": ["4"]}


@pytest.mark.parametrize(
    "content",
    [REGULAR, REGULAR.replace(b" ", b"\t"), REGULAR.replace(b"\n", b"\r\n"), REGULAR[:-1]],
)
def test_what_programs_write_is_regular(content: bytes) -> None:
    table = lines.read_regular(content, [*"012345"], **KINDS)
    assert table.column("2").to_pylist() == ["d1", "é"]
    assert table.column("4").to_pylist() == [1.5, -math.inf]


@pytest.mark.parametrize(
    "change",
    [
        (b"q1 Q0", b"q1 "), (b"d1 0", b"d1\t0"), (b"t\nq1", b"t\n\nq1"), (b"t\nq1", b"t \nq1"),
        (b"1.5", b"x"), (b" 0 1.5", b" 1.5"), (b"\xc3", b"\xff"), (b"d1", b"d\x0b1"),
        (b"t\nq1", b"t\rq1"), (b"q1 Q0 d1", b" q1 Q0"), (b"q1", b"#q1"), (b"\nq1", b"\n#q1"),
        (b"q1", b"\xef\xbb\xbf#q1"), (b"t\nq1", b"t t\nq1"),
    ],
)  # fmt: skip
def test_what_is_not_regular_is_left_to_the_other_reader(change: tuple[bytes, bytes]) -> None:
    assert lines.read_regular(REGULAR.replace(*change, 1), [*"012345"], **KINDS) is None


def test_a_file_that_becomes_shorter_is_refused(tmp_path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q1 Q0 d1 0 1.5 t\n" * 100)
    with mock.patch("pt_cumgain.inputs.lines.BLOCK", 100):
        batches = read_batches(path, 1)
        next(batches)
        path.write_bytes(b"q1 Q0 d1 0 1.5 t\n" * 50 + b"q1 Q0")
        with pytest.raises(ValueError, match=r"run became shorter while it was read: \d+ of 1700 "):
            list(batches)


def test_a_compressed_file_that_is_cut_is_refused(tmp_path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d1 0 1.5 t\n" * 1000)[:-10])
    with pytest.raises(ValueError, match=r"run\.gz: .* end-of-stream marker[^(]*$"):
        trec.read_run(path)


@pytest.mark.parametrize("suffix", ["gz", "GZ", "bz2", "xz", "zip", "tar", "tar.gz"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_named(suffix: str, tmp_path) -> None:
    (tmp_path / f"run.{suffix}").write_bytes(REGULAR)
    with pytest.raises(ValueError, match=rf"run\.{suffix}: "):
        trec.read_run(tmp_path / f"run.{suffix}")


def test_the_errors_of_a_file_in_an_archive_are_its_own(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        trec.read_run(tmp_path / "none.gz")
    (tmp_path / "run.gz").write_bytes(gzip.compress(REGULAR + b"q1 Q0\n"))
    with pytest.raises(ValueError, match=r"run\.gz, line 3: 2 fields, expected 6"):
        trec.read_run(tmp_path / "run.gz")


#: Ctrl-C while a program, here a thread, has written much to a pipe and keeps it open.
PIPE = """
import os, signal, sys, threading, pt_cumgain
from pt_cumgain.inputs import lines

def write_and_interrupt():
    with open(sys.argv[1], "wb", buffering=0) as pipe:  # waits for the reader
        pipe.write(b"1 Q0 d 1 1.0 t\\n" * 100_000)  # returns once all but a pipe's buffer is read
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        threading.Event().wait()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process ignores it
lines.BLOCK = 1 << 16
os.mkfifo(sys.argv[1])
threading.Thread(target=write_and_interrupt, daemon=True).start()
pt_cumgain.evaluate("CG@1", {"1": {"a": 1}}, sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_an_interrupt_ends_reading_from_a_pipe(tmp_path) -> None:
    """One is enough, although threads read ahead and the writer never ends."""
    command = [sys.executable, "-c", PIPE, tmp_path / "pipe"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode in (-signal.SIGINT, 130)
    assert ended.stderr.endswith("KeyboardInterrupt\n")


def test_reading_that_is_given_up_leaves_no_thread(tmp_path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q1 Q0 d1 0 1.5 t\n" * 1000)
    before = set(threading.enumerate())
    with mock.patch("pt_cumgain.inputs.lines.BLOCK", 100):
        batches = read_batches(path, 1)
        next(batches)
        batches.close()
    assert set(threading.enumerate()) <= before
