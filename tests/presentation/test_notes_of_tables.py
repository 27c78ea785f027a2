"""What a table's note says is what was computed.

A program reads the printed tables as a person would. It knows the results and the text, not the
options, and computes with scipy, statsmodels and scikit-posthocs what the note says.
"""

from __future__ import annotations

import itertools
import re
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
import statsmodels.api as sm
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import CG, cli, nDCG, paper_table
from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.options import CORRECTIONS, METHODS
from tests.support.helpers import experiment, run_files

MEASURES, SYSTEMS = ("P@5", "RR"), ("x", "y", "z", "w", "v")
GROUP = "q"


def permute_signs(differences: np.ndarray, groups: np.ndarray) -> float:
    """Return the share of all patterns of the groups' signs with a sum as far from 0."""
    sums = np.array([differences[groups == group].sum() for group in np.unique(groups)])
    signs = np.array(list(itertools.product((1, -1), repeat=len(sums))))
    return float(np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9))


def compute_t(differences: np.ndarray, groups: np.ndarray) -> float:
    """Return the p of the mean difference, cluster-robust: of single topics, that of t."""
    model = sm.OLS(differences, np.ones(len(differences)))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    return float(fitted.pvalues[0])


def compute_tukey(values: np.ndarray) -> np.ndarray:
    """Return the p of all pairs of columns by Tukey's HSD of the two-way layout."""
    n, k = values.shape
    left = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    free = (n - 1) * (k - 1)
    differences = np.abs(np.subtract.outer(values.mean(0), values.mean(0)))
    error = np.sqrt((left**2).sum() / free / n)
    p, pairs = np.ones((k, k)), np.triu_indices(k, 1)  # slow: each pair once
    p[pairs] = p[pairs[::-1]] = stats.studentized_range.sf(differences[pairs] / error, k, free)
    return p


def compute_friedman(values: np.ndarray) -> np.ndarray:
    """Return the p of all pairs by Conover's test; 1 where Friedman's test finds nothing."""
    if stats.friedmanchisquare(*values.T).pvalue >= 0.05:
        return np.ones((values.shape[1],) * 2)
    return np.asarray(scikit_posthocs.posthoc_conover_friedman(values))


