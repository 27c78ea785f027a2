"""Find the conventions under which a published value can be reproduced.

The choices and the programs are listed in ``variants.ini``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from configparser import ConfigParser
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.comparing._results import PERCENT
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.core import TIES, Floats, discount_gains, find_discount, has_ideal
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.judging import Gains
from pt_cumgain.engine.rows import Table, rank_within
from pt_cumgain.engine.values import Group, last_rank
from pt_cumgain.engine.vectors import Vectors
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import name_run, warn
from pt_cumgain.inputs.frames import to_frame
from pt_cumgain.inputs.measures import read_measures
from pt_cumgain.inputs.reading import Qrels, Run, read_run
from pt_cumgain.inputs.systems import name_systems, read_systems
from pt_cumgain.inputs.topics import read_judgments, tell_unshared
from pt_cumgain.measures import CG, DCG, CumulatedGain, Normalised, nCG, nDCG
from pt_cumgain.options import checked, number
from pt_cumgain.papers._schemes import fit_weightings
from pt_cumgain.systems import refuse_many_levels

#: The parameters of a measure that decide its choice on an axis.
_PARAMETERS = {
    "gains": {"gains"},
    "discount": {"discount", "base"},
    "unjudged": {"judged_only"},
    "ties": {"ties"},
}
#: The parameters that choices on these axes set, besides weightings.
_SETTINGS: dict[str, dict[str, dict[str, object]]] = {
    "discount": {name: {"discount": name} for name in ("original", "rank")},
    "unjudged": {"dropped": {"judged_only": True}},
    "ties": {name: {"ties": name} for name in TIES},
}
#: The measures that have variants.
_KINDS = tuple(type(measure) for measure in (CG, DCG, nCG, nDCG))
#: The last axes, whose choices need only the values of the topics.
_OF_TOPICS = ("missing", "empty", "mean")
#: The axes that only a measure has that divides once by an ideal.
_OF_IDEALS = ("ideal", "mean")
#: Combinations that differ more often are tried only where a program or a usual script makes them.
MOST_DIFFERENCES = 3
#: What separates variants whose values are equal.
OR = " / or: "
#: How many variants are returned if none gives the numbers, and their largest distance.
NEAREST, NEAR = 5, 0.05
#: How many different values by topic show that all are one multiple of others.
FEWEST = 5
#: Programs sum in different orders, so that values differ by rounding.
_ROUNDING = 1e-9
#: How precise values by topic must be to show a multiple, as a share of the largest one.
_PRECISE = 0.01

#: Of each topic: its value, its ideal, whether it is missing from the run, whether its ideal is 0.
OfTopics = tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]


def _read() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, list[str]]], dict[str, str]]:
    """Return the choices of each axis with their words, programs, and sentences."""
    parser = ConfigParser(interpolation=None, delimiters="=")
    parser.read_string((resources.files("pt_cumgain.trust") / "variants.ini").read_text("utf-8"))
    sections = {name: dict(parser[name]) for name in parser.sections()}
    usual, words = sections.pop("usually"), sections.pop("words")
    axes = {axis: sections.pop(f"axis {axis}") for axis in usual if f"axis {axis}" in sections}
    programs = {
        name.removeprefix("program "): {a: c.split(", ") for a, c in (usual | program).items()}
        for name, program in sections.items()
    }
    return axes, programs, words


#: The choices of each axis with their words, those of programs, and sentences.
AXES, PROGRAMS, WORDS = _read()
#: The choices of usual scripts, which are no program.
SCRIPTS = PROGRAMS.pop("scripts")
#: The first choices on the axes that no declaration changes.
_FIRST = {a: next(iter(words)) for a, words in AXES.items() if a not in (*_PARAMETERS, "missing")}


@checked(tolerance=number("a number of at least 0", 0, 1e-4, least=0).optional())
def reconcile(
    values: Mapping[Any, object], qrels: Qrels, run: Run, *, tolerance: float | None = None
) -> pd.DataFrame:
    """Find the variants of a measure that reproduce numbers from a paper.

    Different programs compute different values for the same measure name. This
    function computes the measure under combinations of the choices on which
    they differ: the treatment of labels that are not whole, gains (including
    binary gains and published weightings that fit the labels), discount, ideal
    ranking, ties, precision of scores, ranks used instead of scores, the mean,
    and the treatment of unjudged documents, judged documents that were not
    returned, documents with the topic's id, topics missing from the run, and
    topics without relevant documents. It starts from the measure as declared
    and changes up to three choices together; it also tries all known programs
    and some typical scripts.

    Parameters
    ----------
    values
        A dict from each measure (CG, DCG, nCG or nDCG, as an object or text) to
        its number: the mean over topics, or a dict of the values for some or
        all topics. Several measures may differ only in their cutoff. For
        several runs, a dict of such dicts by the name of the run. The number of
        digits written matters: ``"0.5370"`` is more precise than ``"0.537"``.
        Floats lose final zeros, so they are all read with as many digits as the
        longest of them.
    qrels
        Qrels, as for :func:`pt_cumgain.evaluate`.
    run
        A run, as for :func:`pt_cumgain.evaluate`, or several in a dict.
    tolerance
        How far a value may be from its number. Default: half a unit of the last
        digit, and for a program that has rounded before, such as gdeval to five
        digits, also half a unit of its last digit.

    Returns
    -------
    pandas.DataFrame
        The variants that match all numbers to the digits given: first those
        with at most one difference, then those of known programs, then those
        with the fewest differences. If none matches, the few that come
        nearest, within 0.05. Variants whose values are equal on these data are
        one row:

        - ``differs``: how the simplest of these variants differ from the measure
          as declared (separated by ``/ or:``); empty if they do not;
        - ``programs``: programs known to compute one of these variants;
        - ``declaration``: a measure here that differs in this way, if there is
          one; with ``missing='skip'``, as :func:`pt_cumgain.evaluate` takes it;
        - the mean over topics, in a column for each run and measure;
        - ``distance``: the largest distance of a value from its number;
        - ``matches``: whether all numbers are matched.

    Raises
    ------
    ValueError, TypeError
        If a measure has no such variants, a number is not a number or is a
        percentage, or an input cannot be used.

    Warns
    -----
    UserWarning
        If no variant gives the numbers. If five or more values by topic are one
        multiple of CG or DCG, under any of the gains and discounts, it says so.

    Examples
    --------
    >>> qrels = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1}}
    >>> run = {"1": {"b": 2.0, "x": 1.5, "a": 1.0}, "2": {"d": 1.0, "e": 0.5}}
    >>> found = reconcile({"nDCG@10": "0.8460"}, qrels, run)
    >>> print(found["differs"][0])
    gain = 2^level - 1
    >>> print(found["declaration"][0])
    nDCG(gains='exp')@10
    """
    frame, verdict = find_variants(values, qrels, run, tolerance)
    if not frame["matches"].any():
        warn(verdict)
    return frame


def find_variants(
    values: Mapping[Any, object], qrels: Qrels, run: Run, tolerance: float | None = None
) -> tuple[pd.DataFrame, str]:
    """Return the frame of :func:`reconcile`, and how many variants give the numbers, in words."""
    named = run if isinstance(run, Mapping) else {}
    several = isinstance(values, Mapping) and bool(values) and values.keys() <= named.keys()
    if not several and not all(isinstance(rows, Mapping) for rows in named.values()):
        raise ValueError(
            f"values={show(values)} must have the numbers of each run by its name, such as "
            f"{{{next(iter(named))!r}: {{'nDCG@10': 0.5371}}}}"
        )
    systems: Any = run if several else {"": run}
    targets = _targets(values if several else {"": values}, tolerance)
    variants = _Variants([target.measure for target in targets], read_judgments(qrels))
    variants_by_run: dict[str, _RunVariants] = {}
    for name, table in read_systems(name_systems(systems, None), None, False, "", ranks=True):
        with name_run(name):
            variants_by_run[name] = _RunVariants(variants, table)
    results = [variants_by_run[target.run].values(target) for target in targets]
    means = [mean for mean, _ in results]
    computed = np.concatenate([values for _, values in results], axis=1)
    gaps = np.abs(computed - np.concatenate([target.numbers for target in targets]))
    exact = np.concatenate([target.exact for target in targets])
    decimals = np.concatenate([target.decimals for target in targets])
    kinds = variants.kinds(computed, gaps)

    def giving(kind: Sequence[int]) -> list[str]:
        names = ["", *variants.programs(kind)]
        return [n for n in names if (gaps[kind[0]] <= exact + _round_off(n, decimals)).all()]

    matching = sorted(filter(giving, kinds), key=variants.implausibility)
    measure, tried = targets[0].measure, len(variants.every)
    if matching:
        words = "several" if len(matching) > 1 else "one"
        verdict = WORDS[words].format(len(matching), len(kinds), tried)
    else:
        verdict = WORDS["none"].format(measure, tried)
        multiples = [variants_by_run[target.run].find_multiple(target) for target in targets]
        if all(multiples):
            verdict = WORDS["multiple"].format(measure, ", ".join(dict.fromkeys(multiples)))
    near = [kind for kind in kinds[:NEAREST] if gaps[kind[0]].max() <= NEAR]
    columns = ["differs", "programs", "declaration", *(target.name for target in targets)]
    rows = []
    for kind in matching or near:
        programs = ", ".join(filter(None, giving(kind) or variants.programs(kind)))
        texts = variants.differences(kind), programs, variants.declaration(kind)
        numbers = [mean[kind[0]] for mean in means]
        rows.append([*texts, *numbers, gaps[kind[0]].max(), bool(matching)])
    return pd.DataFrame(rows, columns=[*columns, "distance", "matches"]), verdict


class _Target(NamedTuple):
    """The numbers to be reproduced for a run and a measure: for single topics or for the mean."""

    run: str
    name: str
    measure: CumulatedGain
    topics: list[str] | None
    numbers: Floats
    exact: Floats
    decimals: Floats


def _targets(by_run: Mapping[Any, object], tolerance: float | None) -> list[_Target]:
    """Return the numbers, and how far a value may be from each, by run and measure."""
    targets = []
    for run, numbers_by_measure in by_run.items():
        if not isinstance(numbers_by_measure, Mapping):
            raise TypeError(
                f"values: {show(numbers_by_measure)} must be a dict of numbers, such as "
                "{'nDCG@10': 0.5371}"
            )
        for text, value in numbers_by_measure.items():
            (measure,) = read_measures(text, _refuse_variants)
            by_topic = value if isinstance(value, Mapping) else {"": value}
            exact_numbers = [_read_number(each, measure) for each in by_topic.values()]
            numbers = np.array(exact_numbers, dtype=np.float64)
            last = min([int(each.as_tuple().exponent) for each in exact_numbers], default=0)
            exact = _ROUNDING * np.maximum(np.abs(numbers), 1)
            exact += 10.0**last / 2 if tolerance is None else tolerance
            decimals = np.full(len(numbers), -last if tolerance is None else np.inf)
            topics = [str(topic) for topic in by_topic] if by_topic is value else None
            name = f"{run} {measure}".strip()
            targets.append(_Target(str(run), name, measure, topics, numbers, exact, decimals))
    if not any(len(target.numbers) for target in targets):
        raise ValueError("there is no number; give some, such as {'nDCG@10': 0.5371}")
    return targets


def _round_off(program: str, decimals: Floats) -> Floats:
    """Return how much a program may have rounded off before numbers got so many decimals."""
    digits, *topic_values = PROGRAMS[program]["digits"] if program else ["17"]
    return (decimals < (np.inf if topic_values else int(digits))) * 10.0 ** -int(digits) / 2


def _read_number(value: object, measure: CumulatedGain) -> Decimal:
    """Return a number with the digits that it is written with, if it can be a measure's value."""
    text, decimal = "", Decimal("nan")
    with suppress(ArithmeticError):
        text = str(float(value) if type(value) is int else value)  # as short as its type allows
        decimal = Decimal(text.strip().removesuffix("%"))
    if not decimal.is_finite() or np.isinf(float(decimal)):
        raise ValueError(f"{show(value)} must be a finite number, such as 0.5371 or '0.5370'")
    spec = measure.spec
    is_share = isinstance(measure, Normalised) and has_ideal(spec.discount, spec.base)
    if "%" in text or (is_share and decimal >= PERCENT):
        raise ValueError(f"{show(value)} looks like a percentage; write {decimal.scaleb(-2)}")
    return decimal


