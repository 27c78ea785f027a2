"""What all pictures have in common: their size, axes of the user's, titles, legends, notebooks."""

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb

import pt_cumgain
from pt_cumgain import CG, gain_curves, nDCG, plots, pydocs, sDCG
from pt_cumgain.papers import precision_by_level
from pt_cumgain.sessions import session_curves
from pt_cumgain.trust import gain_by_level
from tests.support.drawn import curves_of, no_overlap
from tests.support.helpers import slow
from tests.support.samples import results_of

pytestmark = pytest.mark.usefixtures("figures")

NINE = curves_of({f"system {i}": float(i) for i in range(9)}).drop(columns="ideal")
ONE = NINE[NINE["name"] == "system 0"]
RESULTS = results_of({str(i): np.arange(9.0) * i for i in range(9)}, "CG")


@pytest.fixture(scope="module")
def pictures(qrels) -> dict[str, Callable[..., Any]]:
    return every_picture(qrels, "NTU_NMLAB_BM25_ALLQQ")


def every_picture(qrels, system: str) -> dict[str, Callable[..., Any]]:
    """Every kind of picture, of one panel, of many systems where it can be."""
    runs = dict.fromkeys((f"{system}-{i}" for i in range(12)), pydocs.runs()["BM25"])
    curves = gain_curves(runs, None, qrels, nDCG(gains="0-1-10-100"), 30)
    low, high = curves["value"] * 0.8, curves["value"] * 1.1
    curves = curves.assign(low=low, high=high, band="95% interval")
    searches = {f"{system}-{name}": run for name, run in pydocs.session_runs().items()}
    sessions = session_curves(searches, None, pydocs.session_qrels(), sDCG @ 10)
    draws = np.random.default_rng(0)
    results = results_of({name: draws.random(42) for name in list(runs)[:5]}, "CG")
    one, other = list(runs)[:2]
    table = precision_by_level(runs, None, qrels, levels=3)
    parts = gain_by_level(runs, None, qrels, CG @ 9)
    named = dict(zip(runs, pydocs.runs().values()))
    pairs = pt_cumgain.dominance(named, None, qrels, nDCG @ 100)
    triangle, strip = (
        pt_cumgain.weighting_map(named, None, qrels[qrels["label"] <= top], nDCG @ 100, points=21)
        for top in (3, 2)
    )
    return {
        "curves": lambda **k: plots.plot_curves(curves, **k),
        "sessions": lambda **k: plots.plot_session_curves(sessions, **k),
        "precision": lambda **k: plots.plot_precision(table, **k),
        "topics": lambda **k: plots.plot_topics(results, baseline=one, system=other, **k),
        "pair": lambda **k: plots.plot_pair(results, x=one, y=other, **k),
        "levels": lambda **k: plots.plot_levels(parts, **k),
        "dominance": lambda **k: plots.plot_dominance(pairs, **k),
        "weightings": lambda **k: plots.plot_weightings(triangle, **k),
        "strip": lambda **k: plots.plot_weightings(strip, **k),
    }


KINDS = ["curves", "weightings",
         *slow("topics", "levels", "sessions", "precision", "pair", "dominance",
               "strip")]  # fmt: skip


