"""A table of means that goes into a paper: what it says, with tests and intervals.

:mod:`pt_cumgain.comparing._layout` fills the cells.
"""

from __future__ import annotations

import os
import string
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_cumgain.comparing._datasets import DATASET, MACRO_MEAN, find_blocks, mean_values
from pt_cumgain.comparing._friedman import LIMIT, friedman
from pt_cumgain.comparing._intervals import intervals
from pt_cumgain.comparing._layout import WORSE, fill_cells, join_letters, turn
from pt_cumgain.comparing._pairwise import TESTS, is_corrected, pairwise, takes_all_signs
from pt_cumgain.comparing._results import Results, TopicResults
from pt_cumgain.comparing._systems import Baseline, check_baselines
from pt_cumgain.environment.warning import warn
from pt_cumgain.grids import Grid
from pt_cumgain.inputs.lists import as_list, refuse_equal_names
from pt_cumgain.inputs.measures import print_measure
from pt_cumgain.measures import SessionMeasure, measure_called
from pt_cumgain.options import CONFIDENCE_LEVEL, DECIMALS, PAIR_TESTS, checked, choice
from pt_cumgain.writing.names import Name, explain_names, list_formulas, read_names
from pt_cumgain.writing.phrases import count_things, join_words, write_correction
from pt_cumgain.writing.rendering import BEST, Head, Table
from pt_cumgain.writing.shares import write_judged

FRIEDMAN = "friedman"
#: The most systems that have letters.
_LETTERS = len(string.ascii_lowercase)
#: The columns that tell cells apart, and those of ``data`` on differences from a baseline.
_CELL = ["measure", DATASET, "name"]
_THAN = ["better_than", "worse_than"]
_COMPARED = ["difference", "low", "high", "effect", "p", "p_corrected"]
#: The caveat of Conover's test: measure_conover in tests/support/error_rates.py.
CAVEAT = (
    "If four equal systems are compared together with a far better one, two of the four are marked "
    "as different in about 9% of samples with Holm's correction, in about 31% without it."
)


