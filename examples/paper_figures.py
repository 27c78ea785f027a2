"""Draw the figures of the four papers from pydocs and, if available, from TREC-COVID.

    python examples/paper_figures.py [OUT] [FOLDER OF TREC-COVID ROUND 1]

writes PNG files, no wider than a page, to OUT (default: figures). With the suffix .pdf, ``save``
would write PDF with TrueType fonts. The second folder must contain ``qrels-rnd1.txt.gz`` and, in
``runs/``, TREC runs.
"""

import sys
from pathlib import Path

import pandas as pd
import pyterrier as pt
from matplotlib import pyplot

from pt_cumgain import CG, DCG, gain_curves, gP, nCG, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.papers import precision_by_level
from pt_cumgain.sessions import query_gains, session_curves

ORIGINAL = DCG(discount="original", base=2), nDCG(discount="original", base=2)


def save(figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plots.save(figure, path)
    pyplot.close(figure)
    print(f"written: {path}")


def figures_of_runs(runs: dict, qrels: pd.DataFrame, flat: str, steep: str, out: Path) -> None:
    """Draw the figures over topics, with two weighting schemes for the levels of the qrels."""
    # TOIS 2002, figures 1 to 4; its normalised curves are average vectors divided by average ideals
    for number, measure in enumerate((CG, ORIGINAL[0], nCG, ORIGINAL[1]), 1):
        measures = [measure(gains=flat), measure(gains=steep)]
        curves = gain_curves(runs, None, qrels, measures, 100, average="vectors")
        save(plots.plot_curves(curves), out / f"tois2002_figure{number}.png")

    # SIGIR 2000, figure 1: P-R curves by relevance level; figures 2 and 3: CG to rank 100 and DCG
    # to rank 50, for the upper levels together and for the highest alone; DCG also with base 10,
    # where the ideal is the curve of descending gains, which is not the best possible one
    save(plots.plot_precision(precision_by_level(runs, None, qrels)), out / "sigir2000_figure1.png")
    highest = int(qrels["label"].max())
    upper = "-".join(str(level) if level >= 2 else "0" for level in range(highest + 1))
    top = "-".join(str(level) if level == highest else "0" for level in range(highest + 1))
    schemes = list(dict.fromkeys([upper, top]))
    curves = gain_curves(runs, None, qrels, [CG(gains=scheme) for scheme in schemes], 100)
    save(plots.plot_curves(curves), out / "sigir2000_figure2.png")
    discounted = [
        DCG(discount="sigir2000", base=base, gains=scheme) for base in (2, 10) for scheme in schemes
    ]
    curves = gain_curves(runs, None, qrels, discounted, 50)
    save(plots.plot_curves(curves), out / "sigir2000_figure3.png")

    # IPM 2005, figure 1: precision, then CG, DCG and nDCG under weights w1 and w100
    precision = gP(gains=flat)
    measures = [precision, *(m(gains=scheme) for m in (CG, *ORIGINAL) for scheme in (flat, steep))]
    curves = gain_curves(runs, None, qrels, measures, 100)
    figure = plots.plot_curves(curves.replace({"measure": {str(precision): "P"}}), ideal=False)
    save(figure, out / "ipm2005_figure1.png")


def figures_of_sessions(runs: dict, qrels: pd.DataFrame, out: Path) -> None:
    """Draw figures 1 to 4 of ECIR 2008 with its parameters: b = 2, bq = 4, weights 0-1-10-100."""
    weights = {"gains": "0-1-10-100"}
    gains = query_gains(runs, None, qrels, sDCG(**weights), 100, vectors=True)
    # average the earlier queries of each session first, so that all sessions have the same weight
    each = gains.groupby(["name", "last", "measure", "rank", "qid"])["discounted"].mean()
    means = each.groupby(["name", "last", "measure", "rank"]).mean().reset_index(name="value")
    which = means["last"].map({True: ", last query", False: ", non-last queries"})
    figure = plots.plot_curves(means.assign(name=means["name"] + which))
    save(figure, out / "ecir2008_figure1.png")

    normalised = session_curves(runs, None, qrels, nsDCG(**weights) @ 10)
    save(plots.plot_session_curves(normalised), out / "ecir2008_figure2.png")

    measure = sDCG(**weights) @ 10
    every = session_curves(runs, None, qrels, measure)
    longer = session_curves(runs, None, qrels, measure, min_queries=4)
    longer["name"] += ", 4 queries or more"
    save(plots.plot_session_curves(pd.concat([every, longer])), out / "ecir2008_figure3.png")

    first = dict(list(runs.items())[:1])
    single = session_curves(first, None, qrels, measure, perquery=True)
    save(plots.plot_session_curves(single), out / "ecir2008_figure4.png")


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    figures_of_runs(pydocs.runs(), qrels, "0-1-1-1", "0-1-10-100", out / "pydocs")
    figures_of_sessions(pydocs.session_runs(), pydocs.session_qrels(), out / "pydocs")
    if len(sys.argv) > 2:
        folder = Path(sys.argv[2])
        covid = pt.io.read_qrels(str(folder / "qrels-rnd1.txt.gz"))
        runs = {
            path.stem: pt.io.read_results(str(path)) for path in sorted((folder / "runs").iterdir())
        }
        figures_of_runs(runs, covid, "0-1-1", "0-1-10", out / "trec-covid")
