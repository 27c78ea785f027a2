"""How far users must read to gain what the ideal gives earlier (TOIS 2002, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pt_cumgain.core import Floats
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.options import FINITE, checked
from pt_cumgain.papers._reading_curves import add_goal, check_curves, find_ranks, ideal_columns


@checked
def effort(
    curves: pd.DataFrame,
    ranks: Iterable[int] | int | None = None,
    *,
    compared_with: str | int | None = None,
    gain: Iterable[float] | float | None = None,
) -> pd.DataFrame:
    """Return how far users must read to gain what the ideal gives by rank k.

    The horizontal reading of the curves: "one has to retrieve 30 documents by
    the best run, and 90 by the worst run in order to gain the benefit that
    could theoretically be gained by retrieving only 10 documents" (TOIS 2002,
    section 3.4).

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`, of means or of topics.
    ranks
        The ranks k of the ideal; by default 5 and 10.
    compared_with
        Compare with this system instead of the ideal: its name, or its place
        in the curves, from 0.
    gain
        Instead of ranks, the gain to reach, or several: "the number of
        documents needed for a certain gain".

    Returns
    -------
    pandas.DataFrame
        ``name, measure, rank`` (k; with ``gain``, the rank at which the ideal
        reaches it, NaN if never), ``gain`` (the gain to reach), ``effort`` (the
        rank at which it is reached; NaN if never within the curves' depth),
        ``times`` (effort / k) and ``reached``, the same in words: ``"at rank
        30"`` or ``"never within rank 100"``; for curves of topics also ``qid``,
        and without ``compared_with`` also ``ideal_is`` if the curves have it.
        With ranks, curves are omitted if there is no ideal, or nothing to reach.

    Raises
    ------
    ValueError
        If a rank is not in the curves, no system has that name, or both ranks
        and gains are given.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import CG, gain_curves, pydocs
    >>> from pt_cumgain.papers import effort
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> curves = gain_curves(pydocs.runs(), topics, qrels, CG)
    >>> effort(curves, 10).round(2)
             name measure  rank   gain  effort  times                reached
    0        BM25      CG    10  24.64    36.0    3.6             at rank 36
    1         QLD      CG    10  24.64    37.0    3.7             at rank 37
    2         PL2      CG    10  24.64    38.0    3.8             at rank 38
    3         DPH      CG    10  24.64    38.0    3.8             at rank 38
    4  First word      CG    10  24.64     NaN    NaN  never within rank 100
    """
    curves, keys, depth = check_curves(curves)
    wanted = find_ranks(ranks, (5, 10), depth)
    gains = None if gain is None else [float(FINITE.check("gain", x)) for x in as_list(gain)]
    if gains is not None and ranks is not None:
        raise ValueError("the gain to reach is that of ranks, or given as gain; omit one of them")
    rows, named = [], ideal_columns(curves, compared_with)
    # the first rank that gains as much, without interpolation: users read whole documents
    for key, curve in add_goal(curves, keys, compared_with).groupby(keys, sort=False):
        goal, value = (curve[name].to_numpy(dtype=np.float64) for name in ("goal", "value"))
        pairs: list[tuple[float, float]] = [(k, goal[k - 1]) for k in wanted]
        if gains is not None:
            pairs = [(_reach(goal, x), x) for x in gains]
        elif np.isnan(goal).any() or not goal.any():
            continue  # a curve without an ideal, or with nothing to reach
        for k, x in pairs:
            at = _reach(value, x)
            words = f"never within rank {depth}" if np.isnan(at) else f"at rank {at:g}"
            times = at / k if k else np.nan
            rows.append((*key, k, x, at, times, words, *curve[named].iloc[0]))
    columns = [*keys, "rank", "gain", "effort", "times", "reached", *named]
    return pd.DataFrame(rows, columns=columns)


def _reach(value: Floats, gain: float) -> float:
    """Return the rank at which a curve reaches a gain, or NaN."""
    there = np.flatnonzero(value >= gain - 1e-12 * abs(gain))  # equal sums may differ slightly
    return float(there[0]) + 1 if len(there) else np.nan
