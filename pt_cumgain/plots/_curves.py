"""Curves: gain by rank, gain by query of a session, and precision by recall."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.options import checked
from pt_cumgain.papers._by_level import RECALL
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import LINE, LineOptions, Panels, check_frame, count_in, write_range

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The list of names in a corner without lines, the upper right one if it is free.
_LIST: Any = {"labelcolor": "linecolor", "fontsize": style.SMALL, "frameon": False}
_LIST |= {"handlelength": 1, "borderpad": 0, "labelspacing": 0.15, "markerfirst": False}


@checked(unpacks=LineOptions)
def plot_curves(
    curves: pd.DataFrame, *, ideal: bool | None = None, **options: Unpack[LineOptions]
) -> Any:
    """Plot gain by rank, one panel per measure: TOIS 2002, figures 1 to 4.

    Parameters
    ----------
    curves
        ``name, measure, rank, value`` and perhaps ``ideal``, ``topics``,
        ``low``, ``high`` and ``band``, or ``least`` and ``most``, as
        :func:`pt_cumgain.gain_curves` returns them; differences from a
        ``baseline`` as well. A band between these has the system's colour; the
        label below says what it is. More than two bands are outlines, and those
        of means say nothing about differences: give
        :func:`pt_cumgain.gain_curves` a ``baseline``, whose line is then at 0.
        If the frame has ``qid``, every topic has a thin line in its system's
        colour, without ideal and band. The number of topics is beside "rank".
    ideal
        Whether to draw the frame's ideal, dashed in grey. By default
        it is drawn if it changes with the rank (that of a normalised measure is
        1 everywhere) and the frame has no ``least``: with other judgments, the
        ideal is another one.
    highlight
        The systems that matter, by name; all others are thin grey lines without
        bands. By default, all systems look alike or, if there are more than
        eight, the eight with the highest values at the last rank of the first
        panel are highlighted.
    styles
        The styles of systems, by name, such as those of
        :func:`pt_cumgain.plots.style_systems`, which keep a system's colour in
        all pictures. By default they follow the order of the systems in the
        frame, in which a baseline is the first.
    figsize
        The width and height of the figure in inches, such as ``(3.3, 2.5)`` for
        a column of a paper or ``(7, 3)`` for its page. The panels are in as many
        columns as make their shorter side longest. The size of letters does not
        depend on it. By default the figure is as large as its panels and names
        need.
    ax
        matplotlib's axes to draw into, for a picture of one panel, instead of a
        new figure.

    Returns
    -------
    matplotlib.figure.Figure
        A figure of pyplot, which a notebook shows once, or ``ax`` if you passed
        it. :func:`pt_cumgain.plots.save` writes either to a file. The names of
        lines are at their ends; grey lines are counted. To change texts, use
        matplotlib's methods, such as ``figure.supxlabel`` or ``set_title`` of
        ``figure.axes``, or rename measures and systems in the frame.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame is empty or lacks a column, a curve has two values at one
        rank, a highlighted name is not in the frame, or ``ax`` is given for
        several panels; if the panels could not be read in ``figsize``, with the
        size that is needed.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import DCG, gain_curves, nDCG, pydocs
    >>> from pt_cumgain.plots import plot_curves, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> curves = gain_curves(pydocs.runs(), topics, qrels, [DCG, nDCG])
    >>> figure = plot_curves(curves, figsize=(7, 3))
    >>> save(figure, "curves.pdf")  # doctest: +SKIP
    """
    return _plot(curves, ideal, _mark_ranks, options)


@checked(unpacks=LineOptions)
def plot_session_curves(
    curves: pd.DataFrame, *, ideal: bool | None = None, **options: Unpack[LineOptions]
) -> Any:
    """Plot the gain of sessions, query by query: ECIR 2008, figures 2 to 4.

    Parameters
    ----------
    curves
        ``name, measure, query_position, rank, value`` and perhaps ``ideal``,
        ``low``, ``high`` and ``band``, as :func:`pt_cumgain.sessions.session_curves`
        returns them. If the frame has ``qid``, every session has a thin line in
        its system's colour (figure 4). If it has ``sessions``, the number n of
        sessions that have a query is below the query, as a range if systems
        differ.
    ideal
        Whether to draw the ideal; by default it is not drawn.
    highlight, styles, figsize, ax
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
    return _plot(curves, bool(ideal), _mark_queries, options, "query_position")


