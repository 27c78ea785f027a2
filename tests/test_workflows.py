"""GitHub's workflows run what contributors are told to run, on every declared Python."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.pages import MANUAL, ROOT

FOLDER = ROOT / ".github" / "workflows"
SCRIPT = ROOT / ".ci" / "run"


def commands(name: str) -> list[str]:
    workflow = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    return [step["run"] for step in steps if "run" in step]


def test_the_quick_checks_are_those_of_the_manual() -> None:
    text = (MANUAL / "contributors.rst").read_text("utf-8")
    told = re.search(r"^   (ruff check .*)$", text, re.MULTILINE)[1].split(" ; ")
    assert set(told) <= set(commands("checks.yml"))
    before_commits = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [hook["entry"] for hook in before_commits["repos"][0]["hooks"]] == told
    asked = (ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md").read_text("utf-8")
    assert f"`{' ; '.join(told)}`" in asked


def test_everything_is_checked_each_week() -> None:
    assert "schedule" in (FOLDER / "everything.yml").read_text("utf-8")
    assert ".ci/run" in commands("everything.yml")
    assert os.access(SCRIPT, os.X_OK)
    assert ".venv/bin/python" in SCRIPT.read_text("utf-8")  # which the workflow makes


def test_the_tests_that_the_script_names_exist() -> None:
    """Bash expands the braces; with `failglob`, a pattern that no file has ends it."""
    named = re.findall(r"(?<!\S)tests/[^\s)]+", SCRIPT.read_text("utf-8"))
    assert len(named) > 5
    show = f"shopt -s failglob; printf '%s\n' {' '.join(named)}"
    printed = subprocess.check_output(["bash", "-c", show], cwd=ROOT, text=True)
    assert [path for path in printed.split() if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.stem)
def test_every_python_is_declared(path: Path) -> None:
    """Expected: the classifiers of pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    declared = set(re.findall(r"Python :: (3\.\d+)", project))
    named = set(re.findall(r'"(3\.\d+)"', path.read_text("utf-8")))
    assert named
    assert named <= declared
    if path.name == "checks.yml":
        assert named == declared
