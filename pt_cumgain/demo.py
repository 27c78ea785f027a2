"""``pt-cumgain demo``: pipelines over the embedded collection and its sessions, compared."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    TOIS2002,
    bounds,
    correlation_table,
    effort,
    gain_curves,
    grid,
    intervals,
    nCG,
    nDCG,
    nsDCG,
    paper_table,
    per_session,
    plots,
    precision_by_level,
    pydocs,
    query_gains,
    rank_correlation,
    report,
    sDCG,
    session_curves,
    tie_effects,
)
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

#: Of which it is said how far its values can be trusted.
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


def build_index(folder: str) -> Any:
    """Index pydocs with pyterrier-pisa; return the index.

    Raises
    ------
    ImportError
        If pyterrier-pisa is not installed.
    """
    with _silenced():
        import pyterrier_pisa

        index = pyterrier_pisa.PisaIndex(folder, text_field=["title", "text"])
        index.index(pt.get_dataset("irds:pydocs").get_corpus_iter(verbose=False))
    return index


def systems(index: Any, depth: int = 1000) -> dict[str, pt.Transformer]:
    """Return the five pipelines; the last is weak on purpose: it searches for one word only."""
    first_word = pt.apply.query(lambda row: row["query"].split()[0])
    with _silenced():
        bm25 = index.bm25(num_results=depth)
        return {
            "BM25": bm25,
            "QLD": index.qld(num_results=depth),
            "PL2": index.pl2(num_results=depth),
            "DPH": index.dph(num_results=depth),
            "First word": first_word >> bm25,
        }


def session_systems(index: Any, depth: int = 100) -> dict[str, pt.Transformer]:
    """Return two pipelines over sessions; the second also searches for the earlier queries."""
    earlier = pt.apply.query(lambda row: " ".join([*row["previous_queries"], row["query"]]))
    with _silenced():
        bm25 = index.bm25(num_results=depth)
        return {
            BASELINE: per_session(bm25),
            "BM25 + earlier queries": per_session(earlier >> bm25),
        }


def table(results: pd.DataFrame) -> pd.DataFrame:
    """Turn an Experiment's result on its side: a row per measure, a column per system.

    The best value of a row is marked ``*``; a value that differs significantly from the baseline's
    (paired t-test, Holm correction) is marked ``+`` or ``-``.
    """
    names = results["name"].tolist()
    rows = {}
    for measure in measure_columns(results):
        values = results[measure]
        base = values[names.index(BASELINE)]
        rejected = results[f"{measure} reject"].astype(bool)
        places = 2 if values.max() > 1 else 3
        rows[measure] = [
            f"{value:.{places}f}"
            + (("+" if value > base else "-") if reject else " ")
            + ("*" if value == values.max() else " ")
            for value, reject in zip(values, rejected)
        ]
    return pd.DataFrame.from_dict(rows, orient="index", columns=names)


def measure_columns(results: pd.DataFrame) -> list[str]:
    """Return the columns that hold means, in the order of the demo's measures."""
    return [str(measure) for measure in MEASURES + SESSION_MEASURES if str(measure) in results]


def compare(
    compared: Mapping[str, pt.Transformer | pd.DataFrame],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: list[Any],
) -> pd.DataFrame:
    """Run one Experiment with the demo's baseline and correction, and print its table."""
    results = pt.Experiment(
        dict(compared), topics, qrels, measures, baseline=BASELINE, correction="holm", verbose=True
    )
    print(f"\nMeans. * best of the row; + better, - worse than {BASELINE}")
    print("(paired t-test, Holm correction over systems, alpha 0.05)\n")
    print(table(results).to_string())
    return results


