"""Which documents to judge next, so that a comparison is settled with few judgments."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pandas as pd
from ir_measures import Measure
from numpy.typing import NDArray

from pt_cumgain.analysis.choices.dominance import pairs_of
from pt_cumgain.analysis.judged_systems import judge_systems
from pt_cumgain.analysis.results import Baseline
from pt_cumgain.analysis.rounding import equate
from pt_cumgain.analysis.trust.ranges import MissingJudgments, check_ranges, mean_range
from pt_cumgain.inputs.arguments import Qrels, Systems, follow
from pt_cumgain.options import Scores, checked


@checked
def judge_next(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measure: Measure | str,
    *,
    baseline: Baseline = None,
    n: int | None = 20,
    names: Sequence[str] | None = None,
    scores: Scores = "double",
    verbose: bool = False,
) -> pd.DataFrame:
    r"""Return the unjudged documents that could move the differences most.

    The pool consists of the documents among the first k ranks of the systems.
    Judge the returned documents in this order, add the judgments to the qrels,
    and call the function again, until it returns an empty frame. No judgment of
    the rest of the pool could then change the sign of a difference between two
    means; see :func:`pt_cumgain.dominance` over the pool. For nCG and nDCG, the
    signs are certain only if no unjudged document outside the pool is relevant,
    because such a document would raise the topic's ideal and reduce the topic's
    weight. For CG and DCG, they are certain without this assumption. The
    function assumes that documents are judged 0 or a level that already occurs
    in the qrels, so start with judgments at all levels.

    Certain over the pool does not mean certain over all judgments. For 12 runs
    made from DL-Hard, the signs of all 66 differences in nDCG@10 were certain
    over the pool, but only 19 to 25 of them over all judgments (in ten
    samples). Under the complete qrels, which contain relevant documents that no
    run returned, up to one sign was reversed.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`; ``verbose`` shows the progress
        over the pairs of systems, too.
    measure
        A measure that :func:`pt_cumgain.bounds` takes, as an object or text.
    baseline
        Settle the differences from this system (its name or its place, or a
        list of several), instead of those of all pairs.
    n
        How many documents to return; None: all unjudged ones of the pool that
        could help to move a difference whose sign is open.

    Returns
    -------
    pandas.DataFrame
        One row for each document, in the order in which to judge them, and
        those that move as much in the order of their best rank, then topic and
        id: ``qid``, ``docno``, ``could_move``, ``could_settle``, and a column
        for each system, with its rank of the document, missing below the
        cutoff. A document that neither system of a pair returned can move their
        nCG and nDCG as well.

        ``could_move``: how far the document could move the mean difference if
        it alone were judged; of several differences whose sign is open, the
        sum.

        ``could_settle``: how many of these signs would be certain once the
        documents down to this one are judged, if each sign has the judgments
        that are best for it. For CG and DCG, and with a single gain besides 0,
        the first row with 1 says how many judgments in this order it takes at
        least; with several gains, nCG and nDCG could need fewer. See below.

        ``attrs["hold"]`` says how many of the ``"pairs"`` have a certain sign
        already: over the ``"pool"``, and over all ``"judgments"``, also of
        documents that no system returned (left out where there is no such
        range, as for nDCG without a cutoff). An empty frame means that all hold
        over the pool, and no more than that.

    Raises
    ------
    ValueError, TypeError
        If the measure has no range over the pool, or an input cannot be used.

    Notes
    -----
    *Order.* Of a topic, let N be the difference of (D)CG, and :math:`I_g` the
    ideal value if a document of gain g joins the recall base. A document at
    rank i of one system and j of the other has :math:`e = 1/d(i) - 1/d(j)`,
    where :math:`1/d` is 0 for a system without it. Over T topics, and over the
    gains g that it could have, 0 included, ``could_move`` is

    .. math:: \frac1T (\max_g v(g) - \min_g v(g)), \quad
       v(g) = N + g e \text{ or, normalised, } \frac{N + g e}{I_g}

    The idea of first judging the documents that could move a difference most is
    due to Carterette, Allan and Sitaraman (Minimal test collections for
    retrieval evaluation, SIGIR 2006), who apply it to average precision.

    A document that both systems have at the same rank, or neither has, moves
    the ideal of nCG and nDCG, and so counts, but not CG and DCG.

    *What could be settled.* For CG and DCG, a judgment takes from the range, at
    one of its ends, as much as the document could move. A sign could be certain
    once these widths sum to the distance between 0 and the nearer end. For a
    pair, therefore, no other documents could settle it with fewer judgments.

    For nCG and nDCG, the judgments that are tried give the highest gain to the
    documents that favour one system most, and none to the others, for each
    number of such documents in each topic; the range of what is left is exact.
    With a single gain no judgments could do better. With several gains, one
    between could in rare cases, so the sign could be certain a little earlier.
    Other documents could also settle it with fewer judgments: the order is not
    the best one for each case.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "x"], "score": [2.0, 1.0]})
    >>> other = run.assign(docno=["y", "a"])
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    >>> judge_next({"X": run, "Y": other}, None, qrels, "nDCG@2").round(3)
      qid docno  could_move  could_settle     X     Y
    0   1     y       0.756             1  <NA>     1
    1   1     x       0.244             1     2  <NA>
    >>> judge_next({"X": run, "Y": other}, None, qrels, "nDCG@2").attrs["hold"]
    {'pairs': 1, 'pool': 0, 'judgments': 0}
    """
    chosen = check_ranges(measure, "pool")
    if len(chosen) > 1:
        raise ValueError(f"judge_next orders documents for one measure, not for {len(chosen)}")
    judged = judge_systems(systems, topics, qrels, chosen, "judge_next", names, verbose, scores)
    engine, runs = judged[0], list(judged[1])
    missing = MissingJudgments(engine, runs, "pool")
    compared = list(zip(*pairs_of(missing.names, baseline)))
    hold = _find_certain(missing, compared)
    pairs = [missing.pair(0, i, j) for (i, j), holds in zip(compared, hold) if not holds]
    frame = pd.DataFrame(missing.documents, columns=["qid", "docno"])
    could_move, counts = np.zeros(len(frame)), np.zeros(len(frame), dtype=bool)
    for pair in follow(pairs, verbose, "judge_next: moves", "pair"):
        moves, moved_by_others = pair.moves()
        could_move += moved_by_others[missing.topic] / len(pair.own)
        could_move[pair.docs] += (moves - moved_by_others[pair.topic]) / len(pair.own)
        counts |= pair.topics_moved_by_others()[missing.topic]
        counts[pair.docs] |= (moves > 0) | chosen[0].spec.normalised
    frame["could_move"], frame["could_settle"] = equate(could_move), 0
    for name, (docs, ranks) in zip(missing.names, missing.unjudged):
        frame.insert(frame.shape[1], name, pd.Series(ranks, docs, dtype="Int64"))
    ranked = frame.assign(move=-frame["could_move"], rank=missing.best_rank)[counts]
    rows = ranked.sort_values(["move", "rank", "qid", "docno"]).index.to_numpy()[:n]
    place = np.full(len(frame), len(frame))
    place[rows] = np.arange(len(rows))
    pairs_in_turn = follow(pairs, verbose, "judge_next: judgments needed", "pair")
    needed = sorted(p.judgments_needed(place, missing.topic, len(rows)) for p in pairs_in_turn)
    frame = frame.iloc[rows].reset_index(drop=True)
    frame["could_settle"] = np.searchsorted(needed, frame.index + 1, side="right")
    frame.attrs["hold"] = {"pairs": len(compared), "pool": int(hold.sum())}
    with suppress(ValueError):  # without a cutoff there is no range over all judgments
        check_ranges(measure, "judgments")
        wide = MissingJudgments(engine, runs, "judgments")
        frame.attrs["hold"]["judgments"] = int(_find_certain(wide, compared).sum())
    return frame


def _find_certain(missing: MissingJudgments, pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return whether the difference of each pair never has the other sign."""
    ends = mean_range([missing.pair(0, *pair).ends() for pair in pairs])[1]
    return np.asarray((ends.low >= 0) | (ends.high <= 0))
