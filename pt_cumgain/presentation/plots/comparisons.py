"""How measures and judges agree, and how well measures tell systems apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.all_systems import pair_p_values
from pt_cumgain.analysis.comparing.correlation import COEFFICIENTS, is_symmetric, refuse_texts
from pt_cumgain.analysis.judges.agreement import JudgeAgreement
from pt_cumgain.analysis.results import DATASET, JUDGE, Results, TopicResults
from pt_cumgain.environment.extras import pyplot, scikit_posthocs
from pt_cumgain.options import TEXT, checked
from pt_cumgain.presentation.plots import style
from pt_cumgain.presentation.plots.panels import (
    PANEL,
    Legend,
    PanelOptions,
    Panels,
    PictureOptions,
    check_frame,
)
from pt_cumgain.presentation.plots.titles import split_titles

if TYPE_CHECKING:
    from typing_extensions import Unpack


@checked(coefficient=TEXT.optional())
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


@checked
def plot_agreement(agreement: JudgeAgreement, **options: Unpack[PanelOptions]) -> Any:
    """Plot the labels that judges give to documents with each reference label.

    A panel for each judge: a row for each label of the reference, with the
    share of its documents that have each of the judge's labels in colours, and
    their number where it fits. A judge that agrees has a dark diagonal.

    Parameters
    ----------
    agreement
        The result of :func:`pt_cumgain.judges.judge_agreement`.
    columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`; titles are those of judges.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError
        If it is not such an agreement.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_cumgain.judges import judge_agreement
    >>> columns = ["qid", "docno", "label"]
    >>> people = pd.DataFrame([("1", d, i // 2) for i, d in enumerate("abcd")], columns=columns)
    >>> qrels = {"people": people, "model": people.assign(label=[0, 1, 1, 1])}
    >>> figure = plot_agreement(judge_agreement(qrels))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '1', '2']
    """
    if not isinstance(agreement, JudgeAgreement):
        kind = type(agreement).__name__
        raise TypeError(f"agreement must be a result of judge_agreement, not {kind}")
    panels = Panels(list(agreement.tables), size=(2.4, 2.3), **options)
    used = {label for table in agreement.tables.values() for label in (*table.index, *table)}
    labels = sorted(used, key=lambda label: (label == "unjudged", label))
    x = "label by the judge\n(shades: shares of rows)"
    for axes, (judge, table) in zip(panels.axes, agreement.tables.items()):
        counts = table.reindex(index=labels, columns=labels, fill_value=0).to_numpy()
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        panels.hide_frame(axes)
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(labels)), labels)
        axes.set_yticks(range(len(labels)), labels)
        panels.label(axes, judge, x, f"label by {agreement.reference}")
        letters = panels.letters(0.8 * panels.width / len(labels), panels.small - 1)
        for i, j in np.argwhere((counts > 0) & (counts < 10**letters)):
            text = axes.text(j, i, f"{counts[i, j]}", ha="center", va="center")
            text.set(fontsize=panels.small - 1, color="white" if shares[i, j] > 0.6 else "black")
    return panels.finish()


@checked
def plot_critical_difference(
    results: Results,
    measure: str | None = None,
    *,
    correction: str | None = "holm",
    alpha: float = 0.05,
    styles: style.Styles | None = None,
    **options: Unpack[PictureOptions],
) -> Any:
    """Plot average ranks, with bars joining systems that do not differ significantly.

    Below the bars, a line leads from each rank to the system's name. In less
    than 5 inches, the axis takes the whole width, and the names are beside the
    points.

    Parameters
    ----------
    results, measure, correction
        As for :func:`pt_cumgain.comparing.posthoc`.
    alpha
        The significance level: systems with a p-value below it are not joined.
    styles, figsize, ax, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`.
    titles
        Names for the measure in the title, and for systems: a mapping. A
        text is the title.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib or scikit-posthocs, of the extra ``stats``, is not installed.
    ValueError
        As :func:`pt_cumgain.comparing.posthoc`; also for two systems, or if all have the
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
    label, matrix = TopicResults.read(results).choose_measure(measure)
    table = pair_p_values(matrix, correction)
    if len(table) < 3:
        raise ValueError("the picture is of Friedman's test, which needs three systems or more")
    if table.isna().any(axis=None):
        raise ValueError("all systems have the same values, so there is no difference to draw")
    texts, options["titles"] = split_titles(options.get("titles"), label, *matrix)
    panels = Panels(
        ["the diagram"], size=(2 * PANEL[0], 1.4 + 0.11 * len(table)), grid="x", **options
    )
    from matplotlib.ticker import MaxNLocator

    (axes,) = panels.axes
    narrow = panels.width < 5
    fit = panels.letters(panels.width / (3 if narrow else 4), panels.small)
    names = map(style.plain, style.shorten([texts[name] for name in matrix], fit))
    short = dict(zip(matrix, names))
    used = style.lines(matrix.columns.tolist(), None, styles)
    ranks = matrix.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    places = {name: i for i, name in enumerate(ranks.index)}  # a set has texts in any order
    drawn = scikit_posthocs().critical_difference_diagram(
        ranks.rename(places),
        table.rename(index=places, columns=places),
        alpha=alpha,
        ax=axes,
        label_fmt_left="{label}",
        label_fmt_right="{label}",
        left_only=narrow,
        text_h_margin=0.015 * np.ptp(ranks),
        color_palette={places[name]: used[name]["color"] for name in used},
    )
    axes.spines["top"].set(visible=True, position=("axes", 1))
    axes.yaxis.set(visible=True, ticks=[])
    low, high = ranks.min(), ranks.max()
    points = -0.5 + min([0, *(bar.get_ydata()[0] for (bar,) in drawn["crossbars"])])
    margin = 0.02 * (high - low)
    for text, elbow, point in zip(drawn["labels"], drawn["elbows"], drawn["markers"]):
        rank, height = point.get_offsets()[0, 0], text.get_position()[1] if narrow else points
        shown = [short[ranks.index[int(text.get_text())]], f"({rank:.2f})"]
        text.set_text(" ".join(shown[:: -1 if text.get_ha() == "left" else 1]))
        if narrow:
            elbow.set(data=([rank, rank], [height, 0]), color="0.92", linewidth=0.6, zorder=0)
            left = rank > (low + high) / 2
            text.set(x=rank + (-1.5 if left else 1.5) * margin, ha="right" if left else "left")
            text.set_bbox({"color": "white", "pad": 0})
        else:
            elbow.set_ydata([*elbow.get_ydata()[:2], height])
        point.set_offsets((rank, height))
    beside, heights = zip(*[text.get_position() for text in drawn["labels"]])
    ends = min(low - margin, *beside), max(high + margin, *beside)
    axes.set(xlim=ends, ylim=(min(heights) - 0.5, 0))
    steps = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high)
    axes.set_xticks([rank for rank in steps if low <= rank <= high])
    fontsize = min(panels.small, 60 * (panels.height - 0.6) / -min(heights))
    pyplot().setp(drawn["labels"], color="black", fontsize=fontsize)
    heading = f"{texts[label]}: average ranks over {len(matrix)} topics (1 is best); "
    heading += f"a bar joins systems that do not differ (p ≥ {alpha:g})"
    panels.label(axes, "the diagram", "", "", heading)
    return panels.finish()


