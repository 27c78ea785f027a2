"""The pages that users read, README and manual: their examples, tables and pictures.

``python -m tests.support.pages`` writes what follows from the declarations and from the examples:
tables, pictures, and the reference's page for each function. With the argument ``report.png`` it
draws the two of the report.
"""

import argparse
import ast
import base64
import csv
import doctest
import hashlib
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pt_cumgain
from pt_cumgain import cli, core, nDCG
from pt_cumgain.core import BUILT_IN, DISCOUNTS, DUPLICATES, QUERY_DISCOUNTS, TIES
from pt_cumgain.environment.extras import bokeh_resources
from pt_cumgain.measures import MEASURES
from tests.support.browser import chromium, opened

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MANUAL = ROOT / "pt_cumgain" / "pt_docs"
PICTURES = MANUAL / "pictures"
#: The page that the recipe's example writes, down to its map, as wide as on a common laptop.
REPORT_PICTURE = PICTURES / "report.png"
SCREEN = {"viewport": {"width": 1366, "height": 1100}, "device_scale_factor": 1.4}
#: Its sentence and table, as on a phone, without what a phone shows only after a swipe.
ANSWER_PICTURE = PICTURES / "answer.png"
PHONE = {"viewport": {"width": 450, "height": 1100}, "device_scale_factor": 2}
UNSEEN = "table :is(td, th):nth-child(n + 6), header button {display: none}"
REFERENCE = MANUAL / "reference.rst"
#: The folder of what is generated: a page for each entry of the reference, and tables.
ENTRIES = MANUAL / "reference"
#: The command that writes the files of the examples.
FILES = "pt-cumgain demo --files"
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in [README, *sorted(MANUAL.rglob("*.rst"))]
    if path.parent != ENTRIES
}


def blocks(text: str, kind: str) -> list[str]:
    """Return the code blocks of a kind, of Markdown or of reStructuredText."""
    fenced = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    directives = re.findall(
        rf"^\.\. code-block:: {kind}\n((?: .*\n|\n)+)", text + "\n", re.MULTILINE
    )
    return fenced + [textwrap.dedent(block).strip("\n") + "\n" for block in directives]


def python(page: Path) -> str:
    """Return a page's examples in Python, as one text, with prompts."""
    text = page.read_text("utf-8")
    if page.suffix == ".rst":
        return text
    pairs = re.findall(
        r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.DOTALL | re.MULTILINE
    )
    return "\n".join(_prompted(code) + output for code, output in pairs)


def _prompted(code: str) -> str:
    """Return code that a reader pastes, as it looks when it is typed."""
    lines = code.splitlines()
    statements = [lines[each.lineno - 1 : each.end_lineno] for each in ast.parse(code).body]
    return "".join(">>> " + "\n... ".join(each) + "\n" for each in statements)


def console() -> dict[str, str]:
    """Return the pages' blocks of commands, by page and number."""
    return {
        f"{name} {number}": block
        for name, page in PAGES.items()
        for number, block in enumerate(blocks(page.read_text("utf-8"), "console"), 1)
    }


def place_files(folder: Path) -> None:
    """Type the README's first command, which writes the files that the examples name."""
    with _inside(folder):
        _printed(FILES)


