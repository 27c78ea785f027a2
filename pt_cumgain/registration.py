"""Discounts that users add to those of :mod:`pt_cumgain.core`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pt_cumgain.core import BUILT_IN, DISCOUNTS, Discount, Floats, read_numbers
from pt_cumgain.environment.terminal import drop_controls, show
from pt_cumgain.environment.warning import warn
from pt_cumgain.options import checked

#: A formula is checked at the ranks 1 to this one.
CHECKED = 1000


@checked
def register_discount(
    name: str,
    *,
    weights: ArrayLike | None = None,
    formula: Callable[[Floats], ArrayLike] | None = None,
    text: str = "",
    source: str = "",
    latex: str = "",
    force: bool = False,
) -> None:
    r"""Register a discount of your own under a name that the measures accept.

    From then on, ``nDCG(discount="name") @ 10`` works everywhere, like a
    built-in discount. It has no base. Pass either ``weights`` or ``formula``.

    The registration holds for the running process; another one, such as a
    worker of joblib or Spark, must call this function as well.

    Parameters
    ----------
    name
        An identifier that is not the name of a built-in discount.
    weights
        The factor 1 / d(i) by which the gain at rank i is multiplied,
        for i = 1 to n; 0 for a rank that the user does not reach. Measures then
        need a cutoff of at most n.
    formula
        A function that takes a one-dimensional array of ranks (floats) and
        returns the divisor d(i) for each of them. The result for a rank
        must not depend on the other ranks. It is checked for ranks 1 to 1000;
        that it never falls, for normalised measures also down to their cutoffs,
        or to rank 1,000,000.
    text
        d(i) as a phrase, with i for the rank, for sentences. By default
        the weights, rounded to four digits, or the name.
    source
        Where it was published, for example ``"Doe et al., 2026"``.
    latex
        d(i) in LaTeX; by default ``text``.
    force
        Replace a discount of your own with other values under the same name.
        The same values can be registered again without it.

    Raises
    ------
    ValueError, TypeError
        If the name is taken or not an identifier, if both or neither of
        ``weights`` and ``formula`` are given, or if one of their values is not
        allowed. Normalised measures refuse a discount with a weight greater
        than the one before, because descending gains are not ideal.

    Examples
    --------
    Weights that were estimated from clicks, and a geometric discount, whose
    weights are 1, 0.8, 0.64, ...:

    >>> from pt_cumgain import nDCG, register_discount
    >>> register_discount("clicks", weights=[1, 0.62, 0.41, 0.3, 0.25])
    >>> register_discount("geometric", formula=lambda rank: 0.8 ** (1 - rank))
    >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
    >>> run = {"q": {"a": 9.0, "b": 8.0, "x": 7.0, "c": 6.0}}
    >>> measure = nDCG(discount="clicks") @ 5
    >>> measure
    nDCG(discount='clicks')@5
    >>> round(measure.calc_aggregate(qrels, run), 4)  # (3 + 2 * .62 + 3 * .3) / 5.68
    0.9049
    """
    if not isinstance(name, str) or not name.isidentifier() or name in BUILT_IN:
        raise ValueError(f"name={name!r} must be an identifier other than {', '.join(BUILT_IN)}")
    if (weights is None or not np.size(weights)) == (formula is None):
        raise ValueError(f"the discount {name!r} needs either weights or a formula")
    depth, last = math.inf, CHECKED
    divide = formula
    if weights is not None:
        table = read_numbers("weights", weights, 1).copy()
        if table.ndim > 1:
            raise ValueError(f"weights={weights!r:.40} must be one number for each rank")
        depth = last = len(table)
        digits = [f"{weight:.4g}" for weight in table[:10]]
        if depth > 10:
            digits.append("...")
        text = text or f"1 / w(i), w = ({', '.join(digits)})"

        def divide(rank: Floats) -> Floats:
            return np.asarray(1 / table[rank.astype(int) - 1])

    text = text or f"{name.replace('_', ' ')}(i)"
    function = partial(_divisors, name, divide, depth)
    ranks = np.arange(1.0, last + 1)
    divisors = function(ranks, 2)
    # judged documents have any ranks, so other ranks in another order must not change a divisor
    if not np.allclose(function(ranks[-2::-2], 2), divisors[-2::-2]):
        told = "does not treat each rank by itself; compute d(i) only from i"
        raise ValueError(f"the formula of the discount {name!r} {told}")
    old = DISCOUNTS.get(name)
    same = old and old.depth == depth and np.array_equal(old.formula(ranks, 2), divisors)
    if old and not (same or force):
        told = "is already defined with other values; choose another name, or force=True"
        raise ValueError(f"the discount {name!r} {told}")
    if (divisors < divisors[0] * (1 - 1e-12)).any():
        shown = ", ".join(f"d({i}) = {d:.4g}" for i, d in enumerate(divisors[:3], 1))
        warn(f"the discount {name!r} divides a later rank by less than rank 1: {shown}")
    rises = (divisors[1:] < divisors[:-1] * (1 - 1e-12)).any()
    DISCOUNTS[name] = Discount(
        function,
        text,
        source or "user-defined",
        f"the discount d(i) = {text}" + (f" ({source})" if source else ""),
        drop_controls(latex) or rf"\text{{{text}}}",
        ideal_up_to=0 if rises else math.inf,
        beyond="gives a rank more weight than the one before, so it has no ideal; use DCG",
        depth=depth,
    )


def _divisors(name: str, divide: Any, depth: float, rank: Floats, _: float) -> Floats:
    """Return the discounts of ranks; raise if one is not positive and finite."""
    if (rank > depth).any():
        raise ValueError(f"the discount {show(name)} has weights only for ranks 1 to {depth}")
    flat = np.array(rank).ravel()
    try:
        with np.errstate(all="ignore"):  # the divisors are checked
            divisors = np.asarray(divide(flat))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"the formula of the discount {show(name)} must be a function of an array of ranks, "
            "such as lambda rank: np.log2(rank + 1) (np.vectorize makes one of a function of a "
            f"number); it failed: {error}"
        ) from None
    if divisors.shape != flat.shape or divisors.dtype.kind not in "iuf":
        raise ValueError(
            f"discount {show(name)} must have a real number for each rank, not {divisors!r:.40}"
        )
    # a weight of 0 is an infinite divisor, and so is a divisor that is too large for a float
    wrong = ~(divisors > 0) | np.isinf(divisors) & (flat == 1)
    if wrong.any():
        raise ValueError(
            f"the discount {show(name)} divides rank {flat[wrong][0]:g} by {divisors[wrong][0]:g}; "
            "divisors must be positive, and that of rank 1 finite; weights are 1 / divisor"
        )
    return divisors.astype(np.float64).reshape(rank.shape)
