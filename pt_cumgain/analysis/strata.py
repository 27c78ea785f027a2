"""Datasets and clusters of topics in means and standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pt_cumgain.analysis.rounding import ROUNDING, equate
from pt_cumgain.core import Floats
from pt_cumgain.engine.rows import Ints


class Stratum(NamedTuple):
    """The values of one dataset's topics, summed within each group of topics.

    Attributes
    ----------
    sums
        A row for each group, a column for each mean.
    counts
        The number of topics in each group; 1 for topics that stand alone.
    """

    sums: Floats
    counts: Floats

    @property
    def mean(self) -> Floats:
        """The means over the topics."""
        return np.asarray(self.sums.sum(axis=0) / self.counts.sum())

    def centre(self) -> Stratum:
        """Return each group's sum minus what the sum would be if every topic had the mean value.

        Values that may be due to rounding alone become 0.
        """
        left = self.sums - np.multiply.outer(self.counts, self.mean)
        rounding = ROUNDING * np.abs(self.sums).max(axis=0)
        return Stratum(np.where(np.abs(left) <= rounding, 0.0, left), self.counts)


@dataclass(frozen=True)
class Layout:
    """The dataset of each topic, and the group in which it is drawn, as numbers."""

    dataset: Ints
    group: Ints

    @property
    def datasets(self) -> int:
        """The number of datasets."""
        return int(self.dataset.max()) + 1

    def rows(self) -> list[Ints]:
        """Return the places of each dataset's topics."""
        return [np.flatnonzero(self.dataset == dataset) for dataset in range(self.datasets)]

    def split(self, values: Floats) -> list[Stratum]:
        """Return the strata of values by topic, those that are NaN left out.

        Raises
        ------
        ValueError
            If a dataset has fewer than two groups.
        """
        has = np.asarray(~np.isnan(values.reshape(len(values), -1)).any(axis=1))
        strata = []
        for dataset in self.rows():
            rows = dataset[has[dataset]]
            _, group = np.unique(self.group[rows], return_inverse=True)
            counts = np.bincount(group)
            if len(counts) < 2:
                raise ValueError(
                    "cluster: each system needs at least two groups of topics in each dataset"
                )
            sums = np.zeros((len(counts), *values.shape[1:]))
            np.add.at(sums, group, values[rows])
            if len(counts) < len(rows):  # sums that should be equal, or 0, may differ by rounding
                sums = equate(sums, float(counts.max() * np.abs(values[rows]).max()))
            strata.append(Stratum(sums, counts.astype(np.float64)))
        return strata


def standard_error(centred: Sequence[Stratum]) -> tuple[Floats, Floats]:
    r"""Return the standard errors of sums of means, and their degrees of freedom.

    Parameters
    ----------
    centred
        :meth:`Stratum.centre` of the samples whose means are added.

    Notes
    -----
    With G groups of N topics in all, and c the centred sums, a mean has the squared error :math:`G
    / (G - 1) \sum c^2 / N^2`; with groups of one topic that is :math:`s^2 / N`. The degrees of
    freedom of a sum are Welch's and Satterthwaite's; of a single mean they are G - 1.
    """
    rows = np.array([len(counts) for _, counts in centred])
    squares = np.array(
        [
            (left**2).sum(axis=0) / (len(left) - 1) / len(left) * (len(left) / counts.sum()) ** 2
            for left, counts in centred
        ]
    )
    error = squares.sum(axis=0)
    # divided by the degrees of freedom of the first sample: of one sample, exactly 1
    with np.errstate(invalid="ignore"):
        shares = ((squares / error) ** 2).T * ((rows[0] - 1) / (rows - 1))
    return np.sqrt(error), np.asarray((rows[0] - 1) / shares.sum(axis=-1))


def t_statistics(strata: list[Stratum], shift: float = 0.0) -> tuple[Floats, Floats]:
    """Return the t statistic of sums of means, less ``shift``, and its degrees of freedom.

    Without variance the first is infinite or NaN, and the second NaN.
    """
    error, free = standard_error([part.centre() for part in strata])
    mean = np.sum([part.mean for part in strata], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((mean - shift) / error), free


def p_of_signs(means: Floats, shares: ArrayLike) -> Floats:
    """Return the two-sided p of a permutation test where nothing varies within a dataset.

    Where the datasets differ in sign, p is taken as 1, which errs on the safe side.

    Parameters
    ----------
    means
        The differences, a row for each dataset, of values of about 1; rounding errors are 0.
    shares
        The share of a dataset's permutations that a single one is.
    """
    sign = np.sign(np.where(np.abs(means) <= ROUNDING, 0.0, means))
    p = np.minimum(2 * np.where(sign == 0, 1.0, shares).prod(axis=0), 1.0)
    return np.where(np.ptp(sign, axis=0) > 1, 1.0, p)


def p_above(t: Floats, free: Floats) -> Floats:
    """Return the probability that Student's t is larger."""
    from scipy.special import stdtr

    return np.asarray(stdtr(free, -t))
