"""`pt-cumgain curves`: pictures and tables of curves."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pt_cumgain import CG, cli, gain_curves, nDCG, pydocs
from tests.support.helpers import refuse, run_files, slow
from tests.support.trec import read_run

pytestmark = pytest.mark.usefixtures("figures")
RUNS = run_files("bm25", "first-word")


@pytest.mark.parametrize(
    ("name", "head"), [("a.pdf", b"%PDF"), *slow(("a.png", b"\x89PNG"), ("a.svg", b"<?xml"))]
)
def test_the_command_draws(name: str, head: bytes, tmp_path, capsys, qrels) -> None:
    csv = tmp_path / "curves.csv"
    picture = tmp_path / name
    code = cli.main(
        ["curves", "pydocs", *RUNS, "--measure", "CG", "-m", "nDCG(gains='0-1-10-100')", "--depth",
         "20", "-o", str(picture), "--csv", str(csv)]
    )  # fmt: skip
    assert code == 0
    assert picture.read_bytes().startswith(head)
    assert f"written: {picture}, {csv}" in capsys.readouterr().out
    table = pd.read_csv(csv)
    runs = {"bm25": pydocs.runs()["BM25"], "first-word": pydocs.runs()["First word"]}
    expected = gain_curves(runs, None, qrels, [CG, nDCG(gains="0-1-10-100")], 20)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_the_table_on_standard_output(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["curves", "pydocs", RUNS[0], "-m", "CG", "-d", "3", "--csv"]
    assert cli.main([*command, "table.csv"]) == 0
    assert capsys.readouterr().out == "written: table.csv\n"
    table = (tmp_path / "table.csv").read_text()
    assert cli.main([*command, "-"]) == 0
    assert capsys.readouterr() == (table, "")
    assert cli.main([*command, "-", "-o", "a.png"]) == 0
    assert capsys.readouterr() == (table, "written: a.png\n")
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "a.png"}


def test_what_is_read_is_not_written_over(tmp_path, capsys) -> None:
    qrels, run, folder = tmp_path / "qrels", tmp_path / "run.png", tmp_path / "folder"
    page = tmp_path / "run.html"
    folder.mkdir()
    qrels.write_text("1 0 a 1\n")
    for path in (run, page):
        path.write_text("1 Q0 a 1 1.0 t\n")
    read_run(run).to_parquet(folder / "part.parquet")
    (tmp_path / "link").symlink_to(qrels)
    content = {path: path.read_bytes() for path in (qrels, run, page, folder / "part.parquet")}
    given = [str(qrels), f"x={run}", str(folder)]
    for command in (
        ["curves", *given, "--csv", str(qrels)],
        ["curves", *given, "--csv", str(tmp_path / "link")],
        ["curves", *given, "--csv", str(folder / ".." / "run.png")],
        ["curves", *given, "-o", str(run)],
        ["compare", *given, "--csv", str(run)],
        ["report", *given, f"y={page}", "-o", str(page)],
    ):
        assert "is an input; writing to it would destroy it" in refuse(capsys, *command)
    twice = str(tmp_path / "new.pdf")
    message = refuse(capsys, "curves", *given, "-o", twice, "--csv", twice)
    assert message == f"--output and --csv are the same file, {twice}"
    message = refuse(capsys, "curves", *given, "--csv", str(folder / "new.csv"))
    assert message.endswith(f"would be part of the run {folder}; write to another folder")
    assert content == {path: path.read_bytes() for path in content}
    assert len(list(folder.iterdir())) == 1


@pytest.mark.end_to_end
@pytest.mark.parametrize("output", [["-o", "a.pdf"], ["--csv", "a.csv"]])
def test_no_room_for_the_file(output: list[str], tmp_path) -> None:
    """The limit stands for a full disk. What was there stays, and nothing is added."""
    (tmp_path / output[1]).write_text("before")
    command = [Path(sys.executable).with_name("pt-cumgain"), "curves", "pydocs", RUNS[0]]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 1; "$@"', "-", *command, "-m", "CG", *output],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    message = f"pt-cumgain: error: {output[1]} cannot be written: File too large\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
