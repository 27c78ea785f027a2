"""`reconcile`: every declaration's value, and the numbers of other programs, which it must find.

Programs that the tests can import compute their numbers here. The others' are in
``golden/programs.tsv``, as they printed them for the golden collection and for the runs of
TREC-COVID, round 1: trec_eval 10.0-rc3 (``-q -c -m ndcg_cut.10``); gdeval 1.2a, which comes with
ir-measures and whose mean is that of its topics; LightGBM's metric ``ndcg``, with the scores of the
run as ``init_score``, labels by the qrels and 0 for unjudged documents; XGBoost's metric
``ndcg`` of the same, with the scores as ``base_margin``; ranx with
``make_comparable=True``, which orders ties by an unstable sort and is compared where they do not
matter.
"""

import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from pt_cumgain import CG, DCG, evaluate, nCG, nDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.reading import read_qrels, read_run
from pt_cumgain.papers import IPM2005, SIGIR2000, TOIS2002
from pt_cumgain.trust import _reconcile as inside
from pt_cumgain.trust import reconcile
from tests.support import trec
from tests.support.helpers import slow

GOLDEN = Path(__file__).parents[1] / "golden"
FIGURES = pd.read_csv(GOLDEN / "programs.tsv", sep="\t", dtype=str)
#: The programs of the figures, and the names under which they are known.
KNOWN = {
    "trec_eval 10.0-rc3 -c": "trec_eval 9.0.8 and 10",
    "gdeval 1.2a": "gdeval 1",
    "LightGBM 4.7.0": "LightGBM 4",
    "XGBoost 3.2.0": "XGBoost 3",
    "ranx 0.3.21 ndcg": "ranx 0.3 (ndcg)",
    "ranx 0.3.21 ndcg_burges": "ranx 0.3 (ndcg_burges)",
}
QRELS = trec.read_qrels(GOLDEN / "mini.qrels")
RUN = trec.read_run(GOLDEN / "mini.run")
QRELS_OF_HOST = ir_measures.util.QrelsConverter(QRELS).as_dict_of_dict()
RUN_OF_HOST = ir_measures.util.RunConverter(RUN).as_dict_of_dict()
SCRIPTS = inside.SCRIPTS


@pytest.fixture(autouse=True, scope="module", params=["few", *slow("all")])
def computed_once(request) -> Iterator[None]:
    """Tests that reconcile numbers of the same run and judgments share the computed variants.

    The tests marked slow try all of them. The others leave out the hundreds of usual scripts, and
    combinations that are not a program's.
    """
    made: dict[tuple, object] = {}

    def once(build: Callable) -> Callable:
        def find(first, given):
            key = build, str(first), pickle.dumps((given, inside.SCRIPTS))
            if key not in made:
                made[key] = build(first, given)
            return made[key]

        return find

    replaced = {name: once(getattr(inside, name)) for name in ("_Variants", "_RunVariants")}
    if request.param == "few":
        replaced |= {"MOST_DIFFERENCES": 1, "SCRIPTS": inside.PROGRAMS["pytrec_eval 0.5"]}
    with patch.multiple(inside, **replaced):
        yield


@pytest.fixture
def scripts(monkeypatch) -> None:
    """The variants of usual scripts are tried in any case."""
    monkeypatch.setattr(inside, "SCRIPTS", SCRIPTS)


def names(found: pd.DataFrame, rows: int = 1) -> list[str]:
    """The programs of the first answers; none if nothing matches."""
    return ", ".join(found["programs"][found["matches"]].head(rows)).split(", ")


