"""Systems listed downwards, with the parts of their values by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.environment.extras import pyplot
from pt_cumgain.options import checked
from pt_cumgain.plots.panels import PANEL, Legend, PanelOptions, Panels, check_frame
from pt_cumgain.plots.style import short

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PART = ["name", "measure", "level"]


@checked(unpacks=PanelOptions)
def plot_levels(
    parts: pd.DataFrame,
    *,
    sort: bool = True,
    legend: Legend = True,
    **options: Unpack[PanelOptions],
) -> Any:
    """Draw the parts of the systems' values by relevance level, as stacked bars.

    Parameters
    ----------
    parts
        ``name, measure, level, value``, as :func:`pt_cumgain.trust.gain_by_level`
        returns means. The parts of a bar are in the order of the levels, the
        higher the darker. Negative parts lie left of 0.
    sort
        Whether the bars are in the order of the first panel's values, the
        highest first; otherwise in that of the frame, downwards.
    legend, columns, figsize, ax, titles, xlabel, ylabel
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
    >>> columns = ["name", "measure", "level", "value"]
    >>> rows = [("X", "CG@2", 1, 1.0), ("X", "CG@2", 3, 6.0)]
    >>> axes = plot_levels(pd.DataFrame(rows, columns=columns)).axes[0]
    >>> [(float(bar.get_x()), float(bar.get_width())) for bar in axes.patches]
    [(0.0, 1.0), (1.0, 6.0)]
    """
    hint = "; gain_by_level returns such parts"
    parts = check_frame(parts, [*_PART, "value"], "parts", once=_PART, hint=hint)
    if parts["value"].isna().any():
        name, measure, level = parts.loc[parts["value"].isna(), _PART].iloc[0]
        raise ValueError(f"{measure}: {name!r} has NaN for level {level}")
    measures, levels = parts["measure"].unique().tolist(), np.sort(parts["level"].unique())
    table = parts.pivot(index="name", columns=["measure", "level"], values="value")
    table = table.reindex(index=parts["name"].unique()).fillna(0.0)
    panels = Panels(measures, size=(PANEL[0], 0.8 + 0.2 * len(table)), grid="x", **options)
    if sort:
        sums = table[measures[0]].sum(axis=1)
        table = table.loc[sums.sort_values(ascending=False, kind="stable").index]
    shades = pyplot().get_cmap("Blues")(np.linspace(0.3, 1, len(levels)))
    for axes, measure in zip(panels.axes, measures):
        bars = table[measure].reindex(columns=levels, fill_value=0.0)
        bars = bars.rename("level {}".format, axis=1)
        style = {"edgecolor": "white", "linewidth": min(0.5, 6 / len(table)), "width": 0.8}
        bars.plot.barh(ax=axes, stacked=True, color=shades, legend=False, **style)
        axes.grid(visible=True, axis="x")  # pandas hides it
        axes.axvline(0, color="0.3", linewidth=0.8)
        panels.label(axes, measure, short(measure), "")
    return panels.list_down(table.index, legend)
