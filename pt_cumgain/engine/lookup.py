"""Find judged documents in a run whose document column is held by pyarrow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute

from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.engine.rows import Ints, bounds_of


def places(
    docs: pyarrow.Array, start: Ints, size: Ints, judged: Sequence[list[str]]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Find judged documents in lists of documents.

    Parameters
    ----------
    docs
        The column of documents, a pyarrow array of strings.
    start, size
        The row of the column at which each list begins, and the list's length.
    judged
        The judged documents of each list.

    Returns
    -------
    places
        For each judged document, list by list, its place in the list, from 0; -1 if it is missing
        from the list.
    repeated
        Whether each list has a document twice; its places are then not valid.
    """
    wanted = text_array([doc for of_list in judged for doc in of_list]).cast(docs.type)
    bounds = bounds_of(np.array([len(of_list) for of_list in judged], dtype=np.int64)).tolist()
    repeated = np.zeros(len(size), dtype=bool)
    parts = []
    for i, (first, length) in enumerate(zip(start.tolist(), size.tolist())):
        listed = docs.slice(first, length)
        repeated[i] = len(listed.unique()) < length
        parts.append(compute.index_in(wanted.slice(bounds[i], bounds[i + 1] - bounds[i]), listed))
    missing = number_array(np.array([-1], dtype=np.int32))[0]  # a plain -1 imports pandas
    found = pyarrow.concat_arrays(parts).fill_null(missing)
    return np.from_dlpack(found).astype(np.int64), repeated
