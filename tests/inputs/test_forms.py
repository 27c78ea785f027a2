"""Every form of a run with every kind of ids gives the same values, by way of every function."""

import inspect
import itertools
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ir_measures
import pandas as pd
import pyarrow
import pytest

import pt_cumgain
from pt_cumgain import CG, nDCG, sDCG
from pt_cumgain.inputs import formats
from pt_cumgain.inputs.formats import run_name
from tests.support.helpers import PUBLIC, SESSION_QRELS, SESSION_RUN, frame_of, slow, warnings_of

# topic 1 ranks 7 (3), 8; topic 2 ranks 8, 7 (2); topic 30 ranks 9 (1), 7: batches of two rows end
# where topics do
ROWS = [
    ("1", "7", 2.0), ("1", "8", 1.0),
    ("2", "8", 2.0), ("2", "7", 1.0),
    ("30", "9", 2.0), ("30", "7", 1.0),
]  # fmt: skip
RUN = pd.DataFrame(ROWS, columns=["qid", "docno", "score"])
QRELS = {"1": {"7": 3}, "2": {"7": 2}, "30": {"9": 1}}
SCATTERED = [5, 0, 3, 2, 4, 1]
LABELS = frame_of(QRELS, "qid docno label")
VALUES = {("1", "CG@1"): 3, ("2", "CG@1"): 0, ("30", "CG@1"): 1}
VALUES |= {("1", "CG@2"): 3, ("2", "CG@2"): 2, ("30", "CG@2"): 1}

#: Kinds of ids: what a column is converted to, step by step.
IDS = {
    "strings": ["str"],
    "objects": ["object"],
    "integers": ["int64"],
    "short integers": ["uint8"],
    "nullable integers": ["Int64"],
    "categories": ["category"],
    "categories of integers": ["int64", "category"],
    "Arrow strings": ["string[pyarrow]"],
    "Arrow's strings": ["large_string[pyarrow]"],
    "Arrow's integers": ["int64", "int64[pyarrow]"],
}


def frame(kind: str) -> pd.DataFrame:
    run = RUN.copy()
    for dtype in IDS[kind]:
        run = run.astype({"qid": dtype, "docno": dtype})
    return run


def records(run: pd.DataFrame, _: Path) -> list:
    return [ir_measures.ScoredDoc(*row) for row in zip(*(run[name].tolist() for name in run))]


def mapping(run: pd.DataFrame, folder: Path) -> dict:
    out: dict = {}
    for record in records(run, folder):
        out.setdefault(record.query_id, {})[record.doc_id] = record.score
    return out


def trec(separator: str) -> Callable[[pd.DataFrame, Path], Path]:
    def write(run: pd.DataFrame, folder: Path) -> Path:
        path = folder / "run.txt"
        lines = zip(run["qid"], run["docno"], run["score"])
        path.write_text("".join(f"{q} Q0{separator}{d} 0 {s} tag\n" for q, d, s in lines))
        return path

    return write


def archive(run: pd.DataFrame, folder: Path) -> Path:
    path = folder / "run.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        file.add(trec(" ")(run, folder), "run.txt")
    return path


def parquet(run: pd.DataFrame, folder: Path) -> Path:
    run.to_parquet(folder / "run.parquet")
    return folder / "run.parquet"


def parquet_folder(run: pd.DataFrame, folder: Path) -> str:
    for i, part in enumerate((run[:3], run[3:])):
        part.to_parquet(folder / f"part-{i}.parquet", row_group_size=2)
    return str(folder)


def partitioned_folder(run: pd.DataFrame, folder: Path) -> Path:
    run.to_parquet(folder / "run", partition_cols=["qid"])
    return folder / "run"


