"""Descriptions: each measure has its own, and its formula is what is computed."""

import itertools
import math
import operator
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt_cumgain
from pt_cumgain import CG, DCG, describe, gP, gR, grid, nCG, nDCG, nsDCG, sDCG
from pt_cumgain.core import DISCOUNTS, DUPLICATES, QUERY_DISCOUNTS, TIES, discounts
from pt_cumgain.measures import MEASURES, CumulatedGain, is_hosts
from pt_cumgain.papers import TOIS2002
from pt_cumgain.parameters import Params
from pt_cumgain.writing.phrases import PHRASES
from tests.support import reference
from tests.support.helpers import GAIN, IDEAL
from tests.support.latex import typeset
from tests.support.strategies import OF_SESSIONS, ORDINARY, as_reference_takes_them, parameters

EVERY = parameters(ORDINARY + OF_SESSIONS)


def made(drawn: tuple[str, dict]) -> CumulatedGain:
    name, params = drawn
    return MEASURES[name](**params)


def meaning(measure: CumulatedGain) -> tuple:
    """What a description has to tell."""
    return measure.NAME, is_hosts(measure), measure.spec


@pytest.mark.parametrize(
    ("measure", "text", "cited"),
    [
        (
            nDCG(dcg="exp-log2", cutoff=20),
            "nDCG (Järvelin and Kekäläinen, 2002) at rank 20 with the discount log2(rank + 1) "
            "and exponential gains (two to the power of the relevance level, minus one; Burges et "
            "al., 2005), as implemented in ir-measures",
            ["jarvelin2002", "burges2005"],
        ),
        (
            nCG(at_r=True, judged_only=True, ties="average"),
            "nCG (Järvelin and Kekäläinen, 2002) at each topic's own rank R (the number of its "
            "documents with a positive gain, after Kekäläinen, 2005) with gains equal to the "
            "relevance levels, where unjudged documents are removed before ranking and the value "
            "is averaged over all orders of documents with equal scores (McSherry and Najork, "
            "2008)",
            ["jarvelin2002", "kekalainen2005", "mcsherry2008"],
        ),
        (
            nsDCG(discount="shifted", base=4, query_discount="none", queries=3) @ 7,
            "nsDCG (Järvelin et al., 2008) over the first 7 documents of each query in a search "
            "session with the discount of Kanoulas et al. (2011), base 4, no discount of later "
            "queries, and gains equal to the relevance levels, where a document counts each time a "
            "query returns it and only the first 3 queries of a session count",
            ["jarvelin2008", "kanoulas2011"],
        ),
    ],
    ids=str,
)
def test_the_sentence_and_what_it_cites(measure, text: str, cited: list[str]) -> None:
    found = describe(measure)
    assert found.text == text
    assert re.findall(r"^@\w+\{(\w+),$", found.bibtex, re.MULTILINE) == cited


def test_every_declared_name_has_its_phrase_and_no_other_has() -> None:
    """What the property above cannot draw: the words must be those of the declarations."""
    known = PHRASES
    assert [*known["measures"]] == ORDINARY + OF_SESSIONS
    assert known["clauses"]["ties"].keys() == known["formulas"]["ties"].keys() == TIES.keys()
    assert known["clauses"]["duplicates"].keys() == DUPLICATES.keys()


@pytest.mark.parametrize(("name", "entry"), DISCOUNTS.items())
def test_a_discount_cites_its_source(name: str, entry) -> None:
    """A paper of the year that the source has; one without a year, log2's, has no paper."""

    def papers(source: str) -> list[str]:
        (year,) = re.findall(r"\b[12]\d{3}\b", source) or ["2002"]  # of the measure's own paper
        return [key for key in PHRASES["references"] if key.endswith(year)]

    cited = re.findall(r"^@\w+\{(\w+),$", describe(DCG(discount=name)).bibtex, re.MULTILINE)
    assert set(cited) & set(papers(entry.source))
    words = DISCOUNTS[name].phrase
    if name in QUERY_DISCOUNTS and entry.takes_base:
        words = QUERY_DISCOUNTS[name].phrase
        narratives = [
            PHRASES["references"][key]["narrative"] for key in papers(QUERY_DISCOUNTS[name].source)
        ]
        assert any(narrative in words for narrative in narratives)


