"""README and manual: every example is run, every output real, every table as declared."""

import inspect
import pydoc
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import ir_measures
import numpy as np
import pytest

import pt_cumgain
from pt_cumgain.measures import MEASURES
from pt_cumgain.writing.phrases import PHRASES
from tests.support import pages
from tests.support.browser import opened
from tests.support.helpers import MODULES
from tests.support.pages import MANUAL, PAGES, ROOT

CONSOLE = pages.console()
TEXTS = {name: page.read_text("utf-8") for name, page in PAGES.items()}
EXAMPLES = [name for name, page in PAGES.items() if ">>>" in pages.python(page)]
INVENTORIES = Path(__file__).parent / "support" / "inventories"
ANEW = "python -m tests.support.pages writes them anew"
VIEWPORT = {"width": 1400, "height": 1000}


def only_readme_by_default(names: Iterable[str]) -> list:
    """Pages, or blocks of them, to be run: those of the manual are end-to-end."""
    return [
        name if name.startswith("README") else pytest.param(name, marks=pytest.mark.end_to_end)
        for name in names
    ]


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize("name", only_readme_by_default(EXAMPLES))
def test_python(name: str, tmp_path: Path) -> None:
    """A page's examples are one session; it draws the pictures that the page shows."""
    differs = pages.run_python(PAGES[name], tmp_path)
    assert not differs, differs
    for picture in pages.shown(PAGES[name]):
        if (tmp_path / picture).exists():
            assert_same_picture(tmp_path / picture, pages.PICTURES / picture)


@pytest.mark.end_to_end
@pytest.mark.usefixtures("figures")
def test_every_line_of_the_papers_runs(tmp_path: Path) -> None:
    """The calls in the tables of the page are run after its examples, whose names they use."""
    text = TEXTS["pt_cumgain/pt_docs/papers.rst"]
    literals = [" ".join(text.split()) for text in re.findall(r"``(.+?)``", text, re.DOTALL)]
    lines = [line for line in literals if re.fullmatch(r"[\w.]+\(.*\)[\w.()\"]*", line)]
    assert len(lines) > 50
    page = tmp_path / "papers.rst"
    page.write_text(text + "\n\n" + "".join(f">>> _ = {line}\n" for line in lines), "utf-8")
    differs = pages.run_python(page, tmp_path)
    assert not differs, differs


def assert_same_picture(drawn: Path, kept: Path) -> None:
    from matplotlib.image import imread
    from PIL import Image

    programs = [Image.open(path).info["Software"] for path in (drawn, kept)]
    assert imread(drawn).shape == imread(kept).shape
    if programs[0] == programs[1]:  # another version of matplotlib may place labels elsewhere
        assert np.abs(imread(drawn) - imread(kept)).mean() < 1e-3, ANEW


@pytest.mark.parametrize("name", only_readme_by_default(CONSOLE))
def test_console(name: str, tmp_path: Path) -> None:
    for command, said, printed in pages.run_console(CONSOLE[name], tmp_path):
        assert [line.rstrip() for line in printed.splitlines()] == said.splitlines(), command


@pytest.mark.parametrize("name", PAGES)
def test_there_is_no_block_that_is_not_run(name: str) -> None:
    """`sh` is run by `.ci/run` or installs; a literal block (`::`) has names that are not here."""
    kinds = re.findall(r"^(?:```|\.\. code-block:: )(\w+)$", TEXTS[name], re.MULTILINE)
    assert set(kinds) <= {"python", "console", "sh", "text"}
    assert "code-block:: python" not in TEXTS[name], "lines that begin with >>> are run"


def test_every_block_of_the_formats_is_read(tmp_path: Path) -> None:
    """Expected: DCG@2 is the label of the first document, 2; the second has label 0."""
    section = TEXTS["pt_cumgain/pt_docs/recipes/runs.rst"].partition("\nFormats\n")[2]
    blocks = re.findall(r"::\n\n((?:   \S.+\n)+)", section)
    assert len(blocks) == 6
    for number, block in enumerate(blocks):
        (tmp_path / str(number)).write_text(textwrap.dedent(block))
    for run in "0123":
        for qrels in "45":
            values = pt_cumgain.evaluate("DCG@2", tmp_path / qrels, tmp_path / run)
            assert values["value"].tolist() == [2.0]


def test_every_generated_table_is_on_a_page_once() -> None:
    included = re.findall(r"^   :file: reference/(.+)\.csv$", "\n".join(TEXTS.values()), re.M)
    assert sorted(included) == sorted(pages.tables())


def test_every_picture_is_shown_and_drawn() -> None:
    """All but that of the report, which needs a browser, are drawn by the page that shows them."""
    shown_by = {picture: page for page in PAGES.values() for picture in pages.shown(page)}
    assert set(shown_by) == {path.name for path in pages.PICTURES.iterdir()}
    drawn = re.findall(r'"([\w-]+\.png)"', "\n".join(map(pages.python, PAGES.values())))
    screens = {pages.REPORT_PICTURE.name, pages.ANSWER_PICTURE.name}
    assert {*drawn, *screens, "rooms.png"} == set(shown_by)
    assert all(path.stat().st_size <= 150_000 for path in pages.PICTURES.iterdir())


