"""Bounds for missing judgments: against all ways to judge, slow references, and by hand."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, bounds, core, dominance, gain_curves, nCG, nDCG, pydocs
from pt_cumgain.measures import MEASURES
from tests.support.helpers import slow
from tests.support.samples import QRELS, SYSTEMS, random_data
from tests.support.strategies import parameters

RUN = SYSTEMS["X"]
LEVELS = st.integers(0, 2)
HUGE = 1.7e308


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
@pytest.mark.parametrize("over", ["judgments", "pool"])
@pytest.mark.parametrize("function", [bounds, dominance])
def test_measures_in_one_call_have_the_bounds_of_each_by_itself(function, over, seed):
    """A deep cutoff finds unjudged documents that a measure with a shallow one does not see."""
    (qrels, one), (_, other) = (random_data(each, topics=4, docs=20) for each in (seed, seed + 4))
    runs = {"A": one, "B": other}
    measures = [CG @ 2, DCG(avg_pos=True) @ 5, nCG @ 4, nDCG @ 9, nDCG(gains="exp") @ 3]
    together = function(runs, None, qrels, measures, over=over)
    for measure in measures:
        alone = function(runs, None, qrels, measure, over=over)
        rows = together[together["measure"] == str(measure)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone, check_like=True, rtol=1e-9, atol=1e-12)


def ends_of_all_counts(of_rank, missed, gains, cutoff, **discount):
    """The extremes over how many unjudged documents have each gain; the highest (lowest) first.

    In ``of_rank`` None is unjudged; an exchange of two documents shows which order is extreme. The
    documents that the run lacks change the ideal alone, so none or all have the highest gain.
    """
    given = np.array([np.nan if gain is None else gain for gain in of_rank[:cutoff]], dtype=float)
    unjudged = np.flatnonzero(np.isnan(given))
    counts = itertools.combinations_with_replacement(sorted(gains, reverse=True), len(unjudged))
    new = np.array(list(counts), dtype=float)
    base = np.tile([gain for gain in of_rank if gain is not None] + missed, (len(new), 1))
    for found, end in ((new[:, ::-1], min), (new, max)):
        run = np.tile(given, (len(new), 1))
        run[:, unjudged] = found
        value = (run / core.discounts(np.arange(1, len(given) + 1), **discount)).sum(axis=1)
        values = []
        for gain in (0.0, max(gains)):
            every = np.hstack([base, new, np.full((len(new), cutoff), gain)])
            best = -np.sort(-every, axis=1)[:, :cutoff]
            ideal = (best / core.discounts(np.arange(1, cutoff + 1), **discount)).sum(axis=1)
            values += list(np.divide(value, ideal, out=np.zeros(len(new)), where=ideal > 0))
        yield end(values)


@pytest.mark.filterwarnings("ignore")  # empty runs, and weightings that miss the qrels
@given(
    params=parameters(["nCG", "nDCG"], leave=("at_r", "judged_only", "ties", "avg_pos")),
    topics=st.lists(
        st.tuples(st.lists(st.none() | st.integers(0, 3), max_size=8), st.lists(LEVELS)),
        min_size=1,
        max_size=3,
    ),
)
def test_bounds_of_a_curve_are_the_extremes_over_all_counts(params, topics):
    made = MEASURES[params[0]](**params[1])
    discount = {"discount": made.spec.discount, "base": made.spec.base}
    qrels, run = {}, {}
    for q, (levels, missed) in enumerate(topics):
        judged = {f"d{i}": level for i, level in enumerate(levels) if level is not None}
        qrels[str(q)] = {**judged, **{f"m{i}": level for i, level in enumerate(missed)}, "z": 0}
        run[str(q)] = {f"d{i}": -float(i) for i in range(len(levels))}
    of_level = {x: float(made.spec.gains.gain([float(x)])[0]) for x in range(4)}
    gains = {0.0, *(of_level[x] for of_topic in qrels.values() for x in of_topic.values())}
    curves = gain_curves([run], None, qrels, made, 10, perquery=True, bounds=True)
    ends = curves[["least", "most"]].to_numpy().reshape(len(topics), 10, 2)
    for q, (levels, missed) in enumerate(topics):
        of_rank = [None if level is None else of_level[level] for level in levels]
        others = [of_level[level] for level in [*missed, 0]]
        for k in range(1, 11):
            expected = list(ends_of_all_counts(of_rank, others, gains, k, **discount))
            assert ends[q, k - 1].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("discount", "period", "power", "recall"),
    [
        ({"discount": "log2"}, 6, 6, 1),
        ({"discount": "rank"}, 6, 4, 10),
        ({"discount": "original", "base": 40}, 17, 6, 3),
    ],
)
def test_bounds_of_a_long_curve(discount, period, power, recall):
    """One level, so the range is over the number of documents that have it, here all numbers.

    Judged documents, none of them relevant, come and go, so that many numbers are best in turn.
    """
    ranks = np.arange(1, 241)
    judged = np.random.default_rng(1).random(240) < np.sin(ranks / period) ** power
    qrels = {f"d{i}": 0 for i in ranks[judged]} | {f"m{i}": 1 for i in range(recall)}
    run = {f"d{i}": -float(i) for i in ranks}
    made = gain_curves([{"q": run}], None, {"q": qrels}, nDCG(**discount), 240, bounds=True)
    inverse = 1 / core.discounts(ranks, **discount)
    ideal, best = np.cumsum(inverse), set()
    for row in made.itertuples():
        unjudged = inverse[: row.rank][~judged[: row.rank]]
        number = np.arange(len(unjudged) + 1)
        of_ideal = ideal[np.minimum(recall + number, row.rank) - 1]
        high = np.append(0, np.cumsum(unjudged)) / of_ideal
        assert (row.least, row.most) == pytest.approx((0, high.max()), abs=1e-13)
        best.add(int(high.argmax()))
    assert len(best) > 10


@pytest.mark.parametrize("over", ["judgments", "pool"])
def test_without_unjudged_documents_there_is_one_value(over):
    """To the last bit, though the value and the ends of the range are computed differently.

    Over judgments, the ideal of nDCG could still grow.
    """
    random = np.random.default_rng(0)
    docs = [f"d{i}" for i in range(30)]
    qrels = {str(q): dict(zip(docs, random.integers(0, 9, 30).tolist())) for q in range(20)}
    run = {q: dict(zip(docs, random.random(30).tolist())) for q in qrels}
    measures = [m @ k for m in (DCG, nDCG) for k in (3, 10)]
    made = bounds([run], None, qrels, measures, over=over, perquery=True)
    assert (made["most"] == made["value"]).all()
    one = (made["least"] == made["value"]) | (made["value"] == 0)
    assert one.groupby(made["measure"]).all().to_dict() == {
        "DCG@3": True, "DCG@10": True, "nDCG@3": over == "pool", "nDCG@10": over == "pool"
    }  # fmt: skip


def test_the_pool_is_that_of_all_runs():
    """By hand: a relevant document that only the other run has leaves 1 of 1 + 1 / log2(3)."""
    runs = {"A": {"1": {"a": 2.0, "x": 1.0}}, "B": {"1": {"a": 2.0, "y": 1.0}}}
    least = bounds(runs, None, {"1": {"a": 1}}, nDCG @ 3, over="pool")["least"]
    assert least.tolist() == pytest.approx([1 / (1 + 1 / np.log2(3))] * 2)


def bounds_at_each_rank(*given, **options):
    return gain_curves(*given, depth=4, bounds=True, **options)


def test_bounds_of_huge_and_tiny_gains():
    """The range of nDCG is that of gains in the same proportion; that of CG is too large."""
    ranges = [
        bounds([RUN], None, QRELS, nDCG(gains={1: unit, 2: 2 * unit}) @ 3, perquery=True)
        for unit in (1, 2.0**1022, 2.0**-1000)
    ]
    for other in ranges[1:]:
        pd.testing.assert_frame_equal(other.iloc[:, 3:], ranges[0].iloc[:, 3:], rtol=1e-9)
    run, measures = {q: {"a": 1.0} for q in "12"}, [CG(gains={1: HUGE, 2: HUGE}) @ 1, nCG @ 1]
    with pytest.raises(ValueError, match="too large for a mean of floats"):
        bounds([run], None, QRELS, measures)


@pytest.mark.parametrize("function", [bounds, bounds_at_each_rank])
@pytest.mark.parametrize("gain", [HUGE, -HUGE])  # the high end, and the low end
@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:CG"),  # no positive gain
)
def test_bounds_that_no_float_holds(function, gain, monkeypatch):
    """The values themselves are numbers; of topic 1 the bounds are too."""
    monkeypatch.setattr("pt_cumgain.engine.vectors.BATCH", 1)
    qrels = {q: {"a": 1} for q in "123"}
    run = {"1": {"a": 1.0}, "2": {"a": 2.0, "x": 1.0}, "3": {"a": 2.0, "x": 1.0}}
    with pytest.raises(ValueError, match="gains of topic '2' are too large"):
        function([run], None, qrels, CG(gains={1: gain}) @ 4, perquery=True)


@pytest.mark.parametrize(("k", "ends"), [(4, [1 / 32, 19 / 32]), (10**18, [1 / 8, 7 / 8])])
@pytest.mark.filterwarnings("ignore:.* no document of these 3 topics has the relevance level 0")
def test_a_mean_over_ranks(k, ends):
    """CG of topic 1, in eighths: -1, 1, 0, 1 if x and y have level 0, 2, 4, 6, 7 if level 2."""
    measure = CG(avg_pos=True, gains={0: -1 / 8, 1: 1 / 8, 2: 1 / 4}) @ k
    row = bounds({"X": RUN}, None, QRELS, measure, perquery=True).iloc[0]
    assert row[["least", "most"]].tolist() == ends


@pytest.mark.parametrize("k", [5, *slow(1, 100)])
def test_the_judged_share_is_that_of_ir_measures(trec_qrels, k):
    """Topic by topic; where a run returned nothing, there is no share, and the host has 0."""
    runs = pydocs.runs()
    made = bounds(runs, None, trec_qrels, nDCG @ k, perquery=True)
    for name, run in runs.items():
        run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
        host = ir_measures.iter_calc([ir_measures.Judged @ k], trec_qrels, run)
        expected = {metric.query_id: metric.value for metric in host}
        judged = made[made["name"] == name].set_index("qid")["judged"]
        assert judged[judged.isna()].index.tolist() == sorted(set(expected) - set(run["query_id"]))
        assert judged.fillna(0).to_dict() == pytest.approx(expected)
