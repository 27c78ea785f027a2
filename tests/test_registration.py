"""Discounts of users' own: the same values as a built-in one of the same divisors, and errors."""

import math
import pickle
from collections.abc import Iterable

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import pt_cumgain
from pt_cumgain import DCG, core, describe, evaluate, grid, nDCG, register_discount, sDCG
from pt_cumgain.engine import Engine
from pt_cumgain.inputs.reading import read_qrels, read_run
from pt_cumgain.measures import MEASURES
from tests.engine.test_session_values import frame as session_frame
from tests.support import strategies
from tests.support.helpers import frame_of, run_python
from tests.support.samples import random_data
from tests.support.strategies import ORDINARY, SCORES, WITH_BOUNDS, by_topic, parameters

QRELS = {"q": {"a": 3, "b": 2, "c": 3, "d": 1}}
RUN = {"q": {"a": 9.0, "x": 8.0, "c": 7.0, "b": 6.0}}
DISCOUNTED = [name for name, m in MEASURES.items() if "discount" in m.SUPPORTED_PARAMS]
SESSIONS = st.sampled_from(strategies.SESSIONS)
LEAVE = ("discount", "base", "dcg", "at_r", "cutoff", "padding")


def pairs(drawn: tuple[str, dict], depth: int) -> list:
    """Two measures of each kind: with a discount of one's own, and with the built-in one.

    The table is no longer than the cutoff, so that nothing past it can be read.
    """
    name, params = drawn
    register_discount("table", weights=1 / np.log2(np.arange(depth) + 2), force=True)
    register_discount(
        "formula", formula=lambda rank: np.where(rank < 2, 1.0, np.log(rank) / math.log(2))
    )
    return [
        MEASURES[name](**{**params, "discount": discount, "cutoff": depth})
        for discount in ("table", "log2", "formula", "original")
    ]


def assert_same(values: Iterable[ArrayLike], *, rtol: float, atol: float = 1e-12) -> None:
    """The values of both kinds are those of the built-in discounts; gains are 100 and -100, too."""
    table, log2, formula, original = values
    np.testing.assert_allclose(table, log2, rtol=rtol, atol=atol)
    np.testing.assert_array_equal(formula, original)


@given(
    qrels=strategies.QRELS,
    run=by_topic(SCORES),
    drawn=parameters([name for name in ORDINARY if name in DISCOUNTED], leave=LEAVE),
    depth=st.integers(1, 20),
)
def test_values_are_those_of_the_built_in_discount(qrels, run, drawn, depth) -> None:
    assert_same(
        Engine(pairs(drawn, depth), read_qrels(qrels)).judge(read_run(run)).values(), rtol=1e-14
    )
    if drawn[0] in WITH_BOUNDS:
        measures = pairs((drawn[0], {}), depth)
        curves = pt_cumgain.gain_curves({"X": run}, None, qrels, measures, depth)
        bounds = pt_cumgain.bounds({"X": run}, None, qrels, measures)
        for frame, columns in ((curves, ["value", "ideal"]), (bounds, ["value", "least", "most"])):
            parts = (part[columns] for _, part in frame.groupby("measure", sort=False))
            assert_same(parts, rtol=1e-12, atol=1e-14)


@given(
    qrels=st.dictionaries(SESSIONS, strategies.SESSION_LEVELS, min_size=1),
    run=st.dictionaries(SESSIONS, strategies.SESSION),
    drawn=parameters(strategies.OF_SESSIONS, leave=LEAVE),
    depth=st.integers(1, 6),
)
def test_values_of_sessions(qrels, run, drawn, depth) -> None:
    engine = Engine(pairs(drawn, depth), read_qrels(qrels))
    assert_same(engine.judge(read_run(session_frame(run, None, 0))).values(), rtol=1e-13)


def test_it_is_a_discount_everywhere() -> None:
    register_discount("clicks", weights=[1, 0.62, 0.41, 0.3], source="Doe, 2026", latex="c_i")
    measure = nDCG(discount="clicks") @ 4
    assert ir_measures.parse_measure("nDCG(discount='clicks')@4") == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert hash(pickle.loads(pickle.dumps(measure))) == hash(measure)
    run, qrels = frame_of(RUN, "qid docno score"), frame_of(QRELS, "qid docno label")
    found = pt.Experiment([run], qrels[["qid"]].drop_duplicates(), qrels, [measure])
    expected = (3 + 3 * 0.41 + 2 * 0.3) / (3 + 3 * 0.62 + 2 * 0.41 + 0.3)
    assert found[str(measure)].tolist() == pytest.approx([expected], rel=1e-14)
    labels = grid(nDCG, discounts=["log2", "clicks"], cutoffs=4).labels
    assert list(labels.values()) == ["nDCG log2", "nDCG clicks"]
    said = describe(measure)
    assert "(1, 0.62, 0.41, 0.3) (Doe, 2026)" in said.text
    assert r"d(i) &= c_i \\" in said.formula
    register_discount("my_own", formula=lambda rank: rank, text="the square of i")
    assert "d(i) = the square of i" in describe(DCG(discount="my_own")).text
    register_discount("my_own", formula=lambda rank: rank)  # names in LaTeX take no underscore
    assert r"d(i) &= \text{my own(i)} \\" in describe(DCG(discount="my_own")).formula


