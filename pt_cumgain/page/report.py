"""An interactive page in a single HTML file (extra ``report``).

The page contains the ranks of the judged documents, from which the browser computes everything. The
names and descriptions of discounts, rules for ties and schemes are taken from the package's own
declarations.
"""

from __future__ import annotations

import base64
import datetime
import html
import json
import math
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure
from scipy.special import stdtrit

from pt_cumgain import __version__, core
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.comparing._systems import check_system
from pt_cumgain.core import BUILT_IN, DISCOUNTS, TIES, Floats
from pt_cumgain.description import describe
from pt_cumgain.engine import Engine, JudgedRun
from pt_cumgain.engine.judging import Judgments, join_columns
from pt_cumgain.environment.extras import bokeh_resources, load
from pt_cumgain.environment.files import check_suffix, replacing
from pt_cumgain.inputs.measures import parse_measures
from pt_cumgain.inputs.reading import Qrels
from pt_cumgain.inputs.systems import Systems
from pt_cumgain.measures import CumulatedGain, as_cumulated_gain, nDCG
from pt_cumgain.options import CONFIDENCE_LEVEL, DEPTH, Scores, checked
from pt_cumgain.papers._schemes import SCHEMES, fit_weightings
from pt_cumgain.plots import _style as style
from pt_cumgain.plots._style import Styles
from pt_cumgain.systems import Experiment, tell_range
from pt_cumgain.trust._corners import Choices
from pt_cumgain.trust._ranges import find_most
from pt_cumgain.weighting import Weighting, number
from pt_cumgain.writing.phrases import PHRASES, count_things
from pt_cumgain.writing.shares import JUDGED

#: The suffixes of pages.
SUFFIXES = (".html", ".htm")
#: The measures that the page computes.
SHOWN = ("CG", "DCG", "nCG", "nDCG")
#: The most that a page can hold and still open and respond quickly.
MOST = {
    "systems": 150,
    "topics": 5_000,
    "relevance levels": 12,
    "ranks (depth)": 1000,
    "systems times topics times ranks": 2_000_000,
    "MB of ids of documents": 1.4,
}
#: The most systems that have colours; the others are grey.
COLOURED = len(style.COLOURS)
#: The dashes to which matplotlib gives names; those of other names are solid.
NAMED = {"--": (4, 2), "-.": (6, 2, 1, 2), ":": (1, 1)}
NAMED |= {"dashed": NAMED["--"], "dashdot": NAMED["-."], "dotted": NAMED[":"]}


@dataclass(frozen=True)
class Report:
    """A page in a file. A notebook displays it.

    Attributes
    ----------
    path
        The path of the file.
    """

    path: str

    def _repr_html_(self) -> str:
        page = html.escape(Path(self.path).read_text("utf-8"))
        return f'<iframe srcdoc="{page}" style="width:100%;height:60rem;border:0"></iframe>'


