"""What a text says of measures: each one's words and formula, and what they share."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ir_measures import Measure

from pt_cumgain.core import DISCOUNTS
from pt_cumgain.measures import (
    MEASURES,
    CumulatedGain,
    SessionMeasure,
    Spec,
    as_cumulated_gain,
    is_hosts,
)
from pt_cumgain.presentation.phrases import PHRASES, fill_phrase, join_words
from pt_cumgain.weighting import Weighting, number

_WHERE = ", where "
#: As a sentence writes them; larger ones are digits.
_NUMBERS = dict(enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine"], 2))


@dataclass(frozen=True)
class MeasureParts:
    """What a description says of one measure.

    Attributes
    ----------
    name
        With the key of its paper in braces.
    words
        What follows the name, each with its kind: ``place``, ``part``, ``clause`` or ``host``.
    lines
        The formula's right sides by their left sides.
    symbols
        What the symbols mean.
    """

    name: str
    words: dict[str, str]
    lines: dict[str, str]
    symbols: list[str]

    def write(self, chosen: Collection[str]) -> str:
        """Return the chosen words as they follow the name."""
        place, parts, clauses, host = (
            [text for text, kind in self.words.items() if kind == wanted and text in chosen]
            for wanted in ("place", "part", "clause", "host")
        )
        text = "".join(f" {words}" for words in place)
        text += f" with {join_words(parts)}" if parts else ""
        text += f"{_WHERE}{join_words(clauses)}" if clauses else ""
        return text + "".join(host)


def _write_number(value: float) -> str:
    """Return a number as text; a large one without all its digits."""
    return repr(number(value)) if abs(value) < 1e16 else repr(float(value))


def _write_tex(value: float) -> str:
    digits, _, power = _write_number(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def _write_gains(weighting: Weighting) -> tuple[str, str]:
    """Return a weighting in words and as a formula."""
    table = PHRASES["gains"]
    entry = table[weighting.kind]
    words = [(_write_number(level), _write_number(gain)) for level, gain in weighting.weights]
    tex = [(_write_tex(level), _write_tex(gain)) for level, gain in weighting.weights]
    pairs = [fill_phrase(table["pair"], gain=gain, level=level) for level, gain in words]
    rows = [fill_phrase(table["row"], gain=gain, level=level) for level, gain in tex]
    weights = ", ".join(gain for _, gain in words)
    levels = ", ".join(level for level, _ in tex)
    return (
        fill_phrase(entry["words"], weights=weights, pairs=", ".join(pairs)),
        fill_phrase(entry["formula"], rows=r" \\ ".join(rows), levels=levels),
    )


def describe_one(described: Measure, *, listed: bool) -> MeasureParts | None:
    """Return what there is to say of a measure, alone or in a list; None if there are no words."""
    measure = as_cumulated_gain(described)
    name = "" if measure is None else measure.__name__
    if name not in PHRASES["measures"] or type(measure) is not type(MEASURES[name]):
        return None
    measure.validate_params()
    spec, by_session = measure.spec, isinstance(measure, SessionMeasure)
    source = PHRASES["measures"][name]
    lines = _write_value(measure) | (_session_lines(measure) if by_session else _topic_lines(spec))
    words, clauses = {}, []
    place = ["session"] * by_session + [f for f in ("avg_pos", "at_r") if getattr(spec, f)]
    if listed and not place and spec.cutoff is not None:
        name = f"{name}@{spec.cutoff}"
    else:
        phrase = "_".join(place) or ("all" if spec.cutoff is None else "cutoff")
        words[fill_phrase(PHRASES["places"][phrase], cutoff=spec.cutoff)] = "place"
    if "discount" in measure.SUPPORTED_PARAMS:
        discount = DISCOUNTS[spec.discount]
        words[fill_phrase(discount.phrase, base=_write_number(spec.base))] = "part"
        lines["d(i)"] = fill_phrase(discount.latex, base=_write_tex(spec.base))
        if discount.up_to_base and spec.cutoff is not None and spec.cutoff <= spec.base:
            clauses.append(discount.up_to_base)
    if by_session:
        entry = PHRASES["query_discounts"][spec.query_discount]
        words[fill_phrase(entry["words"], bq=_write_number(spec.bq))] = "part"
        lines[r"d_{\mathrm{q}}(q)"] = fill_phrase(entry["formula"], bq=_write_tex(spec.bq))
    gains, lines[r"g(\ell)"] = _write_gains(spec.gains)
    words[gains] = "part"
    if measure.DIVISOR in ("ideal", "recall base"):
        lines["I"] = PHRASES["formulas"]["I"]
    for clause, wording in PHRASES["clauses"].items():
        value = str(getattr(spec, clause))
        if value not in PHRASES["unsaid"] and clause in measure.SUPPORTED_PARAMS:
            phrase = wording.get(value) or wording["some"]
            words[fill_phrase(phrase, **{clause: value})] = "clause"
    words |= dict.fromkeys(clauses, "clause")
    if is_hosts(measure):
        words[PHRASES["host"]] = "host"
    explained = {
        "session": by_session,
        "topic": not by_session,
        "doc_id": not by_session and spec.ties == "doc_id",
        "J": True,
        "judged_only": spec.judged_only,
        "at_r": spec.at_r,
        "M": measure.DIVISOR == "ranks",
        "I": measure.DIVISOR in ("ideal", "recall base"),
        "R": measure.DIVISOR == "recall base",
        "padding": by_session and spec.padding != "fixed",
        "end": True,
    }
    symbols = [PHRASES["symbols"][key] for key, needed in explained.items() if needed]
    return MeasureParts(f"{name}{{{source}}}", words, lines, symbols)


def _write_value(measure: CumulatedGain) -> dict[str, str]:
    """Return the first line of a formula: the value, from the vectors."""
    formulas, averaged, name = PHRASES["formulas"], measure.spec.avg_pos, measure.__name__
    gain, ideal, end, rank = "G", "I", "k", "j"
    if isinstance(measure, SessionMeasure):
        gain, ideal, rank = "V", "V_I", "p"
        end = "nk" if measure["padding"] == "fixed" else "s_{n+1}"
    last = rank if averaged else end
    form, symbol = formulas[name.removeprefix("n")], rf"\mathrm{{{name}}}"
    value = fill_phrase(form, vector=gain, last=last)
    if measure.NORMALISED:
        best = fill_phrase(form, vector=ideal, last=last)
        value = fill_phrase(formulas["normalised"], value=value, ideal=best)
    if averaged:
        symbol = rf"\overline{{{symbol}}}"
        value = fill_phrase(formulas["avg_pos"], value=value, last=last, end=end)
    return {f"{symbol}@k": value}


def _topic_lines(spec: Spec) -> dict[str, str]:
    """Return the lines on the cutoff and the gain vector of CG, DCG, nCG or nDCG."""
    formulas = PHRASES["formulas"]
    rank = "k at_r" if spec.at_r else "k all" if spec.cutoff is None else "k"
    gain = "G average" if spec.ties == "average" else "G"
    gain += " judged_only" if spec.judged_only else ""
    gain += " unjudged" if spec.unjudged and spec.ties == "average" else ""
    gains = fill_phrase(formulas[gain], unjudged=_write_tex(spec.unjudged))
    return {
        "k": fill_phrase(formulas[rank], cutoff=spec.cutoff),
        "G[i]": gains + formulas["ties"][spec.ties],
    }


def _session_lines(measure: CumulatedGain) -> dict[str, str]:
    """Return the lines on the vectors, the cutoff and the queries of sDCG or nsDCG."""
    spec, formulas = measure.spec, PHRASES["formulas"]
    ideal = {"V_I[p]": formulas["V_I"][spec.duplicates]} if measure.NORMALISED else {}
    queries = "n" if spec.queries is None else "n queries"
    vectors, padding = {"V[p]": formulas["V"], **ideal}, {}
    if spec.padding != "fixed":
        for left, line in vectors.items():
            vectors[left] = line.replace("(q-1)k", "s_q").replace(r"i \le k", r"i \le p_q")
        places = formulas["padding"].get(spec.padding, formulas["padding"]["some"])
        padding["s_q"] = formulas["padding"]["before"]
        padding["p_q"] = fill_phrase(places, padding=spec.padding)
    return {
        **vectors,
        "k": fill_phrase(formulas["k"], cutoff=spec.cutoff),
        "n": fill_phrase(formulas[queries], queries=spec.queries),
        **padding,
        "G_q[i]": fill_phrase(formulas["G_q"][spec.duplicates], unjudged=_write_tex(spec.unjudged)),
    }


def cites(text: str, reference: dict[str, str]) -> bool:
    """Return whether a text cites a paper."""
    return reference["narrative"] in text or reference["parenthetical"] in text


def write_measures(
    described: dict[str, MeasureParts], labels: Mapping[str, str], others: list[str]
) -> str:
    """Return the text on measures, by their own texts: each of them, then what all share."""
    first, *more = described.values()
    shared = first.words.keys() & set.intersection(*({*p.words} for p in more)) if more else set()
    alike: dict[str, list[str]] = {}
    for text, parts in described.items():
        alike.setdefault(parts.write(parts.words.keys() - shared), []).append(text)
    items = []
    for words, texts in alike.items():
        own_labels = [labels[text] for text in texts if text in labels]
        names = join_words([described[text].name for text in texts])
        items.append(names + words + (f" ({', '.join(own_labels)})" if own_labels else ""))
    text = join_words(items, ";" if any("," in item or " and " in item for item in items) else ",")
    if more:
        text = f"We report {_NUMBERS.get(len(described), len(described))} measures: {text}."
        which = "both" if len(described) == 2 else "all"
        words = first.write(shared)
        if words.startswith(_WHERE):
            text += f" For {which} of them, {words.removeprefix(_WHERE)}."
        elif words:
            text += f" {which.capitalize()} are computed{words}."
    elif others:
        text = f"We report {text}."
    text += f" We also report {join_words(others)}." if others else ""
    for key, reference in PHRASES["references"].items():
        citation = "" if cites(text, reference) else f" ({reference['parenthetical']})"
        text = text.replace(f"{{{key}}}", citation, 1).replace(f"{{{key}}}", "")
    return text


def write_formula(described: Iterable[MeasureParts]) -> tuple[str, bool]:
    """Return the formula, and whether symbols in it have numbers."""
    measures = [dict(parts.lines) for parts in described]
    for left, used in PHRASES["uses"].items():
        having = [lines for lines in measures if left in lines]
        kinds = list(dict.fromkeys(lines[left] for lines in having))
        for lines in having if len(kinds) > 1 else []:
            number = f"^{{({kinds.index(lines[left]) + 1})}}"
            for other in lines.keys() - {left, "d(i)"}:  # a discount may have any text
                lines[other] = re.sub(used, rf"\g<0>{number}", lines[other])
    sides: dict[str, dict[str, None]] = {next(iter(lines)): {} for lines in measures}
    for left, right in [line for lines in measures for line in lines.items()]:
        sides.setdefault(left, {})[right] = None
    numbered, body = False, []
    for left, rights in sides.items():
        if len(rights) == 1:
            body.append(f"{left} &= {next(iter(rights))}")
        elif left == "k":
            among = r", \; ".join(rights)
            body.append(rf"k &\in \left\{{ {among} \right\}}")
        else:
            numbered = True
            symbol, *argument = re.split(r"(?=[(\[@])", left, maxsplit=1)
            for i, right in enumerate(rights, 1):
                body.append(f"{symbol}^{{({i})}}{''.join(argument)} &= {right}")
    return "\\begin{aligned}\n" + " \\\\\n".join(body) + "\n\\end{aligned}", numbered
