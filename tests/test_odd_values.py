"""Odd values for every parameter of every public function: a result, or an error in our words.

All other arguments are valid. Lone surrogates are left out: no file and no terminal takes them.
"""

import ast
import datetime
import inspect
import io
import math
import re
import reprlib
import traceback
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from matplotlib import pyplot

import pt_cumgain
from pt_cumgain import core, papers, sessions, trust
from pt_cumgain.pydocs import DATA
from tests.support.helpers import PUBLIC

TOPICS = ["1", "2", "3"]
PLACES = {"qid": np.repeat(TOPICS, 2), "docno": ["a", "x", "b", "a", "b", "y"]}
RUN = pd.DataFrame({**PLACES, "score": [2.0, 1.0, 4.0, 3.0, 2.0, 1.0]})
QRELS = pd.DataFrame({**PLACES, "docno": ["a", "b"] * 3, "label": [1, 2, 2, 0, 1, 1]})
SESSION_RUN = RUN.assign(query_position=[1, 2] * 3)
SYSTEMS = {"A": RUN, "B": RUN.assign(score=[1.0, 2.0, 3.0, 4.0, 1.0, 2.0])}
IN_SESSIONS = {"A": SESSION_RUN, "B": SESSION_RUN.assign(query_position=1)}
QUERIES = pd.DataFrame({"qid": TOPICS, "query": ["one", "two", "three"]})
SESSIONS = pd.DataFrame({"qid": TOPICS, "topic": TOPICS, "queries": [["one", "two"]] * 3})
RESULTS = pd.concat(
    pt_cumgain.evaluate("CG@1", QRELS, run).assign(name=name) for name, run in SYSTEMS.items()
)
CURVES = pt_cumgain.gain_curves(SYSTEMS, None, QRELS, "CG", 3)
MEANS = RESULTS.pivot_table("value", "name", "measure").reset_index().assign(other=[1.0, 0.5])
MAPPED = pt_cumgain.weighting_map(SYSTEMS, None, QRELS, "nDCG@2", levels=[1, 2])

#: Valid arguments by name; those of a function by its name and theirs.
VALID: dict[str, Any] = {"systems": SYSTEMS, "topics": None, "qrels": QRELS, "run": RUN}
VALID |= {"measures": "nDCG@2", "measure": "nDCG@2", "values": {"nDCG@2": "0.9000"}, "level": 1}
VALID |= {"results": RESULTS, "curves": CURVES, "means": MEANS, "depth": 2, "resamples": 100}
VALID |= {"matrix": pt_cumgain.comparing.rank_correlation(MEANS), "name": "own"}
VALID |= {"path": "written.html", "target": "written.res", "paths": "values.csv"}
VALID |= {"sessions": SESSIONS, "queries": sessions.to_queries(SESSIONS)}
VALID |= {"frame": RUN.assign(qid=["1_1", "1_2", "2_1", "2_2", "3_1", "3_2"])}
VALID |= {"source": DATA / "session_runs" / "bm25.res.gz", "pipeline": pt.Transformer.identity()}
VALID |= {"truth": [1.0, 2.0], "judged": [2.0, 1.0], "gain_curves.measures": "nDCG"}
VALID |= {"pairs": pt_cumgain.dominance(SYSTEMS, None, QRELS, "nDCG@2")}
VALID |= {"parts": trust.gain_by_level(SYSTEMS, None, QRELS, "CG@2")}
VALID |= {"table": papers.precision_by_level(SYSTEMS, None, QRELS)}
VALID |= {"plot_weightings.frame": MAPPED, "style_systems.systems": ["A", "B"]}
VALID |= {"register_discount.weights": [1, 0.5], "read_session_track.path": "track.xml"}
VALID |= {"write_session_run.run": SESSION_RUN, "session_lengths.systems": IN_SESSIONS}
VALID |= {"gain": [3, 0, 1], "ideal": [3, 2, 1], "vector": [3, 3, 4], "rank": [1, 2, 3], "k": [2]}
VALID |= {"position": [1, 1, 2], "weight": [[1, 0.5]], "assign_gains.ideal": [[3, 2]], "largest": 3}
VALID |= {"has_ideal.discount": "original"}
VALID |= {"to_sessions.queries": sessions.split_turns(QUERIES.assign(qid=["1_1", "1_2", "2_1"]))}
for name in ("query_gains", "session_curves"):
    given = {"systems": IN_SESSIONS, "measures": "sDCG@2", "sessions": None}
    VALID |= {f"{name}.{parameter}": value for parameter, value in given.items()}