@pytest.mark.parametrize(
    "measure", [nDCG @ 10, *slow(nDCG, DCG @ 3, CG @ 5, nDCG(gains="0-1-5-9") @ 4)]
)
def test_a_variant_that_can_be_declared_has_the_value_of_the_declaration(measure) -> None:
    variants = inside._Variants([measure], read_qrels(QRELS))
    topics = variants.engines["kept"].topics
    (target,) = inside._targets({"": {measure: dict.fromkeys(topics, 0)}}, None)
    _, values = inside._RunVariants(variants, read_run(RUN)).values(target)
    for rule in ("zero", "skip"):
        declared = [variants.declaration([i]).partition(", missing=") for i in range(len(values))]
        of = {i: d[0] for i, d in enumerate(declared) if d[0] and bool(d[1]) == (rule == "skip")}
        frame = evaluate(list(dict.fromkeys(of.values())), QRELS, RUN, missing=rule)
        expected = frame.pivot(index="qid", columns="measure", values="value").reindex(topics)
        np.testing.assert_array_equal(values[list(of)].T, expected[list(of.values())])
        assert all(variants.implausibility([i])[0] < 2 for i in of if variants.programs([i]))
    # one parameter of each kind
    for name, value in (("gains", "exp"), ("gains", "0-1-10-100"), ("ties", "best")):
        assert str(measure(**{name: value})) in map(variants.declaration, zip(range(len(values))))
    assert variants.declaration([0]) == str(measure)


def test_the_orders_of_tied_documents_by_hand() -> None:
    """Rows b, c, a with one score; a gains 3, b 1, c 2. A document z has a score of its own."""
    run = pd.DataFrame({"query_id": "q", "doc_id": [*"bcaz"], "score": [1.0, 1.0, 1.0, 0.5]})
    qrels = {"q": {"a": 3, "b": 1, "c": 2}}
    for order, first, second in (
        ("ascending", 3, 4),
        ("file", 1, 3),
        ("reversed", 3, 5),
        ("doc_id", 2, 3),
        ("average", 2, 4),
    ):
        found = reconcile({CG @ 1: str(first), CG @ 2: str(second)}, qrels, run, tolerance=0)
        words = inside.AXES["ties"][order] if order != "doc_id" else ""
        assert words in " or ".join(found["differs"]).split(" / or: ")
    number = {nDCG(ties="worst") @ 4: 1 / np.log2(3)}  # z, b, c, a, of which only b counts
    found = reconcile(number, qrels, run.assign(score=1.0))
    assert inside.AXES["ideal"]["one"] in " or ".join(found["differs"]).split(" / or: ")


def test_the_other_choices_by_hand() -> None:
    """Topic 1 has the gains 3 and 0 (x) at its ranks, 2 and 4 are missed, 3 has no relevant one."""
    qrels = {"1": {"a": 3, "b": 3}, "2": {"d": 1}, "3": {"e": 0}, "4": {"f": 1}}
    run = {"1": {"x": 0.2, "a": 0.1}, "3": {"e": 1.0}}
    value = 1 / np.log2(3) / (1 + 1 / np.log2(3))
    for number, words in (
        (value / 4, ""),
        (1 / np.log2(3) / 4, "ideal from the judged documents retrieved"),
        (1 / (1 + 1 / np.log2(3)) / 4, "unjudged documents dropped"),
        ((value + 1) / 4, "topics without relevant documents count 1"),
        (value / 2, "topics missing from the run left out"),
        (value / 3, "topics without relevant documents left out"),
        (value * (1 + np.log2(3) / 2) / 4, inside.AXES["unreturned"]["appended"]),
    ):
        found = reconcile({"nDCG@3": number}, qrels, run)
        assert found["matches"].all()
        assert words in " or ".join(found["differs"]).split(" / or: ")
    found = reconcile({"nDCG@3": (1 / np.log2(3) + 2) / 3}, qrels, run | {"4": {"y": 0.1}})
    assert {"LightGBM 4", "XGBoost 3"} <= {*names(found)}
    (row,) = reconcile({"DCG@2": 3 / np.log2(3) / 4}, qrels, run).itertuples()
    assert (row.differs, row.declaration) == ("", "DCG@2")


def of_pytrec_eval() -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS_OF_HOST, {"ndcg_cut_10"})
    return {topic: row["ndcg_cut_10"] for topic, row in evaluator.evaluate(RUN_OF_HOST).items()}


def of_ir_measures(measure=nDCG @ 10) -> dict[str, float]:
    """What its provider pytrec_eval returns."""
    host = ir_measures.providers.registry["pytrec_eval"]
    return {v.query_id: v.value for v in host.iter_calc([measure], QRELS_OF_HOST, RUN_OF_HOST)}


