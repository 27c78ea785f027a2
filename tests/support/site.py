"""A Sphinx extension: what the manual needs where PyTerrier's website does not build it.

The website has the directives ``how-to``, a task with a heading that its index lists, and
``related``, after which the page of a function links back to where it is used. The rest is for
readers of this build alone: the report itself in place of its picture, links to other packages,
buttons that copy code without prompts and output, columns of numbers set to the right, and a text
that is wide enough for code.
"""

from __future__ import annotations

import html
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
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


class HowTo(SphinxDirective):
    """A section for a task: its argument is the title."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        title = self.arguments[0]
        section = nodes.section(title, names=[nodes.fully_normalize_name(title)])
        section += nodes.title(title, "", *self.state.inline_text(title, self.lineno)[0])
        self.state.document.note_implicit_target(section, section)
        self.state.nested_parse(self.content, self.content_offset, section)
        return [section]


class Related(SphinxDirective):
    """Have the page of a function link to the section in which this stands."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        section = self.state.parent
        place = (self.env.docname, section["ids"][0], section.next_node(nodes.title).astext())
        _related(self.env).setdefault(self.arguments[0], []).append(place)
        return []


def _related(env: Any) -> dict[str, list[tuple[str, str, str]]]:
    if not hasattr(env, "related"):
        env.related = {}
    return env.related


def _forget(_app: Any, env: Any, page: str) -> None:
    """Forget what a page says, before it is read anew."""
    for places in _related(env).values():
        places[:] = [place for place in places if place[0] != page]


def _link_back(app: Any, doctree: nodes.document, page: str) -> None:
    """Append to what describes a function where it is used."""
    for described in doctree.findall(addnodes.desc):
        names = described.next_node(addnodes.desc_signature)["ids"]
        places = [place for name in names for place in _related(app.env).get(name, [])]
        if places:
            listed = nodes.bullet_list()
            for other, anchor, title in places:
                uri = f"{app.builder.get_relative_uri(page, other)}#{anchor}"
                link = nodes.reference("", title, internal=True, refuri=uri)
                listed += nodes.list_item("", nodes.paragraph("", "", link))
            described.next_node(addnodes.desc_content).append(addnodes.seealso("", listed))


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


def _configure(_app: Any, config: Any) -> None:
    config.copybutton_exclude = ".linenos, .gp, .go"  # prompts and output
    config.html_static_path.append(str(Path(__file__).with_name("site.css")))
    inventories = Path(__file__).with_name("inventories")
    config.intersphinx_mapping = {
        name: (url, str(inventories / f"{name}.txt")) for name, url in _OTHERS.items()
    }


def setup(app: Any) -> dict[str, bool]:
    """Add what the website has, and what its readers do without."""
    app.setup_extension("sphinx.ext.intersphinx")
    app.setup_extension("sphinx_copybutton")
    app.connect("config-inited", _configure, priority=1)  # before the extensions read it
    app.add_css_file("site.css")
    app.add_directive("how-to", HowTo)
    app.add_directive("related", Related)
    app.connect("builder-inited", _write_live_page)
    app.connect("env-purge-doc", _forget)
    app.connect("doctree-resolved", _link_back)
    app.connect("doctree-resolved", _show_live_page)
    app.connect("doctree-read", _align_numbers)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