SESSION_CURVES = sessions.session_curves(IN_SESSIONS, None, QRELS, "sDCG@2")
VALID |= {"plot_session_curves.curves": SESSION_CURVES}
VALID |= {"plot_pair.x": "A", "plot_pair.y": "B", "plot_topics.baseline": "A"}


class Strange:
    """An object that is like nothing else."""

    def __repr__(self) -> str:
        return "<Strange>"


def odd_values() -> Iterator[Any]:
    """Yield about a hundred values; those that are used up are new each time."""
    yield from (None, True, False, ..., NotImplemented, Strange(), Strange, len, math, type)
    yield from (0, 1, -1, 2, 7, 5000, 10**30, -(10**30), 10**400, 0.0, -0.0, 0.5, 1.5, -2.5)
    yield from (1e-320, 1e308, math.inf, -math.inf, math.nan, 1j, Decimal("0.5"), Decimal("nan"))
    yield from (Fraction(1, 2), np.int8(3), np.uint64(2**64 - 1), np.float32(0.5), np.bool_(True))
    yield from (np.float64("nan"), np.datetime64("2020-01-01"), np.str_("A"), np.array(3))
    yield from (pd.NA, pd.NaT, pd.Timestamp(0), datetime.date(2020, 1, 1), datetime.timedelta(1))
    yield from ("", " ", "x", "A", "1", "nan", "a\nb", "a\x00b", "\u202e", "é", "🎈", "x" * 5000)
    yield from ("(", "nDCG@0", "nDCG(", "CG@1e5", "0-1", "%s{}", "../x", "/", ".", b"", b"x")
    yield from (bytearray(b"x"), memoryview(b"x"), Path("none"), Path(), io.BytesIO(b"x"))
    yield from (io.StringIO("x"), [], (), {}, set(), frozenset(), range(0), range(3), [None], [[]])
    yield from ([1, 2], ["A"], ["A", "A"], ["A", "B"], ["A", "B", "C"], [math.nan], [10**400])
    yield from (("A", 1), [("A", 1)], {"A"}, {"A": 1}, {"A": None}, {"A": {}}, {"A": "x"}, {1: 2})
    yield from ({"A": RUN}, {None: RUN}, {"1": {"a": 1}}, {"1": {"a": None}}, {"1": {"a": "x"}})
    yield from ({"1": {1: 1.0}}, {"1": {"a": 10**400}}, {"1": [1]}, {("a",): 1}, {1.5: "x"})
    yield from (iter([]), iter(["A"]), (x for x in [1]), zip("ab", [1, 2]), {}.keys())
    yield from ({"A": 1}.items(), np.array([]), np.array([1, 2]), np.array([[1.0]]))
    yield from (np.array(["A"]), np.array([None]), np.zeros((2, 2)), np.array([1], dtype=">i4"))
    yield from (np.array([True]), np.ma.array([1]), pd.Series(dtype=float), pd.Series([1, 2]))
    yield from (pd.Series(["A"]), pd.Index(["A"]), pd.Categorical(["A"]), pd.DataFrame())
    yield from (pd.DataFrame({"x": [1]}), pd.DataFrame([[1]]))
    yield from (RUN, QRELS, SESSION_RUN, SESSIONS, QUERIES, RESULTS, CURVES, MEANS)


def odd_columns(column: pd.Series) -> Iterator[pd.Series]:
    """Yield a valid column as other kinds, and columns of odd values."""
    if not isinstance(column.iloc[0], list):
        yield column.astype("category")
    yield column.astype(object)
    for value in (None, math.nan, pd.NA, "x", "", 1, -1, 2.5, math.inf, True, 10**400, 1j):
        yield pd.Series([value] * len(column), column.index)
    for value in (["x"], {"x": 1}, b"x", Strange(), 10**30, pd.Timestamp(0)):
        yield pd.Series([value] * len(column), column.index, dtype=object)
    for kind in (">i4", ">f8", ">f4", "f2", "u1", "string", "Int8"):
        yield pd.Series(np.ones(len(column)), column.index).astype(kind)


