"""Results by topic, which ``pt.Experiment(..., perquery=True)`` returns, as matrices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import numbers
from pt_cumgain.inputs.arguments import is_path
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.warning import warn

#: The columns of results by topic.
RESULTS = ["name", "qid", "measure", "value"]
_HINT = "; pt.Experiment(..., perquery=True) returns such results"
_UNPAIRED = (
    "; a comparison by topic needs all systems on the same topics, whereas test='welch' and "
    "test='mann-whitney' of pairwise compare systems that have topics of their own"
)


Results = pd.DataFrame | str | os.PathLike[str]


def as_results(results: Results) -> pd.DataFrame:
    """Return results by topic; for a path, what ``pt.Experiment(..., save_dir=...)`` wrote there.

    Measures become text. Categorical names and measures come in the order of their categories.

    Raises
    ------
    TypeError, ValueError
        If it is neither a frame nor a path; if a column is missing or appears twice, a value is not
        a number, or there are no rows.
    """
    frame: Any = results
    if is_path(results):
        texts = dict.fromkeys(RESULTS[:3], str)  # an id may look like a number, or be called NA
        frame = pd.read_csv(frame, dtype=texts, keep_default_na=False, na_values={"value": [""]})
    require_columns(frame, RESULTS, "results", _HINT)
    if not len(frame):
        raise ValueError("there are no results to compare")
    for column in ("name", "measure"):
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            frame = frame.sort_values(column, kind="stable")
            frame = frame.assign(**{column: frame[column].astype(object)})
    printed = {measure: str(measure) for measure in frame["measure"].unique()}
    values = numbers(frame["value"], "results value")
    table: pd.DataFrame = frame.assign(measure=frame["measure"].map(printed), value=values)
    return table


def matrices(
    results: Results, *, systems: int = 2, topics: int = 2, paired: bool = True
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each measure with its values: a row for each topic, a column for each system.

    Parameters
    ----------
    systems, topics
        How many are required.
    paired
        Whether all systems must have the same topics; otherwise there is NaN where a system has
        none.

    Raises
    ------
    ValueError
        If a column is missing, there are fewer systems or topics than required, or a system has no
        value, NaN or two values for a topic.
    """
    results = as_results(results)
    names = results["name"].unique()
    if len(names) < systems:
        raise ValueError(f"there is nothing to compare: the results have one system, {names[0]!r}")
    for measure, of_measure in results.groupby("measure", sort=False):
        twice = of_measure.duplicated(["name", "qid"])
        if twice.any():
            name, qid = of_measure.loc[twice, ["name", "qid"]].iloc[0]
            raise ValueError(f"{measure}: {name!r} has two values for topic {qid!r}")
        matrix = of_measure.pivot(index="qid", columns="name", values="value")
        matrix = matrix.reindex(columns=names).astype(np.float64)
        nan = of_measure["value"].isna()
        if nan.any():
            name, qid = of_measure.loc[nan, ["name", "qid"]].iloc[0]
            raise ValueError(f"{measure}: the value of {name!r} for topic {qid!r} is NaN")
        absent = matrix.isna()
        lacks = absent.any() if paired else absent.all()
        if lacks.any():
            name = lacks.idxmax()
            qid = absent[name].idxmax()
            hint = _UNPAIRED if paired else ""
            raise ValueError(f"{measure}: {name!r} has no value for topic {qid!r}{hint}")
        count = matrix.count()
        if count.min() < topics:
            of = "" if paired else f" (of {count.idxmin()!r})"
            raise ValueError(
                f"{measure}: a test over topics needs at least two of them, not {count.min()}{of}"
            )
        yield str(measure), matrix.rename_axis(columns=None)


def check_system(
    system: Any,
    names: Sequence[Any],
    role: str = "baseline",
    *,
    in_order: bool = False,
) -> Any:
    """Return the name of a system, given its name or, as in ``pt.Experiment``, its place from 0.

    ``in_order`` says that the names are in the order in which the user gave the systems. That order
    is lost in results by topic, which ``pt.Experiment`` sorts by name.

    Raises
    ------
    ValueError
        If it is not one of the systems; ``role`` names the argument.

    Warns
    -----
    UserWarning
        If it is a place among names that may have been sorted.
    """
    if not isinstance(system, (bool, np.bool_)):
        if system in names:
            return system
        if isinstance(system, (int, np.integer)) and 0 <= system < len(names):
            name = names[int(system)]
            if not in_order and list(names) == sorted(names, key=str):
                warn(
                    f"{role}={system} is {name!r}: the systems of the results are sorted by name, "
                    "as by pt.Experiment, whatever their order in the experiment; give the name"
                )
            return name
    raise ValueError(f"{role}={system!r} is not one of the systems: {list(names)}")


def one_measure(results: Results, measure: str | None = None) -> tuple[str, pd.DataFrame]:
    """Return one of the measures, or the only one, with its values; see :func:`matrices`.

    Raises
    ------
    ValueError
        As :func:`matrices`; also if the measure is unknown, or there are several to choose from.
    """
    of_measure = dict(matrices(results))
    if measure is None and len(of_measure) == 1:
        return next(iter(of_measure.items()))
    if str(measure) not in of_measure:
        known = ", ".join(of_measure)
        which = "choose a measure" if measure is None else f"there is no measure {str(measure)!r}"
        raise ValueError(f"{which}; the results have {known}")
    return str(measure), of_measure[str(measure)]
