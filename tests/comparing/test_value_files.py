"""Values that other programs wrote: their forms, and what is refused."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import sys
from contextlib import suppress
from pathlib import Path

import ir_measures.__main__ as host
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import evaluate, paper_table, pydocs
from pt_cumgain.comparing import read_values
from tests.support import trec
from tests.support.helpers import run_files

QRELS = pydocs.DATA / "qrels.txt"
(RUN,) = run_files("bm25")
#: As trec_eval 10.0 prints it with -q, of tests/golden.
TREC_EVAL = """\
map                   \t101\t0.3333
ndcg_cut_10           \t101\t0.1292
map                   \t102\t0.3361
ndcg_cut_10           \t102\t0.4092
runid                 \tall\tmini
map                   \tall\t0.3347
ndcg_cut_10           \tall\t0.2692
"""
ROWS = [
    ("bm25", "101", "map", 0.3333),
    ("bm25", "101", "ndcg_cut_10", 0.1292),
    ("bm25", "102", "map", 0.3361),
    ("bm25", "102", "ndcg_cut_10", 0.4092),
]


def rows(frame: pd.DataFrame) -> list[tuple]:
    assert list(frame) == ["name", "qid", "measure", "value"]
    return sorted(frame.itertuples(index=False, name=None))


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def by_topic(swap: bool = False) -> str:
    found: dict[str, dict[str, float]] = {}
    for _, qid, measure, value in ROWS:
        outer, inner = (measure, qid) if swap else (qid, measure)
        found.setdefault(outer, {})[inner] = value
    return json.dumps(found, indent=1)


@pytest.mark.parametrize(
    "text",
    [
        TREC_EVAL,
        "".join(line for line in TREC_EVAL.splitlines(keepends=True) if "all" not in line),
        TREC_EVAL.replace("\t", " "),
        "".join(f"{qid}\t{measure}\t{value}\n" for _, qid, measure, value in ROWS) + "map\t0.33\n",
        "\ufeff" + TREC_EVAL.replace("\n", "\r\n"),
        by_topic(),
        by_topic(swap=True),
        "".join(
            json.dumps({"query_id": qid, "measure": measure, "value": value}) + "\n"
            for _, qid, measure, value in ROWS
        )
        + json.dumps({"measure": "map", "value": 0.33}),
    ],
)
@pytest.mark.parametrize("suffix", [".eval", ".txt", ".json"])
def test_all_forms_give_the_same_results(tmp_path, text, suffix) -> None:
    assert rows(read_values(write(tmp_path / f"bm25{suffix}", text))) == ROWS


def test_gzipped_files_and_names(tmp_path) -> None:
    with gzip.open(tmp_path / "bm25.eval.gz", "wt") as file:
        file.write(TREC_EVAL)
    other = write(tmp_path / "other.tsv", TREC_EVAL)
    frame = read_values([tmp_path / "bm25.eval.gz", str(other)])
    assert frame["name"].unique().tolist() == ["bm25", "other"]
    named = read_values({"A": other, "bm25": tmp_path / "bm25.eval.gz"})
    assert named["name"].unique().tolist() == ["A", "bm25"]
    assert rows(named[named["name"] == "bm25"]) == ROWS


def test_what_ir_measures_prints_is_read(tmp_path, capsys, monkeypatch) -> None:
    """Expected: the values of `evaluate`, which a test compares with ir-measures."""
    for options, suffix in ((["-q", "-p", "6"], "tsv"), (["-q", "-o", "jsonl"], "jsonl")):
        monkeypatch.setattr(
            sys, "argv", ["ir_measures", str(QRELS), RUN, "nDCG(dcg='exp-log2')@10", "AP", *options]
        )
        host.main_cli()
        frame = read_values(write(tmp_path / f"bm25.{suffix}", capsys.readouterr().out))
        values = evaluate(["nDCG(dcg='exp-log2')@10", "AP"], QRELS, RUN).assign(name="bm25")
        expected = rows(values[["name", "qid", "measure", "value"]])
        for found, wanted in zip(rows(frame), expected, strict=True):
            assert found[:3] == wanted[:3]
            assert found[3] == pytest.approx(wanted[3], abs=1e-5)


def test_what_pytrec_eval_returns_is_read_and_compared(tmp_path) -> None:
    """Expected: a table of the same values."""
    qrels = trec.read_qrels(QRELS)
    judged = {
        qid: dict(zip(rows["doc_id"], rows["relevance"].astype(int).tolist()))
        for qid, rows in qrels.groupby("query_id")
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"})
    frames = []
    for path in run_files("bm25", "dph"):
        run = trec.read_run(path)
        lists = {
            qid: dict(zip(rows["doc_id"], rows["score"].tolist()))
            for qid, rows in run.groupby("query_id")
        }
        values = evaluator.evaluate(lists)
        name = Path(path).name.partition(".")[0]
        write(tmp_path / f"{name}.json", json.dumps(values))
        frames += [(name, qid, "ndcg_cut_10", v["ndcg_cut_10"]) for qid, v in values.items()]
    made = read_values([tmp_path / "bm25.json", tmp_path / "dph.json"])
    expected = pd.DataFrame(frames, columns=["name", "qid", "measure", "value"])
    assert paper_table(made).to_text() == paper_table(expected).to_text()


#: What programs call measures: trec_eval and pytrec_eval, ir-measures, ndeval, ranx, BEIR, MTEB.
MEASURES = st.sampled_from(
    [
        *("map", "P_5", "ndcg_cut_10", "gm_map", "11pt_avg", "iprec_at_recall_0.10", "set_F"),
        *("Rprec_mult_0.20", "recip_rank", "utility_1.00_-1.00_0.00_0.00"),
        *("nDCG@10", "nDCG(gains='0-1-10')@10", "AP", "nsDCG(bq=3)@10", "Judged@10"),
        *("alpha-nDCG@5", "strec@5", "hit_rate@5", "mrr", "r-precision", "f1@5"),
        *("NDCG@10", "R_cap@10", "ndcg_at_10", "err@20"),
    ]
)
#: Some hold a measure's name, some are one.
TOPICS = st.one_of(
    st.integers(1, 200).map(str),
    st.sampled_from(["hit3", "err12", "map1", "rank7", "cg2", "MB01"]),
    st.sampled_from(["hit", "mapping", "clueweb09-1", "2019_31", "err-1", "P_1", "map", "R@2"]),
)


@given(
    topics=st.lists(TOPICS, min_size=1, max_size=5, unique=True),
    measures=st.lists(MEASURES, min_size=1, max_size=5, unique=True),
    first=st.booleans(),
    means=st.booleans(),
    as_json=st.booleans(),
)
def test_topics_are_never_taken_for_measures(
    tmp_path_factory, topics: list, measures: list, first: bool, means: bool, as_json: bool
) -> None:
    """Whatever they are called: the values are read as they were written, or refused."""
    written = [(topic, measure, 0.5) for topic in topics for measure in measures]
    lines = written + [("all", measure, 0.5) for measure in measures] * means
    rows_of = [(topic, measure) if first else (measure, topic) for topic, measure, _ in lines]
    text = "".join(f"{one}\t{other}\t0.5\n" for one, other in rows_of)
    if as_json:
        outer = dict.fromkeys(one for one, _ in rows_of)
        text = json.dumps({o: {b: 0.5 for a, b in rows_of if a == o} for o in outer})
    path = write(tmp_path_factory.mktemp("values") / "X.eval", text)
    alike = {"P_1", "map", "R@2", "err-1"} & {*topics}
    if alike and not means:
        with pytest.raises(ValueError, match="does not show whether"):
            read_values(path)
    else:
        assert rows(read_values(path)) == sorted(("X", *row) for row in written)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map all 0.3\nruns all 4\n", "has no value by topic; trec_eval and ir_measures need -q"),
        ("", "has no value by topic"),
        ("1 Q0 doc 1 0.5 tag\n", "line 1 has 6 fields instead of 3: '1 Q0 doc 1 0.5 tag'"),
        ("map 1 0.5\nmap 2 half\n", "line 2: could not convert string to float: 'half'"),
        *(
            (f"map 1 0.5\nmap 2 {wrong}\n", f"line 2: {wrong!r} is not a finite number")
            for wrong in ("1_0", "\u0661", "\uff11.5", "inf", "-Infinity", "nan", "1e999")
        ),
        ('{"map": {"1": 0.5, "2": Infinity}}', "'inf' is not a finite number"),
        ('{"map": {"1": "1_0"}}', "'1_0' is not a finite number"),
        ('{"map": {"1": true}}', "could not convert string to float: 'True'"),
        ("map 1 0.5\nmap 2 0.5\nmap 1 0.5\n", "has two values of 'map' for topic '1'"),
        ("1 P_5 0.5\n1 P_5 0.25\nall P_5 0.5\n", "has two values of 'P_5' for topic '1'"),
        ("map_1 P_5 0.5\nmap_2 P_5 0.5\n", "does not show whether 'map_1' or 'P_5' is a measure"),
        ("1 P_5 0.5\nP_1 P_5 0.5\n", "or keep the lines for 'all'"),
        ("1 P_5 0.5\n1 mine 0.5\n", "does not show whether '1' or 'P_5' is a measure"),
        ("map 1 0.5\nmap\n", "line 2 has 1 fields instead of 3"),
        ("a b 0.5\nc d 0.5\n", "does not show whether 'a' or 'b' is a measure"),
        ('{"map": [1, 2]}', "does not hold values by topic"),
        ('{"1": {"map": "x"}}', "could not convert string to float: 'x'"),
        ('{"1": {"map": 1}', "does not hold values by topic"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path, text, message) -> None:
    path = write(tmp_path / "x.eval", text)
    with pytest.raises(ValueError, match=f"(?s){re.escape(str(path))}.*{re.escape(message)}"):
        read_values(path)


@given(st.text("0123456789.eE+-_infax\u0661\uff11", min_size=1, max_size=6))
def test_numbers_are_those_that_run_files_may_have(tmp_path_factory, text: str) -> None:
    """If they are finite. Expected: the score that is read from a run."""
    path = write(tmp_path_factory.mktemp("values") / "X.eval", f"map 1 {text}\n")
    score = math.nan
    with suppress(ValueError):
        score = trec.read_run(io.BytesIO(f"1 Q0 d 1 {text} tag\n".encode()))["score"].item()
    if math.isfinite(score):
        assert rows(read_values(path)) == [("X", "1", "map", score)]
    else:
        with pytest.raises(ValueError, match=r"line 1: .*(is not a finite|could not convert)"):
            read_values(path)


def test_equal_names_and_no_file_are_refused(tmp_path) -> None:
    for suffix in ("eval", "tsv"):
        write(tmp_path / f"bm25.{suffix}", TREC_EVAL)
    with pytest.raises(ValueError, match="bm25"):
        read_values([tmp_path / "bm25.eval", tmp_path / "bm25.tsv"])
    with pytest.raises(ValueError, match="no file was given"):
        read_values([])
    (tmp_path / "x.eval").write_bytes(b"\x89PNG")
    with pytest.raises(ValueError, match=r"x\.eval does not hold values by topic: 'utf-8'"):
        read_values(tmp_path / "x.eval")
    with pytest.raises(FileNotFoundError):
        read_values(tmp_path / "nowhere.eval")


def test_csv_files_may_hold_several_systems(tmp_path) -> None:
    """PyTerrier's results by topic, and gdeval's columns; and a dict as pytrec_eval returns."""
    frame = pd.DataFrame(ROWS, columns=["name", "qid", "measure", "value"])
    both = pd.concat([frame, frame.assign(name="other")])
    for separator in ";\t,":
        both.to_csv(tmp_path / "perquery.csv", index=False, sep=separator)
        assert rows(read_values(tmp_path / "perquery.csv")) == rows(both)
    wide = frame.pivot(index=["name", "qid"], columns="measure", values="value").reset_index()
    wide = wide.rename(columns={"name": "runid", "qid": "topic"})
    mean = pd.DataFrame([{"runid": "bm25", "topic": "amean", "map": 1, "ndcg_cut_10": 1}])
    pd.concat([wide, mean]).to_csv(tmp_path / "gdeval.csv", index=False)
    assert rows(read_values(tmp_path / "gdeval.csv")) == sorted(ROWS)
    assert {*read_values({"own": tmp_path / "gdeval.csv"})["name"]} == {"own"}
    assert {*read_values({"own": tmp_path / "perquery.csv"})["name"]} == {"bm25", "other"}
    assert rows(read_values({"bm25": json.loads(by_topic())})) == sorted(ROWS)
    write(tmp_path / "wrong.csv", "qid,measure,value\n1,map,high\n")
    with pytest.raises(ValueError, match=r"wrong\.csv does not hold values by topic: 'high'|could"):
        read_values(tmp_path / "wrong.csv")
