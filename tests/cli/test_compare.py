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

from pt_cumgain import CG, cli, evaluate, intervals, nDCG, pairwise, paper_table, pydocs
from pt_cumgain.comparing import friedman, read_values
from pt_cumgain.comparing.best import may_be_best
from pt_cumgain.environment.terminal import escape_controls
from tests.cli.test_program import end_with_usage
from tests.support.helpers import QRELS, RUN, experiment, refuse, run_cli, run_files, slow

RUN_NAMES = ["bm25", "dph", "first-word"]
RUNS = run_files(*RUN_NAMES)


def results_of_runs(measures: list) -> pd.DataFrame:
    """The results of `pt.Experiment` with these runs, under the names of their files."""
    names = dict(zip(["BM25", "DPH", "First word"], RUN_NAMES))
    results = experiment(measures, perquery=True).replace({"measure": {"map": "AP"}})
    return results[results["name"].isin(names)].replace({"name": names})


def test_the_command(capsys) -> None:
    """Expected: the table of pt.Experiment's results, Friedman's test by `friedman`."""
    measures = ["nDCG(gains='exp')@10", "AP", "CG@5"]
    arguments = ["compare", "pydocs", *RUNS, "-m", measures[0], "-m", "AP CG@5", "--width", "100"]
    arguments += ["--test", "friedman"]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    results = results_of_runs([nDCG(gains="exp") @ 10, CG @ 5, "map"])
    table = paper_table(
        results, measures=measures, systems=RUN_NAMES, rows="systems", test="friedman"
    )
    assert printed.startswith(table.to_text(100))
    assert printed.splitlines()[0].split() == ["nDCG@10", "(exponential)", *measures[1:]]
    for row in friedman(results).itertuples():
        assert f"{row.measure}: Friedman chi2 = {row.statistic:.3f}, df = 2, " in printed
    assert printed.splitlines()[-2:] == [
        "Kendall's tau-b between the measures' rankings of the systems.",
        "exponential: gain = 2^level - 1.",
    ]
    assert max(map(len, printed.splitlines())) <= 100


@pytest.mark.parametrize("baseline", ["bm25", *slow(None)])
def test_intervals_beside_the_means(baseline: str | None, capsys) -> None:
    """Expected: `intervals`, or the differences of `pairwise`; the CSV file has all digits."""
    given = ["compare", "pydocs", *RUNS, "-m", "CG@5", "-m", "CG@3", "--interval", "-p", "2"]
    given += ["--baseline", baseline] if baseline else ["--test", "none"]
    assert cli.main([*given, "--width", "100"]) == 0
    printed = capsys.readouterr().out
    results = results_of_runs([CG @ 5, CG @ 3])
    ends = pairwise(results, baseline=baseline) if baseline else intervals(results)
    assert cli.main([*given, "--csv", "-"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out)).set_index(["name", "measure"])
    for row in ends.itertuples():
        interval = f"[{row.low:.2f}, {row.high:.2f}]"
        assert (f"{row.difference:+.2f} {interval}" if baseline else interval) in printed
        found = table.loc[(row.name, row.measure)]
        assert found[["low", "high"]].tolist() == pytest.approx([row.low, row.high])
        if baseline:
            columns = ["difference", "effect", "p", "p_corrected"]
            expected = [getattr(row, column) for column in columns]
            assert found[columns].tolist() == pytest.approx(expected)
    assert printed.count("bm25") == (3 if baseline else 1) + 2 * bool(baseline)


