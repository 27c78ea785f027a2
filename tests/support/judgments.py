"""Every way to judge the documents of a small topic."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from tests.support import reference


def labels_by_gain(levels: Collection[float], gains: object = None) -> list[float | None]:
    """A label for each gain that a document may have: None if unjudged, 0, or one of the levels."""
    labels: dict[float, float | None] = {0.0: None}
    for level in (0, *levels):
        labels.setdefault(reference.gain(gains, level), level)
    return list(labels.values())


def judge_in_every_way(
    qrels: dict[str, float], unjudged: Collection[str], labels: Collection[float | None], more: int
) -> Iterator[dict[str, float]]:
    """The qrels of a topic under all labels of these documents, and of ``more`` that no run has."""
    elsewhere = [f"elsewhere{i}" for i in range(more)]
    for judged in itertools.product(labels, repeat=len(unjudged)):
        for others in itertools.combinations_with_replacement(labels, more):
            new = zip([*unjudged, *elsewhere], [*judged, *others], strict=True)
            yield {**qrels, **{doc: level for doc, level in new if level is not None}}


def unjudged_among(
    qrels: dict[str, float], runs: Collection[dict[str, float]], cutoff: int | None
) -> list[str]:
    """The unjudged documents of a topic among the first ranks of some runs."""
    read = {doc for run in runs for doc in reference.ranking(run)[:cutoff]}
    return sorted(read - set(qrels))
