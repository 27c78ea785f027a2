"""Files and frames of other programs: the same values as from dicts, by every function and command.

What a program wrote once, and its layouts, are in the tests, with the source.
"""

import base64
import bz2
import csv
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import ir_datasets
import lz4.frame
import pandas as pd
import pyarrow
import pytest

import pt_cumgain
from pt_cumgain import CG, cli, pydocs
from pt_cumgain.papers import recall_bases
from tests.inputs.test_forms import QRELS, ROWS, VALUES, OtherFrame, by_topic
from tests.support.helpers import hide, refuse, run_cli, slow

RUN: dict[str, dict[str, float]] = {}
for _topic, _document, _score in ROWS:
    RUN.setdefault(_topic, {})[_document] = _score
LABELS = [(topic, doc, label) for topic, docs in QRELS.items() for doc, label in docs.items()]
TREC_QRELS = "".join(f"{q} 0 {d} {label}\n" for q, d, label in LABELS).encode()


def trec_run(run: dict[str, dict[str, float]]) -> bytes:
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    return "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows).encode()


# what ranx 0.3.21 writes for QRELS and RUN: Qrels.save, Run.save
RANX_QRELS = (
    b'{\n  "1": {\n    "7": 3\n  },\n  "2": {\n    "7": 2\n  },\n  "30": {\n    "9": 1\n  }\n}'
)
RANX_RUN = (
    b'{\n  "1": {\n    "7": 2.0,\n    "8": 1.0\n  },\n  "2": {\n    "8": 2.0,\n    "7": 1.0\n  },\n'
    b'  "30": {\n    "9": 2.0,\n    "7": 1.0\n  }\n}'
)
RANX_LZ4 = (
    "BCJNGEBAwEQAAACCBCJNGGhATQABAPAoZy4AAACSo2ExomE3+0AAAQBTYTj7P/ALAEYyomE4GQAVNxkAa2IzMKJhORoA"
    "UAAAAAAAAAAAAAAAAAA="
)


class Written:
    """A folder to which other programs write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bytes(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def tsv(self, name: str, rows: list) -> Path:
        """As beir.util.write_to_tsv of BEIR 2.2.0 does."""
        path = self.bytes(name, b"")
        with path.open("w") as file:
            writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
            writer.writerow(["query-id", "corpus-id", "score"])
            writer.writerows(rows)
        return path

    def beir(self, rows: list) -> Path:
        """The folder that BEIR's GenericDataLoader loads."""
        self.bytes("scifact/corpus.jsonl", b'{"_id": "7", "title": "", "text": "x"}\n')
        self.bytes("scifact/queries.jsonl", b'{"_id": "1", "text": "x"}\n')
        self.tsv("scifact/qrels/train.tsv", [("1", "7", 1)])
        return self.tsv("scifact/qrels/test.tsv", rows).parents[1]

    def zip(self, content: str, *names: str) -> Path:
        with zipfile.ZipFile(self.folder / "x.zip", "w") as file:
            for name in names:
                file.writestr(name, content)
        return self.folder / "x.zip"

    def parquet(self, frame: pd.DataFrame, name: str = "x.parquet") -> Path:
        frame.to_parquet(self.folder / name)
        return self.folder / name

    def mteb(self, **subsets: Any) -> Path:
        """AbsTask._save_task_predictions of mteb 2.26.24."""
        meta = {"mteb_model_meta": {"model_name": "x/y", "revision": "1"}}
        return self.bytes("SciFact_predictions.json", json.dumps(meta | subsets).encode())

    def sentence_transformers(self, run: dict) -> Path:
        """InformationRetrievalEvaluator(write_predictions=True) of sentence-transformers 6.2.0."""
        lines = [
            {
                "query_id": topic,
                "query": "a text",
                "results": [{"corpus_id": doc, "score": score} for doc, score in docs.items()],
            }
            for topic, docs in run.items()
        ]
        name = "Information-Retrieval_evaluation_predictions_cosine.jsonl"
        return self.bytes(name, "".join(json.dumps(line) + "\n" for line in lines).encode())


