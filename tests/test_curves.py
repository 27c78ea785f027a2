"""Gain curves: every point is a measure; the papers' vectors; both averages."""

from __future__ import annotations

from unittest import mock

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import (
    CG,
    DCG,
    core,
    evaluate,
    gain_curves,
    intervals,
    nCG,
    nDCG,
    pairwise,
    pydocs,
    sDCG,
)
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.measures import MEASURES
from pt_cumgain.papers import gap_to_ideal
from tests.support.helpers import ours, paper, slow
from tests.support.strategies import LEVELS, ORDINARY, SCORES, WITH_BOUNDS, by_topic, parameters


@pytest.mark.parametrize("average", ["topics", "vectors"])
def test_the_vectors_of_tois_2002(average: str) -> None:
    """Sections 2.1 to 2.3; the printed values of the ideal DCG vector are cut, not rounded."""
    run, qrels = paper()
    curves = gain_curves(
        {"X": run}, None, qrels, [CG, DCG(discount="original"), nCG], 13, average=average
    )
    value = curves.groupby("measure")["value"].agg(list)
    ideal = curves.groupby("measure")["ideal"].agg(list)
    assert value["CG"] == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16, 16, 16, 16]
    assert ideal["CG"] == [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19, 19, 19]
    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    assert value["DCG(discount='original')"][:10] == pytest.approx(printed, abs=0.006)
    printed = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83, 11.83, 11.83]
    assert ideal["DCG(discount='original')"][:12] == pytest.approx(printed, abs=0.01)
    printed = [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]
    assert value["nCG"][:10] == pytest.approx(printed, abs=0.006)
    assert ideal["nCG"] == [1] * 13


@pytest.mark.filterwarnings("ignore:the run 'X'")  # empty runs are among them
@given(
    qrels=by_topic(LEVELS).filter(bool),
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
def test_an_interval_is_that_of_the_measure_at_that_cutoff(
    trec_qrels, interval, confidence
) -> None:
    qrels = dict(reversed(trec_qrels.items())) if isinstance(trec_qrels, dict) else trec_qrels[::-1]
    runs = dict(list(pydocs.runs().items())[:2])
    measures = [nDCG(gains="exp"), CG(judged_only=True), nCG(avg_pos=True)]
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 30):
        curves = gain_curves(runs, None, qrels, measures, 6, interval=interval)
    plain = gain_curves(runs, None, qrels, measures, 6, interval=False)
    pd.testing.assert_frame_equal(curves.drop(columns=["low", "high", "band"]), plain)
    assert curves.columns[-3:].tolist() == ["low", "high", "band"]
    assert set(curves["band"]) == {f"{round(100 * confidence)}% t interval"}
    assert set(plain["topics"]) == {trec_qrels["query_id"].nunique()}
    at = [measure(cutoff=rank) for measure in measures for rank in (1, 2, 6)]
    results = [
        evaluate(at, qrels, run).assign(name=name).rename(columns={"query_id": "qid"})
        for name, run in runs.items()
    ]
    made = intervals(pd.concat(results), confidence=confidence).set_index(["name", "measure"])
    for row in curves[curves["rank"].isin([1, 2, 6])].itertuples():
        expected = made.loc[(row.name, f"{row.measure}@{row.rank}")]
        ends = expected["low"], expected["high"]
        assert (row.low, row.high) == pytest.approx(ends, abs=1e-12)


