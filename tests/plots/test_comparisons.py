"""Measures and systems compared: heat maps, critical differences, p-values in order."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import grid, nDCG, plots
from pt_cumgain.comparing import correlation_table, rank_correlation
from pt_cumgain.papers import IPM2005
from tests.support.drawn import no_overlap
from tests.support.helpers import experiment, slow

pytestmark = pytest.mark.usefixtures("figures")


def test_a_heat_map() -> None:
    table = rank_correlation(experiment(grid(nDCG, gains=IPM2005, cutoffs=[10])))
    figure = plots.plot_correlation(table)
    axes = figure.axes[0]
    names = [f"nDCG@10 ({scheme})" for scheme in IPM2005.values()]
    assert [text.get_text() for text in axes.get_xticklabels()] == names[:-1]
    assert [text.get_text() for text in axes.get_yticklabels()] == names[1:]
    texts = [text.get_text() for text in axes.texts]
    below = table.to_numpy()[np.tril_indices(len(table), -1)]
    assert texts == [f"{value:.2f}" for value in below]
    assert axes.images[0].get_clim() == (0, 1)
    assert figure.axes[1].get_ylabel() == "Kendall's tau-b"
    no_overlap(figure)
    with pytest.raises(ValueError, match="there is no correlation to draw"):
        plots.plot_correlation(table * np.nan)


def test_the_colours_of_a_heat_map() -> None:
    """They have a fixed scale, or that asked for, dark at its end; numbers can be read on them."""
    for values, options, limits in (
        ([[1, 0.998], [0.5, 1]], {}, (0, 1)),
        ([[1, 0.998], [0.5, 1]], {"limits": (0.5, 1)}, (0.5, 1)),
        ([[1, -0.004], [0.004, np.nan]], {}, (-1, 1)),
    ):
        table = pd.DataFrame(values, ["a", "b" * 40], ["a", "b" * 40])
        axes = plots.plot_correlation(table, **options).axes[0]
        image = axes.images[0]
        assert image.get_clim() == limits
        assert sum(image.cmap(1.0)[:3]) < sum(image.cmap(0.0)[:3])
        known = [value for value in np.ravel(values) if not np.isnan(value)]
        for text, value in zip(axes.texts, known, strict=True):
            light = np.dot(image.cmap(image.norm(value))[:3], [0.2126, 0.7152, 0.0722])
            assert abs(light - (text.get_color() == "white")) > 0.45
    assert [text.get_text() for text in axes.texts] == ["1.00", "0.00", "0.00"]
    with pytest.raises(ValueError, match=r"limits=\(1, 0\) must be a lower and a higher number"):
        plots.plot_correlation(table, limits=(1, 0))


@pytest.mark.filterwarnings("ignore:the picture is too small to be read in 7 x 3.5:UserWarning")
@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 3.5)])
@pytest.mark.parametrize("count", [2, 12, *slow(40)])
def test_numbers_of_a_heat_map_fit_their_cells(count: int, size: tuple[float, float]) -> None:
    names = [f"nDCG(gains='0-1-{i}',discount='original')@{10 * i}" for i in range(count)]
    table = pd.DataFrame(np.eye(count) / 2 + 0.5, names, names)
    too_small = pytest.warns(UserWarning, match="too small to be read in 3.3 x 2.6 in")
    with too_small if count == 40 and size[0] < 7 else nullcontext():
        figure = plots.plot_correlation(table, figsize=size)
    no_overlap(figure)
    axes = figure.axes[0]
    box = axes.get_window_extent()
    fits = count == 2 or (count == 12 and size[0] == 7)  # in letters of 5 points
    assert len(axes.texts) == fits * count * (count - 1) // 2
    sizes = {text.get_fontsize() for text in axes.texts}
    assert not sizes or 5 <= min(sizes) == max(sizes) <= 7
    for text in axes.texts:
        shown = text.get_window_extent()
        assert shown.width < box.width / (count - 1)
        assert shown.height < 1.25 * box.height / (count - 1)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "rank correlation"),
        ({"coefficient": "tau-ap"}, "tau-AP"),
        ({"coefficient": "rho"}, "rho"),
    ],
)
def test_a_table_that_is_not_symmetric(given: dict, shown: str) -> None:
    table = pd.DataFrame([[1.0, 0.8], [0.6, 1.0]], ["a", "b"], ["a", "b"])
    figure = plots.plot_correlation(table, **given)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.00", "0.80", "0.60", "1.00"]
    assert figure.axes[1].get_ylabel() == shown
    table.attrs["coefficient"] = "tau-ap"
    assert plots.plot_correlation(table).axes[1].get_ylabel() == "tau-AP"


@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 4)])
def test_labels_of_a_heat_map_are_broken_rather_than_cut(size: tuple[float, float]) -> None:
    """A sign of equality stays with what it is between; the other labels are whole, too."""
    names = ["nCG@10", "nDCG(gains='0-1-10-100')@10", "nDCG(discount='original',base=2)@1000"]
    figure = plots.plot_correlation(pd.DataFrame(np.eye(3) / 2 + 0.5, names, names), figsize=size)
    no_overlap(figure)
    shown = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    whole = ["nDCG@10 (0-1-10-100)", "nDCG@1000 (original, b = 2)"]
    broken = ["nDCG@10\n0-1-10-100", "nDCG@1000\noriginal,\nb = 2"]
    assert shown == (broken if size[0] < 7 else whole)


@pytest.mark.filterwarnings("ignore:names are too long:UserWarning")
def test_a_measure_has_the_same_number_at_both_sides() -> None:
    """Where names are cut until they are alike, and so are numbered."""
    names = [f"organisation{i}organisation{k}" for i in (1, 2) for k in "ab"]
    table = pd.DataFrame(np.eye(4) / 2 + 0.5, names, names)
    axes = plots.plot_correlation(table, figsize=(2, 1.6)).axes[0]
    sides = [
        [text.get_text() for text in labels]
        for labels in (axes.get_xticklabels(), axes.get_yticklabels())
    ]
    assert [[label.split()[0] for label in side] for side in sides] == [list("123"), list("234")]


def test_results_are_not_taken_for_correlations() -> None:
    rows = [(name, "q", "CG", 1.0) for name in "AB"]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    for function in (plots.plot_correlation, correlation_table):
        with pytest.raises(ValueError, match=r"numbers only \(.*'A'\); rank_correlation returns"):
            function(frame)