def frame_of(rows: list, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=names)


def like_ranx(data: dict, name: str) -> Any:
    """What shows of an object of ranx: its class, its data, and to_dict."""
    names = {"__module__": "ranx.data_structures", "to_dict": lambda _: data, name.lower(): data}
    return type(name, (), names)()


BEIR = ["query-id", "corpus-id", "score"]
RANX = ["q_id", "doc_id", "score"]

#: In runs and qrels alike: of rows and a dict.
BOTH: dict[str, Callable[[list, dict, Written], Any]] = {
    "BEIR's tsv": lambda rows, _, w: w.tsv("test.tsv", rows),
    "BEIR's frame": lambda rows, *_: frame_of(rows, BEIR),
    "BEIR's names in Arrow": lambda rows, *_: pyarrow.Table.from_pandas(frame_of(rows, BEIR)),
    "Parquet with BEIR's names": lambda rows, _, w: w.parquet(frame_of(rows, BEIR)),
    "Parquet of BeIR/scifact-qrels": lambda rows, _, w: w.parquet(
        frame_of(rows, BEIR).astype({"query-id": "int64", "corpus-id": "int64"})
    ),
    "ranx's frame": lambda rows, *_: frame_of(rows, RANX),
    "ranx's names in Parquet": lambda rows, _, w: w.parquet(frame_of(rows, RANX), "x.parq"),
    "pytrec_eval's dict": lambda _, data, w: w.bytes("x.json", json.dumps(data).encode()),
    "zipped JSON": lambda _, data, w: w.zip(json.dumps(data), "x.json"),
    "bz2": lambda _, data, w: w.bytes("x.json.bz2", bz2.compress(json.dumps(data).encode())),
}
#: In qrels only, and in runs only.
OF_QRELS: dict[str, Callable[[Written], Any]] = {
    "BEIR's folder": lambda w: w.beir(LABELS),
    "BEIR's tsv, compressed": lambda w: w.bytes(
        "test.tsv.xz", lzma.compress(w.tsv("test.tsv", LABELS).read_bytes())
    ),
    "labels beside scores": lambda _: frame_of(
        [(*row, -1.0) for row in LABELS], ["query-id", "corpus-id", "label", "score"]
    ),
    "Parquet of PyTerrier": lambda w: w.parquet(frame_of(LABELS, ["qid", "docno", "label"])),
    "a folder of Parquet": lambda w: (
        w.parquet(frame_of(LABELS, ["query_id", "doc_id", "relevance"])).parent
    ),
    "a frame of another library": lambda _: OtherFrame(frame_of(LABELS, ["qid", "docno", "label"])),
    "ranx's JSON": lambda w: w.bytes("ranx.json", RANX_QRELS),
    "like ranx's Qrels": lambda _: like_ranx(QRELS, "Qrels"),
    "TREC in lz4": lambda w: w.bytes("qrels.lz4", lz4.frame.compress(TREC_QRELS)),
}
OF_RUN: dict[str, Callable[[Written], Any]] = {
    "ranx's JSON": lambda w: w.bytes("ranx.json", RANX_RUN),
    "like ranx's Run": lambda _: like_ranx(RUN, "Run"),
    "MTEB's predictions": lambda w: w.mteb(default={"test": RUN}),
    "sentence-transformers' predictions": lambda w: w.sentence_transformers(RUN),
    "TREC in lz4": lambda w: w.bytes("run.lz4", lz4.frame.compress(trec_run(RUN))),
    "a BEIR run with ranks": lambda _: frame_of([(*row, 0) for row in ROWS], [*BEIR, "rank"]),
}
ALL_QRELS = {name: lambda w, of=of: of(LABELS, QRELS, w) for name, of in BOTH.items()} | OF_QRELS
ALL_RUNS = {name: lambda w, of=of: of(ROWS, RUN, w) for name, of in BOTH.items()} | OF_RUN
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "evaluate": lambda qrels, run: pt_cumgain.evaluate([CG @ 1, "AP"], qrels, run),
    "gain_curves": lambda qrels, run: pt_cumgain.gain_curves({"X": run}, None, qrels, CG, depth=2),
    "precision_by_level": lambda qrels, run: pt_cumgain.papers.precision_by_level(
        {"X": run}, None, qrels
    ),
    "gain_by_level": lambda qrels, run: pt_cumgain.trust.gain_by_level(
        {"X": run}, None, qrels, CG @ 2
    ),
    "bounds": lambda qrels, run: pt_cumgain.bounds({"X": run}, None, qrels, CG @ 2),
    "topics_of": lambda qrels, _: pt_cumgain.topics_of(qrels),
    "qrels_at_level": lambda qrels, _: (
        pt_cumgain.papers.qrels_at_level(qrels, 2).iloc[:, :3].to_numpy()
    ),
    "recall_bases": lambda qrels, _: recall_bases(qrels),
    "session_qrels": lambda q, _: pt_cumgain.sessions.session_qrels(q, {"s": "2"}).iloc[:, :2],
}


