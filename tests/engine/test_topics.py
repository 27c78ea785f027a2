"""The fast engine against the slow reference of `reference.py`, over random data and parameters."""

from __future__ import annotations

import random
from unittest import mock

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import provider
from pt_cumgain.engine import judging
from tests import reference

DOCS = [f"d{i}" for i in range(12)] + ["é", "z\U0001f600", "Z"]
DISCOUNTS = ["log2", "original", "revised", "sigir2000", "shifted", "rank", "none"]
WITH_BASE = {"original", "revised", "sigir2000", "shifted"}

# few distinct scores make ties common; scores next to each other as float64 must not be ties
SCORES = st.one_of(
    st.integers(-2, 2).map(float),
    st.sampled_from([1.0, 1.0 + 2**-52, 1e300, -1e300, float("inf"), float("-inf"), -0.0]),
    st.floats(allow_nan=False, width=64),
)
LEVELS = st.integers(-2, 4)
REAL_LEVELS = st.one_of(LEVELS.map(float), st.floats(-2, 5, allow_subnormal=False))
TOPICS = st.sampled_from(["q1", "q2", "10", "9", "ü"])


def by_topic(values: st.SearchStrategy[float], min_docs: int = 0) -> st.SearchStrategy[dict]:
    docs = st.dictionaries(st.sampled_from(DOCS), values, min_size=min_docs)
    return st.dictionaries(TOPICS, docs, max_size=4)


@st.composite
def parameters(draw: st.DrawFn, real: bool) -> tuple[dict, dict, str]:
    """A measure's name and parameters, as the package takes them and as the reference does."""
    name = draw(st.sampled_from(["CG", "DCG", "nCG", "nDCG"]))
    normalised = name.startswith("n")
    ours: dict = {}
    theirs: dict = {"normalised": normalised}
    form = draw(st.sampled_from(["level", "mapping", "exp"] + ([] if real else ["scheme"])))
    if form == "mapping":
        low = 0 if normalised else -5
        keys = st.integers(-2, 4)
        reals = st.floats(low, 100, allow_subnormal=False)  # those have no nine digits to compare
        mapping = draw(st.dictionaries(keys, st.integers(low, 100) | reals))
        ours["gains"] = mapping
        theirs["gains"] = {float(k): float(v) for k, v in mapping.items()}
    elif form == "exp":
        ours["gains"] = theirs["gains"] = "exp"
    elif form == "scheme":
        weights = draw(st.lists(st.integers(0, 100), min_size=5, max_size=6))
        ours["gains"] = "-".join(map(str, weights))
        theirs["gains"] = weights
    if name.endswith("DCG"):
        ours["discount"] = draw(st.sampled_from(DISCOUNTS))
        if ours["discount"] in WITH_BASE and draw(st.booleans()):
            high = 2 if normalised and ours["discount"] == "sigir2000" else 20
            ours["base"] = draw(st.integers(2, high) | st.floats(1.1, high))
        theirs["b"] = ours.get("base", 2)
        theirs["d"] = ours["discount"]
    cut = draw(st.sampled_from(["none", "k", "r"]))
    if cut == "k":
        ours["cutoff"] = theirs["cutoff"] = draw(st.integers(1, 20))
    elif cut == "r":
        ours["at_r"] = theirs["at_r"] = True
    if cut != "none" and draw(st.booleans()):
        ours["avg_pos"] = theirs["avg_pos"] = True
    if draw(st.booleans()):
        ours["judged_only"] = theirs["judged_only"] = True
    return ours, theirs, name


def shuffled_frame(run: dict[str, dict[str, float]], seed: int) -> pd.DataFrame:
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    random.Random(seed).shuffle(rows)
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def arrow_backed(run: pd.DataFrame) -> pd.DataFrame:
    """Sorted, with pyarrow columns: what pyarrow searches itself."""
    strings = {"query_id": "string[pyarrow]", "doc_id": "string[pyarrow]"}
    return run.sort_values(["query_id", "score"], ascending=False).astype(strings)


