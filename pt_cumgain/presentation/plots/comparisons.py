"""How measures rank systems, and how well they tell them apart."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparison import pair_p_values
from pt_cumgain.analysis.correlation import COEFFICIENTS, is_symmetric
from pt_cumgain.analysis.results import Results, one_measure
from pt_cumgain.core import Floats
from pt_cumgain.extras import pyplot, scikit_posthocs
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.presentation.plots.panels import PAGE, PANEL, Legend, Panels, PictureOptions, takes
from pt_cumgain.presentation.plots.style import COLOURS, Highlight, lines, plain, shortened
from pt_cumgain.presentation.plots.titles import split_titles

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(PictureOptions)
def plot_correlation(
    matrix: pd.DataFrame,
    *,
    coefficient: str | None = None,
    limits: tuple[float, float] | None = None,
    **options: Unpack[PictureOptions],
) -> Any:
    """Draw a table of rank correlations as a heat map, with its numbers where they fit.

    A symmetric table is drawn as a triangle: what is above its diagonal says
    nothing new.

    Parameters
    ----------
    matrix
        What :func:`pt_cumgain.rank_correlation` returned.
    coefficient
        What the numbers are, beside the colours: ``"tau-b"``, ``"tau-ap"`` or
        another text; by default what ``matrix.attrs["coefficient"]`` says, or
        else tau-b, if the table is symmetric.
    limits
        The values at the ends of the colours; by default the lowest and the
        highest of the table. ``(0, 1)`` gives a number the same colour in every
        picture.
    figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        What stands for the measures at the sides, such as ``labels`` of a
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
    require_columns(matrix, [], "matrix", "; rank_correlation returns such a table")
    values = matrix.to_numpy(dtype=np.float64)
    if not values.size or np.isnan(values).all():
        raise ValueError("there is no correlation to draw")
    triangle = is_symmetric(matrix)
    if coefficient is None:
        coefficient = matrix.attrs.get("coefficient", "tau-b" if triangle else "rank correlation")
    if limits is not None and not limits[0] < limits[1]:
        raise ValueError(f"limits={limits!r} must be a lower and a higher number")
    sides = [list(map(str, side)) for side in (matrix.index, matrix.columns)]
    hidden = np.zeros(values.shape, dtype=bool)
    if triangle:
        values, sides = values[1:, :-1], [sides[0][1:], sides[1][:-1]]
        hidden = np.triu(np.ones(values.shape, dtype=bool), 1)
    every = list(dict.fromkeys(sides[1] + sides[0]))
    own, options["titles"] = split_titles(options.get("titles"), *every)
    rows, columns = values.shape
    beside, below = (0.07 * min(max(len(own[text]) for text in side), 40) for side in sides)
    corner = triangle and rows > 3  # which has room for the colours
    margin = 0.4 + beside + (0 if corner else 0.8)
    cell = min(0.42, (PAGE - margin) / columns)
    size = margin + cell * columns, 0.6 + below + max(0.7 * cell, 0.12) * rows
    panels = Panels(["matrix"], size=size, **options)
    (axes,) = panels.axes
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    shown = np.ma.masked_array(values, hidden | np.isnan(values))
    low, high = limits or (shown.min(), shown.max())
    image = axes.imshow(shown, cmap="cividis", vmin=low, vmax=high, aspect="auto")
    axes.tick_params(length=0)
    place: dict[str, Any] = {"ax": axes, "shrink": 0.9}
    if corner:
        place = {"cax": axes.inset_axes((0.5, 0.93, 0.48, 0.04)), "orientation": "horizontal"}
    bar = axes.figure.colorbar(image, **place)
    bar.outline.set_visible(False)
    bar.set_label(COEFFICIENTS.get(coefficient, coefficient), fontsize=panels.small)
    bar.ax.tick_params(labelsize=panels.small - 1)
    panels.label(axes, "matrix", "", "", "")
    lengths, cells = np.array([panels.width, panels.height]), np.array([columns, rows])
    room = np.clip(lengths - 0.25 * cells - 0.6, 0.4 * lengths, 0.6 * lengths).min() * 72
    fit = max(int(room / (0.6 * (panels.small - 1))), 8)
    cut = shortened([own[text] for text in every], fit)
    texts = dict(zip(every, map(plain, cut)))  # the same at both sides, also if they are numbers
    for side, axis in zip(sides, (axes.yaxis, axes.xaxis)):
        axis.set_ticks(range(len(side)), [texts[text] for text in side])
    axes.tick_params(axis="x", labelrotation=90)
    drawn = panels.finish()
    panels.fit_names(axes.xaxis, axes.yaxis)
    _write_numbers(panels, values, hidden)
    return drawn


