"""What the tests of pictures ask of all of them."""

from __future__ import annotations

import pandas as pd


def no_overlap(figure) -> None:
    """Legends lie below the panels, inside the figure; so do all labels; panels are apart.

    At 100 dots per inch, three dots are a gap that can be seen.
    """
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    page = figure.bbox
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    below = [legend.get_window_extent(renderer) for legend in figure.legends]
    above = [text.get_window_extent(renderer) for text in figure.texts]
    for i, box in enumerate(boxes):
        assert all(legend.y1 <= box.y0 + 1 for legend in below)
        assert all(text.y0 >= box.y1 - 1 for text in above)
        for other in boxes[i + 1 :]:
            assert box.x1 + 3 <= other.x0 or box.y0 >= other.y1 + 3
    for box in [*boxes, *below, *above]:
        assert page.x0 - 1 <= box.x0 < box.x1 <= page.x1 + 1
        assert page.y0 - 1 <= box.y0 < box.y1 <= page.y1 + 1


def results_of(topics: int, **systems) -> pd.DataFrame:
    """Results by hand: a value, or an array of values, for each system."""
    frames = [
        pd.DataFrame({"name": name, "qid": [f"q{i}" for i in range(topics)], "value": value})
        for name, value in systems.items()
    ]
    return pd.concat(frames).assign(measure="CG")