@pytest.mark.slow
def test_the_picture_of_the_report_shows_the_page_as_it_is(tmp_path: Path) -> None:
    from PIL import Image

    page = pages.write_report(tmp_path).read_text("utf-8")
    drawn = {
        Image.open(one).info.get("Page") for one in (pages.REPORT_PICTURE, pages.ANSWER_PICTURE)
    }
    assert drawn == {pages.report_digest(page)}, ANEW.replace("pages", "pages report.png")


@pytest.mark.parametrize("name", PAGES)
def test_every_measure_that_a_page_names_is_one(name: str) -> None:
    for text in re.findall(r"`(n?s?D?CG[(@][^`]*[^`k])`", TEXTS[name]):
        text = text.replace('""', '"')  # in a csv-table
        try:
            ir_measures.parse_measure(text)
        except (NameError, ValueError):  # as Python has it
            assert eval(text, {**MEASURES, "SCENARIOS": pt_cumgain.papers.SCENARIOS}), text


def test_every_public_name_is_in_the_reference() -> None:
    """Once, on a page of its own; of pydocs without the classes that only ir_datasets needs."""
    listed = [f"pt_cumgain.{name}" for names in pages.entries().values() for name in names]
    assert len(listed) == len(set(listed))
    for module in (*MODULES, pt_cumgain.pydocs):
        names = {f"{module.__name__}.{name}" for name in dir(module) if name[:6] != "Pydocs"}
        rooms = {name for name in names if inspect.ismodule(pydoc.locate(name))}
        assert names - rooms <= set(listed)


def test_every_entry_of_the_reference_has_its_page() -> None:
    """With its example, and the picture that the gallery draws with it; tables, as declared."""
    kept = {path: path.read_text("utf-8") for path in pages.ENTRIES.iterdir()}
    assert kept == pages.reference_files(), ANEW
    for name in pt_cumgain.plots.__all__:
        if name.startswith("plot_"):
            assert ".. image::" in kept[pages.ENTRIES / f"plots.{name}.rst"], name


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The manual, built without a warning; without a network, too."""
    pytest.importorskip("sphinx_copybutton", reason="sphinx-copybutton is not installed")
    folder = tmp_path_factory.mktemp("manual")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(MANUAL), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_scrolls_sideways(browser, built: Path) -> None:
    """Neither a page of 1400 pixels nor a block of code on it; and none is as long as a book."""
    page = browser.new_page(viewport=VIEWPORT)
    for path in sorted(built.rglob("*.html")):
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        width, height, wide = page.evaluate("""() => [
            document.documentElement.scrollWidth,
            document.documentElement.scrollHeight,
            [...document.querySelectorAll("article pre, article .table-wrapper")]
                .filter((block) => block.scrollWidth > block.clientWidth + 1)
                .map((block) => block.innerText),
        ]""")
        assert width <= VIEWPORT["width"], path.name
        assert height < 20_000, path.name
        assert wide == [], path.name


def test_a_function_links_to_its_guide(browser, built: Path) -> None:
    page = browser.new_page(viewport=VIEWPORT)
    page.goto((built / "reference" / "pairwise.html").as_uri())
    page.locator(".seealso a", has_text="How do I make a table for a paper").click()
    assert page.locator("section:target > h2").inner_text().startswith("How do I make a table")


def test_the_report_is_live(browser, built: Path) -> None:
    path = built / "recipes" / "report.html"
    with opened(browser, path, ready=False, viewport=VIEWPORT) as page:
        page.locator("iframe").scroll_into_view_if_needed()
        frame = page.frame_locator("iframe")
        frame.locator("#map svg").wait_for()  # which the page's script draws
        assert "BM25" in frame.locator("#answer").inner_text()
        assert frame.locator("#order tbody tr").count() == 5
        page.get_by_role("link", name="Open the page alone").click()
        page.wait_for_url("**/five-systems.html*")
        assert page.title() == "Five systems on pydocs"


@pytest.mark.parametrize(("width", "beside"), [(1366, True), (800, False)])
def test_headings_are_listed_once(browser, built: Path, width: int, beside: bool) -> None:
    size = {**VIEWPORT, "width": width}
    with opened(browser, built / "definitions.html", ready=False, viewport=size) as page:
        assert page.locator("nav.contents").is_visible() is not beside
        assert page.locator("article td").first.bounding_box()["width"] >= 128


@pytest.mark.end_to_end
def test_names_of_other_packages_are_links(built: Path) -> None:
    listed = {
        line.split()[0]: line.split()[2]
        for path in INVENTORIES.iterdir()
        for line in path.read_text("utf-8").splitlines()[3:]
    }
    pages = "\n".join(path.read_text("utf-8") for path in built.rglob("*.html"))
    for name, page in listed.items():
        assert f'/{page}#{name}"' in pages, name
    packages = "ir_measures|matplotlib|pandas|pyterrier|scipy"
    roles = rf":(?:func|class|meth):`(?:[^`<]* <)?~?((?:{packages})\.[\w.]+)>?`"
    assert set(re.findall(roles, "\n".join(TEXTS.values()))) <= set(listed)


def test_what_the_manual_links_to_is_there() -> None:
    """Sphinx checks links inside the manual (`.ci/run`); DOIs are those of the descriptions."""
    known = set(re.findall(r"doi\s*= \{(.+?)\}", str(PHRASES["references"]).replace("\\n", "\n")))
    assert known
    for text in TEXTS.values():
        assert set(re.findall(r"doi\.org/([^\s>)]+)", text)) <= known
