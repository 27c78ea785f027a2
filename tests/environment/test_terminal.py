"""What is printed: no name controls a terminal, and any encoding will do."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain.cli.outputs import write_csv
from pt_cumgain.environment.terminal import escape_controls, replace_signs
from tests.support.helpers import QRELS, RUN, refuse, run_cli, run_files, slow

COMMAND = str(Path(sys.executable).with_name("pt-cumgain"))
#: Red type and text from right to left, and how they are shown.
RED, RED_SHOWN = "\x1b[31m\u202e", r"\x1b[31m\u202e"
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.fixture
def files(tmp_path, monkeypatch) -> None:
    """Qrels, and the runs ``a`` and ``b``, in the folder where the commands run."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    for name in "ab":
        Path(name).write_text(RUN)


def called(name: str) -> str:
    """Make a run that is called so, which not every file system allows."""
    try:
        Path(name).write_text(RUN)
    except OSError as error:
        pytest.skip(f"no file can be called {name!r}: {error}")
    return name


@given(st.text(st.characters(codec=None)))
@example("\x00\x7f\x85\x9b\u2028\u202a\u2069\ud800\udce9")
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    """Expected: the categories of Unicode, which the function does not ask."""
    escaped = escape_controls(text)
    for sign in escaped:
        assert unicodedata.category(sign) not in {"Cc", "Cs", "Zl", "Zp"}
        assert unicodedata.bidirectional(sign) not in BIDI
    assert escape_controls(escaped) == escaped


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_what_is_read_stays(text: str) -> None:
    assert escape_controls(text) == text


def test_bytes_that_are_not_decoded() -> None:
    """They are decoded where they are UTF-8, which a locale such as C does not do."""
    for name in (b"r\xe9.res", b"\xff\xc3", "é–".encode(), b"\xc2\x9b1m"):
        shown = escape_controls(name.decode("ascii", "surrogateescape"))
        expected = {b"r\xe9.res": r"r\xe9.res", b"\xff\xc3": r"\xff\xc3", b"\xc2\x9b1m": r"\x9b1m"}
        assert shown == expected.get(name, "é–")


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "• † ‡ – − é ł"),
        ("cp1252", r"• † ‡ – - é \u0142"),
        ("latin-1", r"* + ++ - - é \u0142"),
        ("cp437", r"* + ++ - - é \u0142"),
        ("ascii", r"* + ++ - - \xe9 \u0142"),
    ],
)
def test_signs_that_an_encoding_lacks(encoding: str, shown: str) -> None:
    """Expected: which signs stand in the tables of these encodings."""
    text = "• † ‡ – − é ł".encode(encoding, "pt_cumgain.signs").decode(encoding)
    assert text == shown


@given(st.text(st.characters(codec=None)), st.sampled_from(["utf-8", "latin-1", "cp437", "ascii"]))
def test_no_text_fails(text: str, encoding: str) -> None:
    text.encode(encoding, "pt_cumgain.signs")


def run_program(*arguments: str, shell: str = '"$@"', **env: str) -> tuple[int, str, str]:
    """Run the command line as a program; its exit code, and what it printed."""
    done = subprocess.run(
        ["bash", "-c", shell, "-", COMMAND, *arguments],
        capture_output=True, check=False, env=os.environ | env,
    )  # fmt: skip
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    return done.returncode, done.stdout.decode(encoding), done.stderr.decode()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "latin-1"},
        *slow(
            {"PYTHONIOENCODING": "cp437"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ),
    ],
    ids=["latin-1", "cp437", "C"],
)
def test_a_table_in_an_encoding_without_its_signs(env: dict[str, str]) -> None:
    given = "compare", "qrels", "a", "b", "-m", "CG@2", "--test", "none"
    table = "   CG@2\na  3.000*\nb  3.000*\n*: best value of each measure.\n2 topics.\n"
    assert [line.split() for line in table.splitlines()] == [
        line.split() for line in run_program(*given, **env)[1].splitlines()
    ]


@pytest.mark.end_to_end
def test_marks_of_two_signs_keep_the_columns(capsys) -> None:
    """Expected: the table in UTF-8, in which ‡ is one sign."""
    given = ["compare", "pydocs", *run_files("bm25", "dph", "first-word"), "-m", "CG@5", "-m"]
    given += ["AP", "--test", "t", "--baseline", "bm25", "--interval"]
    _, out, _ = run_program(*given, PYTHONIOENCODING="latin-1")
    rows = out.splitlines()[1:4]
    assert rows[2].count("++v [") == 2
    assert len({tuple(sign.start() for sign in re.finditer(r"\[", row)) for row in rows}) == 1
    assert "++ differs significantly, p < 0.01; v worse" in out
    plain = run_cli(capsys, *given)[1].replace("‡", "++").replace("†", "+").replace("•", "*")
    plain = plain.replace("↓", "v")
    assert out.split() == plain.split()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "arguments",
    [["eval", "qrels", "a", "CG"], ["eval", "qrels", "a", "CG", "-q", "-n"], ["--version"]],
)
def test_output_that_is_closed(arguments: list[str]) -> None:
    code, _, err = run_program(*arguments, shell='"$@" >&-')
    assert (code, err) == (1, "pt-cumgain: error: standard output: Bad file descriptor\n")


