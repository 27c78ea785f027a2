"""Agreement with ir-measures: its numbers stay its own, and ours equal trec_eval's."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import subprocess
import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

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
from pt_cumgain import DCG, evaluate, nDCG, pydocs
from pt_cumgain.hosts.ir_measures import CumgainProvider, provider, register
from tests.support.helpers import run_files, slow
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


def test_dcg_is_ndcg_times_the_ideal() -> None:  # TOIS 2002, eq. 5
    qrels, run = random_data(3)
    ideal = {q: {d: float(level) for d, level in docs.items()} for q, docs in qrels.items()}
    for k in (1, 5, 50):
        by_topic = [
            {v.query_id: v.value for v in provider.iter_calc([m], qrels, r)}
            for m, r in ((nDCG @ k, run), (DCG @ k, run), (DCG @ k, ideal))
        ]
        for topic, best in by_topic[2].items():
            assert by_topic[0][topic] * best == pytest.approx(by_topic[1][topic])


# --- the host's own nDCG, before and after our import, in both import orders ---
HOST_NDCG = """
import itertools, json, sys
{imports}
import ir_measures
from tests.support.samples import random_data
qrels, run = random_data(5)
values = {{}}
for dcg, judged, cutoff in itertools.product(
    (None, "log2", "exp-log2"), (None, False, True), (None, 3, 10, 1000)
):
    given = {{"dcg": dcg, "judged_only": judged, "cutoff": cutoff}}
    given = {{k: v for k, v in given.items() if v is not None}}
    measure = ir_measures.nDCG(**given)
    if dcg == "exp-log2" and not ir_measures.gdeval.supports(measure):
        continue
    try:
        values[str(sorted(given.items()))] = measure.calc_aggregate(qrels, run)
    except RuntimeError as error:
        values[str(sorted(given.items()))] = str(error)
