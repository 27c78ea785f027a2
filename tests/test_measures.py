"""The measures as objects: parameters, identity, printing, parsing, refusals."""

import copy
import inspect
import pickle
import pydoc
import random
import re
import typing

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from ir_measures.providers.base import NOT_PROVIDED

from pt_cumgain import CG, DCG, nCG, nDCG, sDCG
from pt_cumgain.inputs.measures import parse_measures
from pt_cumgain.measures import MEASURES, as_cumulated_gain
from pt_cumgain.weighting import Weighting
from tests.support.strategies import parameters

ALL = [CG, DCG, nCG, nDCG]


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        (CG, "CG"),
        (CG(gains="0–1–10–100") @ 5, "CG(gains='0-1-10-100')@5"),
        (DCG(gains={3: 100.0, 2: 10}), "DCG(gains={2:10,3:100})"),
        (DCG(gains={-2: -1, 1: 0.5}), "DCG(gains='-2:-1,1:0.5')"),
        (DCG(base=10.0, discount="original"), "DCG(discount='original',base=10)"),
        (DCG(base=2, discount="original"), "DCG(discount='original')"),
        (nCG(avg_pos=True) @ 100, "nCG(avg_pos=True)@100"),
        (nCG(at_r=True, avg_pos=np.bool_(True)), "nCG(avg_pos=True,at_r=True)"),
        (nDCG(judged_only=True, gains="exp", at_r=False), "nDCG(gains='exp',judged_only=True)"),
        (nDCG(gains={1: 1}), "nDCG(gains='level')"),
        (CG(gains="level") @ 10, "CG@10"),
        (sDCG(padding=20) @ 30, "sDCG(padding=20)@30"),  # more than the default cutoff
    ],
)
def test_printed_form(measure, printed: str) -> None:
    assert str(measure) == repr(measure) == printed
    assert ir_measures.parse_measure(printed) == measure


@given(chosen=parameters(list(MEASURES)))
def test_a_measure_parses_back_and_ignores_the_order_of_its_parameters(chosen) -> None:
    name, ours = chosen
    measure = MEASURES[name](**ours)
    items = list(ours.items())
    random.Random(len(items)).shuffle(items)
    step_by_step = MEASURES[name](**{k: v for k, v in items if k not in ("cutoff", "base")})
    step_by_step = step_by_step(**{k: v for k, v in items if k in ("cutoff", "base")})
    copies = [
        ir_measures.parse_measure(str(measure)),
        MEASURES[name](**dict(items)),
        step_by_step,
        copy.deepcopy(measure),
        pickle.loads(pickle.dumps(measure)),
    ]
    for other in copies:
        assert other == measure
        assert hash(other) == hash(measure)
        assert other.params == measure.params
        assert as_cumulated_gain(other).spec == measure.spec  # plain nDCG comes back as the host's
    assert len({measure, *copies}) == 1


@pytest.mark.parametrize("name", MEASURES)
def test_a_declaration_is_all_there_is(name: str) -> None:
    measure = MEASURES[name]
    declared = measure.SUPPORTED_PARAMS
    for signature in (inspect.signature(measure), inspect.signature(type(measure))):
        assert list(signature.parameters) == list(declared)
        for parameter, param in declared.items():
            assert signature.parameters[parameter].kind is inspect.Parameter.KEYWORD_ONLY
            default = signature.parameters[parameter].default
            assert default == (None if param.default is NOT_PROVIDED else param.default)
    plain = measure.spec
    for parameter in declared:
        if parameter != "dcg":  # it is gains by another name
            assert getattr(plain, parameter) == measure.default(parameter)
    heads = re.findall(r"^(\w+) : (?:.*, default (.*))?", declared.describe(), re.MULTILINE)
    defaults = ["" if x.default is NOT_PROVIDED else repr(x.default) for x in declared.values()]
    assert heads == list(zip(declared, defaults, strict=True))


@pytest.mark.parametrize("measure", [*ALL, nDCG(gains="exp") @ 10], ids=str)
def test_help_of_a_measure_is_its_documentation(measure) -> None:
    """Not the methods and attributes of a class; and it fits a terminal of 80 columns."""
    _, _, *body = pydoc.render_doc(measure, renderer=pydoc.plaintext).splitlines()
    assert body[0] == f"{measure.__name__} = {measure}"
    assert [line.removeprefix("    ") for line in body[1:]] == measure.__doc__.splitlines()
    assert max(map(len, body)) <= 80


