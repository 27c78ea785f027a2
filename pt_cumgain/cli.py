"""The command ``pt-cumgain``."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import ir_measures
from ir_measures import Measure, Metric
from ir_measures import __main__ as host
from ir_measures.measures.base import MeanAgg

from pt_cumgain import __version__, extras, files, terminal
from pt_cumgain.measures import MEASURES, SessionMeasure
from pt_cumgain.terminal import escape_controls

if TYPE_CHECKING:
    from pt_cumgain.analysis.evaluation import RunFiles

#: The pictures that ``curves`` writes.
PICTURES = (".pdf", ".png", ".svg")


#: The decimals of the smallest float.
MOST_PLACES = 1074


class CommandError(Exception):
    """The command ends without a result; the arguments are the lines that say why."""

    code = 1


class UsageError(CommandError):
    """What the user gave cannot be used; the arguments are the lines that say why."""

    code = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if argv is None:
        files.exit_on_signals()
        terminal.prepare_streams()
    try:
        try:
            return _run(argv)
        finally:  # also where argparse exits
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:
        if not error.filename:
            _discard_output()
        if not isinstance(error, BrokenPipeError):  # a reader that goes away, as `| head` does
            name = error.filename or "standard output"
            _tell("error", f"{name}: {error.strerror or error}")
        return 1


def _run(argv: Sequence[str] | None) -> int:
    args = _parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write programs
            warnings.showwarning = _show_warning
            args.run_command(args)
    except CommandError as error:
        _tell("error", *error.args, command=args.command)
        return error.code
    except MemoryError as error:
        _tell("error", f"out of memory: {error}", command=args.command)
        return 1
    return 0


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _tell("warning", str(message))


def _tell(what: str, *lines: str, command: str = "") -> None:
    """Print a message on standard error, its lines escaped."""
    text = "\n  ".join(map(escape_controls, lines))
    print(f"{' '.join(['pt-cumgain', command]).strip()}: {what}: {text}", file=sys.stderr)


def _tell_written(outputs: Sequence[str], *, on_error: bool) -> None:
    names = ", ".join(map(escape_controls, outputs))
    print("written:", names, file=sys.stderr if on_error else sys.stdout)


def _discard_output() -> None:
    """Let what standard output still holds go nowhere when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _TakeOnce(argparse.Action):
    """Stores the value of an argument; refuses an option that is given twice."""

    def __call__(
        self, _: Any, namespace: argparse.Namespace, value: Any, option: str | None = None
    ) -> None:
        """Store the value."""
        options = vars(namespace).setdefault("_options", {})
        if self.dest in options:
            raise argparse.ArgumentError(
                self, f"takes one value, not both {options[self.dest]!r} and {value!r}"
            )
        if option is not None:
            options[self.dest] = value
        setattr(namespace, self.dest, value)