def _write_numbers(panels: Panels, values: Floats, hidden: Any) -> None:
    """Write the numbers into the cells of a heat map, as large as they can be."""
    (axes,), (rows, columns) = panels.axes, values.shape
    panels.figure.draw_without_rendering()  # then it is known how large the cells are
    cells = axes.get_window_extent().size / np.array([columns, rows]) / panels.figure.dpi * 72
    bare = cells[0] < 13  # then without the zero before the point
    size = min(7, cells[1] / 1.1, cells[0] / (2.0 if bare else 2.6))
    (image,) = axes.images
    for i, j in np.argwhere(~hidden & (size >= 3.5)):
        value = values[i, j]
        number = "–" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}"
        if bare:
            number = {"1.00": "1.0"}.get(number, number.replace("0.", "."))
        light = np.dot(image.cmap(image.norm(value))[:3], (0.2126, 0.7152, 0.0722))
        colour = "black" if np.isnan(value) or light > 0.45 else "white"
        axes.text(j, i, number, ha="center", va="center", fontsize=size, color=colour)


@takes(PictureOptions)
def plot_critical_difference(
    results: Results,
    measure: str | None = None,
    *,
    correction: str | None = "holm",
    alpha: float = 0.05,
    **options: Unpack[PictureOptions],
) -> Any:
    """Draw the systems' average ranks; a bar joins those that do not differ significantly.

    Parameters
    ----------
    results, measure, correction
        As for :func:`pt_cumgain.posthoc`. A system's colour, and its number if
        names must be cut, are those of its place in the results; where these
        are in another order than the runs, names that are categories restore
        it: ``pd.Categorical(results["name"], list(runs))``.
    alpha
        The significance level: systems with a p-value below it are not joined.
    figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        What stands for the measure in the title, and for systems: a mapping. A
        text is the title.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib or the extra ``stats`` is not installed.
    ValueError
        As :func:`pt_cumgain.posthoc`; also for two systems, or if all have the
        same values.

    Notes
    -----
    Drawn by scikit_posthocs.critical_difference_diagram.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(plot_critical_difference(results).axes[0].get_title())
    CG: average ranks over 9 topics (1 is best); a bar joins systems that do not
    differ (p ≥ 0.05)
    """
    label, matrix = one_measure(results, measure)
    table = pair_p_values(matrix, correction)
    if len(table) < 3:
        raise ValueError("the picture is of Friedman's test, which needs three systems or more")
    if table.isna().any(axis=None):
        raise ValueError("all systems have the same values, so there is no difference to draw")
    own, options["titles"] = split_titles(options.get("titles"), label, *matrix)
    panels = Panels(["the diagram"], size=(PAGE, PANEL[1]), **options)
    (axes,) = panels.axes
    from pt_cumgain.presentation.plots.picture import RankLocator  # needs matplotlib

    wide = panels.width >= 5
    size = panels.small - (0 if wide else 1.5)
    cut = shortened([own[name] for name in matrix], 32 if wide else 12)
    shown = dict(zip(matrix, map(plain, cut)))
    ranks = matrix.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    rank = "({rank:.2f})" if wide else "({rank:.1f})"
    drawn = scikit_posthocs().critical_difference_diagram(
        ranks.rename(shown),
        table.rename(index=shown, columns=shown),
        alpha=alpha,
        ax=axes,
        label_fmt_left=f"{{label}} {rank}",
        label_fmt_right=f"{rank} {{label}}",
        text_h_margin=0.015 * (ranks.max() - ranks.min()),
        elbow_props={"linewidth": 1},
        marker_props={"s": 16},
        color_palette=dict(zip(shown.values(), itertools.cycle(COLOURS))),
    )
    axes.grid(visible=False)
    axes.spines["top"].set_visible(True)
    axes.yaxis.set(visible=True, ticks=[])
    beside, heights = zip(*[text.get_position() for text in drawn["labels"]])
    axes.set(xlim=(min(beside), max(beside)), ylim=(min(heights) - 0.5, 0.3))
    axes.xaxis.set_major_locator(RankLocator())
    if panels.grows:
        panels.height = 0.75 - 0.17 * min(heights)
        panels.figure.set_size_inches(PAGE, panels.height)
    size = min(size, 60 * (panels.height - 0.6) / -min(heights))
    pyplot().setp(drawn["labels"], color="black", fontsize=size)
    heading = f"{own[label]}: average ranks over {len(matrix)} topics (1 is best); "
    heading += f"a bar joins systems that do not differ (p ≥ {alpha:g})"
    panels.label(axes, "the diagram", "", "", heading, beside=0.2)
    return panels.finish()


