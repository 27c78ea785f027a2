"""No road says of two systems what another one refutes: random systems, judgments with holes."""

import re
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import bounds, dominance, evaluate, may_be_best, paper_table, report
from tests.support.helpers import run_cli, slow

MEASURES = [
    "nDCG@5", "nDCG(gains='exp')@10", "CG@5", "DCG(discount='original',base=3)@4", "nCG@3",
    "nDCG(ties='average')@5", "P@5", "AP",
]  # fmt: skip


def draw(seed: int) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return qrels, and two to five runs, of which the qrels cover different shares."""
    rng = np.random.default_rng(seed)
    topics, systems, depth, docs = rng.integers([2, 2, 4, 12], [16, 6, 12, 60]).tolist()
    coverage = np.where(rng.random(systems) < 0.3, 1, rng.uniform(0.1, 1, systems))
    skill = rng.uniform(0, 4, systems)
    is_outside = (rng.random(systems) < 0.2) & (np.arange(systems) > 1)  # its ids are not judged
    judged, rows = [], []
    for topic in range(topics):
        level = rng.choice([0, 1, 2], docs, p=[0.6, 0.25, 0.15])
        seen = set(rng.choice(docs, 2, replace=False).tolist())
        for system in range(systems):
            first = np.argsort(-(skill[system] * level + rng.normal(size=docs)))[:depth]
            docs_of = [f"{'x' if is_outside[system] else 'd'}{doc}" for doc in first]
            rows += [(f"s{system}", f"{topic}", doc, -rank) for rank, doc in enumerate(docs_of)]
            seen |= {doc for doc in first.tolist() if rng.random() < coverage[system]}
        judged += [(f"{topic}", f"d{doc}", level[doc]) for doc in sorted(seen)]
    runs = pd.DataFrame(rows, columns=["name", "qid", "docno", "score"])
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    return qrels, {name: run.drop(columns="name") for name, run in runs.groupby("name")}


@pytest.mark.filterwarnings("ignore:.*(differ by the same|none of its documents):UserWarning")
@pytest.mark.parametrize("seed", [*range(12), *slow(*range(12, 300))])
def test_compare_says_what_the_ranges_prove(seed: int, capsys, tmp_path) -> None:
    qrels, runs = draw(seed)
    measure = MEASURES[seed % len(MEASURES)]
    depth = int(measure.partition("@")[2] or 10)
    lines = [f"{qid} 0 {doc} {label}\n" for qid, doc, label in qrels.itertuples(index=False)]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = [f"{qid} Q0 {doc} 0 {score} x\n" for qid, doc, score in run.itertuples(index=False)]
        (tmp_path / name).write_text("".join(lines))
    given = ["compare", tmp_path / "qrels", *(tmp_path / name for name in runs), "-m", measure]
    given += ["--width", "9999", "-p", "6", "--csv", tmp_path / "means.csv"]
    _, out, _ = run_cli(capsys, *map(str, given))
    csv = pd.read_csv(tmp_path / "means.csv", index_col="name")

    share = bounds(runs, None, qrels, f"CG@{depth}").set_index("name")["judged"]
    listed = re.search(rf"^Judged down to rank {depth}: (.*)\.$", out, re.M)
    assert (listed is None) == ("judged" not in csv) == (share.min() == 1)
    if listed:
        assert csv["judged"].tolist() == pytest.approx(share[csv.index].tolist())
        said = dict(re.findall(r"(s\d) (\d+)%", listed[1]))
        assert said == {name: f"{int(100 * value + 1e-6)}" for name, value in share.items()}

    verdict = re.search(r": (.*) (is best|is best on these judgments|\S+ the highest mean) \(", out)
    names = re.findall(r"s\d", verdict[1])
    first, others = names[0], [name for name in runs if name not in names]
    could = dict(re.findall(r"(s\d) \(by up to ([\de.-]+)\)", out))
    cannot = dict(re.findall(r"(s\d) \(by at least ([\de.-]+)\)", out))
    few = [name for name in others if min(share[name], share[first]) < 0.8 - 1e-9]
    try:
        pairs = dominance(runs, None, qrels, measure, over="pool", baseline=first)
        most = pairs.set_index("name")["most"][others]
    except ValueError:  # no range: nothing is said to be proved
        assert not could
        assert not cannot
        assert " could be above " not in out
        assert verdict[2] != "is best" or (measure == "P@5" and share.min() == 1)
    else:
        assert {*could} == {name for name in others if most[name] > 0}
        assert {*cannot} == {name for name in few if most[name] <= 0}
        assert out.count("If unjudged documents beyond the cutoff are not") == bool(cannot)
        for name, end in could.items():
            assert -1e-9 <= float(end) - most[name] <= 2e-6
        for name, end in cannot.items():
            assert -1e-9 <= -most[name] - float(end) <= 2e-6
        assert verdict[2] != "is best" or not could
        with mock.patch("pt_cumgain.page.report._build_page", return_value="") as build:
            report(runs, None, qrels, measure, path=tmp_path / "page.html")
        data = build.call_args.args[0]
        if verdict[2] != "share the highest mean":  # else the page may compare with another of them
            assert {data["names"][run] for run in data["couldLead"]} == {*could}

    results = [evaluate(measure, qrels, run).assign(name=name) for name, run in runs.items()]
    known = share.rename("value").rename_axis("name").reset_index()
    results = pd.concat([*results, known.assign(qid="0", measure=f"Judged@{depth}")])
    for row in may_be_best(results).itertuples():
        assert row.judged == share[row.name]
    table = paper_table(results, rows="systems")
    assert [*table.measures] == [measure]
    assert [note for note in table.notes if "Judged" in note] == ([listed[0]] if listed else [])
