"""What is printed: no name controls a terminal, and no encoding or reader makes it fail."""

import io
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain import describe, gain_curves, grid
from pt_cumgain.cli.outputs import write_csv
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import checked
from pt_cumgain.writing.rendering import escape_latex
from tests.support.helpers import QRELS, RUN, refuse, run_cli

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


def called(name: str, content: str = RUN) -> str:
    """Make a run that is called so, which not every file system allows."""
    try:
        Path(name).write_text(content)
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


def test_names_in_sentences_warnings_and_errors_are_escaped() -> None:
    text = str(describe(grid("nDCG", gains={RED: "0-1-1", "b": "0-1-9"}, cutoffs=5)))
    assert RED not in text
    assert RED_SHOWN in text
    runs = {RED: {"1": {"x": 1.0}}, "b": {"1": {"a": 1.0}}}
    with pytest.warns(UserWarning, match=re.escape(f"{RED_SHOWN}: none of its documents")):
        gain_curves(runs, None, {"1": {"a": 1}}, "CG", 1)
    runs[RED]["1"]["x"] = float("nan")
    with pytest.raises(ValueError, match=rf"^{re.escape(RED_SHOWN)}: a score is NaN: row 0"):
        gain_curves(runs, None, {"1": {"a": 1}}, "CG", 1)
    assert escape_latex("a\x00\x1b[31m\u202eb\tc\x7f\x9b") == "a{[}31mb c"


def test_an_error_of_others_keeps_its_words() -> None:
    """A user's function may raise any."""

    @checked
    def fail() -> None:
        raise ValueError("a\x1b\tb" * 9999)

    with pytest.raises(ValueError, match="a") as caught:
        fail()
    assert caught.value.args == ("a\x1b\tb" * 9999,)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_what_is_read_stays(text: str) -> None:
    assert escape_controls(text) == text


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_signs_that_an_encoding_lacks() -> None:
    command = [COMMAND, "compare", "qrels", "a", "b", "-m", "CG@2", "--test", "none"]
    encoding = {**os.environ, "PYTHONIOENCODING": "ascii"}
    printed = subprocess.check_output(command, text=True, env=encoding)
    assert re.findall(r"3\.000\S*", printed) == [r"3.000\u2022"] * 2


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("arguments", ["eval qrels a CG -q", "--help"])
def test_a_reader_that_goes_away(arguments: str) -> None:
    """As `| head -1` does: no word, and no traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [COMMAND, *arguments.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr == ""
    # of help, newer Pythons' argparse tells nobody
    assert done.returncode in ([0, 1] if arguments == "--help" else [1])


@pytest.mark.usefixtures("files")
def test_topics_on_a_terminal() -> None:
    """A file or a pipe has them as they are."""
    topic = f"q{RED}"
    Path("qrels").write_text(f"{topic} 0 a 1\n")
    Path("a").write_text(f"{topic} Q0 a 1 1.0 t\n")
    given = [COMMAND, "eval", "qrels", "a", "CG", "-q", "-n"]
    assert subprocess.check_output(given, text=True) == f"{topic}\tCG\t1.0000\n"
    terminal, its = pty.openpty()
    subprocess.run(given, stdout=its, check=True)
    os.close(its)
    with open(terminal, "rb", buffering=0) as shown:
        assert shown.readline().decode() == f"q{RED_SHOWN}\tCG\t1.0000\r\n"


@pytest.mark.usefixtures("files")
def test_messages(capsys) -> None:
    """Of topics and of files; a line that is forged is none."""
    run = called(f"{RED}\npt-cumgain: all is well")
    shown = rf"{RED_SHOWN}\npt-cumgain: all is well"
    Path("qrels").write_text(QRELS + "q3 0 a 1\n")
    warning = run_cli(capsys, "eval", "qrels", run, "CG")[2]
    assert warning.count("\n") == 1
    assert repr(shown) in warning
    Path("qrels").write_text(f"q{RED} 0 a 1\n")
    message = refuse(capsys, "eval", "qrels", run, "CG", code=1)
    assert shown in message
    assert f"q{RED_SHOWN}" in message


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_names_of_runs(capsys) -> None:
    """As a baseline, in CSV and in the name of a page, also of names that are not UTF-8.

    `test_no_name_controls_a_terminal` has the other formats.
    """
    for name, shown in ((f"r{RED}\n", rf"r{RED_SHOWN}\n"), (os.fsdecode(b"r\xe9"), r"r\udce9")):
        run, options = called(f"{name}.res"), ("-m", "CG@2", "--baseline", name, "--test", "t")
        out = run_cli(capsys, "compare", "qrels", "a", run, *options)[1]
        assert f"\n{shown}  3.000•" in out
        out = run_cli(capsys, "compare", "qrels", "a", run, *options, "--csv", "-")[1]
        assert out.splitlines()[2].split(",")[1] == shown
    page, title = os.fsdecode(b"\xe9.html"), os.fsdecode(b"\xe9")
    given = "report", "qrels", run, "a", "-b", name, "-o", page, "--title", title
    assert run_cli(capsys, *given) == (0, "written: \\udce9.html\n", "")
    assert r"<title>\udce9</title>" in Path(page).read_text("utf-8")
    parquet = called(f"{name}.parquet")  # which pyarrow does not open
    assert refuse(capsys, "eval", "qrels", parquet, "CG").startswith(rf"{shown}.parquet: ")


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_names_in_csv_are_no_formulas(capsys) -> None:
    """OWASP, "CSV Injection": an apostrophe before = + @, and - where no number follows."""
    names = {"=cmd()": "'=cmd()", "+x": "'+x", "@x": "'@x", "-x": "'-x", "-1.5": "-1.5", "x=": "x="}
    runs = [f"{name}=a" for name in names]
    for command in ("compare -m CG@1 --test none", "curves -m CG -d 1", "dominance -m CG@1"):
        printed = run_cli(capsys, *command.split(), "--csv", "-", "--", "qrels", *runs)[1]
        table = pd.read_csv(io.StringIO(printed), dtype={"name": str})
        assert {*table["name"], *table.get("other", [])} == set(names.values())


def test_numbers_in_csv_stay_as_they_are(tmp_path, capsys) -> None:
    """Expected: what pandas writes."""
    frame = pd.DataFrame(
        {"x": [-0.1, 1e-300, float("nan")], "n": [-1, 2, 3], "b": [True, False, True]}
    )
    frame = frame.assign(name=pd.Categorical(["a", "b", "a"]), none=[None, "c", -2.5])
    write_csv("-", frame)
    assert capsys.readouterr().out == frame.to_csv(index=False)
    write_csv(str(tmp_path / "table.csv"), frame)
    assert (tmp_path / "table.csv").read_text() == frame.to_csv(index=False)
