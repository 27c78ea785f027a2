"""Maps of weightings."""

import warnings

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


@pytest.mark.slow
@pytest.mark.parametrize("muted", [True, *slow(False)])
def test_points_have_the_colour_of_the_best(triangles, muted: bool) -> None:
    """At points that are inside a region, and on no letter: a tint of the system's colour."""
    triangles = triangles.assign(others_may_be_best=muted)
    figure = plots.plot_weightings(triangles, figsize=(7, 4))
    lattice = triangles[triangles["scheme"] == ""]
    assert {*triangles["best"]} == {"BM25", "QLD", "PL2"}
    names = list(pydocs.runs())
    dots = triangles[triangles["scheme"] != ""][["t1", "t2", "t3"]].to_numpy()
    for text in [text for axes in figure.axes for text in axes.texts]:
        text.remove()
    figure.canvas.draw()
    for axes, (_, rows) in zip(figure.axes, lattice.groupby("measure", sort=False), strict=True):
        for row in rows[rows["difference"] > 0.001].to_dict("records"):
            t = np.array([row["t1"], row["t2"], row["t3"]])
            near = rows[(rows[["t1", "t2", "t3"]] - t).abs().max(axis=1) < 0.05]
            if t.min() < 0.05 or near["best"].nunique() > 1:
                continue  # on a boundary
            if (np.abs(dots - t).max(axis=1) < 0.06).any():
                continue  # on a dot
            seen = 1 - colour_at(figure, axes, t)
            full = 1 - np.array(to_rgb(plots.COLOURS[names.index(row["best"])]))
            share = seen @ full / (full @ full)
            assert seen == pytest.approx(share * full, abs=0.03), row
            assert share == pytest.approx(0.245 if row["others_may_be_best"] else 0.7, abs=0.02)


def test_a_triangle_names_corners_and_regions_and_numbers_weightings(triangles) -> None:
    """A name is nearest to a point at which its system leads; the line below lists the numbers."""
    figure = plots.plot_weightings(triangles, figsize=(7, 4))
    no_overlap(figure)
    corners = ["0-1-1-1", "0-0-0-1", "0-0-1-1"]
    for axes, (_, rows) in zip(figure.axes, triangles.groupby("measure", sort=False), strict=True):
        rows = rows[rows["scheme"] == ""]
        texts = {text.get_text(): text for text in axes.texts}
        assert set(texts) == {*corners, *"12345", *rows["best"]}
        apart(extents([*axes.texts, axes.title]))
        for name in set(rows["best"]):
            x, y = texts[name].get_position()
            away = np.hypot(rows["t3"] + rows["t2"] / 2 - x, rows["t2"] * np.sqrt(3) / 2 - y)
            assert rows.loc[away.idxmin(), "best"] == name
    listed, key = figure.get_supxlabel().split("\n")
    numbered = enumerate(["0-1-2-3", "0-1-5-10", "0-1-10-100", "0-0-2-3", "exp"], 1)
    assert listed.split("  ") == [f"{i}\xa0{scheme}" for i, scheme in numbered]
    assert key == "muted everywhere: other systems may also be best"
    certain = triangles.assign(others_may_be_best=False)
    assert "muted" not in plots.plot_weightings(certain).get_supxlabel()
    assert not figure.legends


def test_borders_are_where_means_are_equal(triangles) -> None:
    """The points of the lattice around a border have different leaders."""
    rows = triangles[(triangles["measure"] == "nDCG@100") & (triangles["scheme"] == "")]
    (axes,) = plots.plot_weightings(rows).axes
    lines = [one for one in axes.collections if list(getattr(one, "levels", ())) == [0]]
    ends = [point for line in lines for path in line.get_paths() for point in path.vertices]
    assert ends
    for x, y in ends:
        away = np.hypot(rows["t3"] + rows["t2"] / 2 - x, rows["t2"] * np.sqrt(3) / 2 - y)
        assert rows.loc[away.nsmallest(6).index, "best"].nunique() > 1


def test_triangles_that_are_too_small_are_refused(triangles) -> None:
    """A column of 3.3 inches has room for one."""
    one = triangles[triangles["measure"] == "nDCG@100"]
    no_overlap(plots.plot_weightings(one, figsize=(3.3, 2.5)))
    with pytest.raises(ValueError, match=r"^the panels cannot be read in 3\.3 x 2\.5 inches; give"):
        plots.plot_weightings(triangles, figsize=(3.3, 2.5))
    long = "a pipeline >> with >> stages"
    figure = plots.plot_weightings(one.rename(columns={"QLD": long}).replace("QLD", long))
    assert key(figure) == [long]  # its region is too small for it
    with pytest.raises(ValueError, match="t3 holds a value that is not a finite number"):
        plots.plot_weightings(triangles.assign(t3=np.nan))


@pytest.mark.slow
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
        assert sorted(map(list, drawn)) == sorted(map(list, expected))
        coloured = {line.get_label() for line in axes.get_lines() if line.get_color() != "0.7"}
        assert coloured == winners
        assert words(axes.get_xticklabels())[1:-1] == ["0-1-2", "exp", "0-1-5", "0-1-10"]
        assert axes.get_ylim()[0] == 0
        assert axes.get_ylabel() == ("mean" if axes is figure.axes[0] else "")
        spans = axes.patches[: len(rows)]
        for span, best, muted in zip(spans, rows["best"], rows["others_may_be_best"], strict=True):
            line = next(one for one in axes.get_lines() if one.get_label() == best)
            full, seen = (1 - np.array(to_rgb(c)) for c in (line.get_color(), span.get_facecolor()))
            assert seen == pytest.approx((0.25 if muted else 0.7) * full)
    shares = strips.assign(**strips[[*pydocs.runs()]] / 10)
    assert len({axes.get_ylim() for axes in plots.plot_weightings(shares).axes}) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib's, of a scale from 0 to 0
        plots.plot_weightings(strips.assign(**dict.fromkeys(pydocs.runs(), 0.0)))
