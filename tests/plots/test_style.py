"""Styles of systems; shortened names are distinct; fonts that have their letters."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.colors import to_rgb

from pt_cumgain import gain_curves, nDCG, plots, pydocs, weighting_map
from pt_cumgain.plots.style import cells, shorten
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
    assert max(map(cells, short)) <= width
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


# fonts that matplotlib brings: letters of TeX, which know no Greek text, and DejaVu, which does
LATIN, GREEK = "cmr10", "DejaVu Sans"


@pytest.fixture
def known_fonts(monkeypatch) -> None:
    """The fonts of this machine are not those of another, so only matplotlib's own are there."""
    entries = [
        font for font in font_manager.fontManager.ttflist if mpl.get_data_path() in font.fname
    ]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", entries)


def curves(*names: str) -> pd.DataFrame:
    frames = [
        pd.DataFrame({"name": name, "measure": "CG", "rank": [1, 2], "value": [1.0, 2.0]})
        for name in names
    ]
    return pd.concat(frames)


def families(figure) -> dict[str, list[str]]:
    return {text.get_text(): text.get_fontfamily() for text in figure.legends[0].get_texts()}


@pytest.mark.usefixtures("known_fonts")
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")  # matplotlib's
def test_a_font_that_has_the_letters_is_taken() -> None:
    """After the user's own, which keeps the letters that it has; other texts stay as they are."""
    with mpl.rc_context({"font.family": [LATIN], "axes.formatter.use_mathtext": True}):
        figure = plots.plot_curves(curves("BM25", "Αθήνα"))
        assert families(figure) == {"BM25": [LATIN], "Αθήνα": [LATIN, GREEK]}
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # matplotlib's, of a missing letter
            warnings.filterwarnings("ignore", ".* deprecated")
            levels = curves("Αθήνα").rename(columns={"rank": "level"})
            axes = plots.plot_levels(levels).axes[0]
            assert [text.get_fontfamily() for text in axes.get_yticklabels()] == [[LATIN, GREEK]]
            figure.canvas.draw()
    assert families(plots.plot_curves(curves("BM25", "Αθήνα")))["Αθήνα"] == ["sans-serif"]


@pytest.mark.usefixtures("known_fonts")
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")  # matplotlib's
@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("検索", "検 索; install one"),
        ("खोज", "ख ज ो; install one"),
        ("🔎 BM25", "🔎; install one"),
    ],
)
def test_a_warning_names_the_font_to_install(name: str, missing: str) -> None:
    with pytest.warns(
        UserWarning, match=f"^no installed font has {missing} that has, such as Noto Sans"
    ):
        plots.plot_curves(curves(name, "BM25"))
