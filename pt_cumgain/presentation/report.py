"""A page to explore, in one HTML file (extra ``report``): gains, discount and rank can be moved.

The page computes in the browser, from the ranks of judged documents that are written into it; what
a discount, a rule for ties or a scheme is called and says comes from where the package declares it.
"""

from __future__ import annotations

import base64
import datetime
import html
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain import __version__, core
from pt_cumgain.analysis.evaluation import judge_systems
from pt_cumgain.analysis.grids import IPM2005, SIGIR2000, TOIS2002
from pt_cumgain.analysis.intervals import check_confidence
from pt_cumgain.analysis.results import check_system
from pt_cumgain.core import DISCOUNTS, TIES, Floats
from pt_cumgain.engine import JudgedRun
from pt_cumgain.engine.judging import Judgments
from pt_cumgain.extras import bokeh_resources, scipy_stats
from pt_cumgain.files import replacing
from pt_cumgain.hosts.ir_measures import as_cumulated_gain
from pt_cumgain.inputs.arguments import at_least_1, named_systems, parsed
from pt_cumgain.measures import CumulatedGain, SessionMeasure
from pt_cumgain.presentation.description import phrases
from pt_cumgain.presentation.plots.style import COLOURS, DASHES
from pt_cumgain.weighting import Weighting, number

#: What a page can hold: more than this opens or moves too slowly, or no reader could survey it.
MOST = {
    "systems": 150,
    "topics": 5_000,
    "relevance levels": 12,
    "ranks (depth)": 1000,
    "systems times topics times ranks": 2_000_000,
}


@dataclass(frozen=True)
class Report:
    """A page that was written; a notebook shows it.

    Attributes
    ----------
    path
        Where it stands.
    """

    path: str

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = html.escape(file.read())
        return f'<iframe srcdoc="{page}" style="width:100%;height:60rem;border:0"></iframe>'


def report(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Any,
    path: str | os.PathLike[str],
    *,
    measure: Measure | str = "nDCG",
    baseline: str | int | None = None,
    names: Sequence[str] | None = None,
    title: str = "Cumulated gain",
    depth: int = 100,
    confidence: float = 0.95,
    date: datetime.date | None = None,
    verbose: bool = False,
) -> Report:
    """Write a page on which a reader moves gains, discount and rank.

    One HTML file, which needs no server and no network. It shows the gain by
    rank of each system, the systems in order, where they change places as one
    control moves, and the topics.

    Parameters
    ----------
    systems, names, verbose
        As for :func:`pt_cumgain.gain_curves`.
    topics
        ``qid`` and, to be shown, ``query``; only their judgments count. None:
        all topics of the qrels, if no system is a transformer.
    qrels
        As for :func:`pt_cumgain.gain_curves`.
    path
        Where to write it; a file that is there is replaced.
    measure
        What the page shows first: CG, DCG, nCG or nDCG, with a weighting, a
        discount and ties, or their text; at rank 10 where it has no cutoff.
    baseline
        The system with which others are compared first, by its name or, as in
        ``pt.Experiment``, its place among the systems, from 0; by default the
        first one.
    title
        Its heading.
    depth
        The last rank that it knows.
    confidence
        Of the intervals of means and of mean differences: t intervals over
        topics.
    date
        The date at its foot; by default today's.

    Returns
    -------
    Report
        With the path; the last line of a notebook's cell shows the page.

    Raises
    ------
    ValueError, TypeError
        If the page has no control for the measure, the baseline is none of the
        systems, an input cannot be used, or there is more than a page can hold
        and move: 150 systems, 5,000 topics, or two million for systems times
        topics times ranks.
    ImportError
        If the extra ``report`` is not installed.

    Examples
    --------
    >>> import tempfile
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [3, 1]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report({"X": run}, None, qrels, f"{folder}/report.html", depth=2)
    ...     page.path.endswith("report.html")
    True
    """
    depth = at_least_1("depth", depth)
    check_confidence(confidence)
    first = _with_controls(measure, depth)
    by_system = named_systems(systems, names)
    called = list(by_system)
    against = called[0] if baseline is None else check_system(baseline, called, in_order=True)
    script = bokeh_resources()
    # so that the ranks of tied documents are known, and judged ones down to the depth
    deepest = first(cutoff=depth, ties="average")
    engine, runs = judge_systems(
        by_system,
        topics,
        qrels,
        [deepest],
        names=None,
        verbose=verbose,
        what="report",
        warn_for=[first],
    )
    judgments = engine.judgments
    sizes = {
        "systems": len(by_system),
        "topics": len(judgments.topics),
        "relevance levels": len(judgments.levels),
        "ranks (depth)": depth,
        "systems times topics times ranks": len(by_system) * len(judgments.topics) * depth,
    }
    for what, size in sizes.items():
        if size > MOST[what]:
            raise ValueError(
                f"{size:,} {what} are more than a page can hold and move: {MOST[what]:,} at most; "
                "give fewer systems or topics, or a smaller depth"
            )
    n, today = len(judgments.topics), date or datetime.date.today()
    t = float(scipy_stats().t.ppf((1 + confidence) / 2, n - 1)) if n > 1 else None
    data = {
        "title": title,
        "names": called,
        "topics": _topics(judgments, topics),
        "levels": [number(level) for level in judgments.levels.tolist()],
        "judgments": len(judgments.level),
        "depth": depth,
        "confidence": confidence,
        "t": t,
        "version": __version__,
        "date": today.isoformat(),
        "discounts": [
            {
                "name": name,
                "text": discount.text,
                "source": discount.source,
                "base": discount.takes_base,
                "upTo": None if math.isinf(discount.ideal_up_to) else discount.ideal_up_to,
                "beyond": discount.beyond,
            }
            for name, discount in DISCOUNTS.items()
        ],
        "ties": TIES,
        "defaults": {
            "discount": core.DEFAULT_DISCOUNT,
            "base": core.DEFAULT_BASE,
            "ties": core.DEFAULT_TIES,
        },
        "phrases": _phrases(),
        "presets": _presets(judgments.levels),
        "colours": COLOURS,
        "dashes": [[] if dash == "-" else list(dash[1]) for dash in DASHES],
        "first": {
            **state_of(first, judgments.levels),
            "average": "topics",
            "baseline": called.index(against),
        },
        **_standing(runs, judgments, depth),
    }
    with replacing(path) as free:
        free.write_text(_page(data, script), "utf-8")
    return Report(os.fspath(path))


