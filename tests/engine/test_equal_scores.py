"""Runs whose scores are all equal, though their ranks order the documents."""

import math
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import CG, evaluate, gain_curves, nDCG, pydocs
from tests.support.helpers import ours, warnings_of
from tests.support.trec import read_run

QRELS = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}
COLUMNS = ["qid", "q0", "docno", "rank", "score", "tag"]
TOLD = "all scores within each topic are equal"


def ranked(*rows: tuple[str, str, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])


ORDERED = ranked(("1", "a", 1, 0.0), ("1", "b", 2, 0.0), ("2", "x", 1, 7.0), ("2", "a", 2, 7.0))


def told(call) -> list[str]:
    return [text for text in warnings_of(call) if TOLD in text]


def write(run: pd.DataFrame, path: Path) -> Path:
    run.assign(q0="Q0", tag="t")[COLUMNS].to_csv(path, sep=" ", header=False, index=False)
    return path


def test_frames_and_files_tell(tmp_path: Path) -> None:
    path = write(ORDERED, tmp_path / "a.res")
    for run in (ORDERED, path, ORDERED.sample(frac=1, random_state=1)):
        assert len(told(lambda: evaluate([CG @ 1], QRELS, run))) == 1  # noqa: B023
    (said,) = told(lambda: gain_curves({"A": path, "B": {"1": {"a": 1.0}}}, None, QRELS, CG @ 1))
    assert said.endswith(f"(file '{path}')")
    for run in (write(ORDERED.assign(rank="first"), path), ORDERED.drop(columns="rank")):
        assert not told(lambda: evaluate([CG @ 1], QRELS, run))  # noqa: B023


SWAPPED = ranked(("1", "a", 7.5, 0), ("1", "b", 7.25, 1), ("1", "x", 0.5, 2))


def test_ranks_and_scores_in_each_others_field_are_told(tmp_path: Path) -> None:
    """And neither scores that count down, nor equal ranks, nor ranks with gaps beside scores."""
    words = "the scores of each topic count up from 0 or 1, but the ranks do not"
    for run in (SWAPPED, write(SWAPPED, tmp_path / "a.res"), SWAPPED.assign(score=[1, 2, 3])):
        assert words in str(warnings_of(lambda: evaluate(CG @ 1, QRELS, run)))  # noqa: B023
    for other in (
        SWAPPED.assign(rank=math.nan),
        SWAPPED.assign(rank="-"),
        SWAPPED.assign(rank=[1, 2, 3], score=[3, 2, 1]),
        SWAPPED.assign(rank=0),
        SWAPPED.assign(rank=[2, 3, 5], score=[5.0, 3.0, 1.0]),
    ):
        assert words not in str(warnings_of(lambda: evaluate(CG @ 1, QRELS, other)))  # noqa: B023


@pytest.mark.filterwarnings("ignore:a score is infinite:UserWarning")
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_infinite_scores_are_compared_without_a_word_of_numpy() -> None:
    for least in (0.5, 0.0):
        evaluate([CG @ 1], QRELS, ORDERED.assign(score=[math.inf, math.inf, 1.0, least]))


DISTANCES = ranked(("1", "a", 1, 0.1), ("1", "b", 2, 0.2), ("1", "x", 3, 0.9))
CONTRARY = "in {} topics the column rank orders documents of unequal score differently"


@pytest.mark.filterwarnings("ignore:.*none of its documents:UserWarning")
def test_ranks_against_scores_are_told(tmp_path: Path) -> None:
    """A vector store's distances; the values are those of the scores (x, b, a)."""
    path = write(DISTANCES, tmp_path / "a.res")
    qrels = {"1": {"a": 3, "b": 1}}
    for run in (DISTANCES, path):
        with pytest.warns(UserWarning, match=CONTRARY.format("1 of 1")) as seen:
            value = evaluate([nDCG(gains="level") @ 2], qrels, run)["value"].item()
        assert value == pytest.approx(1 / math.log2(3) / (3 + 1 / math.log2(3)))
        first = "line 1 was read as topic '1', document 'a', rank 1, score 0.1; line 2 was read as"
        message = str(ours(seen)[0].message)
        assert first in message.replace("row 1", "line 2").replace("row 0", "line 1")
        assert ("line 1 was" in message) == (run is path)
    topics = pd.DataFrame({"qid": ["1"], "query": ["w"]})
    judged = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [3]})
    with pytest.warns(UserWarning, match=CONTRARY.format("1 of 1")):
        pt.Experiment([DISTANCES], topics, judged, [nDCG(gains="level") @ 2])


