"""`pt-cumgain dominance`: tables, maps."""

import re
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from pt_cumgain import CG, cli, dominance, nDCG, pydocs
from pt_cumgain.trust._range_tables import tabulate_comparisons
from tests.support.helpers import run_cli, run_files

RUNS = run_files("bm25", "dph", "pl2")


def systems() -> dict[str, pd.DataFrame]:
    return {"bm25": pydocs.runs()["BM25"], "dph": pydocs.runs()["DPH"], "pl2": pydocs.runs()["PL2"]}


@pytest.mark.slow
@pytest.mark.usefixtures("figures")
def test_the_map_is_drawn(capsys, tmp_path) -> None:
    picture = tmp_path / "map.pdf"
    code = cli.main(["dominance", "pydocs", *RUNS, "-m", "nDCG@10 CG@5", "-o", str(picture)])
    assert code == 0
    assert picture.read_bytes().startswith(b"%PDF")
    assert f"written: {picture}" in capsys.readouterr().err


def test_a_table_has_what_depends_on_the_choice_first(capsys, qrels) -> None:
    """Expected: the frame of `dominance`, its ends rounded outwards; a table for each measure."""
    other = "nDCG(gains='0-1-10-100')@10"
    options = ["pydocs", *RUNS, "-m", "nDCG@10", "-m", other, "--all"]
    _, out, _ = run_cli(capsys, "dominance", *options)
    head, *lines = out.splitlines()
    assert lines[4].split()[0] == other
    columns = ["nDCG@10 difference", "verdict (depends: least at, most at)"]
    assert re.split(" {2,}", head.strip()) == columns
    frame = dominance(systems(), None, qrels, nDCG @ 10)
    rows = {f"{row.name} - {row.other}": row for row in frame.itertuples(index=False)}
    first, *others = (re.split(" {2,}", line) for line in lines[:3])
    row = rows.pop(first[0])
    assert row.verdict == "depends"
    assert first[2:] == [f"{row.least_at}, {row.most_at}"]
    for pair, numbers, sign in others:
        row = rows.pop(pair)
        assert (row.verdict, sign) == ("holds", ">" if row.better == row.name else "<")
        difference, least, most = map(float, re.findall(r"-?[\d.]+", numbers))
        assert difference == pytest.approx(row.difference, abs=5e-4)
        assert row.least - 1e-3 <= least <= row.least
        assert row.most <= most <= row.most + 1e-3
    assert not rows


def test_what_holds_is_counted_and_what_depends_is_listed(
    capsys, qrels, tmp_path, monkeypatch
) -> None:
    """Expected: the frame of `dominance`, the largest difference first; all lines of two runs."""
    monkeypatch.chdir(tmp_path)
    runs = run_files("bm25", "dph", "pl2", "qld")
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-m", "nDCG@100 CG@10")
    pairs = dominance(systems() | {"qld": runs[3]}, None, qrels, [nDCG @ 100, CG @ 10])
    pairs["row"] = pairs["name"] + " - " + pairs["other"]
    first, second = (part.copy() for _, part in pairs.groupby("measure", sort=False))
    depends = first[first["verdict"] == "depends"].set_index("row")["difference"].round(3).abs()
    text, counted = out.split("\n\n")
    assert "depends: least at, most at\n" in text  # once, and not in each row
    assert text.count("depends") == 1
    lines = text.splitlines()[1 : 1 + len(depends)]
    rows = [re.split(" {2,}", line)[0] for line in lines]
    assert set(rows) == set(depends.index)
    assert depends[rows].is_monotonic_decreasing
    held = "comparisons hold under every weighting of the levels, for these 42 topics (not a test);"
    assert f"{(first['verdict'] == 'holds').sum()} of 6 {held}" in text
    assert (second["verdict"] == "holds").all()
    counted = " ".join(counted.split())
    assert counted.startswith(f"CG@10: 6 of 6 {held} --all lists them. ")
    assert "range of the difference" in counted
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-m", "nDCG@100", "--all")
    assert sum(" - " in line for line in out.splitlines()) == 6
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-m", "CG@10")
    assert len(out.splitlines()) == 2  # there is no range to explain
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "--over", "judgments")
    assert out.splitlines()[0].strip() == "nDCG@10 difference"  # at which judgments is not known
    lines = (pydocs.DATA / "qrels.txt").read_text().splitlines(keepends=True)
    Path("one.txt").write_text("".join(line for line in lines if line.split()[0] == "1"))
    _, out, _ = run_cli(capsys, "dominance", "one.txt", *runs, "-m", "CG@1")
    assert "hold under every weighting of the levels, for this topic (not a test)" in out
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs[:2], "-m", "CG@10")
    assert out.splitlines()[1].split()[-1] in "<>"


def test_the_frame_is_written_as_csv(tmp_path, qrels) -> None:
    csv = tmp_path / "pairs.csv"
    assert cli.main(["dominance", "pydocs", *RUNS, "-m", "nDCG@10", "--csv", str(csv)]) == 0
    frame = dominance(systems(), None, qrels, nDCG @ 10)
    pd.testing.assert_frame_equal(pd.read_csv(csv, keep_default_na=False), frame)


def test_several_baselines(capsys) -> None:
    given = ["dominance", "pydocs", *RUNS, *run_files("qld"), "-b", "bm25", "-b", "dph"]
    _, out, _ = run_cli(capsys, *given, "--csv", "-")
    pairs = {tuple(line.split(",")[1:3]) for line in out.splitlines()[1:]}
    assert pairs == {("dph", "bm25"), *product(["pl2", "qld"], ["bm25", "dph"])}


@pytest.mark.parametrize(
    ("row", "numbers"),
    [
        ((0.0996, 0.2004, "holds", "A"), "0.000 [0.099, 0.201]"),
        ((-0.2004, -0.00019, "holds", "B"), "0.000 [-0.201, -0.0001]"),
        ((-0.2504, 0.4996, "open", ""), "0.000 [-0.251, 0.500]"),
        ((0.3 - 1e-16, 0.5, "holds", "A"), "0.000 [0.300, 0.500]"),
    ],
)
def test_ranges_are_rounded_outwards(row: tuple, numbers: str) -> None:
    columns = ["least", "most", "verdict", "better", "measure", "name", "other", "difference"]
    frame = pd.DataFrame([(*row, "DCG@2", "A", "B", 0.0)], columns=columns)
    (table,) = tabulate_comparisons(frame.assign(least_at="", most_at=""), "gains")
    assert numbers in table.to_text(100)
