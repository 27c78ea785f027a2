"""Values that other programs wrote: their forms, and what is refused."""

import gzip
import io
import math
import re
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain.comparing import read_values
from tests.support import trec

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
RESULTS = pd.DataFrame(
    [
        ("bm25", "101", "map", 0.3333),
        ("bm25", "101", "ndcg_cut_10", 0.1292),
        ("bm25", "102", "map", 0.3361),
        ("bm25", "102", "ndcg_cut_10", 0.4092),
    ],
    columns=["name", "qid", "measure", "value"],
)
BOTH = pd.concat([RESULTS, RESULTS.assign(name="other")], ignore_index=True)


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def check(paths: object, expected: pd.DataFrame = RESULTS) -> None:
    pd.testing.assert_frame_equal(read_values(paths), expected)


@pytest.mark.parametrize(
    "text",
    [
        TREC_EVAL,
        TREC_EVAL.replace("\t101", " 101").replace("\t102\t", " 102 "),
        "\ufeff" + TREC_EVAL.replace("\n", "\r\n"),
        re.sub(r"(\S+) *\t(\S+)", r"\2\t\1", TREC_EVAL),
        *(RESULTS.to_csv(sep=separator, index=False) for separator in ",;\t"),
        "\ufeff" + RESULTS.to_csv(),  # the index has no name
        RESULTS.rename(columns={"name": "run", "qid": "topic"}).to_csv(index=False),
        RESULTS.set_axis(["system", "query_id", "metric", "score"], axis=1).to_csv(index=False),
        RESULTS.drop(columns="name").to_csv(index=False) + "\nall,map,0.3\n",
    ],
)
def test_all_forms_give_the_same_results(text: str, tmp_path) -> None:
    for suffix in ("", ".eval", ".txt", ".csv"):
        check(write(tmp_path / f"bm25{suffix}", text))


def test_names_of_systems(tmp_path) -> None:
    (tmp_path / "bm25.eval.gz").write_bytes(gzip.compress(TREC_EVAL.encode()))
    other = write(tmp_path / "other.tsv", TREC_EVAL)
    check([tmp_path / "bm25.eval.gz", str(other)], BOTH)
    check({"bm25": other, "other": tmp_path / "bm25.eval.gz"}, BOTH)
    both = write(tmp_path / "both.csv", BOTH.to_csv(index=False))
    check(both, BOTH)
    check({"X": both}, BOTH)
    check({"X": write(tmp_path / "one.csv", RESULTS.to_csv())}, RESULTS.assign(name="X"))
    for suffix in ("eval", "tsv"):
        write(tmp_path / f"bm25.{suffix}", TREC_EVAL)
    with pytest.raises(ValueError, match="bm25"):
        read_values([tmp_path / "bm25.eval", tmp_path / "bm25.tsv"])


@pytest.mark.parametrize(
    "line",
    [
        *("topic,bm25,dph", "qid,map,P_5", "runid,topic,ndcg@20", "name,measure,value"),
        *("1 Q0 doc 1 0.5 tag", "nDCG@10 0.5", '{"query_id": "1", "measure": "AP"}'),
    ],
)
def test_other_forms_are_refused(line: str, tmp_path) -> None:
    """A column for each system or measure, runs, means, JSON; the error shows the first line."""
    path = write(tmp_path / "x.csv", f"{line}\n1,0.5,0.6\n")
    with pytest.raises(ValueError, match=r"the columns name, qid, measure, value$") as no:
        read_values(path)
    assert str(no.value).startswith(f"{path} is not read: the form of {line!r} is unknown; values")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map all 0.3\nruns all 4\n", "there is no value by topic; values by topic are lines of"),
        ("name,qid,measure,value\n", "there is no value by topic"),
        ("name,qid,measure,value\nA,,map,.5\n", "there is a value without a topic"),
        (
            "my map\t1\t0.5\nmy map\t2\thalf\nmy map\tall\t0.5\n",
            "'half', of 'my map' for topic '2', is not a finite number",
        ),
        ("qid,measure,value\n1,map,\n", "'', of 'map' for topic '1', is not a finite number"),
        ("qid,measure,value\n1,map\n", "the form of '1 map' is unknown"),
        ('qid,measure,value\n1,map,"' + 200_000 * "5", "field larger than field limit"),
        ("1 P_5 0.5\n", "'1 P_5 0.5' does not show which field is the measure; keep the lines"),
        ("qid,measure,value,value\n1,map,1,1\n", "the form of 'qid,measure,value,value'"),
        ("all map 0.5\nmap all 0.5\n", "'all map 0.5' does not show which field is the measure"),
        ("\udc89PNG", "'utf-8' codec can't decode byte 0x89"),
    ],
)
def test_wrong_files_are_refused_by_name(text: str, message: str, tmp_path) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=f"(?s){re.escape(str(path))} .*{re.escape(message)}"):
        read_values(path)


def test_a_file_without_end_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("pt_cumgain.comparing._read_values._LARGEST", 1 << 20)
    path = write(tmp_path / "x.eval", "map 1 0.5\n" * (1 << 17))
    with pytest.raises(ValueError, match=r"x\.eval holds more than 1 MiB, too much for values"):
        read_values(path)


def test_what_is_not_a_file_is_refused(tmp_path) -> None:
    with pytest.raises(TypeError, match=r"^paths=.* must be a path"):
        read_values({"A": {"1": {"map": 0.5}}})
    with pytest.raises(ValueError, match="no file was given"):
        read_values([])
    with pytest.raises(FileNotFoundError):
        read_values(tmp_path / "nowhere.eval")


@given(st.text("0123456789.eE+-_infax\u0661\uff11", min_size=1, max_size=6))
def test_numbers_are_those_that_run_files_may_have(tmp_path_factory, text: str) -> None:
    """If they are finite. Expected: the score that is read from a run."""
    path = write(tmp_path_factory.mktemp("values") / "X.eval", f"map 1 {text}\nmap all 0.5\n")
    score = math.nan
    with suppress(ValueError):
        score = trec.read_run(io.BytesIO(f"1 Q0 d 1 {text} tag\n".encode()))["score"].item()
    if math.isfinite(score):
        assert read_values(path)["value"].tolist() == [score]
    else:
        with pytest.raises(ValueError, match="is not a finite number"):
            read_values(path)
