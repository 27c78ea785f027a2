"""Results of several collections: the column of their names, and means over them."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pt_cumgain.core import Floats

#: The column that results of several collections have as well.
DATASET = "dataset"
#: The name of all datasets together, for the mean of their means.
MACRO_MEAN = "mean"


def find_blocks(frame: pd.DataFrame) -> list[str]:
    """Return the columns of a frame whose values belong together: dataset, measure."""
    return [column for column in (DATASET, "measure") if column in frame]


def join_parts(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Return the rows of several frames, with a first column of the names of the frames."""
    return pd.concat(parts, names=[column]).reset_index(0).reset_index(drop=True)


def split_datasets(matrix: pd.DataFrame) -> list[Floats]:
    """Return the values of the topics of each dataset."""
    if matrix.index.nlevels == 1:
        return [matrix.to_numpy()]
    return [part.to_numpy() for _, part in matrix.groupby(level=0, sort=False)]


def mean_values(matrix: pd.DataFrame) -> pd.Series[float]:
    """Return each system's mean over topics; for several datasets the mean of their means."""
    if matrix.index.nlevels > 1:
        matrix = matrix.groupby(level=0).mean()
    return matrix.mean()
