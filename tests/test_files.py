"""What is written: whole files or none, also where Ctrl-C ends the command."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pt_cumgain.files import replacing
from tests.test_cli import QRELS, RUN


def heed_interrupts() -> None:
    """Undo what a shell does to jobs in the background, which ignore Ctrl-C and pass that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


INTERRUPTED = (130, "", "pt-cumgain: interrupted\n")


@pytest.mark.parametrize("before", ["before", None])
def test_a_file_is_replaced_once_it_is_whole(before: str | None, tmp_path) -> None:
    target, link = tmp_path / "a.csv", tmp_path / "link"
    link.symlink_to(target)
    if before:
        target.write_text(before)
        target.chmod(0o640)
    mode = 0o640 if before else 0o666 & ~umask()
    with pytest.raises(OSError, match=f"No space left on device: '{link}'"):
        fill_the_disk(link)
    assert {path.name for path in tmp_path.iterdir()} == {"link", *(["a.csv"] if before else [])}
    assert not before or target.read_text() == before
    with replacing(link) as path:
        assert path.suffix == ".csv"  # from which writers tell the format
        path.write_text("after")
        assert not before or target.read_text() == before
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == mode
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "link"}


def fill_the_disk(target: Path) -> None:
    with replacing(target) as path:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "no space")


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_what_is_not_a_file_is_written_to_directly() -> None:
    with replacing("/dev/null") as path:
        assert path == Path("/dev/null")


def test_an_interrupt_leaves_nothing_behind(tmp_path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("before")
    code = (
        "import os, signal, sys; from pt_cumgain import files; files.exit_on_interrupt()\n"
        f"with files.replacing({str(target)!r}) as path:\n"
        "    path.write_text('half'); os.kill(os.getpid(), signal.SIGINT)\n"
        "    print('goes on')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=False, preexec_fn=heed_interrupts,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == INTERRUPTED
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert target.read_text() == "before"


def interrupted(arguments: list[str], pipe: Path, content: bytes, **env: str) -> tuple:
    """Interrupt a command that reads from a pipe and has read this; how it ended."""
    command = Path(sys.executable).with_name("pt-cumgain")
    os.mkfifo(pipe)
    with subprocess.Popen(
        [str(command), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | env,
        preexec_fn=heed_interrupts,
    ) as process:  # fmt: skip
        while process.poll() is None:
            try:
                writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:  # nobody reads yet
                time.sleep(0.01)
        else:
            return process.returncode, *process.communicate()
        os.set_blocking(writing, True)
        with open(writing, "wb") as file:
            file.write(content)
            file.flush()
            try:  # the pipe stays open, so the command can end by the interrupt only
                for _ in range(60):  # a signal just before the call that waits is seen after it
                    process.send_signal(signal.SIGINT)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        return process.wait(1), *process.communicate()
            finally:
                process.kill()
    raise AssertionError("the command goes on")


LARGE = b"".join(b"q%d 0 a 1\n" % i for i in range(10**6))


@pytest.mark.parametrize(
    ("pipe", "content"), [("qrels", LARGE), ("run", RUN.encode())], ids=["qrels", "run"]
)
def test_interrupted_while_it_reads(pipe: str, content: bytes, tmp_path) -> None:
    """The large file is read in threads, which wait for its next block."""
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "CG"]
    other = {"qrels": "run", "run": "qrels"}[pipe]
    (tmp_path / other).write_text({"qrels": QRELS, "run": RUN}[other])
    assert interrupted(arguments, tmp_path / pipe, content) == INTERRUPTED
