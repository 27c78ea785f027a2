"""Frames of bounds, parts by level and topics, by hand and by slow references."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import CG, DCG, bounds, core, evaluate, nCG, nDCG
from pt_cumgain.measures import MEASURES
from pt_cumgain.trust import gain_by_level, topic_table
from tests.support import reference
from tests.support.helpers import ours
from tests.support.samples import QRELS, SYSTEMS
from tests.support.strategies import ORDINARY, as_reference_takes_them, parameters

RUN = SYSTEMS["X"]
DOCS = [f"d{i}" for i in range(8)]


@pytest.mark.usefixtures("no_delay")
@pytest.mark.parametrize("function", [bounds, gain_by_level, topic_table])
def test_what_all_functions_of_systems_have(function, capsys):
    runs = {"X": RUN, "Y": RUN}
    made = function(runs, None, QRELS, [CG @ 3, nDCG @ 3])
    assert made.index.tolist() == list(range(len(made)))
    assert capsys.readouterr().err == ""
    function(runs, None, QRELS, CG @ 3, verbose=True)
    assert capsys.readouterr().err.lstrip().startswith(f"{function.__name__}: ")
    with pytest.warns(UserWarning, match="X") as caught:
        function({"X": {"9": {"a": 1.0}}}, None, QRELS, CG @ 3)
    assert [one.filename for one in ours(caught)] == [__file__]


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
    assert list(made) == ["name", "qid", "measure", "level", "value"]
    assert made.to_numpy()[made["qid"] == "1", 3:].tolist() == [[1, 0], [1, 1], [2, 5], [2, 2]]
    tiny = DCG(gains={2: 1.5e-323, 3: 3.5e-323}, avg_pos=True) @ 10  # floats of a digit or two
    runs = [{"q": {"a": 3.0, "c": 2.0, "b": 1.0}}]
    assert len(gain_by_level(runs, None, {"q": {"a": 2, "b": 2, "c": 3}}, tiny)) == 2


@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:2 runs have no documents"),  # of a topic that they miss
)
def test_a_table_of_topics_by_hand():
    """x and y are not judged. CG@2 of topic 1: 2 and 3; of 2: 1 and 1; of 3: 0 and 0."""
    topics = pd.DataFrame({"qid": ["1", "2", "3", "4"], "query": ["one", "two", "three", "four"]})
    with pytest.warns(UserWarning, match=r"^1 topic without judgments is omitted: 4"):
        made = topic_table({name: SYSTEMS[name] for name in "XY"}, topics, QRELS, [CG @ 2, nCG @ 2])
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
    sums = {"A": {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}, "B": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    equal = topic_table(sums, None, {"q": {"a": 1, "b": 2, "c": 3}}, CG(gains="1:.1,2:.2,3:.3"))
    assert equal[["best", "worst"]].to_numpy().tolist() == [["A", "A"]]  # but for rounding


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
    qrels=st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 4), min_size=1),
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
