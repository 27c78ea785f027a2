"""What sentences say of systems is what is true of them.

Data is drawn, and a program reads the printed text as a person would. It knows the rankings and
the judgments, not the frame from which the text was written: values under a weighting, a discount
or other judgments are computed from the definitions, p-values by scipy and statsmodels.
"""

from __future__ import annotations

import itertools
import operator
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_cumgain import describe, dominance, paper_table, rank_intervals
from pt_cumgain.comparing import read_values
from pt_cumgain.presentation.phrases import write_end, write_p
from pt_cumgain.trust import judge_next
from tests.support import reference
from tests.support.helpers import run_cli
from tests.support.judgments import judge_in_every_way, labels_by_gain, unjudged_among

NEAR = 1e-9


@given(
    st.floats(1e-12, 1e4), st.sampled_from([-1, 1]), st.integers(0, 6), st.sampled_from([-1, 0, 1])
)
@example(size=0.5, sign=-1, places=0, side=0)
def test_only_0_is_written_as_0(size: float, sign: int, places: int, side: int) -> None:
    """An end of a range is rounded outwards, another difference to the nearest number."""
    value = sign * size
    written = float(write_end(value, places, side))
    assert written != 0
    assert np.sign(written) == sign
    assert side * (written - value) <= 1e-9 * size
    assert abs(written - value) <= max(10.0**-places, size)
    assert float(write_end(0.0, places, side)) == 0


def draw_systems(seed: int, number: int) -> tuple[dict, dict]:
    """Judgments of four of six documents on two topics, and rankings of the six."""
    draws, docs = np.random.default_rng(seed), list("abcdef")
    qrels = {
        q: dict(zip(draws.permutation(docs)[:4].tolist(), draws.choice(4, 4).tolist()))
        for q in "12"
    }
    qrels["1"]["a"] = int(draws.choice([1, 2, 3]))
    runs = {
        name: {q: {doc: -rank for rank, doc in enumerate(draws.permutation(docs))} for q in "12"}
        for name in "ABCD"[:number]
    }
    if draws.random() < 0.2:
        runs["B"] = runs["A"]
    return qrels, runs


#: How the last sentences say what was chosen.
CHOSEN = {
    "Any document that is not judged": "judgments",
    "The pool holds the documents": "pool",
    '"every discount" for each': "both",
    '"Every discount" stands for each': "discount",
    '"Every weighting" stands for each': "gains",
}
EVERY = (
    r"(?:under every weighting of the levels with every discount|under every discount|"
    r"under every weighting of the levels|whatever the missing judgments are|"
    r"however the pool is judged, if no unjudged document outside it is relevant)"
)
NUMBER = r"(-?[\d.]+(?:e-\d+)?)"


def spread_shares(number: int) -> list[np.ndarray]:
    """Shares with sum 1: all of it in one place, and all ratios to the first by powers of 4."""
    ratios = itertools.product(4.0 ** np.arange(-5, 6), repeat=number - 1)
    return [*np.eye(number), *(np.array([1, *ratio]) / (1 + sum(ratio)) for ratio in ratios)]


