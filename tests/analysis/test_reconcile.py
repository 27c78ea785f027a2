"""`reconcile`: every declaration's value, and the numbers of other programs, which it must find.

Programs that the tests can import compute their numbers here. The others' are in
``golden/programs.tsv``, as they printed them for the golden collection and for the runs of
TREC-COVID, round 1: trec_eval 10.0-rc3 (``-q -c -m ndcg_cut.10``); gdeval 1.2a, which comes with
ir-measures and whose mean is that of its topics; LightGBM's metric ``ndcg``, with the scores of the
run as ``init_score``, labels by the qrels and 0 for unjudged documents; ranx with
``make_comparable=True``, which orders ties by an unstable sort and is compared where they do not
matter.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from pt_cumgain import CG, DCG, evaluate, nDCG, provider, reconcile
from pt_cumgain.analysis.reconcile import (
    AXES,
    BY_CHANCE,
    NEAREST,
    PROGRAMS,
    _RunVariants,
    _targets,
    _Variants,
)
from pt_cumgain.inputs.formats import trec

GOLDEN = Path(__file__).parents[1] / "golden"
FIGURES = pd.read_csv(GOLDEN / "programs.tsv", sep="\t", dtype=str)
#: The programs of the figures, and the names under which they are known.
KNOWN = {
    "trec_eval 10.0-rc3 -c": "trec_eval 9.0.8 and 10",
    "gdeval 1.2a": "gdeval 1",
    "LightGBM 4.7.0": "LightGBM 4",
    "ranx 0.3.21 ndcg": "ranx 0.3 (ndcg)",
    "ranx 0.3.21 ndcg_burges": "ranx 0.3 (ndcg_burges)",
}
QRELS = trec.read_qrels(GOLDEN / "mini.qrels")
RUN = trec.read_run(GOLDEN / "mini.run")
OF_HOST = {
    "qrels": ir_measures.util.QrelsConverter(QRELS).as_dict_of_dict(),
    "run": ir_measures.util.RunConverter(RUN).as_dict_of_dict(),
}

pytestmark = pytest.mark.filterwarnings("ignore:.*would by chance:UserWarning")


def names(found: pd.DataFrame, rows: int = 1) -> list[str]:
    """The programs of the first answers; none if nothing matches."""
    return ", ".join(found["programs"][found["matches"]].head(rows)).split(", ")


@pytest.mark.parametrize("measure", [nDCG @ 10, nDCG, DCG @ 3, CG @ 5, nDCG(gains="0-1-5-9") @ 4])
def test_a_variant_that_can_be_declared_has_the_value_of_the_declaration(measure) -> None:
    variants = _Variants([measure], QRELS)
    topics = variants.engines["kept"].topics
    (target,) = _targets({"": {measure: dict.fromkeys(topics, 0)}}, None)
    _, values = _RunVariants(variants, RUN).values(target)
    seen = 0
    for i, of_variant in enumerate(values):
        text, _, missed = variants.declaration([i]).partition(", missed=")
        if text:
            frame = evaluate(text, QRELS, RUN, missed="skip" if missed else "zero")
            expected = frame.set_index("qid")["value"].reindex(topics)
            np.testing.assert_array_equal(of_variant, expected)
            seen += 1
    gains, discounts = 2 + bool(measure.params.get("gains")), 1 if measure == CG @ 5 else 2
    assert seen == gains * discounts * 2 * 4 * 2  # judged_only, ties, missed
    assert variants.declaration([0]) == str(measure)


def test_the_orders_of_tied_documents_by_hand() -> None:
    """Rows b, c, a with one score; a gains 3, b 1, c 2. A document z has a score of its own."""
    run = pd.DataFrame({"query_id": "q", "doc_id": [*"bcaz"], "score": [1.0, 1.0, 1.0, 0.5]})
    qrels = {"q": {"a": 3, "b": 1, "c": 2}}
    first = {"ascending": 3, "file": 1, "reversed": 3, "doc_id": 2, "average": 2}
    second = {"ascending": 4, "file": 3, "reversed": 5, "doc_id": 3, "average": 4}
    for order in first:
        found = reconcile(
            run, qrels, {CG @ 1: str(first[order]), CG @ 2: str(second[order])}, tolerance=0
        )
        words = AXES["ties"][order] if order != "doc_id" else ""
        assert words in " or ".join(found["differs"]).split(" or ")


def test_the_other_choices_by_hand() -> None:
    """Topic 1 has the gains 3 and 0 (x) at its ranks, 2 and 4 are missed, 3 has no relevant one."""
    qrels = {"1": {"a": 3, "b": 3}, "2": {"d": 1}, "3": {"e": 0}, "4": {"f": 1}}
    run = {"1": {"x": 2.0, "a": 1.0}, "3": {"e": 1.0}}
    value = 1 / np.log2(3) / (1 + 1 / np.log2(3))
    for number, words in (
        (value / 4, ""),
        (1 / np.log2(3) / 4, "ideal from the judged documents retrieved"),
        (1 / (1 + 1 / np.log2(3)) / 4, "unjudged documents dropped"),
        ((value + 1) / 4, "topics without relevant documents count 1"),
        (value / 2, "topics missing from the run left out"),
        (value / 3, "topics without relevant documents left out"),
    ):
        found = reconcile(run, qrels, {"nDCG@2": number})
        assert found["matches"].all()
        assert words in " or ".join(found["differs"]).split(" or ")
    (row,) = reconcile(run, qrels, {"DCG@2": 3 / np.log2(3) / 4}).itertuples()
    assert row.differs == ""
    assert row.declaration == "DCG@2"


def of_pytrec_eval(run: dict = OF_HOST["run"]) -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator(OF_HOST["qrels"], {"ndcg_cut_10"})
    return {topic: row["ndcg_cut_10"] for topic, row in evaluator.evaluate(run).items()}


def of_ir_measures() -> dict[str, float]:
    plain = ir_measures.providers.registry["pytrec_eval"].iter_calc(
        [nDCG @ 10], OF_HOST["qrels"], OF_HOST["run"]
    )
    return {value.query_id: value.value for value in plain}


def of_scikit_learn() -> dict[str, float]:
    """`ndcg_score` of the documents of each list, an unjudged one labelled 0."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    values = {}
    for topic, docs in OF_HOST["run"].items():
        if topic in OF_HOST["qrels"]:
            labels = [max(OF_HOST["qrels"][topic].get(doc, 0), 0) for doc in docs]
            values[topic] = float(ndcg_score([labels], [list(docs.values())], k=10))
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
    found = reconcile(RUN, QRELS, {"nDCG@10": by_topic})
    assert found["matches"].tolist() == [True]  # others are equal on these data, and in its row
    assert program in names(found)
    mean = float(np.mean(list(by_topic.values())))
    assert program in names(reconcile(RUN, QRELS, {"nDCG@10": mean}), rows=3)
    assert program in names(reconcile(RUN, QRELS, {"nDCG@10": f"{mean:.4f}"}), rows=5)


