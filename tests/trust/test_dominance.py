"""Ranges of differences over weightings, discounts and judgments, against the slow reference."""

import itertools
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, bounds, dominance, evaluate, gR, nDCG, pydocs, register_discount
from pt_cumgain.measures import MEASURES
from pt_cumgain.options import Over
from pt_cumgain.trust import _corners as corners
from tests.support import reference
from tests.support.strategies import ORDINARY, WITH_BOUNDS, as_reference_takes_them, parameters

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject

COLUMNS = [
    "measure", "name", "other", "difference", "least", "most", "exact", "verdict", "better",
    "least_at", "most_at",
]  # fmt: skip
DOCS = [f"d{i}" for i in range(8)]
TOPICS = ["1", "2", "3"]
NEAR = 1e-9

LEVELS = st.sampled_from([-2, -1, 0, 1, 2, 3]) | st.sampled_from([0.5, 1, 2.5])
QRELS = st.fixed_dictionaries(
    {q: st.dictionaries(st.sampled_from(DOCS), LEVELS, min_size=1) for q in TOPICS}
).filter(lambda qrels: any(level > 0 for one in qrels.values() for level in one.values()))
RUN = st.fixed_dictionaries(  # few scores make ties
    {}, optional={q: st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3)) for q in TOPICS}
)


def all_levels(qrels):
    return sorted({float(level) for of_topic in qrels.values() for level in of_topic.values()})


def shares(draw, count):
    """Weights that are not negative and have the sum 1, often some of them 0."""
    raw = draw(st.lists(st.integers(0, 3) | st.floats(1e-6, 1), min_size=count, max_size=count))
    raw = np.array(raw, dtype=float)
    return raw / raw.sum() if raw.sum() else np.eye(count)[0]


def mean_difference(measure, qrels, runs):
    """By the ordinary road."""
    of_run = [evaluate(measure, qrels, run)["value"].mean() for run in runs]
    return of_run[0] - of_run[1]


def only_pair(*arguments, **options):
    frame = dominance(*arguments, **options)
    assert list(frame) == COLUMNS
    (row,) = frame.itertuples()
    return row


def check_row(row, known=(), ends=()):
    """What the columns say of each other, of known values, and of the values at the ends."""
    assert row.least <= row.most
    if row.verdict == "holds":
        assert row.least >= 0 or row.most <= 0
        equal = row.least == row.most == 0
        assert row.better == ("" if equal else row.name if row.least >= 0 else row.other)
    elif row.verdict == "unjudged":  # other tests say when
        assert row.better == ""
    else:
        assert row.least < 0 < row.most
        assert row.better == ""  # an end that is so close to 0 that the sign is open can be exact
    for value in known:
        assert row.least - NEAR <= value <= row.most + NEAR
    if ends and row.exact:
        assert ends == pytest.approx([row.least, row.most], abs=1.01e-4)
    if ends and row.verdict == "depends":
        assert ends[0] < 0 < ends[1]


@st.composite
def linear_measures(draw):
    """Measures that have a range over gains, without weightings that rank levels otherwise."""
    leave = ("at_r", "unjudged", "gains", "dcg")
    names = [name for name in ORDINARY if name != "gP"]
    name, params = draw(parameters([*names, *names, "sDCG", "nsDCG"], leave=leave))
    if name == "nsDCG":
        params.pop("avg_pos", None)
    return MEASURES[name](**params)


