"""The measures, as ir-measures Measure objects: each is its parameters and its equation.

What a parameter accepts and means is declared in :mod:`pt_cumgain.parameters`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from ir_measures.measures import Measure, ndcg
from ir_measures.util import parse_measure
from numpy.typing import NDArray

from pt_cumgain import core
from pt_cumgain.core import Discount, Floats
from pt_cumgain.parameters import (
    BASE,
    COMMON,
    CUTOFF,
    DCG_FORM,
    DISCOUNTED,
    GAINS,
    QUERY_DISCOUNT,
    RANKING,
    SCANNED,
    SESSION,
    TIE,
    DeclaredMeasure,
    Params,
    check_has_base,
)
from pt_cumgain.weighting import Weighting

#: The class of ir-measures' own nDCG.
HostNDCG = ndcg._nDCG  # noqa: SLF001  # it has no other name

Ints = NDArray[np.int64]

#: How many ranks of an equation are probed.
PROBED = 100
#: How many components of vectors are computed at a time to read weights off an equation.
CELLS = 1 << 17


class GainVectors(Protocol):
    """Gain vectors as rows: a plain array, or :class:`SessionGains`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows, and that of ranks."""


class CumulatedGain(DeclaredMeasure):
    """The base class of the measures.

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
    rank at which G or I has a gain. Ranges need sums of weighted gains; others are refused.
    """

    if TYPE_CHECKING:  # for documentation tools measures are objects, with no module for names
        vector: Callable[..., Floats]
        divisor: Callable[..., Floats] | None
        formula: Callable[..., Floats] | None
    divisor = None
    formula = None

    def compute_parts(self, gain: GainVectors, ideal: GainVectors) -> tuple[Floats, Floats | None]:
        """Return the numerators of the values at each rank, and the divisors, None without them."""
        if self.formula is not None:
            return np.asarray(self.formula(gain, ideal), dtype=np.float64), None
        vector = np.asarray(self.vector(gain), dtype=np.float64)
        divisor = self.divisor(ideal) if self.divisor else None
        return vector, None if divisor is None else np.atleast_2d(divisor)

    def ideal_vector(self, ideal: Any) -> Floats:
        """Return the cumulated vectors of the ideal ranking."""
        return self.vector(ideal)

    #: Whether V and the divisor stay the same past the last gain of G and I. If not, or if nobody
    #: says so, they are computed down to the cutoff, and it is checked that later ranks and other
    #: topics change no value.
    levels_off = False
    #: Why there is no range over gains, beside what a probe finds.
    no_gains_range = ""

    def rank_weights(self, depth: int) -> Floats:
        """Return the weights w of the ranks 1 to ``depth``, if V[k] is the sum of w[i] G[i] to k.

        Raises
        ------
        ValueError
            If V is no such sum, so that nothing is known about other gains than those given.
        """
        # each row has gains in a block of ranks: short sums, whose differences lose few digits
        block = np.arange(depth) // math.ceil(depth / max(CELLS // depth, 1))
        vectors = self.vector(np.equal.outer(np.unique(block), block).astype(float))
        weights: Floats = np.diff(vectors, prepend=0.0).sum(axis=0)
        draws, shape = np.random.default_rng(0), (3, min(depth, PROBED))
        sizes = draws.normal(0, [[1e-3], [1.0], [1e6]], shape)
        probe = np.vstack([sizes, draws.integers(-5, 10, shape)])
        parts = weights[:PROBED] * probe
        error = np.abs(self.vector(probe) - np.cumsum(parts, axis=1))
        if not (error <= 1e-9 * np.cumsum(np.abs(parts), axis=1)).all():
            raise ValueError(f"{self} has no range: its vector is not a sum of weighted gains")
        return weights

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
            check_has_base("base", params, "discount", discount, core.DISCOUNTS)
            entry = core.DISCOUNTS[discount]
            if isinstance(self, Normalised) and not entry.has_ideal(base, params.get("cutoff", 1)):
                with_base = f" with base={base!r}" if "base" in params else ""
                raise ValueError(f"discount={discount!r}{with_base} {entry.beyond}")
        gains = Weighting.parse(params.get("gains", "level"))
        if self.divisor and gains.negative:
            raise ValueError(
                f"gains={gains.canonical!r} has a negative gain, which a normalised "
                "measure does not allow; CG and DCG do"
            )
        if params.get("unjudged"):
            self._refuse_unjudged(params)
        if params.get("duplicates") == "first" and params.get("ties", TIE.default) != TIE.default:
            raise ValueError(
                f"ties={params['ties']!r} leaves open which tied documents were seen, which "
                "duplicates='first' needs; omit one"
            )

    def _refuse_unjudged(self, params: Mapping[str, object]) -> None:
        """Refuse a gain of unjudged documents that other parameters contradict."""
        reason = ""
        if self.divisor:
            reason = "normalised measures allow only 0; CG, DCG and sDCG allow any gain"
        elif params.get("judged_only"):
            reason = "judged_only=True drops unjudged documents; omit one"
        elif params.get("duplicates") == "first":
            reason = (
                "duplicates='first' would have to know which unjudged documents are repeated; "
                "omit one"
            )
        if reason:
            raise ValueError(f"unjudged={params['unjudged']!r}: {reason}")

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
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **COMMON)
    levels_off = True

    def vector(self, gain: Floats) -> Floats:
        return core.cg(gain)


class _DCG(CumulatedGain, parameters_of="nDCG"):
    """Discounted cumulated gain; TOIS 2002, eq. 2.

    ``DCG[k] = G[1] / d(1) + ... + G[k] / d(k)``, the gain of each document
    divided by the discount of its rank
    (:func:`pt_cumgain.core.discount_gains`).

    The default discount is ``'log2'`` (Burges et al., ICML 2005), as in
    ir-measures' nDCG. The paper uses ``'original'``, and ECIR 2008 uses
    ``'revised'``.

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
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, **DISCOUNTED)
    levels_off = True

    def vector(self, gain: Floats) -> Floats:
        return core.cg(core.discount_gains(gain, discount=self["discount"], base=self["base"]))


