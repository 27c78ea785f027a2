"""``pt-cumgain demo``: pipelines over the embedded collection and its sessions, compared."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

import pt_cumgain
from pt_cumgain import CG, DCG, IPM2005, TOIS2002, grid, nCG, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.files import replacing, temporary_folder

BASELINE = "BM25"
SCHEMES = ("0-1-1-1", "0-1-2-3", "0-1-10-100", "0-0-0-1")
MEASURES = [
    CG @ 10,
    DCG @ 10,
    DCG(discount="original", base=2) @ 10,
    DCG(discount="original", base=10) @ 100,
    *(m(gains=scheme) @ k for m in (nCG, nDCG) for k in (10, 100) for scheme in SCHEMES),
]
#: Averages of vectors, as in table 2 of TOIS 2002.
AVERAGES = grid(
    [nCG(avg_pos=True), nDCG(avg_pos=True, discount="original")], gains=TOIS2002, cutoffs=[100]
)
#: The measures whose orders of the systems are compared, as in tables 4 to 6 of IPM 2005.
FAMILIES = grid(
    [CG, DCG(discount="original"), nDCG(discount="original")], gains=IPM2005, cutoffs=[100]
)
#: The measure whose reliability the demo reports.
TRUSTED = nDCG(gains="0-1-10-100") @ 100
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
def _silenced() -> Iterator[None]:
    """Discard what native code writes to standard output and error."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in (*kept, nowhere):
            os.close(descriptor)


def retrieve(topics: pd.DataFrame, sessions: pd.DataFrame) -> tuple[Runs, Runs]:
    """Index pydocs with pyterrier-pisa; run five pipelines on the topics, two on the sessions.

    The pipeline "First word" is weak on purpose: it searches for one word only. The one with the
    earlier queries searches for the words of all queries of the session so far.

    Raises
    ------
    ImportError
        If pyterrier-pisa is not installed.
    """
    first_word = pt.apply.query(lambda row: row["query"].split()[0])
    earlier = pt.apply.query(lambda row: " ".join([*row["previous_queries"], row["query"]]))
    with temporary_folder() as folder, _silenced():
        import pyterrier_pisa

        index = pyterrier_pisa.PisaIndex(str(folder), text_field=["title", "text"])
        index.index(pt.get_dataset("irds:pydocs").get_corpus_iter(verbose=False))
        systems = {"BM25": index.bm25(), "QLD": index.qld(), "PL2": index.pl2(), "DPH": index.dph()}
        systems["First word"] = first_word >> index.bm25()
        bm25 = index.bm25(num_results=100)
        of_sessions = {
            BASELINE: pt_cumgain.per_session(bm25),
            "BM25 + earlier queries": pt_cumgain.per_session(earlier >> bm25),
        }
        return (
            {name: system.transform(topics) for name, system in systems.items()},
            {name: system.transform(sessions) for name, system in of_sessions.items()},
        )


def compare(results: pd.DataFrame, measures: list[Any], systems: Runs) -> pd.DataFrame:
    """Print the means of an experiment, compared with the baseline's, and return them."""
    places = {measure: 3 if str(measure).startswith("n") else 2 for measure in measures}
    options: Any = {"places": places, "test": "t", "baseline": BASELINE}
    table = pt_cumgain.paper_table(results, measures=measures, systems=list(systems), **options)
    print(f"\nMeans\n\n{table.to_text(100)}")
    return table.means.rename_axis("measure")


def correlate(results: pd.DataFrame) -> pd.DataFrame:
    """Print how similarly the measures of different weightings rank the systems."""
    chosen = results[results["measure"].isin(list(FAMILIES.labels))]
    correlation = pt_cumgain.rank_correlation(FAMILIES.rename(chosen))
    print("Does the weighting change the order of the systems? Kendall's tau-b, cutoff 100\n")
    print(pt_cumgain.correlation_table(correlation).to_text(100))
    return correlation


