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
from pt_cumgain.cli import declarations, inputs
from pt_cumgain.cli.outputs import CommandError, UsageError, tell, tell_warnings
from pt_cumgain.environment.terminal import escape_controls

#: The commands, with their lines in the program's help. Each has a module of its name, imported
#: when the command is called, with its ``ARGUMENTS`` (see ``declarations``) and a function ``run``.
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
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, command=name)
    args = parser.parse_args(argv)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write programs
            inputs.check_places(args)
            return _module(args.command).run(args) or 0
    except (CommandError, ImportError) as error:  # a package is missing, or does not work here
        tell("error", *error.args, command=args.command)
        return getattr(error, "code", UsageError.code)
    except MemoryError as error:
        tell("error", f"out of memory: {error}", command=args.command)
        return 1
    finally:  # not while a progress bar is shown
        tell_warnings(str(warning.message) for warning in caught)


def _module(command: str) -> Any:
    return import_module(f"pt_cumgain.cli.{command}")


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
        return textwrap.wrap(text, width, break_on_hyphens=False)


class _Parser(argparse.ArgumentParser):
    """Parser of the program or of one command, whose module declares its arguments.

    It refuses options that are given twice. Its errors are those of the command, not of the
    program.
    """

    def __init__(self, *, command: str | None = None, **options: Any) -> None:
        super().__init__(formatter_class=_WholeWords, **options)
        self.register("action", None, _TakeOnce)
        self.register("action", "store", _TakeOnce)
        self._command = command
        self._namespace = argparse.Namespace()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; refuse those that are unknown."""
        if self._command is not None:
            declarations.add_arguments(self, _module(self._command))
        self._namespace = argparse.Namespace() if namespace is None else namespace
        namespace, unknown = super().parse_known_args(args, self._namespace)
        if "measures" in namespace:  # argparse leaves out those that follow another option
            namespace.measures += [word for word in unknown if not word.startswith("-")]
            unknown = [word for word in unknown if word.startswith("-")]
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        if "are required" in message:  # a measure may be among the runs
            taken = []
            for action in self._actions:
                value = getattr(self._namespace, action.dest, None)
                if not action.option_strings and value is not None:
                    values = [value] if isinstance(value, str) else value
                    taken.append(f"for {action.metavar or action.dest}: {', '.join(values)}")
            message += f" (taken {'; '.join(taken)})" if taken else ""
        super().error(escape_controls(message))
