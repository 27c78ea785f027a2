"""Curves by rank, query and recall: what is drawn, with which labels, where."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from pt_cumgain import CG, gain_curves, nDCG, nsDCG, plots, pydocs, sDCG
from pt_cumgain.papers import precision_by_level
from pt_cumgain.plots._panels import _move_apart
from pt_cumgain.sessions import session_curves
from tests.support.drawn import apart, curves_of, no_overlap, words
from tests.support.helpers import SESSION_COLUMNS, hide, slow
from tests.support.samples import curve_of

pytestmark = pytest.mark.usefixtures("figures")
#: Two points of a curve, and of its ideal.
POINTS = curve_of([-2.0, 1.0], [0.0, 1.0])


def with_band(curves: pd.DataFrame) -> pd.DataFrame:
    return curves.assign(low=curves["value"] - 0.2, high=curves["value"] * 1.5)


@pytest.mark.slow
def test_small_multiples_like_those_of_tois_2002(qrels) -> None:
    """The title names the measure, and the axis does not repeat it."""
    measures = [m(gains=s) for m in (CG, nDCG(discount="revised")) for s in ("0-1-1-1", "exp")]
    curves = gain_curves(pydocs.runs(), None, qrels, measures, 30)
    figure = plots.plot_curves(curves)
    panels = figure.axes
    titles = [axes.get_title().split("\n", 1) for axes in panels]
    assert [title[0] for title in titles] == ["CG", "CG", "nDCG", "nDCG"]
    discounted = ["0-1-1-1, ECIR 2008, $b$ = 2", "exponential, ECIR 2008, $b$ = 2"]
    below = [title[1].replace("\n", " ") for title in titles]
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
        assert (axes.get_ylim()[0] == 0) == unnormalised  # nDCG is above a third of its highest
        assert axes.get_xlim() == (1, 30)
        assert axes.get_xticks()[0] == 1
    assert figure.get_supxlabel() == "rank (42 topics)"
    assert [axes.get_ylabel() for axes in panels] == ["mean", "", "mean", ""]
    last = {line.get_label(): line.get_ydata()[-1] for line in panels[0].get_lines()}
    names = sorted(panels[0].texts, key=lambda text: text.get_position()[1])
    assert sorted(words(names)) == sorted(name for name in last if name[0] != "_")
    assert all(last[a] <= last[b] for a, b in pairwise(words(names)))  # as one sees them
    no_overlap(figure)


@pytest.mark.parametrize("size", [(3.3, 2.5), *slow(((7, 3),), (None,))])
def test_lines_have_their_names_at_their_ends(size) -> None:
    """Of more than eight systems, the eight highest have colours; the others are counted."""
    names = [f"system {i}" for i in range(36)]
    curves = curves_of(dict(zip(names, range(36)))).drop(columns="ideal")
    for systems, others in ((9, "1 other"), (12, "4 others"), (36, "28 others")):
        figure = plots.plot_curves(curves[curves["name"].isin(names[:systems])], figsize=size)
        no_overlap(figure)
        (axes,) = figure.axes
        assert sorted(words(axes.texts)) == sorted([*names[systems - 8 : systems], others])
        apart([Text.get_window_extent(text) for text in axes.texts])  # without leaders
        assert not figure.legends
        colours = {line.get_label(): line.get_color() for line in axes.get_lines()}
        assert {colours[n] for n in names[systems - 8 : systems]} == {*plots.COLOURS[:-1], "black"}
        assert {colours[name] for name in names[: systems - 8]} == {"0.7"}
    equal = curves_of(dict.fromkeys(names[:8], 3.0), ["m", "n"])
    figure = plots.plot_curves(equal, figsize=(7, 3))
    for axes in figure.axes:
        apart([Text.get_window_extent(text) for text in axes.texts])  # without leaders
        assert len({text.get_color() for text in axes.texts}) == 8 + 1  # and the ideal


def test_names_move_as_little_as_their_heights_allow() -> None:
    """Expected: by hand; two that want one place share the way, and none leaves the panel."""
    heights = np.full(3, 0.2)
    for wanted, places in (
        ([0.1, 0.5, 0.9], [0.1, 0.5, 0.9]), ([0.5, 0.5, 0.9], [0.4, 0.6, 0.9]),
        ([0, 0, 0], [0.1, 0.3, 0.5]), ([1, 1, 1], [0.5, 0.7, 0.9]),
    ):  # fmt: skip
        assert _move_apart(np.array(wanted, float), heights) == pytest.approx(places)


def test_some_systems_are_highlighted() -> None:
    """The others are grey and have no bands; long names have all their letters."""
    names = [f"organisation {i} {'x' * 40}" for i in range(5)]
    curves = with_band(curves_of(dict.fromkeys(names, 1.0)))
    figure = plots.plot_curves(curves, highlight=[names[1], names[3]], figsize=(3.3, 2.6))
    no_overlap(figure)
    (axes,) = figure.axes
    drawn = [line.get_color() for line in axes.get_lines() if line.get_label() != "ideal"]
    assert drawn == ["0.7", plots.COLOURS[1], "0.7", plots.COLOURS[3], "0.7"]
    assert len(axes.collections) == 2
    assert figure.get_supxlabel() == "rank; band: low to high"
    shown = {"".join(text.get_text().split()) for text in axes.texts}
    assert {"".join(name.split()) for name in (names[1], names[3])} < shown


def test_negative_gains_are_not_cut_off() -> None:
    for curves in (POINTS, POINTS.assign(value=[-2.0, -1.0], ideal=-1.0)):
        assert plots.plot_curves(curves).axes[0].get_ylim()[0] < -2


@pytest.mark.slow
def test_session_curves_mark_the_queries() -> None:
    qrels = pydocs.session_qrels()
    curves = session_curves(pydocs.session_runs(), None, qrels, [sDCG @ 10, nsDCG @ 5])
    figure = plots.plot_session_curves(curves, ideal=True, figsize=(7, 7))
    for axes, depth in zip(figure.axes, (5, 10), strict=True):
        labels = words(axes.get_xticklabels())
        assert [label.split("\n")[0] for label in labels] == ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]
        boundaries = [
            line.get_xdata()[0]
            for line in axes.get_lines()
            if line.get_label().startswith("_") and len(set(line.get_xdata())) == 1
        ]
        assert boundaries == [depth * q + 0.5 for q in range(1, 6)]
    no_overlap(figure)
    assert figure.get_supxlabel() == "query (n of 30 sessions have it; means over all)"
    single = session_curves(pydocs.session_runs(), None, qrels, sDCG @ 10, perquery=True)
    drawn = plots.plot_session_curves(single).axes[0].get_lines()
    assert sum(len(line.get_xdata()) == 60 for line in drawn) == 2 * 30


@pytest.mark.slow
def test_the_curves_of_topics(qrels) -> None:
    """A line for each topic of each system, with its values; a system has one name."""
    runs = {name: run for name, run in pydocs.runs().items() if name in ("BM25", "DPH")}
    curves = gain_curves(runs, None, qrels, [CG, nDCG], 20, perquery=True)
    figure = plots.plot_curves(curves)
    no_overlap(figure)
    assert sorted(words(figure.axes[0].texts)) == sorted(runs)
    assert figure.axes[0].get_ylabel() == "value"
    for axes, measure in zip(figure.axes, ("CG", "nDCG"), strict=True):
        lines = [line for line in axes.get_lines() if len(line.get_xdata())]
        assert len({(line.get_label(), line.get_color()) for line in lines}) == 2
        drawn = sorted((line.get_label(), *line.get_ydata()) for line in lines)
        of_measure = curves[curves["measure"] == measure].groupby(["name", "qid"])["value"]
        assert drawn == sorted((name, *values) for (name, _), values in of_measure)


@pytest.mark.parametrize("systems", [2, 7])
def test_bands(systems: int) -> None:
    """Bands lie between low and high, in the systems' colours; more than two are outlines."""
    curves = with_band(curves_of({f"system {i}": 1.0 for i in range(systems)}))
    figure = plots.plot_curves(curves)
    no_overlap(figure)
    (axes,) = figure.axes
    ends = set(zip(curves["rank"], curves["low"])) | set(zip(curves["rank"], curves["high"]))
    for i, band in enumerate(axes.collections):
        assert to_rgb(band.get_facecolor()[0]) == to_rgb(plots.COLOURS[i])
        assert {tuple(xy) for path in band.get_paths() for xy in path.vertices} == ends
    thin = [line for line in axes.get_lines() if line.get_linewidth() == 0.5]
    assert (len(axes.collections), len(thin)) == ((2, 0) if systems == 2 else (0, 14))
    for i, line in enumerate(thin):
        assert line.get_color() == plots.COLOURS[i // 2]
        assert {*zip(line.get_xdata(), line.get_ydata())} < ends


@pytest.mark.parametrize(
    ("names", "options", "what"),
    [
        (["BM25"], {"bounds": True}, "least to most"),
        (["BM25"], {"interval": 0.9}, "90% t interval"),
        (["BM25", "DPH"], {"interval": 0.95}, "95% t interval of each mean, not of differences"),
        (["BM25", "DPH"], {"interval": 0.95, "baseline": "BM25"}, "95% t interval"),
    ],
)
def test_the_label_says_what_a_band_is(names, options, what: str, qrels) -> None:
    """With other judgments, the ideal is another; differences have none."""
    runs = {name: pydocs.runs()[name] for name in names}
    figure = plots.plot_curves(gain_curves(runs, None, qrels, CG, 5, **options))
    assert figure.get_supxlabel().replace("\n", " ") == f"rank (42 topics); band: {what}"
    shown = "ideal" in words(figure.axes[0].texts)
    assert shown == ("bounds" not in options and "baseline" not in options)


@pytest.mark.slow
def test_precision_by_recall(qrels) -> None:
    table = precision_by_level(pydocs.runs(), None, qrels)
    figure = plots.plot_precision(table, figsize=(7, 2.4))
    titles = [axes.get_title() for axes in figure.axes]
    # all of the 42 topics have documents of each level (pydocs)
    assert titles == [f"relevance level {level}\n(42 topics)" for level in (1, 2, 3)]
    assert len({axes.get_position().y0 for axes in figure.axes}) == 1  # three in a row
    line = {line.get_label(): line for line in figure.axes[2].get_lines()}["DPH"]
    row = table[(table["name"] == "DPH") & (table["level"] == 3)].iloc[0]
    assert line.get_ydata().tolist() == row.iloc[4:].tolist()
    no_overlap(figure)
    means = table[table["level"] == 3].set_index("name").iloc[:, 3:].mean(axis=1)
    listed = words(figure.axes[2].get_legend().get_texts())
    assert listed == means.sort_values(ascending=False).index.tolist()
    one = table[table["level"] == 1]
    (axes,) = plots.plot_precision(one, highlight="DPH").axes
    colours = {line.get_label(): line.get_color() for line in axes.get_lines()}
    assert colours == dict.fromkeys(pydocs.runs(), "0.7") | {"DPH": plots.COLOURS[3]}


def test_ideals_that_differ_are_all_drawn() -> None:
    runs = {
        name: pd.DataFrame([("s", "a", 1.0, q) for q in range(1, n + 1)], columns=SESSION_COLUMNS)
        for name, n in (("X", 2), ("Y", 3))
    }
    curves = session_curves(runs, None, {"s": {"a": 1}}, sDCG @ 5)
    figure = plots.plot_session_curves(curves, ideal=True)
    assert sorted(words(figure.axes[0].texts)) == ["X", "Y", "ideal"]
    ideals = [line for line in figure.axes[0].get_lines() if line.get_label() == "ideal"]
    assert len({tuple(line.get_ydata()) for line in ideals}) == len(ideals) == 2


def test_ranks_begin_at_1_and_are_round() -> None:
    for depth in (10, 1000):
        ranks = range(1, depth + 1)
        curves = pd.DataFrame({"name": "X", "measure": "CG", "rank": ranks, "value": 1.0})
        shown = plots.plot_curves(curves).axes[0].get_xticks().tolist()
        assert {1, depth} <= set(shown)
        assert all(tick == round(tick) <= depth for tick in shown)


def test_without_matplotlib_it_says_what_to_install(monkeypatch) -> None:
    hide("matplotlib", monkeypatch)
    with pytest.raises(ImportError, match=r'pip install "pt_cumgain\[plot\]"'):
        plots.plot_curves(POINTS)


def test_the_number_of_topics_is_said() -> None:
    for topics, label in ((np.nan, ""), (1, " (1 topic)"), ([40, 42], " (40–42 topics)")):
        figure = plots.plot_curves(POINTS.assign(topics=topics))
        assert figure.get_supxlabel() == f"rank{label}"


def test_differences_and_the_curve_of_descending_gains_are_called_so() -> None:
    (axes,) = plots.plot_curves(POINTS.assign(ideal=np.nan, baseline="B"), figsize=(7, 4)).axes
    assert axes.get_ylabel() == "difference from B"
    assert {line.get_label(): list(line.get_ydata()) for line in axes.lines}["B"] == [0, 0]
    many = curves_of({f"system {i}": 1.0 + i for i in range(12)}).drop(columns="ideal")
    for each in ({}, {"qid": "q"}):  # the baseline has the first colour, and its name
        (axes,) = plots.plot_curves(many.assign(baseline="B", **each), figsize=(7, 4)).axes
        assert {text.get_text(): text.get_color() for text in axes.texts}["B"] == plots.COLOURS[0]
    (axes,) = plots.plot_curves(POINTS.assign(ideal_is="descending gains")).axes
    assert "descending gains" in [line.get_label() for line in axes.lines]
