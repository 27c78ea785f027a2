"""How many queries the sessions have (ECIR 2008, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import TO_PYTERRIER, group_run
from pt_cumgain.engine.sessions import SessionRun
from pt_cumgain.inputs.arguments import named_systems, runs_of
from pt_cumgain.inputs.sessions import to_queries
from pt_cumgain.options import checked


@checked
def session_lengths(systems: Any, *, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Count the sessions of each system by their number of queries.

    Parameters
    ----------
    systems
        The systems' runs over sessions, as for :func:`pt_cumgain.gain_curves`;
        or frames of their sessions, ``qid`` and ``queries``. A run has only
        sessions that returned something, and needs ``session_length`` where the
        last queries returned nothing.
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
    by_system = named_systems(systems, names)
    lengths = {}
    for name, run in runs_of(by_system, None, False, "pt_cumgain.session_lengths"):
        if isinstance(run, pd.DataFrame) and "queries" in run:
            queries = to_queries(run.rename(columns=TO_PYTERRIER))
            lengths[name] = queries.drop_duplicates("session")["session_length"].to_numpy()
        else:
            lengths[name] = SessionRun.group(group_run(run)).length
        if not len(lengths[name]):
            raise ValueError(f"the system {name!r} has no session")
    longest = max(of_system.max() for of_system in lengths.values())
    rows = [
        (name, len(of_system), of_system.mean(), *np.bincount(of_system, minlength=longest + 1)[1:])
        for name, of_system in lengths.items()
    ]
    return pd.DataFrame(rows, columns=["name", "sessions", "average", *range(1, longest + 1)])