def test_scikit_learn_without_regard_to_ties_is_found_where_there_are_none() -> None:
    """``ignore_ties=True``, with scores that are all different and are so as float32 too."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    run = RUN[RUN["query_id"].isin(OF_HOST["qrels"])].copy()
    run["score"] = np.random.default_rng(0).permutation(len(run)).astype(float)
    numbers = {}
    for topic, rows in run.groupby("query_id"):
        labels = [max(OF_HOST["qrels"][topic].get(doc, 0), 0) for doc in rows["doc_id"]]
        numbers[topic] = float(ndcg_score([labels], [rows["score"]], k=5, ignore_ties=True))
    found = reconcile(run, QRELS, {"nDCG@5": numbers})
    assert "scikit-learn 1 (ignore_ties=True)" in names(found)
    assert "ideal from the judged documents retrieved" in found["differs"][0]


def test_documents_that_have_the_id_of_their_topic_are_found_to_be_dropped() -> None:
    """What BEIR's ``evaluate`` does before it calls pytrec_eval."""
    run = pd.concat([RUN, pd.DataFrame({"query_id": ["101"], "doc_id": "101", "score": 9.0})])
    numbers = of_pytrec_eval()  # of the run without the document
    found = reconcile(run, QRELS, {"nDCG@10": numbers})
    assert "BEIR" in names(found)
    assert "documents dropped whose id is the topic's" in found["differs"][0]
    assert names(reconcile(RUN, QRELS, {"nDCG@10": numbers})) != ["BEIR"]


