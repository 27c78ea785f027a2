"""Tables that go into a paper: means with tests and intervals, and rank correlations."""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_cumgain.analysis.comparison import LIMIT, friedman, who_is_better
from pt_cumgain.analysis.correlation import COEFFICIENTS, is_symmetric
from pt_cumgain.analysis.grids import Grid
from pt_cumgain.analysis.intervals import intervals
from pt_cumgain.analysis.pairs import TESTS, pairwise
from pt_cumgain.analysis.results import Results, as_results, check_system, matrices
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.measures import MEASURES, SessionMeasure
from pt_cumgain.presentation.rendering import BEST, Cell, Head, Table

Marks = Literal["letters", "daggers", "reading"]
MARKS = ("letters", "daggers", "reading")
#: The daggers, each with the bound that p must be below.
DAGGERS = ((0.01, "‡"), (0.05, "†"))
FRIEDMAN = "friedman"
#: Decimal places.
PLACES = 3


@dataclass(frozen=True, repr=False)
class PaperTable(Table):
    """A table of means; made by :func:`paper_table`. Printed by the methods of a table.

    Attributes
    ----------
    measures
        The measures' texts, by what they are called in the table.
    means
        The means, a row for each measure, a column for each system.
    tests
        What :func:`pt_cumgain.friedman` returned, by measure. None with another test or none.
    pairs
        What :func:`pt_cumgain.pairwise` returned for the pairs that the marks are of; ``better`` is
        empty where Friedman's test finds nothing. Intervals of the differences are there only with
        a baseline. None without a test.
    data
        What the table shows, a row for each cell: ``measure``, ``name``, ``mean``; with a test
        ``better_than`` and ``worse_than``, the names of the systems that it is significantly better
        and worse than; with intervals ``low`` and ``high``.
    """

    measures: Mapping[str, str]
    means: pd.DataFrame
    tests: pd.DataFrame | None
    pairs: pd.DataFrame | None
    data: pd.DataFrame

    @property
    def unit(self) -> str:
        """What the values are of: ``"topic"`` or ``"session"``."""
        return _unit(self.measures.values())

    def to_frame(self) -> pd.DataFrame:
        """Return the table as texts, laid out as it is printed."""
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
    correction: str | None = "holm",
    marks: Marks | None = None,
    interval: bool = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> PaperTable:
    r"""Return a table of means, with the marks of a test.

    With measures that have ``avg_pos=True`` and ``marks="reading"`` it is table
    2 of TOIS 2002: averages of n(D)CG vectors, and which runs are significantly
    better than which.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: what ``pt.Experiment(...,
        perquery=True)`` returns, or the path of the ``perquery.csv`` that it
        wrote.
    measures, systems
        Which, and in which order: a list of measures (or their texts), of
        systems; or a mapping of these to what they are called in the table. A
        :func:`pt_cumgain.grid` gives order and labels. By default all, in the
        order of the results, or of a categorical column. Tests are of the
        systems chosen alone.
    rows
        Whether the rows are measures or systems.
    places
        Decimal places; by measure if there is a mapping. Systems that are equal
        to this many places share the mark of the best.
    test
        ``"friedman"``: Friedman's test, and where it is significant Conover's
        of the pairs (for two systems Wilcoxon's); see
        :func:`pt_cumgain.friedman`. Or one of the tests of
        :func:`pt_cumgain.pairwise`. None for no test; then the extra ``stats``
        is not needed.
    baseline
        Compare each system with this one only: its name, or its place in the
        results, from 0 (``pt.Experiment`` sorts its results by name).
    correction
        For the number of pairs; see :func:`pt_cumgain.pairwise`.
    marks
        What says who is better. ``"letters"``: every system has a letter, and
        raised letters behind a value are those of the systems that are
        significantly worse (the default without a baseline; up to 26 systems).
        ``"daggers"``: † and ‡ where a system differs from the baseline with p <
        0.05 and p < 0.01 (the default with one). ``"reading"``: below the
        table, as in the papers, ``"D,E > A**"``; up to 26 systems have letters
        for it.
    interval
        Whether each mean has its confidence interval: see
        :func:`pt_cumgain.intervals`.
    confidence
        Of the intervals.
    resamples, seed
        Of the intervals, and of tests that draw.

    Returns
    -------
    PaperTable
        Printed as text; ``to_text()``, ``to_markdown()``, ``to_latex()``
        (booktabs and graphicx), ``to_html()``, ``to_csv()``, ``to_frame()``.

    Raises
    ------
    ValueError
        If a column is missing, a system has no value, NaN or two values for a
        topic, something is asked for that the results do not have, or a test
        cannot be made.
    ImportError
        If the extra ``stats`` is needed and not installed.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(paper_table(results, measures={"CG": "gain"}, places=1).to_text(70))
          a A    b B       c C
    gain  2.0  3.0 a  5.0• a,b
    •: best of its measure.
    Letters: better by ranks than the system of that letter, p < 0.05
    (Friedman's test, then Conover's, corrected by holm; 9 topics).
    <BLANKLINE>
    >>> print(paper_table(results, rows="systems", test=None).to_markdown(), end="")
    |     | CG        |
    | :-- | :--       |
    | A   | 2.000     |
    | B   | 3.000     |
    | C   | **5.000** |
    <BLANKLINE>
    Bold: best of its measure.
    <BLANKLINE>
    9 topics.
    """
    if rows not in ("measures", "systems"):
        raise ValueError(f"rows={rows!r} is unknown; choose measures or systems")
    if marks is not None and marks not in MARKS:
        raise ValueError(f"marks={marks!r} is unknown; choose from {', '.join(MARKS)}")
    if test == "equivalence":
        raise ValueError("test='equivalence' finds no better system to mark; see pairwise")
    if test is not None and test not in (FRIEDMAN, *TESTS):
        known = [FRIEDMAN, *TESTS][:-1]
        raise ValueError(f"test={test!r} is unknown; choose from {', '.join(known)}, or None")
    if test is None and (baseline is not None or marks is not None):
        raise ValueError("baseline and marks are of a test; give test=")
    marks = marks or ("daggers" if baseline is not None else "letters")
    if marks == "daggers" and baseline is None:
        raise ValueError("marks='daggers' are against a baseline; give baseline=")
    if baseline is not None and not isinstance(baseline, str):
        baseline = check_system(baseline, list(as_results(results)["name"].unique()))
    frame, of_measures, of_systems = _chosen(results, measures, systems)
    if baseline is not None:
        baseline = of_systems.get(str(baseline), str(baseline))
    names, texts = list(of_systems.values()), list(of_measures.values())
    values = dict(matrices(frame, systems=1 if test is None else 2, topics=1))
    means = pd.DataFrame({text: values[text].mean() for text in texts}).T[names]
    if test is not None and marks == "letters" and len(names) > len(string.ascii_lowercase):
        raise ValueError(
            f"there are letters for 26 systems, not {len(names)}; give a baseline, "
            "marks='reading', or test=None"
        )
    digits = _places(places, of_measures)
    unit = _unit(of_measures)
    topics = _range([len(matrix) for matrix in values.values()], unit)
    notes = [f"{BEST}: best of its measure."] if len(names) > 1 else []
    raised: Any = pd.DataFrame("", index=texts, columns=names)
    keys = dict.fromkeys(names, "")
    tests = pairs = ends = None
    if test is None:
        notes.append(f"{topics}.")
    else:
        options = {"confidence": confidence, "resamples": resamples, "seed": seed}
        tests, pairs, words = _tested(frame, test, baseline, correction, options)
        ranked = " by ranks" if test in (FRIEDMAN, "wilcoxon", "conover") else ""
        words = f"({words}; {topics})"
        if marks == "letters":
            keys = dict(zip(names, string.ascii_lowercase))
            raised = _letters(pairs, raised, keys)
            notes.append(
                f"Letters: better{ranked} than the system of that letter, p < 0.05 {words}."
                if raised.any(axis=None)
                else f"No pair differs, p < 0.05 {words}."
            )
        elif marks == "daggers":
            raised = _daggers(pairs, raised)
            notes.append(f"† differs{ranked} from {baseline}, p < 0.05; ‡ p < 0.01 {words}.")
        else:
            if len(names) <= len(string.ascii_uppercase):
                keys = dict(zip(names, string.ascii_uppercase))
            notes.append(f">: better{ranked}, ** p < 0.01, * p < 0.05 {words}.")
            notes += _readings(pairs, means, keys, baseline)
    if interval:
        ends = intervals(frame, confidence=confidence, resamples=resamples, seed=seed)
        ends = ends.set_index(["measure", "name"])[["low", "high"]]
        notes.append(f"[low, high]: {100 * confidence:g}% interval (bootstrap over {unit}s, BCa).")
    index = pd.MultiIndex.from_product([texts, names], names=["measure", "name"])
    data: Any = pd.DataFrame({"mean": means.to_numpy().ravel()}, index=index)
    if pairs is not None:
        won = _won(pairs)
        for column, of, beaten in (
            ("better_than", "better", "worse"),
            ("worse_than", "worse", "better"),
        ):
            listed = won.groupby(["measure", of])[beaten].agg("; ".join)
            data[column] = [listed.get(at, "") for at in index]
    if ends is not None:
        data = data.join(ends)
    cells = [_cells(data.loc[text], names, raised.loc[text], digits[text]) for text in texts]
    down, across = [Head(text) for text in texts], [Head(name, keys[name]) for name in names]
    if rows == "systems":
        down, across, cells = across, down, [list(column) for column in zip(*cells)]
    named = {label: text for text, label in of_measures.items()}
    return PaperTable(across, down, cells, notes, named, means, tests, pairs, data.reset_index())


