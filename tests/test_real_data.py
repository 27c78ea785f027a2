"""Official figures and independent programs on real data (`tests/conftest.py` says where it is)."""

from collections import Counter
from pathlib import Path

import ir_datasets
import ir_measures
import pandas as pd
import pytest
import pytrec_eval

from pt_cumgain import CG, DCG, nCG, nDCG
from pt_cumgain.hosts.ir_measures import provider
from tests.support import reference, trec
from tests.support.strategies import as_reference_takes_them

QRELS = {  # ir_datasets id: the lowest and highest label
    "antique/test": (1, 4),
    "clueweb12/trec-web-2014": (-2, 4),
    "msmarco-passage/trec-dl-2019/judged": (0, 3),
    "cord19/trec-covid": (-1, 2),
}


@pytest.fixture
def covid_runs(data: Path) -> list[Path]:
    """The runs of TREC-COVID, round 1, whose qrels are in ir_datasets."""
    return sorted((data / "trec-covid-round1" / "runs").glob("*.gz"))


def covid_qrels() -> dict[str, dict[str, int]]:
    qrels = ir_datasets.load("cord19/trec-covid/round1").qrels_iter()
    return ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()


@pytest.mark.filterwarnings("ignore:in 30 of 30 topics the column rank orders")  # SFDC's ranks
def test_ndcg_10_equals_the_official_figures_of_trec_covid(data: Path, covid_runs) -> None:
    """Expected: NIST's leaderboard of round 1, four decimals, qrels read by ir_datasets."""
    official = pd.read_csv(data / "trec-covid-round1" / "leaderboard.csv", index_col=0)
    (column,) = [name for name in official if "ndcg" in name.lower()]
    qrels = list(ir_datasets.load("cord19/trec-covid/round1").qrels_iter())
    evaluator = provider.evaluator([nDCG @ 10], qrels)
    assert len(covid_runs) == 12
    for path in covid_runs:
        value = evaluator.calc_aggregate(trec.read_run(path))[nDCG @ 10]
        assert value == pytest.approx(official.loc[path.stem, column], abs=1e-4), path.stem


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:in 30 of 30 topics the column rank orders")  # SFDC's ranks
def test_every_topic_equals_pytrec_eval_on_trec_covid(covid_runs) -> None:
    """Expected: pytrec_eval, which compares scores as float32; runs are cut to that."""
    qrels = covid_qrels()
    names = {"ndcg", "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_100", "ndcg_cut_1000"}
    measures = {nDCG: "ndcg", **{nDCG @ k: f"ndcg_cut_{k}" for k in (5, 10, 100, 1000)}}
    for path in covid_runs:
        run = trec.read_run(path)
        run["score"] = run["score"].astype("float32")
        as_dict = ir_measures.util.RunConverter(run).as_dict_of_dict()
        expected = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(as_dict)
        for value in provider.iter_calc(measures, qrels, run):
            wanted = expected.get(value.query_id, {}).get(measures[value.measure], 0.0)
            assert value.value == pytest.approx(wanted, rel=1e-9, abs=1e-12), (path.stem, value)


def test_every_measure_equals_the_reference_on_trec_covid(covid_runs) -> None:
    """Expected: the slow reference, whole runs of up to 1000 documents a topic."""
    qrels, run = covid_qrels(), trec.read_run(covid_runs[0])
    measures = [
        CG @ 100,
        nCG(gains="0-1-10", at_r=True),
        DCG(discount="original", base=10) @ 1000,
        nDCG(discount="revised", base=4, avg_pos=True) @ 200,
        nDCG(gains="0-1-10", judged_only=True) @ 20,
    ]
    as_dict = ir_measures.util.RunConverter(run).as_dict_of_dict()
    for value in provider.iter_calc(measures, qrels, run):
        topic, measure = value.query_id, value.measure
        params = as_reference_takes_them(measure.__name__, measure.params)
        wanted = reference.value(qrels[topic], as_dict.get(topic, {}), **params)
        assert value.value == pytest.approx(wanted, rel=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no document of these")  # of level 4, or 3
@pytest.mark.parametrize("name", QRELS)
def test_qrels_of_ir_datasets_are_used_directly(name: str, data: Path) -> None:
    """A run that is the ideal ranking of the judged documents has nDCG 1 in every topic with a
    relevant document, and its CG is the sum of the positive labels."""
    assert data
    dataset = ir_datasets.load(name)
    records = list(dataset.qrels_iter())
    labels = Counter(record.relevance for record in records)
    assert (min(labels), max(labels)) == QRELS[name]
    ideal = [ir_measures.ScoredDoc(r.query_id, r.doc_id, float(r.relevance)) for r in records]
    extended = nDCG(gains={2: 5, 3: 20, 4: 50}, discount="original")
    values = list(provider.iter_calc([CG, extended, extended @ 10], dataset.qrels_iter(), ideal))
    total, relevant = Counter(), set()
    for record in records:
        total[record.query_id] += max(record.relevance, 0)
        relevant |= {record.query_id} if record.relevance > 0 else set()
    assert {v.query_id for v in values} == {r.query_id for r in records}
    for value in values:
        if value.measure == CG:
            assert value.value == total[value.query_id]
        else:
            assert value.value == pytest.approx(float(value.query_id in relevant))
