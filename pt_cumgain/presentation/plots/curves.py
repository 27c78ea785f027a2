"""Curves: gain by rank, by query of a session, precision by recall."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.recall_bases import RECALL
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.presentation.plots.panels import Legend, PanelOptions, Panels, takes
from pt_cumgain.presentation.plots.style import (
    IDEAL,
    OTHERS,
    Highlight,
    Style,
    Styles,
    lines,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

#: The bands of more systems than these would hide each other.
_FILLED_BANDS = 6


@takes(PanelOptions)
def plot_curves(
    curves: pd.DataFrame,
    *,
    log_rank: bool = False,
    ideal: bool | None = None,
    band: bool = True,
    highlight: Highlight = None,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Draw gain by rank, a panel for each measure: TOIS 2002, figures 1 to 4.

    Where the measures are the same under several weightings, there is a row of
    panels for each measure and a column for each weighting.

    Parameters
    ----------
    curves
        ``name, measure, rank, value`` and perhaps ``ideal``, ``topics``,
        ``low``, ``high`` and ``band``, as :func:`pt_cumgain.gain_curves`
        returns them. From ``low`` to ``high`` there is a band in the system's
        colour, and the legend says what it is; if there are more than six
        systems, whose bands would hide each other, upright lines at some ranks.
        If the frame has ``qid``, every topic has a thin line in its system's
        colour, without ideal and band. The number of topics stands beside
        "rank". Up to 28 systems can be told apart; with more, ``highlight``
        some.
    log_rank
        Whether the rank has a logarithmic axis.
    ideal
        Whether to draw the ideal, dashed in grey, where it is given. By default
        it is drawn where it changes with the rank: not for normalised measures,
        whose ideal is 1 everywhere.
    band
        Whether to draw bands.
    highlight
        The systems that matter, by name: all others are thin grey lines without
        bands, and the legend counts them. By default all systems are drawn
        alike. A system's colour, and the number that it has in a legend if
        names must be cut, are those of its place in the frame.
    legend
        Whether to say which line is whose. Up to six lines are labelled at
        their ends, beside the last panel of each row, if the labels have room;
        otherwise there is a legend below the panels, with ``"below"`` always.
        In ``ax`` it is inside.
    columns
        The number of columns of panels; by default the number of weightings, or
        up to three.
    figsize
        The width and height of the figure in inches, such as ``(3.3, 2.5)`` for
        a column of a paper or ``(7, 3)`` for its page. Letters, titles and the
        legend are made to fit it. By default as large as the panels, and the
        legend below them, need.
    ax
        matplotlib's axes to draw into, for a picture of one panel, instead of a
        new figure.
    titles
        The titles of the panels by measure, where the measure's text is not
        wanted; ``labels`` of a :func:`pt_cumgain.grid` are such a mapping. A
        text is the title of the only panel.
    xlabel, ylabel
        The labels of the axes; by default the rank and the panel's measure.
        ``""`` for none.

    Returns
    -------
    matplotlib.figure.Figure
        Of pyplot, so that ``pyplot.show()`` shows it; a notebook shows it once,
        whether it is the value of a cell or not. If ``ax`` is given, ``ax``.
        :func:`pt_cumgain.plots.save` writes either to a file.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame lacks one of the columns, a curve has a rank twice, none of
        the systems has a highlighted name, or ``ax`` is given for several
        panels.

    Examples
    --------
    >>> columns = ["name", "measure", "rank", "value", "ideal"]
    >>> rows = [("X", "CG", 1, 1.0, 3.0), ("X", "CG", 2, 4.0, 5.0)]
    >>> figure = plot_curves(pd.DataFrame(rows, columns=columns))
    >>> [axes.get_title() for axes in figure.axes]
    ['CG']
    """
    require_columns(curves, ["name", "measure", "rank", "value"], "curves")

    def mark(panels: Panels, axes: Axes, of_measure: pd.DataFrame) -> str:
        _mark_ranks(panels, axes, int(of_measure["rank"].max()), log_rank)
        return f"rank{_counted(of_measure, 'topics')}"

    measures = curves["measure"].unique().tolist()
    if options.get("columns") is None:
        measures, options["columns"] = _arranged(measures)
    return _plot(curves, measures, mark, ideal, band, highlight, legend, options)


