"""What a paper says of judges: agreement, conclusions, rectified values."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.analysis.judges.agreement import JudgeAgreement
from pt_cumgain.analysis.judges.conclusions import JudgeComparison
from pt_cumgain.options import PAIR_TESTS
from pt_cumgain.presentation.phrases import (
    PHRASES,
    fill_phrase,
    join_words,
    write_correction,
    write_number,
    write_p,
)

#: How many favoured systems are named under a judge and a measure.
_NAMED = 3


def describe_judges(
    judges: JudgeAgreement | JudgeComparison | pd.DataFrame, places: int = 3
) -> list[str]:
    """Return a sentence for each row of what judges gave, and what all rows share."""
    if isinstance(judges, JudgeAgreement):
        return _write_agreement(judges)
    if isinstance(judges, JudgeComparison):
        return _write_comparison(judges, places)
    return _write_rectified(judges, places)


def _write_agreement(agreement: JudgeAgreement) -> list[str]:
    rows: Any = agreement.judges.to_dict("records")
    sentences, reference = [], agreement.reference
    for row in rows:
        words = {
            "reference": reference,
            "equal": f"{round(row['equal'] * row['documents']):,}",
            "documents": f"{row['documents']:,}",
            "mean_difference": f"{row['mean_difference']:+.2f}",
            **{name: write_number(row[name], 2) for name in ("kappa", "weighted_kappa")},
        }
        sentences.append(_fill("agreement", {**row, **words}))
        for judge, labels in ((row["judge"], "only_judge"), (reference, "only_reference")):
            if row[labels]:
                alone = join_words(list(map(str, row[labels])))
                other = row["judge"] if judge == reference else reference
                sentences.append(_fill("only", {"judge": judge, "other": other, "labels": alone}))
    judges = join_words([reference, *agreement.tables])
    alpha = write_number(agreement.alpha, 2)
    return [*sentences, _fill("alpha", {"judges": judges, "alpha": alpha})]


def _write_comparison(comparison: JudgeComparison, places: int) -> list[str]:
    sentences, options, pairs = [], comparison.options, comparison.pairs
    corrected, alpha = write_correction(options["correction"]), options["alpha"]
    test = f"p < {alpha:g}, {PAIR_TESTS[options['test']]}"
    if options["baseline"] is not None:
        test += f" against {join_words(list(map(str, pairs['other'].unique())))}"
    test += corrected * (not TESTS[options["test"]].corrects)
    shared = {"reference": comparison.reference, "test": test, "corrected": corrected}
    shared["confidence"] = f"{100 * options['confidence']:g}"
    judges: Any = _name_measures(comparison.judges).to_dict("records")
    for row in judges:
        taus = {name: write_number(row[name], 2) for name in ("tau_b", "tau_ap")}
        sentences.append(_fill("comparison", {**row, **taus, **shared}))
    first = pairs[pairs["judge"] == pairs["judge"].iloc[0]]
    others = first if len(first) < len(pairs) else first.head(0)  # of one judge it has been said
    measure: Any
    for measure, rows in _name_measures(others).groupby("measure", sort=False):
        counts = {"measure": measure, "holds": int(rows["holds"].sum()), "pairs": len(rows)}
        sentences.append(_fill("holds", counts))
    for (judge, measure), rows in _name_measures(pairs).groupby(["judge", "measure"], sort=False):
        favoured = rows[rows["favour_p"] < alpha].sort_values("favour", key=abs, ascending=False)
        words = {**shared, "judge": judge, "measure": measure, "more": len(favoured) - _NAMED}
        sentences += [] if len(favoured) else [_fill("fair", words)]
        for row in favoured.head(_NAMED).to_dict("records"):
            sentences.append(_fill("favour", {**words, **_turn(row, places)}))
        sentences += [_fill("more", words)] if len(favoured) > _NAMED else []
    named = (pairs["favour_p"] < alpha).any()
    return [*sentences, *[_fill("favours", shared)] * bool(named)]


def _turn(row: Any, places: int) -> dict[str, str]:
    """Return a pair in the order in which the judge favours its first system."""
    names, ends = ["name", "other"], [row["favour_low"], row["favour_high"]]
    if row["favour"] < 0:
        names, ends = names[::-1], [-end for end in ends[::-1]]
    low, high = (write_number(end, places) for end in ends)
    favour = {"favour": f"{abs(row['favour']):.{places}f}", "low": low, "high": high}
    return {"name": row[names[0]], "other": row[names[1]], "p": write_p(row["favour_p"]), **favour}


def _write_rectified(frame: pd.DataFrame, places: int) -> list[str]:
    if "reference" not in frame.attrs:
        raise ValueError("the frame does not say who judged; give the frame that rectify returned")
    reference, key = frame.attrs["reference"], "means" if "mean" in frame else "differences"
    sentences = []
    for (judge, topics, more), rows in _name_measures(frame).groupby(
        ["judge", "topics", "judge_topics"], sort=False
    ):
        words = {"reference": reference, "topics": topics, "more": more, "judge": judge}
        records: Any = rows.to_dict("records")
        for row in records:
            numbers = {k: write_number(x, places) for k, x in row.items() if isinstance(x, float)}
            numbers |= {"worth": f"{row['worth']:.0f}", "p": write_p(row.get("p_corrected", 1.0))}
            sentences.append(_fill(key, {**row, **numbers, **words}))
        words["confidence"] = f"{100 * frame.attrs['confidence']:g}"
        words["corrected"] = write_correction(frame.attrs["correction"]) * (key != "means")
        sentences.append(_fill("rectified", words))
    return sentences


def _name_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of datasets before those of measures."""
    if "dataset" not in frame:
        return frame
    return frame.assign(measure=frame["dataset"] + " " + frame["measure"])


def _fill(key: str, values: dict[str, Any]) -> str:
    return fill_phrase(PHRASES["judges"][key], **values)
