"""The styles that distinguish lines, and the texts of a figure: names that fit, titles."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pt_cumgain.environment.terminal import escape_lines
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.inputs.measures import Measures, list_measures
from pt_cumgain.measures import split_cutoff
from pt_cumgain.options import checked
from pt_cumgain.writing.names import Form, read_names
from pt_cumgain.writing.rendering import break_lines, text_width

Titles = Mapping[Any, str] | None
Highlight = str | Sequence[str] | None
Style = dict[str, Any]
Styles = dict[str, Style]

#: The colours of systems, in the order of their use. They are Okabe and Ito's colours without
#: yellow, which is pale on white, and a dark red of Paul Tol's: readers with any kind of colour
#: vision can tell them apart, the first five even in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#882255", "#E69F00", "#56B4E9", "#000000")
#: The dashes of systems, in the order of their use. If there are more systems than colours, the
#: next have other dashes. Evenly dashed lines are reserved for the ideal.
DASHES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (6, 1, 1, 1)), (0, (6, 1, 1, 1, 1, 1)))
#: The sizes of letters, in points: of titles and labels, and of everything else. They do not depend
#: on the size of the figure, so that a larger figure is never harder to read.
LARGE, SMALL = 8, 7
#: The width of a letter, in units of its size.
LETTER = 0.6
#: The ideal and other lines that do not belong to a system: even dashes in grey.
IDEAL: Style = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 1}
#: The lines that are not highlighted, behind those that are.
OTHERS: Style = {"color": "0.7", "linestyle": "-", "linewidth": 0.7, "zorder": 0.9}


@checked
def style_systems(systems: Sequence[Any]) -> Styles:
    """Return a fixed style for each system, to pass as ``styles`` to all figures.

    By default, a figure assigns colours in the order of the systems that it
    shows, so the same system can have different colours in different figures.
    Pass the result to all figures of a paper, and to its page, to avoid this.

    Parameters
    ----------
    systems
        The systems of all pictures, by name. The first eight have colours of
        their own, and the first 32 differ in colour or dashes.

    Returns
    -------
    dict
        For each name, keywords of matplotlib's lines; you may change them.

    Examples
    --------
    >>> styles = style_systems(["BM25", "QLD"])
    >>> styles["QLD"]["color"], styles["QLD"]["linestyle"]
    ('#D55E00', '-')
    """
    try:
        named = dict.fromkeys(systems)
    except TypeError:
        raise TypeError(f"systems={reprlib.repr(systems)} must be a list of names") from None
    return {
        name: {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i // len(COLOURS) % len(DASHES)],
            "linewidth": 1.3,
            "zorder": 2,
        }
        for i, name in enumerate(named)
    }


def lines(
    names: Sequence[Any], highlight: Highlight, styles: Styles | None, last: Any = None
) -> Styles:
    """Return the style and the label of each system's line.

    Systems without a style are numbered after those that have one. Lines that are not highlighted
    are grey. Of more than eight systems, the eight with the highest last values are highlighted,
    and have the first colours.

    Raises
    ------
    ValueError
        If a highlighted name is not among the names.
    """
    styles, order = styles or {}, list(names)
    if highlight is None and last is not None and len(order) > len(COLOURS):
        order.sort(key=lambda name: -last.get(name, -np.inf))
        highlight = order[: len(COLOURS)]
    chosen = as_list(order if highlight is None else highlight)
    if unknown := [name for name in chosen if name not in order]:
        raise ValueError(f"highlight: {unknown[0]!r} is not one of {list(names)}")
    usual = style_systems([*styles, *order])
    drawn = {name: usual[name] | styles.get(name, {}) for name in names}
    drawn |= {name: OTHERS for name in names if name not in chosen}
    return {name: line | {"label": plain(str(name))} for name, line in drawn.items()}


def shorten(names: Sequence[str], width: int) -> list[str]:
    """Return distinct names of at most so many characters, cut in the middle.

    If they are alike then, or almost nothing is left of them, they have numbers, and a warning
    lists these.
    """
    short = [_cut(name, width) for name in names]
    if short != [*names] and (len({*short}) < len({*names}) or width < 6):
        key = "; ".join(f"{i} is {name}" for i, name in enumerate(names, 1))
        warn(f"names are too long to be told apart, so they are numbered: {key}")
        short = [f"{i} {_cut(name, width - 3)}" for i, name in enumerate(names, 1)]
    return short


def _cut(name: str, width: int) -> str:
    if text_width(name) <= width:
        return name
    width = max(width, 2) * len(name) // text_width(name)
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


def count_letters(inches: float, size: float = SMALL) -> int:
    """Return how many letters of a size fit."""
    return int(inches * 72 / size / LETTER)


def wrap(text: str, width: int) -> str:
    """Break lines of more letters than fit, within a word only if it is longer than a line."""
    lines = []
    for line in text.split("\n"):
        for part in break_lines(line, width):
            step = max(width * len(part) // max(text_width(part), 1), 1)
            lines += [part[i : i + step] for i in range(0, len(part), step)] or [""]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return a text that matplotlib shows as it is, and SVG holds.

    It is no mathematics, not hidden by an underscore, and free of control characters.
    """
    text = escape_lines(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def titles_by_text(titles: Titles, keys: Sequence[object]) -> dict[str, str]:
    """Return the user's titles by the texts of their keys.

    A measure's title, without the cutoff, is also the title of the measure's curve, which has no
    cutoff, unless the measure has different titles at several cutoffs.

    Raises
    ------
    ValueError
        If they have no title for any of the keys.
    """
    texts = [str(key) for key in keys]
    by_text = {str(key): title for key, title in (titles or {}).items()}
    uncut = [(split_cutoff(key)[0], split_cutoff(title)[0]) for key, title in by_text.items()]
    alike = {key for key, _ in uncut if len({title for one, title in uncut if one == key}) == 1}
    by_text = {key: title for key, title in uncut if key in alike} | by_text
    if by_text and by_text.keys().isdisjoint(texts):
        raise ValueError(f"titles are for {[*by_text]}, but the figure shows {', '.join(texts)}")
    return by_text


def texts_of(titles: Titles, *names: Any) -> dict[Any, str]:
    """Return a text for each name, the user's title if there is one."""
    by_text = titles_by_text(titles, names)
    written = {text: name.write() for text, name in read_names(names, long=True).items()} | by_text
    return {name: written[str(name)] for name in names}


@checked
def name_measures(measures: Measures, *, form: Form = "text", long: bool = False) -> dict[str, str]:
    r"""Return the names of measures in tables and figures, by the measures' texts.

    A name consists of the measure and its rank, followed by the parameters in
    which the measures differ, in parentheses. Defaults are left out, except for
    the base of a discount. A single measure shows all of its parameters, and so
    do measures in figures, where there is no note on common parameters.

    Parameters
    ----------
    measures
        Measures, as objects or text. A measure of another package keeps its
        text.
    form
        ``"latex"`` is for LaTeX, and ``"mathtext"`` for matplotlib: symbols are
        mathematics there.
    long
        Name all parameters, not only those in which the measures differ.

    Returns
    -------
    dict
        As ``titles`` of figures, ``measures`` of :func:`pt_cumgain.paper_table`
        and pandas' ``rename`` take it.

    Raises
    ------
    TypeError, ValueError
        If there is no measure, something is neither a measure nor a text, or an
        option is not one of these.

    Examples
    --------
    >>> measures = ["nDCG@10", "nDCG(gains='0-1-10-100')@10", "DCG(discount='original',base=10)@5"]
    >>> list(name_measures(measures).values())
    ['nDCG@10', 'nDCG@10 (0-1-10-100)', 'DCG@5 (original, b = 10)']
    >>> list(name_measures(measures, form="latex", long=True).values())[-1]
    'DCG@5 {\\footnotesize (original, $b$ = 10)}'
    """
    names = read_names(list_measures(measures), long=long)
    return {text: name.write(form) for text, name in names.items()}
