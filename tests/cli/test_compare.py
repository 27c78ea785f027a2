"""`pt-cumgain compare`: the table, the tests and the formats."""

import re

import pandas as pd
import pytest

from pt_cumgain import CG, cli, evaluate, nDCG, paper_table, pydocs
from pt_cumgain.cli import inputs
from pt_cumgain.comparing import friedman, read_values
from pt_cumgain.comparing._may_be_best import may_be_best
from tests.support.helpers import experiment, run_cli, run_files, slow

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
        name = row.measure.replace(
            "nDCG(gains='exp')@10", "nDCG@10 (exponential)"
        )  # as in the head
        assert f"{name}: Friedman chi2 = {row.statistic:.3f}, df = 2, " in printed
    assert max(map(len, printed.splitlines())) <= 100


@pytest.mark.parametrize("baseline", ["bm25", *slow(None)])
def test_intervals_beside_the_means(baseline: str | None, capsys) -> None:
    """Expected: the table of `paper_table`; the CSV file has all digits."""
    given = ["compare", "pydocs", *RUNS, "-m", "CG@5", "-m", "CG@3", "--interval", "-p", "2"]
    given += ["--baseline", baseline] if baseline else ["--test", "none"]
    printed = run_cli(capsys, *given, "--width", "100")[1]
    options = {"baseline": baseline} if baseline else {"test": None}
    results = results_of_runs([CG @ 5, CG @ 3])
    table = paper_table(
        results, measures=["CG@5", "CG@3"], rows="systems", interval=True, decimals=2, **options
    )
    assert printed.startswith(table.to_text(100).rstrip())
    assert run_cli(capsys, *given, "--csv", "-")[1] == table.to_csv()


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.95, *slow(0.5)])
def test_who_may_be_best(confidence: float, capsys) -> None:
    """Expected: the frame of `may_be_best` of the same results."""
    given = ["compare", "pydocs", *RUNS, "-m", "nDCG@10", "-m", "AP", "--width", "200"]
    _, out, _ = run_cli(capsys, *given, "--confidence", str(confidence))
    frame = may_be_best(results_of_runs([nDCG @ 10, "map"]), confidence=confidence)
    said = re.findall(
        r"^(nDCG@10|AP): (.*?) (is best|has the highest mean)(?: on .*)? \((.*?)\)(.*)", out, re.M
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
    some = ["compare", "pydocs", *RUNS[1:], "-m", "CG@5"]
    ends = {
        "t.tex": "% needs \\usepackage{booktabs,graphicx}\n\\noindent\\begin{minipage}{3.3in}",
        "t.md": "|                | CG@5 ",
        "t.html": "<table ",
    }
    for name, start in ends.items():
        path = tmp_path / name
        assert cli.main([*some, "-o", str(path), "--width", "3.3"]) == 0
        assert capsys.readouterr().out == f"written: {path}\n"
        text = path.read_text("utf-8")
        assert text.startswith(start)
        assert "CG@5: dph is best" in text
    assert cli.main([*some, "-o", str(tmp_path / "t.tex")]) == 0
    lines = (tmp_path / "t.tex").read_text("utf-8").splitlines()
    assert lines[1] == r"\noindent\begin{minipage}{\linewidth}\centering"  # a column
    assert lines[-2].startswith("% CG@5: dph is best")
    capsys.readouterr()
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


@pytest.fixture
def places(tmp_path, monkeypatch) -> None:
    """Runs in several folders, of the same content; the current folder is called ``in``."""
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
def test_names_of_runs(runs: list[str], names: list[str]) -> None:
    """Written by hand, as the manual defines them."""
    assert list(inputs.name_runs(runs)) == names


def test_a_run_may_be_called_none(capsys) -> None:
    runs = [f"none={RUNS[0]}", RUNS[1], RUNS[2]]
    _, out, _ = run_cli(capsys, "compare", "pydocs", *runs, "-b", "none", "--correction", "none")
    assert "t-test against none, two-sided, uncorrected" in " ".join(out.split())
    _, out, _ = run_cli(capsys, "dominance", "pydocs", *runs, "-b", "none")
    assert out.count(" none ") == 4  # as the other one, and as the better one


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
    parts = pd.concat(read_values(paths).assign(dataset=name) for name in ("D1", "D2"))
    parts.to_csv(tmp_path / "parts.csv", index=False)
    _, parts_out, _ = run_cli(capsys, "compare", "--values", str(tmp_path / "parts.csv"))
    assert re.findall("^(ndcg.*): bm25", parts_out, re.M) == [
        f"ndcg_cut_10, {part}" for part in ("D1", "D2", "mean")
    ]
    with pytest.raises(ValueError, match=r"^some files have a column dataset, but others do not"):
        read_values([tmp_path / "parts.csv", paths[0]])
    again = run_cli(capsys, "compare", "--values", texts[0], "--values", texts[1])
    assert again == (code, out, err)
    given = ["compare", "-m", "ndcg_cut_10", "--values"]
    _, out, _ = run_cli(capsys, *given, f"A={texts[0]}", texts[1])
    assert re.search(r"^A ", out, re.MULTILINE)


UNKNOWN = ["nDCG", "AP", "nDCG@200", "nDCG(at_r=True)", "nDCG(ties='average')@5", "nsDCG@5"]


@pytest.mark.parametrize("measure", ["nDCG@5", *UNKNOWN])
def test_best_is_said_of_measures_that_read_judged_documents(measure, tmp_path, capsys) -> None:
    """Nine documents of each topic are judged."""
    for name, likes in {"A": 5, "B": 2}.items():
        lines = [f"{t} Q1 {name}{i} 0 {20 - i} x\n" for t in range(8) for i in range(12)]
        (tmp_path / name).write_text("".join(lines))
        judged = [
            f"{t} 0 {name}{i} {int((t + i) % 7 < likes)}\n" for t in range(8) for i in range(9)
        ]
        with (tmp_path / "qrels").open("a") as file:
            file.writelines(judged)
    given = [str(tmp_path / name) for name in ("qrels", "A", "B")]
    verdict = "is best on these judgments" if measure in UNKNOWN else "is best"
    _, out, _ = run_cli(capsys, "compare", *given, "-m", measure, "--width", "999")
    assert re.search(rf": A {verdict} \(", out)
    if measure != "nsDCG@5":  # from a file of the values and shares, too
        asked, runs = [measure, "Judged@9"], dict(zip("AB", given[1:]))
        rows = [evaluate(asked, given[0], run).assign(name=name) for name, run in runs.items()]
        values, path = pd.concat(rows), tmp_path / "values.csv"
        some = values[(values["name"] == "A") | (values["measure"] != "Judged@9")]
        for known, said in ((values, verdict), (some, "is best on these judgments")):
            known.to_csv(path)
            _, out, _ = run_cli(capsys, "compare", "--values", str(path))
            assert re.search(rf": A {said} \(", out)


@pytest.mark.parametrize(("top", "said"), [(100, "(by up to 45.000) could"), (101, "may")])
def test_where_no_range_is_known_nothing_is_said_to_be_proved(top, said, tmp_path, capsys) -> None:
    """There are ranges for at most 100 positive levels."""
    qrels = [f"{topic} 0 d{level} {level}\n" for topic in "12" for level in range(top + 1)]
    (tmp_path / "qrels").write_text("".join(qrels))
    for name, docs in {"A": ("d9", "d8"), "B": ("d7", "x")}.items():
        lines = [f"{topic} Q0 {doc} 0 1 t\n" for topic, doc in zip("12", docs)]
        (tmp_path / name).write_text("".join(lines))
    given = [str(tmp_path / name) for name in ("qrels", "A", "B")]
    code, out, _ = run_cli(capsys, "compare", *given, "-m", "CG@1")
    assert code == 0
    assert f"unjudged documents, B {said} be above A." in out
