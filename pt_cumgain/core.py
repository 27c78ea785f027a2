"""Cumulated gain on plain NumPy arrays: the formulas of the papers.

The engine computes every value with these functions. They operate along the last axis, so a
two-dimensional array holds one vector per topic. Ranks start at 1: element 0 of a vector belongs to
rank 1. Only page/cumgain.js, which computes in the browser, and tests/support/reference.py, which
checks both, repeat the formulas.

Examples
--------
Normalised DCG at each rank, TOIS 2002 [2]_, eq. 2, 4 and 5:

>>> gain, recall_base = np.array([3, 0, 2]), np.array([0, 2, 3, 1])
>>> ideal = recall_base[ideal_order(recall_base)]
>>> dcg, best = (cg(discount_gains(vector)) for vector in (gain, ideal))
>>> norm_vect(dcg, best).round(3).tolist()
[1.0, 0.704, 0.84]

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

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_cumgain.environment.terminal import show
from pt_cumgain.options import choice, number

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Discount:
    """A discount function d(i), with its descriptions and limits.

    Attributes
    ----------
    formula
        Computes d(i) from the ranks i and the base b.
    text
        The formula as a phrase.
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
        The objection to a larger base, and a remedy.
    depth
        The last rank for which d is known.
    """

    formula: Callable[[Floats, float], Floats]
    text: str
    source: str
    phrase: str
    latex: str
    up_to_base: str = ""
    ideal_up_to: float = math.inf
    beyond: str = ""
    depth: float = math.inf

    @property
    def takes_base(self) -> bool:
        """Whether it has a base, which its phrase then states."""
        return "{b" in self.phrase

    def has_ideal(self, base: float, last: float = 1) -> bool:
        """Return whether d never decreases: by its declaration, and down to the rank ``last``."""
        divisors = self.formula(np.arange(min(last, self.depth, 1e6)) + 1, base)
        return base <= self.ideal_up_to and not (divisors[1:] < divisors[:-1] * (1 - 1e-12)).any()


def _log(rank: Floats, base: float) -> Floats:
    return np.log(rank) / math.log(base)


#: The discounts, by name. The measures' parameter, its validation, its documentation, describe()
#: and the tests read this table; registration.py adds those of users. A new discount is an entry
#: here, and one in page/cumgain.js and tests/support/reference.py; a paper that is not
#: yet cited goes into writing/references.bib and writing/phrases.ini.
DISCOUNTS: dict[str, Discount] = {
    "log2": Discount(
        lambda rank, base: np.log2(rank + 1),
        "log2(i + 1)",
        "trec_eval and ir-measures nDCG",
        "the discount log2(rank + 1)",
        r"\log_{2} (i + 1)",
    ),
    "original": Discount(
        lambda rank, base: np.where(rank < base, 1.0, _log(rank, base)),
        "1 for i < b, else log_b(i)",
        "TOIS 2002, eq. 2",
        "the discount of Järvelin and Kekäläinen (2002), base {base}",
        r"\begin{cases} 1 & i < {base} \\ \log_{{base}} i & i \ge {base} \end{cases}",
        up_to_base="no rank up to the base is discounted",
    ),
    "revised": Discount(
        lambda rank, base: 1 + _log(rank, base),
        "1 + log_b(i)",
        "ECIR 2008, appendix, eq. 2",
        "the discount of Järvelin et al. (2008), base {base}",
        r"1 + \log_{{base}} i",
    ),
    "sigir2000": Discount(
        lambda rank, base: np.where(rank > 1, _log(rank, base), 1.0),
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
        "log_b(i + b - 1)",
        "Kanoulas et al., SIGIR 2011",
        "the discount of Kanoulas et al. (2011), base {base}",
        r"\log_{{base}} (i + {base} - 1)",
    ),
    "rank": Discount(
        lambda rank, base: rank,
        "i",
        "TOIS 2002, section 4",
        "the rank itself as the discount",
        "i",
    ),
    "none": Discount(
        lambda rank, base: np.ones_like(rank),
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
        "1 + log_bq(q)",
        "ECIR 2008, eq. 1",
        "the query discount of Järvelin et al. (2008), base {bq}",
        r"1 + \log_{{bq}} q",
    ),
    "shifted": Discount(
        DISCOUNTS["shifted"].formula,
        "log_bq(q + bq - 1)",
        "Kanoulas et al., SIGIR 2011",
        "the query discount of Kanoulas et al. (2011), base {bq}",
        r"\log_{{bq}} (q + {bq} - 1)",
    ),
    "none": Discount(
        DISCOUNTS["none"].formula,
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

# Defaults of the functions below and of the measures' parameters. The discount is that of trec_eval
# and ir-measures, and not that of TOIS 2002, so that plain nDCG has the value that is expected; no
# program sets a standard for sessions, whose defaults are those of ECIR 2008.
DEFAULT_DISCOUNT = "log2"
DEFAULT_BASE = 2
DEFAULT_SESSION_DISCOUNT = "revised"
DEFAULT_SESSION_DEPTH = 10
DEFAULT_QUERY_DISCOUNT = "revised"
DEFAULT_BQ = 4
DEFAULT_DUPLICATES = "count"
DEFAULT_TIES = "doc_id"
DEFAULT_PADDING = "fixed"


#: The base of a logarithm.
_BASE = number("a number greater than 1, such as 2", above=1)


def read_numbers(name: str, values: ArrayLike, axes: int = 0) -> Floats:
    """Return numbers as an array of floats with at least so many axes; refuse what is none."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or array.ndim < axes:
        kind = ("an array", "a vector", "a table, with a row for each vector,")[axes]
        raise TypeError(f"{name}={show(values)} must be {kind} of numbers, as floats")
    return array


