"""The values that function options may have: declared once, and checked on every call."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial, wraps
from inspect import Parameter, signature
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar, get_args, overload

import numpy as np

from pt_cumgain.environment.terminal import show

P = ParamSpec("P")
R = TypeVar("R")
#: Classes, as isinstance takes them.
Kinds: TypeAlias = type | tuple[type, ...]

Average = Literal["topics", "vectors"]
Missing = Literal["zero", "skip"]
Over = Literal["gains", "discount", "both", "judgments", "pool"]
Scores = Literal["double", "float32"]

#: The tests of pairs of systems, and their names in a sentence.
PAIR_TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "randomisation": "paired randomisation test",
    "randomised-tukey": "randomised Tukey HSD test",
    "conover": "Conover's post-hoc test",
}

#: The defaults of the confidence level, of the number of decimals, and of the last rank.
CONFIDENCE_LEVEL = 0.95
DECIMALS = 3
DEPTH = 100

#: More ranks, or queries of a session, than any run has.
MOST = 10**8

#: The decimals of the smallest float.
MOST_DECIMALS = 1074

#: The most ranks at which something is computed for each rank.
DEEPEST = 10_000_000
#: The deepest cutoff at which what is judged, and what is not, is looked at beside other things.
POOLED = 100

_NONE = type(None)


class Option(NamedTuple):
    """The values that an option may have.

    Attributes
    ----------
    allows
        Returns whether a value is allowed.
    words
        What an error says of a value that is not.
    examples
        Values that are allowed.
    error
        The class of the error.
    choices
        All texts that are allowed, if it is a choice of texts.
    """

    allows: Callable[[object], bool]
    words: str
    examples: tuple[object, ...]
    error: type[Exception] = ValueError
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: object) -> Any:
        """Return a value, of NumPy's as Python's; refuse one that is not allowed, by its name."""
        if not self.allows(value):
            raise self.error(f"{name}={show(value)} {self.words}")
        value = float(value) if isinstance(value, Fraction) else value  # which NumPy cannot use
        return value.item() if isinstance(value, np.generic) else value

    def optional(self, kinds: Kinds = _NONE, words: str = "None", example: object = None) -> Option:
        """Return an option that may also be None, or an instance of other classes."""

        def allows(value: object) -> bool:
            return isinstance(value, kinds) or self.allows(value)

        words, examples = f"{self.words}, or {words}", (*self.examples, example)
        return self._replace(allows=allows, words=words, examples=examples)


def _is(value: Any, kind: type) -> bool:
    """Return whether a value is a finite number of this kind, and not beyond floats.

    True and False do not count as numbers.
    """
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if isinstance(value, np.floating):
        value = float(value)  # NumPy would round the largest float to its precision
    return is_number and bool(abs(value) <= sys.float_info.max)


def number(
    words: str,
    *examples: object,
    least: float = -inf,
    above: float = -inf,
    below: float = inf,
    most: float = inf,
) -> Option:
    """Return an option that is a finite number between two; words say which numbers it may be."""

    def allows(value: Any) -> bool:
        return _is(value, Real) and least <= value <= most and above < value < below

    return Option(allows, f"must be {words}", examples)


def whole(least: int = 1, most: int = MOST) -> Option:
    """Return an option that is a whole number between two."""

    def allows(value: Any) -> bool:
        return _is(value, Integral) and least <= value <= most

    words = f"must be a whole number of at least {least} and at most {most}"
    return Option(allows, words, (least, np.int64(least + 1)))


def choice(*choices: str) -> Option:
    """Return an option that is one of several texts."""

    def allows(value: object) -> bool:
        return isinstance(value, str) and value in choices

    words = f"is unknown; choose from {', '.join(choices)}"
    return Option(allows, words, choices, choices=choices)


def instance(kinds: Kinds, words: str, *examples: object, but: Kinds = bytes) -> Option:
    """Return an option that is an instance of one of several classes, but not of others."""

    def allows(value: object) -> bool:
        return isinstance(value, kinds) and not isinstance(value, but)

    return _option(allows, words, *examples)


def _option(allows: Callable[[object], bool], words: str, *examples: object) -> Option:
    return Option(allows, f"must be {words}", examples, TypeError)


def _is_size(value: object) -> bool:
    """Return whether a value is a pair of positive numbers."""
    if not isinstance(value, (Sequence, np.ndarray)) or len(value) != 2:
        return False
    return all(_is(number, Real) and 0 < number < inf for number in value)


def _are_styles(value: object) -> bool:
    """Return whether a value is a mapping to mappings."""
    return isinstance(value, Mapping) and all(isinstance(s, Mapping) for s in value.values())


_OPEN = {"above": 0, "below": 1}
CONFIDENCE = number("between 0 and 1, such as 0.95", 0.95, np.float32(0.9), **_OPEN)
COUNT = whole()
FLAG = instance((bool, np.bool_), "True or False", True, np.False_)
#: Confidence intervals of curves.
INTERVAL = CONFIDENCE.optional().optional(bool, "True or False", True)
FINITE = number("a finite number, such as 2", 2, -1, np.float64(0.5))
TEXT = instance(str, "a text", "x")

#: The options that have one name and take the same values in all functions, by name.
OPTIONS = {
    **dict.fromkeys(["bounds", "documents", "force", "interval"], FLAG),
    **dict.fromkeys(["long", "perquery", "vectors", "verbose"], FLAG),
    **dict.fromkeys(["min_queries", "batch_rows", "limit", "resamples"], COUNT),
    "ideal": FLAG.optional(),
    "title": TEXT.optional(),
    **dict.fromkeys(["latex", "source", "text"], TEXT),
    "share": number("above 0, at most 1", 0.5, 1, above=0, most=1),
    "alpha": number("between 0 and 1, such as 0.05", 0.05, np.float32(0.1), **_OPEN),
    "average": choice(*get_args(Average)),
    "ax": _option(lambda x: x is None or hasattr(x, "transAxes"), "axes of matplotlib", None),
    "coefficient": choice("tau-b", "tau-ap"),
    "confidence": CONFIDENCE,
    "correction": TEXT.optional(),
    "date": instance(
        datetime.date, "a date, such as datetime.date.today()", datetime.date.today()
    ).optional(),
    "decimals": whole(0, MOST_DECIMALS),
    "depth": whole(1, DEEPEST),
    "dpi": number("above 0, such as 300", 300, above=0),
    "figsize": Option(_is_size, "must be a width and a height in inches", ((3.3, 2),)).optional(),
    "form": choice("text", "latex", "mathtext"),
    "highlight": instance(Collection, "a name, or a list of names", "A", ["A", "B"]).optional(),
    "level": FINITE,
    "missing": choice(*get_args(Missing)),
    "names": instance(Collection, "a list of names", ["A", "B"], but=(str, bytes)).optional(),
    "order": choice("given", "value"),
    "over": choice(*get_args(Over)),
    "path": _option(lambda x: isinstance(x, (str, os.PathLike)) and x != "", "a path", "x"),
    "points": whole(2),
    "rows": choice("measures", "systems").optional(),
    "scanned": choice("last-click").optional(),
    "seed": whole(0, 2**128 - 1)._replace(words="must be a whole number from 0 to 2**128 - 1"),
    "sep": Option(lambda x: isinstance(x, str) and x != "", "must be a text such as '_'", ("_",)),
    "scores": choice(*get_args(Scores)),
    "styles": _option(
        _are_styles,
        "a mapping of systems to styles, which are mappings such as {'color': 'red'}",
        {},
    ).optional(),
    "test": choice(*PAIR_TESTS),
    "tolerance": number("above 0, such as 1e-4", 1e-4, above=0),
}


def find_near(name: str, names: Iterable[str]) -> str:
    """Return the known name that a name begins or is like; empty if there is none."""
    from difflib import get_close_matches

    known = list(names)
    begun = [other for other in known if name and other.startswith(name)]
    near = begun or get_close_matches(name, known, 1)
    return near[0] if near else ""


def suggest(name: str, names: Iterable[str]) -> str:
    """Return the end of an error about an unknown name."""
    near = find_near(name, names)
    return f"; did you mean {near}?" if near else ""


def _list_parameters(function: Callable[..., object], unpacks: type | None) -> list[Parameter]:
    """Return a function's parameters, the last of them replaced by those of a TypedDict."""
    parameters = [*signature(function).parameters.values()]
    if unpacks is None:
        return parameters
    return parameters[:-1] + [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
        for name, kind in unpacks.__annotations__.items()
    ]


