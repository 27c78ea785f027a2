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

from pt_cumgain import CG, DCG, dominance, nCG, nDCG, nsDCG
from pt_cumgain.inputs.formats import trec
from pt_cumgain.measures import MEASURES
from pt_cumgain.trust import judge_next
from tests.support import reference
from tests.support.judgments import (
    first_documents,
    judge_in_every_way,
    labels_by_gain,
    unjudged_among,
)
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
    """The values of some runs under all ways to judge their pool, by the reference."""

    def __init__(self, qrels, runs, filled):
        levels = {level for of_topic in qrels.values() for level in of_topic.values()}
        self.labels = labels_by_gain(levels, filled.get("gains"))
        self.docs, self.values = {}, {}
        for q in qrels:
            lists = [run.get(q, {}) for run in runs]
            docs = self.docs[q] = unjudged_among(qrels[q], lists, filled["cutoff"])
            for judged in judge_in_every_way(qrels[q], docs, self.labels, 0):
                key = q, tuple(judged.get(doc) for doc in docs)
                self.values[key] = [reference.value(judged, run, **filled) for run in lists]

    def difference(self, q, labels, pair):
        own, other = (self.values[q, labels][i] for i in pair)
        return own - other

    def move(self, q, doc, pair):
        """How far a document alone moves the mean difference of two runs."""
        none = [None] * len(self.docs[q])
        place = self.docs[q].index(doc)
        ways = [(*none[:place], x, *none[place + 1 :]) for x in self.labels]
        alone = [self.difference(q, labels, pair) for labels in ways]
        return (max(alone) - min(alone)) / len(self.docs)

    def certain(self, judged, pair, near=NEAR):
        """Whether some judgments of these documents leave one sign, however others turn out."""
        low = high = 0.0
        for q, docs in self.docs.items():
            chosen = [i for i, doc in enumerate(docs) if (q, doc) in judged]
            ends = {}
            for topic, labels in self.values:
                if topic == q:
                    key = tuple(labels[i] for i in chosen)
                    ends.setdefault(key, []).append(self.difference(q, labels, pair))
            low += max(map(min, ends.values()))
            high += min(map(max, ends.values()))
        return low >= -near or high <= near


