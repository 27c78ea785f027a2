"""The means under a lattice of weightings, and who is best where."""

import re

import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure
from scipy.stats import ttest_rel

from pt_cumgain import CG, DCG, evaluate, may_be_best, nCG, nDCG, plots, pydocs, weighting_map
from tests.support.helpers import evaluate_runs, slow

MEASURES = [nDCG @ 5, DCG(discount="original", base=2) @ 4, CG, nCG(avg_pos=True) @ 3]


def random_systems(seed: int, levels: tuple[int, ...]) -> tuple[dict, dict]:
    """Runs, each ordered more by level than the one before, and qrels; topics lack some levels."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(12)]
    qrels = {
        str(t): {d: int(rng.choice([0, *levels[: 1 + t % len(levels)]])) for d in docs[:9]}
        for t in range(8)
    }
    for i, level in enumerate(levels):  # every level is in the qrels
        qrels["7"][docs[i]] = level
    runs = {
        f"s{i}": {
            q: {d: float(rng.integers(9) + i * i * qrels[q].get(d, 0)) for d in docs} for q in qrels
        }
        for i in range(4)
    }
    return runs, qrels


@pytest.mark.parametrize(
    ("levels", "chosen"),
    [((1, 2), None),
     *slow(((2, 3, 5), None), ((1, 2, 3), [1, 3]), ((1, 3), None), ((1, 2, 3), None),
           ((1, 2, 3, 4), [1, 2, 4]), ((1, 2, 3, 4), [3, 4]))],
)  # fmt: skip
@pytest.mark.parametrize("seed", [0, *slow(1)])
def test_every_point_equals_the_measure_with_its_gains(seed: int, levels, chosen) -> None:
    """Expected: `evaluate` with the text in `gains`; best, second and p from its values.

    Whether others may also be best: as may_be_best, which the page follows, says of these values.
    """
    runs, qrels = random_systems(seed, levels)
    table = weighting_map(runs, None, qrels, MEASURES, levels=chosen, points=4)
    varied = len(chosen or levels)
    points = {2: 4, 3: 10}[varied]
    assert table[table["scheme"] == ""].groupby("measure").size().tolist() == [points] * 4
    coordinates = table[[f"t{j}" for j in range(1, varied + 1)]]
    assert (coordinates >= 0).all(axis=None)
    assert coordinates.sum(axis=1).to_numpy() == pytest.approx(1)
    rows = table.to_dict("records")
    by_text = {str(measure): measure for measure in MEASURES}
    measures = [by_text[row["measure"]](gains=row["gains"]) for row in rows]
    computed = evaluate_runs(list(dict.fromkeys(measures)), qrels, runs).set_index("measure")
    for row, measure in zip(rows, measures):
        gains = CG(gains=row["gains"]).spec.gains.gain(levels)
        steps = np.diff(gains, prepend=0) / gains[-1]
        positions = [levels.index(level) for level in chosen or levels]
        assert steps[positions] == pytest.approx([row[f"t{j + 1}"] for j in range(varied)])
        values = computed.loc[str(measure)].pivot(index="qid", columns="name", values="value")
        means = values.mean()
        assert [row[name] for name in runs] == pytest.approx(means.tolist(), abs=1e-12)
        order = means.round(12).sort_values(ascending=False, kind="stable").index
        assert (row["best"], row["second"]) == tuple(order[:2])
        assert row["difference"] == pytest.approx(means[order[0]] - means[order[1]], abs=1e-12)
        apart = (values[order[0]] - values[order[1]]).round(12)
        p = ttest_rel(values[order[0]], values[order[1]]).pvalue if apart.any() else 1.0
        assert row["p"] == pytest.approx(p, abs=1e-9)
        results = values.melt(ignore_index=False, value_name="value").rename_axis("qid")
        results = results.reset_index().assign(measure="m")
        assert row["others_may_be_best"] == (may_be_best(results)["may_be_best"].sum() > 1)


def test_the_papers_schemes_have_their_names(qrels) -> None:
    table = weighting_map(pydocs.runs(), None, qrels, nDCG @ 10, points=2)
    assert table["gains"][:3].tolist() == ["0-1-1-1", "0-0-0-1", "0-0-1-1"]
    named = table[table["scheme"] != ""].set_index("scheme")
    assert [*named.index] == ["0-1-2-3", "0-1-5-10", "0-1-10-100", "0-0-2-3", "exp"]
    for scheme, row in named.iterrows():
        measure = parse_measure(f"nDCG(gains='{scheme}')@10")
        run = pydocs.runs()["BM25"].rename(columns={"qid": "query_id", "docno": "doc_id"})
        mean = evaluate([measure], qrels, run)["value"].mean()
        assert row["BM25"] == pytest.approx(mean, abs=1e-12)


def test_of_equal_systems_the_first_is_best(qrels) -> None:
    run = pydocs.runs()["QLD"]
    table = weighting_map({"b": run, "a": run}, None, qrels, [nDCG @ 10, CG @ 3], points=5)
    assert set(zip(table["best"], table["second"])) == {("b", "a")}
    assert table.index.tolist() == list(range(len(table)))
    assert set(zip(table["difference"], table["p"])) == {(0.0, 1.0)}
    runs, qrels = random_systems(3, (1, 5))
    table = weighting_map(runs, None, {"7": qrels["7"]}, CG @ 3)
    assert "0-1-2-3-4-5" in table["scheme"].tolist()
    assert table["p"][table["difference"] > 0].isna().all()  # one topic has no test
    # all values are small: d(2) is 7e8
    runs = {name: {"1": {"x": 2.0, doc: 1.0}} for name, doc in (("a", "low"), ("b", "high"))}
    measure = DCG(discount="revised", base=1 + 1e-9) @ 2
    table = weighting_map(runs, None, {"1": {"low": 0.5, "high": 1}}, measure)
    assert table["scheme"].tolist()[-1] == "exp"
    assert table["difference"].tolist() == (table["b"] - table["a"]).tolist()
    assert table["difference"].max() > 0


@pytest.mark.usefixtures("no_delay")
def test_the_progress_over_the_points_is_shown(capsys) -> None:
    runs, qrels = random_systems(0, (1, 2))
    maps = [
        weighting_map(runs, None, qrels, nDCG @ 5, points=600, verbose=verbose)
        for verbose in (False, True)
    ]
    printed = capsys.readouterr().err
    assert re.search(r"weighting_map: nDCG@5: .*0/3 ", printed)
    pd.testing.assert_frame_equal(*maps)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the run 'First word' has no documents")
def test_a_map_with_its_columns_in_another_order_is_drawn_alike(qrels) -> None:
    frame = weighting_map(pydocs.runs(), None, qrels, nDCG @ 10)
    names = [
        {text.get_text() for text in plots.plot_weightings(drawn).axes[0].texts}
        for drawn in (frame, frame[sorted(frame)])
    ]
    assert names[0] == names[1]
