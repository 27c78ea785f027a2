"""Show how reliable values are: intervals, missing judgments and ties.

    python examples/trust.py [FOLDER OF TREC-COVID ROUND 1]

evaluates the runs of pydocs, in which all top-ranked documents are judged, and, if the folder is
given, the TREC runs in it, in which some are not. The folder must contain ``qrels-rnd1.txt.gz`` and
``runs/``.
"""

import sys
import warnings
from pathlib import Path

import pandas as pd
import pyterrier as pt

from pt_cumgain import bounds, intervals, nDCG, pydocs, topics_of
from pt_cumgain.trust import gain_by_level

warnings.simplefilter("ignore")

MEASURES = [nDCG @ 10, nDCG @ 100]


def tables(runs: dict, topics: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Print a table for each measure, with a row for each run, the best run first."""
    each = pt.Experiment(runs, topics, qrels, MEASURES, perquery=True)
    ends = intervals(each)
    ranges = bounds(runs, topics, qrels, MEASURES)
    keys = ["name", "measure"]
    ties = each[keys].drop_duplicates()
    for rule in ("worst", "best"):
        under = {str(m(ties=rule)): str(m) for m in MEASURES}
        means = pt.Experiment(runs, topics, qrels, [m(ties=rule) for m in MEASURES])
        means = means.rename(columns=under).melt("name", var_name="measure", value_name=rule)
        ties = ties.merge(means, on=keys)
    table = ends.merge(ranges, on=keys)
    table = table.merge(ties[[*keys, "worst", "best"]], on=keys)
    for measure, rows in table.groupby("measure", sort=False):
        shown = pd.DataFrame(
            {
                "run": rows["name"],
                "mean": rows["mean"].map("{:.3f}".format),
                "95% interval": _ends(rows, "low", "high"),
                "by judgments": _ends(rows, "least", "most"),
                "judged": rows["judged"].map("{:.0%}".format),
                "by ties": _ends(rows, "worst", "best"),
            }
        )
        order = rows["mean"].sort_values(ascending=False).index
        print(f"{measure}\n{shown.loc[order].to_string(index=False)}\n")
    return table


def _ends(rows: pd.DataFrame, low: str, high: str) -> list[str]:
    return [f"{a:.3f} to {b:.3f}" for a, b in zip(rows[low], rows[high], strict=True)]


def who_could_be_best(table: pd.DataFrame) -> None:
    """Print how many runs might overtake the best one if all documents were judged."""
    for measure, rows in table.groupby("measure", sort=False):
        best = rows.loc[rows["mean"].idxmax()]
        others = rows[rows["name"] != best["name"]]
        could = others[others["most"] > best["least"]]
        print(
            f"{measure}: {best['name']} has the highest mean, {best['mean']:.3f}; with all "
            f"documents judged, the upper bounds of {len(could)} of the {len(others)} others "
            "exceed its lower bound"
        )


def levels(runs: dict, topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Print what each relevance level contributes."""
    parts = gain_by_level(runs, topics, qrels, MEASURES[:1])
    table = parts.pivot(index="name", columns="level", values="value").loc[list(runs)]
    print(f"\n{MEASURES[0]} by relevance level\n{table.round(3).to_string()}\n")


if __name__ == "__main__":
    dataset = pt.get_dataset("irds:pydocs")
    sets = [("pydocs", pydocs.runs(), dataset.get_topics("text"), dataset.get_qrels())]
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        judged = pt.io.read_qrels(str(folder / "qrels-rnd1.txt.gz"))
        found = {
            path.stem: pt.io.read_results(str(path)) for path in sorted((folder / "runs").iterdir())
        }
        sets.append(("TREC-COVID round 1", found, topics_of(judged), judged))
    for title, runs, topics, qrels in sets:
        print(f"=== {title}: {len(runs)} runs, {len(topics)} topics\n")
        table = tables(runs, topics, qrels)
        who_could_be_best(table)
        levels(runs, topics, qrels)
