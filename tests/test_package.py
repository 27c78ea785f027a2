"""What a user sees of the package: its public names, and what its import costs."""

import ast
import inspect
import json
import os
import pydoc
import re
import runpy
import subprocess
import sys
import typing
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import pt_cumgain
from pt_cumgain.writing.phrases import PHRASES
from tests.support.helpers import MODULES, PUBLIC, run_python, slow

ROOT = Path(__file__).parents[1]
STUB = Path(pt_cumgain.__file__).with_suffix(".pyi")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_what_is_public_can_be_seen_and_imported(module) -> None:
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
    declared = [
        (alias.name, alias.asname)
        for node in ast.parse(Path(module.__file__).with_suffix(".pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert {name for name, _ in declared} == set(module.__all__)
    assert all(name == public for name, public in declared)  # type checkers export such names only
    with pytest.raises(AttributeError, match="nothing"):
        module.nothing  # noqa: B018  # it is the look-up that fails


def test_a_name_that_is_elsewhere() -> None:
    for asked, place in (("", ".trust"), ("", ".core"), (".trust", ""), (".plots", ".sessions")):
        name = {".trust": "reconcile", ".core": "cg", "": "bounds"}.get(place, "query_gains")
        module, words = f"pt_cumgain{asked}", f"has no {name}; it is pt_cumgain{place}.{name}$"
        with pytest.raises(AttributeError, match=f"^{module} {words}"):
            getattr(sys.modules[module], name)
        with pytest.raises(ImportError, match=f"^{module} {words}"):
            exec(f"from {module} import {name}")


def test_names_that_python_asks_for_import_nothing() -> None:
    """unittest.assertWarns asks every module for __warningregistry__."""
    ask = "hasattr(pt_cumgain, '__warningregistry__')"
    code = f"import sys, pt_cumgain; n = len(sys.modules); print({ask}, len(sys.modules) - n)"
    assert run_python(code) == "False 0\n"


#: The calls in texts that are no formulas, patterns or help: code that users may follow. Each was
#: read again with data for which it would be wrong: none drops, rounds or merges data.
CALLS = {
    "comparing/_results.py": {"Experiment", "assign", "ttest_ind"},
    "description.py": {"describe"},
    "engine/units.py": {"per_session", "split_turns"},
    "hosts/ir_measures.py": {"nDCG"},
    "hosts/pyterrier.py": {"per_session"},
    "inputs/frames.py": {"to_pandas"},
    "inputs/reading.py": {"to_pandas"},
    "options.py": {"today"},
}
OTHERS = ("cli/", "core.py", "page/report.py", "registration.py", "writing/rendering.py")


def test_the_calls_in_messages_are_known() -> None:
    found = {}
    for path in STUB.parent.rglob("*.py"):
        nodes = set(ast.walk(ast.parse(path.read_text("utf-8"))))
        nodes -= {node.value for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        texts = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
        said = "\n".join(text for text in texts if " " in text)
        found[path.relative_to(STUB.parent).as_posix()] = set(re.findall(r"([a-zA-Z]\w*)\(", said))
    assert {name: of for name, of in found.items() if of and not name.startswith(OTHERS)} == CALLS


@pytest.mark.parametrize("module", [*MODULES, pt_cumgain.pydocs])
def test_help_of_a_module_begins_with_what_is_public(module) -> None:
    lists = re.findall(r"^ +- (``.*?):", module.__doc__, re.MULTILINE)
    named = re.findall(r"``(\w+)``", " ".join(lists))
    for_ir_datasets = {"register"} | {name for name in dir(module) if name.startswith("Pydocs")}
    assert sorted(named) == sorted(set(module.__all__) - for_ir_datasets)
    assert max(map(len, module.__doc__.splitlines())) <= 76  # help() sets it in by 4


def test_help_shows_formulas_as_text() -> None:
    """Neither TeX nor its role."""
    helps = {name: str(inspect.getdoc(thing)) for name, thing in PUBLIC.items()}
    assert [name for name in helps if re.search(r":math:|\\alpha", helps[name])] == []


def test_no_module_of_pydocs_hides_a_function() -> None:
    pt_cumgain.pydocs.sessions()  # imports a module
    assert all(map(callable, (pt_cumgain.pydocs.runs, pt_cumgain.pydocs.sessions)))


@pytest.mark.parametrize(
    "imports",
    [
        "import pt_cumgain.pydocs, ir_datasets",
        *slow(
            "import pt_cumgain, ir_datasets; pt_cumgain.pydocs.runs()",
            "import ir_datasets; from pt_cumgain import pydocs",
            "import importlib, ir_datasets, pt_cumgain.pydocs as p; importlib.reload(p)",
        ),
    ],
)
def test_ir_datasets_knows_pydocs_whatever_is_imported_first(imports: str) -> None:
    code = f"{imports}; print(len(list(ir_datasets.load('pydocs').queries_iter())))"
    assert run_python(code) == "42\n"


@pytest.mark.parametrize("imported", ["pt_cumgain", *slow("pyterrier; pyterrier.cumgain.nCG")])
@pytest.mark.parametrize("home", ["an empty folder", *slow("a file")])
def test_the_import_needs_no_home_and_writes_nothing_there(imported, home, tmp_path) -> None:
    """ir_datasets makes folders in it when it is imported, and fails where it cannot."""
    place = tmp_path / home
    place.touch() if home == "a file" else place.mkdir()
    names = {"HOME": str(place), "USERPROFILE": str(place)}
    env = {k: v for k, v in os.environ.items() if k != "IR_DATASETS_HOME"} | names
    code = f"import {imported}; import ir_measures; print(ir_measures.parse_measure('nCG@5'))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("nCG@5\n", "")
    assert [*place.rglob("*")] == []


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """What is run of a module: not what type checkers alone import, which bring their own."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from statements(child)


def test_what_is_imported_is_declared() -> None:
    """Every package that a module imports is in pyproject.toml, as a dependency or in an extra."""
    requires = metadata.requires("pt_cumgain")
    declared = {re.match(r"[\w-]+", text)[0].lower().replace("-", "_") for text in requires}
    imported = set()
    for path in STUB.parent.rglob("*.py"):
        for node in statements(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    imported -= {*sys.stdlib_module_names, "pt_cumgain"}
    assert {"pandas", "lazy_loader", "matplotlib"} <= imported
    assert imported <= declared


def test_the_import_brings_nothing_that_reads_data() -> None:
    """Beyond ir_measures and ir_datasets, package and public rooms import only declarations."""
    code = (
        "import sys, json, ir_measures, ir_datasets\n"
        "before = set(sys.modules)\n"
        "import pt_cumgain\n"
        "from pt_cumgain import comparing, core, papers, plots, sessions, trust\n"
        "pt_cumgain.nDCG(gains='0-1-10') @ 10\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    new = json.loads(run_python(code))
    packages = {name.partition(".")[0] for name in new} - set(sys.stdlib_module_names)
    assert packages <= {"pt_cumgain", "lazy_loader", "wrapt", "numpy"}
    assert not [name for name in new if name.startswith(("pt_cumgain.engine", "pt_cumgain.inputs"))]


def fields_of(entry: str) -> dict[str, str]:
    """The fields of an entry in BibTeX, without braces and backslashes."""
    fields = re.findall(r"^ +(\w+) += \{(.*?)\},?$", entry, re.MULTILINE | re.DOTALL)
    return {name: " ".join(re.sub(r"[{}\\]", "", text).split()) for name, text in fields}


def test_the_citation_says_what_the_package_says() -> None:
    entries = [fields_of(reference["bibtex"]) for reference in PHRASES["references"].values()]
    known = {each["title"]: (each["year"], each["pages"], each.get("doi")) for each in entries}
    cited = {
        paper["title"]: (str(paper["year"]), f"{paper['start']}--{paper['end']}", paper.get("doi"))
        for paper in CITATION["references"]
    }
    assert [year for year, *_ in cited.values()] == ["2000", "2002", "2005", "2008"]
    assert cited.items() <= known.items()
    recipe = (STUB.parent / "pt_docs" / "recipes" / "comparisons.rst").read_text("utf-8")
    (author,) = CITATION["authors"]
    assert fields_of(recipe.partition("@software{")[2].partition("\n   }")[0]) == {
        "author": author["name"],
        "title": CITATION["title"],
        "version": pt_cumgain.__version__,
        "year": "2026",
    }
    assert CITATION["version"] == pt_cumgain.__version__
    assert ("date-released" in CITATION) == (".dev" not in pt_cumgain.__version__)


def test_the_help_of_the_package_fits_on_its_pages() -> None:
    """At most 35 names and 1,500 lines; the first screens show each name, and each module."""
    assert len(pt_cumgain.__all__) <= 35
    lines = pydoc.plain(pydoc.render_doc(pt_cumgain)).splitlines()
    if sys.version_info < (3, 13):  # which gives each parameter of a long signature a line
        assert len(lines) <= 1_500
    first = "\n".join(lines[:80])
    assert [name for name in pt_cumgain.__all__ if f"``{name}``" not in first] == []


def test_the_places_of_the_project_stand_in_one_file() -> None:
    """And in CITATION.cff, which cannot read it; links of the README lead to files that exist."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    places = runpy.run_path(str(ROOT / ".ci" / "metadata.py"))
    repository = places["REPOSITORY"]
    assert CITATION["url"] == CITATION["repository-code"] == repository
    made = {"version": "1.2.3"}
    places["PlacesHook"](str(ROOT), {}).update(made)
    assert all(url.startswith(repository) for url in made["urls"].values())
    link = r"(!?)\[[^]]*\]\(([^)]+)\)"
    ours = rf"{repository}/(raw|blob)/v1.2.3/(.+)"
    links = re.findall(link, made["readme"]["text"])
    assert len(links) == len(re.findall(link, (ROOT / "README.md").read_text("utf-8"))) > 0
    for picture, target in links:
        assert target.startswith(("https://", "#"))
        found = re.fullmatch(ours, target)
        if found:
            assert found[1] == ("raw" if picture else "blob")
            assert (ROOT / found[2]).exists()
    assert re.findall(r'<img src="(.{8})', made["readme"]["text"]) == ["https://"]
    command = ["git", "grep", "-l", repository]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert set(listed.split()) <= {".ci/metadata.py", "CITATION.cff"}


def test_the_types_of_public_functions_can_be_read() -> None:
    for name, function in PUBLIC.items():
        if inspect.isfunction(function) and ".plots." not in function.__module__:
            assert "return" in typing.get_type_hints(function), name
