"""The program: it parses the command line, runs a command, and returns the exit code."""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from pt_cumgain import __version__
from pt_cumgain.cli.outputs import CommandError, UsageError, tell
from pt_cumgain.options import suggest

#: The commands, with their lines in the program's help. Each has a module of its name, imported
#: when the command is called, with a description, ``add_arguments`` and ``run``.
COMMANDS = {
    "eval": "evaluate one or several runs",
    "curves": "plot gain by rank",
    "compare": "compare runs: a table of means with significance tests",
    "dominance": "find comparisons that hold under every weighting, discount or judgment",
    "reconcile": "find out how a paper or program computed its number",
    "report": "write an interactive page for exploring gains, discount and rank",
    "demo": "compare five retrieval pipelines on the built-in collection",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if sys.stderr is None:  # closed by who called
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # to the end of the program
    if sys.stdout is None:
        tell("error", "standard output is closed")
        return 1
    if argv is None:  # the process is ours
        gc.freeze()  # modules live to its end: the collector need not look at them
    if argv is None and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # its encoding may lack signs of tables
    try:
        try:
            return _run(argv)
        finally:  # also if argparse exits
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130  # as shells do
    except BrokenPipeError:  # the reader has gone, as with `| head`
        # discard the buffer of standard output; Python would try again to write it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        what = f"{error.filename} cannot be written" if error.filename else "output"
        tell("error", f"{what}: {error.strerror or error}")
        return 1


def _run(argv: Sequence[str] | None) -> int:
    args = _parse(sys.argv[1:] if argv is None else argv)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write programs
            return args.run_command(args) or 0
    except OSError:
        raise
    except Exception as error:  # also of a provider of ir-measures, which may raise anything
        has_words = isinstance(error, (CommandError, ImportError, TypeError, ValueError))
        tell("error", str(error) if has_words else f"unexpected {error!r}", args.command)
        return error.code if isinstance(error, CommandError) else UsageError.code
    finally:  # not while a progress bar is shown
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            tell("warning", text)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; end the program with the usage of the command if it has no such."""
    parser = called = argparse.ArgumentParser(
        prog="pt-cumgain", description="Cumulated-gain evaluation of retrieval runs."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name in words[:1]:
            module = import_module(f"pt_cumgain.cli.{name}")
            command.description = module.__doc__
            command.set_defaults(run_command=module.run)
            module.add_arguments(command)
            called = command
    args, unknown = parser.parse_known_args(words)
    if unknown:
        options = re.findall(r"--\w+", called.format_usage())
        hint = suggest(unknown[0].partition("=")[0], options)
        called.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return args
