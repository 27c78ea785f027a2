"""Topics that only a run or only the qrels have, and warnings about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pt_cumgain.engine.rows import Table
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import NAMED, list_first


def keep_topics_of(qrels: Table, topics: pd.DataFrame) -> Table:
    """Return the judgments of the topics given to a function; warn of topics that have none."""
    require_columns(topics, ["qid"], "topics")
    asked = dict.fromkeys(topics["qid"])
    kept = qrels.select(asked)
    if qrels.topics and not kept.topics:
        raise ValueError("the topics and the qrels have no qid in common")
    judged = set(kept.topics)
    missing = [str(qid) for qid in asked if qid not in judged]
    if missing:
        warn_of_unjudged(missing)
    return kept


def warn_of_unjudged(topics: Sequence[str], which: str = "without judgments") -> None:
    """Warn that topics without judgments, or others, are omitted."""
    words = f"topic {which} is" if len(topics) == 1 else f"topics {which} are"
    warn(f"{len(topics)} {words} omitted: {list_first(topics)}")


def count_missing(topics: Sequence[str], run: Iterable[str], name: str = "") -> int:
    """Count the topics of the qrels for which a run has no documents; see :func:`warn_of_missing`.

    If the run has only other topics, warn immediately, and return 0. It may be empty:
    ``pt.Experiment`` passes such a run for topics of the qrels that are in no batch.
    """
    seen = set(run)
    missing = len(set(topics) - seen)
    if missing and missing == len(topics) and seen:
        there = f"{str(next(iter(run)))!r} in the run, {str(topics[0])!r} in the qrels"
        warn(f"{_phrase_run(name)} and the qrels have no topic in common: {there}")
        return 0
    return missing


def warn_of_missing(counts: Mapping[str, int], topics: int) -> None:
    """Warn once of all runs that have no documents for some of so many topics of the qrels.

    ``counts`` has the number of these topics for each run by its name, which may be empty.
    """
    missing = [(name, count) for name, count in counts.items() if count]
    if not missing:
        return
    (name, count), *others = missing
    runs, listed = f"{_phrase_run(name)} has no documents for {count}", ""
    if others:
        runs = f"{len(missing)} runs have no documents for some"
        listed = ": " + list_first([f"{name!r} ({count})" for name, count in missing], NAMED)
    warn(f"{runs} of the {topics} topics in the qrels{listed}; these topics count as 0")


def _phrase_run(name: str) -> str:
    return f"the run {name!r}" if name else "the run"


def warn_of_irrelevant(qrels: Table) -> None:
    """Warn of topics without a document of a positive label, unless there are no others."""
    positive = qrels.values[qrels.at(np.arange(qrels.bounds[-1]))] > 0
    before = np.append(0, np.cumsum(positive))[qrels.bounds]  # topics may have no judgments
    count, topics = int((before[1:] == before[:-1]).sum()), len(qrels.topics)
    if 0 < count < topics:  # if there is no such document at all, another warning says so
        those = f"{count} of the {topics} topics in the qrels"
        warn(f"no document has a positive label in {those}; most measures count such topics as 0")
