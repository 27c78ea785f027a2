"""Whatever users pass as a run or as qrels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs import formats
from pt_cumgain.inputs.frames import as_frame, rename_columns, require_columns
from pt_cumgain.inputs.topics import warn_of_unjudged

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: A run: a frame with PyTerrier's or ir-measures' columns, a dict of scores by topic and document,
#: the records of ir-measures, or the path of a file.
Run: TypeAlias = Union[
    "pd.DataFrame", Mapping[str, Mapping[str, float]], Iterable[Any], str, os.PathLike[str]
]  # pandas is imported when it is used
#: Qrels, in the same forms; those of ir_datasets are records.
Qrels: TypeAlias = Run


def is_path(value: Any) -> TypeIs[str | os.PathLike[str]]:
    """Return whether something is a path; refuse an empty one, which would be this folder."""
    if isinstance(value, str) and not value:
        raise ValueError("the path is empty; give the name of a file")
    return isinstance(value, (str, os.PathLike))


def qrels_of(source: Qrels, topics: pd.DataFrame | None = None) -> Any:
    """Return qrels in a form of ir-measures; if given a path or an ir_datasets id, read them.

    If topics are given, as to ``pt.Experiment``, return only their judgments; warn of topics that
    have none.
    """
    read = is_path(source)
    qrels = formats.read_qrels(source) if read else rename_columns(source, "relevance")
    if topics is None:
        return qrels
    require_columns(topics, ["qid"], "topics")
    qrels = as_frame(qrels)
    require_columns(qrels, ["query_id", "doc_id", "relevance"], "qrels")
    kept = qrels[qrels["query_id"].isin(set(topics["qid"]))]
    if len(qrels) and not len(kept):
        raise ValueError("the topics and the qrels have no qid in common")
    judged = set(kept["query_id"])
    if missing := [str(qid) for qid in dict.fromkeys(topics["qid"]) if qid not in judged]:
        warn_of_unjudged(missing)
    return kept


def has_pyterriers_names(qrels: Qrels) -> bool:
    """Return whether a function that changes qrels returns them with PyTerrier's names."""
    return is_path(qrels) or (isinstance(qrels, pd.DataFrame) and "query_id" not in qrels)
