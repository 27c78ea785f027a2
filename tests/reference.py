"""A slow reference, written from the formulas of the papers and DESIGN, one topic at a time.

Plain Python, no NumPy, nothing of the package: what it shares with the engine is only the reader.
"""

from __future__ import annotations

import math


def discount(name: str, i: int, b: float) -> float:
    if name == "none":
        return 1.0
    if name == "rank":
        return float(i)
    if name == "log2":  # trec_eval, ir-measures
        return math.log2(i + 1)
    if name == "original":  # TOIS 2002, eq. 2
        return 1.0 if i < b else math.log(i, b)
    if name == "revised":  # ECIR 2008, appendix, eq. 2
        return 1 + math.log(i, b)
    if name == "sigir2000":  # SIGIR 2000, eq. 2
        return 1.0 if i == 1 else math.log(i, b)
    if name == "shifted":  # Kanoulas et al. 2011
        return math.log(i + b - 1, b)
    raise AssertionError(name)


def gain(gains: object, level: float) -> float:
    """The gain of a judged document; a scheme is given as a list of weights."""
    if gains is None:
        return max(level, 0.0)
    if gains == "exp":
        # expm1: the difference from 1 of a power of 2 that is close to 1 has no digits left
        return math.expm1(level * math.log(2)) if level > 0 else 0.0
    if isinstance(gains, list):
        if level <= 0:
            return float(gains[0]) if level == 0 else 0.0
        return float(gains[int(level)])
    return float(gains.get(level, max(level, 0.0)))


def ranking(run: dict[str, float]) -> list[str]:
    """Documents by descending score, ties by descending id."""
    by_id = sorted(run, reverse=True)
    return sorted(by_id, key=lambda doc: -run[doc])


def value(
    qrels: dict[str, float],
    run: dict[str, float],
    *,
    gains: object = None,
    d: str = "none",
    b: float = 2,
    normalised: bool = False,
    cutoff: int | None = None,
    at_r: bool = False,
    avg_pos: bool = False,
    judged_only: bool = False,
) -> float:
    docs = ranking(run)
    if judged_only:  # trec_eval: a negative label is no judgment, unless the mapping names it
        named = gains if isinstance(gains, dict) else {}
        docs = [doc for doc in docs if doc in qrels and (qrels[doc] >= 0 or qrels[doc] in named)]
    g = [gain(gains, qrels[doc]) if doc in qrels else 0.0 for doc in docs]
    base = [gain(gains, level) for level in qrels.values()]
    recall_base = sorted((x for x in base if x > 0), reverse=True)
    if at_r:
        cutoff = len(recall_base)
        if cutoff == 0:
            return 0.0
    k = cutoff if cutoff is not None else max(len(g), len(recall_base), 1)

    def cumulated(vector: list[float], depth: int) -> list[float]:
        total, out = 0.0, []
        for i in range(1, depth + 1):
            total += (vector[i - 1] if i <= len(vector) else 0.0) / discount(d, i, b)
            out.append(total)
        return out

    v = cumulated(g, k)
    if normalised:
        if not recall_base:
            return 0.0
        v = [x / y for x, y in zip(v, cumulated(recall_base, k), strict=True)]
    return sum(v) / k if avg_pos else v[-1]