@pytest.mark.parametrize(
    ("ranks", "contrary"),
    [
        ([0, 1, 2, 3, 4, 5], False),
        ([1, 1, 1, 1, 1, 1], False),
        ([1, 2, 4, 3, 5, 6], False),  # of equal scores
        ([1, 2, 3, 4, 6, 5], True),
        ([1, 2, 3, 1, 2, 3], True),  # two lists joined
        ([1, 2, 3, None, 5, 4], False),
    ],
)
def test_only_contradictions_are_told(ranks: list, contrary: bool) -> None:
    rows = zip("u" * 6, "fedcba", ranks, [9.0, 8.0, 7.0, 7.0, 3.0, 1.0])
    run = pd.concat([ORDERED.assign(score=[2.0, 1.0, 2.0, 1.0]), ranked(*rows)])
    said = warnings_of(lambda: evaluate([CG @ 1], {**QRELS, "u": {"a": 1}}, run))
    assert [CONTRARY.format("1 of 3") in text for text in said] == [True] * contrary


def test_scores_of_sessions_are_compared_query_by_query() -> None:
    """Each query has ranks 1, 2, 3; the likeliest slip is the rank as the score."""
    rows = ranked(*zip("s" * 6, "xacbyz", [1, 2, 3] * 2, [3.0, 2, 1] * 2))
    run = rows.assign(query_position=[1, 1, 1, 2, 2, 2])
    for scores, words in (("score", ""), ("rank", CONTRARY.format("2 of 2")), ("one", TOLD)):
        given = run.assign(score=run.assign(one=1.0)[scores])
        told = warnings_of(lambda: evaluate("sDCG", {"s": {"a": 3}}, given))  # noqa: B023
        assert [text[: len(words)] for text in told] == [words] * bool(words)
        assert all("row 0 was read as topic 's' (query 1), document 'x'" in text for text in told)


@pytest.mark.end_to_end
def test_of_the_official_runs_one_has_contrary_ranks(data) -> None:
    contrary = []
    for path in sorted((data / "trec-covid-round1" / "runs").glob("*.gz")):
        said = warnings_of(lambda: read_run(path))  # noqa: B023
        contrary += [path.name for text in said if CONTRARY.format("30 of 30") in text]
    assert contrary == ["SFDC-23April-run2.gz"]


def test_large_files_tell(tmp_path: Path) -> None:
    rows = 60_000
    run = pd.DataFrame({"qid": [str(i // 100) for i in range(rows)], "rank": range(rows)})
    run["docno"], run["score"] = [f"document-{i:06}" for i in range(rows)], 1.0
    path = write(run, tmp_path / "a.res")
    qrels = {"1": {"document-000100": 1}}
    assert len(told(lambda: evaluate([CG @ 1], qrels, path))) == 1
    assert len(told(lambda: evaluate([CG @ 1], qrels, path, batch_rows=1000))) == 1


def test_ranks_of_a_usual_file_are_not_read() -> None:
    run = read_run(pydocs.DATA / "runs" / "bm25.res.gz")
    assert list(run) == ["query_id", "doc_id", "score"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("12"),
            st.sampled_from("abcd"),
            st.integers(1, 4),
            st.integers(0, 1).map(float),
        ),
        unique_by=lambda row: row[:2],
    )
)
def test_it_warns_exactly_if_scores_order_nothing_and_ranks_do(rows) -> None:
    """Expected: by topic, on sorted lists. Ranks that are equal keep the order of the rows."""
    run, of_topic = ranked(*rows), {}
    for qid, docno, rank, score in rows:
        of_topic.setdefault(qid, []).append((rank, docno, score))
    tied = all(len({score for *_, score in of}) == 1 for of in of_topic.values())
    otherwise = False
    for of in of_topic.values():
        docs = [docno for _, docno, _ in sorted(of, key=lambda row: row[0])]
        several = len({rank for rank, *_ in of}) > 1
        otherwise |= several and docs != sorted(docs, reverse=True)
    assert bool(told(lambda: evaluate([CG @ 1], QRELS, run))) == (tied and otherwise)
