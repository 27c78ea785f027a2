"""What a measure's parameters are: their declarations, their checks, and how a measure has them.

A measure's ``SUPPORTED_PARAMS`` define its validation, its printed form, its parsing, its signature
and its documentation; :attr:`DeclaredMeasure.spec` passes their values to the engine under the same
names. The names, types and descriptions of parameters are defined only here; defaults shared with
the functions of :mod:`pt_cumgain.core` are defined there.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from inspect import Parameter
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_measures.measures import Measure, ParamInfo
from ir_measures.providers.base import NOT_PROVIDED

from pt_cumgain import core
from pt_cumgain.core import Discount
from pt_cumgain.options import FINITE, FLAG, choice, suggest, whole
from pt_cumgain.weighting import Weighting, number


class Param(ParamInfo):
    """A parameter: ir-measures' ParamInfo, with a function that checks values.

    ``canonical(name, value)`` returns the value in its canonical form, or raises a ValueError or
    TypeError that names the parameter, the value and what is allowed. The description consists of
    ``lead`` and ``texts``, the meaning of each choice. If a parameter without a default is omitted,
    the default of :class:`Spec` applies.
    """

    def __init__(
        self,
        canonical: Callable[[str, Any], object],
        dtype: type | tuple[type, ...],
        lead: str,
        *,
        texts: Mapping[str, str] | None = None,
        **info: object,
    ) -> None:
        self.lead, self.texts = lead, texts or {}
        if self.texts:
            info["choices"] = list(self.texts)
            meanings = "; ".join(f"{choice!r} {text}" for choice, text in self.texts.items())
            lead = f"{lead}: {meanings}" if lead else meanings
        super().__init__(dtype=dtype, desc=lead, **info)
        self.canonical = canonical


class Params(dict[str, Any]):
    """The parameters of a measure by name."""

    def describe(self, model: str = "") -> str:
        """Return the parameters section of a docstring; the model explains what it has as well."""
        shared = [name for name, p in self.items() if model == "sDCG" or p is _MODEL.get(name)]
        lines = []
        if model:
            for names in _wrap(", ".join(shared), ""):
                lines += [names.rstrip(","), f"    As for :data:`pt_cumgain.{model}`."]
        for name, param in self.items():
            if model and name in shared:
                continue
            dtypes = param.dtype if isinstance(param.dtype, tuple) else (param.dtype,)
            default = "" if param.default is NOT_PROVIDED else f", default {param.default!r}"
            lines.append(f"{name} : {' or '.join(kind.__name__ for kind in dtypes)}{default}")
            lines += _wrap(param.lead, "    ")
            if param.lead and param.texts:
                lines[-1] += ":\n"
            for each, text in param.texts.items():
                lines += _wrap(f"- {each!r}: {text}", "    ", "      ")
        return "\n".join(lines)

    def signature(self) -> inspect.Signature:
        """Return the signature of a function that takes the parameters by name."""
        parameters = []
        for name, param in self.items():
            default = None if param.default is NOT_PROVIDED else param.default
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default))
        return inspect.Signature(parameters)


def _wrap(text: str, first: str, later: str | None = None) -> list[str]:
    """Wrap a text for a terminal of 80 columns, less the 4 by which help() indents docstrings."""
    return textwrap.wrap(text, 76, initial_indent=first, subsequent_indent=later or first)


class Spec(NamedTuple):
    """The values of a measure's parameters, as the engine reads them.

    The defaults are those of omitted parameters: those that a measure does not have, and those that
    have no default of their own and are not given.
    """

    cutoff: int | None = None
    gains: Weighting = Weighting()
    unjudged: float = 0
    discount: str = "none"
    base: float = core.DEFAULT_BASE
    avg_pos: bool = False
    at_r: bool = False
    judged_only: bool = False
    ties: str = core.DEFAULT_TIES
    bq: float = core.DEFAULT_BQ
    query_discount: str = core.DEFAULT_QUERY_DISCOUNT
    duplicates: str = core.DEFAULT_DUPLICATES
    queries: int | None = None
    padding: str | int = core.DEFAULT_PADDING

    @property
    def depth(self) -> int:
        """The number of documents that a session measure scans for each query."""
        return self.cutoff or core.DEFAULT_SESSION_DEPTH

    def gains_key(self) -> tuple[object, ...]:
        """Return a key of the measures that have the same gain vectors."""
        return self.gains, self.unjudged, self.judged_only, self.ties

    def session_key(self) -> tuple[object, ...]:
        """Return a key of the session measures that have the same gain vectors."""
        return *self.gains_key(), self.cutoff, self.duplicates, self.queries, self.padding


#: A cutoff; the largest is beyond every list.
_RANK = whole(most=10**18)._replace(words="must be a whole number from 1 to 10**18")
#: A cutoff, or a number of queries, of a session measure: the engine numbers the positions of many
#: sessions.
_IN_SESSION = whole(most=10**6)


def _switch(lead: str) -> Param:
    """Return a parameter that is True or False, by default False."""
    return Param(FLAG.check, bool, lead, default=False)


def _choice(lead: str, texts: Mapping[str, str], default: str) -> Param:
    """Return a parameter that is one of the texts' keys."""
    return Param(choice(*texts).check, str, lead, texts=texts, default=default)


