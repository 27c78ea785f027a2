"""Systems: their names, and their runs one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pt_cumgain.engine.rows import Table
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.progress import follow
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import name_dataset, name_run
from pt_cumgain.inputs.formats import run_name
from pt_cumgain.inputs.lists import refuse_equal_names
from pt_cumgain.inputs.reading import is_path, read_run

#: Pipelines or runs, as pt.Experiment takes them: in a list, or in a dict by name.
Systems: TypeAlias = Sequence[object] | Mapping[str, object]


def name_systems(systems: Systems, names: Sequence[str] | None) -> dict[str, Any]:
    """Return systems, given as ``pt.Experiment`` takes them, by name.

    Raises
    ------
    TypeError, ValueError
        If ``systems`` is neither a list nor a dict or is empty, or the names do not match it.
    """
    if isinstance(systems, Mapping):
        if names is not None:
            raise ValueError("systems is a dict, so its keys are the names; omit names")
        names, systems = list(systems), list(systems.values())
    elif not isinstance(systems, Sequence) or isinstance(systems, str):
        raise TypeError(f"systems must be a list or a dict of systems, not {show(systems)}")
    elif names is None:
        names = [_name_system(system, i) for i, system in enumerate(systems, 1)]
    if len(names) != len(systems):
        raise ValueError(f"{len(names)} names for {len(systems)} systems: {list(names)}")
    refuse_equal_names(names)
    named = {str(name): system for name, system in zip(names, systems)}
    if not named:
        raise ValueError("no system was given")
    return named


def _name_system(system: object, number: int) -> str:
    if is_path(system):
        return run_name(system)
    return str(system) if _is_transformer(system) else f"run {number}"


def _is_transformer(system: object) -> bool:
    return not isinstance(system, pd.DataFrame) and callable(getattr(system, "transform", None))


def read_systems(
    systems: Mapping[str, object],
    topics: pd.DataFrame | None,
    verbose: bool,
    what: str,
    *,
    scores: str = "double",
    ranks: bool = False,
) -> Iterator[tuple[str, Table]]:
    """Yield the name and the run of each system, with progress if asked for.

    A transformer is run on the topics. ``scores`` and ``ranks`` are those of
    :func:`~pt_cumgain.inputs.reading.read_run`.
    """
    for name, system in follow(list(systems.items()), verbose, what, "system"):
        run = _transform(name, system, topics) if _is_transformer(system) else system
        # an error about a file names the file
        with name_dataset(name, "run") if is_path(run) else name_run(name):
            table = read_run(run, scores=scores, ranks=ranks)
        yield name, table


def _transform(name: str, system: Any, topics: pd.DataFrame | None) -> pd.DataFrame:
    """Return a transformer's results for the topics."""
    if topics is None:
        raise ValueError(f"the system {show(name)} is a transformer, so topics are needed")
    results = system.transform(topics)
    if not isinstance(results, pd.DataFrame):
        raise TypeError(f"the system {show(name)} did not return a DataFrame, but {show(results)}")
    return results