@pytest.mark.parametrize("program", [name for name in KNOWN if "ranx" not in name])
def test_the_golden_figures_of_programs_are_found(program: str) -> None:
    figures = FIGURES[(FIGURES["program"] == program) & (FIGURES["collection"] == "mini")]
    by_topic = dict(zip(figures["topic"], figures["value"], strict=True))
    mean = by_topic.pop("mean")
    found = reconcile(RUN, QRELS, {"nDCG@10": by_topic})
    assert found["matches"].tolist() == [True]
    assert found["chance"][0] < BY_CHANCE
    assert KNOWN[program] in names(found)
    assert KNOWN[program] in names(reconcile(RUN, QRELS, {"nDCG@10": mean}), rows=2)


def covid(data: Path, program: str) -> tuple[pd.DataFrame, dict, dict[str, str]]:
    """The qrels and the runs of TREC-COVID, round 1, and a program's means."""
    folder = data / "trec-covid-round1"
    figures = FIGURES[(FIGURES["program"] == program) & (FIGURES["collection"] == "trec-covid")]
    means = dict(zip(figures["run"], figures["value"], strict=True))
    assert len(means) == 12
    runs = {name: read_covid_run(folder / "runs" / f"{name}.gz") for name in means}
    return trec.read_qrels(folder / "qrels-rnd1.txt.gz"), runs, means


read_covid_run = cache(trec.read_run)
#: The means of the runs of TREC-COVID under all variants of nDCG@10, by a hash of the run.
OF_COVID: dict[int, tuple] = {}


@pytest.fixture
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests below have the same runs and qrels, so what the variants give is kept for all."""
    compute = _RunVariants.values

    def values(self: _RunVariants, target: Any) -> tuple:
        assert str(target.measure) == "nDCG@10"
        assert target.topics is None
        run = int(pd.util.hash_pandas_object(self._rows, index=False).sum())
        if run not in OF_COVID:
            OF_COVID[run] = compute(self, target)
        return OF_COVID[run]

    monkeypatch.setattr(_RunVariants, "values", values)


@pytest.mark.usefixtures("computed_once")
@pytest.mark.parametrize(
    ("program", "digits"), [*((program, 3) for program in KNOWN), ("gdeval 1.2a", 4)]
)
def test_rounded_means_of_12_real_runs_identify_the_program(program, digits, data) -> None:
    """gdeval's means of rounded topics, printed with 4 digits, are rounded three times at 3."""
    qrels, runs, means = covid(data, program)
    values = {name: {"nDCG@10": f"{float(mean):.{digits}f}"} for name, mean in means.items()}
    thrice = program.startswith("gdeval") and digits == 3
    found = reconcile(runs, qrels, values, tolerance=0.555e-3 if thrice else None)
    assert found["matches"].all()
    assert found["chance"][0] < 1e-9
    assert KNOWN[program] in names(found, rows=2)


@pytest.mark.usefixtures("computed_once")
def test_changed_means_of_12_real_runs_match_nothing(data) -> None:
    qrels, runs, means = covid(data, "gdeval 1.2a")
    wrong = {name: {"nDCG@10": f"{float(mean) + 0.01:.4f}"} for name, mean in means.items()}
    with pytest.warns(UserWarning, match=r"No variant of nDCG@10 that is known here"):
        assert not reconcile(runs, qrels, wrong)["matches"].any()


@pytest.mark.usefixtures("computed_once")
@pytest.mark.parametrize("program", KNOWN)
def test_a_number_of_a_real_run_is_found_and_a_changed_one_is_not(program, data) -> None:
    qrels, runs, means = covid(data, program)
    for name in list(runs)[:2]:
        found = reconcile(runs[name], qrels, {"nDCG@10": means[name]})
        assert KNOWN[program] in names(found, rows=3)
        with pytest.warns(UserWarning, match=r"No variant|by chance"):
            reconcile(runs[name], qrels, {"nDCG@10": f"{float(means[name]) + 0.01:.4f}"})


