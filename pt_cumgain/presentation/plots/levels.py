"""What each relevance level contributes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_cumgain.extras import pyplot
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.presentation.plots.panels import PANEL, Panels, Room, Size, Titles
from pt_cumgain.presentation.plots.style import plain, short, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PART = ["name", "measure", "level"]


def plot_levels(
    parts: pd.DataFrame,
    *,
    columns: int | None = None,
    legend: bool = True,
    figsize: Size = None,
    ax: Axes | None = None,
    titles: Titles = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Any:
    """Draw what each relevance level contributes to the systems' values, as stacked bars.

    Parameters
    ----------
    parts
        ``name, measure, level, value``, as :func:`pt_cumgain.gain_by_level`
        returns means. The bars are in the order of the frame, downwards; the
        parts in that of the levels, the higher the darker. What is negative
        lies left of 0.
    columns
        The number of columns of panels; by default up to three.
    legend, figsize, ax, titles, xlabel, ylabel
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
    size = (PANEL[0], 0.8 + 0.2 * len(names))
    panels = Panels(measures, columns=columns, figsize=figsize, ax=ax, titles=titles, size=size)
    shades = pyplot().get_cmap("Blues")(np.linspace(0.3, 1, len(levels)))
    for i, (axes, measure) in enumerate(zip(panels.axes, measures)):
        of_measure = parts[parts["measure"] == measure]
        table = of_measure.pivot(index="name", columns="level", values="value")
        table = table.reindex(index=names, columns=levels).fillna(0.0)
        ends = {sign: np.zeros(len(names)) for sign in (False, True)}
        for level, shade in zip(levels, shades):
            width = table[level].to_numpy()
            start = np.where(width < 0, ends[True], ends[False])
            panels.entries["level", f"level {level}", ""] = axes.barh(
                range(len(names)), width, left=start, color=shade, edgecolor="white", linewidth=0.5
            )
            for negative, end in ends.items():
                end += np.where((width < 0) == negative, width, 0)
        axes.grid(visible=False)
        axes.grid(axis="x", color="0.92", linewidth=0.6)
        axes.axvline(0, color="0.3", linewidth=0.8)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        shown = [str(name) for name in names] if i % panels.columns == 0 else []
        panels.extras.append(partial(_name_systems, axes, shown))
        panels.title(axes, measure)
        panels.labels(axes, short(measure), "", xlabel, ylabel)
    return panels.finish(legend=legend)


def _name_systems(axes: Axes, names: list[str], room: Room) -> None:
    """Name the bars, within about half of the first panel's width and each bar's height."""
    size = max(min(room.small, 65 * (room.height - 0.6) / max(len(names), 1)), 4)
    fit = max(int(room.width * (0.55 if room.width < 2.6 else 0.4) / (0.6 * size / 72)), 8)
    texts = [plain(name) for name in shortened(names, min(fit, 24))]
    axes.set_yticks(range(len(texts)), texts, fontsize=size)
