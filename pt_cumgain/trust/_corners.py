"""Weightings and discounts as mixtures of a few extreme ones: the corners.

A weighting that never gives a lower level more gain than a higher one is a mixture of thresholds,
and a discount that never falls from one rank to the next is a mixture of cutoffs. The numerator and
the divisor of a measure are linear in both, so the values at the corners determine all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.comparing._rounding import ROUNDING
from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine
from pt_cumgain.measures import PROBED, CumulatedGain, GainVectors, SessionGains, SessionMeasure
from pt_cumgain.trust._simplex import LIMIT, Range, Search, add_ratios, find_range
from pt_cumgain.weighting import Weighting, number

#: The significant digits of gains and weights: the sixteenth of a sum is noise.
DIGITS = 15

#: Gains below this one are written with a power of 10.
TINY = 1e-4

#: The numerators and the divisors of a run.
Parts = tuple[Floats, Floats]


class Choices:
    """The weightings of a measure, its discounts, or both, as mixtures of corners.

    The corners of both are all thresholds at the first cutoff, then those at the second, and so on;
    a choice is a product of a mixture of thresholds and one of cutoffs.

    Parameters
    ----------
    measure
        The measure as declared; if the discount is chosen, with a cutoff and without ``avg_pos``.
    levels
        The levels of the qrels, of which one is positive.
    over
        ``"gains"``, ``"discount"`` or ``"both"``.

    Attributes
    ----------
    measures
        The measures whose numerators and divisors :meth:`read` takes: without ``avg_pos`` if they
        are divided.
    top
        If the weighting is chosen, the gain of the highest level: the largest gain that the measure
        has as declared; 1 if the measure is divided, as it then makes no difference.
    """

    def __init__(self, measure: CumulatedGain, levels: Floats, over: str) -> None:
        spec = measure.spec
        self._of_gains, self._of_discount = over != "discount", over != "gains"
        self._levels = levels[levels > 0]
        # naming a negative level makes it a judgment, under every weighting
        self._named = {level: 0.0 for level, _ in spec.gains.weights if level < 0}
        declared = spec.gains.gain(levels).max()
        scaled = self._of_gains and declared > 0 and not probe_gains(measure)[1]
        # CG and DCG grow with the scale of the gains, so their ranges need one; a ratio does not
        self.top = float(declared) if scaled else 1.0
        by_rank = spec.avg_pos and measure.divisor is not None
        left_out = {"dcg", "cutoff", "gains", "avg_pos" if by_rank else ""}
        params = {name: v for name, v in measure.params.items() if name not in left_out}
        plain, weightings = params, [spec.gains]
        if self._of_discount:
            plain = {name: v for name, v in params.items() if name != "base"} | {"discount": "none"}
        if self._of_gains:
            positive = self._levels.tolist()
            thresholds = ({x: float(x >= level) for x in positive} for level in positive)
            weightings = [Weighting.parse(self._named | gains) for gains in thresholds]
        ranks = range(1, (spec.cutoff or 0) + 1)
        cutoffs: Sequence[int | None] = ranks if self._of_discount else [None]
        depths: Sequence[int | None] = ranks if by_rank else [spec.cutoff]
        self._rows = []
        for depth in depths:
            row = [type(measure)(**params, gains=spec.gains, cutoff=depth)]
            for end, gains in product(cutoffs, weightings):
                row.append(type(measure)(**plain, gains=gains, cutoff=end or depth))
            self._rows.append(row)
        self.measures = list(dict.fromkeys(chain.from_iterable(self._rows)))
        self._shape = len(cutoffs), len(weightings)

    def read(self, engine: Engine, parts: Sequence[Parts]) -> CornerValues:
        """Return the values of systems; there are several ranks if a value is the mean over them.

        Parameters
        ----------
        engine
            An engine that has the measures.
        parts
            The numerators and divisors of each system; see :meth:`JudgedRun.parts`.
        """
        row_of = {measure: row for row, measure in enumerate(engine.measures)}
        rows = np.array([[row_of[one] for one in row] for row in self._rows])
        scale = np.append(1.0, np.full(rows.shape[1] - 1, self.top))
        numerators = [np.moveaxis(part[rows], -1, 0) * scale for part, _ in parts]
        divisors = [np.moveaxis(part[rows], -1, 0) for _, part in parts]
        return CornerValues(np.stack(numerators), np.stack(divisors))

    def search(self, tolerance: float, limit: int = LIMIT) -> Search:
        """Return a search over these choices; see :class:`Search` for its limits."""
        both = self._of_gains and self._of_discount
        return Search(tolerance, limit, self.admit if both else None, ROUNDING)

    def admit(self, points: Floats) -> Floats:
        """Return the products of the mixtures of thresholds and of cutoffs that points imply."""
        grid = points.reshape(*points.shape[:-1], *self._shape)
        product = grid.sum(axis=-1, keepdims=True) * grid.sum(axis=-2, keepdims=True)
        return np.asarray(product.reshape(points.shape))

    def point(self, weighting: Weighting) -> Floats | None:
        """Return the mixture of thresholds that a weighting is; None if it is none."""
        gains = weighting.gain(self._levels)
        point = np.diff(gains, prepend=0.0)
        return point / gains[-1] if gains[-1] > 0 and (point >= 0).all() else None

    def text(self, point: Floats) -> str:
        """Return the weighting in a form that ``gains`` accepts, the weights 1/d(i), or both."""
        return self.texts(point[None])[0]

    def texts(self, points: Floats) -> list[str]:
        """Return the texts of many points."""
        gains, weights = self._unmix(points, DIGITS)
        of_gains = [self._text_of_gains(row) for row in gains.tolist()]
        if not self._of_discount:
            return of_gains
        of_discount = [",".join(str(number(weight)) for weight in row) for row in weights.tolist()]
        if not self._of_gains:
            return of_discount
        return [f"{one}; {other}" for one, other in zip(of_gains, of_discount)]

    def _unmix(self, points: Floats, digits: int) -> tuple[Floats, Floats]:
        """Return the gains of the levels and the weights of the ranks, with so many digits."""
        grid = points.reshape(-1, *self._shape)
        gains = np.cumsum(grid.sum(axis=1), axis=1)
        weights = np.cumsum(grid.sum(axis=2)[:, ::-1], axis=1)[:, ::-1]
        shorten = np.vectorize(lambda x: float(f"{x:.{digits}g}"))
        return shorten(gains / gains[:, -1:] * self.top), shorten(weights / weights[:, :1])

    def round(self, point: Floats, digits: int) -> Floats:
        """Return the point nearby whose gains and weights have so many significant digits."""
        gains, weights = self._unmix(point[None], digits)
        thresholds = np.diff(gains[0] / gains[0, -1], prepend=0.0)
        cutoffs = -np.diff(weights[0] / weights[0, 0], append=0.0)
        return np.outer(cutoffs, thresholds).ravel()

    def _text_of_gains(self, gains: list[float]) -> str:
        levels = self._levels.tolist()
        tiny = any(0 < gain < TINY for gain in gains)  # with a power of 10, which no scheme has
        if not (tiny or self._named) and levels == list(range(1, len(levels) + 1)):
            return "-".join(np.format_float_positional(gain, trim="-") for gain in [0.0, *gains])
        pairs = [*self._named.items(), *zip(levels, gains)]
        return ",".join(f"{number(level)}:{number(gain)}" for level, gain in pairs)


def probe_gains(measure: CumulatedGain) -> tuple[str, bool]:
    """Return what is not a sum of weighted gains, and whether both parts of a ratio are.

    It is the ``vector``, the ``divisor``, if that is not the same for all weightings, or nothing.
    """
    kept = {name: v for name, v in measure.params.items() if name not in ("dcg", "gains")}
    depth = min(PROBED, core.find_discount(measure.spec.discount).depth)
    levels = np.random.default_rng(0).integers(0, 3, (2, int(depth)))
    position = np.broadcast_to(np.arange(levels.shape[1]), levels.shape)

    def compute(first: float, second: float) -> list[Floats]:
        one = type(measure)(**kept, gains={1: first, 2: second})
        gains = [one.spec.gains.gain(x) for x in (levels, -np.sort(-levels))]
        vectors: list[GainVectors] = [*gains]
        if isinstance(one, SessionMeasure):  # of two queries, whose ranks take turns
            vectors = [SessionGains(x, position // 2 + 1, position % 2 + 1) for x in gains]
        return [part for part in one.compute_parts(*vectors) if part is not None]

    one, other = compute(1, 1), compute(0, 1)
    linear = same = np.ones(len(one), dtype=bool)
    for scale in (1e-3, 1.0, 1e6):
        both = compute(0.6 * scale, 2 * scale)
        sums = [scale * (0.6 * x + 1.4 * y) for x, y in zip(one, other)]
        linear = linear & _are_equal(both, sums)
        same = same & _are_equal(both, one) & _are_equal(both, other)
    wrong = "" if (linear | same).all() else "divisor"
    return wrong if linear[0] else "vector", bool(linear[1:].any())


def is_discounted(measure: CumulatedGain) -> bool:
    """Return whether the vector is a sum of gains divided by the discount of their ranks.

    Raises
    ------
    ValueError
        If it is no sum of weighted gains.
    """
    spec = measure.spec
    ranks = np.arange(1, min(spec.cutoff or PROBED, PROBED) + 1)
    kept = {name: v for name, v in measure.params.items() if name not in ("dcg", "base")}
    plain = type(measure)(**kept | {"discount": "none"}).rank_weights(len(ranks))
    weights = measure.rank_weights(len(ranks))
    return np.allclose(weights, plain / core.discounts(ranks, spec.discount, spec.base))


def _are_equal(parts: Sequence[Floats], others: Sequence[Floats]) -> NDArray[np.bool_]:
    """Return which parts are equal but for rounding."""
    pairs = zip(parts, others)
    return np.array([np.allclose(x, y, 1e-9, 1e-9 * np.abs(y).max()) for x, y in pairs])


class CornerValues(NamedTuple):
    """The numerators and divisors of some systems at the corners of a measure's choices.

    Attributes
    ----------
    numerators, divisors
        Shape ``(systems, topics, ranks, 1 + corners)``; the first column is the measure as
        declared. A value is the mean over ranks of the ratios, 0 where the divisor is.
    """

    numerators: Floats
    divisors: Floats

    def difference(self, pair: list[int], point: Floats) -> float:
        """Return the difference of two systems' means at a point."""
        of_pair = CornerValues(*(part[pair] for part in self))
        values = of_pair.at(point[None]).mean(axis=(1, 2))
        return float(values[0] - values[1])

    def at(self, points: Floats) -> Floats:
        """Return the systems' values by topic at points; shape ``(systems, topics, points)``."""
        numerators, divisors = (part[..., 1:] @ points.T for part in self)
        return np.asarray(add_ratios(numerators, divisors) / numerators.shape[2])

    def is_mixed(self, point: Floats) -> bool:
        """Return whether the values as declared are those at a point."""
        own = CornerValues(*(part[..., [0, 0]] for part in self)).at(np.ones((1, 1)))
        # the least floats have few digits
        return np.allclose(self.at(point[None]), own, 1e-9, 1e-9 * np.abs(own).max() + 1e-300)

    def at_corners(self) -> Floats:
        """Return the systems' means, as declared and at each corner; ``(systems, 1 + corners)``."""
        numerators, divisors = (part.reshape(len(part), -1, part.shape[-1]) for part in self)
        return add_ratios(numerators, divisors) / numerators.shape[1]

    def ranges(self, pairs: Iterable[Sequence[int]], search: Search) -> Range:
        """Return the ranges of differences of two systems' means.

        Parameters
        ----------
        pairs
            The systems of each pair.
        search
            How far to search; its rounding is relative to the largest mean.
        """
        rounding = search.rounding * float(np.abs(self.at_corners()).max(initial=0.0))
        search = search._replace(rounding=rounding)
        numerators, divisors = (x.reshape(len(x), -1, x.shape[-1])[..., 1:] for x in self)
        numerators = numerators / numerators.shape[1]
        each_pair = []
        for first, second in pairs:
            own = np.concatenate([numerators[first], -numerators[second]])
            each_pair.append(find_range(own, np.concatenate(divisors[[first, second]]), search))
        ranges = Range(*(np.stack(each) for each in zip(*each_pair)))
        ends = (np.where(np.abs(end) <= rounding, 0.0, end) for end in ranges[:4])
        return ranges._replace(**dict(zip(Range._fields, ends)))
