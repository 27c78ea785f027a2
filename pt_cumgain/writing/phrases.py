"""The wording of descriptions: data with placeholders, in ``phrases.ini`` and ``references.bib``.

In a phrase the value of a name replaces ``{name}``, within LaTeX too; other braces belong to LaTeX.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from configparser import ConfigParser
from importlib import resources
from typing import Any


def _read_phrases() -> dict[str, Any]:
    """Return the content of ``phrases.ini`` by section, and the references."""
    folder = resources.files("pt_cumgain.writing")
    parser = ConfigParser(interpolation=None, delimiters="=")
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keeps capitals
    parser.read_string((folder / "phrases.ini").read_text("utf-8"))
    phrases: dict[str, Any] = {}
    for section in parser.sections():
        entries = phrases
        for name in section.split("."):
            entries = entries.setdefault(name, {})
        entries |= {key: " ".join(text.split()) for key, text in parser[section].items()}
    papers = (folder / "references.bib").read_text("utf-8").strip().split("\n\n")
    bibtex = {entry.partition("{")[2].partition(",")[0]: entry for entry in papers}
    phrases["references"] = {}
    for key, authors in phrases["authors"].items():
        year, entry = key[-4:], {"bibtex": bibtex[key]}
        entry |= {"narrative": f"{authors} ({year})", "parenthetical": f"{authors}, {year}"}
        phrases["references"][key] = entry
    return phrases


#: The phrases and formulas of a description, except those of discounts, which users can add.
PHRASES = _read_phrases()


def fill_phrase(phrase: str, **values: object) -> str:
    """Return a phrase with the values of its placeholders; braces in a value stay as they are.

    ``{topics} other topic(s)`` is filled as ``1 other topic`` or ``2 other topics``.
    """

    def fill(match: re.Match[str]) -> str:
        value = values[match[1]]
        return count_things(value, match[2]) if match[2] else str(value)

    known = "|".join(re.escape(name) for name in values)
    return re.sub(rf"{{({known})}}(?: ([\w ]+)\(s\))?", fill, phrase)


def count_things(number: object, thing: str) -> str:
    """Return ``1 topic`` or ``2 topics``."""
    return f"{number} {thing}" if str(number) == "1" else f"{number} {thing}s"


def join_words(items: Sequence[str], mark: str = ",") -> str:
    """Return ``a``, ``a and b`` or ``a, b, and c``; ``a, and b`` if a has a comma itself."""
    *rest, last = items
    if not rest:
        return last
    apart = len(rest) > 1 or mark == ";" or "," in rest[0]
    return f"{f'{mark} '.join(rest)}{mark if apart else ''} and {last}"


def write_correction(correction: str | None) -> str:
    """Return how a note names the correction of p-values."""
    if correction is None:
        return ", uncorrected"
    if correction == "holm":  # the default: statsmodels takes a second to import
        return ", Holm-corrected"
    # which knows each method by several names
    from statsmodels.stats.multitest import multitest_alias, multitest_methods_names

    name = multitest_methods_names[multitest_alias[correction.lower()]].removeprefix("FDR ")
    return f", {re.sub('-(?=[A-Z])', '–', name)}-corrected"


def write_p(p: float) -> str:
    """Return a p-value for a sentence, never rounded up to a significance level."""
    digits = 6 if f"{p:.4f}" in ("0.0100", "0.0500") else 4
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.{digits}f}".replace("nan", "–")


def write_end(value: float, decimals: int, side: int = 0) -> str:
    """Return a difference with so many decimals, or one digit of it if it would print as 0.

    An end of a range has a side: with 1, the printed number is not above the value, with -1 not
    below it.
    """
    unit, form, text = 10.0**-decimals, f".{decimals}f", write_number(value, decimals)
    small = abs(value) < unit if side else abs(value) <= unit / 2 and not float(text)
    if value and small:
        unit, form = 10.0 ** math.floor(math.log10(abs(value))), ".1g"
        text = format(value, form)
    if side and side * (float(text) - value) > 1e-12 * abs(value):  # less is noise
        text = format(float(text) - side * unit, form)
    return text


def write_number(value: float, decimals: int) -> str:
    """Return a number with so many decimals; never -0.000, and NaN as a word."""
    if value != value:
        return "undefined"
    text = f"{value:.{decimals}f}"
    return text if float(text) else text.lstrip("-")
