"""Read results by topic, as returned by ``pt.Experiment(..., perquery=True)``, only once."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_cumgain.comparing._datasets import DATASET, MACRO_MEAN, find_blocks, join_parts, mean_values
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import refuse_equal_names
from pt_cumgain.inputs.measures import find_own_measure, print_measure
from pt_cumgain.inputs.reading import is_path
from pt_cumgain.inputs.topics import warn_of_unjudged
from pt_cumgain.measures import Normalised, SessionMeasure, measure_called
from pt_cumgain.writing.phrases import count_things

#: The shares of the systems' first k documents that are judged, by k and system.
Shares: TypeAlias = Mapping[int, Mapping[Any, float]]
#: The columns of results by topic.
RESULTS = ["name", "qid", "measure", "value"]
#: The largest value, which leaves room for sums and differences.
LARGEST = 1e300
#: How many values that are not whole show that all are rounded; fewer may be an example by hand.
_ROUNDED = 20
#: How many times a mean may be the next one; a percentage is 100 times a share.
_SCALES = 30
#: From here on, the value of a normalised measure is a percentage.
PERCENT = 10
_HINT = "; pt.Experiment(..., perquery=True) returns such results"
_COLLECTIONS = (
    "; results of several collections need a column 'dataset', as in "
    "pt.Experiment(...).assign(dataset='DL19')"
)
_UNPAIRED = (
    "; a comparison by topic needs all systems on the same topics; for systems with topics of "
    "their own, use an unpaired test, such as scipy.stats.ttest_ind(equal_var=False)"
)


def read_rows(results: object) -> pd.DataFrame:
    """Return results by topic, from a frame or a file of ``pt.Experiment(..., save_dir=...)``.

    Measures become text. Categorical names and measures come in the order of their categories. In
    results of several collections the column ``dataset`` names that of each topic.

    Raises
    ------
    TypeError, ValueError
        If it is neither a frame nor a path; if a column is missing or appears twice, a value is not
        a number, a dataset has no name, or there are no rows.
    """
    frame: Any = results
    if is_path(results):
        # an id may look like a number, or be called NA
        ids = dict.fromkeys([*RESULTS[:3], DATASET], str)
        try:
            frame = pd.read_csv(frame, dtype=ids, keep_default_na=False, na_values={"value": [""]})
        except ValueError as error:
            raise ValueError(f"results={results!r} is not a CSV file{_HINT}: {error}") from None
    require_columns(frame, RESULTS, "results", _HINT)
    frame = frame.reset_index(drop=True)  # its levels may be named like columns
    if not len(frame):
        raise ValueError("there are no results to compare")
    frame = _sort_by_categories(frame)
    refuse_equal_names(frame["name"].unique().tolist())
    if DATASET in frame:
        frame = frame.assign(**{DATASET: frame[DATASET].astype(object)})
        for name in frame[DATASET].unique():
            if not isinstance(name, str) or name in ("", MACRO_MEAN):
                raise ValueError(
                    f"{DATASET}={name!r} must be a name other than {MACRO_MEAN!r}, which stands "
                    "for all datasets together; a name is a text that is not empty"
                )
    printed = {measure: print_measure(measure) for measure in frame["measure"].unique()}
    values = numbers(frame["value"], "results value")
    table: pd.DataFrame = frame.assign(measure=frame["measure"].map(printed), value=values)
    return table


def _warn_of_form(measure: str, matrix: pd.DataFrame) -> None:
    """Warn of values that look rounded, or on two scales; refuse shares beside percentages."""
    highest, own = matrix.max(), find_own_measure(measure)
    is_share = isinstance(own, Normalised) and not isinstance(own, SessionMeasure)
    if is_share and highest.min() <= 1 and highest.max() >= PERCENT:
        name = highest.idxmax()
        raise ValueError(
            f"{measure}: the value of {name!r} for topic {matrix[name].idxmax()!r} is "
            f"{highest.max():.4g}; values of {highest.idxmin()!r} are at most 1, as they should be"
        )
    values = matrix.stack().to_numpy()
    whole, rounded = values == np.rint(values), values == values.round(2)
    # sums divided by logarithms have many decimals; there are none of those at rank 1
    by_rank = own is None or own.spec.discount in ("none", "rank") or own.spec.cutoff == 1
    if not by_rank and rounded.all() and np.count_nonzero(~whole) >= _ROUNDED:
        warn(
            f"{measure}: all values have at most two decimals, so they seem to be rounded; means "
            "and tests need values as they are"
        )
    means = matrix.mean().nlargest(2)
    if len(means) > 1 and means.iloc[0] > _SCALES * means.iloc[1] > 0:
        (first, second), (high, low) = means.index, means
        if matrix.drop(columns=first).max(axis=None) <= 1 < matrix[first].max():
            warn(
                f"{measure}: the mean of {first!r} is {high:.4g} and that of {second!r} {low:.4g}; "
                "are the values on two scales?"
            )


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
        warn_of_unjudged(topics.tolist(), "whose values are NaN for every system")
    return results[~left_out]


@dataclass(frozen=True, eq=False)
class TopicResults:
    """Results by topic, checked, which functions hand on to each other.

    Attributes
    ----------
    frame
        ``name``, ``qid``, ``measure``, ``value``, perhaps ``dataset``.
    shares
        The mean shares of the systems' first k documents that are judged, if they are known: by
        dataset as in :attr:`parts`, by k, by system.
    """

    frame: pd.DataFrame
    shares: Mapping[str, Shares] = field(default_factory=dict)

    @classmethod
    def read(cls, results: Results) -> TopicResults:
        """Return results as users pass them; see :func:`read_rows`."""
        return results if isinstance(results, TopicResults) else cls.of(read_rows(results))

    @classmethod
    def of(cls, rows: pd.DataFrame) -> TopicResults:
        """Return rows that have been read, and perhaps chosen; see :meth:`read`.

        A topic without judgments, which is NaN for every system, is left out, with a warning.
        """
        return cls(_leave_out_unjudged(_sort_by_categories(rows)))

    @property
    def names(self) -> list[str]:
        """The systems."""
        return self.frame["name"].unique().tolist()

    @property
    def topic(self) -> list[str]:
        """The columns that tell topics apart: the id and, of several collections, the dataset."""
        return [DATASET, "qid"] if DATASET in self.frame else ["qid"]

    @cached_property
    def parts(self) -> dict[str, TopicResults]:
        """The results of each dataset, and of all as those of ``MACRO_MEAN``, by name.

        Without a column ``dataset`` there is one part, which has no name.
        """
        if DATASET not in self.frame:
            return {"": self}
        by_name = self.frame.groupby(DATASET, sort=False)
        parts = {str(name): replace(self, frame=part) for name, part in by_name}
        return parts | {MACRO_MEAN: self} if len(parts) > 1 else parts

    def split_judged(self) -> TopicResults:
        """Return the results without the values of ir-measures' ``Judged@k``, which are shares.

        If there are no others, ``Judged@k`` is a measure like any other.
        """
        is_judged = self.frame["measure"].str.fullmatch(r"Judged@\d+")
        if is_judged.all():
            return replace(self, shares={})
        judged = replace(self, frame=self.frame[is_judged]).parts
        shares = {dataset: _average_shares(part) for dataset, part in judged.items()}
        return replace(self, frame=self.frame[~is_judged], shares=shares | {**self.shares})

    def shares_of(self, measure: str, dataset: str = "") -> Mapping[Any, float]:
        """Return the known shares of the most ranks that a measure reads, given its text."""
        depth, shares = _find_depth(measure), self.shares.get(dataset, {})
        known = [k for k in shares if k <= depth]
        return shares[max(known)] if known else {}

    def is_judged(self, measure: str, dataset: str = "") -> bool:
        """Return whether all documents that a measure reads are known to be judged."""
        shares, depth = self.shares.get(dataset, {}), _find_depth(measure)
        deep = [share for k, share in shares.items() if k >= depth]
        is_whole = any(all(share.get(name) == 1 for name in self.names) for share in deep)
        return is_whole and "ties=" not in measure

    @property
    def has_unjudged(self) -> bool:
        """Whether some of the systems' first documents are known not to be judged."""
        return any(min(share.values()) < 1 for share in self._list_shares())

    def _list_shares(self) -> list[Mapping[Any, float]]:
        """Return the known shares by system, of all datasets and depths."""
        return [share for shares in self.shares.values() for share in shares.values()]

    def find_evident(self) -> set[object]:
        """Return the systems with a value other than 0, or with documents known to be judged."""
        judged = {name for share in self._list_shares() for name in share if share[name] > 0}
        return judged | {*self.frame.loc[self.frame["value"] != 0, "name"]}

    def add_judged(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame by measure and system with the column ``judged``, if shares are known."""
        if not any(self.shares.values()):
            return frame
        datasets = frame.get(DATASET, pd.Series("", frame.index))
        cells = zip(frame["measure"], datasets, frame["name"])
        shares = [self.shares_of(m, dataset).get(name, np.nan) for m, dataset, name in cells]
        return frame.assign(judged=shares)

    def label(self, compute: Callable[[TopicResults], pd.DataFrame]) -> pd.DataFrame:
        """Return what a function returns for each of the parts, perhaps with its name."""
        frames = {}
        for name, part in self.parts.items():
            with name_dataset(name):
                frames[name] = compute(part)
        return frames[""] if "" in frames else join_parts(frames, DATASET)

    @cached_property
    def _by_measure(self) -> dict[str, pd.DataFrame]:
        """The values of each measure, NaN where a system has none; see :meth:`matrices`."""
        by_measure = {}
        for measure, rows in self.frame.groupby("measure", sort=False):
            twice = rows.duplicated(["name", *self.topic])
            if twice.any():
                name, qid = rows.loc[twice, ["name", "qid"]].iloc[0]
                hint = "" if DATASET in rows else _COLLECTIONS
                raise ValueError(f"{measure}: {name!r} has two values for topic {qid!r}{hint}")
            wrong = ~(rows["value"].abs() <= LARGEST)
            if wrong.any():
                name, qid, value = rows.loc[wrong, ["name", "qid", "value"]].iloc[0]
                what = "NaN" if np.isnan(value) else "infinite or too large for sums of floats"
                raise ValueError(f"{measure}: the value of {name!r} for topic {qid!r} is {what}")
            matrix = rows.pivot(index=self.topic, columns="name", values="value")
            matrix = matrix.reindex(columns=self.names).rename_axis(columns=None)
            by_measure[str(measure)] = matrix = matrix.astype(np.float64)
            _warn_of_form(str(measure), matrix)
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
            If there are fewer systems or topics than required, or a system has no value, NaN, a
            value beyond :data:`LARGEST` or two values for a topic, or none in a dataset.
        """
        if len(self.names) < systems:
            raise ValueError(f"there is only one system, {self.names[0]!r}; a comparison needs two")
        for measure, matrix in self._by_measure.items():
            lacks = matrix.isna().any()
            if paired and lacks.any():
                name = lacks.idxmax()
                qid = matrix[name].isna().idxmax()
                raise ValueError(f"{measure}: {name!r} has no value for topic {qid!r}{_UNPAIRED}")
            counts: Any = matrix.count().to_frame("").T
            if DATASET in self.frame:
                datasets = self.frame[DATASET].unique()
                counts = matrix.groupby(level=0).count().reindex(datasets, fill_value=0)
            (dataset, name), least = counts.stack().idxmin(), counts.min(axis=None)
            if least < topics:
                within = f" of dataset {dataset!r}" if dataset else ""
                raise ValueError(
                    f"{measure}: {name!r} has values for {count_things(least, 'topic')}{within}; "
                    f"{topics} or more are needed"
                )
        return self._by_measure


def _average_shares(judged: TopicResults) -> Shares:
    """Return the mean values of ``Judged@k``."""
    means = judged.matrices(systems=0, topics=0, paired=False).items()
    return {int(m.partition("@")[2]): mean_values(values).to_dict() for m, values in means}


def _find_depth(measure: str) -> float:
    """Return the last rank of the topic's list that a measure reads, given its text; or NaN."""
    if isinstance(measure_called(measure), SessionMeasure):
        return math.nan  # it reads the lists of queries
    cutoff = re.search(r"@(\d+)$", measure)
    return int(cutoff[1]) if cutoff else math.inf


#: Results by topic: a frame, the path of one, or what another function has read.
Results: TypeAlias = pd.DataFrame | str | os.PathLike[str] | TopicResults
