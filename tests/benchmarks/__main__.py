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
from tests.benchmarks.workloads import GRID, GRID_48, L2, MAPPINGS, L, M, S, Workload
from tests.support.browser import chromium

TWO = [nDCG @ 10, nDCG @ 100]
CURVES = [
    measure(gains=gains)
    for measure in (CG, DCG(discount="original"), nCG, nDCG(discount="original"))
    for gains in MAPPINGS
]

#: Where the manual has the tables from.
MEASURED = Path(__file__).parents[2] / "pt_cumgain" / "pt_docs" / "measured"
#: What is imported under another name than it is installed under.
MODULES = {"ir-measures": "ir_measures", "pytrec-eval-terrier": "pytrec_eval"}

Call = Callable[[], Any]


def timed(call: Call) -> float:
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


def ours(measures: list[Any], qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    return lambda: list(map(provider.evaluator(measures, qrels).calc_aggregate, runs))


def ours_of_shuffled(qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return our evaluation of 48 measures where the rows of a topic are in no order."""
    shuffled = [run.sample(frac=1, random_state=0) for run in runs]
    runs = [run.sort_values("query_id", kind="stable") for run in shuffled]
    return ours(GRID_48, qrels, runs)


def curves(qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return the drawing of 16 measures' curves down to rank 1000, as means over topics."""
    return lambda: gain_curves(runs, None, qrels, CURVES, 1000)


def hosts(measures: list[Any], qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return ir-measures' evaluation (pytrec_eval) of the same measures."""
    same = [HostNDCG(**measure.params) for measure in measures]
    return lambda: list(map(ir_measures.pytrec_eval.evaluator(same, qrels).calc_aggregate, runs))


def ranxs(built: bool, qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> Call:
    """Return ranx's evaluation of TWO, with its structures built before or from frames."""
    import ranx

    ids = {"query_id": object, "doc_id": object}  # ranx takes no other columns
    qrels = qrels[qrels["relevance"] > 0].astype(ids)
    runs = [run.astype(ids) for run in runs]

    def build() -> tuple[Any, list[Any]]:
        return (
            ranx.Qrels.from_df(qrels, q_id_col="query_id", score_col="relevance"),
            [ranx.Run.from_df(run, q_id_col="query_id") for run in runs],
        )

    def evaluate(judged: Any, made: list[Any]) -> list[Any]:
        names = ["ndcg@10", "ndcg@100"]
        return [ranx.evaluate(judged, run, names, make_comparable=True) for run in made]

    ready = build()
    evaluate(*ready)  # compiles
    return (lambda: evaluate(*ready)) if built else (lambda: evaluate(*build()))


#: What is measured, and who computes it.
TASKS: dict[tuple[str, str], Callable[..., Call]] = {
    ("2 nDCG", "ours"): partial(ours, TWO),
    ("2 nDCG", "ir-measures"): partial(hosts, TWO),
    ("2 nDCG", "ranx"): partial(ranxs, False),
    ("2 nDCG", "ranx, built"): partial(ranxs, True),
    ("24 nDCG", "ours"): partial(ours, GRID),
    ("24 nDCG", "ir-measures"): partial(hosts, GRID),
    ("48 nDCG", "ours"): partial(ours, GRID_48),
    ("1 nDCG to rank 1000", "ours"): partial(ours, [nDCG @ 1000]),
    ("48, rows shuffled in topics", "ours"): ours_of_shuffled,
    ("16 curves to rank 1000", "ours"): curves,
}


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
    tasks = {task: make for task, make in TASKS.items() if ranx_too or "ranx" not in task[1]}
    seconds: dict[tuple[str, str], list[float]] = {task: [] for task in tasks}
    for seed in range(rounds):
        for task, make in tasks.items():
            seconds[task].append(timed(make(*workload.make(seed=seed))))
    medians = {task: statistics.median(found) for task, found in seconds.items()}
    rows: dict[str, dict[str, object]] = {}
    for (what, who), median in medians.items():
        row = rows.setdefault(what, {"run": str(workload), "measures": what})
        if who == "ours":
            row["seconds"] = f"{median:.3f}"
        else:
            row[who] = f"{median / medians[what, 'ours']:.0f}×"
    for (what, who), make in tasks.items():
        if "ranx" not in who and workload.topics < L.topics:
            name = "MiB" if who == "ours" else f"{who}' MiB"
            rows[what][name] = f"{peak(make(*workload.make())):.0f}"
    return list(rows.values())


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
    slices = [S, L.scaled(1000), L2.scaled(1000)]
    sizes = {
        "small": [S.scaled(3, 200), L.scaled(20, 100), L2.scaled(20, 100)],
        "slices": slices,
        "full": [*slices, L, L2],
    }
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("size", nargs="?", choices=[*sizes, "files", "page"], default="slices")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(argv)
    name, programs, rows = args.size, [], []
    if args.size == "files":
        for workload in (S, M, L2):
            rows += files.compare(workload, args.rounds)
    elif args.size == "page":
        with chromium() as browser:
            programs.append(f"Chromium {browser.version}")
            for workload, step in page.PAGES.items():
                rows += page.compare(browser, workload, step, args.rounds)
    else:
        name = "memory"
        has_ranx = importlib.util.find_spec("ranx") is not None and args.size != "small"
        for workload in sizes[args.size]:
            check(workload)
            rows += compare(workload, args.rounds if workload.topics < L.topics else 1, has_ranx)
        print("values agree with ir-measures' to 1e-9")
    report(rows, args.rounds, name if args.write else None, *programs)


if __name__ == "__main__":
    main()
