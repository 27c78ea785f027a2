"""Save figures in forms that publishers accept."""

from __future__ import annotations

import io
import os
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pt_cumgain.environment import files
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.options import OPTIONS, checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: TrueType letters in PDF and PostScript, text as text in SVG, the size that the figure has.
_SETTINGS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}
_SETTINGS |= {"savefig.bbox": "standard"}
#: Threads share these settings: one that ends would put back those of another.
_ONE_BY_ONE = Lock()


@checked(path=OPTIONS["path"]._replace(words="must be a path; the figure comes first"))
def save(
    figure: Figure | Axes, path: str | os.PathLike[str], *, dpi: float = 300, **options: Any
) -> None:
    """Save a figure in a form that publishers accept.

    PDF, EPS and PS files use TrueType fonts (matplotlib's default, Type 3
    fonts, is rejected by some submission systems), SVG files keep text as text,
    and PNG files have 300 dots per inch. The image has the size of the figure.
    matplotlib's settings are not changed, and the file is written completely or
    not at all.

    Parameters
    ----------
    figure
        Any figure of matplotlib, or axes; their whole figure is written.
    path
        The file; its suffix says the format: ``.pdf``, ``.eps``, ``.svg``,
        ``.png`` or another that matplotlib knows. EPS and PS have no
        transparency.
    dpi
        Dots per inch, where the format has dots.
    options
        Others of ``figure.savefig``.

    Raises
    ------
    TypeError
        If the first argument is not a figure or axes; the path comes second.
    ValueError
        If matplotlib does not know the format.
    OSError
        If the file cannot be written; an existing file stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> curves = pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 2], "value": [1.0, 3.0]})
    >>> from pt_cumgain.plots import plot_curves, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(plot_curves(curves, figsize=(3.3, 2)), f"{folder}/curves.pdf")
    """
    if not hasattr(figure, "figure"):
        raise TypeError(f"{figure!r:.80} is not a matplotlib figure or axes; the path comes second")
    whole = figure.figure.canvas.figure
    format_ = options.pop("format", None) or Path(path).suffix[1:].lower()
    drawn = io.BytesIO()  # on a full disk matplotlib fails in other ways than by an OSError
    with _ONE_BY_ONE, pyplot().rc_context(_SETTINGS):
        whole.savefig(drawn, format=format_, dpi=dpi, **options)
    with files.replacing(path) as free:
        free.write_bytes(drawn.getvalue())
