"""Runs whose ids do not meet the qrels, and which of several systems a message is about."""

import os
import re
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import CG, DCG, cli, dominance, evaluate, gain_curves, nDCG, paper_table, sDCG
from pt_cumgain.papers import precision_by_level
from pt_cumgain.sessions import session_curves, session_lengths
from pt_cumgain.trust import reconcile, topic_table
from tests.support import reference
from tests.support.helpers import warnings_of
from tests.support.samples import results_of

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
PAGE = {"path": os.devnull, "measure": OURS, "depth": 20}


def unmet(call) -> list[str]:
    """The warnings of a call about documents without judgments."""
    return [text for text in warnings_of(call) if "none of its documents" in text]


def in_sessions(runs: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The runs as those of sessions of one query."""
    return {name: run.assign(query_position=1) for name, run in runs.items()}


def tells_of(told: list[str], *words: str) -> bool:
    """Whether there is one such warning, with an id of each side and these words."""
    return len(told) == 1 and all(word in told[0] for word in ("'D1'", "'d1'", *words))


@pytest.mark.parametrize(
    ("call", "depth"),
    [
        (lambda runs: gain_curves(runs, None, QRELS, [CG @ 10, OURS], depth=10), 10),
        (lambda runs: pt_cumgain.bounds(runs, None, QRELS, [CG @ 10]), 10),
        (lambda runs: dominance(runs, None, QRELS, [CG @ 10, OURS]), 10),
        (lambda runs: dominance(runs, None, QRELS, [OURS], over="pool"), 10),
        (lambda runs: pt_cumgain.weighting_map(runs, None, QRELS, [OURS]), 10),
        (lambda runs: topic_table(runs, None, QRELS, OURS), 10),
        (lambda runs: session_curves(in_sessions(runs), None, QRELS, sDCG @ 4), 4),
        (lambda runs: pt_cumgain.report(runs, None, QRELS, **PAGE), 20),
        (lambda runs: precision_by_level(runs, None, QRELS), None),
    ],
)
def test_every_function_names_the_system_once(call, depth: int | None) -> None:
    words = f" down to rank {depth} in these 2 topics" if depth else "documents in these 2 topics"
    assert tells_of(unmet(lambda: call(SYSTEMS)), "BM25: ", words)


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


@pytest.mark.parametrize("plan", ["linear", "tree"])
@pytest.mark.parametrize("system", [pt.Transformer.from_df, lambda frame: frame])
@pytest.mark.parametrize("batch_size", [None, 1])
def test_an_experiment_tells_without_names(plan: str, system: Any, batch_size: int | None) -> None:
    """It passes none; all batches have the same one. The host does not batch linear frames."""
    runs = {name: system(run) for name, run in SYSTEMS.items()}
    options = {"plan": plan, "batch_size": batch_size, "verbose": False}
    told = unmet(lambda: pt.Experiment(runs, TOPICS, QRELS, [OURS, CG @ 3], **options))
    of_all = TOLD.format("run", " down to rank 10")
    if batch_size and not (plan == "linear" and isinstance(runs["good"], pd.DataFrame)):
        of_1 = of_all.replace("these 2 topics", "this topic")
        assert told == [of_1, of_1]
    else:
        assert told == [of_all]


@pytest.mark.parametrize(
    "call",
    [
        lambda runs: gain_curves(runs, None, QRELS, CG @ 3, depth=3),
        lambda runs: dominance(runs, None, QRELS, CG @ 3),
        lambda runs: precision_by_level(runs, None, QRELS),
        lambda runs: session_curves(in_sessions(runs), None, QRELS, sDCG @ 3),
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


LISTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2).map(float), max_size=6)


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
    met = any(set(reference.ranking(run[t])[: max(cutoffs)]) & set(qrels[t]) for t in shared)
    expected = bool(shared) and not met
    qrels = {t: {doc: max(level, 0) for doc, level in docs.items()} for t, docs in qrels.items()}
    assume(any(qrels.values()))  # without a judgment, evaluate refuses
    told = unmet(lambda: evaluate([measure @ k for k in cutoffs], qrels, run))
    assert bool(told) == expected
    if told:
        ids, judged = re.findall("'(.)'", told[0]), {d for docs in qrels.values() for d in docs}
        assert ids[0] in {doc for docs in run.values() for doc in docs}
        assert ids[-1] in judged
        assert ids[0] == ids[-1] or ids[0] not in judged
        if len(ids) == 1:  # no sign of other ids: it is below the cutoff or for another topic
            assert told[0].endswith(f"though '{ids[0]}' is, further down or in another topic")
        else:
            assert "do the ids match" in told[0]


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
    (axes,) = pt_cumgain.plots.plot_dominance(dominance(systems, None, QRELS, OURS)).axes
    assert not any("BM25" in text.get_text() for text in axes.texts)


def test_a_table_compares_nothing_with_a_system_that_is_always_0() -> None:
    better = [5.0, 6.0, 7.0, 5.5, 8.0, 6.5]
    given = results_of({"A": better, "B": [v - 2 - i % 3 for i, v in enumerate(better)]})
    with_zeros = pd.concat([given, results_of({"U": [0.0] * 6})])
    pairs = [paper_table(of, baseline="B", interval=True).pairs for of in (with_zeros, given)]
    pd.testing.assert_frame_equal(*pairs)
    shares = results_of({"A": [1.0] * 6, "B": [1.0] * 6, "U": [0.0] * 6}, "Judged@5")
    assert "U: 0 for every topic, as if" in paper_table(pd.concat([with_zeros, shares])).note
    table = paper_table(with_zeros, baseline="U", interval=True)
    assert table.pairs is None  # nothing is left to compare
    assert "difference" not in table.data


NAN = GOOD.assign(score=[1.0, np.nan, 1.0])
TWICE = GOOD.assign(docno=["d1", "d1", "d3"])
NUMBERS = {"A": {"nDCG@10": 0.5}, "my run B": {"nDCG@10": 0.5}}


@pytest.mark.parametrize(
    ("call", "broken", "said"),
    [
        (gain_curves, NAN, "a score is NaN: row 1 was read as topic '1', document 'd2', score nan"),
        (gain_curves, TWICE, "document 'd1' of topic '1' appears twice"),
        (gain_curves, GOOD.drop(columns="score"), "missing columns: ['score']"),
        (dominance, GOOD.assign(docno=["d1", None, "d3"]), "run doc_id must be strings, but row 1"),
        (topic_table, GOOD.assign(score=["1", "x", "2"]), "run score must be numbers, but row 1"),
        (
            lambda runs, _, q, __: reconcile(run=runs | {"A": GOOD}, qrels=q, values=NUMBERS),
            NAN,
            "a score is NaN: row 1 was read as topic '1', document 'd2', score nan",
        ),
        (lambda runs, *_: precision_by_level(runs, None, QRELS), TWICE, "document 'd1' of topic"),
        (lambda runs, *_: session_lengths(runs), GOOD, "session measures need its column"),
    ],
)
def test_an_error_names_the_system(call, broken: pd.DataFrame, said: str) -> None:
    first = GOOD[:1].assign(query_position=1)

    def fail() -> None:
        with pytest.raises((TypeError, ValueError), match=f"^my run B: {re.escape(said)}"):
            call({"A": first, "my run B": broken}, None, QRELS, CG @ 3)

    assert warnings_of(fail) == []


def test_the_commands_name_the_file(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name, run in {"BM25": UPPER, "good": GOOD, "bad": TWICE}.items():
        lines = run.assign(q0="Q0", rank=1, tag="t")
        lines = lines[["qid", "q0", "docno", "rank", "score", "tag"]]
        lines.to_csv(f"{name}.res", sep=" ", header=False, index=False)
    judged = QRELS.assign(i=0)[["qid", "i", "docno", "label"]]
    judged.to_csv("qrels", sep=" ", header=False, index=False)
    assert cli.main(["eval", "qrels", "BM25.res", "good.res", "nDCG@10"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert tells_of(err[:1], "(run 'BM25')")
    assert err[1].endswith("Judged down to rank 10: good 100%, BM25 0%.")
    said = "bad: document 'd1' of topic '1' appears twice"
    assert cli.main(["dominance", "qrels", "good.res", "bad.res", "-m", "CG@3"]) != 0
    assert said in capsys.readouterr().err
    assert cli.main(["eval", "qrels", "good.res", "bad.res", "CG@3"]) != 0
    assert said.replace("bad", "bad.res") in capsys.readouterr().err