def of_scikit_learn(run: pd.DataFrame = RUN, **options) -> dict[str, float]:
    """`ndcg_score` of the documents of each list, an unjudged one labelled 0."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    values = {}
    for topic, rows in run[run["query_id"].isin(QRELS_OF_HOST)].groupby("query_id"):
        labels = [max(QRELS_OF_HOST[topic].get(doc, 0), 0) for doc in rows["doc_id"]]
        values[topic] = float(ndcg_score([labels], [rows["score"]], k=10, **options))
    return values


@pytest.mark.parametrize(
    ("program", "compute"),
    [
        ("pytrec_eval 0.5", of_pytrec_eval),
        ("ir-measures 0.4", of_ir_measures),
        ("scikit-learn 1 (ndcg_score)", of_scikit_learn),
    ],
)
def test_programs_that_are_installed_are_found(program, compute) -> None:
    by_topic = compute()
    found = reconcile({"nDCG@10": by_topic}, QRELS, RUN)
    assert found["matches"].tolist() == [True]  # others are equal on these data, and in its row
    assert program in names(found)
    mean = float(np.mean(list(by_topic.values())))
    assert program in names(reconcile({"nDCG@10": mean}, QRELS, RUN), rows=3)
    assert program in names(reconcile({"nDCG@10": f"{mean:.4f}"}, QRELS, RUN), rows=5)


def test_scikit_learn_without_regard_to_ties_is_found_where_there_are_none() -> None:
    """``ignore_ties=True``, with scores that are all different and are so as float32 too."""
    scores = np.random.default_rng(0).permutation(len(RUN)).astype(float)
    run = RUN.assign(score=scores)
    found = reconcile({"nDCG@10": of_scikit_learn(run, ignore_ties=True)}, QRELS, run)
    assert "scikit-learn 1 (ignore_ties=True)" in names(found)
    assert "ideal from the judged documents retrieved" in found["differs"][0]


def test_documents_that_have_the_id_of_their_topic_are_found_to_be_dropped() -> None:
    """What BEIR's ``evaluate`` does before it calls pytrec_eval."""
    run = pd.concat([RUN, pd.DataFrame({"query_id": ["101"], "doc_id": "101", "score": 9.0})])
    numbers = of_pytrec_eval()  # of the run without the document
    found = reconcile({"nDCG@10": numbers}, QRELS, run)
    assert "BEIR" in names(found)
    assert "documents dropped whose id is the topic's" in found["differs"][0]
    assert names(reconcile({"nDCG@10": numbers}, QRELS, RUN)) != ["BEIR"]


@pytest.mark.parametrize("program", [name for name in KNOWN if "ranx" not in name])
def test_the_golden_figures_of_programs_are_found(program: str) -> None:
    figures = FIGURES[(FIGURES["program"] == program) & (FIGURES["collection"] == "mini")]
    by_topic = dict(zip(figures["topic"], figures["value"], strict=True))
    mean = by_topic.pop("mean")
    found = reconcile({"nDCG@10": by_topic}, QRELS, RUN)
    assert found["matches"].tolist() == [True]
    assert KNOWN[program] in names(found)
    assert KNOWN[program] in names(reconcile({"nDCG@10": mean}, QRELS, RUN), rows=2)


def means_of(program: str, runs: dict) -> dict[str, str]:
    """A program's means of runs of TREC-COVID."""
    figures = FIGURES[(FIGURES["program"] == program) & (FIGURES["collection"] == "trec-covid")]
    means = dict(zip(figures["run"], figures["value"], strict=True))
    assert len(means) == 12
    return {name: means[name] for name in runs}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:in 30 of 30 topics the column rank orders")  # SFDC's ranks
