"""Which values are equal: one rule for everything that ranks values or tests differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pt_cumgain.core import Floats

#: Values that differ by at most this share of the largest value of a measure are equal.
ROUNDING = 1e-12


def equate(values: ArrayLike, scale: float | None = None) -> Floats:
    """Return the values, made equal if their absolute values differ only by rounding.

    Neighbours in the order of absolute values become equal if they differ by at most ``ROUNDING *
    scale``, and so do whole chains of such neighbours; values this close to 0 become 0. There is no
    fixed grid, so values multiplied by a constant stay equal, or different.

    Parameters
    ----------
    values
        Values, or differences of values, of one measure, of any shape.
    scale
        The measure's largest absolute value; by default, that of the values.
    """
    array = np.asarray(values, dtype=np.float64)
    size = np.append(0.0, np.abs(array))
    order = np.argsort(size, kind="stable")
    ascending = size[order]
    with np.errstate(invalid="ignore"):  # two infinite values
        apart = np.diff(ascending) > ROUNDING * (ascending[-1] if scale is None else scale)
    first = np.append(True, apart)
    size[order] = ascending[first][np.cumsum(first) - 1]
    return np.asarray(np.copysign(size[1:].reshape(array.shape), array) + 0.0)  # no -0.0