@given(data=st.data(), measure=linear_measures(), qrels=QRELS, runs=st.tuples(RUN, RUN))
def test_every_weighting_is_in_the_range_and_the_ends_are_reached(data, measure, qrels, runs):
    if measure.__name__ in ("sDCG", "nsDCG"):
        runs = [
            pd.DataFrame(
                [(q, d, s, 1 + s % 2) for q in run for d, s in run[q].items()],
                columns=["query_id", "doc_id", "score", "query_position"],
            ).astype({"query_position": int, "score": float})
            for run in runs
        ]
    row = only_pair(dict(zip("AB", runs, strict=True)), None, qrels, measure)
    declared = mean_difference(measure, qrels, runs)
    assert row.difference == pytest.approx(declared, abs=1e-12, rel=1e-12)
    positive = [level for level in all_levels(qrels) if level > 0]
    top = 1 if measure.divisor else max(positive)
    gains = np.cumsum(shares(data.draw, len(positive))) * top
    weighting = dict(zip(positive, gains.tolist(), strict=True))
    value = mean_difference(measure(gains=weighting), qrels, runs)
    ends = [mean_difference(measure(gains=at), qrels, runs) for at in (row.least_at, row.most_at)]
    check_row(row, [value, declared], ends)  # the levels as gains are one of the weightings


@given(
    data=st.data(),
    over=st.sampled_from(["discount", "both"]),
    kind=st.sampled_from([DCG, nDCG]),
    k=st.integers(1, 5),
    qrels=QRELS,
    runs=st.tuples(RUN, RUN),
)
def test_every_discount_is_in_the_range_and_the_ends_are_reached(data, over, kind, k, qrels, runs):
    measure = kind(discount="rank") @ k
    row = only_pair(dict(zip("AB", runs, strict=True)), None, qrels, measure, over=over)
    positive = [level for level in all_levels(qrels) if level > 0]
    top = 1 if kind is nDCG else max(positive)

    def difference(weights, gains=positive):
        register_discount("drawn", weights=weights, force=True)
        of_level = dict(zip(positive, np.asarray(gains, dtype=float).tolist(), strict=True))
        return mean_difference(kind(discount="drawn", gains=of_level) @ k, qrels, runs)

    declared = difference(1 / np.arange(1, k + 1))
    assert row.difference == pytest.approx(declared, abs=1e-12)
    weights = np.cumsum(shares(data.draw, k)[::-1])[::-1]
    gains = np.cumsum(shares(data.draw, len(positive))) * top if over == "both" else positive
    known, ends = [declared, difference(weights, gains)], []
    for at in (row.least_at, row.most_at):
        of_gains, _, of_ranks = at.rpartition("; ")
        weights = [float(w) for w in of_ranks.split(",")]
        assert weights[0] == 1
        assert (np.diff(weights) <= 0).all()
        if over == "both":
            gains = MEASURES["CG"](gains=of_gains).spec.gains.gain(positive)
        ends.append(difference(weights, gains))
    check_row(row, known, ends)
    assert row.exact or kind is nDCG  # CG has its extremes at the corners


def labels_by_gain(levels, gains):
    """A label for each gain that a document may have: None if unjudged, 0, or one of the levels."""
    labels = {0.0: None}
    for level in (0, *levels):
        labels.setdefault(reference.gain(gains, level), level)
    return list(labels.values())


def judge_in_every_way(qrels, unjudged, labels, more):
    """The qrels of a topic under all labels of these documents, and of ``more`` that no run has."""
    elsewhere = [f"elsewhere{i}" for i in range(more)]
    for judged in itertools.product(labels, repeat=len(unjudged)):
        for others in itertools.combinations_with_replacement(labels, more):
            new = zip([*unjudged, *elsewhere], [*judged, *others], strict=True)
            yield {**qrels, **{doc: level for doc, level in new if level is not None}}


JUDGED = st.fixed_dictionaries(
    {q: st.dictionaries(st.sampled_from(DOCS[:4]), st.integers(-1, 2), min_size=1) for q in "12"}
)
PARTLY_JUDGED = st.fixed_dictionaries(
    {}, optional={q: st.dictionaries(st.sampled_from(DOCS[:7]), st.integers(0, 3)) for q in "12"}
)


