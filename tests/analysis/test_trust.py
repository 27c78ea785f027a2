"""Bounds for missing judgments, effects of ties, and parts by level, against slow references."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, bounds, evaluate, gain_by_level, nCG, nDCG, sDCG, tie_effects
from pt_cumgain.measures import MEASURES
from tests import reference
from tests.strategies import ORDINARY, as_reference_takes_them, parameters

JUDGED = [f"d{i}" for i in range(5)]
DOCS = [*JUDGED, "u1", "u2", "u3"]
LEVELS = st.integers(0, 2)


@st.composite
def measures(draw, leave):
    name, params = draw(parameters(ORDINARY, leave=leave))
    if MEASURES[name].NORMALISED:
        params.pop("avg_pos", None)
    return name, params


@given(
    measure=measures(("at_r", "judged_only", "ties")),
    qrels=st.dictionaries(st.sampled_from(JUDGED), LEVELS, min_size=1),
    ranking=st.permutations(DOCS),
    length=st.integers(0, len(DOCS)),
)
def test_bounds_are_the_extremes_over_all_ways_to_judge(measure, qrels, ranking, length):
    """Every assignment of no gain or a level of the qrels to the unjudged ones (DESIGN 10)."""
    name, params = measure
    filled = as_reference_takes_them(name, params)
    ranking = ranking[:length]
    run = {doc: float(-i) for i, doc in enumerate(ranking)}
    unjudged = [doc for doc in ranking[: params.get("cutoff")] if doc not in qrels]
    found = itertools.product({None, *qrels.values()}, repeat=len(unjudged))  # None: gain 0
    values = []
    for levels in found:
        new = {doc: x for doc, x in zip(unjudged, levels, strict=True) if x is not None}
        values.append(reference.value({**qrels, **new}, run, **filled))
    value = reference.value(qrels, run, **filled)
    made = MEASURES[name](**params)
    row = bounds({"X": {"q": run}}, None, {"q": qrels}, made).iloc[0]
    assert (row["value"], row["low"], row["high"]) == pytest.approx(
        (value, min(values), max(values)), rel=1e-9, abs=1e-9
    )
    assert row["low"] <= row["value"] <= row["high"]


QRELS = {"1": {"a": 2, "b": 1, "c": 2, "n": -1}, "2": {"a": 1}, "3": {"z": 1}}
RUN = {"1": {"x": 9.0, "a": 8.0, "y": 7.0, "b": 6.0}, "2": {"x": 2.0, "a": 1.0}}


def test_bounds_by_hand():
    """CG@3 of topic 1: x and y may have 2 each; 2 of 3 unjudged; of topic 3 nothing is known."""
    made = bounds({"X": RUN}, None, QRELS, CG @ 3, perquery=True).set_index("qid")
    assert made.loc["1"].tolist() == ["X", "CG@3", 2, 2, 6, pytest.approx(1 / 3)]
    assert made.loc["2"].tolist() == ["X", "CG@3", 1, 1, 3, 0.5]
    assert made.loc["3"].tolist()[:5] == ["X", "CG@3", 0, 0, 0]
    assert np.isnan(made.loc["3", "judged"])
    means = bounds({"X": RUN}, None, QRELS, CG @ 3).iloc[0]
    assert means[["value", "low", "high"]].tolist() == [1, 1, 3]
    assert means["judged"] == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_ndcg_may_fall_by_what_is_found():
    """The unjudged x at rank 2 with level 2: DCG 1 + 2/log2(3), ideal 2 + 1/log2(3)."""
    qrels = {"1": {"a": 1}, "2": {"b": 2}}
    run = {"1": {"a": 2.0, "x": 1.0}}
    row = bounds({"X": run}, None, qrels, nDCG @ 2, perquery=True).iloc[0]
    r = np.log2(3)
    assert row["value"] == row["high"] == 1
    assert row["low"] == pytest.approx((1 + 2 / r) / (2 + 1 / r))


def test_a_negative_gain_moves_the_low_end_of_dcg():
    """Levels -1 and 2 with the gains -5 and 2, two unjudged documents, no discount."""
    made = bounds({"X": RUN}, None, QRELS, DCG(gains="-1:-5", discount="none") @ 4, perquery=True)
    assert made.iloc[0][["value", "low", "high"]].tolist() == [3, 3 - 2 * 5, 3 + 2 * 2]


def test_bounds_in_shares_are_the_same(monkeypatch):
    whole = bounds({"X": RUN}, None, QRELS, [nDCG @ 3, CG], perquery=True)
    monkeypatch.setattr("pt_cumgain.engine.vectors.SHARE", 1)
    pd.testing.assert_frame_equal(
        bounds({"X": RUN}, None, QRELS, [nDCG @ 3, CG], perquery=True), whole
    )


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (nDCG(at_r=True), "R, where each topic is cut, changes.*leave at_r out"),
        (CG(judged_only=True) @ 5, "it does not see unjudged documents; leave judged_only out"),
        (nCG(avg_pos=True) @ 5, "not a ratio of two sums; leave avg_pos out"),
        (CG(ties="best") @ 5, "no rank of their own; leave ties out"),
        (sDCG, "sDCG@10 has no range; CG, DCG, nCG and nDCG have"),
        ("AP", "AP has no range"),
    ],
)
def test_measures_without_bounds_are_refused(measure, reason):
    with pytest.raises(ValueError, match=reason):
        bounds({"X": RUN}, None, QRELS, measure)


TIED = {"1": {"a": 1.0, "x": 1.0, "c": 1.0, "b": 1.0, "y": 0.5}, "2": {"a": 1.0}}


def test_effects_of_ties_by_hand():
    """CG@1 of a, b, c, x tied: c by id descends last but x; gains 2, 1, 2, 0."""
    made = tie_effects({"X": TIED}, None, QRELS, CG @ 1, perquery=True)
    assert made.columns.tolist() == ["name", "qid", "measure", "doc_id", "average", "best", "worst"]
    assert made.iloc[0].tolist() == ["X", "1", "CG@1", 0, 5 / 4, 2, 0]
    assert made.iloc[1].tolist() == ["X", "2", "CG@1", 1, 1, 1, 1]


@given(measure=parameters(ORDINARY), data=st.data())
@settings(max_examples=50)
def test_parts_by_level_sum_to_the_value(measure, data):
    name, params = measure
    levels = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
    qrels = {"q": data.draw(levels), "r": data.draw(levels)}
    scores = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3).map(float))
    run = {"q": data.draw(scores)}
    made = MEASURES[name](**params)
    try:
        parts = gain_by_level({"X": run}, None, qrels, made, perquery=True)
    except ValueError as error:
        assert "no level" in str(error)  # noqa: PT017  # nothing else may be refused
        return
    summed = parts.groupby("qid", sort=False)["value"].sum()
    value = evaluate(made, qrels, run).set_index("qid")["value"]
    np.testing.assert_allclose(summed, value.loc[summed.index], rtol=1e-12, atol=1e-12)


def test_parts_by_hand():
    """nDCG@4 of topic 1: a (2) at rank 2, b (1) at rank 4; the ideal has 2, 2, 1."""
    made = gain_by_level({"X": RUN}, None, QRELS, nDCG @ 4, perquery=True)
    ideal = 2 + 2 / np.log2(3) + 1 / 2
    of_1 = made[made["qid"] == "1"].set_index("level")["value"]
    assert of_1.index.tolist() == [1, 2]
    assert of_1[1] == pytest.approx(1 / np.log2(5) / ideal)
    assert of_1[2] == pytest.approx(2 / np.log2(3) / ideal)