def _weighting(_: str, value: Any) -> Weighting:
    return Weighting.parse(value)


def _discount(_: str, value: object) -> str:
    core.find_discount(value)
    return str(value)


def _base(name: str, value: object) -> int | float:
    return number(core.check_base(value, name))


def _gain(name: str, value: object) -> int | float:
    if isinstance(value, str):
        with suppress(ValueError):
            value = float(value)
    return number(FINITE.check(name, value))


def _padding(name: str, value: object) -> str | int:
    if isinstance(value, str):
        return str(choice(*core.PADDINGS).check(name, value))
    return int(_IN_SESSION.check(name, value))


def _formulas(table: Mapping[str, Discount]) -> dict[str, str]:
    return {name: f"{d.text} ({d.source})" for name, d in table.items()}


def check_has_base(
    base: str, params: Mapping[str, object], name: str, discount: str, table: Mapping[str, Discount]
) -> None:
    """Refuse a base for a discount that has none."""
    if base in params and not table[discount].takes_base:
        having = ", ".join(name for name, d in table.items() if d.takes_base)
        raise ValueError(
            f"{base}={params[base]!r}: the {name.replace('_', ' ')} {discount!r} has no base; "
            f"these have one: {having}"
        )


CUTOFF = Param(_RANK.check, int, "the last rank that counts; all ranks if omitted")
GAINS = Param(
    _weighting,
    (str, dict),
    "relevance level → gain: a scheme '0-1-10-100', a mapping {2:10,3:100} or '2:10,3:100', 'exp' "
    "for 2^level − 1, or 'level' (default) for the level itself, whole or not; levels below 0 "
    "gain 0 unless a mapping lists them",
)
UNJUDGED = Param(
    _gain,
    (int, float, str),
    "the gain of an unjudged document that a run returns, in quotes if negative (SIGIR 2000, "
    "sections 3.1 and 3.2, where the rest of the database has level 0); only 0 with normalised "
    "measures and with duplicates='first'",
    default=0,
)
DISCOUNT = Param(_discount, str, "", texts=_formulas(core.DISCOUNTS), default=core.DEFAULT_DISCOUNT)
BASE = Param(
    _base,
    (int, float),
    "base b of the discount's logarithm, greater than 1",
    default=core.DEFAULT_BASE,
)
AVG_POS = _switch(
    "the mean of the vector over ranks 1 to k (TOIS 2002, eq. 6) instead of its value at k"
)
AT_R = _switch(
    "cut each topic at its own R, the number of its documents with a positive gain (IPM 2005, "
    "section 4, counts relevant documents instead); cannot be combined with cutoff"
)
JUDGED_ONLY = _switch(
    "drop unjudged documents before ranking (a negative label that gains does not list counts as "
    "unjudged, as in trec_eval)"
)
TIE = _choice("how documents of equal score rank", core.TIES, core.DEFAULT_TIES)
DCG_FORM = Param(
    choice("log2", "exp-log2").check,
    str,
    "ir-measures' own DCG formulations; 'exp-log2' cannot be combined with the parameters added "
    "here (write gains='exp' instead)",
    choices=["log2", "exp-log2"],
    default="log2",
)

