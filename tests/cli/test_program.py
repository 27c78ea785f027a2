"""The program: its usage, options, version and exit codes, and what its commands import."""

import inspect
import shlex
from pathlib import Path
from typing import Any

import pytest

import pt_cumgain
from pt_cumgain import cli, dominance, evaluate, gain_curves, paper_table, report
from pt_cumgain.cli.program import COMMANDS
from tests.support import trec
from tests.support.helpers import command_parser, refuse, run_cli, run_files, run_python, slow


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval", "only-one"], "run, measures"),
        (["curves"], "qrels, run"),
        (["compare", "q", "a", "--test", "welch"], "'none')"),  # no test is "none", not None
        (["report", "q", "a", "--depth", "ten"], "invalid int value: 'ten'"),
        (["eval", "q", "a", "CG", "-p", "-2"], "17)"),  # -1 are all
        (["compare", "q", "a", "-p", "-1"], "17)"),
        (["eval", "q", "a", "CG", "--by-query"], "--by-query; did you mean --by_query?"),
        (["eval", "q", "a", "CG", "--format=tsv"], "--format=tsv; did you mean --output_format?"),
        (["demo", "--files", "."], "unrecognized arguments: ."),
    ],
)
def test_usage(arguments: list[str], message: str, capsys) -> None:
    err = end_with_usage(capsys, arguments)
    assert err.startswith(f"usage: pt-cumgain {arguments[0]} [-h]")
    assert err.endswith(f"{message}\n")
    assert f"\npt-cumgain {arguments[0]}: error: " in err


def end_with_usage(capsys, arguments: list[str]) -> str:
    """Call the command line with what cannot be parsed; what it prints."""
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["curves -o a.pdf", "dominance", "reconcile", "report -o a.html"]
)
def test_errors_that_nobody_expects_are_worded(command: str, capsys, monkeypatch) -> None:
    """The same in all commands; here the qrels fail as a provider may."""

    def fail(source: str, _label: str) -> None:
        raise KeyError(source)

    monkeypatch.setattr("pt_cumgain.cli.inputs.load_qrels", fail)
    name, *options = command.split()
    given = "CG@1=1" if name == "reconcile" else "b"
    assert refuse(capsys, name, "q", "a", given, *options) == "unexpected KeyError('q')"


def test_streams_that_are_closed(monkeypatch, capsys) -> None:
    """As by a shell's ``>&-`` and ``2>&-``, in which case Python has None."""
    monkeypatch.setattr("sys.stdout", None)
    assert cli.main(["--version"]) == 1
    assert capsys.readouterr().err == "pt-cumgain: error: standard output is closed\n"
    monkeypatch.setattr("sys.stderr", None)
    assert cli.main(["--version"]) == 1


#: Paths and depths; compare has another default correction for the papers' reading.
DIFFERENT = {"help", "output", "depth", "correction"}


def test_options_have_the_same_letters_and_defaults_in_all_commands() -> None:
    known: dict[str, tuple] = {}
    for name in COMMANDS.keys() - {"eval"}:
        for action in command_parser(name)._actions:
            if action.option_strings and action.dest not in DIFFERENT:
                declared = tuple(action.option_strings), action.default
                assert known.setdefault(action.dest, declared) == declared, name
    assert known["baseline"][0] == ("--baseline", "-b")


#: The functions whose options a command has.
CALLED = {
    "eval": [evaluate],
    "curves": [gain_curves],
    "compare": [evaluate, paper_table, dominance],
    "dominance": [dominance],
    "report": [report],
}


@pytest.mark.parametrize(
    ("command", "function"),
    [(command, function) for command, functions in CALLED.items() for function in functions],
)
def test_defaults_are_those_of_the_functions(command: str, function: Any) -> None:
    parameters = inspect.signature(function).parameters
    compared = 0
    for action in command_parser(command)._actions:
        if action.dest in parameters and action.dest not in {"measure", "rows"}:
            default = parameters[action.dest].default
            if default is not inspect.Parameter.empty:
                assert action.default == default, action.dest
                compared += 1
    assert compared


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_ends_with_an_example(command: str) -> None:
    parser = command_parser(command)
    program, name, *words = shlex.split(parser.epilog.removeprefix("example: "))
    assert (program, name) == ("pt-cumgain", command)
    parser.parse_args(words)


