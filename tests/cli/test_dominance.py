"""`pt-cumgain dominance`, and `compare --dominance`: sentences, tables, maps; what is refused."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from pt_cumgain import cli, describe, dominance, nDCG, pydocs
from pt_cumgain.inputs.formats import trec
from pt_cumgain.presentation.description import describe_comparisons, summarise_comparisons
from tests.support.helpers import refuse, run_cli, run_files

RUNS = run_files("bm25", "dph", "pl2")
LINES = [
    "nDCG@10: bm25 is better than dph under every weighting of the levels (by 0.016 to 0.042)",
    "nDCG@10: bm25 is better than pl2 under every weighting of the levels (by 0.015 to 0.039)",
    "nDCG@10: dph and pl2: it depends; dph is better under 0-1-1-1 (by 0.006), worse under 0-0-0-1 "
    "(by 0.003)",
]


def pydocs_topics() -> tuple[None, pd.DataFrame]:
    return None, trec.read_qrels(pydocs.DATA / "qrels.txt")


def systems() -> dict[str, pd.DataFrame]:
    return {"bm25": pydocs.runs()["BM25"], "dph": pydocs.runs()["DPH"], "pl2": pydocs.runs()["PL2"]}


def unwrap(out: str) -> list[str]:
    """The lines before they were broken at the width of the terminal."""
    assert max(map(len, out.splitlines())) <= 100
    return out.replace("\n  ", " ").splitlines()


def test_a_line_for_each_pair(capsys, tmp_path, qrels) -> None:
    """Expected: the frame of `dominance`, whose ends the lines round."""
    csv = tmp_path / "pairs.csv"
    given = ["pydocs", *RUNS, "-m", "nDCG@10", "--sentences"]
    code, out, _ = run_cli(capsys, "dominance", *given, "--csv", str(csv))
    assert (code, unwrap(out)) == (0, LINES)
    frame = dominance(systems(), None, qrels, nDCG @ 10)
    pd.testing.assert_frame_equal(pd.read_csv(csv, keep_default_na=False), frame)
    assert frame["least"][0] == pytest.approx(0.016, abs=5e-4)
    assert frame["most"][0] == pytest.approx(0.042, abs=5e-4)
    _, out, _ = run_cli(capsys, "dominance", *given, "--baseline", "bm25", "-p", "1")
    assert out.splitlines()[0].startswith("nDCG@10: dph") or "bm25 is better than dph" in out
    assert out.splitlines()[0].endswith("(by 0.01 to 0.05)")  # with digits until it is not 0


@pytest.mark.usefixtures("figures")
def test_the_map_is_drawn(capsys, tmp_path) -> None:
    picture = tmp_path / "map.pdf"
    code = cli.main(["dominance", "pydocs", *RUNS, "-m", "nDCG@10 CG@5", "-o", str(picture)])
    assert code == 0
    assert picture.read_bytes().startswith(b"%PDF")
    assert f"written: {picture}" in capsys.readouterr().err


def test_a_table_has_what_depends_on_the_choice_first(capsys) -> None:
    """Expected: the frame of `dominance`, its ends rounded outwards; one table for equal ranges."""
    other = "nDCG(gains='0-1-10-100')@10"
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *RUNS, "-m", "nDCG@10", "-m", other)
    head, *lines = out.splitlines()
    assert head.split() == ["nDCG@10", "difference", "order", "(least", "at,", "most", "at)"]
    frame = dominance(systems(), None, pydocs_topics()[1], nDCG @ 10)
    rows = {f"{row.name} - {row.other}": row for row in frame.itertuples(index=False)}
    first, *others = (re.split(" {2,}", line) for line in lines[:3])
    row = rows.pop(first[0])
    assert row.order == "depends"
    assert first[2:] == [f"depends ({row.least_at}, {row.most_at})"]
    for pair, numbers, sign in others:
        row = rows.pop(pair)
        assert (row.order, sign) == ("holds", ">" if row.better == row.name else "<")
        difference, least, most = map(float, re.findall(r"-?[\d.]+", numbers))
        assert difference == pytest.approx(row.difference, abs=5e-4)
        assert row.least - 1e-3 <= least <= row.least
        assert row.most <= most <= row.most + 1e-3
    assert lines[3] == f"The same ranges and orders hold for {other}."
    assert not rows


def test_lines_below_the_table_of_compare(capsys) -> None:
    options = ["pydocs", *RUNS, "-m", "nDCG@10", "-m", "AP", "--test", "none"]
    _, plain, _ = run_cli(capsys, "compare", *options)
    _, out, _ = run_cli(capsys, "compare", *options, "--dominance")
    added = out.removeprefix(plain.partition("\n\n")[0]).removesuffix(plain.partition("\n\n")[2])
    _, table, _ = run_cli(capsys, "dominance", *options[:-4])
    assert added.strip() == table.strip()
    message = refuse(capsys, "compare", *options, "--dominance", "--missing", "skip")
    assert "--dominance compares runs on all topics; leave --missing skip out" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "AP"], "AP has no range; CG, "),
        (["-m", "sDCG@10", "--over", "discount"], "sDCG@10 has no range; DCG and nDCG do"),
        (["-m", "nDCG@10", "-o", "map.txt"], "map.txt must end in one of .pdf, .png, .svg"),
        (["-m", "nDCG@10", "-o", "a.pdf", "--over", "both"], "leave --over both out"),
        (["-m", "nDCG@10", "-o", "a.png", "--csv", "./a.png"], "are the same file, a.png"),
        (["-m", "nDCG@10", "--baseline", "x"], "baseline='x' is not one of the systems"),
        (["-m", "nDCG@10", "-p", "-1"], "--places (-p) must be from 0 to"),
        (["-m", "nDCG", "--over", "discount"], "it needs a cutoff, such as @10"),
    ],
)
def test_what_the_command_refuses(arguments, message: str, capsys) -> None:
    assert message in refuse(capsys, "dominance", "pydocs", *RUNS, *arguments)


def frame_of(over: str, *rows: tuple) -> pd.DataFrame:
    columns = ["measure", "name", "other", "difference", "least", "most"]
    columns += ["exact", "order", "better", "least_at", "most_at"]
    frame = pd.DataFrame([("DCG@2", "A", "B", 0.0, *row) for row in rows], columns=columns)
    frame.attrs["over"] = over
    return frame


@pytest.mark.parametrize(
    ("over", "row", "words"),
    [
        ("gains", (-0.25, -0.125, True, "holds", "B", "x", "y"),
         "B is better than A under every weighting of the levels (by 0.125 to 0.250)"),
        ("gains", (0.00012, 0.5, True, "holds", "A", "x", "y"),
         "A is better than B under every weighting of the levels (by 0.0001 to 0.500)"),
        ("gains", (0.125, 0.25, False, "holds", "A", "x", "y"),
         "A is better than B under every weighting of the levels (the difference lies within 0.125 "
         "to 0.250)"),
        ("discount", (0.0, 0.5, True, "holds", "A", "x", "y"),
         "A is at least as good as B under every discount (better by up to 0.500)"),
        ("discount", (-0.5, 0.0, False, "holds", "B", "x", "y"),
         "B is at least as good as A under every discount (the difference lies within 0.000 to "
         "0.500)"),
        ("both", (0.0, 0.0, True, "holds", "", "x", "y"),
         "A and B are equal under every weighting of the levels with every discount"),
        ("judgments", (-0.25, 0.5, True, "depends", "", "", ""),
         "A and B: it depends; A may be better by up to 0.500, or worse by up to 0.250"),
        ("judgments", (0.5, 0.5, True, "holds", "A", "", ""),
         "A is better than B whatever the missing judgments are (by 0.500)"),
        ("pool", (0.25, 0.5, True, "holds", "A", "", ""),
         "A is better than B however the pool is judged, if no unjudged document outside it is "
         "relevant (by 0.250 to 0.500)"),
        ("discount", (-0.25, 0.5, False, "open", "", "x", "y"),
         "A and B: not decided under every discount; the difference lies within -0.250 to 0.500"),
        ("gains", (-0.25, 0.5, True, "depends", "", "0-1-1", "1:3.33333333333333e-10,2:1"),
         "A and B: it depends; A is better under 1:3.33e-10,2:1 (by 0.500), worse under 0-1-1 (by "
         "0.250)"),
        ("discount", (-0.25, 0.5, True, "depends", "", "1,0,0", "1,1,0"),
         "A and B: it depends; A is better for a user who reads only the first 2 documents (by "
         "0.500), worse for a user who reads only the first document (by 0.250)"),
        ("both", (-0.25, 0.5, False, "depends", "", "0-1-1; 1,1,1",
         "0-0-1; 1,0.5,0.333333333333333"),
         "A and B: it depends; A is better under 0-0-1 with the weights 1, 0.5, 0.333 at ranks "
         "1 to 3, worse under 0-1-1 without a discount; the difference lies within -0.250 to "
         "0.500"),
    ],
)  # fmt: skip
def test_the_words_for_each_order(over: str, row: tuple, words: str) -> None:
    frame = frame_of(over, row)
    text = describe(frame).text
    assert f"DCG@2: {words}. " in text
    assert text.startswith(describe("DCG@2").text)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0.0996, 0.2, False, "holds", "A", "x", "y"), "within 0.099 to 0.200"),
        ((0.1, 0.2004, False, "holds", "A", "x", "y"), "within 0.100 to 0.201"),
        ((-0.2004, -0.00019, False, "holds", "B", "x", "y"), "within 0.0001 to 0.201"),
        ((-0.2496, 0.5004, False, "open", "", "x", "y"), "within -0.250 to 0.501"),
        ((-0.2504, 0.4996, False, "open", "", "x", "y"), "within -0.251 to 0.500"),
        ((0.0, 0.5004, True, "holds", "A", "x", "y"), "better by up to 0.501"),
        ((0.3 - 1e-16, 0.5, False, "holds", "A", "x", "y"), "within 0.300 to 0.500"),
        ((0.0996, 0.2004, True, "holds", "A", "x", "y"), "by 0.099 to 0.201"),
        ((0.0527, 0.0557, True, "holds", "A", "x", "y"), "by 0.052 to 0.056"),
        ((-0.0557, -0.0527, True, "holds", "B", "x", "y"), "by 0.052 to 0.056"),
        (
            (-0.2504, 0.5004, True, "depends", "", "x", "y"),
            "better under y (by 0.500), worse under x",
        ),
    ],
)
def test_what_is_said_of_a_range_is_true_of_the_range(row: tuple, words: str) -> None:
    """Ranges are rounded outwards, the difference under one weighting to the nearest number."""
    (line,) = describe_comparisons(frame_of("gains", row))
    assert words in line


def test_the_least_of_many_is_rounded_down() -> None:
    rows = [(low, 0.5, True, "holds", "A", "x", "y") for low in (0.2, 0.0996, 0.3, 0.4)]
    assert "(by at least 0.099)" in describe(frame_of("gains", *rows)).text


def test_measures_with_few_comparisons_are_listed_one_by_one() -> None:
    """Four rows, but one for each measure: "All 1 comparisons" would be no sentence."""
    frame = frame_of("gains", *[HOLDS] * 4).assign(measure=[f"DCG@{k}" for k in (1, 2, 3, 4)])
    text = describe(frame).text
    assert "DCG@4: A is better than B under every weighting of the levels (by 0.100 to 0." in text
    assert "comparisons" not in text


def test_over_the_pool_every_line_says_what_is_assumed(capsys) -> None:
    options = ["pydocs", *RUNS, "-m", "nDCG@10", "--sentences"]
    _, out, _ = run_cli(capsys, "dominance", *options, "--over", "pool")
    assert len(unwrap(out)) == 3
    assert all("if no unjudged document outside it is relevant" in line for line in unwrap(out))
    _, out, _ = run_cli(capsys, "dominance", *options, "--over", "judgments")
    assert all("missing judgments" in line or "it depends" in line for line in unwrap(out))
    assert "outside" not in out


HOLDS = (0.1, 0.2, True, "holds", "A", "x", "y")
NEVER_WORSE = (0, 1, True, "holds", "A", "x", "y")
EQUAL = (0, 0, True, "holds", "", "", "")
DEPENDS = (-1, 1, True, "depends", "", "x", "y")
OPEN = (-1, 1, False, "open", "", "x", "y")


@pytest.mark.parametrize(
    ("over", "rows", "words"),
    [
        ("gains", [HOLDS] * 3 + [DEPENDS],
         "Of 4 comparisons, 3 hold under every weighting of the levels and 1 depends on the "
         "weighting. A is better than B, B, and B (by at least 0.100). The order depends on the "
         "weighting for A and B."),
        ("judgments", [HOLDS] * 4,
         "All 4 comparisons hold whatever the missing judgments are. A is better than B, B, "
         "B, and B (by at least 0.100)."),
        ("discount", [DEPENDS] * 3 + [OPEN],
         "Of 4 comparisons, 3 depend on the discount and 1 is not decided. The order depends on "
         "the discount for A and B; A and B; A and B. The order is not decided for A and B."),
        ("both", [HOLDS] * 2 + [NEVER_WORSE, EQUAL],
         "All 4 comparisons hold under every weighting of the levels with every discount. A is "
         "better than B and B (by at least 0.100). A is at least as good as B. These are "
         "equal under every weighting of the levels with every discount: A and B."),
    ],
)  # fmt: skip
def test_many_comparisons_are_named_by_system(over: str, rows: list, words: str) -> None:
    assert f"DCG@2: {words} " in describe(frame_of(over, *rows)).text


def test_a_frame_of_averaged_vectors_says_so() -> None:
    """Its values are no means over topics."""
    frame = dominance(systems(), *pydocs_topics(), nDCG @ 10, average="vectors")
    assert frame["average"].tolist() == ["vectors"] * 3
    text = describe(frame).text
    assert "values of mean vectors over these topics, not between means of the topics'" in text
    plain = dominance(systems(), *pydocs_topics(), nDCG @ 10)
    assert (
        "The ranges are those of differences between means over these topics"
        in describe(plain).text
    )


def test_a_frame_that_has_lost_what_was_chosen() -> None:
    frame = frame_of("gains", (0.1, 0.2, True, "holds", "A", "x", "y"))
    frame.attrs.clear()
    with pytest.raises(ValueError, match="the frame does not say what was chosen"):
        describe(frame)


def test_many_comparisons_begin_with_a_summary(capsys) -> None:
    """Expected: the counts, and the systems that lose no pair, of the frame of `dominance`."""
    runs = run_files("bm25", "dph", "pl2", "qld", "first-word")
    names = [path.rpartition("/")[2].removesuffix(".res.gz") for path in runs]
    measures = ["nDCG@100", "DCG@10"]
    options = [option for measure in measures for option in ("-m", measure)]
    options.append("--sentences")
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, *options)
    *_, qrels = pydocs_topics()
    frame = dominance(dict(zip(names, runs)), None, qrels, measures)
    lines = unwrap(out)
    for line, measure in zip(lines, measures):
        pairs = frame[frame["measure"] == measure]
        holds, depends = ((pairs["order"] == order).sum() for order in ("holds", "depends"))
        lost = set(pairs["other"][pairs["better"] == pairs["name"]])
        lost |= set(pairs["name"][pairs["better"] == pairs["other"]])
        unbeaten = [name for name in names if name not in lost]
        assert line.startswith(
            f"{measure}: Of 10 comparisons, {holds} hold under every weighting of the levels and "
            f"{depends} depend"
        )
        listed = line.rpartition("shown to be better than ")[2].partition(" under every")[0]
        assert re.split(r",? or |, ", listed) == unbeaten
    assert len(lines) == 2 + 20
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, *options, "--baseline", "bm25")
    assert "is shown to be better" not in out  # the others were not compared with each other
    assert out.startswith("nDCG@100: Of 4 comparisons")


def test_the_summary_is_true_of_equal_systems_and_of_open_comparisons() -> None:
    """A and B are equal, and nothing is known of C: no other is shown to be better."""
    rows = [("A", "B", "holds", ""), ("A", "C", "open", ""), ("B", "C", "open", "")]
    rows += [(name, "D", "holds", name) for name in "ABC"]
    frame = pd.DataFrame(rows, columns=["name", "other", "order", "better"]).assign(measure="m")
    frame.attrs["over"] = "gains"
    (line,) = summarise_comparisons(frame)
    assert line.endswith(
        "No other system is shown to be better than A, B, or C under every weighting of the levels."
    )
