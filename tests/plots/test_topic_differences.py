"""Systems compared topic by topic."""

from __future__ import annotations

import re
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import plots
from tests.support.drawn import apart, extents, no_overlap, results_of
from tests.support.helpers import by_query, slow

pytestmark = pytest.mark.usefixtures("figures")


NCG = "nCG 0-1-1-1"


def wins_and_losses(difference: pd.Series) -> str:
    won, lost = (difference > 0).sum(), (difference < 0).sum()
    return f"{won} won, {len(difference) - won - lost} tied, {lost} lost"


def test_differences_by_topic() -> None:
    """Bars of 42 topics: a single panel has room for their ids, four have not."""
    results = by_query()
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    figure = plots.plot_topics(results, NCG, baseline="BM25")
    no_overlap(figure)
    others = [name for name in results["name"].unique() if name != "BM25"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    for axes, name in zip(figure.axes, others, strict=True):
        expected = (matrix[name] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
        assert axes.get_title() == f"{name} − BM25\n{wins_and_losses(expected)}"
        assert [bar.get_height() for bar in axes.patches] == expected.tolist()
        best, worst = (text.get_text().split("\n") for text in axes.get_xticklabels())
        assert best == expected.index[:3].tolist()
        assert worst == expected.index[:-4:-1].tolist()
        assert axes.get_xticks().tolist() == [0, 41]
    below = f"42 topics, {NCG}"
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", below, below]
    assert [axes.get_ylabel() for axes in figure.axes] == ["difference", ""] * 2
    figure = plots.plot_topics(results, NCG, baseline="BM25", system="DPH")
    no_overlap(figure)
    (axes,) = figure.axes
    expected = (matrix["DPH"] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
    assert [bar.get_height() for bar in axes.patches] == expected.tolist()
    labels = axes.get_xticklabels()
    assert [text.get_text() for text in labels] == expected.index.tolist()
    boxes = [text.get_window_extent() for text in labels]
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))


@pytest.mark.parametrize("sign", [1, 0, -1])
def test_topics_that_are_all_won_or_lost_or_tied(sign: int) -> None:
    rising = np.arange(100) / 100 + 5
    figure = plots.plot_topics(results_of(100, A=0.0, B=sign * rising), baseline="A")
    no_overlap(figure)
    (axes,) = figure.axes
    counts = {1: "100 won, 0 tied, 0 lost", 0: "0 won, 100 tied, 0 lost"}
    assert axes.get_title() == f"B − A\n{counts.get(sign, '0 won, 0 tied, 100 lost')}"
    best, worst = (text.get_text() for text in axes.get_xticklabels())
    high, low = "q99\nq98\nq97", "q0\nq1\nq2"
    assert (best, worst) == {1: (high, low), 0: ("q0\nq1\nq10", high), -1: (low, high)}[sign]
    assert axes.get_ylim()[0] < 0 < axes.get_ylim()[1]


def test_few_topics_and_long_names() -> None:
    names = ["a$b_{$c", "a long pipeline >> " * 5, "_hidden"]
    results = results_of(5, **dict(zip(names, ([1.0, 2, 3, 4, 5], 3.0, 2.0), strict=True)))
    figure = plots.plot_topics(results, baseline="_hidden")
    no_overlap(figure)
    assert figure.axes[0].get_title() == "a\\$b_{\\$c − _hidden\n3 won, 1 tied, 1 lost"
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels == ["q4", "q3", "q2", "q1", "q0"]
    figure = plots.plot_pair(results, x=names[1], y=names[0])
    no_overlap(figure)
    assert {text.get_text() for text in figure.axes[0].texts} == {"q0", "q1", "q3", "q4"}


@pytest.mark.parametrize("size", [None, (3.3, 2.6), (7, 4)])
def test_long_names_of_a_pair(size) -> None:
    """They are cut, since three texts of a small square have them, and stay beside it."""
    names = [f"a pipeline >> {i} >> " + "stage >> " * 8 for i in "xy"]
    figure = plots.plot_pair(results_of(30, **dict(zip(names, (1.0, 2.0)))), figsize=size)
    no_overlap(figure)
    (axes,) = figure.axes
    assert axes.get_xlabel().replace("\n", " ").startswith("a pipeline >> x")
    assert len(axes.get_ylabel()) <= 32
    assert axes.get_title().replace("\n", " ").endswith("30 won, 0 tied, 0 lost")


def test_two_systems_topic_by_topic() -> None:
    results = by_query()
    figure = plots.plot_pair(results, NCG, x="BM25", y="First word")
    no_overlap(figure)
    (axes,) = figure.axes
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    pairs = matrix[["BM25", "First word"]]
    assert axes.collections[0].get_offsets().tolist() == pairs.to_numpy().tolist()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("BM25", "First word")
    assert axes.get_xlim() == axes.get_ylim()
    (diagonal,) = axes.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    difference = pairs["First word"] - pairs["BM25"]
    assert axes.get_title() == f"{NCG}, 42 topics\nFirst word: {wins_and_losses(difference)}"
    farthest = difference.abs().sort_values(ascending=False, kind="stable").index
    named = [text.get_text() for text in axes.texts]
    assert farthest[0] in named
    assert len(named) == 5
    boxes = [text.get_window_extent() for text in axes.texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_labels_that_have_no_room_are_left_out() -> None:
    """Topics at the same point: one is named."""
    axes = plots.plot_pair(results_of(20, A=0.0, B=1.0)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["q0"]


RESULTS = results_of(3, A=1.0, B=2.0, C=3.0)


def test_systems_may_be_chosen_by_place() -> None:
    axes = plots.plot_topics(RESULTS, baseline=2, system=0).axes[0]
    assert axes.get_title() == "A − C\n0 won, 0 tied, 3 lost"
    axes = plots.plot_pair(RESULTS, x=1, y="A").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("B", "A")


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
    assert len(plots.plot_topics(results, baseline="A", system="B").axes[0].patches) == 3
    assert len(plots.plot_pair(results, x="A", y="B").axes[0].collections[0].get_offsets()) == 3


def test_labels_of_points_that_are_close_do_not_overlap() -> None:
    above = np.array([0.9, 0.85, 0.79, 0.785, 0.78, 0.68, 0.54, 0.41, 0.26, 0.0])
    results = results_of(10, A=np.zeros(10), B=above)
    for size in ((3.3, 2.6), (7, 4)):
        figure = plots.plot_pair(results, x="A", y="B", figsize=size)
        figure.draw_without_rendering()
        texts = figure.axes[0].texts
        assert texts[0].get_text() == "q0"
        assert len(texts) > 2
        apart(extents(texts))


@pytest.mark.parametrize(
    ("systems", "size", "drawn"), [(12, (3.3, 2.5), 2), *slow((40, None, 12)), (5, (3.3, 2.5), 2)]
)
def test_as_many_systems_as_have_room_are_drawn(systems: int, size, drawn: int) -> None:
    """Those whose means are nearest to the baseline's, as a note and a warning say."""
    names = [f"run_2020_model_v{i}" for i in range(systems)]
    results = results_of(20, **{name: float(i) for i, name in enumerate(names)})
    words = f"^{drawn} of {systems - 1} systems are drawn, those whose means are nearest to"
    with pytest.warns(UserWarning, match=words) if systems - 1 > drawn else nullcontext():
        figure = plots.plot_topics(results, baseline=names[0], figsize=size)
    no_overlap(figure)
    assert figure.get_size_inches()[1] < 12  # a page
    titles = [axes.get_title() for axes in figure.axes]
    assert len(titles) == drawn
    shown = {int(re.search(r"v(\d+)", title.replace("\n", ""))[1]) for title in titles}
    assert shown == set(range(1, drawn + 1))
    notes = [text.get_text().split(",")[0] for text in figure.texts]
    assert notes == ([f"{drawn} of {systems - 1} systems"] if systems - 1 > drawn else [])
    sizes = [label.get_fontsize() for axes in figure.axes for label in axes.get_xticklabels()]
    assert min(sizes) >= 5


def test_long_names_take_the_width_of_their_panels() -> None:
    """Two names are on two lines; the measure has no part in how they are shortened."""
    names = ["IRIT_marked_mu_pair", "elhuyar_rRnk_cbert", "SFDC-23April-run2"]
    results = results_of(9, **{name: np.arange(9.0) * i for i, name in enumerate(names)})
    figure = plots.plot_topics(results.assign(measure="i" * 40), baseline=names[0], figsize=(5, 3))
    titles = [axes.get_title().split("\n") for axes in figure.axes]
    assert [lines[:2] for lines in titles] == [[f"{name} −", names[0]] for name in names[1:]]
    no_overlap(figure)