@checked(unpacks=LineOptions)
def plot_precision(table: pd.DataFrame, **options: Unpack[LineOptions]) -> Any:
    """Plot P-R curves, a panel for each relevance level: SIGIR 2000, figure 1.

    The names of coloured lines are in a corner of each panel, that with the highest
    mean precision first.

    Parameters
    ----------
    table
        The means that :func:`pt_cumgain.papers.precision_by_level` returned.
    highlight, styles, figsize, ax
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
    >>> import pyterrier as pt
    >>> from pt_cumgain import pydocs
    >>> from pt_cumgain.papers import precision_by_level
    >>> from pt_cumgain.plots import plot_precision, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> table = precision_by_level(pydocs.runs(), topics, qrels)
    >>> figure = plot_precision(table, figsize=(7, 2.4))
    >>> save(figure, "precision.pdf")  # doctest: +SKIP
    """
    table = check_frame(table, ["name", "level", *RECALL], "table", once=["name", "level"])
    levels, names = sorted(table["level"].unique()), table["name"].unique().tolist()
    lowest = table[table["level"] == levels[0]].set_index("name")[[*RECALL]]
    panels = Panels(levels, names, lowest.mean(axis=1), **options)
    for axes, (level, rows) in zip(panels.axes, table.groupby("level")):
        points = rows.set_index("name")[[*RECALL]]
        order = points.mean(axis=1).sort_values(ascending=False, kind="stable").index.tolist()
        drawn = [axes.plot(RECALL, points.loc[name], **panels.lines[name])[0] for name in order]
        named = [line for line in drawn if line.get_color() != style.OTHERS["color"]]
        texts = [style.wrap(str(line.get_label()), 0.5 * panels.size[0]) for line in named]
        axes.legend(named, texts, **_LIST)
        title = f"relevance level {level}\n{count_in(rows, 'topics')[1:]}"
        panels.title(axes, level, title.strip())
        axes.set(xlim=(0, 1), ylim=(0, 1))
    panels.label("recall", "precision")
    return panels.finish(least=(0.4, 1.5 * LINE * style.count_lines("\n".join(texts))))


def _plot(curves: pd.DataFrame, ideal: bool | None, mark: Any, options: Any, *more: str) -> Any:
    """Draw a panel for each measure; ``mark`` sets its ticks and returns their label."""
    each = "qid" in getattr(curves, "columns", ())  # anything else than a frame is refused below
    once = ["name", "measure", "rank", "qid"] if each else ["name", "measure", "rank"]
    curves = check_frame(curves, ["name", "measure", *more, "rank", "value"], "curves", once=once)
    curves = curves.sort_values("rank", kind="stable")
    if "baseline" in curves:  # is the first system, with a line at 0
        zero = curves.drop_duplicates(once[1:]).drop(columns=["low", "high"], errors="ignore")
        zero = zero.assign(name=zero["baseline"], value=0.0)
        curves = pd.concat([zero, curves], ignore_index=True)
    names, measures = curves["name"].unique().tolist(), curves["measure"].unique().tolist()
    first = curves[curves["measure"] == measures[0]]
    last = first[first["rank"] == first["rank"].max()].groupby("name")["value"].mean()
    value, shown = "value" if each else "mean", ""
    if "baseline" in curves:
        last[names[0]] = np.inf  # it has a colour, however high it is
        value = f"difference from {names[0]}"
    panels = Panels(measures, names, last, **options)
    for axes, measure in zip(panels.axes, measures):
        rows = curves[curves["measure"] == measure]
        for name, line in panels.lines.items():
            thin = {"linewidth": 0.8, "alpha": 0.6} if each else {}
            for _, curve in rows[rows["name"] == name].groupby("qid" if each else "name"):
                axes.plot(curve["rank"], curve["value"], **line | thin)
        if not each:
            _draw_ideal(axes, rows, ideal)
            shown = _draw_bands(axes, rows, panels.lines) or shown
        panels.title(axes, measure)
        panels.label(mark(panels, axes, rows) + shown, value)
        low, high = axes.dataLim.intervaly
        if 0 <= low < high / 3 and "other_measure" not in curves:  # not a correlation
            axes.set_ylim(bottom=0)
    return panels.finish()


