"""Measures of users' own are right or refused: against plain loops, and choices drawn at random."""

import random
import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pt_cumgain import core, dominance, evaluate, gain_curves, register_discount
from pt_cumgain.measures import CumulatedGain, Normalised, SessionMeasure
from pt_cumgain.parameters import AVG_POS, CUTOFF, DISCOUNT, GAINS, UNJUDGED, Params
from pt_cumgain.trust import gain_by_level

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject

#: The weights of ranks, what a document adds, what becomes of the sum, and what divides it.
WEIGHTS = {"flat": lambda i: i**0.0, "root": lambda i: i**-0.5, "rising": lambda i: i**1.0}
ADDED = {"gain": lambda g: g, "square": lambda g: g**2, "found": lambda g: (g > 0) * 1.0}
ADDED |= {"from 0 on": lambda g: np.maximum(g, 0)}  # a sum if no gain is negative
SUMS = {"sum": lambda v: v, "at most 4": lambda v: np.minimum(v, 4.0)}
DIVISORS = ["", "ideal", "rank", "recall base", "rank + ideal"]
DRAWN = st.sampled_from([*product(WEIGHTS, ADDED, SUMS, DIVISORS)])
LINEAR = st.sampled_from([*product(WEIGHTS, ["gain"], ["sum"], DIVISORS)])
NOT_WEIGHTED = "its vector is not a sum of weighted gains"
GAIN = {0: 0.0, 1: 1.5, 2: 4.0}
QRELS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2), min_size=1, max_size=4)
MORE = settings(max_examples=10 * settings.default.max_examples)
RUN = st.lists(st.sampled_from("abcdexyz"), min_size=1, unique=True)


def make(drawn: tuple, **params: Any) -> CumulatedGain:
    """Return a measure whose class says nothing but its equation."""
    weight, added, whole, divisor = drawn

    class Own(Normalised if divisor == "ideal" else CumulatedGain):
        __name__ = "Own"
        SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, avg_pos=AVG_POS)

        def vector(self, gain: core.Floats) -> core.Floats:
            weights = WEIGHTS[weight](np.arange(1, gain.shape[-1] + 1))
            return SUMS[whole](core.cg(ADDED[added](gain) * weights))

    if "rank" in divisor:
        times = float("ideal" in divisor)
        Own.divisor = lambda _, i: np.arange(1, i.shape[-1] + 1) + times * core.cg(i)
    if divisor == "recall base":
        Own.divisor = lambda _, i: core.sum_recall_base(i)
    return Own(**params)


def loop(drawn: tuple, qrels: dict, run: list, gains: dict, cutoff: int, *, mean: bool) -> float:
    """Return the value of a topic."""
    weight, added, whole, divisor = drawn
    gain = [gains[qrels.get(doc, 0)] for doc in run]
    ideal = sorted((gains[level] for level in qrels.values()), reverse=True)

    def vector(own: list[float], k: int) -> float:
        parts = (ADDED[added](g) * WEIGHTS[weight](i) for i, g in enumerate(own[:k], 1))
        return float(SUMS[whole](sum(parts)))

    def value(k: int) -> float:
        divisors = [1, vector(ideal, k), k, sum(ideal), k + sum(ideal[:k])]
        below = divisors[DIVISORS.index(divisor)]
        return vector(gain, k) / below if below else 0.0

    return sum(map(value, range(1, cutoff + 1))) / cutoff if mean else value(cutoff)


def scored(run: list[str]) -> dict[str, float]:
    return {doc: -float(rank) for rank, doc in enumerate(run)}


@MORE
@given(drawn=DRAWN, qrels=QRELS, run=RUN, cutoff=st.integers(1, 9), mean=st.booleans())
def test_values_are_those_of_a_loop_whatever_stands_beside_them(
    drawn, qrels, run, cutoff, mean
) -> None:
    measure = make(drawn, cutoff=cutoff, gains=GAIN, avg_pos=mean)
    wide = {f"d{i}": 1 for i in range(12)}  # which widens all tables
    expected = loop(drawn, qrels, run, GAIN, cutoff, mean=mean)
    for qrels_of in ({"q": qrels}, {"q": qrels, "wide": wide}):
        runs = {"q": scored(run), "wide": dict.fromkeys(wide, 1.0)}
        values = [
            evaluate(measure, qrels_of, runs)["value"].iloc[0],
            gain_curves([runs], None, {"q": qrels}, measure, depth=cutoff)["value"].iloc[-1],
        ]
        assert values == pytest.approx([expected] * 2, rel=1e-9, abs=1e-12)