def of_gdeval(decimals: int, runs: list) -> list[str]:
    """The means that ir-measures has by gdeval, which prints topics with five digits."""
    gdeval = ir_measures.providers.registry["gdeval"]
    if not gdeval.is_available():
        pytest.skip("gdeval needs perl, which is not here")
    measure = ir_measures.nDCG(dcg="exp-log2") @ 10
    means = [gdeval.calc_aggregate([measure], QRELS, run)[measure] for run in runs]
    return [f"{mean:.{decimals}f}" for mean in means]


@pytest.mark.parametrize("decimals", [3, 4, 5, 6, 15])
def test_a_mean_of_rounded_values_is_found(decimals) -> None:
    """Values of topics that gdeval has rounded to five digits: the mean moves up to 5e-6."""
    draws = np.random.default_rng(3)
    runs = [RUN.assign(score=draws.permutation(len(RUN)).astype(float)) for _ in range(12)]
    for run, number in zip(runs, of_gdeval(decimals, runs)):
        found = reconcile(run, QRELS, {"nDCG(dcg='exp-log2')@10": number})
        assert "ir-measures 0.4 (dcg='exp-log2')" in names(found, rows=len(found)), number


def test_a_number_that_was_rounded_twice_is_found() -> None:
    """nDCG@2 of a document of level 3 before one of level 8 is 0.81347: trec_eval prints 0.8135, of
    which a paper makes 0.814. What a program returns with all digits would be 0.813."""
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 3, "b": 8}}
    found = reconcile(run, qrels, {"nDCG@2": "0.814"})
    assert names(found) == ["trec_eval to 9.0.7", "trec_eval 9.0.8 and 10"]
    assert found["matches"].tolist() == [True]
    found = reconcile(run, qrels, {"nDCG@2": "0.813"})
    assert {"trec_eval to 9.0.7", "pytrec_eval 0.5", "ir-measures 0.4"} <= {*names(found)}
    with pytest.warns(UserWarning, match="No variant"):  # four digits are trec_eval's own
        assert not reconcile(run, qrels, {"nDCG@2": "0.8134"})["matches"].any()
    with pytest.warns(UserWarning, match="No variant"):  # the tolerance is the caller's
        assert not reconcile(run, qrels, {"nDCG@2": "0.814"}, tolerance=5e-4)["matches"].any()


@pytest.mark.parametrize(
    "measure",
    [
        ir_measures.nDCG(judged_only=True) @ 10,
        ir_measures.nDCG(gains={1: 1, 2: 3, 3: 10}) @ 10,
        ir_measures.nDCG(gains={1: 1, 2: 3, 3: 10}, judged_only=True) @ 5,
    ],
)
def test_ir_measures_is_named_for_its_own_forms(measure) -> None:
    """Expected: what its provider pytrec_eval returns."""
    host = ir_measures.providers.registry["pytrec_eval"]
    by_topic = {v.query_id: v.value for v in host.iter_calc([measure], QRELS, RUN)}
    (row,) = reconcile(RUN, QRELS, {str(measure): by_topic}).itertuples()
    assert row.matches
    assert "ir-measures 0.4" in row.programs.split(", ")
    assert "trec_eval 9.0.8 and 10" not in row.programs


def test_torchmetrics_is_found_by_the_example_of_its_documentation() -> None:
    """``retrieval_normalized_dcg`` of these scores and levels is 0.6957."""
    run = {"1": dict(zip("abcde", [0.1, 0.2, 0.3, 4.0, 70.0], strict=True))}
    qrels = {"1": dict(zip("abcde", [10, 0, 0, 1, 5], strict=True))}
    found = reconcile(run, qrels, {"nDCG": "0.6957"})
    assert "torchmetrics 1" in names(found)


