"""Tests of all systems together: Friedman's, and Conover's for the pairs after it.

scipy and scikit-posthocs compute the tests; this module prepares their input, the results of
``pt.Experiment(..., perquery=True)``, and arranges their output.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pt_cumgain.comparing._results import Results, TopicResults
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.core import Floats
from pt_cumgain.environment.extras import scikit_posthocs
from pt_cumgain.options import checked

#: Below this p a difference counts as significant.
LIMIT = 0.05


@checked
def friedman(results: Results) -> pd.DataFrame:
    r"""Test for each measure whether any systems differ, by Friedman's test.

    Topics are blocks; systems are ranked within each, and ties share a mean
    rank. Values that are equal to 12 digits of the measure's largest value are
    ties. With k systems and n topics, Kendall's W = χ² / (n (k - 1)).
    Two systems, too few for Friedman's test, are compared by Wilcoxon's
    signed-rank test instead. ``pairwise(test="conover")`` tests the pairs.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.pairwise`.

    Returns
    -------
    pandas.DataFrame
        ``measure``; ``test`` (``"Friedman"`` or ``"Wilcoxon"``); ``systems``;
        ``topics``; ``statistic`` (chi-squared, or Wilcoxon's W), ``df``, ``p``;
        ``W`` (Kendall's). If all systems have the same values for every topic,
        nothing can be tested: ``statistic`` and ``p`` are NaN. Results of
        several collections have rows for each ``dataset`` and, called
        ``"mean"``, for the topics of all.

    Raises
    ------
    ValueError
        If a column is missing, a system has no value or two values for a topic,
        a value is NaN or infinite, or there are fewer than two systems or two
        topics.

    Notes
    -----
    Computed by scipy.stats.friedmanchisquare and scipy.stats.wilcoxon.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.comparing import friedman
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> friedman(results)[["statistic", "df", "p", "W"]].round(4)
       statistic  df       p       W
    0    23.6183   4  0.0001  0.1406
    """
    return TopicResults.read(results).label(_friedman)


def _friedman(results: TopicResults) -> pd.DataFrame:
    """Return Friedman's test over the topics of one dataset, or of all."""
    from scipy import stats

    rows = []
    for measure, matrix in results.matrices().items():
        topics, systems = matrix.shape
        values = matrix.to_numpy()
        test, df = ("Friedman", systems - 1) if systems > 2 else ("Wilcoxon", np.nan)
        statistic = p = w = np.nan
        differences = equate(values[:, :1] - values[:, 1:], np.abs(values).max())
        differ = differences.any()  # otherwise nothing can be tested
        if differ and systems == 2:
            statistic, p = stats.wilcoxon(differences[:, 0])
        elif differ:
            statistic, p = stats.friedmanchisquare(*equate(values).T)
            w = statistic / (topics * df)
        rows.append((measure, test, systems, topics, statistic, df, p, w))
    columns = ["measure", "test", "systems", "topics", "statistic", "df", "p", "W"]
    return pd.DataFrame(rows, columns=columns)


def conover(values: Floats) -> Floats:
    """Return the uncorrected p-value of every pair of columns of values from :func:`equate`.

    If the systems have the same order for every topic, no variance is left: p is then 1 for systems
    of the same rank, and NaN for others.
    """
    from scipy.stats import rankdata

    ranks = rankdata(values, axis=1)
    if (ranks == ranks[:1]).all():
        return np.where(np.equal.outer(ranks[0], ranks[0]), 1.0, np.nan)
    p: Floats = scikit_posthocs().posthoc_conover_friedman(values).to_numpy(copy=True)
    return p


def correct(p: Floats, correction: str | None) -> Floats:
    """Return the p-values of a family of comparisons, corrected for their number.

    A p of NaN counts as a comparison and stays NaN.

    Raises
    ------
    ValueError
        If statsmodels' multipletests does not know the correction.
    """
    if correction is None:
        return p
    known = np.where(np.isnan(p), 1.0, p)
    if correction != "holm":
        from statsmodels.stats.multitest import multipletests

        try:
            corrected = multipletests(known, method=correction)[1]
        except ValueError:
            raise ValueError(
                f"correction={correction!r} is not a method of statsmodels' multipletests, such as "
                "'holm', 'bonferroni' or 'fdr_bh'; None is no correction"
            ) from None
    else:
        # the default: statsmodels takes a second to import and, collecting garbage, 0.1 s a call
        order = np.argsort(known, kind="stable")
        corrected = np.empty(len(p))
        rising = np.maximum.accumulate(known[order] * np.arange(len(p), 0, -1))
        corrected[order] = np.minimum(rising, 1.0)
    return np.where(np.isnan(p), np.nan, corrected)
