"""What a paper says of a measure: the sentence, the formula, the references.

Everything that is said stands in :data:`PHRASES`, as data with named places, so that a program in
another language can say the same; see :func:`phrases`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ir_measures import Measure

from pt_cumgain.analysis.grids import Grid
from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.hosts.ir_measures import as_cumulated_gain
from pt_cumgain.inputs.arguments import parsed
from pt_cumgain.measures import MEASURES, CumulatedGain, SessionMeasure, Spec
from pt_cumgain.presentation.tables import PaperTable
from pt_cumgain.weighting import Weighting, number

_SIGIR = "Annual International {ACM} {SIGIR} Conference on Research and Development in Information"
_ECIR = """\
  booktitle = {Proceedings of the 30th European Conference on Information Retrieval ({ECIR} 2008)},
  series    = {Lecture Notes in Computer Science},
  volume    = {4956},"""

#: Every phrase and formula of a description; :func:`phrases` says how they are put together.
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
        "empty mapping": {
            "words": "gains that a mapping leaves equal to the relevance levels",
            "formula": r"\max(\ell, 0)",
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
        "normalised": r"\frac{{value}}{{ideal}}",
        "avg_pos": r"\frac{1}{k} \sum_{j=1}^{k} {value}",
        "session": "V[nk]",
        "session normalised": r"\frac{V[nk]}{V_I[nk]}",
        "session avg_pos": r"\frac{1}{nk} \sum_{p=1}^{nk} V[p]",
        "session avg_pos normalised": r"\frac{1}{nk} \sum_{p=1}^{nk} \frac{V[p]}{V_I[p]}",
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
        "topic": r"$x_i$ is the document that the run has at rank $i$, by descending score $s$",
        "doc_id": "documents with equal scores by descending id",
        "J": r"$J$ are the judged documents of the topic, and $\ell(x)$ is the relevance level "
        "of $x$",
        "judged_only": "negative levels that the gains do not name are not judgments",
        "I": r"$I$ are the positive gains of $J$ in descending order, and the value is 0 where "
        "there are none",
        "at_r": "the value is 0 where $k$ is 0",
        "end": "vectors are 0 past their ends",
        "numbers": "numbers in brackets follow the order in which the text first names the "
        "alternatives",
        "session": r"$x_{q,i}$ is the document at rank $i$, by descending score and then by "
        r"descending id, of the $q$-th of the session's $N$ queries; $1 \le q \le n$ and "
        r"$1 \le i \le k$",
    },
    "references": {
        "jarvelin2000": {
            "narrative": "Järvelin and Kekäläinen (2000)",
            "parenthetical": "Järvelin and Kekäläinen, 2000",
            "bibtex": r"""@inproceedings{jarvelin2000,
  author    = {J{\"a}rvelin, Kalervo and Kek{\"a}l{\"a}inen, Jaana},
  title     = {{IR} evaluation methods for retrieving highly relevant documents},
  booktitle = {Proceedings of the 23rd """
            + _SIGIR
            + r""" Retrieval},
  publisher = {ACM},
  pages     = {41--48},
  year      = {2000}
}""",
        },
        "jarvelin2002": {
            "narrative": "Järvelin and Kekäläinen (2002)",
            "parenthetical": "Järvelin and Kekäläinen, 2002",
            "bibtex": r"""@article{jarvelin2002,
  author    = {J{\"a}rvelin, Kalervo and Kek{\"a}l{\"a}inen, Jaana},
  title     = {Cumulated gain-based evaluation of {IR} techniques},
  journal   = {{ACM} Transactions on Information Systems},
  volume    = {20},
  number    = {4},
  pages     = {422--446},
  year      = {2002},
  doi       = {10.1145/582415.582418}
}""",
        },
        "kekalainen2005": {
            "narrative": "Kekäläinen (2005)",
            "parenthetical": "Kekäläinen, 2005",
            "bibtex": r"""@article{kekalainen2005,
  author    = {Kek{\"a}l{\"a}inen, Jaana},
  title     = {Binary and graded relevance in {IR} evaluations. Comparison of the effects on
               ranking of {IR} systems},
  journal   = {Information Processing \& Management},
  volume    = {41},
  number    = {5},
  pages     = {1019--1033},
  year      = {2005},
  doi       = {10.1016/j.ipm.2005.01.004}
}""",
        },
        "jarvelin2008": {
            "narrative": "Järvelin et al. (2008)",
            "parenthetical": "Järvelin et al., 2008",
            "bibtex": r"""@inproceedings{jarvelin2008,
  author    = {J{\"a}rvelin, Kalervo and Price, Susan L. and Delcambre, Lois M. L. and
               Nielsen, Marianne Lykke},
  title     = {Discounted cumulated gain based evaluation of multiple-query {IR} sessions},
"""
            + _ECIR
            + r"""
  publisher = {Springer},
  pages     = {4--15},
  year      = {2008}
}""",
        },
        "kanoulas2011": {
            "narrative": "Kanoulas et al. (2011)",
            "parenthetical": "Kanoulas et al., 2011",
            "bibtex": r"""@inproceedings{kanoulas2011,
  author    = {Kanoulas, Evangelos and Carterette, Ben and Clough, Paul D. and Sanderson, Mark},
  title     = {Evaluating multi-query sessions},
  booktitle = {Proceedings of the 34th """
            + _SIGIR.replace("Annual ", "")
            + r""" Retrieval},
  publisher = {ACM},
  pages     = {1053--1062},
  year      = {2011}
}""",
        },
        "burges2005": {
            "narrative": "Burges et al. (2005)",
            "parenthetical": "Burges et al., 2005",
            "bibtex": r"""@inproceedings{burges2005,
  author    = {Burges, Chris and Shaked, Tal and Renshaw, Erin and Lazier, Ari and Deeds, Matt and
               Hamilton, Nicole and Hullender, Greg},
  title     = {Learning to rank using gradient descent},
  booktitle = {Proceedings of the 22nd International Conference on Machine Learning ({ICML} 2005)},
  publisher = {ACM},
  pages     = {89--96},
  year      = {2005}
}""",
        },
        "mcsherry2008": {
            "narrative": "McSherry and Najork (2008)",
            "parenthetical": "McSherry and Najork, 2008",
            "bibtex": r"""@inproceedings{mcsherry2008,
  author    = {McSherry, Frank and Najork, Marc},
  title     = {Computing information retrieval performance measures efficiently in the presence of
               tied scores},
"""
            + _ECIR
            + r"""
  publisher = {Springer},
  pages     = {414--421},
  year      = {2008}
}""",
        },
    },
}


@dataclass(frozen=True, repr=False)
class Description:
    r"""What a paper says of a measure, or of several; made by :func:`describe`.

    Attributes
    ----------
    text
        The sentence, or of several measures some sentences. LaTeX takes it as
        it is, if it takes the labels of a grid.
    formula
        What is computed, in LaTeX: to be put between ``\[`` and ``\]``, with the package amsmath.
    symbols
        What the formula's symbols mean, as a sentence in LaTeX.
    bibtex
        The entries of what the sentence cites.
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
    """What there is to say of one measure."""

    name: str  # with the key of its paper in braces
    place: str
    parts: tuple[str, ...]
    clauses: tuple[str, ...]
    host: str
    lines: tuple[tuple[str, str], ...]  # the formula's left and right sides
    symbols: tuple[str, ...]

    def words(self) -> set[str]:
        """Return everything that is said after the name."""
        return {self.place, *self.parts, *self.clauses, self.host}

    def say(self, words: set[str]) -> str:
        """Return those of the words that are asked for, as they follow the name."""
        parts, clauses = ([one for one in of if one in words] for of in (self.parts, self.clauses))
        text = f" {self.place}" if self.place and self.place in words else ""
        text += f" with {_joined(parts)}" if parts else ""
        text += f"{_WHERE}{_joined(clauses)}" if clauses else ""
        return text + (self.host if self.host in words else "")


def describe(measure: Measure | str | Iterable[Measure | str] | PaperTable) -> Description:
    r"""Return what a paper says of a measure: sentence, formula, references.

    The name nDCG means several formulas in the literature; the description says
    which one it is.

    Parameters
    ----------
    measure
        A measure of this package, or its text. Several, in a list, a
        :func:`pt_cumgain.grid` or a table of :func:`pt_cumgain.paper_table`,
        have one description: a sentence that lists them, a grid's with their
        labels, and one on what they all share. A table is described if its rows
        are called by the measures' texts. Other measures have no description
        here: they are refused alone, and named beside measures that have one.

    Returns
    -------
    Description
        ``text``, ``formula`` (LaTeX), ``symbols`` (what the formula's symbols
        mean) and ``bibtex`` (the entries of what the text cites).

    Raises
    ------
    TypeError, ValueError
        If no measure has a description here, or one cannot be used (``avg_pos``
        without cutoff).

    Examples
    --------
    >>> found = describe("nDCG(gains='0-1-10-100',discount='original',base=10)@100")
    >>> print(found.text)  # doctest: -NORMALIZE_WHITESPACE
    nDCG at rank 100 with the discount of Järvelin and Kekäläinen (2002), base 10, and gains 0, 1, 10, 100
    >>> print(found.bibtex.splitlines()[0])
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
        measure = _measures(measure)
    elif isinstance(measure, Grid):
        labels = measure.labels
    known = {str(m): m for m in parsed(measure)}
    described = {text: _parts(m, listed=len(known) > 1) for text, m in known.items()}
    every = {text: parts for text, parts in described.items() if parts is not None}
    others = [text for text in known if text not in every]
    if not every:
        which = f"{others[0]} has no description here" if others else "there is no measure"
        raise ValueError(f"{which}; {_joined(list(PHRASES['measures']))} have one")
    text = _sentence(every, labels, others)
    lines, numbered = _lines(list(every.values()))
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

    In a phrase ``{name}`` is a place that the value of that name takes, also within LaTeX:
    ``\log_{{base}} i`` becomes ``\log_{10} i``. Other braces are LaTeX's own.

    The sentence of CG, DCG, nCG or nDCG is made as follows:

    1. ``places``: ``cutoff``, ``all`` (no cutoff) or ``at_r``; ``avg_pos`` and ``avg_pos_at_r``
       with that parameter.
    2. The parts: for DCG and nDCG the words of the discount in ``discounts``, with ``{base}``; then
       the words of the weighting in ``gains``: ``level`` without one; ``scheme`` with
       ``{weights}``, the weights joined by ``", "``; ``mapping`` with ``{pairs}``, each a
       ``pair``, by level and joined by ``", "``; ``exp``.
    3. The measure's name, the place and the parts go into ``sentence``. Two parts are joined by
       ``" and "``, or by ``", and "`` if the first has a comma.
    4. The clauses follow ``", where "``: that of ``judged_only``, that of ``ties``, and
       ``up_to_base`` of the discount if the cutoff is at most the base. Those of the values in
       ``unsaid``, the defaults, are left out. Two are joined as two parts are, three by ``", "``
       and ``", and "``.
    5. ``host`` ends the sentence of an nDCG that has no parameter beyond ir-measures' own. The page
       leaves it out, because it computes every value itself.
    6. The measure's own reference is that of ``measures``. If the sentence has neither its
       ``narrative`` nor its ``parenthetical`` form, the latter follows the name, in brackets.

    The references to list are those with a form in the finished sentence. The formula of nDCG is
    ``normalised`` with the formula of ``DCG``, once for the vector G and once for I, as ``{value}``
    and ``{ideal}``; ``{last}`` is k, and with ``avg_pos``, whose ``{value}`` it then is, j.
    """
    return deepcopy(PHRASES)


def _fill(phrase: str, **values: object) -> str:
    for name, value in values.items():
        phrase = phrase.replace(f"{{{name}}}", str(value))
    return phrase


def _measures(table: PaperTable) -> list[Measure]:
    """Return the measures of a table, or say why they are not known."""
    found: list[Measure] = []
    for row in table.measures.values():
        try:
            found += parsed(row)
        except (SyntaxError, TypeError, ValueError):
            raise ValueError(
                f"the table's row {row!r} is not the text of a measure; describe the grid or the "
                "list of measures that the table is of"
            ) from None
    return found


def _words(value: float) -> str:
    """Return a number as text; a large one without all its digits."""
    return repr(number(value)) if abs(value) < 1e16 else repr(float(value))


def _tex(value: float) -> str:
    digits, _, power = _words(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def _gains(weighting: Weighting) -> tuple[str, str]:
    """Return a weighting in words and as a formula."""
    table = PHRASES["gains"]
    empty = weighting.kind == "mapping" and not weighting.weights
    entry = table["empty mapping" if empty else weighting.kind]
    pairs = [
        _fill(table["pair"], gain=_words(gain), level=_words(level))
        for level, gain in weighting.weights
    ]
    rows = [_fill(table["row"], gain=_tex(g), level=_tex(level)) for level, g in weighting.weights]
    words = _fill(
        entry["words"],
        weights=", ".join(_words(gain) for _, gain in weighting.weights),
        pairs=", ".join(pairs),
    )
    levels = ", ".join(_tex(level) for level, _ in weighting.weights)
    return words, _fill(entry["formula"], rows=r" \\ ".join(rows), levels=levels)


def _parts(known: Measure, *, listed: bool) -> _Parts | None:
    """Return what there is to say of a measure, alone or in a list; None if there are no words."""
    measure = as_cumulated_gain(known)
    name = "" if measure is None else measure.__name__
    if name not in PHRASES["measures"] or type(measure) is not type(MEASURES[name]):
        return None
    measure.validate_params()
    spec, source = measure.spec, PHRASES["measures"][name]
    if spec.unjudged or spec.padding != Spec.padding:
        return None
    gains, gain_formula = _gains(spec.gains)
    parts, clauses, lines = [gains], [], [(r"g(\ell)", gain_formula)]
    if isinstance(measure, SessionMeasure):
        place, head, symbols = _of_sessions(measure)
        entry = PHRASES["query_discounts"][spec.query_discount]
        parts.insert(0, _fill(entry["words"], bq=_words(spec.bq)))
        lines.insert(0, (r"d_{\mathrm{q}}(q)", _fill(entry["formula"], bq=_tex(spec.bq))))
    else:
        place, head, symbols = _of_topics(measure)
    for clause in ("judged_only", "ties", "duplicates", "queries"):
        value, wording = str(getattr(spec, clause)), PHRASES["clauses"][clause]
        if clause in measure.SUPPORTED_PARAMS and value not in PHRASES["unsaid"]:
            clauses.append(_fill(wording.get(value) or wording["some"], **{clause: value}))
    if "discount" in measure.SUPPORTED_PARAMS:
        entry = PHRASES["discounts"][spec.discount]
        parts.insert(0, _fill(entry["words"], base=_words(spec.base)))
        lines.insert(0, ("d(i)", _fill(entry["formula"], base=_tex(spec.base))))
        if entry["up_to_base"] and spec.cutoff is not None and spec.cutoff <= spec.base:
            clauses.append(entry["up_to_base"])
    if measure.NORMALISED:
        lines.append(("I", PHRASES["formulas"]["I"]))
        symbols.append(PHRASES["symbols"]["I"])
    symbols.append(PHRASES["symbols"]["end"])
    if listed and place == _fill(PHRASES["places"]["cutoff"], cutoff=spec.cutoff):
        name, place = f"{name}@{spec.cutoff}", ""
    return _Parts(
        name=f"{name}{{{source}}}",
        place=place,
        parts=tuple(parts),
        clauses=tuple(clauses),
        host=PHRASES["host"] if measure.NAME == "nDCG" else "",
        lines=(*head, *lines),
        symbols=tuple(symbols),
    )


def _of_topics(measure: CumulatedGain) -> tuple[str, list[tuple[str, str]], list[str]]:
    """Return the place, the formula's first lines and its symbols, of CG, DCG, nCG or nDCG."""
    spec, formulas, meant = measure.spec, PHRASES["formulas"], PHRASES["symbols"]
    name = measure.__name__
    whole = "at_r" if spec.at_r else "all" if spec.cutoff is None else "cutoff"
    key = whole if not spec.avg_pos else "avg_pos_at_r" if spec.at_r else "avg_pos"
    last = "j" if spec.avg_pos else "k"
    vector = formulas[name.removeprefix("n")]
    value = _fill(vector, last=last, vector="G")
    if measure.NORMALISED:
        ideal = _fill(vector, last=last, vector="I")
        value = _fill(formulas["normalised"], value=value, ideal=ideal)
    if spec.avg_pos:
        value = _fill(formulas["avg_pos"], value=value)
    rank = formulas["k" if whole == "cutoff" else f"k {whole}"]
    gain = ["G"]
    gain += ["average"] if spec.ties == "average" else []
    gain += ["judged_only"] if spec.judged_only else []
    lines = [
        (_head(name, spec.avg_pos), value),
        ("k", _fill(rank, cutoff=spec.cutoff)),
        ("G[i]", formulas[" ".join(gain)] + formulas["ties"][spec.ties]),
    ]
    symbols = [meant["topic"]]
    symbols += [meant["doc_id"]] if spec.ties == "doc_id" else []
    symbols += [meant["J"]]
    symbols += [meant[flag] for flag in ("judged_only", "at_r") if getattr(spec, flag)]
    return _fill(PHRASES["places"][key], cutoff=spec.cutoff), lines, symbols


def _of_sessions(measure: SessionMeasure) -> tuple[str, list[tuple[str, str]], list[str]]:
    """Return the place, the formula's first lines and its symbols, of sDCG or nsDCG."""
    spec, formulas, meant = measure.spec, PHRASES["formulas"], PHRASES["symbols"]
    key = "session_avg_pos" if spec.avg_pos else "session"
    form = key.replace("_", " ", 1) + (" normalised" if measure.NORMALISED else "")
    queries = "n" if spec.queries is None else "n queries"
    lines = [(_head(measure.__name__, spec.avg_pos), formulas[form]), ("V[p]", formulas["V"])]
    if measure.NORMALISED:
        lines.append(("V_I[p]", formulas["V_I"][spec.duplicates]))
    lines += [
        ("k", _fill(formulas["k"], cutoff=spec.cutoff)),
        ("n", _fill(formulas[queries], queries=spec.queries)),
        ("G_q[i]", formulas["G_q"][spec.duplicates]),
    ]
    place = _fill(PHRASES["places"][key], cutoff=spec.cutoff)
    return place, lines, [meant["session"], meant["J"]]


def _head(name: str, averaged: bool) -> str:
    symbol = rf"\mathrm{{{name}}}"
    return rf"\overline{{{symbol}}}@k" if averaged else f"{symbol}@k"


def _cites(text: str, reference: dict[str, str]) -> bool:
    return reference["narrative"] in text or reference["parenthetical"] in text


def _joined(items: Sequence[str], mark: str = ",") -> str:
    """Return ``a``, ``a and b`` or ``a, b, and c``; ``a, and b`` if a has a comma itself."""
    *rest, last = items
    if not rest:
        return last
    apart = len(rest) > 1 or mark == ";" or "," in rest[0]
    return f"{f'{mark} '.join(rest)}{mark if apart else ''} and {last}"


def _sentence(every: dict[str, _Parts], labels: Mapping[str, str], others: list[str]) -> str:
    """Return the text on measures, by their own texts: each of them, then what all share."""
    first, *more = every.values()
    shared = {*first.words()}.intersection(*(parts.words() for parts in more)) if more else set()
    alike: dict[str, list[str]] = {}
    for text, parts in every.items():
        alike.setdefault(parts.say(parts.words() - shared), []).append(text)
    items = []
    for said, texts in alike.items():
        known = [labels[text] for text in texts if text in labels]
        names = _joined([every[text].name for text in texts])
        items.append(names + said + (f" ({', '.join(known)})" if known else ""))
    text = _joined(items, ";" if any("," in item or " and " in item for item in items) else ",")
    if more:
        text = f"We report {_NUMBERS.get(len(every), len(every))} measures: {text}."
        which = "both" if len(every) == 2 else "all"
        said = first.say(shared)
        if said.startswith(_WHERE):
            text += f" For {which} of them, {said.removeprefix(_WHERE)}."
        elif said:
            text += f" {which.capitalize()} are computed{said}."
    elif others:
        text = f"We report {text}."
    text += f" We also report {_joined(others)}." if others else ""
    for key, reference in PHRASES["references"].items():
        cited = "" if _cites(text, reference) else f" ({reference['parenthetical']})"
        text = text.replace(f"{{{key}}}", cited, 1).replace(f"{{{key}}}", "")
    return text


def _lines(every: Iterable[_Parts]) -> tuple[list[str], bool]:
    """Return the lines of the formula, and whether symbols in it have numbers."""
    sides: dict[str, dict[str, None]] = {parts.lines[0][0]: {} for parts in every}
    for left, right in [line for parts in every for line in parts.lines]:
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