@pytest.mark.parametrize(
    ("programs", "digits"),
    [
        (["trec_eval 10.0-rc3 -c", "ranx 0.3.21 ndcg"], 3),
        (["LightGBM 4.7.0", "XGBoost 3.2.0"], 3),
        (["ranx 0.3.21 ndcg_burges"], 3),
        (["gdeval 1.2a"], 3),
        (["gdeval 1.2a"], 4),
    ],
)
def test_rounded_means_of_real_runs_identify_the_programs(programs, digits, covid) -> None:
    """gdeval's means of rounded topics, printed with 4 digits, are rounded three times at 3."""
    qrels, every = covid
    names_of_runs = FIGURES[FIGURES["collection"] == "trec-covid"]["run"].unique()[2:4]
    runs = {name: every[name] for name in names_of_runs}
    values, *others = (
        {name: {"nDCG@10": f"{float(mean):.{digits}f}"} for name, mean in means.items()}
        for means in (means_of(program, runs) for program in programs)
    )
    assert all(other == values for other in others)
    thrice = programs == ["gdeval 1.2a"] and digits == 3
    found = reconcile(values, qrels, runs, tolerance=0.555e-3 if thrice else None)
    assert found["matches"].all()
    assert {KNOWN[program] for program in programs} <= {*names(found, rows=2)}


LABELS = {
    topic: {doc: max(label, 0) for doc, label in labels.items()}
    for topic, labels in QRELS_OF_HOST.items()
}
K = 7


def dcg(gains: list) -> float:
    return sum(gain / np.log2(i + 2) for i, gain in enumerate(gains))


def share(value: float, ideal: float) -> float:
    return value / ideal if ideal else 0.0


def ranked(topic: str) -> list[str]:
    """As scripts sort: by score, the documents of equal scores in the order of the file."""
    scores = RUN_OF_HOST.get(topic, {})
    return sorted(scores, key=scores.get, reverse=True)


def of_list(topic: str) -> list[int]:
    return [LABELS[topic].get(doc, 0) for doc in ranked(topic)]


def descending(topic: str) -> list[int]:
    return sorted(LABELS[topic].values(), reverse=True)


def exponential(labels: list[int]) -> list[int]:
    return [2**label - 1 for label in labels]


def ideal_of_all_documents(topic: str) -> float:
    return share(dcg(of_list(topic)[:K]), dcg(descending(topic)))


def first_hit(topic: str) -> float:
    """As with one relevant item for each user."""
    hits = [rank for rank, label in enumerate(of_list(topic)[:K]) if label > 0]
    return 1 / np.log2(hits[0] + 2) if hits else 0


def first_k_sorted(topic: str) -> float:
    gains = exponential(of_list(topic)[:K])
    return share(dcg(gains), dcg(sorted(gains, reverse=True)))


def elasticsearch(topic: str) -> float:
    """Its `dcg` with `normalize`, of lists of three: the ideal has as many documents, or K."""
    gains = exponential(of_list(topic)[:3])
    return share(dcg(gains), dcg(exponential(descending(topic))[: len(gains)]))


def scikit_learn_with_zeros(topic: str) -> float:
    """All judged documents are scored, those that are not in lists of three with 0."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    labels = LABELS[topic]
    scores = dict.fromkeys([*ranked(topic)[:3], *labels], 0.0)
    scores |= {doc: RUN_OF_HOST[topic][doc] for doc in ranked(topic)[:3]}
    truth = [[labels.get(doc, 0) for doc in scores]]
    return ndcg_score(truth, [list(scores.values())], k=K)


def ideal_of_levels(topic: str) -> float:
    """Exponential gains, divided by an ideal of the levels: larger than 1 where it is good."""
    return share(dcg(exponential(of_list(topic)[:K])), dcg(descending(topic)[:K]))


def long_mem_eval(topic: str) -> float:
    """The first two ranks are not discounted."""
    lists = ([int(label > 0) for label in [*of(topic), 0]] for of in (of_list, descending))
    return share(*(x[0] + sum(hit / np.log2(i) for i, hit in enumerate(x[1:K], 2)) for x in lists))


def ngcf_and_kgat(topic: str) -> float:
    hits = [int(label > 0) for label in of_list(topic)[:K]]
    return share(dcg(hits), dcg(sorted(hits, reverse=True)))


@pytest.mark.parametrize("name", ["LongMemEval (ndcg_any)", "NGCF and KGAT (ndcg_at_k)"])
def test_formulas_of_binary_labels_are_found(name: str) -> None:
    """Written anew from the programs' sources."""
    formula = {"L": long_mem_eval, "N": ngcf_and_kgat}[name[0]]
    found = reconcile({f"nDCG@{K}": {topic: formula(topic) for topic in LABELS}}, LABELS, RUN)
    assert name in names(found)


