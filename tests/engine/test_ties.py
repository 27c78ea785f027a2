"""The parameter ``ties``: over all orders of tied documents, and against scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain import DCG, evaluate, nDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.measures import MEASURES
from tests.support import reference
from tests.support.helpers import slow
from tests.support.strategies import ORDINARY, as_reference_takes_them, parameters

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject

DOCS = "abcdef"
#: Under these discounts a better rank never earns less, so the orders of gain are the extremes.
BOOSTED = "sigir2000"


def orders(run):
    """The run under every order of its tied documents, with scores that leave no tie."""
    blocks = [[d for d in run if run[d] == score] for score in sorted(set(run.values()))[::-1]]
    for order in itertools.product(*map(itertools.permutations, blocks)):
        docs = list(itertools.chain(*order))
        yield {doc: -float(i) for i, doc in enumerate(docs)}


@given(
    measure=parameters(ORDINARY, leave=("ties", "dcg")),
    qrels=st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1),
    run=st.dictionaries(st.sampled_from(DOCS[:5] + "u"), st.sampled_from([1.0, 2.0]), min_size=1),
)
@example(measure=("DCG", {"judged_only": True}), qrels={"a": 1, "b": 2}, run={"a": 1.0, "b": 1.0})
def test_values_over_all_orders(measure, qrels, run):
    name, params = measure
    filled = as_reference_takes_them(name, params)
    filled.pop("ties")
    every = [reference.value(qrels, order, **filled) for order in orders(run)]
    expected = {"average": np.mean(every)}
    if params.get("discount") != BOOSTED:
        expected |= {"best": max(every), "worst": min(every)}
    for ties, value in expected.items():
        made = MEASURES[name](**params, ties=ties)
        (row,) = evaluate(made, {"q": qrels}, {"q": run}).itertuples()
        assert row.value == pytest.approx(value, rel=1e-9, abs=1e-9), ties


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3, 4)])
def test_average_is_scikit_learns_where_the_run_has_the_recall_base(seed):
    """``ndcg_score(ignore_ties=False)``, at every cutoff, of 8 topics of 30 documents."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    random = np.random.default_rng(seed)
    level, score = random.integers(0, 4, (8, 30)), random.integers(0, 6, (8, 30))
    docs = [f"d{i:02}" for i in range(30)]
    qrels = {str(q): dict(zip(docs, row.tolist(), strict=True)) for q, row in enumerate(level)}
    run = {str(q): dict(zip(docs, map(float, row), strict=True)) for q, row in enumerate(score)}
    measures = {k: nDCG(ties="average") @ k for k in range(1, 32)}
    values = provider.calc_aggregate(measures.values(), qrels, run)
    for k, measure in measures.items():
        assert values[measure] == pytest.approx(ndcg_score(level, score, k=k), abs=1e-12)


def test_scikit_learns_ideal_is_the_list_that_it_is_given():
    """The run misses c and d. Expected: both programs, and the ideals by hand.

    scikit-learn sorts the run's own gains, 3 and 2; the recall base has 3, 3, 2 and 1.
    """
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    qrels = {"q": {"a": 3, "b": 2, "c": 3, "d": 1}}
    run = {"q": {"a": 2.0, "x": 2.0, "b": 1.0}}  # a and x are tied
    (ours,) = evaluate(nDCG(ties="average") @ 3, qrels, run)["value"]
    theirs = ndcg_score([[3, 0, 2]], [[2, 2, 1]], k=3)
    gain, discount = 1.5 + 1.5 / np.log2(3) + 2 / 2, np.log2([2, 3, 4])
    assert ours == pytest.approx(gain / ([3, 3, 2] / discount).sum())
    assert theirs == pytest.approx(gain / ([3, 2, 0] / discount).sum())
    # it agrees once c and d stand below the run
    assert ours == pytest.approx(ndcg_score([[3, 0, 2, 3, 1]], [[2, 2, 1, 0, 0]], k=3))


@pytest.mark.parametrize("seed", range(5))
def test_the_average_is_the_same_to_the_last_bit_whatever_the_ids(seed):
    docs = [f"d{i:02}" for i in range(30)]
    run = {"q": dict.fromkeys(docs, 1.0)}
    levels = [0.1, 0.2, 0.3, 0.7] * 7
    mixed = np.random.default_rng(seed).permutation(levels).tolist()
    values = [
        evaluate(DCG(ties="average"), {"q": dict(zip(docs, given, strict=False))}, run)
        for given in (levels, mixed)
    ]
    assert values[0]["value"].tolist() == values[1]["value"].tolist()


def test_what_a_reranker_could_gain_by_hand() -> None:
    """Gains 0, 2, 3 at ranks 1 to 3, and 1 not retrieved; the recipe's value and best order."""
    qrels, run = {"1": {"a": 3, "b": 2, "c": 1}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    second, ideal = 1 / np.log2(3), 3 + 2 / np.log2(3) + 1 / 2
    (value,) = evaluate("nDCG@10", qrels, run)["value"]
    (best,) = evaluate(nDCG(ties="best") @ 10, qrels, {"1": dict.fromkeys("xab", 0.0)})["value"]
    assert (value, best) == pytest.approx(((2 * second + 1.5) / ideal, (3 + 2 * second) / ideal))