class _nCG(_CG, Normalised, parameters_of="nDCG"):
    """Normalised cumulated gain, ``CG[k] / CG_I[k]``; TOIS 2002, eq. 5.

    ``CG_I`` is the cumulated ideal vector: the topic's whole recall base in
    descending order of gain (eq. 4). :func:`pt_cumgain.core.norm_vect`
    divides the vectors. Negative gains are refused.

    Examples
    --------
    >>> import pt_cumgain
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> round((pt_cumgain.nCG @ 2).calc_aggregate(qrels, run), 2)
    0.83
    """

    __name__ = "nCG"


class _nDCG(_DCG, Normalised, HostNDCG):
    """Normalised discounted cumulated gain; TOIS 2002, eq. 5.

    ``nDCG[k] = DCG[k] / DCG_I[k]``. ``DCG_I`` is the DCG of the ideal
    vector: the topic's whole recall base in descending order of gain (eq.
    4). :func:`pt_cumgain.core.norm_vect` divides the vectors. The default
    discount, log2(i + 1), is not the paper's, but that of Burges et al.
    (ICML 2005).

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
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3, "d": 1}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> round((nDCG @ 2).calc_aggregate(qrels, run), 4)
    0.871
    >>> steep = nDCG(gains="0-1-10-100") @ 2
    >>> round(steep.calc_aggregate(qrels, run), 4)
    0.6518
    """

    __name__ = "nDCG"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, dcg=DCG_FORM, **DISCOUNTED)

    def __init__(self, **params: object) -> None:
        super().__init__(**params)
        if not is_extended(self.params):
            self.NAME = "nDCG"  # ir-measures' providers know it under this name

    def _drop_defaults(self, params: dict[str, object]) -> dict[str, Any]:
        # with gains, even the default, it is not the host's
        return super()._drop_defaults(params) | {k: v for k, v in params.items() if k == "gains"}

    def _check(self, params: dict[str, Any]) -> None:
        super()._check(params)
        changed = self._drop_defaults(params)
        added = [k for k in changed if k not in ("cutoff", "dcg", "judged_only")]
        if params.get("dcg") == "exp-log2" and added:
            raise ValueError(
                f"dcg='exp-log2' is ir-measures' own formulation and cannot be combined with "
                f"{', '.join(added)}; write gains='exp' for 2^level - 1"
            )

    def _values(self) -> dict[str, object]:
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
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3, "d": 1}}
    >>> run = {"q": {"a": 9.0, "b": 8.0}}
    >>> measure = pt_cumgain.gP(gains="0-1-2-3") @ 2
    >>> round(measure.calc_aggregate(qrels, run), 3)  # (3 + 2) / (2 * 3)
    0.833
    """

    __name__ = "gP"
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **RANKING)
    no_gains_range = "its scale is that of one weighting; use CG"
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


class _gR(_CG, parameters_of="nDCG"):
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
    SUPPORTED_PARAMS = Params(cutoff=CUTOFF, gains=GAINS, **RANKING)

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

    SUPPORTED_PARAMS = Params(SESSION)

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

    def _drop_defaults(self, params: dict[str, object]) -> dict[str, Any]:
        return {**super()._drop_defaults(params), "cutoff": params.get("cutoff", SCANNED.default)}

    def _check(self, params: dict[str, Any]) -> None:
        super()._check(params)
        discount = params.get("query_discount", QUERY_DISCOUNT.default)
        check_has_base("bq", params, "query_discount", discount, core.QUERY_DISCOUNTS)

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
    levels_off = True  # and its vectors end with the session in any case

    def vector(self, gain: SessionGains) -> Floats:
        return core.cg(self.discount_gains(gain))


class _nsDCG(_sDCG, Normalised, parameters_of="sDCG"):
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


def is_extended(params: Mapping[str, object]) -> bool:
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


def as_cumulated_gain(measure: object) -> CumulatedGain | None:
    """Return a measure as a :class:`CumulatedGain`, converting the host's nDCG; None for others."""
    if isinstance(measure, CumulatedGain):
        return measure
    if isinstance(measure, HostNDCG):
        return type(nDCG)(**measure.params)
    return None
