"""Maps of weightings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import CG, nDCG, plots, pydocs, weighting_map
from tests.support.drawn import apart, no_overlap

pytestmark = [
    pytest.mark.usefixtures("figures"),
    pytest.mark.filterwarnings("ignore:the run 'First word' has no documents"),
]


@pytest.fixture(scope="module")
def triangles(qrels) -> pd.DataFrame:
    return weighting_map(pydocs.runs(), None, qrels, [nDCG @ 10, nDCG @ 100], points=31)


@pytest.fixture(scope="module")
def strips(qrels) -> pd.DataFrame:
    two = qrels[qrels["label"] < 3]
    return weighting_map(pydocs.runs(), None, two, [nDCG @ 100, CG @ 3], points=31)


def colour_at(figure, axes, t: np.ndarray) -> np.ndarray:
    """The colour of a drawn picture at a weighting of three levels."""
    x, y = axes.transData.transform((t[2] + t[1] / 2, t[1] * np.sqrt(3) / 2))
    pixels = np.asarray(figure.canvas.buffer_rgba())
    return pixels[len(pixels) - round(y), round(x), :3] / 255


def test_points_have_the_colour_of_the_best(triangles) -> None:
    """At points that are inside a region, and on no letter: a tint of the system's colour."""
    figure = plots.plot_weightings(triangles, figsize=(7, 4))
    no_overlap(figure)
    lattice = triangles[triangles["scheme"] == ""]
    assert {*triangles["best"]} == {"BM25", "QLD", "PL2"}
    names = list(pydocs.runs())
    for axes, (_, rows) in zip(figure.axes, lattice.groupby("measure", sort=False), strict=True):
        for text in [*axes.texts]:
            text.remove()
        figure.canvas.draw()
        for row in rows[rows["difference"] > 0.001].to_dict("records"):
            t = np.array([row["t1"], row["t2"], row["t3"]])
            if t.min() < 0.05 or (np.abs(axes.lines[0].get_xdata() - t[2] - t[1] / 2) < 0.05).any():
                continue
            seen = 1 - colour_at(figure, axes, t)
            full = 1 - np.array(to_rgb(plots.COLOURS[names.index(row["best"])]))
            share = seen @ full / (full @ full)
            assert seen == pytest.approx(share * full, abs=0.03), row
            assert share == pytest.approx(0.75 if row["p"] < 0.05 else 0.3, abs=0.02)


def test_names_stand_in_their_regions_or_in_the_legend(triangles) -> None:
    figure = plots.plot_weightings(triangles)
    no_overlap(figure)
    dots = ["0-1-2-3", "0-1-5-10", "0-1-10-100", "0-0-2-3", "exp"]
    (first, second) = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert first == ["0-0-1-1", *dots, "BM25"]
    assert second == ["0-0-1-1", *dots, "BM25", "QLD", "PL2"]
    for axes in figure.axes:
        assert [t.get_text() for t in axes.get_xticklabels()] == ["0-1-1-1", "0-0-0-1"]
        apart([text.get_window_extent() for text in axes.texts])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["pale: lead p ≥ 0.05"]
    small = plots.plot_weightings(
        triangles[triangles["measure"] == "nDCG@100"], figsize=(2, 1.6), alpha=0.5
    )
    no_overlap(small)
    names = {text.get_text() for text in small.axes[0].texts}
    explained = {text.get_text() for text in small.legends[0].get_texts()}
    assert {"BM25", "QLD", "PL2"} <= names | explained
    assert {"BM25", "QLD"} & explained


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
        names = [text.get_text() for text in axes.get_xticklabels()]
        assert names[1:-1] == ["0-1-2", "exp", "0-1-5", "0-1-10"]
        spans = axes.patches[: len(rows)]
        for span, best, p in zip(spans, rows["best"], rows["p"], strict=True):
            line = next(one for one in axes.get_lines() if one.get_label() == best)
            full, seen = (1 - np.array(to_rgb(c)) for c in (line.get_color(), span.get_facecolor()))
            assert seen == pytest.approx((0.3 if p >= 0.05 else 0.75) * full)


def test_the_difference_of_a_pair(triangles, strips) -> None:
    figure = plots.plot_weightings(strips, baseline="BM25", system=2, figsize=(7, 3))
    no_overlap(figure)
    rows = strips[(strips["scheme"] == "") & (strips["measure"] == "nDCG@100")]
    zero, curve = figure.axes[0].get_lines()
    assert list(zero.get_ydata()) == [0, 0]
    assert curve.get_ydata() == pytest.approx((rows["PL2"] - rows["BM25"]).to_numpy())
    assert figure.axes[0].get_ylabel() == "PL2 − BM25"
    one = triangles[triangles["measure"] == "nDCG@100"]
    no_overlap(plots.plot_weightings(one, baseline="BM25", system="PL2", figsize=(3.3, 2.5)))
    figure = plots.plot_weightings(triangles, baseline="BM25", system="PL2", figsize=(7, 3))
    first, second, *bars = figure.axes
    assert [bar.get_ylabel() for bar in bars] == ["PL2 − BM25"] * 2
    assert len(second.collections) == len(first.collections) + 1 == 2  # the line where it is 0
    for points in second.collections[1].get_paths()[0].to_polygons(closed_only=False):
        x, y = np.array(points).T
        t2 = y * 2 / np.sqrt(3)
        lattice = triangles[(triangles["measure"] == "nDCG@100") & (triangles["scheme"] == "")]
        for at, above in zip(x - t2 / 2, t2, strict=True):
            away = (lattice["t3"] - at).abs() + (lattice["t2"] - above).abs()
            near = lattice.loc[away.nsmallest(3).index]
            assert (near["PL2"] - near["BM25"]).abs().min() < 5e-4


