"""The file of a page: the data that its scripts read, its texts, and what it cannot show.

`test_report_numbers.py` shows in a browser what the scripts make of these data.
"""

import base64
import datetime
import json
import random
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pt_cumgain
from pt_cumgain import pydocs
from pt_cumgain.core import BUILT_IN, DISCOUNTS
from pt_cumgain.page import report as module
from pt_cumgain.page.report import state_of
from pt_cumgain.plots._style import COLOURS
from tests.support.helpers import ours, slow

QRELS = {"1": {"a": 2, "b": 1, "c": 2}, "2": {"d": 0, "e": 1}}
X = {"1": {"x": 5.0, "a": 4.0, "b": 3.0, "c": 3.0}, "2": {"u": 4.0, "v": 4.0, "w": 2.0, "e": 1.0}}
Y = {"2": {"e": 2.0, "d": 1.0}}

pytestmark = pytest.mark.filterwarnings("ignore:the run 'Y' has no documents for 1 of the 2")


def write(folder: Path, runs, qrels, topics=None, **options) -> tuple[dict, str]:
    """Write a page; return its data, and its text without its scripts."""
    path = folder / "page.html"
    pt_cumgain.report(runs, topics, qrels, path=path, **options)
    text = path.read_text("utf-8")
    data = json.loads(re.search(r'<script [^>]+ id="data">(.*)</script>', text)[1])
    return data, re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def unpack(text: str, kind: str) -> list[int]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind).tolist()


@pytest.mark.parametrize("measure", ["nDCG@3", "CG@1"])
def test_the_judged_documents_by_hand(measure, tmp_path) -> None:
    """Down to rank 3, whatever the cutoff: X has a at rank 2, then c and b, tied; c is first by id.

    The block of ties has 2 documents above it and ends at rank 4. In topic 2, e is at rank 4, which
    is too deep; Y has e and d.
    """
    data, _ = write(tmp_path, {"X": X, "Y": Y}, QRELS, depth=3, measure=measure)
    assert data["levels"] == [0, 1, 2]
    assert unpack(data["hits"], "<u4") == [3, 0, 0, 2]  # of X in topics 1 and 2, then of Y
    assert unpack(data["rank"], "<u2") == [2, 3, 4, 1, 2]
    assert unpack(data["level"], "u1") == [2, 2, 1, 1, 0]
    assert unpack(data["lengths"], "<u2") == [3, 3, 0, 2]
    assert unpack(data["base"], "<u4") == [0, 1, 2, 1, 1, 0]  # of each level in topic 1, then in 2
    assert [unpack(column, "<u4") for column in data["tied"]] == [[1, 2], [2, 2], [4, 4]]
    assert data["documents"] is None


def test_a_rank_too_large_for_16_bits_is_the_largest(tmp_path) -> None:
    """a is the last of 70,000 tied documents; a rank has 2 bytes."""
    run = {"q": dict.fromkeys([*(f"d{i}" for i in range(69_999)), "a"], 1.0)}
    data, _ = write(tmp_path, {"X": run}, {"q": {"a": 1}}, depth=3)
    assert unpack(data["rank"], "<u2") == [2**16 - 1]
    assert [unpack(column, "<u4") for column in data["tied"]] == [[0], [0], [70_000]]


def test_the_ids_of_documents_by_hand(tmp_path) -> None:
    """Each once for a topic; X's first, by rank, then what Y alone has. Y has none of topic 1."""
    data, _ = write(tmp_path, {"X": X, "Y": Y}, QRELS, depth=3, measure="nDCG@3", documents=True)
    ids = json.loads(zlib.decompress(base64.b64decode(data["documents"]["ids"])))
    assert [of_topic[:3] for of_topic in ids] == [["x", "a", "c"], ["v", "u", "w"]]
    assert sorted(ids[1][3:]) == ["d", "e"]
    places = unpack(data["documents"]["places"], "<u4")
    assert places[:6] == [0, 1, 2, 0, 1, 2]
    assert [ids[1][place] for place in places[6:]] == ["e", "d"]


