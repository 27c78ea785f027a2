"""Gain curves: every point is a measure; the papers' vectors; both averages; the reading."""

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
    effort,
    gain_curves,
    gap_to_ideal,
    levels_off,
    nCG,
    nsDCG,
    pydocs,
    sDCG,
    session_curves,
)
from pt_cumgain.engine import topics as engine_topics
from tests.engine.test_topics import LEVELS, SCORES, by_topic

# the gain vector and the recall base of TOIS 2002, sections 2.1 and 2.2
GAIN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
DISCOUNTS = ["log2", "original", "revised", "sigir2000", "shifted", "rank", "none"]


def paper() -> tuple[pd.DataFrame, dict]:
    """A run with the gain vector G', and qrels with the recall base of I'."""
    left = list(IDEAL)
    for gain in GAIN:
        if gain:
            left.remove(gain)
    found = {f"d{i}": gain for i, gain in enumerate(GAIN)}
    qrels = {"1": found | {f"missed{i}": gain for i, gain in enumerate(left)}}
    rows = [("1", doc, -float(i)) for i, doc in enumerate(found)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), qrels


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


MEASURES = st.sampled_from(["CG", "DCG", "nCG", "nDCG"])


@st.composite
def measures(draw: st.DrawFn) -> ir_measures.Measure:
    name = draw(MEASURES)
    params: dict = {"judged_only": draw(st.booleans()), "avg_pos": draw(st.booleans())}
    if draw(st.booleans()):
        params["gains"] = draw(st.sampled_from(["0-1-10-100-1000", "exp", {2: 10}, "0-0-0-1-1"]))
    if name.endswith("DCG"):
        params["discount"] = draw(st.sampled_from(DISCOUNTS))
        if params["discount"] in {"original", "revised", "shifted"}:
            params["base"] = draw(st.sampled_from([1.5, 2, 10]))
    if draw(st.booleans()):
        params["cutoff"] = draw(st.integers(1, 20))  # plays no part
    return getattr(pt_cumgain, name)(**params)


@pytest.mark.filterwarnings("ignore:the run 'X'")  # empty runs are among them
@settings(max_examples=200, deadline=None)
@given(
    qrels=by_topic(LEVELS).filter(bool),
    run=by_topic(SCORES),
    chosen=st.lists(measures(), min_size=1, max_size=4),
    depth=st.integers(1, 20),
    share=st.sampled_from([1, 30, engine_topics.SHARE]),
)
def test_every_point_is_the_measure_at_that_cutoff(qrels, run, chosen, depth, share) -> None:
    with mock.patch.object(engine_topics, "SHARE", share):
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
        got = list(pt_cumgain.provider.iter_calc(wanted, qrels, run))
        for metric in got:
            label = str(metric.measure).rpartition("@")[0]
            expected = pytest.approx(metric.value, rel=1e-9, abs=1e-9)
            assert value[label, rank, metric.query_id] == expected
        for measure in wanted:
            values = [m.value for m in got if m.measure == measure]
            expected = pytest.approx(sum(values) / len(qrels), rel=1e-9, abs=1e-9)
            assert mean[str(measure).rpartition("@")[0], rank] == expected


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
    averaged = gain_curves([run], None, qrels, nCG(avg_pos=True), 2, average="vectors")
    assert averaged["value"].tolist() == [0.25, 0.625]
    # a topic without relevant documents: 0, its ideal too
    qrels["3"] = {"a": 0}
    with_empty = gain_curves([run], None, qrels, nCG, 2)
    assert with_empty["value"].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert with_empty["ideal"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_session_curves_have_both_averages() -> None:
    columns = ["query_id", "doc_id", "score", "query_position"]
    rows = [("1", "x", 1.0, 1), ("1", "a", 1.0, 2), ("2", "a", 1.0, 1)]
    run = pd.DataFrame(rows, columns=columns)
    qrels = {"1": {"a": 3}, "2": {"a": 1}}
    measure = nsDCG(query_discount="none") @ 1
    by_topic = session_curves([run], None, qrels, measure)
    assert by_topic["value"].tolist() == [0.5, 0.75]  # 0 1/2 and 1 1
    by_vector = session_curves([run], None, qrels, measure, average="vectors")
    assert by_vector["value"].tolist() == pytest.approx([1 / 4, 4 / 7])  # 0 3 + 1 1 over 3 6 + 1 1


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


def test_session_pipelines_as_systems() -> None:
    runs, sessions = pydocs.session_runs(), pydocs.sessions()
    few = sessions.head(5)
    qrels = pydocs.session_qrels()
    pipe = pt.apply.generic(lambda s: s[["qid"]].merge(runs["BM25"], on="qid"))
    curves = session_curves({"pipe": pipe, "frame": runs["BM25"]}, few, qrels, sDCG @ 10)
    values = curves.groupby("name")["value"].agg(list)
    assert values["pipe"] == values["frame"]
    evaluated = pt_cumgain.evaluate(sDCG @ 10, qrels[qrels["qid"].isin(few["qid"])], runs["BM25"])
    assert values["pipe"][-1] == pytest.approx(evaluated["value"].mean())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 0}, "depth=0 must be a whole number of at least 1"),
        ({"depth": 2.5}, "depth=2.5 must be a whole number"),
        ({"depth": True}, "depth=True must be a whole number"),
        (
            {"measures": ir_measures.AP},
            "AP has no curve by rank; these have one: CG, DCG, nCG, nDCG$",
        ),
        ({"measures": [CG, sDCG]}, r"sDCG@10 has no curve .*\(session_curves has those of sDCG"),
        ({"measures": CG(at_r=True)}, "at_r=True cuts each topic at its own rank; drop it"),
        ({"measures": []}, "there is no measure"),
        ({"measures": [7]}, "7 is no measure"),
        ({"names": ["a", "b"]}, r"2 names for 1 systems: \['a', 'b'\]"),
        ({"systems": {"a": {}}, "names": ["a"]}, "systems is a dict, so its keys are the names"),
        ({"systems": [{}, {}], "names": ["a", "a"]}, r"are not distinct: \['a', 'a'\]"),
        ({"systems": []}, "there is no system"),
        ({"systems": [{}, {}], "names": "AB"}, "names='AB' must be a list of names"),
        ({"systems": "run"}, "systems must be a list or a dict of systems, not str"),
        ({"systems": [pt.Transformer.identity()]}, "is a transformer, so topics are needed"),
        ({"average": "mean"}, "average='mean' is unknown; choose from topics, vectors"),
        ({"average": "vectors", "perquery": True}, "with perquery=True there are none"),
        ({"qrels": {}}, "the qrels have no topic"),
        (
            {"topics": pd.DataFrame({"qid": ["9"]})},
            "the topics and the qrels have no qid in common",
        ),
        ({"topics": ["1"]}, "topics must be a DataFrame with the column qid"),
    ],
)
def test_wrong_input(change: dict, message: str) -> None:
    run, qrels = paper()
    given = {"systems": [run], "topics": None, "qrels": qrels, "measures": CG, "depth": 5}
    with pytest.raises((TypeError, ValueError), match=message):
        gain_curves(**(given | change))


