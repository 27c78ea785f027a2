"""Warnings about what can be computed and still looks wrong: ids, labels, weights."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np

from pt_cumgain.core import Floats
from pt_cumgain.engine.judging import Judgments
from pt_cumgain.engine.rows import Ints, Table
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import CumulatedGain
from pt_cumgain.weighting import number

#: The label of documents that some collections of ir_datasets exclude from evaluation.
WITHHELD = -100
#: How many topics of a run are searched for documents with their topic's id.
SAMPLED = 10
#: How many rows of each of these topics are searched for ids.
FIRST_ROWS = 1000


def count_own_ids(run: Table) -> Ints:
    """Count the sampled topics that retrieve the document with their own id, and all sampled.

    The documents of ArguAna in BEIR are such. Bare numbers, equal by accident, do not count.
    """
    sampled = range(0, len(run.topics), math.ceil(len(run.topics) / SAMPLED) or 1)
    named = [t for t in sampled if not run.topics[t].isdecimal()]
    own = sum(run.topics[t] in _first_documents(run, t) for t in named)
    return np.array([own, len(sampled)])


def _first_documents(run: Table, topic: int) -> list[str]:
    """Return the document ids in the first rows of a topic."""
    first, last = run.bounds[topic : topic + 2].tolist()
    return run.ids(slice(first, min(last, first + FIRST_ROWS)))


def warn_of_own_ids(counts: Ints, run: str) -> None:
    """Warn if most of the sampled topics retrieve the document with their own id."""
    own, sampled = counts.tolist()
    if own > sampled / 2:
        warn(
            f"{run}: a document with the topic's own id is retrieved in {own} of {sampled} "
            "sampled topics; if the queries are documents themselves, BEIR's evaluation drops "
            "these documents"
        )


def tell_unmet(example: str, judgments: Judgments, topics: int, ranks: str, second: str) -> str:
    """Return that none of a run's documents is judged at some ranks, and show one of its ids.

    ``second`` is what :func:`tell_second_field` returns.
    """
    judged = next(docs[0] for docs in judgments.docs if docs)
    why = f"; do the ids match? ({show(example)} in the run, {show(judged)} in the qrels)"
    if any(example in docs for docs in judgments.docs):
        why = f", though {show(example)} is, further down or in another topic"
    if second:
        why = f"; {second}"
    return f"none of its documents{ranks} in {these_topics(topics)} is judged{why}"


def find_fields(run: Table, judgments: Judgments) -> set[tuple[str, str]]:
    """Return documents of a run in the first topics of the qrels, each with the field it is in."""
    fields: set[tuple[str, str]] = set()
    for topic, positions in judgments.second_fields.items():
        if topic in run.topics:
            documents = _first_documents(run, run.topics.index(topic))
            judged = judgments.docs[judgments.index[topic]]
            fields.update(("second", doc) for doc in positions.keys() & documents)
            fields.update(("third", doc) for doc in {*judged} & {*documents})
    return fields


def tell_second_field(judgments: Judgments, fields: Set[tuple[str, str]]) -> str:
    """Return how a row of the qrels was read, if a run's documents seem to be in the second field.

    As many are there as in the third field. A bare number, equal by accident, is no sign.
    """
    second = {doc for field, doc in fields if field == "second"}
    least = 2 if "".join(second).isdecimal() else 1
    if judgments.qrels is None or len(second) < max(least, len(fields) - len(second)):
        return ""
    every = judgments.second_fields.values()
    first = min(positions[doc] for positions in every for doc in second & positions.keys())
    read = judgments.qrels.as_read([first], "label")
    return f"the second field of the qrels, which is not read, has its documents: {read}"


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
    count = int((judgments.levels[judgments.level] == WITHHELD).sum())
    if count:
        warn(
            f"{count} of the judgments have the label {WITHHELD}, which excludes the document from "
            "evaluation in some collections of ir_datasets; here, such a document is ranked and, "
            "by default, gains nothing; to exclude it, remove it from the runs (recipe: Withheld "
            "documents)"
        )
