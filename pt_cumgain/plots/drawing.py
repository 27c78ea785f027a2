"""A figure and its fonts, in a module of their own so that matplotlib is imported only to draw."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

from matplotlib import pyplot, rcParams
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text

from pt_cumgain.environment.warning import warn


class Picture(Figure):
    """A figure that a notebook shows once, and that is drawn without matplotlib's warnings.

    pyplot manages it like any other, so ``pyplot.show()`` in a script shows it, and a notebook does
    at the end of the cell, wherever in the cell it was drawn. If it is the value of the cell too,
    which a notebook shows as well, pyplot forgets it: so it is shown once.
    """

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        # a notebook asks for this before it shows a value, then draws the figure in its own formats
        if "inline" in pyplot.get_backend():
            pyplot.close(self)
        return {}

    def draw(self, renderer: Any) -> None:
        """Draw the figure; :class:`Panels` warns if there is no room or letters are missing."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            super().draw(renderer)
        self.collapsed = any("not applied because" in str(one.message) for one in caught)


def use_fallbacks(figure: Any) -> None:
    """Show letters that the usual fonts lack in installed fonts that have them.

    If there are none, a warning suggests a font to install.
    """
    for axes in figure.axes:  # ticks have no texts before somebody asks for them
        axes.get_xticklabels(), axes.get_yticklabels()
    texts = [text for text in figure.findobj(Text) if not text.get_text().isascii()]
    missing = {letter for text in texts for letter in text.get_text() if letter.isprintable()}
    usual, fonts = rcParams["font.family"], list[str]()
    for family in usual:
        missing -= _letters(findfont(FontProperties(family=[family])))
    for font in sorted(fontManager.ttflist, key=lambda font: ("Sans" not in font.name, font.name)):
        if "LastResort" not in font.fname and missing & _letters(font.fname):  # that has boxes
            missing -= _letters(font.fname)
            fonts.append(font.name)
    for text in texts if fonts else ():
        text.set_fontfamily([*usual, *fonts])
    if missing:
        remedy = "such as Noto Sans for this script (https://fonts.google.com/noto)"
        warn(f"no installed font has {' '.join(sorted(missing))}; install one that has, {remedy}")


@lru_cache(maxsize=1024)
def _letters(path: str) -> frozenset[str]:
    return frozenset(map(chr, get_font(path).get_charmap()))
