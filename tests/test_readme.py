"""The README: how long it is, what `.ci/run` takes out of it, what it links to."""

from __future__ import annotations

import re
import warnings
from contextlib import redirect_stdout

from tests.support.pages import README, ROOT, blocks

TEXT = README.read_text("utf-8")


def test_it_is_short() -> None:
    """Words are counted as `wc -w` does."""
    assert len(TEXT.splitlines()) <= 150
    assert len(TEXT.split()) <= 1000


def test_it_begins_with_what_one_can_run() -> None:
    """Both commands, with how long they take, are on the first screens."""
    first = "\n".join(TEXT.splitlines()[:40])
    assert len(re.findall("^python3 -m venv ", first, re.MULTILINE)) == 2
    assert len(re.findall(r"about \d+ minutes", " ".join(first.split()))) == 2


def test_shell_blocks_are_run_by_ci() -> None:
    """The install commands take minutes; `.ci/run` takes them out of the README and runs them.

    They have two lines, which are not wider than the page of the repository.
    """
    install, demo, test = (block.strip() for block in blocks(TEXT, "sh"))
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert demo.startswith("python3 -m venv .venv-demo && ")
    assert test.startswith("python3 -m venv .venv && ")
    assert install == 'pip install ".[plot,stats,report]"'
    for command, pattern in (
        (demo, "^python3 -m venv .venv-demo "),
        (test, "^python3 -m venv .venv "),
    ):
        assert f"grep -A1 '{pattern}'" in ci
        assert len(re.findall(pattern, TEXT, re.MULTILINE)) == 1
        first, second = command.splitlines()
        assert first.endswith(" && \\")
        assert max(len(first), len(second)) <= 95


def test_ci_runs_what_the_test_command_leaves_out() -> None:
    """And every property with more examples."""
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    markers = re.search('"-m", "not (.+)"', project)[1].replace("and not", "or")
    assert f'`.venv/bin/python -m pytest -m "{markers}"`' in TEXT
    more = f'-m "{markers} or hypothesis" --hypothesis-profile=more'
    assert ci.count(f"\n.venv/bin/python -m pytest -q {more}\n") == 1


def test_it_opens_with_an_experiment() -> None:
    """In seven lines of code, with measures of this package; no code is wider than 80."""
    first = blocks(TEXT, "python")[0]
    lines = re.findall(r"^(?:>>>|\.\.\.) (?! *#).*", first, re.MULTILINE)
    assert len(lines) <= 7
    assert lines[-1].startswith(">>> pt.Experiment(")
    code = re.findall(
        r"^(?:>>>|\.\.\.|\$| +-).*",
        "".join(block for kind in ("python", "console") for block in blocks(TEXT, kind)),
        re.MULTILINE,
    )
    assert len(code) > 20
    assert [line for line in code if len(line) > 80] == []


def test_the_first_example_warns_of_nothing() -> None:
    first = blocks(TEXT, "python")[0]
    code = "\n".join(line[4:] for line in first.splitlines() if line[:4] in (">>> ", "... "))
    with warnings.catch_warnings(record=True) as issued, redirect_stdout(None):
        warnings.simplefilter("always", UserWarning)
        exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    assert [str(w.message) for w in issued if w.filename == "README.md"] == []


def test_linked_files_exist() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_how_many_programs_it_names() -> None:
    """Those of the golden files, and two that tests call; those with figures of real runs."""
    golden = {
        path.stem: {line.split("\t")[0] for line in path.read_text("utf-8").splitlines()[1:]}
        for path in (ROOT / "tests" / "golden").glob("*.tsv")
        if path.stem != "expected.stats"
    }
    of = {stem: {name.split()[0].rstrip(",") for name in names} for stem, names in golden.items()}
    programs = {name.removesuffix(".pl") for names in of.values() for name in names}
    assert len(programs | {"pytrec_eval", "scikit-learn"}) == 11
    assert len(of["programs"] | {"pytrec_eval"}) == 6
    assert "those of eleven programs, six of them on real runs." in " ".join(TEXT.split())
