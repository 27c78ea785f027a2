"""Descriptions: each measure has its own, and its formula is what is computed."""

from __future__ import annotations

import itertools
import json
import math
import operator
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    TOIS2002,
    describe,
    grid,
    nCG,
    nDCG,
    nsDCG,
    paper_table,
    sDCG,
)
from pt_cumgain.core import DISCOUNTS, DUPLICATES, QUERY_DISCOUNTS, TIES, discounts
from pt_cumgain.measures import MEASURES, CumulatedGain, Params
from pt_cumgain.presentation.description import phrases
from tests.support import reference
from tests.support.helpers import GAIN, IDEAL
from tests.support.strategies import OF_SESSIONS, ORDINARY, as_reference_takes_them, parameters

EVERY = parameters(list(MEASURES))


def made(drawn: tuple[str, dict]) -> CumulatedGain:
    name, params = drawn
    return MEASURES[name](**params)


@pytest.mark.parametrize(
    ("measure", "text", "cited"),
    [
        (
            "nDCG(gains='0-1-10-100',discount='original',base=10)@100",  # the sentence of issue 14
            "nDCG at rank 100 with the discount of Järvelin and Kekäläinen (2002), base 10, and "
            "gains 0, 1, 10, 100",
            ["jarvelin2002"],
        ),
        (
            "nDCG@10",
            "nDCG (Järvelin and Kekäläinen, 2002) at rank 10 with the discount log2(rank + 1), "
            "and gains equal to the relevance levels; computed by ir-measures",
            ["jarvelin2002"],
        ),
        (
            nDCG(dcg="exp-log2", cutoff=20),
            "nDCG (Järvelin and Kekäläinen, 2002) at rank 20 with the discount log2(rank + 1), "
            "and exponential gains (two to the power of the relevance level, minus one; Burges et "
            "al., 2005); computed by ir-measures",
            ["jarvelin2002", "burges2005"],
        ),
        (
            DCG(gains={2: 10, 3: -4.5}, discount="sigir2000", base=3, avg_pos=True) @ 5,
            "DCG (Järvelin and Kekäläinen, 2002) averaged over the ranks 1 to 5 with the discount "
            "of Järvelin and Kekäläinen (2000), base 3, and gains 10 for level 2, -4.5 for level "
            "3, and of any other level the level itself",
            ["jarvelin2000", "jarvelin2002"],
        ),
        (
            DCG(discount="original", base=10) @ 10,
            "DCG at rank 10 with the discount of Järvelin and Kekäläinen (2002), base 10, and "
            "gains equal to the relevance levels; no rank up to the base is discounted",
            ["jarvelin2002"],
        ),
        (
            nCG(at_r=True, judged_only=True, ties="average"),
            "nCG (Järvelin and Kekäläinen, 2002) at each topic's own rank R (the number of its "
            "documents with a positive gain, after Kekäläinen, 2005) with gains equal to the "
            "relevance levels; documents without a judgment are left out before ranking; documents "
            "of equal score count with the mean over all their orders (McSherry and Najork, 2008)",
            ["jarvelin2002", "kekalainen2005", "mcsherry2008"],
        ),
        (
            nsDCG(discount="shifted", base=4, query_discount="none", queries=3) @ 7,
            "nsDCG (Järvelin et al., 2008) over the first 7 documents of each query of a session "
            "with the discount of Kanoulas et al. (2011), base 4, no discount of later queries, "
            "and gains equal to the relevance levels; a document counts each time that a query "
            "returns it; only the first 3 queries of a session count",
            ["jarvelin2008", "kanoulas2011"],
        ),
    ],
    ids=str,
)
def test_the_sentence_and_what_it_cites(measure, text: str, cited: list[str]) -> None:
    found = describe(measure)
    assert found.text == text
    assert re.findall(r"^@\w+\{(\w+),$", found.bibtex, re.MULTILINE) == cited


