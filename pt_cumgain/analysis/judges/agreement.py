"""How far judges give the same labels, and which gain a label of a judge stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.reading.by_level import judged_documents, recall_bases
from pt_cumgain.core import Floats
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.arguments import Qrels
from pt_cumgain.options import checked
from pt_cumgain.weighting import Weighting, number

#: With fewer documents of a label, the mean of their gains says little.
FEW_DOCUMENTS = 10


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
    """

    reference: str
    judges: pd.DataFrame
    levels: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    alpha: float


def judge_agreement(qrels: Mapping[str, Qrels]) -> JudgeAgreement:
    r"""Return how far the labels of judges agree with those of a reference.

    Parameters
    ----------
    qrels
        The qrels of each judge, by name, in any form that
        :func:`pt_cumgain.evaluate` takes. The first judge, such as the people,
        is the reference.

    Returns
    -------
    JudgeAgreement
        ``judges`` has a row for each judge but the reference: ``judge``,
        ``documents`` (judged by both), ``equal`` (the share of these with equal
        labels), ``kappa``, ``weighted_kappa``, ``mean_difference`` (the
        judge's label minus the reference's), and the labels that
        ``only_reference`` or ``only_judge`` uses, in all of its judgments.
        ``levels``: ``judge``,
        ``level`` (of the reference), ``documents`` and their
        ``mean_difference``. ``tables``: by judge, what
        :func:`pt_cumgain.recall_bases` counts; documents of their common topics
        that only one of them judged are ``"unjudged"``. ``alpha``: a number.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two judges, a judge has no document in common
        with the reference, or qrels cannot be used.

    Notes
    -----
    Cohen's kappa is :math:`(p_o - p_e) / (1 - p_e)`, from the observed and the
    expected share of equal labels (statsmodels' ``cohens_kappa``); weighted, a
    disagreement counts by the squared distance of the labels' places among all
    labels in use. Both are NaN if all documents have one label. Krippendorff's
    alpha for ordinal labels (Computing Krippendorff's alpha-reliability, 2011)
    is :math:`1 - D_o / D_e`, over the documents that at least two judges
    labelled; NaN if all of these labels are the same.

    Examples
    --------
    >>> columns = ["qid", "docno", "label"]
    >>> people = pd.DataFrame([("1", d, i // 2) for i, d in enumerate("abcdef")], columns=columns)
    >>> model = people.assign(label=[0, 1, 1, 1, 2, 3])
    >>> agreement = judge_agreement({"people": people, "model": model})
    >>> agreement.judges.round(2).T
                          0
    judge             model
    documents             6
    equal              0.67
    kappa              0.54
    weighted_kappa      0.8
    mean_difference    0.33
    only_reference       ()
    only_judge         (3,)
    >>> agreement.tables["model"]
    other_level  0  1  2  3
    level
    0            1  1  0  0
    1            0  2  0  0
    2            0  0  1  1
    >>> round(agreement.alpha, 2)
    0.86
    """
    if not isinstance(qrels, Mapping):
        raise TypeError(f"qrels must be a dict of qrels by judge, not {type(qrels).__name__}")
    judged = {}
    for name, by_judge in qrels.items():
        try:
            judged[str(name)] = judged_documents(by_judge)
        except ValueError as error:
            raise ValueError(f"the judge {name!r}: {error}") from None
    if len(judged) < 2:
        raise ValueError(f"agreement needs two judges or more, not {list(judged)}")
    reference, *others = judged
    for judge in others:
        if judged[reference].merge(judged[judge], on=["qid", "docno"]).empty:
            raise ValueError(f"{reference!r} and {judge!r} have judged no document in common")
    tables = {judge: recall_bases(judged[reference], judged[judge]) for judge in others}
    compared = [_compare_labels(judge, table) for judge, table in tables.items()]
    in_use = {judge: set(part["label"].map(number)) for judge, part in judged.items()}
    rows = [
        row
        | {
            "only_reference": tuple(sorted(in_use[reference] - in_use[judge])),
            "only_judge": tuple(sorted(in_use[judge] - in_use[reference])),
        }
        for judge, (row, _) in zip(others, compared)
    ]
    by_judge = [part.set_index(["qid", "docno"])["label"] for part in judged.values()]
    return JudgeAgreement(
        reference,
        pd.DataFrame(rows),
        pd.concat([levels for _, levels in compared], ignore_index=True),
        tables,
        _compute_alpha(pd.concat(by_judge, axis=1).to_numpy(dtype=np.float64)),
    )