def _refuse_variants(measure: CumulatedGain | None) -> str:
    """Return why a measure has no variants."""
    if type(measure) in _KINDS and measure and not (measure.spec.at_r or measure.spec.unjudged):
        return ""
    return "has no variants; CG, DCG, nCG and nDCG have, without at_r and unjudged"


class _Variants:
    """Combinations of the choices in which programs differ, around a declared measure.

    Parameters
    ----------
    measures
        The declared measure, with all cutoffs.
    qrels
        The judgments.

    Attributes
    ----------
    every
        A choice on each axis; that of the measure as declared is the first.
    engines
        The engines that judge runs, by the choice of labels.
    group
        Returns the group that computes a measure, for an engine.
    """

    def __init__(self, measures: Sequence[CumulatedGain], qrels: Table) -> None:
        self._measures, base = list(dict.fromkeys(measures)), measures[0]
        if len({(type(m), m.spec._replace(cutoff=None)) for m in measures}) > 1:
            raise ValueError(f"{[*measures]} differ in more than cutoffs; reconcile each by itself")
        params = self._rest = {k: v for k, v in base.params.items() if k != "cutoff"}
        if params.pop("dcg", "") == "exp-log2":
            params["gains"] = "exp"
        self._axes: dict[str, dict[str, dict[str, object]]] = {}
        for axis, words in AXES.items():
            names = _PARAMETERS.get(axis, set())
            own = {name: params.pop(name) for name in names & params.keys()}
            whole = axis == "labels" and (qrels.values % 1 == 0).all()
            without = axis in _OF_IDEALS and (not isinstance(base, Normalised) or base.spec.avg_pos)
            if whole or without or not names <= type(base).SUPPORTED_PARAMS.keys():
                continue
            choices = {choice: _SETTINGS.get(axis, {}).get(choice, {}) for choice in words}
            if axis == "gains":
                choices = _fit_weightings(qrels.values)
            equal = [c for c in choices if type(base)(**choices[c]).spec == type(base)(**own).spec]
            declared = equal[0] if equal else "declared"
            choices.pop(declared, None)
            self._axes[axis] = {declared: own, **choices}
        every = [*product(*self._axes.values())]
        usual: set[tuple[str, ...]] = set()
        for known in (*PROGRAMS.values(), SCRIPTS):
            usual.update(product(*(self._axes[axis].keys() & known[axis] for axis in self._axes)))
        self.every: list[dict[str, str]] = []
        for combination in every:
            differences = sum(one != other for one, other in zip(combination, every[0]))
            if combination in usual or differences <= MOST_DIFFERENCES:
                self.every.append(dict(zip(self._axes, combination)))
        self.qrels = to_frame(qrels, "label")
        # the last measure reads whole runs, so that all judged documents are found
        every_measure = [*self._measures, CG(ties="average")]
        self.engines = {"kept": Engine(every_measure, qrels, warn_for=[base])}
        self.engines["kept"].judgments.refuse_conflict()
        if "labels" in self._axes:
            cut = replace(qrels, values=np.trunc(qrels.values))
            self.engines["whole"] = Engine(every_measure, cut, warn_for=[])
        self.group = cache(lambda measure, engine: Group([(0, measure)], engine.judgments))

    def measure(self, variant: dict[str, str], declared: CumulatedGain) -> CumulatedGain:
        """Return a measure with the parameters that a variant sets."""
        params = {**self._rest, "cutoff": declared.spec.cutoff}
        for axis, choice in variant.items():
            params |= self._axes[axis][choice]
        return type(declared)(**params)

    def sums(self, declared: CumulatedGain) -> list[CumulatedGain]:
        """Return the sums of gains of which a measure may be a share, under all weightings."""
        kind = {"nCG": CG, "nDCG": DCG}.get(declared.__name__, declared)
        plain = kind(cutoff=declared.spec.cutoff)
        axes = [axis for axis in self._axes if axis in ("gains", "discount")]
        every = product(*(self._axes[axis] for axis in axes))
        return [self.measure(self.every[0] | dict(zip(axes, each)), plain) for each in every]

    def words(self, index: int) -> list[str]:
        """Return the differences from the measure as declared, in words."""
        declared = self.every[0]
        return [AXES[a][choice] for a, choice in self.every[index].items() if choice != declared[a]]

    def simplest(self, kind: Sequence[int]) -> list[int]:
        """Return the variants that differ least from the measure as declared."""
        return [i for i in kind if len(self.words(i)) == len(self.words(kind[0]))]

    def differences(self, kind: Sequence[int]) -> str:
        """Return the differences of the simplest of the variants, of which there may be several."""
        return OR.join("; ".join(self.words(i)) for i in self.simplest(kind))

    def programs(self, kind: Sequence[int]) -> list[str]:
        """Return the programs that compute one of the variants."""
        return [
            name
            for name, known in PROGRAMS.items()
            if self._measures[0].__name__ in known["measures"]
            and not self._rest
            and any(all(c in known[a] for a, c in self.every[i].items()) for i in kind)
        ]

    def implausibility(self, kind: Sequence[int]) -> tuple[int, int]:
        """Return a key to sort matches: a known program is as plausible as a single difference."""
        differences = len(self.words(kind[0]))
        return (min(differences, 1) if self.programs(kind) else differences), differences

    def declaration(self, kind: Sequence[int]) -> str:
        """Return how one of the simplest variants is declared here; empty if none can be."""
        for variant in (self.every[i] for i in self.simplest(kind)):
            if variant["ties"] in TIES and _FIRST.items() <= (_FIRST | variant).items():
                texts = [str(self.measure(variant, measure)) for measure in self._measures]
                if variant["missing"] != "zero":
                    texts.append("missing='skip'")
                return ", ".join(texts)
        return ""

    def kinds(self, values: Floats, gaps: Floats) -> list[list[int]]:
        """Return the variants that have the same values, the simplest first; the nearest first."""
        valid = np.flatnonzero(np.isfinite(gaps).all(axis=1))
        simple = valid[np.argsort([len(self.words(i)) for i in valid.tolist()], kind="stable")]
        equal = np.stack([equate(column) for column in values[simple].T], axis=1)
        kinds: dict[bytes, list[int]] = {}
        for row, i in zip(equal, simple.tolist()):
            kinds.setdefault(row.tobytes(), []).append(i)
        return sorted(kinds.values(), key=lambda kind: float(gaps[kind[0]].max()))


