"""What all pictures have in common: their size, axes of the user's, titles, legends, notebooks."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.figure import Figure

import pt_cumgain
from pt_cumgain import CG, gain_curves, grid, nDCG, plots, pydocs, sDCG
from pt_cumgain.comparing import rank_correlation
from pt_cumgain.papers import precision_by_level
from pt_cumgain.plots.panels import _ONE_BY_ONE
from pt_cumgain.sessions import session_curves
from pt_cumgain.trust import gain_by_level
from tests.support.drawn import no_overlap, results_of
from tests.support.helpers import by_query, experiment, slow

pytestmark = pytest.mark.usefixtures("figures")
NCG = "nCG 0-1-1-1"


HIGH = pd.concat(
    pd.DataFrame({"name": f"system {i}", "measure": "CG", "rank": [1, 2], "value": [1.0, 2.0]})
    for i in range(9)
)
MANY = results_of(9, **{str(i): np.arange(9.0) * i for i in range(9)})


@pytest.fixture(scope="module")
def pictures(qrels) -> dict[str, Callable[..., Any]]:
    """Every kind of picture, of one panel, of many systems where it can be."""
    runs = dict.fromkeys((f"NTU_NMLAB_BM25_ALLQQ-{i}" for i in range(12)), pydocs.runs()["BM25"])
    curves = gain_curves(runs, None, qrels, nDCG(gains="0-1-10-100"), 30)
    low, high = curves["value"] * 0.8, curves["value"] * 1.1
    curves = curves.assign(low=low, high=high, band="95% interval")
    sessions = session_curves(pydocs.session_runs(), None, pydocs.session_qrels(), sDCG @ 10)
    results = by_query()
    means = experiment(grid([CG, nDCG], gains={"w1": "0-1-1-1", "w10": "0-1-5-10"}, cutoffs=[10]))
    table, parts = (
        precision_by_level(runs, None, qrels, levels=3),
        gain_by_level(runs, None, qrels, CG @ 9),
    )
    correlation = rank_correlation(means)
    named = dict(zip(runs, pydocs.runs().values()))
    pairs = pt_cumgain.dominance(named, None, qrels, nDCG @ 100)
    triangle, strip = (
        pt_cumgain.weighting_map(named, None, qrels[qrels["label"] <= top], nDCG @ 100, points=21)
        for top in (3, 2)
    )
    return {
        "curves": lambda **k: plots.plot_curves(curves, **k),
        "sessions": lambda **k: plots.plot_session_curves(sessions, **k),
        "precision": lambda **k: plots.plot_precision(table, **k),
        "topics": lambda **k: plots.plot_topics(results, NCG, baseline="QLD", system="DPH", **k),
        "pair": lambda **k: plots.plot_pair(results, NCG, x="QLD", y="DPH", **k),
        "levels": lambda **k: plots.plot_levels(parts, **k),
        "dominance": lambda **k: plots.plot_dominance(pairs, **k),
        "correlation": lambda **k: plots.plot_correlation(correlation, **k),
        "weightings": lambda **k: plots.plot_weightings(triangle, **k),
        "strip": lambda **k: plots.plot_weightings(strip, **k),
    }


KINDS = ["curves", "sessions", "precision", "topics", "pair", "levels", "correlation",
         "dominance", "weightings", "strip"]  # fmt: skip


@pytest.mark.parametrize("size", [(3.3, 2.5), *slow(((7, 3),), (None,))])
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_fits_its_size(kind: str, size: tuple | None, pictures) -> None:
    """Nothing is cut off or overlaps."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib's, that axes have no room left
        figure = pictures[kind](figsize=size)
        if size:
            assert figure.get_size_inches().tolist() == list(size)
        assert figure.get_size_inches()[0] <= plots.PAGE
        no_overlap(figure)
    assert all(legend.get_window_extent().height <= figure.bbox.height / 3 + 1
               for legend in figure.legends)  # fmt: skip


def test_one_thread_at_a_time_changes_the_filters_of_warnings(monkeypatch) -> None:
    held = []
    monkeypatch.setattr(
        Figure, "draw_without_rendering", lambda _: held.append(_ONE_BY_ONE.locked())
    )
    plots.plot_pair(MANY, x="0", y="1")
    assert held == [True]
    assert not _ONE_BY_ONE.locked()


