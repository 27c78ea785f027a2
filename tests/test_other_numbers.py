"""The manual's two tables of what to write: for another program's number, and for a track.

Expected: what programs compute here (pytrec_eval, ir-measures, scikit-learn), or what they printed
once for the golden collection (``golden/programs.tsv``, ``golden/expected.tsv``) and for the lists
below: ranx 0.3.21, XGBoost 3.2.0 (the scores as ``base_margin``) and LightGBM 4.7.0 (the scores as
``init_score``). These lists hold all judged documents, without ties.
"""

import csv
import re
from collections.abc import Callable

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from pt_cumgain import evaluate
from tests.support.pages import MANUAL
from tests.trust import test_reconcile
from tests.trust.test_reconcile import GOLDEN, of_ir_measures, of_pytrec_eval

OF_HOST = {"qrels": test_reconcile.QRELS_OF_HOST, "run": test_reconcile.RUN_OF_HOST}
LISTS = {"1": [0, 3, 1, 0, 2, 0, 1], "2": [1, 0, 0, 2], "3": [2, 2, 3, 0, 0, 1]}
QRELS = {q: {f"d{i}": label for i, label in enumerate(labels)} for q, labels in LISTS.items()}
RUN = {q: {f"d{i}": -float(i) for i in range(len(labels))} for q, labels in LISTS.items()}
LEVELS, POWERS = 0.5958536150685404, 0.535468251507682


def rows(page: str, name: str) -> list[list[str]]:
    """The rows of a table of the manual, without the head."""
    text = (MANUAL / f"{page}.rst").read_text("utf-8")
    table = re.search(rf":name: {name}\n(?:   :.*\n)*\n((?:   .*\n)+)", text)[1]
    return list(csv.reader(line.strip() for line in table.splitlines()))[1:]


def mean_of(program: Callable[[], dict[str, float]]) -> float:
    """The mean of what a program computes for the topics of the golden collection."""
    return float(np.mean([*program().values()]))


def of_scikit_learn(**options: bool) -> float:
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    pairs = [([list(QRELS[q].values())], [list(RUN[q].values())]) for q in LISTS]
    return float(np.mean([ndcg_score(*pair, k=3, **options) for pair in pairs]))


def printed(cutoff: str) -> float:
    """The mean of what trec_eval printed for the golden collection with ``-q -c``.

    The file names it with the discount of the same formula, so that it is computed here.
    """
    expected = pd.read_csv(GOLDEN / "expected.tsv", sep="\t", dtype={"topic": str})
    measure = f"nDCG(discount='shifted'){cutoff}"
    ours = (expected["program"] == "trec_eval 10.0-rc3") & (expected["measure"] == measure)
    assert ours.sum() == 5
    return float(expected[ours]["value"].mean())


def printed_of_present() -> float:
    """The same without the topic that the run misses, as without ``-c``."""
    assert OF_HOST["qrels"].keys() - OF_HOST["run"].keys() == {"104"}
    return printed("@10") * 5 / 4


#: The numbers for the golden collection, by the table's first column.
OF_COLLECTION = {
    "trec_eval ``-c -m ndcg_cut.10``": lambda: printed("@10"),
    "trec_eval ``-m ndcg_cut.10``": printed_of_present,
    "trec_eval ``-c -m ndcg``": lambda: printed(""),
    "pytrec_eval ``ndcg_cut_10``": lambda: mean_of(of_pytrec_eval),
    "ir-measures ``nDCG@10``": lambda: mean_of(of_ir_measures),
    "BEIR ``NDCG@10``": lambda: mean_of(of_pytrec_eval),
    "MTEB ``ndcg_at_10``": lambda: mean_of(of_pytrec_eval),
}
#: Those for the lists, at 3.
OF_LISTS = {
    "scikit-learn ``ndcg_score(k=10)``": of_scikit_learn,
    "scikit-learn ``ndcg_score(k=10, ignore_ties=True)``": lambda: of_scikit_learn(
        ignore_ties=True
    ),
    "ranx ``ndcg@10``": lambda: LEVELS,
    "ranx ``ndcg_burges@10``": lambda: POWERS,
    "XGBoost ``ndcg@10``": lambda: POWERS,
    "XGBoost ``ndcg@10``, ``ndcg_exp_gain=False``": lambda: LEVELS,
    "LightGBM ``ndcg@10``": lambda: POWERS,
}


def of_hits(discounts: list[float]) -> float:
    """The mean nDCG of the lists by a published formula, written anew, with labels 0 and 1."""
    hits = np.array([np.sign(labels[:3]) for labels in LISTS.values()])
    ideal = np.array([sorted(np.sign(labels))[:-4:-1] for labels in LISTS.values()])
    return float(np.mean((hits / discounts).sum(axis=1) / (ideal / discounts).sum(axis=1)))


#: Those for the lists, at 3, with labels made binary.
OF_BINARY = {
    "LongMemEval ``ndcg_any@10``": lambda: of_hits([1, 1, np.log2(3)]),
    "NGCF and KGAT ``ndcg@10``": lambda: of_hits(np.log2([2, 3, 4])),
}


@pytest.mark.parametrize("row", rows("same-number", "same-number"), ids=lambda row: row[0])
def test_what_the_table_says_gives_the_number_of_the_program(row: list[str]) -> None:
    measure, data = row[1].strip("`"), (OF_HOST["qrels"], OF_HOST["run"])
    if row[0] in OF_LISTS | OF_BINARY:
        measure, data = measure.replace("@10", "@3"), (QRELS, RUN)
    if row[0] in OF_BINARY:
        data = ({q: {d: min(r, 1) for d, r in labels.items()} for q, labels in QRELS.items()}, RUN)
    options = dict(re.findall(r'(\w+)="(\w+)"', row[2]))
    assert options or row[2] == "none"
    values = evaluate(measure, *data, **options)["value"]
    number = (OF_COLLECTION | OF_LISTS | OF_BINARY)[row[0]]
    assert values.mean() == pytest.approx(number(), rel=1e-9)


def test_every_program_of_the_tests_has_a_row() -> None:
    named = [row[0] for row in rows("same-number", "same-number")]
    assert named == [*OF_COLLECTION, *OF_LISTS, *OF_BINARY]


DATASETS = {
    "TREC Deep Learning 2019 and 2020, passages": "msmarco-passage/trec-dl-2019",
    "TREC-COVID, round 1": "cord19/trec-covid/round1",
    "TREC Web 2013 and 2014": "clueweb12/trec-web-2013",
    "TREC CAsT 2019, evaluation": "trec-cast/v1/2019",
    "ANTIQUE": "antique/test",
}


@pytest.mark.parametrize("row", rows("track-gains", "track-gains"), ids=lambda row: row[0])
def test_a_measure_takes_the_labels_of_the_track(row: list[str]) -> None:
    """Expected labels: the definitions in ir_datasets; level 1 of ANTIQUE gains nothing."""
    if row[0] == "BEIR":
        assert row[1] == "as in its qrels"
        return
    levels = ir_datasets.load(DATASETS[row[0]]).qrels_defs()
    first, last = (int(end.replace("\u2212", "-")) for end in row[1].split(" to "))
    lowest = min(levels)
    assert (first, last) == (lowest if lowest != -1 else 0, max(levels))
    qrels = {"1": {f"d{level}": level for level in levels}}
    gains = evaluate(row[2].strip("`").replace("nDCG", "CG"), qrels, {"1": {f"d{last}": 1.0}})
    expected = {"TREC Web 2013 and 2014": 15, "ANTIQUE": 3}.get(row[0], last)
    assert gains["value"].tolist() == [expected]