def state_of(measure: CumulatedGain, levels: Floats) -> dict[str, Any]:
    """Return a measure as the page's controls have it."""
    spec, discounted = measure.spec, "discount" in measure.SUPPORTED_PARAMS
    return {
        "discounted": discounted,
        "normalised": spec.normalised,
        "gains": spec.gains.gain(levels).tolist(),
        "discount": spec.discount if discounted else core.DEFAULT_DISCOUNT,
        "base": spec.base,
        "k": spec.cutoff,
        "ties": spec.ties,
    }


def _with_controls(measure: Measure | str, depth: int) -> CumulatedGain:
    """Return the measure with a cutoff, or say why the page cannot show it."""
    given = parsed(measure)
    mine = as_cumulated_gain(given[0]) if len(given) == 1 else None
    others = mine is None or isinstance(mine, SessionMeasure) or mine.formula is not None
    if mine is None or others or mine.DIVISOR not in ("", "ideal"):
        raise ValueError(f"measure={measure!r}: a page shows one of CG, DCG, nCG and nDCG")
    for name in ("at_r", "avg_pos", "judged_only", "unjudged"):
        if getattr(mine.spec, name):
            raise ValueError(f"{mine}: a page has no control for {name}; leave it out")
    cutoff = mine.spec.cutoff or min(10, depth)
    if cutoff > depth:
        raise ValueError(f"{mine}: the page knows the ranks to depth={depth}; give a larger depth")
    return type(mine)(**{**mine.params, "cutoff": cutoff})


def _phrases() -> dict[str, Any]:
    """Return the phrases from which the page puts the measure's sentence together."""
    said = phrases()
    needed = ("sentence", "measures", "places", "gains", "discounts", "clauses", "unsaid")
    references = said["references"].items()
    names = {key: {k: r[k] for k in ("narrative", "parenthetical")} for key, r in references}
    return {**{key: said[key] for key in needed}, "references": names}


