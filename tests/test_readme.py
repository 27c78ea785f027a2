"""The README: how long it is, what `.ci/run` takes out of it, what it links to."""

import re
import warnings
from contextlib import redirect_stdout

from tests.support.pages import README, ROOT, blocks

TEXT = README.read_text("utf-8")


def test_it_is_short() -> None:
    """Words are counted as `wc -w` does; both commands have their time, on which machine."""
    assert len(TEXT.splitlines()) <= 120
    assert len(TEXT.split()) <= 760
    before = TEXT.partition("python3 -m venv ")[0].splitlines()[-3:]
    assert re.search(r"[Ee]ach takes about \d+ minutes on two idle cores", " ".join(before))


def test_shell_blocks_are_run_by_ci() -> None:
    """The commands take minutes; `.ci/run` takes their two lines out of the README.

    It also runs what the second one leaves out, and every property with more examples.
    """
    install, *commands = (block.strip() for block in blocks(TEXT, "sh"))
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert install == 'pip install ".[plot,stats,report]"'
    for command, folder in zip(commands, (".venv-demo", ".venv"), strict=True):
        pattern = f"^python3 -m venv {folder} "
        assert f"grep -A1 '{pattern}'" in ci
        assert len(re.findall(pattern, TEXT, re.MULTILINE)) == 1
        first, second = command.splitlines()
        assert re.match(pattern + r"&& .* && \\$", first)
        assert max(len(first), len(second)) <= 95
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    markers = re.search('"-m", "not (.+)"', project)[1].replace("and not", "or")
    assert f'`.venv/bin/python -m pytest -m "{markers}"`' in TEXT
    more = f'-m "{markers} or hypothesis" --hypothesis-profile=more'
    assert ci.count(f"\n.venv/bin/python -m pytest -q {more}\n") == 1


def test_it_opens_with_an_experiment() -> None:
    """In seven lines of code, without a warning; no code is wider than 80."""
    code = blocks(TEXT, "python")[0].splitlines()
    assert len([line for line in code if line and not line.lstrip().startswith("#")]) <= 7
    assert code[-1].startswith("pt.Experiment(")
    with warnings.catch_warnings(record=True) as issued, redirect_stdout(None):
        warnings.simplefilter("always", UserWarning)
        exec(compile("\n".join(code), "README.md", "exec"), {"__name__": "__main__"})
    assert [str(one.message) for one in issued if one.filename == "README.md"] == []
    shown = "".join(block for kind in ("python", "console") for block in blocks(TEXT, kind))
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_linked_files_exist() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_how_many_programs_it_names() -> None:
    """Those of the golden files, and two that tests call; those with figures of real runs."""
    programs: dict[str, set[str]] = {}
    for name in ("expected", "expected.session", "programs"):
        lines = (ROOT / "tests" / "golden" / f"{name}.tsv").read_text("utf-8").splitlines()[1:]
        programs[name] = {re.split(r"[\s,]", line)[0].removesuffix(".pl") for line in lines}
    assert len(set().union(*programs.values(), ["pytrec_eval", "scikit-learn"])) == 11
    assert len({*programs["programs"], "pytrec_eval"}) == 6
    told = "those of eleven programs, and use real runs for six of these."
    assert told in " ".join(TEXT.split())
