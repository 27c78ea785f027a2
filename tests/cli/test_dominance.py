"""`pt-cumgain dominance`: tables, maps."""

import re
from itertools import product

import pandas as pd
import pytest

from pt_cumgain import CG, cli, dominance, nDCG, pydocs
from pt_cumgain.writing.phrases import write_end
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
    assert capsys.readouterr().out.endswith(f"\nwritten: {picture}\n")


def test_a_table_for_each_measure_has_the_columns_of_the_frame(capsys, qrels) -> None:
    """Expected: the frame of `dominance`, its ends rounded outwards."""
    options = ["pydocs", *RUNS, "-m", "nDCG@10", "-m", "CG@5"]
    _, out, _ = run_cli(capsys, "dominance", *options)
    frame = dominance(systems(), None, qrels, [nDCG @ 10, CG @ 5])
    first, second = re.split(r"(?m)^(?=CG@5:)", out)
    assert first.startswith("nDCG@10:\n")
    for text, (_, pairs) in zip((first, second), frame.groupby("measure", sort=False)):
        assert text.splitlines()[1].endswith("verdict better where least where most")
        for line, row in zip(text.splitlines()[2:], pairs.itertuples()):
            name, other, difference, least, most, verdict, *rest = line.split()
            assert (name, other, verdict) == (row.name, row.other, row.verdict)
            assert rest == [*filter(None, [row.better]), row.least_at, row.most_at]
            assert float(difference) == pytest.approx(row.difference, abs=5e-4)
            assert row.least - 1e-3 <= float(least) <= row.least
            assert row.most <= float(most) <= row.most + 1e-3


def test_the_frame_is_written_as_csv(tmp_path, qrels) -> None:
    csv = tmp_path / "pairs.csv"
    assert cli.main(["dominance", "irds:pydocs", *RUNS, "-m", "nDCG@10", "--csv", str(csv)]) == 0
    frame = dominance(systems(), None, qrels, nDCG @ 10)
    pd.testing.assert_frame_equal(pd.read_csv(csv, keep_default_na=False), frame)


def test_several_baselines(capsys) -> None:
    given = ["dominance", "pydocs", *RUNS, *run_files("qld"), "-b", "bm25", "-b", "dph"]
    _, out, _ = run_cli(capsys, *given, "--csv", "-")
    pairs = {tuple(line.split(",")[1:3]) for line in out.splitlines()[1:]}
    assert pairs == {("dph", "bm25"), *product(["pl2", "qld"], ["bm25", "dph"])}


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (0.0996, 0.2004, "0.099 0.201"),
        (-0.2004, -0.00019, "-0.201 -0.0001"),
        (-0.2504, 0.4996, "-0.251 0.500"),
        (0.3 - 1e-16, 0.5, "0.300 0.500"),
    ],
)
def test_ranges_are_rounded_outwards(least: float, most: float, text: str) -> None:
    assert f"{write_end(least, 3, 1)} {write_end(most, 3, -1)}" == text
