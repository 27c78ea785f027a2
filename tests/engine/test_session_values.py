"""Session measures against the slow reference of `reference.py`, over random sessions."""

import io
import itertools
import random
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import core, nsDCG, sDCG
from pt_cumgain.engine import Engine
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.inputs.reading import read_qrels, read_run
from pt_cumgain.measures import MEASURES, SessionMeasure
from pt_cumgain.sessions import query_gains, read_session_run, session_curves, write_session_run
from tests.benchmarks.__main__ import peak
from tests.support import reference, strategies

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject

DISCOUNTS = st.sampled_from(list(core.DISCOUNTS))
QUERY_DISCOUNTS = st.sampled_from(list(core.QUERY_DISCOUNTS))


def frame(
    sessions: dict[str, dict],
    lengths: dict[str, int] | None,
    seed: int,
    scanned: list[int] | None = None,
) -> pd.DataFrame:
    """The rows of the sessions, shuffled; `session_length` and `scanned` if they are given.

    Of the q-th query of every session, `scanned[q - 1]` documents were looked at.
    """
    rows = [
        (session, doc, score, q, (lengths or {}).get(session), scanned[q - 1] if scanned else None)
        for session, queries in sessions.items()
        for q, docs in queries.items()
        for doc, score in docs.items()
    ]
    random.Random(seed).shuffle(rows)
    columns = ["query_id", "doc_id", "score", "query_position", "session_length", "scanned"]
    left_out = ["session_length"] * (lengths is None) + ["scanned"] * (scanned is None)
    return pd.DataFrame(rows, columns=columns).drop(columns=left_out)


def scanned_by_query(session: dict, scanned: list[int] | None) -> dict[int, int] | None:
    """What the reference needs to know: a query without rows has no number."""
    if scanned is None or not returned(session):
        return None
    return {position: scanned[position - 1] for position in returned(session)}


def as_frame(qrels: dict[str, dict]) -> Any:
    """Qrels by session as they are; qrels by turn, dicts of each query, as a frame."""
    rows = [
        (session, doc, level, turn)
        for session, turns in qrels.items()
        for turn, levels in turns.items()
        if isinstance(levels, dict)
        for doc, level in levels.items()
    ]
    columns = ["query_id", "doc_id", "relevance", "query_position"]
    return pd.DataFrame(rows, columns=columns) if rows else qrels


def judged_turns(qrels: dict) -> int:
    """The last query of a session that has judgments of its own; 0 if the qrels are by session."""
    return max((q for q, levels in qrels.items() if isinstance(levels, dict)), default=0)


def accepted(chosen: tuple[str, dict], qrels: dict[str, dict]) -> tuple[str, dict]:
    """The measure, or one that qrels by turn do not refuse."""
    name, params = chosen
    if MEASURES[name].divisor and any(map(judged_turns, qrels.values())):
        params = {key: value for key, value in params.items() if key != "duplicates"}
    return name, params


SCANNED = st.none() | st.lists(st.integers(0, 12), min_size=5, max_size=5)


def returned(session: dict) -> list[int]:
    """The positions of the queries that returned something."""
    return [position for position, docs in session.items() if docs]


def ranked(*docs: str) -> dict[int, dict[str, float]]:
    """The queries of a session, each the letters of its documents in their order."""
    lists = {q: dict(zip(letters, range(0, -9, -1))) for q, letters in enumerate(docs, 1)}
    return {q: {doc: float(score) for doc, score in ranks.items()} for q, ranks in lists.items()}


