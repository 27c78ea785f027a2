"""Weighting schemes: the gain of a document at each relevance level."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_cumgain.core import Floats
from pt_cumgain.environment.terminal import show
from pt_cumgain.options import FINITE

_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")
_SCHEME = re.compile(r"\s*\d+(\.\d+)?\s*(-\s*\d+(\.\d+)?\s*)+")
#: The most levels that a weighting names, which its messages list.
MOST_LEVELS = 1000
_ALLOWED = (
    "a scheme such as '0-1-10-100' (level i has the i-th weight), a mapping of relevance level to "
    "gain such as {2: 10, 3: 100} or '2:10,3:100', 'exp' for 2^level - 1, or 'level' for the level "
    "itself"
)


def number(value: float) -> int | float:
    """Return a whole number as int, any other as float, so that 10 and 10.0 print alike."""
    return int(value) if float(value).is_integer() else float(value)


def _finite(value: Any, what: str, gains: object) -> float:
    if not FINITE.allows(value):
        raise ValueError(f"gains={show(gains)}: the {what} {show(value)} is not a finite number")
    return float(value) + 0.0  # -0.0 becomes 0.0


@dataclass(frozen=True, repr=False, init=False)
class Weighting:
    """The gain of each relevance level; hashed and compared by content.

    Levels of 0 and below gain 0 unless the scheme or mapping lists them.

    Parameters
    ----------
    gains
        Any form that :meth:`parse` accepts; by default, the gain is the level
        itself.

    Attributes
    ----------
    kind, weights
        ``"level"``: the gain is the level itself, whole or not. ``"scheme"``:
        only the ``(level, gain)`` pairs in ``weights``. ``"mapping"``: these
        pairs, while other positive levels keep their own value. ``"exp"``:
        2^level - 1.

    Examples
    --------
    >>> Weighting("0–1–10–100")
    Weighting('0-1-10-100')
    >>> Weighting("0-1-10-100").gain([0, 1, 2, 3, -2]).tolist()
    [0.0, 1.0, 10.0, 100.0, 0.0]
    >>> Weighting({3: 100}).gain([0, 1, 2, 3, -2]).tolist()
    [0.0, 1.0, 2.0, 100.0, 0.0]
    """

    kind: str
    weights: tuple[tuple[float, float], ...]

    def __init__(self, gains: Weighting | str | Mapping[object, object] = "level") -> None:
        kind, weights = _read_gains(gains)
        if len(weights) > MOST_LEVELS:
            raise ValueError(f"gains lists {len(weights)} levels, more than {MOST_LEVELS}")
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, gains: Weighting | str | Mapping[Any, object]) -> Weighting:
        """Parse a weighting in any of the forms below; return a Weighting unchanged.

        Parameters
        ----------
        gains
            A scheme ``'0-1-10-100'`` (en dashes too), a mapping ``{2: 10, 3:
            100}`` or its text ``'2:10,3:100'``, ``'exp'``, or ``'level'``, which
            a mapping that changes nothing is as well.

        Raises
        ------
        TypeError, ValueError
            If it is none of these; the message shows the value and what is
            allowed.
        """
        return gains if isinstance(gains, Weighting) else cls(gains)

    def __repr__(self) -> str:
        return "Weighting()" if self.kind == "level" else f"Weighting({self.canonical!r})"

    @property
    def canonical(self) -> str | dict[float, float]:
        """A form that :meth:`parse` accepts."""
        if self.kind == "scheme":
            # without powers of 10, whose minus sign would begin another weight
            return "-".join(np.format_float_positional(w, trim="-") for _, w in self.weights)
        if self.kind == "mapping":
            pairs = {number(k): number(g) for k, g in self.weights}
            if any(k < 0 or g < 0 for k, g in self.weights):  # the string syntax has no minus sign
                return ",".join(f"{k}:{g}" for k, g in pairs.items())
            return pairs
        return self.kind

    @property
    def negative(self) -> bool:
        """Whether some level has a negative gain."""
        return any(gain < 0 for _, gain in self.weights)

    @property
    def largest(self) -> float:
        """The largest gain of a scheme."""
        return max(gain for _, gain in self.weights)

    def is_judgment(self, levels: ArrayLike) -> NDArray[np.bool_]:
        """Return which levels are judgments for ``judged_only``.

        A negative level is not a judgment unless it is named, as in trec_eval.
        """
        array = np.asarray(levels, dtype=np.float64)
        return (array >= 0) | np.isin(array, [level for level, _ in self.weights])

    def gain(self, levels: ArrayLike) -> Floats:
        """Return the gain of each relevance level: float64, of the same shape.

        A positive level that a scheme does not list causes a ValueError, and so
        does a gain that is too large for a float.
        """
        array: Floats = np.asarray(levels, dtype=np.float64)
        out: Floats = np.asarray(np.maximum(array, 0.0))
        if self.kind == "exp":
            with np.errstate(over="ignore"):
                whole, real = np.exp2(out) - 1, np.expm1(out * math.log(2))
            out = np.where(out == np.rint(out), whole, real)  # each where exact
        levels_named, gains = np.array(self.weights).reshape(-1, 2).T
        named = np.isin(array, levels_named)
        out[named] = gains[np.searchsorted(levels_named, array[named])]  # sorted by level
        missing = array[~named & (array > 0)]
        if self.kind == "scheme" and missing.size:
            raise ValueError(
                f"gains={show(self.canonical)} has no weight for the relevance level "
                f"{number(missing.flat[0])} of the qrels; it lists levels 0 to "
                f"{len(self.weights) - 1}"
            )
        if not np.isfinite(out).all():
            worst = array[~np.isfinite(out)].flat[0]
            told = f"the gain of level {worst:g} is not finite"
            raise ValueError(f"gains={show(self.canonical)}: {told}")
        return out


def _read_gains(gains: object) -> tuple[str, tuple[tuple[float, float], ...]]:
    """Return the kind and the weights of a weighting in any form."""
    if isinstance(gains, Weighting):
        return gains.kind, gains.weights
    if isinstance(gains, Mapping):
        return _read_mapping(gains.items(), gains)
    if not isinstance(gains, str):
        raise TypeError(f"gains={show(gains)} is not a weighting; give {_ALLOWED}")
    text = gains.translate(_DASHES)
    if text in ("level", "exp"):
        return text, ()
    if _SCHEME.fullmatch(text):
        weights = [_finite(float(weight), "weight", gains) for weight in text.split("-")]
        return "scheme", tuple((float(level), gain) for level, gain in enumerate(weights))
    try:
        pairs = [(float(a), float(b)) for a, b in (p.split(":") for p in text.split(","))]
    except ValueError:
        raise ValueError(f"gains={show(gains)} is not a weighting; give {_ALLOWED}") from None
    return _read_mapping(pairs, gains)


def _read_mapping(
    pairs: Iterable[tuple[object, object]], gains: object
) -> tuple[str, tuple[tuple[float, float], ...]]:
    named: dict[float, float] = {}
    for level, gain in pairs:
        key = _finite(level, "relevance level", gains)
        if key in named:
            twice = f"lists relevance level {number(key)} twice; give it one gain"
            raise ValueError(f"gains={show(gains)} {twice}")
        named[key] = _finite(gain, f"gain of level {number(key)},", gains)
    # entries that change nothing are left out, as ir-measures leaves out defaults; a negative
    # level is kept whatever its gain, because naming it makes it a judgment (see `judged`)
    kept = tuple(sorted((k, g) for k, g in named.items() if k != g or k < 0))
    return ("mapping", kept) if kept else ("level", ())
