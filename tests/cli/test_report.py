"""`pt-cumgain report`: the page."""

import json
import re

from pt_cumgain import cli
from tests.support.helpers import hide, refuse, run_files

RUNS = run_files("bm25", "first-word")


def test_the_command_writes_the_page(tmp_path, capsys) -> None:
    page = tmp_path / "report.html"
    arguments = ["report", "pydocs", *RUNS, "-m", "nCG(gains='0-1-5-10')@20", "-b", "first-word"]
    arguments += ["-d", "30", "-t", "pydocs", "--title", "Two <runs>", "-o", str(page)]
    arguments.append("--documents")
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == f"written: {page}\n"
    text = page.read_text("utf-8")
    data = json.loads(re.search(r'<script [^>]+ id="data">(.*)</script>', text)[1])
    assert data["names"] == ["bm25", "first-word"]
    first = data["first"]
    assert (first["gains"], first["k"], first["baseline"]) == ([0, 1, 5, 10], 20, 1)
    assert data["topics"][0] == {"id": "1", "text": "join two tables on a key"}
    assert data["documents"].keys() == {"ids", "places"}
    assert "<title>Two &lt;runs&gt;</title>" in text


def test_topics_from_a_file_are_those_that_count(tmp_path) -> None:
    topics = tmp_path / "topics.tsv"
    topics.write_text("3\tone of 42 topics\n\n4\tanother\n")
    page = tmp_path / "report.html"
    assert cli.main(["report", "pydocs", *RUNS, "-t", str(topics), "-o", str(page)]) == 0
    data = page.read_text("utf-8")
    expected = '"topics":[{"id":"3","text":"one of 42 topics"},{"id":"4","text":"another"}]'
    assert expected in data


def test_without_its_extra(tmp_path, capsys, monkeypatch) -> None:
    hide("bokeh", monkeypatch)
    page = str(tmp_path / "a.html")
    message = refuse(capsys, "report", "pydocs", RUNS[0], "-o", page)
    assert message.endswith('pip install "pt_cumgain[report]"')