# a small reader of the formulas, which knows nothing of how they were made

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|d_\{\\mathrm\{q\}\}|V_I|G_q|w_|\d+(?:\.\d+)?|\S")
_COMPARED = {
    r"\le": operator.le,
    r"\ge": operator.ge,
    r"\notin": lambda a, b: a not in b,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}


class Reader:
    """Evaluates an expression in LaTeX, from left to right; ``known`` has what the letters mean."""

    def __init__(self, text: str, known: dict[str, Any]) -> None:
        skipped = (r"\,", r"\;", r"\quad", r"\cdot", r"\left", r"\right")
        self.tokens = [token for token in _TOKEN.findall(text) if token not in skipped]
        self.at, self.known = 0, known

    def take(self, *expected: str) -> str:
        token = self.tokens[self.at]
        assert not expected or token in expected, (token, expected, self.tokens)
        self.at += 1
        return token

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def within(self, begin: str = "{", end: str = "}") -> list[float]:
        """The values between brackets, separated by commas."""
        self.take(begin)
        values = [self.sum()]
        while self.take(",", end) == ",":
            values.append(self.sum())
        return values

    def sum(self) -> float:
        value = self.product()
        while self.next() in ("+", "-"):
            value += self.product() if self.take() == "+" else -self.product()
        return value

    def product(self) -> float:
        value = self.power()
        while self.next() and self.next() not in (*"+-)]},", r"\}", *_COMPARED):
            if self.next() == "/":
                self.take()
                value /= self.power()
            else:
                value *= self.power()
        return value

    def power(self) -> float:
        value = self.one()
        if self.next() == "^":
            self.take()
            value **= self.within()[0]
        return value

    def one(self) -> float:
        token = self.take()
        if re.match(r"\d", token):
            return float(token)
        if token == "-":
            return -self.power()
        if token == "(":
            self.at -= 1
            return self.within("(", ")")[0]
        if token == r"\frac":
            return self.within()[0] / self.within()[0]
        if token == r"\log":
            self.take("_")
            (base,) = self.within()
            return math.log(self.power(), base)
        if token in (r"\max", r"\min"):
            values = self.within("(", ")")
            return max(values) if token == r"\max" else min(values)
        if token == r"\sum":
            return self.series()
        value = self.known[token]
        if callable(value):
            begin = self.next()
            return value(*self.within(begin, {"[": "]", "(": ")", "{": "}"}[begin]))
        return value

    def series(self) -> float:
        self.take("_")
        self.take("{")
        start, before = self.at, dict(self.known)
        end = start
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.tokens[end], 0)
            end += 1
        condition = self.tokens[start : end - 1]
        if r"\le" in condition:
            n, k = int(self.known["n"]), int(self.known["k"])
            whole = itertools.product(range(1, n + 1), range(1, n * k + 1))
            indices = [{"q": q, "i": i} for q, i in whole]
            indices = [new for new in indices if self.holds(start, new)]
            self.at = end
        else:
            letter = condition[0]
            self.at = start + 2
            low = self.sum()
            self.take("}")
            self.take("^")
            (high,) = self.within()
            indices = [{letter: value} for value in range(int(low), int(high) + 1)]
        body, total = self.at, 0.0
        for new in indices:
            self.at = body
            self.known |= new
            total += self.product()
        assert indices
        self.known.update(before)
        return total

    def holds(self, start: int, new: dict[str, float]) -> bool:
        self.known |= new
        self.at = start
        held = self.compared()
        while self.next() == ",":
            self.take()
            held &= self.compared()
        return held

    def compared(self) -> bool:
        left = self.sum()
        compare = _COMPARED[self.take()]
        if self.next() != r"\{":
            return compare(left, self.sum())
        return compare(left, self.within(r"\{", r"\}"))


def read(text: str, **known: Any) -> float:
    """The value of an expression, of several cases or of one."""
    cases = re.fullmatch(r"\\begin\{cases\} (.*) \\end\{cases\}", text)
    if cases is None:
        return Reader(text, known).sum()
    rows = [row.split(" & ") for row in cases[1].split(r" \\ ")]
    (value,) = (value for value, condition in rows if Reader(condition, dict(known)).compared())
    return Reader(value, known).sum()