def test_rows_in_any_order_are_read_the_same() -> None:
    run, qrels = paper()
    curves = gain_curves({"X": run, "Y": run}, None, qrels, CG, 13)
    shuffled = curves.sample(frac=1, random_state=1)
    for function in (effort, gap_to_ideal, levels_off):
        first, second = (
            f.sort_values(list(f)).reset_index(drop=True) for f in map(function, (curves, shuffled))
        )
        pd.testing.assert_frame_equal(first, second)
    some = curves[curves["rank"] % 5 == 0]
    for function in (effort, gap_to_ideal, levels_off):
        with pytest.raises(ValueError, match="the curve of 'X' and CG has not all the ranks"):
            function(some)
    other = gain_curves({"Z": run}, None, qrels, nCG, 13)
    with pytest.raises(ValueError, match="'Z' has no curve of CG"):
        effort(pd.concat([curves, other]), than="Z")
    assert effort(curves, 3)["rank"].tolist() == [3, 3]
    assert effort(curves, [3.0])["gain"].tolist() == [9, 9]


def test_a_gain_is_reached_though_a_bit_is_missing() -> None:
    found = effort(curve([0.1 + 0.2 - 1e-16, 0.4], [0.1 + 0.2, 0.4]), [1])
    assert found["effort"].tolist() == [1]


def test_a_system_that_returns_nothing() -> None:
    pipe = pt.apply.generic(lambda _: None)
    with pytest.raises(TypeError, match="the system 'X' returned no DataFrame, but None"):
        gain_curves({"X": pipe}, pd.DataFrame({"qid": ["1"]}), {"1": {"a": 1}}, CG, 5)


@pytest.mark.filterwarnings("ignore:the run")  # empty ones
def test_gains_too_large_for_floats() -> None:
    ideal = {"1": {"a": 1, "b": 1, "c": 1}}
    for run in ({}, {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}):
        with pytest.raises(ValueError, match="gains of topic '1' are too large"):
            gain_curves([run], None, ideal, nCG(gains={1: 8e307}), 5)
        with pytest.raises(ValueError, match="gains of topic '1' are too large"):
            pt_cumgain.provider.calc_aggregate([nCG(gains={1: 8e307})], ideal, run)
    two = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.raises(ValueError, match="too large for a mean"):
        gain_curves([{t: {"a": 1.0} for t in two}], None, two, CG(gains={1: 1.7e308}), 5)
    with mock.patch.object(engine_topics, "SHARE", 1), pytest.raises(ValueError, match="topic '2'"):
        gain_curves([{}], None, {"1": {"a": 0}, "2": {"a": 1, "b": 1}}, CG(gains={1: 1.7e308}), 5)
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1}}
    with pytest.raises(ValueError, match="gains of topic '2' are too large"):
        gain_curves([{"2": {"a": 2.0, "b": 1.0}}], None, qrels, CG(gains={1: 1.7e308}), 5)


