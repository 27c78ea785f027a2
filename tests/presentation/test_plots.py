"""Pictures: what is drawn, with which labels, where; how they look was looked at by people."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    gain_curves,
    grid,
    levels_off,
    nCG,
    nDCG,
    nsDCG,
    plots,
    precision_by_level,
    pydocs,
    rank_correlation,
    sDCG,
    session_curves,
)
from tests.helpers import SESSION_COLUMNS, by_query, experiment, hide

pytestmark = pytest.mark.usefixtures("figures")


def no_overlap(figure) -> None:
    """The legend lies below the panels, inside the figure; so do all labels; panels are apart."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    page = figure.bbox
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    legend = figure.legends[0].get_window_extent(renderer)
    for i, box in enumerate(boxes):
        assert legend.y1 <= box.y0 + 1
        for other in boxes[i + 1 :]:
            assert box.x1 <= other.x0 + 1 or box.y0 >= other.y1 - 1
    for box in [*boxes, legend]:
        assert page.x0 - 1 <= box.x0 < box.x1 <= page.x1 + 1
        assert page.y0 - 1 <= box.y0 < box.y1 <= page.y1 + 1


def test_small_multiples_like_those_of_tois_2002(qrels) -> None:
    measures = [m(gains=s) for m in (CG, nDCG(discount="revised")) for s in ("0-1-1-1", "exp")]
    curves = gain_curves(pydocs.runs(), None, qrels, measures, 30)
    figure = plots.plot_curves(curves)
    panels = figure.axes
    assert len(panels) == 4
    titles = [axes.get_title().replace("\n", "") for axes in panels]
    assert {t.partition("(")[0] for t in titles[:2]} != {t.partition("(")[0] for t in titles[2:]}
    assert len({axes.get_position().x0 for axes in panels}) == 2
    for axes in panels:
        measure = axes.get_title().replace("\n", "")
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert set(lines) == {"ideal", *pydocs.runs()}
        expected = curves[(curves["measure"] == measure) & (curves["name"] == "PL2")]
        assert lines["PL2"].get_ydata().tolist() == expected["value"].tolist()
        assert lines["ideal"].get_ydata().tolist() == expected["ideal"].tolist()
        assert lines["ideal"].get_linestyle() != "-"
        assert axes.get_ylim()[0] == 0
        assert axes.get_xlabel() == "rank"
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["ideal", *pydocs.runs()]
    no_overlap(figure)


def test_many_systems_with_long_names(qrels) -> None:
    """27 lines that differ in more than colour, and a legend that has room."""
    run = pydocs.runs()["BM25"]
    runs = {f"a system with a rather long name {i}": run for i in range(27)}
    curves = gain_curves(runs, None, qrels, CG, 20)
    figure = plots.plot_curves(curves, ideal=False)
    lines = figure.axes[0].get_lines()
    without_colour = {
        (str(line._unscaled_dash_pattern), line.get_marker(), line.get_mfc() == "white")
        for line in lines
    }
    assert len(without_colour) == 27
    no_overlap(figure)


def test_colours_differ_in_grey() -> None:
    lightness = sorted(
        0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(to_rgb, plots.COLOURS[:5])
    )
    assert len(set(plots.COLOURS)) == 7
    assert lightness[-1] - lightness[0] > 0.2
    assert max(lightness) < 0.75  # to be seen on white


def test_a_logarithmic_axis(qrels) -> None:
    curves = gain_curves(pydocs.runs(), None, qrels, [nCG], 70)
    axes = plots.plot_curves(curves, log_rank=True, ylabel="share").axes[0]
    assert axes.get_xscale() == "log"
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert labels == ["1", "2", "5", "10", "20", "50"]
    assert axes.get_ylabel() == "share"


def test_negative_gains_are_not_cut_off() -> None:
    rows = [("X", "CG", 1, -2.0, 0.0), ("X", "CG", 2, 1.0, 1.0)]
    curves = pd.DataFrame(rows, columns=["name", "measure", "rank", "value", "ideal"])
    assert plots.plot_curves(curves).axes[0].get_ylim()[0] < -2
    below = curves.assign(value=[-2.0, -1.0], ideal=-1.0)
    assert plots.plot_curves(below).axes[0].get_ylim()[0] < -2


