"""The measures, as ir-measures Measure objects: one declaration each.

A measure's ``SUPPORTED_PARAMS`` define its validation, its printed form, its parsing, its signature
and its documentation; :attr:`CumulatedGain.spec` passes their values to the engine under the same
names. The names, types and descriptions of parameters are defined only here; defaults shared with
the functions of :mod:`pt_cumgain.core` are defined there.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from inspect import Parameter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import parse_measure
from ir_measures.measures import Measure, ParamInfo, ndcg
from ir_measures.providers.base import NOT_PROVIDED
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Discount, Floats
from pt_cumgain.options import FINITE, FLAG, choice, refuse, suggest, whole
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
        canonical: Callable[[str, Any], Any],
        dtype: type | tuple[type, ...],
        lead: str,
        *,
        texts: Mapping[str, str] | None = None,
        **info: Any,
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


#: The class of ir-measures' own nDCG.
HostNDCG = ndcg._nDCG  # noqa: SLF001  # it has no other name
#: The gain is the level.
_LEVELS = Weighting()

Ints = NDArray[np.int64]


class Spec(NamedTuple):
    """The values of a measure's parameters, as the engine reads them.

    The defaults are those of omitted parameters: those that a measure does not have, and those that
    have no default of their own and are not given.
    """

    cutoff: int | None = None
    gains: Weighting = _LEVELS
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

    def gains_key(self) -> tuple[Any, ...]:
        """Return a key of the measures that have the same gain vectors."""
        return self.gains, self.unjudged, self.judged_only, self.ties

    def session_key(self) -> tuple[Any, ...]:
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


def _chosen(lead: str, texts: Mapping[str, str], default: str) -> Param:
    """Return a parameter that is one of the texts' keys."""
    return Param(choice(*texts).check, str, lead, texts=texts, default=default)


def _weighting(_: str, value: Any) -> Weighting:
    return Weighting.parse(value)


def _discount(_: str, value: object) -> str:
    core.find_discount(value)
    return str(value)


def _base(name: str, value: object) -> int | float:
    return number(core.check_base(value, name))


def _gain(name: str, value: Any) -> int | float:
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