def check_base(base: object, name: str = "base") -> float:
    """Return the base of a logarithm as a float; refuse one that is not greater than 1."""
    return float(_BASE.check(name, base))


def find_discount(name: object) -> Discount:
    """Return the discount of this name.

    Raises
    ------
    ValueError
        If the discount is unknown.
    """
    if not isinstance(name, str) or name not in DISCOUNTS:
        raise ValueError(
            f"discount={show(name)} is unknown; choose from {', '.join(DISCOUNTS)}; your own "
            "has to be registered with pt_cumgain.register_discount in each Python process"
        )
    return DISCOUNTS[name]


def discounts(
    rank: ArrayLike, discount: str = DEFAULT_DISCOUNT, base: float = DEFAULT_BASE
) -> Floats:
    r"""Return d(i), by which the gain at rank i is divided.

    See TOIS 2002 [2]_, ECIR 2008 [3]_, SIGIR 2000 [1]_ and Kanoulas et al. 2011
    [4]_.

    Parameters
    ----------
    rank
        Ranks, 1 or greater, of any shape.
    discount
        A name that :data:`pt_cumgain.nDCG` lists with its formula, or one that
        you registered by :func:`pt_cumgain.register_discount`.
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
    ranks = read_numbers("rank", rank)
    if not (ranks >= 1).all():
        raise ValueError(f"ranks count from 1, got {ranks[~(ranks >= 1)].flat[0]:g}")
    return formula(ranks, check_base(base))


def cg(gain: ArrayLike) -> Floats:
    r"""Return the cumulated gain vector, CG[i] = Σ G[j] over j ≤ i.

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
    return np.cumsum(read_numbers("gain", gain, 1), axis=-1)


def discount_gains(
    gain: ArrayLike,
    rank: ArrayLike | None = None,
    discount: str = DEFAULT_DISCOUNT,
    base: float = DEFAULT_BASE,
) -> Floats:
    r"""Return discounted gains, G[i] / d(i).

    Cumulated by :func:`cg`, they are the DCG vector: TOIS 2002 [2]_, eq. 2,
    with ``discount="original"``; ECIR 2008 [3]_, appendix, eq. 2, with
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
    rank
        The rank of each gain, a shape that broadcasts; by default 1, 2, ..., n.
    discount, base
        See :func:`discounts`.

    Returns
    -------
    numpy.ndarray
        float64, the shape of ``gain``.

    Examples
    --------
    >>> gain = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    >>> cg(discount_gains(gain, discount="original", base=2)).round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    >>> cg(discount_gains(gain, discount="revised", base=4)).round(2).tolist()
    [3.0, 4.33, 6.01, 6.01, 6.01, 6.44, 7.28, 8.08, 9.24, 9.24]
    """
    gains = read_numbers("gain", gain, int(rank is None))
    ranks = np.arange(1, gains.shape[-1] + 1) if rank is None else rank
    return np.asarray(gains / discounts(ranks, discount, base))


