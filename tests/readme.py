"""The README's blocks, and the tables in it that follow from the declarations."""

from __future__ import annotations

import re
from pathlib import Path

from pt_cumgain.core import DISCOUNTS
from pt_cumgain.measures import MEASURES

README = Path(__file__).parents[1] / "README.md"


def blocks(kind: str) -> list[str]:
    """Return the fenced code blocks of a kind."""
    return re.findall(
        rf"^```{kind}\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


def tables() -> dict[str, list[str]]:
    """Return the head of each generated table, with its rows."""
    parameters = {}
    for name, measure in MEASURES.items():
        for parameter, info in measure.SUPPORTED_PARAMS.items():
            parameters.setdefault(parameter, (info, []))[1].append(name)
    rows = []
    for parameter, (info, names) in parameters.items():
        default = f"`{info.default}`" if isinstance(info.default, (int, str)) else ""
        text = "see below" if parameter == "discount" else info.desc
        which = "all" if len(names) == len(MEASURES) else " ".join(names)
        rows.append(f"| `{parameter}` | {which} | {default} | {text} |")
    discounts = [
        f"| `{name}` | {d.text} | {'b' if d.takes_base else ''} | {d.source} |"
        for name, d in DISCOUNTS.items()
    ]
    return {
        "| parameter | of | default | meaning |\n|---|---|---|---|": rows,
        "| `discount` | d(i) | base | source |\n|---|---|---|---|": discounts,
    }
