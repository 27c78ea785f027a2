"""What each relevance level contributes to the systems' values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.environment.extras import pyplot
from pt_cumgain.options import checked
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._panels import LINE, PANEL, Panels, PictureOptions, check_frame

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    names = [style.plain(style.wrap(str(name), 0.5 * panels.size[0])) for name in order]
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
    lines = len(names) * max(style.count_lines(name) for name in names)
    return panels.finish(key, least=(0.4, 1.1 * LINE * lines))
