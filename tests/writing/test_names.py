"""The names of measures in tables and figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

from pt_cumgain import CG
from pt_cumgain.measures import MEASURES
from pt_cumgain.parameters import Param, Params
from pt_cumgain.plots import name_measures
from pt_cumgain.writing.names import explain_names, read_names
from tests.support.strategies import parameters

DRAWN = parameters([*MEASURES]).map(lambda drawn: MEASURES[drawn[0]](**drawn[1]))


@given(st.lists(DRAWN, min_size=1, max_size=6, unique_by=str), st.booleans())
def test_names_are_distinct_and_begin_with_the_measure(measures: list, long: bool) -> None:
    names = name_measures(measures, long=long)
    assert list(names) == list(map(str, measures))
    assert len(set(names.values())) == len(measures)
    for measure in measures:
        assert names[str(measure)].startswith(measure.__name__)
        assert not long or len(names[str(measure)]) >= len(name_measures(measures)[str(measure)])
    for form in ("latex", "mathtext"):
        assert len(set(name_measures(measures, form=form, long=long).values())) == len(measures)


@given(st.lists(DRAWN, min_size=2, max_size=6, unique_by=str), st.booleans())
def test_a_base_is_in_all_names_of_measures_that_have_it_or_in_none(measures, long) -> None:
    """Or a measure would seem to have another one than a measure beside it."""
    names, shown = name_measures(measures, long=long), dict[bool, set[bool]]()
    for measure, text in zip(measures, names, strict=True):
        if names[text] == text and "(" in text:
            continue  # two names would be equal
        discount = measure.params.get("discount", "revised" if "sDCG" in text else "log2")
        based = "DCG" in text and discount in ("original", "revised", "sigir2000", "shifted")
        shown.setdefault(based, set()).add("b = " in names[text])
    assert shown.get(False, {False}) == {False}
    assert len(shown.get(True, {True})) == 1


@given(DRAWN)
def test_names_in_mathtext_can_be_set(measure) -> None:
    (name,) = name_measures(measure, form="mathtext").values()
    MathTextParser("path").parse(name)


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        (["nDCG(gains='0-1-10-100')@10"], ["nDCG@10 (0-1-10-100)"]),  # or it would seem plain
        (["nDCG(discount='original')@10", "nDCG(discount='original',base=10)@10"],
         ["nDCG@10 (b = 2)", "nDCG@10 (b = 10)"]),
        (["nDCG(gains='exp',discount='revised')@5", "nDCG(gains='exp')@5"],
         ["nDCG@5 (ECIR 2008, b = 2)", "nDCG@5"]),
        (["nDCG(at_r=True)", "CG(avg_pos=True)@9"], ["nDCG@R", "CG@9 (mean over ranks)"]),
        (["nDCG(gains='level')@10", "nDCG@10"], ["nDCG(gains='level')@10", "nDCG@10"]),
        (["nDCG(gains='0-1-2-3-4-5-6-7-8')@5"], ["nDCG@5 (0-1-2-…-8)"]),
        (  # of one base
            ["nsDCG@10", "nsDCG(duplicates='first')@10", "CG@5"],
            [
                "nsDCG@10 (b = 2, b_q = 4)",
                "nsDCG@10 (b = 2, b_q = 4, repeated documents count once)",
                "CG@5",
            ],
        ),
        (  # the base is the same, and the note says so
            ["nsDCG@10", "nsDCG(duplicates='first')@10"],
            ["nsDCG@10", "nsDCG@10 (repeated documents count once)"],
        ),
    ],
)  # fmt: skip
def test_a_name_has_what_sets_the_measure_apart(measures: list[str], names: list[str]) -> None:
    """Expected: by hand, from what a paper would print."""
    assert list(name_measures(measures).values()) == names


def test_a_new_parameter_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class _Trial(type(CG)):
        """A trial."""

        __name__ = "CG"
        SUPPORTED_PARAMS = Params(
            **CG.SUPPORTED_PARAMS, new_one=Param(lambda _, value: value, int, "", default=1)
        )

    monkeypatch.setattr("pt_cumgain.writing.names.find_own_measure", lambda measure: measure)
    trial = _Trial()
    (name,) = [name.write() for name in read_names([trial(new_one=5) @ 3]).values()]
    assert name == "CG@3 (new one = 5)"


MAPPING = "levels with their gains (another level is its own gain, or 0 if it is below 0)"


@pytest.mark.parametrize(
    ("measures", "sentences"),
    [
        (["nDCG@10", "AP"], []),
        (["nDCG(discount='log2')@10", "AP"], []),
        (
            ["nDCG(gains={1:2,2:5,3:7})@10", "nDCG(gains='-1:0.5,1:2')@10", "sDCG(padding=3)@10"],
            [
                f"1:2, 2:5, 3:7: {MAPPING}; -1:0.5,1:2: {MAPPING}; "
                "padding = 3: the positions that each query takes at least."
            ],
        ),
        (["nDCG(gains='exp')@10", "AP"], ["exponential: gain = 2^level - 1."]),
        (["CG@5", "CG(avg_pos=True)@5"],
         ["mean over ranks: the mean of the values at ranks 1 to k."]),
        (["CG(gains='0-1')@5", "CG(gains='0-2')@5", "CG(gains='0-1-9')@5"],
         ["0-1 and 0-2: gains of levels 0 to 1; 0-1-9: gains of levels 0 to 2."]),
        (
            ["DCG(discount='revised')@5", "DCG(at_r=True)"],
            [
                "R: the number of a topic's documents with a positive gain; "
                "ECIR 2008: discount 'revised', 1 + log_b(i)."
            ],
        ),
    ],
)  # fmt: skip
def test_a_sentence_explains_names(measures: list[str], sentences: list[str]) -> None:
    """What they say in short, and what they leave out since all have it."""
    assert explain_names(read_names(measures)) == sentences
