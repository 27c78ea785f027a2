"""Pictures as files that publishers take."""

import re
import zlib
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot

from pt_cumgain import cli, plots
from tests.support.helpers import run_files, slow

pytestmark = pytest.mark.usefixtures("figures")
CURVES = pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 2], "value": [1.0, 3.0]})


def fonts(pdf: Path) -> set[bytes]:
    """The types of the fonts in a PDF file, also in compressed parts."""
    content = pdf.read_bytes()
    for part in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        try:
            content += zlib.decompress(part.rstrip(b"\r\n"))
        except zlib.error:
            continue
    return set(re.findall(rb"/Subtype\s*/(Type[013]|TrueType|CIDFontType[02])\b", content))


def test_fonts_of_pdf_are_truetype(tmp_path) -> None:
    """Submission systems refuse Type 3, which is matplotlib's own choice."""
    pdf = tmp_path / "curves.pdf"
    command = ["curves", "pydocs", *run_files("bm25"), "-m", "CG", "-o", str(pdf)]
    assert cli.main(command) == 0
    assert fonts(pdf) == {b"Type0", b"CIDFontType2"}  # CIDFontType2 is TrueType


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "png", *slow("eps", "ps", "PDF")])
def test_other_formats(suffix: str, tmp_path) -> None:
    settings = dict(mpl.rcParams)
    path = tmp_path / f"curves.{suffix}"
    plots.save(plots.plot_curves(CURVES, figsize=(3.3, 2)), path)
    content = path.read_bytes()
    if suffix in ("eps", "ps"):
        assert b"/FontType 42" in content
    elif suffix == "svg":
        assert re.search(rb"<text[^>]*>rank</text>", content)
    elif suffix == "png":
        width, height = pyplot.imread(path).shape[1::-1]
        assert (width, height) == (990, 600)  # 3.3 by 2 inches with 300 dots each
    else:
        assert content.startswith(b"%PDF")
    assert dict(mpl.rcParams) == settings


def test_the_size_of_the_file_is_that_of_the_figure(tmp_path) -> None:
    """Also where the user's settings cut margins off; axes stand for their figure."""
    figure, axes = pyplot.subplots(figsize=(3, 2))
    with mpl.rc_context({"savefig.bbox": "tight"}):
        plots.save(plots.plot_curves(CURVES, ax=axes), tmp_path / "a.png", dpi=100)
        assert pyplot.imread(tmp_path / "a.png").shape[1::-1] == (300, 200)
        plots.save(figure, tmp_path / "a.png", dpi=100, bbox_inches="tight")
    assert pyplot.imread(tmp_path / "a.png").shape[1::-1] != (300, 200)


def test_what_cannot_be_written(tmp_path, monkeypatch) -> None:
    """What was there stays."""
    figure = plots.plot_curves(CURVES)
    with pytest.raises(OSError, match="missing"):
        plots.save(figure, tmp_path / "missing" / "a.png")
    path = tmp_path / "a.png"
    path.write_text("before")
    monkeypatch.setattr(Path, "write_bytes", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plots.save(figure, path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]
