"""Names in scripts that the usual font lacks."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import font_manager

from pt_cumgain import plots

pytestmark = pytest.mark.usefixtures("figures")

# fonts that matplotlib brings: letters of TeX, which know no Greek text, and DejaVu, which does
LATIN, GREEK = "cmr10", "DejaVu Sans"


@pytest.fixture(autouse=True)
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


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")  # matplotlib's
def test_a_font_that_has_the_letters_is_taken() -> None:
    """After the user's own, which keeps the letters that it has; other texts stay as they are."""
    with mpl.rc_context({"font.family": [LATIN], "axes.formatter.use_mathtext": True}):
        figure = plots.plot_curves(curves("BM25", "Αθήνα"))
        assert families(figure) == {"BM25": [LATIN], "Αθήνα": [LATIN, GREEK]}
        axes = plots.plot_curves(curves("Αθήνα")).axes[0]
        assert [text.get_fontfamily() for text in axes.texts] == [[LATIN, GREEK]]
        figure.canvas.draw()  # no warning of a missing letter
    assert families(plots.plot_curves(curves("BM25", "Αθήνα")))["Αθήνα"] == ["sans-serif"]


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


def test_signs_that_cannot_be_seen_need_no_font(recwarn) -> None:
    plots.plot_curves(curves("a\u200bb\x07", "é−…"))
    assert not [one for one in recwarn if "no installed font has" in str(one.message)]
