"""What a paper says of a measure: the sentence, the formula, the references.

All wording is in :data:`PHRASES`, as data with placeholders, so that a program in another language
can write the same sentences; see :func:`phrases`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import resources
from typing import Any

from ir_measures import Measure

from pt_cumgain.analysis.grids import Grid
from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.hosts.ir_measures import as_cumulated_gain
from pt_cumgain.inputs.arguments import parsed
from pt_cumgain.measures import MEASURES, CumulatedGain, SessionMeasure, Spec
from pt_cumgain.presentation.tables import PaperTable
from pt_cumgain.weighting import Weighting, number

#: How a sentence names the authors of each paper in ``references.bib``; a key ends with the year.
_AUTHORS = {
    "jarvelin2000": "Järvelin and Kekäläinen",
    "jarvelin2002": "Järvelin and Kekäläinen",
    "kekalainen2005": "Kekäläinen",
    "jarvelin2008": "Järvelin et al.",
    "kanoulas2011": "Kanoulas et al.",
    "burges2005": "Burges et al.",
    "mcsherry2008": "McSherry and Najork",
}


def _read_references() -> dict[str, dict[str, str]]:
    """Return how a sentence cites each paper, and its BibTeX entry, by the entry's key."""
    papers = resources.files("pt_cumgain.presentation") / "references.bib"
    texts = papers.read_text("utf-8").strip().split("\n\n")
    entries = {entry.partition("{")[2].partition(",")[0]: entry for entry in texts}
    return {
        key: {
            "narrative": f"{authors} ({key[-4:]})",
            "parenthetical": f"{authors}, {key[-4:]}",
            "bibtex": entries[key],
        }
        for key, authors in _AUTHORS.items()
    }


