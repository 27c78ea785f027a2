"""Frames of bounds, effects of ties, parts by level and topics, by hand and by slow references."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, bounds, core, dominance, evaluate, gain_curves, nCG, nDCG, sDCG
from pt_cumgain.measures import MEASURES
from pt_cumgain.papers import precision_by_level
from pt_cumgain.trust import gain_by_level, reconcile, tie_effects, topic_table
from tests.support import reference
from tests.support.helpers import ours, warnings_of
from tests.support.strategies import ORDINARY, as_reference_takes_them, parameters
from tests.trust.test_missing_judgments import DOCS, HUGE, JUDGED, QRELS, RUN


@pytest.mark.usefixtures("no_delay")
@pytest.mark.parametrize("function", [bounds, tie_effects, gain_by_level, topic_table])
def test_what_all_functions_of_systems_have(function, capsys):
    """A row after the other, progress if asked for, and words for a run of other topics."""
    runs = {"X": RUN, "Y": RUN}
    made = function(runs, None, QRELS, [CG @ 3, nDCG @ 3])
    assert made.index.tolist() == list(range(len(made)))
    assert capsys.readouterr().err == ""
    function(runs, None, QRELS, CG @ 3, verbose=True)
    assert f"{function.__name__}: " in capsys.readouterr().err
    with pytest.warns(UserWarning, match="X") as caught:
        function({"X": {"9": {"a": 1.0}}}, None, QRELS, CG @ 3)
    assert [one.filename for one in ours(caught)] == [__file__]
    with pytest.raises(ValueError, match="the qrels have no topic"):
        function(runs, None, {}, CG @ 3)


def test_over_the_pool_no_cutoff_is_needed():
    """u is unjudged in X, v in Y alone: nDCG of X with the level 1 of both is (1/r + 1) / (1 + 1/r
    + 1/2), of v alone 1/r / (1 + 1/r), where r = log2(3) and the discounts are 1, r, 2."""
    qrels, r = {"1": {"a": 1}}, np.log2(3)
    runs = {"X": {"1": {"u": 2.0, "a": 1.0}}, "Y": {"1": {"v": 1.0}}}
    row = bounds(runs, None, qrels, nDCG, over="pool").iloc[0]
    assert row[["value", "least", "most", "judged"]].tolist() == pytest.approx(
        [1 / r, 1 / r / (1 + 1 / r), 1, 0.5]
    )
    with pytest.raises(ValueError, match="@10"):
        bounds(runs, None, qrels, nDCG)
    with pytest.raises(ValueError, match="at most 10000000"):
        bounds(runs, None, qrels, nDCG @ 10**12)


@pytest.mark.parametrize("measure", [CG, CG(avg_pos=True) @ 2])
@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    "ignore:the run",  # a topic that it misses
)
def test_parts_and_ideals_that_no_float_holds(measure):
    """The first topic where it is so is named; each part by itself is a number."""
    qrels = {"0": {"a": 3}, "1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2}}
    run = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    alone = {"0": run["0"]}
    for function, systems in ((gain_by_level, run), (topic_table, run), (topic_table, alone)):
        with pytest.raises(ValueError, match="gains of topic '1' are too large"):
            function([systems], None, qrels, measure(gains={1: HUGE, 2: HUGE}))


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (nDCG(at_r=True), "omit at_r"),
        (CG(judged_only=True) @ 5, "omit judged_only"),
        (sDCG, "sDCG@10 has no range; CG, DCG, nCG and nDCG"),
        ([], "no measure"),
        (CG(avg_pos=True), "cutoff"),
    ],
)
def test_measures_without_bounds_are_refused(measure, reason):
    with pytest.raises(ValueError, match=reason):
        bounds({"X": RUN}, None, QRELS, measure)


TIED = {"1": {"a": 1.0, "x": 1.0, "c": 1.0, "b": 1.0, "y": 0.5}, "2": {"a": 1.0}}


def test_effects_of_ties_by_hand():
    """CG@1 of a, b, c, x tied: c by id descends last but x; gains 2, 1, 2, 0."""
    made = tie_effects({"X": TIED}, None, QRELS, CG @ 1, perquery=True)
    assert made.columns.tolist() == ["name", "qid", "measure", "doc_id", "average", "best", "worst"]
    assert made.iloc[0].tolist() == ["X", "1", "CG@1", 0, 5 / 4, 2, 0]
    assert made.iloc[1].tolist() == ["X", "2", "CG@1", 1, 1, 1, 1]


def test_a_weighting_that_misses_the_qrels_is_told_once():
    one, measure = {"1": QRELS["1"]}, CG(gains="0-1-2-9") @ 1
    (said,) = warnings_of(lambda: tie_effects({"X": TIED}, None, one, measure))
    assert said.startswith("CG(gains='0-1-2-9')@1: ")


@given(measure=parameters(ORDINARY, leave=("unjudged",)), data=st.data())
@settings(max_examples=settings.default.max_examples // 2)
def test_parts_by_level_sum_to_the_value(measure, data):
    name, params = measure
    levels = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
    qrels = {"q": data.draw(levels), "r": data.draw(levels)}
    scores = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3).map(float))
    run = {"q": data.draw(scores)}
    made = MEASURES[name](**params)
    try:
        parts = gain_by_level({"X": run}, None, qrels, made, perquery=True)
    except ValueError as error:
        assert "no level" in str(error)  # noqa: PT017  # nothing else may be refused
        return
    summed = parts.groupby("qid", sort=False)["value"].sum()
    value = evaluate(made, qrels, run).set_index("qid")["value"]
    np.testing.assert_allclose(summed, value.loc[summed.index], rtol=1e-12, atol=1e-12)


def test_a_level_that_gains_something_in_one_measure_is_there_for_all():
    """b has level 1 and a level 2: they gain 0 and 5, or 1 and 2."""
    made = gain_by_level([RUN], None, QRELS, [CG(gains="0-0-5"), CG], perquery=True)
    assert made[made["qid"] == "1"]["level"].tolist() == [1, 1, 2, 2]
    assert made[made["qid"] == "1"]["value"].tolist() == [0, 1, 5, 2]


@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:2 runs have no documents"),  # of a topic that they miss
)
def test_a_table_of_topics_by_hand():
    """x and y are not judged. CG@2 of topic 1: 2 and 3; of 2: 1 and 1; of 3: 0 and 0."""
    topics = pd.DataFrame({"qid": ["1", "2", "3", "4"], "query": ["one", "two", "three", "four"]})
    other = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "y": 1.0}}
    with pytest.warns(UserWarning, match="1 topic without judgments is left out: 4"):
        made = topic_table({"X": RUN, "Y": other}, topics, QRELS, [CG @ 2, nCG @ 2])
    assert made.columns.tolist() == [
        *("qid", "query", "measure", "R", "ideal", "judged"),
        *("best", "best_value", "worst", "worst_value", "mean"),
    ]
    assert made["qid"].tolist() == ["1", "2", "3"] * 2
    # the second system has both documents of topic 1 judged
    of_1 = ["1", "one", "CG@2", 3, 4, 0.75, "Y", 3, "X", 2, 2.5]
    of_2 = ["2", "two", "CG@2", 1, 1, 0.5, "X", 1, "X", 1, 1]
    assert made.iloc[0].tolist() == of_1
    assert made.iloc[1].tolist() == of_2
    assert np.isnan(made.loc[2, "judged"])  # nobody returned anything
    assert made.loc[2, ["R", "ideal", "best", "worst", "mean"]].tolist() == [1, 1, "X", "X", 0]
    assert made["ideal"].tolist()[3:] == [4, 1, 1]
    assert made["best_value"].tolist()[3:] == [3 / 4, 1, 0]
    for without in (None, topics[["qid"]][:3]):
        assert "query" not in topic_table({"X": RUN}, without, QRELS, CG @ 2)


def test_the_judged_share_whatever_the_measure():
    """Topic 1 ranks x, a, y, b; R is 3, and 2 under a weighting of the level 2 alone."""
    measures = [CG(judged_only=True) @ 2, CG(ties="best") @ 4, nCG(avg_pos=True) @ 1, CG]
    measures += [nCG(at_r=True), nCG(at_r=True, gains="0-0-1"), nCG(at_r=True, gains="0-0-0")]
    with pytest.warns(UserWarning, match="no document .* has a positive gain"):
        made = topic_table({"X": RUN}, None, QRELS, measures).set_index(["measure", "qid"])
    judged = [made.loc[(str(measure), "1"), "judged"] for measure in measures]
    assert judged[:-1] == [1 / 2, 1 / 2, 0, 1 / 2, 1 / 3, 1 / 2]
    assert np.isnan(judged[-1])  # R is 0


@given(
    measure=parameters(ORDINARY, leave=("unjudged",)),
    qrels=st.dictionaries(st.sampled_from(JUDGED), st.integers(-2, 4), min_size=1),
)
@pytest.mark.filterwarnings("ignore")  # weightings that miss the qrels are among them
def test_the_ideal_is_what_the_ideal_ranking_has(measure, qrels):
    """The reference's value of the documents that gain something, best first."""
    name, params = measure
    filled = as_reference_takes_them(name, params)
    gain = {doc: reference.gain(params.get("gains"), level) for doc, level in qrels.items()}
    if params.get("dcg") == "exp-log2":
        gain = {doc: reference.gain("exp", level) for doc, level in qrels.items()}
    best = {doc: x for doc, x in gain.items() if x > 0}
    filled |= {"divisor": "", "ties": "doc_id", "judged_only": False}
    row = topic_table({"X": {"q": {"x": 1.0}}}, None, {"q": qrels}, MEASURES[name](**params)).iloc[
        0
    ]
    assert row["R"] == len(best)
    if core.has_ideal(params.get("discount", "log2"), params.get("base", 2)):
        ideal = reference.value(qrels, best, **filled)
        assert row["ideal"] == pytest.approx(ideal, rel=1e-9, abs=1e-9)
    else:
        assert np.isnan(row["ideal"])