#: Sessions of unequal length and number of judgments; u and w have what they find past the number
#: of documents that gain something, and what is found in v gains nothing.
UNEQUAL_QRELS = {
    "s": {"a": 3, "b": 1, "c": 2, "d": 0},
    "missed": {"a": 1},
    "t": {"a": 1, "b": 2, "c": 1, "e": 3, "f": -1, "g": 1},
    "u": {"a": 2},
    "v": {"a": 0, "b": -1},
    "w": {"a": 1, "b": 3},
}
UNEQUAL = {
    "other": ranked("abc"),
    "t": ranked("bxa", "", "cbeyg"),
    "s": ranked("xb", "abc"),
    "u": ranked("xyza", "axy", "", "xyza"),
    "v": ranked("ab"),
    "w": ranked("xyzab", "bxya"),
}
#: Every combination of some values of the parameters.
MANY = [
    (name, {"cutoff": k, "avg_pos": avg_pos, "duplicates": duplicates, **more})
    for name, k, avg_pos, duplicates, more in itertools.product(
        strategies.OF_SESSIONS,
        [1, 3, 10],
        [False, True],
        core.DUPLICATES,
        [
            {},
            {"queries": 2},
            {"padding": "none"},
            {"gains": "exp", "discount": "shifted", "base": 3, "bq": 2},
        ],
    )
]


@given(
    qrels=st.just({}) | strategies.SESSION_QRELS,
    sessions=st.dictionaries(st.sampled_from([*strategies.SESSIONS, "other"]), strategies.SESSION),
    chosen=st.lists(strategies.parameters(strategies.OF_SESSIONS), min_size=1, max_size=4),
    more=st.none() | st.integers(0, 3),
    seed=st.integers(0, 99),
    scanned=SCANNED,
)
@example(qrels=UNEQUAL_QRELS, sessions=UNEQUAL, chosen=MANY, more=None, seed=0, scanned=None)
def test_values(qrels, sessions, chosen, more, seed, scanned) -> None:
    """`more`: how many queries at a session's end returned nothing, told by `session_length`."""
    lengths = {s: max(returned(q), default=0) for s, q in sessions.items()}
    if more is not None:
        lengths = {s: n + more for s, n in lengths.items()}
    run = frame(sessions, None if more is None else lengths, seed, scanned)
    chosen = [accepted(one, qrels) for one in chosen]
    measures = [MEASURES[name](**params) for name, params in chosen]
    values = provider.iter_calc(measures, as_frame(qrels), run)
    got = {(m.query_id, m.measure): m.value for m in values}
    assert got.keys() == {(s, m) for s in qrels for m in measures}
    for measure, given_params in zip(measures, chosen, strict=True):
        theirs = strategies.as_reference_takes_them(*given_params)
        for s, labels in qrels.items():
            # of a session without a row nothing is known, not even its length
            n = lengths[s] if s in sessions and returned(sessions[s]) else 0
            n = max(n, judged_turns(labels))
            lists = sessions.get(s, {})
            theirs["scanned"] = scanned_by_query(lists, scanned)
            expected = reference.session_value(labels, lists, n, **theirs)
            assert got[s, measure] == pytest.approx(expected, rel=1e-9, abs=1e-9)
            if theirs["divisor"]:
                assert -1e-12 <= got[s, measure] <= 1 + 1e-9