@checked
def plot_discriminative_power(
    curves: pd.DataFrame,
    *,
    top: float = 0.15,
    alpha: float = 0.05,
    highlight: style.Highlight = None,
    legend: Legend = True,
    **options: Unpack[PictureOptions],
) -> Any:
    """Plot the p-values of all pairs of systems in descending order (Sakai's ASL curves).

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
        Names for the measures in the legend, such as ``labels`` of a
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
    for column in (DATASET, JUDGE):
        if isinstance(curves, pd.DataFrame) and column in curves:
            curves = curves.assign(measure=curves[column] + " " + curves["measure"])
    hint = "; discriminative_power(results, pvalues=True) returns such a frame"
    check_frame(curves, ["measure", "place", "p"], "curves", once=["measure", "place"], hint=hint)
    if not alpha < top:
        raise ValueError(f"alpha={alpha!r} must be below top={top!r}")
    curves = curves.assign(measure=curves["measure"].map(str))
    measures = curves["measure"].unique().tolist()
    texts, options["titles"] = split_titles(options.get("titles"), *measures)
    below = (curves["p"] < alpha).groupby(curves["measure"]).mean()
    names = {measure: f"{texts[measure]} ({below[measure]:.0%})" for measure in measures}
    size = PANEL[0] * 1.5, PANEL[1] * 1.2
    panels = Panels(["the curves"], list(names.values()), size=size, **options)
    (axes,) = panels.axes
    axes.axhline(alpha, color="0.3", linewidth=0.7, zorder=1)
    styles = style.lines(measures, highlight, labels=names)
    for measure in sorted(measures, key=below.__getitem__):  # as their curves are, from above
        rows = curves[curves["measure"] == measure].sort_values("place", kind="stable")
        axes.plot(rows["place"], rows["p"], **styles[measure])
    pairs = int(curves["place"].max())
    panels.mark_ranks(axes, pairs)
    axes.set(xlim=(1, max(pairs, 2)), ylim=(0, top))
    x = f"{pairs} pairs of systems, sorted by p\n(%: p < {alpha:g}, below the line)"
    panels.label(axes, "the curves", x, "p-value", "")
    return panels.finish(legend)
