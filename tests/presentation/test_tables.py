"""Tables for papers: the values, the marks, the tests and the notes."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, grid, intervals, nDCG, pairwise, paper_table, pydocs
from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.comparing import correlation_table, friedman, rank_correlation
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import PAIR_TESTS
from pt_cumgain.presentation.rendering import BEST
from tests.support.helpers import by_query, slow


def made_up(systems: int, measures: dict[str, float], topics: int = 9) -> pd.DataFrame:
    """Results in which the last system is best, with long names."""
    rng = np.random.default_rng(1)
    rows = [
        (f"system-{i}_of a long name", str(q), measure, level + i / 20 + rng.random() / 5)
        for measure, level in measures.items()
        for i in range(systems)
        for q in range(topics)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_values_and_the_best_of_each_row() -> None:
    """Expected: means by pandas; equal ones to this many places share the mark."""
    results = by_query()
    table = paper_table(results)
    frame = table.to_frame()
    means = results.groupby(["measure", "name"])["value"].mean().unstack()
    names = list(pydocs.runs())
    assert frame.index.tolist() == results["measure"].unique().tolist()
    assert [column.split(" ", 1)[1] for column in frame] == results["name"].unique().tolist()
    for measure, row in frame.iterrows():
        best = means.loc[measure].round(3).max()
        for column, text in row.items():
            value = means.loc[measure, column.split(" ", 1)[1]]
            expected = f"{value:.3f}" + (BEST if round(value, 3) == best else "")
            assert text.split(" ")[0] == expected
    assert set(table.means.columns) == set(names)
    assert table.note.splitlines()[0] == "•: best value of each measure."


@pytest.mark.parametrize("test", [*sorted(set(TESTS) - {"equivalence", "tukey"}), *slow("tukey")])
def test_letters_are_those_of_the_pairs(test: str) -> None:
    """Expected: `pairwise`, whose `better` stands in the row of one system, behind its value."""
    results = by_query()
    table = paper_table(results, test=test, resamples=500)
    pairs = pairwise(results, test=test, resamples=500)
    letters = dict(zip(results["name"].unique(), "abcde"))
    assert PAIR_TESTS[test] in table.note
    assert ("Holm-corrected within each measure" in table.note) == (not TESTS[test].corrects)
    assert "42 topics" in table.note
    shown = [cell.marks for row in table.cells for cell in row]
    for row, marks in zip(table.data.itertuples(), shown, strict=True):
        of_measure = pairs[(pairs["measure"] == row.measure) & (pairs["better"] == row.name)]
        beaten = {*of_measure["name"], *of_measure["other"]} - {row.name}
        for whole in ("abc", "bcd", "cde", "abcd", "bcde"):
            marks = marks.replace(f"{whole[0]}–{whole[-1]}", ",".join(whole))
        assert set(filter(None, marks.split(","))) == {letters[name] for name in beaten}
        assert set(filter(None, row.better_than.split("; "))) == beaten
        lost = (pairs["measure"] == row.measure) & ~pairs["better"].isin(["", row.name])
        lost &= (pairs["name"] == row.name) | (pairs["other"] == row.name)
        assert set(filter(None, row.worse_than.split("; "))) == set(pairs["better"][lost])


def test_many_systems_are_rows() -> None:
    """More than five, unless the measures are as many; or what the user chose."""
    for systems, measures, rows in [(5, 1, 1), (6, 1, 6), (6, 5, 6), (6, 6, 6), (7, 9, 9)]:
        results = made_up(systems, {f"CG@{i}": 0.5 for i in range(1, measures + 1)})
        table = paper_table(results, test=None)
        first = {5: "CG@1", 6: "system-0_of a long name", 7: "CG@1"}[systems]
        first = "CG@1" if systems == measures else first
        assert (len(table.rows), str(table.rows[0])) == (rows, first)
    assert len(paper_table(made_up(12, {"m": 0.5}), rows="measures").rows) == 1


@pytest.mark.parametrize("systems", [5, 12, 36])
def test_tables_of_many_systems_fit_a_column(systems: int) -> None:
    """No warning of small type; a table that has to be transposed says so."""
    results = made_up(systems, {"nDCG@10": 0.3, "DCG@10": 0.2}).replace(r"_.*", "", regex=True)
    options = {"test": "t", "baseline": "system-0"}
    paper_table(results, **options).to_latex(width=3.3)
    if systems > 5:
        with pytest.warns(
            UserWarning, match=r'wider, transpose it \(rows="systems" or "measures"\)'
        ):
            paper_table(results, **options, rows="measures").to_latex(width=3.3)


def test_friedman_first_then_the_pairs() -> None:
    """Where Friedman's test finds nothing no pair is marked, whatever Conover's says of it."""
    rng = np.random.default_rng(11)
    parts = []
    for i in range(30):
        rows = [(s, str(q), f"m{i}", rng.random()) for s in "ABC" for q in range(8)]
        parts.append(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    results = pd.concat(parts)
    tested = friedman(results, correction=None).set_index("measure")
    table = paper_table(results, test="friedman", correction=None)
    marked = table.data.groupby("measure")["better_than"].agg(lambda marks: "".join(marks) != "")
    assert not marked[tested.index[tested["p"] >= 0.05]].any()
    conover = (
        pairwise(results, test="conover", correction=None).groupby("measure")["better"].agg("".join)
    )
    assert (conover[tested.index[tested["p"] >= 0.05]] != "").any()
    assert table.tests.equals(tested)
    readings = paper_table(results, correction=None, marks="reading").to_frame()["Stat. Sign."]
    assert readings.to_dict() == tested["reading"].to_dict()
    below = paper_table(results, correction=None, marks="reading", rows="systems")
    for measure, words in tested["reading"].items():
        assert f"{measure}: {words or 'no pair differs significantly'}." in below.notes


def test_two_systems_are_compared_by_wilcoxon() -> None:
    results = by_query()
    two = results[results["name"].isin(["BM25", "First word"])]
    table = paper_table(two, test="friedman")
    assert "Wilcoxon's signed-rank test, two-sided; 42 topics" in table.note
    assert (table.data["better_than"] == "First word").any()


def test_daggers_against_a_baseline() -> None:
    """Expected: `pairwise`; one dagger below 0.05, two below 0.01."""
    results = made_up(6, {"m": 0.5, "n": 0.5}).replace("system-0_of a long name", "BM25")
    options = {"baseline": "BM25", "correction": None, "rows": "measures"}
    table = paper_table(results, test="t", **options)
    pairs = pairwise(results, baseline="BM25", correction=None).set_index(["measure", "name"])["p"]
    shown = [cell.marks for row in table.cells for cell in row]
    signs = pd.Series(shown, index=table.data.set_index(["measure", "name"]).index)
    words = "(paired t-test against BM25, two-sided, uncorrected; 9 topics)."
    assert f"† differs significantly, p < 0.05; ‡ p < 0.01 {words}" in table.note
    for at, p in pairs.items():
        assert signs[at] == ("‡" if p < 0.01 else "†" if p < 0.05 else "")
    assert {"†", "‡"} <= set(signs)
    assert (signs[:, "BM25"] == "").all()


def test_systems_with_topics_of_their_own() -> None:
    """Expected: `pairwise`; the note has the numbers of topics in the order of the table."""
    rng = np.random.default_rng(3)
    rows = [
        (name, f"{name}{q}", measure, level + rng.random())
        for measure in ("nsDCG@10", "sDCG@10")
        for name, level, topics in (("A", 0, 9), ("B", 0.1, 12), ("C", 0.9, 10))
        for q in range(topics)
    ]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    means = results.groupby(["measure", "name"])["value"].mean()
    for test in ("welch", "mann-whitney"):
        table = paper_table(results, systems=["B", "A", "C"], test=test)
        assert "Holm-corrected within each measure; 12, 9 and 10 sessions)." in table.note
        pairs = pairwise(results, test=test).set_index(["measure", "name", "other"])
        drawn = table.pairs.set_index(["measure", "name", "other"])
        assert drawn.loc[("sDCG@10", "B", "C"), "p"] == pairs.loc[("sDCG@10", "B", "C"), "p"]
        of_table = table.data.set_index(["measure", "name"])["mean"]
        assert of_table.to_dict() == pytest.approx(means.to_dict(), rel=1e-12)
    plain = paper_table(results, test=None, interval=True, places=2)
    assert "9, 12 and 10 sessions." in plain.notes
    ends = intervals(results)
    assert (plain.data["low"].tolist(), plain.data["high"].tolist()) == (
        ends.sort_values("measure", kind="stable")["low"].tolist(),
        ends.sort_values("measure", kind="stable")["high"].tolist(),
    )
    fewer = results[(results["measure"] == "sDCG@10") | (results["qid"] != "B3")]
    assert "9 to 12 sessions for each system." in paper_table(fewer, test=None).notes
    with pytest.raises(ValueError, match="test='welch' and test='mann-whitney' of pairwise"):
        paper_table(results)


def test_the_reading_of_the_papers() -> None:
    """TOIS 2002, table 2: systems have letters, and stand in order of their merit.

    As there, nothing is corrected by default.
    """
    results = by_query()
    table = paper_table(results, marks="reading")
    letters = dict(zip(results["name"].unique(), "ABCDE"))
    assert [head.key for head in table.columns] == [*"ABCDE", ""]
    assert "(Friedman's test with Conover's post-hoc test, uncorrected; 42 topics)." in table.note
    uncorrected = friedman(results, correction=None).set_index("measure")["reading"]
    holm = friedman(results).set_index("measure")["reading"]
    assert (uncorrected != holm).any()
    corrected = paper_table(results, marks="reading", correction="holm")
    assert "Holm-corrected" in corrected.note
    assert (corrected.to_frame()["Stat. Sign."] != table.to_frame()["Stat. Sign."]).any()
    assert "Holm-corrected" in paper_table(results, marks="reading", test="t").note
    for measure, words in uncorrected.items():
        line = table.to_frame().loc[measure, "Stat. Sign."]
        named = {name: letters[name] for name in letters}
        better = {
            (b, w)
            for phrase in filter(None, words.split("; "))
            for b in phrase.split(" > ")[0].split(",")
            for w in phrase.split(" > ")[1].rstrip("*").split(",")
        }
        phrases = line.split("; ")
        printed = {
            (b, w)
            for phrase in phrases
            if ">" in phrase
            for b in phrase.split(" > ")[0].split(",")
            for w in phrase.split(" > ")[1].rstrip("*").split(",")
        }
        assert printed == {(named[b], named[w]) for b, w in better}
    assert not set("ABCDE") & {cell.marks for row in table.cells for cell in row}
    many = paper_table(made_up(12, {"m": 0.5}), marks="reading", rows="measures")
    assert len(many.columns) == 12
    assert many.notes[-1].startswith("m: L,K,")


@pytest.mark.parametrize(
    ("interval", "kind"),
    [(True, "t"), ("t", "t"), ("bca", "BCa bootstrap"), ("percentile", "percentile bootstrap")],
)
def test_intervals_in_the_cells(interval: bool | str, kind: str) -> None:
    """Expected: `intervals`."""
    results = by_query()
    table = paper_table(results, interval=interval, confidence=0.9, places=2, test=None)
    options = {"method": interval} if isinstance(interval, str) else {}
    ends = intervals(results, confidence=0.9, **options).set_index(["measure", "name"])
    for row in table.data.itertuples():
        assert (row.low, row.high) == tuple(ends.loc[(row.measure, row.name), ["low", "high"]])
    first = table.cells[0][0]
    low, high = ends.iloc[0][["low", "high"]]
    assert first.interval == f"[{low:.2f}, {high:.2f}]"
    assert f"[low, high]: 90% {kind} confidence interval over topics." in table.notes
    more = paper_table(results, interval=interval, confidence=0.975, test=None)
    assert f"[low, high]: 97.5% {kind} confidence interval over topics." in more.notes


def test_order_labels_and_places() -> None:
    """In the order of a grid, a list, a mapping or a categorical column; only what is asked for."""
    measures = grid([nDCG], gains={"w100": "0-1-10-100", "w1": "0-1-1-1"}, cutoffs=10)
    results = made_up(3, {str(measures[1]): 0.2, "P@5": 0.3, str(measures[0]): 0.4})
    names = results["name"].unique().tolist()
    places = {measures[0]: 1, "nDCG w1": 4}
    table = paper_table(results, measures=measures, test=None, places=places)
    assert [head.text for head in table.rows] == ["nDCG w100", "nDCG w1"]
    assert [len(row[0].text) for row in table.cells] == [3, 6]
    again = paper_table(measures.rename(results), measures=measures, test=None, places=places)
    assert again.to_text() == table.to_text()
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
    values = {"A": 0.0125, "B": 0.0124, "C": 0.01249}
    rows = [(name, q, "m", value) for name, value in values.items() for q in "12"]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    assert paper_table(results, test=None, places=4).to_frame().loc["m"].tolist() == [
        "0.0125•", "0.0124", "0.0125•",
    ]  # fmt: skip
    small = results.assign(value=[-0.0001, -0.0001, 0, 0, -1, -1])
    assert paper_table(small, test=None).to_frame().loc["m"].tolist() == [
        "0.000•", "0.000•", "-1.000",
    ]  # fmt: skip


def test_a_baseline_is_said_with_letters_and_readings() -> None:
    """Pairs without the baseline are not tested, so nothing is said of them."""
    results = made_up(4, {"m": 0.5})
    name = results["name"].iloc[0]
    table = paper_table(results, baseline=name, marks="reading", test="t", correction=None)
    assert f"paired t-test against {name}, two-sided, uncorrected; 9 topics" in table.note
    shuffled = results.assign(value=results.groupby("qid")["value"].transform("mean"))
    same = paper_table(shuffled, baseline=name, marks="reading", test="t", rows="systems")
    assert same.notes[-1] == "m: no pair differs significantly."


@pytest.mark.parametrize("kind", ["text", "markdown", "latex", "html"])
def test_no_name_controls_a_terminal(kind: str) -> None:
    """In heads, labels, cells and notes; expected: what the terminal's own function makes of it."""
    name, other = "a\x1b[31m\n\u202e", "b\t"
    results = made_up(2, {"CG": 1.0}).replace({"name": {"system-0_of a long name": name}})
    results = results.replace({"name": {"system-1_of a long name": other}})
    results = pd.concat([results.assign(dataset=dataset) for dataset in ("x", "\x9b1m")])
    for options in (
        {"baseline": name, "rows": "systems"},
        {"baseline": name, "rows": "measures"},
        {"marks": "reading", "rows": "measures"},
    ):
        table = paper_table(results, **options)
        written = getattr(table, f"to_{kind}")()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written)
        if kind == "text":
            assert r"a\x1b[31m \u202e" in written  # white space is a blank
            assert escape_controls(name) in written or "baseline" not in options
        assert set(table.data["name"]) == {name, other}
    means = pd.DataFrame({"name": list("ABC"), "x\x1b": [3, 2, 1], "nCG@5": [3, 1, 2]})
    written = getattr(correlation_table(rank_correlation(means)), f"to_{kind}")()
    assert "\x1b" not in written


