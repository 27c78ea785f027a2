"""Values by topic that other programs wrote: lines of three fields, or a table with a head."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

from pt_cumgain.comparing.results import RESULTS
from pt_cumgain.inputs.arguments import as_list, refuse_equal_names, run_name
from pt_cumgain.inputs.lines import SIGNS, open_text, split_head
from pt_cumgain.options import OPTIONS

#: The columns of a table by the names that programs give them; the first that is there counts.
_COLUMNS = {
    "name": ("name", "system", "run", "run_id", "runid"),
    "qid": ("qid", "query_id", "topic", "topic_id", "q_id"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
#: The topic of a mean over all topics.
_ALL = "all"
_FORMS = (
    "values by topic are lines of measure, topic and value, as trec_eval -q prints them, or of "
    "topic, measure and value, as ir_measures -q does, or a table with the columns name, qid, "
    "measure, value"
)
_PATH = OPTIONS["path"]
_SUFFIXES = (".eval", ".tsv", ".csv", ".txt")

#: A system, which has no name in lines, a topic, a measure and a value.
_Row = tuple[str, str, str, float]


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
          one system, which has the name of the file;
        - a table with a head, separated by commas, semicolons or tabs, with the
          columns ``name, qid, measure, value`` of PyTerrier's results by topic.
          They may be called ``system`` or ``run``, ``query_id`` or ``topic``,
          ``metric`` and ``score``. Without names, the values are those of one
          system. In a mapping, the only system of a table has the mapping's
          name.

    Returns
    -------
    pandas.DataFrame
        ``name, qid, measure, value``, which :func:`pt_cumgain.pairwise`,
        :func:`pt_cumgain.paper_table` and the other comparisons accept. Means
        over all topics are left out, as are all other lines for ``all``, such
        as trec_eval's ``runid``. Measures keep the names that the program gave
        them.

    Raises
    ------
    ValueError
        If a file has another form, a value is not a finite number, there are
        two values of a measure for one topic or no values by topic; if neither
        a line for ``all`` nor the names that ir-measures accepts show which
        field of the lines is the measure.

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
        if isinstance(path, Mapping):
            raise TypeError(f"{name!r} is a dict, not the path of a file; {_FORMS}")
        frame = _read_file(Path(_PATH.check("paths", path)))
        systems = frame["name"].unique()
        if len(systems) == 1 and (named or not systems[0]):
            frame["name"] = name
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _name_system(path: str | os.PathLike[str]) -> str:
    name = run_name(_PATH.check("paths", path))
    return next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)


def _read_file(path: Path) -> pd.DataFrame:
    """Return results by topic; a system that the file does not name has an empty name."""
    with open_text(path, path) as file:
        content = file.read()
    try:
        rows = list(_read_rows(content.decode("utf-8-sig").splitlines()))
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{path} is not read: {error}; {_FORMS}") from None
    frame = pd.DataFrame(rows, columns=RESULTS)
    if frame.empty:
        raise ValueError(f"{path} has no value by topic; trec_eval and ir_measures need -q")
    if (twice := frame.duplicated(RESULTS[:3])).any():
        qid, measure = frame.loc[twice, ["qid", "measure"]].iloc[0]
        raise ValueError(f"{path} has two values of {measure!r} for topic {qid!r}")
    return frame


def _read_rows(lines: list[str]) -> Iterator[_Row]:
    """Return the rows of a text without those for all topics."""
    delimiter, head = split_head(lines[0] if lines else "")
    places = _find_columns(head)
    if places:
        return _read_table(csv.reader(lines, delimiter=delimiter), places)
    return _read_lines(lines)


def _find_columns(head: list[str]) -> dict[str, int]:
    """Return the places of the columns of results in a head; none if one is missing."""
    places: dict[str, int] = {}
    for column, names in _COLUMNS.items():
        present = [name for name in names if name in head]
        if present:
            places[column] = head.index(present[0])
        elif column != "name":
            return {}
    return places


def _read_table(table: Iterator[list[str]], places: Mapping[str, int]) -> Iterator[_Row]:
    """Yield the rows of a table below its head."""
    head = next(table)
    for fields in table:
        if not fields:
            continue
        line = ",".join(fields)
        if len(fields) != len(head):
            raise ValueError(f"{line[:60]!r} has {len(fields)} fields, but the head {len(head)}")
        row = {column: fields[place].strip() for column, place in places.items()}
        if row["qid"] != _ALL:
            value = _read_number(row["value"], line)
            yield row.get("name", ""), row["qid"], row["measure"], value


def _read_lines(lines: list[str]) -> Iterator[_Row]:
    """Yield the rows of lines of three fields."""
    rows = []
    for line in lines:
        fields = line.split("\t") if line.count("\t") > 1 else line.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise ValueError(f"the form of {line[:60]!r} is unknown")
        first, second, text = (field.strip() for field in fields)
        is_mean = _ALL in (first, second)  # or trec_eval's runid, which is not a number
        rows.append((first, second, 0.0 if is_mean else _read_number(text, line)))
    measures_first = _begin_with_measures(rows)
    for first, second, value in rows:
        topic, measure = (second, first) if measures_first else (first, second)
        if topic != _ALL:
            yield "", topic, measure, value


def _begin_with_measures(rows: list[tuple[str, str, float]]) -> bool:
    """Return whether lines begin with measures, not with topics; refuse lines that show neither."""
    firsts = {first for first, _, _ in rows}
    seconds = {second for _, second, _ in rows}
    if (_ALL in firsts) != (_ALL in seconds):
        return _ALL in seconds
    first_known = [_is_measure(name) for name in firsts]
    second_known = [_is_measure(name) for name in seconds]
    if all(first_known) and not any(second_known):
        return True
    if all(second_known) and not any(first_known):
        return False
    first, second, _ = rows[0]
    raise ValueError(
        f"the lines do not show whether {first!r} or {second!r} is a measure; keep those for 'all'"
    )


def _is_measure(name: str) -> bool:
    """Return whether it is a measure of ir-measures, by its own name or trec_eval's."""
    try:
        ir_measures.parse_trec_measure(name)
    except ValueError:
        return False
    return True


def _read_number(text: str, line: str) -> float:
    """Return a finite number, written as in run files: not ``1_0``, nor in another script."""
    with suppress(ValueError):
        if SIGNS.fullmatch(text) and isfinite(float(text)):
            return float(text)
    raise ValueError(f"{text[:60]!r} in {line[:60]!r} is not a finite number")
