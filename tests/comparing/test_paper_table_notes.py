"""What a table's note says is what was computed.

A program reads the printed tables as a person would. It knows the results and the text, not the
options, and computes with scipy, statsmodels and scikit-posthocs what the note says.
"""

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import paper_table
from pt_cumgain.comparing._pairwise import TESTS
from tests.comparing.test_pairwise import all_signs
from tests.support.samples import made_up

MEASURES, SYSTEMS = ("P@5", "RR"), ("x", "y", "z", "w", "v")
#: Methods of statsmodels' multipletests by their names in a note.
CORRECTIONS = {"Holm": "holm", "Bonferroni": "bonferroni", "Benjamini–Hochberg": "fdr_bh"}


def compute_friedman(values: np.ndarray) -> np.ndarray:
    """Return the p of all pairs by Conover's test; 1 where Friedman's test finds nothing."""
    if stats.friedmanchisquare(*values.T).pvalue >= 0.05:
        return np.ones((values.shape[1],) * 2)
    return np.asarray(scikit_posthocs.posthoc_conover_friedman(values))


#: The p of a pair of systems, by the words of a note.
BY_WORDS = {
    "paired t-test": lambda d: stats.ttest_1samp(d, 0).pvalue,
    "Wilcoxon's signed-rank test": lambda d: stats.wilcoxon(d).pvalue,
    "paired randomisation test": all_signs,
}
#: The p of all pairs at once.
TOGETHER = {
    "Conover's post-hoc test": scikit_posthocs.posthoc_conover_friedman,
    "Friedman's test with Conover's post-hoc test": compute_friedman,
}


class Reader:
    """What the note of a table says."""

    def __init__(self, note: str) -> None:
        said = re.search(r"\((?P<test>[^()]+?); (?P<topics>[^()]+)\)\.", note)
        assert said is not None, note
        self.note, words, topics = note, said["test"], said["topics"]
        family = re.search(r", ([^,]+)-corrected(?: within each ([\w ]+))?$", words)
        self.correction = CORRECTIONS[family[1]] if family else None
        self.within = family[2].split(" and ") if family and family[2] else []
        self.words = words.split(", ")
        self.test, _, against = self.words[0].partition(" against ")
        self.baselines = against.split(" and ") if against else []
        counts = [re.fullmatch(r"(\d+) topics(?: of (\w+))?", part) for part in topics.split(", ")]
        self.topics = {part[2]: int(part[1]) for part in counts if part}
        ends = re.search(r"\[low, high\]: ([\d.]+)% t confidence interval over topics", note)
        self.level = float(ends[1]) / 100 if ends else None

    def compute_p(self, values: pd.DataFrame) -> pd.Series:
        """Return the corrected p of each pair of the family, of one measure."""
        pairs = [
            pair
            for pair in itertools.combinations(values, 2)
            if not self.baselines or set(pair) & set(self.baselines)
        ]
        ranks = values.rank(axis=1)
        if self.test in TOGETHER and (ranks == ranks.iloc[0]).all(axis=None):  # no variance
            assert "not tested" in self.note
            return pd.Series(1.0, pd.MultiIndex.from_tuples(pairs))
        if self.test in TOGETHER:
            names = list(values)
            table = pd.DataFrame(np.array(TOGETHER[self.test](values.to_numpy())), names, names)
            p = [table.loc[pair] for pair in pairs]
        else:
            test = BY_WORDS[self.test]
            p = [test((values[a] - values[b]).to_numpy()) for a, b in pairs]
        if self.correction is not None:
            p = multipletests(p, method=self.correction)[1]
        return pd.Series(p, pd.MultiIndex.from_tuples(pairs))

    def read_marks(self, cells: dict[str, str]) -> set[tuple[str, str, float]]:
        """Return the pairs that are marked: the better, the worse system, and the level."""
        letters = {head[1]: head[4:] for head in cells if re.match(r"\([a-z]\) ", head)}
        marked = set()
        for head, text in cells.items():
            name = re.sub(r"^\([a-z]\) ", "", head)
            mark = re.sub(r"([+-]\S+ )?\[.*\]", "", text)
            for letter, worse in re.findall(r"\b([a-z])\b(?![.\d])(↓?)", self.spell_out(mark)):
                pair = (name, letters[letter])
                marked.add((*(reversed(pair) if worse else pair), 0.05))
            for sign, level in {"†": 0.05, "‡": 0.01}.items():
                if sign in mark:
                    pair = (name, self.baselines[0])
                    marked.add((*(reversed(pair) if "↓" in mark else pair), level))
        return marked

    @staticmethod
    def spell_out(letters: str) -> str:
        """Return "a,b,c" for "a–c"."""
        return re.sub(
            r"([a-z])–([a-z])",
            lambda ends: ",".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))),
            letters,
        )


