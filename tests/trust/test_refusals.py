"""What the functions that say how far a value can be trusted refuse."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import CG, DCG, bounds, dominance, gain_curves, nCG, nDCG, nsDCG, sDCG
from pt_cumgain.papers import precision_by_level
from pt_cumgain.trust import gain_by_level, reconcile, topic_table
from tests.support.samples import QRELS, SYSTEMS

RUN, XY = SYSTEMS["X"], {name: SYSTEMS[name] for name in "XY"}
HUGE = 1.7e308
BOTH = {q: {"a": 2.0, "b": 1.0} for q in "012"}
JUDGED_BOTH = {"0": {"a": 3}, "1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2}}
IN_SESSIONS = pd.DataFrame({"qid": ["1"], "docno": "a", "score": 1.0, "query_position": 1})
TOO_MUCH = {1: HUGE, 2: HUGE}
EIGHTHS = {"1": {f"d{i}": i / 8 for i in range(1, 301)}}


def compare(measure: Any = nDCG @ 5, qrels: Any = QRELS, **options: Any) -> Any:
    return dominance(XY, None, qrels, measure, **options)


def estimate(measure: Any) -> Any:
    return bounds([RUN], None, QRELS, measure)


def draw(qrels: Any = QRELS, **options: Any) -> Any:
    return pt_cumgain.weighting_map(
        **{"systems": XY, "topics": None, "qrels": qrels, "measures": nDCG @ 5, **options}
    )


def explain(values: dict, **options: Any) -> Any:
    return reconcile(values, QRELS, RUN, **options)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *(
            (partial(function, [RUN], None, {}, CG @ 3), "the qrels hold no judgments")
            for function in (bounds, gain_by_level, topic_table)
        ),
        # bounds
        (partial(estimate, nDCG), "@10"),
        (partial(estimate, nDCG @ 10**12), "at most 10000000"),
        (partial(estimate, nDCG(at_r=True)), "omit at_r"),
        (partial(estimate, CG(judged_only=True) @ 5), "omit judged_only"),
        (partial(estimate, CG(ties="best") @ 5), "omit ties"),
        (partial(estimate, sDCG), "sDCG@10 has no range; CG, DCG, nCG and nDCG"),
        (partial(estimate, CG(avg_pos=True)), "cutoff"),
        # dominance
        (partial(compare, nDCG(at_r=True)), "bounds for over='gains': omit at_r"),
        (partial(compare, CG(unjudged=1)), "omit unjudged"),
        (partial(compare, nsDCG(avg_pos=True)), "omit avg_pos"),
        (partial(compare, DCG(avg_pos=True) @ 5, over="both"), "omit avg_pos"),
        (partial(compare, nCG @ 5, over="discount"), "has no discount"),
        (partial(compare, DCG @ 1001, over="discount"), "the cutoff can be at most 1000$"),
        (partial(compare, nDCG, over="discount"), "it needs a cutoff, such as @10$"),
        (partial(compare, DCG(discount="sigir2000", base=2.5) @ 5, over="discount"), "omit base"),
        (partial(compare, nDCG(avg_pos=True) @ 5, over="judgments"), "omit avg_pos"),
        (partial(compare, "gR@5", over="judgments"), "ideal; CG, DCG, nCG and nDCG have bounds$"),
        (partial(compare, "gP(gains='0-1-2')@5"), "its scale is that of one weighting; use CG$"),
        (partial(compare, CG @ 5, over="judgments", average="vectors"), "omit average"),
        (partial(compare, baseline="C"), "baseline='C' is not one of the systems"),
        (partial(compare, qrels={"1": {"a": 0, "b": -1}}), "^the qrels have no positive level"),
        (partial(compare, "AP"), "AP has no range; CG, "),
        # tables: the first topic where it is so is named; each part by itself is a number
        *(
            (
                partial(function, [run], None, JUDGED_BOTH, measure(gains=TOO_MUCH)),
                "gains of topic '1' are too large",
            )
            for measure in (CG, CG(avg_pos=True) @ 2)
            for function, run in (
                (gain_by_level, BOTH),
                (topic_table, BOTH),
                (topic_table, {"0": BOTH["0"]}),
            )
        ),
        (partial(topic_table, [RUN], None, QRELS, CG(gains={2: HUGE}) @ 5), "too large for"),
        (  # of one topic, over systems
            partial(topic_table, [{"2": {"a": 1.0}}] * 2, None, QRELS, CG(gains=TOO_MUCH) @ 1),
            "too large for a mean of floats",
        ),
        # weighting_map
        (partial(draw, {"1": {"a": 2}}), "two or three levels, not 1; .* the positive levels 2"),
        (partial(draw, {"1": dict(zip("abcd", (1, 2, 3, 4)))}), "not 4; .* 1, 2, 3, 4; .*levels=$"),
        (partial(draw, EIGHTHS), r"not 300; .* 0.125, 0.25, 0.375, .* 1.25, \.\.\.; choose"),
        (partial(draw, EIGHTHS, levels=[1, 2]), "300 .* at most 100; .* between 0.125 and 37.5$"),
        (partial(draw, measures="gP(gains='0-1-2')@5"), "its scale is that of one weighting"),
        (partial(draw, levels=[1, 7]), "levels: 7 is not a positive level of the qrels, 1, 2"),
        (partial(draw, systems={"t1": RUN, "x": RUN}), "^a system has the .* map, 't1'; rename"),
        (partial(draw, systems={"A": RUN}), "^there is only one system, 'A'"),
        # reconcile
        (partial(explain, {"nDCG@10": "x"}), "'x' .*finite"),
        (partial(explain, {"DCG@5": "1e99999999999"}), "'1e99999999999' must be a finite number"),
        (partial(explain, {"nDCG@5": {"1": 10.0}}), "^10.0 .* a percentage; write 0.100"),
        (partial(explain, {"nDCG@10": {"9": 0.5}}), "^values: .* topic '9'"),
        (partial(explain, {"sDCG@10": 1}), "sDCG@10 has no variants"),
        (partial(reconcile, {"nDCG@5": 1}, QRELS, IN_SESSIONS), "^reconcile reads a list for each"),
        (partial(reconcile, {"nDCG@5": 1}, QRELS, {}), "^the run holds no documents$"),
        (partial(explain, {"nDCG(at_r=True)": 0.5}), "without at_r"),
        (partial(explain, {"nDCG@10": 0.5, "DCG@10": 5}), "nDCG@10, DCG@10.* cutoffs"),
    ],
)
@pytest.mark.filterwarnings(
    *("error::UserWarning", "error::RuntimeWarning"),
    *("ignore:the run", "ignore:2 runs have no documents", "ignore:.*has a positive gain"),
    "ignore:.* less than level",
)
def test_what_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_more_than_a_hundred_levels_are_refused() -> None:
    """By `dominance` before a system runs. The range over discounts does not depend on them."""
    qrels = {"1": {f"d{i}": (i + 1) / 8 for i in range(101)}}
    run = {"1": {"x": 2.0, "d1": 1.0}}
    runs, files = {"A": run, "B": run}, dict.fromkeys("AB", "no file")
    for compute in (
        lambda: gain_by_level(runs, None, qrels, DCG @ 5),
        lambda: precision_by_level(runs, None, qrels),
        lambda: reconcile({"nDCG@5": "0.5"}, qrels, run),
        lambda: gain_curves(runs, None, qrels, nDCG, 2, bounds=True),
        *(partial(dominance, files, None, qrels, nDCG @ 2, over=o) for o in ("gains", "both")),
        *(partial(bounds, runs, None, qrels, nDCG @ 2, over=o) for o in ("judgments", "pool")),
        *(partial(dominance, runs, None, qrels, nDCG @ 2, over=o) for o in ("judgments", "pool")),
    ):
        with pytest.raises(
            ValueError, match=r"have 101 positive levels, .* at most 100; the labels are between"
        ):
            compute()
    assert len(dominance(runs, None, qrels, nDCG @ 2, over="discount")) == 1
    del qrels["1"]["d100"]
    assert len(bounds(runs, None, qrels, nDCG @ 2)) == 2
