"""Sentences and tables about judges: agreement, conclusions, rectified values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

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
    write_end,
    write_number,
    write_numbers,
    write_p,
)
from pt_cumgain.presentation.rendering import Table, tabulate

#: How many pairs of systems are named under a judge and a measure.
_NAMED = 3


#: Results of functions about systems and judges.
Findings: TypeAlias = JudgeAgreement | JudgeComparison | pd.DataFrame


def describe_judges(judges: Findings, places: int = 3) -> list[str]:
    """Return a sentence for each row of a result about judges, and one for all rows."""
    sentences = []
    for part in _read_parts(judges, places):
        sentences += [_fill(part.kind, row) for row in part.rows]
        if part.kind == "comparison":
            *holds, favours = part.notes
            sentences += [*holds, *(_fill("favour", row) for row in part.rows), favours]
        else:
            sentences += part.notes
    return sentences


def tabulate_judges(judges: Findings, places: int = 3) -> list[Table]:
    """Return the tables of a result about judges; significant differences come first."""
    tables = []
    for part in _read_parts(judges, places):
        *_, kind = (key for key in ("rectified", part.kind) if key in PHRASES["judges"]["notes"])
        notes = [fill_phrase(PHRASES["judges"]["notes"][kind], **part.rows[0]), *part.notes]
        columns = PHRASES["judges"]["tables"][part.kind]
        rows = sorted(part.rows, key=lambda row: row.get("better") == "")
        tables.append(tabulate("", rows, part.label, columns, notes))
    return tables


class _Part(NamedTuple):
    """Rows of values for a phrase or a table: kind, label, and the notes on all rows."""

    kind: str
    label: str
    rows: Sequence[dict[str, Any]]
    notes: Sequence[str]


def _read_parts(judges: Findings, places: int) -> list[_Part]:
    if isinstance(judges, JudgeAgreement):
        return [_read_agreement(judges)]
    if isinstance(judges, JudgeComparison):
        return [_read_comparison(judges, places)]
    return _read_rectified(judges, places)


def _read_agreement(agreement: JudgeAgreement) -> _Part:
    rows: Any = agreement.judges.to_dict("records")
    notes, reference = [], agreement.reference
    for row in rows:
        row |= {
            "reference": reference,
            "equal": f"{round(row['equal'] * row['documents']):,}",
            "documents": f"{row['documents']:,}",
            "mean_difference": "+" * (row["mean_difference"] > 0)
            + write_end(row["mean_difference"], 2),
            **{name: write_number(x, 2) for name, x in row.items() if "kappa" in name},
        }
        for judge, labels in ((row["judge"], "only_judge"), (reference, "only_reference")):
            if row[labels]:
                alone = join_words(list(map(str, row[labels])))
                other = row["judge"] if judge == reference else reference
                notes.append(_fill("only", {"judge": judge, "other": other, "labels": alone}))
    judges = join_words([reference, *agreement.tables])
    alpha = write_number(agreement.alpha, 2)
    level = f"{100 * agreement.confidence:g}"
    notes.append(_fill("alpha", {"judges": judges, "alpha": alpha, "confidence": level}))
    return _Part("agreement", "{judge}", rows, notes)


def _read_comparison(comparison: JudgeComparison, places: int) -> _Part:
    notes, options, pairs = [], comparison.options, comparison.pairs
    test = f"p < {options['alpha']:g}, {PAIR_TESTS[options['test']]}"
    if options["baseline"] is not None:
        test += f" against {join_words(list(map(str, pairs['other'].unique())))}"
    several = bool(pairs.duplicated(blocks := find_blocks(pairs)).any())
    if not TESTS[options["test"]].corrects:
        test += write_correction(options["correction"], several)
    test += ", over groups of topics" * (options.get("cluster") is not None)
    shared = {"reference": comparison.reference, "test": test}
    shared["confidence"] = f"{100 * options['confidence']:g}"
    first = pairs[pairs["judge"] == pairs["judge"].iloc[0]]
    others = first if len(first) < len(pairs) else first.head(0)  # one judge's row has these counts
    measure: Any
    for measure, rows in _name_measures(others).groupby("measure", sort=False):
        counts = {"measure": measure, "holds": int(rows["holds"].sum()), "pairs": len(rows)}
        notes.append(_fill("holds", counts))
    judges: Any = _name_measures(comparison.judges).to_dict("records")
    for row, (_, rows) in zip(judges, pairs.groupby(blocks, sort=False)):
        slope = "slopes" if row.get(DATASET) == MACRO_MEAN else "slope"
        none = np.isnan(row["slope"]) and slope == "slope"
        row |= shared | {x: write_number(row[x], 2) for x in ("tau_b", "tau_ap", "slope")}
        row["beyond"] = _fill("no_slope" if none else slope, row)
        apart = rows[(rows["favour_low"] > 0) | (rows["favour_high"] < 0)]
        largest = apart.sort_values("favour", key=abs, ascending=False).head(_NAMED)
        named = ", ".join(_fill("change", pair) for pair in write_numbers(largest, places))
        row |= {"apart": len(apart), "largest": f"; the largest: {named}" * bool(named)}
    return _Part("comparison", "{measure}, {judge}", judges, [*notes, _fill("favours", shared)])


def _read_rectified(frame: pd.DataFrame, places: int) -> list[_Part]:
    if "reference" not in frame.attrs:
        raise ValueError("the frame does not say who judged; give the frame that rectify returned")
    reference, key = frame.attrs["reference"], "means" if "mean" in frame else "differences"
    parts, column = [], key[:-1]
    several = bool(frame.duplicated(find_blocks(frame)).any())
    for (judge, topics, more), rows in _name_measures(frame).groupby(
        ["judge", "topics", "judge_topics"], sort=False
    ):
        words = {"reference": reference, "topics": topics, "more": more, "judge": judge}
        records: Any = rows.to_dict("records")
        numbered = write_numbers(rows, places)
        for row, numbers in zip(records, numbered):
            p = write_p(row.get("p_corrected", 1.0))
            numbers |= {"worth": f"{row['worth']:.0f}", "p": p, "p_value": p.lstrip("p= "), **words}
            numbers |= {"own": numbers[column], "judged": numbers[f"judge_{column}"]}
            numbers["basis"] = _fill("used" if row["weight"] else "unused", numbers)
        words["confidence"] = f"{100 * frame.attrs['confidence']:g}"
        corrected = write_correction(frame.attrs["correction"], several).removeprefix(",")
        words["p"] = f"; p{corrected}" * (key != "means" and corrected != "")
        words["uncorrected"] = ", uncorrected" * several
        words |= {"errors": LEAST_ERRORS, "dataset": " of a dataset" * ("dataset" in frame)}
        notes = [_fill("rectified" if rows["weight"].any() else "alone", words)]
        notes += [_fill("rule", words)] * bool((rows["weight"] == 0).any())
        pair = "{measure}: {name}" + " - {other}" * (key != "means")
        parts.append(_Part(key, pair, numbered, notes))
    return parts


def _name_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of datasets before those of measures."""
    if "dataset" not in frame:
        return frame
    return frame.assign(measure=frame["dataset"] + " " + frame["measure"])


def _fill(key: str, values: dict[str, Any]) -> str:
    return fill_phrase(PHRASES["judges"][key], **values)