def check_table(results: pd.DataFrame, table: Any) -> Reader:
    """Check that the marks, the counts and the intervals are those that the note speaks of."""
    reader, frame = Reader(table.note), table.to_frame()
    several = "dataset" in results
    results = results.assign(dataset=results.get("dataset", ""))
    topics = results[["dataset", "qid"]].drop_duplicates()
    shown = "".join(frame.to_numpy().ravel())
    assert [sign in table.note for sign in "•↓"] == [sign in shown for sign in "•↓"]
    assert reader.topics == (
        topics.value_counts("dataset").to_dict() if several else {None: len(topics)}
    )
    measures, names = results["measure"].unique(), results["name"].unique()
    datasets = [*results["dataset"].unique(), *["mean"] * several]
    items = list(itertools.product(measures, datasets))
    if reader.correction is not None:
        assert ("measure" in reader.within) == (len(measures) > 1)
        assert ("dataset" in reader.within) == several
    assert ("two-sided" in reader.words) == (reader.test in BY_WORDS)
    for place, (measure, dataset) in enumerate(items):
        rows = results[results["measure"] == measure]
        if dataset != "mean":
            rows = rows[rows["dataset"] == dataset]
        elif "its test pools the topics of all datasets" not in reader.note:
            assert not re.search("Wilcoxon|Friedman|Conover", reader.test)
            continue  # other tests of macro means have tests of their own
        values = rows.pivot(index=["dataset", "qid"], columns="name", values="value")[names]
        p = reader.compute_p(values)
        assume(not (np.isclose(p, 0.05, atol=1e-6) | np.isclose(p, 0.01, atol=1e-6)).any())
        found = {frozenset(pair): value for pair, value in p.items()}
        marked = reader.read_marks(frame.iloc[place].to_dict())
        assert {frozenset(pair[:2]) for pair in marked} == {
            pair for pair, value in found.items() if value < 0.05
        }
        for better, worse, level in marked:
            difference = values[better] - values[worse]
            ahead = {
                "in signed ranks": stats.rankdata(np.abs(difference)) @ np.sign(difference),
                "Conover": values.rank(axis=1).mean()[better] - values.rank(axis=1).mean()[worse],
                "": difference.mean(),
            }
            assert next(merit for word, merit in ahead.items() if word in reader.note) > 0
            assert found[frozenset((better, worse))] < level
            if level == 0.05 and "p < 0.01" in reader.note:
                assert found[frozenset((better, worse))] >= 0.01
        data = table.data.iloc[place * len(names) : (place + 1) * len(names)]
        for row in data.itertuples():
            worse = {lost for won, lost, _ in marked if won == row.name}
            better = {won for won, lost, _ in marked if lost == row.name}
            assert set(filter(None, row.better_than.split("; "))) == worse
            assert set(filter(None, row.worse_than.split("; "))) == better
    return reader


@st.composite
def options(draw) -> dict[str, Any]:
    """Options that go together, of those that are declared."""
    chosen: dict[str, Any] = {}
    chosen["test"] = draw(
        st.sampled_from([*sorted(TESTS.keys() - {"randomised-tukey"}), "friedman"])
    )
    chosen["correction"] = draw(st.sampled_from([*CORRECTIONS.values(), "HOLM", "b", "fdri", None]))
    chosen["baseline"] = draw(st.sampled_from([None, ["x"], ["y"], ["x", "z"]]))
    several = len(chosen["baseline"] or []) > 1
    if not several and draw(st.booleans()):
        chosen["interval"] = True
        chosen["confidence"] = draw(st.sampled_from([0.8, 0.9, 0.95, 0.99]))
    return chosen


@settings(max_examples=settings.default.max_examples // 2)
@given(options(), st.integers(0, 2**32), st.integers(8, 11), st.integers(1, 2), st.data())
@pytest.mark.filterwarnings("ignore")
def test_notes_of_tables(chosen: dict, seed: int, topics: int, measures: int, data: Any) -> None:
    test = chosen["test"]
    rng = np.random.default_rng(seed)
    fewest = 3 if test == "conover" or len(chosen["baseline"] or []) > 1 else 2
    systems = SYSTEMS[: data.draw(st.integers(fewest, 5))]
    datasets = data.draw(st.sampled_from([None, {"one": topics, "two": topics + 2}]))
    frames = []
    for dataset, size in (datasets or {"": topics}).items():
        level = rng.random((size, 1))
        for measure in MEASURES[:measures]:
            values = level + rng.normal(0, 0.3, (size, len(systems)))
            values += np.linspace(0, data.draw(st.sampled_from([0, 0.5, 1])), len(systems))
            wide = pd.DataFrame(values, columns=list(systems)).rename_axis("qid").reset_index()
            tidy = wide.melt("qid", var_name="name").astype({"qid": str})
            frames.append(tidy.assign(measure=measure, dataset=dataset))
    results = pd.concat(frames, ignore_index=True)
    results = results if datasets else results.drop(columns="dataset")
    event(f"{test}, {'datasets' if datasets else 'topics'}")
    reader = check_table(results, paper_table(results, rows="measures", **chosen))
    assert all(re.search(r"[^.]\.$", note) for note in reader.note.splitlines())
    assert (reader.baselines, reader.level) == (chosen["baseline"] or [], chosen.get("confidence"))


def test_renamed_measures_are_told() -> None:
    results = made_up(3, {"nDCG(gains='exp')@10": 0.5, "AP": 0.3})
    for label, told in (("P", "; P is AP."), ("AP", ".")):
        measures = {"nDCG(gains='exp')@10": "mine", "AP": label}
        table = paper_table(results, measures=measures, test=None)
        assert table.notes[-1] == f"mine is nDCG(gains='exp')@10{told}"
    labels = {f"nDCG@{k}": f"label {k}" for k in range(1, 6)}
    five = made_up(3, dict.fromkeys(labels, 0.5))
    assert "label" not in paper_table(five, measures=labels, test=None).note