def same(found: Any, wanted: Any) -> None:
    pd.testing.assert_frame_equal(
        pd.DataFrame(getattr(found, "values", found)),
        pd.DataFrame(getattr(wanted, "values", wanted)),
        check_dtype=False,
    )


@cache
def of_dicts(name: str) -> Any:
    return FUNCTIONS[name](QRELS, RUN)


@pytest.mark.parametrize("form", ALL_QRELS)
def test_qrels(form: str, tmp_path) -> None:
    """Expected: the values by hand in test_forms, and what dicts give."""
    qrels = ALL_QRELS[form](Written(tmp_path))
    assert by_topic(pt_cumgain.evaluate([CG @ 1, CG @ 2], qrels, RUN)) == VALUES
    assert by_topic(pt_cumgain.evaluate("AP", qrels, RUN)) == by_topic(
        pt_cumgain.evaluate("AP", QRELS, RUN)
    )
    for name, function in FUNCTIONS.items():
        same(function(qrels, RUN), of_dicts(name))


@pytest.mark.parametrize("form", ALL_RUNS)
def test_runs(form: str, tmp_path) -> None:
    run = ALL_RUNS[form](Written(tmp_path))
    assert by_topic(pt_cumgain.evaluate([CG @ 1, CG @ 2], QRELS, run, batch_rows=2)) == VALUES
    for name, function in FUNCTIONS.items():
        same(function(QRELS, run), of_dicts(name))


def test_the_lz4_of_ranx(tmp_path) -> None:
    pytest.importorskip("cbor2")
    path = Written(tmp_path).bytes("x.lz4", base64.b64decode(RANX_LZ4))
    assert by_topic(pt_cumgain.evaluate([CG @ 1, CG @ 2], QRELS, path)) == VALUES


