"""Runs whose ids do not meet the qrels, and which of several systems a message is about."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_cumgain import (
    CG,
    DCG,
    bounds,
    cli,
    dominance,
    evaluate,
    gain_curves,
    nDCG,
    paper_table,
    plots,
    report,
    sDCG,
    weighting_map,
)
from pt_cumgain.papers import precision_by_level
from pt_cumgain.sessions import session_curves, session_lengths
from pt_cumgain.trust import reconcile, topic_table
from tests.support.helpers import results_of, warnings_of

QRELS = pd.DataFrame(
    [("1", "d1", 1), ("1", "d2", 2), ("2", "d3", 1)], columns=["qid", "docno", "label"]
)
TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": "x"})
GOOD = QRELS[["qid", "docno"]].assign(score=[3.0, 2.0, 1.0])
UPPER = GOOD.assign(docno=GOOD["docno"].str.upper())
SYSTEMS = {"BM25": UPPER, "good": GOOD, "other": GOOD.assign(score=[1.0, 2.0, 3.0])}
TOLD = (
    "{}: none of its documents{} in these 2 topics is judged; do the ids match? "
    "('D1' in the run, 'd1' in the qrels)"
)
OURS = nDCG(gains="0-1-10") @ 10


def unmet(call) -> list[str]:
    """The warnings of a call about documents without judgments."""
    return [text for text in warnings_of(call) if "none of its documents" in text]


def tells_of(told: list[str], *words: str) -> bool:
    """Whether there is one such warning, with an id of each side and these words."""
    return len(told) == 1 and all(word in told[0] for word in ("'D1'", "'d1'", *words))


@pytest.mark.parametrize(
    "call",
    [
        lambda runs: gain_curves(runs, None, QRELS, [CG @ 10, OURS], depth=10),
        lambda runs: bounds(runs, None, QRELS, [CG @ 10]),
        lambda runs: dominance(runs, None, QRELS, [CG @ 10, OURS]),
        lambda runs: dominance(runs, None, QRELS, [OURS], over="pool"),
        lambda runs: weighting_map(runs, None, QRELS, [OURS]),
        lambda runs: topic_table(runs, None, QRELS, OURS),
    ],
)
def test_every_function_names_the_system_once(call) -> None:
    assert tells_of(unmet(lambda: call(SYSTEMS)), "BM25: ", " down to rank 10 ")


def test_a_page_tells(tmp_path: Path) -> None:
    options = {"path": tmp_path / "a.html", "measure": OURS, "depth": 20}
    told = unmet(lambda: report(SYSTEMS, None, QRELS, **options))
    assert tells_of(told, "BM25: ", " down to rank 20 ")


@pytest.mark.parametrize(
    "call", [evaluate, ir_measures.calc_aggregate, lambda *given: [*ir_measures.iter_calc(*given)]]
)
def test_one_run_is_the_run(call) -> None:
    qrels = QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1)
    run = UPPER.set_axis(["query_id", "doc_id", "score"], axis=1)
    assert tells_of(unmet(lambda: call([CG @ 5, OURS], qrels, run)), " down to rank 10 ")


@pytest.mark.parametrize(
    ("measures", "where"),
    [
        ([CG], ""),
        ([CG @ 3, nDCG(gains="exp", judged_only=True) @ 3], ""),
        ([CG @ 3, DCG @ 7], " down to rank 7 "),
        ([nDCG(gains="exp", at_r=True)], " down to rank R "),
    ],
)
def test_the_depth_is_that_of_the_measures(measures, where: str) -> None:
    told = unmet(lambda: evaluate(measures, QRELS, UPPER))
    assert tells_of(told, where)
    assert ("down to rank" in told[0]) == bool(where)


@pytest.mark.parametrize("run", [{"1": {"x": 2.0, "d1": 1.0}}, {"2": {"d1": 1.0}}])
def test_a_document_that_is_judged_elsewhere_is_no_sign_of_other_ids(run: dict) -> None:
    """The first row of the run has d1, below the cutoff or for a topic that does not judge it."""
    frame = pd.DataFrame([(q, d, s) for q, ds in run.items() for d, s in sorted(ds.items())])
    frame.columns = ["qid", "docno", "score"]
    (told,) = unmet(lambda: evaluate(CG @ 1, {"1": {"d1": 1}, "2": {"d2": 1}}, frame))
    assert told.endswith("is judged, though 'd1' is, further down or in another topic")


def test_sessions_tell() -> None:
    run = UPPER.assign(query_position=[1, 2, 1])
    told = unmet(lambda: session_curves({"A": run}, None, QRELS, sDCG @ 4))
    assert tells_of(told, "A: ", " down to rank 4 ")
    assert unmet(lambda: evaluate(sDCG @ 4, QRELS, run.assign(docno=["d2", "x", "d3"]))) == []


@pytest.mark.parametrize("plan", ["linear", "tree"])
@pytest.mark.parametrize("system", [pt.Transformer.from_df, lambda frame: frame])
@pytest.mark.parametrize("batch_size", [None, 1])
def test_an_experiment_tells_without_names(plan: str, system: Any, batch_size: int | None) -> None:
    """It passes none; each message is true of its batch. The host does not batch linear frames."""
    runs = {name: system(run) for name, run in SYSTEMS.items()}
    options = {"plan": plan, "batch_size": batch_size, "verbose": False}
    told = unmet(lambda: pt.Experiment(runs, TOPICS, QRELS, [OURS, CG @ 3], **options))
    if batch_size and not (plan == "linear" and isinstance(runs["good"], pd.DataFrame)):
        text = (
            "run: none of its documents down to rank 10 in this topic is judged; do the ids match?"
        )
        assert told == [
            f"{text} ('D1' in the run, 'd1' in the qrels)",
            f"{text} ('D3' in the run, 'd3' in the qrels)",
        ]
    else:
        assert told == [TOLD.format("run", " down to rank 10")]


def test_topics_that_do_not_meet_are_shown() -> None:
    with pytest.warns(UserWarning, match="no topic in common.*'q1'.*'1'"):
        gain_curves({"A": GOOD.assign(qid="q1")}, None, QRELS, CG @ 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda runs: gain_curves(runs, None, QRELS, CG @ 3, depth=3),
        lambda runs: dominance(runs, None, QRELS, CG @ 3),
        lambda runs: precision_by_level(runs, None, QRELS),
        lambda runs: session_curves(
            {name: run.assign(query_position=1) for name, run in runs.items()},
            None,
            QRELS,
            sDCG @ 3,
        ),
    ],
)
def test_one_warning_counts_the_topics_that_are_missing_from_runs(call) -> None:
    """Topic 2 is missing from B and C, and both topics from the empty run."""
    runs = {"good": GOOD, "B": GOOD[GOOD["qid"] == "1"], "C": GOOD[:1], "empty": GOOD[:0]}
    assert [text for text in warnings_of(lambda: call(runs)) if "no documents for" in text] == [
        "3 runs have no documents for some of the 2 topics in the qrels: 'B' (1), 'C' (1), "
        "'empty' (2); these topics count as 0"
    ]
    del runs["C"], runs["empty"]
    assert [text for text in warnings_of(lambda: call(runs)) if "no documents for" in text] == [
        "the run 'B' has no documents for 1 of the 2 topics in the qrels; these topics count as 0"
    ]


def test_an_error_comes_without_that_warning() -> None:
    def fail() -> None:
        with pytest.raises(ValueError, match="NaN"):
            gain_curves({"B": GOOD[:1], "bad": NAN}, None, QRELS, CG @ 3)

    assert warnings_of(fail) == []


def read_first(docs: dict[str, float], k: int) -> list[str]:
    """The first k documents: by score, equal ones by descending id."""
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:k]


LISTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2).map(float), max_size=6)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("123"), LISTS, max_size=3),
    st.dictionaries(
        st.sampled_from("123"), st.dictionaries(st.sampled_from("abcxyz"), st.integers(-1, 2))
    ),
    st.lists(st.integers(1, 4), min_size=1, max_size=2),
    st.sampled_from([CG, nDCG(gains="exp")]),
)
def test_it_warns_exactly_if_no_judged_document_is_among_the_first(
    run: Any, qrels: Any, cutoffs: list[int], measure: Any
) -> None:
    """Expected: the rule itself, on sorted lists."""
    shared = {topic for topic in run if run[topic] and topic in qrels}
    met = any(set(read_first(run[t], max(cutoffs))) & set(qrels[t]) for t in shared)
    expected = bool(shared) and any(qrels.values()) and not met
    qrels = {t: {doc: max(level, 0) for doc, level in docs.items()} for t, docs in qrels.items()}
    told = unmet(lambda: evaluate([measure @ k for k in cutoffs], qrels, run))
    assert bool(told) == expected
    if told:
        ids, judged = re.findall("'(.)'", told[0]), {d for docs in qrels.values() for d in docs}
        assert ids[0] in {doc for docs in run.values() for doc in docs}
        assert ids[-1] in judged
        assert ids[0] == ids[-1] or ids[0] not in judged
        assert ("do the ids match" in told[0]) == (len(ids) == 2)


@pytest.mark.parametrize("over", ["gains", "discount", "both", "judgments", "pool"])
@pytest.mark.filterwarnings("ignore:BM25")
def test_there_is_no_conclusion_from_such_a_system(over: str) -> None:
    frame = dominance(SYSTEMS, None, QRELS, OURS, over=over)
    unjudged = (frame == "unjudged").any(axis=1)
    assert unjudged.tolist() == (frame["name"].eq("BM25") | frame["other"].eq("BM25")).tolist()
    assert (frame.loc[unjudged, "better"] == "").all()
    alone = dominance({name: SYSTEMS[name] for name in ("good", "other")}, None, QRELS, OURS)
    if over == "gains":
        pd.testing.assert_frame_equal(frame[~unjudged].reset_index(drop=True), alone)


@pytest.mark.filterwarnings("ignore:BM25", "ignore:the run .good")
@pytest.mark.usefixtures("figures")
def test_a_figure_draws_no_arrow_to_such_a_system() -> None:
    systems = {f"s{i}": GOOD.assign(score=np.roll(GOOD["score"], i)) for i in range(3)}
    systems |= {"good": GOOD.head(1), "BM25": UPPER, "BM25+": UPPER}
    (axes,) = plots.plot_dominance(dominance(systems, None, QRELS, OURS)).axes
    assert not any("BM25" in text.get_text() for text in axes.texts)


@pytest.mark.parametrize(
    "options", [{}, {"baseline": "B", "interval": True}, {"baseline": "U"}, {"test": "wilcoxon"}]
)
def test_a_table_marks_nothing_of_a_system_that_is_always_0(options) -> None:
    better = [5.0, 6.0, 7.0, 5.5, 8.0, 6.5, 7.5, 5.0, 9.0, 6.0]
    values = {"A": better, "B": [v - 2 - i % 3 for i, v in enumerate(better)]}
    is_told = lambda notes: any(  # noqa: E731
        note.startswith("U: ") and "not compared" in note for note in notes
    )
    table = paper_table(results_of({**values, "U": [0.0] * 10}), **options)
    if options == {"baseline": "U"}:  # nothing is left to compare
        assert table.pairs is None
    else:  # the same as without it
        pd.testing.assert_frame_equal(table.pairs, paper_table(results_of(values), **options).pairs)
    assert is_told(table.notes)
    assert not is_told(paper_table(results_of(values)).notes)
    data = table.data.set_index("name")
    assert "difference" not in data or np.isnan(data.loc["U", "difference"])


def test_no_system_is_best_with_0() -> None:
    text = paper_table(results_of({"A": [0.0] * 3, "B": [0.0] * 3}), test=None).to_text()
    assert "0.000•" not in text


NAN = GOOD.assign(score=[1.0, np.nan, 1.0])
TWICE = GOOD.assign(docno=["d1", "d1", "d3"])
NO_SCORE = GOOD.drop(columns="score")
NO_ID = GOOD.assign(docno=["d1", None, "d3"])


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (NAN, "my run B: document 'd2' of topic '1' has the score NaN"),
        (TWICE, "my run B: document 'd1' of topic '1' appears twice"),
        (NO_SCORE, "my run B: missing columns: ['score']"),
        (NO_ID, "my run B: run doc_id must be strings, but row 1 holds"),
        (GOOD.assign(score=["1", "x", "2"]), "my run B: run score must be numbers, but row 1"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda runs: gain_curves(runs, None, QRELS, CG @ 3),
        lambda runs: dominance(runs, None, QRELS, CG @ 3),
        lambda runs: topic_table(runs, None, QRELS, CG @ 3),
    ],
)
def test_an_error_names_the_system(broken: pd.DataFrame, said: str, call) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(said)}"):
        call({"A": GOOD, "my run B": broken})


def test_errors_elsewhere_name_it() -> None:
    said = "^my run B: document 'd2' of topic '1' has the score NaN"
    systems, numbers = {"A": GOOD, "my run B": NAN}, {"nDCG@10": 0.5}
    with pytest.raises(ValueError, match=said):
        reconcile(run=systems, qrels=QRELS, values={"A": numbers, "my run B": numbers})
    with pytest.raises(TypeError, match=r"^my run B: run doc_id must be strings"):
        precision_by_level({"A": GOOD, "my run B": GOOD.assign(docno=1.5)}, None, QRELS)
    with pytest.raises(ValueError, match=r"^my run B: session measures need its column"):
        session_lengths({"my run B": GOOD})


def test_the_commands_name_the_file(tmp_path: Path, capsys) -> None:
    files = {"BM25": UPPER, "good": GOOD, "bad": TWICE}
    for name, run in files.items():
        run.assign(q0="Q0", rank=1, tag="t")[["qid", "q0", "docno", "rank", "score", "tag"]].to_csv(
            tmp_path / f"{name}.res", sep=" ", header=False, index=False
        )
    paths = {name: str(tmp_path / f"{name}.res") for name in files}
    qrels = tmp_path / "qrels"
    QRELS.assign(i=0)[["qid", "i", "docno", "label"]].to_csv(
        qrels, sep=" ", header=False, index=False
    )
    assert cli.main(["eval", str(qrels), paths["BM25"], paths["good"], "nDCG@10"]) == 0
    assert tells_of(capsys.readouterr().err.splitlines(), "(run 'BM25')")
    given = [str(qrels), paths["good"], paths["BM25"]]
    assert cli.main(["dominance", *given, "-m", "nDCG@10"]) == 0
    printed = capsys.readouterr()
    assert tells_of(printed.err.splitlines(), "BM25: ", " down to rank 10 ")
    assert "no conclusion" in printed.out
    for command in (["eval", *given[:2], paths["bad"], "CG@3"],):
        assert cli.main(command) != 0
        said = f"{paths['bad']}: document 'd1' of topic '1' appears twice"
        assert said in capsys.readouterr().err
    assert cli.main(["dominance", *given[:2], paths["bad"], "-m", "CG@3"]) != 0
    assert "bad: document 'd1' of topic '1' appears twice" in capsys.readouterr().err


def test_where_no_rank_is_read_nothing_is_missed() -> None:
    """No document of the qrels has a gain, so R is 0, and so is every value."""
    said = warnings_of(lambda: evaluate([nDCG(at_r=True)], {"1": {"a": 0}}, {"1": {"x": 1.0}}))
    assert all("has a positive gain" in text for text in said)
