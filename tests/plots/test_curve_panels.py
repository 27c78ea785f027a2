"""Curves by rank, query and recall: what is drawn, with which labels, where."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pt_cumgain import CG, gain_curves, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.papers import plateau_ranks, precision_by_level
from pt_cumgain.sessions import session_curves
from tests.support.drawn import no_overlap
from tests.support.helpers import SESSION_COLUMNS, hide, slow

pytestmark = pytest.mark.usefixtures("figures")


def test_small_multiples_like_those_of_tois_2002(qrels) -> None:
    measures = [m(gains=s) for m in (CG, nDCG(discount="revised")) for s in ("0-1-1-1", "exp")]
    curves = gain_curves(pydocs.runs(), None, qrels, measures, 30)
    figure = plots.plot_curves(curves)
    panels = figure.axes
    assert len(panels) == 4
    assert [axes.get_title() for axes in panels] == ["CG", "CG", "nDCG", "nDCG"]
    below = [axes.texts[0].get_text().replace("\n", " ") for axes in panels]
    discounted = ["0-1-1-1, ECIR 2008, $b$ = 2", "exponential, ECIR 2008, $b$ = 2"]
    assert below == ["0-1-1-1", "exponential", *discounted]
    assert len({axes.get_position().x0 for axes in panels}) == 2
    for axes, measure in zip(panels, curves["measure"].unique(), strict=True):
        lines = {line.get_label(): line for line in axes.get_lines()}
        unnormalised = measure.startswith("CG")
        assert set(lines) == {*pydocs.runs()} | ({"ideal"} if unnormalised else set())
        expected = curves[(curves["measure"] == measure) & (curves["name"] == "PL2")]
        assert lines["PL2"].get_ydata().tolist() == expected["value"].tolist()
        if unnormalised:
            assert lines["ideal"].get_ydata().tolist() == expected["ideal"].tolist()
            assert lines["ideal"].get_linestyle() != "-"
        assert axes.get_ylim()[0] == 0
        assert axes.get_xlim() == (1, 30)
        assert axes.get_xticks()[0] == 1
    assert [axes.get_xlabel() for axes in panels] == ["", "", *["rank (42 topics)"] * 2]
    assert [axes.get_ylabel() for axes in panels] == ["CG", "", "nDCG", ""]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    last = {line.get_label(): line.get_ydata()[-1] for line in panels[0].get_lines()}
    high = panels[0].get_ylim()[1]
    assert sorted(texts) == sorted(last)
    assert all(last[a] > last[b] - 0.011 * high for a, b in pairwise(texts))  # as one sees them
    no_overlap(figure)


def test_many_systems_with_long_names(qrels) -> None:
    """28 lines that differ in more than colour; none is dashed evenly, as the ideal is."""
    run = pydocs.runs()["BM25"]
    runs = {f"a system with a rather long name {i}": run for i in range(28)}
    curves = gain_curves(runs, None, qrels, CG, 20)
    figure = plots.plot_curves(curves)
    ideal, *lines = figure.axes[0].get_lines()
    without_colour = {(str(line._unscaled_dash_pattern), line.get_marker()) for line in lines}
    assert len(without_colour) == 28
    assert ideal.get_marker() == "None"
    dashes = [line._unscaled_dash_pattern[1] for line in (ideal, *lines)]
    assert min(dashes[0]) >= 3
    assert all(pattern is None or min(pattern) == 1 for pattern in dashes[1:])  # with dots
    no_overlap(figure)


def falling(
    names: list[str], ends: list[float], measures: tuple[str, ...] = ("CG",)
) -> pd.DataFrame:
    """Curves of ten ranks that end at these values."""
    frames = [
        pd.DataFrame({"name": name, "measure": measure, "rank": range(1, 11),
                      "value": np.linspace(9, end, 10), "ideal": np.linspace(9, 10, 10)})
        for measure in measures
        for name, end in zip(names, ends)
    ]  # fmt: skip
    return pd.concat(frames)


def test_a_few_lines_are_labelled_at_their_ends() -> None:
    """In their colours, beside the last panel of each row, each at its own end."""
    curves = falling(["X", "Y$", "_Z"], [2, 4, 6], ("CG", "DCG", "m", "o"))
    for columns in (1, 2, 4):
        figure = plots.plot_curves(curves, columns=columns, figsize=(7, 8))
        no_overlap(figure)
        assert not figure.legends
        for i, axes in enumerate(figure.axes):
            texts = {text.get_text().strip(): text for text in axes.texts}
            last = i % columns == columns - 1
            assert set(texts) == ({"ideal", "X", r"Y\$", "_Z"} if last else set())
            lines = {line.get_label().strip(): line for line in axes.get_lines()}
            for name, text in texts.items():
                box, (x, y) = text.get_window_extent(), lines[name].get_xydata()[-1]
                x, y = axes.transData.transform((x, y))
                assert x < box.x0 < x + 10
                assert (box.y0 + box.y1) / 2 == pytest.approx(y, abs=2)
                colour = np.array(to_rgb(lines[name].get_color()))
                assert np.array(text.get_color()) == pytest.approx(0.75 * colour)


CLOSE = [2, 2.4, 6]


@pytest.mark.parametrize(
    ("curves", "options", "texts"),
    [
        (falling(list("XYZ"), CLOSE), {}, ["ideal", "Z", "Y", "X"]),
        (falling(list("XYZ"), CLOSE), {"figsize": (3.3, 6)}, None),  # now they are farther apart
        (falling(list("XYZ"), [2, 4, 6]), {"legend": "below"}, ["ideal", "Z", "Y", "X"]),
        (falling(list("UVWXYZ"), [1, 2, 3, 4, 5, 6]), {"ideal": False}, None),
        (falling(list("TUVWXYZ"), [1, 2, 3, 4, 5, 6, 7]), {"ideal": False}, list("ZYXWVUT")),
        (falling(["X", "a name that is wide"], [2, 6]), {}, ["ideal", "a name that is wide", "X"]),
        (falling(["X", "Y"], [2, 6]).assign(low=1, high=8, band="b"), {}, ["b"]),
        *slow(
            (falling(["X", "Y"], [2, 6]).replace({"value": {6: np.nan}}), {}, ["ideal", "X", "Y"]),
            (falling(["X", "Y"], [2, 6])[:-2], {"ideal": False}, None),  # Y ends earlier
            (falling(["X"], [2], ("CG", "D")), {"figsize": (7, 3)}, None),
            (falling(["X", "Y"], [2, 6], ("CG", "D"))[:-10], {"figsize": (7, 3)},
             ["ideal", "Y", "X"]),
            (falling(["X"], [2]).assign(qid="1"), {}, ["X"]),
        ),
    ],
)  # fmt: skip
def test_lines_without_room_for_labels_have_a_legend(curves, options: dict, texts) -> None:
    figure = plots.plot_curves(curves, **{"figsize": (3.3, 2.5)} | options)
    no_overlap(figure)
    shown = [[text.get_text() for text in legend.get_texts()] for legend in figure.legends]
    assert shown == ([texts] if texts else [])
    labelled = {text.get_text() for axes in figure.axes for text in axes.texts}
    lines = {*curves["name"]} | ({"ideal"} if options.get("ideal", True) else set())
    assert labelled == (lines if texts in (None, ["b"]) else set())


def test_panels_with_different_lines_have_a_legend() -> None:
    curves = falling(["X", "Y"], [2, 6], ("CG", "nCG"))
    curves.loc[curves["measure"] == "nCG", "ideal"] = 1.0
    figure = plots.plot_curves(curves)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ideal", "Y", "X"]
    assert not figure.axes[1].texts


def test_some_systems_are_highlighted(qrels) -> None:
    """The others are grey and have no bands; colours and numbers are those of the places."""
    run = pydocs.runs()["BM25"]
    names = [f"organisation {i} {'x' * 80}" for i in range(12)]
    curves = with_band(gain_curves(dict.fromkeys(names, run), None, qrels, CG, 20))
    figure = plots.plot_curves(curves, highlight=[names[3], names[8]], figsize=(3.3, 2.6))
    no_overlap(figure)
    (axes,) = figure.axes
    the_ideal, *drawn = axes.get_lines()
    expected = dict.fromkeys(range(12), "0.8") | {i: plots.COLOURS[i % 8] for i in (3, 8)}
    assert [line.get_color() for line in drawn] == list(expected.values())
    assert all(line.get_zorder() < the_ideal.get_zorder() for line in drawn[:3])
    assert [drawn[i].get_marker() for i in (0, 3)] == ["None", plots.MARKERS[3]]
    *bands, _ = axes.collections  # the last one is the legend's
    assert [to_rgb(band.get_facecolor()[0]) for band in bands] == [
        to_rgb(plots.COLOURS[i]) for i in (3, 0)
    ]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 5
    assert {"ideal", "10 others", "low to high"} < set(texts)
    one = plots.plot_curves(curves, highlight=names[:11], band=False, legend="below")
    assert "1 other" in [text.get_text() for text in one.legends[0].get_texts()]
    with pytest.raises(ValueError, match=r"highlight: 'BM25' is not one of \['organisation 0 "):
        plots.plot_curves(curves, highlight="BM25")


def test_topics_and_levels_of_a_system_are_highlighted(qrels) -> None:
    runs = {name: run for name, run in pydocs.runs().items() if name in ("BM25", "DPH")}
    each = gain_curves(runs, None, qrels, CG, 5, perquery=True)
    figure = plots.plot_curves(each, highlight="DPH")
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"DPH", "1 other"}
    colours = {line.get_label(): line.get_color() for line in figure.axes[0].get_lines()}
    assert colours == {"1 other": "0.8", "DPH": plots.COLOURS[list(runs).index("DPH")]}
    figure = plots.plot_precision(precision_by_level(runs, None, qrels), highlight="DPH")
    for axes in figure.axes:
        colours = {line.get_label(): line.get_color() for line in axes.get_lines()}
        assert colours == {"1 other": "0.8", "DPH": plots.COLOURS[list(runs).index("DPH")]}


def test_a_number_means_one_system_in_every_picture() -> None:
    """Its place in the frame, whatever else the legend shows and whichever lines are grey."""
    names = [f"organisation{'x' * 40}{i:02}{'x' * 40}" for i in range(20)]  # alike when cut
    curves = falling(names, list(range(20)))
    numbers = []
    for options in ({}, {"ideal": False}, {"highlight": names[5:], "ideal": True}):
        with pytest.warns(UserWarning, match=f"so they are numbered: 1 is {names[0]}; 2 is "):
            figure = plots.plot_curves(curves, figsize=(3.3, 2.6), **options)
        texts = [text.get_text() for text in figure.legends[0].get_texts()]
        numbers.append([int(text.split()[0]) for text in texts if " or" in text])
    assert numbers == [list(range(20, 0, -1)), list(range(20, 0, -1)), list(range(20, 5, -1))]


@pytest.mark.parametrize("size", [(3.3, 2.6), *slow((None,), ((7, 3.5),))])
@pytest.mark.parametrize("systems", [2, 5, 12, 40])
def test_long_names_fit(systems: int, size) -> None:
    """No letter is below 5 points, or a warning says so."""
    names = [f"organisation_{i}_{'x' * 40} >> {'y ' * 30}"[:90] for i in range(systems)]
    curves = falling(names, list(range(systems)), ("CG(gains='0-1-10-100')",))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = plots.plot_curves(curves, figsize=size)
    too_small = (systems, size) == (40, (3.3, 2.6))
    assert ["too small to be read in 3.3" in str(one.message) for one in caught] == (
        [True] if too_small else []
    )
    no_overlap(figure)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == systems + 1
    assert too_small or min(text.get_fontsize() for text in legend.get_texts()) >= 5
    assert legend.get_window_extent().height <= 0.45 * figure.bbox.height or size is None
    assert figure.axes[0].get_window_extent().height > 60


def test_negative_gains_are_not_cut_off() -> None:
    rows = [("X", "CG", 1, -2.0, 0.0), ("X", "CG", 2, 1.0, 1.0)]
    curves = pd.DataFrame(rows, columns=["name", "measure", "rank", "value", "ideal"])
    assert plots.plot_curves(curves).axes[0].get_ylim()[0] < -2
    below = curves.assign(value=[-2.0, -1.0], ideal=-1.0)
    assert plots.plot_curves(below).axes[0].get_ylim()[0] < -2


def test_session_curves_mark_the_queries() -> None:
    qrels = pydocs.session_qrels()
    curves = session_curves(pydocs.session_runs(), None, qrels, [sDCG @ 10, nsDCG @ 5])
    figure = plots.plot_session_curves(curves, ideal=True)
    for axes, depth in zip(figure.axes, (5, 10), strict=True):
        labels = [text.get_text() for text in axes.get_xticklabels()]
        assert [label.split("\n")[0] for label in labels] == ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]
        boundaries = [
            line.get_xdata()[0]
            for line in axes.get_lines()
            if line.get_label().startswith("_") and len(set(line.get_xdata())) == 1
        ]
        assert boundaries == [depth * q + 0.5 for q in range(1, 6)]
        assert f"top {depth} each" in axes.get_xlabel()
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
    """Bands lie between low and high, in the systems' colours."""
    run = pydocs.runs()["BM25"]
    runs = {f"system {i}": run for i in range(systems)}
    curves = with_band(gain_curves(runs, None, qrels, nDCG, 20))
    figure = plots.plot_curves(curves, log_rank=log_rank)
    no_overlap(figure)
    (axes,) = figure.axes
    ends = set(zip(curves["rank"], curves["low"])) | set(zip(curves["rank"], curves["high"]))
    *bands, sign = axes.collections
    assert sign.get_label() == "low to high"
    assert len(bands) == systems
    for i, band in enumerate(bands):
        assert to_rgb(band.get_facecolor()[0]) == to_rgb(plots.COLOURS[i])
        assert {tuple(xy) for path in band.get_paths() for xy in path.vertices} == ends
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
    assert len(axes.collections) == 3  # two bands, and one for the legend
    labels = {text.get_text(): text.get_position()[0] for text in axes.get_xticklabels()}
    assert labels == {f"Q{q}\nn={n}": 10 * q - 4.5 for q, n in left.items()}
    assert not plots.plot_session_curves(curves, band=False).axes[0].collections
    curves.loc[curves["name"] == curves["name"].iloc[0], "sessions"] += 100  # runs that differ
    figure = plots.plot_session_curves(curves)
    no_overlap(figure)
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels == ["Q1\nn=30–130", "Q3\nn=24–124", "Q5\nn=12–112"]


