"""How many queries sessions have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_cumgain.engine.units import SessionRun
from pt_cumgain.environment.warning import name_run
from pt_cumgain.inputs.columns import TO_PYTERRIER
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.inputs.systems import Systems, name_systems, read_systems
from pt_cumgain.options import checked


@checked
def session_lengths(
    systems: Systems, sessions: pd.DataFrame | None = None, *, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Count the sessions of each system by their number of queries.

    Parameters
    ----------
    systems
        The systems over sessions, as for :func:`session_curves`; or frames of
        their sessions, ``qid`` and ``queries``. A run has only sessions that
        returned something, and needs ``session_length`` where the last queries
        returned nothing.
    sessions
        The sessions for pipelines, as for :func:`session_curves`.
    names
        As for :func:`pt_cumgain.gain_curves`.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``sessions`` (their number), ``average`` (of queries in a
        session), and the number of sessions with 1, 2, ... queries, in a column
        each: ``1``, ``2``, ...

    Raises
    ------
    ValueError, TypeError
        If there are no sessions, or a run is not one over sessions.

    Examples
    --------
    >>> one = pd.DataFrame({"qid": ["s1", "s2"], "queries": [["jaguar", "jaguar car"], ["tiger"]]})
    >>> other = pd.DataFrame({"qid": ["s3"], "queries": [["jaguar", "big cat", "jaguar cat"]]})
    >>> session_lengths({"System 1": one, "System 2": other})
           name  sessions  average  1  2  3
    0  System 1         2      1.5  1  1  0
    1  System 2         1      3.0  0  0  1
    """
    by_system = name_systems(systems, names)
    if sessions is not None:
        require_columns(sessions, ["qid"], "sessions")
    lengths = {}
    for name, system in by_system.items():
        if isinstance(system, pd.DataFrame) and "queries" in system:
            queries = to_queries(system.rename(columns=TO_PYTERRIER))
            lengths[name] = queries.drop_duplicates("session")["session_length"].to_numpy()
        else:
            ((_, run),) = read_systems({name: system}, sessions, False, "session_lengths")
            with name_run(name):
                lengths[name] = SessionRun.group(run).length
        if not len(lengths[name]):
            raise ValueError(f"the system {name!r} has no session")
    longest = max(length.max() for length in lengths.values())
    rows = [
        (name, len(length), length.mean(), *np.bincount(length, minlength=longest + 1)[1:])
        for name, length in lengths.items()
    ]
    return pd.DataFrame(rows, columns=["name", "sessions", "average", *range(1, longest + 1)])