@pytest.mark.filterwarnings("ignore")  # empty runs, and weightings that miss the qrels
@given(
    qrels=by_topic(LEVELS).filter(bool),
    run=by_topic(SCORES),
    measure=parameters(WITH_BOUNDS, leave=("at_r", "judged_only", "ties", "unjudged")),
    depth=st.integers(1, 9),
    share=st.sampled_from([1, 30, 1 << 17]),
)
@settings(max_examples=settings.default.max_examples // 2)
def test_bounds_are_those_of_the_measure_at_each_cutoff(qrels, run, measure, depth, share) -> None:
    name, params = measure
    if MEASURES[name].NORMALISED:
        params.pop("avg_pos", None)
    made = MEASURES[name](**params)
    at = [made(cutoff=rank) for rank in range(1, depth + 1)]
    columns = ["value", "least", "most"]
    for perquery in (False, True):
        with mock.patch("pt_cumgain.engine.vectors.BATCH", share):
            curves = gain_curves([run], None, qrels, made, depth, perquery=perquery, bounds=True)
        expected = pt_cumgain.bounds([run], None, qrels, at, perquery=perquery)
        if perquery:  # there, cutoff by cutoff
            curves = curves.sort_values("rank", kind="stable", ignore_index=True)
            assert curves["qid"].tolist() == expected["qid"].tolist()
        pd.testing.assert_frame_equal(curves[columns], expected[columns], rtol=1e-12, atol=1e-12)
        assert curves["value"].between(curves["least"], curves["most"]).all()


def test_bounds_of_several_measures_and_fewer_topics_than_ranks(monkeypatch) -> None:
    monkeypatch.setattr("pt_cumgain.engine.vectors.BATCH", 4)  # one topic at a time
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}, {"1": {"x": 3.0, "a": 2.0}, "2": {"y": 1}}
    made = gain_curves([run], None, qrels, [CG, nDCG], 3, perquery=True, bounds=True)
    at = [measure @ rank for measure in (CG, nDCG) for rank in (1, 2, 3)]
    each = pt_cumgain.bounds([run], None, qrels, at, perquery=True)
    each["of"] = each["measure"].str.partition("@")[0]
    each = each.sort_values(["of", "qid", "measure"], ignore_index=True)
    columns = ["qid", "value", "least", "most"]
    pd.testing.assert_frame_equal(made[columns], each[columns], rtol=1e-12)


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
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    runs = pydocs.runs()
    few = topics.head(10)
    measures = [nCG, DCG(discount="original", base=10)]

    def found(queries: pd.DataFrame) -> pd.DataFrame:
        return queries.merge(runs["BM25"], on="qid")

    pipe = pt.apply.generic(found, transform_outputs=lambda _: ["qid", "docno", "score", "rank"])
    curves = gain_curves([pipe, runs["QLD"]], few, qrels, measures, 20, verbose=True)
    name = str(pipe)
    assert curves["name"].unique().tolist() == [name, "run 2"]
    table = pt.Experiment(
        [pipe, runs["QLD"]],
        few,
        qrels,
        [measure @ 20 for measure in measures],
        names=[name, "run 2"],
    )
    last = curves[curves["rank"] == 20].set_index(["name", "measure"])["value"]
    for row in table.to_dict("records"):
        for measure in measures:
            assert last[row["name"], str(measure)] == pytest.approx(row[str(measure @ 20)])
    named = gain_curves({"A": pipe}, few, qrels, measures, 20)
    assert named["value"].tolist() == curves[curves["name"] == name]["value"].tolist()


NOTHING, ONE_TOPIC = pt.apply.generic(lambda _: None), pd.DataFrame({"qid": ["1"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 10**12}, "depth=1000000000000 .* 10000000"),
        ({"measures": ir_measures.AP}, "AP has no curve"),
        ({"measures": [CG, sDCG]}, "sDCG@10 has no curve .*session_curves"),
        ({"measures": CG(at_r=True)}, "at_r=True"),
        ({"measures": []}, "no measure"),
        ({"systems": [{}, {}], "names": ["a", "a"]}, r"\['a', 'a'\]"),
        ({"systems": []}, "no system"),
        ({"systems": [pt.Transformer.identity()]}, "topics are needed"),
        ({"systems": {"X": NOTHING}, "topics": ONE_TOPIC}, "'X' did not return .*, but None"),
        ({"interval": 0.95}, "at least two"),
        ({"interval": 0.95, "bounds": True}, "omit one"),
        ({"bounds": True, "measures": [CG, nCG(avg_pos=True)]}, "omit avg_pos"),
        ({"qrels": {}}, "the qrels have no topic"),
        ({"topics": pd.DataFrame({"qid": ["9"]})}, "no qid in common"),
        ({"baseline": "Z"}, "baseline='Z'"),
        ({"baseline": "X"}, "baseline 'X'"),
        ({"baseline": "X", "bounds": True}, "omit bounds"),
        ({"baseline": "X", "average": "vectors"}, "average='vectors'"),
    ],
)
def test_wrong_input(change: dict, message: str) -> None:
    run, qrels = paper()
    given = {"systems": {"X": run}, "topics": None, "qrels": qrels, "measures": CG, "depth": 5}
    with pytest.raises((TypeError, ValueError), match=message):
        gain_curves(**(given | change))


@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:CG", "ignore:DCG"),  # no positive gain
)
def test_gains_too_large_for_floats() -> None:
    """Of an ideal, of a mean, of a topic; the topic is named."""
    three, boosted = {"1": {"a": 1, "b": 1, "c": 1}}, {1: 1.7e308, 2: -1.7e308}
    two = {"1": {"a": 1}, "2": {"a": 1}}
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
    lost = {"2": {"a": 2.0, "b": 1.0}}
    for run, judged, measure, words in (
        ({}, three, nCG(gains={1: 8e307}), "topic '1'"),
        ({t: {"a": 1.0} for t in two}, two, CG(gains={1: 1.7e308}), "mean"),
        (lost, qrels, CG(gains={1: 1.7e308}), "topic '2'"),
        (lost, qrels, CG(gains={1: -1.7e308}), "topic '2'"),  # the ideal is 0
        (
            {"1": {"x": 3.0, "a": 2.0, "b": 1.0}},
            {"1": {"a": 1, "b": 2}},
            DCG(gains=boosted, discount="sigir2000", base=10),
            "topic '1'",
        ),
    ):
        with pytest.raises(ValueError, match=f"too large.*{words}|{words}.* too large"):
            gain_curves([run], None, judged, measure, 5)
    measure = CG(gains={1: 1.7e308}, avg_pos=True) @ 3
    with pytest.raises(ValueError, match="topic '1' are too large"):
        provider.calc_aggregate([measure], qrels, {"1": {"a": 1.0}})


