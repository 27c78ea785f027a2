"""Results by topic, which ``pt.Experiment(..., perquery=True)`` returns, as matrices."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.engine.rows import Ints, numbers
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs.arguments import (
    as_list,
    is_path,
    refuse_equal_names,
    warn_of_unjudged,
)
from pt_cumgain.inputs.frames import require_columns

#: The columns of results by topic.
RESULTS = ["name", "qid", "measure", "value"]
#: The column that results of several collections have as well.
DATASET = "dataset"
#: The column that results by several judges have as well.
JUDGE = "judge"
#: What stands in that column for all datasets together: the mean of their means.
MACRO_MEAN = "mean"
_HINT = "; pt.Experiment(..., perquery=True) returns such results"
_COLLECTIONS = (
    "; results of several collections need a column 'dataset', as in "
    "pt.Experiment(...).assign(dataset='DL19')"
)
_UNPAIRED = (
    "; a comparison by topic needs all systems on the same topics, whereas test='welch' and "
    "test='mann-whitney' of pairwise compare systems that have topics of their own"
)


Results = pd.DataFrame | str | os.PathLike[str]
#: The name of a system, its place, or several of them.
Baseline = str | int | Sequence[str | int] | None


def as_results(results: Results) -> pd.DataFrame:
    """Return results by topic; for a path, the values that ``pt.Experiment(save_dir=...)`` wrote.

    Measures become text. Categorical names and measures come in the order of their categories. In
    results of several collections the column ``dataset`` names that of each topic, and ``judge``
    says whose judgments a value rests on. A topic without judgments, which is NaN for every system,
    is left out.

    Raises
    ------
    TypeError, ValueError
        If it is neither a frame nor a path; if a column is missing or appears twice, a value is not
        a number, a dataset or judge has no name, or there are no rows.

    Warns
    -----
    UserWarning
        If topics are left out.
    """
    frame: Any = results
    if is_path(results):
        # an id may look like a number, or be called NA
        texts = dict.fromkeys([*RESULTS[:3], DATASET, JUDGE], str)
        try:
            frame = pd.read_csv(
                frame, dtype=texts, keep_default_na=False, na_values={"value": [""]}
            )
        except ValueError as error:
            raise ValueError(f"results={results!r} is not a CSV file{_HINT}: {error}") from None
    require_columns(frame, RESULTS, "results", _HINT)
    frame = frame.reset_index(drop=True)  # its levels may be named like columns
    if not len(frame):
        raise ValueError("there are no results to compare")
    for column in ("name", "measure"):
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            frame = frame.sort_values(column, kind="stable")
            frame = frame.assign(**{column: frame[column].astype(object)})
    refuse_equal_names(frame["name"].unique().tolist())
    for column in set(frame) & {DATASET, JUDGE}:
        frame = frame.assign(**{column: frame[column].astype(object)})
        for name in frame[column].unique():
            if not isinstance(name, str) or name in ("", MACRO_MEAN):
                raise ValueError(
                    f"{column}={name!r} must be a name other than {MACRO_MEAN!r}, which stands for "
                    "all datasets together; a name is a text that is not empty"
                )
    printed = {measure: str(measure) for measure in frame["measure"].unique()}
    values = numbers(frame["value"], "results value")
    table: pd.DataFrame = frame.assign(measure=frame["measure"].map(printed), value=values)
    return _leave_out_unjudged(table) if np.isnan(values).any() else table


def _leave_out_unjudged(results: pd.DataFrame) -> pd.DataFrame:
    """Leave out, with a warning, topics that are NaN for every system of a measure.

    Not where a measure is NaN for every topic: it was not computed at all.
    """
    block = find_blocks(results)
    topic = [*block[:-1], "qid"]
    known = results.assign(known=results["value"].notna())
    judged = known.groupby([*topic, "measure"], dropna=False)["known"].transform("any")
    left_out = known.groupby(block)["known"].transform("any") & ~judged
    topics = results.loc[left_out, topic].drop_duplicates().astype(str).agg(" ".join, axis=1)
    if len(topics):
        warn_of_unjudged(topics.tolist())
    return results[~left_out]


def find_blocks(frame: pd.DataFrame) -> list[str]:
    """Return the columns of a frame whose values belong together: judge, dataset, measure."""
    return [column for column in (JUDGE, DATASET, "measure") if column in frame]


def split_datasets(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the results of each dataset, and of all as those of ``MACRO_MEAN``, by name.

    Results by several judges are split by judge. Without a column ``dataset`` or ``judge`` there is
    one part, which has no name.
    """
    if JUDGE in results:
        by_judge = results.groupby(JUDGE, sort=False)
        return {str(name): part.drop(columns=JUDGE) for name, part in by_judge}
    if DATASET not in results:
        return {"": results}
    parts = {str(name): part for name, part in results.groupby(DATASET, sort=False)}
    return parts | {MACRO_MEAN: results} if len(parts) > 1 else parts


