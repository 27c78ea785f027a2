"""Evaluation of a Spark frame: Spark distributes, the engine evaluates each share."""

from __future__ import annotations

from typing import Any

import pandas as pd
from ir_measures import Measure
from ir_measures.util import QrelsConverter

from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.hosts.ir_measures import provider

SCHEMA = "qid string, measure string, value double"


def evaluate_spark(measures: list[Measure], qrels: Any, run: Any) -> Any:
    """Return the values of a run in Spark as a Spark frame ``qid, measure, value``.

    The run is partitioned by topic, the qrels are broadcast, and Spark maps the engine over the
    partitions by ``applyInPandas``. Every topic of the qrels has its values, whether the run has it
    or not. :func:`pt_cumgain.evaluate` calls it.

    Parameters
    ----------
    measures
        Measures of this package.
    qrels
        Qrels in any form of ir-measures.
    run
        A Spark frame with ``query_id, doc_id, score`` or ``qid, docno, score``, and for session
        measures ``query_position``.
    """
    from pyspark.sql import functions as F  # noqa: N812  # as everyone calls it

    names = {"query_id": "qid", "doc_id": "docno", "score": "score"}
    of_sessions = [name for name in SESSION_COLUMNS if name in run.columns]
    needed = provider.run_inputs(measures)
    missing = [name for name in needed if not {name, names.get(name)} & set(run.columns)]
    if missing:
        raise ValueError(f"run: Spark frame missing columns: {missing} (found {run.columns})")
    frame = QrelsConverter(qrels).as_pd_dataframe()[["query_id", "doc_id", "relevance"]]
    provider.evaluator(measures, frame)  # errors in them are raised here, not in a worker
    spark = run.sparkSession
    shared = spark.sparkContext.broadcast((measures, frame))
    rows = run.select(
        *(
            F.col(name if name in run.columns else other).alias(name)
            for name, other in names.items()
        ),
        *(F.col(name).cast("double") for name in of_sessions),
        F.lit(True).alias("retrieved"),
    ).withColumn("score", F.col("score").cast("double"))
    topics = spark.createDataFrame(
        [(topic, None, None, False) for topic in frame["query_id"].unique().tolist()],
        "query_id string, doc_id string, score double, retrieved boolean",
    )
    shares = max(spark.sparkContext.defaultParallelism, run.rdd.getNumPartitions())

    def share(part: pd.DataFrame) -> pd.DataFrame:
        measures, frame = shared.value
        here = frame[frame["query_id"].isin(set(part["query_id"]))]
        retrieved = part[part["retrieved"]].drop(columns="retrieved")
        evaluator = provider.evaluator(measures, here)
        return evaluator.frame(evaluator.engine.evaluate(retrieved))

    share_of = F.pmod(F.hash("query_id"), F.lit(shares))
    return (
        rows.unionByName(topics, allowMissingColumns=True)
        .groupBy(share_of)
        .applyInPandas(share, SCHEMA)
    )
