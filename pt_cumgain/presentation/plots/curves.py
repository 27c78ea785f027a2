"""Curves: gain by rank, by query of a session, precision by recall."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.recall_bases import RECALL
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.presentation.plots.panels import Panels, Room, Size, Titles
from pt_cumgain.presentation.plots.style import COLOURS, DASHES, IDEAL, line, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Entries = dict[tuple[str, Any, str], Any]

#: The bands of more systems than these would hide each other.
_FILLED_BANDS = 6


def plot_curves(
    curves: pd.DataFrame,
    *,
    columns: int | None = None,
    log_rank: bool = False,
    ideal: bool = True,
    band: bool = True,
    legend: bool = True,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Any:
    """Draw gain by rank, a panel for each measure: TOIS 2002, figures 1 to 4.

    Where the measures are the same under several weightings, there is a row of
    panels for each measure and a column for each weighting.

    Parameters
    ----------
    curves
        ``name, measure, rank, value`` and perhaps ``ideal``, ``topics``,
        ``low``, ``high`` and ``band``, as :func:`pt_cumgain.gain_curves`
        returns them. The ideal is drawn dashed in grey where it is given. From
        ``low`` to ``high`` there is a band in the system's colour, and the
        legend says what it is; if there are more than six systems, whose bands
        would hide each other, upright lines at some ranks. If the frame has
        ``qid``, every topic has a thin line in its system's colour, without
        ideal and band. The number of topics stands beside "rank". Up to 28
        systems can be told apart.
    columns
        The number of columns of panels; by default the number of weightings, or
        up to three.
    log_rank
        Whether the rank has a logarithmic axis.
    ideal
        Whether to draw the ideal.
    band
        Whether to draw bands.
    legend
        Whether to draw a legend: below the panels, or inside ``ax``.
    figsize
        The width and height of the figure in inches, such as ``(3.3, 2.5)`` for
        a column of a paper or ``(7, 3)`` for its page. Letters, titles and the
        legend fit it, and fit anew what ``figure.set_size_inches`` sets.
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
        If the frame lacks one of the columns, a curve has a rank twice, or
        ``ax`` is given for several panels.

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
    panels = Panels(measures, columns=columns, figsize=figsize, ax=ax, titles=titles)
    names = curves["name"].unique().tolist()
    for axes, measure in zip(panels.axes, measures):
        of_measure = curves[curves["measure"] == measure]
        depth = int(of_measure["rank"].max())
        _rank_axis(axes, depth, log_rank)
        if log_rank:
            panels.extras.append(partial(_mark_ranks, axes, depth))
        panels.entries |= _draw(axes, of_measure, names, ideal=ideal, band=band, each=each)
        panels.title(axes, measure)
        counted = _counted(of_measure, "topics")
        panels.labels(axes, f"rank{counted}", short(measure), xlabel, ylabel)
        _from_zero(axes)
    return panels.finish(legend=legend)