#: Every phrase and formula of a description; :func:`phrases` explains how to combine them.
PHRASES: dict[str, Any] = {
    "sentence": "{measure} {place} with {parts}",
    "measures": {
        **dict.fromkeys(["CG", "DCG", "nCG", "nDCG"], "jarvelin2002"),
        **dict.fromkeys(["sDCG", "nsDCG"], "jarvelin2008"),
    },
    "places": {
        "cutoff": "at rank {cutoff}",
        "all": "over the whole ranking",
        "at_r": "at each topic's own rank R (the number of its documents with a positive gain, "
        "after Kekäläinen, 2005)",
        "avg_pos": "averaged over ranks 1 to {cutoff}",
        "avg_pos_at_r": "averaged over ranks 1 to each topic's own R (the number of its documents "
        "with a positive gain, after Kekäläinen, 2005)",
        "session": "over the first {cutoff} documents of each query in a session",
        "session_avg_pos": "averaged over all positions of a session (the first {cutoff} documents "
        "of each query)",
    },
    "discounts": {
        name: {"words": d.phrase, "formula": d.latex, "up_to_base": d.up_to_base}
        for name, d in DISCOUNTS.items()
    },
    "query_discounts": {
        name: {"words": d.phrase, "formula": d.latex} for name, d in QUERY_DISCOUNTS.items()
    },
    "gains": {
        "level": {"words": "gains equal to the relevance levels", "formula": r"\max(\ell, 0)"},
        "exp": {
            "words": "exponential gains (two to the power of the relevance level, minus one; "
            "Burges et al., 2005)",
            "formula": r"2^{\max(\ell, 0)} - 1",
        },
        "scheme": {
            "words": "gains {weights}",
            "formula": r"\begin{cases} 0 & \ell < 0 \\ {rows} \end{cases}",
        },
        "mapping": {
            "words": "gains {pairs}, and the level itself for any other level",
            "formula": r"\begin{cases} {rows} \\ \max(\ell, 0) & \ell \notin \{ {levels} \} "
            r"\end{cases}",
        },
        "pair": "{gain} for level {level}",
        "row": r"{gain} & \ell = {level}",
    },
    "clauses": {
        "judged_only": {
            "False": "unjudged documents keep their ranks",
            "True": "unjudged documents are removed before ranking",
        },
        "ties": {
            "doc_id": "documents with equal scores are ranked by descending id",
            "average": "the value is averaged over all orders of documents with equal scores "
            "(McSherry and Najork, 2008)",
            "best": "documents with equal scores are ranked by descending gain",
            "worst": "documents with equal scores are ranked by ascending gain",
        },
        "duplicates": {
            "count": "a document counts each time a query returns it",
            "first": "a document that several queries return counts only the first time",
        },
        "queries": {
            "None": "all queries of a session count",
            "some": "only the first {queries} queries of a session count",
        },
    },
    "unsaid": ["False", "doc_id", "None"],
    "host": ", as implemented in ir-measures",
    "formulas": {
        "CG": r"\sum_{i=1}^{{last}} {vector}[i]",
        "DCG": r"\sum_{i=1}^{{last}} {vector}[i] / d(i)",
        "sDCG": "{vector}[{last}]",
        "normalised": r"\frac{{value}}{{ideal}}",
        "avg_pos": r"\frac{1}{{end}} \sum_{{last}=1}^{{end}} {value}",
        "V": r"\sum_{(q-1)k + i \le p} \frac{G_q[i]}{d(i) \, d_{\mathrm{q}}(q)}",
        "V_I": {
            "count": r"\sum_{(q-1)k + i \le p} \frac{I[i]}{d(i) \, d_{\mathrm{q}}(q)}",
            "first": r"\sum_{j=1}^{p} I[j] \, w_{p,j}, \quad (w_{p,1}, \dots, w_{p,p}) = "
            r"\operatorname{sort}_{\downarrow} \left( \frac{1}{d(i) \, d_{\mathrm{q}}(q)} : "
            r"(q-1)k + i \le p \right)",
        },
        "n": "N",
        "n queries": r"\min({queries}, N)",
        "k": "{cutoff}",
        "k all": r"\infty",
        "k at_r": r"|\{ x \in J : g(\ell(x)) > 0 \}|",
        "I": r"\operatorname{sort}_{\downarrow} ( g(\ell(x)) : x \in J, \; g(\ell(x)) > 0 )",
        "G": r"\begin{cases} g(\ell(x_i)) & x_i \in J \\ 0 & x_i \notin J \end{cases}",
        "G judged_only": r"g(\ell(x_i)), \quad x_i \in J",
        "G average": r"\frac{1}{|T_i|} \sum_{x \in T_i \cap J} g(\ell(x)), \quad "
        r"T_i = \{ x : s(x) = s(x_i) \}",
        "G average judged_only": r"\frac{1}{|T_i|} \sum_{x \in T_i} g(\ell(x)), \quad "
        r"x_i \in J, \quad T_i = \{ x \in J : s(x) = s(x_i) \}",
        "ties": {
            "doc_id": "",
            "average": "",
            "best": r", \quad s(x_i) = s(x_{i+1}) \Rightarrow G[i] \ge G[i+1]",
            "worst": r", \quad s(x_i) = s(x_{i+1}) \Rightarrow G[i] \le G[i+1]",
        },
        "G_q": {
            "count": r"\begin{cases} g(\ell(x_{q,i})) & x_{q,i} \in J \\ 0 & x_{q,i} \notin J "
            r"\end{cases}",
            "first": r"\begin{cases} g(\ell(x_{q,i})) & x_{q,i} \in J \setminus S_q \\ "
            r"0 & x_{q,i} \notin J \setminus S_q \end{cases}, \quad "
            r"S_q = \{ x_{r,j} : r < q, \; j \le k \}",
        },
    },
    "symbols": {
        "topic": r"$x_i$ is the document at rank $i$ of the run, by descending score $s$",
        "doc_id": "documents with equal scores by descending id",
        "J": r"$J$ is the set of judged documents of the topic, and $\ell(x)$ is the relevance "
        "level of $x$",
        "judged_only": "negative levels that the gains do not name are not judgments",
        "I": r"$I$ holds the positive gains of $J$ in descending order, and the value is 0 if "
        "there are none",
        "at_r": "the value is 0 if $k$ is 0",
        "end": "vectors are 0 past their ends",
        "numbers": "numbers in brackets follow the order in which the text first mentions the "
        "alternatives",
        "session": r"$x_{q,i}$ is the document at rank $i$, by descending score and then by "
        r"descending id, of the $q$-th of the session's $N$ queries; $1 \le q \le n$ and "
        r"$1 \le i \le k$",
    },
    "references": _read_references(),
}