def _check_has_base(
    base: str, params: dict[str, Any], name: str, discount: str, table: dict[str, Discount]
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
TIE = _chosen("how documents of equal score rank", core.TIES, core.DEFAULT_TIES)
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
QUERY_DISCOUNT = _chosen(
    "the discount of the q-th query", _formulas(core.QUERY_DISCOUNTS), core.DEFAULT_QUERY_DISCOUNT
)

_RANKING = {"at_r": AT_R, "judged_only": JUDGED_ONLY, "ties": TIE}
_COMMON = {"avg_pos": AVG_POS, **_RANKING, "unjudged": UNJUDGED}
_DISCOUNTED = {"gains": GAINS, "discount": DISCOUNT, "base": BASE, **_COMMON}
_MODEL = {"cutoff": CUTOFF, **_DISCOUNTED}  # what the documentation of nDCG explains


class _Help:
    """The docstring of a class; of its measures, with their parameters, laid out when it is read.

    help() of a measure shows it instead of the methods of the class.
    """

    def __init__(self, text: str | None, model: str) -> None:
        self.text, self.model = text, model

    def __get__(self, measure: object, kind: type[CumulatedGain]) -> str | None:
        if measure is None:
            return self.text
        text, heading, examples = inspect.cleandoc(self.text or "").partition("Examples\n---")
        section = f"Parameters\n----------\n{kind.SUPPORTED_PARAMS.describe(self.model)}"
        return f"{text.strip()}\n\n{section}\n\n{heading}{examples}".strip()


class CumulatedGain(Measure):
    """The base class of the measures.

    A measure is effectively immutable: its parameters are checked and put into canonical form on
    construction, and equality, hash and ``str`` depend on that form alone.

    A measure states its equation. Its method ``vector(gain)`` returns the cumulated vectors V of
    gain vectors G. If the measure is a ratio, its method ``divisor(ideal)`` returns what V is
    divided by, computed from the ideal vectors I; :class:`Normalised` measures are divided by V of
    the ideal vectors. G and I are those of some topics, of shape ``(topics, n)``, neither
    discounted nor cumulated. n is at least each topic's R; past their ends the vectors are 0.

    A measure that combines G and I in another way has a method ``formula(gain, ideal)`` instead,
    which returns the values at ranks 1 to n. The value at rank k depends on the first k ranks of G
    and on all of I.

    ``cutoff``, ``at_r``, ``avg_pos``, ``judged_only`` and ``gains`` work with every equation if
    they are declared, and so do curves. Without a cutoff, the value of a topic is that at the last
    rank at which G or I has a gain.
    """

    if TYPE_CHECKING:  # for documentation tools measures are objects, with no module for names
        __name__: str  # of the measure, as in ir-measures; its instances show it
        __signature__: inspect.Signature
        SUPPORTED_PARAMS: Params
        vector: Callable[..., Floats]
        divisor: Callable[..., Floats] | None
        formula: Callable[[Floats, Floats], Floats] | None
    divisor = None
    formula = None

    def compute_parts(self, gain: Any, ideal: Any) -> tuple[Floats, Floats | None]:
        """Return the numerators of the values at each rank, and the divisors, None without them."""
        if self.formula is not None:
            return self.formula(gain, ideal), None
        return self.vector(gain), self.divisor(ideal) if self.divisor else None

    def ideal_vector(self, ideal: Any) -> Floats:
        """Return the cumulated vectors of the ideal ranking."""
        return self.vector(ideal)

    #: Whether V and the divisor stay the same past the last gain of G and I. If not, or if nobody
    #: says so, they are computed down to the cutoff.
    levels_off = False

    def rank_weights(self, depth: int) -> Floats:
        """Return the weights w of the ranks 1 to ``depth``, if V[k] is the sum of w[i] G[i] to k.

        Raises
        ------
        ValueError
            If V is no such sum, so that nothing is known about other gains than those given.
        """
        weights: Floats = np.diff(self.vector(np.ones((1, depth)))[0], prepend=0.0)
        probe = np.random.default_rng(0).random((1, depth))
        if not np.allclose(self.vector(probe), np.cumsum(weights * probe)):
            raise ValueError(f"the vector of {self} is not a sum of weighted gains")
        return weights

    def __init_subclass__(cls, parameters_of: str = "") -> None:
        cls.SUPPORTED_PARAMS = Params(cls.SUPPORTED_PARAMS)
        cls.__signature__ = cls.SUPPORTED_PARAMS.signature()
        kind: Any = cls
        kind.__doc__ = _Help(cls.__doc__, parameters_of)

    def __init__(self, **params: object) -> None:
        # None stands for an omitted parameter, if it has no default
        unset = {n for n, param in self.SUPPORTED_PARAMS.items() if param.default is NOT_PROVIDED}
        params = {n: value for n, value in params.items() if value is not None or n not in unset}
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                known = ", ".join(self.SUPPORTED_PARAMS) + suggest(name, self.SUPPORTED_PARAMS)
                raise ValueError(f"{self.__name__}: unknown parameter {name!r}; it accepts {known}")
        try:
            checked = {
                name: param.canonical(name, params[name])
                for name, param in self.SUPPORTED_PARAMS.items()
                if name in params
            }
            self._check(checked)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.__name__}: {error}") from None
        kept = self._kept(checked)
        if "gains" in kept:
            kept["gains"] = kept["gains"].canonical
        super().__init__(**kept)
        self.NAME = f"pt_cumgain.{self.__name__}"
        self._repr = str(super().__repr__())
        self._hash = hash(self._repr)
        self._checked_for: Discount | None = None  # the discount with which it is known to be valid

    def _kept(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters that differ from their defaults."""
        return {name: value for name, value in params.items() if value != self.default(name)}

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the value of an omitted parameter."""
        default = cls.SUPPORTED_PARAMS[name].default
        return Spec._field_defaults[name] if default is NOT_PROVIDED else default

    def _check(self, params: dict[str, Any]) -> None:
        """Refuse meaningless combinations of parameters."""
        if params.get("at_r") and "cutoff" in params:
            raise ValueError(
                f"at_r=True cuts each topic at its own R and cannot be combined with "
                f"cutoff={params['cutoff']}; omit one of them"
            )
        if "discount" in self.SUPPORTED_PARAMS:
            discount = params.get("discount", self.SUPPORTED_PARAMS["discount"].default)
            base = params.get("base", BASE.default)
            _check_has_base("base", params, "discount", discount, core.DISCOUNTS)
            if isinstance(self, Normalised) and not core.has_ideal(discount, base):
                with_base = f" with base={base!r}" if "base" in params else ""
                raise ValueError(
                    f"discount={discount!r}{with_base} {core.DISCOUNTS[discount].beyond}"
                )
        gains = Weighting.parse(params.get("gains", _LEVELS))
        if self.divisor and gains.negative:
            raise ValueError(
                f"gains={gains.canonical!r} has a negative gain, which a normalised "
                "measure does not allow; CG and DCG do"
            )
        if params.get("unjudged"):
            given = f"unjudged={params['unjudged']!r}: "
            refuse(
                {
                    f"{given}normalised measures allow only 0; CG, DCG and sDCG allow any gain": (
                        self.divisor
                    ),
                    f"{given}judged_only=True drops unjudged documents; omit one": (
                        params.get("judged_only")
                    ),
                    f"{given}duplicates='first' would have to know which unjudged documents are "
                    "repeated; omit one": params.get("duplicates") == "first",
                }
            )
        if params.get("duplicates") == "first" and params.get("ties", TIE.default) != TIE.default:
            raise ValueError(
                f"ties={params['ties']!r}: duplicates='first' would have to know which of the tied "
                "documents were seen; omit one"
            )

    def validate_params(self) -> None:
        """Check the conditions that cannot be checked before the measure is used.

        ir-measures calls this for every provider and run; the conditions are checked only once, and
        again if another discount has been registered under the same name.

        Raises
        ------
        ValueError
            If ``avg_pos`` has no rank to average to, or a registered discount does not suit.
        """
        discount = core.find_discount(self.spec.discount)
        if self._checked_for is not discount:
            self._check(self.params)
            self._check_use(discount)
            self._checked_for = discount

    def _check_use(self, discount: Discount) -> None:
        """Refuse a measure that cannot be computed under a discount."""
        if self.spec.avg_pos and not self.spec.at_r and self.spec.cutoff is None:
            raise ValueError(
                f"{self}: avg_pos=True averages the vector over the ranks 1 to k; "
                f"give a cutoff ({self}@10) or at_r=True"
            )
        depth = discount.depth
        if (self.spec.cutoff or math.inf) > depth:
            raise ValueError(
                f"{self}: the discount {self.spec.discount!r} has weights only for ranks 1 to "
                f"{depth}; use a cutoff or depth of at most {depth}, or register more weights"
            )

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

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.params), ()