class Truth:
    """The differences of systems under all choices, or many of them."""

    def __init__(self, qrels: dict, runs: dict, measure: str, over: str) -> None:
        self.qrels, self.runs, self.over = qrels, runs, over
        self.divided, self.k = measure.startswith("n"), int(measure.partition("@")[2])
        levels = {level for judged in qrels.values() for level in judged.values()}
        self.levels = sorted(levels - {0})
        self.scale = 1.0 if self.divided else max(self.levels)
        self.declared = {level: float(level) for level in self.levels}
        self.log2 = 1 / np.log2(np.arange(self.k) + 2)
        self.shown = {
            (name, q): reference.ranking(run)[: self.k]
            for name, topics in runs.items()
            for q, run in topics.items()
        }

    def value(self, judged: dict, shown: list[str], gain: dict, weights: list[float]) -> float:
        gains = [gain.get(judged.get(doc), 0.0) for doc in shown]
        ideal = sorted((gain.get(level, 0.0) for level in judged.values()), reverse=True)
        own, best = (sum(map(operator.mul, vector, weights)) for vector in (gains, ideal))
        return own / best if self.divided and best else 0.0 if self.divided else own

    def under(self, one: str, other: str, gain: dict, weights: np.ndarray) -> float:
        """The mean difference under a weighting and a discount."""
        return float(
            np.mean(
                [
                    np.subtract(
                        *(self.value(self.qrels[q], self.shown[s, q], gain, weights.tolist())
                          for s in (one, other))
                    )
                    for q in self.qrels
                ]
            )
        )  # fmt: skip

    def compute_all(self, one: str, other: str) -> np.ndarray:
        """The smallest and the largest difference, among others."""
        if self.over in ("judgments", "pool"):
            return self.judge_all(one, other)
        weightings = [
            dict(zip(self.levels, self.scale * np.cumsum(shares)))
            for shares in spread_shares(len(self.levels))
        ]
        discounts = [np.cumsum(shares[::-1])[::-1] for shares in spread_shares(self.k)]
        chosen: Any = {
            "gains": ([*weightings, self.declared], [self.log2]),
            "discount": ([self.declared], [*discounts, self.log2]),
            "both": ([*weightings, self.declared], [*discounts, self.log2]),
        }[self.over]
        return np.array([self.under(one, other, *choice) for choice in itertools.product(*chosen)])

    def judge_all(self, one: str, other: str) -> np.ndarray:
        """The ends: each topic's smallest and largest difference, whatever its judgments."""
        ends, labels, weights = [], labels_by_gain([0, *self.levels]), self.log2.tolist()
        for q, judged in self.qrels.items():
            unjudged = unjudged_among(judged, [run[q] for run in self.runs.values()], self.k)
            more = self.k if self.over == "judgments" and self.divided else 0
            values = [
                np.subtract(
                    *(self.value(new, self.shown[s, q], self.declared, weights)
                      for s in (one, other))
                )
                for new in judge_in_every_way(judged, unjudged, labels, more)
            ]  # fmt: skip
            ends.append([min(values), max(values)])
        return np.mean(ends, axis=0)

    def is_unmet(self, name: str) -> bool:
        """Whether none of a system's documents down to k is judged in its topic."""
        return not any(doc in self.qrels[q] for q in self.qrels for doc in self.shown[name, q])

    @property
    def exact(self) -> bool:
        """Whether the extremes are among the differences, not only near them."""
        return self.over in ("judgments", "pool") or not self.divided


def check_range(truth: Truth, differences: np.ndarray, low: str, high: str) -> None:
    """No difference is outside the printed ends, and they are no wider than their last digit."""
    least, most = differences.min(), differences.max()
    assert float(low) - NEAR <= least <= most <= float(high) + NEAR
    room = 1e-3 + 1e-4 if truth.exact else 0.1
    assert least - float(low) < room
    assert float(high) - most < room


def read_choice(text: str, truth: Truth) -> tuple[dict, np.ndarray]:
    """The weighting and the discount that the words name."""
    gain, weights = truth.declared, truth.log2
    if gains := re.match(r"under ([\d.:,e-]+)", text):
        if ":" in gains[1]:
            pairs = [pair.split(":") for pair in gains[1].split(",")]
            gain = {float(level): float(value) for level, value in pairs}
        else:
            gain = dict(enumerate(map(float, gains[1].split("-"))))
    if "reads only the first document" in text:
        weights = np.eye(truth.k)[0]
    elif first := re.search(r"reads only the first (\d+) documents", text):
        weights = (np.arange(truth.k) < int(first[1])).astype(float)
    elif "without a discount" in text:
        weights = np.ones(truth.k)
    elif listed := re.search(r"with the weights ([\d., e-]+) at ranks 1 to (\d+)", text):
        weights = np.array(list(map(float, listed[1].split(", "))))
        assert len(weights) == int(listed[2]) == truth.k
    return gain, weights


