"""Do measures rank systems alike? Rank correlations of measures, and pairs that swap places.

IPM 2005, tables 3 to 6. A ranking is a column of a table of means: systems by measures.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pt_cumgain.analysis.results import Results, matrices
from pt_cumgain.analysis.rounding import equate
from pt_cumgain.extras import scipy_stats
from pt_cumgain.inputs.arguments import is_path
from pt_cumgain.inputs.frames import require_columns

#: The names of the coefficients, by their entry in the table's ``attrs``.
COEFFICIENTS = {
    "tau-b": "Kendall's tau-b",
    "tau-ap": "tau-AP",
    "p of tau-b": "p of Kendall's tau-b",
}
_BESIDE = re.compile(r" (\+|-|reject|p-value|p-value corrected)$")


def rank_correlation(
    means: Results,
    other: Results | None = None,
    *,
    coefficient: Literal["tau-b", "tau-ap"] = "tau-b",
    pvalues: bool = False,
) -> pd.DataFrame:
    r"""Return, for each pair of measures, how similarly they rank the systems.

    Parameters
    ----------
    means
        What ``pt.Experiment`` returns: ``name`` and a column for each measure
        (columns of tests are ignored); or the results by topic
        (``perquery=True``), which are averaged.
    other
        A second table, in either form, for the same systems, for example with
        other qrels: rows are then the measures of the first, columns those of
        the second (IPM 2005, table 3).
    coefficient
        ``"tau-b"``: Kendall's, with ties (IPM 2005, tables 4 to 6).
        ``"tau-ap"``: see :func:`tau_ap`; the row's measure is the truth by
        which the column's is judged.
    pvalues
        Return the p-values of tau-b (scipy's) instead.

    Returns
    -------
    pandas.DataFrame
        Labelled by measure. NaN if a measure has the same mean for all systems.
        Means that are equal to 12 digits are ties.

    Raises
    ------
    ValueError
        If a table has no ``name``, no measure, fewer than two systems, or NaN,
        the two tables have different systems, or p-values of tau-AP are
        requested; or if, in results by topic, a system has no value for one of
        the topics.
    ImportError
        If the extra ``stats`` is not installed.

    Notes
    -----
    scipy.stats.kendalltau computes tau-b. "Correlations greater than 0.9 should
    be considered equivalent and those less than 0.8 generally reflect
    noticeable changes" (IPM 2005, section 2.3, after Voorhees 2001).

    Examples
    --------
    >>> means = pd.DataFrame({"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2]})
    >>> rank_correlation(means).round(3)
            CG@5  nCG@5
    CG@5   1.000  0.333
    nCG@5  0.333  1.000
    """
    if coefficient not in ("tau-b", "tau-ap"):
        raise ValueError(f"coefficient={coefficient!r} is unknown; choose from tau-b, tau-ap")
    if pvalues and coefficient == "tau-ap":
        raise ValueError("tau-AP has no p-value; leave pvalues out, or use tau-b")
    rows = ranking(means)
    columns = rows if other is None else ranking(other)
    if set(rows.index) != set(columns.index):
        unshared = sorted(set(rows.index) ^ set(columns.index))
        raise ValueError(f"the two tables have different systems: {', '.join(map(str, unshared))}")
    columns = columns.loc[rows.index]
    table = np.full((rows.shape[1], columns.shape[1]), np.nan)
    for i, first in enumerate(rows.to_numpy().T):
        for j, second in enumerate(columns.to_numpy().T):
            if (first == first[0]).all() or (second == second[0]).all():
                continue
            if coefficient == "tau-ap":
                table[i, j] = tau_ap(first, second)
            else:
                tau = scipy_stats().kendalltau(first, second)
                table[i, j] = tau.pvalue if pvalues else tau.statistic
    matrix = pd.DataFrame(table, index=rows.columns, columns=columns.columns)
    # for the functions that print or draw it
    matrix.attrs["coefficient"] = "p of tau-b" if pvalues else coefficient
    matrix.attrs["other"] = other is not None
    return matrix


def is_symmetric(matrix: pd.DataFrame) -> bool:
    """Tell whether a matrix of rank correlations is symmetric: tau-b within one table."""
    values = matrix.to_numpy(dtype=np.float64)
    if matrix.attrs.get("other") or matrix.attrs.get("coefficient") == "tau-ap":
        return False
    if len(values) < 2 or list(matrix.index) != list(matrix.columns):
        return False
    diagonal = np.diag(values)
    known = (
        "coefficient" in matrix.attrs or (np.isnan(diagonal) | (np.abs(diagonal - 1) < 1e-9)).all()
    )
    return bool(known and np.allclose(values, values.T, rtol=0, atol=1e-9, equal_nan=True))


def tau_ap(truth: ArrayLike, judged: ArrayLike) -> float:
    r"""Return the AP rank correlation, which emphasises the top of a ranking.

    .. math:: \tau_{AP} = \frac{2}{N - 1} \sum_{i=2}^{N} \frac{C(i)}{i - 1} - 1

    where C(i) counts the systems above rank i of the judged ranking that are
    above the system at rank i in the true ranking too: Yilmaz, Aslam and
    Robertson, SIGIR 2008. It is not symmetric. Systems with equal values have
    no definite order; the result is the mean over all their possible orders.

    Parameters
    ----------
    truth, judged
        The systems' values under the measure taken as truth and under the
        judged one, shape ``(N,)``, N of 2 or more; higher is better.

    Raises
    ------
    ValueError
        If the two have different lengths, fewer than two values, or NaN.

    Examples
    --------
    The truth is A, B, C; the judged ranking swaps A and B, or B and C:

    >>> tau_ap([3, 2, 1], [2, 3, 1]), tau_ap([3, 2, 1], [3, 1, 2])
    (0.0, 0.5)
    """
    t, x = np.asarray(truth, dtype=np.float64), np.asarray(judged, dtype=np.float64)
    if t.ndim != 1 or t.shape != x.shape or len(t) < 2:
        raise ValueError(f"two lists of 2 or more values are needed, got {t.shape} and {x.shape}")
    if np.isnan(t).any() or np.isnan(x).any():
        raise ValueError("a value is NaN, which has no rank")
    # right[a, b]: the chance that a is above b in truth
    right = (t[:, None] > t) + 0.5 * (t[:, None] == t)
    total = 0.0
    for value in np.unique(x):
        tied = x == value
        above, size = int((x > value).sum()), int(tied.sum())
        # of the i - 1 systems above place i, those of higher value are certain; the others come
        # from the tie, where each of two systems is above the other in half of the orders
        certain = right[np.ix_(x > value, tied)].sum() / size
        for place in range(above + 1, above + size + 1):
            if place > 1:
                total += (certain + (place - 1 - above) / 2) / (place - 1)
    return float(2 / (len(t) - 1) * total - 1)


def discordant_pairs(
    means: Results, other: Results | None = None, *, against: str | None = None
) -> pd.DataFrame:
    """Return the pairs of systems that two measures put in opposite orders.

    Every measure is compared with every other, so the number of rows grows with
    the square of the number of measures, and of systems: 280 measures of 6
    systems may give some 80,000 rows.

    Parameters
    ----------
    means, other
        As for :func:`rank_correlation`. With ``other``, each measure is
        compared with itself there.
    against
        The one measure with which to compare the others.

    Returns
    -------
    pandas.DataFrame
        ``measure``, ``other_measure`` (``against``, if it is given),
        ``better``, ``worse``: under ``measure`` ``better`` has the higher mean,
        under ``other_measure`` ``worse`` has. A pair that is tied (to 12
        digits) is not discordant.

    Raises
    ------
    ValueError
        As :func:`rank_correlation`; also if ``against`` is not one of the
        measures, or is given with ``other``.

    Examples
    --------
    >>> means = pd.DataFrame({"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2]})
    >>> discordant_pairs(means)
      measure other_measure better worse
    0    CG@5         nCG@5      B     C
    """
    first = ranking(means)
    if other is not None:
        if against is not None:
            raise ValueError("other compares each measure with itself; leave against out")
        second = ranking(other)
        both = [name for name in first.columns if name in second.columns]
        if set(first.index) != set(second.index) or not both:
            raise ValueError("the two tables must have the same systems, and a measure in common")
        first, second = first[both], second.loc[first.index, both]
        one = two = np.arange(len(both))
    else:
        second, count = first, len(first.columns)
        if against is None:
            one, two = np.triu_indices(count, 1)
        else:
            texts = [str(name) for name in first.columns]
            if str(against) not in texts:
                raise ValueError(f"against={against!r} is not one of the measures: {texts}")
            at = texts.index(str(against))
            one = np.delete(np.arange(count), at)
            two = np.full(count - 1, at)
    x, y = np.triu_indices(len(first), 1)
    order, other_order = (
        np.sign(table.to_numpy()[x] - table.to_numpy()[y]).T for table in (first, second)
    )
    compared, pair = np.nonzero(order[one] * other_order[two] < 0)
    ahead = order[one[compared], pair] > 0
    names = first.index.to_numpy()
    columns = {
        "measure": first.columns.to_numpy()[one[compared]],
        "other_measure": second.columns.to_numpy()[two[compared]],
        "better": names[np.where(ahead, x[pair], y[pair])],
        "worse": names[np.where(ahead, y[pair], x[pair])],
    }
    return pd.DataFrame(columns)


def has_topics(results: Any) -> bool:
    """Tell results by topic from means."""
    is_frame = isinstance(results, pd.DataFrame)
    return is_path(results) or (is_frame and not {"qid", "measure"}.isdisjoint(results))


def ranking(means: Results) -> pd.DataFrame:
    """Return the means alone, by name, from means or results by topic; see :func:`equate`.

    Raises
    ------
    TypeError, ValueError
        If they do not rank systems: see :func:`rank_correlation`.
    """
    if has_topics(means):
        by_measure = {measure: matrix.mean() for measure, matrix in matrices(means, topics=1)}
        means = pd.DataFrame(by_measure).rename_axis("name").reset_index()
    require_columns(means, ["name"], "means", "; pt.Experiment returns such a table")
    frame: Any = means
    kept = [c for c in frame if c not in ("name", "mrt") and not _BESIDE.search(str(c))]
    require_columns(frame, kept, "means")  # each once
    table = frame.set_index("name")[kept]
    if not table.index.is_unique:
        raise ValueError(f"a system appears twice: {table.index[table.index.duplicated()][0]!r}")
    if not kept or len(table) < 2:
        raise ValueError(f"{len(table)} systems and {len(kept)} measures are too few for a ranking")
    for name in kept:
        if not pd.api.types.is_numeric_dtype(table[name]):
            raise ValueError(f"means: the column {name!r} holds no numbers")
        if table[name].isna().any():
            raise ValueError(f"means: {name} is NaN for {table.index[table[name].isna()][0]!r}")
    # means that should be equal may differ in their last bits, which does not rank the systems
    ranked: pd.DataFrame = table.apply(equate).rename_axis(columns=None)
    return ranked