def test_names_that_are_numbers_or_empty() -> None:
    results = made_up(3, {"m": 0.5})
    numbers = {name: i for i, name in enumerate(results["name"].unique())}
    table = paper_table(results.replace({"name": numbers}), systems=[2, 0], baseline=0, test="t")
    assert [head.text for head in table.columns] == ["2", "0"]
    with pytest.raises(ValueError, match="a system has no name; give it one"):
        paper_table(results.replace({"name": dict.fromkeys(list(numbers)[:1], "")}))


def test_one_topic_and_one_system() -> None:
    one = made_up(1, {"m": 0.5}, topics=1)
    table = paper_table(one, test=None)
    assert table.to_text().splitlines()[-1] == "1 topic."
    assert BEST not in str(table)


def test_correlations_like_those_of_ipm_2005() -> None:
    """The half below the diagonal; a whole table where rows and columns differ."""
    means = pd.DataFrame(
        {"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2], "x": [1, 1, 1]}
    )
    table = correlation_table(rank_correlation(means))
    assert [head.text for head in table.rows] == ["nCG@5", "x"]
    assert [[cell.text for cell in row] for row in table.cells] == [["0.33", ""], ["–", "–"]]
    two = rank_correlation(means[["name", "CG@5", "nCG@5"]], means[["name", "CG@5", "nCG@5"]])
    assert len(correlation_table(two).rows) == 2  # its diagonal says something
    truth = rank_correlation(means[["name", "CG@5", "nCG@5"]], coefficient="tau-ap")
    assert len(correlation_table(truth).rows) == 2
    assert correlation_table(truth).note.startswith(
        "tau-AP between the measures' rankings of the systems; the row's"
    )
    other = correlation_table(rank_correlation(means[["name", "CG@5"]], means), places=1)
    assert [[cell.text for cell in row] for row in other.cells] == [["1.0", "0.3", "–"]]
    with pytest.raises(TypeError, match="matrix must be a pandas DataFrame"):
        correlation_table([[1]])
    with pytest.raises(ValueError, match="there is no correlation to print"):
        correlation_table(pd.DataFrame())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"places": -1}, "places=-1 must be a whole number of at least 0"),
        ({"places": {"AP": 2}}, "places: there is no measure 'AP'"),
        ({"measures": {"nCG 0-1-1-1": "x", "nCG 0-0-0-1": "x"}}, "measures: two are called 'x'"),
        ({"measures": ["AP"]}, "measures: the results do not have 'AP'; they have nCG 0-"),
        ({"systems": []}, "systems is empty; leave it out for all"),
        ({"systems": ["BM25"]}, "there is nothing to compare: the results have one system"),
        ({"rows": "topics"}, "rows='topics' is unknown; choose from measures, systems"),
        ({"marks": "stars"}, "marks='stars' is unknown; choose from letters, daggers"),
        ({"marks": "daggers"}, "marks='daggers' compare with a baseline; give baseline="),
        ({"test": "equivalence"}, "test='equivalence' is unknown; choose from friedman, t"),
        ({"test": "magic"}, "test='magic' is unknown; choose from friedman, t"),
        ({"confidence": 95, "test": None}, "confidence=95 must be between 0 and 1"),
        ({"baseline": "X"}, "baseline='X' is not one of the systems"),
        ({"baseline": "BM25", "test": None}, "baseline and marks need a test; give test="),
        ({"cluster": {}, "test": None}, "cluster needs a test or interval=True"),
    ],
)  # fmt: skip
def test_wrong_options(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        paper_table(by_query(), **options)


def test_the_baseline_may_be_a_place_in_the_results() -> None:
    """Whatever the order of the table, and what its systems are called in it."""
    results = by_query()
    names = results["name"].unique().tolist()
    for place in (0, np.int64(2)):
        by_name = paper_table(results, baseline=names[place])
        assert paper_table(results, baseline=place).to_text() == by_name.to_text()
    chosen = {names[3]: "D", names[0]: "A"}
    by_name = paper_table(results, baseline="A", systems=chosen)
    assert paper_table(results, baseline=0, systems=chosen).to_text() == by_name.to_text()
    for wrong in (5, -1, False):
        with pytest.raises(ValueError, match=f"baseline={wrong} is not one of the systems"):
            paper_table(results, baseline=wrong)


def test_a_single_measure_is_a_table() -> None:
    results = by_query().assign(measure="CG@5")
    results = results.drop_duplicates(["name", "qid"])
    one = paper_table(results, measures=CG @ 5, test=None)
    assert one.to_text() == paper_table(results, measures=["CG@5"], test=None).to_text()


def test_wrong_results() -> None:
    results = by_query()
    with pytest.raises(ValueError, match=r"missing columns \['qid'\]"):
        paper_table(results.drop(columns="qid"))
    with pytest.raises(ValueError, match="there are no results"):
        paper_table(results.head(0))
    results = made_up(27, {"m": 0.5})
    with pytest.warns(UserWarning, match="there are letters for 26 systems, not 27; numbers below"):
        assert paper_table(results).cells == paper_table(results, marks="reading", test="t").cells


def test_more_systems_than_letters_have_numbers_in_readings() -> None:
    """The first is worse than all others, which are equal; a constant lead has p = 2 / 2^20."""
    rows = [(f"s{i}", str(q), "m", q + (i > 0)) for i in range(27) for q in range(20)]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    table = paper_table(results, marks="reading", test="t")
    assert [str(head) for head in table.rows][::26] == ["1 s0", "27 s26"]
    better = ",".join(map(str, range(2, 28)))
    assert f"m: {better} > 1**." in table.notes


def test_sessions_are_not_called_topics() -> None:
    results = made_up(3, {"nsDCG@10": 0.2, "sDCG(gains='exp')@10": 0.3})
    table = paper_table(results, interval=True)
    assert table.unit == "session"
    assert "; 9 sessions)" in table.note
    assert "interval over sessions" in table.note
    assert paper_table(made_up(3, {"nsDCG@10": 0.2, "nDCG@10": 0.3})).unit == "topic"


@pytest.mark.parametrize(
    ("topics", "resamples", "words"),
    [
        (9, 512, "paired randomisation test, two-sided, exact; 9 topics"),  # 2^9 patterns of signs
        (9, 511, "paired randomisation test, two-sided, 511 draws; 9 topics"),
    ],
)
def test_the_note_says_whether_a_randomisation_test_is_exact(topics, resamples, words) -> None:
    """Expected: the rule of `pairwise`, which draws only if there are more than `resamples`."""
    results = made_up(2, {"CG": 0.2}, topics)
    assert words in paper_table(results, test="randomisation", resamples=resamples).note


@pytest.mark.parametrize("kind", ["text", "markdown", "latex", "html"])
def test_a_column_of_readings_may_be_empty(kind: str) -> None:
    """Where no pair differs, under ``marks="reading"``: the means stand beside an empty column."""
    table = paper_table(made_up(2, {"CG": 1.0}), marks="reading", rows="measures")
    assert [cell.text for (*_, cell) in table.cells] == [""]
    assert table.cells[0][0].text in getattr(table, f"to_{kind}")()


def test_where_no_pair_differs_there_are_no_letters_to_explain() -> None:
    table = paper_table(made_up(3, {"CG": 0.2}).assign(value=lambda f: np.arange(len(f)) % 4))
    assert "No pair differs significantly at p < 0.05 (paired t-test" in table.note
