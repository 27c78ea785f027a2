"""The styles that distinguish lines, and the shortening of texts to fit into a figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any
from unicodedata import east_asian_width

from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import measure_called
from pt_cumgain.options import checked
from pt_cumgain.writing.rendering import break_lines

Highlight = str | Sequence[str] | None
Style = dict[str, Any]
Styles = dict[str, Style]

#: Okabe and Ito's colours without yellow, which is pale on white, and a dark red of Paul Tol's:
#: readers with any kind of colour vision can tell them apart, the first five even in grey.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#882255", "#E69F00", "#56B4E9", "#000000"),
)
#: With seven markers they make 28 kinds of line, even without colour; even dashes are the ideal's.
#: The first 48 systems differ in colour or marker.
DASHES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (6, 1, 1, 1)), (0, (6, 1, 1, 1, 1, 1)))
MARKERS = "osD^vPX"
#: The fewest letters of a name that say something.
_FEW = 5
#: The ideal and other lines that do not belong to a system: even dashes in grey, without markers.
IDEAL: Style = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 1}
#: The lines that are not highlighted, behind those that are.
OTHERS: Style = {"color": "0.8", "linestyle": "-", "linewidth": 0.7, "zorder": 0.9}


@checked
def style_systems(systems: Sequence[Any]) -> Styles:
    """Return a fixed style for each system, to pass as ``styles`` to all figures.

    By default, a figure assigns colours in the order of the systems that it
    shows, so the same system can have different colours in different figures.
    Pass the result to all figures of a paper, and to its page, to avoid this.

    Parameters
    ----------
    systems
        The systems of all pictures, by name. The first 48 differ in colour or
        marker, and the first 28 in marker or dashes, for print in grey.

    Returns
    -------
    dict
        For each name, keywords of matplotlib's lines; you may change them.

    Examples
    --------
    >>> styles = style_systems(["BM25", "QLD"])
    >>> styles["QLD"]["color"], styles["QLD"]["marker"]
    ('#D55E00', 's')
    """
    return {
        name: {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i % len(DASHES)],
            "linewidth": 1.3,
            "marker": MARKERS[(i + i // 28) % len(MARKERS)],
            "markersize": 4,
            "markerfacecolor": "white" if i // len(COLOURS) % 2 else COLOURS[i % len(COLOURS)],
            "markevery": (0.02 + 0.03 * (i % 5), 0.16),  # relative to the panel, staggered
            "zorder": 2,
        }
        for i, name in enumerate(dict.fromkeys(systems))
    }


def lines(
    names: Sequence[str],
    highlight: Highlight = None,
    styles: Mapping[str, Style] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Styles:
    """Return the style and the label of each line: of systems, or of measures that have labels.

    Systems without a style are numbered after those that have one. Lines that are not highlighted
    are grey and share a single label that says how many there are.

    Raises
    ------
    ValueError
        If a highlighted name is not among the names.
    """
    chosen = [highlight] if isinstance(highlight, str) else highlight
    chosen = list(names if chosen is None else chosen)
    for name in chosen:
        if name not in names:
            raise ValueError(f"highlight: {name!r} is not one of {list(names)}")
    others = [name for name in names if name not in chosen]
    grey = OTHERS | {"label": f"{len(others)} other{'s' * (len(others) > 1)}"}
    styles = styles or {}
    if wrong := [name for name, style in styles.items() if not isinstance(style, Mapping)]:
        raise TypeError(
            f"styles: that of {wrong[0]!r} must be a dict such as {{'color': 'red'}}, not "
            f"{styles[wrong[0]]!r}"
        )
    texts = {name: plain(str(name)) for name in names} | dict(labels or {})
    usual = style_systems([*styles, *names])
    own = {name: usual[name] | styles.get(name, {}) | {"label": texts[name]} for name in names}
    return own | dict.fromkeys(others, grey)


def short(measure: str) -> str:
    """Return the name of a measure without its parameters; a text that is not one, as it is."""
    return getattr(measure_called(measure), "__name__", measure)


def shorten(names: Sequence[str], width: int) -> list[str]:
    """Return distinct names of at most so many characters; their common parts go first.

    If that does not tell them apart, or leaves almost nothing of a name, they have numbers, and
    a warning lists these.
    """
    if all(cells(name) <= width for name in names):
        return list(names)
    short = _cut_all(names, width)
    for text in [text for text, count in Counter(short).items() if count > 1]:
        alike = [i for i, other in enumerate(short) if other == text]
        for i, name in zip(alike, _cut_all([names[i] for i in alike], width)):
            short[i] = name
    left = [cells(text.replace("…", "")) for text, name in zip(short, names) if text != name]
    if len(set(short)) < len(short) or min(left) < _FEW:
        short = [f"{i} {_cut(name, width - 3)}" for i, name in enumerate(names, 1)]
        key = "; ".join(f"{i} is {name}" for i, name in enumerate(names, 1))
        warn(f"names are too long to be told apart, so they are numbered: {key}")
    return short


def _cut_all(names: Sequence[str], width: int) -> list[str]:
    """Cut names; the beginning and the end that all of them share are cut first."""
    before = _find_shared(names)
    rest = [name[len(before) :] for name in names]
    after = len(_find_shared([name[::-1] for name in rest]))
    if len(names) == 1 or len(before) + after < 4:
        return [_cut(name, width) for name in names]
    rest = [name[: len(name) - after] + "…" * bool(after) for name in rest]
    room = min(width - max(map(cells, rest)), width // 2)
    before = before if len(before) <= room else before[: max(room - 1, 0)] + "…" * bool(before)
    return [_cut(before + name, width) for name in rest]


def _find_shared(names: Sequence[str]) -> str:
    """Return the words with which all names begin."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names))
    return re.sub(r"([^\s_/(),='-]|(?<=\d)-)+$", "", "".join(letters[0] for letters in same))


def _cut(name: str, width: int) -> str:
    if cells(name) <= width:
        return name
    width = width * len(name) // cells(name)
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


def cells(text: str) -> int:
    """Return the width of a text in letters; those of East Asian scripts are twice as wide."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def wrap(text: str, width: int) -> str:
    """Break lines of more letters than fit."""
    return "\n".join(part for line in text.split("\n") for part in break_lines(line, width))


def plain(text: str) -> str:
    """Return a text that matplotlib shows as it is, and SVG holds.

    It is no mathematics, not hidden by an underscore, and free of control characters.
    """
    text = "\n".join(map(escape_controls, text.split("\n"))).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