@pytest.mark.parametrize(
    ("gains", "plain"),
    [
        ("0–1–10", "0-1-10"),
        ({3: 100.0, 1: 1, 2: 0.5}, {2: 0.5, 3: 100}),
        ("3:100,2:0.5", {2: 0.5, 3: 100}),
        (Weighting.parse({-2: -1}), "-2:-1"),
    ],
)
def test_the_parameters_of_a_measure_are_plain_values(gains, plain) -> None:
    """As those of ir-measures are: what a user may write, in the form in which it is printed."""
    measure = DCG(gains=gains, discount="original") @ 10
    assert measure.params == {"cutoff": 10, "gains": plain, "discount": "original"}
    assert type(measure.params["gains"]) is type(plain)
    assert measure["gains"] == measure(base=3)["gains"] == plain
    assert measure.spec.gains == Weighting.parse(gains)


def test_none_leaves_out_a_parameter_that_has_no_default() -> None:
    assert CG(cutoff=None, gains=None) == CG == CG(gains=Weighting())
    assert (CG @ 10)(cutoff=None) == CG


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CG(gain='0-1')", r"'gain'; it accepts cutoff, .*; did you mean gains\?$"),
        ("CG(discount='rank')", "CG: unknown parameter 'discount'"),
        ("nDCG@0", "nDCG: cutoff=0"),
        ("CG@1" + "0" * 400, r"CG: cutoff=10+\.\.\.0+ "),
        ("DCG(discount='revised',base=1)", "DCG: base=1 must be .* greater than 1"),
        ("nDCG(base=2)@10", "nDCG: base=2: .*'log2' has no base"),
        ("DCG(discount='log')", "discount='log' .*log2, original"),
        ("CG(gains='0-1-x')", "gains='0-1-x' .*scheme"),
        ("nDCG(gains='1:-1')", "nDCG: gains='1:-1' .*negative"),
        ("CG(ties='mean')", "ties='mean' is unknown; choose from doc_id, average, best"),
        ("CG(at_r=True)@10", "at_r=True .*cutoff=10"),
        ("nDCG(dcg='exp-log2',discount='original')@10", "write gains='exp'"),
        ("nDCG(dcg='exp-log2',gains='exp')", "gains"),
        ("nCG(unjudged=1)", "unjudged=1: normalised measures"),
        ("gR(unjudged=1)", "unknown parameter 'unjudged'"),
        ("CG(unjudged=1,judged_only=True)", "judged_only=True drops unjudged documents"),
        ("sDCG(unjudged=1,duplicates='first')", "duplicates='first'"),
        ("gP(gains='1:-1')", "negative gain"),
        ("gP(gains='3:9')", "has no largest gain; gP needs its scale"),
        ("sDCG(bq=2,query_discount='none')", "'none' has no base; these have one: revised, shif"),
        ("sDCG(query_discount='log2')", "query_discount='log2' is unknown; choose from revised"),
        ("sDCG(duplicates='last')", "duplicates='last' is unknown; choose from count, first"),
        ("sDCG(b=2)", "did you mean base?"),
        ("sDCG(at_r=True)", "unknown parameter 'at_r'; it accepts cutoff, gains, discount, base"),
        ("nsDCG(discount='sigir2000',base=3)", "sigir2000"),
        ("nsDCG(gains='1:-1')", "negative gain"),
    ],
    ids=lambda text: text[:60],
)
def test_a_text_that_is_refused(text: str, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        ir_measures.parse_measure(text)


QRELS, RUN, AVERAGE = {"q": {"a": 1}}, {"q": {"a": 1.0}}, nCG(avg_pos=True)
ONE = nDCG(gains="0-1-10") @ 10
IS_ONE = rf"{re.escape(str(ONE))} is one measure, not a list of measures; write \["


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CG(unjudged=10**400), "must be a finite number"),
        (lambda: CG(foo=None), "CG: unknown parameter 'foo'"),
        (lambda: ir_measures.nDCG(gain={2: 10}) @ 5, r"'gain'; .*; did you mean gains\?$"),
        (lambda: parse_measures("P(cutoff='5')"), "^P: invalid param cutoff='5'$"),
        (lambda: nCG(gains="bogus"), "give a scheme"),
        (lambda: parse_measures("nDCG(cutoff=10)@20"), "has two cutoffs; omit one"),
        # functions that take a list loop over what they are given
        (lambda: list(ONE), IS_ONE),
        (lambda: next(iter(nDCG @ 5)), "nDCG@5 is one measure, not a list"),
        (lambda: "mrt" in ONE, IS_ONE),
        (lambda: ONE[0], IS_ONE),
        # when it is used, because a later @k may supply the rank
        (lambda: AVERAGE.calc_aggregate(QRELS, RUN), r"nCG\(avg_pos=True\): .* give a cutoff"),
    ],
)
def test_what_is_refused(call, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_annotations_resolve_without_the_module(measure) -> None:
    """As documentation tools read an object's: PyTerrier's site warned of ``inspect``."""
    assert typing.get_type_hints(measure) == {}


def test_parameters_by_position_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^nDCG accepts parameters by name only; write nDCG @ 10$"):
        nDCG(10)
