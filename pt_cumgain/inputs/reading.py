"""The door: whatever users pass as a run or as qrels becomes a table of rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from pt_cumgain.engine.arrow import is_table
from pt_cumgain.engine.rows import Table, bounds_of
from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs import formats
from pt_cumgain.inputs.columns import choose_columns, numbers
from pt_cumgain.inputs.frames import is_pandas, open_frame
from pt_cumgain.inputs.grouping import KINDS, collect_columns, group_arrow, group_columns, to_table
from pt_cumgain.inputs.ids import Ids, object_array, read_ids
from pt_cumgain.inputs.ranks import warn_of_scores

if TYPE_CHECKING:
    import pandas as pd  # small runs are read without it
    from typing_extensions import TypeIs

#: A run: a frame with the columns of some program, a dict of scores by topic and document, the
#: records of ir-measures, or the path of a file.
Run: TypeAlias = Union[
    "pd.DataFrame", Table, Mapping[str, Mapping[str, float]], Iterable[Any], str, os.PathLike[str]
]
#: Qrels, in the same forms; those of ir_datasets are records.
Qrels: TypeAlias = Run


def read_run(source: Run, scores: str = "double", ranks: bool = False, chosen: str = "") -> Table:
    """Return a run as a table of rows.

    Parameters
    ----------
    source
        A run as :func:`pt_cumgain.evaluate` takes it, a list of files that are the parts of one
        run, or a file that is open for reading bytes.
    scores
        ``"float32"`` cuts scores to float32.
    ranks
        Also read the ranks of TREC files, which takes time; those of frames always are read.
    chosen
        The column of the scores, if it was chosen; by default, one with a known name.

    Warns
    -----
    UserWarning
        If scores look wrong, or ranks contradict them.
    """
    table = _read(source, "score", chosen, ranks=ranks)
    return table.cut_scores() if scores == "float32" else table


def read_qrels(source: Qrels, chosen: str = "") -> Table:
    """Return qrels as a table of rows, whatever :func:`pt_cumgain.evaluate` takes.

    A text is the id of an ir_datasets dataset if there is no such file. ``chosen`` is the column of
    the labels, by default one with a known name.
    """
    if isinstance(source, str) and is_path(source) and not os.path.exists(source):
        return _read(_load_dataset(source), "relevance", chosen)
    return _read(source, "relevance", chosen)


def _read(source: object, value: str, chosen: str, *, ranks: bool = False) -> Table:
    if isinstance(source, Table):
        return source
    files = list_files(source)
    if files:
        batches = [formats.read_batches(file, None, value, chosen, ranks=ranks) for file in files]
        tables = list(chain.from_iterable(batches))
        if any(table.schema != tables[0].schema for table in tables):  # of files of unlike forms
            for name in (value, "query_position"):
                if len({name in table.column_names for table in tables}) > 1:
                    raise ValueError(f"some files have a column {name}, but others do not")
            names = {name: name for table in tables for name in table.column_names}
            tables = [to_table(table.to_pydict(), names, "row {}".format) for table in tables]
        return group_arrow(extras.pyarrow().concat_tables(tables, promote_options="default"), value)
    data = _open(source, value)
    if isinstance(data, Mapping):
        table = _group_dicts(data, value)
    elif is_table(data) or is_pandas(data):
        table = _group_frame(data, value, chosen)
    else:
        table = _group_records(data, value, chosen)
    if value == "score":
        warn_of_scores(table)
    return table


def is_path(value: object) -> TypeIs[str | os.PathLike[str]]:
    """Return whether something is a path; refuse an empty one, which would be this folder."""
    if isinstance(value, str) and not value:
        raise ValueError("the path is empty; give the name of a file")
    return isinstance(value, (str, os.PathLike))


def list_files(source: object) -> list[Any]:
    """Return the file, or the files in a list or tuple, that something is; none if it is none.

    A file is a path, or open for reading bytes.
    """
    files = [*source] if isinstance(source, (list, tuple)) else [source]
    return files if all(is_path(file) or hasattr(file, "seek") for file in files) else []


class ScatteredTopicsError(Exception):
    """A run must be read as a whole: a topic is in several places, or its files are unlike."""


def read_parts(
    files: Sequence[Any], rows: int, scores: str = "double", chosen: str = ""
) -> Iterator[Table]:
    """Yield a run in files in parts that share no topic; about ``rows`` rows are read at a time.

    ``scores`` and ``chosen`` are those of :func:`read_run`.

    Raises
    ------
    ScatteredTopicsError
        If the rows of a topic are in several places, or files are of unlike forms; by then, some
        parts may have been yielded.
    """
    batches = chain.from_iterable(formats.read_batches(file, rows, chosen=chosen) for file in files)
    seen: set[str] = set()
    first = 0
    for batch in _whole_topics(batches):
        table = group_arrow(batch, "score")
        table.first = first
        first += len(batch)
        if table.rows is not None or not seen.isdisjoint(table.topics):
            raise ScatteredTopicsError
        seen.update(table.topics)
        yield table.cut_scores() if scores == "float32" else table


def _whole_topics(batches: Iterable[Any]) -> Iterator[Any]:
    """Regroup tables of pyarrow so that consecutive rows of a topic are in the same table."""
    held: list[Any] = []
    for batch in batches:
        if held and held[0].schema != batch.schema:  # of a file of another form
            raise ScatteredTopicsError
        table = extras.pyarrow().concat_tables([*held, batch])
        _, starts = read_ids(table.column("query_id"), "run query_id").heads()
        last = int(starts[-1]) if len(starts) else 0
        if last:
            yield table.slice(0, last)
        held = [table.slice(last)]
    yield from held


def _load_dataset(name: str) -> object:
    """Return the dataset of ir_datasets with this id."""
    import ir_datasets

    try:
        return ir_datasets.load(name.removeprefix("irds:"))  # as PyTerrier writes it
    except KeyError:
        told = f"no qrels {show(name)}: neither a file nor an ir_datasets id"
        raise FileNotFoundError(told) from None


def _open(data: Any, value: str) -> Any:
    """Return what an object of another library holds: a frame, a dict, or records."""
    what = KINDS[value]
    if type(data).__module__.partition(".")[0] == "ranx":
        if not hasattr(data, what):
            wanted = what.capitalize()
            raise TypeError(f"{what} must be a ranx {wanted}, not a ranx {type(data).__name__}")
        return data.to_dict()
    if value == "relevance" and hasattr(data, "has_qrels"):
        if not data.has_qrels():
            raise ValueError(f"the ir_datasets id {data.dataset_id()!r} has no qrels")
        return data.qrels_iter()
    if value == "relevance" and hasattr(data, "get_qrels"):  # a dataset of PyTerrier
        return data.get_qrels()
    return open_frame(data)


def _group_frame(frame: Any, value: str, chosen: str) -> Table:
    """Group a frame of pandas, or a table of pyarrow, with the columns of some program."""
    names = list(frame.columns if is_pandas(frame) else frame.column_names)
    read = choose_columns(names, value, chosen, f"{KINDS[value]}: ")
    table = group_columns({name: frame[theirs] for name, theirs in read.items()}, value)
    table.found = names
    return table


def _group_records(data: Any, value: str, chosen: str) -> Table:
    """Group records: namedtuples with the fields that frames may have as columns."""
    what = KINDS[value]
    if hasattr(data, "columns"):  # a frame that cannot be read; some can be looped over
        raise TypeError(f"{what}: a {type(data).__name__} must be converted with to_pandas()")
    try:
        records = list(data)
    except TypeError:  # it cannot be iterated over
        records = [data]
    for record in records:
        if not hasattr(record, "_fields"):
            raise TypeError(
                f"{what} must be a frame, a dict of dicts, records (namedtuples), or the path of a "
                f"file; {show(record)} is none of these"
            )
    if not records:
        return _group_dicts({}, value)
    columns, _ = collect_columns(records, value, chosen, f"{what}: ")
    return group_columns({name: object_array(held) for name, held in columns.items()}, value)


def refuse_others_than_dicts(by_topic: Mapping[object, Any], what: str) -> None:
    """Refuse a run, or qrels, in a dict that holds anything but a dict for each topic."""
    for topic, docs in by_topic.items():
        if hasattr(docs, "columns") or hasattr(docs, "column_names"):  # the latter in a DatasetDict
            raise TypeError(
                f"{what} query_id {show(topic)} maps to a frame, but a dict must map topics to "
                f"dicts of documents; give one frame as the {what}"
            )
        if not isinstance(docs, Mapping):
            told = f"must map to a dict of documents, not {show(docs)}"
            raise TypeError(f"{what} query_id {show(topic)} {told}")
        if isinstance(next(iter(docs.values()), None), Mapping):
            told = "maps to a dict of dicts; if these are several by name, give one"
            raise TypeError(f"{what} query_id {show(topic)} {told}")


def _group_dicts(by_topic: Mapping[Any, Mapping[object, Any]], value: str) -> Table:
    """Return the table of a dict of dicts, which is grouped already; topics may have no rows."""
    what = KINDS[value]
    refuse_others_than_dicts(by_topic, what)
    if value == "score":  # a topic without documents is missing from the run
        by_topic = {topic: docs for topic, docs in by_topic.items() if docs}
    lists = by_topic.values()
    topics = Ids(object_array(list(by_topic)), f"{what} query_id")
    docs = Ids(object_array(list(chain.from_iterable(lists))), f"{what} doc_id")
    sizes = np.array([len(docs_of) for docs_of in lists], dtype=np.int64)
    heads = topics.take(slice(None))
    if topics.integers and len(set(heads)) < len(heads):
        raise ValueError(f"{what}: topic {max(heads, key=heads.count)!r} is an integer and a text")
    values = numbers([*chain.from_iterable(its.values() for its in lists)], f"{what} {value}")
    return Table(heads, bounds_of(sizes), docs, values, integer_topics=topics.integers)
