"""A Sphinx extension: the directives that PyTerrier's website has.

``how-to`` is a task with a heading that the website's index lists. After ``related`` the page of a
function links back to where it is used.
"""

import pydoc
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


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
    """Have the page of a function link to the section that has this directive."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        if pydoc.locate(self.arguments[0]) is None:
            raise self.error(f"there is no {self.arguments[0]}")
        section = self.state.parent
        place = (self.env.docname, section["ids"][0], section.next_node(nodes.title).astext())
        _related(self.env).setdefault(self.arguments[0], []).append(place)
        return []


def _related(env: Any) -> dict[str, list[tuple[str, str, str]]]:
    related: dict[str, list[tuple[str, str, str]]] = vars(env).setdefault("related", {})
    return related


def _forget(_app: Any, env: Any, page: str) -> None:
    """Forget the sections of a page, before it is read anew."""
    for places in _related(env).values():
        places[:] = [place for place in places if place[0] != page]


def _link_back(app: Any, doctree: nodes.document, page: str) -> None:
    """Append links to the sections that use a function to its description."""
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


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("how-to", HowTo)
    app.add_directive("related", Related)
    app.connect("env-purge-doc", _forget)
    app.connect("doctree-resolved", _link_back)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
