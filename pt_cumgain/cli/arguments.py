"""The arguments that several commands have."""

from __future__ import annotations

from argparse import ArgumentParser
from argparse import _ActionsContainer as Group
from collections.abc import Sequence

from pt_cumgain.cli.inputs import MEASURE
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import CONFIDENCE_LEVEL, DECIMALS, DEPTH, OPTIONS

#: What options are for that several commands have.
_TEXTS = {
    "baseline": "compare each run only with this one; repeat it for several baselines",
    "missing": "how topics of the qrels that are missing from a run count: as 0, or not at all",
    "scores": "compare scores as doubles or, like trec_eval up to 9.0.7, as float32",
}


def add_qrels(parser: ArgumentParser, nargs: str | None = None) -> Group:
    """Add the qrels; return the group of the files."""
    group = parser.add_argument_group("arguments")
    text = "qrels file (TREC, BEIR, Parquet, JSON; also .gz) or ir_datasets id"
    group.add_argument("qrels", nargs=nargs, help=text)
    for name, files in {"label": "qrels", "score": "runs"}.items():
        text = f"column of the {name} in tables of {files} (default: a known name)"
        group.add_argument(f"--{name}", default="", metavar="NAME", help=text)
    return group


def add_files(parser: ArgumentParser, *, optional: bool = False) -> None:
    """Add the qrels and the runs."""
    group, nargs = add_qrels(parser, "?" if optional else None), "*" if optional else "+"
    text = "run files (TREC, Parquet, JSON; also .gz), or NAME=path"
    group.add_argument("runs", nargs=nargs, metavar="run", help=text)


def add_input(parser: ArgumentParser, text: str) -> Group:
    """Add ``--measure``, which can be repeated, and ``--scores``; return their group."""
    group, text = parser.add_argument_group("input"), f"{text} (default: {MEASURE})"
    group.add_argument("--measure", "-m", action="append", help=text)
    add_choice(group, "scores")
    return group


def add_choice(group: Group, name: str, text: str = "", choices: Sequence[str] = ()) -> None:
    """Add a choice, by default among those of the functions; the first one is the default."""
    choices, text = choices or OPTIONS[name].choices, text or _TEXTS[name]
    text = f"{text} (default: %(default)s)"
    group.add_argument(f"--{name}", choices=choices, default=choices[0], help=text)


def add_baseline(group: Group, text: str = _TEXTS["baseline"]) -> None:
    """Add ``--baseline``, which can be repeated."""
    names, escape = ("--baseline", "-b"), escape_controls
    group.add_argument(*names, action="append", type=escape, metavar="RUN", help=text)


def add_confidence(group: Group) -> None:
    """Add ``--confidence``."""
    text = "confidence level of the intervals (default: %(default)s)"
    group.add_argument("--confidence", type=float, default=CONFIDENCE_LEVEL, help=text)


def add_depth(group: Group, text: str) -> None:
    """Add ``--depth``."""
    text = f"{text} (default: %(default)s)"
    group.add_argument("--depth", "-d", type=int, default=DEPTH, help=text)


def add_decimals(group: Group, *also: str, default: int = DECIMALS, least: int = 0) -> None:
    """Add ``--decimals``, at most as many as a double has; -1 are all."""
    more = ", or -1 for all" if least < 0 else ""
    names, text = ["--decimals", *also, "-p"], f"number of decimals{more} (default: %(default)s)"
    choices = range(least, 18)
    group.add_argument(*names, type=int, choices=choices, default=default, metavar="N", help=text)
