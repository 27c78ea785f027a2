"""Separate recall bases per relevance level: SIGIR 2000, section 2.1."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import precision_by_level, pydocs, qrels_at_level
from pt_cumgain.analysis.recall_bases import RECALL
from pt_cumgain.inputs.frames import TO_IR_MEASURES

QRELS = pd.DataFrame(
    {"qid": ["1", "1", "1", "2", "2"], "docno": list("abcab"), "label": [3, 1, 0, 2, 3]}
)


def test_exactly_one_level_is_relevant() -> None:
    found = qrels_at_level(QRELS, 3)
    assert found.to_numpy().tolist() == [
        ["1", "a", 1], ["1", "b", 0], ["1", "c", 0], ["2", "a", 0], ["2", "b", 1],
    ]  # fmt: skip
    assert qrels_at_level(QRELS, 2)["query_id"].unique().tolist() == ["2"]
    as_dict = {"1": {"a": 3, "b": 1, "c": 0}, "2": {"a": 2, "b": 3}}
    pd.testing.assert_frame_equal(qrels_at_level(as_dict, 3), found)
    with pytest.raises(ValueError, match=r"level 4; the qrels have 0, 1, 2, 3"):
        qrels_at_level(QRELS, 4)


def test_by_hand() -> None:
    """Topic 1: b, a; topic 2: x, b, a. Level 3 stands at rank 2 in both: AP 1/2."""
    rows = [("1", "b", 2.0), ("1", "a", 1.0), ("2", "x", 3.0), ("2", "b", 2.0), ("2", "a", 1.0)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    table = precision_by_level([run], None, QRELS, names=["X"]).set_index("level")
    assert table["topics"].to_dict() == {1: 1, 2: 1, 3: 2}
    assert table["AP"].to_dict() == pytest.approx({1: 1, 2: 1 / 3, 3: 1 / 2})
    assert table.loc[3, list(RECALL)].tolist() == [0.5] * 11
    first = precision_by_level([run], pd.DataFrame({"qid": ["1"]}), QRELS, [3])
    assert first["topics"].tolist() == [1]


def test_the_values_are_the_hosts() -> None:
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    runs = pydocs.runs()
    table = precision_by_level(runs, None, qrels, verbose=True)
    assert len(table) == 5 * 3
    levels = qrels.assign(label=(qrels["label"] == 2).astype(int))
    expected = pt.Experiment(
        [runs["PL2"]],
        pt.get_dataset("irds:pydocs").get_topics("text"),
        levels,
        [ir_measures.AP, ir_measures.IPrec @ 0.3],
    )
    row = table[(table["name"] == "PL2") & (table["level"] == 2)].iloc[0]
    assert row["AP"] == pytest.approx(expected["AP"][0])
    assert row[0.3] == pytest.approx(expected["IPrec@0.3"][0])


def test_wrong_input() -> None:
    with pytest.raises(ValueError, match="no document has a positive relevance level"):
        precision_by_level([{}], None, QRELS.assign(label=0))
    with pytest.raises(ValueError, match="no document has the relevance level 7"):
        precision_by_level([{}], None, QRELS, [3, 7])


@pytest.mark.parametrize("missing", ["qid", "docno", "label"])
def test_a_missing_column_of_the_qrels_is_named(missing: str) -> None:
    message = rf"qrels: missing columns \['{TO_IR_MEASURES[missing]}'\] \(found "
    for function in (lambda q: precision_by_level([{}], None, q), lambda q: qrels_at_level(q, 3)):
        with pytest.raises(ValueError, match=message):
            function(QRELS.drop(columns=missing))


def test_a_frame_that_is_not_a_run() -> None:
    run = pd.DataFrame({"qid": ["1", None], "docno": ["b", "a"], "score": [2.0, 1.0]})
    with pytest.raises(TypeError, match="run query_id must be strings, but row 1 holds"):
        precision_by_level([run], None, QRELS)
    for name in run:
        with pytest.raises(ValueError, match=r"run format: DataFrame missing columns: \['"):
            precision_by_level([run.drop(columns=name)], None, QRELS)


def test_integer_ids_and_a_single_level() -> None:
    qrels = pd.DataFrame({"qid": [1, 1], "docno": [7, 8], "label": [1, 2]})
    run = pd.DataFrame({"qid": [1], "docno": [8], "score": [1.0]})
    table = precision_by_level([run], None, qrels, 2)
    assert table["AP"].tolist() == [1]