@pytest.mark.parametrize("columns", [["query_id"], ["doc_id"], ["query_id", "doc_id"]])
def test_ids_that_are_categories_are_ids(columns) -> None:
    """Expected: the frame of the same ids as strings."""
    categories = dict.fromkeys(columns, "category")
    found = reconcile(RUN.astype(categories), QRELS.astype(categories), {"nDCG@10": "0.1519"})
    pd.testing.assert_frame_equal(found, reconcile(RUN, QRELS, {"nDCG@10": "0.1519"}))


REAL_LABELS = {"1": {"a": 1.7, "b": 0.4, "c": 2.6, "d": 1.2}}


@pytest.mark.parametrize(
    "kind",
    ["int64[pyarrow]", "double[pyarrow]", "Int64", "int8", "float64", "str", "string", "category"],
)
@pytest.mark.parametrize("label", [2, 1.5])
def test_labels_are_read_as_evaluate_reads_them(kind: str, label: float) -> None:
    """Expected: the value of `evaluate`, which is that of the labels as floats."""
    qrels = pd.DataFrame({"qid": list("112"), "docno": list("abc"), "label": [1, label, 1]})
    if label % 1 and "int" in kind.lower():
        pytest.skip("it holds whole numbers only")
    run = pd.DataFrame({"qid": list("112"), "docno": list("abc"), "score": [2.0, 1.0, 1.0]})
    typed = qrels.assign(label=qrels["label"].astype(kind))
    value = evaluate("nDCG@2", typed, run)["value"].mean()
    assert value == evaluate("nDCG@2", qrels, run)["value"].mean()
    found = reconcile(run, typed, {"nDCG@2": value})
    pd.testing.assert_frame_equal(found, reconcile(run, qrels, {"nDCG@2": value}))
    assert found["matches"].all()
    assert "nDCG@2" in found["declaration"].tolist()


def test_labels_that_are_no_numbers_are_named() -> None:
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": ["high"]})
    with pytest.raises(TypeError, match="qrels relevance must be numbers, but row 0 holds 'high'"):
        reconcile({"1": {"a": 1.0}}, qrels, {"nDCG@2": "0.5"})
    with pytest.raises(ValueError, match=r"qrels: missing columns \['relevance'\]"):
        reconcile({"1": {"a": 1.0}}, qrels.drop(columns="label"), {"nDCG@2": "0.5"})


def test_labels_cut_to_whole_numbers_are_found() -> None:
    """trec_eval 10.0-rc3 prints 0.5209 (``-m ndcg_cut.10``) for these labels and this run."""
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = reconcile(run, REAL_LABELS, {"nDCG(gains='level')@10": "0.5209"})
    assert "trec_eval 9.0.8 and 10" in names(found)
    found = reconcile(run, REAL_LABELS, {"nDCG@10": "0.5209"})
    assert found["differs"].tolist() == ["labels cut to whole numbers"]
    assert {"trec_eval 9.0.8 and 10", "ranx 0.3 (ndcg)"} <= {*names(found)}
    assert found["declaration"].tolist() == [""]
    as_they_are = (nDCG(gains="level") @ 10).calc_aggregate(REAL_LABELS, run)
    found = reconcile(run, REAL_LABELS, {"nDCG@10": f"{as_they_are:.6f}"})
    assert found["declaration"][0] == "nDCG@10"
    assert not {"trec_eval 9.0.8 and 10", "ranx 0.3 (ndcg)"} & {*names(found)}


OTHER_QRELS = "the number belongs to other qrels"


def said_of(run: dict, qrels: dict, values: dict) -> str:
    """The warning that nothing gives the numbers."""
    with pytest.warns(UserWarning, match="No variant") as said:
        reconcile(run, qrels, values)
    return str(said[-1].message)


def test_a_number_that_no_judgments_give_belongs_to_other_qrels() -> None:
    """The document at rank 1 is judged not relevant: nDCG@1 is 0, whatever else is."""
    said = said_of({"1": {"a": 1.0}}, {"1": {"a": 0, "b": 1}}, {"nDCG@1": "0.5"})
    assert "from 0.0000 to 0.0000 however the missing documents are judged. So " in said
    assert OTHER_QRELS in said