values["trec"] = [str(m) for m in ir_measures.parse_trec_measure("ndcg_cut")]
values["alone"] = "pt_cumgain" not in sys.modules
print(json.dumps(values))
"""


def run_python(code: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "imports",
    [
        "import pt_cumgain",
        "import pyterrier",
        *slow("import pyterrier, pt_cumgain", "import pt_cumgain, pyterrier"),
    ],
)
def test_host_parameters_give_the_hosts_numbers_whatever_is_imported_first(imports: str) -> None:
    alone, found = host_ndcg(""), host_ndcg(imports)
    assert alone["alone"] is True
    assert len(alone) > 21
    assert found == alone | {"alone": False}


@cache
def host_ndcg(imports: str) -> dict[str, Any]:
    """What a process of its own prints that imports these."""
    return json.loads(run_python(HOST_NDCG.format(imports=imports)))


REAL = {"1": {"a": 1.5, "b": 0.4, "c": -0.5}}


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([nDCG @ 10], r"write nDCG\(gains='level'\)@10, which"),
        ([nDCG(ties="doc_id") @ 10, ir_measures.AP], r"write nDCG\(gains='level'\)@10, which"),
        (
            [nDCG @ 10, ir_measures.nDCG(dcg="exp-log2") @ 5, nDCG],
            r"write nDCG\(gains='level'\), nDCG\(gains='level'\)@10, which",
        ),
        (
            [ir_measures.AP],
            r"qrels have 1\.5; convert them, as qrels\['label'\]\.round\(\)\.astype\(int\) does",
        ),
    ],
)
def test_what_to_write_for_labels_that_are_no_integers_is_said(measures, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ir_measures.calc_aggregate(measures, REAL, {"1": {"a": 1.0}})


@pytest.mark.parametrize("label", [1.5, 2.0, np.int64(1), "1", None, float("nan")])
def test_pytrec_eval_never_sees_a_label_that_is_no_int(monkeypatch, label) -> None:
    """It raises an error, and under Python 3.14 may end the process; here it records its calls."""
    calls = []
    assert ir_measures.pytrec_eval.is_available()  # it is imported now, so that the stub stays
    stub = SimpleNamespace(RelevanceEvaluator=lambda *args, **_: calls.append(args))
    monkeypatch.setattr(ir_measures.pytrec_eval, "pytrec_eval", stub)
    qrels, run = {"1": {"a": 1, "b": True}, "2": {"a": 0, "b": label}}, {"1": {"a": 1.0}}
    records = [Qrel(topic, doc, found) for topic in qrels for doc, found in qrels[topic].items()]
    frame = pd.DataFrame(records).astype({"relevance": object})
    advice = {nDCG: r"write nDCG\(gains='level'\), which", ir_measures.AP: "convert them"}
    for form, (measure, said) in itertools.product((qrels, records, frame), advice.items()):
        for other in ([], [DCG @ 5]):
            for compute in (
                lambda made, q: ir_measures.calc(made, q, run),
                lambda made, q: list(ir_measures.iter_calc(made, q, run)),
                lambda made, q: ir_measures.evaluator(made, q),
                lambda made, q: ir_measures.pytrec_eval.calc_aggregate(made[:1], q, run),
            ):
                message = f"needs labels of type int, but the qrels have {re.escape(repr(label))}"
                with pytest.raises(TypeError, match=f"{message}; {said}"):
                    compute([measure, *other], form if form is not records else iter(records))
    assert not calls
    with pytest.raises((TypeError, ValueError), match=r"needs labels of type int|finite number"):
        evaluate(["AP", "DCG@5"], frame, run)
    assert not calls
    ir_measures.evaluator([ir_measures.AP], {"1": qrels["1"]})
    assert [args[0] for args in calls] == [{"1": qrels["1"]}]


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
@pytest.mark.filterwarnings("ignore:the run")
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


def test_gains_of_the_level_itself_take_any_labels() -> None:
    """nDCG@2 of b before a: (0.4 + 1.5 / log2(3)) / (1.5 + 0.4 / log2(3)); c gains 0."""
    measure = ir_measures.parse_measure("nDCG(gains='level')@2")
    value = ir_measures.calc_aggregate([measure], REAL, {"1": {"b": 3.0, "a": 2.0, "c": 1.0}})
    log = np.log2(3)
    assert value[measure] == pytest.approx((0.4 + 1.5 / log) / (1.5 + 0.4 / log))


def test_topics_that_the_run_misses_are_told_of() -> None:
    """By every function of an evaluator; not twice where several providers share the work."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"1": {"a": 1.0}, "9": {"a": 1.0}}
    words = "the run has no documents for 2 of the 3 topics in the qrels"
    for measures in ([DCG @ 5], [DCG @ 5, ir_measures.AP]):
        for name in ("calc", "calc_aggregate", "iter_calc"):
            with pytest.warns(UserWarning, match=words) as told:
                list(getattr(ir_measures, name)(measures, qrels, run))
            assert len(told) == 1
    with pytest.warns(UserWarning, match="the run and the qrels have no topic in common"):
        (DCG @ 5).calc_aggregate(qrels, {"9": {"a": 1.0}})


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


def test_measures_with_parameters_of_ours_pickle_as_ours() -> None:
    for measure in (nDCG(gains="0-1-10") @ 10, ir_measures.nDCG(at_r=True), DCG @ 10):
        assert b"pt_cumgain" in pickle.dumps(measure)


# --- what our import leaves as it was ---
SAME_AS_ALONE = """
from ir_measures import nDCG
import ir_measures, json, pickle, sys
if {imported}:
    import pt_cumgain
from ir_measures.providers.base import Any, Choices
host = ir_measures.measures.ndcg._nDCG
seen = [sorted(vars(host).keys() - {{"__new__"}}), list(host.SUPPORTED_PARAMS), host.__doc__]
seen += [nDCG is ir_measures.nDCG is ir_measures.measures.registry["NDCG"], vars(nDCG)]
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
print(json.dumps(seen))
"""


