"""Bars of what each relevance level contributes."""

from __future__ import annotations

import re
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, nDCG, plots, pydocs
from pt_cumgain.trust import gain_by_level
from tests.support.drawn import no_overlap
from tests.support.helpers import slow

pytestmark = pytest.mark.usefixtures("figures")


def test_parts_by_level(qrels) -> None:
    """The parts of a bar are the frame's, one after another; the best system is the first."""
    measures = [CG @ 10, nDCG @ 10, nDCG(gains="0-0-1-10") @ 10]
    runs = pydocs.runs()
    runs = {name: runs[name] for name in ("PL2", "BM25")}  # an order that is not the alphabet's
    parts = gain_by_level(runs, None, qrels, measures)
    figure = plots.plot_levels(parts)
    no_overlap(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        *("level 1", "level 2", "level 3")
    ]
    names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    sums = parts[parts["measure"] == "CG@10"].groupby("name")["value"].sum()
    assert names == sums.sort_values(ascending=False).index.tolist() != list(runs)
    assert figure.axes[0].yaxis_inverted()
    for axes, measure in zip(figure.axes, measures, strict=True):
        assert axes.get_title() == str(measure).replace("(gains='0-0-1-10')", "")
        of_measure = parts[parts["measure"] == str(measure)]
        table = of_measure.pivot(index="level", columns="name", values="value")[names]
        widths = [[bar.get_width() for bar in of_level] for of_level in axes.containers]
        assert np.array(widths) == pytest.approx(table.to_numpy(), abs=1e-12)
        for i, name in enumerate(names):
            bars = [container[i] for container in axes.containers]
            for left, right in pairwise(bars):
                assert right.get_x() == pytest.approx(left.get_x() + left.get_width(), abs=1e-12)
            end = bars[-1].get_x() + bars[-1].get_width()
            assert end == pytest.approx(table[name].sum(), abs=1e-12)
    greys = [np.dot(bar.get_facecolor()[:3], [0.2126, 0.7152, 0.0722]) for bar in bars]
    assert all(lighter - darker > 0.15 for lighter, darker in pairwise(greys))


def test_parts_that_are_negative_lie_left_of_zero() -> None:
    rows = [("a rather long pipeline >> with stages", "CG(gains={-1: -2, 1: 1})", level, value)
            for level, value in ((-2, -1.0), (-1, -2.0), (1, 3.0), (2, 4.0))]  # fmt: skip
    figure = plots.plot_levels(pd.DataFrame(rows, columns=["name", "measure", "level", "value"]))
    no_overlap(figure)
    spans = [bar.get_window_extent() for bar in figure.axes[0].patches]
    zero = figure.axes[0].transData.transform((0, 0))[0]
    (line,) = figure.axes[0].get_lines()  # what the bars begin at can be seen
    assert list(line.get_xdata()) == [0, 0]
    assert line.get_window_extent().height == pytest.approx(figure.axes[0].bbox.height)
    left, right = zip(*[(round(box.x0 - zero), round(box.x1 - zero)) for box in spans])
    assert right[0] == left[2] == 0  # outwards from zero
    assert right[1] == left[0]
    assert left[3] == right[2]


def many(
    systems: int, names: str = "organisation {} and a very long name that goes on"
) -> pd.DataFrame:
    """The later a system, the higher; of the second measure, the other way round."""
    rows = [
        (names.format(i), measure, level, sign * i + 50.0)
        for measure, sign in (("CG@10", 1), ("DCG@10", -1))
        for i in range(1, systems + 1)
        for level in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["name", "measure", "level", "value"])


def test_bars_are_sorted() -> None:
    """By the first panel's values; a system has one place in all panels."""
    for options, order in (({}, [3, 2, 1]), ({"sort": False}, [1, 2, 3])):
        figure = plots.plot_levels(many(3), **options)
        texts = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert [re.search(r"\d+", text)[0] for text in texts] == list(map(str, order))
        for axes, sign in zip(figure.axes, (1, -1), strict=True):
            widths = [bar.get_width() for bar in axes.containers[0]]
            assert widths == [50.0 + sign * i for i in order]
    assert not figure.axes[1].get_yticklabels()
    for axes in plots.plot_levels(many(3), columns=1).axes:  # the first of each row has names
        assert len(axes.get_yticklabels()) == 3


@pytest.mark.parametrize(
    ("systems", "size", "too_small"),
    [(5, (3.3, 2.6), False), (12, (7, 3), False), (40, (3.3, 2.6), True),
     *slow((12, None, False), (40, None, False))],
)  # fmt: skip
def test_names_beside_bars_do_not_overlap(systems: int, size, too_small: bool) -> None:
    parts = many(systems)
    words = "the picture is too small to be read in 3.3 x 2.6 inches; draw or highlight fewer"
    with pytest.warns(UserWarning, match=words) if too_small else nullcontext():
        figure = plots.plot_levels(parts[parts["measure"] == "CG@10"], figsize=size)
    no_overlap(figure)
    assert len(figure.axes[0].get_yticklabels()) == systems
    bar = figure.axes[0].patches[0]
    edge = bar.get_linewidth() * figure.dpi / 72
    assert edge < bar.get_window_extent().height / 8  # the edges hide no bar


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.drop(columns="level"), r"missing columns \['level'\].*gain_by_level"),
        (lambda parts: parts.assign(value=np.nan), "CG: 'X' has NaN for level 1"),
    ],
)
def test_parts_that_cannot_be_drawn(change, message: str) -> None:
    parts = pd.DataFrame({"name": ["X"], "measure": ["CG"], "level": [1], "value": [1.0]})
    with pytest.raises(ValueError, match=message):
        plots.plot_levels(change(parts))


def test_titles_say_what_all_measures_share(qrels) -> None:
    """Else that of a steep measure would be the name of plain nDCG."""
    steep = nDCG(gains="0-1-10-100")
    parts = gain_by_level(pydocs.runs(), None, qrels, [steep @ 5, steep @ 10])
    panels = plots.plot_levels(parts).axes
    assert [axes.get_title() for axes in panels] == ["nDCG@5", "nDCG@10"]
    assert [axes.texts[0].get_text() for axes in panels] == ["0-1-10-100"] * 2