def check(
    qrels: dict,
    run: dict,
    chosen: list,
    *,
    as_frame: bool,
    seed: int,
    chunk: int,
    arrow: bool,
    few: int,
) -> None:
    measures = [getattr(pt_cumgain, name)(**ours) for ours, _, name in chosen]
    given_run = shuffled_frame(run, seed) if as_frame else run
    if as_frame and arrow:
        given_run = arrow_backed(given_run)
    with (
        mock.patch.object(judging, "CHUNK", chunk),
        mock.patch.object(judging, "ARROW_ROWS", 0),
        mock.patch.object(judging, "FEW", few),
    ):
        values = list(provider.iter_calc(measures, qrels, given_run))
    got = {(v.measure, v.query_id): v.value for v in values}
    expected = {
        (measure, topic): reference.value(qrels[topic], run.get(topic, {}), **theirs)
        for measure, (_, theirs, _) in zip(measures, chosen, strict=True)
        for topic in qrels
    }
    assert got.keys() == expected.keys()
    for key, value in got.items():
        assert value == pytest.approx(expected[key], rel=1e-9, abs=1e-9), (key, qrels, run)


COMMON = {
    "run": by_topic(SCORES),
    "as_frame": st.booleans(),
    "seed": st.integers(0, 999),
    # the ways the engine can take, forced
    "chunk": st.sampled_from([1, 5, judging.CHUNK]),
    "arrow": st.booleans(),
    "few": st.sampled_from([0, 2, 99]),
}


@settings(max_examples=400, deadline=None)
@given(
    qrels=by_topic(LEVELS),
    chosen=st.lists(parameters(real=False), min_size=1, max_size=6),
    **COMMON,
)
def test_integer_labels(qrels: dict, run: dict, chosen: list, **ways) -> None:
    check(qrels, run, chosen, **ways)


@settings(max_examples=200, deadline=None)
@given(
    qrels=by_topic(REAL_LEVELS),
    chosen=st.lists(parameters(real=True), min_size=1, max_size=6),
    **COMMON,
)
def test_real_labels(qrels: dict, run: dict, chosen: list, **ways) -> None:
    check(qrels, run, chosen, **ways)


ROWS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(DOCS[:6]), st.integers(0, 3))
)


@settings(max_examples=400, deadline=None)
@given(
    rows=ROWS,
    qrels=by_topic(LEVELS),
    cutoffs=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    whole=st.booleans(),
    arrow=st.booleans(),
)
def test_repeated_documents_are_refused_exactly_where_they_count(
    rows: list, qrels: dict, cutoffs: list[int], whole: bool, arrow: bool
) -> None:
    """Expected: the rows ranked by score, then id; no document twice down to the last rank read."""
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    if arrow:
        frame = arrow_backed(frame)
    ranked = {
        topic: [d for _, d in sorted(((s, d) for q, d, s in rows if q == topic), reverse=True)]
        for topic in qrels
    }
    depth = 10**9 if whole else max(cutoffs)
    measures = [pt_cumgain.DCG @ k for k in cutoffs] + ([pt_cumgain.DCG] if whole else [])
    if any(len(set(docs[:depth])) < len(docs[:depth]) for docs in ranked.values()):
        with (
            mock.patch.object(judging, "ARROW_ROWS", 0),
            pytest.raises(ValueError, match="stands twice, at ranks"),
        ):
            provider.calc_aggregate(measures, qrels, frame)
        return
    with mock.patch.object(judging, "ARROW_ROWS", 0):
        values = list(provider.iter_calc(measures, qrels, frame))
    for value in values:
        docs = ranked[value.query_id][: value.measure.params.get("cutoff")]
        run = {doc: -float(i) for i, doc in enumerate(docs)}
        wanted = reference.value(qrels[value.query_id], run, d="log2")
        assert value.value == pytest.approx(wanted, rel=1e-9)


def test_means_are_the_means_of_the_values() -> None:
    measures = [pt_cumgain.CG @ 3, pt_cumgain.nDCG(gains="exp") @ 3]
    qrels = {"a": {"d1": 2, "d2": 1}, "b": {"d1": 1}}
    run = {"a": {"d2": 2.0, "d1": 1.0}}
    means, values = provider.calc(measures, qrels, run)
    assert means == provider.calc_aggregate(measures, qrels, run)
    for measure in measures:
        of = [m.value for m in values if m.measure == measure]
        assert means[measure] == pytest.approx(sum(of) / 2)
    assert ir_measures.calc_aggregate(measures, qrels, run) == means
