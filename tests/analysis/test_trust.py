"""Bounds for missing judgments, effects of ties, and parts by level, against slow references."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import bounds
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
