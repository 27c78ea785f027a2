"""Comparisons under every choice, as tables for the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from pt_cumgain.engine.checks import these_topics
from pt_cumgain.options import PLACES
from pt_cumgain.writing.phrases import PHRASES, fill_phrase, write_end
from pt_cumgain.writing.rendering import Cell, Head, Table

#: The verdicts in the order of a table's rows.
VERDICTS = ["depends", "open", "holds", "unjudged"]


def tabulate_comparisons(
    frame: pd.DataFrame, over: str, places: int = PLACES, topics: int = 0
) -> list[Table]:
    """Return a table for each measure of a frame of :func:`pt_cumgain.dominance`.

    Comparisons that depend on the choice come first. If the number of topics is given, comparisons
    that hold are counted and not listed, and the largest differences come first.
    """
    wording = PHRASES["dominance"]
    tables = []
    for measure, pairs in frame.groupby("measure", sort=False):
        held, notes = (pairs["verdict"] == "holds") & bool(topics), []
        if held.any():
            words = {"held": held.sum(), "pairs": len(held), "topics": these_topics(topics)}
            note = fill_phrase(wording["held"], every=wording["every"][over], **words)
            notes = [note if not held.all() else f"{measure}: {note}"]
            pairs = pairs[~held].sort_values("difference", key=abs, ascending=False)
        pairs = pairs.sort_values("verdict", key=lambda x: x.map(VERDICTS.index), kind="stable")
        records: Any = pairs.to_dict("records")
        rows = [Head("{name} - {other}".format(**record)) for record in records]
        column = _name_column(pairs)
        cells = [_fill_cells(record, over, places)[: 2 if column else 1] for record in records]
        heads = [Head("difference", above=str(measure)), *([Head(column)] if column else [])]
        tables.append(Table(heads, rows, cells, notes))
    if any(table.rows for table in tables):
        below = fill_phrase(wording["row"]["below"], every=wording["every"][over])
        tables[-1] = replace(tables[-1], notes=[*tables[-1].notes, below])
    return tables


def _name_column(pairs: pd.DataFrame) -> str:
    """Return the head of the verdicts; empty if all depend on a choice that is not known."""
    depends = pairs["verdict"] == "depends"
    at = "depends: least at, most at" if (depends & (pairs["least_at"] != "")).any() else ""
    if depends.all():
        return at
    return f"verdict ({at})" if at else "verdict"


def _fill_cells(row: Mapping[str, Any], over: str, places: int) -> list[Cell]:
    """Return the cells of a comparison: the difference with its range, and the verdict."""
    ends = write_end(row["least"], places, 1), write_end(row["most"], places, -1)
    sign = ">" if row["better"] == row["name"] else "<"
    verdict = fill_phrase(PHRASES["dominance"]["row"][_find_phrase(row)], sign=sign)
    if row["verdict"] == "depends" and row["least_at"]:
        verdict = ", ".join(_write_choice(row[end], over) for end in ("least_at", "most_at"))
    difference = write_end(row["difference"], places)
    return [Cell(difference, interval=f"[{', '.join(ends)}]"), Cell("", interval=verdict)]


def _find_phrase(row: Mapping[str, Any]) -> str:
    """Return the key of the phrase for a comparison."""
    if row["verdict"] != "holds":
        return str(row["verdict"])
    if not row["better"]:
        return "equal"
    reached = row["least"] if row["better"] == row["name"] else row["most"]
    return "better" if reached else "as good"


def _write_choice(at: str, over: str) -> str:
    """Return the weighting or the discount at the end of a range."""
    wording = PHRASES["dominance"]["at"]
    gains, _, weights = at.rpartition("; ") if over != "gains" else (at, "", "")
    parts = [fill_phrase(wording["gains"], gains=gains)] if gains else []
    if weights:
        weight_list = weights.split(",")
        number = sum(weight != "0" for weight in weight_list)
        if set(weight_list[:number]) != {"1"}:
            key = "weights"
        elif number == len(weight_list):
            key = "flat"
        else:
            key = "cutoff" if number > 1 else "first"
        parts.append(fill_phrase(wording[key], number=number))
    return " ".join(parts)
