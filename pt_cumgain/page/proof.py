"""What a page cannot compute by itself: whether a system leads under every weighting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pt_cumgain.engine import JudgedRun
from pt_cumgain.trust._corners import Choices, CornerValues


def prove_lead(order: Sequence[int], runs: Sequence[JudgedRun], choices: Choices) -> dict[str, Any]:
    """Return whether the first of some systems leads under every weighting of the levels.

    Parameters
    ----------
    order
        The systems, as indices of their runs: the first one, and those with which it is compared.
    runs
        The judged runs of all systems; their engine has the measures of the choices.
    choices
        The weightings that never give a lower level more gain than a higher one.

    Returns
    -------
    dict
        The ``verdict``. ``"leads"``: the first system always has the highest mean. ``"holds"``: no
        other system ever has a higher mean. ``"depends"``: another system, the ``rival``, has a
        higher mean under the ``gains``. ``"open"``: none of these is proved.
    """
    first, *others = order
    row_of = {measure: row for row, measure in enumerate(runs[0].engine.measures)}
    corners = CornerValues.stack([choices.read(run.parts(), row_of) for run in runs])
    search = choices.search(tolerance=np.inf)  # the sign is enough
    found = corners.ranges([(first, other) for other in others], search)
    if (found.low > 0).all():
        return {"verdict": "leads"}
    if (found.low >= 0).all():
        return {"verdict": "holds"}
    if (found.lowest < 0).any():
        worst = found.lowest.argmin()
        gains = choices.text(found.low_at[worst])
        return {"verdict": "depends", "rival": others[worst], "gains": gains}
    return {"verdict": "open"}
