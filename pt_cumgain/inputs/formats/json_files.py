"""JSON of topic, document, and score or label, and the predictions that programs save.

- pytrec_eval's dicts, BEIR's results, ranx's files: ``{topic: {document: number}}``, by ranx
  as ``.lz4`` in CBOR, compressed twice (https://github.com/AmenRa/ranx/blob/master/ranx/io.py);
- MTEB's predictions: ``{"mteb_model_meta": ..., subset: {split: {topic: {document: score}}}}``, in
  https://github.com/embeddings-benchmark/mteb/blob/main/mteb/abstasks/abstask.py;
- a judgment or a row of a run in each line, with the columns that frames may have, as
  ``ir_datasets export --format jsonl`` writes;
- sentence-transformers' predictions, a line for each topic, ``{"query_id": ..., "results":
  [{"corpus_id": ..., "score": ...}, ...]}``, from its ``InformationRetrievalEvaluator``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import NAMES_OF_IDS, refuse_choice
from pt_cumgain.inputs.grouping import collect_columns, to_table

#: The suffixes of files with an object in each line.
_LINES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *_LINES)
#: The first bytes of a file of ranx after one decompression.
_LZ4 = b"\x04\x22\x4d\x18"
#: How a file of any name begins: JSON of objects, or ranx's.
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|\[\s*\{)|" + re.escape(_LZ4))
#: The entry of MTEB's predictions beside those by subset and split.
_MTEB = "mteb_model_meta"


def reads(path: Path) -> bool:
    """Return whether a path is of this format."""
    return lines.suffix_of(path) in SUFFIXES or bool(_BEGIN.match(lines.read_begin(path)))


def read_batches(path: Path, _rows: int | None, value: str, chosen: str = "") -> Iterator[object]:
    """Yield the run or the qrels in one table."""
    with lines.open_text(path, path) as file:
        text = file.read()
    try:
        data, where = _parse(text, lines.suffix_of(path) in _LINES)
        if isinstance(data, list) and "results" not in data[0]:
            columns, names = collect_columns(data, value, chosen)
        else:
            refuse_choice(chosen)
            columns = _list_rows(_read_predictions(data, value), value)
            names = {name: name for name in columns}
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as error:
        raise ValueError(
            "this is neither JSON of topic, document and number nor the predictions of MTEB or "
            "sentence-transformers (MTEB's results are means over topics); it begins with "
            f"{text[:40]!r}"
        ) from error
    yield to_table(columns, names, where)


def _list_rows(data: Mapping[str, Mapping[str, object]], value: str) -> dict[str, list[Any]]:
    """Return the columns of a dict of documents by topic."""
    topics: list[str] = []
    documents: list[str] = []
    held: list[object] = []
    for topic, numbers_of in data.items():
        if value != "score" and not numbers_of:  # a table cannot hold such a topic
            raise ValueError(f"the topic {show(topic)} has no judgments")
        topics += [topic] * len(numbers_of)
        documents += numbers_of
        held += numbers_of.values()
    return {"query_id": topics, "doc_id": documents, value: held}


def _parse(text: bytes, by_line: bool) -> tuple[Any, Callable[[int], str]]:
    """Return what a file holds, the objects in its lines as a list, and where in it a row is."""
    if text.startswith(_LZ4):
        lz4 = extras.load("lz4.frame", "files in lz4 need lz4")
        cbor2 = extras.load("cbor2", "the .lz4 files of ranx need cbor2")
        return cbor2.loads(lz4.decompress(text)), "row {}".format
    if not by_line:
        try:
            data = json.loads(text, object_pairs_hook=_join)
            is_row = isinstance(data, dict) and NAMES_OF_IDS & {*data}
            if is_row and not any(isinstance(field, dict) for field in data.values()):
                data = [data]
            return data, "row {}".format
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":  # which follows the object in the first line
                raise
    rows, numbers = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(dict(json.loads(line, object_pairs_hook=_join)))
            except (RecursionError, TypeError, ValueError) as error:
                raise ValueError(f"line {number}: {error}") from None
            numbers.append(number)
    return rows, lambda row: f"line {numbers[row]}"


def _read_predictions(data: Any, value: str) -> Any:
    """Return the dict of a file, of topics by their dicts; predictions are a run."""
    if value != "score" and (isinstance(data, list) or _MTEB in data):
        raise ValueError("these are predictions, which are a run, not qrels")
    if isinstance(data, list):
        pairs = []
        for row in data:
            documents = _join([(found["corpus_id"], found["score"]) for found in row["results"]])
            pairs.append((row["query_id"], documents))
        return _join(pairs)
    if _MTEB not in data:
        return data
    runs = [run for name in data if name != _MTEB for run in data[name].values()]
    if len(runs) != 1:
        raise ValueError(f"MTEB's predictions of {len(runs)} subsets and splits; give those of one")
    return runs[0]


def _join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict; refuse a key that is there twice, which would hide its first value."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{show(max(keys, key=keys.count))} appears twice in one object")
    return data
