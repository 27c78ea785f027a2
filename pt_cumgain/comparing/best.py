"""The systems that may be the best."""

from __future__ import annotations

import pandas as pd

from pt_cumgain.comparing.pairs import pairwise
from pt_cumgain.comparing.results import Results, TopicResults, find_blocks, join_parts, mean_values
from pt_cumgain.options import CONFIDENCE_LEVEL, checked


@checked
def may_be_best(results: Results, *, confidence: float = CONFIDENCE_LEVEL) -> pd.DataFrame:
    r"""Return the mean of each system, and whether the system may be the best.

    A system may be the best unless another one is shown to be better, that is,
    unless the smallest one-sided p of paired t-tests against each of the other
    k - 1 systems is below :math:`\alpha / (k - 1)`, with :math:`\alpha` = 1 -
    ``confidence`` (for two systems, below :math:`\alpha / 2`, which is the
    two-sided test). As far as the assumptions of the t-test hold, the best
    system of the population of topics is excluded in at most :math:`\alpha` of
    experiments. If only one system may be the best, all others are excluded.

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
        variance to test with.

    Raises
    ------
    ValueError
        As :func:`pt_cumgain.pairwise`.

    Notes
    -----
    Hsu's multiple comparisons with the best (Annals of Statistics 9(5), 1981),
    with Bonferroni's bound instead of Dunnett's.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> results.loc[results["name"] == "C", "value"] += 3
    >>> may_be_best(results).round(2)
      measure name  mean  may_be_best
    0      CG    A  2.44        False
    1      CG    B  2.56        False
    2      CG    C  5.78         True
    """
    results = TopicResults.read(results)
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
    return frame.assign(may_be_best=smallest * max(others, 2) >= 1 - confidence)


def _list_means(results: TopicResults) -> pd.DataFrame:
    """Return the means of one dataset, or the macro means of several."""
    by_measure = {
        measure: mean_values(matrix).rename_axis("name").reset_index(name="mean")
        for measure, matrix in results.matrices().items()
    }
    return join_parts(by_measure, "measure")
