"""Which comparisons hold whatever the weighting, the discount or the missing judgments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from pt_cumgain.comparing._datasets import join_parts
from pt_cumgain.comparing._systems import Baseline, check_baselines, pair_systems
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints
from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import Average, Over, Scores, checked
from pt_cumgain.systems import Experiment
from pt_cumgain.trust._corners import DIGITS, Choices, CornerValues
from pt_cumgain.trust._ranges import MISSING, MissingJudgments, check_ranges, judge_choices
from pt_cumgain.trust._simplex import LIMIT, TOLERANCE, Range, Search

#: The first systems of pairs, and the second ones.
Pairs = tuple[Ints, Ints]
#: An end of a range, the difference of two systems that comes closest to it, and where it does.
End = tuple[float, float, Floats]


@checked
def dominance(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    over: Over = "gains",
    baseline: Baseline = None,
    average: Average = "topics",
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
    names: Sequence[str] | None = None,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    """Return which comparisons hold whatever the gains, discount or judgments.

    A difference between two means depends on how much a relevance level is
    worth, on how patient the user is, and on how the unjudged documents would
    have been judged. This function computes a range that contains the
    difference under *all* such choices. If the range does not contain values of
    both signs, the order of the two systems holds under every choice, on these
    topics.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`.
    measures
        Measures of this package, as objects or text, one or several, without
        ``at_r`` and ``unjudged``. Over discounts DCG and nDCG with a cutoff and
        without ``avg_pos``; over judgments and the pool the measures of
        :func:`pt_cumgain.bounds`; session measures over gains.
    over
        What varies:

        - ``"gains"``: every weighting that never gives a lower level more gain
          than a higher one, and gives no gain to levels of 0 and below;
        - ``"discount"``: every discount that never falls from one rank to the
          next, with d(1) = 1;
        - ``"both"``: every such weighting with every such discount;
        - ``"judgments"``: every way to judge *any* documents that are not
          judged, whether or not a system returned them, each with 0 or any
          level of the qrels, the same for both systems;
        - ``"pool"``: the same for the unjudged documents among the first k
          ranks of *any* system; all other unjudged ones are not relevant.

        Everything else is as the measure declares it.
    baseline
        As for :func:`pt_cumgain.pairwise`.
    average
        As for :func:`pt_cumgain.gain_curves`.
    tolerance
        How far an end of the range may be from a difference that occurs.
    limit
        How many pairs of points to examine for each end. If these are not
        enough, the range stays wider than the tolerance.

    Returns
    -------
    pandas.DataFrame
        For each measure and pair: ``measure``, ``name``, ``other``;
        ``average``, with ``average="vectors"`` only; ``difference``, of the
        means of name and other under the measure as declared; ``least``,
        ``most``, a range that contains the differences under all choices;
        ``exact``, whether both ends are reached, up to the tolerance;
        ``verdict``, ``better``, ``least_at``, ``most_at``.

        ``verdict`` describes only the sign. ``"holds"``: the difference never
        changes sign; ``better`` is then the system that is at least as good
        under every choice, or empty if the two are equal under all choices.
        ``"depends"``: the difference is negative under ``least_at`` and
        positive under ``most_at``. ``"open"``: neither could be established
        within ``limit``. ``"unjudged"``: no document of one of the two systems
        is judged among the ranks that count, so there is no conclusion.

        ``least_at`` and ``most_at`` are choices that come closest to the ends,
        as text. Of weightings: for ``gains=``. Of discounts: the weights 1/d(i)
        of the ranks, separated by commas, for
        :func:`pt_cumgain.register_discount`. Over both: the two, separated by a
        semicolon. Over judgments and the pool: empty. They have the fewest
        digits that leave the difference within the tolerance and keep its sign;
        a tiny weight may stand for any smaller one.

    Raises
    ------
    ValueError, TypeError
        If a measure has no such range, or an input cannot be used.

    Notes
    -----
    With the positive levels L_1 < ... < L_m of the qrels, every weighting is
    Σ_j t_j T_j, t_j ≥ 0, where the threshold T_j gives the gain 1 from L_j on;
    likewise every 1/d(i) is Σ_j c_j [i ≤ j]. So CG and DCG have their extremes
    at these corners, and the mean nCG or nDCG is a sum of ratios of functions
    linear in t and c, which branch and bound searches. The manual has the rest:
    scale, judgments and rounding.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import dominance, nDCG, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> pairs = dominance(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> columns = ["name", "other", "least", "most", "verdict", "least_at", "most_at"]
    >>> pairs[columns].tail(4).round(3)
      name       other  least   most  verdict least_at  most_at
    6  QLD  First word  0.107  0.183    holds  0-0-0-1  0-1-1-1
    7  PL2         DPH -0.006  0.003  depends  0-1-1-1  0-0-0-1
    8  PL2  First word  0.086  0.167    holds  0-0-0-1  0-1-1-1
    9  DPH  First word  0.083  0.173    holds  0-0-0-1  0-1-1-1
    """
    chosen = check_ranges(measures, over, average)
    experiment = Experiment("dominance", systems, topics, qrels, names, scores, verbose)
    named = experiment.names_to_compare
    pairs = pair_systems(named, check_baselines(baseline, named, in_order=True))
    frames = {}
    if over in MISSING:
        engine, runs = experiment.judge(chosen)
        missing = MissingJudgments(engine, runs, over)
        for row, measure in enumerate(chosen):
            ranges = missing.mean_ranges(row, np.column_stack(pairs).tolist())
            frames[str(measure)] = _frame(named, pairs, *ranges, tolerance)
    else:
        engine, choices, values = judge_choices(experiment, chosen, over)
        for measure, choice, corners in zip(chosen, choices, values):
            if average == "vectors":
                corners = CornerValues(*(part.mean(axis=1, keepdims=True) for part in corners))
            search = choice.search(tolerance, limit)
            frames[str(measure)] = _compare(choice, corners, named, pairs, search)
    table = join_parts(frames, "measure")
    if average == "vectors":
        table.insert(1, "average", average)
    unknown = table["name"].isin(list(engine.unmet)) | table["other"].isin(list(engine.unmet))
    table.loc[unknown, ["verdict", "better"]] = "unjudged", ""
    return table


def _compare(
    choice: Choices, corners: CornerValues, names: list[str], pairs: Pairs, search: Search
) -> pd.DataFrame:
    """Return the rows of the table under one measure, with the choices at the ends."""
    each_pair = np.column_stack(pairs).tolist()
    ranges = corners.ranges(each_pair, search)
    first, second = (corners.at_corners()[side, 0] for side in pairs)
    frame = _frame(names, pairs, first - second, ranges, search.tolerance)
    write = partial(_write_choice, choice, corners, search.tolerance)
    low = zip(ranges.low, ranges.lowest, ranges.low_at)
    high = zip(ranges.high, ranges.highest, ranges.high_at)
    frame["least_at"] = [write(pair, end) for pair, end in zip(each_pair, low)]
    frame["most_at"] = [write(pair, end) for pair, end in zip(each_pair, high)]
    return frame


def _write_choice(
    choice: Choices, corners: CornerValues, tolerance: float, pair: list[int], at: End
) -> str:
    """Return a choice with the fewest digits that keep the sign of an end and stay close to it."""
    end, reached, point = at
    near = max(tolerance, abs(reached - end))
    for digits in range(1, DIGITS):
        short = choice.round(point, digits)
        value = corners.difference(pair, short)
        if np.sign(value) == np.sign(reached) and abs(value - end) <= near:
            return choice.text(short)
    return choice.text(point)


def _frame(
    names: list[str], pairs: Pairs, difference: Floats, ranges: Range, tolerance: float
) -> pd.DataFrame:
    """Return the rows of the table of pairs under one measure."""
    named = np.array(names, dtype=object)
    first, second = (named[side] for side in pairs)
    holds = (ranges.low >= 0) | (ranges.high <= 0)
    depends = (ranges.lowest < 0) & (ranges.highest > 0)
    equal = (ranges.low == 0) & (ranges.high == 0)
    columns = {
        "name": first,
        "other": second,
        "difference": difference,
        "least": ranges.low,
        "most": ranges.high,
        "exact": ranges.exact(tolerance),
        "verdict": np.select([holds, depends], ["holds", "depends"], "open"),
        "better": np.select([equal | ~holds, ranges.low >= 0], ["", first], second),
        "least_at": "",
        "most_at": "",
    }
    return pd.DataFrame(columns)