@given(
    qrels=strategies.SESSION_QRELS.filter(lambda qrels: any(qrels.values())),
    sessions=st.dictionaries(
        st.sampled_from([*strategies.SESSIONS, "other"]), strategies.SESSION, min_size=1
    ),
    chosen=strategies.parameters(strategies.OF_SESSIONS),
    others=st.lists(strategies.parameters(strategies.OF_SESSIONS), max_size=3),
    queries=st.lists(st.integers(1, 5), max_size=2),
    first=st.sets(st.sampled_from(strategies.SESSIONS)),
)
@example(
    qrels=UNEQUAL_QRELS,
    sessions=UNEQUAL,
    chosen=("nsDCG", {"cutoff": 3, "duplicates": "first"}),
    others=[("sDCG", {"cutoff": 10})],
    queries=[1, 2, 3],
    first={"s1"},
)
@example(
    qrels=UNEQUAL_QRELS,
    sessions=UNEQUAL,
    chosen=("nsDCG", {"cutoff": 10}),
    others=[],
    queries=[1, 2, 3],
    first=set(),
)
def test_a_value_does_not_depend_on_what_else_is_asked(
    qrels, sessions, chosen, others, queries, first
) -> None:
    """Expected: the value alone, to the last bit; of some queries, a point of the whole curve."""
    name, params = accepted(chosen, qrels)
    measure = MEASURES[name](**params)
    others = [MEASURES[other](**theirs) for other, theirs in (accepted(o, qrels) for o in others)]
    of_queries = {n: measure(queries=n) for n in queries}
    qrels = as_frame(qrels)
    run = frame(sessions, None, 1)

    def values(measures: list, *parts: pd.DataFrame) -> dict:
        engine = Engine(list(dict.fromkeys(measures)), read_qrels(qrels), warn_for=[])
        rows = engine.join([engine.judge(read_run(part)) for part in parts]).values().tolist()
        return {m: dict(zip(engine.topics, row)) for m, row in zip(engine.measures, rows)}

    alone = values([measure], run)[measure]
    assert values([*others, *of_queries.values(), measure], run)[measure] == alone
    here = run["query_id"].isin(first)
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 1):
        assert values([measure, *others], run[here], run[~here])[measure] == alone
    if measure["avg_pos"]:
        return
    beside = [other for other in others if not other["avg_pos"]]
    try:
        curves = session_curves([run], None, qrels, [measure(queries=None), *beside], perquery=True)
    except ValueError as error:
        assert "no position" in str(error)  # noqa: PT017
        return
    curves = curves[curves["measure"] == str(measure(queries=None))].set_index("qid")
    if measure.params.get("queries") is None:
        assert curves.groupby(level=0)["value"].last().to_dict() == alone
    if measure["padding"] == "fixed":
        for n, one in of_queries.items():
            point = curves[curves["rank"] == n * measure["cutoff"]]["value"].to_dict()
            assert point.items() <= values([one], run)[one].items()


def test_memory_does_not_grow_with_products_of_lengths() -> None:
    """2 million of both; 16 MB for each array of so many."""
    run = frame({"s": {q: {f"d{q}": 1.0} for q in range(1, 501)}}, None, 0)
    qrels = {"s": {f"d{i}": 1 for i in range(4000)}}
    assert peak(lambda: list(provider.iter_calc([sDCG], qrels, run))) < 4e7 / 2**20
    queries = {q: {"d": 1.0} for q in range(1, 401)}
    sessions = {f"s{i}": queries if i == 0 else {1: {"d": 1.0}} for i in range(500)}
    run, qrels = frame(sessions, None, 0), {s: {"d": 1} for s in sessions}
    assert peak(lambda: session_curves([run], None, qrels, "nsDCG@10")) < 3e7 / 2**20


@given(
    qrels=st.dictionaries(st.sampled_from(strategies.SESSIONS), strategies.SESSION_LEVELS),
    sessions=st.dictionaries(st.sampled_from([*strategies.SESSIONS, "other"]), strategies.SESSION),
    k=st.none() | st.integers(1, 9),
    judged_only=st.booleans(),
    seed=st.integers(0, 99),
)
def test_ordinary_measures_see_one_list(qrels, sessions, k, judged_only, seed) -> None:
    """By query position, then score; each document once, where it first appears."""
    options = {"judged_only": judged_only} | ({"cutoff": k} if k else {})
    measures = [
        pt_cumgain.CG(**options),
        pt_cumgain.DCG(discount="rank", **options),
        pt_cumgain.nCG(**options),
        pt_cumgain.nDCG(**options),
    ]
    run = frame(sessions, None, seed)
    lists = {}
    for session, queries in sessions.items():
        merged: dict[str, float] = {}
        for position in sorted(queries):
            for doc in reference.ranking(queries[position]):
                merged.setdefault(doc, -len(merged))
        lists[session] = merged
    as_one = {(m.query_id, m.measure): m.value for m in provider.iter_calc(measures, qrels, lists)}
    alone = {(m.query_id, m.measure): m.value for m in provider.iter_calc(measures, qrels, run)}
    assert alone == pytest.approx(as_one, rel=1e-12)
    beside = [*measures, sDCG @ 2, nsDCG]
    mixed = {(m.query_id, m.measure): m.value for m in provider.iter_calc(beside, qrels, run)}
    assert {key: mixed[key] for key in alone} == alone