def test_the_default_measure(capsys) -> None:
    """nDCG@10, in every command that takes measures."""
    for command in ("compare", "dominance"):
        said = [
            run_cli(capsys, command, "pydocs", *run_files("bm25", "dph"), *measure)[1]
            for measure in ([], ["-m", "nDCG@10"])
        ]
        assert said[0] == said[1] != ""


@pytest.mark.parametrize("command", ["eval", *slow(*(name for name in COMMANDS if name != "eval"))])
def test_help_imports_what_it_needs(command: str) -> None:
    code = (
        "import sys\n"
        "from pt_cumgain.cli import main\n"
        "try:\n"
        f"    main([{command!r}, '--help'])\n"
        "except SystemExit:\n"
        "    print('imported:', *sys.modules)"
    )
    text, _, modules = run_python(code).partition("imported: ")
    imported = set(modules.split())
    assert text.startswith(f"usage: pt-cumgain {command} [-h]")
    heavy = {"pandas", "pyarrow", "scipy", "matplotlib", "bokeh", "pyterrier", "ir_datasets"}
    assert not heavy & imported
    assert {name for name in COMMANDS if f"pt_cumgain.cli.{name}" in imported} == {command}


FRAMES = {"pandas", "pyarrow"}


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["compare", "RUN", "OTHER", "-m", "nDCG@10"], FRAMES | {"scipy"}),
        *slow(
            (["eval", "RUN", "OTHER", "nDCG@10", "AP", "-q"], {"pyarrow"}),
            (["eval", "RUN", "nDCG@10", "-q", "-o", "jsonl"], {"pyarrow"}),
            (["eval", "RUN", "nDCG@10", "AP", "--missing", "skip"], {"pyarrow"}),
            (["eval", "RUN.gz", "nDCG@10"], {"pyarrow"}),
            (["eval", "PARQUET", "nDCG@10"], FRAMES | {"pyarrow.dataset"}),
            (["curves", "RUN", "OTHER", "-m", "CG", "--csv", "-"], FRAMES),
            (["compare", "RUN", "OTHER", "-m", "nDCG@10", "--test", "none"], FRAMES),
        ),
    ],
    ids=lambda words: " ".join(sorted(words) if isinstance(words, set) else words),
)
def test_commands_import_what_they_need(arguments, needed, files, tmp_path) -> None:
    costly = {"pyarrow.dataset", "scipy", "scipy.stats", "statsmodels", "scikit_posthocs", "tqdm"}
    costly |= FRAMES | {"matplotlib", "bokeh", "pyterrier", "ir_datasets"}
    names = {"RUN": files["run"], "RUN.gz": files["run.gz"]}
    names["OTHER"] = files["run.gz"].replace("run.gz", "other.gz")
    names["PARQUET"] = str(tmp_path / "run.parquet")
    Path(names["OTHER"]).write_bytes(Path(files["run.gz"]).read_bytes())
    trec.read_run(files["run"]).to_parquet(names["PARQUET"])
    given = [names.get(argument, argument) for argument in arguments]
    code = (
        "import sys\n"
        "from pt_cumgain.cli import main\n"
        f"assert main({[given[0], files['qrels'], *given[1:]]}) == 0\n"
        "print('imported:', *sys.modules)"
    )
    assert costly & set(run_python(code).partition("imported: ")[2].split()) == needed


def test_version(capsys) -> None:
    with pytest.raises(SystemExit) as done:
        cli.main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out == f"pt-cumgain {pt_cumgain.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["dominance", "pydocs", *run_files("bm25", "dph", "pl2")],
        *slow(["reconcile", "pydocs", *run_files("bm25"), "nDCG@10=0.6026"]),
    ],
    ids=lambda arguments: arguments[0],
)
def test_lines_fit_the_terminal(arguments: list[str], capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("pt_cumgain.environment.terminal.is_terminal", lambda: True)
    code, printed, _ = run_cli(capsys, *arguments)
    assert code == 0
    lines = printed.splitlines()
    assert len(lines) > 3
    assert all(len(line) <= 60 or " " not in line.strip() for line in lines)