@checked
def report(
    systems: Systems,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measure: Measure | str = "nDCG",
    *,
    path: str | os.PathLike[str],
    baseline: str | int | None = None,
    names: Sequence[str] | None = None,
    title: str | None = None,
    depth: int = DEPTH,
    confidence: float = CONFIDENCE_LEVEL,
    documents: bool = False,
    styles: Styles | None = None,
    date: datetime.date | None = None,
    scores: Scores = "double",
    verbose: bool = False,
) -> Report:
    """Write an interactive page for exploring gains, discount and rank.

    The page is a single HTML file that needs a browser with JavaScript, but
    neither a server nor network access. It begins with a sentence that says
    which system leads and which others may also be best (by
    :func:`pt_cumgain.may_be_best`), followed by a table of the systems. The
    rest of the page shows which system has the highest mean for each weighting,
    rank and base, the gain by rank, and the topics.

    Parameters
    ----------
    systems, topics, qrels, names, scores, verbose
        As for :func:`pt_cumgain.gain_curves`; the page shows the topics'
        ``query``.
    measure
        The measure that the page shows first, as an object or text: CG, DCG,
        nCG or nDCG with any weighting, discount and rule for ties, at rank 10
        by default. A discount of your own must have weights down to ``depth``
        that never rise, because the page offers it for nDCG as well.
    path
        Where to write the page. An existing file is replaced.
    baseline
        The system with which the page compares the others first: its name or,
        as in ``pt.Experiment``, its index among the systems; by default the one
        with the highest mean.
    title
        The heading of the page; by default, the ir_datasets id of the qrels, if
        they were given by it, and the numbers of topics and systems.
    depth
        The last rank that the page covers.
    confidence
        The confidence level of the intervals of means and of mean differences,
        which are t intervals over topics.
    documents
        Whether the page shows the rankings of two systems side by side for a
        topic, down to the depth; the ids of the documents take up to 1.4 MB.
    styles
        The styles of figures, such as the result of
        :func:`pt_cumgain.plots.style_systems`. The page uses their colours
        and, for the first eight systems, their dashes.
    date
        The date at the foot of the page; by default today's.

    Returns
    -------
    Report
        The page with its path. On the last line of a notebook's cell, it
        displays the page.

    Raises
    ------
    ValueError, TypeError
        If the page has no control for the measure, an input cannot be used, or
        there is more than a page can hold: 150 systems, 5,000 topics, 12
        levels, two million for systems times topics times ranks.
    ImportError
        If the extra ``report`` is not installed.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import pydocs, report
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> report(pydocs.runs(), topics, qrels, "nDCG@20", path="report.html")  # doctest: +SKIP
    """
    if Path(path).suffix:
        check_suffix(f"path={os.fspath(path)!r}", path, SUFFIXES)
    first = _with_cutoff(measure, depth)
    experiment = Experiment("report", systems, topics, qrels, names, scores, verbose)
    if baseline is not None:
        baseline = check_system(baseline, list(experiment.by_name), in_order=True)
    script = bokeh_resources()
    judged = _judge(experiment, first, depth, documents)
    judgments = judged.engine.judgments
    levels, qids = judgments.levels, judgments.topics
    data = {
        **_declare(first, levels, depth),
        **_pack_runs(judged.runs, judgments),
        "documents": _pack_documents(judged.runs, judgments) if documents else None,
        "names": judged.names,
        "unmet": judged.unmet,
        **_find_strokes(judged, styles or {}),
        "topics": _describe_topics(qids, topics),
        "depth": depth,
        **_find_quantiles(len(qids), len(judged.names), confidence),
        "judged": JUDGED,
        "lead": PHRASES["lead"],
        "proof": _prove(judged),
        "couldLead": _find_rivals(judged),
        "first": {**state_of(first, levels), **_choose_pair(judged, baseline)},
    }
    things = {"topic": len(qids), "system": len(judged.names), "judgment": len(judgments.level)}
    counts = [count_things(f"{count:,}", thing) for thing, count in things.items()]
    if title is None:
        is_id = isinstance(qrels, str) and not Path(qrels).exists()  # of ir_datasets
        title = f"{qrels}: {', '.join(counts[:2])}" if is_id else ", ".join(counts[:2])
    today = (date or datetime.date.today()).isoformat()
    words = {
        "title": html.escape(title),
        "sentence": html.escape(f"{describe(first).text.removesuffix(PHRASES['text']['host'])}."),
        "confidence": data["confidence"],
        "foot": " · ".join([*counts, f"ranks 1 to {depth}", f"pt_cumgain {__version__}", today]),
    }
    with replacing(path) as file:
        file.write_text(_build_page(data, words, script), "utf-8")
    return Report(os.fspath(path))