@given(st.lists(EVERY, min_size=2, max_size=6))
def test_two_measures_never_have_the_same_description(drawn: list) -> None:
    """Also not a measure and the one without one of its parameters."""
    measures = set()
    for name, params in drawn:
        for left in [None, *params]:
            try:
                measure = MEASURES[name](**{k: v for k, v in params.items() if k != left})
                measure.validate_params()
            except ValueError:  # a parameter means nothing without another one
                continue
            measures.add(measure)
    assert len({describe(measure).text for measure in measures}) == len(measures)


@given(EVERY)
def test_one_measure_has_one_description_however_it_is_written(drawn) -> None:
    measure = made(drawn)
    again = MEASURES[drawn[0]](**dict(reversed(drawn[1].items())))
    assert describe(str(measure)) == describe(measure) == describe(again) == describe([measure] * 2)


def test_ways_to_write_one_measure() -> None:
    same = [
        nDCG(gains="0–1–10–100", discount="original", base=10.0) @ np.int64(100),
        nDCG(gains="0-1-10-100", discount="original", base=10, avg_pos=False, cutoff=100),
        "nDCG(base=10,discount='original',gains='0-1-10-100',ties='doc_id')@100",
    ]
    assert len({describe(measure) for measure in same}) == 1
    assert describe(ir_measures.parse_measure("nDCG(discount='log2')@5")) == describe("nDCG@5")


def test_every_declared_name_has_its_phrase_and_no_other_has() -> None:
    """What the property above cannot draw: the words must be those of the declarations."""
    known = phrases()
    assert known["discounts"].keys() == DISCOUNTS.keys()
    assert known["query_discounts"].keys() == QUERY_DISCOUNTS.keys()
    assert known["measures"].keys() == MEASURES.keys()
    assert known["clauses"]["ties"].keys() == known["formulas"]["ties"].keys() == TIES.keys()
    for table in (known["clauses"]["duplicates"], known["formulas"]["G_q"]):
        assert table.keys() == DUPLICATES.keys()


@pytest.mark.parametrize(("name", "entry"), DISCOUNTS.items())
def test_a_discount_cites_its_source(name: str, entry) -> None:
    """The sources are those of pt_cumgain.core; log2 has no paper of its own."""
    papers = {
        "TOIS 2002": "jarvelin2002",
        "ECIR 2008": "jarvelin2008",
        "SIGIR 2000": "jarvelin2000",
        "Kanoulas et al., SIGIR 2011": "kanoulas2011",
        "trec_eval and ir-measures nDCG": "jarvelin2002",  # the measure's own
    }
    (key,) = (key for source, key in papers.items() if entry.source.startswith(source))
    assert f"{{{key}," in describe(DCG(discount=name)).bibtex
    words = phrases()["discounts"][name]["words"]
    assert ("{base}" in words) == entry.takes_base
    if name in QUERY_DISCOUNTS and entry.takes_base:
        source = QUERY_DISCOUNTS[name].source
        (key,) = (key for start, key in papers.items() if source.startswith(start))
        narrative = phrases()["references"][key]["narrative"]
        assert narrative in phrases()["query_discounts"][name]["words"]


