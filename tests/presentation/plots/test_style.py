"""One system, one style; shortened names are distinct."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from pt_cumgain import gain_curves, nDCG, plots, pydocs, weighting_map
from pt_cumgain.presentation.plots.style import cells, line, place_systems, shorten
from tests.support.helpers import by_query

pytestmark = pytest.mark.usefixtures("figures")


def test_a_system_has_one_colour_in_all_pictures(qrels) -> None:
    """Whatever the order of the systems in a frame, and whichever of them it has."""
    runs = pydocs.runs()
    curves = plots.plot_curves(gain_curves(runs, None, qrels, nDCG, 9)).axes[0]
    expected = {line.get_label(): to_rgb(line.get_color()) for line in curves.get_lines()}
    assert len(set(expected.values())) == len(runs)
    results = by_query()  # sorted by name, as pt.Experiment sorts them
    measure = "nDCG 0-1-1-1"
    assert results["name"].unique().tolist() != list(runs)
    topics = plots.plot_topics(results, measure, baseline="QLD", system="PL2").axes[0]
    bars = {np.sign(bar.get_height()): to_rgb(bar.get_facecolor()[:3]) for bar in topics.patches}
    assert (bars[1], bars[-1]) == (expected["PL2"], expected["QLD"])
    ranks = plots.plot_critical_difference(results, measure).axes[0]
    by_rank = {float(re.search(r"\d\.\d+", t.get_text())[0]): t.get_text() for t in ranks.texts}
    for elbow in (
        each
        for each in ranks.get_lines()
        if len(each.get_xdata()) == 3 and each.get_ydata()[-1] == 0
    ):
        (name,) = [n for rank, n in by_rank.items() if abs(rank - elbow.get_xdata()[-1]) < 0.006]
        assert to_rgb(elbow.get_color()) == expected[re.sub(r" ?\([\d.]+\) ?", "", name)]
    two = {name: runs[name] for name in ("QLD", "PL2")}
    levels = weighting_map(two, None, qrels.assign(label=qrels["label"].clip(upper=2)), nDCG @ 10)
    drawn = plots.plot_weightings(levels).axes[0].get_lines()
    colours = {one.get_label(): to_rgb(one.get_color()) for one in drawn}
    (best,) = two.keys() & colours  # the other is grey
    assert colours[best] == expected[best]


def test_the_first_picture_allots_the_styles() -> None:
    assert place_systems(["b", "a"]) == {"b": 0, "a": 1}
    assert place_systems(["c", "a"]) == {"c": 2, "a": 1}
    assert place_systems(["other"]) == {"other": 3}  # or it would look as "b", once both are drawn
    assert place_systems(["other", "b"]) == {"other": 3, "b": 0}
    assert line(0) != line(1)


@given(
    st.sets(st.text("ab_1", min_size=1, max_size=30), min_size=1, max_size=9), st.integers(8, 20)
)
def test_shortened_names_are_distinct(names: set[str], width: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        short = shorten(list(names), width)
    assert len(set(short)) == len(names)
    assert max(map(cells, short)) <= width
    for name, text in zip(names, short, strict=True):
        if not caught:  # what is left of a name is in it, in order
            rest = name
            for part in filter(None, text.split("…")):
                _, found, rest = rest.partition(part)
                assert found == part


@pytest.mark.parametrize(
    ("names", "width", "short"),
    [
        (["run_2020_colbert_v1", "run_2020_colbert_v2"], 8, ["run…v1", "run…v2"]),
        (["BM25", "run_2020_xy_v1", "run_2020_xy_v2"], 8, ["BM25", "run_…_v1", "run_…_v2"]),
        (["nCG (0-1-1)", "nCG (0-1-2)"], 9, ["nC…0-1-1…", "nC…0-1-2…"]),
    ],
)  # fmt: skip
def test_what_names_share_is_cut_first(names: list[str], width: int, short: list[str]) -> None:
    """Expected: by hand."""
    assert shorten(names, width) == short


def test_numbers_stand_for_names_where_nothing_else_helps() -> None:
    names = [f"{'x' * 20}{i}{'x' * 20}" for i in range(2)]
    with pytest.warns(UserWarning, match=f"so they are numbered: 1 is {names[0]}; 2 is {names[1]}"):
        assert [text[0] for text in shorten(names, 8)] == ["1", "2"]
