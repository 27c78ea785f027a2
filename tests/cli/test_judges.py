"""`pt-cumgain judges`: the sentences of the library, for qrels and runs in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import evaluate, pydocs
from pt_cumgain.inputs.formats import trec
from pt_cumgain.judges import compare_judges, judge_agreement, rectify
from pt_cumgain.presentation.judge_sentences import describe_judges
from tests.support.helpers import refuse, run_cli, run_files

RUNS = run_files("bm25", "dph", "pl2")
SYSTEMS = dict(zip(("bm25", "dph", "pl2"), RUNS))


@pytest.fixture
def judges(tmp_path: Path) -> dict[str, str]:
    """People for every third topic, and a judge that gives other labels, for all."""
    qrels = trec.read_qrels(pydocs.DATA / "qrels.txt")
    slips = np.random.default_rng(1).integers(-1, 2, len(qrels))
    frames = {
        "people": qrels[qrels["query_id"].astype(int) % 3 == 0],
        "model": qrels.assign(relevance=(qrels["relevance"] + slips).clip(0, 3)),
    }
    for name, frame in frames.items():
        rows = frame.assign(iteration=0)[["query_id", "iteration", "doc_id", "relevance"]]
        rows.to_csv(tmp_path / f"{name}.qrels", sep=" ", header=False, index=False)
    return {name: str(tmp_path / f"{name}.qrels") for name in frames}


def sections(out: str) -> dict[str, str]:
    """The text below each heading, its lines joined."""
    found: dict[str, str] = {}
    for line in out.splitlines():
        if line.endswith(":") and not line.startswith((" ", "-")):
            heading = line
            found[heading] = ""
        else:
            found[heading] += f" {line.removeprefix('- ').strip()}"
    return {heading: text.strip() for heading, text in found.items()}


def test_labels_conclusions_and_rectified_differences(capsys, judges) -> None:
    """Expected: the functions of the library on the same files."""
    options = ["--run", *RUNS, "-m", "nDCG@10", "--baseline", "bm25", "--confidence", "0.9"]
    options += ["--sentences", "-p", "4"]
    code, out, err = run_cli(capsys, "judges", *judges.values(), *options)
    assert (code, err) == (0, "")
    results = pd.concat(
        evaluate("nDCG@10", qrels, run).assign(name=name, judge=judge)
        for judge, qrels in judges.items()
        for name, run in SYSTEMS.items()
    )
    chosen = {"baseline": "bm25", "confidence": 0.9}
    expected = {
        "Labels:": judge_agreement(judges, confidence=0.9),
        "Conclusions:": compare_judges(results, "people", **chosen),
        "Rectified differences:": rectify(results, "people", **chosen),
    }
    assert sections(out) == {
        heading: " ".join(describe_judges(found, 4)) for heading, found in expected.items()
    }
    assert max(map(len, out.splitlines())) <= 100


def test_names_are_those_of_the_arguments(capsys, judges) -> None:
    code, out, _ = run_cli(
        capsys, "judges", f"us={judges['people']}", judges["model"], "--run", *RUNS[:2],
        "-m", "nDCG@10", "-m", "AP", "--correction", "none",
    )  # fmt: skip
    assert code == 0
    assert "Labels beside those of us:" in out
    assert "\nAP: bm25 - dph  " in out
    assert "uncorrected" in out


def test_without_runs_there_are_labels_only(capsys, judges) -> None:
    code, out, _ = run_cli(capsys, "judges", *judges.values())
    assert (code, list(sections(out))) == (0, ["Labels:"])


def test_judges_of_the_same_topics_have_nothing_to_rectify(capsys, judges) -> None:
    given = [f"a={judges['model']}", f"b={judges['model']}", "--run", *RUNS[:2], "-m", "nDCG@10"]
    code, out, _ = run_cli(capsys, "judges", *given)
    assert (code, list(sections(out))) == (0, ["Labels:", "Conclusions:"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "agreement needs two judges or more, not ['people']"),
        (["nowhere"], "no qrels 'nowhere': neither a file nor an ir_datasets id"),
        (["{people}"], "two judges are called 'people'; rename a file, or give NAME=path"),
        (["{model}", "-m", "nDCG@10"], "--measure (-m) needs --run; without both, labels alone"),
        (["{model}", "--run", RUNS[0], "-m", "nDCG@10"], "there is nothing to compare"),
        (["{model}", "-p", "-1"], "--places (-p) must be from 0 to"),
        (
            ["{model}", "--run", *RUNS, "-m", "nDCG@10", "--baseline", "no"],
            "baseline='no' is not one of the systems",
        ),
    ],
)
def test_unusable_arguments_are_refused(capsys, judges, options, message) -> None:
    given = [option.format(**judges) for option in options]
    assert message in refuse(capsys, "judges", judges["people"], *given)


def test_runs_without_a_measure_are_compared_by_the_default(judges, capsys) -> None:
    """As in the other commands: nDCG@10."""
    arguments = ["judges", *judges.values(), "--run", *RUNS]
    said = [run_cli(capsys, *arguments, *more) for more in ([], ["-m", "nDCG@10"])]
    assert said[0] == said[1]
    assert said[0][0] == 0