def _explain_call(known: Mapping[str, Parameter], given: int, by_name: Iterable[str]) -> str:
    """Return which argument is unknown, or must be given by name; empty if neither is the error."""
    for name in by_name:
        if name not in known:
            accepted = ", ".join(known) + suggest(name, known)
            return f"unknown argument {name!r:.60}; it accepts {accepted}"
    keywords = [name for name, each in known.items() if each.kind is each.KEYWORD_ONLY]
    if given > len(known) - len(keywords):
        return f"{given} arguments by position; give these by name: {', '.join(keywords)}"
    return ""


@overload
def checked(function: Callable[P, R]) -> Callable[P, R]: ...
@overload
def checked(
    *, unpacks: type | None = None, **own: Option
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def checked(function: Any = None, *, unpacks: type | None = None, **own: Option) -> object:
    """Let a function check its arguments whenever it is called.

    ``@checked`` checks those that are in :data:`OPTIONS`; ``@checked(name=option)`` declares
    others, or replaces one. ``@checked(unpacks=PanelOptions)`` is for a function that ends with
    ``**options: Unpack[PanelOptions]``. ``function.options`` has the options by parameter.
    """
    if function is None:
        return partial(checked, unpacks=unpacks, **own)
    shown = signature(function).replace(parameters=_list_parameters(function, unpacks))
    function.__signature__ = shown
    known = OPTIONS | own
    options = {name: known[name] for name in shown.parameters if name in known}

    @wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        try:
            bound = shown.bind(*args, **kwargs)
        except TypeError as error:
            reason = _explain_call(shown.parameters, len(args), kwargs) or error
            raise TypeError(f"{function.__name__}(): {reason}") from None
        for name, value in bound.arguments.items():
            if name in options:
                bound.arguments[name] = options[name].check(name, value)
        return function(*bound.args, **bound.kwargs)

    call.options = options  # type: ignore[attr-defined]
    return call
