"""The systems' means on a lattice of weightings, and which mean is the highest where."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.comparing._intervals import Estimate, estimate_means
from pt_cumgain.comparing._may_be_best import is_open
from pt_cumgain.comparing._rounding import ROUNDING, equate
from pt_cumgain.core import Floats
from pt_cumgain.environment.progress import follow
from pt_cumgain.inputs.lists import as_list, list_first
from pt_cumgain.inputs.measures import Measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.options import CONFIDENCE_LEVEL, Scores, checked
from pt_cumgain.papers._schemes import SCHEMES, fit_weightings
from pt_cumgain.systems import Experiment
from pt_cumgain.trust._corners import Choices, CornerValues
from pt_cumgain.trust._ranges import check_ranges, judge_choices, positive_levels
from pt_cumgain.weighting import number

#: The most thresholds that vary: a triangle has three corners.
CORNERS = 3
#: How many points are computed at a time.
BATCH = 256
#: The columns that are neither coordinates nor means.
COLUMNS = ("measure", "gains", "scheme", "best", "second", "difference", "p", "others_may_be_best")


@checked
def weighting_map(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    *,
    levels: Sequence[float] | None = None,
    points: int = 61,
    confidence: float = CONFIDENCE_LEVEL,
    names: Sequence[str] | None = None,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    r"""Return the means on a lattice of weightings, and which system leads where.

    With three positive relevance levels the weightings form a triangle, whose
    corners are ``0-1-1-1``, ``0-0-1-1`` and ``0-0-0-1``; with two levels, a
    line. The map has the values on a lattice of points;
    :func:`pt_cumgain.dominance` also proves what holds between the points, and
    :func:`pt_cumgain.bounds` returns the range that missing judgments leave open.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`; ``verbose`` shows the progress
        over the points as well.
    measures
        Measures of this package, as for :func:`pt_cumgain.dominance` over
        gains.
    levels
        Two or three of the positive levels of the qrels; by default all of
        them. A document whose level lies between two of these gains as much as
        one at the lower of the two, and a document below the first of them
        gains nothing.
    points
        The number of points on each side of the triangle.
    confidence
        The confidence level of ``others_may_be_best``.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and weighting. ``measure``; ``gains``, the
        weighting as text for ``gains=``; its coordinates ``t1``, ``t2`` and,
        for three levels, ``t3``: what each level adds to the gain of the level
        before it, as a share of the highest gain (their sum is 1); ``scheme``.
        ``best`` and ``second``, the systems with the two highest means (of
        equal ones, the first); ``difference`` of their means; ``p`` of the
        paired t-test, not corrected for the number of systems or points (NaN
        for one topic, and for constant differences other than 0);
        ``others_may_be_best``, whether other systems than the first may also be
        best, by the rule of :func:`pt_cumgain.may_be_best` (with one topic,
        always). Then a column for each system, with its mean.

        The lattice comes first, with an empty ``scheme``. After it come the
        papers' weightings of these levels that are not corners, and ``exp``,
        each with its name as ``scheme``.

    Raises
    ------
    ValueError, TypeError
        If there is one level or more than three, a system has the name of one
        of the columns above, or as :func:`pt_cumgain.dominance`.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs, weighting_map
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = weighting_map(pydocs.runs(), topics, qrels, nDCG @ 100)
    >>> table[table["scheme"] != ""][["scheme", "best", "second", "difference", "p"]].round(3)
              scheme best second  difference      p
    1891     0-1-2-3  PL2   BM25       0.002  0.856
    1892    0-1-5-10  PL2    QLD       0.001  0.947
    1893  0-1-10-100  QLD   BM25       0.006  0.727
    1894     0-0-2-3  PL2    QLD       0.004  0.695
    1895         exp  QLD    PL2       0.001  0.944
    """
    chosen = check_ranges(measures, "gains")
    experiment = Experiment("weighting_map", systems, topics, qrels, names, scores, verbose)
    by_name = experiment.names_to_compare
    positive = positive_levels(experiment)
    varies = _choose_levels(positive, levels)
    _, choices, values = judge_choices(experiment, chosen, "gains")
    named = _name_points(choices[0], positive, varies)
    lattice = np.concatenate([_lattice(varies, points), *named.values()])
    frame = pd.DataFrame({f"t{j}": t for j, t in enumerate(lattice.T[varies], 1)})
    frame["scheme"] = [""] * (len(lattice) - len(named)) + list(named)
    taken = {*COLUMNS, *frame} & {*by_name}
    if taken:
        raise ValueError(f"a system has the name of a column of the map, {min(taken)!r}; rename it")
    frames = []
    for measure, choice, corners in zip(chosen, choices, values):
        batches = [lattice[i : i + BATCH] for i in range(0, len(lattice), BATCH)]
        compared, gains = [], []
        for batch in follow(batches, verbose, f"weighting_map: {measure}", "batch"):
            compared.append(_compare(corners, batch, confidence, by_name))
            gains += choice.texts(batch)
        labels = pd.DataFrame({"measure": str(measure), "gains": gains})
        rows = pd.concat(compared, ignore_index=True)
        frames.append(pd.concat([labels, frame, rows], axis=1))
    return pd.concat(frames, ignore_index=True)


def _compare(
    corners: CornerValues, points: Floats, confidence: float, names: list[str]
) -> pd.DataFrame:
    """Return which systems lead at points, by how much, and all means."""
    values = corners.at(points)
    means = values.mean(axis=1)
    largest = np.abs(corners.at_corners()).max()
    best, second = np.argsort(-equate(means, largest), axis=0, kind="stable")[:2]
    column = np.arange(len(points))
    pair = _estimate(values[best, :, column] - values[second, :, column], largest)
    others = np.zeros(len(points), dtype=bool)
    for rival in range(len(values)):
        left = np.flatnonzero(~others & (best != rival))
        ahead = _estimate((values[:, :, left] - values[rival][:, left]).swapaxes(1, 2), largest)
        one_sided = np.where(ahead.mean > 0, ahead.p / 2, 1.0)
        smallest = np.nan_to_num(one_sided, nan=1.0).min(axis=0)  # constant ones have no test
        others[left] = is_open(smallest, len(values) - 1, confidence)
    named = np.array(names, dtype=object)
    leads = {"best": named[best], "second": named[second], "difference": pair.mean, "p": pair.p}
    return pd.DataFrame(leads | {"others_may_be_best": others} | dict(zip(names, means)))


def _estimate(differences: Floats, largest: float) -> Estimate:
    """Return the means over topics, the last axis; rounding is no difference."""
    apart = np.where(np.abs(differences) <= ROUNDING * largest, 0.0, differences)
    flat = estimate_means([apart.reshape(-1, apart.shape[-1]).T], largest)
    mean, error, free = (x.reshape(apart.shape[:-1]) for x in (flat.mean, flat.error, flat.free))
    return Estimate(mean, error, free)


def _choose_levels(positive: Floats, levels: object) -> NDArray[np.bool_]:
    """Return which of the positive levels add to the gain; refuse one, and more than three."""
    known = list_first([str(number(level)) for level in positive], 10)
    chosen = as_list(positive if levels is None else levels)
    unknown = [x for x in chosen if not isinstance(x, Real) or x not in positive.tolist()]
    if unknown:
        raise ValueError(f"levels: {unknown[0]!r} is not a positive level of the qrels, {known}")
    varies = np.isin(positive, chosen)
    if not 2 <= varies.sum() <= CORNERS:
        advice = "; choose from them with levels=" if len(positive) > CORNERS else ""
        raise ValueError(
            f"a map of weightings has two or three levels, not {varies.sum()}; the qrels have the "
            f"positive levels {known}{advice}"
        )
    return varies


def _lattice(varies: NDArray[np.bool_], points: int) -> Floats:
    """Return the points of a lattice, the first corner first."""
    rest = varies.sum() - 1
    parts = np.indices((points,) * rest).reshape(rest, -1)
    first = points - 1 - parts.sum(axis=0)
    lattice = np.zeros(((first >= 0).sum(), len(varies)))
    lattice[:, varies] = np.vstack([first, parts]).T[first >= 0] / (points - 1)
    return lattice


def _name_points(choice: Choices, positive: Floats, varies: NDArray[np.bool_]) -> dict[str, Floats]:
    """Return the points of the papers' weightings of these levels, corners left out, by name."""
    texts = ["-".join("0123456789"), *SCHEMES, "exp"]
    names = ["-".join(text.split("-")[: int(positive[-1]) + 1]) for text in texts]
    points: dict[str, Floats] = {}
    for name, weighting in fit_weightings(dict(zip(names, names)), positive).items():
        point = choice.point(weighting)
        if point is not None and point.max() < 1 and not point[~varies].any():
            points[name] = point[None]
    return points