@pytest.mark.usefixtures("files")
def test_messages_that_are_closed_do_not_go_to_the_output() -> None:
    Path("a").write_text("q1 Q0 a 1 1.0 t\n")  # it misses a topic, which is warned of
    done = run_program("eval", "qrels", "a", "CG@2", shell='"$@" 2>&-')
    assert done == (0, "CG@2\t1.5000\n", "")


@pytest.mark.usefixtures("files")
def test_input_that_is_closed() -> None:
    code, out, err = run_program("eval", "qrels", "-", "CG", shell='"$@" <&-')
    message = "pt-cumgain eval: error: the run is -, but standard input is closed\n"
    assert (code, out, err) == (2, "", message)


@pytest.mark.usefixtures("files")
def test_topics_on_a_terminal() -> None:
    """A file or a pipe has them as they are."""
    topic = f"q{RED}"
    Path("qrels").write_text(f"{topic} 0 a 1\n")
    Path("a").write_text(f"{topic} Q0 a 1 1.0 t\n")
    given = "eval", "qrels", "a", "CG", "-q", "-n"
    assert run_program(*given)[1] == f"{topic}\tCG\t1.0000\n"
    terminal, its = pty.openpty()
    subprocess.run([COMMAND, *given], stdout=its, check=True)
    assert os.read(terminal, 1000).decode() == f"q{RED_SHOWN}\tCG\t1.0000\r\n"
    os.close(terminal)
    os.close(its)


@pytest.mark.usefixtures("files")
def test_a_warning_is_below_the_progress_bar() -> None:
    Path("a").write_text("q1 Q0 a 1 1.0 t\n")  # it misses a topic
    Path("b").write_text("q1 Q0 a 1 1.0 t\nq2 Q0 a 1 1.0 t\n")
    terminal, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 50, 100, 0, 0))  # rows and columns
    given = ["compare", "qrels", "a", "b", "-m", "CG", "--test", "none"]
    subprocess.run([COMMAND, *given], stdout=its, stderr=its, check=True)
    shown = os.read(terminal, 10_000).decode()
    assert "2/2" in shown
    assert "\r\npt-cumgain: warning: the run 'a' has no" in shown[shown.rindex("2/2") :]
    os.close(terminal)
    os.close(its)


@pytest.mark.usefixtures("files")
def test_messages(capsys) -> None:
    """Of topics, of files and of arguments; a line that is forged is none."""
    run = called(f"{RED}\npt-cumgain: all is well")
    Path("qrels").write_text(f"q{RED} 0 a 1\n")
    shown = rf"{RED_SHOWN}\npt-cumgain: all is well"
    assert refuse(capsys, "eval", "qrels", run, "CG", code=1) == (
        f"the run {shown} and the qrels qrels have no topic in common (run: q1, q2; qrels: "
        f"q{RED_SHOWN})"
    )
    Path("qrels").write_text(QRELS + "q3 0 a 1\n")
    warning = f"pt-cumgain: warning: the run '{shown}' has no documents for 1 of the 3 topics of "
    assert (
        run_cli(capsys, "eval", "qrels", run, "CG")[2] == f"{warning}the qrels; each counts as 0\n"
    )
    for wrong in (["eval", "qrels", run, "CG", f"--{RED}"], [RED]):
        with pytest.raises(SystemExit):
            run_cli(capsys, *wrong)
        err = capsys.readouterr().err
        assert "\x1b" not in err
        assert "x1b[31m" in err


@pytest.mark.usefixtures("files")
def test_names_of_runs(capsys) -> None:
    """In every format, and as a baseline."""
    run = called(f"r{RED}\n.res")
    shown = rf"r{RED_SHOWN}\n"
    given = "compare", "qrels", "a", run, "-m", "CG@2", "--baseline", f"r{RED}\n", "--test", "t"
    for name in ("text", "markdown", "latex", "html"):
        code, out, _ = run_cli(capsys, *given, "--format", name, "--places", "1")
        assert code == 0
        assert not re.search("[\x1b\u202e]", out)
    out = run_cli(capsys, *given)[1]
    assert f"\n{shown}  3.000•" in out
    assert f"\na - {shown}  0.000" in out
    assert run_cli(capsys, *given, "--csv", "-")[1].splitlines()[2].split(",")[1] == shown
    out = run_cli(capsys, "curves", "qrels", run, "-m", "CG", "-d", "1", "--csv", "-")[1]
    assert out.splitlines()[1].split(",")[0] == shown


