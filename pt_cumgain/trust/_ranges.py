"""Building blocks of ranges: systems judged under all choices or all missing judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from pt_cumgain.comparing._rounding import ROUNDING
from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.judging import Selection
from pt_cumgain.engine.rows import Ints
from pt_cumgain.engine.values import last_rank
from pt_cumgain.inputs.measures import Measures, find_own_measure, read_measures
from pt_cumgain.measures import MEASURES, CumulatedGain, Normalised, SessionMeasure
from pt_cumgain.options import DEEPEST as DEEPEST_IDEAL
from pt_cumgain.options import POOLED, Missing
from pt_cumgain.systems import MOST_LEVELS, Experiment, keep_topics, refuse_many_levels
from pt_cumgain.trust._corners import Choices, CornerValues, is_discounted, probe_gains
from pt_cumgain.trust._missing_judgments import SharedJudgments
from pt_cumgain.trust._simplex import Range

#: Names of systems and their judged runs.
Runs = Iterable[tuple[str, JudgedRun]]
#: The ranges over judgments: of all documents, and of the systems' pool.
MISSING = ("judgments", "pool")

#: The largest cutoff of a measure for which every rank is a corner, or has a ratio.
DEEPEST = 1000


def check_ranges(measures: Measures, over: str, average: str = "topics") -> list[CumulatedGain]:
    """Return measures; refuse those without a range over these choices, and say why."""
    if over in MISSING and average != "topics":
        raise ValueError(f"{over=} has only ranges of means over topics; omit {average=}")
    return read_measures(measures, lambda measure: _refuse(measure, over))


def _refuse(measure: CumulatedGain | None, over: str) -> str:
    """Return why a measure has no range over these choices; nothing if it has one."""
    no_range = isinstance(measure, SessionMeasure) and over != "gains"
    if measure is None or measure.formula or no_range:
        return f"has no range; {_have_ranges(over)} do"
    measure.validate_params()
    choices = "missing judgments" if over in MISSING else f"over={over!r}"
    for reason, applies in _refusals(measure, over).items():
        if applies:
            return f"has no bounds for {choices}: {reason}"
    part = probe_gains(measure)[0] if over == "gains" else ""
    if part:
        return f"has no range: its {part} is not a sum of weighted gains"
    if over in ("discount", "both") and not is_discounted(measure):
        return "has no range: its vector is not a sum of discounted gains"
    return ""


def _have_ranges(over: str) -> str:
    """Return the names of the measures that have a range over these choices."""
    if over == "gains":
        return ", ".join(name for name, m in MEASURES.items() if not m.no_gains_range)
    return "CG, DCG, nCG and nDCG" if over in MISSING else "DCG and nDCG"


def _refusals(measure: CumulatedGain, over: str) -> dict[str, bool]:
    """Return the reasons why a measure may have no range, and whether each applies."""
    spec, cutoff = measure.spec, measure.spec.cutoff or 0
    missing, gains, discounts = over in MISSING, over == "gains", over in ("discount", "both")
    divided, params = measure.divisor is not None, measure.SUPPORTED_PARAMS
    by_ideal = divided and type(measure).divisor is Normalised.divisor
    ideal_grows, of_other = over == "judgments" and by_ideal, divided and not (by_ideal or gains)
    no_ratio = missing or isinstance(measure, SessionMeasure)
    omitted = {"at_r": True, "unjudged": True, "judged_only": missing, "ties": missing}
    omitted |= {"avg_pos": discounts or (divided and no_ratio)}
    by_rank = discounts or (spec.avg_pos and divided)
    most = DEEPEST if by_rank else DEEPEST_IDEAL
    return {
        **{f"omit {name}": omitted[name] for name in omitted if name in measure.params},
        measure.no_gains_range: gains and bool(measure.no_gains_range),
        "it has no gains": not missing and "gains" not in params,
        "it has no discount; DCG and nDCG have one": discounts and "discount" not in params,
        f"its divisor is not its ideal; {_have_ranges(over)} have bounds": of_other,
        "the discount falls after rank 1, but only discounts that never fall are covered; omit "
        "base": discounts and spec.discount == "sigir2000" and spec.base > 2,
        "it needs a cutoff, such as @10": (discounts or ideal_grows) and not cutoff,
        f"the cutoff can be at most {most}": (by_rank or ideal_grows) and cutoff > most,
    }


def positive_levels(experiment: Experiment) -> Floats:
    """Return the positive levels of the qrels, of which there must be one."""
    positive = experiment.levels[experiment.levels > 0]
    if not len(positive):
        raise ValueError("the qrels have no positive level, so there are no weightings to vary")
    return positive


def judge_choices(
    experiment: Experiment, measures: Sequence[CumulatedGain], over: str
) -> tuple[Engine, list[Choices], list[CornerValues]]:
    """Judge systems under all choices of some measures.

    Return the engine that judged them, and the choices and the systems' values of each measure.
    """
    positive = positive_levels(experiment)
    if over != "discount":
        refuse_many_levels(positive, "ranges over weightings are")
    choices = [Choices(measure, experiment.levels, over) for measure in measures]
    corners = dict.fromkeys(chain.from_iterable(choice.measures for choice in choices))
    engine, runs = experiment.judge(list(corners), warn_for=measures)
    parts = [run.parts() for _, run in runs]
    values = [choice.read(engine, parts) for choice in choices]
    below = experiment.levels[experiment.levels <= 0]
    for choice, measure, (numerators, divisors) in zip(choices, measures, values):
        if ((divisors < 0) | ((divisors == 0) & (numerators != 0))).any():
            raise ValueError(f"{measure} has no range: its divisor is not always positive")
        gains = measure.spec.gains  # if level 0 has one, they are not a mixture of thresholds
        point = None if over != "gains" or gains.gain(below).any() else choice.point(gains)
        if point is not None and not CornerValues(numerators, divisors).is_mixed(point):
            raise ValueError(f"{measure} has no range: its vector is not a sum of weighted gains")
    return engine, choices, values


class MissingJudgments:
    """Systems whose values and differences are known under all ways to judge unjudged documents.

    Parameters
    ----------
    engine
        The engine of measures that have ranges over judgments.
    runs
        The systems, and their judged runs, as :meth:`Experiment.judge` returns them, with the
        unjudged documents that are read.
    over
        ``"pool"`` if, of the unjudged documents, only those among the first k ranks of one of the
        systems may be relevant, ``"judgments"`` if any may.

    Attributes
    ----------
    runs
        The judged runs, by system.
    """

    def __init__(self, engine: Engine, runs: Runs, over: str) -> None:
        refuse_many_levels(engine.judgments.levels, "ranges over missing judgments are")
        self._engine, self._over = engine, over
        self.runs: dict[str, JudgedRun] = {}
        # of each system: values and numerators; unjudged documents, by number, and their ranks
        self._parts: list[tuple[Floats, Floats]] = []
        self._unjudged: list[Ints] = []
        number: dict[tuple[int, str], int] = {}
        deepest = max(last_rank(measure.spec) for measure in engine.measures)
        for name, run in runs:
            self._parts.append((run.values(), run.parts()[0]))
            run = run.keep_unjudged(deepest)
            ranked = []
            for topic, rank, doc in run.unjudged:
                ranked.append((number.setdefault((topic, doc), len(number)), rank))
            self._unjudged.append(np.array(ranked, dtype=np.int64).reshape(-1, 2).T)
            self.runs[name] = run
        self._topic = np.array([topic for topic, _ in number], dtype=np.int64)
        self._best_rank = np.full(len(number), deepest)
        docs, ranks = np.concatenate(self._unjudged, axis=1)
        np.minimum.at(self._best_rank, docs, ranks)
        self._depth = int(ranks.max(initial=0))

    def values(self) -> Floats:
        """Return the systems' values and their ends, ``(systems, 3, measures, topics)``."""
        alone = [[system] for system in range(len(self.runs))]
        rows = range(len(self._engine.measures))
        return np.stack([self.differences(row, alone) for row in rows], axis=2)

    def differences(self, row: int, pairs: Iterable[Sequence[int]]) -> Floats:
        """Return the differences of pairs of systems under the measure in a row, and their ends.

        For a single system instead of a pair, these are its values. The shape is ``(pairs, 3,
        topics)``.
        """
        measure = self._engine.measures[row]
        spec, group = measure.spec, self._engine.group_of[measure]
        pool = self._topic[self._best_rank <= last_rank(spec)]
        could = np.bincount(pool, minlength=len(self._engine.topics)).astype(np.int64)
        if self._over == "judgments" and isinstance(measure, Normalised):
            could += spec.cutoff or 0  # more would not change the ideal
        gains = np.append(group.gain, spec.gains.gain([0.0]))  # any level of the qrels, or level 0
        shared = SharedJudgments(measure, gains, group.ideal_gains, could, self._depth)

        def read(system: int) -> list[Floats]:
            docs, ranks = self._unjudged[system]
            weights = np.bincount(docs, shared.weights[ranks], len(self._topic))
            return [*(part[row] for part in self._parts[system]), weights]

        with np.errstate(over="ignore"):
            ends = []
            for first, *others in pairs:
                parts = read(first)
                for other in others:
                    parts = [part - its for part, its in zip(parts, read(other))]
                value, own, weights = parts
                ends.append(shared.ends(value, own, self._topic, weights))
        self._engine.refuse_overflow(np.concatenate(ends))
        return np.stack(ends)

    def mean_ranges(
        self, row: int, pairs: Iterable[Sequence[int]], kept: Selection = slice(None)
    ) -> tuple[Floats, Range]:
        """Return the mean differences of pairs over topics, and their ranges without points."""
        ends = self.differences(row, pairs)[:, :, kept]
        difference, low, high = ends.mean(axis=2).T
        largest = [np.abs(values[row]).max() for values, _ in self._parts]
        rounding = ROUNDING * max(*largest, np.abs(ends).max())
        low, high = (np.where(np.abs(end) <= rounding, 0.0, end) for end in (low, high))
        return difference, Range(low, high, low, high, low, high)


def find_most(
    runs: Mapping[str, JudgedRun], measure: str, first: str, missing: Missing = "zero"
) -> dict[str, float]:
    """Return by how much each system could be above the first, at most; perhaps below 0.

    It is the end of :func:`pt_cumgain.dominance` over the pool. There is nothing if there is no
    range, no cutoff, or a deep one.

    Parameters
    ----------
    runs
        The judged runs by system, with their unjudged documents.
    measure, first
        The text of a measure, and the first system.
    missing
        Whether topics that are missing from the runs count.
    """
    own = find_own_measure(measure)
    engine, names = runs[first].engine, [*runs]
    many = (engine.judgments.levels > 0).sum() > MOST_LEVELS
    if own is None or many or _refuse(own, "pool") or not 0 < (own.spec.cutoff or 0) <= POOLED:
        return {}
    pairs = [[run, names.index(first)] for run in range(len(names))]
    judgments = MissingJudgments(engine, runs.items(), "pool")
    kept = keep_topics(first, runs[first].present, missing)
    _, ranges = judgments.mean_ranges(engine.measures.index(own), pairs, kept)
    return dict(zip(names, ranges.high.tolist()))
