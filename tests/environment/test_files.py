"""What is written: whole files or none."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pt_cumgain.environment.files import replacing
from tests.support.helpers import QRELS, RUN, run_python


@pytest.mark.parametrize("before", ["before", None])
def test_a_file_is_replaced_once_it_is_whole(before: str | None, tmp_path) -> None:
    target, link = tmp_path / "a.csv", tmp_path / "link"
    link.symlink_to(target)
    umask = os.umask(0)
    os.umask(umask)
    mode = 0o666 & ~umask
    if before:
        target.write_text(before)
        target.chmod(0o640)
        mode = 0o640
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


def test_what_is_not_a_file_is_written_to_directly() -> None:
    with replacing("/dev/null") as path:
        assert path == Path("/dev/null")


#: Ctrl-C while the command writes its table.
PROGRAM = """
import signal, sys
import pandas as pd
from pt_cumgain.cli import main

def write(frame, path, **options):
    path.write_text("half")
    signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
pd.DataFrame.to_csv = write
sys.exit(main(["curves", "qrels", "run", "-m", "CG", "-d", "1", "--csv", "a.csv"]))
"""


def test_ctrl_c_leaves_nothing_behind(tmp_path) -> None:
    """Neither half a file nor a traceback; the code is that of shells."""
    files = {"qrels": QRELS, "run": RUN, "a.csv": "before"}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == files


def test_importing_the_package_keeps_signals() -> None:
    code = """
import signal
signal.signal(signal.SIGINT, print)
import pt_cumgain.cli
assert signal.getsignal(signal.SIGINT) is print
"""
    run_python(code)
