"""Agreement with ir-measures: its numbers stay its own, and ours equal trec_eval's."""

import itertools
import json
import pickle
import re
from types import SimpleNamespace

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import Qrel
from ir_measures.measures.ndcg import _nDCG as HostNDCG

import pt_cumgain
from pt_cumgain import DCG, nDCG
from pt_cumgain.hosts.ir_measures import CumgainProvider, provider
from tests.support.helpers import ours, run_python, slow
from tests.support.samples import random_data


@pytest.mark.parametrize("seed", range(20))
def test_log2_ndcg_equals_pytrec_eval(seed: int) -> None:
    """Expected values: trec_eval's own code, by pytrec_eval."""
    qrels, run = random_data(seed)
    cutoffs = [1, 2, 5, 10, 100]
    names = {"ndcg", *(f"ndcg_cut_{k}" for k in cutoffs)}
    for judged_only in (False, True):
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, judged_docs_only_flag=judged_only)
        expected = evaluator.evaluate(run)
        measures = {"ndcg": nDCG(judged_only=judged_only)}
        measures |= {f"ndcg_cut_{k}": nDCG(judged_only=judged_only) @ k for k in cutoffs}
        got = {
            (v.measure, v.query_id): v.value
            for v in provider.iter_calc(measures.values(), qrels, run)
        }
        for name, measure in measures.items():
            for topic in qrels:
                wanted = expected.get(topic, {}).get(name, 0.0)
                assert got[measure, topic] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*less than level:UserWarning")
@pytest.mark.parametrize("seed", range(10))
def test_mapped_gains_equal_ir_measures(seed: int) -> None:
    """Expected values: ir-measures' nDCG(gains=...), alone in its call, where it is right."""
    qrels, run = random_data(seed)
    for mapping, judged_only in itertools.product(
        ({2: 10, 3: 100}, {1: 0}, {0: 1, -1: 5}, {-1: 0, -2: 0}), (False, True)
    ):
        params = {"gains": mapping, "judged_only": judged_only}
        for cutoff in ({}, {"cutoff": 7}):
            host = ir_measures.pytrec_eval.calc_aggregate(
                [HostNDCG(**params, **cutoff)], qrels, run
            )
            ours = provider.calc_aggregate([nDCG(**params, **cutoff)], qrels, run)
            assert list(ours.values()) == pytest.approx(list(host.values()), rel=1e-9)


