"""`pt-cumgain compare`: the table, the tests and the formats; what is refused."""

from __future__ import annotations

import re
import tempfile
from contextlib import redirect_stdout
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pt_cumgain import (
    CG,
    cli,
    evaluate,
    intervals,
    nDCG,
    pairwise,
    paper_table,
    pydocs,
    rank_intervals,
)
from pt_cumgain.comparing import friedman, read_values
from pt_cumgain.environment.terminal import escape_controls
from pt_cumgain.options import CORRECTIONS, PAIR_TESTS
from pt_cumgain.sessions import write_session_run
from tests.support.helpers import QRELS, RUN, experiment, refuse, run_cli, run_files
from tests.support.presentation.browser import opened

RUNS = run_files("bm25", "dph", "first-word")


def test_the_command(capsys) -> None:
    """Expected: the table of pt.Experiment's results, Friedman's test by `friedman`."""
    measures = ["nDCG(gains='exp')@10", "AP", "CG@5"]
    arguments = ["compare", "pydocs", *RUNS, "-m", measures[0], "-m", "AP CG@5", "--width", "100"]
    arguments += ["--test", "friedman"]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    results = experiment([nDCG(gains="exp") @ 10, CG @ 5, "map"], perquery=True)
    called = {"BM25": "bm25", "DPH": "dph", "First word": "first-word"}
    few = results[results["name"].isin(list(called))].replace({"measure": {"map": "AP"}})
    table = paper_table(few, measures=measures, systems=called, rows="systems", test="friedman")
    assert printed.startswith(table.to_text(100))
    assert printed.splitlines()[0].split() == ["nDCG@10", "(exponential)", *measures[1:]]
    for row in friedman(few).itertuples():
        assert f"{row.measure}: Friedman chi2 = {row.statistic:.3f}, df = 2, " in printed
    assert (
        printed.splitlines()[-1] == "Kendall's tau-b between the measures' rankings of the systems."
    )
    assert max(map(len, printed.splitlines())) <= 100


