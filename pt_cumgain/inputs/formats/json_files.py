"""JSON of topic, document, and score or label, and the predictions that programs save.

- pytrec_eval's dicts, BEIR's results and what ranx saves: ``{topic: {document: number}}``;
- MTEB's predictions: ``{"mteb_model_meta": ..., subset: {split: {topic: {document: score}}}}``, in
  https://github.com/embeddings-benchmark/mteb/blob/main/mteb/abstasks/abstask.py;
- sentence-transformers' predictions, a line for each topic, ``{"query_id": ..., "results":
  [{"corpus_id": ..., "score": ...}, ...]}``, from its ``InformationRetrievalEvaluator``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.frames import flatten_dicts

SUFFIXES = (".json", ".jsonl")


def reads(path: Path) -> bool:
    """Return whether a path is of this format."""
    return lines.suffix_of(path) in SUFFIXES


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[pd.DataFrame]:
    """Yield the run or the qrels in one frame."""
    with lines.open_text(path, path) as file:
        text = file.read().decode()
    if lines.suffix_of(path) == ".jsonl":
        yield _read_predictions(text, value)
        return
    data = json.loads(text, object_pairs_hook=_refuse_repeated)
    if isinstance(data, dict) and "mteb_model_meta" in data:
        data = _choose_split(data, value)
    elif isinstance(data, dict) and {"task_name", "scores"} <= set(data):
        raise ValueError(
            "these are MTEB's scores of a task, which are means over topics; a run is what "
            "mteb.evaluate(..., prediction_folder=...) saves"
        )
    yield flatten_dicts(data, value)


def _read_predictions(text: str, value: str) -> pd.DataFrame:
    """Return the run that sentence-transformers saves."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            record = json.loads(line)
            rows += [(record["query_id"], d["corpus_id"], d["score"]) for d in record["results"]]
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                f"line {number} is not as sentence-transformers saves predictions: JSON with "
                "query_id, and results with corpus_id and score"
            ) from None
    _refuse_predictions(value)
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


def _choose_split(data: dict[str, Any], value: str) -> Any:
    """Return the only run in MTEB's predictions."""
    _refuse_predictions(value)
    subsets = {name: splits for name, splits in data.items() if name != "mteb_model_meta"}
    names = [(subset, split) for subset, splits in subsets.items() for split in splits]
    if len(names) != 1:
        listed = ", ".join(f"[{subset!r}][{split!r}]" for subset, split in names) or "none"
        raise ValueError(f"MTEB's predictions are of one subset and split, not {listed}; take one")
    return subsets[names[0][0]][names[0][1]]


def _refuse_predictions(value: str) -> None:
    if value == "relevance":
        raise ValueError("these are predictions, which are a run, not qrels")


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; a name that it has twice would hide what comes first."""
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{max(names, key=names.count)!r} appears twice in one object")
    return data
