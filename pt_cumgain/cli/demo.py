"""``pt-cumgain demo``: what the package does, on the embedded collection."""

from __future__ import annotations

import argparse
from pathlib import Path

from pt_cumgain import extras
from pt_cumgain.cli.outputs import UsageError, usage_errors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Index the embedded test collection pydocs, compare five pipelines on its topics and two "
        "on its sessions, print tables, write them as CSV, draw figures, and write the report."
    )
    parser.add_argument(
        "--out",
        "-o",
        default="pt-cumgain-demo",
        help="folder for tables and figures (%(default)s)",
    )


def run(args: argparse.Namespace) -> None:
    """Run the demo."""
    out = Path(args.out)
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out (-o) {out} is a file, not a folder")
    try:
        with usage_errors():
            extras.require_demo()
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {out} cannot be created: {error.strerror}") from None
    from pt_cumgain import demo  # imports pyterrier

    demo.run(out)