# a small reader of the formulas, which knows nothing of how they were made

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|d_\{\\mathrm\{q\}\}|V_I|G_q|\d+(?:\.\d+)?|\S")
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

    def within(self, begin: str = "{", end: str = "}") -> float:
        self.take(begin)
        value = self.sum()
        self.take(end)
        return value

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
            value **= self.within()
        return value

    def one(self) -> float:
        token = self.take()
        if re.match(r"\d", token):
            return float(token)
        if token == "-":
            return -self.power()
        if token == "(":
            self.at -= 1
            return self.within("(", ")")
        if token == r"\frac":
            top = self.within()
            bottom = self.within()
            return top / bottom
        if token == r"\log":
            self.take("_")
            base = self.within()
            return math.log(self.power(), base)
        if token in (r"\max", r"\min"):
            self.take("(")
            values = [self.sum(), self.take(","), self.sum()][::2]
            self.take(")")
            return max(values) if token == r"\max" else min(values)
        if token == r"\infty":
            return self.known["infinity"]
        if token == r"\sum":
            return self.series()
        if token == "w":
            self.take("_")
            self.take("{")
            places = [self.sum(), self.take(","), self.sum()][::2]
            self.take("}")
            return self.known["w"](*places)
        value = self.known[token]
        if callable(value):
            brackets = ("[", "]") if self.next() == "[" else ("(", ")")
            return value(self.within(*brackets))
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
            whole = [range(1, int(self.known[limit]) + 1) for limit in ("n", "k")]
            indices = [{"q": q, "i": i} for q, i in itertools.product(*whole)]
            indices = [new for new in indices if self.holds(start, new)]
            self.at = end
        else:
            letter = condition[0]
            self.at = start + 2
            low = self.sum()
            self.take("}")
            self.take("^")
            high = self.within()
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
        return self.compared()

    def compared(self) -> bool:
        left = self.sum()
        compare = _COMPARED[self.take()]
        if self.next() != r"\{":
            return compare(left, self.sum())
        self.take()
        among = [self.sum()]
        while self.next() == ",":
            self.take()
            among.append(self.sum())
        return compare(left, among)


def read(text: str, **known: Any) -> float:
    """The value of an expression, of several cases or of one."""
    cases = re.fullmatch(r"\\begin\{cases\} (.*) \\end\{cases\}", text)
    if cases is None:
        return Reader(text, known).sum()
    rows = [row.split(" & ") for row in cases[1].split(r" \\ ")]
    (value,) = (value for value, condition in rows if Reader(condition, dict(known)).compared())
    return Reader(value, known).sum()


def lines(measure) -> dict[str, str]:
    """The right sides of a formula's lines by their left sides."""
    formula = describe(measure).formula
    body = formula.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    return dict(line.split(" &= ", 1) for line in body.split(" \\\\\n"))


@pytest.mark.parametrize("base", [2, 2.5, 4, 10])
@pytest.mark.parametrize("name", DISCOUNTS)
def test_the_formula_of_a_discount_is_that_of_core(name: str, base: float) -> None:
    params = {"base": base} if DISCOUNTS[name].takes_base else {}
    right = lines(DCG(discount=name, **params))["d(i)"]
    for rank in range(1, 12):
        expected = DISCOUNTS[name].formula(np.array([float(rank)]), base)[0]
        assert read(right, i=rank) == pytest.approx(expected, rel=1e-12)
    if name in QUERY_DISCOUNTS:
        params = {"bq": base} if params else {}
        right = lines(sDCG(query_discount=name, **params))[r"d_{\mathrm{q}}(q)"]
        for position in range(1, 12):
            expected = QUERY_DISCOUNTS[name].formula(np.array([float(position)]), base)[0]
            assert read(right, q=position) == pytest.approx(expected, rel=1e-12)


@given(parameters(list(MEASURES)))
def test_the_formula_of_the_gains_is_the_weighting(drawn) -> None:
    measure = made(drawn)
    right = lines(measure)[r"g(\ell)"]
    for level in range(-3, 5):
        expected = float(measure.spec.gains.gain([level])[0])
        assert read(right, **{r"\ell": level}) == pytest.approx(expected, rel=1e-12)


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
    ideal = sorted((g(level) for level in qrels.values() if g(level) > 0), reverse=True)
    known: dict[str, Any] = {
        "infinity": len(qrels),
        "G": lambda i: g(GAIN[int(i) - 1]) if i <= len(GAIN) else 0.0,
        "I": lambda i: ideal[int(i) - 1] if i <= len(ideal) else 0.0,
        "d": at_every(left.get("d(i)", ""), "i"),
    }
    known["k"] = len(ideal) if left["k"].startswith("|") else read(left["k"], **known)
    expected = reference.value(qrels, run, **as_reference_takes_them(name, params))
    head = next(iter(left.values()))
    nothing = not known["k"] or (MEASURES[name].NORMALISED and not ideal)
    value = 0.0 if nothing else read(head, **known)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(parameters(OF_SESSIONS))
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
        "w": weight,
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