@pytest.mark.parametrize("size", [(3.3, 2.5), *slow(((7, 3),), (None,))])
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_fits_its_size(kind: str, size: tuple | None, pictures) -> None:
    """Nothing is cut off or overlaps."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib's, that axes have no room left
        figure = pictures[kind](figsize=size)
        if size:
            assert figure.get_size_inches().tolist() == list(size)
        assert figure.get_size_inches()[0] <= plots.PAGE
        no_overlap(figure)
    assert all(legend.get_window_extent().height <= figure.bbox.height / 3 + 1
               for legend in figure.legends)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_in_axes_of_the_user(kind: str, pictures) -> None:
    pyplot.close("all")  # of doctests, which leave theirs open
    figure, (ax, other) = pyplot.subplots(1, 2, figsize=(9, 4.5))
    assert pictures[kind](ax=ax) is ax
    assert not figure.legends
    keyed = ("topics", "levels", "dominance", "precision", "weightings")
    assert (ax.get_legend() is not None) == (kind in keyed)
    assert pyplot.get_fignums() == [figure.number]
    assert not other.has_data()
    assert figure.get_size_inches().tolist() == [9, 4.5]


@pytest.mark.parametrize("letters", [100, *slow(30, 300)])
def test_what_has_no_room_is_refused_with_the_size_that_is_needed(letters: int, qrels) -> None:
    """That size is enough, or one more, since lines are broken anew; nothing stays open."""
    words = r"the panels cannot be read in .* give figsize=\((.*), (.*)\), or plot fewer"
    for draw in every_picture(qrels, ("monot5_reranker." * 20)[: letters - 3]).values():
        size, figure, before = (3.3, 2.5), None, pyplot.get_fignums()
        while figure is None:
            try:
                figure = draw(figsize=size)
            except ValueError as refusal:
                size = tuple(map(float, re.fullmatch(words, str(refusal)).groups()))
                assert pyplot.get_fignums() == before
        if letters < 300:
            no_overlap(figure)


def test_nothing_has_the_colour_of_a_dark_ground() -> None:
    with pyplot.style.context("dark_background"):
        lines = plots.plot_curves(NINE[NINE["name"] != "system 0"]).axes[0].get_lines()
    assert (0, 0, 0) not in {to_rgb(line.get_color()) for line in lines}


TWO = pd.concat([NINE, NINE.assign(measure="nCG")])
PARTS = ONE.rename(columns={"rank": "level"}).assign(value=np.nan)
PAIRS = {"measure": ["m"] * 2, "name": ["a"] * 2, "other": [*"bc"], "verdict": "holds"}
PAIRS = pd.DataFrame({**PAIRS, "better": "a"})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plots.plot_curves(TWO, ax=pyplot.subplots()[1]),
         "ax is one panel of fixed size, but the call has figsize=None and the panels C"),
        (lambda: plots.plot_curves(NINE, ax=[1]), r"ax=\[1\] must be axes of matplotlib"),
        (lambda: plots.plot_curves(NINE, figsize=(3, float("inf"))),
         r"figsize=\(3, inf\) must be a width and a h"),
        (lambda: plots.plot_curves(NINE, styles="red"),
         "styles='red' must be a mapping of systems to styles"),
        (lambda: plots.plot_curves(NINE, highlight="BM25"),
         r"highlight: 'BM25' is not one of \['system 0'"),
        (lambda: plots.plot_curves(TWO.assign(measure="CG")),
         "curves: two rows have the same name, me"),
        (lambda: plots.plot_curves(NINE.drop(columns="rank")), r"^curves: missing .* \['rank'"),
        (lambda: plots.plot_precision(NINE), r"^table: missing .* \['level', 0.0"),
        (lambda: plots.plot_levels(PARTS), "parts: NaN in system 0, CG"),
        (lambda: plots.plot_weightings(NINE), r"missing columns \['gains', .*weighting_map"),
        (lambda: plots.plot_dominance(PAIRS), "^the figure needs all pairs"),
        (lambda: plots.plot_topics(RESULTS), r"^baseline=None is not one of the sy"),
        (lambda: plots.plot_topics(RESULTS, baseline="1", system="1"), "are the same system, '1'"),
        (lambda: plots.plot_topics(RESULTS, "DCG", baseline="1"),
         "^measure='DCG': choose one of CG$"),
        (lambda: plots.plot_topics(pd.concat([RESULTS, RESULTS.assign(measure="m")]), baseline="1"),
         "^measure=None: choose one of CG, m$"),
        (lambda: plots.plot_pair(RESULTS), r"^x=None is not one of the systems: \['0', '1'"),
        (lambda: plots.save(pyplot.figure(), "curves"), r"Format '' is not supported .* eps, "),
        (lambda: plots.save(pyplot.figure(), "a.xyz"), r"Format 'xyz' is not supported .* eps, "),
        (lambda: plots.save("a.png", pyplot.figure()), "be a path; the figure comes first"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_or_saved(call: Callable, words: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=words):
        call()
    assert not list(tmp_path.iterdir())


def test_help_describes_all_options() -> None:
    """Those that pictures share too."""
    for name in plots.__all__:
        if name.startswith("plot_"):
            function = getattr(plots, name)
            for option in inspect.signature(function).parameters:
                described = re.search(rf"^    (?:\w+, )*{option}\b", function.__doc__, re.M)
                assert described, (name, option)


@pytest.mark.parametrize(
    ("panels", "size", "columns"),
    [(3, (4.7, 2), 3), *slow((4, (7, 4), 2), (3, (7, 2.5), 3), (3, (3.3, 7), 1), (2, (7, 3), 2))],
)
def test_the_shorter_side_of_a_panel_is_as_long_as_it_can_be(panels, size, columns) -> None:
    """Expected: by hand, of the sides with half an inch around."""
    curves = curves_of({"X": 1.0}, [f"m{i}" for i in range(panels)])
    figure = plots.plot_curves(curves, figsize=size)
    assert len({round(axes.get_position().x0, 2) for axes in figure.axes}) == columns
    if size == (4.7, 2):
        assert min(*figure.axes[0].bbox.size) / figure.dpi >= 0.68  # 0.12 with two columns


def test_a_figure_is_shown_once(monkeypatch) -> None:
    """What a notebook shows as the value of a cell, pyplot does not show at the end of the cell."""
    pyplot.close("all")
    plots.plot_curves(NINE)
    figure = plots.plot_curves(ONE)
    for backend, left in (("agg", 2), ("inline", 1)):
        monkeypatch.setattr(pyplot, "get_backend", lambda shown=backend: shown)
        assert figure._repr_mimebundle_(include=None, exclude=None) == {}
        assert len(pyplot.get_fignums()) == left