@dataclass(frozen=True, repr=False)
class Description:
    r"""What a paper says of one or several measures: the result of :func:`describe`.

    Attributes
    ----------
    text
        The sentence, or a few sentences for several measures. It needs no
        escapes in LaTeX, unless the labels of a grid do.
    formula
        The formula in LaTeX, to be put between ``\[`` and ``\]``; it needs the package amsmath.
    symbols
        A sentence in LaTeX that explains the formula's symbols.
    bibtex
        The BibTeX entries of the papers that the text cites.
    """

    text: str
    formula: str
    symbols: str
    bibtex: str

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.formula}\n\n{self.symbols}\n\n{self.bibtex}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text, formula, symbols, bibtex = map(
            html.escape, (self.text, self.formula, self.symbols, self.bibtex)
        )
        return (
            f"<p>{text}</p>\n<p>$$\n{formula}\n$$</p>\n<p>{symbols}</p>\n"
            f"<details><summary>BibTeX</summary><pre>{bibtex}</pre></details>"
        )


_WHERE = ", where "
#: As a sentence writes them; larger ones are digits.
_NUMBERS = dict(enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine"], 2))


@dataclass(frozen=True)
class _Parts:
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
        text = "".join(f" {one}" for one in place)
        text += f" with {_join_words(parts)}" if parts else ""
        text += f"{_WHERE}{_join_words(clauses)}" if clauses else ""
        return text + "".join(host)


def describe(measure: Measure | str | Iterable[Measure | str] | PaperTable) -> Description:
    r"""Return what a paper says of a measure: sentence, formula, references.

    The literature calls several formulas nDCG; the description tells readers
    which one was used.

    Parameters
    ----------
    measure
        A measure of this package, or its text. Several measures, as a list, a
        :func:`pt_cumgain.grid` or a table of :func:`pt_cumgain.paper_table`,
        get one description: a sentence that lists them, with their labels in a
        grid, and one on what they all share. A table's measures must be in it
        by their texts, or by the labels of a grid. Measures of other packages
        are only named beside those of this one.

    Returns
    -------
    Description
        ``text``, ``formula`` (LaTeX), ``symbols`` (what the formula's symbols
        mean) and ``bibtex`` (the entries of what the text cites).

    Raises
    ------
    TypeError, ValueError
        If none of the measures is of this package, or one cannot be used
        (``avg_pos`` without a cutoff).

    Examples
    --------
    >>> description = describe("nDCG(gains='0-1-10-100',discount='original',base=10)@100")
    >>> print(description.text)  # doctest: -NORMALIZE_WHITESPACE
    nDCG at rank 100 with the discount of Järvelin and Kekäläinen (2002), base 10, and gains 0, 1, 10, 100
    >>> print(description.bibtex.splitlines()[0])
    @article{jarvelin2002,
    >>> print(describe("nDCG@10").text)
    nDCG (Järvelin and Kekäläinen, 2002) at rank 10 with the discount log2(rank + 1) and gains
    equal to the relevance levels, as implemented in ir-measures
    >>> from pt_cumgain import grid
    >>> print(describe(grid("nDCG", gains={"w1": "0-1-1", "w9": "0-1-9"}, cutoffs=5)).text)
    We report two measures: nDCG@5 (Järvelin and Kekäläinen, 2002) with gains 0, 1, 1 (nDCG w1); and
    nDCG@5 with gains 0, 1, 9 (nDCG w9). Both are computed with the discount log2(rank + 1).
    """  # noqa: E501
    labels: dict[str, str] = {}
    if isinstance(measure, PaperTable):
        labels = {text: label for label, text in measure.measures.items() if label != text}
        measure = _parse_rows(measure)
    elif isinstance(measure, Grid):
        labels = measure.labels
    known = {str(m): m for m in parsed(measure)}
    described = {text: _describe_one(m, listed=len(known) > 1) for text, m in known.items()}
    every = {text: parts for text, parts in described.items() if parts is not None}
    others = [text for text in known if text not in every]
    if not every:
        problem = f"{others[0]} has no description" if others else "no measure was given"
        raise ValueError(f"{problem}; describe() knows {_join_words([*PHRASES['measures']])}")
    text = _write_text(every, labels, others)
    lines, numbered = _write_lines(list(every.values()))
    symbols = dict.fromkeys(symbol for parts in every.values() for symbol in parts.symbols)
    if numbered:
        symbols[PHRASES["symbols"]["numbers"]] = None
    body = " \\\\\n".join(lines)
    entries = [entry["bibtex"] for entry in PHRASES["references"].values() if _cites(text, entry)]
    return Description(
        text,
        f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}",
        f"{'; '.join(symbols)}.",
        "\n\n".join(entries),
    )


