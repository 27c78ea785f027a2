"""The notebooks in `examples/` run anywhere, and show what they say they show."""

from pathlib import Path

import pytest

pytest.importorskip("nbclient", reason="Jupyter is not installed")
pytest.importorskip("ipykernel", reason="Jupyter is not installed")

from tests.support.notebooks import METADATA, NEED_DATA, NOTEBOOKS, executed, read, sizes, texts


@pytest.mark.end_to_end
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_outputs_that_are_kept_are_those_of_a_run(path: Path, request) -> None:
    """Text for text; pictures by their sizes, which letters of other fonts change a little."""
    if path.name in NEED_DATA:
        request.getfixturevalue("data")
    kept, run = read(path), executed(path)
    for before, now in zip(kept.cells, run.cells, strict=True):
        if now.cell_type == "code":
            assert texts(before) == texts(now), "python -m tests.support.notebooks writes them anew"
            assert "stderr" not in {kind for output in texts(now) for kind in output}
            assert sizes(before) == pytest.approx(sizes(now), rel=0.1)
    assert any(sizes(cell) for cell in kept.cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_is_small_and_says_nothing_of_a_machine(path: Path) -> None:
    notebook = read(path)
    assert path.stat().st_size < 200_000
    assert notebook.metadata == METADATA
    assert not any(cell.metadata for cell in notebook.cells)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
