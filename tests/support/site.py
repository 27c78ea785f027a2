"""A Sphinx extension: what readers of this build have, beside those of PyTerrier's website.

The report itself in place of its picture, links to other packages, buttons that copy code without
prompts and output, columns of numbers set to the right, a text that is wide enough for code, and
examples above signatures.
"""

import html
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.osutil import relative_uri

from tests.support.pages import write_report

_NUMBER = re.compile(r"[-−+]?\d[\d.,]*( ?(%|×|s|M|MiB))?|[-–—]")
#: What Furo sets to the right.
_RIGHT = "text-align:right"
#: The builders whose readers have a browser, and the report's file among what they write.
_BROWSED = ("html", "dirhtml")
_LIVE = "five-systems.html"
#: Other packages' documentation. What the manual links to is listed in `inventories`, as
#: `name type page`, so that no build needs a network.
_OTHERS = {
    "ir-measures": "https://ir-measur.es/en/latest/",
    "matplotlib": "https://matplotlib.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "pyterrier": "https://pyterrier.readthedocs.io/en/latest/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
}


def _align_numbers(_app: Any, doctree: nodes.document) -> None:
    """Set the columns of numbers to the right, with their heads."""
    for group in doctree.findall(nodes.tgroup):
        body = next(group.findall(nodes.tbody))
        for place in range(group["cols"]):
            cells = [row[place] for row in group.findall(nodes.row) if len(row) > place]
            texts = [row[place].astext() for row in body if len(row) > place]
            if all(_NUMBER.fullmatch(text) for text in texts if text) and any(texts):
                for cell in cells:
                    cell["classes"].append(_RIGHT)


def _begin_with_example(app: Any, doctree: nodes.document) -> None:
    """Put a function's first example above its signature, on its page of the reference."""
    described = doctree.next_node(addnodes.desc)
    if app.env.docname.startswith("reference/") and described:
        content = described.next_node(addnodes.desc_content)
        rubrics = [node for node in content.children if isinstance(node, nodes.rubric)]
        for rubric in (node for node in rubrics if node.astext() == "Examples"):
            place = content.index(rubric)
            first, *rest = content[place + 1 :]
            if isinstance(first, nodes.doctest_block):
                content.remove(first)
                described.parent.insert(described.parent.index(described) - 1, first)
                if not rest or isinstance(rest[0], nodes.rubric):
                    content.remove(rubric)


def _write_live_page(app: Any) -> None:
    """Write the page of the recipe's example beside the manual's pages."""
    if app.builder.name in _BROWSED:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(write_report(Path(folder)), Path(app.outdir, _LIVE))


def _show_live_page(app: Any, doctree: nodes.document, page: str) -> None:
    """Put the page in place of its picture, an image of the class ``live``."""
    if app.builder.name in _BROWSED:
        uri = relative_uri(app.builder.get_target_uri(page), _LIVE)
        for image in list(doctree.findall(nodes.image)):
            if "live" in image["classes"]:
                title = html.escape(image["alt"])
                frame = (
                    f'<p><a href="{uri}">Open the page alone</a></p>\n'
                    f'<iframe src="{uri}" title="{title}" loading="lazy"></iframe>'
                )
                image.replace_self(nodes.raw("", frame, format="html"))


def _break_at_underscores(_app: Any, doctree: nodes.document, _page: str) -> None:
    """Let long names of code in tables break after an underscore, and nowhere else."""
    for table in doctree.findall(nodes.table):
        for literal in list(table.findall(nodes.literal)):
            first, *others = literal.astext().split("_")
            literal[:] = [nodes.Text(first)]
            for part in others:
                literal += [nodes.Text("_"), nodes.raw("", "<wbr>", format="html")]
                literal += nodes.Text(part)


def _configure(_app: Any, config: Any) -> None:
    config.copybutton_exclude = ".linenos, .gp, .go"  # prompts and output
    config.html_static_path.append(str(Path(__file__).with_name("site.css")))
    inventories = Path(__file__).with_name("inventories")
    config.intersphinx_mapping = {
        name: (url, str(inventories / f"{name}.txt")) for name, url in _OTHERS.items()
    }


def setup(app: Any) -> dict[str, bool]:
    """Add what the readers of the website do without."""
    app.setup_extension("sphinx.ext.intersphinx")
    app.setup_extension("sphinx_copybutton")
    app.connect("config-inited", _configure, priority=1)  # before the extensions read it
    app.add_css_file("site.css")
    app.connect("builder-inited", _write_live_page)
    app.connect("doctree-resolved", _show_live_page)
    app.connect("doctree-resolved", _break_at_underscores)
    app.connect("doctree-read", _align_numbers)
    app.connect("doctree-read", _begin_with_example)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
