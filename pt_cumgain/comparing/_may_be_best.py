"""The systems that may be the best."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_cumgain.comparing._datasets import find_blocks, join_parts, mean_values
from pt_cumgain.comparing._pairwise import pairwise
from pt_cumgain.comparing._results import Results, TopicResults
from pt_cumgain.core import Floats
from pt_cumgain.options import CONFIDENCE_LEVEL, checked


@checked
def may_be_best(results: Results, *, confidence: float = CONFIDENCE_LEVEL) -> pd.DataFrame:
    """Return the mean of each system, and whether the system may be the best.

    A system may be the best unless another one is shown to be better. One-sided
    paired t-tests compare it with each of the other k - 1 systems; it is
    excluded if the smallest p is below α / (k - 1), with α = 1 - ``confidence``
    (for two systems, below α / 2, as in the two-sided test). As far as the
    assumptions of the t-test hold, the best system of the population of topics
    is excluded in at most α of experiments. If only one system may be the best,
    all others are excluded.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.pairwise`.
    confidence
        The confidence with which the best system is among those that may be.

    Returns
    -------
    pandas.DataFrame
        (``dataset``,) ``measure``, ``name``, ``mean``, ``may_be_best``, in the
        order of the systems in the results. A system whose values are those of
        another plus a constant is not excluded by that one: there is no
        variance to test with. If the results have ir-measures' ``Judged@k``,
        ``judged`` is the mean share of the first documents that is judged, down
        to the largest k that the measure reads. The test counts unjudged
        documents as not relevant; :func:`pt_cumgain.dominance` over the pool
        computes what they leave open.

    Raises
    ------
    ValueError
        As :func:`pt_cumgain.pairwise`.

    Notes
    -----
    Hsu's multiple comparisons with the best (Annals of Statistics 9(5), 1981),
    with Bonferroni's bound instead of Dunnett's.

    With few topics and skewed values, the t-test can exclude a best system more
    often than α.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import may_be_best, nDCG, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> may_be_best(results).round(3)
       measure        name   mean  may_be_best
    0  nDCG@10        BM25  0.603         True
    1  nDCG@10         DPH  0.576         True
    2  nDCG@10  First word  0.441        False
    3  nDCG@10         PL2  0.575         True
    4  nDCG@10         QLD  0.590         True
    """
    results = TopicResults.read(results).split_judged()
    pairs = pairwise(results, correction=None)
    frame = results.label(_list_means)
    blocks = find_blocks(frame)
    others = len(results.names) - 1
    beaten = pairs["name"].where(pairs["difference"] < 0, pairs["other"])
    one_sided = (pairs["p"] / 2).where(pairs["difference"] != 0).fillna(1.0)
    least = one_sided.groupby([*(pairs[block] for block in blocks), beaten.rename("name")]).min()
    index = pd.MultiIndex.from_frame(frame[[*blocks, "name"]])
    # of two equal systems, either may be ahead
    smallest = least.reindex(index, fill_value=1.0).to_numpy()
    return results.add_judged(frame.assign(may_be_best=is_open(smallest, others, confidence)))


def is_open(smallest: Floats, others: int, confidence: float) -> NDArray[np.bool_]:
    """Return whether systems may be the best, given their smallest one-sided p against others."""
    return np.asarray(smallest * max(others, 2) >= 1 - confidence)


def _list_means(results: TopicResults) -> pd.DataFrame:
    """Return the means of one dataset, or the macro means of several."""
    means = {}
    for measure, matrix in results.matrices().items():
        means[measure] = mean_values(matrix).rename_axis("name").reset_index(name="mean")
    return join_parts(means, "measure")
