"""Building blocks of ranges: systems judged under all choices or all missing judgments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from math import prod
from typing import NamedTuple

import numpy as np

from pt_cumgain.comparing._rounding import ROUNDING
from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.rows import Ints
from pt_cumgain.engine.topic_values import last_rank
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.measures import MEASURES, CumulatedGain, Normalised, SessionMeasure, gP
from pt_cumgain.options import DEEPEST as DEEPEST_IDEAL
from pt_cumgain.systems import Experiment, refuse_many_levels
from pt_cumgain.trust._corners import Choices, CornerValues, Parts
from pt_cumgain.trust._missing_judgments import SharedJudgments
from pt_cumgain.trust._simplex import Range

#: Names of systems and their judged runs.
Runs = Iterable[tuple[str, JudgedRun]]
#: The ranges over judgments: of all documents, and of the systems' pool.
MISSING = ("judgments", "pool")

#: The largest cutoff of a measure for which every rank is a corner, or has a ratio.
DEEPEST = 1000

#: How many bytes ranges over weightings and discounts may take.
MEMORY = 2e9


def mean_range(ends: Floats) -> tuple[Floats, Range]:
    """Return the mean differences over topics, and their ranges, whose points have no text."""
    difference, low, high = ends.mean(axis=2).T
    rounding = ROUNDING * np.abs(ends).max()
    low, high = (np.where(np.abs(end) <= rounding, 0.0, end) for end in (low, high))
    return difference, Range(low, high, low, high, low, high)


def check_ranges(measures: Measures, over: str, average: str = "topics") -> list[CumulatedGain]:
    """Return measures; refuse those without a range over these choices, and say why."""
    if over in MISSING and average != "topics":
        raise ValueError(f"over={over!r} has ranges of means over topics; omit average")

    def refuse(measure: CumulatedGain | None) -> str:
        no_range = isinstance(measure, SessionMeasure) and over != "gains"
        if measure is None or measure.formula or no_range:
            able = {"gains": ", ".join(name for name in MEASURES if name != "gP")}
            able |= dict.fromkeys(MISSING, "CG, DCG, nCG and nDCG")
            return f"has no range; {able.get(over, 'DCG and nDCG')} do"
        measure.validate_params()
        choices = "missing judgments" if over in MISSING else f"over={over!r}"
        reasons = (reason for reason, applies in _refusals(measure, over).items() if applies)
        return next((f"has no bounds for {choices}: {reason}" for reason in reasons), "")

    return read_measures(measures, refuse)


def _refusals(measure: CumulatedGain, over: str) -> dict[str, bool]:
    """Return the reasons why a measure may have no range, and whether each applies."""
    spec, cutoff = measure.spec, measure.spec.cutoff or 0
    missing, discounts = over in MISSING, over in ("discount", "both")
    normalised = isinstance(measure, Normalised)
    ideal_grows = over == "judgments" and normalised
    tied, divided = spec.ties != "doc_id", measure.divisor is not None and not normalised
    averages = spec.avg_pos and normalised
    ratio = averages and (missing or isinstance(measure, SessionMeasure))
    deep = cutoff > DEEPEST and (discounts or (averages and not missing))
    even = "discount" not in measure.SUPPORTED_PARAMS
    falls = discounts and spec.discount == "sigir2000" and spec.base > 2
    return {
        "R, where each topic is cut, changes with the choice; omit at_r": spec.at_r,
        "unjudged documents have no level; omit unjudged": bool(spec.unjudged),
        "it ignores unjudged documents; omit judged_only": missing and spec.judged_only,
        "tied unjudged documents have no rank of their own; omit ties": missing and tied,
        "gP and gR are shares of CG; CG, DCG, nCG and nDCG have bounds": missing and divided,
        "its scale is that of one weighting; use CG": isinstance(measure, type(gP)) and not missing,
        "the mean of a normalised vector is not a ratio of two sums; omit avg_pos": ratio,
        "it has no discount; DCG and nDCG have one": discounts and even,
        "the discount falls after rank 1, but only discounts that never fall are covered; omit "
        "base": falls,
        "it needs a cutoff, such as @10": discounts and not cutoff,
        "without a cutoff, its ideal could grow without limit; add one, such as @10, or use "
        "over='pool'": ideal_grows and not cutoff,
        "its ideal ranking could hold that many documents; the cutoff can be at most "
        f"{DEEPEST_IDEAL}": ideal_grows and cutoff > DEEPEST_IDEAL,
        f"it is computed rank by rank; the cutoff can be at most {DEEPEST}": deep,
    }


class JudgedChoices(NamedTuple):
    """Systems judged under all choices of some measures.

    Attributes
    ----------
    engine
        The engine that judged the runs.
    choices, values
        Of each measure.
    """

    engine: Engine
    choices: list[Choices]
    values: list[CornerValues]


def positive_levels(experiment: Experiment) -> Floats:
    """Return the positive levels of the qrels, of which there must be one."""
    positive = experiment.levels[experiment.levels > 0]
    if not len(positive):
        raise ValueError("the qrels have no positive level, so there are no weightings to vary")
    return positive


def judge_choices(
    experiment: Experiment, measures: Sequence[CumulatedGain], over: str
) -> JudgedChoices:
    """Judge systems under all choices of some measures."""
    positive = positive_levels(experiment)
    if over != "discount":
        refuse_many_levels(positive, "ranges over weightings are")
    choices = [Choices(measure, experiment.levels, over) for measure in measures]
    corners = dict.fromkeys(chain.from_iterable(choice.measures for choice in choices))
    engine, runs = experiment.judge(list(corners), warn_for=measures)
    sizes = len(experiment.by_name), len(engine.topics)
    numbers = sum(prod(choice.size) for choice in choices)
    cell = max(choice.size[1] for choice in choices) ** 2
    # of each system numerators, divisors and a copy; some copies of a pair and a cell
    needed = 8 * (3 * (sizes[0] + 2) * sizes[1] * numbers + 8 * cell)
    if needed > MEMORY:
        raise ValueError(
            f"the ranges of {sizes[0]} systems and {sizes[1]} topics over {over} would take about "
            f"{needed / 1e9:.0f} GB of memory, above {MEMORY / 1e9:.0f} GB; use smaller cutoffs, "
            "fewer measures, fewer topics or fewer systems"
        )
    row_of = {measure: row for row, measure in enumerate(engine.measures)}
    by_choice: list[list[Parts]] = [[] for _ in choices]
    for _, run in runs:
        parts = run.parts()
        for systems, choice in zip(by_choice, choices):
            systems.append(choice.read(parts, row_of))
    values = [CornerValues.stack(systems) for systems in by_choice]
    return JudgedChoices(engine, choices, values)


class MissingJudgments:
    """Systems whose values and differences are known under all ways to judge unjudged documents.

    Parameters
    ----------
    engine
        The engine of measures that have ranges over judgments.
    runs
        The systems, and their judged runs, as :meth:`Experiment.judge` returns them.
    over
        ``"pool"`` if, of the unjudged documents, only those among the first k ranks of one of the
        systems may be relevant, ``"judgments"`` if any may.
    alone
        Whether there is one system, so that its documents need not be told apart by their ids.

    Attributes
    ----------
    runs
        The judged runs, by system.
    """

    def __init__(self, engine: Engine, runs: Runs, over: str, *, alone: bool = False) -> None:
        refuse_many_levels(engine.judgments.levels, "ranges over missing judgments are")
        self._engine, self._over = engine, over
        self.runs: dict[str, JudgedRun] = {}
        # of each system: values and numerators; unjudged documents, by number, and their ranks
        self._parts: list[tuple[Floats, Floats]] = []
        self._unjudged: list[tuple[Ints, Ints]] = []
        number: dict[tuple[int, str], int] = {}
        deepest = max(last_rank(measure.spec) for measure in engine.measures)
        for name, run in runs:
            self._parts.append((run.values(), run.parts()[0]))
            if alone:
                topics, ranks = run.unjudged_ranks(deepest)
                docs = np.arange(len(ranks))
            else:
                found = [
                    (number.setdefault((topic, doc), len(number)), rank)
                    for topic, doc, rank in run.unjudged(deepest)
                ]
                docs, ranks = np.array(found, dtype=np.int64).reshape(-1, 2).T
            self._unjudged.append((docs, ranks))
            self.runs[name] = replace(run, lists=None)
        if not alone:
            topics = np.array([topic for topic, _ in number], dtype=np.int64)
        self._topic = topics
        self._best_rank = np.full(len(topics), deepest)
        for docs, ranks in self._unjudged:
            np.minimum.at(self._best_rank, docs, ranks)
        self._depth = max(int(ranks.max(initial=0)) for _, ranks in self._unjudged)
        # a value is the difference from a system that returns nothing: the last one
        nothing = np.zeros((len(engine.measures), len(engine.topics)))
        self._parts.append((nothing, nothing))
        self._unjudged.append((docs[:0], ranks[:0]))

    def values(self) -> Floats:
        """Return the systems' values and their ends, ``(systems, 3, measures, topics)``."""
        alone = [(system, -1) for system in range(len(self.runs))]
        rows = range(len(self._engine.measures))
        return np.stack([self.differences(row, alone) for row in rows], axis=2)

    def differences(self, row: int, pairs: Iterable[Sequence[int]]) -> Floats:
        """Return the differences of pairs of systems under the measure in a row, and their ends.

        The shape is ``(pairs, 3, topics)``.
        """
        measure = self._engine.measures[row]
        spec, group = measure.spec, self._engine.group_of[measure]
        pool = self._topic[self._best_rank <= last_rank(spec)]
        could = np.bincount(pool, minlength=len(self._engine.topics)).astype(np.int64)
        if self._over == "judgments" and isinstance(measure, Normalised):
            could += spec.cutoff or 0  # more would not change the ideal
        shared = SharedJudgments(measure, group.possible, group.ideal_gains, could, self._depth)

        def read(system: int) -> list[Floats]:
            docs, ranks = self._unjudged[system]
            weights = np.bincount(docs, shared.weights[ranks], len(self._topic))
            return [*(part[row] for part in self._parts[system]), weights]

        with np.errstate(over="ignore"):
            ends = []
            for first, second in pairs:
                value, own, weights = (one - other for one, other in zip(read(first), read(second)))
                ends.append(shared.ends(value, own, self._topic, weights))
        self._engine.refuse_overflow(np.concatenate(ends))
        return np.stack(ends)
