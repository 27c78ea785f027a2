"""Evaluation of a Spark frame: Spark distributes the rows, the engine evaluates each part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain.engine.rows import SESSION_COLUMNS, Table
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.columns import also_called, find_columns
from pt_cumgain.inputs.reading import read_run

SCHEMA = "qid string, measure string, value double"
#: The beginnings of Spark's names of types for ids.
_IDS = ("string", "char", "varchar", "tinyint", "smallint", "int", "bigint")


def evaluate_spark(
    measures: list[Measure], qrels: Table, run: Any, *, skip_missing: bool, scores: str
) -> Any:
    """Return the values of a run in Spark as a Spark frame ``qid, measure, value``.

    The run is partitioned by topic, the qrels are broadcast, and Spark maps the engine over the
    partitions by ``applyInPandas``. Every topic of the qrels has values, whether the run has it or
    not, unless ``skip_missing`` leaves out those that are missing from it.
    :func:`pt_cumgain.evaluate` calls it.

    Spark computes nothing until the values are requested, so there is no warning if a run shares no
    topic with the qrels: its values are all 0.

    Parameters
    ----------
    measures
        Measures of this package.
    qrels
        The judgments.
    run
        A Spark frame with ``query_id, doc_id, score`` or ``qid, docno, score``, and for session
        measures ``query_position``. Integer ids are matched as their decimal strings.
    scores
        How scores are compared, as in :func:`pt_cumgain.evaluate`.
    """
    others = [measure for measure in measures if not provider.supports(measure)]
    if others:
        raise ValueError(f"in Spark, {others[0]} cannot be computed; measures of this package can")
    from pyspark.sql import functions as F  # noqa: N812  # as everyone calls it

    present = run.columns
    for name, theirs in find_columns(present, "score").items():
        run = run.withColumnRenamed(theirs, name)
    missing = [name for name in provider.run_inputs(measures) if name not in run.columns]
    if missing:
        raise ValueError(
            f"run: Spark frame missing columns: {missing} (found {present}){also_called(missing)}"
        )
    for name in ("query_id", "doc_id"):
        kind = dict(run.dtypes)[name]
        if not kind.startswith(_IDS):
            raise TypeError(f"run {name} must be strings or integers, not {kind}; read it as text")
    if scores == "float32":
        run = run.withColumn("score", F.col("score").cast("float"))
    # errors in them are raised here, not in a worker
    provider.evaluator(measures, qrels).engine.judgments.refuse_conflict()
    spark = run.sparkSession
    # each share of the run needs all levels of the qrels, or it would warn of missing ones
    _, first = np.unique(qrels.values[qrels.at(np.arange(qrels.bounds[-1]))], return_index=True)
    levels = {qrels.topics[t] for t in np.searchsorted(qrels.bounds, first, side="right") - 1}
    shared = spark.sparkContext.broadcast((measures, qrels, levels))
    numbers = [name for name in ("score", *SESSION_COLUMNS) if name in run.columns]
    rows = run.select(
        *(F.col(name).cast("string") for name in ("query_id", "doc_id")),
        *(F.col(name).cast("double") for name in numbers),
        F.lit(True).alias("retrieved"),
    )
    if not skip_missing:
        topics = spark.createDataFrame(
            [(topic, None, None, False) for topic in qrels.topics],
            "query_id string, doc_id string, score double, retrieved boolean",
        )
        rows = rows.unionByName(topics, allowMissingColumns=True)
    shares = max(spark.sparkContext.defaultParallelism, run.rdd.getNumPartitions())

    def share(part: pd.DataFrame) -> pd.DataFrame:
        measures, qrels, levels = shared.value
        topics = set(part["query_id"])
        retrieved = part[part["retrieved"]].drop(columns="retrieved")
        evaluator = provider.evaluator(measures, qrels.select(topics | levels))
        values = evaluator.values(evaluator.engine.judge(read_run(retrieved))).frame()
        return values[values["qid"].isin(topics)]

    share_of = F.pmod(F.hash("query_id"), F.lit(shares))
    return rows.groupBy(share_of).applyInPandas(share, SCHEMA)
