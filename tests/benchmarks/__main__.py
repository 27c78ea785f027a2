"""Time and memory beside ir-measures and ranx: ``python -m tests.benchmarks [small|slices|full]``.

All contenders run in one process, one after the other, several rounds; every round has new string
objects (see `workloads`). First their values are compared, to 1e-9; then medians are printed with
the ratio to ours. ``small`` takes seconds and checks the benchmark itself; ``slices`` has S and
the first 1,000 topics (1M rows) of L and L2; ``full`` adds one round of L and L2 whole (7M rows).
ranx takes part if it is installed (``pip install ranx``). ``files`` measures whole commands on
files, beside the ``ir_measures`` command and, if it is on the path, ``trec_eval``. ``page`` writes
interactive pages, opens them in Chromium and drags. ``--write`` writes the table into the manual,
which shows those of ``full``, ``files`` and ``page``.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import importlib.util
import os
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures.ndcg import _nDCG as HostNDCG

from pt_cumgain import CG, DCG, gain_curves, nCG, nDCG
from pt_cumgain.hosts.ir_measures import provider
from tests.benchmarks import files, page
from tests.benchmarks.workloads import L2, L, M, S, Workload
from tests.support.browser import chromium

MAPPINGS = [{2: 1, 3: 1}, {2: 2, 3: 4}, {2: 10, 3: 100}, {1: 0, 2: 0, 3: 1}]
TWO = [nDCG @ 10, nDCG @ 100]
GRID = [nDCG(gains=gains) @ k for gains in MAPPINGS for k in (1, 5, 10, 20, 100, 1000)]
CURVES = [
    measure(gains=gains)
    for measure in (CG, DCG(discount="original"), nCG, nDCG(discount="original"))
    for gains in MAPPINGS
]
GRID_48 = [*GRID, *(measure(discount="original") for measure in GRID)]

#: Where the manual has the tables from.
MEASURED = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured"
#: What is imported under another name than it is installed under.
MODULES = {"ir-measures": "ir_measures", "pytrec-eval-terrier": "pytrec_eval"}

Call = Callable[[], Any]


def timed(call: Call) -> float:
    """Return the seconds a call takes."""
    gc.collect()
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def peak(call: Call) -> float:
    """Return the MiB that Python and NumPy allocate at the peak of a call (not what C++ does)."""
    gc.collect()
    tracemalloc.start()
    call()
    size = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return size


def each(runs: list[pd.DataFrame], evaluate: Callable[[pd.DataFrame], Any]) -> list[Any]:
    """Evaluate run after run."""
    return [evaluate(run) for run in runs]


def ours(measures: list[Any], qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return our evaluation of the runs."""
    return lambda: each(runs, provider.evaluator(measures, qrels).calc_aggregate)


