"""A measure that reads the gain vector and the ideal vector in another way: one declaration, one
function. The trial is Sakai's Q-measure, which this package does not ship."""

import inspect
from unittest import mock

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import CG, core, evaluate, gain_curves
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.measures import MEASURES, CumulatedGain
from pt_cumgain.parameters import AT_R, AVG_POS, CUTOFF, GAINS, JUDGED_ONLY, Param, Params
from tests.support import reference
from tests.support.strategies import QRELS, SCORES, by_topic

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject


def _beta(name: str, value: float) -> float:
    if not value >= 0:
        raise ValueError(f"{name}={value!r} must be 0 or more")
    return float(value)


class _Q(CumulatedGain):
    """Q-measure (Sakai 2004): the mean over relevant documents of their blended ratio."""

    __name__ = "Q"
    SUPPORTED_PARAMS = Params(
        cutoff=CUTOFF,
        gains=GAINS,
        beta=Param(_beta, (int, float), "the weight of cumulated gain", default=1.0),
        at_r=AT_R,
        avg_pos=AVG_POS,
        judged_only=JUDGED_ONLY,
    )

    def formula(self, gain: core.Floats, ideal: core.Floats) -> core.Floats:
        beta, rank = self["beta"], np.arange(1, gain.shape[1] + 1)
        relevant = gain > 0
        blended = (np.cumsum(relevant, axis=1) + beta * core.cg(gain)) / (
            rank + beta * core.cg(ideal)
        )
        recall = (ideal > 0).sum(axis=1, keepdims=True)
        return np.cumsum(relevant * blended, axis=1) / np.maximum(recall, 1)


Q = _Q()


class _P(CumulatedGain):
    """Precision: not flat past the last relevant document, and without at_r and the like."""

    __name__ = "Prec"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF)

    def formula(self, gain: core.Floats, _: core.Floats) -> core.Floats:
        return np.cumsum(gain > 0, axis=1) / np.arange(1, gain.shape[1] + 1)


class _Total(CumulatedGain):
    """All that the run finds; takes no cutoff."""

    __name__ = "Total"
    SUPPORTED_PARAMS = Params(gains=GAINS, at_r=AT_R)

    def formula(self, gain: core.Floats, _: core.Floats) -> core.Floats:
        return core.cg(gain)


class _Wrong(_P):
    def formula(self, gain: core.Floats, _: core.Floats) -> core.Floats:
        return gain[:, :1]


def slow_q(
    qrels: dict[str, float], run: dict[str, float], *, beta: float, gains: object, cutoff: int
) -> float:
    """From Sakai's formula, one document after the other; unjudged documents are not relevant."""
    g = [reference.gain(gains, qrels[d]) if d in qrels else 0.0 for d in reference.ranking(run)]
    ideal = sorted((reference.gain(gains, level) for level in qrels.values()), reverse=True)
    ideal = [x for x in ideal if x > 0]
    total = cg = count = 0.0
    for rank, gain in enumerate(g[:cutoff], 1):
        cg += gain
        if gain > 0:
            count += 1
            total += (count + beta * cg) / (rank + beta * sum(ideal[:rank]))
    return total / len(ideal) if ideal else 0.0


#: The measures that a test of this module compares with their formula in plain Python.
COMPARED = {"Q"}


def test_every_measure_with_a_formula_is_compared_with_a_slow_one() -> None:
    missing = {name for name, measure in MEASURES.items() if measure.formula} - COMPARED
    assert not missing, "write the formula in plain Python, as slow_q, and compare the measure"


@given(
    qrels=QRELS,
    run=by_topic(SCORES),
    gains=st.none() | st.just("exp") | st.just("0-1-10-0-5"),
    beta=st.sampled_from([0, 1, 2.5]),
    cutoff=st.integers(1, 30),
    share=st.sampled_from([1, 30, 1 << 17]),
    beside=st.lists(st.sampled_from(["CG", "CG@25", "DCG@3", "nDCG(at_r=True,gains='exp')"])),
)
def test_values_and_curves_equal_the_slow_formula(
    qrels, run, gains, beta, cutoff, share, beside
) -> None:
    """Whatever stands beside them, and of precision, which is not flat past the last document."""
    measure = Q(beta=beta, **({"gains": gains} if gains else {}))
    ours = [measure, measure @ cutoff, _P(cutoff=cutoff)]
    others = map(ir_measures.parse_measure, beside)
    with mock.patch("pt_cumgain.engine.vectors.BATCH", share):
        values = list(provider.iter_calc([*ours, *others], qrels, run))
    values = [value for value in values if value.measure in ours]
    for value in values:
        labels, docs = qrels[value.query_id], run.get(value.query_id, {})
        if isinstance(value.measure, _P):
            relevant = [labels.get(doc, 0) > 0 for doc in reference.ranking(docs)[:cutoff]]
            expected = sum(relevant) / cutoff
        else:
            k = value.measure.params.get("cutoff", 10**9)
            expected = slow_q(labels, docs, beta=beta, gains=gains, cutoff=k)
        assert value.value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    if not qrels or not set(run) & set(qrels):
        return
    with mock.patch("pt_cumgain.engine.vectors.BATCH", share):
        curves = gain_curves([run], None, qrels, [measure, _P()], 30, perquery=True)
    curves = curves[curves["rank"] == cutoff].set_index(["measure", "qid"])["value"]
    for value in values:
        if value.measure == _P(cutoff=cutoff):
            assert curves["Prec", value.query_id] == value.value
        elif value.measure == measure @ cutoff:
            point = curves[str(measure), value.query_id]
            assert point == pytest.approx(value.value, rel=1e-12, abs=1e-12)


