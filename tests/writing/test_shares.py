"""Shares of judged documents in sentences."""

import pytest

from pt_cumgain.writing.shares import COUNTED, write_judged


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({10: {"A": 1.0, "B": 1.0}}, ""),
        ({5: {"A": 1.0}, 10: {"B": 0.796, "A": 0.8}}, "Judged down to rank 10: A 80%, B 79%."),
        (
            {10: {f"s{i}": 1 - i / 20 for i in range(13)}},
            "Judged down to rank 10: s0 100% to s12 40%, under 80% for 8 of 13.",
        ),
    ],
)
def test_shares_are_rounded_down_and_of_many_systems_the_ends_are_listed(shares, said) -> None:
    assert write_judged({"": shares}) == [said, COUNTED][: 2 * bool(said)]
    otherwise = write_judged({"D": shares}, ["nDCG@10", "CG(unjudged=1.0)@5", "Bpref"])[1:]
    assert all(words.startswith("Without Bpref and unjudged, means and") for words in otherwise)