def run_python(page: Path, folder: Path) -> str:
    """Run a page's examples in one session, as a reader would type them; return what differs."""
    place_files(folder)
    test = doctest.DocTestParser().get_doctest(python(page), {}, page.stem, page.name, 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    differs: list[str] = []
    with warnings.catch_warnings(), patch.dict(DISCOUNTS), _inside(folder):
        warnings.simplefilter("ignore")  # pandas' and PyTerrier's own
        runner.run(test, out=differs.append)
    return "".join(differs)


def run_console(block: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Run a block of commands; yield each, what the page says it prints, and what it prints.

    A reader has typed the README's first command, if it is not in the block.
    """
    if f"$ {FILES}\n" not in block:
        place_files(folder)
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*", step)[0]
        with _inside(folder):
            printed = _printed(re.sub(r"\\\n\s*", "", command))
        yield command, step[len(command) + 1 :], printed


def _printed(command: str) -> str:
    """Return what a command prints; a shell, which takes seconds to start, runs what needs one."""
    program, *arguments = shlex.split(command)
    if program == "pt-cumgain" and not {"|", "-"} & set(arguments):
        with redirect_stdout(io.StringIO()) as printed:
            assert cli.main(arguments) == 0
        return printed.getvalue()
    bin_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": bin_first}
    shell = ["bash", "-c", command]
    return subprocess.run(
        shell, stdout=subprocess.PIPE, text=True, check=True, env=environment
    ).stdout


def write_report(folder: Path) -> Path:
    """Write the page of the recipe's example into a folder; return its path."""
    if differs := run_python(MANUAL / "recipes" / "report.rst", folder):
        raise ValueError(differs)
    return folder / "report.html"


def unpack(text: str) -> bytes:
    """Return what the page's data has as text, packed."""
    return zlib.decompress(base64.b64decode(text))


@cache
def report_digest(text: str) -> str:
    """Return a digest of a page that changes with what the page shows.

    It leaves out the foot, what Bokeh writes, how data is packed, the digits in which machines
    differ, and the discounts that closed menus do not show.
    """
    before, after = text.split(bokeh_resources())
    start, end = re.split(r'<script[^>]* id="figures">.*?</script>', before + after)
    text = re.sub("<footer>.*</footer>", "", start + end)
    text = re.sub(r'"discounts":\[.*?\}\]', "", text)
    text = re.sub(r"const discounts = \{.*?\};", "", text, flags=re.DOTALL)
    text = re.sub('"(eN[^"]+)"', lambda found: unpack(found[1]).hex(), text)
    text = re.sub(r"\d+\.\d{9,}(e-?\d+)?", lambda found: f"{float(found[0]):.9g}", text)
    return hashlib.sha256(f"{SCREEN}{text}".encode()).hexdigest()


def draw_report() -> None:
    """Draw the top of the report, in a browser; the pictures hold the page's digest."""
    from PIL import Image, PngImagePlugin

    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = write_report(Path(folder))
        held = PngImagePlugin.PngInfo()
        held.add_text("Page", report_digest(path.read_text("utf-8")))
        for picture, screen in ((REPORT_PICTURE, SCREEN), (ANSWER_PICTURE, PHONE)):
            with opened(browser, path, **screen) as page:
                drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                if screen is PHONE:
                    page.add_style_tag(content=UNSEEN)
                    last = page.locator("table").first.locator("tr").last.bounding_box()
                    area = {"x": 0, "y": 0, "width": 450, "height": last["y"] + last["height"]}
                    drawn = Image.open(io.BytesIO(page.screenshot(clip=area))).convert("RGB")
            reduce_colours(drawn).save(picture, pnginfo=held, optimize=True)


def reduce_colours(picture: Any) -> Any:
    """Return a picture of 256 colours, a third of the size; a median cut would lose thin lines."""
    from PIL import Image

    return picture.convert("RGB").quantize(
        256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
    )


def keep(drawn: Path) -> None:
    """Write a picture to the manual, small, with the program that drew it."""
    from PIL import Image, PngImagePlugin

    picture, held = Image.open(drawn), PngImagePlugin.PngInfo()
    held.add_text("Software", picture.info["Software"])
    reduce_colours(picture).save(PICTURES / drawn.name, pnginfo=held, optimize=True)


def shown(page: Path) -> list[str]:
    """Return the names of the pictures that a page shows."""
    return re.findall(r"pictures/([\w-]+\.png)", page.read_text("utf-8"))


def entries() -> dict[str, list[str]]:
    """Return what has a page of its own, as the lists of the reference name it: by list."""
    found = re.findall(
        r"^   :name: cumgain-list-(.+)\n(?:   .*\n|\n)*?\.\. toctree::\n   :hidden:\n\n"
        r"((?:   reference/.+\n)+)",
        REFERENCE.read_text("utf-8"),
        re.MULTILINE,
    )
    return {name: re.findall("reference/(.+)", pages) for name, pages in found}


def reference_files() -> dict[Path, str]:
    """Return the reference's pages (title, docstring, picture of the gallery), and all tables."""
    found = {}
    for name, rows in tables().items():
        body = io.StringIO()
        csv.writer(body, lineterminator="\n").writerows(rows)
        found[ENTRIES / f"{name}.csv"] = body.getvalue()
    for name in [name for names in entries().values() for name in names]:
        documented = attrgetter(name)(pt_cumgain)
        if inspect.isfunction(documented):
            directive = f".. autofunction:: pt_cumgain.{name}\n"
        elif inspect.isclass(documented):
            directive = f".. autoclass:: pt_cumgain.{name}\n   :members:\n"
        elif comment := _comment(name):
            value = ""
            if len(repr(documented)) < 100 and not isinstance(documented, Path):
                value = f"   :value: {documented!r}\n"
            directive = f".. py:data:: pt_cumgain.{name}\n{value}\n   {comment}\n"
        else:
            directive = f".. autodata:: pt_cumgain.{name}\n   :no-value:\n"
        page = f"{name}\n{'=' * len(name)}\n\n{directive}{_references(documented)}"
        for label, text, picture in _gallery():
            if f"`~pt_cumgain.{name}`" in text:
                picture = picture.replace("pictures/", "../pictures/")
                page += f"\n{picture}\nThe code of this picture: :ref:`{label}`.\n"
        found[ENTRIES / f"{name}.rst"] = page
    return found


def _comment(name: str) -> str:
    """Return the comment on public data, which stands above it in a module of its room."""
    room, _, data = name.rpartition(".")
    for path in (ROOT / "pt_cumgain" / room).glob("_*.py"):
        if found := re.search(rf"^((?:#: .*\n)+){data}\b", path.read_text("utf-8"), re.MULTILINE):
            return found[1].replace("#: ", "").replace("\n", " ").strip()
    return ""


def _references(documented: Any) -> str:
    """Return the works that a docstring cites by numbers, which that of its module lists."""
    cited = re.findall(r"\[(\d)\]_", str(inspect.getdoc(documented)))
    if not cited:
        return ""
    listed = re.findall(r"^\.\. \[\d\] .+\n(?:   .+\n)+", f"{core.__doc__}\n", re.MULTILINE)
    works = [work for work in listed if work[4] in cited]
    return "\n.. rubric:: References\n\n" + "".join(works)


def _gallery() -> list[tuple[str, str, str]]:
    """Return the label, the text and the picture of each section of the gallery."""
    return re.findall(
        r"^\.\. _(.+):\n\n.+\n-+\n\n((?:.+\n)+)\n(\.\. image:: .+\n(?:   .+\n)+)",
        (MANUAL / "gallery.rst").read_text("utf-8"),
        re.MULTILINE,
    )


@cache
def tables() -> dict[str, list[tuple[str, ...]]]:
    """Return the generated tables of the manual by name: the rows, the head first."""
    parameters: dict = {}
    for name, measure in MEASURES.items():
        for parameter, info in measure.SUPPORTED_PARAMS.items():
            kinds = parameters.setdefault(parameter, {})
            kinds.setdefault((_default(info), _meaning(parameter, info)), []).append(name)
    found: dict[str, list[tuple[str, ...]]] = {
        "parameters": [
            ("parameter", "of", "default", "meaning"),
            *(
                (f"``{parameter}``", _which(names), default, meaning)
                for parameter, kinds in parameters.items()
                for (default, meaning), names in kinds.items()
            ),
        ],
    }
    for parameter, symbol, table in [
        ("discount", "d(i)", {name: DISCOUNTS[name] for name in BUILT_IN}),  # not the manual's own
        ("query_discount", "d_q(q)", QUERY_DISCOUNTS),
    ]:
        base = {"discount": "b", "query_discount": "bq"}[parameter]
        found[parameter] = [
            (f"``{parameter}``", symbol, "base", "source"),
            *(
                (f"``'{name}'``", d.text, base if d.takes_base else "", d.source)
                for name, d in table.items()
            ),
        ]
    for parameter, head, words in [
        ("duplicates", "a document that several queries return earns", DUPLICATES),
        ("ties", "documents of equal score rank", TIES),
    ]:
        found[parameter] = [
            (f"``{parameter}``", head),
            *((f"``'{name}'``", text) for name, text in words.items()),
        ]
    found["programs"] = _programs()
    for group, names in entries().items():
        found[f"list-{group}"] = [(f":obj:`~pt_cumgain.{name}`", _summary(name)) for name in names]
    return found


def _programs() -> list[tuple[str, ...]]:
    """Return what other programs compute as nDCG@10, and how that is declared here."""
    from pt_cumgain.inputs.reading import read_qrels
    from pt_cumgain.trust._reconcile import AXES, PROGRAMS, _Variants

    variants = _Variants([nDCG @ 10], read_qrels({"1": {"a": 1}}))
    rows = [("program", "differs from nDCG@10 here", "declaration here", "read in")]
    for name, program in PROGRAMS.items():
        choices = {axis: program[axis] for axis in AXES}
        first = variants.every.index(  # whole labels are not cut
            {axis: known[0] for axis, known in choices.items() if axis != "labels"}
        )
        differs = [
            AXES[axis][known[0]]
            for axis, known in choices.items()
            if known[0] in list(AXES[axis])[1:]
        ]
        said = "; ".join([*differs, *([", ".join(program["note"])] if "note" in program else [])])
        declared = variants.declaration([first]).replace(", missing", "``, ``missing")
        file = program["source"][0].partition(" ")[0]
        link = f"`{file.rstrip('/').rpartition('/')[2]} <{file}>`__"
        rows.append((name, said or "nothing", f"``{declared}``" if declared else "none", link))
    return rows


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _rst(text: str) -> str:
    """Return a text of the terminal as reStructuredText: what is typed, as code."""
    typed = r"`([^`]+)`|(\"[^\"]+\"|'[^' ]+'|\{[^}]+\}|\b(?:n?s?DCG|n?CG)@\d+)"
    code = re.sub(typed, lambda found: f"``{found[1] or found[2]}``", text)
    return code.replace("``=", r"``\ =")


def _summary(name: str) -> str:
    """Return what the first line of a docstring says, or the first sentence on data."""
    if comment := _comment(name):
        return comment.partition(". ")[0].rstrip(".") + "."
    return str(inspect.getdoc(attrgetter(name)(pt_cumgain))).partition("\n")[0]


def _which(names: list[str]) -> str:
    return "all" if len(names) == len(MEASURES) else " ".join(names)


def _default(info: Any) -> str:
    return f"``{info.default!r}``" if isinstance(info.default, (int, str)) else ""


def _meaning(parameter: str, info: Any) -> str:
    tables = {"discount", "query_discount", "duplicates", "ties"}
    link = f"see :ref:`the table <cumgain-{parameter}>`"
    return link if parameter in tables else _rst(str(info.desc))


def main() -> None:
    for path in ENTRIES.iterdir():
        path.unlink()
    for path, text in reference_files().items():
        path.write_text(text, "utf-8")
    for page in PAGES.values():
        if shown(page):
            with tempfile.TemporaryDirectory() as folder:
                print(run_python(page, Path(folder)), end="")
                for picture in shown(page):
                    if (drawn := Path(folder, picture)).exists():
                        keep(drawn)
    draw_report()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", nargs="?", choices=[REPORT_PICTURE.name])
    draw_report() if parser.parse_args().picture else main()