@given(
    seed=st.integers(0, 10_000),
    topics=st.integers(0, 40),
    made=st.lists(
        st.sampled_from(
            [nDCG(gains="exp"), DCG(base=3, discount="original") @ 7, nDCG(ties="average") @ 3]
        ),
        min_size=1,
        unique_by=str,
    ),
)
@settings(max_examples=settings.default.max_examples // 4)
def test_means_are_the_same_to_the_last_bit_whoever_computes_beside_us(seed, topics, made) -> None:
    """ir-measures adds the values topic by topic where it splits a call between providers."""
    qrels, run = random_data(seed, topics)
    both = [*made, ir_measures.AP, ir_measures.P @ 5]
    alone = ir_measures.calc_aggregate(made, qrels, run)
    together = ir_measures.calc_aggregate(both, qrels, run)
    by_topic = list(ir_measures.iter_calc(both, qrels, run))
    for measure in made:
        added = measure.aggregator()
        for metric in by_topic:
            if metric.measure == measure:
                added.add(metric.value)
        means = [
            alone[measure],
            together[measure],
            ir_measures.calc(made, qrels, run).aggregated[measure],
            ir_measures.calc(both, qrels, run).aggregated[measure],
            provider.calc_aggregate([measure], qrels, run)[measure],
        ]
        assert [mean.hex() for mean in means] == [float(added.result()).hex()] * len(means)


@pytest.mark.parametrize("label", [1.5, 2.0, np.int64(1), "1", None, float("nan")])
@pytest.mark.parametrize("form", ["dict", "records", "frame"])
def test_pytrec_eval_never_sees_a_label_that_is_no_int(monkeypatch, label, form: str) -> None:
    """It raises an error, and under Python 3.14 may end the process; here it records its calls."""
    calls = []
    assert ir_measures.pytrec_eval.is_available()  # it is imported now, so that the stub stays
    stub = SimpleNamespace(RelevanceEvaluator=lambda *args, **_: calls.append(args))
    monkeypatch.setattr(ir_measures.pytrec_eval, "pytrec_eval", stub)
    qrels, run = {"1": {"a": 1, "b": True}, "2": {"a": 0, "b": label}}, {"1": {"a": 1.0}}
    qrels["2"] |= {"a": 2.0} if label == 1.5 else {}  # beside which the culprit is shown
    records = [Qrel(topic, doc, found) for topic in qrels for doc, found in qrels[topic].items()]
    frame = pd.DataFrame(records).astype({"relevance": object})
    given = {"dict": qrels, "records": records, "frame": frame}[form]
    message = f"needs labels of type int, but the qrels have {re.escape(repr(label))}; convert "
    message += r"whole numbers, or write nDCG\(gains='level'\), which"
    for measures in ([nDCG @ 10], [ir_measures.AP, DCG @ 5]):
        for function in (ir_measures.calc, ir_measures.evaluator):
            with pytest.raises(TypeError, match=message):
                function(measures, given, *[run] * (function is ir_measures.calc))
    assert not calls
    ir_measures.evaluator([ir_measures.AP], {"1": qrels["1"]})
    assert [args[0] for args in calls] == [{"1": qrels["1"]}]


def test_qrels_without_documents_are_refused_for_pytrec_eval() -> None:
    with pytest.raises(TypeError, match="qrels query_id 'A' must map to a dict of documents"):
        ir_measures.calc_aggregate([ir_measures.AP], {"A": 1}, {"A": {"a": 1.0}})


def test_host_providers_never_see_a_parameter_of_ours() -> None:
    pipeline = ir_measures.DefaultPipeline.providers
    hosts = [p for p in pipeline if not isinstance(p, CumgainProvider)]
    ours = [{"gains": "exp"}, {"gains": {-1: 5}}, {"discount": "original"}, {"avg_pos": True}]
    ours.append({"ties": "best"})
    for measure in [*(nDCG(**params) @ 10 for params in ours), nDCG(at_r=True), DCG @ 10]:
        assert measure.NAME.startswith("pt_cumgain.")
        assert not any(p.supports(measure) for p in hosts)
        assert provider.supports(measure)
    host = ir_measures.nDCG(own=ir_measures.providers.base.Any())  # as a provider declares it
    assert host.NAME == "nDCG"
    for plain in (nDCG, nDCG @ 10, nDCG(judged_only=True), nDCG(discount="log2") @ 10):
        assert plain.NAME == "nDCG"
        assert ir_measures.pytrec_eval.supports(plain)
        assert provider.supports(plain)
    with pytest.raises(ValueError, match="unsupported measure AP; the provider 'cumgain'"):
        provider.calc_aggregate([ir_measures.AP], {}, {})


def test_topics_that_the_run_misses_are_told_of() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"1": {"a": 1.0}, "9": {"a": 1.0}}
    words = "no documents for 2 of the 3 topics"
    for measures in ([DCG @ 5], [DCG @ 5, ir_measures.AP]):
        for name in ("calc", "calc_aggregate", "iter_calc"):
            with pytest.warns(UserWarning, match=words) as told:
                list(getattr(ir_measures, name)(measures, qrels, run))
            assert len(ours(told)) == 1
    with pytest.warns(UserWarning, match="the run and the qrels have no topic in common"):
        (DCG @ 5).calc_aggregate(qrels, {"9": {"a": 1.0}})
    with pytest.warns(UserWarning, match="the run and the qrels have no topic in common"):
        assert pt_cumgain.evaluate(DCG, qrels, {"9": {"a": 1.0}}, missing="skip").empty


