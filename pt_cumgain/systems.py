"""Judge systems once for all measures, and return their values as frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.units import SessionJudgments
from pt_cumgain.environment.warning import name_run
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems, name_systems, read_systems
from pt_cumgain.inputs.topics import read_judgments, warn_of_missing
from pt_cumgain.measures import CumulatedGain, SessionMeasure
from pt_cumgain.options import Missing, Scores
from pt_cumgain.weighting import number

TOO_LARGE = "the gains are too large for a mean of floats; use smaller ones"

#: The most levels that anything is computed for one by one.
MOST_LEVELS = 100


def refuse_many_levels(levels: Floats, what: str) -> None:
    """Refuse more than :data:`MOST_LEVELS` positive levels; ``what`` ends with "is" or "are".

    Raises
    ------
    ValueError
        If there are more.
    """
    count = int((levels > 0).sum())
    if count > MOST_LEVELS:
        raise ValueError(
            f"the qrels have {count} positive levels, and {what} computed for at most "
            f"{MOST_LEVELS}; {tell_range(levels)}"
        )


def tell_range(levels: Floats) -> str:
    """Return between what the labels of qrels are."""
    return f"the labels are between {number(levels[0])} and {number(levels[-1])}"


def topic_measures(measures: Measures, what: str) -> list[CumulatedGain]:
    """Return topic measures; refuse others, and those that give unjudged documents a gain."""

    def refuse(measure: CumulatedGain | None) -> str:
        if measure is None or isinstance(measure, SessionMeasure) or measure.formula:
            return f"has no {what}; CG, DCG, nCG, nDCG, gP and gR do"
        return f"has no {what}; omit unjudged" if measure.spec.unjudged else ""

    return read_measures(measures, refuse)


def frame_values(
    name: str,
    engine: Engine,
    columns: Mapping[str, Floats],
    perquery: bool,
    measures: list[CumulatedGain],
) -> pd.DataFrame:
    """Return columns of the shape ``(measures, topics)``, or their means, as a tidy frame."""
    if not perquery:
        means = {key: mean_of_known(values, axis=1) for key, values in columns.items()}
        return pd.DataFrame({"name": name, "measure": [str(m) for m in measures], **means})
    frame = frame_topics(engine, columns, measures)
    frame.insert(0, "name", name)
    return frame


def frame_topics(
    engine: Engine, columns: Mapping[str, Floats], measures: list[CumulatedGain]
) -> pd.DataFrame:
    """Return columns of the shape ``(measures, topics)`` as a tidy frame."""
    texts = np.array([str(measure) for measure in measures], dtype=object)
    return pd.DataFrame(
        {
            "qid": engine.topics * len(texts),
            "measure": np.repeat(texts, len(engine.topics)),
            **{key: values.ravel() for key, values in columns.items()},
        }
    )


def mean_of_known(values: Floats, axis: int) -> Floats:
    """Return the means of the values that are not NaN; NaN if there are none."""
    # not numpy's nanmean, which warns where there are none
    with np.errstate(over="ignore", invalid="ignore"):
        means: Floats = np.nansum(values, axis=axis) / (~np.isnan(values)).sum(axis=axis)
    if np.isinf(means).any():
        raise ValueError(TOO_LARGE)
    return means


def keep_topics(name: str, present: NDArray[np.bool_], missing: Missing) -> NDArray[np.bool_]:
    """Return which topics of the qrels count for a run: all, or those that are present in it.

    Raises
    ------
    ValueError
        If there are none.
    """
    kept = present if missing == "skip" else np.ones(len(present), dtype=bool)
    if not kept.any():
        raise ValueError(f"the run {name!r} has no topic of the qrels, so there is no mean")
    return kept


@dataclass(frozen=True)
class Experiment:
    """The systems, topics and qrels of a call, to judge by any measures.

    Attributes
    ----------
    what
        The name to show with the progress.
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    """

    what: str
    systems: Systems
    topics: pd.DataFrame | None
    qrels: Qrels
    names: Sequence[str] | None
    scores: Scores
    verbose: bool

    @cached_property
    def by_name(self) -> dict[str, object]:
        """The systems by name."""
        return name_systems(self.systems, self.names)

    @property
    def names_to_compare(self) -> list[str]:
        """The names of the systems, of which there must be two."""
        names = list(self.by_name)
        if len(names) < 2:
            raise ValueError(f"there is only one system, {names[0]!r}; a comparison needs two")
        return names

    @cached_property
    def judgments(self) -> SessionJudgments:
        """The judgments of the topics.

        Raises
        ------
        ValueError, TypeError
            If the qrels cannot be used, or hold no judgments of the topics.
        """
        return SessionJudgments.prepare(read_judgments(self.qrels, self.topics))

    @property
    def levels(self) -> Floats:
        """The levels of the judgments, ascending."""
        return self.judgments.units.levels

    def judge(
        self,
        measures: Sequence[CumulatedGain],
        *,
        missing: Missing = "zero",
        warn_for: Sequence[CumulatedGain] | None = None,
    ) -> tuple[Engine, Iterator[tuple[str, JudgedRun]]]:
        """Return the engine of some measures, and the judged run of each system with its name.

        Systems are run one at a time, and each run is judged only once.

        Parameters
        ----------
        measures
            Measures of this package.
        missing
            Whether topics that are missing from a run count as 0, so that a warning after the last
            run says how many.
        warn_for
            See :class:`~pt_cumgain.engine.Engine`.

        Raises
        ------
        ValueError, TypeError
            If an input cannot be used, or the qrels hold no judgments of the topics.
        """
        by_name = self.by_name
        engine = Engine(measures, self.judgments, warn_for=warn_for)

        def judge_each() -> Iterator[tuple[str, JudgedRun]]:
            topics = {}
            runs = read_systems(by_name, self.topics, self.verbose, self.what, scores=self.scores)
            for name, table in runs:
                with name_run(name):
                    judged = replace(engine.judge(table), lists=table)
                judged.warn_of_ids(name)
                if missing == "zero":
                    topics[name] = table.topics
                yield name, judged
            warn_of_missing(engine.topics, topics)

        return engine, judge_each()