class OtherFrame:
    """A frame of another library: its columns in Arrow's form are all it shows, as polars' does."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        self.columns = self._table.column_names

    def __iter__(self) -> Any:
        return iter(self._table.columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        return self._table.to_pandas()


FORMS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "a frame": lambda run, _: run,
    "a frame of ir-measures": lambda run, _: run.set_axis(["query_id", "doc_id", "score"], axis=1),
    "a frame of scattered rows": lambda run, _: run.iloc[SCATTERED],
    "a frame of another library": lambda run, _: OtherFrame(run),
    "a data set of Hugging Face": lambda run, _: SimpleNamespace(
        column_names=[*run], to_pandas=lambda: run
    ),
    "an Arrow table": lambda run, _: pyarrow.Table.from_pandas(run, preserve_index=False),
    "records": records,
    "a dict": mapping,
    "a TREC file": trec(" "),
    "an irregular TREC file": trec("  "),
    "a TREC file of scattered rows": lambda run, folder: trec(" ")(run.iloc[SCATTERED], folder),
    "an archive of a TREC file": archive,
    "a .tgz": lambda run, folder: archive(run, folder).rename(folder / "run.tgz"),
    "a Parquet file": parquet,
    "a Parquet file of scattered rows": lambda run, folder: parquet(run.iloc[SCATTERED], folder),
    "a Parquet file with an index": lambda run, folder: parquet(run.set_index("qid"), folder),
    "a folder of Parquet files": parquet_folder,
    "a partitioned folder": partitioned_folder,
    "files of several forms": lambda run, folder: (
        trec(" ")(run[:3], folder),
        parquet(run[3:].astype({"score": "float32"}), folder),
    ),
}


def by_topic(values: pd.DataFrame) -> dict:
    return {(qid, measure): value for qid, measure, value in values.itertuples(index=False)}


@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
@pytest.mark.parametrize(
    ("form", "ids"),
    [
        *((form, "strings") for form in FORMS),
        *(("a frame", ids) for ids in IDS if ids != "strings"),
        *slow(*itertools.product([*FORMS][1:], [*IDS][1:])),
    ],
)
def test_values(form: str, ids: str, tmp_path) -> None:
    run = FORMS[form](frame(ids), tmp_path)
    values = pt_cumgain.evaluate([CG @ 1, CG @ 2], QRELS, run, batch_rows=2)
    assert by_topic(values) == VALUES
    curve = pt_cumgain.gain_curves([run], None, QRELS, CG, depth=2)
    assert curve["value"].tolist() == pytest.approx([4 / 3, 2])
    levels = pt_cumgain.papers.precision_by_level([run], None, QRELS).set_index("level")
    assert levels["AP"].to_dict() == {1: 1, 2: 0.5, 3: 1}


@pytest.mark.parametrize("ids", IDS)
def test_values_in_spark(ids: str, spark) -> None:
    """Spark has no categories and no Arrow types: its own types of what these hold."""
    rows = list(zip(*(frame(ids)[name].tolist() for name in RUN)))
    run = spark.createDataFrame(rows, list(RUN)).repartition(3)
    assert by_topic(pt_cumgain.evaluate([CG @ 1, CG @ 2], QRELS, run).toPandas()) == VALUES


@pytest.mark.parametrize("ids", IDS)
def test_qrels(ids: str) -> None:
    """Also for the measures of ir-measures' own providers."""
    measures = [CG @ 1, CG @ 2, "AP"]
    expected = pt_cumgain.evaluate(measures, LABELS, RUN)
    labels = LABELS
    for dtype in IDS[ids]:
        labels = labels.astype({"qid": dtype})
    for docs in IDS.values():
        judged = labels
        for dtype in docs:
            judged = judged.astype({"docno": dtype})
        found = pt_cumgain.evaluate(measures, judged, RUN)
        pd.testing.assert_frame_equal(found, expected)
    assert by_topic(found[found["measure"] != "AP"]) == VALUES


