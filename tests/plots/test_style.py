"""Styles of systems; shortened names are distinct; fonts that have their letters."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from pt_cumgain import gain_curves, nDCG, plots, pydocs, weighting_map
from pt_cumgain.plots._style import shorten
from pt_cumgain.writing.rendering import text_width
from tests.support.helpers import by_query

pytestmark = pytest.mark.usefixtures("figures")


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


def test_control_characters_are_shown_escaped(tmp_path) -> None:
    """XML allows none of them."""
    curves = pd.DataFrame(
        {"name": "a\x1b\x00b", "measure": "CG", "rank": [1, 2], "value": [1.0, 2]}
    )
    plots.save(plots.plot_curves(curves), tmp_path / "a.svg")
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