@pytest.mark.filterwarnings("ignore:.*none of its documents:UserWarning")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "options", "first"),
    [
        ("XY", {}, (0, 1)),  # the best is the baseline, and the second best beside it
        ("YX", {}, (1, 0)),
        ("XY", {"baseline": "Y"}, (1, 0)),  # another baseline has the best beside it
        ("XY", {"baseline": "X"}, (0, 1)),
        ("XY", {"baseline": 0}, (0, 1)),
        ("YX", {"baseline": 0}, (0, 1)),
        ("X", {}, (0, 0)),
    ],
)
def test_the_systems_that_are_compared_first(names, options, first, tmp_path) -> None:
    """nDCG@2 is 1 for X and 0 for Y."""
    runs = {"X": {"q": {"a": 1.0}}, "Y": {"q": {"b": 1.0}}}
    chosen = {name: runs[name] for name in names}
    data, _ = write(tmp_path, chosen, {"q": {"a": 1}}, measure="nDCG@2", **options)
    assert (data["first"]["baseline"], data["first"]["system"]) == first


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG(gains='exp')@2", ("nDCG", [0, 1, 3], "log2", 2, 2, "doc_id")),
        ("CG(ties='best')@1", ("CG", [0, 1, 2], "log2", 2, 1, "best")),  # log2, were it discounted
        ("DCG(discount='original',base=3)", ("DCG", [0, 1, 2], "original", 3, 5, "doc_id")),
    ],
)
def test_the_settings_are_those_of_the_measure(measure, expected, tmp_path) -> None:
    """A measure without a cutoff has rank 10, or the depth where that is less."""
    data, _ = write(tmp_path, {"X": X}, QRELS, measure=measure, depth=5)
    keys = ("measure", "gains", "discount", "base", "k", "ties")
    assert tuple(data["first"][key] for key in keys) == expected
    assert module._with_cutoff("CG", 100).spec.cutoff == 10
    assert state_of(pt_cumgain.CG @ 3, np.array([0.0, 1.0]))["k"] == 3


@pytest.mark.parametrize(
    ("count", "quantiles"), [(1, []), (5, [6.314, 2.920, 2.353, 2.132]), *slow((2, [6.314]))]
)
def test_the_quantiles_of_student_s_t(count: int, quantiles, tmp_path) -> None:
    """For 90% and n - 1 degrees of freedom: the column 0.95 of any table of t."""
    qrels = {str(q): {"a": 1} for q in range(count)}
    run = {topic: {"a": 1.0} for topic in qrels}
    data, shown = write(tmp_path, {"X": run}, qrels, confidence=0.9)
    assert data["t"] == pytest.approx(quantiles, abs=5e-4)
    assert data["confidence"] == "90%"
    assert "Intervals are 90% t intervals over topics, " in shown


def test_the_counts_at_the_foot_and_in_the_heading(tmp_path) -> None:
    """In the singular and in the plural, with commas in thousands; after an id of ir_datasets."""
    _, one = write(tmp_path, {"X": {"q": {"a": 1.0}}}, {"q": {"a": 1}}, depth=7)
    assert "<p>1 topic · 1 system · 1 judgment · ranks 1 to 7 · pt_cumgain " in one
    many = {"1": dict.fromkeys(map(str, range(1000)), 1), "2": {"e": 1}}
    _, more = write(tmp_path, {"X": X, "Y": Y}, many)
    assert "<p>2 topics · 2 systems · 1,001 judgments · ranks 1 to 100 · " in more
    for source, title in (
        (str(pydocs.DATA / "qrels.txt"), "42 topics, 5 systems"),  # a file's name says nothing
        ("pydocs", "pydocs: 42 topics, 5 systems"),
    ):
        _, shown = write(tmp_path, pydocs.runs(), source)
        assert f"<title>{title}</title>" in shown
        assert f'<h1 dir="auto">{title}</h1>' in shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:1 topic without judgments is omitted:UserWarning")
def test_titles_are_escaped_and_topics_have_their_texts(tmp_path) -> None:
    """Topics that the frame does not name are left out; without its column `query`, no text."""
    topics = pd.DataFrame({"qid": ["2", "9"], "query": ["<two>", "nine"]})
    data, shown = write(tmp_path, {"X": X}, QRELS, topics, title="<b> & co")
    assert data["topics"] == [{"id": "2", "text": "<two>"}]
    assert "<two>" not in (tmp_path / "page.html").read_text("utf-8")  # in no script either
    assert "<title>&lt;b&gt; &amp; co</title>" in shown
    for without in (topics[["qid"]], None):
        data, _ = write(tmp_path, {"X": X}, QRELS, without)
        assert {topic["text"] for topic in data["topics"]} == {""}