@given(
    base=st.lists(st.integers(1, 5), max_size=4),
    n=st.integers(1, 3),
    k=st.integers(1, 2),
    discount=DISCOUNTS,
    query_discount=QUERY_DISCOUNTS,
)
def test_the_ideal_session_is_the_best_of_all_orders(base, n, k, discount, query_discount) -> None:
    """Documents once: every prefix of the ideal by trying every order (n k up to 6)."""
    weights = reference.session_weights(n, k, discount, 2, query_discount, 4)
    gains = np.sort(np.array(base, dtype=float))[::-1]
    best = core.assign_gains([gains], [weights])[0]
    for p, value in enumerate(best, 1):
        tried = reference.best_order_by_trying([float(x) for x in base], weights[:p])
        assert value == pytest.approx(tried)


@given(
    qrels=(strategies.SESSION_LEVELS | strategies.SESSION_TURNS).filter(bool),
    session=strategies.SESSION,
    chosen=strategies.parameters(strategies.OF_SESSIONS, leave=("avg_pos",)),
    more=st.integers(0, 2),
    scanned=SCANNED,
)
def test_every_point_of_a_session_curve_is_the_measure_after_that_position(
    qrels, session, chosen, more, scanned
) -> None:
    """Expected: the vector of the reference. A session of unknown length has one query."""
    chosen = accepted(chosen, {"s": qrels})
    params = strategies.as_reference_takes_them(*chosen)
    del params["avg_pos"]
    n = max(returned(session), default=0)
    n = n + more if n else 0
    run = frame({"s": session}, {"s": n}, 1, scanned)
    n = max(n, judged_turns(qrels))
    measure = MEASURES[chosen[0]](**chosen[1])
    params["scanned"] = scanned_by_query(session, scanned)
    expected = reference.session_vector(qrels, session, max(n, 1), **params)
    qrels = as_frame({"s": qrels})
    if not expected:
        with pytest.raises(ValueError, match=": the sessions have no position"):
            session_curves({"X": run}, None, qrels, measure)
        return
    curve = session_curves({"X": run}, None, qrels, measure, perquery=True)
    assert curve["value"].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if n:
        (value,) = provider.iter_calc([measure], qrels, run)
        assert curve["value"].iloc[-1] == pytest.approx(value.value, rel=1e-12, abs=1e-12)


@given(
    qrels=(strategies.SESSION_LEVELS | strategies.SESSION_TURNS).filter(bool),
    session=strategies.SESSION,
    depth=st.integers(1, 4),
    more=st.integers(0, 2),
)
def test_query_gains(qrels, session, depth, more) -> None:
    """ECIR 2008, eq. 1 by query, from the reference's DCG of that query alone."""
    n = max(returned(session), default=0)
    run = frame({"s": session}, {"s": n + more}, 1)
    by_turn = as_frame({"s": qrels})
    gains = query_gains({"X": run}, None, by_turn, [sDCG, nsDCG], depth=depth, vectors=True)
    n = max(n + more if len(run) else 0, judged_turns(qrels))
    assert gains.index.tolist() == [*range(2 * n * depth)]
    values = gains.set_index(["measure", "query_position", "rank"])["value"]
    discounted = gains.set_index(["measure", "query_position", "rank"])["discounted"]
    for q in range(1, n + 1):
        for rank in range(1, depth + 1):
            options = {"discount": "revised", "cutoff": rank}
            labels = reference.of_query(qrels, q)
            dcg = reference.value(labels, session.get(q, {}), **options)
            ndcg = reference.value(labels, session.get(q, {}), divisor="ideal", **options)
            assert values[f"sDCG@{depth}", q, rank] == pytest.approx(dcg)
            assert values[f"nsDCG@{depth}", q, rank] == pytest.approx(ndcg)
            by_query = reference.rank_discount("revised", q, 4)
            assert discounted[f"sDCG@{depth}", q, rank] == pytest.approx(dcg / by_query)
    assert gains["last"].tolist() == (gains["query_position"] == n).tolist()
    summary = query_gains({"X": run}, None, by_turn, "sDCG", depth=depth)
    assert summary["value"].tolist() == pytest.approx(
        [values[f"sDCG@{depth}", q, depth] for q in range(1, n + 1)]
    )
    assert np.isfinite(values).all()