def test_curves_without_ideal_and_columns(qrels) -> None:
    curves = gain_curves(pydocs.runs(), None, qrels, [CG, DCG, nCG], 5).drop(columns="ideal")
    figure = plots.plot_curves(curves, columns=3)
    assert len({axes.get_position().y0 for axes in figure.axes}) == 1
    assert "ideal" not in [text.get_text() for text in figure.legends[0].get_texts()]
    with pytest.raises(ValueError, match="columns=-1 must be at least 1"):
        plots.plot_curves(curves, columns=-1)


def test_session_curves_mark_the_queries() -> None:
    qrels = pydocs.session_qrels()
    curves = session_curves(pydocs.session_runs(), None, qrels, [sDCG @ 10, nsDCG @ 5])
    figure = plots.plot_session_curves(curves, ideal=True)
    for axes, depth in zip(figure.axes, (5, 10), strict=True):
        labels = [text.get_text() for text in axes.get_xticklabels()]
        assert labels == ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]
        boundaries = [
            line.get_xdata()[0]
            for line in axes.get_lines()
            if line.get_label().startswith("_") and len(set(line.get_xdata())) == 1
        ]
        assert boundaries == [depth * q + 0.5 for q in range(1, 6)]
        assert f"{depth} documents of each" in axes.get_xlabel()
    no_overlap(figure)
    single = session_curves(pydocs.session_runs(), None, qrels, sDCG @ 10, perquery=True)
    drawn = plots.plot_session_curves(single).axes[0].get_lines()
    assert sum(len(line.get_xdata()) == 60 for line in drawn) == 2 * 30


def test_long_sessions_have_room_for_their_labels() -> None:
    run = pd.DataFrame([("s", "a", 1.0, q) for q in range(1, 31)], columns=SESSION_COLUMNS)
    figure = plots.plot_session_curves(session_curves([run], None, {"s": {"a": 1}}, sDCG @ 10))
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels[:2] == ["Q1", "Q4"]
    assert len(labels) <= 12


def test_precision_by_recall(qrels) -> None:
    table = precision_by_level(pydocs.runs(), None, qrels)
    figure = plots.plot_precision(table)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["relevance level 1", "relevance level 2", "relevance level 3"]
    line = {line.get_label(): line for line in figure.axes[2].get_lines()}["DPH"]
    row = table[(table["name"] == "DPH") & (table["level"] == 3)].iloc[0]
    assert line.get_ydata().tolist() == row.iloc[4:].tolist()
    no_overlap(figure)


def test_long_names_and_signs_are_shown_whole(qrels) -> None:
    """No text is cut off, whatever a system or a measure is called."""
    run = pydocs.runs()["BM25"]
    names = ["_hidden", "ideal", "a$b_{$c", "a long pipeline >> " * 5, "x" * 90]
    measure = nDCG(gains="-".join(["0", *["1000"] * 12]), discount="original")
    curves = gain_curves(dict.fromkeys(names, run), None, qrels, [measure], 20)
    figure = plots.plot_curves(curves)
    no_overlap(figure)
    texts = [text.get_text().replace("\n", "") for text in figure.legends[0].get_texts()]
    assert len(texts) == 6
    assert texts[:4] == ["ideal", " _hidden", "ideal", r"a\$b_{\$c"]
    title = figure.axes[0].get_title().replace("\n", "")
    assert title == str(measure)


def test_rows_in_any_order_draw_the_same_line(qrels) -> None:
    curves = gain_curves(pydocs.runs(), None, qrels, CG, 20)
    shuffled = curves.sample(frac=1, random_state=0)
    name = shuffled["name"].iloc[0]
    line = next(
        line for line in plots.plot_curves(shuffled).axes[0].get_lines() if line.get_label() == name
    )
    assert line.get_xdata().tolist() == list(range(1, 21))