@pytest.mark.parametrize("in_axes", [False, True])
def test_warnings_that_the_user_makes_errors_are_not_explained(in_axes: bool, pictures) -> None:
    """A letter that the font lacks is not a lack of room."""
    ax = {"ax": pyplot.subplots()[1]} if in_axes else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(UserWarning, match=r"Glyph 31995 .* missing from"):
            pictures["correlation"](xlabel="\u7cfb", **ax)
    assert not in_axes or pyplot.fignum_exists(ax["ax"].figure.number)


@pytest.mark.filterwarnings("ignore:the figure has 9 x 4.5 inches:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_in_axes_of_the_user(kind: str, pictures) -> None:
    figure, (ax, other) = pyplot.subplots(1, 2, figsize=(9, 4.5))
    labels = {"xlabel": "mine", "ylabel": "own $x_1$"}
    assert pictures[kind](ax=ax, titles="a title", **labels) is ax
    assert (ax.get_title(), ax.get_xlabel()) == ("a title", "mine")
    assert ax.get_ylabel() == "own $x_1$"
    assert not figure.legends
    with_legend = kind not in ("pair", "correlation")
    assert (ax.get_legend() is not None) == with_legend
    assert pyplot.get_fignums() == [figure.number]
    assert not other.has_data()
    assert figure.get_size_inches().tolist() == [9, 4.5]
    figure.canvas.draw()
    if with_legend:
        inside, box = ax.get_window_extent(), ax.get_legend().get_window_extent()
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
        assert inside.y0 <= box.y0 < box.y1 <= inside.y1
        assert pictures[kind](ax=other, legend=False).get_legend() is None


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ax": "ax"}, ValueError, "ax has a size, and room for one panel: no figsize=None, not C"),
        ({"ax": [1]}, TypeError, r"ax=\[1\] must be axes of matplotlib"),
        ({"titles": "one"}, ValueError, "titles='one' is one title for 2 panels; give a mapping"),
        ({"titles": {"DCG": "x"}}, ValueError, r"titles are for \['DCG'\], but the figure shows C"),
        ({"figsize": (3, float("inf"))}, ValueError, r"figsize=\(3, inf\) must be a width and a h"),
    ],
)
def test_wrong_wishes(options: dict, error: type[Exception], message: str) -> None:
    if options.get("ax") == "ax":
        options = options | {"ax": pyplot.subplots()[1]}
    with pytest.raises(error, match=message):
        plots.plot_curves(pd.concat([HIGH, HIGH.assign(measure="nCG")]), **options)


def test_titles_are_those_of_a_grid(qrels) -> None:
    """The measures of curves have no cutoff, those of a grid have."""
    measures = grid([CG, nDCG], gains={"flat": "0-1-1-1", "steep": "exp"}, cutoffs=[5, 10])
    curves = gain_curves(pydocs.runs(), None, qrels, measures, 9)
    figure = plots.plot_curves(curves, titles=measures.labels, xlabel="", ylabel="value")
    titles = ["CG flat", "CG steep", "nDCG flat", "nDCG steep"]
    assert [axes.get_title() for axes in figure.axes] == titles
    assert figure.get_supxlabel() == ""
    assert [axes.get_ylabel() for axes in figure.axes] == ["value", "", "value", ""]
    for titles in ({"CG@5": "x"}, {CG @ 5: "x @5", CG @ 10: "x @10"}):
        of_cg = gain_curves(pydocs.runs(), None, qrels, CG @ 5, 9)
        assert plots.plot_curves(of_cg, titles=titles).axes[0].get_title() == "x"
    with pytest.raises(ValueError, match="but the figure shows CG"):
        plots.plot_curves(of_cg, titles={CG @ 5: "early", CG @ 10: "late"})
    results = experiment(measures, perquery=True)
    options = {"baseline": "QLD", "system": "DPH", "titles": measures.labels}
    figure = plots.plot_topics(results, str(measures[0]), **options)
    assert figure.get_supxlabel().startswith("differences from QLD in CG flat @5, 42 topics")
    table = rank_correlation(experiment(measures))
    axes = plots.plot_correlation(table, titles=measures.labels, figsize=(7, 7)).axes[0]
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert labels == list(measures.labels.values())[:-1]


def test_help_describes_all_options() -> None:
    """Those that pictures share too; others are refused."""
    for name in plots.__all__:
        if name.startswith("plot_"):
            function = getattr(plots, name)
            for option in inspect.signature(function).parameters:
                described = re.search(rf"^    (?:\w+, )*{option}\b", function.__doc__, re.M)
                assert described, (name, option)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        plots.plot_pair(results_of(3, A=1.0, B=2.0), colour="red")


SIZES = st.floats(1.7, 8.0)


