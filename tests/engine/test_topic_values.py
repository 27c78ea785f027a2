"""The engine against the slow reference of `reference.py` and against `core`, over random data."""

from unittest import mock

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain.engine import vectors
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.measures import MEASURES
from tests.support import reference, strategies
from tests.support.helpers import frame_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject


def shuffled_frame(run: dict[str, dict[str, float]], seed: int) -> pd.DataFrame:
    return frame_of(run, "query_id doc_id score").sample(frac=1, random_state=seed)


def arrow_backed(run: pd.DataFrame) -> pd.DataFrame:
    """Sorted, with pyarrow columns: what pyarrow searches itself."""
    strings = {"query_id": "string[pyarrow]", "doc_id": "string[pyarrow]"}
    return run.sort_values(["query_id", "score"], ascending=False).astype(strings)


def check(qrels: dict, run: dict, chosen: list, *, as_frame: bool, seed: int, arrow: bool) -> None:
    measures = [MEASURES[name](**params) for name, params in chosen]
    given_run = shuffled_frame(run, seed) if as_frame else run
    if as_frame and arrow:
        given_run = arrow_backed(given_run)
    values = list(provider.iter_calc(measures, qrels, given_run))
    got = {(v.measure, v.query_id): v.value for v in values}
    expected = {
        (measure, topic): reference.value(
            qrels[topic], run.get(topic, {}), **strategies.as_reference_takes_them(*given)
        )
        for measure, given in zip(measures, chosen, strict=True)
        for topic in qrels
    }
    assert got.keys() == expected.keys()
    for key, value in got.items():
        assert value == pytest.approx(expected[key], rel=1e-9, abs=1e-9), (key, qrels, run)


COMMON = {
    "run": strategies.by_topic(strategies.SCORES),
    "as_frame": st.booleans(),
    "seed": st.integers(0, 999),
    "arrow": st.booleans(),
}


@given(
    qrels=strategies.by_topic(strategies.LEVELS),
    chosen=st.lists(strategies.parameters(strategies.ORDINARY), min_size=1, max_size=6),
    **COMMON,
)
def test_integer_labels(qrels: dict, run: dict, chosen: list, **ways) -> None:
    check(qrels, run, chosen, **ways)


@given(
    qrels=strategies.by_topic(strategies.REAL_LEVELS),
    chosen=st.lists(strategies.parameters(strategies.ORDINARY, real=True), min_size=1, max_size=6),
    **COMMON,
)
def test_real_labels(qrels: dict, run: dict, chosen: list, **ways) -> None:
    check(qrels, run, chosen, **ways)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2"]), st.sampled_from(strategies.DOCS[:6]), st.integers(0, 3)
    )
)


@given(
    rows=ROWS,
    qrels=strategies.by_topic(strategies.LEVELS),
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
        with pytest.raises(ValueError, match="appears twice, at ranks"):
            provider.calc_aggregate(measures, qrels, frame)
        return
    values = list(provider.iter_calc(measures, qrels, frame))
    for value in values:
        docs = ranked[value.query_id][: value.measure.params.get("cutoff")]
        run = {doc: -float(i) for i, doc in enumerate(docs)}
        wanted = reference.value(qrels[value.query_id], run, discount="log2")
        assert value.value == pytest.approx(wanted, rel=1e-9)


def test_so_many_topics_at_a_time_that_their_vectors_can_be_held() -> None:
    """6 components: two topics of 3 ranks, but never less than one topic, in the qrels' order."""
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 6):
        assert list(vectors.batch_topics(5, 3)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
        assert list(vectors.batch_topics(2, 7)) == [slice(0, 1), slice(1, 2)]
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 1):
        run = {topic: {"a": 1.0} for topic in "21"}
        values = (pt_cumgain.CG @ 1).iter_calc({"1": {"a": 1}, "2": {"a": 3}}, run)
        assert [(value.query_id, value.value) for value in values] == [("1", 1), ("2", 3)]