def state_of(measure: CumulatedGain, levels: Floats) -> dict[str, Any]:
    """Return the settings of the page's controls that make up a measure."""
    spec = measure.spec
    discounted = "discount" in measure.SUPPORTED_PARAMS
    return {
        "measure": measure.__name__,
        "gains": spec.gains.gain(levels).tolist(),
        "discount": spec.discount if discounted else core.DEFAULT_DISCOUNT,
        "base": spec.base,
        "k": spec.cutoff,
        "ties": spec.ties,
    }


def _with_cutoff(measure: Measure | str, depth: int) -> CumulatedGain:
    """Return the measure with a cutoff; refuse one that the page's controls cannot express."""
    measures = parse_measures(measure)
    shown = as_cumulated_gain(measures[0]) if len(measures) == 1 else None
    if shown is None or shown.__name__ not in SHOWN:
        raise ValueError(f"measure={measure!r}: a page shows one of {', '.join(SHOWN)}")
    for name in ("at_r", "avg_pos", "judged_only", "unjudged"):
        if getattr(shown.spec, name):
            raise ValueError(f"{shown}: a page has no control for {name}; omit it")
    cutoff = shown.spec.cutoff or min(10, depth)
    if cutoff > depth:
        raise ValueError(f"{shown}: the page has the ranks 1 to depth={depth}; use a larger depth")
    nDCG(discount=shown.spec.discount, cutoff=depth).validate_params()  # offered beside it
    return type(shown)(**{**shown.params, "cutoff": cutoff})


def _check_size(sizes: Mapping[str, float], advice: str) -> None:
    """Refuse more than a page can hold, with advice."""
    for what, size in sizes.items():
        if size > MOST[what]:
            many = f"{size:,} {what} are too many for a page, which holds at most {MOST[what]:,}"
            raise ValueError(f"{many}; {advice}")


@dataclass(frozen=True)
class _JudgedSystems:
    """The systems of a page, judged; other data name them by their places in these lists.

    Attributes
    ----------
    measure
        The measure that the page shows first.
    choices
        The weightings of the map; None if there is no map.
    engine
        The engine that judged the runs.
    names, runs
        Their names, and their judged runs down to the depth. Unjudged documents are kept down to
        the cutoff of the measure or, if the page shows documents, down to the depth.
    """

    measure: CumulatedGain
    choices: Choices | None
    engine: Engine
    names: list[str]
    runs: list[JudgedRun]

    @cached_property
    def means(self) -> Floats:
        """Their means, equal where they differ by rounding only."""
        row = self.engine.measures.index(self.measure)
        values = np.array([run.values()[row] for run in self.runs])
        return equate(values.mean(axis=1), np.abs(values).max())

    @property
    def order(self) -> list[int]:
        """The systems, the highest mean first."""
        order: list[int] = np.argsort(-self.means, kind="stable").tolist()
        return order

    @property
    def unmet(self) -> list[int]:
        """The systems without a judged document."""
        return [self.names.index(name) for name in self.engine.unmet]


def _judge(
    experiment: Experiment, first: CumulatedGain, depth: int, documents: bool
) -> _JudgedSystems:
    """Judge the systems by the measures that the page needs; refuse what is too large for it."""
    names, levels = list(experiment.by_name), experiment.levels
    _check_size({"relevance levels": len(levels)}, tell_range(levels))
    has_map = (levels > 0).sum() > 1 and len(names) > 1
    choices = Choices(first, levels, "gains") if has_map else None
    # ties='average' makes the engine keep whole blocks of ties, and all hits down to the depth
    deepest = first(cutoff=depth, ties="average")
    every = dict.fromkeys([first, deepest, *(choices.measures if choices else [])])
    engine, runs = experiment.judge(list(every), warn_for=[first])
    sizes = {"systems": len(names), "topics": len(engine.topics), "ranks (depth)": depth}
    sizes["systems times topics times ranks"] = math.prod(sizes.values())
    _check_size(sizes, "use fewer systems, or a smaller depth")
    kept = depth if documents else first.spec.cutoff or depth
    judged = [replace(r.keep_unjudged(kept), topics=r.topics.cut(depth)) for _, r in runs]
    return _JudgedSystems(first, choices, engine, names, judged)


