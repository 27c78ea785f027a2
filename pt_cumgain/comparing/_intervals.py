"""Student's t intervals, over topics, of means and of means of several datasets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pt_cumgain.comparing._results import Results, TopicResults, split_datasets
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.core import Floats
from pt_cumgain.options import CONFIDENCE_LEVEL, checked


@checked
def intervals(results: Results, *, confidence: float = CONFIDENCE_LEVEL) -> pd.DataFrame:
    """Return Student's t intervals, over topics, of the systems' means.

    The topics are treated as a sample from a larger population: mean ± t s / √n
    for n topics, with n - 1 degrees of freedom. The overall mean of D datasets is
    the mean of their means; its interval has the variance Σ (s² / n) / D², over
    the datasets, and Satterthwaite's degrees of freedom. For intervals of differences,
    use :func:`pt_cumgain.pairwise`; for the range that missing judgments leave open,
    :func:`pt_cumgain.bounds`.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: the values of the systems by topic, as
        ``pt.Experiment(..., perquery=True)`` returns them, and ``dataset`` for
        several collections; or the path of the ``perquery.csv`` that
        ``pt.Experiment(..., save_dir=...)`` writes. Topics without judgments,
        which are NaN for every system, are left out, with a warning.
    confidence
        The confidence level: the share of such intervals that contain the mean
        of the population, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``measure``, ``mean``, ``low``, ``high``. A value that is the
        same for all topics has an interval of width 0. If systems have
        different topics (``missing="skip"``), there is also ``topics``, the
        number of topics of each mean. Several datasets have rows for each
        ``dataset`` and, called ``"mean"``, for the mean of their means.

    Raises
    ------
    ValueError
        If the results or the confidence cannot be used, or a system has only
        one topic (in a dataset).

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import intervals, nDCG, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> intervals(results).round(3)
             name  measure   mean    low   high
    0        BM25  nDCG@10  0.603  0.528  0.677
    1         DPH  nDCG@10  0.576  0.504  0.648
    2  First word  nDCG@10  0.441  0.350  0.532
    3         PL2  nDCG@10  0.575  0.501  0.649
    4         QLD  nDCG@10  0.590  0.515  0.665
    """
    return TopicResults.read(results).label(partial(_intervals, confidence=confidence))


# t and not a bootstrap, as is usual in the field: in samples of 10, 25 and 50 topics of pydocs, 95%
# intervals of differences held the true one in 95, 94 and 95% of cases; of BCa, in 87, 91 and 93%
def _intervals(results: TopicResults, confidence: float) -> pd.DataFrame:
    """Return the intervals of one dataset, or of the macro means of several."""
    rows = []
    for measure, matrix in results.matrices(systems=1, paired=False).items():
        scale = np.nanmax(np.abs(matrix.to_numpy()))
        for name in matrix:
            values = matrix[[name]].dropna()
            estimate = estimate_means(split_datasets(values), scale)
            ends = estimate.mean, *estimate.ends(confidence)
            rows.append((name, measure, len(values), *(float(end[0]) for end in ends)))
    columns = ["name", "measure", "topics", "mean", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns)
    if (frame.groupby("measure")["topics"].nunique() == 1).all():
        frame = frame.drop(columns="topics")
    place = frame["name"].map(results.names.index)
    return frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


@dataclass(frozen=True)
class Estimate:
    """Means over topics, or means of datasets' means: a value for each column.

    Attributes
    ----------
    mean
        The means.
    error
        Their standard errors; 0 if the values do not vary.
    free
        Their degrees of freedom.
    """

    mean: Floats
    error: Floats
    free: Floats

    def ends(self, confidence: float = CONFIDENCE_LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the means' intervals."""
        from scipy.special import stdtrit

        half = stdtrit(self.free, (1 + confidence) / 2) * self.error
        half = np.where(self.error == 0, 0.0, half)
        return self.mean - half, self.mean + half

    @property
    def p(self) -> Floats:
        """The two-sided p of the t-test; 1 for a mean of 0, NaN for another without variance."""
        from scipy.special import stdtr

        t = self.mean / np.where(self.error > 0, self.error, np.nan)
        p = 2 * stdtr(self.free, -np.abs(t))
        return np.where(self.mean == 0, 1.0, p)


def estimate_means(parts: Sequence[Floats], scale: ArrayLike | None = None) -> Estimate:
    """Return the means of columns, and what their intervals and t-tests need.

    Parameters
    ----------
    parts
        The values of each dataset, a row for each topic.
    scale
        The largest absolute value of the measure, which tells rounding from variation; by default,
        that of each column.

    Notes
    -----
    The squared error of the mean of D means is Σ (s² / n) / D², over the datasets; the
    degrees of freedom are Satterthwaite's, of one dataset n - 1.
    """
    own = np.max([np.abs(part).max(axis=0) for part in parts], axis=0)
    size = np.asarray(own if scale is None else scale)
    unit = np.where(own > 0, own, 1.0)  # squares of huge and tiny values stay finite
    means, squares = [], []
    with np.errstate(divide="ignore", invalid="ignore"):  # of a single topic
        for part in parts:
            mean = part.mean(axis=0)
            varies = np.ptp(equate(part, size), axis=0) > 0
            left = np.where(varies, (part - mean) / unit, 0.0)
            means.append(mean)
            squares.append((left**2).sum(axis=0) / (len(part) - 1) / len(part))
        error = np.sum(squares, axis=0)
        degrees = [square**2 / (len(part) - 1) for square, part in zip(squares, parts)]
        free = error**2 / np.sum(degrees, axis=0)
    return Estimate(np.mean(means, axis=0), np.sqrt(error) / len(parts) * unit, np.asarray(free))
