"""The values that options of functions may have: declared once, checked when they are passed."""

from __future__ import annotations

import datetime
import os
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, cast, get_args

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

Average = Literal["topics", "vectors"]
Marks = Literal["letters", "daggers", "reading"]
Method = Literal["t", "bca", "percentile"]
Missed = Literal["zero", "skip"]
Over = Literal["gains", "discount", "both", "judgments", "pool"]
Scores = Literal["double", "float32"]

#: Corrections for many pairs, as scikit-posthocs names them, and their names in a sentence.
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "sidak": "Sidak",
    "holm-sidak": "Holm–Sidak",
    "holm": "Holm",
    "simes-hochberg": "Hochberg",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini–Hochberg",
    "fdr_by": "Benjamini–Yekutieli",
    "fdr_tsbh": "two-stage Benjamini–Hochberg",
    "fdr_tsbky": "two-stage Benjamini–Krieger–Yekutieli",
    "single-step": "single-step",
}

#: The tests of pairs of systems, and their names in a sentence.
PAIR_TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "randomisation": "paired randomisation test",
    "tukey": "Tukey's HSD test",
    "randomised-tukey": "randomised Tukey HSD test",
    "conover": "Conover's post-hoc test",
    "equivalence": "two one-sided t-tests",
    "welch": "Welch's t-test",
    "mann-whitney": "Mann–Whitney U test",
}

#: The kinds of confidence intervals, and their names in a sentence.
METHODS = {"t": "t", "bca": "BCa bootstrap", "percentile": "percentile bootstrap"}

#: More ranks, or queries of a session, than any run has.
MOST = 10**8

#: The most ranks at which something is computed for each rank.
DEEPEST = 10_000_000

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
        Values that are allowed; the choices, if there are choices.
    error
        The class of the error.
    """

    allows: Callable[[Any], bool]
    words: str
    examples: tuple[Any, ...]
    error: type[Exception] = ValueError

    def check(self, name: str, value: Any) -> Any:
        """Return a value, of NumPy's as Python's; refuse one that is not allowed, by its name."""
        if not self.allows(value):
            raise self.error(f"{name}={reprlib.repr(value)} {self.words}")
        return value.item() if isinstance(value, np.generic) else value


def _is(value: Any, kind: Any) -> bool:
    """Return whether a value is of a kind of numbers; True and False are no numbers."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _number(allows: Callable[[Any], bool], words: str, *examples: Any) -> Option:
    return Option(lambda value: _is(value, Real) and allows(value), f"must be {words}", examples)


def _whole(least: int = 1, most: int = MOST) -> Option:
    return Option(
        lambda value: _is(value, Integral) and least <= value <= most,
        f"must be a whole number of at least {least} and at most {most}",
        (least, np.int64(least + 1)),
    )


def _pair(allows: Callable[[Any, Any], bool], words: str, *examples: Any) -> Option:
    def is_pair(value: Any) -> bool:
        two = isinstance(value, (Sequence, np.ndarray)) and len(value) == 2
        return two and all(_is(number, Real) for number in value) and allows(*value)

    return Option(is_pair, f"must be {words}", examples)


def choice(*choices: str) -> Option:
    """Return an option that is one of several texts."""
    known = f"is unknown; choose from {', '.join(choices)}"
    return Option(lambda value: isinstance(value, str) and value in choices, known, choices)


def _of(kinds: Any, words: str, *examples: Any, but: Any = bytes) -> Option:
    def allows(value: Any) -> bool:
        return isinstance(value, kinds) and not isinstance(value, but)

    return Option(allows, f"must be {words}", examples, TypeError)


def _or(option: Option, kinds: Any = _NONE, words: str = "None", example: Any = None) -> Option:
    return option._replace(
        allows=lambda value: isinstance(value, kinds) or option.allows(value),
        words=f"{option.words}, or {words}",
        examples=(*option.examples, example),
    )


_CLUSTER = "a column, a mapping of topics to groups, or a function of a topic's id"
_CONFIDENCE = _number(lambda x: 0 < x < 1, "between 0 and 1, such as 0.95", 0.95, np.float32(0.9))
_INTERVAL = _or(_or(_CONFIDENCE), (bool, Mapping), "True or False, or a dict of options", True)
_KIND = _or(choice(*METHODS), (bool, np.bool_), "True or False", True)
_COUNT = _whole()
FLAG = _of((bool, np.bool_), "True or False", True, np.False_)
_PATH = Option(
    lambda x: isinstance(x, (str, os.PathLike)) and x != "", "must be a path", ("x",), TypeError
)
_PLACES = _whole(0, 1074)  # no float has more
_TEXT = _of(str, "a text", "x")

