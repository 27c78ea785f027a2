"""Every script in `examples/` runs, alone and offline, and prints what it is for."""

import importlib.util
import runpy
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PRINTS = {
    "worked_examples.py": "nCG'                                 1.00   0.83   0.89   0.73   0.62",
    "weighting_schemes.py": "patient    w100",
    "retrieval_experiment.py": "nCG(gains='0-1-10-100')@10",
    "compare_systems.py": "IPM 2005, table 6: weighting schemes within nDCG",
    "paper_figures.py": "written: figures/pydocs/ecir2008_figure4.png",
    "trust.py": "with all documents judged, the upper bounds of 4 of the 4 others exceed",
    "sessions.py": "the three reformulations that helped most",
    "agent_memory.py": "memory B: 0.799",
    "search_agents.py": "new gain at each search, the mean over all topics",
}
#: What an example evaluates besides, where the real data is: the folder it is called with, and what
#: it prints of it.
REAL = {
    "compare_systems.py": ("trec-covid-round1", "=== TREC-COVID round 1: 12 runs, 30 topics"),
    "paper_figures.py": ("trec-covid-round1", "written: figures/trec-covid/ipm2005_figure1.png"),
    "trust.py": ("trec-covid-round1", "0.022 -0.003 to 0.046 0.022 to 0.858    16% 0.022 to 0.022"),
    "sessions.py": ("session-track-2013", "what the searchers saw: 116 sessions"),
}
ARGUMENTS = {"paper_figures.py": ("figures",)}
NEEDS_PISA = {"retrieval_experiment.py", "search_agents.py", "sessions.py"}


def test_every_example_is_listed() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTS)


def run_example(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *ARGUMENTS.get(name, ()), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.end_to_end
@pytest.mark.parametrize("name", PRINTS)
def test_example(name: str, tmp_path) -> None:
    if name in NEEDS_PISA and importlib.util.find_spec("pyterrier_pisa") is None:
        pytest.skip("pyterrier-pisa has no wheel for this platform")
    assert PRINTS[name] in run_example(name, tmp_path)


@pytest.mark.end_to_end
@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("name", REAL)
def test_example_on_real_data(name: str, tmp_path, data) -> None:
    folder, printed = REAL[name]
    output = run_example(name, tmp_path, str(data / folder))
    assert PRINTS[name] in output
    assert printed in output


@pytest.mark.filterwarnings("ignore:run. none of its documents:UserWarning")
def test_what_longmemeval_reads_for_k_sessions() -> None:
    """By ``evaluate_retrieval_turn2session``: turns without evidence are another session.

    The first gain counts whole, that at rank i is divided by log2(i); the ideal is cut, too.
    """
    discounts = np.log2([2, 2, 3, 4, 5])
    example = runpy.run_path(str(EXAMPLES / "agent_memory.py"))
    turns = {("1", "a_1"), ("1", "a_2"), ("1", "b_2")}
    for order in permutations(["a_1", "a_2", "a_3", "b_1", "b_2"]):
        log = pd.DataFrame({"memory": "A", "qid": "1", "chunk": order, "score": range(5, 0, -1)})
        seen = [(chunk[0], ("1", chunk) in turns) for chunk in order]
        for sessions in (1, 3):
            read = example["read_until"](log.assign(session=log["chunk"].str[0]), turns, sessions)
            cutoff = next(k for k in range(1, 6) if len(set(seen[:k])) == sessions)
            assert len(read) == cutoff
            lists = ([found for _, found in seen], [True] * 3 + [False] * 2)
            value, ideal = (sum(of[:cutoff] / discounts[:cutoff]) for of in map(np.array, lists))
            judged = pd.DataFrame(turns, columns=["qid", "docno"]).assign(label=1)
            found = example["evaluate_turns"](read.rename(columns={"chunk": "docno"}), judged)
            assert found.tolist() == pytest.approx([value / ideal])