#: The p of a pair of systems, by the words of a note.
BY_WORDS = {
    "paired t-test": lambda a, b, groups: compute_t(a - b, groups),
    "Wilcoxon's signed-rank test": lambda a, b, _: stats.wilcoxon(a - b).pvalue,
    "paired randomisation test": lambda a, b, groups: permute_signs(a - b, groups),
    "Welch's t-test": lambda a, b, _: stats.ttest_ind(a, b, equal_var=False).pvalue,
    "Mann–Whitney U test": lambda a, b, _: stats.mannwhitneyu(a, b).pvalue,
}
#: The p of all pairs at once.
TOGETHER = {
    "Tukey's HSD test": compute_tukey,
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
        called = {text: name for name, text in CORRECTIONS.items()}
        self.correction = called[family[1]] if family else None
        self.within = family[2].split(" and ") if family and family[2] else []
        self.words = words.split(", ")
        self.test, _, against = self.words[0].partition(" against ")
        self.baselines = against.split(" and ") if against else []
        groups = re.search(r", in (\d+) groups(?: in all)?$", topics)
        self.groups = int(groups[1]) if groups else None
        topics = topics[: groups.start()] if groups else topics
        counts = [re.fullmatch(r"(\d+) topics(?: of (\w+))?", part) for part in topics.split(", ")]
        self.topics = {part[2]: int(part[1]) for part in counts if part}
        ends = re.search(
            r"\[low, high\]: ([\d.]+)% (.+) confidence interval over (groups of )?topics", note
        )
        self.level = float(ends[1]) / 100 if ends else None
        self.kind = {text: name for name, text in METHODS.items()}[ends[2]] if ends else None

    def compute_p(self, values: pd.DataFrame, groups: np.ndarray) -> pd.Series:
        """Return the corrected p of each pair of the family, of one measure."""
        names = list(values)
        pairs = [
            pair
            for pair in itertools.combinations(names, 2)
            if not self.baselines or set(pair) & set(self.baselines)
        ]
        if self.test in TOGETHER:
            table = pd.DataFrame(np.array(TOGETHER[self.test](values.to_numpy())), names, names)
            p = [table.loc[pair] for pair in pairs]
        else:
            test = BY_WORDS[self.test]
            p = [test(values[a].to_numpy(), values[b].to_numpy(), groups) for a, b in pairs]
        if self.correction is not None:
            p = multipletests(p, method=self.correction)[1]
        return pd.Series(p, pd.MultiIndex.from_tuples(pairs))

    def read_marks(self, cells: dict[str, str], reading: str) -> set[tuple[str, str, float]]:
        """Return the pairs that are marked: the better, the worse system, and the level."""
        letters = {head[1]: head[4:] for head in cells if re.match(r"\([a-z]\) ", head)}
        capitals = {head[0]: head[2:] for head in cells if re.match(r"[A-Z] ", head)}
        stars = {"**": 0.01, "*": 0.05}
        marked = set()
        for phrase in filter(None, reading.split("; ")):
            better, worse, star = re.fullmatch(r"(.+) > (.+?)(\*+)", phrase).groups()
            pairs = itertools.product(better.split(","), worse.split(","))
            marked |= {(capitals[b], capitals[w], stars[star]) for b, w in pairs}
        for head, text in cells.items():
            name, mark = re.sub(r"^(\([a-z]\)|[A-Z]) ", "", head), re.sub(r"\[.*\]", "", text)
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


def check_table(results: pd.DataFrame, table: Any, group_of: Any = str) -> Reader:
    """Check that the marks, the counts and the intervals are those that the note speaks of."""
    reader, frame = Reader(table.note), table.to_frame()
    several = "dataset" in results
    results = results.assign(dataset=results.get("dataset", ""))
    topics = results[["dataset", "qid"]].drop_duplicates()
    assert reader.topics == (
        topics.value_counts("dataset").to_dict() if several else {None: len(topics)}
    )
    groups = {(dataset, group_of(qid)) for dataset, qid in topics.to_numpy()}
    assert len(groups) == (len(topics) if reader.groups is None else reader.groups)
    measures, names = results["measure"].unique(), results["name"].unique()
    datasets = [*results["dataset"].unique(), *["mean"] * several]
    items = list(itertools.product(measures, datasets))
    if reader.correction is not None:
        assert ("measure" in reader.within) == (len(measures) > 1)
        assert ("dataset" in reader.within) == several
    assert ("two-sided" in reader.words) == (reader.test in BY_WORDS)
    assert ("adjusted for all pairs" in reader.words) == reader.test.startswith("Tukey")
    for place, (measure, dataset) in enumerate(items):
        row = frame.iloc[place]
        reading = row.pop("Stat. Sign.") if "Stat. Sign." in row else ""
        if below := re.search(rf"^{re.escape(frame.index[place])}: (.+)\.$", table.note, re.M):
            reading = below[1].replace("no pair differs significantly", "")
        marked = reader.read_marks(row.to_dict(), reading)
        rows = results[results["measure"] == measure]
        if dataset != "mean":
            rows = rows[rows["dataset"] == dataset]
        elif "its test takes the topics of all datasets together" not in reader.note:
            assert not re.search("Wilcoxon|Friedman|Conover", reader.test)
            continue  # other tests of macro means have tests of their own
        values = rows.pivot(index=["dataset", "qid"], columns="name", values="value")
        values = values[names]
        p = reader.compute_p(values, pd.factorize(values.index.map(lambda t: group_of(t[1])))[0])
        near = np.isclose(p, 0.05, atol=1e-6) | np.isclose(p, 0.01, atol=1e-6)
        assume(not near.any())
        found = {frozenset(pair): value for pair, value in p.items()}
        assert {frozenset(pair[:2]) for pair in marked} == {
            pair for pair, value in found.items() if value < 0.05
        }
        for better, worse, level in marked:
            difference = values[better] - values[worse]
            signed = stats.rankdata(np.abs(difference)) @ np.sign(difference)
            by_rank = stats.rankdata(values[[better, worse]], axis=None).reshape(-1, 2)
            ahead = {
                "in signed ranks": signed,
                "Conover": values.rank(axis=1).mean()[better] - values.rank(axis=1).mean()[worse],
                "Mann": np.subtract(*by_rank.sum(axis=0)),
                "": difference.mean(),
            }
            assert next(merit for word, merit in ahead.items() if word in reader.note) > 0
            assert found[frozenset((better, worse))] < level
            if level == 0.05 and "p < 0.01" in reader.note:
                assert found[frozenset((better, worse))] >= 0.01
        check_intervals(reader, row, values, several or reader.groups is not None)
    return reader


def check_intervals(reader: Reader, row: pd.Series, values: pd.DataFrame, special: bool) -> None:
    """Check printed intervals of a mean over topics: t by scipy, those of the bootstrap roughly."""
    for head, text in row.items():
        ends = re.search(r"\[(-?[\d.]+), (-?[\d.]+)\]", text)
        assert (ends is not None) == (reader.level is not None)
        if ends is None or special:
            continue
        column = values[re.sub(r"^(\([a-z]\)|[A-Z]) ", "", str(head))]
        if reader.kind == "t":
            test = stats.ttest_1samp(column, 0)
            expected, room = test.confidence_interval(reader.level), 5.1e-4
        else:
            draw = partial(stats.bootstrap, (column,), np.mean, n_resamples=9_999, random_state=1)
            method = {"bca": "BCa", "percentile": "percentile"}[str(reader.kind)]
            drawn = draw(confidence_level=reader.level, method=method)
            expected, room = drawn.confidence_interval, 0.15 * column.std() + 5.1e-4
        assert float(ends[1]) == pytest.approx(expected[0], abs=room)
        assert float(ends[2]) == pytest.approx(expected[1], abs=room)


@st.composite
def options(draw) -> dict[str, Any]:
    """Options that go together, of those that are declared."""
    drawn = [name for name in TESTS if name not in ("equivalence", "randomised-tukey")]
    test = draw(st.sampled_from([*drawn, "friedman"]))
    chosen: dict[str, Any] = {"test": test}
    corrections = [name for name in CORRECTIONS if name != "single-step"]
    chosen["correction"] = draw(st.sampled_from([*corrections, None]))
    baselines = draw(st.sampled_from([None, ["x"], ["y"], ["x", "z"]]))
    chosen["baseline"] = baselines
    marks = ["letters", "reading", *["daggers"] * (baselines is not None and len(baselines) == 1)]
    chosen["marks"] = draw(st.sampled_from([*marks, None]))
    if draw(st.booleans()):
        chosen["interval"] = draw(st.sampled_from([*METHODS, True]))
        chosen["confidence"] = draw(st.sampled_from([0.8, 0.9, 0.95, 0.99]))
    return chosen


@settings(
    max_examples=settings.default.max_examples // 6, suppress_health_check=[HealthCheck.too_slow]
)
@given(options(), st.integers(0, 2**32), st.integers(8, 11), st.integers(1, 2), st.data())
@pytest.mark.filterwarnings("ignore")
def test_notes_of_tables(chosen: dict, seed: int, topics: int, measures: int, data: Any) -> None:
    test = chosen["test"]
    rng = np.random.default_rng(seed)
    fewest = 3 if test == "conover" or len(chosen["baseline"] or []) > 1 else 2
    systems = SYSTEMS[: data.draw(st.integers(fewest, 5))]
    datasets = data.draw(st.sampled_from([None, {"one": topics, "two": topics + 2}]))
    if test == "mann-whitney":
        datasets = None
    grouped = datasets is None and test in ("t", "randomisation") and data.draw(st.booleans())
    group_of = (lambda qid: int(qid) // 2) if grouped else str
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
    event(f"{test}, {'datasets' if datasets else 'groups' if grouped else 'topics'}")
    if grouped:
        chosen["cluster"] = group_of
    reader = check_table(results, paper_table(results, rows="measures", **chosen), group_of)
    assert reader.baselines == (chosen["baseline"] or [])
    assert (reader.level is not None) == ("interval" in chosen)


@settings(
    max_examples=settings.default.max_examples // 14,
    suppress_health_check=list(HealthCheck),
)
@given(options(), st.data())
@pytest.mark.filterwarnings("ignore")
def test_what_compare_prints(capsys, chosen: dict, data: Any) -> None:
    """Values: those of pt.Experiment. Differences, intervals, effects and p: by scipy.

    Of 42 topics the randomisation test draws patterns of signs.
    """
    assume(chosen["test"] not in ("friedman", "randomisation"))
    names = {"BM25": "bm25", "DPH": "dph", "First word": "first-word"}
    measures = data.draw(st.sampled_from([[CG @ 5], [CG @ 5, nDCG @ 10]]))
    baseline = data.draw(st.sampled_from(sorted(names.values())))
    arguments = ["--test", chosen["test"], "--baseline", baseline, "--width", "1000"]
    arguments += ["--correction", chosen["correction"] or "none"]
    if "interval" in chosen:
        kind = "t" if chosen["interval"] is True else chosen["interval"]
        arguments += ["--interval", kind, "--confidence", str(chosen["confidence"])]
    arguments += [word for measure in measures for word in ("-m", str(measure))]
    assert cli.main(["compare", "pydocs", *run_files(*names.values()), *arguments]) == 0
    printed = capsys.readouterr().out
    reader = Reader(printed)
    assert reader.baselines == [baseline]
    results = experiment(measures, perquery=True)
    results = results[results["name"].isin(list(names))].replace({"name": names})
    assert reader.topics == {None: results["qid"].nunique()}
    said = re.search(
        r"Differences: ([\d.]+)% ([\w ]+?) intervals(.*?); effect size: (.+)\.", printed
    )
    assert said is not None
    level, kind, spread = (
        float(said[1]) / 100,
        said[2],
        said[4].removeprefix("mean difference divided by the "),
    )
    line = r"(\S+) - (\S+) +(\S+) \[(\S+), (\S+)\] +(\S+) +(<?) ?(\S+)"
    blocks = re.split(r"^ +(\S+) difference +effect size +(?:corrected )?p$", printed, flags=re.M)
    lines = [
        (item, *row)
        for item, block in zip(blocks[1::2], blocks[2::2])
        for row in re.findall(line, block)
    ]
    assert len(lines) == 2 * len(measures)
    for measure, rows in results.groupby("measure"):
        values = rows.pivot(index="qid", columns="name", values="value")
        p = reader.compute_p(values, np.arange(len(values)))
        for item, name, other, *numbers, sign, printed_p in lines:
            if item != str(measure):
                continue
            difference, low, high, effect = map(float, numbers)
            d = values[name] - values[other]
            assert difference == pytest.approx(d.mean(), abs=5.1e-4)
            if kind == "t" and spread != "root of the mean variance":
                ends = stats.ttest_1samp(d, 0).confidence_interval(level)
                assert [low, high] == pytest.approx(list(ends), abs=5.1e-4)
            assert low < difference < high
            left = values.sub(values.mean(axis=1), axis=0) - values.mean() + values.stack().mean()
            n, k = values.shape
            expected = {
                "standard deviation of the differences": d.std(),
                "root of the mean variance": np.sqrt(values[[name, other]].var().mean()),
                "residual standard deviation": np.sqrt(
                    (left.to_numpy() ** 2).sum() / (n - 1) / (k - 1)
                ),
            }[spread]
            assert effect == pytest.approx(d.mean() / expected, abs=5.1e-3)
            exact = p[(name, other)] if (name, other) in p else p[(other, name)]
            assert float(printed_p) == pytest.approx(max(exact, 1e-4), abs=1.1e-4)
            assert (sign == "<") == (exact < 1e-4)
