"""Measures and systems compared: correlations, dominance, parts by level, topic by topic."""

import re
from itertools import combinations
from itertools import pairwise as pairs_of

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot

from pt_cumgain import CG, dominance, nDCG, pairwise, plots, pydocs
from pt_cumgain.trust import gain_by_level
from tests.support.drawn import key, no_overlap, words
from tests.support.helpers import by_query, slow
from tests.support.samples import results_of

pytestmark = pytest.mark.usefixtures("figures")

#: How bright red, green and blue are.
BRIGHTNESS = [0.2126, 0.7152, 0.0722]


def order(points: list[tuple[int, int]], name: str = "s{}") -> pd.DataFrame:
    """One system is at least as good as another if it is in both coordinates: any such order."""
    rows = []
    for i, j in combinations(range(len(points)), 2):
        (a, b), (c, d) = points[i], points[j]
        first, second = a >= c and b >= d, c >= a and d >= b
        better = "" if first == second else name.format(i if first else j)
        holds = "holds" if first or second else "depends"
        rows.append(("m", name.format(i), name.format(j), holds, better))
    return pd.DataFrame(rows, columns=["measure", "name", "other", "verdict", "better"])


@settings(max_examples=settings.default.max_examples // 5)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_a_blue_cell_says_which_system_is_at_least_as_good(points) -> None:
    """Expected: from the definition; no pair is left out below the diagonal."""
    axes = plots.plot_dominance(order(points), figsize=(7, 7)).axes[0]
    names = words(axes.texts)
    cells = axes.images[0].get_array()
    seen = set()
    for i, left in enumerate(names):
        for j, under in enumerate(names):
            if not np.ma.is_masked(cells[i, j]):
                (a, b), (c, d) = points[int(left[1:])], points[int(under[1:])]
                assert (cells[i, j] > 0) == (a >= c and b >= d)
                assert cells[i, j] > 0 or not (c >= a and d >= b)
                seen.add(frozenset({left, under}))
    assert len(seen) == len(points) * (len(points) - 1) / 2
    pyplot.close("all")


def test_the_order_of_pydocs(qrels) -> None:
    """Expected: the frame's pairs that hold; the key says under what, once."""
    frame = dominance(pydocs.runs(), None, qrels, [nDCG @ 10, nDCG @ 100])
    figure = plots.plot_dominance(frame)
    assert [axes.get_title() for axes in figure.axes] == ["nDCG@10", "nDCG@100"]
    assert key(figure) == [
        "left is at least as good as below under every choice",
        "order is open or depends on the choice",
    ]
    for axes, (_, rows) in zip(figure.axes, frame.groupby("measure", sort=False), strict=True):
        blue = (axes.images[0].get_array() > 0).sum()
        assert blue == (rows["verdict"] == "holds").sum()


def test_parts_by_level(qrels) -> None:
    """The parts of a bar are the frame's, one after another; the best system is the first."""
    measures = [CG @ 10, nDCG @ 10, nDCG(gains="0-0-1-10") @ 10]
    runs = {name: pydocs.runs()[name] for name in ("PL2", "BM25")}  # not as in the alphabet
    parts = gain_by_level(runs, None, qrels, measures)
    figure = plots.plot_levels(parts)
    no_overlap(figure)
    assert key(figure) == ["level 1", "level 2", "level 3"]
    assert figure.get_supxlabel() == "mean"
    names = words(figure.axes[0].get_yticklabels())
    sums = parts[parts["measure"] == "CG@10"].groupby("name")["value"].sum()
    assert names == sums.sort_values(ascending=False).index.tolist() != list(runs)
    assert figure.axes[0].yaxis_inverted()
    titles = ["CG@10", "nDCG@10", "nDCG@10\n0-0-1-10"]
    assert [axes.get_title() for axes in figure.axes] == titles
    for axes, measure in zip(figure.axes, measures, strict=True):
        of_measure = parts[parts["measure"] == str(measure)]
        table = of_measure.pivot(index="level", columns="name", values="value")[names]
        widths = [[bar.get_width() for bar in of_level] for of_level in axes.containers]
        assert np.array(widths) == pytest.approx(table.to_numpy(), abs=1e-12)
        for bars in zip(*axes.containers):
            for left, right in pairs_of(bars):
                assert right.get_x() == pytest.approx(left.get_x() + left.get_width(), abs=1e-12)
    greys = [np.dot(bar.get_facecolor()[:3], BRIGHTNESS) for bar in bars]
    assert all(lighter - darker > 0.15 for lighter, darker in pairs_of(greys))


def test_parts_that_are_negative_lie_left_of_zero() -> None:
    rows = [("a rather long pipeline >> with stages", "CG(gains={-1: -2, 1: 1})", level, value)
            for level, value in ((-2, -1.0), (-1, -2.0), (1, 3.0), (2, 4.0))]  # fmt: skip
    figure = plots.plot_levels(pd.DataFrame(rows, columns=["name", "measure", "level", "value"]))
    no_overlap(figure)
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in figure.axes[0].patches]
    ends = [(min(span), max(span)) for span in spans]
    assert ends == [(-1, 0), (-3, -1), (0, 3), (3, 7)]  # outwards from zero
    (line,) = figure.axes[0].get_lines()  # what the bars begin at can be seen
    assert list(line.get_xdata()) == [0, 0]


