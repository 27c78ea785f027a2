"""Systems compared topic by topic."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.colors import to_rgb

from pt_cumgain import pairwise, plots
from tests.support.drawn import apart, extents, no_overlap, results_of
from tests.support.helpers import by_query, slow

pytestmark = pytest.mark.usefixtures("figures")

NCG = "nCG 0-1-1-1"


def wins_and_losses(difference: pd.Series) -> str:
    won, lost = (difference > 0).sum(), (difference < 0).sum()
    return f"{won} won, {len(difference) - won - lost} tied, {lost} lost"


def test_differences_by_topic() -> None:
    """Bars of 42 topics: a single panel has room for their ids, four have not.

    Expected: the intervals of pairwise; panels by mean; the baseline stands once, below.
    """
    results = by_query()
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    figure = plots.plot_topics(results, NCG, baseline="BM25")
    no_overlap(figure)
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    compared = pairwise(results[results["measure"] == NCG], baseline="BM25")
    compared = compared.set_index(compared[["name", "other"]].replace("BM25", "").sum(axis=1))
    means = (matrix.drop(columns="BM25").sub(matrix["BM25"], axis=0)).mean()
    by_mean = means.sort_values(ascending=False).index
    for axes, name in zip(figure.axes, by_mean, strict=True):
        expected = (matrix[name] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
        title, mean, counts = axes.get_title().split("\n")
        assert (title, counts) == (name, wins_and_losses(expected))
        row = compared.loc[name]
        half = (row["high"] - row["low"]) / 2
        ends = f"[{means[name] - half:.3f}, {means[name] + half:.3f}]"
        assert mean.replace("−", "-") == f"{means[name]:+.3f} {ends}"
        assert [bar.get_height() for bar in axes.patches[:42]] == expected.tolist()
        best, worst = (text.get_text().split("\n") for text in axes.get_xticklabels())
        assert best == expected.index[:3].tolist()
        assert worst == expected.index[:-4:-1].tolist()
        assert axes.get_xticks().tolist() == [0, 41]
    label = f"differences from BM25 in {NCG}, 42 topics; mean [95% t interval]"
    assert figure.get_supxlabel() == label
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["BM25 is better"]
    assert sum("BM25" in axes.get_title() for axes in figure.axes) == 0
    figure = plots.plot_topics(results, NCG, baseline="BM25", system="DPH", figsize=(7, 3))
    no_overlap(figure)
    (axes,) = figure.axes
    expected = (matrix["DPH"] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
    labels = axes.get_xticklabels()
    assert [text.get_text() for text in labels] == expected.index.tolist()
    apart(extents(labels))


@pytest.mark.parametrize("sign", [1, 0, -1])
def test_topics_that_are_all_won_or_lost_or_tied(sign: int) -> None:
    rising = np.arange(100) / 100 + 5
    figure = plots.plot_topics(results_of(100, A=0.0, B=sign * rising), baseline="A")
    no_overlap(figure)
    (axes,) = figure.axes
    counts = {1: "100 won, 0 tied, 0 lost", 0: "0 won, 100 tied, 0 lost"}
    assert axes.get_title().endswith(counts.get(sign, "0 won, 0 tied, 100 lost"))
    best, worst = (text.get_text() for text in axes.get_xticklabels())
    high, low = "q99\nq98\nq97", "q0\nq1\nq2"
    assert (best, worst) == {1: (high, low), 0: ("q0\nq1\nq10", high), -1: (low, high)}[sign]
    assert axes.get_ylim()[0] < 0 < axes.get_ylim()[1]
    colours = {np.sign(bar.get_height()): to_rgb(bar.get_facecolor()) for bar in axes.patches[:99]}
    assert colours[sign] == to_rgb(plots.COLOURS[1 if sign > 0 else 0])


def test_few_topics_and_long_names() -> None:
    """Titles and names are whole, in several lines."""
    names = ["a$b_{$c", "a long pipeline >> " * 5, "_hidden"]
    results = results_of(5, **dict(zip(names, ([1.0, 2, 3, 4, 5], 3.0, 2.0), strict=True)))
    figure = plots.plot_topics(results, baseline="_hidden", figsize=(7, 4))
    no_overlap(figure)
    titles = [axes.get_title().replace("\n", " ") for axes in figure.axes]
    assert titles[0].startswith("a\\$b_{\\$c +1.000 ") or titles[1].startswith("a\\$b_{\\$c +1.0")
    assert any(title.startswith(names[1].strip()) for title in titles)
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert len(labels) == 5
    figure = plots.plot_pair(results, x=names[1], y=names[0])
    no_overlap(figure)


@pytest.mark.parametrize("size", [None, (3.3, 3.6), (7, 5)])
def test_long_names_of_a_pair(size) -> None:
    names = [f"a pipeline >> {i} >> " + "stage >> " * 8 for i in "xy"]
    figure = plots.plot_pair(results_of(30, **dict(zip(names, (1.0, 2.0)))), figsize=size)
    no_overlap(figure)
    (axes,) = figure.axes
    assert axes.get_title().replace("\n", " ").endswith("30 won, 0 tied, 0 lost")


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
    counts = wins_and_losses(pairs["First word"] - pairs["BM25"])
    title = f"{NCG}, 42 topics First word: {counts}"
    assert axes.get_title().replace("\n", " ") == title
    assert 1 <= len(axes.texts) <= 5


@settings(max_examples=settings.default.max_examples)
@given(
    points=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=2, max_size=40),
    size=st.sampled_from([(3.3, 2.6), (3.3, 3.6), (7, 5)]),
)
def test_no_other_point_is_nearer_to_a_name_than_its_own(points, size) -> None:
    """Measured in points; names lie away from the diagonal, inside, and apart."""
    x, y = (np.array(values, float) for values in zip(*points))
    figure = plots.plot_pair(results_of(len(points), A=x, B=y), x="A", y="B", figsize=size)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    places = axes.transData.transform(np.array(points, float))
    for text in axes.texts:
        i = int(text.get_text()[1:])
        box = text.get_window_extent()
        away = np.maximum(np.maximum(box.min - places, places - box.max), 0)
        away = np.hypot(*away.T) * 72 / figure.dpi
        assert away[i] < 4
        assert (np.delete(away, i) > away[i]).all()
        middle = axes.transData.inverted().transform((box.min + box.max) / 2)
        assert np.sign(middle[1] - middle[0]) == np.sign(y[i] - x[i]) != 0
        assert axes.bbox.padded(2).count_contains(box.corners()) == 4
    apart(extents(axes.texts))
    pyplot.close("all")


RESULTS = results_of(3, A=1.0, B=2.0, C=3.0)


def test_systems_may_be_chosen_by_place() -> None:
    figure = plots.plot_topics(RESULTS, baseline=2, system=0)
    assert figure.axes[0].get_title().startswith("A\n")
    assert figure.get_supxlabel().startswith("differences from C in CG")
    figure = plots.plot_pair(RESULTS, x=1, y="A")
    assert (figure.get_supxlabel(), figure.axes[0].get_ylabel()) == ("B", "A")
    two = plots.plot_pair(RESULTS[RESULTS["name"] != "B"])
    assert (two.get_supxlabel(), two.axes[0].get_ylabel()) == ("A", "C")


@pytest.mark.parametrize(
    ("function", "results", "chosen", "message"),
    [
        (plots.plot_topics, RESULTS, {}, r"give baseline=, one of the systems: \['A', 'B', 'C'"),
        (plots.plot_topics, RESULTS, {"baseline": "A", "system": "A"}, "are the same system, 'A'"),
        (plots.plot_pair, RESULTS, {}, r"give x=, one of the systems: \['A', 'B', 'C'"),
        (
            plots.plot_pair,
            pd.concat([RESULTS, RESULTS.assign(measure="DCG")]),
            {"x": "A", "y": "B"},
            "choose a measure; the results have CG, DCG",
        ),
        (
            plots.plot_topics,
            RESULTS,
            {"baseline": "A", "measure": "DCG"},
            "there is no measure 'DCG'; the results have CG",
        ),
        (plots.plot_pair, RESULTS.drop(columns="qid"), {"x": "A", "y": "B"}, "columns.*'qid'"),
    ],
)
def test_results_that_cannot_be_drawn(function, results, chosen: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(results, **chosen)


def test_systems_that_are_not_drawn_may_lack_topics() -> None:
    results = RESULTS.replace({"value": {3.0: np.nan}})
    axes = plots.plot_topics(results, baseline="A", system="B", legend=False).axes[0]
    assert len(axes.patches) == 3 + 1
    assert len(plots.plot_pair(results, x="A", y="B").axes[0].collections[0].get_offsets()) == 3


@pytest.mark.parametrize("size", [(7, 7), *slow((None,))])
def test_many_systems_have_a_panel_each(size) -> None:
    """The highest mean first."""
    names = [f"run_2020_model_v{i}" for i in range(12)]
    results = results_of(20, **{name: np.arange(20.0) * i for i, name in enumerate(names)})
    figure = plots.plot_topics(results, baseline=names[0], figsize=size)
    no_overlap(figure)
    titles = [axes.get_title().split("\n")[0] for axes in figure.axes]
    assert titles == names[:0:-1]
