"""A slow reference, from the formulas of the papers and the manual, one topic at a time.

Plain Python, no NumPy, nothing of the package: what it shares with the engine is only the reader.
"""

import itertools
import math
from collections.abc import Iterator


def rank_discount(name: str, i: int, b: float) -> float:
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
    """The gain of a judged document, under a weighting as a user writes it."""
    if gains in (None, "level"):
        return max(level, 0.0)
    if gains == "exp":
        # expm1: the difference from 1 of a power of 2 that is close to 1 has no digits left
        return math.expm1(level * math.log(2)) if level > 0 else 0.0
    if isinstance(gains, str):  # a scheme: the weights of the levels 0, 1, ...
        return float(gains.split("-")[int(level)]) if level >= 0 else 0.0
    return float(gains.get(level, max(level, 0.0)))


def ranking(run: dict[str, float]) -> list[str]:
    """Documents by descending score, ties by descending id."""
    by_id = sorted(run, reverse=True)
    return sorted(by_id, key=lambda doc: -run[doc])


def tied(g: list[float], ties: str) -> list[float]:
    """The gains of documents of equal score, as the rule puts them."""
    if ties == "average":  # McSherry & Najork, ECIR 2008: each is equally likely at each rank
        return [sum(g) / len(g)] * len(g)
    return g if ties == "doc_id" else sorted(g, reverse=ties == "best")


def with_ties(g: list[float], scores: list[float], ties: str) -> list[float]:
    """The gains of ranked documents, in each block of equal scores as the rule puts them."""
    blocks = itertools.groupby(zip(g, scores, strict=True), key=lambda pair: pair[1])
    return [x for _, block in blocks for x in tied([x for x, _ in block], ties)]


def value(
    qrels: dict[str, float],
    run: dict[str, float],
    *,
    gains: object = None,
    discount: str = "none",
    base: float = 2,
    divisor: str = "",
    cutoff: int | None = None,
    at_r: bool = False,
    avg_pos: bool = False,
    judged_only: bool = False,
    dcg: str = "log2",
    ties: str = "doc_id",
    unjudged: float = 0,
) -> float:
    """A measure of a topic; the parameters are named as the measures'."""
    if dcg == "exp-log2":
        gains = "exp"
    docs = ranking(run)
    if judged_only:  # trec_eval: a negative label is no judgment, unless the mapping names it
        named = gains if isinstance(gains, dict) else {}
        docs = [doc for doc in docs if doc in qrels and (qrels[doc] >= 0 or qrels[doc] in named)]
    g = [gain(gains, qrels[doc]) if doc in qrels else float(unjudged) for doc in docs]
    g = with_ties(g, [run[doc] for doc in docs], ties)
    recall_base = [x for level in qrels.values() if (x := gain(gains, level)) > 0]
    recall_base.sort(reverse=True)
    if at_r:
        cutoff = len(recall_base)
        if cutoff == 0:
            return 0.0
    k = cutoff if cutoff is not None else max(len(g), len(recall_base), 1)

    def cumulated(vector: list[float], depth: int) -> list[float]:
        total, out = 0.0, []
        for i in range(1, depth + 1):
            total += (vector[i - 1] if i <= len(vector) else 0.0) / rank_discount(discount, i, base)
            out.append(total)
        return out

    v = cumulated(g, k)
    if divisor == "ranks":  # Kekäläinen & Järvelin, JASIST 2002: generalised precision
        largest = max(float(weight) for weight in str(gains).split("-"))
        return v[-1] / (k * largest) if largest > 0 else 0.0
    if divisor == "recall base":  # generalised recall
        return v[-1] / sum(recall_base) if recall_base else 0.0
    if divisor == "ideal":
        if not recall_base:
            return 0.0
        v = [x / y for x, y in zip(v, cumulated(recall_base, k), strict=True)]
    return sum(v) / k if avg_pos else v[-1]


def session_weights(n: int, k: int, d: str, b: float, dq: str, bq: float) -> list[float]:
    """1 / (d(r) d_q(q)) of the positions of a session, in their order.

    Discounts of queries have the formulas of ranks' of the same names: ECIR 2008, eq. 1.
    """
    return [
        1 / rank_discount(d, r, b) / rank_discount(dq, q, bq)
        for q in range(1, n + 1)
        for r in range(1, k + 1)
    ]


def of_query(qrels: dict, q: int) -> dict[str, float]:
    """The judgments that hold for a query; qrels by turn have a dict for each."""
    by_turn = any(isinstance(labels, dict) for labels in qrels.values())
    return qrels.get(q, {}) if by_turn else qrels