@settings(max_examples=settings.default.max_examples // 2)
@given(panels=st.integers(1, 6), width=SIZES, height=SIZES, more=st.floats(1.0, 2.0))
@pytest.mark.filterwarnings("ignore:the figure has:UserWarning")
def test_a_larger_figure_has_no_lower_panels_and_no_smaller_letters(
    panels: int, width: float, height: float, more: float
) -> None:
    """In width or in height, the legend taken off; what is refused as too small counts as 0."""
    names = [f"system number {i}" for i in range(5)]
    curves = pd.concat(
        pd.DataFrame({"name": n, "measure": f"m{i}", "rank": [1, 2], "value": [1.0, 2]})
        for n in names for i in range(panels)
    )  # fmt: skip
    parts = curves.rename(columns={"rank": "level"})

    def legible(draw: Callable[..., Any], frame: pd.DataFrame, size) -> tuple[float, float]:
        try:
            figure = draw(frame, figsize=size, legend=False)
        except ValueError:
            return 0.0, 0.0
        figure.draw_without_rendering()
        texts = [text for axes in figure.axes for text in [axes.title, *axes.get_yticklabels()]]
        letters = min(text.get_fontsize() for text in texts)
        return min(axes.bbox.height for axes in figure.axes) / figure.dpi, letters

    for draw, frame in ((plots.plot_curves, curves), (plots.plot_levels, parts)):
        low, small = legible(draw, frame, (width, height))
        for size in ((width * more, height), (width, height * more)):
            high, large = legible(draw, frame, size)
            assert high >= low - 0.02, (size, width, height)
            assert large >= small - 0.1
    pyplot.close("all")


def test_the_width_decides_how_many_panels_stand_beside_each_other() -> None:
    """Up to three on a page, two in a column; no place stays empty but at the end."""
    for panels, width, columns in ((3, 7, 3), (4, 7, 2), (8, 7, 3), (3, 3.3, 2), (2, 3, 1)):
        rows = [("X", f"m{i}", rank, 1.0) for i in range(panels) for rank in (1, 2)]
        curves = pd.DataFrame(rows, columns=["name", "measure", "rank", "value"])
        for size in ((width, 4.0), (width, 8.0)):
            figure = plots.plot_curves(curves, figsize=size)
            assert len({round(axes.get_position().x0, 2) for axes in figure.axes}) == columns
    assert plots.plot_curves(curves[curves["measure"] == "m0"]).get_figwidth() == plots.PANEL[0]


def test_what_has_no_room_is_said() -> None:
    """By a warning, or by an error if panels would overlap; matplotlib's own does not leak."""
    words = r"^the figure has 3.3 x 1.3 inches, so that its legend would take more than a third"
    with pytest.warns(UserWarning, match=words) as caught:
        figure = plots.plot_curves(HIGH, figsize=(3.3, 1.3))
    assert figure.legends == []
    assert not any("constrained_layout" in str(one.message) for one in caught)
    with pytest.warns(UserWarning, match="3 x 0.9 inches, so that it is too small to be read"):
        plots.plot_pair(MANY, x="0", y="1", figsize=(3, 0.9))
    before = pyplot.get_fignums()
    with pytest.raises(ValueError, match="no room for its panels; draw fewer, or make it larger"):
        plots.plot_topics(MANY, baseline="0", figsize=(3.3, 2.5))
    assert pyplot.get_fignums() == before
    own, axes = pyplot.subplots(figsize=(0.4, 0.4), layout="constrained")
    with pytest.warns(UserWarning, match="not applied because"):  # the user's own stays open
        plots.plot_curves(HIGH[HIGH["name"] == "system 0"], ax=axes)
    assert pyplot.fignum_exists(own.number)


def test_a_figure_without_a_size_grows_for_its_legend_and_is_shown_once(monkeypatch) -> None:
    """What a notebook shows as the value of a cell, pyplot does not show at the end of the cell."""
    heights = []
    for curves in (HIGH, HIGH[HIGH["name"] == "system 0"]):
        figure = plots.plot_curves(curves)
        figure.draw_without_rendering()
        heights.append(figure.axes[0].bbox.height)
    assert heights[0] == pytest.approx(heights[1], rel=0.06)
    for backend, left in (("agg", 2), ("inline", 1)):
        monkeypatch.setattr(pyplot, "get_backend", lambda shown=backend: shown)
        assert figure._repr_mimebundle_(include=None, exclude=None) == {}
        assert len(pyplot.get_fignums()) == left