@given(
    qrels=(strategies.SESSION_LEVELS | strategies.SESSION_TURNS).filter(bool),
    session=strategies.SESSION,
    chosen=strategies.parameters(strategies.OF_SESSIONS, leave=("avg_pos",)),
    scanned=SCANNED,
)
def test_the_discounted_gains_of_queries_sum_to_the_value(qrels, session, chosen, scanned) -> None:
    """ECIR 2008, eq. 1 and section 3.3, whatever the parameters."""
    name, params = accepted(chosen, {"s": qrels})
    measure, qrels = MEASURES[name](**params), as_frame({"s": qrels})
    run = frame({"s": session}, None, 1, scanned)
    depth = measure["cutoff"]
    gains = query_gains({"X": run}, None, qrels, measure, depth)
    value = sum(one.value for one in provider.iter_calc([measure], qrels, run))
    assert gains["discounted"].sum() == pytest.approx(value, rel=1e-9, abs=1e-9)


SHAPED = pd.DataFrame(
    [("s", "b", 2.0, 2, 2, 1), ("s", "x", 1.0, 2, 2, 1)],
    columns=["qid", "docno", "score", "query_position", "session_length", "scanned"],
)
SHAPED_QRELS = pd.DataFrame({"qid": "s", "docno": ["a", "b"], "label": [3, 1]})


def ideals(measure: SessionMeasure, run: pd.DataFrame) -> list[float]:
    """Return the ideal curve of the only session."""
    return session_curves({"X": run}, None, SHAPED_QRELS, measure, perquery=True)["ideal"].tolist()


@pytest.mark.parametrize("queries", [1, 2])
def test_a_query_without_rows_counts_no_documents_however_many_queries_are_read(queries) -> None:
    """The run says how far lists were scanned; the first query's number is in no row."""
    assert ideals(sDCG(queries=queries) @ 2, SHAPED)[:2] == [0, 0]


def test_the_ideal_session_goes_on_with_unjudged_documents_that_gain_something() -> None:
    """The first query: 3, then an unjudged document's 2 rather than the 1 of b; so the second."""
    options = {"discount": "none", "query_discount": "none", "unjudged": 2}
    assert ideals(sDCG(**options) @ 3, SHAPED.drop(columns="scanned")) == [3, 5, 7, 10, 12, 14]
    assert ideals(sDCG(**options) @ 3, SHAPED) == [0, 0, 0, 3, 3, 3]
    assert ideals(sDCG(**{**options, "unjudged": -2}) @ 3, SHAPED)[3:] == [3, 3, 3]
    assert ideals(sDCG(**options, padding="none"), SHAPED[:1]) == [3]


@pytest.mark.parametrize("scanned", [0, 10**9 - 1])
def test_the_ends_of_scanned_are_read_back_from_a_file(scanned: int) -> None:
    file = io.BytesIO()
    run = SHAPED.assign(scanned=scanned)
    write_session_run(run, file)
    file.seek(0)
    assert read_session_run(file)["scanned"].tolist() == [scanned, scanned]