def lines(measure) -> dict[str, str]:
    """The right sides of the lines of a measure's formula by their left sides."""
    (formula,) = describe(measure).formulas.values()
    return lines_of(formula)


def lines_of(formula: str) -> dict[str, str]:
    body = formula.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    return dict(re.split(r" &(?:=|\\in) ", line, maxsplit=1) for line in body.split(" \\\\\n"))


def at_every(right: str, letter: str) -> Callable[[float], float]:
    """The values of an expression at 1, 2, ..., each read once."""
    return cache(lambda value: read(right, **{letter: value}))


@given(parameters(ORDINARY, leave=("ties", "judged_only")))
def test_the_formula_of_a_topic_is_what_is_computed(drawn) -> None:
    """Expected: the slow reference, which the engine equals in other tests."""
    name, params = drawn
    left = lines(made(drawn))
    found = {f"d{i}": level for i, level in enumerate(GAIN)}
    missed = list(IDEAL)
    for level in filter(None, GAIN):
        missed.remove(level)
    qrels = found | {f"m{i}": level for i, level in enumerate(missed)}
    run = {doc: -float(i) for i, doc in enumerate(found)}
    g = at_every(left[r"g(\ell)"], r"\ell")
    named = [level for level, _ in made(drawn).spec.gains.weights]
    ideal = sorted((g(level) for level in qrels.values() if g(level) > 0), reverse=True)
    known: dict[str, Any] = {
        r"\infty": len(qrels),
        "G": lambda i: g(GAIN[int(i) - 1]) if i <= len(GAIN) else 0.0,
        "I": lambda i: ideal[int(i) - 1] if i <= len(ideal) else 0.0,
        "d": at_every(left.get("d(i)", ""), "i"),
        "M": max(map(g, [*qrels.values(), *named])),
        "R": len(ideal),
    }
    known["k"] = len(ideal) if left["k"].startswith("|") else read(left["k"], **known)
    expected = reference.value(qrels, run, **as_reference_takes_them(name, params))
    head = next(iter(left.values()))
    nothing = not known["k"] or (MEASURES[name].divisor and not ideal)
    value = 0.0 if nothing else read(head, **known)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(parameters(OF_SESSIONS, leave=("padding", "unjudged")))
def test_the_formula_of_a_session_is_what_is_computed(drawn) -> None:
    name, params = drawn
    params = params | {"cutoff": min(params.get("cutoff", 3), 3)}
    left = lines(MEASURES[name](**params))
    qrels = {"a": 3, "b": 1, "c": 2, "d": 0, "e": -1, "f": 4}
    lists = {1: ["x", "b", "a"], 2: ["a", "c"], 4: ["e", "f", "b", "c"]}
    g = {doc: read(left[r"g(\ell)"], **{r"\ell": level}) for doc, level in qrels.items()}
    ideal = sorted((gain for gain in g.values() if gain > 0), reverse=True)
    known: dict[str, Any] = {"N": 4}
    k = known["k"] = read(left["k"])
    known["n"] = read(left["n"], **known)
    first = r"\setminus S_q" in left["G_q[i]"]

    def gain(i: float) -> float:
        q = int(known["q"])
        doc = dict(enumerate(lists.get(q, []), 1)).get(int(i))
        before = {doc for p in range(1, q) for doc in lists.get(p, [])[: int(k)]}
        return 0.0 if first and doc in before else g.get(doc, 0.0)

    def weight(p: float, j: float) -> float:
        places = [(q, i) for q in range(1, int(known["n"]) + 1) for i in range(1, int(k) + 1)]
        weights = [1 / known["d"](i) / known[r"d_{\mathrm{q}}"](q) for q, i in places[: int(p)]]
        return sorted(weights, reverse=True)[int(j) - 1]

    known |= {
        "I": lambda i: ideal[int(i) - 1] if i <= len(ideal) else 0.0,
        "d": at_every(left["d(i)"], "i"),
        r"d_{\mathrm{q}}": at_every(left[r"d_{\mathrm{q}}(q)"], "q"),
        "w_": weight,
        "G_q": gain,
    }

    def vector(line: str) -> Callable[[float], float]:
        def value(p: float) -> float:
            known["p"] = p
            return Reader(left[line].partition(", \\quad")[0], known).sum()

        return value

    known |= {"V": vector("V[p]")} | ({"V_I": vector("V_I[p]")} if "V_I[p]" in left else {})
    value = 0.0 if name == "nsDCG" and not ideal else Reader(next(iter(left.values())), known).sum()
    scores = {q: {doc: -float(i) for i, doc in enumerate(docs)} for q, docs in lists.items()}
    as_taken = as_reference_takes_them(name, params)
    expected = reference.session_value(qrels, scores, 4, **as_taken)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


