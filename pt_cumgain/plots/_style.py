"""The styles that distinguish lines, and the texts of a figure."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from itertools import cycle
from typing import Any

from pt_cumgain.environment.extras import pyplot
from pt_cumgain.environment.terminal import escape_lines
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.inputs.measures import Measures, list_measures
from pt_cumgain.options import checked, instance
from pt_cumgain.writing.names import Form, read_names
from pt_cumgain.writing.rendering import break_lines

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

_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
#: Words that are written from right to left, such as Hebrew and Arabic ones, with what is between.
_LEFTWARD = re.compile(rf"[{_RTL}]+(?:[ \d.,_-]+[{_RTL}]+)*")


@checked(systems=instance(Collection, "a list of names", ["A", "B"], but=(str, bytes)))
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
    looks = [{"linestyle": dash, "color": colour} for dash in DASHES for colour in COLOURS]
    each = zip(dict.fromkeys(systems), cycle(looks))
    return {name: {"linewidth": 1.3, "zorder": 2} | look for name, look in each}


def lines(names: Sequence[Any], highlight: Any, styles: Styles | None, last: Any) -> Styles:
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
        order = last.reindex(order).sort_values(ascending=False, kind="stable").index.tolist()
        highlight = order[: len(COLOURS)]
    chosen = as_list(order if highlight is None else highlight)
    unknown = [name for name in chosen if name not in order]
    if unknown:
        raise ValueError(f"highlight: {unknown[0]!r} is not one of {list(names)}")
    usual = style_systems([*styles, *order])
    drawn = {name: usual[name] | styles.get(name, {}) for name in names}
    drawn |= {name: OTHERS for name in names if name not in chosen}
    for name, line in drawn.items():
        colour = ink() if line["color"] == COLOURS[-1] else line["color"]
        drawn[name] = line | {"label": plain(str(name)), "color": colour}
    return drawn


def ink() -> Any:
    """Return the colour of text, which is light on a dark ground."""
    return pyplot().rcParams["text.color"]


def count_letters(inches: float, size: float = SMALL) -> int:
    """Return how many letters of a size fit."""
    return int(inches * 72 / size / LETTER)


def count_lines(text: str) -> int:
    """Return how many lines a text has."""
    return text.count("\n") + 1


def wrap(text: str, inches: float, size: float = SMALL) -> str:
    """Break lines that are wider, within a word only if it is longer than a line."""
    width = count_letters(inches, size)
    parts = [part for line in text.split("\n") for part in break_lines(line, width)]
    return "\n".join(textwrap.fill(part, max(width, 1)) for part in parts)


def plain(text: str) -> str:
    """Return a text that matplotlib shows as it is, and SVG holds.

    It is no mathematics, not hidden by an underscore, and free of control characters. Hebrew and
    Arabic words do not turn the numbers beside them.
    """
    text = _LEFTWARD.sub("\u200e\\g<0>\u200e", escape_lines(text).replace("$", r"\$"))
    return f" {text}" if text.startswith("_") else text


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
        As ``measures`` of :func:`pt_cumgain.paper_table` and pandas' ``rename``
        take it.

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
