"""The exact range of a sum of ratios of linear functions over a simplex.

The mean over topics of nDCG, as a function of the weighting of the relevance levels or of the
discount, is such a sum, and so is the difference of two systems' means. Linear functions, such as
the mean DCG, are sums of ratios whose divisors are constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain.core import Floats, divide_or_zero
from pt_cumgain.engine.rows import Ints

#: How many numbers of a batch of cells are held at a time; a cell is a batch, or several.
BATCH = 1 << 20
#: How many numbers the cells of all sums have at most, if one sum has not more.
HELD = 1 << 23
#: How far the end of a range may be from a value that is reached.
TOLERANCE = 1e-4
#: How many pairs of points the search for an end examines: a triangle has 9, of k ranks k squared.
LIMIT = 100_000
#: How far a point is from a side on which a divisor is 0, where a sum may jump.
NEAR = 1e-9
#: Above 0, to divide by.
TINY = 1e-300


class Range(NamedTuple):
    """The ranges of some sums over a simplex.

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

    def exact(self, tolerance: float = TOLERANCE) -> NDArray[np.bool_]:
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
    r"""Return the ranges of sums of ratios, ``sum over r of (a_r . t) / (b_r . t)``.

    t runs over all coordinates that are not negative and not all 0. A ratio is 0 where its divisor
    is, which is so on a side of the simplex or nowhere; of two such sides, one contains the other.

    Parameters
    ----------
    numerators
        The values a at the corners, shape ``(sums, ratios, corners)``; 0 where b is.
    divisors
        The values b at the corners, 0 or positive, shape ``(ratios, corners)``.
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

    If a single cell is more than a batch, corners that are the same are searched as one.
    """
    if divisors.size * divisors.shape[1] > BATCH:
        columns = np.concatenate([divisors, *numerators])
        first, group = np.unique(columns, axis=1, return_index=True, return_inverse=True)[1:]
        if len(first) < columns.shape[1]:
            apart, together = np.eye(columns.shape[1])[first], np.eye(len(first))[group.ravel()]
            admit = search.admit
            if admit is not None:
                search = search._replace(admit=lambda points: admit(points @ apart) @ together)
            found = find_range(numerators[..., first], divisors[:, first], search)
            return found._replace(low_at=found.low_at @ apart, high_at=found.high_at @ apart)
    largest = divisors.max(axis=1, initial=0.0)
    kept = largest > 0
    scale = largest[kept][:, None]
    # ratios whose divisors are multiples of each other become one
    divisors, group = np.unique(divisors[kept] / scale, axis=0, return_inverse=True)
    merged = np.zeros((len(divisors), *np.delete(numerators.shape, 1)))
    np.add.at(merged, group.ravel(), np.moveaxis(numerators[:, kept] / scale, 1, 0))
    numerators = np.moveaxis(merged, 0, 1)
    low, high = (_lowest(sign * numerators, divisors, search) for sign in (1, -1))
    return Range(low[0], -high[0], low[1], -high[1], low[2], high[2])


def _lowest(numerators: Floats, divisors: Floats, search: Search) -> list[Floats]:
    """Return bounds from below, the smallest values that are reached, and where they are."""
    none = np.unique(divisors <= 0, axis=0).reshape(-1, numerators.shape[2])
    whole = np.ones((1, numerators.shape[2]), dtype=bool)
    found = []
    for side in np.concatenate([whole, none[none.any(axis=1)]]):
        kept = divisors[:, side].any(axis=1)
        found.append(_Side(numerators[:, kept], divisors[kept], side, search).lowest())
    bound, value, at = (np.stack(each) for each in zip(*found))
    which = value.argmin(axis=0), np.arange(len(numerators))
    return [np.minimum(bound.min(axis=0), value[which]), value[which], at[which]]


class _Side:
    """The search on a side of the simplex, or in all of it, for all sums at the same time."""

    def __init__(
        self, numerators: Floats, divisors: Floats, side: NDArray[np.bool_], search: Search
    ) -> None:
        self._numerators, self._divisors = numerators, divisors
        self._side, self._search = side, search
        self._value = np.full(len(numerators), np.inf)
        self._at = np.zeros((len(numerators), len(side)))

    def lowest(self) -> tuple[Floats, Floats, Floats]:
        """Return a lower bound of each sum, its smallest known value, and where it has it."""
        search = self._search
        sums = len(self._value)
        owner = np.arange(sums)  # the sum of each cell
        corners = np.eye(len(self._side))[self._side]
        size = len(corners) ** 2
        self._pairs = np.triu_indices(len(corners))
        cells = np.tile(corners, (sums, 1, 1))
        above = np.full(sums, -np.inf)  # the bound of the cell that was divided
        bound = np.full(sums, np.inf)
        count = np.zeros(sums, dtype=np.int64)
        step = max(BATCH // (max(len(self._divisors), 1) * size), 1)
        while len(cells):
            count += np.bincount(owner, minlength=sums) * size
            batches = [slice(i, i + step) for i in range(0, len(cells), step)]
            parts = [self._examine(owner[some], cells[some]) for some in batches]
            own, i, j = (np.concatenate(each) for each in zip(*parts))
            above = np.maximum(own, above)
            best = self._value[owner]
            decided = (above >= -search.rounding) | (best < -search.rounding)
            close = above >= best - max(search.tolerance, search.rounding)
            ended = (i == j) | (decided & close) | (count[owner] >= search.limit)
            np.minimum.at(bound, owner[ended], above[ended])
            i, j = i[~ended], j[~ended]
            cells, owner, above = (each[~ended] for each in (cells, owner, above))
            rows = np.arange(len(cells))
            middle = (cells[rows, i] + cells[rows, j]) / 2
            cells, owner, above = (np.concatenate([each] * 2) for each in (cells, owner, above))
            cells[rows, i], cells[len(rows) + rows, j] = middle, middle
        return bound, self._value, self._at

    def _examine(self, owner: Ints, cells: Floats) -> tuple[Floats, Ints, Ints]:
        """Return the cells' bounds, and the points between which to divide, the same if not at all.

        The cells are scaled, and the smallest values at their points are kept.
        """
        numerators, divisors, none = self._at_points(owner, cells)
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
        self._keep(owner, cells, np.asarray(none.any(axis=1)))
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

    def _at_points(self, owner: Ints, points: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return numerators and divisors at points, and where there is no divisor."""
        columns = np.swapaxes(points, 1, 2)
        divisors = self._divisors @ columns
        return self._numerators[owner] @ columns, divisors, np.asarray(divisors <= 0)

    def _keep(self, owner: Ints, cells: Floats, jumps: NDArray[np.bool_]) -> None:
        """Keep the smallest value at the cells' points; where a sum jumps, close to the point."""
        inward = np.where(jumps[:, :, None], NEAR, 0.0)
        points = (1 - inward) * cells + inward * cells.mean(axis=1, keepdims=True)
        points /= points.sum(axis=2, keepdims=True)
        if self._search.admit:
            points = self._search.admit(points)
        values = add_ratios(*self._at_points(owner, points)[:2])
        place = np.arange(len(owner)), values.argmin(axis=1)
        values, points = values[place], points[place]
        for cell in np.flatnonzero(values < self._value[owner]):
            if values[cell] < self._value[owner[cell]]:
                self._value[owner[cell]], self._at[owner[cell]] = values[cell], points[cell]