@given(
    measure=parameters(WITH_BOUNDS, leave=("at_r", "judged_only", "ties", "unjudged")),
    over=st.sampled_from(["judgments", "pool"]),
    cutoff=st.integers(1, 3),
    qrels=JUDGED,
    runs=st.tuples(PARTLY_JUDGED, PARTLY_JUDGED, PARTLY_JUDGED),
)
@settings(max_examples=settings.default.max_examples // 2)
def test_over_judgments_the_ends_are_those_of_all_ways_to_judge(measure, over, cutoff, qrels, runs):
    """Both systems see the same judgments, by the reference, of the documents that they return and
    of others: over the pool, those of C; over judgments, as many as the ideal has room for."""
    name, params = measure
    more = 0
    if MEASURES[name].divisor:
        params.pop("avg_pos", None)
        if over == "judgments":
            more = params["cutoff"] = cutoff
    filled = as_reference_takes_them(name, params)
    made, systems = MEASURES[name](**params), dict(zip("ABC", runs, strict=True))
    frame = bounds(systems, None, qrels, made, over=over, perquery=True)
    of_topic = frame[frame["name"] == "A"].set_index("qid")
    labels = labels_by_gain(all_levels(qrels), filled.get("gains"))
    ends = []
    for q in qrels:
        lists = [run.get(q, {}) for run in runs]
        returned = lists if over == "pool" else lists[:2]
        read = {doc for run in returned for doc in reference.ranking(run)[: filled["cutoff"]]}
        values, differences = [], []
        for judged in judge_in_every_way(qrels[q], sorted(read - set(qrels[q])), labels, more):
            own, other = (reference.value(judged, run, **filled) for run in lists[:2])
            values.append(own)
            differences.append(own - other)
        ends.append([differences[0], min(differences), max(differences)])
        found = of_topic.loc[q, ["value", "least", "most"]].tolist()
        expected = [values[0], min(values), max(values)]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    row, _ = dominance(systems, None, qrels, made, over=over, baseline=1).itertuples()  # B
    check_row(row)
    expected = np.mean(ends, axis=0).tolist()
    assert [row.difference, row.least, row.most] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert (row.exact, row.least_at, row.most_at) == (True, "", "")


ONE = {"1": {"a": 2.0, "b": 1.0}}
RUNS = {"A": ONE, "B": {"1": {"b": 2.0, "a": 1.0}}}
TWO_LEVELS = {"1": {"a": 2, "b": 1}}


def test_an_end_that_is_only_approached():
    """In topic 1, of level 1 alone, A leads by 1 wherever level 1 gains anything; in topic 2 by
    1 - g. The supremum of the mean, 1, is that of g towards 0, where the value itself is 1/2."""
    qrels = {"1": {"a": 1}, "2": {"b": 2, "c": 1}}
    runs = {"A": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "B": {"2": {"c": 1.0}}}
    row = only_pair(runs, None, qrels, nDCG @ 1)
    assert (row.least, row.most) == (pytest.approx(0.5), pytest.approx(1, abs=1e-4))
    of_level = dict(pair.split(":") for pair in row.most_at.split(","))
    assert 0 < float(of_level["1"]) < 1e-4
    assert len(of_level["1"]) < 25  # a power of 10, not 26 digits
    assert row.exact


def test_equal_systems_are_equal_under_every_choice():
    """Sums of 0.1, 0.2 and 0.3 in another order differ by rounding, which is no difference."""
    sums = {"A": {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}, "B": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    qrels, tenths = {"q": {"a": 1, "b": 2, "c": 3}}, CG(gains="1:.1,2:.2,3:.3")
    for over in ("pool", "judgments"):
        row = only_pair(sums, None, qrels, tenths, over=over)
        assert (row.least, row.most, row.better) == (0, 0, "")
    for over in get_args(Over):
        row = only_pair({"A": ONE, "B": ONE}, None, TWO_LEVELS, nDCG(dcg="exp-log2") @ 2, over=over)
        assert (row.difference, row.least, row.most) == (0, 0, 0)
        assert (row.verdict, row.better, row.exact) == ("holds", "", True)


def test_a_declared_discount_plays_no_part_in_the_range_over_discounts():
    register_discount("two_ranks", weights=[1, 0.5])
    for declared in ("two_ranks')@2", "original',base=4)@2", "sigir2000')@1000"):
        measure = f"DCG(discount='{declared}"
        row = only_pair(RUNS, None, TWO_LEVELS, measure, over="discount")
        assert (row.least, row.most) == (0, 1)  # CG@2 is equal, CG@1 is not
    table = dominance(RUNS, None, TWO_LEVELS, measure, over="discount", average="vectors")
    assert list(table) == ["measure", "average", *COLUMNS[1:]]
    assert table["average"].tolist() == ["vectors"]


@pytest.mark.slow
def test_averages_of_vectors_are_one_ratio(trec_qrels):
    """Expected: of mean DCG and mean ideal DCG, at the thresholds and at many weightings."""
    runs, options = pydocs.runs(), {"baseline": ["QLD", "PL2"], "limit": 1}
    frame = dominance(runs, None, trec_qrels, nDCG @ 10, average="vectors", **options)
    assert frame["exact"].all()
    assert len(frame) == 7
    perfect = trec_qrels.assign(score=trec_qrels["relevance"].astype(float))
    for at in ("0-1-1-1", "0-0-1-1", "0-0-0-1", "0-1-2-3", "0-0.2-0.9-1"):
        measure = DCG(gains=at) @ 10
        of_ideal = evaluate(measure, trec_qrels, perfect)["value"].mean()
        for row in frame.itertuples():
            pair = runs[row.name], runs[row.other]
            value = mean_difference(measure, trec_qrels, pair) / of_ideal
            assert row.least - NEAR <= value <= row.most + NEAR
            for end, reached in ((row.least_at, row.least), (row.most_at, row.most)):
                assert end != at or reached == pytest.approx(value, abs=1e-9)
            if at == "0-1-2-3":
                assert row.difference == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("over", "holds", "depends"), [("gains", 64, 2), ("discount", 58, 8), ("both", 53, 13)]
)
def test_pairs_of_trec_covid(covid, over, holds, depends):
    """Each end and each sign by the ordinary road; none of the 66 pairs stays open."""
    qrels, runs = covid
    frame = dominance(runs, None, qrels, nDCG @ 10, over=over)
    assert frame["verdict"].value_counts().to_dict() == {"holds": holds, "depends": depends}
    assert frame["exact"].all()
    if over != "gains":
        return
    for at in {*frame["least_at"], *frame["most_at"], "0-0.3-1"}:
        made = nDCG(gains=at) @ 10
        mean = {name: evaluate(made, qrels, run)["value"].mean() for name, run in runs.items()}
        for row in frame.itertuples():
            value = mean[row.name] - mean[row.other]
            assert row.least - NEAR <= value <= row.most + NEAR
            if at == row.least_at:
                assert value == pytest.approx(row.least, abs=1e-4)


def test_a_small_limit_leaves_a_range_that_is_wider(trec_qrels):
    """And the order of one pair open; it depends on the gains."""
    exact, rough = (
        dominance(pydocs.runs(), None, trec_qrels, gR @ 10, limit=limit) for limit in (100_000, 1)
    )
    assert exact["exact"].all()
    assert not rough["exact"].all()
    assert (rough["least"] <= exact["least"] + NEAR).all()
    assert (rough["most"] >= exact["most"] - NEAR).all()
    told = rough["verdict"] != "open"
    assert (rough["verdict"] == exact["verdict"])[told].all()
    assert rough["better"][~told].tolist() == [""]
    # with the gain g of level 1 the difference is -(1 - g)^2 / 4(1 + g), which is 0 at most
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1, "d": 2, "e": 2}}
    one, other = {"1": {"a": 1.0}, "2": {"d": 1.0}}, {"1": {"b": 1.0}, "2": {"c": 1.0}}
    found = dominance({"A": one, "B": other, "C": one}, None, qrels, "nCG@2", limit=1)
    assert found["verdict"].tolist() == ["open", "holds", "open"]


