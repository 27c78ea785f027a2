"""Every sentence of descriptions and below tables ends with one full stop."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pandas as pd
import pytest

from pt_cumgain import describe, dominance, grid, paper_table, rank_intervals
from pt_cumgain.comparing import correlation_table, rank_correlation
from pt_cumgain.judges import compare_judges, judge_agreement, rectify
from pt_cumgain.options import PAIR_TESTS
from pt_cumgain.presentation.description import tabulate_comparisons
from pt_cumgain.presentation.judge_sentences import tabulate_judges
from tests.presentation.test_judge_sentences import qrels, results
from tests.presentation.test_sentences_on_systems import draw_systems

#: Warnings of small samples are not of interest here.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
DISTINCT = ["nDCG@10", "nDCG(gains='0-1-10')@10", "DCG(discount='original',base=10)@10"]


def one_judge(systems: str, n: int = 9) -> pd.DataFrame:
    made = results(0, systems, n=n, more=0)
    both = [made, made.assign(measure="nDCG(gains='0-1-10')@10", value=made["value"] ** 2)]
    return pd.concat(both).drop(columns="judge")


def walk_tables() -> Iterator[tuple[list[str], str]]:
    """Yield notes of tables, and how the table was made."""
    rows = one_judge("WXYZ")
    zero = rows.assign(value=rows["value"].where(rows["name"] != "W", 0))
    equal = rows.assign(value=1.0)
    tests = [None, "friedman", *(test for test in PAIR_TESTS if test != "equivalence")]
    for test, interval in itertools.product(tests, [False, True]):
        yield paper_table(rows, resamples=9, test=test, interval=interval).notes, f"{test}"
    for test, marks, baseline in itertools.product(
        ["t", "friedman"], ["letters", "daggers", "reading"], [None, "X", ["X", "Y"]]
    ):
        chosen = {"test": test, "marks": marks, "baseline": baseline}
        for made in (rows, zero, equal) if marks != "daggers" or baseline == "X" else ():
            yield paper_table(made, **chosen).notes, f"{chosen}"
    datasets = pd.concat(rows.assign(dataset=name) for name in "ab")
    for made in (datasets, datasets.rename(columns={"dataset": "judge"})):
        for measures in (None, ["nDCG@10"]):
            yield paper_table(made, measures=measures, interval=True).notes, "blocks"
            grouped = paper_table(made, measures=measures, cluster=lambda qid: int(qid) // 2)
            yield grouped.notes, "groups"
    yield correlation_table(rank_correlation(rows)).notes, "correlations"
    yield correlation_table(rank_correlation(rows, coefficient="tau-ap")).notes, "correlations"
    for made, over in walk_dominance():
        for table in tabulate_comparisons(made):
            yield table.notes, f"dominance over {over}"
    for found in walk_judges():
        for table in tabulate_judges(found):
            yield table.notes, f"judges: {type(found)}"


def walk_dominance() -> Iterator[tuple[pd.DataFrame, str]]:
    for seed, number, over, limit in itertools.product(
        (0, 3), (2, 4), ("gains", "discount", "both", "judgments", "pool"), (1, 100_000)
    ):
        given, systems = draw_systems(seed, number)
        if seed == 0:
            systems["A"] = {q: {f"unjudged {q}": 1} for q in systems["A"]}
        yield dominance(systems, None, given, ["DCG@2", "nDCG@2"], over=over, limit=limit), over


def walk_judges() -> Iterator:
    labels = {(f"q{i % 3}", f"d{i}"): i % 4 for i in range(12)}
    others = {"one": qrels({key: min(2, x) for key, x in labels.items()}), "two": qrels(labels)}
    yield judge_agreement({"people": qrels(labels), **others}, resamples=9)
    for judges, systems in itertools.product((1, 2), ("XY", "XYZ")):
        made = results(judges, systems)
        several = pd.concat(made.assign(dataset=name) for name in "ab")
        for given in (made, several, made.assign(value=1.0)):
            yield compare_judges(given, "people")
            yield rectify(given, "people")
            yield rectify(given, "people", of="means")


def walk_texts() -> Iterator[str]:
    """Yield texts of sentences; a single measure's text is part of a sentence."""
    yield describe(DISTINCT).text
    yield describe([*DISTINCT, "P@5"]).text
    yield describe(["nDCG@10", "P@5"]).text
    yield describe(grid("nDCG", gains={"w1": "0-1-1", "w9": "0-1-9"}, cutoffs=5)).text
    for rows in (one_judge("XY"), one_judge("WXYZ"), one_judge("WXYZ").assign(value=1.0)):
        yield describe(rows).text
        yield describe(paper_table(rows, test=None)).text
        yield describe(paper_table(rows.assign(measure="P@5").iloc[:18], test=None)).text
        for correction in ("holm", "fdr_bh", None):
            yield describe(rank_intervals(rows, correction=correction)).text
            yield describe(rank_intervals(rows.replace("nDCG@10", "P@5"))).text
    for made, _ in walk_dominance():
        yield describe(made).text
    for found in walk_judges():
        yield describe(found).text


def is_stopped(text: str) -> bool:
    """Whether a text ends with one full stop, and begins no sentence without one before it."""
    ends = re.fullmatch(r".*[^\s.,;:]\.", text, re.DOTALL) is not None
    return ends and not re.search(r"\.\.|[,;:]\.|\s\.|[a-z)\]] (The|Any|Of|Ranks|Favour) ", text)


@pytest.mark.parametrize("text", ["A", "A.. B.", "A:.", "It holds (by 1) The ranges are so.", ""])
def test_a_missing_full_stop_is_seen(text: str) -> None:
    assert not is_stopped(text)
    assert is_stopped("A is 0.5. It holds (by 1). The ranges are so.")


def test_notes_of_tables() -> None:
    for notes, made in walk_tables():
        assert notes == [] or all(map(is_stopped, notes)), (made, notes)


def test_descriptions() -> None:
    for text in walk_texts():
        assert is_stopped(text), text


@pytest.mark.parametrize("measure", DISTINCT)
def test_the_text_of_a_single_measure_is_part_of_a_sentence(measure: str) -> None:
    assert re.match(r"n?DCG .*[^.]$", describe(measure).text)
