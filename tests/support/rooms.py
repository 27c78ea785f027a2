"""Draw the rooms of the package, with arrows to what they import.

An arrow is left out if a longer way of arrows leads to the same room. The picture opens the
manual's page for contributors: `python -m tests.support.rooms` draws it anew.
"""

import tempfile
from pathlib import Path

import grimp
import matplotlib.pyplot as plt

from tests.support.pages import keep


def find_imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports, directly or through others."""
    graph = grimp.build_graph("pt_cumgain")
    rooms = sorted(graph.find_children("pt_cumgain"))
    for room in rooms:
        graph.squash_module(room)
    for room in graph.find_modules_directly_imported_by("pt_cumgain"):  # the face is not a room
        graph.remove_import(importer="pt_cumgain", imported=room)
    return {room: graph.find_upstream_modules(room) - {"pt_cumgain"} for room in rooms}


def find_arrows(imports: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return pairs of a room and one that it imports, without those that other pairs imply."""
    return [
        (room, other)
        for room, imported in imports.items()
        for other in sorted(imported)
        if not any(other in imports[between] for between in imported)
    ]


def place_rooms(imports: dict, arrows: list[tuple[str, str]]) -> dict[str, tuple[float, int]]:
    """Return a place for each room, above all that it imports, and near to those that import it."""
    height: dict[str, int] = {}
    for room in sorted(imports, key=lambda room: len(imports[room])):
        height[room] = max((height[other] + 1 for other in imports[room]), default=0)
    places: dict[str, tuple[float, int]] = {}
    for y in range(max(height.values()), -1, -1):
        row = [room for room in imports if height[room] == y]
        above = {room: [places[r][0] for r, other in arrows if other == room] for room in row}
        row.sort(key=lambda room: sum(above[room]) / len(above[room]) if above[room] else 1)
        places |= {room: ((i + 1) / (len(row) + 1), y) for i, room in enumerate(row)}
    return places


def draw(target: Path) -> None:
    imports = find_imports()
    arrows = find_arrows(imports)
    places = place_rooms(imports, arrows)
    figure, axes = plt.subplots(figsize=(5, 7))
    axes.set(xlim=(0, 1), ylim=(-0.5, max(y for _, y in places.values()) + 0.5))
    axes.set_axis_off()
    frame = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.4"}
    text = {"ha": "center", "va": "center", "fontsize": 8, "bbox": frame}
    boxes = {room: axes.text(*at, room.split(".")[1], **text) for room, at in places.items()}
    for room, other in arrows:
        ends = {"patchA": boxes[room].get_bbox_patch(), "patchB": boxes[other].get_bbox_patch()}
        bend = 0.0 if places[room][1] - places[other][1] == 1 else 0.25  # around what is between
        arrow = {"arrowstyle": "->", "color": "0.5", "connectionstyle": f"arc3,rad={bend}", **ends}
        axes.annotate("", places[other], places[room], arrowprops=arrow)
    figure.savefig(target, dpi=120, bbox_inches="tight", metadata={"Software": "matplotlib"})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder, "rooms.png")
        draw(drawn)
        keep(drawn)
