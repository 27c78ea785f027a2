"""Tables that go into a paper: means with tests and intervals, and rank correlations."""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain.analysis.comparison import LIMIT, friedman, who_is_better
from pt_cumgain.analysis.correlation import COEFFICIENTS, is_symmetric
from pt_cumgain.analysis.grids import Grid
from pt_cumgain.analysis.intervals import check_confidence, intervals
from pt_cumgain.analysis.names import CORRECTIONS
from pt_cumgain.analysis.pairs import TESTS, pairwise, takes_all_signs
from pt_cumgain.analysis.results import Results, as_results, check_system, matrices
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.measures import SessionMeasure, measure_called
from pt_cumgain.presentation.rendering import BEST, Cell, Head, Table

Marks = Literal["letters", "daggers", "reading"]
MARKS = get_args(Marks)
FRIEDMAN = "friedman"
#: The most characters of a reading in a column.
READING = 40
#: Decimal places.
PLACES = 3


@dataclass(frozen=True, repr=False)
class PaperTable(Table):
    """A table of means that prints in several formats: the result of :func:`paper_table`.

    Attributes
    ----------
    measures
        The measures' texts, by their names in the table.
    means
        The means, a row for each measure, a column for each system.
    tests
        The result of :func:`pt_cumgain.friedman`, by measure. None with another test or none.
    pairs
        The result of :func:`pt_cumgain.pairwise` on which the marks are based; ``better`` is empty
        where Friedman's test finds nothing. It has intervals of the differences only with a
        baseline. None without a test.
    data
        A row for each cell: ``measure``, ``name``, ``mean``; with a test ``better_than`` and
        ``worse_than``, the systems from which it differs significantly; with intervals ``low`` and
        ``high``.
    """

    measures: Mapping[str, str]
    means: pd.DataFrame
    tests: pd.DataFrame | None
    pairs: pd.DataFrame | None
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
        text: str | None = self.data.to_csv(path, index=False)
        return text