@pytest.mark.parametrize(
    ("package", "content", "message"),
    [
        ("cbor2", base64.b64decode(RANX_LZ4), "the .lz4 files of ranx need cbor2"),
        ("lz4", b"", "files in lz4 need lz4"),
        ("zstandard", b"x", "files in zst need zstandard"),
    ],
)
def test_what_compressed_files_need(package, content, message, tmp_path, monkeypatch) -> None:
    name = "x.zst" if package == "zstandard" else "x.lz4"
    path = Written(tmp_path).bytes(name, content)
    hide(package, monkeypatch)
    with pytest.raises(ImportError, match=f"^{message}: pip install {package}$"):
        pt_cumgain.evaluate(CG, QRELS, path)


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "QRELS", "RUN", "OTHER", "-m", "CG@2"],
        ["curves", "QRELS", "RUN", "-m", "CG", "--csv", "-"],
        *slow(
            ["dominance", "QRELS", "RUN", "OTHER", "-m", "CG@2"],
            ["reconcile", "QRELS", "RUN", "CG@1=1.3333"],
            ["report", "QRELS", "RUN", "OTHER", "-o", "REPORT"],
        ),
    ],
    ids=lambda command: command[0],
)
def test_every_command_prints_the_same(command: list[str], tmp_path, capsys) -> None:
    """Expected: what it prints for TREC files of the same names."""
    written, trec = Written(tmp_path / "others"), Written(tmp_path / "trec")
    other = {topic: dict(zip(docs, reversed(docs.values()))) for topic, docs in RUN.items()}
    files = {
        "QRELS": written.tsv("q.tsv", LABELS),
        "RUN": written.parquet(frame_of(ROWS, BEIR), "run.parquet"),
        "OTHER": written.sentence_transformers(other),
    }
    of_trec = {
        "QRELS": trec.bytes("q.trec", TREC_QRELS),
        "RUN": trec.bytes("run.trec", trec_run(RUN)),
        "OTHER": trec.bytes(f"{files['OTHER'].stem}.trec", trec_run(other)),
    }
    report, printed = tmp_path / "report.html", []
    for given in (files, of_trec):
        code, out, err = run_cli(
            capsys, *(str({**given, "REPORT": report}.get(word, word)) for word in command)
        )
        page = report.read_text() if report.exists() else ""
        printed.append([code, out, err, page.replace("q.tsv", "q.trec")])
    assert printed[0] == printed[1]
    assert printed[0][0] == 0


@pytest.mark.slow
def test_an_ir_datasets_id_in_every_function(tmp_path, monkeypatch) -> None:
    """Expected: the same from the file of that dataset; a file of that name comes first."""
    run = pydocs.DATA / "runs" / "bm25.res.gz"
    for function in FUNCTIONS.values():
        same(function("pydocs", run), function(pydocs.DATA / "qrels.txt", run))
    data = ir_datasets.load("pydocs")
    monkeypatch.setitem(ir_datasets.registry._registered, "clueweb09/en0000", data)  # of a track
    same(FUNCTIONS["evaluate"]("clueweb09/en0000", run), FUNCTIONS["evaluate"]("pydocs", run))
    monkeypatch.chdir(tmp_path)
    Path("pydocs").write_text("1 0 7 3\n")
    assert pt_cumgain.topics_of("pydocs")["qid"].tolist() == ["1"]
    with pytest.raises(FileNotFoundError, match="No such file"):  # a path is no id
        pt_cumgain.topics_of(Path("vaswani"))
    with pytest.raises(FileNotFoundError, match=r"^no qrels 'a.txt': neither a file nor an ir_d"):
        pt_cumgain.topics_of("a.txt")
    with pytest.raises(ValueError, match=r"^the ir_datasets id 'msmarco-passage' has no qrels$"):
        pt_cumgain.topics_of("msmarco-passage")


@pytest.mark.slow
def test_ids_stay_as_they_are(tmp_path) -> None:
    """Zeros, quotes, what pandas takes for missing; numbers are whole or not by the whole file."""
    rows = [("007", "null", 1), ("7", 'a"\tb', 2), ("NA", "nan", 0.5)]
    qrels = {"007": {"null": 1.0}, "7": {'a"\tb': 2.0}, "NA": {"nan": 0.5}}
    path = Written(tmp_path).tsv("test.tsv", rows)
    same(pt_cumgain.evaluate(CG @ 1, path, qrels), pt_cumgain.evaluate(CG @ 1, qrels, qrels))
    many = [(str(i), "a", 1) for i in range(150_000)]  # pyarrow's block is 1 MB by default
    path = Written(tmp_path).tsv("many.tsv", [*many, ("x", "a", 0.5)])
    assert pt_cumgain.evaluate(CG @ 1, path, {"x": {"a": 1.0}})["value"].sum() == 0.5


