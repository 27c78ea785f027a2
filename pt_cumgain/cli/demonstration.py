"""``pt-cumgain demo``: pipelines over the embedded collection and its sessions, compared."""

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
from pt_cumgain import CG, DCG, grid, nCG, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.cli.outputs import wrap_line
from pt_cumgain.environment import terminal
from pt_cumgain.environment.files import replacing
from pt_cumgain.papers import IPM2005

BASELINE = "BM25"
SCHEMES = ("0-1-1-1", "0-1-2-3", "0-1-10-100", "0-0-0-1")
MEASURES = [
    CG @ 10,
    DCG @ 10,
    DCG(discount="original", base=2) @ 10,
    DCG(discount="original", base=10) @ 100,
    *(m(gains=scheme) @ k for m in (nCG, nDCG) for k in (10, 100) for scheme in SCHEMES),
]
#: The measures whose orders of the systems are compared, as in tables 4 to 6 of IPM 2005.
FAMILIES = grid(
    [CG, DCG(discount="original"), nDCG(discount="original")], gains=IPM2005, cutoffs=[100]
)
#: The measure of the page.
SHOWN = nDCG(gains="0-1-10-100") @ 100
CURVES = [
    measure(gains=scheme)
    for measure in (CG, DCG(discount="original"), nCG, nDCG(discount="original"))
    for scheme in ("0-1-1-1", "0-1-10-100")
]
SESSION_MEASURES = [
    sDCG @ 10,
    nsDCG @ 10,
    nsDCG(duplicates="first") @ 10,
    nsDCG(gains="0-1-10-100") @ 10,
    # discounted as in Kanoulas et al. (2011)
    nsDCG(gains="exp", discount="log2", query_discount="shifted") @ 10,
]

#: Runs by the names of their systems: frames.
Runs = dict[str, Any]


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


def retrieve(topics: pd.DataFrame, sessions: pd.DataFrame) -> tuple[Runs, Runs]:
    """Index pydocs with pyterrier-pisa; run five pipelines on the topics, two on the sessions.

    The pipeline "First word" is weak on purpose: it searches for one word only. "BM25 + earlier
    queries" searches for the words of all queries of the session so far.

    Raises
    ------
    ImportError
        If pyterrier-pisa is not installed.
    """
    first_word = pt.apply.query(lambda row: row["query"].split()[0])
    earlier = pt.apply.query(lambda row: " ".join([*row["previous_queries"], row["query"]]))
    with TemporaryDirectory() as folder, _silence():
        import pyterrier_pisa

        index = pyterrier_pisa.PisaIndex(folder, text_field=["title", "text"])
        index.index(pt.get_dataset("irds:pydocs").get_corpus_iter(verbose=False))
        systems = {"BM25": index.bm25(), "QLD": index.qld(), "PL2": index.pl2(), "DPH": index.dph()}
        systems["First word"] = first_word >> index.bm25()
        bm25 = index.bm25(num_results=100)
        over_sessions = {
            BASELINE: pt_cumgain.per_session(bm25),
            "BM25 + earlier queries": pt_cumgain.per_session(earlier >> bm25),
        }
        return (
            {name: system.transform(topics) for name, system in systems.items()},
            {name: system.transform(sessions) for name, system in over_sessions.items()},
        )


def compare(results: pd.DataFrame, measures: list[Any], systems: Runs) -> pd.DataFrame:
    """Print the means of an experiment, compared with the baseline's, and return them."""
    table = pt_cumgain.paper_table(
        results, measures=measures, systems=list(systems), test="t", baseline=BASELINE
    )
    print(f"\n{table.to_text(terminal.count_columns())}")
    return table.means.rename_axis("measure")


def correlate(results: pd.DataFrame) -> pd.DataFrame:
    """Print how similarly the measures of different weightings rank the systems."""
    families = results[results["measure"].isin(list(FAMILIES.labels))]
    correlation = pt_cumgain.comparing.rank_correlation(FAMILIES.rename(families))
    question = "Does the weighting change the order of the systems? Kendall's tau-b at rank 100, "
    schemes = ", ".join(f"{name} is {scheme}" for name, scheme in IPM2005.items())
    print(f"{wrap_line(f'{question}under the weightings of IPM 2005: {schemes}.')}\n")
    print(pt_cumgain.comparing.correlation_table(correlation).to_text(terminal.count_columns()))
    print(wrap_line(answer(correlation)))
    return correlation


def answer(correlation: pd.DataFrame) -> str:
    """Return whether the order depends on the weighting, from weightings of the same measure."""
    pairs: Any = correlation.stack().items()
    same = [t for (a, b), t in pairs if a != b and a.split()[0] == b.split()[0]]
    changes = "yes" if min(same) < 1 - 1e-9 else "no"
    return (
        f"Answer: {changes}. Between weightings of one measure, tau-b ranges from "
        f"{min(same):.2f} to {max(same):.2f} (1: same order)."
    )


def run(out: Path) -> None:
    """Run the demo: print the tables, write them to the folder ``out``."""
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    sessions, session_qrels = pydocs.sessions(), pydocs.session_qrels()
    verbose = terminal.shows_progress()
    # the last pipeline finds nothing for one topic, which every experiment would report
    warnings.filterwarnings("ignore", ".*no documents for")
    try:
        runs, session_runs = retrieve(topics, sessions)
    except ImportError:
        print("pyterrier-pisa is not installed (it has no wheel for some platforms):")
        print("evaluating the runs that come with the package instead.")
        runs, session_runs = pydocs.runs(), pydocs.session_runs()
    else:
        print(
            f"pydocs: {len(pydocs.documents())} documents indexed, {len(topics)} topics, "
            f"{len(qrels)} judgments"
        )
    results = pt.Experiment(
        runs, topics, qrels, [*MEASURES, *FAMILIES], perquery=True, verbose=verbose
    )
    means = compare(results, MEASURES, runs)
    correlation = correlate(results)
    queries = sum(map(len, sessions["queries"]))
    print(f"\n{len(sessions)} sessions with {queries} queries on some of these topics")
    session_results = pt.Experiment(
        session_runs, sessions, session_qrels, SESSION_MEASURES, perquery=True, verbose=verbose
    )
    compare(session_results, SESSION_MEASURES, session_runs)
    curves = pt_cumgain.gain_curves(runs, topics, qrels, CURVES)
    positions = pt_cumgain.sessions.session_curves(
        session_runs, sessions, session_qrels, [sDCG @ 10, nsDCG @ 10]
    )
    figures = {
        "curves.png": plots.plot_curves(curves),
        "sessions.png": plots.plot_session_curves(positions),
        "correlation.png": plots.plot_correlation(correlation),
        "precision.png": plots.plot_precision(
            pt_cumgain.papers.precision_by_level(runs, topics, qrels)
        ),
    }
    for name, figure in figures.items():
        plots.save(figure, out / name, dpi=200)
    page, title = out / "report.html", "Five systems on pydocs"
    pt_cumgain.report(runs, topics, qrels, SHOWN, path=page, baseline=BASELINE, title=title)
    tables = {
        "experiment.csv": results,
        "table.csv": means.reset_index(),
        "sessions.csv": session_results,
        "positions.csv": positions,
    }
    for name, frame in tables.items():
        with replacing(out / name) as path:
            frame.to_csv(path, index=False)
    page_note = f"{page.name}: a page on which gains, discount and rank can be changed"
    print(f"written to {out}:", *tables, *figures, page_note, sep="\n  ")
    print(f"To open the page: python -m webbrowser {page.resolve().as_uri()}")
