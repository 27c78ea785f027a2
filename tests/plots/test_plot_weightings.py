"""Maps of weightings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import CG, nDCG, plots, pydocs, weighting_map
from tests.support.drawn import apart, extents, key, no_overlap, words
from tests.support.helpers import slow

pytestmark = [
    pytest.mark.usefixtures("figures"),
    pytest.mark.filterwarnings("ignore:the run 'First word' has no documents"),
]


@pytest.fixture(scope="module")
def triangles(qrels) -> pd.DataFrame:
    return weighting_map(pydocs.runs(), None, qrels, [nDCG @ 10, nDCG @ 100], points=21)


@pytest.fixture(scope="module")
def strips(qrels) -> pd.DataFrame:
    two = qrels[qrels["label"] < 3]
    return weighting_map(pydocs.runs(), None, two, [nDCG @ 100, CG @ 3], points=21)


def colour_at(figure, axes, t: np.ndarray) -> np.ndarray:
    """The colour of a drawn picture at a weighting of three levels."""
    x, y = axes.transData.transform((t[2] + t[1] / 2, t[1] * np.sqrt(3) / 2))
    pixels = np.asarray(figure.canvas.buffer_rgba())
    return pixels[len(pixels) - round(y), round(x), :3] / 255


def test_points_have_the_colour_of_the_best(triangles) -> None:
    """At points that are inside a region, and on no letter: a tint of the system's colour."""
    figure = plots.plot_weightings(triangles, figsize=(7, 4))
    lattice = triangles[triangles["scheme"] == ""]
    assert {*triangles["best"]} == {"BM25", "QLD", "PL2"}
    names = list(pydocs.runs())
    for text in [text for axes in figure.axes for text in axes.texts]:
        text.remove()
    figure.canvas.draw()
    for axes, (_, rows) in zip(figure.axes, lattice.groupby("measure", sort=False), strict=True):
        for row in rows[rows["difference"] > 0.001].to_dict("records"):
            t = np.array([row["t1"], row["t2"], row["t3"]])
            near = rows[(rows[["t1", "t2", "t3"]] - t).abs().max(axis=1) < 0.05]
            if t.min() < 0.05 or near["best"].nunique() + near["p"].lt(0.05).nunique() > 2:
                continue  # on a boundary
            if (np.abs(axes.lines[0].get_xdata() - t[2] - t[1] / 2) < 0.05).any():
                continue  # on a dot
            seen = 1 - colour_at(figure, axes, t)
            full = 1 - np.array(to_rgb(plots.COLOURS[names.index(row["best"])]))
            share = seen @ full / (full @ full)
            assert seen == pytest.approx(share * full, abs=0.03), row
            assert share == pytest.approx(0.75 if row["p"] < 0.05 else 0.3, abs=0.02)


def test_a_triangle_names_corners_weightings_and_in_its_key_systems(triangles) -> None:
    """Letters have a rim and no box; the key says what pale means."""
    figure = plots.plot_weightings(triangles, figsize=(7, 4))
    no_overlap(figure)
    dots = ["0-1-2-3", "0-1-5-10", "0-1-10-100", "0-0-2-3", "exp"]
    for axes in figure.axes:
        assert sorted(words(axes.texts)) == sorted(["0-1-1-1", "0-0-1-1", "0-0-0-1", *dots])
        assert all(text.get_bbox_patch() is None for text in axes.texts)
        assert all(text.get_path_effects() for text in axes.texts)
        apart(extents([*axes.texts, axes.title]))
    pale = "pale: uncorrected paired t-test of the two highest means: p ≥ 0.05"
    assert set(key(figure)) == {*triangles["best"], pale}
    swatches = dict(zip(key(figure), figure.legends[0].get_patches(), strict=True))
    full = 1 - np.array(to_rgb(plots.COLOURS[[*pydocs.runs()].index("QLD")]))
    assert 1 - np.array(swatches["QLD"].get_facecolor()[:3]) == pytest.approx(0.75 * full)
    few = triangles[triangles["measure"] == "nDCG@10"].assign(p=0.01)
    assert pale not in key(plots.plot_weightings(few))


def test_triangles_that_are_too_small_are_warned_of(triangles) -> None:
    """At least an inch wide in a column, without a bar."""
    figure = plots.plot_weightings(triangles, figsize=(3.3, 2.5))
    no_overlap(figure)
    assert min(axes.bbox.width for axes in figure.axes) >= figure.dpi
    with pytest.warns(UserWarning, match="so that its triangles are less than an inch wide"):
        plots.plot_weightings(triangles, figsize=(2.2, 1.8))


