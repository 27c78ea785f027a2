"""Everything `pt.Experiment` offers, with our measures alone and beside the host's."""

import re
import warnings
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
import pytrec_eval

import pt_cumgain
from pt_cumgain import CG, DCG, nDCG, pydocs
from pt_cumgain.hosts.ir_measures import provider
from tests.support.helpers import slow, warnings_of

OURS = [nDCG(gains="0-1-10-100") @ 10, CG @ 20, CG @ 5, DCG(discount="original", base=10) @ 10]
MIXED = [*OURS, nDCG @ 10, ir_measures.AP, ir_measures.P @ 5]


class Lookup(pt.Transformer):
    """Retrieves from a stored run, down to a rank."""

    def __init__(self, run: pd.DataFrame, depth: int = 100) -> None:
        self.run, self.depth = run, depth

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        return topics.merge(self.run[self.run["rank"] < self.depth], on="qid")

    def transform_outputs(self, columns: list[str]) -> list[str]:
        return [*columns, "docno", "score", "rank"]


def test_a_dataset_of_pyterrier_stands_for_its_qrels() -> None:
    data, run = pt.get_dataset("irds:pydocs"), pydocs.runs()["BM25"]
    values = pt_cumgain.evaluate("nDCG@10", data, run)
    pd.testing.assert_frame_equal(values, pt_cumgain.evaluate("nDCG@10", data.get_qrels(), run))


def runs() -> dict[str, pd.DataFrame]:
    """Three of the runs, the last of which is weak."""
    return {name: pydocs.runs()[name] for name in ("BM25", "QLD", "First word")}


@pytest.fixture(scope="module")
def systems() -> dict[str, pt.Transformer]:
    return {name: Lookup(run) for name, run in runs().items()}


