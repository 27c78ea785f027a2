"""What the engine refuses, by a word of the message; both hosts pass it on."""

import inspect
from collections.abc import Callable
from typing import Any

import ir_measures
import pandas as pd
import pytest

from pt_cumgain import CG, DCG, bounds, evaluate, gain_curves, gP, gR, nDCG, nsDCG, report, sDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.papers import precision_by_level, recall_bases
from tests.support.helpers import PUBLIC, SESSION_COLUMNS, SESSION_QRELS, SESSION_RUN

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"a": 2}}
RUN = {"q1": {"c": 1.0, "a": 1.0}}
BY_TURN = pd.DataFrame(
    [("31", "a", 2, 1), ("31", "b", 1, 1), ("31", "a", 1, 2)],
    columns=["query_id", "doc_id", "relevance", "query_position"],
)
HUGE = {"q1": dict.fromkeys("abc", 1e308)}
NAN, INF = float("nan"), float("inf")


def run_of(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def qrels_of(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def in_sessions(**changes: Any) -> pd.DataFrame:
    return SESSION_RUN.assign(**changes)


@pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        (
            QRELS,
            run_of(("q1", "a", 1.0), ("q1", "b", 3.0), ("q1", "a", 2.0), ("q1", "x", 1.5)),
            "run: document 'a' of topic 'q1' appears twice, at ranks 2 and 4: row 2 was read as "
            "topic 'q1', document 'a', score 2; row 0 was read as .*, document 'a', score 1$",
        ),
        (
            QRELS,
            run_of(("q1", "a", 3.0), ("q9", "y", pd.NA), ("q9", "z", NAN)),
            "run: a score is NaN: row 1 was read as topic 'q9', document 'y', score nan$",
        ),
        (
            QRELS,
            run_of(("q1", "a", 3.0)).rename(columns={"doc_id": "document"}),
            r"run: missing columns: \['doc_id'\] \(found \['query_id', 'document', 'score'\]\)"
            "; doc_id is also called docno, ",
        ),
        (
            QRELS,
            run_of(("q1", "a", 3.0)).assign(more=1).rename(columns={"more": "doc_id"}),
            "run: there is more than one column 'doc_id'",
        ),
        (QRELS, run_of((1.0, "a", 1.0)), "run query_id must be strings, but row 0 holds 1.0$"),
        (BY_TURN.assign(iteration=0.5), RUN, "qrels iteration must be strings, but row 0 hold"),
        (QRELS, {"q1": ["a", "b"]}, r"run query_id 'q1' must map to a dict .*, not \['a', 'b'\]"),
        (
            qrels_of(("q1", "a", 1), ("q2", "a", 0), ("q1", "a", 0)),
            RUN,
            "qrels: document 'a' of topic 'q1' has two different labels, 1 and 0: row 0 was read "
            "as topic 'q1', document 'a', label 1; row 2 was read as .*, label 0$",
        ),
        (
            qrels_of(("q1", "b", 1), ("q1", "a", NAN), ("q2", "c", INF)),
            RUN,
            "qrels: a label is not a finite number: row 1 was read as topic 'q1', document 'a', "
            "label nan$",
        ),
        (
            {"q0": {"a": 1}, **HUGE, "q2": {"a": 1}},
            {"q0": {"a": 1.0}, "q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 1.0}},
            "the discounted gains of topic 'q1' are too large for a sum of floats",
        ),
    ],
)
def test_runs_and_qrels_that_are_refused(qrels: Any, run: Any, words: str) -> None:
    for host in (provider, ir_measures):
        with pytest.raises((TypeError, ValueError), match=f"^{words}"):
            host.calc_aggregate([CG, nDCG(discount="original") @ 2], qrels, run)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (SESSION_RUN[SESSION_COLUMNS[:3]], r"query_position.*found \['query_id', 'doc_id', 'sco"),
        (in_sessions(query_position=[0, 1, 2, 2]), r"of row 0 \(document 'x'\) is 0; it"),
        (in_sessions(query_position=[1, 1, None, 2]), r"of row 2 \(document 'a'\) is nan"),
        (in_sessions(query_position=[1, 1, 2, 1.7e9]), r"row 3 .* is 1.7e\+09; .* from 1 to 10000"),
        (in_sessions(query_position=True), "query_position must be whole numbers, not booleans"),
        (in_sessions(query_position=[True, 1, "2", 2]), "query_position must be .*, not booleans"),
        (in_sessions(session_length=1), "'s' has the session_length 1, but rows of its query 2"),
        (in_sessions(session_length=[2, 2, 3, 3]), "'s' has the session_length 2 and 3; it is"),
        (in_sessions(scanned=[2, 2, 2, 1]), r"^run: 's' \(query 2\) has different .* scanned; it"),
        (in_sessions(doc_id=[*"xbaa"]), r"'a' of topic 's' \(query 2\) appears twice, at ranks 1"),
        (in_sessions(score=[1, NAN, 1, 1]), r"NaN: row 1 .* 's' \(query 1\), document 'b', score"),
        (in_sessions(query_id="31_1").drop(columns="query_position"), "split_turns"),
        ({"s": {"a": 1.0}}, "query_position.*it is missing. pt_cumgain.per_session"),
    ],
)
def test_runs_of_sessions_that_are_refused(run: Any, words: str) -> None:
    for measures in ([nsDCG @ 2], [sDCG, CG @ 1, nDCG @ 5]):
        for host, beside in ((provider, []), (ir_measures, [ir_measures.P @ 1])):
            with pytest.raises((TypeError, ValueError), match=words):
                host.calc_aggregate([*measures, *beside], SESSION_QRELS, run)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ([1, 1, 0], r"qrels: the query_position of row 2 \(document 'a'\) is 0; it s"),
        ([1, 1.5, 1], r"row 1 \(document 'b'\) is 1.5.* a whole number from 1"),
        (["1", "one", "2"], "qrels query_position must be numbers, but row 1"),
        (1, r"'a' of topic '31' \(query 1\) has two different labels, 2 and 1"),
    ],
)
def test_qrels_by_turn_that_are_refused(positions: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        evaluate(nsDCG @ 2, BY_TURN.assign(query_position=positions), SESSION_RUN)


TWICE = run_of(("q1", "b", 1.0), ("q1", "c", 1.0), ("q1", "a", 1.0), ("q1", "a", 1.0))
BY_TOPIC = r"column query_position.* only sDCG and nsDCG"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: evaluate(gP @ 10, QRELS, RUN), "gP needs its scale; .*'0-1-2-3'$"),
        (lambda: evaluate(gP(gains="0-1-2-3"), QRELS, RUN), "give a cutoff .* or at_r=True"),
        (lambda: gain_curves([RUN], None, QRELS, gR, average="vectors"), "gR lacks"),
        (lambda: report([RUN], None, QRELS, path="x", measure=CG(unjudged=1)), "no control for"),
        # the second place is beyond the cutoff by id, but has a share of the ranks before it
        (lambda: evaluate([CG(ties="average") @ 1], QRELS, TWICE), "'a' of topic 'q1' appears tw"),
        # what qrels by turn cannot say
        (
            lambda: evaluate(nsDCG(duplicates="first"), BY_TURN, SESSION_RUN),
            r"^nsDCG\(duplicates='first'\)@10: .*query_position",
        ),
        (lambda: evaluate([nsDCG, DCG @ 10], BY_TURN, SESSION_RUN), BY_TOPIC),
        (lambda: gain_curves([RUN], None, BY_TURN, nDCG), BY_TOPIC),
        (lambda: bounds([RUN], None, BY_TURN, nDCG @ 10), BY_TOPIC),
        (lambda: recall_bases(BY_TURN), BY_TOPIC),
        (lambda: precision_by_level([RUN], None, BY_TURN), BY_TOPIC),
    ],
)
def test_measures_that_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


#: Functions that read no label, or only whether it is high enough.
NOT_JUDGING = ("topics_of", "session_qrels", "qrels_at_level")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("function", [*filter(inspect.isfunction, PUBLIC.values())])
def test_labels_that_conflict_are_refused_by_whoever_judges(function) -> None:
    """They are refused only once a run is known, so each function that judges has to ask."""
    parameters = inspect.signature(function).parameters
    if "qrels" not in parameters or function.__name__ in NOT_JUDGING:
        return
    run = run_of(("q1", "b", 1.0), ("q2", "b", 1.0)).assign(query_position=1)
    measure = "nsDCG@2" if "sessions" in parameters else "nDCG@2"
    given = {"systems": {"A": run, "B": run}, "run": run, "measures": measure, "path": "no.html"}
    given |= {
        "qrels": qrels_of(("q1", "a", 1), ("q1", "a", 2), ("q1", "b", 1)),
        "values": {measure: 0.5},
    }
    needed = [name for name, each in parameters.items() if each.default is each.empty]
    with pytest.raises(ValueError, match=r"^qrels: document 'a' of topic 'q1' has two"):
        function(**{name: given.get(name) for name in needed})