def plot_session_curves(
    curves: pd.DataFrame,
    *,
    columns: int | None = None,
    ideal: bool = False,
    band: bool = True,
    legend: bool = True,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
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
    columns
        The number of columns of panels; by default up to three.
    ideal
        Whether to draw the ideal.
    band, legend, figsize, ax, titles, xlabel, ylabel
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
    each = "qid" in curves
    _check_curves(curves, each=each)
    measures = curves["measure"].unique().tolist()
    panels = Panels(measures, columns=columns, figsize=figsize, ax=ax, titles=titles)
    names = curves["name"].unique().tolist()
    for axes, measure in zip(panels.axes, measures):
        of_measure = curves[curves["measure"] == measure]
        panels.entries |= _draw(axes, of_measure, names, ideal=ideal, band=band, each=each)
        ends = of_measure.groupby("query_position")["rank"].max()
        counts = _session_counts(of_measure)
        panels.extras.append(partial(_mark_queries, axes, ends, counts))
        first = int(ends.iloc[0])
        label = f"query, {first} document{'s' * (first > 1)} of each"
        label += _counted(of_measure, "sessions") if counts is None else " (n sessions)"
        axes.set_xlim(0.5, ends.iloc[-1] + 0.5)
        panels.title(axes, measure)
        panels.labels(axes, label, short(measure), xlabel, ylabel)
        _from_zero(axes)
        for end in ends.iloc[:-1]:
            axes.axvline(end + 0.5, color="0.8", linewidth=0.8, zorder=0)
    return panels.finish(legend=legend)


def _mark_queries(axes: Axes, ends: pd.Series, counts: pd.Series | None, room: Room) -> None:
    """Mark the middles of the queries, as many as fit, and where the number of sessions changes."""
    middles = (ends + ends.shift(fill_value=0) + 1) / 2
    fit = int(3.6 * room.width)
    if counts is not None:
        fit = min(fit, int(11 * room.width) // counts.str.len().max())
    shown = slice(None, None, -(-len(ends) // max(fit, 1)))
    axes.set_xticks(middles.tolist()[shown], [f"Q{q}" for q in ends.index][shown])
    if counts is not None:
        changed = counts[shown][lambda some: some != some.shift()]
        axes.set_xticks(middles[changed.index].tolist(), changed, minor=True)
        axes.xaxis.remove_overlapping_locs = False
        small = {"labelsize": min(room.small - 1, 6.5), "labelcolor": "0.35"}
        axes.tick_params(axis="x", which="minor", pad=room.small + 6, **small)
    axes.tick_params(axis="x", which="both", length=0)


def plot_precision(
    table: pd.DataFrame,
    *,
    columns: int | None = None,
    legend: bool = True,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Any:
    """Draw P-R curves, a panel for each relevance level: SIGIR 2000, figure 1.

    Parameters
    ----------
    table
        What :func:`pt_cumgain.precision_by_level` returned.
    columns
        The number of columns of panels; by default up to three.
    legend, figsize, ax, titles, xlabel, ylabel
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
    _check_curves(table, each=True)
    levels = sorted(table["level"].unique())
    panels = Panels(levels, columns=columns, figsize=figsize, ax=ax, titles=titles)
    names = table["name"].unique().tolist()
    for axes, level in zip(panels.axes, levels):
        of_level = table[table["level"] == level]
        for i, name in enumerate(names):
            row = of_level.loc[of_level["name"] == name, list(RECALL)]
            (panels.entries["system", name, ""],) = axes.plot(
                RECALL, row.iloc[0], label=name, **line(i)
            )
        panels.title(axes, level, f"relevance level {level}{_counted(of_level, 'topics')}")
        panels.labels(axes, "recall", "precision", xlabel, ylabel)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
    return panels.finish(legend=legend)


def _counted(frame: pd.DataFrame, what: str) -> str:
    """Return ``" (30 topics)"``, or a range over systems; nothing if the frame cannot tell."""
    if "qid" in frame:
        counts = frame.groupby("name")["qid"].nunique()
    elif what in frame:
        counts = frame[what].dropna()  # frames with and without it may have been joined
    else:
        return ""
    if not len(counts):
        return ""
    low, high = int(counts.min()), int(counts.max())
    number = f"{low}" if low == high else f"{low}–{high}"
    return f" ({number} {what if high != 1 else what[:-1]})"


def _session_counts(curves: pd.DataFrame) -> pd.Series | None:
    """Return, by query, how many sessions are left: ``"n=97"``, or a range over systems."""
    if "sessions" not in curves:
        return None
    of_query = curves.groupby("query_position")["sessions"].agg(["min", "max"]).astype(int)
    texts = [f"n={low}" if low == high else f"n={low}–{high}" for low, high in of_query.to_numpy()]
    return pd.Series(texts, index=of_query.index)


def _draw(
    axes: Axes, curves: pd.DataFrame, names: list[str], *, ideal: bool, band: bool, each: bool
) -> Entries:
    """Draw a line for each system, and the ideal and bands where they are given and wanted.

    With ``each`` draw only thin lines, one for each topic. Returns the lines, for the legend.
    """
    if each:
        return _draw_each(axes, curves, names)
    lines: Entries = {}
    bands: Entries = {}
    sorted_ = curves.sort_values("rank", kind="stable")
    of_name = {name: sorted_[sorted_["name"] == name] for name in names}
    if ideal and "ideal" in curves and curves["ideal"].notna().any():
        drawn: list[Any] = []  # systems share one ideal, unless their sessions differ in length
        for name, curve in of_name.items():
            goal = curve["ideal"].to_numpy(dtype=float)
            if len(goal) and not any(np.array_equal(goal, other) for other in drawn):
                label = "ideal" if not drawn else f"ideal of {name}"
                drawn.append(goal)
                (lines["ideal", label, ""],) = axes.plot(curve["rank"], goal, label=label, **IDEAL)
    for i, (name, curve) in enumerate(of_name.items()):
        (drawn_line,) = axes.plot(curve["rank"], curve["value"], label=name, **line(i))
        lines["system", name, ""] = drawn_line
        if band and {"low", "high"} <= set(curve) and curve["low"].notna().any():
            bands |= _draw_band(axes, curve, i, len(of_name))
    return lines | bands


def _draw_band(axes: Axes, curve: pd.DataFrame, i: int, systems: int) -> Entries:
    """Fill what lies between the columns low and high; for many systems, draw bars here and there.

    The fills of many systems would cover each other, so the bars of each stand at ranks of its own.
    Returns what stands for them in the legend.
    """
    what = next(iter(curve["band"].dropna()), None) if "band" in curve else None
    rank, low, high = (curve[column].to_numpy(dtype=float) for column in ("rank", "low", "high"))
    colour = COLOURS[i % len(COLOURS)]
    if systems > _FILLED_BANDS:
        spaced = np.geomspace if axes.get_xscale() == "log" else np.linspace
        at = spaced(1, len(rank) + 1, 5 * systems, endpoint=False)[i::systems].astype(int) - 1
        axes.vlines(rank[at], low[at], high[at], color=colour, alpha=0.7, linewidth=1, zorder=1.5)
        upright: dict[str, Any] = {
            "color": "0.4",
            "linestyle": "none",
            "marker": "|",
            "markersize": 8,
        }
        return {("band", what or "low to high", ""): axes.plot([], [], label="_band", **upright)[0]}
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
    from matplotlib.patches import Patch

    return {("band", what or "low to high", ""): Patch(facecolor="0.4", alpha=0.4, linewidth=0)}


def _draw_each(axes: Axes, curves: pd.DataFrame, names: list[str]) -> Entries:
    """Draw a thin line for each topic or session; return a line of each system, for the legend."""
    lines: Entries = {}
    alpha = 0.7 if len(curves[["name", "qid"]].drop_duplicates()) <= 100 else 0.4
    for i, name in enumerate(names):
        style = {key: line(i)[key] for key in ("color", "linestyle")}
        (lines["system", name, ""],) = axes.plot([], [], linewidth=1.3, **style)  # for the legend
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


def _arranged(measures: list[str], columns: int | None) -> tuple[list[str], int | None]:
    """Return the measures in the order of their panels, and the number of columns."""
    split = {_split(measure): measure for measure in measures}
    rests, weightings = (list(dict.fromkeys(part)) for part in zip(*split))
    if columns is None and len(weightings) > 1 and len(split) == len(rests) * len(weightings):
        return [split[rest, weighting] for rest in rests for weighting in weightings], len(
            weightings
        )
    return measures, columns


def _rank_axis(axes: Axes, depth: int, log_rank: bool) -> None:
    if log_rank:
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xlim(1, max(depth, 2))
    else:
        from pt_cumgain.presentation.plots.picture import RankLocator

        axes.set_xlim(*((1, depth) if depth > 1 else (0.5, 1.5)))
        axes.xaxis.set_major_locator(RankLocator())


def _mark_ranks(axes: Axes, depth: int, room: Room) -> None:
    """Mark as many ranks of a logarithmic axis as fit."""
    between = (1, 2, 5) if depth <= (200 if room.width > 1.9 else 20) else (1,)
    ticks = [t * 10**p for p in range(8) for t in between if t * 10**p <= depth]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])


def _from_zero(axes: Axes) -> None:
    """Let the vertical axis begin at 0, for lengths to be compared, unless gains are negative."""
    low, high = axes.get_ylim()
    least, top = axes.dataLim.intervaly
    if least >= 0:
        axes.set_ylim(0, top * 1.04 if top > 0 else max(high, 1))
    elif low > 0:
        axes.set_ylim(0, high)