class Normalised(CumulatedGain):
    """The base class of the measures that are divided by their ideal vector (TOIS 2002, eq. 5)."""

    SUPPORTED_PARAMS = Params()

    def divisor(self, ideal: Any) -> Floats:
        """Return the cumulated vector of the ideal ranking."""
        return self.ideal_vector(ideal)


class _CG(CumulatedGain, parameters_of="nDCG"):
    """Cumulated gain, ``CG[k] = G[1] + ... + G[k]``; TOIS 2002, eq. 1.

    The gain that a user has collected after k documents, computed by
    :func:`pt_cumgain.core.cg`. An invalid parameter immediately raises a
    ValueError or TypeError.

    Examples
    --------
    >>> import ir_measures
    >>> from pt_cumgain import CG
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0, "x": 7.0, "c": 6.0}}
    >>> ir_measures.calc_aggregate([CG @ 2, CG], qrels, run)
    {CG: 8.0, CG@2: 5.0}
    """

    __name__ = "CG"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **_COMMON)
    levels_off = True

    def vector(self, gain: Floats) -> Floats:
        return core.cg(gain)


class _DCG(CumulatedGain, parameters_of="nDCG"):
    """Discounted cumulated gain; TOIS 2002, eq. 2.

    ``DCG[k] = G[1] / d(1) + ... + G[k] / d(k)``, the gain of each document
    divided by the discount of its rank
    (:func:`pt_cumgain.core.discount_gains`).

    The default discount is ``'log2'``, as in ir-measures' nDCG. The paper uses
    ``'original'``, and ECIR 2008 uses ``'revised'``.

    Examples
    --------
    >>> import pt_cumgain
    >>> measure = pt_cumgain.DCG(discount="original", base=2) @ 3
    >>> measure
    DCG(discount='original')@3
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}
    >>> round(measure.calc_aggregate(qrels, run), 2)
    6.89
    """

    __name__ = "DCG"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, **_DISCOUNTED)
    levels_off = True

    def vector(self, gain: Floats) -> Floats:
        return core.cg(core.discount_gains(gain, discount=self["discount"], base=self["base"]))