def test_an_end_that_is_exactly_0():
    """A and B are equal at 0-0-1 and A is better elsewhere: with an end of 0, the order holds."""
    qrels = {"1": {"a": 2, "b": 2, "c": 1}}
    first, second = {"1": {"a": 2.0, "c": 1.0}}, {"1": {"b": 2.0, "x": 1.0}}
    e = 1e-13  # which is no rounding of values so small
    for runs, *ends in (({"A": first, "B": second}, 0, e), ({"B": second, "A": first}, -e, 0)):
        row = only_pair(runs, None, qrels, CG(gains={1: e, 2: e}) @ 2)
        assert (row.least, row.most, row.verdict, row.better) == (*ends, "holds", "A")
    qrels["1"]["x"], second["1"]["y"] = 0, 0.5
    row = only_pair({"A": first, "B": second}, None, qrels, CG @ 3, over="judgments")
    assert (row.least, row.most, row.verdict) == (-1, 1, "depends")
    row = only_pair({"A": first, "B": second}, None, qrels, CG(gains="0-2-2") @ 3, over="judgments")
    assert (row.least, row.most, row.verdict, row.better) == (0, 2, "holds", "A")


def test_choices_have_the_fewest_digits_that_stay_close_to_the_end() -> None:
    """With the gain g of level 1 and w = 1/log2(3), the difference is
    (1 - (g + w)/(1 + w) + (g - w)/(1 + g w)) / 2: largest where (1 + g w)^2 = (1 + w)(1 + w^2)."""
    qrels = {"1": {"a": 2, "b": 2, "d": 1}, "2": {"a": 1, "b": 2}}
    lists = {"A": {"1": "ab", "2": "ac"}, "B": {"1": "da", "2": "db"}}
    runs = {s: {t: dict(zip(docs, (2, 1))) for t, docs in of.items()} for s, of in lists.items()}
    w = 1 / np.log2(3)
    best = (np.sqrt((1 + w) * (1 + w**2)) - 1) / w
    most = (1 - (best + w) / (1 + w) + (best - w) / (1 + best * w)) / 2
    row = only_pair(runs, None, qrels, nDCG @ 2)
    assert row.most == pytest.approx(most, abs=1e-4)
    assert (row.least_at, row.most_at) == ("0-0-1", "0-0.8-1")
    (exact,) = dominance(runs, None, qrels, nDCG @ 2, tolerance=1e-9)["most_at"]
    assert float(exact.split("-")[1]) == pytest.approx(best, abs=1e-3)
    assert len(exact) < len("0-0.80836-1") + 2