def curves(qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return the drawing of 16 measures' curves down to rank 1000, as means over topics."""
    return lambda: gain_curves(runs, None, qrels, CURVES, 1000)


def hosts(measures: list[Any], qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return ir-measures' evaluation (pytrec_eval) of the same measures."""
    same = [HostNDCG(**measure.params) for measure in measures]
    return lambda: each(runs, ir_measures.pytrec_eval.evaluator(same, qrels).calc_aggregate)


def ranxs(qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> tuple[Call, Call]:
    """Return ranx's evaluation of TWO with its structures built from frames, and without."""
    import ranx

    ids = {"query_id": object, "doc_id": object}  # ranx takes no other columns
    qrels = qrels[qrels["relevance"] > 0].astype(ids)
    runs = [run.astype(ids) for run in runs]

    def build() -> tuple[Any, list[Any]]:
        return (
            ranx.Qrels.from_df(qrels, q_id_col="query_id", score_col="relevance"),
            [ranx.Run.from_df(run, q_id_col="query_id") for run in runs],
        )

    def evaluate(built: tuple[Any, list[Any]]) -> list[Any]:
        names = ["ndcg@10", "ndcg@100"]
        return [ranx.evaluate(built[0], run, names, make_comparable=True) for run in built[1]]

    ready = build()
    evaluate(ready)  # compiles
    return (lambda: evaluate(build())), (lambda: evaluate(ready))


def check(workload: Workload) -> None:
    """Compare values with ir-measures' on a few topics, to 1e-9."""
    qrels, runs = workload.scaled(min(workload.topics, 20)).make(seed=1)
    for measure in [*TWO, *GRID]:  # one a call: in one call ir-measures mixes gains up
        mine = {v.query_id: v.value for v in provider.iter_calc([measure], qrels, runs[0])}
        host = HostNDCG(**measure.params)
        for value in ir_measures.pytrec_eval.iter_calc([host], qrels, runs[0]):
            np.testing.assert_allclose(mine[value.query_id], value.value, rtol=1e-9, atol=1e-12)


def compare(workload: Workload, rounds: int, ranx_too: bool) -> list[dict[str, object]]:
    """Measure every contender on a workload; return a row for each task."""
    found: dict[tuple[str, str], list[float]] = {}
    memory: dict[tuple[str, str], float] = {}

    def take(task: str, who: str, make: Callable[..., Call], seed: int) -> None:
        call = make(*workload.make(seed=seed))
        found.setdefault((task, who), []).append(timed(call))
        if seed == 0 and workload.topics < L.topics:
            memory[task, who] = peak(make(*workload.make(seed=seed)))

    def within(qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
        shuffled = [run.sample(frac=1, random_state=0) for run in runs]
        return ours(
            GRID_48, qrels, [run.sort_values("query_id", kind="stable") for run in shuffled]
        )

    for seed in range(rounds):
        for task, measures in (("2 nDCG", TWO), ("24 nDCG", GRID), ("48 nDCG", GRID_48)):
            take(task, "ours", partial(ours, measures), seed)
            if measures is not GRID_48:
                take(task, "ir-measures", partial(hosts, measures), seed)
        take("1 nDCG to rank 1000", "ours", partial(ours, [nDCG @ 1000]), seed)
        take("48, rows shuffled in topics", "ours", within, seed)
        take("16 curves to rank 1000", "ours", curves, seed)
        if ranx_too:
            built, ready = ranxs(*workload.make(seed=seed))
            found.setdefault(("2 nDCG", "ranx"), []).append(timed(built))
            found.setdefault(("2 nDCG", "ranx, built"), []).append(timed(ready))
    rows = []
    for task in dict.fromkeys(task for task, _ in found):
        seconds = statistics.median(found[task, "ours"])
        row: dict[str, object] = {"run": str(workload), "measures": task}
        row["seconds"] = f"{seconds:.3f}"
        for who in ("ir-measures", "ranx", "ranx, built"):
            if (task, who) in found:
                other = statistics.median(found[task, who])
                row[who] = f"{other / seconds:.0f}×"
        if (task, "ours") in memory:
            row["MiB"] = f"{memory[task, 'ours']:.0f}"
            if (task, "ir-measures") in memory:
                row["ir-measures' MiB"] = f"{memory[task, 'ir-measures']:.0f}"
        rows.append(row)
    return rows


def report(rows: list[dict[str, object]], rounds: int, name: str | None, *programs: str) -> None:
    """Print the table; under a name, write it and where it was measured into the manual."""
    table = pd.DataFrame(rows).fillna("")
    table["run"] = table["run"].where(~table["run"].duplicated(), "")
    packages = ("numpy", "pandas", "pyarrow", "ir-measures", "pytrec-eval-terrier", "ranx")
    found = [
        f"{package} {importlib.metadata.version(package)}"
        for package in packages
        if importlib.util.find_spec(MODULES.get(package, package))
    ]
    versions = ", ".join([*found, *programs])
    where = f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    said = f"Medians of {rounds} round{'s' * (rounds > 1)}; {where}."
    print(f"{said}\n\n{table.to_string(index=False)}")
    if name is not None:
        table.to_csv(MEASURED / f"{name}.csv", index=False)
        (MEASURED / f"{name}.txt").write_text(f"{said}\n", "utf-8")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    sizes = ("small", "slices", "full", "files", "page")
    parser.add_argument("size", nargs="?", choices=sizes, default="slices")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(argv)
    if args.size == "files":
        rows = [row for workload in (S, M, L2) for row in files.compare(workload, args.rounds)]
        report(rows, args.rounds, "files" if args.write else None)
        return
    if args.size == "page":
        with chromium() as browser:
            version = f"Chromium {browser.version}"
            pages = page.PAGES.items()
            rows = [row for one in pages for row in page.compare(browser, *one, args.rounds)]
        report(rows, args.rounds, "page" if args.write else None, version)
        return
    workloads = {
        "small": [S.scaled(3, 200), L.scaled(20, 100), L2.scaled(20, 100)],
        "slices": [S, L.scaled(1000), L2.scaled(1000)],
        "full": [S, L.scaled(1000), L2.scaled(1000), L, L2],
    }[args.size]
    has_ranx = importlib.util.find_spec("ranx") is not None and args.size != "small"
    rows = []
    for workload in workloads:
        check(workload)
        rows += compare(workload, args.rounds if workload.rows < L.rows else 1, has_ranx)
    print("values agree with ir-measures' to 1e-9")
    report(rows, args.rounds, "memory" if args.write else None)


if __name__ == "__main__":
    main()
