"""What the tests of pictures ask of all of them, and data to draw."""

import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tests.support.samples import curve_of


def no_overlap(figure) -> None:
    """Legends lie above the panels, labels of all below; all is in the figure; panels are apart.

    At 100 dots per inch, three dots are a gap that can be seen. Names at the same side of a panel
    do not touch, nor do titles and labels; no constrained layout was given up.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* deprecated")  # pyparsing's, of matplotlib 3.8
        figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    page = figure.bbox
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    above = [legend.get_window_extent(renderer) for legend in figure.legends]
    below = extents(figure.texts)
    for i, box in enumerate(boxes):
        assert all(text.y1 <= box.y0 + 1 for text in below)
        assert all(legend.y0 >= box.y1 - 1 for legend in above)
        for other in boxes[i + 1 :]:
            assert box.x1 + 3 <= other.x0 or box.y0 >= other.y1 + 3
    for box in [*boxes, *below, *above]:
        assert page.x0 - 1 <= box.x0 < box.x1 <= page.x1 + 1
        assert page.y0 - 1 <= box.y0 < box.y1 <= page.y1 + 1
    for legend in figure.legends:
        apart([text.get_window_extent() for text in legend.get_texts()])
    for axes in figure.axes:
        apart(extents([axes.title, axes.xaxis.label, axes.yaxis.label]))
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_visible():
                apart(extents(axis.get_ticklabels()))


def extents(texts) -> list:
    """Where texts stand that are not empty."""
    return [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]


def apart(boxes: list) -> None:
    """Boxes overlap by less than a dot."""
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert across < 1 or up < 1, (a, b)


def words(texts: Iterable) -> list[str]:
    return [text.get_text() for text in texts]


def key(figure) -> list[str]:
    """What the legend explains."""
    return words(figure.legends[0].get_texts())


def curves_of(ends: dict[str, float], measures: Sequence[str] = ("CG",)) -> pd.DataFrame:
    """Curves of ten ranks that end at these values, and an ideal."""
    ideal = np.linspace(9, 10, 10)
    return pd.concat(
        curve_of(np.linspace(9, end, 10), ideal, name, measure)
        for measure in measures
        for name, end in ends.items()
    )