def odd_frames(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield a valid frame with odd columns, rows and indexes."""
    yield frame.head(0)
    yield frame.iloc[::-1]
    yield frame.T
    yield pd.concat([frame, frame], axis=1)
    yield frame.set_axis(pd.MultiIndex.from_product([["x"], frame.columns]), axis=1)
    yield frame.set_axis(range(len(frame.columns)), axis=1)
    yield frame.set_index(list(frame.columns)[:2], drop=False)
    yield frame.set_index(list(frame.columns)[:2])
    for name in frame.columns:
        yield frame.drop(columns=name)
        for column in odd_columns(frame[name]):
            odd = frame.copy()
            odd[name] = column  # the name may be a number
            yield odd


#: Those without `save`, which passes its options on to matplotlib.
FUNCTIONS = {
    name: function
    for name, function in PUBLIC.items()
    if inspect.isfunction(function) and name != "save"
}
FUNCTIONS["Weighting"] = pt_cumgain.Weighting
PLAIN = "cg discount_gains ideal_order norm_vect largest_cg sum_recall_base avg_pos discounts"
PLAIN += " has_ideal query_discounts discount_session_gains assign_gains"
FUNCTIONS |= {name: getattr(core, name) for name in PLAIN.split()}
#: The words of errors that are not raised in this package, and why they may pass.
OTHERS = {
    r"\[Errno \d+\] .*'": "the operating system's name the file",
    r"unknown (run|qrels) format: ": "ir-measures' tell the forms that it reads",
    r"embedded null byte": "Python's, of a path that no operating system has",
    r"must be str, not bytes|string argument expected, got 'bytes'": "of a file open for text",
    r"broadcast|dimensions": "NumPy's, of shapes that do not go together",
    r"Big-endian buffer not supported": "pandas', of a column that this package does not read",
}
PACKAGE = Path(pt_cumgain.__file__).parent
#: Of so many odd values, a function that draws takes one: a picture takes a tenth of a second.
DRAWN = 7


def valid_arguments(name: str) -> dict[str, Any]:
    """Return valid arguments for all parameters that need one, and small numbers for others."""
    given = {}
    for each in inspect.signature(FUNCTIONS[name]).parameters.values():
        own = f"{name}.{each.name}"
        if own in VALID:
            given[each.name] = VALID[own]
        elif each.default is each.empty or each.name in ("depth", "resamples"):
            given[each.name] = VALID[each.name]
    return given


@cache
def raising_lines(file: str) -> frozenset[int]:
    """Return the lines of a file of this package on which there is a statement ``raise``."""
    if PACKAGE not in Path(file).parents:
        return frozenset()
    nodes = ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
    raises = [node for node in nodes if isinstance(node, ast.Raise)]
    return frozenset(i for one in raises for i in range(one.lineno, (one.end_lineno or 0) + 1))


def is_in_words(error: Exception) -> bool:
    """Return whether this package raised an error, with a text, or it is one of the others."""
    if not isinstance(error, (TypeError, ValueError, ImportError, OSError)):
        return False
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    ours = line in raising_lines(frame.f_code.co_filename)
    return bool(str(error).strip()) and (ours or any(re.search(one, str(error)) for one in OTHERS))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are read, in a folder of their own, in which others are written."""
    monkeypatch.chdir(tmp_path)
    Path("values.csv").write_text("name,qid,measure,value\nA,1,CG,1\n")
    Path("track.xml").write_text(
        "<t><session num='1'><topic num='1'/><interaction num='1'><query>q</query></interaction>"
        "</session></t>"
    )


@pytest.mark.filterwarnings("ignore:.*None of the known variants:UserWarning")
@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_valid_arguments_are_valid(name: str) -> None:
    FUNCTIONS[name](**valid_arguments(name))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("reconcile", {"qrels": {"A": 1}}, "qrels query_id 'A' must map to a dict of documents"),
        ("write_session_run", {"target": None}, "target=None must be a path, or a file"),
        ("tau_ap", {"truth": [1, 10**400]}, "truth of row 1 is too large for a float"),
        ("register_discount", {"weights": [10**400]}, "weights=.* must be a vector of numbers"),
        ("weighting_map", {"levels": [10**400]}, "is not a positive level of the qrels"),
        ("effort", {"curves": CURVES.assign(value=10**400)}, "value of row 0 is too large for a"),
        ("plateau_ranks", {"curves": CURVES.assign(name=None)}, "a row has no name or no measure"),
        ("to_queries", {"sessions": SESSIONS.assign(qid=np.ones(3, ">i4"))}, "^sess.*'qid'.*>i4"),
        ("intervals", {"results": RESULTS.assign(qid=[["x"]] * 6)}, "'qid' of the type object"),
        ("Weighting", {"gains": np.array([1, 2])}, "gains=array.* is not a weighting"),
        ("bounds", {"systems": "A"}, "systems must be a list or a dict of systems, not 'A'"),
        ("style_systems", {"systems": 7}, "systems=7 must be a list of names"),
        ("cg", {"gain": 3}, "gain=3 must be a vector of numbers"),
        ("assign_gains", {"weight": [1]}, r"weight=\[1\] must be a table, with a row"),
        ("discounts", {"rank": [10**400]}, r"rank=\[1000.* an array of numbers, as floats"),
        ("ideal_order", {"gain": [[1, 2]]}, r"shape \(1, 2\); order one topic at a time"),
        ("avg_pos", {"k": [1.5]}, r"k=\[1.5\] must be whole numbers of at least 0"),
        ("precision_by_level", {"qrels": QRELS.assign(docno=None)}, "row 0 holds None"),
    ],
)
def test_kinds_of_odd_values(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        FUNCTIONS[name](**{**valid_arguments(name), **change})


@pytest.mark.parametrize("name", PLAIN.split())
def test_an_error_about_an_argument_begins_with_its_name(name: str) -> None:
    for parameter in inspect.signature(FUNCTIONS[name]).parameters:
        with pytest.raises((TypeError, ValueError), match=f"^(query_)?{parameter}='x' "):
            FUNCTIONS[name](**{**valid_arguments(name), parameter: "x"})


def test_levels_of_an_index_may_be_named_like_columns() -> None:
    expected = sessions.session_qrels(QRELS, SESSIONS)
    given = SESSIONS.set_index(["qid", "topic"], drop=False)
    pd.testing.assert_frame_equal(sessions.session_qrels(QRELS, given), expected)


def test_numbers_of_every_kind_are_numbers() -> None:
    halves = [pt_cumgain.intervals(RESULTS, confidence=half) for half in (0.5, Fraction(1, 2))]
    pd.testing.assert_frame_equal(*halves)
    qrels, run = QRELS.astype({"label": ">i4"}), RUN.astype({"score": ">f4"})
    values = [pt_cumgain.evaluate("CG@1", *given) for given in ((qrels, run), (QRELS, RUN))]
    pd.testing.assert_frame_equal(*values)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, each) for name, f in FUNCTIONS.items() for each in inspect.signature(f).parameters],
)
def test_an_odd_value_gives_a_result_or_an_error_in_words(name: str, parameter: str) -> None:
    """An error that this package did not raise comes from a place that did not expect the value."""
    arguments = valid_arguments(name)
    right, values = arguments.get(parameter), [*odd_values()]
    if isinstance(right, pd.DataFrame):
        values += odd_frames(right)
    elif isinstance(right, dict) and isinstance(right.get("A"), pd.DataFrame):
        values += [{**right, "A": frame} for frame in odd_frames(right["A"])]
    draws = FUNCTIONS[name].__module__.startswith(("pt_cumgain.plots", "pt_cumgain.page"))
    wrong = []
    for value in values[:: DRAWN if draws else 1]:
        discounts = dict(core.DISCOUNTS)
        try:
            FUNCTIONS[name](**{**arguments, parameter: value})
        except Exception as error:  # all of them are listed
            if not is_in_words(error):
                wrong.append((reprlib.repr(value), error))
        pyplot.close("all")
        core.DISCOUNTS.clear()
        core.DISCOUNTS.update(discounts)
    assert not wrong
