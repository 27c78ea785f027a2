"""Which documents to judge next, against every way to judge all documents of small cases."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, dominance, judge_next, nCG, nDCG, nsDCG
from pt_cumgain.inputs.formats import trec
from pt_cumgain.measures import MEASURES
from tests.support import reference
from tests.support.pages import MANUAL
from tests.support.strategies import WITH_BOUNDS, as_reference_takes_them, parameters

pytestmark = pytest.mark.filterwarnings("ignore:the run")

HEAD = ["qid", "docno", "could_move", "could_settle"]
DOCS = [f"d{i}" for i in range(7)]
NEAR = 1e-9

JUDGED = st.fixed_dictionaries(
    {q: st.dictionaries(st.sampled_from(DOCS[:4]), st.integers(-1, 2), min_size=1) for q in "12"}
)
RUN = st.fixed_dictionaries(
    {}, optional={q: st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3)) for q in "12"}
)


@st.composite
def measures(draw):
    """Measures with ranges over judgments, and their parameters as the reference takes them."""
    leave = ("at_r", "judged_only", "ties", "unjudged", "dcg")
    name, params = draw(parameters(WITH_BOUNDS, leave=leave))
    if MEASURES[name].NORMALISED:
        params.pop("avg_pos", None)
    return MEASURES[name](**params), as_reference_takes_them(name, params)


class EveryJudgment:
    """The differences of two runs under all ways to judge what is unjudged, by the reference."""

    def __init__(self, qrels, runs, filled):
        levels = {0, *(level for of_topic in qrels.values() for level in of_topic.values())}
        self.levels = [None, *sorted(levels)]
        self.docs, self.values = {}, {}
        for q in qrels:
            lists = [run.get(q, {}) for run in runs]
            found = {d for run in lists for d in reference.ranking(run)[: filled["cutoff"]]}
            self.docs[q] = sorted(found - set(qrels[q]))
            for judged in itertools.product(self.levels, repeat=len(self.docs[q])):
                new = zip(self.docs[q], judged, strict=True)
                labels = {**qrels[q], **{d: x for d, x in new if x is not None}}
                own, other = (reference.value(labels, run, **filled) for run in lists)
                self.values[q, judged] = own - other

    def move(self, q, doc):
        """How far a document alone moves the mean."""
        none = [None] * len(self.docs[q])
        place = self.docs[q].index(doc)
        alone = [self.values[q, (*none[:place], x, *none[place + 1 :])] for x in self.levels]
        return (max(alone) - min(alone)) / len({topic for topic, _ in self.values})

    def certain(self, judged, near=NEAR):
        """Whether some judgments of these documents leave one sign, however others turn out."""
        low = high = 0.0
        for q, docs in self.docs.items():
            chosen = [i for i, doc in enumerate(docs) if (q, doc) in judged]
            ends = {}
            for (topic, labels), value in self.values.items():
                if topic == q:
                    ends.setdefault(tuple(labels[i] for i in chosen), []).append(value)
            low += max(map(min, ends.values()))
            high += min(map(max, ends.values()))
        return low >= -near or high <= near


@given(measure=measures(), qrels=JUDGED, runs=st.tuples(RUN, RUN))
@settings(max_examples=80, deadline=None)
def test_what_documents_could_move_and_settle(measure, qrels, runs):
    measure, filled = measure
    every = EveryJudgment(qrels, runs, filled)
    frame = judge_next(dict(zip("AB", runs, strict=True)), None, qrels, measure, n=None)
    assert list(frame) == [*HEAD, "A", "B"]
    order = dominance(dict(zip("AB", runs, strict=True)), None, qrels, measure, over="judgments")
    assert frame.empty == (order["order"].item() == "holds")
    if frame.empty:
        assert every.certain(set())
        return
    largest = max(map(abs, every.values.values()))
    documents = list(zip(frame["qid"], frame["docno"], strict=True))
    moves = [every.move(q, doc) for q, doc in documents]
    assert frame["could_move"].tolist() == pytest.approx(moves, rel=1e-9, abs=NEAR * largest)
    assert frame["could_move"].is_monotonic_decreasing
    for name, run in zip("AB", runs, strict=True):
        ranking = {q: reference.ranking(run.get(q, {}))[: filled["cutoff"]] for q in qrels}
        ranks = [ranking[q].index(d) + 1 if d in ranking[q] else 0 for q, d in documents]
        assert frame[name].fillna(0).tolist() == ranks
    levels = [level for level in every.levels if level is not None]
    several = len(set(CG(gains=filled.get("gains")).spec.gains.gain(levels)) - {0.0}) > 1
    for number, could in enumerate(frame["could_settle"], 1):
        if could:
            assert every.certain(set(documents[:number]))
        elif not (measure.NORMALISED and several):  # then a gain between may do better
            assert not every.certain(set(documents[:number]), near=-NEAR * largest)


@given(
    gains=st.sampled_from([None, "0-1-10", {0: -1, 1: 2}]),
    cutoff=st.integers(1, 4),
    qrels=JUDGED,
    runs=st.tuples(RUN, RUN),
)
@settings(max_examples=40, deadline=None)
def test_no_other_documents_settle_dcg_with_fewer(gains, cutoff, qrels, runs):
    measure = DCG(gains=gains) @ cutoff
    every = EveryJudgment(
        qrels, runs, as_reference_takes_them("DCG", {"gains": gains, "cutoff": cutoff})
    )
    frame = judge_next(dict(zip("AB", runs, strict=True)), None, qrels, measure, n=None)
    needed = int(np.searchsorted(frame["could_settle"], 1)) + 1 if len(frame) else 0
    documents = [(q, doc) for q, docs in every.docs.items() for doc in docs]
    for fewer in itertools.combinations(documents, max(needed - 1, 0)):
        assert not needed or not every.certain(set(fewer), near=-NEAR)


QRELS = {"1": {"a": 1, "z": 0}, "2": {"a": 2}}
RUNS = {
    "A": {"1": {"a": 2.0, "x": 1.0}, "2": {"z": 1.0}},
    "B": {"1": {"y": 2.0, "x": 1.0}, "2": {"y": 1.0}},
    "C": {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 1.0}},
}


def rows(frame):
    columns = ["qid", "docno", "could_move", "could_settle"]
    return [tuple(row) for row in frame[columns].to_numpy().tolist()]


def test_a_pair_by_hand():
    """A leads by 1 in topic 1: 1/2 of the mean. Each document at rank 1 of one system could take or
    give 2/2; so the range is -3/2 to 3/2, and two of the three could make it 0 to 1. At rank 2 both
    have x, which moves nothing."""
    frame = judge_next({"A": RUNS["A"], "B": RUNS["B"]}, None, QRELS, "DCG@2")
    assert rows(frame) == [("2", "z", 1, 0), ("1", "y", 1, 1), ("2", "y", 1, 1)]
    assert frame["A"].dtype == frame["B"].dtype == "Int64"
    assert frame["A"].fillna(0).tolist() == [1, 0, 0]
    assert frame["B"].fillna(0).tolist() == [0, 1, 1]


def test_a_document_that_moves_the_ideal_alone():
    """In topic 1 A has nDCG@2 = 1 and B 0. With v = 1/log2(3) and x at level 2, found by both at
    rank 2, they are (1 + 2v) / (2 + v) and 2v / (2 + v): the difference falls to 1 / (2 + v)."""
    frame = judge_next({"A": RUNS["A"], "B": RUNS["B"]}, None, QRELS, "nDCG@2")
    move = frame.set_index("docno").loc["x", "could_move"]
    assert move == pytest.approx((1 - 1 / (2 + 1 / np.log2(3))) / 2)


@pytest.mark.parametrize("baseline", [None, ["A", "C"]])
def test_several_differences_add_up_while_their_signs_are_open(baseline):
    """A is never better than C, so z counts for A and B alone, and y for B and each of them."""
    frame = judge_next(RUNS, None, QRELS, DCG @ 2, baseline=baseline)
    assert rows(frame) == [("1", "y", 2, 1), ("2", "y", 2, 2), ("2", "z", 1, 2)]
    assert list(frame) == [*HEAD, "A", "B", "C"]
    assert rows(judge_next(RUNS, None, QRELS, DCG @ 2, n=1)) == [("1", "y", 2, 1)]


def test_of_a_baseline_only_its_differences_count():
    frame = judge_next(RUNS, None, QRELS, DCG @ 2, baseline="C")
    pair = judge_next({"B": RUNS["B"], "C": RUNS["C"]}, None, QRELS, DCG @ 2)
    pd.testing.assert_frame_equal(frame.drop(columns="A"), pair)
    assert rows(pair) == [("1", "y", 1, 1), ("2", "y", 1, 1)]


@pytest.mark.parametrize("qrels", [QRELS, {"1": {"a": 1, "x": 0}, "2": {"a": 2, "z": 0}}])
def test_nothing_is_left_to_judge_where_signs_are_certain(qrels):
    """With and without unjudged documents; the columns are there."""
    frame = judge_next({"A": RUNS["A"], "C": RUNS["C"]}, None, qrels, DCG @ 2)
    assert frame.empty
    assert list(frame) == [*HEAD, "A", "C"]
    assert frame["could_move"].dtype == float
    assert frame["C"].dtype == "Int64"


@pytest.mark.parametrize(
    ("measure", "options", "reason"),
    [
        ("AP", {}, "AP has no range"),
        (nsDCG, {}, "has no range"),
        (nDCG(at_r=True), {}, "leave at_r out"),
        (nDCG(judged_only=True) @ 5, {}, "leave judged_only out"),
        (nCG(avg_pos=True) @ 5, {}, "leave avg_pos out"),
        (["CG@5", "CG@10"], {}, "those of one measure, not of 2"),
        ("CG@5", {"n": 0}, "n=0 must be a whole number"),
        ("CG@5", {"baseline": "D"}, "baseline='D' is not one of the systems"),
        ("CG@5", {"names": ["A", "B", "qid"]}, "qid"),
    ],
)
def test_what_has_no_order_is_refused(measure, options, reason):
    systems = list(RUNS.values()) if "names" in options else RUNS
    with pytest.raises(ValueError, match=reason):
        judge_next(systems, None, QRELS, measure, **options)


def test_one_system_is_refused():
    with pytest.raises(ValueError, match="there is nothing to compare"):
        judge_next({"A": RUNS["A"]}, None, QRELS, "CG@5")


DOCUMENT = ["query_id", "doc_id"]


class Experiment:
    """Two runs whose judgments are hidden, and revealed until the sign is certain.

    What was never judged counts as judged 0.
    """

    def __init__(self, runs, qrels, measure, seed):
        self.runs, self.measure, self.seed = runs, measure, seed
        found = pd.concat(runs.values())[DOCUMENT].drop_duplicates()
        every = found.merge(qrels, how="left")
        self.truth = every.fillna({"relevance": 0}).astype({"relevance": int})
        kept = qrels.sample(frac=0.2, random_state=seed)
        never = every["relevance"].isna()
        self.known = pd.concat([kept, self.truth[never]])[[*DOCUMENT, "relevance"]]

    def reveal(self, documents):
        asked = documents.set_axis(DOCUMENT, axis=1).merge(self.truth)
        return pd.concat([self.known, asked[[*DOCUMENT, "relevance"]]])

    def orders(self):
        """All documents that count, in three orders."""
        every = judge_next(self.runs, None, self.known, self.measure, n=None)
        best = every[list(self.runs)].min(axis=1)
        orders = {
            "rank": every.assign(best=best).sort_values(["best", "qid"], kind="stable"),
            "chance": every.sample(frac=1, random_state=self.seed),
        }
        batches, judged = [], self.known
        documents = every.iloc[:0]
        while len(batch := judge_next(self.runs, None, judged, self.measure)):
            batches.append(batch)
            documents = pd.concat(batches)
            judged = self.reveal(documents[["qid", "docno"]])
        orders["judge_next"] = documents
        return {name: order[["qid", "docno"]] for name, order in orders.items()}

    def needed(self, documents):
        def certain(number):
            known = self.reveal(documents.iloc[:number])
            (row,) = dominance(self.runs, None, known, self.measure, over="judgments").itertuples()
            return row.order == "holds"

        return bisect_left(range(len(documents)), True, key=certain)


def first_ranks(run, depth):
    ranked = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    return ranked.groupby("query_id").head(depth)


@pytest.mark.end_to_end
@pytest.mark.parametrize("measure", ["DCG@10", "nDCG@10"])
def test_how_many_judgments_this_order_saves(data, measure):
    """The shares that the manual prints, of the hidden judgments of all pairs of TREC-COVID."""
    folder = data / "trec-covid-round1"
    qrels = trec.read_qrels(folder / "qrels-rnd1.txt.gz")
    paths = sorted((folder / "runs").glob("*"))
    runs = {path.name: first_ranks(trec.read_run(path), 10) for path in paths}
    needed = []
    for pair in itertools.combinations(runs, 2):
        experiment = Experiment({name: runs[name] for name in pair}, qrels, measure, seed=1)
        orders = experiment.orders()
        hidden = len(orders["chance"])
        needed.append({"hidden": hidden} | {k: experiment.needed(x) for k, x in orders.items()})
    counts = pd.DataFrame(needed)
    of_order = counts[["judge_next", "rank", "chance"]].sum() / counts["hidden"].sum()
    behind = counts["judge_next"] - counts["rank"]
    manual = (MANUAL / "recipes" / "trust.rst").read_text("utf-8")
    assert re.findall(rf"^{measure} +(\d+)% +(\d+)% +(\d+)%$", manual, re.MULTILINE) == [
        tuple(f"{100 * share:.0f}" for share in of_order)
    ]
    assert ((behind > 0).sum(), behind.max()) == {"DCG@10": (7, 11), "nDCG@10": (4, 8)}[measure]
