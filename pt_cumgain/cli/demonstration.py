"""``pt-cumgain demo``: five pipelines over the embedded collection, compared."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyterrier as pt

import pt_cumgain
from pt_cumgain import CG, DCG, nCG, nDCG, plots, pydocs
from pt_cumgain.cli.outputs import write_csv
from pt_cumgain.environment import terminal

BASELINE = "BM25"
SCHEMES = ("0-1-1-1", "0-1-2-3", "0-1-10-100", "0-0-0-1")
MEASURES = [
    CG @ 10,
    DCG @ 10,
    DCG(discount="original", base=2) @ 10,
    DCG(discount="original", base=10) @ 100,
    *(m(gains=scheme) @ k for m in (nCG, nDCG) for k in (10, 100) for scheme in SCHEMES),
]
#: The measure of the page.
SHOWN = nDCG(gains="0-1-10-100") @ 100


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard the output and the errors of native code."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(os.devnull, "w") as nowhere, contextlib.ExitStack() as stack:
        for descriptor in (1, 2):
            copy = os.dup(descriptor)
            stack.callback(os.close, copy)
            stack.callback(os.dup2, copy, descriptor)  # called first
            os.dup2(nowhere.fileno(), descriptor)
        yield


def retrieve(topics: pd.DataFrame) -> dict[str, Any]:
    """Index pydocs with pyterrier-pisa, and return the results of five pipelines by name.

    The pipeline "First word" is weak on purpose: it searches for one word only.

    Raises
    ------
    ImportError
        If pyterrier-pisa is not installed.
    """
    first_word = pt.apply.query(lambda row: row["query"].split()[0])
    with TemporaryDirectory() as folder, _silence():
        index = pydocs.build_index(folder)
        systems = {"BM25": index.bm25(), "QLD": index.qld(), "PL2": index.pl2(), "DPH": index.dph()}
        systems["First word"] = first_word >> index.bm25()
        return {name: system.transform(topics) for name, system in systems.items()}


def run(out: Path) -> None:
    """Run the demo: print the table of means, and write it, values, curves and page to a folder."""
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    # the last pipeline finds nothing for one topic, which every experiment would report
    warnings.filterwarnings("ignore", ".*no documents for")
    try:
        runs = retrieve(topics)
    except ImportError:
        print("pyterrier-pisa is not installed (it has no wheel for some platforms):")
        print("evaluating the runs that come with the package instead.")
        runs = pydocs.runs()
    else:
        counts = f"{len(topics)} topics, {len(qrels)} judgments"
        print(f"pydocs: {len(pydocs.documents())} documents indexed, {counts}")
    verbose, asked = terminal.shows_progress(), [*MEASURES, "Judged@10", "Judged@100"]
    results = pt.Experiment(runs, topics, qrels, asked, perquery=True, verbose=verbose)
    table = pt_cumgain.paper_table(results, measures=MEASURES, systems=[*runs], baseline=BASELINE)
    print(f"\n{table.to_text(terminal.count_columns())}")
    write_csv(str(out / "experiment.csv"), results)
    write_csv(str(out / "table.csv"), table.means.rename_axis("measure").reset_index())
    shown = [CG, DCG(discount="original"), nDCG(gains="0-1-10-100")]
    curves = pt_cumgain.gain_curves(runs, topics, qrels, shown)
    plots.save(plots.plot_curves(curves), out / "curves.png")
    page, title = out / "report.html", "Five systems on pydocs"
    pt_cumgain.report(runs, topics, qrels, SHOWN, path=page, baseline=BASELINE, title=title)
    print(f"written to {out}: experiment.csv, table.csv, curves.png, report.html")
    print(f"To open the page: python -m webbrowser {page.resolve().as_uri()}")