class _nCG(Normalised, parameters_of="nDCG"):
    """Normalised cumulated gain, ``CG[k] / CG_I[k]``; TOIS 2002, eq. 5.

    ``CG_I`` is the cumulated ideal vector: the topic's whole recall base in
    descending order of gain (eq. 4). Computed by
    :func:`pt_cumgain.core.norm_vect`. Negative gains are refused.

    Examples
    --------
    >>> import pt_cumgain
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> round((pt_cumgain.nCG @ 2).calc_aggregate(qrels, run), 2)
    0.83
    """

    __name__ = "nCG"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **_COMMON)
    levels_off = True
    vector = _CG.vector


class _nDCG(Normalised, HostNDCG):
    """Normalised discounted cumulated gain; TOIS 2002, eq. 5.

    ``nDCG[k] = DCG[k] / DCG_I[k]``. ``DCG_I`` is the DCG of the ideal
    vector: the topic's whole recall base in descending order of gain (eq.
    4). Computed by :func:`pt_cumgain.core.norm_vect`.

    With only ``cutoff``, ``dcg`` and ``judged_only``, the measure equals
    ir-measures' nDCG, whose providers compute it (except in
    :func:`pt_cumgain.evaluate` and on the command line). With any other
    parameter, this package computes it. ``ir_measures.nDCG`` also accepts the
    added parameters. Negative gains are refused. An invalid parameter
    immediately raises a ValueError or TypeError.

    ir-measures' values differ from those of this package if scores are
    equal as float32 but not as doubles. pytrec_eval treats such scores as
    ties, as did trec_eval up to 9.0.7. This package compares doubles, or
    float32 with ``scores="float32"``. In runs over sessions, pytrec_eval
    keeps the last place of a repeated document, this package the first.

    Examples
    --------
    >>> from pt_cumgain import nDCG
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> round((nDCG @ 2).calc_aggregate(qrels, run), 4)
    0.871
    >>> steep = nDCG(gains="0-1-10-100") @ 2
    >>> round(steep.calc_aggregate(qrels, run), 4)
    0.6518
    """

    __name__ = "nDCG"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, dcg=DCG_FORM, **_DISCOUNTED)
    levels_off = True
    vector = _DCG.vector

    def __init__(self, **params: object) -> None:
        super().__init__(**params)
        if not is_extended(self.params):
            self.NAME = "nDCG"  # ir-measures' providers know it under this name

    def _kept(self, params: dict[str, Any]) -> dict[str, Any]:
        # with gains, even the default, it is not the host's
        return super()._kept(params) | {k: v for k, v in params.items() if k == "gains"}

    def _check(self, params: dict[str, Any]) -> None:
        super()._check(params)
        added = [k for k in self._kept(params) if k not in ("cutoff", "dcg", "judged_only")]
        if params.get("dcg") == "exp-log2" and added:
            raise ValueError(
                f"dcg='exp-log2' is ir-measures' own formulation and cannot be combined with "
                f"{', '.join(added)}; write gains='exp' for 2^level - 1"
            )

    def _values(self) -> dict[str, Any]:
        values = super()._values()
        if values.pop("dcg") == "exp-log2":
            values["gains"] = Weighting("exp")
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        if is_extended(self.params):
            return super().__reduce__()
        return parse_measure, (str(self),)  # can be unpickled without this package