def test_panels_of_normalised_measures_have_one_scale() -> None:
    for scale, scales in ((0.01, 1), (1.0, 2)):
        parts = many(3)
        figure = plots.plot_levels(parts.assign(value=parts["value"] * scale / 2))
        assert len({axes.get_xlim() for axes in figure.axes}) == scales


def many(systems: int) -> pd.DataFrame:
    """The later a system, the higher; of the second measure, the other way round."""
    rows = [
        (f"a run, number {i}", measure, level, sign * i + 50.0)
        for measure, sign in (("CG@10", 1), ("DCG@10", -1))
        for i in range(1, systems + 1)
        for level in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["name", "measure", "level", "value"])


def test_the_first_panel_of_each_row_has_the_names() -> None:
    assert not plots.plot_levels(many(3)).axes[1].get_yticklabels()
    one_column = plots.plot_levels(many(3), figsize=(3.3, 7))
    for axes in one_column.axes:
        assert len(axes.get_yticklabels()) == 3


def orders_of(systems: int, size: tuple[float, float] | None):
    points = np.random.default_rng(systems).integers(0, 100, (systems, 2)).tolist()
    return plots.plot_dominance(order(points, "run_2020_model_v{}"), figsize=size)


def bars_of(systems: int, size: tuple[float, float] | None):
    return plots.plot_levels(many(systems)[: 2 * systems], figsize=size)


@pytest.mark.parametrize(
    ("draw", "systems", "size"),
    [
        (orders_of, 12, (3.3, 5)), (bars_of, 12, (3.3, 2.6)),
        *slow(
            (orders_of, 5, (3.3, 5)), (orders_of, 30, (7, 5)),
            (orders_of, 36, None), (bars_of, 5, (3.3, 2.6)), (bars_of, 40, None),
        ),
    ],
)  # fmt: skip
def test_names_do_not_overlap(draw, systems: int, size: tuple[float, float] | None) -> None:
    figure = draw(systems, size)
    no_overlap(figure)
    letters = [text.get_fontsize() for text in figure.axes[0].texts[:systems]]
    assert min(letters, default=5) >= 5


NCG = "nCG 0-1-1-1"