# reading


def curve(values: list[float], ideal: list[float], name: str = "X") -> pd.DataFrame:
    ranks = range(1, len(values) + 1)
    return pd.DataFrame(
        {"name": name, "measure": "CG", "rank": ranks, "value": values, "ideal": ideal}
    )


def test_the_gap() -> None:
    run, qrels = paper()
    gap = gap_to_ideal(gain_curves({"X": run}, None, qrels, CG, 10))
    assert gap["rank"].tolist() == [5, 10]
    assert gap["gap"].tolist() == [13 - 8, 19 - 16]
    assert gap["share"].tolist() == pytest.approx([8 / 13, 16 / 19])
    assert np.isnan(gap_to_ideal(curve([0], [0]), [1])["share"][0])


def test_the_effort() -> None:
    """From G' and I' of TOIS 2002: the ideal has 9 by rank 3, the run by rank 6."""
    run, qrels = paper()
    curves = gain_curves({"X": run}, None, qrels, CG, 13)
    found = effort(curves, [1, 2, 3, 10])
    assert found["gain"].tolist() == [3, 6, 9, 19]
    assert found["effort"].tolist()[:3] == [1, 3, 6]
    assert found["times"].tolist()[:3] == [1, 1.5, 2]
    assert np.isnan(found["effort"][3])
    assert found["reached"].tolist() == [
        *("at rank 1", "at rank 3", "at rank 6"), "never within rank 13",
    ]  # fmt: skip
    lines = effort(curves, [1, 2, 3], interpolate=True)
    # 6 lies a third of the way from CG[2] = 5 to CG[3] = 8
    assert lines["effort"].tolist() == pytest.approx([1, 2 + 1 / 3, 6])


def test_the_effort_against_another_system() -> None:
    curves = pd.concat([curve([1, 2, 3], [3, 3, 3], "A"), curve([0, 1, 2], [3, 3, 3], "B")])
    found = effort(curves, [1, 2, 3], than="A").set_index(["name", "rank"])["effort"]
    assert found["A"].tolist() == [1, 2, 3]
    assert found["B"].tolist()[:2] == [2, 3]
    assert np.isnan(found["B", 3])
    with pytest.raises(ValueError, match="no system is called 'C'; the curves are of A, B"):
        effort(curves, than="C")


@settings(max_examples=200, deadline=None)
@given(
    gains=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    goal=st.integers(1, 12),
    interpolate=st.booleans(),
)
def test_the_effort_is_where_the_gain_is_reached(gains, goal, interpolate) -> None:
    values = np.cumsum(gains).tolist()
    found = effort(curve(values, [goal] * len(gains)), [1], interpolate=interpolate)["effort"][0]
    if values[-1] < goal:
        assert np.isnan(found)
    elif interpolate:
        line = np.interp(found, range(len(gains) + 1), [0, *values])
        assert line == pytest.approx(goal)
    else:
        at = int(found)
        assert values[at - 1] >= goal
        assert at == 1 or values[at - 2] < goal


def test_where_the_ideal_levels_off() -> None:
    run, qrels = paper()
    curves = gain_curves({"X": run, "Y": run}, None, qrels, [CG, nCG, DCG], 13)
    found = levels_off(curves)
    assert found["measure"].tolist() == ["CG", "DCG"]
    assert found["rank"].tolist() == [10, 10]
    assert found["still_grows"].tolist() == [False, False]
    assert levels_off(curves, 0.75)["rank"][0] == 6  # 15 of 19
    short = levels_off(curves[curves["rank"] <= 8])
    assert short["rank"].tolist() == [8, 8]
    assert short["still_grows"].tolist() == [True, True]
    flat = levels_off(curve([0, 0], [3, 3]))
    assert flat["rank"].tolist() == [1]


@pytest.mark.parametrize("function", [gap_to_ideal, effort])
def test_wrong_ranks(function) -> None:
    curves = curve([1, 2], [2, 3])
    for rank in (0, 3, 1.5):
        with pytest.raises(ValueError, match=rf"rank {rank} is not in the curves, .* 1 to 2"):
            function(curves, [rank])
    with pytest.raises(ValueError, match=r"missing columns \['ideal'\]"):
        function(curves.drop(columns="ideal"))
    with pytest.raises(ValueError, match="a curve has a rank twice"):
        function(pd.concat([curves, curves]))
    with pytest.raises(ValueError, match="there is no curve"):
        function(curves.head(0))


@pytest.mark.parametrize("share", [0, 1.1, -1])
def test_wrong_shares(share: float) -> None:
    with pytest.raises(ValueError, match="greater than 0 and at most 1"):
        levels_off(curve([1], [1]), share)
