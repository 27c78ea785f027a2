"""`pt_cumgain.evaluate`: one function for runs in memory and runs in files of any size."""

import inspect
import os
from collections.abc import Iterable
from pathlib import Path

import ir_datasets
import ir_measures
import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import CG, nCG, nDCG, pydocs
from pt_cumgain.hosts.ir_measures import provider
from tests.support import trec
from tests.support.helpers import PUBLIC, slow

MEASURES = [nDCG(gains="0-1-10-100") @ 10, nDCG @ 10, CG @ 5, nCG]


@pytest.fixture(scope="module")
def run() -> pd.DataFrame:
    return trec.read_run(pydocs.DATA / "runs" / "first-word.res.gz")


def frame_of_metrics(metrics: Iterable[ir_measures.util.Metric]) -> pd.DataFrame:
    rows = [(metric.query_id, str(metric.measure), metric.value) for metric in metrics]
    return pd.DataFrame(rows, columns=["qid", "measure", "value"])


GOLDEN = Path(__file__).parent / "golden"
#: The functions of systems, whose values depend on the order of documents.
JUDGING = [
    name
    for name, function in PUBLIC.items()
    if inspect.isfunction(function) and "scores" in inspect.signature(function).parameters
    if name not in ("evaluate", "report")
]


@pytest.mark.filterwarnings("ignore:.*column rank orders:UserWarning")
def test_scores_as_float32_give_the_hosts_ndcg() -> None:
    """Expected: pytrec_eval, which compares scores as float32. Some differ only as doubles."""
    qrels, run = trec.read_qrels(GOLDEN / "mini.qrels"), trec.read_run(GOLDEN / "mini.run")
    measures = [nDCG @ 5, nDCG @ 10, nDCG]

    def by_topic(values: pd.DataFrame) -> dict:
        return values.set_index(["qid", "measure"])["value"].to_dict()

    host = by_topic(frame_of_metrics(ir_measures.iter_calc(measures, qrels, run)))
    host = {key: pytest.approx(value, rel=1e-9, abs=1e-12) for key, value in host.items()}
    assert by_topic(pt_cumgain.evaluate(measures, qrels, run)) != host
    for source in (run, GOLDEN / "mini.run", run.sample(frac=1, random_state=0)):
        values = pt_cumgain.evaluate(measures, qrels, source, scores="float32", batch_rows=7)
        assert by_topic(values) == host


@pytest.mark.filterwarnings("ignore:.*none of its documents:UserWarning")
def test_scores_that_float32_cannot_hold_are_infinite() -> None:
    """1e300 and 1e301 tie, and b is before a."""
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1e301, "b": 1e300, "c": 1.0}}
    assert pt_cumgain.evaluate("CG@1", qrels, run)["value"].tolist() == [1]
    assert pt_cumgain.evaluate("CG@1", qrels, run, scores="float32")["value"].tolist() == [0]


@pytest.mark.filterwarnings("ignore:.*column rank orders:UserWarning")
@pytest.mark.parametrize("name", JUDGING)
def test_every_function_of_systems_compares_scores_as_float32(name: str) -> None:
    """Expected: the same of runs whose scores are float32 already."""
    qrels, run = trec.read_qrels(GOLDEN / "mini.qrels"), trec.read_run(GOLDEN / "mini.run")
    measures = {"gain_curves": "nDCG", "gain_by_level": "CG@10"}.get(name, "nDCG@10")
    if name in ("query_gains", "session_curves"):
        measures, run = "sDCG@10", run.assign(query_position=1)
    runs = [run, run.assign(score=-run["score"])]
    cut = [each.assign(score=each["score"].astype("float32")) for each in runs]
    found = PUBLIC[name](runs, None, qrels, measures, scores="float32")
    pd.testing.assert_frame_equal(found, PUBLIC[name](cut, None, qrels, measures))
    assert not found.equals(PUBLIC[name](runs, None, qrels, measures))


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_measures_of_ir_measures(missing: str, trec_qrels, run) -> None:
    """Expected: ir-measures' own values of the same run, and this package's of CG alone.

    A topic that the run misses counts 0 or, with "skip", has no rows.
    """
    hosts = [ir_measures.AP, ir_measures.P @ 5, ir_measures.NumQ]
    expected = frame_of_metrics(ir_measures.iter_calc(hosts, trec_qrels, run))
    if missing == "skip":
        expected = expected[expected["qid"].isin(run["query_id"])]
    alone = pt_cumgain.evaluate(CG @ 5, trec_qrels, run, missing=missing)
    assert len(alone) == {"zero": 42, "skip": 41}[missing]
    expected = pd.concat([expected, alone]).set_index(["measure", "qid"])["value"].to_dict()
    records = (ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False))
    for given in (run, records, pydocs.DATA / "runs" / "first-word.res.gz"):
        qrels = ir_datasets.load("pydocs").qrels_iter()  # read once
        got = pt_cumgain.evaluate([*map(str, hosts), CG @ 5], qrels, given, missing=missing)
        assert got.set_index(["measure", "qid"])["value"].to_dict() == expected


