"""Values by topic, as a frame, for runs in memory, in files of any size, or in Spark."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
from ir_measures import CalcResults, Measure, Metric, Provider

from pt_cumgain.engine import JudgedRun
from pt_cumgain.engine.checks import tell_unmet
from pt_cumgain.engine.judging import read_lists
from pt_cumgain.engine.rows import Table, refuse_turns
from pt_cumgain.environment.progress import progress
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.hosts.ir_measures import TopicValues, provider
from pt_cumgain.inputs import reading
from pt_cumgain.inputs.formats import run_name
from pt_cumgain.inputs.frames import as_hosts_qrels
from pt_cumgain.inputs.measures import Measures, parse_measures
from pt_cumgain.inputs.reading import Qrels, Run, is_path, list_files, read_parts, read_run
from pt_cumgain.inputs.topics import read_judgments, warn_of_irrelevant, warn_of_missing
from pt_cumgain.measures import as_cumulated_gain
from pt_cumgain.options import Missing, Scores, checked

if TYPE_CHECKING:
    import pandas as pd  # the values of small files are computed without it


#: Rows read from a file at a time; about 100 MB of a run.
BATCH_ROWS = 1_000_000


@checked
def evaluate(
    measures: Measures,
    qrels: Qrels,
    run: Run,
    *,
    missing: Missing = "zero",
    scores: Scores = "double",
    verbose: bool = False,
    batch_rows: int = BATCH_ROWS,
) -> Any:
    """Return the value of every measure for every topic of the qrels.

    All measures of this package, including plain nDCG, are computed in one pass
    over the run. A run in a file is read in batches of whole topics. Other
    ir-measures measures, such as AP, are computed by the providers of
    ir-measures, which need the whole run in memory.

    Parameters
    ----------
    measures
        One or several measures, as objects or text.
    qrels
        Qrels in any form that ir-measures accepts; a frame with the columns of
        any program, such as PyTerrier (``qid, docno, label``), BEIR or Hugging
        Face (``query-id, corpus-id, score``, where the score is the label);
        ranx's ``Qrels``; the path of a file (TREC, tables with a head, Parquet,
        JSON) or folder (BEIR's, with ``qrels/test.tsv``, or of Parquet files);
        an ir_datasets dataset or its id. With a column ``query_position``, or
        ``Q1``, ``Q2``, ... as the second field of a TREC file, judgments are by
        turn.
    run
        One of the following, or (like qrels) a frame of another library that
        exports its columns as Arrow data, such as polars:

        - a run in any form of ir-measures, a frame with the columns of
          PyTerrier (``qid, docno, score``), BEIR or ranx, or ranx's ``Run``;
        - the path of a TREC run file (compressed or not), or several in a list
          or a tuple;
        - the path of a Parquet file or of a folder of them, with the columns of
          one of these frames;
        - the path of JSON that maps topics to documents and their scores, or of
          the predictions that MTEB or sentence-transformers saves;
        - a Spark frame with such columns (needs the extra ``spark``), which is
          evaluated in place, only by measures of this package.
    missing
        How to treat topics of the qrels that are missing from the run:
        ``"zero"`` counts them as 0; ``"skip"`` omits them from the result.
    scores
        As for :func:`pt_cumgain.gain_curves`. ``"float32"`` gives ir-measures'
        nDCG to the digit.
    verbose
        Show progress over topics, for files.
    batch_rows
        The number of rows of a file to read at a time.

    Returns
    -------
    pandas.DataFrame
        Columns ``qid``, ``measure`` (as text) and ``value``. Values from
        ir-measures' providers come first, in the order in which these return
        them. For this package's measures, topics are in the order of the qrels,
        and the measures of each topic in natural order. For a Spark frame, a
        Spark frame in no particular order.

    Raises
    ------
    ValueError, TypeError
        If a run or the qrels cannot be used: a column is missing, a score is
        NaN, a document appears twice or has two labels; if a weighting does not
        fit the levels, or no provider computes a measure; if a topic's rows are
        not consecutive in a pipe; if values by a measure of your own depend on
        later ranks or on other topics.

    Warns
    -----
    UserWarning
        If topics of the qrels are missing from the run and count as 0, or if
        some topics have no document with a positive label.

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
    chosen, judgments = parse_measures(measures), read_judgments(qrels)
    if type(run).__module__.startswith("pyspark."):
        from pt_cumgain.hosts.spark import evaluate_spark

        return evaluate_spark(chosen, judgments, run, skip_missing=missing == "skip", scores=scores)
    evaluator = RunEvaluator(chosen, judgments, scores=scores)
    name = run_name(run) if is_path(run) else ""
    try:
        with name_dataset(name, "run"):
            evaluated = evaluator.evaluate(run, batch_rows, verbose=verbose)
    except ValueError as error:
        if len(list_files(run)) > 1 and "appears twice" in str(error):
            hint = "to evaluate several runs, call evaluate for each"
            error.args = (f"{error} (a list of files is one run in parts; {hint})",)
        raise
    warn_of_missing(evaluated.own.topics, {name: evaluated.topics}, missing == "skip")
    return (evaluated.skip() if missing == "skip" else evaluated).frame()


class EvaluatedRun(NamedTuple):
    """The values of a run, under measures of ir-measures and of this package.

    Attributes
    ----------
    topics
        The run's topics, in the order of its files.
    host
        The means and the values of the measures of ir-measures: its ``CalcResults``.
    own
        The values of this package's measures.
    judged
        The judged run of this package's measures.
    """

    topics: list[str]
    host: Any  # its fields are typed as if each were a number or a list
    own: TopicValues
    judged: JudgedRun

    def skip(self) -> EvaluatedRun:
        """Return the values without the topics that are missing from the run."""
        kept = set(self.topics)
        per_query = [metric for metric in self.host.per_query if metric.query_id in kept]
        collected = {measure: measure.aggregator() for measure in self.host.aggregated}
        for metric in per_query:
            collected[metric.measure].add(metric.value)
        aggregated = {measure: values.result() for measure, values in collected.items()}
        return self._replace(host=CalcResults(aggregated, per_query), own=self.own.select(kept))

    def means(self) -> dict[Measure, float]:
        """Return the mean of each measure, or whatever else the measure makes of its values."""
        return {**self.host.aggregated, **self.own.means()}

    def metrics(self) -> Iterator[Metric]:
        """Return the values by topic, those of ir-measures first."""
        return chain(self.host.per_query, self.own.metrics())

    def frame(self) -> pd.DataFrame:
        """Return the values by topic as a frame ``qid, measure, value``, in the same order."""
        frame = self.own.frame()
        if not self.host.per_query:
            return frame
        import pandas as pd

        host = [(m.query_id, str(m.measure), m.value) for m in self.host.per_query]
        return pd.concat([pd.DataFrame(host, columns=frame.columns), frame], ignore_index=True)


class RunEvaluator:
    """Evaluates runs, one after the other, by measures of this package and of ir-measures.

    One reading of a file serves both. The measures of ir-measures are computed by its providers
    from the whole run; nDCG, which both have, by this package.

    Parameters
    ----------
    measures
        Measures of any kind.
    qrels
        The judgments.
    host
        A provider that computes all measures. None: each measure goes where it belongs, and
        ir-measures chooses the provider of its own.
    scores
        How scores are compared: as ``"double"`` or ``"float32"``.
    keep
        Down to which rank unjudged documents are kept.
    chosen
        The column of the scores in tables, if it was chosen.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        qrels: Table,
        host: Provider | None = None,
        scores: str = "double",
        keep: int = 0,
        chosen: str = "",
    ) -> None:
        self._scores, self._keep, self._chosen = scores, keep, chosen
        others = [
            m for m in measures if host is not provider and (host or as_cumulated_gain(m) is None)
        ]
        self._evaluator = provider.evaluator([m for m in measures if m not in others], qrels)
        refuse_turns(bool(others) and self._evaluator.engine.by_turn)
        warn_of_irrelevant(qrels)
        self._host = None
        if others:
            self._host = (host or ir_measures).evaluator(others, as_hosts_qrels(qrels))

    def evaluate(
        self, run: Run | list[Any], batch_rows: int = BATCH_ROWS, *, verbose: bool = False
    ) -> EvaluatedRun:
        """Return the values of a run.

        Parameters
        ----------
        run
            A run as :func:`evaluate` takes it, or the files of one run in a list: paths, or
            seekable files that are open for reading bytes. If the rows of a topic are not
            consecutive in them, they are read again as a whole; a pipe is refused.
        batch_rows
            How many rows of files are read at a time.
        verbose
            Show progress over topics.
        """
        files = list_files(run)
        if files:
            with suppress(reading.ScatteredTopicsError):
                parts = read_parts(files, batch_rows, self._scores, self._chosen)
                try:
                    return self._evaluate(parts, verbose)
                except ValueError:
                    deque(parts, 0)  # it is refused only if no topic goes on elsewhere
                    raise
            if any(is_path(file) and Path(file).is_fifo() for file in files):
                raise ValueError("the rows of a topic are not consecutive in a pipe; use a file")
        table = read_run(run, scores=self._scores, chosen=self._chosen)
        if isinstance(run, Iterator) and not table.bounds[-1]:
            raise ValueError("the run is an iterator without rows; was it read before?")
        return self._evaluate([table], verbose)

    def _evaluate(self, tables: Iterable[Table], verbose: bool) -> EvaluatedRun:
        """Return the values of a run in tables that share no topic."""
        engine = self._evaluator.engine
        counted = set(engine.topics)
        topics: list[str] = []
        parts: list[JudgedRun] = []
        lists: dict[str, dict[str, float]] = {}
        with progress(len(counted), verbose, "evaluate", "topic") as bar:
            for table in tables:
                if self._host:
                    lists |= read_lists(table, counted)
                topics += table.topics
                judged = engine.judge(table)
                if self._keep:
                    judged = replace(judged, lists=table).keep_unjudged(self._keep)
                parts.append(judged)
                bar.update(len(counted.intersection(table.topics)))
        whole = engine.join(parts or [engine.judge(read_run({}))])
        whole.warn_of_ids()
        if not engine.measures and not counted.isdisjoint(lists):  # only ir-measures' own
            judged_docs = zip(engine.topics, engine.judgments.docs)
            if not any(lists.get(topic, {}).keys() & docs for topic, docs in judged_docs):
                warn(f"run: {tell_unmet(whole.example, engine.judgments, len(counted), '', '')}")
        host_results = self._host.calc(lists) if self._host else CalcResults({}, [])
        return EvaluatedRun(topics, host_results, self._evaluator.values(whole), whole)
