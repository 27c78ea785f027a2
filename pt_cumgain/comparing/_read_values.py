"""Values by topic that other programs wrote: lines of three fields, or a table with a head."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing._datasets import DATASET
from pt_cumgain.comparing._results import RESULTS
from pt_cumgain.inputs.formats import run_name
from pt_cumgain.inputs.lines import open_text, read_number, split_head
from pt_cumgain.inputs.lists import as_list, refuse_equal_names
from pt_cumgain.options import OPTIONS

#: Other names of the columns of a table.
_NAMES = {
    **dict.fromkeys(("system", "run", "run_id", "runid"), "name"),
    **dict.fromkeys(("query_id", "topic", "topic_id", "q_id"), "qid"),
    "metric": "measure",
    "score": "value",
}
#: The topic of a mean over all topics.
_ALL = "all"
#: The most bytes that a file may hold: of a pipe, no one knows how many follow.
_LARGEST = 1 << 28
_FORMS = (
    "values by topic are lines of measure, topic and value, as trec_eval -q prints them, or of "
    "topic, measure and value, as ir_measures -q does, or a table with the columns name, qid, "
    "measure, value"
)
_PATH = OPTIONS["path"]
_SUFFIXES = (".eval", ".tsv", ".csv", ".txt")


def read_values(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any],
) -> pd.DataFrame:
    r"""Read values by topic from files that other programs wrote.

    Parameters
    ----------
    paths
        One file or several, or a mapping of the systems' names to their files,
        in UTF-8, gzipped or not. A file has one of these forms:

        - lines of measure, topic and value, as ``trec_eval -q`` prints them, or
          of topic, measure and value, as ``ir_measures -q`` does: the values of
          one system, which has the name of the file. The lines for ``all``
          show which field is the topic;
        - a table with a head, separated by commas, semicolons or tabs, with the
          columns ``name, qid, measure, value`` of PyTerrier's results by topic.
          They may be called ``system`` or ``run``, ``query_id`` or ``topic``,
          ``metric`` and ``score``. Without names, the values are those of one
          system. In a mapping, the only system of a table has the mapping's
          name. A column ``dataset`` is kept.

    Returns
    -------
    pandas.DataFrame
        ``name, qid, measure, value`` and, if the files have it, ``dataset``,
        which :func:`pt_cumgain.pairwise`, :func:`pt_cumgain.paper_table` and
        the other comparisons accept. Means over all topics are left out, as are
        all other lines for ``all``, such as trec_eval's ``runid``. Measures
        keep the names that the program gave them.

    Raises
    ------
    ValueError
        If a file has another form, a value is not a finite number, or there are
        no values by topic; if lines without a head have none for ``all``; if
        only some of the files have a column ``dataset``.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "bm25.eval")
    >>> _ = file.write_text("ndcg_cut_10 1 0.5\nndcg_cut_10 2 0.7\nndcg_cut_10 all 0.6\n")
    >>> read_values(file)
       name qid      measure  value
    0  bm25   1  ndcg_cut_10    0.5
    1  bm25   2  ndcg_cut_10    0.7
    """
    named = isinstance(paths, Mapping)
    if not isinstance(paths, Mapping):
        listed: list[Any] = as_list(paths)
        names = [_name_system(path) for path in listed]
        refuse_equal_names(names)
        paths = dict(zip(names, listed))
    if not paths:
        raise ValueError("no file was given")
    frames = []
    for name, path in paths.items():
        frame = _read_file(Path(_PATH.check("paths", path)))
        own = "name" in frame and (frame["name"].nunique() > 1 or not named)
        frames.append(frame if own else frame.assign(name=name))
    if len({DATASET in frame for frame in frames}) > 1:
        raise ValueError("some files have a column dataset, but others do not; give it to all")
    joined = pd.concat(frames, ignore_index=True)
    return joined[[name for name in (*RESULTS, DATASET) if name in joined]]


def _name_system(path: str | os.PathLike[str]) -> str:
    name = run_name(_PATH.check("paths", path))
    return next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)


def _read_file(path: Path) -> pd.DataFrame:
    """Return results by topic, without a column of names if the file does not name its systems."""
    with open_text(path, path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"{path} holds more than {_LARGEST >> 20} MiB, too much for values")
    try:
        frame = _split_fields(content.decode("utf-8-sig").splitlines())
        frame = frame[frame["qid"] != _ALL]
        if frame.empty:
            raise ValueError("there is no value by topic")
        if (frame["qid"] == "").any():
            raise ValueError("there is a value without a topic")
        values = frame["value"].map(read_number)
        wrong = ~np.isfinite(values)
        if wrong.any():
            qid, measure, text = frame.loc[wrong, RESULTS[1:]].iloc[0]
            raise ValueError(f"{text!r}, of {measure!r} for topic {qid!r}, is not a finite number")
        return frame.assign(value=values)
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{path} is not read: {error}; {_FORMS}") from None


def _split_fields(lines: list[str]) -> pd.DataFrame:
    """Return the fields of lines, as texts in the columns of results by topic."""
    delimiter, head = split_head(lines[0] if lines else "")
    columns = [_NAMES.get(name, name) for name in head]
    has_head = {"qid", "measure", "value"} <= {*columns} and len({*columns}) == len(columns)
    if has_head:
        rows = list(csv.reader(lines[1:], delimiter=delimiter))
    else:
        columns = ["measure", "qid", "value"]
        rows = [line.split("\t") if line.count("\t") > 1 else line.split() for line in lines]
    rows = [[field.strip() for field in row] for row in rows if row]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"the form of {' '.join(row)[:60]!r} is unknown")
    if rows and not has_head:
        firsts, seconds = {row[0] for row in rows}, {row[1] for row in rows}
        if (_ALL in firsts) == (_ALL in seconds):
            raise ValueError(
                f"{' '.join(rows[0])[:60]!r} does not show which field is the measure; keep the "
                "lines for 'all'"
            )
        if _ALL in firsts:
            columns = ["qid", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)