RUN_FRAME = frame_of([(*row, 0) for row in ROWS], ["qid", "docno", "score", "rank"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda _: RUN_FRAME,
        lambda w: w.parquet(RUN_FRAME),
        lambda _: frame_of(ROWS, ["query_id", "doc_id", "score"]),
        lambda _: frame_of([(*row, 0) for row in ROWS], [*BEIR, "rank"]),
        lambda _: frame_of([(*row, 0) for row in ROWS], [*RANX, "rank"]),
    ],
)
def test_a_run_is_no_qrels(wrong, tmp_path) -> None:
    for function in FUNCTIONS.values():
        with pytest.raises(ValueError, match=r"missing columns:? \['(relevance|label)'\]"):
            function(wrong(Written(tmp_path)), RUN)


def test_objects_of_ranx_are_what_they_are() -> None:
    with pytest.raises(TypeError, match=r"^qrels must be a ranx Qrels, not a ranx Run$"):
        pt_cumgain.evaluate(CG, like_ranx(RUN, "Run"), RUN)
    with pytest.raises(TypeError, match=r"^run must be a ranx Run, not a ranx Qrels$"):
        pt_cumgain.evaluate(CG, QRELS, like_ranx(QRELS, "Qrels"))


def text_file(text: str, name: str = "x.json") -> Callable[[Written], Path]:
    return lambda w: w.bytes(name, text.encode())


NEITHER = "this is neither JSON of topic, document and number nor the predictions of MTEB or sent"
FOLDER = "the folder holds no Parquet files"
#: TaskResult.to_disk of mteb 2.26.24.
TASK = {
    "dataset_revision": "1", "task_name": "SciFact", "mteb_version": "2.26.24",
    "scores": {"test": [{"main_score": 0.5, "hf_subset": "default", "languages": ["eng-Latn"]}]},
    "evaluation_time": 1.0,
}  # fmt: skip


def folder_in_archive(written: Written) -> Path:
    path = written.folder / "run.tar"
    with tarfile.open(path, "w") as file:
        folder = tarfile.TarInfo("scifact")
        folder.type = tarfile.DIRTYPE
        file.addfile(folder)
    return path


