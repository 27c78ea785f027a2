"""`pt_cumgain.evaluate`: one function for runs in memory and runs in files of any size."""

from __future__ import annotations

import gzip
import inspect
from pathlib import Path
from typing import get_args

import ir_datasets
import ir_measures
import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import CG, evaluation, nCG, nDCG, pydocs
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.reading import read_qrels
from pt_cumgain.options import Scores
from tests.support import trec
from tests.support.helpers import PUBLIC, slow

SCORES = get_args(Scores)
MEASURES = [nDCG(gains="0-1-10-100") @ 10, nDCG @ 10, CG @ 5, nCG]


@pytest.fixture(scope="module")
def run() -> pd.DataFrame:
    return trec.read_run(pydocs.DATA / "runs" / "first-word.res.gz")


def expected(qrels: pd.DataFrame, run: pd.DataFrame) -> pd.DataFrame:
    """The provider's values, one by one."""
    values = provider.iter_calc(MEASURES, qrels, run)
    return pd.DataFrame([(v.query_id, str(v.measure), v.value) for v in values]).set_axis(
        ["qid", "measure", "value"], axis=1
    )


GOLDEN = Path(__file__).parent / "golden"
#: Calls of the functions that judge systems; of each the values depend on the order of documents.
JUDGING = {
    "bounds": (None, "QRELS", "nDCG@10"),
    "dominance": (None, "QRELS", "nDCG@10"),
    "gain_by_level": (None, "QRELS", "CG@10"),
    "gain_curves": (None, "QRELS", "nDCG", 10),
    "query_gains": (None, "QRELS", "sDCG@10"),
    "session_curves": (None, "QRELS", "sDCG@10"),
    "tie_effects": (None, "QRELS", "nDCG@10"),
    "topic_table": (None, "QRELS", "nDCG@10"),
    "weighting_map": (None, "QRELS", "nDCG@10"),
}


def test_scores_as_float32_give_the_hosts_ndcg() -> None:
    """Expected: pytrec_eval, which compares scores as float32. Some differ only as doubles."""
    qrels, run = trec.read_qrels(GOLDEN / "mini.qrels"), trec.read_run(GOLDEN / "mini.run")
    measures = [nDCG @ 5, nDCG @ 10, nDCG]
    host = {
        (value.query_id, str(value.measure)): pytest.approx(value.value, rel=1e-9, abs=1e-12)
        for value in ir_measures.iter_calc(measures, qrels, run)
    }

    def of_evaluate(source, **options) -> dict:
        values = pt_cumgain.evaluate(measures, qrels, source, **options)
        return values.set_index(["qid", "measure"])["value"].to_dict()

    assert of_evaluate(run) != host
    for source in (run, GOLDEN / "mini.run", run.sample(frac=1, random_state=0)):
        assert of_evaluate(source, scores="float32", batch_rows=7) == host


def test_scores_that_float32_cannot_hold_are_infinite() -> None:
    """1e300 and 1e301 tie, and b is before a."""
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1e301, "b": 1e300, "c": 1.0}}
    values = [pt_cumgain.evaluate("CG@1", qrels, run, scores=s)["value"][0] for s in SCORES]
    assert values == [1, 0]


@pytest.mark.parametrize("name", JUDGING)
def test_every_function_of_systems_compares_scores_as_float32(name) -> None:
    """Expected: the same of runs whose scores are float32 already."""
    run = trec.read_run(GOLDEN / "mini.run")
    other = run.assign(score=-run["score"])
    if name in ("query_gains", "session_curves"):
        run, other = (each.assign(query_position=1) for each in (run, other))
    arguments = [
        trec.read_qrels(GOLDEN / "mini.qrels") if each == "QRELS" else each
        for each in JUDGING[name]
    ]
    cut = [each.assign(score=each["score"].astype("float32")) for each in (run, other)]
    compute = PUBLIC[name]
    found = compute([run, other], *arguments, scores="float32")
    pd.testing.assert_frame_equal(found, compute(cut, *arguments))
    assert not found.equals(compute([run, other], *arguments))


