"""How measures rank systems, and how well they tell them apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparison import pair_p_values
from pt_cumgain.analysis.correlation import COEFFICIENTS, is_symmetric
from pt_cumgain.analysis.results import Results, one_measure
from pt_cumgain.core import Floats
from pt_cumgain.extras import scikit_posthocs
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.presentation.plots.panels import (
    PAGE,
    PANEL,
    Panels,
    Room,
    Size,
    Titles,
    named,
    own_titles,
)
from pt_cumgain.presentation.plots.style import COLOURS, distinct, line, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_correlation(
    matrix: pd.DataFrame,
    *,
    coefficient: str | None = None,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
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
        If there is nothing to draw.

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
    if triangle:
        values = values[1:, :-1]
    sides = [list(map(str, side)) for side in (matrix.index, matrix.columns)]
    sides = [sides[0][1:], sides[1][:-1]] if triangle else sides
    heading = titles if isinstance(titles, str) else None
    if heading is None:
        own = own_titles(titles, list(dict.fromkeys(sides[0] + sides[1])))
        sides = [[own.get(text, text) for text in side] for side in sides]
    rows, columns = values.shape
    beside, below = (max(map(len, side)) for side in sides)
    width = 0.4 + 0.07 * beside + 0.42 * columns + (0 if triangle and rows > 3 else 0.8)
    height = 0.6 + 0.07 * below + 0.3 * rows
    panels = Panels(["matrix"], figsize=figsize, ax=ax, size=(min(width, PAGE), height))
    (axes,) = panels.axes
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    low = 0.0 if np.nanmin(values) >= 0 else -1.0  # the same colours in every picture
    hidden = np.triu(np.ones(values.shape, dtype=bool), 1) if triangle else np.isinf(values)
    shown = np.ma.masked_array(values, hidden | np.isnan(values))
    image = axes.imshow(shown, cmap="cividis", vmin=low, vmax=1.0, aspect="auto")
    axes.tick_params(length=0)
    for i, j in np.argwhere(~hidden):
        value = values[i, j]
        if np.isnan(value):
            axes.axhspan(i - 0.5, i + 0.5, j / columns, (j + 1) / columns, color="0.9", linewidth=0)
        red, green, blue, _ = image.cmap(image.norm(value))
        bright = np.isnan(value) or 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45
        axes.text(j, i, "", ha="center", va="center", color="black" if bright else "white")
    axes.set_xlim(-0.5, columns - 0.5)
    if triangle and rows > 3:
        place: dict[str, Any] = {"cax": axes.inset_axes((0.5, 0.93, 0.48, 0.04))}
        place["orientation"] = "horizontal"
    else:
        place = {"ax": axes, "shrink": 0.9}
    bar = axes.figure.colorbar(image, **place)
    bar.outline.set_visible(False)
    bar.set_label(COEFFICIENTS.get(coefficient, coefficient))
    panels.text(axes.title, "", heading)
    panels.labels(axes, "", "", xlabel, ylabel)
    numbers = values[~hidden]
    panels.extras.append(partial(_fit_cells, axes, bar, numbers, sides))
    return panels.finish()


def _fit_cells(axes: Axes, bar: Any, values: Floats, sides: list[list[str]], room: Room) -> None:
    """Write the labels of a heat map, and the numbers in its cells as large as they can be."""
    rows, columns = map(len, sides)
    em = 0.6 * (room.small - 1) / 72
    left = room.width - 0.25 * columns - 0.9, room.height - 0.25 * rows - 0.4
    widths = [
        max(int(max(0.42 * length, rest) / em), 8)
        for length, rest in zip((room.width, room.height), left)
    ]
    # where one side needs numbers, both have them, the same for the same measure
    every = list(dict.fromkeys(sides[1] + sides[0]))
    numbered = not all(distinct(side, width) for side, width in zip(sides, widths))
    for side, most, choose in zip(sides, widths, ("y", "x")):
        short = dict(zip(every, shortened(every, most, numbered=numbered)))
        texts = [plain(short[text]) for text in side]
        ticks = {"fontsize": room.small - 1} | ({"rotation": 90} if choose == "x" else {})
        getattr(axes, f"set_{choose}ticks")(range(len(side)), texts, **ticks)
    bar.ax.tick_params(labelsize=room.small - 1)
    axis = bar.ax.xaxis if bar.orientation == "horizontal" else bar.ax.yaxis
    axis.label.set_fontsize(room.small)
    axes.figure.canvas.figure.draw_without_rendering()  # then it is known how large the cells are
    box, unit = axes.get_window_extent(), axes.figure.canvas.figure.dpi / 72
    width, height = box.width / unit / columns, box.height / unit / rows
    bare = width < 13  # then without the zero before the point
    size = min(7, height / 1.1, width / (2.0 if bare else 2.6))
    for text, value in zip(axes.texts, values):
        number = "–" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}"
        text.set_text({"1.00": "1.0"}.get(number, number.replace("0.", ".")) if bare else number)
        text.set_fontsize(size)
        text.set_visible(size >= 3.5)


def plot_critical_difference(
    results: Results,
    measure: str | None = None,
    *,
    correction: str | None = "holm",
    alpha: float = 0.05,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
) -> Any:
    """Draw the systems' average ranks; a bar joins those that do not differ significantly.

    Parameters
    ----------
    results, measure, correction
        As for :func:`pt_cumgain.posthoc`.
    alpha
        The significance level: systems with a p-value below it are not joined.
    figsize, ax, xlabel
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
    ranks = matrix.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    names = [str(name) for name in ranks.index]
    keys = [f"{i} {name}" for i, name in enumerate(names)]
    table = table.loc[ranks.index, ranks.index].set_axis(keys).set_axis(keys, axis=1)
    own, title = named({text: text for text in [label, *names]}, titles)
    panels = Panels(["the diagram"], titles=title, figsize=figsize, ax=ax, size=(PAGE, PANEL[1]))
    (axes,) = panels.axes
    from pt_cumgain.presentation.plots.picture import RankLocator  # needs matplotlib

    drawn = scikit_posthocs().critical_difference_diagram(
        ranks.set_axis(keys),
        table,
        alpha=alpha,
        ax=axes,
        text_h_margin=0.015 * (ranks.max() - ranks.min()),
        elbow_props={"linewidth": 1},
        marker_props={"s": 16},
        color_palette={key: COLOURS[i % len(COLOURS)] for i, key in enumerate(keys)},
    )
    axes.grid(visible=False)
    axes.spines["top"].set_visible(True)
    beside = [text.get_position()[0] for text in drawn["labels"]]
    axes.set_xlim(min(beside), max(beside))  # only names stand outside
    axes.xaxis.set_major_locator(RankLocator())
    lowest = min(text.get_position()[1] for text in drawn["labels"])
    if panels.grows:
        panels.figure.set_size_inches(PAGE, 0.75 - 0.17 * lowest)
    axes.set_ylim(lowest - 0.5, 0.3)
    heading = f"{own[label]}: average ranks over {len(matrix)} topics (1 is best); "
    heading += f"a bar joins systems that do not differ (p ≥ {alpha:g})"
    panels.title(axes, "the diagram", heading)
    panels.labels(axes, "", "", xlabel)
    for text in drawn["labels"]:
        text.set_color("black")
    at = dict(zip(keys, zip((own[name] for name in names), ranks)))
    shown = [(text, *at[text_key]) for text, text_key in zip(drawn["labels"], _places(keys))]
    panels.extras.append(partial(_name_ranks, shown))
    return panels.finish()


