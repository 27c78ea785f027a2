"""A Spark frame gives what the same run gives on one machine. Needs Java and the extra `spark`."""

import re
import textwrap
from pathlib import Path

import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import CG, nCG, nDCG, nsDCG, pydocs, sDCG
from tests.support import trec

MEASURES = [nDCG(gains="0-1-10-100") @ 10, nDCG @ 10, CG @ 5, nCG, CG(at_r=True)]
PAGE = Path(pt_cumgain.__file__).parent / "pt_docs" / "recipes" / "spark.rst"


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["qid", "measure"]).reset_index(drop=True)


@pytest.mark.parametrize("pyterrier_names", [False, True])
def test_values_equal_those_of_one_machine(pyterrier_names: bool, spark, trec_qrels) -> None:
    run = trec.read_run(pydocs.DATA / "runs" / "first-word.res.gz")  # lacks one topic of 42
    given = run.sample(frac=1, random_state=0).astype({"query_id": object, "doc_id": object})
    if pyterrier_names:
        given = given.rename(columns={"query_id": "qid", "doc_id": "docno"})
    frame = spark.createDataFrame(given).repartition(3)
    got = pt_cumgain.evaluate(MEASURES, trec_qrels, frame)
    assert got.columns == ["qid", "measure", "value"]
    wanted = pt_cumgain.evaluate(MEASURES, trec_qrels, run)
    pd.testing.assert_frame_equal(in_order(got.toPandas()), in_order(wanted), check_dtype=False)


def test_scores_as_float32(spark) -> None:
    """Two scores that differ as doubles alone: b, the larger id, is first as float32."""
    frame = spark.createDataFrame(
        [("1", "a", 1 + 2**-40), ("1", "b", 1.0)], "qid string, docno string, score double"
    )
    for scores, value in {"double": 1.0, "float32": 0.0}.items():
        got = pt_cumgain.evaluate(CG @ 1, {"1": {"a": 1}}, frame, scores=scores)
        assert got.toPandas()["value"].tolist() == [value]


def test_sessions(spark) -> None:
    run = pydocs.session_runs()["BM25"].astype({"qid": object, "docno": object})
    frame = spark.createDataFrame(run.sample(frac=1, random_state=0)).repartition(3)
    qrels = pydocs.session_qrels()
    by_turn = qrels.assign(query_position=qrels.index % 3 + 1)
    measures = [sDCG @ 10, nsDCG(duplicates="first") @ 5, CG @ 30]
    for judged, asked in ((qrels, measures), (by_turn, [nsDCG @ 10])):
        got = pt_cumgain.evaluate(asked, judged, frame)
        wanted = pt_cumgain.evaluate(asked, judged, run)
        pd.testing.assert_frame_equal(in_order(got.toPandas()), in_order(wanted), check_dtype=False)
    with pytest.raises(ValueError, match="missing columns: \\['query_position'\\]"):
        pt_cumgain.evaluate(measures, qrels, frame.drop("query_position"))


def test_wrong_input(spark, trec_qrels) -> None:
    frame = spark.createDataFrame([("1", "d")], "qid string, docno string")
    with pytest.raises(ValueError, match=r"missing columns: \['score'\] \(found \['qid', 'docno'"):
        pt_cumgain.evaluate(CG, trec_qrels, frame)
    with pytest.raises(ValueError, match=r"doc_id is also called docno, "):
        pt_cumgain.evaluate(CG, trec_qrels, frame.drop("docno"))
    for kind in ("double", "boolean", "date"):
        frame = spark.createDataFrame([], f"qid {kind}, docno string, score double")
        message = f"^run query_id must be strings or integers, not {kind}; read it as text$"
        with pytest.raises(TypeError, match=message):
            pt_cumgain.evaluate(CG, trec_qrels, frame)
    frame = spark.createDataFrame([("1", "d", 1.0)], "qid string, docno string, score double")
    with pytest.raises(ValueError, match="'0-1' has no weight for the relevance level 2"):
        pt_cumgain.evaluate("CG(gains='0-1')", trec_qrels, frame)
    twice = frame.union(frame)
    with pytest.raises(Exception, match="document 'd' of topic '1' appears twice"):
        pt_cumgain.evaluate(CG, trec_qrels, twice).collect()


def test_the_page_of_the_manual(spark, trec_qrels, tmp_path: Path, monkeypatch) -> None:
    """Its blocks run in order. Expected: the values of each run, evaluated by itself."""
    pytest.importorskip("scipy", reason="the extra `stats` is not installed")
    half = trec_qrels["query_id"].astype(int) <= 20
    systems = {
        name: trec.read_run(pydocs.DATA / "runs" / f"{name}.res.gz") for name in ("bm25", "dph")
    }
    expected, table = [], []
    (tmp_path / "qrels").mkdir()
    for dataset, judged in {"first": trec_qrels[half], "second": trec_qrels[~half]}.items():
        rows = judged.assign(iteration=0)[["query_id", "iteration", "doc_id", "relevance"]]
        rows.to_csv(tmp_path / "qrels" / f"{dataset}.txt", sep=" ", header=False, index=False)
        (tmp_path / "runs" / dataset).mkdir(parents=True)
        for name, run in systems.items():
            run = run[run["query_id"].isin(judged["query_id"])]
            run = run.rename(columns={"query_id": "qid", "doc_id": "docno"})
            run.to_parquet(tmp_path / "runs" / dataset / f"{name}.parquet")
            values = pt_cumgain.evaluate(["nDCG@10", "nDCG(gains='0-1-10-100')@10"], judged, run)
            expected.append(values.assign(dataset=dataset, name=name))
            table.append(run.assign(dataset=dataset, name=name))
    pd.concat(table).to_parquet(tmp_path / "table")
    monkeypatch.chdir(tmp_path)  # Python's folder, not Java's
    names = {"spark": spark}
    found = []
    blocks = re.findall(r"::\n\n((?:   .*\n|\n)+)", PAGE.read_text("utf-8"))
    for block in [block for block in blocks if "=" in block]:
        code = re.sub(r'"(table|values)"', lambda found: repr(str(tmp_path / found[1])), block)
        exec(textwrap.dedent(code), names)
        found.append(names.get("results"))
    order = ["dataset", "name", "qid", "measure"]
    wanted = pd.concat(expected)[[*order, "value"]].sort_values(order, ignore_index=True)
    for results in (found[1], found[2]):
        got = results[[*order, "value"]].sort_values(order, ignore_index=True)
        pd.testing.assert_frame_equal(got, wanted, check_dtype=False, check_exact=True)
    one = pd.read_parquet("values")
    alone = wanted[(wanted["dataset"] == "first") & (wanted["name"] == "bm25")]
    alone = in_order(alone[["qid", "measure", "value"]])
    pd.testing.assert_frame_equal(in_order(one), alone, check_dtype=False, check_exact=True)
