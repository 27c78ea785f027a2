"""The conclusions of judges about pairs of systems, and the systems that a judge favours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.all_systems import LIMIT
from pt_cumgain.analysis.comparing.correlation import rank_correlation
from pt_cumgain.analysis.comparing.pairs import pairwise
from pt_cumgain.analysis.results import (
    DATASET,
    GROUP,
    JUDGE,
    Baseline,
    Results,
    TopicResults,
    find_blocks,
    join_parts,
)
from pt_cumgain.analysis.rounding import ROUNDING
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.options import PAIR_TESTS, checked, choice

_HINT = "; several judges have a column 'judge', as in pt.Experiment(...).assign(judge='people')"
#: The conclusions that two judges may come to about a pair: a significant difference, or none.
AGREEMENTS = ["both", "opposite", "reference_only", "judge_only", "neither"]


@dataclass(frozen=True)
class JudgeComparison:
    """The conclusions of judges about systems: the result of :func:`compare_judges`.

    Attributes
    ----------
    reference
        The judge with whom the others are compared.
    judges
        A row for each of the others and each measure (and dataset).
    pairs
        A row for each of the others, each measure (and dataset) and each pair of systems.
    options
        The test, its options, and the confidence of the intervals.
    """

    reference: str
    judges: pd.DataFrame
    pairs: pd.DataFrame
    options: dict[str, Any]


@checked(test=choice(*list(PAIR_TESTS)[:6]))
def compare_judges(
    results: Results,
    reference: str = "human",
    *,
    test: str = "t",
    correction: str | None = "holm",
    baseline: Baseline = None,
    alpha: float = LIMIT,
    confidence: float = 0.95,
    **options: Any,
) -> JudgeComparison:
    r"""Compare the conclusions of several judges with those of a reference.

    Each judge is compared with the reference on the topics that both have
    judged, so that only the judgments differ.

    Errors that are unrelated to the systems shrink all differences, so that
    every worse system seems to be favoured. The slope of the judge on the
    reference is therefore estimated first. With :math:`R_{st}` and
    :math:`J_{st}` the values of system s on topic t under the reference and
    under the judge, and :math:`R_t, J_t` a topic's means over the systems, the
    slope and the favour of a pair x, y are

    .. math::

       b = \frac{\sum_{s,t} (J_{st} - J_t)(R_{st} - R_t)}
                {\sum_{s,t} (R_{st} - R_t)^2},
       \qquad \frac{1}{n} \sum_t (J_{xt} - J_{yt}) - b \, (R_{xt} - R_{yt})

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.pairwise`, with a column ``judge``:
        ``pd.concat(pt.Experiment(runs, topics, q, measures,
        perquery=True).assign(judge=name) for name, q in judges.items())``.
        There may be a column ``dataset`` as well.
    reference
        The judge with whom all others are compared.
    test, correction, baseline, alpha
        As for :func:`pt_cumgain.pairwise`; a paired test other than
        ``"equivalence"``. p is corrected for the pairs of each measure, dataset
        and judge.
    confidence
        The confidence of the t intervals of ``favour``.
    options
        ``cluster``, ``resamples`` and ``seed``, as for
        :func:`pt_cumgain.pairwise`.

    Returns
    -------
    JudgeComparison
        ``judges``: ``judge``, (``dataset``,) ``measure``, ``topics``, ``tau_b``
        and ``tau_ap`` of the systems' means with the reference's
        (:func:`pt_cumgain.comparing.tau_ap`, the reference being the truth), ``slope`` of
        the judge on the reference, over all systems and topics (NaN if the
        systems have equal values under the reference on every topic; of several
        datasets the mean of their slopes), ``pairs``,
        ``same_order`` (of the two means), and how many pairs differ
        significantly under ``both`` judges in the same direction, in
        ``opposite`` directions, under one judge alone (``reference_only``,
        ``judge_only``) and under ``neither`` (after Moffat, Scholer & Thomas,
        ADCS 2012, and Faggioli & Ferro, ECIR 2021).

        ``pairs``: ``judge``, (``dataset``,) ``measure``, ``name``, ``other``,
        ``reference_difference`` and ``difference`` of their means under the
        reference and the judge; ``reference_better`` and ``better``, if the
        difference is significant; ``agreement``, one of the five above;
        ``favour``, how much more ``name`` gains over ``other`` under the judge
        than the slope would lead one to expect (for several datasets the mean,
        each with its own slope; without a slope, the whole difference), with
        its t interval ``favour_low``, ``favour_high``, which is for this pair
        alone, uncorrected, and treats the slope as known; ``same_order`` of the
        two means, or equal means under both; ``holds``, whether all judges have
        one and the same order, the reference's.

    Raises
    ------
    ValueError, TypeError
        As :func:`pt_cumgain.pairwise`; also if there is no other judge than the
        reference, a judge lacks one of its systems, measures or datasets, or
        two judges have no topic in common.
    ImportError
        If a package that the test needs is not installed.

    Examples
    --------
    >>> rows = [
    ...     (judge, system, str(q), "CG", gain + bias * (system == "X") + q * q % 5)
    ...     for judge, bias in [("human", 0), ("model", 3)]
    ...     for system, gain in [("X", 1), ("Y", 2), ("Z", 6)] for q in range(9)
    ... ]
    >>> results = pd.DataFrame(rows, columns=["judge", "name", "qid", "measure", "value"])
    >>> comparison = compare_judges(results)
    >>> comparison.judges[["judge", "tau_b", "slope", "same_order", "opposite"]].round(2)
       judge  tau_b  slope  same_order  opposite
    0  model   0.33   0.57           2         1
    >>> comparison.pairs[["name", "other", "reference_better", "better", "favour"]].round(2)
      name other reference_better better  favour
    0    X     Y                Y      X    2.57
    1    X     Z                Z      Z    0.86
    2    Y     Z                Z      Z   -1.71
    """
    if unknown := set(options) - {"cluster", "resamples", "seed"}:
        raise TypeError(
            f"compare_judges has no option {min(unknown)!r}; besides its named parameters it takes "
            "cluster, resamples and seed (confidence applies to the t intervals of favour)"
        )
    options |= {"correction": correction, "baseline": baseline, "alpha": alpha}
    results = TopicResults.read(results, options.get("cluster"))
    by_judge, by_pair, groups = {}, {}, GROUP if results.grouping else None
    for judge, both in join_judges(results, reference):
        shared = both.dropna(subset=["value", "reference"])
        if not len(shared):
            raise ValueError(f"the judges {reference!r} and {judge!r} have no topic in common")
        by_topic = TopicResults.of(shared.assign(slope=_fit_slopes(shared)), groups)
        by_judge[judge] = by_topic.label(_correlate_judges)
        by_pair[judge] = _compare_pairs(by_topic, test, confidence, options)
    judges, pairs = join_parts(by_judge, JUDGE), join_parts(by_pair, JUDGE)
    blocks = find_blocks(pairs)
    order = np.sign(pairs["difference"])
    pairs["same_order"] = order == np.sign(pairs["reference_difference"])
    pair = [pairs[column] for column in [*blocks[1:], "name", "other"]]
    # each judge is compared on topics of its own, on which the reference's order may be another
    orders = order.groupby(pair)
    alike = orders.transform("min") == orders.transform("max")
    pairs["holds"] = pairs["same_order"].groupby(pair).transform("all") & alike
    counted = {case: pairs["agreement"] == case for case in AGREEMENTS}
    rows = pairs[blocks].assign(pairs=1, same_order=pairs["same_order"], **counted)
    counts = rows.groupby(blocks).sum()
    options |= {"test": test, "confidence": confidence}
    return JudgeComparison(reference, judges.join(counts, on=blocks), pairs, options)


def join_judges(results: Results, reference: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each judge but the reference with its results and, beside them, the reference's.

    The frame has a row for each topic that one of the two has: the column ``value`` is NaN where
    the judge has none, ``reference`` where the reference has none.

    Raises
    ------
    ValueError
        If there is no other judge, or a judge lacks a system, a measure or a dataset of another.
    """
    frame = TopicResults.read(results).frame
    require_columns(frame, [JUDGE], "results", _HINT)
    parts = {str(judge): part for judge, part in frame.groupby(JUDGE, sort=False)}
    if reference not in list(parts) or len(parts) < 2:
        raise ValueError(
            f"reference={reference!r} must be one of several judges; the results have {list(parts)}"
        )
    columns = [column for column in (DATASET, "name", "measure") if column in frame]
    for judge, part in parts.items():
        for column in columns:
            for lacking in set(frame[column]) - set(part[column]):
                what = {"name": "system"}.get(column, column)
                raise ValueError(f"the results by the judge {judge!r} lack the {what} {lacking!r}")
    keys = [*columns, "qid", *frame.columns.intersection([GROUP])]
    for row in frame[frame.duplicated([JUDGE, *keys])].itertuples():
        raise ValueError(
            f"{row.measure}: {row.name!r} has two values for topic {row.qid!r} by {row.judge!r}"
        )
    systems = frame["name"].unique()
    truth = parts.pop(reference).set_index(keys)["value"].rename("reference")
    for judge, part in parts.items():
        both = pd.concat([part.set_index(keys)["value"], truth], axis=1).reset_index()
        yield judge, both.assign(name=pd.Categorical(both["name"], systems))


def _correlate_judges(results: TopicResults) -> pd.DataFrame:
    """Return the rank correlations of the systems' means by two judges, for each measure."""
    both = results.frame
    reference = results.replace_values(both["reference"])
    matrices = reference.matrices()
    slopes = both.groupby(find_blocks(both), sort=False)["slope"].first()
    by_measure = slopes.groupby("measure", sort=False)  # NaN if a dataset has no slope
    return pd.DataFrame(
        {
            "measure": list(matrices),
            "topics": [len(matrix) for matrix in matrices.values()],
            "tau_b": np.diag(rank_correlation(reference, results)),
            "tau_ap": np.diag(rank_correlation(reference, results, coefficient="tau-ap")),
            "slope": by_measure.agg(lambda slope: slope.mean(skipna=False)).to_numpy(),
        }
    )


def _fit_slopes(both: pd.DataFrame) -> pd.Series[float]:
    """Return, for each row, the judge's slope on the reference in its measure (and dataset)."""
    values, blocks = both[["value", "reference"]], find_blocks(both)
    means = both.groupby([*blocks, "qid"])[["value", "reference"]].transform("mean")
    left = (values - means).where((values - means).abs() > ROUNDING * values.abs(), 0.0)
    left /= left.abs().to_numpy().max() or 1.0  # keeps the squares of all values finite
    products = left.mul(left["reference"], axis=0)
    sums = products.groupby([both[column] for column in blocks]).transform("sum")
    return sums["value"] / sums["reference"]


def _compare_pairs(
    results: TopicResults, test: str, confidence: float, options: dict[str, Any]
) -> pd.DataFrame:
    """Return the pairs of systems under two judges, and which of the systems the second favours."""
    both = results.frame
    first, second = (
        pairwise(values, test=test, interval=False, **options)
        for values in (results.replace_values(both["reference"]), results)
    )
    # the gain of a system under the judge beyond the one that the slope lets expect
    excess = both["value"] - both["slope"].fillna(0) * both["reference"]
    excess = excess.where(excess.abs() > ROUNDING * both["value"].abs(), 0.0)
    chosen = options | {"correction": None, "confidence": confidence}
    favour = pairwise(results.replace_values(excess), **chosen)
    better, judges_better = first["better"], second["better"]
    found, judge_found = better != "", judges_better != ""
    cases = [found & (better == judges_better), found & judge_found, found, judge_found]
    pair = [column for column in (DATASET, "measure", "name", "other") if column in first]
    return first[pair].assign(
        reference_difference=first["difference"],
        difference=second["difference"],
        reference_better=better,
        better=judges_better,
        agreement=np.select(cases, AGREEMENTS[:-1], AGREEMENTS[-1]),
        favour=favour["difference"],
        favour_low=favour["low"],
        favour_high=favour["high"],
    )