@takes(PanelOptions)
def plot_session_curves(
    curves: pd.DataFrame,
    *,
    ideal: bool = False,
    band: bool = True,
    highlight: Highlight = None,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Draw what sessions gain, query by query: ECIR 2008, figures 2 to 4.

    Parameters
    ----------
    curves
        ``name, measure, query_position, rank, value`` and perhaps ``ideal``,
        ``low``, ``high`` and ``band``, as :func:`pt_cumgain.session_curves`
        returns them. If the frame has ``qid``, every session has a thin line in
        its system's colour (figure 4). If it has ``sessions``, the number of
        sessions that are left, it stands under the first query and where it
        changes; where systems differ, as a range.
    ideal
        Whether to draw the ideal.
    band, highlight, legend, columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`plot_curves`.

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
    measures = curves["measure"].unique().tolist()
    return _plot(curves, measures, _mark_queries, ideal, band, highlight, legend, options)


@takes(PanelOptions)
def plot_precision(
    table: pd.DataFrame,
    *,
    highlight: Highlight = None,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Draw P-R curves, a panel for each relevance level: SIGIR 2000, figure 1.

    Parameters
    ----------
    table
        What :func:`pt_cumgain.precision_by_level` returned.
    highlight, legend, columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`plot_curves`; titles are by level.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`plot_curves`.

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
    ['relevance level 1 (1 topic)', 'relevance level 3 (1 topic)']
    """
    require_columns(table, ["name", "level", *RECALL], "table")
    if not len(table):
        raise ValueError("there is no curve to draw")
    levels = sorted(table["level"].unique())
    styles = lines(table["name"].unique().tolist(), highlight)
    panels = Panels(levels, list(styles), **options)
    for axes, level in zip(panels.axes, levels):
        of_level = table[table["level"] == level]
        for name, style in styles.items():
            row = of_level.loc[of_level["name"] == name, list(RECALL)]
            panels.line(axes, name, RECALL, row.iloc[0], style)
        title = f"relevance level {level}{_counted(of_level, 'topics')}"
        panels.label(axes, level, "recall", "precision", title)
        axes.set(xlim=(0, 1), ylim=(0, 1))
    return panels.finish(legend)


def _plot(
    curves: pd.DataFrame,
    measures: list[str],
    mark: Callable[[Panels, Axes, pd.DataFrame], str],
    ideal: bool | None,
    band: bool,
    highlight: Highlight,
    legend: Legend,
    options: PanelOptions,
) -> Any:
    """Draw a panel for each measure; ``mark`` marks its ranks and returns what they are called."""
    if not len(curves):
        raise ValueError("there is no curve to draw")
    if "qid" not in curves and curves.duplicated(["name", "measure", "rank"]).any():
        raise ValueError("a curve has a rank twice; give curves of means, not of topics")
    styles = lines(curves["name"].unique().tolist(), highlight)
    panels = Panels(measures, list(styles), **options)
    for axes, measure in zip(panels.axes, measures):
        of_measure = curves[curves["measure"] == measure]
        label = mark(panels, axes, of_measure)
        _draw(panels, axes, of_measure, styles, ideal, band)
        panels.label(axes, measure, label, short(measure))
        low, high = axes.get_ylim()  # from 0, for lengths to be compared, unless gains are negative
        least, top = axes.dataLim.intervaly
        if least >= 0:
            axes.set_ylim(0, top * 1.04 if top > 0 else max(high, 1))
        elif low > 0:
            axes.set_ylim(0, high)
    return panels.finish(legend)


def _mark_ranks(panels: Panels, axes: Axes, depth: int, log_rank: bool) -> None:
    from pt_cumgain.presentation.plots.picture import RankLocator  # needs matplotlib

    axes.set_xlim(*((1, depth) if depth > 1 else (0.5, 1.5)))
    axes.xaxis.set_major_locator(RankLocator())
    if log_rank:
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xlim(1, max(depth, 2))
        between = (1, 2, 5) if depth <= (200 if panels.width > 1.9 else 20) else (1,)
        ticks = [t * 10**p for p in range(8) for t in between if t * 10**p <= depth]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])


def _mark_queries(panels: Panels, axes: Axes, curves: pd.DataFrame) -> str:
    """Mark the middles of the queries, as many as fit, and where the number of sessions changes."""
    ends = curves.groupby("query_position")["rank"].max()
    texts = pd.Series([f"Q{q}" for q in ends.index], ends.index)
    counts = texts  # of sessions, if the frame has them
    if "sessions" in curves:
        counts = "n=" + curves.groupby("query_position")["sessions"].agg(_span)
    step = ceil(len(ends) * max(counts.str.len().max(), 3) / (11 * panels.width))
    texts, counts = texts[::step], counts[::step]
    if "sessions" in curves:
        texts += ("\n" + counts).where(counts != counts.shift(), "")
    middles = (ends + ends.shift(fill_value=0) + 1) / 2
    axes.set_xticks(middles[::step], texts)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(0.5, ends.iloc[-1] + 0.5)
    for end in ends.iloc[:-1]:
        axes.axvline(end + 0.5, color="0.8", linewidth=0.8, zorder=0)
    first = int(ends.iloc[0])
    left = " (n sessions)" if "sessions" in curves else _counted(curves, "sessions")
    return f"query, {first} document{'s' * (first > 1)} of each{left}"


def _span(counts: pd.Series) -> str:
    """Return a number, or the range of several: ``"30"``, ``"24–30"``."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low}–{high}"


def _counted(frame: pd.DataFrame, what: str) -> str:
    """Return ``" (30 topics)"``, or a range over systems; nothing if the frame cannot tell."""
    counts = frame.get(what, pd.Series(dtype=float)).dropna()  # only some of the frame may have it
    if "qid" in frame:
        counts = frame.groupby("name")["qid"].nunique()
    return f" ({_span(counts)} {what[: -1 if counts.max() == 1 else None]})" if len(counts) else ""


def _draw(
    panels: Panels, axes: Axes, curves: pd.DataFrame, styles: Styles, ideal: bool | None, band: bool
) -> None:
    """Draw a line for each system, and the ideal and bands where they are given and wanted.

    Curves of topics or sessions are thin lines without ideal and bands.
    """
    sorted_ = curves.sort_values("rank", kind="stable")
    of_name = {name: part for name in styles if len(part := sorted_[sorted_["name"] == name])}
    if "qid" in curves:
        alpha = 0.7 if len(curves[["name", "qid"]].drop_duplicates()) <= 100 else 0.4
        for name, curve in of_name.items():
            style = {key: styles[name][key] for key in ("color", "linestyle", "zorder")}
            panels.line(axes, name, [], [], style, linewidth=1.3)
            style |= {"label": name, "linewidth": 0.8, "alpha": alpha}
            for _, one in curve.groupby("qid", sort=False):
                axes.plot(one["rank"], one["value"], **style)
        return
    goals: list[Any] = []  # systems share one ideal, unless their sessions differ in length
    for name, curve in of_name.items() if "ideal" in curves and ideal is not False else ():
        goal = curve["ideal"].to_numpy(dtype=float)
        wanted = ideal or np.ptp(goal) > 1e-9 * np.abs(goal).max()  # not constant
        drawn = any(np.array_equal(goal, other) for other in goals)
        if wanted and not drawn and not np.isnan(goal).all():
            what = curve["ideal_is"].iloc[0] if "ideal_is" in curve else "ideal"
            text = f"{what} of {name}" if goals else what
            panels.add(axes, "ideal", text, *axes.plot(curve["rank"], goal, label=text, **IDEAL))
            goals.append(goal)
    banded = [name for name, style in styles.items() if style is not OTHERS]
    for name, curve in of_name.items():
        panels.line(axes, name, curve["rank"], curve["value"], styles[name])
        if band and name in banded and {"low", "high"} <= set(curve):
            _draw_band(panels, axes, curve, styles[name], banded.index(name), len(banded))


def _draw_band(
    panels: Panels, axes: Axes, curve: pd.DataFrame, style: Style, i: int, systems: int
) -> None:
    """Fill what lies between the columns low and high; for many systems, draw bars here and there.

    The fills of many systems would cover each other, so the bars of each stand at ranks of its own.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    sign: Line2D | Patch
    rank, low, high = (curve[column].to_numpy(dtype=float) for column in ("rank", "low", "high"))
    if np.isnan(low).all():
        return
    if systems > _FILLED_BANDS:
        spaced = np.geomspace if axes.get_xscale() == "log" else np.linspace
        at = spaced(1, len(rank) + 1, 5 * systems, endpoint=False)[i::systems].astype(int) - 1
        axes.vlines(rank[at], low[at], high[at], style["color"], alpha=0.7, linewidth=1, zorder=1.5)
        sign = Line2D([], [], color="0.4", linestyle="none", marker="|", markersize=8)
    else:
        under = {"color": style["color"], "zorder": 1.2}
        axes.fill_between(rank, low, high, alpha=0.4 / (systems + 1), linewidth=0, **under)
        edge = {"linestyle": style["linestyle"], "linewidth": 0.6, "alpha": 0.6, "label": "_edge"}
        axes.plot(rank, np.column_stack([low, high]), **under, **edge)
        sign = Patch(facecolor="0.4", alpha=0.4, linewidth=0)
    what = next(iter(curve["band"].dropna()), None) if "band" in curve else None
    panels.add(axes, "band", what or "low to high", sign)


def _split(measure: str) -> tuple[str, str]:
    """Return a measure's text without its weighting, and the weighting."""
    match = re.search(r"gains=('[^']*'|\{[^}]*\}),?", measure)
    if not match:
        return measure, ""
    rest = measure.replace(match[0], "").replace(",)", ")").replace("()", "")
    return rest, match[1].strip("'")


def _arranged(measures: list[str]) -> tuple[list[str], int | None]:
    """Return the measures in the order of their panels, and the number of columns."""
    split = {_split(measure): measure for measure in measures}
    rests, weightings = (list(dict.fromkeys(pair[i] for pair in split)) for i in (0, 1))
    if len(weightings) < 2 or len(split) < len(rests) * len(weightings):
        return measures, None
    return [split[rest, weighting] for rest in rests for weighting in weightings], len(weightings)
