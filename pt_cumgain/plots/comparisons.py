"""How measures agree on the order of the systems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing.correlation import COEFFICIENTS, is_symmetric, refuse_texts
from pt_cumgain.options import TEXT, checked
from pt_cumgain.plots import style
from pt_cumgain.plots.panels import PANEL, Panels, PictureOptions
from pt_cumgain.plots.titles import split_titles

if TYPE_CHECKING:
    from typing_extensions import Unpack


@checked(unpacks=PictureOptions, coefficient=TEXT.optional())
def plot_correlation(
    matrix: pd.DataFrame,
    *,
    coefficient: str | None = None,
    limits: tuple[float, float] | None = None,
    **options: Unpack[PictureOptions],
) -> Any:
    """Draw a table of rank correlations as a heat map, with its numbers where they fit.

    A symmetric table is drawn as a triangle: the half above its diagonal would
    repeat the other.

    Parameters
    ----------
    matrix
        The result of :func:`pt_cumgain.comparing.rank_correlation`.
    coefficient
        The name of the numbers, beside the colours: ``"tau-b"``, ``"tau-ap"`` or
        another text; by default ``matrix.attrs["coefficient"]`` or, if that is
        missing and the table is symmetric, tau-b.
    limits
        The values at the ends of the colours, the higher the darker; by default
        ``(0, 1)``, or ``(-1, 1)`` if a number is negative, so that a number has
        the same colour in every picture.
    figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        Names for the measures at the sides, such as ``labels`` of a
        :func:`pt_cumgain.grid`; a text is the title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there is nothing to draw, or the limits are not a lower and a higher
        number.

    Examples
    --------
    >>> figure = plot_correlation(pd.DataFrame([[1, 0.8], [0.8, 1]], ["CG", "nCG"], ["CG", "nCG"]))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.80']
    """
    refuse_texts(matrix)
    if matrix.isna().all(axis=None):
        raise ValueError("there is no correlation to draw")
    triangle = is_symmetric(matrix)
    if coefficient is None:
        coefficient = matrix.attrs.get("coefficient", "tau-b" if triangle else "rank correlation")
    if triangle:
        matrix = matrix.where(np.tri(len(matrix), k=-1, dtype=bool)).iloc[1:, :-1]
    values = matrix.to_numpy(dtype=np.float64)
    keys = list(dict.fromkeys([*matrix.columns, *matrix.index]))
    texts, options["titles"] = split_titles(options.get("titles"), *keys)
    beside = 0.07 * min(max(map(style.cells, texts.values())), 30)
    cell = min(0.42, (2 * PANEL[0] - 1.2 - beside) / values.shape[1])
    size = 1.2 + beside + cell * values.shape[1], 0.6 + beside + 0.75 * cell * len(values)
    panels = Panels(["matrix"], size=size, **options)
    (axes,) = panels.axes
    fit = 30 if panels.grows else panels.letters(0.28 * panels.width, panels.small)
    names = list(texts.values())
    if max(map(style.cells, names)) > fit:  # parameters go below names
        parted = [style.wrap(re.sub(r"(.*?) \((.*)\)", r"\1\n\2", name), fit) for name in names]
        fits = max(style.cells(part) for name in parted for part in name.split("\n")) <= fit
        deep = 1 + max(name.count("\n") for name in parted)
        fits &= 6 * deep * len(values) <= 72 * panels.height
        names = parted if fits else style.shorten(names, fit)
    short = dict(zip(keys, map(style.plain, names)))
    rows, columns = ([short[key] for key in side] for side in (matrix.index, matrix.columns))
    panels.hide_frame(axes)
    low, high = limits or (-1.0 if np.nanmin(values) < 0 else 0.0, 1.0)
    image = axes.imshow(values, cmap="Blues", vmin=low, vmax=high, aspect="auto")
    bar = axes.figure.colorbar(image, ax=axes)
    bar.set_label(COEFFICIENTS.get(coefficient, coefficient), fontsize=panels.small)
    bar.ax.tick_params(labelsize=panels.small - 1)
    axes.set_xticks(range(len(columns)), columns, rotation=90)
    axes.set_yticks(range(len(rows)), rows)
    panels.label(axes, "matrix", "", "", "")
    drawn = panels.finish(names=[axes.xaxis, axes.yaxis])
    width, height = axes.bbox.size * 72 / panels.figure.dpi
    fontsize = min(7, width / len(columns) / 2.6, height / len(rows) / 1.1)
    for i, j in np.argwhere(~np.isnan(values) & (fontsize >= 5)):
        number = f"{round(values[i, j], 2) + 0.0:.2f}"  # no -0.00
        colour = "white" if values[i, j] > 0.4 * low + 0.6 * high else "black"
        axes.text(j, i, number, ha="center", va="center", fontsize=fontsize, color=colour)
    return drawn
