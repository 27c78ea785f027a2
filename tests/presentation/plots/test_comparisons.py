"""Measures and systems compared: heat maps, critical differences, p-values in order."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from pt_cumgain import grid, nCG, nDCG, plots, pydocs
from pt_cumgain.comparing import correlation_table, rank_correlation
from pt_cumgain.papers import IPM2005
from tests.support.helpers import by_query, experiment, slow
from tests.support.presentation.drawn import apart, extents, no_overlap, results_of

pytestmark = pytest.mark.usefixtures("figures")


def test_a_heat_map() -> None:
    table = rank_correlation(experiment(grid(nDCG, gains=IPM2005, cutoffs=[10])))
    figure = plots.plot_correlation(table)
    axes = figure.axes[0]
    names = [f"nDCG@10 ({scheme})" for scheme in IPM2005.values()]
    assert [text.get_text() for text in axes.get_xticklabels()] == names[:-1]
    assert [text.get_text() for text in axes.get_yticklabels()] == names[1:]
    texts = [text.get_text() for text in axes.texts]
    below = table.to_numpy()[np.tril_indices(len(table), -1)]
    assert texts == [f"{value:.2f}" for value in below]
    assert axes.images[0].get_clim() == (0, 1)
    assert figure.axes[1].get_ylabel() == "Kendall's tau-b"
    no_overlap(figure)
    with pytest.raises(ValueError, match="there is no correlation to draw"):
        plots.plot_correlation(table * np.nan)


def test_the_colours_of_a_heat_map() -> None:
    """They have a fixed scale, or that asked for, dark at its end; numbers can be read on them."""
    for values, options, limits in (
        ([[1, 0.998], [0.5, 1]], {}, (0, 1)),
        ([[1, 0.998], [0.5, 1]], {"limits": (0.5, 1)}, (0.5, 1)),
        ([[1, -0.004], [0.004, np.nan]], {}, (-1, 1)),
    ):
        table = pd.DataFrame(values, ["a", "b" * 40], ["a", "b" * 40])
        axes = plots.plot_correlation(table, **options).axes[0]
        image = axes.images[0]
        assert image.get_clim() == limits
        assert sum(image.cmap(1.0)[:3]) < sum(image.cmap(0.0)[:3])
        known = [value for value in np.ravel(values) if not np.isnan(value)]
        for text, value in zip(axes.texts, known, strict=True):
            light = np.dot(image.cmap(image.norm(value))[:3], [0.2126, 0.7152, 0.0722])
            assert abs(light - (text.get_color() == "white")) > 0.45
    assert [text.get_text() for text in axes.texts] == ["1.00", "0.00", "0.00"]
    with pytest.raises(ValueError, match=r"limits=\(1, 0\) must be a lower and a higher number"):
        plots.plot_correlation(table, limits=(1, 0))


@pytest.mark.filterwarnings("ignore:the picture is too small to be read in 7 x 3.5:UserWarning")
@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 3.5)])
@pytest.mark.parametrize("count", [2, 12, *slow(40)])
def test_numbers_of_a_heat_map_fit_their_cells(count: int, size: tuple[float, float]) -> None:
    names = [f"nDCG(gains='0-1-{i}',discount='original')@{10 * i}" for i in range(count)]
    table = pd.DataFrame(np.eye(count) / 2 + 0.5, names, names)
    too_small = pytest.warns(UserWarning, match="too small to be read in 3.3 x 2.6 in")
    with too_small if count == 40 and size[0] < 7 else nullcontext():
        figure = plots.plot_correlation(table, figsize=size)
    no_overlap(figure)
    axes = figure.axes[0]
    box = axes.get_window_extent()
    fits = count == 2 or (count == 12 and size[0] == 7)  # in letters of 5 points
    assert len(axes.texts) == fits * count * (count - 1) // 2
    sizes = {text.get_fontsize() for text in axes.texts}
    assert not sizes or 5 <= min(sizes) == max(sizes) <= 7
    for text in axes.texts:
        shown = text.get_window_extent()
        assert shown.width < box.width / (count - 1)
        assert shown.height < 1.25 * box.height / (count - 1)


def test_a_critical_difference_diagram() -> None:
    results = by_query()
    figure = plots.plot_critical_difference(results, "nCG 0-1-1-1", ylabel="mine")
    assert figure.axes[0].get_ylabel() == "mine"
    assert figure.axes[0].yaxis.get_visible()
    texts = " ".join(text.get_text() for text in figure.axes[0].texts)
    for name in pydocs.runs():
        assert re.search(rf"{name} \(\d\.\d\d\)|\(\d\.\d\d\) {name}", texts)
    names = [f"a rather long pipeline >> with stage number {i}" for i in range(5)]
    long = results.replace(dict(zip(pydocs.runs(), names, strict=True)))
    figure = plots.plot_critical_difference(long, "nCG 0-1-1-1")
    figure.canvas.draw()
    page = figure.bbox
    for text in [*figure.axes[0].texts, figure.axes[0].title]:
        box = text.get_window_extent()
        assert page.x0 - 1 <= box.x0 < box.x1 <= page.x1 + 1
    bars = [len(plots.plot_critical_difference(results, "nCG 0-1-1-1", alpha=alpha).axes[0].lines)
            for alpha in (1e-9, 0.999)]  # fmt: skip
    assert bars[0] != bars[1]
    with pytest.raises(ValueError, match="needs three systems or more"):
        plots.plot_critical_difference(
            results[results["name"].isin(["BM25", "DPH"])], "nCG 0-1-1-1"
        )
    with pytest.raises(ValueError, match="all systems have the same values"):
        plots.plot_critical_difference(results.assign(value=1.0), "nCG 0-1-1-1")


def test_a_triangle() -> None:
    """Symmetric up to rounding; the other half would say the same again."""
    names = list("abcdef")
    values = np.linspace(0.1, 0.9, 36).reshape(6, 6)
    values = (values + values.T) / 2
    np.fill_diagonal(values, 1)
    values[0, 1] += 1e-15
    axes = plots.plot_correlation(pd.DataFrame(values, names, names)).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == names[1:]
    assert [text.get_text() for text in axes.get_xticklabels()] == names[:-1]
    assert len(axes.texts) == 15


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "rank correlation"),
        ({"coefficient": "tau-ap"}, "tau-AP"),
        ({"coefficient": "rho"}, "rho"),
    ],
)
def test_a_table_that_is_not_symmetric(given: dict, shown: str) -> None:
    table = pd.DataFrame([[1.0, 0.8], [0.6, 1.0]], ["a", "b"], ["a", "b"])
    figure = plots.plot_correlation(table, **given)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.00", "0.80", "0.60", "1.00"]
    assert figure.axes[1].get_ylabel() == shown
    table.attrs["coefficient"] = "tau-ap"
    assert plots.plot_correlation(table).axes[1].get_ylabel() == "tau-AP"


def test_the_results_are_read_once(monkeypatch) -> None:
    """As a matrix of topics by systems, of the measure that is drawn."""
    calls = []
    pivot = pd.DataFrame.pivot
    monkeypatch.setattr(pd.DataFrame, "pivot", lambda *a, **k: calls.append(1) or pivot(*a, **k))
    one = results_of(9, A=[1, 2, 3] * 3, B=[2, 1, 3] * 3, C=[3, 1, 2] * 3)
    axes = plots.plot_critical_difference(one).axes[0]
    assert len(calls) == 1
    # by hand: A has the ranks 3, 1 and 1.5, B 2, 2.5 and 1.5, C 1, 2.5 and 3
    texts = " ".join(text.get_text() for text in axes.texts)
    assert "A (1.83)" in texts
    assert "(2.00) B" in texts or "B (2.00)" in texts
    assert "C (2.17)" in texts or "(2.17) C" in texts


def p_values(**measures: list[float]) -> pd.DataFrame:
    """The columns of `discriminative_power(results, pvalues=True)`."""
    rows = [
        (measure, place, f"s{place}", f"t{place}", p)
        for measure, values in measures.items()
        for place, p in enumerate(values, 1)
    ]
    return pd.DataFrame(rows, columns=["measure", "place", "name", "other", "p"])


@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 4)])
def test_labels_of_a_heat_map_are_broken_rather_than_cut(size: tuple[float, float]) -> None:
    """A sign of equality stays with what it is between; the other labels are whole, too."""
    names = ["nCG@10", "nDCG(gains='0-1-10-100')@10", "nDCG(discount='original',base=2)@1000"]
    figure = plots.plot_correlation(pd.DataFrame(np.eye(3) / 2 + 0.5, names, names), figsize=size)
    no_overlap(figure)
    shown = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    whole = ["nDCG@10 (0-1-10-100)", "nDCG@1000 (original, b = 2)"]
    broken = ["nDCG@10\n0-1-10-100", "nDCG@1000\noriginal,\nb = 2"]
    assert shown == (broken if size[0] < 7 else whole)


def test_p_values_in_order() -> None:
    """The legend has the share below alpha."""
    curves = p_values(CG=[0.9, 0.4, 0.1, 0.05], nCG=[0.12, 0.04, 0.01, 0.0], DCG=[1.0] * 4)
    figure = plots.plot_discriminative_power(curves.sample(frac=1, random_state=1).sort_values(
        "measure", kind="stable", ascending=False), titles={"nCG": "mine"})  # fmt: skip
    no_overlap(figure)
    (axes,) = figure.axes
    level, *lines = axes.get_lines()
    assert list(level.get_ydata()) == [0.05, 0.05]
    drawn = {line.get_label(): list(zip(*line.get_data())) for line in lines}
    assert drawn == {
        "CG (0%)": [(1, 0.9), (2, 0.4), (3, 0.1), (4, 0.05)],
        "mine (75%)": [(1, 0.12), (2, 0.04), (3, 0.01), (4, 0.0)],
        "DCG (0%)": [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)],
    }
    (legend,) = figure.legends  # the lines end too close to each other for labels there
    assert [text.get_text() for text in legend.get_texts()] == ["DCG (0%)", "CG (0%)", "mine (75%)"]
    assert axes.get_ylim() == (0, 0.15)
    assert axes.get_xlim() == (1, 4)
    assert axes.get_xlabel() == "4 pairs of systems, sorted by p\n(%: p < 0.05, below the line)"
    axes = plots.plot_discriminative_power(curves, top=0.5, alpha=0.1, legend="below").axes[0]
    assert axes.get_ylim() == (0, 0.5)
    texts = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert texts == ["DCG (0%)", "CG (25%)", "nCG (75%)"]


def test_measures_are_highlighted() -> None:
    curves = p_values(CG=[0.1, 0.01], nCG=[0.12, 0.04], DCG=[0.14, 0.05])
    figure = plots.plot_discriminative_power(curves, highlight="nCG", titles={"nCG": "mine"})
    _, *lines = figure.axes[0].get_lines()
    colours = {line.get_label(): line.get_color() for line in lines}
    assert colours == {"2 others": "0.8", "mine (50%)": plots.COLOURS[1]}
    assert [text.get_text() for text in figure.axes[0].texts] == ["mine (50%)"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["2 others"]


def test_28_measures_can_be_told_apart() -> None:
    curves = p_values(**{f"m{i}": [0.1, 0.02 + i / 1000, 0.0] for i in range(28)})
    _, *lines = plots.plot_discriminative_power(curves).axes[0].get_lines()
    styles = {(str(line._unscaled_dash_pattern), line.get_marker()) for line in lines}
    assert len(styles) == 28


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda curves: curves.drop(columns="p"), {}, r"missing columns \['p'\].*discriminative_p"),
        (lambda curves: curves[:0], {}, "curves: there is nothing to draw"),
        (lambda curves: pd.concat([curves, curves]), {}, "two rows have the same measure, place"),
        (lambda curves: curves, {"alpha": 0.2}, "alpha=0.2 must be below top=0.15"),
    ],
)
def test_p_values_that_cannot_be_drawn(change, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.plot_discriminative_power(change(p_values(CG=[0.5, 0.01])), **options)


@pytest.mark.filterwarnings("ignore:names are too long:UserWarning")
def test_a_measure_has_the_same_number_at_both_sides() -> None:
    """Where names are cut until they are alike, and so are numbered."""
    names = [f"organisation{i}organisation{k}" for i in (1, 2) for k in "ab"]
    table = pd.DataFrame(np.eye(4) / 2 + 0.5, names, names)
    axes = plots.plot_correlation(table, figsize=(2, 1.6)).axes[0]
    sides = [
        [text.get_text() for text in labels]
        for labels in (axes.get_xticklabels(), axes.get_yticklabels())
    ]
    assert [[label.split()[0] for label in side] for side in sides] == [list("123"), list("234")]


@pytest.mark.parametrize("size", [(3.3, 2.5), (7, 5), None])
def test_measures_can_be_told_apart_at_both_sides(size) -> None:
    """Expected: the schemes of the declarations, whole; nothing is cut or overlaps."""
    measures = grid([nCG, nDCG], gains=["0-1-1-1", "0-1-10-100", "exp"], cutoffs=[10])
    names = list(map(str, measures))
    figure = plots.plot_correlation(pd.DataFrame(np.eye(6) / 2 + 0.5, names, names), figsize=size)
    no_overlap(figure)
    shown = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    kinds = [f"{name}@10" for name in ("nCG", "nDCG") for _ in range(3)]
    details = ["0-1-1-1", "0-1-10-100", "exponential"] * 2
    expected = [f"{kind}\n{scheme}" for kind, scheme in zip(kinds, details, strict=True)]
    assert [re.sub(r" \((.*)\)", r"\n\1", text) for text in shown] == expected[:-1]


def test_few_systems_have_several_ticks() -> None:
    """Their average ranks may lie between two whole ones."""
    rng = np.random.default_rng(0)
    axes = plots.plot_critical_difference(
        results_of(40, **{name: rng.normal(0, 1, 40) for name in "ABC"})
    ).axes[0]
    assert len(axes.get_xticks()) >= 2


@pytest.mark.filterwarnings("ignore:names are too long:UserWarning")
@pytest.mark.parametrize("size", [(3.3, 2.6), (7, 3)])
@pytest.mark.parametrize("systems", [5, *slow(12, 40)])
def test_the_names_of_a_critical_difference_diagram(systems: int, size: tuple) -> None:
    """Numbers, where names must be cut, and colours are those of the systems' places."""
    rng = np.random.default_rng(0)
    names = [f"organisation {'x' * 35}{i:02}{'x' * 35}" for i in range(systems)]
    order = rng.permutation(systems)
    values = {name: rng.normal(place, 1, 30) for name, place in zip(names, order)}
    axes = plots.plot_critical_difference(results_of(30, **values), figsize=size).axes[0]
    axes.figure.canvas.draw()
    texts = [text.get_text() for text in axes.texts]
    boxes = extents(axes.texts)
    apart(boxes)
    page = axes.figure.bbox
    assert all(page.x0 <= box.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 for box in boxes)
    assert all(text.get_color() == "black" for text in axes.texts)
    ranks = results_of(30, **values).pivot(index="qid", columns="name", values="value")
    ranks = ranks.rank(axis=1, ascending=False).mean()[names]
    for number, name in enumerate(names, 1):
        (shown,) = [t for t in texts if re.search(rf"(^|\) ){number} or", t)]
        assert f"({ranks[name]:.2f})" in shown
    points = {float(point.get_offsets()[0, 0]): to_hex(point.get_facecolor()[0]).upper()
              for point in axes.collections}  # fmt: skip
    expected = dict(zip(ranks, itertools.cycle(plots.COLOURS)))
    assert points == expected or len(set(ranks)) < systems