@dataclass(frozen=True, repr=False, eq=False)  # frames have no single truth value
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
        and ``p`` and ``p_corrected`` are NaN where Friedman's test finds nothing. None without a
        test, and for more than 26 systems without a baseline.
    data
        A row for each cell: ``measure``, ``dataset`` (if the results have that column), ``name``,
        ``mean``; with a test ``better_than`` and ``worse_than``, the systems from which it differs
        significantly. With one baseline also ``difference``, ``low``, ``high``, ``effect``, ``p``
        and ``p_corrected``, as in ``pairs``; without one, intervals of the means are ``low`` and
        ``high``.
    unit
        The unit of the values: ``"topic"`` or ``"session"``.
    """

    measures: Mapping[str, str]
    means: pd.DataFrame
    tests: pd.DataFrame | None
    pairs: pd.DataFrame | None
    data: pd.DataFrame
    unit: str

    def to_frame(self) -> pd.DataFrame:
        """Return the printed texts, in the table's layout."""
        texts = [[cell.plain() for cell in row] for row in self.cells]
        rows, columns = ([str(head) for head in heads] for heads in (self.rows, self.columns))
        return pd.DataFrame(texts, index=rows, columns=columns)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write ``data`` with all digits; without a path, return the text."""
        return self.data.to_csv(path, index=False)


@checked(test=choice(FRIEDMAN, *PAIR_TESTS).optional())
def paper_table(
    results: Results,
    *,
    measures: Iterable[object] | Mapping[Any, str] | None = None,
    systems: Iterable[Any] | Mapping[str, object] | None = None,
    order: Literal["given", "value"] = "given",
    rows: Literal["measures", "systems"] | None = None,
    decimals: int = DECIMALS,
    test: str | None = "t",
    baseline: Baseline = None,
    correction: str | None = "holm",
    interval: bool = False,
    confidence: float = CONFIDENCE_LEVEL,
    resamples: int = 10_000,
    seed: int = 0,
) -> PaperTable:
    r"""Make a table of means for a paper, with marks for significant differences.

    With a single baseline, † and ‡ mark systems that differ from it with p < 0.05
    and p < 0.01, with ↓ if they are worse. Otherwise, the raised letters after a
    value name the systems that are significantly worse. With several baselines,
    only baselines have letters; ↓ after a letter means that this baseline is
    significantly better. More than 26 systems have marks only with a baseline.

    Parameters
    ----------
    results
        As for :func:`pt_cumgain.pairwise`. With a column ``dataset`` the table
        has a column (or row) for each of them, and one for the mean of the
        datasets' means. The values of ir-measures' ``Judged@k`` beside other
        measures are not compared: if their mean is below 1, a note gives it.
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
    decimals
        The number of decimals. Systems whose printed means are equal share the mark
        of the best.
    test
        A test of :func:`pt_cumgain.pairwise`, by default the paired t-test. Or
        ``"friedman"``: Friedman's test and, where it is significant, Conover's
        test of the pairs. Two systems are compared by Wilcoxon's test instead
        of either. None for no test.
    baseline, correction, resamples, seed
        As for :func:`pt_cumgain.pairwise`.
    interval
        Whether to print the t interval of each mean or, with a baseline, each
        difference from the baseline and its interval. Only the intervals of
        the randomised Tukey test are corrected for the number of systems.
        With several baselines there is no such column;
        :func:`pt_cumgain.pairwise` returns the intervals of all pairs.
    confidence
        The confidence of the intervals. Marks are always at p < 0.05 and
        p < 0.01.

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
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, paper_table, pydocs
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> results = pt.Experiment(pydocs.runs(), topics, qrels, [nDCG @ 10], perquery=True)
    >>> print(paper_table(results, baseline="BM25", rows="systems").to_text(70), end="")
                  nDCG@10
    BM25        0.603•
    DPH         0.576
    First word  0.441  ‡↓
    PL2         0.575
    QLD         0.590
    •: best value of each measure.
    †: differs significantly, p < 0.05; ‡: p < 0.01; ↓: worse (paired
    t-test against BM25, two-sided, Holm-corrected; 42 topics).
    """
    values = _read(results, measures, systems, order, baseline)
    if values.baselines and not test:
        raise ValueError("baseline needs a test; pass test=")
    if interval and len(values.baselines) > 1:
        raise ValueError("interval=True needs a single baseline; give one, or omit interval")
    tested = _Tested()
    if test is not None:
        tested = _test(values, test, correction, confidence, resamples=resamples, seed=seed)
    return _lay_out(values, tested, decimals, confidence if interval else None, rows)


@dataclass(frozen=True)
class _Values:
    """The values of a table: the chosen measures and systems of some results.

    Attributes
    ----------
    results
        Their results, labelled.
    measures
        The labels of the measures by their texts.
    systems, baselines
        The labels of the systems, in order.
    """

    results: TopicResults
    measures: Mapping[str, str]
    systems: Sequence[str]
    baselines: Sequence[str]

    @cached_property
    def matrices(self) -> dict[str, dict[str, pd.DataFrame]]:
        """The values by dataset and by measure's label; NaN where a system lacks a topic."""
        parts = self.results.parts.items()
        return {name: part.matrices(systems=1, topics=1, paired=False) for name, part in parts}

    @property
    def items(self) -> list[tuple[str, str]]:
        """Each measure's label and dataset."""
        return list(product(self.measures.values(), self.matrices))

    @property
    def index(self) -> pd.MultiIndex:
        """Each cell's measure, dataset and system."""
        cells = [(*item, name) for item, name in product(self.items, self.systems)]
        return pd.MultiIndex.from_tuples(cells, names=_CELL)

    @property
    def means(self) -> pd.DataFrame:
        """The means, a row for each measure and dataset, a column for each system."""
        means = {item: mean_values(self.matrices[item[1]][item[0]]) for item in self.items}
        return pd.DataFrame(means).T[self.systems]

    @property
    def alone(self) -> bool:
        """Whether there is one measure in several columns; their heads do not name it."""
        return len(self.measures) == 1 and len(self.matrices) > 1

    @property
    def unit(self) -> str:
        """The unit of the values: ``"topic"`` or ``"session"``."""
        measures = (measure_called(text) for text in self.measures)
        by_session = all(isinstance(measure, SessionMeasure) for measure in measures)
        return "session" if by_session else "topic"

    def name_interval(self, confidence: float, kind: str = "t") -> str:
        """Return what the intervals are."""
        return f"{100 * confidence:g}% {kind} confidence interval over {self.unit}s"

    @cached_property
    def names(self) -> Mapping[str, Name]:
        """The printed names of the measures that the user did not name, by their texts."""
        return read_names([text for text, label in self.measures.items() if text == label])

    def name_measure(self, label: str) -> Name:
        """Return a measure's printed name."""
        return self.names.get(label, Name(label))

    def list_heads(self) -> list[Head]:
        """Return the heads of the measures and datasets."""
        named = [(self.name_measure(label), dataset) for label, dataset in self.items]
        if "" in self.matrices:
            return [Head(name.first, below=name.below, usual=name.usual) for name, _ in named]
        return [Head(dataset, above="" if self.alone else n.write()) for n, dataset in named]


