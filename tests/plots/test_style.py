"""Styles of systems, and control characters in their names."""

from xml.etree import ElementTree

import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import nDCG, plots, pydocs, weighting_map
from tests.support.drawn import curves_of
from tests.support.samples import results_of

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
    assert colours == {name: expected[name] for name in two}
    levels = weighting_map(two, None, qrels.assign(label=qrels["label"].clip(upper=2)), nDCG @ 10)
    shown = plots.plot_weightings(levels, styles=styles).axes[0].get_lines()
    colours = {one.get_label(): to_rgb(one.get_color()) for one in shown}
    assert [colours[name] == expected[name] for name in two].count(True) == 1  # one is grey


def test_control_characters_are_shown_escaped(tmp_path) -> None:
    """XML allows none of them."""
    plots.save(plots.plot_curves(curves_of({"a\x1b\x00b": 1.0})), tmp_path / "a.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter()]
    assert r"a\x1b\x00b" in texts


def test_numbers_beside_arabic_names_are_not_turned() -> None:
    """Expected: from Unicode's annex 9; a mark on both sides of a name keeps the direction."""
    name = "\u0646\u0638\u0627\u0645 \u0628\u062d\u062b"
    results = results_of({"A": [1.0] * 3, name: [0.5] * 3})
    (axes,) = plots.plot_topics(results, baseline="A").axes
    assert axes.get_title("left") == f"\u200e{name}\u200e  \u22120.500"