def test_an_end_of_the_range_is_rounded_as_the_number_is() -> None:
    """Of three topics one has nDCG@1 1, one 0, and one has an unjudged document: at most 2/3."""
    run, qrels = (
        {q: {"a": 1.0} for q in "123"},
        {"1": {"a": 1}, "2": {"a": 0, "b": 1}, "3": {"b": 1}},
    )
    assert OTHER_QRELS not in said_of(run, qrels, {"nDCG@1": "0.6667"})
    assert OTHER_QRELS in said_of(run, qrels, {"nDCG@1": "0.6668"})


def test_documents_that_no_system_returned_may_be_relevant() -> None:
    """The list is ideal, so nDCG@2 is 1, but a relevant document elsewhere makes it 0.6131."""
    said = said_of({"1": {"a": 1.0}}, {"1": {"a": 1}}, {"nDCG@2": "0.7"})
    assert "from 0.6131 to 1.0000 however" in said
    assert OTHER_QRELS not in said


def test_without_a_cutoff_nothing_is_concluded() -> None:
    """The ideal may have any number of relevant documents, so there is no range."""
    said = said_of({"1": {"a": 1.0}}, {"1": {"a": 1}}, {"nDCG": "0.2"})
    assert said.endswith("that is known here gives the numbers.")


def test_several_cutoffs_narrow_it_down() -> None:
    values = evaluate(["nDCG@5", "nDCG@10"], QRELS, RUN).groupby("measure")["value"].mean()
    one = reconcile(RUN, QRELS, {"nDCG@10": f"{values['nDCG@10']:.2f}"})
    both = reconcile(RUN, QRELS, {name: f"{value:.2f}" for name, value in values.items()})
    assert len(both) < len(one)
    assert "nDCG@10, nDCG@5" in both["declaration"].tolist()
    row = both[both["differs"] == ""].iloc[0]
    assert row[["nDCG@5", "nDCG@10"]].tolist() == values[["nDCG@5", "nDCG@10"]].tolist()


def test_digits_count_as_written() -> None:
    """The value is 0.15187...: 0.152 is it rounded, 0.1520 is not, 0.1525 within 0.001."""
    for number, tolerance, matches in (
        ("0.152", None, True),
        (0.152, None, True),
        ("0.1520", None, False),
        ("0.1525", 0.001, True),
        (np.float64(0.15), None, True),
        (np.float32(0.152), None, True),
        (np.float32(0.1525), None, False),
    ):
        found = reconcile(RUN, QRELS, {"nDCG@10": number}, tolerance=tolerance)
        assert ("nDCG@10" in found["declaration"][found["matches"]].tolist()) == matches


def test_what_may_be_by_chance_is_said() -> None:
    with pytest.warns(
        UserWarning, match=r"\d+ of \d+ variants .* by chance; values by topic"
    ) as said:
        found = reconcile(RUN, QRELS, {"nDCG@10": "0.15"})
    assert f"{len(found)} of " in str(said[0].message)
    assert found["chance"][0] > 1
    assert found["programs"][0]  # those of known programs come first
    assert (found["programs"] != "").is_monotonic_decreasing


def test_without_a_match_the_nearest_are_returned_and_what_is_possible_is_said() -> None:
    """Expected range: `bounds`, which the end of the sentence is about."""
    with pytest.warns(UserWarning, match="missing documents") as said:
        found = reconcile(RUN, QRELS, {"nDCG@10": "0.98765"})
    assert len(found) == NEAREST
    assert not found["matches"].any()
    assert found["distance"].is_monotonic_increasing
    message = str(said[-1].message)
    assert "nDCG@10 is 0.1519 as declared, and from 0.1067 to " in message
    assert "the number belongs to other qrels, another run" in message
    with pytest.warns(UserWarning, match="missing documents are judged.$"):
        reconcile(RUN, QRELS, {"nDCG@10": "0.2543217"})  # within the range