def test_ndcg_of_ir_measures_remains_as_it_was() -> None:
    """Class, parameters, text, pickle, and errors with their time; as without this package.

    But an unknown parameter, at which ir-measures alone fails when it prints the measure.
    """
    found, alone = (
        json.loads(run_python(SAME_AS_ALONE.format(imported=imported))) for imported in (1, 0)
    )
    assert found == alone
    assert len(alone) > 100


@pytest.mark.parametrize("judged_only", [False, True])
def test_pytrec_eval_computes_a_mapping_of_gains_itself(judged_only: bool) -> None:
    """A measure of ir-measures' own tests; expected: trec_eval on qrels with these gains."""
    qrels, run = random_data(4)
    gains = {0: 1, 1: 4}
    mapped = {q: {d: gains.get(x, x) for d, x in docs.items()} for q, docs in qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(mapped, {"ndcg"}, judged_docs_only_flag=judged_only)
    expected = {topic: values["ndcg"] for topic, values in evaluator.evaluate(run).items()}
    for made in (ir_measures.nDCG, nDCG):
        measure = made(gains=gains, judged_only=judged_only)
        values = ir_measures.pytrec_eval.iter_calc([measure], qrels, run)
        assert {v.query_id: v.value for v in values} == {**dict.fromkeys(qrels, 0.0), **expected}


def test_ndcg_with_a_parameter_of_ours_is_a_subclass_of_the_hosts() -> None:
    """And equal, whether declared from ir-measures, from this package or as a text."""
    for params in ({"gains": "0-1-10-100"}, {"discount": "original"}, {"at_r": True}):
        for made in (ir_measures.nDCG, ir_measures.NDCG, HostNDCG, nDCG):
            measure = made(**params)
            assert type(measure) is type(nDCG)
            assert isinstance(measure, HostNDCG)
            assert measure == nDCG(**params) == ir_measures.parse_measure(str(measure))
    assert isinstance(nDCG @ 10, HostNDCG)
    assert nDCG @ 10 == ir_measures.nDCG @ 10


def test_a_subclass_of_the_hosts_ndcg_stays_one() -> None:
    class Other(HostNDCG):
        pass

    assert type(Other(discount="original")) is Other


def test_a_cutoff_of_0_is_refused_because_it_ends_the_process_in_the_host() -> None:
    with pytest.raises(ValueError, match="nDCG: cutoff=0 must be a whole number from 1"):
        ir_measures.nDCG @ 0


def test_gains_that_only_this_package_takes_are_computed_by_it() -> None:
    """By hand: the gains are 2.5 and 1, found as b and a."""
    measure = ir_measures.nDCG(gains={2: 2.5})
    value = measure.calc_aggregate({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    assert value == pytest.approx((1 + 2.5 / np.log2(3)) / (2.5 + 1 / np.log2(3)))


def test_the_measures_are_known_to_both_hosts() -> None:
    import pyterrier as pt

    assert pt.measures.nDCG is pt.measures.NDCG is ir_measures.nDCG
    assert pt.cumgain.nDCG is pt_cumgain.nDCG
    assert pt.measures.nCG is pt_cumgain.nCG
    names: dict = {}
    exec("from pyterrier.measures import *", names)
    assert names["CG"] is pt_cumgain.CG
    assert ir_measures.SDCG is not pt_cumgain.DCG
    assert ir_measures.parse_trec_measure("ndcg_cut_5") == [pt_cumgain.nDCG @ 5]


def test_a_measure_of_the_host_with_our_name_stays(monkeypatch) -> None:
    """It is not replaced, and nor is what PyTerrier copied; the rest is registered as before."""
    import pyterrier as pt

    theirs = ir_measures.P
    registry = ir_measures.measures.registry
    monkeypatch.setitem(registry, "CG", theirs)
    monkeypatch.setattr(pt.measures, "CG", theirs)
    monkeypatch.delitem(registry, "nCG")
    words = "ir-measures has a measure CG of its own, .* this package's is pt_cumgain.CG"
    with pytest.warns(UserWarning, match=words) as issued:
        register()
    assert len(issued) == 1
    assert issued[0].filename == __file__
    assert registry["CG"] is pt.measures.CG is theirs
    assert ir_measures.parse_measure("CG@5") == theirs @ 5
    assert registry["nCG"] is pt.measures.nCG is pt_cumgain.nCG
    assert registry["nDCG"] is registry["NDCG"] is pt.measures.nDCG is ir_measures.nDCG


def test_registering_again_changes_nothing(recwarn) -> None:
    before = dict(ir_measures.measures.registry)
    register()
    assert ir_measures.measures.registry == before
    assert not recwarn


TAKEN = """
import ir_measures
ir_measures.measures.registry["DCG"] = ir_measures.AP
import warnings
with warnings.catch_warnings(record=True) as issued:
    warnings.simplefilter("always")
    import pt_cumgain
print([str(w.message) for w in issued if "DCG" in str(w.message)])
print(ir_measures.parse_measure("DCG"), pt_cumgain.DCG @ 5)
print(ir_measures.calc_aggregate([pt_cumgain.DCG @ 1], {"q": {"a": 1}}, {"q": {"a": 1.0}}))
"""


def test_the_import_does_not_fail_where_a_name_is_taken() -> None:
    told, parsed, values = run_python(TAKEN).splitlines()
    assert told == (
        "[\"ir-measures has a measure DCG of its own, and 'DCG' in a text means that one; this "
        "package's is pt_cumgain.DCG\"]"
    )
    assert parsed == "AP DCG@5"
    assert values == "{DCG@1: 1.0}"


def test_host_providers_never_see_a_parameter_of_ours() -> None:
    pipeline = ir_measures.DefaultPipeline.providers
    hosts = [p for p in pipeline if not isinstance(p, CumgainProvider)]
    ours = [
        nDCG(gains="exp"),
        nDCG(gains={-1: 5}) @ 10,
        nDCG(gains={2: 5}, at_r=True),
        nDCG(discount="original") @ 10,
        nDCG(avg_pos=True) @ 10,
        nDCG(at_r=True),
        pt_cumgain.CG,
        pt_cumgain.DCG @ 10,
        pt_cumgain.nCG @ 10,
    ]
    for measure in ours:
        assert measure.NAME.startswith("pt_cumgain.")
        assert not any(p.supports(measure) for p in hosts)
        assert provider.supports(measure)
    for plain in (nDCG, nDCG @ 10, nDCG(judged_only=True), nDCG(discount="log2") @ 10):
        assert plain.NAME == "nDCG"
        assert ir_measures.pytrec_eval.supports(plain)
        assert provider.supports(plain)
    assert not provider.supports(ir_measures.AP)
    with pytest.raises(
        ValueError, match="unsupported measure AP; the provider 'cumgain' computes CG"
    ):
        provider.calc_aggregate([ir_measures.AP], {}, {})


def test_plain_and_mapped_ndcg_in_one_call_under_any_hash_seed() -> None:
    """ir-measures 0.4.3 alone mixes the two up under some seeds."""
    code = (
        "import pt_cumgain, ir_measures, json\n"
        "from tests.support.samples import random_data\n"
        "qrels, run = random_data(1)\n"
        "found = []\n"
        "for nDCG in (pt_cumgain.nDCG, ir_measures.nDCG):\n"
        "    ms = [nDCG @ 10, nDCG(gains={3: 50, 4: 100}) @ 10, ir_measures.AP]\n"
        "    together = ir_measures.calc_aggregate(ms, qrels, run)\n"
        "    found += [[together[m], m.calc_aggregate(qrels, run)] for m in ms]\n"
        "print(json.dumps(found))"
    )
    for seed in range(6):
        for together, alone in json.loads(run_python(code, PYTHONHASHSEED=str(seed))):
            assert together == pytest.approx(alone, rel=1e-12)


@pytest.mark.slow
def test_ir_measures_alone_confuses_two_ndcgs() -> None:
    """The README says so. If this fails because a release mends it, take the sentence out there."""
    code = (
        "import ir_measures, json\n"
        "from ir_measures import nDCG\n"
        "qrels = {'q': {'a': 2, 'b': 1, 'c': 1}}\n"
        "run = {'q': {'b': 3.0, 'x': 2.0, 'a': 1.0}}\n"
        "ms = [nDCG @ 10, nDCG(gains={0: 0, 1: 1, 2: 4}) @ 10]\n"
        "together = ir_measures.calc_aggregate(ms, qrels, run)\n"
        "print(json.dumps([[together[m], m.calc_aggregate(qrels, run)] for m in ms]))"
    )
    values = [json.loads(run_python(code, PYTHONHASHSEED=str(seed))) for seed in range(8)]
    wrong = [pairs for pairs in values if any(together != alone for together, alone in pairs)]
    assert wrong
    assert len(wrong) < len(values)


def test_an_ndcg_imported_before_us_takes_our_parameters() -> None:
    code = (
        "from ir_measures import nDCG, NDCG\n"
        "import ir_measures, pt_cumgain, json\n"
        "assert nDCG is NDCG is ir_measures.nDCG and nDCG == pt_cumgain.nDCG\n"
        "ms = [nDCG @ 10, nDCG(gains={1: 100}) @ 10, nDCG(discount='rank')]\n"
        "q = {'q': {'a': 1, 'b': 2, 'c': 3, 'd': 1}}\n"
        "r = {'q': {'a': 4., 'b': 3., 'c': 2., 'd': 1.}}\n"
        "together = ir_measures.calc_aggregate(ms, q, r)\n"
        "print(json.dumps([[together[m], m.calc_aggregate(q, r)] for m in ms]))"
    )
    for seed in range(4):
        values = json.loads(run_python(code, PYTHONHASHSEED=str(seed)))
        assert [pair[0] for pair in values] == pytest.approx([pair[1] for pair in values])


def test_a_host_ndcg_made_before_our_import_is_the_same_measure() -> None:
    code = (
        "from ir_measures import nDCG\n"
        "old, plain = nDCG(gains={2: 5}) @ 10, nDCG @ 10\n"
        "import pt_cumgain as p\n"
        "from pt_cumgain.hosts.ir_measures import provider\n"
        "assert old == p.nDCG(gains={2: 5}) @ 10 and hash(plain) == hash(p.nDCG @ 10)\n"
        "q, r = {'q': {'a': 2, 'b': 1}}, {'q': {'b': 2.0, 'a': 1.0}}\n"
        "print(provider.calc_aggregate([old, plain], q, r) == "
        "provider.calc_aggregate([p.nDCG(gains={2: 5}) @ 10, p.nDCG @ 10], q, r))"
    )
    assert run_python(code).strip() == "True"


def test_exp_log2_asked_of_us_is_gains_exp() -> None:
    qrels, run = random_data(2)
    first, second = nDCG(dcg="exp-log2") @ 10, nDCG(gains="exp") @ 10
    values = provider.calc_aggregate([first, second], qrels, run)
    assert values[first] == values[second] > 0


def test_our_provider_stands_last_and_our_first_provider_first_and_once() -> None:
    import importlib

    importlib.reload(pt_cumgain)
    names = [p.NAME for p in ir_measures.DefaultPipeline.providers]
    assert names[-1] == "cumgain"
    assert names.count("cumgain") == 1
    assert names[0] == "cumgain-first"
    assert names.count("cumgain-first") == 1
    assert ir_measures.providers.registry["cumgain"] is provider


def test_import_does_not_import_pyterrier_and_stays_cheap() -> None:
    code = (
        "import sys, ir_measures, ir_datasets, pandas\n"
        "before = set(sys.modules)\n"
        "import pt_cumgain\n"
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}))"
    )
    new = set(run_python(code).split())
    assert not new & {
        "pyterrier",
        "matplotlib",
        "scipy",
        "statsmodels",
        "pyterrier_pisa",
        "sklearn",
    }
    assert "pt_cumgain" in new


