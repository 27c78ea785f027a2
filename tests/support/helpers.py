"""What several test files need: papers' data, experiments over `pydocs`, the command line.

Other data that they share is in `samples`.
"""

import argparse
import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

import pandas as pd
import pyterrier as pt
import pytest

import pt_cumgain
from pt_cumgain import cli, evaluate, grid, nCG, nDCG, pydocs
from pt_cumgain.papers import TOIS2002

#: The modules that list public names, beside `core` and `pydocs`.
MODULES = [
    pt_cumgain,
    *(
        import_module(f"pt_cumgain.{name}")
        for name in ("comparing", "trust", "sessions", "papers", "plots")
    ),
]
#: What is public in them, by name; a name is in one of them.
PUBLIC = {
    name: thing
    for module in MODULES
    for name in module.__all__
    if not inspect.ismodule(thing := getattr(module, name))
}

# the gain vector and the recall base of TOIS 2002, sections 2.1 and 2.2
GAIN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]

# a run and its qrels as files
QRELS = "q1 0 a 3\nq1 0 b 0\nq1 0 c 1\nq2 0 a 2\n"
RUN = "q1 Q0 c 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 b 1 1.5 t\nq2 Q0 a 2 1.0 t\n"

SESSION_COLUMNS = ["query_id", "doc_id", "score", "query_position"]
SESSION_QRELS = {"s": {"a": 3, "b": 1, "c": 2}}
# query 1 returns x (unjudged) and b, query 2 a and b; two documents are scanned of each
SESSION_RUN = pd.DataFrame(
    [("s", "x", 2.0, 1), ("s", "b", 1.0, 1), ("s", "a", 2.0, 2), ("s", "b", 1.0, 2)],
    columns=SESSION_COLUMNS,
)


def paper() -> tuple[pd.DataFrame, dict]:
    """A run with the gain vector G', and qrels with the recall base of I'."""
    left = list(IDEAL)
    for gain in GAIN:
        if gain:
            left.remove(gain)
    found = {f"d{i}": gain for i, gain in enumerate(GAIN)}
    qrels = {"1": found | {f"missed{i}": gain for i, gain in enumerate(left)}}
    rows = [("1", doc, -float(i)) for i, doc in enumerate(found)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), qrels


def frame_of(data: dict, columns: str) -> pd.DataFrame:
    """The rows of qrels or a run, a dict of each topic, as a frame with these three columns."""
    rows = [(topic, doc, value) for topic, docs in data.items() for doc, value in docs.items()]
    return pd.DataFrame(rows, columns=columns.split())


def experiment(measures, **options) -> pd.DataFrame:
    """`pt.Experiment` with the runs of `pydocs`."""
    dataset = pt.get_dataset("irds:pydocs")
    return pt.Experiment(
        pydocs.runs(), dataset.get_topics("text"), dataset.get_qrels(), measures, **options
    )


def evaluate_runs(measures, qrels, runs: dict) -> pd.DataFrame:
    frames = [evaluate(measures, qrels, run).assign(name=name) for name, run in runs.items()]
    return pd.concat(frames, ignore_index=True)


def by_query() -> pd.DataFrame:
    """The values of six measures by topic: two measures under the schemes of TOIS 2002."""
    return _by_query().copy()


@cache
def _by_query() -> pd.DataFrame:
    measures = grid([nCG(avg_pos=True), nDCG(avg_pos=True)], gains=TOIS2002, cutoffs=[100])
    return measures.rename(experiment(measures, perquery=True))


def run_python(code: str, **env: str) -> str:
    """What code prints in a process of its own, where no test has imported anything."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    env = {**os.environ, **env}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_files(*names: str) -> list[str]:
    """Run files of `pydocs`, as the command line takes them."""
    return [str(pydocs.DATA / "runs" / f"{name}.res.gz") for name in names]


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of a command, with its arguments."""
    parser = argparse.ArgumentParser(name)
    import_module(f"pt_cumgain.cli.{name}").add_arguments(parser)
    return parser


def run_cli(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str, str]:
    """Call the command line; its exit code, and what it printed."""
    code = cli.main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def refuse(capsys, *arguments: str, code: int = 2) -> str:
    """Call the command line with what it refuses; the message without its beginning."""
    ended, out, err = run_cli(capsys, *arguments)
    assert (ended, out) == (code, "")
    beginning = f"pt-cumgain {arguments[0]}: error: "
    assert err.startswith(beginning)
    return err.removeprefix(beginning).strip()


def ours(warned: Iterable[warnings.WarningMessage]) -> list[warnings.WarningMessage]:
    """This package's warnings; those of others change with their versions and with Python's."""
    return [one for one in warned if one.category is UserWarning]


def warnings_of(call: Callable[[], object]) -> list[str]:
    """The texts of this package's warnings in a call, however often one is repeated."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in ours(seen)]


def slow(*cases: object) -> list:
    """Cases of a test that the README's command leaves out; a tuple has several arguments."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.slow)
        for case in cases
    ]


def hide(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let imports of the package fail, as if it were not installed."""
    parts = [name for name in sys.modules if name.startswith(f"{package}.")]
    for name in (package, *parts):
        monkeypatch.setitem(sys.modules, name, None)
