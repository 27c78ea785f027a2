"""What a paper says of a measure: the sentence, the formula, the references.

Everything that is said stands in :data:`PHRASES`, as data with named places, so that a program in
another language can say the same; see :func:`phrases`.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ir_measures import Measure

from pt_cumgain.analysis.grids import Grid
from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.hosts.ir_measures import ours
from pt_cumgain.inputs.arguments import parsed
from pt_cumgain.measures import MEASURES, CumulatedGain, SessionMeasure
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
        "all": "of the whole ranking",
        "at_r": "at each topic's own rank R (the number of its documents with a positive gain, "
        "after Kekäläinen, 2005)",
        "avg_pos": "averaged over the ranks 1 to {cutoff}",
        "avg_pos_at_r": "averaged over the ranks 1 to each topic's own R (the number of its "
        "documents with a positive gain, after Kekäläinen, 2005)",
        "session": "over the first {cutoff} documents of each query of a session",
        "session_avg_pos": "averaged over the positions of a session, the first {cutoff} documents "
        "of each query,",
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
            "words": "gains {pairs}, and of any other level the level itself",
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
            "False": "documents without a judgment keep their ranks",
            "True": "documents without a judgment are left out before ranking",
        },
        "ties": {
            "doc_id": "documents of equal score rank by descending id",
            "average": "documents of equal score count with the mean over all their orders "
            "(McSherry and Najork, 2008)",
            "best": "documents of equal score rank in descending order of gain",
            "worst": "documents of equal score rank in ascending order of gain",
        },
        "duplicates": {
            "count": "a document counts each time that a query returns it",
            "first": "a document that several queries return counts only the first time",
        },
        "queries": {
            "None": "all queries of a session count",
            "some": "only the first {queries} queries of a session count",
        },
        "host": "computed by ir-measures",
    },
    "unsaid": ["False", "doc_id", "None"],
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
        "doc_id": "documents of equal score by descending id",
        "J": r"$J$ are the judged documents of the topic, and $\ell(x)$ is the relevance level "
        "of $x$",
        "judged_only": "negative levels that the gains do not name are not judgments",
        "I": r"$I$ are the positive gains of $J$ in descending order, and the value is 0 where "
        "there are none",
        "at_r": "the value is 0 where $k$ is 0",
        "end": "vectors are 0 past their ends",
        "marks": "where functions have superscripts, each measure has one of them; numbers follow "
        "the order of the text",
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
        The sentence, which LaTeX takes as it is.
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


@dataclass(frozen=True)
class _Parts:
    """What there is to say of one measure."""

    name: str
    place: str
    discount: str | None
    query_discount: str | None
    gains: str
    judged_only: str | None
    ties: str | None
    duplicates: str | None
    queries: str | None
    unsaid: frozenset[str]
    up_to_base: str
    host: bool
    lines: tuple[tuple[str, str], ...]  # the formula's left and right sides
    symbols: tuple[str, ...]


#: What a measure's sentence has in a row, and the left sides of its lines in the formula, with a
#: place for the mark of one of several.
_PARTS = {
    "discount": r"d{mark}(i)",
    "query_discount": r"d_{\mathrm{q}}{mark}(q)",
    "gains": r"g{mark}(\ell)",
}

_CLAUSES = ("judged_only", "ties", "duplicates", "queries")

#: In what measures differ, and the verb with which several have it, or one.
_CHOICES = {
    **dict.fromkeys(_PARTS, ("have", "has")),
    "place": ("are taken", "is taken"),
    **dict.fromkeys(_CLAUSES, ("take it that", "takes it that")),
}


def describe(measure: Measure | str | Iterable[Measure | str] | PaperTable) -> Description:
    r"""Return what a paper says of a measure: sentence, formula, references.

    The name nDCG means several formulas in the literature; the description says
    which one it is.

    Parameters
    ----------
    measure
        A measure of this package, or its text. Several, in a list, a
        :func:`pt_cumgain.grid` or a table of :func:`pt_cumgain.paper_table`,
        have one description, which says what they share and in what they
        differ; a grid's labels stand beside what they mean. A table is
        described if its rows are called by the measures' texts. Other measures
        of ir-measures have no description here: one alone is refused, and
        beside measures of this package its name is given.

    Returns
    -------
    Description
        ``text``, ``formula`` (LaTeX), ``symbols`` (what the formula's symbols
        mean) and ``bibtex`` (the entries of what the text cites).

    Raises
    ------
    TypeError, ValueError
        If there is no measure of this package, or one cannot be used
        (``avg_pos`` without cutoff).

    Examples
    --------
    >>> found = describe("nDCG(gains='0-1-10-100',discount='original',base=10)@100")
    >>> print(found.text)  # doctest: -NORMALIZE_WHITESPACE
    nDCG at rank 100 with the discount of Järvelin and Kekäläinen (2002), base 10, and gains 0, 1, 10, 100
    >>> print(found.bibtex.splitlines()[0])
    @article{jarvelin2002,
    >>> print(describe("nDCG@10").text)
    nDCG (Järvelin and Kekäläinen, 2002) at rank 10 with the discount log2(rank + 1), and gains
    equal to the relevance levels; computed by ir-measures
    >>> from pt_cumgain import grid
    >>> print(describe(grid("nCG", gains={"w1": "0-1-1", "w9": "0-1-9"}, cutoffs=5)).text)
    nCG (Järvelin and Kekäläinen, 2002) at rank 5. The 2 measures have gains 0, 1, 1 (w1) or gains
    0, 1, 9 (w9).
    """  # noqa: E501
    labels: dict[str, str] = {}
    if isinstance(measure, PaperTable):
        labels = {text: label for label, text in measure.measures.items() if label != text}
        given = _measures(measure)
    else:
        labels = measure.labels if isinstance(measure, Grid) else {}
        given = parsed(measure)
    mine = {text: known for m in given if (known := ours(m)) is not None and (text := str(known))}
    others = list(dict.fromkeys(str(m) for m in given if ours(m) is None))
    if not mine:
        names = ", ".join(MEASURES)
        which = f"{others[0]} is not a measure of this package" if others else "there is no measure"
        raise ValueError(f"{which}; {names} have a description")
    every = [_parts(m) for m in mine.values()]
    marks: dict[str, dict[str, str]] = {}
    if len(every) == 1:
        text = _sentence(every[0])
    else:
        text, marks = _several(every, [labels.get(text, "") for text in mine])
    if others:
        full_stop = "" if text.endswith(".") else "."
        text += f"{full_stop} Beside {'it' if len(every) == 1 else 'them'}: {', '.join(others)}."
    symbols = dict.fromkeys(symbol for parts in every for symbol in parts.symbols)
    if not marks.keys().isdisjoint(_PARTS):
        symbols[PHRASES["symbols"]["marks"]] = None
    body = " \\\\\n".join(_lines(every, marks))
    entries = [entry["bibtex"] for entry in _cited(text)]
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

    The sentence of CG, DCG, nCG or nDCG is made so:

    1. ``places``: ``cutoff``, ``all`` (no cutoff) or ``at_r``; ``avg_pos`` and ``avg_pos_at_r``
       with that parameter.
    2. The parts: for DCG and nDCG the words of the discount in ``discounts``, with ``{base}``; and
       the words of the weighting in ``gains``: ``level`` where none is given; ``scheme`` with
       ``{weights}``, the weights joined by ``", "``; ``mapping`` with ``{pairs}``, each a
       ``pair``, by level and joined by ``", "``; ``exp``. Two parts are joined by ``", and "``.
    3. These and the measure's name go into ``sentence``.
    4. The clauses follow, in this order, each after ``"; "``: that of ``judged_only``, that of
       ``ties``, ``up_to_base`` of the discount where the cutoff is at most the base, and ``host``
       for nDCG without a parameter that ir-measures does not have (the page leaves it out, because
       it computes every value itself). Those of the values in ``unsaid``, the defaults, are left
       out.
    5. The measure's own reference is that of ``measures``. If the sentence has neither its
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


def _parts(measure: CumulatedGain) -> _Parts:
    """Return what there is to say of a measure."""
    name = measure.__name__
    if MEASURES.get(name) is None or type(measure) is not type(MEASURES[name]):
        raise ValueError(
            f"{measure} is not one of {', '.join(MEASURES)}, and has no words here; describe it in "
            "your own"
        )
    measure.validate_params()
    spec = measure.spec
    gains, gain_formula = _gains(spec.gains)
    discount = query_discount = None
    up_to_base = ""
    lines = []
    if "discount" in measure.SUPPORTED_PARAMS:
        entry = PHRASES["discounts"][spec.discount]
        discount = _fill(entry["words"], base=_words(spec.base))
        lines.append((_PARTS["discount"], _fill(entry["formula"], base=_tex(spec.base))))
        if spec.cutoff is not None and spec.cutoff <= spec.base:
            up_to_base = entry["up_to_base"]
    if isinstance(measure, SessionMeasure):
        entry = PHRASES["query_discounts"][spec.query_discount]
        query_discount = _fill(entry["words"], bq=_words(spec.bq))
        lines.append((_PARTS["query_discount"], _fill(entry["formula"], bq=_tex(spec.bq))))
        place, head, symbols = _of_sessions(measure)
    else:
        place, head, symbols = _of_topics(measure)
    clauses: dict[str, str | None] = dict.fromkeys(_CLAUSES)
    unsaid = []
    for clause in clauses.keys() & measure.SUPPORTED_PARAMS.keys():
        value, known = str(getattr(spec, clause)), PHRASES["clauses"][clause]
        said = clauses[clause] = _fill(known.get(value) or known["some"], **{clause: value})
        unsaid += [said] if value in PHRASES["unsaid"] else []
    lines.append((_PARTS["gains"], gain_formula))
    if measure.NORMALISED:
        lines.append(("I", PHRASES["formulas"]["I"]))
        symbols.append(PHRASES["symbols"]["I"])
    symbols.append(PHRASES["symbols"]["end"])
    return _Parts(
        name=measure.__name__,
        place=place,
        discount=discount,
        query_discount=query_discount,
        gains=gains,
        **clauses,
        unsaid=frozenset(unsaid),
        up_to_base=up_to_base,
        host=measure.NAME == "nDCG",
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


def _cited(text: str) -> list[dict[str, str]]:
    """Return the references that a text cites."""
    return [
        reference
        for reference in PHRASES["references"].values()
        if reference["narrative"] in text or reference["parenthetical"] in text
    ]


def _named(names: Sequence[str], rest: str) -> str:
    """Return the names of measures, with their references if the rest does not cite them."""
    of_source: dict[str, list[str]] = {}
    for name in names:
        of_source.setdefault(PHRASES["measures"][name], []).append(name)
    cited, said = _cited(rest), []
    for source, of_it in of_source.items():
        reference = PHRASES["references"][source]
        said.append(
            _joined(of_it) + ("" if reference in cited else f" ({reference['parenthetical']})")
        )
    return _row(said)


def _joined(items: Sequence[str], word: str = "and") -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), items[-1]]))


def _row(items: Sequence[str]) -> str:
    """Return parts that have commas themselves: ``a, and b`` or ``a, b, and c``."""
    return ", and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))


def _sentence(parts: _Parts) -> str:
    said = [said for part in _PARTS if (said := getattr(parts, part)) is not None]
    sentence = _fill(PHRASES["sentence"], place=parts.place, parts=_row(said))
    clauses = [_of_some([parts], clause, [parts.name]) for clause in _CLAUSES]
    clauses.append(parts.up_to_base)
    clauses += [PHRASES["clauses"]["host"]] if parts.host else []
    sentence = "; ".join([sentence, *filter(None, clauses)])
    return _fill(sentence, measure=_named([parts.name], sentence))


def _several(every: list[_Parts], labels: list[str]) -> tuple[str, dict[str, dict[str, str]]]:
    """Return the text of several measures, and the marks of what differs, by what it is.

    What they share is said once, then what differs: as choices, where every combination is there,
    or else measure by measure.
    """
    names = list(dict.fromkeys(parts.name for parts in every))
    marks = {
        choice: marks for choice in _CHOICES if len(marks := _marks(every, choice, labels)) > 1
    }
    parts_shared = [part for part in _PARTS if part not in marks]
    clauses_shared = [clause for clause in _CLAUSES if clause not in marks]
    shared = [_of_some(every, part, names) for part in parts_shared]
    text = "" if "place" in marks else f" {every[0].place}"
    text += f" with {_row(said)}" if (said := list(filter(None, shared))) else ""
    clauses = [_of_some(every, clause, names) for clause in clauses_shared]
    if all(parts.host for parts in every):
        clauses.append(PHRASES["clauses"]["host"])
    text = "; ".join([text, *filter(None, clauses)])
    if marks:
        combined = _combined(every, names, marks)
        text += f". The {len(every)} measures {combined or _in_turn(every, labels, marks)}."
    clauses_of = {
        str(p.discount).partition(", base ")[0]: p.up_to_base for p in every if p.up_to_base
    }
    for discount, clause in clauses_of.items():
        text = f"{text.removesuffix('.')}. With {discount}, {clause}."
    if any(parts.host for parts in every) and not all(parts.host for parts in every):
        theirs = [label for parts, label in zip(every, labels) if parts.host and label]
        subject = _joined(theirs or ["Plain nDCG"])
        verb = "are" if len(theirs) > 1 else "is"
        text = f"{text.removesuffix('.')}. {subject} {verb} {PHRASES['clauses']['host']}."
    return _named(names, text) + text, marks


def _of_some(every: list[_Parts], choice: str, names: list[str]) -> str:
    """Return what all measures share that have a choice, and which have it if others do not."""
    having = {parts.name: getattr(parts, choice) for parts in every}
    having = {name: value for name, value in having.items() if value is not None}
    value = next(iter(having.values()), "")
    if any(value in parts.unsaid for parts in every):
        return ""
    return value if len(having) in (0, len(names)) else f"{value} (of {_joined(list(having))})"


def _marks(every: list[_Parts], choice: str, labels: list[str]) -> dict[str, str]:
    """Return the values that measures have of a choice, each with the words of their labels for it.

    Without labels that tell them apart they have no words.
    """
    words: dict[str, list[list[str]]] = {}
    for parts, label in zip(every, labels):
        if (value := getattr(parts, choice)) is not None:
            words.setdefault(value, []).append(label.split())
    everyone = [label for found in words.values() for label in found]
    marks = {}
    for value, (first, *more) in words.items():
        own = [word for word in first if all(word in label for label in more)]
        marks[value] = " ".join(w for w in own if not all(w in label for label in everyone))
    if len(set(marks.values())) == len(marks) and "" not in marks.values():
        return marks
    return dict.fromkeys(marks, "")


def _said(value: str, mark: str) -> str:
    """Return one of several values, with its mark."""
    return f"{value} ({mark})" if mark else value


def _either(marks: dict[str, str]) -> str:
    """Return several values, with their marks; of discounts with more than one base all bases."""
    said, before = [], ""
    for value, mark in marks.items():
        stem, base, number = value.partition(", base ")
        again = base and stem == before
        said.append(_said(f"base {number}" if again else value, mark))
        before = stem
    return _joined(said, "or")


def _combined(
    every: list[_Parts], names: list[str], marks: dict[str, dict[str, str]]
) -> str | None:
    """Return what measures have that are all combinations of some choices; None for others."""
    found: dict[str, dict[str, set[str]]] = {choice: {} for choice in marks}
    for parts in every:
        for choice in marks:
            if (value := getattr(parts, choice)) is not None:
                found[choice].setdefault(parts.name, set()).add(value)
    for name in names:
        of_name = [values[name] for values in found.values() if name in values]
        if sum(parts.name == name for parts in every) != math.prod(map(len, of_name)):
            return None
    said = {}
    for choice, by_name in found.items():
        if any(values != marks[choice].keys() for values in by_name.values()):
            return None
        said[choice] = [name for name in names if name in by_name], _either(marks[choice])
    of_all = [f"{_CHOICES[c][0]} {words}" for c, (having, words) in said.items() if having == names]
    of_some = [
        f"{_joined(having)} {_CHOICES[c][len(having) == 1]} {words}"
        for c, (having, words) in said.items()
        if having != names
    ]
    text = "; ".join([_row(of_all) if of_all else "differ", *of_some])
    return f"{text}; every combination is among them" if len(said) > 1 else text


def _in_turn(every: list[_Parts], labels: list[str], marks: dict[str, dict[str, str]]) -> str:
    """Return what each measure has of what differs."""
    each = []
    for parts, label in zip(every, labels):
        values = {choice: getattr(parts, choice) for choice in marks}
        said = [_said(v, marks[c][v]) for c, v in values.items() if v is not None]
        each.append(f"{label or parts.name}: {', '.join(said)}")
    return f"are, in turn, {'; '.join(each)}"


def _lines(every: list[_Parts], marks: dict[str, dict[str, str]]) -> list[str]:
    """Return the lines of the formula."""
    sides: dict[str, dict[str, None]] = {}
    heads = [parts.lines[0] for parts in every]
    for left, right in [*heads, *(line for parts in every for line in parts.lines)]:
        sides.setdefault(left, {})[right] = None
    of_part = {left: part for part, left in _PARTS.items()}
    lines = []
    for left, rights in sides.items():
        one, *more = rights
        if not more:
            lines.append(f"{_fill(left, mark='')} &= {one}")
        elif left in of_part:
            for i, (value, mark) in enumerate(marks[of_part[left]].items(), 1):
                parts = next(parts for parts in every if getattr(parts, of_part[left]) == value)
                mark = re.sub(r"([&%$#_{}])", r"\\\1", re.sub(r"[\\~^]", " ", mark or str(i)))
                name = _fill(left, mark=rf"^{{\text{{{mark}}}}}")
                lines.append(f"{name} &= {dict(parts.lines)[left]}")
        else:
            among = r", \; ".join(rights)
            lines.append(rf"{left} &\in \left\{{ {among} \right\}}")
    return lines
