"""`pt-cumgain dominance`, and `compare --dominance`: sentences, tables, maps; what is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_cumgain import cli, describe, dominance, nDCG, pydocs
from tests.support.helpers import refuse, run_cli, run_files

RUNS = run_files("bm25", "dph", "pl2")
LINES = [
    "nDCG@10: bm25 is better than dph under every weighting of the levels (by 0.016 to 0.042)",
    "nDCG@10: bm25 is better than pl2 under every weighting of the levels (by 0.015 to 0.039)",
    "nDCG@10: dph and pl2: it depends; dph is better under 0-1-1-1 (by 0.006), worse under 0-0-0-1 "
    "(by 0.003)",
]


def systems() -> dict[str, pd.DataFrame]:
    return {"bm25": pydocs.runs()["BM25"], "dph": pydocs.runs()["DPH"], "pl2": pydocs.runs()["PL2"]}


def test_a_line_for_each_pair(capsys, tmp_path, qrels) -> None:
    """Expected: the frame of `dominance`, whose ends the lines round."""
    csv = tmp_path / "pairs.csv"
    code, out, _ = run_cli(capsys, "dominance", "pydocs", *RUNS, "-m", "nDCG@10", "--csv", str(csv))
    assert (code, out.splitlines()) == (0, LINES)
    frame = dominance(systems(), None, qrels, nDCG @ 10)
    pd.testing.assert_frame_equal(pd.read_csv(csv, keep_default_na=False), frame)
    assert frame["low"][0] == pytest.approx(0.016, abs=5e-4)
    assert frame["high"][0] == pytest.approx(0.042, abs=5e-4)
    _, out, _ = run_cli(
        capsys, "dominance", "pydocs", *RUNS, "-m", "nDCG@10", "--baseline", "bm25", "-p", "1"
    )
    assert out.splitlines()[0].startswith("nDCG@10: dph") or "bm25 is better than dph" in out
    assert out.splitlines()[0].endswith("(by 0.0)")


@pytest.mark.usefixtures("figures")
def test_the_map_is_drawn(capsys, tmp_path) -> None:
    picture = tmp_path / "map.pdf"
    code = cli.main(["dominance", "pydocs", *RUNS, "-m", "nDCG@10 CG@5", "-o", str(picture)])
    assert code == 0
    assert picture.read_bytes().startswith(b"%PDF")
    assert f"written: {picture}" in capsys.readouterr().err


def test_lines_below_the_table_of_compare(capsys) -> None:
    options = ["pydocs", *RUNS, "-m", "nDCG@10", "-m", "AP", "--test", "none"]
    _, plain, _ = run_cli(capsys, "compare", *options)
    _, out, _ = run_cli(capsys, "compare", *options, "--dominance")
    added = [line for line in out.splitlines() if line not in plain.splitlines()]
    assert " ".join(added) == " ".join(LINES)  # lines are broken at the width of the table
    message = refuse(capsys, "compare", *options, "--dominance", "--missed", "skip")
    assert "--dominance compares runs on all topics; leave --missed skip out" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "AP"], "AP has no range; CG, DCG, nCG, nDCG, gP, gR, sDCG, nsDCG do"),
        (["-m", "sDCG@10", "--over", "discount"], "sDCG@10 has no range; DCG and nDCG do"),
        (["-m", "nDCG@10", "-o", "map.txt"], "map.txt must end in one of .pdf, .png, .svg"),
        (["-m", "nDCG@10", "-o", "a.pdf", "--over", "both"], "leave --over both out"),
        (["-m", "nDCG@10", "--baseline", "x"], "baseline='x' is not one of the systems"),
        (["-m", "nDCG@10", "-p", "-1"], "--places (-p) must be from 0 to"),
        (["-m", "nDCG", "--over", "discount"], "it needs a cutoff, such as @10"),
    ],
)
def test_what_the_command_refuses(arguments, message: str, capsys) -> None:
    assert message in refuse(capsys, "dominance", "pydocs", *RUNS, *arguments)


def frame_of(over: str, *rows: tuple) -> pd.DataFrame:
    columns = ["measure", "name", "other", "difference", "low", "high", "exact", "order", "better",
               "low_at", "high_at"]  # fmt: skip
    frame = pd.DataFrame([("DCG@2", "A", "B", 0.0, *row) for row in rows], columns=columns)
    frame.attrs["over"] = over
    return frame


@pytest.mark.parametrize(
    ("over", "row", "words"),
    [
        ("gains", (-0.25, -0.125, True, "holds", "B", "x", "y"),
         "B is better than A under every weighting of the levels (by 0.125 to 0.250)"),
        ("discount", (0.0, 0.5, True, "holds", "A", "x", "y"),
         "A is never worse than B under every discount (better by up to 0.500)"),
        ("both", (0.0, 0.0, True, "holds", "", "x", "y"),
         "A and B are equal under every weighting of the levels with every discount"),
        ("judgments", (-0.25, 0.5, True, "depends", "", "", ""),
         "A and B: it depends; A may be better by 0.500, or worse by 0.250"),
        ("judgments", (0.5, 0.5, True, "holds", "A", "", ""),
         "A is better than B under every judgment of the unjudged documents (by 0.500)"),
        ("discount", (-0.25, 0.5, False, "open", "", "x", "y"),
         "A and B: not decided under every discount; the difference is from -0.250 to 0.500"),
    ],
)  # fmt: skip
def test_the_words_for_each_order(over: str, row: tuple, words: str) -> None:
    frame = frame_of(over, row)
    text = describe(frame).text
    assert f"DCG@2: {words}. Every" in text
    assert text.startswith(describe("DCG@2").text)


def test_many_comparisons_are_counted() -> None:
    holds = (0.1, 0.2, True, "holds", "A", "x", "y")
    text = describe(frame_of("gains", holds, holds, holds, (-1, 1, True, "depends", "", "x", "y")))
    assert (
        "Comparisons that hold under every weighting of the levels: 3 of 4; that depend on the "
        "choice: 1; undecided: 0. Every weighting means each that never" in text.text
    )


def test_a_frame_that_has_lost_what_was_chosen() -> None:
    frame = frame_of("gains", (0.1, 0.2, True, "holds", "A", "x", "y"))
    frame.attrs.clear()
    with pytest.raises(ValueError, match="the frame does not say what was chosen"):
        describe(frame)