#: The topics that the run has; some scripts take the mean over them, others over all judged ones.
RETRIEVED = sorted(RUN_OF_HOST.keys() & LABELS.keys())


@pytest.mark.slow
@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize(
    ("script", "words"),
    [
        (ideal_of_all_documents, ["ideal from the whole recall base, not cut at k"]),
        (first_hit, ["only the first relevant document counts"]),
        (first_k_sorted, ["ideal from the first k"]),
        (ideal_of_levels, ["gain = 2^level - 1", "ideal with gain = level"]),
        (elasticsearch, ["gain = 2^level - 1", "ideal of as many documents as were returned"]),
        (scikit_learn_with_zeros, ["not returned appended with score 0", "ties averaged"]),
    ],
)
def test_scripts_as_people_write_them_are_found(script, words) -> None:
    first = RUN.sort_values("score", ascending=False, kind="stable").groupby("query_id").head(3)
    run = first if script in (elasticsearch, scikit_learn_with_zeros) else RUN
    topics = RETRIEVED if script is scikit_learn_with_zeros else LABELS
    mean = np.mean([script(topic) for topic in topics])
    found = reconcile({f"nDCG@{K}": mean}, LABELS, run, tolerance=1e-9)
    assert found["matches"].all()
    assert all(each in found["differs"][0] for each in words)


@pytest.mark.slow
@pytest.mark.usefixtures("scripts")
def test_means_that_are_divided_are_found() -> None:
    value, ideal = ([dcg(of(topic)[:K]) for topic in RETRIEVED] for of in (of_list, descending))
    ratio = np.mean(value) / np.mean(ideal)
    found = reconcile({f"nDCG@{K}": ratio}, LABELS, RUN, tolerance=1e-9)
    assert found["matches"].all()
    assert "ratio of the mean DCG to the mean ideal DCG" in found["differs"][0]


@pytest.mark.slow
@pytest.mark.usefixtures("scripts")
@pytest.mark.filterwarnings("ignore:.*the column rank orders documents")
def test_a_declaration_has_the_differences_of_its_row(tmp_path) -> None:
    """Another that has the same value by chance, such as without x and any discount, is not it."""
    (tmp_path / "run").write_text("1 Q0 a 0 0.1 r\n1 Q0 b 1 0.2 r\n1 Q0 X 1 0.9 r\n")
    found = reconcile({"nDCG@2": "1.0000"}, {"1": {"a": 3, "b": 1}}, str(tmp_path / "run"))
    row = found.iloc[0]
    assert (row["differs"], row["declaration"]) == ("documents ranked by the column rank", "")
    without_x = nDCG(discount="original", judged_only=True) @ 2
    assert without_x.calc_aggregate({"1": {"a": 3, "b": 1}}, {"1": {"a": 0.1, "b": 0.2}}) == 1
    run = pd.DataFrame({"qid": "1", "docno": [*"xba"], "rank": [1, 2, 3], "score": [0.9, 0.2, 0.1]})
    found = reconcile({"nDCG@2": "1.0000"}, {"1": {"a": 3, "b": 1}}, run)
    assert found["declaration"][0] == str(without_x)


@pytest.mark.slow
def test_published_weightings_are_tried_where_they_name_all_labels() -> None:
    papers = {text for paper in (IPM2005, TOIS2002, SIGIR2000) for text in paper.values()}
    assert papers <= inside.AXES["gains"].keys() | {"0-1-2-3", "0-1-1-1"}  # the level, and binary
    for top, fits in ((3, True), (4, False)):
        qrels = pd.DataFrame({"query_id": "1", "doc_id": [*"abcd"], "relevance": [1, 2, 3, top]})
        every = inside._Variants([nDCG @ 10], read_qrels(qrels)).every
        gains = {variant["gains"] for variant in every}
        assert ("0-1-10-100" in gains) == fits
        assert {"level", "exp", "binary", "binary from 2"} <= gains
    from_2 = inside._fit_weightings(np.array([1.0, 2, 3]))["binary from 2"]
    assert from_2 == {"gains": {1: 0, 2: 1, 3: 1}}


