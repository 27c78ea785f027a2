"""Warnings: once for each call of the user, at the line of that call."""

from __future__ import annotations

import inspect
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import CG, nDCG, pairwise
from pt_cumgain.environment.warning import name_dataset, warn

QRELS = pd.DataFrame(
    [(str(q), f"d{d}", (q * d) % 3) for q in range(1, 13) for d in range(1, 6)],
    columns=["qid", "docno", "label"],
)
TOPICS = pd.DataFrame({"qid": list(map(str, range(1, 13))), "query": "x"})
UNMET = [nDCG(gains="0-1-10-100") @ 5, CG(gains={7: 3}) @ 5]


def run(seed: int) -> pd.DataFrame:
    run = QRELS[["qid", "docno"]]
    return run.assign(score=np.random.default_rng(seed).random(len(run)))


def results(topics: int, **columns) -> pd.DataFrame:
    values = np.random.default_rng(topics).random((2, topics))
    rows = [(s, str(q), "CG@5", v) for s, of in zip("AB", values) for q, v in enumerate(of)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return frame.assign(**columns)


def issued(function) -> list[tuple[str, str, int]]:
    """What a function warns of, by file and line from the function's own; with every filter off."""
    first = inspect.getsourcelines(function)[1]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function()
    return [(str(w.message), w.filename, w.lineno - first) for w in seen]


@pytest.mark.parametrize("plan", ["linear", "tree"])
@pytest.mark.parametrize("systems", [1, 5])
def test_an_experiment_warns_once_at_the_users_line(plan: str, systems: int) -> None:
    """Expected: one for each measure, however many systems; PyTerrier evaluates each by itself."""

    def experiment() -> None:
        runs = {str(seed): run(seed) for seed in range(systems)}
        pt.Experiment(runs, TOPICS, QRELS, [*UNMET, ir_measures.AP], plan=plan)

    told = [one for one in issued(experiment) if "no document" in one[0]]
    assert sorted(text.partition(": ")[0] for text, *_ in told) == sorted(map(str, UNMET))
    assert {(file, line) for _, file, line in told} == {(__file__, 2)}


def test_another_call_warns_again() -> None:
    """Whether on another line or on the same one."""

    def experiments() -> None:
        for seed in range(2):
            pt.Experiment([run(seed)] * 3, TOPICS, QRELS, UNMET[:1])
        pt.Experiment([run(3)], TOPICS, QRELS, UNMET[:1])

    told = [one for one in issued(experiments) if "no document" in one[0]]
    assert [line for *_, line in told] == [2, 2, 3]


def test_a_warning_that_a_block_ignores_is_not_lost() -> None:
    """Expected: what is warned of outside of the block."""
    # a function of the package, as far as warnings can tell
    code = (
        "def call():\n"
        "    with warnings.catch_warnings():\n"
        "        warnings.simplefilter('ignore')\n"
        "        warn('w')\n"
        "    warn('w')\n"
        "    warn('w')\n"
    )
    names = {"__name__": "pt_cumgain.x", "warnings": warnings, "warn": warn}
    exec(code, names)
    assert [text for text, *_ in issued(lambda: names["call"]())] == ["w"]


def test_a_warning_about_one_dataset_names_it() -> None:
    """Expected: 2 signs of 5 topics' differences leave p = 1/16; 20 topics can differ."""
    joined = pd.concat([results(5, dataset="few"), results(20, dataset="many")])
    ((text, *_),) = issued(lambda: pairwise(joined, test="randomisation"))
    assert text.endswith("or another test (dataset 'few')")
    assert "5 topics" in text
    with name_dataset("X"):
        ((text, *_),) = issued(lambda: warn("words"))
    assert text == "words (dataset 'X')"
    ((text, *_),) = issued(lambda: warn("words"))
    assert text == "words"
