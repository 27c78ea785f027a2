"""How similarly measures rank systems: rank correlations, and their table.

IPM 2005, tables 3 to 6. A ranking is a column of a table of means: systems by measures.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pt_cumgain.comparing._results import Results, TopicResults, mean_values
from pt_cumgain.comparing._rounding import equate
from pt_cumgain.core import Floats
from pt_cumgain.inputs.columns import numbers
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import refuse_equal_names
from pt_cumgain.inputs.reading import is_path
from pt_cumgain.measures import split_cutoff
from pt_cumgain.options import checked, choice
from pt_cumgain.writing.names import explain_names, list_formulas, read_names
from pt_cumgain.writing.phrases import count_things, write_number
from pt_cumgain.writing.rendering import Cell, Head, Table

#: The names of the coefficients, by their entry in the table's ``attrs``.
_COEFFICIENTS = {"tau-b": "Kendall's tau-b", "tau-ap": "tau-AP"}
_BESIDE = re.compile(r" (\+|-|reject|p-value|p-value corrected)$")


@checked(by=choice("cutoff").optional())
def rank_correlation(
    means: Results,
    other: Results | None = None,
    *,
    coefficient: Literal["tau-b", "tau-ap"] = "tau-b",
    by: Literal["cutoff"] | None = None,
) -> pd.DataFrame:
    """Return, for each pair of measures, how similarly they rank the systems.

    Parameters
    ----------
    means
        What ``pt.Experiment`` returns: ``name`` and a column for each measure
        (columns of tests are ignored); or the results by topic
        (``perquery=True``), which are averaged.
    other
        A second table, in either form, for the same systems, for example with
        other qrels: rows are then the measures of the first, columns those of
        the second (IPM 2005, table 3).
    coefficient
        ``"tau-b"``: Kendall's tau, as in IPM 2005, tables 4 to 6, which do not
        say how ties count; tau-b is our choice.
        ``"tau-ap"``: see :func:`tau_ap`; the row's measure is the truth against
        which the column's measure is compared.
    by
        ``"cutoff"``: compare measures at the same cutoff only, as IPM 2005 does
        at the cutoffs 1 to 200 (sections 3.2 to 3.4).

    Returns
    -------
    pandas.DataFrame
        Labelled by measure. NaN if a measure has the same mean for all systems.
        Means that are equal to 12 digits are ties. With ``by="cutoff"``, a row
        for each cutoff and each pair of different measures, in both orders:
        ``measure`` and ``other_measure``, without their cutoff, ``rank`` (the
        cutoff) and ``value``. With ``other``, the cutoffs are those that both
        tables have, and ``other_measure`` is a measure of the second table,
        perhaps the same.

    Raises
    ------
    ValueError
        If a table has no ``name``, no measure, fewer than two systems, or NaN,
        or the two tables have different systems; if, in results by topic, a
        system has no value for one of the topics; or if, with ``by="cutoff"``,
        a measure has no cutoff, or there are no two measures with the same one.

    Notes
    -----
    "Correlations greater than 0.9 should be considered equivalent and those
    less than 0.8 generally reflect noticeable changes" (IPM 2005, section 2.3,
    after Voorhees 2001).

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.comparing import rank_correlation
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> measures = [nDCG @ 1, nDCG @ 10, nDCG @ 100]
    >>> means = pt.Experiment(pydocs.runs(), topics, qrels, measures)
    >>> rank_correlation(means).round(3)
              nDCG@1  nDCG@10  nDCG@100
    nDCG@1       1.0      0.6       0.4
    nDCG@10      0.6      1.0       0.4
    nDCG@100     0.4      0.4       1.0
    """
    rows = ranking(means)
    columns = rows if other is None else ranking(other)
    if set(rows.index) != set(columns.index):
        unshared = sorted(set(rows.index) ^ set(columns.index))
        names = ", ".join(str(name) for name in unshared)
        raise ValueError(f"the two tables have different systems: {names}")
    columns = columns.loc[rows.index]
    if by == "cutoff":
        table = _correlate_by_cutoff(coefficient, rows, columns)
        if other is None:
            table = table[table["measure"] != table["other_measure"]].reset_index(drop=True)
        if not len(table):
            raise ValueError("by='cutoff': no two measures have the same cutoff")
    else:
        table = _correlate(coefficient, rows, columns)
    table.attrs["coefficient"] = coefficient  # for the functions that print or draw it
    return table


def _correlate(coefficient: str, rows: pd.DataFrame, columns: pd.DataFrame) -> pd.DataFrame:
    """Return the matrix of two rankings of the same systems."""
    compute = {"tau-b": _tau_b, "tau-ap": _tau_ap}[coefficient]
    table = compute(rows.to_numpy(), columns.to_numpy())
    table[(rows == rows.iloc[0]).all()] = np.nan
    table[:, (columns == columns.iloc[0]).all()] = np.nan
    return pd.DataFrame(table, index=rows.columns, columns=columns.columns)


def _correlate_by_cutoff(
    coefficient: str, rows: pd.DataFrame, columns: pd.DataFrame
) -> pd.DataFrame:
    """Return a row for each cutoff and each pair of measures that have it."""
    first, second = _at_cutoffs(rows), _at_cutoffs(columns)
    values: list[tuple[Any, ...]] = []
    for cutoff in sorted({*first.columns.unique(0)} & {*second.columns.unique(0)}):
        matrix = _correlate(coefficient, first[cutoff], second[cutoff])
        pairs = itertools.product(matrix.index, matrix.columns)
        values += [(*pair, cutoff, value) for pair, value in zip(pairs, matrix.to_numpy().flat)]
    return pd.DataFrame(values, columns=["measure", "other_measure", "rank", "value"])


def _at_cutoffs(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns have two levels: cutoffs, and measures without them."""
    split = [split_cutoff(str(measure)) for measure in table]
    uncut = [name for name, cutoff in split if not cutoff]
    if uncut:
        raise ValueError(f"by='cutoff': {uncut[0]} has no cutoff; drop it, or omit by")
    columns = [(int(cutoff), name) for name, cutoff in split]
    return table.set_axis(pd.MultiIndex.from_tuples(columns), axis=1)