#: The options by name, or by function and name where an option of this name differs.
OPTIONS = {
    **dict.fromkeys(["band", "bounds", "documents", "force", "interpolate", "interval"], FLAG),
    **dict.fromkeys(
        ["log_rank", "long", "perquery", "pvalues", "sort", "vectors", "verbose"], FLAG
    ),
    **dict.fromkeys(["at_least", "batch_rows", "limit", "resamples"], _COUNT),
    **dict.fromkeys(["caption", "label", "title", "xlabel", "ylabel"], _or(_TEXT)),
    **dict.fromkeys(["latex", "source", "text"], _TEXT),
    "alpha": _number(lambda x: 0 < x < 1, "between 0 and 1, such as 0.05", 0.05, np.float32(0.1)),
    "average": choice(*get_args(Average)),
    "cluster": _or(_of((str, Sequence, Mapping, Callable), _CLUSTER, "conversation", {}, str)),
    "coefficient": choice("tau-b", "tau-ap"),
    "columns": _or(_COUNT),
    "confidence": _CONFIDENCE,
    "correction": _or(choice(*CORRECTIONS)),
    "date": _or(_of(datetime.date, "a date, such as datetime.date.today()", datetime.date.today())),
    "depth": _whole(1, DEEPEST),
    "dpi": _number(lambda x: 0 < x < inf, "above 0, such as 300", 300),
    "figsize": _or(
        _pair(lambda x, y: 0 < x < inf and 0 < y < inf, "a width and a height in inches", (3.3, 2))
    ),
    "form": choice("text", "latex", "mathtext"),
    "highlight": _or(_of(Collection, "a name, or a list of names", "A", ["A", "B"])),
    "ideal": _or(FLAG),
    "legend": _or(choice("below"), bool, "", True)._replace(words="must be True, False or 'below'"),
    "level": _number(lambda x: -inf < x < inf, "a number, such as 2", 2, -1, np.float64(0.5)),
    "limits": _or(_pair(lambda x, y: x < y, "a lower and a higher number", (-1, 1))),
    "margin": _or(_number(lambda x: 0 < x < inf, "above 0, such as 0.01", 0.01)),
    "marks": _or(choice(*get_args(Marks))),
    "method": choice(*METHODS),
    "missed": choice(*get_args(Missed)),
    "n": _or(_COUNT),
    "names": _or(_of(Collection, "a list of names", ["A", "B"], but=(str, bytes))),
    "order": choice("given", "value"),
    "over": choice(*get_args(Over)),
    "path": _PATH,
    "places": _PLACES,
    "points": _whole(2),
    "rows": _or(choice("measures", "systems")),
    "scanned": _or(choice("last-click")),
    "seed": _whole(0, 2**128 - 1)._replace(words="must be a whole number from 0 to 2**128 - 1"),
    "sep": Option(lambda x: isinstance(x, str) and x != "", "must be a text such as '_'", ("_",)),
    "scores": choice(*get_args(Scores)),
    "share": _number(lambda x: 0 < x <= 1, "greater than 0 and at most 1", 0.5, 1),
    "test": choice(*PAIR_TESTS),
    "tolerance": _number(lambda x: 0 < x < inf, "above 0, such as 1e-4", 1e-4),
    "top": _number(lambda x: 0 < x <= 1, "greater than 0 and at most 1", 0.15, 1),
    "anova.by": _or(_of((str, Sequence, Mapping, Callable), _CLUSTER, "scenario", {}, str)),
    "compare_judges.test": choice(*list(PAIR_TESTS)[:6]),
    "each.cutoffs": _COUNT,
    "each.gain": _number(lambda x: -inf < x < inf, "a finite number, such as 20", 20, -0.5),
    **dict.fromkeys(["gain_curves.interval", "session_curves.interval"], _INTERVAL),
    **dict.fromkeys(["pairwise.interval", "paper_table.interval"], _KIND),
    "paper_table.correction": _or(choice("default", *CORRECTIONS)),
    "paper_table.places": _or(_PLACES, Mapping, "a dict of such numbers", {}),
    "paper_table.test": _or(
        choice("friedman", *(test for test in PAIR_TESTS if test != "equivalence"), "default")
    ),
    "plot_correlation.coefficient": _or(_TEXT),
    "plot_session_curves.ideal": FLAG,
    "rectify.of": choice("differences", "means"),
    "rank_correlation.by": _or(choice("cutoff")),
    "reconcile.tolerance": _or(_number(lambda x: 0 <= x < inf, "a number of at least 0", 0, 1e-4)),
    "save.path": _PATH._replace(words="must be a path; the figure comes first"),
    "to_latex.width": _or(_number(lambda x: 0 < x < 227, "inches, such as 3.3 or 7", 3.3, 7)),
    "to_text.width": _or(_number(lambda x: 1 <= x < inf, "characters, such as 100", 100)),
}


def check(name: str, value: Any, function: str = "") -> Any:
    """Return the value of an option of a function; see :meth:`Option.check`."""
    option = OPTIONS.get(f"{function}.{name}") or OPTIONS.get(name)
    return option.check(name, value) if option else value


def suggest(name: str, names: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: which of the known names is near."""
    near = get_close_matches(name, names, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _list_parameters(function: Any) -> list[Parameter]:
    """Return a function's parameters; of ``**options: Unpack[...]`` each option by its name."""
    *own, last = signature(function).parameters.values()
    unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(last.annotation))
    if not unpacked:
        return [*own, last]
    options = function.__globals__[unpacked[1]].__annotations__
    return own + [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
        for name, kind in options.items()
    ]


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function check its arguments, by their names, whenever it is called."""
    compute = cast(Any, function)
    parameters = {each.name: each for each in _list_parameters(compute)}
    compute.__signature__ = signature(function).replace(parameters=[*parameters.values()])
    names = list(parameters)
    takes_others = any(each.kind is each.VAR_KEYWORD for each in parameters.values())

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in [] if takes_others else kwargs.keys() - parameters:
            raise TypeError(
                f"{function.__name__}() got an unexpected keyword argument {name!r}; it takes "
                f"{', '.join(names)}{suggest(name, names)}"
            )
        given = [check(name, value, function.__name__) for name, value in zip(names, args)]
        named = {name: check(name, kwargs[name], function.__name__) for name in kwargs}
        result: R = compute(*given, *args[len(given) :], **named)
        return result

    return call
