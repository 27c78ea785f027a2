"""A figure, in a module of its own so that matplotlib is imported only to draw."""

from __future__ import annotations

from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure


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