def test_long_sessions_have_room_for_their_labels() -> None:
    run = pd.DataFrame([("s", "a", 1.0, q) for q in range(1, 31)], columns=SESSION_COLUMNS)
    figure = plots.plot_session_curves(session_curves([run], None, {"s": {"a": 1}}, sDCG @ 10))
    no_overlap(figure)
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels == [f"Q{q}\nn=1" for q in range(1, 31, 5)]


def test_precision_by_recall(qrels) -> None:
    table = precision_by_level(pydocs.runs(), None, qrels)
    figure = plots.plot_precision(table)
    titles = [(axes.get_title(), axes.texts[0].get_text()) for axes in figure.axes]
    # all of the 42 topics have documents of each level (pydocs)
    assert titles == [(f"relevance level {level}", "42 topics") for level in (1, 2, 3)]
    assert len({axes.get_position().y0 for axes in figure.axes}) == 1  # three in a row
    line = {line.get_label(): line for line in figure.axes[2].get_lines()}["DPH"]
    row = table[(table["name"] == "DPH") & (table["level"] == 3)].iloc[0]
    assert line.get_ydata().tolist() == row.iloc[4:].tolist()
    no_overlap(figure)


def test_long_names_and_signs_are_shown_whole(qrels) -> None:
    """Long names of systems, and long schemes, are shown in part."""
    run = pydocs.runs()["BM25"]
    names = ["_hidden", "ideal", "a$b_{$c", "a long pipeline >> " * 5, "x" * 90]
    measure = nDCG(gains="-".join(["0", *["1000"] * 12]), discount="original")
    curves = gain_curves(dict.fromkeys(names, run), None, qrels, [measure], 20)
    figure = plots.plot_curves(curves)
    no_overlap(figure)
    texts = [text.get_text().replace("\n", "") for text in figure.legends[0].get_texts()]
    assert texts[:3] == [" _hidden", "ideal", r"a\$b_{\$c"]
    for name, text in zip(names[3:], texts[3:], strict=True):
        start, end = text.split("…")
        assert len(text) > 20
        assert name.startswith(start)
        assert name.endswith(end)
    (axes,) = figure.axes
    assert axes.get_title() == "nDCG"
    assert axes.texts[0].get_text() == "0-1000-1000-…-1000,\noriginal, $b$ = 2"


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
    assert sorted(texts) == ["X", "Y", "ideal"]
    ideals = [line for line in figure.axes[0].get_lines() if line.get_label() == "ideal"]
    assert len({tuple(line.get_ydata()) for line in ideals}) == len(ideals) == 2
    with pytest.raises(ValueError, match="the ideal of 'Y' differs from that of the others"):
        plateau_ranks(curves)


