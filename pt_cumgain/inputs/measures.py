"""Measures, given as objects or as text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import ir_measures
from ir_measures import Measure

from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.measures import MEASURES, CumulatedGain, as_cumulated_gain
from pt_cumgain.options import find_near

#: Measures, as objects or as text; one or several.
Measures: TypeAlias = Iterable[Measure | str] | Measure | str

#: A value that has lost its quotes in a shell.
_UNQUOTED = r"=(?!(?:[\d.]+|True|False)[,)])([\w.-]+)(?=[,)])"


#: The advice of an error for a text that is a file.
_ORDER = "it is a file, so check the order of the arguments"


def list_measures(measures: Measures) -> list[Measure | str]:
    """Return measures, as objects or text, as a list; refuse an empty one and anything else."""
    listed = as_list(measures)
    if not listed:
        raise ValueError("no measure was given")
    wrong = [show(measure) for measure in listed if not isinstance(measure, (str, Measure))]
    if hasattr(measures, "columns") or isinstance(measures, Mapping):
        wrong = [f"a {type(measures).__name__}"]
    if wrong:
        raise TypeError(
            f"{wrong[0]} is not a measure; give measures or their text, such as 'CG@10', and check "
            "the order of the arguments"
        )
    return listed


def parse_measures(measures: Measures) -> list[Any]:
    """Return measures, given as objects or text, or a single one, as a list of measures.

    Raises
    ------
    ValueError
        If a text is not a measure, a measure lacks a parameter or has a wrong one, or measures of
        two classes have the same text.
    """
    parsed = [m if isinstance(m, Measure) else _parse_measure(m) for m in list_measures(measures)]
    kinds: dict[CumulatedGain, type] = {}
    for measure in parsed:
        if not isinstance(measure, CumulatedGain):
            _refuse_params(measure)
        elif kinds.setdefault(measure, type(measure)) is not type(measure):
            raise ValueError(f"two classes of measures have the same text, {measure}")
    return parsed


def read_measures(measures: Measures, refuse: Callable[[Any], str]) -> list[Any]:
    """Return measures of this package, each once; see :func:`parse_measures`.

    ``refuse`` is called with each one, with None for a measure of the host, and returns the rest of
    the sentence that says why this one cannot be taken, or an empty text.
    """
    parsed = parse_measures(measures)
    chosen = [as_cumulated_gain(measure) for measure in parsed]
    for measure, cumulated in zip(parsed, chosen):
        reason = refuse(cumulated)
        if reason:
            raise ValueError(f"{measure} {reason}")
    return list(dict.fromkeys(chosen))


def find_own_measure(measure: Measures) -> CumulatedGain | None:
    """Return a measure of this package, given as an object or text; None for anything else."""
    with suppress(SyntaxError, TypeError, ValueError):
        return as_cumulated_gain(parse_measures(measure)[0])
    return None


def print_measure(measure: object) -> str:
    """Return the text of a measure, the same for equal ones; whatever is not a measure as it is."""
    return str(_find_measure(str(measure)) or measure)


def _parse_measure(text: str) -> Measure:
    if re.search(r"\bcutoff\s*=.*@", text):
        raise ValueError(f"{show(text)} has two cutoffs; omit one")
    try:
        return ir_measures.parse_measure(text.strip())
    except NameError:
        hint = _ORDER if os.path.exists(text) else _suggest_measure(text)
        raise ValueError(f"unknown measure {show(text)}; {hint}") from None
    except (MemoryError, RecursionError, ValueError) as error:  # of Python's parser, of a measure
        if isinstance(error, ValueError) and "problem parsing" not in str(error):
            raise
        raise ValueError(f"{show(text)} is not a measure{_explain(text, error)}") from None


def _refuse_params(measure: Measure) -> None:
    """Refuse a measure of the host whose providers would end the process, or fail without words."""
    for name, param in measure.SUPPORTED_PARAMS.items():
        if param.required and name not in measure.params:
            ours = ", ".join(MEASURES)  # of which sDCG is not the SDCG of ir-measures
            raise ValueError(f"{measure} of ir-measures needs {name}=; this package adds {ours}")
    try:
        measure.validate_params()
    except AssertionError as error:
        raise ValueError(f"{measure.NAME}: {error}") from None
    if measure.params.get("cutoff", 1) < 1:
        raise ValueError(f"cutoff={measure.params['cutoff']} must be at least 1")


def _find_measure(text: str) -> Measure | None:
    """Return the measure that a text is; None if ir-measures cannot read it."""
    with suppress(MemoryError, NameError, RecursionError, TypeError, ValueError):
        return ir_measures.parse_measure(text)
    return None


def _explain(text: str, error: BaseException) -> str:
    """Return what a text that cannot be parsed may mean, or what Python's parser says of it."""
    meant = _translate_measure(text)
    if meant:
        return f"; write {meant}"
    if os.path.exists(text):
        return f"; {_ORDER}"
    parts = re.split(r"[,\s]+(?![^(]*\))", text)
    if all(_find_measure(part) for part in parts):
        listed = ", ".join(repr(part) for part in parts)
        return f"; to use several measures, list them one by one: {listed}"
    meant = re.sub(r"\((\d+)\)$", r"@\1", text)
    meant = re.sub(r"\[([\d., -]+)\]", lambda scheme: re.sub(r",\s*", "-", scheme[1]), meant)
    meant = re.sub(_UNQUOTED, r"='\1'", meant)
    if _find_measure(meant):
        return f'; write it like "{meant}" (in a shell, with the double quotes)'
    cutoff = re.fullmatch(r"[^@]*@([^@]*)", text)
    if cutoff and not cutoff[1].strip().isdecimal():
        return f": its cutoff {show(cutoff[1])} is not a whole number"
    reason = re.match(r"problem parsing measure (.*?)(?: \(<unknown>.*)?; must be", str(error))
    return f": {reason[1]}" if reason else ""


def _translate_measure(text: str) -> str:
    """Return how trec_eval's name of measures is written here; empty if it is none."""
    with suppress(ValueError):
        return " ".join(str(m) for m in ir_measures.util.parse_trec_measure(text))
    return ""


def _suggest_measure(text: str) -> str:
    """Suggest a measure for trec_eval's name of one, or for a misspelt name."""
    meant = _translate_measure(text)
    if not meant:
        text = re.sub(r"[._]?(\d+)$", r"@\1", text) if "@" not in text else text
        name = re.split(r"[@(]", text, maxsplit=1)[0]
        plain, exp = re.subn(r"^exp_|_exp$", "", name.lower())
        gains = "(gains='exp')" if exp else ""  # without, it would be another number
        names = {known.lower(): known for known in (*ir_measures.measures.registry, *MEASURES)}
        near = find_near(plain, names)
        meant = names[near] + gains + text[len(name) :] if near else ""
    return f"did you mean {meant}?" if meant else f"this package adds {', '.join(MEASURES)}"