def check_line(line: str, truth: Truth) -> tuple[str, ...]:
    """Check a sentence on one pair; the kind of sentence, and the pair."""
    none = "no conclusion, because one of them returns no judged document at the ranks that count"
    if said := re.fullmatch(rf"(\w) and (\w): {none}", line):
        assert any(map(truth.is_unmet, said.groups()))
        return "no conclusion", said[1], said[2]
    if said := re.fullmatch(
        rf"(\w) is better than (\w) {EVERY} \((?:by {NUMBER}(?: to {NUMBER})?|"
        rf"the difference lies within {NUMBER} to {NUMBER})\)", line
    ):  # fmt: skip
        found = truth.compute_all(said[1], said[2])
        low, high = (said[3], said[4] or said[3]) if said[3] else (said[5], said[6])
        assert found.min() > 0
        if said[3]:
            check_range(truth, found, low, high)
        assert float(low) - NEAR <= found.min() <= found.max() <= float(high) + NEAR
        return "better", said[1], said[2]
    if said := re.fullmatch(
        rf"(\w) is at least as good as (\w) {EVERY} \((?:better by up to {NUMBER}|"
        rf"the difference lies within {NUMBER} to {NUMBER})\)", line
    ):  # fmt: skip
        found = truth.compute_all(said[1], said[2])
        assert found.min() >= -NEAR
        assert found.max() <= float(said[3] or said[5]) + NEAR
        return "as good", said[1], said[2]
    if said := re.fullmatch(rf"(\w) and (\w) are equal {EVERY}", line):
        assert truth.compute_all(said[1], said[2]) == pytest.approx(0, abs=NEAR)
        return "equal", said[1], said[2]
    if said := re.fullmatch(
        rf"(\w) and (\w): it depends; \1 may be better by up to {NUMBER}, or worse by up to "
        rf"{NUMBER}", line
    ):  # fmt: skip
        check_range(truth, truth.compute_all(said[1], said[2]), f"-{said[4]}", said[3])
        return "depends on judgments", said[1], said[2]
    if said := re.fullmatch(
        rf"(\w) and (\w): it depends; \1 is better (.+?)(?: \(by {NUMBER}\))?, worse (.+?)"
        rf"(?: \(by {NUMBER}\)|; the difference lies within {NUMBER} to {NUMBER})", line
    ):  # fmt: skip
        for words, printed, sign in ((said[3], said[4], 1), (said[5], said[6], -1)):
            value = sign * truth.under(said[1], said[2], *read_choice(words, truth))
            if printed:  # three digits of a weight are printed
                assert value == pytest.approx(float(printed), abs=6e-3)
            assert value > -6e-3
        return "depends", said[1], said[2]
    said = re.fullmatch(
        rf"(\w) and (\w): not decided {EVERY}; the difference lies within {NUMBER} to {NUMBER}",
        line,
    )
    assert said is not None, line
    found = truth.compute_all(said[1], said[2])
    assert float(said[3]) - NEAR <= found.min() <= found.max() <= float(said[4]) + NEAR
    return "open", said[1], said[2]


def split_names(text: str) -> list[str]:
    return re.split(r", and | and |, ", text)


def check_many(text: str, truth: Truth) -> None:
    """Check sentences on many pairs: what holds of each, and that each is counted once."""
    counted = re.match(r"(?:Of|All) (\d+) comparisons,? (.+?)\. ", text)
    assert counted is not None, text
    pairs: dict[str, list] = {"hold": [], "depend": [], "not decided": [], "returns no": []}
    for better, words, worse, least in re.findall(
        r"(\w) is (better than|at least as good as) ([\w, ]+?)"
        rf"(?: \(by at least {NUMBER}\))?\.(?= |$)",
        text,
    ):
        for name in split_names(worse):
            found = truth.compute_all(better, name)
            assert found.min() >= (float(least) if least else 0) - NEAR
            assert found.max() > 0 or words != "better than"
            pairs["hold"].append({better, name})
    for kind, start in (
        ("hold", rf"These are equal {EVERY}: "),
        ("depend", r"The order depends on [\w ]+? for "),
        ("not decided", r"The order is not decided for "),
        ("returns no", r"There is no conclusion .* at the ranks that count: "),
    ):
        for listed in re.findall(rf"{start}([\w; ]+)\.", text):
            for pair in listed.split("; "):
                one, other = pair.split(" and ")
                assert (kind == "returns no") == any(map(truth.is_unmet, (one, other)))
                found = truth.compute_all(one, other)
                if kind == "hold":
                    assert found == pytest.approx(0, abs=NEAR)
                elif kind == "depend" and truth.exact:
                    assert found.min() < 0 < found.max()
                pairs[kind].append({one, other})
    everything = [pair for found in pairs.values() for pair in found]
    expected = [set(pair) for pair in itertools.combinations(truth.runs, 2)]
    assert sorted(map(sorted, everything)) == sorted(map(sorted, expected))
    assert int(counted[1]) == len(expected)
    for kind, found in pairs.items():
        if found and len(found) < len(expected):
            word = kind.replace("not decided", "(?:is|are) not decided")
            word = word.replace("returns no", "(?:has|have) a system that returns no")
            assert re.search(rf"\b{len(found)} {word}", counted[2])


