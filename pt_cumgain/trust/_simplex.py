"""The exact range of a sum of ratios of linear functions over a simplex.

The mean over topics of nDCG, as a function of the weighting of the relevance levels or of the
discount, is such a sum, and so is the difference of two systems' means. Linear functions, such as
the mean DCG, are sums of ratios whose divisors are constant.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.core import Floats, divide_or_zero
from pt_cumgain.engine.rows import Ints

#: How many numbers of a batch of cells are held at a time; a cell is a batch, or several.
BATCH = 1 << 20
#: How far the end of a range may be from a value that is reached.
TOLERANCE = 1e-4
#: How many pairs of points the search for an end examines: a triangle has 9, of k ranks k squared.
LIMIT = 100_000
#: How far a point is from a side on which a divisor is 0, where a sum may jump.
NEAR = 1e-9
#: Above 0, to divide by.
TINY = 1e-300


class Range(NamedTuple):
    """The range of a sum over a simplex, or of several sums.

    Attributes
    ----------
    low, high
        The range contains all values.
    lowest, highest
        Values that are reached.
    low_at, high_at
        Where they are reached: coordinates that are not negative and have the sum 1.
    """

    low: Floats
    high: Floats
    lowest: Floats
    highest: Floats
    low_at: Floats
    high_at: Floats

    def exact(self, tolerance: float) -> NDArray[np.bool_]:
        """Return which ranges have ends that are this close to values that are reached."""
        rest = np.maximum(self.lowest - self.low, self.high - self.highest)
        return np.asarray(rest <= tolerance)


class Search(NamedTuple):
    """How far to search.

    Attributes
    ----------
    tolerance
        The difference between an end and a value that may remain.
    limit
        How many pairs of cell points to examine before giving up the search for an end.
    admit
        Replaces points by others, if only some points of the simplex may be chosen.
    rounding
        Values this close to 0 are 0.
    """

    tolerance: float = TOLERANCE
    limit: int = LIMIT
    admit: Callable[[Floats], Floats] | None = None
    rounding: float = 0.0


def add_ratios(numerators: Floats, divisors: Floats) -> Floats:
    """Return the sums of ratios along the last axis but one; ratios without divisor are 0."""
    return np.asarray(divide_or_zero(numerators, divisors).sum(axis=-2))


def find_range(numerators: Floats, divisors: Floats, search: Search) -> Range:
    r"""Return the range of a sum of ratios, ``sum over r of (a_r . t) / (b_r . t)``.

    t runs over all coordinates that are not negative and not all 0. A ratio is 0 where its divisor
    is, which is so on a side of the simplex or nowhere; of two such sides, one contains the other.

    Parameters
    ----------
    numerators
        The values a at the corners, shape ``(ratios, corners)``; 0 where b is.
    divisors
        The values b at the corners, 0 or positive, of the same shape.
    search
        How far to search.

    Notes
    -----
    Branch and bound. A *cell* is the part of the simplex that some points v_1, v_2, ... span. In
    ``t = sum of w_l v_l``, with weights w whose sum is 1, a ratio has at v_l the divisor b_l and
    the value q_l, and so at t the value

        sum of w_l b_l q_l / B  =  sum of w_l q_l + sum over l < m of w_l w_m (b_l - b_m)
        (q_l - q_m) / B,

    where B = sum of w_l b_l is between the smallest and the largest b_l. Replaced by one of these,
    according to the sign of the product, it leaves a lower bound that is quadratic in w. All ratios
    together have the bound ``sum over l, m of w_l w_m Q_lm``, where Q_ll is the value at v_l and

        Q_lm = sum over the ratios of (q_l + q_m + (b_l - b_m) (q_l - q_m) / B) / 2.

    No value in the cell is smaller than the smallest Q, because the ``w_l w_m`` have the sum 1; nor
    than the sum of the ratios' smallest q_l. The first bound is the better, the more equal the
    divisors are. As ratios do not change if t is multiplied by a number, each v_l is scaled such
    that the divisors there are 1 on average. Ratios that have one divisor are thus bounded by their
    values at the corners.

    The cell is divided in the middle of the two points with the smallest Q, until the bound is
    close enough to a value.

    A ratio whose divisor is 0 at some v_l does not depend on w_l, where it is not 0; it is at least
    the smallest q of the others. This is its part of each Q with such an l. On the side on which
    the divisor is 0, so is the ratio: the side is searched by itself, without it.
    """
    largest = divisors.max(axis=1, initial=0.0)
    kept = largest > 0
    scale = largest[kept][:, None]
    # ratios whose divisors are multiples of each other become one
    divisors, group = np.unique(divisors[kept] / scale, axis=0, return_inverse=True)
    merged = np.zeros_like(divisors)
    np.add.at(merged, group.ravel(), numerators[kept] / scale)
    low, high = (_find_low(sign * merged, divisors, search) for sign in (1, -1))
    return Range(*(np.asarray(x) for x in (low[0], -high[0], low[1], -high[1], low[2], high[2])))


def _find_low(numerators: Floats, divisors: Floats, search: Search) -> tuple[float, float, Floats]:
    """Return a bound from below, the smallest value that is reached, and where it is."""
    none = np.unique(divisors <= 0, axis=0).reshape(-1, numerators.shape[1])
    whole = np.ones((1, numerators.shape[1]), dtype=bool)
    lowest = []
    for side in np.concatenate([whole, none[none.any(axis=1)]]):
        kept = divisors[:, side].any(axis=1)
        lowest.append(_Side(numerators[kept], divisors[kept], side, search).find_lowest())
    _, value, at = min(lowest, key=itemgetter(1))
    return min(value, *(bound for bound, _, _ in lowest)), value, at


class _Side:
    """The search on a side of the simplex, or in all of it."""

    def __init__(
        self, numerators: Floats, divisors: Floats, side: NDArray[np.bool_], search: Search
    ) -> None:
        self._numerators, self._divisors = numerators, divisors
        self._side, self._search = side, search
        self._value, self._at = np.inf, np.zeros(len(side))

    def find_lowest(self) -> tuple[float, float, Floats]:
        """Return a lower bound of the sum, its smallest known value, and where it has it."""
        search = self._search
        corners = np.eye(len(self._side))[self._side]
        self._pairs = np.triu_indices(len(corners))
        cells = corners[None]
        above = np.full(1, -np.inf)  # the bound of the cell that was divided
        bound, count = np.inf, 0
        size = len(corners) ** 2
        step = max(BATCH // (max(len(self._divisors), 1) * size), 1)
        while len(cells):
            count += len(cells) * size
            starts = range(0, len(cells), step)
            examined = [self._examine(cells[start : start + step]) for start in starts]
            own, i, j = (np.concatenate(each) for each in zip(*examined))
            above = np.maximum(own, above)
            value = self._value
            decided = (above >= -search.rounding) | (value < -search.rounding)
            close = above >= value - max(search.tolerance, search.rounding)
            ended = (i == j) | (decided & close) | (count >= search.limit)
            bound = min(bound, above[ended].min(initial=np.inf))
            i, j = i[~ended], j[~ended]
            cells, above = cells[~ended], above[~ended]
            rows = np.arange(len(cells))
            middle = (cells[rows, i] + cells[rows, j]) / 2
            cells, above = np.concatenate([cells, cells]), np.concatenate([above, above])
            cells[rows, i], cells[len(rows) + rows, j] = middle, middle
        return bound, self._value, self._at

    def _examine(self, cells: Floats) -> tuple[Floats, Ints, Ints]:
        """Return the cells' bounds, and the points between which to divide, the same if not at all.

        The cells are scaled, and the smallest value at their points is kept.
        """
        numerators, divisors = self._at_points(cells)
        none = divisors <= 0
        q = divide_or_zero(numerators, divisors)
        low = np.where(none, np.inf, q).min(axis=2, keepdims=True)
        spread = np.where(none, low, q).max(axis=2, keepdims=True) - low
        lacking = np.asarray(none.any(axis=2, keepdims=True))
        # scale the points such that the divisors are 1 on average, where it matters
        weight = np.where(lacking, 0.0, spread)
        logs = np.log(divisors, out=np.zeros(divisors.shape), where=~none)
        scale = np.exp((weight * logs).sum(axis=1) / np.maximum(weight.sum(axis=1), TINY))
        cells /= scale[:, :, None]
        divisors /= scale[:, None]
        self._keep(cells, np.asarray(none.any(axis=1)))
        least = np.where(none, np.inf, divisors).min(axis=2, keepdims=True)
        most = divisors.max(axis=2, keepdims=True)
        step = max(BATCH // max(q[..., 0].size, 1), 1)
        parts, widths = [], []
        for begin in range(0, len(self._pairs[0]), step):
            i, j = (points[begin : begin + step] for points in self._pairs)
            q_i, q_j = np.take(q, i, 2), np.take(q, j, 2)
            b_i, b_j = np.take(divisors, i, 2), np.take(divisors, j, 2)
            known = ~(np.take(none, i, 2) | np.take(none, j, 2))
            apart = q_i - q_j
            product = apart * (b_i - b_j)
            inside = q_i + q_j + product / np.where(product > 0, most, least)
            parts.append(np.where(known, inside / 2, low).sum(axis=1))
            widths.append(np.where(lacking & known, np.abs(apart), 0.0).sum(axis=1))
        part, width = np.concatenate(parts, axis=1), np.concatenate(widths, axis=1)
        bound = np.maximum(part.min(axis=1), low.sum(axis=(1, 2)))
        # divide between the points with the smallest part, unless a ratio without divisor at some
        # point differs more between others
        i, j = self._pairs
        same = np.flatnonzero(i == j)
        rows, ends, wide = np.arange(len(cells)), part.argmin(axis=1), width.argmax(axis=1)
        lacks = (part[rows, same[i[ends]]] + part[rows, same[j[ends]]]) / 2 - part[rows, ends]
        ends = np.where(width[rows, wide] >= lacks, wide, ends)
        return bound, i[ends], j[ends]

    def _at_points(self, points: Floats) -> tuple[Floats, Floats]:
        """Return numerators and divisors at points."""
        columns = np.swapaxes(points, 1, 2)
        return self._numerators @ columns, self._divisors @ columns

    def _keep(self, cells: Floats, jumps: NDArray[np.bool_]) -> None:
        """Keep the smallest value at the cells' points; where a sum jumps, close to the point."""
        inward = np.where(jumps[:, :, None], NEAR, 0.0)
        points = (1 - inward) * cells + inward * cells.mean(axis=1, keepdims=True)
        points /= points.sum(axis=2, keepdims=True)
        if self._search.admit:
            points = self._search.admit(points)
        values = add_ratios(*self._at_points(points))
        at = np.unravel_index(values.argmin(), values.shape)
        if values[at] < self._value:
            self._value, self._at = values[at], points[at]