#: Files that are refused, as qrels and as runs (None: they are taken).
WRONG: list[tuple[Callable[[Written], Path], str | None, str | None]] = [
    (lambda w: w.beir(LABELS), None, FOLDER),
    (lambda w: w.bytes("x/a.txt", b"1").parent, f"{FOLDER}, and is not BEIR's", FOLDER),
    (lambda w: w.zip("{}", "a.json", "b.json"), *["the archive holds 2 files; only"] * 2),
    (text_file(json.dumps(TASK)), *[NEITHER] * 2),
    (text_file("[1]"), *[NEITHER] * 2),
    (text_file('{"1": [7]}'), *[NEITHER] * 2),
    (text_file('{"query_id": "1", "documents": []}\n', "x.jsonl"), *["missing columns"] * 2),
    (text_file("system,qid,docno,score\n", "x.csv"), *["holds several runs"] * 2),
    (text_file('{"1": {"7": 1}, "1": {"8": 1}}'), *["'1' appears twice in one object"] * 2),
    (text_file('{"1": {"7": 1, "7": 2}}'), *["'7' appears twice in one object"] * 2),
    (text_file('{"1": {"7": 1}, "2": {}}'), "the topic '2' has no judgments", None),
    (text_file('{"1": {"7": "high"}}'), *["must be numbers, but row 0 holds 'high'"] * 2),
    (text_file('{"1": '), *["Expecting value: line 1"] * 2),
    (lambda w: w.mteb(de={"test": RUN}, en={"test": RUN}), "these are predic", "of 2 subsets and"),
    (lambda w: w.sentence_transformers(RUN), "these are predictions, which are a run", None),
    (text_file("query-id\tcorpus-id\n1\t7\n", "x.tsv"), *["missing columns: ['"] * 2),
    (text_file("qid\tpid\tscore\n1\t7\n", "x.tsv"), *["line 2: 2 fields, expected 3"] * 2),
    (text_file("qid\tpid\tscore\n1\t7\tx\n", "x"), *["score must be numbers, but line 2 h"] * 2),
    (text_file("a,b,c\n1,7,2\n", "x.csv"), *["no known name of a column: 'a,b,c'"] * 2),
    (text_file("qid\tpid\tscore\tscore\n1\t7\t1\t2\n", "x"), *["more than one column 'score'"] * 2),
    (text_file('{"qid": "1"}\n{"qid"', "x.jsonl"), *["line 2: Expecting"] * 2),
    (
        text_file('{"qid": 1.5, "docno": 7, "rel": 1, "score": 1}', "x.ndjson"),
        *["qid must be strings, but row 0 holds 1.5"] * 2,
    ),
    (text_file("PK", "x.xlsx"), *["this is an Excel workbook, not a run"] * 2),
    (text_file("text", "x.lz4"), *["Compressed file ended"] * 2),
    # numbers as TREC files have them: Python reads the first two, pyarrow the others
    (
        text_file('{"1": {"7": "1_0"}}'),
        *(f": {what} must be numbers, but row 0 holds '1_0'" for what in ("relevance", "score")),
    ),
    (text_file('{"1": {"7": "\u0663"}}'), *["must be numbers, but row 0 holds '\u0663'"] * 2),
    (text_file('{"1": {"7": true}}'), *["must be numbers, but row 0 holds 'True'"] * 2),
    (
        text_file("qid,docno,label,score\n1,7,0x10,true\n", "x.csv"),
        "label must be numbers, but line 2 holds '0x10'",
        "score must be numbers, but line 2 holds 'true'",
    ),
    (text_file('{"1": {"7": [1, 9], "8": [5, 5]}}'), *["but row 0 holds [1, 9]"] * 2),
    (
        text_file("qid,docno,rel,score\n1,7,Exact,E\n1,8,Part,P\n", "x.csv"),
        "rel must be numbers, but line 2 holds 'Exact'; the words are 'Exact', 'Part'",
        "score must be numbers, but line 2 holds 'E'; the words are 'E', 'P'",
    ),
    (text_file('qid,docno,rel,score,x\n1,7,1,1,"\n', "x.csv"), *["line 2: unexpected end"] * 2),
    (text_file("[" * 200_000), *[NEITHER] * 2),
    (text_file('{"\\ud800": {"7": 1}}'), *["'\\ud800' is not a text of whole characters"] * 2),
    (text_file('{"1": {"": 1}}'), *["doc_id must not be empty, but row 0 holds ''"] * 2),
    (lambda w: w.bytes("x.pkl", b"\x80\x04a,b,c"), *["this is a pickle, not a run"] * 2),
    (folder_in_archive, *["the archive holds 0 files; only"] * 2),
]


