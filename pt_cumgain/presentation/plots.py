"""Pictures (extra ``plot``): curves in small multiples like the papers', comparisons, topics.

Every function draws a frame that another function of this package returned, and returns
matplotlib's figure, whose axes can be restyled; ``figure.savefig("curves.pdf")`` writes it (or PNG,
or SVG).
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparison import average_ranks, posthoc
from pt_cumgain.analysis.recall_bases import RECALL
from pt_cumgain.analysis.results import HINT, RESULTS, one_measure
from pt_cumgain.core import Floats
from pt_cumgain.extras import pyplot, scikit_posthocs
from pt_cumgain.inputs.frames import require_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, which readers with any kind of colour vision can tell apart, without
#: yellow, which is pale on white; their lightness differs, so that they differ in grey too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: With seven markers they make 28 kinds of line, even without colour.
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1, 1, 1)))
MARKERS = "osD^vPX"
_IDEAL: dict[str, Any] = {"color": "0.35", "linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 1}
#: The width and height of one panel, in inches: one fits a column of 3.3 inches, two fit a page.
PANEL = (3.3, 2.5)
#: As many topics' ids fit under the bars of a panel.
_NAMED_BARS = 30
#: The bands of more systems than these would hide each other.
_FILLED_BANDS = 6
_PART = ["name", "measure", "level"]


def plot_curves(
    curves: pd.DataFrame,
    *,
    columns: int | None = None,
    log_rank: bool = False,
    ideal: bool = True,
    band: bool = True,
    ylabel: str | None = None,
) -> Figure:
    """Draw gain by rank, a panel for each measure: TOIS 2002, figures 1 to 4.

    Where the measures are the same under several weightings, there is a row of panels for each
    measure and a column for each weighting.

    Parameters
    ----------
    curves
        ``name, measure, rank, value`` and perhaps ``ideal``, ``low`` and ``high``, as
        :func:`pt_cumgain.gain_curves` returns them. The ideal is drawn dashed in grey where it is
        given. From ``low`` to ``high`` there is a band in the system's colour; if there are more
        than six systems, whose bands would hide each other, upright lines at some ranks. If the
        frame has ``qid``, every topic has a thin line in its system's colour, without ideal and
        band. Up to 28 systems can be told apart.
    columns
        The number of columns of panels; by default the number of weightings, or two.
    log_rank
        Whether the rank has a logarithmic axis.
    ideal
        Whether to draw the ideal.
    band
        Whether to draw bands.
    ylabel
        The label of the vertical axes; by default the panel's measure.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame lacks one of the columns, or a curve has a rank twice.

    Examples
    --------
    >>> columns = ["name", "measure", "rank", "value", "ideal"]
    >>> rows = [("X", "CG", 1, 1.0, 3.0), ("X", "CG", 2, 4.0, 5.0)]
    >>> figure = plot_curves(pd.DataFrame(rows, columns=columns))
    >>> [axes.get_title() for axes in figure.axes]
    ['CG']
    """
    require_columns(curves, ["name", "measure", "rank", "value"], "curves")
    each = "qid" in curves
    _check_curves(curves, each=each)
    measures, columns = _arranged(curves["measure"].unique().tolist(), columns)
    names = curves["name"].unique().tolist()
    figure, panels = _panels(len(measures), columns)
    entries: dict[Any, Any] = {}
    for axes, measure in zip(panels, measures):
        of_measure = curves[curves["measure"] == measure]
        _rank_axis(axes, int(of_measure["rank"].max()), log_rank)
        if each:
            entries |= _draw_each(axes, of_measure, names)
        else:
            entries |= _draw(axes, of_measure, names, ideal=ideal, band=band)
        _titled(axes, measure, "rank", _short(measure) if ylabel is None else ylabel)
        _from_zero(axes)
    _legend(figure, entries)
    return figure


def plot_session_curves(
    curves: pd.DataFrame,
    *,
    columns: int | None = None,
    ideal: bool = False,
    band: bool = True,
) -> Figure:
    """Draw what sessions gain, query by query: ECIR 2008, figures 2 to 4.

    Parameters
    ----------
    curves
        ``name, measure, query_position, rank, value`` and perhaps ``ideal``, ``low`` and ``high``,
        as :func:`pt_cumgain.session_curves` returns them. If the frame has ``qid``, every session
        has a thin line in its system's colour (figure 4). If it has ``sessions``, the number of
        sessions that are left, it stands under the first query and where it changes; where systems
        differ, as a range.
    columns
        The number of columns of panels; by default up to two.
    ideal
        Whether to draw the ideal.
    band
        Whether to draw bands, as :func:`plot_curves` does.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_curves`.

    Examples
    --------
    >>> columns = ["name", "measure", "query_position", "rank", "value"]
    >>> rows = [("X", "sDCG@1", 1, 1, 1.0), ("X", "sDCG@1", 2, 2, 4.0)]
    >>> figure = plot_session_curves(pd.DataFrame(rows, columns=columns))
    >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
    ['Q1', 'Q2']
    """
    require_columns(curves, ["name", "measure", "query_position", "rank", "value"], "curves")
    each = "qid" in curves
    _check_curves(curves, each=each)
    measures = curves["measure"].unique().tolist()
    figure, panels = _panels(len(measures), min(len(measures), 2) if columns is None else columns)
    names = curves["name"].unique().tolist()
    entries: dict[Any, Any] = {}
    for axes, measure in zip(panels, measures):
        of_measure = curves[curves["measure"] == measure]
        if each:
            entries |= _draw_each(axes, of_measure, names)
        else:
            entries |= _draw(axes, of_measure, names, ideal=ideal, band=band)
        ends = of_measure.groupby("query_position")["rank"].max()
        middles = (ends + ends.shift(fill_value=0) + 1) / 2
        counts = _session_counts(of_measure)
        fit = 12 if counts is None else max(min(12, 36 // counts.str.len().max()), 1)
        shown = slice(None, None, -(-len(ends) // fit))
        axes.set_xticks(middles.tolist()[shown], [f"Q{q}" for q in ends.index][shown])
        xlabel = f"query, {int(ends.iloc[0])} documents of each"
        if counts is not None:
            xlabel += " (n sessions)"
            changed = counts[shown][lambda some: some != some.shift()]
            axes.set_xticks(middles[changed.index].tolist(), changed, minor=True)
            axes.xaxis.remove_overlapping_locs = False
            axes.tick_params(axis="x", which="minor", labelsize=6.5, labelcolor="0.35", pad=14)
        axes.tick_params(axis="x", which="both", length=0)
        axes.set_xlim(0.5, ends.iloc[-1] + 0.5)
        _titled(axes, measure, xlabel, _short(measure))
        _from_zero(axes)
        for end in ends.iloc[:-1]:
            axes.axvline(end + 0.5, color="0.8", linewidth=0.8, zorder=0)
    _legend(figure, entries)
    return figure


def plot_precision(table: pd.DataFrame, *, columns: int | None = None) -> Figure:
    """Draw P-R curves, a panel for each relevance level: SIGIR 2000, figure 1.

    Parameters
    ----------
    table
        What :func:`pt_cumgain.precision_by_level` returned.
    columns
        The number of columns of panels; by default one for each level, up to three.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_curves`.

    Examples
    --------
    >>> from pt_cumgain import precision_by_level
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> figure = plot_precision(precision_by_level({"X": run}, None, qrels))
    >>> [axes.get_title() for axes in figure.axes]
    ['relevance level 1', 'relevance level 3']
    """
    require_columns(table, ["name", "level", *RECALL], "table")
    _check_curves(table, each=True)
    levels = sorted(table["level"].unique())
    figure, panels = _panels(len(levels), min(len(levels), 3) if columns is None else columns)
    names = table["name"].unique().tolist()
    entries: dict[Any, Any] = {}
    for axes, level in zip(panels, levels):
        for i, name in enumerate(names):
            row = table[(table["level"] == level) & (table["name"] == name)][list(RECALL)]
            entries[name] = axes.plot(RECALL, row.iloc[0], label=name, **_line(i))[0]
        _titled(axes, f"relevance level {level}", "recall", "precision")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
    _legend(figure, entries)
    return figure


def plot_correlation(matrix: pd.DataFrame) -> Figure:
    """Draw a table of rank correlations as a heat map, with its numbers.

    Parameters
    ----------
    matrix
        What :func:`pt_cumgain.rank_correlation` returned.

    Returns
    -------
    matplotlib.figure.Figure

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
    ['1.00', '0.80', '0.80', '1.00']
    """
    require_columns(matrix, [], "matrix", "; rank_correlation returns such a table")
    values = matrix.to_numpy(dtype=np.float64)
    if not values.size or np.isnan(values).all():
        raise ValueError("there is no correlation to draw")
    rows, columns = values.shape
    figure, (axes,) = _panels(1, 1)
    beside, below = (
        max(len(str(label)) for label in side) for side in (matrix.index, matrix.columns)
    )
    figure.set_size_inches(1.2 + 0.07 * beside + 0.42 * columns, 0.6 + 0.07 * below + 0.3 * rows)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_facecolor("0.9")  # where there is no correlation
    low = 0.0 if np.nanmin(values) >= 0 else -1.0  # the same colours in every picture
    image = axes.imshow(values, cmap="cividis", vmin=low, vmax=1.0, aspect="auto")
    axes.set_xticks(range(columns), map(_plain, map(str, matrix.columns)), rotation=90, fontsize=8)
    axes.set_yticks(range(rows), map(_plain, map(str, matrix.index)), fontsize=8)
    axes.tick_params(length=0)
    for (i, j), value in np.ndenumerate(values):
        text = "–" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}"
        red, green, blue, _ = image.cmap(image.norm(value))
        bright = np.isnan(value) or 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45
        colour = "black" if bright else "white"
        axes.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
    bar = figure.colorbar(image, ax=axes, shrink=0.9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    return figure


def plot_critical_difference(
    results: pd.DataFrame,
    measure: str | None = None,
    *,
    correction: str | None = "holm",
    alpha: float = 0.05,
) -> Figure:
    """Draw the systems' average ranks; a bar joins those that do not differ significantly.

    Parameters
    ----------
    results, measure, correction
        As for :func:`pt_cumgain.posthoc`.
    alpha
        The significance level: systems with a p-value below it are not joined.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib or the extra ``stats`` is not installed.
    ValueError
        As :func:`pt_cumgain.posthoc`; also for two systems, or if all have the same values.

    Notes
    -----
    Drawn by scikit_posthocs.critical_difference_diagram.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> plot_critical_difference(results).axes[0].get_title()
    'average ranks (1 is best), CG; a bar joins systems that do not differ (0.05)'
    """
    table = posthoc(results, measure, correction=correction)
    if len(table) < 3:
        raise ValueError("the picture is of Friedman's test, which needs three systems or more")
    if table.isna().any(axis=None):
        raise ValueError("all systems have the same values, so there is no difference to draw")
    every = average_ranks(results)
    label = every.index[0] if measure is None else str(measure)
    ranks = every.loc[label]
    names = _shortened([str(name) for name in ranks.index])
    ranks.index = table.index = table.columns = pd.Index(names)
    diagram = scikit_posthocs().critical_difference_diagram
    figure, (axes,) = _panels(1, 1)
    figure.set_size_inches(2 * PANEL[0], 0.9 + 0.22 * len(ranks))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(ranks.index)}
    diagram(
        ranks,
        table,
        alpha=alpha,
        ax=axes,
        label_fmt_left="{label} ({rank:.2f})",
        label_fmt_right="({rank:.2f}) {label}",
        label_props={"fontsize": 8},
        color_palette=colours,
    )
    axes.grid(visible=False)
    title = f"average ranks (1 is best), {label}; a bar joins systems that do not differ"
    axes.set_title(_wrapped(f"{title} ({alpha:g})", 76), fontsize=9)
    return figure


def plot_topics(
    results: pd.DataFrame,
    measure: str | None = None,
    *,
    baseline: str | None = None,
    system: str | None = None,
    columns: int | None = None,
) -> Figure:
    """Draw each topic's difference of a system to a baseline, sorted, with wins and losses counted.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: a value of every system for every topic, as
        ``pt.Experiment(..., perquery=True)`` returns them.
    measure
        Which measure, if there are several.
    baseline
        The system that the others are compared with.
    system
        The one system to compare with it; by default there is a panel for every other system.
    columns
        The number of columns of panels; by default up to three.

    Returns
    -------
    matplotlib.figure.Figure
        A topic is won if the system's value is higher than the baseline's, tied if they are equal.
        Where the topics' ids do not fit under the bars, the extreme ones are named.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If a column is missing, the measure is unknown or there are several to choose from, a system
        is none of those in the results, or a system has no value, NaN or two values for a topic.

    Examples
    --------
    >>> rows = [("A", "1", "CG", 1.0), ("A", "2", "CG", 3.0), ("B", "1", "CG", 2.0)]
    >>> rows.append(("B", "2", "CG", 3.0))
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(plot_topics(results, baseline="A").axes[0].get_title())
    B
    1 win, 1 tie, 0 losses
    """
    chosen = {"baseline": baseline} if system is None else {"baseline": baseline, "system": system}
    label, matrix = _of_systems(results, measure, chosen)
    others = [name for name in matrix if name != baseline]
    differences = matrix[others].sub(matrix[baseline], axis=0)
    topics = len(differences)
    if columns is None:
        columns = 2 if len(others) == 4 else min(len(others), 3)
    figure, panels = _panels(len(others), columns)
    width, height = figure.get_size_inches()
    if len(others) == 1 and topics > _NAMED_BARS:
        width *= 2
    named = topics <= _NAMED_BARS * width / (PANEL[0] * columns)
    figure.set_size_inches(width, height + 0.3)
    figure.suptitle(_wrapped(f"{label}, difference to {baseline}", int(12 * width)), fontsize=9)
    limits = _limits(np.sort(differences.to_numpy(), axis=0)[::-1], corners=not named)
    for axes, name in zip(panels, others):
        bars = differences[name].sort_values(ascending=False, kind="stable")
        colours = np.where(bars > 0, COLOURS[0], COLOURS[1])
        axes.bar(range(topics), bars, color=colours, width=0.8 if named else 1.0)
        axes.axhline(0, color="0.3", linewidth=0.8)
        axes.set_xlim(-0.7, topics - 0.3)
        axes.set_ylim(*limits)
        _titled(axes, str(name), "topic" if named else f"{topics} topics", "difference")
        axes.set_title(f"{axes.get_title()}\n{_counted(bars)}", fontsize=9)
        ids = _shortened([str(qid) for qid in bars.index], 12)
        if named:
            beside = topics * (max(map(len, ids)) + 2) <= 12 * width / columns
            axes.set_xticks(range(topics), ids, rotation=0 if beside else 90, fontsize=6 + beside)
            axes.tick_params(axis="x", length=0)
        else:
            axes.set_xticks([])
            texts = [qid + f": {bar:+.3f}".replace("-", "−") for qid, bar in zip(ids, bars)]
            best = texts[: min(3, (bars > 0).sum())]
            worst = texts[max(topics - 3, (bars >= 0).sum()) :]
            corner: dict[str, Any] = {"transform": axes.transAxes, "fontsize": 7}
            axes.text(0.99, 0.99, "\n".join(best), ha="right", va="top", **corner)
            axes.text(0.01, 0.01, "\n".join(worst), ha="left", va="bottom", **corner)
    return figure


def plot_pair(
    results: pd.DataFrame,
    measure: str | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
) -> Figure:
    """Draw two systems' values against each other, a point for each topic.

    Topics above the diagonal are won by the vertical axis's system. Those farthest from it are
    named, where there is room.

    Parameters
    ----------
    results, measure
        As for :func:`plot_topics`.
    x, y
        The systems of the horizontal and the vertical axis; may be left out if there are just two.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_topics`.

    Examples
    --------
    >>> rows = [("A", "q1", "CG", 1.0), ("A", "q2", "CG", 3.0)]
    >>> rows += [("B", "q1", "CG", 2.0), ("B", "q2", "CG", 3.0)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> axes = plot_pair(results).axes[0]
    >>> print(axes.get_title())
    CG
    B: 1 win, 1 tie, 0 losses
    >>> [text.get_text() for text in axes.texts]
    ['q1']
    """
    if x is None and y is None:
        label, matrix = one_measure(results, measure)
        if len(matrix.columns) > 2:
            raise ValueError(f"choose two systems, x and y; there are {list(matrix)}")
        x, y = matrix.columns
    else:
        label, matrix = _of_systems(results, measure, {"x": x, "y": y})
    figure, (axes,) = _panels(1, 1)
    figure.set_size_inches(PANEL[0], PANEL[0] + 0.3)
    axes.grid(color="0.92", linewidth=0.6)
    values = matrix[[x, y]].to_numpy()
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    margin = 0.04 * (high - low or 1.0)
    ends = low - margin, high + margin
    axes.plot(ends, ends, **_IDEAL)
    axes.scatter(values[:, 0], values[:, 1], s=16, color=COLOURS[0], alpha=0.6, linewidths=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    axes.set_yticks([tick for tick in axes.get_xticks() if ends[0] <= tick <= ends[1]])
    axes.set_xticks(axes.get_yticks())
    _titled(axes, label, _wrapped(str(x)), _wrapped(str(y)))
    difference = matrix[y] - matrix[x]
    counts = f"{y}: {_counted(difference)}"
    axes.set_title(f"{axes.get_title()}\n{_wrapped(counts)}", fontsize=9)
    apart = difference[difference != 0].abs().sort_values(ascending=False, kind="stable")
    figure.draw_without_rendering()  # then it is known where everything lies
    _name_points(axes, values, matrix.index.get_indexer(apart.index)[:8], list(matrix.index))
    return figure


def plot_levels(parts: pd.DataFrame, *, columns: int | None = None) -> Figure:
    """Draw what each relevance level contributes to the systems' values, as stacked bars.

    Parameters
    ----------
    parts
        ``name, measure, level, value``, as :func:`pt_cumgain.gain_by_level` returns means. The
        bars are in the order of the frame, downwards; the parts in that of the levels, the higher
        the darker. What is negative lies left of 0.
    columns
        The number of columns of panels; by default up to two.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame is empty, lacks one of the columns, or has a part twice or NaN.

    Examples
    --------
    >>> columns = ["name", "measure", "level", "value"]
    >>> rows = [("X", "CG@2", 1, 1.0), ("X", "CG@2", 3, 6.0)]
    >>> axes = plot_levels(pd.DataFrame(rows, columns=columns)).axes[0]
    >>> [(float(bar.get_x()), float(bar.get_width())) for bar in axes.patches]
    [(0.0, 1.0), (1.0, 6.0)]
    """
    hint = "; gain_by_level returns such parts"
    require_columns(parts, ["name", "measure", "level", "value"], "parts", hint)
    if not len(parts):
        raise ValueError("there are no parts to draw")
    if parts["value"].isna().any():
        name, measure, level = parts.loc[parts["value"].isna(), _PART].iloc[0]
        raise ValueError(f"{measure}: {name!r} has NaN for level {level}")
    if parts.duplicated(_PART).any():
        raise ValueError("a system has a level twice; give parts of means, not of topics")
    names, measures = (parts[column].unique().tolist() for column in ("name", "measure"))
    levels = np.sort(parts["level"].unique())
    columns = min(len(measures), 2) if columns is None else columns
    figure, panels = _panels(len(measures), columns)
    rows = -(-len(measures) // columns)
    labels = _shortened([str(name) for name in names])
    beside = 0.07 * max(map(len, labels))
    figure.set_size_inches(PANEL[0] * columns + beside, (0.8 + 0.2 * len(names)) * rows)
    shades = pyplot().get_cmap("Blues")(np.linspace(0.3, 1, len(levels)))
    entries: dict[Any, Any] = {}
    for i, (axes, measure) in enumerate(zip(panels, measures)):
        of_measure = parts[parts["measure"] == measure]
        table = of_measure.pivot(index="name", columns="level", values="value")
        table = table.reindex(index=names, columns=levels).fillna(0.0)
        ends = {sign: np.zeros(len(names)) for sign in (False, True)}
        for level, shade in zip(levels, shades):
            width = table[level].to_numpy()
            start = np.where(width < 0, ends[True], ends[False])
            entries[f"level {level}"] = axes.barh(
                range(len(names)), width, left=start, color=shade, edgecolor="white", linewidth=0.5
            )
            for negative, end in ends.items():
                end += np.where((width < 0) == negative, width, 0)
        axes.grid(visible=False)
        axes.grid(axis="x", color="0.92", linewidth=0.6)
        axes.axvline(0, color="0.3", linewidth=0.8)
        axes.set_yticks(range(len(names)), labels if i % columns == 0 else [], fontsize=8)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        _titled(axes, measure, _short(measure), "")
    _legend(figure, entries)
    return figure


def _of_systems(
    results: pd.DataFrame, measure: str | None, chosen: dict[str, str | None]
) -> tuple[str, pd.DataFrame]:
    """Return a measure and its matrix; where two systems are chosen, of those alone."""
    require_columns(results, RESULTS, "results", HINT)
    names = results["name"].unique().tolist()
    for argument, name in chosen.items():
        if name is None:
            raise ValueError(f"choose a system as {argument}; there are {names}")
        if name not in names:
            raise ValueError(f"{argument}={name!r} is not one of the systems: {names}")
    if len(chosen) == 2:
        if len(set(chosen.values())) == 1:
            raise ValueError(f"{' and '.join(chosen)} are the same system, {name!r}")
        results = results[results["name"].isin(list(chosen.values()))]
    return one_measure(results, measure)


def _counted(differences: pd.Series) -> str:
    """Return ``"19 wins, 2 ties, 9 losses"``."""
    counts = {
        ("win", "wins"): (differences > 0).sum(),
        ("tie", "ties"): (differences == 0).sum(),
        ("loss", "losses"): (differences < 0).sum(),
    }
    return ", ".join(f"{n} {one if n == 1 else more}" for (one, more), n in counts.items())


def _limits(descending: Floats, *, corners: bool) -> tuple[float, float]:
    """Return limits for columns of bars, with empty upper right and lower left corners if asked."""
    low, high = min(descending.min(), 0.0), max(descending.max(), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    if corners:
        middle, share = descending[len(descending) // 2], 0.25
        high = max(high, (middle.max() - share * low) / (1 - share))
        low = min(low, (middle.min() - share * high) / (1 - share))
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _name_points(axes: Axes, points: Floats, which: Any, labels: list[Any]) -> None:
    """Write labels beside points where they hide no point and no other label."""
    page = axes.get_window_extent()
    pixels = axes.transData.transform(points)
    unit = axes.figure.dpi / 72
    taken = [(*(xy - 2 * unit), *(xy + 2 * unit)) for xy in pixels]
    for i in which:
        sides = [("right", "center"), ("center", "bottom"), ("right", "bottom"), ("left", "bottom")]
        sides += [("left", "center"), ("center", "top"), ("left", "top"), ("right", "top")]
        if points[i, 1] < points[i, 0]:
            sides = sides[4:] + sides[:4]
        for ha, va in sides:
            shift = {"right": -4, "left": 4, "center": 0}[ha], {"top": -4, "bottom": 4}.get(va, 0)
            text = axes.annotate(
                _shortened([str(labels[i])], 12)[0],
                points[i], shift, textcoords="offset points", ha=ha, va=va, fontsize=7,
            )  # fmt: skip
            x0, y0, x1, y1 = text.get_window_extent().extents
            apart = all(x1 <= a or c <= x0 or y1 <= b or d <= y0 for a, b, c, d in taken)
            if apart and page.x0 <= x0 and page.y0 <= y0 and x1 <= page.x1 and y1 <= page.y1:
                taken.append((x0, y0, x1, y1))
                break
            text.remove()


def _shortened(names: list[str], width: int = 24) -> list[str]:
    """Return names that fit beside a diagram and are still distinct."""
    short = [name if len(name) <= width else f"{name[: width - 9]}…{name[-8:]}" for name in names]
    if len(set(short)) < len(names):
        short = [f"{i} {name[: width - 3]}" for i, name in enumerate(short, 1)]
    return [_plain(name) for name in short]


def _session_counts(curves: pd.DataFrame) -> pd.Series | None:
    """Return, by query, how many sessions are left: ``"n=97"``, or a range over systems."""
    if "sessions" not in curves:
        return None
    of_query = curves.groupby("query_position")["sessions"].agg(["min", "max"]).astype(int)
    texts = [f"n={low}" if low == high else f"n={low}–{high}" for low, high in of_query.to_numpy()]
    return pd.Series(texts, index=of_query.index)


def _draw(
    axes: Axes, curves: pd.DataFrame, names: list[str], *, ideal: bool, band: bool
) -> dict[tuple[str, str], Any]:
    """Draw a line for each system, and the ideal and bands where they are given and wanted.

    Returns the lines, for the legend.
    """
    lines: dict[tuple[str, str], Any] = {}
    sorted_ = curves.sort_values("rank", kind="stable")
    of_name = {name: sorted_[sorted_["name"] == name] for name in names}
    if ideal and "ideal" in curves and curves["ideal"].notna().any():
        drawn: list[Any] = []  # systems share one ideal, unless their sessions differ in length
        for name, curve in of_name.items():
            goal = curve["ideal"].to_numpy(dtype=float)
            if len(goal) and not any(np.array_equal(goal, other) for other in drawn):
                label = "ideal" if not drawn else f"ideal of {name}"
                drawn.append(goal)
                (line,) = axes.plot(curve["rank"], goal, label=label, **_IDEAL)
                lines["ideal", label] = line
    for i, (name, curve) in enumerate(of_name.items()):
        (line,) = axes.plot(curve["rank"], curve["value"], label=name, **_line(i))
        lines["system", name] = line
        if band and len(curve) and {"low", "high"} <= set(curve):
            _draw_band(axes, curve, i, len(of_name))
    return lines


def _draw_band(axes: Axes, curve: pd.DataFrame, i: int, systems: int) -> None:
    """Fill what lies between the columns low and high; for many systems, draw bars here and there.

    The fills of many systems would cover each other, so the bars of each stand at ranks of its own.
    """
    rank, low, high = (curve[column].to_numpy(dtype=float) for column in ("rank", "low", "high"))
    colour = COLOURS[i % len(COLOURS)]
    if systems > _FILLED_BANDS:
        spaced = np.geomspace if axes.get_xscale() == "log" else np.linspace
        at = spaced(1, len(rank) + 1, 5 * systems, endpoint=False)[i::systems].astype(int) - 1
        axes.vlines(rank[at], low[at], high[at], color=colour, alpha=0.7, linewidth=1, zorder=1.5)
        return
    axes.fill_between(
        rank, low, high, color=colour, alpha=0.4 / (systems + 1), linewidth=0, zorder=1.2
    )
    for end in (low, high):
        axes.plot(
            rank,
            end,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=0.6,
            alpha=0.6,
            zorder=1.5,
            label="_edge",
        )


def _draw_each(axes: Axes, curves: pd.DataFrame, names: list[str]) -> dict[tuple[str, str], Any]:
    """Draw a thin line for each topic or session; return a line of each system, for the legend."""
    lines: dict[tuple[str, str], Any] = {}
    alpha = 0.7 if len(curves[["name", "qid"]].drop_duplicates()) <= 100 else 0.4
    for i, name in enumerate(names):
        style = {key: _line(i)[key] for key in ("color", "linestyle")}
        (lines["system", name],) = axes.plot([], [], linewidth=1.3, **style)  # for the legend
        of_name = curves[curves["name"] == name].sort_values("rank", kind="stable")
        for _, curve in of_name.groupby("qid", sort=False):
            axes.plot(
                curve["rank"], curve["value"], label=name, linewidth=0.8, alpha=alpha, **style
            )
    return lines


def _check_curves(curves: pd.DataFrame, *, each: bool = False) -> None:
    if not len(curves):
        raise ValueError("there is no curve to draw")
    if not each and curves.duplicated(["name", "measure", "rank"]).any():
        raise ValueError("a curve has a rank twice; give curves of means, not of topics")


def _split(measure: str) -> tuple[str, str]:
    """Return a measure's text without its weighting, and the weighting."""
    match = re.search(r"gains=('[^']*'|\{[^}]*\}),?", measure)
    if not match:
        return measure, ""
    rest = measure.replace(match[0], "").replace(",)", ")").replace("()", "")
    return rest, match[1].strip("'")


def _arranged(measures: list[str], columns: int | None) -> tuple[list[str], int]:
    """Return the measures in the order of their panels, and the number of columns."""
    split = {_split(measure): measure for measure in measures}
    rests, weightings = (list(dict.fromkeys(part)) for part in zip(*split))
    if columns is None and len(weightings) > 1 and len(split) == len(rests) * len(weightings):
        return [split[rest, weighting] for rest in rests for weighting in weightings], len(
            weightings
        )
    return measures, columns or min(len(measures), 2)


def _short(measure: str) -> str:
    """Return the name of a measure without its parameters."""
    return measure.partition("(")[0].partition("@")[0]


def _wrapped(measure: str, width: int = 38) -> str:
    """Break a long measure, after a comma where there is one, so that it fits above a panel."""
    lines = [""]
    for part in re.split(r"(?<=,)", measure):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return _plain("\n".join(piece for line in lines for piece in textwrap.wrap(line, width)))


def _panels(count: int, columns: int) -> tuple[Figure, list[Axes]]:
    if columns < 1:
        raise ValueError(f"columns={columns} must be at least 1")
    rows = -(-count // columns)
    size = (PANEL[0] * columns, PANEL[1] * rows)
    figure, grid = pyplot().subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained"
    )
    panels = grid.ravel().tolist()
    for axes in panels[count:]:
        axes.remove()
    for axes in panels[:count]:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
        axes.grid(axis="y", color="0.92", linewidth=0.6)
        axes.set_axisbelow(True)
    return figure, panels[:count]


def _titled(axes: Axes, title: str, xlabel: str, ylabel: str) -> None:
    axes.set_title(_wrapped(title), fontsize=9)
    axes.set_xlabel(xlabel, fontsize=9)
    axes.set_ylabel(ylabel, fontsize=9)


def _line(i: int) -> dict[str, Any]:
    """Return the style of the i-th system: its colour, its dashes and its marker."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[i % len(DASHES)],
        "linewidth": 1.3,
        "marker": MARKERS[i % len(MARKERS)],
        "markersize": 4,
        "markerfacecolor": "white" if i // len(COLOURS) % 2 else COLOURS[i % len(COLOURS)],
        "markevery": (0.02 + 0.03 * (i % 5), 0.16),  # relative to the panel, staggered
        "zorder": 2,
    }


def _rank_axis(axes: Axes, depth: int, log_rank: bool) -> None:
    if log_rank:
        axes.set_xscale("log")
        between = (1, 2, 5) if depth <= 200 else (1,)  # more do not fit
        ticks = [t * 10**p for p in range(8) for t in between if t * 10**p <= depth]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlim(1, max(depth, 2))
    else:
        axes.set_xlim(0, max(depth, 1))
        axes.locator_params(axis="x", integer=True)


def _from_zero(axes: Axes) -> None:
    """Let the vertical axis begin at 0, for lengths to be compared, unless gains are negative."""
    low, high = axes.get_ylim()
    least, top = axes.dataLim.intervaly
    if least >= 0:
        axes.set_ylim(0, top * 1.04 if top > 0 else max(high, 1))
    elif low > 0:
        axes.set_ylim(0, high)


def _legend(figure: Figure, entries: dict[Any, Any]) -> None:
    """Put one legend under the panels, in a space of its own."""
    width, height = figure.get_size_inches()
    texts = [key[1] if isinstance(key, tuple) else key for key in entries]
    room = max(int((width - 0.8) / 0.075), 10)
    labels = ["\n".join(textwrap.wrap(text, room) or [" "]) for text in map(str, texts)]
    longest = max(len(line) for label in labels for line in label.split("\n"))
    columns = max(int(width / (0.65 + 0.075 * longest)), 1)
    rows = -(-len(labels) // columns)
    lines = max(label.count("\n") + 1 for label in labels)
    figure.set_size_inches(width, height + 0.15 + (0.05 + 0.125 * lines) * rows)
    figure.legend(
        entries.values(),
        [_plain(label) for label in labels],
        loc="outside lower center",
        ncols=-(-len(labels) // rows),
        fontsize=8,
        frameon=False,
        handlelength=3.2,
    )


def _plain(text: str) -> str:
    """Return a text that matplotlib shows as it is: no mathematics, not hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
