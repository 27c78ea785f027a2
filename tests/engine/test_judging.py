"""Ranking and judging: what is read at one time, and in which order it comes."""

import warnings

import numpy as np
import pytest

from pt_cumgain import CG, evaluate
from pt_cumgain.engine import judging
from pt_cumgain.inputs import reading
from tests.inputs.test_reading import frame


def test_sorting_leaves_ties_as_they_came() -> None:
    """Long topics, which NumPy would sort in another way if it were not told so."""
    scores = [float(i // 20) for i in range(100)]
    run = frame([*"a" * 100, *"bbb", *"c" * 100], score=[*scores, 3.0, 2.0, 2.0, *scores])
    table = judging.sort_by_score(reading.read_run(run))
    down = [i for block in (80, 60, 40, 20, 0) for i in range(block, block + 20)]
    expected = [*down, 100, 101, 102, *(103 + i for i in down)]
    assert table.at(np.arange(203)).tolist() == expected
    assert table.values.tolist() == run["score"][expected].tolist()


def test_topics_that_retrieve_themselves() -> None:
    """Ten topics or more, of which most have a document of their own id (ArguAna in BEIR)."""
    runs = {
        share: {str(q): {str(q if q < share else -1): 2.0, "a": 1.0} for q in range(20)}
        for share in (4, 16)
    }
    qrels = {str(q): {"a": 1} for q in range(20)}
    with pytest.warns(
        UserWarning, match="at least 6 of the topics that were sampled retrieve a document with"
    ):
        evaluate([CG @ 2], qrels, runs[16])
    few = {topic: runs[16][topic] for topic in ("0", "1", "2")}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        evaluate([CG @ 2], qrels, runs[4])
        evaluate([CG @ 2], {topic: qrels[topic] for topic in few}, few)