def _cells(data: pd.DataFrame, names: list[str], raised: pd.Series, places: int) -> list[Cell]:
    """Return the cells of one measure; the best of the printed numbers are marked."""
    texts = [_number(mean, places) for mean in data.loc[names, "mean"]]
    best = max(map(float, texts))
    between = [""] * len(names)
    if "low" in data:
        ends = data.loc[names, ["low", "high"]].to_numpy()
        between = [f"[{_number(low, places)}, {_number(high, places)}]" for low, high in ends]
    return [
        Cell(text, len(names) > 1 and float(text) == best, raised[name], interval)
        for name, text, interval in zip(names, texts, between)
    ]


def correlation_table(matrix: pd.DataFrame, *, places: int = 2) -> Table:
    """Return a table of rank correlations as IPM 2005 prints them (tables 3 to 6).

    Parameters
    ----------
    matrix
        What :func:`pt_cumgain.rank_correlation` returned. Of tau-b within one
        table the half below the diagonal is printed.
    places
        Decimal places.

    Returns
    -------
    Table
        With ``to_text()``, ``to_markdown()``, ``to_latex()``, ``to_html()``.

    Raises
    ------
    TypeError, ValueError
        If it is not such a matrix.

    Examples
    --------
    >>> means = pd.DataFrame({"name": list("ABC"), "CG@5": [3, 2, 1], "nCG@5": [3, 1, 2]})
    >>> from pt_cumgain import rank_correlation
    >>> correlation_table(rank_correlation(means))
           CG@5
    nCG@5  0.33
    Kendall's tau-b of the rankings of the systems.
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
    truth = "; each row is taken as the truth" if name == "tau-AP" else ""
    notes = [f"{name} of the rankings of the systems{truth}."]
    return Table([*map(Head, columns)], [*map(Head, rows)], cells, notes)


def _chosen(
    results: Results, measures: Any, systems: Any
) -> tuple[pd.DataFrame, dict[str, str], dict[str, str]]:
    """Return the results of what was chosen, under the labels, and these by text and by name."""
    frame = as_results(results)
    frame = frame.assign(name=frame["name"].map(str))
    if (frame["name"] == "").any():
        raise ValueError("a system has no name; give it one")
    labels = []
    for column, what, given in (("measure", "measures", measures), ("name", "systems", systems)):
        found = frame[column].unique().tolist()
        if isinstance(given, (str, Measure)):
            given = [given]
        if given is None:
            chosen = {name: str(name) for name in found}
        elif isinstance(given, Grid):
            chosen = given.labels
        elif isinstance(given, Mapping):
            chosen = {str(name): str(label) for name, label in given.items()}
        else:
            chosen = {str(name): str(name) for name in given}
        if not chosen:
            raise ValueError(f"{what} is empty; leave it out for all")
        # what was renamed already keeps its label
        here = {n if n in found or c not in found else c: c for n, c in chosen.items()}
        if unknown := [name for name in here if name not in found]:
            known = ", ".join(map(str, found))
            raise ValueError(f"{what}: the results do not have {unknown[0]!r}; they have {known}")
        called = list(chosen.values())
        if twice := next((label for label in called if called.count(label) > 1), None):
            raise ValueError(f"{what}: two are called {twice!r}")
        frame = frame[frame[column].isin(list(here))]
        frame = frame.assign(**{column: pd.Categorical(frame[column].map(here), called)})
        labels.append(chosen)
    return as_results(frame), labels[0], labels[1]


def _places(places: Any, measures: Mapping[str, str]) -> dict[str, int]:
    """Return the places by label; a mapping may call measures by their text or their label."""
    labels = list(measures.values())
    if not isinstance(places, Mapping):
        given = dict.fromkeys(labels, places)
    else:
        named = {measures.get(str(name), str(name)): count for name, count in places.items()}
        if unknown := [name for name in named if name not in labels]:
            raise ValueError(f"places: there is no measure {unknown[0]!r}")
        given = {label: named.get(label, PLACES) for label in labels}
    for count in given.values():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(f"places={count!r} must be whole numbers, 0 or more")
    return given


def _tested(
    results: pd.DataFrame,
    test: str,
    baseline: str | None,
    correction: str | None,
    options: dict[str, Any],
) -> tuple[pd.DataFrame | None, pd.DataFrame, str]:
    """Return Friedman's test if it was asked for, the pairs, and what the test is called."""
    tests = None
    which = test
    if test == FRIEDMAN:
        tests = friedman(results, correction=correction).set_index("measure")
        which = "wilcoxon" if (tests["test"] == "Wilcoxon").all() else "conover"
    pairs = pairwise(
        results,
        test=which,
        baseline=baseline,
        correction=correction,
        interval=baseline is not None,
        **options,
    )
    words = TESTS[which].words
    if which == "conover" and tests is not None:
        # where Friedman's test finds nothing, or cannot be made, no pair counts as different
        found = pairs["measure"].map(tests["p"] < LIMIT).to_numpy(dtype=bool)
        pairs = pairs.assign(better=pairs["better"].where(found, ""))
        words = "Friedman's test, then Conover's"
    if which.startswith("randomis"):
        words += f", {options['resamples']:,} draws"
    if baseline is not None:
        words += f", with {baseline} only"
    if len(pairs) > pairs["measure"].nunique() and not TESTS[which].corrects:
        words += ", uncorrected" if correction is None else f", corrected by {correction}"
        words += " within each measure" if correction and pairs["measure"].nunique() > 1 else ""
    return tests, pairs, words


