"""Values by topic as a frame, of runs in memory, in files of any size, or in Spark."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain.core import Floats
from pt_cumgain.engine import Engine
from pt_cumgain.engine.rows import group_run
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.arguments import is_path, parsed, progress, qrels_of
from pt_cumgain.inputs.formats import read_batches
from pt_cumgain.inputs.frames import renamed

#: Rows read from a file at a time; about 100 MB of a run.
BATCH_ROWS = 1_000_000


def evaluate(
    measures: Iterable[Measure | str] | Measure | str,
    qrels: Any,
    run: Any,
    *,
    verbose: bool = False,
    batch_rows: int = BATCH_ROWS,
) -> Any:
    """Return the value of every measure for every topic of the qrels.

    All measures of this package, plain nDCG included, are computed in one pass over the run. A run
    in a file is read in batches of whole topics, so that memory does not grow with the file.

    Parameters
    ----------
    measures
        Measures, or their text; also a single one.
    qrels
        Qrels in any form of ir-measures, a PyTerrier frame (``qid, docno, label``), or the path of
        a TREC qrels file.
    run
        One of

        - a run in any form of ir-measures, or a PyTerrier frame (``qid, docno, score``);
        - the path of a TREC run file (gzipped or not), or several in a list;
        - the path of a Parquet file or of a folder of them, with the columns of one of those frames
          (needs pyarrow);
        - a Spark frame with such columns (needs the extra ``spark``): it is partitioned by topic
          and evaluated where it is.

        In files, the rows of a topic must be consecutive.
    verbose
        Show progress over topics, for files.
    batch_rows
        How many rows of a file are read at a time.

    Returns
    -------
    pandas.DataFrame
        ``qid``, ``measure`` (text) and ``value``: topics in the order of the qrels, the measures
        of each in natural order. For a Spark frame, a Spark frame in no particular order.

    Raises
    ------
    ValueError, TypeError
        If an input cannot be used; see :meth:`pt_cumgain.engine.Engine.evaluate`.
    ImportError
        If a Parquet file is given and pyarrow is not installed.

    Warns
    -----
    UserWarning
        If the run and the qrels have no topic in common.

    Examples
    --------
    >>> qrels = {"q1": {"a": 3, "b": 1}, "q2": {"a": 1}}
    >>> run = {"q1": {"b": 2.0, "a": 1.0}}
    >>> evaluate(["CG@2", "nCG@1"], qrels, run)
      qid measure     value
    0  q1    CG@2  4.000000
    1  q1   nCG@1  0.333333
    2  q2    CG@2  0.000000
    3  q2   nCG@1  0.000000
    """
    if batch_rows < 1:
        raise ValueError(f"batch_rows={batch_rows} must be at least 1")
    given, qrels = parsed(measures), qrels_of(qrels)
    if type(run).__module__.startswith("pyspark."):
        from pt_cumgain.hosts.spark import evaluate_spark

        return evaluate_spark(given, qrels, run)
    evaluator = provider.evaluator(given, qrels)
    topics = evaluator.engine.topics
    if is_path(run) or (isinstance(run, list) and run and all(map(is_path, run))):
        paths = run if isinstance(run, list) else [run]
        batches = (batch for path in paths for batch in read_batches(Path(path), batch_rows))
        values, shared = _in_batches(evaluator.engine, batches, verbose)
    else:
        table = group_run(renamed(run))
        shared = not set(table.topics).isdisjoint(topics)
        values = evaluator.engine.evaluate(table)
    if topics and not shared:
        warnings.warn("the run and the qrels have no topic in common", stacklevel=2)
    return evaluator.frame(values)


def _whole_topics(batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Regroup frames so that all rows of a topic are in one of them.

    Raises
    ------
    ValueError
        If the rows of a topic are not consecutive.
    """
    done: set[str] = set()
    held: list[pd.DataFrame] = []
    for batch in batches:
        if not len(batch):
            continue
        topics = batch["query_id"].to_numpy(dtype=object)
        if held and topics[0] != held[0]["query_id"].iloc[0]:
            yield _finish(held, done)
            held = []
        if topics[-1] == topics[0]:
            held.append(batch)
            continue
        last = int(np.flatnonzero(topics != topics[-1])[-1]) + 1
        held.append(batch.iloc[:last])
        yield _finish(held, done)
        held = [batch.iloc[last:]]
    if held:
        yield _finish(held, done)


def _finish(parts: list[pd.DataFrame], done: set[str]) -> pd.DataFrame:
    batch = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
    topics = set(batch["query_id"].unique())
    if again := topics & done:
        raise ValueError(
            f"the rows of topic {min(again)!r} are not consecutive in the run; sort the file by "
            "topic, or read it into a frame and evaluate that"
        )
    done |= topics
    return batch


def _in_batches(
    engine: Engine, batches: Iterable[pd.DataFrame], verbose: bool
) -> tuple[Floats, bool]:
    """Return the values of a run that comes in batches, and whether it has a topic of the qrels."""
    out: Floats | None = None
    index = {topic: i for i, topic in enumerate(engine.topics)}
    shared = False
    with progress(len(index), verbose, "pt_cumgain.evaluate", "topic") as bar:
        for batch in _whole_topics(batches):
            values = engine.evaluate(batch)
            here = [index[t] for t in batch["query_id"].unique() if t in index]
            out = values if out is None else out
            out[:, here] = values[:, here]
            shared = shared or bool(here)
            bar.update(len(here))
    return engine.evaluate({}) if out is None else out, shared
