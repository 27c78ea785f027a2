"""What options may be: all public functions ask the same declarations.

The declarations are in ``options.py`` or beside the function. What is wrong for which kind of
option, and where None is allowed (where the signature says so), is written down here by hand.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import plots
from pt_cumgain.options import OPTIONS, checked, choice
from pt_cumgain.plots._panels import PictureOptions
from pt_cumgain.writing.rendering import Table
from tests.support.helpers import PUBLIC

#: Values that are wrong for most options, each with the options for which it is right.
VALUES: list[tuple[Any, str]] = [
    (True, "bounds counts documents force ideal interval long perquery vectors verbose"),
    (
        "x",
        "caption correction highlight label latex path sep "
        "source text title per_session.queries to_queries.queries",
    ),
    ("", "caption correction highlight label latex source text title"),
    ("", "per_session.queries to_queries.queries"),
    ([], "style_systems.systems highlight names"),
    (-1, "level"),
    (10**30, "dpi level margin seed to_text.width tolerance"),
    (b"x", ""),
    (math.nan, ""),
    (math.inf, ""),
    (object(), ""),
    (pd.NA, ""),
]
#: Options that are a single value, but depend on the data or on other arguments.
ELSEWHERE = {"measure", "against", "reference", "baseline", "system", "compared_with"}
ELSEWHERE |= {"name", "x", "y"}


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function, but for those that it hands on."""
    found = inspect.signature(function).parameters
    return {name: each for name, each in found.items() if each.kind is not each.VAR_KEYWORD}


FUNCTIONS = [*filter(inspect.isfunction, PUBLIC.values()), Table.to_text, Table.to_latex]
CASES = [
    pytest.param(function, name, id=f"{function.__name__}-{name}")
    for function in FUNCTIONS
    for name in options_of(function)
    if name in getattr(function, "options", {})
]


def wrong_values(function: Callable[..., Any], name: str) -> list[Any]:
    """Those of VALUES that are wrong for an option, and None unless the signature has it."""
    names = {name, f"{function.__name__}.{name}"}
    right = [value for value, of in VALUES if names & set(of.split())]
    wrong = [value for value, _ in VALUES if not any(value is other for other in right)]
    parameter = options_of(function)[name]
    has_none = parameter.default is None or "None" in str(parameter.annotation)
    return wrong if has_none else [*wrong, None]


@pytest.mark.parametrize(("function", "name"), CASES)
def test_wrong_values_are_refused_in_words(function: Any, name: str) -> None:
    """The first word of the message is the argument, whatever the others are."""
    parameters = options_of(function)
    required = {
        each: function.options[each].examples[0] if each in function.options else None
        for each, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    for value in wrong_values(function, name):
        with pytest.raises((ValueError, TypeError)) as caught:
            function(**{**required, name: value})
        said = str(caught.value)
        assert said.startswith(f"{name}="), (value, said)
        assert "must be" in said or "is unknown; choose from" in said


@pytest.mark.parametrize(("function", "name"), CASES)
def test_examples_and_defaults_are_allowed(function: Any, name: str) -> None:
    """The examples hold NumPy's numbers and None, where None is allowed."""
    default, option = options_of(function)[name].default, function.options[name]
    for value in [*option.examples, *([] if default is inspect.Parameter.empty else [default])]:
        assert option.check(name, value) == value


def test_every_option_of_a_simple_type_is_declared() -> None:
    """So that a new option cannot be forgotten; the types are those of the signatures."""
    simple = {"bool", "int", "float", "str"}
    for function in FUNCTIONS:
        for name, parameter in options_of(function).items():
            kinds = set(str(parameter.annotation).replace(" ", "").split("|")) - {"None"}
            if kinds and kinds <= simple and name not in ELSEWHERE:
                assert name in function.options, (function, name)
                assert hasattr(function, "__wrapped__"), function


def test_numbers_of_any_kind_are_allowed() -> None:
    """As users compute them; functions get Python's, which do not overflow and fit into JSON."""
    given = {"alpha": np.float32(0.05), "depth": np.int32(5), "limit": np.uint8(5), "seed": 2**64}
    for name, value in {**given, "perquery": np.True_, "figsize": np.array([3.0, 2.0])}.items():
        got = OPTIONS[name].check(name, value)
        assert np.array_equal(got, value)
        assert not isinstance(got, np.generic)


def test_a_checked_function_is_itself_in_name_and_signature() -> None:
    @checked
    def compute(frame: Any, depth: int = 3, *rest: Any, other: Any = None) -> Any:
        """Compute."""
        return frame, depth, rest, other

    assert compute("f", 5, 6, other=7) == ("f", 5, (6,), 7)
    assert compute.__doc__ == "Compute."
    assert list(inspect.signature(compute).parameters) == ["frame", "depth", "rest", "other"]
    assert [type(value) for value in compute(np.int8(1), np.int8(2))[:2]] == [np.int8, int]
    with pytest.raises(ValueError, match="depth=0 must be"):
        compute("f", 0)


def test_a_function_declares_options_of_its_own() -> None:
    @checked(depth=choice("deep", "flat").optional(), kind=choice("x"))
    def compute(depth: str | None, kind: str = "x", decimals: int = 3, other: Any = None) -> Any:
        return depth, kind, decimals, other

    assert compute("deep") == ("deep", "x", 3, None)
    assert compute(None, other=5) == (None, "x", 3, 5)
    assert list(compute.options) == ["depth", "kind", "decimals"]
    assert compute.options["depth"].choices == ("deep", "flat")
    for given, message in (
        ({"depth": 5}, "depth=5 is unknown; choose from deep, flat, or None"),
        ({"depth": "flat", "kind": "y"}, "kind='y' is unknown; choose from x"),
        ({"depth": "flat", "decimals": -1}, "decimals=-1 must be a whole number"),
    ):
        with pytest.raises(ValueError, match=message):
            compute(**given)
    with pytest.raises(ValueError, match="depth='deep' must be a whole number"):
        OPTIONS["depth"].check("depth", "deep")


def test_an_unknown_keyword_is_refused_by_the_function_that_was_called() -> None:
    curves = pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 2], "value": [1.0, 3.0]})
    for call, words in (
        (lambda: plots.plot_curves(curves, figsizes=(3, 3)), "argument 'figsizes'; .* figsize?"),
        (lambda: pt_cumgain.intervals({}, alpha=1), "argument 'alpha'; it accepts results, conf"),
        (lambda: plots.plot_curves(curves, 3), "2 arguments by position; give these by name: "),
        (lambda: pt_cumgain.evaluate("CG", {}), "missing a required argument: 'run'"),
    ):
        with pytest.raises(TypeError, match=rf"^\w+\(\): (unknown )?{words}"):
            call()


def test_the_signature_of_a_plot_has_the_options_of_its_panels() -> None:
    for name in plots.__all__:
        if name.startswith("plot_"):
            shown = inspect.signature(getattr(plots, name)).parameters
            assert not [p for p in shown.values() if p.kind is p.VAR_KEYWORD]
            shared = ["figsize", "ax"]
            assert [option for option in shown if option in shared] == shared, name
            for option in shared:
                assert shown[option].default is None
                kind = PictureOptions.__annotations__[option].__forward_arg__
                assert shown[option].annotation == kind