def test_the_same_again_is_fine_and_another_has_to_be_forced() -> None:
    weights = np.array([1.0, 0.5])
    register_discount("own", weights=weights)
    measure = nDCG(discount="own") @ 2
    weights[1] = 0.7  # those of the user, who may go on with them
    assert core.discounts([1, 2], "own").tolist() == [1, 2]
    register_discount("own", weights=[1, 0.5])
    for other in ({"weights": [1]}, {"weights": [1, 0.4]}, {"formula": lambda rank: rank}):
        with pytest.raises(ValueError, match=r"^the discount 'own' is already defined"):
            register_discount("own", **other)
    with pytest.warns(UserWarning, match=r"^the discount 'own' .*: d\(1\) = 1, d\(2\) = 0\.5$"):
        register_discount("own", weights=[1, 2], force=True)
    with pytest.warns(UserWarning, match=r"than rank 1: d\(1\) = 1, d\(2\) = 0\.5, d\(3\) = 0\.33"):
        register_discount("inv", formula=lambda rank: 1 / rank)  # the weight for the discount
    with pytest.raises(ValueError, match="discount='own' gives a rank more weight than the one"):
        measure.calc_aggregate(QRELS, RUN)  # though it was declared when it had an ideal
    register_discount("late", formula=lambda rank: np.where(rank > 1500, 2, rank))
    with pytest.raises(ValueError, match=r"^nDCG: discount='late' gives a rank more weight than"):
        nDCG(discount="late") @ 1501


@pytest.mark.parametrize(
    "call",
    [
        lambda: (nDCG(discount="five") @ 6).calc_aggregate(QRELS, RUN),
        lambda: nDCG(discount="five", at_r=True).calc_aggregate(QRELS, RUN),
        lambda: sDCG(discount="five").calc_aggregate(QRELS, RUN),  # at 10
        lambda: pt_cumgain.gain_curves([RUN], None, QRELS, DCG(discount="five") @ 2, depth=6),
        lambda: pt_cumgain.bounds([RUN], None, QRELS, DCG(discount="five")),
        lambda: pt_cumgain.report([RUN], None, QRELS, path="x.html", measure=DCG(discount="five")),
        lambda: describe(nDCG(discount="five")),
        lambda: core.discount_gains([1] * 6, discount="five"),
    ],
)
def test_too_few_weights(call) -> None:
    register_discount("five", weights=[1, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="discount 'five' has weights only for ranks 1 to 5"):
        call()
    assert sDCG(discount="five") @ 5 == (sDCG(discount="five") @ 10)(cutoff=5)


def test_a_discount_that_another_process_lacks() -> None:
    register_discount("own", weights=[1, 0.5])
    data = pickle.dumps(nDCG(discount="own") @ 2)
    del core.DISCOUNTS["own"]
    words = "'own' is unknown; choose from log2, .*register_discount in each Python process"
    with pytest.raises(ValueError, match=words):
        pickle.loads(data)
    code = f"import pickle, pt_cumgain\nprint(pickle.loads({data!r}))"
    known = "import pt_cumgain\npt_cumgain.register_discount('own', weights=[1, .5])\n" + code
    assert run_python(known) == "nDCG(discount='own')@2\n"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "log2", "weights": [1], "force": True}, "name='log2'"),
        ({"name": "my own", "weights": [1]}, "name='my own' must be an identifier"),
        ({"weights": []}, "either weights or a formula"),
        ({"weights": [1], "formula": np.sqrt}, "either weights or a formula"),
        ({"weights": [1, math.nan]}, "divides rank 2 by nan"),
        ({"weights": [0, 1]}, "divides rank 1 by inf"),
        ({"formula": lambda _: 1.0}, "each rank"),
        ({"formula": lambda rank: 100.5 - rank}, "divides rank 101 by -0.5"),
        ({"formula": lambda rank: 1 + rank / rank.max()}, "each rank by itself"),
    ],
)
def test_what_is_refused(wrong, message) -> None:
    with pytest.raises(ValueError, match=message):
        register_discount(**{"name": "own", **wrong})
    assert core.DISCOUNTS.keys() == set(core.BUILT_IN)


@pytest.mark.parametrize("kind", [DCG, nDCG])
def test_weights_of_0_end_the_ranking(kind) -> None:
    """A user who stops after rank 2 has the value at rank 2; so do the curves and the ranges."""
    register_discount("two", weights=[1, 0.5, 0, 0])
    register_discount("until_two", weights=[1, 0.5])
    qrels, run = random_data(1)
    stops, cut = kind(discount="two") @ 4, kind(discount="until_two") @ 2
    values = [evaluate(measure, qrels, run)["value"].tolist() for measure in (stops, cut)]
    assert values[0] == values[1]
    curve = pt_cumgain.gain_curves([run], None, qrels, stops, 4)["value"]
    assert curve.tolist()[1:] == [curve[1]] * 3
    ends = [pt_cumgain.bounds([run], None, qrels, measure) for measure in (stops, cut)]
    columns = ["least", "most"]
    pd.testing.assert_frame_equal(ends[0][columns], ends[1][columns])


def test_a_weight_that_is_too_small_for_a_float_is_0() -> None:
    """Far below the ranks that are read: the recall base is deeper than 0.8**-n can count."""
    register_discount("geometric", formula=lambda rank: 0.8 ** (1 - rank))
    qrels = {"q": {f"d{i}": 1 for i in range(4000)}}
    run = {"q": {"d1": 2.0, "x": 1.0}}
    found = (nDCG(discount="geometric") @ 2).calc_aggregate(qrels, run)
    assert found == pytest.approx(1 / 1.8, rel=1e-15)
    assert core.discounts([[4000.0]], "geometric").tolist() == [[math.inf]]