@settings(
    max_examples=settings.default.max_examples // 3,
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
@given(
    seed=st.integers(0, 2**32),
    number=st.sampled_from([2, 3, 4]),
    measure=st.sampled_from(["DCG@2", "nDCG@2"]),
    over=st.sampled_from(["gains", "discount", "both", "judgments", "pool"]),
    limit=st.sampled_from([1, 100_000]),
)
def test_sentences_on_dominance(seed, number, measure: str, over: Any, limit: int) -> None:
    qrels, systems = draw_systems(seed, number)
    frame = dominance(systems, None, qrels, measure, over=over, limit=limit)
    text = describe(frame).text
    assert "ir-measures" not in text  # another program would rank scores as float32
    said = re.split(r"(?<=[.)\w])\.? (?=(?:n?DCG@2: |\"Every|Any doc|The pool))", text)
    chosen = next(kind for words, kind in CHOSEN.items() if words in text)
    lines = [line.removeprefix(f"{measure}: ") for line in said if line.startswith(f"{measure}: ")]
    truth = Truth(qrels, systems, measure, chosen)
    if len(systems) > 3:
        (many,) = lines
        event("many")
        check_many(f"{many.rstrip('.')}.", truth)
        return
    told = [check_line(line, truth) for line in lines]
    for kind, *_ in told:
        event(f"{kind} {over}")
    expected = itertools.combinations(systems, 2)
    assert sorted(sorted(pair) for _, *pair in told) == sorted(sorted(pair) for pair in expected)


@settings(
    max_examples=settings.default.max_examples // 10,
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
@given(st.integers(0, 2**32), st.sampled_from(["DCG@2", "nDCG@2"]))
def test_how_many_signs_hold(seed: int, measure: str) -> None:
    """Over the pool and over all judgments, by all ways to judge."""
    qrels, systems = draw_systems(seed, 3)
    told = judge_next(systems, None, qrels, measure, n=1).attrs["hold"]
    assert told["pairs"] == 3
    for over in ("pool", "judgments"):
        truth = Truth(qrels, systems, measure, over)
        ends = [truth.compute_all(*pair) for pair in itertools.combinations(systems, 2)]
        assert told[over] == sum(low >= -NEAR or high <= NEAR for low, high in ends)


@pytest.mark.parametrize("seed", range(4))
def test_ranks_that_compare_prints(seed: int, capsys, tmp_path) -> None:
    """By scipy's paired t-tests, and Holm's correction of statsmodels."""
    draws = np.random.default_rng(seed)
    values = draws.random((12, 1)) + draws.normal(0, 0.1, (12, 4)) + [0, 0.02, 0.1, 0.15]
    table = pd.DataFrame(values.round(4), columns=list("wxyz"))
    for name, column in table.items():
        lines = [f"map\t{topic}\t{value:.4f}\n" for topic, value in column.items()]
        (tmp_path / f"{name}.eval").write_text("".join([*lines, f"map\tall\t{column.mean():.4f}"]))
    files = [str(tmp_path / f"{name}.eval") for name in table]
    code, out, _ = run_cli(capsys, "compare", "--values", *files, "--ranks", "--width", "1000")
    assert code == 0
    said = re.search(r"map: (\w) (?:is best|leads).*?; ranks: (.+)", out)
    too = re.search(r"; ([\w, ]+) may be best, too", out)
    level = re.search(r"([\d.]+)% confidence for all systems at once", out)
    assert said is not None
    assert level is not None
    alpha = 1 - float(level[1]) / 100
    pairs = list(itertools.combinations(table, 2))
    p = np.array([stats.ttest_rel(table[a], table[b]).pvalue for a, b in pairs])
    assert "by paired t-tests of all pairs, Holm-corrected" in out
    reject = multipletests(p, alpha, method="holm")[0]
    ahead = [(a, b) if table[a].mean() > table[b].mean() else (b, a) for a, b in pairs]
    won = [pair for pair, differ in zip(ahead, reject) if differ]
    ranks = re.findall(r"(\w) (\d) \[(\d), (\d)\]", said[2])
    assert [name for name, *_ in ranks] == [*table.mean().sort_values(ascending=False).index]
    for place, (name, rank, low, high) in enumerate(ranks, 1):
        assert int(rank) == place
        assert int(low) == 1 + sum(name == worse for _, worse in won)
        assert int(high) == 4 - sum(name == better for better, _ in won)
    assert "one-sided paired t-tests against each of the others, Bonferroni-corrected" in out
    excluded = {worse for (_, worse), one in zip(ahead, p) if 3 * one / 2 < alpha}
    best = [said[1], *(split_names(too[1]) if too else [])]
    assert best == [name for name, *_ in ranks if name not in excluded]


@pytest.mark.parametrize("differences", [(1, 1, 0.5, -0.1, 0.3), (1, 1, 0.5, 0.4, 0.3)])
def test_of_two_systems_one_is_excluded_by_the_test_that_the_sentence_names(differences) -> None:
    """SciPy's; one-sided, p is below 0.05 of both, two-sided of the second alone."""
    one_sided, two_sided = (
        stats.ttest_1samp(differences, 0, alternative=side).pvalue
        for side in ("greater", "two-sided")
    )
    assert one_sided < 0.05
    text = describe(rank_intervals(results_of(*differences))).text
    assert "the other is better by a two-sided paired t-test, 95% confidence" in text
    assert ("A is best" in text) == (two_sided < 0.05) == ("B may be best" not in text)


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.049996, "= 0.049996"), (0.05, "= 0.050000"), (0.0499, "= 0.0499"), (9e-5, "< 0.0001")],
)
def test_a_p_below_a_level_is_not_printed_as_the_level(p: float, text: str) -> None:
    assert write_p(p) == f"p {text}"