def _orders(values: Floats) -> Floats:
    """Return how measures order each pair of systems: 1, -1, or 0 for a tie.

    ``values`` has a row for each system and a column for each measure; the result has a row for
    each pair, in the order of ``np.triu_indices``.
    """
    one, two = np.triu_indices(len(values), 1)
    first, second = values[one], values[two]
    return np.subtract(first > second, first < second, dtype=np.float64)


def _tau_b(first: Floats, second: Floats) -> Floats:
    """Return Kendall's tau-b of all measures of two rankings; NaN where all systems are tied."""
    # scipy's kendalltau, which pandas calls as well, takes one pair of measures at a time and adds
    # a p-value: seconds for 40 measures, minutes for 400, where products of matrices take none
    one, two = _orders(first), _orders(second)
    untied = [np.abs(order).sum(axis=0) for order in (one, two)]
    with np.errstate(invalid="ignore"):
        tau: Floats = one.T @ two / np.sqrt(untied[0])[:, None] / np.sqrt(untied[1])
    return np.clip(tau, -1, 1)


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
    >>> import pyterrier as pt
    >>> from pt_cumgain import nDCG, pydocs
    >>> from pt_cumgain.comparing import correlation_table, rank_correlation
    >>> data = pt.get_dataset("irds:pydocs")
    >>> topics, qrels = data.get_topics("text"), data.get_qrels()
    >>> measures = [nDCG @ 1, nDCG @ 10, nDCG @ 100]
    >>> means = pt.Experiment(pydocs.runs(), topics, qrels, measures)
    >>> correlation_table(rank_correlation(means))
              nDCG@1  nDCG@10
    nDCG@10      .60
    nDCG@100     .40      .40
    Kendall's tau-b between the measures' rankings of the systems.
    """
    _refuse_texts(matrix)
    if not matrix.size:
        raise ValueError("there is no correlation to print")
    values = matrix.to_numpy(dtype=np.float64)
    named = read_names(dict.fromkeys([*matrix.index, *matrix.columns]))
    heads = {text: Head(name.first, below=name.below) for text, name in named.items()}
    rows = [heads[str(text)] for text in matrix.index]
    columns = [heads[str(text)] for text in matrix.columns]
    texts = [["–" if np.isnan(x) else write_number(x, places) for x in row] for row in values]
    texts = [[re.sub(r"^(-?)0\.", r"\1.", text) for text in row] for row in texts]
    if is_symmetric(matrix):  # the half above the diagonal repeats that below
        rows, columns = rows[1:], columns[:-1]
        below = np.tri(len(texts), k=-1, dtype=bool)
        texts = np.where(below, texts, "")[1:, :-1].tolist()
    cells = [[Cell(text) for text in row] for row in texts]
    name = _COEFFICIENTS.get(str(matrix.attrs.get("coefficient")), "Rank correlation")
    truth = "; the row's measure is taken as the truth" if name == "tau-AP" else ""
    notes = [f"{name} between the measures' rankings of the systems{truth}."]
    notes += explain_names(named)
    return Table(columns, rows, cells, notes, formulas=list_formulas(named))


def _refuse_texts(matrix: pd.DataFrame) -> None:
    """Refuse anything but a table of rank correlations, such as results by topic."""
    hint = "; rank_correlation returns such a table"
    require_columns(matrix, [], "matrix", hint)
    try:
        matrix.to_numpy(dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"matrix must hold numbers only ({error}){hint}") from None


def is_symmetric(matrix: pd.DataFrame) -> bool:
    """Return whether a matrix of rank correlations is symmetric, with 1 on its diagonal."""
    values = matrix.to_numpy(dtype=np.float64)
    one_sided = matrix.attrs.get("coefficient") == "tau-ap"
    if one_sided or len(values) < 2 or list(matrix.index) != list(matrix.columns):
        return False
    alike = values - values.T, np.diag(values) - 1
    return all(np.nanmax(np.abs(gap), initial=0.0) < 1e-9 for gap in alike)


def tau_ap(truth: ArrayLike, judged: ArrayLike) -> float:
    r"""Return the AP rank correlation, which emphasises the top of a ranking.

    τ_AP = 2 / (N - 1) · Σ C(i) / (i - 1) - 1, over i = 2 to N

    where C(i) counts the systems above rank i of the judged ranking that are
    above the system at rank i in the true ranking too: Yilmaz, Aslam and
    Robertson, SIGIR 2008. It is not symmetric. Systems with equal values have
    no definite order; the result is the mean over all their possible orders.

    Parameters
    ----------
    truth, judged
        The systems' values under the measure taken as truth and under the
        judged one, shape ``(N,)``, N of 2 or more; higher is better.

    Raises
    ------
    ValueError
        If the two have different lengths, fewer than two values, or NaN.

    Examples
    --------
    The truth is A, B, C; the judged ranking swaps A and B, or B and C:

    >>> tau_ap([3, 2, 1], [2, 3, 1]), tau_ap([3, 2, 1], [3, 1, 2])
    (0.0, 0.5)
    """
    t, x = numbers(truth, "truth"), numbers(judged, "judged")
    if t.ndim != 1 or t.shape != x.shape or len(t) < 2:
        raise ValueError(f"two lists of 2 or more values are needed, got {t.shape} and {x.shape}")
    if np.isnan(t).any() or np.isnan(x).any():
        raise ValueError("a value is NaN, which has no rank")
    return float(_tau_ap(t[:, None], x[:, None])[0, 0])


def _tau_ap(truth: Floats, judged: Floats) -> Floats:
    """Return tau-AP of all measures of two rankings.

    Every pair of systems adds 1 if the truth orders it alike, -1 if not, and 0 if one of the two
    rankings ties it, divided by i - 1, where i is the place of the pair's lower system.
    """
    one, two = np.triu_indices(len(judged), 1)
    order, share = _orders(judged), np.apply_along_axis(_share_of_place, 0, judged)
    weights = order * np.where(order > 0, share[two], share[one])
    return np.clip(_orders(truth).T @ weights / (len(judged) - 1), -1, 1)


def _share_of_place(values: Floats) -> Floats:
    """Return 1 / (i - 1) for each system, i being its place; the mean over the places of a tie."""
    _, tie, size = np.unique(-values, return_inverse=True, return_counts=True)
    shares = 1 / np.maximum(np.arange(len(values)), 1)  # no system is above place 1
    mean_share = np.add.reduceat(shares, np.cumsum(size) - size) / size
    return np.asarray(mean_share[tie])


def has_topics(results: object) -> bool:
    """Return whether results are by topic, not means."""
    if isinstance(results, pd.DataFrame):
        return not {"qid", "measure"}.isdisjoint(results)
    return isinstance(results, TopicResults) or is_path(results)


def ranking(means: Results) -> pd.DataFrame:
    """Return the means alone, by name, from means or results by topic; see :func:`equate`.

    Raises
    ------
    TypeError, ValueError
        If they do not rank systems: see :func:`rank_correlation`.
    """
    if has_topics(means):
        matrices = TopicResults.read(means).matrices(topics=1)
        by_measure = {measure: mean_values(matrix) for measure, matrix in matrices.items()}
        means = pd.DataFrame(by_measure).rename_axis("name").reset_index()
    require_columns(means, ["name"], "means", "; pt.Experiment returns such a table")
    frame: Any = means
    kept = [c for c in frame if c not in ("name", "mrt") and not _BESIDE.search(str(c))]
    require_columns(frame, kept, "means")  # each once
    table = frame.set_index("name")[kept]
    refuse_equal_names(table.index.tolist())
    if not kept or len(table) < 2:
        counts = count_things(len(table), "system"), count_things(len(kept), "measure")
        raise ValueError(f"{' and '.join(counts)} are too few for a ranking")
    for name in kept:
        if not pd.api.types.is_numeric_dtype(table[name]):
            raise ValueError(f"means: the column {name!r} holds no numbers")
        if table[name].isna().any():
            raise ValueError(f"means: {name} is NaN for {table.index[table[name].isna()][0]!r}")
    # means that should be equal may differ in their last bits, which does not rank the systems
    ranked: pd.DataFrame = table.apply(equate).rename_axis(columns=None)
    return ranked
