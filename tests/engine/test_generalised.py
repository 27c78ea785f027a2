"""gP, gR and the gain of unjudged documents: against ir-measures' P and R, and by hand."""

import numpy as np
import pytest
from ir_measures import P, R, calc_aggregate

from pt_cumgain import CG, DCG, core, gain_curves, gP, gR, pydocs
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import paper, slow

FLAT = {1: 1, 2: 1, 3: 1}
QRELS = {"q": {"a": 3, "b": 2, "c": -1}, "r": {"a": 1}, "none": {"a": 0}}
RUN = {"q": {"x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}, "r": {"x": 2.0, "a": 1.0}}


@pytest.mark.parametrize("k", [5, *slow(1, 20, 1000)])
def test_with_flat_weights_they_are_precision_and_recall(k: int, trec_qrels) -> None:
    """Expected: P and R of ir-measures' other providers."""
    for run in pydocs.runs().values():
        run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
        theirs = calc_aggregate([P @ k, R @ k], trec_qrels, run)
        ours = provider.calc_aggregate(
            [gP(gains="0-1-1-1") @ k, gR(gains=FLAT) @ k], trec_qrels, run
        )
        assert list(ours.values()) == pytest.approx([theirs[P @ k], theirs[R @ k]], abs=1e-12)


def test_the_ideal_ranking_goes_on_with_unjudged_documents_that_gain_something() -> None:
    """Documents of q that gain more than 2.5 come first: a alone; then the rest of the database."""
    measures = [CG, CG(unjudged=2.5), CG(unjudged=-2), DCG(unjudged=2.5)]
    curves = gain_curves({"X": RUN}, None, {"q": QRELS["q"]}, measures, 4)
    ideal = curves.groupby("measure", sort=False)["ideal"].agg(list)
    assert ideal["CG"] == ideal["CG(unjudged='-2')"] == [3, 5, 5, 5]
    assert ideal["CG(unjudged=2.5)"] == [3, 5.5, 8, 10.5]
    dcg = np.cumsum(np.array([3, 2.5, 2.5, 2.5]) / np.log2([2, 3, 4, 5]))
    assert ideal["DCG(unjudged=2.5)"] == pytest.approx(dcg)


@pytest.mark.parametrize("ties", core.TIES)
def test_a_judged_document_has_its_gain_beside_unjudged_ones(ties: str) -> None:
    """The first two documents gain 1e-300 and 3.1, as the qrels say; the third 0.7."""
    qrels, run = {"q": {"a": 1e-300, "b": 3.1}}, {"q": {"a": 9.0, "b": 8.0, "x": 7.0}}
    measure = CG(unjudged=0.7, ties=ties)
    curve = gain_curves([run], None, qrels, measure, depth=3)
    assert curve["value"].tolist() == [1e-300, 3.1, 3.1 + 0.7]
    assert curve["ideal"].tolist() == [3.1, 3.1 + 0.7, 3.1 + 0.7 + 0.7]


def test_curves_of_shares_and_their_ideals() -> None:
    """G' and I' of TOIS 2002: CG' and CG_I' divided by k times 3, and by the 19 of the base."""
    run, qrels = paper()
    curves = gain_curves({"X": run}, None, qrels, [gP(gains="0-1-2-3"), gR], 10)
    cg = np.array([3, 5, 8, 8, 8, 9, 11, 13, 16, 16])
    ideal = np.array([3, 6, 9, 11, 13, 15, 16, 17, 18, 19])
    k = np.arange(1, 11)
    for name, divisor in (("gP(gains='0-1-2-3')", 3 * k), ("gR", 19)):
        curve = curves[curves["measure"] == name]
        assert curve["value"].tolist() == pytest.approx(list(cg / divisor))
        assert curve["ideal"].tolist() == pytest.approx(list(ideal / divisor))


def test_withheld_documents_are_told() -> None:
    qrels = {"1": {"a": 1, "b": -100}}
    with pytest.warns(UserWarning, match=r"^1 of the judgments have the label -100"):
        provider.calc_aggregate([CG @ 1], qrels, {"1": {"a": 1.0}})