def test_a_runs_name_leaves_out_the_suffixes_of_every_format(tmp_path, monkeypatch) -> None:
    """Those that formats declare, a new one's too, and those of compression."""
    rows = "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s}}}\n' for q, d, s in ROWS)
    (tmp_path / "x.rows").write_text(rows)
    other = SimpleNamespace(
        SUFFIXES=(".rows",),
        reads=lambda path: path.suffix == ".rows",
        read_batches=lambda path, *_: iter(
            [pyarrow.Table.from_pandas(pd.read_json(path, lines=True, dtype=False))]
        ),
    )
    monkeypatch.setattr(formats, "_OTHERS", [*formats._OTHERS, other])
    curves = pt_cumgain.gain_curves([tmp_path / "x.rows"], None, QRELS, CG, 1)
    assert curves["name"].tolist() == ["x"]
    for suffix in (".gz", ".bz2", ".xz", ".zip", ".zst", ".lz4", ".tar", ".tar.gz", ".tgz"):
        assert run_name(f"folder/x.2.run{suffix}") == "x.2"
    suffixes = ".res .txt .trec .parquet .parq .pq .rows.gz .json.lz4 .jsonl .tsv .csv"
    for suffix in ["", *suffixes.split()]:
        assert run_name(Path(f"x{suffix}")) == "x"
    for name in ("x.qrels", ".res", "AP", "bm25+rm3"):
        assert run_name(name) == name
    assert run_name("folder/") == "folder"


#: How a function that takes topics is called, after systems, topics and qrels.
WITH_TOPICS: dict[str, tuple] = {
    **dict.fromkeys(["bounds", "dominance", "weighting_map"], (nDCG @ 2,)),
    **dict.fromkeys(["gain_by_level", "gain_curves", "topic_table"], (CG @ 2,)),
    **dict.fromkeys(["query_gains", "session_curves"], (sDCG @ 2,)),
    "precision_by_level": (),
    "report": (CG @ 2,),
}


def test_every_function_that_takes_topics_is_called() -> None:
    takes = {
        name
        for name, function in PUBLIC.items()
        if inspect.isfunction(function)
        and {"systems", "qrels"} < set(inspect.signature(function).parameters)
    }
    assert takes == set(WITH_TOPICS)


@pytest.mark.parametrize("name", WITH_TOPICS)
def test_topics_without_judgments_are_told_once(name: str, tmp_path, monkeypatch) -> None:
    """Of nine topics three are judged; the first five of the others are named."""
    if name == "report":
        pytest.importorskip("bokeh")
    monkeypatch.chdir(tmp_path)
    run = RUN.assign(query_position=1) if sDCG @ 2 in WITH_TOPICS[name] else RUN
    systems = {"X": run, "Y": run.assign(score=-run["score"])}
    qids = ["4", "1", "5", "6", "2", "7", "30", "8", "9"]

    def call(topics: list) -> list[str]:
        frame = pd.DataFrame({"qid": topics})
        more = {"path": "report.html"} if name == "report" else {}
        said = warnings_of(lambda: PUBLIC[name](systems, frame, LABELS, *WITH_TOPICS[name], **more))
        return [text for text in said if "without judgments" in text]

    told = "6 topics without judgments are omitted: 4, 5, 6, 7, 8, 9"
    assert call(qids) == [told]
    assert call(["1", "2", "x", "2", "x"]) == ["1 topic without judgments is omitted: x"]
    assert call([1, 2, 30]) == []


def test_a_frame_of_another_library_that_is_not_taken_says_how_to_convert_it() -> None:
    with pytest.raises(TypeError, match=r"^run: a SimpleNamespace must be .* with to_pandas\(\)$"):
        CG.calc_aggregate(QRELS, SimpleNamespace(columns=list(RUN)))
    with pytest.raises(TypeError, match=r"^run must be a frame, .* is none of these"):
        pt_cumgain.evaluate(CG, QRELS, SimpleNamespace(column_names=["qid"]))
    with pytest.raises(TypeError, match=r"pandas DataFrame, not .*; convert it with to_pandas\(\)"):
        pt_cumgain.pairwise(OtherFrame(RUN))
    with pytest.raises(TypeError, match=r"^topics must be .* convert it with to_pandas\(\)"):
        pt_cumgain.gain_curves([RUN], OtherFrame(RUN), QRELS, CG)