@pytest.mark.parametrize("size", [(3.3, 3), (7, 3)])
def test_lines_to_names_do_not_cross_the_bars(size: tuple[float, float]) -> None:
    """They begin below the lowest bar; in a narrow picture the axis has the whole width."""
    rng = np.random.default_rng(0)
    results = results_of(
        30, **{name: rng.normal(i / 4, 1, 30) for i, name in enumerate("ABCDEFGH")}
    )
    axes = plots.plot_critical_difference(results, figsize=size).axes[0]
    bars = [line for line in axes.get_lines() if len(set(line.get_ydata())) == 1]
    points = [point.get_offsets()[0, 1] for point in axes.collections]
    assert bars
    assert max(points) < min(bar.get_ydata()[0] for bar in bars)
    coloured = [one for one in axes.get_lines() if one.get_color() in plots.COLOURS]
    assert all(max(line.get_ydata()) == max(points) for line in coloured)
    assert len(coloured) == (0 if size[0] < 5 else 8)
    axes.figure.canvas.draw()
    wide = axes.get_window_extent().width / axes.figure.bbox.width
    assert (wide > 0.9) == (size[0] < 5)


@pytest.mark.end_to_end
def test_bars_do_not_depend_on_the_hashes_of_names() -> None:
    """Python hashes texts differently in each process."""
    code = """
import numpy as np
from pt_cumgain import plots
from tests.support.presentation.drawn import results_of
rng = np.random.default_rng(0)
systems = {f"s{i}": rng.normal(i / 4, 1, 30) for i in range(12)}
axes = plots.plot_critical_difference(results_of(30, **systems)).axes[0]
for line in axes.get_lines():
    print(*line.get_xdata(), *line.get_ydata())
"""
    environment = os.environ | {"MPLBACKEND": "agg"}
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(drawn) == 1
    assert drawn.pop()


def test_results_are_not_taken_for_correlations() -> None:
    rows = [(name, "q", "CG", 1.0) for name in "AB"]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    for function in (plots.plot_correlation, correlation_table):
        with pytest.raises(ValueError, match=r"numbers only \(.*'A'\); rank_correlation returns"):
            function(frame)