def test_what_every_measure_has() -> None:
    assert str(Q(beta=2, gains="exp") @ 5) == "Q(gains='exp',beta=2.0)@5"
    assert list(inspect.signature(Q).parameters) == list(Q.SUPPORTED_PARAMS)
    assert "\nbeta : int or float, default 1.0\n    the weight of cumulated gain\n" in Q.__doc__
    with pytest.raises(ValueError, match=r"^Q: beta=-1 must be 0 or more"):
        Q(beta=-1)
    with pytest.raises(ValueError, match=r"give a cutoff"):
        provider.calc_aggregate([Q(avg_pos=True)], {"q": {"a": 1}}, {})
    qrels, run = {"q": {"a": 3, "b": 2}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    at = {k: (Q @ k).calc_aggregate(qrels, run) for k in (1, 2, 3)}
    mean = (Q(avg_pos=True) @ 5).calc_aggregate(qrels, run)
    assert mean == pytest.approx((at[1] + at[2] + 3 * at[3]) / 5)  # flat past the end
    assert Q(at_r=True).calc_aggregate(qrels, run) == pytest.approx(at[2])
    assert Q(judged_only=True).calc_aggregate(qrels, run) == pytest.approx(1)
    curves = gain_curves([run], None, qrels, [Q, Q(avg_pos=True)], 4)
    values = [at[1], at[2], at[3], at[3]]
    assert curves["value"].tolist()[:4] == pytest.approx(values)
    assert curves["value"].tolist()[4:] == pytest.approx(np.cumsum(values) / [1, 2, 3, 4])
    assert curves["ideal"].tolist() == pytest.approx([0.5, 1, 1, 1, 0.5, 0.75, 2.5 / 3, 3.5 / 4])
    with pytest.raises(ValueError, match=r"^average='vectors' .* which Q lacks"):
        gain_curves([run], None, qrels, Q, 4, average="vectors")
    values = evaluate([Q, "CG@2"], qrels, run)
    assert values["measure"].tolist() == ["CG@2", "Q"]


def test_without_a_cutoff_a_topic_is_read_to_its_last_gain() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1, "c": 1, "d": 0}, "3": {"a": 1, "d": 0}}
    run = {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 9.0, "d": 8.0}, "3": {"a": 9.0, "d": 8.0}}
    alone = provider.calc_aggregate([_P()], {"1": qrels["1"]}, run)
    assert alone == {_P(): 1 / 2}
    values = {v.query_id: v.value for v in provider.iter_calc([_P()], qrels, run)}
    assert values == {"1": 1 / 2, "2": 1 / 3, "3": 1}
    deep = {"1": {f"x{i}": 50.0 - i for i in range(20)} | {"a": 1.0}}
    assert provider.calc_aggregate([_Total()], {"1": qrels["1"]}, deep) == {_Total(): 1}


def test_a_topic_without_relevant_documents_has_no_rank_r() -> None:
    """Its value is 0, as that of CG, whatever the run finds."""
    qrels, run = {"1": {"a": -1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    measures = [of(gains={-1: -1}, at_r=True) for of in (_Total(), CG)]
    values = provider.iter_calc([*measures, CG @ 1], qrels, run)  # CG@1 looks for a document
    got = {(v.query_id, v.value) for v in values if v.measure in measures}
    assert got == {("1", 0), ("2", 1)}


def test_formulas_that_cannot_be_computed() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 0.5}}
    with pytest.raises(ValueError, match=r"^the equation of Prec@3 returned the shape \(1, 1\)"):
        provider.calc_aggregate([_Wrong(cutoff=3)], qrels, run)
    with pytest.raises(ValueError, match=r"Prec@10{8}: .* at most 10000000|cutoff must be at most"):
        provider.calc_aggregate([_P(cutoff=10**8)], qrels, run)
    with mock.patch("pt_cumgain.engine.values.DEEPEST", 3):
        assert provider.calc_aggregate([_P(cutoff=3)], qrels, run) == {_P(cutoff=3): 1 / 3}
        with pytest.raises(ValueError, match=r"^Prec@4 is computed at every rank, .* at most 3"):
            provider.calc_aggregate([_P(cutoff=4)], qrels, run)