def _won(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of which one system is better, with a column ``worse``."""
    won = pairs[pairs["better"] != ""]
    return won.assign(worse=won["other"].where(won["better"] == won["name"], won["name"]))


def _letters(pairs: pd.DataFrame, raised: pd.DataFrame, keys: Mapping[str, str]) -> pd.DataFrame:
    """Write behind each system the letters of those that it is better than."""
    for (measure, name), beaten in _won(pairs).groupby(["measure", "better"])["worse"]:
        raised.loc[measure, name] = _joined(sorted(keys[each] for each in beaten))
    return raised


def _joined(letters: Sequence[str]) -> str:
    """Return letters, three or more in a row as a range: ``"a,c–f"``."""
    stretches: list[list[str]] = []
    for letter in letters:
        if stretches and ord(letter) == ord(stretches[-1][-1]) + 1:
            stretches[-1].append(letter)
        else:
            stretches.append([letter])
    return ",".join(
        f"{some[0]}–{some[-1]}" if len(some) > 2 else ",".join(some) for some in stretches
    )


def _daggers(pairs: pd.DataFrame, raised: pd.DataFrame) -> pd.DataFrame:
    """Write a sign behind each system that differs from the baseline."""
    differ = pairs[pairs["better"] != ""]
    for measure, name, p in differ[["measure", "name", "p_corrected"]].to_numpy():
        raised.loc[measure, name] = next((sign for limit, sign in DAGGERS if p < limit), "")
    return raised


def _readings(
    pairs: pd.DataFrame, means: pd.DataFrame, keys: Mapping[str, str], baseline: str | None
) -> list[str]:
    """Return what the papers write: for each measure, which systems are better than which."""
    lines = []
    won = _won(pairs)
    called = {name: key or name for name, key in keys.items()}
    none = "no pair differs" if baseline is None else f"none differs from {called[baseline]}"
    means = means.rename(columns=called)
    for measure, of_systems in means.iterrows():
        p = pd.DataFrame(1.0, index=means.columns, columns=means.columns)
        of_measure = won[won["measure"] == measure]
        for better, worse, value in of_measure[["better", "worse", "p_corrected"]].to_numpy():
            p.loc[called[better], called[worse]] = value
        lines.append(f"{measure}: {who_is_better(p, of_systems) or none}.")
    return lines


def _unit(measures: Iterable[str]) -> str:
    """Return what the values of measures are of: ``"topic"`` or ``"session"``."""
    of_sessions = [name for name, m in MEASURES.items() if isinstance(m, SessionMeasure)]
    return "session" if all(text.startswith(tuple(of_sessions)) for text in measures) else "topic"


def _range(counts: list[int], unit: str) -> str:
    """Return ``"30 topics"``, or a range where measures have different numbers of them."""
    few, many = min(counts), max(counts)
    return f"{few} {unit}{'s' * (few != 1)}" if few == many else f"{few} to {many} {unit}s"


def _number(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text if float(text) else text.lstrip("-")