def results_of(*differences: float) -> pd.DataFrame:
    """Two systems with these differences by topic."""
    rows = [(s, str(q), "P@5", 1 + d * (s == "A")) for s in "AB" for q, d in enumerate(differences)]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_a_correction_that_changes_a_verdict_on_one_pair_is_named() -> None:
    """t of 9 degrees of freedom has p = .049 at 2.2724; two-stage BKY's p is 1.05 times that."""
    spread = np.linspace(-1, 1, 10)
    target = stats.t.isf(0.049 / 2, 9) * spread.std(ddof=1) / np.sqrt(10)
    results = results_of(*(spread + target))
    p = stats.ttest_1samp(spread + target, 0).pvalue
    assert p == pytest.approx(0.049)
    assert multipletests([p], method="fdr_tsbky")[1] > 0.05
    for correction, named in (
        ("fdr_tsbky", True),
        ("holm", False),
        ("sidak", False),
        (None, False),
    ):
        table = paper_table(results, correction=correction)
        assert ("-corrected" in table.note) == named
        assert ("No pair differs significantly" in table.note) == named
        assert ("intervals, uncorrected" in table.comparison) == named


def test_intervals_that_exclude_0_beside_a_corrected_p_are_called_uncorrected(
    capsys, tmp_path
) -> None:
    """Three differences; Holm's correction makes three of one that its own interval shows."""
    spread = np.linspace(-1, 1, 10)
    shift = stats.t.isf(0.04 / 2, 9) * spread.std(ddof=1) / np.sqrt(10)
    columns = {"base": spread * 0, "x": spread + shift, "y": spread[::-1], "z": spread + 0.01}
    for name, values in columns.items():
        lines = [f"map\t{topic}\t{2 + value:.6f}\n" for topic, value in enumerate(values)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    files = [str(tmp_path / f"{name}.eval") for name in columns]
    options = ["--baseline", "base", "--interval", "--width", "1000"]
    _, out, _ = run_cli(capsys, "compare", "--values", *files, *options)
    low, p = re.search(r"x - base +\S+ \[(\S+), \S+\] .* (\S+)\n", out).groups()
    assert float(low) > 0
    assert float(p) == pytest.approx(3 * 0.04, abs=1e-3)
    assert "Differences: 95% t intervals, uncorrected;" in out
    _, out, _ = run_cli(capsys, "compare", "--values", *files, *options, "--test", "tukey")
    assert "Differences: 95% Tukey intervals, adjusted for all pairs;" in out


@pytest.mark.parametrize("measures", [["ndcg_cut_10"], ["map", "ndcg_cut_10"]])
def test_values_of_another_program_are_named(measures: list[str], tmp_path) -> None:
    """Their formula is not known, nor that ir-measures computed them."""
    for name in "AB":
        lines = [f"{m}\t{q}\t0.{ord(name)}{q}\n" for m in measures for q in range(5)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    results = read_values([str(tmp_path / f"{name}.eval") for name in "AB"])
    for thing in (results, paper_table(results, test=None)):
        found = describe(thing)
        assert found.text == f"We report {' and '.join(measures)}."
        assert found.formula == found.symbols == found.bibtex == ""
    renamed = results.replace({"measure": {measures[0]: "nDCG@10"}})
    assert describe(renamed).text.startswith(("nDCG (J", "We report nDCG@10 (J"))
    with pytest.raises(ValueError, match="row 'gain' is not the text of a measure"):
        describe(results.assign(measure="gain"))
