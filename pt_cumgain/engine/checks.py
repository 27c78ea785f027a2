"""Warnings about what can be computed and still looks wrong: ids, labels, weights.

Ids are compared only in the first rows of a few topics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import Judgments
from pt_cumgain.engine.rows import Table
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import CumulatedGain
from pt_cumgain.weighting import number

#: The label of documents that some collections of ir_datasets exclude from evaluation.
WITHHELD = -100
#: How many topics to sample when looking for ids that are wrong.
SAMPLED = 10
#: How many rows of each of them.
FIRST_ROWS = 1000


class SeenIds(NamedTuple):
    """What the document ids of a run look like, in the first rows of a few topics.

    Attributes
    ----------
    documents
        The ids of documents of one topic; empty if there are none.
    own, topics
        How many of these topics retrieve the document that has their own id, as in ArguAna of BEIR,
        and how many there are. Bare numbers are equal by accident: a few do not count.
    """

    documents: Sequence[str]
    own: int
    topics: int

    @classmethod
    def sample(cls, run: Table) -> SeenIds:
        """Look at the ids of a run."""
        sampled = range(0, len(run.topics), math.ceil(len(run.topics) / SAMPLED) or 1)
        ends = [run.bounds[t : t + 2].tolist() for t in sampled]
        rows = [run.at(np.arange(first, min(last, first + FIRST_ROWS))) for first, last in ends]
        lists = {run.topics[t]: run.docs.take(of_topic) for t, of_topic in zip(sampled, rows)}
        # a document that is the query itself is usually ranked first
        own = [topic for topic, docs in lists.items() if topic in docs]
        if len(own) <= SAMPLED / 2 and all(topic.isdecimal() for topic in own):
            own = []
        documents = next(filter(None, lists.values()), [])
        return cls(documents, len(own), len(lists))

    @classmethod
    def join(cls, parts: Sequence[SeenIds]) -> SeenIds:
        """Join what was seen in the parts of a run."""
        documents, own, topics = zip(*parts)
        return cls(next(filter(None, documents), []), sum(own), sum(topics))


def warn_of_ids(
    ids: SeenIds, judgments: Judgments, topics: int, run: str, unmet: str | None
) -> None:
    """Warn of the ids of a run that look wrong: none is judged, or is the topic's.

    ``unmet`` says at which ranks none is judged, and is None if one is.
    """
    if unmet is not None:
        example = next(iter(ids.documents), "")
        judged = next(docs[0] for docs in judgments.docs if docs)
        why = f"; do the ids match? ({example!r} in the run, {judged!r} in the qrels)"
        if any(example in docs for docs in judgments.docs):
            why = f", though {example!r} is, further down or in another topic"
        elif read := _read_second_field(ids.documents, judgments):
            why = f"; the second field of the qrels, which is not read, has its documents: {read}"
        warn(f"{run}: none of its documents{unmet} in {these_topics(topics)} is judged{why}")
    if ids.own > ids.topics / 2:
        warn(
            f"{run}: a document with the topic's own id is retrieved in {ids.own} of {ids.topics} "
            "sampled topics; if the queries are documents themselves, BEIR's evaluation drops "
            "these documents"
        )


def _read_second_field(documents: Sequence[str], judgments: Judgments) -> str:
    """Return how a row of the qrels was read whose second field is one of these documents."""
    qrels = judgments.qrels
    if qrels is None or qrels.iteration is None:
        return ""
    second = qrels.iteration.take(qrels.at(np.arange(qrels.bounds[-1])))
    retrieved = set(documents)
    places = (place for place, field in enumerate(second) if field in retrieved)
    place = next(places, None)
    return "" if place is None else qrels.as_read(place, qrels.topic_at(place), "label")


def these_topics(number: int) -> str:
    """Return so many topics as a warning mentions them."""
    return "this topic" if number == 1 else f"these {number} topics"


def warn_of_unmet_weights(measures: Sequence[CumulatedGain], levels: Floats, topics: int) -> None:
    """Warn about measures with weights that fall, or apply to no document of so many topics."""
    met = set(levels.tolist())
    for measure in measures:
        gains = measure.spec.gains
        gain = gains.gain(levels)
        falls = np.flatnonzero(gain[1:] < gain[:-1]).tolist()
        if falls:
            low = falls[0]
            warn(
                f"{measure}: relevance level {levels[low + 1]:g} has the gain {gain[low + 1]:g}, "
                f"less than level {levels[low]:g}, which has the gain {gain[low]:g}"
            )
        unmet = [(level, gain) for level, gain in gains.weights if gain and level not in met]
        if not met or not (unmet or (gain <= 0).all()):
            continue
        parts = ", and ".join(
            f"the relevance level {number(level)}, which has the gain {number(gain)}"
            for level, gain in unmet
        )
        warn(
            f"{measure}: no document of {these_topics(topics)} has "
            f"{parts or 'a positive gain'}; the highest level is {number(levels[-1])}"
        )


def warn_of_withheld(judgments: Judgments) -> None:
    """Warn of documents that the qrels may exclude from evaluation; here they are ranked."""
    if WITHHELD not in judgments.levels:
        return
    count = int((judgments.levels[judgments.level] == WITHHELD).sum())
    warn(
        f"{count} of the judgments have the label {WITHHELD}, which excludes the document from "
        "evaluation in some collections of ir_datasets; here, by default, it counts as a document "
        "that gains nothing; to exclude these documents, take them out of the runs first (recipe: "
        "Withheld documents)"
    )