@MORE
@given(
    drawn=LINEAR | DRAWN,
    qrels=QRELS.filter(lambda qrels: max(qrels.values()) > 0),
    runs=st.tuples(RUN, RUN),
    cutoff=st.integers(1, 4),
    mean=st.booleans(),
    over=st.sampled_from(["gains", "judgments", "pool"]),
)
def test_a_range_has_all_choices_or_is_refused(drawn, qrels, runs, cutoff, mean, over) -> None:
    sums = ["gain", "from 0 on"][: 1 + (over == "gains")]
    is_sum = drawn in product(WEIGHTS, sums, ["sum"], DIVISORS[:-1])
    has_range = is_sum
    if over != "gains":
        assume(drawn[::3] != ("rising", "ideal") and not (mean and drawn[3]))
        has_range = is_sum and drawn[3] in ("", "ideal")
    measure = make(drawn, cutoff=cutoff, gains=GAIN, avg_pos=mean)
    systems = {name: {"q": scored(run)} for name, run in zip("AB", runs)}
    if not has_range:
        with pytest.raises(ValueError, match=rf"^{re.escape(str(measure))} has no [rb]"):
            dominance(systems, None, {"q": qrels}, measure, over=over)
        return
    (found,) = dominance(systems, None, {"q": qrels}, measure, over=over).to_dict("records")
    draws, top = random.Random(0), max(qrels.values())
    pool = {*runs[0][:cutoff], *runs[1][:cutoff], *("vw" if over == "judgments" else "")}
    for _ in range(20):
        labels, gains = dict(qrels), GAIN
        if over == "gains":
            gains = {0: 0.0, 1: draws.uniform(0, GAIN[2]), 2: GAIN[2], top: GAIN[top]}
        else:
            labels |= {doc: draws.choice([0, *qrels.values()]) for doc in sorted(pool - {*qrels})}
        first, second = (loop(drawn, labels, run, gains, cutoff, mean=mean) for run in runs)
        assert found["least"] - 1e-9 <= first - second <= found["most"] + 1e-9


class _Twice(CumulatedGain):
    __name__ = "Twice"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, discount=DISCOUNT)

    def vector(self, gain: core.Floats) -> core.Floats:
        discount = core.discounts(np.arange(1, gain.shape[-1] + 1), self["discount"])
        return core.cg(gain / discount**2)


class _ByBest(CumulatedGain):
    __name__ = "ByBest"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS)
    vector = staticmethod(core.cg)

    def divisor(self, ideal: core.Floats) -> core.Floats:
        return core.sum_recall_base(ideal == ideal[..., :1])  # how many have the highest gain


_Below = type("_Below", (_ByBest,), {"divisor": lambda _, ideal: -core.cg(ideal)})
_SPECIAL = {"divisor": None, "vector": lambda _, gain: core.cg(np.where(gain == 4, 0, gain))}
_Special = type("_Special", (_ByBest,), _SPECIAL)  # one gain has another meaning


class _Squared(SessionMeasure):
    __name__ = "Squared"

    def vector(self, gain: Any) -> core.Floats:
        return core.cg(gain.gain**2)


class _Missed(CumulatedGain):
    __name__ = "Missed"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, unjudged=UNJUDGED)

    def formula(self, gain: core.Floats, ideal: core.Floats) -> core.Floats:
        return core.cg(ideal) - core.cg(gain)


