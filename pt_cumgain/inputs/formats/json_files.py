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
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from pt_cumgain.engine.arrow import number_array, text_array
from pt_cumgain.environment import extras
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import OTHERS, choose_columns, numbers, refuse_choice
from pt_cumgain.inputs.ids import Ids, object_array

#: The suffixes of files with an object in each line.
_LINES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *_LINES)
#: The first bytes of a file of ranx after one decompression.
_LZ4 = b"\x04\x22\x4d\x18"
#: The entry of MTEB's predictions beside those by subset and split.
_MTEB = "mteb_model_meta"


def reads(path: Path) -> bool:
    """Return whether a path is of this format."""
    if path.suffix == ".lz4":
        with lines.open_text(path, path) as file:
            if file.read(len(_LZ4)) == _LZ4:
                return True
    return lines.suffix_of(path) in SUFFIXES


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[Any]:
    """Yield the run or the qrels in one table."""
    with lines.open_text(path, path) as file:
        text = file.read()
    by_line = lines.suffix_of(path) in _LINES
    if by_line and b'"results"' not in text.partition(b"\n")[0]:
        yield _read_rows(text, value)
        return
    refuse_choice(value)
    try:
        topics, documents, held = _list_rows(_parse(text, by_line, value), value)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            "this is neither JSON of topic, document and number nor the predictions of MTEB or "
            "sentence-transformers (MTEB's results are means over topics); it begins with "
            f"{text[:40]!r}"
        ) from error
    columns = {
        "query_id": text_array(topics),
        "doc_id": text_array(documents),
        value: _read_numbers(held, value),
    }
    yield extras.pyarrow().table(columns)


def _list_rows(
    data: Mapping[str, Mapping[str, Any]], value: str
) -> tuple[list[str], list[str], list[Any]]:
    """Return the topic, the document and the number of each row of a dict of documents by topic."""
    topics: list[str] = []
    documents: list[str] = []
    held: list[Any] = []
    for topic, numbers_of in data.items():
        if value != "score" and not numbers_of:  # a table cannot hold such a topic
            raise ValueError(f"the topic {topic!r} has no judgments")
        topics += [topic] * len(numbers_of)
        documents += numbers_of
        held += numbers_of.values()
    return topics, documents, held


def _read_rows(text: bytes, value: str) -> Any:
    """Return a table of the rows in JSON Lines; ids may be numbers in some, and labels texts."""
    rows = _parse_lines(text)
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {}
    for name, theirs in choose_columns(names, value).items():
        held = [row.get(theirs) for row in rows]
        if name in ("query_id", "doc_id", "iteration"):
            ids = Ids(object_array(held), theirs)
            columns[name] = text_array(ids.take(slice(None)))
        elif name in OTHERS:
            columns[name] = text_array([str(text) for text in held])
        elif name != "rank" or all(isinstance(rank, (int, float)) for rank in held):
            columns[name] = _read_numbers(held, name)
    return extras.pyarrow().table(columns)


def _read_numbers(held: list[Any], what: str) -> Any:
    """Return an array of numbers; refuse truth values, and texts that TREC files cannot hold."""
    for row, number in enumerate(held):
        is_text = isinstance(number, str)
        if isinstance(number, bool) or (is_text and not lines.SIGNS.fullmatch(number)):
            raise ValueError(f"{what} must be numbers, but row {row} holds {number!r}")
    return number_array(numbers(held, what))


def _parse_lines(text: bytes) -> list[dict[str, Any]]:
    """Return the object in each line that is not empty."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(dict(json.loads(line, object_pairs_hook=_join)))
            except (TypeError, ValueError) as error:
                raise ValueError(f"line {number}: {error}") from None
    return rows


def _parse(text: bytes, by_line: bool, value: str) -> Any:
    """Return the dict of a file, of topics by their dicts; predictions are a run."""
    if text.startswith(_LZ4):
        lz4 = extras.load("lz4.frame", "files in lz4 need lz4")
        return extras.load("cbor2", "the .lz4 files of ranx need cbor2").loads(lz4.decompress(text))
    if by_line:
        pairs = []
        for row in _parse_lines(text):
            documents = _join([(found["corpus_id"], found["score"]) for found in row["results"]])
            pairs.append((row["query_id"], documents))
        data = _join(pairs)
    else:
        data = json.loads(text, object_pairs_hook=_join)
    if value != "score" and (by_line or _MTEB in data):
        raise ValueError("these are predictions, which are a run, not qrels")
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
        raise ValueError(f"{max(keys, key=keys.count)!r} appears twice in one object")
    return data