def _read(results: Results, measures: Any, systems: Any, order: str, baseline: Baseline) -> _Values:
    """Return the values of the chosen measures and systems."""
    values = TopicResults.read(results).split_judged()
    frame, known = values.frame, values.names
    noted = {f"Judged@{depth}" for shares in values.shares.values() for depth in shares}
    frame, labels = _choose(frame, "measure", measures, noted)
    frame, names = _choose(frame.assign(name=frame["name"].map(str)), "name", systems)
    baselines = check_baselines(baseline, list(dict.fromkeys([*known, *names.values()])))
    shares = {
        dataset: {k: {names[str(n)]: of[n] for n in of if str(n) in names} for k, of in its.items()}
        for dataset, its in values.shares.items()
    }
    table = _Values(
        results=replace(TopicResults.of(frame), shares=shares),
        measures=labels,
        systems=list(names.values()),
        baselines=[names.get(str(name), str(name)) for name in baselines],
    )
    if order == "given":
        return table
    first = table.means.iloc[len(table.matrices) - 1]
    return replace(table, systems=[*first.sort_values(ascending=False, kind="stable").index])


@dataclass(frozen=True)
class _Tested:
    """The outcome of a table's tests, if there are any.

    Attributes
    ----------
    tests, pairs
        Friedman's test, if it was asked for, and the pairs of systems.
    ranks
        How a sentence says that the test compares ranks; empty if it compares means.
    words
        The name of the test, and its correction.
    ends
        What the intervals of the pairs are.
    caveats
        Sentences on what is not tested, or not shown.
    """

    tests: pd.DataFrame | None = None
    pairs: pd.DataFrame | None = None
    ranks: str = ""
    words: str = ""
    ends: str = ""
    caveats: Sequence[str] = ()


def _test(
    values: _Values, test: str, correction: str | None, confidence: float, **draws: int
) -> _Tested:
    """Test the differences of the systems; those with no value but 0 are not compared."""
    results, baselines, evident = values.results, values.baselines, values.results.find_evident()
    left_out, caveats = [name for name in values.systems if name not in evident], []
    if left_out:
        why = "0 for every topic, as if no document were judged; not compared"
        caveats = [f"{join_words(left_out)}: {why}."]
        frame = results.frame
        results = replace(results, frame=frame[~frame["name"].isin(left_out)])
        baselines = [name for name in baselines if name not in left_out]
        if len(results.names) < 2 or (values.baselines and not baselines):
            return _Tested(caveats=caveats)
    blocks, tests = find_blocks(results.frame), None
    if test == FRIEDMAN:
        tests = friedman(results).set_index(blocks)
        test = "conover"
    test = "wilcoxon" if test == "conover" and len(results.names) == 2 else test
    if not baselines and len(results.names) > _LETTERS:
        warn(f"no pair is marked: only {_LETTERS} systems can have letters; give a baseline")
        return _Tested(tests, caveats=caveats)
    chosen = baselines or None
    pairs = pairwise(
        results, test=test, baseline=chosen, correction=correction, confidence=confidence, **draws
    )
    constant = int(pairs["p"].isna().sum())
    if constant:
        why = f"no variance over {values.unit}s"
        caveats.append(f"{count_things(constant, 'pair')} not tested: {why}.")
    words = _name_test(test, results, baselines, draws["resamples"])
    corrected = _name_correction(test, pairs, correction)
    if tests is not None and test == "conover":
        # where Friedman's test is not significant or not possible, no pair counts as different
        significant = pairs[blocks].join(tests["p"] < LIMIT, on=blocks)["p"].to_numpy(dtype=bool)
        pairs.loc[~significant, ["better", "p", "p_corrected"]] = "", np.nan, np.nan
        words = f"Friedman's test with {words}"
    if test == "conover" and not baselines and len(results.names) > 3 and pairs["better"].any():
        caveats.append(CAVEAT)
    ends = values.name_interval(confidence)
    if TESTS[test].corrects:
        ends = f"{values.name_interval(confidence, 'Tukey')}, {TESTS[test].sides}"
    elif corrected:
        ends += ", uncorrected"
    return _Tested(tests, pairs, TESTS[test].ranks, words + corrected, ends, caveats)