def test_two_levels_are_a_strip_below_curves(strips) -> None:
    figure = plots.plot_weightings(strips)
    no_overlap(figure)
    winners = set(strips["best"])
    for axes, (measure, rows) in zip(
        figure.axes, strips[strips["scheme"] == ""].groupby("measure", sort=False), strict=True
    ):
        assert axes.get_title() == measure
        every = strips[strips["measure"] == measure].sort_values("t2", kind="stable")
        drawn = [line.get_ydata() for line in axes.get_lines()]
        expected = every[list(pydocs.runs())].to_numpy().T
        for line in axes.get_lines():  # marks are at the papers' weightings
            if line.get_marker() != "None":
                marked = line.get_xdata()[line.get_markevery()]
                assert marked.tolist() == every.loc[every["scheme"] != "", "t2"].tolist()
        assert sorted(map(list, drawn)) == sorted(map(list, expected))
        coloured = {line.get_label() for line in axes.get_lines() if line.get_color() != "0.8"}
        assert coloured == winners
        assert words(axes.get_xticklabels())[1:-1] == ["0-1-2", "exp", "0-1-5", "0-1-10"]
        assert axes.get_ylim()[0] == 0
        assert axes.get_ylabel() == ("mean" if axes is figure.axes[0] else "")
        spans = axes.patches[: len(rows)]
        for span, best, p in zip(spans, rows["best"], rows["p"], strict=True):
            line = next(one for one in axes.get_lines() if one.get_label() == best)
            full, seen = (1 - np.array(to_rgb(c)) for c in (line.get_color(), span.get_facecolor()))
            assert seen == pytest.approx((0.3 if p >= 0.05 else 0.75) * full)


@pytest.mark.parametrize("size", [(3.3, 2), *slow(((3.3, 2.6),), ((7, 3),))])
@pytest.mark.parametrize("add", [-0.7, *slow(0, 0.5)])
def test_a_strip_covers_no_line_or_mark(strips, add: float, size: tuple[float, float]) -> None:
    """Also where all means are nearly the same."""
    near = strips.assign(**{name: 0.01 * strips[name] + add for name in pydocs.runs()})
    figure = plots.plot_weightings(near, figsize=size, legend=False)
    for axes in figure.axes:
        (bars,) = axes.containers
        strip = min(bar.get_window_extent().y0 for bar in bars)
        for line in axes.get_lines():
            half = (line.get_markersize() + line.get_markeredgewidth()) / 2 * figure.dpi / 72
            top = axes.transData.transform(line.get_xydata())[:, 1].max()
            assert top + half * (line.get_marker() != "None") <= strip


def test_the_difference_of_a_pair(triangles, strips) -> None:
    """All panels have one scale, and one bar."""
    figure = plots.plot_weightings(strips, baseline="BM25", system=2, figsize=(7, 3))
    no_overlap(figure)
    rows = strips[(strips["scheme"] == "") & (strips["measure"] == "nDCG@100")]
    zero, curve = figure.axes[0].get_lines()
    assert list(zero.get_ydata()) == [0, 0]
    assert curve.get_ydata() == pytest.approx((rows["PL2"] - rows["BM25"]).to_numpy())
    assert figure.axes[0].get_ylabel() == "PL2 − BM25"
    figure = plots.plot_weightings(triangles, baseline="BM25", system="PL2", figsize=(7, 3))
    first, second, bar = figure.axes
    assert bar.get_ylabel() == "PL2 − BM25"
    of_first, of_second = (axes.collections[-1] for axes in (first, second))
    assert of_first.levels.tolist() == of_second.levels.tolist()
    assert of_first.get_clim() == of_second.get_clim()
    lattice = triangles[triangles["scheme"] == ""]
    most = (lattice["PL2"] - lattice["BM25"]).abs().max()
    assert -of_first.levels[0] == of_first.levels[-1] >= most
    assert len(second.collections) == len(first.collections) + 1 == 2  # the line where it is 0
    for points in second.collections[0].get_paths()[0].to_polygons(closed_only=False):
        x, y = np.array(points).T
        t2 = y * 2 / np.sqrt(3)
        lattice = lattice[lattice["measure"] == "nDCG@100"]
        for at, above in zip(x - t2 / 2, t2, strict=True):
            away = (lattice["t3"] - at).abs() + (lattice["t2"] - above).abs()
            near = lattice.loc[away.nsmallest(3).index]
            assert (near["PL2"] - near["BM25"]).abs().min() < 5e-4