@pytest.mark.parametrize(("write", "as_qrels", "as_run"), WRONG)
def test_errors_name_the_file(write, as_qrels, as_run, tmp_path, capsys) -> None:
    path = write(Written(tmp_path))
    trec = Written(tmp_path / "trec")
    qrels, run = trec.bytes("qrels", b"1 0 7 1\n"), trec.bytes("run", b"1 Q0 7 1 1 t\n")
    for given, message in (((path, run), as_qrels), ((qrels, path), as_run)):
        if message is None:
            pt_cumgain.evaluate(CG, *given)
            assert cli.main(["eval", *map(str, given), "CG"]) == 0
            capsys.readouterr()
            continue
        with pytest.raises(ValueError, match=f"^{path}: ") as no:
            pt_cumgain.evaluate(CG, *given)
        assert message in str(no.value)
        for command in (["eval", "CG"], ["curves", "-m", "CG", "--csv", "-"]):
            told = refuse(capsys, command[0], *map(str, given), *command[1:])
            assert told == str(no.value).replace("\t", r"\t")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("quepid.csv", "query,docid,rating\n1, 7,2\n1,8,0\n"),
        ("ids.txt", "query_id;relevance;doc_id\n1;2;7 \n1;0;8\n"),
        ("pandas", '"qid"\t"docno"\t"label"\n1\t"7"\t2\n1\t8\t0\n'),
        ("mixed.csv", "query_id,docno,label\n1,7 ,2\n1,8,0\n"),
        ("other.tsv", "query_id\tcorpus_id\tscore\n 1\t7\t2\n1\t8\t0\n"),
        ("bars", "qid|docid|label\n1|7|2\n 1|8|0\n"),
        (
            "rows.ndjson",
            '{"query": 1, "doc_id": "7", "label": "2"}\n{"query": "1", "doc_id": 8, "label": 0}\n',
        ),
        ("export.jsonl", '{"query_id": "1", "doc_id": "7", "relevance": 2}\n'),
        ("rel.jsonl", '{"qid": 1, "doc_id": 7, "rel": 2}\n\n'),
        ("blanks.csv", 'qid, docno, label\n"1", "7", 2\n1, 8 ,0\n1, X8 ,1\n'),
        ("capitals.csv", "GRADE,QUESTION_ID,Product_ID,XXXX\r\n2,1,7 ,\r\n"),
        ("excel.csv", "sep=;\n\nuser_id;rel_label;pid\n1;2;7 "),
        ("comment.csv", "# by hand\ntopic,item_id,label\n1,7,2\n"),
        ("mac.csv", "qid,docno,label\r1,7,2\r1,8,0\r"),
        ("lines.csv", 'qid,docno,label,why\n1,7,2,"a,\n\udcff"\n1,8,0,\n'),  # not UTF-8
        ("l.JSON", '[{"qid": 1, "docno": 7, "rel": "2"}, {"query_id": 1, "docno": 8, "rel": 0}]'),
        ("two.ndjson", '{"qid": 1, "docno": 7, "rel": 2}\n{"query_id": 1, "docno": 8, "rel": 0}\n'),
        ("no suffix", '{"1": {"7": [2], "8": "0"}}'),
        ("tabs", "1\t0\tdocid\t0\n1\t0\t7\t2\n"),
        ("qrels.dev.tsv", "1\t0\t7\t2\n1\t0\t8\t0\n"),  # of MS MARCO: no head
        ("no blanks", '{"1":{"7":2,"8":0,"c":0}}'),  # commas, as a head has
    ],
)
def test_judgments_in_rows_of_other_programs(name: str, text: str, tmp_path) -> None:
    """One relevant document of label 2, second in the run: CG@2 is 2."""
    run = {"1": {"8": 2.0, "7": 1.0}}
    path = Written(tmp_path).bytes(name, text.encode(errors="surrogateescape"))
    assert pt_cumgain.evaluate(CG @ 2, path, run)["value"].tolist() == [2]


def test_ranks_without_scores_order_a_run(tmp_path) -> None:
    """The document at rank 1 is first, whatever the order of the rows."""
    run = pd.DataFrame({"qid": "1", "docno": ["8", "7"], "rank": [2, 1]})
    run.to_csv(tmp_path / "run.csv", index=False)
    run.to_parquet(tmp_path / "run.parquet")
    for form in (run, tmp_path / "run.csv", tmp_path / "run.parquet"):
        assert pt_cumgain.evaluate(CG @ 1, {"1": {"7": 3}}, form)["value"].tolist() == [3]


def test_a_first_row_may_hold_the_name_of_a_column(tmp_path) -> None:
    """A head has no numbers; a TREC run has."""
    path = Written(tmp_path).bytes("run", b"topic\tQ0\tqid\t1\t2.5\tquery\n1\tQ0\t7\t1\t2\tt\n")
    assert pt_cumgain.evaluate(CG @ 1, {"1": {"7": 3}}, path)["value"].tolist() == [3]