class _Parser(argparse.ArgumentParser):
    """Refuses options that are given twice; its errors are the command's, not the program's."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("action", None, _TakeOnce)
        self.register("action", "store", _TakeOnce)
        self._namespace = argparse.Namespace()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments of the program, or of one of its commands."""
        self._namespace = argparse.Namespace() if namespace is None else namespace
        namespace, unknown = super().parse_known_args(args, self._namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        if "are required" in message:  # a measure may stand among the runs
            taken = []
            for action in self._actions:
                value = getattr(self._namespace, action.dest, None)
                if not action.option_strings and value is not None:
                    values = [value] if isinstance(value, str) else value
                    taken.append(f"for {action.metavar or action.dest}: {', '.join(values)}")
            message += f" (taken {'; '.join(taken)})" if taken else ""
        super().error(escape_controls(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="pt-cumgain", description="Cumulated-gain evaluation of retrieval runs.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_eval(commands)
    _add_curves(commands)
    _add_compare(commands)
    _add_report(commands)
    _add_demo(commands)
    return parser


def _add_eval(commands: Any) -> None:
    parser = commands.add_parser(
        "eval",
        help="evaluate a TREC run",
        description="Evaluate a TREC run. Arguments and output are the ir_measures command's.",
    )
    parser.add_argument("qrels", help="TREC qrels file (.gz allowed) or ir_datasets id")
    parser.add_argument("run", help="TREC run file (.gz allowed), Parquet, or - for standard input")
    parser.add_argument(
        "measures", nargs="+", help="such as nDCG@10 \"DCG(discount='original',base=10)@100\""
    )
    parser.add_argument(
        "--places",
        "-p",
        type=int,
        default=host.DEFAULT_PLACES,
        help="decimal places, -1 for all (%(default)s)",
    )
    parser.add_argument("--by_query", "-q", action="store_true", help="the value of every topic")
    parser.add_argument("--no_summary", "-n", action="store_true", help="with -q: without means")
    parser.add_argument(
        "--output_format",
        "-o",
        choices=host.OUTPUT_FORMATS.keys(),
        default="tsv",
        help="%(default)s or one JSON object a line",
    )
    parser.add_argument(
        "--provider",
        metavar="NAME",
        choices=ir_measures.providers.registry.keys(),
        help="compute with this provider only: %(choices)s",
    )
    _add_interval(parser, "print the ends of each mean's interval beside it")
    parser.set_defaults(run_command=_eval)


def _eval(args: argparse.Namespace) -> None:
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) leaves nothing to print without --by_query (-q)")
    if not -1 <= args.places <= MOST_PLACES:
        raise UsageError(
            f"--places (-p) must be from 0 to {MOST_PLACES}, or -1 (all), not {args.places}"
        )
    _refuse_files_as_measures(args)
    measures = parse_measures(args.measures)
    from pt_cumgain.analysis.evaluation import Reading  # pandas, only where data is read

    reading = Reading([run_source(args.run)])  # while the qrels are read
    qrels = load_qrels(args.qrels)
    chosen = ir_measures.providers.registry[args.provider] if args.provider else None
    evaluator = run_files(measures, qrels, chosen)
    only_means = not (args.by_query or args.interval)
    worth = _evaluated(evaluator, reading, args.run, qrels, args.qrels, means=only_means)
    output = host.OUTPUT_FORMATS[args.output_format](args)
    escapes = args.output_format == "tsv" and terminal.is_terminal()  # JSON has its own
    means, ends = worth, {}
    if not only_means:
        by_measure: dict[Measure, dict[str, float]] = {measure: {} for measure in measures}
        aggregates = {measure: measure.aggregator() for measure in measures}
        for value in worth:
            if args.by_query:
                shown = value
                if escapes:
                    shown = value._replace(query_id=escape_controls(value.query_id))
                output(shown)
            by_measure[value.measure][value.query_id] = value.value
            aggregates[value.measure].add(value.value)
        means = {measure: aggregate.result() for measure, aggregate in aggregates.items()}
        if args.interval:
            ends = {m: _interval(m, values, args.confidence) for m, values in by_measure.items()}
    for measure in measures if not args.no_summary else []:
        mean = Metric(host.SUMMARY_QID, measure, means[measure])
        if args.interval:
            _print_interval(args, mean, ends[measure])
        else:
            output(mean)


def _refuse_files_as_measures(args: argparse.Namespace) -> None:
    """Refuse runs in the place of measures; say what each argument was taken for."""
    for argument in args.measures:
        if os.path.exists(argument) and not _is_measure(argument):
            raise UsageError(
                f"{argument!r} is a file but was taken for a measure ({args.qrels!r} for the "
                f"qrels, {args.run!r} for the run); give the qrels, one run, then the measures. "
                "`compare` takes several runs"
            )


def _is_measure(text: str) -> bool:
    try:
        parse_measures([text])
    except UsageError:
        return False
    return True


def _interval(
    measure: Measure, by_topic: dict[str, float], confidence: float
) -> tuple[float, float]:
    """Return the ends of the interval of a mean."""
    import numpy as np

    from pt_cumgain.analysis.intervals import over_topics

    if not isinstance(measure.aggregator(), MeanAgg):
        raise UsageError(f"--interval is of means over topics, and {measure} is not one")
    if len(by_topic) < 2:
        raise CommandError(f"--interval needs at least two topics, not {len(by_topic)}")
    values = np.array(list(by_topic.values()))[:, None]
    try:
        low, high = over_topics(values, list(by_topic), confidence=confidence)
    except (ImportError, ValueError) as error:
        raise UsageError(str(error)) from None
    return float(low[0]), float(high[0])


def _print_interval(args: argparse.Namespace, mean: Metric, ends: tuple[float, float]) -> None:
    """Print a mean as the host's formats do, with the ends of its interval beside it."""
    numbers = dict(zip(("value", "low", "high"), (mean.value, *ends)))
    before = {"query_id": mean.query_id} if args.by_query else {}
    before["measure"] = str(mean.measure)
    if args.output_format == "jsonl":
        print(json.dumps({**before, **numbers}))
    else:
        places = "" if args.places == -1 else f".{args.places}f"
        print(*before.values(), *(format(number, places) for number in numbers.values()), sep="\t")


def run_files(measures: Sequence[Measure], qrels: Any, provider: Any = None) -> RunFiles:
    """Return what evaluates files of runs."""
    from pt_cumgain.analysis.evaluation import RunFiles  # pandas, only where data is read

    try:
        return RunFiles(measures, qrels, provider)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None


def _evaluated(
    evaluator: RunFiles, reading: Any, path: str, qrels: Any, qrels_name: str, *, means: bool
) -> Any:
    """Return what a run file is worth; see :func:`check_topics`."""
    from pyarrow import ArrowInvalid

    try:
        worth, topics = evaluator.evaluate(reading, means=means)
    except (ArrowInvalid, EOFError, ImportError, OSError, UnicodeEncodeError) as error:
        raise UsageError(_named(error, path)) from None
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    except Exception as error:  # whatever a provider of ir-measures raises
        raise UsageError(f"evaluation failed: {error!r}") from error
    check_topics(qrels, topics, qrels_name, path)
    return worth


def _add_curves(commands: Any) -> None:
    parser = commands.add_parser(
        "curves",
        help="draw gain by rank",
        description="Draw the gain by rank of TREC runs, beside the ideal; for session measures, "
        "query by query. Needs the extra plot.",
    )
    _add_runs(parser, "such as CG or \"nDCG(gains='0-1-10-100')\"; give it again for another panel")
    parser.add_argument("--depth", "-d", type=int, help="the last rank (100)")
    parser.add_argument("--output", "-o", help="the picture: .pdf, .png or .svg")
    parser.add_argument("--csv", help="the curves as a table; - for standard output")
    parser.add_argument("--log-rank", action="store_true", help="a logarithmic axis of ranks")
    parser.set_defaults(run_command=_curves)


def _curves(args: argparse.Namespace) -> None:
    from pt_cumgain.analysis import curves

    if not (args.output or args.csv):
        raise UsageError("give --output (-o) for a picture, --csv for the table, or both")
    measures = parse_measures(args.measure)
    of_sessions = [isinstance(measure, SessionMeasure) for measure in measures]
    if any(of_sessions) and not all(of_sessions):
        raise UsageError("draw session measures and others in two calls; their ranks differ")
    if all(of_sessions) and (args.depth is not None or args.log_rank):
        raise UsageError("--depth and --log-rank are not for sessions; give cutoffs: sDCG@10")
    depth = 100 if args.depth is None else args.depth
    outputs = [path for path in (args.output, args.csv) if path and path != "-"]
    for path in outputs:
        check_output(path, [args.qrels, *args.runs])
    if args.output and Path(args.output).suffix not in PICTURES:
        raise UsageError(f"--output {args.output} must end in one of {', '.join(PICTURES)}")
    qrels = load_qrels(args.qrels)
    runs = load_runs(args, qrels)
    try:
        if all(of_sessions):
            frame = curves.session_curves(runs, None, qrels, measures, verbose=len(runs) > 1)
        else:
            frame = curves.gain_curves(runs, None, qrels, measures, depth, verbose=len(runs) > 1)
        if args.output:
            from pt_cumgain import plots

            if all(of_sessions):
                figure = plots.plot_session_curves(frame)
            else:
                figure = plots.plot_curves(frame, log_rank=args.log_rank)
            _write(args.output, lambda path: plots.save(figure, path))
    except (ImportError, TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    if args.csv == "-":
        print(frame.to_csv(index=False), end="")
    elif args.csv:
        _write(args.csv, lambda path: frame.to_csv(path, index=False))
    if outputs:
        _tell_written(outputs, on_error=args.csv == "-")


def check_output(path: str, inputs: Sequence[str]) -> None:
    """Refuse to write where no file can be, and over what is read."""
    target = Path(path).absolute()
    if not target.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no such folder")
    if target.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder")
    for given in map(Path, inputs):
        if target.is_file() and given.is_file() and target.samefile(given):
            raise UsageError(f"{path} is an input; writing to it would destroy it")
        if given.is_dir() and given.resolve() in target.resolve().parents:
            raise UsageError(f"{path} would be part of the run {given}; write to another folder")


def _write(path: str, write: Callable[[Path], object]) -> None:
    try:
        with files.replacing(path) as free:
            write(free)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from None


class _WholeWords(argparse.HelpFormatter):
    """Does not break a line at the hyphen of a name."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)


def _add_compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare runs: means, significance, rank correlation of the measures",
        description="Print the means of TREC runs and which differ, as a table for a paper; below "
        "it, in LaTeX as comments, the tests and how similarly the measures rank the runs. Needs "
        "the extra stats.",
        formatter_class=_WholeWords,
    )
    _add_runs(parser, "any measure of ir-measures; give it again for others")
    tests = [name for name in extras.PAIR_TESTS if name != "equivalence"]
    parser.add_argument(
        "--test",
        default="friedman",
        help="friedman (the pairs after Conover; for two runs Wilcoxon's test), "
        f"{', '.join(tests)}, or none (%(default)s)",
    )
    parser.add_argument(
        "--baseline",
        type=escape_controls,
        metavar="RUN",
        help="compare each run with this one only",
    )
    parser.add_argument(
        "--correction",
        default="holm",
        help=f"of the pairs' p-values: none, {', '.join(extras.CORRECTIONS)} (%(default)s)",
    )
    parser.add_argument(
        "--marks",
        choices=("letters", "daggers", "reading"),
        help="what says which runs differ: letters of the runs that are worse, daggers against the "
        "baseline (the defaults), or the papers' reading below the table",
    )
    _add_interval(parser, "print each mean with the ends of its interval")
    parser.add_argument("--places", "-p", type=int, default=3, help="decimal places (%(default)s)")
    parser.add_argument(
        "--rows", choices=("runs", "measures"), default="runs", help="of the table (%(default)s)"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="of the table (what the end of --output says, else text)",
    )
    parser.add_argument(
        "--width",
        type=float,
        help="of the table: inches in LaTeX (7), characters in text (the terminal's, else 100)",
    )
    parser.add_argument("--output", "-o", help="the table as a file; then it is not printed")
    parser.add_argument(
        "--csv", help="means, marks and intervals as a file, a row for each; - to print that alone"
    )
    parser.set_defaults(run_command=_compare)


#: The formats of tables, with the ends of their files.
FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "html": ".html"}


def _compare(args: argparse.Namespace) -> None:
    import pandas as pd

    from pt_cumgain.analysis.evaluation import Reading
    from pt_cumgain.presentation import tables

    if args.places > MOST_PLACES:
        raise UsageError(f"--places (-p) must be from 0 to {MOST_PLACES}, not {args.places}")
    if args.width is not None and not 0 < args.width < 10**6:
        raise UsageError(f"--width must be inches or characters, not {args.width:g}")
    if not 0 < args.confidence < 1:
        raise UsageError(
            f"--confidence must be between 0 and 1, such as 0.95, not {args.confidence:g}"
        )
    measures = parse_measures(args.measure)
    if args.output == "-":
        args.output = None
    outputs = [path for path in (args.output, args.csv) if path and path != "-"]
    for path in outputs:
        check_output(path, [args.qrels, *args.runs])
    if len(outputs) > 1 and Path(outputs[0]).absolute() == Path(outputs[1]).absolute():
        raise UsageError(f"--output and --csv are the same file, {outputs[0]}")
    chosen = _format(args)
    qrels = load_qrels(args.qrels)
    evaluator = run_files(measures, qrels)
    results = pd.DataFrame(
        [
            (name, value.query_id, str(value.measure), value.value)
            for name, path in named_runs(args.runs).items()
            for value in _evaluated(
                evaluator, Reading([run_source(path)]), path, qrels, args.qrels, means=False
            )
        ],
        columns=["name", "qid", "measure", "value"],
    )
    try:
        table = tables.paper_table(
            results,
            measures=[str(measure) for measure in measures],
            rows="systems" if args.rows == "runs" else "measures",
            places=args.places,
            test=None if args.test == "none" else args.test,
            baseline=args.baseline,
            correction=None if args.correction == "none" else args.correction,
            marks=args.marks,
            interval=args.interval,
            confidence=args.confidence,
        )
        text = _printed(table, chosen, args)
    except (ImportError, TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    if args.csv and args.csv != "-":
        _write(args.csv, table.to_csv)
    if args.output:
        _write(args.output, lambda path: path.write_text(text, encoding="utf-8"))
    elif args.csv != "-":
        print(text, end="")
    if args.csv == "-":
        print(table.to_csv(), end="")
    if outputs:
        _tell_written(outputs, on_error=True)


def _format(args: argparse.Namespace) -> str:
    """Return the format of the table: the one that was chosen, or that of the file's end."""
    if args.format or not args.output:
        return args.format or "text"
    for name, end in FORMATS.items():
        if Path(args.output).suffix == end:
            return name
    raise UsageError(
        f"--output {args.output} must end in one of {', '.join(FORMATS.values())}, or give --format"
    )


def _printed(table: Any, chosen: str, args: argparse.Namespace) -> str:
    """Return the table with what was tested, and how the measures rank the runs."""
    tests, correlations = _test_lines(table, args.baseline, args.places), _correlations(table)
    if chosen in {"markdown", "html"}:
        tables = [replace(table, notes=[*table.notes, *tests]), *correlations]
        return "\n".join(
            each.to_markdown() if chosen == "markdown" else each.to_html() for each in tables
        )
    columns = 100
    if chosen == "latex":
        text: str = table.to_latex(width=7.0 if args.width is None else args.width)
    else:
        if args.width is not None:
            columns = int(args.width)
        elif terminal.is_terminal():
            columns = shutil.get_terminal_size().columns
        text = (table if args.output else _with_plain_marks(table)).to_text(columns)
    lines = [
        textwrap.fill(line, columns, subsequent_indent="  ", break_on_hyphens=False)
        for line in tests
    ]
    for each in correlations:
        lines += ["", each.to_text(columns).rstrip("\n")]
    below = "\n".join(lines)
    if chosen == "latex":
        return text + "".join(f"% {line}\n" for line in below.splitlines() if line)
    return f"{text}\n{below}\n" if below else text


def _with_plain_marks(table: Any) -> Any:
    """Return the table with marks as wide as standard output will show them."""
    cells = [
        [replace(cell, marks=terminal.replace_signs(cell.marks)) for cell in row]
        for row in table.cells
    ]
    return replace(table, cells=cells)


def _test_lines(table: Any, baseline: str | None, places: int) -> list[str]:
    """Return a line for each measure, or for each run that was compared with the baseline."""
    if table.pairs is None:
        return []
    tests = [] if table.tests is None else table.tests.itertuples()
    lines = [f"{row.Index}: {_test_line(row, table.unit)}" for row in tests]
    if lines and baseline is None:
        return lines
    if baseline is not None:
        corrected = "corrected " * bool((table.pairs["p"] != table.pairs["p_corrected"]).any())
        pairs = [
            f"{row.measure}: {row.name} - {row.other} = {row.difference:.{places}f} "
            f"[{row.low:.{places}f}, {row.high:.{places}f}], effect size {row.effect:.2f}, "
            f"{corrected}{_p(row.p_corrected)}"
            for row in table.pairs.itertuples()
        ]
        return [*lines, *pairs]
    return [
        f"{measure}: {(pairs['better'] != '').sum()} of {len(pairs)} pairs differ"
        for measure, pairs in table.pairs.groupby("measure", sort=False)
    ]


def _p(p: float) -> str:
    return f"p = {p:.4f}" if p >= 0.0001 else "p < 0.0001"


def _correlations(table: Any) -> list[Any]:
    """Return a table of how similarly the measures rank the runs, unless one is alone."""
    from pt_cumgain.analysis.correlation import rank_correlation
    from pt_cumgain.presentation.tables import correlation_table

    if min(table.means.shape) < 2:
        return []
    means = table.means.T.rename_axis("name").reset_index()
    return [correlation_table(rank_correlation(means))]


def _test_line(row: Any, unit: str) -> str:
    """Return a row of `comparison.friedman` as a sentence."""
    over = f"{row.systems} runs, {row.topics} {unit}s"
    if row.p != row.p:
        return f"{row.reading} ({over})"
    p = _p(row.p)
    if row.test == "Wilcoxon":
        return f"Wilcoxon W = {row.statistic:.3f}, {p} ({over})"
    friedman = f"Friedman chi2 = {row.statistic:.3f}, df = {row.df:g}, {p}"
    return f"{friedman}, Kendall's W = {row.W:.3f} ({over})"


def _add_interval(parser: Any, does: str) -> None:
    """Add the arguments of a command that prints confidence intervals."""
    parser.add_argument(
        "--interval",
        action="store_true",
        help=f"{does}: bootstrap (BCa) over topics; needs the extra stats",
    )
    parser.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals (%(default)s)"
    )


def _add_runs(parser: Any, measures: str = "") -> None:
    """Add the arguments of a command that takes several runs and, if it does, measures."""
    parser.add_argument("qrels", help="TREC qrels file (.gz allowed) or ir_datasets id")
    parser.add_argument(
        "runs", nargs="+", metavar="run", help="TREC run files (.gz allowed), or Parquet"
    )
    if measures:
        parser.add_argument("--measure", "-m", action="append", required=True, help=measures)


def named_runs(paths: Sequence[str]) -> dict[str, str]:
    """Return the paths of runs by the names of their files, which can be printed and written."""
    from pt_cumgain.inputs.arguments import run_name

    named: dict[str, str] = {}
    for path in paths:
        name = escape_controls(run_name(path))
        if name in named:
            raise UsageError(f"two runs are called {name!r}; rename a file")
        named[name] = path
    return named


def load_runs(args: argparse.Namespace, qrels: Any) -> dict[str, Any]:
    """Read the runs of a command that takes several, by the names of their files."""
    from pt_cumgain.inputs import formats

    runs: dict[str, Any] = {}
    for name, path in named_runs(args.runs).items():
        source = run_source(path)
        runs[name] = _load(lambda _: formats.read_whole(source), path)  # noqa: B023  # is called here
        check_topics(qrels, runs[name]["query_id"].unique().tolist(), args.qrels, path)
    return runs


def parse_measures(arguments: Sequence[str]) -> list[Measure]:
    """Parse measures; an argument may hold several, separated by white space."""
    from pt_cumgain.inputs.arguments import UnknownMeasureError, parsed

    measures, errors = [], []
    for text in (part for argument in arguments for part in argument.split()):
        try:
            (measure,) = parsed(text)
            measure.validate_params()
            cutoff = measure.params.get("cutoff", 1)
            if cutoff < 1:  # below 1 the host's providers abort the process
                raise ValueError(f"cutoff={cutoff} must be at least 1")
            if measure not in measures:
                measures.append(measure)
        except UnknownMeasureError as error:
            errors.append(str(error))
        except (AssertionError, TypeError, ValueError) as error:
            errors.append(f"measure {text!r}: {error}")
    if errors:
        raise UsageError(*errors)
    if not measures:
        raise UsageError(f"no measure given; this package adds {', '.join(MEASURES)}")
    return measures


def load_qrels(given: str) -> Any:
    """Read qrels from a file or, if no file has that name, from an ir_datasets id."""
    qrels = _read_qrels(given)
    if not len(qrels):
        raise CommandError(f"the qrels {given} hold no judgments")
    return qrels


def _read_qrels(given: str) -> Any:
    from pt_cumgain.inputs.formats import trec

    if Path(given).is_dir():
        raise UsageError(f"{given} is a folder; qrels are a TREC qrels file or an ir_datasets id")
    if Path(given).exists():
        return _load(trec.read_qrels, given)
    import ir_datasets

    try:
        dataset = ir_datasets.load(given)
    except KeyError:
        raise UsageError(f"no qrels {given!r}: neither a file nor an ir_datasets id") from None
    if not dataset.has_qrels():
        raise UsageError(f"the ir_datasets id {given!r} has no qrels")
    return _load(lambda _: trec.qrels_frame(dataset.qrels_iter()), given)


def run_source(given: str) -> Any:
    """Return a run's path or, for ``-`` and what can be read once only, its content as a file."""
    if given == "-":
        if sys.stdin is None:
            raise UsageError("the run is -, but standard input is closed")
        return named_file(sys.stdin.buffer.read(), "standard input")
    path = Path(given)
    if not path.exists():
        taken = " (a measure, taken for a run)" if _is_measure(given) else ""
        raise UsageError(f"no such run file: {given!r}{taken}")
    return path if path.is_file() or path.is_dir() else named_file(path.read_bytes(), given)


def named_file(content: bytes, name: str) -> io.BytesIO:
    """Return content as a file with a name, which errors show."""
    file = io.BytesIO(content)
    file.name = name
    return file


def _load(read: Any, given: str) -> Any:
    try:
        return read(given)
    except (ImportError, OSError, EOFError, RuntimeError, ValueError) as error:
        raise UsageError(_named(error, given)) from None


def _named(error: Exception, given: str) -> str:
    """Return an error's text, with the name of what was given if it is not there."""
    from pyarrow import ArrowInvalid

    text = str(error)
    if isinstance(error, ArrowInvalid) and Path(given).is_dir():
        return f"{given} is a folder, which is a run only if it holds Parquet files: {text}"
    if isinstance(error, UnicodeEncodeError):  # pyarrow's, of the path
        return f"{given}: Parquet files can be read only if their names are UTF-8; rename it"
    return text if given in text else f"{given}: {text}"


def check_topics(qrels: Any, run: Sequence[str], qrels_name: str, run_name: str) -> None:
    """Refuse a run that shares no topic with the qrels; warn of topics that it misses."""
    topics = qrels["query_id"].unique().tolist()
    missed = len(set(topics).difference(run))
    if not run:
        raise CommandError(f"the run {run_name} holds no documents")
    if missed == len(topics):
        raise CommandError(
            f"the run {run_name} and the qrels {qrels_name} have no topic in common "
            f"(run: {_some(run)}; qrels: {_some(topics)})"
        )
    if missed:
        warnings.warn(
            f"{run_name} has no documents for {missed} of the {len(topics)} topics of "
            f"{qrels_name}; each counts 0",
            stacklevel=2,
        )


def _some(topics: Sequence[str]) -> str:
    return ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")


def _add_report(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write a page to explore: move gains, discount and rank, and see what follows",
        description="Write one HTML file, which needs no server and no network: gain by rank of "
        "TREC runs, their order, where they change places, and the topics, all of which follow "
        "sliders. Needs the extra report.",
    )
    _add_runs(parser)
    parser.add_argument("--output", "-o", required=True, help="the page: .html")
    parser.add_argument(
        "--measure", "-m", default="nDCG@10", help="what it shows first (%(default)s)"
    )
    parser.add_argument(
        "--baseline",
        "-b",
        type=escape_controls,
        help="a run with which others are compared (the first)",
    )
    parser.add_argument("--depth", "-d", type=int, default=100, help="the last rank (%(default)s)")
    parser.add_argument(
        "--topics",
        "-t",
        help="the topics, of which alone the judgments count, to show their texts: an ir_datasets "
        "id, or a file with lines of id, tab, text",
    )
    parser.add_argument(
        "--title",
        type=escape_controls,
        default="Cumulated gain",
        help="its heading (%(default)s)",
    )
    parser.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals (%(default)s)"
    )
    parser.set_defaults(run_command=_report)


def _report(args: argparse.Namespace) -> None:
    from pt_cumgain.presentation.report import report

    if Path(args.output).suffix not in (".html", ".htm"):
        raise UsageError(f"--output {args.output} must end in .html")
    check_output(args.output, [args.qrels, *args.runs, *([args.topics] if args.topics else [])])
    measures = parse_measures([args.measure])
    if len(measures) > 1:
        raise UsageError(f"--measure {args.measure}: a page shows one measure first")
    qrels = load_qrels(args.qrels)
    topics = _load_topics(args.topics) if args.topics else None
    options = {name: getattr(args, name) for name in ("baseline", "depth", "title", "confidence")}
    runs = load_runs(args, qrels)
    try:
        report(runs, topics, qrels, args.output, measure=measures[0], **options)
    except (ImportError, TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{args.output} cannot be written: {error.strerror or error}") from None
    _tell_written([args.output], on_error=False)


def _load_topics(given: str) -> Any:
    """Read the ids and texts of topics from a file or, if there is none, an ir_datasets id."""
    import pandas as pd

    if Path(given).is_file():
        lines = _load(lambda path: Path(path).read_text("utf-8").splitlines(), given)
        rows = [line.partition("\t")[::2] for line in lines if line.strip()]
    else:
        import ir_datasets

        try:
            queries = ir_datasets.load(given).queries_iter()
        except (AttributeError, KeyError):
            raise UsageError(
                f"no topics {given!r}: neither a file nor an ir_datasets id with queries"
            ) from None
        rows = [(query.query_id, query.default_text()) for query in queries]
    return pd.DataFrame(rows, columns=["qid", "query"])


def _add_demo(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="compare five retrieval pipelines on the embedded collection",
        description="Index the embedded test collection pydocs, compare five pipelines on its "
        "topics and two on its sessions, print the tables, write them as CSV, and draw the curves.",
    )
    parser.add_argument(
        "--out",
        "-o",
        default="pt-cumgain-demo",
        help="folder for tables and pictures (%(default)s)",
    )
    parser.set_defaults(run_command=_demo)


def _demo(args: argparse.Namespace) -> None:
    out = Path(args.out)
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out (-o) {out} is a file, not a folder")
    try:
        extras.require_demo()
        out.mkdir(parents=True, exist_ok=True)
    except ImportError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"the folder {out} cannot be made: {error.strerror}") from None
    from pt_cumgain import demo  # imports pyterrier

    demo.run(out)
