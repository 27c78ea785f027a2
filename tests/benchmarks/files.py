"""Whole commands on files of runs: ours, ir-measures' and, where it is on the path, trec_eval."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tests.benchmarks.workloads import Workload

COMMAND = str(Path(sys.executable).with_name("pt-cumgain"))
MEASURES = ["nDCG@10", "nDCG@100"]
MAPPINGS = ("{2:1,3:1}", "{2:2,3:4}", "{2:10,3:100}", "{1:0,2:0,3:1}")
GRID_48 = [
    f"nDCG(gains={gains}{discount})@{k}"
    for gains in MAPPINGS
    for k in (1, 5, 10, 20, 100, 1000)
    for discount in ("", ",discount='original'")
]


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


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """Return the seconds that a command takes and its peak memory in MiB."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def compare(workload: Workload, rounds: int) -> list[dict[str, object]]:
    """Measure every command in turn; return a row for each, with medians."""
    tasks = {
        "pt-cumgain eval, 2 nDCG": [COMMAND, "eval", "qrels", "run", *MEASURES],
        "pt-cumgain eval, nDCG of the whole list": [COMMAND, "eval", "qrels", "run", "nDCG"],
        "pt-cumgain eval, 48 nDCG to rank 1000": [COMMAND, "eval", "qrels", "run", *GRID_48],
        "pt-cumgain eval, 2 nDCG, gzipped": [COMMAND, "eval", "qrels", "run.gz", *MEASURES],
        "ir_measures, 2 nDCG": [sys.executable, "-m", "ir_measures", "qrels", "run", *MEASURES],
    }
    if trec_eval := shutil.which("trec_eval"):
        tasks["trec_eval, 2 nDCG"] = [trec_eval, "-m", "ndcg_cut.10,100", "qrels", "run"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # in a process of its own: the peak memory of a command is never below its parent's
        writing = multiprocessing.get_context("spawn").Process(
            target=write, args=(workload, folder)
        )
        writing.start()
        writing.join()
        rows: dict[str, list[tuple[float, float]]] = {task: [] for task in tasks}
        for _ in range(rounds):
            for task, command in tasks.items():
                rows[task].append(measured(command, folder))
    medians = {task: statistics.median(s for s, _ in found) for task, found in rows.items()}
    ours = medians[next(iter(tasks))]
    return [
        {
            "run": str(replace(workload, runs=1)),
            "command": task,
            "seconds": f"{seconds:.2f}",
            "of the first": f"{seconds / ours:.2f}×",
            "MiB": f"{max(peak for _, peak in rows[task]):.0f}",
        }
        for task, seconds in medians.items()
    ]
