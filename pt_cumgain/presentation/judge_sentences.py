"""Sentences about judges for papers: agreement, conclusions, rectified values."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.pairs import TESTS
from pt_cumgain.analysis.judges.agreement import JudgeAgreement
from pt_cumgain.analysis.judges.conclusions import JudgeComparison
from pt_cumgain.analysis.judges.rectified import LEAST_ERRORS
from pt_cumgain.analysis.results import DATASET, MACRO_MEAN, find_blocks
from pt_cumgain.options import PAIR_TESTS
from pt_cumgain.presentation.phrases import (
    PHRASES,
    fill_phrase,
    join_words,
    write_correction,
    write_number,
    write_p,
)

#: How many pairs of systems are named under a judge and a measure.
_NAMED = 3


#: What functions about systems and judges find.
Findings: TypeAlias = JudgeAgreement | JudgeComparison | pd.DataFrame


def describe_judges(judges: Findings, places: int = 3) -> list[str]:
    """Return a sentence for each row of a result about judges, and one for all rows."""
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
            **{name: write_number(x, 2) for name, x in row.items() if "kappa" in name},
        }
        sentences.append(_fill("agreement", {**row, **words}))
        for judge, labels in ((row["judge"], "only_judge"), (reference, "only_reference")):
            if row[labels]:
                alone = join_words(list(map(str, row[labels])))
                other = row["judge"] if judge == reference else reference
                sentences.append(_fill("only", {"judge": judge, "other": other, "labels": alone}))
    judges = join_words([reference, *agreement.tables])
    alpha = write_number(agreement.alpha, 2)
    level = f"{100 * agreement.confidence:g}"
    return [*sentences, _fill("alpha", {"judges": judges, "alpha": alpha, "confidence": level})]


def _write_comparison(comparison: JudgeComparison, places: int) -> list[str]:
    sentences, options, pairs = [], comparison.options, comparison.pairs
    test = f"p < {options['alpha']:g}, {PAIR_TESTS[options['test']]}"
    if options["baseline"] is not None:
        test += f" against {join_words(list(map(str, pairs['other'].unique())))}"
    test += write_correction(options["correction"]) * (not TESTS[options["test"]].corrects)
    test += ", over groups of topics" * (options.get("cluster") is not None)
    shared = {"reference": comparison.reference, "test": test}
    shared["confidence"] = f"{100 * options['confidence']:g}"
    judges: Any = _name_measures(comparison.judges).to_dict("records")
    for row in judges:
        taus = {name: write_number(row[name], 2) for name in ("tau_b", "tau_ap")}
        sentences.append(_fill("comparison", {**row, **taus, **shared}))
    first = pairs[pairs["judge"] == pairs["judge"].iloc[0]]
    others = first if len(first) < len(pairs) else first.head(0)  # one judge's row has these counts
    measure: Any
    for measure, rows in _name_measures(others).groupby("measure", sort=False):
        counts = {"measure": measure, "holds": int(rows["holds"].sum()), "pairs": len(rows)}
        sentences.append(_fill("holds", counts))
    for row, (_, rows) in zip(judges, pairs.groupby(find_blocks(pairs), sort=False)):
        words = {**shared, **row, "slope": write_number(row["slope"], 2)}
        slope = "slopes" if row.get(DATASET) == MACRO_MEAN else "slope"
        none = np.isnan(row["slope"]) and slope == "slope"
        words["beyond"] = _fill("no_slope" if none else slope, words)
        apart = rows[(rows["favour_low"] > 0) | (rows["favour_high"] < 0)]
        words |= {"apart": len(apart), "largest": ""}
        if len(apart):
            apart = apart.sort_values("favour", key=abs, ascending=False).head(_NAMED)
            largest = [_fill("change", pair) for pair in _write_numbers(apart, places)]
            words["largest"] = f"; the largest: {', '.join(largest)}"
        sentences.append(_fill("favour", words))
    return [*sentences, _fill("favours", shared)]


def _write_rectified(frame: pd.DataFrame, places: int) -> list[str]:
    if "reference" not in frame.attrs:
        raise ValueError("the frame does not say who judged; give the frame that rectify returned")
    reference, key = frame.attrs["reference"], "means" if "mean" in frame else "differences"
    sentences, column = [], key[:-1]
    for (judge, topics, more), rows in _name_measures(frame).groupby(
        ["judge", "topics", "judge_topics"], sort=False
    ):
        words = {"reference": reference, "topics": topics, "more": more, "judge": judge}
        records: Any = rows.to_dict("records")
        for row, numbers in zip(records, _write_numbers(rows, places)):
            numbers |= {"worth": f"{row['worth']:.0f}", "p": write_p(row.get("p_corrected", 1.0))}
            numbers |= {"own": numbers[column], "judged": numbers[f"judge_{column}"], **words}
            basis = _fill("used" if row["weight"] else "unused", numbers)
            sentences.append(_fill(key, {**numbers, "basis": basis}))
        words["confidence"] = f"{100 * frame.attrs['confidence']:g}"
        corrected = write_correction(frame.attrs["correction"]).removeprefix(",")
        words["p"] = f"; p{corrected}" * (key != "means")
        words |= {"errors": LEAST_ERRORS, "dataset": " of a dataset" * ("dataset" in frame)}
        sentences.append(_fill("rectified", words))
        sentences += [_fill("rule", words)] * bool((rows["weight"] == 0).any())
    return sentences


def _write_numbers(rows: Any, places: int) -> list[dict[str, Any]]:
    """Return the rows, their floats with so many decimals."""
    return [
        {k: write_number(x, places) if isinstance(x, float) else x for k, x in row.items()}
        for row in rows.to_dict("records")
    ]


def _name_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of datasets before those of measures."""
    if "dataset" not in frame:
        return frame
    return frame.assign(measure=frame["dataset"] + " " + frame["measure"])


def _fill(key: str, values: dict[str, Any]) -> str:
    return fill_phrase(PHRASES["judges"][key], **values)