def _topics(judgments: Judgments, topics: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return the topics' ids and texts."""
    texts: Mapping[Any, Any] = {}
    if topics is not None and "query" in topics:
        texts = dict(zip(topics["qid"], topics["query"]))
    return [{"id": str(qid), "text": str(texts.get(qid, ""))} for qid in judgments.topics]


def _presets(levels: Floats) -> list[dict[str, Any]]:
    """Return the weightings of the papers that fit the levels, after the two that always do."""
    always = {"the level itself": Weighting(), "2^level − 1": Weighting("exp")}
    papers = {"IPM 2005": IPM2005, "TOIS 2002": TOIS2002, "SIGIR 2000": SIGIR2000}
    of_scheme: dict[str, list[str]] = {}
    for paper, schemes in papers.items():
        for scheme in schemes.values():
            of_scheme.setdefault(scheme, []).append(paper)
    named = {f"{s} ({', '.join(of)})": Weighting.parse(s) for s, of in of_scheme.items()}
    presets = []
    for label, weighting in {**always, **named}.items():
        try:
            gains = weighting.gain(levels).tolist()
        except ValueError:  # the qrels have a level that the scheme does not name
            continue
        if max(gains) <= 0:
            continue
        unmet = [level for level, gain in weighting.weights if gain and level > levels[-1]]
        if unmet:
            met = "-".join(str(number(g)) for level, g in weighting.weights if level <= levels[-1])
            label = f"{label}: here {met}"
        presets.append({"label": label, "gains": gains})
    return presets


def _standing(
    runs: Iterator[tuple[str, JudgedRun]], judgments: Judgments, depth: int
) -> dict[str, Any]:
    """Return where each run has judged documents, packed; page/cumgain.js reads it."""
    count = len(judgments.topics)
    counts, lengths, hits = [], [], []
    for _, run in runs:
        hits.append(run.hits.where(run.hits.above < depth))
        counts.append(np.bincount(hits[-1].topic, minlength=count))
        lengths.append(np.minimum(run.lengths, depth))
    _, rank, level, above, last = map(np.concatenate, zip(*hits))
    tied = np.flatnonzero(last - above > 1)
    width = len(judgments.levels)
    base = np.bincount(judgments.topic * width + judgments.level, minlength=count * width)
    return {
        "hits": _packed(np.concatenate(counts), "<u4"),
        "rank": _packed(np.minimum(rank, np.iinfo(np.uint16).max), "<u2"),
        "level": _packed(level, "u1"),
        "lengths": _packed(np.concatenate(lengths), "<u2"),
        "base": _packed(base, "<u4"),
        "tied": [_packed(column, "<u4") for column in (tied, above[tied], last[tied])],
    }


def _packed(values: Any, kind: str) -> str:
    return base64.b64encode(values.astype(kind).tobytes()).decode("ascii")


def _page(data: dict[str, Any], library: str) -> str:
    """Return the page: its parts, put where ``{{name}}`` stands in the template."""
    folder = resources.files("pt_cumgain.presentation") / "page"
    parts = {
        "title": html.escape(data["title"]),
        "data": _as_script(data),
        "figures": _as_script(_figures()),
        "bokeh": library,
        **{
            name: (folder / name).read_text("utf-8")
            for name in ("cumgain.js", "page.js", "page.css")
        },
    }
    template = (folder / "page.html").read_text("utf-8")
    return re.sub(r"\{\{([\w.]+)\}\}", lambda match: parts[match[1]], template)


def _version_of(package: Any) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", package.__version__)[:2]))


def _as_script(data: Any) -> str:
    """Return JSON that is harmless inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _figures() -> dict[str, Any]:
    """Return the empty charts, as Bokeh writes them; page/page.js fills them."""
    import bokeh
    from bokeh.embed import json_item
    from bokeh.models import ColumnDataSource, CustomJS, FixedTicker, Range1d, Span
    from bokeh.plotting import figure

    # before 3.7 Bokeh saves as SVG what it has drawn: a bitmap, unless that is SVG already
    drawn_as = "svg" if _version_of(bokeh) < (3, 7) else "canvas"

    def chart(name: str, **sources: Sequence[str]) -> tuple[Any, dict[str, Any]]:
        made = figure(
            name=name,
            height=360,
            sizing_mode="stretch_width",
            toolbar_location=None,
            tools="",
            output_backend=drawn_as,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            background_fill_color=None,
            border_fill_color=None,
            outline_line_color=None,
            min_border_left=64,
            min_border_right=16,
        )
        made.grid.grid_line_width = 0.5
        for event in ("mousemove", "mouseleave", "tap"):
            code = "window.page.pointed(name, event, cb_obj.x, cb_obj.y)"
            made.js_on_event(event, CustomJS(args={"name": name, "event": event}, code=code))
        data = {
            key: ColumnDataSource({column: [] for column in columns}, name=f"{name}-{key}")
            for key, columns in sources.items()
        }
        return made, data

    lines = ("xs", "ys", "color", "dash", "width", "alpha")
    style = {"line_color": "color", "line_dash": "dash", "line_width": "width"}
    made = []
    for name in ("curves", "sweep"):
        plot, data = chart(
            name,
            lines=lines,
            bands=("xs", "ys", "color"),
            ends=("x", "low", "high", "color"),
            ideal=("x", "y"),
            points=("x", "y"),
        )
        plot.patches(
            "xs", "ys", fill_color="color", fill_alpha=0.14, line_alpha=0, source=data["bands"]
        )
        plot.segment("x", "low", "x", "high", color="color", alpha=0.7, source=data["ends"])
        plot.line("x", "y", line_color="#808080", line_dash=[6, 4], source=data["ideal"])
        plot.multi_line("xs", "ys", line_alpha="alpha", **style, source=data["lines"])
        plot.scatter("x", "y", size=5, color="#808080", source=data["points"])
        plot.add_layout(
            Span(dimension="height", line_color="#808080", line_dash="dotted", name=f"{name}-here")
        )
        made.append(plot)
    plot, data = chart("topics", bars=("x", "top", "color", "alpha"))
    plot.vbar("x", 0.8, "top", color="color", alpha="alpha", source=data["bars"])
    made.append(plot)
    for plot in made[1:]:
        plot.xaxis.ticker = FixedTicker(ticks=[])
    text = json.dumps({plot.name: json_item(plot) for plot in made})
    # Bokeh counts its ids on; numbered anew, the same call writes the same page
    ids = {found: f"p{i}" for i, found in enumerate(dict.fromkeys(re.findall(r'"p\d+"', text)))}
    text = re.sub(r'"p\d+"', lambda match: f'"{ids[match[0]]}"', text)
    items: dict[str, Any] = json.loads(text)
    return items