def _places(keys: list[str]) -> list[str]:
    """Return systems in the order in which the diagram labels them: left, then right upwards."""
    half = (len(keys) + 1) // 2
    return keys[:half] + keys[half:][::-1]


def _name_ranks(shown: list[tuple[Any, str, float]], room: Room) -> None:
    """Name the systems at both sides, with their ranks; what is left is the diagram's."""
    wide = room.width >= 5
    size = room.small if wide else room.small - 1.5
    fit = int(0.32 * room.width / (0.6 * size / 72)) - (8 if wide else 5)
    names = shortened([name for _, name, _ in shown], max(min(fit, 32), 6))
    for (text, _, rank), name in zip(shown, names):
        number = f"({rank:.2f})" if wide else f"{rank:.1f}"
        left = text.get_ha() == "right"
        text.set_text(f"{plain(name)} {number}" if left else f"{number} {plain(name)}")
        text.set_fontsize(size)


def plot_discriminative_power(
    curves: pd.DataFrame,
    *,
    top: float = 0.15,
    alpha: float = 0.05,
    legend: bool = True,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
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
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
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
    heading = titles if isinstance(titles, str) else None
    own = {} if heading is not None else own_titles(titles, measures)
    panels = Panels(["the curves"], figsize=figsize, ax=ax, size=(PANEL[0] * 1.5, PANEL[1] * 1.2))
    (axes,) = panels.axes
    from pt_cumgain.presentation.plots.picture import RankLocator  # needs matplotlib

    axes.axhline(alpha, color="0.3", linewidth=0.7, zorder=1)
    for i, measure in enumerate(measures):
        of_measure = curves[curves["measure"] == measure].sort_values("place", kind="stable")
        p = of_measure["p"].to_numpy(dtype=np.float64)
        first = max(int(np.argmax(p <= top)) - 1, 0) if (p <= top).any() else len(p) - 1
        style = line(i) | {"clip_on": True}
        (drawn,) = axes.plot(of_measure["place"][first:], p[first:], label=measure, **style)
        name = own.get(measure, measure)
        panels.entries[measure, name, f" ({(p < alpha).mean():.0%})"] = drawn
    pairs = int(curves["place"].max())
    axes.set_ylim(0, top)
    axes.set_xlim(1, max(pairs, 2))
    axes.xaxis.set_major_locator(RankLocator())
    panels.text(axes.title, "", heading)
    panels.labels(axes, f"{pairs} pairs of systems, sorted by p", "p-value", xlabel, ylabel)
    return panels.finish(legend=legend)