SCANNED = Param(
    _IN_SESSION.check,
    int,
    "the number of documents scanned for each query (`@k`)",
    default=core.DEFAULT_SESSION_DEPTH,
)
SESSION_DISCOUNT = Param(
    _discount, str, "", texts=DISCOUNT.texts, default=core.DEFAULT_SESSION_DISCOUNT
)
SESSION_AVG_POS = _switch(
    "the mean of the session's vector over all its positions, the first k of every query "
    "(ECIR 2008, section 4) or those that padding leaves, instead of its last value"
)
BQ = Param(
    _base,
    (int, float),
    "base of the query discount's logarithm, greater than 1",
    default=core.DEFAULT_BQ,
)
QUERY_DISCOUNT = _choice(
    "the discount of the q-th query", _formulas(core.QUERY_DISCOUNTS), core.DEFAULT_QUERY_DISCOUNT
)
DUPLICATES = _choice(
    "the contribution of a document that several queries return",
    core.DUPLICATES,
    core.DEFAULT_DUPLICATES,
)
QUERIES = Param(
    _IN_SESSION.check, int, "count only the first n queries of each session; all if omitted"
)
PADDING = Param(
    _padding,
    (str, int),
    "how many positions a query takes in the session's vector, and in the ideal session's",
    texts=core.PADDINGS,
    default=core.DEFAULT_PADDING,
)

#: The parameters of the measures of topics, by what they have in common.
RANKING = {"at_r": AT_R, "judged_only": JUDGED_ONLY, "ties": TIE}
COMMON = {"avg_pos": AVG_POS, **RANKING, "unjudged": UNJUDGED}
DISCOUNTED = {"gains": GAINS, "discount": DISCOUNT, "base": BASE, **COMMON}
_MODEL = {"cutoff": CUTOFF, **DISCOUNTED}  # what the documentation of nDCG explains
#: The parameters of session measures.
SESSION = {
    "cutoff": SCANNED,
    "gains": GAINS,
    "discount": SESSION_DISCOUNT,
    "base": BASE,
    "avg_pos": SESSION_AVG_POS,
    "bq": BQ,
    "query_discount": QUERY_DISCOUNT,
    "duplicates": DUPLICATES,
    "queries": QUERIES,
    "padding": PADDING,
    "unjudged": UNJUDGED,
    "ties": TIE,
}


class _Help:
    """The docstring of a class; of its measures, with their parameters, laid out when it is read.

    help() of a measure shows it instead of the methods of the class.
    """

    def __init__(self, text: str | None, model: str) -> None:
        self.text, self.model = text, model

    def __get__(self, measure: object, kind: type[DeclaredMeasure]) -> str | None:
        if measure is None:
            return self.text
        text, heading, examples = inspect.cleandoc(self.text or "").partition("Examples\n---")
        section = f"Parameters\n----------\n{kind.SUPPORTED_PARAMS.describe(self.model)}"
        return f"{text.strip()}\n\n{section}\n\n{heading}{examples}".strip()


