"""Whole commands on files of runs: ours, ir-measures' and, where it is on the path, trec_eval."""

import gzip
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tests.benchmarks.workloads import GRID_48, Workload

COMMAND = str(Path(sys.executable).with_name("pt-cumgain"))
MEASURES = ["nDCG@10", "nDCG@100"]


def write(workload: Workload, folder: Path) -> None:
    """Write qrels and the first run of a workload as TREC files, the run compressed, too."""
    qrels, (run, *_) = workload.make()
    columns = {"query_id": run["query_id"], "Q0": "Q0", "doc_id": run["doc_id"], "rank": 0}
    lines = pd.DataFrame({**columns, "score": run["score"], "tag": "t"})
    lines.to_csv(folder / "run", sep=" ", header=False, index=False)
    qrels = qrels.assign(Q0=0)[["query_id", "Q0", "doc_id", "relevance"]]
    qrels.to_csv(folder / "qrels", sep=" ", header=False, index=False)
    with (folder / "run").open("rb") as plain, gzip.open(folder / "run.gz", "wb", 1) as packed:
        shutil.copyfileobj(plain, packed)


#: Runs a command from a small process: its peak memory is never below that of its parent.
SPAWN = """
import os, sys, time
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begun = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - begun, usage.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """Return the seconds that a command takes and its peak memory in MiB."""
    spawn = [sys.executable, "-I", "-S", "-c", SPAWN, *command]
    done = subprocess.run(spawn, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def compare(workload: Workload, rounds: int) -> list[dict[str, object]]:
    """Measure every command in turn; return a row for each, with medians."""
    ours = [COMMAND, "eval", "qrels"]
    tasks = {
        "pt-cumgain eval, 2 nDCG": [*ours, "run", *MEASURES],
        "pt-cumgain eval, nDCG of the whole list": [*ours, "run", "nDCG"],
        "pt-cumgain eval, 48 nDCG to rank 1000": [*ours, "run", *map(str, GRID_48)],
        "pt-cumgain eval, 2 nDCG, gzipped": [*ours, "run.gz", *MEASURES],
        "ir_measures, 2 nDCG": [sys.executable, "-m", "ir_measures", "qrels", "run", *MEASURES],
    }
    if trec_eval := shutil.which("trec_eval"):
        tasks["trec_eval, 2 nDCG"] = [trec_eval, "-m", "ndcg_cut.10,100", "qrels", "run"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(workload, folder)
        rows: dict[str, list[tuple[float, float]]] = {task: [] for task in tasks}
        for _ in range(rounds):
            for task, command in tasks.items():
                rows[task].append(measured(command, folder))
    medians = {task: statistics.median(s for s, _ in found) for task, found in rows.items()}
    first = medians[next(iter(tasks))]
    return [
        {
            "run": str(replace(workload, runs=1)),
            "command": task,
            "seconds": f"{seconds:.2f}",
            "of the first": f"{seconds / first:.2f}×",
            "MiB": f"{max(peak for _, peak in rows[task]):.0f}",
        }
        for task, seconds in medians.items()
    ]