def test_the_functions_that_take_scores_are_known() -> None:
    takes = {
        name
        for name, function in PUBLIC.items()
        if inspect.isfunction(function) and "scores" in inspect.signature(function).parameters
    }
    assert takes == {*JUDGING, "evaluate", "report"}


def test_runs_in_files_under_measures_of_both_packages(trec_qrels) -> None:
    """Expected: the provider and ir-measures, asked anew for each run."""
    ours, host = [CG @ 5, nDCG @ 10], [ir_measures.AP, ir_measures.P @ 5, ir_measures.NumQ]
    files = evaluation.RunEvaluator([host[0], *ours, *host[1:]], read_qrels(trec_qrels))
    for name in ("bm25", "first-word"):
        path = pydocs.DATA / "runs" / f"{name}.res.gz"
        evaluated = files.evaluate([path])
        by_host = ir_measures.calc(host, trec_qrels, trec.read_run(path))
        by_us = provider.calc(ours, trec_qrels, trec.read_run(path))
        assert evaluated.means() == {**by_host.aggregated, **by_us.aggregated}
        assert {*evaluated.metrics()} == {*by_host.per_query, *by_us.per_query}
        rows = [(m.query_id, str(m.measure), m.value) for m in evaluated.metrics()]
        assert [*evaluated.frame().itertuples(index=False, name=None)] == rows
        assert evaluated.topics == trec.read_run(path)["query_id"].unique().tolist()


HOSTS = ["AP", ir_measures.P @ 5, "NumQ"]


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("form", ["frame", "dict", "records", "file", "Parquet"])
def test_measures_of_ir_measures(form: str, missing: str, trec_qrels, run, tmp_path) -> None:
    """Expected: ir-measures' own values of the same run, and this package's of CG alone.

    A topic that the run misses counts 0 or, with "skip", has no rows.
    """
    run.to_parquet(tmp_path / "run.parquet")
    records = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
    given = {
        "frame": run.rename(columns={"query_id": "qid", "doc_id": "docno"}),
        "dict": {q: dict(zip(of["doc_id"], of["score"])) for q, of in run.groupby("query_id")},
        "records": iter(records),
        "file": pydocs.DATA / "runs" / "first-word.res.gz",
        "Parquet": tmp_path,
    }[form]
    qrels = ir_datasets.load("pydocs").qrels_iter() if form == "records" else trec_qrels
    got = pt_cumgain.evaluate([*HOSTS, CG @ 5], qrels, given, missing=missing)
    assert len(got) == 4 * (41 if missing == "skip" else 42)
    host = list(ir_measures.iter_calc([ir_measures.AP, ir_measures.P @ 5], trec_qrels, run))
    present = set(run["query_id"]) if missing == "skip" else set(trec_qrels["query_id"])
    expected = {(m.query_id, str(m.measure)): m.value for m in host if m.query_id in present}
    values = got.set_index(["qid", "measure"])["value"].to_dict()
    assert values.items() >= expected.items()
    alone = pt_cumgain.evaluate(CG @ 5, trec_qrels, run, missing=missing)
    pd.testing.assert_frame_equal(got[-len(alone) :].reset_index(drop=True), alone)


@pytest.mark.parametrize("rows", [7, 100, 10**6, *slow(1, 1000)])
def test_files_in_batches(rows: int, trec_qrels, run, tmp_path) -> None:
    """Whatever the size of a batch, topics are evaluated whole."""
    path = pydocs.DATA / "runs" / "first-word.res.gz"
    if rows < 100:  # small batches take long
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:500]
        path = tmp_path / "short.res"
        path.write_bytes(b"".join(lines))
        run = run.head(500)
        assert run["query_id"].nunique() > 5
    wanted = expected(trec_qrels, run)
    got = pt_cumgain.evaluate(MEASURES, trec_qrels, path, batch_rows=rows)
    pd.testing.assert_frame_equal(got, wanted, check_dtype=False)
    if rows >= 100:
        run.to_parquet(tmp_path / "run.parquet", row_group_size=50)
        for given in (tmp_path / "run.parquet", str(tmp_path)):
            got = pt_cumgain.evaluate(MEASURES, trec_qrels, given, batch_rows=rows)
            pd.testing.assert_frame_equal(got, wanted, check_dtype=False)