def test_ideals_that_differ_are_all_drawn() -> None:
    runs = {
        name: pd.DataFrame([("s", "a", 1.0, q) for q in range(1, n + 1)], columns=SESSION_COLUMNS)
        for name, n in (("X", 2), ("Y", 3))
    }
    curves = session_curves(runs, None, {"s": {"a": 1}}, sDCG @ 5)
    figure = plots.plot_session_curves(curves, ideal=True)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["ideal", "ideal of Y", "X", "Y"]
    with pytest.raises(ValueError, match="the ideal of 'Y' is not that of the other systems"):
        levels_off(curves)


def test_few_and_many_ranks(qrels) -> None:
    for depth, log_rank in ((3, False), (1000, True), (1, True)):
        curves = gain_curves(pydocs.runs(), None, qrels, CG, depth)
        axes = plots.plot_curves(curves, log_rank=log_rank).axes[0]
        axes.figure.canvas.draw()
        ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= depth]
        assert all(tick == round(tick) for tick in ticks)
        if log_rank:
            labels = [text.get_text() for text in axes.get_xticklabels()]
            assert labels == [str(10**p) for p in range(4) if 10**p <= depth]


@pytest.mark.parametrize(
    ("function", "frame", "message"),
    [
        (plots.plot_curves, pd.DataFrame({"name": []}), r"^curves: missing .* \['measure', 'rank'"),
        (plots.plot_session_curves, pd.DataFrame({"name": []}), "^curves: missing columns"),
        (plots.plot_precision, pd.DataFrame({"name": []}), r"^table: missing .* \['level', 0.0"),
        (
            plots.plot_curves,
            pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 1], "value": [1, 2]}),
            "a curve has a rank twice; give curves of means",
        ),
        (
            plots.plot_curves,
            pd.DataFrame({"name": [], "measure": [], "rank": [], "value": []}),
            "there is no curve to draw",
        ),
    ],
)
def test_wrong_frames(function, frame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(frame)


def test_without_matplotlib_it_says_what_to_install(qrels, monkeypatch) -> None:
    curves = gain_curves(pydocs.runs(), None, qrels, CG, 5)
    hide("matplotlib", monkeypatch)
    with pytest.raises(ImportError, match=r'pip install "pt_cumgain\[plot\]"'):
        plots.plot_curves(curves)


def test_a_heat_map() -> None:
    table = rank_correlation(experiment(grid(nDCG, gains=IPM2005, cutoffs=[10])))
    figure = plots.plot_correlation(table)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == table.columns.tolist()
    texts = [text.get_text() for text in axes.texts]
    assert texts == [f"{value:.2f}" for value in table.to_numpy().ravel()]
    assert axes.images[0].get_clim()[1] == 1
    with pytest.raises(ValueError, match="there is no correlation to draw"):
        plots.plot_correlation(table * np.nan)


def test_the_colours_of_a_heat_map() -> None:
    """The same for the same number in every picture; numbers to be read on all of them."""
    for values, limits in (
        ([[1, 0.998], [0.998, 1]], (0, 1)),
        ([[1, -0.004], [-0.004, np.nan]], (-1, 1)),
    ):
        table = pd.DataFrame(values, ["a", "b" * 40], ["a", "b" * 40])
        axes = plots.plot_correlation(table).axes[0]
        image = axes.images[0]
        assert image.get_clim() == limits
        for text, value in zip(axes.texts, np.ravel(values), strict=True):
            light = np.dot(image.cmap(image.norm(value))[:3], [0.2126, 0.7152, 0.0722])
            dark_text = text.get_color() == "black"
            assert dark_text == (bool(np.isnan(value)) or light > 0.45)
    assert [text.get_text() for text in axes.texts] == ["1.00", "0.00", "0.00", "–"]


def test_a_critical_difference_diagram() -> None:
    results = by_query()
    figure = plots.plot_critical_difference(results, "nCG 0-1-1-1")
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
