"""`pt-cumgain demo`, with and without the engine that indexes."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import CG, cli, paper_table, pydocs
from pt_cumgain.cli import demonstration as demo
from pt_cumgain.plots import name_measures
from tests.support.helpers import experiment, hide, refuse, run_cli

HAS_PISA = importlib.util.find_spec("pyterrier_pisa") is not None
SYSTEMS = ["BM25", "QLD", "PL2", "DPH", "First word"]


def check(out: Path, printed: str) -> None:
    means = pd.read_csv(out / "table.csv", index_col="measure")
    assert means.columns.tolist() == SYSTEMS
    assert means.index.tolist() == [str(m) for m in demo.MEASURES]
    by_topic = paper_table(out / "experiment.csv", measures=demo.MEASURES, test=None)
    pd.testing.assert_frame_equal(by_topic.means[SYSTEMS], means, check_names=False)
    # the weak system is the worst one everywhere
    assert (means["First word"] == means.min(axis=1)).all()
    assert "differs significantly, p < 0.05; ‡: p < 0.01; ↓: worse (paired t" in printed
    best = f"{means.loc['CG@10'].max():.3f}•"
    assert all(text in printed for text in (*SYSTEMS, *name_measures(demo.MEASURES).values(), best))
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    page = (out / "report.html").read_text("utf-8")
    assert all(f'"{name}"' in page for name in SYSTEMS)
    opens = f"To open the page: python -m webbrowser {(out / 'report.html').as_uri()}"
    assert printed.splitlines()[-1] == opens
    assert "Judged down to rank 100: " in printed


@pytest.mark.end_to_end
@pytest.mark.skipif(not HAS_PISA, reason="pyterrier-pisa has no wheel for this platform")
def test_it_indexes_retrieves_and_is_quiet(tmp_path) -> None:
    command = Path(sys.executable).with_name("pt-cumgain")
    done = subprocess.run(
        [str(command), "demo", "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    check(tmp_path, done.stdout)
    means = pd.read_csv(tmp_path / "table.csv", index_col="measure")
    shipped = experiment([CG @ 10]).set_index("name")["CG@10"]  # the systems are the same
    assert means.loc["CG@10"].to_dict() == pytest.approx(shipped.to_dict())
    assert "documents indexed, 42 topics" in done.stdout
    assert "[info]" not in done.stdout + done.stderr  # no engine log noise
    assert done.stderr == ""  # nor a progress bar, in a pipe


@pytest.mark.end_to_end
def test_without_the_engine_it_evaluates_the_shipped_runs(tmp_path, capsys, monkeypatch) -> None:
    hide("pyterrier_pisa", monkeypatch)
    assert cli.main(["demo", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "evaluating the runs that come with the package" in printed
    check(tmp_path, printed)


def test_the_files_that_the_manual_names(tmp_path, capsys, monkeypatch) -> None:
    """Without the extra; expected: the collection's own files, and its session qrels as TREC's."""
    monkeypatch.chdir(tmp_path)
    for package in ("matplotlib", "scipy"):
        hide(package, monkeypatch)
    for _ in range(2):  # the same content may be there already
        code, printed, _ = run_cli(capsys, "demo", "--files")
        names = printed.removeprefix("written: ").rstrip().split(", ")
        assert code == 0
        assert set(names) == {path.name for path in tmp_path.iterdir()}
    kept = [pydocs.DATA / "qrels.txt", *(pydocs.DATA / "runs").iterdir()]
    for path in [*kept, pydocs.DATA / "session_runs" / "bm25-earlier.res.gz"]:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
        names.remove(path.name)
    assert names == ["session_qrels.txt"]
    columns = ["qid", "docno", "label"]
    judged = pt.io.read_qrels("session_qrels.txt")[columns]
    assert judged.to_numpy().tolist() == pydocs.session_qrels()[columns].to_numpy().tolist()
    (tmp_path / "dph.res.gz").write_text("mine")
    (tmp_path / "qrels.txt").unlink()
    message = refuse(capsys, "demo", "--files")
    assert message == "dph.res.gz has other content; move it, or choose a folder by --output"
    assert (tmp_path / "dph.res.gz").read_text() == "mine"
    assert not (tmp_path / "qrels.txt").exists()
    (tmp_path / "new").mkdir()
    assert run_cli(capsys, "demo", "--files", "-o", "new")[0] == 0
    assert (tmp_path / "new" / "qrels.txt").exists()


def test_a_folder_that_cannot_be_created(tmp_path, capsys) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder, reason in ((file / "sub", "Not a directory"), (file, "File exists")):
        message = f"pt-cumgain: error: {folder} cannot be written: {reason}\n"
        assert run_cli(capsys, "demo", "--output", str(folder)) == (1, "", message)