def test_titles_of_triangles_are_not_cut_off(triangles) -> None:
    figure = plots.plot_weightings(triangles, figsize=(7, 3.5))
    no_overlap(figure)
    assert all(axes.title.get_window_extent().y1 <= figure.bbox.y1 for axes in figure.axes)


def test_two_systems_need_no_names(qrels) -> None:
    runs = {name: pydocs.runs()[name] for name in ("BM25", "PL2")}
    table = weighting_map(runs, None, qrels, nDCG @ 100, points=9)
    assert plots.plot_weightings(table, baseline=0).axes[1].get_ylabel() == "PL2 − BM25"


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t.drop(columns="p"), {}, r"missing columns \['p'\].*weighting_map"),
        (lambda t: t, {"baseline": "QLD"}, "give system=, one of the systems: "),
        (
            lambda t: t,
            {"baseline": "QLD", "system": "QLD"},
            "baseline and system are the same system, 'QLD'",
        ),
        (lambda t: t, {"alpha": 2}, "alpha=2 must be between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn(triangles, change, options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.plot_weightings(change(triangles), **options)


@pytest.mark.filterwarnings("ignore:the picture is too small:UserWarning")
def test_regions_without_a_name_are_hatched_and_explained(triangles) -> None:
    """For grey pictures; a system has one hatch in all panels, and its swatch is as its regions."""
    figure = plots.plot_weightings(triangles, figsize=(3.3, 2.5))
    regions = [
        drawn for axes in figure.axes for drawn in axes.collections if any(drawn.hatches or [])
    ]
    unnamed = [
        text.get_text() for text in figure.legends[0].get_texts() if "pale" not in text.get_text()
    ]
    assert unnamed
    swatches = [patch for patch in figure.legends[0].get_patches() if patch.get_hatch()]
    hatches = [patch.get_hatch() for patch in swatches]
    assert len(hatches) == len(set(hatches)) == len(unnamed)
    assert {hatch for drawn in regions for hatch in drawn.hatches} == set(hatches)
    named = dict(zip(unnamed, swatches, strict=True))
    for name, swatch in named.items():  # no lead is significant at rank 100, where they are
        colour = to_rgb(plots.COLOURS[list(pydocs.runs()).index(name)])
        tint = 1 - 0.3 * (1 - np.array(colour))
        assert swatch.get_facecolor()[:3] == pytest.approx(tint, abs=0.01)


def test_regions_of_many_systems_differ_in_colour() -> None:
    """Those that win somewhere have the first colours, in the systems' order."""
    places = {"a": 0, "i": 8, "q": 16, "y": 24}  # eight colours: by place, all would have one
    names = [chr(ord("a") + i) for i in range(26)]
    grid = [(i / 20, j / 20, (20 - i - j) / 20) for i in range(21) for j in range(21 - i)]
    corners = {"a": (1, 0, 0), "q": (0, 1, 0), "y": (0, 0, 1), "i": (0.6, 0.6, 0.6)}
    rows = []
    for t in grid:
        means = {name: float(np.dot(corners.get(name, (0, 0, 0)), t)) for name in names}
        best, second = sorted(means, key=means.__getitem__)[:-3:-1]
        point = dict(zip(("t1", "t2", "t3"), t)) | {"measure": "CG@5", "gains": str(t)}
        rows.append(
            point
            | {"scheme": "", "best": best, "second": second, "difference": 0.1, "p": 0.01}
            | means
        )
    frame = pd.DataFrame(rows)
    assert {*frame["best"]} == {*places}
    figure = plots.plot_weightings(frame)
    (axes,) = figure.axes
    figure.canvas.draw()
    for text in axes.texts[1:]:  # letters are on an opaque box
        assert text.get_bbox_patch().get_facecolor() == (1, 1, 1, 1)
    for t, colour in zip(((0.9, 0.05, 0.05), (0.05, 0.9, 0.05)), plots.COLOURS[0::2]):
        full = 1 - np.array(to_rgb(colour))
        assert 1 - colour_at(figure, axes, np.array(t)) == pytest.approx(0.75 * full, abs=0.03)