def _mark_ranks(panels: Panels, axes: Any, curves: pd.DataFrame) -> str:
    """Mark the first rank and round ones."""
    from matplotlib.ticker import MaxNLocator

    depth = int(curves["rank"].max())
    locator = MaxNLocator(int(2 + panels.inside[0]), integer=True, steps=[1, 2, 5, 10])
    axes.set_xlim(1, max(depth, 2))
    axes.set_xticks([1, *(tick for tick in locator.tick_values(0, depth) if 1 < tick <= depth)])
    return f"rank{count_in(curves, 'topics')}"


def _mark_queries(panels: Panels, axes: Any, curves: pd.DataFrame) -> str:
    """Mark the middles of the queries, as many as fit, with the numbers of sessions."""
    if curves["query_position"].isna().all():  # queries end at different positions
        return f"position{count_in(curves, 'sessions')}"
    by_query = curves.groupby("query_position")
    ends = by_query["rank"].max()
    labels = pd.Series([f"Q{query}" for query in ends.index], ends.index)
    what = f"query{count_in(curves, 'sessions')}"
    if "sessions" in curves:
        labels += "\nn=" + by_query["sessions"].agg(write_range)
        what = f"query (n of {curves['sessions'].max():.0f} sessions have it; means over all)"
    middles = (ends + ends.shift(fill_value=0) + 1) / 2
    step = ceil(labels.str.len().sum() / (15 * panels.inside[0]))
    axes.set_xticks(middles[::step], labels[::step])
    axes.set_xlim(0.5, ends.iloc[-1] + 0.5)
    for end in ends.iloc[:-1]:
        axes.axvline(end + 0.5, color=style.ink(), alpha=0.2, linewidth=0.8, zorder=0)
    return what


def _draw_ideal(axes: Any, curves: pd.DataFrame, ideal: bool | None) -> None:
    """Draw the ideal, if it is wanted or changes; several if sessions of systems differ."""
    label = "ideal ranking" if "ideal" in set(curves["name"]) else "ideal"
    label = curves["ideal_is"].iloc[0] if "ideal_is" in curves else label
    if "ideal" not in curves or ideal is False or ("least" in curves and not ideal):
        return  # with other judgments, the ideal is another
    for _, curve in curves.groupby("name"):
        if ideal or not np.allclose(curve["ideal"], curve["ideal"].iloc[0], equal_nan=True):
            axes.plot(curve["rank"], curve["ideal"], label=label, **style.IDEAL)


def _draw_bands(axes: Any, curves: pd.DataFrame, styles: style.Styles) -> str:
    """Draw the bands that frames have, except those of grey lines; return what they are.

    More than two are outlines: filled, they would hide each other.
    """
    ends = ["least", "most"] if "least" in curves else ["low", "high"]
    if not {*ends} <= {*curves} or curves[ends[0]].isna().all():
        return ""
    grey = [name for name, line in styles.items() if line["color"] == style.OTHERS["color"]]
    banded = curves[~curves["name"].isin(grey)].dropna(subset=ends)
    systems = banded["name"].nunique()
    for name, rows in banded.groupby("name"):
        ranks, look = rows["rank"], {"color": styles[str(name)]["color"]}
        if systems > 2:
            axes.plot(ranks, rows[ends], alpha=0.6, linewidth=0.5, **look)
        else:
            axes.fill_between(ranks, *rows[ends].to_numpy().T, alpha=0.25, linewidth=0, **look)
    what = [*curves.get("band", pd.Series()).dropna(), " to ".join(ends)][0]
    if systems > 1 and "band" in curves and "baseline" not in curves:
        what += " of each mean, not of differences"
    return f"; band: {what}"