def phrases() -> dict[str, Any]:
    r"""Return every phrase, formula and reference, as data that JSON can hold.

    In a phrase ``{name}`` stands for the value of that name, within LaTeX too: ``\log_{{base}} i``
    becomes ``\log_{10} i``. Other braces are LaTeX's own.

    To write the sentence of CG, DCG, nCG or nDCG:

    1. Take the place from ``places``: ``cutoff``, ``all`` (no cutoff) or ``at_r``; if the measure
       has ``avg_pos``, ``avg_pos`` or ``avg_pos_at_r``.
    2. Collect the parts: for DCG and nDCG the words of the discount in ``discounts``, with
       ``{base}``; then the words of the weighting in ``gains``: ``level`` if there is none or if it
       changes nothing; ``scheme`` with ``{weights}``, the weights joined by ``", "``; ``mapping``
       with ``{pairs}``, each a ``pair``, by level and joined by ``", "``; ``exp``.
    3. Put the measure's name, the place and the parts into ``sentence``. Join two parts by
       ``" and "``, or by ``", and "`` if the first contains a comma.
    4. Append ``", where "`` and the clauses: that of ``judged_only``, that of ``ties``, and
       ``up_to_base`` of the discount if the cutoff does not exceed the base. Leave out the clauses
       of the values in ``unsaid``, the defaults. Join two as two parts, three by ``", "`` and
       ``", and "``.
    5. Append ``host`` for an nDCG that has only ir-measures' own parameters. (The page does not,
       because it computes every value itself.)
    6. Look up the measure's own reference in ``measures``. If the sentence has neither its
       ``narrative`` nor its ``parenthetical`` form, put the latter in brackets after the name.

    List the references whose narrative or parenthetical form is in the finished sentence.

    The formula of nDCG is ``normalised``, which takes the formula of ``DCG`` twice: with the vector
    G as ``{value}`` and with I as ``{ideal}``. ``{last}`` is k, or j if the result becomes the
    ``{value}`` of ``avg_pos``.
    """
    return deepcopy(PHRASES)


def _fill(phrase: str, **values: object) -> str:
    for name, value in values.items():
        phrase = phrase.replace(f"{{{name}}}", str(value))
    return phrase


def _parse_rows(table: PaperTable) -> list[Measure]:
    """Return the measures of a table; refuse rows that are not the text of a measure."""
    measures: list[Measure] = []
    for row in table.measures.values():
        try:
            measures += parsed(row)
        except (SyntaxError, TypeError, ValueError):
            raise ValueError(
                f"the table's row {row!r} is not the text of a measure; describe the table's grid "
                "or list of measures instead"
            ) from None
    return measures


def _write_number(value: float) -> str:
    """Return a number as text; a large one without all its digits."""
    return repr(number(value)) if abs(value) < 1e16 else repr(float(value))


