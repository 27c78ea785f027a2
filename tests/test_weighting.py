"""Weightings of relevance levels: what is written, the gains, the canonical form, refusals."""

import copy
import math

import numpy as np
import pytest

from pt_cumgain.weighting import Weighting


class TestWeighting:
    @pytest.mark.parametrize(
        ("written", "canonical", "gains"),
        [
            ("0-1-10-100", "0-1-10-100", [0, 0, 1, 10, 100]),  # TOIS 2002, section 3.2
            ("0–1–10–100", "0-1-10-100", [0, 0, 1, 10, 100]),  # en dashes, as it is printed there
            (" 0 - 0 - 0 - 1 ", "0-0-0-1", [0, 0, 0, 0, 1]),
            ("00-1.0-0.0000001-5.5", "0-1-0.0000001-5.5", [0, 0, 1, 1e-7, 5.5]),
            ("1-1-1-1", "1-1-1-1", [0, 1, 1, 1, 1]),  # level 0 has a gain, those below have none
            ({2: 10, 3: 100}, {2: 10, 3: 100}, [0, 0, 1, 10, 100]),  # as ir-measures' nDCG takes it
            ("3:100,2:10.0", {2: 10, 3: 100}, [0, 0, 1, 10, 100]),  # in any order
            ({1: 1, 2: 10.0, 0: 0}, {2: 10}, [0, 0, 1, 10, 3]),
            ("-2:-1, 0:0.5", "-2:-1,0:0.5", [-1, 0.5, 1, 2, 3]),  # the syntax has no minus
            ({-2: -2}, "-2:-2", [-2, 0, 1, 2, 3]),  # says something: left out, it would gain 0
            ({-1: -1, -0.5: -0.5}, "-1:-1,-0.5:-0.5", [0, 0, 1, 2, 3]),
            ({-2: 0, 1: -0.5}, "-2:0,1:-0.5", [0, 0, -0.5, 2, 3]),
            ({0.5: 1}, {0.5: 1}, [0, 0, 1, 2, 3]),
            ({0: 1, 2: 0}, {0: 1, 2: 0}, [0, 1, 1, 0, 3]),  # 0 is not negative
            ({}, "level", [0, 0, 1, 2, 3]),
            ("level", "level", [0, 0, 1, 2, 3]),
            ("exp", "exp", [0, 0, 1, 3, 7]),
        ],
    )
    def test_gains_and_canonical_form(self, written, canonical, gains: list[float]) -> None:
        weighting = Weighting.parse(written)
        assert weighting.gain([-2, 0, 1, 2, 3]).tolist() == gains
        assert weighting.canonical == canonical
        assert Weighting.parse(canonical) == weighting
        given = Weighting(written)
        assert (given, hash(given), repr(given)) == (weighting, hash(weighting), repr(weighting))
        assert copy.deepcopy(given).gain([2, 3]).tolist() == gains[-2:]

    def test_a_zero_has_no_sign(self) -> None:
        weighting = Weighting.parse({-0.0: 1, 1: -0.0})
        assert not np.signbit(weighting.weights).any()
        assert not np.signbit(weighting.gain([0, 1])).any()

    def test_real_levels(self) -> None:
        assert Weighting().gain([0.5, 2.25]).tolist() == [0.5, 2.25]
        assert Weighting.parse("exp").gain([0.5]).tolist() == pytest.approx([math.sqrt(2) - 1])
        half = Weighting.parse("exp").gain(np.float32([0.5]))  # single precision as double
        assert half.tolist() == Weighting.parse("exp").gain([0.5]).tolist()
        assert Weighting.parse({0.5: 3}).gain([0.5, 0.7]).tolist() == [3, 0.7]
        # a scheme names whole levels from 0 up; what is below gains nothing
        assert Weighting.parse("1-1").gain([-0.5, 0, 1]).tolist() == [0, 1, 1]

    @pytest.mark.parametrize(
        ("written", "judged"),
        [
            ({}, [False, False, False, True, True]),  # as in trec_eval
            ("1-2", [False, False, False, True, True]),
            ({-1: 0}, [False, True, False, True, True]),  # what is named is a judgment
        ],
    )
    def test_levels_that_are_judgments(self, written, judged: list[bool]) -> None:
        assert Weighting.parse(written).is_judgment([-2, -1, -0.5, 0, 1]).tolist() == judged

    @pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")
    def test_the_first_level_without_a_gain_is_shown(self) -> None:
        """2^1024 is the first power of 2 that no float can hold."""
        for level in (3, 1.5, 0.5):
            message = f"'0-1-2' has no weight for the relevance level {level} .* levels 0 to 2$"
            with pytest.raises(ValueError, match=message):
                Weighting.parse("0-1-2").gain([-1, 1, level, 4])
        assert Weighting.parse("exp").gain([1023]).tolist() == [2.0**1023]
        with pytest.raises(ValueError, match="'exp': the gain of level 1024 is not finite"):
            Weighting.parse("exp").gain([1, 1024, 2000])

    @pytest.mark.parametrize(
        ("wrong", "kind", "message"),
        [
            *(
                (text, ValueError, "is not a weighting; give a scheme such as '0-1-10-100'")
                for text in ("", "abc", "5", "0-1-", "0--1", "2:10;3:100", "1:2:3")
            ),
            (3, TypeError, "gains=3"),
            ([0, 1], TypeError, r"gains=\[0, 1\]"),
            ({1: "a"}, ValueError, "'a'"),
            ({"1": 2}, ValueError, "'1'"),
            ({1: math.inf}, ValueError, "finite"),
            ("1:2,1:3", ValueError, "1 twice"),
            ("0" + "-1" * 1000, ValueError, "lists 1001 levels, more than 1000"),
            (f"0-{10**400}", ValueError, "weight inf"),
        ],
    )
    def test_what_is_refused(self, wrong, kind: type[Exception], message: str) -> None:
        with pytest.raises(kind, match=message):
            Weighting.parse(wrong)
