"""What users pass in, brought to one form: measures, qrels, frames of either naming, paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from ir_measures import Measure, parse_measure
from ir_measures.util import QrelsConverter

from pt_cumgain import trec

_ALL_ROWS = 1 << 31
TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: ours for ours, theirs in TO_PYTERRIER.items()}


def parsed(measures: Iterable[Measure | str] | Measure | str) -> list[Any]:
    """Return measures given as objects or text, also a single one, as a list of measures."""
    given: list[Any]
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        given = [measures]
    else:
        given = list(measures)
    if wrong := [measure for measure in given if not isinstance(measure, (str, Measure))]:
        raise TypeError(f"{wrong[0]!r} is no measure; give measures or their text, such as 'CG@10'")
    return [m if isinstance(m, Measure) else parse_measure(m) for m in given]


def is_path(given: Any) -> bool:
    """Tell whether something is a path."""
    return isinstance(given, (str, os.PathLike))


def renamed(data: Any) -> Any:
    """Give a PyTerrier frame the names of ir-measures."""
    if isinstance(data, pd.DataFrame) and "query_id" not in data:
        return data.rename(columns=TO_IR_MEASURES)
    return data


def require_columns(frame: pd.DataFrame, names: Iterable[Any], what: str, hint: str = "") -> None:
    """Refuse a frame without these columns; the hint says where such a frame comes from."""
    if missing := [name for name in names if name not in frame]:
        raise ValueError(f"{what}: missing columns {missing} (found {list(frame.columns)}){hint}")


def as_frame(qrels: Any) -> pd.DataFrame:
    """Return qrels, in any form of ir-measures, as a frame; a frame as it is."""
    if isinstance(qrels, pd.DataFrame):
        return qrels
    frame: pd.DataFrame = QrelsConverter(qrels).as_pd_dataframe()
    return frame


def qrels_of(given: Any, topics: pd.DataFrame | None = None) -> Any:
    """Return qrels in a form of ir-measures; of a path, what the file holds.

    With topics, only those of their judgments, as ``pt.Experiment`` takes them.
    """
    qrels = trec.read_qrels(given) if is_path(given) else renamed(given)
    if topics is None:
        return qrels
    if not isinstance(topics, pd.DataFrame) or "qid" not in topics:
        raise TypeError(f"topics must be a DataFrame with the column qid, not {topics!r}")
    qrels = as_frame(qrels)
    require_columns(qrels, ["query_id", "doc_id", "relevance"], "qrels")
    kept = qrels[qrels["query_id"].isin(set(topics["qid"]))]
    if len(qrels) and not len(kept):
        raise ValueError("the topics and the qrels have no qid in common")
    return kept


def read_batches(path: Path, rows: int) -> Iterator[pd.DataFrame]:
    """Yield a run in a TREC or Parquet file, or a folder of those, in frames of so many rows."""
    if path.is_dir() or path.suffix in {".parquet", ".pq"}:
        return _read_parquet(path, rows)
    return trec.iter_run(path, rows)


def _read_parquet(path: Path, rows: int) -> Iterator[pd.DataFrame]:
    try:
        from pyarrow import dataset
    except ImportError:
        raise ImportError(f"to read {path} install pyarrow: pip install pyarrow") from None
    source = dataset.dataset(path, format="parquet")
    wanted = [
        name for name in source.schema.names if TO_IR_MEASURES.get(name, name) in trec.RUN_COLUMNS
    ]
    # read little ahead: pyarrow would hold sixteen batches otherwise
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in source.to_batches(columns=wanted, batch_size=rows, **ahead):
        yield renamed(batch.to_pandas())


def named_systems(systems: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """Return systems, given as ``pt.Experiment`` takes them, by name.

    Raises
    ------
    TypeError, ValueError
        If ``systems`` is neither list nor dict or is empty, or names do not fit.
    """
    if isinstance(systems, Mapping):
        if names is not None:
            raise ValueError("systems is a dict, so its keys are the names; leave names out")
        found = {str(name): system for name, system in systems.items()}
    elif isinstance(names, str):
        raise TypeError(f"names={names!r} must be a list of names")
    elif isinstance(systems, Sequence) and not isinstance(systems, str):
        if names is None:
            names = [
                str(system) if is_path(system) or _is_transformer(system) else f"run {i}"
                for i, system in enumerate(systems, 1)
            ]
        if len(names) != len(systems):
            raise ValueError(f"{len(names)} names for {len(systems)} systems: {list(names)}")
        found = dict(zip(names, systems))
        if len(found) < len(systems):
            raise ValueError(f"the names of the systems are not distinct: {list(names)}")
    else:
        raise TypeError(
            f"systems must be a list or a dict of systems, not {type(systems).__name__}"
        )
    if not found:
        raise ValueError("there is no system")
    return found


def _is_transformer(system: Any) -> bool:
    return not isinstance(system, pd.DataFrame) and callable(getattr(system, "transform", None))


def run_of(name: str, system: Any, topics: pd.DataFrame | None) -> Any:
    """Return a system's run in a form of ir-measures: its results for the topics, or what it is."""
    if is_path(system):
        batches = list(read_batches(Path(system), _ALL_ROWS))
        return pd.concat(batches, ignore_index=True) if batches else {}
    if _is_transformer(system):
        if topics is None:
            raise ValueError(f"the system {name!r} is a transformer, so topics are needed")
        results = system.transform(topics)
        if not isinstance(results, pd.DataFrame):
            raise TypeError(f"the system {name!r} returned no DataFrame, but {results!r}")
        return renamed(results)
    return renamed(system)


def progress(total: int, verbose: bool, what: str, unit: str) -> Any:
    """Return a progress bar; silent unless asked for."""
    if verbose:
        import pyterrier as pt

        return pt.tqdm(total=total, desc=what, unit=unit)
    from tqdm import tqdm

    return tqdm(total=total, disable=True)