PLAIN = [
    nDCG,
    nDCG @ 10,
    nDCG(judged_only=True),
    nDCG(dcg="exp-log2", judged_only=True) @ 5,
    nDCG(cutoff=3, gains=None),
    nDCG(gains={0: 1, 1: 4}, ties="doc_id") @ 10,
]
WITHOUT_US = """
import sys; sys.modules["pt_cumgain"] = None
import pickle, ir_measures
from ir_measures.measures.ndcg import _nDCG as HostNDCG
measures = pickle.loads(bytes.fromhex({pickled!r}))
qrels, run = {{"q": {{"a": 1, "b": 3}}}}, {{"q": {{"a": 2.0, "b": 1.0}}}}
print([type(measure) is HostNDCG for measure in measures])
print(measures, [m.calc_aggregate(qrels, run) for m in measures if "exp" not in str(m)])
"""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_plain_measures_are_read_where_this_package_is_missing() -> None:
    """As the host's; its numbers are those that ir-measures computes here."""
    qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}}
    values = [m.calc_aggregate(qrels, run) for m in PLAIN if "exp" not in str(m)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        pickled = pickle.dumps(PLAIN, protocol)
        assert b"pt_cumgain" not in pickled
        assert pickle.loads(pickled) == PLAIN
        assert [type(measure) for measure in pickle.loads(pickled)] == [HostNDCG] * len(PLAIN)
    lines = run_python(WITHOUT_US.format(pickled=pickled.hex())).splitlines()
    assert lines == [str([True] * len(PLAIN)), f"{PLAIN} {values}"]


SAME_AS_ALONE = """
from ir_measures import nDCG
import ir_measures, json, pickle, sys
{imports}
from tests.support.samples import random_data
from ir_measures.providers.base import Any, Choices
host = ir_measures.measures.ndcg._nDCG
seen = [sorted(vars(host).keys() - {{"__new__"}}), list(host.SUPPORTED_PARAMS), host.__doc__]
seen += [nDCG is ir_measures.nDCG is ir_measures.measures.registry["NDCG"], nDCG.params]
for params in (
    {{}}, {{"cutoff": 10}}, {{"judged_only": False, "dcg": "log2"}}, {{"dcg": "exp-log2"}},
    {{"gains": {{0: 1, 1: 4}}}}, {{"gains": {{-1: 0, 1: 1}}, "cutoff": 3}}, {{"gains": {{}}}},
):
    for made in (nDCG(**params), host(**params), ir_measures.measures.NDCG(**params)):
        seen += [type(made) is host, made.params, str(made), pickle.dumps(made).hex()]
    seen.append(ir_measures.pytrec_eval.supports(made))
seen.append(str(host(cutoff=Any(), dcg=Choices("log2"), gains=Any(), rel=Any()).params))
qrels, run = {{"q": {{"a": 1, "b": 2}}}}, {{"q": {{"a": 2.0, "b": 1.0}}}}
for wrong in (
    {{"dcg": "exp"}}, {{"cutoff": "10"}}, {{"cutoff": 2.5}}, {{"cutoff": -1}}, {{"cutoff": False}},
    {{"cutoff": None}}, {{"judged_only": 1}}, {{"gains": 3}}, {{"gains": [1]}},
    {{"gains": {{1: "x"}}}}, {{"gains": {{1: -1}}}}, {{"gains": {{0: 1}}, "cutoff": "10"}},
):
    try:
        made = nDCG(**wrong)
        seen.append(str(made))
        seen.append(made.calc_aggregate(qrels, run))
    except Exception as error:
        seen.append(f"{{type(error).__name__}}: {{error}}")
try:
    host(10)
except TypeError as error:
    seen.append(str(error))
given = random_data(5)
for dcg in ({{}}, {{"dcg": "log2"}}, {{"dcg": "exp-log2", "cutoff": 5}}):
    for other in ({{}}, {{"judged_only": True}}, {{"cutoff": 3}}, {{"cutoff": 1000}}):
        measure = nDCG(**dcg, **{{k: v for k, v in other.items() if k not in dcg}})
        if "exp" not in str(measure) or ir_measures.gdeval.supports(measure):
            try:
                seen.append(measure.calc_aggregate(*given))
            except RuntimeError as error:  # where there is no Perl
                seen.append(str(error))
print(json.dumps([seen, "pt_cumgain" in sys.modules]))
"""


@pytest.mark.parametrize("imports", ["import pt_cumgain", *slow("import pyterrier")])
def test_ndcg_of_ir_measures_remains_as_it_was(imports: str) -> None:
    """Class, parameters, text, pickle, values, and errors with their time; as without this package.

    But an unknown parameter, at which ir-measures alone fails when it prints the measure.
    """
    found, alone = (
        json.loads(run_python(SAME_AS_ALONE.format(imports=lines))) for lines in (imports, "")
    )
    assert [found[1], alone[1]] == [True, False]
    assert found[0] == alone[0]
    assert len(alone[0]) > 100


def test_ndcg_with_a_parameter_of_ours_is_a_subclass_of_the_hosts() -> None:
    for params in ({"gains": "0-1-10-100"}, {"discount": "original"}, {"at_r": True}):
        for made in (ir_measures.nDCG, ir_measures.NDCG, HostNDCG, nDCG):
            measure = made(**params)
            assert type(measure) is type(nDCG)
            assert isinstance(measure, HostNDCG)
            assert measure == nDCG(**params) == ir_measures.parse_measure(str(measure))
            assert b"pt_cumgain" in pickle.dumps(measure)
    assert isinstance(nDCG @ 10, HostNDCG)
    assert nDCG @ 10 == ir_measures.nDCG @ 10
    subclass = type("Other", (HostNDCG,), {})
    assert type(subclass(discount="original")) is subclass  # of another package


@pytest.mark.parametrize(
    ("gains", "labels", "weights"),
    [("level", {"a": 1.5, "b": 0.4, "c": -1}, (0.4, 1.5)), ({2: 2.5}, {"a": 2, "b": 1}, (1, 2.5))],
)
def test_gains_that_only_this_package_takes_are_computed_by_it(gains, labels, weights) -> None:
    """By hand: b is found before a."""
    measure = ir_measures.nDCG(gains=gains) @ 2
    value = measure.calc_aggregate({"q": labels}, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}})
    low, high = weights
    assert value == pytest.approx((low + high / np.log2(3)) / (high + low / np.log2(3)))


def test_the_measures_are_known_to_both_hosts() -> None:
    import pyterrier as pt

    assert pt.measures.nDCG is pt.measures.NDCG is ir_measures.nDCG
    assert pt.cumgain.nDCG is pt_cumgain.nDCG
    names: dict = {}
    exec("from pyterrier.measures import *", names)
    assert names["CG"] is pt_cumgain.CG


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_empty_input_gives_what_the_host_gives() -> None:
    measures = [pt_cumgain.CG @ 5, pt_cumgain.nDCG(gains="exp") @ 5]
    for run in ({}, {"q": {}}, {"other": {"d": 1.0}}):
        assert list(ir_measures.calc_aggregate(measures, {"q": {"d": 1}}, run).values()) == [0, 0]
    for qrels in ({}, iter(())):
        means = ir_measures.calc_aggregate(measures, qrels, {"q": {"d": 1.0}})
        host = ir_measures.calc_aggregate([ir_measures.AP], {}, {"q": {"d": 1.0}})
        assert all(np.isnan(list(means.values())))
        assert np.isnan(host[ir_measures.AP])
    assert list(ir_measures.iter_calc(measures, {}, {})) == []
