"""Cumulated gain on plain NumPy arrays: the formulas of the papers, and nothing else.

The functions of vectors work along the last axis, so a two-dimensional array is one vector per
topic; those of sessions take one session. Ranks count from 1: element 0 of a vector belongs to
rank 1.

References
----------
.. [1] K. Järvelin and J. Kekäläinen. IR evaluation methods for retrieving highly relevant
   documents. SIGIR 2000, 41-48.
.. [2] K. Järvelin and J. Kekäläinen. Cumulated gain-based evaluation of IR techniques.
   ACM TOIS 20(4), 422-446, 2002. doi:10.1145/582415.582418
.. [3] K. Järvelin, S. L. Price, L. M. L. Delcambre and M. L. Nielsen. Discounted cumulated gain
   based evaluation of multiple-query IR sessions. ECIR 2008, LNCS 4956, 4-15.
.. [4] E. Kanoulas, B. Carterette, P. D. Clough and M. Sanderson. Evaluating multi-query sessions.
   SIGIR 2011.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_cumgain.options import choice

Floats = NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Discount:
    """A discount function d(i), with its descriptions and limits.

    Attributes
    ----------
    formula
        Computes d(i) from the ranks i and the base b.
    takes_base
        Whether it has a base.
    text
        The formula in words.
    source
        Its source in the literature.
    phrase
        Its name within a sentence, with ``{base}`` for the base (``{bq}`` for a
        discount of queries).
    latex
        The formula in LaTeX, with the same placeholders.
    up_to_base
        A clause for cutoffs that do not exceed the base; empty if nothing
        special holds for them.
    ideal_up_to
        The largest base for which d never decreases from one rank to the next,
        so that descending gains are optimal. With larger bases there is no
        ideal vector.
    beyond
        What is wrong with a larger base, and what to do instead.
    depth
        The last rank for which d is known.
    """

    formula: Callable[[Floats, float], Floats]
    takes_base: bool
    text: str
    source: str
    phrase: str
    latex: str
    up_to_base: str = ""
    ideal_up_to: float = math.inf
    beyond: str = ""
    depth: float = math.inf


def _log(rank: Floats, base: float) -> Floats:
    return np.log(rank) / math.log(base)


#: The discounts, by name. The measures' parameter, its validation, its documentation, describe()
#: and the tests read this table; registration.py adds those of users. A new discount is an entry
#: here. Its formula stands once more in presentation/page/cumgain.js, which computes in the
#: browser, and in tests/support/reference.py, which checks both; a paper that is not yet cited goes
#: into presentation/references.bib and presentation/phrases.ini.
DISCOUNTS: dict[str, Discount] = {
    "log2": Discount(
        lambda rank, base: np.log2(rank + 1),
        False,
        "log2(i + 1)",
        "trec_eval and ir-measures nDCG",
        "the discount log2(rank + 1)",
        r"\log_{2} (i + 1)",
    ),
    "original": Discount(
        lambda rank, base: np.where(rank < base, 1.0, _log(rank, base)),
        True,
        "1 for i < b, else log_b(i)",
        "TOIS 2002, eq. 2",
        "the discount of Järvelin and Kekäläinen (2002), base {base}",
        r"\begin{cases} 1 & i < {base} \\ \log_{{base}} i & i \ge {base} \end{cases}",
        up_to_base="no rank up to the base is discounted",
    ),
    "revised": Discount(
        lambda rank, base: 1 + _log(rank, base),
        True,
        "1 + log_b(i)",
        "ECIR 2008, appendix, eq. 2",
        "the discount of Järvelin et al. (2008), base {base}",
        r"1 + \log_{{base}} i",
    ),
    "sigir2000": Discount(
        lambda rank, base: np.where(rank > 1, _log(rank, base), 1.0),
        True,
        "1 for i = 1, else log_b(i)",
        "SIGIR 2000, eq. 2",
        "the discount of Järvelin and Kekäläinen (2000), base {base}",
        r"\begin{cases} 1 & i = 1 \\ \log_{{base}} i & i > 1 \end{cases}",
        ideal_up_to=2,
        beyond="divides ranks 2 to b - 1 by less than 1, so that the ideal vector would not be the "
        "best one; use a base of at most 2, or discount='original', which leaves those ranks "
        "undiscounted",
    ),
    "shifted": Discount(
        lambda rank, base: _log(rank + base - 1, base),
        True,
        "log_b(i + b - 1)",
        "Kanoulas et al., SIGIR 2011",
        "the discount of Kanoulas et al. (2011), base {base}",
        r"\log_{{base}} (i + {base} - 1)",
    ),
    "rank": Discount(
        lambda rank, base: rank,
        False,
        "i",
        "TOIS 2002, section 4",
        "the rank itself as the discount",
        "i",
    ),
    "none": Discount(
        lambda rank, base: np.ones_like(rank),
        False,
        "1",
        "TOIS 2002, section 4",
        "no discount of ranks",
        "1",
    ),
}

#: The names of the discounts that are part of the package.
BUILT_IN = tuple(DISCOUNTS)

#: The discounts of a session's q-th query, by name: the same functions, of q with base bq.
QUERY_DISCOUNTS: dict[str, Discount] = {
    "revised": Discount(
        DISCOUNTS["revised"].formula,
        True,
        "1 + log_bq(q)",
        "ECIR 2008, eq. 1",
        "the query discount of Järvelin et al. (2008), base {bq}",
        r"1 + \log_{{bq}} q",
    ),
    "shifted": Discount(
        DISCOUNTS["shifted"].formula,
        True,
        "log_bq(q + bq - 1)",
        "Kanoulas et al., SIGIR 2011",
        "the query discount of Kanoulas et al. (2011), base {bq}",
        r"\log_{{bq}} (q + {bq} - 1)",
    ),
    "none": Discount(
        DISCOUNTS["none"].formula,
        False,
        "1",
        "no discount of later queries",
        "no discount of later queries",
        "1",
    ),
}

#: How documents count that several queries of a session return, by name.
DUPLICATES: dict[str, str] = {
    "count": "its gain each time (the choice of ECIR 2008, section 3.3)",
    "first": "its gain only the first time it appears among the documents scanned",
}

#: The rules for ranking documents of equal score, by name.
TIES: dict[str, str] = {
    "doc_id": "by descending document id, trec_eval's rule",
    "average": "the expected value over all their orders (McSherry & Najork, ECIR 2008)",
    "best": "in descending order of gain",
    "worst": "in ascending order of gain",
}

#: How many positions a query takes in a session's vector, by name; or a whole number.
PADDINGS: dict[str, str] = {
    "fixed": "k, however few documents the query has (the choice of ECIR 2008, section 4)",
    "none": "as many as it has documents, at most k; a whole number m: at least m",
}

# Defaults of the functions below and of the measures' parameters.
DEFAULT_DISCOUNT = "log2"
DEFAULT_BASE = 2
DEFAULT_SESSION_DISCOUNT = "revised"
DEFAULT_SESSION_DEPTH = 10
DEFAULT_QUERY_DISCOUNT = "revised"
DEFAULT_BQ = 4
DEFAULT_DUPLICATES = "count"
DEFAULT_TIES = "doc_id"
DEFAULT_PADDING = "fixed"


def _tabulate(value: str, table: dict[str, Discount]) -> Callable[[Function], Function]:
    """Replace ``{table}`` in a function's docstring by a table of discounts."""
    rows = [("``discount``", value, "source")]
    rows += [(f"``{key}``", entry.text, entry.source) for key, entry in table.items()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    rule = "  ".join("=" * width for width in widths)

    def write(function: Function) -> Function:
        if function.__doc__:  # there is none under python -OO
            text = "\n".join([rule, lines[0], rule, *lines[1:], rule])
            function.__doc__ = inspect.cleandoc(function.__doc__).replace("{table}", text)
        return function

    return write


def as_float(value: Any) -> float:
    """Return a number as float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _vector(gain: ArrayLike) -> Floats:
    array = np.asarray(gain, dtype=np.float64)
    if array.ndim == 0:
        raise ValueError(f"a vector of gains is needed, got the single number {array:g}")
    return array


def check_base(base: Any, name: str = "base") -> float:
    """Return the base of a logarithm as a float; refuse an invalid one.

    Raises
    ------
    TypeError
        If ``base`` is not a real number (``True`` is not).
    ValueError
        If ``base`` is not finite or not greater than 1.
    """
    if isinstance(base, (bool, np.bool_)) or not isinstance(base, Real):
        raise TypeError(f"{name}={base!r}: the base of a logarithm is a number greater than 1")
    value = as_float(base)
    if not (math.isfinite(value) and value > 1):
        raise ValueError(f"{name}={base!r}: the base of a logarithm must be greater than 1")
    return value


def find_discount(name: Any) -> Discount:
    """Return the discount of this name.

    Raises
    ------
    ValueError
        If the discount is unknown.
    """
    if not isinstance(name, str) or name not in DISCOUNTS:
        raise ValueError(
            f"discount={name!r} is unknown; choose from {', '.join(DISCOUNTS)}; your own "
            "has to be registered with pt_cumgain.register_discount in each Python process"
        )
    return DISCOUNTS[name]


@_tabulate("d(i)", DISCOUNTS)
def discounts(
    rank: ArrayLike, discount: str = DEFAULT_DISCOUNT, base: float = DEFAULT_BASE
) -> Floats:
    r"""Return :math:`d(i)`, by which the gain at rank :math:`i` is divided.

    {table}

    See TOIS 2002 [2]_, ECIR 2008 [3]_, SIGIR 2000 [1]_ and Kanoulas et al. 2011
    [4]_.

    Parameters
    ----------
    rank
        Ranks, 1 or greater, of any shape.
    discount
        A name from the table, or one that you registered by
        :func:`pt_cumgain.register_discount`.
    base
        The base b of the logarithm, greater than 1; discounts without a base
        ignore it.

    Raises
    ------
    ValueError
        If the discount is unknown, the base not greater than 1, or a rank below
        1 or past the last registered weight.

    Examples
    --------
    >>> discounts([1, 2, 4, 8], "original", base=4).round(2).tolist()
    [1.0, 1.0, 1.0, 1.5]
    >>> discounts([1, 2, 4, 8], "revised", base=4).round(2).tolist()
    [1.0, 1.5, 2.0, 2.5]
    """
    formula = find_discount(discount).formula
    ranks = np.asarray(rank, dtype=np.float64)
    if not (ranks >= 1).all():
        raise ValueError(f"ranks count from 1, got {ranks[~(ranks >= 1)].flat[0]:g}")
    return formula(ranks, check_base(base))


def cg(gain: ArrayLike) -> Floats:
    r"""Return the cumulated gain vector, :math:`CG[i] = \sum_{j \le i} G[j]`.

    TOIS 2002 [2]_, eq. 1.

    Parameters
    ----------
    gain
        Gain vector(s) G, shape ``(..., n)``: the gain of the document at each
        rank.

    Returns
    -------
    numpy.ndarray
        float64, the shape of ``gain``.

    Examples
    --------
    The example of the paper:

    >>> cg([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]).tolist()
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]
    """
    return np.cumsum(_vector(gain), axis=-1)


def dcg(gain: ArrayLike, *, discount: str = DEFAULT_DISCOUNT, base: float = DEFAULT_BASE) -> Floats:
    r"""Return the discounted cumulated gain vector.

    :math:`DCG[i] = \sum_{j \le i} G[j] / d(j)`. TOIS 2002 [2]_, eq. 2, with
    ``discount="original"``; ECIR 2008 [3]_, appendix, eq. 2, with
    ``"revised"``; SIGIR 2000 [1]_, eq. 2, with ``"sigir2000"``.

    The ECIR 2008 appendix illustrates its equation (b = 4) with the vector 3,
    4, 5.67, 5.67, 5.67, 6.11, 6.94, 8.14, 9.30, 9.30. Its own equation gives
    the second vector below: the printed one divides rank 2 by 2 instead of 1.5
    and uses the gain 3 instead of 2 at rank 8. This function follows the
    equation.

    Parameters
    ----------
    gain
        Gain vector(s) G, shape ``(..., n)``.
    discount, base
        See :func:`discounts`.

    Returns
    -------
    numpy.ndarray
        float64, the shape of ``gain``.

    Examples
    --------
    >>> dcg([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], discount="original", base=2).round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    >>> dcg([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], discount="revised", base=4).round(2).tolist()
    [3.0, 4.33, 6.01, 6.01, 6.01, 6.44, 7.28, 8.08, 9.24, 9.24]
    """
    vector = _vector(gain)
    return cg(vector / discounts(np.arange(1, vector.shape[-1] + 1), discount, base))


def ideal_vector(gain: ArrayLike, depth: int | None = None) -> Floats:
    """Return the ideal gain vector of a recall base.

    Its positive gains in descending order: TOIS 2002 [2]_, eq. 4. The recall
    base consists of all judged documents of the topic, retrieved or not;
    sorting the retrieved documents does not give an ideal vector.

    Parameters
    ----------
    gain
        The gains of the topic's judged documents in any order, shape ``(...,
        m)``.
    depth
        The length of the vector, which is cut or padded with zeros. Default: m.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(..., depth)``.

    Examples
    --------
    >>> ideal_vector([0, 1, 3, 0, 2], depth=4).tolist()
    [3.0, 2.0, 1.0, 0.0]
    """
    base = -np.sort(-np.maximum(_vector(gain), 0.0), axis=-1)
    if depth is None:
        return base
    if depth < 0:
        raise ValueError(f"depth={depth} must not be negative")
    short = max(depth - base.shape[-1], 0)
    return np.pad(base, [(0, 0)] * (base.ndim - 1) + [(0, short)])[..., :depth]


def has_ideal(discount: str, base: float = DEFAULT_BASE) -> bool:
    """Return whether descending gains are optimal under a discount with this base.

    They are if the discount never decreases from one rank to the next.

    Raises
    ------
    ValueError
        If the discount is unknown.

    Examples
    --------
    >>> has_ideal("sigir2000", 2), has_ideal("sigir2000", 3)
    (True, False)
    """
    return base <= find_discount(discount).ideal_up_to


def norm_vect(vector: ArrayLike, ideal: ArrayLike) -> Floats:
    r"""Return the normalised vector, :math:`V[i] / I[i]` for each i.

    TOIS 2002 [2]_, eq. 5. ``vector`` and ``ideal`` are both cumulated (from
    :func:`cg` or :func:`dcg`, the ideal one from :func:`ideal_vector`). Where
    the ideal is 0, because the topic has no relevant documents, the value is 0.
    Values that exceed 1 only by rounding error become 1.

    Parameters
    ----------
    vector, ideal
        Cumulated vectors, shapes that broadcast.

    Examples
    --------
    >>> run, ideal = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0], [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    >>> norm_vect(cg(run), cg(ideal)).round(2).tolist()
    [1.0, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]
    """
    top, bottom = np.asarray(vector, dtype=np.float64), np.asarray(ideal, dtype=np.float64)
    return round_to_1(divide_or_zero(top, bottom))


def divide_or_zero(numerator: Floats, divisor: Floats) -> Floats:
    """Return ratios; 0 where the divisor is not positive. Shapes broadcast."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, divisor.shape))
    return np.asarray(np.divide(numerator, divisor, out=zeros, where=divisor > 0))


def round_to_1(values: Floats) -> Floats:
    """Replace values that exceed 1 only by rounding error with 1."""
    above = values > 1
    return np.where(above & (values < 1 + 1e-12), 1.0, values) if above.any() else values


def generalised_precision(gain: ArrayLike, largest: float) -> Floats:
    r"""Return generalised precision, :math:`gP[i] = CG[i] / (i\, g)`.

    g is the largest possible gain. Kekäläinen and Järvelin, JASIST 53(13),
    2002, where gains are scaled so that g is 1. It is 0 if g is 0.

    Parameters
    ----------
    gain
        Gain vector(s) G, shape ``(..., n)``.
    largest
        g.

    Examples
    --------
    >>> generalised_precision([3, 0, 1.5], 3).tolist()
    [1.0, 0.5, 0.5]
    """
    vector = cg(gain)
    return norm_vect(vector, largest * np.arange(1, vector.shape[-1] + 1))


def generalised_recall(gain: ArrayLike, base: ArrayLike) -> Floats:
    r"""Return generalised recall, :math:`gR[i] = CG[i] / \sum_j B[j]`.

    Kekäläinen and Järvelin, JASIST 53(13), 2002. It is 0 if the recall base has
    no gain.

    Parameters
    ----------
    gain
        Gain vector(s) G, shape ``(..., n)``.
    base
        The gains B of the topic's judged documents in any order, shape ``(...,
        m)``; negative ones count as 0.

    Examples
    --------
    >>> generalised_recall([3, 0, 1], [1, 3, 2, 0]).round(2).tolist()
    [0.5, 0.5, 0.67]
    """
    total = np.maximum(_vector(base), 0.0).sum(axis=-1)
    return norm_vect(cg(gain), total[..., None])


def avg_vect(vectors: ArrayLike) -> Floats:
    r"""Return the mean of several topics' vectors, :math:`|V|^{-1} \sum_v v`.

    TOIS 2002 [2]_, eq. 3.

    Parameters
    ----------
    vectors
        Shape ``(topics, n)``.

    Raises
    ------
    ValueError
        If there is no vector.

    Examples
    --------
    >>> avg_vect([[3, 5, 8], [1, 1, 2]]).tolist()
    [2.0, 3.0, 5.0]
    """
    array = np.asarray(vectors, dtype=np.float64)
    if array.ndim < 2 or len(array) == 0:
        raise ValueError(f"avg_vect takes one or more vectors as rows, got shape {array.shape}")
    return np.asarray(array.mean(axis=0))


def avg_pos(vector: ArrayLike, k: int) -> Floats:
    r"""Return the average of a vector over the ranks up to k.

    :math:`k^{-1} \sum_{i \le k} V[i]`. TOIS 2002 [2]_, eq. 6: the statistic in
    its Table 2. A vector shorter than k keeps its last value past its end, as
    cumulated vectors do.

    Parameters
    ----------
    vector
        Cumulated vector(s), shape ``(..., n)`` with n of 1 or more.
    k
        The last rank, 1 or greater.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(...)``.

    Raises
    ------
    ValueError
        If k is below 1 or the vector is empty.

    Examples
    --------
    >>> float(avg_pos([3, 5, 8], 2)), float(avg_pos([3, 5, 8], 5))
    (4.0, 6.4)
    """
    array = _vector(vector)
    if k < 1:
        raise ValueError(f"avg_pos averages over the ranks 1 to k, got k={k}")
    if array.shape[-1] == 0:
        raise ValueError("avg_pos needs a vector with at least one rank")
    flat = max(k - array.shape[-1], 0) * array[..., -1]
    return np.asarray((array[..., :k].sum(axis=-1) + flat) / k)


@_tabulate("d_q(q)", QUERY_DISCOUNTS)
def query_discounts(
    position: ArrayLike, discount: str = DEFAULT_QUERY_DISCOUNT, bq: float = DEFAULT_BQ
) -> Floats:
    r"""Return the discount :math:`d_q(q)` of the q-th query of a session.

    {table}

    See ECIR 2008 [3]_ and Kanoulas et al. 2011 [4]_.

    Parameters
    ----------
    position
        Positions of queries in their session, 1 or greater, of any shape.
    discount
        A name from the table.
    bq
        The base of the logarithm, greater than 1; discounts without a base
        ignore it.

    Raises
    ------
    ValueError
        If the discount is unknown, the base not greater than 1, or a position
        below 1.

    Examples
    --------
    >>> query_discounts([1, 2, 4, 16]).tolist()
    [1.0, 1.5, 2.0, 3.0]
    """
    choice(*QUERY_DISCOUNTS).check("query_discount", discount)
    positions = np.asarray(position, dtype=np.float64)
    if not (positions >= 1).all():
        raise ValueError(f"queries count from 1, got {positions[~(positions >= 1)].flat[0]:g}")
    return QUERY_DISCOUNTS[discount].formula(positions, check_base(bq, "bq"))


def _session_weights(
    queries: int, depth: int, discount: str, base: float, query_discount: str, bq: float
) -> Floats:
    """Return 1 / (d(r) d_q(q)) of every position, shape ``(queries, depth)``."""
    if depth < 1:
        raise ValueError(f"depth={depth}: at least one document of each query must be scanned")
    if queries != int(queries) or queries < 0:
        raise ValueError(f"queries={queries} must be a whole number of at least 0")
    ranks = discounts(np.arange(1, depth + 1), discount, base)
    query_discount_vector = query_discounts(np.arange(1, queries + 1), query_discount, bq)
    return np.asarray(1 / (query_discount_vector[:, None] * ranks))


def session_vector(
    gains: Sequence[ArrayLike],
    *,
    depth: int = DEFAULT_SESSION_DEPTH,
    discount: str = DEFAULT_SESSION_DISCOUNT,
    base: float = DEFAULT_BASE,
    query_discount: str = DEFAULT_QUERY_DISCOUNT,
    bq: float = DEFAULT_BQ,
) -> Floats:
    r"""Return a session's vector: the gains cumulated over its queries.

    .. math:: sDCG[(q - 1) k + r] = \sum_{p < q} \sum_{i \le k} \frac{G_p[i]}{d(i)\, d_q(p)}
              + \sum_{i \le r} \frac{G_q[i]}{d(i)\, d_q(q)}

    ECIR 2008 [3]_, eq. 1 and section 3.3. Each query has k positions; shorter
    lists are padded with zeros, as in the paper, so that a query that returns
    nothing still takes up its positions. The last component is the session's
    sDCG@k. Repeated documents are not detected: to count them once, pass their
    later gains as 0.

    Parameters
    ----------
    gains
        The gain vector of each query, in order; of any length, even empty.
    depth
        k, the number of documents scanned for each query.
    discount, base
        See :func:`discounts`.
    query_discount, bq
        See :func:`query_discounts`.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(queries * depth,)``.

    Raises
    ------
    ValueError
        If ``depth`` is below 1, or a discount or base cannot be used.

    Examples
    --------
    Two queries, with two documents scanned for each (b = 2, bq = 4):

    >>> session_vector([[0, 1], [3, 1, 3]], depth=2).round(3).tolist()
    [0.0, 0.5, 2.5, 2.833]
    """
    weights = _session_weights(len(gains), depth, discount, base, query_discount, bq)
    table = np.zeros(weights.shape)
    for row, gain in zip(table, gains):
        cut = _vector(gain)[:depth]
        row[: len(cut)] = cut
    return cg((table * weights).ravel())


def ideal_session(
    gain: ArrayLike,
    queries: int,
    *,
    depth: int = DEFAULT_SESSION_DEPTH,
    discount: str = DEFAULT_SESSION_DISCOUNT,
    base: float = DEFAULT_BASE,
    query_discount: str = DEFAULT_QUERY_DISCOUNT,
    bq: float = DEFAULT_BQ,
    duplicates: str = DEFAULT_DUPLICATES,
    scanned: ArrayLike | None = None,
) -> Floats:
    r"""Return the vector of the ideal session with this number of queries.

    With ``duplicates="count"`` every query returns the ideal vector of the
    topic (ECIR 2008 [3]_, section 3.3). With ``"first"`` a document counts
    once, and component p is the maximum that the first p positions can yield:
    the largest gains go to the positions with the smallest discounts
    :math:`d(r)\, d_q(q)`. That is not the order of the positions, so the gains
    are assigned afresh for each p.

    Parameters
    ----------
    gain
        The gains of the topic's judged documents in any order, shape ``(m,)``;
        or with ``"count"`` those of each query, if a judgment holds for a
        single query, filled up with zeros: ``(queries, m)``.
    queries
        n, the number of queries of the session.
    depth, discount, base, query_discount, bq
        As for :func:`session_vector`. The discount must have an ideal; see
        :func:`has_ideal`.
    duplicates
        ``"count"`` or ``"first"``.
    scanned
        How many documents of each query count, if not all k: the vector is
        level at the other positions. Shape ``(queries,)``.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(queries * depth,)``.

    Raises
    ------
    ValueError
        If ``depth`` is below 1, or a name or a base cannot be used.

    Examples
    --------
    A topic with three relevant documents, two queries, two documents scanned
    for each:

    >>> ideal_session([1, 3, 2], 2, depth=2).round(3).tolist()
    [3.0, 4.0, 6.0, 6.667]
    >>> ideal_session([1, 3, 2], 2, depth=2, duplicates="first").round(3).tolist()
    [3.0, 4.0, 4.833, 4.833]
    """
    choice(*DUPLICATES).check("duplicates", duplicates)
    if not has_ideal(discount, base):
        raise ValueError(f"discount={discount!r} with base={base!r} has no ideal session")
    weights = _session_weights(queries, depth, discount, base, query_discount, bq)
    if scanned is not None:
        weights *= np.arange(depth) < np.reshape(np.asarray(scanned), (queries, 1))
    ideal = ideal_vector(gain)
    by_query = duplicates == "count" and ideal.shape[:-1] == (queries,)
    if ideal.ndim > 1 and not by_query:
        raise ValueError(f"the gains of one topic are needed, got shape {ideal.shape}")
    if duplicates == "count":
        return cg((weights * ideal_vector(gain, depth)).ravel())
    ideal = ideal[ideal > 0]
    best = np.zeros(len(ideal))  # the largest weights so far, in descending order
    out = np.zeros(weights.size)
    for position, weight in enumerate(weights.ravel().tolist()):
        place = int(np.searchsorted(-best, -weight, side="right"))
        if place < len(best):
            best[place + 1 :] = best[place:-1].copy()
            best[place] = weight
        out[position] = best @ ideal
    return out
