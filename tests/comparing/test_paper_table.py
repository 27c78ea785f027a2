"""Tables for papers: the values, the marks, the tests and the notes."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import grid, may_be_best, nDCG, pairwise, paper_table
from pt_cumgain.comparing import correlation_table, rank_correlation
from pt_cumgain.comparing._paper_table import CAVEAT
from tests.support.helpers import by_query
from tests.support.samples import as_results, made_up, results_of


def test_many_systems_are_rows() -> None:
    for systems, measures, rows in [(5, 1, 1), (6, 1, 6), (6, 5, 6), (6, 6, 6), (7, 9, 9)]:
        results = made_up(systems, {f"CG@{i}": 0.5 for i in range(1, measures + 1)})
        table = paper_table(results, test=None)
        first = {5: "CG@1", 6: "system-0_of a long name", 7: "CG@1"}[systems]
        first = "CG@1" if systems == measures else first
        assert (len(table.rows), str(table.rows[0])) == (rows, first)
    assert len(paper_table(made_up(12, {"m": 0.5}), rows="measures").rows) == 1


def test_order_labels_and_decimals() -> None:
    measures = grid([nDCG], gains={"w100": "0-1-10-100", "w1": "0-1-1-1"}, cutoffs=10)
    results = made_up(3, {str(measures[1]): 0.2, "P@5": 0.3, str(measures[0]): 0.4})
    names = results["name"].unique().tolist()
    table = paper_table(results, measures=measures, test=None, decimals=1)
    assert [head.text for head in table.rows] == ["nDCG w100", "nDCG w1"]
    assert [len(row[0].text) for row in table.cells] == [3, 3]
    table = paper_table(
        results, systems={names[2]: "third", names[0]: "first"}, measures=["P@5"], rows="systems",
        baseline=names[0], test="t",
    )  # fmt: skip
    assert [head.text for head in table.rows] == ["third", "first"]
    assert [head.text for head in table.columns] == ["P@5"]
    assert "differs significantly, p" in table.note
    ordered = results.assign(name=pd.Categorical(results["name"], names[::-1]))
    table = paper_table(ordered, test=None)
    assert [head.text for head in table.columns] == names[::-1]
    text = table.to_csv()
    assert text.splitlines()[0] == "measure,name,mean"
    again = pd.read_csv(io.StringIO(text)).set_index(["measure", "name"])["mean"]
    assert again.tolist() == pytest.approx(table.data["mean"].tolist(), rel=1e-12)


def test_the_marks_are_those_of_the_printed_digits() -> None:
    results = results_of({"A": [0.0125] * 2, "B": [0.0124] * 2, "C": [0.01249] * 2})
    assert paper_table(results, test=None, decimals=4).to_frame().loc["m"].tolist() == [
        "0.0125•", "0.0124", "0.0125•",
    ]  # fmt: skip
    small = results.assign(value=[-0.0001, -0.0001, 0, 0, -1, -1])
    assert paper_table(small, test=None).to_frame().loc["m"].tolist() == [
        "0.000•", "0.000•", "-1.000",
    ]  # fmt: skip


def test_the_judged_share_is_a_note_unless_there_is_nothing_else() -> None:
    """By hand: of A 5 and 0 of 5 documents are judged, so the mean is 50%."""
    values = results_of({"A": [0.2, 0.5], "B": [0.5, 0.9]}).assign(measure="P@5")
    shares = results_of({"A": [1.0, 0.0], "B": [1.0, 1.0]}).assign(measure="Judged@5")
    names = {"B": "second", "A": "first"}
    table = paper_table(pd.concat([values, shares]), systems=names, measures=["P@5", "Judged@5"])
    assert [*table.measures] == ["P@5"]
    assert "Judged down to rank 5: second 100%, first 50%." in table.notes
    values = results_of({"A": [0.2, 0.5, 0.3, 0.6, 0.9], "B": [0.5, 0.9, 0.4, 0.1, 0.3]}, "P@5")
    both = pd.concat([values, results_of({"A": [0.5] * 5, "B": [1.0] * 5}, "Judged@5")])
    other = both.replace({"value": {0.5: 0.4, 1.0: 0.8}})
    both = pd.concat([both.assign(dataset="D"), other.assign(dataset="E")])
    told = [f"Judged down to rank 5 in {part}." for part in ("D: B 100%, A 50%", "E: B 80%, A 40%")]
    notes = paper_table(both).notes
    assert [note for note in notes if "Judged" in note] == told
    assert any(note.endswith("; 5 topics of each dataset).") for note in notes)
    assert may_be_best(both)["judged"].tolist() == pytest.approx([0.5, 1, 0.4, 0.8, 0.45, 0.9])
    some = both[(both["name"] == "A") | (both["measure"] == "P@5")]
    assert "Judged down" not in paper_table(some, systems=["B"], test=None).note
    table = paper_table(shares)
    assert [*table.measures] == ["Judged@5"]
    assert "Judged down" not in table.note


def test_conover_has_a_caveat() -> None:
    """Of four systems or more that are all compared, if it marks a pair (p of scipy: .12, .02)."""
    alike = as_results([[0.4, 0.3, 0.1, 0.2], [0.4, 0.1, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]])
    options = [("conover", "holm"), ("conover", None), ("friedman", None)]
    notes = [paper_table(alike, test=test, correction=how).notes for test, how in options]
    assert [CAVEAT in note for note in notes] == [False, True, False]
    for systems, baseline in ((4, None), (3, None), (4, "system-0_of a long name")):
        results = made_up(systems, {"m": 0.5}, topics=30)
        for test in ("friedman", "conover", "t"):
            notes = paper_table(results, test=test, baseline=baseline).notes
            assert (CAVEAT in notes) == (systems > 3 and not baseline and test != "t")


def test_a_table_has_the_numbers_of_its_pairs() -> None:
    results = by_query()
    cases = (
        ({"test": "randomised-tukey", "resamples": 300}, "95% Tukey", "adjusted for all pairs."),
        ({"confidence": 0.8}, "80% t", "uncorrected."),
    )
    for options, interval, words in cases:
        table = paper_table(results, baseline="BM25", interval=True, **options)
        pairs = pairwise(results, baseline="BM25", **options).sort_values(["measure", "name"])
        data = table.data[table.data["name"] != "BM25"].sort_values(["measure", "name"])
        shared = ["difference", "low", "high", "effect", "p", "p_corrected"]
        np.testing.assert_array_equal(data[shared], pairs[shared])
        words = f"{interval} confidence interval over topics, {words}"
        assert f"difference from BM25 [low, high]: {words}" in table.note
        both = [*zip(data["p_corrected"], data["difference"])]
        signs = [("†", "‡")[p < 0.01] + "↓" * (d < 0) if p < 0.05 else "" for p, d in both]
        cells = re.findall(r"\d•? +([^\d ]*) *([+-][.\d]+) \[", table.to_text(300))
        assert sorted(cells) == sorted(zip(signs, data["difference"].map("{:+.3f}".format)))


def test_systems_with_topics_of_their_own() -> None:
    results = made_up(3, {"sDCG@10": 0.3}, topics=12).drop(index=range(9, 12))
    plain = paper_table(results, measures=["sDCG(base=2)@10"], test=None, interval=True)
    means = results.groupby("name")["value"].mean()
    assert plain.means.loc["sDCG@10"].to_dict() == pytest.approx(means.to_dict())
    assert "9 to 12 sessions." in plain.notes


@pytest.mark.parametrize("test", ["t", "friedman"])
def test_more_than_26_systems_have_marks_only_with_a_baseline(test: str) -> None:
    results = made_up(27, {"m": 0.5})
    with pytest.warns(UserWarning, match="^no pair is marked: only 26 systems .* baseline$"):
        table = paper_table(results, test=test)
    assert not any(cell.marks for row in table.cells for cell in row)
    assert "baseline" not in table.note  # readers cannot give one
    assert table.pairs is None
    assert (table.tests is None) == (test == "t")
    first = paper_table(results, test=test, baseline="system-0_of a long name")
    assert any(cell.marks for row in first.cells for cell in row)


def test_constant_differences_are_not_tested() -> None:
    results = results_of({s: [q**2 % 7 + (s == "A") for q in range(9)] for s in "ABC"})
    for baseline, pair in ((None, "'A' and 'B'"), ("A", "'B' and 'A'")):
        said = f"^m: {pair} .* every topic, as do other pairs; .* test='t' has no p; use test='ra"
        with pytest.warns(UserWarning, match=said):
            table = paper_table(results, baseline=baseline)
        assert not any(cell.marks for row in table.cells for cell in row)
        assert "2 pairs not tested" in table.note


def test_a_system_of_zeros_is_not_compared() -> None:
    """The others are, and one of two systems has no other; none of zeros is the best."""
    results = results_of({"A": [1, 2, 3, 5], "B": [2, 4, 5, 9], "zero": [0] * 4})
    table = paper_table(results, baseline="A")
    assert table.pairs is not None
    assert table.pairs[["name", "other"]].to_numpy().tolist() == [["B", "A"]]
    assert "zero: 0 for every topic, as if no document were judged; not compared." in table.notes
    known = results_of(dict.fromkeys(["A", "B", "zero"], [0.5] * 4), "Judged@5")
    judged = paper_table(pd.concat([results, known]), baseline="A")
    assert judged.pairs["name"].tolist() == ["B", "zero"]
    assert "•" not in paper_table(results, systems=["A"], test=None).to_text()  # best of one
    notes = [paper_table(results, test=test).notes for test in ("conover", "friedman")]
    assert notes[0] == notes[1]
    assert "Wilcoxon's signed-rank test" in " ".join(notes[0])
    zeros = paper_table(results.assign(value=0.0))
    assert zeros.pairs is None
    assert "•" not in str(zeros)


def test_the_note_says_whether_a_randomisation_test_is_exact() -> None:
    """2^9 = 512 patterns of signs."""
    results = made_up(2, {"CG": 0.2}, topics=9)
    for resamples, words in ((512, "exact"), (511, "511 draws")):
        note = paper_table(results, test="randomisation", resamples=resamples).note
        assert f", {words}; 9 topics" in note
    mixed = pd.concat([results, made_up(2, {"AP": 0.2}, topics=10)])
    assert ", exact or 512 draws" in paper_table(mixed, test="randomisation", resamples=512).note


def test_names_that_are_numbers_or_empty() -> None:
    results = made_up(3, {"m": 0.5})
    numbers = {name: i for i, name in enumerate(results["name"].unique())}
    table = paper_table(results.replace({"name": numbers}), systems=[2, 0], baseline=0, test="t")
    assert [head.text for head in table.columns] == ["2", "0"]
    with pytest.raises(ValueError, match=r"^a system has no name; give it one"):
        paper_table(results.replace({"name": dict.fromkeys(list(numbers)[:1], "")}))


def test_correlations_like_those_of_ipm_2005() -> None:
    means = pd.DataFrame({"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2], "x": 1})
    table = correlation_table(rank_correlation(means))
    assert [head.text for head in table.rows] == ["nCG@5", "x"]
    assert [[cell.text for cell in row] for row in table.cells] == [[".33", ""], ["–", "–"]]
    truth = rank_correlation(means[["name", "CG@5", "nCG@5"]], coefficient="tau-ap")
    assert len(correlation_table(truth).rows) == 2
    assert correlation_table(truth).note.startswith(
        "tau-AP between the measures' rankings of the systems; the row's"
    )
    other = correlation_table(rank_correlation(means[["name", "CG@5"]], means), decimals=1)
    assert [[cell.text for cell in row] for row in other.cells] == [["1.0", ".3", "–"]]
    with pytest.raises(TypeError, match=r"^matrix must be a pandas DataFrame"):
        correlation_table([[1]])
    with pytest.raises(ValueError, match=r"^there is no correlation to print"):
        correlation_table(pd.DataFrame())
    with pytest.raises(ValueError, match=r"numbers only \(.*'q0'\); rank_correlation re"):
        correlation_table(pd.DataFrame({"qid": ["q0"]}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": {"nCG 0-1-1-1": "x", "nCG 0-0-0-1": "x"}}, ["measures", "'x'"]),
        ({"measures": ["AP"]}, ["^measures: ", "'AP'", "nCG 0-0-0-1"]),
        ({"systems": ["x"]}, ["^systems: ", "'x'; they have BM25"]),
        ({"systems": []}, [r"^systems=\[\] leaves the table empty; omit it"]),
        ({"baseline": "BM25", "test": None}, ["baseline", "pass test="]),
        ({"baseline": ["BM25", "QLD"], "interval": True}, ["single baseline", "interval"]),
    ],
)
def test_what_is_refused(options: dict, words: list[str]) -> None:
    with pytest.raises(ValueError, match=words[0]) as error:
        paper_table(by_query(), **options)
    assert all(word in str(error.value) for word in words[1:])
