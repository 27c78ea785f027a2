"""The faults of the hosts for which importing changes them, and what other plugins have put there.

A test that is named in the table of `pt_cumgain.hosts.ir_measures` shows the fault without this
package. If it fails with a new version of a host, remove the change.
"""

import re
import subprocess
import sys
from collections import Counter

import ir_measures
import pytest
from ir_measures.measures.ndcg import _nDCG as HostNDCG

from pt_cumgain import nDCG
from pt_cumgain.hosts import ir_measures as hosts
from tests.support.helpers import ours, run_python
from tests.support.samples import random_data

#: PyTerrier imports this package by its entry point, which is hidden here.
ALONE = """
import sys
from importlib import metadata
entry_points = metadata.entry_points
metadata.entry_points = lambda **given: metadata.EntryPoints(
    point for point in entry_points(**given) if point.name != "cumgain"
)
import ir_measures
from ir_measures import AP, nDCG
qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
"""


def run_alone(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process where this package is not imported."""
    code = f"{ALONE}{code}\nassert 'pt_cumgain' not in sys.modules"
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_table_names_these_tests() -> None:
    named = re.findall(r"``(\w+)``$", hosts.__doc__, re.MULTILINE)
    assert len(named) == 7
    assert {f"test_{name}" for name in named} <= globals().keys()


def test_parameters() -> None:
    """The measure cannot even be printed; nor is one that is given as text refused when read."""
    assert run_alone("made = nDCG(discount='log2')").returncode == 0
    assert "KeyError" in run_alone("print(nDCG(discount='log2'))").stderr
    read = "made = ir_measures.parse_measure(\"nDCG(gains='0-1')\")"
    assert run_alone(read).returncode == 0
    assert "AssertionError" in run_alone(f"{read}.calc_aggregate(qrels, run)").stderr


def test_cutoff_0() -> None:
    assert run_alone("(nDCG @ 0).calc_aggregate(qrels, run)").returncode < 0  # by a signal
    with pytest.raises(ValueError, match="nDCG: cutoff=0 must be a whole number from 1"):
        ir_measures.nDCG @ 0


@pytest.mark.slow
def test_texts() -> None:
    done = run_alone(
        "import pyterrier as pt, pandas as pd\n"
        "qrels = pd.DataFrame({'qid': ['q'], 'docno': ['a'], 'label': [1]})\n"
        "pt.Experiment([qrels.assign(score=1.0, rank=0)], qrels[['qid']], qrels, ['P(rel=2)@5'])"
    )
    assert re.search(r"ValueError: un\w+ measure P\(rel=2\)@5", done.stderr)


def test_labels() -> None:
    done = run_alone("AP.calc_aggregate({'q': {'a': 1.5}}, run)")
    assert done.returncode
    assert "1.5" not in done.stderr.splitlines()[-1]


def test_two_ndcgs() -> None:
    """The host's provider, without ours before it, computes one of the two wrongly."""
    qrels, run = random_data(1)
    both = [HostNDCG(gains={3: 50, 4: 100}, cutoff=10), HostNDCG(cutoff=10)]
    host = ir_measures.pytrec_eval
    alone = {m: host.calc_aggregate([m], qrels, run)[m] for m in both}
    assert host.calc_aggregate(both, qrels, run) != alone
    assert ir_measures.calc_aggregate(both, qrels, run) == pytest.approx(alone)


#: Removes what Python 3.14 has no longer.
IN_PYTHON_314 = """
import ast
for name in ("Num", "Str", "NameConstant", "Bytes", "Ellipsis"):
    getattr(ast, "_deprecated_globals", vars(ast)).pop(name, None)
    assert not hasattr(ast, name)
"""


def test_python_314() -> None:
    done = run_alone(f"{IN_PYTHON_314}\nir_measures.parse_measure('P(rel=2)@5')")
    assert "AttributeError" in done.stderr


READ = """
import ir_measures, pt_cumgain
for text in ("nDCG(gains='0-1',discount='original',base=10)@10", "nDCG(gains={1:5,2:10})@10",
             "CG(judged_only=True)@5", "nDCG@10", "P(rel=2)@5", "AP"):
    assert str(ir_measures.parse_measure(text)) == text
for wrong in ("nDCG(gains=[1])@10", "nDCG(gains=-1)@10", "nDCG(gains=b'x')@10"):
    try:
        print(ir_measures.parse_measure(wrong))
    except ValueError as error:
        assert "values must be str" in str(error)
"""


def test_texts_are_read_in_python_314() -> None:
    assert run_python(IN_PYTHON_314 + READ) == ""


@pytest.mark.slow
def test_late_measures() -> None:
    done = run_alone(
        "import pyterrier.measures\n"
        "ir_measures.measures.registry['New'] = AP\n"
        "assert not hasattr(pyterrier.measures, 'New')"
    )
    assert (done.returncode, done.stderr) == (0, "")


OTHER = """
import ir_measures
from ir_measures import AP, nDCG
from ir_measures.measures.ndcg import _nDCG as HostNDCG
seen = []
def note(name, former):
    def theirs(*args, **params):
        seen.append(name)
        return former(*args, **params)
    return theirs
class Theirs(HostNDCG):
    pass
HostNDCG.__new__ = lambda kind, **params: seen.append("nDCG") or object.__new__(
    Theirs if "theirs" in params else kind
)
ir_measures.parse_trec_measure = note("texts", ir_measures.parse_trec_measure)
ir_measures.pytrec_eval._evaluator = note("pytrec_eval", ir_measures.pytrec_eval._evaluator)
import pt_cumgain
from pt_cumgain.hosts.ir_measures import register
register()
register()
seen.clear()
assert [str(m) for m in ir_measures.parse_trec_measure("map")] == ["AP"] and seen == ["texts"]
assert str(ir_measures.parse_trec_measure("CG@5")[0]) == "CG@5" and seen == ["texts"] * 2
assert AP.calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}}) == 1 and seen[2:] == ["pytrec_eval"]
assert type(nDCG(cutoff=5)) is HostNDCG and seen[3:] == ["nDCG"]
assert type(nDCG(theirs=1)) is Theirs and seen[3:] == ["nDCG"] * 2
assert type(nDCG(gains="0-1")) is type(pt_cumgain.nDCG)
"""


def test_what_another_plugin_has_put_there_is_kept_and_called() -> None:
    assert run_python(OTHER) == ""


def test_pytrec_eval_may_be_missing() -> None:
    code = (
        "import ir_measures\n"
        "del ir_measures.providers.registry['pytrec_eval']\n"
        "import pt_cumgain\n"
        "print(pt_cumgain.CG.calc_aggregate({'q': {'a': 2}}, {'q': {'a': 1.0}}))"
    )
    assert run_python(code) == "2.0\n"


def test_a_measure_of_the_host_with_our_name_stays(monkeypatch) -> None:
    import pyterrier as pt

    theirs, registry = ir_measures.P, ir_measures.measures.registry
    monkeypatch.setitem(registry, "CG", theirs)
    monkeypatch.setattr(pt.measures, "CG", theirs)
    monkeypatch.delitem(registry, "nCG")
    with pytest.warns(UserWarning, match=r"a measure CG .* pt_cumgain\.CG") as issued:
        hosts.register()
    assert [one.filename for one in ours(issued)] == [__file__]
    assert registry["CG"] is pt.measures.CG is theirs
    assert str(registry["nCG"]) == str(pt.measures.nCG) == "nCG"
    assert registry["nDCG"] is registry["NDCG"] is pt.measures.nDCG is ir_measures.nDCG


def test_registering_again_changes_nothing(recwarn) -> None:
    def state() -> list[object]:
        pipeline = [provider.NAME for provider in ir_measures.DefaultPipeline.providers]
        changed = [HostNDCG.__new__, ir_measures.parse_trec_measure]
        return [dict(ir_measures.measures.registry), pipeline, *changed]

    before = state()
    hosts.register()
    assert state() == before
    assert before[1][0] == "cumgain-first"
    assert before[1][-1] == "cumgain"
    assert not ours(recwarn)


def test_a_measure_is_checked_once_in_an_experiment(monkeypatch) -> None:
    import pyterrier as pt

    from pt_cumgain import pydocs, topics_of
    from pt_cumgain.weighting import Weighting

    measure, called = nDCG(gains="0-1-10-100") @ 10, Counter[str]()
    owners = [type(nDCG), type(nDCG), Weighting]
    for owner, name in zip(owners, ("validate_params", "_check", "parse")):
        former = getattr(owner, name)
        counted = lambda *a, name=name, former=former: called.update([name]) or former(*a)  # noqa: E731
        monkeypatch.setattr(owner, name, counted)
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    pt.Experiment(pydocs.runs(), topics_of(qrels), qrels, [measure])
    assert called["validate_params"] > 10 * len(pydocs.runs())
    assert (called["_check"], called["parse"]) == (1, 2)  # the engine needs the weighting, too


def test_a_provider_can_be_loaded_while_ir_measures_is_imported() -> None:
    """As on the branch entry-points of ir-measures (221b22d1), which then sorts by PRIORITY."""
    code = """
import sys
from importlib import util
spec = util.find_spec("ir_measures")
half = sys.modules["ir_measures"] = util.module_from_spec(spec)
source = spec.loader.get_source("ir_measures")
before, line, after = source.partition("from ir_measures import providers\\n")
exec(before, vars(half))
from pt_cumgain.hosts.ir_measures import FirstProvider, provider
assert not hasattr(half, "Provider"), "not half loaded"
exec(line + after, vars(half))
every = [provider, *half.DefaultPipeline.providers, FirstProvider()]
every.sort(key=lambda one: getattr(one, "PRIORITY", 0.0))
half.DefaultPipeline.providers = every
assert (every[0].NAME, every[-1]) == ("cumgain-first", provider)
print(half.calc_aggregate([half.parse_measure("CG@1")], {"q": {"d": 2}}, {"q": {"d": 1.0}}))
"""
    assert run_python(code) == "{CG@1: 2.0}\n"
    code = """
import sys
class Watch:
    def find_spec(name, *_):
        if name == "pt_cumgain.hosts.ir_measures":
            print(hasattr(sys.modules.get("ir_measures"), "DefaultPipeline"))
sys.meta_path.insert(0, Watch)
import pt_cumgain
"""
    assert run_python(code) == "True\n"