def _choose_pair(judged: _JudgedSystems, baseline: str | int | None) -> dict[str, int]:
    """Return the systems that the page compares first: by default, the best two."""
    best, *others = judged.order
    base = best if baseline is None else judged.names.index(str(baseline))
    if base != best or not others:
        return {"baseline": base, "system": best}
    below = (other for other in others if judged.means[other] != judged.means[best])
    return {"baseline": base, "system": next(below, others[0])}


def _prove(judged: _JudgedSystems) -> dict[str, object] | None:
    """Return what is proved about the lead under all weightings of the map, if there is a map.

    Returns
    -------
    dict
        The ``verdict``. ``"leads"``: the first system always has the highest mean. ``"holds"``: no
        other system ever has a higher mean. ``"depends"``: another system, the ``rival``, has a
        higher mean under the ``gains``. ``"open"``: none of these is proved.
    """
    choices, order = judged.choices, [run for run in judged.order if run not in judged.unmet]
    if choices is None or len(order) < 2:
        return None
    first, *others = order
    corners = choices.read(judged.engine, [run.parts() for run in judged.runs])
    search = choices.search(tolerance=np.inf)  # the sign is enough
    ranges = corners.ranges([(first, other) for other in others], search)
    if (ranges.low > 0).all():
        return {"verdict": "leads"}
    if (ranges.low >= 0).all():
        return {"verdict": "holds"}
    worst = ranges.lowest.argmin()
    if ranges.lowest[worst] >= 0:
        return {"verdict": "open"}
    gains = choices.text(ranges.low_at[worst])
    return {"verdict": "depends", "rival": others[worst], "gains": gains}


def _find_rivals(judged: _JudgedSystems) -> list[int] | None:
    """Return which systems unjudged documents could put above the best; None without a range."""
    runs, best = dict(zip(judged.names, judged.runs)), judged.names[judged.order[0]]
    most = find_most(runs, str(judged.measure), best)
    return [judged.names.index(name) for name in most if most[name] > 0] if most else None


def _describe_topics(qids: Sequence[str], topics: pd.DataFrame | None) -> list[dict[str, str]]:
    """Return the id of each topic, and its query if the topics have one."""
    texts: dict[Any, Any] = {}
    if topics is not None and "query" in topics:
        texts = dict(zip(topics["qid"], topics["query"]))
    return [{"id": str(qid), "text": str(texts.get(qid, ""))} for qid in qids]


def _find_quantiles(topics: int, systems: int, confidence: float) -> dict[str, Any]:
    """Return quantiles of Student's t by the number of topics, and the confidence as text.

    Those of may_be_best are also by the number of systems that are shown.
    """
    degrees = np.arange(1, topics)
    limits = [(1 - confidence) / max(others, 2) for others in range(1, systems)]
    return {
        "confidence": f"{100 * confidence:g}%",
        "t": stdtrit(degrees, (1 + confidence) / 2).tolist(),
        "best": [stdtrit(degrees, 1 - limit).round(6).tolist() for limit in limits],
    }


def _declare(measure: CumulatedGain, levels: Floats, depth: int) -> dict[str, Any]:
    """Return the choices of the controls."""
    ranks = np.arange(1, depth + 1)
    return {
        "levels": [number(level) for level in levels.tolist()],
        "presets": _presets(levels),
        "discounts": [
            {
                "name": name,
                "text": discount.text,
                "base": discount.takes_base,
                "upTo": None if math.isinf(discount.ideal_up_to) else discount.ideal_up_to,
                # not divisors, as JSON has no infinity
                "weights": None if discount.takes_base else list(1 / core.discounts(ranks, name)),
            }
            for name, discount in DISCOUNTS.items()
            if name in (*BUILT_IN, measure.spec.discount)
        ],
        "ties": TIES,
        "defaults": state_of(nDCG(), levels),
    }


