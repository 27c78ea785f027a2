"""Fonts for names in scripts that the usual font lacks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text

from pt_cumgain.environment.warning import warn


def use_fallbacks(figure: Any) -> None:
    """Show letters that the usual fonts lack in installed fonts that have them.

    If there are none, a warning suggests a font to install.
    """
    for text in figure.findobj(Text):
        if not text.get_text().isascii():
            usual = rcParams["font.family"]
            text.set_fontfamily([*usual, *_fallbacks(text.get_text(), usual)])


def _fallbacks(text: str, usual: list[str]) -> list[str]:
    missing = set(filter(str.isprintable, text))
    for family in usual:
        missing -= _letters(findfont(FontProperties(family=[family])))
    fonts = []
    for font in sorted(fontManager.ttflist, key=lambda font: ("Sans" not in font.name, font.name)):
        if missing & _letters(font.fname):
            missing -= _letters(font.fname)
            fonts.append(font.name)
    if missing:
        warn(
            f"no installed font has {' '.join(sorted(missing))}; install one that has, such as "
            "Noto Sans for this script (https://fonts.google.com/noto)"
        )
    return fonts


@lru_cache(maxsize=1024)
def _letters(path: str) -> frozenset[str]:
    if "LastResort" in path:  # matplotlib's own, all boxes
        return frozenset()
    return frozenset(map(chr, get_font(path).get_charmap()))