def test_a_number_that_was_rounded_twice_is_found() -> None:
    """nDCG@2 of a document of level 3 before one of level 8 is 0.81347: trec_eval prints 0.8135, of
    which a paper makes 0.814. What a program returns with all digits would be 0.813."""
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3, "b": 8}}
    found = reconcile({"nDCG@2": "0.814"}, qrels, run)
    assert names(found) == ["trec_eval to 9.0.7", "trec_eval 9.0.8 and 10"]
    assert found["matches"].tolist() == [True]
    found = reconcile({"nDCG@2": "0.813"}, qrels, run)
    assert {"trec_eval to 9.0.7", "pytrec_eval 0.5", "ir-measures 0.4"} <= {*names(found)}
    # the tolerance is the caller's; with trec_eval's digits; of levels 3 and 20, which is 0.71341
    for b, number, limit in ((8, "0.814", 5e-4), (8, "0.8134", None), (20, "0.714", None)):
        qrels["1"]["b"] = b
        with pytest.warns(UserWarning, match=r"^None of the known"):
            assert not reconcile({"nDCG@2": number}, qrels, run, tolerance=limit)["matches"].any()


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure",
    [
        ir_measures.nDCG(gains={1: 1, 2: 3, 3: 10}, judged_only=True) @ 5,
        ir_measures.nDCG(judged_only=True) @ 10,
        ir_measures.nDCG(gains={1: 1, 2: 3, 3: 10}) @ 10,
    ],
)
def test_ir_measures_is_named_for_its_own_forms(measure) -> None:
    (row,) = reconcile({str(measure): of_ir_measures(measure)}, QRELS, RUN).itertuples()
    assert row.matches
    assert "ir-measures 0.4" in row.programs.split(", ")
    assert "trec_eval 9.0.8 and 10" not in row.programs


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_torchmetrics_is_found_by_the_example_of_its_documentation() -> None:
    """``retrieval_normalized_dcg`` of these scores and levels is 0.6957."""
    run = {"1": dict(zip("abcde", [0.1, 0.2, 0.3, 4.0, 70.0], strict=True))}
    qrels = {"1": dict(zip("abcde", [10, 0, 0, 1, 5], strict=True))}
    found = reconcile({"nDCG": "0.6957"}, qrels, run)
    assert "torchmetrics 1" in names(found)


