"""The systems that are compared, as users name them, and their pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import Ints
from pt_cumgain.inputs.lists import as_list

#: The name of a system, its place among systems in order, or several of them.
Baseline = str | int | Sequence[str | int] | None


def check_system(
    system: object, names: Sequence[str], role: str = "baseline", *, in_order: bool = False
) -> str:
    """Return the name of a system, given its name or, as in ``pt.Experiment``, its place from 0.

    Places need names ``in_order``, that of the systems that the user gave. It is lost in results by
    topic, which ``pt.Experiment`` sorts by name.

    Raises
    ------
    ValueError
        If it is not one of the systems, or could be two of them; ``role`` names the argument.
    """
    if not isinstance(system, (bool, np.bool_)):
        if pd.api.types.is_hashable(system) and system in set(names):
            return system
        if in_order and isinstance(system, (int, np.integer)) and 0 <= system < len(names):
            name = names[int(system)]
            if str(system) in names and name != str(system):
                raise ValueError(
                    f"{role}={system} could be the system {str(system)!r} or, by its place, "
                    f"{name!r}; give the name as a text"
                )
            return name
    raise ValueError(f"{role}={system!r:.60} is not one of the systems: {list(names)!r:.900}")


def check_baselines(baseline: object, names: Sequence[str], *, in_order: bool = False) -> list[str]:
    """Return the names of one, several or no baselines; see :func:`check_system`."""
    if baseline is None:
        return []
    systems = as_list(baseline) or [baseline]
    checked = (check_system(system, names, in_order=in_order) for system in systems)
    chosen = list(dict.fromkeys(checked))
    if len(chosen) == len(names):
        raise ValueError(f"baseline={baseline!r}: no system is left to compare with the baselines")
    return chosen


def pair_systems(names: Sequence[object], baselines: Sequence[object]) -> tuple[Ints, Ints]:
    """Return the places of the systems of all pairs, or of those that include a baseline."""
    if not baselines:
        return np.triu_indices(len(names), 1)
    second = [list(names).index(baseline) for baseline in baselines]
    others = [place for place in range(len(names)) if place not in second]
    pairs: list[tuple[int, int]] = []
    for i, base in enumerate(second):
        pairs += [(one, base) for one in others + second[i + 1 :]]
    first, bases = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, bases
