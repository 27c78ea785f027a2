"""Tables that go into a paper: means with tests and intervals, and rank correlations."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_cumgain.analysis.choices.grids import Grid
from pt_cumgain.analysis.comparing.all_systems import LIMIT, friedman, who_is_better
from pt_cumgain.analysis.comparing.correlation import COEFFICIENTS, is_symmetric, refuse_texts
from pt_cumgain.analysis.comparing.pairs import TESTS, is_corrected, pairwise, takes_all_signs
from pt_cumgain.analysis.results import (
    DATASET,
    GROUP,
    JUDGE,
    MACRO_MEAN,
    Baseline,
    Results,
    TopicResults,
    check_baselines,
    find_blocks,
    mean_values,
)
from pt_cumgain.analysis.trust.intervals import Cluster, intervals
from pt_cumgain.environment.warning import warn
from pt_cumgain.inputs.arguments import as_list
from pt_cumgain.measures import SessionMeasure, measure_called
from pt_cumgain.options import KIND, METHODS, OPTIONS, PAIR_TESTS, Marks, Method, checked, choice
from pt_cumgain.presentation.names import Name, explain_names, read_names
from pt_cumgain.presentation.phrases import count_things, join_words, write_correction, write_number
from pt_cumgain.presentation.rendering import BEST, Cell, Head, Table

FRIEDMAN = "friedman"
#: Follows the mark of a system that is worse than a baseline.
WORSE = "↓"
#: The most systems that stand side by side, unless measures are as many.
_COLUMNS = 5
#: The most characters of a reading in a column.
READING = 40
#: Decimal places.
PLACES = 3
#: The caveat of Conover's test without a correction, found by simulation.
UNCORRECTED = (
    "Uncorrected: if four equal systems are compared together with a far better one, two of the "
    "four are marked as different in about 30% of experiments."
)


@dataclass(frozen=True, repr=False)
class PaperTable(Table):
    """A table of means that prints in several formats: the result of :func:`paper_table`.

    Attributes
    ----------
    measures
        The measures' texts, by their names in the table.
    means
        The means, a row for each measure (and dataset), a column for each system.
    tests
        The result of :func:`pt_cumgain.comparing.friedman`, by measure (and dataset). None with
        another test or none.
    pairs
        The result of :func:`pt_cumgain.pairwise` on which the marks are based; ``better`` is empty
        and ``p`` and ``p_corrected`` are NaN where Friedman's test finds nothing. It has intervals
        of the differences only with a baseline. None without a test.
    comparison
        The kind and level of the intervals in ``pairs``, and its effect size.
    data
        A row for each cell: ``measure``, ``dataset`` or ``judge`` (if the results have that
        column), ``name``, ``mean``;
        with a test ``better_than`` and ``worse_than``, the systems from which it differs
        significantly; with intervals ``low`` and ``high``.
    """

    measures: Mapping[str, str]
    means: pd.DataFrame
    tests: pd.DataFrame | None
    pairs: pd.DataFrame | None
    comparison: str
    data: pd.DataFrame

    @property
    def unit(self) -> str:
        """The unit of the values: ``"topic"`` or ``"session"``."""
        return _name_unit(self.measures.values())

    def to_frame(self) -> pd.DataFrame:
        """Return the printed texts, in the table's layout."""
        texts = [[cell.plain() for cell in row] for row in self.cells]
        rows, columns = ([str(head) for head in heads] for heads in (self.rows, self.columns))
        return pd.DataFrame(texts, index=rows, columns=columns)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write ``data`` with all digits; without a path, return the text."""
        return self.data.to_csv(path, index=False)


@checked(
    correction=choice("default", *OPTIONS["correction"].choices).optional(),
    interval=KIND,
    places=OPTIONS["places"].optional(Mapping, "a dict of such numbers", {}),
    test=choice(
        FRIEDMAN, *(test for test in PAIR_TESTS if test != "equivalence"), "default"
    ).optional(),
)
def paper_table(
    results: Results,
    *,
    measures: Iterable[Any] | Mapping[Any, str] | None = None,
    systems: Iterable[Any] | Mapping[str, Any] | None = None,
    order: Literal["given", "value"] = "given",
    rows: Literal["measures", "systems"] | None = None,
    places: int | Mapping[Any, int] = PLACES,
    test: str | None = "default",
    baseline: Baseline = None,
    cluster: Cluster = None,
    correction: str | None = "default",
    marks: Marks | None = None,
    interval: bool | Method = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> PaperTable:
    r"""Make a table of means for a paper, with marks for significant differences.

    With measures that have ``avg_pos=True``, ``marks="reading"`` gives table 2
    of TOIS 2002.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.pairwise`. With a column ``dataset`` or
        ``judge`` the table has a column (or row) for each of them, and one for
        the mean of the datasets' means.
    measures, systems
        The measures (or their texts) and the systems of the table, in order: a
        list, a mapping to their names in the table, a :func:`pt_cumgain.grid`,
        or the argument of ``pt.Experiment``; by default all. Only the chosen
        systems take part in the test.
    order
        ``"value"`` sorts the systems by the first measure (over all datasets),
        the best first.
    rows
        Whether the rows are measures or systems; by default systems for several
        datasets, and for more than five systems that outnumber the measures.
    places
        Decimal places, for all measures or, as a mapping, for each. Systems
        that are equal at this precision share the mark of the best.
    test
        A test of :func:`pt_cumgain.pairwise` other than ``"equivalence"``, by
        default the paired t-test. Or ``"friedman"`` (the default of
        ``marks="reading"``): Friedman's test and, where it is significant,
        Conover's test of the pairs (of two systems, Wilcoxon's test). None for
        no test.
    baseline, cluster, resamples, seed
        As for :func:`pt_cumgain.pairwise`.
    confidence
        The confidence of the intervals.
    correction
        As for :func:`pt_cumgain.pairwise`. ``"default"`` is Holm's, but none
        for Friedman's test with ``marks="reading"``, as in the paper.
    marks
        How to mark differences. ``"letters"`` (default without a baseline, up
        to 26 systems): raised letters after a value name the systems that are
        significantly worse. With several baselines (also the default), only
        these have letters, and a letter with ↓ names one that is significantly
        better. ``"daggers"`` (default with one baseline): † and ‡ mark systems
        that differ from it with p < 0.05 and p < 0.01, with ↓ if they are
        worse. ``"reading"``: as in the papers, ``"D,E > A**"``, in a column
        "Stat. Sign." or below the table; also used, with numbers, for more than
        26 systems.
    interval
        Whether to print the confidence interval of each mean, and its kind:
        ``"t"`` (or True), ``"bca"`` or ``"percentile"``.

    Returns
    -------
    PaperTable
        With ``to_text()``, ``to_markdown()``, ``to_latex()`` (booktabs and
        graphicx), ``to_html()``, ``to_csv()``, ``to_frame()``.

    Raises
    ------
    ValueError
        If the results or an option cannot be used.
    ImportError
        If scikit-posthocs, of the extra ``stats``, is needed and not installed.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(paper_table(results, measures={"CG": "gain"}, places=1).to_text(70))
          (a) A  (b) B     (c) C
    gain    2.0  3.0 a  5.0• a,b
    •: best value of each measure.
    Letters: significantly better than the system of that letter, p < 0.05
    (paired t-test, two-sided, constant differences by permutation,
    Holm-corrected; 9 topics).
    <BLANKLINE>
    """
    chosen = _Choice(SimpleNamespace(**locals()))
    mark = _choose_marks(chosen)
    tested, marked = _Tested(), _Marked()
    data = pd.DataFrame({"mean": chosen.means.to_numpy().ravel()}, index=chosen.index)
    if chosen.options.test is not None:
        tested = _run_tests(chosen)
    if tested.pairs is not None:
        marked = mark(chosen, tested)
        for than in ("better", "worse"):
            others = tested.list_others(than)
            data[f"{than}_than"] = ["; ".join(others.get(cell, [])) for cell in chosen.index]
    if interval:
        ends = intervals(chosen.results, method=chosen.method, **chosen.sampling)
        ends = _name_datasets(ends).set_index(chosen.index.names)
        data = data.join(ends[["low", "high"]])
    return _assemble(chosen, data, tested, marked)


def _choose_test(options: SimpleNamespace) -> None:
    """Replace the defaults of test and correction; refuse options that do not go with the test."""
    reading = options.marks == "reading"
    if options.test == "default":
        options.test = FRIEDMAN if reading else "t"
    test = options.test
    if test == FRIEDMAN and options.cluster is not None:
        raise ValueError("test='friedman' treats every topic as independent; omit cluster")
    if test is None and (options.baseline is not None or options.marks is not None):
        raise ValueError("baseline and marks need a test; pass test=")
    if test is None and not options.interval and options.cluster is not None:
        raise ValueError("cluster needs a test or interval=True; otherwise, omit it")
    if options.correction == "default":
        options.correction = None if reading and test == FRIEDMAN else "holm"


class _Choice:
    """The measures and systems of a table, chosen from results.

    Attributes
    ----------
    options
        The arguments of :func:`paper_table`, with the test and the correction that they mean.
    results
        Their results, labelled.
    measures
        The labels of the measures by their texts.
    systems, baselines
        The labels of the systems, in order.
    matrices
        The values by dataset and by measure's label.
    places
        The decimal places by measure's label.
    method
        The kind of the intervals.
    sampling
        The options of :func:`intervals` and :func:`pairwise` that have the same values.
    several
        Whether the results name datasets or judges.
    items
        Each measure's label and dataset.
    alone
        Whether there is one measure in several columns; their heads do not name it.
    index
        Each cell's measure, dataset and system.
    means
        The means, a row for each measure and dataset, a column for each system.
    names
        The printed names of the measures that the user did not name, by their texts.
    zero
        The systems with no value but 0, such as those without a judged document.
    """

    def __init__(self, options: SimpleNamespace) -> None:
        _choose_test(options)
        self.options, test = options, options.test
        self.method: Method = "t" if isinstance(options.interval, bool) else options.interval
        frame = TopicResults.read(options.results).frame
        if JUDGE in frame and DATASET in frame:
            raise ValueError(
                "a table has columns for datasets or for judges, not for both; choose one dataset "
                "or one judge, and drop its column"
            )
        known = frame["name"].unique().tolist()
        frame, self.measures = _choose(frame, "measure", options.measures)
        frame, names = _choose(frame.assign(name=frame["name"].map(str)), "name", options.systems)
        known = list(dict.fromkeys([*known, *names.values()]))
        compared = check_baselines(options.baseline, known)
        self.baselines = [names.get(str(name), str(name)) for name in compared]
        self.results = TopicResults.of(frame, options.cluster)
        paired = test == FRIEDMAN or (test is not None and TESTS[test].paired)
        self.matrices = {
            dataset: part.matrices(systems=1 + (test is not None), topics=1, paired=paired)
            for dataset, part in self.results.parts.items()
        }
        self.places = _assign_places(options.places, self.measures)
        self.systems = list(names.values())
        if options.order == "value":
            first = mean_values([*self.matrices.values()][-1][next(iter(self.measures.values()))])
            ordered = first[self.systems].sort_values(ascending=False, kind="stable")
            self.systems = ordered.index.to_list()

        alike = ("cluster", "confidence", "resamples", "seed")
        self.sampling = {name: getattr(options, name) for name in alike}
        self.several = "" not in self.matrices
        labels = self.measures.values()
        self.items = [(label, dataset) for label in labels for dataset in self.matrices]
        self.alone = len(self.measures) == 1 and len(self.matrices) > 1
        self.index = pd.MultiIndex.from_tuples(
            [(*item, name) for item in self.items for name in self.systems],
            names=["measure", DATASET, "name"],
        )
        means = {item: mean_values(self.matrices[item[1]][item[0]]) for item in self.items}
        self.means = pd.DataFrame(means).T[self.systems]
        self.names = read_names([text for text, label in self.measures.items() if text == label])
        others = set(frame.loc[frame["value"] != 0, "name"])
        self.zero = [name for name in self.systems if name not in others]

    def name_measure(self, label: str) -> Name:
        """Return a measure's printed name."""
        return self.names.get(label, Name(label))

    def list_heads(self) -> list[Head]:
        """Return the heads of the measures and datasets."""
        named = [(self.name_measure(label), dataset) for label, dataset in self.items]
        if not self.several:
            return [Head(name.first, below=name.below, plain=name.plain) for name, _ in named]
        return [Head(dataset, above="" if self.alone else n.write()) for n, dataset in named]


class _Tested(NamedTuple):
    """The outcome of a table's tests, if there are any.

    Attributes
    ----------
    tests, pairs
        Friedman's test, if it was asked for, and the pairs of systems.
    ranks
        The quantity that the test compares if not means, as it is worded in a
        sentence.
    words
        The name of the test, and its correction.
    comparison
        The kind and level of the pairs' intervals, and the effect size.
    caveat
        A caveat if p-values are not corrected.
    left_out
        The systems that are not compared.
    """

    tests: pd.DataFrame | None = None
    pairs: Any = None
    ranks: str = ""
    words: str = ""
    comparison: str = ""
    caveat: str = ""
    left_out: Sequence[str] = ()

    @property
    def won(self) -> pd.DataFrame:
        """The pairs that differ significantly, with the name of the worse system."""
        won = _name_datasets(self.pairs[self.pairs["better"] != ""])
        return won.assign(worse=won["other"].where(won["better"] == won["name"], won["name"]))

    def list_others(self, is_: str) -> dict[Any, list[str]]:
        """Return, for each cell, the systems to which its system is ``"better"`` or ``"worse"``."""
        other = {"better": "worse", "worse": "better"}[is_]
        return self.won.groupby(["measure", DATASET, is_])[other].agg(list).to_dict()


class _Marked(NamedTuple):
    """The marks of a table.

    Attributes
    ----------
    raised
        The raised marks by cell.
    keys
        The letters of the systems.
    readings
        Which systems are better than which, by measure and dataset.
    """

    raised: Mapping[Any, str] = {}
    keys: Mapping[str, str] = {}
    readings: Mapping[Any, str] = {}


def _choose_marks(chosen: _Choice) -> Callable[[_Choice, _Tested], _Marked]:
    """Return the function that marks differences; refuse marks that the systems cannot have."""
    marks = chosen.options.marks or ("daggers" if len(chosen.baselines) == 1 else "letters")
    if marks == "daggers" and len(chosen.baselines) != 1:
        raise ValueError("marks='daggers' needs a single baseline; pass one system as baseline=")
    many = len(chosen.baselines or chosen.systems) > len(string.ascii_lowercase)
    if marks == "letters" and many and chosen.options.test is not None:
        marks = "reading"
        warn(
            f"letters can mark at most 26 systems, not {len(chosen.systems)}; the notes below the "
            "table say by number which are significantly better; with a baseline, only those that "
            "differ from it are marked"
        )
    return _MARKING[marks]


def _mark_by_letters(chosen: _Choice, tested: _Tested) -> _Marked:
    """Mark each system with the letters of those that are worse, and of better baselines."""
    keys = dict(zip(chosen.baselines or chosen.systems, string.ascii_lowercase))
    worse, better, raised = tested.list_others("better"), tested.list_others("worse"), {}
    for cell in chosen.index:
        letters = _join_letters(keys.get(name, "") for name in worse.get(cell, []))
        if chosen.baselines:
            letters += [f"{keys[name]}{WORSE}" for name in better.get(cell, []) if name in keys]
            letters.sort(key=lambda mark: mark[0])
        raised[cell] = ",".join(letters)
    return _Marked(raised, keys)


def _mark_by_daggers(_: _Choice, tested: _Tested) -> _Marked:
    """Mark systems that differ from the baseline by daggers."""
    won = tested.won
    signs = np.where(won["p_corrected"] < 0.01, "‡", "†").astype(object)
    signs += np.where(won["better"] == won["name"], "", WORSE)
    raised = dict(zip(zip(won["measure"], won[DATASET], won["name"]), signs))
    return _Marked(raised)


def _mark_by_reading(chosen: _Choice, tested: _Tested) -> _Marked:
    """Write which systems are better than which by each measure, as the papers do."""
    few = len(chosen.systems) <= len(string.ascii_uppercase)
    keys = dict(zip(chosen.systems, string.ascii_uppercase if few else map(str, count(1))))
    won, readings = tested.won, {}
    item: Any
    for item, merit in chosen.means.rename(columns=keys).iterrows():
        pairs = won[(won["measure"] == item[0]) & (won[DATASET] == item[1])]
        p = pairs.pivot(index="better", columns="worse", values="p_corrected")
        p = p.rename(index=keys, columns=keys).reindex(index=merit.index, columns=merit.index)
        readings[item] = who_is_better(p.fillna(1.0), merit)
    return _Marked({}, keys, readings)


_MARKING = {
    "letters": _mark_by_letters,
    "daggers": _mark_by_daggers,
    "reading": _mark_by_reading,
}


def _assemble(chosen: _Choice, data: pd.DataFrame, tested: _Tested, marked: _Marked) -> PaperTable:
    """Return the table: heads, cells and notes, and the data behind them."""
    cells = [
        _cells(row, [marked.raised.get(cell, "") for cell in row.index], chosen.places[str(label)])
        for (label, _), row in data.groupby(["measure", DATASET], sort=False)
    ]
    many = len(chosen.systems) > max(_COLUMNS, len(chosen.items))
    rows = chosen.options.rows or ("systems" if chosen.several or many else "measures")
    down = chosen.list_heads()
    across = [Head(name, marked.keys.get(name, "")) for name in chosen.systems]
    below = rows == "systems" or max(map(len, marked.readings.values()), default=0) > READING
    notes = _write_notes(chosen, tested, marked, below=below)
    if marked.readings and not below:
        across.append(Head("Stat. Sign."))
        cells = [[*row, Cell(marked.readings[item])] for row, item in zip(cells, chosen.items)]
    labels = [f"{'' if chosen.alone else label} {name}".strip() for label, name in chosen.items]
    means = chosen.means.set_axis(labels)
    if rows == "systems":
        down, across, cells = across, down, [list(column) for column in zip(*cells)]
    texts = {label: text for text, label in chosen.measures.items()}
    data = data.reset_index().drop(columns=[] if chosen.several else DATASET)
    if JUDGE in chosen.results.frame:
        data = data.rename(columns={DATASET: JUDGE})
    outcome = tested.tests, tested.pairs, tested.comparison
    return PaperTable(across, down, cells, notes, texts, means, *outcome, data)


def _write_notes(chosen: _Choice, tested: _Tested, marked: _Marked, *, below: bool) -> list[str]:
    """Return the note below a table.

    It explains the best values, the columns, the marks with their test, and the intervals;
    ``below`` adds the readings, which are then not a column.
    """
    notes = [f"{BEST}: best value of each measure."] if len(chosen.systems) > 1 else []
    measure = chosen.name_measure(chosen.items[0][0]).write() if chosen.alone else ""
    if JUDGE in chosen.results.frame:
        notes.append(f"{measure or 'Values'} under the judgments of each judge.")
    if MACRO_MEAN in chosen.matrices:
        pooled = "; its test pools the topics of all datasets" if tested.ranks else ""
        measure += "; " * chosen.alone
        notes.append(f"{measure}{MACRO_MEAN}: mean of the datasets' means{pooled}.")
    unit = _name_unit(chosen.measures)
    topics = _count_topics(chosen, unit)
    if tested.left_out:
        why = "0 for every topic, as if no document were judged; not compared"
        notes.append(f"{join_words(tested.left_out)}: {why}.")
    if tested.pairs is None:
        notes.append(f"{topics}.")
    else:
        if chosen.results.grouping:
            groups = _name_datasets(chosen.results.list_groups()).drop_duplicates([DATASET, GROUP])
            topics += f", in {len(groups)} groups{' in all' * chosen.several}"
        notes.append(f"{_explain_marks(marked, tested.ranks)} ({tested.words}; {topics}).")
        notes += [tested.caveat] * bool(tested.caveat)
    if below:
        none = "no pair differs significantly"
        readings = zip(chosen.list_heads(), marked.readings.values())
        notes += [f"{head}: {reading or none}." for head, reading in readings]
    if chosen.options.interval:
        ends = f"{100 * chosen.options.confidence:g}% {METHODS[chosen.method]}"
        over = f"{'groups of ' * bool(chosen.results.grouping)}{unit}s"
        notes.append(f"[low, high]: {ends} confidence interval over {over}.")
    return notes + explain_names(chosen.names)


def _explain_marks(marked: _Marked, ranks: str) -> str:
    """Return the meaning of the letters, the daggers, or the marks of readings."""
    marks = "".join(marked.raised.values())
    if marked.readings:
        return f">: significantly better{ranks}, ** p < 0.01, * p < 0.05"
    if marked.keys and not marks:
        return "No pair differs significantly at p < 0.05"
    if not marks:
        return f"No system differs significantly{ranks} at p < 0.05"
    if marked.keys:
        than, worse = "than the system with that letter", f"with {WORSE}"
        if not re.search(f"[a-z](?!{WORSE})", marks):
            return f"Letters {worse}: significantly worse{ranks} {than}, p < 0.05"
        worse = f" ({worse}: worse)" * (WORSE in marks)
        return f"Letters: significantly better{worse}{ranks} {than}, p < 0.05"
    meanings = {"†": "p < 0.05", "‡": "p < 0.01", WORSE: "worse"}
    first, *others = [sign for sign in meanings if sign in marks]
    text = f"{first} differs significantly{ranks}, {meanings[first]}"
    return "; ".join([text, *[f"{sign} {meanings[sign]}" for sign in others]])


def _name_datasets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with a column of datasets, or judges, which is empty if there is none."""
    return frame.assign(**{DATASET: frame.get(JUDGE, frame.get(DATASET, ""))})


def _cells(data: pd.DataFrame, marks: Sequence[str], places: int) -> list[Cell]:
    """Return the cells of one measure; the best of the printed numbers are marked."""
    texts = [write_number(mean, places) for mean in data["mean"]]
    numbers = list(map(float, texts))
    best = max(numbers) if any(numbers) else np.nan  # of nothing but 0, none is best
    ends = [""] * len(texts)
    if "low" in data:
        pairs = data[["low", "high"]].to_numpy()
        ends = [
            f"[{write_number(low, places)}, {write_number(high, places)}]" for low, high in pairs
        ]
    return [
        Cell(text, len(texts) > 1 and float(text) == best, mark, interval)
        for text, mark, interval in zip(texts, marks, ends)
    ]


@checked
def correlation_table(matrix: pd.DataFrame, *, places: int = 2) -> Table:
    """Make a table of rank correlations, like tables 3 to 6 of IPM 2005.

    Parameters
    ----------
    matrix
        The result of :func:`pt_cumgain.comparing.rank_correlation`. If it is tau-b within
        one table of means, only the half below the diagonal is printed.
    places
        Decimal places.

    Returns
    -------
    Table
        With ``to_text()``, ``to_markdown()``, ``to_latex()``, ``to_html()``.

    Raises
    ------
    TypeError, ValueError
        If ``matrix`` is not such a result.

    Examples
    --------
    >>> means = pd.DataFrame({"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2]})
    >>> from pt_cumgain.comparing import rank_correlation
    >>> correlation_table(rank_correlation(means))
           CG@5
    nCG@5  0.33
    Kendall's tau-b between the measures' rankings of the systems.
    """
    refuse_texts(matrix)
    if not matrix.size:
        raise ValueError("there is no correlation to print")
    values = matrix.to_numpy(dtype=np.float64)
    named = read_names(dict.fromkeys([*matrix.index, *matrix.columns]))
    rows, columns = (
        [Head(named[str(text)].first, below=named[str(text)].below) for text in side]
        for side in (matrix.index, matrix.columns)
    )
    texts = [
        ["–" if np.isnan(value) else write_number(value, places) for value in row] for row in values
    ]
    if is_symmetric(matrix):  # the half above the diagonal repeats that below
        rows, columns = rows[1:], columns[:-1]
        texts = [row[:i] + [""] * (len(columns) - i) for i, row in enumerate(texts)][1:]
    cells = [[Cell(text) for text in row] for row in texts]
    name = COEFFICIENTS.get(str(matrix.attrs.get("coefficient")), "Rank correlation")
    truth = "; the row's measure is taken as the truth" if name == "tau-AP" else ""
    notes = [f"{name} between the measures' rankings of the systems{truth}."]
    notes += explain_names(named)
    return Table(columns, rows, cells, notes)


def _choose(frame: pd.DataFrame, column: str, chosen: Any) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the results of chosen measures or systems, labelled, and the labels by text."""
    what = {"measure": "measures", "name": "systems"}[column]
    present = frame[column].unique().tolist()
    if chosen is None:
        chosen = present
    if isinstance(chosen, Grid):
        chosen = chosen.labels
    named = chosen.items() if isinstance(chosen, Mapping) else [(n, n) for n in as_list(chosen)]
    labels = {str(n): label if isinstance(label, str) else str(n) for n, label in named}
    if not labels:
        raise ValueError(f"{what} is empty; leave it out for all")
    # results that have been renamed already have the labels
    names = {
        n if n in present or label not in present else label: label for n, label in labels.items()
    }
    if unknown := [name for name in names if name not in present]:
        known = ", ".join(present)
        raise ValueError(f"{what}: the results do not have {unknown[0]!r:.60}; they have {known}")
    in_order = list(labels.values())
    if twice := next((label for label in in_order if in_order.count(label) > 1), None):
        raise ValueError(f"{what}: two are called {twice!r}")
    frame = frame[frame[column].isin(list(names))]
    ordered = pd.Categorical(frame[column].map(names), in_order)
    return frame.assign(**{column: ordered}), labels


def _assign_places(places: Any, measures: Mapping[str, str]) -> dict[str, int]:
    """Return the places by label; a mapping may name measures by their texts or their labels."""
    labels = list(measures.values())
    by_measure = places if isinstance(places, Mapping) else dict.fromkeys(labels, places)
    by_label = {measures.get(str(name), str(name)): count for name, count in by_measure.items()}
    if unknown := [name for name in by_label if name not in labels]:
        raise ValueError(f"places: there is no measure {unknown[0]!r}")
    check = OPTIONS["places"].check
    return dict.fromkeys(labels, PLACES) | {x: check("places", n) for x, n in by_label.items()}


def _run_tests(chosen: _Choice) -> _Tested:
    """Test the differences of the chosen systems."""
    options = chosen.options
    which, correction = options.test, options.correction
    results, baselines, tests = chosen.results, chosen.baselines, None
    if left_out := chosen.zero:
        frame = results.frame
        results = replace(results, frame=frame[~frame["name"].isin(left_out)])
        baselines = [name for name in baselines if name not in left_out]
        if len(results.names) < 2 or (chosen.baselines and not baselines):
            return _Tested(left_out=left_out)
    blocks = find_blocks(results.frame)
    if options.test == FRIEDMAN:
        tests = friedman(results, correction=correction).set_index(blocks)
        which = "wilcoxon" if (tests["test"] == "Wilcoxon").all() else "conover"
    declared = TESTS[which]
    few = bool(baselines) or len(results.names) == 2
    pairs = pairwise(
        results,
        test=which,
        baseline=baselines or None,
        correction=correction,
        interval=few and ((declared.methods and options.interval) or True),
        **chosen.sampling,
    )
    words = PAIR_TESTS[which]
    if which == "conover" and tests is not None:
        # where Friedman's test is not significant or not possible, no pair counts as different
        significant = pairs[blocks].join(tests["p"] < LIMIT, on=blocks)["p"].to_numpy(dtype=bool)
        pairs.loc[~significant, ["better", "p", "p_corrected"]] = "", np.nan, np.nan
        words = f"Friedman's test with {words}"
    words += f" against {' and '.join(baselines)}" if baselines else ""
    words += f", {declared.sides}" if declared.sides else ""
    if which.startswith("randomis"):
        parts = [part.list_groups() for part in results.parts.values()]
        groups = [part.drop_duplicates([DATASET, "measure", GROUP])["measure"] for part in parts]
        sizes = [size for measures in groups for size in measures.value_counts()]
        exact = [which == "randomisation" and takes_all_signs(n, options.resamples) for n in sizes]
        ways = ["exact"] * any(exact) + [f"{options.resamples:,} draws"] * (not all(exact))
        words += f", {' or '.join(ways)}"
    if which in ("t", "welch", "tukey") and np.isinf(pairs["effect"]).any():
        words += ", constant differences by permutation"
    many = bool(pairs.duplicated(blocks).any())
    several = not declared.corrects and (many or is_corrected(pairs))
    if several:
        words += write_correction(correction)
        each = " and ".join(block for block in reversed(blocks) if pairs[block].nunique() > 1)
        words += f" within each {each}" if correction and each else ""
    kind = METHODS[chosen.method] if declared.methods else "Tukey"
    comparison = f"{100 * options.confidence:g}% {kind} intervals"
    comparison += ", uncorrected" * several if declared.methods else f", {declared.sides}"
    comparison += f"; effect size: mean difference divided by the {declared.spread}"
    alone = tests is not None and not (correction or baselines)
    caveat = UNCORRECTED * (alone and len(results.names) > 3)
    return _Tested(tests, pairs, declared.ranks, words, comparison, caveat, left_out)


def _join_letters(letters: Iterable[str]) -> list[str]:
    """Return letters in order, three or more in a row as a range: ``["a", "c–f"]``."""
    ordered = enumerate(sorted("".join(letters)))  # systems that are no baselines have none
    rows = [
        [letter for _, letter in row] for _, row in groupby(ordered, lambda x: ord(x[1]) - x[0])
    ]
    parts = ([f"{row[0]}–{row[-1]}"] if len(row) > 2 else row for row in rows)
    return [part for row in parts for part in row]


def _name_unit(measures: Iterable[str]) -> str:
    """Return the unit of the measures' values: ``"topic"`` or ``"session"``."""
    by_session = all(isinstance(measure_called(text), SessionMeasure) for text in measures)
    return "session" if by_session else "topic"


def _count_topics(chosen: _Choice, unit: str) -> str:
    """Return ``"30 topics"``, or a range if measures have different numbers of them.

    If the systems have topics of their own, it is ``"60 and 60 topics"``, in their order; with
    several datasets, the numbers of each.
    """
    texts: dict[str, str] = {}
    for dataset, values in chosen.matrices.items():
        counts = [matrix[chosen.systems].count() for matrix in values.values()]
        few, many = min(map(min, counts)), max(map(max, counts))
        own = any((count < len(matrix)).any() for count, matrix in zip(counts, values.values()))
        text = f"{few} to {many} {unit}s{' for each system' * own}"
        if own and all(count.equals(counts[0]) for count in counts):
            *others, last = counts[0]
            text = f"{', '.join(map(str, others))} and {last} {unit}s"
        elif few == many:
            text = count_things(few, unit)
        if dataset != MACRO_MEAN:
            texts[dataset] = text
    if len({*texts.values()}) == 1:
        each = len(texts) > 1 and JUDGE not in chosen.results.frame
        return f"{next(iter(texts.values()))}{' of each dataset' * each}"
    return ", ".join(f"{text} of {dataset}" for dataset, text in texts.items())
