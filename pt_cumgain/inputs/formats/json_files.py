"""JSON of topic, document, and score or label, and the predictions that programs save.

- pytrec_eval's dicts, BEIR's results, ranx's files: ``{topic: {document: number}}``, by ranx
  as ``.lz4`` in CBOR, compressed twice (https://github.com/AmenRa/ranx/blob/master/ranx/io.py);
- MTEB's predictions: ``{"mteb_model_meta": ..., subset: {split: {topic: {document: score}}}}``, in
  https://github.com/embeddings-benchmark/mteb/blob/main/mteb/abstasks/abstask.py;
- a judgment or a row of a run in each line, with the columns that frames may have, as
  ``ir_datasets export --format jsonl`` writes (``rel`` is a label as well);
- sentence-transformers' predictions, a line for each topic, ``{"query_id": ..., "results":
  [{"corpus_id": ..., "score": ...}, ...]}``, from its ``InformationRetrievalEvaluator``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import choose_columns

SUFFIXES = (".json", ".jsonl")
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
    if lines.suffix_of(path) == ".jsonl" and b'"results"' not in text.partition(b"\n")[0]:
        frame = pd.DataFrame(
            json.loads(line, object_pairs_hook=_join) for line in text.splitlines() if line.strip()
        )
        frame = frame.rename(columns={"rel": "relevance"})
        chosen = choose_columns([str(name) for name in frame], value)
        frame = frame[list(chosen.values())].set_axis(list(chosen), axis=1)
        yield extras.pyarrow().Table.from_pandas(frame, preserve_index=False)
        return
    try:
        data = _parse(text, lines.suffix_of(path), value)
        lists = data.values()
        columns = {
            "query_id": np.repeat(np.array(list(data), dtype=object), list(map(len, lists))),
            "doc_id": list(chain.from_iterable(lists)),
            value: list(chain.from_iterable(documents.values() for documents in lists)),
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            "this is neither JSON of topic, document and number nor the predictions of MTEB or "
            "sentence-transformers (MTEB's results are means over topics); it begins with "
            f"{text[:40]!r}"
        ) from error
    if value != "score" and not all(lists):  # a frame cannot hold such a topic
        raise ValueError(f"the topic {next(t for t in data if not data[t])!r} has no judgments")
    yield extras.pyarrow().Table.from_pandas(pd.DataFrame(columns), preserve_index=False)


def _parse(text: bytes, suffix: str, value: str) -> Any:
    """Return the dict of a file, of topics by their dicts; predictions are a run."""
    if text.startswith(_LZ4):
        lz4 = extras.load("lz4.frame", "files in lz4 need lz4")
        return extras.load("cbor2", "the .lz4 files of ranx need cbor2").loads(lz4.decompress(text))
    if suffix == ".json":
        data = json.loads(text, object_pairs_hook=_join)
    else:
        records = [json.loads(line) for line in text.splitlines()]
        found = [[(d["corpus_id"], d["score"]) for d in record["results"]] for record in records]
        data = _join([(r["query_id"], _join(pairs)) for r, pairs in zip(records, found)])
    if value != "score" and (suffix == ".jsonl" or _MTEB in data):
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