PADDED = nsDCG(padding=3, avg_pos=True)


@pytest.mark.parametrize(
    ("measure", "left", "part"),
    [
        (CG(ties="best"), "G[i]", r", \quad s(x_i) = s(x_{i+1}) \Rightarrow G[i] \ge G[i+1]"),
        (CG(ties="worst"), "G[i]", r", \quad s(x_i) = s(x_{i+1}) \Rightarrow G[i] \le G[i+1]"),
        (CG(judged_only=True), "G[i]", r"g(\ell(x_i)), \quad x_i \in J"),
        (CG(ties="average"), "G[i]", r"\frac{1}{|T_i|} \sum_{x \in T_i \cap J} g(\ell(x)), \quad"),
        (CG(ties="average", judged_only=True), "G[i]", r"T_i = \{ x \in J : s(x) = s(x_i) \}"),
        (CG(ties="average", unjudged=-1), "G[i]", r"+ -1 \, |T_i \setminus J|"),
        (sDCG(unjudged=-1), "G_q[i]", r"\\ -1 & x_{q,i} \notin J"),
        (sDCG(duplicates="first"), "G_q[i]", r"S_q = \{ x_{r,j} : r < q, \; j \le k \}"),
        (PADDED, "V[p]", r"\sum_{s_q + i \le p, \; i \le p_q} "),
        (PADDED, "V_I[p]", r"\sum_{s_q + i \le p, \; i \le p_q} "),
        (PADDED, "s_q", r"\sum_{r < q} p_r"),
        (PADDED, "p_q", r"\max(3, \min(k, |L_q|))"),
        (PADDED, r"\overline{\mathrm{nsDCG}}@k", r"\frac{1}{s_{n+1}} \sum_{p=1}^{s_{n+1}} "),
        (
            nsDCG(padding="none", duplicates="first"), "V_I[p]",
            r": s_q + i \le p, \; i \le p_q \right)",
        ),
        (nCG(at_r=True), "k", r"|\{ x \in J : g(\ell(x)) > 0 \}|"),
        (nsDCG(ties="average"), "G_q[i]", r"T_{q,i} = \{ x : s_q(x) = s_q(x_{q,i}) \}"),
        (sDCG(ties="best"), "G_q[i]", r"s_q(x_{q,i+1}) \Rightarrow G_q[i] \ge G_q[i+1]"),
    ],
)  # fmt: skip
def test_what_the_reader_does_not_read(measure, left: str, part: str) -> None:
    """Sets, which are checked by eye: the manual's rules for ties; ECIR 2008, section 3.3."""
    assert part in lines(measure)[left]
    by_id = "by descending id" in describe(measure).symbols
    assert by_id == (measure.spec.ties == "doc_id")


def test_what_all_share_is_said_once() -> None:
    """The example in the docstring has two measures, with labels."""
    weightings = ["0-1-1", "0-1-2", "0-1-9"]
    assert describe([nCG(at_r=True, gains=g) for g in weightings]).text == (
        "We report these measures: nCG (Järvelin and Kekäläinen, 2002) with gains 0, 1, 1; nCG "
        "with gains 0, 1, 2; and nCG with gains 0, 1, 9. Each is computed at each topic's own rank "
        "R (the number of its documents with a positive gain, after Kekäläinen, 2005)."
    )


@given(st.lists(EVERY, min_size=1, max_size=6), st.data())
def test_two_lists_never_have_the_same_description(drawn: list, data) -> None:
    index = data.draw(st.integers(0, len(drawn) - 1))
    name, params = drawn[index]
    if not params:
        return
    left = data.draw(st.sampled_from(sorted(params)))
    fewer = {key: value for key, value in params.items() if key != left}
    lists = [drawn, [*drawn[:index], (name, fewer), *drawn[index + 1 :]]]
    try:
        measures = [list(dict.fromkeys(map(made, several))) for several in lists]
        texts = [describe(several).text for several in measures]
    except ValueError:  # a parameter means nothing without another one
        return
    meant = [[meaning(measure) for measure in several] for several in measures]
    assert (texts[0] == texts[1]) == (meant[0] == meant[1])