@pytest.mark.parametrize(
    ("measure", "over", "words"),
    [
        (_Twice() @ 2, "discount", "its vector is not a sum of discounted gains"),
        (_Twice() @ 2, "both", "its vector is not a sum of discounted gains"),
        (_Squared() @ 2, "gains", NOT_WEIGHTED),
        (_ByBest() @ 2, "gains", "its divisor is not a sum of weighted gains"),
        (_Below() @ 2, "gains", "its divisor is not always positive"),
        (_Special(gains={1: 4}) @ 2, "gains", NOT_WEIGHTED),
        (make(("flat", "square", "sum", "")) @ 2, "pool", NOT_WEIGHTED),
        (make(("rising", "gain", "sum", "ideal")) @ 2, "pool", "the weights of its ranks rise"),
    ],
)
def test_the_words_of_refusals(measure, over, words) -> None:
    rows = [("q", "a", 1.0, 1), ("q", "x", 0.5, 1)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score", "query_position"])
    with pytest.raises(ValueError, match=f"^{re.escape(str(measure))} has no range: {words}$"):
        dominance([run, run], None, {"q": {"a": 1}}, measure, over=over)


def test_a_vector_that_is_no_sum_has_no_parts_by_level() -> None:
    own, qrels = make(("flat", "gain", "at most 4", "")) @ 2, {"q": {"a": 3, "b": 2}}
    with pytest.raises(ValueError, match=f"^Own@2 has no parts by level: {NOT_WEIGHTED}"):
        gain_by_level([{"q": scored([*"ab"])}], None, qrels, own)


OTHERS = "^the equation of Own@4 makes a value depend on later ranks or on other topics$"


@pytest.mark.parametrize(
    ("added", "below", "words"),
    [
        (lambda g: np.multiply(g, 2, out=g), None, "read-only"),  # other measures read it as well
        (lambda g: g / g.sum(axis=-1, keepdims=True), None, OTHERS),  # other cutoffs change it
        (lambda g: g * np.linspace(1, 0, g.shape[-1]), None, OTHERS),
        (lambda g: g / g.max(), None, OTHERS),
        (lambda g: g, lambda _, ideal: [ideal.shape[-1]], OTHERS),
        (lambda g: g, lambda _, ideal: [ideal.max()], OTHERS),
        (lambda g: g * np.ones(4), None, "^the equation of Own@4 fails for vectors of 6 ranks: "),
        (lambda g: g * np.nan, None, "too large for a sum of floats, or an equation returned NaN"),
    ],
)
def test_equations_that_change_other_values_are_refused(monkeypatch, added, below, words) -> None:
    monkeypatch.setitem(ADDED, "gain", added)
    measure = make(("flat", "gain", "sum", ""), cutoff=4)
    monkeypatch.setattr(type(measure), "divisor", below)
    qrels = {"n": {"a": 0}, "q": {"a": 2, "b": 1}, "r": {"a": 1}}
    with pytest.raises(ValueError, match=words):
        evaluate(measure, qrels, {"q": scored([*"ab"]), "r": scored([*"a"])})


def test_an_equation_may_look_gains_up(monkeypatch) -> None:
    """There are no other gains than those of the levels, nor other ranks than a discount's."""
    monkeypatch.setitem(ADDED, "gain", np.vectorize({0: 0.0, 0.25: 0.1, 0.5: 0.4}.__getitem__))
    register_discount("two", weights=[1, 0.5])
    own = make(("flat", "gain", "sum", ""), cutoff=2, gains={1: 0.25, 2: 0.5})
    measures, qrels = [own, _Twice(discount="two") @ 2], {"q": {"a": 2, "b": 1}}
    values = evaluate(measures, qrels, {"q": scored([*"ab"])})
    assert values["value"].tolist() == [0.4 + 0.1, 2 / 1 + 1 / 2**2]


def test_two_measures_with_one_name_are_refused() -> None:
    both = [make(("flat", "gain", "sum", "")) @ 2, make(("root", "gain", "sum", "")) @ 2]
    with pytest.raises(ValueError, match=r"^two classes of measures have the same text, Own@2$"):
        evaluate(both, {"q": {"a": 2}}, {"q": {"a": 1.0}})


def test_a_formula_reads_the_recall_base_at_every_rank() -> None:
    """By hand: the recall base has 2, and x and y gain 0.5 each."""
    qrels, run, measure = {"q": {"a": 2}}, {"q": scored([*"xay"])}, _Missed(unjudged=0.5)
    curve = gain_curves([run], None, qrels, measure, depth=3)["value"].tolist()
    assert curve == [1.5, -0.5, -1]
    assert evaluate(measure @ 3, qrels, run)["value"].tolist() == curve[-1:]
