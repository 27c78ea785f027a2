"""The arguments of the commands, derived from functions of the package and from docstrings.

The module of a command lists its arguments in ``ARGUMENTS``. An argument that is a parameter of one
of the command's ``FUNCTIONS`` takes over the parameter's default, and the choices or the type of
its option. ``DIFFERS`` holds other argparse options, by name. The help of an argument is its entry
in the docstring of the command's module or in this one, or else the first sentence of its entry in
the function's docstring.

Parameters
----------
qrels
    Qrels file (TREC, BEIR, Parquet, JSON; also .gz) or ir_datasets id.
runs
    Run files (TREC, Parquet, JSON; also .gz), or NAME=path.
scores
    Compare scores as doubles or, like trec_eval up to 9.0.7, as float32 (%(default)s).
missing
    How topics of the qrels that are missing from a run count: as 0, or not at all (%(default)s).
interval
    Print the t interval over topics with each mean.
places
    Decimal places (%(default)s).
"""

from __future__ import annotations

import argparse
import ast
import re
from inspect import cleandoc
from pkgutil import get_data
from typing import Any

from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import OPTIONS

#: The arguments of commands that take several runs and measures.
RUNS = ("qrels", "runs", "--measure", "--scores")
#: The options that have their first letter as a short form.
LETTERS = {"baseline", "depth", "measure", "output", "places", "topics"}
#: The options below a heading of their own in the help.
GROUPS = {
    "input": {"dataset", "values", "run", "provider", "scores", "missing", "topics", "over"},
    "comparison": {"test", "baseline", "correction", "marks", "dominance", "interval",
                   "confidence"},
    "output": {"places", "by_query", "no_summary", "output_format", "rows", "order", "format",
               "width", "output", "csv", "title", "documents", "log_rank"},
}  # fmt: skip
#: The options for argparse of arguments of several commands.
SHARED: dict[str, dict[str, Any]] = {
    "runs": {"nargs": "+", "metavar": "run"},
    "measure": {"action": "append"},
    "depth": {"type": int},
    "baseline": {"type": escape_controls, "metavar": "RUN"},
    "correction": {"metavar": "CORRECTION"},
    "places": {"type": int, "default": 3},
}
#: The options without a value, beside those of functions.
FLAGS = {"by_query", "dominance", "files", "interval", "no_summary"}


def add_arguments(parser: argparse.ArgumentParser, command: Any) -> None:
    """Add the description and the arguments that the module of a command declares."""
    text = cleandoc(command.__doc__ or "").partition("\n\n")[2]
    parser.description = " ".join(text.partition("\n\nParameters\n")[0].split())
    entries = _read_entries(__doc__) | _read_entries(command.__doc__)
    groups: dict[str | None, Any] = {title: parser.add_argument_group(title) for title in GROUPS}
    parameters: dict[str, dict[str, Any]] = {}
    for function in getattr(command, "FUNCTIONS", ()):
        parameters = _read_parameters(function) | parameters
    for spelled in command.ARGUMENTS:
        name = name_argument(spelled)
        flags = spelled.split() + [f"-{name[0]}"] * (name in LETTERS)
        options = {"action": "store_true"} if name in FLAGS else SHARED.get(name, {})
        options = options | getattr(command, "DIFFERS", {}).get(name, {})
        if name in parameters:
            options = _derive(name, parameters[name], options)
        if name in entries:
            options["help"] = entries[name]
        title = next((title for title, names in GROUPS.items() if name in names), None)
        groups.get(title, parser).add_argument(*flags, **options)


def name_argument(spelled: str) -> str:
    """Return the name of an argument in argparse's result."""
    return spelled.split()[0].lstrip("-").replace("-", "_")


def _derive(name: str, parameter: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return options of argparse with those of a parameter: its help, default, choices or type."""
    option, default = OPTIONS.get(name), parameter["default"]
    if option and not options.keys() & {"choices", "type"}:
        example = option.examples[0]
        if example is True:
            return {"action": "store_true", "help": parameter["help"], **options}
        if option.choices:
            none = ["none"] * (default is not None and option.allows(None))
            options = {"choices": [*option.choices, *none], **options}
        else:
            options = {"type": type(example), **options}
    suffix = "" if default is None else " (%(default)s)"
    return {"default": default, "help": parameter["help"] + suffix, **options}


def _read_parameters(function: str) -> dict[str, dict[str, Any]]:
    """Return the default of each optional parameter of a function, and the help about it.

    They are read from its source, because importing its module would import pandas.
    """
    module, _, name = function.rpartition(".")
    source = (get_data("pt_cumgain", f"{module.replace('.', '/')}.py") or b"").decode()
    head: Any = re.search(rf'^def {name}\(.*?""".*?"""', source, re.MULTILINE | re.DOTALL)
    definition: Any = ast.parse(head.group()).body[0]
    entries = _read_entries(cleandoc(definition.body[0].value.value))
    arguments = definition.args
    names = [argument.arg for argument in [*arguments.args, *arguments.kwonlyargs]]
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    return {
        name: {"default": default.value, "help": re.split("[.;] ", entries.get(name, ""))[0]}
        for name, default in zip(names[-len(defaults) :], defaults)
        if isinstance(default, ast.Constant)
    }


def _read_entries(docstring: str | None) -> dict[str, str]:
    """Return the description of each parameter in a docstring, in the form of a help text."""
    section = cleandoc(docstring or "").partition("\nParameters\n----------\n")[2]
    entries: dict[str, str] = {}
    for names, lines in re.findall(r"^(\S.*)\n((?: .*\n|\n(?= ))+)", f"{section}\n", re.MULTILINE):
        text = " ".join(lines.replace("``", "").split()).removesuffix(".")
        entries |= dict.fromkeys(names.split(", "), text[0].lower() + text[1:])
    return entries
