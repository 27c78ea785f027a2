"""Leaderboards: the ranks that systems may have, and the systems that may be the best."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.all_systems import LIMIT
from pt_cumgain.analysis.comparing.pairs import pairwise
from pt_cumgain.analysis.results import (
    Results,
    TopicResults,
    find_blocks,
    join_parts,
    mean_values,
)
from pt_cumgain.analysis.rounding import equate
from pt_cumgain.analysis.trust.intervals import Cluster
from pt_cumgain.options import checked


@checked
def rank_intervals(
    results: Results,
    *,
    cluster: Cluster = None,
    correction: str | None = "holm",
    alpha: float = LIMIT,
) -> pd.DataFrame:
    r"""Return the ranks that each system may have, and which systems may be best.

    The interval for a system's rank in the population of topics runs from 1
    plus the number of systems that are significantly better to the number of
    systems minus those that are significantly worse, by paired t-tests of all
    pairs, corrected for their number. With Holm's or Bonferroni's correction,
    all intervals of a measure contain their ranks simultaneously in at least
    :math:`1 - \alpha` of experiments.

    A system may be the best unless another one is shown to be better, that is,
    unless the smallest one-sided p of paired t-tests against each of the other
    k - 1 systems is below :math:`\alpha / (k - 1)` (for two systems, below
    :math:`\alpha / 2`, which is the two-sided test). The best system is
    excluded in at most :math:`\alpha` of experiments. The interval of a system
    that may be the best includes rank 1; other intervals may include it, too,
    because fewer comparisons are made here.

    Parameters
    ----------
    results, cluster, correction
        As for :func:`pt_cumgain.pairwise`.
    alpha
        The share of experiments in which the intervals, or the set of systems
        that may be the best, are allowed to be wrong.

    Returns
    -------
    pandas.DataFrame
        (``judge``, ``dataset``,) ``measure``, ``name``, ``mean``, ``rank`` (of
        the mean, 1 for the highest; equal means share the better rank),
        ``low``, ``high``, ``may_be_best``, in the order of the systems in the
        results.

    Raises
    ------
    ValueError, ImportError
        As :func:`pt_cumgain.pairwise`.

    Notes
    -----
    Ranks from pairwise tests: Mogstad, Romano, Shaikh & Wilhelm, Inference for
    ranks, Review of Economic Studies 91(1), 2024. Systems that may be the best:
    Hsu's multiple comparisons with the best (Annals of Statistics 9(5), 1981),
    with Bonferroni's bound instead of Dunnett's. Quantiles of ranks over
    resampled topics would be too narrow.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> results.loc[results["name"] == "C", "value"] += 3
    >>> rank_intervals(results).round(2)
      measure name  mean  rank  low  high  may_be_best
    0      CG    A  2.44     3    2     3        False
    1      CG    B  2.56     2    2     3        False
    2      CG    C  5.78     1    1     1         True
    """
    results = TopicResults.read(results, cluster)
    pairs = pairwise(results, cluster=cluster, correction=correction, alpha=alpha, interval=False)
    frame = results.label(_list_means)
    blocks = find_blocks(frame)
    place = [*blocks, "name"]
    others = len(results.names) - 1
    won = pairs[pairs["better"] != ""]
    lost = won["other"].where(won["better"] == won["name"], won["name"])
    wins = won.assign(name=won["better"]).value_counts(place)
    losses = won.assign(name=lost).value_counts(place)
    beaten = pairs["name"].where(pairs["difference"] < 0, pairs["other"])
    one_sided = (pairs["p"] / 2).where(pairs["difference"] != 0, 1.0)
    least = one_sided.groupby([*(pairs[block] for block in blocks), beaten.rename("name")]).min()
    index = pd.MultiIndex.from_frame(frame[place])
    # of two equal systems, either may be ahead
    may_be_best = least.reindex(index, fill_value=1.0).to_numpy() * max(others, 2) >= alpha
    frame = frame.assign(
        low=np.where(may_be_best, 1, 1 + losses.reindex(index, fill_value=0)),
        high=1 + others - wins.reindex(index, fill_value=0).to_numpy(),
        may_be_best=may_be_best,
    )
    frame.attrs = {"alpha": alpha, "correction": correction, "groups": cluster is not None}
    return frame


def _list_means(results: TopicResults) -> pd.DataFrame:
    """Return the means of one dataset, or the macro means of several, and their ranks."""
    by_measure = {}
    for measure, matrix in results.matrices().items():
        means = mean_values(matrix).rename_axis("name").reset_index(name="mean")
        ranks = pd.Series(equate(means["mean"])).rank(ascending=False, method="min")
        by_measure[measure] = means.assign(rank=ranks.astype(np.int64))
    return join_parts(by_measure, "measure")
