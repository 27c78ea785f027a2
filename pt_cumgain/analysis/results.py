"""Read results by topic, as returned by ``pt.Experiment(..., perquery=True)``, only once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_cumgain.analysis.strata import Layout
from pt_cumgain.engine.rows import Ints, numbers
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs.arguments import as_list, is_path, refuse_equal_names, warn_of_unjudged
from pt_cumgain.inputs.frames import require_columns

#: The columns of results by topic.
RESULTS = ["name", "qid", "measure", "value"]
#: The column that results of several collections have as well.
DATASET = "dataset"
#: The column that results by several judges have as well.
JUDGE = "judge"
#: The column of the groups of topics, which users' results do not have.
GROUP = "group of topics"
#: The name of all datasets together, for the mean of their means.
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


def read_rows(results: Any) -> pd.DataFrame:
    """Return results by topic, from a frame or a file of ``pt.Experiment(..., save_dir=...)``.

    Measures become text. Categorical names and measures come in the order of their categories. In
    results of several collections the column ``dataset`` names that of each topic, and ``judge``
    says whose judgments a value rests on.

    Raises
    ------
    TypeError, ValueError
        If it is neither a frame nor a path; if a column is missing or appears twice, a value is not
        a number, a dataset or judge has no name, or there are no rows.
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
    frame = _sort_by_categories(frame)
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
    return table


def _sort_by_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows in the order of categorical names and measures, which become texts."""
    for column in ("name", "measure"):
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            frame = frame.sort_values(column, kind="stable")
            frame = frame.assign(**{column: frame[column].astype(object)})
    return frame


def _leave_out_unjudged(results: pd.DataFrame) -> pd.DataFrame:
    """Leave out, with a warning, topics that are NaN for every system of a measure.

    A measure that is NaN for every topic is kept: it was not computed at all.
    """
    if not results["value"].isna().any():
        return results
    block = find_blocks(results)
    topic = [*block[:-1], "qid"]
    known = results.assign(known=results["value"].notna())
    judged = known.groupby([*topic, "measure"], dropna=False)["known"].transform("any")
    left_out = known.groupby(block)["known"].transform("any") & ~judged
    topics = results.loc[left_out, topic].drop_duplicates().astype(str).agg(" ".join, axis=1)
    if len(topics):
        warn_of_unjudged(topics.tolist())
    return results[~left_out]


def _find_groups(results: pd.DataFrame, by: Any, option: str) -> tuple[str, Any]:
    """Return the name for groups of topics, and the group of each row.

    See :meth:`TopicResults.read`.

    Raises
    ------
    TypeError, ValueError
        If the column is missing, or a topic has several groups.
    """
    if callable(by) or isinstance(by, Mapping):
        return "group", results["qid"].map(by).astype(object)
    columns = as_list(by)
    if len(columns) != 1:
        raise ValueError(f"{option}={by!r} must be one column; join several into one")
    require_columns(results, columns, "results")
    topic = [column for column in (DATASET, "qid") if column in results]
    distinct = results[topic].assign(group=results[columns[0]]).drop_duplicates()
    for several in distinct.loc[distinct.duplicated(topic), topic].itertuples(index=False):
        found = tuple(several) if len(topic) > 1 else several[0]
        raise ValueError(f"topic {found!r} is in several groups of {option}={by!r}")
    return columns[0], results[columns[0]].astype(object)


def find_blocks(frame: pd.DataFrame) -> list[str]:
    """Return the columns of a frame whose values belong together: judge, dataset, measure."""
    return [column for column in (JUDGE, DATASET, "measure") if column in frame]


def join_parts(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Return the rows of several frames, with a first column of the names of the frames."""
    return pd.concat(parts, names=[column]).reset_index(0).reset_index(drop=True)


#: The name of a system, its place, or several of them.
Baseline = str | int | Sequence[str | int] | None


