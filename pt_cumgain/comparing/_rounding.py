"""Which values are equal: one rule for everything that ranks values or tests differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pt_cumgain.core import Floats

#: The digits of a measure's largest value to which values are compared.
DIGITS = 12
#: Values that differ by at most this share of the largest value of a measure are equal.
ROUNDING = 10.0**-DIGITS


def equate(values: ArrayLike, scale: ArrayLike | None = None) -> Floats:
    """Return the values rounded to 12 digits of the largest, so that rounding errors are ties.

    Parameters
    ----------
    values
        Values, or differences of values, of one measure, of any shape.
    scale
        The measure's largest absolute value; by default, that of the values.
    """
    array = np.asarray(values, dtype=np.float64)
    largest = np.abs(array).max(initial=0.0) if scale is None else np.asarray(scale)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.round(array / unit, DIGITS) * unit + 0.0)  # no -0.0