def ideal_order(gain: ArrayLike) -> NDArray[np.int64]:
    """Return the indices that sort the positive gains in descending order.

    In this order, the gains of a topic's recall base form its ideal vector:
    TOIS 2002 [2]_, eq. 4. The recall base consists of all judged documents of
    the topic, retrieved or not; sorting only the retrieved documents does not
    yield an ideal vector. Equal gains keep their order.

    Parameters
    ----------
    gain
        Gains in any order, shape ``(m,)``.

    Examples
    --------
    >>> ideal_order([0, 1, 3, -1, 2]).tolist()
    [2, 4, 1]
    """
    gains = read_numbers("gain", gain, 1)
    if gains.ndim > 1:
        raise ValueError(f"gain has the shape {gains.shape}; order one topic at a time")
    order = np.argsort(-gains, kind="stable")
    return np.asarray(order[gains[order] > 0])


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
    return find_discount(discount).has_ideal(check_base(base))


def norm_vect(vector: ArrayLike, ideal: ArrayLike) -> Floats:
    r"""Return the normalised vector, V[i] / I[i] for each i.

    TOIS 2002 [2]_, eq. 5. ``vector`` and ``ideal`` are both cumulated by
    :func:`cg`, with or without discount. If the ideal is 0, because the
    topic has no relevant documents, the value is 0. Values that exceed 1 only
    by rounding error become 1. If the ideal is too large for a float, the value is
    NaN.

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
    top, bottom = read_numbers("vector", vector), read_numbers("ideal", ideal)
    ratios = round_to_1(divide_or_zero(top, bottom))
    finite = np.isfinite(bottom)
    return ratios if finite.all() else np.where(finite, ratios, np.nan)


def divide_or_zero(numerator: Floats, divisor: Floats) -> Floats:
    """Return ratios; 0 where the divisor is not positive. Shapes broadcast."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, divisor.shape))
    return np.asarray(np.divide(numerator, divisor, out=zeros, where=divisor > 0))


def round_to_1(values: Floats) -> Floats:
    """Replace values that exceed 1 only by rounding error with 1."""
    above = values > 1
    return np.where(above & (values < 1 + 1e-12), 1.0, values) if above.any() else values


def largest_cg(rank: ArrayLike, largest: float) -> Floats:
    r"""Return i g, the CG at rank i if every document had the largest gain g.

    Generalised precision is CG divided by it, gP[i] = CG[i] / (i g):
    Kekäläinen and Järvelin, JASIST 53(13), 2002, where gains are scaled so that
    g is 1.

    Examples
    --------
    >>> norm_vect(cg([3, 0, 1.5]), largest_cg([1, 2, 3], 3)).tolist()
    [1.0, 0.5, 0.5]
    """
    return read_numbers("rank", rank) * read_numbers("largest", largest)


def sum_recall_base(ideal: ArrayLike) -> Floats:
    r"""Return the sum of the gains of each recall base.

    Σ I[j] over all j. Generalised recall is CG divided by it, gR[i] = CG[i] /
    Σ I[j]: Kekäläinen and Järvelin, JASIST 53(13), 2002.

    Parameters
    ----------
    ideal
        Ideal vector(s) I, shape ``(..., n)``, with the whole recall base.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(..., 1)``.

    Examples
    --------
    >>> norm_vect(cg([3, 0, 1]), sum_recall_base([3, 2, 1])).round(2).tolist()
    [0.5, 0.5, 0.67]
    """
    return cg(read_numbers("ideal", ideal, 1))[..., -1:]


def avg_pos(vector: ArrayLike, k: ArrayLike) -> Floats:
    r"""Return the average of a vector over ranks 1 to k.

    Σ V[i] / k over i ≤ k. TOIS 2002 [2]_, eq. 6: the statistic in its Table 2.
    Past its end, a vector keeps its last value (0 if it is empty). The average
    over no ranks is 0.

    Parameters
    ----------
    vector
        Vector(s) V, shape ``(..., n)``.
    k
        The last ranks, shape ``(..., m)``; the other axes broadcast.

    Returns
    -------
    numpy.ndarray
        float64, an average for each k.

    Examples
    --------
    The vector 3, 5, 8 over the first two ranks, and with 8, 8 over five:

    >>> avg_pos([3, 5, 8], [2, 5]).tolist()
    [4.0, 6.4]
    """
    values, last = read_numbers("vector", vector, 1), read_numbers("k", k, 1)
    if not ((last >= 0) & (last % 1 == 0)).all():
        raise ValueError(f"k={show(k)} must be whole numbers of at least 0")
    values = np.concatenate([np.zeros((*values.shape[:-1], 1)), values], axis=-1)  # from rank 0
    # the last value is multiplied from where it begins, so that it makes no difference how often
    # it stands in the vector
    begins = np.where(np.diff(values, prepend=0.0) != 0, np.arange(values.shape[-1]), 0)
    at = np.minimum(last, values.shape[-1] - 1).astype(np.int64)
    first = np.take_along_axis(np.maximum.accumulate(begins, axis=-1), at, -1)
    before = np.take_along_axis(np.cumsum(values, axis=-1), np.maximum(first - 1, 0), -1)
    whole = before + np.take_along_axis(values, at, -1) * (last - first + 1)
    return np.asarray(whole / np.maximum(last, 1))