@pytest.mark.filterwarnings("ignore:.*none of its documents:UserWarning")
@pytest.mark.slow
def test_the_schemes_that_are_offered(tmp_path) -> None:
    """Those of the papers as far as the levels go, and none without a gain: of the levels 0 to 2,
    0-0-0-1 makes nothing. With a level 4, which they lack, none of them fits."""

    def offered(*levels: float) -> dict[str, list[float]]:
        qrels = {"1": {f"d{level}": level for level in levels}}
        data, _ = write(tmp_path, {"X": {"1": {"d1": 1.0}}}, qrels)
        return {one["label"]: one["gains"] for one in data["presets"]}

    three, four = offered(0, 1, 2), offered(0, 1, 2, 3)
    assert list(three)[:2] == ["the level itself", "2^level − 1"]
    assert three["2^level − 1"] == [0, 1, 3]
    assert three["0-1-10-100 (IPM 2005, TOIS 2002): here 0-1-10"] == [0, 1, 10]
    assert not any("0-0-0-1" in label for label in three)
    assert four["0-1-10-100 (IPM 2005, TOIS 2002)"] == [0, 1, 10, 100]
    assert [gains for label, gains in four.items() if "0-0-0-1" in label] == [[0, 0, 0, 1]]
    assert list(offered(0, 1, 4)) == ["the level itself", "2^level − 1"]
    assert offered(0, 0.25)["the level itself"] == [0, 0.25]


@pytest.mark.slow
def test_the_discounts_that_are_offered(tmp_path) -> None:
    """The built-in ones, and of those of the user's own the measure's alone.

    Of the built-in ones, that of SIGIR 2000 alone has an ideal only up to a base: 2.
    """
    pt_cumgain.register_discount("own", weights=[1.0, 0.5, 0.0])
    pt_cumgain.register_discount("other", weights=[1.0, 0.5, 0.25])
    data, _ = write(tmp_path, {"X": X}, QRELS, measure="DCG(discount='own')@3", depth=3)
    assert [one["name"] for one in data["discounts"]] == [*BUILT_IN, "own"]
    assert data["discounts"][-1]["weights"] == [1, 0.5, 0]
    limits = {one["name"]: one["upTo"] for one in data["discounts"]}
    assert limits.pop("sigir2000") == 2
    assert set(limits.values()) == {None}
    data, _ = write(tmp_path, {"X": X}, QRELS, measure="nDCG@3", depth=4)
    assert [one["name"] for one in data["discounts"]] == list(BUILT_IN)
    weights = {one["name"]: one["weights"] for one in data["discounts"]}
    assert weights["log2"] == pytest.approx(1 / np.log2([2, 3, 4, 5]))  # TREC: 1 / log2(1 + i)
    assert {name for name, of_ranks in weights.items() if of_ranks is None} == {
        name for name in BUILT_IN if DISCOUNTS[name].takes_base
    }
    data, _ = write(tmp_path, {str(i): X for i in range(8)}, QRELS)
    assert data["dashes"] == [[]] * 8  # solid
    assert len(set(data["colours"])) == data["coloured"] == 8


def test_lines_have_the_colours_and_dashes_of_styles(tmp_path) -> None:
    """In matplotlib's words: X has its second colour, Y the dashes of another name, Z nothing."""
    pytest.importorskip("matplotlib")
    styles = {"Y": {"linestyle": ":"}, "X": {"color": "C1", "linestyle": (0, (5, 2))}}
    data, _ = write(tmp_path, {"X": X, "Y": X, "Z": X}, QRELS, styles=styles)
    assert data["colours"] == ["#ff7f0e", COLOURS[0], COLOURS[2]]
    assert data["dashes"] == [[5, 2], [1, 1], []]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("most", "options"),
    [
        ({"systems": 2}, {}),
        ({"topics": 2}, {}),
        ({"relevance levels": 3}, {}),
        ({"ranks (depth)": 6}, {"depth": 6}),
        ({"systems times topics times ranks": 24}, {"depth": 6}),
    ],
)
def test_the_largest_page_is_allowed(most, options, tmp_path, monkeypatch) -> None:
    """Two systems, two topics and three levels; of one less, it is refused."""
    ((what, size),) = most.items()
    monkeypatch.setitem(module.MOST, what, size)
    write(tmp_path, {"X": X, "Y": Y}, QRELS, **options)
    monkeypatch.setitem(module.MOST, what, size - 1)
    with pytest.raises(ValueError, match=f"^{size} {re.escape(what)} are too many for a page"):
        write(tmp_path, {"X": X, "Y": Y}, QRELS, **options)