@pytest.mark.slow
def test_labels_cut_to_whole_numbers_are_found() -> None:
    """trec_eval 10.0-rc3 prints 0.5209 (``-m ndcg_cut.10``) for these labels and this run."""
    qrels = {"1": {"a": 1.7, "b": 0.4, "c": 2.6, "d": 1.2}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = reconcile({"nDCG(gains='level')@10": "0.5209"}, qrels, run)
    assert "trec_eval 9.0.8 and 10" in names(found)
    found = reconcile({"nDCG@10": "0.5209"}, qrels, run)
    assert found["differs"].tolist() == ["labels cut to whole numbers"]
    assert {"trec_eval 9.0.8 and 10", "ranx 0.3 (ndcg)"} <= {*names(found)}
    assert found["declaration"].tolist() == [""]
    as_they_are = (nDCG(gains="level") @ 10).calc_aggregate(qrels, run)
    found = reconcile({"nDCG@10": f"{as_they_are:.6f}"}, qrels, run)
    assert found["declaration"][0] == "nDCG@10"
    assert not {"trec_eval 9.0.8 and 10", "ranx 0.3 (ndcg)"} & {*names(found)}


@pytest.mark.filterwarnings("ignore:None of the known:UserWarning")
def test_digits_count_as_written() -> None:
    """The value is 1.45447...: 1.454 is it rounded, 1.4540 is not, 1.4539 within 0.001."""
    for number, tolerance, matches in (
        ("1.454", None, True),
        (1.454, None, True),
        ("1.4540", None, False),
        ("1.4539", 0.001, True),
        (np.float64(1.45), None, True),
        (np.float32(1.454), None, True),
        (np.float32(1.4539), None, False),
    ):
        found = reconcile({"DCG@10": number}, QRELS, RUN, tolerance=tolerance)
        assert ("DCG@10" in found["declaration"][found["matches"]].tolist()) == matches


@pytest.mark.filterwarnings("error:.*variants:UserWarning")
def test_several_matches_are_counted() -> None:
    found, verdict = inside.find_variants({"nDCG@10": "0.15"}, QRELS, RUN)
    matching, tried = map(int, verdict.replace(",", "").split()[:3:2])
    assert matching == len(found) > 1
    assert matching < tried
    differences = found["differs"].str.split(" / or: ").str[0].str.count(";")
    assert differences[found["programs"] == ""].is_monotonic_increasing


@pytest.mark.filterwarnings("ignore:.*None of the known variants:UserWarning")
def test_without_a_match_the_nearest_are_returned() -> None:
    """Those within 0.05 of it; the measure as declared has 0.1519."""
    for number, rows in (("0.151555", inside.NEAREST), ("1.18765", 0)):
        with pytest.warns(UserWarning, match=r"^None of the known variants of nDCG@10 reproduces"):
            found = reconcile({"nDCG@10": number}, QRELS, RUN)
        assert len(found) == rows
        assert not found["matches"].any()
        assert found["distance"].is_monotonic_increasing
        assert found["distance"].max() <= inside.NEAR or not rows
    with pytest.warns(UserWarning, match=r"^None of the known variants of DCG@10 reproduces"):
        reconcile({"DCG@10": "40.84"}, QRELS, RUN)  # which is no percentage


#: Eight topics of twenty documents, fifteen of them in a run, drawn at random.
DRAWS = np.random.default_rng(0)
MANY = {str(t): {f"d{i}": int(DRAWS.integers(0, 4)) for i in range(20)} for t in range(8)}
LISTS = {t: {doc: float(DRAWS.random()) for doc in [*docs][:15]} for t, docs in MANY.items()}
LISTS["7"] = {"x": 1.0, min(MANY["7"], key=lambda doc: abs(MANY["7"][doc] - 1)): 0.5}  # 1 at rank 2


@pytest.mark.parametrize("sums", ["DCG(gains='exp',discount='rank')", "CG", *slow("DCG")])
@pytest.mark.filterwarnings("ignore:the run has no documents for 1 of 8 topics")
def test_values_that_are_one_multiple_of_sums_are_found(sums: str) -> None:
    """Divided by the DCG of ten documents of the top level, for all topics; natural logarithms."""
    top, none = dcg([7 if "exp" in sums else 3] * 10), "reproduces the numbers \\("
    share_of, sum_of = (nDCG, DCG) if "DCG" in sums else (nCG, CG)
    for measure, factor, digits in ((share_of @ 10, 1 / top, 4), (sum_of @ 10, np.log(2), 2)):
        values = evaluate(f"{sums}@10", MANY, LISTS).set_index("qid")["value"] * factor
        words = re.escape(f"they are {sums}@10 times {factor:.3g} for every topic.")
        for few, topics, told in ((5, 8, words), (4, 8, none), (5, 7, none)):
            run = {q: LISTS[q] for q in [*MANY][:topics]}  # a topic without a list has the sum 0
            with pytest.warns(UserWarning, match=f"^None of the known variants .*{told}"):
                reconcile({measure: values.round(digits)[-few:].to_dict()}, MANY, run)


@pytest.mark.parametrize("sets", [20, *slow(1000)])
def test_random_values_are_no_multiple(sets: int) -> None:
    """Not one find in 1,000 random sets of five values or more, of two digits or more."""
    runs = inside._RunVariants(inside._Variants([nDCG @ 10], read_qrels(MANY)), read_run(LISTS))
    draws = np.random.default_rng(1)
    for _ in range(sets):
        topics, digits = draws.permutation(8)[: draws.integers(5, 9)], draws.integers(2, 5)
        numbers = {str(t): f"{draws.random():.{digits}f}" for t in topics}
        (target,) = inside._targets({"": {nDCG @ 10: numbers}}, None)
        assert runs.find_multiple(target) == ""


def test_catboosts_position_is_a_discount_by_rank() -> None:
    """By hand: the second of two documents of level 1 unjudged, the third judged: 1 + 1/3."""
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    found = reconcile({"DCG@3": "1.33333"}, {"1": {"a": 1, "b": 1}}, run)
    assert found["declaration"][0] == "DCG(discount='rank')@3"


@pytest.mark.slow
def test_the_choices_vary_around_the_declaration() -> None:
    measure = nDCG(gains="exp", ties="average") @ 10
    (value,) = provider.calc_aggregate([measure], QRELS, RUN).values()
    found = reconcile({measure: value}, QRELS, RUN)
    assert found["differs"].tolist() == [""]
    found = reconcile({nDCG(dcg="exp-log2") @ 10: value}, QRELS, RUN)
    assert found["differs"].tolist() == ["ties averaged"]
    assert found["declaration"].tolist() == [str(measure)]
    # programs have no such parameter
    (value,) = provider.calc_aggregate([nDCG(avg_pos=True) @ 10], QRELS, RUN).values()
    assert reconcile({"nDCG(avg_pos=True)@10": value}, QRELS, RUN)["programs"].tolist() == [""]
    assert "ideal" not in inside._Variants([DCG @ 3], read_qrels(QRELS)).every[0]  # which has none


@pytest.mark.slow
def test_a_variant_without_values_is_none() -> None:
    """Averages over ties have no first k documents, and no first relevant one."""
    qrels = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1}, "3": {"z": 0}}
    run = {"1": {"b": 2.0, "x": 1.5, "a": 1.0}, "2": {"d": 1.0, "e": 0.5}}
    variants = inside._Variants([nDCG @ 10], read_qrels(qrels))
    (target,) = inside._targets({"": {nDCG @ 10: 1}}, None)
    means, _ = inside._RunVariants(variants, read_run(run)).values(target)
    none = [v["ties"] == "average" and v["ideal"] in ("first k", "one") for v in variants.every]
    assert np.isnan(means).tolist() == none


