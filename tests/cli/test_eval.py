"""`pt-cumgain eval`: the host's output, and messages for what cannot be used."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pt_cumgain import pydocs
from pt_cumgain.cli import inputs
from tests.cli.test_program import end_with_usage
from tests.support.helpers import RUN, refuse, run_cli, run_files, run_python


def test_means(files, capsys) -> None:
    arguments = "CG@2 nCG@1", "DCG(discount='original')@2"
    code, out, err = run_cli(capsys, "eval", files["qrels"], files["run"], *arguments)
    # q1: c a, gains 1 3; q2: b a, gains 0 2
    assert out == "CG@2\t3.0000\nnCG@1\t0.1667\nDCG(discount='original')@2\t3.0000\n"
    assert (code, err) == (0, "")
    assert run_cli(capsys, "eval", files["qrels"], files["run.gz"], *arguments)[1] == out


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("eval", [], ["nDCG(gains='level')@1"]),
        ("compare", ["-m", "nDCG@1", "--test", "none"], []),
        ("curves", ["-m", "nDCG@1", "--csv", "-"], []),
        ("dominance", ["-m", "nDCG@1", "--csv", "-"], []),
    ],
)
def test_commands_compare_scores_as_float32(
    command: str, before: list[str], after: list[str], files, tmp_path, capsys
) -> None:
    """Expected: what they print if the scores are equal; c, which gains less, comes first then."""
    paths = {name: tmp_path / name for name in ("near", "equal", "other")}
    for name, score in zip(paths, ("1.00000001", "1", "2")):
        paths[name].write_text(f"q1 Q0 a 0 {score} t\nq1 Q0 c 0 1 t\n")
    given = [command, *before, "--scores"]
    files = [files["qrels"], f"B={paths['other']}"]
    expected = run_cli(capsys, *given, "double", *files, f"A={paths['equal']}", *after)[1]
    near = [*files, f"A={paths['near']}", *after]
    assert run_cli(capsys, *given, "float32", *near)[1] == expected
    assert run_cli(capsys, *given, "double", *near)[1] != expected


@pytest.mark.parametrize(
    "flags",
    [[], ["--places", "7"], ["-o", "jsonl"], ["-q", "-p", "-1"], ["-q", "-n", "-o", "jsonl"]],
)
def test_output_equals_the_ir_measures_command(flags: list[str], files, capsys) -> None:
    """Expected: what the command of ir-measures prints for the same files."""
    given = [files["qrels"], files["run"], "nDCG@10", "AP", "P@5", "RR", *flags]
    host = subprocess.run(
        [sys.executable, "-m", "ir_measures", *given], capture_output=True, text=True, check=True
    )
    printed = run_cli(capsys, "eval", *given)[1]
    order = sorted if "-q" in flags else list  # the host's order of topics changes
    assert order(printed.splitlines()) == order(host.stdout.splitlines())


def test_files_that_are_none(files, capsys) -> None:
    """A measure in the place of a run is told where it belongs."""
    err = end_with_usage(capsys, ["eval", files["qrels"], files["run"], "-m", "nDCG@10"])
    assert err.endswith("-m: measures follow the runs: qrels.txt run.txt nDCG@10\n")
    place = "measures follow -m or, in eval, the runs"
    for command, *given in (["eval", "AP"], ["compare", "-m", "AP"], ["curves", "--csv", "-"]):
        message = refuse(capsys, command, files["qrels"], "nDCG@10", *given)
        assert message == f"no such run file: 'nDCG@10'; {place}"
    Path(files["run"]).write_bytes(b"\xff\xfe\x00")
    message = refuse(capsys, "eval", files["qrels"], files["run"], "CG")
    assert message.startswith(f"{files['run']} cannot be read: 'utf-16-le' codec")


def test_a_measure_given_twice_is_printed_once(files, capsys) -> None:
    given = "CG@2", "CG@2 CG(gains='0-1-2-3')@2", "CG(gains='0–1–2–3')@2"
    out = run_cli(capsys, "eval", files["qrels"], files["run"], *given)[1]
    assert [line.split("\t")[0] for line in out.splitlines()] == ["CG@2", "CG(gains='0-1-2-3')@2"]


def test_pipes(files) -> None:
    command = f"{Path(sys.executable).with_name('pt-cumgain')} eval"
    for tail, code, expected in (("", 0, "CG@2\t3.0000\n"), ("; echo bad line", 2, "")):
        done = subprocess.run(
            ["bash", "-c", f"{command} <(cat {files['qrels']}) <(cat {files['run']}{tail}) CG@2"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (code, expected)
    assert "line 5: 2 fields, expected 6" in done.stderr


def test_topics_that_a_run_misses_may_be_left_out(files, tmp_path, capsys) -> None:
    """CG@2 of q1 is 4: c, a; of q2 it is 2, which the other run has."""
    of_q1, of_q2 = tmp_path / "one", tmp_path / "two"
    of_q1.write_text("".join(line for line in RUN.splitlines(True) if line.startswith("q1")))
    of_q2.write_text("".join(line for line in RUN.splitlines(True) if line.startswith("q2")))
    skip = ["--missing", "skip"]
    given = ["eval", files["qrels"], str(of_q1), "CG@2", "P@1"]
    expected = "CG@2\t4.0000\nP@1\t1.0000\n"
    assert run_cli(capsys, *given, *skip) == (0, expected, "")
    assert run_cli(capsys, *given)[1] == "CG@2\t2.0000\nP@1\t0.5000\n"
    given = [files["qrels"], str(of_q1), str(of_q2), "-m", "CG@2", "--csv", "-", *skip]
    _, out, err = run_cli(capsys, "curves", *given, "--depth", "2")
    assert out.splitlines()[2::2] == ["one,CG,2,4.0,4.0,1", "two,CG,2,2.0,2.0,1"]
    assert "warning" not in err
    table = "measure,name,mean,judged\nCG@2,one,4.0,1.0\nCG@2,two,2.0,0.5\n"
    assert run_cli(capsys, "compare", *given, "--test", "none") == (0, table, "")
    assert "has no value for topic" in refuse(capsys, "compare", *given)


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "QRELS", "RUN", "CG", "AP"],
        ["compare", "QRELS", "RUN", "OTHER", "-m", "CG"],
        ["curves", "QRELS", "RUN", "-m", "CG", "--csv", "-"],
    ],
)
def test_nothing_to_evaluate(command: list[str], files, capsys) -> None:
    run, qrels = files["run"], files["qrels"]
    names = {"QRELS": qrels, "RUN": run, "OTHER": f"other={files['run.gz']}"}
    given = [names.get(word, word) for word in command]
    none = (
        f"the run {run!r} and the qrels have no topic in common: '1' in the run, 'q1' in the qrels"
    )
    empty = f"the run {run!r} holds no documents"
    for content, message in (("1 Q0 a 1 1.0 t\n", none), ("", empty)):
        Path(run).write_text(content)
        assert refuse(capsys, *given, code=1) == message
    Path(run).write_text(RUN)
    Path(qrels).write_text("")
    assert refuse(capsys, *given) == f"{qrels}: the qrels hold no judgments"


@pytest.fixture
def two_runs(files, tmp_path) -> list[str]:
    """The qrels, then two runs: CG@2 is 4 and 2 for the one, 3 and nothing for the other."""
    (tmp_path / "other").write_text("q1 Q0 a 1 1.0 t\n")
    return [files["qrels"], files["run"], str(tmp_path / "other")]


def test_a_line_for_each_of_several_runs(two_runs, monkeypatch, capsys) -> None:
    """Expected: the gains added by hand, as above; P@2 counts the relevant documents."""
    read, load = [], inputs.load_qrels
    monkeypatch.setattr(inputs, "load_qrels", lambda *a, **b: read.append(a) or load(*a, **b))
    qrels, run, other = two_runs
    given = "eval", qrels, run, f"b={other}", "CG@2", "P@2"
    code, out, err = run_cli(capsys, *given)
    assert (code, out) == (0, "name\tCG@2\tP@2\nrun\t3.0000\t0.7500\nb\t1.5000\t0.2500\n")
    assert err.count("the run 'b' has no documents for 1 of the 2 topics") == 1
    assert read == [(qrels, "")]  # once
    code, out, _ = run_cli(capsys, *given[:-2], given[-1], "--provider", "pytrec_eval")
    assert (code, out) == (0, "name\tP@2\nrun\t0.7500\nb\t0.2500\n")
    out = run_cli(capsys, *given[:-1], "-q", "-p", "1")[1]
    assert out.splitlines() == [
        "query_id\tname\tCG@2", "q1\trun\t4.0", "q2\trun\t2.0", "q1\tb\t3.0", "q2\tb\t0.0",
        "all\trun\t3.0", "all\tb\t1.5",
    ]  # fmt: skip
    out = run_cli(capsys, *given[:-2], "P@2", "-q", "-n", "-p", "1")[1]
    assert out.splitlines()[:2] == ["query_id\tname\tP@2", "q1\trun\t1.0"]
    skipped = run_cli(capsys, *given[:-1], "-q", "-n", "-p", "1", "--missing", "skip")[1]
    assert skipped.splitlines()[1:] == ["q1\trun\t4.0", "q2\trun\t2.0", "q1\tb\t3.0"]


def test_options_stand_before_or_after_runs_and_measures(two_runs, capsys) -> None:
    expected = run_cli(capsys, "eval", *two_runs, "CG@2", "AP", "-q", "-p", "2")
    assert run_cli(capsys, "eval", "-q", *two_runs, "CG@2", "AP", "-p", "2") == expected
    one = two_runs[:2]
    expected = run_cli(capsys, "eval", *one, "CG@2", "AP", "-q")
    assert run_cli(capsys, "eval", *one, "-q", "CG@2", "AP") == expected
    wrong = end_with_usage(capsys, ["eval", *two_runs, "-q", "CG@2"])
    assert wrong.endswith("pt-cumgain eval: error: unrecognized arguments: CG@2\n")


def test_objects_of_several_runs_have_their_names(two_runs, capsys) -> None:
    given = ["eval", *two_runs, "CG@2", "-o", "jsonl"]
    objects = [json.loads(line) for line in run_cli(capsys, *given)[1].splitlines()]
    assert objects == [
        {"name": "run", "measure": "CG@2", "value": 3.0},
        {"name": "other", "measure": "CG@2", "value": 1.5},
    ]
    lines = run_cli(capsys, *given, "-q", "--missing", "skip")[1].splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["run", "run", "other", "run", "other"]
    assert list(json.loads(lines[0])) == ["name", "query_id", "measure", "value"]


def test_several_runs_fit_a_terminal(monkeypatch, capsys) -> None:
    """Expected: the cells of the pipe, in lines that are not wider than the terminal."""
    measures = ["nDCG@10", "AP", "P@5"]
    given = ["eval", "pydocs", *run_files("bm25", "qld"), *measures]
    piped = [line.split("\t") for line in run_cli(capsys, *given)[1].splitlines()]
    monkeypatch.setattr("pt_cumgain.environment.terminal.is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "24")
    blocks = [block.splitlines() for block in run_cli(capsys, *given)[1].split("\n\n")]
    assert [lines[0].split() for lines in blocks] == [measures[:2], measures[2:]]
    assert max(len(line) for lines in blocks for line in lines) <= 24
    for i in (1, 2):
        shown = [word for lines in blocks for word in re.split(r"[\s\[\],]+", lines[i])[1:] if word]
        assert shown == piped[i][1:]


def test_a_file_may_have_the_name_of_a_measure(files, capsys, monkeypatch) -> None:
    monkeypatch.chdir(Path(files["run"]).parent)
    Path("AP").write_text(RUN)
    # q1: both relevant documents, first; q2: one, second
    assert run_cli(capsys, "eval", "qrels", "AP", "AP")[:2] == (0, "AP\t0.7500\n")
    expected = "name\tAP\nrun\t0.7500\nAP\t0.7500\n"
    assert run_cli(capsys, "eval", "qrels", "run", "./AP", "AP")[:2] == (0, expected)


def test_a_run_from_standard_input(files, capsys, monkeypatch) -> None:
    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    wanted = run_cli(capsys, "eval", files["qrels"], files["run"], "CG@2", "AP")
    for text in (RUN, "".join(reversed(RUN.splitlines(keepends=True)))):  # topics scattered, too
        give(text.encode())
        assert run_cli(capsys, "eval", files["qrels"], "-", "CG@2", "AP") == wanted
    give(RUN.encode())
    _, named, _ = run_cli(capsys, "eval", files["qrels"], f"A={files['run']}", "B=-", "CG@2")
    assert named == "name\tCG@2\nA\t3.0000\nB\t3.0000\n"
    message = refuse(capsys, "eval", files["qrels"], "a=-", "b=-", "CG")
    assert message == "- is given twice, and can be read only once"
    for content, message in (
        (bytes(2_000_000), "standard input: the line that begins at byte 0 is longer than 1 MB"),
        (b"q1 Q0 c\n", "standard input, line 1: 3 fields, expected 6"),
    ):
        give(content)
        assert refuse(capsys, "eval", files["qrels"], "-", "CG").startswith(message)


@pytest.mark.usefixtures("figures")
def test_sessions_keep_their_queries(tmp_path, capsys) -> None:
    run = str(pydocs.DATA / "session_runs" / "bm25.res.gz")
    qrels = pydocs.session_qrels().assign(iteration=0)[["qid", "iteration", "docno", "label"]]
    qrels.to_csv(tmp_path / "qrels", sep=" ", header=False, index=False)
    given = ["eval", str(tmp_path / "qrels"), run, "sDCG@10"]
    wanted = run_cli(capsys, *given)[1]
    assert wanted == "sDCG@10\t9.8237\n"  # 9.824 in the manual, by pt.Experiment
    assert run_cli(capsys, *given, "--provider", "cumgain")[1] == wanted
    assert run_cli(capsys, *given, "P@1")[1].startswith(wanted)
    drawn = ["-m", "sDCG nsDCG@5", "--csv", "-", "-o", str(tmp_path / "a.png")]
    rows = run_cli(capsys, "curves", *given[1:3], *drawn)[1].splitlines()[1:]
    assert [*dict.fromkeys(row.split(",")[1] for row in rows)] == ["nsDCG@5", "sDCG@10"]


@pytest.mark.parametrize(
    "given", [["eval", "q", "CG"], ["compare", "q", "-m", "CG"], ["curves", "q", "--csv", "-"]]
)
def test_one_warning_tells_of_all_runs_that_miss_topics(given, capsys, tmp_path) -> None:
    (tmp_path / "q").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n")
    runs = [str(tmp_path / f"run{i}") for i in range(9)]
    for i, run in enumerate(runs):
        lines = [f"q{topic} Q0 a 1 1.0 t\n" for topic in range(1, 2 + i % 3)]
        Path(run).write_text("".join(lines))
    _, _, err = run_cli(capsys, given[0], str(tmp_path / "q"), *runs, *given[2:])
    last = err.splitlines()[-1]  # below progress
    assert last.endswith(
        "warning: 6 runs have no documents for some of the 3 topics in the qrels: 'run0' (2), "
        "'run1' (1), 'run3' (2), 'run4' (1), 'run6' (2), ...; these topics count as 0"
    )


def test_the_commonest_command_imports_only_what_it_needs(files) -> None:
    """TREC files and nDCG@10: each of these would cost between 1% and 200% of its time."""
    code = f"""
import sys, numpy
numpys = {{*sys.modules}}  # NumPy 1 imports more
from pt_cumgain.cli import main
assert main(["eval", {files["qrels"]!r}, {files["run"]!r}, "nDCG@10"]) == 0
packages = "pandas pyterrier ir_datasets scipy matplotlib pytrec_eval numpy.ma numpy.random"
library = "concurrent.futures configparser csv difflib tarfile zipfile"
ours = "comparing description page papers plots trust writing.phrases writing.rendering"
names = [*packages.split(), *library.split(), *(f"pt_cumgain.{{name}}" for name in ours.split())]
print([name for name in names if name in {{*sys.modules}} - numpys])
"""
    assert run_python(code).splitlines()[-1] == "[]"