def test_several_formulas_say_of_which_measures_they_are() -> None:
    steep = nDCG(discount="original", base=10, gains="0-1-9") @ 100
    found = describe([nDCG @ 10, steep, nDCG @ 20, nDCG(at_r=True)])
    formulas = [*found.formulas.values()]
    assert [*found.formulas] == ["nDCG@10 and nDCG@20", str(steep), "nDCG(at_r=True)"]
    assert [lines_of(formula)["k"] for formula in formulas[:2]] == [r"\{ 10, 20 \}", "100"]
    displays = [f"\\[\n{formula}\n\\]" for formula in formulas]
    assert found.formula == (
        f"nDCG@10 and nDCG@20:\n{displays[0]}\n\n{steep}:\n{displays[1]}\n\n"
        f"nDCG(at\\_r=True):\n{displays[2]}"
    )
    labelled = describe(grid(nDCG, gains={"<a>": "0-1", "b": "0-2"}, cutoffs=[5]))
    assert [*labelled.formulas] == ["nDCG <a>", "nDCG b"]


@given(st.lists(EVERY, min_size=2, max_size=6))
def test_each_of_several_has_the_formula_that_it_has_alone(drawn: list) -> None:
    try:
        several = [measure for measure in dict.fromkeys(map(made, drawn)) if describe(measure)]
    except ValueError:  # one that cannot be used
        return
    shared = {
        name: lines_of(formula)
        for names, formula in describe(several).formulas.items()
        for name in re.split(",? and |, ", names)
    }
    assert shared.keys() == {str(measure) for measure in several}
    for measure in several:
        alone, found = lines(measure), shared[str(measure)]
        assert alone["k"] in [found["k"], *found["k"][3:-3].split(", ")]
        assert alone | {"k": ""} == found | {"k": ""}


def test_the_text_for_latex_cites_what_bibtex_has() -> None:
    """Expected: of each entry its key, and no year but in a key."""
    measures = ["nDCG(gains='exp')@5", "nDCG(at_r=True,ties='average')", "sDCG@10"]
    measures += ["gP(gains='0-1-2-3')@5"]
    measures += ["DCG(discount='sigir2000')@5", "DCG(discount='original')@5"]
    for measure in [*measures, measures]:
        found = describe(measure)
        entries = re.findall(r"^@\w+\{(\w+),", found.bibtex, re.MULTILINE)
        assert set(re.findall(r"\\cite\{(\w+)\}", found.latex)) == set(entries)
        assert not re.search(r"\d{4}(?!\})", found.latex)
    assert r"the relevance level, minus one; \cite{burges2005})" in describe(measures[0]).latex


@pytest.mark.parametrize("base", [2, 2.5, 10])
@pytest.mark.parametrize("discount", DISCOUNTS)
def test_a_cutoff_at_which_nothing_is_discounted(discount: str, base: float) -> None:
    """Where `original` divides by 1 throughout: down to rank b, since log_b(b) = 1."""
    params = {"base": base} if DISCOUNTS[discount].takes_base else {}
    for k in range(1, 12):
        undiscounted = discount == "original" and (discounts(k, discount, base) == 1).all()
        for kind in (DCG, sDCG):
            text = describe(kind(discount=discount, **params) @ k).text
            assert ("no rank up to the base is discounted" in text) == undiscounted
    assert "no rank" not in describe(DCG(discount=discount, **params)).text  # without a cutoff


def test_a_table_is_described_by_its_rows() -> None:
    measures = grid([nDCG], gains=TOIS2002, cutoffs=[10])
    rows = [(s, q, str(m), 0.5) for s in "AB" for q in "12" for m in measures]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    table = pt_cumgain.paper_table(results, test=None)
    assert describe(table) == describe(list(measures))
    plain = results[results["measure"] == rows[0][2]].assign(measure="nDCG@10")
    assert "as implemented" not in describe(pt_cumgain.paper_table(plain, test=None)).text
    named = pt_cumgain.paper_table(results, measures=measures, rows="systems", test=None)
    assert describe(named) == describe(measures)
    with pytest.raises(ValueError, match=r"row 'nDCG 0-1-1-1' is not the text of a measure; desc"):
        describe(pt_cumgain.paper_table(measures.rename(results), test=None))


