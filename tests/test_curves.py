"""Gain curves: every point is a measure; the papers' vectors; both averages."""

from unittest import mock

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import CG, DCG, core, gain_curves, intervals, nCG, nDCG, pairwise, sDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.measures import MEASURES
from pt_cumgain.papers import gap_to_ideal
from tests.support.helpers import evaluate_runs, ours, paper, slow
from tests.support.strategies import ORDINARY, QRELS, SCORES, WITH_BOUNDS, by_topic, parameters


def assert_same_ends(curves: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Both ends of each interval are those of the measure at that cutoff."""
    rows = expected.set_index(["name", "measure"])
    for row in curves.itertuples():
        ends = rows.loc[(row.name, f"{row.measure}@{row.rank}"), ["low", "high"]]
        assert (row.low, row.high) == pytest.approx(tuple(ends), abs=1e-12)


@pytest.mark.parametrize("average", ["topics", "vectors"])
def test_the_vectors_of_tois_2002(average: str) -> None:
    """Sections 2.1 to 2.3."""
    run, qrels = paper()
    curves = gain_curves({"X": run}, None, qrels, [CG, nCG], 13, average=average)
    value, ideal = (curves.groupby("measure")[name].agg(list) for name in ("value", "ideal"))
    assert value["CG"] == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16, 16, 16, 16]
    assert ideal["CG"] == [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19, 19, 19]
    printed = [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]
    assert value["nCG"][:10] == pytest.approx(printed, abs=0.006)
    assert ideal["nCG"] == [1] * 13


@given(
    qrels=QRELS,
    run=by_topic(SCORES),
    # a cutoff plays no part
    given_params=st.lists(parameters(ORDINARY, leave=("at_r",)), min_size=1, max_size=4),
    depth=st.integers(1, 20),
    share=st.sampled_from([1, 30, 1 << 17]),
)
def test_every_point_is_the_measure_at_that_cutoff(qrels, run, given_params, depth, share) -> None:
    chosen = [MEASURES[name](**params) for name, params in given_params]
    with mock.patch("pt_cumgain.engine.vectors.BATCH", share):
        means = gain_curves({"X": run}, None, qrels, chosen, depth)
        each = gain_curves({"X": run}, None, qrels, chosen, depth, perquery=True)
    labels = dict.fromkeys(str(measure(cutoff=1)).rpartition("@")[0] for measure in chosen)
    assert means["measure"].tolist() == [label for label in labels for _ in range(depth)]
    assert each.groupby(["qid", "measure"]).size().tolist() == [depth] * len(qrels) * len(labels)
    mean = means.set_index(["measure", "rank"])["value"]
    value = each.set_index(["measure", "rank", "qid"])["value"]
    for rank in range(1, depth + 1):
        wanted = {measure(cutoff=rank) for measure in chosen}
        # provider: the host would compute plain nDCG, with scores as float32
        got = list(provider.iter_calc(wanted, qrels, run))
        for metric in got:
            label = str(metric.measure).rpartition("@")[0]
            expected = pytest.approx(metric.value, rel=1e-9, abs=1e-9)
            assert value[label, rank, metric.query_id] == expected
        for measure in wanted:
            values = [m.value for m in got if m.measure == measure]
            expected = pytest.approx(sum(values) / len(qrels), rel=1e-9, abs=1e-9)
            assert mean[str(measure).rpartition("@")[0], rank] == expected


@pytest.mark.parametrize(("interval", "confidence"), [(0.9, 0.9), *slow((True, 0.95))])
def test_an_interval_is_that_of_the_measure_cut_there(trec_qrels, interval, confidence) -> None:
    runs = dict(list(pt_cumgain.pydocs.runs().items())[:2])
    measures = [nDCG(gains="exp"), CG(judged_only=True), nCG(avg_pos=True)]
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 30):
        curves = gain_curves(runs, None, trec_qrels[::-1], measures, 6, interval=interval)
    plain = gain_curves(runs, None, trec_qrels, measures, 6, interval=False)
    pd.testing.assert_frame_equal(curves.drop(columns=["low", "high", "band"]), plain)
    assert curves.columns[-3:].tolist() == ["low", "high", "band"]
    assert set(curves["band"]) == {f"{round(100 * confidence)}% t interval"}
    assert set(plain["topics"]) == {trec_qrels["query_id"].nunique()}
    at = [measure(cutoff=rank) for measure in measures for rank in (1, 2, 6)]
    expected = intervals(evaluate_runs(at, trec_qrels, runs), confidence=confidence)
    assert_same_ends(curves[curves["rank"].isin([1, 2, 6])], expected)


@pytest.mark.filterwarnings("ignore")  # empty runs, and weightings that miss the qrels
@given(
    qrels=QRELS,
    run=by_topic(SCORES),
    drawn=parameters(WITH_BOUNDS, leave=("at_r", "judged_only", "ties", "unjudged")),
    depth=st.integers(1, 9),
    share=st.sampled_from([1, 30, 1 << 17]),
)
@settings(max_examples=settings.default.max_examples // 2)
def test_bounds_are_those_of_the_measure_at_each_cutoff(qrels, run, drawn, depth, share) -> None:
    name, params = drawn
    if MEASURES[name].divisor:
        params.pop("avg_pos", None)
    measures = [MEASURES[name](**params), CG(gains="exp")]
    at = [measure(cutoff=rank) for measure in measures for rank in range(1, depth + 1)]
    columns = ["value", "least", "most"]
    for keys in (["measure"], ["qid", "measure"]):
        options = {"perquery": "qid" in keys}
        with mock.patch("pt_cumgain.engine.vectors.BATCH", share):
            curves = gain_curves([run], None, qrels, measures, depth, bounds=True, **options)
        expected = pt_cumgain.bounds([run], None, qrels, at, **options)
        curves["measure"] += "@" + curves["rank"].astype(str)
        points, expected = (
            frame.set_index(keys)[columns].sort_index() for frame in (curves, expected)
        )
        pd.testing.assert_frame_equal(points, expected, rtol=1e-12, atol=1e-12)
        assert curves["value"].between(curves["least"], curves["most"]).all()


def test_both_averages() -> None:
    """TOIS 2002, eq. 3 and 5: the average vector over the average ideal vector, by hand."""
    qrels = {"1": {"a": 3}, "2": {"a": 1, "b": 1}}
    run = {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    # CG: 0 3 and 1 2; ideal 3 3 and 1 2
    topics = gain_curves([run], None, qrels, nCG, 2, names=["X"])
    assert topics["value"].tolist() == [0.5, 1]
    vectors = gain_curves([run], None, qrels, [nCG, CG], 2, names=["X"], average="vectors")
    assert vectors["value"].tolist() == [0.25, 1, 0.5, 2.5]
    assert vectors["ideal"].tolist() == [1, 1, 2, 2.5]
    means = [CG(avg_pos=True), nCG(avg_pos=True)]
    averaged = gain_curves([run], None, qrels, means, 2, average="vectors")
    assert averaged["value"].tolist() == [0.5, 1.5, 0.25, 0.625]
    assert averaged["ideal"].tolist() == [2, 2.25, 1, 1]
    of_topics = gain_curves([run], None, qrels, means, 2)
    assert of_topics["ideal"].tolist() == [2, 2.25, 1, 1]
    # a topic without relevant documents: 0, its ideal too
    qrels["3"] = {"a": 0}
    with_empty = gain_curves([run], None, qrels, nCG, 2)
    assert with_empty["value"].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert with_empty["ideal"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_systems_as_in_an_experiment() -> None:
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text").head(10), dataset.get_qrels()
    runs = pt_cumgain.pydocs.runs()
    measures = [nCG, DCG(discount="original", base=10)]

    def found(queries: pd.DataFrame) -> pd.DataFrame:
        return queries.merge(runs["BM25"], on="qid")

    pipe = pt.apply.generic(found, transform_outputs=lambda _: ["qid", "docno", "score", "rank"])
    systems, names = [pipe, runs["QLD"]], [str(pipe), "run 2"]
    curves = gain_curves(systems, topics, qrels, measures, 20, verbose=True)
    assert curves["name"].unique().tolist() == names
    at_20 = [measure @ 20 for measure in measures]
    table = pt.Experiment(systems, topics, qrels, at_20, names=names)
    last = curves[curves["rank"] == 20].pivot(index="name", columns="measure", values="value")
    for measure in measures:
        expected = table.set_index("name")[str(measure @ 20)]
        assert last[str(measure)].to_dict() == pytest.approx(expected.to_dict())
    named = gain_curves({"A": pipe}, topics, qrels, measures, 20)
    assert named["value"].tolist() == curves[curves["name"] == names[0]]["value"].tolist()


ONE_TOPIC = pd.DataFrame({"qid": ["1"]})
NOTHING = {"systems": {"X": pt.apply.generic(lambda _: None)}, "topics": ONE_TOPIC}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 10**12}, "depth=1000000000000 .* 10000000"),
        ({"measures": ir_measures.AP}, "AP has no curve"),
        ({"measures": [CG, sDCG]}, "sDCG@10 has no curve .*session_curves"),
        ({"measures": CG(at_r=True)}, "at_r=True"),
        ({"systems": [{}, {}], "names": ["a", "a"]}, r"\['a', 'a'\]"),
        (NOTHING, "'X' did not return .*, but None"),
        ({"interval": 0.95, "bounds": True}, "omit one"),
        ({"bounds": True, "measures": [CG, nCG(avg_pos=True)]}, "omit avg_pos"),
        ({"topics": pd.DataFrame({"qid": ["9"]})}, "no qid in common"),
        ({"baseline": "X"}, "baseline 'X'"),
        (NOTHING | {"baseline": "Z"}, "baseline='Z' is not one of the systems"),  # before it runs
        ({"baseline": "X", "bounds": True}, "omit bounds"),
        ({"baseline": "X", "average": "vectors"}, "average='vectors'"),
    ],
)
def test_wrong_input(change: dict, message: str) -> None:
    run, qrels = paper()
    given = {"systems": {"X": run}, "topics": None, "qrels": qrels, "measures": CG, "depth": 5}
    with pytest.raises((TypeError, ValueError), match=message):
        gain_curves(**(given | change))


BOTH = {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
GROWING = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
BOOSTED = DCG(gains={1: 1.7e308, 2: -1.7e308}, discount="sigir2000", base=10)


@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:CG", "ignore:DCG"),  # no positive gain
)
@pytest.mark.parametrize(
    ("run", "qrels", "measure", "words"),
    [
        ({}, {"1": {"a": 1, "b": 1, "c": 1}}, nCG(gains={1: 8e307}), "topic '1'"),  # the ideal
        (BOTH, {"1": {"a": 1}, "2": {"a": 1}}, CG(gains={1: 1.7e308}), "mean"),
        (BOTH, GROWING, CG(gains={1: 1.7e308}), "topic '2'"),
        (BOTH, GROWING, CG(gains={1: -1.7e308}), "topic '2'"),  # the ideal is 0
        ({"1": {"x": 3.0, "a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 2}}, BOOSTED, "topic '1'"),
    ],
)
def test_gains_too_large_for_floats(run, qrels, measure, words: str) -> None:
    with pytest.raises(ValueError, match=f"too large.*{words}|{words}.* too large"):
        gain_curves([run], None, qrels, measure, 5)


@pytest.mark.parametrize("perquery", [True, False])
def test_differences_to_a_baseline(trec_qrels, perquery: bool) -> None:
    """Expected: the curves' difference; its interval that of `pairwise` at the same cutoff."""
    runs = dict(list(pt_cumgain.pydocs.runs().items())[:3])
    measures, options = [nDCG, CG(avg_pos=True)], {"perquery": perquery}
    plain = gain_curves(runs, None, trec_qrels, measures, 5, **options)
    if not perquery:
        options["interval"] = True
    made = gain_curves(runs, None, trec_qrels, measures, 5, baseline="QLD", **options)
    keys = [*(["qid"] if perquery else []), "measure", "rank"]
    values = {name: of_name.set_index(keys)["value"] for name, of_name in plain.groupby("name")}
    assert made["name"].unique().tolist() == ["BM25", "PL2"]
    assert set(made["baseline"]) == {"QLD"}
    assert made["ideal"].isna().all()
    for name, curve in made.groupby("name"):
        expected = (values[name] - values["QLD"]).to_dict()
        assert curve.set_index(keys)["value"].to_dict() == pytest.approx(expected, abs=1e-12)
    if not perquery:
        results = evaluate_runs([measure @ 3 for measure in measures], trec_qrels, runs)
        assert_same_ends(made[made["rank"] == 3], pairwise(results, baseline="QLD"))


def test_topics_that_a_run_misses_count_0_or_not_at_all() -> None:
    """CG@2 is 3, 1 and none; none, 2 and 0; their difference in topic 2, which both have, 1 - 2."""
    qrels = {"1": {"a": 3}, "2": {"a": 1, "b": 1}, "3": {"a": 2}}
    of_1_2 = {"1": {"a": 1.0}, "2": {"x": 2.0, "b": 1.0}}
    runs = {"X": of_1_2, "Y": {"2": {"a": 2.0, "b": 1.0}, "3": {"x": 1.0}}}
    with pytest.warns(UserWarning, match=r"of the 3 topics in the qrels: 'X' \(1\), 'Y' \(1\);"):
        zero = gain_curves(runs, None, qrels, CG, 2)
    at_2 = zero[zero["rank"] == 2]
    assert at_2["value"].tolist() == pytest.approx([4 / 3, 2 / 3])
    assert at_2["topics"].tolist() == [3, 3]
    skip = gain_curves(runs, None, qrels, CG, 2, missing="skip")
    at_2 = skip[skip["rank"] == 2]
    assert at_2[["value", "ideal", "topics"]].to_numpy().tolist() == [[2, 2.5, 2], [1, 2, 2]]
    each = gain_curves(runs, None, qrels, CG, 2, missing="skip", perquery=True)
    assert (each["name"] + each["qid"]).tolist() == ["X1", "X1", "X2", "X2", "Y2", "Y2", "Y3", "Y3"]
    both = gain_curves(runs, None, qrels, CG, 2, missing="skip", baseline="Y")
    assert both[["value", "topics"]].to_numpy().tolist() == [[-1, 1], [-1, 1]]
    with pytest.raises(ValueError, match="the run 'Z' has no topic of the qrels"):
        gain_curves({"Z": {"9": {"a": 1.0}}}, None, qrels, CG, missing="skip")


def test_the_curve_of_descending_gains_is_called_so() -> None:
    """SIGIR 2000, section 3.4; expected: core's DCG of the descending gains."""
    run, qrels = paper()
    boosted = DCG(discount="sigir2000", base=10)
    with pytest.warns(UserWarning, match="'ideal' is the curve of the descending gains") as told:
        curves = gain_curves({"X": run, "Y": run}, None, qrels, [CG, boosted], 10)
    assert len(ours(told)) == 1
    names = dict(zip(curves["measure"], curves["ideal_is"], strict=True))
    assert names == {"CG": "ideal", "DCG(discount='sigir2000',base=10)": "descending gains"}
    gain = np.sort(list(qrels["1"].values()))[::-1][:10]
    expected = core.cg(core.discount_gains(gain, discount="sigir2000", base=10))
    of_x = curves[(curves["name"] == "X") & (curves["measure"] != "CG")]
    assert of_x["ideal"].tolist() == pytest.approx(expected.tolist())
    assert gap_to_ideal(curves, 10)["gap"].notna().all()
