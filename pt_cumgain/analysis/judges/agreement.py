"""How far judges give the same labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.judged_systems import BIN_LABELS
from pt_cumgain.analysis.reading.by_level import judged_documents, recall_bases
from pt_cumgain.analysis.results import join_parts
from pt_cumgain.analysis.strata import Stratum
from pt_cumgain.analysis.trust.intervals import resampled_means
from pt_cumgain.core import Floats
from pt_cumgain.inputs.arguments import Qrels, refuse_equal_names
from pt_cumgain.options import checked
from pt_cumgain.weighting import number

#: The most labels of all judges: real values are hardly ever equal.
MOST_LABELS = 100

_KAPPAS = [f"{weights}kappa{end}" for weights in ("", "weighted_") for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class JudgeAgreement:
    """How far judges give the same labels: the result of :func:`judge_agreement`.

    Attributes
    ----------
    reference
        The judge with whom the others are compared.
    judges
        A row for each of the others.
    levels
        A row for each of the others and each label of the reference.
    tables
        By judge, the numbers of documents with each label of the reference (rows) and of the judge
        (columns).
    alpha
        Krippendorff's alpha of all judges.
    confidence
        The confidence of the intervals.
    """

    reference: str
    judges: pd.DataFrame
    levels: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    alpha: float
    confidence: float


@checked
def judge_agreement(
    qrels: Mapping[str, Qrels],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> JudgeAgreement:
    r"""Measure how far the labels of judges agree with those of a reference.

    Parameters
    ----------
    qrels
        The qrels of each judge, by name, in any form that
        :func:`pt_cumgain.evaluate` takes. The first judge, such as the people,
        is the reference.
    confidence
        The confidence of the intervals of both kappas.
    resamples, seed
        The number of samples of topics that are drawn for these intervals, and
        the seed.

    Returns
    -------
    JudgeAgreement
        ``judges`` has a row for each judge but the reference: ``judge``,
        ``documents`` (judged by both) and the number of their ``topics``,
        ``equal`` (the share of the documents with equal labels), ``kappa`` with
        its interval ``kappa_low``, ``kappa_high``, ``weighted_kappa`` likewise,
        ``mean_difference`` (the judge's label minus the reference's), and the
        labels that ``only_reference`` or ``only_judge`` uses, in all of its
        judgments. ``levels``: ``judge``,
        ``level`` (of the reference), ``documents`` and their
        ``mean_difference``. ``tables``: by judge, what
        :func:`pt_cumgain.papers.recall_bases` counts; documents of their common topics
        that only one of them judged are ``"unjudged"``. ``alpha``: a number.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two judges, two names are the same as text, a
        judge has no document in common with the reference, the judges use more
        than 100 labels, or qrels cannot be used.

    Notes
    -----
    Cohen's kappa is :math:`(p_o - p_e) / (1 - p_e)`, from the observed and the
    expected share of equal labels; weighted, a disagreement counts by the
    squared distance of the labels' places among all labels in use. Both are NaN
    if all documents have one label. Their intervals are those of the percentile
    bootstrap over topics, whose documents are drawn together: judges agree on
    some topics more than on others. They are NaN for one topic, and too narrow
    for few: of topics drawn from LLMJudge's, with three of its judges, 0.85 to
    0.90 of the 95% intervals contained the kappa of all with 10 topics, 0.92 to
    0.94 with 25. Krippendorff's alpha for ordinal labels (Computing
    Krippendorff's alpha-reliability, 2011) is :math:`1 - D_o / D_e`, over the
    documents that at least two judges labelled; NaN if all of these labels are
    the same.

    Examples
    --------
    >>> columns = ["qid", "docno", "label"]
    >>> rows = [(f"q{q}", f"d{i}", i * q % 3) for q in range(1, 16) for i in range(6)]
    >>> people = pd.DataFrame(rows, columns=columns)
    >>> model = people.assign(label=people["label"] + people.index % 4 // 2)
    >>> agreement = judge_agreement({"people": people, "model": model})
    >>> agreement.judges.round(2).T
                             0
    judge                model
    documents               90
    topics                  15
    equal                 0.51
    kappa                 0.31
    kappa_low              0.2
    kappa_high            0.42
    weighted_kappa        0.74
    weighted_kappa_low    0.68
    weighted_kappa_high   0.77
    mean_difference       0.49
    only_reference          ()
    only_judge            (3,)
    >>> agreement.tables["model"]
    other_level   0   1  2   3
    level
    0            26  24  0   0
    1             0  11  9   0
    2             0   0  9  11
    >>> round(agreement.alpha, 2)
    0.7
    """
    if not isinstance(qrels, Mapping):
        raise TypeError(f"qrels must be a dict of qrels by judge, not {type(qrels).__name__}")
    refuse_equal_names(list(qrels), "judge")
    judged = {}
    for name, by_judge in qrels.items():
        try:
            judged[str(name)] = judged_documents(by_judge)
        except ValueError as error:
            raise ValueError(f"the judge {name!r}: {error}") from None
    if len(judged) < 2:
        raise ValueError(f"agreement needs two judges or more, not {list(judged)}")
    in_use = {judge: set(part["label"].map(number)) for judge, part in judged.items()}
    if (labels := len(set().union(*in_use.values()))) > MOST_LABELS:
        raise ValueError(
            f"the judges use {labels:,} labels, and agreement is for at most {MOST_LABELS}; "
            f"{BIN_LABELS}"
        )
    reference, *others = judged
    rows, levels = [], {}
    for judge in others:
        both = judged[reference].merge(judged[judge], on=["qid", "docno"], suffixes=("", "_judge"))
        if both.empty:
            raise ValueError(f"{reference!r} and {judge!r} have judged no document in common")
        left = both["label_judge"] - both["label"]
        by_level = left.groupby(both["label"].map(number).rename("level"))
        levels[judge] = by_level.agg(documents="size", mean_difference="mean").reset_index()
        rows.append(
            {
                "judge": judge,
                "documents": len(both),
                "topics": both["qid"].nunique(),
                "equal": (left == 0).mean(),
                **_estimate_kappas(both, (1 - confidence) / 2, resamples, seed),
                "mean_difference": left.mean(),
                "only_reference": tuple(sorted(in_use[reference] - in_use[judge])),
                "only_judge": tuple(sorted(in_use[judge] - in_use[reference])),
            }
        )
    by_judge = [part.set_index(["qid", "docno"])["label"] for part in judged.values()]
    return JudgeAgreement(
        reference,
        pd.DataFrame(rows),
        join_parts(levels, "judge"),
        {judge: recall_bases(judged[reference], judged[judge]) for judge in others},
        _compute_alpha(pd.concat(by_judge, axis=1).to_numpy(dtype=np.float64)),
        confidence,
    )


def _estimate_kappas(both: pd.DataFrame, tail: float, resamples: int, seed: int) -> dict[str, Any]:
    """Return both kappas with the ends of their intervals over resampled topics."""
    labels, places = np.unique(both[["label", "label_judge"]], return_inverse=True)
    first, second = places.reshape(-1, 2).T
    given = [place[:, None] == np.arange(len(labels)) for place in (first, second)]
    columns = np.column_stack([first == second, (first - second) ** 2, *given])
    by_topic = pd.DataFrame(columns).groupby(both["qid"].to_numpy())
    counted = by_topic.sum(), by_topic.size()
    sample = Stratum(*(np.asarray(part, dtype=np.float64) for part in counted))
    drawn = resampled_means(sample, resamples, np.random.default_rng(seed))
    # a sample in which all documents have one label has no kappa, and is left out
    ends = pd.DataFrame(_compute_kappas(drawn)).quantile([tail, 1 - tail]).to_numpy()
    ends = ends if len(by_topic) > 1 else np.full((2, 2), np.nan)
    return dict(zip(_KAPPAS, np.vstack([_compute_kappas(sample.mean), ends]).T.ravel()))


def _compute_kappas(means: Floats) -> Floats:
    """Return Cohen's kappa, plain and with quadratic weights, in the last axis.

    The last axis of ``means`` has the mean over documents of equal labels, of the squared distance,
    and of each label by the first and by the second judge.
    """
    equal, apart, margins = means[..., 0], means[..., 1], means[..., 2:]
    first, second = np.split(margins, 2, axis=-1)
    places = np.arange(first.shape[-1])
    chance = (first * second).sum(axis=-1)
    expected = (first + second) @ places**2 - 2 * (first @ places) * (second @ places)
    with np.errstate(invalid="ignore"):  # all documents have one label
        return np.stack([(equal - chance) / (1 - chance), 1 - apart / expected], axis=-1)


def _compute_alpha(labels: Floats) -> float:
    """Return Krippendorff's alpha for ordinal labels, a row for each document, NaN if unjudged."""
    levels = np.unique(labels[~np.isnan(labels)])
    counts = (labels[:, :, None] == levels).sum(axis=1)
    counts = counts[counts.sum(axis=1) > 1]
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    sizes = coincidences.sum(axis=0)
    middles = np.cumsum(sizes) - sizes / 2
    distances = np.subtract.outer(middles, middles) ** 2
    observed, expected = (coincidences * distances).sum(), sizes @ distances @ sizes
    with np.errstate(invalid="ignore"):  # all labels are the same
        return float(1 - (sizes.sum() - 1) * observed / expected)
