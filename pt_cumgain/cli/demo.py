"""Compare five retrieval pipelines on the built-in collection.

Print a table of means with tests, and write it, the values by topic, gain curves and the report.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pt_cumgain.cli.outputs import UsageError, tell_written
from pt_cumgain.environment.files import replacing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain demo --output tour"
    parser.add_argument("--output", "-o", help="folder to write to (default: pt-cumgain-demo)")
    parser.add_argument("--files", action="store_true", help="only write the manual's files")


def run(args: argparse.Namespace) -> None:
    """Run the demo, or write the files."""
    if args.files:
        _write_files(Path(args.output or "."))
        return
    out = Path(args.output or "pt-cumgain-demo")
    out.mkdir(parents=True, exist_ok=True)
    from pt_cumgain.cli import demonstration as demo  # imports pyterrier

    demo.run(out)


def _write_files(folder: Path) -> None:
    """Write qrels and runs of pydocs; refuse to overwrite files of other content."""
    from pt_cumgain import pydocs

    earlier = pydocs.DATA / "session_runs" / "bm25-earlier.res.gz"
    sources = [pydocs.DATA / "qrels.txt", *sorted((pydocs.DATA / "runs").iterdir()), earlier]
    contents = {str(folder / path.name): path.read_bytes() for path in sources}
    qrels = pydocs.session_qrels().assign(iteration=0)[["qid", "iteration", "docno", "label"]]
    lines = qrels.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    contents[str(folder / "session_qrels.txt")] = lines.encode()
    for path, content in contents.items():
        if Path(path).exists() and Path(path).read_bytes() != content:
            raise UsageError(f"{path} has other content; move it, or choose a folder by --output")
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        with replacing(path) as free:
            free.write_bytes(content)
    tell_written(list(contents), on_error=False)
