"""What is read off gain curves: the gap to the ideal, the effort, where the ideal levels off."""

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, DCG, gain_curves, nCG
from pt_cumgain.papers import effort, gap_to_ideal, plateau_ranks
from tests.support.helpers import paper
from tests.support.samples import curve_of


def curves_of_paper(depth: int, names: str = "X", measures=CG) -> pd.DataFrame:
    run, qrels = paper()
    return gain_curves(dict.fromkeys(names, run), None, qrels, measures, depth)


def test_the_gap() -> None:
    """TOIS 2002: CG is 8 and 16 at the ranks 5 and 10, its ideal 13 and 19."""
    gap = gap_to_ideal(curves_of_paper(10))
    assert gap["rank"].tolist() == [5, 10]
    assert gap["gap"].tolist() == [13 - 8, 19 - 16]
    assert gap["share"].tolist() == pytest.approx([8 / 13, 16 / 19])
    shares = gap_to_ideal(curve_of([0, -1, 0.25], [0, 0, 0.5]), [1, 2, 3])["share"]
    np.testing.assert_array_equal(shares, [np.nan, np.nan, 0.5])  # no share of nothing


def test_the_ranks_that_are_read_unless_others_are_given() -> None:
    long = curve_of([0] * 120, [1] * 120)
    assert gap_to_ideal(long)["rank"].tolist() == [5, 10, 20, 50, 100]
    assert effort(long)["rank"].tolist() == [5, 10]
    short = long[long["rank"] <= 7]
    assert gap_to_ideal(short)["rank"].tolist() == effort(short)["rank"].tolist() == [5]


def test_rows_come_in_the_order_of_the_curves() -> None:
    order = [("B", "DCG"), ("B", "CG"), ("A", "DCG"), ("A", "CG")]
    without = curve_of([1, 1], [np.nan, 3], "Y", "DCG(discount='sigir2000',base=3)")
    curves = pd.concat([without, *(curve_of([1, 3], [2, 3], *named) for named in order)])
    for found in (effort(curves, 1), gap_to_ideal(curves, 1).iloc[1:]):
        assert list(zip(found["name"], found["measure"], strict=True)) == order
    assert plateau_ranks(curves)["measure"].tolist() == ["DCG", "CG"]


def test_the_effort() -> None:
    """From G' and I' of TOIS 2002: the ideal has 9 by rank 3, the run by rank 6."""
    found = effort(curves_of_paper(13), [1, 2, 3, 10])
    expected = [[3, 1, 1], [6, 3, 1.5], [9, 6, 2], [19, np.nan, np.nan]]
    np.testing.assert_array_equal(found[["gain", "effort", "times"]], expected)
    assert found["reached"].tolist()[2:] == ["at rank 6", "never within rank 13"]
    assert effort(curve_of([0, 0], [0, 0]), 1).empty  # there is nothing to reach


def test_the_effort_against_another_system() -> None:
    curves = pd.concat([curve_of([1, 2, 3], [3, 3, 3], "A"), curve_of([0, 1, 2], [3, 3, 3], "B")])
    found = effort(curves, [1, 2, 3], compared_with="A").set_index(["name", "rank"])["effort"]
    np.testing.assert_array_equal(found, [1, 2, 3, 2, 3, np.nan])
    pd.testing.assert_frame_equal(
        effort(curves, 1, compared_with=1), effort(curves, 1, compared_with="B")
    )


def test_where_the_ideal_levels_off() -> None:
    """The ideal of TOIS 2002 is 3 6 9 11 13 15 16 17 18 19, and 19 at every rank after that."""
    curves = curves_of_paper(13, "XY", [CG, nCG, DCG])
    found = plateau_ranks(curves)
    assert found["measure"].tolist() == ["CG", "DCG"]
    assert found["rank"].tolist() == [10, 10]
    assert found["still_grows"].tolist() == [False, False]
    assert plateau_ranks(curves, 0.75)["rank"][0] == 6  # 15 of 19
    short = plateau_ranks(curves[curves["rank"] <= 8])
    assert short["rank"].tolist() == [8, 8]
    assert short["still_grows"].tolist() == [True, True]
    for ideal in ([3, 3], [0, 0], [0.3, 0.1 + 0.2]):
        assert plateau_ranks(curve_of([0, 0], ideal)).to_numpy().tolist() == [
            ["CG", 1, ideal[0], False]
        ]
    assert plateau_ranks(curve_of([0, 0], [0.3, 3]), 0.1)["rank"].tolist() == [1]  # 0.1 * 3 > 0.3
    normalised = [curve_of([0, 1], [1, 1], measure=m) for m in ("nCG(gains='0-1')", "nCG w1")]
    assert plateau_ranks(pd.concat(normalised)).empty


def test_systems_with_different_ideals_do_not_level_off_together() -> None:
    first, other = curve_of([1, 2], [3e5, 6e5], "B"), curve_of([1, 2], [3e5, 6e5 + 0.01], "A")
    same = curve_of([1, 2], [1e6 * (0.1 + 0.2), 6e5 + 1e-7], "Z")
    assert len(plateau_ranks(pd.concat([first, same]))) == 1
    with pytest.raises(ValueError, match="CG: the ideal of 'A' differs from that of the first"):
        plateau_ranks(pd.concat([first, same, other]))
    with pytest.raises(ValueError, match="CG: the ideal of 'Y' differs"):
        plateau_ranks(pd.concat([first, other.assign(name="Y"), other]))
    without = [curve_of([1, 2], [np.nan, np.nan], name) for name in "XY"]
    assert plateau_ranks(pd.concat(without)).empty