@pytest.mark.parametrize(
    ("systems", "measure", "reason"),
    [
        ([RUN], "AP", "AP has no table of topics"),
        ([RUN], CG(gains={2: 1.7e308}) @ 5, "too large for"),
        # of one topic, over systems
        ([{"2": {"a": 1.0}}] * 2, CG(gains={1: 1.7e308}) @ 1, "too large for a mean of floats"),
    ],
)
@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:2 runs have no documents"),
)
def test_what_a_table_of_topics_refuses(systems, measure, reason):
    with pytest.raises(ValueError, match=reason):
        topic_table(systems, None, QRELS, measure)


def test_more_than_a_hundred_levels_are_refused() -> None:
    """By `dominance` before a system runs. The range over discounts does not depend on them."""
    qrels = {"1": {f"d{i}": (i + 1) / 8 for i in range(101)}}
    run = {"1": {"x": 2.0, "d1": 1.0}}
    runs, files = {"A": run, "B": run}, dict.fromkeys("AB", "no file")
    for compute in (
        lambda: gain_by_level(runs, None, qrels, DCG @ 5),
        lambda: precision_by_level(runs, None, qrels),
        lambda: reconcile({"nDCG@5": "0.5"}, qrels, run),
        lambda: gain_curves(runs, None, qrels, nDCG, 2, bounds=True),
        *(partial(dominance, files, None, qrels, nDCG @ 2, over=o) for o in ("gains", "both")),
        *(partial(bounds, runs, None, qrels, nDCG @ 2, over=o) for o in ("judgments", "pool")),
        *(partial(dominance, runs, None, qrels, nDCG @ 2, over=o) for o in ("judgments", "pool")),
    ):
        with pytest.raises(ValueError, match=r"have 101 positive levels, .* at most 100; put the"):
            compute()
    assert len(dominance(runs, None, qrels, nDCG @ 2, over="discount")) == 1
    del qrels["1"]["d100"]
    assert len(bounds(runs, None, qrels, nDCG @ 2)) == 2