def paper_table(
    results: Results,
    *,
    measures: Iterable[Any] | Mapping[Any, str] | None = None,
    systems: Iterable[str] | Mapping[str, str] | None = None,
    rows: Literal["measures", "systems"] = "measures",
    places: int | Mapping[Any, int] = PLACES,
    test: str | None = FRIEDMAN,
    baseline: str | int | None = None,
    correction: str | None = "default",
    marks: Marks | None = None,
    interval: bool = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> PaperTable:
    r"""Return a table of means, in which marks show the significant differences.

    With measures that have ``avg_pos=True``, ``marks="reading"`` gives table 2
    of TOIS 2002: averages of n(D)CG vectors, and in a column "Stat. Sign."
    which runs are significantly better than which.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: what ``pt.Experiment(...,
        perquery=True)`` returns, or the path of the ``perquery.csv`` that it
        wrote. Systems may have topics (sessions) of their own if ``test`` is
        ``"welch"``, ``"mann-whitney"`` or None; the note then has the number of
        topics of each.
    measures, systems
        The measures (or their texts) and the systems of the table, in order: a
        list, or a mapping to their names in the table. A
        :func:`pt_cumgain.grid` has order and labels. The default is all of
        them, in the order of the results, or of a categorical column. Only the
        chosen systems take part in the test.
    rows
        Whether the rows are measures or systems.
    places
        Decimal places, of all measures or, as a mapping, of each. Systems that
        are equal to this many places share the mark of the best.
    test
        ``"friedman"``: Friedman's test and, where it is significant, Conover's
        test of the pairs (for two systems, Wilcoxon's test); see
        :func:`pt_cumgain.friedman`. Or a test of :func:`pt_cumgain.pairwise`
        other than ``"equivalence"``. None for no test, which does not need the
        extra ``stats``.
    baseline
        Compare each system with this one only: its name, or its place in the
        results, from 0 (``pt.Experiment`` sorts its results by name).
    correction
        The correction for the number of pairs; see :func:`pt_cumgain.pairwise`.
        ``"default"`` is Holm's, but none for Friedman's test with
        ``marks="reading"``, as in the paper; the note says so.
    marks
        How to mark differences. ``"letters"``: every system has a letter, and
        the raised letters after a value name the systems that are significantly
        worse (the default without a baseline; up to 26 systems).
        ``"daggers"``: † and ‡ after the values of systems that differ from the
        baseline with p < 0.05 and p < 0.01 (the default with a baseline).
        ``"reading"``: as in the papers, ``"D,E > A**"``, in a column "Stat.
        Sign." or, with ``rows="systems"`` or more than 40 characters, below the
        table; up to 26 systems are named by letters.
    interval
        Whether to print the confidence interval of each mean; see
        :func:`pt_cumgain.intervals`.
    confidence
        The confidence of the intervals.
    resamples, seed
        For intervals and tests that draw random samples.

    Returns
    -------
    PaperTable
        With ``to_text()``, ``to_markdown()``, ``to_latex()`` (booktabs and
        graphicx), ``to_html()``, ``to_csv()``, ``to_frame()``.

    Raises
    ------
    ValueError
        If a column is missing, a system has no value, NaN or two values for a
        topic, the results lack a chosen measure or system, or a test cannot be
        computed.
    ImportError
        If the extra ``stats`` is needed and not installed.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(paper_table(results, measures={"CG": "gain"}, places=1).to_text(70))
          a A    b B       c C
    gain  2.0  3.0 a  5.0• a,b
    •: best value of each measure.
    Letters: significantly better in mean rank than the system of that
    letter, p < 0.05 (Friedman's test with Conover's post-hoc test,
    Holm-corrected; 9 topics).
    <BLANKLINE>
    >>> print(paper_table(results, rows="systems", test=None).to_markdown(), end="")
    |     | CG        |
    | :-- | :--       |
    | A   | 2.000     |
    | B   | 3.000     |
    | C   | **5.000** |
    <BLANKLINE>
    Bold: best value of each measure.
    <BLANKLINE>
    9 topics.
    """
    tests_of_pairs = [name for name in TESTS if name != "equivalence"]
    for option, value, choices in (
        ("rows", rows, ("measures", "systems")),
        ("marks", marks, (*MARKS, None)),
        ("test", test, (FRIEDMAN, *tests_of_pairs, None)),
    ):
        if value not in choices:
            raise ValueError(
                f"{option}={value!r} is not an option; choose from {', '.join(map(str, choices))}"
            )
    check_confidence(confidence)
    if test is None and (baseline is not None or marks is not None):
        raise ValueError("baseline and marks need a test; give test=")
    marks = marks or ("daggers" if baseline is not None else "letters")
    if marks == "daggers" and baseline is None:
        raise ValueError("marks='daggers' compare with a baseline; give baseline=")
    if correction == "default":
        correction = None if marks == "reading" and test == FRIEDMAN else "holm"
    frame = as_results(results)
    if baseline is not None and not isinstance(baseline, str):
        baseline = check_system(baseline, list(frame["name"].unique()))
    frame, measure_labels = _choose(frame, "measure", measures)
    frame, system_labels = _choose(frame.assign(name=frame["name"].map(str)), "name", systems)
    if baseline is not None:
        baseline = system_labels.get(str(baseline), str(baseline))
    names, texts = list(system_labels.values()), list(measure_labels.values())
    paired = test == FRIEDMAN or (test is not None and TESTS[test].paired)
    values = dict(matrices(frame, systems=1 if test is None else 2, topics=1, paired=paired))
    means = pd.DataFrame({text: values[text].mean() for text in texts}).T[names]
    index = pd.MultiIndex.from_product([texts, names], names=["measure", "name"])
    data: Any = pd.DataFrame({"mean": means.to_numpy().ravel()}, index=index)
    if test is not None and marks == "letters" and len(names) > len(string.ascii_lowercase):
        raise ValueError(
            f"there are letters for 26 systems, not {len(names)}; give a baseline, "
            "marks='reading', or test=None"
        )
    digits = _assign_places(places, measure_labels)
    unit = _name_unit(measure_labels)
    topics = _count_topics([matrix[names] for matrix in values.values()], unit)
    notes = [f"{BEST}: best value of each measure."] if len(names) > 1 else []
    keys, raised, readings = dict.fromkeys(names, ""), {}, {}
    tests = pairs = None
    if test is None:
        notes.append(f"{topics}.")
    else:
        options = {"baseline": baseline, "correction": correction, "confidence": confidence}
        options |= {"resamples": resamples, "seed": seed}
        tests, pairs, ranks, words = _run_tests(frame, test, options)
        words = f"({words}; {topics})"
        won = pairs[pairs["better"] != ""]
        won = won.assign(worse=won["other"].where(won["better"] == won["name"], won["name"]))
        worse = won.groupby(["measure", "better"])["worse"].agg(list).to_dict()
        better = won.groupby(["measure", "worse"])["better"].agg(list).to_dict()
        data["better_than"] = ["; ".join(worse.get(at, [])) for at in index]
        data["worse_than"] = ["; ".join(better.get(at, [])) for at in index]
        if marks == "letters":
            keys = dict(zip(names, string.ascii_lowercase))
            raised = {at: _write_letters(keys[name] for name in worse[at]) for at in worse}
            notes.append(
                f"Letters: significantly better{ranks} than the system of that letter, p < 0.05 "
                f"{words}."
                if raised
                else f"No pair differs significantly at p < 0.05 {words}."
            )
        elif marks == "daggers":
            differ = won[["measure", "name", "p_corrected"]].to_numpy()
            raised = {(measure, name): "‡" if p < 0.01 else "†" for measure, name, p in differ}
            notes.append(
                f"† differs significantly from {baseline}{ranks}, p < 0.05; ‡ p < 0.01 {words}."
            )
        else:
            if len(names) <= len(string.ascii_uppercase):
                keys = dict(zip(names, string.ascii_uppercase))
            notes.append(f">: significantly better{ranks}, ** p < 0.01, * p < 0.05 {words}.")
            readings = _write_readings(won, means, keys)
            if rows == "systems" or max(map(len, readings.values())) > READING:
                none = "no pair differs significantly"
                notes += [f"{text}: {readings[text] or none}." for text in texts]
                readings = {}
    if interval:
        ends = intervals(frame, confidence=confidence, resamples=resamples, seed=seed)
        data = data.join(ends.set_index(["measure", "name"])[["low", "high"]])
        notes.append(
            f"[low, high]: {100 * confidence:g}% BCa bootstrap confidence interval over {unit}s."
        )
    cells = [
        _cells(data.loc[text], [raised.get((text, name), "") for name in names], digits[text])
        for text in texts
    ]
    down, across = [Head(text) for text in texts], [Head(name, keys[name]) for name in names]
    if readings:
        across.append(Head("Stat. Sign."))
        cells = [[*row, Cell(readings[text])] for row, text in zip(cells, texts)]
    if rows == "systems":
        down, across, cells = across, down, [list(column) for column in zip(*cells)]
    text_of = {label: text for text, label in measure_labels.items()}
    return PaperTable(across, down, cells, notes, text_of, means, tests, pairs, data.reset_index())


def _cells(data: pd.DataFrame, marks: Sequence[str], places: int) -> list[Cell]:
    """Return the cells of one measure; the best of the printed numbers are marked."""
    texts = [_number(mean, places) for mean in data["mean"]]
    best = max(map(float, texts))
    ends = [""] * len(texts)
    if "low" in data:
        pairs = data[["low", "high"]].to_numpy()
        ends = [f"[{_number(low, places)}, {_number(high, places)}]" for low, high in pairs]
    return [
        Cell(text, len(texts) > 1 and float(text) == best, mark, interval)
        for text, mark, interval in zip(texts, marks, ends)
    ]


def correlation_table(matrix: pd.DataFrame, *, places: int = 2) -> Table:
    """Return a table of rank correlations like tables 3 to 6 of IPM 2005.

    Parameters
    ----------
    matrix
        The result of :func:`pt_cumgain.rank_correlation`. If it is tau-b within
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
    >>> from pt_cumgain import rank_correlation
    >>> correlation_table(rank_correlation(means))
           CG@5
    nCG@5  0.33
    Kendall's tau-b between the measures' rankings of the systems.
    """
    require_columns(matrix, [], "matrix", "; rank_correlation returns such a table")
    if not matrix.size:
        raise ValueError("there is no correlation to print")
    values = matrix.to_numpy(dtype=np.float64)
    rows, columns = list(map(str, matrix.index)), list(map(str, matrix.columns))
    half = is_symmetric(matrix)
    cells = [
        [
            Cell("" if half and j >= i else "–" if np.isnan(value) else _number(value, places))
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(values)
    ]
    if half:
        rows, columns, cells = rows[1:], columns[:-1], [row[:-1] for row in cells[1:]]
    name = COEFFICIENTS.get(str(matrix.attrs.get("coefficient")), "Rank correlation")
    truth = "; the row's measure is taken as the truth" if name == "tau-AP" else ""
    notes = [f"{name} between the measures' rankings of the systems{truth}."]
    return Table([*map(Head, columns)], [*map(Head, rows)], cells, notes)


def _choose(frame: pd.DataFrame, column: str, chosen: Any) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the results of chosen measures or systems, labelled, and the labels by text."""
    what = {"measure": "measures", "name": "systems"}[column]
    present = frame[column].unique().tolist()
    if isinstance(chosen, (str, Measure)):
        chosen = [chosen]
    if isinstance(chosen, Grid):
        labels = chosen.labels
    elif isinstance(chosen, Mapping):
        labels = {str(name): str(label) for name, label in chosen.items()}
    else:
        labels = {str(name): str(name) for name in (present if chosen is None else chosen)}
    if not labels:
        raise ValueError(f"{what} is empty; leave it out for all")
    # results that have been renamed already have the labels
    names = {
        n if n in present or label not in present else label: label for n, label in labels.items()
    }
    if unknown := [name for name in names if name not in present]:
        known = ", ".join(present)
        raise ValueError(f"{what}: the results do not have {unknown[0]!r}; they have {known}")
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
    for count in by_label.values():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(f"places={count!r} must be whole numbers, 0 or more")
    return dict.fromkeys(labels, PLACES) | by_label


def _run_tests(
    results: pd.DataFrame, test: str, options: dict[str, Any]
) -> tuple[pd.DataFrame | None, pd.DataFrame, str, str]:
    """Return Friedman's test if it was asked for, the pairs, on what ranks, and the test's name."""
    baseline, correction = options["baseline"], options["correction"]
    tests, which = None, test
    if test == FRIEDMAN:
        tests = friedman(results, correction=correction).set_index("measure")
        which = "wilcoxon" if (tests["test"] == "Wilcoxon").all() else "conover"
    pairs = pairwise(results, test=which, interval=baseline is not None, **options)
    words = TESTS[which].words
    if which == "conover" and tests is not None:
        # where Friedman's test is not significant or not possible, no pair counts as different
        significant = pairs["measure"].map(tests["p"] < LIMIT).to_numpy(dtype=bool)
        pairs = pairs.assign(better=pairs["better"].where(significant, ""))
        words = f"Friedman's test with {words}"
    words += "" if baseline is None else f" against {baseline}"
    topics = results.groupby("measure", observed=True)["qid"].nunique().max()
    if which == "randomisation" and takes_all_signs(topics, options["resamples"]):
        words += ", exact"
    elif which.startswith("randomis"):
        words += f", {options['resamples']:,} draws"
    measures = pairs["measure"].nunique()
    if len(pairs) > measures and not TESTS[which].corrects:
        words += ", uncorrected" if correction is None else f", {CORRECTIONS[correction]}-corrected"
        words += " within each measure" if correction and measures > 1 else ""
    return tests, pairs, TESTS[which].ranks, words


def _write_letters(letters: Iterable[str]) -> str:
    """Return letters in order, three or more in a row as a range: ``"a,c–f"``."""
    stretches: list[str] = []
    for letter in sorted(letters):
        if stretches and ord(letter) == ord(stretches[-1][-1]) + 1:
            stretches[-1] += letter
        else:
            stretches.append(letter)
    return ",".join(f"{row[0]}–{row[-1]}" if len(row) > 2 else ",".join(row) for row in stretches)


def _write_readings(
    won: pd.DataFrame, means: pd.DataFrame, keys: Mapping[str, str]
) -> dict[Any, str]:
    """Return for each measure which systems are better than which, as the papers write it."""
    short = {name: key or name for name, key in keys.items()}
    readings = {}
    for measure, merit in means.rename(columns=short).iterrows():
        p = pd.DataFrame(1.0, index=merit.index, columns=merit.index)
        of_measure = won[won["measure"] == measure]
        for better, worse, value in of_measure[["better", "worse", "p_corrected"]].to_numpy():
            p.loc[short[better], short[worse]] = value
        readings[measure] = who_is_better(p, merit)
    return readings


def _name_unit(measures: Iterable[str]) -> str:
    """Return the unit of the measures' values: ``"topic"`` or ``"session"``."""
    of_sessions = all(isinstance(measure_called(text), SessionMeasure) for text in measures)
    return "session" if of_sessions else "topic"


def _count_topics(matrices: list[pd.DataFrame], unit: str) -> str:
    """Return ``"30 topics"``, or a range if measures have different numbers of them.

    If the systems have topics of their own, it is ``"60 and 60 topics"``, in their order.
    """
    counts = [matrix.count() for matrix in matrices]
    few, many = min(map(min, counts)), max(map(max, counts))
    own = any((count < len(matrix)).any() for count, matrix in zip(counts, matrices))
    if own and all(count.equals(counts[0]) for count in counts):
        *others, last = counts[0]
        return f"{', '.join(map(str, others))} and {last} {unit}s"
    each = " for each system" if own else ""
    return f"{few} {unit}{'s' * (few != 1)}" if few == many else f"{few} to {many} {unit}s{each}"


def _number(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text if float(text) else text.lstrip("-")