def test_rows_in_any_order_are_read_the_same() -> None:
    curves = curves_of_paper(13, "XY")
    shuffled = curves.sample(frac=1, random_state=1)
    for function in (effort, gap_to_ideal, plateau_ranks):
        found = [function(one) for one in (curves, shuffled)]
        first, second = (frame.sort_values(list(frame), ignore_index=True) for frame in found)
        pd.testing.assert_frame_equal(first, second)
    assert effort(curves, 3)["rank"].tolist() == [3, 3]
    assert effort(curves, [3.0])["gain"].tolist() == [9, 9]


def test_a_gain_is_reached_though_a_bit_is_missing() -> None:
    for unit in (1, 1e9):
        curves = curve_of([unit * (0.1 + 0.2 - 1e-16), unit], [unit * (0.1 + 0.2), unit])
        assert effort(curves, [1])["effort"].tolist() == [1]
    assert effort(curve_of([0, 1], [0, 1]), [1])["effort"].tolist() == [1]  # nothing, at once


def test_the_gap_to_another_system() -> None:
    curves = pd.concat([curve_of([1, 4], [5, 6]), curve_of([2, 8], [5, 6], "Y")])
    table = gap_to_ideal(curves, 2, compared_with="Y")
    assert table.columns.tolist() == ["name", "measure", "rank", "value", "other", "gap", "share"]
    assert table.to_numpy().tolist() == [["X", "CG", 2, 4, 8, 4, 0.5], ["Y", "CG", 2, 8, 8, 0, 1]]


def test_the_effort_for_a_gain() -> None:
    """The ideal has 3 by rank 1 and 5 by rank 2; the run has 3 by rank 2, and never 5."""
    table = effort(curve_of([1, 3, 4], [3, 6, 6]), gain=[3, 5, 7])
    expected = [[1, 2, 2], [2, np.nan, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(table[["rank", "effort", "times"]], expected)
    assert table["reached"].tolist() == ["at rank 2", *["never within rank 3"] * 2]
    without = effort(curve_of([1, 2], [np.nan, np.nan]), gain=iter([2])).iloc[0]
    assert without["effort"] == 2
    assert np.isnan(without["rank"])
    with pytest.raises(ValueError, match="omit one of them"):
        effort(curve_of([1, 2], [2, 3]), 1, gain=1)


def test_curves_of_topics_are_read_topic_by_topic() -> None:
    of_1, of_2 = curve_of([1, 4, 4], [3, 5, 5]), curve_of([0, 1, 2], [2, 2, 2])
    both = pd.concat([of_1.assign(qid="1"), of_2.assign(qid="2")])
    for read in (lambda c: gap_to_ideal(c, [1, 3]), lambda c: effort(c, [1, 2]), plateau_ranks):
        table = read(both)
        assert "qid" in table
        for qid, alone in (("1", of_1), ("2", of_2)):
            part = table[table["qid"] == qid].drop(columns="qid").reset_index(drop=True)
            pd.testing.assert_frame_equal(part, read(alone), check_dtype=False)


def test_what_is_no_ideal_is_called_what_it_is() -> None:
    """SIGIR 2000, section 3.4, draws descending gains where they are not the best possible."""
    curves = curve_of([1, 2], [2, 3]).assign(ideal_is="descending gains")
    assert gap_to_ideal(curves, 1)["ideal_is"].tolist() == ["descending gains"]
    assert effort(curves, 1)["ideal_is"].tolist() == ["descending gains"]
    assert "ideal_is" not in gap_to_ideal(curves, 1, compared_with="X")
    assert "ideal_is" not in effort(curves, 1, compared_with="X")


CURVES = curve_of([1, 2], [2, 3])
OTHERS = pd.concat([CURVES.assign(qid="7"), CURVES.assign(name="Y", qid="8")])
OF_OTHER_MEASURE = pd.concat([CURVES, CURVES.assign(name="Z", measure="nCG")])


@pytest.mark.parametrize("function", [gap_to_ideal, effort])
@pytest.mark.parametrize(
    ("curves", "options", "words"),
    [
        *((CURVES, {"ranks": [rank]}, f"rank {rank} is not .* 1 to 2") for rank in (0, 3, 1.5)),
        (CURVES.drop(columns="ideal"), {}, r"missing columns \['ideal'\]"),
        (pd.concat([CURVES, CURVES]), {}, "all the ranks 1 to 2, each once"),
        (CURVES[1:], {}, "'X' and CG does not have all the ranks"),
        (CURVES.head(0), {}, "there is no curve"),
        (CURVES, {"compared_with": "Z"}, "compared_with='Z' is not one of the systems: "),
        (OF_OTHER_MEASURE, {"ranks": 1, "compared_with": "Z"}, "'Z' has no curve of CG"),
        (OTHERS, {"ranks": 1, "compared_with": "Y"}, "'Y' has .* CG for the topic '7'"),
    ],
)
def test_what_is_refused(function, curves: pd.DataFrame, options: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        function(curves, **options)