def _name_test(test: str, results: TopicResults, baselines: Sequence[str], resamples: int) -> str:
    """Return the name of a test of pairs, with its baselines, its alternative and its draws."""
    words = PAIR_TESTS[test]
    words += f" against {' and '.join(baselines)}" if baselines else ""
    if TESTS[test].sides:
        words += f", {TESTS[test].sides}"
    if test.startswith("randomis"):
        matrices = chain.from_iterable(part.matrices().values() for part in results.parts.values())
        may_be_exact = test == "randomisation"
        exact = [may_be_exact and takes_all_signs(len(matrix), resamples) for matrix in matrices]
        words += ", exact" if any(exact) else ""
        words += "" if all(exact) else f"{' or' if any(exact) else ','} {resamples:,} draws"
    return words


def _name_correction(test: str, pairs: pd.DataFrame, correction: str | None) -> str:
    """Return how p-values are corrected, and within what; nothing if they need no correction."""
    blocks = find_blocks(pairs)
    if TESTS[test].corrects or not (pairs.duplicated(blocks).any() or is_corrected(pairs)):
        return ""
    each = " and ".join(block for block in reversed(blocks) if pairs[block].nunique() > 1)
    words = write_correction(correction)
    return f"{words} within each {each}" if correction and each else words


@dataclass(frozen=True)
class _Marked:
    """The marks of a table.

    Attributes
    ----------
    raised
        The raised marks by cell.
    others
        The systems to which a cell's system is significantly better, and worse.
    meaning
        What the marks mean.
    keys
        The letters of the systems, if marks have them.
    """

    raised: Mapping[Hashable, str]
    others: pd.DataFrame
    meaning: str
    keys: Mapping[str, str]


def _mark(values: _Values, tested: _Tested) -> _Marked:
    """Mark the systems that differ significantly, if pairs were tested."""
    if tested.pairs is None:
        return _Marked({}, pd.DataFrame(index=values.index), "", {})
    won = _name_datasets(tested.pairs[tested.pairs["better"] != ""])
    worse = won["other"].where(won["better"] == won["name"], won["name"])
    better = won.assign(name=won["better"], other=worse, than="better_than")
    lost = won.assign(name=worse, other=won["better"], than="worse_than")
    won = pd.concat([better, lost], ignore_index=True)
    others = won.pivot_table("other", _CELL, "than", aggfunc="; ".join)
    others = others.reindex(values.index, columns=_THAN).astype(object).fillna("")
    ranks, is_worse = tested.ranks, won["than"] == "worse_than"
    keys: dict[str, str] = {}
    if len(values.baselines) == 1:
        signs: pd.Series = pd.Series(np.where(won["p_corrected"] < 0.01, "‡", "†"), won.index)
        shown = won["name"] != values.baselines[0]
        lower = f"; {WORSE}: worse" if (is_worse & shown).any() else ""
        meaning = f"†: differs significantly{ranks}, p < 0.05; ‡: p < 0.01{lower}"
    else:
        shown = bool(values.baselines) | ~is_worse
        used = set(won["other"][shown])
        lettered = [name for name in values.baselines or values.systems if name in used]
        keys = dict(zip(lettered, string.ascii_lowercase))
        signs = pd.Series([keys.get(name, "") for name in won["other"]], won.index, dtype=object)
        shown &= signs != ""
        lower = f" (with {WORSE}: worse)" if (is_worse & shown).any() else ""
        than = "than the system with that letter, p < 0.05"
        meaning = f"Letters: significantly better{lower}{ranks} {than}"
    if not len(won):
        meaning = f"No pair differs significantly{ranks} at p < 0.05"
    won = won.assign(mark=signs + np.where(is_worse, WORSE, ""))[shown]
    return _Marked(won.groupby(_CELL)["mark"].agg(join_letters).to_dict(), others, meaning, keys)