def test_every_program_has_choices_that_there_are_and_a_source() -> None:
    for name, program in inside.PROGRAMS.items():
        for axis, words in inside.AXES.items():
            refused = {"refused"} if axis == "labels" else set()  # then no value is the program's
            assert set(program[axis]) <= words.keys() | {"declared"} | refused, (name, axis)
        assert program["source"][0].startswith("https://")
        assert program.keys() <= {*inside.AXES, "measures", "digits", "note", "source"}
        digits, *of_topics = program["digits"]
        assert int(digits) > 0
        assert of_topics in ([], ["topics"])


@pytest.mark.parametrize(
    ("label", "kind"),
    [(2, "int64[pyarrow]"), (2, "Int64"), (1.5, "category"), (1.5, "float[pyarrow]"), (1.5, "str")],
)
def test_labels_are_read_as_evaluate_reads_them(label: float, kind: str) -> None:
    """Expected: the value of `evaluate`, which is that of the labels as floats."""
    rows = pd.DataFrame({"qid": list("112"), "docno": list("abc")})
    qrels, run = rows.assign(label=[1, label, 1]), rows.assign(score=[2.0, 1.0, 1.0])
    typed = qrels.assign(label=qrels["label"].astype(kind))
    value = evaluate("DCG@2", typed, run)["value"].mean()
    assert value == evaluate("DCG@2", qrels, run)["value"].mean()
    found = reconcile({"DCG@2": value}, typed, run)
    pd.testing.assert_frame_equal(found, reconcile({"DCG@2": value}, qrels, run))
    assert found["matches"].all()
    assert "DCG@2" in found["declaration"].tolist()