def test_several_files(trec_qrels, run, tmp_path) -> None:
    half = run["query_id"].isin(run["query_id"].unique()[:20])
    for name, part in (("one.res", run[half]), ("two.res.gz", run[~half])):
        opened = gzip.open if name.endswith("gz") else open
        with opened(tmp_path / name, "wt") as file:
            for row in part.itertuples(index=False):
                file.write(f"{row.query_id} Q0 {row.doc_id} 0 {row.score!r} t\n")
    paths = [tmp_path / "one.res", str(tmp_path / "two.res.gz")]
    got = pt_cumgain.evaluate(MEASURES, trec_qrels, paths)
    pd.testing.assert_frame_equal(got, expected(trec_qrels, run), check_dtype=False)
    parts = tmp_path / "parts"
    parts.mkdir()
    names = {"query_id": "qid", "doc_id": "docno"}
    for i, part in enumerate((run[half], run[~half])):
        part.assign(rank=0, extra="x").rename(columns=names).to_parquet(parts / f"{i}.parquet")
    got = pt_cumgain.evaluate(MEASURES, trec_qrels, parts)
    pd.testing.assert_frame_equal(got, expected(trec_qrels, run), check_dtype=False)


def test_several_runs_are_not_one_in_parts(tmp_path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("a Q0 d 0 1 t\n")
    hint = "a list of files is one run in parts; to evaluate several runs, call evaluate for each"
    with pytest.raises(ValueError, match=f"document 'd' of topic 'a' appears twice.*{hint}"):
        pt_cumgain.evaluate(CG, {"a": {"d": 1}}, [tmp_path / "one", tmp_path / "two"])


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_a_file_whose_topics_are_scattered_is_read_as_a_whole(rows: int, tmp_path) -> None:
    lines = "".join(f"{q} Q0 d{i} 0 {9 - i} t\n" for i, q in enumerate("aabbba"))
    (tmp_path / "run").write_text(lines)
    got = pt_cumgain.evaluate([CG, CG @ 1], {"a": {"d5": 1}}, tmp_path / "run", batch_rows=rows)
    assert got["value"].tolist() == [1, 0]


def test_a_malformed_line_of_a_later_batch_is_named(tmp_path) -> None:
    (tmp_path / "run").write_text("".join(f"q{i} Q0 d 0 1 t\n" for i in range(9)) + "q9 Q0 d\n")
    with pytest.raises(ValueError, match="line 10: 3 fields, expected 6"):
        pt_cumgain.evaluate(CG, {"q1": {"d": 1}}, tmp_path / "run", batch_rows=2)


def test_empty_files_and_missing_ones(tmp_path, trec_qrels) -> None:
    (tmp_path / "run").write_text("")
    with pytest.warns(UserWarning, match="no documents for 42 of the 42 topics"):
        got = pt_cumgain.evaluate(CG, trec_qrels, tmp_path / "run")
    assert got["value"].tolist() == [0] * 42
    with pytest.raises(FileNotFoundError):
        pt_cumgain.evaluate(CG, trec_qrels, tmp_path / "none")


@pytest.mark.parametrize("run", ["", [""], ["a.res", ""]])
def test_an_empty_path_is_not_the_current_folder(run, trec_qrels) -> None:
    """Python's Path("") is the current folder, all files of which would be read as Parquet."""
    with pytest.raises(ValueError, match="path is empty"):
        pt_cumgain.evaluate(CG, trec_qrels, run)


@pytest.mark.usefixtures("no_delay")
def test_progress_counts_topics(trec_qrels, capfd) -> None:
    path = Path(pydocs.DATA / "runs" / "bm25.res.gz")
    pt_cumgain.evaluate(CG, trec_qrels, path, verbose=True, batch_rows=500)
    assert "/42 [" in capfd.readouterr().err
    pt_cumgain.evaluate(CG, trec_qrels, path)
    assert capfd.readouterr().err == ""
