"""Building blocks of ranges: systems judged under all choices or all missing judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pt_cumgain.comparing.rounding import ROUNDING
from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.rows import Ints
from pt_cumgain.engine.topic_values import last_rank
from pt_cumgain.inputs.arguments import Measures, read_measures
from pt_cumgain.measures import MEASURES, CumulatedGain, SessionMeasure
from pt_cumgain.options import DEEPEST as DEEPEST_IDEAL
from pt_cumgain.systems import Experiment, refuse_many_levels
from pt_cumgain.trust.corners import Choices, CornerValues
from pt_cumgain.trust.missing_judgments import SharedJudgments
from pt_cumgain.trust.simplex import Range, Search

#: The ranges over judgments: of all documents, and of the systems' pool.
MISSING = ("judgments", "pool")
MISSING_ARE = "ranges over missing judgments are"

#: How many pairs of points the search for an end examines: a triangle has 9, of k ranks k squared.
LIMIT = 100_000

#: How far the end of a range may be from a value that is reached.
TOLERANCE = 1e-4

#: The largest cutoff of a measure for which every rank is a corner, or has a ratio.
DEEPEST = 1000

#: How many bytes ranges over weightings and discounts may take.
MEMORY = 2e9


def mean_range(ends: list[Floats]) -> tuple[Floats, Range]:
    """Return the mean differences over topics, and their ranges, whose points have no text."""
    difference, low, high = np.mean(ends, axis=2).T
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
            able = {"gains": ", ".join(MEASURES), **dict.fromkeys(MISSING, "CG, DCG, nCG and nDCG")}
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
    ideal_grows = over == "judgments" and spec.normalised
    tied, divided = spec.ties != "doc_id", spec.divisor not in ("", "ideal")
    averages = spec.avg_pos and spec.normalised
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


def judge_choices(
    experiment: Experiment,
    measures: Sequence[CumulatedGain],
    over: str,
    check_levels: Callable[[Floats], object] | None = None,
) -> JudgedChoices:
    """Judge systems under all choices of some measures.

    ``check_levels`` is called with the positive levels before anything is computed, and may raise;
    by default, more than :data:`MOST_LEVELS` are refused over gains.
    """
    choices: list[Choices] = []

    def corner_measures(levels: Floats) -> list[CumulatedGain]:
        positive = levels[levels > 0]
        if not len(positive):
            raise ValueError("the qrels have no positive level, so there are no weightings to vary")
        if check_levels:
            check_levels(positive)
        elif over != "discount":
            refuse_many_levels(positive, "ranges over weightings are")
        choices.extend(Choices(measure, levels, over) for measure in measures)
        return list(dict.fromkeys(one for choice in choices for one in choice.measures))

    engine, runs = experiment.judge(corner_measures, warn_for=measures)
    sizes = len(experiment.by_name), len(engine.topics)
    numbers = sum(ranks * columns for ranks, columns in (choice.size for choice in choices))
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
    read = []
    for _, run in runs:
        parts = run.parts()
        read.append([choice.read(parts, row_of) for choice in choices])
    values = [CornerValues.stack(one) for one in zip(*read)]
    return JudgedChoices(engine, choices, values)


def search_for(
    choices: Choices, over: str, tolerance: float = TOLERANCE, limit: int = LIMIT
) -> Search:
    """Return how far to search for the ends of a range."""
    return Search(tolerance, limit, choices.admit if over == "both" else None, ROUNDING)


def share_judgments(
    engine: Engine, measure: CumulatedGain, topic: Ints, rank: Ints, depth: int, over: str
) -> SharedJudgments:
    """Return the ranges of a measure over missing judgments.

    ``topic`` and ``rank`` are of the unjudged documents, ``rank`` their best; ``depth`` is the last
    one of any system.
    """
    group, spec = engine.group_of[measure], measure.spec
    pool = topic[rank <= last_rank(spec)]
    could = np.bincount(pool, minlength=len(engine.topics)).astype(np.int64)
    if over == "judgments" and spec.normalised:
        could += spec.cutoff or 0  # more would not change the ideal
    return SharedJudgments(spec, group.possible, group.ideal_gains, could, depth)


def value_ends(run: JudgedRun) -> Floats:
    """Return values and their ends over all judgments, of the shape ``(3, measures, topics)``."""
    engine = run.engine
    refuse_many_levels(engine.judgments.levels, MISSING_ARE)
    topic, rank = run.unjudged_ranks(max(last_rank(measure.spec) for measure in engine.measures))
    depth = int(rank.max(initial=0))

    def pairs() -> Iterator[PairJudgments]:  # one at a time: a curve has a measure for each rank
        for measure, value, own in zip(engine.measures, run.values(), run.parts()[0]):
            shared = share_judgments(engine, measure, topic, rank, depth, "judgments")
            docs = np.flatnonzero(shared.weights[rank])
            coefficient = shared.weights[rank[docs]]
            own = np.ldexp(own, -shared.exponent)
            yield PairJudgments(shared, value, own, topic[docs], coefficient)

    return stack_ends(engine, pairs())


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

    Attributes
    ----------
    names, runs
        The systems, and their judged runs.
    topic
        The index of the topic of each unjudged document.
    best_rank
        The best of its ranks.
    unjudged
        For each system, its unjudged documents, by number, and their ranks.
    """

    def __init__(self, engine: Engine, runs: Iterable[tuple[str, JudgedRun]], over: str) -> None:
        refuse_many_levels(engine.judgments.levels, MISSING_ARE)
        self.names: list[str] = []
        self.runs: list[JudgedRun] = []
        self._parts: list[tuple[Floats, Floats]] = []  # of each system: values, numerators
        self.unjudged: list[tuple[Ints, Ints]] = []
        number: dict[tuple[int, str], int] = {}
        deepest = max(last_rank(measure.spec) for measure in engine.measures)
        for name, run in runs:
            self.names.append(name)
            self._parts.append((run.values(), run.parts()[0]))
            found = [
                (number.setdefault((topic, doc), len(number)), rank)
                for topic, doc, rank in run.unjudged(deepest)
            ]
            docs, ranks = np.array(found, dtype=np.int64).reshape(-1, 2).T
            self.unjudged.append((docs, ranks))
            self.runs.append(replace(run, lists=None))
        self.topic = np.array([topic for topic, _ in number], dtype=np.int64)
        self.best_rank = np.full(len(number), deepest)
        for docs, ranks in self.unjudged:
            np.minimum.at(self.best_rank, docs, ranks)
        depth = max(int(ranks.max(initial=0)) for _, ranks in self.unjudged)
        self._engine = engine
        self._shared = [
            share_judgments(engine, measure, self.topic, self.best_rank, depth, over)
            for measure in engine.measures
        ]

    def ends(self, system: int) -> Floats:
        """Return a system's values and their ends, of the shape ``(3, measures, topics)``."""
        rows = range(len(self._shared))
        return stack_ends(self._engine, (self.pair(row, system, None) for row in rows))

    def pair(self, row: int, first: int, second: int | None) -> PairJudgments:
        """Return the unjudged documents that move a difference, or the value of one system."""
        shared, documents = self._shared[row], len(self.topic)
        docs, ranks = self.unjudged[first]
        coefficient: Floats = np.bincount(docs, shared.weights[ranks], documents).astype(float)
        value, own = (part[row] for part in self._parts[first])
        if second is not None:
            docs, ranks = self.unjudged[second]
            coefficient = coefficient - np.bincount(docs, shared.weights[ranks], documents)
            value, own = (x - part[row] for x, part in zip((value, own), self._parts[second]))
        docs = np.flatnonzero(coefficient)
        own = np.ldexp(own, -shared.exponent)
        return PairJudgments(shared, value, own, self.topic[docs], coefficient[docs])


def stack_ends(engine: Engine, pairs: Iterable[PairJudgments]) -> Floats:
    """Return the differences and ends of the engine's measures, ``(3, measures, topics)``."""
    with np.errstate(over="ignore"):
        ends = np.stack([pair.ends() for pair in pairs], axis=1)
    engine.refuse_overflow(ends.reshape(-1, ends.shape[2]))
    return ends


class PairJudgments(NamedTuple):
    """The difference of two systems under a measure, and the unjudged documents that move it.

    The fields are the ranges of the measure, the difference by topic and its numerator, and of each
    document whose rank differs the topic and the coefficient. The others move the ideal alone.
    """

    shared: SharedJudgments
    difference: Floats
    own: Floats
    topic: Ints
    coefficient: Floats

    def ends(self) -> Floats:
        """Return the difference by topic, and the ends of its range, as rows."""
        ends = np.array(self.shared.range(self.own, self.topic, self.coefficient))
        is_same = np.abs(ends - self.difference) <= ROUNDING * np.abs(self.difference)
        low, high = np.where(is_same | (self.shared.unjudged == 0), self.difference, ends)
        low, high = np.minimum(low, self.difference), np.maximum(high, self.difference)
        return np.array([self.difference, low, high])
