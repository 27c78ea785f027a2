"""Systems compared topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.comparing._datasets import split_datasets
from pt_cumgain.comparing._intervals import estimate_means
from pt_cumgain.comparing._results import Results, TopicResults
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.comparing._systems import check_system
from pt_cumgain.core import Floats
from pt_cumgain.inputs.measures import print_measure
from pt_cumgain.options import checked
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import PANEL, Panels, PictureOptions
from pt_cumgain.writing.phrases import count_things

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The colours of topics on which a system is better and worse than the baseline.
_BETTER, _WORSE = "#D55E00", "#0072B2"


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
    chosen = {"baseline": baseline} if system is None else {"baseline": baseline, "system": system}
    label, matrix, (baseline, *_) = _choose_systems(results, measure, chosen)
    differences = matrix.drop(columns=baseline).sub(matrix[baseline], axis=0)
    estimate = estimate_means(split_datasets(differences), float(np.abs(matrix.to_numpy()).max()))
    means = pd.DataFrame([estimate.mean, *estimate.ends()], columns=differences.columns)
    written = style.name_measures(label, long=True)[label]
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
        named = style.wrap(f"{name}  {number}", panels.inside[0] - 0.2)
        axes.set_title(style.plain(named), fontsize=style.SMALL, loc="left", pad=3)
    what = f"difference from {baseline} in {written}, {topics} topics"
    panels.label(f"{what}; line and band: mean, 95% t interval")
    key = {"above 0: better": _BETTER, "below 0: worse": _WORSE}
    return panels.finish({f"{what} than {baseline}": key[what] for what in key})


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
    label, matrix, (one, other) = _choose_systems(results, measure, {"x": x, "y": y}, topics=1)
    written = style.name_measures(label, long=True)[label]
    panels = Panels([label], size=(PANEL[0], 3.6), **options)
    (axes,) = panels.axes
    ends = _limits(matrix.to_numpy())
    axes.plot(ends, ends, **style.IDEAL)
    axes.scatter(matrix[one], matrix[other], s=16, color=style.ink(), alpha=0.5, linewidths=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    counted = f"{written}, {count_things(len(matrix), 'topic')}"
    ahead = equate(matrix[other] - matrix[one], matrix.abs().to_numpy().max())
    won, tied, lost = ((np.sign(ahead) == sign).sum() for sign in (1, 0, -1))
    panels.title(axes, label, f"{counted}\n{other}: {won} won, {tied} tied, {lost} lost")
    panels.label(str(one), str(other))
    return panels.finish(least=(1.5, 1.5))


def _choose_systems(
    results: Results, measure: str | None, chosen: Mapping[str, object], topics: int = 2
) -> tuple[str, pd.DataFrame, list[str]]:
    """Return a measure, its matrix and the names of different systems; of two, those alone."""
    results = TopicResults.read(results)
    systems = [check_system(one, results.names, role) for role, one in chosen.items()]
    if len({*systems}) < len(systems):
        raise ValueError(f"{' and '.join(chosen)} are the same system, {systems[0]!r}")
    if len(systems) == 2:
        results = TopicResults.of(results.frame[results.frame["name"].isin(systems)])
    matrices = results.matrices(topics=topics)
    if measure is None and len(matrices) == 1:
        (measure,) = matrices
    text = print_measure(measure)
    if text not in matrices:
        raise ValueError(f"{measure=}: choose one of {', '.join(matrices)}")
    return text, matrices[text], systems


def _limits(values: Floats) -> tuple[float, float]:
    """Return the ends of an axis on which the values and 0 are."""
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin
