"""Files of the TREC Session Track: every year's tags, what is refused, and the track of 2013."""

import gzip

import pandas as pd
import pytest

from pt_cumgain import evaluate, sDCG
from pt_cumgain.sessions import read_session_track, session_qrels, write_session_run
from pt_cumgain.sessions._session_track import SessionTrack
from tests.support.helpers import ours

TOPICS_2011 = """<?xml version="1.0" encoding="UTF-8"?>
<sessiontrack2011>
 <session num="7" starttime="09:54:27">
  <topic><title>merck & co</title></topic>
  <interaction num="1"><query>merck &amp; co &nbsp;</query>
   <results>
    <result rank="1"><url>http://a.b/?x=1&y=2</url><clueweb09id>cw-1</clueweb09id></result>
    <result rank="2"><url>http://c.d/</url></result>
   </results>
   <clicked>
    <click num="1" starttime="09:55:01" endtime="09:55:30"><rank>2</rank></click>
    <click num="2" starttime="09:56:01" endtime="-1"><rank>2</rank></click>
   </clicked></interaction>
  <interaction num="2"><query>merck</query><results/></interaction>
  <currentquery><query> merck lobbying </query></currentquery>
 </session>
</sessiontrack2011>"""


@pytest.mark.parametrize("name", ["track.xml", "track.xml.gz"])
def test_other_years_of_the_session_track(name: str, tmp_path) -> None:
    """The tags of 2011; bare ampersands as in 2012's file; a result that has no document id."""
    content = TOPICS_2011.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    sessions, run = read_session_track(tmp_path / name)
    assert sessions.columns.tolist() == ["qid", "topic", "queries", "current_query"]
    asked = ["merck & co &nbsp;", "merck"]
    assert sessions.to_numpy().tolist() == [["7", None, asked, "merck lobbying"]]
    assert " ".join(run) == "qid docno score rank query_position session_length clicks place"
    assert run.to_numpy().tolist() == [
        ["7", "cw-1", -1.0, 0, 1, 2, 0, 1],
        ["7", "http://c.d/", -2.0, 1, 1, 2, 2, 1],
    ]


def track(interactions: str, tmp_path) -> SessionTrack:
    path = tmp_path / "t.xml"
    path.write_text(f"<t><session num='1'>{interactions}</session></t>", encoding="utf-8")
    return read_session_track(str(path))


def shown(num: int, query: str, ranks: range, clicks: tuple = (), *, repeat: int = 0) -> str:
    """An interaction; with `repeat`, documents return after as many ranks."""
    results = "".join(
        f"<result rank='{r}'><url>u{r % repeat if repeat else r}</url></result>" for r in ranks
    )
    clicked = "".join(f"<click num='1'><rank>{rank}</rank></click>" for rank in clicks)
    query = f"<query>{query}</query><results>{results}</results><clicked>{clicked}</clicked>"
    return f"<interaction num='{num}'>{query}</interaction>"


def test_pages_order_and_characters(tmp_path) -> None:
    text = shown(2, "b", range(1, 3)) + shown(1, "a &#233;", range(1, 11))
    sessions, run = track("<topic num='9'/>" + text + shown(3, "b", range(3, 5)), tmp_path)
    assert sessions["queries"][0] == ["a é", "b"]
    assert sessions[["topic", "current_query"]].to_numpy().tolist() == [["9", None]]
    assert run.groupby("query_position")["rank"].agg(list)[2] == [0, 1, 2, 3]
    for first in (2, 11):
        with pytest.warns(UserWarning, match="the results of 1 queries begin after rank 1"):
            track(shown(1, "a", range(first, 13)), tmp_path)


@pytest.mark.parametrize(
    ("ranks", "queries"),
    [
        (range(4, 6), ["a"]),  # the next page
        (range(6, 8), ["a"]),  # also after a gap
        (range(3, 6), ["a", "a"]),  # rank 3 twice: asked again
        (range(2, 6), ["a", "a"]),
        (range(1, 4), ["a", "a"]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*begin after rank 1")
def test_a_page_continues_after_all_ranks_of_the_one_before(ranks, queries, tmp_path) -> None:
    """After the ranks 1 to 3 of the same query."""
    sessions, run = track(shown(1, "a", range(1, 4)) + shown(2, "a", ranks), tmp_path)
    assert sessions["queries"][0] == queries
    assert run["rank"].tolist() == [0, 1, 2, *(rank - 1 for rank in ranks)]
    assert run["query_position"].tolist() == [1] * 3 + [len(queries)] * len(ranks)


def test_repeated_documents_keep_their_ranks(tmp_path) -> None:
    """As in 2012's file: the page shows u1 u0 u1 u0 u1, and a click on the third place.

    With u1 of level 3 and u0 of level 1 the gains are 3 1 0 0 0; `rank` divides by 1, 2, ...; at
    rank 6, after the gap, u6 has 2. A second query may show the documents again.
    """
    first, then = shown(1, "a", range(1, 6), (3,), repeat=2), shown(2, "a", range(6, 7))
    with pytest.warns(UserWarning, match="3 results repeat a document of the same query") as warned:
        run = track(first + then + shown(3, "b", range(1, 2)), tmp_path).run
    assert len(ours(warned)) == 1
    assert run["docno"].tolist() == [
        "u1", "u0", "u1:repeated-2", "u0:repeated-2", "u1:repeated-3", "u6", "u1",
    ]  # fmt: skip
    assert run["place"].tolist() == [1, 1, 2, 2, 3, 1, 1]
    assert run["rank"].tolist() == [0, 1, 2, 3, 4, 5, 0]
    assert run["clicks"].tolist() == [0, 0, 1, 0, 0, 0, 0]
    measure = sDCG(discount="rank", query_discount="none") @ 10
    qrels = pd.DataFrame({"qid": "1", "docno": ["u1", "u0", "u6"], "label": [3, 1, 2]})
    value = evaluate(measure, qrels, run)["value"][0]
    assert value == pytest.approx(3 + 1 / 2 + 2 / 6 + 3)
    write_session_run(run, tmp_path / "run")


@pytest.mark.filterwarnings("ignore:.*begin after rank 1")
def test_lists_are_scanned_to_the_last_click(tmp_path) -> None:
    """The second query has no click: nothing of it was scanned, but its rows and session stay.

    The fourth has the ranks 1, 3, 5, 7 and a click on 5, its third document.
    """
    text = shown(1, "a", range(1, 6), (2, 4)) + shown(2, "b", range(3, 6))
    text += shown(3, "c", range(3, 6), (4,)) + shown(4, "d", range(1, 9, 2), (5,))
    plain = track(text, tmp_path).run
    run = read_session_track(tmp_path / "t.xml", scanned="last-click").run
    pd.testing.assert_frame_equal(run.drop(columns="scanned"), plain)
    assert run["scanned"].tolist() == [4] * 5 + [0] * 3 + [2] * 3 + [3] * 4
    qrels, measure = {"1": {"u1": 1, "u4": 2, "u5": 3}}, sDCG(queries=3) @ 10
    of_run = evaluate([measure(discount="none", query_discount="none")], qrels, run)
    assert of_run["value"].tolist() == [1 + 2 + 2]  # u5 was never looked at


def test_clicks_on_no_result(tmp_path) -> None:
    with pytest.warns(UserWarning, match="2 clicks are on ranks that show no result") as warned:
        run = track(shown(1, "a", range(1, 3), (2, 2, 3, "NA")), tmp_path).run
    assert run["clicks"].tolist() == [0, 2]
    assert ours(warned)[0].filename == __file__  # the caller's line is shown


def test_xml_may_declare_entities(tmp_path) -> None:
    """What is XML needs no repair, which would take `&e;` for a bare ampersand."""
    text = f"<t><session num='1'>{shown(1, 'a&e;b', range(1, 2))}</session></t>"
    (tmp_path / "t.xml").write_text(f"<!DOCTYPE t [<!ENTITY e ' and '>]>{text}")
    sessions, _ = read_session_track(tmp_path / "t.xml")
    assert sessions["queries"][0] == ["a and b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encodings(encoding: str, tmp_path) -> None:
    query = "x & é &#233; <b>y</b> z<![CDATA[ & ]]>"
    text = f"<t><session num='1'>{shown(1, query, range(1, 2))}</session></t>"
    declared = encoding.removesuffix("-sig")
    text = f"<?xml version='1.0' encoding='{declared}'?>{text}"
    (tmp_path / "t.xml").write_bytes(text.encode(encoding))
    sessions, _ = read_session_track(tmp_path / "t.xml")
    assert sessions["queries"][0] == ["x & é é y z &"]


ASKED = "<session num='1'><interaction><query>a</query></interaction></session>"
RESULT = "<t><session num='1'><interaction><results><result rank='{}'>{}</result></results>\
</interaction></session></t>"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"<t>{ASKED * 2}</t>", "there are two sessions 1"),
        ("no xml", "is not XML"),
        ("<topics/>", "has no <session>"),
        ("<t><session num='1'/></t>", "session 1 has no number or no interaction"),
        (RESULT.format(1, ""), r"result of session 1, interaction None, has no .* \(rank='1'\)"),
        (RESULT.format("1" * 400, "<url>u</url>"), r"x.xml: .* no rank \(rank='1{39}\)"),
        ("<?xml version='1.0' encoding='utf-7000'?><t/>", "x.xml is not XML: unknown encoding"),
        # 2 million characters: searching to the end for each would take minutes
        ("<t>" + "<![CDATA[ & " * 170_000, "x.xml is not XML: unclosed CDATA section"),
        # a file that was cut off, and what is none
        (gzip.compress(TOPICS_2011.encode(), mtime=0)[:-9], r"x.xml.gz: "),
        (b"\x1f", r"x.xml.gz: "),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_refused(content: str | bytes, words: str, tmp_path) -> None:
    path = tmp_path / ("x.xml.gz" if isinstance(content, bytes) else "x.xml")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=words):
        read_session_track(path)


@pytest.mark.slow
def test_trec_2013(data) -> None:
    """133 sessions, 116 with a judged topic (the data's README); what the searchers saw."""
    folder = data / "session-track-2013"
    sessions, run = read_session_track(folder / "sessiontrack2013.xml")
    topics = dict(line.split() for line in (folder / "session-topic-map.txt").open())
    assert dict(zip(sessions["qid"], sessions["topic"], strict=True)) == topics
    assert len(sessions) == 133
    assert sessions["queries"].map(len).sum() == 401
    assert len(run) == 4449
    clicked = run[run["clicks"] > 0]
    assert clicked["clicks"].sum() == 586  # `grep -c "<click "`
    # session 2's first query: twice on rank 6, once on 5; the second: once on 32
    assert clicked.loc[clicked["qid"] == "2", ["query_position", "rank", "clicks"]].head(
        3
    ).to_numpy().tolist() == [[1, 4, 1], [1, 5, 2], [2, 31, 1]]
    # the sixth of session 31's eight queries and the third of session 87's twenty found nothing
    found = run.groupby("qid")[["query_position", "session_length"]].agg(set)
    assert found.loc["31"].tolist() == [{1, 2, 3, 4, 5, 7, 8}, {8}]
    assert found.loc["87"].tolist() == [{1, 2, *range(4, 21)}, {20}]
    qrels = session_qrels(folder / "qrels.txt", sessions)
    assert qrels["qid"].nunique() == 116
    assert qrels["label"].min() == -2