def test_formats_and_files(capsys, tmp_path) -> None:
    """The table goes to the file alone, and what was tested with it: in LaTeX as comments."""
    some = ["compare", "pydocs", *RUNS[1:], "-m", "CG@5"]
    ends = {
        "t.tex": "% needs \\usepackage{booktabs,graphicx}\n\\noindent\\begin{minipage}{3.3in}",
        "t.md": "|                | CG@5 ",
        "t.html": "<table ",
    }
    for name, start in ends.items():
        path = tmp_path / name
        assert cli.main([*some, "-o", str(path), "--width", "3.3"]) == 0
        out, error = capsys.readouterr()
        assert not out
        assert f"written: {path}" in error
        text = path.read_text("utf-8")
        assert text.startswith(start)
        before = {"t.tex": "\n% ", "t.md": "\n| ", "t.html": ">"}[name]
        assert f"{before}dph - first-word" in text
    assert cli.main([*some, "--format", "latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == r"\noindent\begin{minipage}{\linewidth}\centering"  # a column
    assert lines[-2].startswith("% dph - first-word  ")
    csv = tmp_path / "t.csv"
    assert cli.main([*some, "--csv", str(csv), "--rows", "measures"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["(a)", "dph", "(b)", "first-word"]
    assert csv.read_text().startswith("measure,name,mean,better_than,worse_than\nCG@5,dph,")
    assert cli.main([*some, "--csv", "-"]) == 0
    assert capsys.readouterr().out == csv.read_text()
    assert cli.main([*some, "--csv", "-", "-o", str(tmp_path / "u.txt")]) == 0
    assert capsys.readouterr().out == csv.read_text()
    text = (tmp_path / "u.txt").read_text("utf-8")
    assert text.startswith("                    CG@5\n(a) dph ")


def test_a_baseline_and_another_test(capsys) -> None:
    """Expected: `pairwise`."""
    arguments = ["compare", "pydocs", *RUNS, "-m", "CG@5", "--baseline", "bm25", "-p", "2"]
    assert cli.main([*arguments, "--test", "t"]) == 0
    printed = capsys.readouterr().out
    assert "‡ differs significantly, p < 0.01; ↓ worse (paired t-test against" in printed
    results = experiment([CG @ 5], perquery=True)
    few = results[results["name"].isin(["BM25", "DPH", "First word"])]
    row = pairwise(few, baseline="BM25").iloc[1]
    assert (
        f"first-word - bm25 {row['difference']:.2f} [{row['low']:.2f}, {row['high']:.2f}] "
        f"{row['effect']:.2f} {row['p_corrected']:.4f} "
    ) in " ".join(printed.split())
    assert cli.main(["compare", "pydocs", *RUNS, "-m", "CG@5", "--test", "randomised-tukey"]) == 0
    assert "CG@5: 2 of 3 pairs differ significantly.\n" in capsys.readouterr().out
    assert cli.main(["compare", "pydocs", *RUNS, "-m", "CG@5", "--test", "none"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "42 topics."


def test_systems_with_sessions_of_their_own(capsys, tmp_path) -> None:
    """ECIR 2008, section 3.1; expected: the table of the values of either half of the sessions."""
    session_qrels, runs = pydocs.session_qrels(), pydocs.session_runs()
    lines = [f"{qid} 0 {doc} {label}" for qid, doc, label in session_qrels.itertuples(index=False)]
    (tmp_path / "qrels").write_text("\n".join(lines))
    qids = session_qrels["qid"].unique()
    halves = {"one": runs["BM25"], "two": runs["BM25 + earlier queries"]}
    parts = []
    for i, (name, run) in enumerate(halves.items()):
        own = run[run["qid"].isin(qids[i::2])]
        write_session_run(own, tmp_path / name)
        values = evaluate("nsDCG@10", session_qrels, own, missing="skip")
        parts.append(values.assign(name=name))
    given = ["compare", *(str(tmp_path / name) for name in ("qrels", *halves)), "-m", "nsDCG@10"]
    given += ["--missing", "skip", "--baseline", "one", "--interval", "--test"]
    for test in ("welch", "mann-whitney"):
        assert cli.main([*given, test]) == 0
        printed = capsys.readouterr().out
        table = paper_table(
            pd.concat(parts), rows="systems", test=test, baseline="one", interval=True
        )
        assert printed.startswith(table.to_text(100))
        words = {"welch": "Welch's t-test", "mann-whitney": "Mann–Whitney U test"}[test]
        assert f"({words} against one, two-sided; 15 and 15 sessions)." in " ".join(printed.split())
        p = table.pairs["p"][0]
        assert f"  {p:.4f}\n" in printed
    assert cli.main([*given, "t"]) == 2
    assert "test='welch' and test='mann-whitney'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([RUNS[0], "-m", "CG@5"], "nothing to compare: the results have one system, 'bm25'"),
        ([*RUNS, "-m", "XG"], "unknown measure 'XG'"),
        ([*RUNS, "-m", "sDCG"], "query_position"),
        ([*RUNS, "-m", "CG@5", "-p", "-1"], "--places (-p) must be from 0 to 1074, not -1"),
        ([*RUNS, "-m", "CG@5", "-p", "5000000000"], "--places (-p) must be from 0 to 1074, not 5"),
        ([*RUNS, "-m", "CG@5", "--baseline", "x"], "baseline='x' is not one of the systems"),
        ([*RUNS, "-m", "CG@5", "-o", "t.doc"], "--output t.doc must end in one of .txt, .md, .tex"),
        ([*RUNS, "-m", "CG@5", "-o", RUNS[0]], "is an input; writing to it would destroy it"),
        ([*RUNS, "-m", "CG@5", "--width", "0"], "width=0.0 must be characters, such as 100"),
        (
            [*RUNS, "-m", "CG@5", "--width", "300", "--format", "latex"],
            "width=300.0 must be inches, such as 3.3 or 7",
        ),
        ([*RUNS, "-m", "CG@5", "--width", "inf"], "width=inf must be characters, such as 100"),
        (
            [*RUNS, "-m", "CG@5", "--confidence", "7"],
            "confidence=7.0 must be between 0 and 1, such as 0.95",
        ),
        ([*RUNS, "-m", "CG@5", "-o", "t.txt", "--csv", "t.txt"], "are the same file, t.txt"),
        ([*RUNS, RUNS[0], "-m", "CG@5"], "two runs are called 'bm25'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, capsys) -> None:
    assert cli.main(["compare", "pydocs", *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain compare: error: " in error
    assert message in error


@pytest.mark.parametrize(("option", "word"), [("--test", "equivalence"), ("--correction", "magic")])
def test_unknown_choices(option: str, word: str, capsys) -> None:
    """In the command's words: no test is "none", not None."""
    with pytest.raises(SystemExit) as done:
        cli.main(["compare", "pydocs", *RUNS, "-m", "CG@5", option, word])
    error = " ".join(capsys.readouterr().err.split())
    assert done.value.code == 2
    assert f"argument {option}: invalid choice: {word!r}" in error
    assert error.endswith("'none')")


@pytest.fixture
def places(tmp_path, monkeypatch) -> None:
    """Runs in several folders, of the same content; the current folder is called ``in``."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    for name in ("run.txt", "a/run.txt", "a/x/run.txt", "b/x/run.res", "b/dph.txt", "k=v.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1 Q0 a 1 1.0 t\n2 Q0 b 1 1.0 t\n")
    monkeypatch.chdir(tmp_path / "in")


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (["a/run.txt", "b/dph.txt"], ["run", "dph"]),
        (["a/run.txt", "b/x/run.res"], ["a/run", "x/run"]),
        (["a/run.txt", "b/dph.txt", "run.txt"], ["a/run", "dph", "in/run"]),
        (["a/x/run.txt", "b/x/run.res"], ["a/x/run", "b/x/run"]),
        (["a/run.txt", "./b/../a/x/run.txt", "b/x/run.res"], ["in/a/run", "a/x/run", "b/x/run"]),
        (["BM25=a/run.txt", "run.txt"], ["BM25", "run"]),
        (["two words=a/run.txt", "k1=0.9=run.txt"], ["two words", "k1=0.9"]),
        (["k=v.txt", "run=k=v.txt"], ["k=v", "run"]),
        (["v.txt=run.txt", "\x1b=a/run.txt"], ["v.txt", r"\x1b"]),
    ],
    ids=" ".join,
)
def test_names_of_runs(runs, names, capsys) -> None:
    """Written by hand, as the manual defines them."""
    for command in ("compare", "curves"):
        given = [command, "../qrels", *runs, "-m", "CG@1", "--csv", "-"]
        assert cli.main([*given, *(["--test", "none"] if command == "compare" else [])]) == 0
        table = pd.read_csv(StringIO(capsys.readouterr().out))
        assert list(dict.fromkeys(table["name"])) == names


def test_a_run_may_be_called_none(capsys) -> None:
    """For tests and corrections alone the word means that there is none."""
    runs = [f"none={RUNS[0]}", RUNS[1], RUNS[2]]
    _, out, _ = run_cli(capsys, "compare", "pydocs", *runs, "-b", "none", "--correction", "none")
    assert "t-test against none, two-sided, uncorrected" in " ".join(out.split())
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-b", "none")
    assert out.count(" - none") == 2


@pytest.mark.usefixtures("places")
def test_the_baseline_has_the_name_that_was_given(capsys) -> None:
    given = ["compare", "../qrels", "x=run.txt", "a/run.txt", "b/x/run.res", "-m", "CG@1"]
    for baseline in ("x", "a/run"):
        assert cli.main([*given, "--test", "randomisation", "--baseline", baseline]) == 0
        assert f"against {baseline}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (["run.txt", "./run.txt"], "two runs are called 'run'; rename a file, or give NAME=path"),
        (["x=run.txt", "x=a/run.txt"], "two runs are called 'x'; rename a file, or give NAME=path"),
        (["run=a/run.txt", "run.txt"], "two runs are called 'run'"),
        (["x=nothing"], "no such run file: 'x=nothing'"),
        (["x="], "no such run file: 'x='"),
        (["=run.txt"], "no such run file: '=run.txt'"),
        (["CG(gains='0-1')@1"], "(a measure, taken for a run)"),
    ],
    ids=" ".join,
)
def test_wrong_names_of_runs(runs, message, capsys) -> None:
    for command in (["compare"], ["curves", "--csv", "-"]):
        assert cli.main([*command, "../qrels", *runs, "-m", "CG@1"]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.usefixtures("places")
def test_what_a_named_run_holds_is_not_written_over(capsys) -> None:
    Path("run.txt").rename("run.html")
    before = Path("run.html").read_bytes()
    for command in (
        ["compare", "-m", "CG", "-o"],
        ["curves", "-m", "CG", "--csv"],
        ["report", "-o"],
    ):
        assert cli.main([*command, "run.html", "../qrels", "x=run.html"]) == 2
        assert "is an input; writing to it would destroy it" in capsys.readouterr().err
        assert Path("run.html").read_bytes() == before


def test_help_lists_the_corrections_and_tests(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["compare", "--help"])
    known = {"none", "friedman", *CORRECTIONS, *PAIR_TESTS} - {"equivalence"}
    assert known <= set(re.split(r"[\s,]+", capsys.readouterr().out))


def test_intervals_stand_beside_the_means(capsys) -> None:
    """Expected: `pt_cumgain.intervals` of what pt.Experiment returns."""
    arguments = ["compare", "pydocs", *RUNS, "-m", "CG@5", "-m", "CG@3", "--interval", "-p", "2"]
    assert cli.main([*arguments, "--test", "none"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CG@5", "CG@3"]
    ends = intervals(experiment([CG @ 5], perquery=True)).set_index("name").loc["BM25"]
    assert lines[1].startswith("bm25 ")
    assert f"{ends['mean']:.2f}• [{ends['low']:.2f}, {ends['high']:.2f}]" in lines[1]
    assert "[low, high]: 95% t confidence interval over topics." in lines


@pytest.mark.parametrize(
    ("test", "kind", "effect"),
    [
        ("t", "95% BCa bootstrap intervals", "standard deviation of the differences"),
        ("tukey", "95% Tukey intervals, adjusted for all pairs", "residual standard deviation"),
        ("welch", "95% BCa bootstrap intervals", "root of the mean variance"),
    ],
)
def test_the_numbers_of_a_comparison_say_what_they_are(test, kind, effect, capsys) -> None:
    """The intervals of means and of differences are of one kind, but for Tukey's."""
    arguments = ["compare", "pydocs", *RUNS[:2], "-m", "CG@5", "--baseline", "bm25", "-p", "3"]
    assert cli.main([*arguments, "--test", test, "--interval", "bca"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"Differences: {kind}; effect size: mean difference divided by the {effect}." in printed
    assert "[low, high]: 95% BCa bootstrap confidence interval over topics." in printed
    results = experiment([CG @ 5], perquery=True)
    chosen = results[results["name"].isin(["BM25", "DPH"])]
    options = {"interval": "bca"} if test != "tukey" else {}
    row = pairwise(chosen, test=test, baseline="BM25", **options).iloc[0]
    assert f" {row['difference']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" in printed


class Elements(HTMLParser):
    """The elements of a page, its comments, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.elements.append(f"{tag} {attrs}")

    def handle_comment(self, data: str) -> None:
        self.elements.append(f"comment {data}")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def compare_named(first: str, second: str, form: str) -> str:
    """Compare two runs that are called so by two measures, against the first."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()) as printed:
        Path(folder, "qrels").write_text(QRELS)
        paths = [Path(folder, f"{name}.res") for name in (first, second)]
        for path, score in zip(paths, ("2.0", "0.5")):
            path.write_text(RUN.replace("2.0", score))
        given = ["compare", f"{folder}/qrels", *map(str, paths), "-m", "CG@1", "-m", "AP"]
        given += ["--correction", "none"]  # the others take half a second
        assert cli.main([*given, f"--baseline={first}", "--format", form]) == 0
    return printed.getvalue()


#: What ends a comment, an attribute, an element or a cell, or begins another.
MARKUP = st.sampled_from(
    ["-->", "--!>", "<!--", "--", "<", ">", "<b>", "<img src=x onerror=alert(1)>", "&lt;", "&",
     "<script>alert(1)", '"', "'", "`", "|", "\\", "*", "_", "[x](y)", "\n", " "]
)  # fmt: skip
NAMES = (
    st.lists(MARKUP | st.text(max_size=3), min_size=1, max_size=6)
    .map(lambda parts: re.sub("[/\0.•]", "", "".join(parts)))  # . begins a format, • is bold type
    .filter(lambda name: name.strip() and len(name.encode()) < 250)
    .filter(lambda name: name != "--")  # argparse takes --baseline=-- for no value
)
INJECTION = "x---><img src=x onerror=alert(1)>"


@settings(max_examples=settings.default.max_examples // 10)  # each calls the command twice
@given(NAMES, NAMES)
@example(INJECTION, "a")
@example("x--!><b>", "&lt;b&gt;")
def test_names_of_runs_are_no_markup(first: str, second: str) -> None:
    """Expected: the markup of the table of runs with harmless names."""
    names = [escape_controls(name) for name in (first, second)]
    assume(names[0] != names[1])
    page = Elements(compare_named(first, second, "html"))
    assert page.elements == harmless_markup("html")
    text = "".join(page.texts)
    for name in (f"{names[1]} - {names[0]}", *names):
        assert " ".join(name.split()) in text
    markdown = compare_named(first, second, "markdown")
    assert markup_of(markdown) == harmless_markup("markdown")


@cache
def harmless_markup(form: str) -> list[str]:
    text = compare_named("a", "b", form)
    return Elements(text).elements if form == "html" else markup_of(text)


def markup_of(markdown: str) -> list[str]:
    """The signs that CommonMark or a table reads as markup: not those with a backslash before."""
    return re.findall(r"[<`*_|\[\n]", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))


def test_names_of_runs_in_a_browser(browser, tmp_path) -> None:
    page = tmp_path / "t.html"
    page.write_text(compare_named(INJECTION, "--!><script>alert(1)<!--", "html"), "utf-8")
    with opened(browser, page, ready=False) as shown:
        assert shown.evaluate("document.querySelectorAll('img, script').length") == 0
        text = shown.evaluate("document.body.innerText")
    assert f"--!><script>alert(1)<!-- - {INJECTION}" in text


def test_several_datasets(capsys, tmp_path) -> None:
    """Expected: the table of the joined results; runs of two folders have one name."""
    qrels = pt.get_dataset("irds:pydocs").get_qrels()
    halves = {"first": sorted(set(qrels["qid"]))[:20], "second": sorted(set(qrels["qid"]))[20:]}
    arguments, parts = ["compare", "-m", "nDCG@10", "--width", "100"], []
    for name, topics in halves.items():
        (tmp_path / name).mkdir()
        path = tmp_path / name / "qrels.txt"
        some = qrels[qrels["qid"].isin(topics)].assign(iteration=0)
        some[["qid", "iteration", "docno", "label"]].to_csv(
            path, sep=" ", header=False, index=False
        )
        arguments += ["--dataset", name, str(path), *RUNS]
        parts.append(
            pd.concat(
                evaluate([nDCG @ 10], path, run).assign(name=Path(run).name.split(".")[0])
                for run in RUNS
            ).assign(dataset=name)
        )
    assert (
        cli.main([*arguments, "--baseline", "bm25", "--baseline", "dph", "--order", "value"]) == 0
    )
    printed = capsys.readouterr().out
    table = paper_table(pd.concat(parts), baseline=["bm25", "dph"], order="value")
    assert printed.startswith(table.to_text(100).rstrip("\n"))
    assert printed.splitlines()[0].split() == ["first", "second", "mean"]
    rows = pairwise(pd.concat(parts), baseline=["bm25", "dph"])
    row = rows.query("dataset == 'mean' and name == 'first-word' and other == 'dph'").iloc[0]
    line = f"first-word - dph {row['difference']:.3f} [{row['low']:.3f}, "
    assert line in " ".join(printed.partition(" mean nDCG@10 difference ")[2].split())
    assert cli.main([*arguments, "--test", "randomised-tukey"]) == 0
    printed = capsys.readouterr().out
    assert "\nsecond nDCG@10: 2 of 3 pairs differ significantly" in printed
    assert "Kendall" not in printed  # datasets are no measures
    assert cli.main([*arguments, "-m", "CG@5"]) == 0
    *_, heads, row, note = capsys.readouterr().out.splitlines()
    assert (heads.split(), row.split()[0]) == (["nDCG@10"], "CG@5")
    assert note == "Kendall's tau-b between the measures' rankings of the systems."


def test_warnings_name_their_dataset(capsys, tmp_path) -> None:
    """Expected: one for each dataset; both have two topics, of which the run of "b" misses one."""
    arguments = ["compare", "-m", "CG(gains='0-1-10')@5", "--test", "none"]
    for name, topics in (("a", "12"), ("b", "1")):
        (tmp_path / name).mkdir()
        qrels, run = tmp_path / name / "qrels", tmp_path / name / "run"
        qrels.write_text("1 0 d 1\n2 0 d 1\n")
        run.write_text("".join(f"{topic} Q0 d 0 1.0 x\n" for topic in topics))
        arguments += ["--dataset", name, str(qrels), str(run)]
    assert cli.main(arguments) == 0
    unmet = (
        "CG(gains='0-1-10')@5: no document of these 2 topics has the relevance level 2, which has "
        "the gain 10; the highest level is 1"
    )
    missed = "the run 'run' has no documents for 1 of the 2 topics of the qrels; each counts as 0"
    told = [f"{unmet} (dataset 'a')", f"{unmet} (dataset 'b')", f"{missed} (dataset 'b')"]
    assert capsys.readouterr().err.splitlines() == [
        f"pt-cumgain: warning: {words}" for words in told
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "give the qrels and the runs, or --dataset NAME QRELS RUN..."),
        (["pydocs"], "give the qrels and the runs, or --dataset NAME QRELS RUN..."),
        (["pydocs", *RUNS, "--dataset", "a", "pydocs", *RUNS], "'pydocs' belongs to no dataset"),
        (["--dataset", "a", "pydocs"], "--dataset a pydocs: give NAME QRELS RUN..."),
        (["--dataset", "", "pydocs", *RUNS], "give NAME QRELS RUN..."),
        (["--dataset", "a", "q", "r", "--dataset", "a", "q", "r"], "two datasets are called 'a'"),
        (
            ["--dataset", "a", "q", "x/bm25.run", "rm3.run", "--dataset", "b", "q", "bm25.run"],
            "the run 'rm3' of dataset 'a' is missing in dataset 'b'",
        ),
    ],
)
def test_wrong_datasets(arguments, error, capsys) -> None:
    assert cli.main(["compare", *arguments, "-m", "nDCG@10"]) == 2
    assert error in capsys.readouterr().err


def test_dominance_needs_a_measure_of_ours(capsys) -> None:
    assert cli.main(["compare", "pydocs", *RUNS, "-m", "AP", "--dominance"]) == 2
    assert "--dominance needs a measure of this package" in capsys.readouterr().err


def test_dominance_reads_no_standard_input(capsys) -> None:
    assert cli.main(["compare", "pydocs", "-", *RUNS, "-m", "nDCG@10", "--dominance"]) == 2
    assert "save standard input in a file first" in capsys.readouterr().err


def test_ranks_below_the_table(capsys) -> None:
    """Expected: the frame of `rank_intervals` of the same results."""
    names = ["bm25", "dph", "first-word"]
    options = ["pydocs", *run_files(*names), "-m", "nDCG@10", "-m", "AP", "--test", "none"]
    _, plain, _ = run_cli(capsys, "compare", *options)
    _, out, _ = run_cli(capsys, "compare", *options, "--ranks", "--confidence", "0.9")
    added = " ".join(line for line in out.splitlines() if line not in plain.splitlines())
    results = pd.concat(
        evaluate(["nDCG@10", "AP"], pydocs.DATA / "qrels.txt", path).assign(name=name)
        for name, path in zip(names, run_files(*names))
    )
    frame = rank_intervals(results, alpha=0.1).set_index(["measure", "name"])
    for measure in ("nDCG@10", "AP"):
        rows = frame.loc[measure].sort_values("rank")
        ranks = ", ".join(f"{n} {r['rank']} [{r.low}, {r.high}]" for n, r in rows.iterrows())
        mean = f"{rows['mean'].iloc[0]:.3f}"
        if rows["may_be_best"].tolist() == [True, False, False]:
            highest = f"bm25 is best (mean {mean})"
        else:
            assert rows["may_be_best"].tolist() == [True, True, False]
            highest = f"bm25 leads (mean {mean}); dph may be best, too"
        assert f"{measure}: {highest}; ranks: {ranks}." in added
    assert added.index("nDCG@10: bm25") < added.index("AP: bm25")
    assert "90% confidence for all systems at once" in added


def test_values_of_another_program(capsys, tmp_path) -> None:
    """Expected: the table of `read_values`' results."""
    paths = []
    for name in ("bm25", "dph"):
        frame = evaluate("nDCG@10", pydocs.DATA / "qrels.txt", *run_files(name))
        lines = [f"ndcg_cut_10\t{row.qid}\t{row.value:.4f}" for row in frame.itertuples()]
        paths.append(tmp_path / f"{name}.eval")
        paths[-1].write_text("\n".join([*lines, "ndcg_cut_10\tall\t0.5"]))
    texts = list(map(str, paths))
    code, out, err = run_cli(capsys, "compare", "--values", *texts, "-m", "ndcg_cut_10")
    assert (code, err) == (0, "")
    expected = paper_table(read_values(paths), rows="systems").to_text(100)
    assert out.startswith(expected.rstrip("\n").rpartition("\n")[0])
    _, out, _ = run_cli(
        capsys, "compare", "--values", f"A={texts[0]}", texts[1], "-m", "ndcg_cut_10"
    )
    assert re.search(r"^\(a\) A ", out, re.MULTILINE)
    for options, message in (
        (["--dominance"], "--dominance needs qrels and runs, not --values"),
        (["--dataset", "X", "q", "r"], "--values takes the place of qrels and runs"),
        (["--output", texts[0]], "is an input; writing to it would destroy it"),
    ):
        assert message in refuse(
            capsys, "compare", "--values", *texts, "-m", "ndcg_cut_10", *options
        )
    assert "do not have 'map'" in refuse(capsys, "compare", "--values", *texts, "-m", "map")
    plain = tmp_path / "bm25"
    plain.write_text(paths[1].read_text())
    same = [texts[0], str(plain), "-m", "ndcg_cut_10"]
    assert "two files are called" in refuse(capsys, "compare", "--values", *same)


def test_pairs_have_no_p_where_friedmans_test_finds_nothing(capsys, tmp_path) -> None:
    """Friedman's p is 0.0606; by Conover's test alone, a pair has p = 0.0151."""
    values = {"A": "13201172", "B": "20733294", "C": "76177264", "D": "45815637"}
    paths = [tmp_path / f"{name}.eval" for name in values]
    for path, digits in zip(paths, values.values()):
        lines = [f"CG\t{topic}\t{digit}\n" for topic, digit in enumerate(digits)]
        path.write_text("".join(lines))
    given = ["compare", "--test", "friedman", "-b", "A", "--correction", "none", "--values"]
    _, out, _ = run_cli(capsys, *given, *map(str, paths))
    assert "p = 0.0606" in out
    rows = [line.split() for line in out.splitlines() if " - A " in line]
    assert [row[-1] for row in rows] == ["–"] * 3
    assert " p\n" in out
    results = read_values(dict(zip(values, paths)))
    table = paper_table(results, test="friedman", baseline="A", correction=None)
    assert table.pairs[["p", "p_corrected"]].isna().all(axis=None)


def test_more_runs_than_letters_are_compared_in_words(capsys, tmp_path) -> None:
    """Expected: the table of `paper_table` with the marks and the test that the warning names."""
    paths = [tmp_path / f"run{i:02}.res" for i in range(27)]
    rows = pydocs.runs()["BM25"]
    rows = rows[rows["qid"].isin([*map(str, range(1, 13))])]
    judged = pt.get_dataset("irds:pydocs").get_qrels()
    judged = judged[judged["qid"].isin(rows["qid"])].itertuples()
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{row.qid} 0 {row.docno} {row.label}\n" for row in judged))
    for i, path in enumerate(paths):
        kept = rows[rows.index % (i + 2) > 0]
        lines = [f"{row.qid} Q0 {row.docno} 0 {row.score} x" for row in kept.itertuples()]
        path.write_text("\n".join(lines))
    code, out, error = run_cli(capsys, "compare", str(qrels), *map(str, paths), "-m", "CG@5")
    assert code == 0
    assert "there are letters for 26 systems, not 27; numbers below the table" in error
    assert re.search(r"^27 run26 +\d", out, re.M)
    assert ">: significantly better, ** p < 0.01, * p < 0.05 (paired t-test, two-sided" in out
    given = ["compare", str(qrels), *map(str, paths), "-m", "CG@5", "--test", "t"]
    assert run_cli(capsys, *given, "--marks", "reading")[1] == out