def test_what_the_reader_does_not_read() -> None:
    """Sets, which are checked by eye: those of DESIGN, section 8, and of ECIR 2008, section 3.3."""
    plain = lines(CG)["G[i]"]
    assert lines(CG(ties="best"))["G[i]"].removeprefix(plain).endswith(r"G[i] \ge G[i+1]")
    assert lines(CG(ties="worst"))["G[i]"].removeprefix(plain).endswith(r"G[i] \le G[i+1]")
    assert lines(CG(judged_only=True))["G[i]"] == r"g(\ell(x_i)), \quad x_i \in J"
    average = lines(CG(ties="average"))["G[i]"]
    assert average.startswith(r"\frac{1}{|T_i|} \sum_{x \in T_i \cap J} g(\ell(x)), \quad T_i = ")
    both = lines(CG(ties="average", judged_only=True))["G[i]"]
    assert both.endswith(r"x_i \in J, \quad T_i = \{ x \in J : s(x) = s(x_i) \}")
    first = lines(sDCG(duplicates="first"))["G_q[i]"]
    assert first.endswith(r"S_q = \{ x_{r,j} : r < q, \; j \le k \}")
    assert lines(nCG(at_r=True))["k"] == r"|\{ x \in J : g(\ell(x)) > 0 \}|"
    assert "by descending id" in describe(CG).symbols
    assert "by descending id" not in describe(CG(ties="average")).symbols


def written_elsewhere(known: dict, measure: CumulatedGain) -> str:
    """A topic measure's sentence as the docstring of `phrases` says, from its data alone."""
    spec, name = measure.spec, measure.__name__
    place = "cutoff" if spec.cutoff else "at_r" if spec.at_r else "all"
    if spec.avg_pos:
        place = "avg_pos_at_r" if spec.at_r else "avg_pos"
    parts = []
    if name in ("DCG", "nDCG"):
        words = known["discounts"][spec.discount]["words"]
        parts.append(words.replace("{base}", str(measure.params.get("base", 2))))
    weighting = spec.gains
    kind = "level" if weighting.kind == "mapping" and not weighting.weights else weighting.kind
    gains = known["gains"]
    numbers = [[f"{x:g}" if x == int(x) else repr(x) for x in pair] for pair in weighting.weights]
    pairs = [
        gains["pair"].replace("{gain}", gain).replace("{level}", level) for level, gain in numbers
    ]
    words = gains[kind]["words"].replace("{weights}", ", ".join(gain for _, gain in numbers))
    parts.append(words.replace("{pairs}", ", ".join(pairs)))
    text = known["sentence"].replace("{parts}", ", and ".join(parts))
    text = text.replace("{place}", known["places"][place]).replace("{cutoff}", str(spec.cutoff))
    for clause in ("judged_only", "ties"):
        if (value := str(getattr(spec, clause))) not in known["unsaid"]:
            text += "; " + known["clauses"][clause][value]
    if name in ("DCG", "nDCG") and spec.cutoff and spec.cutoff <= spec.base:
        clause = known["discounts"][spec.discount]["up_to_base"]
        text += f"; {clause}" if clause else ""
    if measure.NAME == "nDCG":
        text += "; " + known["clauses"]["host"]
    own = known["references"][known["measures"][name]]
    if own["narrative"] not in text and own["parenthetical"] not in text:
        name += f" ({own['parenthetical']})"
    return text.replace("{measure}", name)


@given(parameters(ORDINARY))
def test_another_program_can_write_the_sentence_from_the_phrases(drawn) -> None:
    measure = made(drawn)
    if measure.spec.gains.kind == "mapping" and not measure.spec.gains.weights:
        return  # such a mapping, {1: 1}, is for those who write code
    known = json.loads(json.dumps(phrases()))
    assert written_elsewhere(known, measure) == describe(measure).text


def test_the_phrases_are_a_copy() -> None:
    phrases()["discounts"].clear()
    assert phrases()["discounts"].keys() == DISCOUNTS.keys()