@pytest.mark.parametrize("perquery", [True, False])
def test_differences_to_a_baseline(trec_qrels, perquery: bool) -> None:
    """Expected: the curves' difference; its interval that of `pairwise` at the same cutoff."""
    runs = dict(list(pydocs.runs().items())[:3])
    measures, interval = [nDCG, CG(avg_pos=True)], None if perquery else True
    made = gain_curves(
        runs, None, trec_qrels, measures, 5, perquery=perquery, baseline="QLD", interval=interval
    )
    plain = gain_curves(runs, None, trec_qrels, measures, 5, perquery=perquery)
    keys = [*(["qid"] if perquery else []), "measure", "rank"]
    base = plain[plain["name"] == "QLD"].set_index(keys)["value"]
    assert made["name"].unique().tolist() == ["BM25", "PL2"]
    assert set(made["baseline"]) == {"QLD"}
    assert made["ideal"].isna().all()
    for name, curve in made.groupby("name"):
        of_name = plain[plain["name"] == name].set_index(keys)["value"] - base
        assert curve.set_index(keys)["value"].to_dict() == pytest.approx(
            of_name.to_dict(), abs=1e-12
        )
    if perquery:
        return
    at = [measure @ 3 for measure in measures]
    results = pd.concat([evaluate(at, trec_qrels, run).assign(name=n) for n, run in runs.items()])
    results = results.rename(columns={"query_id": "qid"})
    expected = pairwise(results, baseline="QLD").set_index(["name", "measure"])
    for row in made[made["rank"] == 3].itertuples():
        of_row = expected.loc[(row.name, f"{row.measure}@3")]
        ends = of_row["low"], of_row["high"]
        assert (row.low, row.high) == pytest.approx(ends, abs=1e-12)


QRELS_OF_3 = {"1": {"a": 3}, "2": {"a": 1, "b": 1}, "3": {"a": 2}}
OF_1_2 = {"1": {"a": 1.0}, "2": {"x": 2.0, "b": 1.0}}
OF_2_3 = {"2": {"a": 2.0, "b": 1.0}, "3": {"x": 1.0}}


def test_topics_that_a_run_misses_count_0_or_not_at_all() -> None:
    """CG@2 is 3, 1 and none; none, 2 and 0; their difference in topic 2, which both have, 1 - 2."""
    runs = {"X": OF_1_2, "Y": OF_2_3}
    with pytest.warns(UserWarning, match=r"of the 3 topics in the qrels: 'X' \(1\), 'Y' \(1\);"):
        zero = gain_curves(runs, None, QRELS_OF_3, CG, 2)
    at_2 = zero[zero["rank"] == 2]
    assert at_2["value"].tolist() == pytest.approx([4 / 3, 2 / 3])
    assert at_2["topics"].tolist() == [3, 3]
    skip = gain_curves(runs, None, QRELS_OF_3, CG, 2, missing="skip")
    at_2 = skip[skip["rank"] == 2]
    assert at_2[["value", "ideal", "topics"]].to_numpy().tolist() == [[2, 2.5, 2], [1, 2, 2]]
    each = gain_curves(runs, None, QRELS_OF_3, CG, 2, missing="skip", perquery=True)
    assert list(zip(each["name"], each["qid"], strict=True))[::2] == [
        *(("X", "1"), ("X", "2"), ("Y", "2"), ("Y", "3"))
    ]
    both = gain_curves(runs, None, QRELS_OF_3, CG, 2, missing="skip", baseline="Y")
    assert both[["value", "topics"]].to_numpy().tolist() == [[-1, 1], [-1, 1]]
    frame = evaluate("CG@2", QRELS_OF_3, OF_1_2, missing="skip")
    assert frame.to_numpy().tolist() == [["1", "CG@2", 3], ["2", "CG@2", 1]]
    with pytest.raises(ValueError, match="the run 'Z' has no topic of the qrels"):
        gain_curves({"Z": {"9": {"a": 1.0}}}, None, QRELS_OF_3, CG, missing="skip")


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


def test_a_wrong_baseline_is_refused_before_the_systems_run() -> None:
    qrels = pd.DataFrame({"qid": ["1"], "docno": "a", "label": 1})
    system = mock.Mock(spec=pt.Transformer)
    topics = pd.DataFrame({"qid": ["1"], "query": "a"})
    with pytest.raises(ValueError, match="baseline='Z' is not one of the systems"):
        gain_curves({"X": system}, topics, qrels, CG, 2, baseline="Z")
    assert not system.mock_calls
