"""What counts as equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain.comparing import _rounding as rounding


def test_what_differs_by_rounding_is_equal() -> None:
    values = rounding.equate([[0.1 + 0.2, 0.3, -0.3], [1e-17, 0.0, 1.0]])
    assert values[0, 0] == values[0, 1] == -values[0, 2]
    assert values[0, 0] == pytest.approx(0.3, abs=1e-15)
    assert values[1].tolist() == [0, 0, 1]
    assert not np.signbit(rounding.equate([-1e-17, 1.0])).any()


def test_the_scale_is_the_measures() -> None:
    """Differences of 1e-13 are nothing beside values of 1, and something beside 1e-13."""
    differences = [1e-13, -2e-13]
    assert rounding.equate(differences, 1.0).tolist() == [0, 0]
    assert rounding.equate(differences) == pytest.approx(differences, rel=1e-12, abs=0)


@given(counts=st.lists(st.integers(-1000, 1000)), unit=st.floats(1e-200, 1e200))
def test_values_that_differ_stay_as_they_are(counts: list[int], unit: float) -> None:
    """Whole numbers, in any unit and disturbed by less than the rule sees, are told apart."""
    noise = np.where(np.arange(len(counts)) % 2, 1 + 1e-15, 1)
    values = rounding.equate(np.array(counts, dtype=float) * unit * noise)
    same = np.abs(np.subtract.outer(counts, counts)) == 0
    assert (np.equal.outer(values, values) == same).all()
    step = 1e-12 * max(map(abs, counts), default=0) * unit
    assert values == pytest.approx([count * unit for count in counts], rel=0, abs=2 * step)