def session_gains(
    qrels: dict,
    queries: dict[int, dict[str, float]],
    n: int,
    k: int,
    gains: object,
    duplicates: str,
    unjudged: float = 0,
    scanned: dict[int, int] | None = None,
    ties: str = "doc_id",
) -> list[float]:
    """The gain at each position of a session; short lists are filled up with zeros."""
    out, seen = [], set()
    for q in range(1, n + 1):
        labels, scores = of_query(qrels, q), queries.get(q, {})
        docs = ranking(scores)
        g = [gain(gains, labels[doc]) if doc in labels else float(unjudged) for doc in docs]
        g = with_ties(g, [scores[doc] for doc in docs], ties)
        looked = k if scanned is None else min(k, scanned.get(q, 0))
        shown = list(zip(docs, g))[:looked]
        out += [x if duplicates == "count" or doc not in seen else 0.0 for doc, x in shown]
        out += [0.0] * (k - len(shown))
        seen.update(doc for doc, _ in shown)
    return out


def best_order(base: list[float], weights: list[float]) -> float:
    """The most that a recall base can earn at positions of these weights, each document once."""
    pairs = zip(sorted(base, reverse=True), sorted(weights, reverse=True), strict=False)
    return sum(x * w for x, w in pairs)


def best_order_by_trying(base: list[float], weights: list[float]) -> float:
    """The same by trying every order."""
    orders = itertools.permutations(base + [0.0] * len(weights), len(weights))
    return max(sum(x * w for x, w in zip(order, weights, strict=True)) for order in orders)


def session_vector(
    qrels: dict,
    lists: dict[int, dict[str, float]],
    n: int,
    *,
    gains: object = None,
    discount: str = "revised",
    base: float = 2,
    query_discount: str = "revised",
    bq: float = 4,
    duplicates: str = "count",
    queries: int | None = None,
    cutoff: int = 10,
    divisor: str = "",
    unjudged: float = 0,
    padding: str | int = "fixed",
    scanned: dict[int, int] | None = None,
    ties: str = "doc_id",
) -> list[float]:
    """sDCG or nsDCG of a session of n queries after each position, from its lists by position.

    ``scanned`` says how many documents of each query were looked at; a query that is missing, none.
    """
    n = min(n, queries or n)
    looked = [cutoff if scanned is None else min(cutoff, scanned.get(q + 1, 0)) for q in range(n)]
    documents = [min(len(lists.get(q + 1, {})), looked[q]) for q in range(n)]
    if padding == "fixed" or not any(lists.values()):  # nothing is known of a missed session
        places = [cutoff] * n
    else:
        places = [max(count, 0 if padding == "none" else padding) for count in documents]
    positions = [(q, r) for q in range(n) for r in range(places[q])]
    weights = session_weights(n, cutoff, discount, base, query_discount, bq)
    scored = session_gains(qrels, lists, n, cutoff, gains, duplicates, unjudged, scanned, ties)
    at = [q * cutoff + r for q, r in positions]
    vector = list(itertools.accumulate(scored[i] * weights[i] for i in at))
    if not divisor:
        return vector
    recall_bases = [
        [x for level in of_query(qrels, q + 1).values() if (x := gain(gains, level)) > 0]
        for q, _ in positions
    ]
    counted = [
        weights[i] if r < looked[q] else 0.0 for i, (q, r) in zip(at, positions, strict=True)
    ]
    ideal = ideal_session(recall_bases, counted, [r for _, r in positions], duplicates)
    return [x / y if y else 0.0 for x, y in zip(vector, ideal, strict=True)]


def session_value(
    qrels: dict,
    lists: dict[int, dict[str, float]],
    n: int,
    *,
    avg_pos: bool = False,
    **params: object,
) -> float:
    """The last component of the session's vector, or its mean; the parameters as the measures'."""
    vector = session_vector(qrels, lists, n, **params)
    if not vector:
        return 0.0
    return sum(vector) / len(vector) if avg_pos else vector[-1]


def ideal_session(
    bases: list[list[float]], weights: list[float], ranks: list[int], duplicates: str
) -> Iterator[float]:
    """The ideal session's vector.

    Of each position: the recall base of its query, its weight, and its rank in its query from 0.
    With `first`, all queries have the same recall base.
    """
    best = [sorted(base, reverse=True) for base in bases]
    earned = [b[r] * w if r < len(b) else 0.0 for b, r, w in zip(best, ranks, weights, strict=True)]
    for p in range(1, len(weights) + 1):
        yield sum(earned[:p]) if duplicates == "count" else best_order(bases[0], weights[:p])
