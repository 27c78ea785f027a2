"""Tab-separated files with a head, such as BEIR's ``qrels/test.tsv``.

BEIR writes and reads them by Python's ``csv``, with quotes where a field needs them:
https://github.com/beir-cellar/beir/blob/main/beir/datasets/data_loader.py
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from pt_cumgain.engine.rows import SESSION_COLUMNS
from pt_cumgain.environment import extras
from pt_cumgain.environment.extras import pd
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.formats.trec import convert_labels
from pt_cumgain.inputs.frames import NAMES_OF_IDS, choose_columns

SUFFIXES = (".tsv",)


def reads(path: Path) -> bool:
    """Return whether a path is of this format: MS MARCO's TREC qrels are .tsv without a head."""
    return lines.suffix_of(path) in SUFFIXES and not NAMES_OF_IDS.isdisjoint(_read_head(path))


def read_batches(path: Path, _rows: int | None, value: str) -> Iterator[pd.DataFrame]:
    """Yield the run or the qrels in one frame."""
    csv, names = extras.pyarrow("pyarrow.csv"), choose_columns(_read_head(path), value)
    types = {"score": "float64", "relevance": "float64", **dict.fromkeys(SESSION_COLUMNS, "int64")}
    with lines.open_text(path, path) as file:
        table = csv.read_csv(
            file,
            parse_options=csv.ParseOptions(delimiter="\t"),
            convert_options=csv.ConvertOptions(
                include_columns=list(names),
                column_types={theirs: types.get(ours, "string") for theirs, ours in names.items()},
                null_values=[],
            ),
        )
    frame = table.to_pandas().rename(columns=names)
    if value == "relevance":
        frame[value] = convert_labels(frame[value].to_numpy())
    yield frame


def _read_head(path: Path) -> list[str]:
    with lines.open_text(path, path) as file:
        head = file.readline().removeprefix(BOM_UTF8).decode(errors="replace")
    return [name.strip('"') for name in head.rstrip("\r\n").split("\t")]
