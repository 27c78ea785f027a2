"""Systems compared: under every choice, by level and topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing._intervals import estimate_means
from pt_cumgain.comparing._results import Results, TopicResults, check_system, split_datasets
from pt_cumgain.core import Floats
from pt_cumgain.environment.extras import pyplot
from pt_cumgain.options import checked
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import LINE, PANEL, Panels, PictureOptions, check_frame
from pt_cumgain.plots._style import SMALL, count_letters, plain
from pt_cumgain.writing.phrases import count_things

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The colours of pairs whose order holds under every choice, and of the others.
_HOLDS, _DEPENDS = "#8ebedb", "#f8c8b3"
#: The colours of topics on which a system is better and worse than the baseline.
_BETTER, _WORSE = "#D55E00", "#0072B2"


@checked(unpacks=PictureOptions)
def plot_dominance(pairs: pd.DataFrame, **options: Unpack[PictureOptions]) -> Any:
    """Plot which system is better than which under every choice, a panel for each measure.

    The names are on the diagonal. A blue cell means that the system at the left
    of its row is at least as good as the one at the foot of its column under
    every choice. An orange cell means that their order is open or depends on
    the choice. Systems are sorted by how many others they are at least as good
    as, so that all blue cells are above the diagonal.

    Parameters
    ----------
    pairs
        The result of :func:`pt_cumgain.dominance`, of all pairs.
    figsize, ax
        As for :func:`pt_cumgain.plots.plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame is empty, lacks a column, or does not have all pairs.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import dominance, nDCG, pydocs
    >>> from pt_cumgain.plots import plot_dominance, save
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> pairs = dominance(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> figure = plot_dominance(pairs)
    >>> save(figure, "order.pdf")  # doctest: +SKIP
    """
    once, hint = ["measure", "name", "other"], "; dominance returns such a frame"
    pairs = check_frame(pairs, [*once, "verdict", "better"], "pairs", once=once, hint=hint)
    pairs = pairs[pairs["verdict"] != "unjudged"]
    if not len(pairs):
        raise ValueError("there is no pair of systems that return judged documents")
    measures, most = pairs["measure"].map(str).unique().tolist(), pairs["name"].nunique()
    panels = Panels(measures, size=(max(PANEL[0], 0.2 * most), 1.5 + 0.2 * most), **options)
    from matplotlib.colors import ListedColormap  # is installed, or there would be no panels

    letters = count_letters(0.4 * panels.size[0])
    for axes, (measure, rows) in zip(panels.axes, pairs.groupby("measure", sort=False)):
        names = list(dict.fromkeys([*rows["name"], *rows["other"]]))
        if 2 * len(rows) != len(names) * (len(names) - 1):
            raise ValueError("the figure needs all pairs; call dominance without a baseline")
        table = pd.DataFrame(0, names, names)
        for one, other, verdict, better in rows[[*once[1:], "verdict", "better"]].to_numpy():
            table.loc[one, other] = int(verdict == "holds" and better != other)
            table.loc[other, one] = int(verdict == "holds" and better != one)
        order = table.sum(axis=1).sort_values(ascending=False, kind="stable").index
        above = table.loc[order, order].where(~np.tri(len(order), dtype=bool))
        axes.imshow(above, ListedColormap([_DEPENDS, _HOLDS]), aspect="auto", vmin=0, vmax=1)
        axes.set_axis_off()
        for i, name in enumerate(order):
            text = plain(style.wrap(str(name), letters))
            axes.text(i + 0.45, i, text, ha="right", va="center", fontsize=SMALL)
        panels.title(axes, measure)
    key = {"left is at least as good as below under every choice": _HOLDS}
    key["order is open or depends on the choice"] = _DEPENDS
    return panels.finish(key, least=(0.4, most * LINE))


@checked(unpacks=PictureOptions)
def plot_levels(parts: pd.DataFrame, **options: Unpack[PictureOptions]) -> Any:
    """Plot the parts of the systems' values by relevance level, as stacked bars.

    The bars are in the order of the first panel's values, the highest first. If no
    value is above 1, the panels have one scale.

    Parameters
    ----------
    parts
        ``name, measure, level, value``, as :func:`pt_cumgain.trust.gain_by_level`
        returns means. The parts of a bar are in the order of the levels, the
        higher the darker. Negative parts lie left of 0.
    figsize, ax
        As for :func:`pt_cumgain.plots.plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the frame is empty, lacks one of the columns, or has a part twice or
        NaN.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.plots import plot_levels, save
    >>> from pt_cumgain.trust import gain_by_level
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> parts = gain_by_level(pydocs.runs(), topics, qrels, nDCG @ 10)
    >>> figure = plot_levels(parts)
    >>> save(figure, "levels.pdf")  # doctest: +SKIP
    """
    once, hint = ["name", "measure", "level"], "; gain_by_level returns such parts"
    parts = check_frame(parts, [*once, "value"], "parts", once=once, hint=hint)
    missing = parts[parts["value"].isna()]
    if len(missing):
        raise ValueError(f"parts: NaN in {', '.join(str(cell) for cell in missing.iloc[0])}")
    measures, levels = parts["measure"].unique().tolist(), np.sort(parts["level"].unique())
    table = parts.pivot(index="name", columns=["measure", "level"], values="value").fillna(0.0)
    order = table[measures[0]].sum(axis=1).sort_values(ascending=False, kind="stable").index
    panels = Panels(measures, size=(PANEL[0], 1.2 + 0.2 * len(order)), **options)
    letters = count_letters(0.5 * panels.size[0])
    names = [plain(style.wrap(str(name), letters)) for name in order]
    shades = pyplot().get_cmap("Blues")(np.linspace(0.3, 1, len(levels)))
    for place, (axes, measure) in enumerate(zip(panels.axes, measures)):
        bars = table.loc[order, measure].reindex(columns=levels, fill_value=0.0).set_axis(names)
        bars.plot.barh(ax=axes, stacked=True, color=shades, legend=False, width=0.8, ylabel="")
        axes.grid(axis="x", color=style.ink(), alpha=0.1, linewidth=0.6)  # pandas hides all
        axes.axvline(0, color=style.ink(), linewidth=0.8)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0, labelleft=place % panels.columns == 0)
        panels.title(axes, measure)
    ends = [axes.get_xlim() for axes in panels.axes]
    if np.max(ends) < 1.1:  # normalised measures have one scale
        pyplot().setp(panels.axes, xlim=(np.min(ends), np.max(ends)))
    panels.label("mean")
    key = {f"level {level}": shade for level, shade in zip(levels, shades)}
    height = 1.1 * LINE * max(map(style.count_lines, names))
    return panels.finish(key, least=(0.4, height * len(names)))


@checked(unpacks=PictureOptions)
def plot_topics(
    results: Results, measure: str | None = None, *, baseline: str | None = None,
    system: str | None = None, **options: Unpack[PictureOptions],
) -> Any:  # fmt: skip
    """Plot the difference between a system and a baseline for each topic, largest first.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: a value of every system for every topic,
        as ``pt.Experiment(..., perquery=True)`` returns them.
        Topics without judgments, which are NaN for every system, are left out,
        with a warning.
    measure
        Which measure, if there are several.
    baseline
        The name of the system that the others are compared with.
    system
        The one system to compare with it; by default there is a panel for every
        other system, the highest mean first.
    figsize, ax
        As for :func:`pt_cumgain.plots.plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`. All panels have one
        scale. The title has the mean difference, which is a line in the panel;
        the band around it is the 95% t interval over topics.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If a column is missing, the measure is unknown or there are several to
        choose from, a system is not in the results, or a system has no value,
        NaN or two values for a topic; if the panels could not be read in
        ``figsize``.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.plots import plot_topics
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> figure = plot_topics(results, baseline="BM25", system="DPH")
    >>> print(figure.axes[0].get_title("left"))
    DPH  −0.026
    """
    results = TopicResults.read(results)
    chosen = {"baseline": baseline} if system is None else {"baseline": baseline, "system": system}
    label, matrix, (baseline, *_) = _choose_systems(results, measure, chosen)
    differences = matrix.drop(columns=baseline).sub(matrix[baseline], axis=0)
    estimate = estimate_means(split_datasets(differences), float(np.abs(matrix.to_numpy()).max()))
    means = pd.DataFrame([estimate.mean, *estimate.ends()], columns=differences.columns)
    texts = style.texts_of(label, *matrix)
    shown = means.iloc[0].sort_values(ascending=False, kind="stable").index.tolist()
    panels = Panels(shown, size=PANEL if len(shown) == 1 else (PANEL[0] / 2, 2.0), **options)
    topics, limits = len(differences), _limits(differences.to_numpy())
    for place, (axes, name) in enumerate(zip(panels.axes, shown)):
        bars = differences[name].sort_values(ascending=False, kind="stable")
        axes.bar(range(topics), bars, color=np.where(bars > 0, _BETTER, _WORSE), width=0.85)
        mean, low, high = means[name]
        axes.axhspan(low, high, color="0.5", alpha=0.35, linewidth=0)
        axes.axhline(mean, color=style.ink(), linewidth=0.8)
        axes.axhline(0, color=style.ink(), linewidth=0.5)
        axes.set(xlim=(-0.7, topics - 0.3), ylim=limits, xticks=[])
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(labelleft=place % panels.columns == 0)
        number = f"{mean:+.3f}".replace("-", "−")
        named = style.wrap(f"{texts[name]}  {number}", count_letters(panels.inside[0] - 0.2))
        axes.set_title(plain(named), fontsize=SMALL, loc="left", pad=3)
    what = f"difference from {texts[baseline]} in {texts[label]}, {topics} topics"
    panels.label(f"{what}; line and band: mean, 95% t interval")
    key = {"above 0: better": _BETTER, "below 0: worse": _WORSE}
    return panels.finish({f"{what} than {texts[baseline]}": key[what] for what in key})


@checked(unpacks=PictureOptions)
def plot_pair(
    results: Results, measure: str | None = None, *, x: str | None = None,
    y: str | None = None, **options: Unpack[PictureOptions],
) -> Any:  # fmt: skip
    """Plot two systems' values against each other, one point per topic.

    On topics above the diagonal, the system on the vertical axis is better.

    Parameters
    ----------
    results, measure
        As for :func:`plot_topics`.
    x, y
        The names of the systems of the horizontal and the vertical axis.
    figsize, ax
        As for :func:`pt_cumgain.plots.plot_curves`.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError, ValueError
        As :func:`plot_topics`.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.plots import plot_pair
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> figure = plot_pair(results, x="BM25", y="DPH")
    >>> print(figure.axes[0].get_title())
    nDCG@10, 42 topics
    DPH: 15 won, 2 tied, 25 lost
    """
    results = TopicResults.read(results)
    label, matrix, (one, other) = _choose_systems(results, measure, {"x": x, "y": y}, topics=1)
    names = style.texts_of(label, one, other)
    panels = Panels([label], size=(PANEL[0], 3.6), **options)
    (axes,) = panels.axes
    ends = _limits(matrix.to_numpy())
    axes.plot(ends, ends, **style.IDEAL)
    axes.scatter(matrix[one], matrix[other], s=16, color=style.ink(), alpha=0.5, linewidths=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    counted = f"{names[label]}, {count_things(len(matrix), 'topic')}"
    won, lost = (matrix[other] > matrix[one]).sum(), (matrix[other] < matrix[one]).sum()
    tied = len(matrix) - won - lost
    panels.title(axes, label, f"{counted}\n{names[other]}: {won} won, {tied} tied, {lost} lost")
    panels.label(names[one], names[other])
    return panels.finish(least=(1.5, 1.5))


def _choose_systems(
    results: TopicResults, measure: str | None, chosen: dict[str, Any], topics: int = 2
) -> Any:
    """Return a measure, its matrix and the names of different systems; of two, those alone."""
    systems = [check_system(one, results.names, role) for role, one in chosen.items()]
    if len({*systems}) < len(systems):
        raise ValueError(f"{' and '.join(chosen)} are the same system, {systems[0]!r}")
    if len(systems) == 2:
        results = TopicResults.of(results.frame[results.frame["name"].isin(systems)])
    return *results.choose_measure(measure, topics=topics), systems


def _limits(values: Floats) -> tuple[float, float]:
    """Return the ends of an axis on which the values and 0 are."""
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin
