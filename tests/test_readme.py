"""The README: every block is run, every output real, every table as the declarations say."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.readme import README, blocks, place_files, written

ROOT = README.parent
TEXT = README.read_text("utf-8")


def test_there_is_no_block_that_is_not_run() -> None:
    kinds = re.findall(r"^```(\w*)$", TEXT, re.MULTILINE)
    assert set(kinds[::2]) == {"python", "console", "sh"}
    assert set(kinds[1::2]) == {""}


def test_python_blocks(capsys) -> None:
    """All in one session, as a reader would type them."""
    session: dict = {}
    for number, block in enumerate(blocks("python"), 1):
        test = doctest.DocTestParser().get_doctest(
            block, session, f"block {number}", "README.md", 0
        )
        test.globs = session
        assert test.examples
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas' and PyTerrier's own
            runner.run(test, clear_globs=False)
        assert runner.failures == 0, capsys.readouterr().out


@pytest.mark.parametrize("block", blocks("console"))
def test_console_blocks(block: str, tmp_path) -> None:
    place_files(tmp_path)
    bin_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": bin_first}
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env=env,
        )
        assert done.stdout == expected


def test_shell_blocks_are_run_by_ci() -> None:
    """The install commands take minutes; `.ci/run` takes them out of the README and runs them."""
    install, demo, test = (block.strip() for block in blocks("sh"))
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert demo.startswith("python3 -m venv .venv-demo && ")
    assert test.startswith("python3 -m venv .venv && ")
    assert install == "pip install ."
    for pattern in ("^python3 -m venv .venv-demo ", "^python3 -m venv .venv "):
        assert f"'{pattern}'" in ci
        assert len(re.findall(pattern, TEXT, re.MULTILINE)) == 1


def test_tables_follow_from_the_declarations() -> None:
    assert written(TEXT) == TEXT, "python -m tests.readme writes them anew"


def test_linked_files_exist() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target