def test_differences_by_topic() -> None:
    """Expected: the means and intervals of pairwise; panels by mean, in two colours.

    The ninth system has the baseline's style elsewhere; here its wins are orange, as all are.
    """
    results = by_query()
    results = results[results["measure"] == NCG]
    copies = [results[results["name"] == "PL2"].assign(name=f"PL2-{i}") for i in range(6)]
    results = pd.concat([results, *copies])
    matrix = results.pivot(index="qid", columns="name", values="value")
    figure = plots.plot_topics(results, baseline="BM25", figsize=(7, 4))
    no_overlap(figure)
    assert key(figure) == ["above 0: better than BM25", "below 0: worse than BM25"]
    orange, blue = (patch.get_facecolor() for patch in figure.legends[0].get_patches())
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    compared = pairwise(results, baseline="BM25")
    compared = compared.set_index(compared[["name", "other"]].replace("BM25", "").sum(axis=1))
    means = matrix.drop(columns="BM25").sub(matrix["BM25"], axis=0).mean()
    by_mean = means.sort_values(ascending=False, kind="stable").index
    for axes, name in zip(figure.axes, by_mean, strict=True):
        expected = (matrix[name] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
        number = f"{means[name]:+.3f}".replace("-", "\u2212")
        assert axes.get_title("left").split() == [*name.split(), number]
        bars = axes.containers[0]
        assert [bar.get_height() for bar in bars] == expected.tolist()
        assert all(bar.get_facecolor() == orange for bar in bars if bar.get_height() > 0)
        assert all(bar.get_facecolor() == blue for bar in bars if bar.get_height() < 0)
        half = (compared.loc[name, "high"] - compared.loc[name, "low"]) / 2
        band = axes.patches[42].get_window_extent().transformed(axes.transData.inverted())
        assert [band.y0, band.y1] == pytest.approx([means[name] - half, means[name] + half])
    label = f"difference from BM25 in {NCG}, 42 topics; line and band: mean, 95% t interval"
    assert figure.get_supxlabel() == label


def test_one_topic_has_a_point_and_no_test() -> None:
    one = results_of({"A": [1.0], "B": [2.0]}, "CG")
    (axes,) = plots.plot_pair(one, x="A", y="B").axes
    assert axes.get_title() == "CG, 1 topic\nB: 1 won, 0 tied, 0 lost"
    rounded = results_of({"A": [0.1 + 0.2], "B": [0.3]}, "CG")
    assert "B: 0 won, 1 tied, 0 lost" in plots.plot_pair(rounded, x="A", y="B").axes[0].get_title()
    with pytest.raises(ValueError, match="topic"):
        plots.plot_topics(one, baseline="A")


@pytest.mark.parametrize(
    ("word", "size"),
    [("rerank_bm25.top1000-", (3.3, 3.6)),
     *slow(("longlonglonglong", (3.3, 3.6)), ("words of a long name ", (7, 4)))],
)  # fmt: skip
def test_long_names_of_systems_are_not_cut(word: str, size: tuple[float, float]) -> None:
    """The key, the label below and the titles have all letters, inside the figure."""
    names = [(word * 4)[:70] + end for end in "ab"]
    results = results_of({names[0]: [1.0] * 5, names[1]: [2.0] * 5}, "CG")
    for figure in (
        plots.plot_topics(results, baseline=names[0], figsize=size),
        plots.plot_pair(results, x=names[0], y=names[1], figsize=size),
    ):
        no_overlap(figure)
        legends = [text for legend in figure.legends for text in legend.get_texts()]
        titles = [axes.get_title(loc) for axes in figure.axes for loc in ("left", "center")]
        for shown in [*words([*figure.texts, *legends]), *filter(None, titles)]:
            assert any(re.sub(r"\s", "", name) in re.sub(r"\s", "", shown) for name in names)
        for text in [*figure.texts, *legends]:
            assert figure.bbox.padded(1).count_contains(text.get_window_extent().corners()) == 4


def test_two_systems_topic_by_topic() -> None:
    results = by_query()
    figure = plots.plot_pair(results, NCG, x="BM25", y="First word")
    no_overlap(figure)
    (axes,) = figure.axes
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    pairs = matrix[["BM25", "First word"]]
    assert axes.collections[0].get_offsets().tolist() == pairs.to_numpy().tolist()
    assert (figure.get_supxlabel(), axes.get_ylabel()) == ("BM25", "First word")
    assert axes.get_xlim() == axes.get_ylim()
    (diagonal,) = axes.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    above, below = ((sign * (pairs["First word"] - pairs["BM25"]) > 0).sum() for sign in (1, -1))
    counts = f"{above} won, {42 - above - below} tied, {below} lost"
    title = f"{NCG}, 42 topics First word: {counts}"
    assert axes.get_title().replace("\n", " ") == title
