"""The notebooks in `examples/`, with the outputs of their cells.

``python -m tests.support.notebooks`` runs them and writes the outputs anew.
"""

import base64
import struct
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

from tests.conftest import DATA

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))
#: What evaluates real data, which `tests/conftest.py` looks for.
NEED_DATA = {"collections.ipynb"}
#: What says nothing of the machine that ran a notebook.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> Any:
    """Return a notebook with the outputs that it has now, run in an empty folder."""
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        options = {"timeout": 300, "record_timing": False, "coalesce_streams": True}
        place = {"metadata": {"path": folder}}
        nbclient.NotebookClient(
            notebook, kernel_name="python3", resources=place, **options
        ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook


def texts(cell: Any) -> list[dict[str, list[str]]]:
    """Return what a cell has put out: each text by its kind, spaces at the ends of lines left out.

    Of a picture there is the kind alone: its bytes change with every release of matplotlib.
    """
    outputs = [output.get("data") or {output.name: output.text} for output in cell.outputs]
    return [
        {
            kind: [] if kind.startswith("image/") else [line.rstrip() for line in text.splitlines()]
            for kind, text in output.items()
        }
        for output in outputs
    ]


def sizes(cell: Any) -> list[int]:
    """Return the width and height of a cell's pictures, in pixels."""
    pictures = [output.get("data", {}).get("image/png") for output in cell.outputs]
    headers = [base64.b64decode(picture)[16:24] for picture in pictures if picture]
    return [side for header in headers for side in struct.unpack(">II", header)]


if __name__ == "__main__":
    for path in NOTEBOOKS:
        if path.name in NEED_DATA and not DATA.is_dir():
            print(f"{path.name} stays as it is: no real data at {DATA}")
            continue
        nbformat.write(executed(path), path)
