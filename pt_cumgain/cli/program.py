"""The program: it parses the command line, runs a command, and returns the exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
import textwrap
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from pt_cumgain import __version__
from pt_cumgain.cli import inputs
from pt_cumgain.cli.outputs import CommandError, UsageError, tell, tell_warnings

#: The commands, with their lines in the program's help. Each has a module of its name, imported
#: when the command is called, with a description, ``add_arguments`` and ``run``.
COMMANDS = {
    "eval": "evaluate one or several runs",
    "curves": "plot gain by rank",
    "compare": "compare runs: means, significance tests, rank correlation of measures",
    "dominance": "find comparisons that hold under every weighting, discount or judgment",
    "reconcile": "find out how a paper or program computed its number",
    "report": "write an interactive page for exploring gains, discount and rank",
    "demo": "compare five retrieval pipelines on the built-in collection",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
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
        _discard_output()
        return 1
    except OSError as error:
        tell("error", f"{error.filename or 'output'}: {error.strerror or error}")
        return 1


def _run(argv: Sequence[str] | None) -> int:
    parser = _Parser(prog="pt-cumgain", description="Cumulated-gain evaluation of retrieval runs.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    words = sys.argv[1:] if argv is None else argv
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name in words[:1]:
            module = import_module(f"pt_cumgain.cli.{name}")
            command.description = module.__doc__
            command.set_defaults(run_command=module.run)
            module.add_arguments(command)
    args = parser.parse_args(words)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write programs
            inputs.check_places(args)
            return args.run_command(args) or 0
    except (CommandError, ImportError) as error:  # a package is missing, or does not work here
        tell("error", *error.args, command=args.command)
        return getattr(error, "code", UsageError.code)
    except MemoryError as error:
        tell("error", f"out of memory: {error}", command=args.command)
        return 1
    finally:  # not while a progress bar is shown
        tell_warnings(str(warning.message) for warning in caught)


def _discard_output() -> None:
    """Discard the buffer of standard output; Python would try again to write it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _TakeOnce(argparse.Action):
    """Stores the value of an argument; refuses an option that is given twice."""

    def __call__(
        self, _: Any, namespace: argparse.Namespace, value: Any, option: str | None = None
    ) -> None:
        """Store the value."""
        if option and value == []:  # argparse drops the -- of --name=--
            raise argparse.ArgumentError(self, "has no value")
        options = vars(namespace).setdefault("_options", {})
        if self.dest in options:
            raise argparse.ArgumentError(
                self, f"takes one value, not both {options[self.dest]!r} and {value!r}"
            )
        if option is not None:
            options[self.dest] = value
        setattr(namespace, self.dest, value)


class _WholeWords(argparse.HelpFormatter):
    """Breaks no line at the hyphen in a name."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.indent("\n".join(self._split_lines(text, width)), indent)


class _Parser(argparse.ArgumentParser):
    """Parser of the program or of a command; it refuses options that are given twice."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_WholeWords, **options)
        self.register("action", None, _TakeOnce)
        self.register("action", "store", _TakeOnce)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; refuse unknown ones as the command, not as the program."""
        namespace, unknown = super().parse_known_args(args, namespace)
        for name, value in vars(namespace).items():
            if isinstance(value, list) and [] in value:  # argparse drops the --
                self.error(f"--{name}=-- has no value")
        if unknown:
            given, left = ([w for w in words if w.startswith("-")] for words in (args, unknown))
            misplaced = bool(given) and not left
            hint = "; options go before the files or after the last argument" * misplaced
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        self.print_usage(sys.stderr)
        tell("error", message, command=self.prog.partition(" ")[2])
        sys.exit(UsageError.code)