def _write_tex(value: float) -> str:
    digits, _, power = _write_number(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def _write_gains(weighting: Weighting) -> tuple[str, str]:
    """Return a weighting in words and as a formula."""
    table = PHRASES["gains"]
    empty = weighting.kind == "mapping" and not weighting.weights
    entry = table["level" if empty else weighting.kind]
    words = [(_write_number(level), _write_number(gain)) for level, gain in weighting.weights]
    tex = [(_write_tex(level), _write_tex(gain)) for level, gain in weighting.weights]
    pairs = [_fill(table["pair"], gain=gain, level=level) for level, gain in words]
    rows = [_fill(table["row"], gain=gain, level=level) for level, gain in tex]
    weights = ", ".join(gain for _, gain in words)
    levels = ", ".join(level for level, _ in tex)
    return (
        _fill(entry["words"], weights=weights, pairs=", ".join(pairs)),
        _fill(entry["formula"], rows=r" \\ ".join(rows), levels=levels),
    )


def _describe_one(known: Measure, *, listed: bool) -> _Parts | None:
    """Return what there is to say of a measure, alone or in a list; None if there are no words."""
    measure = as_cumulated_gain(known)
    name = "" if measure is None else measure.__name__
    if name not in PHRASES["measures"] or type(measure) is not type(MEASURES[name]):
        return None
    measure.validate_params()
    spec, of_session = measure.spec, isinstance(measure, SessionMeasure)
    source = PHRASES["measures"][name]
    lines = _write_value(measure) | (_session_lines(measure) if of_session else _topic_lines(spec))
    words, clauses = {}, []
    place = ["session"] * of_session + [f for f in ("avg_pos", "at_r") if getattr(spec, f)]
    if listed and not place and spec.cutoff is not None:
        name = f"{name}@{spec.cutoff}"
    else:
        phrase = "_".join(place) or ("all" if spec.cutoff is None else "cutoff")
        words[_fill(PHRASES["places"][phrase], cutoff=spec.cutoff)] = "place"
    if "discount" in measure.SUPPORTED_PARAMS:
        entry = PHRASES["discounts"][spec.discount]
        words[_fill(entry["words"], base=_write_number(spec.base))] = "part"
        lines["d(i)"] = _fill(entry["formula"], base=_write_tex(spec.base))
        if entry["up_to_base"] and spec.cutoff is not None and spec.cutoff <= spec.base:
            clauses.append(entry["up_to_base"])
    if of_session:
        entry = PHRASES["query_discounts"][spec.query_discount]
        words[_fill(entry["words"], bq=_write_number(spec.bq))] = "part"
        lines[r"d_{\mathrm{q}}(q)"] = _fill(entry["formula"], bq=_write_tex(spec.bq))
    gains, lines[r"g(\ell)"] = _write_gains(spec.gains)
    words[gains] = "part"
    if measure.NORMALISED:
        lines["I"] = PHRASES["formulas"]["I"]
    for clause, wording in PHRASES["clauses"].items():
        value = str(getattr(spec, clause))
        if value not in PHRASES["unsaid"] and clause in measure.SUPPORTED_PARAMS:
            phrase = wording.get(value) or wording["some"]
            words[_fill(phrase, **{clause: value})] = "clause"
    words |= dict.fromkeys(clauses, "clause")
    if measure.NAME == "nDCG":
        words[PHRASES["host"]] = "host"
    explained = {
        "session": of_session,
        "topic": not of_session,
        "doc_id": not of_session and spec.ties == "doc_id",
        "J": True,
        "judged_only": spec.judged_only,
        "at_r": spec.at_r,
        "I": measure.NORMALISED,
        "end": True,
    }
    symbols = [PHRASES["symbols"][key] for key, needed in explained.items() if needed]
    return _Parts(f"{name}{{{source}}}", words, lines, symbols)


def _write_value(measure: CumulatedGain) -> dict[str, str]:
    """Return the first line of a formula: the value, from the vectors."""
    formulas, averaged, name = PHRASES["formulas"], measure.spec.avg_pos, measure.__name__
    gain, ideal, end, rank = "G", "I", "k", "j"
    if isinstance(measure, SessionMeasure):
        gain, ideal, end, rank = "V", "V_I", "nk", "p"
    last = rank if averaged else end
    form, symbol = formulas[name.removeprefix("n")], rf"\mathrm{{{name}}}"
    value = _fill(form, vector=gain, last=last)
    if measure.NORMALISED:
        best = _fill(form, vector=ideal, last=last)
        value = _fill(formulas["normalised"], value=value, ideal=best)
    if averaged:
        symbol = rf"\overline{{{symbol}}}"
        value = _fill(formulas["avg_pos"], value=value, last=last, end=end)
    return {f"{symbol}@k": value}


def _topic_lines(spec: Spec) -> dict[str, str]:
    """Return the lines on the cutoff and the gain vector of CG, DCG, nCG or nDCG."""
    formulas = PHRASES["formulas"]
    rank = "k at_r" if spec.at_r else "k all" if spec.cutoff is None else "k"
    gain = "G average" if spec.ties == "average" else "G"
    gain += " judged_only" if spec.judged_only else ""
    return {
        "k": _fill(formulas[rank], cutoff=spec.cutoff),
        "G[i]": formulas[gain] + formulas["ties"][spec.ties],
    }


def _session_lines(measure: CumulatedGain) -> dict[str, str]:
    """Return the lines on the vectors, the cutoff and the queries of sDCG or nsDCG."""
    spec, formulas = measure.spec, PHRASES["formulas"]
    ideal = {"V_I[p]": formulas["V_I"][spec.duplicates]} if measure.NORMALISED else {}
    queries = "n" if spec.queries is None else "n queries"
    return {
        "V[p]": formulas["V"],
        **ideal,
        "k": _fill(formulas["k"], cutoff=spec.cutoff),
        "n": _fill(formulas[queries], queries=spec.queries),
        "G_q[i]": formulas["G_q"][spec.duplicates],
    }


def _cites(text: str, reference: dict[str, str]) -> bool:
    return reference["narrative"] in text or reference["parenthetical"] in text


def _join_words(items: Sequence[str], mark: str = ",") -> str:
    """Return ``a``, ``a and b`` or ``a, b, and c``; ``a, and b`` if a has a comma itself."""
    *rest, last = items
    if not rest:
        return last
    apart = len(rest) > 1 or mark == ";" or "," in rest[0]
    return f"{f'{mark} '.join(rest)}{mark if apart else ''} and {last}"


def _write_text(every: dict[str, _Parts], labels: Mapping[str, str], others: list[str]) -> str:
    """Return the text on measures, by their own texts: each of them, then what all share."""
    first, *more = every.values()
    shared = first.words.keys() & set.intersection(*({*p.words} for p in more)) if more else set()
    alike: dict[str, list[str]] = {}
    for text, parts in every.items():
        alike.setdefault(parts.write(parts.words.keys() - shared), []).append(text)
    items = []
    for said, texts in alike.items():
        called = [labels[text] for text in texts if text in labels]
        names = _join_words([every[text].name for text in texts])
        items.append(names + said + (f" ({', '.join(called)})" if called else ""))
    text = _join_words(items, ";" if any("," in item or " and " in item for item in items) else ",")
    if more:
        text = f"We report {_NUMBERS.get(len(every), len(every))} measures: {text}."
        which = "both" if len(every) == 2 else "all"
        said = first.write(shared)
        if said.startswith(_WHERE):
            text += f" For {which} of them, {said.removeprefix(_WHERE)}."
        elif said:
            text += f" {which.capitalize()} are computed{said}."
    elif others:
        text = f"We report {text}."
    text += f" We also report {_join_words(others)}." if others else ""
    for key, reference in PHRASES["references"].items():
        citation = "" if _cites(text, reference) else f" ({reference['parenthetical']})"
        text = text.replace(f"{{{key}}}", citation, 1).replace(f"{{{key}}}", "")
    return text


def _write_lines(every: Iterable[_Parts]) -> tuple[list[str], bool]:
    """Return the lines of the formula, and whether symbols in it have numbers."""
    sides: dict[str, dict[str, None]] = {next(iter(parts.lines)): {} for parts in every}
    for left, right in [line for parts in every for line in parts.lines.items()]:
        sides.setdefault(left, {})[right] = None
    lines, numbered = [], False
    for left, rights in sides.items():
        if len(rights) == 1:
            lines.append(f"{left} &= {next(iter(rights))}")
        elif left == "k":
            among = r", \; ".join(rights)
            lines.append(rf"k &\in \left\{{ {among} \right\}}")
        else:
            numbered = True
            symbol, *argument = re.split(r"(?=[(\[])", left)
            for i, right in enumerate(rights, 1):
                lines.append(f"{symbol}^{{({i})}}{''.join(argument)} &= {right}")
    return lines, numbered