def test_a_folder_is_not_walked(tmp_path) -> None:
    """Its own files are read, and those of partitions; here, another folder holds another run."""
    for name in ("X.parquet", "old/y.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pd.DataFrame({"qid": "1", "docno": [name], "score": 1.0}).to_parquet(tmp_path / name)
    values = pt_cumgain.evaluate(CG, {"1": {"X.parquet": 1, "old/y.parquet": 2}}, tmp_path)
    assert values["value"].tolist() == [1]


def test_what_is_no_file_of_bytes(tmp_path) -> None:
    path = Written(tmp_path).bytes("run", b"1 Q0 7 1 2 t\n")
    with path.open() as file, pytest.raises(TypeError, match=r"^the file is open as text; open"):
        pt_cumgain.evaluate(CG, QRELS, file)
    with pytest.raises(ValueError, match=r"^'https://x.org/run' is a URL; download the file$"):
        pt_cumgain.evaluate(CG, QRELS, "https://x.org/run")


def test_a_column_is_named_once_or_chosen(tmp_path, capsys) -> None:
    """By its score, 7 is first; by the new one, 8."""
    written = Written(tmp_path)
    qrels = str(written.bytes("q.csv", b"query-id,corpus-id,score,gainX\n1,7,2,9\n"))
    run = str(written.bytes("r.csv", b"qid,docno,score,new_score\n1,7,1,0\n1,8,0,1\n"))
    code, out, err = run_cli(capsys, "eval", qrels, run, "CG@1")
    assert (code, out) == (0, "CG@1\t2.0000\n")
    assert err.count("column 'score' is read as the label; not read: 'gainX'; to choose") == 1
    assert err.count("column 'score' is read as the score; not read: 'new_score'; to choose") == 1
    ranked = str(written.bytes("k.csv", b"qid,docno,rank,new_score\n1,7,1,0\n"))
    err = run_cli(capsys, "eval", qrels, ranked, "CG@1")[2]
    assert "column 'rank' is read as the score; not read: 'new_score'; to choose" in err
    told = refuse(capsys, "eval", "--score", "rank", qrels, ranked, "CG@1")
    assert told.startswith(f"{ranked}: the column rank is not a score, because rank 1 is the hig")
    told = refuse(capsys, "eval", "--score", "new", qrels, ranked, "CG@1")
    assert ": missing columns: ['new'] (found ['qid', 'docno', 'rank', 'new_score'])\n" in told
    contrary = str(written.bytes("c.csv", b"qid,docno,score,rank\n1,7,1,1\n1,8,2,2\n"))
    assert "the column rank orders" in run_cli(capsys, "eval", qrels, contrary, "CG@1")[2]
    chosen = ["--label", "gainX", "--score", "new_score"]
    expected = (0, "CG@1\t0.0000\nCG@2\t9.0000\n", "")
    assert run_cli(capsys, "eval", *chosen, qrels, run, "CG@1", "CG@2") == expected
    trec = str(written.bytes("r.txt", b"1 Q0 7 1 2 t\n"))
    told = refuse(capsys, "eval", *chosen, qrels, trec, "CG@1")
    assert told == f"{trec}: there is no column 'new_score': the file does not name its columns"


@pytest.mark.parametrize("text", ["x" * 200_000, '"' + "," * 200_000, "qid,\0"])
def test_a_first_line_that_is_no_head_is_refused(text: str, tmp_path) -> None:
    """Longer than Python's csv takes a field to be, or with NUL."""
    path = Written(tmp_path).bytes("run", text.encode())
    with pytest.raises(ValueError, match=r"run(, line 1)?: "):
        pt_cumgain.evaluate(CG, {"1": {"7": 1}}, path)


def test_ids_of_quepid_are_texts(tmp_path) -> None:
    """Not the number 7, a truth value, or a missing value."""
    path = Written(tmp_path).bytes("q.csv", b"query,docid,rating\n007,NA,2\ntrue,1.0,1\n")
    values = pt_cumgain.evaluate(CG, path, {"007": {"NA": 1.0}, "true": {"1.0": 1.0}})
    assert values["qid"].tolist() == ["007", "true"]
    assert values["value"].tolist() == [2, 1]
