"""Pictures: what is drawn, with which labels, where; how they look was looked at by people."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import (
    CG,
    DCG,
    IPM2005,
    gain_by_level,
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
    """Legends lie below the panels, inside the figure; so do all labels; panels are apart."""
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
            assert box.x1 <= other.x0 + 1 or box.y0 >= other.y1 - 1
    for box in [*boxes, *below, *above]:
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


def test_the_curves_of_topics(qrels) -> None:
    """A line for each topic of each system, with its values; systems differ without colour too."""
    runs = {name: run for name, run in pydocs.runs().items() if name in ("BM25", "DPH")}
    curves = gain_curves(runs, None, qrels, [CG, nDCG], 20, perquery=True)
    figure = plots.plot_curves(curves)
    no_overlap(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(runs)
    for axes, measure in zip(figure.axes, ("CG", "nDCG"), strict=True):
        lines = [line for line in axes.get_lines() if len(line.get_xdata())]
        assert len({(line.get_label(), line.get_linestyle()) for line in lines}) == 2
        drawn = sorted((line.get_label(), *line.get_ydata()) for line in lines)
        of_measure = curves[curves["measure"] == measure].groupby(["name", "qid"])["value"]
        assert drawn == sorted((name, *values) for (name, _), values in of_measure)


def with_band(curves: pd.DataFrame) -> pd.DataFrame:
    return curves.assign(low=curves["value"] - 0.2, high=curves["value"] * 1.5)


@pytest.mark.parametrize("log_rank", [False, True])
@pytest.mark.parametrize("systems", [2, 7])
def test_bands(qrels, systems: int, log_rank: bool) -> None:
    """Bands lie between low and high: filled for a few systems, upright lines for many."""
    run = pydocs.runs()["BM25"]
    runs = {f"system {i}": run for i in range(systems)}
    curves = with_band(gain_curves(runs, None, qrels, nDCG, 20))
    figure = plots.plot_curves(curves, log_rank=log_rank)
    no_overlap(figure)
    (axes,) = figure.axes
    ends = set(zip(curves["rank"], curves["low"])) | set(zip(curves["rank"], curves["high"]))
    bands = axes.collections
    assert len(bands) == systems
    for i, band in enumerate(bands):
        assert to_rgb(band.get_edgecolor()[0] if systems == 7 else band.get_facecolor()[0]) == (
            to_rgb(plots.COLOURS[i])
        )
        corners = {tuple(xy) for path in band.get_paths() for xy in path.vertices}
        assert corners == ends if systems == 2 else corners < ends
    assert systems == 2 or all(len(band.get_paths()) == 5 for band in bands)
    assert axes.get_ylim()[0] < curves["low"].min()
    assert axes.get_ylim()[1] > curves["high"].max()
    without = plots.plot_curves(curves, band=False).axes[0]
    assert not without.collections
    assert without.get_ylim()[0] == 0


def test_session_curves_have_bands_and_the_sessions_that_are_left() -> None:
    qrels = pydocs.session_qrels()
    curves = with_band(session_curves(pydocs.session_runs(), None, qrels, sDCG @ 10))
    left = {1: 30, 2: 30, 3: 24, 4: 12, 5: 12, 6: 2}
    curves["sessions"] = curves["query_position"].map(left)
    figure = plots.plot_session_curves(curves)
    no_overlap(figure)
    (axes,) = figure.axes
    assert len(axes.collections) == 2
    labels = axes.get_xticklabels(minor=True)
    shown = {text.get_position()[0]: text.get_text() for text in labels}
    assert shown == {5.5: "n=30", 25.5: "n=24", 35.5: "n=12", 55.5: "n=2"}
    assert not plots.plot_session_curves(curves, band=False).axes[0].collections
    curves.loc[curves["name"] == curves["name"].iloc[0], "sessions"] += 100  # runs that differ
    figure = plots.plot_session_curves(curves)
    no_overlap(figure)
    labels = figure.axes[0].get_xticklabels(minor=True)
    assert [text.get_text() for text in labels] == ["n=30–130", "n=24–124", "n=12–112"]
    boxes = [text.get_window_extent() for text in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


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


NCG = "nCG 0-1-1-1"


def wins_and_losses(difference: pd.Series) -> str:
    won, lost = (difference > 0).sum(), (difference < 0).sum()
    return f"{won} wins, {len(difference) - won - lost} ties, {lost} losses"


def test_differences_by_topic() -> None:
    """Bars of 42 topics: their ids fit under a single panel; in four panels the extremes stand."""
    results = by_query()
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    figure = plots.plot_topics(results, NCG, baseline="BM25")
    no_overlap(figure)
    assert figure.texts[0].get_text() == f"{NCG}, difference to BM25"
    others = [name for name in results["name"].unique() if name != "BM25"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    for axes, name in zip(figure.axes, others, strict=True):
        expected = (matrix[name] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
        assert axes.get_title() == f"{name}\n{wins_and_losses(expected)}"
        assert [bar.get_height() for bar in axes.patches] == expected.tolist()
        best, worst = (text.get_text().split("\n") for text in axes.texts)
        assert [text.partition(":")[0] for text in best] == expected.index[:3].tolist()
        assert worst[-1] == f"{expected.index[-1]}: −{-expected.iloc[-1]:.3f}"
        assert axes.get_xlabel() == "42 topics"
    figure = plots.plot_topics(results, NCG, baseline="BM25", system="DPH")
    no_overlap(figure)
    (axes,) = figure.axes
    expected = (matrix["DPH"] - matrix["BM25"]).sort_values(ascending=False, kind="stable")
    assert [bar.get_height() for bar in axes.patches] == expected.tolist()
    labels = axes.get_xticklabels()
    assert [text.get_text() for text in labels] == expected.index.tolist()
    boxes = [text.get_window_extent() for text in labels]
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))


def results_of(topics: int, **systems) -> pd.DataFrame:
    """Results by hand: a value, or an array of values, for each system."""
    frames = [
        pd.DataFrame({"name": name, "qid": [f"q{i}" for i in range(topics)], "value": value})
        for name, value in systems.items()
    ]
    return pd.concat(frames).assign(measure="CG")


@pytest.mark.parametrize("sign", [1, 0, -1])
def test_topics_that_are_all_won_or_lost_or_tied(sign: int) -> None:
    """The names of the extreme topics stand where there are no bars."""
    rising = np.arange(100) / 100 + 5
    figure = plots.plot_topics(results_of(100, A=0.0, B=sign * rising), baseline="A")
    no_overlap(figure)
    (axes,) = figure.axes
    counts = {1: "100 wins, 0 ties, 0 losses", 0: "0 wins, 100 ties, 0 losses"}
    assert axes.get_title() == f"B\n{counts.get(sign, '0 wins, 0 ties, 100 losses')}"
    best, worst = (text.get_text() for text in axes.texts)
    assert best == ("q99: +5.990\nq98: +5.980\nq97: +5.970" if sign > 0 else "")
    assert worst == ("q97: −5.970\nq98: −5.980\nq99: −5.990" if sign < 0 else "")
    for text in axes.texts:
        if text.get_text():
            box = text.get_window_extent()
            assert not any(box.overlaps(bar.get_window_extent()) for bar in axes.patches)


def test_few_topics_and_long_names() -> None:
    names = ["a$b_{$c", "a long pipeline >> " * 5, "_hidden"]
    results = results_of(5, **dict(zip(names, ([1.0, 2, 3, 4, 5], 3.0, 2.0), strict=True)))
    figure = plots.plot_topics(results, baseline="_hidden")
    no_overlap(figure)
    assert figure.axes[0].get_title() == "a\\$b_{\\$c\n3 wins, 1 tie, 1 loss"
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels == ["q4", "q3", "q2", "q1", "q0"]
    figure = plots.plot_pair(results, x=names[1], y=names[0])
    no_overlap(figure)
    assert {text.get_text() for text in figure.axes[0].texts} == {"q0", "q1", "q3", "q4"}


def test_two_systems_topic_by_topic() -> None:
    results = by_query()
    figure = plots.plot_pair(results, NCG, x="BM25", y="First word")
    no_overlap(figure)
    (axes,) = figure.axes
    matrix = results[results["measure"] == NCG].pivot(index="qid", columns="name", values="value")
    pairs = matrix[["BM25", "First word"]]
    assert axes.collections[0].get_offsets().tolist() == pairs.to_numpy().tolist()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("BM25", "First word")
    assert axes.get_xlim() == axes.get_ylim()
    (diagonal,) = axes.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    difference = pairs["First word"] - pairs["BM25"]
    assert axes.get_title() == f"{NCG}\nFirst word: {wins_and_losses(difference)}"
    farthest = difference.abs().sort_values(ascending=False, kind="stable").index
    named = [text.get_text() for text in axes.texts]
    assert farthest[0] in named
    assert set(named) <= set(farthest[:8])
    boxes = [text.get_window_extent() for text in axes.texts]
    points = axes.transData.transform(pairs.to_numpy())
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])
        assert not any(box.contains(*point) for point in points)


def test_labels_that_have_no_room_are_left_out() -> None:
    """Topics at the same point: one is named."""
    axes = plots.plot_pair(results_of(20, A=0.0, B=1.0)).axes[0]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert 1 <= len(boxes) < 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


RESULTS = results_of(3, A=1.0, B=2.0, C=3.0)


@pytest.mark.parametrize(
    ("function", "results", "chosen", "message"),
    [
        (plots.plot_topics, RESULTS, {}, r"choose a system as baseline; there are \['A', 'B', 'C'"),
        (plots.plot_topics, RESULTS, {"baseline": "X"}, "baseline='X' is not one of the systems"),
        (plots.plot_topics, RESULTS, {"baseline": "A", "system": "X"}, "system='X' is not one of"),
        (plots.plot_topics, RESULTS, {"baseline": "A", "system": "A"}, "are the same system, 'A'"),
        (plots.plot_pair, RESULTS, {}, r"choose two systems, x and y; there are \['A', 'B', 'C'"),
        (plots.plot_pair, RESULTS, {"x": "A"}, "choose a system as y; there are"),
        (plots.plot_pair, RESULTS, {"x": "A", "y": "X"}, "y='X' is not one of the systems"),
        (
            plots.plot_pair,
            pd.concat([RESULTS, RESULTS.assign(measure="DCG")]),
            {"x": "A", "y": "B"},
            "choose a measure; the results have CG, DCG",
        ),
        (
            plots.plot_topics,
            RESULTS,
            {"baseline": "A", "measure": "DCG"},
            "there is no measure 'DCG'; the results have CG",
        ),
        (
            plots.plot_topics,
            RESULTS.replace({"value": {2.0: np.nan}}),
            {"baseline": "A"},
            r"CG: 'B' has no value \(or NaN\) for topic 'q0'",
        ),
        (
            plots.plot_pair,
            pd.concat([results_of(2, A=1.0), results_of(2, B=1.0).replace({"q0": "x", "q1": "y"})]),
            {},
            r"'B' has no value \(or NaN\) for topic 'q0'; a comparison needs all systems on the",
        ),
        (plots.plot_pair, RESULTS.drop(columns="qid"), {"x": "A", "y": "B"}, "columns.*'qid'"),
        (plots.plot_topics, RESULTS.drop(columns="qid"), {"baseline": "A"}, "columns.*'qid'"),
    ],
)
def test_results_that_cannot_be_drawn(function, results, chosen: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(results, **chosen)


def test_systems_that_are_not_drawn_may_lack_topics() -> None:
    results = RESULTS.replace({"value": {3.0: np.nan}})
    assert len(plots.plot_topics(results, baseline="A", system="B").axes[0].patches) == 3
    assert len(plots.plot_pair(results, x="A", y="B").axes[0].collections[0].get_offsets()) == 3


def test_parts_by_level(qrels) -> None:
    """The parts of a bar are the frame's, one after another."""
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
    assert names == list(runs)
    assert figure.axes[0].yaxis_inverted()
    for axes, measure in zip(figure.axes, measures, strict=True):
        assert axes.get_title() == str(measure)
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
    left, right = zip(*[(round(box.x0 - zero), round(box.x1 - zero)) for box in spans])
    assert right[0] == left[2] == 0  # outwards from zero
    assert right[1] == left[0]
    assert left[3] == right[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.drop(columns="level"), r"missing columns \['level'\].*gain_by_level"),
        (lambda parts: parts[:0], "there are no parts to draw"),
        (lambda parts: pd.concat([parts, parts]), "a level twice; give parts of means, not of"),
        (lambda parts: parts.assign(value=np.nan), "CG: 'X' has NaN for level 1"),
    ],
)
def test_parts_that_cannot_be_drawn(change, message: str) -> None:
    parts = pd.DataFrame({"name": ["X"], "measure": ["CG"], "level": [1], "value": [1.0]})
    with pytest.raises(ValueError, match=message):
        plots.plot_levels(change(parts))