def _fit_weightings(labels: Floats) -> dict[str, dict[str, object]]:
    """Return, as parameters, the weightings that name all labels."""
    levels = np.unique([labels, np.trunc(labels)])
    levels = levels[levels > 0]
    refuse_many_levels(levels, "variants are")
    gains: dict[str, object] = dict.fromkeys(AXES["gains"])
    for name in gains:
        binary = {level: float(level >= 2 or name == "binary") for level in levels.tolist()}
        gains[name] = binary if name.startswith("binary") else name
    fitting = fit_weightings(gains, levels)
    return {name: {} if name == "level" else {"gains": gains[name]} for name in fitting}


def _rank_ideal(
    ideal: str, measure: CumulatedGain, judged: JudgedRun, group: Group, gains: Gains
) -> Gains:
    """Return an ideal ranking other than that of the recall base.

    ``group`` computes the measure, and ``gains`` are those at the ranks of the run.
    """
    best, spec, judgments = group.ideal_gains, measure.spec, judged.engine.judgments
    if ideal == "one":
        return gains._replace(rank=np.ones_like(gains.rank))
    if ideal == "level":
        return judgments.ideal(np.maximum(judgments.levels, 0))
    if ideal == "returned":
        return best.where(best.rank <= judged.topics.documents[best.row])
    if ideal == "not cut":  # all cumulated gain is at rank 1
        # no measure reads past the last weight of a registered discount
        ranks = np.minimum(best.rank, find_discount(spec.discount).depth)
        gain = discount_gains(best.gain, ranks, spec.discount, spec.base)
        return best._replace(gain=gain, rank=np.ones_like(best.rank))
    hits = judged.topics.hits
    best = Gains(hits.topic, hits.rank, hits.level, group.gain[hits.level])
    if ideal == "first k":
        best = gains.where(gains.rank <= last_rank(spec))
    best = best.where(best.gain > 0)
    best = best.where(np.lexsort((-best.gain, best.row)))
    return best._replace(rank=rank_within(best.row))


