"""GitHub's workflows run what contributors are told to run, on every declared Python."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.pages import MANUAL, ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def commands(name: str) -> list[str]:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))
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
    text = (ROOT / ".github" / "workflows" / "everything.yml").read_text("utf-8")
    assert "schedule" in text
    script = ROOT / ".ci" / "run"
    assert ".ci/run" in commands("everything.yml")
    assert os.access(script, os.X_OK)
    assert ".venv/bin/python" in script.read_text("utf-8"), (
        "its environment, which the workflow lists"
    )


def test_the_tests_that_the_script_names_exist() -> None:
    """Bash expands the braces; with `failglob`, a pattern that no file has ends it."""
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    named = re.findall(r"(?<!\S)tests/[^\s)]+", text)
    assert len(named) > 5
    show = f"shopt -s failglob; printf '%s\\n' {' '.join(named)}"
    done = subprocess.run(
        ["bash", "-c", show], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [path for path in done.stdout.split() if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_python_is_declared(path: Path) -> None:
    """Expected: the classifiers of pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    declared = re.findall(r"Python :: (3\.\d+)", project)
    named = re.findall(r'"(3\.\d+)"', path.read_text("utf-8"))
    assert named
    assert set(named) <= set(declared)
    if path.name == "checks.yml":
        assert set(named) == set(declared)
