"""Hypothesis strategies: random qrels, runs and sessions, and measures with random parameters.

Parameters are drawn from what the measures declare. A new measure of cumulated vectors, discount or
parameter is drawn without being named here; a parameter of a new kind fails until it has values
here, and every property until the reference knows it. Measures with a formula of their own are not
in the reference: tests/engine/test_formula.py compares them.
"""

from typing import Any

from hypothesis import strategies as st

from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.measures import MEASURES, CumulatedGain, Normalised, SessionMeasure, gP
from pt_cumgain.parameters import GAINS, UNJUDGED, Param

DOCS = [f"d{i}" for i in range(12)] + ["é", "z\U0001f600", "Z"]
TOPICS = st.sampled_from(["q1", "q2", "10", "9", "ü"])
LEVELS = st.integers(-2, 4)
REAL_LEVELS = st.one_of(LEVELS.map(float), st.floats(-2, 5, allow_subnormal=False))
# few distinct scores make ties common; scores next to each other as float64 must not be ties
SCORES = st.one_of(
    st.integers(-2, 2).map(float),
    st.sampled_from([1.0, 1.0 + 2**-52, 1e300, -1e300, float("inf"), float("-inf"), -0.0]),
    st.floats(allow_nan=False, width=64),
)

ORDINARY = [
    name for name, m in MEASURES.items() if not isinstance(m, SessionMeasure) and m.formula is None
]
NORMALISED = [name for name, m in MEASURES.items() if isinstance(m, Normalised)]
WITH_BOUNDS = [name for name in ORDINARY if name in NORMALISED or not MEASURES[name].divisor]
OF_SESSIONS = [name for name, m in MEASURES.items() if isinstance(m, SessionMeasure)]

#: What divides the vector of a measure, in the words of the slow reference.
DIVISORS = {**dict.fromkeys(NORMALISED, "ideal"), "gP": "ranks", "gR": "recall base"}

#: A parameter that is the base of a discount: the discount's parameter, and the discounts.
BASES = {"base": ("discount", DISCOUNTS), "bq": ("query_discount", QUERY_DISCOUNTS)}

SESSION_DOCS = DOCS[:7]
SESSIONS = ["s1", "s2", "s3"]
SESSION_LEVELS = st.dictionaries(st.sampled_from(SESSION_DOCS), st.integers(-2, 3))
SESSION_SCORES = st.dictionaries(
    st.sampled_from(SESSION_DOCS), st.integers(-1, 2).map(float) | st.floats(allow_nan=False)
)
# judgments of a session, or of each of its turns; not all turns are judged
SESSION_TURNS = st.dictionaries(
    st.integers(1, 5), SESSION_LEVELS.filter(bool), min_size=1, max_size=4
)
SESSION_QRELS = st.dictionaries(st.sampled_from(SESSIONS), SESSION_LEVELS, min_size=1) | (
    st.dictionaries(st.sampled_from(SESSIONS), SESSION_TURNS, min_size=1)
)
# by position, with gaps; a query may return nothing
SESSION = st.dictionaries(st.integers(1, 5), SESSION_SCORES, max_size=4)


def by_topic(values: st.SearchStrategy[float]) -> st.SearchStrategy[dict]:
    """Qrels or a run: values of documents by topic."""
    return st.dictionaries(TOPICS, st.dictionaries(st.sampled_from(DOCS), values), max_size=4)


#: Qrels with a judgment, without which they are refused.
QRELS = by_topic(LEVELS).filter(lambda qrels: any(qrels.values()))

#: Schemes for the levels 0 to 4.
SCHEMES = st.lists(st.integers(0, 100).map(str), min_size=5, max_size=6).map("-".join)


def matrices(
    topics: st.SearchStrategy[int], systems: st.SearchStrategy[int]
) -> st.SearchStrategy[list[list[int]]]:
    """Counts of systems, the columns, over topics; small ones, so that ties are common."""
    return st.tuples(topics, systems).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 6), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


def weightings(*, negative: bool, real: bool) -> st.SearchStrategy[Any]:
    """Weightings for the levels -2 to 4, as a user writes them; schemes for whole levels only."""
    low = -5 if negative else 0
    reals = st.floats(low, 100, allow_subnormal=False)  # those have no nine digits to compare
    mappings = st.dictionaries(st.integers(-2, 4), st.integers(low, 100) | reals)
    words = st.sampled_from(["level", "exp"])
    return words | mappings | (st.nothing() if real else SCHEMES)


def values_of(name: str, param: Param, params: dict, kind: CumulatedGain, *, real: bool) -> Any:
    """The values of a parameter, given those that are drawn already; None if it can have none."""
    if param is GAINS:
        return SCHEMES if kind is gP else weightings(negative=not kind.divisor, real=real)
    if param is UNJUDGED:
        refused = kind.divisor or params.get("judged_only") or params.get("duplicates") == "first"
        return None if refused else st.integers(-5, 100) | st.floats(-5, 100, allow_subnormal=False)
    if name == "ties" and params.get("duplicates") == "first":
        return None
    if name == "padding":
        most = params.get("cutoff", kind.default("cutoff"))
        return st.sampled_from(list(param.texts)) | st.integers(1, most)
    if isinstance(param.choices, list):
        return st.sampled_from(param.choices)
    if name in BASES:
        discount, table = BASES[name]
        entry = table[params.get(discount, kind.SUPPORTED_PARAMS[discount].default)]
        high = min(entry.ideal_up_to, 20) if isinstance(kind, Normalised) else 20
        if not entry.takes_base or high <= 1.1:
            return None
        return st.integers(2, int(high)) | st.floats(1.1, high)
    if param.dtype is bool:
        return st.booleans()
    if param.dtype is int:
        return st.integers(1, 20)
    raise NotImplementedError(f"there are no values for the parameter {name}, a {param.dtype}")


@st.composite
def parameters(
    draw: st.DrawFn, names: list[str], *, real: bool = False, leave: tuple[str, ...] = ()
) -> tuple[str, dict]:
    """The name of a measure, and parameters that it takes together."""
    name = draw(st.sampled_from([name for name in names if not (real and name == "gP")]))
    kind = MEASURES[name]
    params: dict = {}
    # last those that depend on others: bases on the discounts
    in_turn = sorted(
        kind.SUPPORTED_PARAMS, key=lambda name: name in (*BASES, "padding", "unjudged", "ties")
    )
    for parameter in in_turn:
        param = kind.SUPPORTED_PARAMS[parameter]
        values = values_of(parameter, param, params, kind, real=real)
        needed = kind is gP and param is GAINS
        if parameter not in leave and values is not None and (needed or draw(st.booleans())):
            params[parameter] = draw(values)
    if params.get("at_r"):
        params.pop("cutoff", None)
    elif params.get("avg_pos") or kind is gP:
        params.setdefault("cutoff", draw(st.integers(1, 20)))
    if isinstance(params.get("padding"), int):  # the cutoff may have come later
        params["padding"] = min(params["padding"], params.get("cutoff", kind.default("cutoff")))
    if params.get("dcg") == "exp-log2":  # the host's own form goes with the host's parameters only
        params = {k: v for k, v in params.items() if k in ("cutoff", "dcg", "judged_only")}
    return name, params


def as_reference_takes_them(name: str, params: dict) -> dict:
    """The parameters with the defaults filled in, and what divides the measure's vectors."""
    kind = MEASURES[name]
    filled = {key: kind.default(key) for key in kind.SUPPORTED_PARAMS if key != "gains"}
    return {"divisor": DIVISORS.get(name, ""), **filled, **params}
