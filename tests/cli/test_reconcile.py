"""`pt-cumgain reconcile`: what it prints."""

import re
from pathlib import Path

import pytest

from pt_cumgain import cli, evaluate
from pt_cumgain.cli.reconcile import MOST
from pt_cumgain.trust import _reconcile as reconcile
from tests.support.helpers import slow

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = [str(GOLDEN / "mini.qrels"), str(GOLDEN / "mini.run")]


@pytest.mark.slow
def test_the_command_prints_the_variants_that_give_the_number(capsys) -> None:
    """Expected: gdeval's figure of this collection, in golden/programs.tsv."""
    assert cli.main(["reconcile", *FILES, "nDCG@10=0.20137"]) == 0
    printed = capsys.readouterr()
    assert "nDCG@10 0.201367\n" in printed.out
    assert "  differs: gain = 2^level - 1; topics missing from the run left out;" in printed.out
    assert "  programs: gdeval 1\n" in printed.out
    assert "  distance:" not in printed.out


def test_the_measure_as_declared_differs_in_nothing(capsys) -> None:
    (found,) = evaluate("CG@10", FILES[0], FILES[1]).groupby("measure")["value"].mean()
    assert cli.main(["reconcile", *FILES, f"CG@10={found:.12f}"]) == 0
    printed = capsys.readouterr()
    verdict, _, variant = printed.out.partition(".\n")
    assert verdict.startswith("1 of ")
    assert variant == f"CG@10 {found:.6g}\n  differs: nothing\n  declaration: CG@10\n"


@pytest.mark.slow
def test_variants_that_are_not_printed_are_counted(capsys) -> None:
    assert cli.main(["reconcile", *FILES, "nDCG@10=0.2"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    matching = int(first.partition(" of ")[0])
    assert last.startswith(f"{matching - MOST} more match")


@pytest.mark.filterwarnings("ignore:.*None of the known variants:UserWarning")
@pytest.mark.parametrize(("cutoffs", "nearest"), [([10], reconcile.NEAREST), *slow(([10, 5], 1))])
def test_without_a_match_the_distances_are_printed(cutoffs, nearest: int, capsys) -> None:
    """Those within 0.05 of all numbers: with two, the measure as declared alone."""
    measure = "DCG(gains='exp',ties='average')"
    means = evaluate([f"{measure}@{k}" for k in cutoffs], *FILES).groupby("measure")["value"].mean()
    numbers = [f"{text}={mean + 0.001:.6f}" for text, mean in means.items()]
    assert cli.main(["reconcile", *FILES, *numbers]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"None of the known variants of {measure}@10 reproduces")
    assert printed.out.count("  differs: ") == nearest
    distances = re.findall("  distance: (.*)", printed.out)
    assert [f"{float(distance):.2g}" for distance in distances] == distances
    assert "reproduces" not in printed.err