def test_few_and_many_ranks_on_a_logarithmic_axis(qrels) -> None:
    few = ["1", "2", "5", "10", "20", "50"]
    for depth, expected in ((1000, ["1", "10", "100", "1000"]), (70, few), (1, ["1"])):
        curves = gain_curves(pydocs.runs(), None, qrels, CG, depth)
        axes = plots.plot_curves(curves, log_rank=True).axes[0]
        assert [text.get_text() for text in axes.get_xticklabels()] == expected


@pytest.mark.parametrize(
    ("function", "frame", "message"),
    [
        (plots.plot_curves, pd.DataFrame({"name": []}), r"^curves: missing .* \['measure', 'rank'"),
        (plots.plot_precision, pd.DataFrame({"name": []}), r"^table: missing .* \['level', 0.0"),
        (
            plots.plot_curves,
            pd.DataFrame({"name": "X", "measure": "CG", "rank": [1, 1], "value": [1, 2]}),
            "curves: two rows have the same name, measure, rank; give means",
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


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (lambda curves: curves, "rank (42 topics)"),
        (lambda curves: curves.drop(columns="topics"), "rank"),
        (lambda curves: curves.assign(topics=np.nan), "rank"),  # joined with others that have it
        (lambda curves: curves.assign(topics=1), "rank (1 topic)"),
        (
            lambda curves: curves.assign(topics=np.where(curves["name"] == "QLD", 40, 42)),
            "rank (40–42 topics)",
        ),
    ],
)
def test_the_number_of_topics_is_said(qrels, change, label: str) -> None:
    curves = gain_curves(pydocs.runs(), None, qrels, CG, 5)
    assert plots.plot_curves(change(curves)).axes[0].get_xlabel() == label


def test_curves_of_topics_and_sessions_say_how_many_there_are(qrels) -> None:
    each = gain_curves(pydocs.runs(), None, qrels, CG, 5, perquery=True)
    assert plots.plot_curves(each).axes[0].get_xlabel() == "rank (42 topics)"
    runs, of_sessions = pydocs.session_runs(), pydocs.session_qrels()
    each = session_curves(runs, None, of_sessions, sDCG @ 3, perquery=True)
    label = plots.plot_session_curves(each).axes[0].get_xlabel().replace("\n", " ")
    assert label == "query, top 3 each (30 sessions)"


@pytest.mark.parametrize("systems", [2, 7])
def test_the_legend_says_what_a_band_is(qrels, systems: int) -> None:
    runs = dict.fromkeys(map(str, range(systems)), pydocs.runs()["BM25"])
    bounds = "bounds" if systems == 2 else "bounds (two highest)"
    for options, what in (({"bounds": True}, bounds), ({"interval": 0.9}, "90% t interval")):
        curves = gain_curves(runs, None, qrels, CG, 5, **options)
        texts = plots.plot_curves(curves).legends[0].get_texts()
        assert [text.get_text() for text in texts][-1] == what
    texts = plots.plot_curves(curves.drop(columns="band")).legends[0].get_texts()
    assert texts[-1].get_text() == "low to high"
    texts = plots.plot_curves(curves, band=False).legends[0].get_texts()
    assert len(texts) == systems + 1
    assert plots.plot_curves(curves, legend=False).legends == []


@pytest.mark.parametrize(
    ("depth", "ticks"),
    [(1, [1]), (3, [1, 2, 3]), (10, [1, 4, 10]), (100, [1, 20, 100]), (1000, [1, 200, 1000])],
)
def test_ranks_begin_at_1(depth: int, ticks: list[int]) -> None:
    curves = pd.DataFrame({"name": "X", "measure": "CG", "rank": range(1, depth + 1), "value": 1.0})
    axes = plots.plot_curves(curves).axes[0]
    axes.figure.canvas.draw()
    shown = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    assert shown[0] == 1
    assert set(ticks) <= set(shown)
    assert all(tick == round(tick) for tick in shown)


@pytest.mark.parametrize(
    ("measures", "order", "columns"),
    [
        (["CG", "nCG", "DCG"], [0, 1, 2], 3),
        (["CG(gains='exp')", "nDCG(gains='exp')", "CG", "nDCG"], [0, 2, 1, 3], 2),
        *slow(
            (["CG w1", "CG w3", "CG w10", "nCG w1", "nCG w3", "nCG w10"], [0, 1, 2, 3, 4, 5], 3),
            (["CG w1", "CG w3", "CG w10", "nCG w1"], [0, 1, 2, 3], 2),  # not as many of each
        ),
    ],
)
def test_a_measure_under_several_weightings_has_a_row(measures, order, columns: int) -> None:
    figure = plots.plot_curves(falling(["X"], [2], tuple(measures)))
    shown = [measures[i].partition("(")[0] for i in order]
    assert [axes.get_title() for axes in figure.axes] == shown
    varied = ["exponential" in [t.get_text() for t in axes.texts] for axes in figure.axes]
    assert varied == ["exp" in measures[i] for i in order]
    figure.canvas.draw()
    assert len({round(axes.get_position().x0, 2) for axes in figure.axes}) == columns


def test_a_run_called_ideal_has_a_name_of_its_own() -> None:
    figure = plots.plot_curves(falling(["ideal", "X"], [4, 6]), legend="below")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["ideal ranking", "X", "ideal"]


def test_generalised_precision_over_recall() -> None:
    """Each panel pairs a gP with the gR of the same weighting, at the ranks of the frame."""
    rows = [
        (name, f"{measure}{gains}", rank, value / scale)
        for name, scale in (("A", 10), ("B", 20))
        for measure, values in (("gP", (8, 4)), ("gR", (2, 6)))
        for gains in ("", "(gains='0-1-9')")
        for rank, value in zip((1, 5), values, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["name", "measure", "rank", "value"])
    figure = plots.plot_generalised(frame)
    assert [axes.get_title() for axes in figure.axes] == ["gains equal to the levels", "0-1-9"]
    for axes in figure.axes:
        of_a, of_b = (line.get_xydata().tolist() for line in axes.lines)
        assert of_a == [[0.2, 0.8], [0.6, 0.4]]
        assert of_b == [[0.1, 0.4], [0.3, 0.2]]
    lonely = frame[frame["measure"] != "gR"]
    with pytest.raises(ValueError, match="give gP and gR with the same parameters"):
        plots.plot_generalised(lonely)


def test_differences_and_the_curve_of_descending_gains_are_called_so() -> None:
    columns = ["name", "measure", "rank", "value", "ideal"]
    frame = pd.DataFrame([("A", "CG", 1, -1.0, 2.0), ("A", "CG", 2, 1.0, 3.0)], columns=columns)
    of_baseline = frame.assign(ideal=np.nan, baseline="B")
    (axes,) = plots.plot_curves(of_baseline, figsize=(7, 4)).axes
    assert axes.get_ylabel() == "CG, difference to B"
    assert [0, 0] in [list(x.get_ydata()) for x in axes.lines]
    (axes,) = plots.plot_curves(frame.assign(ideal_is="descending gains")).axes
    assert "descending gains" in [line.get_label() for line in axes.lines]


def test_axes_end_near_the_data() -> None:
    """Those of gP and gR at the next tenth; correlations need not begin at 0, values do."""
    rows = [("A", name, 1, value) for name, value in (("gP", 0.41), ("gR", 0.32))]
    columns = ["name", "measure", "rank", "value"]
    axes = plots.plot_generalised(pd.DataFrame(rows, columns=columns)).axes[0]
    assert (axes.get_xlim(), axes.get_ylim()) == (pytest.approx((0, 0.4)), pytest.approx((0, 0.5)))
    curve = falling(["X"], [0.8])
    assert plots.plot_curves(curve).axes[0].get_ylim()[0] == 0
    assert plots.plot_curves(curve.assign(other_measure="P")).axes[0].get_ylim()[0] != 0