def _find_factor(sums: Floats, target: _Target) -> float:
    """Return the number by which sums of gains give the numbers of a target; 0 if none does."""
    low, high = target.numbers - target.exact, target.numbers + target.exact
    gains = sums > 0
    if not gains.any() or low[~gains].max(initial=0) > 0:
        return 0.0
    least, most = (low[gains] / sums[gains]).max(), (high[gains] / sums[gains]).min()
    return float(least + most) / 2 if 0 < least <= most else 0.0


class _RunVariants:
    """The values of a run under all variants."""

    def __init__(self, variants: _Variants, run: Table) -> None:
        rows = to_frame(run, "score")
        self._variants, self._engine = variants, variants.engines["kept"]
        self._same: dict[tuple[str, bytes], JudgedRun] = {}
        self._judge, self._compute = cache(self._judge_anew), cache(self._compute_anew)
        if not self._engine.judge(run).present.any():
            unshared = tell_unshared(self._engine.topics, run.topics)
            raise ValueError(unshared or "the run holds no documents")
        if "query_position" in rows:
            raise ValueError("reconcile reads a list for each topic, but the run is over sessions")
        ranks = rows.pop("rank") if "rank" in rows else pd.Series(0.0)
        self._ranks = ranks if (ranks >= 0).all() and ranks.nunique() > 1 else None
        self._rows = rows.assign(rank=np.nan)  # the orders of variants are no reason to warn
        ids = ["qid", "docno"]
        judged = variants.qrels[ids][variants.qrels["qid"].isin(rows["qid"])]
        returned = pd.MultiIndex.from_frame(rows[ids])
        self._unreturned = judged[~pd.MultiIndex.from_frame(judged).isin(returned)]

    def _judge_anew(
        self, labels: str, order: str, scores: str, identical: str, unreturned: str
    ) -> JudgedRun:
        """Return the run, ranked by an order of ties that is no parameter, or without ("").

        Runs with the same judged documents at the same ranks are one.
        """
        rows = self._rows
        if scores == "rank":
            rows = rows if self._ranks is None else rows.assign(score=1 / (self._ranks + 1))
        else:
            rows = rows.assign(score=rows["score"].astype(np.dtype(scores)).astype(np.float64))
        if unreturned == "appended":
            rows = pd.concat([rows, self._unreturned.assign(score=0.0)])
        if identical == "dropped":
            rows = rows[rows["docno"] != rows["qid"]]
        if order:
            if order != "file":
                rows = rows[::-1] if order == "reversed" else rows.sort_values("docno")
            rows = rows.sort_values("score", ascending=False, kind="stable")
            rows = rows.assign(score=-np.arange(len(rows), dtype=np.float64))
        judged = self._variants.engines[labels].judge(read_run(rows))
        columns = *judged.topics.hits, judged.topics.documents
        same = b"".join(column.tobytes() for column in columns)
        return self._same.setdefault((labels, same), judged)

    def _compute_anew(self, measure: CumulatedGain, ideal: str, judged: JudgedRun) -> OfTopics:
        """Return the values of a measure with an ideal ranking."""
        group = self._variants.group(measure, judged.engine)
        missing, empty = ~judged.present, group.recall == 0
        gains = group.rank_gains(judged.topics)
        if ideal == "one":
            gains = gains.where(gains.gain > 0)
            gains = gains.where(rank_within(gains.row) == 1)
        if ideal != "recall base":
            group = group.with_ideal(_rank_ideal(ideal, measure, judged, group, gains))
        if ideal in ("retrieved", "first k"):
            empty = np.where(missing, empty, group.recall == 0)
        out, best_out = np.zeros((2, 1, len(missing)))
        with np.errstate(over="ignore", invalid="ignore"):
            vectors = group.locate_gains(gains)
            group.fill(out, vectors)
            group.fill(best_out, vectors, Vectors.divisors)
        self._engine.refuse_overflow(out)
        if ideal in ("first k", "one") and measure.spec.ties == "average":
            # a mean over orders, which have different documents among the first k
            out[:], empty = np.nan, np.zeros_like(missing)
        return out[0], best_out[0], missing, empty

    def find_multiple(self, target: _Target) -> str:
        """Return the sum of gains of which all numbers by topic are the same multiple, if any.

        There is such a sum if the ideal is the same for all topics, or the logarithm has another
        base.
        """
        few = len(np.unique(target.numbers)) < FEWEST
        if few or target.exact.max() > _PRECISE * target.numbers.max():
            return ""
        judged = self._judge("kept", "", "double", "kept", "out")
        positions = self._engine.judgments.find_topics(target.topics or [])
        for measure in self._variants.sums(target.measure):
            sums, *_ = self._compute(measure, "recall base", judged)
            factor = _find_factor(sums[positions], target)
            if factor:
                return f"{measure} times {factor:.3g}"
        return ""

    def values(self, target: _Target) -> tuple[Floats, Floats]:
        """Return the mean under each variant, and the values that should be the numbers."""
        means, wanted = [], []
        positions = self._engine.judgments.find_topics(target.topics or [])
        if (positions < 0).any():
            unknown = (target.topics or [])[int(np.argmin(positions))]
            raise ValueError(f"values: there is no topic {unknown!r} in the qrels")
        before: list[str] = []
        for variant in self._variants.every:
            choices = [c for axis, c in variant.items() if axis not in _OF_TOPICS]
            if choices != before:
                order = "" if variant["ties"] in TIES else variant["ties"]
                rest = (variant[axis] for axis in ("scores", "identical", "unreturned"))
                judged = self._judge(variant.get("labels", "kept"), order, *rest)
                measure = self._variants.measure(variant, target.measure)
                ideal = variant.get("ideal", "recall base")
                before, topic_values = choices, self._compute(measure, ideal, judged)
            value, best, missing, empty = topic_values
            one = 1.0 if isinstance(target.measure, Normalised) else value
            rule = {"zero": value, "one": one, "left out": np.nan}[variant["empty"]]
            value = np.where(empty, rule, value)
            value = np.where(missing & (variant["missing"] != "zero"), np.nan, value)
            ratio = variant.get("mean") == "ratio"  # the mean of the values, weighted by ideals
            counted, weights = ~np.isnan(value), best if ratio else np.ones_like(value)
            total = weights[counted].sum()
            means.append((value * weights)[counted].sum() / total if total else np.nan)
            of_topics = np.where(ratio, np.nan, value)[positions]
            wanted.append([means[-1]] if target.topics is None else of_topics)
        return np.array(means), np.array(wanted)
