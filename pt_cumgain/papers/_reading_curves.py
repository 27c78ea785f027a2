"""Reading gain curves: the gap to the ideal, and the rank where the ideal levels off.

Each function takes a frame that :func:`pt_cumgain.gain_curves` returned, of means or of topics, and
returns a table, for topics with a column ``qid``.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

import numpy as np
import pandas as pd

from pt_cumgain.comparing._systems import check_system
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.measures import Normalised, measure_called
from pt_cumgain.options import checked


def gap_to_ideal(
    curves: pd.DataFrame,
    ranks: Iterable[int] | int | None = None,
    *,
    compared_with: str | int | None = None,
) -> pd.DataFrame:
    """Return how far below the ideal each curve lies at chosen ranks.

    The vertical reading of the curves, "the effort wasted on less-than-perfect
    documents" (TOIS 2002, section 2.2).

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`, of means or of topics.
    ranks
        The ranks to read; by default 5, 10, 20, 50 and 100, as far as the
        curves reach.
    compared_with
        Compare with this system instead of the ideal ("hang below by 5 to 9
        points", SIGIR 2000, section 3.4): its name, or its place in the curves,
        from 0.

    Returns
    -------
    pandas.DataFrame
        ``name, measure, rank, value, ideal, gap`` (ideal - value) and ``share``
        (value / ideal); for curves of topics also ``qid``. With ``compared_with`` the
        column ``ideal`` is called ``other``, the value of that system. If the
        curves have ``ideal_is``, so has the table.

    Raises
    ------
    ValueError
        If a rank is not in the curves, or no system has that name.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import CG, gain_curves, pydocs
    >>> from pt_cumgain.papers import gap_to_ideal
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> curves = gain_curves(pydocs.runs(), topics, qrels, CG)
    >>> gap_to_ideal(curves, 10).round(2)
             name measure  rank  value  ideal    gap  share
    0        BM25      CG    10  13.76  24.64  10.88   0.56
    1         QLD      CG    10  13.43  24.64  11.21   0.54
    2         PL2      CG    10  13.00  24.64  11.64   0.53
    3         DPH      CG    10  13.21  24.64  11.43   0.54
    4  First word      CG    10  10.43  24.64  14.21   0.42
    """
    curves, keys, depth = check_curves(curves)
    wanted = find_ranks(ranks, (5, 10, 20, 50, 100), depth)
    above = "ideal" if compared_with is None else "other"
    table = add_goal(curves[curves["rank"].isin(wanted)], keys, compared_with)
    table = table.assign(**{above: table["goal"]})
    table = table[[*keys, "rank", "value", above, *ideal_columns(curves, compared_with)]]
    share = (table["value"] / table[above]).where(table[above] > 0)
    return table.assign(gap=table[above] - table["value"], share=share)


def ideal_columns(curves: pd.DataFrame, compared_with: str | int | None) -> list[str]:
    """Return the column that names the ideal, if there is one and the ideal is compared."""
    return ["ideal_is"] if compared_with is None and "ideal_is" in curves else []


def add_goal(
    curves: pd.DataFrame, keys: list[str], compared_with: str | int | None
) -> pd.DataFrame:
    """Return curves with a column ``goal``: the ideal, or the value of another system."""
    if compared_with is None:
        return curves.assign(goal=curves["ideal"]).reset_index(drop=True)
    systems = list(curves["name"].unique())
    name = check_system(compared_with, systems, "compared_with", in_order=True)
    on = [*keys[1:], "rank"]
    other = curves.loc[curves["name"] == name, [*on, "value"]].rename(columns={"value": "goal"})
    merged = curves.merge(other, on=on, how="left", sort=False)
    absent = merged["goal"].isna() & merged["value"].notna()
    if absent.any():
        first = merged[absent].iloc[0]
        topic = f" for the topic {first['qid']!r}" if "qid" in keys else ""
        raise ValueError(f"{name!r} has no curve of {first['measure']}{topic}")
    return merged


@checked
def plateau_ranks(curves: pd.DataFrame, share: float = 1.0) -> pd.DataFrame:
    """Return the rank at which each ideal curve has levelled off.

    "When the best possible curve turns horizontal, there is nothing to be
    gained" by reading on (TOIS 2002, section 4). Normalised measures, whose
    ideal is level everywhere, have no row.

    Parameters
    ----------
    curves
        A frame of :func:`pt_cumgain.gain_curves`, of means or of topics.
    share
        The share of the ideal's last value at which the curve counts as level;
        1 means all of it. A mean over many topics becomes horizontal only when
        the topic with the largest recall base does, so 0.95 shows where
        practically everything has been found.

    Returns
    -------
    pandas.DataFrame
        ``measure, rank`` (the first at which the ideal has this share of its
        last value), ``ideal`` (its value there), ``still_grows`` (whether it
        still grows at the last rank of the curves, or there is only one rank:
        then the curves are too short to tell); for curves of topics also
        ``qid``.

    Raises
    ------
    ValueError
        If the share is not in (0, 1].

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import CG, DCG, gain_curves, pydocs
    >>> from pt_cumgain.papers import plateau_ranks
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> curves = gain_curves(pydocs.runs(), topics, qrels, [CG, DCG])
    >>> plateau_ranks(curves).round(2)
      measure  rank  ideal  still_grows
    0      CG    97  50.93        False
    1     DCG    97  17.81        False
    >>> plateau_ranks(curves, 0.95).round(2)
      measure  rank  ideal  still_grows
    0      CG    47  48.45        False
    1     DCG    34  16.94        False
    """
    curves, (_, *keys), depth = check_curves(curves)
    rows = []
    for key, group in curves.groupby(keys, sort=False):
        measure = key[-1]
        ideal = group["ideal"].to_numpy(dtype=np.float64)[:depth]  # of the first system
        for name, other in group.groupby("name", sort=False)["ideal"]:
            if not np.allclose(other.to_numpy(dtype=np.float64), ideal, rtol=1e-9, equal_nan=True):
                raise ValueError(
                    f"{measure}: the ideal of {name!r} differs from that of the first system; give "
                    "the curves of one system"
                )
        known = measure_called(str(measure))
        if not (ideal >= 0).all() or isinstance(known, Normalised):
            continue
        at = int(np.flatnonzero(ideal >= share * ideal[-1] * (1 - 1e-12))[0])
        grows = len(ideal) < 2 or bool(ideal[-1] > ideal[-2] * (1 + 1e-12))
        rows.append((*key, at + 1, ideal[at], grows))
    return pd.DataFrame(rows, columns=[*keys, "rank", "ideal", "still_grows"])


def check_curves(curves: pd.DataFrame) -> tuple[pd.DataFrame, list[str], int]:
    """Return curves in the order of their ranks, the columns that name a curve, and the last rank.

    Each curve must have every rank from 1 on.
    """
    hint = "; gain_curves returns such curves"
    require_columns(curves, ["name", "measure", "rank", "value", "ideal"], "curves", hint)
    keys = ["name", *(["qid"] if "qid" in curves else []), "measure"]
    if not len(curves):
        raise ValueError("there is no curve to read")
    columns = {name: numbers(curves[name], f"curves {name}") for name in ("rank", "value", "ideal")}
    if curves[keys].isna().any(axis=None) or not np.isfinite(columns["rank"]).all():
        raise ValueError(f"curves: a row has no {' or no '.join(keys)}, or no finite rank")
    curves = curves.reset_index(drop=True).assign(**columns)
    depth = int(columns["rank"].max())
    sizes = curves.groupby(keys, sort=False)["rank"].agg(["min", "max", "nunique", "size"])
    wrong = (sizes != [1, depth, depth, depth]).any(axis=1)
    if wrong.any():
        name, *_, measure = sizes.index[wrong][0]
        needed = f"all the ranks 1 to {depth}, each once"
        raise ValueError(f"the curve of {name!r} and {measure} does not have {needed}")
    curves = curves.astype({"rank": np.int64})
    order = curves.groupby(keys, sort=False).ngroup().to_numpy()
    return curves.iloc[np.lexsort((curves["rank"], order))], keys, depth


def find_ranks(ranks: Iterable[int] | int | None, default: Iterable[int], depth: int) -> list[int]:
    """Return the ranks to read; refuse those that are not in the curves."""
    if ranks is None:
        return [rank for rank in default if rank <= depth]
    wanted = as_list(ranks)
    for rank in wanted:
        if not isinstance(rank, Real) or rank not in range(1, depth + 1):
            raise ValueError(f"rank {rank} is not in the curves, which have the ranks 1 to {depth}")
    return [int(rank) for rank in wanted]
