"""Styles of systems; shortened names are distinct; fonts that have their letters."""

import warnings
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from pt_cumgain import nDCG, plots, pydocs, weighting_map
from pt_cumgain.plots._style import shorten
from pt_cumgain.writing.rendering import text_width
from tests.support.drawn import curves_of

pytestmark = pytest.mark.usefixtures("figures")


def test_styles_keep_a_system_equal_in_all_pictures(qrels) -> None:
    """Whichever systems a picture has, in whatever order; what a user changes is drawn."""
    runs = pydocs.runs()
    styles = plots.style_systems(list(runs))
    styles["DPH"] = {"color": "#123456"}
    expected = {name: to_rgb(style["color"]) for name, style in styles.items()}
    two = {name: runs[name] for name in ("DPH", "QLD")}
    curves = curves_of({"DPH": 1.0, "QLD": 2.0}).drop(columns="ideal")
    shown = plots.plot_curves(curves, styles=styles).axes[0].get_lines()
    colours = {one.get_label(): to_rgb(one.get_color()) for one in shown}
    assert colours == {name: expected[name] for name in ("DPH", "QLD")}
    two = {name: runs[name] for name in ("DPH", "QLD")}
    levels = weighting_map(two, None, qrels.assign(label=qrels["label"].clip(upper=2)), nDCG @ 10)
    shown = plots.plot_weightings(levels, styles=styles).axes[0].get_lines()
    colours = {one.get_label(): to_rgb(one.get_color()) for one in shown}
    assert [colours[name] == expected[name] for name in two].count(True) == 1  # one is grey


def test_control_characters_are_shown_escaped(tmp_path) -> None:
    """XML allows none of them."""
    plots.save(plots.plot_curves(curves_of({"a\x1b\x00b": 1.0})), tmp_path / "a.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter()]
    assert r"a\x1b\x00b" in texts


@given(
    st.sets(st.text("ab_1", min_size=1, max_size=30), min_size=1, max_size=9), st.integers(9, 20)
)
def test_shortened_names_are_distinct(names: set[str], width: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        short = shorten(list(names), width)
    assert len(set(short)) == len(names)
    assert max(map(text_width, short)) <= width
    for name, text in zip(names, short, strict=True):
        if not caught:  # what is left of a name is in it, in order
            rest = name
            for part in filter(None, text.split("…")):
                _, found, rest = rest.partition(part)
                assert found == part


def test_names_are_cut_in_the_middle() -> None:
    """Expected: by hand."""
    assert shorten(["run_2020_colbert_v1", "BM25"], 8) == ["run_…_v1", "BM25"]
    assert shorten(["検索エンジン", "BM25"], 8) == ["検索…ン", "BM25"]