@pytest.mark.usefixtures("files")
def test_names_in_csv_are_no_formulas(capsys) -> None:
    """OWASP, "CSV Injection": an apostrophe before = + @, and - where no number follows."""
    names = {"=cmd()": "'=cmd()", "+x": "'+x", "@x": "'@x", "-x": "'-x", "-1.5": "-1.5", "x=": "x="}
    runs = [f"{name}=a" for name in names]
    for command in (
        ["compare", "-m", "CG@1", "--test", "none"],
        ["curves", "-m", "CG", "-d", "1"],
        ["dominance", "-m", "CG@1"],
    ):
        printed = run_cli(capsys, *command, "--csv", "-", "--", "qrels", *runs)[1]
        run_cli(capsys, *command, "--csv", "table.csv", "--", "qrels", *runs)
        assert Path("table.csv").read_text() == printed
        table = pd.read_csv(io.StringIO(printed), dtype={"name": str})
        assert {*table["name"], *table.get("other", [])} == set(names.values())
        (value,) = {"mean", "value", "difference"} & set(table)
        assert pd.api.types.is_numeric_dtype(table[value])
    dataset = ["--dataset", f"={RED}", "qrels", "a"]
    other = ["--dataset", "d", "qrels", "a"]
    given = ["compare", *dataset, *other, "-m", "CG@1", "--test", "none"]
    assert RED_SHOWN in run_cli(capsys, *given)[1]
    table = pd.read_csv(io.StringIO(run_cli(capsys, *given, "--csv", "-")[1]))
    assert table["dataset"].tolist() == [f"'={RED_SHOWN}", "d", "mean"]


def test_numbers_in_csv_stay_as_they_are(capsys) -> None:
    """Expected: what pandas writes."""
    frame = pd.DataFrame(
        {"x": [-0.1, 1e-300, float("nan")], "n": [-1, 2, 3], "b": [True, False, True]}
    )
    frame = frame.assign(name=pd.Categorical(["a", "b", "a"]), none=[None, "c", -2.5])
    write_csv("-", frame)
    assert capsys.readouterr().out == frame.to_csv(index=False)


@pytest.mark.usefixtures("files")
def test_names_that_are_not_utf_8(capsys) -> None:
    run = called(os.fsdecode(b"r\xe9.res"))
    shown = r"r\xe9"
    assert run_cli(capsys, "eval", "qrels", run, "CG@2")[:2] == (0, "CG@2\t3.0000\n")
    out = run_cli(capsys, "compare", "qrels", run, "a", "-m", "CG@2", "--test", "none")[1]
    assert out.splitlines()[1].split() == [shown, "3.000•"]
    out = run_cli(capsys, "curves", "qrels", run, "-m", "CG", "-d", "1", "--csv", "-")[1]
    assert out.splitlines()[1] == rf"{shown},CG,1,0.5,2.5,2"
    page = os.fsdecode(b"\xe9.html")
    wanted = "report", "qrels", run, "a", "-b", os.fsdecode(b"r\xe9"), "-o", page
    code, out, err = run_cli(capsys, *wanted, "--title", os.fsdecode(b"\xe9"))
    assert (code, out, err) == (0, "written: \\xe9.html\n", "")
    text = Path(page).read_text("utf-8")
    assert r'"names":["r\\xe9","a"]' in text
    assert r"<title>\xe9</title>" in text
    Path(run).write_text("q1 Q0\n")
    for command in (["eval", "CG"], ["report", "-o", page], ["compare", "-m", "CG"]):
        message = refuse(capsys, command[0], "qrels", run, *command[1:])
        assert message.startswith(rf"{shown}.res, line 1: 2 fields, expected 6")


@pytest.mark.usefixtures("files")
def test_parquet_files_whose_names_are_not_utf_8(capsys) -> None:
    """pyarrow does not open them."""
    run = called(os.fsdecode(b"r\xe9.parquet"))
    message = r"r\xe9.parquet: Parquet files can be read only if their names are UTF-8; rename it"
    for command in (["eval", "CG"], ["report", "-o", "a.html"], ["compare", "-m", "CG"]):
        assert refuse(capsys, command[0], "qrels", run, *command[1:]) == message


def test_the_marks_follow_the_output(monkeypatch) -> None:
    """A stream in memory has no encoding."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert replace_signs("‡") == "‡"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1"))
    assert replace_signs("‡") == "++"
