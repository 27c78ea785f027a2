"""Ranking and judging: what is read at one time, and in which order it comes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from pt_cumgain import CG, evaluate
from pt_cumgain.engine import judging
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs import reading
from tests.inputs.test_reading import frame
from tests.support.helpers import warnings_of


def test_sorting_leaves_ties_as_they_came() -> None:
    """Long topics, which NumPy would sort in another way if it were not told so."""
    scores = [float(i // 20) for i in range(100)]
    run = frame([*"a" * 100, *"bbb", *"c" * 100], score=[*scores, 3.0, 2.0, 2.0, *scores])
    table = judging.sort_by_score(reading.read_run(run))
    down = [i for block in (80, 60, 40, 20, 0) for i in range(block, block + 20)]
    expected = [*down, 100, 101, 102, *(103 + i for i in down)]
    assert table.at(np.arange(203)).tolist() == expected
    assert table.values.tolist() == run["score"][expected].tolist()


def test_parts_of_a_run_join_topic_by_topic() -> None:
    """Each in the order of its ranks, which is the order of its sums."""
    ranks = np.arange(1, 41)
    parts = [
        judging.Hits(np.repeat(topics, 20), *[ranks + 10 * i for i in range(4)])
        for topics in ([3, 1], [2, 0])
    ]
    whole = judging.concatenate(parts)
    assert whole.topic.tolist() == [t for t in range(4) for _ in range(20)]
    for i, column in enumerate(whole[1:]):
        assert (column.reshape(4, 20) - 10 * i).tolist() == [
            list(range(first, first + 20)) for first in (21, 21, 1, 1)
        ]


def test_topics_that_retrieve_themselves() -> None:
    """Most have a document of their own id (ArguAna in BEIR); a few numbers may be accidents."""
    runs = {
        share: {str(q): {str(q if q < share else -1): 2.0, "a": 1.0} for q in range(20)}
        for share in (4, 16)
    }
    qrels = {str(q): {"a": 1} for q in range(20)}
    with pytest.warns(
        UserWarning, match="8 of the 10 topics that were sampled retrieve a document with the"
    ):
        evaluate([CG @ 2], qrels, runs[16])
    with pytest.warns(UserWarning, match="2 of the 3 topics that were sampled retrieve a"):
        evaluate(CG, {"q": {"a": 1}}, {"q": {"q": 2.0, "a": 1.0}, "r": {"r": 1.0}, "s": {"a": 1.0}})
    few = {topic: runs[16][topic] for topic in ("0", "1", "2")}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        evaluate([CG @ 2], qrels, runs[4])
        evaluate([CG @ 2], {topic: qrels[topic] for topic in few}, few)


def test_documents_in_the_second_field_of_the_qrels_are_told(tmp_path) -> None:
    """The order of ir_datasets' export, in two rows: topic, document, label, iteration."""
    (tmp_path / "qrels").write_text("1 d1 0 0\n1 d2 1 0\n")
    words = (
        r"none of its documents in this topic is judged; the second field of the qrels, which is "
        r"not read, has its documents: row 1 was read as topic '1', document '1', label 0"
    )
    with pytest.warns(UserWarning, match=words):
        evaluate(CG, tmp_path / "qrels", {"1": {"d2": 1.0}})


def test_two_labels_by_subtopic(tmp_path) -> None:
    """Of TREC's diversity tasks the second field is the subtopic."""
    (tmp_path / "qrels").write_text("1 1 d 0\n1 2 d 1\n")
    words = "label 1; judgments by subtopic, of diversity qrels, are not supported$"
    with pytest.raises(ValueError, match=words):
        evaluate(CG, tmp_path / "qrels", {})


@pytest.mark.parametrize(
    ("gains", "falls"),
    [
        ("0-3-1-2", "level 2 has the gain 1, less than level 1, which has the gain 3"),
        ("0-1-1-2", ""),
    ],
)
def test_gains_that_fall_are_told(gains: str, falls: str) -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 3}}
    told = warnings_of(lambda: evaluate(CG(gains=gains), qrels, {"1": {"a": 1.0}}))
    assert [falls in text for text in told] == [True] * bool(falls)


def test_scores_that_look_wrong_are_told() -> None:
    """Infinite scores; and distances, of which the least should be first."""
    infinite = "a score is infinite: row 1 was read as topic '1', document 'b', score inf"
    rising = "the rows of each topic are in ascending order of score"
    for scores, words in (
        ([1.0, math.inf, 0.5], infinite),
        ([0.1, 0.2, 0.2], rising),
        ([0.1, 0.2], ""),
        ([0.2, 0.2, 0.2], ""),
        ([0.1, 0.3, 0.2], ""),
    ):
        run = {"1": dict(zip("abc", scores)), "2": {"a": 1.0}}
        told = warnings_of(lambda: reading.read_run(run))  # noqa: B023
        assert [text[: len(words)] for text in told] == [words] * bool(words)


def test_batches_of_foreign_ids_warn_alike() -> None:
    """As pt.Experiment(batch_size=1) calls an evaluator; Python shows equal warnings once."""
    evaluator = provider.evaluator([CG @ 1], {"1": {"a": 1}, "2": {"a": 1}})
    told = []
    for run in ({"1": {"x": 1.0}}, {"2": {"y": 1.0}}):
        said = warnings_of(lambda: evaluator.calc_aggregate(run))  # noqa: B023
        told += [text for text in said if "do the ids match?" in text]
    assert len(told) == 2
    assert told[0] == told[1]