OF_POINTS = np.array([-1.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("measure", "levels", "over", "point", "text"),
    [
        (nDCG @ 5, OF_POINTS, "gains", [0.25, 0.75], "0-0.25-1"),
        (CG(gains="0-3-8") @ 5, OF_POINTS, "gains", [0.25, 0.75], "0-2-8"),
        (CG(gains="0-0-0-9") @ 5, OF_POINTS, "gains", [0.25, 0.75], "0-0.25-1"),  # all values are 0
        (nDCG @ 5, [0, 0.5, 3], "gains", [0.25, 0.75], "0.5:0.25,3:1"),
        (nDCG(gains="-1:0") @ 5, OF_POINTS, "gains", [1, 0], "-1:0,1:1,2:1"),
        (nDCG @ 5, OF_POINTS, "gains", [1e-6, 1 - 1e-6], "1:1e-06,2:1"),
        (nDCG @ 3, OF_POINTS, "discount", [0.5, 0.25, 0.25], "1,0.5,0.25"),
        (nDCG @ 2, OF_POINTS, "both", [0.125, 0.375, 0.125, 0.375], "0-0.25-1; 1,0.5"),
    ],
)
def test_a_point_is_written_as_gains_or_weights(measure, levels, over, point, text) -> None:
    """By hand: the gain of a level is the sum up to it, the weight of a rank the sum from it on."""
    choices = corners.Choices(measure, np.asarray(levels, dtype=float), over)
    assert choices.text(np.array(point)) == text
