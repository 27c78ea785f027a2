"""The places where the project lives, and the metadata that names them.

These places do not exist yet. Whoever publishes the project changes them here and in CITATION.cff,
which a test compares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/pt-cumgain/pt_cumgain"
DOCUMENTATION = f"{REPOSITORY}/blob/main/pt_cumgain/pt_docs/index.rst"

#: A link or a picture of the README whose target is a file of the repository.
_RELATIVE = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)\s]+)\)")


def link_absolutely(text: str, version: str) -> str:
    """Return a text in Markdown whose links lead to the files of a version in the repository."""
    text = re.sub(r'(<img src=")(?!https?:)', rf"\1{REPOSITORY}/raw/v{version}/", text)
    return _RELATIVE.sub(
        lambda link: (
            f"{link[1]}[{link[2]}]"
            f"({REPOSITORY}/{'raw' if link[1] else 'blob'}/v{version}/{link[3]})"
        ),
        text,
    )


class PlacesHook(MetadataHookInterface):
    """Adds the project's URLs, and the README as the package index shows it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the metadata."""
        readme = Path(self.root, "README.md").read_text("utf-8")
        text = link_absolutely(readme, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {
            "Repository": REPOSITORY,
            "Documentation": DOCUMENTATION,
            "Issues": f"{REPOSITORY}/issues",
            "Changelog": f"{REPOSITORY}/blob/main/pt_cumgain/pt_docs/changelog.rst",
        }