class DeclaredMeasure(Measure):
    """A measure with the parameters that its ``SUPPORTED_PARAMS`` declare.

    It is effectively immutable: its parameters are checked and put into canonical form on
    construction, and equality, hash and ``str`` depend on that form alone.
    """

    if TYPE_CHECKING:  # for documentation tools measures are objects, with no module for names
        __name__: str  # of the measure, as in ir-measures; its instances show it
        __signature__: inspect.Signature
        SUPPORTED_PARAMS: Params

    def __init_subclass__(cls, parameters_of: str = "") -> None:
        cls.SUPPORTED_PARAMS = Params(cls.SUPPORTED_PARAMS)
        cls.__signature__ = cls.SUPPORTED_PARAMS.signature()
        kind: Any = cls
        kind.__doc__ = _Help(cls.__doc__, parameters_of)

    def __init__(self, **params: object) -> None:
        # None stands for an omitted parameter, if it has no default
        unset = {n for n, param in self.SUPPORTED_PARAMS.items() if param.default is NOT_PROVIDED}
        params = {n: value for n, value in params.items() if value is not None or n not in unset}
        for name in [name for name in params if name not in self.SUPPORTED_PARAMS]:
            meant = {"at": "cutoff", "k": "cutoff"}.get(name, name)
            known = ", ".join(self.SUPPORTED_PARAMS) + suggest(meant, self.SUPPORTED_PARAMS)
            raise ValueError(f"{self.__name__}: unknown parameter {name!r:.60}; it accepts {known}")
        try:
            checked = {
                name: param.canonical(name, params[name])
                for name, param in self.SUPPORTED_PARAMS.items()
                if name in params
            }
            self._check(checked)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.__name__}: {error}") from None
        kept = self._drop_defaults(checked)
        if "gains" in kept:
            kept["gains"] = kept["gains"].canonical
        super().__init__(**kept)
        self.NAME = f"pt_cumgain.{self.__name__}"
        self._repr = str(super().__repr__())
        self._hash = hash(self._repr)
        self._checked_for: Discount | None = None  # the discount with which it is known to be valid

    def _drop_defaults(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters that differ from their defaults."""
        return {name: value for name, value in params.items() if value != self.default(name)}

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the value of an omitted parameter."""
        default = cls.SUPPORTED_PARAMS[name].default
        return Spec._field_defaults[name] if default is NOT_PROVIDED else default

    def _check(self, params: dict[str, object]) -> None:
        """Refuse meaningless combinations of parameters."""

    @cached_property
    def spec(self) -> Spec:
        """The parameters from which the engine computes this measure."""
        values = self._values()  # a measure with a formula may have own parameters
        return Spec(**{name: values[name] for name in Spec._fields if name in values})

    def _values(self) -> dict[str, Any]:
        """Return the value of every parameter, whether given or omitted."""
        values = {name: self.params.get(name, self.default(name)) for name in self.SUPPORTED_PARAMS}
        if "gains" in values:
            values["gains"] = Weighting.parse(values["gains"])
        return values

    def __call__(self, *args: object, **params: object) -> Any:
        """Return the measure with these parameters as well."""
        if args:
            cutoff = f" @ {args[0]}" if isinstance(args[0], int) else "(gains=...)"
            raise TypeError(f"{self} accepts parameters by name only; write {self}{cutoff}")
        return super().__call__(**params)

    def __getitem__(self, key: str) -> Any:
        if isinstance(key, int):  # 0, 1, ...: a loop over the measures of a list
            raise TypeError(f"{self} is one measure, not a list of measures; write [{self}]")
        return super().__getitem__(key)

    def _param_repr(self, v: object) -> str:
        if isinstance(v, (int, float)) and v < 0:  # the string syntax has no minus sign
            v = str(v)
        if isinstance(v, dict):
            return "{" + ",".join(f"{key}:{gain}" for key, gain in v.items()) + "}"
        return repr(v)

    def __repr__(self) -> str:
        return self._repr

    __str__ = __repr__  # called for every value; ir-measures' own makes another call

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._repr == repr(other)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), **self.params), ()
