"""What users pass to functions: measures, systems and their names, topics that a run misses."""

import re
from unittest import mock

import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import CG, dominance, nDCG
from pt_cumgain.inputs.measures import parse_measures
from pt_cumgain.inputs.systems import name_systems
from tests.support.helpers import warnings_of

ONE, OTHER = {"1": {"a": 1.0}}, {"1": {"b": 1.0}}


@pytest.mark.parametrize("text", ["CG" + "@1" * 4000, "-" * 100_000 + "CG"])
def test_a_text_that_python_cannot_parse_is_no_measure(text: str) -> None:
    """Some versions of Python can, and ir-measures cannot."""
    with pytest.raises(ValueError, match=r"^'(CG@1|---).*' is not a measure"):
        pt_cumgain.evaluate(text, {"q": {"a": 1}}, {"q": {"a": 1.0}})


@pytest.mark.filterwarnings("ignore:.*no document of th(is|ese):UserWarning")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("nDCG(gains=0-1-10)@10", "nDCG(gains='0-1-10')@10"),
        ("nDCG(discount=original,base=10)@5", "nDCG(discount='original',base=10)@5"),
        ("nDCG(gains=exp,avg_pos=True)@10", "nDCG(gains='exp',avg_pos=True)@10"),
        ("nDCG(10)", "nDCG@10"),
    ],
)
def test_a_slip_in_a_text_is_put_right(text: str, meant: str) -> None:
    """Expected: what a shell's user has typed before it took the quotes; a cutoff after @."""
    words = f'is not a measure; write it like "{meant}"'
    with pytest.raises(ValueError, match=re.escape(words)):
        pt_cumgain.evaluate(text, {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert pt_cumgain.evaluate(meant, {"q": {"a": 1}}, {"q": {"a": 1.0}})["value"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nDCG(gains='exp'@10", "'(' was never closed"),
        ("nDCG(gains='exp@10", "unterminated string literal"),
        ("nDCG@-1", "its cutoff '-1' is not a whole number"),
        ("nDCG@", "its cutoff '' is not a whole number"),
        ("1+2", "unexpected expression"),
    ],
)
def test_an_error_says_what_is_wrong_in_a_text(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"is not a measure: {reason}")):
        parse_measures(text)


def test_a_text_without_a_list_is_read_letter_by_letter_by_the_host() -> None:
    run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "query": ["x"]})
    with pytest.raises(ValueError, match=r"^'n' is not a measure; give measures in a list"):
        pt.Experiment([run], run[["qid", "query"]], run.assign(label=1), "nDCG(gains='exp')@10")


def test_results_are_chosen_by_equal_measures() -> None:
    """The text spells out the default base, has a blank, and parameters in another order."""
    text = "nDCG(base=2, discount='original',gains='0-1-3')@10"
    rows = [(n, q, text, v) for n in "AB" for q, v in (("1", 0.1), ("2", 0.4), ("3", 0.2))]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    measure = nDCG(discount="original", gains="0-1-3") @ 10
    table = pt_cumgain.paper_table(results, measures=[measure], baseline=None)
    assert list(table.measures.values()) == [str(measure)]
    assert pt_cumgain.pairwise(results)["measure"].tolist() == [str(measure)]


@pytest.mark.parametrize("empty", [[], {}, pd.DataFrame({"qid": [], "docno": [], "label": []})])
def test_qrels_without_a_judgment_are_refused(empty) -> None:
    read = iter(empty)
    list(read)
    for qrels in (empty, read):
        with pytest.raises(ValueError, match=r"^the qrels hold no judgments"):
            pt_cumgain.evaluate(CG, qrels, ONE)


@pytest.mark.parametrize("run", [iter([]), (record for record in ())])
def test_a_run_that_was_read_before_is_refused(run) -> None:
    with pytest.raises(ValueError, match=r"^the run is an iterator without rows; was it read"):
        pt_cumgain.evaluate(CG, {"1": {"a": 1}}, run)
    assert pt_cumgain.evaluate(CG, {"1": {"a": 1}}, [])["value"].tolist() == [0]


