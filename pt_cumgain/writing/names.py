"""Names of measures as a paper would print them: measure, rank and distinguishing parameters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ir_measures import Measure

from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.inputs.measures import find_own_measure
from pt_cumgain.measures import CG, CumulatedGain
from pt_cumgain.weighting import Weighting
from pt_cumgain.writing.phrases import PHRASES, fill_phrase, join_words
from pt_cumgain.writing.rendering import escape_latex, set_symbols

Form = Literal["text", "latex", "mathtext"]

#: The discount that a base belongs to.
_BASES = {"base": ("discount", DISCOUNTS), "bq": ("query_discount", QUERY_DISCOUNTS)}
#: The two cases of a formula in LaTeX, set in a line.
_CASES = re.compile(r"\\begin\{cases\} (.*?) & (.*?) \\\\ (.*?) & .* \\end\{cases\}")
#: The most weights of a scheme that a name has.
_WEIGHTS = 7


@dataclass(frozen=True)
class Name:
    """The name of a measure.

    Attributes
    ----------
    first
        The first part, such as ``nDCG@10``.
    details
        The parameters that distinguish the measure.
    shared
        The parameters that it shares with all others.
    usual
        What distinguishes a measure without parameters from others of this name.
    """

    first: str
    details: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    usual: str = "default"

    def write(self, form: Form = "text") -> str:
        """Return the name in one line."""
        first, details = self.first, self.below
        if form == "latex":
            first, details = escape_latex(first), set_symbols(escape_latex(details))
            return rf"{first} {{\footnotesize ({details})}}" if details else first
        details = set_symbols(details) if form == "mathtext" else details
        return f"{first} ({details})" if details else first

    @property
    def below(self) -> str:
        """The parameters that distinguish the measure, as a line."""
        return ", ".join(self.details)


def read_names(measures: Iterable[Measure | str], *, long: bool = False) -> dict[str, Name]:
    """Return the names of measures by their texts; another text is a name as it is."""
    texts = {str(measure): measure for measure in measures}
    every = {text: find_own_measure(measure) for text, measure in texts.items()}
    read = {text: measure for text, measure in every.items() if measure is not None}
    listed = {text: _list_values(measure) for text, measure in read.items()}
    alone = long or len(listed) == 1
    params = set[str]().union(*listed.values())
    apart = {p for p in params if alone or len({str(v.get(p)) for v in listed.values()}) > 1}
    names = {text: Name(text) for text in texts}
    bases = apart & {*_BASES} if any("(" in text for text in listed) else set()
    for text, values in listed.items():
        measure = read[text]
        words = {param: _write_param(measure, param, value) for param, value in values.items()}
        details = tuple(word for param, word in words.items() if word and param in apart)
        shared = tuple(word for param, word in words.items() if word and param not in apart)
        cutoff = "R" if measure.params.get("at_r") else measure.params.get("cutoff")
        first = measure.__name__ + (f"@{cutoff}" if cutoff else "")
        if text != first or bases & values.keys():  # or its base would seem to be another one
            names[text] = Name(first, details, shared)
        else:
            usual = [PHRASES["names"].get(f"{p} {values[p]}") for p in values if p in apart]
            names[text] = Name(first, usual=", ".join(filter(None, usual)) or "default")
    counts = Counter(name.write() for name in names.values())
    return {text: name if counts[name.write()] == 1 else Name(text) for text, name in names.items()}


def explain_names(names: Mapping[str, Name]) -> list[str]:
    """Return a sentence that explains names and completes them; none if they are whole."""
    every = {text: find_own_measure(text) for text in names}
    read = {text: measure for text, measure in every.items() if measure}
    shown = {text: m for text, m in read.items() if text != names[text].write()}
    clauses: dict[str, None] = {}
    phrases = PHRASES["explanations"]
    shared = set[str]().union(*(name.shared for name in names.values()))
    if shared:
        kinds = dict.fromkeys(measure.__name__ for measure in read.values())
        clauses[f"{join_words([*kinds])} with {join_words(sorted(shared))}"] = None
    schemes: dict[int, dict[str, None]] = {}  # by their highest levels
    for weighting in (measure.spec.gains for measure in shown.values()):
        if weighting.kind == "scheme":
            name = _write_param(CG, "gains", weighting.canonical)
            schemes.setdefault(len(weighting.weights) - 1, {})[name] = None
    for last, alike in schemes.items():
        clauses[fill_phrase(phrases["schemes"], word=join_words([*alike]), last=last)] = None
    if any(measure.params.get("at_r") for measure in shown.values()):
        clauses[phrases["at_r"]] = None
    for text, measure in shown.items():
        words = names[text].details + names[text].shared
        clauses |= dict.fromkeys(_explain_words(measure, words))
    return [f"{'; '.join(clauses)}."] if clauses else []


def list_formulas(names: Iterable[str]) -> dict[str, str]:
    """Return what :func:`explain_names` says of discounts, and what that is in LaTeX."""
    formulas = {}
    measures = [find_own_measure(name) for name in names]
    for measure in filter(None, measures):
        value, discount = measure.spec.discount, DISCOUNTS[measure.spec.discount]
        latex = _CASES.sub(r"\1$ for $\2$, else $\3", discount.latex.replace("{base}", "b"))
        if r"\text" not in latex:  # that needs amsmath
            words = _introduce(value)
            formulas[f"{words} {discount.text}"] = f"{escape_latex(words)} ${latex}$"
    return formulas


def _introduce(discount: str) -> str:
    """Return the words before the formula of a discount: its name here, and on the page."""
    word = PHRASES["names"].get(f"discount {discount}", discount)
    return f"{word}: discount" if word == discount else f"{word}: discount {discount!r},"


def _explain_words(measure: CumulatedGain, words: Sequence[str]) -> Iterator[str]:
    """Yield what the words for a measure's parameters mean, where they do not say it."""
    phrases, kind = PHRASES["explanations"], measure.spec.gains.kind
    for param, value in _list_values(measure).items():
        word = _write_param(measure, param, value)
        choice = kind if param == "gains" else value
        if word in words and param == "discount":
            yield f"{_introduce(value)} {DISCOUNTS[value].text}"
        elif word in words:
            text = phrases.get(f"{param} {choice}") or phrases.get(param)
            if text:
                yield fill_phrase(text, word=word)


def _list_values(measure: CumulatedGain) -> dict[str, Any]:
    """Return the values of the parameters that matter, in the order of their declaration."""
    values = {
        param: measure.params.get(param, measure.default(param))
        for param in measure.SUPPORTED_PARAMS
        if param not in ("cutoff", "at_r")
    }
    for base, (discount, table) in _BASES.items():
        if discount in values and not table[values[discount]].takes_base:
            del values[base]
    if "gains" in values:
        values["gains"] = Weighting.parse(values["gains"]).canonical
    return values


def _write_param(measure: CumulatedGain, param: str, value: Any) -> str:
    """Return the name of a parameter's value; nothing for a default other than a base."""
    phrases = PHRASES["names"]
    is_default = value == ("level" if param == "gains" else measure.default(param))
    if is_default and param not in _BASES:
        return ""
    if isinstance(value, dict):
        value = ", ".join(f"{level}:{gain}" for level, gain in value.items())
    elif param == "gains" and value.count("-") >= _WEIGHTS:
        weights = value.split("-")
        value = "-".join([*weights[:3], "…", weights[-1]])
    default = f"{param.replace('_', ' ')}{'' if value is True else ' = {value}'}"
    return fill_phrase(phrases.get(f"{param} {value}") or phrases.get(param, default), value=value)