PYTERRIER_ALONE = """
import sys
if {hidden}:
    from importlib import metadata
    entry_points = metadata.entry_points
    metadata.entry_points = lambda **given: metadata.EntryPoints(
        point for point in entry_points(**given) if point.name != "cumgain"
    )
import pyterrier
print(*sorted(sys.modules))
"""


@pytest.mark.slow
def test_import_pyterrier_imports_little_more_with_this_package_than_without() -> None:
    """Only this package's declarations, and its glue to ir-measures."""
    loaded, alone = (
        set(run_python(PYTERRIER_ALONE.format(hidden=hidden)).split()) for hidden in (0, 1)
    )
    assert not {name for name in alone if name.startswith("pt_cumgain")}
    added = {name for name in loaded - alone if name.split(".")[0] not in sys.stdlib_module_names}
    assert added == {
        "lazy_loader",
        "pt_cumgain",
        "pt_cumgain.core",
        "pt_cumgain.environment",
        "pt_cumgain.hosts",
        "pt_cumgain.hosts.ir_measures",
        "pt_cumgain.measures",
        "pt_cumgain.options",
        "pt_cumgain.environment.warning",
        "pt_cumgain.weighting",
    }


def test_values_come_in_a_stable_order() -> None:
    qrels = {"b": {"d": 1}, "a": {"d": 1}}
    measures = [pt_cumgain.CG @ 100, pt_cumgain.CG @ 5, nDCG(gains="exp") @ 10]
    values = list(provider.iter_calc(measures, qrels, {}))
    assert [(v.query_id, str(v.measure)) for v in values] == [
        (topic, name) for topic in "ba" for name in ("CG@5", "CG@100", "nDCG(gains='exp')@10")
    ]


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


