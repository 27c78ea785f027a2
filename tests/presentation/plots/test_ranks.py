"""The ranks that systems may have."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_cumgain import plots
from tests.support.helpers import slow
from tests.support.presentation.drawn import no_overlap

pytestmark = pytest.mark.usefixtures("figures")
COLUMNS = ["measure", "name", "rank", "low", "high", "may_be_best"]


def ranks(systems: int, measures: int = 1, name: str = "system {}") -> pd.DataFrame:
    rows = [
        (f"m{m}", name.format(i), systems - i, max(1, systems - i - 3), systems, i > systems / 2)
        for m in range(measures)
        for i in range(systems)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_points_are_ranks_and_lines_the_ranks_that_may_be() -> None:
    frame = ranks(4, measures=2)
    figure = plots.plot_ranks(frame)
    first = figure.axes[0]
    assert [text.get_text() for text in first.get_yticklabels()] == [
        f"system {i}" for i in (3, 2, 1, 0)
    ]
    best, worse = first.get_lines()
    assert best.get_xydata().tolist() == [[1, 0]]
    assert sorted(worse.get_xydata().tolist()) == [[2, 1], [3, 2], [4, 3]]
    assert (best.get_markerfacecolor(), worse.get_markerfacecolor()) == ("black", "white")
    ends = sorted(segment[:, 0].tolist() for segment in first.collections[0].get_segments())
    assert ends == [[1, 4]] * 4
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "may be the best",
        "another is significantly better",
        "ranks that it may have",
    ]
    second = figure.axes[1].yaxis.get_majorticklabels()
    assert not any(label.get_visible() for label in second)
    no_overlap(figure)


@pytest.mark.parametrize("systems", [2, 12, *slow(5, 40)])
@pytest.mark.parametrize("size", [(3.3, 4.5), *slow((None,))])
def test_names_do_not_overlap(systems: int, size: tuple[float, float] | None) -> None:
    no_overlap(plots.plot_ranks(ranks(systems, name="a run with a long name {}"), figsize=size))


def test_a_system_may_be_missing_in_the_first_panel() -> None:
    figure = plots.plot_ranks(ranks(3, measures=2)[1:])
    first, second = (
        {tuple(point) for line in axes.get_lines() for point in line.get_xydata()}
        for axes in figure.axes
    )
    assert (len(first), len(second)) == (2, 3)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["system 2", "system 1", "system 0"]


def test_several_datasets_are_refused() -> None:
    frame = pd.concat([ranks(3).assign(dataset=name) for name in "ab"])
    with pytest.raises(ValueError, match="two rows have the same measure, name"):
        plots.plot_ranks(frame)


@pytest.mark.parametrize(
    ("change", "explained"),
    [
        ({"may_be_best": True}, ["may be the best", "ranks that it may have"]),
        ({"may_be_best": True, "low": 1, "high": 1}, ["may be the best"]),
        (
            {"may_be_best": False},
            ["another is significantly better", "ranks that it may have"],
        ),
    ],
)
def test_only_marks_that_are_drawn_are_explained(change: dict, explained: list[str]) -> None:
    """Below the panels, however wide they are."""
    figure = plots.plot_ranks(ranks(3).assign(**change), figsize=(12, 3))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == explained
    assert not figure.axes[0].texts