def test_a_grid_says_once_what_its_measures_share() -> None:
    bases = {"discounts": ["original", "log2"], "bases": [2, 10]}
    weightings = {"flat": "0-1-1-1", "very steep": "0-1-10-100"}
    found = describe(grid([CG, nDCG], gains=weightings, cutoffs=[5, 10], **bases))
    assert found.text == (
        "CG and nDCG. The 16 measures have gains 0, 1, 1, 1 (flat) or gains 0, 1, 10, 100 (very "
        "steep), and are taken at rank 5 (@5) or at rank 10 (@10); nDCG has the discount of "
        "Järvelin and Kekäläinen (2002), base 2 (original b2), base 10 (original b10) or the "
        "discount log2(rank + 1) (log2); every combination is among them. With the discount of "
        "Järvelin and Kekäläinen (2002), no rank up to the base is discounted."
    )
    assert r"d^{\text{original b10}}(i) &= \begin{cases} 1 & i < 10" in found.formula
    assert r"g^{\text{very steep}}(\ell) &= " in found.formula
    assert r"k &\in \left\{ 5, \; 10 \right\}" in found.formula
    heads = [line.partition(" &")[0] for line in found.formula.splitlines()[1:3]]
    assert heads == [r"\mathrm{CG}@k", r"\mathrm{nDCG}@k"]
    assert found.symbols.endswith("numbers follow the order of the text.")
    assert found.bibtex == describe("nCG").bibtex
    one = describe(grid(nDCG, gains=IPM2005, cutoffs=5))
    assert one.text.startswith(
        "nDCG (Järvelin and Kekäläinen, 2002) at rank 5 with the discount log2(rank + 1). The 4 "
        "measures have gains 0, 1, 1, 1 (w1), gains 0, 1, 2, 3 (w3), gains"
    )
    kinds = describe(grid(nDCG, discounts=["log2", "original"]))
    assert kinds.text.endswith("base 2 (original). nDCG log2 is computed by ir-measures.")


def test_a_list_says_what_differs_in_turn() -> None:
    found = describe(
        [CG @ 5, "nDCG@10", nDCG(ties="average") @ 10, ir_measures.P @ 5, "AP", CG @ 5]
    )
    assert found.text == (
        "CG and nDCG (Järvelin and Kekäläinen, 2002) with the discount log2(rank + 1) (of nDCG), "
        "and gains equal to the relevance levels. The 3 measures are, in turn, CG: at rank 5, "
        "documents of equal score rank by descending id; nDCG: at rank 10, documents of equal "
        "score rank by descending id; nDCG: at rank 10, documents of equal score count with the "
        "mean over all their orders (McSherry and Najork, 2008). Plain nDCG is computed by "
        "ir-measures. Beside them: P@5, AP."
    )
    assert found.bibtex.count("@") == 2
    two = describe([CG(judged_only=True) @ 5, sDCG @ 5]).text
    assert "; documents without a judgment are left out before ranking (of CG); a document" in two
    alone = describe([CG @ 5, "AP"]).text
    assert alone == f"{describe(CG @ 5).text}. Beside it: AP."
    names_only = describe([CG @ 5, DCG(discount="none") @ 5]).text
    assert names_only.endswith("with no discount of ranks (of DCG), and gains equal to the "
                               "relevance levels")  # fmt: skip


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


def test_of_several_measures_it_is_said_of_the_discount() -> None:
    original = DCG(discount="original", base=10)
    said = (
        "With the discount of Järvelin and Kekäläinen (2002), no rank up to the base is discounted."
    )
    for others in ([original @ 100], [DCG @ 10, nDCG @ 10]):
        for measures in ([original @ 10, *others], [*others, original @ 10]):
            assert describe(measures).text.count(said) == 1
    assert "no rank" not in describe([original @ 100, original @ 200, DCG @ 5]).text
    alike = describe([original(ties="best") @ 10, original(ties="best") @ 5]).text
    assert alike.count(said) == 1