AS_IN_PYTHON_314 = """
import ast, sys
for name in ("Num", "Str", "NameConstant", "Bytes", "Ellipsis"):
    getattr(ast, "_deprecated_globals", vars(ast)).pop(name, None)
    assert not hasattr(ast, name)
import ir_measures
if "alone" in sys.argv:
    try:
        ir_measures.parse_measure("P(rel=2)@5")
    except AttributeError:
        sys.exit()
    raise SystemExit("ir-measures parses without these names; delete read_value")
import pandas as pd
import pyterrier as pt
from pt_cumgain import cli, evaluate, gain_curves, pydocs
texts = ["nDCG(gains='0-1-10-100',discount='original',base=10)@10", "nDCG(gains={1:5,2:10})@10",
         "CG(judged_only=True)@5", "nDCG@10", "P(rel=2)@5", "AP", "nDCG(dcg='exp-log2')@10"]
for text in texts:
    assert ir_measures.parse_measure(str(ir_measures.parse_measure(text))) is not None
for wrong in ("nDCG(gains=[1])@10", "nDCG(gains=-1)@10", "nDCG(gains=b'x')@10"):
    try:
        ir_measures.parse_measure(wrong)
    except ValueError as error:
        assert "values must be str" in str(error)
    else:
        raise SystemExit(wrong)
qrels, run = pydocs.DATA / "qrels.txt", pydocs.DATA / "runs" / "bm25.res.gz"
values = evaluate(texts, qrels, run).groupby("measure")["value"].mean()
curves = gain_curves([run], None, qrels, "DCG(base=3,discount='revised')", depth=3)
assert len(curves)
assert cli.main(["eval", str(qrels), str(run), *texts]) == 0
"""


def test_texts_are_parsed_as_in_python_314(tmp_path) -> None:
    """There `ast` lacks what ir-measures 0.4.3 asks for; expected: the values of this Python."""
    script = tmp_path / "script.py"
    script.write_text(AS_IN_PYTHON_314)
    for arguments in (["alone"], []):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(script), *arguments],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    texts = dict(line.split("\t") for line in done.stdout.splitlines())
    values = evaluate(list(texts), pydocs.DATA / "qrels.txt", *run_files("bm25"))
    means = values.groupby("measure")["value"].mean().to_dict()
    assert {text: float(value) for text, value in texts.items()} == pytest.approx(means, abs=1e-4)