def _find_strokes(judged: _JudgedSystems, styles: Styles) -> dict[str, Any]:
    """Return the colours and dashes of the systems, numbered after those that have styles."""
    ranked = [judged.names[system] for system in judged.order]
    # without styles, the best of many have colours of their own
    numbered = ranked if len(ranked) > COLOURED and not styles else judged.names
    numbers = {name: i for i, name in enumerate(dict.fromkeys([*styles, *numbered]))}
    strokes = [_stroke(numbers[name], styles.get(name, {})) for name in judged.names]
    colours, dashes = [colour for colour, _ in strokes], [dash for _, dash in strokes]
    return {"colours": colours, "dashes": dashes, "coloured": COLOURED}


def _stroke(i: int, own: style.Style) -> tuple[str, Sequence[float]]:
    """Return the colour and the dashes of the i-th system as the page reads them.

    ``own`` is its style, if it has one.
    """
    colour = own.get("color", style.COLOURS[i % COLOURED])
    dashes = own.get("linestyle", "-")
    if not re.fullmatch("#[0-9a-fA-F]{6}", str(colour)):
        colour = load("matplotlib.colors", "this colour needs matplotlib", "plot").to_hex(colour)
    return colour, NAMED.get(dashes, ()) if isinstance(dashes, str) else dashes[1] or ()


def _presets(levels: Floats) -> list[dict[str, Any]]:
    """Return the weightings that the page offers: the level, 2^level - 1, and schemes that fit."""
    offered = {"the level itself": "level", "2^level − 1": "exp"}
    for scheme, papers in SCHEMES.items():
        weights = Weighting.parse(scheme).weights
        shown = [str(number(gain)) for level, gain in weights if level <= levels[-1]]
        part = f": here {'-'.join(shown)}" if len(shown) < len(weights) else ""
        offered[f"{scheme} ({', '.join(papers)}){part}"] = scheme
    fitting = fit_weightings(offered, levels).items()
    presets = {label: weighting.gain(levels).tolist() for label, weighting in fitting}
    return [{"label": label, "gains": gains} for label, gains in presets.items() if max(gains) > 0]


def _pack_runs(runs: Sequence[JudgedRun], judgments: Judgments) -> dict[str, Any]:
    """Return the judged documents of each run and of the qrels, packed for page/cumgain.js."""
    count, width = len(judgments.topics), len(judgments.levels)
    hit_counts = [np.bincount(run.topics.hits.topic, minlength=count) for run in runs]
    hits = join_columns([run.topics.hits for run in runs])
    tied = np.flatnonzero(hits.last - hits.above > 1)
    base = np.bincount(judgments.topic * width + judgments.level, minlength=count * width)
    return {
        "hits": _pack(np.concatenate(hit_counts), "<u4"),
        "rank": _pack(np.minimum(hits.rank, np.iinfo(np.uint16).max), "<u2"),
        "level": _pack(hits.level, "u1"),
        "lengths": _pack(np.concatenate([run.topics.documents for run in runs]), "<u2"),
        "base": _pack(base, "<u4"),
        "tied": [_pack(column, "<u4") for column in (tied, hits.above[tied], hits.last[tied])],
    }


def _pack_documents(runs: Sequence[JudgedRun], judgments: Judgments) -> dict[str, str]:
    """Return the ids of each topic's documents, each once, and which of them the runs have."""
    pools: list[dict[str, int]] = [{} for _ in judgments.topics]
    known, places = [*chain.from_iterable(judgments.docs)], []
    for run in runs:
        hits = run.topics.hits  # some are tied with those at the depth
        hits = hits.where(hits.rank <= run.topics.documents[hits.topic])
        docs = [known[document] for document in hits.document.tolist()]
        judged = zip(hits.topic.tolist(), hits.rank.tolist(), docs)
        for topic, _, doc in sorted([*judged, *run.unjudged]):
            places.append(pools[topic].setdefault(doc, len(pools[topic])))
    packed = {
        "ids": _compress(json.dumps([list(pool) for pool in pools]).encode()),
        "places": _pack(np.array(places), "<u4"),
    }
    size = round(sum(len(text) for text in packed.values()) / 1e6, 1)
    advice = "use fewer systems, a smaller depth, or documents=False"
    _check_size({"MB of ids of documents": size}, advice)
    return packed


