"""The arguments that several commands have."""

from __future__ import annotations

from argparse import _ActionsContainer as Group
from collections.abc import Sequence

from pt_cumgain.cli.inputs import MEASURE
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import CONFIDENCE_LEVEL, DECIMALS, DEPTH, OPTIONS


def add_qrels(group: Group, nargs: str | None = None) -> None:
    """Add the qrels."""
    text = "qrels file (TREC, BEIR, Parquet, JSON; also .gz) or ir_datasets id"
    group.add_argument("qrels", nargs=nargs, help=text)
    for name, files in {"label": "qrels", "score": "runs"}.items():
        text = f"column of the {name} in tables of {files} (default: a known name)"
        group.add_argument(f"--{name}", default="", metavar="NAME", help=text)


def add_runs(group: Group, nargs: str = "+") -> None:
    """Add the runs."""
    text = "run files (TREC, Parquet, JSON; also .gz), or NAME=path"
    group.add_argument("runs", nargs=nargs, metavar="run", help=text)


def add_measure(group: Group, text: str) -> None:
    """Add ``--measure``, which can be repeated."""
    text = f"{text} (default: {MEASURE})"
    group.add_argument("--measure", "-m", action="append", help=text)


def add_choice(group: Group, name: str, text: str, choices: Sequence[str] = ()) -> None:
    """Add a choice, by default among those of the functions; the first one is the default."""
    choices = choices or OPTIONS[name].choices
    text = f"{text} (default: %(default)s)"
    group.add_argument(f"--{name}", choices=choices, default=choices[0], help=text)


def add_scores(group: Group) -> None:
    """Add ``--scores``."""
    text = "compare scores as doubles or, like trec_eval up to 9.0.7, as float32"
    add_choice(group, "scores", text)


def add_missing(group: Group) -> None:
    """Add ``--missing``."""
    text = "how topics of the qrels that are missing from a run count: as 0, or not at all"
    add_choice(group, "missing", text)


def add_baseline(group: Group, text: str) -> None:
    """Add ``--baseline``, which can be repeated."""
    group.add_argument(
        "--baseline", "-b", action="append", type=escape_controls, metavar="RUN", help=text
    )


def add_confidence(group: Group) -> None:
    """Add ``--confidence``."""
    text = "confidence level of the intervals (default: %(default)s)"
    group.add_argument("--confidence", type=float, default=CONFIDENCE_LEVEL, help=text)


def add_depth(group: Group, text: str) -> None:
    """Add ``--depth``."""
    text = f"{text} (default: %(default)s)"
    group.add_argument("--depth", "-d", type=int, default=DEPTH, help=text)


def add_places(group: Group, default: int = DECIMALS, least: int = 0, also: str = "") -> None:
    """Add ``--places``, at most as many as a double has."""
    group.add_argument(
        "--places",
        "-p",
        type=int,
        choices=range(least, 18),
        default=default,
        metavar="N",
        help=f"decimal places{also} (default: %(default)s)",
    )
