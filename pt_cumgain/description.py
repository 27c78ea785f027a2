"""Descriptions of measures for papers: the sentence, the formula, the references."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import ir_measures
from ir_measures import Measure

from pt_cumgain.comparing._paper_table import PaperTable
from pt_cumgain.core import DISCOUNTS, QUERY_DISCOUNTS
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.grids import Grid
from pt_cumgain.inputs.measures import Measures, parse_measures
from pt_cumgain.measures import (
    MEASURES,
    CumulatedGain,
    Normalised,
    SessionMeasure,
    as_cumulated_gain,
    is_hosts,
    split_cutoff,
)
from pt_cumgain.parameters import Spec
from pt_cumgain.weighting import Weighting, number
from pt_cumgain.writing.phrases import PHRASES, fill_phrase, join_words
from pt_cumgain.writing.rendering import escape_latex, write_latex


@dataclass(frozen=True, repr=False)
class Description:
    r"""A description of one or several measures: the result of :func:`describe`.

    Attributes
    ----------
    text
        The sentence, or a few sentences for several measures.
    formulas
        The formulas in LaTeX, to be put between ``\[`` and ``\]``, by the names of their measures:
        the labels of a grid or table, or the measures' own texts. Measures that differ only in
        their cutoffs share a formula.
    formula
        The formulas between ``\[`` and ``\]``, each below the names of its measures if there are
        several. They need the package amsmath.
    symbols
        A sentence in LaTeX that explains the symbols of all formulas.
    bibtex
        The BibTeX entries of the papers that the text cites.
    latex
        The text with ``\cite{}`` of the entries' keys in place of the years.
    """

    text: str
    formulas: Mapping[str, str]
    symbols: str
    bibtex: str

    @property
    def formula(self) -> str:
        r"""The formulas between ``\[`` and ``\]``, below their names if there are several."""
        displays = []
        for name, formula in self.formulas.items():
            heading = f"{escape_latex(name)}:\n" if len(self.formulas) > 1 else ""
            displays.append(f"{heading}\\[\n{formula}\n\\]")
        return "\n\n".join(displays)

    @property
    def latex(self) -> str:
        r"""The text, escaped, with ``\cite{}`` in place of the years."""
        text = write_latex(self.text, {})
        for key, entry in PHRASES["references"].items():
            cite, cited = rf"\cite{{{key}}}", entry["narrative"]
            text = text.replace(f" ({entry['parenthetical']})", f"~{cite}")
            text = text.replace(cited, cited.replace(f" ({key[-4:]})", f"~{cite}"))
            text = text.replace(entry["parenthetical"], cite)
        return text

    def __str__(self) -> str:
        return "\n\n".join(filter(None, [self.text, self.formula, self.symbols, self.bibtex]))

    __repr__ = __str__


_WHERE = ", where "
#: Values of parameters that a description does not mention.
_EXPECTED = ("False", "doc_id", "None", "0", "fixed")
#: What symbols of a topic's list are in the list of a session's query.
_OF_QUERY = {"x_i": "x_{q,i}", "x_{i+1}": "x_{q,i+1}", "T_i": "T_{q,i}", "G[": "G_q[", "s(": "s_q("}


@dataclass(frozen=True)
class _Parts:
    """The parts of the description of one measure.

    Attributes
    ----------
    name
        With the key of its paper in braces.
    words
        The words after the name, each with its kind: ``ranks``, ``part``, ``clause`` or ``host``.
    lines
        The formula's right sides by their left sides.
    symbols
        The meaning of the symbols.
    """

    name: str
    words: dict[str, str]
    lines: dict[str, str]
    symbols: list[str]

    def write(self, chosen: Collection[str]) -> str:
        """Return the chosen words as they follow the name."""
        kinds: dict[str, list[str]] = {"ranks": [], "part": [], "clause": [], "host": []}
        for words, kind in self.words.items():
            if words in chosen:
                kinds[kind].append(words)
        text = "".join(f" {words}" for words in kinds["ranks"])
        text += f" with {join_words(kinds['part'])}" if kinds["part"] else ""
        text += f"{_WHERE}{join_words(kinds['clause'])}" if kinds["clause"] else ""
        return text + "".join(kinds["host"])


def describe(measure: Measures | PaperTable) -> Description:
    r"""Describe a measure for a paper: sentence, formula and references.

    Parameters
    ----------
    measure
        A measure of this package, or its text. Several measures (a list, a
        :func:`pt_cumgain.grid` or a table of :func:`pt_cumgain.paper_table`)
        are described together: one sentence lists them, with the labels of a
        grid, and another says what they share. Measures of other packages and
        trec_eval's names are only mentioned.

    Returns
    -------
    Description
        ``text``, ``formula`` (LaTeX; one for each measure, but measures that
        differ only in their cutoffs share it), ``symbols`` (the meaning of the
        formulas' symbols), ``bibtex`` (the entries of the references) and
        ``latex`` (the text with ``\cite{}``). Printed, it shows all of them.

    Raises
    ------
    TypeError, ValueError
        If ``measure`` is something else, none of the measures is of this
        package, or one cannot be used (``avg_pos`` without a cutoff).

    Examples
    --------
    >>> description = describe("nDCG(gains='0-1-10-100',discount='original',base=10)@100")
    >>> print(description.text)  # doctest: -NORMALIZE_WHITESPACE
    nDCG at rank 100 with the discount of Järvelin and Kekäläinen (2002), base 10, and gains 0, 1, 10, 100
    >>> print(description.bibtex.splitlines()[0])
    @article{jarvelin2002,
    >>> from pt_cumgain import grid
    >>> print(describe(grid("nDCG", gains={"w1": "0-1-1", "w9": "0-1-9"}, cutoffs=5)).text)
    We report these measures: nDCG@5 (Järvelin and Kekäläinen, 2002) with gains 0, 1, 1 (nDCG w1);
    and nDCG@5 with gains 0, 1, 9 (nDCG w9). Each is computed with the discount log2(rank + 1).
    """  # noqa: E501
    of_table = False
    if isinstance(measure, PaperTable):
        of_table = True
        labels = {text: label for label, text in measure.measures.items() if label != text}
        parsed = _read_rows(measure.measures.values())
    else:
        labels = measure.labels if isinstance(measure, Grid) else {}
        parsed = parse_measures(measure)
    measures = {str(m): m for m in parsed}
    listed = len(measures) > 1
    by_text = {
        text: _describe_one(m, listed=listed, of_table=of_table) for text, m in measures.items()
    }
    described = {text: parts for text, parts in by_text.items() if parts is not None}
    others = [text for text in measures if text not in described]
    if not described:
        known = join_words([*PHRASES["measures"]])
        raise ValueError(f"{others[0]} has no description; describe() covers {known}")
    text = escape_controls(_write_text(described, labels, others))  # may have labels and names
    formulas = _write_formulas(described, labels)
    symbols = dict.fromkeys(symbol for parts in described.values() for symbol in parts.symbols)
    cited = [entry["bibtex"] for entry in PHRASES["references"].values() if _cites(text, entry)]
    return Description(text, formulas, f"{'; '.join(symbols)}.", "\n\n".join(cited))


def _read_rows(rows: Iterable[str]) -> list[Measure | str]:
    """Return the measures of a table; refuse rows that name none.

    trec_eval's names stay names: it computed the values, not ir-measures.
    """
    measures: list[Measure | str] = []
    for row in rows:
        with suppress(SyntaxError, TypeError, ValueError):
            measures += parse_measures(row)
            continue
        try:
            ir_measures.parse_trec_measure(row)
        except ValueError:
            raise ValueError(
                f"the table's row {row!r} is not the text of a measure; describe the table's grid "
                "or list of measures instead"
            ) from None
        measures.append(row)
    return measures


def _write_number(value: float) -> str:
    """Return a number as text; a large one without all its digits."""
    return repr(number(value)) if abs(value) < 1e16 else repr(float(value))


def _write_tex(value: float) -> str:
    digits, _, power = _write_number(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def _write_gains(weighting: Weighting, form: str, write: Callable[[float], str]) -> str:
    """Return a weighting as ``"words"`` or as a ``"formula"``, with its numbers as written."""
    table = PHRASES["gains"]
    weights = [{"level": write(level), "gain": write(gain)} for level, gain in weighting.weights]
    return fill_phrase(
        table[weighting.kind][form],
        weights=", ".join(weight["gain"] for weight in weights),
        levels=", ".join(weight["level"] for weight in weights),
        pairs=", ".join(fill_phrase(table["pair"], **weight) for weight in weights),
        rows=r" \\ ".join(fill_phrase(table["row"], **weight) for weight in weights),
    )


def _describe_one(described: object, *, listed: bool, of_table: bool) -> _Parts | None:
    """Return the description of a measure, alone or in a list; None if there are no words.

    A table does not say which program computed its values.
    """
    measure = as_cumulated_gain(described)
    name = "" if measure is None else measure.__name__
    # a user's measure may be called like one of this package, and have another equation
    if name not in PHRASES["measures"] or type(measure) is not type(MEASURES[name]):
        return None
    measure.validate_params()
    paper, spec, lines = PHRASES["measures"][name], measure.spec, _write_lines(measure)
    rule = _name_rule(measure)
    words = {}
    # a list is shorter with nDCG@10, which says all if the cutoff is the only rule
    if listed and rule == "cutoff":
        name = f"{name}@{spec.cutoff}"
    else:
        phrases = PHRASES["ranks"]
        phrase = phrases.get(f"{rule} {spec.cutoff}", phrases[rule])
        words[fill_phrase(phrase, cutoff=spec.cutoff)] = "ranks"
    words |= dict.fromkeys(_write_parts(measure), "part")
    words |= dict.fromkeys(_write_clauses(measure), "clause")
    if is_hosts(measure) and not of_table:
        words[PHRASES["text"]["host"]] = "host"
    return _Parts(f"{name}{{{paper}}}", words, lines, _explain_symbols(measure, lines))


def _name_rule(measure: CumulatedGain) -> str:
    """Return the key of the phrase that says which ranks count."""
    rules = [rule for rule in ("avg_pos", "at_r") if getattr(measure.spec, rule)]
    if isinstance(measure, SessionMeasure):
        rules.insert(0, "session")
    return "_".join(rules) or ("all" if measure.spec.cutoff is None else "cutoff")


def _write_parts(measure: CumulatedGain) -> Iterator[str]:
    """Yield the words for the discounts and for the gains, which every description has."""
    spec = measure.spec
    if "discount" in measure.SUPPORTED_PARAMS:
        yield fill_phrase(DISCOUNTS[spec.discount].phrase, base=_write_number(spec.base))
    if isinstance(measure, SessionMeasure):
        phrase = QUERY_DISCOUNTS[spec.query_discount].phrase
        yield fill_phrase(phrase, bq=_write_number(spec.bq))
    yield _write_gains(spec.gains, "words", _write_number)


def _write_clauses(measure: CumulatedGain) -> Iterator[str]:
    """Yield the words for the other parameters, but for values that a reader expects."""
    spec, up_to_base = measure.spec, DISCOUNTS[measure.spec.discount].up_to_base
    for clause, wording in PHRASES["clauses"].items():
        value = str(getattr(spec, clause))
        if value not in _EXPECTED and clause in measure.SUPPORTED_PARAMS:
            yield fill_phrase(wording.get(value) or wording["some"], **{clause: value})
    # such a discount changes nothing, which readers of its name do not expect
    if up_to_base and spec.cutoff is not None and spec.cutoff <= spec.base:
        yield up_to_base


def _explain_symbols(measure: CumulatedGain, lines: Mapping[str, str]) -> list[str]:
    """Return the meaning of the symbols in the lines of a formula."""
    spec, by_session = measure.spec, isinstance(measure, SessionMeasure)
    explained = {
        "session": by_session,
        "topic": not by_session,
        "doc_id": spec.ties == "doc_id",
        "J": True,
        "judged_only": spec.judged_only,
        "at_r": spec.at_r,
        **{symbol: _uses(lines, symbol) for symbol in "MIR"},
        "padding": by_session and spec.padding != "fixed",
        "end": True,
    }
    return [PHRASES["symbols"][key] for key, needed in explained.items() if needed]


def _uses(lines: Mapping[str, str], symbol: str) -> bool:
    return bool(re.search(rf"\b{symbol}\b", " ".join(lines.values())))


def _write_lines(measure: CumulatedGain) -> dict[str, str]:
    """Return the right sides of a formula by their left sides: the value, then what it needs."""
    spec, lines = measure.spec, _write_value(measure)
    if isinstance(measure, SessionMeasure):
        lines |= _session_lines(measure)
    else:
        lines |= _topic_lines(spec)
    if "discount" in measure.SUPPORTED_PARAMS:
        latex = DISCOUNTS[spec.discount].latex
        lines["d(i)"] = fill_phrase(latex, base=_write_tex(spec.base))
    if isinstance(measure, SessionMeasure):
        latex = QUERY_DISCOUNTS[spec.query_discount].latex
        lines[r"d_{\mathrm{q}}(q)"] = fill_phrase(latex, bq=_write_tex(spec.bq))
    lines[r"g(\ell)"] = _write_gains(spec.gains, "formula", _write_tex)
    if _uses(lines, "I"):
        lines["I"] = PHRASES["formulas"]["I"]
    return lines


def _write_value(measure: CumulatedGain) -> dict[str, str]:
    """Return the first line of a formula: the value, from the vectors."""
    formulas, averaged, name = PHRASES["formulas"], measure.spec.avg_pos, measure.__name__
    gain, ideal, rank = "G", "I", "j"
    end = "k"
    if isinstance(measure, SessionMeasure):
        gain, ideal, rank = "V", "V_I", "p"
        end = "nk" if measure["padding"] == "fixed" else "s_{n+1}"
    last = rank if averaged else end
    form, symbol = formulas[name.removeprefix("n")], rf"\mathrm{{{name}}}"
    value = fill_phrase(form, vector=gain, last=last)
    if isinstance(measure, Normalised):
        best = fill_phrase(form, vector=ideal, last=last)
        value = fill_phrase(formulas["normalised"], value=value, ideal=best)
    if averaged:
        symbol = rf"\overline{{{symbol}}}"
        value = fill_phrase(formulas["avg_pos"], value=value, last=last, end=end)
    return {f"{symbol}@k": value}


def _topic_lines(spec: Spec) -> dict[str, str]:
    """Return the lines on the cutoff and the gain vector of CG, DCG, nCG or nDCG."""
    formulas = PHRASES["formulas"]
    rank = "k"
    if spec.at_r:
        rank = "k at_r"
    elif spec.cutoff is None:
        rank = "k all"
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
    lines = {"V[p]": formulas["V"]}
    if isinstance(measure, Normalised):
        lines["V_I[p]"] = formulas["V_I"][spec.duplicates]
    # queries of different lengths: positions are counted by s_q and p_q instead of by k
    if spec.padding != "fixed":
        for left, line in lines.items():
            lines[left] = line.replace("(q-1)k", "s_q").replace(r"i \le k", r"i \le p_q")
    lines["k"] = fill_phrase(formulas["k"], cutoff=spec.cutoff)
    queries = "n" if spec.queries is None else "n queries"
    lines["n"] = fill_phrase(formulas[queries], queries=spec.queries)
    if spec.padding != "fixed":
        positions = formulas["padding"].get(spec.padding, formulas["padding"]["some"])
        lines["s_q"] = formulas["padding"]["before"]
        lines["p_q"] = fill_phrase(positions, padding=spec.padding)
    gains = formulas["G_q"] if spec.duplicates == "first" else _topic_lines(spec)["G[i]"]
    for of_topic, of_query in _OF_QUERY.items():
        gains = gains.replace(of_topic, of_query)
    return lines | {"G_q[i]": gains}


def _cites(text: str, reference: dict[str, str]) -> bool:
    return reference["narrative"] in text or reference["parenthetical"] in text


def _write_text(described: dict[str, _Parts], labels: Mapping[str, str], others: list[str]) -> str:
    """Return the text on measures, by their own texts: each of them, then their common words."""
    first, *more = described.values()
    # words that all have are said once, and measures that differ only in their names together
    shared = set(first.words).intersection(*(parts.words for parts in more)) if more else set()
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
        text = f"We report these measures: {text}."
        words = first.write(shared)
        if words.startswith(_WHERE):
            text += f" For each of them, {words.removeprefix(_WHERE)}."
        elif words:
            text += f" Each is computed{words}."
    elif others:
        text = f"We report {text}."
    text += f" We also report {join_words(others)}." if others else ""
    # a paper is cited the first time, unless its authors are named anyway
    for key, reference in PHRASES["references"].items():
        citation = "" if _cites(text, reference) else f" ({reference['parenthetical']})"
        text = text.replace(f"{{{key}}}", citation, 1).replace(f"{{{key}}}", "")
    return text


def _write_formulas(described: Mapping[str, _Parts], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the formulas by the names of their measures, one for all cutoffs of a measure."""
    alike: dict[str, list[str]] = {}
    for text in described:
        alike.setdefault(split_cutoff(text)[0], []).append(text)
    formulas = {}
    for texts in alike.values():
        names = join_words([labels.get(text, text) for text in texts])
        lines = described[texts[0]].lines
        rows = {left: f"{left} &= {right}" for left, right in lines.items()}
        if len(texts) > 1:
            cutoffs = ", ".join(described[text].lines["k"] for text in texts)
            rows["k"] = rf"k &\in \{{ {cutoffs} \}}"
        body = " \\\\\n".join(rows.values())
        formulas[escape_controls(names)] = f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
    return formulas
