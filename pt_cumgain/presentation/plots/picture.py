"""What has to be declared with matplotlib at hand; :mod:`.panels` imports it when it draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator


class Picture(Figure):
    """A figure that a notebook shows once.

    pyplot manages it like any other, so ``pyplot.show()`` in a script shows it, and a notebook does
    at the end of the cell, wherever in the cell it was drawn. If it is the value of the cell too,
    which a notebook shows as well, pyplot forgets it: so it is shown once.
    """

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        # a notebook asks for this before it shows a value, then draws the figure in its own formats
        if "inline" in pyplot.get_backend():
            pyplot.close(self)
        return {}


class RankLocator(MaxNLocator):
    """Ticks at round ranks, the first at rank 1, since there is no rank 0."""

    def __init__(self) -> None:
        super().__init__(nbins="auto", integer=True, steps=[1, 2, 5, 10])

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the ticks between two ranks."""
        ticks = np.asarray(super().tick_values(min(vmin, 0), vmax))
        ticks = ticks[(ticks >= 1) & (ticks <= vmax)]
        return np.unique([1, *ticks]) if vmin <= 1 else ticks[ticks >= vmin]