@takes(PictureOptions)
def plot_discriminative_power(
    curves: pd.DataFrame,
    *,
    top: float = 0.15,
    alpha: float = 0.05,
    highlight: Highlight = None,
    legend: Legend = True,
    **options: Unpack[PictureOptions],
) -> Any:
    """Draw the p-values of all pairs of systems in descending order: Sakai's ASL curves.

    A line for each measure: the farther left it falls, the more pairs of
    systems the measure tells apart. The legend says which share of the pairs
    that is.

    Parameters
    ----------
    curves
        ``measure, place, p``, as ``discriminative_power(results,
        pvalues=True)`` returns them: the p-values of each measure, with their
        places from 1, the highest first. Up to 28 measures can be told apart.
    top
        The highest p-value in the picture.
    alpha
        The significance level, a thin line: pairs with a p-value below it are
        told apart.
    highlight
        The measures that matter, by their texts; all others are grey.
    legend, figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        What stands for the measures in the legend, such as ``labels`` of a
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
        If the frame is empty or lacks a column, a measure has a place twice, or
        alpha is not between 0 and top, nor top between alpha and 1.

    Examples
    --------
    >>> rows = [("CG", 1, 0.4), ("CG", 2, 0.08), ("CG", 3, 0.01)]
    >>> figure = plot_discriminative_power(pd.DataFrame(rows, columns=["measure", "place", "p"]))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['CG (33%)']
    """
    hint = "; discriminative_power(results, pvalues=True) returns such a frame"
    require_columns(curves, ["measure", "place", "p"], "curves", hint)
    if not len(curves):
        raise ValueError("there is no p-value to draw")
    if not 0 < alpha < top <= 1:
        raise ValueError(f"alpha={alpha!r} and top={top!r} must be 0 < alpha < top <= 1")
    curves = curves.assign(measure=curves["measure"].map(str))
    if curves.duplicated(["measure", "place"]).any():
        raise ValueError("a measure has a place twice; give the p-values of one test")
    measures = curves["measure"].unique().tolist()
    own, options["titles"] = split_titles(options.get("titles"), *measures)
    below = (curves["p"] < alpha).groupby(curves["measure"]).mean()
    names = {measure: f"{own[measure]} ({below[measure]:.0%})" for measure in measures}
    size = PANEL[0] * 1.5, PANEL[1] * 1.2
    panels = Panels(["the curves"], list(names.values()), size=size, **options)
    (axes,) = panels.axes
    from pt_cumgain.presentation.plots.picture import RankLocator  # needs matplotlib

    axes.axhline(alpha, color="0.3", linewidth=0.7, zorder=1)
    for measure, style in lines(measures, highlight).items():
        of_measure = curves[curves["measure"] == measure].sort_values("place", kind="stable")
        p = of_measure["p"].to_numpy(dtype=np.float64)
        first = max(int(np.argmax(p <= top)) - 1, 0) if (p <= top).any() else len(p) - 1
        place = of_measure["place"][first:]
        panels.line(axes, names[measure], place, p[first:], style, label=measure)
    pairs = int(curves["place"].max())
    axes.set_ylim(0, top)
    axes.set_xlim(1, max(pairs, 2))
    axes.xaxis.set_major_locator(RankLocator())
    panels.label(axes, "the curves", f"{pairs} pairs of systems, sorted by p", "p-value", "")
    return panels.finish(legend)
