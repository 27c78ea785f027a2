"""What is written: whole files or none, also where a signal ends the command."""

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

from pt_cumgain.environment.files import replacing
from tests.support.helpers import QRELS, RUN

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
#: How a command ends: the codes are those of shells, 128 and the number of the signal.
ENDED = {
    signal.SIGINT: (130, "", "pt-cumgain: interrupted\n"),
    signal.SIGTERM: (143, "", "pt-cumgain: terminated\n"),
    signal.SIGHUP: (129, "", "pt-cumgain: hung up\n"),
}


def heed_signals() -> None:
    """Undo what a shell does to jobs in the background, which ignore Ctrl-C and pass that on."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def ignore_hangups() -> None:
    """Do as ``nohup`` does."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


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


#: A program that can end itself when it has just made a folder, and while it writes a file.
PROGRAM = """
import os
from pt_cumgain.environment import files

def end():
    os.kill(os.getpid(), {number})

def make(*args, mkdir=os.mkdir):
    mkdir(*args)
    {at_mkdir}

os.mkdir = make
files.exit_on_signals()
with files.replacing({target!r}) as path:
    {at_write}
print('goes on')
"""


def end_program(target: Path, number: int, start=heed_signals, **statements: str) -> tuple:
    """Run a program that sends itself a signal while it writes a file; how it ended."""
    statements = {"at_mkdir": "pass", "at_write": "path.write_text('half')"} | statements
    code = PROGRAM.format(target=str(target), number=int(number), **statements)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, preexec_fn=start
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("at", ["at_mkdir", "at_write"])
def test_a_signal_leaves_nothing_behind(at: str, number: signal.Signals, tmp_path) -> None:
    """Whether the temporary folder has just been made or holds half of the file."""
    target = tmp_path / "a.csv"
    target.write_text("before")
    statement = {"at_mkdir": "end()", "at_write": "path.write_text('half'); end()"}[at]
    assert end_program(target, number, **{at: statement}) == ENDED[number]
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert target.read_text() == "before"


def test_a_process_that_is_forked_leaves_the_folders_of_its_parent(tmp_path) -> None:
    """As a pool of processes does, which SIGTERM ends."""
    target = tmp_path / "a.csv"
    statement = "path.write_text('whole'); os.fork() or end(); os.wait()"
    assert end_program(target, signal.SIGTERM, at_write=statement) == (0, "goes on\n", "")
    assert target.read_text() == "whole"


def test_a_signal_that_is_ignored_stays_ignored(tmp_path) -> None:
    target = tmp_path / "a.csv"
    statement = "path.write_text('whole'); end()"
    ended = end_program(target, signal.SIGHUP, ignore_hangups, at_write=statement)
    assert ended == (0, "goes on\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert target.read_text() == "whole"


def signalled(arguments: list[str], pipe: Path, content: bytes, number: int, **env: str) -> tuple:
    """Send a signal to a command that reads from a pipe and has read this; how it ended."""
    command = Path(sys.executable).with_name("pt-cumgain")
    os.mkfifo(pipe)
    with subprocess.Popen(
        [str(command), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | env,
        preexec_fn=heed_signals,
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
            try:  # the pipe stays open, so the command can end by the signal only
                for _ in range(60):  # a signal just before the call that waits is seen after it
                    process.send_signal(number)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        return process.wait(1), *process.communicate()
            finally:
                process.kill()
    raise AssertionError("the command goes on")


#: The script that an installer writes, with Ctrl-C as soon as a module is looked up.
SCRIPT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from pt_cumgain.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module", ["lazy_loader", "ir_measures", "numpy", "pt_cumgain.measures", "pt_cumgain.cli"]
)
@pytest.mark.parametrize("name", ["pt-cumgain", "pt-cumgain.exe"])
def test_ctrl_c_while_the_program_is_imported(module: str, name: str, tmp_path) -> None:
    """As later: a line, no traceback, and the code of shells."""
    (tmp_path / name).write_text(SCRIPT.format(module=module))
    command = [sys.executable, str(tmp_path / name)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=heed_signals
    )
    assert (done.returncode, done.stdout, done.stderr) == ENDED[signal.SIGINT]


def test_other_programs_keep_their_signals(tmp_path) -> None:
    program = tmp_path / "pt-cumgain-too.py"
    program.write_text("import signal, pt_cumgain; print(signal.getsignal(signal.SIGINT))")
    printed = subprocess.check_output(
        [sys.executable, str(program)], text=True, preexec_fn=heed_signals
    )
    assert "default_int_handler" in printed


LARGE = b"".join(b"q%d 0 a 1\n" % i for i in range(10**6))


@pytest.mark.parametrize(
    ("pipe", "content", "number"),
    [
        ("qrels", LARGE, signal.SIGINT),
        ("run", RUN.encode(), signal.SIGINT),
        ("run", RUN.encode(), signal.SIGTERM),
    ],
    ids=["qrels", "run", "run, terminated"],
)
def test_a_signal_while_it_reads(pipe: str, content: bytes, number, tmp_path) -> None:
    """The large file is read in threads, which wait for its next block."""
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "CG"]
    other = {"qrels": "run", "run": "qrels"}[pipe]
    (tmp_path / other).write_text({"qrels": QRELS, "run": RUN}[other])
    assert signalled(arguments, tmp_path / pipe, content, number) == ENDED[number]