@pytest.mark.parametrize("topics", [["007", "a b/ü", "1.0"], ["007", "7", "07"]])
def test_names_of_folders_are_ids_as_they_are(topics: list[str], tmp_path) -> None:
    """Not numbers, and without the signs by which file systems spell others."""
    run = pd.DataFrame({"qid": topics, "docno": "d", "score": 1.0})
    run.to_parquet(tmp_path / "run", partition_cols=["qid"])
    qrels = {topic: {"d": i} for i, topic in enumerate(topics, 1)}
    assert pt_cumgain.evaluate(CG, qrels, tmp_path / "run")["value"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("keys", [[], ["query_position"], ["query_id", "query_position"]])
def test_sessions_in_parquet(keys: list[str], tmp_path) -> None:
    """Expected: the frame."""
    SESSION_RUN.to_parquet(tmp_path / "run", partition_cols=keys or None)
    if not keys:
        (tmp_path / "run").rename(tmp_path / "run.parquet")
    path = next(tmp_path.iterdir())
    wanted = pt_cumgain.sessions.session_curves({"X": SESSION_RUN}, None, SESSION_QRELS, sDCG @ 2)
    got = pt_cumgain.sessions.session_curves({"X": path}, None, SESSION_QRELS, sDCG @ 2)
    pd.testing.assert_frame_equal(got, wanted)


@pytest.mark.parametrize("missing", ["qid", "docno", "score"])
def test_a_missing_column_is_named(missing: str, tmp_path) -> None:
    RUN.drop(columns=missing).to_parquet(tmp_path / "run.parquet")
    with pytest.raises(ValueError, match=r"run\.parquet: missing columns: .* \(found \['") as no:
        pt_cumgain.evaluate(CG, QRELS, tmp_path / "run.parquet")
    named = {"qid": "; query_id is also called qid, ", "docno": "; doc_id is also called docno, "}
    assert named.get(missing, "'docno'])") in str(no.value)
    RUN.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"run\.parquet lacks columns of the first file: \['"):
        pt_cumgain.evaluate(CG, QRELS, tmp_path)


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "string[pyarrow]", "object"])
def test_a_missing_id_in_parquet(dtype: str, tmp_path) -> None:
    """An integer column with a gap is not one of floats, whose ids would be other strings."""
    topics = pd.Series([1, 1, None] if "nt" in dtype else ["1", "1", None], dtype=dtype)
    run = pd.DataFrame({"qid": topics, "docno": ["7", "8", "9"], "score": 1.0})
    run.to_parquet(tmp_path / "run.parquet")
    with pytest.raises(TypeError, match=r"^run query_id must be strings, but row 2 holds"):
        pt_cumgain.evaluate(CG, QRELS, tmp_path / "run.parquet")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".run"])  # of a single line, too
def test_ranks_and_iterations_in_json_lines_may_be_texts(suffix: str, tmp_path) -> None:
    run, qrels = tmp_path / f"run{suffix}", tmp_path / f"qrels{suffix}"
    run.write_text('{"qid": "1", "docno": "a", "score": 1, "rank": "first"}\n')
    qrels.write_text('{"qid": "1", "docno": "a", "label": 2, "iteration": "Q0"}\n')
    assert pt_cumgain.evaluate(CG @ 1, qrels, run)["value"].tolist() == [2]


@pytest.mark.parametrize("other", ["2026-01-02", None])
def test_dates_are_not_scores(other: str | None, tmp_path) -> None:
    dates = pd.to_datetime(pd.Series(["2026-01-01", other]))
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": dates})
    for given, start in (
        (run, "run "),
        (pyarrow.Table.from_pandas(run), "run "),
        (parquet(run, tmp_path), f"{tmp_path}/run.parquet: "),
    ):
        words = f"^{re.escape(start)}score must be numbers, not datetime64"
        with pytest.raises((TypeError, ValueError), match=words):
            pt_cumgain.evaluate(CG, QRELS, given)