class _Other(CumulatedGain):
    __name__ = "Other"
    SUPPORTED_PARAMS = Params()


def test_a_new_measure_without_words_is_refused_or_named(monkeypatch) -> None:
    """As MEASURES has it when a contributor has declared it, and done nothing else."""
    monkeypatch.setitem(MEASURES, "Other", _Other())
    with pytest.raises(
        ValueError, match=r"^Other has no description; describe\(\) covers CG, DCG, nCG, nDCG, "
    ):
        describe(_Other())
    assert describe([CG @ 5, _Other()]).text.endswith(" We also report Other.")


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P@5", "P@5 has no description; describe() covers CG, DCG, nCG, nDCG,"),
        (nDCG(avg_pos=True), "avg_pos=True averages the vector over the ranks 1 to k"),
        (pd.DataFrame({"mean": [1]}), "a DataFrame is not a measure; give measures or their text"),
    ],
)
def test_what_has_no_description(measure, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        describe(measure)


def test_it_prints_all_its_parts() -> None:
    found = describe(DCG(discount="original", base=3) @ 5)
    (formula,) = found.formulas.values()
    assert found.formula == f"\\[\n{formula}\n\\]"
    parts = [found.text, found.formula, found.symbols, found.bibtex]
    assert str(found) == repr(found) == "\n\n".join(parts)


@pytest.mark.end_to_end
def test_latex_and_bibtex_take_it_as_it_is(tmp_path) -> None:
    """Each phrase stands in some description of these; bibtex must not even warn."""
    if shutil.which("bibtex") is None:
        pytest.skip("bibtex is not installed")
    weightings = ["exp", "0-1-0.5", {2: 1e-7, 3: 1e300, -1: -4}, {1: 1}]
    measures = [
        *(DCG(discount=name, gains=g) for name in DISCOUNTS for g in weightings),
        *(nCG(ties=ties, judged_only=flag) for ties in TIES for flag in (True, False)),
        *(nCG(at_r=True, avg_pos=flag) for flag in (True, False)),
        *(sDCG(query_discount=name) for name in QUERY_DISCOUNTS),
        *(
            nsDCG(duplicates=name, avg_pos=flag, queries=3)
            for name in DUPLICATES
            for flag in (True, False)
        ),
        nDCG,
        nDCG(avg_pos=True) @ 5,
        sDCG(avg_pos=True),
        *(nsDCG(padding=padding, avg_pos=True) for padding in ("none", 3)),
        *(measure(unjudged=-0.5) for measure in (CG, CG(ties="average"), sDCG)),
        gP(gains="0-1-2-3") @ 5,
        gR,
    ]
    pt_cumgain.register_discount("my_own", formula=lambda rank: rank)
    pt_cumgain.register_discount("table", weights=np.linspace(1, 0.5, 11), source="Doe, 2026")
    measures += [DCG(discount="my_own"), DCG(discount="table") @ 11]
    several = [
        grid([CG, nDCG], gains={"least": "0-1", "ü": "0-2"}, discounts=["log2", "rank"]),
        [nCG(ties=ties) for ties in TIES],
        [nsDCG(duplicates=name, queries=n) for name in DUPLICATES for n in (2, 3)],
    ]
    found = [describe(measure) for measure in [*measures, *several]]
    entries = PHRASES["references"]
    body = "\n\n".join(f"{d.latex}\n\n{d.formula}\n\n{d.symbols}" for d in found)
    cited = {entry for d in found for entry in d.bibtex.split("\n\n")}
    assert cited == {entry["bibtex"] for entry in entries.values()}
    (tmp_path / "papers.bib").write_text("\n\n".join(sorted(cited)), "ascii")
    body += "\n\\nocite{*}\\bibliographystyle{plain}\\bibliography{papers}\n"
    typeset(body, tmp_path, packages="amsmath")
    done = subprocess.run(["bibtex", "t"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "Warning--" not in done.stdout
    typeset(body, tmp_path, packages="amsmath")
    shown = (tmp_path / "t.bbl").read_text()
    assert shown.count("\\bibitem") == len(entries)
