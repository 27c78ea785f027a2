"""Topics that only a run or only the qrels have, and warnings about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from pt_cumgain.engine.rows import Table
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import NAMED, list_first
from pt_cumgain.inputs.reading import Qrels, read_qrels


def read_judgments(qrels: Qrels, topics: pd.DataFrame | None = None, *, chosen: str = "") -> Table:
    """Return qrels as a table, of the topics given to a function; warn of topics without judgments.

    ``chosen`` is that of :func:`read_qrels`.

    Raises
    ------
    ValueError, TypeError
        If the qrels cannot be used, or hold no judgments of these topics.
    """
    table = read_qrels(qrels, chosen)
    if not table.bounds[-1]:
        hint = "; was the iterator read before?" if isinstance(qrels, Iterator) else ""
        raise ValueError(f"the qrels hold no judgments{hint}")
    if topics is None:
        return table
    require_columns(topics, ["qid"], "topics")
    asked = dict.fromkeys(str(topic) for topic in topics["qid"])
    kept = table.select(asked)
    if not kept.bounds[-1]:
        raise ValueError("the topics and the qrels have no qid in common")
    judged = set(kept.topics)
    missing = [qid for qid in asked if qid not in judged]
    if missing:
        warn_of_unjudged(missing)
    return kept


def warn_of_unjudged(topics: Sequence[str], which: str = "without judgments") -> None:
    """Warn that topics without judgments, or others, are omitted."""
    words = f"topic {which} is" if len(topics) == 1 else f"topics {which} are"
    warn(f"{len(topics)} {words} omitted: {list_first(topics)}")


def tell_unshared(topics: Sequence[str], run: Iterable[str], name: str = "") -> str:
    """Return a sentence if a run and the qrels have topics, but none in common; else nothing."""
    of_run = list(run)
    if not of_run or not topics or not set(topics).isdisjoint(of_run):
        return ""
    there = f"{str(of_run[0])!r} in the run, {str(topics[0])!r} in the qrels"
    return f"{_phrase_run(name)} and the qrels have no topic in common: {there}"


def warn_of_missing(
    topics: Sequence[str], runs: Mapping[str, Iterable[str]], skip: bool = False
) -> None:
    """Warn of runs that have no documents for topics of the qrels: of other topics, or once of all.

    ``runs`` has the topics of each run by its name, which may be empty. A run may be, too:
    ``pt.Experiment`` passes such a run for topics of the qrels that are in no batch. If such topics
    are omitted from the result (``skip``), only a run of other topics is worth a warning.
    """
    missing = []
    for name, run in runs.items():
        unshared, count = tell_unshared(topics, run, name), len(set(topics).difference(run))
        if unshared:
            warn(unshared)
        elif count and not skip:
            missing.append((name, count))
    if not missing:
        return
    (name, count), *others = missing
    absent, listed = f"{_phrase_run(name)} has no documents for {count}", ""
    if others:
        absent = f"{len(missing)} runs have no documents for some"
        listed = ": " + list_first([f"{name!r} ({count})" for name, count in missing], NAMED)
    warn(f"{absent} of the {len(topics)} topics in the qrels{listed}; these topics count as 0")


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
