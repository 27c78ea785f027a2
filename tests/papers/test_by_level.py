"""Recall bases, and separate ones for each relevance level: SIGIR 2000, section 2.1."""

import numpy as np
import pandas as pd
import pytest

from pt_cumgain.papers import _by_level, precision_by_level, qrels_at_level, recall_bases
from tests.support.helpers import frame_of

QRELS = pd.DataFrame({"qid": list("11122"), "docno": list("abcab"), "label": [3, 1, 0, 2, 3]})

RUN = frame_of({"1": {"b": 2.0, "a": 1.0}, "2": {"x": 3.0, "b": 2.0, "a": 1.0}}, "qid docno score")


def test_qrels_at_a_level(tmp_path) -> None:
    """Exactly one level is relevant. The columns are PyTerrier's, whatever form the qrels have."""
    expected = [["1", "a", 1], ["1", "b", 0], ["1", "c", 0], ["2", "a", 0], ["2", "b", 1]]
    text = "".join(f"{q} 0 {d} {label}\n" for q, d, label in QRELS.itertuples(index=False))
    (tmp_path / "qrels.txt").write_text(text)
    for qrels in (
        QRELS,
        QRELS[["label", "docno", "qid"]].assign(iteration="Q0"),
        tmp_path / "qrels.txt",
        QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        {"1": {"a": 3, "b": 1, "c": 0}, "2": {"a": 2, "b": 3}},
    ):
        at_level = qrels_at_level(qrels, 3)
        assert list(at_level) == ["qid", "docno", "label"]
        assert at_level.to_numpy().tolist() == expected
    assert qrels_at_level(QRELS, 2)["qid"].unique().tolist() == ["2"]


def test_by_hand() -> None:
    """Topic 1: b, a; topic 2: x, b, a. Level 3 stands at rank 2 in both: AP 1/2."""
    table = precision_by_level([RUN], None, QRELS, names=["X"]).set_index("level")
    assert table["topics"].to_dict() == {1: 1, 2: 1, 3: 2}
    assert table["AP"].to_dict() == pytest.approx({1: 1, 2: 1 / 3, 3: 1 / 2})
    assert table.loc[3, list(_by_level.RECALL)].tolist() == [0.5] * 11
    first = precision_by_level([RUN], pd.DataFrame({"qid": ["1"]}), QRELS, levels=[3])
    assert first["topics"].tolist() == [1]


def test_topics_that_a_run_misses_count_0_or_not_at_all() -> None:
    """Topic 1: b (1), a (3); topic 2, which Y misses, has AP 1/2 at level 3 and 1/3 at level 2."""
    runs = {"X": RUN, "Y": RUN[RUN["qid"] == "1"]}
    with pytest.warns(UserWarning, match="the run 'Y' has no documents for 1 of the 2 topics"):
        zero = precision_by_level(runs, None, QRELS, levels=3)
    assert zero[["topics", "AP"]].to_numpy().tolist() == [[2, 0.5], [2, 0.25]]
    skip = precision_by_level(runs, None, QRELS, levels=3, missing="skip")
    assert skip[["topics", "AP"]].to_numpy().tolist() == [[2, 0.5], [1, 0.5]]
    each = precision_by_level(runs, None, QRELS, levels=3, missing="skip", perquery=True)
    ap = each.loc[each["measure"] == "AP level 3", ["name", "qid"]]
    assert ap.to_numpy().tolist() == [["X", "1"], ["X", "2"], ["Y", "1"]]
    none = precision_by_level(runs, None, QRELS, levels=2, cutoffs=1, missing="skip").iloc[1]
    assert none["topics"] == 0
    assert none[["AP", 0.5, "P@1"]].isna().all()
    each = precision_by_level([runs["Y"]], None, QRELS, levels=2, missing="skip", perquery=True)
    assert each.empty


def test_values_by_topic() -> None:
    """Their means are the table; topic 2 of the run without rows counts as 0, as in the table."""
    runs = {"X": pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})}
    runs["Y"] = runs["X"].assign(score=[1.0, 2.0])
    each = precision_by_level(runs, None, QRELS, cutoffs=2, perquery=True)
    assert each.columns.tolist() == ["name", "qid", "level", "measure", "value"]
    ap = each[(each["measure"] == "AP level 3") & (each["name"] == "X")]
    assert ap[["qid", "level", "value"]].to_numpy().tolist() == [["1", 3, 0.5], ["2", 3, 0.0]]
    assert each.loc[each["level"] == 1, "qid"].unique().tolist() == ["1"]
    means = each.groupby(["name", "level", "measure"])["value"].mean()
    table = precision_by_level(runs, None, QRELS, cutoffs=2)
    texts = {"AP": "AP level {}", 0.3: "IPrec level {} @0.3", "P@2": "P level {} @2"}
    texts |= {"R@2": "R level {} @2"}
    assert len(means) == len(table) * (len(_by_level.RECALL) + 3)
    for _, row in table.iterrows():
        for column, text in texts.items():
            level = row["level"]
            assert means[row["name"], level, text.format(level)] == pytest.approx(row[column])


def test_documents_by_topic_and_level() -> None:
    qrels = pd.concat([QRELS[::-1], QRELS])
    table = recall_bases(qrels)
    assert table.index.tolist() == ["2", "1"]
    assert table.columns.tolist() == [0, 1, 2, 3]
    assert (table.index.name, table.columns.name) == ("qid", "level")
    assert table.to_numpy().tolist() == [[0, 0, 1, 1], [1, 1, 0, 1]]
    halves = recall_bases({"1": {"a": 0.5, "b": -1}})
    assert halves.columns.tolist() == [-1, 0.5]


def test_two_sets_of_judgments() -> None:
    """Table 1 of TOIS 2002 by hand. Topic 3, which only one of the two judged, does not count."""
    binary = frame_of(
        {"1": {"a": 1, "b": 1, "d": 0}, "2": {"b": 1, "a": 0}, "3": {"a": 1}}, "qid docno label"
    )
    table = recall_bases(QRELS, binary)
    assert (table.index.name, table.columns.name) == ("level", "other_level")
    assert table.index.tolist() == [0, 1, 2, 3, "unjudged"]
    assert table.columns.tolist() == [0, 1, "unjudged"]
    expected = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 2, 0], [1, 0, 0]]
    assert table.to_numpy().tolist() == expected
    same = recall_bases(QRELS, QRELS)
    assert same.to_numpy().tolist() == np.diag([1, 1, 1, 2]).tolist()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: qrels_at_level(QRELS, 4), "level 4; the qrels have 0, 1, 2, 3"),
        (lambda: recall_bases(QRELS, {"3": {"a": 1}}), "have no topic in common"),
    ],
)
def test_what_is_refused(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