#: What gP lacks without a scheme.
_SCALE = "gP needs its scale; give gains as a scheme, for example gains='0-1-2-3'"


class _gP(CumulatedGain, parameters_of="nDCG"):
    """Generalised precision, ``gP[k] = CG[k] / (k g)``; JASIST 2002.

    g is the largest gain of the weighting scheme, such as 3 in
    ``gains='0-1-2-3'`` (Kekäläinen and Järvelin, Using graded relevance
    assessments in IR evaluation, JASIST 53(13), 2002). Without a scheme, the
    scale would depend on the levels in the qrels of each call, so gP is
    refused. With flat weights, gP is precision, ir-measures' P@k. A cutoff or
    ``at_r`` is required. Negative gains are refused.

    Examples
    --------
    >>> import pt_cumgain
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> measure = pt_cumgain.gP(gains="0-1-2-3") @ 2
    >>> round(measure.calc_aggregate(qrels, run), 3)  # (3 + 2) / (2 * 3)
    0.833
    """

    __name__ = "gP"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **_RANKING)
    vector = _CG.vector

    def divisor(self, ideal: Floats) -> Floats:
        ranks = np.arange(1, ideal.shape[-1] + 1)
        return core.largest_cg(ranks, self.spec.gains.largest)

    def _check(self, params: dict[str, Any]) -> None:
        super()._check(params)
        gains = params.get("gains")
        if gains is not None and Weighting.parse(gains).kind != "scheme":
            raise ValueError(f"gains={gains!r} has no largest gain; {_SCALE}")

    def _check_use(self, discount: Discount) -> None:
        """Refuse a measure that has no scale, or no rank to divide by."""
        super()._check_use(discount)
        if "gains" not in self.params:
            raise ValueError(f"{self}: {_SCALE}")
        if self.spec.cutoff is None and not self.spec.at_r:
            raise ValueError(f"{self} divides by the rank; give a cutoff ({self}@10) or at_r=True")


class _gR(CumulatedGain, parameters_of="nDCG"):
    """Generalised recall, ``gR[k] = CG[k] / (sum of all gains)``; JASIST 2002.

    The sum is over the topic's recall base (Kekäläinen and Järvelin, Using
    graded relevance assessments in IR evaluation, JASIST 53(13), 2002). With
    flat weights, gR is the recall R@k. Negative gains are refused. An invalid
    parameter immediately raises a ValueError or TypeError.

    Examples
    --------
    >>> import pt_cumgain
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> (pt_cumgain.gR @ 2).calc_aggregate(qrels, run)  # (3 + 2) / (3 + 2 + 3)
    0.625
    """

    __name__ = "gR"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **_RANKING)
    levels_off = True
    vector = _CG.vector

    def divisor(self, ideal: Floats) -> Floats:
        return core.sum_recall_base(ideal)


