"""Reproduce the tables of SIGIR 2000, TOIS 2002 and IPM 2005 with other data.

    python examples/compare_systems.py [FOLDER OF TREC-COVID ROUND 1]

compares the five runs of pydocs and, if the folder is given, the TREC runs in it. The folder must
contain ``qrels-rnd1.txt.gz`` and ``runs/``.
"""

import sys
import warnings
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt

from pt_cumgain import CG, DCG, describe, gain_curves, grid, nCG, nDCG, paper_table, pydocs
from pt_cumgain.comparing import friedman, rank_correlation
from pt_cumgain.papers import (
    IPM2005,
    TOIS2002,
    effort,
    gap_to_ideal,
    precision_by_level,
    recall_bases,
)

warnings.simplefilter("ignore")


def table_1_of_sigir(runs: dict, qrels: pd.DataFrame) -> None:
    """Print the recall bases, and average precision at each relevance level."""
    print(f"SIGIR 2000, section 3.2: documents by level {recall_bases(qrels).sum().to_dict()}\n")
    each = precision_by_level(runs, None, qrels, perquery=True)
    average_precision = each[each["measure"].str.startswith("AP ")]
    print("SIGIR 2000, table 1\n")
    print(paper_table(average_precision, systems=list(runs)).to_text(100))


def readings_of_tois(runs: dict, qrels: pd.DataFrame, scheme: str) -> None:
    """Print how the CG curves are read: vertically and horizontally."""
    curves = gain_curves(runs, None, qrels, CG(gains=scheme), 100)
    print(f"TOIS 2002, section 3.4: CG, weights {scheme}: points below the ideal\n")
    gaps = gap_to_ideal(curves, [10, 50, 100])
    print(gaps.pivot(index="name", columns="rank", values="gap").round(1).to_string(), "\n")
    print("TOIS 2002, section 3.4: documents to read for the gain of the ideal's first 5 and 10\n")
    read = effort(curves, [5, 10])
    print(read.pivot(index="name", columns="rank", values="reached").to_string(), "\n")


def table_2_of_tois(runs: dict, topics: pd.DataFrame, qrels: pd.DataFrame, schemes: dict) -> None:
    """Print averages of nCG and nDCG vectors to rank 200, and which runs are better than which."""
    measures = grid(
        [nCG(avg_pos=True), nDCG(avg_pos=True, discount="original")], gains=schemes, cutoffs=[200]
    )
    each = pt.Experiment(runs, topics, qrels, measures, perquery=True)
    print("TOIS 2002, table 2\n")
    table = paper_table(each, measures=measures, test="friedman", correction=None)
    print(table.to_text(100))
    print(f"{describe(measures)}\n")
    each = measures.rename(each)
    tested = friedman(each)
    significant = tested[tested["p"] < 0.05]["measure"].tolist()
    print(f"Friedman's test finds differences in: {', '.join(significant) or 'none'}\n")


def tables_of_ipm(runs: dict, topics: pd.DataFrame, qrels: pd.DataFrame, schemes: dict) -> None:
    """Print Kendall correlations between measures, with b = 2."""
    families = [CG, DCG(discount="original"), nDCG(discount="original")]

    # table 3: the same measure with two sets of judgments: all levels, and only the upper ones
    strict = qrels.assign(label=qrels["label"].where(qrels["label"] >= 2, 0))
    precision = [ir_measures.P @ 10, ir_measures.P @ 100, ir_measures.P @ 1000]
    two = [pt.Experiment(runs, topics, judged, precision) for judged in (qrels, strict)]
    table = rank_correlation(*two)
    print("IPM 2005, table 3: precision with all relevant levels and with the upper levels only\n")
    print("  ".join(f"{name} {table.loc[name, name]:.3f}" for name in table.index), "\n")

    # table 4: correlation with precision, at cutoffs from 1 to 200
    depths = range(1, 201)
    at_depths = grid(families, gains=schemes, cutoffs=depths)
    binary = [ir_measures.P @ depth for depth in depths]
    means = at_depths.rename(pt.Experiment(runs, topics, qrels, [*at_depths, *binary]))
    tau = rank_correlation(means, by="cutoff")
    table = tau[tau["other_measure"] == "P"].set_index(["rank", "measure"])["value"]
    for depth in (10, 100):
        print(f"IPM 2005, table 4: correlation with precision, cutoff {depth}\n")
        print(_by_scheme(table[depth], schemes).round(3).to_string(), "\n")
    print("IPM 2005, section 4: the lowest and the highest at the cutoffs 1 to 200\n")
    print(table.groupby("measure", sort=False).agg(["min", "max"]).round(3).to_string(), "\n")

    # table 5: between the families; table 6: between the schemes within each
    measures = grid(families, gains=schemes, cutoffs=[100])
    means = measures.rename(pt.Experiment(runs, topics, qrels, measures))
    tau = rank_correlation(means)
    names = ["CG", "DCG", "nDCG"]
    for first, second in (("CG", "DCG"), ("CG", "nDCG"), ("DCG", "nDCG")):
        rows, columns = ([f"{name} {scheme}" for scheme in schemes] for name in (first, second))
        print(f"IPM 2005, table 5: {first} and {second}, cutoff 100\n")
        print(tau.loc[rows, columns].round(3).to_string(), "\n")
    for name in names:
        rows = [f"{name} {scheme}" for scheme in schemes]
        print(f"IPM 2005, table 6: weighting schemes within {name}, cutoff 100\n")
        print(tau.loc[rows, rows].round(3).to_string(), "\n")


def _by_scheme(table: pd.Series, schemes: dict) -> pd.DataFrame:
    """Turn labels such as "CG w1" into rows and columns."""
    names = table.index.str.split(" ", n=1, expand=True)
    return table.set_axis(names).unstack()[list(schemes)]


if __name__ == "__main__":
    dataset = pt.get_dataset("irds:pydocs")
    topics, qrels = dataset.get_topics("text"), dataset.get_qrels()
    print("=== pydocs: 5 runs, 42 topics\n")
    table_1_of_sigir(pydocs.runs(), qrels)
    readings_of_tois(pydocs.runs(), qrels, "0-1-10-100")
    table_2_of_tois(pydocs.runs(), topics, qrels, TOIS2002)
    tables_of_ipm(pydocs.runs(), topics, qrels, IPM2005)
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        covid = pt.io.read_qrels(str(folder / "qrels-rnd1.txt.gz"))
        runs = {}
        for letter, path in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", sorted((folder / "runs").iterdir())):
            runs[letter] = pt.io.read_results(str(path))
            print(f"{letter} is {path.stem}")
        numbers = pd.DataFrame({"qid": covid["qid"].unique()})
        print(f"=== TREC-COVID round 1: {len(runs)} runs, {len(numbers)} topics\n")
        schemes = {"0-1-1": "0-1-1", "0-0-1": "0-0-1", "0-1-10": "0-1-10"}
        table_1_of_sigir(runs, covid)
        readings_of_tois(runs, covid, "0-1-10")
        table_2_of_tois(runs, numbers, covid, schemes)
        tables_of_ipm(runs, numbers, covid, {"w1": "0-1-1", "w2": "0-1-2", "w10": "0-1-10"})
