"""Styles of systems; shortened names are distinct."""

from __future__ import annotations

import warnings
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from pt_cumgain import gain_curves, nDCG, plots, pydocs, weighting_map
from pt_cumgain.plots.style import cells, lines, shorten
from tests.support.helpers import by_query

pytestmark = pytest.mark.usefixtures("figures")


def drawn(runs: dict, qrels, **options) -> bytes:
    """The pixels of a picture of curves."""
    figure = plots.plot_curves(gain_curves(runs, None, qrels, nDCG, 9), **options)
    figure.canvas.draw()
    return bytes(figure.canvas.buffer_rgba())


def test_styles_keep_a_system_equal_in_all_pictures(qrels) -> None:
    """Whichever systems a picture has, in whatever order; what a user changes is drawn."""
    runs = pydocs.runs()
    styles = plots.style_systems(list(runs))
    styles["DPH"] = {"color": "#123456"}
    expected = {name: to_rgb(style["color"]) for name, style in styles.items()}
    two = {name: runs[name] for name in ("DPH", "QLD")}
    curves = gain_curves(two, None, qrels, nDCG, 9)
    shown = plots.plot_curves(curves, styles=styles).axes[0].get_lines()
    assert {one.get_label(): to_rgb(one.get_color()) for one in shown} == {
        name: expected[name] for name in two
    }
    results = by_query()  # sorted by name, as pt.Experiment sorts them
    measure = "nDCG 0-1-1-1"
    assert results["name"].unique().tolist() != list(runs)
    options = {"baseline": "QLD", "system": "PL2", "styles": styles}
    topics = plots.plot_topics(results, measure, **options).axes[0]
    bars = {np.sign(bar.get_height()): to_rgb(bar.get_facecolor()[:3]) for bar in topics.patches}
    assert (bars[1], bars[-1]) == (expected["PL2"], expected["QLD"])
    levels = weighting_map(two, None, qrels.assign(label=qrels["label"].clip(upper=2)), nDCG @ 10)
    shown = plots.plot_weightings(levels, styles=styles).axes[0].get_lines()
    colours = {one.get_label(): to_rgb(one.get_color()) for one in shown}
    (best,) = two.keys() & colours  # the other is grey
    assert colours[best] == expected[best]
    with pytest.raises(TypeError, match="styles='red' must be a mapping of systems to styles"):
        plots.plot_curves(curves, styles="red")


def test_systems_without_a_style_are_numbered_after_the_others() -> None:
    found = lines(["new", "b"], styles=plots.style_systems(["a", "b"]))
    assert [found[name]["color"] for name in ("b", "new")] == list(plots.COLOURS[1:3])


def test_twelve_systems_differ_in_colour_or_marker() -> None:
    styles = plots.style_systems(range(12)).values()
    assert len({(style["color"], style["marker"]) for style in styles}) == 12


def lightness(colour: str) -> np.ndarray:
    """L*, a* and b* of a colour (CIE 1976, white D65), by the formulas of the standard."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ linear / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_first_colours_are_far_apart() -> None:
    """A difference of 2.3 is just noticeable (Mahy, 1994); sky blue is 26 from the first."""
    first = [lightness(colour) for colour in plots.COLOURS[:5]]
    for one, other in combinations(first, 2):
        assert np.linalg.norm(one - other) > 30


def test_control_characters_are_shown_escaped(tmp_path) -> None:
    """XML allows none of them."""
    curves = pd.DataFrame(
        {"name": "a\x1b\x00b", "measure": "CG", "rank": [1, 2], "value": [1.0, 2]}
    )
    plots.save(plots.plot_curves(curves), tmp_path / "a.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter()]
    assert r"a\x1b\x00b" in texts


@given(
    st.sets(st.text("ab_1", min_size=1, max_size=30), min_size=1, max_size=9), st.integers(8, 20)
)
def test_shortened_names_are_distinct(names: set[str], width: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        short = shorten(list(names), width)
    assert len(set(short)) == len(names)
    assert max(map(cells, short)) <= width
    for name, text in zip(names, short, strict=True):
        if not caught:  # what is left of a name is in it, in order
            rest = name
            for part in filter(None, text.split("…")):
                _, found, rest = rest.partition(part)
                assert found == part


@pytest.mark.parametrize(
    ("names", "width", "short"),
    [
        (["run_2020_colbert_v1", "run_2020_colbert_v2"], 8, ["run…v1", "run…v2"]),
        (["BM25", "run_2020_xy_v1", "run_2020_xy_v2"], 8, ["BM25", "run_…_v1", "run_…_v2"]),
        (["nCG (0-1-1)", "nCG (0-1-2)"], 9, ["nC…0-1-1…", "nC…0-1-2…"]),
    ],
)  # fmt: skip
def test_what_names_share_is_cut_first(names: list[str], width: int, short: list[str]) -> None:
    """Expected: by hand."""
    assert shorten(names, width) == short


def test_numbers_stand_for_names_where_nothing_else_helps() -> None:
    names = [f"{'x' * 20}{i}{'x' * 20}" for i in range(2)]
    with pytest.warns(UserWarning, match=f"so they are numbered: 1 is {names[0]}; 2 is {names[1]}"):
        assert [text[0] for text in shorten(names, 8)] == ["1", "2"]


@pytest.mark.parametrize(
    ("width", "short"), [(5, ["1 c…", "2 e…", "3 B…"]), (6, ["cov…t5", "elh…rt", "BM25"])]
)
@pytest.mark.filterwarnings("ignore:names are too long:UserWarning")
def test_names_of_which_almost_nothing_is_left_are_numbered(width: int, short: list[str]) -> None:
    """Expected: by hand; four letters say nothing."""
    assert shorten(["covidex.t5", "elhuyar_rRnk_cbert", "BM25"], width) == short