def significance(
    compared: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> pd.DataFrame:
    """Print a table like table 2 of TOIS 2002, and return the rank correlations of IPM 2005."""
    averaged = grid(
        [nCG(avg_pos=True), nDCG(avg_pos=True, discount="original")], gains=TOIS2002, cutoffs=[100]
    )
    each = pt.Experiment(dict(compared), topics, qrels, averaged, perquery=True)
    print("\nAverages of the vectors to rank 100; which systems are better than which\n")
    print(paper_table(each, measures=averaged, marks="reading").to_text(100))
    families = [CG, DCG(discount="original"), nDCG(discount="original")]
    measures = grid(families, gains=IPM2005, cutoffs=[100])
    means = measures.rename(pt.Experiment(dict(compared), topics, qrels, measures))
    correlation = rank_correlation(means)
    print("Does the weighting change the order of the systems? Kendall's tau-b, cutoff 100\n")
    print(correlation_table(correlation).to_text(100))
    return correlation


def trust(compared: Mapping[str, Any], topics: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Print how far the means can be trusted, and the paragraph that a paper could make of it."""
    each = pt.Experiment(dict(compared), topics, qrels, [TRUSTED], perquery=True)
    table = intervals(each, baseline=BASELINE).set_index("name").drop(columns="measure")
    ranges = bounds(compared, topics, qrels, TRUSTED).set_index("name")
    ties = tie_effects(compared, topics, qrels, TRUSTED).set_index("name")
    table = table.loc[list(compared)]
    table = table.assign(least=ranges["low"], most=ranges["high"], judged=ranges["judged"])
    table = table.assign(by_ties=ties["best"] - ties["worst"])
    print(f"\nHow far the means of {TRUSTED} can be trusted: 95% intervals")
    print(f"(bootstrap over topics), also of the differences to {BASELINE}; the least and the most")
    print("that the means could be were all documents judged; the effect of ties\n")
    print(table.round(3).to_string())
    base: Any = table.loc[BASELINE]
    others = table.drop(index=BASELINE)
    differ = others[(others["difference_low"] > 0) | (others["difference_high"] < 0)]
    named = f" ({', '.join(differ.index)})" if len(differ) else ""
    print(
        f"\nOver {len(topics)} topics, {BASELINE} reaches {base['mean']:.3f} "
        f"({base['low']:.3f} to {base['high']:.3f}). The interval of the\ndifference to it "
        f"leaves out 0 for {len(differ)} of {len(others)} systems{named}.\nOf its first documents "
        f"{base['judged']:.0%} are judged; with the others its mean could lie between\n"
        f"{base['least']:.3f} and {base['most']:.3f}. The order of tied documents moves no mean by "
        f"more than {table['by_ties'].max():.3f}."
    )
    return table


def by_position(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the mean nsDCG@100 of the first, second, ... queries of the sessions, by system."""
    gains = query_gains(runs, None, qrels, nsDCG)
    grouped = gains.groupby(["query_position", "name"], sort=False)["value"]
    means = grouped.mean().unstack()
    means.insert(0, "queries", grouped.size().unstack().iloc[:, 0])
    return means.rename_axis(columns=None)


def run(out: Path) -> None:
    """Run the demo: print the tables, write them to the folder ``out``."""
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    sessions, session_qrels = pydocs.sessions(), pydocs.session_qrels()
    with temporary_folder() as folder:
        compared: dict[str, Any] = pydocs.runs()
        over_sessions = pydocs.session_runs()
        try:
            index = build_index(str(folder))
        except ImportError:
            print("pyterrier-pisa is not installed (it has no wheel for some platforms):")
            print("evaluating the runs that come with the package instead.\n")
        else:
            print(
                f"pydocs: {len(index)} documents indexed, {len(topics)} topics, "
                f"{len(qrels)} judgments\n"
            )
            compared = {name: system.transform(topics) for name, system in systems(index).items()}
            piped = session_systems(index)
            over_sessions = {name: pipeline.transform(sessions) for name, pipeline in piped.items()}
        results = compare(compared, topics, qrels, MEASURES)
        means = results.set_index("name")[measure_columns(results)].T
        correlation = significance(compared, topics, qrels)
        trusted = trust(compared, topics, qrels)
        count = sum(map(len, sessions["queries"]))
        print(f"\n{len(sessions)} sessions with {count} queries on some of these topics\n")
        of_sessions = compare(over_sessions, sessions, session_qrels, SESSION_MEASURES)
    print("\nWhat the first, second, ... query of a session is worth (nsDCG@100)\n")
    positions = by_position(over_sessions, session_qrels)
    print(positions.round(3).to_string())
    curves = gain_curves(compared, topics, qrels, CURVES)
    figures = {
        "curves.png": plots.plot_curves(curves),
        "sessions.png": plots.plot_session_curves(
            session_curves(over_sessions, sessions, session_qrels, [sDCG @ 10, nsDCG @ 10])
        ),
        "correlation.png": plots.plot_correlation(correlation),
        "precision.png": plots.plot_precision(precision_by_level(compared, topics, qrels)),
    }
    for name, figure in figures.items():
        plots.save(figure, out / name, dpi=200)
    print("\nHow many documents a user must read for what the ideal gives by rank 5\n")
    read = effort(curves[curves["measure"] == str(CURVES[0])], [5])
    print(read[["name", "reached"]].to_string(index=False))
    report(
        compared,
        topics,
        qrels,
        out / "report.html",
        measure=TRUSTED,
        baseline=BASELINE,
        title="Five systems on pydocs",
    )
    tables = {
        "experiment.csv": results,
        "table.csv": means.rename_axis("measure"),
        "sessions.csv": of_sessions,
        "positions.csv": positions,
        "trust.csv": trusted,
    }
    for name, frame in tables.items():
        with replacing(out / name) as path:
            frame.to_csv(path, index=frame.index.name is not None)
    print(f"\nwritten to {out}: experiment.csv and sessions.csv (everything), table.csv (means),")
    print(f"positions.csv, trust.csv, the figures {', '.join(figures)},")
    print("and report.html: a page on which gains, discount and rank can be moved")