@pytest.mark.parametrize(
    ("level", "names", "proof"), [(1, "XY", None), (2, "X", None), (2, "XY", {"verdict": "leads"})]
)
def test_weightings_are_spoken_of_if_there_are_several(level, names, proof, tmp_path) -> None:
    """With one level above 0, no weighting is another one; a single system does not lead."""
    runs = {name: {"q": {doc: 1.0}} for name, doc in zip("XY", "ac") if name in names}
    data, _ = write(tmp_path, runs, {"q": {"a": level, "b": 1, "c": 0}})
    assert data["proof"] == proof


def test_a_weighting_that_misses_the_qrels_is_told_once(tmp_path, recwarn) -> None:
    """Not of the other measures that the page needs."""
    write(tmp_path, {"X": X}, QRELS, measure="CG(gains='0-1-2-9')@1")
    told = [str(one.message).partition(": no")[0] for one in ours(recwarn)]
    assert told == ["CG(gains='0-1-2-9')@1"]


@pytest.mark.slow
def test_the_same_page_at_another_date_differs_only_in_the_date(tmp_path) -> None:
    """The same call writes the same page; without a date it is today's."""
    pages = []
    before = datetime.date.today()
    for date in (datetime.date(2001, 2, 3), datetime.date(2001, 2, 3), None):
        write(tmp_path, {"X": X}, QRELS, date=date)
        pages.append((tmp_path / "page.html").read_text("utf-8"))
    then, again, now = pages
    assert then == again
    assert " · 2001-02-03</p>" in then
    days = {before.isoformat(), datetime.date.today().isoformat()}
    assert any(then.replace("2001-02-03", today) == now for today in days)


MANY = {f"run {i}": X for i in range(module.MOST["systems"] + 1)}
#: Ids of 2 MB, which take 1.5 MB packed.
IDS = {"X": {"1": {random.Random(i).randbytes(20_000).hex(): 1.0 for i in range(50)}}}
UNREAD = {"A": "no such file", "B": "nor this"}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({"X": X}, {"measure": "nDCG(at_r=True)"}, "a page has no control for at_r"),
        ({"X": X}, {"measure": "nDCG(avg_pos=True)@10"}, "a page has no control for avg_pos"),
        ({"X": X}, {"measure": "nCG(judged_only=True)@10"}, "no control for judged_only"),
        ({"X": X}, {"measure": "CG(unjudged=1)@10"}, "a page has no control for unjudged"),
        ({"X": X}, {"measure": "sDCG@10"}, "a page shows one of CG, DCG, nCG, nDCG"),
        ({"X": X}, {"measure": "P@10"}, "a page shows one of CG, DCG, nCG, nDCG"),
        ({"X": X}, {"measure": ["CG@5", "DCG@5"]}, "a page shows one of CG, DCG, nCG, nDCG"),
        ({"X": X}, {"measure": "CG@200"}, "the page has the ranks 1 to depth=100; use a larger"),
        ({"X": X}, {"measure": "DCG(discount='rising')@2", "depth": 3}, "rising"),  # offers nDCG
        ({"X": X}, {"baseline": "Y"}, "baseline='Y' is not one of the systems"),
        ({"X": X}, {"baseline": True}, "baseline=True is not one of the systems"),
        ({"X": X}, {"styles": {"X": 1}}, "must be a mapping of systems to styles"),
        ({"X": X}, {"depth": 2000}, "2,000 ranks (depth) are too many for a page, which holds"),
        ({"X": X}, {"qrels": {"1": {}}}, "the qrels hold no judgments"),
        (UNREAD, {"qrels": {"1": {f"d{i}": i / 8 for i in range(300)}}}, "300 relevance levels"),
        (MANY, {}, "151 systems are too many for a page, which holds at most 150"),
        (IDS, {"documents": True}, "1.5 MB of ids of documents are too many for a page"),
    ],
)
def test_what_it_cannot_show_is_refused(runs, options, message, tmp_path) -> None:
    pt_cumgain.register_discount("rising", weights=[0.5, 1.0, 0.5])
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        write(tmp_path, runs, **{"qrels": QRELS, **options})
    assert not [*tmp_path.iterdir()]
