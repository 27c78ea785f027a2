"""Warnings stand at the line of the user's call, and name what they are about."""

import inspect
import warnings
from unittest import mock

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_cumgain import CG, evaluate, nDCG, pairwise
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs import lines
from tests.support.helpers import ours, slow
from tests.support.samples import results_of

QRELS = pd.DataFrame(
    [(str(q), f"d{d}", (q + d) % 3) for q in range(1, 13) for d in range(1, 6)],
    columns=["qid", "docno", "label"],
)
TOPICS = pd.DataFrame({"qid": list(map(str, range(1, 13))), "query": "x"})
RUN = QRELS[["qid", "docno"]].assign(score=np.random.default_rng(1).random(len(QRELS)))
UNMET = [nDCG(gains="0-1-10-100") @ 5, CG(gains={7: 3}) @ 5]


def issued(function) -> list[tuple[str, str, int]]:
    """What a function warns of, by file and line from the function's own; with every filter off."""
    first = inspect.getsourcelines(function)[1]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function()
    return [(str(w.message), w.filename, w.lineno - first) for w in ours(seen)]


@pytest.mark.parametrize("plan", ["linear", *slow("tree")])
def test_a_warning_stands_at_the_users_line(plan: str) -> None:
    """Expected: one for each measure, on the line of each call, also where one is repeated."""

    def experiments() -> None:
        for _ in range(2):
            pt.Experiment([RUN], TOPICS, QRELS, UNMET, plan=plan, verbose=False)
        evaluate(UNMET, QRELS, RUN)

    told = [one for one in issued(experiments) if "no document" in one[0]]
    assert [text.partition(": ")[0] for text, *_ in told].count(str(UNMET[1])) == 3
    assert [place for _, *place in told] == [[__file__, line] for line in (2, 2, 2, 2, 3, 3)]


def test_a_warning_of_a_file_that_is_read_stands_there_too(tmp_path) -> None:
    """Ranks against scores are found while the file is read, before the error of a later line."""
    (tmp_path / "run").write_text("1 Q0 d1 1 0.1 t\n1 Q0 d2 2 0.2 t\n")
    (tmp_path / "broken").write_text("1 Q0 d1 1 0.1 t\n1 Q0 d2 2 0.2 t\n" + "1 Q0\n")

    def read() -> None:
        evaluate(CG @ 1, QRELS, tmp_path / "run", missing="skip")
        with pytest.raises(ValueError, match="line 3"), mock.patch.object(lines, "BLOCK", 33):
            evaluate(CG @ 1, QRELS, tmp_path / "broken")

    told = [one for one in issued(read) if "rank orders" in one[0]]
    assert [place for _, *place in told] == [[__file__, 1], [__file__, 3]]
    assert told[0][0].endswith(f"(file '{tmp_path / 'run'}')")


@pytest.mark.parametrize("name", [None, "__main__"])
def test_a_module_without_a_name_may_cause_a_warning(name: str | None) -> None:
    with pytest.warns(UserWarning, match="^words$"):
        exec("warn('words')", {"__name__": name, "warn": warn})


def test_a_warning_about_one_dataset_names_it() -> None:
    """In one dataset only, the values of B are percentages; the mean over both does not show it."""
    draws = np.random.default_rng(3)
    values = {"percent": draws.random((2, 5)) * [[1], [100]], "share": draws.random((2, 200))}
    frames = [results_of(dict(zip("AB", of))).assign(dataset=name) for name, of in values.items()]
    joined = pd.concat(frames).assign(measure="P@10")
    ((text, *_),) = issued(lambda: pairwise(joined))
    assert "on two scales" in text
    assert text.endswith("(dataset 'percent')")
    with name_dataset("X"):
        assert issued(lambda: warn("words"))[0][0] == "words (dataset 'X')"
    assert issued(lambda: warn("words"))[0][0] == "words"


def test_a_warning_about_a_file_names_its_run(tmp_path) -> None:
    (tmp_path / "bm25.res").write_text("1 Q0 D1 1 1.0 x\n")
    ((unmet, *_), (missed, *_)) = issued(lambda: evaluate("CG@5", QRELS, tmp_path / "bm25.res"))
    assert unmet.endswith("('D1' in the run, 'd1' in the qrels) (run 'bm25')")
    assert missed.startswith("the run 'bm25' has no documents for 11 of the 12 topics")