def label_datasets(
    results: pd.DataFrame,
    compute: Callable[[pd.DataFrame], pd.DataFrame],
    *,
    column: bool = True,
) -> pd.DataFrame:
    """Return the frames of a function for each of :func:`split_datasets`, with its name if any.

    The name is a column or, for frames whose index names the rows, the first level of the index.
    Results by several judges have the name of each judge before those of the datasets.
    """
    parts, frames, by_judge = split_datasets(results), [], JUDGE in results
    for name, part in parts.items():
        with name_dataset(name, JUDGE if by_judge else DATASET):
            frames.append(
                label_datasets(part, compute, column=column) if by_judge else compute(part)
            )
    if "" in parts:
        return frames[0]
    label = JUDGE if by_judge else DATASET
    named = dict(zip(parts, frames))
    return join_parts(named, label) if column else pd.concat(named, names=[label])


def join_parts(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Return the rows of several frames, with a first column of the names of the frames."""
    return pd.concat(parts, names=[column]).reset_index(0).reset_index(drop=True)


def read_groups(results: pd.DataFrame, by: Any, option: str) -> tuple[str, Callable[[Any], Any]]:
    """Return the name of groups of topics, and a function from a topic to its group.

    Parameters
    ----------
    by
        A column of the results, a mapping from topics' ids to groups, or such a function; None if
        each topic is a group.
    option
        Its name, for errors.
    """
    if by is None:
        return "group", lambda topic: (topic,)  # a group even where the id is missing
    if callable(by) or isinstance(by, Mapping):
        find_group = by if callable(by) else by.get
        return "group", (lambda topic: find_group(topic[1])) if DATASET in results else find_group
    columns = as_list(by)
    if len(columns) != 1:
        raise ValueError(f"{option}={by!r} must be one column; join several into one")
    require_columns(results, columns, "results")
    groups = pd.DataFrame({"topic": list_topics(results), "group": list(results[columns[0]])})
    groups = groups.drop_duplicates()
    if (twice := groups["topic"].duplicated()).any():
        topic = groups["topic"][twice].iloc[0]
        raise ValueError(f"topic {topic!r} is in several groups of {option}={by!r}")
    return columns[0], dict(groups.to_numpy()).get


def list_groups(results: pd.DataFrame, cluster: Any) -> pd.DataFrame:
    """Return results with the column ``group``, that of each topic, and with one of datasets."""
    _, group_of = read_groups(results, cluster, "cluster")
    topics = list_topics(results)
    group = {topic: group_of(topic) for topic in dict.fromkeys(topics)}
    groups = [group[topic] for topic in topics]
    return results.assign(**{DATASET: results.get(DATASET, ""), "group": groups})


def warn_of_large_groups(results: pd.DataFrame, cluster: Any) -> None:
    """Warn if few groups of a dataset have most of its topics.

    Of 140 simulated layouts, 95% intervals of those that this leaves out contained the mean in 93
    to 96 of 100 samples, those of the others in 94 at most and in 87 in the median.
    """
    topics = list_groups(results, cluster).drop_duplicates([DATASET, "qid"])
    sizes = topics.value_counts([DATASET, "group"])
    for _, counts in sizes.groupby(level=0) if cluster is not None else []:
        effective = counts.sum() ** 2 / (counts**2).sum()
        if effective < 20 and effective < 0.75 * len(counts):
            warn(
                f"cluster: {len(counts)} groups, the largest {counts.index[0][1]!r} with "
                f"{counts.iloc[0]} of {counts.sum()} topics, count as {effective:.1f}, (sum n)^2 / "
                "sum n^2 for groups of n topics; so few find differences too often, and have "
                "intervals that are too narrow (below 20 and three quarters of the groups, 95% "
                "intervals contained the mean in 87 of 100 simulated samples)"
            )


def list_topics(results: pd.DataFrame) -> list[Any]:
    """Return the topic of each row: its id or, in results of several collections, a pair."""
    if DATASET not in results:
        return list(results["qid"])
    return list(zip(results[DATASET], results["qid"]))


def matrices(
    results: Results, *, systems: int = 2, topics: int = 2, paired: bool = True
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each measure with its values: a row for each topic, a column for each system.

    In results of several collections a topic is a pair: its dataset and its id.

    Parameters
    ----------
    systems, topics
        How many are required; topics of each dataset.
    paired
        Whether all systems must have the same topics; otherwise there is NaN where a system has
        none.

    Raises
    ------
    ValueError
        If a column is missing, there are fewer systems or topics than required, several judges, or
        a system has no value, NaN or two values for a topic, or none in a dataset.
    """
    results = as_results(results)
    if JUDGE in results and (judges := results[JUDGE].unique().tolist())[1:]:
        raise ValueError(
            f"the results are by several judges, {', '.join(judges)}; choose one of them: "
            f"results[results['judge'] == {judges[0]!r}]"
        )
    names = results["name"].unique()
    if len(names) < systems:
        raise ValueError(f"there is nothing to compare: the results have one system, {names[0]!r}")
    several = DATASET in results
    datasets = results[DATASET].unique() if several else [""]
    for measure, rows in results.groupby("measure", sort=False):
        twice = rows.duplicated(["name", "qid", *[DATASET] * several])
        if twice.any():
            name, qid = rows.loc[twice, ["name", "qid"]].iloc[0]
            hint = "" if several else _COLLECTIONS
            raise ValueError(f"{measure}: {name!r} has two values for topic {qid!r}{hint}")
        topic = [DATASET, "qid"] if several else "qid"
        matrix = rows.pivot(index=topic, columns="name", values="value")
        matrix = matrix.reindex(columns=names).astype(np.float64)
        nan = rows["value"].isna()
        if nan.any():
            name, qid = rows.loc[nan, ["name", "qid"]].iloc[0]
            raise ValueError(f"{measure}: the value of {name!r} for topic {qid!r} is NaN")
        absent = matrix.isna()
        dataset_of_topic = (
            matrix.index.get_level_values(0) if several else np.repeat("", len(matrix))
        )
        counts: Any = (
            matrix.groupby(dataset_of_topic).count().reindex(datasets, fill_value=0).stack()
        )
        (dataset, name), least = counts.idxmin(), counts.min()
        within = f" of dataset {dataset!r}" * several
        if several and not least:
            raise ValueError(f"{measure}: {name!r} has no value for any topic{within}")
        lacks = absent.any() if paired else absent.all()
        if lacks.any():
            name = lacks.idxmax()
            qid = absent[name].idxmax()
            hint = _UNPAIRED if paired else ""
            raise ValueError(f"{measure}: {name!r} has no value for topic {qid!r}{hint}")
        if least < topics:
            of = "" if paired else f" (of {name!r})"
            needed = f"topics{within}" if several else "of them"
            raise ValueError(
                f"{measure}: a test over topics needs at least two {needed}, not {least}{of}"
            )
        yield str(measure), matrix.rename_axis(columns=None)


def mean_values(matrix: pd.DataFrame) -> pd.Series[float]:
    """Return each system's mean over topics; for several datasets the mean of their means."""
    with np.errstate(over="ignore", invalid="ignore"):
        if matrix.index.nlevels > 1:
            matrix = matrix.groupby(level=0).mean()
        means = matrix.mean()
    if np.isinf(means).any():
        raise ValueError(
            f"the values of {np.isinf(means).idxmax()!r} are infinite or too large for a mean of "
            "floats"
        )
    return means


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
        If it is not one of the systems, or could be two of them; ``role`` names the argument.

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
            if name != str(system) in names:
                raise ValueError(
                    f"{role}={system} could be the system {str(system)!r} or, by its place, "
                    f"{name!r}; give the name as a text"
                )
            if not in_order and list(names) == sorted(names, key=str):
                warn(
                    f"{role}={system} is {name!r}: the systems of the results are sorted by name, "
                    "as by pt.Experiment, whatever their order in the experiment; give the name"
                )
            return name
    raise ValueError(f"{role}={system!r} is not one of the systems: {list(names)}")


def check_baselines(baseline: Any, names: Sequence[Any], *, in_order: bool = False) -> list[Any]:
    """Return the names of one, several or no baselines; see :func:`check_system`."""
    if baseline is None:
        return []
    systems = as_list(baseline) or [baseline]
    checked = (check_system(system, names, in_order=in_order) for system in systems)
    chosen = list(dict.fromkeys(checked))
    if len(chosen) == len(names):
        raise ValueError(f"baseline={baseline!r}: no system is left to compare with the baselines")
    return chosen


def pair_systems(names: Sequence[Any], baselines: Sequence[Any]) -> tuple[Ints, Ints]:
    """Return the places of the systems of all pairs, or of those that include a baseline."""
    if not baselines:
        return np.triu_indices(len(names), 1)
    second = [list(names).index(baseline) for baseline in baselines]
    others = [place for place in range(len(names)) if place not in second]
    pairs = [(one, base) for i, base in enumerate(second) for one in others + second[i + 1 :]]
    first, bases = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, bases


def one_measure(results: Results, measure: str | None = None) -> tuple[str, pd.DataFrame]:
    """Return one of the measures, or the only one, with its values; see :func:`matrices`.

    Raises
    ------
    ValueError
        As :func:`matrices`; also if the measure is unknown, or there are several to choose from.
    """
    by_measure = dict(matrices(results))
    if measure is None and len(by_measure) == 1:
        return next(iter(by_measure.items()))
    if str(measure) not in by_measure:
        known = ", ".join(by_measure)
        which = "choose a measure" if measure is None else f"there is no measure {str(measure)!r}"
        raise ValueError(f"{which}; the results have {known}")
    return str(measure), by_measure[str(measure)]