@dataclass(frozen=True, eq=False)
class TopicResults:
    """Results by topic, checked, which functions hand on to each other.

    Attributes
    ----------
    frame
        ``name``, ``qid``, ``measure``, ``value``, perhaps ``dataset`` and ``judge``, and for groups
        of topics the column ``GROUP``.
    grouping
        What groups of topics are called; empty if each topic is a group.
    """

    frame: pd.DataFrame
    grouping: str = ""

    @classmethod
    def read(cls, results: Results, by: Any = None, option: str = "cluster") -> TopicResults:
        """Return results as users pass them, with groups of topics; see :func:`read_rows`.

        Parameters
        ----------
        by
            A column of the results, a mapping from topics' ids to groups, or such a function; None
            if each topic is a group.
        option
            Its name, for errors.
        """
        if isinstance(results, TopicResults):
            known = by is None or results.grouping
            return results if known else cls.of(results.frame, by, option)
        return cls.of(read_rows(results), by, option)

    @classmethod
    def of(cls, rows: pd.DataFrame, by: Any = None, option: str = "cluster") -> TopicResults:
        """Return rows that have been read, and perhaps chosen; see :meth:`read`.

        A topic without judgments, which is NaN for every system, is left out, with a warning.
        """
        frame = _leave_out_unjudged(_sort_by_categories(rows))
        if by is None:
            return cls(frame)
        grouping, groups = _find_groups(frame, by, option)
        grouped = cls(frame.assign(**{GROUP: groups}), grouping)
        if option == "cluster":
            grouped.warn_of_large_groups()
        return grouped

    @property
    def names(self) -> list[Any]:
        """The systems."""
        return self.frame["name"].unique().tolist()

    @property
    def topic(self) -> list[str]:
        """The columns that tell topics apart: the id and, of several collections, the dataset."""
        return [*[DATASET] * (DATASET in self.frame), "qid"]

    @cached_property
    def parts(self) -> dict[str, TopicResults]:
        """The results of each dataset, and of all as those of ``MACRO_MEAN``, by name.

        Results by several judges are split by judge. Without a column ``dataset`` or ``judge``
        there is one part, which has no name.
        """
        column = next((column for column in (JUDGE, DATASET) if column in self.frame), None)
        if column is None:
            return {"": self}
        by_name = self.frame.groupby(column, sort=False)
        parts = {
            str(name): replace(self, frame=part.drop(columns=JUDGE, errors="ignore"))
            for name, part in by_name
        }
        return parts | {MACRO_MEAN: self} if column == DATASET and len(parts) > 1 else parts

    def label(
        self, compute: Callable[[TopicResults], pd.DataFrame], *, column: bool = True
    ) -> pd.DataFrame:
        """Return what a function returns for each of the parts, with its name if it has any.

        The name is a column or, for frames whose index names the rows, the first level of the
        index. Results by several judges have the name of each judge before those of the datasets.
        """
        label, frames = JUDGE if JUDGE in self.frame else DATASET, {}
        for name, part in self.parts.items():
            with name_dataset(name, label):
                by_judge = label == JUDGE
                frames[name] = part.label(compute, column=column) if by_judge else compute(part)
        if "" in frames:
            return frames[""]
        return join_parts(frames, label) if column else pd.concat(frames, names=[label])

    def replace_values(self, values: pd.Series) -> TopicResults:
        """Return other values of the same rows, without those that are NaN."""
        return replace(self, frame=self.frame.assign(value=values).dropna(subset="value"))

    def list_groups(self) -> pd.DataFrame:
        """Return the rows with the dataset, empty if there is none, and the group of each topic."""
        frame = self.frame
        columns = {DATASET: frame.get(DATASET, ""), GROUP: frame.get(GROUP, frame["qid"])}
        return frame.assign(**columns)

    def warn_of_large_groups(self) -> None:
        """Warn if a few groups contain most of the topics of a dataset.

        Of 140 simulated layouts, 95% intervals of those that this leaves out contained the mean in
        93 to 96 of 100 samples, those of the others in 94 at most and in 87 in the median.
        """
        topics = self.list_groups().drop_duplicates([DATASET, "qid"])
        for _, counts in topics.value_counts([DATASET, GROUP]).groupby(level=0):
            effective = counts.sum() ** 2 / (counts**2).sum()
            if effective < 20 and effective < 0.75 * len(counts):
                warn(
                    f"cluster: {len(counts)} groups, of which the largest, {counts.index[0][1]!r}, "
                    f"has {counts.iloc[0]} of {counts.sum()} topics, count as only {effective:.1f} "
                    "groups: (sum n)^2 / sum n^2 for groups of n topics; with so few, tests find "
                    "differences too often and intervals are too narrow (below 20 and three "
                    "quarters of the groups, 95% intervals contained the mean in 87 of 100 "
                    "simulated samples)"
                )

    def groups_of(self, topics: pd.Index, option: str = "cluster") -> pd.Series:
        """Return the group of each topic: an id, or a pair of dataset and id.

        Raises
        ------
        ValueError
            If a topic has no group.
        """
        by_topic = self.frame.drop_duplicates(self.topic).set_index(self.topic)[GROUP]
        groups = by_topic.reindex(topics)
        if groups.hasnans:
            qids = topics.get_level_values(-1)
            raise ValueError(f"{option}: topic {qids[groups.isna()][0]!r} has no group")
        return groups

    def layout(self, topics: pd.Index) -> Layout:
        """Return the dataset of each topic, and the group in which it is drawn, as numbers."""
        dataset, group = np.zeros(len(topics), dtype=np.int64), np.arange(len(topics))
        if topics.nlevels > 1:
            dataset = pd.factorize(topics.get_level_values(0))[0]
        if self.grouping:
            group = pd.factorize(self.groups_of(topics))[0]
        return Layout(dataset, group)

    @cached_property
    def _by_measure(self) -> dict[str, pd.DataFrame]:
        """The values of each measure, NaN where a system has none; see :meth:`matrices`."""
        by_measure = {}
        for measure, rows in self.frame.groupby("measure", sort=False):
            twice, nan = rows.duplicated(["name", *self.topic]), rows["value"].isna()
            if twice.any():
                name, qid = rows.loc[twice, ["name", "qid"]].iloc[0]
                hint = "" if DATASET in rows else _COLLECTIONS
                raise ValueError(f"{measure}: {name!r} has two values for topic {qid!r}{hint}")
            if nan.any():
                name, qid = rows.loc[nan, ["name", "qid"]].iloc[0]
                raise ValueError(f"{measure}: the value of {name!r} for topic {qid!r} is NaN")
            matrix = rows.pivot(index=self.topic, columns="name", values="value")
            matrix = matrix.reindex(columns=self.names).rename_axis(columns=None)
            by_measure[str(measure)] = matrix.astype(np.float64)
        return by_measure

    def matrices(
        self, *, systems: int = 2, topics: int = 2, paired: bool = True
    ) -> dict[str, pd.DataFrame]:
        """Return the values of each measure: a row for each topic, a column for each system.

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
            If there are fewer systems or topics than required, several judges, or a system has no
            value, NaN or two values for a topic, or none in a dataset.
        """
        if JUDGE in self.frame and (judges := self.frame[JUDGE].unique().tolist())[1:]:
            raise ValueError(
                f"the results are by several judges, {', '.join(judges)}; choose one of them: "
                f"results[results['judge'] == {judges[0]!r}]"
            )
        if len(self.names) < systems:
            raise ValueError(
                f"there is nothing to compare: the results have one system, {self.names[0]!r}"
            )
        several = DATASET in self.frame
        for measure, matrix in self._by_measure.items():
            counts = matrix.count().to_frame("").T
            if several:
                datasets = self.frame[DATASET].unique()
                counts = matrix.groupby(level=0).count().reindex(datasets, fill_value=0)
            by_system: Any = counts.stack()
            (dataset, name), least = by_system.idxmin(), by_system.min()
            within = f" of dataset {dataset!r}" * several
            if several and not least:
                raise ValueError(f"{measure}: {name!r} has no value for any topic{within}")
            absent = matrix.isna()
            lacks = absent.any() if paired else absent.all()
            if lacks.any():
                name, hint = lacks.idxmax(), _UNPAIRED * paired
                qid = absent[name].idxmax()
                raise ValueError(f"{measure}: {name!r} has no value for topic {qid!r}{hint}")
            if least < topics:
                needed = f"topics{within}" if several else "of them"
                of = "" if paired else f" (of {name!r})"
                raise ValueError(
                    f"{measure}: a test over topics needs at least two {needed}, not {least}{of}"
                )
        return self._by_measure

    def choose_measure(self, measure: str | None = None) -> tuple[str, pd.DataFrame]:
        """Return one of the measures, or the only one, with its values; see :meth:`matrices`.

        Raises
        ------
        ValueError
            As :meth:`matrices`; also if the measure is unknown, or there are several to choose
            from.
        """
        by_measure = self.matrices()
        if measure is None and len(by_measure) == 1:
            return next(iter(by_measure.items()))
        if str(measure) not in by_measure:
            known = ", ".join(by_measure)
            none = f"there is no measure {str(measure)!r}"
            raise ValueError(
                f"{'choose a measure' if measure is None else none}; the results have {known}"
            )
        return str(measure), by_measure[str(measure)]


#: Results by topic: a frame, the path of one, or what another function has read.
Results: TypeAlias = pd.DataFrame | str | os.PathLike[str] | TopicResults


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
                    f"{role}={system} selects {name!r}: the systems in the results are sorted by "
                    "name, as pt.Experiment does, and not in the order of the experiment; give the "
                    "name"
                )
            return name
    if system is None:
        raise ValueError(f"give {role}=, one of the systems: {list(names)}")
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