def experiment(systems, topics, qrels, measures=OURS, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTerrier's advice on plans and validation
        return pt.Experiment(systems, topics, qrels, measures, **options)


def expected(name: str, measure, qrels: pd.DataFrame) -> float:
    """The mean by our provider, asked directly."""
    run = pt.model.to_ir_measures(pydocs.runs()[name])
    return provider.calc_aggregate([measure], pt.model.to_ir_measures(qrels), run)[measure]


def test_means_equal_the_provider_and_columns_are_sorted(systems, topics, qrels) -> None:
    result = experiment(systems, topics, qrels)
    assert result.columns.tolist() == [
        "name",
        *("CG@5", "CG@20"),
        "DCG(discount='original',base=10)@10",
        "nDCG(gains='0-1-10-100')@10",
    ]
    for measure in OURS:
        for name, value in zip(result["name"], result[str(measure)], strict=True):
            assert value == pytest.approx(expected(name, measure, qrels))


@pytest.mark.parametrize(
    "options", [{"perquery": True}, *slow({}, {"plan": "tree", "verbose": False})]
)
def test_topics_made_from_qrels_serve_for_runs(options: dict, topics, qrels) -> None:
    made = pt_cumgain.topics_of(qrels)
    options = {"measures": MIXED, "validate": "error", **options}
    with_texts = experiment(runs(), topics, qrels, **options)
    pd.testing.assert_frame_equal(experiment(runs(), made, qrels, **options), with_texts)


@pytest.mark.parametrize("measures", [MIXED, *slow(OURS)])
def test_perquery_and_both(measures, systems, topics, qrels) -> None:
    by_query = experiment(systems, topics, qrels, measures, perquery=True)
    assert by_query.columns.tolist() == ["name", "qid", "measure", "value"]
    assert len(by_query) == len(systems) * len(topics) * len(measures)
    means = experiment(systems, topics, qrels, measures).set_index("name")
    grouped = by_query.groupby(["name", "measure"])["value"].mean().unstack()
    for measure in map(str, measures):
        assert grouped[measure].to_dict() == pytest.approx(means[measure].to_dict())
    both = experiment(systems, topics, qrels, measures, perquery="both")
    pd.testing.assert_frame_equal(both.averages.set_index("name"), means)
    pd.testing.assert_frame_equal(both.perquery, by_query)


@pytest.mark.parametrize("measures", [MIXED, *slow(OURS)])
@pytest.mark.parametrize(
    "options",
    [{"plan": "tree", "batch_size": 7}, *slow({"batch_size": 5}, {"plan": "tree"})],
    ids=str,
)
def test_batches_and_plans_change_nothing(options: dict, measures, systems, topics, qrels) -> None:
    plain = experiment(systems, topics, qrels, measures)
    other = experiment(systems, topics, qrels, measures, verbose=False, **options)
    pd.testing.assert_frame_equal(other[plain.columns], plain)


@pytest.mark.parametrize("measures", [MIXED, *slow(OURS)])
def test_topics_without_qrels_and_qrels_without_topics(measures, systems, topics, qrels) -> None:
    few_qrels, few_topics = qrels[qrels["qid"].astype(int) > 10], topics.head(20)
    options = {"measures": measures, "filter_by_topics": False}
    plain = experiment(systems, few_topics, few_qrels, **options).set_index("name")
    by_query = experiment(systems, few_topics, few_qrels, perquery=True, **options)
    values = by_query.set_index(["name", "qid", "measure"])["value"]
    for measure in map(str, measures):
        assert np.isnan(values["BM25", "1", measure])  # a topic without qrels
        assert values["BM25", "30", measure] == 0  # a topic of the qrels that was not run
        # the mean is over the 32 topics of the qrels, 22 of which were not run
        counted = values["BM25"].unstack()[measure].dropna()
        assert len(counted) == 32
        assert plain.loc["BM25", measure] == pytest.approx(counted.sum() / 32)
    batched = experiment(systems, few_topics, few_qrels, batch_size=3, **options).set_index("name")
    pd.testing.assert_frame_equal(batched[plain.columns], plain)
    options |= {"filter_by_qrels": True, "filter_by_topics": True}
    filtered = experiment(systems, few_topics, few_qrels, **options).set_index("name")
    # only the 10 topics on both sides are left
    assert filtered.loc["BM25", "CG@5"] == pytest.approx(plain.loc["BM25", "CG@5"] * 32 / 10)


def missed(systems, topics, qrels, measures=(CG @ 5,), **options) -> list[tuple[int, int]]:
    """Of how many topics runs have no documents, and of how many in all, as the warnings say."""
    said = warnings_of(
        lambda: pt.Experiment(systems, topics, qrels, list(measures), verbose=False, **options)
    )
    told = [re.search(r"the run has no documents for (\d+) of the (\d+)", text) for text in said]
    return [(int(one[1]), int(one[2])) for one in told if one]


@pytest.mark.parametrize("measures", [[CG @ 5], *slow((MIXED,))])
@pytest.mark.parametrize("plan", ["linear", *slow("tree")])
def test_each_run_that_misses_topics_is_told_of_once(plan, measures, topics, qrels) -> None:
    run = pydocs.runs()["BM25"]
    frames = [run, run[run["qid"] != "7"], run[~run["qid"].isin(["7", "30"])]]
    systems = [Lookup(frame) for frame in frames]
    for given in (systems, frames):
        assert missed(given, topics, qrels, measures, plan=plan) == [(1, 42), (2, 42)]
    few = topics[topics["qid"] != "7"]  # then the topic has no judgments either
    assert missed(systems[:2], few, qrels, measures, plan=plan) == []
    assert missed(frames, topics, qrels, [nDCG @ 10, ir_measures.AP]) == []  # the host's affair


@pytest.mark.parametrize("plan", ["linear", *slow("tree")])
def test_batches_miss_no_topics_of_others(plan: str, topics, qrels) -> None:
    """The host evaluates each batch with its topics' qrels; topic 7 is in the batch of 6 to 10."""
    run = pydocs.runs()["BM25"]
    options = {"batch_size": 5, "plan": plan}
    assert missed([Lookup(run)], topics, qrels, **options) == []
    assert missed([Lookup(run)], topics.head(12), qrels, **options) == []
    assert missed([Lookup(run[run["qid"] != "7"])], topics, qrels, **options) == [(1, 5)]
    # topics that are not asked for count 0 where they are not left out: the last 30 here
    options["filter_by_topics"] = False
    assert missed([Lookup(run)], topics.head(12), qrels, **options) == [(30, 30)]


def test_evaluate(topics, qrels) -> None:
    run = pydocs.runs()["BM25"]
    by_query = pt.Evaluate(run, qrels, metrics=OURS, perquery=True)
    assert set(by_query) == set(topics["qid"])
    assert list(by_query["1"]) == [
        str(m) for m in sorted(OURS, key=pt_cumgain.measures.natural_key)
    ]


TEXTS = ["CG@20", "nDCG(gains='0-1-10-100')@10", "nDCG@10", "P(rel=2)@5", "AP"]


def test_texts_work_where_measures_do(systems, topics, qrels) -> None:
    """Expected: the values of the measures as objects, and what is called trec_eval's name."""
    result = experiment(systems, topics, qrels, [*TEXTS, "ndcg_cut_20", "P_5"])
    objects = [ir_measures.parse_measure(text) for text in TEXTS]
    other = experiment(systems, topics, qrels, objects)
    pd.testing.assert_frame_equal(result[["name", *TEXTS]], other[["name", *TEXTS]])
    host = experiment(systems, topics, qrels, [nDCG @ 20, ir_measures.P @ 5])
    assert result["ndcg_cut_20"].tolist() == host["nDCG@20"].tolist()
    assert result["P_5"].tolist() == host["P@5"].tolist()
    run = pydocs.runs()["BM25"]
    means = other.set_index("name").loc["BM25", TEXTS].to_dict()
    assert pt.Evaluate(run, qrels, TEXTS) == pytest.approx(means)


def test_texts_as_measures_of_grids(topics, qrels) -> None:
    lookup, text = Lookup(pydocs.runs()["BM25"]), "nDCG(gains='0-1-10-100')@10"
    grid = {lookup: {"depth": [1, 3, 10]}}
    scan = pt.GridScan(lookup, grid, topics, qrels, [text, "CG@20"])
    measures = [ir_measures.parse_measure(text), CG @ 20]
    as_objects = pt.GridScan(lookup, grid, topics, qrels, measures)
    assert scan[[text, "CG@20"]].equals(as_objects[[text, "CG@20"]])
    means = experiment([Lookup(lookup.run, depth) for depth in (1, 3, 10)], topics, qrels, measures)
    assert scan["CG@20"].tolist() == means["CG@20"].tolist()
    assert scan[text].idxmax() == 2
    best = pt.GridSearch(lookup, grid, topics, qrels, metric=text, return_type="best_setting")
    assert best[0] == scan[text].max()
    assert best[1][0][1:] == ("depth", 10)
    folds = [topics.iloc[:20], topics.iloc[20:]]
    results, settings = pt.KFoldGridSearch(lookup, grid, folds, qrels, metric=text)
    assert [setting[0][1:] for setting in settings] == [("depth", 10)] * 2
    assert set(results["qid"]) == set(topics["qid"])


def test_what_the_host_reads_means_the_same() -> None:
    """Every name of pytrec_eval, alone and with arguments; P@10 alone is a text, too."""
    names = sorted({*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames})
    names += [name + rest for name in names for rest in (".5", "_10", "_5,10", "_0.5", "_x", "@10")]
    found: list[list[Any]] = []
    for parse in (ir_measures.util.parse_trec_measure, ir_measures.parse_trec_measure):
        read = []
        for name in names:
            try:
                read.append(parse(name))
            except (TypeError, ValueError):
                read.append(None)
        found.append(read)
    host, ours = found
    assert sum(read is not None for read in host) >= 50
    assert [ours[i] for i, read in enumerate(host) if read] == [read for read in host if read]
    assert [name for name, one, other in zip(names, host, ours) if one != other] == ["P@10"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ndgc@10", r"^unknown measure 'ndgc@10'; did you mean nDCG@10\?$"),
        ("ndcg_ct_10", r"^unknown measure 'ndcg_ct_10'; did you mean nDCG@10\?$"),
        ("", "^'' is not a measure"),
        ("nDCG@10 AP", "^'nDCG@10 AP' is not a measure; to use several"),
        ("gP@10", "^gP@10: gP needs its scale"),
        ("nDCG(gain='0-1')@10", r"unknown parameter 'gain'; .*; did you mean gains\?$"),
        ("CG(gains='0-x')", "gains='0-x' is not a weighting"),
        ("P(foo=2)@5", r"unsupported params found: \['foo'\]"),
        ("nDCG(avg_pos=True)", "give a cutoff"),
        ("CG(gains='0-1-2')@5", "'0-1-2' has no weight for the relevance level 3"),
    ],
)
def test_a_text_that_is_refused(text: str, words: str, topics, qrels) -> None:
    with pytest.raises(ValueError, match=words):
        experiment(pydocs.runs(), topics, qrels, [text])
