"""The README's blocks and the tables in it that follow from the declarations.

``python -m tests.readme`` writes the tables.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from pt_cumgain import pydocs
from pt_cumgain.core import DISCOUNTS, DUPLICATES, QUERY_DISCOUNTS
from pt_cumgain.measures import MEASURES

README = Path(__file__).parents[1] / "README.md"


def blocks(kind: str) -> list[str]:
    """Return the fenced code blocks of a kind."""
    return re.findall(
        rf"^```{kind}\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


def place_files(folder: Path) -> None:
    """Put the files into a folder that the console blocks name."""
    for run in [
        *(pydocs.DATA / "runs").iterdir(),
        pydocs.DATA / "session_runs/bm25-earlier.res.gz",
    ]:
        shutil.copy(run, folder)
    qrels = pydocs.session_qrels().assign(iteration=0)[["qid", "iteration", "docno", "label"]]
    qrels.to_csv(folder / "session_qrels.txt", sep=" ", header=False, index=False)


def tables() -> dict[str, list[str]]:
    """Return the head of each generated table, with its rows."""
    parameters: dict = {}
    for name, measure in MEASURES.items():
        for parameter, info in measure.SUPPORTED_PARAMS.items():
            kinds = parameters.setdefault(parameter, {})
            kinds.setdefault((_default(info), _meaning(parameter, info)), []).append(name)
    rows = [
        f"| `{parameter}` | {_which(names)} | {default} | {meaning} |"
        for parameter, kinds in parameters.items()
        for (default, meaning), names in kinds.items()
    ]
    discounts = [
        f"| `{name}` | {d.text} | {'b' if d.takes_base else ''} | {d.source} |"
        for name, d in DISCOUNTS.items()
    ]
    query_discounts = [
        f"| `{name}` | {d.text} | {'bq' if d.takes_base else ''} | {d.source} |"
        for name, d in QUERY_DISCOUNTS.items()
    ]
    duplicates = [f"| `{name}` | {text} |" for name, text in DUPLICATES.items()]
    return {
        "| parameter | of | default | meaning |\n|---|---|---|---|": rows,
        "| `discount` | d(i) | base | source |\n|---|---|---|---|": discounts,
        "| `query_discount` | d_q(q) | base | source |\n|---|---|---|---|": query_discounts,
        "| `duplicates` | a document that several queries return earns |\n|---|---|": duplicates,
    }


def written(text: str) -> str:
    """Return the README with its tables as the declarations say."""
    for head, rows in tables().items():
        before, after = text[: text.index(head)], text[text.index(head) :]
        text = before + "\n".join([head, *rows]) + "\n\n" + after.partition("\n\n")[2]
    return text


def _which(names: list[str]) -> str:
    return "all" if len(names) == len(MEASURES) else " ".join(names)


def _default(info: Any) -> str:
    return f"`{info.default}`" if isinstance(info.default, (int, str)) else ""


def _meaning(parameter: str, info: Any) -> str:
    tables = {"discount", "query_discount", "duplicates"}
    return "see below" if parameter in tables else str(info.desc)


if __name__ == "__main__":
    README.write_text(written(README.read_text("utf-8")), "utf-8")
