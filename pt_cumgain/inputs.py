"""What users pass in, brought to one form: measures, qrels, frames of either naming, paths."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pandas as pd
from ir_measures import Measure, parse_measure

from pt_cumgain import trec

TO_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TO_IR_MEASURES = {theirs: ours for ours, theirs in TO_PYTERRIER.items()}


def parsed(measures: Iterable[Measure | str] | Measure | str) -> list[Any]:
    """Return measures given as objects or text, also a single one, as a list of measures."""
    given: list[Any]
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        given = [measures]
    else:
        given = list(measures)
    if wrong := [measure for measure in given if not isinstance(measure, (str, Measure))]:
        raise TypeError(f"{wrong[0]!r} is no measure; give measures or their text, such as 'CG@10'")
    return [m if isinstance(m, Measure) else parse_measure(m) for m in given]


def is_path(given: Any) -> bool:
    """Tell whether something is a path."""
    return isinstance(given, (str, os.PathLike))


def renamed(data: Any) -> Any:
    """Give a PyTerrier frame the names of ir-measures."""
    if isinstance(data, pd.DataFrame) and "query_id" not in data:
        return data.rename(columns=TO_IR_MEASURES)
    return data


def qrels_of(given: Any) -> Any:
    """Return qrels in a form of ir-measures; of a path, what the file holds."""
    return trec.read_qrels(given) if is_path(given) else renamed(given)
