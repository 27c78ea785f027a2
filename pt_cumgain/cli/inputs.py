"""Measures, qrels and runs that the commands read, each with errors that name it."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_measures import Measure, Provider

from pt_cumgain.cli import outputs
from pt_cumgain.cli.outputs import CommandError, UsageError, usage_errors
from pt_cumgain.environment import terminal
from pt_cumgain.environment.files import check_suffix
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.environment.warning import name_dataset
from pt_cumgain.inputs import lines
from pt_cumgain.measures import CG, MEASURES, SessionMeasure, as_cumulated_gain
from pt_cumgain.options import POOLED

if TYPE_CHECKING:
    from pt_cumgain.engine.rows import Table
    from pt_cumgain.evaluation import EvaluatedRun

#: The depth at which judged documents are counted for measures without a cutoff.
DEPTH = 10
#: The measure of commands that are given none.
MEASURE = "nDCG@10"


def parse_measures(texts: Sequence[str] | None) -> list[Measure]:
    """Parse measures, by default nDCG@10; a text may hold several, separated by white space."""
    from pt_cumgain.inputs.measures import parse_measures as parse

    words = " ".join(texts or [MEASURE]).split()
    measures: dict[Measure, None] = {}
    for word in words:
        with usage_errors(word):
            (measure,) = parse(word)
            (as_cumulated_gain(measure) or measure).validate_params()
        measures[measure] = None
    if not measures:
        raise UsageError(f"no measure given; this package adds {', '.join(MEASURES)}")
    return [*measures]


def is_measure(text: str) -> bool:
    """Return whether a text is a measure."""
    try:
        parse_measures([text])
    except UsageError:
        return False
    return True


def load_qrels(source: str, label: str = "") -> Table:
    """Read qrels from a file or, if no file has that name, from an ir_datasets id.

    ``label`` is the column of the labels, if it was chosen.
    """
    from pt_cumgain.inputs.topics import read_judgments

    if not os.path.exists(source):
        register_pydocs()
    with usage_errors(source):
        return read_judgments(source, chosen=label)


def register_pydocs() -> None:
    """Let ir_datasets know the collection of this package, so that its ids can be read."""
    import pt_cumgain.pydocs  # noqa: F401  # registers itself


def name_runs(arguments: Sequence[str], suffix: str = "") -> dict[str, str]:
    """Return the paths of runs, or of others, by their names, which can be printed and written.

    A run has the name of ``NAME=path``, or that of its file without the suffix; if files in several
    folders have that name, after the folders below the one that they share.
    """
    from pt_cumgain.inputs.formats import run_name

    named = [_split_name(argument) for argument in arguments]
    files = [run_name(path).removesuffix(suffix) for _, path in named]
    folders = [os.path.dirname(os.path.abspath(path)) for _, path in named]
    runs: dict[str, str] = {}
    for file, folder, (name, path) in zip(files, folders, named):
        if not name:
            alike = [other for other, own in zip(folders, files) if own == file]
            name = Path(os.path.relpath(folder, os.path.commonpath(alike)), file).as_posix()
        name = escape_controls(name)
        if name in runs:
            raise UsageError(f"two runs are called {name!r}; rename a file, or give NAME=path")
        runs[name] = path
    return runs


def _split_name(argument: str) -> tuple[str, str]:
    """Return the name and the path of ``NAME=path``; the name is empty if there is none."""
    if not os.path.exists(argument):
        for end, sign in enumerate(argument):  # a name may have the sign in it, and so may a path
            path = argument[end + 1 :]
            if end and sign == "=" and (path == "-" or os.path.exists(path)):
                return argument[:end], path
    return "", argument


def open_files(args: Namespace) -> tuple[list[str], Table, dict[str, Table]]:
    """Return the files to write, ``--output`` being a picture, the qrels, and the runs by name."""
    paths = name_runs(args.runs)
    files = outputs.check_files([args.output, args.csv], [args.qrels, *paths.values()])
    if args.output:
        check_suffix(f"--output {args.output}", args.output, outputs.PICTURES)
    return files, *load_runs(args, paths)


def load_runs(
    args: Namespace, paths: Mapping[str, str], *, ranks: bool = False
) -> tuple[Table, dict[str, Table]]:
    """Read qrels, and runs by name, with their ranks or without; see :func:`_check_topics`."""
    from pt_cumgain.inputs.reading import read_run

    qrels = load_qrels(args.qrels, args.label)
    runs: dict[str, Table] = {}
    for name, path in paths.items():
        source = _open_run(path)
        with usage_errors(path):
            runs[name] = read_run(source, ranks=ranks, chosen=args.score)
        _check_topics(path, runs[name].topics, qrels.topics)
    return qrels, runs


def evaluate_runs(
    measures: Sequence[Measure],
    paths: Mapping[str, str],
    args: Namespace,
    provider: Provider | None = None,
    keep: int = 0,
) -> Iterator[tuple[str, EvaluatedRun]]:
    """Yield the values of each run with its name; see :func:`_check_topics`.

    At the end, a warning names the runs that have no documents for some topics. The arguments are
    those of the qrels, ``missing`` and ``scores``. Unjudged documents are kept down to the rank
    ``keep``.
    """
    from pt_cumgain.environment.progress import follow
    from pt_cumgain.evaluation import RunEvaluator
    from pt_cumgain.inputs.topics import warn_of_missing

    qrels, evaluator = load_qrels(args.qrels, args.label), None
    verbose = len(paths) > 1 and terminal.shows_progress()
    topics: dict[str, list[str]] = {}
    for name, path in follow([*paths.items()], verbose, args.command, "run"):
        source = _open_run(path)
        if evaluator is None:
            evaluator = RunEvaluator(measures, qrels, provider, args.scores, keep, args.score)
        with usage_errors(path), name_dataset(name, "run"):
            run = evaluator.evaluate([source])
        _check_topics(path, run.topics, qrels.topics)
        if args.missing == "skip":
            run = run.skip()
        else:
            topics[name] = run.topics
        yield name, run
    warn_of_missing(qrels.topics, topics)


def list_depths(measures: Sequence[Measure]) -> list[int]:
    """Return the ranks down to which shares of judged documents are computed, in ascending order.

    These are the cutoffs of measures, cut at :data:`POOLED`; a measure without a cutoff has
    :data:`DEPTH`. Session measures are omitted, because their cutoffs are those of queries.
    """
    topical = [m for m in measures if not isinstance(as_cumulated_gain(m), SessionMeasure)]
    return sorted({min(measure.params.get("cutoff") or DEPTH, POOLED) for measure in topical})


def add_depths(measures: Sequence[Measure]) -> list[Measure]:
    """Return measures with CG at the depths of :func:`list_depths`, for :func:`join_shares`."""
    return [*measures, *(CG(cutoff=depth) for depth in list_depths(measures))]


def join_shares(runs: Mapping[str, EvaluatedRun]) -> dict[int, dict[str, float]]:
    """Return the mean shares of the runs' first k documents that are judged, by k and run.

    Cutoffs k beyond :data:`POOLED` are omitted.
    """
    groups = next(iter(runs.values())).judged.engine.groups  # none are of sessions
    rows = {measure.spec.cutoff or 0: row for group in groups for row, measure in group.measures}
    shares = {depth: dict[str, float]() for depth in sorted(rows) if 0 < depth <= POOLED}
    for name, run in runs.items():
        share, present = run.judged.judged_share(), run.judged.topics.documents > 0
        for depth, of_runs in shares.items():
            of_runs[name] = float(share[rows[depth], present].mean())
    return shares


def _open_run(path: str) -> Any:
    """Return a run's path or, for ``-`` and a pipe, its content as a file."""
    if path == "-":
        if sys.stdin is None:
            raise UsageError("the run is -, but standard input is closed")
        source, pipe = Path("standard input"), sys.stdin.buffer
    else:
        source = pipe = Path(path)
        if not source.exists():
            hint = "; measures follow -m or, in eval, the runs" if is_measure(path) else ""
            raise UsageError(f"no such run file: {path!r}{hint}")
        if source.is_file() or source.is_dir():
            return source
    with usage_errors(path), lines.open_bytes(pipe, source) as opened:
        file = io.BytesIO(b"".join(lines.read_blocks(opened, source)))
    file.name = str(source)  # errors show it
    return file


def _check_topics(run: str, run_topics: Sequence[str], qrels_topics: Sequence[str]) -> None:
    """Refuse a run that shares no topic with the qrels."""
    from pt_cumgain.inputs.topics import tell_unshared

    if not run_topics:
        raise CommandError(f"the run {run!r} holds no documents")
    unshared = tell_unshared(qrels_topics, run_topics, run)
    if unshared:
        raise CommandError(unshared)
