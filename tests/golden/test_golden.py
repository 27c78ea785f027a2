"""Values that other programs gave for a small made-up collection, in the files beside this one.

The collection has ties, scores that differ only as doubles, labels from -1 to 3, a topic that the
run misses and one without relevant documents; the data of the statistics are examples of textbooks
(Conover 1999, Hollander and Wolfe, Sachs 1997). Each ``expected*.tsv`` names the program beside its
value, those of ``expected.stats.tsv`` being R 4.2.2's; its pairs are of ``TukeyHSD`` of
``aov(value ~ system + topic)``, of ``t.test`` and, where no differences are tied, ``wilcox.test``.
"""

from pathlib import Path

import pandas as pd
import pytest
from ir_measures import parse_measure

from pt_cumgain import evaluate, pairwise
from pt_cumgain.comparing import friedman, rank_correlation

HERE = Path(__file__).parent


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(HERE / name, sep="\t", dtype={"topic": str})


def by_program(expected: str, collection: str) -> list:
    return [
        pytest.param(collection, of_program, id=f"{program}, {len(of_program)} values")
        for program, of_program in table(expected).groupby("program")
    ]


@pytest.mark.filterwarnings("ignore:.*less than level:UserWarning")
@pytest.mark.parametrize(
    ("collection", "expected"),
    by_program("expected.tsv", "mini") + by_program("expected.session.tsv", "mini.session"),
)
def test_measures(collection: str, expected: pd.DataFrame) -> None:
    named = {text: str(parse_measure(text)) for text in expected["measure"].unique()}
    values = evaluate(list(named), HERE / f"{collection}.qrels", HERE / f"{collection}.run")
    ours = values.set_index(["measure", "qid"])["value"]
    theirs = expected.replace({"measure": named}).set_index(["measure", "topic"])["value"]
    assert ours[theirs.index].tolist() == pytest.approx(theirs.tolist(), rel=1e-9, abs=1e-12)


def taus(data: pd.DataFrame) -> dict[str, float]:
    """Kendall's correlations under the names of R's: ``1,2`` is the first pair."""
    matrix = rank_correlation(data.rename_axis("name").reset_index())
    return {f"{a},{b}": matrix.loc[a, b] for a in matrix for b in matrix}


def of_pairs(results: pd.DataFrame, column: str, **options: object) -> dict[str, float]:
    frame = pairwise(results, **options)
    return dict(zip(frame["name"] + "," + frame["other"], frame[column]))


CORRECTIONS = {
    "none": None, "bonferroni": "bonferroni", "holm": "holm", "hochberg": "simes-hochberg",
    "hommel": "hommel", "BH": "fdr_bh", "BY": "fdr_by",
}  # fmt: skip
#: Columns of `pairwise`, and the options that have them computed.
COLUMNS: dict[str, tuple[str, dict]] = {
    "paired t": ("p", {}),
    "paired t low": ("low", {}),
    "paired t high": ("high", {}),
    "paired t holm": ("p_corrected", {"correction": "holm"}),
    "paired t BH": ("p_corrected", {"correction": "fdr_bh"}),
    "wilcoxon": ("p", {"test": "wilcoxon"}),
}
for name, correction in CORRECTIONS.items():
    COLUMNS[f"conover {name}"] = "p_corrected", {"test": "conover", "correction": correction}


@pytest.mark.parametrize(
    ("name", "test", "expected"),
    [
        pytest.param(name, test, of_test, id=f"R 4.2.2, {name}, {test}")
        for (name, test), of_test in table("expected.stats.tsv").groupby(["data", "test"])
        if test in {*COLUMNS, "friedman", "tau-b"}
    ],
)
def test_statistics(name: str, test: str, expected: pd.DataFrame) -> None:
    data = pd.read_csv(HERE / f"stats.{name}.csv")
    results = data.rename_axis("qid").reset_index().melt("qid", var_name="name")
    results["measure"] = "m"
    if test == "friedman":
        ours = friedman(results).iloc[0].to_dict()
    elif test == "tau-b":
        ours = taus(data)
    else:
        column, options = COLUMNS[test]
        ours = of_pairs(results, column, **options)
    theirs = dict(zip(expected["what"], expected["value"], strict=True))
    found = {what: ours[what] for what in theirs if what in ours}
    assert found == pytest.approx({what: theirs[what] for what in found}, rel=1e-8)
    assert found