class SessionGains(NamedTuple):
    """Gain vectors of sessions, with the rank and the query of each position.

    The rank, in the list of the query, is 0 if no document counts there.
    """

    gain: Floats
    rank: Ints
    query: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the three tables."""
        return self.gain.shape


class SessionMeasure(CumulatedGain):
    """The base class of sDCG and nsDCG; a row's ``query_position`` says which query returned it.

    G and I are :class:`SessionGains`. If documents count once, the ideal vectors are those of the
    recall bases.
    """

    SUPPORTED_PARAMS = Params(
        cutoff=SCANNED,
        gains=GAINS,
        discount=Param(
            _discount, str, "", texts=DISCOUNT.texts, default=core.DEFAULT_SESSION_DISCOUNT
        ),
        base=BASE,
        avg_pos=_switch(
            "the mean of the session's vector over all its positions, the first k of every query "
            "(ECIR 2008, section 4) or those that padding leaves, instead of its last value"
        ),
        bq=Param(
            _base,
            (int, float),
            "base of the query discount's logarithm, greater than 1",
            default=core.DEFAULT_BQ,
        ),
        query_discount=QUERY_DISCOUNT,
        duplicates=_chosen(
            "the contribution of a document that several queries return",
            core.DUPLICATES,
            core.DEFAULT_DUPLICATES,
        ),
        queries=Param(
            _IN_SESSION.check, int, "count only the first n queries of each session; all if omitted"
        ),
        padding=Param(
            _padding,
            (str, int),
            "how many positions a query takes in the session's vector, and in the ideal session's",
            texts=core.PADDINGS,
            default=core.DEFAULT_PADDING,
        ),
        unjudged=UNJUDGED,
        ties=TIE,
    )

    def discount_gains(self, gains: SessionGains) -> Floats:
        """Return the discounted gains of sessions."""
        names = ("discount", "base", "query_discount", "bq")
        discounts = {name: self[name] for name in names}
        rank = np.maximum(gains.rank, 1)
        return core.discount_session_gains(gains.gain, rank, gains.query, **discounts)

    def ideal_vector(self, ideal: SessionGains) -> Floats:
        """Return the cumulated vectors of the ideal sessions."""
        if self["duplicates"] == "count":
            return self.vector(ideal)
        recall = (ideal.gain > 0).sum(axis=1, keepdims=True)
        can_count = (ideal.rank > 0) & (ideal.rank <= recall)
        return core.assign_gains(ideal.gain, self.discount_gains(ideal._replace(gain=can_count)))

    def _kept(self, params: dict[str, Any]) -> dict[str, Any]:
        return {**super()._kept(params), "cutoff": params.get("cutoff", SCANNED.default)}

    def _check(self, params: dict[str, Any]) -> None:
        super()._check(params)
        discount = params.get("query_discount", QUERY_DISCOUNT.default)
        _check_has_base("bq", params, "query_discount", discount, core.QUERY_DISCOUNTS)

    def _check_use(self, discount: Discount) -> None:
        """Refuse a padding beyond the cutoff, which ``@k`` may have supplied."""
        super()._check_use(discount)
        padding, cutoff = self.spec.padding, self.spec.depth
        if isinstance(padding, int) and padding > cutoff:
            raise ValueError(
                f"{self}: padding={padding!r} must be at most the cutoff, {cutoff}: a query takes "
                "no more positions than documents are scanned"
            )


class _sDCG(SessionMeasure, parameters_of="nDCG"):
    """Session DCG; ECIR 2008, eq. 1.

    ``sDCG[k] = DCG_1[k] / d_q(1) + ... + DCG_n[k] / d_q(n)``, over the n
    queries of a session (:func:`pt_cumgain.core.discount_session_gains`).

    The unit is the session: several queries about one information need.
    ``query_id`` is the id of the session, and the run has a column
    ``query_position`` (1, 2, ...), which says which query of the session
    returned a row; without it, a run is refused. The rank discount starts
    again with each query.

    The number of queries is the largest ``query_position``, or
    ``session_length`` if the run has this column, which also counts final
    queries that returned nothing.

    The qrels may also have a column ``query_position``. Each judgment then
    applies only to that query of the session, and the session has at least as
    many queries as are judged. See :func:`pt_cumgain.sessions.split_turns`.

    Examples
    --------
    >>> import pandas as pd, pt_cumgain
    >>> qrels = {"s": {"a": 3, "b": 1}}
    >>> run = pd.DataFrame(
    ...     [("s", "x", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 2.0, 2), ("s", "b", 1.0, 2)],
    ...     columns=["query_id", "doc_id", "score", "query_position"],
    ... )
    >>> measure = pt_cumgain.sDCG(duplicates="first") @ 2
    >>> measure.calc_aggregate(qrels, run)  # 1/2 from query 1, 3/1.5 from query 2
    2.5
    """

    __name__ = "sDCG"

    def vector(self, gain: SessionGains) -> Floats:
        return core.cg(self.discount_gains(gain))


class _nsDCG(SessionMeasure, Normalised, parameters_of="sDCG"):
    """Normalised session DCG; ECIR 2008, section 3.3.

    sDCG divided by the sDCG of the ideal session. The ideal session has the
    same number of queries, each of which returns the topic's ideal vector. With
    ``duplicates='first'``, it returns each document only once, with the largest
    gains where the discounts are smallest. If the qrels have a column
    ``query_position``, each query returns the ideal vector of its own
    judgments, and ``duplicates='first'`` is refused. Negative gains are
    refused. For the form of the run and for errors see :data:`sDCG`.

    Examples
    --------
    >>> import pandas as pd, pt_cumgain
    >>> qrels = {"s": {"a": 3, "b": 1}}
    >>> run = pd.DataFrame(
    ...     [("s", "x", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 2.0, 2), ("s", "b", 1.0, 2)],
    ...     columns=["query_id", "doc_id", "score", "query_position"],
    ... )
    >>> round((pt_cumgain.nsDCG @ 2).calc_aggregate(qrels, run), 3)
    0.486
    """

    __name__ = "nsDCG"
    vector = _sDCG.vector


def is_extended(params: Mapping[str, Any]) -> bool:
    """Return whether only this package's nDCG has these parameters, not ir-measures'.

    ``gains`` may also be an object that describes which values an ir-measures provider supports.
    """
    added = _nDCG.SUPPORTED_PARAMS.keys() - HostNDCG.SUPPORTED_PARAMS.keys()
    gains = params.get("gains", {})
    own_form = isinstance(gains, (str, Mapping, Weighting, type(None)))
    return not added.isdisjoint(params) or (own_form and not isinstance(gains, dict))


def is_hosts(measure: Measure) -> bool:
    """Return whether a measure is plain nDCG, which ir-measures computes; not with gains."""
    return measure.NAME == "nDCG" and "gains" not in measure.params


CG = _CG()
DCG = _DCG()
nCG = _nCG()
nDCG = _nDCG()
gP = _gP()
gR = _gR()
sDCG = _sDCG()
nsDCG = _nsDCG()

#: The measures of the family, under the names by which they are parsed.
MEASURES: dict[str, CumulatedGain] = {
    m.__name__: m for m in (CG, DCG, nCG, nDCG, gP, gR, sDCG, nsDCG)
}


def split_cutoff(text: str) -> tuple[str, str]:
    """Split the text of a measure, or its label in a grid, into its beginning and its cutoff."""
    match = re.fullmatch(r"(.*\S)\s*@\s*(\d+)", text)
    return (match[1], match[2]) if match else (text, "")


def measure_called(text: str) -> CumulatedGain | None:
    """Return the measure with whose name a text or a label in a grid begins."""
    return MEASURES.get(re.split("[@( ]", text, maxsplit=1)[0])


def natural_key(measure: Measure) -> list[Any]:
    """Return a key that sorts measures by name, numbers by value: ``CG@5`` before ``CG@10``."""
    parts = re.split(r"(\d+)", str(measure))
    return [int(part) if i % 2 else part for i, part in enumerate(parts)]


def as_cumulated_gain(measure: Measure) -> CumulatedGain | None:
    """Return a measure as a :class:`CumulatedGain`, converting the host's nDCG; None for others."""
    if isinstance(measure, CumulatedGain):
        return measure
    if isinstance(measure, HostNDCG):
        return type(nDCG)(**measure.params)
    return None