def _lay_out(
    values: _Values, tested: _Tested, decimals: int, confidence: float | None, rows: str | None
) -> PaperTable:
    """Return the table: heads, cells and notes, and the data behind them.

    It has intervals if there is a confidence.
    """
    means, pairs, marked = values.means, tested.pairs, _mark(values, tested)
    data = pd.DataFrame({"mean": means.to_numpy().ravel()}, index=values.index)
    data, interval = data.join(marked.others), ""
    if len(values.baselines) == 1 and pairs is not None:
        data = data.join(_name_datasets(pairs).set_index(_CELL)[_COMPARED])
        if confidence:
            interval = f"difference [low, high]: {tested.ends}"
    elif confidence and not values.baselines:
        ends = _name_datasets(intervals(values.results, confidence=confidence))
        data = data.join(ends.set_index(_CELL)[["low", "high"]])
        interval = f"[low, high]: {values.name_interval(confidence)}"
    by_column = data.groupby(["measure", DATASET], sort=False)
    cells = [fill_cells(each, marked.raised, decimals, bool(interval)) for _, each in by_column]
    keys = {name: f"({letter}) " for name, letter in marked.keys.items()}
    systems = [Head(keys.get(name, "") + name) for name in values.systems]
    several = "" not in values.matrices
    layout = turn(values.list_heads(), systems, cells, rows or ("systems" if several else None))
    labels = [name if values.alone else f"{label} {name}".strip() for label, name in values.items]
    has_best = any(cell.best for cell in chain.from_iterable(cells))
    best = [f"{BEST}: best value of each measure."] if has_best else []
    return PaperTable(
        *layout,
        [*best, *_write_notes(values, tested, marked, interval)],
        interval=interval.partition(":")[0],
        formulas=list_formulas(values.names),
        measures={label: text for text, label in values.measures.items()},
        means=means.set_axis(labels),
        tests=tested.tests,
        pairs=tested.pairs,
        data=data.reset_index().drop(columns=[] if several else DATASET),
        unit=values.unit,
    )


def _write_notes(values: _Values, tested: _Tested, marked: _Marked, interval: str) -> list[str]:
    """Return the note on the columns, the marks with their test, and the intervals."""
    notes = []
    if MACRO_MEAN in values.matrices:
        measure = values.name_measure(values.items[0][0]).write()
        what = f"{measure}; {MACRO_MEAN}" if values.alone else MACRO_MEAN
        pooled = "; its test pools the topics of all datasets" if tested.ranks else ""
        notes.append(f"{what}: mean of the datasets' means{pooled}.")
    topics, meaning = _count_topics(values), marked.meaning
    notes.append(f"{meaning} ({tested.words}; {topics})." if meaning else f"{topics}.")
    shares = {name: its for name, its in values.results.shares.items() if name != MACRO_MEAN}
    notes += [*tested.caveats, *write_judged(shares, values.measures)]
    if interval:
        of = f"difference from {''.join(values.baselines)}"
        notes.append(f"{interval.replace('difference', of)}.")
    renamed = [f"{label} is {text}" for text, label in values.measures.items() if text != label]
    if 0 < len(renamed) < 5:  # the many labels of a grid tell what differs
        notes.append(f"{'; '.join(renamed)}.")
    return notes + explain_names(values.names)


def _name_datasets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with a column of datasets, which is empty if there is none."""
    return frame.assign(**{DATASET: frame.get(DATASET, "")})


def _choose(
    frame: pd.DataFrame, column: str, chosen: object, noted: Collection[str] = ()
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the results of chosen measures or systems, labelled, and the labels by text.

    Measures that are ``noted`` are omitted, because a note reports them.
    """
    what = {"measure": "measures", "name": "systems"}[column]
    present = frame[column].unique().tolist()
    chosen = chosen.labels if isinstance(chosen, Grid) else chosen
    print_name: Any = print_measure if column == "measure" else str
    names = present if chosen is None else as_list(chosen)
    labels = {print_name(name): print_name(name) for name in names}
    if isinstance(chosen, Mapping):
        named = {print_name(name): label for name, label in chosen.items()}
        labels |= {name: label for name, label in named.items() if isinstance(label, str)}
    labels = {name: label for name, label in labels.items() if name not in noted}
    if not labels:
        raise ValueError(f"{what}={names!r:.60} leaves the table empty; omit it to select all")
    unknown = [name for name in labels if name not in present]
    if unknown:
        known = ", ".join(present)
        raise ValueError(f"{what}: the results do not have {unknown[0]!r:.60}; they have {known}")
    in_order = list(labels.values())
    refuse_equal_names(in_order, what.removesuffix("s"))
    frame = frame[frame[column].isin(list(labels))]
    ordered = pd.Categorical(frame[column].map(labels), in_order)
    return frame.assign(**{column: ordered}), labels


def _count_topics(values: _Values) -> str:
    """Return ``"30 topics"``, or a range if measures or systems have different numbers of them."""
    texts: dict[str, str] = {}
    for dataset, matrices in values.matrices.items():
        counts = pd.concat([matrix.count() for matrix in matrices.values()])
        few = "" if counts.min() == counts.max() else f"{counts.min()} to "
        texts[dataset] = few + count_things(counts.max(), values.unit)
    texts.pop(MACRO_MEAN, None)
    if len({*texts.values()}) == 1:
        text = next(iter(texts.values()))
        return f"{text} of each dataset" if len(texts) > 1 else text
    return ", ".join(f"{text} of {dataset}" for dataset, text in texts.items())