def test_a_table_is_described_by_its_rows() -> None:
    measures = grid([nDCG], gains=TOIS2002, cutoffs=[10])
    rows = [(s, q, str(m), 0.5) for s in "AB" for q in "12" for m in measures]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    table = paper_table(results, test=None)
    assert describe(table) == describe(list(measures))
    named = paper_table(results, measures=measures, rows="systems", test=None)
    assert describe(named) == describe(measures)
    with pytest.raises(ValueError, match=r"row 'nDCG 0-1-1-1' is not the text of a measure; desc"):
        describe(paper_table(measures.rename(results), test=None))


class _Other(CumulatedGain):
    __name__ = "Other"
    SUPPORTED_PARAMS = Params()


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P@5", "P@5 is not a measure of this package; CG, DCG, nCG"),
        ([ir_measures.AP], "AP is not a measure of this package"),
        ([], "there is no measure; CG"),
        (nDCG(avg_pos=True), "avg_pos=True averages the vector over the ranks 1 to k"),
        (_Other(), "Other is not one of CG, DCG, nCG, nDCG, sDCG, nsDCG, and has no words here"),
        (7, "7 is not a measure"),
    ],
)
def test_what_has_no_description(measure, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        describe(measure)


def test_it_reads_well_in_a_terminal_and_a_notebook() -> None:
    found = describe(DCG(discount="original", base=3) @ 5)
    parts = [found.text, found.formula, found.symbols, found.bibtex]
    assert str(found) == repr(found) == "\n\n".join(parts)
    page = found._repr_html_()
    assert r"1 &amp; i &lt; 3 \\ \log_{3} i &amp; i \ge 3" in page
    assert page.startswith("<p>DCG at rank 5 with the discount of Järvelin")
    with pytest.raises(AttributeError):
        found.text = ""


@pytest.mark.end_to_end
def test_latex_and_bibtex_take_it_as_it_is(tmp_path) -> None:
    """Each phrase stands in some description of these; bibtex must not even warn."""
    for program in ("pdflatex", "bibtex", "kpsewhich"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not subprocess.run(["kpsewhich", "amsmath.sty"], capture_output=True).stdout:
        pytest.skip("the LaTeX package amsmath is not installed")
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
    ]
    several = [
        grid([CG, nDCG], gains={"w_1 ^~\\": "0-1", "ü": "0-2"}, discounts=["log2", "rank"]),
        [nCG(ties=ties) for ties in TIES],
    ]
    found = [describe(measure) for measure in [*measures, *several]]
    entries = phrases()["references"]
    body = "\n\n".join(f"{d.text}\n\\[{d.formula}\\]\n{d.symbols}" for d in map(describe, measures))
    body += "".join(f"\\[{description.formula}\\]" for description in found[len(measures) :])
    cited = {entry for d in found for entry in d.bibtex.split("\n\n")}
    assert cited == {entry["bibtex"] for entry in entries.values()}
    (tmp_path / "papers.bib").write_text("\n\n".join(sorted(cited)), "ascii")
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
        f"{body}\n\\nocite{{*}}\\bibliographystyle{{plain}}\\bibliography{{papers}}\n"
        "\\end{document}\n",
        "utf-8",
    )
    once = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (once, ["bibtex", "paper"], once):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]
        assert "Warning--" not in done.stdout
    shown = (tmp_path / "paper.bbl").read_text()
    assert shown.count("\\bibitem") == len(entries)


def test_measures_of_two_papers_are_each_of_their_own() -> None:
    """And what differs without a label is numbered in the formula alone."""
    found = describe([CG @ 10, nsDCG @ 10])
    assert found.text.startswith(
        "CG (Järvelin and Kekäläinen, 2002), and nsDCG with the discount of"
    )
    found = describe([nDCG(gains="0-1-1") @ 5, nDCG(gains="0-1-9") @ 5])
    assert found.text.endswith("The 2 measures have gains 0, 1, 1 or gains 0, 1, 9.")
    assert r"g^{\text{2}}(\ell) &= " in found.formula