def trust(
    results: pd.DataFrame, runs: Runs, topics: pd.DataFrame, qrels: pd.DataFrame
) -> pd.DataFrame:
    """Print how far the means can be trusted, and the paragraph that a paper could make of it."""
    parts = (
        pt_cumgain.intervals(results[results["measure"] == str(TRUSTED)], baseline=BASELINE),
        pt_cumgain.bounds(runs, topics, qrels, TRUSTED),
        pt_cumgain.tie_effects(runs, topics, qrels, TRUSTED),
    )
    ends, ranges, ties = (part.set_index("name").loc[list(runs)] for part in parts)
    table = ends.drop(columns="measure").assign(
        least=ranges["low"],
        most=ranges["high"],
        judged=ranges["judged"],
        by_ties=ties["best"] - ties["worst"],
    )
    print(f"\nHow far can the means of {TRUSTED} be trusted? 95% intervals")
    print(f"(bootstrap over topics) of the means and of their differences from {BASELINE}; the")
    print("least and the most that the means could be if all documents were judged; the share of")
    print("the top-ranked documents that is judged; the effect of ties\n")
    print(table.round(3).to_string())
    base: Any = table.loc[BASELINE]
    others = table.drop(index=BASELINE)
    differ = others[(others["difference_low"] > 0) | (others["difference_high"] < 0)]
    named = f" ({', '.join(differ.index)})" if len(differ) else ""
    paragraph = (
        f"Over {len(topics)} topics, {BASELINE} reaches {base['mean']:.3f} ({base['low']:.3f} to "
        f"{base['high']:.3f}). The interval of the difference from it excludes 0 for "
        f"{len(differ)} of {len(others)} systems{named}. {base['judged']:.0%} of its top-ranked "
        f"documents are judged; if all were, its mean could lie between {base['least']:.3f} and "
        f"{base['most']:.3f}. The order of tied documents changes no mean by more than "
        f"{table['by_ties'].max():.3f}."
    )
    print(f"\n{textwrap.fill(paragraph, 80, break_on_hyphens=False)}")
    return table


def by_position(runs: Runs, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the mean nsDCG@100 of the first, second, ... queries of the sessions, by system."""
    gains = pt_cumgain.query_gains(runs, None, qrels, nsDCG)
    grouped = gains.groupby(["query_position", "name"], sort=False)["value"]
    means = grouped.mean().unstack()
    means.insert(0, "queries", grouped.size().unstack().iloc[:, 0])
    return means.rename_axis(columns=None)


def run(out: Path) -> None:
    """Run the demo: print the tables, write them to the folder ``out``."""
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    sessions, session_qrels = pydocs.sessions(), pydocs.session_qrels()
    # the last pipeline finds nothing for one topic, which every experiment would report
    warnings.filterwarnings("ignore", "the run has no documents for")
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
    measures = [*MEASURES, *AVERAGES, *FAMILIES]
    each = pt.Experiment(runs, topics, qrels, measures, perquery=True, verbose=True)
    means = compare(each, MEASURES, runs)
    print("Averages of the vectors to rank 100; which systems are better than which\n")
    table = pt_cumgain.paper_table(each, measures=AVERAGES, systems=list(runs), marks="reading")
    print(table.to_text(100))
    correlation = correlate(each)
    trusted = trust(each, runs, topics, qrels)
    count = sum(map(len, sessions["queries"]))
    print(f"\n{len(sessions)} sessions with {count} queries on some of these topics")
    of_sessions = pt.Experiment(
        session_runs, sessions, session_qrels, SESSION_MEASURES, perquery=True, verbose=True
    )
    compare(of_sessions, SESSION_MEASURES, session_runs)
    print("The value of the first, second, ... query of a session (nsDCG@100)\n")
    positions = by_position(session_runs, session_qrels)
    print(positions.round(3).to_string())
    curves = pt_cumgain.gain_curves(runs, topics, qrels, CURVES)
    of_positions = pt_cumgain.session_curves(
        session_runs, sessions, session_qrels, [sDCG @ 10, nsDCG @ 10]
    )
    figures = {
        "curves.png": plots.plot_curves(curves),
        "sessions.png": plots.plot_session_curves(of_positions),
        "correlation.png": plots.plot_correlation(correlation),
        "precision.png": plots.plot_precision(pt_cumgain.precision_by_level(runs, topics, qrels)),
    }
    for name, figure in figures.items():
        plots.save(figure, out / name, dpi=200)
    print("\nHow many documents a user must read to gain as much as the ideal gives by rank 5\n")
    read = pt_cumgain.effort(curves[curves["measure"] == str(CURVES[0])], [5])
    print(read[["name", "reached"]].to_string(index=False))
    page, title = out / "report.html", "Five systems on pydocs"
    pt_cumgain.report(runs, topics, qrels, page, measure=TRUSTED, baseline=BASELINE, title=title)
    tables = {
        "experiment.csv": each,
        "table.csv": means,
        "sessions.csv": of_sessions,
        "positions.csv": positions,
        "trust.csv": trusted,
    }
    for name, frame in tables.items():
        with replacing(out / name) as path:
            frame.to_csv(path, index=frame.index.name is not None)
    print(f"\nwritten to {out}: experiment.csv and sessions.csv (all values), table.csv (means),")
    print(f"positions.csv, trust.csv, the figures {', '.join(figures)},")
    print("and report.html, a page on which gains, discount and rank can be changed")