def _compare_labels(judge: str, table: pd.DataFrame) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return the agreement of a judge with the reference, and the differences by level."""
    from statsmodels.stats.inter_rater import cohens_kappa as kappa

    both = table.drop(index="unjudged", columns="unjudged", errors="ignore")
    both = both.loc[both.any(axis=1), both.any()]
    labels = sorted({*both.index, *both.columns})
    counts = both.reindex(index=labels, columns=labels, fill_value=0).to_numpy()
    with np.errstate(invalid="ignore"):  # all documents have one label
        kappas = [
            kappa(counts, wt=weights, return_results=False) for weights in (None, "quadratic")
        ]
    documents = both.sum(axis=1)
    left = both @ both.columns.to_numpy(dtype=np.float64) - documents * both.index
    row = {
        "judge": judge,
        "documents": int(documents.sum()),
        "equal": np.trace(counts) / documents.sum(),
        "kappa": kappas[0],
        "weighted_kappa": kappas[1],
        "mean_difference": left.sum() / documents.sum(),
    }
    columns = {"level": both.index, "documents": documents, "mean_difference": left / documents}
    return row, pd.DataFrame(columns).assign(judge=judge)[["judge", *columns]]


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


@checked
def calibrated_gains(
    qrels: Qrels,
    reference: Qrels,
    *,
    gains: Weighting | str | Mapping[Any, Any] | None = None,
    counts: bool = False,
) -> Any:
    r"""Return the gain of a judge's labels: the mean gain that people gave.

    The gain of label l is :math:`\frac{1}{|D_l|} \sum_{d \in D_l} g(d)`: the
    mean, over the documents to which the judge gave l and which the reference
    judged as well, of the gain of the reference's label. With these gains CG
    and DCG have the expectation of those by the reference, if the judge errs
    alike for the documents of all systems; a system that was built with the
    judge is still favoured.

    Parameters
    ----------
    qrels
        The qrels of the judge, in any form of :func:`pt_cumgain.evaluate`.
    reference
        Those of the people, for some of the documents.
    gains
        The gains of the reference's labels, as in ``nDCG(gains=)``; by default
        the labels.
    counts
        Return a frame of ``level``, ``documents`` and ``gain`` instead.

    Returns
    -------
    Weighting or pandas.DataFrame
        To be used as ``nDCG(gains=...)`` with the judge's qrels.

    Raises
    ------
    ValueError, TypeError
        If no document with one of the judge's labels was judged by the
        reference, or qrels or gains cannot be used.

    Warns
    -----
    UserWarning
        If a label has fewer than ten such documents, or a higher label has a
        lower gain.

    Examples
    --------
    >>> rows = [("1", f"d{i}", i % 2, i % 4 > 1) for i in range(40)]
    >>> qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "people"])
    >>> people = qrels.assign(label=2 * qrels["label"] + qrels["people"])
    >>> calibrated_gains(qrels, people)
    Weighting.parse({0: 0.5, 1: 2.5})
    """
    by_judge, people = judged_documents(qrels), judged_documents(reference)
    weighting = Weighting() if gains is None else Weighting.parse(gains)
    people = people.assign(gain=weighting.gain(people["label"])).drop(columns="label")
    both = by_judge.merge(people, on=["qid", "docno"])
    groups = both.groupby("label")["gain"]
    frame = groups.agg(documents="size", gain="mean").rename_axis("level").reset_index()
    if unknown := sorted(set(by_judge["label"]) - set(both["label"])):
        raise ValueError(
            f"the reference has judged no document with the judge's label {number(unknown[0])}, so "
            "its gain is unknown; judge some, or change the label"
        )
    few = frame[frame["documents"] < FEW_DOCUMENTS]
    if len(few):
        texts = [f"{number(level)} ({count:.0f})" for level, count in few.iloc[:, :2].to_numpy()]
        warn(
            f"fewer than {FEW_DOCUMENTS} documents have the judge's label {', '.join(texts)}; the "
            "mean of their gains says little"
        )
    if not frame["gain"].is_monotonic_increasing:
        texts = [f"{number(level)}: {gain:.3g}" for level, _, gain in frame.to_numpy()]
        warn(f"a higher label of the judge has a lower gain ({', '.join(texts)})")
    frame["level"] = frame["level"].map(number)
    return frame if counts else Weighting.parse(dict(zip(frame["level"], frame["gain"])))