@pytest.mark.parametrize("confidence", [0.95, *slow(0.5)])
def test_who_may_be_best(confidence: float, capsys) -> None:
    """Expected: the frame of `may_be_best` of the same results."""
    given = ["compare", "pydocs", *RUNS, "-m", "nDCG@10", "-m", "AP", "--width", "200"]
    _, out, _ = run_cli(capsys, *given, "--confidence", str(confidence))
    frame = may_be_best(results_of_runs([nDCG @ 10, "map"]), confidence=confidence)
    said = re.findall(
        r"^(nDCG@10|AP): (.*?) (is best|has the highest mean) \((.*?)\)(.*)", out, re.M
    )
    assert [measure for measure, *_ in said] == ["nDCG@10", "AP"]
    for measure, first, verb, mean, others in said:
        rows = frame[frame["measure"] == measure].set_index("name")
        assert first == rows["mean"].idxmax()
        assert mean == f"{rows['mean'].max():.3f}"
        named = {name for name in RUN_NAMES if name in others}
        assert {first, *named} == set(rows.index[rows["may_be_best"]])
        assert (verb == "is best") == (not named)
    assert " best" not in run_cli(capsys, *given, "--test", "none")[1].replace("•: best", "")
    same = [f"a={RUNS[0]}", f"b={RUNS[0]}", f"c={RUNS[2]}"]
    _, out, _ = run_cli(capsys, "compare", "pydocs", *same, "-m", "nDCG@10")
    assert "nDCG@10: a and b share the highest mean (0.603)." in out


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
        assert "CG@5: dph is best" in text
    assert cli.main([*some, "--format", "latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == r"\noindent\begin{minipage}{\linewidth}\centering"  # a column
    assert lines[-2].startswith("% CG@5: dph is best")
    csv = tmp_path / "t.csv"
    assert cli.main([*some, "--csv", str(csv), "--rows", "measures"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["dph", "(a)", "first-word"]
    assert csv.read_text().startswith("measure,name,mean,better_than,worse_than\nCG@5,dph,")
    assert cli.main([*some, "--csv", "-"]) == 0
    assert capsys.readouterr().out == csv.read_text()
    assert cli.main([*some, "--csv", "-", "-o", str(tmp_path / "u.txt")]) == 0
    assert capsys.readouterr().out == csv.read_text()
    text = (tmp_path / "u.txt").read_text("utf-8")
    assert text.startswith("                    CG@5\ndph ")


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
            "width=300.0 must be inches",
        ),
        ([*RUNS, "-m", "CG@5", "--width", "inf"], "width=inf must be characters, such as 100"),
        ([*RUNS, "-m", "CG@5", "--confidence", "7"], "confidence=7.0 must be between 0 and 1"),
        ([*RUNS, "-m", "CG@5", "--correction", "magic"], "magic"),
        ([*RUNS, "-m", "CG@5", "-o", "t.txt", "--csv", "t.txt"], "are the same file, t.txt"),
        ([*RUNS, RUNS[0], "-m", "CG@5"], "two runs are called 'bm25'"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, capsys) -> None:
    assert cli.main(["compare", "pydocs", *arguments]) == 2
    error = capsys.readouterr().err
    assert "pt-cumgain compare: error: " in error
    assert message in error


def test_unknown_choices(capsys) -> None:
    """In the command's words: no test is "none", not None."""
    error = end_with_usage(capsys, ["compare", "pydocs", *RUNS, "-m", "CG@5", "--test", "welch"])
    error = " ".join(error.split())
    assert "argument --test: invalid choice: 'welch'" in error
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
        (["a/run.txt", "b/x/run.res"], ["a/run", "b/x/run"]),
        (["a/run.txt", "b/dph.txt", "run.txt"], ["a/run", "dph", "run"]),
        (["a/x/run.txt", "b/x/run.res"], ["a/x/run", "b/x/run"]),
        (["a/run.txt", "./b/../a/x/run.txt", "b/x/run.res"], ["a/run", "a/x/run", "b/x/run"]),
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
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-b", "none", "--all")
    assert out.count(" - none") == 2


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


@pytest.mark.slow
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
    for name in names:
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


@pytest.mark.slow
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
    compared = ["--baseline", "bm25", "--baseline", "dph", "--order", "value"]
    assert cli.main([*arguments, *compared]) == 0
    printed = capsys.readouterr().out
    table = paper_table(pd.concat(parts), baseline=["bm25", "dph"], order="value")
    assert printed.startswith(table.to_text(100).rstrip("\n"))
    assert printed.splitlines()[0].split() == ["first", "second", "mean"]
    assert "nDCG@10: bm25 has the highest mean" in printed
    assert "Kendall" not in printed  # datasets are no measures
    assert cli.main([*arguments, "--test", "friedman"]) == 0
    printed = capsys.readouterr().out
    for row in friedman(pd.concat(parts)).itertuples():
        assert f"\n{row.dataset} nDCG@10: Friedman chi2 = {row.statistic:.3f}, df = 2, " in printed
    assert cli.main([*arguments, "-m", "CG@5"]) == 0
    *_, heads, row, note = capsys.readouterr().out.splitlines()
    assert (heads.split(), row.split()[0]) == (["nDCG@10"], "CG@5")
    assert note == "Kendall's tau-b between the measures' rankings of the systems."


def test_each_dataset_has_a_warning_of_missing_topics(capsys, tmp_path) -> None:
    for name, topics in {"qrels": "12345", "all": "12345", "one": "1", "two": "12"}.items():
        text = "{} Q0 a 1\n" if name == "qrels" else "{} Q0 a 1 1.0 t\n"
        (tmp_path / name).write_text("".join(map(text.format, topics)))
    qrels, whole, one, two = (str(tmp_path / name) for name in ("qrels", "all", "one", "two"))
    given = ["-m", "CG", "--dataset", "X", qrels, whole, one, two]
    given += ["--dataset", "Y", qrels, f"all={one}", f"one={whole}", f"two={whole}"]
    assert cli.main(["compare", *given]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "no documents for" in line]
    assert told == [
        "pt-cumgain: warning: 2 runs have no documents for some of the 5 topics in the qrels: "
        "'one' (4), 'two' (3); these topics count as 0 (dataset 'X')",
        "pt-cumgain: warning: the run 'all' has no documents for 4 of the 5 topics in the qrels; "
        "these topics count as 0 (dataset 'Y')",
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
            ["--dataset", "a", "q", "x", "y", "--dataset", "b", "q", "x"],
            "the run 'y' of dataset 'a'",
        ),
    ],
)
def test_wrong_datasets(arguments, error, capsys) -> None:
    assert cli.main(["compare", *arguments, "-m", "nDCG@10"]) == 2
    assert error in capsys.readouterr().err


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
    given = ["compare", "-m", "ndcg_cut_10", "--values"]
    _, out, _ = run_cli(capsys, *given, f"A={texts[0]}", texts[1])
    assert re.search(r"^A ", out, re.MULTILINE)
    for options, message in (
        (["--dataset", "X", "q", "r"], "--values takes the place of qrels and runs"),
        (["--output", texts[0]], "is an input; writing to it would destroy it"),
    ):
        assert message in refuse(capsys, *given, *texts, *options)
    assert "do not have 'map'" in refuse(capsys, "compare", "--values", *texts, "-m", "map")
    plain = tmp_path / "bm25"
    plain.write_text(paths[1].read_text())
    assert "two files are called" in refuse(capsys, *given, texts[0], str(plain))
