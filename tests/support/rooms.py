"""Draw the rooms of the package, with arrows to what they import.

An arrow is left out if a longer way of arrows leads to the same room. The picture opens the
manual's page for contributors: `python -m tests.support.rooms` draws it anew.
"""

import sys
import tempfile
from pathlib import Path

import grimp
import matplotlib.pyplot as plt

from tests.support.pages import ROOT, keep

if sys.version_info >= (3, 11):
    import tomllib
else:  # the parser of pytest, which tests have
    import tomli as tomllib


def read_rooms() -> list[str]:
    """Return the rooms that the layers name, those that import others first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [room for layer in layers for room in layer.split(" : ")]


def find_arrows(rooms: list[str]) -> list[tuple[str, str]]:
    """Return pairs of a room and one that it imports, without those that other pairs imply."""
    graph = grimp.build_graph("pt_cumgain")
    for room in rooms:
        graph.squash_module(f"pt_cumgain.{room}")
    for module in graph.find_modules_directly_imported_by("pt_cumgain"):  # the face is not a room
        graph.remove_import(importer="pt_cumgain", imported=module)
    names = {f"pt_cumgain.{room}": room for room in rooms}
    imported = {
        room: {names[other] for other in graph.find_upstream_modules(module) if other in names}
        for module, room in names.items()
    }
    return [
        (room, other)
        for room in rooms
        for other in imported[room]
        if not any(other in imported[between] for between in imported[room])
    ]


def place_rooms(rooms: list[str], arrows: list[tuple[str, str]]) -> dict[str, tuple[float, int]]:
    """Return a place for each room, above all that it imports, and near to those that import it."""
    height = dict.fromkeys(rooms, 0)
    for _ in rooms:
        for room, other in arrows:
            height[room] = max(height[room], height[other] + 1)
    places: dict[str, tuple[float, int]] = {}
    for y in sorted(set(height.values()), reverse=True):
        row = [room for room in rooms if height[room] == y]
        above = {room: [places[r][0] for r, other in arrows if other == room] for room in row}
        row.sort(key=lambda room: sum(above[room]) / len(above[room]) if above[room] else 1)
        places |= {room: ((i + 1) / (len(row) + 1), y) for i, room in enumerate(row)}
    return places


def draw(target: Path) -> None:
    """Draw the picture."""
    rooms = read_rooms()
    arrows = find_arrows(rooms)
    places = place_rooms(rooms, arrows)
    figure, axes = plt.subplots(figsize=(5, 7))
    axes.set(xlim=(0, 1), ylim=(-0.5, len({y for _, y in places.values()}) - 0.5))
    axes.set_axis_off()
    frame = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.4"}
    boxes = {
        room: axes.text(*place, room, ha="center", va="center", fontsize=8, bbox=frame)
        for room, place in places.items()
    }
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