@given(measure=measures(), qrels=JUDGED, runs=st.tuples(RUN, RUN, RUN))
@settings(max_examples=settings.default.max_examples // 2)
def test_what_documents_could_move_and_settle(measure, qrels, runs):
    """Of A and C against B; a document of C may move the difference of A and B, too."""
    measure, filled = measure
    every = EveryJudgment(qrels, runs, filled)
    systems, pairs = dict(zip("ABC", runs, strict=True)), [(0, 1), (2, 1)]
    frame = judge_next(systems, None, qrels, measure, baseline="B", n=None)
    assert list(frame) == [*HEAD, *"ABC"]
    ranges = dominance(systems, None, qrels, measure, over="pool", baseline="B")
    is_open = (ranges["least"] < 0) & (ranges["most"] > 0)
    pairs = [pair for pair, still in zip(pairs, is_open, strict=True) if still]
    assert frame.empty == (not pairs)
    if frame.empty:
        assert all(every.certain(set(), pair) for pair in [(0, 1), (2, 1)])
        return
    largest = max(abs(value) for values in every.values.values() for value in values)
    documents = list(zip(frame["qid"], frame["docno"], strict=True))
    moves = [sum(every.move(q, doc, pair) for pair in pairs) for q, doc in documents]
    assert frame["could_move"].tolist() == pytest.approx(moves, rel=1e-9, abs=NEAR * largest)
    assert frame["could_move"].is_monotonic_decreasing
    left_out = [(q, doc) for q in qrels for doc in every.docs[q] if (q, doc) not in documents]
    assert all(every.move(*doc, pair) < NEAR * largest for doc in left_out for pair in pairs)
    for name, run in systems.items():
        ranking = {q: first_documents(run.get(q, {}), filled["cutoff"]) for q in qrels}
        ranks = [ranking[q].index(d) + 1 if d in ranking[q] else 0 for q, d in documents]
        assert frame[name].fillna(0).tolist() == ranks
    levels = [label for label in every.labels if label is not None]
    several = len(set(CG(gains=filled.get("gains")).spec.gains.gain(levels)) - {0.0}) > 1
    for number, could in enumerate(frame["could_settle"], 1):
        settled = [every.certain(set(documents[:number]), pair) for pair in pairs]
        assert could <= sum(settled)
        if not (measure.NORMALISED and several):  # then a gain between may do better
            strictly = [
                every.certain(set(documents[:number]), pair, near=-NEAR * largest) for pair in pairs
            ]
            assert could >= sum(strictly)


@given(
    qrels=JUDGED,
    runs=st.tuples(RUN, RUN, RUN),
    cutoff=st.integers(1, 3),
    truth=st.lists(st.integers(0, 2), min_size=14, max_size=14),
)
@settings(max_examples=settings.default.max_examples // 3)
def test_when_nothing_is_left_no_judgment_of_the_pool_reverses_a_sign(qrels, runs, cutoff, truth):
    """The signs under some judgments of all documents, once these were asked for one by one."""
    systems, measure = dict(zip("ABC", runs, strict=True)), nDCG @ cutoff
    labels = dict(zip(itertools.product("12", DOCS), truth, strict=True))
    known = {q: dict(of_topic) for q, of_topic in qrels.items()}
    known["1"]["z"] = 2  # all levels are known
    while len(asked := judge_next(systems, None, known, measure, n=1)):
        for q, doc in zip(asked["qid"], asked["docno"], strict=True):
            known[q][doc] = labels[q, doc]
    signs = dominance(systems, None, known, measure, over="pool")
    full = {q: {d: labels[q, d] for d in DOCS} | known[q] for q in known}
    pool = {q: unjudged_among({}, [run.get(q, {}) for run in runs], cutoff) for q in known}
    full = {q: {d: x for d, x in full[q].items() if d in pool[q] or d in known[q]} for q in full}
    for row, after in zip(
        signs.itertuples(), dominance(systems, None, full, measure).itertuples(), strict=True
    ):
        assert row.least >= 0 or row.most <= 0
        assert row.least - NEAR <= after.difference <= row.most + NEAR


@given(
    gains=st.sampled_from([None, "0-1-10", {0: -1, 1: 2}]),
    cutoff=st.integers(1, 4),
    qrels=JUDGED,
    runs=st.tuples(RUN, RUN),
)
@settings(max_examples=settings.default.max_examples // 3)
def test_no_other_documents_settle_dcg_with_fewer(gains, cutoff, qrels, runs):
    measure = DCG(gains=gains) @ cutoff
    every = EveryJudgment(
        qrels, runs, as_reference_takes_them("DCG", {"gains": gains, "cutoff": cutoff})
    )
    frame = judge_next(dict(zip("AB", runs, strict=True)), None, qrels, measure, n=None)
    needed = int(np.searchsorted(frame["could_settle"], 1)) + 1 if len(frame) else 0
    documents = [(q, doc) for q, docs in every.docs.items() for doc in docs]
    for fewer in itertools.combinations(documents, max(needed - 1, 0)):
        assert not needed or not every.certain(set(fewer), (0, 1), near=-NEAR)


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
    assert rows(frame) == [("1", "y", 1, 0), ("2", "y", 1, 1), ("2", "z", 1, 1)]
    assert frame["A"].dtype == frame["B"].dtype == "Int64"
    assert frame["A"].fillna(0).tolist() == [0, 0, 1]
    assert frame["B"].fillna(0).tolist() == [1, 1, 0]


def test_the_order_does_not_depend_on_that_of_the_rows():
    """Documents that move as much: by best rank, then topic and id."""
    frame = judge_next({"A": RUNS["A"], "B": RUNS["B"]}, None, QRELS, "nDCG@2")
    back = [{q: dict(reversed(run[q].items())) for q in reversed(run)} for run in RUNS.values()]
    qrels = {q: QRELS[q] for q in reversed(QRELS)}
    again = judge_next(dict(zip("AB", back, strict=False)), None, qrels, "nDCG@2")
    pd.testing.assert_frame_equal(again, frame)


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
    """Runs whose judgments are hidden but for a share, and revealed until all signs are certain.

    Each topic keeps a judgment. What was never judged counts as judged 0.
    """

    def __init__(self, runs, qrels, measure, seed, share=0.2, **options):
        self.runs, self.measure, self.seed = runs, measure, seed
        self.options = options
        self.pool = pd.concat(runs.values())[DOCUMENT].drop_duplicates()
        every = self.pool.merge(qrels, how="left")
        self.truth = every.fillna({"relevance": 0}).astype({"relevance": int})
        order = qrels.sample(frac=1, random_state=seed)
        kept = [order.drop_duplicates("query_id"), order.head(round(share * len(order)))]
        self.known = self.add(self.truth[every["relevance"].isna()], *kept)

    @staticmethod
    def add(*judgments):
        return pd.concat(judgments)[[*DOCUMENT, "relevance"]].drop_duplicates(DOCUMENT)

    def reveal(self, documents):
        return self.add(self.known, documents.set_axis(DOCUMENT, axis=1).merge(self.truth))

    def ask(self, n=20):
        """All documents that judge_next asks for, a batch after the other."""
        documents, judged = [pd.DataFrame(columns=["qid", "docno"])], self.known
        while len(batch := judge_next(self.runs, None, judged, self.measure, n=n, **self.options)):
            documents.append(batch[["qid", "docno"]])
            judged = self.reveal(pd.concat(documents))
        return pd.concat(documents)

    def orders(self):
        """All documents that count, in three orders."""
        every = judge_next(self.runs, None, self.known, self.measure, n=None)
        best = every[list(self.runs)].min(axis=1)
        orders = {
            "rank": every.assign(best=best).sort_values(["best", "qid"], kind="stable"),
            "chance": every.sample(frac=1, random_state=self.seed),
            "judge_next": self.ask(),
        }
        return {name: order[["qid", "docno"]] for name, order in orders.items()}

    def needed(self, documents):
        def certain(number):
            known = self.reveal(documents.iloc[:number])
            (row,) = dominance(self.runs, None, known, self.measure, over="pool").itertuples()
            return row.order == "holds"

        return bisect_left(range(len(documents)), True, key=certain)

    def count_reversed(self, signs, judgments):
        """How many of the signs that hold are others under some judgments."""
        differences = dominance(self.runs, None, judgments, self.measure, **self.options)
        difference = differences["difference"]
        return int(
            ((signs["least"] >= 0) & (difference < -NEAR)).sum()
            + ((signs["most"] <= 0) & (difference > NEAR)).sum()
        )


def first_ranks(run, depth):
    ranked = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    return ranked.groupby("query_id").head(depth)


def collection(data, name):
    """TREC-COVID with 12 official runs, DL-Hard with 12 runs that rank its documents by noise."""
    if name == "DL-Hard":
        qrels = trec.read_qrels(data / "irds_home/msmarco-passage/trec-dl-hard/qrels")
        random = np.random.default_rng(0)
        noise = [random.normal(scale=3, size=len(qrels)) for _ in range(12)]
        runs = {f"run {i}": qrels.assign(score=qrels["relevance"] + x) for i, x in enumerate(noise)}
    else:
        qrels = trec.read_qrels(data / "trec-covid-round1" / "qrels-rnd1.txt.gz")
        paths = sorted((data / "trec-covid-round1" / "runs").glob("*"))
        runs = {path.name: trec.read_run(path) for path in paths}
    columns = [*DOCUMENT, "score"]
    return {name: first_ranks(run[columns], 10) for name, run in runs.items()}, qrels


def table_row(pattern):
    """The numbers of a row of the manual's tables."""
    manual = (MANUAL / "recipes" / "trust.rst").read_text("utf-8")
    return re.findall(rf"^{pattern}$", manual, re.MULTILINE)


@pytest.mark.end_to_end
@pytest.mark.parametrize(
    ("name", "share"), [("TREC-COVID", 0.5), ("TREC-COVID", 0.2), ("DL-Hard", 0.2)]
)
def test_how_many_certain_signs_are_reversed(data, name, share):
    """By all judgments of the pool, none; by those of all documents, what the manual prints."""
    runs, qrels = collection(data, name)
    numbers = np.zeros(4, dtype=int)
    for seed in range(3):
        experiment = Experiment(runs, qrels, "nDCG@10", seed, share, baseline=next(iter(runs)))
        documents = experiment.ask(100)
        known = experiment.reveal(documents)
        signs = dominance(runs, None, known, "nDCG@10", over="pool", **experiment.options)
        assert (signs["order"] == "holds").all()
        full = experiment.add(experiment.known, experiment.truth)
        assert experiment.count_reversed(signs, full) == 0
        hidden = len(full) - len(experiment.known)
        reverse = experiment.count_reversed(signs, experiment.add(full, qrels))
        numbers += [hidden, len(documents), len(signs), reverse]
    hidden, asked, signs, reverse = numbers.tolist()
    assert table_row(rf"{name} +{100 - 100 * share:.0f}% +(\d+)% +(\d+) of (\d+)") == [
        (f"{100 * asked / hidden:.0f}", str(reverse), str(signs))
    ]


@pytest.mark.end_to_end
@pytest.mark.parametrize("measure", ["DCG@10", "nDCG@10"])
def test_how_many_judgments_this_order_saves(data, measure):
    """The shares that the manual prints, of the hidden judgments of all pairs of TREC-COVID."""
    runs, qrels = collection(data, "TREC-COVID")
    needed = []
    for pair in itertools.combinations(runs, 2):
        experiment = Experiment({name: runs[name] for name in pair}, qrels, measure, seed=1)
        orders = experiment.orders()
        hidden = len(orders["chance"])
        needed.append({"hidden": hidden} | {k: experiment.needed(x) for k, x in orders.items()})
    counts = pd.DataFrame(needed)
    of_order = counts[["judge_next", "rank", "chance"]].sum() / counts["hidden"].sum()
    assert table_row(rf"{measure} +(\d+)% +(\d+)% +(\d+)%") == [
        tuple(f"{100 * share:.0f}" for share in of_order)
    ]
    behind = counts["judge_next"] - counts["rank"]
    assert ((behind > 0).sum(), behind.max()) == {"DCG@10": (0, 0), "nDCG@10": (5, 6)}[measure]


def test_the_progress_over_the_pairs_is_shown(capsys):
    frames = [judge_next(RUNS, None, QRELS, nDCG @ 2, verbose=verbose) for verbose in (False, True)]
    printed = capsys.readouterr().err
    for step in ("moves", "judgments needed"):
        assert re.search(rf"judge_next: {step}: 100%.* (\d+)/\1 ", printed)
    pd.testing.assert_frame_equal(*frames)