@pytest.mark.filterwarnings("ignore:no document has a positive label in 1 of:UserWarning")
def test_what_measures_of_ir_measures_read() -> None:
    """Topics without judgments, as in its own means; the last place of a session's document."""
    qrels, run = {"q": {"a": 1}, "r": {}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    assert pt_cumgain.evaluate(["AP", CG @ 1], qrels, run)["value"].tolist() == [1, 0, 1, 0]
    rows = [("q", "a", 5.0, 2), ("q", "x", 3.0, 1), ("q", "a", 1.0, 1)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score", "query_position"])
    assert pt_cumgain.evaluate("AP", {"q": {"a": 1}}, run)["value"].tolist() == [1]
    with pytest.warns(UserWarning, match=r"^run: none of its documents in this topic is judged; "):
        pt_cumgain.evaluate("AP", {"q": {"a": 1}}, {"q": {"A": 1.0}})


@pytest.mark.parametrize("rows", [7, 100, *slow(1, 1000, 10**6)])
def test_files_in_batches(rows: int, trec_qrels, run, tmp_path) -> None:
    if rows < 100:  # small batches take long
        run = run.head(500)
        assert run["query_id"].nunique() > 5
    half = run["query_id"].isin(run["query_id"].unique()[: run["query_id"].nunique() // 2])
    paths = [tmp_path / "one.res", str(tmp_path / "two.res.gz")]
    folder = tmp_path / "parts"
    folder.mkdir()
    for part, path in zip((run[half], run[~half]), paths, strict=True):
        lines = part.assign(q0="Q0", rank=0, tag="t")
        lines = lines[["query_id", "q0", "doc_id", "rank", "score", "tag"]]
        lines.to_csv(path, sep=" ", header=False, index=False)
        renamed = part.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(extra="x")
        renamed.to_parquet(folder / f"{Path(path).stem}.parquet", row_group_size=50)
    run.to_parquet(tmp_path / "run.parquet", row_group_size=50)
    expected = frame_of_metrics(provider.iter_calc(MEASURES, trec_qrels, run))
    for given in (paths, tmp_path / "run.parquet", str(folder)):
        got = pt_cumgain.evaluate(MEASURES, trec_qrels, given, batch_rows=rows)
        pd.testing.assert_frame_equal(got, expected, check_dtype=False)


def test_empty_files(tmp_path, trec_qrels) -> None:
    (tmp_path / "run").write_text("")
    with pytest.warns(UserWarning, match="no documents for 42 of the 42 topics"):
        got = pt_cumgain.evaluate(CG, trec_qrels, tmp_path / "run")
    assert got["value"].tolist() == [0] * 42


@pytest.mark.parametrize(
    ("run", "kind", "message"),
    [
        ("none", FileNotFoundError, "none"),
        # Python's Path("") is the current folder, all files of which would be read as Parquet
        *((empty, ValueError, "path is empty") for empty in ("", [""], ["a.res", ""])),
        ("broken", ValueError, "line 10: 3 fields, expected 6"),
        ("twice", ValueError, "row 2 was read as .*; row 3 was read as"),  # in the second batch
        ({1: {"d": 1}, "1": {"d": 2}}, ValueError, "^run: topic '1' is an integer and a text$"),
        (
            ["one", "two"],
            ValueError,
            "document 'd' of topic 'a' appears twice.*a list of files is one run in parts; to "
            "evaluate several runs, call evaluate for each",
        ),
    ],
)
def test_what_is_refused(run, kind: type[Exception], message: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken").write_text("".join(f"q{i} Q0 d 0 1 t\n" for i in range(9)) + "q9 Q0 d\n")
    Path("twice").write_text("b Q0 d 0 1 t\nc Q0 d 0 1 t\na Q0 d 0 1 t\na Q0 d 0 1 t\n")
    for name in ("one", "two"):
        Path(name).write_text("a Q0 d 0 1 t\n")
    with pytest.raises(kind, match=message):
        pt_cumgain.evaluate(CG, {"a": {"d": 1}}, run, batch_rows=2)


def test_a_document_that_appears_twice_in_a_topic_of_several_places(tmp_path) -> None:
    """Topic q1 ranks b, c, a, a, the last two before q2 in the file; P needs the whole list."""
    rows = "q1 Q0 a 3 1 t\nq1 Q0 a 4 0.5 t\nq2 Q0 x 1 1 t\nq1 Q0 b 1 9 t\nq1 Q0 c 2 8 t\n"
    (tmp_path / "run").write_text(rows)
    given = {"q1": {"b": 1, "a": 1}, "q2": {"x": 1}}, tmp_path / "run"
    assert pt_cumgain.evaluate(CG @ 2, *given)["value"].tolist() == [1, 1]
    for measure in (CG @ 4, ir_measures.P @ 1):
        with pytest.raises(ValueError, match=r"^run: document 'a' .* twice, at ranks 3 and 4: "):
            pt_cumgain.evaluate(measure, *given)
    (tmp_path / "plain").write_text("q2 Q0 x 1 1 t\n")
    for name, columns in (("score", ["rank"]), ("query_position", ["score", "query_position"])):
        table = pd.DataFrame({"qid": ["q1"], "docno": "z", **dict.fromkeys(columns, 1)})
        table.to_csv(tmp_path / "table.csv")
        with pytest.raises(ValueError, match=f"^some files have a column {name}, but others do no"):
            pt_cumgain.evaluate(CG @ 2, given[0], [tmp_path / "plain", tmp_path / "table.csv"])
    reader, writer = os.pipe()
    os.write(writer, rows.encode())
    os.close(writer)
    with pytest.raises(ValueError, match=r"^the rows of a topic are not consecutive in a pipe; "):
        pt_cumgain.evaluate(CG @ 2, given[0], f"/dev/fd/{reader}")


@pytest.mark.usefixtures("no_delay")
def test_progress_counts_topics(trec_qrels, capfd) -> None:
    path = pydocs.DATA / "runs" / "bm25.res.gz"
    pt_cumgain.evaluate(CG, trec_qrels, path, verbose=True, batch_rows=500)
    assert "/42 [" in capfd.readouterr().err
    pt_cumgain.evaluate(CG, trec_qrels, path)
    assert capfd.readouterr().err == ""
