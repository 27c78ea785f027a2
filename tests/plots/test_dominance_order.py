"""The order that holds under every choice, as a diagram."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot

from pt_cumgain import dominance, nDCG, plots, pydocs
from tests.support.drawn import apart, no_overlap

pytestmark = pytest.mark.usefixtures("figures")


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


def drawn_lines(axes) -> set[tuple[str, str]]:
    """The systems, from above, that each line joins."""
    at = {text.get_position(): text.get_text() for text in axes.texts}
    ends = [line.get_xydata()[[0, -1]] for line in axes.get_lines()]
    return {(at[tuple(first)], at[tuple(last)]) for first, last in ends}


@settings(max_examples=settings.default.max_examples // 3)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_lines_are_the_transitive_reduction(points) -> None:
    """Expected: a line where one is better and no third lies between, from the definition."""
    axes = plots.plot_dominance(order(points), figsize=(20, 8)).axes[0]  # no name is cut
    distinct = dict.fromkeys(points)
    label = {
        point: " = ".join(f"s{i}" for i, other in enumerate(points) if other == point)
        for point in distinct
    }
    assert [text.get_text() for text in axes.texts] == list(label.values())

    def above(a, b) -> bool:
        return a != b and a[0] >= b[0] and a[1] >= b[1]

    expected = {
        (label[a], label[b])
        for a in distinct
        for b in distinct
        if above(a, b) and not any(above(a, c) and above(c, b) for c in distinct)
    }
    assert drawn_lines(axes) == expected
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    for a in distinct:
        best = not any(above(b, a) for b in distinct)
        text = axes.texts[list(label).index(a)]
        assert (heights[label[a]] == 0) == best
        assert (text.get_bbox_patch().get_edgecolor()[0] == 0) == best
    for line in axes.get_lines():  # no line has a point in the box of a system but at its ends
        for point in line.get_xydata()[1:-1]:
            assert all(abs(point - text.get_position()).max() > 0.04 for text in axes.texts)
    pyplot.close(axes.figure)


@pytest.mark.parametrize("systems", [2, 5, 12, 20])
@pytest.mark.parametrize("size", [(3.3, 5), (7, 5), None])
def test_names_do_not_overlap(systems: int, size: tuple[float, float] | None) -> None:
    points = np.random.default_rng(systems).integers(0, 100, (systems, 2)).tolist()
    figure = plots.plot_dominance(order(points, "run_2020_model_v{}"), figsize=size)
    no_overlap(figure)


@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 4), None])
@pytest.mark.parametrize("systems", [5, 12, 36])
def test_boxes_do_not_overlap(systems: int, size: tuple[float, float] | None) -> None:
    """Letters have 5 points or more; names that have room are whole."""
    points = np.random.default_rng(systems).integers(0, 100, (systems, 2)).tolist()
    figure = plots.plot_dominance(order(points, "run_v{}"), figsize=size)
    figure.canvas.draw()
    texts = figure.axes[0].texts
    apart([text.get_bbox_patch().get_window_extent() for text in texts])
    assert min(text.get_fontsize() for text in texts) >= 5
    whole = [text.get_text() for text in texts] == [f"run_v{i}" for i in range(systems)]
    assert whole == (size != (3.3, 2.6) or systems < 36)


def test_boxes_that_cannot_be_read_are_warned_of() -> None:
    points = np.random.default_rng(0).integers(0, 1000, (80, 2)).tolist()
    with pytest.warns(UserWarning, match="too small to be read in 3.3 x 2.5 inches"):
        plots.plot_dominance(order(points, "run_v{}"), figsize=(3.3, 2.5))


def test_the_order_of_pydocs(qrels) -> None:
    """Expected: the frame's pairs that hold; two panels."""
    frame = dominance(pydocs.runs(), None, qrels, [nDCG @ 10, nDCG @ 100])
    figure = plots.plot_dominance(frame)
    assert [axes.get_title() for axes in figure.axes] == ["nDCG@10", "nDCG@100"]
    for axes, (_, rows) in zip(figure.axes, frame.groupby("measure", sort=False), strict=True):
        won = rows[rows["better"] != ""]
        lost = won["other"].where(won["better"] == won["name"], won["name"])
        assert drawn_lines(axes) <= set(zip(won["better"], lost))


def test_comparisons_with_a_baseline_are_refused() -> None:
    frame = order([(1, 1), (2, 2), (3, 3)])
    with pytest.raises(ValueError, match="the picture is of all pairs; leave baseline out"):
        plots.plot_dominance(frame[:2])
