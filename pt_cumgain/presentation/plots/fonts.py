"""Fonts for names in scripts that the usual font lacks, and the widths of texts."""

from __future__ import annotations

import unicodedata
import warnings
from functools import lru_cache
from typing import Any

from matplotlib import rcParams
from matplotlib.font_manager import FontEntry, FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path


@lru_cache(maxsize=4096)
def width(text: str) -> float:
    """Return the width of a line, in units of the size of its letters."""
    font = FontProperties(family=[*rcParams["font.family"], *fallbacks(text)], size=100)
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0]) / 100


def use_fallbacks(figure: Any) -> None:
    """Set texts that the usual font cannot show in fonts that can."""
    for text in figure.findobj(Text):
        if others := fallbacks(text.get_text()):
            text.set_fontfamily([*rcParams["font.family"], *others])


def fallbacks(text: str) -> tuple[str, ...]:
    """Return installed fonts that have the characters which the usual ones lack.

    If there are none, a warning names a font to install.
    """
    if text.isascii():
        return ()
    families = [FontProperties(family=[family]) for family in rcParams["font.family"]]
    usual = frozenset().union(*(_characters(findfont(family)) for family in families))
    return _covering(frozenset(filter(str.isprintable, text)) - usual)


@lru_cache(maxsize=256)
def _covering(missing: frozenset[str]) -> tuple[str, ...]:
    chosen = []
    for font in sorted(fontManager.ttflist, key=_preference):
        if missing and missing & _characters(font.fname):
            missing -= _characters(font.fname)
            chosen.append(font.name)
    if missing:
        fonts = " and ".join(sorted(set(map(_noto, missing))))
        message = f"no font has {' '.join(sorted(missing))}; install one that has, such as {fonts}"
        warnings.warn(message, stacklevel=2)
    return tuple(chosen)


def _preference(font: FontEntry) -> tuple[bool, bool, bool, str]:
    return "Sans" not in font.name, font.style != "normal", font.weight != 400, font.name


@lru_cache(maxsize=1024)
def _characters(path: str) -> frozenset[str]:
    if "LastResort" in path:  # matplotlib's own, whose letters are boxes
        return frozenset()
    return frozenset(map(chr, get_font(path).get_charmap()))


def _noto(character: str) -> str:
    if unicodedata.category(character) == "So":
        return "Noto Emoji"
    script = unicodedata.name(character, "").partition(" ")[0]
    shared = script in {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}
    return f"Noto Sans {'CJK' if shared else script.capitalize()}"
