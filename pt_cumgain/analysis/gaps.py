"""Reading gain curves: the gap to the ideal, the effort, the rank where nothing is left to gain.

Each function takes a frame of means that :func:`pt_cumgain.gain_curves` returned and returns a
table.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

import numpy as np
import pandas as pd

from pt_cumgain.analysis.results import check_system
from pt_cumgain.core import Floats
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.measures import measure_called

_KEYS = ["name", "measure"]


def gap_to_ideal(curves: pd.DataFrame, ranks: Iterable[int] | int | None = None) -> pd.DataFrame:
    """Return how far below the ideal each curve lies at chosen ranks.

    The vertical reading of the curves, "the effort wasted on less-than-perfect
    documents" (TOIS 2002, section 2.2).

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`.
    ranks
        The ranks to read; by default 5, 10, 20, 50 and 100, as far as the
        curves reach.

    Returns
    -------
    pandas.DataFrame
        ``name, measure, rank, value, ideal, gap`` (ideal - value) and ``share``
        (value / ideal).

    Raises
    ------
    ValueError
        If a rank is not in the curves.

    Examples
    --------
    >>> columns = ["name", "measure", "rank", "value", "ideal"]
    >>> rows = [("X", "CG", 1, 1.0, 3.0), ("X", "CG", 2, 4.0, 5.0)]
    >>> gap_to_ideal(pd.DataFrame(rows, columns=columns), [2])
      name measure  rank  value  ideal  gap  share
    0    X      CG     2    4.0    5.0  1.0    0.8
    """
    curves = _checked(curves)
    wanted = _ranks(ranks, (5, 10, 20, 50, 100), _depth(curves))
    table = curves[curves["rank"].isin(wanted)]
    table = table[[*_KEYS, "rank", "value", "ideal"]].reset_index(drop=True)
    share = (table["value"] / table["ideal"]).where(table["ideal"] > 0)
    return table.assign(gap=table["ideal"] - table["value"], share=share)


def effort(
    curves: pd.DataFrame,
    ranks: Iterable[int] | int | None = None,
    *,
    than: str | int | None = None,
    interpolate: bool = False,
) -> pd.DataFrame:
    """Return how far a user must read to gain what the ideal does by rank k.

    The horizontal reading of the curves: "one has to retrieve 30 documents by
    the best run, and 90 by the worst run in order to gain the benefit that
    could theoretically be gained by retrieving only 10 documents" (TOIS 2002,
    section 3.4).

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`.
    ranks
        The ranks k of the ideal; by default 5 and 10.
    than
        Compare with this system instead of the ideal: its name, or its place
        in the curves, from 0.
    interpolate
        Interpolate the curve linearly between ranks (0 at rank 0), so that the
        effort need not be a whole number, instead of taking the first rank at
        which the gain is reached.

    Returns
    -------
    pandas.DataFrame
        ``name, measure, rank`` (k), ``gain`` (the gain to reach), ``effort``
        (the rank at which it is reached; NaN if never within the curves'
        depth), ``times`` (effort / k) and ``reached``, the same in words: ``"at
        rank 30"`` or ``"never within rank 100"``.

    Raises
    ------
    ValueError
        If a rank is not in the curves, or no system has that name.

    Examples
    --------
    >>> columns = ["name", "measure", "rank", "value", "ideal"]
    >>> rows = [("X", "CG", 1, 1.0, 3.0), ("X", "CG", 2, 2.0, 5.0), ("X", "CG", 3, 4.0, 6.0)]
    >>> curves = pd.DataFrame(rows, columns=columns)
    >>> effort(curves, [1, 2])
      name measure  rank  gain  effort  times              reached
    0    X      CG     1   3.0     3.0    3.0            at rank 3
    1    X      CG     2   5.0     NaN    NaN  never within rank 3
    >>> effort(curves, [1], interpolate=True)["reached"][0]
    'at rank 2.5'
    """
    curves = _checked(curves)
    depth = _depth(curves)
    if than is not None:
        than = check_system(than, list(curves["name"].unique()), "than", in_order=True)
    rows = []
    wanted = _ranks(ranks, (5, 10), depth)
    for (name, measure), curve in curves.groupby(_KEYS, sort=False):
        other = curve["ideal"]
        if than is not None:
            other = curves[(curves["name"] == than) & (curves["measure"] == measure)]["value"]
            if not len(other):
                raise ValueError(f"{than!r} has no curve of {measure}")
        goal = other.to_numpy(dtype=np.float64)
        if np.isnan(goal).any():
            continue  # a curve without an ideal
        value = curve["value"].to_numpy(dtype=np.float64)
        for k in wanted:
            reached = _reached(value, goal[k - 1], interpolate)
            words = f"at rank {reached:g}" if reached is not None else f"never within rank {depth}"
            at = np.nan if reached is None else float(reached)
            rows.append((name, measure, k, goal[k - 1], at, at / k, words))
    columns = [*_KEYS, "rank", "gain", "effort", "times", "reached"]
    return pd.DataFrame(rows, columns=columns)


def _reached(value: Floats, gain: float, interpolate: bool) -> float | None:
    """Return the rank at which a curve reaches a gain, or None."""
    there = np.flatnonzero(value >= gain - 1e-12 * abs(gain))  # equal sums may differ slightly
    if not len(there):
        return None
    at = int(there[0])
    if not interpolate:
        return at + 1
    before = value[at - 1] if at else 0.0
    rise = value[at] - before
    return at + (min(max((gain - before) / rise, 0.0), 1.0) if rise > 0 else 1.0)


def levels_off(curves: pd.DataFrame, share: float = 1.0) -> pd.DataFrame:
    """Return the rank at which each ideal curve has levelled off.

    "When the best possible curve turns horizontal, there is nothing to be
    gained" by reading on (TOIS 2002, section 4). Normalised measures, whose
    ideal is level everywhere, have no row.

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`.
    share
        The share of the ideal's last value that counts as level; 1: all of it.
        The mean over many topics is horizontal only where the topic with the
        largest recall base is: 0.95 shows where practically everything has been
        found.

    Returns
    -------
    pandas.DataFrame
        ``measure, rank`` (the first at which the ideal has this share of its
        last value), ``ideal`` (its value there), ``still_grows`` (whether it
        still grows at the last rank of the curves, or there is only one rank:
        then the curves are too short to tell).

    Raises
    ------
    ValueError
        If the share is not in (0, 1].

    Examples
    --------
    >>> columns = ["name", "measure", "rank", "value", "ideal"]
    >>> rows = [("X", "CG", 1, 1.0, 3.0), ("X", "CG", 2, 2.0, 5.0), ("X", "CG", 3, 4.0, 5.0)]
    >>> levels_off(pd.DataFrame(rows, columns=columns))
      measure  rank  ideal  still_grows
    0      CG     2    5.0        False
    """
    if not isinstance(share, Real) or not 0 < share <= 1:
        raise ValueError(f"share={share!r} must be greater than 0 and at most 1")
    rows = []
    for measure, of_measure in _checked(curves).groupby("measure", sort=False):
        first = of_measure[of_measure["name"] == of_measure["name"].iloc[0]]
        ideal = first["ideal"].to_numpy(dtype=np.float64)
        for name, other in of_measure.groupby("name", sort=False)["ideal"]:
            if not np.allclose(other.to_numpy(dtype=np.float64), ideal, rtol=1e-9, equal_nan=True):
                raise ValueError(
                    f"{measure}: the ideal of {name!r} differs from that of the others; give the "
                    "curves of one system"
                )
        known = measure_called(str(measure))
        if np.isnan(ideal).any() or (known is not None and known.NORMALISED):
            continue
        at = int(np.flatnonzero(ideal >= share * ideal[-1] * (1 - 1e-12))[0])
        grows = len(ideal) < 2 or bool(ideal[-1] > ideal[-2] * (1 + 1e-12))
        rows.append((measure, at + 1, ideal[at], grows))
    return pd.DataFrame(rows, columns=["measure", "rank", "ideal", "still_grows"])


def _checked(curves: pd.DataFrame) -> pd.DataFrame:
    """Return curves in the order of their ranks; each must have every rank from 1 on."""
    hint = "; gain_curves returns such curves"
    require_columns(curves, [*_KEYS, "rank", "value", "ideal"], "curves", hint)
    if not len(curves):
        raise ValueError("there is no curve to read")
    if curves.duplicated([*_KEYS, "rank"]).any():
        raise ValueError("a curve has a rank twice; give curves of means, not of topics")
    depth = _depth(curves)
    sizes = curves.groupby(_KEYS, sort=False)["rank"].agg(["min", "max", "size"])
    if (sizes != [1, depth, depth]).any(axis=None):
        name, measure = sizes.index[(sizes != [1, depth, depth]).any(axis=1)][0]
        raise ValueError(
            f"the curve of {name!r} and {measure} does not have all the ranks 1 to {depth}"
        )
    order = curves.groupby(_KEYS, sort=False).ngroup().to_numpy()
    return curves.iloc[np.lexsort((curves["rank"], order))]


def _depth(curves: pd.DataFrame) -> int:
    return int(curves["rank"].max())


def _ranks(ranks: Iterable[int] | int | None, default: Iterable[int], depth: int) -> list[int]:
    """Return the ranks to read; refuse those that are not in the curves."""
    if ranks is None:
        return [rank for rank in default if rank <= depth]
    wanted = list(ranks) if isinstance(ranks, Iterable) else [ranks]
    for rank in wanted:
        if rank not in range(1, depth + 1):
            raise ValueError(f"rank {rank} is not in the curves, which have the ranks 1 to {depth}")
    return [int(rank) for rank in wanted]