def _pack(values: Any, kind: str) -> str:
    return _compress(values.astype(kind).tobytes())


def _compress(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def _build_page(data: dict[str, Any], words: dict[str, str], library: str) -> str:
    """Return the page: the template, with ``{{name}}`` replaced by the part of that name."""
    folder = resources.files("pt_cumgain.page")
    parts = {"data": _as_script(data), "figures": _figures(), "bokeh": library} | words

    def find(match: re.Match[str]) -> str:
        name = match[1]
        return parts[name] if name in parts else (folder / name).read_text("utf-8")

    return re.sub(r"\{\{([\w.]+)\}\}", find, (folder / "page.html").read_text("utf-8"))


def _as_script(data: Any) -> str:
    """Return JSON that cannot end the script element around it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"})


def _figures() -> str:
    """Return the charts without data as JSON, which Bokeh writes; the page fills them."""
    from bokeh import models
    from bokeh.embed import json_item
    from bokeh.plotting import figure

    def chart(name: str) -> Any:
        plot = figure(name=name, height=360, toolbar_location=None, tools="")
        plot.update(x_range=models.Range1d(0, 1), y_range=models.Range1d(0, 1))
        plot.update(sizing_mode="stretch_width", min_border_left=64, min_border_right=16)
        plot.update(background_fill_color=None, border_fill_color=None, outline_line_color=None)
        plot.grid.grid_line_width = 0.5
        plot.axis.minor_tick_line_color = None
        plot.axis.axis_label_text_font_style = "normal"
        for event in ("mousemove", "mouseleave", "tap"):
            code = "window.page.pointed(name, event, cb_obj.x, cb_obj.y)"
            plot.js_on_event(event, models.CustomJS(args={"name": name, "event": event}, code=code))
        return plot

    def source(name: str, *columns: str) -> Any:
        return models.ColumnDataSource({column: [] for column in columns}, name=name)

    by_rank, topics = [chart("differences"), chart("curves")], chart("topics")
    for plot in by_rank:
        bands = source(f"{plot.name}-bands", "xs", "ys", "color")
        plot.patches("xs", "ys", fill_color="color", fill_alpha=0.14, line_alpha=0, source=bands)
        ideal = source(f"{plot.name}-ideal", "x", "y")
        plot.line("x", "y", line_color="#808080", line_dash=[6, 4], source=ideal)
        columns = ["color", "dash", "width", "alpha"]
        lines = source(f"{plot.name}-lines", "xs", "ys", *columns)
        plot.multi_line("xs", "ys", source=lines, **{f"line_{one}": one for one in columns})
        for name, dash in (("present", "dotted"), ("pointed", "solid")):
            rank = models.Span(dimension="height", line_color="#808080", line_width=0.7)
            rank.update(name=f"{plot.name}-{name}", line_dash=dash, visible=name == "present")
            plot.add_layout(rank)
    bars = source("topics-bars", "x", "top", "color", "alpha")
    topics.vbar("x", 0.8, "top", color="color", alpha="alpha", source=bars)
    topics.xaxis.ticker = models.FixedTicker(ticks=[])
    text = _as_script({plot.name: json_item(plot) for plot in [*by_rank, topics]})
    # Bokeh's ids count on from call to call; numbered from 0, the same call writes the same page
    ids = {old: f"p{i}" for i, old in enumerate(dict.fromkeys(re.findall(r'"p\d+"', text)))}
    return re.sub(r'"p\d+"', lambda match: f'"{ids[match[0]]}"', text)