def test_the_choices_vary_around_the_declaration() -> None:
    measure = nDCG(gains="exp", ties="average") @ 10
    (value,) = provider.calc_aggregate([measure], QRELS, RUN).values()
    found = reconcile(RUN, QRELS, {measure: value})
    assert found["differs"].tolist() == [""]
    found = reconcile(RUN, QRELS, {nDCG(dcg="exp-log2") @ 10: value})
    assert found["differs"].tolist() == ["ties averaged"]
    assert found["declaration"].tolist() == [str(measure)]
    # programs have no such parameter
    (value,) = provider.calc_aggregate([nDCG(avg_pos=True) @ 10], QRELS, RUN).values()
    assert reconcile(RUN, QRELS, {"nDCG(avg_pos=True)@10": value})["programs"].tolist() == [""]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"nDCG@10": "x"}, {}, "'x' must be a finite number, such as 0.5371"),
        ({"nDCG@10": float("nan")}, {}, "nan must be a finite number"),
        ({"nDCG@10": True}, {}, "True must be a finite number"),
        ({"nDCG@5": "1e400"}, {}, "'1e400' is too large to be a value of nDCG@5"),
        ({"nDCG@5": "1e99999999999"}, {}, "'1e99999999999' is too large"),
        ({"nDCG@5": -1e308}, {}, r"-1e\+308 is too large to be a value of nDCG@5"),
        ({"DCG@5": "1e308"}, {}, "'1e308' is too large to be a value of DCG@5"),
        ({"nDCG@5": "40.84"}, {}, "'40.84' looks like a percentage; write 0.4084"),
        ({"nDCG@5": {"101": 40.84}}, {}, "40.84 looks like a percentage; write 0.4084"),
        ({"DCG@5": "40.84 %"}, {}, "'40.84 %' looks like a percentage; write 0.4084"),
        ({"nDCG@10": {"9": 0.5}}, {}, "there is no topic '9' in the qrels"),
        ({}, {}, "there is no number"),
        ({"nDCG@10": {}}, {}, "there is no number"),
        ({"sDCG@10": 1}, {}, "sDCG@10 has no variants; CG, DCG, nCG and nDCG have, without"),
        ({"AP": 0.5}, {}, "AP has no variants"),
        ({"gP@5": 0.5}, {}, "gP@5 has no variants"),
        ({"nDCG(at_r=True)": 0.5}, {}, "without at_r and unjudged"),
        ({"nDCG@10": 0.5, "DCG@10": 5}, {}, "nDCG@10, DCG@10.* differ in more than cutoffs"),
        ({"nDCG@10": 0.5}, {"tolerance": -1}, "tolerance=-1 must be a number of at least 0"),
    ],
)
def test_what_cannot_be_reconciled_is_refused(values, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        reconcile(RUN, QRELS, values, **options)


def test_other_inputs_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(ValueError, match="the run and the qrels have no topic in common"):
        reconcile({"x": {"d": 1.0}}, QRELS, {"nDCG@10": 0.5})
    with pytest.raises(TypeError, match=r"0\.5 must be a dict of numbers"):
        reconcile({"bm25": RUN}, QRELS, {"bm25": 0.5})
    with pytest.raises(TypeError, match=r"values=0\.5 must be a dict"):
        reconcile(RUN, QRELS, 0.5)
    for values in ({"nDCG@10": 0.5}, {"BM25": {"nDCG@10": 0.5}}):
        with pytest.raises(ValueError, match="the numbers of each run by its name"):
            reconcile({"bm25": RUN}, QRELS, values)


def test_a_variant_without_values_is_none() -> None:
    """Averages over ties have no list whose first k documents could be the ideal."""
    qrels = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1}, "3": {"z": 0}}
    run = {"1": {"b": 2.0, "x": 1.5, "a": 1.0}, "2": {"d": 1.0, "e": 0.5}}
    found = reconcile(run, qrels, {"nDCG@10": 1})
    assert not found["differs"].str.contains("first k; ties averaged").any()


def test_every_program_has_choices_that_there_are_and_a_source() -> None:
    for name, program in PROGRAMS.items():
        for axis, words in AXES.items():
            refused = {"refused"} if axis == "labels" else set()  # then no value is the program's
            assert set(program[axis]) <= words.keys() | {"declared"} | refused, (name, axis)
        assert program["source"][0].startswith("https://")
        assert program.keys() <= {*AXES, "measures", "digits", "note", "source"}
        digits, *of_topics = program["digits"]
        assert int(digits) > 0
        assert of_topics in ([], ["topics"])