def query_discounts(
    position: ArrayLike, discount: str = DEFAULT_QUERY_DISCOUNT, bq: float = DEFAULT_BQ
) -> Floats:
    r"""Return the discount d_q(q) of the q-th query of a session.

    See ECIR 2008 [3]_ and Kanoulas et al. 2011 [4]_.

    Parameters
    ----------
    position
        Positions of queries in their session, 1 or greater, of any shape.
    discount
        A name that :data:`pt_cumgain.sDCG` lists with its formula.
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
    positions = read_numbers("position", position)
    if not (positions >= 1).all():
        raise ValueError(f"queries count from 1, got {positions[~(positions >= 1)].flat[0]:g}")
    return QUERY_DISCOUNTS[discount].formula(positions, check_base(bq, "bq"))


def discount_session_gains(
    gain: ArrayLike,
    rank: ArrayLike,
    position: ArrayLike,
    *,
    discount: str = DEFAULT_SESSION_DISCOUNT,
    base: float = DEFAULT_BASE,
    query_discount: str = DEFAULT_QUERY_DISCOUNT,
    bq: float = DEFAULT_BQ,
) -> Floats:
    r"""Return the discounted gains of a session, G_q[i] / (d(i) d_q(q)).

    Concatenated and cumulated by :func:`cg`, the gains of a session's
    queries are its vector, whose last component is sDCG@k: ECIR 2008 [3]_,
    eq. 1 and section 3.3.

    Parameters
    ----------
    gain
        The gain of each document, of any shape.
    rank, position
        Its rank in its query's list, and the query's position q in the session;
        shapes that broadcast.
    discount, base
        See :func:`discounts`.
    query_discount, bq
        See :func:`query_discounts`.

    Returns
    -------
    numpy.ndarray
        float64.

    Examples
    --------
    Two queries, with two documents scanned for each (b = 2, bq = 4):

    >>> gains = discount_session_gains([[0, 1], [3, 1]], rank=[1, 2], position=[[1], [2]])
    >>> cg(gains.ravel()).round(3).tolist()
    [0.0, 0.5, 2.5, 2.833]

    The ideal session repeats the ideal vector of the topic, cut at k:

    >>> ideal = discount_session_gains([[3, 2], [3, 2]], rank=[1, 2], position=[[1], [2]])
    >>> cg(ideal.ravel()).round(3).tolist()
    [3.0, 4.0, 6.0, 6.667]
    """
    by_rank = discount_gains(gain, rank, discount, base)
    return by_rank / query_discounts(position, query_discount, bq)


def assign_gains(ideal: ArrayLike, weight: ArrayLike) -> Floats:
    r"""Return the vectors of ideal sessions in which each document counts once.

    The value at a position is the largest sum that the gains of the recall
    base can earn up to there. To earn it, the largest gains go to the
    positions with the largest weights 1 / (d(r) d_q(q)), which are not always
    the first ones.

    Parameters
    ----------
    ideal
        The ideal vector of each session's recall base, shape ``(sessions, m)``.
    weight
        The weight of each position, 0 if no document counts there; shape
        ``(sessions, n)``.

    Returns
    -------
    numpy.ndarray
        float64, shape ``(sessions, n)``.

    Examples
    --------
    Two documents; two queries, with two positions each:

    >>> assign_gains([[3, 2]], [[1, 1 / 2, 1 / 1.5, 1 / 3]]).round(3).tolist()
    [[3.0, 4.0, 4.333, 4.333]]
    """
    gains, weights = read_numbers("ideal", ideal, 2), read_numbers("weight", weight, 2)
    gains = gains[:, gains.any(axis=0)][:, ::-1]
    largest = np.zeros(gains.shape)  # the largest weights so far, ascending like the gains
    sums = np.zeros(weights.shape)
    for position in range(weights.shape[1]):
        known = np.column_stack([largest, weights[:, position]])
        largest = np.sort(known, axis=1)[:, 1:]
        earned = np.column_stack([np.zeros(len(sums)), largest * gains])
        sums[:, position] = cg(earned)[:, -1]  # the smallest first, which loses fewer digits
    return sums