def test_messages_are_short() -> None:
    """Of measures, columns, labels and ids of 100,000 characters, and of 1,000 levels."""
    long = "x" * 100_000
    for measure, label in ((long, 1), (f"CG(gains='{long}')", 1), ("CG", long)):
        with pytest.raises((TypeError, ValueError)) as refused:
            pt_cumgain.evaluate(measure, {"1": {"a": label}}, ONE)
        assert len(str(refused.value)) < 2100
    wide = pd.DataFrame({f"c{i}": [1] for i in range(9999)})
    with pytest.raises(ValueError, match=r"^qrels: missing columns: .{,700}$"):
        pt_cumgain.evaluate("CG", wide, ONE)
    levels = CG(gains="-".join(map(str, range(1000))))
    for told in warnings_of(lambda: pt_cumgain.evaluate(levels, {"1": {"a": 1}}, {long: {"a": 1}})):
        assert len(told) < 2100


@pytest.mark.parametrize("wrong", [3, [CG, 3], None])
def test_what_is_no_measure(wrong, trec_qrels) -> None:
    with pytest.raises(TypeError, match=r"^(3|None) is not a measure; give measures or their text"):
        pt_cumgain.evaluate(wrong, trec_qrels, {})


def test_the_names_of_systems() -> None:
    """A file has its name, a transformer its text, other runs their numbers; keys become texts."""
    frame = pd.DataFrame({"qid": [], "docno": [], "score": []})
    identity = pt.Transformer.identity()
    systems = ["runs/bm25.res.gz", identity, frame, {}]
    assert list(name_systems(systems, None)) == ["bm25", str(identity), "run 3", "run 4"]
    assert name_systems([frame, {}], ["a", 2]) == {"a": frame, "2": {}}
    assert name_systems({1: {}, "b": frame}, None) == {"1": {}, "b": frame}


def test_names_that_are_equal_as_text():
    """A system of two would be lost in silence, or two printed alike."""
    for systems, names in (({1: ONE, "1": OTHER, "C": ONE}, None), ([ONE, OTHER], [1, "1"])):
        with pytest.raises(ValueError, match=r"^two systems have the same name, as text: \[1, '1'"):
            dominance(systems, None, {"1": {"a": 2, "b": 1}}, nDCG @ 2, names=names)


def test_arguments_in_another_order() -> None:
    run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    qrels = run.rename(columns={"score": "label"})
    for measures, judged, ranked, error, words in (
        (qrels, run, "CG", TypeError, "a DataFrame is not a measure; .* check the order"),
        ({"1": {"a": 1}}, run, "CG", TypeError, "is not a measure.*check the order of the arg"),
        ("CG", qrels, {"BM25": run}, TypeError, "'BM25' maps to a frame, but a dict must"),
        ("CG", {"train": mock.Mock(spec=["column_names"])}, run, TypeError, "'train' maps to a fr"),
        ("CG", qrels, {"BM25": {"1": {"a": 1.0}}}, TypeError, "'BM25' maps to a dict of dicts"),
        (__file__, "CG", run, ValueError, "not a measure; it is a file, so check the order of"),
        ("CG", {"1": {"a": "x" * 9999}}, run, TypeError, r"row 0 holds 'x{47}\.\.\.x{48}'$"),
        ("CG", qrels, qrels.assign(rank=1), ValueError, "it has a column label: is this qrels[?]$"),
        ("CG", run, run, ValueError, "it has a column score: is this a run[?]$"),
    ):
        with pytest.raises(error, match=words):
            pt_cumgain.evaluate(measures, judged, ranked)
    with pytest.raises(ValueError, match=r"^path='x.pdf' must end in one of .html, .htm$"):
        pt_cumgain.report([run], None, qrels, path="x.pdf")
