"""`pt-cumgain curves`: pictures and tables of curves; what is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_cumgain import CG, cli, gain_curves, nDCG, pydocs
from tests.helpers import run_files

pytestmark = pytest.mark.usefixtures("figures")
RUNS = run_files("bm25", "first-word")


@pytest.mark.parametrize(
    ("name", "head"), [("a.pdf", b"%PDF"), ("a.png", b"\x89PNG"), ("a.svg", b"<?xml")]
)
def test_the_command_draws(name: str, head: bytes, tmp_path, capsys, qrels) -> None:
    csv = tmp_path / "curves.csv"
    picture = tmp_path / name
    code = cli.main(
        ["curves", "pydocs", *RUNS, "--measure", "CG", "-m", "nDCG(gains='0-1-10-100')", "--depth",
         "20", "-o", str(picture), "--csv", str(csv), "--log-rank"]
    )  # fmt: skip
    assert code == 0
    assert picture.read_bytes().startswith(head)
    assert f"written: {picture}, {csv}" in capsys.readouterr().out
    table = pd.read_csv(csv)
    runs = {"bm25": pydocs.runs()["BM25"], "first-word": pydocs.runs()["First word"]}
    expected = gain_curves(runs, None, qrels, [CG, nDCG(gains="0-1-10-100")], 20)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_the_command_draws_sessions(tmp_path) -> None:
    qrels = tmp_path / "qrels"
    frame = pydocs.session_qrels().assign(iteration=0)[["qid", "iteration", "docno", "label"]]
    frame.to_csv(qrels, sep=" ", header=False, index=False)
    run = str(pydocs.DATA / "session_runs" / "bm25.res.gz")
    csv = tmp_path / "curves.csv"
    arguments = ["curves", str(qrels), run, "-m", "sDCG nsDCG@5", "--csv", str(csv)]
    assert cli.main([*arguments, "-o", str(tmp_path / "a.png")]) == 0
    assert pd.read_csv(csv)["measure"].unique().tolist() == ["nsDCG@5", "sDCG@10"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "CG"], "give --output (-o) for a picture, --csv for the table, or both"),
        (["-m", "CG", "-d", "0", "-o", "a.pdf"], "depth=0 must be a whole number of at least 1"),
        (
            ["-m", "AP", "-o", "a.pdf"],
            "AP has no curve by rank; these have one: CG, DCG, nCG, nDCG",
        ),
        (
            ["-m", "CG", "-m", "sDCG", "-o", "a.pdf"],
            "draw session measures and others in two calls",
        ),
        (["-m", "sDCG", "-o", "a.pdf"], "query_position"),
        (["-m", "CG", "-o", "missing/a.pdf"], "missing/a.pdf"),
        (["-m", "CG", "-o", "a.xyz"], "--output a.xyz must end in one of .pdf, .png, .svg"),
        (["-m", "CG", "-o", "a"], "--output a must end in one of .pdf, .png, .svg"),
        (
            ["-m", "CG", "--csv", "missing/a.csv"],
            "missing/a.csv cannot be written: there is no",
        ),
        (["-m", "sDCG", "-d", "5", "-o", "a.pdf"], "--depth and --log-rank are not for sessions"),
        (["-m", "XG", "-o", "a.pdf"], "unknown measure 'XG'"),
        ([RUNS[0], "-m", "CG", "-o", "a.pdf"], "two runs are called 'bm25'; rename a file"),
        (["nothing", "-m", "CG", "-o", "a.pdf"], "no such run file: 'nothing'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["curves", "pydocs", *RUNS, *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain curves: error: " in error
    assert message in error
    assert not list(tmp_path.iterdir())
